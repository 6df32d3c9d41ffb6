//! Packing states that are near a state that is unpacked: most successors are.
//!
//! A state of the same shape has the same bits in the same places. So it is compared with the known one, some
//! words at a time, and what comes out is the set of halves of words that differ, mostly two or three. Only
//! these are looked at ([`super::spans::Half`]): pieces that are their own numbers are moved as differences,
//! without a look at them, and numbered pieces that have bits there are looked up. If a bit differs that
//! never changes in this shape, the state has another shape.
//!
//! The known state is the one that was unpacked last, if it has that shape. A successor of another shape (a
//! process has come or gone) is compared with the last state of that shape, if there is one
//! ([`super::last_state::LastStates`]). Which shape that is, is guessed from its length.

use super::bits::{self, Gathers};
use super::effects::length_of;
use super::last_state::LastState;
use super::pieces::Pieces;
use super::spans::{HalfSpan, Halves, block_size};
use crate::successors::Entry;
use lariat_store::WeightedSums;

/// Working states, and what becomes of them.
pub struct Batch<'a> {
    pub working: &'a [u8],
    pub entries: &'a mut [Entry],
    pub out: &'a mut Vec<u8>,
    /// Where the bytes of hidden globals begin, and how many there are.
    pub hidden: usize,
    pub hidden_size: usize,
}

/// So many blocks of 32 bytes ([`block_size`]) have their halves in a set of bits.
const BLOCKS: usize = u64::BITS as usize / 8;
/// States that are stored in more words are packed one by one.
const MOST_WORDS: usize = 64;

/// Four bytes of a working state.
///
/// # Safety
/// The state has so many bytes.
#[inline(always)]
unsafe fn half_at(state: &[u8], offset: usize) -> u32 {
    debug_assert!(offset + 4 <= state.len());
    unsafe { u32::from_le(state.as_ptr().add(offset).cast::<u32>().read_unaligned()) }
}

/// Which halves of words are the same in two states, in a block of this size that begins there: as bits.
///
/// # Safety
/// Both states have so many bytes.
#[inline(always)]
unsafe fn same_halves<const SIZE: usize>(one: &[u8], other: &[u8], start: usize) -> u64 {
    (0..SIZE / 4).fold(0, |bits, half| {
        let at = start + 4 * half;
        bits | u64::from(unsafe { half_at(one, at) == half_at(other, at) }) << half
    })
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
    let compare = |one: &[u8], other: &[u8], start: usize, size: usize| {
        // SAFETY: who asks has looked.
        unsafe {
            match size {
                8 => same_halves::<8>(one, other, start),
                16 => same_halves::<16>(one, other, start),
                _ => same_halves::<32>(one, other, start),
            }
        }
    };
    let (gather, scatter) = (bits::gather, bits::scatter);
    match known.words.len() {
        2 => pack_by::<2, true>(known, pieces, batch, gather, scatter, compare),
        4 => pack_by::<4, true>(known, pieces, batch, gather, scatter, compare),
        6 => pack_by::<6, true>(known, pieces, batch, gather, scatter, compare),
        8 => pack_by::<8, true>(known, pieces, batch, gather, scatter, compare),
        _ => pack_by::<MOST_WORDS, true>(known, pieces, batch, gather, scatter, compare),
    }
}

/// Which halves of words are the same in two states of one shape, as bits; of a long state, from one block
/// on.
#[inline(always)]
fn same_in_blocks<const LONG: bool>(
    one: &[u8],
    other: &[u8],
    blocks_before: usize,
    first: usize,
    compare: impl Fn(&[u8], &[u8], usize, usize) -> u64,
) -> u64 {
    let length = one.len();
    match block_size(length) {
        32 => {
            let (last, start) = match LONG && blocks_before - first >= BLOCKS {
                true => (first + BLOCKS - 1, 32 * (first + BLOCKS - 1)),
                false => (blocks_before, length - 32),
            };
            let mut same = compare(one, other, start, 32);
            for block in (first..last).rev() {
                same = same << 8 | compare(one, other, 32 * block, 32);
            }
            same
        }
        size => compare(one, other, 0, size) | compare(one, other, length - size, size) << (size / 4),
    }
}

