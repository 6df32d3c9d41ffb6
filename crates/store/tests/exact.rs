//! The exact store against the standard library's set.

use lariat_store::{
    ExactStore, Inserted, LossySet, Offer, Promise, STORES, SharedStore, StateBits, StateHash, StateId,
    StateStore, StoreKind, VisitedSet, WeightedSums, with_store,
};
use proptest::prelude::*;
use std::collections::HashMap;

/// Inserts all states into both, compares every answer, then reads every state back.
fn compare(states: impl IntoIterator<Item = Vec<u8>>) {
    compare_in(WeightedSums, states);
}

fn compare_in<H: StateHash + Copy>(hash: H, states: impl IntoIterator<Item = Vec<u8>>) {
    let mut store = ExactStore::with_hash(hash);
    let mut room = Vec::new();
    let mut known: HashMap<Vec<u8>, StateId> = HashMap::new();
    let mut bytes = 0;
    let mut judge = |state: Vec<u8>, inserted| match inserted {
        Inserted::New(id) => {
            bytes += state.len() as u64;
            assert_eq!(known.insert(state, id), None, "said to be new, but was there");
        }
        Inserted::Known(id) => assert_eq!(known.get(&state), Some(&id), "said to be known"),
    };
    // Batches of different lengths, as searches do it, some longer than a block; now and then singly.
    let mut states = states.into_iter();
    for length in (0..70).cycle() {
        let batch: Vec<(Vec<u8>, u64)> =
            states.by_ref().take(length).map(|state| (state.clone(), hash.sum(&state))).collect();
        let found = store.insert_all(&batch[..], &mut room).to_vec();
        assert_eq!(found.len(), batch.len());
        for ((state, _), &inserted) in batch.into_iter().zip(&found) {
            judge(state, inserted);
        }
        let Some(state) = states.next() else { break };
        let inserted = store.insert(&state);
        judge(state, inserted);
    }
    assert_eq!(store.len(), known.len() as u64);
    assert_eq!(store.is_empty(), known.is_empty());
    assert_eq!(store.states_bytes(), bytes);
    assert!(!store.is_full());
    let mut buffer = Vec::new();
    for (state, id) in &known {
        store.read(*id, &mut buffer);
        assert_eq!(&buffer, state);
        assert!(store.contains(state));
        assert_eq!(store.insert(state), Inserted::Known(*id));
    }
    let before = store.len();
    let unknown = vec![0xa5; 5000];
    assert_eq!(store.contains(&unknown), known.contains_key(&unknown));
    assert_eq!(store.len(), before, "to ask changes nothing");
    let mut ids: Vec<u32> = known.values().map(|id| id.0).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), known.len(), "every state has a number of its own");
    let mut shown = HashMap::new();
    store.for_each_state(|id, state| assert_eq!(shown.insert(state.to_vec(), id), None, "shown twice"));
    assert_eq!(shown, known, "every state is shown");
}

/// As a mere set of visited states it says the same.
#[test]
fn a_store_is_a_visited_set() {
    let state =
        |i: u32| [&(i.wrapping_mul(7919) % 60_000).to_le_bytes()[..], &vec![3; i as usize % 5]].concat();
    let (mut numbered, mut mere) = (ExactStore::new(), ExactStore::new());
    let (mut inserted, mut is_new) = (Vec::new(), Vec::new());
    let mut first = 0;
    for length in (0..90).cycle().take(3000) {
        let batch: Vec<(Vec<u8>, u64)> = (first..first + length)
            .map(state)
            .map(|state| (state.clone(), WeightedSums.sum(&state)))
            .collect();
        mere.prefetch_all(&batch[..]);
        let inserted = numbered.insert_all(&batch[..], &mut inserted);
        let is_new = mere.visit_all(&batch[..], &mut is_new);
        assert_eq!(inserted.len(), is_new.len());
        let agrees = |(inserted, &is_new): (&Inserted, &bool)| matches!(inserted, Inserted::New(_)) == is_new;
        assert!(inserted.iter().zip(is_new).all(agrees));
        first += length;
        let single = state(first.wrapping_mul(31));
        assert_eq!(matches!(numbered.insert(&single), Inserted::New(_)), mere.visit(&single));
    }
    assert_eq!((numbered.len(), numbered.states_bytes()), (mere.len(), mere.states_bytes()));
    assert!(mere.len() > 60_000);
    mere.clear();
    assert!(mere.is_empty() && mere.visit(&state(1)) && !mere.visit(&state(1)));
}

#[test]
fn every_store_is_listed_once() {
    for (at, row) in STORES.iter().enumerate() {
        assert_eq!(StoreKind::by_name(row.name), Some(row.store));
        assert_eq!(STORES.iter().position(|other| other.store == row.store), Some(at));
        assert_eq!(row.store.description().name, row.name);
        // What the list says it offers is what it does: the compiler sees to the numbers.
        let stored = with_store!(row.store, store => {
            let mut store = store;
            assert!(store.is_empty());
            let id = store.insert(&[1, 2, 3]).id();
            let mut buffer = Vec::new();
            store.read(id, &mut buffer);
            (buffer, Offer::Numbers)
        }, kind => {
            assert!(LossySet::new(kind, 0, 1 << 12, 3).visit(&[1, 2, 3]));
            (vec![1, 2, 3], Offer::Visited)
        });
        assert_eq!(stored, (vec![1, 2, 3], row.offers));
        let is_lossy = matches!(row.store, StoreKind::Lossy(_));
        assert_eq!(row.promise, if is_lossy { Promise::Lossy } else { Promise::Exact });
    }
    assert_eq!(StoreKind::by_name("plain"), None);
    assert_eq!(StoreKind::default(), StoreKind::Exact);
}

