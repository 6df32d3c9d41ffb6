//! `lariat compare`: algorithms side by side on the models and properties of a suite.
//!
//! The runs are processes of this very program. Their results go into a directory, as tables, as JSON and as
//! a page; a short summary goes to the standard output. The exit code is 0 if all verdicts agree, 1 if two
//! differ (or one differs from what the suite expects), 2 if the campaign was interrupted or came to no
//! verdict, 3 if a model or a formula has an error.

use crate::Exit;
use crate::args::{Compare, Format};
use crate::check::interrupt_flag;
use crate::output::{Complaints, complain, print};
use crate::progress::ProgressLine;
use anyhow::Context;
use lariat_checker::counted;
use lariat_laboratory::{BUILT_IN, Campaign, Comparison, ReductionChoice, Suite, SuiteError, figure_4};
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

pub fn compare(arguments: &Compare) -> anyhow::Result<Exit> {
    let directory = directory(arguments);
    let built_in = match &arguments.built_in {
        None => None,
        Some(name) => match BUILT_IN.iter().find(|suite| suite.name == name) {
            Some(built_in) => Some(built_in),
            None => {
                complain(&unknown_suite(name));
                return Ok(Exit::Error);
            }
        },
    };
    // A suite that is wrong is told before anything is written, and before anything is said about what is
    // there.
    let from_file = match (built_in, &arguments.suite) {
        (None, Some(file)) => match told(Suite::read(file))? {
            Some(suite) => Some(suite),
            None => return Ok(Exit::Error),
        },
        _ => None,
    };
    Campaign::may_write(&directory, built_in, arguments.resume || arguments.overwrite)?;
    let suite = match (from_file, built_in) {
        (Some(suite), _) => Some(suite),
        (None, Some(built_in)) => told(built_in.unpack(&directory.join(Campaign::MODELS)))?,
        (None, None) => anyhow::bail!("there is no suite"),
    };
    let Some(mut suite) = suite else { return Ok(Exit::Error) };
    let mut complaints = Complaints::default();
    complaints.show(&suite.warnings.diagnostics, &suite.warnings.sources);
    complaints.finish();
    if let Some(text) = &arguments.only {
        suite.cases.retain(|case| case.name.contains(text.as_str()));
        anyhow::ensure!(!suite.cases.is_empty(), "no case of the suite has `{text}` in its name");
    }
    if arguments.reduce.reduce {
        suite.reduce();
    }
    if told(suite.look_for_models())?.is_none() {
        return Ok(Exit::Error);
    }
    let campaign = Campaign {
        suite: &suite,
        program: std::env::current_exe().context("this program does not know where it is")?,
        directory: directory.clone(),
        jobs: usize::try_from(arguments.jobs).unwrap_or(usize::MAX).clamp(1, 256),
        resume: arguments.resume,
    };
    let begun = campaign.begin()?;
    for remark in &begun.remarks {
        complain(&format!("note: {}", plain(remark)));
    }
    let start = Instant::now();
    let line = Mutex::new((ProgressLine::new(arguments.progress), start - Duration::from_secs(1)));
    let outcome = begun.run(interrupt_flag(), |happened| {
        let mut line = line.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if line.1.elapsed() < Duration::from_secs(1) && happened.done < happened.all {
            return;
        }
        line.1 = Instant::now();
        line.0.say(format!(
            "{:.0} s: {} of {} runs, {} of {}; {}: {} {}",
            start.elapsed().as_secs_f64(),
            happened.done,
            happened.all,
            happened.cases,
            counted(suite.cases.len() as u64, "case"),
            plain(happened.case),
            happened.configuration,
            happened.verdict,
        ));
    });
    line.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner()).0.clear();
    let outcome = outcome?;
    for remark in &outcome.remarks {
        complain(&format!("warning: {}", plain(remark)));
    }
    let comparison = &outcome.comparison;
    let document = comparison.json();
    outcome.write(&document)?;
    print(&match arguments.format {
        Format::Text => summary(comparison, &directory),
        _ => format!("{document}\n"),
    })?;
    Ok(exit(comparison))
}

/// Where the results go.
fn directory(arguments: &Compare) -> PathBuf {
    let name = match (&arguments.out, &arguments.suite, &arguments.built_in) {
        (Some(directory), _, _) => return directory.clone(),
        (None, Some(suite), _) if suite.as_os_str() != "-" => suite.file_stem().unwrap_or_default(),
        (None, _, name) => OsStr::new(name.as_deref().unwrap_or("suite")),
    };
    let mut directory = OsString::from("compare-");
    directory.push(name);
    PathBuf::from(directory)
}

/// `None`, when the user has been told what is wrong.
fn told<T>(result: Result<T, SuiteError>) -> anyhow::Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(SuiteError::Wrong(wrong)) => {
            let mut complaints = Complaints::default();
            complaints.show(&wrong.diagnostics, &wrong.sources);
            complaints.finish();
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}

fn unknown_suite(name: &str) -> String {
    let names: Vec<&str> = BUILT_IN.iter().map(|suite| suite.name).collect();
    format!("error: there is no built-in suite `{name}`\n  = hint: there is {}", names.join(", "))
}

