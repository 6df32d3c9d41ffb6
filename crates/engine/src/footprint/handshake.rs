//! Who may take part in a rendezvous: the footprint of its other half.
//!
//! Whether a process can send depends on which processes stand at a receive from the same channel, and where
//! they stand is not known beforehand. So every process counts whose type has such a receive anywhere: its
//! whole frame is read and written, and so is whatever these receives read and write. A process whose
//! receives are all known to be from other channels does not count, wherever it stands. (If the number of a
//! channel cannot be computed, that is an error of that process itself, which is found when its turn comes.)

use super::{Footprint, Unknown, Walked, Walker};
use lariat_model::ir::*;

impl<'a> Walker<'a> {
    /// The processes that may receive from this channel when this process sends.
    pub(super) fn receivers(&mut self, channel: i32) -> Walked {
        let sender = self.pid;
        for pid in (0..self.ground.process_count).filter(|pid| *pid != sender) {
            let ty = (self.ground.processes)(pid).ok_or(Unknown)?.ty;
            if self.ground.settled.receives(ty).is_empty() {
                continue;
            }
            let mut walker = Walker::of(pid, self.ground).ok_or(Unknown)?;
            walker.receives = true;
            walker.phase = self.phase;
            if walker.may_receive_from(channel)? {
                for frame in self.frames(Some(pid as i32)) {
                    self.writes(frame.clone());
                    self.reads(frame);
                }
                let Footprint { guard_reads, effect_reads, writes } = walker.found;
                self.found.guard_reads.extend(guard_reads);
                self.found.effect_reads.extend(effect_reads);
                self.found.writes.extend(writes);
            }
        }
        Ok(())
    }

    /// Whether this process, wherever it stands, may receive from the channel, and what its receives read and
    /// write.
    fn may_receive_from(&mut self, channel: i32) -> Walked<bool> {
        let mut may_receive = false;
        let (process, settled) = (self.process, self.ground.settled);
        for &(location, place) in settled.receives(self.ty) {
            let transition = &process.locations[location as usize].transitions[place as usize];
            if self.may_begin_with(&transition.action, channel)? {
                may_receive = true;
                self.action(&transition.action)?;
            }
        }
        if may_receive && let Some(provided) = &self.process.provided {
            self.expr(provided)?;
        }
        Ok(may_receive)
    }

    /// Whether an action may begin with a receive from the channel.
    fn may_begin_with(&mut self, action: &'a Action, channel: i32) -> Walked<bool> {
        match action {
            Action::Receive(receive) => Ok(self.expr(&receive.channel)?.is_none_or(|other| other == channel)),
            Action::Program(program) => {
                for guard in &program.guards {
                    if self.may_begin_with(guard, channel)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            _ => Ok(false),
        }
    }
}
