//! The table of the exact store: an open-addressing hash table whose buckets are cache lines of ten entries.
//!
//! *Lookup.* The hash of a state, 32 bits, read as a fraction of the table, is its *home* line. The state
//! lies there or, if that line was full, in the next one that was not (linear probing by lines). At the load
//! that the table has, most states are in their home line, so a lookup costs one cache miss.
//!
//! *Entries.* An entry has the number of a state, 32 bits, and the lower 19 bits of its hash. Of these 19, 16
//! are the *tag* that a lookup compares before it looks at a state. The upper bits of the hash are not kept,
//! because the place of the entry tells them: its home is this line, or one a little before, and of all
//! hashes with their homes there, only one has these lower 19 bits ([`hash_up_to`]). So an entry takes 51
//! bits, not 64, and the whole hash can be had without a look at the state.
//!
//! *Growing.* The table grows in place, by a third; up to 8 MiB it becomes four times as long (twice, if
//! memory is short), so that few states are moved. Homes are fractions of the length, so in the longer table
//! all entries keep their order and move only towards the end. One pass from the last line to the first takes
//! the entries out of each line and puts them where they belong now, which is among the lines that the pass
//! has left behind. A few belong elsewhere: near the beginning, a home may move less far than its entry had
//! been pushed; at the end, full lines may push entries over to the beginning. These wait until the pass is
//! over. So there is no second table, and only the new lines are new memory. States are looked at only if
//! they may lie too far from home for their place to tell their hash, behind a long row of full lines. In a
//! small table that is every state, in a large one hardly any. Several threads can do it together
//! (`table/growth.rs`).
//!
//! *Segments.* Lines lie in segments of 32 MiB, so that nothing is reserved in advance and nothing is moved
//! by the operating system. (`mremap` can take huge pages apart; to reserve address space for the largest
//! table fails where address space is limited.)
//!
//! Rejected: linear hashing, which splits one bucket at a time. It needs chains for buckets that overflow,
//! and during a round the buckets that were not split yet are twice as full as the others: with a line for a
//! bucket, a load of a half. Also rejected: eight entries with the whole hash. That takes a quarter more
//! memory, and has longer rows of full lines.

mod growth;

use crate::StateId;
use crate::memory::{
    ExclusiveLine, ExclusiveSegments, LINE_ENTRIES, Line, SEGMENT_LINES, Segment, first_empty, looked_at,
    prefetch, with_tag,
};
use crate::publish::{LOAD, LineOfEntries, Lines, REPLACE, id_of, tag_of};
use growth::Part;
use std::sync::atomic::Ordering;

const FIRST_LINES: usize = 1 << 7;
/// Up to here the table becomes four times as long, if memory is not short: it is small, 8 MiB in the end.
const DOUBLING_LINES: usize = 1 << 17;
/// Up to here it doubles if memory is short.
const DOUBLING_IF_SHORT: usize = 1 << 14;
/// A table of more than that doubles up to such a part of a budget.
const PART_OF_BUDGET: u64 = 16;

/// Bits of the hash that are kept above the tag.
const ABOVE_TAG_BITS: u32 = 3;
const ABOVE_TAG: u32 = (1 << ABOVE_TAG_BITS) - 1;
/// Bits of the hash that are kept in all.
const KEPT_BITS: u32 = u16::BITS + ABOVE_TAG_BITS;

/// How many lines a table has.
#[derive(Clone, Copy, Debug)]
struct Extent(usize);

impl Extent {
    #[inline]
    fn home(self, hash: u32) -> usize {
        ((hash as u64 * self.0 as u64) >> 32) as usize
    }

    /// So many lines in a row have the homes of hashes that all differ in the bits that are kept.
    fn reach(self) -> usize {
        self.0 >> (32 - KEPT_BITS)
    }

    /// The greatest hash that has its home in a line.
    #[inline]
    fn last_hash_of(self, line: usize) -> u32 {
        (((line as u64 + 1) << 32).div_ceil(self.0 as u64) - 1) as u32
    }
}

/// The greatest hash up to `last` whose lower bits are `kept`.
#[inline]
fn hash_up_to(last: u32, kept: u32) -> u32 {
    last.wrapping_sub(last.wrapping_sub(kept) & ((1 << KEPT_BITS) - 1))
}

#[derive(Debug)]
pub(crate) struct Table {
    segments: Vec<Segment>,
    extent: Extent,
    /// With more states than that it should grow.
    comfortable: u64,
    /// With fewer lines it doubles.
    doubling: usize,
}

