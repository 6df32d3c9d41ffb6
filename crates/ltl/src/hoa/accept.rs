//! From any acceptance condition that allows it to generalised Büchi acceptance, on the same states.
//!
//! Without `Fin` the condition's clauses are the new sets ([`super::condition`]). With `Fin` it works where
//! every strongly connected component decides: if inside a component all edges are in set i or none is, then
//! `Fin(i)` has a value for all runs that stay there, and what remains of the condition has clauses. A
//! co-Büchi automaton that is weak is of that kind, and so is a weak Rabin or parity automaton. Components
//! need not have the same number of clauses: those with fewer get the missing sets for nothing, those that
//! reject get none at all.

use super::condition::{Atom, Clause, Condition, NoClauses};
use crate::automaton::{Automaton, Placement, State};
use crate::marks::Marks;
use crate::scc::Components;

/// Why the condition cannot be had.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Refusal {
    /// A component has edges inside and outside a set that may be met only finitely often.
    Undecided,
    TooManySets,
}

/// Replaces the sets of a condition by Büchi sets. Marks are the sets of the condition before, the Büchi sets
/// after.
pub(super) fn to_buchi(automaton: &mut Automaton, condition: &Condition) -> Result<(), Refusal> {
    match condition.clauses(&|_| None) {
        Ok(clauses) if clauses == [Clause::NEVER] => {
            let propositions = std::mem::take(&mut automaton.propositions);
            *automaton = Automaton { name: automaton.name.take(), ..Automaton::empty(propositions) };
            automaton.placement = Placement::States;
            Ok(())
        }
        Ok(clauses) => {
            automaton.sets = set_count(clauses.len())?;
            for edge in automaton.edges.iter_mut().flatten() {
                edge.marks = new_marks(&clauses, edge.marks);
            }
            Ok(())
        }
        Err(NoClauses::TooMany) => Err(Refusal::TooManySets),
        Err(NoClauses::Finitely) => by_component(automaton, condition),
    }
}

fn set_count(clauses: usize) -> Result<u32, Refusal> {
    if clauses > Marks::LIMIT as usize { Err(Refusal::TooManySets) } else { Ok(clauses as u32) }
}

fn new_marks(clauses: &[Clause], old: Marks) -> Marks {
    clauses.iter().zip(0..).filter(|(clause, _)| clause.counts(old.0)).map(|(_, set)| set).collect()
}

fn by_component(automaton: &mut Automaton, condition: &Condition) -> Result<(), Refusal> {
    let components =
        Components::compute(automaton.states(), automaton.initial.iter().copied(), |state, k| {
            automaton.leaving(state).get(k).map(|edge| edge.to)
        });
    // For each component the sets of some edge inside and of every edge inside; `None` without such an edge.
    let mut inside: Vec<Option<(Marks, Marks)>> = vec![None; components.count as usize];
    for state in 0..automaton.states() as State {
        let component = components.of[state as usize];
        if component == Components::UNREACHED {
            continue;
        }
        for edge in automaton.leaving(state) {
            if components.same(state, edge.to) {
                let (some, every) = inside[component as usize].get_or_insert((edge.marks, edge.marks));
                *some |= edge.marks;
                *every = *every & edge.marks;
            }
        }
    }
    // No clauses where there is no cycle: nothing there matters.
    let mut clauses: Vec<Option<Vec<Clause>>> = Vec::with_capacity(inside.len());
    for sets in &inside {
        clauses.push(match *sets {
            None => None,
            Some((some, every)) => {
                let here = condition.clauses(&|atom| decided(atom, some, every));
                Some(here.map_err(|reason| match reason {
                    NoClauses::Finitely => Refusal::Undecided,
                    NoClauses::TooMany => Refusal::TooManySets,
                })?)
            }
        });
    }
    let most = clauses.iter().flatten().map(Vec::len).max().unwrap_or(0);
    automaton.sets = set_count(most)?;
    let all = automaton.all_marks();
    for (state, edges) in automaton.edges.iter_mut().enumerate() {
        let here = clauses.get(components.of[state] as usize).and_then(Option::as_ref);
        for edge in edges {
            edge.marks = match here {
                Some(here) if *here != [Clause::NEVER] => {
                    new_marks(here, edge.marks) | (all - Marks::all(here.len() as u32))
                }
                _ => Marks::NONE,
            };
        }
    }
    if automaton.has_state_acceptance() {
        automaton.placement = Placement::States;
    }
    Ok(())
}

