//! Looking at all entries of a line at once.
//!
//! The tags of a line are the first 20 of its 64 bytes: two vectors of eight tags each cover them. The
//! numbers are the last 40. Every entry has a bit of the answer.

use super::{ExclusiveLine, LINE_ENTRIES, Line, PlainLine};
#[cfg(not(target_arch = "x86_64"))]
use std::sync::atomic::Ordering;

/// All entries.
const ALL: u32 = (1 << LINE_ENTRIES) - 1;

/// The entries that have the tag. If it is 0, then empty ones are among them.
#[cfg(target_arch = "x86_64")]
#[inline]
pub(crate) fn with_tag(line: &ExclusiveLine, tag: u16) -> u32 {
    use std::arch::x86_64::{
        __m128i, _mm_cmpeq_epi16, _mm_load_si128, _mm_movemask_epi8, _mm_packs_epi16, _mm_set1_epi16,
    };
    let vectors: *const __m128i = std::ptr::from_ref(line).cast();
    // SAFETY: SSE2 is part of x86-64. A line is four vectors long, and lies at a boundary of its length; it
    // is this thread's alone.
    unsafe {
        let tags = _mm_set1_epi16(tag as i16);
        let first = _mm_cmpeq_epi16(_mm_load_si128(vectors), tags);
        let second = _mm_cmpeq_epi16(_mm_load_si128(vectors.add(1)), tags);
        _mm_movemask_epi8(_mm_packs_epi16(first, second)) as u32 & ALL
    }
}

#[cfg(not(target_arch = "x86_64"))]
#[inline]
pub(crate) fn with_tag(line: &ExclusiveLine, tag: u16) -> u32 {
    let same = |(i, of): (usize, &std::cell::Cell<u16>)| ((of.get() == tag) as u32) << i;
    line.tags.iter().enumerate().map(same).sum()
}

/// Which of the first sixteen bytes of a line are `tag`.
#[cfg(target_arch = "x86_64")]
#[inline]
pub(crate) fn bytes_with_tag(line: &PlainLine, tag: u8) -> u32 {
    use std::arch::x86_64::{__m128i, _mm_cmpeq_epi8, _mm_load_si128, _mm_movemask_epi8, _mm_set1_epi8};
    let vector: *const __m128i = line.0.as_ptr().cast();
    // SAFETY: SSE2 is part of x86-64. A line has sixteen bytes and more, and lies at a boundary of 64.
    unsafe { _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_load_si128(vector), _mm_set1_epi8(tag as i8))) as u32 }
}

#[cfg(not(target_arch = "x86_64"))]
#[inline]
pub(crate) fn bytes_with_tag(line: &PlainLine, tag: u8) -> u32 {
    line.0[..16].iter().enumerate().map(|(i, &byte)| ((byte == tag) as u32) << i).sum()
}

/// The first entry without a number, if there is one.
#[cfg(target_arch = "x86_64")]
#[inline]
pub(crate) fn first_empty(line: &ExclusiveLine) -> Option<usize> {
    use std::arch::x86_64::{
        __m128i, _mm_cmpeq_epi32, _mm_loadu_si128, _mm_movemask_epi8, _mm_packs_epi16, _mm_packs_epi32,
        _mm_setzero_si128,
    };
    // The last four are the seventh to the tenth: two of them are looked at twice.
    const LAST: usize = LINE_ENTRIES - 4;
    let numbers: *const u32 = line.numbers.as_ptr().cast();
    // SAFETY: SSE2 is part of x86-64. Four numbers from the first, fifth and seventh on are numbers of the
    // line, which is this thread's alone.
    let bits = unsafe {
        let empty = |from: usize| {
            let four: *const __m128i = numbers.add(from).cast();
            _mm_cmpeq_epi32(_mm_loadu_si128(four), _mm_setzero_si128())
        };
        let last = _mm_packs_epi32(empty(LAST), _mm_setzero_si128());
        _mm_movemask_epi8(_mm_packs_epi16(_mm_packs_epi32(empty(0), empty(4)), last)) as u32
    };
    let empty = bits & 0xff | bits >> 8 << LAST;
    (empty != 0).then_some(empty.trailing_zeros() as usize)
}

#[cfg(not(target_arch = "x86_64"))]
#[inline]
pub(crate) fn first_empty(line: &ExclusiveLine) -> Option<usize> {
    line.numbers.iter().position(|number| number.get() == 0)
}

/// What there is in a line that other threads may write to: a bit for each entry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LookedAt {
    /// It has the tag.
    pub same: u32,
    /// Its tag is 0.
    pub untagged: u32,
    /// It has no number.
    pub empty: u32,
}

