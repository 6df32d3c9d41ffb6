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
use super::recall::{LaneMemory, MOST_PROCESSES, key, line_words, place_of};
use crate::process_set::ProcessSet;
use crate::successors::{Entry, LANES};
use std::ops::Range;

/// Numbers beyond these are not remembered.
const MOST_NUMBERS: usize = 1 << 16;
/// Of the lookups of a trial, one in so many must have found something.
const WORTHWHILE: u32 = 3;

/// Places for beginnings of effects, and one that has none.
const BEGINS: usize = 1 << 12;
const NOWHERE: u32 = u32::MAX;

/// What is remembered.
#[derive(Debug)]
pub struct RememberedSteps {
    capacity: Capacity,
    pub(super) shapes: Vec<Option<ShapeMemory>>,
    pub(super) footprints: Vec<FootprintMask>,
    /// The words of these masks, one mask behind the other. Behind each, the bits of the places under it and
    /// of the piece that it was found by, and the cells that the process looks at or changes
    /// ([`Plan::cells_in`]).
    pub(super) masks: Vec<u64>,
    /// Lines: the bytes under a mask; a word with the number of the mask, counted from one, in its upper half
    /// and an [`Outline`] of the effect in the lower; and the cells that the effect changes.
    pub(super) table: Table,
    pub(super) table_bits: u32,
    /// How often something was learnt since the table has its size.
    learnt: u32,
    /// Bytes that the table and the effects may take at present.
    budgets: (u64, u64),
    /// Words of a mask.
    pub(super) stride: usize,
    /// What steps do, one behind the other ([`super::effects`]).
    pub(super) effects: Vec<u64>,
    /// Where effects begin, by their hash: one in each place. (Those of different surroundings are often the
    /// same.)
    begins: Box<[u32]>,
    /// It is known who takes part.
    knows_participants: bool,
}

/// Words of a mask for states of so many, with what stands behind it.
pub const fn mask_words(stride: usize) -> usize {
    stride + 2
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
        let flags = ((count > 0) as u32) << 29 | (moves as u32) << 30 | (ends as u32) << 31;
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
        self.0 >> 29 & 1 != 0
    }

    #[inline(always)]
    pub fn moves(self) -> bool {
        self.0 >> 30 & 1 != 0
    }

    #[inline(always)]
    pub fn ends(self) -> bool {
        self.0 >> 31 != 0
    }
}

/// What is known about a shape.
#[derive(Debug)]
pub struct ShapeMemory {
    /// Bytes of its states when this was learnt. With more places, other masks are needed.
    pub width: usize,
    pub processes: Box<[ProcessMemory]>,
    /// For each process: how it ends, if it was seen to.
    pub ends: Box<[Option<ProcessEnd>]>,
    /// For each lane in which a search takes states.
    pub lanes: [LaneMemory; LANES],
}

impl ShapeMemory {
    /// Without what is known about last states.
    fn copy(&self) -> ShapeMemory {
        let ShapeMemory { width, processes, ends, .. } = self;
        let lanes = std::array::from_fn(|_| LaneMemory::new(processes.len()));
        ShapeMemory { width: *width, processes: processes.clone(), ends: ends.clone(), lanes }
    }
}

/// What is known about a process of a shape.
#[derive(Clone, Debug, Default)]
pub struct ProcessMemory {
    /// The piece with its location, and the two lowest bytes of its number.
    piece: usize,
    bytes: [ByteAt; 2],
    /// By that number: 0 if nothing is known, [`NEVER`], or the number of a mask, counted from one.
    footprints: Vec<u32>,
    /// All of these masks.
    own_footprints: Vec<u32>,
}

/// Where a byte of a state lies in its words; or none, which is always 0.
#[derive(Clone, Copy, Debug, Default)]
struct ByteAt {
    word: u32,
    shift: u8,
    mask: u8,
}

impl ByteAt {
    fn new(place: usize) -> ByteAt {
        ByteAt { word: place as u32 / 8, shift: (place % 8 * 8) as u8, mask: 0xff }
    }

    #[inline(always)]
    fn of<const N: usize>(self, words: &[u64; N]) -> u64 {
        words[self.word as usize % N] >> (self.shift & 63) & self.mask as u64
    }
}

