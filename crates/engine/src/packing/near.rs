//! Packing states that are near a state that is unpacked: most successors are.
//!
//! A state of the same shape has the same bits in the same places. So it is compared with the known one, some
//! words at a time, and what comes out is the set of halves of words that differ, mostly two or three. Only
//! these are looked at ([`super::spans::Half`]): pieces that are their own numbers are moved as differences,
//! without a look at them, and numbered pieces that have bits there are looked up. If a bit differs that
//! never changes in this shape, the state has another shape.
//!
//! Where all bits of a shape are moved in a few steps ([`Plan::is_small`]), not even that is done: all of
//! them are moved, whatever differs. That takes as many instructions, but a processor foresees all jumps,
//! while nobody can foresee which halves differ.
//!
//! The known state is the one that was unpacked last, if it has that shape. A successor of another shape (a
//! process has come or gone) is compared with the last state of that shape, if there is one
//! ([`super::last_state::LastStates`]). Which shape that is, is guessed from its length.

use super::bits::{self, Gathers};
use super::effects::length_of;
use super::last_state::LastState;
use super::pieces::Pieces;
use super::plan::Plan;
use super::spans::{HalfSpan, Halves, Numbered, block_size};
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

/// Which bytes differ in two states of one length, at most 64, as bits; and whether one of some bits does.
#[inline(always)]
fn differing_bytes(one: &[u8], other: &[u8], bits: &[u8]) -> (u64, bool) {
    let differences = one.iter().zip(other).map(|(one, other)| one ^ other);
    let all = differences.zip(bits).enumerate();
    all.fold((0, false), |(bytes, differ), (i, (difference, bits))| {
        (bytes | u64::from(difference != 0) << i, differ || difference & bits != 0)
    })
}

/// What the states of a shape are, to those who pack them.
mod kinds {
    /// All bits are moved in a few steps, and they have 16 to 32 bytes.
    pub const SMALL: u8 = 0;
    /// The same with 32 to 64 bytes.
    pub const LARGER: u8 = 1;
    /// They have no more blocks than [`super::BLOCKS`].
    pub const SHORT: u8 = 2;
    pub const LONG: u8 = 3;
}
use kinds::{LARGER, LONG, SHORT, SMALL};

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
        2 => pack_by::<2, LONG>(known, pieces, batch, gather, scatter, compare, differing_bytes),
        4 => pack_by::<4, LONG>(known, pieces, batch, gather, scatter, compare, differing_bytes),
        6 => pack_by::<6, LONG>(known, pieces, batch, gather, scatter, compare, differing_bytes),
        8 => pack_by::<8, LONG>(known, pieces, batch, gather, scatter, compare, differing_bytes),
        _ => pack_by::<MOST_WORDS, LONG>(known, pieces, batch, gather, scatter, compare, differing_bytes),
    }
}

