//! Smaller automata for the same language.
//!
//! - [`mod@prune`]: states, marks and acceptance sets that no accepting run needs;
//! - [`bisimulation`]: states that do exactly the same;
//! - [`simulation`]: states that can do all that others can;
//! - [`obligation`]: the minimal weak deterministic automaton, where there is one;
//! - [`merge`]: states that may be merged because an automaton for the complement says so;
//! - [`degeneralise`]: one acceptance set on states instead of many on edges.

pub mod bisimulation;
pub mod degeneralise;
pub mod merge;
pub mod obligation;
pub mod prune;
pub mod simulation;

pub use prune::prune;

use crate::automaton::{Automaton, Placement, State};
use crate::bdd::Bdds;
use crate::stop::{Stop, bytes_of};

/// Rounds of [`simplify`]; in practice two or three are enough.
const ROUNDS: usize = 16;

/// Prunes and reduces by simulation, forward and backward, until nothing changes. The number of states, then
/// of edges, never grows. An automaton with one set on states stays one.
pub fn simplify(bdds: &mut Bdds, automaton: &mut Automaton) {
    simplify_until(bdds, automaton, Stop::NEVER);
}

/// The same, with what has been done by then if the work is stopped.
pub fn simplify_until(bdds: &mut Bdds, automaton: &mut Automaton, stop: Stop) {
    let one_set_on_states = automaton.placement == Placement::States && automaton.sets == 1;
    prune(bdds, automaton);
    bisimulation::merge_equal(bdds, automaton, stop);
    for _ in 0..ROUNDS {
        if stop.now(bdds, bytes_of(automaton)) {
            break;
        }
        let before = automaton.clone();
        simulation::forward(bdds, automaton, stop);
        simulation::backward(bdds, automaton, stop);
        prune(bdds, automaton);
        if *automaton == before && !bisimulation::merge_equal_but_for_passing(bdds, automaton, stop) {
            break;
        }
    }
    if one_set_on_states {
        degeneralise::make_one_set(automaton);
    }
}

/// The same, if no more operations on labels are needed than these; otherwise the automaton stays as it is.
pub fn simplify_within(bdds: &mut Bdds, automaton: &mut Automaton, operations: usize, stop: Stop) {
    let simplified = bdds.within(operations, |bdds| {
        let mut automaton = automaton.clone();
        simplify_until(bdds, &mut automaton, stop);
        automaton
    });
    if let Some(simplified) = simplified {
        *automaton = simplified;
    }
}

/// Numbers the states in the order in which a breadth-first search from the initial states meets them.
pub fn number_states(automaton: &mut Automaton) {
    let order: Vec<State> = automaton.reachable();
    automaton.restrict_to(&order);
    for edges in &mut automaton.edges {
        edges.sort_by_key(|edge| (edge.to, edge.marks));
    }
}
