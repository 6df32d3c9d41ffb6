//! A cache of the values of propositions.
//!
//! What properties are about is mostly a few global variables, and where processes are. These lie in a few
//! pieces of a state, and where the numbers of these pieces are the same, the propositions have the same
//! values, whatever the rest of the state is. So the values are kept under these numbers: in most states,
//! nothing is unpacked in order to judge propositions.
//!
//! Which pieces these are depends on the shape of the state: it says which processes there are, and where
//! they lie ([`ShapePropositions`]). A proposition that looks at one piece, or at none, has a list of its
//! values by the number of that piece. Those that look at a few pieces are judged together, and kept in a
//! table of fixed size with one entry in each line: a new entry replaces the old one. If too little is found
//! there, it is given up. Propositions that look at anything else (channels, `timeout`, processes whose
//! number is no constant) are always judged anew.

use crate::machine::FramePlace;
use lariat_engine::{Layout, Packer};
use lariat_model::ir::{Base, Expr, Model, Place};
use std::ops::Range;

/// Propositions that lie in more pieces are judged anew.
const MOST_PIECES: usize = 4;
const LINES: usize = 1 << 10;
/// After so many states, one half must have been found.
const TRIAL: u32 = 1 << 12;
/// Larger numbers of pieces are in no list.
const MOST_NUMBERS: u64 = 1 << 16;
/// So many propositions have a bit.
const MOST_PROPOSITIONS: usize = u64::BITS as usize;

/// Something that a proposition looks at.
#[derive(Clone, Debug)]
enum Look {
    /// Bytes of the globals.
    Globals(Range<usize>),
    /// Where a process is: by number, or the first one of a type.
    Location { process_type: u16, pid: Option<i32> },
    /// Bytes of the variables of a process, if it has the type.
    Variables { process_type: u16, pid: Option<i32>, bytes: Range<usize> },
}

/// The values of propositions in states that agree on what they look at.
#[derive(Clone, Copy, Debug, Default)]
struct Line {
    /// The shape and one, and the numbers of the pieces.
    key: (u32, [u64; MOST_PIECES]),
    /// Which propositions are judged, and which of these are true: a bit each.
    judged: u64,
    values: u64,
}

/// What propositions look at in states of a shape.
#[derive(Debug, Default)]
struct ShapePropositions {
    /// Those that look at one piece or none, each with its piece.
    alone: Vec<(usize, Option<usize>)>,
    /// What is known of those that look at none.
    fixed: Known,
    /// What is known of those that look at one.
    watched: Vec<Watched>,
    /// The others, a bit each, and their pieces; none, if these are too many.
    together: u64,
    pieces: Box<[usize]>,
}

/// Propositions whose values are known, and those of them that are true: a bit each.
#[derive(Clone, Copy, Debug, Default)]
struct Known {
    judged: u64,
    values: u64,
}

impl Known {
    fn learn(&mut self, proposition: usize, value: bool) {
        self.judged |= 1 << proposition;
        self.values |= u64::from(value) << proposition;
    }
}

/// A piece, and what is known of the propositions that look at nothing else, by its number.
#[derive(Debug)]
struct Watched {
    piece: usize,
    known: Vec<Known>,
    /// The number in the state that is looked at.
    number: u64,
}

/// What is known about propositions.
#[derive(Debug)]
pub struct PropositionCache {
    /// For each: what it looks at; `None` if that is not known beforehand.
    looks_at: Vec<Option<Vec<Look>>>,
    /// Of some, that is known.
    is_of_use: bool,
    /// A bit for each of them; none, if there are too many.
    all: Option<u64>,
    /// Per process type, bytes before its variables.
    header_sizes: Vec<usize>,
    by_shape: Vec<Option<ShapePropositions>>,
    lines: Vec<Line>,
    /// Those that look at several pieces are not kept.
    is_given_up: bool,
    /// The shape of the state that is looked at, and its line.
    shape: Option<usize>,
    line: Option<usize>,
    /// Propositions that are judged in that state, and those that are true: a bit each.
    judged: u64,
    values: u64,
    /// States that were looked at in the table, and of how many something was known.
    looks: u32,
    found: u32,
}

