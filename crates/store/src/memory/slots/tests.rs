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
