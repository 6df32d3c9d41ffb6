//! States that are announced, probed and inserted later, while others are inserted, against a plain map.

use lariat_store::{
    Announced, AutoStore, ExactStore, Inserted, NoRoom, Pen, SharedStore, StateHash, StateId, StateStore,
    VisitedSet, WeightedSums,
};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, RwLock};

struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % bound
    }
}

/// Only some bits of a hash are left.
#[derive(Clone, Copy)]
struct Mask(u32);

impl StateHash for Mask {
    fn sum(&self, state: &[u8]) -> u64 {
        WeightedSums.sum(state)
    }

    fn finish(&self, sum: u64) -> u32 {
        WeightedSums.finish(sum) & self.0
    }
}

#[derive(Default)]
struct Lane {
    states: Vec<(Vec<u8>, u64)>,
    announced: Announced,
}

#[derive(Default)]
struct Known(HashMap<Vec<u8>, StateId>);

impl Known {
    fn judge(&mut self, state: &[u8], inserted: Inserted) {
        match inserted {
            Inserted::New(id) => assert_eq!(self.0.insert(state.to_vec(), id), None, "was there"),
            Inserted::Known(id) => assert_eq!(self.0.get(state), Some(&id), "is not there"),
        }
    }
}

/// A state for a number.
fn state_of(value: u64) -> Vec<u8> {
    [value.to_le_bytes(), value.to_be_bytes()].concat()[..5 + value as usize % 2 * 6].to_vec()
}

/// Some states. Some batches are longer than a block; many states come twice, in a batch and in several.
fn batch_of(random: &mut Random, values: u64, sum: impl Fn(&[u8]) -> u64) -> Vec<(Vec<u8>, u64)> {
    let count = if random.below(20) == 0 { random.below(80) } else { random.below(6) };
    let near = random.below(values);
    let states = (0..count).map(|_| state_of(if random.below(3) == 0 { near } else { random.below(values) }));
    states.map(|state| (state.clone(), sum(&state))).collect()
}

/// Lanes in which states wait to be inserted, as in a search; what is done when is left to chance. `values`:
/// so many different states there are.
fn play(store: &mut impl StateStore, sum: impl Fn(&[u8]) -> u64, values: u64, turns: u64, seed: u64) {
    let (mut random, mut known, mut room) = (Random(seed), Known::default(), Vec::new());
    let mut lanes: [Lane; 4] = Default::default();
    for _ in 0..turns {
        let lane = &mut lanes[random.below(4) as usize];
        match random.below(8) {
            // They are probed once, or never, or again.
            0..3 => store.probe_announced(&mut lane.announced),
            3 => {
                let state = state_of(random.below(values));
                known.judge(&state, store.insert(&state));
            }
            _ => {
                let found = store.insert_announced(&lane.states[..], &lane.announced, &mut room);
                assert_eq!(found.len(), lane.states.len());
                lane.states.iter().zip(found).for_each(|((state, _), found)| known.judge(state, *found));
                lane.states = batch_of(&mut random, values, &sum);
                store.announce_all(&lane.states[..], &mut lane.announced);
            }
        }
    }
    assert_eq!(store.len(), known.0.len() as u64);
    let mut buffer = Vec::new();
    for (state, id) in &known.0 {
        store.read(*id, &mut buffer);
        assert_eq!(&buffer, state);
        assert_eq!(store.insert(state), Inserted::Known(*id));
    }
}

#[test]
fn whatever_happens_between_the_passes() {
    for seed in 0..20 {
        for (values, turns) in [(20, 2000), (3000, 20_000), (1 << 20, 60_000)] {
            for mut store in [ExactStore::new(), ExactStore::new().probing_always()] {
                play(&mut store, |state| WeightedSums.sum(state), values, turns, seed);
            }
        }
    }
}

