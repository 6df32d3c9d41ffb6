//! What a check notes about each state beside [`lariat_store::StateBits`]: a few bits that change
//! ([`SmallNumbers`]), a colour ([`Colours`]), a number ([`Numbers`]). All are indexed by the number of the
//! state and grow on demand; a state that was never noted has the value zero.

use lariat_store::StateId;

/// A number of a few bits per state. As many as fit are packed into a word, so a number of three bits costs
/// 64/21 bits.
#[derive(Clone, Debug)]
pub struct SmallNumbers {
    width: u32,
    per_word: u32,
    /// 2^64 divided by that, rounded up: to multiply takes a tenth of the time that it takes to divide.
    reciprocal: u64,
    words: Vec<u64>,
}

impl SmallNumbers {
    /// With 1 to 64 bits each.
    pub fn new(width: u32) -> SmallNumbers {
        let width = width.clamp(1, 64);
        let per_word = 64 / width;
        let reciprocal = (u64::MAX / u64::from(per_word)).wrapping_add(1);
        SmallNumbers { width, per_word, reciprocal, words: Vec::new() }
    }

    #[inline]
    fn place(&self, id: StateId) -> (usize, u32) {
        if self.per_word == 1 {
            return (id.0 as usize, 0);
        }
        // Exact: what was rounded up comes to less than 2^32 · 64 of 2^64.
        let word = ((u128::from(id.0) * u128::from(self.reciprocal)) >> 64) as u32;
        (word as usize, (id.0 - word * self.per_word) * self.width)
    }

    #[inline]
    fn mask(&self) -> u64 {
        u64::MAX >> (64 - self.width)
    }

    #[inline]
    pub fn get(&self, id: StateId) -> u64 {
        let (word, shift) = self.place(id);
        self.words.get(word).map_or(0, |word| word >> shift & self.mask())
    }

    #[inline]
    pub fn set(&mut self, id: StateId, value: u64) {
        debug_assert!(value <= self.mask());
        let ((word, shift), mask) = (self.place(id), self.mask());
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        self.words[word] = self.words[word] & !(mask << shift) | value << shift;
    }

    #[inline]
    pub fn bytes(&self) -> u64 {
        self.words.capacity() as u64 * 8
    }

    pub fn words(&self) -> &[u64] {
        &self.words
    }

    pub fn words_mut(&mut self) -> &mut Vec<u64> {
        &mut self.words
    }
}

/// The colours of the nested searches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Colour {
    /// Not seen yet.
    White,
    /// On the path of the outer search.
    Cyan,
    /// Left by the outer search.
    Blue,
    /// Seen by the nested search too (or known to be useless to it).
    Red,
    /// On no accepting cycle, as the outer search found out.
    Black,
}

#[derive(Clone, Debug)]
pub struct Colours(SmallNumbers);

impl Colours {
    /// Two bits per state: all but black.
    pub fn four() -> Colours {
        Colours(SmallNumbers::new(2))
    }

    /// Three bits per state.
    pub fn five() -> Colours {
        Colours(SmallNumbers::new(3))
    }

    #[inline]
    pub fn of(&self, id: StateId) -> Colour {
        match self.0.get(id) {
            0 => Colour::White,
            1 => Colour::Cyan,
            2 => Colour::Blue,
            3 => Colour::Red,
            _ => Colour::Black,
        }
    }

    #[inline]
    pub fn set(&mut self, id: StateId, colour: Colour) {
        self.0.set(id, colour as u64);
    }

    #[inline]
    pub fn bytes(&self) -> u64 {
        self.0.bytes()
    }

    pub fn numbers(&self) -> &SmallNumbers {
        &self.0
    }

    pub fn numbers_mut(&mut self) -> &mut SmallNumbers {
        &mut self.0
    }
}

/// A number of 32 bits per state.
#[derive(Clone, Debug, Default)]
pub struct Numbers(Vec<u32>);

impl Numbers {
    #[inline]
    pub fn get(&self, id: StateId) -> u32 {
        self.0.get(id.index()).copied().unwrap_or(0)
    }

    #[inline]
    pub fn set(&mut self, id: StateId, value: u32) {
        if id.index() >= self.0.len() {
            self.0.resize(id.index() + 1, 0);
        }
        self.0[id.index()] = value;
    }

    #[inline]
    pub fn bytes(&self) -> u64 {
        self.0.capacity() as u64 * 4
    }

    pub fn list(&self) -> &[u32] {
        &self.0
    }

    pub fn of_list(list: Vec<u32>) -> Numbers {
        Numbers(list)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_those_of_a_division() {
        for width in 1..=64 {
            let numbers = SmallNumbers::new(width);
            let per_word = numbers.per_word;
            let near = |n: u32| (0..3 * per_word).map(move |k| n.wrapping_add(k).wrapping_sub(per_word));
            let powers = (0..32).flat_map(|bit| near(1 << bit));
            let multiples = [1, 3, 1000, u32::MAX / per_word].into_iter().flat_map(|k| near(k * per_word));
            for n in powers.chain(multiples).chain(near(u32::MAX)) {
                let divided = ((n / per_word) as usize, n % per_word * width);
                assert_eq!(numbers.place(StateId(n)), divided, "{n}, {width} bits");
            }
        }
    }

    #[test]
    fn small_numbers_do_not_touch_their_neighbours() {
        for width in 1..=64 {
            let mut numbers = SmallNumbers::new(width);
            let value =
                |k: u32| u64::from(k).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(k) & numbers.mask();
            let values: Vec<u64> = (0..200).map(value).collect();
            assert_eq!(numbers.get(StateId(199)), 0);
            for k in (0..200).rev() {
                numbers.set(StateId(k), numbers.mask());
                numbers.set(StateId(k), values[k as usize]);
            }
            assert!((0..200).all(|k| numbers.get(StateId(k)) == values[k as usize]));
            assert!(numbers.bytes() >= u64::from(width) * 200 / 8);
        }
    }
}
