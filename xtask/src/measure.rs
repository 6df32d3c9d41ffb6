//! What a program took: processor time and memory, as the operating system counts them.
//!
//! The system counts for all children of a process together: times add up, and of the memory it keeps the
//! greatest. So a program that is to be measured gets a parent of its own: this program again, as
//! `cargo xtask measure`, which runs one child and prints the figures as JSON.

use crate::workspace::{output_of, shown};
use anyhow::{Context, Result, ensure};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::{TimeVal, TimeValLike};
use serde::{Deserialize, Serialize};
use std::process::Command;
use std::time::Instant;

#[derive(Serialize, Deserialize)]
pub struct Measured {
    pub user_seconds: f64,
    pub system_seconds: f64,
    pub wall_seconds: f64,
    pub peak_kib: u64,
    /// Its exit code.
    pub code: i32,
    pub output: String,
    pub errors: String,
}

impl Measured {
    pub fn processor_seconds(&self) -> f64 {
        self.user_seconds + self.system_seconds
    }
}

/// Runs the command under a parent of its own, and expects it to succeed. Only its program, arguments and
/// directory count.
pub fn measure(command: &Command) -> Result<Measured> {
    let measured = measure_any(command)?;
    ensure!(
        measured.code == 0,
        "`{}` failed (exit code {}):\n{}{}",
        shown(command),
        measured.code,
        measured.output,
        measured.errors
    );
    Ok(measured)
}

/// The same, whatever the exit code is: a verdict may be one.
pub fn measure_any(command: &Command) -> Result<Measured> {
    let mut parent = Command::new(std::env::current_exe()?);
    parent.args(["measure", "--"]).arg(command.get_program()).args(command.get_args());
    if let Some(directory) = command.get_current_dir() {
        parent.current_dir(directory);
    }
    let text = output_of(&mut parent)?;
    serde_json::from_str(&text).with_context(|| format!("no figures of `{}`", shown(command)))
}

/// The other side: runs the command as the only child and prints the figures.
pub fn here(command: &[String]) -> Result<()> {
    let start = Instant::now();
    let output = Command::new(&command[0]).args(&command[1..]).output().context(command[0].clone())?;
    let wall_seconds = start.elapsed().as_secs_f64();
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    let code = output.status.code().with_context(|| format!("{}\n{printed}{errors}", output.status))?;
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let measured = Measured {
        user_seconds: seconds(usage.user_time()),
        system_seconds: seconds(usage.system_time()),
        wall_seconds,
        peak_kib: u64::try_from(usage.max_rss())?,
        code,
        output: printed,
        errors,
    };
    println!("{}", serde_json::to_string(&measured)?);
    Ok(())
}

fn seconds(time: TimeVal) -> f64 {
    time.num_microseconds() as f64 / 1e6
}
