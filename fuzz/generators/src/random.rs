//! A small deterministic source of random numbers.
//!
//! SplitMix64: one 64-bit word of state, a fixed increment and a mixing function. The same seed gives the
//! same stream on every machine and with every compiler, which is all that reproducible test cases need. The
//! helpers cover the choices a generator makes: a number below a bound, a chance in percent, an element of a
//! slice, a weighted alternative.

/// The state of a SplitMix64 stream.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// A stream that depends on the seed alone.
    pub fn new(seed: u64) -> Self {
        Random { state: seed }
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut word = self.state;
        word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        word ^ (word >> 31)
    }

    /// A number in `0..bound`; 0 when the bound is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        if bound == 0 {
            return 0;
        }
        (self.bits() % bound as u64) as usize
    }

    /// A number in `low..=high`.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        low + (self.bits() % (high - low + 1) as u64) as i64
    }

    /// True in `percent` of 100 cases.
    pub fn chance(&mut self, percent: u32) -> bool {
        self.bits() % 100 < u64::from(percent)
    }

    /// An element of a slice that is not empty.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    /// One of the alternatives, in proportion to its weight; the weights must not all be 0.
    pub fn weighted<T: Copy>(&mut self, alternatives: &[(u32, T)]) -> T {
        let total: u32 = alternatives.iter().map(|(weight, _)| weight).sum();
        let mut ticket = self.below(total as usize) as u32;
        for &(weight, item) in alternatives {
            if ticket < weight {
                return item;
            }
            ticket -= weight;
        }
        alternatives[0].1
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    #[test]
    fn matches_the_published_stream() {
        let mut random = Random::new(1_234_567);
        assert_eq!(random.bits(), 6_457_827_717_110_365_317);
        assert_eq!(random.bits(), 3_203_168_211_198_807_973);
    }

    #[test]
    fn stays_in_its_bounds() {
        let mut random = Random::new(7);
        for _ in 0..1000 {
            assert!(random.below(3) < 3);
            assert!((-2..=2).contains(&random.between(-2, 2)));
            assert_eq!(random.weighted(&[(0, 'a'), (5, 'b')]), 'b');
        }
    }
}
