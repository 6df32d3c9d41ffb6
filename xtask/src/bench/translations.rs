//! `cargo xtask bench translations`: `lariat translate` beside `spin -f`, in time and in the size of the
//! automata.
//!
//! The formulas come in sets, one file each: our own in `bench/formulas`, and those that lie beside this
//! repository, if they do.
//!
//! - Process by process: both programs get the same text, that for `spin -f`, and print a never claim, in
//!   turns. The best of several runs counts, in processor time. Most of it is the start of the process, so
//!   that is measured too, with the formula `p`. The difference is what remains when formulas are large.
//! - A whole set in one process, which only Lariat can do: what `lariat translate --stats` says that each
//!   formula took.
//!
//! Totals are taken over the formulas that both translated. What Spin cannot read, or not in time, is counted
//! and listed, and no time is made up for it. The exit code is 1 if Lariat failed to translate a formula.

mod child;
mod report;
mod spin;

use super::need_programs;
use crate::record::Machine;
use crate::workspace::{Workspace, output_of};
use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Sets that are no part of this repository.
const BESIDE: &str = "../shared/corpus/ltl";
const OWN: &str = "bench/formulas/own.ltl";

/// How often a process is started to find out what the start costs.
const STARTS: u32 = 20;

/// Lariat has no limit in the benchmark; this one only keeps it from waiting for ever.
const PATIENCE: Duration = Duration::from_secs(600);

#[derive(clap::Args)]
pub struct Arguments {
    /// Directory with more sets of formulas (*.ltl), instead of those beside the repository; the result is
    /// shown, but not kept
    #[arg(long, value_name = "DIR")]
    sets: Option<PathBuf>,
    /// Only the set of this name; the result is shown, but not kept
    #[arg(long, value_name = "SET")]
    only: Option<String>,
    /// Seconds of processor time for Spin, for each formula
    #[arg(long, value_name = "S", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    timeout: u64,
    /// How often each program runs; the best run counts
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Size {
    states: usize,
    edges: usize,
}

/// An automaton, and the time that it took.
#[derive(Clone, Copy)]
struct Made {
    size: Size,
    seconds: f64,
}

enum Peer {
    Made(Made),
    NotRead,
    TimedOut,
    /// It ended otherwise, or its claim cannot be read.
    Failed,
}

struct Row {
    line: usize,
    formula: String,
    text_for_spin: String,
    /// In a process for the whole set.
    buchi: Option<Made>,
    generalised: Option<Made>,
    /// In a process of its own, measured if Spin made an automaton.
    alone: Option<f64>,
    spin: Peer,
}

impl Row {
    /// What both made: Lariat's in a process for the whole set, the time of Lariat in a process of its own,
    /// and Spin's.
    fn both(&self) -> Option<(Made, f64, Made)> {
        match (&self.spin, self.buchi, self.alone) {
            (Peer::Made(theirs), Some(ours), Some(alone)) => Some((ours, alone, *theirs)),
            _ => None,
        }
    }
}

struct Set {
    name: String,
    file: String,
    rows: Vec<Row>,
    /// Processor time of the process for the whole set.
    buchi_seconds: f64,
    generalised_seconds: f64,
}

/// What a process takes to start and translate next to nothing.
struct Starts {
    lariat: f64,
    spin: f64,
}

struct Programs<'a> {
    workspace: &'a Workspace,
    lariat: PathBuf,
    timeout: Duration,
    runs: u32,
}

