//! Arcs to states that are short, on their way into the store.
//!
//! Nearly all states of nearly all models are of this kind, because what is stored are numbers of pieces.
//! Then the bytes of an arc's end have room beside what else is known of it, so that there is one list of one
//! kind of entry, which is written once and read in order. What all arcs by one edge have in common is kept
//! once for the edge ([`Run`]). `targets.rs` has the arcs of all other states.

use lariat_engine::Entry;
use lariat_store::{Batch, WeightedSums};
use std::ops::Range;

/// A longer state of the model is left to others, and so is one with fewer than four bytes.
const LONGEST: usize = 32;
/// For a state, and a number behind it.
const ROOM: usize = LONGEST + 4;
/// If there are more arcs, they are left to others, who put them into the store in parts.
const MOST_ARCS: usize = 256;

/// Arcs whose ends have no numbers yet.
pub(super) struct ShortTargets<K> {
    /// Those that are in use, and behind them those of states before.
    list: Vec<End>,
    used: usize,
    pub runs: Vec<Run<K>>,
    /// What the sum of a state of such a length grows by if such a number is put behind it.
    more: (usize, u32, u64),
}

/// Arcs by one edge, one behind the other.
pub(super) struct Run<K> {
    pub arcs: usize,
    /// The automaton's state that they lead to.
    pub to: u32,
    pub marks: K,
}

/// Where an arc ends.
#[derive(Clone, Copy)]
pub(super) struct End {
    /// Of the whole state.
    sum: u64,
    /// Of the whole state.
    length: u32,
    bytes: [u8; ROOM],
}

impl<K: Copy> ShortTargets<K> {
    /// For automata whose states take so many bytes.
    pub fn new(property: usize) -> ShortTargets<K> {
        let none = WeightedSums::of_more(0, &[0; 4][..property]);
        ShortTargets { list: Vec::new(), used: 0, runs: Vec::new(), more: (0, 0, none) }
    }

    /// Makes room for the arcs of another state. Whether they belong here, as far as the first tells.
    #[inline(always)]
    pub fn begin(&mut self, successors: &[Entry]) -> bool {
        self.used = 0;
        self.runs.clear();
        match successors {
            [] => true,
            [first, ..] => (4..=LONGEST as u32).contains(&(first.end - first.start)),
        }
    }

    /// Adds an arc to each of a model's successors, by one edge of the automaton, whose state takes so many
    /// bytes. Whether all of them belong here; if not, nothing is there any more.
    #[inline(always)]
    pub fn add_all(
        &mut self,
        to: u32,
        marks: K,
        (states, successors): (&[u8], &[Entry]),
        property: usize,
    ) -> bool {
        let Some(first) = successors.first() else { return true };
        let length = (first.end - first.start) as usize;
        if self.more.0 != length || self.more.1 != to {
            self.more = (length, to, of_another(length, &to.to_le_bytes()[..property]));
        }
        let end = self.used + successors.len();
        if end > self.list.len() {
            self.make_room(end);
        }
        let whole = (length + property) as u32;
        let slots = self.list.get_mut(self.used..end).unwrap_or_default();
        let all = Writing { number: to.to_le_bytes(), length, whole, more: self.more.2 };
        let belong = end <= MOST_ARCS
            && (match length {
                16..=LONGEST => all.fill::<16>(slots, states, successors),
                8.. => all.fill::<8>(slots, states, successors),
                _ => all.fill::<4>(slots, states, successors),
            } || all.fill_one_by_one(slots, states, successors, property));
        if !belong {
            self.begin(&[]);
            return false;
        }
        self.used = end;
        self.runs.push(Run { arcs: successors.len(), to, marks });
        true
    }

    #[cold]
    #[inline(never)]
    fn make_room(&mut self, arcs: usize) {
        self.list.resize(arcs, End { sum: 0, length: 0, bytes: [0; ROOM] });
    }

    /// The ends of all arcs.
    #[inline]
    pub fn ends(&self) -> ShortEnds<'_> {
        ShortEnds(&self.list[..self.used])
    }
}

#[cold]
#[inline(never)]
fn of_another(length: usize, number: &[u8]) -> u64 {
    WeightedSums::of_more(length, number)
}

/// What is the same for all arcs by one edge.
struct Writing {
    number: [u8; 4],
    /// Of the model's states, and with the automaton's behind them.
    length: usize,
    whole: u32,
    more: u64,
}

impl Writing {
    /// Writes states of N to 2 N bytes, and the number behind each: where they belong, because a copy of a
    /// length that is not known takes a call. Whether all have the length.
    #[inline(always)]
    fn fill<const N: usize>(&self, slots: &mut [End], states: &[u8], successors: &[Entry]) -> bool {
        let Writing { number, length, whole, more } = *self;
        if !(N..=2 * N).contains(&length) {
            return false;
        }
        for (slot, successor) in slots.iter_mut().zip(successors) {
            let Some(state) = states.get(successor.start as usize..successor.end as usize) else {
                return false;
            };
            let (Some(first), Some(last)) = (state.first_chunk::<N>(), state.last_chunk::<N>()) else {
                return false;
            };
            if state.len() != length {
                return false;
            }
            slot.bytes[..N].copy_from_slice(first);
            slot.bytes[length - N..length].copy_from_slice(last);
            slot.bytes[length..length + 4].copy_from_slice(&number);
            slot.sum = successor.sum.wrapping_add(more);
            slot.length = whole;
        }
        true
    }