impl Table {
    /// A table that grows by small steps early if there are not many bytes for everything.
    pub fn within(budget: u64) -> Table {
        let lines = budget / PART_OF_BUDGET / size_of::<Line>() as u64;
        let doubling = lines.clamp(DOUBLING_IF_SHORT as u64, DOUBLING_LINES as u64) as usize;
        let mut table = Table { segments: Vec::new(), extent: Extent(0), comfortable: 0, doubling };
        table.extend(FIRST_LINES);
        table
    }

    /// An empty one that grows as this one does.
    pub fn anew(&self) -> Table {
        let mut table =
            Table { segments: Vec::new(), extent: Extent(0), comfortable: 0, doubling: self.doubling };
        table.extend(FIRST_LINES);
        table
    }

    fn extend(&mut self, count: usize) {
        let Extent(before) = std::mem::replace(&mut self.extent, Extent(count));
        self.comfortable = (count * LINE_ENTRIES) as u64 * 27 / 32;
        while self.segments.len() * SEGMENT_LINES < count {
            self.segments.push(Segment::new());
        }
        for (segment, first) in self.segments.iter().zip((0..).step_by(SEGMENT_LINES)) {
            let used = |lines: usize| lines.saturating_sub(first).min(SEGMENT_LINES);
            if used(before) < used(count) {
                segment.use_more(used(before), used(count));
            }
        }
    }

    #[inline]
    pub fn home(&self, hash: u32) -> usize {
        self.extent.home(hash)
    }

    /// Prefetches the lines in which a hash will be looked for, most likely: its home and the next one. Tells
    /// which is its home.
    #[inline]
    pub fn prefetch_home(&self, hash: u32) -> usize {
        let home = self.home(hash);
        let line: *const Line = self.line(home);
        prefetch(line);
        prefetch(line.wrapping_add(1));
        home
    }

    /// Looks for a hash, from its home on, while other threads may add states.
    #[inline]
    pub fn probe(&self, hash: u32, home: usize) -> Probe {
        let tag = tag_of(hash);
        if tag == 0 {
            return Probe::Unclear;
        }
        let mut at = home;
        loop {
            let line = self.line(at);
            let seen = looked_at(line, tag);
            if seen.same != 0 {
                let number = line.number(seen.same.trailing_zeros() as usize);
                return if number == 0 { Probe::Unclear } else { Probe::Likely(number) };
            }
            // An entry has its number already, and not yet its tag.
            if seen.empty != seen.untagged {
                return Probe::Unclear;
            }
            if seen.empty != 0 {
                return Probe::Vacant { line: at, entry: seen.empty.trailing_zeros() as usize };
            }
            at = if at + 1 == self.extent.0 { 0 } else { at + 1 };
            if at == home {
                return Probe::Unclear;
            }
        }
    }

    /// The numbers of all states that have been published, line by line.
    pub fn ids(&self) -> impl Iterator<Item = StateId> {
        let entries = (0..self.count()).flat_map(|at| (0..LINE_ENTRIES).map(move |entry| (at, entry)));
        let numbers = entries.map(|(at, entry)| self.line(at).number(entry));
        numbers.filter(|&number| number != 0).map(id_of)
    }

    /// For the one thread that has the table exclusively.
    #[inline]
    pub fn exclusive(&mut self) -> ExclusiveTable<'_> {
        ExclusiveTable { extent: self.extent, lines: ExclusiveSegments::new(&mut self.segments) }
    }

    pub fn bytes(&self) -> u64 {
        (self.extent.0 * size_of::<Line>()) as u64
    }

    /// So many states have a place in it.
    pub fn entries(&self) -> u64 {
        (self.extent.0 * LINE_ENTRIES) as u64
    }

    /// With more states than that it should grow: 27 of 32 entries are taken.
    #[inline]
    pub fn comfortable(&self) -> u64 {
        self.comfortable
    }

    /// It takes no more states than that: 15 of 16 entries are taken.
    #[inline]
    pub fn limit(&self) -> u64 {
        (self.extent.0 * LINE_ENTRIES) as u64 * 15 / 16
    }

    fn next_count(&self) -> usize {
        let Extent(count) = self.extent;
        if self.doubling == DOUBLING_LINES && 4 * count <= DOUBLING_LINES {
            count * 4
        } else if 2 * count <= self.doubling {
            count * 2
        } else {
            count / 3 * 4
        }
    }

    /// What [`Table::grow`] will ask for: new lines, and for a moment a byte for each line.
    pub fn growth_bytes(&self) -> u64 {
        ((self.next_count() - self.extent.0) * size_of::<Line>() + self.next_count()) as u64
    }

    /// Makes the table longer. `hash_of` looks at a state.
    pub fn grow(&mut self, hash_of: impl Fn(StateId) -> u32) {
        let old = self.extent;
        self.extend(self.next_count());
        let (table, mut waiting) = (self.exclusive(), Vec::new());
        let all = Part::new(&table, old, 0..old.0, 0..table.extent.0, 0);
        all.spread(table, old, hash_of, &mut waiting);
        table.add_all(waiting);
    }
}

