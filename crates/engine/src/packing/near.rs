//! Packing states that are near a state that is unpacked: most successors are.
//!
//! A state of the same shape has the same bits in the same places. So it is compared with the known one, some
//! words at a time, and what comes out is the set of numbered pieces that have bits in words that differ;
//! only these are looked up. Pieces that are their own numbers are moved as differences, without a look at
//! them ([`super::spans`]). If a bit differs that never changes in this shape, the state has another shape.
//!
//! The known state is the one that was unpacked last, if it has that shape. A successor of another shape (a
//! process has come or gone) is compared with the last state of that shape, if there is one
//! ([`super::last_state::LastStates`]). Which shape that is, is guessed from its length.

use super::bits::{self, Gathers};
use super::effects::length_of;
use super::last_state::LastState;
use super::pieces::Pieces;
use super::plan::WordMasks;
use crate::successors::Entry;
use lariat_store::WeightedSums;
use std::ops::Range;

/// Working states, and what becomes of them.
pub struct Batch<'a> {
    pub working: &'a [u8],
    pub entries: &'a mut [Entry],
    pub out: &'a mut Vec<u8>,
    /// The bytes of hidden globals.
    pub hidden: Range<usize>,
}

/// In which words two working states of one shape differ: the numbered pieces that have bits in these, and
/// what differs although it never changes.
#[derive(Clone, Copy, Default)]
struct Differing {
    numbered: u64,
    fixed: u64,
}

impl Differing {
    /// Adds a word, which lies there in both states.
    ///
    /// # Safety
    /// Both states have the shape of the masks, and such a word.
    #[inline(always)]
    unsafe fn add(&mut self, word: usize, offset: usize, one: &[u8], other: &[u8], masks: &WordMasks) {
        debug_assert!(offset + 8 <= one.len().min(other.len()) && word < masks.fixed.len());
        let (difference, significant, fixed, numbered) = unsafe {
            let one = one.as_ptr().add(offset).cast::<u64>().read_unaligned();
            let other = other.as_ptr().add(offset).cast::<u64>().read_unaligned();
            let WordMasks { significant, fixed, numbered } = masks;
            let significant = significant.get_unchecked(word);
            (u64::from_le(one ^ other), significant, fixed.get_unchecked(word), numbered.get_unchecked(word))
        };
        self.fixed |= difference & fixed;
        // All ones if something differs: without a branch, as nobody can foresee it.
        let changed = difference & significant;
        self.numbered |= numbered & ((changed | changed.wrapping_neg()) as i64 >> 63) as u64;
    }

    /// Adds whole words from `first` on, and the last one, which may overlap the one before.
    ///
    /// # Safety
    /// Both states have the shape of the masks, and at least eight bytes.
    #[inline(always)]
    unsafe fn add_from(&mut self, first: usize, one: &[u8], other: &[u8], masks: &WordMasks) {
        let whole = one.len() / 8;
        unsafe {
            for word in first..whole {
                self.add(word, 8 * word, one, other, masks);
            }
            if !one.len().is_multiple_of(8) {
                self.add(whole, one.len() - 8, one, other, masks);
            }
        }
    }
}

/// Packs states that have the shape of a known one, up to the first that has another, or a number for which
/// there is no place. How many.
#[inline(always)]
pub fn pack_near(known: &LastState, pieces: &mut Pieces, gathers: Gathers, batch: Batch) -> usize {
    match gathers {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the processor has the instructions, or this would be `ByLoop`.
        Gathers::ByInstruction => unsafe { instruction::pack_near(known, pieces, batch) },
        Gathers::ByLoop => pack_by_loops(known, pieces, batch),
    }
}

#[inline(never)]
fn pack_by_loops(known: &LastState, pieces: &mut Pieces, batch: Batch) -> usize {
    let compare = |one: &[u8], other: &[u8], masks: &WordMasks| {
        let mut differing = Differing::default();
        // SAFETY: `pack_by` has looked.
        unsafe { differing.add_from(0, one, other, masks) };
        differing
    };
    pack_some(known, pieces, batch, bits::gather, bits::scatter, compare)
}

