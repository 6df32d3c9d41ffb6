//! Successors from what is remembered: for each process what it did before in the same surroundings, and code
//! for those of which nothing is known yet.
//!
//! The packer recalls what it can, from the last process down to the first that is missing. That one is
//! executed, what it does is learnt, and recalling goes on below it. Only then is the state unpacked: most
//! states do without. What is learnt of a step is what it looks at (its footprint), its successors as they
//! are stored, and which bytes of the working state it changes, because that tells which steps commute.

use crate::machine::{FramePlace, SLACK};
use crate::{CompiledModel, GivenUp, Movers, Scratch, make_room_midway};
use lariat_engine::footprint::{Ground, ProcessPlace, footprint};
use lariat_engine::{Begun, Entry, FollowAll, Missing, Recalled, Successors};
use std::ops::Range;

/// The bytes of a state that one of its successors has changed. `None` if one has another length: then it may
/// be any.
fn changed_bytes<'c>(
    state: &[u8],
    successors: &[u8],
    entries: &[Entry],
    changed: &'c mut Vec<usize>,
) -> Option<&'c [usize]> {
    changed.clear();
    for entry in entries {
        let successor = &successors[entry.start as usize..entry.end as usize];
        if successor.len() != state.len() {
            return None;
        }
        // In most blocks nothing has changed.
        let ((blocks, rest), (others, other_rest)) = (state.as_chunks::<16>(), successor.as_chunks::<16>());
        for (number, (one, other)) in blocks.iter().zip(others).enumerate() {
            if one != other {
                changed.extend((0..16).filter(|&at| one[at] != other[at]).map(|at| 16 * number + at));
            }
        }
        let first = 16 * blocks.len();
        changed.extend((0..rest.len()).filter(|&at| rest[at] != other_rest[at]).map(|at| first + at));
    }
    Some(changed)
}

