//! Searches compared: pan after it was compiled, Lariat, and the floor under it.

use super::ours::{self, Found, Question};
use super::suite::Case;
use super::{Bench, Counts};
use crate::measure::{Measured, measure};
use crate::pan::{Explored, Pan, Recipe};
use crate::workspace::{output_of, shown};
use anyhow::{Context, Result, ensure};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

pub const SPIN: &str = "-o1 -o2 -o3";
pub const GCC: &str = "-O3 -march=native -w -DNOREDUCE -DMEMLIM=16384";

/// Models of others may need this; pan says so, and stops, if a state is longer.
pub const LONG_STATES: &str = "-DVECTORSZ=4096";

/// The floor is steadier than a search.
const FLOOR_RUNS: u32 = 2;

/// The best of several runs, each figure by itself.
#[derive(Clone, Copy)]
pub struct Best {
    pub user: f64,
    pub processor: f64,
    pub wall: f64,
    pub peak_mib: f64,
}

impl Best {
    pub const NONE: Best =
        Best { user: f64::INFINITY, processor: f64::INFINITY, wall: f64::INFINITY, peak_mib: f64::INFINITY };

    pub fn take(&mut self, measured: &Measured) {
        // Times under a millisecond are below what the system counts.
        self.user = self.user.min(measured.user_seconds.max(0.001));
        self.processor = self.processor.min(measured.processor_seconds().max(0.001));
        self.wall = self.wall.min(measured.wall_seconds);
        self.peak_mib = self.peak_mib.min(measured.peak_kib as f64 / 1024.0);
    }
}

/// The time that the store alone takes.
#[derive(Clone, Copy)]
pub struct Floor {
    /// To insert every state once.
    pub new: f64,
    /// With as many insertions as there are transitions.
    pub all: f64,
}

/// Both sides of a case.
pub struct Row {
    pub name: String,
    pub class: String,
    pub pan: Best,
    pub lariat: Best,
    pub theirs: Explored,
    pub ours: Found,
    pub floor: Option<Floor>,
}

impl Row {
    /// How many times pan's speed.
    pub fn ratio(&self) -> f64 {
        self.pan.user / self.lariat.user
    }

    /// Pan counts the start as a transition, and prints eight digits.
    pub fn same_transitions(&self) -> bool {
        let theirs = self.theirs.transitions;
        theirs.abs_diff(self.ours.counts.transitions) <= 1 + theirs / 20_000_000
    }
}

/// The whole state space, or the product with a formula.
pub fn search(bench: &mut Bench, part: &str, case: &Case, floor: Option<&Path>) -> Result<Row> {
    let (recipe, question) = match &case.property {
        None => {
            let long = if part == "public" { LONG_STATES } else { "" };
            let gcc = format!("{GCC} {long} -DSAFETY -DNOCLAIM");
            (Recipe::of(SPIN, &gcc, "-n -A -E -c0"), Question::Explore)
        }
        Some(property) => (Recipe::of(SPIN, GCC, &format!("-a -n -N {property}")), Question::Check),
    };
    let model = bench.workspace.path(&case.model);
    let mut pan = Pan::make(&recipe, &model, &case.macros, bench.directory(case))?;
    pan.fit(case.states)?;
    let mut command = ours::command(bench, case, question);
    if question == Question::Check {
        // The same work as pan's: all states.
        command.arg("--no-reduce");
    }
    let mut commands = pan.commands();
    commands.push(shown(&command));
    let mut row: Option<Row> = None;
    for number in 1..=bench.repeat {
        let run = (part, case, number);
        let (pan_measured, theirs) = pan.run()?;
        bench.note(run, "pan", &pan_measured, counts_of(&theirs));
        let (measured, ours) = ours::run(&command)?;
        bench.note(run, "lariat", &measured, ours.counts);
        agree(part, case, &theirs, &ours)?;
        let row = row.get_or_insert_with(|| Row {
            name: case.name(),
            class: case.class.clone(),
            pan: Best::NONE,
            lariat: Best::NONE,
            theirs,
            ours,
            floor: None,
        });
        row.pan.take(&pan_measured);
        row.lariat.take(&measured);
    }
    let mut row = row.context("there is at least one run")?;
    if let Some(program) = floor {
        let Counts { states, transitions, .. } = row.ours.counts;
        let mut seconds = [0.0, 0.0];
        for (insertions, seconds) in [states, transitions].into_iter().zip(&mut seconds) {
            let command = floor_command(program, &row, insertions);
            commands.push(shown(&command));
            let mut best = Best::NONE;
            for number in 1..=bench.repeat.min(FLOOR_RUNS) {
                let measured = measure(&command)?;
                ensure!(
                    measured.output.trim() == format!("{states} keys"),
                    "the floor has another number of keys"
                );
                let counts = Counts { states, visited: states, transitions: insertions };
                bench.note((part, case, number), "floor", &measured, counts);
                best.take(&measured);
            }
            *seconds = best.user;
        }
        row.floor = Some(Floor { new: seconds[0], all: seconds[1] });
    }
    let _ = write!(bench.commands, "\n# {part}: {}\n{}\n", case.name(), commands.join("\n"));
    Ok(row)
}

