//! What a lossy search has missed, tried out: a second search that omits states on purpose, inside the one
//! that is done.
//!
//! A lossy store says how probable it is that a new state is taken for visited. How much is missed with such
//! a state depends on the model: where ways join soon, hardly more than the state; where they part for good,
//! everything behind it. Degrees do not tell: two ways that part and meet again make a state with two
//! predecessors, and both are lost with the place where they part.
//!
//! So the search plays what would happen. Beside the real search there is an imagined one, which sees the
//! same states less those that it *omits*: each new state with a probability that is about the store's at
//! that moment, decided by the state's fingerprint. A state is *without* if the imagined search has not come
//! to it: it is omitted, or so far all arcs to it came from states without. The real search expands it all
//! the same. When an arc from a state that is not without leads to one that is, and that is not omitted, then
//! the imagined search comes to it after all, and so to what lies behind: these states are expanded once
//! more, which counts nowhere. In the end exactly those are without that a search would miss that omits these
//! states.
//!
//! The share m of states without, from a share o of omitted ones, gives the share missed if a share c is
//! confused: 1 − (1 − m)^(c/o), which is m if both omit as much, and m · c / o if they are small.
//!
//! *What is supposed.* States are confused independently of each other. What the real search has missed
//! itself is not played with; so where it missed much there seem to be fewer ways than there are, and the
//! estimate is too high. Where next to nothing is confused, too little is omitted to see anything ([`FEWEST`]
//! states), and nothing is told. (To omit more than the store confuses was tried: early in a search, when the
//! table is nearly empty, a store confuses nothing, and one state that is omitted there takes a large part of
//! all with it. The estimate was up to thirty times too high.)
//!
//! A search that goes deep may have a large part of the states without for a while, behind a single one that
//! it omitted early; if they become too many ([`MOST`]), or those that wait to be expanded again take too
//! much memory ([`MOST_BYTES`]), the play is over, and nothing is told. The same where too many are expanded
//! again ([`AGAIN_EIGHTHS`]). With 4 bits of a table for each state, and more, they are less than half as
//! many as those that are seen, on the ten models of `xtask bench stores --part missed`; in a table that is
//! far too small they were three quarters, and half of the time of the search, and in the end there were too
//! many without.
//!
//! Cost: 17 to 34 bytes for each state without, at most nine megabytes, and up to four in a filter; for each
//! transition a look into that.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasherDefault, Hasher};

/// Where fewer states are omitted, nothing is told.
const FEWEST: u64 = 100;
/// States without that are kept at most.
const MOST: usize = 1 << 18;
/// Bytes of states that wait to be expanded again, at most.
const MOST_BYTES: usize = 1 << 23;
/// States that are expanded again at most: so many, and so many eighths of those that are seen.
const AGAIN_FREE: u64 = 1 << 13;
const AGAIN_EIGHTHS: u64 = 5;
/// Of its bits the filter sets at most one in so many; fresh, it has twice as many for each state.
const SPARSE: usize = 8;
/// Bits of the first filter, as a power of two.
const FIRST_FILTER: u32 = 14;
/// The probability is looked at once for so many new states.
const BETWEEN: u64 = 64;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Without {
    Omitted,
    NotReached,
}

/// Fingerprints are hashes already, and were multiplied.
#[derive(Debug, Default)]
struct Folded(u64);

impl Hasher for Folded {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {
        unreachable!("only numbers are hashed");
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key ^ key >> 32;
    }
}

