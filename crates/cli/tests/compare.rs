//! `lariat compare`, from a suite to its files: the runs are real, and what is written beside a run gives it
//! again.

use crate::common;

use crate::common::{lariat, project};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// Weak, strong and terminal automata, several sets, a formula that holds and some that do not, finite runs.
fn suite(models: &Path) -> String {
    let models = models.display();
    format!(
        r#"
title = "locks"
[limits]
seconds = 60
memory = "1G"
[qualify]
algorithm = "ascc"
seconds = 30
[[runs]]
algorithms = "all"
[[runs]]
algorithms = ["ascc", "c99", "tau", "cvwy-gen", "tarjan", "lasso"]
automata = ["generalised"]
[[runs]]
algorithms = ["ascc", "gv", "and", "se", "hpy", "c99"]
products = ["precomputed"]
[[runs]]
algorithms = ["hpy"]
engines = ["interpreted", "auto"]
[[models]]
file = "{models}/peterson.pml"
properties = ["exclusion", "overtaken_once", "no_starvation"]
[[models.formulas]]
name = "both again and again"
ltl = "G F Process[0]@critical & G F Process[1]@critical"
expect = "violated"
[[models.formulas]]
name = "fair"
ltl = "G F Process[1]@critical -> G (Process[0]@waiting -> F Process[0]@critical)"
expect = "violated"
[[models]]
file = "{models}/dekker.dve"
finite-runs = "stutter"
[[models.formulas]]
ltl = 'G F "Left.critical"'
"#
    )
}

struct Place(tempfile::TempDir);

impl Place {
    fn new(suite: &str) -> Place {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("locks.toml"), suite).unwrap();
        Place(directory)
    }

    fn compare(&self, arguments: &[&str]) -> (i32, String, String) {
        let output = lariat(self.0.path(), &[&["compare"], arguments].concat());
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code().unwrap_or(-1), text(output.stdout), text(output.stderr))
    }

    fn read(&self, file: &str) -> String {
        fs::read_to_string(self.0.path().join(file)).unwrap()
    }
}

fn models() -> std::path::PathBuf {
    project("models").canonicalize().unwrap()
}

#[test]
fn a_suite_is_run_and_every_run_can_be_had_again() {
    let place = Place::new(&suite(&models()));
    let (code, printed, _) = place.compare(&["locks.toml", "--jobs", "2"]);
    assert_eq!(code, 0, "{printed}");
    assert!(printed.starts_with("compared: 6 cases, 174 runs\nall verdicts agree\n"), "{printed}");
    assert!(printed.contains("per cent of hpy, summed over 6 cases"), "{printed}");
    let results: Value = serde_json::from_str(&place.read("compare-locks/results.json")).unwrap();
    let (cases, runs) = (results["cases"].as_array().unwrap(), results["runs"].as_array().unwrap());
    assert_eq!((cases.len(), runs.len()), (6, 174));
    assert_eq!(place.read("compare-locks/runs.csv").lines().count(), 175);
    assert!(place.read("compare-locks/index.html").contains("locks"));
    let verdicts: Vec<&str> = cases.iter().map(|case| case["verdict"].as_str().unwrap()).collect();
    assert_eq!(verdicts, ["holds", "holds", "violated", "violated", "violated", "violated"]);
    let strengths: Vec<&str> = cases.iter().map(|case| case["strength"].as_str().unwrap()).collect();
    assert!(strengths.contains(&"weak") && strengths.contains(&"strong"), "{strengths:?}");

    for run in runs {
        let case = &cases[run["case"].as_u64().unwrap() as usize];
        let configuration = &results["configurations"][run["configuration"].as_u64().unwrap() as usize];
        let name = format!("{}, {}", case["name"], configuration["name"]);
        // An algorithm that does not suit the automaton refuses; nothing else may be missing.
        if run["verdict"] == "refused" {
            assert!(["sd", "reach"].contains(&configuration["algorithm"].as_str().unwrap()), "{name}");
            continue;
        }
        assert_eq!(run["verdict"], case["verdict"], "{name}");
        // A precomputed product is searched in the same order.
        if let Some(algorithm) = configuration["name"].as_str().unwrap().strip_suffix(" precomputed") {
            let configurations = results["configurations"].as_array().unwrap();
            let plain = configurations.iter().position(|one| one["name"] == algorithm).unwrap();
            let same =
                runs.iter().find(|other| other["case"] == run["case"] && other["configuration"] == plain);
            for field in ["visited", "transitions", "post_calls", "depth", "prefix", "cycle"] {
                assert_eq!(run[field], same.unwrap()[field], "{name}: {field}");
            }
        }
    }

    // The commands, as the page shows them, for one case.
    let case = &cases[3];
    for run in runs.iter().filter(|run| run["case"] == 3 && run["verdict"] != "refused") {
        let configuration = &results["configurations"][run["configuration"].as_u64().unwrap() as usize];
        let command = format!(
            "exec {} check {} {} --format json",
            env!("CARGO_BIN_EXE_lariat"),
            case["arguments"].as_str().unwrap(),
            configuration["options"].as_str().unwrap()
        );
        let output = std::process::Command::new("sh").args(["-c", &command]).output().unwrap();
        let report: Value = serde_json::from_slice(&output.stdout).expect(&command);
        assert_eq!(report["verdict"], run["verdict"], "{command}");
        assert_eq!(report["transitions"], run["transitions"], "{command}");
        assert_eq!(report["states"]["visited"], run["visited"], "{command}");
        assert_eq!(report["lasso"]["cycle"], run["cycle"], "{command}");
    }
}

