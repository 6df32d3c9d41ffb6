//! Remembered steps: what a process did before in the same surroundings, it does again.
//!
//! A process at a location looks at few pieces of a state: its own, and those of the globals and channels in
//! its footprint ([`crate::footprint`]). If these have the same numbers as before, the process does the same
//! as before, whatever the rest of the state is. So what it did is kept ([`super::effects`]) under the bytes
//! of its footprint. A search meets the same bytes again and again beside different other ones; in most
//! states, most processes need not be unpacked, executed or packed.
//!
//! Two tables lead from a state to the effect of a process:
//!
//! ```text
//! shape, process, number of the piece with its location  →  footprint mask: the bytes that it looks at
//! footprint mask, these bytes                            →  effect
//! ```
//!
//! An entry of the first may also be "not known yet" or "never remember". The second is a hash table with one
//! entry in each line: a new entry replaces the old one. A process that is hardly ever found there is no
//! longer looked up. Effects of different surroundings are often the same, word for word, and are kept once:
//! a process that waits changes nothing, and one that moves on mostly changes its own piece only. (Measured:
//! 30 to 75 per cent of the memory is saved, and nothing is slower.)
//!
//! Remembered steps belong to one worker. They are a cache: a search is right without them. A worker that
//! comes later begins with a copy of what the first one remembers, and then goes on for itself. If workers
//! shared them, every lookup would have to be safe against a line that is just being written, and the
//! statistics (how often something was found) would lie in cache lines that all workers write. That costs
//! more than to learn what is new once for each worker.
//!
//! This file is how steps are learnt; how they are found again is in [`super::recall`].

use super::Packer;
use super::capacity::Capacity;
use super::effects::{add_effect, add_end};
use super::last_state::LastState;
use super::plan::Plan;
use super::process_end::ProcessEnd;
use super::recall::{LaneMemory, MOST_MASKS, MOST_PROCESSES, hash_of, key, line_words, seed_of};
use crate::process_set::ProcessSet;
use crate::successors::{Entry, LANES};
use std::ops::Range;

/// Of the lookups of a trial, one in so many must have found something.
const WORTHWHILE: u64 = 3;

/// Places for beginnings of effects, and one that has none.
const BEGINS: usize = 1 << 12;
const NOWHERE: u32 = u32::MAX;

/// What is remembered.
#[derive(Debug)]
pub struct RememberedSteps {
    capacity: Capacity,
    pub(super) shapes: Vec<Option<ShapeMemory>>,
    pub(super) tables: Tables,
    /// How often something was learnt since the table has its size.
    learnt: u32,
    /// Bytes that the table and the effects may take at present.
    budgets: (u64, u64),
    /// Bytes of the numbers of masks that processes have ([`ProcessMemory`]), of all shapes.
    numbers_bytes: u64,
    /// Words of a mask.
    pub(super) stride: usize,
    /// Where effects begin, by their hash: one in each place. (Those of different surroundings are often the
    /// same.)
    begins: Box<[u32]>,
    /// It is known who takes part.
    knows_participants: bool,
}

/// What steps are looked up in.
#[derive(Debug, Default)]
pub struct Tables {
    /// A record for each footprint mask; the first is none, as masks are counted from one. First the words of
    /// the mask, then the bits of the places under it and of the piece that it was found by; the cells that
    /// the process looks at or changes ([`Plan::cells_in`]); what hashes under this mask begin with; and how
    /// often nothing was found by it, in the upper half of a word, and how often something was, in the lower.
    pub records: Vec<u64>,
    /// Lines: the bytes under a mask; a word with the number of the mask, counted from one, in its upper half
    /// and an [`Outline`] of the effect in the lower; and the cells that the effect changes.
    pub table: Table,
    pub table_bits: u32,
    /// What steps do, one behind the other ([`super::effects`]).
    pub effects: Vec<u64>,
    /// Of all processes and steps that were learnt, the greatest number of successors.
    pub most_successors: usize,
}

/// Words of a record behind those of the mask.
pub const FACTS: usize = 4;

/// Words of a record for states of so many, and nothing where it would lie across a boundary of the cache's
/// lines for little.
pub const fn record_words(stride: usize) -> usize {
    match stride {
        2 => 8,
        _ => stride + FACTS,
    }
}

