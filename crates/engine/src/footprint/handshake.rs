//! Who may take part in a rendezvous: the footprint of its other half.
//!
//! What comes of a send depends on which processes stand at a receive from the same channel. Where they stand
//! is not known beforehand. So every process counts whose type has such a receive anywhere: all of its frame,
//! and whatever these receives look at or change. A process whose receives are all known to be from other
//! channels does not count, wherever it stands. (If a number cannot be computed, that is an error of that
//! process itself, which is found when its turn comes.)

use super::{Unknown, Walked, Walker};
use lariat_model::ir::*;

impl<'a> Walker<'a> {
    /// The processes that may receive from this channel when this process sends.
    pub(super) fn receivers(&mut self, channel: i32) -> Walked {
        let sender = self.pid;
        for pid in (0..self.ground.process_count).filter(|pid| *pid != sender) {
            let mut walker = Walker::of(pid, self.ground).ok_or(Unknown)?;
            walker.receives = true;
            if walker.may_receive_from(channel)? {
                self.process(Some(pid as i32));
                self.found.ranges.append(&mut walker.found.ranges);
            }
        }
        Ok(())
    }

    /// Whether this process, wherever it stands, may receive from the channel, and what its receives look at
    /// or change.
    fn may_receive_from(&mut self, channel: i32) -> Walked<bool> {
        let mut may_receive = false;
        for transition in self.process.locations.iter().flat_map(|location| &location.transitions) {
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
        let mut waiting = vec![action];
        while let Some(action) = waiting.pop() {
            match action {
                Action::Receive(receive) => match self.expr(&receive.channel)? {
                    Some(other) if other != channel => {}
                    _ => return Ok(true),
                },
                Action::Program(program) => waiting.extend(&program.guards),
                _ => {}
            }
        }
        Ok(false)
    }
}
