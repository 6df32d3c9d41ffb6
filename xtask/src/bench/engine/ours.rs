//! Lariat's side: the command for a case, and what its report says.

use super::suite::Case;
use super::{Bench, Counts};
use crate::measure::{Measured, measure_any};
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::process::Command;

/// What is asked.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Question {
    /// `explore`: everything, whatever happens in it.
    Explore,
    /// `check`: the property of the case, or safety.
    Check,
}

/// What a report says.
pub struct Found {
    pub holds: bool,
    pub counts: Counts,
    pub depth: u64,
    pub engine: String,
    pub algorithm: String,
    pub states_bytes: u64,
    /// Everything but the states: tables, marks, stacks.
    pub auxiliary_bytes: u64,
    /// What the states would take, packed to the bits that their types need.
    pub vector_bytes: u64,
    /// Of these, stacks and marks.
    pub stacks_bytes: u64,
}

/// One core beside one core; `threads.rs` measures several.
pub fn command(bench: &Bench, case: &Case, question: Question) -> Command {
    command_for_threads(bench, case, question, 1)
}

pub fn command_for_threads(bench: &Bench, case: &Case, question: Question, threads: usize) -> Command {
    let mut command = Command::new(&bench.lariat);
    command.arg(if question == Question::Explore { "explore" } else { "check" }).arg(&case.model);
    for definition in &case.macros {
        command.args(["-D", definition]);
    }
    if question == Question::Check {
        match &case.property {
            Some(property) => command.args(["--property", property]),
            None => command.arg("--safety"),
        };
    }
    command.args(["--threads", &threads.to_string(), "--format", "json"]).current_dir(&bench.workspace.root);
    command
}

/// Runs it; 0 (holds) and 1 (violated) are verdicts.
pub fn run(command: &Command) -> Result<(Measured, Found)> {
    let measured = measure_any(command)?;
    ensure!(matches!(measured.code, 0 | 1), "lariat ends with {}: {}", measured.code, measured.errors.trim());
    let found = read(&measured.output)?;
    Ok((measured, found))
}

pub fn read(text: &str) -> Result<Found> {
    let line = text.lines().next().unwrap_or_default();
    let report: Value = serde_json::from_str(line).context("the report of lariat")?;
    let verdict = report["verdict"].as_str().unwrap_or_default();
    ensure!(matches!(verdict, "holds" | "violated"), "lariat says {verdict}: {}", report["reason"]);
    let number =
        |value: &Value, what: &str| value.as_u64().with_context(|| format!("lariat counts no {what}"));
    let word = |value: &Value| value.as_str().unwrap_or_default().to_string();
    Ok(Found {
        holds: verdict == "holds",
        counts: Counts {
            states: number(&report["states"]["stored"], "states")?,
            visited: number(&report["states"]["visited"], "visited states")?,
            transitions: number(&report["transitions"], "transitions")?,
        },
        depth: number(&report["depth"], "depth")?,
        engine: word(&report["engine"]),
        algorithm: word(&report["algorithm"]),
        states_bytes: number(&report["memory"]["states_bytes"], "bytes")?,
        auxiliary_bytes: number(&report["memory"]["auxiliary_bytes"], "bytes beside the states")?,
        // Of products nobody says it.
        vector_bytes: report["memory"]["vector_bytes"].as_u64().unwrap_or(0),
        stacks_bytes: report["stacks"]["bytes"].as_u64().unwrap_or(0),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_read() {
        let text = r#"{"verdict":"violated","states":{"stored":12,"visited":9},"transitions":30,"depth":4,"engine":"compiled",
            "algorithm":"sd","memory":{"states_bytes":240,"auxiliary_bytes":96,"vector_bytes":300}}"#
            .replace('\n', " ");
        let found = read(&text).unwrap();
        assert!(!found.holds);
        assert_eq!((found.counts.states, found.counts.visited, found.counts.transitions), (12, 9, 30));
        assert_eq!((found.states_bytes, found.auxiliary_bytes, found.stacks_bytes), (240, 96, 0));
        assert_eq!(found.vector_bytes, 300);
        assert!(read(&text.replace("violated", "unknown")).is_err());
        assert!(read("").is_err());
    }
}
