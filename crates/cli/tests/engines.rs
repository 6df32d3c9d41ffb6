//! The engines give the same reports: verdicts, counts, orders and counterexamples, byte for byte. Only
//! times, memory and the engine's own name may differ.

use crate::common::{lariat, model_file, models, project, verdict};
use serde_json::Value;
use std::path::Path;

/// Ways to run: engines, and machine code without what makes it quicker.
const WAYS: [&[&str]; 5] = [
    &["--engine", "interpreted"],
    &["--engine", "compiled"],
    &["--engine", "auto"],
    &["--engine", "compiled", "--no-recall"],
    &["--engine", "compiled", "--in-order"],
];

/// The reports of a command, without what may differ.
fn reports(directory: &Path, arguments: &[&str], way: &[&str]) -> (Option<i32>, Vec<Value>) {
    let arguments = [arguments, way, &["--format", "json"]].concat();
    let output = lariat(directory, &arguments);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let reports = text.lines().map(|line| {
        let mut report: Value = serde_json::from_str(line).expect("a line is an object");
        for field in ["seconds", "memory", "engine", "threads"] {
            report.as_object_mut().expect("an object").remove(field);
        }
        // Room that lists have is memory.
        report.get_mut("stacks").and_then(Value::as_object_mut).map(|stacks| stacks.remove("bytes"));
        report
    });
    (output.status.code(), reports.collect())
}

fn compare(directory: &Path, name: &str, arguments: &[&str]) -> Result<(), String> {
    let file = model_file(directory, name);
    let arguments = [&[arguments[0], file.as_str()], &arguments[1..]].concat();
    let expected = reports(directory, &arguments, WAYS[0]);
    for way in &WAYS[1..] {
        let found = reports(directory, &arguments, way);
        if found != expected {
            return Err(format!("{name}: `{}` differs with {}", arguments.join(" "), way.join(" ")));
        }
    }
    Ok(())
}

fn compare_all(folder: &str, commands: &[&[&str]]) {
    let directory = project(folder);
    let mut complaints = Vec::new();
    // What takes long there is the formula, which no engine sees.
    for name in models(&directory).into_iter().filter(|name| !name.contains("long-specification")) {
        complaints.extend(commands.iter().filter_map(|command| compare(&directory, &name, command).err()));
    }
    verdict(complaints);
}

#[test]
fn reports_on_our_models() {
    let limit = ["--max-states", "30000"];
    compare_all("models", &[&[&["check"], &limit[..]].concat(), &[&["explore"], &limit[..]].concat()]);
}

#[test]
fn reports_on_the_regressions() {
    compare_all(
        "tests/regressions",
        &[
            &["check", "--max-states", "20000"],
            &["check", "--safety", "--keep-going", "--shortest", "--max-states", "20000"],
            &["explore", "--max-states", "20000"],
        ],
    );
}

/// A search so large that it gives up its order, unless it is told to keep it: the counts are the same.
#[test]
fn reports_on_models_that_are_searched_out_of_order() {
    let directory = project("models");
    for name in ["treiber_stack_aba.pml", "two_phase_commit.pml", "election_dolev_klawe_rodeh.pml"] {
        let explore = |way: &[&str]| {
            let (code, mut reports) = reports(&directory, &["explore", name], way);
            let mut report = reports.pop().expect("a report");
            let given_up = report.get("order_given_up").is_some();
            assert_eq!(given_up, !way.contains(&"--in-order"), "{name} {way:?}");
            for field in ["depth", "order_given_up", "stacks"] {
                report.as_object_mut().expect("an object").remove(field);
            }
            (code, report)
        };
        let expected = explore(&["--engine", "interpreted", "--in-order"]);
        for way in [&[][..], &["--in-order"], &["--no-recall"], &["--no-recall", "--in-order"]] {
            assert_eq!(explore(way), expected, "{name} {way:?}");
        }
    }
}