/// Does a run that stays where some edges are in these sets, every edge in those, meet the set only finitely
/// often?
fn decided(atom: Atom, some: Marks, every: Marks) -> Option<bool> {
    let (some, every) = (some.contains(atom.set), every.contains(atom.set));
    (some == every).then_some(some == atom.complement)
}

/// The kind of a condition that was refused, as people call it.
pub(super) fn kind_of_acceptance(acc_name: Option<&str>, condition: &Condition) -> &'static str {
    let by_name = match acc_name {
        Some("co-Buchi") => Some("co-Büchi"),
        Some("generalized-co-Buchi") => Some("generalised co-Büchi"),
        Some("Rabin") => Some("Rabin"),
        Some("generalized-Rabin") => Some("generalised Rabin"),
        Some("Streett") => Some("Streett"),
        Some("parity") => Some("parity"),
        _ => None,
    };
    if let Some(name) = by_name {
        return name;
    }
    if matches!(condition, Condition::Atom(atom) if atom.finitely) {
        return "co-Büchi";
    }
    let mut infinitely = false;
    condition.each_atom(&mut |atom| infinitely |= !atom.finitely);
    match condition {
        Condition::Any(_) if !infinitely => "generalised co-Büchi",
        _ if !infinitely => "co-Büchi",
        _ => "generic (`Fin` together with `Inf`)",
    }
}

/// The condition that a name stands for, if it is one of those that have a single form.
pub(super) fn named_condition(name: &str, parameters: &[u32]) -> Option<(u32, Condition)> {
    let atom = |finitely: bool, set: u32| Condition::Atom(Atom { finitely, complement: false, set });
    let count = parameters.first().copied();
    if count.is_some_and(|count| count > Marks::LIMIT) {
        return None;
    }
    Some(match (name, count) {
        ("all", None) => (0, Condition::Constant(true)),
        ("none", None) => (0, Condition::Constant(false)),
        ("Buchi", None) => (1, atom(false, 0)),
        ("co-Buchi", None) => (1, atom(true, 0)),
        ("generalized-Buchi", Some(n)) => (n, Condition::all((0..n).map(|i| atom(false, i)).collect())),
        ("generalized-co-Buchi", Some(n)) => (n, Condition::any((0..n).map(|i| atom(true, i)).collect())),
        ("Rabin", Some(n)) => {
            let pair = |i| Condition::all(vec![atom(true, 2 * i), atom(false, 2 * i + 1)]);
            (2 * n, Condition::any((0..n).map(pair).collect()))
        }
        ("Streett", Some(n)) => {
            let pair = |i| Condition::any(vec![atom(true, 2 * i), atom(false, 2 * i + 1)]);
            (2 * n, Condition::all((0..n).map(pair).collect()))
        }
        _ => return None,
    })
}

/// Do two conditions ask for the same? `None` if that is not easily said.
pub(super) fn same_condition(one: &Condition, two: &Condition) -> Option<bool> {
    const MOST_SETS: u32 = 12;
    let mut sets = 0;
    let mut complements = false;
    for condition in [one, two] {
        condition.each_atom(&mut |atom| {
            sets = sets.max(atom.set + 1);
            complements |= atom.complement;
        });
    }
    if complements || sets > MOST_SETS {
        return None;
    }
    Some((0..1u32 << sets).all(|met| holds(one, met) == holds(two, met)))
}

/// Does the condition hold if exactly these sets are met infinitely often?
fn holds(condition: &Condition, met: u32) -> bool {
    match condition {
        Condition::Constant(value) => *value,
        Condition::Atom(atom) => (met >> atom.set & 1 == 1) != atom.finitely,
        Condition::All(parts) => parts.iter().all(|part| holds(part, met)),
        Condition::Any(parts) => parts.iter().any(|part| holds(part, met)),
    }
}