/// The same for states that are stored in so many words (or in at most so many, if these are [`MOST_WORDS`]).
/// Unless they are long, they have no more than [`BLOCKS`].
#[inline(always)]
fn pack_by<const N: usize, const LONG: bool>(
    known: &LastState,
    pieces: &mut Pieces,
    Batch { working: all, entries, out, hidden, hidden_size }: Batch,
    gather: impl Fn(u64, u64) -> u64,
    scatter: impl Fn(u64, u64) -> u64,
    compare: impl Fn(&[u8], &[u8], usize, usize) -> u64 + Copy,
) -> usize {
    let Some(plan) = known.plan.as_deref() else { return 0 };
    let stride = known.words.len();
    let fits = if N == MOST_WORDS { stride <= N } else { stride == N };
    let fits = fits && (LONG || plan.length <= 32 * BLOCKS) && hidden + hidden_size <= plan.length;
    if plan.length < 8 || plan.numbered.len() > 64 || !known.is_complete() || !fits {
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
    let Halves { all: halves, owned, blocks_before, further } = &plan.halves;
    let room = size_of::<[u64; N]>() + hidden_size;
    out.reserve(entries.len() * room);
    let mut at = out.len();
    let mut done = 0;
    for entry in entries.iter_mut() {
        let working = &all[entry.start as usize..entry.end as usize];
        if working.len() != plan.length {
            break;
        }
        let mut state = stored;
        let mut move_bits = |difference: u32, span: &HalfSpan| {
            let bits = gather(difference.into(), span.mask.into());
            debug_assert!((span.stored_word as usize) < N);
            // SAFETY: a state has at least as many words as its shape needs (`LastState::take_plan`).
            unsafe { *state.get_unchecked_mut(span.stored_word as usize) ^= scatter(bits, span.stored_mask) };
        };
        let (mut numbered, mut fixed) = (0, 0);
        for (i, owned) in owned.iter().enumerate().take(if LONG { usize::MAX } else { 1 }) {
            let same = same_in_blocks::<LONG>(working, before, *blocks_before, i * BLOCKS, compare);
            let mut differing = owned & !same;
            while differing != 0 {
                let place = 64 * i + differing.trailing_zeros() as usize;
                differing &= differing - 1;
                debug_assert!(place < halves.len());
                // SAFETY: those to which something belongs are there, and lie in the state
                // (`Plan::find_moves`).
                let (half, difference) = unsafe {
                    let half = halves.get_unchecked(place);
                    let offset = half.offset as usize;
                    (half, half_at(working, offset) ^ half_at(before, offset))
                };
                fixed |= difference & half.fixed;
                numbered |= half.numbered;
                move_bits(difference, &half.moved);
                if half.further != 0 {
                    let further = &further[half.first_further as usize..];
                    further[..half.further as usize].iter().for_each(|span| move_bits(difference, span));
                }
            }
        }
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
        // SAFETY: there is room for so many words, and for the hidden bytes, of each state; a state is no
        // longer than its words; and hidden bytes lie in it.
        unsafe {
            let to = out.as_mut_ptr().add(at);
            for (place, word) in state.iter().enumerate() {
                to.cast::<u64>().add(place).write_unaligned(word.to_le());
            }
            if hidden_size > 0 {
                std::ptr::copy_nonoverlapping(working.as_ptr().add(hidden), to.add(length), hidden_size);
                length += hidden_size;
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
    use super::{BLOCKS, Batch, LastState, MOST_WORDS, Pieces, pack_by, same_halves};
    use core::arch::x86_64::*;

    #[inline]
    #[target_feature(enable = "avx2,bmi2")]
    pub fn pack_near(known: &LastState, pieces: &mut Pieces, batch: Batch) -> usize {
        match known.working.len() > 32 * BLOCKS {
            false => pack_all::<false>(known, pieces, batch),
            true => pack_all::<true>(known, pieces, batch),
        }
    }

    #[inline]
    #[target_feature(enable = "avx2,bmi2")]
    fn pack_all<const LONG: bool>(known: &LastState, pieces: &mut Pieces, batch: Batch) -> usize {
        match known.words.len() {
            2 => pack::<2, LONG>(known, pieces, batch),
            4 => pack::<4, LONG>(known, pieces, batch),
            6 => pack::<6, LONG>(known, pieces, batch),
            8 => pack::<8, LONG>(known, pieces, batch),
            16 => pack::<16, LONG>(known, pieces, batch),
            32 => pack::<32, LONG>(known, pieces, batch),
            _ => pack::<MOST_WORDS, LONG>(known, pieces, batch),
        }
    }

    /// One copy for each length of most states, so that loops over words are unrolled.
    #[inline(never)]
    #[target_feature(enable = "avx2,bmi2")]
    fn pack<const N: usize, const LONG: bool>(known: &LastState, pieces: &mut Pieces, batch: Batch) -> usize {
        let (gather, scatter) = (|word, mask| _pext_u64(word, mask), |bits, mask| _pdep_u64(bits, mask));
        pack_by::<N, LONG>(known, pieces, batch, gather, scatter, |one, other, start, size| {
            compare(one, other, start, size)
        })
    }

    /// As [`same_halves`] does it, by one comparison.
    #[inline]
    #[target_feature(enable = "avx2,bmi2")]
    fn compare(one: &[u8], other: &[u8], start: usize, size: usize) -> u64 {
        debug_assert!(start + size <= one.len().min(other.len()));
        // SAFETY: who asks has looked whether both states have so many bytes.
        unsafe {
            match size {
                8 => same_halves::<8>(one, other, start),
                16 => {
                    let load = |state: &[u8]| _mm_loadu_si128(state.as_ptr().add(start).cast());
                    let same = _mm_cmpeq_epi32(load(one), load(other));
                    _mm_movemask_ps(_mm_castsi128_ps(same)) as u64
                }
                _ => {
                    let load = |state: &[u8]| _mm256_loadu_si256(state.as_ptr().add(start).cast());
                    let same = _mm256_cmpeq_epi32(load(one), load(other));
                    u64::from(_mm256_movemask_ps(_mm256_castsi256_ps(same)) as u32)
                }
            }
        }
    }
}
