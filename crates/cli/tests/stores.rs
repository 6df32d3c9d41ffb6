//! Lossless stores: what is said does not depend on them. Lossy ones: never a false alarm, never `holds`, and
//! about as much is missed as they say.

use crate::common::{lariat, model_file, models, project, report, verdict};
use serde_json::Value;
use std::path::Path;

/// The reports of a command, one for each property.
fn reports(directory: &Path, arguments: &[&str]) -> (Option<i32>, Vec<Value>) {
    let output = lariat(directory, &[arguments, &["--format", "json"]].concat());
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    (output.status.code(), text.lines().map(|line| serde_json::from_str(line).expect("an object")).collect())
}

/// What a lossy store may say where the exact one says this; `is_cut`: one of them has hit a limit, so that
/// it may have seen other states.
fn may_say(exact: &str, lossy: &str, is_cut: bool) -> bool {
    match (exact, lossy) {
        ("holds", "unknown") | ("violated", "violated") | ("unknown", "unknown") => true,
        ("violated", "unknown") | ("unknown", "violated") => is_cut,
        (exact, lossy) => exact == lossy && exact == "refused",
    }
}

/// Lossy stores say what they may say; the tree says what the exact store says.
fn compare_all(folder: &str, ways: &[&[&str]]) {
    let directory = project(folder);
    let mut complaints = Vec::new();
    for name in models(&directory) {
        let file = model_file(&directory, &name);
        let common = ["check", file.as_str(), "--max-states", "4000"];
        let (code, exact) = reports(&directory, &common);
        let (tree_code, tree) = reports(&directory, &[&common[..], TREE].concat());
        if tree_code != code
            || tree.into_iter().map(without_bytes).ne(exact.iter().cloned().map(without_bytes))
        {
            complaints.push(format!("{name}, tree: {code:?}, {tree_code:?}"));
        }
        for way in ways {
            let (lossy_code, lossy) = reports(&directory, &[&common[..], way].concat());
            let word = |report: &Value, key: &str| report[key].as_str().unwrap_or("?").to_string();
            let fits = exact.len() == lossy.len()
                && exact.iter().zip(&lossy).all(|(exact, lossy)| {
                    let is_cut = [exact, lossy].iter().any(|one| word(one, "reason").contains("limit"));
                    let known = [exact, lossy].map(|report| word(report, "verdict"));
                    // What asks for a run that exists holds if one is found.
                    let exists = exact["property"]["kind"] == "exists" && known[0] == known[1];
                    exists || may_say(&known[0], &known[1], is_cut)
                });
            let code_fits = lossy_code == code || lossy_code == Some(2) && code == Some(0);
            let code_fits = code_fits || code == Some(2) && lossy_code == Some(1) || lossy_code == Some(2);
            if !fits || !code_fits || lossy_code == Some(4) {
                let verdicts = |reports: &[Value]| -> Vec<String> {
                    reports.iter().map(|report| word(report, "verdict")).collect()
                };
                let (exact, lossy) = (verdicts(&exact), verdicts(&lossy));
                complaints.push(format!("{name}, {way:?}: {exact:?} {code:?}, {lossy:?} {lossy_code:?}"));
            }
        }
    }
    verdict(complaints);
}

#[test]
fn stores_on_our_models() {
    compare_all(
        "models",
        &[
            &["--store", "compact", "--engine", "interpreted"],
            &["--store", "bitstate", "--engine", "compiled", "--max-memory", "64M"],
        ],
    );
}

#[test]
fn stores_on_the_regressions() {
    compare_all("tests/regressions", &[&["--store", "compact"]]);
}

/// So small a table that most states are missed: what is found is there all the same.
#[test]
#[ignore = "half a minute"]
fn tables_that_are_far_too_small() {
    let directory = project("models");
    let mut complaints = Vec::new();
    for name in models(&directory) {
        let file = model_file(&directory, &name);
        let (_, exact) = reports(&directory, &["check", &file, "--max-states", "200000"]);
        for algorithm in ["auto", "se", "and", "hpy", "cvwy"] {
            let lossy = ["--store", "bitstate", "--max-memory", "2K", "--bits-per-state", "1"];
            let (code, found) =
                reports(&directory, &[&["check", &file, "--algorithm", algorithm], &lossy[..]].concat());
            if !matches!(code, Some(1 | 2)) {
                complaints.push(format!("{name}, {algorithm}: exit code {code:?}"));
            }
            for (exact, lossy) in exact.iter().zip(&found) {
                if exact["verdict"] == "holds" && lossy["verdict"] != "unknown" {
                    complaints
                        .push(format!("{name}, {algorithm}: {} {}", lossy["property"], lossy["verdict"]));
                }
            }
        }
    }
    verdict(complaints);
}

