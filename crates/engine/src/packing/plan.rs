//! Which bits of a state are significant, and how they are cut into pieces.
//!
//! *Significant* are the bits that may ever be set ([`SignificantBits`]): one of a `bool`, three of the
//! location of a process with five to eight locations, two of a global to which nothing but 0 to 3 is
//! assigned. The others are always zero or, like tags, follow from the shape; that is checked whenever a
//! state is packed ([`WordFacts::fixed`]), as a bit that is set and not stored would be lost. Local variables
//! have the bits of their types: with fewer, frames would share pieces, and processes depend on each other.
//!
//! A *piece* is up to 63 significant bits that are stored as one number. The bits of one frame are one piece
//! if they fit, and several if they do not; very small neighbouring frames share one. Globals that the same
//! processes touch ([`super::groups`]) are cut into pieces of 32 bits by their types: independent variables
//! side by side in one piece would have too many different values together, and make all processes look at
//! each other. Where that takes no more bytes, they are cut into pieces that are their own numbers.
//!
//! The *shape* of a state is the list of its frames. All states of one shape have the same variables at the
//! same offsets, so what there is to know about packing them is worked out once for each shape: its [`Plan`].
//! A plan sees a working state as words of eight bytes. The last word ends where the state ends, so it may
//! overlap the one before; but every byte belongs to one word only. A piece has bits in at most two words,
//! and knows them by a mask for each.

use super::bits::{gather, low};
use super::groups::groups;
use super::places::{Heads, Higher, Places};
use super::shared::Origin;
use super::spans::{Halves, Numbered, Span};
use crate::layout::Layout;
use crate::lifetimes::has_one_shape;
use crate::writes::{each_value_written_by, each_written_at_the_start};
use lariat_model::ir::{
    Base, BinaryOperator, Expr, Index, Model, Place, RecordTypeId, Storage, Type, UnaryOperator, Variable,
};
use std::ops::Range;

/// A piece of so few bits is its own number.
pub const OWN_NUMBER_BITS: u32 = 8;
/// Frames are put together into one piece as long as they need no more: a number of one byte.
const SHARED_BITS: u32 = 8;
/// A piece of the globals has no more bits, unless what is left behind it is a byte or less and joins it.
const FRONT_BITS: u32 = 32;
const FRAME_BITS: u32 = PIECE_BITS;
/// Where no more spans and numbered pieces are moved, all of them are ([`super::near`]).
const FEW_MOVES: usize = 12;
/// No piece has more bits: so there are numbers behind those of the values that have one, for all values
/// ([`super::pieces`]).
pub const PIECE_BITS: u32 = 63;

/// Which bits of states are significant: a mask for each byte. It follows from the model alone.
#[derive(Debug)]
pub struct SignificantBits {
    /// Of the bytes before the frames. Those of hidden globals are not.
    pub front: Vec<u8>,
    /// Which of these belong together ([`super::groups`]).
    pub front_groups: Vec<Range<usize>>,
    /// Of the same bytes, the bits that variables have by their types.
    pub declared: Vec<u8>,
    /// Those of hidden globals.
    pub hidden: Range<usize>,
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
    /// What follows from every four bytes; none of a state that is shorter than eight.
    pub halves: Halves,
    /// By byte: the bits that never change; none of a state that is shorter than eight bytes.
    pub fixed: Box<[u8]>,
    /// All bits are moved in a few steps, and the state has 16 to 64 bytes.
    pub is_small: bool,
    pub pieces: Vec<Piece>,
    /// The frames of the processes, by number.
    pub processes: Vec<Range<usize>>,
    /// How many bits the types of everything in a state need.
    pub bits: usize,
    /// Where the numbers of the pieces lie in a stored state.
    pub places: Places,
    /// How pieces that are their own numbers move; and the others.
    pub spans: Box<[Span]>,
    pub numbered: Box<[Numbered]>,
    /// By place in a stored state: which of the first 64 numbered pieces has a byte there, as a bit.
    pub numbered_bits: Box<[u64]>,
    /// The places of these, as bits, sixteen at a time.
    pub numbered_places: [u16; 16],
    /// A working state of which every piece is 0.
    pub blank: Box<[u8]>,
    /// What can be touched without the rest.
    cells: Cells,
}