#[test]
fn zeros_of_all_lengths() {
    compare((0..=4096).chain(0..=4096).map(|length| vec![0; length]));
}

#[test]
fn all_lengths_mixed() {
    // A step that has no divisor in common with the number of lengths: all of them, in disorder.
    compare((0..3 * 4096usize).map(|i| {
        let mut state = vec![5; 1 + i * 1237 % 4096];
        state[0] = (i / 5000) as u8;
        state
    }));
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
    // Longer than a chunk, and longer than a slab.
    compare([3 << 20, 70 << 20, 3 << 20, 1, 70 << 20, (70 << 20) + 1].map(|length| vec![1; length]));
}

/// Every hash is the same, or one of a few.
#[derive(Clone, Copy)]
struct Mask(u32, u32);

impl StateHash for Mask {
    fn sum(&self, state: &[u8]) -> u64 {
        state.iter().fold(0u32, |number, &byte| number.wrapping_mul(0x9e37_79b1) ^ byte as u32) as u64
    }

    fn finish(&self, sum: u64) -> u32 {
        sum as u32 & self.0 | self.1
    }
}

#[test]
fn equal_hashes() {
    let states = |count: u32| (0..count).map(move |i| (i % (count - 10)).to_le_bytes().to_vec());
    for hash in [0, 1, u32::MAX, u32::MAX - 1, 1 << 31] {
        compare_in(Mask(0, hash), states(3000));
    }
    compare_in(Mask(0xc000_0000, 0), states(8000));
    compare_in(Mask(0xc000_0000, 0x3fff_ffff), states(8000));
    // All homes near the end, so that lines overflow to the beginning while the table grows; and all near the
    // beginning.
    compare_in(Mask(0x003f_ffff, 0xffc0_0000), states(8000));
    compare_in(Mask(0x003f_ffff, 0), states(8000));
}

#[test]
fn numbers_stay_valid_while_the_store_grows() {
    grow(ExactStore::new(), 5, 400_000);
    // Memory is short: by thirds from 1 MiB on, and from 4 MiB on.
    grow(ExactStore::within(Some(1 << 20)), 11, 400_000);
    grow(ExactStore::within(Some(64 << 20)), 12, 1_300_000);
}

/// Lets a store grow so often. Before that, it tells what it is going to ask for.
fn grow(mut store: ExactStore, growths: usize, count: u32) {
    let state = |i: u32| [&i.to_le_bytes()[..], &[9; 3]].concat();
    let mut ids = Vec::new();
    let mut tables = Vec::new();
    for i in 0..count {
        if store.wants_room() {
            tables.push(i);
            let before = store.auxiliary_bytes();
            let upcoming = store.upcoming_bytes();
            assert!(upcoming > 0);
            store.make_room();
            assert!(store.auxiliary_bytes() <= before + upcoming && !store.wants_room());
            for (k, &id) in ids.iter().enumerate().step_by(1 + ids.len() / 5000) {
                assert_eq!(store.insert(&state(k as u32)), Inserted::Known(id));
                assert_eq!(store.get(id), state(k as u32));
            }
        }
        ids.push(store.insert(&state(i)).id());
    }
    assert_eq!(tables.len(), growths, "{tables:?}");
    for (k, &id) in ids.iter().enumerate() {
        assert_eq!(store.insert(&state(k as u32)), Inserted::Known(id));
    }
}

#[test]
fn a_state_costs_twelve_bytes_beside_its_own() {
    // Where memory is short, small stores too.
    for (length, budget, from) in [
        (4usize, None, 1_150_000),
        (24, None, 1_150_000),
        (24, Some(16 << 20), 100_000),
        (128, Some(0), 100_000),
    ] {
        let mut store = ExactStore::within(budget);
        let mut marks = StateBits::new();
        let mut state = vec![0; length];
        for i in 0..from + 900_000u32 {
            state[..4].copy_from_slice(&i.to_le_bytes());
            marks.set(store.insert(&state).id());
            if i >= from && i % 1000 == 0 {
                let bytes = (store.auxiliary_bytes() + marks.bytes()) as f64 / store.len() as f64;
                assert!(bytes < 12.0, "{i} states of {length} bytes: {bytes:.2}");
            }
        }
    }
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

#[test]
#[should_panic(expected = "no state has the number")]
fn a_number_that_no_state_has() {
    let mut store = ExactStore::new();
    store.insert(&[1, 2, 3]);
    store.get(StateId(1 << 20));
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

    #[test]
    fn random_states_with_few_hashes(
        states in prop::collection::vec(prop::collection::vec(0u8..4, 0..6), 0..3000),
        mask in any::<u32>(),
        ones in any::<u32>(),
    ) {
        compare_in(Mask(mask & ones.rotate_left(7), ones), states);
    }
}
