//! Simplified models: our own and all regressions get the same verdicts, from both engines, and have not more
//! states. Of some models the numbers are recorded here.

use crate::common::{lariat, models, project, report, verdict};
use serde_json::Value;
use std::path::Path;

const CHOICES: [&[&str]; 3] =
    [&["--reset-dead-variables"], &["--merge-statements"], &["--reset-dead-variables", "--merge-statements"]];

/// Larger models are explored up to here, and then not compared.
const MOST_STATES: &str = "150000";

/// States of some of our models: without simplifications, with dead variables reset, with statements merged,
/// with both.
const STATES: [(&str, [u64; 4]); 8] = [
    ("alternating_bit", [11656, 11471, 1066, 1031]),
    ("bounded_retransmission", [2102, 958, 1083, 486]),
    ("election_chang_roberts", [13526, 8811, 9260, 8107]),
    ("file_sessions", [14386, 3126, 12349, 2421]),
    ("job_scheduler", [31600, 1057, 11074, 1057]),
    ("lamport_fast_mutex", [140636, 34952, 67304, 13256]),
    ("peterson", [56, 56, 56, 56]),
    ("token_ring_dynamic", [74413, 5617, 69930, 5182]),
];

#[test]
fn states_of_our_models() {
    let directory = project("models");
    let mut complaints = Vec::new();
    for (name, expected) in STATES {
        let model = format!("{name}.pml");
        let plain: &[&str] = &[];
        for (choice, expected) in std::iter::once(plain).chain(CHOICES).zip(expected) {
            let (_, explored) = report(&directory, &[&["explore", &model], choice].concat());
            if explored["states"]["stored"] != expected {
                let found = &explored["states"]["stored"];
                complaints.push(format!("{name} {choice:?}: {found} states, not {expected}"));
            }
        }
    }
    verdict(complaints);
}

/// The reports of a command: of each property, in order.
fn reports(directory: &Path, arguments: &[&str]) -> Vec<Value> {
    let output = lariat(directory, &[arguments, &["--format", "json"]].concat());
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().map(|line| serde_json::from_str(line).expect("a line is an object")).collect()
}

fn compare_all(folder: &str) {
    let directory = project(folder);
    let limit = ["--max-states", MOST_STATES];
    let mut complaints = Vec::new();
    let mut compared = 0;
    for name in models(&directory) {
        let model = format!("{name}.pml");
        let (_, plain) = report(&directory, &[&["explore", &model], &limit[..]].concat());
        if plain["verdict"] != "holds" {
            continue;
        }
        let verdicts = |choice: &[&str]| -> Vec<Value> {
            let reports = reports(&directory, &[&["check", &model], choice].concat());
            reports.into_iter().map(|mut report| report["verdict"].take()).collect()
        };
        let expected = verdicts(&[]);
        compared += expected.len();
        for choice in CHOICES {
            let (_, mut explored) = report(&directory, &[&["explore", &model], choice].concat());
            if explored["states"]["stored"].as_u64() > plain["states"]["stored"].as_u64() {
                complaints.push(format!("{name} {choice:?}: more states"));
            }
            for field in ["unreached", "runtime_errors", "assertion_violations", "deadlocks"] {
                let is_there =
                    |report: &Value| report[field].as_u64().map_or(report[field].clone(), |n| (n > 0).into());
                if is_there(&explored) != is_there(&plain) {
                    complaints.push(format!("{name} {choice:?}: {field} differs"));
                }
            }
            let engine = ["--engine", "compiled"];
            let (_, mut compiled) = report(&directory, &[&["explore", &model], choice, &engine[..]].concat());
            for field in ["seconds", "memory", "engine", "threads"] {
                (explored[field], compiled[field]) = (Value::Null, Value::Null);
            }
            // Room that lists have is memory.
            for report in [&mut explored, &mut compiled] {
                report["stacks"]["bytes"] = Value::Null;
            }
            if explored != compiled {
                complaints.push(format!("{name} {choice:?}: the engines disagree"));
            }
            let found = verdicts(choice);
            if found != expected {
                complaints.push(format!("{name} {choice:?}: {found:?} instead of {expected:?}"));
            }
        }
    }
    verdict(complaints);
    assert!(compared >= 30, "only {compared} verdicts were compared");
}

#[test]
fn our_models_keep_their_verdicts() {
    compare_all("models");
}

#[test]
fn the_regressions_keep_their_verdicts() {
    compare_all("tests/regressions");
}

/// A run that was found in a simplified model is one of the model as it was written.
#[test]
fn a_counterexample_can_be_followed_without_simplifications() {
    let directory = project("models");
    let found = lariat(
        &directory,
        &["check", "--safety", "treiber_stack_aba.pml", CHOICES[2][0], CHOICES[2][1], "--format", "json"],
    );
    let trail = Path::new(env!("CARGO_TARGET_TMPDIR")).join("simplified-run.json");
    std::fs::write(&trail, &found.stdout).expect("a file");
    let trail = trail.to_str().expect("a path");
    let output = lariat(&directory, &["simulate", "treiber_stack_aba.pml", "--trail", trail]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("assertion failed"), "{text}");
}

#[test]
fn what_was_done_is_said() {
    let directory = project("models");
    let said = |arguments: &[&str]| {
        let output = lariat(&directory, arguments);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.lines().find_map(|line| line.strip_prefix("simplified:")).map(|line| line.trim().to_string())
    };
    let model = "file_sessions.pml";
    assert_eq!(said(&["explore", model]), None);
    assert_eq!(
        said(&["explore", model, "--reset-dead-variables"]).as_deref(),
        Some("dead variables reset at 3 locations")
    );
    assert_eq!(
        said(&["check", "--safety", model, "--merge-statements"]).as_deref(),
        Some("4 statements merged with the next")
    );
    assert_eq!(
        said(&["check", "--ltl", "X (turn < 2)", "peterson.pml", CHOICES[2][0], CHOICES[2][1]]).as_deref(),
        Some("dead variables reset at 0 locations; no statements merged, because the formula has `X`")
    );
    let (_, report) = report(&directory, &["explore", model, "--reset-dead-variables"]);
    assert_eq!(
        report["simplified"],
        serde_json::json!({ "reset_dead_variables": 3, "merge_statements": null, "not_merged": null })
    );
    let form = lariat(&directory, &["info", "--ir", model, "--reset-dead-variables"]);
    assert!(String::from_utf8_lossy(&form.stdout).contains(" dead "), "the simplified form is shown");
}
