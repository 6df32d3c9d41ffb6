//! Infinite words that repeat: u·v^ω.

/// One position of a word: for each proposition, by its number, whether it is true. Propositions beyond the
/// end are false.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Letter(pub Vec<bool>);

impl Letter {
    /// Whether a proposition is true, by its number.
    pub fn get(&self, proposition: u32) -> bool {
        self.0.get(proposition as usize).copied().unwrap_or(false)
    }
}

/// The prefix once, then the cycle for ever. The cycle is not empty.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Word {
    /// What comes once; may be empty.
    pub prefix: Vec<Letter>,
    /// What comes again and again.
    pub cycle: Vec<Letter>,
}

impl Word {
    /// The number of positions that differ: prefix and cycle.
    pub fn len(&self) -> usize {
        self.prefix.len() + self.cycle.len()
    }

    /// Never: a word is infinite.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The letter at a position below [`Word::len`].
    pub fn letter(&self, position: usize) -> &Letter {
        match position.checked_sub(self.prefix.len()) {
            None => &self.prefix[position],
            Some(inside) => &self.cycle[inside],
        }
    }

    /// The position below [`Word::len`] that has the same suffix as this one, which may lie behind any number
    /// of rounds of the cycle.
    pub fn fold(&self, position: usize) -> usize {
        let inside = position.checked_sub(self.prefix.len());
        inside.map_or(position, |inside| self.prefix.len() + inside % self.cycle.len())
    }

    /// The position that follows, below [`Word::len`].
    pub fn after(&self, position: usize) -> usize {
        if position + 1 < self.len() { position + 1 } else { self.prefix.len() }
    }
}