/// Where entries go while the table grows.
struct Room {
    first: usize,
    /// For each line from the first on, how many of its entries are taken: quicker than to look.
    taken: Vec<u8>,
}

/// What one of several threads has seen of a hash, from its home line on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Probe {
    /// The first entry with the hash's tag has this number.
    Likely(u32),
    /// No entry has the tag, up to this one, which is empty.
    Vacant { line: usize, entry: usize },
    /// Neither can be told.
    Unclear,
}

/// A table that no other thread can see.
#[derive(Clone, Copy)]
pub(crate) struct ExclusiveTable<'t> {
    lines: ExclusiveSegments<'t>,
    extent: Extent,
}

impl<'t> ExclusiveTable<'t> {
    #[inline]
    pub fn home(self, hash: u32) -> usize {
        self.extent.home(hash)
    }

    /// Prefetches the lines in which a hash will be looked for, most likely: its home and the next one. Tells
    /// which is its home.
    #[inline]
    pub fn prefetch_home(self, hash: u32) -> usize {
        let home = self.home(hash);
        let line: *const ExclusiveLine = self.lines.get(home);
        prefetch(line);
        prefetch(line.wrapping_add(1));
        home
    }

    /// The number in the first entry with the hash's tag from a line on; if there is none, 0. And the line in
    /// which the search ended: if there is none, it has an empty entry.
    #[inline]
    pub fn find(self, hash: u32, from: usize) -> (u32, &'t ExclusiveLine) {
        let mut at = from;
        loop {
            let line = self.lines.get(at);
            let same = with_tag(line, tag_of(hash));
            if same != 0 {
                return (line.first_number(same), line);
            }
            // Entries are filled in order: if the last one is empty, the tag is not behind.
            if !line.is_full() {
                return (0, line);
            }
            at = self.next(at);
        }
    }

    /// The same with the number of that line; and without a branch that can hardly be foreseen, which is
    /// whether there is one.
    #[inline]
    pub fn find_from(self, hash: u32, from: usize) -> (u32, usize) {
        let mut at = from;
        loop {
            let line = self.lines.get(at);
            let same = with_tag(line, tag_of(hash));
            let number = line.first_number(same);
            if number == 0 || same != 0 {
                return (number, at);
            }
            at = self.next(at);
        }
    }

    #[inline]
    fn next(self, at: usize) -> usize {
        if at + 1 == self.extent.0 { 0 } else { at + 1 }
    }

    /// Puts what was in a line into lines from there on; what belongs elsewhere waits. `last`: the greatest
    /// hash that has its home in the line. A call, so that it has the registers for itself.
    #[inline(never)]
    fn spread(
        self,
        line: &ExclusiveLine,
        (at, last): (usize, u32),
        room: &mut Room,
        waiting: &mut Vec<(u32, u32)>,
    ) {
        let (first, lines, taken) = self.window(at, last, room);
        let mut above_tags = line.above_tags.get();
        let mut left_over = 0;
        for (entry, (number, tag)) in line.numbers.iter().zip(&line.tags).enumerate() {
            let (number, tag, above) = (number.get(), tag.get(), above_tags & ABOVE_TAG);
            if number == 0 {
                break;
            }
            above_tags >>= ABOVE_TAG_BITS;
            let home = self.home(hash_up_to(last, u32::from(tag) | above << u16::BITS));
            // Most have room where they are at home.
            if let Some(taken) = taken.get_mut(home.wrapping_sub(first))
                && let Some(line) = lines.get(home.wrapping_sub(first))
                && (*taken as usize) < LINE_ENTRIES
            {
                line.fill(*taken as usize, number, tag, above);
                *taken += 1;
            } else {
                left_over |= 1 << entry;
            }
        }
        if left_over != 0 {
            let hashes = line.kept().map(|kept| hash_up_to(last, kept));
            self.spread_some(line, left_over, at, &hashes, room, waiting);
        }
    }

