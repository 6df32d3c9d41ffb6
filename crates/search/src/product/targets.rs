//! Arcs of a product on their way into the store: all that leave a state together, so that the store can
//! begin to look for each before it must know about the first.

use lariat_engine::Entry;
use lariat_store::{Batch, WeightedSums};
use std::ops::Range;

/// A longer batch goes into the store before there is more: with many edges there may be many times the
/// successors of the model.
const MAX_BATCH_BYTES: usize = 1 << 18;

/// Arcs whose ends have no numbers yet.
pub(super) struct Targets<K> {
    pub bytes: Vec<u8>,
    pub list: Vec<Target<K>>,
}

/// What stands behind the bytes of a model's state that its sum is of.
#[derive(Clone, Copy)]
pub(super) struct Sizes {
    /// Bytes at the end of the model's states that are memory only: no part of the sums that come with them,
    /// but of the product's states.
    pub memory: usize,
    /// Bytes of the automaton's state behind the model's.
    pub property: usize,
}

impl<K> Targets<K> {
    /// Adds an arc. Whether there are many of them.
    #[inline(always)]
    pub fn add(
        &mut self,
        number: u32,
        property_state: u32,
        marks: K,
        (model_state, model_sum): (&[u8], u64),
        sizes: Sizes,
    ) -> bool {
        let start = self.put(number.to_le_bytes(), model_state);
        let end = start + model_state.len() + sizes.property;
        let seen = start + model_state.len() - sizes.memory;
        let sum = model_sum.wrapping_add(WeightedSums::of_more(seen - start, &self.bytes[seen..end]));
        self.list.push(Target { start, end, sum, property_state, marks });
        self.bytes.len() > MAX_BATCH_BYTES
    }

    /// Adds an arc to each of a model's successors, by one edge of the automaton, without memory behind the
    /// states. Whether there are many of them.
    #[inline]
    pub fn add_all(
        &mut self,
        number: u32,
        property_state: u32,
        marks: K,
        (states, successors): (&[u8], &[Entry]),
        sizes: Sizes,
    ) -> bool
    where
        K: Copy,
    {
        debug_assert_eq!(sizes.memory, 0);
        self.list.reserve(successors.len());
        let number = number.to_le_bytes();
        let length_of = |successor: &Entry| (successor.end - successor.start) as usize;
        // Most successors are as long as each other: then their sums grow by as much.
        let mut length = successors.first().map_or(0, length_of);
        let mut more = WeightedSums::of_more(length, &number[..sizes.property]);
        for successor in successors {
            let state = &states[successor.start as usize..successor.end as usize];
            if state.len() != length {
                length = state.len();
                more = of_another_length(length, &number[..sizes.property]);
            }
            let (start, sum) = (self.put(number, state), successor.sum.wrapping_add(more));
            let end = start + length + sizes.property;
            self.list.push(Target { start, end, sum, property_state, marks });
        }
        self.bytes.len() > MAX_BATCH_BYTES
    }

    /// Writes the end of an arc, with all four bytes of its number: where it begins.
    #[inline(always)]
    fn put(&mut self, number: [u8; 4], state: &[u8]) -> usize {
        let start = self.bytes.len();
        if (4..=16).contains(&state.len()) {
            self.bytes.extend_from_slice(&[0; ROOM]);
            if let Some(slot) = self.bytes.last_chunk_mut::<ROOM>() {
                match state.len() {
                    8.. => fill::<8>(slot, state, number),
                    _ => fill::<4>(slot, state, number),
                }
            }
        } else {
            self.bytes.extend_from_slice(state);
            self.bytes.extend_from_slice(&number);
        }
        start
    }
}

/// For a short state, and a number behind it.
const ROOM: usize = 24;

#[cold]
#[inline(never)]
fn of_another_length(length: usize, number: &[u8]) -> u64 {
    WeightedSums::of_more(length, number)
}

/// Writes a state, of N to 2 N bytes, and the number behind it. A copy of a length that is not known takes a
/// call; and who would read at once what was written in parts would wait for it, so this is written to where
/// it belongs.
#[inline(always)]
fn fill<const N: usize>(slot: &mut [u8; ROOM], state: &[u8], number: [u8; 4]) {
    if let (Some(first), Some(last)) = (state.first_chunk::<N>(), state.last_chunk::<N>()) {
        slot[..N].copy_from_slice(first);
        slot[state.len() - N..state.len()].copy_from_slice(last);
        slot[state.len()..state.len() + 4].copy_from_slice(&number);
    }
}

/// Their ends.
pub(super) struct Ends<'t, K> {
    pub bytes: &'t [u8],
    pub list: &'t [Target<K>],
}

impl<K> Clone for Ends<'_, K> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K> Copy for Ends<'_, K> {}

