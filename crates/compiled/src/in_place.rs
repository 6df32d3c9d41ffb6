//! Indivisible sequences by code, in place: the usual ones, which are short and whose states all have the
//! frames of the state in which they begin.
//!
//! It does what [`finish_sequences`](lariat_engine::interpreter::finish_sequences) does, in the same
//! order: the intermediate states are searched depth-first, each is expanded once, and what leads out of them
//! is a successor. But there is no copy of a state. Code reads an intermediate state where it has written it,
//! among the successors, and writes what comes next behind; in the end the list of entries says which of all
//! these states are successors. What no copy is made of need not be taken apart again either: frames,
//! promises and the room for handshakes stay as they are.
//!
//! That frames are the same is seen from the length: one step creates a process, and the state is longer; or
//! one ends, and it is shorter; no step does both.
//!
//! Whatever is not usual is left to the general way, which begins again with the first steps: somebody asks
//! for participants; a process is created or ends on the way, or promises change with the state; there are
//! very many intermediate states; there is no room; the sequence may go on for ever. Debug builds take both
//! ways and compare; the interpreter (`--engine interpreted`) knows the general one only.
//!
//! Measured with what `receivers.rs` spares, user time beside the program before both: 1.25 to 1.6 on public
//! models with many such sequences (`bench/causes.md`, *Indivisible sequences*).

use crate::code::Code;
use crate::facts::Facts;
use crate::machine::{FINE, Machine, NO_ROOM};
use lariat_engine::{Entry, Successors};

/// With more intermediate states than that, it is not a usual sequence.
const MOST_SEEN: usize = 1 << 10;

/// Reached by a first step, not from an intermediate state.
const ROOT: u32 = u32::MAX;

/// A state among the successors that waits, and the intermediate state from which it was reached, by its
/// place among [`InPlace::seen`].
#[derive(Clone, Copy)]
struct Waiting {
    entry: Entry,
    from: u32,
}

/// An intermediate state.
#[derive(Clone, Copy)]
struct Seen {
    start: u32,
    /// From which it was reached first, by its place, which is a lower one; or [`ROOT`].
    from: u32,
    /// Who keeps control, and the number of the location where it is: mostly that is enough to tell two of
    /// them apart.
    held: u32,
    location: u32,
    /// Of all its bytes; [`NO_HASH`] as long as nobody has asked.
    hash: u64,
}

const NO_HASH: u64 = 0;

/// Up to so many intermediate states each is looked at; of more there is a table.
const FEW: usize = 16;
/// Places of that table, a power of two: half of them are free.
const PLACES: usize = 2 * MOST_SEEN;

/// Buffers kept from state to state.
#[derive(Default)]
pub struct InPlace {
    waiting: Vec<Waiting>,
    seen: Vec<Seen>,
    /// Where intermediate states are among these, by their hash: their place, and the number of the search
    /// that has written it there. What another one has written counts as nothing.
    table: Vec<(u32, u32)>,
    search: u32,
    /// What leads out.
    successors: Vec<Entry>,
}

/// States that lie behind `base`, all of one length.
#[derive(Clone, Copy)]
struct States {
    base: *const u8,
    length: usize,
}

impl States {
    /// # Safety
    /// A state begins there.
    #[inline(always)]
    unsafe fn at<'s>(self, start: u32) -> &'s [u8] {
        unsafe { std::slice::from_raw_parts(self.base.add(start as usize), self.length) }
    }
}

/// What came of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finished {
    Done,
    /// The general way must do it.
    Not,
    /// The same, for want of room.
    NoRoom,
    /// The interpreter must do this state.
    GivenUp,
}

