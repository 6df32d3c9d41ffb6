//! Hash compaction: of each state only a hash of 52 bits is kept, in five bytes. Lossy: a new state whose
//! hash is that of another one is taken for visited.
//!
//! After Wolper and Leroy 1993, and Stern and Dill 1995; the table is ours. It consists of lines of 64 bytes,
//! as the processor fetches them, with room for twelve entries. The upper bits of a hash choose its *home*
//! line, in proportion: with `n` lines, a hash `h` of 52 bits is at home in line `h · n / 2⁵²`. If that is
//! full, it goes to one of the next [`REACH`] lines. An entry keeps the lower 40 bits of the hash; there are
//! so many lines from the start that hashes whose entries may lie in the same line differ in these. So the
//! place tells the rest (Cleary 1984), and nothing is lost of the 52 bits. What finds no room within reach is
//! kept in a set beside; that is less than one in a hundred.
//!
//! *Growing* needs no second table: with an eighth more lines every hash is at home in the same line or in a
//! later one, so entries are moved from the last line to the first. Beyond 700,000 states the load is
//! between 79 and 89 per cent, a state costs 6.0 to 6.8 bytes, and each entry is moved about eight times in
//! its life, in the order of the table. Lines are pages that nobody has touched until they are needed.
//!
//! *What is missed.* When `n` hashes are there, a new state is taken for visited with probability n / 2⁵². So
//! of a million states one in ten thousand million is expected to be missed, of a thousand million one in ten
//! million. [`crate::VisitedSet::expected_missed`] adds that up.

use crate::fingerprint::Fingerprints;
use crate::lossy::{self, ByHash};
use crate::memory::prefetch;
use crate::{Batch, VisitedSet};
use std::collections::HashSet;

/// Bits of a hash.
pub const HASH_BITS: u32 = 52;
/// Bits of a hash that an entry keeps.
const KEPT_BITS: u32 = 40;
const ENTRIES: usize = 12;
/// So many lines from its home on, a hash may lie.
const REACH: usize = 8;
/// With so many lines, what may lie in one of them differs in the bits that are kept.
const FIRST_LINES: usize = REACH << (HASH_BITS - KEPT_BITS);
/// Lines are allocated in pieces, so that they never move; of the last one only those are touched that are
/// needed.
const PIECE: usize = 1 << 14;

#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
struct Line {
    low: [u32; ENTRIES],
    high: [u8; ENTRIES],
    taken: u32,
}

const EMPTY: Line = Line { low: [0; ENTRIES], high: [0; ENTRIES], taken: 0 };

impl Line {
    #[inline]
    fn has(&self, kept: u64) -> bool {
        let (low, high) = (kept as u32, (kept >> 32) as u8);
        let mut same = 0u32;
        for at in 0..ENTRIES {
            same |= u32::from(self.low[at] == low) << at;
        }
        same &= (1 << self.taken) - 1;
        while same != 0 {
            if self.high[same.trailing_zeros() as usize] == high {
                return true;
            }
            same &= same - 1;
        }
        false
    }

    #[inline]
    fn is_full(&self) -> bool {
        self.taken as usize == ENTRIES
    }

    #[inline]
    fn push(&mut self, kept: u64) {
        let at = self.taken as usize;
        (self.low[at], self.high[at]) = (kept as u32, (kept >> 32) as u8);
        self.taken += 1;
    }

    fn kept(&self, at: usize) -> u64 {
        u64::from(self.low[at]) | u64::from(self.high[at]) << 32
    }
}

/// A set of visited states of which only hashes are kept.
#[derive(Debug)]
pub struct CompactStore {
    fingerprints: Fingerprints,
    /// Bits of the hash that are used: fewer than there are in tests only.
    bits: u32,
    pieces: Vec<Vec<Line>>,
    /// Home lines; behind them are [`REACH`] more.
    homes: usize,
    /// Hashes that found no room.
    beside: HashSet<u64>,
    len: u64,
    expected_missed: f64,
}

impl CompactStore {
    /// An empty store, which takes two megabytes. Another seed is another hash function.
    pub fn new(seed: u64) -> CompactStore {
        CompactStore::with_bits(seed, HASH_BITS)
    }

    /// The same with a shorter hash, which confuses more states: to find out how many.
    pub fn with_bits(seed: u64, bits: u32) -> CompactStore {
        assert!((1..=HASH_BITS).contains(&bits), "a hash has 1 to {HASH_BITS} bits");
        let mut store = CompactStore {
            fingerprints: Fingerprints::new(seed),
            bits,
            pieces: Vec::new(),
            homes: 0,
            beside: HashSet::new(),
            len: 0,
            expected_missed: 0.0,
        };
        store.extend(FIRST_LINES);
        store
    }