/// Something is remembered of propositions, or may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Looked {
    /// Values are known, or will be learnt.
    Known,
    /// Nothing is kept of states of this shape, or of any.
    Anew,
    /// It must be told what lies where in this shape: [`PropositionCache::learn_shape`].
    NewShape,
}

impl PropositionCache {
    pub fn new(model: &Model, layout: &Layout) -> PropositionCache {
        let looks_at = |proposition: &lariat_model::ir::Proposition| {
            let mut looks = Vec::new();
            looks_in(&proposition.value, &mut looks)?;
            // Hidden variables are no part of what is stored in pieces.
            let is_stored =
                |look: &Look| !matches!(look, Look::Globals(range) if range.end > layout.globals_size);
            looks.iter().all(is_stored).then_some(looks)
        };
        let count = model.propositions.len();
        let looks_at: Vec<_> = model.propositions.iter().take(MOST_PROPOSITIONS).map(looks_at).collect();
        PropositionCache {
            is_of_use: looks_at.iter().any(Option::is_some),
            looks_at,
            all: (count < MOST_PROPOSITIONS).then(|| (1 << count) - 1),
            header_sizes: layout.processes.iter().map(|process| process.header_size).collect(),
            by_shape: Vec::new(),
            lines: Vec::new(),
            is_given_up: false,
            shape: None,
            line: None,
            judged: 0,
            values: 0,
            looks: 0,
            found: 0,
        }
    }

    /// Looks at a stored state in which something can happen. Whether its propositions may be known.
    #[inline]
    pub fn look_at(&mut self, packer: &mut Packer, state: &[u8]) -> Looked {
        self.forget_state();
        if !self.is_of_use {
            return Looked::Anew;
        }
        let PropositionCache { by_shape, judged, values, .. } = self;
        let mut key = (0, [0; MOST_PIECES]);
        let mut together = 0;
        let shape = packer.numbers_in(state, |numbers| {
            let shape = numbers.shape() as usize;
            let here = by_shape.get_mut(shape)?.as_mut()?;
            (*judged, *values) = (here.fixed.judged, here.fixed.values);
            for watched in &mut here.watched {
                watched.number = numbers.of(watched.piece);
                let known = watched.known.get(watched.number as usize).copied().unwrap_or_default();
                *judged |= known.judged;
                *values |= known.values;
            }
            together = here.together;
            key.0 = shape as u32 + 1;
            key.1.iter_mut().zip(&here.pieces).for_each(|(place, piece)| *place = numbers.of(*piece));
            Some((shape, here.alone.is_empty()))
        });
        let Some((shape, nobody_alone)) = shape else { return Looked::NewShape };
        self.shape = Some(shape);
        if together != 0 && !self.is_given_up {
            self.look_together(key);
        }
        if nobody_alone && self.line.is_none() { Looked::Anew } else { Looked::Known }
    }

    /// Looks at those that look at several pieces.
    fn look_together(&mut self, key: (u32, [u64; MOST_PIECES])) {
        if self.lines.is_empty() {
            self.lines.resize(LINES, Line::default());
        }
        let mix =
            |hash: u64, number: &u64| (hash ^ *number).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
        let hash = key.1.iter().fold(key.0 as u64, mix);
        let place = (hash >> 32) as usize % LINES;
        self.looks += 1;
        let line = &mut self.lines[place];
        if line.key == key {
            self.found += 1;
            self.judged |= line.judged;
            self.values |= line.values;
        } else {
            *line = Line { key, judged: 0, values: 0 };
            if self.looks >= TRIAL {
                if self.found < self.looks / 2 {
                    self.is_given_up = true;
                    return;
                }
                (self.looks, self.found) = (0, 0);
            }
        }
        self.line = Some(place);
    }

