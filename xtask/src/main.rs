//! `cargo xtask`: the automation of this repository, in Rust rather than in scripts.
//!
//! Each command is one file. They call `cargo`, the conformance runner, or Spin, and say which command they
//! run; what they need and do not find is named in the error. Nothing here is part of the program that users
//! install.

#![forbid(unsafe_code)]

mod bench;
mod conformance;
mod crossings;
mod measure;
mod pan;
mod record;
mod tidy;
mod trails;
mod workspace;

use anyhow::Result;
use clap::{Parser, Subcommand};
use std::process::{Command, ExitCode};
use workspace::Workspace;

/// The automation of this repository
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Compare with known answers; fewer than the floor of tests/conformance-floor.toml is a failure
    Conformance(conformance::Arguments),
    /// Compare with known answers under every combination of stores, engines, threads and algorithms
    Crossings(crossings::Arguments),
    /// Measure against a peer, in one run, and keep the result in bench/runs
    Bench(bench::Arguments),
    /// Compare random models with Spin: the arguments go to the program of that name in fuzz/oracles
    #[command(disable_help_flag = true)]
    CompareWithSpin {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Compare the translations of random formulas: the arguments go to the program of that name in
    /// fuzz/oracles
    #[command(disable_help_flag = true)]
    CompareTranslations {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Follow trails of Lariat with Spin and trails of Spin with Lariat, and compare where they end
    CompareTrails(trails::Arguments),
    /// Check the rules for files that no compiler checks
    Tidy,
    /// Run the tests and let them write what they expect
    Golden,
    /// Run a program and print what it took, as JSON
    #[command(hide = true)]
    Measure {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true)]
        command: Vec<String>,
    },
}

fn main() -> Result<ExitCode> {
    let workspace = Workspace::here();
    let well = match Arguments::parse().task {
        Task::Conformance(arguments) => conformance::run(&workspace, &arguments)?,
        Task::Crossings(arguments) => crossings::run(&workspace, &arguments)?,
        Task::Bench(arguments) => bench::run(&workspace, &arguments)?,
        Task::CompareWithSpin { arguments } => oracle(&workspace, "compare-with-spin", &arguments)?,
        Task::CompareTranslations { arguments } => oracle(&workspace, "compare-translations", &arguments)?,
        Task::CompareTrails(arguments) => trails::run(&workspace, &arguments)?,
        Task::Tidy => tidy::run(&workspace)?,
        Task::Golden => golden(&workspace)?,
        Task::Measure { command } => {
            measure::here(&command)?;
            true
        }
    };
    Ok(if well { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Runs one of the programs in fuzz/oracles.
fn oracle(workspace: &Workspace, program: &str, arguments: &[String]) -> Result<bool> {
    let run = ["run", "--release", "--package", "lariat-oracles", "--bin", program, "--"];
    workspace.run(workspace.cargo().args(run).args(arguments))
}

fn golden(workspace: &Workspace) -> Result<bool> {
    let mut words = tidy::TEST_COMMAND.split(' ');
    let mut command = Command::new(words.next().unwrap_or_default());
    workspace.run(command.args(words).env("UPDATE_EXPECT", "1"))
}
