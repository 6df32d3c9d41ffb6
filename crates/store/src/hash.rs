//! The hash of a state: two words at a time, folded into one by a multiplication.
//!
//! The product of two words has 128 bits, and its upper half depends on all bits of both; upper and lower half together, by
//! exclusive or, are the new word. That is one multiplication for 16 bytes. Longer states go through two chains at a time, so that
//! the processor need not wait for one product before it begins the next. Where the length is no multiple of 16, the last block overlaps
//! the one before; the length is part of the hash.
//!
//! Words are read as little-endian: the hash of a state is the same on every machine. Nothing that a search reports depends on it.
//!
//! Nobody who writes a model has a reason to make hashes collide; who does it anyway gets a slow search, not a wrong one. So there is no
//! secret seed.

/// How a store hashes its states. Stores need 32 good bits.
pub trait StateHash {
    /// The hash of a state.
    fn hash(&self, state: &[u8]) -> u32;
}

/// The hash described above.
#[derive(Clone, Copy, Debug, Default)]
pub struct FoldedProducts;

/// Arbitrary odd numbers with about as many ones as zeros.
const KEYS: [u64; 4] =
    [0xa0d5_b1c3_7e96_4f2b, 0x5c8e_93a7_1fb4_d06d, 0xc36b_2d58_e94a_7b15, 0x3f71_e4ca_86d2_59b3];

#[inline(always)]
fn fold(a: u64, b: u64) -> u64 {
    let product = a as u128 * b as u128;
    product as u64 ^ (product >> 64) as u64
}

#[inline(always)]
fn word(bytes: &[u8], at: usize) -> u64 {
    bytes[at..].first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

#[inline(always)]
fn half_word(bytes: &[u8], at: usize) -> u64 {
    bytes[at..].first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes) as u64)
}

