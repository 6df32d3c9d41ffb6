//! `lariat spin`, and trails: what Spin printed and wrote for the models in `tests/spin` is followed, shown
//! and written here.
//!
//! A file `NAME.trail` is Spin's own, of its verifier with all defaults; `NAME.spin` is what Spin's
//! simulator prints when it follows it (`spin -t -p -g -l`), or in a run in which nothing is left to chance.
//! A file `NAME.ours` is a trail of Lariat's, which Spin has followed to the same state (`cargo xtask
//! compare-trails` does that for many models). `NAME.report` is a report in the layout of Spin's verifier.
//! `UPDATE_EXPECT=1` writes those of Lariat anew.

use crate::common::{lariat, lariat_beside, project, report};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

fn models() -> PathBuf {
    project("tests/spin")
}

/// A directory of its own, with the models and Spin's trails in it.
fn copied() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(models()).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, directory.path().join(path.file_name().unwrap())).unwrap();
    }
    directory
}

/// The standard output, and the exit code.
fn printed(directory: &Path, arguments: &[&str]) -> (String, i32) {
    let output = lariat(directory, arguments);
    (String::from_utf8(output.stdout).unwrap(), output.status.code().unwrap())
}

fn complained(directory: &Path, arguments: &[&str]) -> (String, i32) {
    let output = lariat(directory, arguments);
    (String::from_utf8(output.stderr).unwrap(), output.status.code().unwrap())
}

