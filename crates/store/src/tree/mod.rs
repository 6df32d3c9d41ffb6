//! The tree store: every state, without loss, in about half of the bytes that the exact store takes.
//!
//! After the tree tables of Laarman, van de Pol and Weber 2011, in which pairs of words are numbered, and
//! pairs of these numbers, up to one for the whole state; but our tree is flat. A state is cut into a few
//! *columns* of up to seven bytes, the values of each column are numbered (`columns.rs`), and the *root* of a
//! state is the list of its numbers, each in as many bits as its column needs (`roots.rs`). The last states
//! wait for their roots as they are (`open.rs`). Where to cut is learned from the states, again and again as
//! there are more of them (`cuts.rs`). Roots lie in the order of their numbers, which is that of insertion;
//! so a state is read back by its number. An *index* leads from the hash of a state to its number
//! (`index.rs`).
//!
//! *Why flat.* States are numbers of pieces already, some six to thirty bytes. The values of two or three
//! columns are few; those of pairs of columns are nearly as many as states on some models, and their tables
//! cost more than short roots save (measured on one with processes that come and go: 16 bytes a state in two
//! halves, 8 in four columns, the index not counted). And every level is another place in memory to wait
//! for.
//!
//! *Incremental.* Hashes are sums, which come with a state ([`crate::WeightedSums`]); they do not depend on
//! the tree. So the index is asked for a line before a state is looked at, and stays what it is when states
//! are cut anew. Whether a state is the one that the index has found is seen from the values of its columns;
//! only what is new has its values looked up, a thousand states at a time, and a column knows those that it
//! was asked for lately.
//!
//! *Threads.* Insertions take `&mut self`: values must be numbered before a root is written, and a lock for
//! each column costs more than it is worth while searches have one thread. Reading takes `&self`.
//!
//! *Cost per state:* beyond 0.9 million states 4.8 to 5.8 bytes of the index (up to 6.2 beyond 2 million, 6.7
//! beyond 17 million, 7.2 beyond 67 million, 7.9 beyond a thousand million; a smaller one doubles, and takes
//! up to 9.6), and 3 to 6 of the root and the columns; where that comes to more than 10.75, the index grows
//! in smaller steps, and takes 0.4 less. A value costs 13 to 17 bytes in its column. Cutting anew and growing
//! need a few megabytes, and no second copy.
//!
//! *Time:* searches have about 0.8 times the speed that they have in the exact store, where they do little
//! else than insert. A short state is compared as a whole: it is put together from the values of the one that
//! the index has found ([`Assembled`]). States get roots only between batches (`MOST_OPEN`): so what a pass
//! over a batch has found in the tree is still there for the next one. Rejected: to keep what the index has
//! said of states that were announced until they are inserted (it saves a wait for the root; together with
//! other changes, searches were as quick or quicker without it); to look at the home lines of all states
//! first, and then at the next ones of those whose line is full (2 to 8 per cent slower).

mod columns;
mod cuts;
mod index;
mod open;
mod roots;

use crate::exact::Answer;
use crate::hash::{StateHash, WeightedSums};
use crate::memory::{Block as Together, Slots};
use crate::state_bits::StateBits;
use crate::{Batch, Inserted, StateId, StateStore, VisitedSet};
use columns::{Assembled, Column, Cut, MOST_BYTES, SHORT, Sliced, bytes_of};
use index::{Index, LARGE_STEP, Probe, SMALL_STEP, Sought};
use open::Open;
use roots::{BLOCK, FEW_COLUMNS, Roots, Word};
use std::ops::Range;

/// States that are inserted together: no processor waits for more places at a time.
const TOGETHER: usize = 32;
/// States without roots, at the most: those that are inserted together may come to a whole block.
const MOST_OPEN: usize = BLOCK + TOGETHER;
/// States are cut for the first time when there are so many of them,
const FIRST_CUT: usize = 1 << 13;
/// and again when there are so many times more.
const CUT_AGAIN: usize = 16;
/// States of so many hundredths of a byte on the mean are small enough.
const SMALL_ENOUGH: u64 = 1075;
/// There are no more numbers than that, and some of these are left.
const MOST_NUMBERS: u64 = 1 << 32;
const SPARE_NUMBERS: u64 = 1 << 20;

