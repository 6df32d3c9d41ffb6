//! `lariat empty`, `lariat scc` and `lariat algorithms` from outside.

use crate::common::{lariat, project};
use assert_cmd::Command;
use serde_json::Value;

fn run(command: &[&str], input: &str) -> (i32, String, String) {
    let mut binary = Command::cargo_bin("lariat").unwrap();
    let output = binary.args(command).write_stdin(input).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap_or(-1), text(output.stdout), text(output.stderr))
}

fn empty(options: &[&str], input: &str) -> (i32, String, String) {
    run(&[&["empty", "-"], options].concat(), input)
}

/// A way into a cycle that meets both sets: weak, because there is no other cycle.
const ROUND: &str = r#"HOA: v1
name: "both"
States: 3
Start: 0
AP: 2 "a" "b c"
acc-name: generalized-Buchi 2
Acceptance: 2 Inf(0)&Inf(1)
--BODY--
State: 0
[0&!1] 1
State: 1
[1] 2 {0}
State: 2
[!0] 1 {1}
--END--
"#;

/// Two cycles, each with one of the sets 0 and 2; nobody meets 1.
const APART: &str = r#"HOA: v1
States: 3
Start: 0
AP: 1 "a"
acc-name: generalized-Buchi 3
Acceptance: 3 Inf(0)&Inf(1)&Inf(2)
--BODY--
State: 0
[0] 1
[!0] 2
State: 1
[t] 1 {0}
State: 2
[0] 2 {2}
[!0] 0 {0 2}
--END--
"#;

/// Weak, but marked so that one state of its cycle only accepts, and not the one that a search meets last.
/// The loop of state 3 does not exist.
const WEAK: &str = r#"HOA: v1
States: 4
Start: 0
AP: 1 "a"
acc-name: Buchi
Acceptance: 1 Inf(0)
--BODY--
State: 0
[0] 1
[0] 3
State: 1 {0}
[0] 2
State: 2
[!0] 0
State: 3 {0}
[f] 3
--END--
"#;

/// The only accepting cycle has a false label.
const NOTHING: &str = r#"HOA: v1
States: 2
Start: 0
AP: 1 "a"
acc-name: Buchi
Acceptance: 1 Inf(0)
--BODY--
State: 0
[t] 0
[0] 1
State: 1
[0&!0] 1 {0}
[f] 0 {0}
--END--
"#;

/// With an accepting loop beside one that does not accept.
fn strong() -> String {
    APART.replace("[t] 1 {0}", "[t] 1 {0 1 2}\n[0] 1")
}

const ALL: [&str; 14] = [
    "lasso", "cvwy", "cvwy-gen", "hpy", "gmz", "se", "and", "sd", "reach", "tarjan", "gv", "c99", "ascc",
    "tau",
];

#[test]
fn a_word_is_shown() {
    let (code, text, messages) = empty(&[], ROUND);
    assert_eq!(
        text,
        "not empty: a word is accepted (sd: the automaton is weak, so one depth-first search decides)\n\
         prefix: a & !(b c)\n\
         cycle: (b c); !a\n"
    );
    assert_eq!((code, messages.as_str()), (1, ""));
    let (code, text, messages) = empty(&[], &strong());
    assert_eq!(
        text,
        "not empty: a word is accepted (ascc: the automaton is strong; components are found as soon as they accept)\n\
         prefix: a\n\
         cycle: true\n"
    );
    assert_eq!((code, messages.as_str()), (1, ""));
}

#[test]
fn nothing_is_accepted() {
    let (code, text, messages) = empty(&[], NOTHING);
    assert_eq!(
        text,
        "empty: no word is accepted (reach: the automaton is terminal, so reaching an accepting state decides)\n"
    );
    assert_eq!((code, messages.as_str()), (0, ""));
}

#[test]
fn all_algorithms_agree() {
    for algorithm in ALL {
        for more in [&[][..], &["--degeneralise"]] {
            let options = [&["--algorithm", algorithm], more].concat();
            let code = |automaton: &str| empty(&options, automaton).0;
            let (weak, terminal) = (algorithm == "sd", algorithm == "reach");
            assert_eq!(code(ROUND), if terminal { 3 } else { 1 }, "{options:?}");
            assert_eq!(code(APART), 0, "{options:?}");
            assert_eq!(code(WEAK), if terminal { 3 } else { 1 }, "{options:?}");
            assert_eq!(code(NOTHING), 0, "{options:?}");
            assert_eq!(code(&strong()), if weak || terminal { 3 } else { 1 }, "{options:?}");
        }
    }
}

