//! Small models in which much meets, searched in every way that must not matter: engines, stores, threads,
//! algorithms, searches in pieces. Each model has what the others have not, and some hundreds of states.

use crate::common::{lariat, project, verdict};
use serde_json::Value;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// A model, and a formula about it.
struct Case {
    name: &'static str,
    formula: &'static str,
    text: &'static str,
}

const CASES: [Case; 6] = [
    Case {
        name: "children",
        formula: "[] (got == 1 -> <> (got != 1))",
        text: "byte n, got;
chan c = [0] of { byte };
proctype Child(byte who) {
  byte x;
  atomic { c!who; n = n + who };
  if :: n > 2 -> x = 1 :: n <= 2 -> x = n; n = n + 0 fi;
  d_step { n = n - who; x = 0 }
}
active proctype Parent() {
  byte i, x;
  do
  :: _nr_pr < 3 -> run Child(1 + i); i = (i + 1) % 2
  :: atomic { c?x -> got = x; if :: got == 2 -> got = 0 :: else fi }
  od
}
",
    },
    Case {
        name: "errors",
        formula: "[] <> (a != 1) || <> [] (list[a] == 0)",
        text: "byte a, b = 1, list[2];
active [2] proctype P() {
  byte x = 1;
  do
  :: x = 1 + x % 3
  :: a = x % 2
  :: x == 3 -> list[a + (b == 3)] = b & 1
  :: x != 2 -> b = (6 / (a + x - 1 - (b == 2))) % 4
  :: b == 2 -> assert(list[0] != 1 || _pid == 0)
  od
}
",
    },
    Case {
        name: "endings",
        formula: "<> (a == 4) && <> [] (a < 9)",
        text: "chan q = [2] of { byte };
byte a;
bool late, other;
active proctype Sender() {
  byte i;
  { do :: i < 5 -> q!i; i++ :: i >= 3 -> break od; other = true } unless { late -> a = 9 }
}
active proctype Receiver() {
  byte x;
  do
  :: q?x -> a = x
  :: timeout -> late = !late; break
  :: a == 4 && other -> goto stuck
  od;
  a = a + 1;
stuck: q?[7] -> skip
}
active proctype Noise() { byte k; do :: k < 3 -> k++ :: other -> break od }
",
    },
    Case {
        name: "hidden",
        formula: "[] <> (a == 0) -> [] <> (b == 0)",
        text: "hidden byte seen;
byte a, b;
chan c = [0] of { byte };
active proctype P() { do :: a < 3 -> a++ :: a > 0 -> c!a; a-- :: b == 2 -> seen = seen + a; b = 0 od }
active proctype Q() {
  byte x, y;
  do :: c?x -> seen = x; b = (b + x) % 3 :: y < 4 -> y++ :: atomic { y == 4 -> y = 0; b = 0; c?x } od
}
",
    },
    Case {
        name: "priorities",
        formula: "[] <> (a == 3) -> [] <> (a == 2)",
        text: "byte a, turns;
chan q = [2] of { byte };
active proctype Low() priority 1 { do :: a = (a + 1) % 5; q!a od }
active proctype Middle() priority 2 {
  byte k;
  do :: len(q) == 2 -> k = (k + 1) % 6 :: a == 4 && k > 3 -> k = 0 od
}
active proctype High() priority 5 {
  byte x;
  do
  :: q?x -> if :: x == 3 -> set_priority(0, 5) :: x == 4 -> set_priority(0, 1) :: else fi
  :: a == 0 && turns < 9 -> turns++; set_priority(_pid, 1 + turns % 3)
  od;
}
",
    },
    Case {
        name: "endless",
        formula: "[] <> (x == 1)",
        text: "byte x, y;
active proctype P() {
  do
  :: x = (x + 1) % 4
  :: atomic { y == 7 -> do :: x < 3 -> x = x + 1 :: x == 3 -> x = 1 :: x == 2 -> break od }
  od
}
active [2] proctype Q() {
  byte k;
  do :: y = (y + 1) % 8 :: k = (k + 1) % 5 :: y == 3 && k == 4 -> break od;
  false
}
",
    },
];

/// The models, as files.
fn written() -> TempDir {
    let directory = TempDir::new().expect("a directory");
    for case in &CASES {
        fs::write(directory.path().join(format!("{}.pml", case.name)), case.text).expect("a model");
    }
    directory
}

