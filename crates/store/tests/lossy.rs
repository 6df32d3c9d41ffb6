//! Lossy stores, and the one for states in use, against the standard library's set.

use lariat_store::{
    BitstateStore, CompactStore, Inserted, LossyKind, LossySet, StateHash, StateId, StateStore,
    TransientStore, VisitedSet, WeightedSums,
};
use proptest::prelude::*;
use std::collections::{HashMap, HashSet};

/// Visits all states, in batches and singly. What is said to be new is new, always; how many are new is
/// given back, and how many were said to be visited although they were new.
fn visit(set: &mut impl VisitedSet, states: impl IntoIterator<Item = Vec<u8>>) -> (u64, u64) {
    let (mut plain, mut room) = (HashSet::new(), Vec::new());
    let (mut new, mut missed) = (0, 0);
    let mut states = states.into_iter();
    for length in (0..70).cycle() {
        let batch: Vec<(Vec<u8>, u64)> = states.by_ref().take(length).map(|state| (state, 0)).collect();
        let mut answers = if length % 2 == 0 {
            set.visit_all(&batch[..], &mut room).to_vec()
        } else {
            announced_answers(set, &batch)
        };
        let mut visited: Vec<Vec<u8>> = batch.into_iter().map(|(state, _)| state).collect();
        if let Some(state) = states.next() {
            let was_there = set.contains(&state);
            answers.push(set.visit(&state));
            assert_eq!(was_there, !answers[answers.len() - 1]);
            visited.push(state);
        } else if visited.is_empty() && length > 0 {
            break;
        }
        for (state, is_new) in visited.into_iter().zip(answers) {
            assert!(set.contains(&state), "it was visited");
            let is_truly_new = plain.insert(state);
            assert!(is_truly_new || !is_new, "said to be new twice");
            new += u64::from(is_new);
            missed += u64::from(is_truly_new && !is_new);
        }
    }
    assert_eq!(set.len(), new);
    assert_eq!(set.is_empty(), new == 0);
    (new, missed)
}

/// Of states that are announced and then visited, whether they are new.
fn announced_answers(set: &mut impl VisitedSet, batch: &[(Vec<u8>, u64)]) -> Vec<bool> {
    let (mut announced, mut room) = (Vec::new(), Vec::new());
    set.announce(batch, &mut announced);
    let new = set.visit_announced(batch, &announced, &mut room);
    assert!(new.is_sorted_by(|a, b| a < b), "in order");
    let mut answers = vec![false; batch.len()];
    new.iter().for_each(|&at| answers[at as usize] = true);
    answers
}

/// Whether states are visited one by one, together, or announced before, the same of them are new, and as
/// many are expected to be missed; with whatever number of bits.
#[test]
fn three_ways_to_visit() {
    let batch = |n: u64| -> Vec<(Vec<u8>, u64)> {
        let state = |i: u64| ((n * 7 + i).wrapping_mul(0x9e37_79b9) % 40_000).to_le_bytes().to_vec();
        (0..n % 13).map(|i| (state(i), 0)).collect()
    };
    for each in [1, 2, 3, 4, 12] {
        let sets = || (0..3).map(|_| BitstateStore::new(5, 1 << 13, each));
        let mut sets: Vec<BitstateStore> = sets().collect();
        let mut room = Vec::new();
        for n in 0..5000 {
            let batch = batch(n);
            let singly: Vec<bool> = batch.iter().map(|(state, _)| sets[0].visit(state)).collect();
            assert_eq!(sets[1].visit_all(&batch[..], &mut room), singly, "{each} bits");
            assert_eq!(announced_answers(&mut sets[2], &batch), singly, "{each} bits");
        }
        let [one, two, three] = [&sets[0], &sets[1], &sets[2]];
        assert!(one.len() > 1000 && [two.len(), three.len()] == [one.len(); 2]);
        assert!([two.share_set(), three.share_set()] == [one.share_set(); 2]);
        assert_eq!(one.expected_missed(), two.expected_missed());
        assert!((three.expected_missed() / one.expected_missed() - 1.0).abs() < 0.02, "{each} bits");
    }
}

/// Where chance would confuse one state in a hundred million, none is.
fn all_told_apart(states: &[Vec<u8>]) {
    let distinct = states.iter().collect::<HashSet<_>>().len() as u64;
    for seed in 0..3 {
        let compact = &mut CompactStore::new(seed);
        assert_eq!(visit(compact, states.to_vec()), (distinct, 0));
        let bitstate = &mut BitstateStore::new(seed, 1 << 20, 12);
        if distinct < 10_000 {
            assert_eq!(visit(bitstate, states.to_vec()), (distinct, 0));
        }
    }
}

#[test]
fn zeros_of_all_lengths() {
    all_told_apart(&(0..=4096).map(|length| vec![0; length]).collect::<Vec<_>>());
    all_told_apart(&(1..=4096).map(|length| vec![0xff; length]).collect::<Vec<_>>());
}

#[test]
fn numbers_of_pieces_beyond_two_and_three_bytes() {
    // As packed states have them: few values in many places, one piece with more than 2^16 or 2^24 values.
    let state = |i: u32| {
        let mut state = vec![(i % 3) as u8, 0, (i % 7) as u8];
        state.extend_from_slice(&(i * 97).to_le_bytes());
        state.resize(19, 0);
        state
    };
    all_told_apart(&(0..300_000).map(state).collect::<Vec<_>>());
}

