//! The states of a product that lie on no accepting cycle, in any order, by one thread.
//!
//! Of some products it is known of each state, when it is met, whether it can lie on an accepting cycle: in
//! a weak product those that accept can, and in any product those in which the automaton is in a component
//! with an accepting cycle. [`Product::is_accepting`] tells of these that they accept, here. All others need
//! only be met, once and in any order; and whoever is free to choose takes them in the one that is quickest:
//! they are *announced* some turns before their arcs are asked for ([`Product::announce`]), so that a store
//! can look for the ends of their arcs while others are computed, and arcs are left out that lead to states
//! which are met on another way. The accepting states that are met so are *roots*: after each turn, and in
//! the end, a search in order begins at each of them that is new ([`InOrder`]), and keeps to accepting
//! states.
//!
//! **Why it is right.** Every state that does not accept waits from when it is met first until its arcs are
//! asked for. Every accepting state that is met is a root, or is entered by the search that has met it. So
//! all states that can be reached are met (but for arcs that nobody misses, by what [`Product::announce`]
//! promises). And an accepting cycle lies among the accepting states, where the search is the one whose name
//! it has.
//!
//! It says whether there is an accepting cycle, and does not show it: nobody knows the way to where the
//! search began. Whoever wants to see it asks a check that does all in order, which finds the same one each
//! time, whatever was announced here. `any_order_shared.rs` is the same for several threads.
//!
//! A search that goes deep and one that goes level by level take turns, as in `reach`: so nobody gets lost
//! for ever where paths are endless, and what is near is found soon. (Without that, a violation in a corpus
//! model that `reach` finds in half a second took 96 s.) A turn is long, and roots wait for its end,
//! because a model is quick where states that follow each other are alike.
//!
//! Cost: one call of `post` per state; a bit per state, 8 bytes while it waits; and what the search in order
//! notes.

use super::{End, Product, Search, Stopped};
use crate::events::Listener;
use crate::look_ahead::WaitingState;
use lariat_engine::LANES;
use lariat_store::{StateBits, StateId};
use std::collections::VecDeque;

/// So many states that do not accept are taken in a turn.
const TURN: u32 = 1 << 9;

/// The search among accepting states.
pub(super) trait InOrder<P: Product> {
    /// Whether the state must be taken in order.
    fn accepts<L: Listener>(search: &Search<P, L>, state: StateId) -> bool;

    /// Whether it has not met a state yet.
    fn is_new(&self, state: StateId) -> bool;

    /// Searches from a new state, among accepting states; others that are met are added to the line. Whether
    /// there is an accepting cycle.
    fn search_from<L: Listener>(
        &mut self,
        search: &mut Search<P, L>,
        root: StateId,
        line: &mut Line,
    ) -> Result<bool, Stopped>;

    /// What it notes, in bytes.
    fn bytes(&self) -> u64;
}

/// Whether there is an accepting cycle.
pub(super) fn any_order<P: Product, L: Listener, C: InOrder<P>>(
    search: &mut Search<P, L>,
    check: &mut C,
) -> Result<bool, Stopped> {
    let mut line = Line { seen: StateBits::new(), stack: Vec::new(), queue: VecDeque::new(), is_deep: false };
    // Accepting states to which an arc leads.
    let mut roots = Vec::new();
    for initial in search.initial_states() {
        match C::accepts(search, initial) {
            true => roots.push(initial),
            false => line.add(initial, 0),
        }
    }
    let mut in_flight: [Option<StateId>; LANES] = [None; LANES];
    let (mut lane, mut until_turn) = (0, TURN);
    loop {
        let is_over = line.is_empty() && in_flight.iter().all(Option::is_none);
        if is_over || until_turn == 0 {
            if is_over && roots.is_empty() {
                break;
            }
            until_turn = TURN;
            line.is_deep ^= true;
            while let Some(root) = roots.pop() {
                if check.is_new(root) && check.search_from(search, root, &mut line)? {
                    return Ok(true);
                }
            }
        }
        if let Some(state) = in_flight[lane].take() {
            let bytes = check.bytes() + line.bytes();
            let count = search.land((lane, state), 1, bytes, |id, End { accepts, is_new, sleeping }| {
                if !accepts {
                    line.add(id, sleeping);
                } else if is_new != Some(false) {
                    roots.push(id);
                }
            })?;
            search.visit(state);
            search.count_explored(count);
        }
        if let Some(WaitingState { id, sleeping }) = line.next() {
            if let Some(next) = line.after_next() {
                search.prefetch(next.id);
            }
            search.announce(lane, id, sleeping);
            in_flight[lane] = Some(id);
        }
        until_turn -= 1;
        lane = if lane + 1 < LANES { lane + 1 } else { 0 };
    }
    search.exhausted()?;
    Ok(false)
}

/// States that do not accept: those that have been met, and of these, those that wait.
pub(super) struct Line {
    seen: StateBits,
    /// For the search that goes deep, and for the one that goes level by level; whose turn it is.
    stack: Vec<WaitingState>,
    queue: VecDeque<WaitingState>,
    is_deep: bool,
}

impl Line {
    /// A state is met; it waits, if that is the first time.
    #[inline]
    pub fn add(&mut self, id: StateId, sleeping: u32) {
        if self.seen.set(id) {
            match self.is_deep {
                true => self.stack.push(WaitingState { id, sleeping }),
                false => self.queue.push_back(WaitingState { id, sleeping }),
            }
        }
    }

    #[inline]
    fn next(&mut self) -> Option<WaitingState> {
        match self.is_deep {
            true => self.stack.pop().or_else(|| self.queue.pop_front()),
            false => self.queue.pop_front().or_else(|| self.stack.pop()),
        }
    }

    #[inline]
    fn after_next(&self) -> Option<&WaitingState> {
        if self.is_deep { self.stack.last() } else { self.queue.front() }
    }

    fn is_empty(&self) -> bool {
        self.stack.is_empty() && self.queue.is_empty()
    }

    fn bytes(&self) -> u64 {
        let waiting = self.stack.capacity() + self.queue.capacity();
        self.seen.bytes() + (waiting * size_of::<WaitingState>()) as u64
    }
}
