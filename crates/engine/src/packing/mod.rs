//! States as they are stored: numbers of pieces.
//!
//! While a model runs, every scalar has bytes of its own in a *working state*, where code finds it easily. A
//! search stores millions of states and reads each of them once, so what it stores is short. Two things make
//! it short. Only significant bits are kept: one of a `bool`, as many of a location as the process type
//! needs. And these bits are cut into *pieces*, mostly one for each process and channel ([`plan`]). A model
//! has millions of states, but a process or a channel is in one of some dozens or hundreds. So every value of
//! a piece gets a number when it first appears, and a stored state is a list of numbers: one byte each for
//! the first 256 ([`places`]), and the hidden bytes behind them. Pieces of a few bits are their own numbers,
//! and so are, from some time on, those that are different in nearly every state ([`pieces`]).
//!
//! The *shape* of a state is the list of its frames. Shapes are numbered too; the initial one has number 0.
//!
//! Numbers are given out once for a whole search, in tables that all of its workers share ([`shared`]). A
//! [`Packer`] belongs to one worker: it has a copy of the tables as far as the worker knows them ([`pieces`],
//! [`shapes`]), the states that were read last, and what else is needed from one call to the next. Outside of
//! the search, numbers mean nothing; for files and other machines there is another form ([`portable`]).
//!
//! The successors of a state are like it but for a few variables. So the state that was read last is kept
//! ([`last_state`]), a successor is compared with it word by word, and only pieces that have bits in words
//! that differ are looked up. A state of another shape (a process has come or gone, on top of the others) has
//! its lower frames in common with it: of these, too, only pieces that differ are looked up.
//!
//! Rejected: only the significant bits, without numbers (two to six times the bytes on models with many
//! processes or channels, a little less on one whose states are very short, and not faster); numbers for
//! pairs of words of the packed state, and for pairs of pairs, up to one word for the whole state ("tree
//! compression": up to 40 % less memory on some models, up to 60 % more on others, and a search took 1.3 to
//! 2.3 times as long); numbers of one or more bytes each, one behind the other (what follows moves when a
//! number gets longer, so nothing can be compared or changed where it lies).

mod bits;
mod capacity;
pub(crate) mod commuting;
mod effects;
mod groups;
mod last_state;
mod near;
mod pieces;
mod places;
mod plan;
mod portable;
mod process_end;
mod recall;
mod remembered;
mod shapes;
mod shared;
mod spans;

use crate::layout::Layout;
use crate::successors::{Entry, LANES, Successors};
use bits::Gathers;
pub use capacity::Capacity;
use lariat_model::ir::Model;
use lariat_store::{StateHash, WeightedSums};
pub use last_state::SLACK;
use last_state::{EVERYTHING, LastState, LastStates};
use near::{Batch, pack_near};
use pieces::Pieces;
use places::NoPlace;
use plan::{Plan, SignificantBits};
pub use portable::{NotPortable, portable_hash};
use process_end::{ProcessEnd, pieces_in_common, remaining_pieces};
pub use recall::{Begun, Chooser, FollowAll, Since};
pub use remembered::{Missing, Recalled, RememberedSteps};
use rustc_hash::FxHashMap;
use shapes::Shapes;
use shared::SharedTables;
pub use shared::{Closing, Counts};
use std::ops::Range;
use std::sync::Arc;

/// Packs and unpacks states for one worker. A clone is for another worker of the same search: it has the same
/// numbers, and everything else of its own.
#[derive(Debug)]
pub struct Packer {
    shared: Arc<SharedTables>,
    significant: Arc<SignificantBits>,
    globals_size: usize,
    hidden_size: usize,
    gathers: Gathers,
    /// What this worker knows of the shared tables.
    shapes: Shapes,
    pieces: Pieces,
    /// For the tags of one state.
    tags: Vec<u16>,
    /// For a stored state of another shape.
    another: Vec<u64>,
    /// What follows the states of a shape, in other shapes: those that were met lately, at the front.
    neighbours: FxHashMap<Step, Vec<Neighbour>>,
    /// The state that was unpacked last, for each lane in which a search takes states; and the present lane.
    last_states: [LastStates; LANES],
    lane: usize,
    /// How often somebody has begun with a state, to recall steps.
    begun: u64,
    counts: Arc<Counts>,
}

impl Clone for Packer {
    fn clone(&self) -> Packer {
        Packer::on_tables(self.shared.clone(), self.significant.clone(), self.globals_size, self.hidden_size)
    }
}

