//! Fingerprints: what lossy stores keep of a state, or what follows from it. Unlike the exact store, which
//! compares states in the end, these stand or fall with their hash.
//!
//! So they do not take the sums that come with a state ([`crate::WeightedSums`]): two states that differ in
//! the upper bytes of two words have the same sum more often than by chance, and in every search again. A
//! fingerprint reads all bytes, sixteen at a time: both halves are mixed with numbers that follow from a
//! *seed*, and multiplied; the upper half of the product is added to the lower one. Another seed is another
//! function, and what one function confuses another tells apart. That is what repeated searches build upon.
//!
//! The seed is no secret: nobody who writes a model has a reason to make fingerprints collide.

/// A function from states to 64 bits, by the number of the function.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fingerprints {
    keys: [u64; 4],
}

/// The halves of a product, mixed.
#[inline(always)]
fn folded(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

/// Well-mixed bits, another number for each number.
#[inline(always)]
fn mixed(number: u64) -> u64 {
    let x = (number ^ number >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
    let x = (x ^ x >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
    x ^ x >> 32
}

/// Up to eight bytes as a number. (In two pieces that may overlap: a copy of a length that is not known takes
/// a call.)
#[inline(always)]
fn word(bytes: &[u8]) -> u64 {
    if let Some(all) = bytes.first_chunk() {
        u64::from_le_bytes(*all)
    } else if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        let (first, last) = (u32::from_le_bytes(*first), u32::from_le_bytes(*last));
        u64::from(first) | u64::from(last) << (8 * (bytes.len() - 4))
    } else {
        bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte))
    }
}

impl Fingerprints {
    pub fn new(seed: u64) -> Fingerprints {
        let key = |i: u64| mixed(mixed(seed.wrapping_add(0x5851_f42d_4c95_7f2d)).wrapping_add(i + 1)) | 1;
        Fingerprints { keys: [key(0), key(1), key(2), key(3)] }
    }

    /// All bits depend on all bytes, and on how many there are.
    #[inline(always)]
    pub fn of(&self, state: &[u8]) -> u64 {
        let [first, second, third, last] = self.keys;
        let mut sum = first ^ (state.len() as u64).wrapping_mul(third);
        let (pairs, rest) = state.as_chunks::<16>();
        for pair in pairs {
            let (low, high) = pair.split_at(8);
            sum = folded(word(low) ^ sum, word(high) ^ second).wrapping_add(sum.rotate_left(23));
        }
        if !rest.is_empty() {
            let (low, high) = rest.split_at(rest.len().min(8));
            sum = folded(word(low) ^ sum, word(high) ^ third).wrapping_add(sum.rotate_left(29));
        }
        folded(sum ^ second, last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// No two of a few hundred thousand states have the same 64 bits, and of any 24 bits about as many as
    /// chance has it.
    fn collide_by_chance(name: &str, states: &[Vec<u8>]) {
        for seed in [0, 1, 2, 77] {
            let fingerprints = Fingerprints::new(seed);
            let all: Vec<u64> = states.iter().map(|state| fingerprints.of(state)).collect();
            assert_eq!(all.iter().collect::<HashSet<_>>().len(), all.len(), "{name}, seed {seed}");
            for shift in [0, 20, 40] {
                let part: HashSet<u64> = all.iter().map(|print| print >> shift & 0xff_ffff).collect();
                let bins = f64::from(1 << 24);
                let expected = bins * (1.0 - (-(all.len() as f64) / bins).exp());
                let off = (part.len() as f64 - expected).abs() / (all.len() as f64 - expected).max(1.0);
                assert!(off < 0.2, "{name}, seed {seed}, bits from {shift}: {} of {expected}", part.len());
            }
        }
    }

    #[test]
    fn counters_digits_and_single_bits() {
        for length in [4, 7, 8, 9, 15, 16, 17, 24, 31, 33, 100] {
            for place in [0, (length - 4) / 2, length - 4] {
                let counter = |i: u32| {
                    let mut state = vec![0; length];
                    state[place..place + 4].copy_from_slice(&i.to_le_bytes());
                    state
                };
                collide_by_chance("counter", &(0..200_000).map(counter).collect::<Vec<_>>());
            }
        }
        // What differs in the upper bytes of two words only.
        let upper = |i: u32| {
            let mut state = vec![0; 24];
            (state[3], state[7], state[19]) = (i as u8, (i >> 8) as u8, (i >> 16) as u8);
            state
        };
        collide_by_chance("upper bytes", &(0..1 << 18).map(upper).collect::<Vec<_>>());
        let bits = 600;
        let pairs = (0..bits).flat_map(|a| (a..bits).map(move |b| (a, b)));
        let two_bits = |(a, b): (usize, usize)| {
            let mut state = vec![0u8; bits / 8];
            state[a / 8] |= 1 << (a % 8);
            state[b / 8] |= 1 << (b % 8);
            state
        };
        collide_by_chance("two bits", &pairs.map(two_bits).collect::<Vec<_>>());
    }

    #[test]
    fn words_are_padded_with_zeros() {
        for length in 0..=8 {
            let bytes: Vec<u8> = (1..=length).collect();
            let mut padded = [0; 8];
            padded[..bytes.len()].copy_from_slice(&bytes);
            assert_eq!(word(&bytes), u64::from_le_bytes(padded));
        }
    }

    #[test]
    fn zeros_of_all_lengths() {
        let zeros: Vec<Vec<u8>> = (0..=4096).map(|length| vec![0; length]).collect();
        for seed in 0..20 {
            let fingerprints = Fingerprints::new(seed);
            let all: HashSet<u64> = zeros.iter().map(|state| fingerprints.of(state)).collect();
            assert_eq!(all.len(), zeros.len());
        }
    }
}