impl Tables {
    /// The record of a mask.
    fn record<const N: usize>(&mut self, footprint: usize) -> (&mut [u64; N], &mut [u64; FACTS]) {
        let record = &mut self.records[footprint * record_words(N)..][..N + FACTS];
        let (mask, facts) = record.split_first_chunk_mut().expect("a record has a mask");
        (mask, facts.first_chunk_mut().expect("and so much behind it"))
    }

    /// How many masks there are, and the first, which is none.
    fn masks<const N: usize>(&self) -> usize {
        self.records.len() / record_words(N)
    }

    /// By a mask so much was found and not found. (If the first becomes too many, it counts for one of the
    /// others.)
    pub fn count<const N: usize>(&mut self, footprint: usize, found: u64, missed: u64) {
        let [.., counts] = self.record::<N>(footprint).1;
        *counts = counts.wrapping_add(found).wrapping_add(missed << 32);
    }

    /// The line of a key.
    fn line_mut<const N: usize>(&mut self, key: &[u64; N], footprint: u32) -> &mut [u64] {
        let line = hash_of(key, seed_of(footprint)) as usize & ((1 << self.table_bits) - 1);
        &mut self.table.lines_mut()[line * line_words(N)..][..line_words(N)]
    }
}

/// Lines of words, which begin where a line of the processor's cache does.
#[derive(Debug, Default)]
pub struct Table {
    words: Vec<u64>,
    first: usize,
}

/// Bytes of a line of the processor's cache.
const CACHE_LINE: usize = 64;

impl Table {
    fn new(length: usize) -> Table {
        let words = vec![0u64; length + CACHE_LINE / 8];
        // If nobody can tell where lines begin, they begin anywhere.
        let first = words.as_ptr().align_offset(CACHE_LINE).min(CACHE_LINE / 8);
        Table { words, first }
    }

    fn copy(&self) -> Table {
        let Some(length) = self.words.len().checked_sub(CACHE_LINE / 8) else { return Table::default() };
        let mut copy = Table::new(length);
        copy.lines_mut()[..length].copy_from_slice(&self.lines()[..length]);
        copy
    }

    #[inline(always)]
    pub fn lines(&self) -> &[u64] {
        &self.words[self.first..]
    }

    fn lines_mut(&mut self) -> &mut [u64] {
        &mut self.words[self.first..]
    }
}

/// What is told of an effect without a look at it: where it begins, how many successors the process has, and
/// whether it moves, or ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outline(pub u32);

impl Outline {
    const EFFECT_BITS: u32 = 20;
    const COUNT_BITS: u32 = 9;

    /// `None` if there is too much of something.
    pub(super) fn new(effect: usize, count: usize, moves: bool, ends: bool) -> Option<Outline> {
        let fits = effect >> Outline::EFFECT_BITS == 0 && count >> Outline::COUNT_BITS == 0;
        let leads = count > 0;
        let flags = (leads as u32) << 31 | ((moves != leads) as u32) << 30 | (ends as u32) << 29;
        fits.then_some(Outline(effect as u32 | (count as u32) << Outline::EFFECT_BITS | flags))
    }

    #[inline(always)]
    pub fn effect(self) -> u32 {
        self.0 & ((1 << Outline::EFFECT_BITS) - 1)
    }

    #[inline(always)]
    pub fn count(self) -> u32 {
        self.0 >> Outline::EFFECT_BITS & ((1 << Outline::COUNT_BITS) - 1)
    }

    /// Whether there are successors.
    #[inline(always)]
    pub fn leads(self) -> bool {
        self.0 >> 31 != 0
    }

    #[inline(always)]
    pub fn moves(self) -> bool {
        self.leads() != (self.0 >> 30 & 1 != 0)
    }

    #[inline(always)]
    pub fn ends(self) -> bool {
        self.0 >> 29 & 1 != 0
    }

    /// Whether it ends, or moves and has no successor, or has some and does not move; of several, put
    /// together bit by bit, whether one of them does.
    #[inline(always)]
    pub fn is_odd(self) -> bool {
        self.0 >> 29 & 3 != 0
    }
}

/// What is known about a shape.
#[derive(Debug)]
pub struct ShapeMemory {
    /// Bytes of its states when this was learnt. With more places, other masks are needed.
    pub width: usize,
    pub processes: Box<[ProcessMemory]>,
    /// For each process: all of its masks.
    own_footprints: Box<[Vec<u32>]>,
    /// For each process: how it ends, if it was seen to.
    pub ends: Box<[Option<ProcessEnd>]>,
    /// For each lane in which a search takes states.
    pub lanes: [LaneMemory; LANES],
}