/// The exit code of a command, and its reports, without what may depend on the way.
fn reports(directory: &Path, command: &[&str]) -> (Option<i32>, Vec<Value>) {
    let format: &[&str] = if command[0] == "resume" { &[] } else { &["--format", "json"] };
    let output = lariat(directory, &[command, format].concat());
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let of_the_way = ["seconds", "memory", "engine", "threads", "store", "store_changed_at", "remarks"];
    let of_the_order = ["stacks", "depth", "order_given_up", "reduced", "post_calls"];
    let reports = text.lines().map(|line| {
        let mut report: Value = serde_json::from_str(line).expect("a line is an object");
        let fields = report.as_object_mut().expect("an object");
        of_the_way.iter().chain(&of_the_order).for_each(|field| _ = fields.remove(*field));
        report
    });
    (output.status.code(), reports.collect())
}

fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}

/// The models are what they are meant to be: none is tiny, and there is something to find.
#[test]
fn what_the_models_have() {
    let directory = written();
    let mut found = Vec::new();
    for case in &CASES {
        let (_, all) = reports(directory.path(), &["explore", &format!("{}.pml", case.name)]);
        let number = |field: &str| all[0][field].as_u64().unwrap_or_default();
        let states = all[0]["states"]["stored"].as_u64().unwrap_or_default();
        assert!((100..5000).contains(&states), "{}: {states}", case.name);
        found.push(["deadlocks", "assertion_violations", "runtime_errors"].map(|field| number(field) > 0));
    }
    for kind in 0..3 {
        assert!(found.iter().any(|found| found[kind]) && !found.iter().all(|found| found[kind]), "{kind}");
    }
}

#[test]
fn safety_in_every_way() {
    let directory = written();
    let mut complaints = Vec::new();
    for case in &CASES {
        let file = format!("{}.pml", case.name);
        for question in [
            "explore",
            "check --safety",
            "check --safety --no-reduce",
            "check --safety --keep-going --no-reduce",
            "check --safety --keep-going --reset-dead-variables --merge-statements",
            "check --safety --shortest --no-reduce",
        ] {
            let asked = [&words(question)[..], &[&file]].concat();
            let ask = |way: &str| reports(directory.path(), &[&asked[..], &words(way)].concat());
            let expected = ask("--engine interpreted --threads 1 --threads-after 10");
            for way in [
                "--engine compiled --threads 1 --threads-after 100",
                "--engine compiled --threads 2 --threads-after 0 --store tree --no-recall",
                "--engine interpreted --threads 4 --threads-after 10 --store tree",
                "--engine compiled --threads 3 --threads-after 10 --store auto",
                "--engine compiled --threads 2 --threads-after 0 --number-all",
            ] {
                if ask(way) != expected {
                    complaints.push(format!("{}: `{question}` with {way}", case.name));
                }
            }
        }
    }
    verdict(complaints);
}

/// Every algorithm that accepts the question says what `auto` says; and what it counts and shows depends
/// neither on the engine nor on the store.
#[test]
fn formulas_in_every_way() {
    let directory = written();
    let names = lariat(&project("models"), &["algorithms", "--format", "json"]);
    let names = String::from_utf8_lossy(&names.stdout).into_owned();
    let names: Vec<Value> = names.lines().map(|line| serde_json::from_str(line).expect("a row")).collect();
    let names: Vec<&str> = names.iter().filter_map(|row| row["name"].as_str()).collect();
    let (mut complaints, mut violated, mut compared) = (Vec::new(), 0, 0);
    for case in &CASES {
        let file = format!("{}.pml", case.name);
        for rules in ["", "--fair weak --no-reduce"] {
            let ask = |way: &str| {
                let asked = ["check", &file, "--ltl", case.formula];
                reports(directory.path(), &[&asked[..], &words(rules), &words(way)].concat())
            };
            let (code, _) = ask("--threads 1");
            violated += usize::from(code == Some(1));
            for name in &names {
                let alone = ask(&format!("--algorithm {name} --engine interpreted --threads 1"));
                if alone.0 == Some(3) {
                    continue;
                }
                let other = format!("--algorithm {name} --engine compiled --store tree --no-recall");
                compared += 1;
                if alone.0 != code || ask(&other) != alone {
                    complaints.push(format!("{} {rules}: {name}, {code:?} and {:?}", case.name, alone.0));
                }
            }
        }
    }
    assert!(violated >= 3 && compared > 150, "{violated} {compared}");
    verdict(complaints);
}

