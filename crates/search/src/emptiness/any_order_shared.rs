//! The states of a product that lie on no accepting cycle, in any order, by several workers.
//!
//! Which states these are, and why their order does not matter, stands in `any_order.rs`, which is the same
//! for one thread. Here whoever is the first to see one has it in hand until it is expanded, or hands it over
//! to those who have no work (`parallel/gang.rs`). The gang ends when nobody has work, so that every state
//! that was seen is expanded then, and so are its successors, or in the hands of those who search among the
//! accepting states.
//!
//! Whether a state that does not accept was seen before, the product mostly knows: a store says of one
//! insertion only that the state is new ([`End::is_new`]), and of none that an initial state is, because each
//! worker inserts those before anything else. Then nothing is noted of it here.
//!
//! A state is *announced* some turns before its arcs are asked for, so that the product can look for their
//! ends while others are computed; it may know processes that sleep in a state, whose arcs need not be
//! followed because each state that is met is expanded ([`Product::announce`]).
//!
//! The newest and the oldest of the states that wait take turns, as in `reach`: so nobody gets lost for ever
//! where paths are endless. A turn is long, because a model is quick where states that follow each other are
//! alike.
//!
//! Cost: one call of `post` for each state; 8 bytes while it waits.

use super::shared_tables::{SharedColour, SharedColours};
use super::workers::{Fault, Pace, Quit, Worker};
use super::{End, Product};
use crate::look_ahead::WaitingState;
use crate::parallel::gang::Gang;
use lariat_engine::LANES;
use lariat_store::StateId;
use std::collections::VecDeque;
use std::marker::PhantomData;

/// So many states are taken in a turn.
const TURN: u64 = 1 << 9;

/// What the workers share.
pub(super) struct SharedLine<H> {
    /// Seen; and for those who search among accepting states, whatever they need.
    pub colours: SharedColours,
    /// States that do not accept, seen and not expanded yet.
    pub gang: Gang<WaitingState>,
    pace: PhantomData<fn() -> H>,
}

/// What a worker has for itself.
pub(super) struct OwnLine {
    /// States that do not accept, and that this worker has seen first.
    pub waiting: VecDeque<WaitingState>,
    /// Those of them that were announced, by lane; and the lane that is looked at next.
    in_flight: [Option<StateId>; LANES],
    lane: usize,
    /// How many of them it has taken.
    taken: u64,
    /// Accepting states to which an arc leads from the one that was expanded last, with what is known.
    pub roots: Vec<(StateId, End)>,
}

impl OwnLine {
    pub fn new() -> OwnLine {
        OwnLine { waiting: VecDeque::new(), in_flight: [None; LANES], lane: 0, taken: 0, roots: Vec::new() }
    }

    /// It has got work.
    pub fn take_over(&mut self, bundle: Vec<WaitingState>) {
        self.waiting = bundle.into();
    }

    pub fn has_work(&self) -> bool {
        !self.waiting.is_empty() || self.in_flight.iter().any(Option::is_some)
    }

    fn next_waiting(&mut self) -> Option<WaitingState> {
        self.taken += 1;
        if (self.taken / TURN).is_multiple_of(2) { self.waiting.pop_front() } else { self.waiting.pop_back() }
    }

    pub fn bytes(&self) -> u64 {
        (self.waiting.capacity() * size_of::<WaitingState>()) as u64
    }
}

impl<H: Pace> SharedLine<H> {
    pub fn new(workers: usize) -> SharedLine<H> {
        SharedLine { colours: SharedColours::new(), gang: Gang::new(workers, Vec::new()), pace: PhantomData }
    }

    #[inline]
    pub fn has(&self, state: StateId, colour: SharedColour) -> bool {
        H::step();
        self.colours.has(state, colour)
    }

    #[inline]
    pub fn set(&self, state: StateId, colour: SharedColour) -> bool {
        H::step();
        self.colours.set(state, colour)
    }

    /// Whether nobody has seen the state before to which an arc leads.
    #[inline]
    pub fn is_first(&self, state: StateId, end: End) -> bool {
        end.is_new.unwrap_or_else(|| self.set(state, SharedColour::Seen))
    }

    /// An arc leads to a state that does not accept, which waits if nobody has seen it before.
    #[inline]
    pub fn add(&self, waiting: &mut VecDeque<WaitingState>, state: StateId, end: End) {
        if self.is_first(state, end) {
            waiting.push_back(WaitingState { id: state, sleeping: end.sleeping });
        }
    }

    /// The initial states that do not accept wait; the others are left to the one who asks.
    pub fn begin<P: Product>(
        &self,
        worker: &mut Worker<P>,
        own: &mut OwnLine,
        accepts: impl Fn(&Worker<P>, StateId) -> bool,
    ) -> Vec<StateId> {
        let (accepting, others): (Vec<_>, Vec<_>) =
            worker.initial_states().into_iter().partition(|&initial| accepts(worker, initial));
        let none = End { accepts: false, is_new: None, sleeping: 0 };
        others.into_iter().for_each(|initial| self.add(&mut own.waiting, initial, none));
        accepting
    }

    /// Gives work to those who have none.
    #[inline]
    pub fn share(&self, own: &mut OwnLine) {
        if self.gang.is_hungry() && own.waiting.len() > 1 {
            self.gang.give(own.waiting.drain(..own.waiting.len() / 2).collect());
        }
    }

    /// Expands a state that was announced, and announces another one. `bytes` are what the worker holds
    /// beside, and all of them.
    pub fn turn<P: Product>(
        &self,
        worker: &mut Worker<P>,
        own: &mut OwnLine,
        (beside, shared): (u64, u64),
    ) -> Result<(), Quit> {
        let lane = own.lane;
        own.lane = (lane + 1) % LANES;
        if let Some(state) = own.in_flight[lane].take() {
            let bytes = own.bytes() + beside;
            let arcs = worker.land((lane, state), bytes, shared, |id, end| {
                if end.accepts {
                    own.roots.push((id, end));
                } else if H::FAULT != Fault::WorkIsLost {
                    self.add(&mut own.waiting, id, end);
                }
            })?;
            worker.count_state();
            worker.count_arcs(arcs);
            self.share(own);
        }
        if let Some(WaitingState { id, sleeping }) = own.next_waiting() {
            if let Some(next) = own.waiting.back() {
                worker.prefetch(next.id);
            }
            worker.announce(lane, id, sleeping);
            own.in_flight[lane] = Some(id);
        }
        Ok(())
    }
}
