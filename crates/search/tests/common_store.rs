//! A store that several workers share: what each inserts, all have, under one number, while it grows.

use lariat_search::parallel::handle::CommonStore;
use lariat_store::{ExactStore, Inserted, StateHash, StateId, StateStore, VisitedSet, WeightedSums};
use std::collections::HashMap;
use std::sync::Barrier;

/// States of three lengths; some have the same beginning.
fn state(i: u64) -> Vec<u8> {
    let mut bytes = (i / 3).to_le_bytes().to_vec();
    bytes.truncate(5 + (i % 3) as usize);
    bytes
}

/// Every worker inserts all states, in batches, each in another order. Of each worker, the numbers of the
/// states, and how many were new to all.
fn insert_all(store: &mut ExactStore, workers: usize, states: u64) -> Vec<(HashMap<Vec<u8>, StateId>, u64)> {
    let common = CommonStore::new(store, None);
    let (common, start) = (&common, &Barrier::new(workers));
    let work = |worker: usize| {
        let mut store = common.handle(worker);
        let (mut numbers, mut new, mut room) = (HashMap::new(), 0, Vec::new());
        start.wait();
        let step = [1, 7, 11, 13, 17, 19, 23, 29][worker % 8];
        let mut seed = worker as u64;
        let mut i = 0;
        while i < states {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let count = (seed >> 33) % 70;
            let batch: Vec<(Vec<u8>, u64)> = (i..states.min(i + count))
                .map(|i| {
                    let state = state(i * step % states);
                    let sum = WeightedSums.sum(&state);
                    (state, sum)
                })
                .collect();
            i += count;
            let found = store.insert_all(batch.as_slice(), &mut room);
            assert_eq!(found.len(), batch.len());
            for ((state, _), inserted) in batch.iter().zip(found) {
                new += u64::from(matches!(inserted, Inserted::New(_)));
                let known = numbers.insert(state.clone(), inserted.id());
                assert!(known.is_none_or(|known| known == inserted.id()));
            }
            if seed >> 60 == 0 {
                store.let_go();
                std::thread::yield_now();
                store.take_up();
            }
        }
        (numbers, new)
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..workers).map(|worker| scope.spawn(move || work(worker))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    })
}

#[test]
fn one_number_for_a_state() {
    for (workers, states) in [(1, 20_003), (2, 130_003), (3, 20_003), (8, 30_011), (20, 10_007)] {
        let mut store = ExactStore::new();
        let found = insert_all(&mut store, workers, states);
        assert_eq!(store.len(), states);
        assert_eq!(found.iter().map(|(_, new)| new).sum::<u64>(), states, "each is new once");
        let mut bytes = 0;
        let mut buffer = Vec::new();
        for (state, id) in &found[0].0 {
            assert!(found.iter().all(|(numbers, _)| numbers[state] == *id));
            store.read(*id, &mut buffer);
            assert_eq!(buffer, *state);
            bytes += state.len() as u64;
        }
        assert_eq!(store.states_bytes(), bytes);
        let mut seen = 0;
        store.for_each_state(|_, _| seen += 1);
        assert_eq!(seen, states);
        // Whoever has it alone afterwards finds all of them, and adds further ones.
        for i in 0..states {
            assert_eq!(store.insert(&state(i)).id(), found[0].0[&state(i)]);
        }
        assert!(matches!(store.insert(b"another"), Inserted::New(_)));
    }
}

#[test]
fn a_store_that_is_refused_memory_says_so() {
    let mut store = ExactStore::new();
    let max = store.auxiliary_bytes() + 100_000;
    let common = CommonStore::new(&mut store, Some(max));
    let mut handle = common.handle(0);
    let mut inserted = 0;
    while !common.is_refused() {
        handle
            .insert_all([(state(inserted), WeightedSums.sum(&state(inserted)))].as_slice(), &mut Vec::new());
        inserted += 1;
    }
    let held = handle.states_bytes() + handle.auxiliary_bytes();
    assert!(held <= max && held + handle.upcoming_bytes() > max, "{held} of {max}");
    // If nobody listens, it grows all the same.
    let twice = 2 * inserted;
    while inserted < twice {
        handle
            .insert_all([(state(inserted), WeightedSums.sum(&state(inserted)))].as_slice(), &mut Vec::new());
        inserted += 1;
    }
    drop(handle);
    assert_eq!(store.len(), inserted);
}
