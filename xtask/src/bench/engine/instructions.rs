//! Machine instructions a transition, counted by callgrind: by the interpreter and by machine code.
//!
//! A run that stops after the first state is counted as well and taken off, so that starting, reading and
//! compiling are left out.

use super::Bench;
use super::ours::{self, Question};
use super::suite::Case;
use crate::measure::measure_any;
use crate::workspace::shown;
use anyhow::{Context, Result};
use std::fmt::Write;
use std::process::Command;

pub struct Instructions {
    pub name: String,
    pub states: u64,
    pub transitions: u64,
    /// Of the whole search.
    pub interpreted: u64,
    pub compiled: u64,
}

pub fn count(bench: &mut Bench, case: &Case) -> Result<Instructions> {
    let _ = writeln!(bench.commands, "\n# instructions: {}", case.name());
    let (_, found) = ours::run(&ours::command(bench, case, Question::Explore))?;
    let mut counted = [0, 0];
    for (count, engine) in counted.iter_mut().zip(["interpreted", "compiled"]) {
        let all = collected(bench, case, engine, &[])?;
        let start = collected(bench, case, engine, &["--max-states", "1"])?;
        *count = all.saturating_sub(start);
        eprintln!("  {engine}: {count} instructions");
    }
    let [interpreted, compiled] = counted;
    let (states, transitions) = (found.counts.states, found.counts.transitions);
    Ok(Instructions { name: case.name(), states, transitions, interpreted, compiled })
}

/// The instructions of one run.
fn collected(bench: &mut Bench, case: &Case, engine: &str, limit: &[&str]) -> Result<u64> {
    let lariat = ours::command(bench, case, Question::Explore);
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]);
    command.arg(lariat.get_program()).args(lariat.get_args()).args(["--engine", engine]).args(limit);
    command.current_dir(&bench.workspace.root);
    let measured = measure_any(&command).context("valgrind is needed to count instructions")?;
    let path = bench.lariat.to_string_lossy().into_owned();
    let _ = writeln!(bench.commands, "{}", shown(&command).replace(&path, "lariat"));
    read(&measured.errors).with_context(|| measured.errors.clone())
}

fn read(text: &str) -> Option<u64> {
    text.split_once("Collected :")?.1.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    #[test]
    fn callgrinds_sum_is_read() {
        assert_eq!(super::read("==1== \n==1== Collected : 123456\n==1==\n"), Some(123456));
        assert_eq!(super::read("no such tool"), None);
    }
}
