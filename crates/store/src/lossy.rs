//! What the stores that keep less than a state have in common: of a state a hash is all that counts
//! ([`ByHash`]). So a search may tell of states in advance and visit them later, by their hashes.
//!
//! They also are one type, [`LossySet`]: so that what is searched in them is compiled once. A search tells of
//! many states at a time, so it costs nothing to ask which of them it is.

use crate::bitstate::BitstateStore;
use crate::compact::CompactStore;
use crate::memory::Block;
use crate::{Batch, VisitedSet};

/// A store of which a state is its hash.
pub(crate) trait ByHash {
    fn hash(&self, state: &[u8]) -> u64;

    /// Begins to load where a hash will be looked for.
    fn fetch(&self, hash: u64);

    /// Whether it is new.
    fn visit_hash(&mut self, hash: u64) -> bool;
}

/// States that are visited together: no processor waits for more places at a time.
const TOGETHER: usize = 32;

pub(crate) fn visit_all<'r>(
    store: &mut impl ByHash,
    batch: impl Batch,
    room: &'r mut Vec<bool>,
) -> &'r [bool] {
    room.clear();
    for entries in batch.entries().chunks(TOGETHER) {
        let mut hashes = Block::<u64, TOGETHER>::new();
        let hashes = hashes.map(entries, |entry| {
            let hash = store.hash(batch.state(entry));
            store.fetch(hash);
            hash
        });
        room.extend(hashes.iter().map(|&hash| store.visit_hash(hash)));
    }
    room
}

#[inline]
pub(crate) fn announce(store: &impl ByHash, batch: impl Batch, announced: &mut Vec<u64>) {
    announced.clear();
    announced.extend(batch.entries().iter().map(|entry| {
        let hash = store.hash(batch.state(entry));
        store.fetch(hash);
        hash
    }));
}

#[inline]
pub(crate) fn visit_announced<'r>(
    store: &mut impl ByHash,
    announced: &[u64],
    room: &'r mut Vec<u32>,
) -> &'r [u32] {
    let new = which(announced, room, |hash| store.visit_hash(hash));
    &room[..new]
}

/// Writes down the places of the hashes of which something is true; how many. Without a branch for each: of
/// those that are new nobody can guess which.
#[inline(always)]
pub(crate) fn which(hashes: &[u64], room: &mut Vec<u32>, mut is_one: impl FnMut(u64) -> bool) -> usize {
    if room.len() < hashes.len() {
        room.resize(hashes.len(), 0);
    }
    let mut found = 0;
    for (at, &hash) in hashes.iter().enumerate() {
        room[found] = at as u32;
        found += usize::from(is_one(hash));
    }
    found
}

/// A store that keeps less than the whole state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossyKind {
    /// `compact`: a hash of each state.
    Compact,
    /// `bitstate`: a few bits of one table.
    Bitstate,
}

/// A set of visited states that may take a new state for one that was visited.
#[derive(Debug)]
pub enum LossySet {
    /// Of each state a hash.
    Compact(CompactStore),
    /// Of each state a few bits.
    Bitstate(BitstateStore),
}

impl LossySet {
    /// An empty set. Another seed is another hash function. `table_bytes` and `bits_per_state` are for
    /// `bitstate`.
    pub fn new(kind: LossyKind, seed: u64, table_bytes: u64, bits_per_state: u32) -> LossySet {
        match kind {
            LossyKind::Compact => LossySet::Compact(CompactStore::new(seed)),
            LossyKind::Bitstate => LossySet::Bitstate(BitstateStore::new(seed, table_bytes, bits_per_state)),
        }
    }
}

/// The same of both.
macro_rules! either {
    ($set:expr, $store:ident => $work:expr) => {
        match $set {
            LossySet::Compact($store) => $work,
            LossySet::Bitstate($store) => $work,
        }
    };
}

impl VisitedSet for LossySet {
    fn visit(&mut self, state: &[u8]) -> bool {
        either!(self, store => store.visit(state))
    }

    fn visit_all<'r>(&mut self, batch: impl Batch, room: &'r mut Vec<bool>) -> &'r [bool] {
        either!(self, store => store.visit_all(batch, room))
    }

    fn contains(&self, state: &[u8]) -> bool {
        either!(self, store => store.contains(state))
    }

    #[inline]
    fn announce(&mut self, batch: impl Batch, announced: &mut Vec<u64>) {
        either!(self, store => store.announce(batch, announced));
    }

    #[inline]
    fn visit_announced<'r>(
        &mut self,
        batch: impl Batch,
        announced: &[u64],
        room: &'r mut Vec<u32>,
    ) -> &'r [u32] {
        either!(self, store => store.visit_announced(batch, announced, room))
    }

    fn clear(&mut self) {
        either!(self, store => store.clear());
    }

    fn len(&self) -> u64 {
        either!(self, store => store.len())
    }

    fn states_bytes(&self) -> u64 {
        either!(self, store => store.states_bytes())
    }

    fn auxiliary_bytes(&self) -> u64 {
        either!(self, store => store.auxiliary_bytes())
    }

    fn upcoming_bytes(&self) -> u64 {
        either!(self, store => store.upcoming_bytes())
    }

    fn load(&self) -> Option<u16> {
        either!(self, store => store.load())
    }

    fn expected_missed(&self) -> f64 {
        either!(self, store => store.expected_missed())
    }

    fn confusion(&self) -> f64 {
        either!(self, store => store.confusion())
    }
}
