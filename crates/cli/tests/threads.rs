//! What is printed does not depend on how many threads have searched: reports byte for byte, but for times
//! and memory; limits, signals and checkpoints while several threads run; and the model of how they work
//! together.

use crate::common::{expectations, lariat, model_file, models, project, verdict};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

const LARIAT: &str = env!("CARGO_BIN_EXE_lariat");

/// Four counters: a hundred million states.
const COUNTERS: &str = "byte a, b, c, d;
active proctype P() { do :: a = (a + 1) % 100 :: b = (b + 1) % 100 :: c = (c + 1) % 100 :: d = (d + 1) % 100 od }
";

/// The reports of a command, without what may differ.
fn reports(directory: &Path, arguments: &[&str], more: &[&str]) -> (Option<i32>, Vec<Value>) {
    let format: &[&str] = if arguments[0] == "resume" { &[] } else { &["--format", "json"] };
    let output = lariat(directory, &[arguments, more, format].concat());
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let reports = text.lines().map(|line| {
        let mut report: Value = serde_json::from_str(line).expect("a line is an object");
        let fields = report.as_object_mut().expect("an object");
        // Threads begin here before anybody knows that it pays to compile the model.
        for field in ["seconds", "memory", "engine", "threads"] {
            fields.remove(field);
        }
        if let Some(stacks) = fields.get_mut("stacks").and_then(Value::as_object_mut) {
            stacks.remove("bytes");
        }
        report
    });
    (output.status.code(), reports.collect())
}

/// Whether the clock has ended one of them.
fn is_out_of_time(reports: &[Value]) -> bool {
    let reason = |report: &Value| report["reason"].as_str().is_some_and(|why| why.contains("time limit"));
    reports.iter().any(reason)
}

fn compare(directory: &Path, name: &str, command: &[&str], threads: &[&str]) -> Option<String> {
    let file = model_file(directory, name);
    let command = [&[command[0], file.as_str()], &command[1..]].concat();
    let after = ["--threads-after", "30"];
    let expected = reports(directory, &command, &[&["--threads", "1"], &after[..]].concat());
    // Where a limit was hit, it depends on the moment what was counted.
    if expected.0 == Some(2) || is_out_of_time(&expected.1) {
        return None;
    }
    threads.iter().find_map(|threads| {
        let found = reports(directory, &command, &[&["--threads", threads], &after[..]].concat());
        (found != expected && !is_out_of_time(&found.1))
            .then(|| format!("{name}: `{}` differs with {threads} threads", command.join(" ")))
    })
}