pub fn counts_of(explored: &Explored) -> Counts {
    Counts { states: explored.states, visited: explored.visited, transitions: explored.transitions }
}

/// The same verdict, and the one that the part is about; the same number of states where one is given.
fn agree(part: &str, case: &Case, theirs: &Explored, ours: &Found) -> Result<()> {
    if case.property.is_some() {
        let expected = part != "fails";
        ensure!(ours.holds == expected, "lariat's verdict is not that of the suite");
        ensure!((theirs.errors == 0) == expected, "pan's verdict is not that of the suite");
    }
    if let Some(states) = case.states {
        ensure!(theirs.states == states, "pan finds {} states, expected {states}", theirs.states);
        ensure!(
            ours.counts.states == states,
            "lariat finds {} states, expected {states}",
            ours.counts.states
        );
    }
    Ok(())
}

/// Builds the program that only inserts.
pub fn build_floor(bench: &Bench) -> Result<PathBuf> {
    let mut build = bench.workspace.cargo();
    build.args(["build", "--release", "--package", "lariat-store", "--example", "floor"]);
    output_of(build.current_dir(&bench.workspace.root))?;
    Ok(bench.lariat.parent().context("the release directory")?.join("examples").join("floor"))
}

fn floor_command(program: &Path, row: &Row, insertions: u64) -> Command {
    let states = row.ours.counts.states;
    let mut command = Command::new(program);
    command.args([states, row.ours.states_bytes / states.max(1), insertions].map(|n| n.to_string()));
    command
}

/// The cases that nobody wants to wait for twice, as a table.
pub fn large(bench: &mut Bench, cases: &[Case]) -> Result<String> {
    let mut text = String::from(
        "# Depth and size\n\nLariat alone, once.\n\n\
         | model | what | states | transitions | depth | user s | wall s | stored bytes a state | beside them | stacks and marks, MiB | resident MiB |\n\
         | --- | --- | --: | --: | --: | --: | --: | --: | --: | --: | --: |\n",
    );
    for case in cases {
        let mut command = ours::command(bench, case, Question::Explore);
        // With a limit, whatever it is, the search keeps its order, and tells how deep it goes.
        command.args(["--max-depth", "1G"]);
        eprintln!("+ {}", shown(&command));
        let (measured, found) = ours::run(&command)?;
        if let Some(states) = case.states {
            ensure!(found.counts.states == states, "{} states, expected {states}", found.counts.states);
        }
        let a_state = |bytes: u64| bytes as f64 / found.counts.states as f64;
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {:.1} | {:.1} | {:.1} | {:.1} | {:.0} | {} |",
            case.name(),
            case.class,
            found.counts.states,
            found.counts.transitions,
            found.depth,
            measured.user_seconds,
            measured.wall_seconds,
            a_state(found.states_bytes),
            a_state(found.auxiliary_bytes),
            found.stacks_bytes as f64 / (1 << 20) as f64,
            measured.peak_kib / 1024,
        );
        let _ = writeln!(bench.commands, "{}", shown(&command));
    }
    let _ =
        write!(text, "\n```\n{}```\n\n", bench.commands.replace("bench engine\n", "bench engine --large\n"));
    Ok(text)
}
