//! Reduction by direct simulation, forward and backward.
//!
//! State q *simulates* p if for every letter each edge of p has an answer among the edges of q: the same
//! letter, at least the same marks, and a target that again simulates. Then every run from p has a run from q
//! that meets at least the same marks at the same time. Two states that simulate each other are merged; an
//! edge is dropped for those letters for which the same state has a better one. (Etessami and Holzmann 2000;
//! Somenzi and Bloem 2000; with marks on edges: Babiak et al. 2013.)
//!
//! *Backward* is the same on the reversed automaton, where an initial state may only be simulated by an
//! initial state.
//!
//! The largest simulation is found by refining the full relation until nothing changes: O(edges²) a round, a
//! few rounds. Good for the few dozen states that we meet; [`MAX_EDGES`] guards against more.

use crate::automaton::{Automaton, Edge, Placement, State};
use crate::bdd::{Bdd, Bdds};
use crate::stop::{Stop, bytes_of_edges};

/// Larger automata are left as they are.
pub const MAX_EDGES: usize = 3000;

/// `simulates[p][q]`: q simulates p.
pub struct Relation {
    states: usize,
    simulates: Vec<bool>,
}

impl Relation {
    /// Whether q simulates p.
    pub fn holds(&self, p: State, q: State) -> bool {
        self.simulates[p as usize * self.states + q as usize]
    }

    /// `None` if the work was stopped.
    fn compute(
        bdds: &mut Bdds,
        edges: &[Vec<Edge>],
        may_hold: impl Fn(State, State) -> bool,
        stop: Stop,
    ) -> Option<Relation> {
        let bytes = bytes_of_edges(edges.iter().map(Vec::len).sum());
        let states = edges.len();
        let simulates = (0..states as State).flat_map(|p| (0..states as State).map(move |q| (p, q)));
        let simulates = simulates.map(|(p, q)| p == q || may_hold(p, q)).collect();
        let mut relation = Relation { states, simulates };
        let mut changed = true;
        while changed {
            changed = false;
            for p in 0..states as State {
                if stop.now(bdds, bytes) {
                    return None;
                }
                for q in 0..states as State {
                    if p != q && relation.holds(p, q) && !relation.answers_all(bdds, edges, p, q) {
                        relation.simulates[p as usize * states + q as usize] = false;
                        changed = true;
                    }
                }
            }
        }
        Some(relation)
    }

    fn answers_all(&self, bdds: &mut Bdds, edges: &[Vec<Edge>], p: State, q: State) -> bool {
        edges[p as usize].iter().all(|edge| {
            let mut answered = Bdd::FALSE;
            for answer in &edges[q as usize] {
                if edge.marks.is_subset(answer.marks) && self.holds(edge.to, answer.to) {
                    if answer.label == edge.label {
                        return true;
                    }
                    answered = bdds.or(answered, answer.label);
                }
            }
            bdds.implies(edge.label, answered)
        })
    }

    /// For each state the smallest one that is equivalent to it.
    fn representatives(&self) -> Vec<State> {
        let representative = |p: State| (0..=p).find(|&q| self.holds(p, q) && self.holds(q, p));
        (0..self.states as State).map(|p| representative(p).expect("a state simulates itself")).collect()
    }
}

/// Merges states that simulate each other and drops edges that others make superfluous. Says whether
/// anything changed; nothing does if the work is stopped.
pub fn forward(bdds: &mut Bdds, automaton: &mut Automaton, stop: Stop) -> bool {
    if automaton.edge_count() > MAX_EDGES {
        return false;
    }
    let relation = Relation::compute(bdds, &automaton.edges, |_, _| true, stop);
    let Some(relation) = relation else { return false };
    let representatives = relation.representatives();
    let before = automaton.clone();
    for edge in automaton.edges.iter_mut().flatten() {
        edge.to = representatives[edge.to as usize];
    }
    for state in &mut automaton.initial {
        *state = representatives[*state as usize];
    }
    automaton.initial.sort_unstable();
    automaton.initial.dedup();
    let initial = automaton.initial.clone();
    automaton.initial.retain(|&p| !initial.iter().any(|&q| p != q && relation.holds(p, q)));
    automaton.tidy(bdds);
    for edges in &mut automaton.edges {
        drop_dominated(bdds, edges, &relation);
    }
    let kept = automaton.reachable();
    keep_in_order(automaton, kept);
    *automaton != before
}

/// The same on the reversed automaton.
pub fn backward(bdds: &mut Bdds, automaton: &mut Automaton, stop: Stop) -> bool {
    if automaton.edge_count() > MAX_EDGES {
        return false;
    }
    let before = automaton.clone();
    let mut reversed = reverse(&automaton.edges);
    let is_initial = |state| automaton.initial.contains(&state);
    let on_states = automaton.placement == Placement::States;
    let may_hold = |p, q| {
        (!is_initial(p) || is_initial(q))
            && (!on_states || automaton.state_marks(p).is_subset(automaton.state_marks(q)))
    };
    let Some(relation) = Relation::compute(bdds, &reversed, may_hold, stop) else { return false };
    let representatives = relation.representatives();
    // Edges into a representative stay; where they come from becomes its representative.
    for (target, edges) in reversed.iter_mut().enumerate() {
        if representatives[target] != target as State {
            edges.clear();
        }
        for edge in edges {
            edge.to = representatives[edge.to as usize];
        }
    }
    let mut joined = Automaton { edges: reversed, ..automaton.clone() };
    joined.tidy(bdds);
    for edges in &mut joined.edges {
        drop_dominated(bdds, edges, &relation);
    }
    automaton.edges = reverse(&joined.edges);
    for state in &mut automaton.initial {
        *state = representatives[*state as usize];
    }
    automaton.initial.sort_unstable();
    automaton.initial.dedup();
    automaton.tidy(bdds);
    let kept = automaton.reachable();
    keep_in_order(automaton, kept);
    *automaton != before
}

fn keep_in_order(automaton: &mut Automaton, mut kept: Vec<State>) {
    kept.sort_unstable();
    automaton.restrict_to(&kept);
}

fn reverse(edges: &[Vec<Edge>]) -> Vec<Vec<Edge>> {
    let mut reversed = vec![Vec::new(); edges.len()];
    for (from, leaving) in edges.iter().enumerate() {
        for edge in leaving {
            reversed[edge.to as usize].push(Edge { to: from as State, ..*edge });
        }
    }
    reversed
}

/// Takes from each edge the letters for which another edge of the same state has at least its marks and a
/// target that simulates its target.
fn drop_dominated(bdds: &mut Bdds, edges: &mut Vec<Edge>, relation: &Relation) {
    for k in 0..edges.len() {
        let mut label = edges[k].label;
        for (j, better) in edges.iter().enumerate() {
            let dominates = edges[k].marks.is_subset(better.marks) && relation.holds(edges[k].to, better.to);
            let strictly =
                !(better.marks.is_subset(edges[k].marks) && relation.holds(better.to, edges[k].to));
            if j != k && dominates && (strictly || j < k) {
                label = bdds.minus(label, better.label);
            }
        }
        edges[k].label = label;
    }
    edges.retain(|edge| !edge.label.is_false());
}