/// There is one way to each state, so that nothing that is lost is found again.
const BRANCHES: &str = "int x;
byte depth;
active proctype P() {
  do
  :: d_step { depth < 13 -> depth++; x = 2 * x }
  :: d_step { depth < 13 -> depth++; x = 2 * x + 1 }
  :: x > 8180 -> assert(x < 8185)
  od
}
";

/// A search that has given up its order has states in flight when there is no more memory. With more, it goes
/// on, and they are not lost.
#[test]
fn in_pieces_out_of_order() {
    let directory = tempfile::tempdir_in("/dev/shm").or_else(|_| TempDir::new()).expect("a directory");
    fs::write(directory.path().join("branches.pml"), BRANCHES).expect("a model");
    let run = |command: &[&str]| {
        let output = lariat(directory.path(), command);
        serde_json::from_slice::<Value>(&output.stdout).expect("a report")
    };
    let seen = |report: &Value| {
        let fields = ["verdict", "reason", "states", "transitions", "violations"];
        fields.map(|field| report[field].clone())
    };
    let mut pieces = 0;
    for question in [
        "explore branches.pml --engine interpreted",
        "explore branches.pml --engine compiled",
        "explore branches.pml --engine compiled --no-recall --store tree",
        "check branches.pml --safety --keep-going --no-reduce --engine compiled",
    ] {
        let asked = words(question);
        let asked = [&asked[..], &words("--threads 1 --threads-after 0 --format json")].concat();
        let whole = run(&asked);
        assert!(whole["states"]["stored"].as_u64() > Some(16383), "{question}");
        let bytes = |field: &str| whole["memory"][field].as_u64().expect("a number");
        let all = bytes("states_bytes") + bytes("auxiliary_bytes");
        let limits = [40, 50, 60, 70, 80, 90, 1000].map(|share| (all * share / 100).to_string());
        let first = [&asked[..], &["--checkpoint", "it", "--max-memory", &limits[0]]].concat();
        let mut found = run(&first);
        for limit in &limits[1..] {
            if found["reason"].is_string() {
                pieces += 1;
                found = run(&["resume", "it", "--max-memory", limit]);
            }
        }
        assert_eq!(seen(&found), seen(&whole), "{question}");
    }
    assert!(pieces >= 8, "{pieces}");
}

/// `auto` goes over into a tree while threads wait for their turns; and searches in turns are left and
/// entered again, for checkpoints. All states are there, and all violations are counted.
#[test]
fn a_store_that_changes_among_threads() {
    let directory = tempfile::tempdir_in("/dev/shm").or_else(|_| TempDir::new()).expect("a directory");
    let model = fs::read_to_string(project("models").join("two_phase_commit.pml")).expect("a model");
    // Fails in some states, and doubles their number.
    let broken = model + "active proctype Breaks() { assert(_nr_pr < 3) }\n";
    fs::write(directory.path().join("broken.pml"), broken).expect("a model");
    for question in ["explore broken.pml", "check broken.pml --safety --keep-going --no-reduce"] {
        let ask = |way: &str| {
            let command = [words(question), words(way), words("-D N=2 --format json")].concat();
            let output = lariat(directory.path(), &command);
            serde_json::from_slice::<Value>(&output.stdout).expect("a report")
        };
        let seen = |report: &Value| {
            let counts = ["states", "transitions", "deadlocks", "assertion_violations", "violations"];
            counts.map(|field| report[field].clone())
        };
        let exact = ask("--threads 1");
        assert!(exact["violations"][0]["count"].as_u64() > Some(1000), "{question}");
        for threads in ["2", "4"] {
            let within = "--store auto --max-memory 1200000 --threads-after 1000";
            let auto = ask(&format!("{within} --threads {threads}"));
            assert_eq!(seen(&auto), seen(&exact), "{question}, {threads}: {}", auto["reason"]);
            // When one thread had long begun.
            let changed_at = auto["store_changed_at"].as_u64();
            assert!(changed_at > Some(3000), "{question}, {threads}: {changed_at:?}");
            let often = "--store tree --threads-after 1000 --checkpoint it --checkpoint-every 0.03s";
            let tree = ask(&format!("{often} --threads {threads}"));
            assert_eq!(seen(&tree), seen(&exact), "{question}, {threads}: {}", tree["reason"]);
        }
    }
}
