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

use super::plan::{Piece, Plan};
use lariat_store::WeightedSums;
use std::sync::Arc;

/// Behind the end of a working state so many bytes may be read.
pub const SLACK: usize = 64;

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
    /// What its hash follows from, unless that has not been worked out.
    pub sum: u64,
    has_sum: bool,
    /// The working state that `settled` stands for; at least eight bytes, and room for [`SLACK`] more.
    pub working: Vec<u8>,
    /// Of each numbered piece, in `settled`.
    pub values: Vec<u64>,
    /// A stored state of this shape: the one that was unpacked last.
    settled: Vec<u64>,
    /// Whether there are `values` and a working state at all; and whether they are those of this state.
    is_unpacked: bool,
    is_complete: bool,
    /// Places that have changed since somebody has asked.
    changed: u64,
    /// Which of all beginnings was the latest with this one ([`super::Packer::begin`]).
    pub begun: u64,
    /// Lengths of successors of other shapes, and these.
    guesses: Vec<(usize, u32)>,
}

/// So many other shapes are guessed from the length of a successor.
const MOST_GUESSES: usize = 8;
/// So many shapes have a last state of their own.
const RESTING: usize = 64;

/// The last state, and those of other shapes.
#[derive(Debug, Default)]
pub struct LastStates {
    pub current: Box<LastState>,
    /// By the number of the shape; in the place of the current one there is something else, or nothing. (In
    /// boxes, because they change places with the current one.)
    #[allow(clippy::vec_box)]
    resting: Vec<Box<LastState>>,
}

impl LastStates {
    /// Makes the last state of a shape the current one; if there is none, one of which nothing is known.
    pub fn choose(&mut self, shape: u32) {
        if self.resting.is_empty() {
            self.resting.resize_with(RESTING, Box::default);
        }
        let stride = self.current.words.len();
        if let Some(plan) = &self.current.plan {
            let place = plan.shape as usize % RESTING;
            std::mem::swap(&mut self.current, &mut self.resting[place]);
        }
        std::mem::swap(&mut self.current, &mut self.resting[shape as usize % RESTING]);
        if self.current.plan.as_ref().is_some_and(|plan| plan.shape != shape) {
            *self.current = LastState::default();
        }
        self.current.widen(stride);
    }

    /// The last state of a shape that is not the current one's, if there is one.
    #[inline]
    pub fn resting(&self, shape: u32) -> Option<&LastState> {
        let resting = self.resting.get(shape as usize % RESTING)?;
        resting.plan.as_ref().is_some_and(|plan| plan.shape == shape).then_some(resting)
    }

    /// The shape that successors of so many bytes have had, if they had another than the current state.
    #[inline]
    pub fn guess(&self, length: usize) -> Option<u32> {
        self.current.guesses.iter().find(|(known, _)| *known == length).map(|(_, shape)| *shape)
    }

    /// Has seen such a successor.
    pub fn learn_guess(&mut self, length: usize, shape: u32) {
        let guesses = &mut self.current.guesses;
        match guesses.iter().position(|(known, _)| *known == length) {
            Some(place) => guesses[place].1 = shape,
            None if guesses.len() < MOST_GUESSES => guesses.push((length, shape)),
            None => {}
        }
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
    let Some(last) = bytes.last_chunk().map(|last| u64::from_le_bytes(*last)) else {
        words[0] = short_word(bytes);
        return words;
    };
    for (i, word) in words.iter_mut().enumerate() {
        // (Whole words are not copied at once: that would be a call of a library.)
        match bytes.get(8 * i..8 * i + 8).and_then(|bytes| bytes.first_chunk()) {
            Some(bytes) => *word = u64::from_le_bytes(*bytes),
            None => {
                // In two halves: all of it may be too much.
                let half = 4 * (8 * i + 8 - bytes.len()).min(8);
                *word = last >> half >> half;
                break;
            }
        }
    }
    in_registers(words)
}

/// Words that were written one after the other, and are read as a whole soon: a processor would wait until
/// they have reached its cache.
#[inline(always)]
fn in_registers<const N: usize>(words: [u64; N]) -> [u64; N] {
    if N > 16 {
        return words;
    }
    // SAFETY: it is one of the words.
    std::array::from_fn(|i| unsafe { (&raw const words[i]).read_volatile() })
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
        let changed = changes(old, &new);
        // Who looks at propositions comes with the state that was expanded just now.
        if changed == 0 && stored.len() == self.length && self.has_sum {
            return true;
        }
        if (new[0] ^ old[0]) & plan.places.head_mask != 0 || stored.len() > plan.places.width() {
            return false;
        }
        self.changed |= changed;
        self.sum = WeightedSums::of_padded(&new, stored.len());
        self.has_sum = true;
        *old = new;
        self.length = stored.len();
        self.is_complete = false;
        true
    }

