//! The states that came last, byte for byte, until there are enough of them for a block of roots.
//!
//! A search reads a state soon after it was inserted (nine of ten among the last few hundred, measured on
//! thirteen models), and a third of the known states that it meets are among the last thousand. So these are
//! compared and read as they are. And when a block is full, its values are numbered column by column: what a
//! column has is near the processor then, and what it has not is asked for in advance.

use super::MOST_OPEN;
use super::columns::{Cut, SHORT, Sliced, mask};
use super::roots::BLOCK;
use crate::bytes::{copy, is_same};

/// So many states have room at first.
const FIRST_STATES: usize = 32;

#[derive(Debug)]
pub(super) struct Open {
    /// States, each in `width` bytes. Those of at most [`SHORT`] bytes have zeros behind, if all are short.
    bytes: Vec<u8>,
    width: usize,
    lengths: Vec<u32>,
}

impl Open {
    pub fn new() -> Open {
        let lengths = Vec::with_capacity(FIRST_STATES);
        Open { bytes: vec![0; lengths.capacity() * SHORT], width: SHORT, lengths }
    }

    #[inline(always)]
    pub fn len(&self) -> usize {
        self.lengths.len()
    }

    /// The shortest and the greatest length of the first block.
    pub fn lengths_of_block(&self) -> (usize, usize) {
        let lengths = &self.lengths[..BLOCK];
        let ends = (lengths.iter().min(), lengths.iter().max());
        (ends.0.map_or(0, |&length| length as usize), ends.1.map_or(0, |&length| length as usize))
    }

    /// Adds a state.
    #[inline(always)]
    pub fn push(&mut self, state: &Sliced) {
        let (at, length) = (self.lengths.len(), state.length());
        if length > self.width || at == self.lengths.capacity() {
            self.make_room(length);
        }
        let bytes = &mut self.bytes[at * self.width..];
        if self.width == SHORT
            && let Some(bytes) = bytes.first_chunk_mut()
        {
            *bytes = state.word().to_le_bytes();
        } else {
            copy(state.state(), &mut bytes[..length]);
        }
        self.lengths.push(length as u32);
    }

    /// Makes room for a state more, of so many bytes.
    #[cold]
    fn make_room(&mut self, length: usize) {
        let before = self.width;
        self.width = length.max(before).next_multiple_of(8);
        let states = if self.len() < BLOCK / 2 { (self.len() * 2).max(FIRST_STATES) } else { MOST_OPEN };
        // As many states as lengths: whoever adds one looks only at these.
        self.lengths.reserve_exact(states - self.len());
        let mut bytes = vec![0; self.lengths.capacity() * self.width];
        for at in 0..self.len() {
            let state = &self.bytes[at * before..][..before];
            bytes[at * self.width..][..before].copy_from_slice(state);
        }
        self.bytes = bytes;
    }

    #[inline(always)]
    pub fn get(&self, at: usize) -> &[u8] {
        &self.bytes[at * self.width..][..self.lengths[at] as usize]
    }

    #[inline(always)]
    pub fn is(&self, at: usize, state: &Sliced) -> bool {
        if self.lengths[at] as usize != state.length() {
            return false;
        }
        let bytes = &self.bytes[at * self.width..];
        if self.width == SHORT
            && let Some(bytes) = bytes.first_chunk()
        {
            u128::from_le_bytes(*bytes) == state.word()
        } else {
            is_same(&bytes[..state.length()], state.state())
        }
    }

