//! The binary from outside: what it prints where, and how it exits.

use assert_cmd::Command;
use serde_json::Value;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Output, Stdio};

/// A directory with the models of these tests.
fn models() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/models")
}

fn lariat(arguments: &[&str]) -> Output {
    Command::cargo_bin("lariat").unwrap().current_dir(models()).args(arguments).output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// The exit code and the one JSON object on the standard output.
fn json(arguments: &[&str]) -> (i32, Value) {
    let output = lariat(&[arguments, &["--format", "json"]].concat());
    let text = stdout(&output);
    assert_eq!(text.lines().count(), 1, "one line of JSON, not: {text}\n{}", stderr(&output));
    (output.status.code().unwrap(), serde_json::from_str(&text).unwrap())
}

fn first_line(arguments: &[&str]) -> (i32, String) {
    let output = lariat(arguments);
    let text = stdout(&output);
    (output.status.code().unwrap(), text.lines().next().unwrap_or("").to_string())
}

#[test]
fn a_model_that_holds() {
    let line = "holds: no assertion fails and no process gets stuck (every reachable state was checked)";
    assert_eq!(first_line(&["check", "counters.pml"]), (0, line.to_string()));
    assert_eq!(first_line(&["check", "counters.pml", "--safety", "--shortest"]), (0, line.to_string()));
    let (code, report) = json(&["check", "counters.pml"]);
    assert_eq!(code, 0);
    assert_eq!(report["verdict"], "holds");
    assert_eq!(report["guarantee"], "exhaustive");
    assert_eq!(report["property"]["kind"], "safety");
    assert_eq!(report["property"]["formula"], Value::Null);
    assert_eq!(report["violation"], Value::Null);
    assert_eq!(report["counterexample"], Value::Null);
}

#[test]
fn every_field_of_the_report_is_there() {
    let fields = [
        "schema",
        "model",
        "property",
        "verdict",
        "reason",
        "guarantee",
        "violation",
        "algorithm",
        "store",
        "engine",
        "reduction",
        "states",
        "transitions",
        "post_calls",
        "depth",
        "stacks",
        "memory",
        "seconds",
        "counterexample",
    ];
    for command in ["check", "explore"] {
        let (_, report) = json(&[command, "assertion.pml"]);
        let report = report.as_object().unwrap();
        for field in fields {
            assert!(report.contains_key(field), "{command}: {field}");
        }
        assert_eq!(report["schema"], "lariat-report/1");
        assert_eq!(report["model"], "assertion.pml");
    }
    let (_, report) = json(&["explore", "assertion.pml"]);
    for field in ["deadlocks", "assertion_violations", "runtime_errors", "unreached"] {
        assert!(report.as_object().unwrap().contains_key(field), "{field}");
    }
    for field in ["states_bytes", "auxiliary_bytes", "peak_rss_bytes"] {
        assert!(report["memory"][field].as_u64().unwrap() > 0, "{field}");
    }
    for field in ["front_end", "compile", "search", "total"] {
        assert!(report["seconds"][field].as_f64().unwrap() >= 0.0, "{field}");
    }
}

#[test]
fn a_failed_assertion_in_the_layout_of_spin() {
    let output = lariat(&["check", "assertion.pml"]);
    assert_eq!(output.status.code(), Some(1));
    let text = stdout(&output);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "violated: assertion failed: assert((x!=1)) (assertion.pml:3)");
    assert_eq!(lines[2], "why: P(1) executes `assert((x!=1))` at step 2, where x = 1");
    assert_eq!(lines[4], "  1:\tproc  1 (P:1) assertion.pml:2 (state 1)\t[x = (x+1)]");
    assert_eq!(lines[5], "\t\tx = 1");
    assert_eq!(lines[6], "  2:\tproc  1 (P:1) assertion.pml:3 (state 2)\t[assert((x!=1))]");
    assert_eq!(lines[7], "the run ends after 2 steps");
    assert_eq!(lines[8], "#processes: 2");
    assert_eq!(lines[9], "\t\tx = 1");
    assert_eq!(lines[10], "  2:\tproc  1 (P:1) assertion.pml:4 (state 3) <valid end state>");
    assert!(text.contains("\nstates stored:"), "{text}");
}

