//! States as they are stored: pieces of them, numbered.
//!
//! While a model runs, every scalar has bytes of its own, where code finds it without effort. A search stores
//! millions of states, and reads each once: so what it stores is short. Two things make it so. Only the bits
//! that types need count: a `bool` is one bit, a location as many as the process type has locations. And
//! these bits are cut into *pieces*, mostly a process or a channel each. A model has millions of states, but
//! a process is in one of some dozens or hundreds. So every value that a piece has had gets a number, in the
//! order of appearance, and what is stored are the numbers: one byte each for the first 256 ([`places`]), and
//! the hidden bytes behind them.
//!
//! The *shape* of a state is which frames it has. Shapes are numbered too, the initial one with 0. Pieces of
//! a few bits are their own numbers.
//!
//! The successors of a state are like it but for a few variables. So the state that was read last is kept
//! ([`reference`]), and a successor is compared with it word by word. Only pieces that have bits in words
//! that differ are looked up.
//!
//! Numbers mean something only together with the tables that they come from: clones of a `Packing` share
//! theirs.
//!
//! Rejected: only the bits that types need, without numbers (two to six times the bytes on models with many
//! processes or channels, a little less on one whose states are very short, and not faster); numbers for
//! pairs of words of the packed state, and for pairs of pairs, up to one word for the whole state ("tree
//! compression": up to 40 % less memory on some models, up to 60 % more on others, and a search took 1.3 to
//! 2.3 times as long); numbers of one or more bytes each, one behind the other (what follows moves when a
//! number gets longer, so nothing can be compared or changed where it lies).

mod bits;
mod commuting;
mod departures;
mod effects;
mod pieces;
mod places;
mod plan;
mod recall;
mod reference;
mod remembered;

use crate::layout::Layout;
use crate::successors::{Entry, LANES};
use bits::Gathers;
use departures::{Departure, remaining_pieces};
use lariat_model::ir::Model;
use lariat_store::{StateHash, WeightedSums};
use pieces::Pieces;
use places::{Higher, NoPlace};
use plan::{Marks, OWN_NUMBER, Piece, Plan};
use reference::{Reference, References};
pub use remembered::{Missing, Recalled, RememberedSteps};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

/// How the states of a model are packed.
#[derive(Clone, Debug)]
pub struct Packing {
    marks: Rc<Marks>,
    tag_size: usize,
    globals_size: usize,
    hidden_size: usize,
    /// Smaller tags are those of processes.
    process_types: usize,
    gathers: Gathers,
    numbering: Rc<RefCell<Numbering>>,
}

/// So many plans are kept. A model that creates processes in any order may have any number of shapes.
const MOST_PLANS: usize = 4096;

/// What has been numbered so far.
#[derive(Debug)]
struct Numbering {
    /// By number.
    shapes: Vec<Shape>,
    numbers: FxHashMap<Rc<[u16]>, u32>,
    /// Plans of shapes, by number.
    plans: FxHashMap<u32, Rc<Plan>>,
    /// By tag and place in the frame.
    kinds: FxHashMap<(Option<u16>, u32), u32>,
    pieces: Pieces,
    /// For the tags of one state.
    tags: Vec<u16>,
    /// The state that was unpacked last, for each lane in which a search takes states; and the present lane.
    references: [References; LANES],
    lane: usize,
    /// How often somebody has begun with a state, to recall steps.
    begun: u64,
    /// States that were unpacked, and the bits that count in all of them.
    unpacked: u64,
    unpacked_bits: u64,
}

/// What must not be forgotten about a shape.
#[derive(Debug)]
struct Shape {
    /// The tags of the frames.
    tags: Rc<[u16]>,
    /// Higher bytes that have a place.
    higher: Vec<Higher>,
}

/// Eight bytes of a working state.
#[inline]
fn word_at(bytes: &[u8], offset: u32) -> u64 {
    let at = offset as usize;
    bytes.get(at..at + 8).and_then(|word| word.first_chunk()).map_or(0, |word| u64::from_le_bytes(*word))
}

/// All bits, or none: without a branch, as nobody can foresee which.
#[inline(always)]
fn all_if(condition: bool) -> u64 {
    (condition as u64).wrapping_neg()
}

