//! Automata for Graphviz's `dot`.
//!
//! An arrow out of nowhere leads to each initial state. Accepting states have a double circle where there is
//! one acceptance set and it is on states; otherwise the sets stand in braces in the state or behind the
//! label of the edge.

use crate::automaton::{Automaton, Placement, State};
use crate::bdd::Bdds;
use crate::text::{Style, label_text, marks_text};
use std::fmt::Write;

/// The automaton as a graph: a whole file for `dot`.
pub fn write(automaton: &Automaton, bdds: &mut Bdds) -> String {
    let mut out = String::from("digraph automaton {\n  rankdir=LR\n");
    if let Some(name) = &automaton.name {
        let _ = writeln!(out, "  label=\"{}\"\n  labelloc=t", escaped(name));
    }
    out.push_str("  node [shape=circle]\n");
    for (nth, state) in automaton.initial.iter().enumerate() {
        let _ = writeln!(out, "  start{nth} [label=\"\", style=invis, width=0]\n  start{nth} -> {state}");
    }
    let on_states = automaton.placement == Placement::States && automaton.has_state_acceptance();
    for state in 0..automaton.states() as State {
        let _ = write!(out, "  {state} [label=\"{state}");
        let marks = if on_states { automaton.state_marks(state) } else { Default::default() };
        match automaton.sets {
            _ if marks.is_empty() => out.push_str("\"]\n"),
            1 => out.push_str("\", peripheries=2]\n"),
            _ => drop(writeln!(out, "\\n{}\"]", marks_text(marks))),
        }
        for edge in automaton.leaving(state) {
            let label = label_text(bdds, edge.label, &automaton.propositions, Style::Text);
            let _ = write!(out, "  {state} -> {} [label=\"{}", edge.to, escaped(&label));
            if !on_states && !edge.marks.is_empty() {
                let _ = write!(out, "\\n{}", marks_text(edge.marks));
            }
            out.push_str("\"]\n");
        }
    }
    out.push_str("}\n");
    out
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automaton::Edge;
    use crate::bdd::Bdd;
    use crate::marks::Marks;

    #[test]
    fn both_placements() {
        let mut bdds = Bdds::new();
        let label = bdds.literal(0, false);
        let mut automaton = Automaton {
            name: Some("a \"quoted\" name".into()),
            propositions: vec!["s == \"x\"".into()],
            sets: 1,
            placement: Placement::States,
            initial: vec![0, 1],
            edges: vec![
                vec![Edge { label, marks: Marks::NONE, to: 1 }],
                vec![Edge { label: Bdd::TRUE, marks: Marks::one(0), to: 0 }],
            ],
        };
        assert_eq!(
            write(&automaton, &mut bdds),
            r#"digraph automaton {
  rankdir=LR
  label="a \"quoted\" name"
  labelloc=t
  node [shape=circle]
  start0 [label="", style=invis, width=0]
  start0 -> 0
  start1 [label="", style=invis, width=0]
  start1 -> 1
  0 [label="0"]
  0 -> 1 [label="!(s == \"x\")"]
  1 [label="1", peripheries=2]
  1 -> 0 [label="true"]
}
"#
        );
        automaton.placement = Placement::Edges;
        automaton.sets = 2;
        automaton.edges[1][0].marks = Marks::all(2);
        assert!(write(&automaton, &mut bdds).contains("  1 -> 0 [label=\"true\\n{0,1}\"]\n"));
        automaton.placement = Placement::States;
        assert!(write(&automaton, &mut bdds).contains("  1 [label=\"1\\n{0,1}\"]\n"));
    }
}
