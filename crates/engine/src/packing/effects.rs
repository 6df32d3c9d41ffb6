//! What a step does, written as a difference, so that it can be repeated without running the process.
//!
//! A step changes only bytes inside its footprint. So from any two states that agree there, it makes the same
//! difference. Of each successor, the exclusive or of the state before and the state after is kept, word by
//! word. To repeat the step in another state is to apply the same exclusive or.
//!
//! The hash is repeated in the same way. It follows from a weighted sum of the state's bytes
//! ([`WeightedSums`]), and if the same bytes change in the same way, that sum changes by the same amount. The
//! length of a state is part of the sum, and may change by another amount; so its share is left out of the
//! difference, and added when the new length is known.
//!
//! All effects lie in one list of words; a table says where each begins ([`super::remembered`]):
//!
//! ```text
//! number of successors << 1 | something happened;  with ENDS if the process ends, OTHERS if others take part
//! the cells that change, a bit each
//! for each successor: difference of the sums, difference of the states (as many words as a state has)
//! with OTHERS, for each successor: those who take part, as bits
//! ```
//!
//! A process that ends changes the shape of the state. That is no exclusive or, and has a form of its own
//! ([`super::process_end`]). Who takes part is kept only where somebody asks for it.

use super::last_state::{EVERYTHING, LastState, load};
use super::process_end::ProcessEnd;
use super::recall::{LaneMemory, MOST_PROCESSES};
use super::remembered::{Done, Tables};
use crate::process_set::ProcessSet;
use crate::successors::{Entry, Successors};
use lariat_store::{StateHash, WeightedSums};

/// Words before the first successor of an effect.
const HEADER: usize = 2;

/// Adds what a process has done in the last state: its successors, as they are stored. If one of them has
/// another shape, nothing is added, and the answer is false. `seen` is the footprint, as a mask.
pub fn add_effect(effects: &mut Vec<u64>, last: &LastState, seen: &[u64], done: Done) -> bool {
    let Done { packed, entries, moved, .. } = done;
    let Some(plan) = last.plan.as_deref() else { return false };
    let start = effects.len();
    let changes = done.changes(plan);
    effects.push((entries.len() as u64) << 1 | moved as u64);
    effects.push(changes);
    debug_assert_eq!(effects.len(), start + HEADER);
    let mut all = vec![0; last.words.len()];
    for entry in entries {
        let state = &packed[entry.start as usize..entry.end as usize];
        if state.len() > plan.places.width() {
            effects.truncate(start);
            return false;
        }
        let difference = entry.sum.wrapping_sub(last.sum);
        effects.push(difference.wrapping_sub(WeightedSums::of_lengths(state.len(), last.length)));
        let first = effects.len();
        effects.resize(first + last.words.len(), 0);
        let words = &mut effects[first..];
        load(state, words);
        words.iter_mut().zip(&last.words).for_each(|(word, before)| *word ^= before);
        if words[0] & plan.places.head_mask != 0 {
            effects.truncate(start);
            return false;
        }
        // A process changes nothing that it does not look at.
        let is_seen = words.iter().zip(seen).all(|(word, seen)| word & !seen == 0);
        assert!(is_seen, "a footprint is too small");
        all.iter_mut().zip(words).for_each(|(all, word)| *all |= *word);
    }
    assert!(changes == EVERYTHING || plan.are_cells_of(changes, &all), "other cells change than it was told");
    if !done.is_alone() {
        effects[start] |= OTHERS;
        effects.extend(done.participants.iter().map(|set| set.word()));
    }
    true
}

/// In the first word of an effect: the process ends.
const ENDS: u64 = 1 << 63;

/// In the first word of an effect: others take part, too.
const OTHERS: u64 = 1 << 62;

/// Adds that a process ends; what becomes of the state, its [`ProcessEnd`] says. It commutes with nothing.
pub fn add_end(effects: &mut Vec<u64>) {
    effects.extend([ENDS | 1 << 1 | 1, EVERYTHING]);
}

/// Adds the state that is left when a process has ended.
#[inline(never)]
fn end_process<const N: usize>(end: &ProcessEnd, words: &[u64; N], out: &mut Successors) {
    let (state, length) = end.of(words);
    let start = out.bytes.len() as u32;
    out.bytes.extend_from_slice(state.as_flattened());
    let sum = WeightedSums.sum(&state.as_flattened()[..length]);
    let (end, held) = (start + length as u32, Entry::NOBODY);
    out.entries.push(Entry { start, end, steps_start: 0, steps_end: 0, held, recalled_of: 0, sum });
}

/// Adds who takes part in the steps of some processes, for each of their successors.
#[cold]
fn add_participants<const N: usize>(
    effects: &[u64],
    lane: &LaneMemory,
    mut followed: u64,
    out: &mut Successors,
) {
    const { assert!(MOST_PROCESSES <= u64::BITS as usize) };
    while followed != 0 {
        let pid = followed.ilog2();
        followed ^= 1 << pid;
        let (effect, count) = (lane.kept[pid as usize].effect(), lane.kept[pid as usize].count());
        let (first, count) = (effect as usize + HEADER, count as usize);
        if effects[effect as usize] & OTHERS == 0 {
            out.participants.extend(std::iter::repeat_n(ProcessSet::of(pid as u16), count));
        } else {
            let words = &effects[first + count * (1 + N)..][..count];
            out.participants.extend(words.iter().map(|word| ProcessSet::of_word(*word)));
        }
    }
}