/// Looks at a line that other threads may write to. Every part is 0 or what it will ever be; what is seen of
/// one says nothing about another.
#[cfg(target_arch = "x86_64")]
#[inline]
pub(crate) fn looked_at(line: &Line, tag: u16) -> LookedAt {
    use std::arch::asm;
    use std::arch::x86_64::{
        __m128i, _mm_cmpeq_epi16, _mm_cmpeq_epi32, _mm_movemask_epi8, _mm_packs_epi16, _mm_packs_epi32,
        _mm_set1_epi16, _mm_setzero_si128,
    };
    /// Sixteen bytes of a line.
    #[inline]
    fn load(line: &Line, at: usize) -> __m128i {
        debug_assert!(at + 16 <= size_of::<Line>());
        let place: *const u8 = std::ptr::from_ref(line).cast();
        let vector: __m128i;
        // SAFETY: the bytes lie within the line. Other threads write to them, by atomic instructions: so a
        // load by the compiler would be a race. This one is the processor's, which loads each number of two
        // or four bytes, at a boundary of its length and within a cache line, as a whole: as relaxed atomic
        // loads would, one for each.
        unsafe {
            asm!("movdqu {vector}, [{place}]", vector = out(xmm_reg) vector, place = in(reg) place.add(at),
                options(nostack, preserves_flags, readonly));
        }
        vector
    }
    const NUMBERS: usize = std::mem::offset_of!(Line, numbers);
    // As in `first_empty`: two numbers are looked at twice.
    const LAST: usize = LINE_ENTRIES - 4;
    let (first, second) = (load(line, 0), load(line, 16));
    let numbers = [0, 4, LAST].map(|from| load(line, NUMBERS + 4 * from));
    // SAFETY: SSE2 is part of x86-64.
    unsafe {
        let with = |tags: __m128i| {
            let both = _mm_packs_epi16(_mm_cmpeq_epi16(first, tags), _mm_cmpeq_epi16(second, tags));
            _mm_movemask_epi8(both) as u32 & ALL
        };
        let zero = _mm_setzero_si128();
        let [a, b, c] = numbers.map(|four| _mm_cmpeq_epi32(four, zero));
        let last = _mm_packs_epi32(c, zero);
        let bits = _mm_movemask_epi8(_mm_packs_epi16(_mm_packs_epi32(a, b), last)) as u32;
        let empty = bits & 0xff | bits >> 8 << LAST;
        LookedAt { same: with(_mm_set1_epi16(tag as i16)), untagged: with(zero), empty }
    }
}

#[cfg(not(target_arch = "x86_64"))]
#[inline]
pub(crate) fn looked_at(line: &Line, tag: u16) -> LookedAt {
    let mut seen = LookedAt::default();
    for (i, (of, number)) in line.tags.iter().zip(&line.numbers).enumerate() {
        let of = of.load(Ordering::Relaxed);
        seen.same |= u32::from(of == tag) << i;
        seen.untagged |= u32::from(of == 0) << i;
        seen.empty |= u32::from(number.load(Ordering::Relaxed) == 0) << i;
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::Ordering;

    #[test]
    fn every_entry_counts_in_a_shared_line() {
        let mut seed = 5u64;
        for _ in 0..10_000 {
            let line = Line::default();
            let mut expected = LookedAt::default();
            for i in 0..LINE_ENTRIES {
                seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                let tag = if seed >> 61 == 0 { 0 } else { (seed >> 40 & 3) as u16 };
                let number = if seed >> 58 & 7 == 0 { 0 } else { (seed >> 33) as u32 | 1 };
                line.tags[i].store(tag, Ordering::Relaxed);
                line.numbers[i].store(number, Ordering::Relaxed);
                expected.same |= u32::from(tag == 2) << i;
                expected.untagged |= u32::from(tag == 0) << i;
                expected.empty |= u32::from(number == 0) << i;
            }
            line.above_tags.store((seed >> 20) as u32, Ordering::Relaxed);
            assert_eq!(looked_at(&line, 2), expected, "{line:x?}");
        }
    }

    #[test]
    fn every_entry_counts() {
        let mut seed = 1u64;
        for _ in 0..10_000 {
            let line = ExclusiveLine::default();
            for (tag, number) in line.tags.iter().zip(&line.numbers) {
                seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                // Few tags, so that they meet, and an empty entry now and then.
                if seed >> 61 != 0 {
                    tag.set((seed >> 40 & 3) as u16 * 0x5555);
                    number.set((seed >> 33) as u32 | 1);
                }
            }
            // What else is in the line does not count.
            line.above_tags.set((seed >> 20) as u32);
            for tag in [0, 1, line.above_tags.get() as u16, line.tags[3].get(), line.tags[9].get()] {
                let expected =
                    line.tags.iter().enumerate().map(|(i, of)| ((of.get() == tag) as u32) << i).sum();
                assert_eq!(with_tag(&line, tag), expected, "{line:x?} {tag:x}");
            }
            let expected = line.numbers.iter().position(|number| number.get() == 0);
            assert_eq!(first_empty(&line), expected, "{line:x?}");
        }
    }
}
