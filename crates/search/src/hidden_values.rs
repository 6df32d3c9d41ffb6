//! Hidden values: the bytes at the end of a state that are handed on from state to state but not compared
//! (see [`SuccessorFunction::memory_size`]).
//!
//! A store holds only what makes a state what it is. The hidden values of the states that wait lie beside, on
//! stacks that run along with those of the search: a state is expanded with the hidden values of the way on
//! which it is first taken. Models without such values pay nothing.

use crate::checkpoint::{Reader, Saved, Unreadable, Writer};
use lariat_engine::{Entry, SuccessorFunction, Successors};
use lariat_store::{Batch, StateId, StateStore};
use std::ops::Range;

/// The hidden values of the states on a stack, or in a list, in the same order.
pub(crate) struct HiddenValues {
    size: usize,
    bytes: Vec<u8>,
}

impl HiddenValues {
    pub fn of(model: &impl SuccessorFunction) -> HiddenValues {
        HiddenValues { size: model.memory_size(), bytes: Vec::new() }
    }

    /// What a store holds of a state.
    #[inline]
    pub fn visible<'s>(&self, state: &'s [u8]) -> &'s [u8] {
        &state[..state.len() - self.size]
    }

    /// What a store holds of the successors of a state.
    #[inline]
    pub fn visible_of<'s>(&self, successors: &'s Successors) -> VisibleOf<'s> {
        visible_of(successors, self.size)
    }

    pub fn push(&mut self, state: &[u8]) {
        self.bytes.extend_from_slice(&state[state.len() - self.size..]);
    }

    /// The same for the `i`th successor of a state.
    #[inline]
    pub fn push_of(&mut self, successors: &Successors, i: usize) {
        if self.size > 0 {
            self.push(successors.state(i));
        }
    }

    /// Takes the last hidden values away.
    #[inline]
    pub fn pop(&mut self) {
        if self.size > 0 {
            self.bytes.truncate(self.bytes.len() - self.size);
        }
    }

    /// What a store holds of a state, completed with the hidden values at a place. Nothing is copied if there
    /// are none.
    #[inline]
    pub fn complete<'s>(
        &self,
        at: usize,
        store: &'s impl StateStore,
        id: StateId,
        buffer: &'s mut Vec<u8>,
    ) -> &'s [u8] {
        if self.size == 0 {
            return store.bytes_of(id, buffer);
        }
        store.read(id, buffer);
        buffer.extend_from_slice(&self.bytes[at * self.size..(at + 1) * self.size]);
        buffer
    }

    pub fn clear(&mut self) {
        self.bytes.clear();
    }

    pub fn capacity(&self) -> usize {
        self.bytes.capacity()
    }
}

/// How long each is, the model knows.
impl Saved for HiddenValues {
    fn save(&self, out: &mut Writer) {
        out.text(&self.bytes);
    }

    fn load(&mut self, from: &mut Reader) -> Result<(), Unreadable> {
        self.bytes = from.text()?;
        Ok(())
    }
}

/// What a store holds of the successors of a state whose hidden values are so long.
#[inline]
pub(crate) fn visible_of(successors: &Successors, hidden_size: usize) -> VisibleOf<'_> {
    let (bytes, entries) = successors.parts();
    VisibleOf { bytes, entries, hidden_size }
}

/// The successors of a state without their hidden values.
#[derive(Clone, Copy)]
pub(crate) struct VisibleOf<'s> {
    bytes: &'s [u8],
    entries: &'s [Entry],
    hidden_size: usize,
}

impl Batch for VisibleOf<'_> {
    type Entry = Entry;

    #[inline]
    fn entries(&self) -> &[Entry] {
        self.entries
    }

    fn part(self, range: Range<usize>) -> Self {
        VisibleOf { entries: &self.entries[range], ..self }
    }

    #[inline]
    fn state<'s>(&'s self, entry: &'s Entry) -> &'s [u8] {
        &self.bytes[entry.start as usize..entry.end as usize - self.hidden_size]
    }

    #[inline]
    fn sum(&self, entry: &Entry) -> u64 {
        entry.sum
    }
}