/// A process that is never remembered in such a place.
const NEVER: u32 = u32::MAX;

/// What became of lookups by a mask; the mask itself is kept elsewhere, as words.
#[derive(Clone, Debug)]
pub struct FootprintMask {
    /// How often nothing was found by it, and how often something was.
    pub missed: u32,
    pub found: u32,
}

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
            footprints: Vec::new(),
            masks: Vec::new(),
            // Made when something is to be remembered.
            table: Table::default(),
            table_bits: capacity.table_bits.0,
            learnt: 0,
            budgets: capacity.budgets(0),
            stride: 0,
            effects: Vec::new(),
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
        RememberedSteps {
            shapes: self.shapes.iter().map(|shape| shape.as_ref().map(ShapeMemory::copy)).collect(),
            footprints: self.footprints.clone(),
            masks: self.masks.clone(),
            table: self.table.copy(),
            effects: self.effects.clone(),
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
        let memories = self.shapes.iter().flatten().flat_map(|shape| &shape.processes);
        let numbers: usize = memories.map(|memory| memory.footprints.capacity()).sum();
        let words = self.table.words.capacity() + self.masks.capacity() + self.effects.capacity();
        (words * 8
            + (numbers + self.begins.len()) * 4
            + self.footprints.capacity() * size_of::<FootprintMask>()) as u64
    }

    /// Forgets what processes do, but not what they look at.
    fn forget_effects(&mut self) {
        self.effects.clear();
        self.begins.fill(NOWHERE);
        self.table.lines_mut().fill(0);
        self.shapes.iter_mut().flatten().flat_map(|shape| &mut shape.lanes).for_each(LaneMemory::forget);
    }

    /// Forgets everything. States have so many words from now on.
    fn begin_anew(&mut self, stride: usize) {
        self.forget();
        self.stride = stride;
        self.table = Table::new(line_words(stride) << self.table_bits);
        self.begins = vec![NOWHERE; BEGINS].into();
    }

    /// By how many bits the table may grow: it becomes four times as long, or twice, within what is allowed.
    fn more_bits(&self) -> u32 {
        let most = self.capacity.table_bits.1;
        let fits = |bits: u32| (line_words(self.stride) * 8) as u64 <= self.budgets.0 >> bits;
        (1..=2).rev().find(|more| self.table_bits + more <= most && fits(self.table_bits + more)).unwrap_or(0)
    }

    /// A table that is longer by so many bits, with what is in this one.
    #[cold]
    fn grow<const N: usize>(&mut self, more: u32) {
        self.table_bits += more;
        self.learnt = 0;
        let old = std::mem::replace(&mut self.table, Table::new(line_words(N) << self.table_bits));
        for line in old.lines().chunks_exact(line_words(N)).filter(|line| line[N] != 0) {
            if let Some(key) = line.first_chunk::<N>() {
                let place = place_of(key, (line[N] >> 32) as u32, self.table_bits);
                self.table.lines_mut()[place..place + line.len()].copy_from_slice(line);
            }
        }
    }
}

impl Recalled {
    pub(super) fn of(missing: Option<Missing>) -> Recalled {
        missing.map_or(Recalled::Everything, Recalled::Not)
    }
}

impl ProcessMemory {
    /// The number of the footprint mask of the process in a state, counted from one; 0 or [`NEVER`] if there
    /// is none.
    #[inline(always)]
    pub fn footprint_of<const N: usize>(&self, words: &[u64; N]) -> u32 {
        self.footprints.get(self.number(words)).copied().unwrap_or(0)
    }

    /// The same; or what is missing.
    pub fn lesson<const N: usize>(&self, words: &[u64; N]) -> Result<u32, Lesson> {
        match self.footprint_of(words) {
            NEVER => Err(Lesson::Nothing),
            0 if self.number(words) < MOST_NUMBERS => Err(Lesson::Step),
            0 => Err(Lesson::Nothing),
            footprint => Ok(footprint),
        }
    }

