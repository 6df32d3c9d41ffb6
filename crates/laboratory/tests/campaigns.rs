//! Campaigns with a program that only pretends to check: who is run, how often, and what is made of the
//! answers.
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

    fn campaign(&self, jobs: usize, resume: bool) -> Campaign<'_> {
        Campaign {
            suite: &self.suite,
            program: self.path("program"),
            directory: self.path("out"),
            jobs,
            resume,
        }
    }

    fn run(&self, jobs: usize, resume: bool) -> Comparison {
        self.campaign(jobs, resume).run(&AtomicBool::new(false), |_| ()).unwrap()
    }

    /// What is told when the campaign goes on, before it runs.
    fn remarks(&self) -> Vec<String> {
        self.campaign(1, true).begin().unwrap().remarks.clone()
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

/// The runs of `broken` that go wrong: they are tried again each time.
const WRONG: usize = 5;

#[test]
fn what_is_known_is_not_run_again() {
    let place = Place::new();
    let whole = place.run(2, false).json();
    let calls = place.calls();
    assert_eq!(calls, 25 + 4, "runs, and the structures of the cases that count");

    assert_eq!(place.run(1, true).json(), whole);
    assert_eq!(place.calls(), calls + WRONG, "nothing else was run");

    // The journal ends in the middle of a line, and another one is no text.
    let journal = place.path("out/journal.jsonl");
    let text = fs::read(&journal).unwrap();
    let lines_of =
        |text: &[u8]| text.split_inclusive(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect::<Vec<_>>();
    let mut kept = lines_of(&text);
    kept.truncate(11);
    kept[10].truncate(20);
    kept[3][25] = 0xff;
    fs::write(&journal, kept.concat()).unwrap();
    assert_eq!(
        place.remarks(),
        [format!("{}: lines 4, 11 cannot be read: their runs are run again", journal.display())]
    );
    // The journal was mended when it was opened.
    assert_eq!(lines(&journal), 9);
    let before = place.calls();
    assert_eq!(place.run(1, true).json(), whole);
    assert_eq!(place.calls(), before + calls - 9);
    assert_eq!(lines(&journal), calls);
    assert!(place.remarks().is_empty());
}

#[test]
fn what_has_changed_is_run_again_and_that_is_said() {
    let place = Place::new();
    fs::write(place.path("m.pml"), "one").unwrap();
    place.run(1, false);
    let calls = place.calls();
    let runs = |count: usize| {
        format!("{} has changed since: {count} runs are run again", place.path("m.pml").display())
    };

    fs::write(place.path("m.pml"), "#include \"other.h\"").unwrap();
    assert_eq!(place.remarks(), [runs(calls)]);
    place.run(1, true);
    assert_eq!(place.calls(), 2 * calls);
    fs::write(place.path("other.h"), "").unwrap();
    assert_eq!(place.remarks(), [runs(calls)]);
    place.run(1, true);
    assert_eq!(place.calls(), 3 * calls);

    // Another program.
    fs::write(place.path("program"), format!("{PROGRAM}\n# changed\n")).unwrap();
    assert_eq!(
        place.remarks(),
        [format!("the program is another one than it was then: {calls} runs are run again")]
    );
    place.run(1, true);
    assert_eq!(place.calls(), 4 * calls);
    assert!(place.remarks().is_empty());

    // A line that does not say what it depends on.
    let journal = place.path("out/journal.jsonl");
    fs::write(&journal, fs::read_to_string(&journal).unwrap().replace("\"depends\"", "\"other\"")).unwrap();
    assert_eq!(place.remarks().len(), 1);
    place.run(1, true);
    assert_eq!(place.calls(), 5 * calls);
}

#[test]
fn a_model_that_changes_while_it_runs_is_told() {
    let place = Place::new();
    fs::write(place.path("m.pml"), "one").unwrap();
    let campaign = place.campaign(1, false);
    let outcome = campaign
        .begin()
        .unwrap()
        .run(&AtomicBool::new(false), |happened| {
            if happened.done == 3 {
                fs::write(place.path("m.pml"), "two").unwrap();
            }
        })
        .unwrap();
    assert_eq!(outcome.remarks.len(), 1, "{:?}", outcome.remarks);
    assert!(outcome.remarks[0].contains("m.pml changed while its cases ran"), "{:?}", outcome.remarks);
    drop(outcome);
    let calls = place.calls();
    place.run(1, true);
    assert_eq!(place.calls(), calls + 3 + WRONG, "the runs of the model as it was");
}

/// A run that crashes is an error that names the signal, harms no other run, and is tried again.
#[test]
fn a_run_that_is_killed_is_an_error() {
    let place = Place::new();
    let dies =
        PROGRAM.replace("case \"$*\" in\n", "case \"$*\" in\n  *\"--property fine\"*gv*) kill -9 $$ ;;\n");
    fs::write(place.path("program"), dies).unwrap();
    let comparison = place.run(2, false);
    let gv = comparison.configurations.iter().position(|one| one.name == "gv").unwrap();
    let run = comparison.run(0, gv).unwrap();
    assert_eq!(run.verdict, "error");
    assert!(run.reason.as_ref().unwrap().contains("signal: 9"), "{:?}", run.reason);
    assert_eq!(comparison.cases[0].verdict.as_deref(), Some("holds"));
    let calls = place.calls();
    place.run(1, true);
    assert_eq!(place.calls(), calls + WRONG + 1);
}

#[test]
fn a_program_that_is_replaced_ends_the_campaign() {
    let place = Place::new();
    let campaign = place.campaign(1, false);
    let ended = campaign.run(&AtomicBool::new(false), |happened| {
        if happened.done == 3 {
            fs::write(place.path("program"), format!("{PROGRAM}\n# changed\n")).unwrap();
        }
    });
    let error = ended.map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("was replaced while it ran: --resume goes on"), "{error}");
}

#[test]
fn a_directory_belongs_to_one_campaign_at_a_time() {
    let place = Place::new();
    let campaign = place.campaign(1, false);
    let begun = campaign.begin().unwrap();
    let error = campaign.begin().map(|_| ()).unwrap_err().to_string();
    assert!(error.starts_with("another comparison is running in "), "{error}");
    drop(begun);
    let outcome = campaign.begin().unwrap().run(&AtomicBool::new(false), |_| ()).unwrap();
    assert!(campaign.begin().is_err(), "its results are not written yet");
    drop(outcome);
    assert!(campaign.begin().is_ok());
}

#[test]
fn what_is_not_ours_is_not_written_over() {
    let place = Place::new();
    let campaign = place.campaign(1, false);
    let outcome = campaign.begin().unwrap().run(&AtomicBool::new(false), |_| ()).unwrap();
    outcome.write(&outcome.comparison.json()).unwrap();
    let out = place.path("out");
    let asked =
        |overwrite: bool| Campaign::may_write(&out, None, overwrite).map_err(|error| error.to_string());
    assert_eq!(asked(true), Ok(()));
    assert!(asked(false).unwrap_err().contains("has results already"));
    for name in ["index.html", "results.json", "runs.csv", "cases.csv", "journal.jsonl"] {
        let ours = fs::read(out.join(name)).unwrap();
        fs::write(out.join(name), "something else\n").unwrap();
        let error = asked(true).unwrap_err();
        assert!(error.contains(&format!("{name} was not written by lariat compare")), "{error}");
        fs::remove_file(out.join(name)).unwrap();
        fs::create_dir(out.join(name)).unwrap();
        assert!(asked(true).is_err(), "{name} is a directory");
        fs::remove_dir(out.join(name)).unwrap();
        fs::write(out.join(name), ours).unwrap();
        assert_eq!(asked(true), Ok(()));
    }
    let built_in = &lariat_laboratory::BUILT_IN[0];
    let empty = place.path("empty");
    let mine = empty.join("models/peterson.pml");
    fs::create_dir_all(mine.parent().unwrap()).unwrap();
    assert!(Campaign::may_write(&empty, Some(built_in), false).is_ok());
    fs::write(&mine, "byte mine;").unwrap();
    assert!(Campaign::may_write(&empty, Some(built_in), false).is_err(), "a model of that name");
}

/// A file whose place is taken by a directory cannot get its name: then all files are as they were.
#[test]
fn files_are_replaced_together_or_not_at_all() {
    let place = Place::new();
    let campaign = place.campaign(1, false);
    let outcome = campaign.begin().unwrap().run(&AtomicBool::new(false), |_| ()).unwrap();
    let out = place.path("out");
    // The part of the last file cannot be written.
    fs::create_dir(out.join("index.html.part")).unwrap();
    let error = outcome.write(&outcome.comparison.json()).unwrap_err().to_string();
    assert!(error.contains("cannot write") && error.contains("--resume"), "{error}");
    let mut left: Vec<String> =
        fs::read_dir(&out).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    left.sort();
    assert_eq!(left, ["index.html.part", "journal.jsonl"], "no other part is left, and no file is new");
}

#[test]
fn a_limit_that_has_grown_is_tried_again() {
    let mut place = Place::new();
    place.run(1, false);
    let calls = place.calls();
    place.suite.qualify.as_mut().unwrap().time *= 2;
    place.run(1, true);
    assert_eq!(place.calls(), calls + 1 + WRONG, "only `slow` had hit it");
}

#[test]
fn an_interrupted_campaign_says_so() {
    let place = Place::new();
    let campaign = place.campaign(1, false);
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
