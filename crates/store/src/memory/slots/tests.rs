//! Slots one by one: what happens when numbers run out, or a slot is given back.

use super::*;

#[test]
fn numbers_run_out() {
    let slots = Slots::with_max_chunks(3);
    let mut written = 0u32;
    while let Some(taken) = slots.write(Share::default(), &written.to_le_bytes()) {
        assert_eq!(slots.get(taken.id()), written.to_le_bytes());
        written += 1;
    }
    assert_eq!(written, FIRST_SLOTS + 8 * FIRST_SLOTS + SLOTS);
    assert!(slots.is_full() && slots.write(Share::default(), &[1]).is_none());
    assert_eq!(slots.states_bytes(), 4 * written as u64);
    assert!(!Slots::with_max_chunks(100).is_full());
}

#[test]
fn what_is_given_back_is_taken_again() {
    let slots = Slots::new();
    let first = slots.write(Share::default(), &[1, 1]).unwrap();
    let second = slots.write(Share::default(), &[2, 2]).unwrap();
    let (first_id, second_id) = (first.id(), second.id());
    slots.give_back(Share::default(), second);
    let third = slots.write(Share::default(), &[3, 3]).unwrap();
    assert_eq!((third.id(), slots.get(second_id)), (second_id, &[3, 3][..]));
    // Not the last one any more: it stays unused, and does not count.
    slots.give_back(Share::default(), first);
    let fourth = slots.write(Share::default(), &[4, 4]).unwrap();
    assert!(fourth.id() != first_id && fourth.id() != second_id);
    assert_eq!(slots.states_bytes(), 4);
}

/// Several threads, in turns, with states of many lengths; some are taken back. Whether they share a share or
/// not: no slot is given out twice, and all that is left is given back or counted.
#[test]
fn slots_in_advance() {
    for shares in [[0, 1, 2], [0, 0, 0], [0, 16, 1]] {
        let slots = Slots::new();
        let mut threads = shares.map(|number| (Share::of_thread(number), Strips::default()));
        let (mut written, mut bytes) = (Vec::new(), 0);
        let mut seed = 11u64;
        for i in 0..20_000u64 {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let (share, strips) = &mut threads[(seed >> 33) as usize % 3];
            // Mostly one length; others that have the same strip, or are long; and of no bytes.
            let length = [12, 12, 12, 20, 4, 7, 0, 300][(seed >> 40) as usize % 8];
            let state: Vec<u8> = (0..length).map(|at| (i >> (8 * (at % 3))) as u8).collect();
            let id = strips.write(&slots, *share, &state).unwrap();
            assert_eq!(slots.get(id), state);
            if seed >> 60 == 0 {
                strips.take_back(length);
            } else {
                written.push((id, state));
                bytes += length as u64;
            }
            if i % 777 == 0 {
                strips.give_back(&slots, *share);
            }
        }
        threads.iter_mut().for_each(|(share, strips)| strips.give_back(&slots, *share));
        assert_eq!(slots.states_bytes(), bytes);
        written.iter().for_each(|(id, state)| assert_eq!(slots.get(*id), state));
        let all: std::collections::HashSet<_> = written.iter().map(|(id, _)| *id).collect();
        assert_eq!(all.len(), written.len());
    }
}

/// Slots of others are forgotten, and numbers run out here too.
#[test]
fn slots_in_advance_are_those_of_one_store() {
    let mut strips = Strips::default();
    let share = Share::of_thread(3);
    let (one, mut other) = (Slots::new(), Slots::with_max_chunks(3));
    let first = strips.write(&one, share, &[1; 4]).unwrap();
    let mut written = 0u32;
    while let Some(id) = strips.write(&other, share, &written.to_be_bytes()) {
        assert_eq!(other.get(id), written.to_be_bytes());
        written += 1;
    }
    assert_eq!(written, FIRST_SLOTS + 8 * FIRST_SLOTS + SLOTS);
    assert_eq!(other.states_bytes(), 4 * u64::from(written));
    // What was cleared is another store.
    other = Slots::new();
    assert_eq!(strips.write(&other, share, &[7; 4]).map(|id| other.get(id)), Some(&[7; 4][..]));
    let second = strips.write(&one, share, &[2; 4]).unwrap();
    assert!(one.get(first) == [1; 4] && one.get(second) == [2; 4] && first != second);
}

/// Chunks are found that were begun when nobody had the slots alone, whether there was room for them in the
/// list or not.
#[test]
fn chunks_that_were_not_listed() {
    for listed in [false, true] {
        let mut slots = Slots::new();
        if listed {
            slots.list_chunks_to_come();
        }
        let state = |i: u32| [&i.to_le_bytes()[..], &[9; 90]].concat();
        let mut strips = Strips::default();
        let count = (SPARE_CHUNKS as u32 + 40) * SLOTS;
        let ids: Vec<_> =
            (0..count).map(|i| strips.write(&slots, Share::default(), &state(i)).unwrap()).collect();
        for _ in 0..2 {
            for (i, id) in (0..).zip(&ids).step_by(97) {
                assert_eq!(slots.get(*id), state(i));
            }
            slots.list_chunks_to_come();
            assert!(slots.first_chunks.len() > *slots.chunk_count.get_mut() as usize);
        }
    }
}