/// What was printed, against what a file says; or the file is written.
fn judge(file: &str, printed: &str) {
    let path = models().join(file);
    if std::env::var("UPDATE_EXPECT").is_ok_and(|value| value == "1") {
        fs::write(path, printed).unwrap();
        return;
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    assert!(printed == expected, "{file}: expected\n{expected}\nbut it is\n{printed}");
}

#[test]
fn trails_of_spin_are_shown_as_spin_shows_them() {
    for (name, arguments, code) in [
        ("assertion", &["-t", "-p", "-g", "-l", "-k", "assertion.trail", "assertion.pml"][..], 1),
        ("deadlock", &["-t", "-p", "-g", "-l", "-k", "deadlock.trail", "deadlock.pml"], 1),
        ("deadlock-columns", &["-t", "-c", "-s", "-r", "-k", "deadlock.trail", "deadlock.pml"], 1),
        ("claim", &["-t", "-p", "-g", "-l", "-k", "claim.trail", "claim.pml"], 0),
        ("random", &["-p", "-g", "-l", "-s", "-r", "random.pml"], 0),
        ("random-columns", &["-c", "random.pml"], 0),
    ] {
        let (ours, exit) = printed(&models(), &[&["spin"], arguments].concat());
        let theirs = fs::read_to_string(models().join(format!("{name}.spin"))).unwrap();
        assert!(ours == theirs, "{name}: Spin says\n{theirs}\nand here it is\n{ours}");
        assert_eq!(exit, code, "{name}");
    }
}

/// Of claims that Spin makes of formulas nothing is known here, and a `d_step` is one line.
#[test]
fn trails_beside_formulas_end_in_the_same_state() {
    let is_known = |line: &&str| {
        let claims =
            ["ltl ", "Never claim moves", "spin: couldn't find claim", "spin: _spin_nvr", "spin: text"];
        let in_d_step = line.contains("(state 7)") || line.contains("(state 6)");
        !claims.iter().any(|start| line.starts_with(start)) && !line.contains("proc  - (") && !in_d_step
    };
    for (name, model) in [("formula", "formula.pml"), ("formula-low", "formula.pml"), ("idle", "idle.pml")] {
        let trail = format!("{name}.trail");
        let (ours, _) = printed(&models(), &["spin", "-t", "-p", "-g", "-l", "-k", &trail, model]);
        let theirs = fs::read_to_string(models().join(format!("{name}.spin"))).unwrap();
        let ours: Vec<&str> = ours.lines().filter(is_known).collect();
        let theirs: Vec<&str> = theirs.lines().filter(is_known).collect();
        assert_eq!(ours, theirs, "{name}");
    }
}

/// Every property that is violated: a trail is written, Spin has replayed it, and following it ends where the
/// counterexample does.
#[test]
fn trails_are_written() {
    let directory = copied();
    let here = directory.path();
    for (name, model, property) in [
        ("assertion", "assertion.pml", &["--safety"][..]),
        ("deadlock", "deadlock.pml", &["--safety"]),
        ("claim", "claim.pml", &["--property", "never", "--whole-run"]),
        ("decided", "decided.pml", &["--property", "never"]),
        ("idle", "idle.pml", &["--property", "non-progress"]),
        ("formula", "formula.pml", &["--property", "full_for_ever"]),
        ("formula-low", "formula.pml", &["--property", "low"]),
    ] {
        let trail = format!("{name}.written");
        let arguments = [&["check", model, "--no-reduce", "--trail", &trail], property].concat();
        let (code, found) = report(here, &arguments);
        assert_eq!(code, 1, "{name}");
        let text = fs::read_to_string(here.join(&trail)).unwrap();
        judge(&format!("{name}.ours"), &text);
        let (_, followed) = report(here, &["simulate", model, "--trail", &trail]);
        let rounds = text.lines().filter(|line| !line.starts_with('-')).count();
        assert!(rounds > 0, "{name}: there are no steps");
        let found = found["counterexample"]["final"].clone();
        assert_eq!(followed["final"]["variables"], found["variables"], "{name}");
        let places = |state: &serde_json::Value| -> Vec<(u64, u64)> {
            let processes = state["processes"].as_array().cloned().unwrap_or_default();
            processes.iter().map(|p| (p["pid"].as_u64().unwrap(), p["location"].as_u64().unwrap())).collect()
        };
        assert_eq!(places(&followed["final"]), places(&found), "{name}");
    }
}

/// A program that writes down what Spin made of `formula.pml`, and ends as it is told.
#[cfg(unix)]
fn recorded_spin(directory: &Path, exit: &str) -> PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let path = directory.join("recorded-spin");
    let claims = models().join("_spin_nvr.tmp").canonicalize().unwrap();
    let script = format!("#!/bin/sh\ncp '{}' _spin_nvr.tmp\n{exit}\n", claims.display());
    fs::write(&path, script).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

/// The claims that Spin makes of formulas move, too. (Spin has followed these trails; it shows each move of
/// the claim, and at the end where the claim is.)
#[cfg(unix)]
#[test]
fn trails_of_formulas_have_the_moves_of_the_claim() {
    let directory = copied();
    let here = directory.path();
    let spin = recorded_spin(here, "exit 0");
    for (name, property) in [("formula-claim", "full_for_ever"), ("formula-low-claim", "low")] {
        let arguments = ["check", "formula.pml", "--no-reduce", "--property", property, "--trail", "t"];
        let output = lariat_beside(spin.to_str().unwrap(), here, &arguments);
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        assert_eq!(output.status.code(), Some(1), "{name}");
        let text = fs::read_to_string(here.join("t")).unwrap();
        assert!(text.starts_with("-2:") && text.contains(":0:"), "{name}: {text}");
        judge(&format!("{name}.ours"), &text);
        let (code, followed) = report(here, &["simulate", "formula.pml", "--trail", "t"]);
        assert!(code <= 1 && followed["final"].is_object(), "{name}: {followed}");
    }
    // A formula of the command line is none of Spin's.
    let arguments = ["check", "formula.pml", "--ltl", "[] (level < 3)", "--trail", "t"];
    let output = lariat_beside(spin.to_str().unwrap(), here, &arguments);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert!(!fs::read_to_string(here.join("t")).unwrap().contains("-2:"));
    // Where Spin cannot be asked, that is said, and the trail has the steps of the model.
    let alone = recorded_spin(here, "exit 1");
    for (spin, why) in [
        ("", "only Spin knows it, and `LARIAT_SPIN` is empty"),
        ("no-such-program", "only Spin knows it, and `spin` is not installed"),
        (alone.to_str().unwrap(), "`spin` does not accept the model"),
        ("true", "`spin` made no claim of it"),
    ] {
        let arguments = ["check", "formula.pml", "--property", "low", "--trail", "t"];
        let output = lariat_beside(spin, here, &arguments);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains(why) && output.status.code() == Some(1), "{spin}: {said}");
        assert!(!fs::read_to_string(here.join("t")).unwrap().contains("-2:"));
    }
}

/// `-M`: the messages of a run, as a picture.
#[test]
fn charts_are_drawn() {
    let directory = copied();
    let here = directory.path();
    let chart = || fs::read_to_string(here.join("deadlock.pml.svg")).unwrap();
    let follow = ["spin", "-M", "-t", "-k", "deadlock.trail", "deadlock.pml"];
    let (said, _) = complained(here, &follow);
    assert!(said.contains("note: the chart of the messages is in deadlock.pml.svg"), "{said}");
    let (messages, _) = printed(here, &["spin", "-t", "-c", "-k", "deadlock.trail", "deadlock.pml"]);
    let sent: Vec<&str> = messages
        .lines()
        .filter(|line| line.contains(['!', '?']))
        .flat_map(|line| line.split_whitespace().last())
        .collect();
    assert!(!sent.is_empty(), "{messages}");
    for message in sent {
        assert!(chart().contains(&format!(">{message}<")), "{message} is in the chart: {}", chart());
    }
    let (said, _) = complained(here, &["spin", "-M", "-run", "deadlock.pml"]);
    assert!(said.contains("note: `-M` is ignored"), "{said}");
}