/// From a shape, to states of so many bytes.
type Step = (u32, usize);

/// A shape that such states have had, and how many pieces at its beginning are pieces of the state before as
/// well ([`pieces_in_common`]).
#[derive(Clone, Copy, Debug)]
struct Neighbour {
    shape: u32,
    in_common: usize,
}

/// Of so many shapes and lengths neighbours are known at a time, and of each of them so many.
const MOST_NEIGHBOURS: usize = 1 << 14;
const MOST_OF_A_LENGTH: usize = 8;

/// Eight bytes of a working state.
#[inline]
fn word_at(bytes: &[u8], offset: u32) -> u64 {
    let at = offset as usize;
    bytes.get(at..at + 8).and_then(|word| word.first_chunk()).map_or(0, |word| u64::from_le_bytes(*word))
}

impl Packer {
    /// Looks at the types of everything that a state holds.
    pub fn new(model: &Model, layout: &Layout) -> Packer {
        let significant = Arc::new(SignificantBits::new(model, layout));
        Packer::on_tables(Arc::default(), significant, layout.globals_size, layout.hidden_size)
    }

    fn on_tables(
        shared: Arc<SharedTables>,
        significant: Arc<SignificantBits>,
        globals_size: usize,
        hidden_size: usize,
    ) -> Packer {
        Packer {
            shapes: Shapes::new(shared.clone(), significant.clone()),
            pieces: Pieces::new(shared.clone()),
            counts: shared.add_worker(),
            shared,
            significant,
            globals_size,
            hidden_size,
            gathers: Gathers::here(),
            tags: Vec::new(),
            another: Vec::new(),
            neighbours: FxHashMap::default(),
            last_states: Default::default(),
            lane: 0,
            begun: 0,
        }
    }

    /// Does without the instructions that gather and scatter bits. For tests.
    pub fn gather_by_loops(&mut self) {
        self.gathers = Gathers::ByLoop;
    }

    /// When values are numbered no more; before there are many.
    pub fn close_lists(&self, closing: Closing) {
        self.shared.close(closing);
    }

    /// Tells the tables without which stored states mean nothing, as numbers.
    pub fn tell_tables(&self, each: &mut dyn FnMut(u64)) {
        self.shared.tell(each);
    }

    /// Takes over tables that were told, before there are others. `None` if they are not those of the model.
    pub fn take_over_tables(&self, next: &mut dyn FnMut() -> Option<u64>) -> Option<()> {
        self.shared.take_over(next)
    }

    /// The tags of the frames.
    fn tags_of(&self, working: &[u8], tags: &mut Vec<u16>) -> Option<()> {
        let SignificantBits { front, frames, tag_size, .. } = &*self.significant;
        tags.clear();
        let mut at = front.len();
        while at < working.len() {
            let tag = match tag_size {
                1 => working[at] as u16,
                _ => u16::from_le_bytes([working[at], *working.get(at + 1)?]),
            };
            at += frames.get(tag as usize)?.len();
            tags.push(tag);
        }
        Some(())
    }

    /// Gives a higher byte of a shape a place: it has another plan from now on.
    #[cold]
    fn add_place(&mut self, shape: u32, NoPlace(higher): NoPlace) -> Arc<Plan> {
        let plan = self.shapes.add_place(shape, higher);
        self.last_states.iter_mut().for_each(|last_states| last_states.take_plan(&plan));
        plan
    }

    /// The plan by which a packed state of a shape can be read. If the state is too long for the one that is
    /// known, another worker has given out more places.
    fn plan_to_read(&mut self, shape: u32, packed: &[u8]) -> Arc<Plan> {
        let plan = self.shapes.plan(shape);
        if packed.len() <= plan.places.width() {
            return plan;
        }
        let plan = self.shapes.renewed_plan(shape);
        assert!(packed.len() <= plan.places.width(), "a state of another search");
        self.last_states.iter_mut().for_each(|last_states| last_states.take_plan(&plan));
        plan
    }

    /// How states change when a process ends: from the shape of the last state to another one.
    #[cold]
    fn process_end(&mut self, pid: usize, shape: u32) -> Option<ProcessEnd> {
        let before = self.last().plan.clone()?;
        let mut after = self.shapes.plan(shape);
        if after.length != before.processes[pid].start {
            return None;
        }
        let pieces = remaining_pieces(&before, &after)?;
        // Whatever has a place before gets one afterwards.
        for (to, &from) in pieces.iter().enumerate() {
            let count = before.places.of_piece(from).count();
            while after.places.of_piece(to).count() < count {
                let next = after.places.of_piece(to).count() as u8;
                after = self.add_place(shape, NoPlace((to as u32, next)));
            }
        }
        ProcessEnd::new(&before, &after, &pieces, self.last().words.len() * 8)
    }