/// Which halves of words are the same in two states of one shape, as bits; of a long state, from one block
/// on.
#[inline(always)]
fn same_in_blocks<const KIND: u8>(
    one: &[u8],
    other: &[u8],
    blocks_before: usize,
    first: usize,
    compare: impl Fn(&[u8], &[u8], usize, usize) -> u64,
) -> u64 {
    let length = one.len();
    match block_size(length) {
        32 => {
            let (last, start) = match KIND == LONG && blocks_before - first >= BLOCKS {
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

/// The same for states that are stored in so many words (or in at most so many, if these are [`MOST_WORDS`]),
/// of one kind.
#[inline(always)]
fn pack_by<const N: usize, const KIND: u8>(
    known: &LastState,
    pieces: &mut Pieces,
    Batch { working: all, entries, out, hidden, hidden_size }: Batch,
    gather: impl Fn(u64, u64) -> u64,
    scatter: impl Fn(u64, u64) -> u64,
    compare: impl Fn(&[u8], &[u8], usize, usize) -> u64 + Copy,
    differing_bytes: impl Fn(&[u8], &[u8], &[u8]) -> (u64, bool),
) -> usize {
    let Some(plan) = known.plan.as_deref() else { return 0 };
    let (stride, length) = (known.words.len(), plan.length);
    let fits = if N == MOST_WORDS { stride <= N } else { stride == N };
    let fits = fits && (KIND == LONG || length <= 32 * BLOCKS) && hidden + hidden_size <= length;
    if length < 8 || plan.numbered.len() > 64 || !known.is_complete() || !fits {
        return 0;
    }
    let mut stored = [0; N];
    match known.words.first_chunk() {
        Some(words) => stored = *words,
        None => stored[..stride].copy_from_slice(&known.words),
    }
    let all_move = KIND == SMALL || KIND == LARGER;
    let size = if KIND == SMALL { 16 } else { 32 };
    if all_move && (length < size || length > 2 * size) {
        return 0;
    }
    let fixed = if all_move { &plan.fixed[..length] } else { &[] };
    let before = &known.working[..length];
    let values = &known.values[..plan.numbered.len()];
    let (narrow, has_higher) = (plan.places.narrow, plan.places.has_higher());
    let Halves { all: halves, owned, blocks_before, further } = &plan.halves;
    let room = size_of::<[u64; N]>() + hidden_size;
    out.reserve(entries.len() * room);
    let (first, mut at) = (out.as_mut_ptr(), out.len());
    let count = entries.len();
    let mut rest = entries.iter_mut();
    let done = 'states: loop {
        let Some(entry) = rest.next() else { break count };
        let (start, end) = (entry.start as usize, entry.end as usize);
        if end.wrapping_sub(start) != length || end > all.len() {
            break 'states count - rest.len() - 1;
        }
        // SAFETY: these are bytes of the slice: with this length, no other start lies so far before the end.
        let working = unsafe { all.get_unchecked(start..end) };
        let difference_at = |offset: u32| {
            debug_assert!(offset as usize + 8 <= length);
            // SAFETY: the words of spans and pieces lie in a working state (`Plan::find_moves`), and both
            // have the length of one.
            unsafe {
                let one = working.as_ptr().add(offset as usize).cast::<u64>().read_unaligned();
                let other = before.as_ptr().add(offset as usize).cast::<u64>().read_unaligned();
                u64::from_le(one ^ other)
            }
        };
        let mut state = stored;
        let mut move_bits = |bits: u64, word: u32, mask: u64| {
            debug_assert!((word as usize) < N);
            // SAFETY: a state has at least as many words as its shape needs (`LastState::take_plan`).
            unsafe { *state.get_unchecked_mut(word as usize) ^= scatter(bits, mask) };
        };
        if all_move {
            let (differing, has_another_shape) = differing_bytes(working, before, fixed);
            if has_another_shape {
                break 'states count - rest.len() - 1;
            }
            for span in &plan.spans {
                let bits = gather(difference_at(span.offset), span.mask);
                move_bits(bits, span.stored_word, span.stored_mask);
            }
            for (moved, value) in plan.numbered.iter().zip(values) {
                if moved.bytes & differing == 0 {
                    continue;
                }
                let change = moved.change(difference_at, &gather);
                if change != 0 && !renumber(plan, pieces, moved, value ^ change, &mut state, &scatter) {
                    break 'states count - rest.len() - 1;
                }
            }
        } else {
            let mut move_half = |difference: u32, span: &HalfSpan| {
                move_bits(gather(difference.into(), span.mask.into()), span.stored_word, span.stored_mask);
            };
            let (mut numbered, mut fixed) = (0, 0);
            for (i, owned) in owned.iter().enumerate().take(if KIND == LONG { usize::MAX } else { 1 }) {
                let same = same_in_blocks::<KIND>(working, before, *blocks_before, i * BLOCKS, compare);
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
                    move_half(difference, &half.moved);
                    if half.further != 0 {
                        let further = &further[half.first_further as usize..];
                        further[..half.further as usize].iter().for_each(|span| move_half(difference, span));
                    }
                }
            }
            if fixed != 0 {
                break 'states count - rest.len() - 1;
            }
            while numbered != 0 {
                let position = numbered.trailing_zeros() as usize;
                numbered &= numbered - 1;
                let (Some(moved), Some(value)) = (plan.numbered.get(position), values.get(position)) else {
                    break;
                };
                let change = moved.change(difference_at, &gather);
                if change != 0 && !renumber(plan, pieces, moved, value ^ change, &mut state, &scatter) {
                    break 'states count - rest.len() - 1;
                }
            }
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
            let to = first.add(at);
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
    };
    // SAFETY: all of these states were written.
    unsafe { out.set_len(at) };
    done
}

/// Writes the number of a value that a piece has not had before. Whether there is a place for it.
#[inline(always)]
fn renumber(
    plan: &Plan,
    pieces: &mut Pieces,
    moved: &Numbered,
    value: u64,
    state: &mut [u64],
    scatter: impl Fn(u64, u64) -> u64,
) -> bool {
    let number = pieces.number(moved.piece.kind, value);
    moved.write(&plan.places, state, number, scatter).is_ok()
}

#[cfg(target_arch = "x86_64")]
mod instruction {
    use super::{
        BLOCKS, Batch, LARGER, LONG, LastState, MOST_WORDS, Pieces, SHORT, SMALL, block_size, pack_by,
        same_halves,
    };
    use core::arch::x86_64::*;

    #[inline]
    #[target_feature(enable = "avx2,bmi2")]
    pub fn pack_near(known: &LastState, pieces: &mut Pieces, batch: Batch) -> usize {
        let Some(plan) = known.plan.as_deref() else { return 0 };
        match (known.words.len(), block_size(plan.length)) {
            (2, 16) if plan.is_small => pack::<2, SMALL>(known, pieces, batch),
            (2, 32) if plan.is_small => pack::<2, LARGER>(known, pieces, batch),
            (4, 16) if plan.is_small => pack::<4, SMALL>(known, pieces, batch),
            (4, 32) if plan.is_small => pack::<4, LARGER>(known, pieces, batch),
            _ if plan.length > 32 * BLOCKS => pack_all::<LONG>(known, pieces, batch),
            _ => pack_all::<SHORT>(known, pieces, batch),
        }
    }

    #[inline]
    #[target_feature(enable = "avx2,bmi2")]
    fn pack_all<const KIND: u8>(known: &LastState, pieces: &mut Pieces, batch: Batch) -> usize {
        match known.words.len() {
            2 => pack::<2, KIND>(known, pieces, batch),
            4 => pack::<4, KIND>(known, pieces, batch),
            6 => pack::<6, KIND>(known, pieces, batch),
            8 => pack::<8, KIND>(known, pieces, batch),
            16 => pack::<16, KIND>(known, pieces, batch),
            32 => pack::<32, KIND>(known, pieces, batch),
            _ => pack::<MOST_WORDS, KIND>(known, pieces, batch),
        }
    }

    /// One copy for each length of most states, so that loops over words are unrolled.
    #[inline(never)]
    #[target_feature(enable = "avx2,bmi2")]
    fn pack<const N: usize, const KIND: u8>(known: &LastState, pieces: &mut Pieces, batch: Batch) -> usize {
        let (gather, scatter) = (|word, mask| _pext_u64(word, mask), |bits, mask| _pdep_u64(bits, mask));
        let compare = |one: &[u8], other: &[u8], start, size| compare(one, other, start, size);
        let differing_bytes = |one: &[u8], other: &[u8], bits: &[u8]| match KIND {
            SMALL => differing_by_16(one, other, bits),
            _ => differing_by_32(one, other, bits),
        };
        pack_by::<N, KIND>(known, pieces, batch, gather, scatter, compare, differing_bytes)
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

    /// Where the last block begins in states of one length, which have one block or two.
    #[inline(always)]
    fn last_block<const SIZE: usize>(one: &[u8], other: &[u8], bits: &[u8]) -> usize {
        let length = one.len();
        assert!((SIZE..=2 * SIZE).contains(&length) && other.len() == length && bits.len() == length);
        length - SIZE
    }

    /// As [`super::differing_bytes`] does it, for states of 16 to 32 bytes.
    #[inline]
    #[target_feature(enable = "avx2,bmi2")]
    pub fn differing_by_16(one: &[u8], other: &[u8], bits: &[u8]) -> (u64, bool) {
        let last = last_block::<16>(one, other, bits);
        let block = |start: usize| {
            // SAFETY: both blocks lie in all of these.
            let load = |bytes: &[u8]| unsafe { _mm_loadu_si128(bytes.as_ptr().add(start).cast()) };
            let difference = _mm_xor_si128(load(one), load(other));
            let same = _mm_movemask_epi8(_mm_cmpeq_epi8(difference, _mm_setzero_si128()));
            (u64::from(!same as u16), _mm_and_si128(difference, load(bits)))
        };
        let ((first, some), (second, others)) = (block(0), block(last));
        let all = _mm_or_si128(some, others);
        (first | second << last, _mm_testz_si128(all, all) == 0)
    }

    /// The same for states of 32 to 64 bytes.
    #[inline]
    #[target_feature(enable = "avx2,bmi2")]
    pub fn differing_by_32(one: &[u8], other: &[u8], bits: &[u8]) -> (u64, bool) {
        let last = last_block::<32>(one, other, bits);
        let block = |start: usize| {
            // SAFETY: both blocks lie in all of these.
            let load = |bytes: &[u8]| unsafe { _mm256_loadu_si256(bytes.as_ptr().add(start).cast()) };
            let difference = _mm256_xor_si256(load(one), load(other));
            let same = _mm256_movemask_epi8(_mm256_cmpeq_epi8(difference, _mm256_setzero_si256()));
            (u64::from(!same as u32), _mm256_and_si256(difference, load(bits)))
        };
        let ((first, some), (second, others)) = (block(0), block(last));
        let all = _mm256_or_si256(some, others);
        (first | second << last, _mm256_testz_si256(all, all) == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By instruction, where there is one, and by a loop; of states of all lengths, which differ in a bit of
    /// each byte, or in several.
    #[test]
    #[cfg(target_arch = "x86_64")]
    fn bytes_that_differ() {
        if Gathers::here() != Gathers::ByInstruction {
            return;
        }
        for length in 16..=64 {
            let one: Vec<u8> = (0..length as u8).map(|i| i.wrapping_mul(37)).collect();
            for bit in 0..8 * length {
                for other_bit in [bit, 5, 8 * length - 1, bit * 7 % (8 * length)] {
                    let mut other = one.clone();
                    other[bit / 8] ^= 1 << (bit % 8);
                    other[other_bit / 8] |= 1 << (other_bit % 8);
                    let bits: Vec<u8> = (0..length).map(|i| if i % 3 == 0 { 0x5a } else { 0 }).collect();
                    let found = differing_bytes(&one, &other, &bits);
                    // SAFETY: the processor has the instructions.
                    unsafe {
                        if length <= 32 {
                            assert_eq!(instruction::differing_by_16(&one, &other, &bits), found);
                        }
                        if length >= 32 {
                            assert_eq!(instruction::differing_by_32(&one, &other, &bits), found);
                        }
                    }
                    assert_eq!(found.1, (0..length).any(|i| (one[i] ^ other[i]) & bits[i] != 0));
                    let differ = |i: usize| u64::from(one[i] != other[i]) << i;
                    assert_eq!(found.0, (0..length).fold(0, |all, i| all | differ(i)));
                }
            }
        }
    }
}