impl ShapeMemory {
    /// Bytes of the numbers of masks that its processes have.
    fn numbers_bytes(&self) -> u64 {
        let numbers: usize = self.processes.iter().map(|memory| memory.footprints.capacity()).sum();
        (numbers * size_of::<u32>()) as u64
    }

    /// Without what is known about last states.
    fn copy(&self) -> ShapeMemory {
        let ShapeMemory { width, processes, own_footprints, ends, .. } = self;
        let lanes = std::array::from_fn(|_| LaneMemory::new(processes.len()));
        let (processes, own_footprints) = (processes.clone(), own_footprints.clone());
        ShapeMemory { width: *width, processes, own_footprints, ends: ends.clone(), lanes }
    }
}

/// What is known about a process of a shape.
#[derive(Clone, Debug)]
pub struct ProcessMemory {
    /// By the number of the piece with its location: the number of a mask, counted from one; [`UNKNOWN`], or
    /// [`NEVER`].
    footprints: Vec<u32>,
    /// The piece with its location.
    piece: u32,
    /// Where the two lowest bytes of its number lie.
    lowest: u8,
    second: u8,
}

/// In the place of a place: there is no such byte, and it counts as 0. No place has this number.
const NO_BYTE: u8 = u8::MAX;

/// Nothing is known about a process in such a place.
const UNKNOWN: u32 = u32::MAX - 1;
/// A process that is never remembered in such a place.
const NEVER: u32 = u32::MAX;

/// What [`Packer::recall`] comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recalled {
    /// All processes are done.
    Everything,
    /// This process must be executed.
    Not(Missing),
}

/// A process about which not everything is known, and what should be remembered of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Missing {
    process: u32,
    pub(super) lesson: Lesson,
}

impl Missing {
    /// A process that is never remembered.
    pub(super) fn not_to_be_learnt(pid: usize) -> Missing {
        Missing::new(pid, Lesson::Nothing)
    }

    pub(super) fn new(pid: usize, lesson: Lesson) -> Missing {
        Missing { process: pid as u32, lesson }
    }

    /// The number of the process.
    #[inline]
    pub fn pid(self) -> usize {
        self.process as usize
    }
}

/// What is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lesson {
    /// Nothing: it is never remembered.
    Nothing,
    /// Which bytes the process looks at, or what it does.
    Step,
}

impl Default for RememberedSteps {
    fn default() -> Self {
        RememberedSteps::new(Capacity::STANDARD)
    }
}

impl RememberedSteps {
    /// Nothing is remembered yet, and later no more than this.
    pub fn new(capacity: Capacity) -> RememberedSteps {
        RememberedSteps {
            capacity,
            shapes: Vec::new(),
            // The table is made when something is to be remembered.
            tables: Tables { table_bits: capacity.table_bits.0, ..Tables::default() },
            learnt: 0,
            budgets: capacity.budgets(0),
            numbers_bytes: 0,
            stride: 0,
            begins: Box::default(),
            knows_participants: false,
        }
    }

    /// Forgets everything.
    pub fn forget(&mut self) {
        let knows_participants = self.knows_participants;
        *self = RememberedSteps { knows_participants, ..RememberedSteps::new(self.capacity) };
    }

    /// The same for another worker of the same search, who has not taken a state yet.
    pub fn copy(&self) -> RememberedSteps {
        let shapes: Vec<_> = self.shapes.iter().map(|shape| shape.as_ref().map(ShapeMemory::copy)).collect();
        RememberedSteps {
            numbers_bytes: shapes.iter().flatten().map(ShapeMemory::numbers_bytes).sum(),
            shapes,
            tables: Tables {
                records: self.tables.records.clone(),
                table: self.tables.table.copy(),
                table_bits: self.tables.table_bits,
                effects: self.tables.effects.clone(),
                most_successors: self.tables.most_successors,
            },
            begins: self.begins.clone(),
            ..*self
        }
    }

    /// Forgets everything; and of each step that is learnt, it is known from now on who takes part in it.
    pub fn forget_and_know_participants(&mut self) {
        self.knows_participants = true;
        self.forget();
    }

    /// Whether it is known who takes part. If not, whoever asks for it must begin anew.
    pub fn know_participants(&self) -> bool {
        self.knows_participants
    }