#[inline(always)]
fn pack_some(
    known: &LastState,
    pieces: &mut Pieces,
    batch: Batch,
    gather: impl Fn(u64, u64) -> u64,
    scatter: impl Fn(u64, u64) -> u64,
    compare: impl Fn(&[u8], &[u8], &WordMasks) -> Differing,
) -> usize {
    // One copy for each length of most states, so that loops over words are unrolled.
    match known.words.len() {
        2 => pack_by::<2>(known, pieces, batch, gather, scatter, compare),
        4 => pack_by::<4>(known, pieces, batch, gather, scatter, compare),
        6 => pack_by::<6>(known, pieces, batch, gather, scatter, compare),
        8 => pack_by::<8>(known, pieces, batch, gather, scatter, compare),
        16 => pack_by::<16>(known, pieces, batch, gather, scatter, compare),
        32 => pack_by::<32>(known, pieces, batch, gather, scatter, compare),
        _ => pack_by::<64>(known, pieces, batch, gather, scatter, compare),
    }
}

/// The same for states that are stored in so many words at most; longer ones are packed one by one.
#[inline(always)]
fn pack_by<const N: usize>(
    known: &LastState,
    pieces: &mut Pieces,
    Batch { working: all, entries, out, hidden }: Batch,
    gather: impl Fn(u64, u64) -> u64,
    scatter: impl Fn(u64, u64) -> u64,
    compare: impl Fn(&[u8], &[u8], &WordMasks) -> Differing,
) -> usize {
    let Some(plan) = known.plan.as_deref() else { return 0 };
    let stride = known.words.len();
    if plan.length < 8 || plan.numbered.len() > 64 || !known.is_complete() || stride > N {
        return 0;
    }
    let mut stored = [0; N];
    match known.words.first_chunk() {
        Some(words) => stored = *words,
        None => stored[..stride].copy_from_slice(&known.words),
    }
    let before = &known.working[..plan.length];
    let values = &known.values[..plan.numbered.len()];
    let (narrow, has_higher) = (plan.places.narrow, plan.places.has_higher());
    let room = size_of::<[u64; N]>() + hidden.len();
    out.reserve(entries.len() * room);
    let mut at = out.len();
    let mut done = 0;
    for entry in entries.iter_mut() {
        let working = &all[entry.start as usize..entry.end as usize];
        if working.len() != plan.length {
            break;
        }
        let Differing { mut numbered, fixed } = match plan.length {
            // Short ones without a call.
            8..32 => {
                let mut differing = Differing::default();
                // SAFETY: both have the length of the shape.
                unsafe { differing.add_from(0, working, before, &plan.masks) };
                differing
            }
            _ => compare(working, before, &plan.masks),
        };
        if fixed != 0 {
            break;
        }
        let difference_at = |offset: u32| {
            debug_assert!(offset as usize + 8 <= plan.length);
            // SAFETY: the words of spans and pieces lie in a working state (`Plan::find_moves`), and both
            // have the length of one.
            unsafe {
                let one = working.as_ptr().add(offset as usize).cast::<u64>().read_unaligned();
                let other = before.as_ptr().add(offset as usize).cast::<u64>().read_unaligned();
                u64::from_le(one ^ other)
            }
        };
        let mut state = stored;
        for span in &plan.spans {
            let bits = gather(difference_at(span.offset), span.mask);
            debug_assert!((span.stored_word as usize) < N);
            // SAFETY: a state has at least as many words as its shape needs (`LastState::take_plan`).
            unsafe { *state.get_unchecked_mut(span.stored_word as usize) ^= scatter(bits, span.stored_mask) };
        }
        let mut has_places = true;
        while numbered != 0 {
            let position = numbered.trailing_zeros() as usize;
            numbered &= numbered - 1;
            let Some(moved) = plan.numbered.get(position) else { break };
            let change = moved.change(difference_at, &gather);
            if change == 0 {
                continue;
            }
            let number = pieces.number(moved.piece.kind, values[position] ^ change);
            if moved.write(&plan.places, &mut state, number, &scatter).is_err() {
                has_places = false;
                break;
            }
        }
        if !has_places {
            break;
        }
        // One word after the other: as a whole they could not be read so soon after they were written.
        let state: [u64; N] = std::array::from_fn(|word| {
            // SAFETY: it is a word of the state.
            unsafe { (&raw const state[word]).read_volatile() }
        });
        let mut length = if has_higher { length_of(&state, narrow) } else { narrow };
        entry.sum = WeightedSums::of_padded(&state, length);
        debug_assert!(length <= size_of_val(&state) && at + room <= out.capacity());
        // SAFETY: there is room for so many words, and for the hidden bytes, of each state; and a state is no
        // longer than its words.
        unsafe {
            let to = out.as_mut_ptr().add(at);
            for (place, word) in state.iter().enumerate() {
                to.cast::<u64>().add(place).write_unaligned(word.to_le());
            }
            if !hidden.is_empty() {
                let from = working[hidden.clone()].as_ptr();
                std::ptr::copy_nonoverlapping(from, to.add(length), hidden.len());
                length += hidden.len();
            }
        }
        (entry.start, entry.end) = (at as u32, (at + length) as u32);
        at += length;
        done += 1;
    }
    // SAFETY: all of these states were written.
    unsafe { out.set_len(at) };
    done
}

