//! `cargo xtask bench engine`: Lariat as it comes against Spin, on the cases of `bench/engine.toml`, in one
//! run.
//!
//! | part | what runs |
//! | --- | --- |
//! | search | the whole state space: pan after compiling (`-O3 -march=native`, no reduction, no merging), `lariat explore` |
//! | holds, fails | a formula: `pan -a`, `lariat check --property` |
//! | small | safety from text to verdict: spin + gcc + pan as above, `lariat check --safety` |
//! | defaults | all of these questions from text to verdict, both programs as people run them |
//! | instructions | callgrind: machine instructions a transition, interpreted and compiled |
//! | large | on demand: Lariat alone, once |
//! | public, public-small | on demand: models of others; see [`public`] |
//! | formulas | on demand: formulas that hold in models of others; see [`formulas`] |
//! | threads | on demand: one thread, two and eight; see [`threads`] |
//!
//! Pan and Lariat take turns, never at the same time, and the best of the runs counts. Times are user times
//! of the whole process, so reading and compiling the model is counted for Lariat and not for pan. A case
//! whose counts do not agree, or whose run fails, is not compared but listed, and the exit code is 1; so it
//! is when a demand is not met ([`report`] has the demands).

mod compare;
mod formulas;
mod instructions;
mod ours;
pub(super) mod public;
mod report;
pub(super) mod suite;
mod tables;
mod threads;
mod verdicts;

use crate::measure::Measured;
use crate::record::Machine;
use crate::workspace::Workspace;
use anyhow::{Context, Result, ensure};
use report::Report;
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;
use suite::{Case, Suite};

#[derive(clap::Args)]
pub struct Arguments {
    /// How often each program runs; the best run counts
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    repeat: u32,
    /// Only cases whose name contains this; the result is shown, but not kept
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// Only this part: search, holds, fails, small, defaults, instructions; the result is shown, but not
    /// kept. Or public, public-small, formulas, threads: models of the corpus beside the repository; the
    /// result is kept
    #[arg(long, value_name = "NAME")]
    part: Option<String>,
    /// Instead of all this, the cases that take long and much memory, once, Lariat alone
    #[arg(long)]
    large: bool,
}

/// What every part needs, and what it leaves behind.
pub struct Bench<'a> {
    workspace: &'a Workspace,
    lariat: PathBuf,
    /// Where pan is made.
    place: PathBuf,
    repeat: u32,
    /// Every run, as lines of a table with commas.
    raw: String,
    commands: String,
    /// Cases that could not be compared, and why.
    refused: Vec<String>,
}

const HEADING: &str = "part,case,run,program,user_s,system_s,wall_s,peak_kib,states,visited,transitions\n";

/// What a run counted, for the raw table.
#[derive(Clone, Copy, Default)]
pub struct Counts {
    pub states: u64,
    pub visited: u64,
    pub transitions: u64,
}

impl Bench<'_> {
    /// Notes a run, and shows it.
    fn note(&mut self, run: (&str, &Case, u32), program: &str, measured: &Measured, counts: Counts) {
        let (part, case, number) = run;
        let Measured { user_seconds, system_seconds, wall_seconds, peak_kib, .. } = measured;
        let Counts { states, visited, transitions } = counts;
        let name = case.name().replace(',', " ");
        let _ = writeln!(
            self.raw,
            "{part},{name},{number},{program},{user_seconds:.3},{system_seconds:.3},{wall_seconds:.3},{peak_kib},\
             {states},{visited},{transitions}"
        );
        eprintln!(
            "  {number} {program:8} user {user_seconds:6.2}  system {system_seconds:5.2}  {:5} MiB  {states} states",
            peak_kib / 1024
        );
    }

    /// Does something with every case; those that fail are listed, and the others go on.
    fn each<T>(
        &mut self,
        part: &str,
        cases: &[Case],
        mut work: impl FnMut(&mut Self, &Case) -> Result<T>,
    ) -> Vec<T> {
        let mut results = Vec::new();
        for case in cases {
            eprintln!("{part}: {}", case.name());
            match work(self, case) {
                Ok(result) => results.push(result),
                Err(error) => {
                    eprintln!("  not compared: {error:#}");
                    self.refused.push(format!("{part}, {}: {error:#}", case.name()));
                }
            }
        }
        results
    }

    fn directory(&self, case: &Case) -> PathBuf {
        self.place.join(case.name().replace([' ', '/', '='], "_"))
    }
}

