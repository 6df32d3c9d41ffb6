//! The models of `models/`, with the numbers and verdicts that stand beside them in `NAME.expect.toml`.
//!
//! An ordinary run takes those of up to 500,000 states; `cargo test --release -- --ignored all_models` takes
//! all, up to ten million states.

use crate::common::{counterexample_length, expectations, model_file, models, project, report, verdict};
use std::path::Path;

const SMALL: i64 = 500_000;

#[test]
fn small_models() {
    judge_models(SMALL);
}

#[test]
#[ignore = "takes minutes and gigabytes"]
fn all_models() {
    judge_models(i64::MAX);
}

fn judge_models(most_states: i64) {
    let directory = project("models");
    let names = models(&directory);
    assert!(names.len() >= 15, "only {} models in {}", names.len(), directory.display());
    verdict(names.iter().flat_map(|name| judge(&directory, name, most_states)).collect());
}

/// What is not as expected; nothing, if the model has more states than that.
fn judge(directory: &Path, name: &str, most_states: i64) -> Vec<String> {
    let expected = expectations(&directory.join(format!("{name}.expect.toml")));
    let number = |key: &str| expected.get(key).and_then(|value| value.as_integer());
    let word = |key: &str| expected.get(key).and_then(|value| value.as_str());
    let Some(states) = number("states") else { return vec![format!("{name}: no number of states")] };
    if states > most_states {
        return Vec::new();
    }
    let model = model_file(directory, name);
    let mut complaints = Vec::new();
    let mut compare = |what: &str, wanted: String, found: String| {
        if wanted != found {
            complaints.push(format!("{name}: {what}: {wanted} expected, not {found}"));
        }
    };

    let (_, explored) = report(directory, &["explore", &model]);
    compare("states", states.to_string(), explored["states"]["stored"].to_string());
    if let Some(transitions) = number("transitions") {
        compare("transitions", transitions.to_string(), explored["transitions"].to_string());
    }

    let (code, checked) = report(directory, &["check", "--safety", &model]);
    let violated = word("safety") == Some("violated");
    compare(
        "safety",
        word("safety").unwrap_or("?").into(),
        checked["verdict"].as_str().unwrap_or("?").into(),
    );
    compare("exit code", i32::from(violated).to_string(), code.to_string());
    if let Some(wanted) = word("trace") {
        let (code, checked) = report(directory, &["check", "--property", "trace", &model]);
        let found = checked["verdict"].as_str().unwrap_or("?");
        compare("trace", wanted.into(), found.into());
        compare("exit code for trace", i32::from(found == "violated").to_string(), code.to_string());
    }
    if violated {
        let kind = checked["violation"]["kind"].as_str().unwrap_or("?");
        compare("violation", word("violation").unwrap_or("?").into(), kind.into());
        let (_, shortest) = report(directory, &["check", "--safety", "--shortest", &model]);
        compare(
            "verdict with --shortest",
            "violated".into(),
            shortest["verdict"].as_str().unwrap_or("?").into(),
        );
        let lengths = (counterexample_length(&shortest), counterexample_length(&checked));
        match lengths {
            (Some(shortest), Some(any)) if shortest <= any => {}
            _ => complaints.push(format!("{name}: counterexamples of {lengths:?} steps, the shortest first")),
        }
    }
    for (property, wanted) in expected.get("ltl").and_then(|value| value.as_table()).into_iter().flatten() {
        let (_, checked) = report(directory, &["check", "--property", property, &model]);
        let (wanted, found) = (wanted.as_str().unwrap_or("?"), checked["verdict"].as_str().unwrap_or("?"));
        if wanted != found {
            complaints.push(format!("{name}: ltl {property}: {wanted} expected, not {found}"));
        }
        let example = &checked["counterexample"];
        let cycle = example["cycle"].as_array().map_or(0, Vec::len);
        let is_shown = cycle > 0 || example["ending"] == "decided";
        if is_shown != (found == "violated") {
            complaints.push(format!("{name}: ltl {property}: {found} with a cycle of {cycle} steps"));
        }
    }
    complaints
}