pub fn run(workspace: &Workspace, arguments: &Arguments) -> Result<bool> {
    need_programs(&[("spin", "-V")])?;
    let mut sets = sets(workspace, arguments.sets.as_deref())?;
    sets.retain(|set| arguments.only.as_ref().is_none_or(|name| set.name == *name));
    ensure!(!sets.is_empty(), "no set of that name");
    let programs = Programs {
        workspace,
        lariat: workspace.build_lariat()?,
        timeout: Duration::from_secs(arguments.timeout),
        runs: arguments.runs,
    };
    let load_before = Machine::load();
    let starts = Starts {
        lariat: programs.best(STARTS, || programs.ours_alone("p"))?,
        spin: programs.best(STARTS, || spin_command("p"))?,
    };
    for set in &mut sets {
        eprintln!("{}: {} formulas", set.name, set.rows.len());
        set.buchi_seconds = programs.whole_set(set, true)?;
        set.generalised_seconds = programs.whole_set(set, false)?;
        for row in &mut set.rows {
            programs.compare(row)?;
        }
    }
    let text = report::report(&sets, &starts, arguments.runs, arguments.timeout, &machine(&load_before)?);
    print!("{text}");
    if arguments.only.is_none() && arguments.sets.is_none() {
        let place = "bench/runs/translations";
        let directory = workspace.path(place);
        fs::create_dir_all(&directory)?;
        for (name, text) in [("report.md", text), ("raw.csv", report::raw(&sets))] {
            fs::write(directory.join(name), text).with_context(|| format!("{place}/{name}"))?;
        }
        eprintln!("kept in {place}");
    }
    Ok(sets.iter().flat_map(|set| &set.rows).all(|row| row.buchi.is_some() && row.generalised.is_some()))
}

fn spin_command(text: &str) -> Command {
    let mut command = Command::new("spin");
    command.args(["-f", text]);
    command
}

#[derive(Deserialize)]
struct Statistics {
    line: usize,
    states: usize,
    edges: usize,
    seconds: f64,
}

impl Programs<'_> {
    fn ours(&self) -> Command {
        let mut command = Command::new(&self.lariat);
        command.arg("translate").current_dir(&self.workspace.root);
        command
    }

    /// The same task as Spin's.
    fn ours_alone(&self, text: &str) -> Command {
        let mut command = self.ours();
        command.args(["--syntax", "spin-f", "--format", "never", text]);
        command
    }

    /// The least processor time of some runs.
    fn best(&self, runs: u32, command: impl Fn() -> Command) -> Result<f64> {
        let mut best = f64::INFINITY;
        for _ in 0..runs {
            let ended = child::run(&mut command(), PATIENCE)?.context("it takes ten minutes")?;
            ensure!(ended.success, "`{}` failed", crate::workspace::shown(&command()));
            best = best.min(ended.seconds);
        }
        Ok(best)
    }

    /// Translates a whole set in one process and says what the process took.
    fn whole_set(&self, set: &mut Set, buchi: bool) -> Result<f64> {
        let mut best = f64::INFINITY;
        for _ in 0..self.runs {
            let mut command = self.ours();
            command.args(["-F", &set.file, "--stats", "--format", "json"]);
            command.args(buchi.then_some("--buchi"));
            let ended = child::run(&mut command, PATIENCE)?.context("it takes ten minutes")?;
            best = best.min(ended.seconds);
            for line in ended.printed.lines() {
                let found: Statistics = serde_json::from_str(line).context("the statistics of lariat")?;
                let row = set.rows.iter_mut().find(|row| row.line == found.line);
                let row = row.with_context(|| format!("{}:{}: no formula", set.file, found.line))?;
                let made = if buchi { &mut row.buchi } else { &mut row.generalised };
                let size = Size { states: found.states, edges: found.edges };
                let seconds = made.map_or(f64::INFINITY, |made| made.seconds).min(found.seconds);
                *made = Some(Made { size, seconds });
            }
        }
        Ok(best)
    }

    /// One process for one formula, Spin and Lariat in turns.
    fn compare(&self, row: &mut Row) -> Result<()> {
        for _ in 0..self.runs {
            let peer = self.run_spin(&row.text_for_spin)?;
            let Peer::Made(theirs) = &peer else {
                row.spin = peer;
                return Ok(());
            };
            let before = if let Peer::Made(before) = row.spin { before.seconds } else { f64::INFINITY };
            row.spin = Peer::Made(Made { seconds: theirs.seconds.min(before), ..*theirs });
            let Some(ours) = child::run(&mut self.ours_alone(&row.text_for_spin), PATIENCE)? else {
                bail!("`{}` takes ten minutes", row.formula);
            };
            if ours.success {
                row.alone = Some(row.alone.unwrap_or(f64::INFINITY).min(ours.seconds));
            }
        }
        Ok(())
    }

    fn run_spin(&self, text: &str) -> Result<Peer> {
        let Some(ended) = child::run(&mut spin_command(text), self.timeout)? else {
            eprintln!("  spin takes too long: {text}");
            return Ok(Peer::TimedOut);
        };
        Ok(match spin::size_of_claim(&ended.printed).filter(|_| ended.success) {
            Some(size) => Peer::Made(Made { size, seconds: ended.seconds }),
            None if spin::is_refusal(&ended.printed) => Peer::NotRead,
            None => Peer::Failed,
        })
    }
}

