//! Looking at all entries of a line at once.
//!
//! The tags of a line are the first 20 of its 64 bytes: two vectors of eight tags each cover them. The
//! numbers are the last 40. Every entry has a bit of the answer.

use super::{ExclusiveLine, LINE_ENTRIES, PlainLine};

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

#[cfg(test)]
mod tests {
    use super::*;

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
