//! States of which only some processes are followed ([`lariat_engine::reduction`]).

use crate::candidates::KeptCandidates;
use crate::machine::FramePlace;
use crate::{CompiledModel, Context, GivenUp, Movers, Scratch};
use lariat_engine::interpreter::scalar_at;
use lariat_engine::layout::Layout;
use lariat_engine::reduction::{Choice, MOST_CANDIDATES, Reduction, StateView};
use lariat_engine::{Begun, Numbers, Successors};
use lariat_model::ir::{Location, Storage};
use std::ops::Range;

/// The state at which the machine is pointed.
pub(crate) struct MachineView<'a> {
    context: &'a Context<'a>,
    layout: &'a Layout,
    bytes: &'a [u8],
    processes: &'a [FramePlace],
    channels: &'a [FramePlace],
}

impl MachineView<'_> {
    /// The bytes of a process that say where it is and what it does next.
    pub fn bytes_of_process(&self, reduction: &Reduction, pid: usize) -> Vec<Range<usize>> {
        let frame = self.processes[pid];
        let (start, place) = (frame.start as usize, &self.layout.processes[frame.ty as usize]);
        let variables = start + place.header_size;
        let shifted = |range: Range<usize>| variables + range.start..variables + range.end;
        let counting = reduction.bytes_that_count(frame.ty as usize).map(shifted);
        std::iter::once(start..variables).chain(counting).collect()
    }

    /// The bytes of a channel that say how many messages it has, if that is not known without them; and how
    /// many it may have.
    pub fn bytes_of_channel(&self, channel: usize) -> (Option<Range<usize>>, usize) {
        let frame = self.channels[channel];
        let layout = &self.layout.channels[frame.ty as usize];
        let at = frame.start as usize + self.layout.tag_size;
        ((layout.capacity > 0).then(|| at..at + layout.length.size() as usize), layout.capacity)
    }

    pub fn channel_count(&self) -> usize {
        self.channels.len()
    }
}

impl StateView for MachineView<'_> {
    fn process_count(&self) -> usize {
        self.processes.len()
    }

    #[inline]
    fn process(&self, pid: usize) -> (usize, Location) {
        let frame = self.processes[pid];
        // SAFETY: the frame lies in the state.
        let location = unsafe { self.context.facts.location_at(self.bytes.as_ptr(), frame) };
        (frame.ty as usize, location)
    }

    fn variable(&self, pid: usize, offset: u32, storage: Storage) -> i32 {
        let frame = self.processes[pid];
        let variables = frame.start as usize + self.layout.processes[frame.ty as usize].header_size;
        scalar_at(self.bytes, variables + offset as usize, storage)
    }

    fn channel(&self, number: i32) -> Option<(usize, usize)> {
        let frame = self.channels.get(usize::try_from(number).ok()?.checked_sub(1)?)?;
        let layout = &self.layout.channels[frame.ty as usize];
        match layout.capacity {
            0 => Some((0, 0)),
            capacity => {
                let at = frame.start as usize + self.layout.tag_size;
                Some((scalar_at(self.bytes, at, layout.length) as usize, capacity))
            }
        }
    }
}

/// The candidates of a state.
#[derive(Clone, Copy)]
struct Candidates {
    choices: [Choice; MOST_CANDIDATES],
    count: usize,
}

impl Candidates {
    fn of(choices: &[Choice]) -> Candidates {
        let mut all = [Choice::default(); MOST_CANDIDATES];
        all[..choices.len()].copy_from_slice(choices);
        Candidates { choices: all, count: choices.len() }
    }

    fn choices(&self) -> &[Choice] {
        &self.choices[..self.count]
    }
}