/// Constants by their names and truth as a number, in buffers and at handshakes: as Spin 6.5.2 printed it.
#[test]
fn messages_have_the_words_of_spin() {
    let directory = tempfile::tempdir().unwrap();
    let model = "mtype = { red }; chan c = [1] of { bool, mtype }; chan d = [0] of { bool, mtype, bit };\n\
        active proctype P() { c!true(red); d!true(red,1) }\n\
        active proctype Q() { bool b; c?b(red); d?b(red,1) }\n";
    fs::write(directory.path().join("words.pml"), model).unwrap();
    let (text, _) = printed(directory.path(), &["spin", "-n1", "-c", "words.pml"]);
    let expected = "proc 0 = P\nproc 1 = Q\nq\\p   0   1\n  1   c!1,red\n  1   .   c?1,red\n  \
        2   d!1,red,1\n  2   .   d?1,red,1\n";
    assert!(text.starts_with(expected), "{text}");
}

/// A fault in the numbers of statements is noticed. (In `claim.pml` every option can be taken at any time.)
#[test]
fn shifted_trails_do_not_fit() {
    let directory = copied();
    let here = directory.path();
    for name in ["assertion", "deadlock", "idle"] {
        let model = format!("{name}.pml");
        let text = fs::read_to_string(here.join(format!("{name}.trail"))).unwrap();
        let shifted: String = text
            .lines()
            .map(|line| match line.split(':').collect::<Vec<_>>()[..] {
                [depth, process, statement] if !depth.starts_with('-') => {
                    format!("{depth}:{process}:{}\n", statement.parse::<u32>().unwrap() + 1)
                }
                _ => format!("{line}\n"),
            })
            .collect();
        fs::write(here.join("shifted"), shifted).unwrap();
        let (message, code) = complained(here, &["simulate", &model, "--trail", "shifted"]);
        assert_eq!(code, 3, "{name}: {message}");
        assert!(message.contains("the trail does not fit"), "{name}: {message}");
    }
}

#[test]
fn bad_trails_are_refused() {
    let directory = copied();
    let here = directory.path();
    for (text, part) in [
        ("1:0", "line 1 is `1:0`, but a line of a trail is `depth:process:statement`"),
        ("1:0:5\n2:0:x\n", "line 2 is `2:0:x`"),
        ("1:0:5:7\n", "line 1 is `1:0:5:7`"),
        ("1:-3:5\n", "line 1 is `1:-3:5`"),
        ("-9:0:5\n", "line 1 is `-9:0:5`"),
        ("-5:0:5\n", "permuted"),
        ("-1:-1:-1\n1:0:5\n-1:-1:-1\n", "starts a cycle, and there is one already"),
        ("1:0:999\n", "names statement 999: the model has no such statement"),
        ("1:7:0\n", "there is no such process"),
        ("1:2:0\n", "the process is one of Server"),
        ("1:0:3\n", "it cannot do that here"),
        ("active proctype P() { skip }\n", "neither a report in JSON nor a trail"),
        ("{ \"no\": 1 }", "cannot follow bad"),
    ] {
        fs::write(here.join("bad"), text).unwrap();
        let (message, code) = complained(here, &["simulate", "assertion.pml", "--trail", "bad"]);
        assert_eq!(code, 3, "{text}: {message}");
        assert!(message.contains(part), "{text}: {message}");
    }
    // A statement of a claim, executed by a process.
    fs::write(here.join("bad"), "1:0:0\n").unwrap();
    let (message, code) = complained(here, &["simulate", "claim.pml", "--trail", "bad"]);
    assert!(code == 3 && message.contains("but in a claim"), "{message}");
    let (message, code) = complained(here, &["spin", "-t", "-k", "bad", "claim.pml"]);
    assert!(code == 3 && message.contains("but in a claim"), "{message}");
    let (message, code) = complained(here, &["spin", "-t7", "assertion.pml"]);
    assert!(code == 3 && message.contains("assertion.pml7.trail is not there"), "{message}");
    // Trails are about Promela.
    let dve = project("models/dekker.dve");
    let (message, code) = complained(here, &["check", dve.to_str().unwrap(), "--trail", "x"]);
    assert!(code == 3 && message.contains("not written in Promela"), "{message}");
    let (message, code) = complained(here, &["simulate", dve.to_str().unwrap(), "--trail", "claim.trail"]);
    assert!(code == 3 && message.contains("not written in Promela"), "{message}");
}

/// A report without what depends on the machine and on the day.
fn without_measures(text: &str) -> String {
    let measured = ["elapsed time", "pan: rate", "memory usage", "memory used"];
    let kept = text.lines().filter(|line| !measured.iter().any(|part| line.contains(part)));
    kept.map(|line| format!("{line}\n")).collect()
}