/// *Cells* are what processes can touch without touching anything else: the bytes of the working state in
/// which a piece has bits, of the pieces of globals and of those that are their own numbers; other pieces as
/// a whole. They have a bit each in a set. Where there are too many of them, the pieces of globals are not
/// taken apart; where there still are, none is, and those from the last bit on share it.
#[derive(Debug, Default)]
struct Cells {
    /// For each piece, the number of its first cell; and if it has several, the byte that each stands for,
    /// and which bits of the number follow from it.
    by_piece: Box<[(u32, Vec<Part>)]>,
    /// For each byte of the working state, the cells that have bits in it.
    by_byte: Box<[u64]>,
}

/// A byte of the working state, and the bits that follow from it in the number of its piece: all, if it is
/// not its own number.
type Part = (usize, u8);

const MOST_CELLS: usize = u64::BITS as usize;

impl Cells {
    /// Of a working state of so many bytes, the first of which are those of globals.
    fn of(pieces: &[Piece], length: usize, front: usize) -> Cells {
        let parts = |piece: &Piece| {
            let mut parts = Vec::new();
            for (i, shift) in [(0, 0), (1, piece.shift)] {
                for byte in 0..8 {
                    let bits = piece.masks[i] & 0xff << (8 * byte);
                    if bits != 0 {
                        let bits = match piece.kind {
                            OWN_NUMBER => gather(bits, piece.masks[i]) << shift,
                            _ => 0xff,
                        };
                        parts.push((piece.offsets[i] as usize + byte, bits as u8));
                    }
                }
            }
            parts
        };
        let is_global = |piece: &Piece| (piece.offsets[0] as usize) < front;
        let with_globals =
            |piece: &Piece| if piece.kind == OWN_NUMBER || is_global(piece) { parts(piece) } else { vec![] };
        let own_only = |piece: &Piece| if piece.kind == OWN_NUMBER { parts(piece) } else { vec![] };
        let fit =
            |all: &Vec<Vec<Part>>| all.iter().map(|parts| parts.len().max(1)).sum::<usize>() <= MOST_CELLS;
        let all = Some(pieces.iter().map(with_globals).collect())
            .filter(fit)
            .or_else(|| Some(pieces.iter().map(own_only).collect()).filter(fit))
            .unwrap_or_else(|| vec![Vec::new(); pieces.len()]);
        let mut next = 0;
        let numbered = all.into_iter().map(|parts| {
            let first = next;
            next += parts.len().max(1) as u32;
            (first, parts)
        });
        let by_piece: Box<[_]> = numbered.collect();
        let mut by_byte = vec![0; length].into_boxed_slice();
        for (piece, (first, taken_apart)) in pieces.iter().zip(&by_piece) {
            for (i, (byte, _)) in parts(piece).iter().enumerate() {
                by_byte[*byte] |= cell_bit(if taken_apart.is_empty() { *first } else { *first + i as u32 });
            }
        }
        Cells { by_piece, by_byte }
    }
}

fn cell_bit(cell: u32) -> u64 {
    1 << cell.min(MOST_CELLS as u32 - 1)
}

