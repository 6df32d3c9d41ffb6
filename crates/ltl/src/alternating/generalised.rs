//! From the very weak alternating automaton to a generalised Büchi automaton.
//!
//! A state is a conjunction of alternating states, that is a level of a run. Its edges are the product of
//! their steps. For each alternating state f that promises something there is one acceptance set. An edge to
//! the set S′ is in it unless f may be waiting: f is in S′, and f has no step whose label admits all letters
//! of the edge, that leads into S′, and that leaves f.
//!
//! Sets are kept few in two ways.
//!
//! - *Same edges, same state.* Two sets with the same edges are merged, until there are none.
//! - *Covered states.* If each step of g does for f as well (`G F a` and `F a`), then f is left out of every
//!   set that g is in, once the marks of the edge to it are known: they see f. If f is a promise, the edges
//!   of {g, f} must also be those of {g}: then a run can take those steps of g with which f is fulfilled,
//!   whenever that is possible, and if there are several such wishes, one after the other.
//!
//! The suspension of Babiak et al., by which formulas that no prefix decides wait while others are not yet
//! done, is used inside formulas only ([`super::very_weak`]), not for whole sets: there it does not go
//! together with covered states (a word may be lost), and saves less than they do.

use super::choices::{Choices, Conjunction, Demand, StateSet, Target};
use super::very_weak::VeryWeak;
use crate::automaton::{Automaton, Edge, State};
use crate::bdd::{Bdd, Bdds};
use crate::limits::Limits;
use crate::marks::Marks;
use crate::stop::bytes_of_edges;
use rustc_hash::FxHashMap;

/// `None` if it would be too large before equal states are merged, or if the work was stopped.
pub fn build(
    very_weak: &VeryWeak,
    propositions: Vec<String>,
    bdds: &mut Bdds,
    limits: Limits,
) -> Option<Automaton> {
    let covered = covered_states(very_weak, bdds);
    let mut construction =
        Construction { very_weak, covered, conjunctions: Vec::new(), number: FxHashMap::default() };
    let mut edges: Vec<Vec<Edge>> = Vec::new();

    // The initial alternatives together are one state, which need not be a conjunction.
    let starts: Vec<Conjunction> = very_weak
        .initial
        .iter()
        .map(|(now, states)| construction.without_covered(Conjunction { now: *now, states: states.clone() }))
        .collect();
    let extra = starts.len() != 1;
    if extra {
        let mut leaving = Vec::new();
        for start in &starts {
            leaving.extend(construction.leaving(start, bdds)?.iter().cloned());
        }
        let leaving = Choices::collect(leaving, bdds)?.simplified(bdds);
        edges.push(construction.edges_to(&leaving, 1));
    } else {
        construction.number(starts[0].clone());
    }
    let offset = extra as usize;
    let mut edge_count = 0;
    while edges.len() < construction.conjunctions.len() + offset {
        if construction.conjunctions.len() + offset > limits.states {
            return None;
        }
        let conjunction = construction.conjunctions[edges.len() - offset].clone();
        let leaving = construction.leaving(&conjunction, bdds)?;
        edge_count += leaving.len();
        let stopped = limits.stop.now(bdds, bytes_of_edges(edge_count));
        if edge_count > limits.edges || bdds.is_exhausted() || stopped {
            return None;
        }
        edges.push(construction.edges_to(&leaving, offset as State));
    }
    (edges.len() <= limits.states).then_some(())?;

    let representative = merge_equal_states(&mut edges, bdds);
    let mut automaton = Automaton {
        propositions,
        sets: very_weak.set_count,
        initial: vec![representative[0]],
        edges,
        ..Automaton::default()
    };
    let reachable = automaton.reachable();
    automaton.restrict_to(&reachable);
    drop_idle_sets(&mut automaton);
    automaton.tidy(bdds);
    Some(automaton)
}

struct Construction<'a> {
    very_weak: &'a VeryWeak,
    /// For each alternating state, those that it covers.
    covered: Vec<StateSet>,
    conjunctions: Vec<Conjunction>,
    number: FxHashMap<Conjunction, State>,
}