    /// Bytes of it all.
    pub fn bytes(&self) -> u64 {
        let Tables { records, table, effects, .. } = &self.tables;
        let words = table.words.capacity() + records.capacity() + effects.capacity();
        (words * 8 + self.begins.len() * 4) as u64 + self.numbers_bytes
    }

    /// Forgets what processes do, but not what they look at.
    fn forget_effects(&mut self) {
        self.tables.effects.clear();
        self.begins.fill(NOWHERE);
        self.tables.table.lines_mut().fill(0);
        self.shapes.iter_mut().flatten().flat_map(|shape| &mut shape.lanes).for_each(LaneMemory::forget);
    }

    /// Forgets everything. States have so many words from now on.
    fn begin_anew(&mut self, stride: usize) {
        self.forget();
        self.stride = stride;
        self.tables.table = Table::new(line_words(stride) << self.tables.table_bits);
        self.tables.records = vec![0; record_words(stride)];
        self.begins = vec![NOWHERE; BEGINS].into();
    }

    /// By how many bits the table may grow: it becomes four times as long, or twice, within what is allowed.
    fn more_bits(&self) -> u32 {
        let (bits, most) = (self.tables.table_bits, self.capacity.table_bits.1);
        let fits = |bits: u32| (line_words(self.stride) * 8) as u64 <= self.budgets.0 >> bits;
        (1..=2).rev().find(|more| bits + more <= most && fits(bits + more)).unwrap_or(0)
    }

    /// A table that is longer by so many bits, with what is in this one.
    #[cold]
    fn grow<const N: usize>(&mut self, more: u32) {
        self.tables.table_bits += more;
        self.learnt = 0;
        let table = Table::new(line_words(N) << self.tables.table_bits);
        let old = std::mem::replace(&mut self.tables.table, table);
        for line in old.lines().chunks_exact(line_words(N)).filter(|line| line[N] != 0) {
            if let Some(key) = line.first_chunk::<N>() {
                self.tables.line_mut(key, (line[N] >> 32) as u32).copy_from_slice(line);
            }
        }
    }
}

impl Recalled {
    #[inline(always)]
    pub(super) fn of(missing: Option<Missing>) -> Recalled {
        missing.map_or(Recalled::Everything, Recalled::Not)
    }
}

impl ProcessMemory {
    /// The number of the footprint mask of the process in a state, given as bytes; `None`, [`UNKNOWN`] or
    /// [`NEVER`] if there is none.
    #[inline(always)]
    pub fn footprint_of<const N: usize>(&self, bytes: &[[u8; 8]; N]) -> Option<u32> {
        self.footprints.get(self.number(bytes)).copied()
    }

    /// The same; or what is missing.
    pub fn lesson<const N: usize>(&self, bytes: &[[u8; 8]; N]) -> Result<u32, Lesson> {
        match self.footprint_of(bytes).unwrap_or(UNKNOWN) {
            NEVER => Err(Lesson::Nothing),
            UNKNOWN => Err(Lesson::Step),
            footprint => Ok(footprint),
        }
    }

    /// The two lowest bytes of the number of the piece with its location, by which its mask is found.
    #[inline(always)]
    fn number<const N: usize>(&self, bytes: &[[u8; 8]; N]) -> usize {
        // (States of the greatest stride have a byte in the place that is none: a zero.)
        let byte = |place: u8| bytes.as_flattened().get(place as usize).map_or(0, |byte| *byte as usize);
        let number = byte(self.lowest);
        if self.second == NO_BYTE { number } else { number | byte(self.second) << 8 }
    }
}