    /// The number of the piece with its location, by which its mask is found.
    #[inline(always)]
    fn number<const N: usize>(&self, words: &[u64; N]) -> usize {
        let [lowest, second] = self.bytes;
        (lowest.of(words) | second.of(words) << 8) as usize
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
            let mut bytes = plan.places.of_piece(piece).map(ByteAt::new);
            let bytes = [bytes.next().unwrap_or_default(), bytes.next().unwrap_or_default()];
            ProcessMemory { piece, bytes, ..ProcessMemory::default() }
        };
        let processes: Box<[ProcessMemory]> = plan.processes.iter().map(memory).collect();
        let ends = processes.iter().map(|_| None).collect();
        let lanes = std::array::from_fn(|_| LaneMemory::new(processes.len()));
        let width = plan.places.width();
        self.shapes[shape] = Some(ShapeMemory { width, processes, ends, lanes });
    }
}

impl Packer {
    /// Remembers what a process has done from the state with which [`Packer::begin`] began: its successors,
    /// as they are stored. `footprint` is asked for if it is not known what the process looks at; it is given
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
        let done = Done { pid: missing.pid(), packed, entries, participants, moved };
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
    /// For each of these, who takes part; or nothing, if that is not to be known.
    pub participants: &'a [ProcessSet],
    pub moved: bool,
}

impl Done<'_> {
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
    let RememberedSteps { capacity, shapes, footprints, masks, table, table_bits, effects, begins, .. } =
        steps;
    let Some(Some(shape)) = shapes.get_mut(plan.shape as usize) else { return Learnt::Done };
    let pid = done.pid;
    if shape.width != plan.places.width() {
        // A place was given out just now; the shape will be learnt again.
        return Learnt::Done;
    }
    let memory = &mut shape.processes[pid];
    let number = memory.number(words);
    if plan.places.number(memory.piece, |place| last.byte(place)) as usize != number {
        return Learnt::Done;
    }
    if memory.footprints.len() <= number {
        memory.footprints.resize(number + 1, 0);
    }
    if memory.footprints[number] == 0 {
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
            see(memory.piece, 0xff);
            let is_same = |footprint: &&u32| {
                let record = &masks[(**footprint as usize - 1) * mask_words(N)..][..mask_words(N)];
                record[..N] == mask && record[N + 1] == reads
            };
            if let Some(footprint) = memory.own_footprints.iter().find(is_same) {
                return *footprint;
            }
            masks.extend(mask);
            masks.extend([places, reads]);
            footprints.push(FootprintMask { missed: 0, found: 0 });
            memory.own_footprints.push(footprints.len() as u32);
            footprints.len() as u32
        });
    }
    let footprint = memory.footprints[number];
    if footprint == NEVER {
        return Learnt::Done;
    }
    let facts = &mut footprints[footprint as usize - 1];
    let lookups = facts.missed.saturating_add(facts.found);
    if lookups >= capacity.trial {
        if facts.found < lookups / WORTHWHILE {
            memory.footprints[number] = NEVER;
            return Learnt::Done;
        }
        (facts.missed, facts.found) = (0, 0);
    }
    let mask = &masks[(footprint as usize - 1) * mask_words(N)..];
    let Some(mask) = mask.first_chunk() else { return Learnt::Done };
    let key = key(words, mask);
    let line = place_of(&key, footprint, *table_bits);
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
    } else if !add_effect(effects, last, mask, done) {
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
    let line = &mut table.lines_mut()[line..line + N + 2];
    line[..N].copy_from_slice(&key);
    line[N] = (footprint as u64) << 32 | outline.0 as u64;
    line[N + 1] = effects[effect + 1];
    steps.learnt += 1;
    if steps.learnt >> steps.table_bits > 0 {
        match steps.more_bits() {
            0 => {}
            more => steps.grow::<N>(more),
        }
    }
    if steps.footprints.len() > steps.capacity.masks {
        // Which no state has.
        steps.stride = 0;
    }
    if steps.effects.len() > steps.capacity.effects.min((steps.budgets.1 / 8) as usize) {
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
                assert!(steps.table.lines().len() as u64 * 8 <= steps.budgets.0 + CACHE_LINE as u64);
            }
            assert_eq!(steps.table_bits, bits, "{states}");
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
            interpreter.packer().remember(steps, missing, footprint, bytes, entries, &[], true);
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