    /// Goes on to a stored state, if it has the same shape and this one is unpacked, and unpacks it. Whether
    /// it has.
    #[inline(always)]
    pub fn unpack_near(
        &mut self,
        stored: &[u8],
        value_of: impl FnMut(u32, u64) -> u64,
        gather: impl Fn(u64, u64) -> u64,
        scatter: impl Fn(u64, u64) -> u64,
    ) -> bool {
        match self.words.len() {
            2 => self.unpack_near_by::<2>(stored, value_of, gather, scatter),
            4 => self.unpack_near_by::<4>(stored, value_of, gather, scatter),
            6 => self.unpack_near_by::<6>(stored, value_of, gather, scatter),
            8 => self.unpack_near_by::<8>(stored, value_of, gather, scatter),
            16 => self.unpack_near_by::<16>(stored, value_of, gather, scatter),
            32 => self.unpack_near_by::<32>(stored, value_of, gather, scatter),
            _ => false,
        }
    }

    /// Nobody will ask for the sum, nor for what has changed.
    #[inline(always)]
    fn unpack_near_by<const N: usize>(
        &mut self,
        stored: &[u8],
        value_of: impl FnMut(u32, u64) -> u64,
        gather: impl Fn(u64, u64) -> u64,
        scatter: impl Fn(u64, u64) -> u64,
    ) -> bool {
        if !self.can_settle() {
            return false;
        }
        let LastState { plan: Some(plan), words, working, values, settled, .. } = self else { return false };
        let (Some(words), Some(settled)) = (words.first_chunk_mut::<N>(), settled.first_chunk_mut::<N>())
        else {
            return false;
        };
        let new = loaded::<N>(stored);
        if (new[0] ^ settled[0]) & plan.places.head_mask != 0 || stored.len() > plan.places.width() {
            return false;
        }
        let before = std::mem::replace(settled, new);
        *words = new;
        settle(plan, &before, words, working, values, value_of, gather, scatter);
        self.length = stored.len();
        (self.has_sum, self.is_complete) = (false, true);
        self.changed = EVERYTHING;
        true
    }

    /// Goes on to any stored state, of which the plan is known.
    pub fn move_to(&mut self, stored: &[u8], plan: Arc<Plan>) {
        debug_assert_eq!(plan.places.heads().shape_of(stored), plan.shape);
        self.take_plan(plan);
        load(stored, &mut self.words);
        self.length = stored.len();
        self.sum = WeightedSums::of_padded(&self.words, stored.len());
        self.has_sum = true;
        self.is_unpacked = false;
        self.is_complete = false;
        self.changed = EVERYTHING;
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
            (self.is_unpacked, self.is_complete) = (false, false);
            self.changed = EVERYTHING;
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
        self.is_complete
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
        value_of: impl FnMut(u32, u64) -> u64,
        gather: impl Fn(u64, u64) -> u64,
        scatter: impl Fn(u64, u64) -> u64,
    ) {
        if self.is_complete || self.plan.is_none() {
            return;
        }
        match self.words.len() {
            _ if !self.can_settle() => self.unpack(value_of, gather, scatter),
            2 => self.settle_by::<2>(value_of, gather, scatter),
            4 => self.settle_by::<4>(value_of, gather, scatter),
            6 => self.settle_by::<6>(value_of, gather, scatter),
            8 => self.settle_by::<8>(value_of, gather, scatter),
            16 => self.settle_by::<16>(value_of, gather, scatter),
            32 => self.settle_by::<32>(value_of, gather, scatter),
            _ => self.unpack(value_of, gather, scatter),
        }
    }

