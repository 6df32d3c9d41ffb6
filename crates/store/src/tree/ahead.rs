//! States that a search is going to insert soon, and what the index has said of them meanwhile.
//!
//! To find a state takes two looks at memory, one after the other: a line of the index has the number, and
//! the number tells where the root lies. A search that has several states in flight announces the successors
//! of each some time before it inserts them. With an announcement the lines of these states are asked for;
//! with the next one, when these lines have come, they are looked at, and roots are asked for. So at the
//! insertion both have come, and the index is not looked at again:
//!
//! - an entry that looked like a state has a number, and numbers never change;
//! - a line that had room for a new state still has the same, unless another state has come there (then it
//!   has more entries), or lines were moved. Whoever moves lines says so ([`Ahead::forget`]).
//!
//! Announcements are hints. What is inserted is compared with them, hash by hash, the oldest first; of what
//! was not announced nothing is known in advance.

use super::TOGETHER;
use super::index::Probe;

/// No search has more states in flight; if one has, the oldest announcement is forgotten.
const MOST: usize = 4;

#[derive(Clone, Copy, Debug)]
struct Announced {
    hashes: [u32; TOGETHER],
    probes: [Probe; TOGETHER],
    count: usize,
    is_probed: bool,
}

const NOTHING: Announced =
    Announced { hashes: [0; TOGETHER], probes: [Probe::Unknown; TOGETHER], count: 0, is_probed: false };

impl Announced {
    /// Looks at the lines that have come.
    #[inline(always)]
    fn look(&mut self, mut probe: impl FnMut(u32) -> Probe) {
        for (hash, found) in self.hashes[..self.count].iter().zip(&mut self.probes) {
            *found = probe(*hash);
        }
        self.is_probed = true;
    }
}

/// Announcements in the order in which they came: a ring.
#[derive(Debug)]
pub(super) struct Ahead {
    announced: [Announced; MOST],
    /// Where the oldest is, and how many there are.
    first: usize,
    len: usize,
}

impl Ahead {
    pub fn new() -> Ahead {
        Ahead { announced: [NOTHING; MOST], first: 0, len: 0 }
    }

    /// Nothing is known of any state any more.
    pub fn forget(&mut self) {
        self.len = 0;
    }

    /// States with these hashes will be inserted. `probe` looks for one that was announced before.
    #[inline(always)]
    pub fn announce(&mut self, hashes: impl ExactSizeIterator<Item = u32>, probe: impl FnMut(u32) -> Probe) {
        if self.len > 0 {
            let last = &mut self.announced[(self.first + self.len - 1) % MOST];
            if !last.is_probed {
                last.look(probe);
            }
        }
        if hashes.len() == 0 || hashes.len() > TOGETHER {
            return;
        }
        if self.len == MOST {
            (self.first, self.len) = ((self.first + 1) % MOST, MOST - 1);
        }
        let next = &mut self.announced[(self.first + self.len) % MOST];
        (next.count, next.is_probed) = (hashes.len(), false);
        next.hashes.iter_mut().zip(hashes).for_each(|(place, hash)| *place = hash);
        self.len += 1;
    }

    /// What was found of states that were announced with these hashes. Older announcements are forgotten.
    #[inline(always)]
    pub fn take(&mut self, hashes: &[u32]) -> Option<&[Probe]> {
        for skipped in 0..self.len {
            let at = (self.first + skipped) % MOST;
            let Announced { hashes: announced, count, is_probed, .. } = &self.announced[at];
            if *count == hashes.len() && announced.iter().zip(hashes).all(|(a, b)| a == b) {
                let is_probed = *is_probed;
                (self.first, self.len) = ((at + 1) % MOST, self.len - skipped - 1);
                return is_probed.then_some(&self.announced[at].probes[..hashes.len()]);
            }
        }
        None
    }
}
