//! What steps do, as differences: how effects are written down, and how they are repeated.
//!
//! A step changes bytes that its process has looked at, and nothing else; so from states that are the same
//! there, it makes the same difference. The exclusive or of a state and its successor is kept, word for word,
//! and the difference of their sums ([`WeightedSums`]). To repeat a step is then an exclusive or of a few
//! words, and an addition for the hash, whatever the step was.
//!
//! Effects lie one behind the other in a list of words. Each begins with the number of successors, twice, and
//! one if something can happen; and the places that change, as bits. Then come for each successor the
//! difference of the sums, without that of the lengths, and as many words as the stride of the [`Reference`].

use super::commuting::sleeping_after;
use super::departures::Departure;
use super::recall::{Kept, LaneMemory};
use super::reference::{EVERYTHING, Reference, load};
use crate::successors::{Entry, Successors};
use lariat_store::{StateHash, WeightedSums};

/// Words before the first successor of an effect.
const HEADER: usize = 2;

/// Adds what a process has done from the reference: its successors, as they are stored. If one of them has
/// another shape, nothing is added, and this is false. `seen` are the bytes that the process looks at, as a
/// mask.
pub fn add_effect(
    effects: &mut Vec<u64>,
    reference: &Reference,
    seen: &[u64],
    packed: &[u8],
    entries: &[Entry],
    moved: bool,
) -> bool {
    let Some(plan) = reference.plan.as_deref() else { return false };
    let start = effects.len();
    effects.push((entries.len() as u64) << 1 | moved as u64);
    effects.push(0);
    debug_assert_eq!(effects.len(), start + HEADER);
    for entry in entries {
        let state = &packed[entry.start as usize..entry.end as usize];
        if state.len() > plan.places.width() {
            effects.truncate(start);
            return false;
        }
        let difference = entry.sum.wrapping_sub(reference.sum);
        effects.push(difference.wrapping_sub(WeightedSums::of_lengths(state.len(), reference.length)));
        let first = effects.len();
        effects.resize(first + reference.words.len(), 0);
        let words = &mut effects[first..];
        load(state, words);
        words.iter_mut().zip(&reference.words).for_each(|(word, before)| *word ^= before);
        if words[0] & plan.places.head_mask() != 0 {
            effects.truncate(start);
            return false;
        }
        // A process changes nothing that it does not look at.
        let is_seen = words.iter().zip(seen).all(|(word, seen)| word & !seen == 0);
        assert!(is_seen, "a footprint is too small");
        let changed = reference.changes_by(words);
        effects[start + 1] |= changed;
    }
    true
}

/// In the first word of an effect: the process ends.
pub const ENDS: u64 = 1 << 63;

/// Adds that a process ends: how, its [`Departure`] says. That commutes with nothing.
pub fn add_departure(effects: &mut Vec<u64>) {
    effects.extend([ENDS | 1 << 1 | 1, EVERYTHING]);
}

/// Adds the state without a process that ends.
#[inline(never)]
fn depart<const N: usize>(departure: &Departure, words: &[u64; N], out: &mut Successors) {
    let (state, length) = departure.of(words);
    let start = out.bytes.len() as u32;
    out.bytes.extend_from_slice(state.as_flattened());
    let sum = WeightedSums.sum(&state.as_flattened()[..length]);
    let (end, held) = (start + length as u32, Entry::NOBODY);
    out.entries.push(Entry { start, end, steps_start: 0, steps_end: 0, held, sleeping: 0, sum });
}

/// How long a state is whose bytes are followed by zeros, if it is at least `narrow` bytes long.
#[inline(always)]
fn length_of<const N: usize>(words: &[u64; N], narrow: usize) -> usize {
    let last = words.iter().rposition(|word| *word != 0).unwrap_or(0);
    (8 * last + 8 - words[last].leading_zeros() as usize / 8).max(narrow)
}

/// Adds the successors of the reference by some processes (a bit for each), as they are kept, from the last
/// process to the first.
#[inline(always)]
pub fn repeat<const N: usize>(
    effects: &[u64],
    lane: &LaneMemory,
    departures: &[Option<Departure>],
    processes: u64,
    reference: &Reference,
    out: &mut Successors,
) {
    let Some(plan) = reference.plan.as_deref() else { return };
    out.moved |= lane.moving & processes != 0;
    let leading = lane.leading & processes;
    let mut left_out = leading & out.sleeping as u64;
    let followed = leading & !left_out;
    while left_out != 0 {
        out.left_out += lane.kept[left_out.trailing_zeros() as usize].count as u64;
        left_out &= left_out - 1;
    }
    if plan.places.has_higher() {
        repeat_some::<N, true>(effects, lane, departures, followed, reference, plan.places.narrow, out)
    } else {
        repeat_some::<N, false>(effects, lane, departures, followed, reference, 0, out)
    }
}

/// The same for states that have places for higher bytes, and may differ in length; and for states that have
/// not.
///
/// It is not inlined: so this loop has the registers for itself.
#[inline(never)]
fn repeat_some<const N: usize, const HIGHER: bool>(
    effects: &[u64],
    lane: &LaneMemory,
    departures: &[Option<Departure>],
    mut followed: u64,
    reference: &Reference,
    narrow: usize,
    out: &mut Successors,
) {
    let Some(&words) = reference.words.first_chunk::<N>() else { return };
    let (length, sum) = (reference.length, reference.sum);
    while followed != 0 {
        let pid = followed.ilog2();
        followed ^= 1 << pid;
        if lane.ending >> pid & 1 != 0 {
            // Without it a successor would be lost, and nobody would notice.
            let departure = departures[pid as usize].as_ref().expect("a process that ends has a departure");
            depart(departure, &words, out);
            continue;
        }
        let later = if out.asks_for_sleepers { lane.leading & (u64::MAX << pid << 1) } else { 0 };
        let sleeping = sleeping_after(&lane.kept, pid as usize, later);
        let Kept { effect, count, .. } = lane.kept[pid as usize];
        let Some(differences) = effects.get(effect as usize + HEADER..) else { return };
        let mut rest = differences;
        for _ in 0..count {
            let Some((difference, after)) = rest.split_first() else { break };
            let Some((changes, after)) = after.split_first_chunk::<N>() else { break };
            rest = after;
            let mut state = words;
            state.iter_mut().zip(changes).for_each(|(word, change)| *word ^= change);
            let start = out.bytes.len() as u32;
            out.bytes.extend_from_slice(state.map(u64::to_le_bytes).as_flattened());
            let mut sum = sum.wrapping_add(*difference);
            let mut end = length;
            if HIGHER {
                end = length_of(&state, narrow);
                sum = sum.wrapping_add(WeightedSums::of_lengths(end, length));
            }
            let end = start + end as u32;
            let held = Entry::NOBODY;
            out.entries.push(Entry { start, end, steps_start: 0, steps_end: 0, held, sleeping, sum });
        }
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
