//! Sets of acceptance sets, of both widths.
//!
//! An automaton has at most 64 acceptance sets, which is a machine word ([`Marks`]). With fairness every
//! process has one or two of its own, so there may be hundreds: [`WideMarks`]. A check is written once, for
//! either ([`MarkSet`]); where a word will do, it is a word.

use lariat_ltl::Marks;
use rustc_hash::FxHashMap;
use std::fmt::Debug;
use std::hash::Hash;
use std::ops::{BitAnd, BitOr, BitOrAssign, Sub};

/// A set of acceptance sets, by their numbers.
pub trait MarkSet:
    Copy
    + Send
    + Sync
    + 'static
    + Eq
    + Hash
    + Default
    + Debug
    + BitOr<Output = Self>
    + BitOrAssign
    + BitAnd<Output = Self>
    + Sub<Output = Self>
{
    /// No set.
    const NONE: Self;
    /// The most sets there can be.
    const LIMIT: u32;

    /// From the marks of an automaton.
    fn narrow(marks: Marks) -> Self;

    /// The numbers from `64 * k` on, as bits.
    fn word(self, k: usize) -> u64;

    /// Adds the numbers from `64 * k` on that these bits stand for.
    fn add_word(&mut self, k: usize, bits: u64);

    /// The first `sets` of them.
    fn all(sets: u32) -> Self {
        let mut all = Self::NONE;
        all.add_numbers(0, sets);
        all
    }

    /// A single set, by its number (below [`MarkSet::LIMIT`]).
    fn one(set: u32) -> Self {
        let mut one = Self::NONE;
        one.add_word(set as usize / 64, 1 << (set % 64));
        one
    }

    /// Adds the numbers from `first` to before `end`.
    fn add_numbers(&mut self, first: u32, end: u32) {
        (first..end).for_each(|set| self.add_word(set as usize / 64, 1 << (set % 64)));
    }

    /// Adds bits that stand for the numbers from `first` on.
    fn add_shifted(&mut self, first: u32, bits: u64) {
        let (word, shift) = (first as usize / 64, first % 64);
        self.add_word(word, bits << shift);
        if shift > 0 && bits >> (64 - shift) != 0 {
            self.add_word(word + 1, bits >> (64 - shift));
        }
    }

    /// Whether the set with this number is among them.
    fn contains(self, set: u32) -> bool {
        self.word(set as usize / 64) >> (set % 64) & 1 == 1
    }

    /// Whether all of these are among the others.
    fn is_subset(self, other: Self) -> bool {
        (self - other).is_empty()
    }

    /// Whether there is none.
    fn is_empty(self) -> bool {
        self == Self::NONE
    }

    /// The numbers, ascending.
    fn numbers(self) -> impl Iterator<Item = u32> {
        (0..Self::LIMIT).filter(move |&set| self.contains(set))
    }

    /// The least number.
    fn first(self) -> Option<u32> {
        self.numbers().next()
    }
}

impl MarkSet for Marks {
    const NONE: Marks = Marks(0);
    const LIMIT: u32 = Marks::LIMIT;

    #[inline]
    fn narrow(marks: Marks) -> Marks {
        marks
    }

    #[inline]
    fn word(self, _: usize) -> u64 {
        self.0
    }

    #[inline]
    fn add_word(&mut self, k: usize, bits: u64) {
        debug_assert!(k == 0);
        self.0 |= bits;
    }

    #[inline]
    fn all(sets: u32) -> Marks {
        Marks::all(sets)
    }
}

const WORDS: usize = 9;

/// So many that there is room for 64 sets of an automaton, and for two sets of each of 256 processes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct WideMarks([u64; WORDS]);

impl WideMarks {
    #[inline]
    fn zip(self, other: WideMarks, work: impl Fn(u64, u64) -> u64) -> WideMarks {
        WideMarks(std::array::from_fn(|k| work(self.0[k], other.0[k])))
    }
}

impl BitOr for WideMarks {
    type Output = WideMarks;
    fn bitor(self, other: WideMarks) -> WideMarks {
        self.zip(other, |one, two| one | two)
    }
}

impl BitOrAssign for WideMarks {
    fn bitor_assign(&mut self, other: WideMarks) {
        *self = *self | other;
    }
}

impl BitAnd for WideMarks {
    type Output = WideMarks;
    fn bitand(self, other: WideMarks) -> WideMarks {
        self.zip(other, |one, two| one & two)
    }
}

impl Sub for WideMarks {
    type Output = WideMarks;
    fn sub(self, other: WideMarks) -> WideMarks {
        self.zip(other, |one, two| one & !two)
    }
}

impl MarkSet for WideMarks {
    const NONE: WideMarks = WideMarks([0; WORDS]);
    const LIMIT: u32 = 64 * WORDS as u32;

    fn narrow(marks: Marks) -> WideMarks {
        let mut wide = WideMarks::NONE;
        wide.0[0] = marks.0;
        wide
    }

    #[inline]
    fn word(self, k: usize) -> u64 {
        self.0[k]
    }

    #[inline]
    fn add_word(&mut self, k: usize, bits: u64) {
        self.0[k] |= bits;
    }
}

/// Sets by number: for those who note many arcs, and few different sets.
#[derive(Clone, Debug, Default)]
pub struct DistinctMarks<K> {
    list: Vec<K>,
    numbers: FxHashMap<K, u32>,
}

impl<K: MarkSet> DistinctMarks<K> {
    pub fn number_of(&mut self, marks: K) -> u32 {
        let known = self.list.iter().take(FEW).position(|&known| known == marks);
        known.map_or_else(|| self.number_among_many(marks), |place| place as u32)
    }

    fn number_among_many(&mut self, marks: K) -> u32 {
        *self.numbers.entry(marks).or_insert_with(|| {
            self.list.push(marks);
            self.list.len() as u32 - 1
        })
    }

    pub fn get(&self, number: u32) -> K {
        self.list[number as usize]
    }
}

/// So many are looked at one by one.
const FEW: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;

    /// What holds of either width, below so many sets.
    fn laws<K: MarkSet>(sets: u32) {
        let all = K::all(sets);
        assert!((0..sets).all(|set| all.contains(set)) && (sets..K::LIMIT).all(|set| !all.contains(set)));
        for set in 0..sets {
            let one = K::one(set);
            assert_eq!((one.first(), one.is_empty(), (all - one).contains(set)), (Some(set), false, false));
            assert!(one.is_subset(all) && !all.is_subset(all - one) && (all & one) == one);
            assert_eq!((all - one) | one, all);
        }
        for (first, bits) in [(0u32, 5u64), (3, 1 << 40 | 1), (60, 0b101)] {
            let mut shifted = K::NONE;
            if first + 64 - bits.leading_zeros() <= K::LIMIT {
                shifted.add_shifted(first, bits);
                let found = (0..K::LIMIT).filter(|&set| shifted.contains(set));
                let expected = (0..64u32).filter(|k| bits >> k & 1 == 1).map(|k| first + k);
                assert!(found.eq(expected));
            }
        }
    }

    #[test]
    fn both_widths() {
        (0..=64).for_each(laws::<Marks>);
        [0, 1, 63, 64, 65, 128, 320, WideMarks::LIMIT].into_iter().for_each(laws::<WideMarks>);
    }
}