#[test]
fn what_is_printed_stands_before_the_step() {
    let output = lariat(&["check", "printing.pml"]);
    let text = stdout(&output);
    assert!(
        text.contains("\n          hello 7\n  1:\tproc  1 (Q:1) printing.pml:6 (state 1)\t[printf("),
        "{text}"
    );
}

#[test]
fn a_deadlock_and_the_shortest_way_to_it() {
    let (code, line) = first_line(&["check", "deadlock.pml"]);
    assert_eq!(code, 1);
    assert!(line.starts_with("violated: invalid end state"), "{line}");
    let (_, deep) = json(&["check", "deadlock.pml", "--as-found"]);
    let (_, wide) = json(&["check", "deadlock.pml", "--shortest"]);
    assert_eq!(wide["violation"]["kind"], "invalid-end-state");
    assert_eq!(wide["algorithm"], "bfs");
    let steps = |report: &Value| report["counterexample"]["prefix"].as_array().unwrap().len();
    assert!(steps(&wide) < steps(&deep), "{} {}", steps(&wide), steps(&deep));
    assert_eq!(steps(&wide), 1);
    // Without either option the search is deep, and the run short, because that is cheap.
    let (_, short) = json(&["check", "deadlock.pml"]);
    assert_eq!((steps(&short), &short["algorithm"]), (1, &Value::from("dfs")));
    assert_eq!(short["counterexample"]["shortened"], serde_json::json!({"from": 10, "to": 1}));
    for field in ["states", "transitions", "depth"] {
        assert_eq!(short[field], deep[field], "{field}");
    }
    assert_eq!(deep["counterexample"]["shortened"], Value::Null);
}

/// The way that is shown is one to the violation that the search has found, not to a nearer one of another
/// kind.
#[test]
fn a_short_run_shows_the_same_violation() {
    for order in ["long", "short"] {
        let model = format!(
            "byte x; active proctype P() {{ do :: x < 100 -> x++ :: x == 100 -> assert(x != 100); x = 0 od }}
             active proctype Q() {{ if :: x == {} -> assert(false) :: x == 9 -> skip fi }}",
            if order == "long" { 101 } else { 5 }
        );
        let run = |options: &[&str]| {
            let mut command = Command::cargo_bin("lariat").unwrap();
            let output = command.args(["check", "-", "--format", "json"]).args(options).write_stdin(&*model);
            serde_json::from_slice::<Value>(&output.output().unwrap().stdout).unwrap()
        };
        let (found, short) = (run(&["--as-found"]), run(&[]));
        for field in ["violation", "states", "transitions"] {
            assert_eq!(found[field], short[field], "{field}");
        }
    }
}