/// By what a state is found, another one for each fingerprint: the upper bits depend on all others.
#[inline(always)]
fn key(print: u64) -> u64 {
    print.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

fn mixed(print: u64) -> u64 {
    let x = (print ^ print >> 32).wrapping_mul(0xa24b_aed4_963e_e407);
    let x = (x ^ x >> 29).wrapping_mul(0x9fb2_1c65_1e98_df25);
    x ^ x >> 32
}

/// Bits of keys that may be there.
#[derive(Debug)]
struct Filter {
    words: Vec<u64>,
    /// Bits, as a power of two.
    bits: u32,
    /// How many bits may be set before it must be made anew.
    left: usize,
}

impl Filter {
    /// Of these.
    fn of(keys: impl ExactSizeIterator<Item = u64>) -> Filter {
        let bits = (keys.len() * 2 * SPARSE).next_power_of_two().ilog2().max(FIRST_FILTER);
        let mut filter = Filter { words: vec![0; 1 << (bits - 6)], bits, left: (1 << bits) / SPARSE };
        keys.for_each(|key| filter.add(key));
        filter
    }

    #[inline(always)]
    fn place(&self, key: u64) -> usize {
        (key >> (u64::BITS - self.bits)) as usize
    }

    fn add(&mut self, key: u64) {
        let at = self.place(key);
        self.words[at / 64] |= 1 << (at % 64);
        self.left -= 1;
    }

    #[inline(always)]
    fn may_have(&self, key: u64) -> bool {
        let at = self.place(key);
        self.words[at / 64] >> (at % 64) & 1 == 1
    }
}

/// The states that an imagined search has not come to.
#[derive(Debug)]
pub(crate) struct Omissions {
    without: HashMap<u64, Without, BuildHasherDefault<Folded>>,
    /// Of those that are without, and of some that were.
    filter: Filter,
    /// Who is below, mixed, is omitted.
    below: u64,
    new: u64,
    omitted: u64,
    /// States that were expanded again, or will be.
    again: u64,
    is_over: bool,
}

impl Omissions {
    pub fn new() -> Omissions {
        Omissions {
            without: HashMap::default(),
            filter: Filter::of([].into_iter()),
            below: 0,
            new: 0,
            omitted: 0,
            again: 0,
            is_over: false,
        }
    }

    /// Whether the imagined search has not come to a state.
    #[inline]
    pub fn is_without(&self, print: u64) -> bool {
        let key = key(print);
        self.filter.may_have(key) && self.without.contains_key(&key)
    }

    fn add(&mut self, print: u64, without: Without) {
        if self.filter.left == 0 {
            self.filter = Filter::of(self.without.keys().copied());
        }
        let key = key(print);
        self.filter.add(key);
        self.without.insert(key, without);
        if self.without.len() >= MOST {
            self.end();
        }
    }

    fn end(&mut self) {
        self.is_over = true;
        self.without = HashMap::default();
        self.filter = Filter::of([].into_iter());
    }

    /// Whether there is nothing left to play for.
    #[inline]
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// So many bytes of states wait to be expanded again.
    pub fn note_waiting(&mut self, bytes: usize) {
        if bytes > MOST_BYTES {
            self.end();
        }
    }

    /// The real search comes to a new state, from one that is without or not; the probability that such a one
    /// is confused.
    #[inline]
    pub fn note_new(&mut self, print: u64, from_without: bool, confusion: impl FnOnce() -> f64) {
        if self.is_over {
            return;
        }
        if self.new.is_multiple_of(BETWEEN) {
            self.below = (confusion() * u64::MAX as f64) as u64;
        }
        self.new += 1;
        if mixed(print) < self.below {
            self.omitted += 1;
            self.add(print, Without::Omitted);
        } else if from_without {
            self.add(print, Without::NotReached);
        }
    }

    /// An arc leads to a state from one that is not without. Whether the imagined search comes to it only
    /// now.
    #[inline]
    pub fn comes_to(&mut self, print: u64) -> bool {
        let key = key(print);
        self.filter.may_have(key) && !self.is_over && self.is_rescued(key)
    }

    #[cold]
    fn is_rescued(&mut self, key: u64) -> bool {
        match self.without.entry(key) {
            Entry::Occupied(state) if *state.get() == Without::NotReached => {
                state.remove();
                self.again += 1;
                if self.again > AGAIN_FREE + self.new / 8 * AGAIN_EIGHTHS {
                    self.end();
                }
                true
            }
            _ => false,
        }
    }

    /// The share of states that is expected to be missed, where so many were seen, and so many others taken
    /// for visited; `None` if there is no telling.
    pub fn missed_share(&self, seen: u64, confused: f64) -> Option<f64> {
        let confused = confused / (seen as f64 + confused).max(1.0);
        if self.is_over || self.omitted < FEWEST {
            return None;
        }
        let missed = self.without.len() as f64 / self.new as f64;
        let omitted = self.omitted as f64 / self.new as f64;
        let share = -((confused / omitted) * (-missed).ln_1p()).exp_m1();
        Some(share.clamp(confused, 1.0))
    }

    pub fn bytes(&self) -> u64 {
        let entry = size_of::<(u64, Without)>() + 1;
        (self.without.capacity() * entry + self.filter.words.len() * size_of::<u64>()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// On random graphs, in a random order: in the end those are without that cannot be reached if the
    /// omitted ones are not there.
    #[test]
    fn what_is_without_cannot_be_reached() {
        let mut seed = 7u64;
        let mut random = |below: usize| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) as usize % below
        };
        let mut rescued_ever = 0;
        for round in 0..300 {
            let states = 2 + random(200);
            let arcs: Vec<Vec<usize>> = (0..states)
                .map(|at| {
                    let mut to = vec![(at + 1 + random(3)).min(states - 1)];
                    (0..random(3)).for_each(|_| to.push(random(states)));
                    to
                })
                .collect();
            let print = |state: usize| mixed((round * 1000 + state) as u64);
            let mut play = Omissions::new();
            let (mut visited, mut waiting) = (HashSet::from([0]), vec![0]);
            let mut omitted = HashSet::new();
            while !waiting.is_empty() {
                let at = waiting.swap_remove(random(waiting.len()));
                let mut again = Vec::new();
                let from_without = play.is_without(print(at));
                for &to in &arcs[at] {
                    if visited.insert(to) {
                        play.note_new(print(to), from_without, || 0.1);
                        waiting.push(to);
                        if play.without.get(&key(print(to))) == Some(&Without::Omitted) {
                            omitted.insert(to);
                        }
                    } else if !from_without && play.comes_to(print(to)) {
                        again.push(to);
                    }
                }
                while let Some(at) = again.pop() {
                    rescued_ever += 1;
                    again.extend(arcs[at].iter().filter(|&&to| play.comes_to(print(to))));
                }
            }
            let (mut reached, mut waiting) = (HashSet::from([0]), vec![0]);
            while let Some(at) = waiting.pop() {
                waiting.extend(arcs[at].iter().filter(|&&to| !omitted.contains(&to) && reached.insert(to)));
            }
            for &state in &visited {
                assert_eq!(play.is_without(print(state)), !reached.contains(&state), "{round}: {state}");
            }
        }
        assert!(rescued_ever > 100, "{rescued_ever}");
    }

    #[test]
    fn shares() {
        let mut play = Omissions::new();
        assert_eq!(play.missed_share(1000, 0.0), None);
        for state in 0..100_000 {
            play.note_new(mixed(state), state % 10 == 0, || 0.01);
        }
        // A hundredth is omitted, and a tenth of the others is behind.
        let share = play.missed_share(99_000, 1000.0).expect("it was tried out");
        assert!((0.09..0.13).contains(&share), "{share}");
        let share = play.missed_share(1_000_000, 1.0).expect("it was tried out");
        assert!((0.9e-5..1.4e-5).contains(&share), "{share}");
        assert!(play.missed_share(1, f64::MAX).is_some_and(|share| share <= 1.0));
        for state in 100_000..100_000 + 2 * MOST as u64 {
            play.note_new(mixed(state), true, || 0.01);
        }
        assert_eq!((play.missed_share(1000, 1.0), play.without.len()), (None, 0));
    }

    /// Many come and go, so that the filter is made anew: all the time it is known who is without.
    #[test]
    fn those_that_went_are_forgotten() {
        let mut play = Omissions::new();
        let mut without = HashSet::new();
        let mut rescued = HashSet::new();
        for state in 0..60_000u64 {
            play.note_new(mixed(state), true, || 0.0);
            without.insert(state);
            // Every other one, and later most of them.
            let one = state / 3 * if state < 30_000 { 2 } else { 1 };
            if without.remove(&one) {
                rescued.insert(one);
                assert!(play.comes_to(mixed(one)));
            }
            assert!(!play.comes_to(mixed(one)), "a second time");
            if state % 5000 == 4999 {
                assert!(without.iter().all(|&state| play.is_without(mixed(state))));
                assert!(!rescued.iter().any(|&state| play.is_without(mixed(state))));
                let words = &play.filter.words;
                let set: usize = words.iter().map(|word| word.count_ones() as usize).sum();
                assert!(set * SPARSE <= words.len() * 64 && !play.is_over());
            }
        }
        assert!(rescued.len() > 10_000 && play.filter.bits > FIRST_FILTER);
    }

    #[test]
    fn nothing_is_told_where_too_many_are_expanded_again() {
        let (mut play, new) = (Omissions::new(), 40_000);
        (0..new).for_each(|state| play.note_new(mixed(state), true, || 0.0));
        let most = AGAIN_FREE + new / 8 * AGAIN_EIGHTHS;
        assert!((0..most).all(|state| play.comes_to(mixed(state))) && !play.is_over());
        assert!(play.comes_to(mixed(most)) && play.is_over());
        assert!(!play.comes_to(mixed(most + 1)) && play.without.is_empty());
    }

    #[test]
    fn nothing_is_told_of_few_or_of_too_much() {
        let mut play = Omissions::new();
        let mut state = 0;
        while play.omitted < FEWEST {
            assert_eq!(play.missed_share(1000, 10.0), None, "{} are omitted", play.omitted);
            play.note_new(mixed(state), false, || 0.05);
            state += 1;
        }
        assert!(play.missed_share(1000, 10.0).is_some());
        // Not less than is confused, though nothing was behind.
        assert!(play.missed_share(1000, 1000.0).is_some_and(|share| (0.5..0.6).contains(&share)));
        play.note_waiting(MOST_BYTES);
        assert!(!play.is_over() && play.missed_share(1000, 10.0).is_some());
        play.note_waiting(MOST_BYTES + 1);
        assert!(play.is_over());
        assert_eq!((play.missed_share(1000, 10.0), play.without.len()), (None, 0));
    }
}
