//! Statements that no process ever reached, as Spin lists them: one is reached when some process was at a location
//! from which it can be executed, whether or not it was executable.

use crate::report::{Unreached, UnreachedStatement};
use crate::trace::file;
use lariat_model::ir::Model;

/// Per process type, given the locations that were reached.
pub fn unreached(model: &Model, reached: &[Vec<bool>]) -> Vec<Unreached> {
    let none = Vec::new();
    let per_type = |(i, process): (usize, &lariat_model::ir::ProcessType)| {
        let reached = reached.get(i).unwrap_or(&none);
        let mut seen = vec![false; process.statements.len()];
        for (location, info) in process.locations.iter().enumerate() {
            if reached.get(location).copied().unwrap_or(false) {
                for transition in &info.transitions {
                    seen[transition.statement as usize] = true;
                }
            }
        }
        let statements = process.statements.iter().enumerate().skip(1);
        let missing = statements.filter(|(number, statement)| statement.reported && !seen[*number]);
        Unreached {
            process: if matches!(process.name.as_str(), "init" | ":init:") { "init".into() } else { format!("proctype {}", process.name) },
            statements: missing
                .map(|(number, statement)| UnreachedStatement {
                    file: file(model, statement.line),
                    line: statement.line.line,
                    location: number as u32,
                    statement: statement.text.clone(),
                })
                .collect(),
            locations: process.locations.len().saturating_sub(1),
        }
    };
    model.process_types.iter().enumerate().map(per_type).collect()
}