/// All that is said of states, folded from the changes, is what `--full-states` says.
#[test]
fn full_states_are_what_the_changes_come_to() {
    for arguments in [
        &["check", "assertion.pml"][..],
        &["check", "atomic.pml"],
        &["check", "../../../../tests/reports/replies.pml"],
        &["check", "../../../../tests/reports/turns.pml", "--property", "served"],
        &["check", "../../../../tests/reports/ends.pml", "--property", "three"],
        &["check", "../../../../models/token_ring_dynamic.pml", "--exists", "F (np_)", "--whole-run"],
        &["check", "../../../../models/treiber_stack_aba.pml", "--safety"],
        &["check", "../../../../models/dekker.dve", "--property", "waits_for_ever"],
        &["simulate", "../../../../models/token_ring_dynamic.pml", "--seed", "1", "--steps", "3000"],
        &["simulate", "../../../../models/parcel_line.dve", "--seed", "1", "--steps", "300"],
    ] {
        let (_, report) = json(&[arguments, &["--full-states"]].concat());
        let run = if arguments[0] == "check" { &report["counterexample"] } else { &report };
        let (mut state, mut steps) = (items(&run["initial"]), 0);
        let lists = ["prefix", "cycle", "steps"].map(|list| run[list].as_array());
        for step in lists.into_iter().flatten().flatten() {
            for change in step["changes"].as_array().unwrap() {
                state.insert(text(&change["name"]), text(&change["value"]));
            }
            if step["after"].is_null() {
                continue;
            }
            let whole = items(&step["after"]);
            // What is gone is gone; what is new is 0 unless a change says otherwise.
            state.retain(|name, _| whole.contains_key(name));
            for (name, value) in &whole {
                let known = state.entry(name.clone()).or_insert_with(|| match value.as_str() {
                    "false" | "[]" => value.clone(),
                    _ => "0".to_string(),
                });
                assert_eq!(known, value, "{arguments:?}: {name} after step {}", step["number"]);
            }
            steps += 1;
        }
        assert!(steps > 1, "{arguments:?}: {steps} states");
        assert_eq!(state, items(&run["final"]), "{arguments:?}");
        let (_, plain) = json(arguments);
        assert!(!plain.to_string().contains("\"after\""), "{arguments:?}");
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_string()
}

/// Variables and channels of a state, by name.
fn items(state: &Value) -> std::collections::BTreeMap<String, String> {
    let local = state["processes"].as_array().unwrap().iter().map(|process| &process["variables"]);
    let lists = std::iter::once(&state["variables"]).chain(local);
    let items = lists.flat_map(|list| list.as_array().unwrap());
    items.map(|item| (text(&item["name"]), text(&item["value"]))).collect()
}

/// What is said of propositions is what the states say; the automaton moves from state to state, and round.
#[test]
fn propositions_and_moves_along_a_run() {
    let model = "../../../../tests/reports/turns.pml";
    let (_, report) = json(&["check", model, "--property", "served", "--full-states", "--show-automaton"]);
    let run = &report["counterexample"];
    let names = ["wants[1]", "inside[1]"];
    let listed = |list: &Value| -> Vec<String> { list.as_array().into_iter().flatten().map(text).collect() };
    let mut holding = listed(&run["propositions"]["initially_true"]);
    let lists = ["prefix", "cycle"].map(|list| run[list].as_array().unwrap());
    let mut in_cycle = Vec::new();
    for step in lists.into_iter().flatten() {
        let gone = listed(&step["becomes_false"]);
        assert!(gone.iter().all(|name| holding.contains(name)), "{step}");
        holding.retain(|name| !gone.contains(name));
        holding.extend(listed(&step["becomes_true"]));
        let state = items(&step["after"]);
        for name in names {
            assert_eq!(holding.contains(&name.to_string()), state[name] == "true", "{name}: {step}");
        }
        if step["number"].as_u64() > Some(lists[0].len() as u64) {
            in_cycle.push(holding.clone());
        }
    }
    for name in names.map(String::from) {
        let (always, never) =
            (&run["propositions"]["always_in_cycle"], &run["propositions"]["never_in_cycle"]);
        assert_eq!(listed(always).contains(&name), in_cycle.iter().all(|holding| holding.contains(&name)));
        assert_eq!(listed(never).contains(&name), !in_cycle.iter().any(|holding| holding.contains(&name)));
    }
    let moves = ["prefix", "cycle"].map(|list| run["automaton"][list].as_array().unwrap());
    let all: Vec<&Value> = moves.into_iter().flatten().collect();
    for (k, pair) in all.windows(2).enumerate() {
        assert_eq!(pair[0]["to"], pair[1]["from"], "move {k}");
        assert_eq!(pair[1]["after"].as_u64().unwrap(), k as u64 + 1);
    }
    assert_eq!(all.last().unwrap()["to"], moves[1][0]["from"]);
    assert!(moves[1].iter().any(|read| read["accepting"] == true));
    assert!(all.iter().all(|read| read["label"] != ""));

    let (_, report) = json(&["check", model, "--property", "exclusion"]);
    assert_eq!(report["counterexample"]["decided_after"], 6);
    assert_eq!(report["counterexample"]["prefix"][5]["becomes_true"], serde_json::json!(["inside[0]"]));
    assert_eq!(report["counterexample"]["automaton"], Value::Null);
}

/// The command that a report of several properties names shows the run, whatever must be quoted in it.
#[test]
#[cfg(unix)]
fn the_command_that_shows_a_run_can_be_pasted() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("it's a model.pml");
    std::fs::copy(models().join("claims.pml"), &path).unwrap();
    let arguments =
        ["check", path.to_str().unwrap(), "--ltl", "G !x", "--property=exclusion", "--ltl", "F !(x'"];
    assert_eq!(lariat(&arguments).status.code(), Some(3), "the last formula cannot be read");
    let output = lariat(&[&arguments[..5], &["--ltl", "X X X !x", "--timeout", "90"]].concat());
    assert_eq!(output.status.code(), Some(1));
    let text = stdout(&output);
    let commands: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("    ")).collect();
    assert_eq!(commands.len(), 2, "{text}");
    for (command, formula) in commands.iter().zip(["G !x", "X (X (X !x))"]) {
        assert!(command.ends_with(" --timeout 90"), "{command}");
        let output = std::process::Command::new("sh").args(["-c", command]).output().unwrap();
        let shown = stdout(&output);
        assert_eq!(output.status.code(), Some(1), "{command}");
        let expected = format!("violated: ltl formula: a run does not satisfy {formula}\n\n");
        assert!(shown.starts_with(&expected) && shown.contains("  1:\tproc "), "{command}:\n{shown}");
    }
}

