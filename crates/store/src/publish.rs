//! How states become known to all threads: two small protocols over single atomic numbers, without locks.
//!
//! *Entries of the table.* An entry is empty, which is the number 0, or has the number of a state plus one;
//! it is written once and never changes. A state is looked for from its home line on, entry by entry, line by
//! line, up to the first that is empty. Whoever finds that and not the state writes the state into a slot,
//! and then replaces the 0 by the number in one step. If another thread was faster, its entry is looked at
//! like any other, and the search goes on behind it. So all threads with one state walk along the same
//! entries, and stop at the same empty one: one of them wins, the others see its number. A number that is
//! read (acquire) was written (release) after the bytes of the state, so they can be read.
//!
//! Beside the number lies a tag, bits of the hash, so that the bytes of other states are hardly ever looked
//! at. It is written after the number, and until then it is 0. So whoever sees a number and the tag 0 does
//! not know, and looks at the bytes.
//!
//! *Slots of a chunk.* A word holds the chunk that is being filled and its next slot. Taking a slot adds one,
//! and several may be taken at a time. A thread that has taken slots and does not need them (it has lost the
//! race, or stops) gives them back by taking as many off, which works only if no other slot was taken since;
//! else they stay unused.
//!
//! *Exclusive access.* To replace a word in one step, a processor waits until all that it wrote before has
//! left for memory, among it the bytes of the state. Who has the store for itself ([`Exclusive`]) loads and
//! stores instead, and waits for nothing.
//!
//! All is written for any kind of atomic number: the tests run it under `loom`, which tries all
//! interleavings, and all values that a load may see.

use crate::StateId;
use std::sync::atomic::{AtomicU64, Ordering};

/// What the protocols need of an atomic word.
pub(crate) trait Word {
    /// With acquire ordering.
    fn load(&self) -> u64;

    /// With release ordering.
    fn store(&self, new: u64);

    /// Replaces `old` by `new`, with acquire and release ordering, or tells what is there instead.
    fn replace(&self, old: u64, new: u64) -> Result<(), u64>;
}

/// Whether other threads may change words.
pub(crate) trait Sharing {
    fn replace<W: Word>(word: &W, old: u64, new: u64) -> Result<(), u64>;
}

/// They may.
pub(crate) struct Shared;

/// They may not: this thread has the store for itself.
pub(crate) struct Exclusive;

impl Sharing for Shared {
    #[inline]
    fn replace<W: Word>(word: &W, old: u64, new: u64) -> Result<(), u64> {
        word.replace(old, new)
    }
}

impl Sharing for Exclusive {
    #[inline]
    fn replace<W: Word>(word: &W, old: u64, new: u64) -> Result<(), u64> {
        let there = word.load();
        if there != old {
            return Err(there);
        }
        word.store(new);
        Ok(())
    }
}

/// The orderings of every kind of atomic number.
pub(crate) const LOAD: Ordering = Ordering::Acquire;
const STORE: Ordering = Ordering::Release;
pub(crate) const REPLACE: Ordering = Ordering::AcqRel;

impl Word for AtomicU64 {
    #[inline]
    fn load(&self) -> u64 {
        AtomicU64::load(self, LOAD)
    }

    #[inline]
    fn store(&self, new: u64) {
        AtomicU64::store(self, new, STORE);
    }

    #[inline]
    fn replace(&self, old: u64, new: u64) -> Result<(), u64> {
        self.compare_exchange(old, new, REPLACE, LOAD).map(|_| ())
    }
}

/// What an entry says of the hash of its state: the lower 16 bits.
#[inline]
pub(crate) fn tag_of(hash: u32) -> u16 {
    hash as u16
}

/// A line of the table.
pub(crate) trait LineOfEntries {
    const ENTRIES: usize;

    /// The number in an entry, with acquire ordering.
    fn number(&self, at: usize) -> u32;

    /// Writes a number into an entry in which there is none, with acquire and release ordering, or tells
    /// which one is there.
    fn claim(&self, at: usize, number: u32) -> Result<(), u32>;

    fn tag(&self, at: usize) -> u16;

    /// Writes the tag, and what else is kept of the hash, into an entry that was claimed.
    fn set_hash(&self, at: usize, hash: u32);
}

/// The lines of a table.
pub(crate) trait Lines {
    type Line: LineOfEntries;

    fn count(&self) -> usize;

    fn line(&self, at: usize) -> &Self::Line;
}

/// The number of a state in an entry that is not empty.
#[inline]
pub(crate) fn id_of(number: u32) -> StateId {
    StateId(number.wrapping_sub(1))
}

