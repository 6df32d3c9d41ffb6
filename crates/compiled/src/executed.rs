//! Successors by code alone: from a stored state to its stored successors, in one go.
//!
//! Where nothing is recalled, this runs for every state, so it has no more layers than it needs. The state is
//! unpacked to where the packer keeps it, as a difference from the state before, and code reads it there:
//! nobody else asks the packer for anything before the successors are packed, as differences from this state.
//! What is the same for all states of a shape ([`ShapeFrames`]) is found once.

use crate::frames::{KnownFrames, ShapeFrames};
use crate::machine::{FINE, Machine, NO_ROOM};
use crate::{CompiledModel, GivenUp, Scratch, make_room_midway};
use lariat_engine::{Entry, Successors};

impl CompiledModel<'_> {
    /// Successors as they are stored; who takes part in the steps is not found out.
    pub(crate) fn executed_successors(
        &self,
        scratch: &mut Scratch,
        state: &[u8],
        out: &mut Successors,
    ) -> Result<(), GivenUp> {
        let interpreter = &self.context.interpreter;
        let (shape, bytes) = {
            let packer = &mut *interpreter.packer();
            packer.take_lane(out);
            let (shape, bytes) = packer.unpack_in_place(state);
            (shape, &raw const *bytes)
        };
        // SAFETY: the packer does nothing before the successors are packed, and these are no part of it.
        let bytes = unsafe { &*bytes };
        let frames = match scratch.machine.frames {
            Some((known, frames)) if known == shape => {
                scratch.machine.state = bytes.as_ptr();
                frames
            }
            _ => self.aim_at_shape(scratch, shape, bytes),
        };
        // SAFETY: these are the frames of the shape, and nobody asks for others before the end.
        let frames = unsafe { &*frames };
        let Scratch { machine, midway, inner, .. } = scratch;
        machine.find_owners(bytes, &frames.processes);
        machine.timeout = 0;
        let mut moved = self.run_all(machine, frames, out)?;
        if !moved && interpreter.model().features.timeout {
            machine.timeout = 1;
            moved = self.run_all(machine, frames, out)?;
        }
        out.set_moved(moved);
        debug_assert_eq!(
            machine.holds != 0,
            out.entries_mut().iter().any(|entry| entry.held != Entry::NOBODY),
            "who keeps control is noted"
        );
        if machine.holds != 0 {
            self.finish(machine, midway, inner, None, out)?;
        }
        interpreter.store_successors(out);
        Ok(())
    }

    /// Points the machine at a state of another shape than the one before.
    #[inline(never)]
    fn aim_at_shape(&self, scratch: &mut Scratch, shape: u32, bytes: &[u8]) -> *const ShapeFrames {
        let Scratch { machine, midway, frames, reached, .. } = scratch;
        let found = frames.of(shape, bytes, &self.context.facts);
        make_room_midway(midway, bytes.len());
        machine.midway = midway.as_mut_ptr();
        machine.reached = reached.as_mut_ptr();
        machine.aim(bytes, &found.processes, &found.channels);
        if KnownFrames::are_kept(shape) {
            machine.frames = Some((shape, found));
        }
        found
    }

    /// All micro steps from the state that the machine is aimed at, one process after the other. Whether
    /// something moved.
    #[inline(always)]
    fn run_all(
        &self,
        machine: &mut Machine,
        frames: &ShapeFrames,
        out: &mut Successors,
    ) -> Result<bool, GivenUp> {
        let code = &self.context.code.locations;
        machine.committed = self.is_committed(machine, &frames.processes) as u32;
        loop {
            machine.open(out);
            let mut moved = 0;
            for (pid, place) in frames.locations.iter().enumerate().rev() {
                // SAFETY: it is a state of this shape.
                let index = unsafe { place.index_in(machine.state) };
                if let Some(code) = code.get(index) {
                    // SAFETY: the machine is aimed at this state, and code stays within the buffers.
                    moved |= unsafe { code(machine, pid as u64, place.start as u64) };
                    if machine.status != FINE {
                        break;
                    }
                }
            }
            match machine.status {
                FINE => {
                    machine.close(out);
                    return Ok(moved != 0);
                }
                NO_ROOM => Machine::make_room(out),
                _ => return Err(GivenUp),
            }
        }
    }
}