    /// Packs states that lie in `working`, and says where they lie in `out`.
    #[inline]
    pub fn pack_all(&mut self, working: &[u8], entries: &mut [Entry], out: &mut Vec<u8>) {
        out.clear();
        let done = self.pack_some(working, entries, out);
        if done < entries.len() {
            self.pack_others(working, &mut entries[done..], out);
        }
    }

    /// Packs states that are near the last one, up to the first that is not. How many.
    #[inline]
    fn pack_some(&mut self, working: &[u8], entries: &mut [Entry], out: &mut Vec<u8>) -> usize {
        let Packer { last_states, lane, pieces, gathers, globals_size, hidden_size, .. } = self;
        let batch = Batch { working, entries, out, hidden: *globals_size, hidden_size: *hidden_size };
        pack_near(&last_states[*lane].current, pieces, *gathers, batch)
    }

    /// Packs states the first of which is not near the last one.
    #[inline(never)]
    fn pack_others(&mut self, working: &[u8], entries: &mut [Entry], out: &mut Vec<u8>) {
        let mut rest = entries;
        while let Some((other, after)) = rest.split_first_mut() {
            self.pack_other(working, other, out);
            let done = self.pack_some(working, after, out);
            rest = &mut after[done..];
        }
    }

    /// Packs a state that is not near the last one: it has another shape, or a place is missing.
    #[inline(never)]
    fn pack_other(&mut self, working: &[u8], entry: &mut Entry, out: &mut Vec<u8>) {
        let (hidden, hidden_size) = (self.globals_size, self.hidden_size);
        let Packer { last_states, lane, pieces, gathers, .. } = self;
        let last_states = &last_states[*lane];
        let length = (entry.end - entry.start) as usize;
        if let Some(resting) = last_states.guess(length).and_then(|shape| last_states.resting(shape)) {
            let entries = std::slice::from_mut(entry);
            let batch = Batch { working, entries, out, hidden, hidden_size };
            if pack_near(resting, pieces, *gathers, batch) == 1 {
                return;
            }
        }
        let start = out.len();
        self.pack(&working[entry.start as usize..entry.end as usize], out);
        let packed = &out[start..out.len() - self.hidden_size];
        entry.sum = WeightedSums.sum(packed);
        (entry.start, entry.end) = (start as u32, out.len() as u32);
        let shape = self.significant.heads.shape_of(packed);
        if self.last().plan.as_ref().is_some_and(|plan| plan.shape != shape) {
            self.last_states[self.lane].learn_guess(length, shape);
        }
    }

    /// Appends the packed form of a working state.
    pub fn pack(&mut self, working: &[u8], out: &mut Vec<u8>) {
        self.pack_another(working, out);
        if self.hidden_size > 0 {
            out.extend_from_slice(&working[self.globals_size..self.globals_size + self.hidden_size]);
        }
    }

    /// A state of any shape.
    fn pack_another(&mut self, working: &[u8], out: &mut Vec<u8>) {
        let mut short = [0; 8];
        let padded = match working.len() {
            0..8 => {
                short[..working.len()].copy_from_slice(working);
                &short
            }
            _ => working,
        };
        let step = (self.complete_plan().map_or(u32::MAX, |plan| plan.shape), working.len());
        let (mut plan, in_common) = match self.known_neighbour(step, padded) {
            Some(known) => known,
            None => {
                let plan = self.plan_of(working);
                // It would be another state when it is read again.
                assert!(plan.fits(working.len(), padded), "a variable has more bits than it can have");
                let in_common = self.complete_plan().map_or(0, |before| pieces_in_common(before, &plan));
                if self.neighbours.len() >= MOST_NEIGHBOURS {
                    self.neighbours.clear();
                }
                let known = self.neighbours.entry(step).or_default();
                known.truncate(MOST_OF_A_LENGTH - 1);
                known.insert(0, Neighbour { shape: plan.shape, in_common });
                (plan, in_common)
            }
        };
        let (shape, working) = (plan.shape, padded);
        loop {
            let Packer { last_states, lane, pieces, another: state, .. } = self;
            state.resize(plan.places.width().div_ceil(8), 0);
            let known = (&*last_states[*lane].current, in_common);
            let written = match self.gathers {
                #[cfg(target_arch = "x86_64")]
                // SAFETY: the processor has the instructions, or this would be `ByLoop`.
                Gathers::ByInstruction => unsafe {
                    instruction::write_pieces(pieces, &plan, known, working, state)
                },
                Gathers::ByLoop => {
                    write_pieces(pieces, &plan, known, working, state, bits::gather, bits::scatter)
                }
            };
            if let Err(no_place) = written {
                plan = self.add_place(shape, no_place);
                continue;
            }
            let start = out.len();
            out.resize(start + 8 * state.len(), 0);
            for (bytes, word) in out[start..].as_chunks_mut().0.iter_mut().zip(state) {
                *bytes = word.to_le_bytes();
            }
            let length = plan.places.length(&out[start..]);
            return out.truncate(start + length);
        }
    }

