//! `cargo xtask bench simplifications`: what simplifying a model saves, in states and in seconds.
//!
//! The whole state space of some of our models is explored without simplifications, with each of them, and
//! with both. No peer is asked: the question is what an option is good for. Without simplifications the
//! states must be those of the model's `.expect.toml`, and no simplification may lead to more.

use crate::measure::{Measured, measure};
use crate::record::Machine;
use crate::workspace::Workspace;
use anyhow::{Context, Result, ensure};
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Our models of more than 70,000 states, but those of which another one is like.
const MODELS: [&str; 12] = [
    "bakery",
    "election_dolev_klawe_rodeh",
    "filter_lock",
    "go_back_n",
    "lamport_fast_mutex",
    "michael_scott_queue",
    "msi_directory",
    "paxos",
    "philosophers_ordered",
    "producer_consumer",
    "token_ring_dynamic",
    "two_phase_commit",
];

/// What each column adds to `lariat explore`.
const CHOICES: [(&str, &[&str]); 4] = [
    ("plain", &[]),
    ("reset", &["--reset-dead-variables"]),
    ("merged", &["--merge-statements"]),
    ("both", &["--reset-dead-variables", "--merge-statements"]),
];

#[derive(clap::Args)]
pub struct Arguments {
    /// How often each command runs; the best run counts
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// Only models whose name contains this; the result is shown, but not kept
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
}

/// States and seconds of one command.
struct Explored {
    states: u64,
    seconds: f64,
}

pub fn run(workspace: &Workspace, arguments: &Arguments) -> Result<bool> {
    let lariat = workspace.build_lariat()?;
    let before = Machine::load();
    let wanted = |name: &&&str| arguments.only.as_ref().is_none_or(|text| name.contains(text.as_str()));
    let mut rows = Vec::new();
    for name in MODELS.iter().filter(wanted) {
        eprintln!("{name}");
        let explored: Result<Vec<Explored>> = CHOICES
            .iter()
            .map(|(_, options)| explore(workspace, &lariat, name, options, arguments.runs))
            .collect();
        let explored = explored?;
        super::agree(&super::model(workspace, name)?, super::Program::Lariat, explored[0].states)?;
        ensure!(
            explored.iter().all(|one| one.states <= explored[0].states),
            "{name}: more states than before"
        );
        rows.push((*name, explored));
    }
    let table = table(&rows, arguments.runs);
    print!("{table}");
    if arguments.only.is_none() {
        let place = "bench/runs/simplifications";
        fs::create_dir_all(workspace.path(place))?;
        let machine = Machine::describe(before)?.text_as_list();
        let text = format!("# Simplifications\n\n`cargo xtask bench simplifications`\n\n{machine}\n{table}");
        fs::write(workspace.path(place).join("report.md"), text).context(place)?;
        eprintln!("kept in {place}");
    }
    Ok(true)
}

fn explore(
    workspace: &Workspace,
    lariat: &Path,
    name: &str,
    options: &[&str],
    runs: u32,
) -> Result<Explored> {
    let file = format!("models/{name}.pml");
    let mut command = Command::new(lariat);
    command
        .args(["explore", &file, "--threads", "1", "--format", "json"])
        .args(options)
        .current_dir(&workspace.root);
    let mut best = Explored { states: 0, seconds: f64::INFINITY };
    for _ in 0..runs {
        let measured = measure(&command)?;
        best.states = super::states_of_report(&measured.output)?;
        best.seconds = best.seconds.min(Measured::processor_seconds(&measured));
    }
    Ok(best)
}

fn table(rows: &[(&str, Vec<Explored>)], runs: u32) -> String {
    let mut text = format!(
        "`lariat explore`, best of {runs}, in seconds of processor time (user + system) of the whole process.\n\n| model |"
    );
    for (choice, options) in CHOICES {
        let _ = write!(
            text,
            " states, {} | s |",
            if options.is_empty() { choice.to_string() } else { options.join(" ") }
        );
    }
    text.push_str("\n| --- |");
    text.push_str(&" --: | --: |".repeat(CHOICES.len()));
    for (name, explored) in rows {
        let _ = write!(text, "\n| {name} |");
        for Explored { states, seconds } in explored {
            let _ = write!(text, " {states} | {seconds:.2} |");
        }
    }
    let share = |of: &dyn Fn(&Explored) -> f64, column: usize| {
        crate::record::geometric_mean(
            rows.iter().map(|(_, explored)| of(&explored[column]) / of(&explored[0])),
        )
    };
    text.push_str("\n| what is left, geometric mean |");
    for column in 0..CHOICES.len() {
        let (states, seconds) =
            (share(&|one| one.states as f64, column), share(&|one| one.seconds.max(0.001), column));
        let _ = write!(text, " {:.0} % | {:.0} % |", 100.0 * states, 100.0 * seconds);
    }
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_a_mean_of_shares() {
        let one = |states: u64| Explored { states, seconds: states as f64 / 100.0 };
        let rows = vec![
            ("a", vec![one(100), one(25), one(50), one(10)]),
            ("b", vec![one(100), one(100), one(50), one(10)]),
        ];
        let text = table(&rows, 1);
        assert!(text.contains("| a | 100 | 1.00 | 25 | 0.25 | 50 | 0.50 | 10 | 0.10 |"), "{text}");
        assert!(text.ends_with("| 100 % | 100 % | 50 % | 50 % | 50 % | 50 % | 10 % | 10 % |\n"), "{text}");
    }

    #[test]
    fn the_models_are_there() {
        for name in MODELS {
            super::super::model(&Workspace::here(), name).unwrap();
        }
    }
}