/// What is violated is said in full, by its name.
#[test]
fn messages_name_what_is_violated() {
    for (options, message) in [
        (["--property", "exclusion"], "ltl exclusion: a run does not satisfy G !x"),
        (["--invariant", "!x"], "invariant: a run does not satisfy G (!x)"),
        (["--ltl", "G F !x"], "ltl formula: a run does not satisfy G (F !x)"),
        (["--exists", "F x"], "exists: a run satisfies F x"),
    ] {
        let (_, report) = json(&[&["check", "claims.pml"], &options[..]].concat());
        assert_eq!(report["violations"][0]["message"], message);
    }
}

#[test]
fn run_time_errors_are_violations() {
    let (code, report) = json(&["check", "errors.pml"]);
    assert_eq!(code, 1);
    assert_eq!(report["violation"]["kind"], "runtime-error");
    assert!(report["violation"]["message"].as_str().unwrap().starts_with("run-time error: "));
    let (code, report) = json(&["explore", "errors.pml"]);
    assert_eq!((code, &report["verdict"]), (0, &Value::from("holds")));
    assert!(report["runtime_errors"].as_u64().unwrap() >= 2);
}

#[test]
fn violations_have_a_place() {
    let (_, report) = json(&["check", "assertion.pml"]);
    assert_eq!(report["violation"]["message"], "assertion failed: assert((x!=1))");
    assert_eq!(report["violation"]["file"], "assertion.pml");
    assert_eq!(report["violation"]["line"], 3);
    let (_, report) = json(&["check", "deadlock.pml"]);
    let (_, line) = first_line(&["check", "deadlock.pml"]);
    assert_eq!(format!("violated: {}", report["violation"]["message"].as_str().unwrap()), line);
    assert_eq!(report["violation"]["file"], Value::Null);
    assert_eq!(report["violation"]["line"], Value::Null);
}

#[test]
fn what_is_not_checked_is_named() {
    let list = "ltl exclusion, ltl ltl_0, never claim, never claim twice, trace assertion, accept labels, progress labels";
    let text = stdout(&lariat(&["check", "claims.pml", "--safety"]));
    let expected = "holds: no assertion fails and no process gets stuck (every reachable state was checked)";
    assert!(text.starts_with(&format!("{expected}\nnot checked: {list}\n\nstates stored: ")), "{text}");
    let (code, report) = json(&["check", "claims.pml", "--safety"]);
    assert_eq!(code, 0);
    assert_eq!(report["not_checked"], Value::from(list.split(", ").collect::<Vec<_>>()));
    assert_eq!(json(&["check", "counters.pml"]).1["not_checked"], Value::Array(Vec::new()));
    assert!(!stdout(&lariat(&["check", "counters.pml"])).contains("not checked"));
    assert!(!stdout(&lariat(&["explore", "claims.pml"])).contains("not checked"));
}