/// Our own set, then the others by name.
fn sets(workspace: &Workspace, elsewhere: Option<&Path>) -> Result<Vec<Set>> {
    let mut files = vec![PathBuf::from(OWN)];
    let directory = elsewhere.unwrap_or(Path::new(BESIDE));
    match fs::read_dir(workspace.path(directory)) {
        Ok(entries) => {
            let mut found = Vec::new();
            for entry in entries {
                found.push(directory.join(entry?.file_name()));
            }
            found.retain(|file| file.extension().is_some_and(|extension| extension == "ltl"));
            found.sort();
            files.extend(found);
        }
        Err(error) if elsewhere.is_some() => bail!("{}: {error}", directory.display()),
        Err(_) => eprintln!("there is no directory {BESIDE}: only our own formulas are measured"),
    }
    files.iter().map(|file| read_set(workspace, file)).collect()
}

fn read_set(workspace: &Workspace, file: &Path) -> Result<Set> {
    let shown = file.display().to_string();
    let text = fs::read_to_string(workspace.path(file)).with_context(|| shown.clone())?;
    let mut rows = Vec::new();
    for (nth, line) in text.lines().enumerate() {
        let formula = line.trim();
        if formula.is_empty() || formula.starts_with('#') || formula.starts_with("//") {
            continue;
        }
        let text_for_spin =
            spin::text(formula).with_context(|| format!("{shown}:{}: not a formula", nth + 1))?;
        rows.push(Row {
            line: nth + 1,
            formula: formula.to_string(),
            text_for_spin,
            buchi: None,
            generalised: None,
            alone: None,
            spin: Peer::NotRead,
        });
    }
    let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    Ok(Set { name, file: shown, rows, buchi_seconds: 0.0, generalised_seconds: 0.0 })
}

/// The programs and the machine, for the head of the report.
fn machine(load_before: &str) -> Result<String> {
    let cpus = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let processor = cpus.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let count = std::thread::available_parallelism().map_or(0, |n| n.get());
    Ok(format!(
        "lariat {}, {}, {}; {}, {count} processors, load average {load_before} before and {} after.",
        env!("CARGO_PKG_VERSION"),
        output_of(Command::new("rustc").arg("--version"))?,
        output_of(Command::new("spin").arg("-V"))?,
        processor.map_or("unknown processor", |(_, name)| name),
        Machine::load()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_own_set_can_be_read() {
        let set = read_set(&Workspace::here(), Path::new(OWN)).unwrap();
        assert_eq!(set.name, "own");
        assert!(set.rows.len() >= 60);
        let mut formulas: Vec<&str> = set.rows.iter().map(|row| row.formula.as_str()).collect();
        formulas.sort_unstable();
        assert!(formulas.windows(2).all(|pair| pair[0] != pair[1]), "a formula stands there twice");
    }

    #[test]
    fn a_directory_that_was_named_must_be_there() {
        assert!(sets(&Workspace::here(), Some(Path::new("no/such/directory"))).is_err());
    }
}