/// The value of a piece.
#[inline(always)]
fn value_of(piece: &Piece, working: &[u8], gather: &impl Fn(u64, u64) -> u64) -> u64 {
    let first = gather(word_at(working, piece.offsets[0]), piece.masks[0]);
    let second = gather(word_at(working, piece.offsets[1]), piece.masks[1]);
    first | second << piece.shift
}

impl Packing {
    /// Looks at the types of everything that a state holds.
    pub fn new(model: &Model, layout: &Layout) -> Packing {
        let numbering = Numbering {
            shapes: Vec::new(),
            numbers: FxHashMap::default(),
            plans: FxHashMap::default(),
            kinds: FxHashMap::default(),
            pieces: Pieces::new(),
            tags: Vec::new(),
            references: Default::default(),
            lane: 0,
            begun: 0,
            unpacked: 0,
            unpacked_bits: 0,
        };
        Packing {
            marks: Rc::new(Marks::new(model, layout)),
            tag_size: layout.tag_size,
            globals_size: layout.globals_size,
            hidden_size: layout.hidden_size,
            process_types: layout.processes.len(),
            gathers: Gathers::here(),
            numbering: Rc::new(RefCell::new(numbering)),
        }
    }

    /// The tags of the frames.
    fn tags_of(&self, working: &[u8], tags: &mut Vec<u16>) -> Option<()> {
        tags.clear();
        let mut at = self.marks.front.len();
        while at < working.len() {
            let tag = match self.tag_size {
                1 => working[at] as u16,
                _ => u16::from_le_bytes([working[at], *working.get(at + 1)?]),
            };
            at += self.marks.frames.get(tag as usize)?.len();
            tags.push(tag);
        }
        Some(())
    }

    fn plan_of(&self, numbering: &mut Numbering, shape: u32) -> Rc<Plan> {
        if let Some(plan) = numbering.plans.get(&shape) {
            return plan.clone();
        }
        let Numbering { shapes, plans, kinds, pieces, .. } = numbering;
        let mut kind_of = |tag, number| *kinds.entry((tag, number)).or_insert_with(|| pieces.add_kind());
        let Shape { tags, higher } = &shapes[shape as usize];
        let plan = Rc::new(Plan::new(
            shape,
            tags,
            self.tag_size,
            self.process_types,
            &self.marks,
            higher,
            &mut kind_of,
        ));
        if plans.len() >= MOST_PLANS {
            plans.clear();
        }
        plans.insert(shape, plan.clone());
        plan
    }

    /// Gives a higher byte of a shape a place: it has another plan from now on.
    #[cold]
    fn add_place(&self, numbering: &mut Numbering, shape: u32, NoPlace(higher): NoPlace) -> Rc<Plan> {
        numbering.shapes[shape as usize].higher.push(higher);
        numbering.plans.remove(&shape);
        let plan = self.plan_of(numbering, shape);
        numbering.references.iter_mut().for_each(|references| references.take_plan(&plan));
        plan
    }

    /// How states change when a process ends, from the shape of the reference to another one.
    #[cold]
    fn departure(&self, numbering: &mut Numbering, pid: usize, shape: u32) -> Option<Departure> {
        let before = numbering.reference().plan.clone()?;
        let mut after = self.plan_of(numbering, shape);
        if after.length != before.processes[pid].start {
            return None;
        }
        let pieces = remaining_pieces(&before, &after)?;
        // Whatever has a place before gets one afterwards.
        for (to, &from) in pieces.iter().enumerate() {
            let count = before.places.of_piece(from).count();
            while after.places.of_piece(to).count() < count {
                let next = after.places.of_piece(to).count() as u8;
                after = self.add_place(numbering, shape, NoPlace((to as u32, next)));
            }
        }
        Departure::new(&before, &after, &pieces, numbering.reference().words.len() * 8)
    }