/// A store that keeps every state, as numbers of values. Numbers of states are given out in order, from 0.
#[derive(Debug)]
pub struct TreeStore<H = WeightedSums> {
    hash: H,
    index: Index,
    trees: Trees,
    /// Numbers that no state has.
    holes: Vec<Range<u32>>,
    /// With so many numbers, states are cut anew.
    cut_at: usize,
    /// Up to so many numbers there is nothing to see to.
    at_ease_until: usize,
}

/// States by their numbers.
#[derive(Debug)]
struct Trees {
    columns: Vec<Column>,
    /// Where columns begin, and where the last one ends.
    places: Vec<usize>,
    roots: Roots,
    /// The states behind those that have roots.
    open: Open,
}

impl Trees {
    fn new(places: Vec<usize>) -> Trees {
        let columns = Cut::all(&places).into_iter().map(Column::new).collect();
        Trees { columns, places, roots: Roots::new(), open: Open::new() }
    }

    /// How many there are.
    #[inline(always)]
    fn count(&self) -> usize {
        self.roots.count() + self.open.len()
    }

    /// Sees to it that there are columns for states of so many bytes.
    fn cover(&mut self, length: usize) {
        let end = self.places.last().copied().unwrap_or(0);
        if end >= length {
            return;
        }
        if self.places.is_empty() {
            self.places.push(0);
        }
        let covered = self.places.len() - 1;
        self.places.extend((end..length).step_by(MOST_BYTES).map(|start| (start + MOST_BYTES).min(length)));
        self.columns.extend(Cut::all(&self.places[covered..]).into_iter().map(Column::new));
    }

    /// Whether a state has this number: it has the same value in every column, and no bytes beyond.
    fn is(&self, number: u32, state: &Sliced) -> bool {
        match (number as usize).checked_sub(self.roots.count()) {
            Some(at) => self.open.is(at, state),
            None => self.closed().is(number, self.closed().roots.word(number), state),
        }
    }

    /// Those that have roots.
    #[inline(always)]
    fn closed(&self) -> Closed<'_> {
        Closed { columns: &self.columns, roots: &self.roots }
    }

    /// Adds a state behind the others.
    #[inline(always)]
    fn push(&mut self, state: &Sliced) {
        self.open.push(state);
        if self.open.len() == BLOCK {
            self.seal();
        }
    }

    /// Adds a number that no state has.
    fn push_hole(&mut self) {
        self.push(&Sliced::new(&[]));
    }

    /// The first block of open states get roots.
    #[cold]
    #[inline(never)]
    fn seal(&mut self) {
        let lengths = self.open.lengths_of_block();
        self.cover(lengths.1);
        let mut numbers = vec![0; BLOCK * self.columns.len()];
        let mut values = [0; BLOCK];
        for (column, numbers) in self.columns.iter_mut().zip(numbers.as_chunks_mut().0) {
            self.open.values_of_block(&column.cut, lengths, &mut values);
            column.number_all(&values, numbers);
        }
        self.roots.seal(&numbers, &self.columns);
        self.open.remove_block();
    }

    /// The bytes of a state that has no root yet.
    #[inline(always)]
    fn open(&self, number: u32) -> Option<&[u8]> {
        (number as usize).checked_sub(self.roots.count()).map(|at| self.open.get(at))
    }

    #[inline]
    fn read(&self, number: u32, buffer: &mut Vec<u8>) {
        if let Some(state) = self.open(number) {
            buffer.clear();
            return buffer.extend_from_slice(state);
        }
        if self.places.last().is_none_or(|&end| end <= SHORT)
            && let Some(word) = self.roots.word(number)
        {
            // Always as many, and then fewer: how many are copied is known beforehand.
            let (bytes, length) = self.closed().assembled(word).bytes();
            buffer.clear();
            buffer.extend_from_slice(&bytes);
            return buffer.truncate(length);
        }
        self.closed().read_long(number, buffer);
    }

    fn columns_bytes(&self) -> u64 {
        self.columns.iter().map(Column::bytes).sum()
    }
}

/// States that have roots. While states are inserted together, these stay what they are.
struct Closed<'t> {
    columns: &'t [Column],
    roots: &'t Roots,
}

