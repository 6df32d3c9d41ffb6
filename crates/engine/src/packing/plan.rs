//! Which bits of a state are significant, and how they are cut into pieces.
//!
//! *Significant* are the bits that the types of variables need ([`SignificantBits`]): one of a `bool`, three
//! of the location of a process with five to eight locations. The others are always zero or, like tags,
//! follow from the shape.
//!
//! A *piece* is up to 64 significant bits that are stored as one number. The bits of one frame are one piece
//! if they fit, and several if they do not; very small neighbouring frames share one. The globals are cut
//! into pieces of 32 bits: independent variables side by side in one piece would have too many different
//! values together.
//!
//! The *shape* of a state is the list of its frames. All states of one shape have the same variables at the
//! same offsets, so what there is to know about packing them is worked out once for each shape: its [`Plan`].
//! A plan sees a working state as words of eight bytes. The last word ends where the state ends, so it may
//! overlap the one before; but every byte belongs to one word only. A piece has bits in at most two words,
//! and knows them by a mask for each.

use super::bits::low;
use super::places::{Heads, Higher, Places};
use super::shared::Origin;
use crate::layout::Layout;
use crate::lifetimes::has_one_shape;
use crate::writes::{each_written_at_the_start, each_written_by};
use lariat_model::ir::{Base, Index, Model, Place, RecordTypeId, Storage, Type, Variable};
use std::ops::Range;

/// A piece of so few bits is its own number.
pub const OWN_NUMBER_BITS: u32 = 8;
/// Frames are put together into one piece as long as they need no more: a number of one byte.
const SHARED_BITS: u32 = 8;
/// A piece of the globals has no more bits, unless what is left behind it is a byte or less and joins it.
const FRONT_BITS: u32 = 32;
const FRAME_BITS: u32 = 64;

/// Which bits of states are significant: a mask for each byte. It follows from the model alone.
#[derive(Debug)]
pub struct SignificantBits {
    /// Of the bytes before the frames. Those of hidden globals are not.
    pub front: Vec<u8>,
    /// Of the bytes of frames, by tag; the tag itself is not.
    pub frames: Vec<Vec<u8>>,
    /// Bytes of a tag; and smaller tags than this are those of processes.
    pub tag_size: usize,
    pub process_types: usize,
    /// By tag: the largest location, or the largest length of a channel.
    pub largest_headers: Vec<usize>,
    /// How shapes are told apart.
    pub heads: Heads,
}

/// How states of one shape are packed.
#[derive(Debug)]
pub struct Plan {
    /// The number of the shape.
    pub shape: u32,
    /// Bytes of a working state.
    pub length: usize,
    /// Per word.
    pub facts: Vec<WordFacts>,
    pub pieces: Vec<Piece>,
    /// The frames of the processes, by number.
    pub processes: Vec<Range<usize>>,
    /// How many bits are significant.
    pub bits: usize,
    /// Where the numbers of the pieces lie in a stored state.
    pub places: Places,
}

/// What is known about a word.
#[derive(Clone, Copy, Debug, Default)]
pub struct WordFacts {
    /// The significant bits.
    pub significant: u64,
    /// Those that are tags, and what these are.
    pub tags: u64,
    pub tag_values: u64,
    /// The pieces that have bits here, if there are at most 64 in all.
    pub pieces: u64,
}

/// Bits that are numbered together. Where there is only one word, the other has no bits.
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    /// Its words, and where these lie.
    pub words: [u32; 2],
    pub offsets: [u32; 2],
    pub masks: [u64; 2],
    /// Where the bits of the second word go.
    pub shift: u32,
    /// Which table numbers it; [`OWN_NUMBER`] if it is its own number.
    pub kind: u32,
}

/// The kind of pieces that are their own numbers.
pub const OWN_NUMBER: u32 = u32::MAX;

pub fn bits_for(largest: usize) -> u32 {
    usize::BITS - largest.leading_zeros()
}

/// Marks the bits of a number as significant in the bytes where it lies.
fn mark(bytes: &mut [u8], offset: usize, bits: u32) {
    let mask = low(bits).to_le_bytes();
    let size = bits.div_ceil(8) as usize;
    for (byte, bits) in bytes[offset..offset + size].iter_mut().zip(mask) {
        *byte |= bits;
    }
}

fn bits_of(storage: Storage) -> u32 {
    match storage {
        Storage::Unsigned(bits) => bits as u32,
        Storage::Signed16 => 16,
        Storage::Signed32 => 32,
    }
}

