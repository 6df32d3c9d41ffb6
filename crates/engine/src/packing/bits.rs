//! Gathering the bits under a mask, and scattering them again: processors have an instruction for either.

/// How it is done here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gathers {
    #[cfg(target_arch = "x86_64")]
    ByInstruction,
    ByLoop,
}

pub fn low(bits: u32) -> u64 {
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}

/// The bits under a mask, moved together.
pub fn gather(word: u64, mask: u64) -> u64 {
    if word & mask == 0 {
        return 0;
    }
    let (mut gathered, mut filled, mut rest) = (0, 0, mask);
    while rest != 0 {
        let start = rest.trailing_zeros();
        let count = (!(rest >> start)).trailing_zeros().min(64 - start);
        gathered |= ((word >> start) & low(count)) << filled;
        filled += count;
        rest &= !(low(count) << start);
    }
    gathered
}

/// The opposite of [`gather`].
pub fn scatter(bits: u64, mask: u64) -> u64 {
    if bits == 0 {
        return 0;
    }
    let (mut scattered, mut used, mut rest) = (0, 0, mask);
    while rest != 0 {
        let start = rest.trailing_zeros();
        let count = (!(rest >> start)).trailing_zeros().min(64 - start);
        scattered |= ((bits >> used) & low(count)) << start;
        used += count;
        rest &= !(low(count) << start);
    }
    scattered
}

impl Gathers {
    pub fn here() -> Gathers {
        #[cfg(target_arch = "x86_64")]
        if std::is_x86_feature_detected!("bmi2") && std::is_x86_feature_detected!("avx2") {
            return Gathers::ByInstruction;
        }
        Gathers::ByLoop
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gathered_and_scattered() {
        let mut seed = 1u64;
        let mut next = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            seed ^ seed >> 29
        };
        for _ in 0..1000 {
            let (word, mask) = (next(), next() & next());
            let bits = gather(word, mask);
            assert_eq!(scatter(bits, mask), word & mask);
            assert!(bits <= low(mask.count_ones()));
        }
        assert_eq!(gather(u64::MAX, u64::MAX), u64::MAX);
        assert_eq!(scatter(5, u64::MAX), 5);
        assert_eq!(gather(0xff00, 0xf000), 0xf);
    }
}