/// Without an option, every property that the model states is checked, one line each, safety first.
#[test]
fn every_property_has_a_line() {
    let output = lariat(&["check", "claims.pml"]);
    let expected = "\
holds: no assertion fails and no process gets stuck (every reachable state was checked)
violated: ltl exclusion: a run does not satisfy G !x
holds: ltl ltl_0: every run satisfies F x
holds: never claim never_0: no run is accepted by the claim
holds: never claim twice: no run is accepted by the claim
holds: trace: every run keeps to the assertion
holds: acceptance: no run passes accept labels for ever
holds: non-progress: every run passes progress labels for ever
";
    let text = stdout(&output);
    let (verdicts, run) = text.split_once("\n\n").unwrap();
    let verdicts = verdicts.lines().filter(|line| !line.starts_with("  "));
    assert_eq!(verdicts.map(|line| format!("{line}\n")).collect::<String>(), expected);
    assert!(run.starts_with("violated: ltl exclusion: "), "{run}");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn properties_by_name_and_by_formula() {
    let verdict = |arguments: &[&str]| {
        let (code, report) = json(&[&["check", "claims.pml"], arguments].concat());
        (code, report["verdict"].as_str().unwrap().to_string())
    };
    let (violated, holds, refused) = ("violated".to_string(), "holds".to_string(), "refused".to_string());
    assert_eq!(verdict(&["--property", "exclusion"]), (1, violated.clone()));
    assert_eq!(verdict(&["--property", "ltl_0"]), (0, holds.clone()));
    assert_eq!(verdict(&["--ltl", "F G x"]), (0, holds.clone()));
    assert_eq!(verdict(&["--ltl", "G F !x"]), (1, violated.clone()));
    assert_eq!(verdict(&["--invariant", "x == 0 || x == 1"]), (0, holds.clone()));
    assert_eq!(verdict(&["--invariant", "!x"]), (1, violated.clone()));
    assert_eq!(verdict(&["--exists", "F x"]), (0, holds));
    assert_eq!(verdict(&["--exists", "X X X !x"]), (1, violated));
    assert_eq!(verdict(&["--ltl", "F G x", "--algorithm", "sd"]), (3, refused));
    let unknown = lariat(&["check", "claims.pml", "--property", "no_such"]);
    assert_eq!(unknown.status.code(), Some(3));
    let names = "safety, exclusion, ltl_0, never_0, twice, trace, acceptance, non-progress";
    assert!(stderr(&unknown).contains(names), "{}", stderr(&unknown));
    let wrong = lariat(&["check", "claims.pml", "--ltl", "[] (y -> <> x)"]);
    assert_eq!(wrong.status.code(), Some(3));
    assert!(stderr(&wrong).contains("`y`"), "{}", stderr(&wrong));
}

/// Every algorithm gives the same verdict, and a lasso where there is one.
#[test]
fn every_algorithm_agrees() {
    for name in ["lasso", "cvwy", "cvwy-gen", "hpy", "gmz", "se", "and", "tarjan", "gv", "c99", "ascc", "tau"]
    {
        for (formula, code) in [("F G x", 0), ("G F !x", 1), ("G F (x || !x)", 0), ("F x -> G !x", 1)] {
            for degeneralise in [&[][..], &["--degeneralise"]] {
                let arguments =
                    [&["check", "claims.pml", "--ltl", formula, "--algorithm", name], degeneralise].concat();
                let (found, report) = json(&arguments);
                assert_eq!(found, code, "{arguments:?}");
                assert_eq!(report["algorithm"], name);
                let steps = |part: &str| report["counterexample"][part].as_array().map_or(0, Vec::len);
                assert_eq!(steps("prefix") + steps("cycle") > 0, code == 1, "{arguments:?}");
            }
        }
    }
}

#[test]
fn keep_going_finds_all() {
    let (code, report) = json(&["check", "errors.pml", "--keep-going"]);
    assert_eq!(code, 1);
    let violations = report["violations"].as_array().unwrap();
    assert!(violations.len() >= 2, "{violations:?}");
    assert!(violations[1]["counterexample"]["prefix"].as_array().is_some());
}

#[test]
fn limits_give_unknown_and_say_why() {
    let cases: [(&[&str], &str); 4] = [
        (&["--max-states", "10"], "unknown: the limit of 10 states was reached"),
        (&["--max-depth", "3"], "unknown: paths were cut at the depth limit of 3"),
        (&["--max-memory", "1K"], "unknown: the memory limit of 1.0 KiB was reached"),
        (&["--timeout", "0"], "unknown: the time limit of 0 s was reached"),
    ];
    for (limit, expected) in cases {
        for command in ["check", "explore"] {
            let arguments = [&[command, "counters.pml"], limit].concat();
            assert_eq!(first_line(&arguments), (2, expected.to_string()));
        }
    }
    let (code, report) = json(&["explore", "counters.pml", "--max-states", "10"]);
    assert_eq!((code, &report["verdict"]), (2, &Value::from("unknown")));
    assert_eq!(report["reason"], "the limit of 10 states was reached");
    assert_eq!(report["guarantee"], Value::Null);
}

#[test]
fn explore_counts_and_lists_what_is_unreached() {
    let output = lariat(&["explore", "unreached.pml"]);
    assert_eq!(output.status.code(), Some(0));
    let text = stdout(&output);
    assert!(text.starts_with("explored: every reachable state\n"), "{text}");
    let expected = "unreached in proctype P\n\tunreached.pml:3, state 2, \"x = 2\"\n\t(1 of 4 states)\n";
    assert!(text.contains(expected), "{text}");
}

#[test]
fn explore_shows_violations_under_their_kinds() {
    let text = stdout(&lariat(&["explore", "errors.pml"]));
    let expected = "
assertion violations: 1
  assert((i==1)) (errors.pml:9), once
run-time errors:      2
  division by zero (errors.pml:6), once
  array index 3 is out of range: the array has 3 elements (errors.pml:5), once
";
    assert!(text.contains(expected), "{text}");
    assert!(!text.contains("so far"), "{text}");
    let text = stdout(&lariat(&["explore", "unreached.pml", "--max-states", "1"]));
    assert!(text.starts_with("unknown: the limit of 1 state was reached\n"), "{text}");
    assert!(
        text.contains("unreached in proctype P (so far: the exploration was not complete)\n\t"),
        "{text}"
    );
}

#[test]
fn definitions_reach_the_model() {
    let stored = |arguments: &[&str]| json(arguments).1["states"]["stored"].as_u64().unwrap();
    assert!(
        stored(&["explore", "counters.pml", "-D", "N=2"]) < stored(&["explore", "counters.pml", "-DN=3"])
    );
}

#[test]
fn errors_in_the_model() {
    let output = lariat(&["check", "broken.pml"]);
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(stdout(&output), "");
    let text = stderr(&output);
    assert!(text.contains("broken.pml"), "{text}");
    assert!(
        text.trim_end().lines().last().unwrap().ends_with(" errors") || text.trim_end().ends_with("1 error"),
        "{text}"
    );
    let output = lariat(&["check", "nowhere.pml"]);
    assert_eq!(output.status.code(), Some(3));
    assert!(stderr(&output).contains("nowhere.pml"));
}

#[test]
fn messages_are_limited() {
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = directory.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_string()
    };
    let many: String = (0..1234).map(|n| format!("x{n} = 1;\n")).collect();
    let output = lariat(&["check", &write("many.pml", &format!("active proctype P() {{\n{many}}}\n"))]);
    let text = stderr(&output);
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(text.lines().filter(|line| line.starts_with("error: ")).count(), 20, "{text}");
    assert!(text.ends_with("\n\n… and 1,214 more errors\n1,234 errors\n"), "{text}");

    let long = format!("active proctype P() {{ {} x = 1 }}", "skip; ".repeat(20_000));
    let output = lariat(&["check", &write("long.pml", &long)]);
    let text = stderr(&output);
    assert_eq!(output.status.code(), Some(3), "{text}");
    assert!(text.contains("long.pml:1:120024\n") && text.contains("…"), "{text}");
    assert!(text.len() < 1000, "{text}");

    let binary = write("binary.pml", "\x7fELF\0\0\0");
    for arguments in [&["check", &binary][..], &["check", &binary, "--cpp", "cat"]] {
        let output = lariat(arguments);
        assert_eq!(output.status.code(), Some(3));
        assert_eq!(stderr(&output), format!("error: {binary} is not a text file\n"));
    }
}

