//! `lariat watch` from outside: verdicts and counts of `lariat empty` and `lariat check`, what is written,
//! and what is said when something is wrong.

use crate::common::{lariat, project, report};
use lariat_animation::examples::EXAMPLES;
use lariat_checker::ALGORITHMS;
use lariat_ltl::{Bdds, hoa};
use std::path::Path;
use tempfile::TempDir;

fn watch(directory: &Path, arguments: &[&str]) -> (i32, String, String) {
    let output = lariat(directory, &[&["watch"], arguments].concat());
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap_or(-1), text(output.stdout), text(output.stderr))
}

/// The states visited, the calls of post and the arcs that the first line tells.
fn counts(text: &str) -> Vec<u64> {
    let line = text.lines().next().unwrap_or_default();
    let (_, behind) = line.split_once(';').unwrap_or_default();
    behind.split([' ', ',']).filter_map(|word| word.parse().ok()).collect()
}

/// Every check on every example.
#[test]
fn verdicts_and_counts_are_those_of_empty() {
    let directory = TempDir::new().unwrap();
    let mut refused = 0;
    for example in EXAMPLES {
        let file = format!("{}.hoa", example.name);
        let text = hoa::write(&example.automaton(), &mut Bdds::new());
        std::fs::write(directory.path().join(&file), text).unwrap();
        for row in ALGORITHMS {
            let what = format!("{} {}", example.name, row.name);
            let (code, found) = report(directory.path(), &["empty", &file, "--algorithm", row.name]);
            for source in [&["--example", example.name][..], &[&file]] {
                let arguments = [source, &["--algorithm", row.name]].concat();
                let (watched, told, complaints) = watch(directory.path(), &arguments);
                assert_eq!(watched, code, "{what}: {complaints}");
                if code == 3 {
                    assert!(complaints.starts_with("error: `"), "{what}: {complaints}");
                    refused += 1;
                    continue;
                }
                let number = |path: &str| found.pointer(path).and_then(serde_json::Value::as_u64).unwrap();
                let counted = [number("/states/visited"), number("/post_calls"), number("/transitions")];
                assert_eq!(counts(&told), counted, "{what}: {told}");
                let verdict = if code == 1 { "not empty: " } else { "empty: " };
                assert!(told.starts_with(verdict), "{what}: {told}");
                let last = if code == 1 { "There is an accepting run" } else { "there is no accepting run." };
                assert!(
                    told.lines().rfind(|line| !line.is_empty()).unwrap().contains(last),
                    "{what}: {told}"
                );
            }
        }
    }
    assert!((4..60).contains(&refused), "{refused} refused");
}

/// All checks on models, Promela and DVE: the verdict is that of `check`, and two checks see one graph.
#[test]
fn verdicts_on_models_are_those_of_check() {
    let models = project("models");
    for (model, property) in [("peterson.pml", "no_starvation"), ("peterson.pml", "exclusion")] {
        for row in ALGORITHMS {
            let options = ["--property", property, "--algorithm", row.name];
            let checked = lariat(&models, &[&["check", model, "--no-reduce"], &options[..]].concat());
            let (code, told, complaints) = watch(&models, &[&[model][..], &options].concat());
            assert_eq!(Some(code), checked.status.code(), "{property} {}: {told} {complaints}", row.name);
        }
    }
    let directory = TempDir::new().unwrap();
    let page = directory.path().join("page.html");
    let page = page.to_str().unwrap();
    let options = ["dekker.dve", "--algorithm", "se", "--with", "tarjan", "--html", page];
    let (code, told, complaints) = watch(&models, &options);
    assert_eq!((code, complaints.as_str()), (1, ""), "{told}");
    assert_eq!(told.lines().count(), 2, "{told}");
    let written = std::fs::read_to_string(page).unwrap();
    assert!(written.contains("automaton: state 0") && written.contains("\"name\":\"tarjan\""));
}

/// A file for each step, whose names are in order.
/// Where not all runs count, the marks are those of `check`, and so is the verdict.
#[test]
fn fairness_is_that_of_check() {
    let directory = TempDir::new().unwrap();
    let here = directory.path();
    let model = "byte x; bool b;
        active proctype P() { do :: x < 2 -> x++ :: x == 2 -> x = 0 od }
        active proctype Q() { do :: b = !b :: x == 2 -> b = true od }
        ltl p { <> (x == 2) }
        ltl q { [] <> (b && x == 1) }\n";
    std::fs::write(here.join("fair.pml"), model).unwrap();
    let mut codes = std::collections::BTreeSet::new();
    for property in ["p", "q"] {
        for runs in [
            &["--fair", "weak"][..],
            &["--fair", "strong"],
            &["--fair", "unconditional"],
            &["--assume", "[] <> b"],
        ] {
            for check in ["se", "cvwy-gen", "lasso", "ascc", "streett"] {
                let arguments = [&["fair.pml", "--property", property, "--algorithm", check], runs].concat();
                let (code, _) = report(here, &[&["check"], &arguments[..]].concat());
                let (watched, told, said) = watch(here, &arguments);
                assert_eq!(watched, code, "{arguments:?}: {said}");
                assert_eq!(code != 3, told.starts_with("marks: "), "{arguments:?}: {told}");
                codes.insert(code);
            }
        }
    }
    assert_eq!(codes.into_iter().collect::<Vec<_>>(), [0, 1, 3]);
    let page = here.join("page.html");
    let (_, told, _) =
        watch(here, &["fair.pml", "--property", "p", "--fair", "weak", "--html", page.to_str().unwrap()]);
    assert!(told.starts_with("marks: {0} P(0) moves or cannot, {1} Q(1) moves or cannot\n"), "{told}");
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.contains("The marks: {0} P(0) moves or cannot") && page.matches("{1}").count() > 1);
    // On one graph, with a counter, because one of the two knows one set.
    let (code, told, _) = watch(
        here,
        &["fair.pml", "--property", "q", "--fair", "weak", "--algorithm", "ascc", "--with", "se"],
    );
    assert!(code < 2 && told.contains("met in this order"), "{told}");
    for (arguments, message) in [
        (&["--example", "slides", "--fair", "weak"][..], "are about models, and this is an automaton"),
        (&["fair.pml", "--fair-to", "P"], "`--fair` says how"),
        (&["fair.pml", "--fair", "weak", "--fair-to", "R"], "the model has no process `R`"),
        (&["fair.pml", "--fair", "strong", "--algorithm", "streett", "--with", "se"], "`se` knows no pairs"),
    ] {
        let (code, _, said) = watch(here, arguments);
        assert!(code == 3 && said.contains(message), "{arguments:?}: {said}");
    }
}