/// On the mean of several passes: which states are confused, and so how much lies behind them, is chance.
#[test]
fn as_many_states_are_missed_as_predicted() {
    let directory = project("models");
    for (model, table) in [
        ("two_phase_commit.pml", "4608K"),
        ("election_dolev_klawe_rodeh.pml", "4608K"),
        ("treiber_stack_aba.pml", "3M"),
    ] {
        let (_, exact) = report(&directory, &["explore", model]);
        let states = exact["states"]["stored"].as_f64().expect("a number");
        let lossy = ["--store", "bitstate", "--bits-per-state", "1", "--table-size", table, "--repeat", "5"];
        let (code, found) = report(&directory, &[&["explore", model], &lossy[..]].concat());
        assert_eq!(code, 2);
        let passes = found["coverage"]["passes"].as_array().expect("a list");
        assert_eq!(passes.len(), 5);
        let sum = |of: &dyn Fn(&Value) -> Option<f64>| -> f64 { passes.iter().filter_map(of).sum() };
        let missed = sum(&|pass| Some(1.0 - pass["states"].as_f64()? / states));
        let predicted = sum(&|pass| pass["missed_share"].as_f64());
        assert!((0.5..2.0).contains(&(missed / predicted)), "{model}: {missed}, predicted {predicted}");
    }
}

#[test]
fn passes_with_other_hash_functions() {
    let directory = project("models");
    let lossy = ["--store", "bitstate", "--bits-per-state", "1", "--table-size", "3M", "--repeat", "3"];
    let (code, found) = report(&directory, &[&["explore", "treiber_stack_aba.pml"], &lossy[..]].concat());
    assert_eq!(
        (code, found["verdict"].as_str(), found["store"].as_str()),
        (2, Some("unknown"), Some("bitstate"))
    );
    let passes = found["coverage"]["passes"].as_array().expect("a list");
    let seen: Vec<u64> = passes.iter().map(|pass| pass["states"].as_u64().expect("a number")).collect();
    assert!(
        seen.len() == 3 && seen[0] != seen[1] && seen[1] != seen[2],
        "other functions miss others: {seen:?}"
    );
    assert_eq!(found["states"]["stored"].as_u64(), seen.iter().copied().max());
    let shares = passes.iter().map(|pass| pass["missed_share"].as_f64().expect("a number"));
    let joint = found["coverage"]["missed_share"].as_f64().expect("a number");
    assert!((joint / shares.product::<f64>() - 1.0).abs() < 1e-9);
}

#[test]
fn what_cannot_be_done_is_refused() {
    let directory = project("models");
    let model = "peterson.pml";
    for (arguments, words) in [
        (&["--safety", "--shortest"][..], "`--shortest` needs the way back"),
        (&["--ltl", "[] <> (turn == 1)", "--precompute"], "`--precompute` numbers"),
        (&["--ltl", "[] <> (turn == 1)", "--algorithm", "ascc"], "those that do with marks are"),
        (&["--ltl", "[] <> (turn == 1)", "--fair", "weak"], "fairness and assumptions need"),
        (&["--ltl", "[] <> (turn == 1)", "--assume", "[] <> (turn == 1)"], "fairness and assumptions need"),
        (&["--safety", "--profile-search"], "`--profile-search` knows"),
        (&["--safety", "--bits-per-state", "4"], "`--bits-per-state` is for"),
    ] {
        let output = lariat(&directory, &[&["check", model, "--store", "compact"], arguments].concat());
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8_lossy(&text);
        assert!(output.status.code() == Some(3) && text.contains(words), "{arguments:?}: {text}");
    }
    let output = lariat(&directory, &["check", model, "--repeat", "2"]);
    assert_eq!(output.status.code(), Some(3));
}

