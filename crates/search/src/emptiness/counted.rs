//! A product with many acceptance sets, for checks that know one.
//!
//! A state is a state of the product and a *level*: how many of the sets have been met, in order, since all
//! of them were met last. A state with all of them accepts, and counting begins anew from there. The counter
//! is part of the state: what is on the stack with another level is another state, or a search would find
//! cycles that are none. An arc may pass several levels at once.
//!
//! So there are up to n + 1 copies of every state, which is what checks for any number of sets avoid.

use super::{Arc, Lasso, MarkSet, Product, ProductStep};
use crate::checkpoint::{Reader, Unreadable, Writer};
use indexmap::IndexSet;
use lariat_ltl::Marks;
use lariat_store::StateId;
use rustc_hash::FxBuildHasher;

/// The product, with a counter beside each state.
pub struct CountedProduct<'p, P: Product + ?Sized> {
    product: &'p mut P,
    sets: u32,
    states: IndexSet<(StateId, u32), FxBuildHasher>,
    arcs: Vec<Arc<P::Marks>>,
    is_full: bool,
}

impl<'p, P: Product + ?Sized> CountedProduct<'p, P> {
    /// Of a product without pairs.
    pub fn new(product: &'p mut P) -> CountedProduct<'p, P> {
        debug_assert!(product.pairs().is_empty());
        let sets = product.sets();
        CountedProduct { product, sets, states: IndexSet::default(), arcs: Vec::new(), is_full: false }
    }

    /// The same lasso without the counter: the arcs of a state have the same order.
    pub fn uncounted(&self, lasso: &Lasso) -> Lasso {
        let of = |step: &ProductStep| ProductStep { state: self.states[step.state.index()].0, ..*step };
        Lasso { prefix: lasso.prefix.iter().map(of).collect(), cycle: lasso.cycle.iter().map(of).collect() }
    }

    /// The product without the counter.
    pub fn product(&self) -> &P {
        self.product
    }

    /// Of a state, the state of the product and its level.
    pub fn parts(&self, id: StateId) -> (StateId, u32) {
        self.states[id.index()]
    }

    fn number(&mut self, state: StateId, level: u32) -> Option<StateId> {
        if self.states.len() >= u32::MAX as usize && !self.states.contains(&(state, level)) {
            self.is_full = true;
            return None;
        }
        Some(StateId(self.states.insert_full((state, level)).0 as u32))
    }
}

impl<P: Product + ?Sized> Product for CountedProduct<'_, P> {
    type Marks = Marks;

    fn sets(&self) -> u32 {
        1
    }

    fn initial_states(&mut self, out: &mut Vec<StateId>) {
        let mut states = Vec::new();
        self.product.initial_states(&mut states);
        out.extend(states.into_iter().filter_map(|state| self.number(state, 0)));
    }

    fn post(&mut self, id: StateId, out: &mut Vec<Arc>) {
        let (state, level) = self.states[id.index()];
        let marks = if level == self.sets { Marks::all(1) } else { Marks::NONE };
        let below = if level == self.sets { 0 } else { level };
        let mut arcs = std::mem::take(&mut self.arcs);
        arcs.clear();
        self.product.post(state, &mut arcs);
        for arc in &arcs {
            let missing = (below..self.sets).find(|&set| !arc.marks.contains(set));
            let to = self.number(arc.to, missing.unwrap_or(self.sets));
            out.extend(to.map(|to| Arc { to, marks }));
        }
        self.arcs = arcs;
    }

    fn is_accepting(&self, id: StateId) -> bool {
        self.states[id.index()].1 == self.sets
    }

    fn stored(&self) -> u64 {
        self.states.len() as u64
    }

    fn state_bytes(&self) -> u64 {
        self.product.state_bytes()
    }

    fn auxiliary_bytes(&self) -> u64 {
        // Beside a pair stand its hash and its place in the table.
        let pairs = self.states.capacity() * (size_of::<(StateId, u32)>() + 2 * size_of::<u64>());
        self.product.auxiliary_bytes() + pairs as u64
    }

    fn upcoming_bytes(&self) -> u64 {
        self.product.upcoming_bytes()
    }

    fn is_full(&self) -> bool {
        self.is_full || self.product.is_full()
    }

    fn rest(&mut self) {
        self.product.rest();
    }

    fn save_all(&self, out: &mut Writer) -> Result<(), &'static str> {
        self.product.save_all(out)?;
        out.number(self.states.len() as u64);
        for (state, level) in &self.states {
            out.number(u64::from(state.0));
            out.number(u64::from(*level));
        }
        Ok(())
    }

    fn load_all(&mut self, from: &mut Reader) -> Result<(), Unreadable> {
        self.product.load_all(from)?;
        for _ in 0..from.number()? {
            self.states.insert((StateId(from.small()?), from.small()?));
        }
        Ok(())
    }
}
