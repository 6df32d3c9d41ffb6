//! `lariat translate` from outside.

use crate::common;
#[cfg(unix)]
use crate::transcripts;

use assert_cmd::Command;
use serde_json::Value;

/// The exit code and the JSON objects on the standard output.
fn json(arguments: &[&str]) -> (i32, Vec<Value>) {
    let arguments = [&["translate"], arguments, &["--format", "json"]].concat();
    let output = Command::cargo_bin("lariat").unwrap().args(&arguments).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let values = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    (output.status.code().unwrap(), values)
}

#[test]
#[cfg(unix)]
fn what_is_printed() {
    assert!(transcripts::judge_all("tests/translate") > 40);
}

#[test]
fn every_field_of_the_statistics_is_there() {
    let (code, lines) = json(&["G F a & X F b", "a U", "X b", "--stats"]);
    assert_eq!(code, 3, "one formula is broken");
    assert_eq!(lines.len(), 2, "the others are there");
    let fields = [
        "schema",
        "formula",
        "reading",
        "negated",
        "proved",
        "file",
        "line",
        "name",
        "states",
        "edges",
        "sets",
        "acceptance",
        "deterministic",
        "complete",
        "strength",
        "components",
        "stutter_invariant",
        "seconds",
    ];
    for line in &lines {
        let line = line.as_object().unwrap();
        assert_eq!(line.keys().collect::<Vec<_>>().len(), fields.len(), "{line:?}");
        for field in fields {
            assert!(line.contains_key(field), "{field}");
        }
    }
    let first = &lines[0];
    assert_eq!(first["schema"], "lariat-statistics/1");
    assert_eq!(first["formula"], "G F a & X F b");
    assert_eq!(first["reading"], "(G (F a)) & (X (F b))");
    assert_eq!(first["proved"], true);
    assert_eq!(first["file"], Value::Null);
    assert_eq!(first["strength"], "strong");
    let components = first["components"].as_array().unwrap();
    let states: u64 = components.iter().map(|component| component["states"].as_u64().unwrap()).sum();
    assert_eq!(first["states"], states);
    assert!(components.iter().all(|c| c["accepting"].as_bool().unwrap() != c["strength"].is_null()));
    assert!(first["seconds"].as_f64().unwrap() >= 0.0);
}

#[test]
fn formulas_of_a_file_come_in_order_with_their_lines() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("set.ltl");
    let formulas: Vec<String> = (0..50).map(|i| format!("F p{i} | G q{}", 50 - i)).collect();
    std::fs::write(&path, format!("# a set\n\n{}\n", formulas.join("\n"))).unwrap();
    let path = path.to_str().unwrap();
    for options in [&["--stats"][..], &["--stats", "--buchi"], &["--buchi"], &[]] {
        let (code, lines) = json(&[&["-F", path], options].concat());
        assert_eq!(code, 0);
        let read: Vec<&str> = lines.iter().map(|line| line["formula"].as_str().unwrap()).collect();
        assert_eq!(read, formulas);
        for (nth, line) in lines.iter().enumerate() {
            assert_eq!(line["line"], nth + 3);
            assert_eq!(line["file"], path);
        }
    }
}

#[test]
fn strength_and_stuttering() {
    for (formula, strength, stutter_invariant) in [
        ("F a", "terminal", true),
        ("G a", "weak", true),
        ("G F a", "strong", true),
        ("X a", "terminal", false),
        ("F X a", "terminal", false),
        ("F (a & X (!a & X b))", "terminal", false),
        // It speaks of the next position, but not about how often something is repeated.
        ("F (a & (a U (!a & (!a U b))))", "terminal", true),
        ("!a & X 1", "terminal", true),
        ("F (a & X (a U !a))", "terminal", true),
    ] {
        let (_, lines) = json(&[formula, "--stats"]);
        assert_eq!(lines[0]["strength"], strength, "{formula}");
        assert_eq!(lines[0]["stutter_invariant"], stutter_invariant, "{formula}");
    }
}

/// Both translations alone, and all together, give automata of the same language: what one accepts, the
/// negation's does not. Here only that they are proved.
#[test]
fn every_method_proves_its_result() {
    for method in ["best", "tableau", "alternating"] {
        for form in [&[][..], &["--buchi"]] {
            let formulas = ["a U (b R c)", "G (a -> X (b W c))", "F G a | G F (b M c)"];
            let (code, lines) = json(&[&formulas[..], &["--stats", "--by", method], form].concat());
            assert_eq!(code, 0);
            assert!(lines.iter().all(|line| line["proved"] == true), "{method} {form:?}");
        }
    }
}

#[test]
#[cfg(unix)]
fn a_reader_that_goes_away_is_no_error() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("many.ltl");
    std::fs::write(&path, "G (a -> F b)\n".repeat(2000)).unwrap();
    let binary = env!("CARGO_BIN_EXE_lariat");
    for options in ["", "--stats", "--format json"] {
        let script = format!("({binary} translate -F {} {options}; echo $? >&2) | head -1", path.display());
        let output = std::process::Command::new("sh").args(["-c", &script]).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr).trim(), "0", "{options}");
        assert_eq!(String::from_utf8_lossy(&output.stdout).lines().count(), 1);
    }
}

#[test]
fn many_broken_lines_are_counted() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("broken.ltl");
    std::fs::write(&path, "a &\n".repeat(50)).unwrap();
    let output = common::lariat(directory.path(), &["translate", "-F", "broken.ltl"]);
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(text.matches("error: expected a formula").count(), 20);
    assert!(text.ends_with("… and 30 more errors\n50 errors\n"), "{text}");
}

/// A translation that would take minutes ends when its time is up, or its memory; the next formula is
/// translated.
#[test]
fn limits_of_time_and_memory() {
    let pair = |n: usize| format!("(p{n} U X(q{n} & X(r{n} | F p{n})))");
    let large = (0..14).map(pair).collect::<Vec<_>>().join(" xor ");
    for limit in [["--timeout", "1"], ["--max-memory", "2M"]] {
        let start = std::time::Instant::now();
        let output = Command::cargo_bin("lariat")
            .unwrap()
            .args(["translate", &large, "F a", "--max-states", "100M", "--stats", "--format", "json"])
            .args(limit)
            .output()
            .unwrap();
        let messages = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{messages}");
        assert!(messages.starts_with("unknown: the ") && messages.contains(" limit of "), "{messages}");
        assert_eq!(String::from_utf8(output.stdout).unwrap().lines().count(), 1, "the other formula");
        assert!(start.elapsed().as_secs() < 30, "{:?}", start.elapsed());
    }
}