    /// The lines of one segment into which what was in a line goes, most likely, from the first of them on,
    /// and how many of their entries are taken: as many of one as of the other.
    #[inline(always)]
    fn window<'r>(
        self,
        at: usize,
        last: u32,
        room: &'r mut Room,
    ) -> (usize, &'t [ExclusiveLine], &'r mut [u8]) {
        let (begin, lines) = self.lines.segment(self.home(last));
        let first = at.max(room.first).max(begin);
        let lines = lines.get(first - begin..).unwrap_or_default();
        let taken = room.taken.get_mut(first - room.first..).unwrap_or_default();
        let count = lines.len().min(taken.len());
        (first, &lines[..count], &mut taken[..count])
    }

    /// The same for some entries, as bits, whose hashes are known.
    #[cold]
    fn spread_some(
        self,
        line: &ExclusiveLine,
        mut entries: u32,
        at: usize,
        hashes: &[u32; LINE_ENTRIES],
        room: &mut Room,
        waiting: &mut Vec<(u32, u32)>,
    ) {
        let least = at.max(room.first);
        while entries != 0 {
            let entry = entries.trailing_zeros() as usize;
            entries &= entries - 1;
            let (number, hash) = (line.numbers[entry].get(), hashes[entry]);
            let home = self.home(hash);
            if home < least || !self.put_behind(number, hash, home, room) {
                waiting.push((number, hash));
            }
        }
    }

    /// Puts a state into the first empty entry from a line on. False if there is no room.
    #[inline(never)]
    fn put_behind(self, number: u32, hash: u32, from: usize, room: &mut Room) -> bool {
        let mut at = from;
        while let Some(taken) = room.taken.get_mut(at - room.first) {
            let entry = *taken as usize;
            if entry < LINE_ENTRIES {
                self.lines.get(at).set(entry, number, hash);
                *taken += 1;
                return true;
            }
            at += 1;
        }
        false
    }

    /// Adds states that are not there, each in the first empty entry from its home on.
    fn add_all(self, states: Vec<(u32, u32)>) {
        for (number, hash) in states {
            let mut at = self.home(hash);
            // The table is never full.
            let entry = loop {
                match first_empty(self.lines.get(at)) {
                    Some(entry) => break entry,
                    None => at = self.next(at),
                }
            };
            self.lines.get(at).set(entry, number, hash);
        }
    }
}

/// What is kept of a hash above its tag, in the bits that belong to an entry.
#[inline]
fn above_tag(at: usize, hash: u32) -> u32 {
    (hash >> u16::BITS & ABOVE_TAG) << (ABOVE_TAG_BITS * at as u32)
}

impl ExclusiveLine {
    /// Fills an empty entry.
    #[inline]
    pub fn set(&self, at: usize, number: u32, hash: u32) {
        self.fill(at, number, tag_of(hash), hash >> u16::BITS & ABOVE_TAG);
    }

    /// The same with what is kept of the hash.
    #[inline(always)]
    fn fill(&self, at: usize, number: u32, tag: u16, above: u32) {
        self.numbers[at].set(number);
        self.tags[at].set(tag);
        self.above_tags.set(self.above_tags.get() | above << (ABOVE_TAG_BITS * at as u32));
    }

    /// Entries that are not empty, as bits.
    fn filled(&self) -> u32 {
        (1 << first_empty(self).unwrap_or(LINE_ENTRIES)) - 1
    }

    /// What is kept of the hash of each entry; something, where there is none.
    #[inline(always)]
    fn kept(&self) -> [u32; LINE_ENTRIES] {
        let above_tags = self.above_tags.get();
        std::array::from_fn(|at| {
            let above = above_tags >> (ABOVE_TAG_BITS * at as u32) & ABOVE_TAG;
            u32::from(self.tags[at].get()) | above << u16::BITS
        })
    }

    /// The first empty entry, of which there is one. Mostly it is the first that has no tag; the tag 0 is one
    /// of a hash in 65,536.
    #[inline(always)]
    pub fn first_vacant(&self) -> usize {
        let entry = (with_tag(self, 0) | 1 << (LINE_ENTRIES - 1)).trailing_zeros() as usize;
        if self.numbers[entry].get() == 0 { entry } else { first_empty(self).unwrap_or(entry) }
    }