    fn extend(&mut self, homes: usize) {
        self.homes = homes;
        let lines = homes + REACH;
        while self.pieces.len() * PIECE < lines {
            self.pieces.push(Vec::with_capacity(PIECE));
        }
        for (piece, first) in self.pieces.iter_mut().zip((0..).step_by(PIECE)) {
            piece.resize(PIECE.min(lines - first), EMPTY);
        }
    }

    #[inline]
    fn line(&self, at: usize) -> &Line {
        &self.pieces[at / PIECE][at % PIECE]
    }

    #[inline]
    fn line_mut(&mut self, at: usize) -> &mut Line {
        &mut self.pieces[at / PIECE][at % PIECE]
    }

    #[inline]
    fn home(&self, hash: u64) -> usize {
        ((u128::from(hash) * self.homes as u128) >> HASH_BITS) as usize
    }

    /// The hash of an entry of a line: the greatest that is at home there, or before, with these lower bits.
    fn hash_of(homes: usize, at: usize, kept: u64) -> u64 {
        let first_behind = ((at as u128 + 1) << HASH_BITS).div_ceil(homes as u128);
        let last = first_behind.min(1 << HASH_BITS) as u64 - 1;
        last.wrapping_sub(last.wrapping_sub(kept) & KEPT)
    }

    /// Whether a hash is there; if not, the line where it belongs, or `None` if it belongs beside.
    #[inline]
    fn find(&self, hash: u64) -> Result<(), Option<usize>> {
        let home = self.home(hash);
        for at in home..home + REACH {
            let line = self.line(at);
            if line.has(hash & KEPT) {
                return Ok(());
            }
            if !line.is_full() {
                return Err(Some(at));
            }
        }
        if self.beside.contains(&hash) { Ok(()) } else { Err(None) }
    }

    fn put(&mut self, place: Option<usize>, hash: u64) {
        match place {
            Some(at) => self.line_mut(at).push(hash & KEPT),
            None => _ = self.beside.insert(hash),
        }
    }

    fn comfortable(&self) -> u64 {
        (self.homes * ENTRIES) as u64 * 57 / 64
    }

    fn next_homes(&self) -> usize {
        if self.homes < 2 * FIRST_LINES { self.homes * 2 } else { self.homes / 8 * 9 }
    }

    #[cold]
    fn grow(&mut self) {
        let before = self.homes;
        self.extend(self.next_homes());
        // Those that go to a line which is still to be moved.
        let mut waiting = Vec::new();
        for at in (0..before + REACH).rev() {
            let line = std::mem::replace(self.line_mut(at), EMPTY);
            for entry in 0..line.taken as usize {
                let hash = CompactStore::hash_of(before, at, line.kept(entry));
                let home = self.home(hash);
                if home < at {
                    waiting.push(hash);
                    continue;
                }
                let place = (home..home + REACH).find(|&at| !self.line(at).is_full());
                self.put(place, hash);
            }
        }
        // Lines that have become emptier may have room for what was beside.
        waiting.extend(std::mem::take(&mut self.beside));
        for hash in waiting {
            if let Err(place) = self.find(hash) {
                self.put(place, hash);
            }
        }
    }
}

const KEPT: u64 = (1 << KEPT_BITS) - 1;

impl ByHash for CompactStore {
    #[inline]
    fn hash(&self, state: &[u8]) -> u64 {
        self.fingerprints.of(state) >> (u64::BITS - self.bits) << (HASH_BITS - self.bits)
    }

    #[inline]
    fn fetch(&self, hash: u64) {
        let line: *const Line = self.line(self.home(hash));
        prefetch(line);
        prefetch(line.wrapping_add(1));
    }

    #[inline]
    fn visit_hash(&mut self, hash: u64) -> bool {
        let Err(place) = self.find(hash) else { return false };
        // What a new state is taken for is one of those that are there.
        let share = self.len as f64 / (1u64 << self.bits) as f64;
        self.expected_missed += share / (1.0 - share).max(f64::MIN_POSITIVE);
        self.put(place, hash);
        self.len += 1;
        if self.len > self.comfortable() {
            self.grow();
        }
        true
    }
}

impl VisitedSet for CompactStore {
    fn visit(&mut self, state: &[u8]) -> bool {
        self.visit_hash(self.hash(state))
    }