    /// The shape of a working state, if states of this length have had it after the last state, and what that
    /// has in common with it.
    fn known_neighbour(&mut self, step: Step, padded: &[u8]) -> Option<(Arc<Plan>, usize)> {
        let Packer { neighbours, shapes, .. } = self;
        let known = neighbours.get_mut(&step)?;
        for at in 0..known.len() {
            let Neighbour { shape, in_common } = known[at];
            let plan = shapes.plan(shape);
            if plan.fits(step.1, padded) {
                known[..=at].rotate_right(1);
                return Some((plan, in_common));
            }
        }
        None
    }

    /// The plan of the last state, if the values of its pieces are known.
    fn complete_plan(&self) -> Option<&Plan> {
        self.last().plan.as_deref().filter(|_| self.last().is_complete())
    }

    /// The plan for the shape of a working state.
    fn plan_of(&mut self, working: &[u8]) -> Arc<Plan> {
        let mut tags = std::mem::take(&mut self.tags);
        self.tags_of(working, &mut tags).expect("a state is made of whole frames");
        let shape = self.shapes.number(&tags);
        self.tags = tags;
        self.shapes.plan(shape)
    }

    /// Goes on to a stored state: from now on it is the last one. Its values are worked out later.
    #[inline]
    fn parse(&mut self, stored: &[u8]) {
        let packed = &stored[..stored.len() - self.hidden_size];
        if !self.last_mut().move_near(packed) {
            self.parse_another(packed);
        }
        self.count_unpacked();
    }

    /// The same for a state of another shape than the one before, perhaps.
    #[inline(never)]
    fn parse_another(&mut self, packed: &[u8]) {
        let shape = self.significant.heads.shape_of(packed);
        if self.last().plan.as_ref().is_some_and(|plan| plan.shape != shape) {
            self.last_states[self.lane].choose(shape);
            if self.last_mut().move_near(packed) {
                return;
            }
        }
        let plan = self.plan_to_read(shape, packed);
        self.last_mut().move_to(packed, plan);
    }

    /// Replaces `working` by the state that a packed one stands for. The number of its shape.
    #[inline]
    pub fn unpack(&mut self, stored: &[u8], working: &mut Vec<u8>) -> u32 {
        self.parse(stored);
        self.complete(stored, working);
        self.last().plan.as_ref().map_or(0, |plan| plan.shape)
    }

    /// The state with which [`Packer::begin`] began.
    #[inline]
    pub fn unpack_begun(&mut self, stored: &[u8], working: &mut Vec<u8>) {
        self.complete(stored, working);
    }

    /// Unpacks a state to where it stays until the next one is read in its lane, without a copy: the number
    /// of its shape, and the working state. Behind its end so many bytes may be read as [`SLACK`] says.
    #[inline]
    pub fn unpack_in_place(&mut self, stored: &[u8]) -> (u32, &[u8]) {
        let packed = &stored[..stored.len() - self.hidden_size];
        if !self.unpack_near(packed) {
            self.unpack_another(packed);
        }
        let Packer { last_states, lane, counts, globals_size, hidden_size, .. } = self;
        let LastState { plan: Some(plan), working, .. } = &mut *last_states[*lane].current else {
            return (0, &[]);
        };
        counts.count_unpacked(plan.bits);
        if *hidden_size > 0 {
            let hidden = *globals_size..*globals_size + *hidden_size;
            working[hidden].copy_from_slice(&stored[packed.len()..]);
        }
        (plan.shape, &working[..plan.length])
    }