#[test]
fn frames_are_written() {
    let directory = TempDir::new().unwrap();
    let (code, told, complaints) =
        watch(directory.path(), &["--example", "slides", "--algorithm", "cvwy", "--frames", "new/frames"]);
    assert_eq!((code, complaints.as_str()), (1, ""));
    let mut names: Vec<String> = std::fs::read_dir(directory.path().join("new/frames"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert!(told.contains(&format!("(cvwy): {} steps;", names.len())), "{told}");
    assert_eq!((names[0].as_str(), names.last().unwrap().as_str()), ("cvwy-00.svg", "cvwy-36.svg"));
    let last = std::fs::read_to_string(directory.path().join("new/frames/cvwy-36.svg")).unwrap();
    assert!(last.contains("There is an accepting run") && last.contains("arc lasso"), "{last}");
}

#[test]
fn what_is_wrong_is_said() {
    let directory = TempDir::new().unwrap();
    std::fs::write(directory.path().join("plain.pml"), "active proctype P() { skip }").unwrap();
    let trace = "chan c = [1] of { bit };\nactive proctype P() { c!1 }\ntrace { do :: c!1 od }";
    std::fs::write(directory.path().join("trace.pml"), trace).unwrap();
    std::fs::write(directory.path().join("broken.hoa"), "HOA: v2\n").unwrap();
    std::fs::write(
        directory.path().join("whole.hoa"),
        hoa::write(&EXAMPLES[0].automaton(), &mut Bdds::new()),
    )
    .unwrap();
    for (arguments, expected) in [
        (&["--example", "none"][..], "error: there is no example `none`; there are\n  slides  "),
        (&[], "error: the following required arguments were not provided"),
        (&["plain.pml"], "error: the model states no property"),
        (&["plain.pml", "--property", "safety"], "error: `safety` is about finite runs"),
        (&["trace.pml"], "error: the model states no property"),
        (&["trace.pml", "--property", "trace"], "error: `trace` is about finite runs"),
        (&["plain.pml", "--ltl", "F ("], "error: expected a formula"),
        (&["missing.hoa"], "error: cannot read missing.hoa"),
        (&["broken.hoa"], "error: "),
        (&["whole.hoa", "--ltl", "p"], "error: `--property` and `--ltl` are about models"),
        (&["--example", "slides", "--with", "auto"], "error: `--with auto` is no second check"),
        (&["--example", "slides", "--with", "cndfs"], "error: `cndfs` is for several threads"),
        (&["--example", "slides", "--algorithm", "ufscc"], "error: `ufscc` is for several threads"),
        (&["--example", "slides", "--algorithm", "dijkstra"], "error: invalid value 'dijkstra'"),
        (&["--example", "active-graph", "--with", "sd"], "error: `sd` needs a weak automaton"),
        (&["--example", "slides", "--html", "no/such/page.html"], "error: cannot write no/such/page.html"),
        (&["--example", "slides", "whole.hoa"], "error: the argument '--example <NAME>' cannot be used with"),
    ] {
        let (code, told, complaints) = watch(directory.path(), arguments);
        assert_eq!((code, told.as_str()), (3, ""), "{arguments:?}: {complaints}");
        assert!(complaints.starts_with(expected), "{arguments:?}: {complaints}");
    }
}

/// A limit gives no verdict; what is too large is cut with a word, and the verdict stays.
#[test]
fn limits_and_cuts() {
    let models = project("models");
    let (code, told, _) = watch(&models, &["peterson.pml", "--algorithm", "se", "--max-states", "20"]);
    assert!(code == 2 && told.starts_with("unknown: "), "{code}: {told}");
    // Before the search begins, a limit is no error either.
    let long = ["130-long-specification.pml", "--property", "repeats", "--timeout", "0.3"];
    let (code, told, said) = watch(&project("tests/regressions"), &long);
    assert!(code == 2 && told.starts_with("unknown: the time limit"), "{code}: {told}{said}");
    let directory = TempDir::new().unwrap();
    let page = directory.path().join("page.html");
    let page = page.to_str().unwrap();
    let (code, told, complaints) =
        watch(&models, &["elevator.pml", "--property", "doors", "--algorithm", "se", "--html", page]);
    assert!(code == 0 && told.starts_with("empty: "), "{told}");
    assert!(
        complaints.contains("events are shown") && complaints.contains("states are drawn"),
        "{complaints}"
    );
}