#[test]
fn a_verdict_that_is_not_expected_is_said_first() {
    let suite = suite(&models()).replace("expect = \"violated\"", "expect = \"holds\"");
    let place = Place::new(&suite);
    let (code, printed, _) = place.compare(&["locks.toml", "--only", "fair"]);
    assert_eq!(code, 1);
    assert!(printed.contains("\nVERDICTS DIFFER in 1 case:\n  peterson: fair\n"), "{printed}");
}

#[test]
fn results_are_kept_unless_told_otherwise() {
    let place = Place::new(&suite(&models()));
    let only = ["locks.toml", "--only", "exclusion", "--out", "here"];
    assert_eq!(place.compare(&only).0, 0);
    let before = place.read("here/runs.csv");
    let (code, _, said) = place.compare(&only);
    assert_eq!(code, 3);
    assert!(said.contains("here has results already: go on with --resume"), "{said}");
    assert_eq!(place.compare(&[&only[..], &["--resume"]].concat()).0, 0);
    assert_eq!(place.read("here/runs.csv"), before, "times too: nothing was run again");
    assert_eq!(place.compare(&[&only[..], &["--overwrite"]].concat()).0, 0);
}

#[test]
fn errors_are_said_and_counted() {
    let place = Place::new(&suite(&models()).replace("no_starvation", "no_such_property"));
    let (code, printed, _) = place.compare(&["locks.toml"]);
    assert_eq!(code, 3);
    assert!(printed.contains("error: the model states no property `no_such_property`"), "{printed}");
    let (code, printed, _) = place.compare(&["locks.toml", "--only", "no_such_property", "--out", "nothing"]);
    assert_eq!(code, 3);
    assert!(printed.contains("\nno run came to a verdict\n") && !printed.contains("agree"), "{printed}");
    let (code, _, said) = place.compare(&["nowhere.toml"]);
    assert_eq!(
        (code, said.as_str()),
        (3, "error: cannot read nowhere.toml: No such file or directory (os error 2)\n")
    );
    let (code, _, said) = place.compare(&["--built-in", "papers"]);
    assert_eq!(
        (code, said.as_str()),
        (3, "error: there is no built-in suite `papers`\n  = hint: there is paper\n")
    );
}

const SMALL: &str = r#"title = "small"
[limits]
seconds = 20
memory = "100M"
[[runs]]
algorithms = ["hpy", "ascc"]
"#;
const COUNTER: &str =
    "byte x; active proctype P(){ do :: x<3 -> x++ :: x==3 -> x=0 od }\nltl p { [] (x<=3) }\n";

impl Place {
    fn write(&self, file: &str, text: &str) {
        fs::write(self.0.path().join(file), text).unwrap();
    }
}

#[test]
fn a_misspelt_expectation_is_no_expectation() {
    let table = "[[tables]]\nfile = \"t.csv\"\nmodels = \".\"\nmodel = \"m\"\nltl = \"f\"\nexpect = \"e\"\n";
    let place = Place::new(&format!("{SMALL}{table}"));
    place.write("m.pml", COUNTER);
    place.write("t.csv", "m,f,e\nm.pml,G (x<4),violatd\nm.pml,,holds\n");
    let (code, printed, said) = place.compare(&["locks.toml"]);
    let expected = "\
error: `violatd` in the column `e` is no verdict
 --> t.csv:2:15
  |
2 | m.pml,G (x<4),violatd
  |               ^^^^^^^
  = hint: did you mean `violated`? A row may say nothing, or one of `holds`, `violated`

warning: a row without a formula is left out
 --> t.csv:3:1
  |
3 | m.pml,,holds
  | ^^^^^^^^^^^^

1 error
";
    assert_eq!((code, printed.as_str(), said.as_str()), (3, "", expected));
    assert!(!place.0.path().join("compare-locks").exists(), "nothing was written");
    place.write("t.csv", "m,f,e\nm.pml,G (x<4),violated\nm.pml,,holds\n");
    let (code, printed, said) = place.compare(&["locks.toml"]);
    assert!(printed.contains("\nVERDICTS DIFFER in 1 case:\n  m: G (x<4)\n"), "{printed}");
    assert!(code == 1 && said.starts_with("warning: a row without a formula is left out\n"), "{code} {said}");
}

