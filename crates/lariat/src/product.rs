//! Explored model × property automaton: the counterpart of `product.rs` in `search`, for states that have
//! numbers already.
//!
//! The meaning is the same: the automaton reads the state that the model is in, then the model moves; edges
//! come first in the order; a run that ends repeats its last state for ever, or is no run.
//!
//! One thing is different. Where the automaton accepts everything that may come, and every run goes on for
//! ever (because those that end repeat their last state), it is settled that there is a run, and the product
//! stands still. So what a finite part of a run shows is found in models with infinitely many states too.

use crate::Model;
use crate::explored::{ExploredModel, ModelState};
use indexmap::IndexSet;
use lariat_ltl::Marks;
use lariat_search::emptiness::{Arc, Product};
use lariat_search::product::{FiniteRuns, PropertyAutomaton};
use lariat_store::StateId;
use rustc_hash::FxBuildHasher;
use std::convert::Infallible;

pub(crate) struct TypedProduct<'a, 'm, M: Model> {
    pub explored: ExploredModel<'m, M>,
    property: &'a PropertyAutomaton,
    finite_runs: FiniteRuns,
    /// Per state of the automaton: whatever comes, it is accepted.
    settled: Vec<bool>,
    /// States of the automaton and of the model, by their number in the product.
    pairs: IndexSet<(u32, ModelState), FxBuildHasher>,
    /// There were no numbers left.
    full: bool,
}

impl<'a, 'm, M: Model> TypedProduct<'a, 'm, M> {
    pub fn new(
        explored: ExploredModel<'m, M>,
        property: &'a PropertyAutomaton,
        finite_runs: FiniteRuns,
    ) -> TypedProduct<'a, 'm, M> {
        let is_settled =
            |state: u32| finite_runs == FiniteRuns::Stutter && property.accepts_everything(state);
        let settled = (0..property.states() as u32).map(is_settled).collect();
        TypedProduct { explored, property, finite_runs, settled, pairs: IndexSet::default(), full: false }
    }

    /// Whether every run that goes on from here is accepted. The model's part of the state has not been read
    /// yet.
    pub fn is_settled(&self, id: StateId) -> bool {
        self.settled[self.pairs[id.index()].0 as usize]
    }

    /// The model's part of a state.
    pub fn model_state(&self, id: StateId) -> ModelState {
        self.pairs[id.index()].1
    }

    /// `None` if there are no numbers left.
    fn number(&mut self, pair: (u32, ModelState)) -> Option<StateId> {
        if self.pairs.len() >= u32::MAX as usize && !self.pairs.contains(&pair) {
            self.full = true;
            return None;
        }
        Some(StateId(self.pairs.insert_full(pair).0 as u32))
    }
}

impl<M: Model> Product for TypedProduct<'_, '_, M> {
    type Marks = Marks;

    fn sets(&self) -> u32 {
        self.property.sets()
    }

    fn initial_states(&mut self, out: &mut Vec<StateId>) {
        for k in 0..self.explored.initial().len() {
            let state = self.explored.initial()[k];
            for &property_state in self.property.initial() {
                out.extend(self.number((property_state, state)));
            }
        }
    }

    fn post(&mut self, id: StateId, arcs: &mut Vec<Arc>) {
        let (property_state, state) = self.pairs[id.index()];
        if self.is_settled(id) {
            arcs.push(Arc { to: id, marks: Marks::all(self.property.sets()) });
            return;
        }
        self.explored.expand(state);
        let count = self.explored.successors(state).len();
        let property = self.property;
        for edge in property.leaving(property_state) {
            let is_true = |proposition| Ok::<bool, Infallible>(self.explored.is_true(state, proposition));
            let Ok(admitted) = property.admits(edge.label, is_true);
            if !admitted {
                continue;
            }
            for k in 0..count {
                let next = ModelState(self.explored.successors(state)[k]);
                let to = self.number((edge.to, next));
                arcs.extend(to.map(|to| Arc { to, marks: edge.marks }));
            }
            if count == 0 && self.finite_runs == FiniteRuns::Stutter {
                let to = self.number((edge.to, state));
                arcs.extend(to.map(|to| Arc { to, marks: edge.marks }));
            }
        }
    }

    fn is_accepting(&self, id: StateId) -> bool {
        self.property.is_accepting(self.pairs[id.index()].0)
    }

    fn stored(&self) -> u64 {
        self.pairs.len() as u64
    }

    fn state_bytes(&self) -> u64 {
        self.explored.bytes().0
    }

    fn auxiliary_bytes(&self) -> u64 {
        // Beside a pair stand its hash and its place in the table.
        let pairs = self.pairs.capacity() * (size_of::<(u32, ModelState)>() + 2 * size_of::<u64>());
        self.explored.bytes().1 + pairs as u64
    }

    fn is_full(&self) -> bool {
        self.full || self.explored.is_full()
    }
}
