//! `lariat compare`: algorithms side by side on the models and properties of a suite.
//!
//! The runs are processes of this very program. Their results go into a directory, as tables, as JSON and as a page; a short summary goes to
//! the standard output. The exit code is 0 if all verdicts agree, 1 if two differ (or one differs from what the suite expects), 2 if the
//! campaign was interrupted, 3 if a model or a formula has an error.

use crate::Exit;
use crate::args::{Compare, Format};
use crate::check::interrupt_flag;
use crate::output::{complain, print};
use crate::progress::ProgressLine;
use anyhow::Context;
use lariat::render::text::counted;
use lariat_laboratory::{
    BUILT_IN, Campaign, CampaignError, Comparison, Suite, cases_csv, figure_4, page, runs_csv,
};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

pub fn compare(arguments: &Compare) -> anyhow::Result<Exit> {
    let directory = match (&arguments.out, &arguments.suite, &arguments.built_in) {
        (Some(directory), _, _) => directory.clone(),
        (None, Some(suite), _) => {
            let stem = suite.file_stem().unwrap_or_default();
            PathBuf::from(format!("compare-{}", stem.to_string_lossy()))
        }
        (None, None, name) => PathBuf::from(format!("compare-{}", name.as_deref().unwrap_or("suite"))),
    };
    if Campaign::has_results(&directory) && !arguments.resume && !arguments.overwrite {
        return Err(CampaignError::Occupied(directory).into());
    }
    let Some(mut suite) = suite(arguments, &directory)? else { return Ok(Exit::Error) };
    if let Some(text) = &arguments.only {
        suite.cases.retain(|case| case.name.contains(text.as_str()));
        anyhow::ensure!(!suite.cases.is_empty(), "no case of the suite has `{text}` in its name");
    }
    let campaign = Campaign {
        suite: &suite,
        program: std::env::current_exe().context("this program does not know where it is")?,
        directory: directory.clone(),
        jobs: usize::try_from(arguments.jobs).unwrap_or(usize::MAX).clamp(1, 256),
        resume: arguments.resume,
    };
    let start = Instant::now();
    let line = Mutex::new((ProgressLine::new(arguments.progress), start - Duration::from_secs(1)));
    let comparison = campaign.run(interrupt_flag(), |happened| {
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
            happened.case,
            happened.configuration,
            happened.verdict,
        ));
    })?;
    line.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner()).0.clear();

    let document = comparison.json();
    let file = |name: &str, text: String| {
        let path = directory.join(name);
        std::fs::write(&path, text).with_context(|| path.display().to_string())
    };
    file("runs.csv", runs_csv(&comparison))?;
    file("cases.csv", cases_csv(&comparison))?;
    file("results.json", format!("{document}\n"))?;
    file("index.html", page::page(&document))?;
    print(&match arguments.format {
        Format::Text => summary(&comparison, &directory),
        Format::Json => format!("{document}\n"),
    })?;
    Ok(exit(&comparison))
}

fn suite(arguments: &Compare, directory: &Path) -> anyhow::Result<Option<Suite>> {
    let Some(name) = &arguments.built_in else {
        let file = arguments.suite.as_deref().context("there is no suite")?;
        return Ok(Some(Suite::read(file)?));
    };
    match BUILT_IN.iter().find(|suite| suite.name == name) {
        Some(built_in) => Ok(Some(built_in.unpack(&directory.join("models"))?)),
        None => {
            let names: Vec<&str> = BUILT_IN.iter().map(|suite| suite.name).collect();
            complain(&format!(
                "error: there is no built-in suite `{name}`\n  = hint: there is {}",
                names.join(", ")
            ));
            Ok(None)
        }
    }
}

fn exit(comparison: &Comparison) -> Exit {
    let errors = comparison.runs().any(|(_, _, run)| run.verdict == "error");
    match comparison {
        _ if comparison.cases.iter().any(|case| !case.agreed) => Exit::Violated,
        _ if errors => Exit::Error,
        _ if !comparison.complete => Exit::Unknown,
        _ => Exit::Holds,
    }
}

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
    let disagreements: Vec<&str> = cases.filter(|case| !case.agreed).map(|case| case.name.as_str()).collect();
    let answered = comparison.runs().any(|(_, _, run)| run.is_finished());
    match disagreements.is_empty() {
        true if !answered => text += "no run came to a verdict\n",
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
    let mut errors: Vec<String> = comparison
        .runs()
        .filter(|(_, _, run)| run.verdict == "error")
        .map(|(case, _, run)| {
            format!("  {}: {}", comparison.cases[case].name, run.reason.as_deref().unwrap_or(""))
        })
        .collect();
    errors.dedup();
    for error in errors.iter().take(10) {
        let _ = writeln!(text, "{error}");
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
    let _ = writeln!(
        text,
        "\npage: {}\ntables: {}, {}; all in one: {}",
        directory.join("index.html").display(),
        directory.join("runs.csv").display(),
        directory.join("cases.csv").display(),
        directory.join("results.json").display()
    );
    text
}