impl Closed<'_> {
    /// Whether a state has this number, whose root is in this word, if it is in one.
    #[inline(always)]
    fn is(&self, number: u32, word: Option<Word>, state: &Sliced) -> bool {
        if state.length() <= SHORT
            && let Some(word) = word
        {
            return self.assembled(word).is(state);
        }
        self.is_long(number, state.state())
    }

    /// A short state with this root; something else, if that is not short.
    #[inline(always)]
    fn assembled(&self, word: Word) -> Assembled {
        let mut assembled = Assembled::default();
        let (root, fields) = (word.root(), self.roots.fields(word));
        for (field, column) in fields.iter().zip(self.columns) {
            assembled.add(column.value(field.number(root)), &column.cut);
        }
        assembled
    }

    #[inline(never)]
    fn is_long(&self, number: u32, state: &[u8]) -> bool {
        let state = &Sliced::new(state);
        let mut numbers = [0; FEW_COLUMNS];
        let Some(count) = self.roots.few_numbers(number, &mut numbers) else {
            return self.is_otherwise(number, state);
        };
        let columns = &self.columns[..count];
        for (column, &number) in columns.iter().zip(&numbers) {
            if column.value(number) != state.value(column.cut) {
                return false;
            }
        }
        // Values tell how many bytes they have.
        state.length() <= columns.last().map_or(0, |last| last.cut.end())
    }

    #[cold]
    fn is_otherwise(&self, number: u32, state: &Sliced) -> bool {
        let mut end = 0;
        let mut columns = self.columns.iter();
        let is_same = self.roots.all_numbers(number, &mut |number| {
            let Some(column) = columns.next() else { return false };
            end = column.cut.end();
            column.value(number) == state.value(column.cut)
        });
        is_same && state.length() <= end
    }

    fn read_long(&self, number: u32, buffer: &mut Vec<u8>) {
        let mut numbers = [0; FEW_COLUMNS];
        let Some(count) = self.roots.few_numbers(number, &mut numbers) else {
            return self.read_otherwise(number, buffer);
        };
        // Eight bytes of each, of which those that are too many are written over by the next one.
        let mut bytes = [0; 8 * FEW_COLUMNS];
        let mut end = 0;
        for (column, &number) in self.columns[..count].iter().zip(&numbers) {
            let value = column.value(number);
            bytes[end..end + 8].copy_from_slice(&value.to_le_bytes());
            end += bytes_of(value);
        }
        buffer.clear();
        if end <= 32 {
            buffer.extend_from_slice(&bytes[..32]);
            buffer.truncate(end);
        } else {
            buffer.extend_from_slice(&bytes[..end]);
        }
    }

    #[cold]
    fn read_otherwise(&self, number: u32, buffer: &mut Vec<u8>) {
        buffer.clear();
        let mut columns = self.columns.iter();
        self.roots.all_numbers(number, &mut |number| {
            let value = columns.next().map_or(0, |column| column.value(number));
            buffer.extend_from_slice(&value.to_le_bytes()[..bytes_of(value)]);
            true
        });
    }
}

/// The numbers up to `count` that some state has.
fn taken(holes: &[Range<u32>], count: usize) -> impl Iterator<Item = u32> {
    let starts = std::iter::once(0).chain(holes.iter().map(|hole| hole.end));
    let ends = holes.iter().map(|hole| hole.start).chain([count as u32]);
    starts.zip(ends).flat_map(|(start, end)| start..end)
}

impl Default for TreeStore {
    fn default() -> Self {
        TreeStore::new()
    }
}

impl TreeStore {
    /// An empty store, which takes 5 KiB.
    pub fn new() -> TreeStore {
        TreeStore::with_hash(WeightedSums)
    }
}

impl<H: StateHash> TreeStore<H> {
    /// A store that hashes its states in another way.
    pub fn with_hash(hash: H) -> TreeStore<H> {
        TreeStore {
            hash,
            index: Index::new(),
            trees: Trees::new(Vec::new()),
            holes: Vec::new(),
            cut_at: FIRST_CUT,
            at_ease_until: 0,
        }
    }

