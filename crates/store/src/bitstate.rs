//! Bitstate hashing: of each state `k` bits of one large table are set, and nothing else is kept. Lossy: a
//! new state all of whose bits have been set by others is taken for visited.
//!
//! Holzmann 1988; more than one bit, from two hashes by arithmetic progression, after Dillinger and Manolios
//! 2004. (The second is the first with its halves exchanged, times a number.) The places of the bits are
//! spread over the whole table, so that the share of bits that are set says how often states are confused:
//! with a share `f`, a new state is taken for visited with probability `f^k`.
//! [`crate::VisitedSet::expected_missed`] adds that up while the table fills. (To keep the bits of a state in
//! one line would take one access to memory where this takes `k`; but these are asked for in advance, all
//! together, and lines that happen to fill early would confuse many more.)
//!
//! Whether a state is new nobody can guess. So no branch depends on it where states are visited: the bits are
//! written whether they were set or not, and counted. (To write only those of new states was a fifth slower,
//! in a table of two megabytes.)
//!
//! The size of the table is fixed, and it is memory from the start: it lies in huge pages. It never is full:
//! it becomes useless by degrees, and says so.

use crate::fingerprint::Fingerprints;
use crate::lossy::{self, ByHash};
use crate::memory::{Words, prefetch};
use crate::{Batch, VisitedSet};

/// A set of visited states of which only a few bits are kept.
#[derive(Debug)]
pub struct BitstateStore {
    fingerprints: Fingerprints,
    /// Bits that a state sets.
    each: u32,
    words: Words,
    /// Bits of the table.
    bits: u64,
    set: u64,
    len: u64,
    expected_missed: f64,
    /// How many states are expected to be missed for each that is found to be new, at present.
    missed_beside_a_new_one: f64,
    /// With so many states that is found out anew.
    next_estimate: u64,
}

/// The share of bits that are set is looked at once for so many new states.
const BETWEEN_ESTIMATES: u64 = 64;
/// So many bits each state sets if nobody asks for another number: for these the loops are unrolled.
const USUALLY: u32 = 3;

/// How far the bits of a state lie apart: its halves change places, so that the upper bits, which choose the
/// first place, say little about those that choose the next ones. Then it is multiplied. (Without that the
/// sum of both would have its upper half twice, and a table of more than 512 MiB some 2^32 places for the
/// first bit of a state, however large it is.)
#[inline(always)]
fn second(fingerprint: u64) -> u64 {
    fingerprint.rotate_left(32).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1
}

/// Where the bits of a state are, so many, in a table of so many.
#[inline(always)]
fn places(bits: u64, fingerprint: u64, each: u32) -> impl Iterator<Item = u64> + use<> {
    let step = second(fingerprint);
    let mut at = fingerprint;
    (0..each).map(move |_| {
        at = at.wrapping_add(step);
        ((u128::from(at) * u128::from(bits)) >> 64) as u64
    })
}

impl BitstateStore {
    /// A table of about so many bytes, of which each state sets so many bits (from 1 to 32). Another seed is
    /// another hash function.
    pub fn new(seed: u64, bytes: u64, bits_per_state: u32) -> BitstateStore {
        let words = (bytes / 8).max(1) as usize;
        BitstateStore {
            fingerprints: Fingerprints::new(seed),
            each: bits_per_state.clamp(1, 32),
            words: Words::new(words),
            bits: words as u64 * 64,
            set: 0,
            len: 0,
            expected_missed: 0.0,
            missed_beside_a_new_one: 0.0,
            next_estimate: BETWEEN_ESTIMATES,
        }
    }

    /// Where the bits of a state are.
    #[inline(always)]
    fn places(&self, fingerprint: u64, each: u32) -> impl Iterator<Item = u64> + use<> {
        places(self.bits, fingerprint, each)
    }

    /// Sets the bits of a state; how many of them were not set.
    #[inline(always)]
    fn set(&mut self, fingerprint: u64, each: u32) -> u64 {
        let (mut added, places) = (0, self.places(fingerprint, each));
        let words = self.words.all_mut();
        for place in places {
            let (word, bit) = (&mut words[place as usize / 64], place % 64);
            added += !*word >> bit & 1;
            *word |= 1 << bit;
        }
        added
    }

    #[inline(always)]
    fn announce_with(&self, each: u32, batch: impl Batch, announced: &mut Vec<u64>) {
        announced.clear();
        announced.extend(batch.entries().iter().map(|entry| {
            let fingerprint = self.fingerprints.of(batch.state(entry));
            let words = self.words.all().as_ptr();
            self.places(fingerprint, each)
                .for_each(|place| prefetch(words.wrapping_add(place as usize / 64)));
            fingerprint
        }));
    }