pub fn run(workspace: &Workspace, arguments: &Arguments) -> Result<bool> {
    super::need_programs(&[("spin", "-V"), ("gcc", "--version")])?;
    let mut suite = Suite::read(workspace)?;
    if let Some(text) = &arguments.only {
        suite.retain(text);
    }
    let public = arguments.part.as_deref().and_then(public::Part::of);
    let is_formulas = arguments.part.as_deref() == Some("formulas");
    let is_threads = arguments.part.as_deref() == Some("threads");
    let is_apart = public.is_some() || is_formulas || is_threads;
    if let Some(part) = arguments.part.as_ref().filter(|_| !is_apart) {
        suite.only_part(part)?;
    }
    ensure!(is_apart || !suite.is_empty(), "no case of that name");
    let lariat = workspace.build_lariat()?;
    let place = lariat.ancestors().nth(2).context("the target directory")?.join("bench").join("engine");
    let mut bench = Bench {
        workspace,
        lariat,
        place,
        repeat: arguments.repeat,
        raw: HEADING.to_string(),
        commands: "cargo xtask bench engine\n".to_string(),
        refused: Vec::new(),
    };
    if let Some(part) = public {
        return public::run(&mut bench, part, arguments);
    }
    if is_formulas {
        return formulas::run(&mut bench, arguments);
    }
    if is_threads {
        return threads::run(&mut bench, &suite, arguments);
    }
    let load = Machine::load();
    let keep = arguments.only.is_none() && arguments.part.is_none();
    if arguments.large {
        let text = compare::large(&mut bench, &suite.large)? + &Machine::describe(load)?.text_as_list();
        print!("{text}");
        if keep {
            bench.keep("engine", &[("large.md", &text)])?;
        }
        return Ok(bench.refused.is_empty());
    }
    let report = measure_all(&mut bench, &suite, arguments)?;
    let text = report.text(&bench, &Machine::describe(load)?);
    print!("{text}");
    if keep {
        let commands = std::mem::take(&mut bench.commands);
        let raw = std::mem::take(&mut bench.raw);
        bench.keep("engine", &[("report.md", &text), ("raw.csv", &raw), ("commands.txt", &commands)])?;
    }
    Ok(report.demands_met() && bench.refused.is_empty())
}

fn measure_all(bench: &mut Bench, suite: &Suite, arguments: &Arguments) -> Result<Report> {
    let wanted = |part: &str| arguments.part.as_deref().is_none_or(|name| name == part);
    let floor = if suite.safety.is_empty() { None } else { Some(compare::build_floor(bench)?) };
    let search = bench.each("search", &suite.safety, |bench, case| {
        compare::search(bench, "search", case, floor.as_deref())
    });
    let holds = bench.each("holds", &suite.holds, |bench, case| compare::search(bench, "holds", case, None));
    let fails = bench.each("fails", &suite.fails, |bench, case| compare::search(bench, "fails", case, None));
    let small = bench.each("small", &suite.small, verdicts::small);
    let mut defaults = Vec::new();
    if wanted("defaults") {
        let questions = [&suite.questions[..], &suite.small].concat();
        defaults = bench.each("defaults", &questions, verdicts::defaults);
    }
    let instructions = bench.each("instructions", &suite.instructions, instructions::count);
    Ok(Report { search, holds, fails, small, defaults, instructions })
}

impl Bench<'_> {
    fn keep(&self, suite: &str, files: &[(&str, &str)]) -> Result<()> {
        let place = format!("bench/runs/{suite}");
        let directory = self.workspace.path(&place);
        fs::create_dir_all(&directory)?;
        for (name, text) in files {
            fs::write(directory.join(name), text).with_context(|| format!("{place}/{name}"))?;
        }
        eprintln!("kept in {place}");
        Ok(())
    }
}
