//! The tree store, and the store that becomes one, against the standard library's set.

use lariat_store::{
    AutoStore, ExactStore, Inserted, StateBits, StateHash, StateId, StateStore, TreeStore, VisitedSet,
    WeightedSums,
};
use proptest::prelude::*;
use std::collections::HashMap;

/// Inserts all states in batches of different lengths, as searches do it, and now and then singly; compares
/// every answer with a plain map; then reads every state back, by its number and all together.
fn compare<S: StateStore>(
    mut store: S,
    hash: impl StateHash,
    states: impl IntoIterator<Item = Vec<u8>>,
) -> S {
    let mut room = Vec::new();
    let mut known: HashMap<Vec<u8>, StateId> = HashMap::new();
    let mut judge = |state: Vec<u8>, inserted| match inserted {
        Inserted::New(id) => assert_eq!(known.insert(state, id), None, "said to be new, but was there"),
        Inserted::Known(id) => assert_eq!(known.get(&state), Some(&id), "said to be known"),
    };
    let mut states = states.into_iter();
    for length in (0..70).cycle() {
        let batch: Vec<(Vec<u8>, u64)> =
            states.by_ref().take(length).map(|state| (state.clone(), hash.sum(&state))).collect();
        if length % 3 == 0 {
            store.prefetch_all(&batch[..]);
        }
        let found = store.insert_all(&batch[..], &mut room).to_vec();
        assert_eq!(found.len(), batch.len());
        for ((state, _), &inserted) in batch.into_iter().zip(&found) {
            judge(state, inserted);
        }
        let Some(state) = states.next() else { break };
        let inserted = store.insert(&state);
        judge(state, inserted);
    }
    assert_eq!((store.len(), store.is_empty()), (known.len() as u64, known.is_empty()));
    assert!(!store.is_full());
    let (mut buffer, mut second) = (Vec::new(), Vec::new());
    for (state, id) in &known {
        store.prefetch(*id);
        store.read(*id, &mut buffer);
        assert_eq!((&buffer, store.bytes_of(*id, &mut second)), (state, &state[..]));
        assert!(store.contains(state));
        assert_eq!(store.insert(state), Inserted::Known(*id));
    }
    let unknown = vec![0xa5; 5000];
    assert_eq!(store.contains(&unknown), known.contains_key(&unknown));
    assert_eq!(store.len(), known.len() as u64, "to ask changes nothing");
    let mut shown = HashMap::new();
    store.for_each_state(|id, state| assert_eq!(shown.insert(state.to_vec(), id), None, "shown twice"));
    assert_eq!(shown, known, "every state is shown");
    store
}

/// The same in a tree, and in stores that become one at once, soon, and later.
fn compare_all(states: impl Fn() -> Vec<Vec<u8>>) {
    let store = compare(TreeStore::new(), WeightedSums, states());
    let mut numbers: Vec<u32> = Vec::new();
    store.for_each_state(|StateId(id), _| numbers.push(id));
    assert!(numbers.iter().copied().eq(0..store.len() as u32), "numbers count up");
    for budget in [0, 200_000, 2_000_000] {
        compare(AutoStore::within(budget), WeightedSums, states());
    }
}