impl<K> Batch for Ends<'_, K> {
    type Entry = Target<K>;

    #[inline]
    fn entries(&self) -> &[Target<K>] {
        self.list
    }

    fn part(self, range: Range<usize>) -> Self {
        Ends { list: &self.list[range], ..self }
    }

    #[inline]
    fn state<'s>(&'s self, target: &'s Target<K>) -> &'s [u8] {
        &self.bytes[target.start..target.end]
    }

    #[inline]
    fn sum(&self, target: &Target<K>) -> u64 {
        target.sum
    }
}

/// An arc whose end has no number yet.
pub(super) struct Target<K> {
    /// Where the bytes of its end are.
    pub start: usize,
    pub end: usize,
    /// Of the whole state.
    pub sum: u64,
    pub property_state: u32,
    pub marks: K,
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use lariat_store::StateHash;

    #[test]
    fn states_of_all_lengths_are_whole() {
        for length in 0..70usize {
            for (memory, property) in [(0, 0), (0, 1), (0, 2), (0, 4), (length.min(3), 1), (length, 2)] {
                let sizes = Sizes { memory, property };
                let mut targets = Targets { bytes: Vec::new(), list: Vec::new() };
                let mut expected = Vec::new();
                for number in [0x0403_0201u32, 0, 0xfffe_fdfc] {
                    let state: Vec<u8> = (1..=length as u8).map(|byte| byte ^ number as u8).collect();
                    let sum = WeightedSums.sum(&state[..length - memory]);
                    targets.add(number, 0, (), (&state, sum), sizes);
                    expected.push([&state[..], &number.to_le_bytes()[..property]].concat());
                }
                let ends = Ends { bytes: &targets.bytes, list: &targets.list };
                for (target, expected) in ends.list.iter().zip(&expected) {
                    assert_eq!(ends.state(target), expected, "{length} bytes, {memory} and {property}");
                    assert_eq!(target.sum, WeightedSums.sum(expected), "{length} bytes");
                }
            }
        }
    }

    /// Successors of a model, as it would give them.
    pub(in crate::product) fn successors(lengths: &[usize]) -> (Vec<u8>, Vec<Entry>) {
        let (mut bytes, mut entries) = (vec![0xee; 3], Vec::new());
        for (k, &length) in lengths.iter().enumerate() {
            let start = bytes.len() as u32;
            bytes.extend((0..length).map(|at| (17 * k + 5 * at + 1) as u8));
            let end = bytes.len() as u32;
            let sum = WeightedSums.sum(&bytes[start as usize..]);
            let (steps_start, steps_end, held, recalled_of) = (0, 0, Entry::NOBODY, 0);
            entries.push(Entry { start, end, steps_start, steps_end, held, recalled_of, sum });
        }
        (bytes, entries)
    }

    #[test]
    fn successors_that_go_together_are_whole() {
        let equal = (0..70).flat_map(|length| [vec![length; 1], vec![length; 5]]);
        let mixed = (0..40).map(|length| vec![length, length, length + 1, 6, 12, 24, 70, length]);
        for lengths in equal.chain(mixed).chain([Vec::new()]) {
            let (bytes, entries) = successors(&lengths);
            for property in [0, 1, 2, 4] {
                let sizes = Sizes { memory: 0, property };
                let mut targets = Targets { bytes: Vec::new(), list: Vec::new() };
                let numbers = [0x0403_0201u32, 0xfffe_fdfc];
                for number in numbers {
                    assert!(!targets.add_all(number, number / 2, number, (&bytes, &entries), sizes));
                }
                let ends = Ends { bytes: &targets.bytes, list: &targets.list };
                let expected: Vec<_> = numbers
                    .iter()
                    .flat_map(|number| entries.iter().map(move |entry| (number, entry)))
                    .collect();
                assert_eq!(ends.list.len(), expected.len());
                for (target, (&number, entry)) in ends.list.iter().zip(expected) {
                    let state = &bytes[entry.start as usize..entry.end as usize];
                    let expected = [state, &number.to_le_bytes()[..property]].concat();
                    assert_eq!(ends.state(target), expected, "{lengths:?}, {property}");
                    assert_eq!(target.sum, WeightedSums.sum(&expected), "{lengths:?}, {property}");
                    assert_eq!((target.property_state, target.marks), (number / 2, number));
                }
            }
        }
    }

    #[test]
    fn a_long_batch_says_so() {
        let (bytes, entries) = successors(&[12; 100]);
        let mut targets = Targets { bytes: Vec::new(), list: Vec::new() };
        let sizes = Sizes { memory: 0, property: 1 };
        let mut is_long = false;
        while !is_long {
            let before = targets.bytes.len();
            is_long = targets.add_all(1, 1, (), (&bytes, &entries), sizes);
            assert!(before <= MAX_BATCH_BYTES && targets.bytes.len() > before);
        }
        assert!(targets.bytes.len() > MAX_BATCH_BYTES);
    }
}
