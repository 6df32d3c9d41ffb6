//! The smallest deterministic weak automaton, for languages that have one (the obligations: Boolean
//! combinations of safety and guarantee).
//!
//! After Dax, Eisinger, Klaedtke 2007 and Löding 2001:
//! 1. make the automaton deterministic by subsets, without regard to acceptance;
//! 2. let a component of the result accept if one word that stays in it is accepted. If the language has a
//!    weak deterministic automaton, then this is one; [`minimal_weak`] is told an automaton for the
//!    complement too and tests it;
//! 3. colour the components: even for accepting, odd for rejecting, never lower than what can be reached,
//!    transient states like what they lead to. With even colours as final states the automaton is in a normal
//!    form, in which
//! 4. the minimal automaton is found as for finite words.
//!
//! The result has no state for the words that are lost already: it is not complete.

use super::bisimulation;
use crate::automaton::{Automaton, Edge, Placement, State};
use crate::bdd::{Bdd, Bdds};
use crate::emptiness::{self, intersect_within};
use crate::marks::Marks;
use crate::scc::Components;
use crate::stop::{Stop, bytes_of_edges};
use crate::word::{Letter, Word};
use rustc_hash::FxHashMap;

/// A deterministic complete graph; which states are final is said apart.
struct Deterministic {
    edges: Vec<Vec<(Bdd, State)>>,
    subsets: Vec<Vec<State>>,
}

/// The minimal weak deterministic automaton for the language of `automaton`, of which `complement` accepts
/// the complement. `None` if there is no such automaton, or if more than `max_states` subsets would be
/// needed, or if the work was stopped.
pub fn minimal_weak(
    bdds: &mut Bdds,
    automaton: &Automaton,
    complement: &Automaton,
    max_states: usize,
    stop: Stop,
) -> Option<Automaton> {
    let subsets = by_subsets(bdds, automaton, max_states, stop)?;
    let components = Components::compute(subsets.edges.len(), [0], |state, k| {
        subsets.edges[state as usize].get(k).map(|e| e.1)
    });
    let colours = colour(bdds, automaton, &subsets, &components);
    let finals: Vec<bool> =
        (0..subsets.edges.len()).map(|s| colours[components.of[s] as usize].is_multiple_of(2)).collect();
    let build = |finals: &dyn Fn(State) -> bool| {
        let edge = |from: State, &(label, to): &(Bdd, State)| {
            let inside = components.same(from, to);
            Edge { label, marks: if inside && finals(from) { Marks::one(0) } else { Marks::NONE }, to }
        };
        Automaton {
            sets: 1,
            edges: (0..)
                .zip(&subsets.edges)
                .map(|(s, edges)| edges.iter().map(|e| edge(s, e)).collect())
                .collect(),
            ..Automaton::empty(automaton.propositions.clone())
        }
    };
    let accepted = build(&|state| finals[state as usize]);
    let mut budget = MOST_PAIRS;
    if intersect_within(bdds, &accepted, complement, &mut budget, stop)? {
        return None;
    }
    let rejected = build(&|state| !finals[state as usize]);
    if intersect_within(bdds, &rejected, automaton, &mut budget, stop)? {
        return None;
    }
    Some(minimise(bdds, &subsets, &finals, automaton))
}

/// So many pairs of edges are looked at to see whether the subsets accept the same words; an automaton that
/// needs more stays as it is.
const MOST_PAIRS: usize = 1 << 24;

fn by_subsets(
    bdds: &mut Bdds,
    automaton: &Automaton,
    max_states: usize,
    stop: Stop,
) -> Option<Deterministic> {
    let mut number: FxHashMap<Vec<State>, State> = FxHashMap::default();
    let mut start = automaton.initial.clone();
    start.sort_unstable();
    start.dedup();
    let mut subsets = vec![start.clone()];
    number.insert(start, 0);
    let mut edges: Vec<Vec<(Bdd, State)>> = Vec::new();
    let mut count = 0;
    while edges.len() < subsets.len() {
        // The letters, apart by what they lead to.
        let mut groups: Vec<(Bdd, Vec<State>)> = vec![(Bdd::TRUE, Vec::new())];
        for &state in &subsets[edges.len()] {
            for edge in automaton.leaving(state) {
                let mut refined: Vec<(Bdd, Vec<State>)> = Vec::with_capacity(groups.len());
                for (label, targets) in groups {
                    let inside = bdds.and(label, edge.label);
                    if inside.is_false() || targets.contains(&edge.to) {
                        refined.push((label, targets));
                        continue;
                    }
                    let outside = bdds.minus(label, edge.label);
                    let mut more = targets.clone();
                    more.push(edge.to);
                    more.sort_unstable();
                    if !outside.is_false() {
                        refined.push((outside, targets));
                    }
                    refined.push((inside, more));
                }
                groups = refined;
            }
        }
        let mut leaving: Vec<(Bdd, State)> = Vec::new();
        for (label, targets) in groups {
            let to = *number.entry(targets).or_insert_with_key(|targets| {
                subsets.push(targets.clone());
                subsets.len() as State - 1
            });
            match leaving.iter_mut().find(|(_, other)| *other == to) {
                Some((joined, _)) => *joined = bdds.or(*joined, label),
                None => leaving.push((label, to)),
            }
        }
        count += leaving.len();
        edges.push(leaving);
        if subsets.len() > max_states || bdds.is_exhausted() || stop.now(bdds, bytes_of_edges(count)) {
            return None;
        }
    }
    Some(Deterministic { edges, subsets })
}