impl Construction<'_> {
    fn number(&mut self, conjunction: Conjunction) -> State {
        let conjunctions = &mut self.conjunctions;
        *self.number.entry(conjunction).or_insert_with_key(|conjunction| {
            conjunctions.push(conjunction.clone());
            conjunctions.len() as State - 1
        })
    }

    fn without_covered(&self, conjunction: Conjunction) -> Conjunction {
        let mut states = conjunction.states.clone();
        // What covers has the larger number, and is itself still there.
        let mut largest_first: Vec<usize> = states.iter().collect();
        largest_first.reverse();
        for state in largest_first {
            if states.contains(state) {
                states = states.minus(&self.covered[state]);
            }
        }
        Conjunction { states, ..conjunction }
    }

    fn leaving(&self, from: &Conjunction, bdds: &mut Bdds) -> Option<Choices<Target>> {
        let edges = product(self.very_weak, from, bdds)?;
        let uncovered = |(label, target): &(Bdd, Target)| {
            (*label, Target { to: self.without_covered(target.to.clone()), marks: target.marks })
        };
        let edges: Vec<(Bdd, Target)> = edges.iter().map(uncovered).collect();
        Some(Choices::collect(edges, bdds)?.simplified(bdds))
    }

    fn edges_to(&mut self, leaving: &Choices<Target>, offset: State) -> Vec<Edge> {
        let edge = |(label, target): &(Bdd, Target)| Edge {
            label: *label,
            marks: target.marks,
            to: self.number(target.to.clone()) + offset,
        };
        leaving.iter().map(edge).collect()
    }
}

/// The edges that leave a conjunction, each with its marks.
fn product(very_weak: &VeryWeak, from: &Conjunction, bdds: &mut Bdds) -> Option<Choices<Target>> {
    let nothing = Conjunction::of_states(StateSet::empty(very_weak.states));
    let mut edges = Choices::one(from.now, Target { to: nothing, marks: Marks::NONE });
    for state in from.states.iter() {
        let mut steps = Vec::new();
        // What a step leaves is noted before labels are joined: the joint label may be too large to tell.
        for (label, to) in very_weak.steps[state].iter() {
            let marks = left(very_weak, *label, to, bdds);
            steps.push((*label, Target { to: to.clone(), marks }));
        }
        edges = edges.and(&Choices::collect(steps, bdds)?, bdds)?;
    }
    let mut marked = Vec::with_capacity(edges.len());
    for (label, target) in edges.iter() {
        let mut marks = target.marks | left(very_weak, *label, &target.to, bdds);
        for (state, set) in very_weak.promises() {
            if !target.to.states.contains(state) {
                marks |= Marks::one(set);
            }
        }
        marked.push((*label, Target { to: target.to.clone(), marks }));
    }
    Some(Choices::collect(marked, bdds)?.simplified(bdds))
}

/// The acceptance sets of the promises that have a step for all these letters, into the conjunction, that
/// leaves the promise. More letters or a smaller conjunction never give more.
fn left(very_weak: &VeryWeak, label: Bdd, to: &Conjunction, bdds: &mut Bdds) -> Marks {
    let mut leaves = |state: usize| {
        very_weak.steps[state].iter().any(|(step_label, step)| {
            !step.states.contains(state) && step.no_stronger(to, bdds) && bdds.implies(label, *step_label)
        })
    };
    very_weak.promises().filter(|&(state, _)| leaves(state)).map(|(_, set)| set).collect()
}

/// For each state, those that it covers.
fn covered_states(very_weak: &VeryWeak, bdds: &mut Bdds) -> Vec<StateSet> {
    let mut covered = vec![StateSet::empty(very_weak.states); very_weak.states];
    for (cover, its_covered) in covered.iter_mut().enumerate() {
        let alone = StateSet::one(very_weak.states, cover);
        let mut alone_edges = None;
        for state in very_weak.closure[cover].minus(&alone).iter() {
            if !includes_steps(very_weak, cover, state, bdds) {
                continue;
            }
            let mut covers = true;
            if very_weak.sets[state].is_some() {
                let mut edges_of =
                    |states: StateSet| product(very_weak, &Conjunction::of_states(states), bdds);
                if alone_edges.is_none() {
                    alone_edges = edges_of(alone.clone());
                }
                let pair_edges = edges_of(alone.union(&StateSet::one(very_weak.states, state)));
                covers = match (&alone_edges, &pair_edges) {
                    (Some(alone_edges), Some(pair_edges)) => same_choices(alone_edges, pair_edges),
                    _ => false,
                };
            }
            if covers {
                its_covered.insert(state);
            }
        }
    }
    covered
}

