//! The automata of a model's processes, for Graphviz.

use lariat_model::ir::{Model, ProcessType};
use std::fmt::Write;

/// One graph with one cluster per process type (and per claim).
pub fn dot(model: &Model) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "digraph {} {{", quoted(&model.name));
    let _ = writeln!(text, "  node [shape=circle, fontsize=10];\n  edge [fontsize=10];");
    let claims = model.claims.iter().map(|claim| &claim.automaton);
    for (number, process) in model.process_types.iter().chain(claims).enumerate() {
        cluster(number, process, &mut text);
    }
    text.push_str("}\n");
    text
}

fn cluster(number: usize, process: &ProcessType, text: &mut String) {
    let _ = writeln!(text, "  subgraph cluster_{number} {{\n    label={};", quoted(&process.name));
    let _ = writeln!(text, "    p{number}_start [shape=point];");
    let _ = writeln!(text, "    p{number}_start -> p{number}_{};", process.start);
    let reachable = reachable(process);
    for (location, info) in process.locations.iter().enumerate().filter(|(i, _)| reachable[*i]) {
        let shape = if info.end || info.accept { ", shape=doublecircle" } else { "" };
        let labels = process.labels.iter().filter(|label| label.location as usize == location);
        let names: Vec<&str> = labels.map(|label| label.name.as_str()).collect();
        let name =
            if names.is_empty() { location.to_string() } else { format!("{location}\n{}", names.join(" ")) };
        let _ = writeln!(text, "    p{number}_{location} [label={}{shape}];", quoted(&name));
    }
    for (location, info) in process.locations.iter().enumerate().filter(|(i, _)| reachable[*i]) {
        for transition in &info.transitions {
            let statement = process.statements.get(transition.statement as usize);
            let label = quoted(statement.map_or("", |statement| &statement.text));
            let style = if transition.keeps_control { ", style=bold" } else { "" };
            if transition.target == 0 {
                let _ = writeln!(text, "    p{number}_gone [shape=point];");
                let _ = writeln!(text, "    p{number}_{location} -> p{number}_gone [label={label}{style}];");
            } else {
                let to = transition.target;
                let _ = writeln!(text, "    p{number}_{location} -> p{number}_{to} [label={label}{style}];");
            }
        }
    }
    text.push_str("  }\n");
}

/// The locations that control can come to rest at: numbers are also given to statements that are only passed
/// through.
fn reachable(process: &ProcessType) -> Vec<bool> {
    let mut reachable = vec![false; process.locations.len()];
    let mut todo = vec![process.start as usize];
    while let Some(location) = todo.pop() {
        if location != 0 && !std::mem::replace(&mut reachable[location], true) {
            todo.extend(process.locations[location].transitions.iter().map(|t| t.target as usize));
        }
    }
    reachable
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}
