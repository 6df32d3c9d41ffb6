//! `lariat compare`, from a suite to its files: the runs are real, and what is written beside a run gives it again.

mod common;

use common::{lariat, project};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// Weak, strong and terminal automata, several sets, a formula that holds and some that do not, finite runs.
fn suite(models: &Path) -> String {
    let models = models.display();
    format!(
        r#"
title = "locks"
[limits]
seconds = 60
memory = "1G"
[qualify]
algorithm = "ascc"
seconds = 30
[[runs]]
algorithms = "all"
[[runs]]
algorithms = ["ascc", "c99", "tau", "cvwy-gen", "tarjan", "lasso"]
automata = ["generalised"]
[[runs]]
algorithms = ["ascc", "gv", "and", "se", "hpy", "c99"]
products = ["precomputed"]
[[runs]]
algorithms = ["hpy"]
engines = ["interpreted", "auto"]
[[models]]
file = "{models}/peterson.pml"
properties = ["exclusion", "overtaken_once", "no_starvation"]
[[models.formulas]]
name = "both again and again"
ltl = "G F Process[0]@critical & G F Process[1]@critical"
expect = "violated"
[[models.formulas]]
name = "fair"
ltl = "G F Process[1]@critical -> G (Process[0]@waiting -> F Process[0]@critical)"
expect = "violated"
[[models]]
file = "{models}/dekker.dve"
finite-runs = "stutter"
[[models.formulas]]
ltl = 'G F "Left.critical"'
"#
    )
}

struct Place(tempfile::TempDir);

impl Place {
    fn new(suite: &str) -> Place {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("locks.toml"), suite).unwrap();
        Place(directory)
    }

    fn compare(&self, arguments: &[&str]) -> (i32, String, String) {
        let output = lariat(self.0.path(), &[&["compare"], arguments].concat());
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code().unwrap_or(-1), text(output.stdout), text(output.stderr))
    }

    fn read(&self, file: &str) -> String {
        fs::read_to_string(self.0.path().join(file)).unwrap()
    }
}

fn models() -> std::path::PathBuf {
    project("models").canonicalize().unwrap()
}

#[test]
fn a_suite_is_run_and_every_run_can_be_had_again() {
    let place = Place::new(&suite(&models()));
    let (code, printed, _) = place.compare(&["locks.toml", "--jobs", "2"]);
    assert_eq!(code, 0, "{printed}");
    assert!(printed.starts_with("compared: 6 cases, 168 runs\nall verdicts agree\n"), "{printed}");
    assert!(printed.contains("per cent of hpy, summed over 6 cases"), "{printed}");
    let results: Value = serde_json::from_str(&place.read("compare-locks/results.json")).unwrap();
    let (cases, runs) = (results["cases"].as_array().unwrap(), results["runs"].as_array().unwrap());
    assert_eq!((cases.len(), runs.len()), (6, 168));
    assert_eq!(place.read("compare-locks/runs.csv").lines().count(), 169);
    assert!(place.read("compare-locks/index.html").contains("locks"));
    let verdicts: Vec<&str> = cases.iter().map(|case| case["verdict"].as_str().unwrap()).collect();
    assert_eq!(verdicts, ["holds", "holds", "violated", "violated", "violated", "violated"]);
    let strengths: Vec<&str> = cases.iter().map(|case| case["strength"].as_str().unwrap()).collect();
    assert!(strengths.contains(&"weak") && strengths.contains(&"strong"), "{strengths:?}");

    for run in runs {
        let case = &cases[run["case"].as_u64().unwrap() as usize];
        let configuration = &results["configurations"][run["configuration"].as_u64().unwrap() as usize];
        let name = format!("{}, {}", case["name"], configuration["name"]);
        // An algorithm that does not suit the automaton refuses; nothing else may be missing.
        if run["verdict"] == "refused" {
            assert!(["sd", "reach"].contains(&configuration["algorithm"].as_str().unwrap()), "{name}");
            continue;
        }
        assert_eq!(run["verdict"], case["verdict"], "{name}");
        // A precomputed product is searched in the same order.
        if let Some(algorithm) = configuration["name"].as_str().unwrap().strip_suffix(" precomputed") {
            let configurations = results["configurations"].as_array().unwrap();
            let plain = configurations.iter().position(|one| one["name"] == algorithm).unwrap();
            let same =
                runs.iter().find(|other| other["case"] == run["case"] && other["configuration"] == plain);
            for field in ["visited", "transitions", "post_calls", "depth", "prefix", "cycle"] {
                assert_eq!(run[field], same.unwrap()[field], "{name}: {field}");
            }
        }
    }

    // The commands, as the page shows them, for one case.
    let case = &cases[3];
    for run in runs.iter().filter(|run| run["case"] == 3 && run["verdict"] != "refused") {
        let configuration = &results["configurations"][run["configuration"].as_u64().unwrap() as usize];
        let command = format!(
            "exec {} check {} {} --format json",
            env!("CARGO_BIN_EXE_lariat"),
            case["arguments"].as_str().unwrap(),
            configuration["options"].as_str().unwrap()
        );
        let output = std::process::Command::new("sh").args(["-c", &command]).output().unwrap();
        let report: Value = serde_json::from_slice(&output.stdout).expect(&command);
        assert_eq!(report["verdict"], run["verdict"], "{command}");
        assert_eq!(report["transitions"], run["transitions"], "{command}");
        assert_eq!(report["states"]["visited"], run["visited"], "{command}");
        assert_eq!(report["lasso"]["cycle"], run["cycle"], "{command}");
    }
}

