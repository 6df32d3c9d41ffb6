//! Spin's verifier for one model: generated, compiled, run, and its report read.
//!
//! Flags: `-o1 -o2 -o3` switch off the optimisations of Spin that change which states there are (dataflow, dead variables,
//! merging of statements); `-DNOREDUCE` the partial-order reduction; `-DSAFETY` compiles the faster search that looks
//! for no cycles; `-DNOCLAIM` leaves the properties out. At run time `-A -E -c0` make it explore everything, whatever it
//! meets, and `-n` spares it the list of unreached statements. The table (`-w`) has room for twice the states, as it
//! is slower with fewer; the stack (`-m`) is as deep as the first run found to be necessary, because pan clears it.

use crate::measure::{Measured, measure};
use crate::workspace::{output_of, shown};
use anyhow::{Context, Result, bail, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const SPIN: [&str; 4] = ["-o1", "-o2", "-o3", "-a"];
const GCC: [&str; 7] =
    ["-O2", "-w", "-DNOREDUCE", "-DSAFETY", "-DNOCLAIM", "-DMEMLIM=8192", "-DVECTORSZ=4096"];
const FIRST_DEPTH: u64 = 10_000_000;

pub struct Pan {
    directory: PathBuf,
    table: u32,
    depth: u64,
    /// The commands that made it, as run in its directory.
    pub made_by: Vec<String>,
}

pub struct Explored {
    pub states: u64,
    pub depth: u64,
}

impl Pan {
    /// Generates and compiles pan in `directory`, and finds out how deep it goes.
    pub fn build(model: &Path, states: u64, directory: PathBuf) -> Result<Self> {
        let name = model.file_name().context("a model has a name")?;
        fs::create_dir_all(&directory)?;
        fs::copy(model, directory.join(name))?;
        let mut spin = Command::new("spin");
        let mut gcc = Command::new("gcc");
        spin.args(SPIN).arg(name);
        gcc.args(GCC).args(["-o", "pan", "pan.c"]);
        for command in [&mut spin, &mut gcc] {
            output_of(command.current_dir(&directory))?;
        }
        let made_by = vec![shown(&spin), shown(&gcc)];
        let mut pan = Pan { directory, table: table_bits(states), depth: FIRST_DEPTH, made_by };
        let (_, explored) = pan.run()?;
        pan.depth = explored.depth + 1000;
        Ok(pan)
    }

    pub fn run(&self) -> Result<(Measured, Explored)> {
        let measured = measure(&self.command())?;
        let explored = read_report(&measured.output)?;
        Ok((measured, explored))
    }

    pub fn command(&self) -> Command {
        let mut command = Command::new("./pan");
        command.args(["-n", "-A", "-E", "-c0"]);
        command
            .arg(format!("-m{}", self.depth))
            .arg(format!("-w{}", self.table))
            .current_dir(&self.directory);
        command
    }
}

/// A table of 2^n places for twice the states.
fn table_bits(states: u64) -> u32 {
    (2 * states).next_power_of_two().ilog2()
}

fn read_report(text: &str) -> Result<Explored> {
    for limit in ["max search depth too small", "out of memory", "reached -DMEMLIM"] {
        if text.contains(limit) {
            bail!("pan did not explore everything: {limit}");
        }
    }
    let states = before(text, "states, stored").context("pan does not say how many states there are")?;
    let depth = text
        .split_once("depth reached ")
        .and_then(|(_, rest)| rest.split(',').next()?.parse().ok())
        .context("pan does not say how deep it went")?;
    ensure!(states > 0, "pan stored no states");
    Ok(Explored { states, depth })
}

/// The number that stands before a word. Pan prints counts as floating-point numbers with eight digits.
fn before(text: &str, word: &str) -> Option<u64> {
    let (head, _) = text.split_once(word)?;
    let number: f64 = head.split_whitespace().next_back()?.parse().ok()?;
    Some(number as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = "\
State-vector 136 byte, depth reached 32193, errors: 0
  1150438 states, stored
  6227913 states, matched
  7378351 transitions (= stored+matched)
        0 atomic steps
";

    #[test]
    fn reports_are_read() {
        let explored = read_report(REPORT).unwrap();
        assert_eq!((explored.states, explored.depth), (1150438, 32193));
    }

    #[test]
    fn incomplete_runs_are_refused() {
        assert!(read_report(&format!("error: max search depth too small\n{REPORT}")).is_err());
        assert!(read_report("").is_err());
    }

    #[test]
    fn tables_are_at_most_half_full() {
        assert_eq!(table_bits(1_000_000), 21);
        assert_eq!(table_bits(1 << 20), 21);
        assert_eq!(table_bits((1 << 20) + 1), 22);
    }
}
