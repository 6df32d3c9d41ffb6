//! The exact store against the standard library's set.

use lariat_store::{ExactStore, Inserted, StateStore};
use proptest::prelude::*;
use std::collections::HashMap;

/// Inserts all states into both, compares every answer, then reads every state back.
fn compare(states: impl IntoIterator<Item = Vec<u8>>) {
    let mut store = ExactStore::new();
    let mut known = HashMap::new();
    let mut bytes = 0;
    for state in states {
        match store.insert(&state) {
            Inserted::New(id) => {
                bytes += state.len() as u64;
                assert_eq!(known.insert(state, id), None, "said to be new, but was there");
            }
            Inserted::Known(id) => assert_eq!(known.get(&state), Some(&id), "said to be known"),
        }
    }
    assert_eq!(store.len(), known.len() as u64);
    assert_eq!(store.states_bytes(), bytes);
    let mut buffer = Vec::new();
    for (state, id) in &known {
        store.read(*id, &mut buffer);
        assert_eq!(&buffer, state);
        assert_eq!(store.insert(state), Inserted::Known(*id));
    }
    let mut ids: Vec<u32> = known.values().map(|id| id.0).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), known.len(), "every state has a number of its own");
}

#[test]
fn zeros_of_all_lengths() {
    compare((0..=4096).chain(0..=4096).map(|length| vec![0; length]));
}

#[test]
fn equal_prefixes() {
    let states = (0..200_000u32).map(|i| {
        let mut state = vec![7; 60];
        state.extend_from_slice(&(i % 150_000).to_be_bytes());
        state
    });
    compare(states);
}

#[test]
fn equal_suffixes_and_single_bits() {
    let states = (0..50_000u32).map(|i| {
        let mut state = i.to_le_bytes().to_vec();
        state.resize(100, 0);
        state
    });
    compare(states);
    compare((0..8 * 4000).map(|bit| {
        let mut state = vec![0u8; 4000];
        state[bit / 8] = 1 << (bit % 8);
        state
    }));
}

#[test]
fn long_states() {
    compare((0..300u32).map(|i| {
        let mut state = vec![1; 65_000 + (i % 3) as usize];
        state[64_000..64_004].copy_from_slice(&(i / 2).to_le_bytes());
        state
    }));
}

#[test]
fn numbers_have_few_holes() {
    let mut store = ExactStore::new();
    let mut largest = 0;
    for i in 0..100_000u32 {
        let mut state = i.to_le_bytes().to_vec();
        state.resize(20 + (i % 5) as usize, 0);
        largest = largest.max(store.insert(&state).id().0);
    }
    assert!(largest < 100_000 + 5 * 3 * 1024, "{largest}");
}

proptest! {
    #[test]
    fn random_states(states in prop::collection::vec(prop::collection::vec(0u8..3, 0..12), 0..3000)) {
        compare(states);
    }

    #[test]
    fn random_lengths(seeds in prop::collection::vec((1usize..4096, any::<u8>()), 0..300)) {
        compare(seeds.into_iter().map(|(length, byte)| vec![byte; length]));
    }
}