/// For each component its colour: even if runs that stay are accepting.
fn colour(bdds: &Bdds, automaton: &Automaton, graph: &Deterministic, components: &Components) -> Vec<u32> {
    let mut colours = vec![0u32; components.count as usize];
    let mut members: Vec<Vec<State>> = vec![Vec::new(); components.count as usize];
    for state in 0..graph.edges.len() as State {
        members[components.of[state as usize] as usize].push(state);
    }
    // Ascending: what can be reached comes first.
    for component in 0..components.count {
        let reached = members[component as usize]
            .iter()
            .flat_map(|&state| &graph.edges[state as usize])
            .map(|&(_, to)| components.of[to as usize])
            .filter(|&other| other != component)
            .map(|other| colours[other as usize])
            .max();
        let cycle =
            cycle_at(bdds, graph, components, members[component as usize][0], automaton.propositions.len());
        colours[component as usize] = match cycle {
            None => reached.unwrap_or(0),
            Some(cycle) => {
                let start = &graph.subsets[members[component as usize][0] as usize];
                let from_here = Automaton { initial: start.clone(), ..automaton.clone() };
                let word = Word { prefix: Vec::new(), cycle };
                let parity = if emptiness::accepts(bdds, &from_here, &word) { 0 } else { 1 };
                let reached = reached.unwrap_or(parity);
                if reached % 2 == parity { reached } else { reached + 1 }
            }
        };
    }
    colours
}

/// The letters of a shortest cycle from the state back to it.
fn cycle_at(
    bdds: &Bdds,
    graph: &Deterministic,
    components: &Components,
    start: State,
    propositions: usize,
) -> Option<Vec<Letter>> {
    let letter = |label: Bdd| {
        let mut values = vec![false; propositions];
        for (variable, positive) in bdds.satisfying(label).unwrap_or_default() {
            values[variable as usize] = positive;
        }
        Letter(values)
    };
    let mut came_from: FxHashMap<State, (State, Bdd)> = FxHashMap::default();
    let mut queue = std::collections::VecDeque::from([start]);
    while let Some(state) = queue.pop_front() {
        for &(label, to) in &graph.edges[state as usize] {
            if to == start {
                let mut letters = vec![letter(label)];
                let mut at = state;
                while at != start {
                    let (from, label) = came_from[&at];
                    letters.push(letter(label));
                    at = from;
                }
                letters.reverse();
                return Some(letters);
            }
            if components.same(state, to) && !came_from.contains_key(&to) {
                came_from.insert(to, (state, label));
                queue.push_back(to);
            }
        }
    }
    None
}

/// The minimal automaton for the graph with these final states.
fn minimise(bdds: &mut Bdds, graph: &Deterministic, finals: &[bool], like: &Automaton) -> Automaton {
    let edge = |is_final: bool, &(label, to): &(Bdd, State)| Edge {
        label,
        marks: if is_final { Marks::one(0) } else { Marks::NONE },
        to,
    };
    let leaving = |(edges, &is_final): (&Vec<(Bdd, State)>, &bool)| {
        edges.iter().map(|e| edge(is_final, e)).collect::<Vec<Edge>>()
    };
    let mut result = Automaton {
        name: like.name.clone(),
        sets: 1,
        placement: Placement::States,
        edges: graph.edges.iter().zip(finals).map(leaving).collect(),
        ..Automaton::empty(like.propositions.clone())
    };
    bisimulation::merge_equal(bdds, &mut result, Stop::NEVER);
    super::prune(bdds, &mut result);
    result
}
