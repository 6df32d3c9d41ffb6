//! The state that was read last, and how the next one differs from it.
//!
//! A search goes from a state to one of its successors, or back to where it came from, so two states that are
//! read one after the other are mostly alike. All states of a shape have every byte in the same place
//! ([`super::places`]). So the next state is compared with the last one, some words at a time, and the result
//! is a set of places that differ, as bits.
//!
//! This set has two uses. Values of pieces and words of the working state are worked out only when somebody
//! needs them, and then only where something has changed since. And a process does the same as before if
//! nothing in its footprint has changed ([`super::recall`]).
//!
//! Where processes come and go, a search changes between a few shapes all the time, and states of different
//! shapes cannot be compared. So a last state is kept for each of some shapes ([`LastStates`]); one is
//! current, the others rest until a state of their shape is read.
//!
//! A stored state is kept as words of eight bytes with zeros behind its end. Their number is the *stride*:
//! one of a few fixed numbers, so that loops over words can be unrolled. A set of places has 64 bits, so in
//! long states several neighbouring places share a bit; in states that are longer still, changes are not
//! followed.

use super::plan::{NO_PIECE, Plan};
use lariat_store::WeightedSums;
use std::sync::Arc;

/// Everything has changed.
pub const EVERYTHING: u64 = u64::MAX;
/// No place has this bit, whatever the stride.
pub const NO_PLACE: u64 = 1 << 63;
/// Strides, and for each how many places share a bit, as a power of two. Changes of longer states are not
/// followed.
pub const STRIDES: [(usize, u32); 6] = [(2, 0), (4, 0), (6, 0), (8, 0), (16, 1), (32, 2)];

/// The stride for states of so many bytes.
fn stride_for(width: usize) -> usize {
    let fits = |&&(words, shift): &&(usize, u32)| width <= 8 * words && width <= 63 << shift;
    STRIDES.iter().find(fits).map_or(width.div_ceil(8), |(words, _)| *words)
}

/// How many places share a bit; `None` if states are so long that nothing is followed.
fn shift_for(stride: usize) -> Option<u32> {
    STRIDES.iter().find(|(words, _)| *words == stride).map(|(_, shift)| *shift)
}

/// A state with which the next one is compared.
#[derive(Debug, Default)]
pub struct LastState {
    /// `None` if there is none.
    pub plan: Option<Arc<Plan>>,
    /// The stored state, with zeros behind its end: as many words as the longest so far has needed.
    pub words: Vec<u64>,
    pub length: usize,
    /// What its hash follows from.
    pub sum: u64,
    /// The working state, but for pieces that are out of date; at least eight bytes.
    pub working: Vec<u8>,
    /// Of each numbered piece.
    pub values: Vec<u64>,
    /// The stored state for which the bits in `working` are right that are not numbered.
    settled: Vec<u64>,
    /// Places whose pieces have values and words of a state before.
    out_of_date: u64,
    /// Places that have changed since somebody has asked.
    changed: u64,
    /// Which of all beginnings was the latest with this one ([`super::Packer::begin`]).
    pub begun: u64,
}

/// So many shapes have a last state of their own.
const RESTING: usize = 64;

/// The last state, and those of other shapes.
#[derive(Debug, Default)]
pub struct LastStates {
    pub current: LastState,
    /// By the number of the shape; in the place of the current one there is something else, or nothing.
    resting: Vec<LastState>,
}

impl LastStates {
    /// Makes the last state of a shape the current one; if there is none, one of which nothing is known.
    pub fn choose(&mut self, shape: u32) {
        if self.resting.is_empty() {
            self.resting.resize_with(RESTING, LastState::default);
        }
        let stride = self.current.words.len();
        if let Some(plan) = &self.current.plan {
            let place = plan.shape as usize % RESTING;
            std::mem::swap(&mut self.current, &mut self.resting[place]);
        }
        std::mem::swap(&mut self.current, &mut self.resting[shape as usize % RESTING]);
        if self.current.plan.as_ref().is_some_and(|plan| plan.shape != shape) {
            self.current = LastState::default();
        }
        self.current.widen(stride);
    }

    /// A shape has another plan, with more places.
    pub fn take_plan(&mut self, plan: &Arc<Plan>) {
        let resting = self.resting.get_mut(plan.shape as usize % RESTING);
        for last in std::iter::once(&mut self.current).chain(resting) {
            if last.plan.as_ref().is_some_and(|old| old.shape == plan.shape) {
                last.take_plan(plan.clone());
            }
        }
    }
}