    /// What each state of the first block has in a column, if these are the least and the greatest length.
    pub fn values_of_block(&self, cut: &Cut, lengths: (usize, usize), values: &mut [u64; BLOCK]) {
        // Eight bytes that end with the state's place at the latest. Behind that there is nothing.
        let (start, end) = cut.range();
        let from = start.min(self.width - 8);
        let shift = 8 * (start - from).min(8) as u32;
        let word = |state: &[u8]| state.first_chunk().map_or(0, |word| u64::from_le_bytes(*word));
        let of_state = |bytes: usize| move |word: u64| word & mask(bytes) | (bytes as u64) << 56;
        if lengths.1 <= start {
            values.fill(0);
        } else if lengths.0 < end {
            let states = self.bytes[from..].chunks(self.width).zip(&self.lengths);
            for (value, (state, &length)) in values.iter_mut().zip(states) {
                let bytes = end.min(length as usize).saturating_sub(start);
                *value = of_state(bytes)(word(state).unbounded_shr(shift));
            }
        } else if self.width == SHORT {
            // There is room for more states, so that the last chunk that is needed is whole.
            let (of_state, states) = (of_state(end - start), self.bytes[from..].as_chunks::<SHORT>().0);
            values.iter_mut().zip(states).for_each(|(value, state)| *value = of_state(word(state) >> shift));
        } else {
            let (of_state, states) = (of_state(end - start), self.bytes[from..].chunks(self.width));
            values.iter_mut().zip(states).for_each(|(value, state)| *value = of_state(word(state) >> shift));
        }
    }

    /// Removes the first block.
    pub fn remove_block(&mut self) {
        let rest = BLOCK * self.width..self.len() * self.width;
        self.bytes.copy_within(rest, 0);
        self.lengths.drain(..BLOCK);
    }

    /// Bytes of states.
    pub fn bytes(&self) -> u64 {
        (self.len() * self.width) as u64
    }

    /// Bytes of everything else.
    pub fn auxiliary_bytes(&self) -> u64 {
        (self.bytes.len() + self.lengths.capacity() * size_of::<u32>()) as u64 - self.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::super::columns::value_at;
    use super::*;

    /// States of many lengths, the longest ones late; then a second block in the same room, so that what the
    /// first one has left there must not be seen.
    #[test]
    fn states_are_what_they_were() {
        let lengths: [fn(usize) -> usize; 6] = [
            |i| i % 17,
            |i| 16 - i % 17,
            |_| 16,
            |_| 21,
            |i| 3 + i / 40,
            |i| if i == 900 { 200 } else { 20 + i % 13 },
        ];
        for (length, more) in lengths.into_iter().zip([0, 1, 7, 32, 31, 3]) {
            let mut open = Open::new();
            for first in [1, 91] {
                let state =
                    |i: usize| (0..length(i)).map(|at| (first + i + 7 * at) as u8).collect::<Vec<_>>();
                let states: Vec<Vec<u8>> = (0..BLOCK + more).map(state).collect();
                states.iter().for_each(|state| open.push(&Sliced::new(state)));
                let block = &states[..BLOCK];
                let ends = (block.iter().map(Vec::len).min(), block.iter().map(Vec::len).max());
                let lengths = open.lengths_of_block();
                assert_eq!((Some(lengths.0), Some(lengths.1)), ends);
                for (at, state) in states.iter().enumerate() {
                    assert_eq!(open.get(at), state);
                    assert!(open.is(at, &Sliced::new(state)));
                    let mut other = state.clone();
                    other.push(0);
                    assert!(!open.is(at, &Sliced::new(&other)));
                    other.pop();
                    if let Some(last) = other.last_mut() {
                        *last ^= 0x40;
                        assert!(!open.is(at, &Sliced::new(&other)));
                    }
                }
                for (start, end) in
                    [(0, 7), (1, 2), (7, 14), (9, 16), (15, 16), (12, 19), (16, 20), (199, 205)]
                {
                    let mut values = [1; BLOCK];
                    open.values_of_block(&Cut::all(&[start, end])[0], lengths, &mut values);
                    let expected = block.iter().map(|state| value_at(state, start, end));
                    assert!(values.into_iter().eq(expected), "{start} to {end}");
                }
                open.remove_block();
                assert_eq!(open.len(), more);
                for (at, state) in states[BLOCK..].iter().enumerate() {
                    assert_eq!(open.get(at), state);
                }
                open.lengths.clear();
            }
            // A longer one comes first, where there was room for many.
            let states: Vec<Vec<u8>> = (0..MOST_OPEN).map(|i| vec![i as u8; 300 - i % 200]).collect();
            states.iter().for_each(|state| open.push(&Sliced::new(state)));
            assert!((0..MOST_OPEN).all(|at| open.get(at) == states[at]));
        }
    }
}
