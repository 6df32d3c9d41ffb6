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
    assert!(text.contains("most conflicts are over which process is the youngest"), "{text}");
    assert!(!shown(&[]).contains("  visible"));
}

#[test]
fn as_json_and_as_a_graph() {
    let report: Value = serde_json::from_str(&shown(&["--format", "json"])).expect("JSON");
    let points = report["points"].as_array().expect("points");
    let writer = points.iter().find(|point| point["statements"][0] == "x = mine").expect("the point");
    assert_eq!(writer["writes"], serde_json::json!(["x"]));
    assert_eq!(writer["visible"], false);
    assert_eq!(report["offenders"][0]["what"], "which process is the youngest");
    assert_eq!(writer["conflicts"], serde_json::json!([]));
    let graph = shown(&["--dot"]);
    assert!(graph.starts_with("graph dependencies {") && graph.ends_with("}\n"), "{graph}");
    assert!(graph.contains(" -- "), "{graph}");
}

/// What `scc` prints as JSON.
fn scc(model: &str, options: &[&str]) -> Value {
    let directory = project("models");
    let output = lariat(&directory, &[&["scc", model, "--format", "json"], options].concat());
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

#[test]
fn components_are_those_of_the_reduced_model() {
    let model = "alternating_bit.pml";
    let (full, reduced) = (scc(model, &[]), scc(model, &["--reduce"]));
    assert_eq!((&full["reduction"], &full["reduced"]), (&Value::from("none"), &Value::Null));
    assert_eq!(scc(model, &["--reduce", "--no-reduce"])["states"], full["states"]);
    assert_eq!(reduced["reduction"], "stubborn-sets");
    assert!(reduced["reduced"]["states"].as_u64() > Some(0), "{reduced}");
    // The same model that `explore` sees.
    let directory = project("models");
    for (options, components) in [(["--no-reduce"], &full), (["--reduce"], &reduced)] {
        let (_, explored) = report(&directory, &[&["explore", model], &options[..]].concat());
        assert_eq!(explored["states"]["stored"], components["states"]["stored"], "{options:?}");
    }
    assert!(reduced["states"]["stored"].as_u64() < full["states"]["stored"].as_u64());
}

#[test]
fn components_of_fair_runs_are_not_reduced() {
    let fair = ["--fair", "weak", "--reduce"];
    let (full, reduced) = (scc("alternating_bit.pml", &fair[..2]), scc("alternating_bit.pml", &fair));
    assert_eq!(reduced["reduced"]["reason"], "fairness looks at every process");
    assert_eq!((&full["components"], &full["states"]), (&reduced["components"], &reduced["states"]));
    let output = lariat(&project("models"), &[&["scc", "alternating_bit.pml"], &fair[..]].concat());
    let text = String::from_utf8(output.stdout).expect("text");
    assert!(text.ends_with("not reduced, because fairness looks at every process\n"), "{text}");
}

#[test]
fn products_are_reduced_where_the_formula_admits_it() {
    let formula = |formula: &'static str, choice: &'static str| {
        scc("alternating_bit.pml", &["--ltl", formula, choice, "--finite-runs", "stutter"])
    };
    let (full, reduced) = (formula("G true", "--no-reduce"), formula("G true", "--reduce"));
    assert_eq!(reduced["accepting_cycle"], full["accepting_cycle"]);
    let refused = formula("X X !timeout", "--reduce");
    assert_eq!(refused["reduction"], "none");
    assert!(refused["reduced"]["reason"].is_string(), "{refused}");
    assert_eq!(refused["states"], formula("X X !timeout", "--no-reduce")["states"]);
}

#[test]
fn a_comparison_of_reduced_models_says_so() {
    let place = tempfile::tempdir().expect("a directory");
    let models = project("models").canonicalize().expect("it is there");
    let suite = format!(
        "title = 'reduced'\n[limits]\nseconds = 60\nmemory = '1G'\n[[runs]]\nalgorithms = ['ascc', 'gv']\n\
         [[runs]]\nalgorithms = ['ascc']\nfairness = ['weak']\n\
         [[models]]\nfile = '{}/election_chang_roberts.pml'\ndefines = ['N=3']\nproperties = ['one_leader', 'elected']\n",
        models.display()
    );
    std::fs::write(place.path().join("r.toml"), suite).expect("written");
    let compare = |options: &[&str]| {
        let output = lariat(place.path(), &[&["compare", "r.toml"], options].concat());
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let file = std::fs::read_to_string(place.path().join("compare-r/results.json")).expect("results");
        let results: Value = serde_json::from_str(&file).expect("JSON");
        (String::from_utf8(output.stdout).expect("text"), results)
    };
    let (printed, full) = compare(&[]);
    assert!(!printed.contains("reduced"), "{printed}");
    let (printed, reduced) = compare(&["--reduce", "--resume"]);
    // What a finite run decides, fairness does not change: one of the two formulas is reduced with it, too.
    let line = "reduced models in 5 of 6 runs; in others not, because fairness looks at every process\n";
    assert!(printed.contains(line), "{printed}");
    let configuration = |results: &Value| {
        ["name", "reduction", "options"].map(|field| results["configurations"][0][field].clone())
    };
    let options = "--algorithm ascc --degeneralise --engine compiled";
    assert_eq!(configuration(&full), ["ascc", "none", &format!("{options} --no-reduce")]);
    assert_eq!(configuration(&reduced), ["ascc reduced", "stubborn-sets", &format!("{options} --reduce")]);
    let table = std::fs::read_to_string(place.path().join("compare-r/runs.csv")).expect("a table");
    assert_eq!(table.matches(",stubborn-sets,").count(), 5, "{table}");
    for case in 0..2 {
        let states = |results: &Value| results["cases"][case]["effects"]["states"].as_u64();
        assert!(states(&reduced) < states(&full), "the structure is that of the reduced product");
        let stored = |results: &Value| results["runs"][3 * case]["stored"].as_u64();
        assert!(stored(&reduced) < stored(&full), "case {case}");
    }
    // What was known is found again.
    let journal =
        || std::fs::read_to_string(place.path().join("compare-r/journal.jsonl")).expect("a journal");
    let before = journal();
    assert_eq!(compare(&["--resume"]).1["runs"], full["runs"]);
    assert_eq!(journal(), before);
}
