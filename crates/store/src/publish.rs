//! How states become known to all threads: two small protocols over single atomic words, without locks.
//!
//! *Words of the table.* A word is 0, or the entry of a state: 32 bits of its hash and its number plus one. It is written once and never
//! changes. A state is looked for from its home line on, word by word, line by line, up to the first 0. Whoever finds the 0 and not
//! the state writes the state into a slot, and then replaces the 0 by the entry in one step. If another thread was faster, its entry is
//! looked at like any other, and the search goes on behind it. So all threads with one state walk along the same words, and stop at
//! the same first 0: one of them wins, the others see its entry. A word that is read (acquire) as an entry was written (release) after the bytes of
//! the state, so they can be read.
//!
//! *Slots of a chunk.* A word holds the chunk that is being filled and its next slot. Taking a slot adds one. A thread that has taken a slot
//! and lost the race gives it back by taking one off, which works only if no other slot was taken since; else the slot
//! stays unused.
//!
//! *Alone.* To replace a word in one step, a processor waits until all that it wrote before has left for memory, among it the bytes of
//! the state. Who has the store for itself ([`Alone`]) loads and stores instead, and waits for nothing.
//!
//! All is written for any kind of atomic word: the tests run it under `loom`, which tries all interleavings, and all values
//! that a load may see.

use crate::StateId;
use std::cell::Cell;
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
pub(crate) struct Alone;

impl Sharing for Shared {
    #[inline]
    fn replace<W: Word>(word: &W, old: u64, new: u64) -> Result<(), u64> {
        word.replace(old, new)
    }
}

impl Sharing for Alone {
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

/// The orderings of every kind of word.
const LOAD: Ordering = Ordering::Acquire;
const STORE: Ordering = Ordering::Release;
const REPLACE: Ordering = Ordering::AcqRel;

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

impl Word for Cell<u64> {
    #[inline]
    fn load(&self) -> u64 {
        self.get()
    }

    #[inline]
    fn store(&self, new: u64) {
        self.set(new);
    }

    #[inline]
    fn replace(&self, old: u64, new: u64) -> Result<(), u64> {
        Alone::replace(self, old, new)
    }
}

/// One word of the table: hash in the upper half, number plus one in the lower; 0 is empty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Entry(pub u64);

impl Entry {
    pub const EMPTY: Entry = Entry(0);

    #[inline]
    pub fn new(hash: u32, id: StateId) -> Entry {
        Entry((hash as u64) << 32 | (id.0 as u64 + 1))
    }

    #[inline]
    pub fn hash(self) -> u32 {
        (self.0 >> 32) as u32
    }

    #[inline]
    pub fn id(self) -> StateId {
        StateId((self.0 as u32).wrapping_sub(1))
    }
}

/// The words of a table, line by line.
pub(crate) trait LinesOfWords {
    type Word: Word;

    fn count(&self) -> usize;

    fn line(&self, at: usize) -> &[Self::Word];
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
    /// Every word is taken.
    NoWord,
    NoSlot,
}

/// The words of a line that have the hash, as bits, and how many words before the first 0. Only these count: a word that was filled while
/// we looked may stand behind one that was still 0.
#[inline]
fn scan<W: Word>(line: &[W], hash: u32) -> (u32, usize) {
    let (mut same, mut empty) = (0u32, 1 << line.len());
    for (i, word) in line.iter().enumerate() {
        let entry = Entry(word.load());
        same |= ((entry.hash() == hash) as u32) << i;
        empty |= ((entry == Entry::EMPTY) as u32) << i;
    }
    let taken = empty.trailing_zeros();
    (same & ((1 << taken) - 1), taken as usize)
}

/// Inserts a state, unless it is there.
#[inline]
pub(crate) fn publish<S: Sharing, T: LinesOfWords, C: Candidate>(
    table: &T,
    home: usize,
    hash: u32,
    state: &C,
) -> Published {
    let mut slot = None;
    let mut at = home;
    for _ in 0..table.count() {
        let line = table.line(at);
        let (mut same, taken) = scan(line, hash);
        while same != 0 {
            let id = Entry(line[same.trailing_zeros() as usize].load()).id();
            if state.is(id) {
                slot.into_iter().for_each(|slot| state.give_back(slot));
                return Published::Known(id);
            }
            same &= same - 1;
        }
        for word in &line[taken..] {
            let Some(written) = slot.take().or_else(|| state.write()) else { return Published::NoSlot };
            let id = state.number(&written);
            let Err(faster) = S::replace(word, Entry::EMPTY.0, Entry::new(hash, id).0) else {
                return Published::New(id);
            };
            let faster = Entry(faster);
            if faster.hash() == hash && state.is(faster.id()) {
                state.give_back(written);
                return Published::Known(faster.id());
            }
            slot = Some(written);
        }
        at = if at + 1 == table.count() { 0 } else { at + 1 };
    }
    slot.into_iter().for_each(|slot| state.give_back(slot));
    Published::NoWord
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

/// Takes the next slot; `Err` with what is there if the chunk has none left, or there is no chunk. `slots` tells how many a chunk has.
#[inline]
pub(crate) fn take<S: Sharing, W: Word>(
    filling: &W,
    mut slots: impl FnMut(u32) -> u32,
) -> Result<Filling, Option<Filling>> {
    let mut word = filling.load();
    loop {
        let now = Filling::from_word(word).ok_or(None)?;
        if now.next >= slots(now.chunk) {
            return Err(Some(now));
        }
        match S::replace(filling, word, Filling { next: now.next + 1, ..now }.word()) {
            Ok(()) => return Ok(now),
            Err(there) => word = there,
        }
    }
}

/// Gives a slot back, as if it had never been taken. False if another one was taken since.
pub(crate) fn give_back<W: Word>(filling: &W, taken: Filling) -> bool {
    filling.replace(Filling { next: taken.next + 1, ..taken }.word(), taken.word()).is_ok()
}

#[cfg(test)]
mod tests;