    /// The number in the first of some entries, as bits; in the last one, if there are none.
    #[inline(always)]
    fn first_number(&self, entries: u32) -> u32 {
        self.numbers[(entries | 1 << (LINE_ENTRIES - 1)).trailing_zeros() as usize].get()
    }

    #[inline]
    fn is_full(&self) -> bool {
        self.numbers[LINE_ENTRIES - 1].get() != 0
    }
}

impl LineOfEntries for ExclusiveLine {
    const ENTRIES: usize = LINE_ENTRIES;

    #[inline]
    fn number(&self, at: usize) -> u32 {
        self.numbers[at].get()
    }

    #[inline]
    fn claim(&self, at: usize, number: u32) -> Result<(), u32> {
        match self.numbers[at].get() {
            0 => self.numbers[at].set(number),
            there => return Err(there),
        }
        Ok(())
    }

    #[inline]
    fn tag(&self, at: usize) -> u16 {
        self.tags[at].get()
    }

    #[inline]
    fn set_hash(&self, at: usize, hash: u32) {
        self.tags[at].set(tag_of(hash));
        self.above_tags.set(self.above_tags.get() | above_tag(at, hash));
    }
}

/// Tags need no order: each is 0 or what it will ever be, and whoever sees 0 knows nothing.
impl LineOfEntries for Line {
    const ENTRIES: usize = LINE_ENTRIES;

    #[inline]
    fn number(&self, at: usize) -> u32 {
        self.numbers[at].load(LOAD)
    }

    #[inline]
    fn claim(&self, at: usize, number: u32) -> Result<(), u32> {
        self.numbers[at].compare_exchange(0, number, REPLACE, LOAD).map(|_| ())
    }

    #[inline]
    fn tag(&self, at: usize) -> u16 {
        self.tags[at].load(Ordering::Relaxed)
    }

    #[inline]
    fn set_hash(&self, at: usize, hash: u32) {
        self.tags[at].store(tag_of(hash), Ordering::Relaxed);
        self.above_tags.fetch_or(above_tag(at, hash), Ordering::Relaxed);
    }
}

impl Lines for ExclusiveTable<'_> {
    type Line = ExclusiveLine;

    #[inline]
    fn count(&self) -> usize {
        self.extent.0
    }

    #[inline]
    fn line(&self, at: usize) -> &ExclusiveLine {
        self.lines.get(at)
    }
}

impl Lines for Table {
    type Line = Line;

    #[inline]
    fn count(&self) -> usize {
        self.extent.0
    }

