//! `--reduce` on our models and on the regressions: the same verdicts, the same counts by both engines. And
//! `lariat info --dependencies`: what gets in the way of it.

use crate::common::{lariat, model_file, models, project, report, verdict};
use serde_json::Value;

#[test]
fn both_engines_follow_the_same_processes() {
    let directory = project("models");
    let mut complaints = Vec::new();
    for name in models(&directory) {
        let file = model_file(&directory, &name);
        let explore = |engine: &str| {
            let limits = ["--reduce", "--max-states", "15000", "--engine", engine];
            let (_, report) = report(&directory, &[&["explore", &file], &limits[..]].concat());
            ["verdict", "states", "transitions", "reduced", "deadlocks"].map(|field| report[field].clone())
        };
        let (one, other) = (explore("interpreted"), explore("compiled"));
        if one != other {
            complaints.push(format!("{name}: {one:?} interpreted, {other:?} compiled"));
        }
    }
    verdict(complaints);
}

/// What each report says, one for each property.
fn verdicts(directory: &std::path::Path, arguments: &[&str]) -> Vec<(String, String)> {
    let output = lariat(directory, &[arguments, &["--format", "json"]].concat());
    let text = String::from_utf8(output.stdout).expect("text");
    let reports = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let word = |value: &Value| value.as_str().unwrap_or_default().to_string();
    reports.map(|report| (word(&report["property"]["name"]), word(&report["verdict"]))).collect()
}

#[test]
fn verdicts_stay() {
    let mut complaints = Vec::new();
    for folder in ["models", "tests/regressions"] {
        let directory = project(folder);
        for name in models(&directory).into_iter().filter(|name| !name.contains("long-")) {
            let file = model_file(&directory, &name);
            let limits = ["--max-states", "15000", "--engine", "interpreted"];
            let check =
                |choice: &str| verdicts(&directory, &[&["check", &file, choice], &limits[..]].concat());
            let (full, reduced) = (check("--no-reduce"), check("--reduce"));
            // A limit may be reached by one of the two.
            let differs = |(one, other): (&(String, String), &(String, String))| {
                one != other && one.1 != "unknown" && other.1 != "unknown"
            };
            if full.len() != reduced.len() || full.iter().zip(&reduced).any(differs) {
                complaints.push(format!("{name}: {full:?}, reduced {reduced:?}"));
            }
        }
    }
    verdict(complaints);
}

const MODEL: &str = "164-reduction-and-formulas.pml";

fn shown(arguments: &[&str]) -> String {
    let directory = project("tests/regressions");
    let output = lariat(&directory, &[&["info", "--dependencies", MODEL], arguments].concat());
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn what_gets_in_the_way_is_shown() {
    let text = shown(&["--ltl", "G (x == 0)"]);
    assert!(text.starts_with("Busy\n"), "{text}");
    // Only the step that the formula is about can be seen, and only the loop is sticky.
    let marked: Vec<&str> = text.lines().filter(|line| line.contains("  visible")).collect();
    assert_eq!(marked.len(), 1, "{text}");
    assert!(marked[0].contains("x = mine"), "{text}");
    assert_eq!(text.matches("  sticky").count(), 1, "{text}");
    assert!(text.contains("most conflicts are over the list of processes"), "{text}");
    assert!(!shown(&[]).contains("  visible"));
}

#[test]
fn as_json_and_as_a_graph() {
    let report: Value = serde_json::from_str(&shown(&["--format", "json"])).expect("JSON");
    let points = report["points"].as_array().expect("points");
    let writer = points.iter().find(|point| point["statements"][0] == "x = mine").expect("the point");
    assert_eq!(writer["writes"], serde_json::json!(["x"]));
    assert_eq!(writer["visible"], false);
    assert_eq!(report["offenders"][0]["what"], "the list of processes");
    assert_eq!(writer["conflicts"], serde_json::json!([]));
    let graph = shown(&["--dot"]);
    assert!(graph.starts_with("graph dependencies {") && graph.ends_with("}\n"), "{graph}");
    assert!(graph.contains(" -- "), "{graph}");
}
