//! A cache of the values of propositions.
//!
//! What properties are about is mostly a few global variables. These lie in a few pieces of a state, and
//! where the numbers of these pieces are the same, the propositions have the same values, whatever the rest
//! of the state is. So the values are kept under these numbers: in most states, nothing is unpacked in order
//! to judge propositions.
//!
//! It is a cache of fixed size with one entry in each line: a new entry replaces the old one. If too little
//! is found, the cache is given up. Propositions that look at anything but globals (processes, channels,
//! `timeout`) are always judged anew.

use lariat_engine::{Layout, Packer};
use lariat_model::ir::{Base, Expr, Model, Place};
use std::ops::Range;

/// States whose propositions lie in more pieces are judged anew.
const MOST_PIECES: usize = 4;
const LINES: usize = 1 << 10;
/// After so many states, one half must have been found.
const TRIAL: u32 = 1 << 12;

/// The values of propositions in states that agree on what they look at.
#[derive(Clone, Copy, Debug, Default)]
struct Line {
    /// The shape and one, and the numbers of the pieces.
    key: (u32, [u64; MOST_PIECES]),
    /// Which propositions are judged, and which of these are true: a bit each.
    judged: u64,
    values: u64,
}

/// What is known about propositions.
#[derive(Debug)]
pub struct PropositionCache {
    /// Those that look at globals only: a bit each. 0 if nothing is kept.
    of_globals: u64,
    /// The bytes that these look at.
    ranges: Vec<Range<usize>>,
    /// By shape: the pieces in which these lie, or `None` if there are too many.
    pieces: Vec<Option<Option<Box<[usize]>>>>,
    lines: Vec<Line>,
    /// The line of the state that is looked at.
    line: Option<usize>,
    /// States that were looked at, and of how many something was known.
    looks: u32,
    found: u32,
}

impl PropositionCache {
    pub fn new(model: &Model, layout: &Layout) -> PropositionCache {
        let mut ranges = Vec::new();
        let mut of_globals = 0;
        for (number, proposition) in model.propositions.iter().enumerate().take(64) {
            let mut more = Vec::new();
            // Hidden variables are no part of what is stored in pieces.
            if globals_in(&proposition.value, &mut more).is_some()
                && more.iter().all(|range| range.end <= layout.globals_size)
            {
                of_globals |= 1 << number;
                ranges.append(&mut more);
            }
        }
        let (pieces, lines) = (Vec::new(), Vec::new());
        PropositionCache { of_globals, ranges, pieces, lines, line: None, looks: 0, found: 0 }
    }

    /// Looks at a stored state in which something can happen. Whether its propositions may be known.
    #[inline]
    pub fn look_at(&mut self, packer: &mut Packer, state: &[u8]) -> bool {
        self.line = None;
        if self.of_globals == 0 {
            return false;
        }
        if self.lines.is_empty() {
            self.lines.resize(LINES, Line::default());
        }
        let ranges = &self.ranges;
        let mut key = (0, [0; MOST_PIECES]);
        let pieces = &mut self.pieces;
        let is_short = packer.numbers_in(state, |numbers| {
            let shape = numbers.shape();
            if pieces.len() <= shape as usize {
                pieces.resize(shape as usize + 1, None);
            }
            let pieces = pieces[shape as usize].get_or_insert_with(|| {
                let pieces = numbers.pieces_in(ranges);
                (pieces.len() <= MOST_PIECES).then_some(pieces)
            });
            key.0 = shape + 1;
            let Some(pieces) = pieces else { return false };
            key.1.iter_mut().zip(pieces.iter()).for_each(|(place, piece)| *place = numbers.of(*piece));
            true
        });
        if !is_short {
            return false;
        }
        let mix =
            |hash: u64, number: &u64| (hash ^ *number).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
        let hash = key.1.iter().fold(key.0 as u64, mix);
        let place = (hash >> 32) as usize % LINES;
        self.looks += 1;
        if self.lines[place].key == key {
            self.found += 1;
        } else {
            self.lines[place] = Line { key, judged: 0, values: 0 };
            if self.looks >= TRIAL {
                if self.found < self.looks / 2 {
                    self.of_globals = 0;
                    return false;
                }
                (self.looks, self.found) = (0, 0);
            }
        }
        self.line = Some(place);
        true
    }

    /// The value of a proposition in the state that is looked at, if it is known.
    #[inline]
    pub fn value(&self, proposition: usize) -> Option<bool> {
        let line = self.lines.get(self.line?)?;
        (proposition < 64 && line.judged >> proposition & 1 == 1).then(|| line.values >> proposition & 1 == 1)
    }

    /// The state that is looked at has nothing to do with what is known.
    pub fn forget_state(&mut self) {
        self.line = None;
    }

    /// A proposition was judged.
    #[inline]
    pub fn learn(&mut self, proposition: usize, value: bool) {
        if let Some(line) = self.line
            && proposition < 64
            && self.of_globals >> proposition & 1 == 1
        {
            let line = &mut self.lines[line];
            line.judged |= 1 << proposition;
            line.values |= (value as u64) << proposition;
        }
    }

    pub fn bytes(&self) -> u64 {
        (self.lines.capacity() * size_of::<Line>()) as u64
    }
}

/// Adds the bytes of the globals that an expression may look at; `None` if it may look at something else.
fn globals_in(expr: &Expr, ranges: &mut Vec<Range<usize>>) -> Option<()> {
    match expr {
        Expr::Constant(_) => Some(()),
        Expr::Global { offset, storage } => {
            let start = *offset as usize;
            ranges.push(start..start + storage.size() as usize);
            Some(())
        }
        Expr::Load(place) => globals_at(place, ranges),
        Expr::Unary(_, value) => globals_in(value, ranges),
        Expr::Binary(_, sides) => {
            globals_in(&sides.0, ranges)?;
            globals_in(&sides.1, ranges)
        }
        Expr::Conditional(parts) => {
            globals_in(&parts.0, ranges)?;
            globals_in(&parts.1, ranges)?;
            globals_in(&parts.2, ranges)
        }
        _ => None,
    }
}

fn globals_at(place: &Place, ranges: &mut Vec<Range<usize>>) -> Option<()> {
    if place.base != Base::Global {
        return None;
    }
    let start = place.offset as usize;
    let mut end = start + place.storage.size() as usize;
    for index in &place.indices {
        globals_in(&index.value, ranges)?;
        end += (index.length.saturating_sub(1) * index.stride) as usize;
    }
    ranges.push(start..end);
    Some(())
}