    fn visit_all<'r>(&mut self, batch: impl Batch, room: &'r mut Vec<bool>) -> &'r [bool] {
        lossy::visit_all(self, batch, room)
    }

    #[inline]
    fn announce(&mut self, batch: impl Batch, announced: &mut Vec<u64>) {
        lossy::announce(self, batch, announced);
    }

    #[inline]
    fn visit_announced<'r>(
        &mut self,
        _batch: impl Batch,
        announced: &[u64],
        room: &'r mut Vec<u32>,
    ) -> &'r [u32] {
        lossy::visit_announced(self, announced, room)
    }

    fn contains(&self, state: &[u8]) -> bool {
        self.find(self.hash(state)).is_ok()
    }

    fn clear(&mut self) {
        self.pieces.iter_mut().for_each(|piece| piece.fill(EMPTY));
        self.beside = HashSet::new();
        (self.len, self.expected_missed) = (0, 0.0);
    }

    fn len(&self) -> u64 {
        self.len
    }

    fn states_bytes(&self) -> u64 {
        self.len * u64::from(KEPT_BITS / 8)
    }

    fn auxiliary_bytes(&self) -> u64 {
        let lines = ((self.homes + REACH) * size_of::<Line>()) as u64;
        lines.saturating_sub(self.states_bytes()) + self.beside.capacity() as u64 * 9
    }

    fn upcoming_bytes(&self) -> u64 {
        if self.len * 100 < self.comfortable() * 97 {
            return 0;
        }
        ((self.next_homes() - self.homes) * size_of::<Line>()) as u64
    }

    fn load(&self) -> Option<u16> {
        Some((self.len * 1000 / (self.homes * ENTRIES) as u64) as u16)
    }

    fn expected_missed(&self) -> f64 {
        self.expected_missed
    }

    fn confusion(&self) -> f64 {
        self.len as f64 / (1u64 << self.bits) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random(seed: &mut u64) -> u64 {
        *seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (*seed ^ *seed >> 31).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x ^ x >> 29
    }

    #[test]
    fn the_place_of_an_entry_tells_its_hash() {
        let mut seed = 1;
        let mut store = CompactStore::new(0);
        for homes in [FIRST_LINES, FIRST_LINES + 1, 100_003, 1 << 20, (1 << 26) + 12_345] {
            store.homes = homes;
            for _ in 0..20_000 {
                let hash = random(&mut seed) >> (u64::BITS - HASH_BITS);
                for hash in [hash, 0, (1 << HASH_BITS) - 1, CompactStore::hash_of(homes, store.home(hash), 0)]
                {
                    for pushed in [0, 1, REACH - 1] {
                        let at = store.home(hash) + pushed;
                        assert_eq!(CompactStore::hash_of(homes, at, hash & KEPT), hash, "{homes}, {at}");
                    }
                }
            }
        }
    }

    /// Against a set of hashes, where many have the same home: what finds no room is beside, also while the
    /// table grows.
    #[test]
    fn crowds() {
        for width in [14, 36] {
            let (mut seed, mut store, mut plain) = (3, CompactStore::new(0), HashSet::new());
            for i in 0..500_000u64 {
                // Now and then one that lies anywhere.
                let bits = if i % 3 == 0 { HASH_BITS } else { width };
                let hash = (random(&mut seed) >> (u64::BITS - bits)) ^ if i % 2 == 0 { 0 } else { 1 << 51 };
                assert_eq!(store.visit_hash(hash), plain.insert(hash), "{i}: {hash:#x}");
            }
            assert_eq!(store.len(), plain.len() as u64);
            assert!(plain.iter().all(|&hash| store.find(hash).is_ok()));
            let entries: usize =
                (0..store.homes + REACH).map(|at| store.line(at).taken as usize).sum::<usize>();
            assert_eq!(entries + store.beside.len(), plain.len());
        }
    }

    #[test]
    fn a_large_table_costs_at_most_seven_bytes_a_state() {
        let (mut seed, mut store) = (5, CompactStore::new(0));
        for i in 1..=4_000_000u64 {
            assert!(store.visit_hash(random(&mut seed) >> (u64::BITS - HASH_BITS)) || i > 1_000_000);
            if i > 1_000_000 && i % 50_000 == 0 {
                let bytes = store.states_bytes() + store.auxiliary_bytes();
                assert!(bytes <= 7 * store.len(), "{bytes} for {}", store.len());
            }
        }
        assert!(store.beside.len() as u64 * 100 < store.len(), "{}", store.beside.len());
    }
}
