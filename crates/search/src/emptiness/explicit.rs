//! An automaton as a product with nothing: for `lariat empty`, and for tests.

use super::{Arc, Product};
use lariat_ltl::{Automaton, Placement};
use lariat_store::StateId;

/// The states and edges of an automaton, whatever the labels say. Edges with a false label must not be there.
#[derive(Clone, Debug)]
pub struct ExplicitProduct {
    sets: u32,
    initial: Vec<StateId>,
    arcs: Vec<Vec<Arc>>,
    accepting: Vec<bool>,
}

impl ExplicitProduct {
    pub fn new(sets: u32, initial: Vec<StateId>, arcs: Vec<Vec<Arc>>) -> ExplicitProduct {
        let all = lariat_ltl::Marks::all(sets);
        let accepting = arcs.iter().map(|arcs| arcs.first().is_some_and(|arc| arc.marks == all)).collect();
        ExplicitProduct { sets, initial, arcs, accepting }
    }

    pub fn of(automaton: &Automaton) -> ExplicitProduct {
        debug_assert!(automaton.placement == Placement::Edges || automaton.has_state_acceptance());
        let arc = |edge: &lariat_ltl::Edge| Arc { to: StateId(edge.to), marks: edge.marks };
        let arcs = automaton.edges.iter().map(|edges| edges.iter().map(arc).collect()).collect();
        ExplicitProduct::new(
            automaton.sets,
            automaton.initial.iter().map(|&state| StateId(state)).collect(),
            arcs,
        )
    }
}

impl Product for ExplicitProduct {
    fn sets(&self) -> u32 {
        self.sets
    }

    fn initial_states(&mut self, out: &mut Vec<StateId>) {
        out.extend_from_slice(&self.initial);
    }

    fn post(&mut self, state: StateId, out: &mut Vec<Arc>) {
        out.extend_from_slice(&self.arcs[state.index()]);
    }

    fn is_accepting(&self, state: StateId) -> bool {
        self.accepting[state.index()]
    }

    fn stored(&self) -> u64 {
        self.arcs.len() as u64
    }
}
