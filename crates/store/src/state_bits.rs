//! One bit per state: what a search notes about the states of a store.

use crate::StateId;

/// A bit for each state of a store, at first not set. It grows with the greatest number that was set.
#[derive(Clone, Debug, Default)]
pub struct StateBits {
    words: Vec<u64>,
}

impl StateBits {
    /// No bit is set.
    pub fn new() -> StateBits {
        StateBits::default()
    }

    /// Whether the bit is set; of states that were never mentioned it is not.
    #[inline]
    pub fn is_set(&self, id: StateId) -> bool {
        self.words.get(id.index() / 64).is_some_and(|word| word >> (id.index() % 64) & 1 == 1)
    }

    /// Sets the bit; true if it was not set before.
    #[inline]
    pub fn set(&mut self, id: StateId) -> bool {
        let (word, bit) = (id.index() / 64, 1u64 << (id.index() % 64));
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        let fresh = self.words[word] & bit == 0;
        self.words[word] |= bit;
        fresh
    }

    /// The bit is not set any more.
    #[inline]
    pub fn unset(&mut self, id: StateId) {
        if let Some(word) = self.words.get_mut(id.index() / 64) {
            *word &= !(1 << (id.index() % 64));
        }
    }

    /// The bits, 64 to a word, the lowest first.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// With these bits set.
    pub fn of_words(words: Vec<u64>) -> StateBits {
        StateBits { words }
    }

    /// The states whose bits are set, in the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = StateId> {
        self.words.iter().enumerate().flat_map(|(at, &word)| {
            let bits = std::iter::successors(Some(word), |word| Some(word & word.wrapping_sub(1)));
            let bits = bits.take_while(|&word| word != 0).map(|word| word.trailing_zeros());
            bits.map(move |bit| StateId((at * 64) as u32 + bit))
        })
    }

    /// Bytes that the bits take.
    pub fn bytes(&self) -> u64 {
        self.words.capacity() as u64 * 8
    }
}