impl CompiledModel<'_> {
    /// The state at which the machine is pointed.
    fn view<'a>(&'a self, scratch: &'a Scratch) -> MachineView<'a> {
        MachineView {
            context: &self.context,
            layout: self.context.interpreter.layout(),
            bytes: &scratch.state,
            processes: &scratch.processes,
            channels: &scratch.channels,
        }
    }

    /// Successors as they are stored, by what is remembered; of some processes only, if that is enough.
    pub(crate) fn reduced_recall(
        &self,
        reduction: &Reduction,
        scratch: &mut Scratch,
        state: &[u8],
        out: &mut Successors,
    ) -> Result<(), GivenUp> {
        // Who is asleep depends on the way to a state.
        out.ask_for_no_sleepers();
        if out.asks_for_participants() {
            return self.recalled_successors(scratch, state, out);
        }
        let interpreter = &self.context.interpreter;
        let mut candidates = None;
        let begun = {
            let Scratch { candidates: cache, steps, .. } = scratch;
            let reducer = &mut *interpreter.reducer();
            let chooser = &mut KeptCandidates { cache, reducer, reduction };
            interpreter.packer().begin(state, chooser, steps, out)
        };
        let mut begun = match begun {
            Some(begun) => begun,
            None => {
                let learnt = candidates.insert(self.learn_candidates(reduction, scratch, state));
                self.begin_with(learnt.choices(), scratch, state, out)
            }
        };
        let mut bad = begun.bad as usize;
        loop {
            self.recall_followed(scratch, state, begun.shape, begun.recalled, out)?;
            let Some(choice) = out.chosen() else { return self.unless_timeouts(out) };
            if choice.is_good(out.movers()) {
                if out.is_empty() {
                    // Whatever went wrong, it is told where everything is followed.
                    out.clear();
                    return self.recalled_successors(scratch, state, out);
                }
                out.set_reduced();
                return Ok(());
            }
            out.clear();
            let all = candidates.get_or_insert_with(|| self.known_candidates(reduction, scratch, state));
            bad += 1;
            begun = self.begin_with(&all.choices()[bad..], scratch, state, out);
            bad += begun.bad as usize;
        }
    }

    /// Begins with a state of which these sets of processes may be followed.
    #[cold]
    #[inline(never)]
    fn begin_with(
        &self,
        mut choices: &[Choice],
        scratch: &mut Scratch,
        state: &[u8],
        out: &mut Successors,
    ) -> Begun {
        let begun = self.context.interpreter.packer().begin(state, &mut choices, &mut scratch.steps, out);
        begun.expect("the sets are given")
    }

    /// The candidates of a stored state, by what is in its pieces. From now on they are known by the numbers.
    #[cold]
    #[inline(never)]
    fn learn_candidates(&self, reduction: &Reduction, scratch: &mut Scratch, state: &[u8]) -> Candidates {
        let interpreter = &self.context.interpreter;
        self.unpack(scratch, state);
        let mut cache = std::mem::take(&mut scratch.candidates);
        let view = self.view(scratch);
        let candidates = {
            let (reducer, packer) = (&mut *interpreter.reducer(), &mut *interpreter.packer());
            let learnt = packer.numbers_in(state, |numbers| {
                cache.learn(&numbers, reducer, reduction, &view);
                cache.known(&numbers, reducer, reduction).map(Candidates::of)
            });
            // Not all of it can be kept.
            learnt.unwrap_or_else(|| Candidates::of(reducer.candidates(reduction, &view)))
        };
        scratch.candidates = cache;
        candidates
    }

    /// The candidates of a stored state, by the numbers of its pieces if they are known.
    fn known_candidates(&self, reduction: &Reduction, scratch: &mut Scratch, state: &[u8]) -> Candidates {
        let interpreter = &self.context.interpreter;
        let known = {
            let (cache, reducer) = (&scratch.candidates, &mut *interpreter.reducer());
            let known = |numbers: Numbers| cache.known(&numbers, reducer, reduction).map(Candidates::of);
            interpreter.packer().numbers_in(state, known)
        };
        known.unwrap_or_else(|| self.learn_candidates(reduction, scratch, state))
    }

    /// Successors as they are stored, by code; of some processes only, if that is enough. The same sets are
    /// tried as by the interpreter, in the same order.
    pub(crate) fn reduced_successors(
        &self,
        reduction: &Reduction,
        scratch: &mut Scratch,
        state: &[u8],
        out: &mut Successors,
    ) -> Result<(), GivenUp> {
        if self.context.interpreter.has_assertions() {
            // Code judges those of the processes that it executes.
            return Err(GivenUp);
        }
        if out.asks_for_participants() {
            return self.working_successors(scratch, state, out);
        }
        let candidates = self.known_candidates(reduction, scratch, state);
        self.context.interpreter.packer().take_lane(out);
        self.unpack(scratch, state);
        for choice in candidates.choices() {
            let Scratch { machine, midway, processes, inner, .. } = scratch;
            machine.timeout = 0;
            let moved = self.movers_of(machine, processes, Movers::Some(choice.processes), out)?;
            if moved == 0 {
                continue;
            }
            if moved & choice.must_not_move != 0 {
                out.clear();
                continue;
            }
            self.finish(machine, midway, inner, None, out)?;
            // An error would have been given up, and so is all that may go on for ever.
            if !out.is_empty() && !out.has_violations() {
                out.set_moved(true);
                out.set_reduced();
                self.context.interpreter.store_successors(out);
                return Ok(());
            }
            out.clear();
            break;
        }
        let Scratch { machine, state, processes, channels, .. } = scratch;
        machine.aim(state, processes, channels);
        self.unpacked_successors(scratch, out)
    }
}