#[test]
fn file_names_are_only_names() {
    let names = ["-m.pml", "-", "m 'q\" &.pml", "<script>alert(1)<.pml", "new\nline\u{1b}[31m.pml"];
    let models = names.map(|name| {
        let name = toml_text(name);
        format!("[[models]]\nfile = {name}\nproperties = [\"p\"]\n[[models.formulas]]\nltl = \"-x <= 0\"\nexpect = \"holds\"\n")
    });
    let place = Place::new(&format!("{SMALL}{}", models.concat()));
    for name in names {
        place.write(name, COUNTER);
    }
    let (code, printed, said) = place.compare(&["locks.toml", "--progress"]);
    assert_eq!(code, 0, "{printed}{said}");
    assert!(printed.starts_with("compared: 10 cases, 20 runs\nall verdicts agree\n"), "{printed}");
    assert!(!said.contains("line\u{1b}"), "{said:?}");
    // They can be had again by hand.
    let results: Value = serde_json::from_str(&place.read("compare-locks/results.json")).unwrap();
    for case in results["cases"].as_array().unwrap() {
        let command =
            format!("exec {} check {}", env!("CARGO_BIN_EXE_lariat"), case["arguments"].as_str().unwrap());
        let mut shell = std::process::Command::new("sh");
        let output = shell.args(["-c", &command]).current_dir(place.0.path()).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{command}");
    }
}

/// As TOML writes it.
fn toml_text(text: &str) -> String {
    serde_json::to_string(text).unwrap()
}

#[test]
fn what_is_not_ours_stays() {
    let place = Place::new(&format!("{SMALL}[[models]]\nfile = \"m.pml\"\nproperties = [\"p\"]\n"));
    place.write("m.pml", COUNTER);
    fs::create_dir(place.0.path().join("mine")).unwrap();
    place.write("mine/index.html", "<title>mine</title>");
    let (code, _, said) = place.compare(&["locks.toml", "--out", "mine", "--overwrite"]);
    let expected = "error: mine/index.html was not written by lariat compare, which would write over it: \
                    move it away, or name another directory with --out\n";
    assert_eq!((code, said.as_str()), (3, expected));
    assert_eq!(place.read("mine/index.html"), "<title>mine</title>");
    assert!(!place.0.path().join("mine/journal.jsonl").exists());
    let (code, _, said) = place.compare(&["locks.toml", "--out", "m.pml"]);
    assert!(code == 3 && said.starts_with("error: m.pml is a file"), "{said}");
}

#[test]
fn a_model_that_has_changed_is_run_again() {
    let place = Place::new(&format!("{SMALL}[[models]]\nfile = \"m.pml\"\nproperties = [\"p\"]\n"));
    place.write("m.pml", COUNTER);
    assert_eq!(place.compare(&["locks.toml"]).0, 0);
    assert!(place.read("compare-locks/cases.csv").contains(",holds,"));
    place.write("m.pml", &COUNTER.replace("x<=3", "x<=2"));
    let (code, _, said) = place.compare(&["locks.toml", "--resume"]);
    assert_eq!((code, said.as_str()), (0, "note: m.pml has changed since: 3 runs are run again\n"));
    assert!(place.read("compare-locks/cases.csv").contains(",violated,"));

    // One byte of the journal is no text.
    let journal = place.0.path().join("compare-locks/journal.jsonl");
    let mut bytes = fs::read(&journal).unwrap();
    bytes[30] = 0xff;
    fs::write(&journal, bytes).unwrap();
    let (code, _, said) = place.compare(&["locks.toml", "--resume"]);
    let expected = "note: compare-locks/journal.jsonl: line 1 cannot be read: its run is run again\n";
    assert_eq!((code, said.as_str()), (0, expected));
}