#[test]
fn what_an_algorithm_cannot_do_is_refused() {
    let (code, text, messages) = empty(&["--algorithm", "sd"], &strong());
    assert_eq!(text, "refused: `sd` needs a weak automaton, and this one is strong\n");
    assert_eq!((code, messages.as_str()), (3, ""));
    let (code, text, _) = empty(&["--algorithm", "reach", "--format", "json"], WEAK);
    let object: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((code, object["verdict"].as_str()), (3, Some("refused")));
    assert_eq!(object["reason"], "`reach` needs a terminal automaton, and this one is weak");
}

#[test]
fn some_of_the_sets() {
    let first_line = |options: &[&str]| {
        let (code, text, messages) = empty(options, APART);
        assert_eq!(messages, "");
        (code, text.lines().next().unwrap_or("").split(" (").next().unwrap_or("").to_string())
    };
    let yes = (1, "not empty: there is such a cycle".to_string());
    let no = (0, "empty: there is no such cycle".to_string());
    for algorithm in ["auto", "ascc", "tau", "se", "gv", "lasso"] {
        let ask = |options: &[&str]| first_line(&[options, &["--algorithm", algorithm]].concat());
        assert_eq!(ask(&["--cover", "0"]), yes);
        assert_eq!(ask(&["--cover", "1"]), no);
        assert_eq!(ask(&["--cover", "0,2"]), yes);
        assert_eq!(ask(&["--cover", "0,1"]), no);
        assert_eq!(ask(&["--at-least", "0"]), yes);
        assert_eq!(ask(&["--at-least", "2"]), yes);
        assert_eq!(ask(&["--at-least", "3"]), no);
    }
    let (_, text, _) = empty(&["--at-least", "2", "--algorithm", "ascc"], APART);
    assert_eq!(
        text,
        "not empty: there is such a cycle (ascc: as asked)\nacceptance sets: {0, 2}\ncycle: !a; !a\n"
    );
    let (_, text, _) = empty(&["--at-least", "2", "--format", "json"], APART);
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap()["sets"], serde_json::json!([0, 2]));
}

#[test]
fn questions_that_make_no_sense() {
    for (options, message) in [
        (["--cover", "0,3"], "it has 3 acceptance sets, numbered from 0, so there is no set 3"),
        (["--cover", "4000000000"], "so there is no set 4000000000"),
        (["--at-least", "4"], "it has 3 acceptance sets, numbered from 0, so no cycle meets 4 of them"),
        (["--cover", "x"], "invalid value 'x'"),
        (["--cover", ""], "invalid value ''"),
        (["--at-least", "-1"], "error: "),
        (["--algorithm", "best"], "there is auto, lasso, cvwy"),
    ] {
        let (code, text, messages) = empty(&options, APART);
        assert_eq!((code, text.as_str()), (3, ""), "{options:?}");
        assert!(messages.contains(message), "{options:?}: {messages}");
    }
    assert_eq!(empty(&["--cover", "0", "--at-least", "1"], APART).0, 3);

    let sets: Vec<String> = (0..40).map(|set| format!("Inf({set})")).collect();
    let many = format!("HOA: v1\nStart: 0\nAcceptance: 40 {}\n--BODY--\nState: 0\n--END--\n", sets.join("&"));
    let (code, _, messages) = empty(&["--at-least", "20"], &many);
    assert_eq!(code, 3);
    assert!(
        messages.contains("there are 137846528820 ways to choose 20 of 40 acceptance sets"),
        "{messages}"
    );
}

#[test]
fn a_stream_of_automata() {
    let stream = format!("{ROUND}{NOTHING}{WEAK}");
    let (code, text, messages) = empty(&[], &stream);
    assert_eq!(
        text,
        "not empty: automaton 1 (both): prefix: a & !(b c), cycle: (b c); !a\n\
         empty: automaton 2\n\
         not empty: automaton 3: cycle: a; a; !a\n"
    );
    assert_eq!((code, messages.as_str()), (1, ""));
    assert_eq!(empty(&[], &format!("{NOTHING}{NOTHING}")).0, 0);
    let (code, text, _) = empty(&["--format", "json"], &stream);
    let objects: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let verdicts: Vec<&str> = objects.iter().filter_map(|object| object["verdict"].as_str()).collect();
    assert_eq!((code, verdicts), (1, vec!["not-empty", "empty", "not-empty"]));
    let first = &objects[0];
    assert_eq!(first["schema"], "lariat-emptiness/1");
    assert_eq!((&first["file"], &first["name"]), (&Value::from("<stdin>"), &Value::from("both")));
    assert_eq!(first["prefix"], serde_json::json!(["a & !(b c)"]));
    assert_eq!(first["cycle"], serde_json::json!(["(b c)", "!a"]));
    assert_eq!(first["states"]["visited"], 3);
    assert_eq!((&first["transitions"], &first["post_calls"]), (&Value::from(3), &Value::from(3)));
}

