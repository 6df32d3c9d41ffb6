//! Formulas by several threads: the same verdicts, counts and runs as with one.

use crate::common::{expectations, lariat, model_file, models, project, verdict};
use serde_json::Value;
use std::path::Path;

/// What must not depend on the threads: all but how long it took, what it held, how deep it went, and what is
/// told of the part that one thread has begun (which is empty here): what reduction came to, and the engine.
fn reports(directory: &Path, arguments: &[&str]) -> (Option<i32>, Vec<Value>) {
    let output = lariat(directory, &[arguments, &["--format", "json"]].concat());
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let reports = text.lines().map(|line| {
        let mut report: Value = serde_json::from_str(line).expect("a line is an object");
        for field in ["seconds", "memory", "depth", "order_given_up", "stacks", "reduced", "engine"] {
            report.as_object_mut().expect("an object").remove(field);
        }
        report
    });
    (output.status.code(), reports.filter(|report| report["property"]["kind"] != "safety").collect())
}

#[test]
fn reports_on_our_models() {
    let directory = project("models");
    let mut complaints = Vec::new();
    let mut compared = 0;
    for name in models(&directory) {
        let expected = expectations(&directory.join(format!("{name}.expect.toml")));
        let small = |states: &toml::Value| states.as_integer().is_some_and(|states| states <= 20_000);
        if expected.get("ltl").is_none() || !expected.get("states").is_some_and(small) {
            continue;
        }
        compared += 1;
        let file = model_file(&directory, &name);
        for more in [
            &["--algorithm", "ufscc"][..],
            &["--algorithm", "ufscc", "--fair", "weak"],
            &["--algorithm", "cascc"],
            &["--algorithm", "cascc", "--fair", "weak"],
            &["--fair", "weak"],
            // Strong ones, which wait.
            &["--ltl", "([] <> (_nr_pr > 100)) -> ([] <> (_nr_pr == 0))"],
            &["--ltl", "([] <> (_nr_pr > 1)) -> ([] <> (_nr_pr > 100))", "--finite-runs", "ignore"],
            &[],
            &["--finite-runs", "ignore"],
            &["--whole-run"],
        ] {
            let command = [&["check", file.as_str()], more].concat();
            let alone = reports(&directory, &command);
            for threads in ["1", "2", "4"] {
                let together = [&command[..], &["--threads", threads, "--threads-after", "0"]].concat();
                if reports(&directory, &together) != alone {
                    complaints.push(format!("{name}: `{}` differs", together.join(" ")));
                }
            }
        }
    }
    assert!(compared >= 4, "{compared}");
    verdict(complaints);
}

#[test]
fn named_algorithms() {
    let directory = project("models");
    let verdicts = |algorithm: &str, threads: &str| -> Vec<(Value, Value, Value)> {
        let options = ["--algorithm", algorithm, "--threads", threads, "--threads-after", "0"];
        let (_, reports) = reports(&directory, &[&["check", "peterson.pml"], &options[..]].concat());
        reports
            .iter()
            .map(|report| (report["verdict"].clone(), report["algorithm"].clone(), report["states"].clone()))
            .collect()
    };
    for algorithm in ["cndfs", "ufscc", "cascc"] {
        let alone = verdicts(algorithm, "1");
        assert!(alone.iter().all(|(_, named, _)| *named == algorithm), "{alone:?}");
        assert_eq!(
            alone.iter().map(|row| row.0.as_str()).collect::<Vec<_>>(),
            [Some("holds"), Some("holds"), Some("violated")]
        );
        assert_eq!(verdicts(algorithm, "3"), alone);
    }
}
