//! Statements that no process ever reached, as Spin lists them.
//!
//! Spin counts control points, and names each by the statements that can be executed there: a choice that was
//! never reached has one line per option, and counts once. The first statements of its options have no point
//! of their own, nor has the inside of a `d_step`; jumps are not worth a line. A choice that was not reached
//! itself (because another one leads straight into its options) counts as reached when what follows its last
//! option was, or is not worth a line.

use crate::report::{Unreached, UnreachedStatement};
use crate::trace::file;
use lariat_model::ir::{Language, Model, ProcessType};

/// Per process type, given the locations that were reached.
pub fn unreached(model: &Model, reached: &[Vec<bool>]) -> Vec<Unreached> {
    let none = Vec::new();
    let types = model.process_types.iter().enumerate();
    if model.language == Language::Dve {
        let list =
            types.map(|(i, process)| unreached_states(model, process, reached.get(i).unwrap_or(&none)));
        return list.collect();
    }
    types.map(|(i, process)| unreached_in(model, process, reached.get(i).unwrap_or(&none))).collect()
}

/// States of a DVE process in which it never was.
fn unreached_states(model: &Model, process: &ProcessType, reached: &[bool]) -> Unreached {
    let never = |location: u32| !reached.get(location as usize).copied().unwrap_or(false);
    let states = process.labels.iter().filter(|label| never(label.location));
    let statements: Vec<UnreachedStatement> = states
        .map(|label| {
            let line = process.locations[label.location as usize].line;
            UnreachedStatement {
                file: file(model, line),
                line: line.line,
                location: label.location,
                statement: format!("state {}", label.name),
            }
        })
        .collect();
    Unreached {
        process: format!("process {}", process.name),
        count: statements.len(),
        statements,
        locations: process.locations.len().saturating_sub(1),
    }
}

fn unreached_in(model: &Model, process: &ProcessType, reached: &[bool]) -> Unreached {
    let is_reached = |location: usize| reached.get(location).copied().unwrap_or(false);
    let is_reported =
        |number: usize| process.statements.get(number).is_some_and(|statement| statement.reported);
    let counts_as_reached = |location: usize| is_reached(location) || !is_reported(location);
    let mut statements = Vec::new();
    let mut count = 0;
    for (number, location) in process.locations.iter().enumerate().skip(1) {
        let (Some(first), Some(last)) = (location.transitions.first(), location.transitions.last()) else {
            continue;
        };
        let is_choice = last.statement as usize != number;
        if counts_as_reached(number) || (is_choice && counts_as_reached(last.target as usize)) {
            continue;
        }
        count += 1;
        let line = process.statements[first.statement as usize].line;
        statements.extend(location.transitions.iter().map(|transition| UnreachedStatement {
            file: file(model, line),
            line: line.line,
            location: number as u32,
            statement: process.statements[transition.statement as usize].text.clone(),
        }));
    }
    let name = match process.name.as_str() {
        "init" | ":init:" => "init".to_string(),
        name => format!("proctype {name}"),
    };
    Unreached { process: name, statements, count, locations: process.locations.len().saturating_sub(1) }
}
