//! One store, several real threads: every thread gets the same numbers, and what is stored is what a plain
//! set holds.

use lariat_store::{ExactStore, Inserted, NoRoom, SharedStore, StateHash, StateId, StateStore, VisitedSet};
use std::collections::HashMap;
use std::sync::{Barrier, RwLock};

const THREADS: u64 = 4;

/// State number `i`; lengths differ.
fn state(i: u64) -> Vec<u8> {
    let mut state = vec![0; 5 + (i % 7) as usize * 9];
    state[..5].copy_from_slice(&i.to_le_bytes()[..5]);
    state
}

/// Inserts `count` states from all threads, each in an order of its own, each state by all threads. Room is
/// made when it is wanted, by whoever sees it, while the others wait.
fn hammer<H: StateHash + Sync + Send>(store: ExactStore<H>, count: u64) {
    let store = RwLock::new(store);
    let start = Barrier::new(THREADS as usize);
    let insert_all = |thread: u64| {
        start.wait();
        // Odd, so that each state is met once if the count is a power of two; close together, so that threads
        // meet.
        let step = [1, 1, 3, 5][thread as usize % 4];
        let mut answers = Vec::with_capacity(count as usize);
        let mut k = 0;
        while k < count {
            let batch: Vec<u64> = (k..(k + 8).min(count)).map(|k| k * step % count).collect();
            let shared = store.read().unwrap();
            for &i in &batch {
                match shared.try_insert(&state(i)) {
                    Ok(inserted) => answers.push((i, inserted)),
                    Err(reason) => {
                        assert_eq!(reason, NoRoom::Table);
                        break;
                    }
                }
            }
            // Those that were refused are tried again.
            k = answers.len() as u64;
            drop(shared);
            let mut alone = store.write().unwrap();
            if alone.wants_room() {
                alone.make_room();
            }
        }
        answers
    };
    let answers: Vec<(u64, Inserted)> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS).map(|thread| scope.spawn(move || insert_all(thread))).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    let store = store.into_inner().unwrap();
    let mut numbers: HashMap<u64, StateId> = HashMap::new();
    let mut new = 0;
    for (i, inserted) in answers {
        new += matches!(inserted, Inserted::New(_)) as u64;
        assert_eq!(*numbers.entry(i).or_insert(inserted.id()), inserted.id(), "one state, two numbers");
    }
    assert_eq!((new, store.len(), numbers.len() as u64), (count, count, count));
    let mut buffer = Vec::new();
    let mut bytes = 0;
    for (&i, &id) in &numbers {
        store.read(id, &mut buffer);
        assert_eq!(buffer, state(i));
        bytes += buffer.len() as u64;
    }
    assert_eq!(store.states_bytes(), bytes);
    let mut ids: Vec<u32> = numbers.values().map(|id| id.0).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len() as u64, count, "one number, two states");
}

#[test]
fn many_states() {
    hammer(ExactStore::new(), 1 << 16);
}

#[test]
fn again_and_again() {
    (0..100).for_each(|_| hammer(ExactStore::new(), 1 << 9));
}

/// Few hashes: the threads meet on the same words.
struct FewHashes;

impl StateHash for FewHashes {
    fn sum(&self, state: &[u8]) -> u64 {
        state[0] as u64
    }

    fn finish(&self, sum: u64) -> u32 {
        ((sum as u32 % 3) << 31) | (sum as u32 % 2)
    }
}

#[test]
fn few_hashes() {
    (0..5).for_each(|_| hammer(ExactStore::with_hash(FewHashes), 1 << 10));
}

#[test]
fn a_crowded_table_refuses_and_loses_nothing() {
    let mut store = ExactStore::new();
    let mut inserted = 0;
    while let Ok(answer) = store.try_insert(&state(inserted)) {
        assert!(matches!(answer, Inserted::New(_)));
        inserted += 1;
    }
    assert!(store.wants_room() && store.len() == inserted);
    let try_again = |store: &ExactStore, i| store.try_insert(&state(i));
    assert_eq!(try_again(&store, inserted), Err(NoRoom::Table));
    assert!((0..inserted).all(|i| matches!(try_again(&store, i), Ok(Inserted::Known(_)))));
    store.make_room();
    assert!(!store.wants_room());
    assert!((0..inserted).all(|i| matches!(try_again(&store, i), Ok(Inserted::Known(_)))));
    assert!(matches!(try_again(&store, inserted), Ok(Inserted::New(_))));
}