#[test]
fn a_model_from_the_standard_input() {
    let run = |arguments: &[&str], model: &str| {
        let mut command = Command::cargo_bin("lariat").unwrap();
        command.current_dir(models()).args(arguments).write_stdin(model).output().unwrap()
    };
    let output = run(&["check", "-"], "active proctype P() { assert(false) }");
    assert_eq!(output.status.code(), Some(1));
    let text = stdout(&output);
    assert!(text.starts_with("violated: assertion failed: assert(0) (<stdin>:1)\n"), "{text}");
    assert!(text.contains("the run ends after 1 step\n"), "{text}");
    let output = run(&["check", "-"], "nonsense");
    assert_eq!(output.status.code(), Some(3));
    assert!(stderr(&output).contains(" --> <stdin>:1:1\n"), "{}", stderr(&output));
    for arguments in [&["check", "-", "--cpp", "cat"][..], &["simulate", "--interactive", "-"]] {
        let output = run(arguments, "active proctype P() { skip }");
        assert_eq!(output.status.code(), Some(3), "{arguments:?}");
        assert!(stderr(&output).contains("the standard input"), "{}", stderr(&output));
    }
    let output = run(&["simulate", "-"], "active proctype P() { skip }");
    assert!(stdout(&output).contains("stopped after 2 steps: "), "{}", stdout(&output));
}