impl RememberedSteps {
    /// Makes ready to remember steps from states of the shape that the last state has.
    #[cold]
    pub(super) fn make_ready(&mut self, tag_size: usize, last: &LastState) {
        if self.stride != last.words.len() {
            self.begin_anew(last.words.len());
        }
        let Some(plan) = &last.plan else { return };
        let shape = plan.shape as usize;
        if shape >= self.capacity.shapes
            || plan.pieces.is_empty()
            || plan.processes.len() > MOST_PROCESSES
            || !last.is_followed()
        {
            return;
        }
        if self.shapes.len() <= shape {
            self.shapes.resize_with(shape + 1, || None);
        }
        let memory = |frame: &Range<usize>| {
            let location = frame.start + tag_size;
            let piece = plan.pieces_in(&(location..location + 1)).next();
            // A type with one location needs no bits for it: then any piece of its own will do, or any at
            // all.
            let piece = piece.or_else(|| plan.pieces_in(frame).next()).unwrap_or(0);
            let mut places = plan.places.of_piece(piece).map(|place| place as u8);
            let (lowest, second) = (places.next().unwrap_or(NO_BYTE), places.next().unwrap_or(NO_BYTE));
            ProcessMemory { footprints: Vec::new(), piece: piece as u32, lowest, second }
        };
        assert!(plan.places.width() <= NO_BYTE as usize, "places of states that are followed are few");
        let processes: Box<[ProcessMemory]> = plan.processes.iter().map(memory).collect();
        let own_footprints = processes.iter().map(|_| Vec::new()).collect();
        let ends = processes.iter().map(|_| None).collect();
        let lanes = std::array::from_fn(|_| LaneMemory::new(processes.len()));
        let width = plan.places.width();
        let before =
            self.shapes[shape].replace(ShapeMemory { width, processes, own_footprints, ends, lanes });
        self.numbers_bytes -= before.map_or(0, |before| before.numbers_bytes());
    }
}

impl Packer {
    /// Remembers what a process has done from the state with which [`Packer::begin`] began: its successors,
    /// as they are stored, and which bytes of the working state they change, if that is known. `footprint` is
    /// asked for if it is not known what the process looks at; it is given
    /// whether the process's own variables all lie in one piece. `participants` are those who take part, for
    /// each successor; none if `steps` do not know them.
    #[inline]
    #[allow(clippy::too_many_arguments)]
    pub fn remember(
        &mut self,
        steps: &mut RememberedSteps,
        missing: Missing,
        footprint: impl FnOnce(bool) -> Option<Vec<Range<usize>>>,
        packed: &[u8],
        entries: &[Entry],
        changed: Option<&[usize]>,
        participants: &[ProcessSet],
        moved: bool,
    ) {
        let expected = if steps.knows_participants { entries.len() } else { 0 };
        assert_eq!(participants.len(), expected, "who takes part must be known of all steps or of none");
        if missing.lesson == Lesson::Nothing {
            return;
        }
        steps.budgets = steps.capacity.budgets(self.counts.unpacked());
        let mut footprint = Some(footprint);
        let mut see = |own_known| footprint.take().and_then(|footprint| footprint(own_known));
        let done = Done { pid: missing.pid(), packed, entries, changed, participants, moved };
        let learnt = learn_any(steps, self.last(), done, &mut see, false);
        let Learnt::AnotherShape(shape) = learnt else { return };
        // Perhaps the process has ended.
        let end = self.process_end(missing.pid(), shape);
        let last = self.last();
        let memory = last.plan.as_ref().and_then(|plan| steps.shapes.get_mut(plan.shape as usize));
        if let Some(Some(memory)) = memory
            && memory.ends[missing.pid()].is_none()
        {
            // If one is there already it stays: effects refer to it.
            memory.ends[missing.pid()] = end;
        }
        learn_any(steps, last, done, &mut see, true);
    }
}

/// What comes of learning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Learnt {
    Done,
    /// There is one successor, which has another shape, and it is not known how the process ends there.
    AnotherShape(u32),
}

/// What a process has done: its successors, as they are stored.
#[derive(Clone, Copy)]
pub struct Done<'a> {
    pub pid: usize,
    pub packed: &'a [u8],
    pub entries: &'a [Entry],
    /// The bytes of the working state that one of these has changed; `None` if that may be all of them.
    pub changed: Option<&'a [usize]>,
    /// For each of these, who takes part; or nothing, if that is not to be known.
    pub participants: &'a [ProcessSet],
    pub moved: bool,
}

impl Done<'_> {
    /// The cells that change.
    pub fn changes(&self, plan: &Plan) -> u64 {
        let cells =
            |bytes: &[usize]| bytes.iter().fold(0, |all, &byte| all | plan.cells_in(&(byte..byte + 1)));
        self.changed.map_or(u64::MAX, cells)
    }

    /// As far as it is known, nobody else takes part.
    pub fn is_alone(&self) -> bool {
        self.participants.iter().all(|set| *set == ProcessSet::of(self.pid as u16))
    }

    /// The only successor, if it has another shape than the state had.
    fn in_another_shape(&self, plan: &Plan) -> Option<&[u8]> {
        let [entry] = self.entries else { return None };
        let state = &self.packed[entry.start as usize..entry.end as usize];
        (self.moved && plan.places.heads().shape_of(state) != plan.shape).then_some(state)
    }
}