    /// Packs states that lie in `working`, and says where they lie in `out`.
    #[inline]
    pub fn pack_all(&self, working: &[u8], entries: &mut [Entry], out: &mut Vec<u8>) {
        out.clear();
        let mut rest = entries;
        loop {
            let mut numbering = self.numbering.borrow_mut();
            // The hidden bytes come behind.
            let room = (numbering.reference().words.len() * 8 + self.hidden_size) * rest.len();
            let at = out.len();
            if out.capacity() < at + room {
                out.reserve(2 * room);
            }
            out.resize(at + room, 0);
            let hidden = self.globals_size..self.globals_size + self.hidden_size;
            let (done, end) = match self.gathers {
                #[cfg(target_arch = "x86_64")]
                // SAFETY: the processor has the instructions, or this would be `ByLoop`.
                Gathers::ByInstruction => unsafe {
                    instruction::pack_near(&mut numbering, working, rest, hidden, out, at)
                },
                Gathers::ByLoop => pack_near(&mut numbering, working, rest, hidden, out, at, bits::gather),
            };
            out.truncate(end);
            drop(numbering);
            rest = &mut rest[done..];
            let Some((other, after)) = rest.split_first_mut() else { return };
            let start = out.len();
            self.pack(&working[other.start as usize..other.end as usize], out);
            other.sum = WeightedSums.sum(&out[start..out.len() - self.hidden_size]);
            (other.start, other.end) = (start as u32, out.len() as u32);
            rest = after;
        }
    }

    /// Appends the packed form of a working state.
    pub fn pack(&self, working: &[u8], out: &mut Vec<u8>) {
        self.pack_another(&mut self.numbering.borrow_mut(), working, out);
        if self.hidden_size > 0 {
            out.extend_from_slice(&working[self.globals_size..self.globals_size + self.hidden_size]);
        }
    }

    /// A state of any shape.
    fn pack_another(&self, numbering: &mut Numbering, working: &[u8], out: &mut Vec<u8>) {
        let mut tags = std::mem::take(&mut numbering.tags);
        self.tags_of(working, &mut tags).expect("a state is made of whole frames");
        let known = numbering.numbers.get(tags.as_slice()).copied();
        let shape = known.unwrap_or_else(|| {
            let shape = numbering.shapes.len() as u32;
            let tags: Rc<[u16]> = tags.as_slice().into();
            numbering.shapes.push(Shape { tags: tags.clone(), higher: Vec::new() });
            numbering.numbers.insert(tags, shape);
            shape
        });
        numbering.tags = tags;
        let plan = self.plan_of(numbering, shape);
        let mut short = [0; 8];
        let working = match working.len() {
            0..8 => {
                short[..working.len()].copy_from_slice(working);
                &short
            }
            _ => working,
        };
        let mut plan = plan;
        let start = out.len();
        loop {
            self.marks.heads.push(out, shape);
            out.resize(start + plan.places.width(), 0);
            let state = &mut out[start..];
            let written = match self.gathers {
                #[cfg(target_arch = "x86_64")]
                // SAFETY: the processor has the instructions, or this would be `ByLoop`.
                Gathers::ByInstruction => unsafe {
                    instruction::write_pieces(numbering, &plan, working, state)
                },
                Gathers::ByLoop => write_pieces(numbering, &plan, working, state, bits::gather),
            };
            let length = plan.places.length(state);
            match written {
                Ok(()) => return out.truncate(start + length),
                Err(no_place) => plan = self.add_place(numbering, shape, no_place),
            }
            out.truncate(start);
        }
    }

    /// Makes a packed state the reference, as far as its numbers go.
    #[inline]
    fn parse(&self, numbering: &mut Numbering, stored: &[u8]) {
        let packed = &stored[..stored.len() - self.hidden_size];
        if !numbering.reference_mut().move_near(packed) {
            self.parse_another(numbering, packed);
        }
        numbering.count_unpacked();
    }

    /// The same for a state of another shape than the one before, perhaps.
    #[inline(never)]
    fn parse_another(&self, numbering: &mut Numbering, packed: &[u8]) {
        let shape = self.marks.heads.shape_of(packed);
        if numbering.reference().plan.as_ref().is_some_and(|plan| plan.shape != shape) {
            numbering.references[numbering.lane].choose(shape);
            if numbering.reference_mut().move_near(packed) {
                return;
            }
        }
        let plan = self.plan_of(numbering, shape);
        numbering.reference_mut().move_to(packed, plan);
    }

    /// Replaces `working` by the state that a packed one stands for. The number of its shape.
    #[inline]
    pub fn unpack(&self, stored: &[u8], working: &mut Vec<u8>) -> u32 {
        let mut numbering = self.numbering.borrow_mut();
        self.parse(&mut numbering, stored);
        self.complete(&mut numbering, stored, working);
        numbering.reference().plan.as_ref().map_or(0, |plan| plan.shape)
    }

