//! From text to verdict: spin, gcc and pan on one side, one program on the other.
//!
//! For the small models Spin's side is made as in the searches; then both are asked again as people run them:
//! Spin with its reduction and merging, `-O2`, its own table and, if that is enough, its own depth. Attempts
//! with a depth that was too small are not counted.

use super::Bench;
use super::compare::{Best, GCC, LONG_STATES, SPIN, counts_of};
use super::ours::{self, Question};
use super::suite::Case;
use crate::pan::{Pan, Recipe};
use crate::workspace::shown;
use anyhow::{Result, ensure};
use std::fmt::Write;

/// Both sides of a case.
pub struct Verdict {
    pub name: String,
    pub holds: bool,
    pub spin: Best,
    pub gcc: Best,
    pub pan: Best,
    pub lariat: Best,
    pub their_states: u64,
    pub our_states: u64,
}

impl Verdict {
    pub fn theirs(&self) -> f64 {
        self.spin.user + self.gcc.user + self.pan.user
    }

    pub fn theirs_on_the_wall(&self) -> f64 {
        self.spin.wall + self.gcc.wall + self.pan.wall
    }

    pub fn ratio(&self) -> f64 {
        self.theirs() / self.lariat.user
    }
}

/// Safety, with the flags of the searches; stops at the first error.
pub fn small(bench: &mut Bench, case: &Case) -> Result<Verdict> {
    let recipe = Recipe::of(SPIN, &format!("{GCC} -DSAFETY -DNOCLAIM"), "-n");
    compare(bench, "small", case, &recipe, bench.repeat)
}

/// The same, once, of a model that may have long states.
pub fn public(bench: &mut Bench, case: &Case) -> Result<Verdict> {
    let recipe = Recipe::of(SPIN, &format!("{GCC} {LONG_STATES} -DSAFETY -DNOCLAIM"), "-n");
    compare(bench, "public-small", case, &recipe, 1)
}

/// Once: no figure is demanded of this table, and it is the longest.
pub fn defaults(bench: &mut Bench, case: &Case) -> Result<Verdict> {
    let gcc = "-O2 -w -DMEMLIM=16384";
    let recipe = match &case.property {
        None => Recipe::of("", &format!("{gcc} -DSAFETY -DNOCLAIM"), ""),
        Some(property) => Recipe::of("", gcc, &format!("-a -N {property}")),
    };
    compare(bench, "defaults", case, &recipe, 1)
}

fn compare(bench: &mut Bench, part: &str, case: &Case, recipe: &Recipe, repeat: u32) -> Result<Verdict> {
    let model = bench.workspace.path(&case.model);
    let directory = bench.directory(case);
    let mut pan = Pan::make(recipe, &model, &case.macros, directory.clone())?;
    pan.try_depths()?;
    let command = ours::command(bench, case, Question::Check);
    let mut verdict = Verdict {
        name: case.name(),
        holds: false,
        spin: Best::NONE,
        gcc: Best::NONE,
        pan: Best::NONE,
        lariat: Best::NONE,
        their_states: 0,
        our_states: 0,
    };
    for number in 1..=repeat {
        let run = (part, case, number);
        if number > 1 {
            pan = pan.made_again(recipe, &model, &case.macros, directory.clone())?;
        }
        let (measured, theirs) = pan.run()?;
        verdict.spin.take(&pan.making[0]);
        verdict.gcc.take(&pan.making[1]);
        verdict.pan.take(&measured);
        for (program, measured) in ["spin", "gcc"].into_iter().zip(&pan.making) {
            bench.note(run, program, measured, Default::default());
        }
        bench.note(run, "pan", &measured, counts_of(&theirs));
        let (measured, ours) = ours::run(&command)?;
        bench.note(run, "lariat", &measured, ours.counts);
        verdict.lariat.take(&measured);
        ensure!(ours.holds == (theirs.errors == 0), "the verdicts differ");
        if let Some(states) = case.states.filter(|_| part != "defaults") {
            ensure!(theirs.states == states && ours.counts.states == states, "the numbers of states differ");
        }
        verdict.holds = ours.holds;
        (verdict.their_states, verdict.our_states) = (theirs.states, ours.counts.states);
    }
    let commands = pan.commands().join("\n");
    let _ = write!(bench.commands, "\n# {part}: {}\n{commands}\n{}\n", case.name(), shown(&command));
    Ok(verdict)
}
