//! `cargo xtask bench reduction`: what partial-order reduction leaves of the states, ours beside Spin's.
//!
//! A *share* is what is left of the states of the model as it is written, each program measured against
//! itself. It is asked for twice: for the model as it is written (`spin -o1 -o2 -o3`, which switches
//! off what else changes the states), and for Spin as it comes, which merges statements and resets dead
//! variables, beside Lariat with the options of that name. Questions are the whole state space of a model,
//! and each of its formulas that holds: where one is violated a search stops early, and the counts say
//! nothing.
//!
//! Which models: those of `models/`, of the corpus's `speed.csv` and of its `promela/truth.csv` that have
//! more than [`suite::FEW`] states (`suite.rs`). Each count takes a run (`counts.rs`); a question for which
//! one of them is beyond the limits is left out and listed. Counts are written down as they come, and
//! `--resume` takes those again that still hold: pan's of the same model, ours of the same model and the same
//! program.
//!
//! The report (`report.rs`) begins with the demands. A model of which pan leaves a smaller share needs an
//! explanation in `bench/reduction.toml`.

mod counts;
mod report;
mod suite;

use crate::record::Machine;
use crate::workspace::Workspace;
use anyhow::{Context, Result, ensure};
use counts::{Counts, Program, Table};
use report::{Left, Row};
use std::fs;
use suite::Question;

const PLACE: &str = "bench/runs/reduction";

#[derive(clap::Args)]
pub struct Arguments {
    /// Only questions whose name contains this; the result is shown, but not kept
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// Only models with at most this many states; if it is less than the default, nothing is kept
    #[arg(long, value_name = "STATES", default_value_t = suite::MANY)]
    limit: u64,
    /// Models of all sizes
    #[arg(long, conflicts_with = "limit")]
    all: bool,
    /// Take what an earlier run has counted and what still holds, instead of beginning anew
    #[arg(long)]
    resume: bool,
    /// How often Lariat runs where its time counts; the best run does
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..))]
    repeat: u32,
}

impl Arguments {
    fn is_kept(&self) -> bool {
        self.only.is_none() && (self.all || self.limit >= suite::MANY)
    }
}

pub fn run(workspace: &Workspace, arguments: &Arguments) -> Result<bool> {
    super::need_programs(&[("spin", "-V"), ("gcc", "--version"), ("timeout", "--version")])?;
    let explained = report::explained(workspace)?;
    let limit = if arguments.all { u64::MAX } else { arguments.limit };
    let (mut questions, too_large) = suite::questions(workspace, limit)?;
    questions.retain(|question| arguments.only.as_ref().is_none_or(|text| question.name().contains(text)));
    ensure!(!questions.is_empty(), "no question of that name and size");
    let lariat = workspace.build_lariat()?;
    let before = Machine::load();
    let mut counts = Counts::new(workspace, lariat, arguments.resume, arguments.repeat)?;
    let (mut rows, mut left) = (Vec::new(), Vec::new());
    for (number, question) in questions.iter().enumerate() {
        eprintln!("{}/{} {}", number + 1, questions.len(), question.name());
        match measure(&mut counts, question)? {
            Ok(row) => rows.push(row),
            Err(reason) => {
                eprintln!("  left out: {reason}");
                left.push(Left { name: question.name(), reason });
            }
        }
    }
    if arguments.only.is_none() {
        left.extend(too_large.iter().map(|question| Left {
            name: question.name(),
            reason: format!("{} states, more than {limit}", question.states),
        }));
    }
    let (text, met) = report::report(&rows, &left, &explained, arguments.only.is_none());
    print!("{text}");
    if arguments.is_kept() {
        fs::create_dir_all(workspace.path(PLACE))?;
        let machine = Machine::describe(before)?.text_as_list();
        let reused = match counts.reused {
            0 => String::new(),
            reused => {
                format!("\n{reused} counts are those of a run that was interrupted, or of one before.\n")
            }
        };
        let text = format!(
            "# Partial-order reduction\n\n`cargo xtask bench reduction`\n\n{machine}{reused}\n{text}"
        );
        for (name, text) in [("report.md", &text), ("raw.csv", &report::raw(&rows))] {
            fs::write(workspace.path(PLACE).join(name), text).context(PLACE)?;
        }
        eprintln!("kept in {PLACE}");
    }
    Ok(met)
}

/// All counts of a question; or why it is left out.
fn measure(counts: &mut Counts, question: &Question) -> Result<Result<Row, String>> {
    let mut row = Row::new(question);
    for table in Table::ALL {
        // Ours first: what is beyond the limits for us need not be asked of pan.
        for program in Program::ALL {
            for reduces in [false, true] {
                match counts.count(question, program, table, reduces)? {
                    Ok(count) => row.set(table, program, reduces, count),
                    Err(reason) => {
                        let with = if reduces { "with" } else { "without" };
                        return Ok(Err(format!("{} {with} reduction: {reason}", program.name())));
                    }
                }
            }
        }
        if let Some(reason) = row.disagreement(table) {
            return Ok(Err(reason));
        }
    }
    eprintln!("  {}", row.summary());
    Ok(Ok(row))
}
