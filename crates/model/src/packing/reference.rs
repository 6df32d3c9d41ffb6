//! The state that was unpacked last, taken to pieces.
//!
//! A search goes on from a state to one of its successors, or back to where it came from: two states that are unpacked one after the
//! other are mostly alike. So the next packed state is compared with the last one, eight bytes at a time, and only the numbers whose bytes
//! differ are read again. That is possible if all numbers lie where they lay: if the length is the same, and the highest bit of every byte, which says
//! where a number ends. Otherwise all are read.
//!
//! Which pieces have changed is kept for two purposes. Values and words are made when somebody asks for them, and only
//! of what has changed since they were made last. And a process does the same as before if it looks at nothing that has changed
//! ([`super::remembered`]).

use super::plan::{OWN_NUMBER, Plan};
use super::{SHORT, take_number};
use std::rc::Rc;

/// States of more pieces are not followed: then everything has changed.
pub const MOST_FOLLOWED: usize = 63;
/// All pieces have changed: it is more than those of a state that is followed.
pub const EVERYTHING: u64 = u64::MAX;

/// A state with which others are compared.
#[derive(Debug, Default)]
pub struct Reference {
    /// `None` if there is none.
    pub plan: Option<Rc<Plan>>,
    /// The working state, but for pieces that are out of date. Of the last word, only what the one before does not have.
    pub words: Vec<u64>,
    pub pieces: Vec<KnownPiece>,
    pub packed: Vec<u8>,
    pub packed_length: usize,
    /// Which of the bytes are the last of a number, if there are at most 64.
    last_bytes: u64,
    /// Pieces with values and words of a state before.
    out_of_date: u64,
    /// Pieces whose numbers have changed since somebody has asked.
    changed: u64,
}

/// A piece of the reference.
#[derive(Clone, Copy, Debug, Default)]
pub struct KnownPiece {
    pub value: u64,
    pub number: u32,
    /// Where the number ends in the packed state.
    pub end: u32,
}

const HIGHEST_BITS: u64 = 0x8080_8080_8080_8080;