/// Where one thread searches although several were asked for, that is said.
#[test]
fn one_thread_alone_is_said() {
    let directory = project("models");
    let told = |arguments: &[&str]| {
        let output = lariat(&directory, &[arguments, &["--threads", "2"]].concat());
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let because = told(&["explore", "peterson.pml", "--max-states", "10"]);
    assert_eq!(because, "note: one thread searches, because of `--max-states`\n");
    assert_eq!(told(&["check", "peterson.pml", "--safety", "--shortest", "--max-states", "10"]), "");
    assert_eq!(told(&["check", "peterson.pml", "--safety", "--keep-going"]), "");
    assert!(told(&["check", "peterson.pml", "--safety", "--in-order"]).contains("`--in-order`"));
    assert!(told(&["check", "peterson.pml", "--safety", "--store", "compact"]).contains("`--store`"));
    assert_eq!(told(&["check", "peterson.pml", "--safety", "--store", "tree"]), "");
    let shortest = ["check", "peterson.pml", "--safety", "--shortest", "--store", "tree"];
    assert!(told(&shortest).contains("`--store`"));
    assert!(told(&["check", "peterson.pml", "--algorithm", "se"]).contains("`--algorithm csd`"));
    assert_eq!(told(&["check", "peterson.pml"]), "");
    assert_eq!(told(&["check", "peterson.pml", "--algorithm", "ufscc"]), "");
    let formula = ["check", "peterson.pml", "--property", "exclusion", "--algorithm", "ufscc"];
    assert_eq!(told(&[&formula[..], &["--max-states", "1000000"]].concat()), "");
    assert_eq!(told(&["check", "peterson.pml", "--safety"]), "");
    // Nobody has asked.
    let output = lariat(&directory, &["explore", "peterson.pml", "--max-states", "10"]);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn reports_on_our_models() {
    let directory = project("models");
    let mut complaints = Vec::new();
    let mut compared = 0;
    for name in models(&directory) {
        let expected = expectations(&directory.join(format!("{name}.expect.toml")));
        if expected.get("states").and_then(toml::Value::as_integer).is_none_or(|states| states > 30_000) {
            continue;
        }
        compared += 1;
        let commands: [&[&str]; 11] = [
            &["check", "--safety"],
            &["check", "--safety", "--store", "tree"],
            &["check", "--safety", "--keep-going", "--no-reduce", "--store", "tree"],
            &["explore", "--store", "auto"],
            &["check", "--safety", "--no-reduce"],
            &["check", "--safety", "--keep-going"],
            &["check", "--safety", "--keep-going", "--no-reduce"],
            &["check", "--safety", "--shortest"],
            &["check", "--safety", "--shortest", "--keep-going", "--max-depth", "40"],
            &["explore"],
            &["explore", "--engine", "interpreted", "--reduce"],
        ];
        complaints
            .extend(commands.iter().filter_map(|command| compare(&directory, &name, command, &["2", "8"])));
    }
    assert!(compared > 8, "{compared}");
    verdict(complaints);
}

#[test]
fn reports_on_the_regressions() {
    let directory = project("tests/regressions");
    let names = models(&directory);
    // Of these, the time limit may cut even what is shown.
    let is_long = |name: &str| name.contains("long-specification") || name.contains("long-d-step");
    let names = names.iter().filter(|name| !is_long(name));
    let complaints = names.flat_map(|name| {
        let commands: [&[&str]; 4] = [
            &["check", "--safety", "--timeout", "2"],
            &["check", "--safety", "--keep-going", "--timeout", "2"],
            &["check", "--safety", "--shortest", "--timeout", "2"],
            &["explore", "--timeout", "2"],
        ];
        commands.map(|command| compare(&directory, name, command, &["3"]))
    });
    verdict(complaints.flatten().collect());
}

/// Whatever the threads have met first: again and again the same is printed.
#[test]
fn the_same_again_and_again() {
    let runs = std::env::var("LARIAT_TEST_RUNS").ok().and_then(|text| text.parse().ok()).unwrap_or(8);
    let directory = project("models");
    let cases: [&[&str]; 6] = [
        &["check", "--safety", "--no-reduce", "philosophers_deadlock.pml"],
        &["check", "--safety", "--no-reduce", "--keep-going", "treiber_stack_aba.pml"],
        &["check", "--safety", "--shortest", "treiber_stack_aba.pml"],
        &["check", "--safety", "--shortest", "raft_election.pml"],
        &["check", "--safety", "--no-reduce", "alternating_bit.pml"],
        &["explore", "readers_writers.pml"],
    ];
    for case in cases {
        let expected = reports(&directory, case, &["--threads", "1", "--threads-after", "100"]);
        for run in 0..runs {
            let threads = ["2", "3", "4", "8"][run % 4];
            let found = reports(&directory, case, &["--threads", threads, "--threads-after", "100"]);
            assert_eq!(found, expected, "{case:?}, {threads} threads");
        }
    }
}

/// Runs a command on a model of a hundred million states.
fn on_counters(command: &[&str], options: &[&str], signal: bool) -> (Option<i32>, String, Duration) {
    let directory = TempDir::new().expect("a directory");
    fs::write(directory.path().join("counters.pml"), COUNTERS).expect("a model");
    let start = Instant::now();
    let child = Command::new(LARIAT)
        .current_dir(directory.path())
        .args(command)
        .args(["counters.pml", "--threads", "4", "--threads-after", "1000"])
        .args(options)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("it runs");
    if signal {
        std::thread::sleep(Duration::from_millis(1500));
        let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
        assert!(kill.is_ok_and(|status| status.success()));
    }
    let output = child.wait_with_output().expect("it ends");
    (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned(), start.elapsed())
}

#[test]
fn limits_and_signals() {
    let patience = Duration::from_secs(60);
    let commands: [&[&str]; 4] = [
        &["explore"],
        &["explore", "--store", "tree"],
        &["check", "--safety", "--keep-going", "--no-reduce"],
        &["check", "--safety", "--shortest"],
    ];
    for command in commands {
        let limits: [(&[&str], bool, &str); 3] = [
            (&["--timeout", "1s"], false, "time"),
            (&["--max-memory", "40M"], false, "memory"),
            (&[], true, "interrupt"),
        ];
        for (options, signal, word) in limits {
            let (code, text, took) = on_counters(command, options, signal);
            let is_right = code == Some(2) && text.contains(word) && took < patience;
            assert!(is_right, "{command:?} {options:?}: {code:?} {text} {took:?}");
        }
    }
}

/// A search level by level stops at the same state for any number of threads.
#[test]
fn a_limit_on_states_level_by_level() {
    let directory = TempDir::new().expect("a directory");
    fs::write(directory.path().join("counters.pml"), COUNTERS).expect("a model");
    let command = ["check", "counters.pml", "--safety", "--shortest", "--max-states", "30000"];
    let found = ["1", "2", "5"].map(|threads| {
        reports(directory.path(), &command, &["--threads", threads, "--threads-after", "1000"])
    });
    assert_eq!(found[0].0, Some(2));
    assert!(found[1] == found[0] && found[2] == found[0], "{found:?}");
}

/// Searches that several threads leave in the middle, and others go on with; any number can go on with what
/// any number has written.
#[test]
fn checkpoints() {
    let model = project("models").join("raft_election.pml");
    let model = model.to_str().expect("a name");
    let commands: [&[&str]; 4] = [
        &["explore", model],
        &["explore", model, "--store", "tree"],
        &["check", model, "--safety", "--shortest"],
        &["check", model, "--safety", "--keep-going", "--no-reduce"],
    ];
    for command in commands {
        // So many states that nobody is done in time.
        let command = [command, &["-D", "TERMS=3"]].concat();
        let directory = TempDir::new().expect("a directory");
        let run = |arguments: &[&str]| reports(directory.path(), arguments, &[]);
        let after = ["--threads-after", "500"];
        let whole = run(&[&command[..], &["--threads", "1"], &after].concat());
        let first = ["--threads", "3", "--timeout", "0.1s", "--checkpoint", "it"];
        let (mut found, mut pieces) = (run(&[&command[..], &first, &after].concat()), 1);
        for (threads, timeout) in [("2", "0.5s"), ("1", "0.5s"), ("8", "0.5s"), ("3", "10m")] {
            if found.0 == Some(2) {
                found = run(&["resume", "it", "--timeout", timeout, "--threads", threads]);
                pieces += 1;
            }
        }
        assert_eq!(found, whole, "{command:?}, {pieces} pieces");
        assert!(pieces > 1, "{command:?} was not left");
    }
}

/// Nobody ends while there is work, and all end; and the model would show it if it were otherwise.
#[test]
fn how_threads_work_together() {
    let directory = project("models");
    let check =
        |options: &[&str]| lariat(&directory, &[&["check", "gang.pml"], options].concat()).status.code();
    assert_eq!(check(&[]), Some(0));
    for fault in ["EARLY", "FORGETFUL", "LATE", "STUBBORN"] {
        assert_eq!(check(&["-D", fault, "--safety"]), Some(1), "{fault}");
        assert_eq!(check(&["-D", fault]), Some(1), "{fault}");
    }
}