fn mixed(number: u64) -> u64 {
    let x = (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

#[test]
fn zeros_of_all_lengths() {
    let lengths = || (0..200).chain((200..4096).step_by(61)).chain([4095, 4096]);
    compare_all(|| lengths().chain([0, 17]).map(|length| vec![0; length]).collect());
    compare_all(|| lengths().rev().map(|length| vec![0; length]).collect());
}

#[test]
fn counters_and_single_bits() {
    // So many that states are cut anew while they come.
    compare_all(|| (0..160_000u64).map(|i| (i * i % 140_001).to_le_bytes()[..5].to_vec()).collect());
    compare_all(|| {
        let bit = |bit: usize| {
            let mut state = vec![0u8; 4000];
            state[bit / 8] = 1 << (bit % 8);
            state
        };
        (0..8 * 4000).step_by(97).map(bit).collect()
    });
}

/// States whose columns depend on each other, and which get longer in the course of time, as those of a
/// model do whose pieces get more values.
#[test]
fn states_like_those_of_a_model() {
    let state = |i: u64| {
        let random = mixed(i % 90_000);
        let mut state = vec![1, random as u8 % 7, (random >> 8) as u8 % 50, (random >> 16) as u8, 0, 0, 3];
        state.extend_from_slice(&mixed(random >> 50).to_le_bytes()[..4]);
        state.resize(11 + (i / 20_000) as usize, (random >> 24) as u8 & 1);
        state
    };
    compare_all(|| (0..140_000).map(state).collect());
}

/// More than 2¹⁶ values in one column; and no two states that share any.
#[test]
fn many_values() {
    compare_all(|| (0..80_000).map(|i| mixed(i).to_le_bytes()[..7].to_vec()).collect());
    compare_all(|| {
        let state = |i: u64| [i, 1, 2, 3].map(|k| mixed(i * 4 + k).to_le_bytes()).concat();
        (0..20_000).map(state).collect()
    });
}

/// Every hash is the same, or one of a few.
#[derive(Clone, Copy)]
struct Mask(u32, u32);

impl StateHash for Mask {
    fn sum(&self, state: &[u8]) -> u64 {
        state.iter().fold(0u32, |number, &byte| number.wrapping_mul(0x9e37_79b1) ^ u32::from(byte)) as u64
    }

    fn finish(&self, sum: u64) -> u32 {
        sum as u32 & self.0 | self.1
    }
}

#[test]
fn equal_hashes() {
    let states = |count: u32| (0..count).map(move |i| (i % (count - 10)).to_le_bytes().to_vec());
    for hash in [0, 1, u32::MAX, u32::MAX - 1, 1 << 31] {
        compare(TreeStore::with_hash(Mask(0, hash)), Mask(0, hash), states(1500));
    }
    for mask in [
        Mask(0xc000_0000, 0),
        Mask(0xc000_0000, 0x3fff_ffff),
        Mask(0x003f_ffff, 0xffc0_0000),
        Mask(0x003f_ffff, 0),
    ] {
        compare(TreeStore::with_hash(mask), mask, states(4000));
    }
}

/// Only so many bytes of a state are hashed.
#[derive(Clone, Copy)]
struct Beginning(usize);

impl StateHash for Beginning {
    fn sum(&self, state: &[u8]) -> u64 {
        WeightedSums.sum(&state[..self.0.min(state.len())])
    }

    fn finish(&self, sum: u64) -> u32 {
        WeightedSums.finish(sum)
    }
}

/// States that are other states and something behind these, with the same hash. The others have been given
/// roots when there was no column yet for what is behind.
#[test]
fn longer_states_that_begin_alike() {
    for length in [7, 8, 14, 16, 21, 32, 56, 63, 70, 140] {
        let short = |i: u64| (0..length).map(|at| mixed(i + at as u64 / 7 * 5000) as u8).collect::<Vec<_>>();
        let longer = |more: usize| move |i: u64| [short(i), vec![0; more]].concat();
        let states = (0..2100).map(short).chain((0..2100).map(longer(1))).chain((0..2100).map(longer(9)));
        compare(TreeStore::with_hash(Beginning(length)), Beginning(length), states);
    }
}

/// Where lengths are mixed, an exact store does not use all numbers. What is missing there is missing in the
/// tree, too, also when all states are cut anew.
#[test]
fn missing_numbers_when_states_are_cut_anew() {
    let state = |i: u64| {
        let number = mixed(i % 180_000);
        match i {
            0..2100 => [&i.to_le_bytes()[..3], &vec![0; 14 + i as usize % 2]].concat(),
            // Columns are of another kind from here on.
            _ => [number % 80, number / 80 % 90, number / 7200 % 70].map(|k| mixed(k).to_le_bytes()).concat(),
        }
    };
    let store = compare(AutoStore::within(250_000), WeightedSums, (0..190_000).map(state));
    let changed_at = store.changed_at().expect("memory got short");
    assert!((1000..2100).contains(&changed_at), "{changed_at}");
    let mut numbers = Vec::new();
    store.for_each_state(|StateId(id), _| numbers.push(id));
    assert!(numbers.iter().max().is_some_and(|&last| u64::from(last) > store.len()), "none is missing");
}

/// A million states and more take no more than eleven bytes each beside their values, and at no time more
/// than what they take then and what the store has said it is about to ask for.
#[test]
fn a_state_costs_less_than_twelve_bytes() {
    let mut store = TreeStore::new();
    let mut marks = StateBits::new();
    let mut announced = u64::MAX;
    let mut held = 0;
    let mut room = Vec::new();
    for i in 0..600_000u64 {
        // Twelve bytes: three groups of four, each with some hundreds of values.
        let state = |i: u64| {
            let random = mixed(i / 2 * 2);
            [random % 300, random / 300 % 400, (random >> 32) % 350]
                .map(|k| (mixed(k) as u32).to_le_bytes())
                .concat()
        };
        let batch: Vec<(Vec<u8>, u64)> =
            [4 * i, 4 * i + 2, i].map(|i| (state(i), WeightedSums.sum(&state(i)))).into();
        for found in store.insert_all(&batch[..], &mut room) {
            marks.set(found.id());
        }
        let bytes = store.states_bytes() + store.auxiliary_bytes();
        // Chunks, and lists that double, are not announced: they are small.
        assert!(
            bytes <= held + announced.saturating_add(64 << 10),
            "{i}: {held} and {announced}, now {bytes}"
        );
        (held, announced) = (bytes, store.upcoming_bytes());
        if store.len() > 850_000 && i % 1000 == 0 {
            let each = (bytes + marks.bytes()) as f64 / store.len() as f64;
            assert!(each < 12.0, "{} states: {each:.2}", store.len());
        }
    }
    assert!(store.len() > 1_000_000);
}

/// All numbers stay what they are, those of states of other lengths among them, and new ones are no old ones.
#[test]
fn a_store_that_changes_keeps_its_numbers() {
    let state = |i: u32| [&i.to_le_bytes()[..], &vec![7; i as usize % 9]].concat();
    let (mut auto, mut exact) = (AutoStore::within(4_500_000), ExactStore::new());
    let mut changed_at = None;
    for i in 0..120_000 {
        let inserted = auto.insert(&state(i));
        if changed_at.is_none() && auto.is_tree() {
            changed_at = Some(i);
        }
        if changed_at.is_none() {
            assert_eq!(inserted, exact.insert(&state(i)));
        }
    }
    let changed_at = changed_at.expect("memory got short");
    // It looks before it inserts, and every state is new here.
    assert_eq!(auto.changed_at(), Some(u64::from(changed_at)));
    assert!((5_000..100_000).contains(&changed_at), "{changed_at}");
    let mut buffer = Vec::new();
    for i in 0..changed_at {
        let Inserted::Known(id) = auto.insert(&state(i)) else { panic!("state {i} was lost") };
        assert_eq!(exact.insert(&state(i)), Inserted::Known(id));
        auto.read(id, &mut buffer);
        assert_eq!(buffer, state(i));
    }
    assert!(auto.states_bytes() + auto.auxiliary_bytes() < 4_500_000);
    auto.clear();
    assert!(auto.is_empty() && !auto.is_tree() && auto.changed_at().is_none());
    assert!(AutoStore::tree().changed_at().is_none() && exact.changed_at().is_none());
    assert!(matches!(auto.insert(&state(1)), Inserted::New(_)));
}

/// Numbers of more than 24 bits: the index is made anew for them. Takes half a minute.
#[test]
#[ignore = "seventeen million states"]
fn more_values_and_more_states_than_24_bits_have() {
    let mut store = TreeStore::new();
    let count = (1u64 << 24) + 300_000;
    let state = |i: u64| mixed(i).to_le_bytes()[..6].to_vec();
    let other = |i: u64| [&[1, 2][..], &(i as u32).to_le_bytes(), &[3; 7]].concat();
    for i in 0..count / 2 {
        assert_eq!(store.insert(&state(i)), Inserted::New(StateId(2 * i as u32)));
        assert_eq!(store.insert(&other(i)), Inserted::New(StateId(2 * i as u32 + 1)));
    }
    let mut buffer = Vec::new();
    for i in (0..count / 2).step_by(13) {
        assert_eq!(store.insert(&state(i)), Inserted::Known(StateId(2 * i as u32)));
        store.read(StateId(2 * i as u32 + 1), &mut buffer);
        assert_eq!(buffer, other(i));
    }
    let mut column = TreeStore::new();
    for i in 0..count {
        assert_eq!(column.insert(&(i * 3).to_le_bytes()[..5]), Inserted::New(StateId(i as u32)));
    }
    for i in (0..count).step_by(101) {
        column.read(StateId(i as u32), &mut buffer);
        assert_eq!(buffer, (i * 3).to_le_bytes()[..5]);
    }
}

/// More states than have numbers of 21 bits, in batches: the index is made anew with longer ones.
#[test]
fn more_numbers_than_21_bits_have() {
    let count = (1u32 << 21) + 5000;
    let state = |i: u32| i.wrapping_mul(0x9e37_79b1).to_le_bytes();
    let mut store = TreeStore::new();
    let mut room = Vec::new();
    for first in (0..count).step_by(40) {
        let batch: Vec<([u8; 4], u64)> = (first.saturating_sub(8)..(first + 40).min(count))
            .map(|i| (state(i), WeightedSums.sum(&state(i))))
            .collect();
        for (found, i) in store.insert_all(&batch[..], &mut room).iter().zip(first.saturating_sub(8)..) {
            let id = StateId(i);
            assert_eq!(*found, if i < first { Inserted::Known(id) } else { Inserted::New(id) });
        }
        assert!(store.load().is_some_and(|load| load <= 891), "the index grows in time");
    }
    assert_eq!(store.len(), u64::from(count));
    let mut buffer = Vec::new();
    for i in (0..count).step_by(211).chain([(1 << 21) - 1, 1 << 21, count - 1]) {
        store.read(StateId(i), &mut buffer);
        assert_eq!(buffer, state(i));
        assert_eq!(store.insert(&state(i)), Inserted::Known(StateId(i)));
    }
}

proptest! {
    #[test]
    fn random_states(states in prop::collection::vec(prop::collection::vec(0u8..3, 0..12), 0..3000)) {
        compare(TreeStore::new(), WeightedSums, states.clone());
        compare(AutoStore::within(40_000), WeightedSums, states);
    }

    #[test]
    fn random_lengths(seeds in prop::collection::vec((1usize..4096, any::<u8>()), 0..200)) {
        compare(TreeStore::new(), WeightedSums, seeds.into_iter().map(|(length, byte)| vec![byte; length]));
    }

    #[test]
    fn random_states_with_few_hashes(
        states in prop::collection::vec(prop::collection::vec(0u8..4, 0..6), 0..2000),
        mask in any::<u32>(),
        ones in any::<u32>(),
    ) {
        let mask = Mask(mask & ones.rotate_left(7), ones);
        compare(TreeStore::with_hash(mask), mask, states);
    }
}