impl StateHash for FoldedProducts {
    #[inline]
    fn hash(&self, state: &[u8]) -> u32 {
        let length = state.len();
        let mut hash = KEYS[0] ^ length as u64;
        let (low, high) = if length > 16 {
            let mut rest = state;
            if length > 64 {
                let mut second = KEYS[3];
                while let Some((block, after)) = rest.split_first_chunk::<32>()
                    && !after.is_empty()
                {
                    hash = fold(word(block, 0) ^ hash, word(block, 8) ^ KEYS[1]);
                    second = fold(word(block, 16) ^ second, word(block, 24) ^ KEYS[2]);
                    rest = after;
                }
                hash ^= second;
            }
            while let Some((block, after)) = rest.split_first_chunk::<16>()
                && !after.is_empty()
            {
                hash = fold(word(block, 0) ^ hash, word(block, 8) ^ KEYS[1]);
                rest = after;
            }
            (word(state, length - 16), word(state, length - 8))
        } else if length >= 8 {
            (word(state, 0), word(state, length - 8))
        } else if length >= 4 {
            (half_word(state, 0), half_word(state, length - 4))
        } else {
            // Up to three bytes: the first, the middle one and the last are all of them.
            let byte = |at: usize| state.get(at).map_or(0, |byte| *byte as u64);
            (byte(0) << 16 | byte(length / 2) << 8 | byte(length.saturating_sub(1)), 0)
        };
        let folded = fold(low ^ hash, high ^ KEYS[1]);
        (fold(folded ^ KEYS[2], KEYS[3] ^ length as u64) >> 32) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    /// Pairs of equal hashes may be so many times as frequent as they would be by chance, and some more.
    fn collide_by_chance(name: &str, states: impl Iterator<Item = Vec<u8>>) {
        let mut count = 0u64;
        let mut seen: HashMap<u32, u64> = HashMap::new();
        let mut lines = vec![0u64; 1 << 10];
        for state in states {
            let hash = FoldedProducts.hash(&state);
            *seen.entry(hash).or_default() += 1;
            lines[hash as usize >> 22] += 1;
            count += 1;
        }
        let pairs: u64 = seen.values().map(|n| n * (n - 1) / 2).sum();
        let expected = (count * count) as f64 / 2.0 / (1u64 << 32) as f64;
        assert!(
            (pairs as f64) < expected * 2.0 + 8.0,
            "{name}: {pairs} pairs collide, not about {expected:.1}"
        );
        // Chi-square over the upper bits, which choose the place in the table.
        let mean = count as f64 / lines.len() as f64;
        let deviation: f64 = lines.iter().map(|&n| (n as f64 - mean).powi(2) / mean).sum();
        assert!(deviation < 1023.0 + 6.0 * 2046f64.sqrt(), "{name}: places are uneven, {deviation:.0}");
    }

    #[test]
    fn counters_of_all_lengths_and_places() {
        for length in [4, 5, 7, 8, 9, 15, 16, 17, 24, 31, 32, 33, 47, 64, 65, 96, 97, 100, 128, 200] {
            for place in [0, (length - 4) / 2, length - 4] {
                let states = (0..200_000u32).map(|i| {
                    let mut state = vec![0; length];
                    state[place..place + 4].copy_from_slice(&i.to_le_bytes());
                    state
                });
                collide_by_chance(&format!("counter at {place} of {length}"), states);
            }
        }
    }

    #[test]
    fn few_small_values_in_many_places() {
        for length in [10, 18, 30, 70, 130] {
            let states = (0..3u32.pow(11)).map(|mut i| {
                let mut state = vec![0; length];
                for digit in 0..9 {
                    state[digit * length / 9] = (i % 3) as u8;
                    i /= 3;
                }
                state[length - 1] = (i % 9) as u8;
                state
            });
            collide_by_chance(&format!("digits over {length}"), states);
        }
    }

    #[test]
    fn single_and_double_bits() {
        for length in [3usize, 8, 13, 16, 40, 64, 66, 128] {
            let bits = length * 8;
            let states = (0..bits).flat_map(|a| (a..bits).map(move |b| (a, b))).map(|(a, b)| {
                let mut state = vec![0u8; length];
                state[a / 8] ^= 1 << (a % 8);
                if a != b {
                    state[b / 8] ^= 1 << (b % 8);
                }
                state
            });
            let mut seen: HashMap<u32, u64> = HashMap::new();
            states.for_each(|state| *seen.entry(FoldedProducts.hash(&state)).or_default() += 1);
            let pairs: u64 = seen.values().map(|n| n * (n - 1) / 2).sum();
            let count = seen.values().sum::<u64>() as f64;
            assert!((pairs as f64) < count * count / (1u64 << 32) as f64 + 8.0, "{length}: {pairs}");
        }
    }

    #[test]
    fn every_bit_changes_about_half_of_the_hash() {
        for length in [1usize, 2, 3, 4, 7, 8, 12, 16, 17, 32, 33, 64, 65, 80, 128, 129] {
            for byte in 0..length {
                for bit in 0..8 {
                    let mut flips = 0;
                    for round in 0..64u64 {
                        let mut state: Vec<u8> =
                            (0..length as u64).map(|i| ((i + round) * (round * 37 + 11)) as u8).collect();
                        let before = FoldedProducts.hash(&state);
                        state[byte] ^= 1 << bit;
                        flips += (before ^ FoldedProducts.hash(&state)).count_ones();
                    }
                    assert!(
                        (12 * 64..20 * 64).contains(&flips),
                        "{length} bytes, byte {byte} bit {bit}: {flips}"
                    );
                }
            }
        }
    }

    #[test]
    fn lengths_are_told_apart() {
        collide_by_chance("zeros", (0..5000).map(|length| vec![0; length]));
        collide_by_chance("ones", (0..5000).map(|length| vec![1; length]));
    }

    #[test]
    fn the_hash_is_the_same_everywhere() {
        let state: Vec<u8> = (0..200).collect();
        let hashes = [0, 3, 5, 11, 16, 20, 40, 100, 200].map(|length| FoldedProducts.hash(&state[..length]));
        assert_eq!(
            hashes,
            [
                630319840, 97227150, 73493409, 4272884360, 720632997, 4077153188, 3445108771, 1505508118,
                2911181330
            ]
        );
    }
}