impl SignificantBits {
    /// Looks at the types of everything that a state holds.
    pub fn new(model: &Model, layout: &Layout) -> SignificantBits {
        let mut front = vec![0; layout.frames_start];
        for global in model.globals.iter().filter(|global| !global.hidden) {
            mark_variable(model, global, 0, &mut front);
        }
        if let Some(last) = layout.last_offset {
            front[last] = 0xff;
        }
        if let Some(observer) = layout.observer {
            mark(&mut front, observer.offset, bits_of(observer.storage));
        }
        let mut frames = Vec::new();
        for (process, place) in model.process_types.iter().zip(&layout.processes) {
            let mut bytes = vec![0; place.frame_size];
            mark(&mut bytes, layout.tag_size, bits_for(process.locations.len().saturating_sub(1)));
            if layout.priorities {
                bytes[place.header_size - 1] = 0xff;
            }
            for variable in &process.variables {
                mark_variable(model, variable, place.header_size, &mut bytes);
            }
            frames.push(bytes);
        }
        for (channel, place) in model.channel_types.iter().zip(&layout.channels) {
            let mut bytes = vec![0; place.frame_size];
            if place.capacity > 0 {
                mark(&mut bytes, layout.tag_size, bits_for(place.capacity));
            }
            for slot in 0..place.capacity {
                for (field, offset) in channel.fields.iter().zip(&place.field_offsets) {
                    let at = place.header_size + slot * place.message_size + offset;
                    mark(&mut bytes, at, bits_of(field.storage));
                }
            }
            frames.push(bytes);
        }
        // Text that was written by hand may write more bits than it declares.
        let mut written = |place: &Place, local: usize| {
            let (bytes, base) = match &place.base {
                Base::Global => (&mut front, 0),
                Base::Local => (&mut frames[local], layout.processes[local].header_size),
                Base::Remote { process, .. } => {
                    let process = process.0 as usize;
                    (&mut frames[process], layout.processes[process].header_size)
                }
                Base::Priority | Base::Nowhere => return,
            };
            mark_place(place, &place.indices, base + place.offset as usize, bytes);
        };
        each_written_at_the_start(model, |place| written(place, 0));
        for (number, process) in model.process_types.iter().enumerate() {
            each_written_by(process, |place| written(place, number));
        }
        front[layout.globals_size..layout.globals_size + layout.hidden_size].fill(0);
        let heads = if has_one_shape(model) { Heads::LeftOut } else { Heads::Written };
        let (tag_size, process_types) = (layout.tag_size, layout.processes.len());
        let locations = model.process_types.iter().map(|process| process.locations.len().saturating_sub(1));
        let largest_headers = locations.chain(layout.channels.iter().map(|place| place.capacity)).collect();
        SignificantBits { front, frames, tag_size, process_types, largest_headers, heads }
    }

    /// The location of a process, or the length of a channel: what lies behind the tag of a frame.
    pub fn header(&self, tag: u16, frame: &[u8]) -> usize {
        let size = bits_for(self.largest_headers[tag as usize]).div_ceil(8) as usize;
        let bytes = &frame[self.tag_size..self.tag_size + size];
        bytes.iter().rev().fold(0, |number, byte| number << 8 | *byte as usize)
    }
}

fn mark_place(place: &Place, indices: &[Index], at: usize, bytes: &mut [u8]) {
    match indices {
        [] => mark(bytes, at, bits_of(place.storage)),
        [first, rest @ ..] => {
            for element in 0..first.length {
                mark_place(place, rest, at + (element * first.stride) as usize, bytes);
            }
        }
    }
}

fn mark_variable(model: &Model, variable: &Variable, base: usize, bytes: &mut [u8]) {
    for element in 0..variable.length.unwrap_or(1) {
        let at = base + (variable.offset + element * variable.element_size) as usize;
        match variable.ty {
            Type::Scalar { storage, .. } => mark(bytes, at, bits_of(storage)),
            Type::Record(RecordTypeId(record)) => {
                for field in &model.record_types[record as usize].fields {
                    mark_variable(model, field, at, bytes);
                }
            }
        }
    }
}

/// A plan in the making.
struct Cutter<'k> {
    plan: Plan,
    /// The piece that is being made, and its bits.
    piece: Option<Piece>,
    filled: u32,
    /// What the piece is part of.
    origin: Origin,
    kind_of: &'k mut dyn FnMut(Origin) -> u32,
}

