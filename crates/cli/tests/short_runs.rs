//! Runs that were made shorter, of all regressions: they show the violation that the search has found,
//! nothing else in the report is different, and no run is longer than it was.

use crate::common::{counterexample_length, model_file, models, project, report, verdict};
use std::path::Path;

#[test]
fn short_runs_show_what_was_found() {
    let directory = project("tests/regressions");
    let judged: Vec<Result<bool, String>> =
        models(&directory).iter().map(|name| judge(&directory, name)).collect();
    let shorter = judged.iter().filter(|judged| **judged == Ok(true)).count();
    verdict(judged.into_iter().filter_map(Result::err).collect());
    assert!(shorter >= 5, "only {shorter} runs were made shorter");
}

/// Whether the run of a model was made shorter.
fn judge(directory: &Path, name: &str) -> Result<bool, String> {
    let model = model_file(directory, name);
    let run = |options: &[&str]| {
        report(directory, &[&["check", &model, "--safety", "--max-states", "20000"], options].concat())
    };
    let ((code, short), (code_found, found)) = (run(&[]), run(&["--as-found"]));
    for field in ["verdict", "violation", "states", "transitions", "depth", "algorithm"] {
        // The place may be another one that says the same.
        let same = match field {
            "violation" => short[field]["message"] == found[field]["message"],
            _ => short[field] == found[field],
        };
        if !same || code != code_found {
            return Err(format!("{name}: {field} is {}, not {}", short[field], found[field]));
        }
    }
    let shortened = &short["counterexample"]["shortened"];
    let (Some(from), Some(to)) = (shortened["from"].as_u64(), shortened["to"].as_u64()) else {
        return match short["counterexample"] == found["counterexample"] {
            true => Ok(false),
            false => Err(format!("{name}: another run, and nothing says why")),
        };
    };
    let (_, shortest) = run(&["--shortest"]);
    let same_kind = shortest["violation"]["message"] == short["violation"]["message"];
    if to >= from || same_kind && counterexample_length(&shortest) != counterexample_length(&short) {
        return Err(format!("{name}: {from} transitions became {to}, which is not shortest"));
    }
    Ok(true)
}
