//! The hash of a state: a sum of its words, each with a weight of its own, and a last step that mixes the
//! sum.
//!
//! A state is read as words of 32 bits. The sum of the words, each times an arbitrary number of 64 bits that
//! belongs to its place, is the same for two different states once in 2⁶⁴ ("multilinear hashing"). So nearly
//! all that can go wrong happens in the last step, which takes 32 well-mixed bits out of the sum.
//!
//! What makes it worth its while is that sums are sums. Who knows the sum of a state, and by how much a step
//! changes it, knows the sum of the successor with one addition, without looking at the successor. So a model
//! keeps for each remembered step the difference of the sums before and after (the weights are the same for
//! all states, so the difference is too), and a search whose model tells the sums of successors never reads a
//! state in order to hash it ([`crate::Batch::sum`]). All sums and differences are made here:
//! [`StateHash::sum`] of bytes, [`WeightedSums::of_padded`] of words, [`WeightedSums::of_more`] and
//! [`WeightedSums::of_lengths`] of what makes a state longer.
//!
//! Words are read as little-endian, and what is missing of the last one is 0; the length counts like a word.
//! The hash of a state is the same on every machine. Nothing that a search reports depends on it.
//!
//! Nobody who writes a model has a reason to make hashes collide; who does it anyway gets a slow search, not
//! a wrong one. So there is no secret seed.

/// How a store hashes its states. Stores need 32 good bits.
pub trait StateHash {
    /// The sum of a state, from which its hash follows.
    fn sum(&self, state: &[u8]) -> u64;

    /// The hash of a state with this sum.
    fn finish(&self, sum: u64) -> u32;

    /// The hash of a state.
    #[inline]
    fn hash(&self, state: &[u8]) -> u32 {
        self.finish(self.sum(state))
    }
}

/// The hash described above.
#[derive(Clone, Copy, Debug, Default)]
pub struct WeightedSums;

/// So many words have weights in a table; of those behind, weights are computed.
const TABLE: usize = 64;

const fn computed_weight(place: usize) -> u64 {
    let mut x = (place as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (x ^ (x >> 31)) | 1
}

const WEIGHTS: [u64; TABLE] = {
    let mut weights = [0; TABLE];
    let mut place = 0;
    while place < TABLE {
        weights[place] = computed_weight(place);
        place += 1;
    }
    weights
};

#[inline(always)]
fn weight(place: usize) -> u64 {
    match WEIGHTS.get(place) {
        Some(weight) => *weight,
        None => computed_weight(place),
    }
}

impl WeightedSums {
    /// A byte more adds so much, even if it is 0.
    const LENGTH: u64 = 0xc36b_2d58_e94a_7b15;

    /// The sum of a state of so many bytes that lies in words of 64 bits, with zeros behind its end.
    #[inline(always)]
    pub fn of_padded(words: &[u64], length: usize) -> u64 {
        WeightedSums::of_words(words).wrapping_add(WeightedSums::of_lengths(length, 0))
    }

    /// What the sum of a state changes by if its length does, and zeros are put behind its end or taken away
    /// from there.
    #[inline(always)]
    pub fn of_lengths(length: usize, before: usize) -> u64 {
        (length as u64).wrapping_sub(before as u64).wrapping_mul(WeightedSums::LENGTH)
    }

    /// The sum of some words of 64 bits, which are two of 32 bits each, without the length.
    #[inline(always)]
    fn of_words(words: &[u64]) -> u64 {
        let mut sum = 0u64;
        for (i, word) in words.iter().enumerate() {
            let (low, high) = (word & 0xffff_ffff, word >> 32);
            sum = sum.wrapping_add(low.wrapping_mul(weight(2 * i)));
            sum = sum.wrapping_add(high.wrapping_mul(weight(2 * i + 1)));
        }
        sum
    }

    /// What the sum of a state grows by if bytes are put behind its end.
    #[inline(always)]
    pub fn of_more(length: usize, more: &[u8]) -> u64 {
        more.iter().enumerate().fold(0u64, |sum, (i, &byte)| {
            let at = length + i;
            let word = (byte as u64) << (at % 4 * 8);
            sum.wrapping_add(word.wrapping_mul(weight(at / 4))).wrapping_add(WeightedSums::LENGTH)
        })
    }
}

impl StateHash for WeightedSums {
    #[inline(always)]
    fn sum(&self, state: &[u8]) -> u64 {
        let (words, rest) = state.as_chunks::<4>();
        let mut sum = WeightedSums::of_lengths(state.len(), 0);
        for (place, word) in words.iter().enumerate() {
            sum = sum.wrapping_add((u32::from_le_bytes(*word) as u64).wrapping_mul(weight(place)));
        }
        let rest = rest.iter().rev().fold(0, |word, &byte| word << 8 | byte as u64);
        sum.wrapping_add(rest.wrapping_mul(weight(words.len())))
    }

    #[inline(always)]
    fn finish(&self, sum: u64) -> u32 {
        ((sum ^ (sum >> 32)).wrapping_mul(0xa0d5_b1c3_7e96_4f2b) >> 32) as u32
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
            let hash = WeightedSums.hash(&state);
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
            states.for_each(|state| *seen.entry(WeightedSums.hash(&state)).or_default() += 1);
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
                        let before = WeightedSums.hash(&state);
                        state[byte] ^= 1 << bit;
                        flips += (before ^ WeightedSums.hash(&state)).count_ones();
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
    fn sums_are_sums() {
        let state: Vec<u8> = (0..100).map(|i| (i * 37 + 11) as u8).collect();
        for length in 0..state.len() {
            let words: Vec<u64> = state[..length]
                .chunks(8)
                .map(|bytes| bytes.iter().rev().fold(0, |word, &byte| word << 8 | byte as u64))
                .collect();
            let sum = WeightedSums.sum(&state[..length]);
            assert_eq!(sum, WeightedSums::of_padded(&words, length));
            for zeros in 0..9 {
                let padded = [&state[..length], &vec![0; zeros]].concat();
                let longer = WeightedSums::of_lengths(length + zeros, length);
                assert_eq!(WeightedSums.sum(&padded), sum.wrapping_add(longer));
                assert_eq!(WeightedSums::of_lengths(length, length + zeros), longer.wrapping_neg());
            }
            for end in length..state.len().min(length + 9) {
                let more = WeightedSums::of_more(length, &state[length..end]);
                assert_eq!(WeightedSums.sum(&state[..end]), sum.wrapping_add(more));
            }
        }
        let long = vec![1; 1000];
        assert_eq!(
            WeightedSums.sum(&long),
            WeightedSums.sum(&long[..300]).wrapping_add(WeightedSums::of_more(300, &long[300..]))
        );
    }

    #[test]
    fn the_hash_is_the_same_everywhere() {
        let state: Vec<u8> = (0..200).collect();
        let hashes = [0, 3, 5, 11, 16, 20, 40, 100, 200].map(|length| WeightedSums.hash(&state[..length]));
        assert_eq!(
            hashes,
            [0, 394990806, 1582696632, 2064245609, 1795347855, 1071269629, 94345055, 38901408, 2910229544]
        );
    }
}