/// A hash of a state, eight bytes at a time.
#[inline(always)]
fn hash_of(state: &[u8]) -> u64 {
    let mix = |hash: u64, word: u64| (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    let (words, rest) = state.as_chunks::<8>();
    let hash = words.iter().fold(1, |hash, word| mix(hash, u64::from_le_bytes(*word)));
    rest.iter().fold(hash, |hash, byte| mix(hash, u64::from(*byte))).max(NO_HASH + 1)
}

impl InPlace {
    /// Where an intermediate state is among those that are known; it is one of them afterwards.
    ///
    /// # Safety
    /// All of them are among `states`.
    #[inline(always)]
    unsafe fn place_of(&mut self, mut new: Seen, states: States) -> Option<u32> {
        let count = self.seen.len();
        if count >= FEW {
            // SAFETY: that is what it asks for, too.
            return unsafe { self.place_in_table(new, states) };
        }
        for (place, known) in self.seen.iter_mut().enumerate() {
            if (known.location, known.held) != (new.location, new.held) {
                continue;
            }
            // SAFETY: both are there.
            unsafe {
                for one in [&mut new, known] {
                    one.hash = if one.hash == NO_HASH { hash_of(states.at(one.start)) } else { one.hash };
                }
                if new.hash == known.hash && states.at(new.start) == states.at(known.start) {
                    return Some(place as u32);
                }
            }
        }
        self.seen.push(new);
        None
    }

    /// The same where there are many.
    ///
    /// # Safety
    /// As above.
    #[inline(never)]
    unsafe fn place_in_table(&mut self, mut new: Seen, states: States) -> Option<u32> {
        let InPlace { seen, table, search, .. } = self;
        let place_of = |hash: u64| (hash >> 40) as usize % PLACES;
        if seen.len() == FEW {
            table.resize(PLACES, (0, 0));
            *search = search.wrapping_add(1);
            if *search == 0 {
                table.fill((0, 0));
                *search = 1;
            }
            for (number, known) in seen.iter_mut().enumerate() {
                // SAFETY: it is there.
                known.hash = unsafe { hash_of(states.at(known.start)) };
                let mut place = place_of(known.hash);
                while table[place].1 == *search {
                    place = (place + 1) % PLACES;
                }
                table[place] = (number as u32, *search);
            }
        }
        // SAFETY: it is there.
        new.hash = unsafe { hash_of(states.at(new.start)) };
        let mut place = place_of(new.hash);
        while table[place].1 == *search {
            let known = &seen[table[place].0 as usize];
            // SAFETY: both are there.
            let is_it = known.hash == new.hash
                && known.held == new.held
                && unsafe { states.at(known.start) == states.at(new.start) };
            if is_it {
                return Some(table[place].0);
            }
            place = (place + 1) % PLACES;
        }
        table[place] = (seen.len() as u32, *search);
        seen.push(new);
        None
    }

    /// Finishes the sequences of the successors in `out`, which code has just written there, from the state
    /// that the machine is aimed at. With `only`, no other process may go on in the middle of them.
    #[inline]
    pub fn finish(
        &mut self,
        machine: &mut Machine,
        (facts, code): (&Facts, &Code),
        only: Option<usize>,
        out: &mut Successors,
    ) -> Finished {
        if out.asks_for_participants() || machine.has_owners {
            return Finished::Not;
        }
        let state = machine.state;
        let finished = self.follow(machine, facts, code, only, out);
        machine.state = state;
        if finished == Finished::Done {
            // SAFETY: code has written so much, and no more than there is room for.
            unsafe {
                let length = machine.out.offset_from(machine.out_start) as usize;
                out.bytes_mut().set_len(length);
            }
            let entries = out.entries_mut();
            entries.clear();
            entries.extend_from_slice(&self.successors);
        }
        finished
    }

    #[inline]
    fn follow(
        &mut self,
        machine: &mut Machine,
        facts: &Facts,
        code: &Code,
        only: Option<usize>,
        out: &mut Successors,
    ) -> Finished {
        self.waiting.clear();
        self.seen.clear();
        self.successors.clear();
        self.waiting.extend(out.entries_mut().iter().rev().map(|&entry| Waiting { entry, from: ROOT }));
        let (before, length) = (machine.state, machine.length as usize);
        let states = States { base: machine.out_start, length };
        // SAFETY: the machine is aimed at a state, and knows its frames.
        let (processes, channels) = unsafe {
            let processes = std::slice::from_raw_parts(machine.processes, machine.process_count as usize);
            (processes, std::slice::from_raw_parts(machine.channels, machine.channel_count as usize))
        };
        machine.timeout = 0;
        while let Some(Waiting { entry, from }) = self.waiting.pop() {
            if entry.held == Entry::NOBODY {
                self.successors.push(entry);
                continue;
            }
            let pid = entry.held as usize;
            let Some(&frame) = processes.get(pid) else { return Finished::Not };
            if only.is_some_and(|only| only != pid) {
                return Finished::GivenUp;
            }
            if (entry.end - entry.start) as usize != length {
                return Finished::Not;
            }
            // SAFETY: code has written a state there.
            let at = unsafe { states.base.add(entry.start as usize) };
            // One step creates a process, and the state is longer; or one ends, and it is shorter.
            debug_assert!({
                // SAFETY: both states are of this length.
                let [one, other] = [before, at].map(|at| unsafe { std::slice::from_raw_parts(at, length) });
                let tag_is_same = |at: usize| facts.tag_at(one, at) == facts.tag_at(other, at);
                processes.iter().chain(channels).all(|frame| tag_is_same(frame.start as usize))
            });
            // SAFETY: the frame lies in the state, and a process is at a location of its type.
            let location = unsafe { facts.location_at(at, frame) };
            let location = facts.location_index(frame.ty as usize, location);
            let Entry { start, held, .. } = entry;
            let new = Seen { start, from, held, location: location as u32, hash: NO_HASH };
            // SAFETY: code has written all of these, and what it writes later lies behind.
            if let Some(known) = unsafe { self.place_of(new, states) } {
                if self.is_on_path_to(known, from) {
                    return Finished::Not;
                }
                continue;
            }
            let place = self.seen.len() as u32 - 1;
            if self.seen.len() > MOST_SEEN {
                return Finished::Not;
            }
            let first = machine.entry;
            (machine.state, machine.knows_receivers) = (at, 0);
            // SAFETY: the machine is aimed at this state, and code stays within the buffers.
            let moved = code
                .held
                .get(location)
                .is_some_and(|code| unsafe { code(machine, pid as u64, u64::from(frame.start)) } != 0);
            match machine.status {
                FINE => {}
                NO_ROOM => return Finished::NoRoom,
                _ => return Finished::GivenUp,
            }
            if !moved {
                self.successors.push(Entry { held: Entry::NOBODY, ..entry });
                continue;
            }
            // SAFETY: code has written these entries, one behind the other.
            let new = unsafe { std::slice::from_raw_parts(first, machine.entry.offset_from(first) as usize) };
            self.waiting.extend(new.iter().rev().map(|&entry| Waiting { entry, from: place }));
        }
        Finished::Done
    }

    /// Whether an intermediate state lies on the path by which another one was reached, itself included: then
    /// a link back to it closes a cycle. (Depth-first, every cycle has such a link.)
    fn is_on_path_to(&self, place: u32, mut other: u32) -> bool {
        while other != ROOT && other > place {
            other = self.seen[other as usize].from;
        }
        other == place
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    /// Whoever keeps control and all bytes make an intermediate state: few of them and as many as there may
    /// be, one search after the other with the same buffers.
    #[test]
    fn states_that_were_seen() {
        const LENGTH: usize = 13;
        let mut seed = 7u64;
        let mut random = |below: u64| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) % below
        };
        let mut in_place = InPlace::default();
        for different in [1, 3, 15, 16, 17, 40, 300, 2000, 17, 1] {
            let mut bytes = Vec::new();
            for _ in 0..MOST_SEEN {
                let mut state = [7; LENGTH];
                let number = random(different);
                // Close to each other, or in the last bytes only.
                state[LENGTH - 2..].copy_from_slice(&(number as u16).to_le_bytes());
                bytes.extend_from_slice(&state);
            }
            let states = States { base: bytes.as_ptr(), length: LENGTH };
            in_place.seen.clear();
            let mut expected: HashMap<(u32, &[u8]), u32> = HashMap::new();
            for (start, state) in (0..).step_by(LENGTH).zip(bytes.chunks(LENGTH)) {
                let held = random(2) as u32;
                // Some states are at the same location, but equal ones always.
                let location = u32::from(state[LENGTH - 2] % 2);
                // SAFETY: they lie there.
                let found = unsafe {
                    in_place.place_of(Seen { start, from: ROOT, held, location, hash: NO_HASH }, states)
                };
                let next = expected.len() as u32;
                let place = *expected.entry((held, state)).or_insert(next);
                assert_eq!(found, (place < next).then_some(place), "{different}");
                assert_eq!(in_place.seen.len(), expected.len());
            }
        }
    }
}