    /// The state with which [`Packing::begin`] began.
    #[inline]
    pub fn unpack_begun(&self, stored: &[u8], working: &mut Vec<u8>) {
        self.complete(&mut self.numbering.borrow_mut(), stored, working);
    }

    #[inline]
    fn complete(&self, numbering: &mut Numbering, stored: &[u8], working: &mut Vec<u8>) {
        match self.gathers {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the processor has the instructions, or this would be `ByLoop`.
            Gathers::ByInstruction => unsafe { instruction::scatter_pieces(numbering) },
            Gathers::ByLoop => scatter_pieces(numbering, bits::scatter),
        }
        let Reference { plan: Some(plan), working: words, .. } = numbering.reference() else {
            return;
        };
        working.clear();
        working.resize(plan.length.max(8), 0);
        // The last word first: where it overlaps the one before, that one counts.
        let last = working.len() - 8;
        if let Some(word) = words.last() {
            working[last..].copy_from_slice(&word.to_le_bytes());
        }
        for (bytes, word) in working.chunks_exact_mut(8).zip(words) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        working.truncate(plan.length);
        if self.hidden_size > 0 {
            let hidden = &stored[stored.len() - self.hidden_size..];
            working[self.globals_size..self.globals_size + self.hidden_size].copy_from_slice(hidden);
        }
    }

    /// Lets somebody look at the numbers of the pieces of a packed state.
    #[inline]
    pub fn numbers_in<T>(&self, stored: &[u8], look: impl FnOnce(Numbers) -> T) -> T {
        let mut numbering = self.numbering.borrow_mut();
        let packed = &stored[..stored.len() - self.hidden_size];
        if !numbering.reference_mut().move_near(packed) {
            self.parse_another(&mut numbering, packed);
        }
        look(Numbers(numbering.reference()))
    }

    /// Bytes of all tables.
    pub fn bytes(&self) -> u64 {
        self.numbering.borrow().pieces.bytes()
    }

    /// How many bits count in a state, on the mean of those that were unpacked.
    pub fn mean_bits(&self) -> f64 {
        let numbering = self.numbering.borrow();
        numbering.unpacked_bits as f64 / numbering.unpacked.max(1) as f64
    }
}

/// The numbers of the pieces of a state.
pub struct Numbers<'a>(&'a Reference);

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

    /// The number of a piece.
    #[inline]
    pub fn of(&self, piece: usize) -> u32 {
        self.0.plan.as_ref().map_or(0, |plan| plan.places.number(piece, |place| self.0.byte(place)))
    }
}

impl Numbering {
    /// Goes on with the reference of a lane, which has at least so many words.
    #[inline]
    fn enter_lane(&mut self, lane: usize, stride: usize) {
        self.lane = lane;
        if self.reference().words.len() < stride {
            self.reference_mut().widen(stride);
        }
    }

    #[inline]
    fn count_unpacked(&mut self) {
        self.unpacked += 1;
        self.unpacked_bits += self.reference().plan.as_ref().map_or(0, |plan| plan.bits as u64);
    }

    #[inline]
    fn reference(&self) -> &Reference {
        &self.references[self.lane].current
    }

    #[inline]
    fn reference_mut(&mut self) -> &mut Reference {
        &mut self.references[self.lane].current
    }

    #[inline]
    fn number(&mut self, piece: &Piece, value: u64) -> u32 {
        match piece.kind {
            OWN_NUMBER => value as u32,
            kind => self.pieces.number(kind, value),
        }
    }
}

/// The values and words of the reference, from its numbers.
#[inline(always)]
fn scatter_pieces(numbering: &mut Numbering, scatter: impl Fn(u64, u64) -> u64) {
    let Numbering { references, lane, pieces, .. } = numbering;
    references[*lane].current.scatter(|kind, number| pieces.value(kind, number), scatter);
}

/// Writes the numbers of all pieces of a working state.
#[inline(always)]
fn write_pieces(
    numbering: &mut Numbering,
    plan: &Plan,
    working: &[u8],
    state: &mut [u8],
    gather: impl Fn(u64, u64) -> u64,
) -> Result<(), NoPlace> {
    for (i, piece) in plan.pieces.iter().enumerate() {
        let value = value_of(piece, working, &gather);
        plan.places.write(state, i, numbering.number(piece, value))?;
    }
    Ok(())
}