impl CompiledModel<'_> {
    /// Successors as they are stored: those that are remembered, and those of processes that must be
    /// executed.
    #[inline(always)]
    pub(crate) fn recalled_successors(
        &self,
        scratch: &mut Scratch,
        stored_state: &[u8],
        out: &mut Successors,
    ) -> Result<(), GivenUp> {
        let begun =
            self.context.interpreter.packer().begin(stored_state, &mut FollowAll, &mut scratch.steps, out);
        if let Some(Begun { shape, recalled, .. }) = begun {
            self.recall_followed(scratch, stored_state, shape, recalled, out)?;
        }
        self.unless_timeouts(out)
    }

    /// Of states in which nothing happens but what waits for `timeout`, nothing is remembered.
    #[inline(always)]
    pub(crate) fn unless_timeouts(&self, out: &Successors) -> Result<(), GivenUp> {
        let timeout = self.context.interpreter.model().features.timeout;
        if out.something_happens() || !timeout { Ok(()) } else { Err(GivenUp) }
    }

    /// What the other processes do that are to be followed, where recalling has come so far.
    #[inline(always)]
    pub(crate) fn recall_followed(
        &self,
        scratch: &mut Scratch,
        stored_state: &[u8],
        shape: u32,
        mut recalled: Recalled,
        out: &mut Successors,
    ) -> Result<(), GivenUp> {
        let interpreter = &self.context.interpreter;
        let mut unpacked = false;
        while let Recalled::Not(missing) = recalled {
            if out.follows(missing.pid()) {
                if !unpacked {
                    unpacked = true;
                    self.unpack_begun(scratch, stored_state, shape);
                }
                self.execute_missing(scratch, missing, out)?;
            }
            recalled = interpreter.packer().recall(&mut scratch.steps, missing.pid(), out);
        }
        Ok(())
    }

    /// Makes ready to execute processes in the state with which recalling began. Not inlined: most states do
    /// without.
    #[inline(never)]
    fn unpack_begun(&self, scratch: &mut Scratch, stored_state: &[u8], shape_now: u32) {
        let Scratch { machine, stored, state, shape, midway, processes, channels, frames, reached, .. } =
            scratch;
        self.context.interpreter.packer().unpack_begun(stored_state, state);
        state.reserve(SLACK);
        stored.clear();
        stored.extend_from_slice(stored_state);
        if *shape != Some(shape_now) {
            frames.find(shape_now, state, &self.context.facts, processes, channels);
            *shape = Some(shape_now);
        }
        make_room_midway(midway, state.len());
        machine.frames = None;
        machine.reached = reached.as_mut_ptr();
        machine.timeout = 0;
    }

    /// Executes a process in the state that is unpacked, remembers what it does, and adds its successors as
    /// they are stored.
    #[inline(never)]
    fn execute_missing(
        &self,
        scratch: &mut Scratch,
        missing: Missing,
        out: &mut Successors,
    ) -> Result<(), GivenUp> {
        scratch.trial.misses += 1;
        for _ in 0..scratch.footprints.due() {
            self.try_footprint(scratch);
        }
        let Scratch {
            machine,
            state,
            shape,
            midway,
            processes,
            channels,
            inner,
            steps,
            one,
            packed,
            changed,
            ..
        } = scratch;
        let interpreter = &self.context.interpreter;
        let pid = missing.pid();
        machine.midway = midway.as_mut_ptr();
        machine.aim(state, processes, channels);
        one.clear_and_ask(steps.know_participants());
        let moved = self.moves_of(machine, processes, Movers::One(pid), one)?;
        self.finish(machine, midway, inner, Some(pid), one)?;
        let (working, entries, participants) = one.parts_mut();
        let changed = changed_bytes(state, working, entries, changed);
        interpreter.packer().pack_all(working, entries, packed);
        let footprints = &mut scratch.footprints;
        let see = |own_known: bool| {
            let found = self.footprint_of(pid, own_known, state, processes, channels)?;
            if let Some(shape) = *shape {
                let start = processes[pid].start as usize;
                let layout = &interpreter.layout().processes[processes[pid].ty as usize];
                footprints.add(pid, shape, state, start..start + layout.frame_size, found.clone());
            }
            Some(found)
        };
        interpreter.packer().remember(steps, missing, see, packed, entries, changed, participants, moved);
        if out.asks_for_participants() {
            out.participants_mut().extend_from_slice(participants);
        }
        let (bytes, all, _) = out.parts_mut();
        let start = bytes.len() as u32;
        bytes.extend_from_slice(packed);
        all.extend(entries.iter().map(|entry| Entry {
            start: entry.start + start,
            end: entry.end + start,
            ..*entry
        }));
        if moved {
            out.add_mover(pid);
        }
        Ok(())
    }

    /// The bytes that the next step of a process reads or writes, from the state that is unpacked.
    fn footprint_of(
        &self,
        pid: usize,
        own_known: bool,
        state: &[u8],
        processes: &[FramePlace],
        channels: &[FramePlace],
    ) -> Option<Vec<Range<usize>>> {
        let facts = &self.context.facts;
        let interpreter = &self.context.interpreter;
        let layout = interpreter.layout();
        let bytes_of = |frame: &FramePlace, size: usize| frame.start as usize..frame.start as usize + size;
        let channel = |number: i32| {
            let frame = channels.get(usize::try_from(number.wrapping_sub(1)).ok()?)?;
            let place = &layout.channels[frame.ty as usize];
            Some((bytes_of(frame, place.frame_size), place.capacity as u32))
        };
        let process = |pid: usize| {
            let frame = processes.get(pid)?;
            let ty = frame.ty as usize;
            let place = &layout.processes[ty];
            let variables = frame.start as usize + place.header_size;
            Some(ProcessPlace { ty, frame: bytes_of(frame, place.frame_size), variables })
        };
        let ground = Ground {
            model: interpreter.model(),
            settled: &facts.settled,
            bytes: state,
            own_known,
            pid,
            process_count: processes.len(),
            processes: &process,
            channels: &channel,
            constant: &|offset, storage| facts.constants.scalar(offset, storage),
        };
        // SAFETY: the frame lies in the state.
        let location = unsafe { facts.location_at(state.as_ptr(), processes[pid]) };
        let found = footprint(location, &ground)?;
        let mut ranges: Vec<Range<usize>> = found.ranges().cloned().collect();
        // Whatever takes part in a rendezvous is read and written, and there may be many ways to it.
        ranges.sort_unstable_by_key(|range| (range.start, range.end));
        ranges.dedup_by(|next, before| {
            let touch = next.start <= before.end;
            before.end = if touch { before.end.max(next.end) } else { before.end };
            touch
        });
        Some(ranges)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_bytes_of_all_lengths() {
        let mut room = Vec::new();
        for length in 0..50usize {
            let state: Vec<u8> = (0..length as u8).collect();
            let last = length.saturating_sub(1);
            for places in [vec![], vec![0], vec![length / 2], vec![0, last], (0..length).collect()] {
                let mut successor = state.clone();
                let places: Vec<usize> = places.into_iter().filter(|place| *place < length).collect();
                places.iter().for_each(|place| successor[*place] = 0xff);
                let entry = Entry {
                    start: 0,
                    end: length as u32,
                    steps_start: 0,
                    steps_end: 0,
                    held: Entry::NOBODY,
                    recalled_of: 0,
                    sum: 0,
                };
                let mut expected = places.clone();
                expected.dedup();
                let found = changed_bytes(&state, &successor, &[entry], &mut room);
                assert_eq!(found, Some(&expected[..]), "{length}");
            }
        }
    }
}