    /// The same for a state of another shape than the one before, perhaps.
    #[inline(never)]
    fn unpack_another(&mut self, packed: &[u8]) {
        let shape = self.significant.heads.shape_of(packed);
        if self.last().plan.as_ref().is_some_and(|plan| plan.shape != shape) {
            self.last_states[self.lane].choose(shape);
            if self.unpack_near(packed) {
                return;
            }
        }
        let plan = self.plan_to_read(shape, packed);
        self.last_mut().move_to(packed, plan);
        self.bring_up_to_date();
    }

    #[inline]
    fn unpack_near(&mut self, packed: &[u8]) -> bool {
        match self.gathers {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the processor has the instructions, or this would be `ByLoop`.
            Gathers::ByInstruction => unsafe { instruction::unpack_near(self, packed) },
            Gathers::ByLoop => unpack_near_by_loops(self, packed),
        }
    }

    #[inline]
    fn bring_up_to_date(&mut self) {
        match self.gathers {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the processor has the instructions, or this would be `ByLoop`.
            Gathers::ByInstruction => unsafe { instruction::bring_up_to_date(self) },
            Gathers::ByLoop => bring_up_to_date(self, bits::gather, bits::scatter),
        }
    }

    #[inline]
    fn complete(&mut self, stored: &[u8], working: &mut Vec<u8>) {
        self.bring_up_to_date();
        let LastState { plan: Some(plan), working: known, .. } = self.last() else {
            return;
        };
        working.clear();
        working.extend_from_slice(&known[..plan.length]);
        if self.hidden_size > 0 {
            let hidden = &stored[stored.len() - self.hidden_size..];
            working[self.globals_size..self.globals_size + self.hidden_size].copy_from_slice(hidden);
        }
    }

    /// Lets somebody look at the numbers of the pieces of a packed state.
    #[inline]
    pub fn numbers_in<T>(&mut self, stored: &[u8], look: impl FnOnce(Numbers) -> T) -> T {
        let packed = &stored[..stored.len() - self.hidden_size];
        if !self.last_mut().move_near(packed) {
            self.parse_another(packed);
        }
        look(Numbers(self.last()))
    }

    /// Bytes of all tables.
    pub fn bytes(&self) -> u64 {
        self.shared.bytes() + self.pieces.bytes()
    }

    /// How many bits are significant in a state, on the mean of those that all workers have unpacked.
    pub fn mean_bits(&self) -> f64 {
        self.shared.mean_bits()
    }

    /// Where states are counted that this worker unpacks ([`Packer::mean_bits`]).
    pub fn counts(&self) -> Arc<Counts> {
        self.counts.clone()
    }

    /// Goes on with the last state of a lane, which has at least so many words.
    #[inline]
    fn enter_lane(&mut self, lane: usize, stride: usize) {
        self.lane = lane;
        if self.last().words.len() < stride {
            self.last_mut().widen(stride);
        }
    }

    /// From now on states are read in a lane of the search, and compared with the last one there.
    #[inline]
    pub fn take_lane(&mut self, out: &Successors) {
        self.lane = out.lane;
    }

    #[inline]
    fn count_unpacked(&self) {
        self.counts.count_unpacked(self.last().plan.as_ref().map_or(0, |plan| plan.bits));
    }

    #[inline]
    fn last(&self) -> &LastState {
        &self.last_states[self.lane].current
    }

    #[inline]
    fn last_mut(&mut self) -> &mut LastState {
        &mut self.last_states[self.lane].current
    }
}

/// The numbers of the pieces of a state.
pub struct Numbers<'a>(&'a LastState);

impl Numbers<'_> {
    /// The number of its shape.
    pub fn shape(&self) -> u32 {
        self.0.plan.as_ref().map_or(0, |plan| plan.shape)
    }

    /// The pieces, by number, that have bits in some bytes of the working state.
    pub fn pieces_in(&self, ranges: &[Range<usize>]) -> Box<[usize]> {
        let Some(plan) = self.0.plan.as_deref() else { return Box::default() };
        let mut pieces: Vec<usize> = ranges.iter().flat_map(|range| plan.pieces_in(range)).collect();
        pieces.sort_unstable();
        pieces.dedup();
        pieces.into_boxed_slice()
    }

    /// How many bytes states of this shape have at most, and how many words are compared. With others, pieces
    /// have other places.
    #[inline]
    pub fn extent(&self) -> (usize, usize) {
        (self.0.plan.as_ref().map_or(0, |plan| plan.places.width()), self.0.words.len())
    }

    /// The places of a piece, as [`Since`] tells of changes.
    pub fn places_of(&self, piece: usize) -> u64 {
        let Some(plan) = self.0.plan.as_deref() else { return EVERYTHING };
        plan.places.of_piece(piece).fold(0, |bits, place| bits | self.0.bit(place))
    }

    /// The number of a piece.
    #[inline]
    pub fn of(&self, piece: usize) -> u64 {
        self.0.plan.as_ref().map_or(0, |plan| plan.places.number(piece, |place| self.0.byte(place)))
    }
}