    #[inline]
    fn line(&self, at: usize) -> &Line {
        self.segments[at / SEGMENT_LINES].get(at % SEGMENT_LINES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::publish::{Candidate, Published, publish};
    use std::sync::atomic::AtomicUsize;

    fn random(seed: &mut u64) -> u32 {
        *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (*seed >> 32) as u32
    }

    #[test]
    fn the_place_of_an_entry_tells_its_hash() {
        let mut seed = 1;
        for count in [8192, 8193, 16384, 29124, 69032, 100_003, 1 << 17, 999_983, (1 << 23) + 1, 1 << 26] {
            let extent = Extent(count);
            for i in 0..20_000 {
                // The hashes at both ends of a line among them.
                let hash = match i % 3 {
                    0 => random(&mut seed),
                    1 => extent.last_hash_of(random(&mut seed) as usize % count),
                    _ => extent.last_hash_of(random(&mut seed) as usize % count).wrapping_add(1),
                };
                let pushed = [0, extent.reach() - 1, random(&mut seed) as usize % extent.reach()][i % 3];
                let at = (extent.home(hash) + pushed) % count;
                let kept = hash & ((1 << KEPT_BITS) - 1);
                assert_eq!(hash_up_to(extent.last_hash_of(at), kept), hash, "{count} lines, {at}");
            }
            assert_eq!(extent.last_hash_of(count - 1), u32::MAX);
        }
    }

    /// A state that is nothing but its number.
    struct Numbered(StateId);

    impl Candidate for Numbered {
        type Slot = StateId;

        fn is(&self, id: StateId) -> bool {
            id == self.0
        }

        fn write(&self) -> Option<StateId> {
            Some(self.0)
        }

        fn number(&self, slot: &StateId) -> StateId {
            *slot
        }

        fn give_back(&self, _: StateId) {}
    }

    /// Puts states with these hashes into a table that grows. How many were looked at when it did so the last
    /// time.
    fn fill(hashes: &[u32]) -> usize {
        fill_within(u64::MAX, hashes).max(fill_within(0, hashes))
    }

    /// In small steps, if memory is short.
    fn fill_within(budget: u64, hashes: &[u32]) -> usize {
        let looked_at = fill_by(budget, 1, hashes);
        for threads in [2, 3, 5] {
            // A few may be looked at twice, or not at all, where parts meet.
            let by_threads = fill_by(budget, threads, hashes);
            assert!(by_threads <= looked_at + looked_at / 4 + 1_000, "{threads}: {by_threads}, {looked_at}");
        }
        looked_at
    }

    fn fill_by(budget: u64, threads: usize, hashes: &[u32]) -> usize {
        let mut table = Table::within(budget);
        let looked_at = AtomicUsize::new(0);
        for (i, &hash) in hashes.iter().enumerate() {
            if i as u64 >= table.comfortable() {
                looked_at.store(0, Ordering::Relaxed);
                table.grow_by(threads, |id| {
                    looked_at.fetch_add(1, Ordering::Relaxed);
                    hashes[id.index()]
                });
                // What is there is found, and there is nothing else.
                let exclusive = table.exclusive();
                for (id, &hash) in hashes[..i].iter().enumerate().step_by(1 + i / 3000) {
                    let id = StateId(id as u32);
                    assert_eq!(
                        publish(&exclusive, exclusive.home(hash), hash, &Numbered(id)),
                        Published::Known(id)
                    );
                }
                let taken =
                    |line: &ExclusiveLine| line.numbers.iter().filter(|number| number.get() != 0).count();
                assert_eq!(
                    (0..exclusive.extent.0).map(|at| taken(exclusive.lines.get(at))).sum::<usize>(),
                    i
                );
            }
            let id = StateId(i as u32);
            let home = table.home(hash);
            assert_eq!(publish(&table.exclusive(), home, hash, &Numbered(id)), Published::New(id));
        }
        looked_at.into_inner()
    }

    /// Another thread has claimed an entry, and not yet written its tag: nobody may pass over it.
    #[test]
    fn an_entry_without_its_tag() {
        let table = Table::within(0);
        let hash = 0x1234_5678;
        let at = table.home(hash);
        assert_eq!(table.probe(hash, at), Probe::Vacant { line: at, entry: 0 });
        table.line(at).claim(0, 7).unwrap();
        assert_eq!(table.probe(hash, at), Probe::Unclear);
        table.line(at).set_hash(0, hash ^ 1);
        assert_eq!(table.probe(hash, at), Probe::Vacant { line: at, entry: 1 });
        table.line(at).claim(1, 8).unwrap();
        table.line(at).set_hash(1, hash);
        assert_eq!(table.probe(hash, at), Probe::Likely(8));
        // The tag 0 is that of an empty entry.
        assert_eq!(table.probe(hash & !0xffff, at), Probe::Unclear);
        // A full line, and the next one.
        for entry in 2..LINE_ENTRIES {
            table.line(at).claim(entry, 9).unwrap();
            table.line(at).set_hash(entry, hash ^ 2);
        }
        assert_eq!(table.probe(hash ^ 3, at), Probe::Vacant { line: at + 1, entry: 0 });
    }

    #[test]
    fn a_long_table_grows_without_a_look_at_states() {
        let mut seed = 7;
        let hashes: Vec<u32> = (0..2_000_000).map(|_| random(&mut seed)).collect();
        let looked_at = fill_within(u64::MAX, &hashes).max(fill_by(0, 1, &hashes));
        assert!(looked_at < 20_000, "{looked_at}");
    }

    #[test]
    fn rows_of_full_lines() {
        let mut seed = 3;
        // Some homes have many states, so that these are pushed far, at the end of the table to its
        // beginning; the others lie anywhere.
        for crowd in [0, 1 << 20, u32::MAX - (1 << 20), u32::MAX] {
            for in_crowd in [50, 1000] {
                let hashes: Vec<u32> = (0..300_000)
                    .map(|i| match i % 1000 < in_crowd && i < 8_000 {
                        true => crowd ^ random(&mut seed) >> 22,
                        false => random(&mut seed),
                    })
                    .collect();
                fill(&hashes);
            }
        }
    }
}
