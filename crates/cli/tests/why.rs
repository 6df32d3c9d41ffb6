//! Sentences about claims, on models: the step that a sentence names is one at which the claim's condition is
//! true, by what the report says of propositions at each step. (On random automata and words the crate `ltl`
//! looks every claim up.)

use crate::common::{model_file, models, project, report};
use serde_json::Value;
use std::collections::BTreeSet;

/// The propositions that are true behind each step, 0 for the start, as far as the run is shown.
fn truth(example: &Value) -> Vec<BTreeSet<String>> {
    let names = |list: &Value| -> Vec<String> {
        let list = list.as_array().cloned().unwrap_or_default();
        list.iter().filter_map(|name| name.as_str().map(String::from)).collect()
    };
    let mut now: BTreeSet<String> = names(&example["propositions"]["initially_true"]).into_iter().collect();
    let mut rows = vec![now.clone()];
    for part in ["prefix", "cycle"] {
        for step in example[part].as_array().into_iter().flatten().filter(|step| step["number"] != 0) {
            now.extend(names(&step["becomes_true"]));
            names(&step["becomes_false"]).iter().for_each(|name| {
                now.remove(name);
            });
            rows.push(now.clone());
        }
    }
    rows
}

/// The step and the condition of each part of a sentence that has both.
fn conditions(sentence: &str) -> Vec<(usize, String)> {
    let number = |text: &str| text.split(|c: char| !c.is_ascii_digit()).next().and_then(|n| n.parse().ok());
    let part = |part: &str| {
        let (_, label) = part.split_once(", where `")?;
        let (label, _) = label.split_once('`')?;
        let step = match part.split_once(" at step ") {
            Some((_, step)) if !step.contains("of a later round") => number(step)?,
            Some(_) => return None,
            None => 0,
        };
        Some((step, label.to_string()))
    };
    sentence.split("; ").filter_map(part).collect()
}

#[test]
fn conditions_of_claims_are_true_where_sentences_say_so() {
    let (mut claims, mut compared) = (0, 0);
    for directory in ["tests/reports", "tests/regressions", "tests/spin"].map(project) {
        for name in models(&directory) {
            let file = model_file(&directory, &name);
            let text = std::fs::read_to_string(directory.join(&file)).unwrap();
            if !text.contains("never") && !text.contains("property") {
                continue;
            }
            let limits = ["--max-states", "20000", "--property"];
            for property in properties(&text) {
                let (code, found) =
                    report(&directory, &[&["check", &file], &limits[..], &[&property]].concat());
                let why = &found["counterexample"]["why"];
                if code != 1 || !["never", "property"].contains(&why["kind"].as_str().unwrap_or_default()) {
                    continue;
                }
                claims += 1;
                let rows = truth(&found["counterexample"]);
                let known = |label: &str| rows.iter().any(|row| row.contains(label));
                let sentence = why["text"].as_str().unwrap();
                for (step, label) in conditions(sentence).into_iter().filter(|(_, label)| known(label)) {
                    compared += 1;
                    let row =
                        rows.get(step).unwrap_or_else(|| panic!("{file}: there is no such step: {sentence}"));
                    assert!(row.contains(&label), "{file}: `{label}` is not true there: {sentence}");
                }
            }
        }
    }
    assert!(claims >= 10 && compared >= 6, "{claims} claims, {compared} conditions");
}

/// The claims of a model, as `--property` names them; too many names do no harm.
fn properties(text: &str) -> Vec<String> {
    let mut names = vec!["never".to_string()];
    for (word, ends) in [("never ", '{'), ("system async property ", ';'), ("system sync property ", ';')] {
        for rest in text.split(word).skip(1) {
            let name = rest.split(ends).next().unwrap_or_default().trim();
            if !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_') {
                names.push(name.to_string());
            }
        }
    }
    names
}