/// What is known about a word.
#[derive(Clone, Copy, Debug, Default)]
pub struct WordFacts {
    /// The significant bits.
    pub significant: u64,
    /// Those that are tags, and what these are.
    pub tags: u64,
    pub tag_values: u64,
    /// All bits that never change, tags among them. The others are significant, belong to hidden globals, or
    /// to the word before.
    pub fixed: u64,
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
        let mut declared = vec![0; layout.frames_start];
        for global in model.globals.iter().filter(|global| !global.hidden) {
            mark_variable(model, global, 0, &mut declared);
        }
        let mut front = vec![0; layout.frames_start];
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
        // A global is 0 before it is written, so the bits that are ever set follow from what is written. Of
        // the others, text that was written by hand may write more bits than it declares.
        let mut written = |place: &Place, value: Option<&Expr>, local: usize| {
            let (bytes, base) = match &place.base {
                Base::Global => {
                    let bits =
                        value.map_or(bits_of(place.storage), |value| written_bits(value, place.storage));
                    mark_place(bits, &place.indices, place.offset as usize, &mut front);
                    (&mut declared, 0)
                }
                Base::Local => (&mut frames[local], layout.processes[local].header_size),
                Base::Remote { process, .. } => {
                    let process = process.0 as usize;
                    (&mut frames[process], layout.processes[process].header_size)
                }
                Base::Priority | Base::Nowhere => return,
            };
            mark_place(bits_of(place.storage), &place.indices, base + place.offset as usize, bytes);
        };
        each_written_at_the_start(model, |place, value| written(place, value, 0));
        for (number, process) in model.process_types.iter().enumerate() {
            each_value_written_by(process, |place, value| written(place, value, number));
        }
        let hidden = layout.globals_size..layout.globals_size + layout.hidden_size;
        front[hidden.clone()].fill(0);
        declared[hidden.clone()].fill(0);
        let heads = if has_one_shape(model) { Heads::LeftOut } else { Heads::Written };
        let (tag_size, process_types) = (layout.tag_size, layout.processes.len());
        let locations = model.process_types.iter().map(|process| process.locations.len().saturating_sub(1));
        let largest_headers = locations.chain(layout.channels.iter().map(|place| place.capacity)).collect();
        declared.iter_mut().zip(&front).for_each(|(declared, bits)| *declared |= bits);
        let front_groups = groups(model, &front);
        SignificantBits {
            front,
            front_groups,
            declared,
            hidden,
            frames,
            tag_size,
            process_types,
            largest_headers,
            heads,
        }
    }

    /// The location of a process, or the length of a channel: what lies behind the tag of a frame.
    pub fn header(&self, tag: u16, frame: &[u8]) -> usize {
        let size = bits_for(self.largest_headers[tag as usize]).div_ceil(8) as usize;
        let bytes = &frame[self.tag_size..self.tag_size + size];
        bytes.iter().rev().fold(0, |number, byte| number << 8 | *byte as usize)
    }
}

/// How many bits a value may have when it is stored.
fn written_bits(value: &Expr, storage: Storage) -> u32 {
    let all = bits_of(storage);
    match largest(value) {
        Some(largest) => bits_for(largest as usize).min(all),
        None => all,
    }
}

/// The largest value that an expression may have, if it has no negative one and that can be told at a glance.
fn largest(value: &Expr) -> Option<u32> {
    match value {
        Expr::Constant(value) => u32::try_from(*value).ok(),
        Expr::Unary(UnaryOperator::Not, _) => Some(1),
        Expr::Binary(operator, _) => {
            use BinaryOperator::*;
            let is_condition =
                matches!(operator, Less | LessEqual | Greater | GreaterEqual | Equal | NotEqual | And | Or);
            is_condition.then_some(1)
        }
        Expr::Conditional(parts) => Some(largest(&parts.1)?.max(largest(&parts.2)?)),
        // Text that was written by hand may have more bits there than it declares.
        Expr::Global { storage: storage @ Storage::Unsigned(_), .. }
        | Expr::Local { storage: storage @ Storage::Unsigned(_), .. } => Some(low(8 * storage.size()) as u32),
        _ => None,
    }
}

