//! Campaigns with a program that only pretends to check: who is run, how often, and what is made of the answers.
#![cfg(unix)]

use lariat_laboratory::{Campaign, Comparison, Suite, cases_csv, figure_4, runs_csv};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

const SUITE: &str = r#"
title = "pretended"
[limits]
seconds = 5
memory = "1G"
[qualify]
algorithm = "ascc"
seconds = 1
[[runs]]
algorithms = ["hpy", "ascc", "gv", "and", "se", "c99"]
[[models]]
file = "m.pml"
properties = ["fine", "slow", "strange", "broken"]
[[models.formulas]]
name = "unexpected"
ltl = "F p"
expect = "holds"
"#;

/// Writes down how it was called, and answers by the property.
const PROGRAM: &str = r#"#!/bin/sh
echo "$@" >> "$(dirname "$0")/calls"
say() { echo "{\"verdict\":\"$1\",\"states\":{\"visited\":$2,\"stored\":$2},\"transitions\":$3,\"post_calls\":$2,\"seconds\":{\"check\":$4,\"total\":1}}"; }
case "$*" in
  scc*) echo '{"states":9,"components":{"count":4},"effects":{"accepting_trivial":3,"not_preceded_by_accepting":2,"not_preceded_by_accepting_cyclic":1}}' ;;
  *"--property slow"*) say unknown 1 1 1 ;;
  *"--property strange"*"--algorithm gv"*) say violated 5 10 0.5 ;;
  *"--property broken"*"--algorithm ascc"*) say holds 1 1 0.0 ;;
  *"--property broken"*) echo "warning: hm" >&2; echo "error: no such thing" >&2; exit 3 ;;
  *"--ltl"*) say violated 1 1 0.0 ;;
  *"--algorithm hpy"*) say holds 10 20 1.0 ;;
  *) say holds 5 10 0.5 ;;
esac
"#;

struct Place {
    directory: tempfile::TempDir,
    suite: Suite,
}

impl Place {
    fn new() -> Place {
        let directory = tempfile::tempdir().unwrap();
        let program = directory.path().join("program");
        fs::write(&program, PROGRAM).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        let file = directory.path().join("suite.toml");
        fs::write(&file, SUITE).unwrap();
        let suite = Suite::read(&file).unwrap();
        Place { directory, suite }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn run(&self, jobs: usize, resume: bool) -> Comparison {
        let campaign = Campaign {
            suite: &self.suite,
            program: self.path("program"),
            directory: self.path("out"),
            jobs,
            resume,
        };
        campaign.run(&AtomicBool::new(false), |_| ()).unwrap()
    }

    fn calls(&self) -> usize {
        lines(&self.path("calls"))
    }
}

fn lines(file: &Path) -> usize {
    fs::read_to_string(file).map_or(0, |text| text.lines().count())
}

#[test]
fn verdicts_are_compared_and_cases_qualify() {
    let place = Place::new();
    let mut documents = Vec::new();
    for jobs in [1, 3] {
        let comparison = place.run(jobs, false);
        assert!(comparison.complete);
        let says = |number: usize| {
            let case = &comparison.cases[number];
            (case.verdict.as_deref(), case.agreed, case.counts, case.effects.is_some())
        };
        assert_eq!(says(0), (Some("holds"), true, true, true), "fine");
        assert_eq!(says(1), (None, true, false, false), "slow: nothing else is run");
        assert_eq!(says(2), (None, false, true, true), "strange: gv says otherwise");
        assert_eq!(says(3), (Some("holds"), true, true, true), "broken: the others are errors");
        assert_eq!(says(4), (Some("violated"), false, true, true), "unexpected");
        assert_eq!(comparison.runs().count(), 6 + 1 + 6 + 6 + 6);
        assert_eq!(comparison.run(3, 0).unwrap().reason.as_deref(), Some("error: no such thing"));

        // Over `fine` and `unexpected`: 21 transitions of hpy, 11 of each other.
        let figure = figure_4(&comparison).unwrap();
        assert_eq!(figure.cases, 2);
        for row in &figure.rows {
            let (transitions, seconds) = match row.algorithm {
                "hpy" => (100.0, 100.0),
                _ => (100.0 * 11.0 / 21.0, 50.0),
            };
            assert_eq!((row.transitions, row.seconds), (transitions, seconds), "{}", row.algorithm);
        }
        documents.push((comparison.json(), runs_csv(&comparison), cases_csv(&comparison)));
    }
    assert_eq!(documents[0], documents[1], "the number of jobs changes nothing");
    let (document, runs, cases) = &documents[0];
    assert_eq!(document["schema"], "lariat-comparison/1");
    assert_eq!(document["runs"].as_array().unwrap().len(), 25);
    assert_eq!((runs.lines().count(), cases.lines().count()), (26, 6));
}

#[test]
fn what_is_known_is_not_run_again() {
    let place = Place::new();
    let whole = place.run(2, false).json();
    let calls = place.calls();
    assert_eq!(calls, 25 + 4, "runs, and the structures of the cases that count");

    assert_eq!(place.run(1, true).json(), whole);
    assert_eq!(place.calls(), calls, "nothing was run");

    // The journal ends in the middle of a line.
    let journal = place.path("out/journal.jsonl");
    let text = fs::read_to_string(&journal).unwrap();
    let kept: Vec<&str> = text.lines().take(10).collect();
    fs::write(&journal, format!("{}\n{}", kept.join("\n"), &text.lines().nth(10).unwrap()[..20])).unwrap();
    assert_eq!(place.run(1, true).json(), whole);
    assert_eq!(place.calls(), calls + calls - 10);
    assert_eq!(lines(&journal), calls);
}

#[test]
fn a_limit_that_has_grown_is_tried_again() {
    let mut place = Place::new();
    place.run(1, false);
    let calls = place.calls();
    place.suite.qualify.as_mut().unwrap().time *= 2;
    place.run(1, true);
    assert_eq!(place.calls(), calls + 1, "only `slow` had hit it");
}

#[test]
fn an_interrupted_campaign_says_so() {
    let place = Place::new();
    let campaign = Campaign {
        suite: &place.suite,
        program: place.path("program"),
        directory: place.path("out"),
        jobs: 1,
        resume: false,
    };
    let interrupt = AtomicBool::new(false);
    let comparison = campaign
        .run(&interrupt, |happened| {
            if happened.done == 3 {
                interrupt.store(true, std::sync::atomic::Ordering::Relaxed);
            }
        })
        .unwrap();
    assert!(!comparison.complete);
    assert_eq!(comparison.runs().count(), 3);
    assert!(place.run(1, true).complete);
    assert_eq!(place.calls(), 25 + 4, "what was known was not run again");
}