/// Does each step of the first state do for the second one as well?
fn includes_steps(very_weak: &VeryWeak, cover: usize, state: usize, bdds: &mut Bdds) -> bool {
    very_weak.steps[cover].iter().all(|(label, to)| {
        very_weak.steps[state]
            .iter()
            .any(|(other_label, other)| other.no_stronger(to, bdds) && bdds.implies(*label, *other_label))
    })
}

fn same_choices(a: &Choices<Target>, b: &Choices<Target>) -> bool {
    let labels: FxHashMap<&Target, Bdd> = a.iter().map(|(label, target)| (target, *label)).collect();
    a.len() == b.len() && b.iter().all(|(label, target)| labels.get(target) == Some(label))
}

/// Redirects edges to the first of all states with the same edges, until there are no two. Returns for each
/// state the one that stands for it.
fn merge_equal_states(edges: &mut [Vec<Edge>], bdds: &mut Bdds) -> Vec<State> {
    let mut representative: Vec<State> = (0..edges.len() as State).collect();
    loop {
        let mut first: FxHashMap<&[Edge], State> = FxHashMap::default();
        let mut stands_for: Vec<State> = (0..edges.len() as State).collect();
        let mut merged = false;
        for leaving in edges.iter_mut() {
            normalise(leaving, bdds);
        }
        for (state, leaving) in
            edges.iter().enumerate().filter(|(state, _)| representative[*state] as usize == *state)
        {
            stands_for[state] = *first.entry(leaving).or_insert(state as State);
            merged |= stands_for[state] as usize != state;
        }
        if !merged {
            return representative;
        }
        for state in &mut representative {
            *state = stands_for[*state as usize];
        }
        for edge in edges.iter_mut().flatten() {
            edge.to = representative[edge.to as usize];
        }
    }
}

/// Joins edges that differ in their label only, and takes from every edge the letters that one with more
/// marks to the same state admits; a fixed order.
fn normalise(leaving: &mut Vec<Edge>, bdds: &mut Bdds) {
    leaving.sort_unstable_by_key(|edge| (edge.to, edge.marks));
    leaving.dedup_by(|next, kept| {
        let same = (next.to, next.marks) == (kept.to, kept.marks);
        if same {
            kept.label = bdds.or(kept.label, next.label);
        }
        same
    });
    for group in leaving.chunk_by_mut(|a, b| a.to == b.to) {
        // Ascending: those with more marks come later, with the labels they had.
        let mut rest = group;
        while let Some((edge, later)) = rest.split_first_mut() {
            for other in later.iter().filter(|other| edge.marks.is_subset(other.marks)) {
                edge.label = bdds.minus(edge.label, other.label);
            }
            rest = later;
        }
    }
    leaving.retain(|edge| !edge.label.is_false());
}

/// Forgets the acceptance sets that contain all edges, and those that contain the same edges as another.
fn drop_idle_sets(automaton: &mut Automaton) {
    let mut kept: Vec<u32> = Vec::new();
    for set in 0..automaton.sets {
        let mut edges = automaton.edges.iter().flatten();
        let everywhere = edges.all(|edge| edge.marks.contains(set));
        let doubled = kept.iter().any(|&other| {
            let mut edges = automaton.edges.iter().flatten();
            edges.all(|edge| edge.marks.contains(set) == edge.marks.contains(other))
        });
        if !everywhere && !doubled {
            kept.push(set);
        }
    }
    for edge in automaton.edges.iter_mut().flatten() {
        edge.marks =
            (0..).zip(&kept).filter(|&(_, &set)| edge.marks.contains(set)).map(|(new, _)| new).collect();
    }
    automaton.sets = kept.len() as u32;
}
