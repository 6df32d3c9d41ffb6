//! The search of `sd` for one thread, where only accepting states are taken in order.
//!
//! In a weak product an accepting cycle consists of accepting states. So states that do not accept need
//! only be met, once and in any order; and whoever is free to choose takes them in the one that is
//! quickest: they are *announced* some turns before their arcs are asked for ([`Product::announce`]), so
//! that a store can look for the ends of their arcs while others are computed, and arcs are left out that
//! lead to states which are met on another way. The accepting states that are met so are *roots*: after
//! each turn, and in the end, the search of `sd` begins at each of them that is white, and keeps to
//! accepting states.
//!
//! **Why it is right.** Every state that does not accept waits from when it is met first until its arcs are
//! asked for. Every accepting state that is met is a root, or is entered by the search that has met it. So
//! all states that can be reached are met (but for arcs that nobody misses, by what [`Product::announce`]
//! promises). And among the accepting states this is `sd`: a state is left, and becomes blue, when all its
//! accepting successors are blue; a cyan one closes a cycle of accepting states.
//!
//! It says whether there is an accepting cycle, and does not show it: nobody knows the way to where the
//! search began. Whoever wants to see it asks `sd` or `reach`, which find the same one each time, whatever
//! was announced here. `simple_dfs_shared.rs` is the same for several threads.
//!
//! A search that goes deep and one that goes level by level take turns, as in `reach`: so nobody gets lost
//! for ever where paths are endless, and what is near is found soon. (Without that, a violation in a corpus
//! model that `reach` finds in half a second took 96 s.) A turn is long, and roots wait for its end,
//! because a model is quick where states that follow each other are alike.
//!
//! Cost: one call of `post` per state; three bits per state, 8 bytes while it waits.

use super::coloured::Coloured;
use super::side_tables::{Colour, Colours};
use super::{End, Product, Search, Stopped};
use crate::events::Listener;
use crate::look_ahead::WaitingState;
use lariat_engine::LANES;
use lariat_store::{StateBits, StateId};
use std::collections::VecDeque;

/// So many states that do not accept are taken in a turn.
const TURN: u32 = 1 << 9;

/// Whether there is an accepting cycle, provided that the product is weak.
pub fn simple_dfs_any_order<P: Product, L: Listener>(search: &mut Search<P, L>) -> Result<bool, Stopped> {
    let mut check = Coloured::<(), P::Marks>::new(Colours::four());
    let mut line = Line { seen: StateBits::new(), stack: Vec::new(), queue: VecDeque::new(), is_deep: false };
    for initial in search.initial_states() {
        if !search.is_accepting(initial) {
            line.add(initial, 0);
        } else if enter(&mut check, &mut line, search, initial)? {
            return Ok(true);
        }
    }
    let mut in_flight: [Option<StateId>; LANES] = [None; LANES];
    let (mut lane, mut until_turn) = (0, TURN);
    // Accepting states to which an arc leads.
    let mut roots = Vec::new();
    loop {
        let is_over = line.is_empty() && in_flight.iter().all(Option::is_none);
        if is_over || until_turn == 0 {
            if is_over && roots.is_empty() {
                break;
            }
            until_turn = TURN;
            line.is_deep ^= true;
            while let Some(root) = roots.pop() {
                if enter(&mut check, &mut line, search, root)? {
                    return Ok(true);
                }
            }
        }
        if let Some(state) = in_flight[lane].take() {
            let bytes = check.colours.bytes() + line.bytes();
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
struct Line {
    seen: StateBits,
    /// For the search that goes deep, and for the one that goes level by level; whose turn it is.
    stack: Vec<WaitingState>,
    queue: VecDeque<WaitingState>,
    is_deep: bool,
}

impl Line {
    /// A state is met; it waits, if that is the first time.
    #[inline]
    fn add(&mut self, id: StateId, sleeping: u32) {
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

/// An accepting state is met: if that is the first time, the search among accepting states begins there.
/// Whether there is a cycle.
fn enter<P: Product, L: Listener>(
    check: &mut Coloured<(), P::Marks>,
    line: &mut Line,
    search: &mut Search<P, L>,
    state: StateId,
) -> Result<bool, Stopped> {
    if check.colour(state) != Colour::White {
        return Ok(false);
    }
    check.enter_blue(search, state, ())?;
    while !check.blue.is_empty() {
        let Coloured { blue, colours, .. } = check;
        let arc = blue.explore_until(search, |search, _, arc| match colours.of(arc.to) {
            Colour::White if search.is_accepting(arc.to) => true,
            Colour::White => {
                line.add(arc.to, 0);
                false
            }
            Colour::Cyan => true,
            _ => false,
        });
        match arc {
            None => check.leave_blue(search, Colour::Blue),
            Some(arc) if check.colour(arc.to) == Colour::White => check.enter_blue(search, arc.to, ())?,
            Some(_) => return Ok(true),
        }
    }
    Ok(false)
}