/// That no run was found says nothing, also where one was asked for; one that was found is shown.
#[test]
fn runs_that_exist() {
    let directory = project("models");
    for (formula, code, verdict) in [("<> (inside == 5)", 2, "unknown"), ("<> (inside == 1)", 0, "holds")] {
        for store in ["compact", "bitstate"] {
            let arguments = ["check", "peterson.pml", "--exists", formula, "--store", store];
            let (found_code, found) =
                report(&directory, &[&arguments[..], &["--max-memory", "64M"]].concat());
            assert_eq!((found_code, found["verdict"].as_str()), (code, Some(verdict)), "{formula}, {store}");
            assert_eq!(found["counterexample"].is_null(), code == 2);
        }
    }
}

/// When memory is full, the search begins again in a lossy store, and says so.
#[test]
fn when_memory_is_full() {
    let directory = project("models");
    let full = |more: &[&str]| {
        let arguments = ["two_phase_commit.pml", "--max-memory", "5M"];
        let (code, found) = report(&directory, &[&more[..1], &arguments, &more[1..]].concat());
        let remarks = found["remarks"].to_string();
        (
            code,
            found["store"].as_str().unwrap_or("?").to_string(),
            found["states"]["stored"].as_u64(),
            remarks,
        )
    };
    let (code, store, states, remarks) = full(&["explore"]);
    assert_eq!((code, store.as_str(), remarks.contains("began again")), (2, "exact", false));
    assert!(states < Some(246_415), "{states:?}");
    let (code, store, states, remarks) = full(&["explore", "--when-full", "compact"]);
    assert_eq!((code, store.as_str(), states), (2, "compact", Some(246_415)));
    assert!(remarks.contains("began again with `compact`"), "{remarks}");
    let (code, store, _, remarks) =
        full(&["check", "--ltl", "[] (committed < 100)", "--no-reduce", "--when-full", "bitstate"]);
    assert_eq!((code, store.as_str()), (2, "bitstate"), "{remarks}");
    let fair = ["check", "--ltl", "[] <> (committed < 100)", "--fair", "strong", "--when-full", "compact"];
    let (code, store, _, remarks) = full(&fair);
    assert_eq!((code, store.as_str()), (2, "exact"), "{remarks}");
    assert!(remarks.contains("did not begin again in `compact`"), "{remarks}");
    let output =
        lariat(&directory, &["check", "peterson.pml", "--store", "bitstate", "--when-full", "compact"]);
    assert_eq!(output.status.code(), Some(3));
}

/// A report without what may depend on the store: bytes, times, its name.
fn without_bytes(mut report: Value) -> Value {
    let fields = report.as_object_mut().expect("an object");
    for field in ["memory", "seconds", "store", "store_changed_at", "threads"] {
        fields.remove(field);
    }
    // That a store has changed.
    if let Some(remarks) = fields.get_mut("remarks").and_then(Value::as_array_mut) {
        remarks
            .retain(|remark| !remark.as_str().is_some_and(|remark| remark.starts_with("the store changed")));
        if remarks.is_empty() {
            fields.remove("remarks");
        }
    }
    if let Some(stacks) = fields.get_mut("stacks").and_then(Value::as_object_mut) {
        stacks.remove("bytes");
    }
    report
}

/// Whatever is asked about a model, a lossless store says the same as the exact one: verdicts, counts,
/// counterexamples.
fn compare_lossless(folder: &str, names: &[String], questions: &[&[&str]], stores: &[&[&str]]) {
    let directory = project(folder);
    let mut complaints = Vec::new();
    for name in names {
        let file = model_file(&directory, name);
        for question in questions {
            let asked = [&["check", file.as_str()], *question].concat();
            let (code, exact) = reports(&directory, &asked);
            let exact: Vec<Value> = exact.into_iter().map(without_bytes).collect();
            for store in stores {
                let (other_code, other) = reports(&directory, &[&asked[..], store].concat());
                let other: Vec<Value> = other.into_iter().map(without_bytes).collect();
                if other_code != code || other != exact {
                    complaints.push(format!("{name}, {question:?}, {store:?}: {code:?} {other_code:?}"));
                }
            }
        }
    }
    verdict(complaints);
}

const TREE: &[&str] = &["--store", "tree"];

/// The checks for infinite runs, by name.
fn algorithms() -> Vec<String> {
    let (_, rows) = reports(&project("models"), &["algorithms"]);
    rows.iter().map(|row| row["name"].as_str().expect("a name").to_string()).collect()
}

