//! Sets of processes, by their numbers.

use lariat_model::ir::MAX_PROCESSES;

const WORDS: usize = MAX_PROCESSES.div_ceil(64);

/// Some of the processes that a state may have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ProcessSet([u64; WORDS]);

impl ProcessSet {
    /// Adds a process.
    pub fn insert(&mut self, pid: u16) {
        self.0[pid as usize / 64] |= 1 << (pid % 64);
    }

    /// Whether a process is in it.
    #[inline]
    pub fn contains(&self, pid: u16) -> bool {
        self.0.get(pid as usize / 64).is_some_and(|word| word >> (pid % 64) & 1 != 0)
    }

    /// The processes that are in one of the two.
    pub fn union(mut self, other: ProcessSet) -> ProcessSet {
        self.0.iter_mut().zip(other.0).for_each(|(word, more)| *word |= more);
        self
    }
}

impl FromIterator<u16> for ProcessSet {
    fn from_iter<I: IntoIterator<Item = u16>>(pids: I) -> ProcessSet {
        let mut set = ProcessSet::default();
        pids.into_iter().for_each(|pid| set.insert(pid));
        set
    }
}
