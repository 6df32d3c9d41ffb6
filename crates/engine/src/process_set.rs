//! Sets of processes, by their numbers.

use lariat_model::ir::MAX_PROCESSES;

const WORDS: usize = MAX_PROCESSES.div_ceil(64);

/// Some of the processes that a state may have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ProcessSet([u64; WORDS]);

impl ProcessSet {
    /// One process.
    pub fn of(pid: u16) -> ProcessSet {
        let mut set = ProcessSet::default();
        set.insert(pid);
        set
    }

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

    /// The processes of this one that are not in the other.
    pub fn minus(mut self, other: ProcessSet) -> ProcessSet {
        self.0.iter_mut().zip(other.0).for_each(|(word, less)| *word &= !less);
        self
    }

    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self == ProcessSet::default()
    }

    /// As bits, 64 processes to a word.
    #[inline]
    pub fn words(self) -> [u64; WORDS] {
        self.0
    }

    /// The number behind its last process.
    pub fn end(self) -> u32 {
        let last = self.0.iter().rposition(|word| *word != 0);
        last.map_or(0, |k| 64 * (k as u32 + 1) - self.0[k].leading_zeros())
    }

    /// Its processes, from the first to the last.
    pub fn iter(self) -> impl Iterator<Item = u16> {
        (0..MAX_PROCESSES as u16).filter(move |pid| self.contains(*pid))
    }

    /// The first 64 processes, as bits.
    pub(crate) fn word(self) -> u64 {
        self.0[0]
    }

    /// Some of the first 64 processes.
    pub(crate) fn of_word(word: u64) -> ProcessSet {
        let mut set = ProcessSet::default();
        set.0[0] = word;
        set
    }
}

impl FromIterator<u16> for ProcessSet {
    fn from_iter<I: IntoIterator<Item = u16>>(pids: I) -> ProcessSet {
        let mut set = ProcessSet::default();
        pids.into_iter().for_each(|pid| set.insert(pid));
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_all_sizes() {
        let pids = [0, 1, 63, 64, 127, 128, MAX_PROCESSES as u16 - 1];
        let set: ProcessSet = pids.into_iter().collect();
        assert_eq!(set.iter().collect::<Vec<u16>>(), pids);
        assert!(pids.iter().all(|pid| set.contains(*pid)) && !set.contains(2));
        assert_eq!((set.end(), ProcessSet::of(64).end()), (MAX_PROCESSES as u32, 65));
        let rest = set.minus(ProcessSet::of(64));
        assert!(!rest.contains(64) && rest.union(ProcessSet::of(64)) == set && set.minus(set).is_empty());
        let ones = pids.iter().map(|pid| ProcessSet::of(*pid));
        assert_eq!(ones.fold(ProcessSet::default(), ProcessSet::union), set);
        assert_eq!(ProcessSet::of_word(set.word()).iter().collect::<Vec<u16>>(), [0, 1, 63]);
    }
}