    /// The states that have these numbers, which keep them.
    pub(crate) fn from_slots(hash: H, ids: &StateBits, slots: Slots) -> TreeStore<H> {
        let mut holes = Vec::new();
        let (mut count, mut len) = (0, 0);
        for StateId(id) in ids.iter() {
            if count < id {
                holes.push(count..id);
            }
            (count, len) = (id + 1, len + 1);
        }
        let longest = ids.iter().step_by(1 + len / 64).map(|id| slots.get(id).len()).max().unwrap_or(0);
        let step = len.div_ceil(cuts::samples(longest)).max(1);
        let samples: Vec<Vec<u8>> = ids.iter().step_by(step).map(|id| slots.get(id).to_vec()).collect();
        let mut trees = Trees::new(cuts::better(&[], &samples, len as u64).unwrap_or_default());
        slots.drain(ids.iter(), |StateId(id), state| {
            while trees.count() < id as usize {
                trees.push_hole();
            }
            trees.push(&Sliced::new(state));
        });
        let cut_at = (count as usize * CUT_AGAIN).max(FIRST_CUT);
        let mut store = TreeStore { holes, cut_at, trees, ..TreeStore::with_hash(hash) };
        store.index_anew((len + len / 6) as u64, u64::from(count));
        store
    }

    fn numbers(&self) -> usize {
        self.trees.count()
    }

    /// Sees to it that the index is comfortable with so many more states.
    #[inline]
    fn make_room_for(&mut self, more: usize) {
        if self.numbers() + more > self.at_ease_until {
            self.see_to_room_for(more);
        }
    }

    #[cold]
    fn see_to_room_for(&mut self, more: usize) {
        let (entries, numbers) = (self.index.len() + more as u64, (self.numbers() + more) as u64);
        if entries > self.index.comfortable() || !self.index.has_numbers(numbers) {
            self.make_room(entries, numbers);
        }
        if self.trees.open.len() >= BLOCK {
            self.trees.seal();
        }
        if self.numbers() >= self.cut_at {
            self.cut_anew();
        }
        // A new state has an entry and a number.
        let entries_left = self.index.comfortable().saturating_sub(self.index.len());
        let numbers = (self.numbers() as u64 + entries_left).min(self.index.numbers());
        let open_until = self.trees.roots.count() + MOST_OPEN - 1;
        self.at_ease_until = self.cut_at.min(numbers as usize).min(open_until);
    }

    /// How the index grows: in large steps, if states are still small enough afterwards.
    fn step(&self) -> usize {
        let bytes = self.states_bytes() + self.auxiliary_bytes() + self.index.growth_bytes(LARGE_STEP);
        if bytes * 100 <= self.len() * SMALL_ENOUGH { LARGE_STEP } else { SMALL_STEP }
    }

    fn make_room(&mut self, entries: u64, numbers: u64) {
        assert!(numbers <= MOST_NUMBERS, "all state numbers are used up");
        while entries > self.index.comfortable() {
            if !self.index.grow(self.step(), numbers) {
                return self.index_anew(entries + entries / 6, numbers + numbers / 4);
            }
        }
        if !self.index.has_numbers(numbers) {
            self.index_anew(entries + entries / 6, numbers + numbers / 4);
        }
    }

    /// Makes the index from the states.
    #[inline(never)]
    fn index_anew(&mut self, entries: u64, numbers: u64) {
        let TreeStore { hash, index, trees, holes, .. } = self;
        index.anew(entries, numbers.min(MOST_NUMBERS));
        let mut buffer = Vec::new();
        let mut some: Vec<(u32, u32)> = Vec::with_capacity(TOGETHER);
        let add = |index: &mut Index, some: &mut Vec<(u32, u32)>| {
            some.drain(..).for_each(|(hash, number)| index.add(hash, number));
        };
        for number in taken(holes, trees.count()) {
            trees.read(number, &mut buffer);
            let hash = hash.hash(&buffer);
            index.prefetch(hash);
            some.push((hash, number));
            if some.len() == TOGETHER {
                add(index, &mut some);
            }
        }
        add(index, &mut some);
    }

