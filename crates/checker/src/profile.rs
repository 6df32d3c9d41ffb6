//! Where the time of a search goes (`--profile-search`): a model and a store that look at the clock.
//!
//! Both are wrapped, and the search knows nothing of it. What is left over when successors, hashing and
//! lookups have been subtracted is the search's own: its stacks, its marks, its counting. Looking at the
//! clock takes time as well, some twenty nanoseconds a look, so a search with a profile is slower than one
//! without, and short pieces seem longer than they are.

use lariat_engine::{Moment, SuccessorFunction, Successors, Valuation, Violation};
use lariat_store::{Batch, Inserted, StateId, StateStore, VisitedSet};
use serde::Serialize;
use std::cell::Cell;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Where the time of a search went, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct SearchProfile {
    /// Computing successors, and judging propositions.
    pub successors: f64,
    /// Getting the sums that hashes follow from. (Where the model tells them, they are worked out with the
    /// successors.)
    pub hashing: f64,
    /// Looking for states in the store, and putting new ones there.
    pub probing: f64,
    /// Reading states back.
    pub reading: f64,
    /// Everything else that the search does.
    pub stack: f64,
}

/// Adds up pieces of time.
#[derive(Default)]
struct Stopwatch(Cell<Duration>);

impl Stopwatch {
    #[inline]
    fn time<T>(&self, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = work();
        self.0.set(self.0.get() + start.elapsed());
        result
    }
}

/// The clocks of one search.
#[derive(Default)]
pub(crate) struct Clocks {
    successors: Stopwatch,
    hashing: Stopwatch,
    probing: Stopwatch,
    reading: Stopwatch,
}

impl Clocks {
    /// The profile of a search that took so long.
    pub fn profile(&self, total: Duration) -> SearchProfile {
        let (successors, hashing) = (self.successors.0.get(), self.hashing.0.get());
        let (probing, reading) = (self.probing.0.get(), self.reading.0.get());
        let stack = total.saturating_sub(successors + hashing + probing + reading);
        let seconds = |duration: Duration| duration.as_secs_f64();
        SearchProfile {
            successors: seconds(successors),
            hashing: seconds(hashing),
            probing: seconds(probing),
            reading: seconds(reading),
            stack: seconds(stack),
        }
    }

    /// Times how long the sums of a batch take. The store asks for them too, in the middle of its work, where
    /// a look at the clock would take longer than they do.
    fn time_sums(&self, batch: &impl Batch) {
        self.hashing.time(|| batch.entries().iter().for_each(|entry| _ = black_box(batch.sum(entry))));
    }
}

/// A model whose successors are timed.
pub(crate) struct TimedModel<'m, M> {
    pub model: &'m M,
    pub clocks: &'m Clocks,
}

impl<M: SuccessorFunction> SuccessorFunction for TimedModel<'_, M> {
    fn initial_state(&self) -> Result<Vec<u8>, Violation> {
        self.model.initial_state()
    }

    fn successors(&self, state: &[u8], out: &mut Successors) {
        self.clocks.successors.time(|| self.model.successors(state, out));
    }

    fn begins_again(&self) {
        self.model.begins_again();
    }

    fn is_counted(&self) {
        self.model.is_counted();
    }

    fn awake_successors(&self, state: &[u8], sleeping: u32, out: &mut Successors) {
        self.clocks.successors.time(|| self.model.awake_successors(state, sleeping, out));
    }

    fn look_at(&self, state: &[u8], moment: Moment, valuation: &mut Valuation) {
        self.clocks.successors.time(|| self.model.look_at(state, moment, valuation));
    }

    fn known_truths(&self, state: &[u8]) -> Option<u64> {
        self.clocks.successors.time(|| self.model.known_truths(state))
    }

    fn is_true(&self, proposition: usize, valuation: &mut Valuation) -> Result<bool, Violation> {
        self.clocks.successors.time(|| self.model.is_true(proposition, valuation))
    }

    fn memory_size(&self) -> usize {
        self.model.memory_size()
    }

    fn own_bytes(&self) -> u64 {
        self.model.own_bytes()
    }

    fn vector_bits(&self) -> Option<f64> {
        self.model.vector_bits()
    }

    fn may_diverge(&self) -> bool {
        self.model.may_diverge()
    }

    fn tells_repetition(&self) -> bool {
        self.model.tells_repetition()
    }

    fn living(&self, state: &[u8], out: &mut Vec<(u16, u16)>) {
        self.model.living(state, out);
    }

    fn may_end(&self, state: &[u8]) -> bool {
        self.model.may_end(state)
    }

    fn wrong_end(&self, state: &[u8]) -> Option<Violation> {
        self.model.wrong_end(state)
    }

    fn add_reached(&self, reached: &mut Vec<Vec<bool>>) {
        self.model.add_reached(reached);
    }

    fn tell_tables(&self, each: &mut dyn FnMut(u64)) {
        self.model.tell_tables(each);
    }
}

/// A store whose work is timed.
pub(crate) struct TimedStore<'m, S> {
    pub store: S,
    pub clocks: &'m Clocks,
}

impl<S: StateStore> VisitedSet for TimedStore<'_, S> {
    fn visit(&mut self, state: &[u8]) -> bool {
        let TimedStore { store, clocks } = self;
        clocks.probing.time(|| store.visit(state))
    }

    fn visit_all<'r>(&mut self, batch: impl Batch, room: &'r mut Vec<bool>) -> &'r [bool] {
        let TimedStore { store, clocks } = self;
        clocks.time_sums(&batch);
        clocks.probing.time(|| store.visit_all(batch, room))
    }

    fn contains(&self, state: &[u8]) -> bool {
        self.clocks.probing.time(|| self.store.contains(state))
    }

    fn expected_missed(&self) -> f64 {
        self.store.expected_missed()
    }

    fn prefetch_all(&mut self, batch: impl Batch) {
        let TimedStore { store, clocks } = self;
        clocks.hashing.time(|| store.prefetch_all(batch));
    }

    fn clear(&mut self) {
        self.store.clear();
    }

    fn len(&self) -> u64 {
        self.store.len()
    }

    fn is_full(&self) -> bool {
        self.store.is_full()
    }

    fn states_bytes(&self) -> u64 {
        self.store.states_bytes()
    }

    fn auxiliary_bytes(&self) -> u64 {
        self.store.auxiliary_bytes()
    }

    fn load(&self) -> Option<u16> {
        self.store.load()
    }

    fn changed_at(&self) -> Option<u64> {
        self.store.changed_at()
    }

    fn upcoming_bytes(&self) -> u64 {
        self.store.upcoming_bytes()
    }
}

impl<S: StateStore> StateStore for TimedStore<'_, S> {
    fn insert(&mut self, state: &[u8]) -> Inserted {
        let TimedStore { store, clocks } = self;
        clocks.probing.time(|| store.insert(state))
    }

    fn insert_all<'r>(&mut self, batch: impl Batch, room: &'r mut Vec<Inserted>) -> &'r [Inserted] {
        let TimedStore { store, clocks } = self;
        clocks.time_sums(&batch);
        clocks.probing.time(|| store.insert_all(batch, room))
    }

    fn read(&self, id: StateId, buffer: &mut Vec<u8>) {
        self.clocks.reading.time(|| self.store.read(id, buffer));
    }

    fn use_again(&self, id: StateId) {
        self.store.use_again(id);
    }

    fn prefetch(&self, id: StateId) {
        self.store.prefetch(id);
    }

    fn for_each_state(&self, each: impl FnMut(StateId, &[u8])) {
        self.store.for_each_state(each);
    }
}