/// States whose sums, by which the exact store finds them, are all the same: lossy stores do not use them.
#[test]
fn equal_sums() {
    // Two words with weights a and b: (b, -a) adds nothing to a sum, times anything, modulo 2^32 in the
    // upper halves; found by trying.
    let mut by_low_bits: HashMap<u32, Vec<Vec<u8>>> = HashMap::new();
    for i in 0..400_000u32 {
        let mut state = i.to_le_bytes().to_vec();
        state.extend_from_slice(&i.wrapping_mul(0x9e37_79b9).to_le_bytes());
        let sum = WeightedSums.sum(&state);
        by_low_bits.entry(sum as u32 & 0xfff).or_default().push(state);
    }
    let crowd = by_low_bits.into_values().max_by_key(Vec::len).expect("there are some");
    all_told_apart(&crowd);
}

/// The number of states that are missed is about the one that is predicted.
#[test]
fn as_many_are_missed_as_predicted() {
    let states = |salt: u64| {
        (0..100_000u64).map(move |i| {
            let mut state = (i / 1000).to_le_bytes().to_vec();
            state.extend_from_slice(&(i % 1000 + salt).to_le_bytes());
            state
        })
    };
    for seed in 0..4 {
        let bits = |bits| measured(CompactStore::with_bits(seed, bits), states(seed));
        let table = |bytes, each| measured(BitstateStore::new(seed, bytes, each), states(seed));
        for (name, (missed, predicted)) in [
            ("24 bits", bits(24)),
            ("18 bits", bits(18)),
            ("1 bit", table(1 << 17, 1)),
            ("3 bits", table(1 << 16, 3)),
            ("8 bits", table(1 << 16, 8)),
        ] {
            let ratio = missed as f64 / predicted;
            assert!((0.75..1.33).contains(&ratio), "{name}, seed {seed}: {missed}, predicted {predicted}");
        }
    }
}

fn measured(mut set: impl VisitedSet, states: impl Iterator<Item = Vec<u8>>) -> (u64, f64) {
    let (_, missed) = visit(&mut set, states);
    (missed, set.expected_missed())
}

/// What one hash function confuses, another tells apart.
#[test]
fn seeds_are_independent() {
    let missed_by = |seed: u64| {
        let mut set = BitstateStore::new(seed, 1 << 15, 3);
        (0..60_000u32).map(|i| set.visit(&i.to_le_bytes())).collect::<Vec<bool>>()
    };
    let (one, two) = (missed_by(1), missed_by(2));
    let share = |list: &[bool]| list.iter().filter(|new| !**new).count() as f64 / list.len() as f64;
    let both = one.iter().zip(&two).filter(|(one, two)| !**one && !**two).count() as f64 / one.len() as f64;
    let expected: f64 = (0..one.len() / 1000)
        .map(|k| share(&one[k * 1000..][..1000]) * share(&two[k * 1000..][..1000]))
        .sum::<f64>()
        / (one.len() / 1000) as f64;
    assert!((0.8..1.25).contains(&(both / expected)), "{both}, expected {expected}");
}

#[test]
fn a_cleared_set_is_empty() {
    for kind in [LossyKind::Compact, LossyKind::Bitstate] {
        let mut set = LossySet::new(kind, 0, 1 << 16, 3);
        for _ in 0..3 {
            assert!(set.visit(b"one") && set.visit(b"two") && !set.visit(b"one"));
            assert_eq!((set.len(), set.contains(b"two"), set.contains(b"three")), (2, true, false));
            assert!(set.states_bytes() + set.auxiliary_bytes() > 0);
            set.clear();
            assert!(set.is_empty() && !set.contains(b"one") && set.expected_missed() == 0.0);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn random_states(states in prop::collection::vec(prop::collection::vec(0u8..3, 0..40), 0..400)) {
        let distinct = states.iter().collect::<HashSet<_>>().len() as u64;
        prop_assert_eq!(visit(&mut CompactStore::new(1), states.clone()), (distinct, 0));
        prop_assert_eq!(visit(&mut BitstateStore::new(1, 1 << 20, 8), states), (distinct, 0));
    }

    /// States that come and go: numbers of those in use are different, and their bytes are what they were.
    #[test]
    fn states_in_use(steps in prop::collection::vec((0u8..40, 0u8..3, any::<bool>()), 0..600)) {
        let (mut store, mut plain) = (TransientStore::new(), HashMap::<Vec<u8>, (StateId, u32)>::new());
        for (value, length, comes) in steps {
            let state = vec![value; length as usize * 9 + 1];
            if comes {
                let inserted = store.insert(&state);
                let entry = plain.entry(state).or_insert((inserted.id(), 0));
                prop_assert_eq!(matches!(inserted, Inserted::New(_)), entry.1 == 0);
                entry.1 += 1;
                prop_assert_eq!(entry.0, inserted.id());
            } else if let Some(entry) = plain.get_mut(&state) {
                entry.1 -= 1;
                let is_last = entry.1 == 0;
                prop_assert_eq!(store.give_back(entry.0), is_last);
                if is_last {
                    plain.remove(&state);
                }
            }
            prop_assert_eq!(store.len(), plain.len() as u64);
        }
        let ids: HashSet<StateId> = plain.values().map(|(id, _)| *id).collect();
        prop_assert_eq!(ids.len(), plain.len());
        for (state, (id, _)) in &plain {
            prop_assert_eq!(store.get(*id), &state[..]);
            prop_assert!(store.contains(state));
        }
        let mut shown = 0;
        store.for_each_state(|id, state| shown += u32::from(plain[state].0 == id));
        prop_assert_eq!(shown as usize, plain.len());
    }
}