    /// Looks at some states, and cuts all of them as is best for these.
    #[cold]
    fn cut_anew(&mut self) {
        let TreeStore { trees, holes, .. } = self;
        let count = trees.count();
        self.cut_at = count.saturating_mul(CUT_AGAIN);
        let longest = trees.places.last().copied().unwrap_or(0);
        let step = count.div_ceil(cuts::samples(longest)).max(1);
        let samples: Vec<Vec<u8>> = taken(holes, count)
            .step_by(step)
            .map(|number| {
                let mut state = Vec::new();
                trees.read(number, &mut state);
                state
            })
            .collect();
        let Some(places) = cuts::better(&trees.places, &samples, count as u64) else { return };
        let mut before = std::mem::replace(trees, Trees::new(places));
        let mut state = Vec::new();
        let mut next = 0;
        for number in taken(holes, count) {
            (next..number).for_each(|_| trees.push_hole());
            before.read(number, &mut state);
            trees.push(&Sliced::new(&state));
            next = number + 1;
            if (next as usize).is_multiple_of(BLOCK) {
                before.roots.forget_before(next);
            }
        }
        (next as usize..count).for_each(|_| trees.push_hole());
    }

    /// Inserts states, and writes what was found of each into `room`.
    #[inline(always)]
    fn insert_into<'r, A: Answer>(&mut self, batch: impl Batch, room: &'r mut Vec<A>) -> &'r [A] {
        let all = batch.entries().len();
        if room.len() < all {
            room.resize(all, A::of(Inserted::Known(StateId(0))));
        }
        let found = &mut room[..all];
        if all <= TOGETHER {
            self.insert_together(batch, found);
        } else {
            self.insert_many(batch, found);
        }
        found
    }

    #[cold]
    fn insert_many(&mut self, batch: impl Batch, found: &mut [impl Answer]) {
        for (first, found) in (0..found.len()).step_by(TOGETHER).zip(found.chunks_mut(TOGETHER)) {
            self.insert_together(batch.part(first..first + found.len()), found);
        }
    }

    #[inline(always)]
    fn insert_together(&mut self, batch: impl Batch, found: &mut [impl Answer]) {
        self.make_room_for(found.len());
        match self.index.form() {
            0 => self.insert_in::<0>(batch, found),
            1 => self.insert_in::<1>(batch, found),
            2 => self.insert_in::<2>(batch, found),
            3 => self.insert_in::<3>(batch, found),
            _ => self.insert_in::<4>(batch, found),
        }
    }

    /// First the index is asked for lines, then for the roots of those that are probably the same, and only
    /// then is anything compared. There is room for all: nothing gets a root meanwhile.
    #[inline(never)]
    fn insert_in<const FORM: usize>(&mut self, batch: impl Batch, found: &mut [impl Answer]) {
        let TreeStore { hash, index, trees, .. } = self;
        let closed = &Closed { columns: &trees.columns, roots: &trees.roots };
        let (open, first_open) = (&mut trees.open, trees.roots.count() as u32);
        let mut sought = Together::<Sought, TOGETHER>::new();
        let sought = sought.map(batch.entries(), |entry| {
            debug_assert_eq!(hash.sum(batch.state(entry)), batch.sum(entry), "another sum");
            index.begin(hash.finish(batch.sum(entry)))
        });
        let mut seen = Together::<(Probe, Option<Word>), TOGETHER>::new();
        let seen = seen.map(sought, |sought| {
            let probe = index.probe::<FORM>(sought);
            let word = match probe {
                Probe::Likely(number) if number < first_open => closed.roots.word(number),
                _ => None,
            };
            (probe, word)
        });
        for ((entry, &(probe, word)), found) in batch.entries().iter().zip(seen).zip(found) {
            let state = &Sliced::new(batch.state(entry));
            let is_same = |number: u32| match number.checked_sub(first_open) {
                Some(at) => open.is(at as usize, state),
                None => closed.is(number, word, state),
            };
            let inserted = match probe {
                Probe::Likely(number) if is_same(number) => Inserted::Known(StateId(number)),
                Probe::Vacant { .. } => {
                    let next = first_open + open.len() as u32;
                    if index.put_where_vacant::<FORM>(probe, next) {
                        open.push(state);
                        Inserted::New(StateId(next))
                    } else {
                        insert_closely(index, closed, open, hash.finish(batch.sum(entry)), state.state())
                    }
                }
                _ => insert_closely(index, closed, open, hash.finish(batch.sum(entry)), state.state()),
            };
            *found = Answer::of(inserted);
        }
    }
}

