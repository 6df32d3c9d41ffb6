//! The engines give the same reports: verdicts, counts, orders and counterexamples, byte for byte. Only
//! times, memory and the engine's own name may differ.

use crate::common::{lariat, model_file, models, project, verdict};
use serde_json::Value;
use std::path::Path;

const ENGINES: [&str; 3] = ["interpreted", "compiled", "auto"];

/// The reports of a command, without what may differ.
fn reports(directory: &Path, arguments: &[&str], engine: &str) -> (Option<i32>, Vec<Value>) {
    let arguments = [arguments, &["--engine", engine, "--format", "json"]].concat();
    let output = lariat(directory, &arguments);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let reports = text.lines().map(|line| {
        let mut report: Value = serde_json::from_str(line).expect("a line is an object");
        for field in ["seconds", "memory", "engine"] {
            report.as_object_mut().expect("an object").remove(field);
        }
        report
    });
    (output.status.code(), reports.collect())
}

fn compare(directory: &Path, name: &str, arguments: &[&str]) -> Result<(), String> {
    let file = model_file(directory, name);
    let arguments = [&[arguments[0], file.as_str()], &arguments[1..]].concat();
    let expected = reports(directory, &arguments, ENGINES[0]);
    for engine in &ENGINES[1..] {
        let found = reports(directory, &arguments, engine);
        if found != expected {
            return Err(format!("{name}: `{}` differs with --engine {engine}", arguments.join(" ")));
        }
    }
    Ok(())
}

fn compare_all(folder: &str, commands: &[&[&str]]) {
    let directory = project(folder);
    let mut complaints = Vec::new();
    for name in models(&directory) {
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
