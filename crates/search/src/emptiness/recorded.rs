//! A product that remembers its arcs: each state is explored once, whoever asks for it again is answered from
//! an array.
//!
//! Two experiments need it. Schwoon and Esparza 2005 (§7) let their checks run on a product that had been
//! computed before: then a successor costs next to nothing, and what a check does beside becomes visible
//! ([`RecordedProduct::complete`]). And what a check has seen until it stopped is a graph of its own, of
//! which one may ask how it is built ([`RecordedProduct::part_seen`]).
//!
//! Cost: eight bytes for an arc, eight for a state.

use super::marks::DistinctMarks;
use super::{Arc, Pair, Product, Search, Stopped};
use lariat_store::{StateBits, StateId};

/// A product, and the arcs of those of its states that somebody has asked for.
pub struct RecordedProduct<'p, P: Product> {
    product: &'p mut P,
    /// Per state: where its arcs begin; 0 if nobody has asked, for their number stands before them.
    starts: Vec<u64>,
    /// Where arcs lead to. Those of a state stand together, behind their number.
    to: Vec<u32>,
    /// Of each arc, the number of its marks.
    marks: Vec<u32>,
    distinct_marks: DistinctMarks<P::Marks>,
    /// How many states somebody has asked for.
    recorded: u64,
}

impl<'p, P: Product> RecordedProduct<'p, P> {
    /// Nothing is recorded yet.
    pub fn new(product: &'p mut P) -> RecordedProduct<'p, P> {
        let (starts, to, marks) = (Vec::new(), Vec::new(), Vec::new());
        RecordedProduct { product, starts, to, marks, distinct_marks: DistinctMarks::default(), recorded: 0 }
    }

    /// Explores everything that the initial states lead to. The counts of the search are those of this
    /// exploration.
    pub fn complete(search: &mut Search<RecordedProduct<'p, P>>) -> Result<(), Stopped> {
        let mut met = StateBits::new();
        let mut waiting = search.initial_states();
        waiting.retain(|&state| met.set(state));
        let mut arcs = Vec::new();
        while let Some(state) = waiting.pop() {
            arcs.clear();
            search.visit(state);
            let bytes = met.bytes() + (waiting.capacity() * size_of::<StateId>()) as u64;
            search.post(state, &mut arcs, 0, bytes)?;
            waiting.extend(arcs.iter().map(|arc| arc.to).filter(|&to| met.set(to)));
        }
        search.exhausted()
    }

    /// The states that somebody has asked for, and the arcs between them.
    pub fn part_seen(&mut self) -> PartSeen<'_, 'p, P> {
        PartSeen { whole: self, buffer: Vec::new() }
    }

    fn is_recorded(&self, state: StateId) -> bool {
        self.starts.get(state.index()).is_some_and(|&start| start != 0)
    }

    fn record(&mut self, state: StateId, arcs: &[Arc<P::Marks>]) {
        if self.starts.len() <= state.index() {
            self.starts.resize(state.index() + 1, 0);
        }
        self.starts[state.index()] = self.to.len() as u64 + 1;
        self.recorded += 1;
        self.to.push(arcs.len() as u32);
        self.marks.push(0);
        for arc in arcs {
            let marks = self.distinct_marks.number_of(arc.marks);
            self.to.push(arc.to.0);
            self.marks.push(marks);
        }
    }
}

impl<P: Product> Product for RecordedProduct<'_, P> {
    type Marks = P::Marks;

    fn sets(&self) -> u32 {
        self.product.sets()
    }

    fn pairs(&self) -> &[Pair] {
        self.product.pairs()
    }

    fn initial_states(&mut self, out: &mut Vec<StateId>) {
        self.product.initial_states(out);
    }

    fn post(&mut self, state: StateId, out: &mut Vec<Arc<P::Marks>>) {
        if !self.is_recorded(state) {
            let before = out.len();
            self.product.post(state, out);
            self.record(state, &out[before..]);
            return;
        }
        let start = self.starts[state.index()] as usize;
        let arcs = start..start + self.to[start - 1] as usize;
        let arc =
            |(&to, &marks): (&u32, &u32)| Arc { to: StateId(to), marks: self.distinct_marks.get(marks) };
        out.extend(self.to[arcs.clone()].iter().zip(&self.marks[arcs]).map(arc));
    }