#[cfg(unix)]
#[test]
fn preprocessors_that_fail() {
    let message = |command| {
        let output = lariat(&["check", "counters.pml", "--cpp", command]);
        assert_eq!(output.status.code(), Some(3));
        stderr(&output)
    };
    let text = message("nosuchprogram");
    assert!(text.starts_with("error: cannot run the preprocessor `nosuchprogram`: "), "{text}");
    assert_eq!(message("false"), "error: the preprocessor `false` failed (exit status: 1)\n");
}

#[test]
fn counts_and_times_are_explained() {
    let message = |option: &str, value: &str| {
        let output = lariat(&["check", "counters.pml", option, value]);
        assert_eq!(output.status.code(), Some(3));
        stderr(&output)
    };
    for option in ["--max-states", "--max-depth", "--max-memory", "--timeout"] {
        let text = message(option, "-1");
        assert!(
            text.starts_with("error: invalid value '-1' for '") && text.contains("cannot be negative"),
            "{text}"
        );
    }
    assert!(message("--max-states", "lots").contains("expected a whole number, such as "));
    let (code, line) = first_line(&["check", "counters.pml", "--max-states", "0.01k"]);
    assert_eq!((code, line.as_str()), (2, "unknown: the limit of 10 states was reached"));
}

#[test]
fn errors_in_the_options() {
    let wrong: [&[&str]; 6] = [
        &[],
        &["check"],
        &["chekc", "counters.pml"],
        &["check", "counters.pml", "--max-memory", "much"],
        &["check", "counters.pml", "--timeout", "soon"],
        &["check", "counters.pml", "--format", "xml"],
    ];
    for arguments in wrong {
        let output = lariat(arguments);
        assert_eq!(output.status.code(), Some(3), "{arguments:?}");
        assert_eq!(stdout(&output), "");
        assert!(!stderr(&output).is_empty());
    }
    for arguments in [&["--help"], &["--version"]] {
        let output = lariat(arguments);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
        assert!(!stdout(&output).is_empty());
    }
}

#[test]
fn simulation_is_repeatable() {
    let run = |seed: &str| stdout(&lariat(&["simulate", "counters.pml", "--seed", seed]));
    assert_eq!(run("1"), run("1"));
    assert_ne!(run("1"), run("2"));
    assert!(run("1").contains("nothing can happen any more"), "{}", run("1"));
    let (code, simulation) = json(&["simulate", "counters.pml", "--seed", "1", "--steps", "5"]);
    assert_eq!(code, 0);
    assert_eq!(simulation["schema"], "lariat-simulation/1");
    assert_eq!(simulation["steps"].as_array().unwrap().len(), 5);
    assert_eq!(simulation["seed"], 1);
}

#[test]
fn simulation_follows_a_counterexample() {
    for model in ["assertion.pml", "deadlock.pml", "errors.pml", "atomic.pml"] {
        let report = lariat(&["check", model, "--format", "json"]);
        assert_eq!(report.status.code(), Some(1), "{model}");
        let mut trail = tempfile::NamedTempFile::new().unwrap();
        trail.write_all(&report.stdout).unwrap();
        let report: Value = serde_json::from_slice(&report.stdout).unwrap();
        let path = trail.path().to_str().unwrap();
        let (code, simulation) = json(&["simulate", model, "--trail", path]);
        assert_eq!(code, 1, "{model}: {simulation}");
        assert_eq!(simulation["violation"]["kind"], report["violation"]["kind"], "{model}");
        assert_eq!(simulation["steps"], report["counterexample"]["prefix"], "{model}");
        assert_eq!(simulation["final"], report["counterexample"]["final"], "{model}");
    }
}