    /// Whether there is a working state of this shape, and each numbered piece has a bit.
    #[inline(always)]
    fn can_settle(&self) -> bool {
        self.is_unpacked && self.values.len() <= 64
    }

    /// The working state, where there is none of this shape.
    #[inline(never)]
    fn unpack(
        &mut self,
        mut value_of: impl FnMut(u32, u64) -> u64,
        gather: impl Fn(u64, u64) -> u64,
        scatter: impl Fn(u64, u64) -> u64,
    ) {
        let LastState { plan: Some(plan), words, working, values, settled, .. } = self else { return };
        working.clear();
        working.reserve(plan.blank.len() + SLACK);
        working.extend_from_slice(&plan.blank);
        for span in &plan.spans {
            let bits = gather(words[span.stored_word as usize], span.stored_mask);
            toggle(working, span.offset, scatter(bits, span.mask));
        }
        values.clear();
        for numbered in &plan.numbered {
            let value = value_of(numbered.piece.kind, numbered.read(&plan.places, words, &gather));
            values.push(value);
            toggle_piece(working, &numbered.piece, value, &scatter);
        }
        settled.clone_from(words);
        (self.is_unpacked, self.is_complete) = (true, true);
    }

    /// The same from the working state of another state of this shape: what has changed since.
    #[inline(always)]
    fn settle_by<const N: usize>(
        &mut self,
        value_of: impl FnMut(u32, u64) -> u64,
        gather: impl Fn(u64, u64) -> u64,
        scatter: impl Fn(u64, u64) -> u64,
    ) {
        let LastState { plan: Some(plan), words, working, values, settled, .. } = self else { return };
        let (Some(words), Some(settled)) = (words.first_chunk::<N>(), settled.first_chunk_mut::<N>()) else {
            return;
        };
        let before = std::mem::replace(settled, *words);
        settle(plan, &before, words, working, values, value_of, gather, scatter);
        self.is_complete = true;
    }
}

/// From the working state and the values of one stored state to those of another. Both have the shape of the
/// plan, and as many words as a last state has ([`LastState::take_plan`]).
#[inline(always)]
#[allow(clippy::too_many_arguments)]
fn settle<const N: usize>(
    plan: &Plan,
    before: &[u64; N],
    words: &[u64; N],
    working: &mut [u8],
    values: &mut [u64],
    mut value_of: impl FnMut(u32, u64) -> u64,
    gather: impl Fn(u64, u64) -> u64,
    scatter: impl Fn(u64, u64) -> u64,
) {
    debug_assert!(working.len() == plan.blank.len() && values.len() == plan.numbered.len());
    let differences: [u64; N] = std::array::from_fn(|i| words[i] ^ before[i]);
    let mut toggle = |offset: u32, bits: u64| {
        debug_assert!(offset as usize + 8 <= working.len());
        // SAFETY: the words of spans and pieces lie in a working state (`Plan::find_moves`), and this has
        // been one of the same shape since it was unpacked.
        unsafe {
            let word = working.as_mut_ptr().add(offset as usize).cast::<u64>();
            word.write_unaligned(word.read_unaligned() ^ bits.to_le());
        }
    };
    for span in &plan.spans {
        debug_assert!((span.stored_word as usize) < N);
        // SAFETY: a state has at least as many words as its shape needs (`LastState::take_plan`).
        let difference = unsafe { *differences.get_unchecked(span.stored_word as usize) };
        toggle(span.offset, scatter(gather(difference, span.stored_mask), span.mask));
    }
    if N <= 8 && plan.is_small {
        let mut changed = 0;
        for (i, pair) in differences.as_chunks::<2>().0.iter().enumerate() {
            changed |= differing(*pair, [0; 2]) << (16 * i);
        }
        for (numbered, known) in plan.numbered.iter().zip(values) {
            if numbered.places & changed != 0 {
                let number = numbered.read(&plan.places, words, &gather);
                renew(&numbered.piece, value_of(numbered.piece.kind, number), known, &mut toggle, &scatter);
            }
        }
        return;
    }
    // Without a branch for each place, as nobody can foresee which have changed.
    let mut positions = 0u64;
    for (i, pair) in differences.as_chunks::<2>().0.iter().enumerate() {
        let mut bits = differing(*pair, [0; 2]) & u64::from(plan.numbered_places[i]);
        while bits != 0 {
            let place = 16 * i + bits.trailing_zeros() as usize;
            positions |= plan.numbered_bits.get(place).copied().unwrap_or_default();
            bits &= bits - 1;
        }
    }
    // (A closure would not be inlined, and instructions of some processors not be used.)
    while positions != 0 {
        let position = positions.trailing_zeros() as usize;
        positions &= positions - 1;
        let (Some(numbered), Some(known)) = (plan.numbered.get(position), values.get_mut(position)) else {
            break;
        };
        let number = numbered.read(&plan.places, words, &gather);
        renew(&numbered.piece, value_of(numbered.piece.kind, number), known, &mut toggle, &scatter);
    }
}

