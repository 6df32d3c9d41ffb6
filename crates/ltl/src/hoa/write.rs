//! The writer. Its text depends on the automaton alone: edges in the order of their targets and marks, edges
//! that differ only in their label joined, labels as the sums of products that their function has.
//!
//! A label that would be a sum of too many products is written through aliases instead, one for each node of
//! its decision diagram; that is always possible and never long.

use super::lex::quoted;
use crate::automaton::{Automaton, Placement, State};
use crate::bdd::{Bdd, Bdds, Cube};
use crate::marks::Marks;
use crate::text::{and_within_limits, or_within_limits, products};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write;

/// The automaton in the HOA format.
pub fn write(automaton: &Automaton, bdds: &mut Bdds) -> String {
    write_with(automaton, bdds, &[])
}

/// The same, with further properties, which the caller knows to hold.
pub fn write_with(automaton: &Automaton, bdds: &mut Bdds, extra_properties: &[&str]) -> String {
    let mut tidied = automaton.clone();
    tidied.tidy(bdds);
    let automaton = tidied;
    let on_states = automaton.placement == Placement::States && automaton.has_state_acceptance();

    let mut aliases = Aliases::default();
    let mut body = String::new();
    for state in 0..automaton.states() as State {
        let _ = write!(body, "State: {state}");
        if on_states {
            write_marks(&mut body, automaton.state_marks(state));
        }
        body.push('\n');
        for edge in automaton.leaving(state) {
            let label = aliases.label(bdds, edge.label);
            let _ = write!(body, "[{label}] {}", edge.to);
            if !on_states {
                write_marks(&mut body, edge.marks);
            }
            body.push('\n');
        }
    }

    let mut out = String::from("HOA: v1\n");
    if let Some(name) = &automaton.name {
        let _ = writeln!(out, "name: {}", quoted(name));
    }
    let _ = writeln!(out, "States: {}", automaton.states());
    let mut started = FxHashSet::default();
    for state in automaton.initial.iter().filter(|&&state| started.insert(state)) {
        let _ = writeln!(out, "Start: {state}");
    }
    let _ = write!(out, "AP: {}", automaton.propositions.len());
    for name in &automaton.propositions {
        let _ = write!(out, " {}", quoted(name));
    }
    out.push('\n');
    out.push_str(&aliases.definitions);
    let sets = automaton.sets;
    match sets {
        0 => out.push_str("acc-name: all\nAcceptance: 0 t\n"),
        1 => out.push_str("acc-name: Buchi\nAcceptance: 1 Inf(0)\n"),
        _ => {
            let condition: Vec<String> = (0..sets).map(|set| format!("Inf({set})")).collect();
            let _ = writeln!(
                out,
                "acc-name: generalized-Buchi {sets}\nAcceptance: {sets} {}",
                condition.join("&")
            );
        }
    }
    let mut properties =
        vec!["trans-labels", "explicit-labels", if on_states { "state-acc" } else { "trans-acc" }];
    if is_deterministic(&automaton, bdds) == Some(true) {
        properties.push("deterministic");
    }
    if is_complete(&automaton, bdds) == Some(true) {
        properties.push("complete");
    }
    properties.extend(extra_properties);
    let _ = writeln!(out, "properties: {}", properties.join(" "));
    out.push_str("--BODY--\n");
    out.push_str(&body);
    out.push_str("--END--\n");
    out
}

fn write_marks(out: &mut String, marks: Marks) {
    if !marks.is_empty() {
        let sets: Vec<String> = marks.iter().map(|set| set.to_string()).collect();
        let _ = write!(out, " {{{}}}", sets.join(" "));
    }
}

/// At most one initial state, and disjoint labels? `None` if the labels are too large to say.
pub(super) fn is_deterministic(automaton: &Automaton, bdds: &mut Bdds) -> Option<bool> {
    if automaton.initial.len() > 1 {
        return Some(false);
    }
    for edges in &automaton.edges {
        let mut taken = Bdd::FALSE;
        for edge in edges {
            if !and_within_limits(bdds, taken, edge.label)?.is_false() {
                return Some(false);
            }
            taken = or_within_limits(bdds, taken, edge.label)?;
        }
    }
    Some(true)
}

/// An edge for every letter, in every state? `None` if the labels are too large to say.
pub(super) fn is_complete(automaton: &Automaton, bdds: &mut Bdds) -> Option<bool> {
    for edges in &automaton.edges {
        let mut taken = Bdd::FALSE;
        for edge in edges {
            taken = or_within_limits(bdds, taken, edge.label)?;
        }
        if !taken.is_true() {
            return Some(false);
        }
    }
    Some(!automaton.edges.is_empty())
}

/// The aliases defined so far.
#[derive(Default)]
struct Aliases {
    definitions: String,
    numbers: FxHashMap<Bdd, usize>,
    /// Labels occur again and again.
    written: FxHashMap<Bdd, String>,
}

impl Aliases {
    fn label(&mut self, bdds: &mut Bdds, label: Bdd) -> String {
        if let Some(text) = self.written.get(&label) {
            return text.clone();
        }
        let text = match products(bdds, label) {
            Some(products) if products.is_empty() => "f".to_string(),
            Some(products) => products.iter().map(product_text).collect::<Vec<_>>().join(" | "),
            None => self.alias(bdds, label),
        };
        self.written.insert(label, text.clone());
        text
    }

    /// The name of a function, defined if need be, after those it is made of.
    fn alias(&mut self, bdds: &Bdds, function: Bdd) -> String {
        let Some((variable, low, high)) = bdds.split(function) else {
            return if function.is_true() { "t" } else { "f" }.to_string();
        };
        if let Some(number) = self.numbers.get(&function) {
            return format!("@{number}");
        }
        let low_text = self.alias(bdds, low);
        let high_text = self.alias(bdds, high);
        let definition = match (low, high) {
            (Bdd::FALSE, Bdd::TRUE) => format!("{variable}"),
            (Bdd::TRUE, Bdd::FALSE) => format!("!{variable}"),
            (Bdd::FALSE, _) => format!("{variable}&{high_text}"),
            (Bdd::TRUE, _) => format!("!{variable} | {high_text}"),
            (_, Bdd::FALSE) => format!("!{variable}&{low_text}"),
            (_, Bdd::TRUE) => format!("{variable} | {low_text}"),
            _ => format!("!{variable}&{low_text} | {variable}&{high_text}"),
        };
        let number = self.numbers.len();
        self.numbers.insert(function, number);
        let _ = writeln!(self.definitions, "Alias: @{number} {definition}");
        format!("@{number}")
    }
}

fn product_text(product: &Cube) -> String {
    if product.is_empty() {
        return "t".to_string();
    }
    let literals: Vec<String> = product
        .iter()
        .map(|(variable, positive)| format!("{}{variable}", if *positive { "" } else { "!" }))
        .collect();
    literals.join("&")
}