/// The values and the working state of the last state, from its numbers.
#[inline(always)]
fn bring_up_to_date(
    packer: &mut Packer,
    gather: impl Fn(u64, u64) -> u64,
    scatter: impl Fn(u64, u64) -> u64,
) {
    let Packer { last_states, lane, pieces, .. } = packer;
    let current = &mut last_states[*lane].current;
    current.bring_up_to_date(|kind, number| pieces.value(kind, number), gather, scatter);
}

/// Goes on to a state of the same shape, and unpacks it. Whether it has that shape.
#[inline(always)]
fn unpack_near(
    packer: &mut Packer,
    packed: &[u8],
    gather: impl Fn(u64, u64) -> u64,
    scatter: impl Fn(u64, u64) -> u64,
) -> bool {
    let Packer { last_states, lane, pieces, .. } = packer;
    let current = &mut last_states[*lane].current;
    current.unpack_near(packed, |kind, number| pieces.value(kind, number), gather, scatter)
}

#[inline(never)]
fn unpack_near_by_loops(packer: &mut Packer, packed: &[u8]) -> bool {
    unpack_near(packer, packed, bits::gather, bits::scatter)
}

/// Writes the numbers of all pieces of a working state. So many of the first ones are pieces of a known state
/// as well: where they have the same value there, they have the same number.
#[inline(always)]
fn write_pieces(
    pieces: &mut Pieces,
    plan: &Plan,
    (known, in_common): (&LastState, usize),
    working: &[u8],
    state: &mut [u64],
    gather: impl Fn(u64, u64) -> u64,
    scatter: impl Fn(u64, u64) -> u64,
) -> Result<(), NoPlace> {
    state.fill(0);
    if let Some(first) = state.first_mut() {
        *first = plan.places.head_word;
    }
    for span in &plan.spans {
        let bits = gather(word_at(working, span.offset), span.mask);
        state[span.stored_word as usize] |= scatter(bits, span.stored_mask);
    }
    for (position, numbered) in plan.numbered.iter().enumerate() {
        let piece = &numbered.piece;
        let first = gather(word_at(working, piece.offsets[0]), piece.masks[0]);
        let second = gather(word_at(working, piece.offsets[1]), piece.masks[1]);
        let value = first | second << piece.shift;
        let number = match &known.plan {
            Some(before) if (numbered.index as usize) < in_common && known.values[position] == value => {
                before.numbered[position].read(&before.places, &known.words, &gather)
            }
            _ => pieces.number(piece.kind, value),
        };
        numbered.write(&plan.places, state, number, &scatter)?;
    }
    Ok(())
}

#[cfg(target_arch = "x86_64")]
mod instruction {
    use super::{LastState, NoPlace, Packer, Pieces, Plan};
    use core::arch::x86_64::{_pdep_u64, _pext_u64};

    #[target_feature(enable = "avx2,bmi2")]
    pub fn unpack_near(packer: &mut Packer, packed: &[u8]) -> bool {
        let (gather, scatter) = (|word, mask| _pext_u64(word, mask), |bits, mask| _pdep_u64(bits, mask));
        super::unpack_near(packer, packed, gather, scatter)
    }

    #[target_feature(enable = "avx2,bmi2")]
    pub fn write_pieces(
        pieces: &mut Pieces,
        plan: &Plan,
        known: (&LastState, usize),
        working: &[u8],
        state: &mut [u64],
    ) -> Result<(), NoPlace> {
        let (gather, scatter) = (|word, mask| _pext_u64(word, mask), |bits, mask| _pdep_u64(bits, mask));
        super::write_pieces(pieces, plan, known, working, state, gather, scatter)
    }

    #[target_feature(enable = "avx2,bmi2")]
    pub fn bring_up_to_date(packer: &mut Packer) {
        let (gather, scatter) = (|word, mask| _pext_u64(word, mask), |bits, mask| _pdep_u64(bits, mask));
        super::bring_up_to_date(packer, gather, scatter);
    }
}