/// Writes another value of a piece into the working state.
#[inline(always)]
fn renew(
    piece: &Piece,
    value: u64,
    known: &mut u64,
    mut toggle: impl FnMut(u32, u64),
    scatter: impl Fn(u64, u64) -> u64,
) {
    let difference = value ^ std::mem::replace(known, value);
    toggle(piece.offsets[0], scatter(difference, piece.masks[0]));
    if piece.masks[1] != 0 {
        toggle(piece.offsets[1], scatter(difference >> piece.shift, piece.masks[1]));
    }
}

/// Changes some bits of the word that lies there.
#[inline(always)]
fn toggle(working: &mut [u8], offset: u32, bits: u64) {
    if let Some(bytes) = working.get_mut(offset as usize..).and_then(|bytes| bytes.first_chunk_mut()) {
        *bytes = (u64::from_le_bytes(*bytes) ^ bits).to_le_bytes();
    }
}

/// Changes some bits of the value of a piece.
#[inline(always)]
fn toggle_piece(working: &mut [u8], piece: &Piece, bits: u64, scatter: impl Fn(u64, u64) -> u64) {
    toggle(working, piece.offsets[0], scatter(bits, piece.masks[0]));
    toggle(working, piece.offsets[1], scatter(bits >> piece.shift, piece.masks[1]));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Interpreter, SuccessorFunction, Successors};
    use lariat_model::text::parse;
    use lariat_store::StateHash;

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

    const TEXT: &str = r#"lariat-ir 1
model "m"
globals size 5 hidden 0
  var "x" int g0.i32
  var "y" byte g4.u8
process p0 "P" start 1 size 0 parameters 0
  statement 0 ""
  location 0
  location 1
    -> 1 #0 set g0.i32 = g0.i32 + 1
    -> 1 #0 set g4.u8 = g4.u8 + 1
start p0 priority 1
"#;

    /// Who unpacks states needs neither sums nor changes; who asks for them afterwards gets them, also of the
    /// state that was unpacked last.
    #[test]
    fn sums_and_changes_after_unpacking() {
        let model = parse(TEXT).unwrap();
        let interpreter = Interpreter::new(&model);
        let mut states = vec![interpreter.initial_state().unwrap()];
        let mut out = Successors::new();
        for next in 0..40 {
            interpreter.successors(&states[next].clone(), &mut out);
            states.extend((0..out.len()).map(|i| out.state(i).to_vec()));
        }
        let mut packer = interpreter.packer();
        for (i, one) in states.iter().enumerate() {
            for other in [one, &states[i * 7 % 40]] {
                packer.unpack_in_place(one);
                assert_eq!(packer.last_mut().take_changes(), EVERYTHING);
                packer.numbers_in(other, |_| ());
                assert_eq!(packer.last().sum, WeightedSums.sum(other));
                let changed = packer.last_mut().take_changes();
                packer.numbers_in(one, |_| ());
                assert_eq!(packer.last_mut().take_changes(), changed, "there and back");
                assert_eq!(changed == 0, one == other);
            }
        }
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