#[test]
fn tree_with_every_algorithm_and_both_engines() {
    let algorithms = algorithms();
    assert!(algorithms.len() > 10, "{algorithms:?}");
    for algorithm in &algorithms {
        for engine in ["interpreted", "compiled"] {
            let question = ["--algorithm", algorithm, "--engine", engine, "--no-reduce"];
            compare_lossless("models", &["peterson".to_string()], &[&question], &[TREE]);
        }
    }
}

#[test]
#[ignore = "some minutes"]
fn tree_with_every_algorithm_on_all_models() {
    for algorithm in &algorithms() {
        for engine in ["interpreted", "compiled"] {
            // Several threads would explore out of order, in the exact store alone.
            let question =
                ["--algorithm", algorithm, "--engine", engine, "--max-states", "100000", "--in-order"];
            compare_lossless("models", &models(&project("models")), &[&question], &[TREE]);
        }
    }
}

#[test]
fn tree_whatever_is_asked() {
    let small = ["peterson", "bounded_retransmission", "philosophers_deadlock"].map(String::from);
    let questions: &[&[&str]] = &[
        &["--safety", "--shortest"],
        &["--safety", "--keep-going"],
        &["--safety", "--in-order", "--max-depth", "20"],
        &["--ltl", "[] <> (_nr_pr > 0)", "--fair", "weak"],
        &["--ltl", "<> [] (_nr_pr > 1)", "--fair", "strong", "--shortest"],
        &["--ltl", "<> (_nr_pr > 100)", "--precompute", "--algorithm", "ascc"],
    ];
    compare_lossless("models", &small, questions, &[TREE, &["--store", "auto"]]);
}

/// Where the exact store runs out of memory, `auto` goes over into a tree and sees everything; what it says
/// is what the exact one says where there is enough. Its budget is kept.
#[test]
fn auto_changes_when_memory_gets_short() {
    let directory = project("models");
    for (ask, budget) in [
        (&["explore"][..], "5500000"),
        (&["check", "--safety", "--no-reduce"], "5500000"),
        (&["check", "--ltl", "[] (committed < 100)", "--no-reduce", "--in-order"], "10000000"),
    ] {
        let run = |more: &[&str]| {
            report(&directory, &[&ask[..1], &["two_phase_commit.pml"], &ask[1..], more].concat())
        };
        let (code, exact) = run(&[]);
        assert_eq!((code, exact["verdict"].as_str()), (0, Some("holds")), "{ask:?}");
        let (code, full) = run(&["--max-memory", budget]);
        assert_eq!((code, full["verdict"].as_str()), (2, Some("unknown")), "{ask:?}");
        let (code, auto) = run(&["--max-memory", budget, "--store", "auto"]);
        assert_eq!((code, auto["store"].as_str()), (0, Some("auto")), "{ask:?}: {}", auto["reason"]);
        let of_memory = |field: &str| auto["memory"][field].as_u64().expect("a number");
        let taken = of_memory("states_bytes") + of_memory("auxiliary_bytes");
        assert!(taken <= budget.parse().expect("a number"), "{ask:?}: {taken}");
        // It says when it changed, and nobody else does.
        let changed_at = auto["store_changed_at"].as_u64().expect("a number");
        let stored = auto["states"]["stored"].as_u64().expect("a number");
        assert!((1000..stored).contains(&changed_at), "{ask:?}: {changed_at} of {stored}");
        let remark = auto["remarks"][0].as_str().expect("a sentence").to_string();
        assert_eq!(remark, "the store changed from `exact` to `tree`, because memory got short");
        assert!(exact["store_changed_at"].is_null() && exact["remarks"].is_null(), "{ask:?}");
        let (_, enough) = run(&["--max-memory", "1G", "--store", "auto"]);
        assert!(enough["store_changed_at"].is_null() && enough["remarks"].is_null(), "{ask:?}");
        let (_, tree) = run(TREE);
        assert!(tree["store_changed_at"].is_null() && tree["remarks"].is_null(), "{ask:?}");
        assert_eq!(without_bytes(auto), without_bytes(exact), "{ask:?}");
        let within = ["--max-memory", budget, "--store", "auto"];
        let asked = [&ask[..1], &["two_phase_commit.pml"], &ask[1..], &within].concat();
        let text = String::from_utf8_lossy(&lariat(&directory, &asked).stdout).into_owned();
        assert!(text.contains(&format!("note: {remark}\n")), "{text}");
        if ask[0] == "explore" {
            assert!(text.contains("; `tree` since there were "), "{text}");
        }
    }
}
