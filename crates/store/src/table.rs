//! The table of the exact store: lines of eight words, of which the processor fetches one at a time.
//!
//! A state's *home* is a line: its hash as a fraction of the table. It lies there, or, if that line was full, in the next one that was not.
//! At the load that the table has, nearly all states are in their home line: one miss of the cache for a lookup.
//!
//! The table grows in place, by a third. As homes are fractions, entries keep their order, and move only towards the end: so one pass
//! from the last line to the first takes the entries out of each line and puts them where they belong in the longer table, among the
//! lines that the pass has left behind. The few that belong elsewhere (near the beginning a home may move less far than an entry had been
//! pushed; at the end lines may overflow to the beginning) wait until the pass is over. No state is looked at, no
//! second table is needed, and only the new lines are new memory.
//!
//! Lines come in segments of 32 MiB. So nothing need be reserved in advance, and nothing is moved by the operating system: to move
//! memory (`mremap`) can take the huge pages apart, and to reserve address space for the largest table there is fails where address
//! space is limited.
//!
//! Rejected: linear hashing, which splits one bucket at a time. It needs chains for buckets that overflow, and while it is on its way
//! through the table, buckets that were not split yet are twice as full as those that were: with a line for a bucket, a load of a half.

use crate::memory::{
    HUGE_PAGE, LINE_WORDS, Line, LineAlone, SEGMENT_LINES, Segment, SegmentsAlone, prefetch, scan, with_hash,
};
use crate::publish::{Entry, LinesOfWords};
use std::cell::Cell;
use std::sync::atomic::AtomicU64;

const FIRST_LINES: usize = 1 << 7;
/// Up to here the table doubles: it is small.
const DOUBLING_LINES: usize = 1 << 14;

#[inline]
fn home(hash: u32, count: usize) -> usize {
    ((hash as u64 * count as u64) >> 32) as usize
}

#[derive(Debug)]
pub(crate) struct Table {
    segments: Vec<Segment>,
    count: usize,
}

impl Table {
    pub fn new() -> Table {
        let mut table = Table { segments: Vec::new(), count: 0 };
        table.extend(FIRST_LINES);
        table
    }

    fn extend(&mut self, count: usize) {
        self.count = count;
        while self.segments.len() * SEGMENT_LINES < count {
            self.segments.push(Segment::new());
        }
        // A small table is better off with small pages.
        if self.bytes() as usize >= HUGE_PAGE
            && let Some(last) = self.segments.last()
        {
            last.ask_for_huge_pages();
        }
    }

    #[inline]
    pub fn home(&self, hash: u32) -> usize {
        home(hash, self.count)
    }

    #[inline]
    fn at(&self, at: usize) -> &Line {
        self.segments[at / SEGMENT_LINES].get(at % SEGMENT_LINES)
    }

    /// For the one thread that has it.
    #[inline]
    pub fn alone(&mut self) -> TableAlone<'_> {
        TableAlone { count: self.count, lines: SegmentsAlone::new(&mut self.segments) }
    }

    pub fn bytes(&self) -> u64 {
        (self.count * size_of::<Line>()) as u64
    }

    /// With more states than that it should grow: 27 of 32 words are taken.
    #[inline]
    pub fn comfortable(&self) -> u64 {
        self.count as u64 * 27 / 4
    }

    /// It takes no more states than that: 15 of 16 words are taken.
    #[inline]
    pub fn limit(&self) -> u64 {
        self.count as u64 * 15 / 2
    }

    fn next_count(&self) -> usize {
        if self.count < DOUBLING_LINES { self.count * 2 } else { self.count / 3 * 4 }
    }

    /// What [`Table::grow`] will ask for: new lines, and for a moment a byte for each line.
    pub fn growth_bytes(&self) -> u64 {
        ((self.next_count() - self.count) * size_of::<Line>() + self.next_count()) as u64
    }

    pub fn grow(&mut self) {
        let old_count = self.count;
        self.extend(self.next_count());
        let table = self.alone();
        // For each line, how many of its words are taken: quicker than to look.
        let mut taken = vec![0u8; table.count];
        let mut waiting = Vec::new();
        for at in (0..old_count).rev() {
            let line = table.lines.get(at);
            for entry in line.0.each_ref().map(Cell::take).map(Entry) {
                if entry == Entry::EMPTY {
                    break;
                }
                let home = table.home(entry.hash());
                if home < at || !table.put(entry, home, &mut taken) {
                    waiting.push(entry);
                }
            }
        }
        for entry in waiting {
            // The table is never full: where there is no place up to the end, there is one before.
            let home = table.home(entry.hash());
            let _ = table.put(entry, home, &mut taken) || table.put(entry, 0, &mut taken);
        }
    }
}

/// A table that nobody else has.
#[derive(Clone, Copy)]
pub(crate) struct TableAlone<'t> {
    lines: SegmentsAlone<'t>,
    count: usize,
}

impl<'t> TableAlone<'t> {
    #[inline]
    pub fn home(self, hash: u32) -> usize {
        home(hash, self.count)
    }

    /// Where the search for a hash begins. The line begins to be loaded.
    #[inline]
    pub fn seek(self, hash: u32) -> &'t LineAlone {
        let line = self.lines.get(self.home(hash));
        prefetch(line);
        line
    }

    /// The lines in which a hash will be looked for, most likely: its home and the next one begin to be loaded.
    #[inline]
    pub fn foresee(self, hash: u32) {
        let line: *const LineAlone = self.seek(hash);
        prefetch(line.wrapping_add(1));
    }

    /// The first entry with the hash from its home on; if there is none, 0. And the line in which the search ended.
    #[inline]
    pub fn find(self, hash: u32, home_line: &'t LineAlone) -> (Entry, &'t LineAlone) {
        let mut line = home_line;
        let mut at = self.home(hash);
        loop {
            // The first that has the hash, else the last one: words are filled in order, so if that is 0, the hash is not here and not behind.
            let word = (with_hash(&line.words(), hash) | 1 << (LINE_WORDS - 1)).trailing_zeros() as usize;
            let entry = Entry(line.0[word].get());
            if entry == Entry::EMPTY || entry.hash() == hash {
                return (entry, line);
            }
            at = if at + 1 == self.count { 0 } else { at + 1 };
            line = self.lines.get(at);
        }
    }

    /// Puts an entry into the first free word from a line on. False if there is none up to the end.
    #[inline]
    fn put(self, entry: Entry, from: usize, taken: &mut [u8]) -> bool {
        let mut at = from;
        while let Some(taken) = taken.get_mut(at) {
            if let Some(word) = self.lines.get(at).0.get(*taken as usize) {
                word.set(entry.0);
                *taken += 1;
                return true;
            }
            at += 1;
        }
        false
    }
}

/// The first word of a line that is 0, if there is one, and the hash is nowhere in the line.
#[inline]
pub(crate) fn vacant(line: &LineAlone, hash: u32) -> Option<&Cell<u64>> {
    let (same, empty) = scan(&line.words(), hash);
    if same == 0 { line.0.get(empty.trailing_zeros() as usize) } else { None }
}

impl LinesOfWords for TableAlone<'_> {
    type Word = Cell<u64>;

    #[inline]
    fn count(&self) -> usize {
        self.count
    }

    #[inline]
    fn line(&self, at: usize) -> &[Cell<u64>] {
        &self.lines.get(at).0
    }
}

impl LinesOfWords for Table {
    type Word = AtomicU64;

    #[inline]
    fn count(&self) -> usize {
        self.count
    }

    #[inline]
    fn line(&self, at: usize) -> &[AtomicU64] {
        &self.at(at).0
    }
}