/// How long a state is whose bytes are followed by zeros, if it is at least `narrow` bytes long.
#[inline(always)]
pub fn length_of<const N: usize>(words: &[u64; N], narrow: usize) -> usize {
    let last = words.iter().rposition(|word| *word != 0).unwrap_or(0);
    (8 * last + 8 - words[last].leading_zeros() as usize / 8).max(narrow)
}

/// Adds the successors of the last state by some processes (a bit for each), from the last process to the
/// first, by what is kept of each.
#[inline(always)]
pub fn repeat<const N: usize>(
    tables: &Tables,
    lane: &LaneMemory,
    ends: &[Option<ProcessEnd>],
    processes: u64,
    last: &LastState,
    out: &mut Successors,
) {
    let Some(plan) = last.plan.as_deref() else { return };
    out.movers |= lane.bits.moving & processes;
    out.moved |= lane.bits.moving & processes != 0;
    let leading = lane.bits.leading & processes;
    // Processes that are asleep are only counted.
    let mut left_out = leading & out.sleeping as u64;
    let followed = leading & !left_out;
    while left_out != 0 {
        out.left_out += lane.kept[left_out.trailing_zeros() as usize].count() as u64;
        left_out &= left_out - 1;
    }
    if out.asks_for_sleepers {
        out.commuting.add(leading, &lane.touched);
    }
    if out.asks_for_participants {
        add_participants::<N>(&tables.effects, lane, followed, out);
    }
    if plan.places.has_higher() {
        repeat_some::<N, true>(tables, lane, ends, followed, last, plan.places.narrow, out)
    } else {
        repeat_some::<N, false>(tables, lane, ends, followed, last, 0, out)
    }
}

/// The same for states that have places for higher bytes, and may differ in length; and for states that have
/// not.
///
/// It is not inlined: so this loop has the registers for itself.
#[inline(never)]
fn repeat_some<const N: usize, const HIGHER: bool>(
    tables: &Tables,
    lane: &LaneMemory,
    ends: &[Option<ProcessEnd>],
    mut followed: u64,
    last: &LastState,
    narrow: usize,
    out: &mut Successors,
) {
    let Some(words) = last.words.first_chunk::<N>() else { return };
    while let Some(pid) = (lane.bits.ending & followed).checked_ilog2() {
        let later = followed & (u64::MAX << pid << 1);
        repeat_all::<N, HIGHER>(tables, lane, later, words, last, narrow, out);
        // Without it a successor would be lost, and nobody would notice.
        let end = ends[pid as usize].as_ref().expect("it is known how the process ends");
        end_process(end, words, out);
        followed &= (1 << pid) - 1;
    }
    repeat_all::<N, HIGHER>(tables, lane, followed, words, last, narrow, out);
}

/// The same for processes that do not end.
#[inline(always)]
fn repeat_all<const N: usize, const HIGHER: bool>(
    tables: &Tables,
    lane: &LaneMemory,
    mut followed: u64,
    words: &[u64; N],
    last: &LastState,
    narrow: usize,
    out: &mut Successors,
) {
    // Room for all of them, so that there is nothing to be asked for each.
    let room = lane.kept.len() * tables.most_successors;
    out.bytes.reserve(room * 8 * N);
    out.entries.reserve(room);
    let (words, sum, before) = (*words, last.sum, last.length);
    let mut start = out.bytes.len();
    // SAFETY: these are the ends of the lists.
    let (mut state, mut entry) = unsafe {
        let state = out.bytes.as_mut_ptr().add(start).cast::<[[u8; 8]; N]>();
        (state, out.entries.as_mut_ptr().add(out.entries.len()))
    };
    let first = entry;
    while followed != 0 {
        let pid = followed.ilog2();
        followed &= !(1 << pid);
        let kept = &lane.kept[pid as usize];
        let effect = kept.effect() as usize + HEADER;
        let mut rest = &tables.effects[effect..effect + kept.count() as usize * (N + 1)];
        assert!(kept.count() as usize <= tables.most_successors, "more successors than were learnt");
        while let Some((successor, others)) = rest.split_at_checked(N + 1) {
            rest = others;
            let mut after = words;
            after.iter_mut().zip(&successor[1..]).for_each(|(word, change)| *word ^= change);
            let mut sum = sum.wrapping_add(successor[0]);
            let mut length = before;
            if HIGHER {
                length = length_of(&after, narrow);
                sum = sum.wrapping_add(WeightedSums::of_lengths(length, before));
            }
            let (held, end) = (Entry::NOBODY, (start + length) as u32);
            let (start_of, recalled_of) = (start as u32, pid + 1);
            start += 8 * N;
            // SAFETY: no process comes twice, and none has more successors than there is room for.
            unsafe {
                state.write(after.map(u64::to_le_bytes));
                entry.write(Entry {
                    start: start_of,
                    end,
                    steps_start: 0,
                    steps_end: 0,
                    held,
                    recalled_of,
                    sum,
                });
                (state, entry) = (state.add(1), entry.add(1));
            }
        }
    }
    // SAFETY: up to there, all of it has been written.
    unsafe {
        out.bytes.set_len(start);
        out.entries.set_len(out.entries.len() + entry.offset_from_unsigned(first));
    }
}

#[cfg(test)]
mod tests {
    use super::length_of;

    #[test]
    fn zeros_at_the_end() {
        for length in 0..32usize {
            let mut words = [0u64; 4];
            words[0] = 1;
            (0..length).for_each(|i| words[i / 8] |= 0x80 << (i % 8 * 8));
            for narrow in [1, 5, 8, 9] {
                assert_eq!(length_of(&words, narrow), length.max(narrow).max(1));
            }
        }
        assert_eq!(length_of(&[0; 4], 7), 7);
    }
}