    #[inline(always)]
    fn visit_with<'r>(&mut self, each: u32, announced: &[u64], room: &'r mut Vec<u32>) -> &'r [u32] {
        let mut all_added = 0;
        let new = lossy::which(announced, room, |fingerprint| {
            let added = self.set(fingerprint, each);
            all_added += added;
            added > 0
        });
        self.note(new as u64, all_added);
        &room[..new]
    }

    /// So many states were new, and set so many bits for the first time.
    #[inline]
    fn note(&mut self, new: u64, added: u64) {
        self.expected_missed += self.missed_beside_a_new_one * new as f64;
        self.set += added;
        self.len += new;
        if self.len >= self.next_estimate {
            self.estimate();
        }
    }

    #[cold]
    fn estimate(&mut self) {
        let share = self.share_set().powi(self.each as i32);
        self.missed_beside_a_new_one = share / (1.0 - share).max(f64::MIN_POSITIVE);
        self.next_estimate = self.len + BETWEEN_ESTIMATES;
    }

    /// The share of bits that are set.
    pub fn share_set(&self) -> f64 {
        self.set as f64 / (self.words.all().len() as f64 * 64.0)
    }
}

impl ByHash for BitstateStore {
    #[inline]
    fn hash(&self, state: &[u8]) -> u64 {
        self.fingerprints.of(state)
    }

    #[inline]
    fn fetch(&self, fingerprint: u64) {
        let words = self.words.all().as_ptr();
        self.places(fingerprint, self.each)
            .for_each(|place| prefetch(words.wrapping_add(place as usize / 64)));
    }

    #[inline]
    fn visit_hash(&mut self, fingerprint: u64) -> bool {
        let added = self.set(fingerprint, self.each);
        if added > 0 {
            self.note(1, added);
        }
        added > 0
    }
}

impl VisitedSet for BitstateStore {
    fn visit(&mut self, state: &[u8]) -> bool {
        self.visit_hash(self.hash(state))
    }

    fn visit_all<'r>(&mut self, batch: impl Batch, room: &'r mut Vec<bool>) -> &'r [bool] {
        lossy::visit_all(self, batch, room)
    }

    #[inline]
    fn announce(&mut self, batch: impl Batch, announced: &mut Vec<u64>) {
        match self.each {
            USUALLY => self.announce_with(USUALLY, batch, announced),
            each => self.announce_with(each, batch, announced),
        }
    }

    #[inline]
    fn visit_announced<'r>(
        &mut self,
        _batch: impl Batch,
        announced: &[u64],
        room: &'r mut Vec<u32>,
    ) -> &'r [u32] {
        match self.each {
            USUALLY => self.visit_with(USUALLY, announced, room),
            each => self.visit_with(each, announced, room),
        }
    }

    fn contains(&self, state: &[u8]) -> bool {
        let is_set = |place: u64| self.words.all()[place as usize / 64] >> (place % 64) & 1 == 1;
        self.places(self.fingerprints.of(state), self.each).all(is_set)
    }

    fn clear(&mut self) {
        // Fresh pages: those that were never touched need not be written.
        self.words = Words::new(self.words.all().len());
        (self.set, self.len, self.expected_missed) = (0, 0, 0.0);
        self.estimate();
    }

    fn len(&self) -> u64 {
        self.len
    }

    fn states_bytes(&self) -> u64 {
        self.words.all().len() as u64 * 8
    }

    fn auxiliary_bytes(&self) -> u64 {
        0
    }

    fn load(&self) -> Option<u16> {
        Some((self.share_set() * 1000.0) as u16)
    }

    fn expected_missed(&self) -> f64 {
        self.expected_missed
    }

    fn confusion(&self) -> f64 {
        self.missed_beside_a_new_one.min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// In a table of 128 GiB no part of a place says anything about another part of it.
    #[test]
    fn places_in_large_tables() {
        let fingerprints = Fingerprints::new(3);
        let states = 40_000u32;
        let all: Vec<Vec<u64>> =
            (0..states).map(|i| places(1 << 40, fingerprints.of(&i.to_le_bytes()), 4).collect()).collect();
        for i in 0..4 {
            // Pairs of eight bits: nearly all of them, whichever eight.
            for (one, other) in [(0, 32), (0, 8), (24, 32), (8, 24)] {
                let eight = |place: u64, from: u32| place >> from & 0xff;
                let pair = |places: &Vec<u64>| (eight(places[i], one), eight(places[i], other));
                let pairs: HashSet<(u64, u64)> = all.iter().map(pair).collect();
                let expected = 65_536.0 * (1.0 - (-f64::from(states) / 65_536.0).exp());
                let share = pairs.len() as f64 / expected;
                assert!((0.98..1.02).contains(&share), "bit {i}, {one} and {other}: {share}");
            }
        }
    }
}
