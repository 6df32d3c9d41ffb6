//! What a model, a file or an argument brings along must not command the terminal; and names of the model
//! must not hide ours.

use crate::common::{lariat, project};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Output;

/// Everything that was printed, on both outputs; nothing in it may be a character that a terminal obeys.
fn harmless(output: &Output) -> String {
    let text = format!(
        "{}{}",
        String::from_utf8(output.stdout.clone()).unwrap(),
        String::from_utf8(output.stderr.clone()).unwrap()
    );
    let bad = |c: char| {
        c.is_control() && c != '\n' && c != '\t'
            || ('\u{202a}'..='\u{202e}').contains(&c)
            || ('\u{2066}'..='\u{2069}').contains(&c)
    };
    assert!(!text.contains(bad), "{text:?}");
    text
}

fn scratch() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

#[test]
fn texts_of_printf() {
    let directory = project("tests/regressions");
    let model = "120-control-characters-in-a-printf.pml";
    for arguments in
        [&["check", model][..], &["simulate", "--seed", "1", model], &["info", model], &["explore", model]]
    {
        harmless(&lariat(&directory, arguments));
    }
    let text = harmless(&lariat(&directory, &["simulate", "--seed", "1", model]));
    assert!(text.contains("      a\tb\n      \\u001b[31mred\\u009b2J\\u202e\n"), "{text}");

    let output = lariat(&directory, &["check", "--format", "json", model]);
    harmless(&output);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["counterexample"]["prefix"][0]["printed"], "a\tb\n\u{1b}[31mred\u{9b}2J\u{202e}");
}

#[test]
fn names_of_files() {
    let directory = scratch();
    let name = "m\u{1b}[2J\u{202e}.pml";
    fs::write(directory.path().join(name), "byte x; active proctype P() { assert(x == 1) }").unwrap();
    fs::write(directory.path().join(format!("broken{name}")), "byte x = \u{1b}[31m;").unwrap();
    for arguments in [
        &["check", name][..],
        &["check", "--format", "json", name],
        &["check", &format!("broken{name}")],
        &["check", &format!("missing{name}")],
        &["simulate", "--trail", name, name],
        &["automaton", name],
        &["empty", name],
        &["translate", "-F", name],
        &["compare", name],
    ] {
        let text = harmless(&lariat(directory.path(), arguments));
        assert!(text.contains("\\u001b[2J\\u202e"), "{arguments:?}: {text}");
    }
}

#[test]
fn formulas_and_arguments() {
    let directory = project("models");
    let run = |arguments: &[&str]| harmless(&lariat(&directory, arguments));
    for arguments in [
        &["check", "peterson.pml", "--ltl", "G \u{1b}[31m"][..],
        &["check", "peterson.pml", "--ltl", "G \"a\u{1b}[31m\""],
        &["check", "peterson.pml", "--property", "\u{1b}[31m"],
        &["translate", "--format", "text", "G \"a\u{1b}[31m\""],
        &["translate", "--format", "json", "G \"a\u{1b}[31m\""],
        &["translate", "--stats", "G \"a\u{1b}[31m\""],
        &["compare", "--built-in", "\u{1b}[31m"],
    ] {
        // Within a formula it may have become a blank.
        assert!(run(arguments).contains("[31m"), "{arguments:?}");
    }
}

/// The library that reads the command line leaves colours out.
#[test]
fn options_that_are_not_there() {
    let text = harmless(&lariat(&project("models"), &["check", "peterson.pml", "--frob\u{9b}\u{202e}"]));
    assert!(text.contains("--frob"), "{text}");
}

#[test]
fn dve_and_hoa() {
    let directory = scratch();
    let write = |name: &str, text: &str| fs::write(directory.path().join(name), text).unwrap();
    write("m.dve", "byte x\u{1b}[31m = 0; process P { state a; init a; } system async;");
    write(
        "a.hoa",
        "HOA: v1\nname: \"n\u{1b}[31m\"\nStates: 1\nStart: 0\nAP: 1 \"p\u{1b}[31m\"\nacc-name: Buchi\nAcceptance: 1 Inf(0)\n--BODY--\nState: 0 {0}\n[0] 0\n--END--\n",
    );
    for arguments in
        [&["check", "m.dve"][..], &["automaton", "--format", "text", "a.hoa"], &["empty", "a.hoa"]]
    {
        harmless(&lariat(directory.path(), arguments));
    }
    // What goes into a file is not changed.
    let output = lariat(directory.path(), &["automaton", "a.hoa"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("p\u{1b}[31m"), "{text}");
}

fn check(model: &Path, options: &[&str]) -> (Option<i32>, String) {
    let directory = model.parent().unwrap();
    let file = model.file_name().unwrap().to_str().unwrap();
    let output = lariat(directory, &[&["check", file], options].concat());
    (output.status.code(), harmless(&output))
}

#[test]
fn the_names_of_the_model_win_and_that_is_said() {
    let model = project("tests/regressions").join("116-formulas-with-our-names.pml");
    let (code, text) = check(&model, &["--property", "safety"]);
    assert_eq!(code, Some(1));
    assert!(text.contains("warning: `safety` is the name of a formula of the model here"), "{text}");
    assert!(text.contains("write `--safety`"), "{text}");
    let (code, text) = check(&model, &["--property", "acceptance"]);
    assert_eq!(code, Some(1));
    assert!(text.contains("write `--property :acceptance`"), "{text}");
    // What is suggested can be asked for.
    let (code, text) = check(&model, &["--property", "nothing"]);
    assert_eq!(code, Some(3));
    let list =
        text.lines().find_map(|line| line.trim().strip_prefix("= hint: there is ")).unwrap().to_string();
    assert_eq!(list, ":safety, safety, acceptance");
    for name in list.split(", ") {
        let (code, text) = check(&model, &["--property", name]);
        assert_eq!(code, Some(if name == ":safety" { 0 } else { 1 }), "{name}: {text}");
    }
}

#[test]
fn a_claim_is_asked_for_by_its_own_name_too() {
    let directory = scratch();
    let model = directory.path().join("m.pml");
    fs::write(&model, "byte x; active proctype P() { x = 1 } never safety { do :: x == 0 od }").unwrap();
    let (code, text) = check(&model, &["--property", "safety"]);
    assert!(code == Some(0) && text.contains("is the name of a claim"), "{text}");
    for name in ["never", ":never"] {
        let (code, text) = check(&model, &["--property", name]);
        assert!(code == Some(0) && text.contains("never claim") && !text.contains("warning"), "{text}");
    }
    assert_eq!(check(&model, &["--property", "nothing"]).0, Some(3));
}

#[test]
fn warnings_do_not_keep_a_model_from_being_checked() {
    let directory = scratch();
    let model = directory.path().join("m.pml");
    let text = "chan c = [1] of { byte }; byte x;
        init { if :: x = 1 -> skip :: else fi; if :: c?x :: else fi }
        init { if :: (x == 1) unless (x == 2) :: x == 3 fi }";
    fs::write(&model, text).unwrap();
    let (_, text) = check(&model, &["--safety"]);
    assert_eq!(text.matches("warning: ").count(), 4, "{text}");
    assert!(text.contains("states stored"), "{text}");
}