fn learn_any(
    steps: &mut RememberedSteps,
    last: &LastState,
    done: Done,
    footprint: &mut dyn FnMut(bool) -> Option<Vec<Range<usize>>>,
    for_good: bool,
) -> Learnt {
    match steps.stride {
        stride if stride != last.words.len() => Learnt::Done,
        2 => learn::<2>(steps, last, done, footprint, for_good),
        4 => learn::<4>(steps, last, done, footprint, for_good),
        6 => learn::<6>(steps, last, done, footprint, for_good),
        8 => learn::<8>(steps, last, done, footprint, for_good),
        16 => learn::<16>(steps, last, done, footprint, for_good),
        32 => learn::<32>(steps, last, done, footprint, for_good),
        _ => Learnt::Done,
    }
}

/// The last effect, which begins at a place: if there was the same before, it is taken away again. Where it
/// begins now.
fn once(effects: &mut Vec<u64>, begins: &mut [u32], last: usize) -> usize {
    let hash = effects[last..]
        .iter()
        .fold(0u64, |hash, word| (hash.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let Some(begin) = begins.get_mut((hash >> (u64::BITS - BEGINS.ilog2())) as usize) else { return last };
    let (before, new) = effects.split_at(last);
    // An effect tells how long it is: what begins in the same way is the same.
    if before.get(*begin as usize..).is_some_and(|there| there.starts_with(new)) {
        effects.truncate(last);
        return *begin as usize;
    }
    *begin = last as u32;
    last
}

fn learn<const N: usize>(
    steps: &mut RememberedSteps,
    last: &LastState,
    done: Done,
    footprint: &mut dyn FnMut(bool) -> Option<Vec<Range<usize>>>,
    for_good: bool,
) -> Learnt {
    let (Some(plan), Some(words)) = (last.plan.as_deref(), last.words.first_chunk::<N>()) else {
        return Learnt::Done;
    };
    let RememberedSteps { capacity, shapes, tables, begins, numbers_bytes, .. } = steps;
    let Some(Some(shape)) = shapes.get_mut(plan.shape as usize) else { return Learnt::Done };
    let pid = done.pid;
    if shape.width != plan.places.width() {
        // A place was given out just now; the shape will be learnt again.
        return Learnt::Done;
    }
    let memory = &mut shape.processes[pid];
    let number = memory.number(&words.map(u64::to_le_bytes));
    let piece = memory.piece as usize;
    if plan.places.number(piece, |place| last.byte(place)) as usize != number {
        // Numbers with more bytes are not remembered.
        return Learnt::Done;
    }
    if memory.footprints.len() <= number {
        let before = memory.footprints.capacity();
        memory.footprints.resize(number + 1, UNKNOWN);
        *numbers_bytes += ((memory.footprints.capacity() - before) * size_of::<u32>()) as u64;
    }
    if memory.footprints[number] == UNKNOWN {
        let own: Vec<usize> = plan.pieces_in(&plan.processes[pid]).collect();
        memory.footprints[number] = footprint(own.len() == 1).map_or(NEVER, |ranges| {
            let mut mask = [0; N];
            let (mut places, mut reads) = (0, 0);
            let mut see = |piece: usize, bits: u8| {
                for place in plan.places.of_piece(piece) {
                    mask[place / 8] |= (bits as u64) << (place % 8 * 8);
                    places |= last.bit(place);
                }
            };
            for range in ranges.iter().chain([&plan.processes[pid]]) {
                plan.pieces_in(range).for_each(|piece| see(piece, plan.bits_in(piece, range)));
                reads |= plan.cells_in(range);
            }
            // All of it has led here, whatever else is in it.
            see(piece, 0xff);
            let is_same = |footprint: &&u32| {
                let (known, facts) = tables.record::<N>(**footprint as usize);
                *known == mask && facts[1] == reads
            };
            if let Some(footprint) = shape.own_footprints[pid].iter().find(is_same) {
                return *footprint;
            }
            let footprint = tables.masks::<N>() as u32;
            tables.records.extend(mask);
            tables.records.extend([places, reads, seed_of(footprint), 0]);
            tables.records.resize((footprint as usize + 1) * record_words(N), 0);
            shape.own_footprints[pid].push(footprint);
            footprint
        });
    }
    let footprint = memory.footprints[number];
    if footprint == NEVER {
        return Learnt::Done;
    }
    let (&mut mask, [.., counts]) = tables.record::<N>(footprint as usize);
    let (missed, found) = (*counts >> 32, *counts as u32 as u64);
    let lookups = missed + found;
    if lookups >= capacity.trial as u64 {
        if found < lookups / WORTHWHILE {
            memory.footprints[number] = NEVER;
            return Learnt::Done;
        }
        *counts = 0;
    }
    let key = key(words, &mask);
    let effects = &mut tables.effects;
    let effect = effects.len();
    let more = 2 + done.entries.len() * (N + 2);
    if effects.capacity() - effect < more {
        // In steps that are small beside what is there already.
        effects.reserve_exact(more.max(effect / 4));
    }
    let mut ends = false;
    if let Some(state) = done.in_another_shape(plan) {
        let leads_there = |end: &ProcessEnd| {
            let (after, length) = end.of(words);
            after.as_flattened()[..length] == *state
        };
        if done.is_alone() && shape.ends[pid].as_ref().is_some_and(leads_there) {
            add_end(effects);
            ends = true;
        } else {
            if for_good {
                memory.footprints[number] = NEVER;
            }
            return Learnt::AnotherShape(plan.places.heads().shape_of(state));
        }
    } else if !add_effect(effects, last, &mask, done) {
        memory.footprints[number] = NEVER;
        return Learnt::Done;
    }
    let outline = |effect| Outline::new(effect, done.entries.len(), done.moved, ends);
    if outline(effect).is_none() {
        effects.truncate(effect);
        memory.footprints[number] = NEVER;
        return Learnt::Done;
    }
    let effect = once(effects, begins, effect);
    let Some(outline) = outline(effect) else { return Learnt::Done };
    let changes = effects[effect + 1];
    tables.most_successors = tables.most_successors.max(done.entries.len());
    let line = tables.line_mut(&key, footprint);
    line[..N].copy_from_slice(&key);
    line[N] = (footprint as u64) << 32 | outline.0 as u64;
    line[N + 1] = changes;
    steps.learnt += 1;
    if steps.learnt >> steps.tables.table_bits > 0 {
        match steps.more_bits() {
            0 => {}
            more => steps.grow::<N>(more),
        }
    }
    if steps.tables.masks::<N>() > (steps.capacity.masks + 1).min(MOST_MASKS - 1) {
        // Which no state has.
        steps.stride = 0;
    }
    if steps.tables.effects.len() > steps.capacity.effects.min((steps.budgets.1 / 8) as usize) {
        steps.forget_effects();
    }
    Learnt::Done
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packing::recall::FollowAll;
    use crate::{Interpreter, SuccessorFunction, Successors};

    const TEXT: &str = r#"lariat-ir 1
model "m"
globals size 1 hidden 0
  var "x" byte g0.u8
process p0 "P" start 1 size 0 parameters 0
  statement 0 ""
  location 0
  location 1
    -> 1 #0 set g0.u8 = g0.u8 + 1
start p0 priority 1
"#;

    #[test]
    fn outlines_tell_what_they_were_told() {
        for (effect, count) in [(0, 0), (1, 1), (77, 3), ((1 << 20) - 1, 511), (0, 511), ((1 << 20) - 1, 0)] {
            for (moves, ends) in [(false, false), (true, false), (false, true), (true, true)] {
                let outline = Outline::new(effect, count, moves, ends).unwrap();
                assert_eq!((outline.effect() as usize, outline.count() as usize), (effect, count));
                assert_eq!((outline.leads(), outline.moves(), outline.ends()), (count > 0, moves, ends));
                assert_eq!(outline.is_odd(), ends || moves != (count > 0));
            }
        }
        // What does not fit is not remembered.
        assert_eq!(Outline::new(1 << 20, 0, true, false), None);
        assert_eq!(Outline::new(0, 1 << 9, true, false), None);
    }

    /// Effects that are shared are the same, word for word; and what comes again soon is there once.
    #[test]
    fn the_same_effect_is_kept_once() {
        let mut seed = 5u64;
        let mut random = |below: u64| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) % below
        };
        for different in [3, 200, 1 << 30] {
            let (mut effects, mut begins) = (Vec::new(), vec![NOWHERE; BEGINS]);
            let mut known: Vec<(usize, Vec<u64>)> = Vec::new();
            for _ in 0..5000 {
                // As many successors as the header says, of a word each and their sums.
                let successors = random(3);
                let mut effect = vec![successors << 1, random(2)];
                effect.extend((0..2 * successors).map(|_| random(different)));
                let last = effects.len();
                effects.extend(&effect);
                let begin = once(&mut effects, &mut begins, last);
                assert!(begin == last || effects.len() == last);
                known.push((begin, effect));
            }
            for (begin, effect) in &known {
                assert_eq!(effects[*begin..begin + effect.len()], effect[..]);
            }
            let words: usize = known.iter().map(|(_, effect)| effect.len()).sum();
            assert!(different > 3 || effects.len() * 4 < words, "{} of {words}", effects.len());
        }
    }

    /// What is remembered stays within what a state may cost, and does so from the beginning.
    #[test]
    fn budgets_follow_the_states() {
        let thrifty = Capacity::THRIFTY;
        assert_eq!(Capacity::STANDARD.budgets(0), (u64::MAX, u64::MAX));
        assert_eq!(thrifty.budgets(0), thrifty.budgets(1 << 20));
        assert_eq!(thrifty.budgets(1 << 22), (1 << 22, 1 << 21));
        for (states, bits) in [(0, 15), (1 << 21, 16), (u64::MAX >> 20, 16)] {
            let mut steps = RememberedSteps::new(thrifty);
            steps.begin_anew(2);
            steps.budgets = thrifty.budgets(states);
            while steps.more_bits() > 0 {
                steps.grow::<2>(steps.more_bits());
                assert!(steps.tables.table.lines().len() as u64 * 8 <= steps.budgets.0 + CACHE_LINE as u64);
            }
            assert_eq!(steps.tables.table_bits, bits, "{states}");
        }
    }

    #[test]
    fn lines_do_not_lie_across_those_of_the_cache() {
        for length in [0, 4, 8, 1 << 12] {
            let table = Table::new(length);
            assert!(table.lines().len() >= length);
            assert!(table.lines().as_ptr().addr().is_multiple_of(CACHE_LINE));
        }
        for key in [2, 4, 6] {
            assert!(key + 2 <= line_words(key) && (CACHE_LINE / 8).is_multiple_of(line_words(key)));
        }
        assert!([8, 16, 32].into_iter().all(|key| key + 2 <= line_words(key)));
    }

    /// What is kept of a process is not used when the effects that it names are forgotten, nor when others
    /// have begun with other states meanwhile.
    #[test]
    fn what_is_kept_is_given_up_in_time() {
        let model = lariat_model::text::parse(TEXT).unwrap_or_else(|error| panic!("{error}"));
        let interpreter = Interpreter::new(&model);
        let next = |state: &[u8]| {
            let mut out = Successors::new();
            interpreter.successors(state, &mut out);
            out
        };
        let recalled = |state: &[u8], steps: &mut RememberedSteps| {
            let mut out = Successors::new();
            let begun = interpreter.packer().begin(state, &mut FollowAll, steps, &mut out).unwrap();
            match begun.recalled {
                Recalled::Everything => Ok(out.state(0).to_vec()),
                Recalled::Not(missing) => Err(missing),
            }
        };
        let learn = |state: &[u8], steps: &mut RememberedSteps| {
            let missing = recalled(state, steps).unwrap_err();
            let mut out = next(state);
            let (bytes, entries, _) = out.parts_mut();
            let footprint = |_| Some(std::iter::once(0..1).collect());
            interpreter.packer().remember(steps, missing, footprint, bytes, entries, None, &[], true);
        };
        let first = interpreter.initial_state().unwrap();
        let second = next(&first).state(0).to_vec();
        let third = next(&second).state(0).to_vec();
        let (mut steps, mut others) = (RememberedSteps::default(), RememberedSteps::default());
        learn(&first, &mut steps);
        learn(&second, &mut steps);
        for (state, successor) in [(&first, &second), (&first, &second), (&second, &third), (&first, &second)]
        {
            assert_eq!(recalled(state, &mut steps).as_ref(), Ok(successor));
        }
        // The others see the second state; for the first steps, it is new.
        assert!(recalled(&second, &mut others).is_err());
        assert_eq!(recalled(&second, &mut steps).as_ref(), Ok(&third));
        steps.forget_effects();
        assert!(recalled(&second, &mut steps).is_err());
        learn(&second, &mut steps);
        assert_eq!(recalled(&second, &mut steps).as_ref(), Ok(&third));
    }
}