#[test]
fn never_claims_are_read() {
    let claim = "never { T0: do :: !p -> goto accept :: 1 od; accept: do :: !p od }";
    let (code, text, _) = empty(&["--algorithm", "cvwy"], claim);
    assert_eq!(code, 1);
    assert!(text.ends_with("cycle: !p\n"), "{text}");
}

#[test]
fn errors_have_a_place() {
    let (code, text, messages) = empty(&[], "HOA: v1\nStates: x\n");
    assert_eq!((code, text.as_str()), (3, ""));
    assert!(messages.contains("<stdin>:2:") && messages.contains('^'), "{messages}");
    let (code, _, messages) = empty(&[], "");
    assert_eq!(code, 3);
    assert!(messages.contains("there is no automaton in this text"), "{messages}");
    let (code, _, messages) = run(&["empty", "/no/such/file.hoa"], "");
    assert_eq!(code, 3);
    assert!(messages.starts_with("error: "), "{messages}");
    // What can be read has an answer all the same.
    let (code, text, _) = empty(&[], &format!("{NOTHING}HOA: v1\nStates: x\n--BODY--\n--END--\n"));
    assert_eq!((code, text.as_str()), (3, "empty: automaton 1\n"));
}

/// A ring of three states behind a state that is left for ever, and a way out of the ring to an end.
const RING: &str = "byte x; active proctype P() { x = 1; do :: x < 3 -> x++ :: x == 3 -> x = 1; :: x == 2 -> break od; x = 7 }";

#[test]
fn components_of_a_model() {
    let (code, text, messages) = run(&["scc", "-"], RING);
    assert_eq!((code, messages.as_str()), (0, ""));
    let (head, _) = text.split_once("\n\n").unwrap();
    assert_eq!(
        head,
        "explored: 10 states in 5 strongly connected components\n\
         largest: 6 states\n\
         trivial (one state, no cycle): 4\n\
         one state with a self-loop: 0\n\
         sizes:\n  \
           1 to 9: 5 components, 10 states"
    );
    let (_, text, _) = run(&["scc", "-", "--format", "json"], RING);
    let object: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(object["schema"], "lariat-components/1");
    assert_eq!((&object["verdict"], &object["reason"]), (&Value::from("holds"), &Value::Null));
    assert_eq!(object["components"]["count"], 5);
    assert_eq!(
        object["components"]["sizes"],
        serde_json::json!([{"from": 1, "to": 9, "components": 5, "states": 10}])
    );
}

#[test]
fn a_self_loop_is_no_end() {
    let (_, text, _) = run(&["scc", "-"], "active proctype P() { do :: skip od }");
    assert!(text.contains("one state with a self-loop: 1\n"), "{text}");
    let (_, text, _) = run(&["scc", "-"], "active proctype P() { false }");
    assert!(text.contains("trivial (one state, no cycle): 1\n"), "{text}");
    assert!(text.contains("one state with a self-loop: 0\n"), "{text}");
}

#[test]
fn components_that_accept() {
    let model = "byte x; active proctype P() { do :: x < 2 -> x++ :: x == 2 -> accept: x = 0 :: break od; accept_end: false }";
    let (_, text, _) = run(&["scc", "-"], model);
    assert!(text.contains("accepting (a cycle through an accept label): 1\n"), "{text}");
    let (_, text, _) = run(&["scc", "-", "--format", "json"], model);
    let object: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(object["components"]["accepting"], 1);
}

#[test]
fn a_time_limit_leaves_it_open() {
    // Every state leads to every other, and none is accepting: quadratic work for `lasso`.
    let size = 300;
    let mut hoa = format!("HOA: v1\nStates: {size}\nStart: 0\nAP: 0\nAcceptance: 1 Inf(0)\n--BODY--\n");
    for state in 0..size {
        hoa += &format!("State: {state}\n");
        (0..size).for_each(|to| hoa += &format!("[t] {to}\n"));
    }
    hoa += "--END--\n";
    let (code, text, _) = empty(&["--algorithm", "lasso", "--timeout", "0.001"], &hoa);
    assert_eq!(code, 2, "{text}");
    assert!(text.starts_with("unknown: the time limit of 0.001 s was reached"), "{text}");
}