#[cfg(target_arch = "x86_64")]
mod instruction {
    use super::{Batch, Differing, LastState, Pieces, WordMasks};
    use core::arch::x86_64::*;

    #[target_feature(enable = "avx2,bmi2")]
    pub fn pack_near(known: &LastState, pieces: &mut Pieces, batch: Batch) -> usize {
        let (gather, scatter) = (|word, mask| _pext_u64(word, mask), |bits, mask| _pdep_u64(bits, mask));
        super::pack_some(known, pieces, batch, gather, scatter, |one, other, masks| {
            compare(one, other, masks)
        })
    }

    /// Four words at a time. Both states have the shape of the masks.
    #[inline(never)]
    #[target_feature(enable = "avx2,bmi2")]
    fn compare(one: &[u8], other: &[u8], masks: &WordMasks) -> Differing {
        let mut differing = Differing::default();
        let whole = (one.len() / 8) & !3;
        if whole > 0 {
            let load = |words: &[u64], at: usize| {
                debug_assert!(at + 4 <= words.len());
                // SAFETY: there are as many words of each kind as a state of this shape has.
                unsafe { _mm256_loadu_si256(words.as_ptr().add(at).cast()) }
            };
            let load_bytes = |bytes: &[u8], at: usize| {
                debug_assert!(8 * at + 32 <= bytes.len());
                // SAFETY: both states have so many words.
                unsafe { _mm256_loadu_si256(bytes.as_ptr().add(8 * at).cast()) }
            };
            let none = _mm256_setzero_si256();
            let (mut fixed, mut numbered) = (none, none);
            let mut at = 0;
            while at < whole {
                let difference = _mm256_xor_si256(load_bytes(one, at), load_bytes(other, at));
                fixed = _mm256_or_si256(fixed, _mm256_and_si256(difference, load(&masks.fixed, at)));
                let significant = _mm256_and_si256(difference, load(&masks.significant, at));
                let same = _mm256_cmpeq_epi64(significant, none);
                numbered = _mm256_or_si256(numbered, _mm256_andnot_si256(same, load(&masks.numbered, at)));
                at += 4;
            }
            let all = |words: __m256i| {
                let two = _mm_or_si128(_mm256_castsi256_si128(words), _mm256_extracti128_si256::<1>(words));
                _mm_cvtsi128_si64(_mm_or_si128(two, _mm_unpackhi_epi64(two, two))) as u64
            };
            differing = Differing { numbered: all(numbered), fixed: all(fixed) };
        }
        // SAFETY: both states have the shape.
        unsafe { differing.add_from(whole, one, other, masks) };
        differing
    }
}