/// The first state of a length begins a chunk, and another one comes when that is full: what was written
/// there is found in the same batch.
#[test]
fn a_state_of_a_new_chunk_twice_in_a_batch() {
    for probes in [false, true] {
        let mut store = ExactStore::new();
        if probes {
            store = store.probing_always();
        }
        let (mut known, mut room, mut announced) = (Known::default(), Vec::new(), Announced::default());
        for i in 0..40_000u32 {
            let length = 4 + i as usize % 37;
            let states = [i, i, i / 2, i].map(|i| {
                let mut state = i.to_le_bytes().to_vec();
                state.resize(length, 7);
                (state.clone(), WeightedSums.sum(&state))
            });
            // With the passes one by one, and with all at once.
            let found = if i % 3 == 0 {
                store.insert_all(&states[..], &mut room)
            } else {
                store.announce_all(&states[..], &mut announced);
                store.probe_announced(&mut announced);
                store.insert_announced(&states[..], &announced, &mut room)
            };
            states.iter().zip(found).for_each(|((state, _), found)| known.judge(state, *found));
        }
        assert_eq!(store.len(), known.0.len() as u64);
    }
}

#[test]
fn equal_hashes() {
    for seed in 0..10 {
        for mask in [0, 3, 0x8000_0000, 0xffff_0000, 0x0f00_ff00] {
            for mut store in
                [ExactStore::with_hash(Mask(mask)), ExactStore::with_hash(Mask(mask)).probing_always()]
            {
                play(&mut store, |state| Mask(mask).sum(state), 800, 4000, seed);
            }
        }
    }
}

#[test]
fn the_store_becomes_another_one() {
    for seed in 0..10 {
        let mut store = AutoStore::within(3_000_000);
        play(&mut store, |state| WeightedSums.sum(state), 1 << 20, 60_000, seed);
        assert!(store.is_tree(), "{} states", store.len());
        play(&mut AutoStore::tree(), |state| WeightedSums.sum(state), 5000, 20_000, seed);
    }
}

/// One thread of several: it announces, probes and inserts, and lets the store grow when it should.
fn work(
    store: &RwLock<ExactStore<Mask>>,
    mask: Mask,
    values: u64,
    me: usize,
    known: &Mutex<BTreeMap<Vec<u8>, u32>>,
) {
    let mut random = Random(me as u64 + values);
    let mut pen = Pen::of_thread(me);
    let mut lanes: [Lane; 3] = Default::default();
    for _ in 0..30_000 {
        let lane = &mut lanes[random.below(3) as usize];
        let shared = store.read().unwrap();
        if random.below(3) == 0 {
            shared.probe_shared(&mut lane.announced);
            continue;
        }
        let mut found = Vec::new();
        let done = shared.try_insert_announced(&lane.states[..], &lane.announced, &mut pen, &mut found);
        for ((state, _), inserted) in lane.states.iter().zip(&found) {
            let id = *known.lock().unwrap().entry(state.clone()).or_insert(inserted.id().0);
            assert_eq!(id, inserted.id().0, "two numbers for a state");
        }
        match done {
            Ok(()) => assert_eq!(found.len(), lane.states.len()),
            Err(NoRoom::Table) => {}
            Err(NoRoom::Numbers) => panic!("there are numbers enough"),
        }
        let wants_room = done.is_err() || shared.wants_room();
        if done.is_ok() {
            lane.states = batch_of(&mut random, values, |state| mask.sum(state));
            shared.announce_shared(&lane.states[..], &mut lane.announced);
        }
        drop(shared);
        if wants_room {
            let mut store = store.write().unwrap();
            if store.wants_room() {
                store.make_room();
            }
        }
    }
    store.read().unwrap().count(&mut pen);
}

#[test]
fn several_threads() {
    for (mask, values) in [(u32::MAX, 300_000), (u32::MAX, 500), (0x0f00_00ff, 2000), (0xffff_0000, 3000)] {
        let store = RwLock::new(ExactStore::with_hash(Mask(mask)).probing_always());
        let known = Mutex::default();
        std::thread::scope(|scope| {
            for me in 0..3 {
                let (store, known) = (&store, &known);
                scope.spawn(move || work(store, Mask(mask), values, me, known));
            }
        });
        let (mut store, known) = (store.into_inner().unwrap(), known.into_inner().unwrap());
        assert_eq!(store.len(), known.len() as u64);
        for (state, id) in &known {
            assert_eq!(store.insert(state), Inserted::Known(StateId(*id)));
        }
    }
}
