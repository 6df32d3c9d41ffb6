//! Looking at all words of a line at once.
//!
//! A word is 0, or has 32 bits of hash above a number that is not 0. Eight comparisons of hashes and eight with 0 are a dozen
//! instructions for two halves of four; the comparisons of hashes alone are half of them.

use super::LINE_WORDS;

/// The words that have the hash, and those that are 0, as bits.
#[cfg(target_arch = "x86_64")]
#[inline]
pub(crate) fn scan(line: &[u64; LINE_WORDS], hash: u32) -> (u32, u32) {
    use std::arch::x86_64::{
        __m128i, _mm_castps_si128, _mm_castsi128_ps, _mm_cmpeq_epi32, _mm_movemask_epi8, _mm_packs_epi16,
        _mm_packs_epi32, _mm_set_epi64x, _mm_set1_epi32, _mm_setzero_si128, _mm_shuffle_ps,
    };
    // Every processor of this kind has these instructions.
    #[target_feature(enable = "sse2")]
    #[inline]
    fn scan(line: &[u64; LINE_WORDS], hash: u32) -> (u32, u32) {
        let pair = |i: usize| _mm_castsi128_ps(_mm_set_epi64x(line[i + 1] as i64, line[i] as i64));
        let [a, b, c, d] = [pair(0), pair(2), pair(4), pair(6)];
        let equal = |ab: __m128i, cd: __m128i, value: __m128i| {
            _mm_packs_epi32(_mm_cmpeq_epi32(ab, value), _mm_cmpeq_epi32(cd, value))
        };
        let hashes_ab = _mm_castps_si128(_mm_shuffle_ps::<0b11_01_11_01>(a, b));
        let hashes_cd = _mm_castps_si128(_mm_shuffle_ps::<0b11_01_11_01>(c, d));
        let numbers_ab = _mm_castps_si128(_mm_shuffle_ps::<0b10_00_10_00>(a, b));
        let numbers_cd = _mm_castps_si128(_mm_shuffle_ps::<0b10_00_10_00>(c, d));
        let same = equal(hashes_ab, hashes_cd, _mm_set1_epi32(hash as i32));
        let empty = equal(numbers_ab, numbers_cd, _mm_setzero_si128());
        let bits = _mm_movemask_epi8(_mm_packs_epi16(same, empty)) as u32;
        let empty = bits >> LINE_WORDS;
        (bits & !empty & 0xff, empty)
    }
    // Safe: SSE2 is part of x86-64.
    unsafe { scan(line, hash) }
}

#[cfg(not(target_arch = "x86_64"))]
#[inline]
pub(crate) fn scan(line: &[u64; LINE_WORDS], hash: u32) -> (u32, u32) {
    let (mut same, mut empty) = (0, 0);
    for (i, &word) in line.iter().enumerate() {
        let is_empty = word as u32 == 0;
        same |= (((word >> 32) as u32 == hash && !is_empty) as u32) << i;
        empty |= (is_empty as u32) << i;
    }
    (same, empty)
}

/// The words whose upper half is the hash, as bits. If the hash is 0, then words that are 0 are among them.
#[cfg(target_arch = "x86_64")]
#[inline]
pub(crate) fn with_hash(line: &[u64; LINE_WORDS], hash: u32) -> u32 {
    use std::arch::x86_64::{
        _mm_castps_si128, _mm_castsi128_ps, _mm_cmpeq_epi32, _mm_movemask_epi8, _mm_packs_epi16,
        _mm_packs_epi32, _mm_set_epi64x, _mm_set1_epi32, _mm_setzero_si128, _mm_shuffle_ps,
    };
    #[target_feature(enable = "sse2")]
    #[inline]
    fn with_hash(line: &[u64; LINE_WORDS], hash: u32) -> u32 {
        let pair = |i: usize| _mm_castsi128_ps(_mm_set_epi64x(line[i + 1] as i64, line[i] as i64));
        let value = _mm_set1_epi32(hash as i32);
        let same = |i: usize| {
            let hashes = _mm_shuffle_ps::<0b11_01_11_01>(pair(i), pair(i + 2));
            _mm_cmpeq_epi32(_mm_castps_si128(hashes), value)
        };
        let same = _mm_packs_epi16(_mm_packs_epi32(same(0), same(4)), _mm_setzero_si128());
        _mm_movemask_epi8(same) as u32
    }
    // Safe: SSE2 is part of x86-64.
    unsafe { with_hash(line, hash) }
}

#[cfg(not(target_arch = "x86_64"))]
#[inline]
pub(crate) fn with_hash(line: &[u64; LINE_WORDS], hash: u32) -> u32 {
    let same = |(i, word): (usize, &u64)| (((word >> 32) as u32 == hash) as u32) << i;
    line.iter().enumerate().map(same).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_counts() {
        let mut seed = 1u64;
        for _ in 0..10_000 {
            let line: [u64; LINE_WORDS] = std::array::from_fn(|_| {
                seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                // Few hashes, so that they meet, and an empty word now and then.
                if seed >> 60 == 0 { 0 } else { (seed >> 40 & 3) << 62 | (seed >> 33) | 1 }
            });
            for hash in [0, 1, (line[3] >> 32) as u32, (line[7] >> 32) as u32] {
                let bits = |is: &dyn Fn(u64) -> bool| {
                    line.iter().enumerate().fold(0, |bits, (i, word)| bits | (is(*word) as u32) << i)
                };
                let expected =
                    (bits(&|word| word != 0 && (word >> 32) as u32 == hash), bits(&|word| word == 0));
                assert_eq!(scan(&line, hash), expected, "{line:x?} {hash:x}");
                let expected = bits(&|word| (word >> 32) as u32 == hash);
                assert_eq!(with_hash(&line, hash), expected, "{line:x?} {hash:x}");
            }
        }
    }
}
