//! `tau`: Tauriainen's generalised nested depth-first search.
//!
//! Tauriainen 2003, Fig. 2, with exact storage (so lines 12 to 14, 16 and 27 to 28, which are about hashing,
//! fall away). Every state has a *label*: acceptance sets known to be met on some way to it. When the outer
//! search goes back from a state, a nested search carries the label of the state, and the sets of the state
//! itself, to everything reachable that the outer search has seen; it goes on from a state only if the label
//! there grew. If afterwards the label of the state is complete, the state is on an accepting cycle.
//!
//! Acceptance is on arcs here. The nested search carries over each arc that leaves the state the label of the
//! state and the marks of that arc; if the arcs agree, as with acceptance on states, this is the figure. It
//! is the figure applied to the graph with a state in the middle of each arc, except that those states need
//! no label of their own. With no set at all the figure does not apply (§3.1); here every arc then counts as
//! marked with the only set.
//!
//! The early exit of §4.1 (the nested search meets a state on the path whose label becomes complete) would
//! need one more bit per state, and is left out: this is the algorithm as printed. Several initial states:
//! the search is restarted without clearing (§4.2).
//!
//! The stacks do not hold the cycle (§4.1): the outer path leads to the state; its component is found first,
//! then the cycle by [`cycle_through`].
//!
//! Cost for n sets: n + 2 calls of `post` per state at the most (one by the outer search, one when the nested
//! search begins there, one for each set that its label gains); n + 1 bits per state.

use super::component::{component_of, cycle_through};
use super::side_tables::SmallNumbers;
use super::{Arc, DepthFirstPath, Lasso, MarkSet, Product, Search, Stopped};
use crate::events::{Event, Listener, told};
use lariat_store::{StateBits, StateId};

pub fn label_propagation<P: Product, L: Listener>(
    search: &mut Search<P, L>,
) -> Result<Option<Lasso>, Stopped> {
    let sets = search.sets().max(1);
    let mut check = LabelPropagation {
        unmarked: search.sets() == 0,
        all: P::Marks::all(sets),
        labels: (0..sets).step_by(64).map(|first| SmallNumbers::new((sets - first).min(64))).collect(),
        visited: StateBits::new(),
        path: DepthFirstPath::new(),
        waiting: Vec::new(),
    };
    for initial in search.initial_states() {
        if !check.visited.is_set(initial)
            && let Some(lasso) = check.emptiness_search(search, initial)?
        {
            return Ok(Some(lasso));
        }
    }
    Ok(None)
}

struct LabelPropagation<K> {
    unmarked: bool,
    all: K,
    /// For each word of a label.
    labels: Vec<SmallNumbers>,
    /// On the path, or processed.
    visited: StateBits,
    path: DepthFirstPath<(), K>,
    /// Of the nested search.
    waiting: Vec<StateId>,
}

impl<K: MarkSet> LabelPropagation<K> {
    fn emptiness_search<P: Product<Marks = K>, L: Listener>(
        &mut self,
        search: &mut Search<P, L>,
        start: StateId,
    ) -> Result<Option<Lasso>, Stopped> {
        self.enter(search, start)?;
        while let Some(q) = self.path.top() {
            if let Some(arc) = self.path.explore(search) {
                if !self.visited.is_set(arc.to) {
                    self.enter(search, arc.to)?;
                }
                continue;
            }
            let has_marks = self.path.arcs_of_top().iter().any(|&arc| !self.marks(arc).is_empty());
            if has_marks || !self.label(q).is_empty() {
                self.propagate(search, q)?;
                if self.label(q) == self.all {
                    search.note_found_nested(true);
                    return self.lasso(search, q);
                }
            }
            self.path.pop(search);
        }
        Ok(None)
    }

    fn propagate<P: Product<Marks = K>, L: Listener>(
        &mut self,
        search: &mut Search<P, L>,
        q: StateId,
    ) -> Result<(), Stopped> {
        let mut arcs = Vec::new();
        let mut from_here = Vec::new();
        search.tell(Event::Nested(q));
        self.post(search, q, &mut from_here)?;
        for arc in from_here {
            let labels_to_propagate = self.label(q) | self.marks(arc);
            self.carry(search, q, arc.to, labels_to_propagate);
            while let Some(state) = self.waiting.pop() {
                arcs.clear();
                self.post(search, state, &mut arcs)?;
                for arc in &arcs {
                    self.carry(search, state, arc.to, labels_to_propagate);
                }
            }
        }
        search.tell(Event::NestedOver);
        Ok(())
    }

    /// Lines 24 to 26.
    fn carry<P: Product<Marks = K>, L: Listener>(
        &mut self,
        search: &mut Search<P, L>,
        from: StateId,
        to: StateId,
        labels: K,
    ) {
        search.tell(Event::Arc { from, to });
        if self.visited.is_set(to) && !labels.is_subset(self.label(to)) {
            let label = self.label(to) | labels;
            self.labels.iter_mut().enumerate().for_each(|(k, words)| words.set(to, label.word(k)));
            search.tell(Event::Labelled { state: to, label: told(label) });
            self.waiting.push(to);
        }
    }

    fn label(&self, q: StateId) -> K {
        let mut label = K::NONE;
        self.labels.iter().enumerate().for_each(|(k, words)| label.add_word(k, words.get(q)));
        label
    }

    fn marks(&self, arc: Arc<K>) -> K {
        if self.unmarked { self.all } else { arc.marks & self.all }
    }

    fn enter<P: Product<Marks = K>, L: Listener>(
        &mut self,
        search: &mut Search<P, L>,
        q: StateId,
    ) -> Result<(), Stopped> {
        self.visited.set(q);
        search.visit(q);
        let bytes = self.table_bytes();
        self.path.push(search, q, (), 0, bytes)
    }

    fn post<P: Product<Marks = K>, L: Listener>(
        &self,
        search: &mut Search<P, L>,
        q: StateId,
        arcs: &mut Vec<Arc<K>>,
    ) -> Result<(), Stopped> {
        search.post(q, arcs, self.path.len(), self.table_bytes() + self.path.bytes())
    }

    fn table_bytes(&self) -> u64 {
        let waiting = self.waiting.capacity() * size_of::<StateId>();
        self.labels.iter().map(SmallNumbers::bytes).sum::<u64>() + self.visited.bytes() + waiting as u64
    }

    fn lasso<P: Product<Marks = K>, L: Listener>(
        &self,
        search: &mut Search<P, L>,
        q: StateId,
    ) -> Result<Option<Lasso>, Stopped> {
        // The search has gone only through states that were visited, so these hold the cycle.
        let visited = |s| self.visited.is_set(s);
        let component =
            search.uncounted(|search| component_of(search, q, visited, usize::MAX))?.unwrap_or_default();
        let inside = |s| component.states.contains(&s);
        let cycle = cycle_through(search, q, inside, search.all_marks(), MarkSet::NONE)?;
        Ok(cycle.map(|cycle| Lasso { prefix: self.path.way_to_top(), cycle }))
    }
}