    /// The same for states that are not all as long as each other. Whether all are short.
    #[inline(never)]
    fn fill_one_by_one(
        &self,
        slots: &mut [End],
        states: &[u8],
        successors: &[Entry],
        property: usize,
    ) -> bool {
        slots.iter_mut().zip(successors).all(|(slot, successor)| {
            let length = (successor.end - successor.start) as usize;
            let more = match length == self.length {
                true => self.more,
                false => WeightedSums::of_more(length, &self.number[..property]),
            };
            let all = Writing { length, whole: (length + property) as u32, more, ..*self };
            let (slot, successor) = (std::slice::from_mut(slot), std::slice::from_ref(successor));
            match length {
                16..=LONGEST => all.fill::<16>(slot, states, successor),
                8.. => all.fill::<8>(slot, states, successor),
                _ => all.fill::<4>(slot, states, successor),
            }
        })
    }
}

/// The ends of arcs, for the store.
#[derive(Clone, Copy)]
pub(super) struct ShortEnds<'t>(&'t [End]);

impl Batch for ShortEnds<'_> {
    type Entry = End;

    #[inline]
    fn entries(&self) -> &[End] {
        self.0
    }

    fn part(self, range: Range<usize>) -> Self {
        ShortEnds(&self.0[range])
    }

    #[inline]
    fn state<'s>(&'s self, end: &'s End) -> &'s [u8] {
        &end.bytes[..end.length as usize]
    }

    #[inline]
    fn sum(&self, end: &End) -> u64 {
        end.sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::product::targets::tests::successors;
    use lariat_store::StateHash;

    /// The ends that three edges give, and those that they should.
    fn by_three_edges(lengths: &[usize], property: usize) -> Option<[Vec<Vec<u8>>; 2]> {
        let (bytes, entries) = successors(lengths);
        let mut targets = ShortTargets::new(property);
        assert_eq!(
            targets.begin(&entries),
            lengths.first().is_none_or(|first| (4..=LONGEST).contains(first))
        );
        let numbers = [0x0403_0201u32, 0, 0xfffe_fdfc];
        for number in numbers {
            if !targets.add_all(number, number / 2, (&bytes, &entries), property) {
                assert!(targets.runs.is_empty() && targets.ends().entries().is_empty());
                return None;
            }
        }
        let runs: Vec<_> = targets.runs.iter().map(|run| (run.arcs, run.to, run.marks)).collect();
        assert_eq!(runs, numbers.map(|number| (lengths.len(), number, number / 2)));
        let (mut found, mut expected) = (Vec::new(), Vec::new());
        for (number, entry) in
            numbers.iter().flat_map(|number| entries.iter().map(move |entry| (number, entry)))
        {
            let state = &bytes[entry.start as usize..entry.end as usize];
            expected.push([state, &number.to_le_bytes()[..property]].concat());
        }
        let ends = targets.ends();
        for end in ends.entries() {
            assert_eq!(ends.sum(end), WeightedSums.sum(ends.state(end)), "{lengths:?} bytes and {property}");
            found.push(ends.state(end).to_vec());
        }
        Some([found, expected])
    }

    #[test]
    fn states_are_whole() {
        let equal = (0..70usize).flat_map(|length| [1, 2, 5, 40].map(|arcs| vec![length; arcs]));
        let mixed = (4..=LONGEST).map(|length| vec![length, 4, 32, 7, 8, 15, 16, length, 31, 5]);
        for lengths in equal.chain(mixed) {
            for property in [0, 1, 2, 4] {
                match by_three_edges(&lengths, property) {
                    Some([found, expected]) => assert_eq!(found, expected, "{lengths:?} and {property}"),
                    None => assert!(!lengths.iter().all(|length| (4..=LONGEST).contains(length))),
                }
            }
        }
    }

    #[test]
    fn one_that_is_not_short_is_noticed() {
        for lengths in [[12, 12, 3], [12, 33, 12], [16, 0, 15], [4, 4, 3], [32, 32, 33], [8, 8, 70]] {
            let (bytes, entries) = successors(&lengths);
            let mut targets = ShortTargets::new(1);
            assert!(targets.begin(&entries));
            assert!(!targets.add_all(1, (), (&bytes, &entries), 1), "{lengths:?}");
            assert!(targets.runs.is_empty() && targets.ends().entries().is_empty());
            // What is left of them does no harm.
            let (bytes, entries) = successors(&[9; 3]);
            assert!(targets.begin(&entries) && targets.add_all(2, (), (&bytes, &entries), 1));
            let ends = targets.ends();
            let lengths: Vec<usize> = ends.entries().iter().map(|end| ends.state(end).len()).collect();
            assert_eq!(lengths, [10; 3]);
        }
    }

    #[test]
    fn too_many_are_left_to_others() {
        let (bytes, entries) = successors(&[12; MOST_ARCS]);
        let mut targets = ShortTargets::new(1);
        assert!(targets.begin(&entries) && targets.add_all(1, (), (&bytes, &entries), 1));
        assert!(!targets.add_all(1, (), (&bytes, &entries[..1]), 1));
        assert!(targets.begin(&[]) && targets.add_all(1, (), (&bytes, &[]), 1));
        assert!(targets.ends().entries().is_empty());
    }
}
