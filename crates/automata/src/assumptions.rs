//! Words that an automaton accepts and that keep what is assumed: the product with a formula's automaton.

use lariat_ltl::parse::Tree;
use lariat_ltl::translate::{Options, translate};
use lariat_ltl::{Automaton, Bdd, Bdds, Edge, Formulas, Marks, Placement};
use std::collections::HashMap;

/// The automaton that accepts those of its words that satisfy all of these formulas. An error says why there
/// is none.
pub fn keeping(bdds: &mut Bdds, automaton: &Automaton, assumptions: &[Tree]) -> Result<Automaton, String> {
    if assumptions.is_empty() {
        return Ok(automaton.clone());
    }
    let mut formulas = Formulas::new();
    for text in &automaton.propositions {
        formulas.proposition(text);
    }
    let all: Vec<_> = assumptions.iter().map(|tree| tree.to_formula(&mut formulas)).collect();
    let all = formulas.and(all);
    let mut labels = Bdds::new();
    let assumed = translate(&mut formulas, &mut labels, all, &Options::default())
        .map_err(|failure| failure.to_string())?;
    let propositions = formulas.propositions().to_vec();
    let automaton = Automaton { propositions, ..automaton.clone() };
    both(bdds, &automaton, &assumed.automaton, &labels)
        .ok_or_else(|| format!("with what is assumed it has more than {} acceptance sets", Marks::LIMIT))
}

/// The automaton that accepts what both accept; the second has labels of its own, over the same propositions.
/// `None` if there are too many acceptance sets.
pub fn both(bdds: &mut Bdds, one: &Automaton, two: &Automaton, labels: &Bdds) -> Option<Automaton> {
    if one.sets + two.sets > Marks::LIMIT {
        return None;
    }
    let mut product = Automaton { edges: Vec::new(), initial: Vec::new(), ..one.clone() };
    product.sets = one.sets + two.sets;
    product.placement = Placement::Edges;
    let mut known = HashMap::from([(Bdd::FALSE, Bdd::FALSE), (Bdd::TRUE, Bdd::TRUE)]);
    let mut pairs: Vec<(u32, u32)> = Vec::new();
    let mut numbers: HashMap<(u32, u32), u32> = HashMap::new();
    let mut number = |pair: (u32, u32), pairs: &mut Vec<(u32, u32)>| {
        *numbers.entry(pair).or_insert_with(|| {
            pairs.push(pair);
            pairs.len() as u32 - 1
        })
    };
    for &a in &one.initial {
        product.initial.extend(two.initial.iter().map(|&b| number((a, b), &mut pairs)));
    }
    let mut at = 0;
    while let Some(&(a, b)) = pairs.get(at) {
        let mut leaving = Vec::new();
        for first in one.leaving(a) {
            for second in two.leaving(b) {
                let second_label = copied(bdds, labels, second.label, &mut known);
                let label = bdds.and(first.label, second_label);
                if label != Bdd::FALSE {
                    let to = number((first.to, second.to), &mut pairs);
                    let marks = Marks(first.marks.0 | second.marks.0.checked_shl(one.sets).unwrap_or(0));
                    leaving.push(Edge { label, marks, to });
                }
            }
        }
        product.edges.push(leaving);
        at += 1;
    }
    Some(product)
}

/// A label of other tables.
fn copied(bdds: &mut Bdds, from: &Bdds, label: Bdd, known: &mut HashMap<Bdd, Bdd>) -> Bdd {
    if let Some(&copy) = known.get(&label) {
        return copy;
    }
    let Some((variable, low, high)) = from.split(label) else { return label };
    let (low, high) = (copied(bdds, from, low, known), copied(bdds, from, high, known));
    let variable = bdds.variable(variable);
    let other = bdds.not(variable);
    let (low, high) = (bdds.and(other, low), bdds.and(variable, high));
    let copy = bdds.or(low, high);
    known.insert(label, copy);
    copy
}