#[test]
fn components_and_limits() {
    let (code, text, _) = run(&["scc", "-", "--max-states", "3"], RING);
    assert_eq!(code, 2);
    assert!(text.starts_with("unknown: the limit of 3 states was reached\n"), "{text}");
    let (code, text, _) = run(&["scc", "-", "--max-depth", "2", "--format", "json"], RING);
    let object: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((code, &object["verdict"], &object["components"]), (2, &Value::from("unknown"), &Value::Null));
    let (code, text, messages) = run(&["scc", "-"], "active proctype P() { y = 1 }");
    assert_eq!((code, text.as_str()), (3, ""));
    assert!(messages.contains("<stdin>:1:") && messages.contains('^'), "{messages}");
}

/// The components of a model hold the states that `explore` counts.
#[test]
fn components_hold_all_states() {
    for model in ["models/alternating_bit.pml", "models/peterson.pml"] {
        let json = |command: &str| -> Value {
            let output = lariat(&project("."), &[command, model, "--format", "json"]);
            serde_json::from_slice(&output.stdout).unwrap()
        };
        let (explored, found) = (json("explore"), json("scc"));
        assert_eq!(explored["states"]["stored"], found["states"]["stored"], "{model}");
        let sizes = found["components"]["sizes"].as_array().unwrap();
        let sum = |field: &str| sizes.iter().map(|class| class[field].as_u64().unwrap()).sum::<u64>();
        assert_eq!(Some(sum("states")), found["states"]["stored"].as_u64(), "{model}");
        assert_eq!(Some(sum("components")), found["components"]["count"].as_u64(), "{model}");
    }
}

#[test]
fn the_algorithms_are_listed() {
    let (code, text, messages) = run(&["algorithms"], "");
    assert_eq!((code, messages.as_str()), (0, ""));
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "name      needs     posts  bits  numbers  threads  what it does");
    assert_eq!(
        lines[1],
        "lasso     any-sets   many     1        0  one      from every state, which marks lie on a way back to it; quadratic"
    );
    assert_eq!(lines[2], "                                                   Schwoon 2025 (slides)");
    for (nth, name) in ALL.iter().enumerate() {
        assert!(lines[1 + 2 * nth].starts_with(&format!("{name} ")), "{name}");
    }
    let auto = "auto: reach if the automaton is terminal, sd if it is weak (csd, for both, by several threads), else ascc (cascc by several); others are used if they are named\n";
    assert!(text.ends_with(auto), "{text}");
    let (code, text, _) = run(&["algorithms", "--format", "json"], "");
    let objects: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let (single, threaded) = (lariat_checker::ALGORITHMS.len(), lariat_checker::THREADED.len());
    assert_eq!((code, objects.len()), (0, single + threaded));
    assert!(objects.iter().enumerate().all(|(nth, row)| (nth >= single) == row["threads"].is_object()));
    for (object, check) in objects.iter().zip(lariat_checker::ALGORITHMS) {
        assert_eq!(object["schema"], "lariat-algorithm/1");
        assert_eq!(
            (object["name"].as_str(), object["paper"].as_str()),
            (Some(check.name), Some(check.paper))
        );
    }
    assert_eq!(objects[2]["posts"], serde_json::json!({"fixed": 0, "per_set": 2}));
    assert_eq!(objects[0]["posts"], Value::Null);
}

/// Of the words of [`ROUND`], `b c` is true again and again, and a false again and again.
#[test]
fn only_words_that_keep_what_is_assumed() {
    for (assumptions, expected) in [
        (&["G F a"][..], 1),
        (&[r#"F G !"b c""#], 0),
        (&["F G a"], 0),
        (&["G F a", "G F d"], 1),
        (&["F G d", "G F !d"], 0),
        (&[r#"G (a -> X !"b c")"#, "G F a"], 0),
    ] {
        let options: Vec<&str> = assumptions.iter().flat_map(|text| ["--assume", text]).collect();
        for algorithm in ["auto", "tau", "hpy", "streett"] {
            let options = [&options[..], &["--algorithm", algorithm]].concat();
            let (code, printed, said) = empty(&options, ROUND);
            assert_eq!((code, said.as_str()), (expected, ""), "{options:?}: {printed}");
        }
    }
    let (code, _, said) = empty(&["--assume", "G F ("], ROUND);
    assert!(code == 3 && said.contains("<assumption>:1"), "{said}");
    assert_eq!(empty(&["--assume", "G F a", "--cover", "0"], ROUND).0, 3);
}

#[test]
fn components_that_are_fair() {
    let count = |kind: &str| {
        let model = project("models/peterson.pml").display().to_string();
        let (code, printed, _) = run(&["scc", &model, "--fair", kind, "--format", "json"], "");
        let report: Value = serde_json::from_str(&printed).unwrap_or_default();
        (code, report["components"]["accepting"].as_u64())
    };
    assert_eq!((count("weak"), count("unconditional")), ((0, Some(1)), (0, Some(1))));
    assert_eq!((count("strong"), count("none")), ((3, None), (0, None)));
}
