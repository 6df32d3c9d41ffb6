//! The floor under a search: how long its store alone takes.
//!
//! `floor STATES BYTES TRANSITIONS` inserts as many distinct keys of that length as the search has states,
//! with as many insertions as it has transitions, in batches of their mean size. The keys are pseudo-random.
//! A key that is known already is one drawn from all before it, which is harder for the memory than a search
//! is: what a search meets again it has often just seen.

use lariat_store::{ExactStore, StateHash, StateStore, VisitedSet, WeightedSums};

fn main() {
    let mut arguments = std::env::args().skip(1).map(|text| text.parse::<u64>().unwrap_or_default());
    let mut next = || arguments.next().unwrap_or_default();
    let (states, bytes, transitions) = (next(), next().max(8) as usize, next());
    let mut store = ExactStore::new();
    let mut random = 1;
    let mut inserted = 0;
    let mut batch = Vec::new();
    let mut found = Vec::new();
    for expanded in 1..=states {
        batch.clear();
        // The shares are exact at the end: integer division spreads them evenly.
        let new = share(states, expanded, states) - share(states, expanded - 1, states);
        let all = (share(transitions, expanded, states) - share(transitions, expanded - 1, states)).max(new);
        for i in 0..all {
            random = mixed(random);
            let number = if i < new { inserted + i } else { random % inserted.max(1) };
            let start = batch.len();
            batch.resize(start + bytes, 0);
            batch[start..start + 8].copy_from_slice(&mixed(number).to_le_bytes());
        }
        inserted += new;
        let keys: Vec<(&[u8], u64)> =
            batch.chunks_exact(bytes).map(|key| (key, WeightedSums.sum(key))).collect();
        store.insert_all(&keys[..], &mut found);
    }
    println!("{} keys", store.len());
}

/// The part of a total that has fallen due after some of the steps.
fn share(total: u64, steps: u64, all_steps: u64) -> u64 {
    (u128::from(total) * u128::from(steps) / u128::from(all_steps.max(1))) as u64
}

/// A bijection on 64 bits that looks random (the finaliser of splitmix64).
fn mixed(number: u64) -> u64 {
    let mut x = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
