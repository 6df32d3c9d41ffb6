//! The stages of a run that is executed again, as many of them as there is room for.
//!
//! A counterexample may have millions of steps, and each of them, with the states around it and all that is
//! shown of it, takes a kilobyte. So there is [`Room`]: a number of bytes, and the limits of a search. What
//! goes beyond is executed and compared like the rest, but not kept; when time is up, the execution ends
//! where it is.

use crate::limits::{Limits, Lookout, MemoryUse, StopReason, WORK_PER_STATE};
use crate::run::Stage;
use lariat_engine::interpreter::MicroState;
use lariat_engine::{MAX_SEQUENCE_BYTES, Patience};

/// What happens in a run, in order; of a long run only the beginning.
#[derive(Clone, Debug, Default)]
pub struct Stages {
    kept: Vec<Stage>,
    /// Executed, and not kept.
    further: usize,
    /// Behind the last one that was executed, if it is not kept.
    last: Option<MicroState>,
}

impl Stages {
    /// How many were executed.
    pub fn len(&self) -> usize {
        self.kept.len() + self.further
    }

    /// Whether none was executed.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many are not kept.
    pub fn further(&self) -> usize {
        self.further
    }

    /// Those that are kept: the first ones.
    pub fn iter(&self) -> std::slice::Iter<'_, Stage> {
        self.kept.iter()
    }

    /// Where the last one led to; `None` if there is none, or if it ran into an error that leaves no state.
    pub fn last_state(&self) -> Option<&MicroState> {
        match self.further {
            0 => self.kept.last().and_then(|stage| stage.after.as_ref()),
            _ => self.last.as_ref(),
        }
    }

    /// The state at the end: behind the last stage, or before it, if it leaves none.
    pub fn end(&self) -> Option<&MicroState> {
        match self.further {
            0 => self.kept.last().map(|stage| stage.after.as_ref().unwrap_or(&stage.before)),
            _ => self.last.as_ref(),
        }
    }

    /// Some more, as far as there is room; the last state is known in any case.
    pub fn append(&mut self, stages: &mut Vec<Stage>, room: &mut Room) {
        for stage in stages.drain(..) {
            if self.further == 0 && room.has_room_for(&stage) {
                self.kept.push(stage);
            } else {
                self.further += 1;
                self.last = Some(stage.after.unwrap_or(stage.before));
            }
        }
    }

    /// Takes away those from a place on.
    pub fn split_off(&mut self, at: usize) -> Stages {
        let kept = self.kept.split_off(at.min(self.kept.len()));
        let stays = at.saturating_sub(self.kept.len());
        let further = self.further - stays.min(self.further);
        self.further -= further;
        Stages { kept, further, last: self.last.take() }
    }
}

impl<'s> IntoIterator for &'s Stages {
    type Item = &'s Stage;
    type IntoIter = std::slice::Iter<'s, Stage>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// What a step takes when it is shown, beside the states around it.
const SHOWN_BYTES: u64 = 900;

/// Room for the stages of a run, and for what it spells.
pub struct Room<'a> {
    lookout: Lookout<'a>,
    bytes_left: u64,
    /// Of these, not for stages: what a long run spells needs room even where its stages are not kept.
    kept_back: u64,
    /// What is said when there is none left.
    max_memory: u64,
    stopped: Option<StopReason>,
}

impl<'a> Room<'a> {
    /// So many bytes, of those that the limits allow; and the limits on time.
    pub fn new(bytes: u64, limits: Limits<'a>) -> Room<'a> {
        let max_memory = limits.max_memory.unwrap_or(bytes);
        let lookout = Lookout::new(Limits { max_memory: None, ..limits });
        Room { lookout, bytes_left: bytes, kept_back: bytes / 4, max_memory, stopped: None }
    }

    /// As much as anybody could want.
    pub fn endless() -> Room<'static> {
        Room::new(u64::MAX, Limits::default())
    }

    /// Why the execution had to end before the run did, if it had to.
    pub fn stopped(&self) -> Option<StopReason> {
        self.stopped
    }

    /// Why stages are not kept.
    pub fn why_not_kept(&self) -> StopReason {
        self.stopped.unwrap_or(StopReason::Memory(self.max_memory))
    }

    /// Another transition is about to be executed, and what it spells takes so many bytes. False if there is
    /// no time left, or no room for that.
    pub fn goes_on(&mut self, bytes: usize) -> bool {
        if self.stopped.is_none() && self.lookout.is_due(WORK_PER_STATE) {
            self.stopped = self.lookout.look(MemoryUse::default());
        }
        if bytes > 0 && !self.take(bytes as u64) {
            self.stopped.get_or_insert(StopReason::Memory(self.max_memory));
        }
        self.stopped.is_none()
    }

    /// The limits within one step of the model: half of the room for the intermediate states of a sequence.
    pub fn patience(&self) -> Patience<'a> {
        let Limits { deadline, interrupt, .. } = *self.lookout.limits();
        let half = usize::try_from(self.bytes_left / 2).unwrap_or(usize::MAX);
        Patience { deadline, interrupt, max_bytes: half.min(MAX_SEQUENCE_BYTES) }
    }

    /// A step of the model was cut short by these limits: the execution ends here.
    pub fn cut(&mut self) {
        self.stopped = self.lookout.look(MemoryUse::default()).or(Some(StopReason::Sequence));
    }

    fn has_room_for(&mut self, stage: &Stage) -> bool {
        let after = stage.after.as_ref().map_or(0, |state| state.bytes().len());
        self.bytes_left > self.kept_back
            && self.take(SHOWN_BYTES + (stage.before.bytes().len() + after) as u64)
    }

    fn take(&mut self, bytes: u64) -> bool {
        let left = self.bytes_left.checked_sub(bytes);
        self.bytes_left = left.unwrap_or(0);
        left.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_cut_anywhere() {
        for (kept, further) in [(0, 5), (3, 0), (3, 4)] {
            for at in 0..=kept + further {
                let mut stages = Stages { kept: Vec::new(), further: kept + further, last: None };
                // Without a stage at hand, all of them are further ones.
                let taken = stages.split_off(at);
                assert_eq!((stages.len(), taken.len()), (at, kept + further - at));
            }
        }
    }
}