/// Inserts a state of which a first look has not told enough.
#[cold]
fn insert_closely(index: &mut Index, closed: &Closed, open: &mut Open, hash: u32, state: &[u8]) -> Inserted {
    let state = &Sliced::new(state);
    let first_open = closed.roots.count();
    let is_same = |number: u32| match (number as usize).checked_sub(first_open) {
        Some(at) => open.is(at, state),
        None => closed.is(number, closed.roots.word(number), state),
    };
    match index.find(hash, is_same) {
        Ok(number) => Inserted::Known(StateId(number)),
        Err(place) => {
            let number = (first_open + open.len()) as u32;
            open.push(state);
            index.put(place, hash, number);
            Inserted::New(StateId(number))
        }
    }
}

impl<H: StateHash> VisitedSet for TreeStore<H> {
    fn visit(&mut self, state: &[u8]) -> bool {
        bool::of(self.insert(state))
    }

    fn visit_all<'r>(&mut self, batch: impl Batch, room: &'r mut Vec<bool>) -> &'r [bool] {
        self.insert_into(batch, room)
    }

    fn contains(&self, state: &[u8]) -> bool {
        let sliced = Sliced::new(state);
        self.index.find(self.hash.hash(state), |number| self.trees.is(number, &sliced)).is_ok()
    }

    #[inline]
    fn prefetch_all(&mut self, batch: impl Batch) {
        for entry in batch.entries() {
            self.index.prefetch(self.hash.finish(batch.sum(entry)));
        }
    }

    fn clear(&mut self) {
        (self.index, self.trees) = (Index::new(), Trees::new(Vec::new()));
        (self.holes, self.cut_at, self.at_ease_until) = (Vec::new(), FIRST_CUT, 0);
    }

    fn len(&self) -> u64 {
        self.index.len()
    }

    fn is_full(&self) -> bool {
        self.numbers() as u64 + SPARE_NUMBERS >= MOST_NUMBERS
    }

    fn states_bytes(&self) -> u64 {
        self.trees.roots.bytes() + self.trees.open.bytes()
    }

    fn auxiliary_bytes(&self) -> u64 {
        let Trees { roots, open, .. } = &self.trees;
        self.index.bytes() + self.trees.columns_bytes() + roots.auxiliary_bytes() + open.auxiliary_bytes()
    }

    fn load(&self) -> Option<u16> {
        Some((self.len() * 1000 / self.index.entries()) as u16)
    }

    fn upcoming_bytes(&self) -> u64 {
        let is_soon = |now: u64, then: u64| now * 100 >= then * 97;
        let mut bytes = 0;
        if is_soon(self.len(), self.index.comfortable()) {
            bytes += self.index.growth_bytes(self.step());
        }
        if is_soon(self.numbers() as u64, self.cut_at as u64) {
            bytes += self.trees.columns_bytes() + self.trees.roots.bytes().min(roots::MOST_SLAB_BYTES);
        }
        bytes + self.trees.columns.iter().map(Column::upcoming_bytes).sum::<u64>()
    }
}

impl<H: StateHash> StateStore for TreeStore<H> {
    fn insert(&mut self, state: &[u8]) -> Inserted {
        let sum = self.hash.sum(state);
        let mut found = [Inserted::Known(StateId(0))];
        self.insert_together(&[(state, sum)][..], &mut found);
        found[0]
    }

    #[inline(always)]
    fn insert_all<'r>(&mut self, batch: impl Batch, room: &'r mut Vec<Inserted>) -> &'r [Inserted] {
        self.insert_into(batch, room)
    }

    #[inline]
    fn read(&self, id: StateId, buffer: &mut Vec<u8>) {
        self.trees.read(id.0, buffer);
    }

    #[inline]
    fn bytes_of<'s>(&'s self, id: StateId, buffer: &'s mut Vec<u8>) -> &'s [u8] {
        self.trees.open(id.0).unwrap_or_else(|| {
            self.trees.read(id.0, buffer);
            buffer
        })
    }

    #[inline]
    fn prefetch(&self, id: StateId) {
        self.trees.roots.prefetch(id.0);
    }

    fn for_each_state(&self, mut each: impl FnMut(StateId, &[u8])) {
        let mut buffer = Vec::new();
        for number in taken(&self.holes, self.numbers()) {
            self.trees.read(number, &mut buffer);
            each(StateId(number), &buffer);
        }
    }
}
