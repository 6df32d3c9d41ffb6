//! Results in formats that other programs read: reports by the schema in `docs/schema`, and what the formats
//! of other tools demand.

use serde_json::{Value, json};
use std::path::Path;
use std::process::{Command, Output};

fn root() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn lariat(arguments: &[&str]) -> Output {
    let command = env!("CARGO_BIN_EXE_lariat");
    Command::new(command).args(arguments).current_dir(root().join("tests/reports")).output().unwrap()
}

fn printed(arguments: &[&str]) -> String {
    String::from_utf8(lariat(arguments).stdout).unwrap()
}

/// What is wrong with a value, by a schema: the words of JSON Schema that ours uses, and no others.
fn wrong(value: &Value, schema: &Value, all: &Value, place: &str, out: &mut Vec<String>) {
    let known = [
        "$schema",
        "$defs",
        "title",
        "description",
        "type",
        "properties",
        "required",
        "items",
        "enum",
        "const",
    ];
    let known =
        |word: &str| known.contains(&word) || ["additionalProperties", "anyOf", "$ref"].contains(&word);
    assert!(schema.as_object().unwrap().keys().all(|word| known(word)), "{schema}");
    if let Some(name) = schema["$ref"].as_str() {
        let pointer = name.strip_prefix('#').unwrap();
        return wrong(value, all.pointer(pointer).unwrap_or_else(|| panic!("no {name}")), all, place, out);
    }
    if let Some(any) = schema["anyOf"].as_array() {
        let found: Vec<Vec<String>> = any
            .iter()
            .map(|one| {
                let mut out = Vec::new();
                wrong(value, one, all, place, &mut out);
                out
            })
            .collect();
        if !found.iter().any(Vec::is_empty) {
            out.extend(found.into_iter().next().unwrap_or_default());
        }
        return;
    }
    let mut demand = |is_so: bool, what: String| {
        if !is_so {
            out.push(format!("{place}: {what}: {value}"));
        }
    };
    if let Some(constant) = schema.get("const") {
        demand(value == constant, format!("not {constant}"));
    }
    if let Some(list) = schema["enum"].as_array() {
        demand(list.contains(value), format!("not one of {}", schema["enum"]));
    }
    if let Some(kind) = schema["type"].as_str() {
        let is_so = match kind {
            "object" => value.is_object(),
            "array" => value.is_array(),
            "string" => value.is_string(),
            "boolean" => value.is_boolean(),
            "integer" => value.is_u64() || value.is_i64(),
            "number" => value.is_number(),
            "null" => value.is_null(),
            _ => panic!("{kind}"),
        };
        demand(is_so, format!("no {kind}"));
    }
    for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        demand(value.get(name).is_some(), format!("no field {name}"));
    }
    for (name, inside) in value.as_object().into_iter().flatten() {
        match schema["properties"].get(name) {
            Some(schema) => wrong(inside, schema, all, &format!("{place}.{name}"), out),
            None if schema["additionalProperties"] == false => {
                out.push(format!("{place}: a field {name} more"))
            }
            None => {}
        }
    }
    if let Some(items) = schema.get("items") {
        for (k, inside) in value.as_array().into_iter().flatten().enumerate() {
            wrong(inside, items, all, &format!("{place}[{k}]"), out);
        }
    }
}

fn by_the_schema(report: &Value) -> Vec<String> {
    let text = std::fs::read_to_string(root().join("docs/schema/report.schema.json")).unwrap();
    let schema: Value = serde_json::from_str(&text).unwrap();
    let mut out = Vec::new();
    wrong(report, &schema, &schema, "report", &mut out);
    out
}

#[test]
fn reports_keep_to_their_schema() {
    let commands: &[&[&str]] = &[
        &["check", "turns.pml", "--fair", "weak", "--show-automaton", "--full-states"],
        &["check", "turns.pml", "--property", "served", "--why-fair", "--fair", "strong"],
        &["check", "turns.pml", "--max-states", "3"],
        &["check", "ends.pml", "--shortest"],
        &["check", "ends.pml", "--exists", "F (x == 2)"],
        &["check", "ends.pml", "--ltl", "X X (x == 2)", "--verdict-only"],
        &["check", "endless.pml"],
        &["check", "countdown.pml"],
        &["check", "handover.pml", "--trace", "table"],
        &["check", "replies.pml", "--keep-going", "--reset-dead-variables"],
        &["check", "crossing.dve", "--ltl", "G (passed < 2)", "--whole-run", "--assume", "G true"],
        &["check", "crossing.dve", "--ltl", "F false", "--algorithm", "reach"],
        &["explore", "replies.pml", "--profile-search"],
        &["explore", "endless.pml", "--merge-statements"],
        &["check", "replies.pml", "--reduce"],
        &["check", "turns.pml", "--reduce", "--fair", "weak"],
        &["explore", "turns.pml", "--store", "compact", "--reduce"],
    ];
    let mut reports = 0;
    for command in commands {
        for line in printed(&[*command, &["--format", "json"]].concat()).lines() {
            let report: Value = serde_json::from_str(line).unwrap();
            assert_eq!(by_the_schema(&report), [""; 0], "{command:?}");
            reports += 1;
        }
    }
    assert!(reports >= 25, "{reports}");
}