/// Ctrl-C reaches the runs too. What they say then is no result.
#[cfg(unix)]
#[test]
fn a_campaign_that_is_interrupted_writes_what_it_has() {
    use std::os::unix::process::CommandExt;
    let place = Place::new(&suite(&models()));
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_lariat"));
    command.args(["compare", "locks.toml", "--jobs", "2"]).current_dir(place.0.path()).process_group(0);
    let mut child =
        command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null()).spawn().unwrap();
    let journal = place.0.path().join("compare-locks/journal.jsonl");
    let lines = || fs::read(&journal).map_or(0, |text| text.iter().filter(|&&byte| byte == b'\n').count());
    let start = std::time::Instant::now();
    while lines() < 5 {
        assert!(start.elapsed().as_secs() < 60, "nothing happens");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let group = format!("-{}", child.id());
    assert!(std::process::Command::new("kill").args(["-INT", "--", &group]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(2));
    let results: Value = serde_json::from_str(&place.read("compare-locks/results.json")).unwrap();
    assert_eq!(results["complete"], false);
    assert!(place.read("compare-locks/index.html").ends_with("</html>\n"));
    assert!(!place.read("compare-locks/journal.jsonl").contains("interrupted"));
    let (code, printed, said) = place.compare(&["locks.toml", "--jobs", "2", "--resume"]);
    assert_eq!((code, said.as_str()), (0, ""), "{printed}");
    assert!(printed.starts_with("compared: 6 cases, 174 runs\nall verdicts agree\n"), "{printed}");
}

/// A limit that nobody keeps leaves nothing that could agree.
#[test]
fn no_verdict_is_no_agreement() {
    let text = format!("{SMALL}[qualify]\nalgorithm = \"ascc\"\nseconds = 0.000001\n");
    let place = Place::new(&format!("{text}[[models]]\nfile = \"m.pml\"\nproperties = [\"p\"]\n"));
    place.write("m.pml", COUNTER);
    let (code, printed, _) = place.compare(&["locks.toml"]);
    assert!(code == 2 && printed.contains("\nno run came to a verdict\n"), "{code}: {printed}");
}

/// A campaign that is killed again and again comes to the same in the end.
#[cfg(unix)]
#[test]
fn a_campaign_that_was_killed_goes_on() {
    let place = Place::new(&suite(&models()));
    let only = ["locks.toml", "--only", "peterson", "--jobs", "2"];
    let numbers = |directory: &str| -> Vec<Vec<String>> {
        let results: Value = serde_json::from_str(&place.read(&format!("{directory}/results.json"))).unwrap();
        let row = |run: &Value| {
            ["case", "configuration", "verdict", "visited", "transitions", "depth"]
                .map(|f| run[f].to_string())
                .to_vec()
        };
        results["runs"].as_array().unwrap().iter().map(row).collect()
    };
    assert_eq!(place.compare(&[&only[..], &["--out", "whole"]].concat()).0, 0);
    let mut known = 0;
    for round in 0..6 {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_lariat"));
        command.arg("compare").args(only).args(["--out", "killed"]).current_dir(place.0.path());
        command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
        if place.0.path().join("killed/journal.jsonl").exists() {
            command.arg("--resume");
        }
        let mut child = command.spawn().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(120 * (round + 1)));
        child.kill().unwrap();
        child.wait().unwrap();
        let lines = fs::read(place.0.path().join("killed/journal.jsonl")).unwrap_or_default();
        let lines = lines.iter().filter(|&&byte| byte == b'\n').count();
        assert!(lines >= known, "nothing is lost");
        known = lines;
    }
    let (code, printed, _) = place.compare(&[&only[..], &["--out", "killed", "--resume"]].concat());
    assert_eq!(code, 0, "{printed}");
    assert_eq!(numbers("killed"), numbers("whole"));
}

/// What a comparison asks for is cut short by a limit like any other search: then nothing is said to hold.
#[test]
fn a_limit_is_no_verdict() {
    for algorithm in ["ascc", "gv", "and", "se", "hpy", "c99"] {
        for product in [&["--precompute"][..], &[]] {
            let arguments = ["check", "peterson.pml", "--property", "exclusion", "--algorithm", algorithm];
            let limits = ["--degeneralise", "--verdict-only", "--max-states", "20"];
            let (code, report) = common::report(&models(), &[&arguments[..], &limits, product].concat());
            assert_eq!((code, report["verdict"].as_str()), (2, Some("unknown")), "{algorithm} {product:?}");
        }
    }
    let (code, report) =
        common::report(&models(), &["scc", "peterson.pml", "--property", "exclusion", "--max-states", "20"]);
    assert_eq!((code, report["verdict"].as_str()), (2, Some("unknown")));
}