/// What stands for a state in an entry.
#[inline]
pub(crate) fn number_of(id: StateId) -> u32 {
    id.0 + 1
}

/// A state that is to be inserted, and where its bytes go.
pub(crate) trait Candidate {
    /// A slot with the state in it, of which nobody else knows.
    type Slot;

    /// Is it the state with this number?
    fn is(&self, id: StateId) -> bool;

    /// Writes the state into a slot; `None` if there is none.
    fn write(&self) -> Option<Self::Slot>;

    fn number(&self, slot: &Self::Slot) -> StateId;

    fn give_back(&self, slot: Self::Slot);
}

/// How an insertion ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Published {
    New(StateId),
    Known(StateId),
    /// Every entry is taken.
    NoEntry,
    NoSlot,
}

/// The entries of a line that may be those of a state with the tag, as bits, and how many entries come before
/// the first empty one. Only these count: an entry that was filled while we looked may stand behind one that
/// was still empty.
#[inline]
fn scan<L: LineOfEntries>(line: &L, tag: u16) -> (u32, usize) {
    let mut likely = 0;
    for at in 0..L::ENTRIES {
        if line.number(at) == 0 {
            return (likely, at);
        }
        let there = line.tag(at);
        likely |= ((there == tag || there == 0) as u32) << at;
    }
    (likely, L::ENTRIES)
}

/// Inserts a state, unless it is there.
#[inline]
pub(crate) fn publish<T: Lines, C: Candidate>(table: &T, home: usize, hash: u32, state: &C) -> Published {
    let mut slot = None;
    let mut at = home;
    for _ in 0..table.count() {
        let line = table.line(at);
        let (mut likely, taken) = scan(line, tag_of(hash));
        while likely != 0 {
            let id = id_of(line.number(likely.trailing_zeros() as usize));
            if state.is(id) {
                slot.into_iter().for_each(|slot| state.give_back(slot));
                return Published::Known(id);
            }
            likely &= likely - 1;
        }
        for entry in taken..T::Line::ENTRIES {
            let Some(written) = slot.take().or_else(|| state.write()) else { return Published::NoSlot };
            let id = state.number(&written);
            let Err(faster) = line.claim(entry, number_of(id)) else {
                line.set_hash(entry, hash);
                return Published::New(id);
            };
            if state.is(id_of(faster)) {
                state.give_back(written);
                return Published::Known(id_of(faster));
            }
            slot = Some(written);
        }
        at = if at + 1 == table.count() { 0 } else { at + 1 };
    }
    slot.into_iter().for_each(|slot| state.give_back(slot));
    Published::NoEntry
}

/// The chunk that is being filled, and its next slot. 0 in memory: there is no chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Filling {
    pub chunk: u32,
    pub next: u32,
}

impl Filling {
    #[inline]
    pub fn from_word(word: u64) -> Option<Filling> {
        let chunk = ((word >> 32) as u32).checked_sub(1)?;
        Some(Filling { chunk, next: word as u32 })
    }

    #[inline]
    pub fn word(self) -> u64 {
        (self.chunk as u64 + 1) << 32 | self.next as u64
    }
}

/// Takes the next slot; `Err` with what is there if the chunk has none left, or there is no chunk. `slots`
/// tells how many a chunk has.
#[inline]
pub(crate) fn take<S: Sharing, W: Word>(
    filling: &W,
    slots: impl FnMut(u32) -> u32,
) -> Result<Filling, Option<Filling>> {
    take_some::<S, W>(filling, 1, slots).map(|(first, _)| first)
}

/// The same for several slots, one behind the other, as many as there are but at most so many: the first of
/// them, and how many.
#[inline]
pub(crate) fn take_some<S: Sharing, W: Word>(
    filling: &W,
    most: u32,
    mut slots: impl FnMut(u32) -> u32,
) -> Result<(Filling, u32), Option<Filling>> {
    let mut word = filling.load();
    loop {
        let now = Filling::from_word(word).ok_or(None)?;
        let left = slots(now.chunk).saturating_sub(now.next);
        if left == 0 {
            return Err(Some(now));
        }
        let count = left.min(most);
        match S::replace(filling, word, Filling { next: now.next + count, ..now }.word()) {
            Ok(()) => return Ok((now, count)),
            Err(there) => word = there,
        }
    }
}

/// Gives so many slots back, of which this is the first, as if they had never been taken. False if another
/// one was taken since.
pub(crate) fn give_back<W: Word>(filling: &W, first: Filling, count: u32) -> bool {
    filling.replace(Filling { next: first.next + count, ..first }.word(), first.word()).is_ok()
}

#[cfg(test)]
mod tests;