/// The judge of the schema has something to say.
#[test]
fn a_wrong_report_is_noticed() {
    let text = printed(&["check", "ends.pml", "--property", "three", "--format", "json"]);
    let report: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    let spoilt = |change: fn(&mut Value)| {
        let mut spoilt = report.clone();
        change(&mut spoilt);
        by_the_schema(&spoilt).len()
    };
    assert_eq!(spoilt(|_| ()), 0);
    assert_eq!(spoilt(|report| report["verdict"] = json!("perhaps")), 1);
    assert_eq!(spoilt(|report| report["more"] = json!(1)), 1);
    assert_eq!(spoilt(|report| report["depth"] = json!("4")), 1);
    assert_eq!(spoilt(|report| drop(report.as_object_mut().unwrap().remove("states"))), 1);
    assert_eq!(spoilt(|report| report["counterexample"]["prefix"][0]["changes"][0]["name"] = json!(null)), 1);
}

#[test]
fn json_lines_are_the_report_and_its_steps() {
    let arguments = ["check", "turns.pml", "--property", "served", "--format"];
    let whole: Value = serde_json::from_str(&printed(&[&arguments[..], &["json"]].concat())).unwrap();
    let text = printed(&[&arguments[..], &["jsonl"]].concat());
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[0]["type"], "report");
    assert_eq!(lines[0]["counterexample"]["why"], whole["counterexample"]["why"]);
    let run = &whole["counterexample"];
    let steps = run["prefix"].as_array().unwrap().iter().chain(run["cycle"].as_array().unwrap());
    let count = run["prefix"].as_array().unwrap().len();
    assert_eq!(lines.len() - 1, steps.clone().count());
    for (k, (line, step)) in lines[1..].iter().zip(steps).enumerate() {
        assert_eq!((&line["statement"], &line["number"]), (&step["statement"], &step["number"]));
        assert_eq!(line["in_cycle"], k >= count);
    }
}

#[test]
fn test_reports_count_what_failed() {
    let text = printed(&["check", "turns.pml", "--format", "junit"]);
    let verdicts = printed(&["check", "turns.pml", "--format", "json"]);
    let violated = verdicts.matches("\"verdict\":\"violated\"").count();
    assert_eq!(text.matches("<testcase ").count(), verdicts.lines().count());
    assert_eq!(text.matches("<failure ").count(), violated);
    assert!(text.contains(&format!("failures=\"{violated}\"")), "{text}");
    for (open, close) in
        [("<testsuites ", "</testsuites>"), ("<testsuite ", "</testsuite>"), ("<failure ", "</failure>")]
    {
        assert_eq!(text.matches(open).count(), text.matches(close).count(), "{open}");
    }
    // Whatever a formula says, quotes and brackets of XML are only its own.
    assert!(!text.contains("<-") && !text.contains("&&"), "{text}");
}

#[test]
fn static_analysis_has_places_and_flows() {
    let text = printed(&["check", "turns.pml", "--format", "sarif"]);
    let sarif: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(sarif["version"], "2.1.0");
    let run = &sarif["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    for result in run["results"].as_array().unwrap() {
        let rule = &rules[result["ruleIndex"].as_u64().unwrap() as usize];
        assert_eq!(rule["id"], result["ruleId"]);
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "turns.pml");
        assert!(place["region"]["startLine"].as_u64().unwrap() >= 1);
        assert!(!result["codeFlows"][0]["threadFlows"][0]["locations"].as_array().unwrap().is_empty());
    }
}

#[test]
fn annotations_are_lines() {
    let text = printed(&["check", "turns.pml", "--format", "github"]);
    let reports = printed(&["check", "turns.pml", "--format", "json"]).lines().count();
    assert_eq!(text.lines().count(), reports);
    for line in text.lines() {
        let (head, message) = line.strip_prefix("::").and_then(|line| line.split_once("::")).unwrap();
        let level = head.split(' ').next().unwrap();
        let expected = if message.starts_with("violated") { "error" } else { "notice" };
        assert_eq!(level, expected, "{line}");
        assert!(head.contains("file=turns.pml,line="), "{line}");
    }
}