    /// Learns what propositions look at in the shape of a state, whose processes lie here.
    #[cold]
    pub fn learn_shape(&mut self, packer: &mut Packer, state: &[u8], processes: &[FramePlace]) {
        let ranges_of = |looks: &[Look]| {
            let frame = |ty: u16, pid: Option<i32>| match pid {
                Some(pid) => usize::try_from(pid).ok().and_then(|pid| processes.get(pid)),
                None => processes.iter().find(|frame| frame.ty == ty),
            };
            let range = |look: &Look| match look {
                Look::Globals(range) => Some(range.clone()),
                Look::Location { process_type, pid } => {
                    let frame = frame(*process_type, *pid)?;
                    let start = frame.start as usize;
                    Some(start..start + self.header_sizes[frame.ty as usize])
                }
                Look::Variables { process_type, pid, bytes } => {
                    let frame = frame(*process_type, *pid).filter(|frame| frame.ty == *process_type)?;
                    let variables = frame.start as usize + self.header_sizes[frame.ty as usize];
                    Some(variables + bytes.start..variables + bytes.end)
                }
            };
            // What is not there has the same value as long as it is not.
            looks.iter().filter_map(range).collect::<Vec<Range<usize>>>()
        };
        let (shape, here) = packer.numbers_in(state, |numbers| {
            let mut here = ShapePropositions::default();
            let mut ranges = Vec::new();
            for (proposition, looks) in self.looks_at.iter().enumerate() {
                let Some(looks) = looks else { continue };
                let mut of_this = ranges_of(looks);
                match numbers.pieces_in(&of_this)[..] {
                    [] => here.alone.push((proposition, None)),
                    [piece] => {
                        here.alone.push((proposition, Some(piece)));
                        if here.watched.iter().all(|watched| watched.piece != piece) {
                            here.watched.push(Watched { piece, known: Vec::new(), number: 0 });
                        }
                    }
                    _ => {
                        here.together |= 1 << proposition;
                        ranges.append(&mut of_this);
                    }
                }
            }
            here.pieces = numbers.pieces_in(&ranges);
            if here.pieces.len() > MOST_PIECES {
                (here.together, here.pieces) = (0, Box::default());
            }
            (numbers.shape() as usize, here)
        });
        if self.by_shape.len() <= shape {
            self.by_shape.resize_with(shape + 1, || None);
        }
        self.by_shape[shape] = Some(here);
    }

    /// The value of a proposition in the state that is looked at, if it is known.
    #[inline]
    pub fn value(&self, proposition: usize) -> Option<bool> {
        let is_judged = proposition < MOST_PROPOSITIONS && self.judged >> proposition & 1 == 1;
        is_judged.then(|| self.values >> proposition & 1 == 1)
    }

    /// The values of all propositions in a state in which something can happen, a bit for each, if they are
    /// known and each of them looks at one piece or none.
    #[inline]
    pub fn all_in(&self, packer: &mut Packer, state: &[u8]) -> Option<u64> {
        let all = self.all?;
        packer.numbers_in(state, |numbers| {
            let here = self.by_shape.get(numbers.shape() as usize)?.as_ref()?;
            let Known { mut judged, mut values } = here.fixed;
            for watched in &here.watched {
                let known = watched.known.get(numbers.of(watched.piece) as usize)?;
                judged |= known.judged;
                values |= known.values;
            }
            (judged == all).then_some(values)
        })
    }

    /// Of the propositions that are kept in states like the one that is looked at, those that are not known
    /// there, a bit each.
    pub fn unknown(&self) -> u64 {
        let Some(Some(here)) = self.shape.and_then(|shape| self.by_shape.get(shape)) else { return 0 };
        let together = if self.line.is_some() { here.together } else { 0 };
        let is_kept = |piece: usize| {
            here.watched.iter().any(|watched| watched.piece == piece && watched.number < MOST_NUMBERS)
        };
        let alone = here.alone.iter().filter(|(_, piece)| piece.is_none_or(is_kept));
        alone.fold(together, |all, (proposition, _)| all | 1 << proposition) & !self.judged
    }

