//! Slots that one thread has taken before it needs them: [`STRIP`] at a time, of a chunk that it fills.
//!
//! To take a slot is to replace a word in one step, and a processor does not go on until all that it wrote
//! before has left for memory. A thread that inserts states does that for the entry of each new state as it
//! is. With strips it does it once for sixty-four of them, and not once more for each.
//!
//! A thread has strips for a few lengths of states at a time; most models have no more. What is left of one
//! is given back when its place is needed for another length, or when the thread pauses. Strips know whose
//! slots they are: those of another store, or of one that was cleared, they forget.

use super::{SLOT_BITS, Share, Slots, no_such_state};
use crate::StateId;
use crate::bytes::copy;
use crate::publish::{Filling, Shared, give_back, take_some};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// So many slots are taken at a time, at the most.
const STRIP: u32 = 64;
/// States of so many lengths have strips at the same time, if they differ in the lower bits.
const LENGTHS: usize = 8;

/// What tells slots from all others.
#[derive(Debug, Default)]
pub(super) struct Mark;

/// Slots of one chunk, one behind the other, for states of one length.
#[derive(Clone, Copy, Debug)]
struct Strip {
    length: u32,
    chunk: u32,
    next: u32,
    end: u32,
}

const EMPTY: Strip = Strip { length: 0, chunk: 0, next: 0, end: 0 };

/// The slots that one thread has in advance.
#[derive(Debug)]
pub(crate) struct Strips {
    strips: [Strip; LENGTHS],
    /// Whose slots they are.
    mark: Option<Arc<Mark>>,
}

impl Default for Strips {
    fn default() -> Strips {
        Strips { strips: [EMPTY; LENGTHS], mark: None }
    }
}

impl Strips {
    #[inline(always)]
    fn are_of(&self, slots: &Slots) -> bool {
        self.mark.as_ref().is_some_and(|mark| Arc::ptr_eq(mark, &slots.mark))
    }

    /// Writes a state into a slot; `None` if there are no numbers left.
    #[inline(always)]
    pub fn write(&mut self, slots: &Slots, share: Share, state: &[u8]) -> Option<StateId> {
        let place = state.len() % LENGTHS;
        let strip = self.strips[place];
        if strip.next == strip.end || strip.length as usize != state.len() || !self.are_of(slots) {
            self.take(slots, share, state.len())?;
        }
        let strip = &mut self.strips[place];
        let id = StateId(strip.chunk << SLOT_BITS | strip.next);
        let (start, size) = slots.place(id);
        strip.next += 1;
        // SAFETY: the slot lies within its chunk, the chunk within a slab that lives as long as `slots`. It
        // was taken from these very slots, which their mark tells, for this thread alone, and nobody else
        // knows its number yet. If another thread had it before, then it gave it back after its last write.
        let slot = unsafe { std::slice::from_raw_parts_mut(start, size) };
        copy(state, slot);
        Some(id)
    }

    /// The slot that was written last, a state of this length, is not needed.
    #[cold]
    pub fn take_back(&mut self, length: usize) {
        self.strips[length % LENGTHS].next -= 1;
    }

    /// A strip for states of this length.
    #[cold]
    #[inline(never)]
    fn take(&mut self, slots: &Slots, share: Share, length: usize) -> Option<()> {
        if !self.are_of(slots) {
            *self = Strips { mark: Some(slots.mark.clone()), ..Strips::default() };
        }
        let strip = &mut self.strips[length % LENGTHS];
        slots.give_strip_back(share, std::mem::replace(strip, EMPTY));
        let filling = slots.filling(share, length)?;
        loop {
            let in_chunk =
                |number| slots.chunk(number).map_or_else(|| no_such_state(StateId(0)), |it| it.slots());
            match take_some::<Shared, _>(filling, STRIP, in_chunk) {
                Ok((Filling { chunk, next }, count)) => {
                    *strip = Strip { length: length as u32, chunk, next, end: next + count };
                    return Some(());
                }
                Err(seen) => slots.add_chunk(length, filling, seen)?,
            }
        }
    }

    /// Gives back all that is left.
    pub fn give_back(&mut self, slots: &Slots, share: Share) {
        if self.are_of(slots) {
            self.strips
                .iter_mut()
                .for_each(|strip| slots.give_strip_back(share, std::mem::replace(strip, EMPTY)));
        }
    }
}

impl Slots {
    #[cold]
    fn give_strip_back(&self, share: Share, Strip { length, chunk, next, end }: Strip) {
        let count = end - next;
        if count > 0
            && let Some(filling) = self.filling(share, length as usize)
            && !give_back(filling, Filling { chunk, next }, count)
        {
            self.unused_bytes.fetch_add(u64::from(count) * u64::from(length), Ordering::Relaxed);
        }
    }
}