impl Cutter<'_> {
    fn finish_piece(&mut self) {
        let Some(mut piece) = self.piece.take() else { return };
        piece.kind = match self.filled > OWN_NUMBER_BITS {
            true => (self.kind_of)(self.origin),
            false => OWN_NUMBER,
        };
        piece.shift = piece.masks[0].count_ones() % 64;
        self.plan.pieces.push(piece);
        self.filled = 0;
    }

    /// The word of a byte, and where that begins.
    fn word_of(&self, at: usize) -> (u32, u32) {
        let last = self.plan.facts.len() - 1;
        let word = (at / 8).min(last);
        (word as u32, (word * 8).min(self.plan.length - 8) as u32)
    }

    /// Adds the bits of a byte to the piece that is being made. False if they do not fit.
    fn add(&mut self, at: usize, mask: u8, most: u32) -> bool {
        let (word, offset) = self.word_of(at);
        let mask = (mask as u64) << ((at - offset as usize) * 8);
        let none =
            Piece { words: [word; 2], offsets: [offset; 2], masks: [0; 2], shift: 0, kind: OWN_NUMBER };
        let piece = self.piece.get_or_insert(none);
        let place = (piece.words[0] != word) as usize;
        let is_third = piece.masks[1] != 0 && piece.words[1] != word;
        if self.filled + mask.count_ones() > most || is_third {
            return false;
        }
        (piece.words[place], piece.offsets[place]) = (word, offset);
        piece.masks[place] |= mask;
        self.filled += mask.count_ones();
        self.plan.bits += mask.count_ones() as usize;
        self.plan.facts[word as usize].significant |= mask;
        true
    }

    /// Cuts the bytes of a frame, or those before the frames, into pieces of at most `most` bits. The last
    /// piece may have up to a byte more.
    fn cut(&mut self, tag: Option<u16>, start: usize, significant: &[u8], most: u32) {
        let bits: u32 = significant.iter().map(|byte| byte.count_ones()).sum();
        if self.filled + bits > SHARED_BITS {
            self.finish_piece();
        }
        let mut number = 0;
        self.origin = (tag, number);
        let mut rest = bits;
        for (i, &mask) in significant.iter().enumerate().filter(|(_, mask)| **mask != 0) {
            // What is left is a byte or less: a piece of its own would cost a byte in every state.
            let most = if rest <= OWN_NUMBER_BITS { (most + rest).min(u64::BITS) } else { most };
            rest -= mask.count_ones();
            if !self.add(start + i, mask, most) {
                self.finish_piece();
                number += 1;
                self.origin = (tag, number);
                self.add(start + i, mask, most);
            }
        }
        if self.filled > SHARED_BITS {
            self.finish_piece();
        }
    }
}

impl Plan {
    /// The plan of a shape with these frames, and places for these higher bytes. `kind_of` tells which table
    /// numbers the pieces that come from one part of one kind of frame.
    pub fn new(
        shape: u32,
        tags: &[u16],
        significant: &SignificantBits,
        higher: &[Higher],
        kind_of: &mut dyn FnMut(Origin) -> u32,
    ) -> Plan {
        let frames_length: usize = tags.iter().map(|tag| significant.frames[*tag as usize].len()).sum();
        // Short states are seen as if they were longer.
        let length = (significant.front.len() + frames_length).max(8);
        let facts = vec![WordFacts::default(); length.div_ceil(8)];
        let places = Places::new(significant.heads, shape, 0, &[]);
        let plan = Plan { shape, length, facts, pieces: vec![], processes: vec![], bits: 0, places };
        let mut cutter = Cutter { plan, piece: None, filled: 0, origin: (None, 0), kind_of };
        let mut at = significant.front.len();
        cutter.cut(None, 0, &significant.front, FRONT_BITS);
        for &tag in tags {
            for (i, value) in tag.to_le_bytes().into_iter().enumerate().take(significant.tag_size) {
                let (word, offset) = cutter.word_of(at + i);
                let shift = (at + i - offset as usize) * 8;
                let facts = &mut cutter.plan.facts[word as usize];
                facts.tags |= 0xff << shift;
                facts.tag_values |= (value as u64) << shift;
            }
            let frame = &significant.frames[tag as usize];
            cutter.cut(Some(tag), at, frame, FRAME_BITS);
            if (tag as usize) < significant.process_types {
                cutter.plan.processes.push(at..at + frame.len());
            }
            at += frame.len();
        }
        cutter.finish_piece();
        let mut plan = cutter.plan;
        plan.length = at;
        plan.places = Places::new(significant.heads, shape, plan.pieces.len(), higher);
        if plan.pieces.len() <= 64 {
            for (number, piece) in plan.pieces.iter().enumerate() {
                for (word, mask) in piece.words.iter().zip(piece.masks) {
                    plan.facts[*word as usize].pieces |= ((mask != 0) as u64) << number;
                }
            }
        }
        plan
    }

    /// The pieces that have bits in some bytes.
    pub fn pieces_in<'a>(&'a self, bytes: &'a Range<usize>) -> impl Iterator<Item = usize> + 'a {
        let has = |offset: u32, mask: u64| {
            let offset = offset as usize;
            // Most words are far away.
            offset < bytes.end
                && bytes.start < offset + 8
                && (0..8).any(|i| mask >> (i * 8) & 0xff != 0 && bytes.contains(&(offset + i)))
        };
        let overlaps = move |piece: &Piece| (0..2).any(|i| has(piece.offsets[i], piece.masks[i]));
        self.pieces.iter().enumerate().filter(move |(_, piece)| overlaps(piece)).map(|(number, _)| number)
    }
}