#[test]
fn a_verdict_that_is_not_expected_is_said_first() {
    let suite = suite(&models()).replace("expect = \"violated\"", "expect = \"holds\"");
    let place = Place::new(&suite);
    let (code, printed, _) = place.compare(&["locks.toml", "--only", "fair"]);
    assert_eq!(code, 1);
    assert!(printed.contains("\nVERDICTS DIFFER in 1 case:\n  peterson: fair\n"), "{printed}");
}

#[test]
fn results_are_kept_unless_told_otherwise() {
    let place = Place::new(&suite(&models()));
    let only = ["locks.toml", "--only", "exclusion", "--out", "here"];
    assert_eq!(place.compare(&only).0, 0);
    let before = place.read("here/runs.csv");
    let (code, _, said) = place.compare(&only);
    assert_eq!(code, 3);
    assert!(said.contains("here has results already: go on with --resume"), "{said}");
    assert_eq!(place.compare(&[&only[..], &["--resume"]].concat()).0, 0);
    assert_eq!(place.read("here/runs.csv"), before, "times too: nothing was run again");
    assert_eq!(place.compare(&[&only[..], &["--overwrite"]].concat()).0, 0);
}

#[test]
fn errors_are_said_and_counted() {
    let place = Place::new(&suite(&models()).replace("no_starvation", "no_such_property"));
    let (code, printed, _) = place.compare(&["locks.toml"]);
    assert_eq!(code, 3);
    assert!(printed.contains("error: the model states no property `no_such_property`"), "{printed}");
    let (code, printed, _) = place.compare(&["locks.toml", "--only", "no_such_property", "--out", "nothing"]);
    assert_eq!(code, 3);
    assert!(printed.contains("\nno run came to a verdict\n") && !printed.contains("agree"), "{printed}");
    let (code, _, said) = place.compare(&["nowhere.toml"]);
    assert_eq!((code, said.as_str()), (3, "error: nowhere.toml: No such file or directory (os error 2)\n"));
    let (code, _, said) = place.compare(&["--built-in", "papers"]);
    assert_eq!(
        (code, said.as_str()),
        (3, "error: there is no built-in suite `papers`\n  = hint: there is paper\n")
    );
}

/// What a comparison asks for is cut short by a limit like any other search: then nothing is said to hold.
#[test]
fn a_limit_is_no_verdict() {
    for algorithm in ["ascc", "gv", "and", "se", "hpy", "c99"] {
        for product in [&["--precompute"][..], &[]] {
            let arguments = ["check", "peterson.pml", "--property", "exclusion", "--algorithm", algorithm];
            let limits = ["--degeneralise", "--verdict-only", "--max-states", "20"];
            let (code, report) = common::report(&models(), &[&arguments[..], &limits, product].concat());
            assert_eq!((code, report["verdict"].as_str()), (2, Some("unknown")), "{algorithm} {product:?}");
        }
    }
    let (code, report) =
        common::report(&models(), &["scc", "peterson.pml", "--property", "exclusion", "--max-states", "20"]);
    assert_eq!((code, report["verdict"].as_str()), (2, Some("unknown")));
}