/// A name as one line that moves no cursor.
fn plain(name: &str) -> String {
    let escaped = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.to_string() };
    name.chars().map(escaped).collect()
}

fn exit(comparison: &Comparison) -> Exit {
    let errors = comparison.runs().any(|(_, _, run)| run.verdict == "error");
    match comparison {
        _ if comparison.cases.iter().any(|case| !case.agreed) => Exit::Violated,
        _ if errors => Exit::Error,
        _ if !comparison.complete => Exit::Unknown,
        // Nobody said anything that could agree.
        _ if !comparison.runs().any(|(_, _, run)| run.is_finished()) => Exit::Unknown,
        _ => Exit::Holds,
    }
}

/// How many runs were on reduced models, if they were to be, and why not all.
fn reduced(comparison: &Comparison) -> String {
    if comparison.configurations.iter().all(|one| one.reduction == ReductionChoice::None) {
        return String::new();
    }
    let with_report = || comparison.runs().filter_map(|(_, _, run)| Some((run.reduction.as_deref()?, run)));
    let reduced = with_report().filter(|(reduction, _)| *reduction != "none").count();
    let reasons: BTreeSet<&str> = with_report().filter_map(|(_, run)| run.not_reduced.as_deref()).collect();
    let mut text = format!("reduced models in {reduced} of {}", counted(with_report().count() as u64, "run"));
    if !reasons.is_empty() {
        let reasons: Vec<&str> = reasons.into_iter().collect();
        text += &format!("; in others not, because {}", reasons.join("; because "));
    }
    text + "\n"
}

/// So many errors of runs are shown.
const MOST_ERRORS: usize = 10;

/// What the results come to, for people.
fn summary(comparison: &Comparison, directory: &Path) -> String {
    let count = |what: &str| comparison.runs().filter(|(_, _, run)| run.verdict == what).count() as u64;
    let cases = comparison.cases.iter();
    let counting = cases.clone().filter(|case| case.counts).count() as u64;
    let mut text = String::new();
    let heading = if comparison.complete { "compared" } else { "interrupted; so far" };
    let all = comparison.cases.len() as u64;
    let _ = match counting == all {
        true => write!(text, "{heading}: {}", counted(all, "case")),
        false => write!(text, "{heading}: {counting} of {} count", counted(all, "case")),
    };
    let _ = writeln!(text, ", {}", counted(comparison.runs().count() as u64, "run"));
    let disagreements: Vec<String> =
        cases.clone().filter(|case| !case.agreed).map(|case| plain(&case.name)).collect();
    let without = cases.filter(|case| case.counts && case.agreed && case.verdict.is_none()).count() as u64;
    let answered = comparison.runs().any(|(_, _, run)| run.is_finished());
    match disagreements.is_empty() {
        true if !answered => text += "no run came to a verdict\n",
        true if without > 0 => {
            let have = if without == 1 { "has" } else { "have" };
            let _ = writeln!(text, "all verdicts agree; {} {have} none", counted(without, "case"));
        }
        true => text += "all verdicts agree\n",
        false => {
            let _ = writeln!(text, "VERDICTS DIFFER in {}:", counted(disagreements.len() as u64, "case"));
            for name in &disagreements {
                let _ = writeln!(text, "  {name}");
            }
        }
    }
    for (what, why) in [
        ("unknown", "without an answer, because of a limit or a run-time error"),
        ("refused", "refused: the algorithm does not suit the automaton"),
        ("error", "with an error"),
    ] {
        if count(what) > 0 {
            let _ = writeln!(text, "{} {why}", counted(count(what), "run"));
        }
    }
    text += &reduced(comparison);
    let mut errors: Vec<String> = comparison
        .runs()
        .filter(|(_, _, run)| run.verdict == "error")
        .map(|(case, _, run)| {
            plain(&format!("{}: {}", comparison.cases[case].name, run.reason.as_deref().unwrap_or("")))
        })
        .collect();
    errors.dedup();
    for error in errors.iter().take(MOST_ERRORS) {
        let _ = writeln!(text, "  {error}");
    }
    if errors.len() > MOST_ERRORS {
        let _ = writeln!(text, "  … and {}", counted((errors.len() - MOST_ERRORS) as u64, "other"));
    }
    if let Some(figure) = figure_4(comparison) {
        let _ = writeln!(
            text,
            "\nper cent of hpy, summed over {} that all six finish (Gaiser and Schwoon 2009, Fig. 4):\n\
             {:<6} {:>12} {:>12} {:>12} {:>16}",
            counted(figure.cases as u64, "case"),
            "",
            "transitions",
            "post calls",
            "time",
            "paper's time"
        );
        for row in &figure.rows {
            let _ = writeln!(
                text,
                "{:<6} {:>12.1} {:>12.1} {:>12.1} {:>16.1}",
                row.algorithm, row.transitions, row.post_calls, row.seconds, row.paper_seconds
            );
        }
    }
    let file = |name: &str| plain(&directory.join(name).display().to_string());
    let _ = writeln!(
        text,
        "\npage: {}\ntables: {}, {}; all in one: {}",
        file("index.html"),
        file("runs.csv"),
        file("cases.csv"),
        file("results.json")
    );
    text
}