/// The states of a trace, followed by hand from what the report says.
#[test]
fn traces_have_the_states_of_the_run() {
    for (model, property) in [("turns.pml", "served"), ("ends.pml", "three"), ("handover.pml", "never_four")]
    {
        let arguments = ["check", model, "--property", property, "--full-states", "--format"];
        let report: Value = serde_json::from_str(&printed(&[&arguments[..], &["json"]].concat())).unwrap();
        let trace: Value = serde_json::from_str(&printed(&[&arguments[..], &["itf"]].concat())).unwrap();
        let run = &report["counterexample"];
        let (prefix, cycle) = (run["prefix"].as_array().unwrap(), run["cycle"].as_array().unwrap());
        let states = trace["states"].as_array().unwrap();
        match cycle.is_empty() {
            true => assert_eq!((states.len(), trace.get("loop")), (prefix.len() + 1, None)),
            false => {
                assert_eq!(states.len(), prefix.len() + cycle.len());
                assert_eq!(trace["loop"], prefix.len());
            }
        }
        let wholes = prefix.iter().chain(cycle).map(|step| &step["after"]);
        for (k, whole) in std::iter::once(&run["initial"]).chain(wholes).enumerate().take(states.len()) {
            for item in whole["variables"].as_array().into_iter().flatten() {
                let value = item["value"].as_str().unwrap();
                let found = &states[k][item["name"].as_str().unwrap()];
                let is_so = match value {
                    "true" => *found == json!(true),
                    "false" => *found == json!(false),
                    _ if value.starts_with('[') => found.is_array(),
                    _ => found["#bigint"] == value || *found == json!(value),
                };
                assert!(is_so, "{model}, state {k}, {item}: {found}");
            }
        }
        for name in trace["vars"].as_array().unwrap() {
            assert!(states.iter().all(|state| state.get(name.as_str().unwrap()).is_some()), "{name}");
        }
    }
    let holds = lariat(&["check", "turns.pml", "--safety", "--format", "itf"]);
    assert_eq!((holds.status.code(), holds.stdout.len()), (Some(0), 0));
    assert!(String::from_utf8_lossy(&holds.stderr).contains("no run to show"));
    assert_eq!(lariat(&["explore", "turns.pml", "--format", "itf"]).status.code(), Some(3));
}

#[test]
fn completions_and_pages_know_every_command() {
    for shell in ["bash", "zsh", "fish", "powershell"] {
        let text = printed(&["completions", shell]);
        for word in ["check", "simulate", "--html", "keep-going"] {
            assert!(text.contains(word.trim_start_matches('-')), "{shell}: {word}");
        }
    }
    assert_eq!(lariat(&["completions", "tcsh"]).status.code(), Some(3));
    let directory = tempfile::tempdir().unwrap();
    assert_eq!(lariat(&["man", directory.path().to_str().unwrap()]).status.code(), Some(0));
    let check = std::fs::read_to_string(directory.path().join("lariat-check.1")).unwrap();
    assert!(check.contains("html") && directory.path().join("lariat.1").exists());
    let made = directory.path().join("share/man1");
    assert_eq!(lariat(&["man", made.to_str().unwrap()]).status.code(), Some(0));
    assert!(made.join("lariat-watch.1").exists());
    let in_a_file = directory.path().join("lariat.1/man1");
    assert_eq!(lariat(&["man", in_a_file.to_str().unwrap()]).status.code(), Some(3));
}

/// The report of a long search is not lost because the page cannot be written.
#[test]
fn reports_come_before_what_cannot_be_written() {
    for option in ["--html", "--trail"] {
        let output = lariat(&["check", "still.pml", option, "/nowhere/at/all"]);
        let (text, said) =
            (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
        assert!(text.starts_with("violated: invalid end state"), "{option}: {text}");
        assert!(said.contains("error: cannot write /nowhere/at/all"), "{option}: {said}");
        assert_eq!(output.status.code(), Some(3));
    }
}

#[test]
fn help_fits_a_screen() {
    let text = printed(&["--help"]);
    let rows: usize = text.lines().map(|line| line.chars().count().max(1).div_ceil(80)).sum();
    assert!(rows <= 24, "{rows} rows:\n{text}");
    assert!(text.find("check").unwrap() < text.find("explore ").unwrap());
}
