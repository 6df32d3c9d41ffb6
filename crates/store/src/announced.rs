//! Insertions into the exact store that are under way: the passes of `batch.rs` and `shared_batch.rs`, one by
//! one.
//!
//! A search that has something else to do between the passes announces the successors of a state, lets the
//! store look at them a while later, and inserts them later still: then nobody waits for memory. What a pass
//! has found stays right whatever is inserted meanwhile, by whomever. States are never taken away, so an
//! entry of the table that was found stays, and a line that was full stays full; only the entry in which a
//! search has ended may be another's by now, and it is looked at again. But when the table grows, all is
//! forgotten: each has its *epoch*.
//!
//! The second pass asks for the bytes of states a while before they are compared. Where most of the table is
//! in a cache it is left out, and the third one does its work: 40 instructions less for an insertion.

/// In a table of so many bytes the second pass is left out.
pub(crate) const SMALL_TABLE: u64 = 8 << 20;

/// States of one announcement at the most, as in a block of `batch.rs`. More are inserted without.
pub(crate) const MOST: usize = 32;

/// States that will be inserted soon, and what was found out of them so far: to be used again and again.
#[derive(Debug, Default)]
pub struct Announced {
    states: [AnnouncedState; MOST],
    count: usize,
    epoch: u64,
    is_probed: bool,
}

/// What the passes know of a state.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AnnouncedState {
    pub hash: u32,
    /// The line where the search for it begins; after the second pass, where it has ended.
    pub line: u32,
    /// After the second pass: the number in the first entry with the tag of the hash; 0 if there is none.
    pub number: u32,
    /// After the second pass, for one of several threads: the first empty entry of the line, if it is known.
    pub vacant: Option<u8>,
}

impl Announced {
    /// The first pass, over the states of these entries.
    #[inline(always)]
    pub(crate) fn announce<E>(
        &mut self,
        epoch: u64,
        entries: &[E],
        mut first_pass: impl FnMut(&E) -> AnnouncedState,
    ) {
        self.count = if entries.len() <= MOST { entries.len() } else { 0 };
        (self.epoch, self.is_probed) = (epoch, false);
        for (state, entry) in self.states[..self.count].iter_mut().zip(entries) {
            *state = first_pass(entry);
        }
    }

    /// The second pass is left out.
    #[inline(always)]
    pub(crate) fn need_no_probe(&mut self) {
        self.is_probed = true;
    }

    /// Whether there are states for the second pass, in a table of this epoch.
    #[inline(always)]
    pub(crate) fn awaits_probe(&self, epoch: u64) -> bool {
        !self.is_probed && self.count > 0 && self.epoch == epoch
    }

    /// The second pass.
    #[inline(always)]
    pub(crate) fn probe(&mut self, second_pass: impl FnMut(&mut AnnouncedState)) {
        self.states[..self.count].iter_mut().for_each(second_pass);
        self.is_probed = true;
    }

    /// What two passes have found out of so many states, if they were done, in a table of this epoch.
    #[inline(always)]
    pub(crate) fn probed(&self, epoch: u64, count: usize) -> Option<&[AnnouncedState]> {
        let is_valid = self.is_probed && self.epoch == epoch && self.count == count;
        is_valid.then(|| &self.states[..count])
    }
}
