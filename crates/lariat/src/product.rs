//! Explored model × property automaton: the counterpart of `product.rs` in `search`, for states that have
//! numbers already.
//!
//! The meaning is the same: the automaton reads the state that the model is in, then the model moves; edges
//! come first in the order; a run that ends repeats its last state for ever, or is no run.
//!
//! One thing is different. Where the automaton accepts everything that may come, and every run goes on for
//! ever (because those that end repeat their last state), it is settled that there is a run, and the product
//! stands still. So what a finite part of a run shows is found in models with infinitely many states too.
//! With weak and strong fairness it is the same: every finite run can go on in a fair way.

use crate::Model;
use crate::explored::{ExploredModel, ModelState};
use crate::unit::UnitSet;
use crate::unit_marks::{Owed, UnitMarks};
use indexmap::IndexSet;
use lariat_ltl::Marks;
use lariat_search::emptiness::{Arc, MarkSet, Pair, Product, ProductStep};
use lariat_search::product::{FiniteRuns, PropertyAutomaton};
use lariat_store::StateId;
use rustc_hash::FxBuildHasher;
use std::convert::Infallible;

pub(crate) struct TypedProduct<'a, 'm, M: Model, K: MarkSet = Marks> {
    pub explored: ExploredModel<'m, M>,
    property: &'a PropertyAutomaton,
    finite_runs: FiniteRuns,
    /// Per state of the automaton: whatever comes, it is accepted.
    settled: Vec<bool>,
    /// If not all runs count.
    unit_marks: Option<UnitMarks<K>>,
    /// Of the steps that leave a state.
    of_steps: Vec<K>,
    /// There was no room for some units.
    too_few_units: bool,
    /// States of the automaton and of the model, by their number in the product.
    pairs: IndexSet<(u32, ModelState), FxBuildHasher>,
    /// There were no numbers left.
    full: bool,
}

impl<'a, 'm, M: Model, K: MarkSet> TypedProduct<'a, 'm, M, K> {
    pub fn new(
        explored: ExploredModel<'m, M>,
        property: &'a PropertyAutomaton,
        finite_runs: FiniteRuns,
        owed: Option<Owed>,
    ) -> TypedProduct<'a, 'm, M, K> {
        let may_stay = finite_runs == FiniteRuns::Stutter
            && owed.is_none_or(|owed| owed.rules().allow_every_beginning(finite_runs));
        let is_settled = |state: u32| may_stay && property.accepts_everything(state);
        TypedProduct {
            explored,
            property,
            finite_runs,
            settled: (0..property.states() as u32).map(is_settled).collect(),
            unit_marks: owed.map(|owed| UnitMarks::new(owed, property.sets())),
            of_steps: Vec::new(),
            too_few_units: false,
            pairs: IndexSet::default(),
            full: false,
        }
    }

    /// Whether runs were left out, because there was no room for some units.
    pub fn has_too_few_units(&self) -> bool {
        self.too_few_units
    }

    /// Who takes part in a step, if that is noted. Each edge of the automaton has an arc for every step of
    /// the model.
    pub fn taking_part(&self, step: &ProductStep) -> Option<UnitSet> {
        let noted = self.explored.taking_part(self.model_state(step.state));
        let place = (step.arc as usize).checked_rem(noted.len())?;
        (!self.is_settled(step.state)).then(|| noted[place])
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

impl<M: Model, K: MarkSet> Product for TypedProduct<'_, '_, M, K> {
    type Marks = K;

    fn sets(&self) -> u32 {
        self.unit_marks.as_ref().map_or(self.property.sets(), UnitMarks::sets)
    }

    fn pairs(&self) -> &[Pair] {
        self.unit_marks.as_ref().map_or(&[], UnitMarks::pairs)
    }

    fn initial_states(&mut self, out: &mut Vec<StateId>) {
        for k in 0..self.explored.initial().len() {
            let state = self.explored.initial()[k];
            for &property_state in self.property.initial() {
                out.extend(self.number((property_state, state)));
            }
        }
    }

    fn post(&mut self, id: StateId, arcs: &mut Vec<Arc<K>>) {
        let (property_state, state) = self.pairs[id.index()];
        if self.is_settled(id) {
            arcs.push(Arc { to: id, marks: K::all(self.sets()) });
            return;
        }
        self.explored.expand(state);
        let count = self.explored.successors(state).len();
        let mut has_room = true;
        if let Some((unit_marks, table)) = self.unit_marks.as_mut().zip(self.explored.units()) {
            let noted = self.explored.taking_part(state);
            has_room = unit_marks.of_steps(table, noted, &mut self.of_steps).is_some();
            self.too_few_units |= !has_room;
        }
        if !has_room {
            self.of_steps.clear();
        }
        let property = self.property;
        for edge in property.leaving(property_state) {
            let is_true = |proposition| Ok::<bool, Infallible>(self.explored.is_true(state, proposition));
            let Ok(admitted) = property.admits(edge.label, is_true);
            // What is settled needs no marks of units.
            if !admitted || !has_room && !self.settled[edge.to as usize] {
                continue;
            }
            for k in 0..count {
                let next = ModelState(self.explored.successors(state)[k]);
                let to = self.number((edge.to, next));
                let marks = K::narrow(edge.marks) | self.of_steps.get(k).copied().unwrap_or_default();
                arcs.extend(to.map(|to| Arc { to, marks }));
            }
            if count == 0 && self.finite_runs == FiniteRuns::Stutter {
                let to = self.number((edge.to, state));
                let of_units = self.unit_marks.as_ref().map_or(K::NONE, UnitMarks::of_standstill);
                arcs.extend(to.map(|to| Arc { to, marks: K::narrow(edge.marks) | of_units }));
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