/// A word of bytes that are fewer than eight.
#[inline(always)]
fn short_word(bytes: &[u8]) -> u64 {
    let length = bytes.len();
    if let (Some(first), Some(last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        return u32::from_le_bytes(*first) as u64 | (u32::from_le_bytes(*last) as u64) << (8 * length - 32);
    }
    let Some(&first) = bytes.first() else { return 0 };
    let (middle, last) = (length / 2, length - 1);
    first as u64 | (bytes[middle] as u64) << (8 * middle) | (bytes[last] as u64) << (8 * last)
}

/// Bytes as so many words, with zeros behind the end.
#[inline(always)]
fn loaded<const N: usize>(bytes: &[u8]) -> [u64; N] {
    let mut words = [0; N];
    let (whole, rest) = bytes.as_chunks::<8>();
    for (word, bytes) in words.iter_mut().zip(whole) {
        *word = u64::from_le_bytes(*bytes);
    }
    if let Some(word) = words.get_mut(whole.len()) {
        *word = last_word(bytes, rest);
    }
    words
}

/// What is behind the last whole word.
#[inline(always)]
fn last_word(bytes: &[u8], rest: &[u8]) -> u64 {
    match bytes.last_chunk() {
        Some(last) if !rest.is_empty() => u64::from_le_bytes(*last) >> (64 - 8 * rest.len()),
        _ => short_word(rest),
    }
}

/// Bytes as words, with zeros behind the end.
#[inline(always)]
pub fn load(bytes: &[u8], words: &mut [u64]) {
    let (whole, rest) = bytes.as_chunks::<8>();
    for (word, bytes) in words.iter_mut().zip(whole) {
        *word = u64::from_le_bytes(*bytes);
    }
    if let Some(after) = words.get_mut(whole.len()..) {
        after.fill(0);
        if let Some(word) = after.first_mut() {
            *word = last_word(bytes, rest);
        }
    }
}

/// A bit for each of sixteen bytes that differ.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn differing(one: [u64; 2], other: [u64; 2]) -> u64 {
    use std::arch::x86_64::{_mm_cmpeq_epi8, _mm_movemask_epi8, _mm_set_epi64x};
    // SAFETY: every processor of this kind has these instructions.
    let same = unsafe {
        let vector = |[low, high]: [u64; 2]| _mm_set_epi64x(high as i64, low as i64);
        _mm_movemask_epi8(_mm_cmpeq_epi8(vector(one), vector(other)))
    };
    !same as u64 & 0xffff
}

#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn differing(one: [u64; 2], other: [u64; 2]) -> u64 {
    (0..16).fold(0, |bits, i| bits | (((one[i / 8] ^ other[i / 8]) >> (i % 8 * 8) & 0xff != 0) as u64) << i)
}

/// A bit for each place that differs, or for some neighbouring ones together.
#[inline(always)]
fn changes<const N: usize>(one: &[u64; N], other: &[u64; N]) -> u64 {
    let mut all = 0;
    let pairs = one.as_chunks::<2>().0.iter().zip(other.as_chunks::<2>().0);
    for (i, (one, other)) in pairs.enumerate() {
        let mut bits = differing(*one, *other);
        if N <= 8 {
            all |= bits << (16 * i);
        } else {
            while bits != 0 {
                all |= 1 << ((16 * i + bits.trailing_zeros() as usize) / (N / 8));
                bits &= bits - 1;
            }
        }
    }
    all
}

impl LastState {
    /// Goes on to a stored state if it has the same shape. Whether it has.
    #[inline]
    pub fn move_near(&mut self, stored: &[u8]) -> bool {
        match self.words.len() {
            2 => self.move_near_by::<2>(stored),
            4 => self.move_near_by::<4>(stored),
            6 => self.move_near_by::<6>(stored),
            8 => self.move_near_by::<8>(stored),
            16 => self.move_near_by::<16>(stored),
            32 => self.move_near_by::<32>(stored),
            _ => false,
        }
    }

    #[inline(always)]
    pub fn move_near_by<const N: usize>(&mut self, stored: &[u8]) -> bool {
        let (Some(plan), Some(old)) = (&self.plan, self.words.first_chunk_mut::<N>()) else { return false };
        let new = loaded::<N>(stored);
        // Who looks at propositions comes with the state that was expanded just now.
        if new == *old && stored.len() == self.length {
            return true;
        }
        if (new[0] ^ old[0]) & plan.places.head_mask() != 0 || stored.len() > plan.places.width() {
            return false;
        }
        let changed = changes(old, &new);
        self.sum = WeightedSums::of_padded(&new, stored.len());
        *old = new;
        self.length = stored.len();
        self.out_of_date |= changed;
        self.changed |= changed;
        true
    }

    /// Goes on to any stored state, of which the plan is known.
    pub fn move_to(&mut self, stored: &[u8], plan: Arc<Plan>) {
        debug_assert_eq!(plan.places.heads().shape_of(stored), plan.shape);
        self.take_plan(plan);
        load(stored, &mut self.words);
        self.length = stored.len();
        self.sum = WeightedSums::of_padded(&self.words, stored.len());
        (self.out_of_date, self.changed) = (EVERYTHING, EVERYTHING);
    }

    /// A plan that is new, or of the same shape with more places.
    pub fn take_plan(&mut self, plan: Arc<Plan>) {
        self.widen(stride_for(plan.places.width()));
        self.plan = Some(plan);
    }