/// Packs states that have the shape of the reference, from `at` on, up to the first that has another, or a
/// number for which there is no place. How many, and where they end.
#[inline(always)]
fn pack_near(
    numbering: &mut Numbering,
    all_working: &[u8],
    entries: &mut [Entry],
    hidden: Range<usize>,
    all_out: &mut [u8],
    mut at: usize,
    gather: impl Fn(u64, u64) -> u64,
) -> (usize, usize) {
    let Numbering { references, lane, pieces, .. } = numbering;
    let reference = &references[*lane].current;
    let Some(plan) = reference.plan.as_deref() else { return (0, at) };
    if plan.length < 8 || plan.pieces.len() > 64 || !reference.is_complete() {
        return (0, at);
    }
    let count = plan.length / 8;
    let rest = plan.length % 8;
    let facts = &plan.facts[..count];
    let words = &reference.working[..count];
    let known_values = &reference.values[..plan.pieces.len()];
    let stride = reference.words.len() * 8;
    for (done, entry) in entries.iter_mut().enumerate() {
        let working = &all_working[entry.start as usize..entry.end as usize];
        if working.len() != plan.length {
            return (done, at);
        }
        let (mut changed, mut tags) = (0u64, 0u64);
        for ((bytes, known), facts) in working.as_chunks::<8>().0.iter().zip(words).zip(facts) {
            let difference = u64::from_le_bytes(*bytes) ^ known;
            tags |= difference & facts.tags;
            changed |= facts.pieces & all_if(difference & facts.counting != 0);
        }
        if rest > 0 {
            let facts = &plan.facts[count];
            let difference = word_at(working, (plan.length - 8) as u32) ^ reference.working[count];
            tags |= difference & facts.tags;
            changed |= facts.pieces & all_if(difference & facts.counting != 0);
        }
        if tags != 0 {
            return (done, at);
        }
        let out = &mut all_out[at..];
        for (bytes, word) in out[..stride].as_chunks_mut::<8>().0.iter_mut().zip(&reference.words) {
            *bytes = word.to_le_bytes();
        }
        while changed != 0 {
            let i = changed.trailing_zeros() as usize;
            changed &= changed - 1;
            let piece = &plan.pieces[i];
            let value = value_of(piece, working, &gather);
            if value == known_values[i] {
                continue;
            }
            let number = match piece.kind {
                OWN_NUMBER => value as u32,
                kind => pieces.number(kind, value),
            };
            if plan.places.write(out, i, number).is_err() {
                return (done, at);
            }
        }
        let mut length = plan.places.length(out);
        entry.sum = WeightedSums.sum(&out[..length]);
        if !hidden.is_empty() {
            out[length..length + hidden.len()].copy_from_slice(&working[hidden.clone()]);
            length += hidden.len();
        }
        (entry.start, entry.end) = (at as u32, (at + length) as u32);
        at += length;
    }
    (entries.len(), at)
}

#[cfg(target_arch = "x86_64")]
mod instruction {
    use super::{Entry, NoPlace, Numbering, Plan, Range};
    use core::arch::x86_64::{_pdep_u64, _pext_u64};

    #[target_feature(enable = "avx2,bmi2")]
    pub fn pack_near(
        numbering: &mut Numbering,
        working: &[u8],
        entries: &mut [Entry],
        hidden: Range<usize>,
        out: &mut [u8],
        at: usize,
    ) -> (usize, usize) {
        super::pack_near(numbering, working, entries, hidden, out, at, |word, mask| _pext_u64(word, mask))
    }

    #[target_feature(enable = "avx2,bmi2")]
    pub fn write_pieces(
        numbering: &mut Numbering,
        plan: &Plan,
        working: &[u8],
        state: &mut [u8],
    ) -> Result<(), NoPlace> {
        super::write_pieces(numbering, plan, working, state, |word, mask| _pext_u64(word, mask))
    }

    #[target_feature(enable = "avx2,bmi2")]
    pub fn scatter_pieces(numbering: &mut Numbering) {
        super::scatter_pieces(numbering, |bits, mask| _pdep_u64(bits, mask));
    }
}