fn mark_place(bits: u32, indices: &[Index], at: usize, bytes: &mut [u8]) {
    match indices {
        [] => mark(bytes, at, bits),
        [first, rest @ ..] => {
            // Another element than there are is an error, and nothing is written.
            let elements = match first.value {
                Expr::Constant(element) => {
                    (0..first.length).filter(|i| *i as i64 == element as i64).collect()
                }
                _ => (0..first.length).collect::<Vec<u32>>(),
            };
            for element in elements {
                mark_place(bits, rest, at + (element * first.stride) as usize, bytes);
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

/// How many pieces that are their own numbers it takes for these bits, one byte behind the other.
fn own_bytes(significant: &[u8]) -> u32 {
    let (mut count, mut filled) = (0, OWN_NUMBER_BITS);
    for bits in significant.iter().map(|mask| mask.count_ones()).filter(|bits| *bits > 0) {
        if filled + bits > OWN_NUMBER_BITS {
            (count, filled) = (count + 1, 0);
        }
        filled += bits;
    }
    count
}

/// A plan in the making.
struct Cutter<'k> {
    plan: Plan,
    /// The piece that is being made, and its bits.
    piece: Option<Piece>,
    filled: u32,
    /// The bits that its variables have by their types.
    declared: u32,
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
        (self.filled, self.declared) = (0, 0);
    }

    /// The word of a byte, and where that begins.
    fn word_of(&self, at: usize) -> (u32, u32) {
        let last = self.plan.facts.len() - 1;
        let word = (at / 8).min(last);
        (word as u32, (word * 8).min(self.plan.length - 8) as u32)
    }

    /// Adds the bits of a byte to the piece that is being made. False if they do not fit: `most` is what a
    /// piece may have, counted by what types need.
    fn add(&mut self, at: usize, mask: u8, declared: u32, most: u32) -> bool {
        let (word, offset) = self.word_of(at);
        let mask = (mask as u64) << ((at - offset as usize) * 8);
        let none =
            Piece { words: [word; 2], offsets: [offset; 2], masks: [0; 2], shift: 0, kind: OWN_NUMBER };
        let piece = self.piece.get_or_insert(none);
        let place = (piece.words[0] != word) as usize;
        let is_third = piece.masks[1] != 0 && piece.words[1] != word;
        if self.declared + declared > most || is_third {
            return false;
        }
        (piece.words[place], piece.offsets[place]) = (word, offset);
        piece.masks[place] |= mask;
        self.filled += mask.count_ones();
        self.declared += declared;
        self.plan.facts[word as usize].significant |= mask;
        true
    }

    /// Cuts the bytes of a frame, or of a group before the frames, into pieces of at most `most` bits. The
    /// last piece may have up to a byte more. `origin` is what the first of them is part of; that of the
    /// piece that would come next.
    fn cut(
        &mut self,
        origin: Origin,
        start: usize,
        significant: &[u8],
        declared: &[u8],
        most: u32,
    ) -> Origin {
        let bits: u32 = significant.iter().map(|byte| byte.count_ones()).sum();
        if self.filled + bits > SHARED_BITS {
            self.finish_piece();
        }
        let (tag, mut number) = origin;
        self.origin = origin;
        let both = || significant.iter().zip(declared).enumerate().filter(|(_, (mask, _))| **mask != 0);
        let mut rest: u32 = both().map(|(_, (_, declared))| declared.count_ones()).sum();
        for (i, (&mask, declared)) in both() {
            let declared = declared.count_ones();
            // What is left is a byte or less: a piece of its own would cost a byte in every state.
            let joins = rest <= OWN_NUMBER_BITS && most > OWN_NUMBER_BITS;
            let most = if joins { (most + rest).min(PIECE_BITS) } else { most };
            rest -= declared;
            if !self.add(start + i, mask, declared, most) {
                self.finish_piece();
                number += 1;
                self.origin = (tag, number);
                self.add(start + i, mask, declared, most);
            }
        }
        if self.filled > SHARED_BITS {
            self.finish_piece();
        }
        (tag, number + 1)
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
        let (pieces, processes, cells) = (vec![], vec![], Cells::default());
        let (spans, numbered, numbered_bits) = Default::default();
        let plan = Plan {
            shape,
            length,
            facts,
            halves: Halves::default(),
            fixed: Box::default(),
            is_small: false,
            pieces,
            processes,
            bits: 0,
            places,
            spans,
            numbered,
            numbered_bits,
            numbered_places: [0; 16],
            blank: Box::default(),
            cells,
        };
        let mut cutter = Cutter { plan, piece: None, filled: 0, declared: 0, origin: (None, 0), kind_of };
        let mut at = significant.front.len();
        let mut origin = (None, 0);
        for group in &significant.front_groups {
            let bits = &significant.front[group.clone()];
            let declared = &significant.declared[group.clone()];
            let pieces = declared.iter().map(|byte| byte.count_ones()).sum::<u32>().div_ceil(FRONT_BITS);
            if own_bytes(bits) <= pieces {
                origin = cutter.cut(origin, group.start, bits, bits, OWN_NUMBER_BITS);
                continue;
            }
            origin = cutter.cut(origin, group.start, bits, declared, FRONT_BITS);
        }
        for &tag in tags {
            for (i, value) in tag.to_le_bytes().into_iter().enumerate().take(significant.tag_size) {
                let (word, offset) = cutter.word_of(at + i);
                let shift = (at + i - offset as usize) * 8;
                let facts = &mut cutter.plan.facts[word as usize];
                facts.tags |= 0xff << shift;
                facts.tag_values |= (value as u64) << shift;
            }
            let frame = &significant.frames[tag as usize];
            cutter.cut((Some(tag), 0), at, frame, frame, FRAME_BITS);
            if (tag as usize) < significant.process_types {
                cutter.plan.processes.push(at..at + frame.len());
            }
            at += frame.len();
        }
        cutter.finish_piece();
        let mut plan = cutter.plan;
        plan.length = at;
        let frames = tags.iter().flat_map(|tag| &significant.frames[*tag as usize]);
        plan.bits = significant.declared.iter().chain(frames).map(|mask| mask.count_ones() as usize).sum();
        let count = plan.facts.len();
        for (word, facts) in plan.facts.iter_mut().enumerate() {
            let start = (word * 8).min(at.max(8) - 8);
            let own = (start..start + 8).filter(|byte| word + 1 < count || *byte >= word * 8);
            let own = own.filter(|byte| *byte < at && !significant.hidden.contains(byte));
            let own = own.fold(0, |mask, byte| mask | 0xff << ((byte - start) * 8));
            facts.fixed = own & !facts.significant;
        }
        plan.places = Places::new(significant.heads, shape, plan.pieces.len(), higher);
        plan.cells = Cells::of(&plan.pieces, at.max(8), significant.front.len());
        plan.find_moves();
        plan
    }

    /// How bits move, once it is known where everything lies.
    fn find_moves(&mut self) {
        let Plan { length, facts, pieces, places, .. } = self;
        self.spans = Span::all(pieces, places);
        self.numbered = Numbered::all(pieces, places);
        let mut numbered_bits = vec![0; places.width()];
        for (position, numbered) in self.numbered.iter().enumerate().take(64) {
            for place in places.of_piece(numbered.index as usize) {
                numbered_bits[place] = 1 << position;
                if let Some(places) = self.numbered_places.get_mut(place / 16) {
                    *places |= 1 << (place % 16);
                }
            }
        }
        self.numbered_bits = numbered_bits.into();
        let mut blank = vec![0; (*length).max(8)];
        let last = blank.len() - 8;
        for (word, facts) in facts.iter().enumerate() {
            let tags = facts.tag_values.to_le_bytes();
            let bytes = &mut blank[(word * 8).min(last)..];
            bytes.iter_mut().zip(tags).for_each(|(byte, tag)| *byte |= tag);
        }
        self.blank = blank.into();
        if *length >= 8 {
            let last = *length - 8;
            let fixed = |byte: usize| {
                let word = (byte / 8).min(facts.len() - 1);
                (facts[word].fixed >> (8 * (byte - (word * 8).min(last)))) as u8
            };
            self.halves = Halves::of(*length, pieces, places, fixed);
            self.fixed = (0..*length).map(fixed).collect();
            let moves = self.spans.len() + self.numbered.len();
            self.is_small = (16..=64).contains(length) && moves <= FEW_MOVES;
        }
        // Who moves bits does not look again whether they lie in a state.
        let spans = self.spans.iter().map(|span| span.offset);
        let numbered = self.numbered.iter().flat_map(|numbered| numbered.piece.offsets);
        assert!(spans.chain(numbered).all(|offset| offset as usize + 8 <= self.blank.len()));
        let words = self.places.width().div_ceil(8);
        assert!(self.spans.iter().all(|span| (span.stored_word as usize) < words));
        let Halves { all, further, .. } = &self.halves;
        assert!(all.iter().all(|half| half.offset as usize + 4 <= self.length));
        let mut moved = all.iter().map(|half| &half.moved).chain(further);
        assert!(moved.all(|span| (span.stored_word as usize) < words.max(1)));
    }

    /// Whether a working state of so many bytes (and zeros behind them, up to the eighth) has this shape, and
    /// no bit is set that would not be stored.
    pub fn fits(&self, length: usize, working: &[u8]) -> bool {
        if length != self.length {
            return false;
        }
        let (whole, rest) = working.as_chunks::<8>();
        let mut differing = 0;
        for (bytes, facts) in whole.iter().zip(&self.facts) {
            differing |= (u64::from_le_bytes(*bytes) ^ facts.tag_values) & facts.fixed;
        }
        if let (false, Some(facts), Some(last)) = (rest.is_empty(), self.facts.last(), working.last_chunk()) {
            differing |= (u64::from_le_bytes(*last) ^ facts.tag_values) & facts.fixed;
        }
        differing == 0
    }

    /// The cells that have bits in some bytes of the working state.
    pub fn cells_in(&self, bytes: &Range<usize>) -> u64 {
        let all = &self.cells.by_byte;
        all[bytes.start.min(all.len())..bytes.end.min(all.len())].iter().fold(0, |cells, here| cells | here)
    }

    /// The bits of the lowest byte of a piece's number, and of its other bytes, that follow from some bytes
    /// of the working state: all, unless the piece has several cells.
    pub fn bits_in(&self, piece: usize, bytes: &Range<usize>) -> u8 {
        let (_, parts) = &self.cells.by_piece[piece];
        let touched = parts.iter().filter(|(byte, _)| bytes.contains(byte));
        if parts.is_empty() { 0xff } else { touched.fold(0, |all, (_, bits)| all | bits) }
    }

    /// The cells in which two states may differ whose exclusive or this is, as they are stored. Which byte of
    /// a numbered piece differs is not told by its number.
    #[cfg(test)]
    pub fn cells_of(&self, difference: &[u64]) -> u64 {
        self.cells_at(difference).fold(0, |all, cells| all | cells)
    }

    /// Whether these cells are some in which two states may differ whose exclusive or this is, as they are
    /// stored, and wherever the states differ there is one of them.
    pub fn are_cells_of(&self, cells: u64, difference: &[u64]) -> bool {
        let (mut all, mut each) = (0, true);
        for here in self.cells_at(difference) {
            all |= here;
            each &= here & cells != 0;
        }
        each && cells & !all == 0
    }

    /// For each place that differs: the cells that it may be because of.
    fn cells_at<'a>(&'a self, difference: &'a [u64]) -> impl Iterator<Item = u64> + 'a {
        let bytes = difference.iter().flat_map(|word| word.to_le_bytes()).enumerate();
        bytes.filter(|(_, byte)| *byte != 0).map(|(place, changed)| {
            let Some(piece) = self.places.piece_at(place) else { return u64::MAX };
            let (first, parts) = &self.cells.by_piece[piece];
            if parts.is_empty() {
                return cell_bit(*first);
            }
            let changed = (*first..).zip(parts).filter(|(_, (_, bits))| bits & changed != 0);
            changed.fold(0, |cells, (cell, _)| cells | cell_bit(cell))
        })
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