    /// The state that is looked at has nothing to do with what is known.
    #[inline]
    pub fn forget_state(&mut self) {
        (self.shape, self.line, self.judged, self.values) = (None, None, 0, 0);
    }

    /// A proposition was judged in the state that is looked at.
    pub fn learn(&mut self, proposition: usize, value: bool) {
        let Some(Some(here)) = self.shape.and_then(|shape| self.by_shape.get_mut(shape)) else { return };
        match here.alone.iter().find(|alone| alone.0 == proposition) {
            Some((_, None)) => here.fixed.learn(proposition, value),
            Some((_, Some(piece))) => {
                let watched = here.watched.iter_mut().find(|watched| watched.piece == *piece);
                if let Some(watched) = watched.filter(|watched| watched.number < MOST_NUMBERS) {
                    let number = watched.number as usize;
                    if watched.known.len() <= number {
                        watched.known.resize(number + 1, Known::default());
                    }
                    watched.known[number].learn(proposition, value);
                }
            }
            None => {
                if let Some(line) = self.line
                    && proposition < MOST_PROPOSITIONS
                    && here.together >> proposition & 1 == 1
                {
                    let line = &mut self.lines[line];
                    line.judged |= 1 << proposition;
                    line.values |= (value as u64) << proposition;
                }
            }
        }
        if proposition < MOST_PROPOSITIONS {
            self.judged |= 1 << proposition;
            self.values |= u64::from(value) << proposition;
        }
    }

    pub fn bytes(&self) -> u64 {
        let watched = self.by_shape.iter().flatten().flat_map(|shape| &shape.watched);
        let lists: usize =
            watched.map(|watched| watched.known.capacity() * size_of::<Known>() + size_of::<Watched>()).sum();
        let shapes = self.by_shape.capacity() * size_of::<Option<ShapePropositions>>();
        (self.lines.capacity() * size_of::<Line>() + lists + shapes) as u64
    }
}

/// Adds what an expression may look at; `None` if that is not known beforehand.
fn looks_in(expr: &Expr, looks: &mut Vec<Look>) -> Option<()> {
    match expr {
        Expr::Constant(_) => Some(()),
        Expr::Global { offset, storage } => {
            let start = *offset as usize;
            looks.push(Look::Globals(start..start + storage.size() as usize));
            Some(())
        }
        Expr::Load(place) => looks_at_place(place, looks),
        Expr::Unary(_, value) => looks_in(value, looks),
        Expr::Binary(_, sides) => {
            looks_in(&sides.0, looks)?;
            looks_in(&sides.1, looks)
        }
        Expr::Conditional(parts) => {
            looks_in(&parts.0, looks)?;
            looks_in(&parts.1, looks)?;
            looks_in(&parts.2, looks)
        }
        Expr::RemoteLabel { process, pid, .. } => {
            looks.push(Look::Location { process_type: process.0, pid: constant(pid.as_deref())? });
            Some(())
        }
        _ => None,
    }
}

/// The number of a process, if one is given; `None` if it is no constant.
fn constant(pid: Option<&Expr>) -> Option<Option<i32>> {
    match pid {
        None => Some(None),
        Some(Expr::Constant(pid)) => Some(Some(*pid)),
        Some(_) => None,
    }
}

fn looks_at_place(place: &Place, looks: &mut Vec<Look>) -> Option<()> {
    let start = place.offset as usize;
    let mut end = start + place.storage.size() as usize;
    for index in &place.indices {
        looks_in(&index.value, looks)?;
        end += (index.length.saturating_sub(1) * index.stride) as usize;
    }
    looks.push(match &place.base {
        Base::Global => Look::Globals(start..end),
        Base::Remote { process, pid } => {
            let pid = constant(pid.as_deref())?;
            Look::Variables { process_type: process.0, pid, bytes: start..end }
        }
        Base::Local | Base::Priority | Base::Nowhere => return None,
    });
    Some(())
}
