//! `cargo xtask conformance`: the answers of Lariat against the known ones, by the runner beside this
//! repository.
//!
//! A suite has a floor in `tests/conformance-floor.toml`: as many cases must pass, counting those that
//! `tests/conformance-waivers.csv` excuses with a reason. The figures never go down. When more pass, the
//! floor is raised by hand, in the commit that made them pass. Without names, all suites that have a floor
//! are run.

use crate::workspace::Workspace;
use anyhow::{Context, Result, ensure};
use std::collections::BTreeMap;
use std::fs;
use std::process::Command;
use std::thread::available_parallelism;

const RUNNER: &str = "../shared/conformance/run";
const FLOOR: &str = "tests/conformance-floor.toml";
const WAIVERS: &str = "tests/conformance-waivers.csv";

/// Seconds for each case, unless the user gives another number. Violations in the largest models of
/// `beem-ltl` are found late, and with counterexamples of millions of steps, which nobody wants to wait for.
fn seconds(suite: &str) -> u32 {
    if suite == "beem-ltl" { 45 } else { 60 }
}

#[derive(clap::Args)]
pub struct Arguments {
    /// Which suites; all that have a floor if none is named
    suites: Vec<String>,
    /// Cases to run at the same time; one for each processor if not given
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
    /// Seconds for each case; 60 if not given, or what the suite needs
    #[arg(long, value_name = "S")]
    timeout: Option<u32>,
    /// Only cases whose name contains this; there is no floor then
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// Only small models; there is no floor then
    #[arg(long)]
    quick: bool,
    /// Check formulas with this algorithm; what it does not apply to is left out, and there is no floor then
    #[arg(long, value_name = "NAME")]
    algorithm: Option<String>,
}

pub fn run(workspace: &Workspace, arguments: &Arguments) -> Result<bool> {
    ensure!(workspace.path(RUNNER).exists(), "the conformance runner is not there ({RUNNER})");
    let floors = floors(&fs::read_to_string(workspace.path(FLOOR)).context(FLOOR)?).context(FLOOR)?;
    check_waivers(&fs::read_to_string(workspace.path(WAIVERS)).context(WAIVERS)?).context(WAIVERS)?;
    let suites =
        if arguments.suites.is_empty() { floors.keys().cloned().collect() } else { arguments.suites.clone() };
    let lariat = workspace.build_lariat()?;
    let jobs = arguments.jobs.unwrap_or_else(|| available_parallelism().map_or(1, |n| n.get()));

    let mut well = true;
    for suite in &suites {
        let mut command = Command::new(RUNNER);
        command.arg(suite).arg("--lariat").arg(&lariat).args(["--waivers", WAIVERS]);
        let timeout = arguments.timeout.unwrap_or(seconds(suite));
        command.args(["--jobs", &jobs.to_string(), "--timeout", &timeout.to_string()]);
        if let Some(text) = &arguments.only {
            command.args(["--only", text]);
        }
        if arguments.quick {
            command.arg("--quick");
        }
        if let Some(name) = &arguments.algorithm {
            command.arg(format!("--args=--algorithm {name}"));
        }
        let part = arguments.quick || arguments.only.is_some() || arguments.algorithm.is_some();
        match floors.get(suite).filter(|_| !part) {
            Some(floor) => {
                command.args(["--at-least", &floor.to_string()]);
                let reached = workspace.run(&mut command)?;
                println!("{suite}: the floor of {floor} is {}", if reached { "kept" } else { "NOT kept" });
                well &= reached;
            }
            None => well &= workspace.run(&mut command)?,
        }
    }
    Ok(well)
}

fn floors(text: &str) -> Result<BTreeMap<String, usize>> {
    Ok(toml::from_str(text)?)
}

/// Every waiver names a case and a reason. The runner reads the file; this is so that a slip in it is not
/// taken for none.
fn check_waivers(text: &str) -> Result<()> {
    let mut lines = text.lines();
    ensure!(lines.next() == Some("case,reason"), "the first line must be `case,reason`");
    for line in lines {
        let reason = line.split_once(',').map(|(_, reason)| reason.trim_matches([' ', '"']));
        ensure!(reason.is_some_and(|reason| !reason.is_empty()), "a waiver without a reason: {line}");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floors_are_numbers() {
        assert_eq!(floors("# why\npromela = 483\n").unwrap()["promela"], 483);
        assert!(floors("promela = \"all\"").is_err());
    }

    #[test]
    fn waivers_have_reasons() {
        assert!(check_waivers("case,reason\n").is_ok());
        assert!(check_waivers("case,reason\npromela a.pml,\"Spin's counter, 32 bits, wraps\"\n").is_ok());
        assert!(check_waivers("").is_err());
        assert!(check_waivers("case,reason\npromela a.pml,\n").is_err());
        assert!(check_waivers("case,reason\npromela a.pml\n").is_err());
    }

    #[test]
    fn the_files_of_this_repository_are_well_formed() {
        let workspace = Workspace::here();
        assert!(!floors(&fs::read_to_string(workspace.path(FLOOR)).unwrap()).unwrap().is_empty());
        check_waivers(&fs::read_to_string(workspace.path(WAIVERS)).unwrap()).unwrap();
    }
}
