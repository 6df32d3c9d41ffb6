//! States of which only some processes are followed ([`lariat_engine::reduction`]).

use crate::machine::FramePlace;
use crate::{CompiledModel, Context, GivenUp, Movers, Scratch};
use lariat_engine::Successors;
use lariat_engine::interpreter::scalar_at;
use lariat_engine::layout::Layout;
use lariat_engine::reduction::{Choice, Reduction, StateView};
use lariat_model::ir::{Location, Storage};

/// The state at which the machine is pointed.
struct MachineView<'a> {
    context: &'a Context<'a>,
    layout: &'a Layout,
    bytes: &'a [u8],
    processes: &'a [FramePlace],
    channels: &'a [FramePlace],
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

impl CompiledModel<'_> {
    /// Successors as working states; of some processes only, if that is enough. The same sets are tried as by
    /// the interpreter, in the same order.
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
        self.unpack(scratch, state);
        if out.asks_for_participants() {
            return self.unpacked_successors(scratch, out);
        }
        let interpreter = &self.context.interpreter;
        let mut candidates = [Choice { processes: 0, must_not_move: 0 }; 8];
        let count = {
            let view = MachineView {
                context: &self.context,
                layout: interpreter.layout(),
                bytes: &scratch.state,
                processes: &scratch.processes,
                channels: &scratch.channels,
            };
            let mut reducer = interpreter.reducer();
            let list = reducer.candidates(reduction, &view);
            candidates[..list.len()].copy_from_slice(list);
            list.len()
        };
        for choice in &candidates[..count] {
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
