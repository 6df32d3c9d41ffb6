//! An automaton as a product with nothing: for `lariat empty`, and for tests.

use super::{Arc, Product};
use lariat_ltl::{Automaton, Marks, Placement};
use lariat_store::StateId;

/// The states and edges of an automaton, whatever the labels say. Edges with a false label must not be there.
/// An arc to a state that does not exist leads to one that nothing leaves.
#[derive(Clone, Debug)]
pub struct ExplicitProduct {
    sets: u32,
    initial: Vec<StateId>,
    arcs: Vec<Vec<Arc>>,
    accepting: Vec<bool>,
}

impl ExplicitProduct {
    /// A product from the arcs that leave each state. Checks for one set take a state for accepting if its
    /// first arc has all marks, so all its arcs must agree.
    pub fn new(sets: u32, initial: Vec<StateId>, arcs: Vec<Vec<Arc>>) -> ExplicitProduct {
        let all = Marks::all(sets);
        let accepting = arcs.iter().map(|arcs| arcs.first().is_some_and(|arc| arc.marks == all)).collect();
        ExplicitProduct { sets, initial, arcs, accepting }
    }

    /// Acceptance on states: all arcs that leave a state have its marks. A state that no arc leaves may
    /// accept too.
    pub fn with_marked_states(
        sets: u32,
        initial: Vec<StateId>,
        arcs: &[Vec<StateId>],
        marks: &[Marks],
    ) -> ExplicitProduct {
        let of = |state: usize| marks.get(state).copied().unwrap_or(Marks::NONE);
        let arc = |from: usize, &to: &StateId| Arc { to, marks: of(from) };
        let accepting = (0..arcs.len()).map(|state| of(state) == Marks::all(sets)).collect();
        let arcs =
            arcs.iter().enumerate().map(|(from, to)| to.iter().map(|to| arc(from, to)).collect()).collect();
        ExplicitProduct { sets, initial, arcs, accepting }
    }

    /// The automaton's states under their own numbers, its edges in their order.
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

    /// The arcs that leave each state.
    pub fn arcs(&self) -> &[Vec<Arc>] {
        &self.arcs
    }
}

impl Product for ExplicitProduct {
    type Marks = Marks;

    fn sets(&self) -> u32 {
        self.sets
    }

    fn initial_states(&mut self, out: &mut Vec<StateId>) {
        out.extend_from_slice(&self.initial);
    }

    fn post(&mut self, state: StateId, out: &mut Vec<Arc>) {
        out.extend_from_slice(self.arcs.get(state.index()).map_or(&[], Vec::as_slice));
    }

    fn is_accepting(&self, state: StateId) -> bool {
        self.accepting.get(state.index()).copied().unwrap_or(false)
    }

    fn stored(&self) -> u64 {
        self.arcs.len() as u64
    }
}