#[test]
fn reports_have_the_layout_of_spins_verifier() {
    let directory = copied();
    let here = directory.path();
    for (name, arguments, code) in [
        ("assertion", &["-run", "-noreduce", "assertion.pml"][..], 1),
        ("deadlock", &["-search", "-safety", "-noreduce", "deadlock.pml"], 1),
        ("claim", &["-run", "-a", "-noreduce", "claim.pml"], 1),
        ("idle", &["-run", "-l", "-noreduce", "idle.pml"], 1),
        ("formula", &["-run", "-a", "-ltl", "full_for_ever", "-noreduce", "formula.pml"], 1),
        ("formula-low", &["-run", "-a", "-N", "low", "-noreduce", "formula.pml"], 1),
        ("formula-noclaim", &["-run", "-noclaim", "-noreduce", "formula.pml"], 0),
        ("all-errors", &["-run", "-c0", "-e", "-noreduce", "assertion.pml"], 1),
        ("no-errors", &["-run", "-A", "-E", "-noreduce", "assertion.pml"], 0),
        ("no-unreached", &["-run", "-n", "-noclaim", "-noreduce", "formula.pml"], 0),
        ("breadth", &["-run", "-bfs", "-noreduce", "deadlock.pml"], 1),
        ("depth", &["-run", "-m3", "-noreduce", "-noclaim", "formula.pml"], 2),
        ("fair", &["-run", "-a", "-f", "-ltl", "full_for_ever", "-noreduce", "formula.pml"], 1),
        ("bitstate", &["-run", "-bitstate", "-k4", "-noreduce", "deadlock.pml"], 1),
        ("given", &["-f", "<> (level == 2)", "-run", "-a", "-noreduce", "formula.pml"], 1),
    ] {
        let (text, exit) = printed(here, &[&["spin"], arguments].concat());
        judge(&format!("{name}.report"), &without_measures(&text));
        assert_eq!(exit, code, "{name}");
    }
    for trail in ["assertion.pml.trail", "deadlock.pml.trail", "formula.pml.trail", "assertion.pml1.trail"] {
        assert!(here.join(trail).exists(), "{trail}");
    }
    // What was written is followed, under the name that Spin looks for.
    let (text, code) = printed(here, &["spin", "-t", "-p", "deadlock.pml"]);
    assert!(text.contains("spin: trail ends after 11 steps"), "{text}");
    assert_eq!(code, 1);
    // Or without the model's ending.
    let (text, code) = printed(here, &["spin", "-t", "idle.pml"]);
    assert_eq!((code, text.contains("trail ends after")), (0, true), "{text}");
    // `-x` keeps a trail.
    fs::write(here.join("deadlock.pml.trail"), "kept").unwrap();
    printed(here, &["spin", "-run", "-x", "deadlock.pml"]);
    assert_eq!(fs::read_to_string(here.join("deadlock.pml.trail")).unwrap(), "kept");
}

#[test]
fn exit_codes() {
    let directory = copied();
    let here = directory.path();
    for (arguments, ours, spins) in [
        (&["-run", "deadlock.pml"][..], 1, 0),
        (&["-run", "-noclaim", "formula.pml"], 0, 0),
        (&["-run", "-m3", "-noclaim", "formula.pml"], 2, 0),
        (&["-run", "-A", "-E", "-noreduce", "assertion.pml"], 0, 0),
        (&["-run", "-A", "-E", "-noreduce", "-bitstate", "assertion.pml"], 2, 0),
        (&["-run", "not-there.pml"], 3, 1),
        (&["-run", "-y", "formula.pml"], 3, 1),
        (&["-run", "-ltl", "none", "formula.pml"], 3, 1),
        (&["-t", "-k", "not-there", "formula.pml"], 3, 1),
        (&["-f", "[] (p"], 3, 1),
        (&["-f", "[] p"], 0, 0),
        (&["-a", "formula.pml"], 0, 0),
        (&["-V"], 0, 0),
    ] {
        let code = |words: &[&str]| printed(here, words).1;
        assert_eq!(code(&[&["spin"], arguments].concat()), ours, "{arguments:?}");
        let with = [&["spin", "--spin-exit-codes"], arguments].concat();
        assert_eq!(code(&with), spins, "{arguments:?} with Spin's exit codes");
    }
}

#[test]
fn what_is_ignored_is_said_once() {
    let directory = copied();
    let arguments = ["spin", "-o3", "-run", "-w28", "-w28", "-O2", "-noclaim", "formula.pml"];
    let (message, code) = complained(directory.path(), &arguments);
    assert_eq!(code, 0);
    assert_eq!(message.matches("`-w28` is ignored").count(), 1, "{message}");
    assert_eq!(message.matches("is ignored").count(), 3, "{message}");
}