    /// Has at least so many words from now on.
    pub fn widen(&mut self, stride: usize) {
        if stride > self.words.len() {
            self.words.resize(stride, 0);
            // What a bit stands for may be another place now.
            (self.out_of_date, self.changed) = (EVERYTHING, EVERYTHING);
        }
    }

    /// Whether it is known which places change from state to state.
    #[inline]
    pub fn is_followed(&self) -> bool {
        shift_for(self.words.len()).is_some()
    }

    /// The bit of a place.
    pub fn bit(&self, place: usize) -> u64 {
        shift_for(self.words.len()).map_or(NO_PLACE, |shift| 1 << (place >> shift))
    }

    /// Places that have changed since this was asked last.
    #[inline]
    pub fn take_changes(&mut self) -> u64 {
        std::mem::take(&mut self.changed)
    }

    /// Whether values and words are there.
    #[inline]
    pub fn is_complete(&self) -> bool {
        self.out_of_date == 0
    }

    #[inline(always)]
    pub fn byte(&self, place: usize) -> u8 {
        (self.words[place / 8] >> (place % 8 * 8)) as u8
    }

    /// Brings values and the working state up to date. `value_of` tells the value of a numbered piece, by
    /// kind and number.
    #[inline(always)]
    pub fn bring_up_to_date(
        &mut self,
        mut value_of: impl FnMut(u32, u64) -> u64,
        gather: impl Fn(u64, u64) -> u64,
        scatter: impl Fn(u64, u64) -> u64,
    ) {
        let LastState { plan: Some(plan), words, working, values, settled, out_of_date, .. } = self else {
            return;
        };
        if *out_of_date == 0 {
            return;
        }
        let shift = shift_for(words.len()).unwrap_or_default();
        let all = *out_of_date == EVERYTHING;
        if all {
            working.clear();
            working.extend_from_slice(&plan.blank);
            values.clear();
            values.resize(plan.numbered.len(), 0);
            settled.clear();
            settled.resize(words.len(), 0);
        }
        let mut toggle = |offset: u32, bits: u64| {
            let Some(bytes) = working.get_mut(offset as usize..).and_then(|bytes| bytes.first_chunk_mut())
            else {
                return;
            };
            *bytes = (u64::from_le_bytes(*bytes) ^ bits).to_le_bytes();
        };
        for span in &plan.spans {
            let difference = words[span.stored_word as usize] ^ settled[span.stored_word as usize];
            toggle(span.offset, scatter(gather(difference, span.stored_mask), span.mask));
        }
        settled.copy_from_slice(words);
        let mut bring = |position: usize| {
            let numbered = &plan.numbered[position];
            let piece = &numbered.piece;
            let value = value_of(piece.kind, numbered.read(&plan.places, words, &gather));
            let difference = value ^ std::mem::replace(&mut values[position], value);
            toggle(piece.offsets[0], scatter(difference, piece.masks[0]));
            toggle(piece.offsets[1], scatter(difference >> piece.shift, piece.masks[1]));
        };
        if all {
            (0..plan.numbered.len()).for_each(bring);
        } else {
            // A piece may have several places; only the pieces beyond the 64th are brought for each.
            let mut positions = 0u64;
            while *out_of_date != 0 {
                let first = (out_of_date.trailing_zeros() as usize) << shift;
                for place in first..first + (1 << shift) {
                    match plan.numbered_at.get(place) {
                        Some(&position @ 0..64) => positions |= 1 << position,
                        None | Some(&NO_PIECE) => {}
                        Some(&position) => bring(position as usize),
                    }
                }
                *out_of_date &= *out_of_date - 1;
            }
            while positions != 0 {
                bring(positions.trailing_zeros() as usize);
                positions &= positions - 1;
            }
        }
        *out_of_date = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bit_for_each_byte() {
        fn compare<const N: usize>() {
            let shift = shift_for(N).unwrap();
            for place in 0..8 * N {
                for value in [1, 0x40, 0x80, 0xff] {
                    let (one, mut other) = ([0x5555_5555_5555_5555; N], [0x5555_5555_5555_5555; N]);
                    other[place / 8] ^= value << (place % 8 * 8);
                    assert_eq!(changes(&one, &other), 1 << (place >> shift));
                }
            }
        }
        compare::<2>();
        compare::<6>();
        compare::<8>();
        compare::<16>();
        compare::<32>();
        assert!((0..300).all(|width| stride_for(width) * 8 >= width));
        assert_eq!([16, 17, 63, 64, 126, 127].map(stride_for), [2, 4, 8, 16, 16, 32]);
    }

    #[test]
    fn bytes_as_words() {
        let bytes: Vec<u8> = (1..=40).collect();
        for length in 0..40 {
            let mut words = [7; 6];
            load(&bytes[..length], &mut words);
            let expected = |i: usize| if i < length { bytes[i] } else { 0 };
            assert_eq!(loaded(&bytes[..length]), words);
            let found: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            assert!((0..48).all(|i| found[i] == expected(i)), "{length}");
        }
    }
}
