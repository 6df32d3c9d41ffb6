//! Arcs of a product on their way into the store: all that leave a state together, so that the store can
//! begin to look for each before it must know about the first.

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
        let Targets { bytes, list } = self;
        let (start, length) = (bytes.len(), model_state.len());
        let number = number.to_le_bytes();
        // States are short: a copy of a length that is not known takes a call.
        let mut slot = [0; 24];
        let is_short = match length {
            8..=16 => copy_ends::<8>(model_state, &mut slot),
            4..8 => copy_ends::<4>(model_state, &mut slot),
            _ => false,
        };
        if is_short && let Some(behind) = slot.get_mut(length..length + 4) {
            behind.copy_from_slice(&number);
            bytes.extend_from_slice(&slot);
        } else {
            bytes.extend_from_slice(model_state);
            bytes.extend_from_slice(&number);
        }
        let end = start + length + sizes.property;
        let seen = start + model_state.len() - sizes.memory;
        let sum = model_sum.wrapping_add(WeightedSums::of_more(seen - start, &bytes[seen..end]));
        list.push(Target { start, end, sum, property_state, marks });
        end > MAX_BATCH_BYTES
    }
}

/// Copies bytes, of which there are so many to twice as many, to where there is more room. Whether they are.
#[inline(always)]
fn copy_ends<const N: usize>(from: &[u8], to: &mut [u8; 24]) -> bool {
    let (Some(first), Some(last)) = (from.first_chunk::<N>(), from.last_chunk::<N>()) else { return false };
    to[..N].copy_from_slice(first);
    match to.get_mut(from.len() - N..from.len()) {
        Some(end) => end.copy_from_slice(last),
        None => return false,
    }
    true
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
mod tests {
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
}
