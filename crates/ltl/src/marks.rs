//! Sets of acceptance sets.
//!
//! An edge (or a state) carries the numbers of the acceptance sets it belongs to; a run is accepting if it
//! meets every number infinitely often. Up to 64 sets: translations make one per eventuality, files with more
//! are refused.

use std::fmt;
use std::ops::{BitAnd, BitOr, BitOrAssign, Sub};

/// Which acceptance sets something belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Marks(pub u64);

impl Marks {
    /// No set.
    pub const NONE: Marks = Marks(0);
    /// The most sets there can be.
    pub const LIMIT: u32 = 64;

    /// The first `sets` of them.
    pub fn all(sets: u32) -> Marks {
        debug_assert!(sets <= Marks::LIMIT);
        Marks(if sets == 64 { u64::MAX } else { (1 << sets) - 1 })
    }

    /// A single set, by its number (below [`Marks::LIMIT`]).
    pub fn one(set: u32) -> Marks {
        debug_assert!(set < Marks::LIMIT);
        Marks(1 << set)
    }

    /// Whether the set with this number is among them.
    pub fn contains(self, set: u32) -> bool {
        self.0 >> set & 1 == 1
    }

    /// Whether all of these are among the others.
    pub fn is_subset(self, other: Marks) -> bool {
        self.0 & !other.0 == 0
    }

    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// How many there are.
    pub fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// The numbers, ascending.
    pub fn iter(self) -> impl Iterator<Item = u32> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let set = rest.trailing_zeros();
            (rest != 0).then(|| {
                rest &= rest - 1;
                set
            })
        })
    }
}

impl FromIterator<u32> for Marks {
    fn from_iter<I: IntoIterator<Item = u32>>(sets: I) -> Marks {
        sets.into_iter().fold(Marks::NONE, |marks, set| marks | Marks::one(set))
    }
}

impl BitOr for Marks {
    type Output = Marks;
    fn bitor(self, other: Marks) -> Marks {
        Marks(self.0 | other.0)
    }
}

impl BitOrAssign for Marks {
    fn bitor_assign(&mut self, other: Marks) {
        self.0 |= other.0;
    }
}

impl BitAnd for Marks {
    type Output = Marks;
    fn bitand(self, other: Marks) -> Marks {
        Marks(self.0 & other.0)
    }
}

impl Sub for Marks {
    type Output = Marks;
    fn sub(self, other: Marks) -> Marks {
        Marks(self.0 & !other.0)
    }
}

impl fmt::Debug for Marks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}