/// A bit for each of eight bytes that is not 0. None has its highest bit.
#[inline]
fn bytes_with_bits(bytes: u64) -> u64 {
    let highest = bytes.wrapping_add(!HIGHEST_BITS) & HIGHEST_BITS;
    // Each factor brings the bit of one byte to its place in the uppermost byte.
    (highest >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

/// Four to eight bytes as a word.
#[inline]
fn halves(bytes: &[u8]) -> Option<u64> {
    let (low, high) = (bytes.first_chunk()?, bytes.last_chunk()?);
    // Where they overlap they are the same.
    let high = (u32::from_le_bytes(*high) as u64) << (8 * (bytes.len() - 4));
    Some(u32::from_le_bytes(*low) as u64 | high)
}

impl Reference {
    /// Makes a packed state the reference if its numbers lie where those of the last one do. Whether they did.
    #[inline]
    pub fn move_near(&mut self, packed: &[u8]) -> bool {
        let length = packed.len();
        if length != self.packed_length || !(4..=64).contains(&length) {
            return false;
        }
        let (mut differing, mut differences) = (0, 0);
        let mut meet = |old: &mut [u8; 8], new: u64, at: usize| {
            let difference = u64::from_le_bytes(*old) ^ new;
            *old = new.to_le_bytes();
            differences |= difference;
            differing |= bytes_with_bits(difference) << at;
        };
        let mut at = 0;
        while let (Some(old), Some(new)) = (self.packed[at..].first_chunk_mut(), packed[at..].first_chunk()) {
            meet(old, u64::from_le_bytes(*new), at);
            if at == length - 8 {
                break;
            }
            // The last word overlaps the one before if it must; what overlaps is the same by now.
            at = (at + 8).min(length - 8);
        }
        if length < 8
            && let (Some(old), Some(new)) = (self.packed.first_chunk_mut(), halves(packed))
        {
            meet(old, new, 0);
        }
        if differences & HIGHEST_BITS != 0 {
            return false;
        }
        let all_short = length == 1 + self.pieces.len();
        let mut changed = 0;
        while differing != 0 {
            let byte = differing.trailing_zeros();
            differing &= differing - 1;
            let (numbers_before, mut start) = if all_short {
                (byte, byte as usize)
            } else {
                let before = self.last_bytes & !(EVERYTHING << byte);
                (before.count_ones(), 64 - before.leading_zeros() as usize)
            };
            // The first number is that of the shape, so there are fewer than 64 pieces.
            let Some(piece) = numbers_before.checked_sub(1) else { return false };
            self.pieces[piece as usize].number = take_number(packed, &mut start);
            changed |= 1 << piece;
        }
        self.note(changed);
        true
    }

    /// Makes any packed state the reference.
    pub fn move_to(&mut self, packed: &[u8], plan: Rc<Plan>) {
        self.packed.clear();
        self.packed.extend_from_slice(packed);
        self.packed.resize(packed.len().max(SHORT), 0);
        self.packed_length = packed.len();
        self.pieces.resize(plan.pieces.len(), KnownPiece::default());
        let mut at = 0;
        let shape = take_number(packed, &mut at);
        let bit = |byte: usize| 1u64.wrapping_shl(byte as u32);
        self.last_bytes = bit(at - 1);
        let mut changed = 0;
        for (piece, known) in self.pieces.iter_mut().enumerate() {
            let number = take_number(packed, &mut at);
            changed |= bit(piece) & super::all_if(number != known.number);
            known.number = number;
            known.end = at as u32;
            self.last_bytes |= bit(at - 1);
        }
        let same_shape = self.plan.as_ref().is_some_and(|plan| plan.shape == shape);
        let followed = same_shape && plan.pieces.len() <= MOST_FOLLOWED;
        self.plan = Some(plan);
        self.note(if followed { changed } else { EVERYTHING });
    }

    #[inline]
    fn note(&mut self, changed: u64) {
        self.out_of_date |= changed;
        self.changed |= changed;
    }

    /// Pieces whose numbers have changed since this was asked last.
    #[inline]
    pub fn take_changes(&mut self) -> u64 {
        std::mem::take(&mut self.changed)
    }

    /// Whether values and words are there.
    #[inline]
    pub fn is_complete(&self) -> bool {
        self.out_of_date == 0
    }

    /// Brings values and words up to date. `value_of` tells the value of a numbered piece, by kind and number.
    #[inline(always)]
    pub fn scatter(&mut self, value_of: impl Fn(u32, u32) -> u64, scatter: impl Fn(u64, u64) -> u64) {
        let Reference { plan: Some(plan), words, pieces, out_of_date, .. } = self else { return };
        let all = *out_of_date == EVERYTHING;
        if all {
            words.clear();
            words.extend(plan.facts.iter().map(|facts| facts.tag_values));
        }
        let mut bring = |index: usize| {
            let (piece, known) = (&plan.pieces[index], &mut pieces[index]);
            known.value = match piece.kind {
                OWN_NUMBER => known.number as u64,
                kind => value_of(kind, known.number),
            };
            let parts = [known.value, known.value >> piece.shift];
            for ((word, mask), part) in piece.words.into_iter().zip(piece.masks).zip(parts) {
                let word = &mut words[word as usize];
                *word = *word & !mask | scatter(part, mask);
            }
        };
        if all {
            (0..plan.pieces.len()).for_each(bring);
        } else {
            while *out_of_date != 0 {
                bring(out_of_date.trailing_zeros() as usize);
                *out_of_date &= *out_of_date - 1;
            }
        }
        *out_of_date = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::bytes_with_bits;

    #[test]
    fn a_bit_for_each_byte() {
        for choice in 0..256u64 {
            for value in [1, 0x40, 0x7f] {
                let bytes = (0..8).filter(|byte| choice >> byte & 1 == 1).map(|byte| value << (8 * byte));
                assert_eq!(bytes_with_bits(bytes.sum()), choice);
            }
        }
    }
}