/// A search goes on behind a failed assertion; so does the run that it records.
#[test]
fn simulation_follows_a_trail_through_a_failed_assertion() {
    let directory = tempfile::tempdir().unwrap();
    let model = directory.path().join("model.pml");
    std::fs::write(&model, "byte x;\nactive proctype P() { assert(x == 1); x = 2 }\n").unwrap();
    let model = model.to_str().unwrap();
    let trail = directory.path().join("trail.json");
    let report = lariat(&["check", model, "--invariant", "x < 2", "--format", "json"]);
    std::fs::write(&trail, &report.stdout).unwrap();
    let output = lariat(&["simulate", model, "--trail", trail.to_str().unwrap()]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("assertion failed: assert((x==1))"), "{text}");
    assert!(text.contains("stopped after 2 steps: the recorded run ends here"), "{text}");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn simulation_says_when_a_trail_does_not_fit() {
    let mut trail = tempfile::NamedTempFile::new().unwrap();
    trail.write_all(&lariat(&["check", "deadlock.pml", "--format", "json"]).stdout).unwrap();
    let output = lariat(&["simulate", "atomic.pml", "--trail", trail.path().to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(3));
    assert!(stderr(&output).contains("cannot execute step 1 "), "{}", stderr(&output));
    let output = lariat(&["simulate", "atomic.pml", "--trail", "atomic.pml"]);
    assert_eq!(output.status.code(), Some(3));
}

#[test]
fn simulation_by_hand() {
    let run = |input: &str| {
        let mut command = Command::cargo_bin("lariat").unwrap();
        command.current_dir(models()).args(["simulate", "--interactive", "assertion.pml"]).write_stdin(input);
        command.output().unwrap()
    };
    let output = run("1\nx\n99\n1\n");
    assert_eq!(output.status.code(), Some(1), "{}", stdout(&output));
    assert!(stdout(&output).contains("stopped after 2 steps: assertion failed"), "{}", stdout(&output));
    assert!(stderr(&output).contains("choice 2: proc  0 (P:1) assertion.pml:2 (state 1) [x = (x+1)]"));
    assert!(stderr(&output).contains("'99' is none of the choices"));
    assert_eq!(run("q\n").status.code(), Some(0));
    assert_eq!(run("").status.code(), Some(0));
}

#[test]
fn info_in_all_forms() {
    let output = lariat(&["info", "counters.pml"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(stdout(&output).contains("process P (counters.pml:"), "{}", stdout(&output));
    let (_, info) = json(&["info", "counters.pml"]);
    assert_eq!(info["schema"], "lariat-info/1");
    assert_eq!(info["globals"][0]["name"], "x");
    assert!(stdout(&lariat(&["info", "counters.pml", "--dot"])).starts_with("digraph "));
}

#[test]
fn the_intermediate_form_reads_back() {
    let form = stdout(&lariat(&["info", "counters.pml", "--ir"]));
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("counters.lir");
    std::fs::write(&path, &form).unwrap();
    let path = path.to_str().unwrap();
    assert_eq!(stdout(&lariat(&["info", path, "--ir"])), form);
    let (_, from_text) = json(&["explore", path]);
    let (_, from_model) = json(&["explore", "counters.pml"]);
    for field in ["states", "transitions", "depth", "unreached"] {
        assert_eq!(from_text[field], from_model[field]);
    }
    std::fs::write(path, "lariat-ir 1\nnonsense\n").unwrap();
    let output = lariat(&["check", path]);
    assert_eq!(output.status.code(), Some(3));
    assert!(stderr(&output).contains("line 2"), "{}", stderr(&output));
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin!("lariat"))
        .current_dir(models())
        .args(["simulate", "endless.pml", "--seed", "1", "--steps", "100000"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(stderr(&output), "");
}

#[cfg(target_os = "linux")]
#[test]
fn an_interrupt_gives_a_partial_report() {
    let child = std::process::Command::new(assert_cmd::cargo::cargo_bin!("lariat"))
        .current_dir(models())
        .args(["explore", "endless.pml", "-DHUGE", "--format", "json", "--progress"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(std::time::Duration::from_millis(1500));
    let killed = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["reason"], "interrupted");
    assert!(report["states"]["stored"].as_u64().unwrap() > 1);
    let line = stderr(&output).lines().next().unwrap().to_string();
    let parts = [" s: ", " states (", " waiting), ", " transitions, depth ", "iB of ", " states a second"];
    assert!(parts.iter().all(|part| line.contains(part)) && line.contains(','), "{line}");
}

#[test]
fn holds_is_weaker_where_variables_are_hidden() {
    let (code, report) = json(&["check", "hidden.pml"]);
    assert_eq!((code, report["verdict"].as_str()), (0, Some("holds")));
    assert_eq!(report["guarantee"], "exhaustive-but-hidden");
    let (_, line) = first_line(&["check", "hidden.pml"]);
    assert!(line.contains("what depends on their values may be missed"), "{line}");
}
