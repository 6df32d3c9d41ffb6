//! How the table grows by several threads: the pass of [`Table::grow`] from the last line to the first, cut
//! into *bands*.
//!
//! The last quarter of the lines belongs to lines that are new, so no line that is read there is one that is
//! written, and threads can take parts of that band at the same time. Then the lines of that quarter are
//! empty, and the quarter before, of what is left, belongs there; and so on. A band is a quarter of the lines
//! before it; what is left when bands are too short to be worth a thread, a single one does.
//!
//! *A part* of a band has lines that it reads, and lines that it may write: those where the hashes of the
//! former have their homes. What belongs elsewhere (near its ends: an entry that had been pushed over from
//! the line before, or must be pushed over to the next part) waits until all parts are done, like the few
//! that wait in [`Table::grow`]. In a table that is probed line by line any entry may be added at any time,
//! in the first line from its home on that has room: so the table is as good as if one thread had done it.
//!
//! *Rows of full lines* before a line tell whether its place tells the hashes of its entries. They may begin
//! in lines of another part, which is taking its lines apart meanwhile. So the row before each part is
//! looked for when no line has been touched.
//!
//! *Who does what.* Parts are numbered from the last on, threads take the next one that nobody has, and begin
//! with it when all parts of the bands before are done. So it does not matter how many threads come, or when.

use super::{ExclusiveTable, Extent, Room, Table};
use crate::StateId;
use crate::publish::id_of;
use std::cell::Cell;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{Builder, scope, yield_now};

/// Shorter bands are left to one thread, and tables that would have no other. In tests, hardly any.
const SHORTEST_BAND: usize = if cfg!(test) { 1 << 4 } else { 1 << 11 };

/// Lines that one thread takes apart.
#[derive(Debug)]
pub(super) struct Part {
    lines: Range<usize>,
    /// From there to the first of them, all lines are full.
    row: usize,
    /// What was in them goes here, or waits.
    into: Range<usize>,
    /// So many parts must be done before.
    after: usize,
}

/// A table that several threads take apart, each its parts.
struct Apart<'t>(ExclusiveTable<'t>);

// SAFETY: whoever uses it reads and writes the lines of a part that it has taken, and nobody takes a part
// twice. Parts of one band have no line in common; one of a later band is begun when the former are done,
// and that is told by storing and loading with `Release` and `Acquire`.
#[allow(unsafe_code)]
unsafe impl Sync for Apart<'_> {}

/// What threads tell each other.
#[derive(Default)]
struct Progress {
    taken: AtomicUsize,
    done: AtomicUsize,
    has_failed: AtomicBool,
}

/// Tells the others if its thread panics.
struct Failure<'p>(&'p Progress);

impl Drop for Failure<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.has_failed.store(true, Ordering::Relaxed);
        }
    }
}

impl Table {
    /// As [`Table::grow`], by several threads if the table is large.
    pub fn grow_by(&mut self, threads: usize, hash_of: impl Fn(StateId) -> u32 + Sync) {
        if threads <= 1 || self.extent.0 < 4 * SHORTEST_BAND {
            return self.grow(hash_of);
        }
        let old = self.extent;
        self.extend(self.next_count());
        let table = Apart(self.exclusive());
        let parts = parts(&table.0, old, threads);
        let progress = Progress::default();
        let work = || {
            // The whole of it, not its only field.
            let table: &Apart = &table;
            table.take_apart(&parts, &progress, old, &hash_of)
        };
        let waiting = scope(|scope| {
            let help = |number| Builder::new().name(format!("growth {number}")).spawn_scoped(scope, work);
            // Where there is no room for another thread, there are fewer.
            let helpers: Vec<_> = (1..threads).filter_map(|number| help(number).ok()).collect();
            let mut waiting = work();
            for helper in helpers {
                match helper.join() {
                    Ok(more) => waiting.extend(more),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            waiting
        });
        table.0.add_all(waiting);
    }
}

/// All lines of a table of the old length, in parts for so many threads.
fn parts(table: &ExclusiveTable, old: Extent, threads: usize) -> Vec<Part> {
    let new = table.extent;
    // From this line on, hashes have their homes in the longer table from that line on.
    let source_of = |line: usize| (line * old.0).div_ceil(new.0);
    let mut parts: Vec<Part> = Vec::new();
    let (mut end, mut into_end) = (old.0, new.0);
    while end - source_of(end) >= SHORTEST_BAND {
        let (begin, after) = (source_of(end), parts.len());
        let (mut part_end, into) = (end, end..into_end);
        for part in (0..threads).rev() {
            let from = into.start + into.len() * part / threads;
            let first = source_of(from).max(begin);
            parts.push(Part::new(table, old, first..part_end, from..into_end, after));
            (part_end, into_end) = (first, from);
        }
        end = begin;
    }
    parts.push(Part::new(table, old, 0..end, 0..into_end, parts.len()));
    parts
}

impl Part {
    /// No line has been touched yet.
    pub fn new(
        table: &ExclusiveTable,
        old: Extent,
        lines: Range<usize>,
        into: Range<usize>,
        after: usize,
    ) -> Part {
        let row = old.row_before(table, lines.start, lines.start, 0);
        Part { lines, row, into, after }
    }

    /// Puts what is in its lines into others. `hash_of` looks at a state.
    pub fn spread(
        &self,
        table: ExclusiveTable,
        old: Extent,
        hash_of: impl Fn(StateId) -> u32,
        waiting: &mut Vec<(u32, u32)>,
    ) {
        let mut room = Room { first: self.into.start, taken: vec![0; self.into.len()] };
        let mut row = self.lines.end;
        for at in self.lines.clone().rev() {
            row = old.row_before(&table, row.min(at), at, self.lines.start);
            let row = if row == self.lines.start { self.row } else { row };
            let line = table.lines.get(at).take();
            // A row that begins with the table may have begun at its end.
            if row > 0 && at - row < old.reach() {
                table.spread(&line, (at, old.last_hash_of(at)), &mut room, waiting);
            } else {
                let numbers = line.numbers.each_ref().map(Cell::get);
                let hashes = numbers.map(|number| if number == 0 { 0 } else { hash_of(id_of(number)) });
                table.spread_some(&line, line.filled(), at, &hashes, &mut room, waiting);
            }
        }
    }
}

impl Extent {
    /// From which line on, not before `least`, all are full up to the one before `at`, as far as it matters:
    /// from `row` on they are.
    #[inline]
    fn row_before(self, table: &ExclusiveTable, mut row: usize, at: usize, least: usize) -> usize {
        while row > least && at - row < self.reach() && table.lines.get(row - 1).is_full() {
            row -= 1;
        }
        row
    }
}

impl Apart<'_> {
    /// Does parts that nobody has taken until there are none. What belongs elsewhere is told.
    fn take_apart(
        &self,
        parts: &[Part],
        progress: &Progress,
        old: Extent,
        hash_of: &impl Fn(StateId) -> u32,
    ) -> Vec<(u32, u32)> {
        let _failure = Failure(progress);
        let mut waiting = Vec::new();
        while let Some(part) = parts.get(progress.taken.fetch_add(1, Ordering::Relaxed)) {
            while progress.done.load(Ordering::Acquire) < part.after {
                if progress.has_failed.load(Ordering::Relaxed) {
                    return waiting;
                }
                yield_now();
            }
            part.spread(self.0, old, hash_of, &mut waiting);
            progress.done.fetch_add(1, Ordering::Release);
        }
        waiting
    }
}
