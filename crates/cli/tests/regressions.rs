//! Small models that something once got wrong, or that are hard to get right:
//! `tests/regressions/NNN-title.pml`, with what must come out in `NNN-title.expect.toml`:
//!
//! | key | meaning |
//! | --- | --- |
//! | `[explore]` | `lariat explore`: `states`, `transitions`, `deadlocks`, `assertion_violations`, `runtime_errors` |
//! | `[[check]]` | `lariat check`, of safety if the `options` do not say otherwise: `exit` code, `verdict`, kind of `violation`, part of its `message`, part of the `reason`, `steps` of the counterexample, whether there is `no_run`, whether it is `vacuous`, `run_length`: `shortest` or `short` |
//!
//! Only the keys that are there are compared; a key that is not known is an error. The numbers are Spin's,
//! without reduction and statement merging, unless the file says otherwise; transitions are left out where
//! the model has atomic sequences, which Spin counts differently.

use crate::common::{counterexample_length, expectations, model_file, models, project, report, verdict};
use serde_json::Value;
use std::path::Path;

#[test]
fn regressions() {
    let directory = project("tests/regressions");
    let names = models(&directory);
    assert!(names.len() >= 35, "only {} models in {}", names.len(), directory.display());
    verdict(names.iter().flat_map(|name| judge(&directory, name)).collect());
}

/// What is not as expected.
fn judge(directory: &Path, name: &str) -> Vec<String> {
    let model = model_file(directory, name);
    let mut complaints = Vec::new();
    let mut runs = 0;
    for (key, value) in expectations(&directory.join(format!("{name}.expect.toml"))) {
        match (key.as_str(), value) {
            ("explore", toml::Value::Table(expected)) => {
                runs += 1;
                complaints.extend(judge_run(directory, &["explore", &model], &expected));
            }
            ("check", toml::Value::Array(list)) => {
                for expected in list {
                    let toml::Value::Table(mut expected) = expected else {
                        panic!("{name}: [[check]] expected")
                    };
                    runs += 1;
                    let options =
                        expected.remove("options").and_then(|o| o.as_array().cloned()).unwrap_or_default();
                    let mut arguments = vec!["check", &model];
                    arguments.extend(options.iter().map(|o| o.as_str().expect("an option is a string")));
                    let says_what = |option: &&str| {
                        ["--ltl", "--property", "--invariant", "--exists", "--safety"].contains(option)
                    };
                    if !arguments.iter().any(says_what) {
                        arguments.push("--safety");
                    }
                    complaints.extend(judge_run(directory, &arguments, &expected));
                }
            }
            (key, _) => complaints.push(format!("{name}: unknown key `{key}`")),
        }
    }
    if runs == 0 {
        complaints.push(format!("{name}: nothing is expected of it"));
    }
    complaints
}

fn judge_run(directory: &Path, arguments: &[&str], expected: &toml::Table) -> Vec<String> {
    let (code, report) = report(directory, arguments);
    let part_of = |part: &toml::Value, whole: &Value| {
        whole.as_str().is_some_and(|text| text.contains(part.as_str().unwrap_or("?")))
    };
    let mut complaints = Vec::new();
    for (key, wanted) in expected {
        let (found, same) = match key.as_str() {
            "exit" => (Value::from(code), wanted.as_integer() == Some(code.into())),
            "states" => number(&report["states"]["stored"], wanted),
            "transitions" | "deadlocks" | "assertion_violations" | "runtime_errors" => {
                number(&report[key], wanted)
            }
            "verdict" => (report[key].clone(), report[key].as_str() == wanted.as_str()),
            "violation" => {
                let kind = &report["violation"]["kind"];
                (kind.clone(), kind.as_str() == wanted.as_str())
            }
            "message" => {
                let message = &report["violation"]["message"];
                (message.clone(), part_of(wanted, message))
            }
            "no_run" => {
                let found = report[key].as_bool().unwrap_or(false);
                (found.into(), wanted.as_bool() == Some(found))
            }
            "vacuous" => {
                let found = report[key].as_bool().unwrap_or(false);
                (found.into(), wanted.as_bool() == Some(found))
            }
            "reason" => (report["reason"].clone(), part_of(wanted, &report["reason"])),
            "run_length" => {
                let kind = &report[key]["kind"];
                (kind.clone(), kind.as_str() == wanted.as_str())
            }
            "steps" => number(&Value::from(counterexample_length(&report)), wanted),
            _ => (Value::Null, false),
        };
        if !same {
            complaints
                .push(format!("lariat {}: {key} = {wanted} expected, not {found}", arguments.join(" ")));
        }
    }
    complaints
}

fn number(found: &Value, wanted: &toml::Value) -> (Value, bool) {
    (found.clone(), found.as_i64().is_some() && found.as_i64() == wanted.as_integer())
}