    fn is_accepting(&self, state: StateId) -> bool {
        self.product.is_accepting(state)
    }

    fn stored(&self) -> u64 {
        self.product.stored()
    }

    fn state_bytes(&self) -> u64 {
        self.product.state_bytes()
    }

    fn auxiliary_bytes(&self) -> u64 {
        let arcs = self.to.capacity() * size_of::<u32>() + self.marks.capacity() * size_of::<u32>();
        self.product.auxiliary_bytes() + (arcs + self.starts.capacity() * size_of::<u64>()) as u64
    }

    fn upcoming_bytes(&self) -> u64 {
        self.product.upcoming_bytes()
    }

    fn is_full(&self) -> bool {
        self.product.is_full()
    }
}

/// The part of a recorded product that was asked for: states whose arcs are known, and the arcs between
/// those.
pub struct PartSeen<'r, 'p, P: Product> {
    whole: &'r mut RecordedProduct<'p, P>,
    buffer: Vec<Arc<P::Marks>>,
}

impl<P: Product> Product for PartSeen<'_, '_, P> {
    type Marks = P::Marks;

    fn sets(&self) -> u32 {
        self.whole.sets()
    }

    fn pairs(&self) -> &[Pair] {
        self.whole.pairs()
    }

    fn initial_states(&mut self, out: &mut Vec<StateId>) {
        self.whole.initial_states(out);
        out.retain(|&state| self.whole.is_recorded(state));
    }

    fn post(&mut self, state: StateId, out: &mut Vec<Arc<P::Marks>>) {
        self.buffer.clear();
        self.whole.post(state, &mut self.buffer);
        out.extend(self.buffer.iter().filter(|arc| self.whole.is_recorded(arc.to)));
    }

    fn is_accepting(&self, state: StateId) -> bool {
        self.whole.is_accepting(state)
    }

    fn stored(&self) -> u64 {
        self.whole.recorded
    }

    fn state_bytes(&self) -> u64 {
        self.whole.state_bytes()
    }

    fn auxiliary_bytes(&self) -> u64 {
        self.whole.auxiliary_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;
    use crate::emptiness::{Check, ExplicitProduct};
    use lariat_ltl::Marks;

    fn arc(to: u32, marks: u64) -> Arc {
        Arc { to: StateId(to), marks: Marks(marks) }
    }

    /// 0 → 1 → 1 (accepting), and 0 → 2 → 3, which a search in the order of the arcs does not come to.
    fn product() -> ExplicitProduct {
        let arcs = vec![vec![arc(1, 0), arc(2, 0)], vec![arc(1, 1)], vec![arc(3, 0)], vec![]];
        ExplicitProduct::new(1, vec![StateId(0)], arcs)
    }

    #[test]
    fn what_was_asked_for_comes_back_in_the_same_order() {
        let (mut plain, mut source) = (product(), product());
        let mut recorded = RecordedProduct::new(&mut source);
        let mut search = Search::new(&mut recorded, Limits::default(), None);
        RecordedProduct::complete(&mut search).unwrap();
        assert_eq!((search.counts().visited, search.counts().transitions), (4, 4));
        for state in 0..4 {
            let (mut expected, mut found) = (Vec::new(), Vec::new());
            plain.post(StateId(state), &mut expected);
            recorded.post(StateId(state), &mut found);
            assert_eq!(expected, found, "{state}");
        }
    }

    #[test]
    fn the_part_that_a_check_has_seen() {
        let mut source = product();
        let mut recorded = RecordedProduct::new(&mut source);
        let mut search = Search::new(&mut recorded, Limits::default(), None);
        assert!(Check::RootsAndActive.run(&mut search).unwrap().is_some());
        let mut part = recorded.part_seen();
        assert_eq!(part.stored(), 2);
        let mut arcs = Vec::new();
        part.post(StateId(0), &mut arcs);
        assert_eq!(arcs, [arc(1, 0)], "state 2 was not looked at");
    }
}
