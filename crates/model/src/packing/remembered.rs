//! Steps that are remembered: what a process did before in the same place, it does again.
//!
//! A process at a location looks at few pieces of a state: its own, and those of the globals and channels in its footprint
//! ([`crate::footprint`]). With the same numbers for these pieces it does the same, whatever the rest of the state is: each of its
//! successors is the state with a few numbers replaced. So the replacements are kept, by the numbers that they follow from. A search
//! meets the same numbers again and again, in different company; for most processes in most states nothing is unpacked, executed or packed.
//!
//! ```text
//! shape, process, number of its location's piece  →  which pieces it looks at (or: unknown, do not remember)
//! process, numbers of these pieces                →  for each successor, (piece, new number), …
//! ```
//!
//! The second table is a cache of fixed size: what is new takes the place of what was there. A process that
//! finds too little there is no longer looked up.

use super::pieces::mixed;
use super::{KnownPiece, Numbering, Packing, SHORT, replace_number, take_number};
use crate::successors::Entry;
use std::ops::Range;

/// A process that looks at more pieces is not remembered.
const MOST_PIECES: usize = 13;
const TABLE_BITS: u32 = 15;
/// Words of all replacements together. If there are more, everything is forgotten.
const MOST_EFFECTS: usize = 1 << 20;
/// So much room is left: what one process does is hardly ever longer.
const MOST_AT_ONCE: usize = 1 << 12;
/// Shapes and numbers beyond these are not remembered.
const MOST_SHAPES: usize = 1 << 12;
const MOST_NUMBERS: usize = 1 << 16;
/// After so many lookups of a process's pieces, one in [`WORTHWHILE`] must have been found.
const TRIAL: u32 = 1 << 12;
const WORTHWHILE: u32 = 3;

/// What is remembered.
#[derive(Debug)]
pub struct RememberedSteps {
    shapes: Vec<Option<Box<[ProcessMemory]>>>,
    views: Vec<View>,
    table: Box<[Line]>,
    effects: Vec<u32>,
    key: Key,
}

/// What is known about a process of a shape.
#[derive(Debug, Default)]
struct ProcessMemory {
    /// The piece with its location.
    piece: u32,
    /// By the number of that piece: 0 if nothing is known, [`NEVER`], or a view and one.
    views: Vec<u32>,
}

const NEVER: u32 = u32::MAX;

/// Which pieces a process looks at.
#[derive(Clone, Debug)]
struct View {
    pieces: [u16; MOST_PIECES],
    count: u32,
    lookups: u32,
    found: u32,
}

/// What a step follows from: the view and one, and the numbers of its pieces.
type Key = [u32; MOST_PIECES + 1];

#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
struct Line {
    key: Key,
    effect: u32,
}

/// What [`Packing::recall`] comes to.
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
    /// The number of the process.
    pub pid: usize,
    lesson: Lesson,
}

/// What is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lesson {
    /// Nothing: it is never remembered.
    Nothing,
    /// Which pieces the process looks at; and what it does.
    View,
    /// What it does.
    Step,
}

impl Default for RememberedSteps {
    fn default() -> Self {
        RememberedSteps {
            shapes: Vec::new(),
            views: Vec::new(),
            // Made when something is to be remembered.
            table: Box::default(),
            effects: Vec::new(),
            key: [0; MOST_PIECES + 1],
        }
    }
}

#[inline]
fn place_of(key: &Key, count: usize) -> usize {
    let mut hash = key[0] as u64;
    for number in &key[1..=count] {
        hash = mixed(hash ^ *number as u64);
    }
    (hash >> (64 - TABLE_BITS)) as usize
}

impl RememberedSteps {
    /// Bytes of it all.
    pub fn bytes(&self) -> u64 {
        let memories = self.shapes.iter().flatten().flatten();
        let numbers: usize = memories.map(|memory| memory.views.capacity()).sum();
        (size_of_val(&self.table[..]) + (numbers + self.effects.capacity()) * 4) as u64
            + (self.views.capacity() * size_of::<View>()) as u64
    }

    fn forget(&mut self) {
        self.effects.clear();
        self.table.iter_mut().for_each(|line| line.key[0] = 0);
    }
}

impl Packing {
    /// Begins with a packed state: the number of its shape, and how many processes it has.
    #[inline]
    pub fn begin(&self, stored: &[u8], steps: &mut RememberedSteps) -> (u32, usize) {
        let mut numbering = self.numbering.borrow_mut();
        let plan = self.parse(&mut numbering, stored);
        let shape = plan.shape as usize;
        if steps.table.is_empty() {
            let empty = Line { key: [0; MOST_PIECES + 1], effect: 0 };
            steps.table = vec![empty; 1 << TABLE_BITS].into_boxed_slice();
        }
        if steps.shapes.get(shape).is_none_or(|shape| shape.is_none()) {
            self.learn_shape(&numbering, steps);
        }
        (shape as u32, plan.processes.len())
    }

    #[cold]
    fn learn_shape(&self, numbering: &Numbering, steps: &mut RememberedSteps) {
        let Some(plan) = &numbering.reference.plan else { return };
        let shape = plan.shape as usize;
        if shape >= MOST_SHAPES {
            return;
        }
        if steps.shapes.len() <= shape {
            steps.shapes.resize_with(shape + 1, || None);
        }
        let memory = |frame: &Range<usize>| {
            let location = frame.start + self.tag_size;
            let piece = plan.pieces_in(&(location..location + 1)).next();
            // A type with one location needs no bits for it: then any piece of its own will do, or any at all.
            let piece = piece.or_else(|| plan.pieces_in(frame).next()).unwrap_or(0);
            ProcessMemory { piece: piece as u32, views: Vec::new() }
        };
        steps.shapes[shape] = Some(plan.processes.iter().map(memory).collect());
    }

    /// Adds the successors that processes are known to have, from process `below` - 1 down to the first that must be executed. They are
    /// written behind `out`, as they are stored. `moved` is set if something can happen.
    #[inline]
    pub fn recall(
        &self,
        steps: &mut RememberedSteps,
        below: usize,
        out: &mut Vec<u8>,
        entries: &mut Vec<Entry>,
        moved: &mut bool,
    ) -> Recalled {
        let numbering = self.numbering.borrow();
        let reference = &numbering.reference;
        let Some(plan) = reference.plan.as_deref() else { return Recalled::Everything };
        let RememberedSteps { shapes, views, table, effects, key } = steps;
        let Some(Some(memories)) = shapes.get(plan.shape as usize) else {
            return match below {
                0 => Recalled::Everything,
                _ => Recalled::Not(Missing { pid: below - 1, lesson: Lesson::Nothing }),
            };
        };
        for pid in (0..below).rev() {
            let memory = &memories[pid];
            let number = reference.pieces.get(memory.piece as usize).map_or(0, |piece| piece.number);
            let view = match memory.views.get(number as usize) {
                Some(&NEVER) => return Recalled::Not(Missing { pid, lesson: Lesson::Nothing }),
                Some(&view) if view != 0 => view,
                _ => {
                    let lesson =
                        if (number as usize) < MOST_NUMBERS { Lesson::View } else { Lesson::Nothing };
                    return Recalled::Not(Missing { pid, lesson });
                }
            };
            let facts = &mut views[view as usize - 1];
            key[0] = view;
            let count = facts.count as usize;
            for (number, piece) in key[1..].iter_mut().zip(&facts.pieces[..count]) {
                *number = reference.pieces[*piece as usize].number;
            }
            let line = &table[place_of(key, count)];
            facts.lookups += 1;
            if !line.key.iter().zip(&key[..=count]).all(|(known, wanted)| known == wanted) {
                return Recalled::Not(Missing { pid, lesson: Lesson::Step });
            }
            facts.found += 1;
            let mut effect = effects[line.effect as usize..].iter().copied();
            let mut next = || effect.next().unwrap_or(0);
            let header = next();
            *moved |= header & 1 == 1;
            let successors = (header >> 1) as usize;
            for _ in 0..successors {
                let start = out.len();
                let mut length = reference.packed_length;
                match reference.packed.first_chunk::<SHORT>() {
                    Some(packed) if length <= SHORT => {
                        out.extend_from_slice(packed);
                        out.truncate(start + length);
                    }
                    _ => out.extend_from_slice(&reference.packed[..length]),
                }
                for _ in 0..next() {
                    let (piece, number) = (next() as usize, next());
                    let KnownPiece { number: old, end, .. } = reference.pieces[piece];
                    let end = end as usize + length - reference.packed_length;
                    if (number | old) < 0x80 {
                        out[start + end - 1] = number as u8;
                    } else {
                        out.resize(start + length + 4, 0);
                        length = replace_number(&mut out[start..], length, end, old, number);
                        out.truncate(start + length);
                    }
                }
                let (start, end) = (start as u32, (start + length) as u32);
                entries.push(Entry { start, end, steps_start: 0, steps_end: 0, held: Entry::NOBODY });
            }
        }
        Recalled::Everything
    }

    /// Remembers what a process has done from the state with which [`Packing::begin`] began: its successors, as they are stored. `footprint`
    /// is asked for if it is not known which pieces the process looks at; it is given whether the process's own variables all lie in one piece.
    pub fn remember(
        &self,
        steps: &mut RememberedSteps,
        Missing { pid, lesson }: Missing,
        footprint: impl FnOnce(bool) -> Option<Vec<Range<usize>>>,
        packed: &[u8],
        entries: &[Entry],
        moved: bool,
    ) {
        if lesson == Lesson::Nothing {
            return;
        }
        let numbering = self.numbering.borrow();
        let reference = &numbering.reference;
        let Some(plan) = reference.plan.as_deref() else { return };
        let Some(Some(memories)) = steps.shapes.get_mut(plan.shape as usize) else { return };
        let memory = &mut memories[pid];
        let number = reference.pieces.get(memory.piece as usize).map_or(0, |piece| piece.number) as usize;
        if memory.views.len() <= number {
            memory.views.resize(number + 1, 0);
        }
        if memory.views[number] == 0 {
            let own: Vec<usize> = plan.pieces_in(&plan.processes[pid]).collect();
            let view = footprint(own.len() == 1).and_then(|ranges| {
                let mut pieces: Vec<usize> =
                    own.into_iter().chain(ranges.iter().flat_map(|range| plan.pieces_in(range))).collect();
                pieces.sort_unstable();
                pieces.dedup();
                View::new(&pieces)
            });
            memory.views[number] = match view {
                None => NEVER,
                Some(view) => {
                    steps.views.push(view);
                    steps.views.len() as u32
                }
            };
        }
        let view = memory.views[number];
        if view == NEVER {
            return;
        }
        let facts = &mut steps.views[view as usize - 1];
        if facts.lookups >= TRIAL {
            if facts.found < facts.lookups / WORTHWHILE {
                memory.views[number] = NEVER;
                return;
            }
            (facts.lookups, facts.found) = (0, 0);
        }
        let count = facts.count as usize;
        let mut key = [0; MOST_PIECES + 1];
        key[0] = view;
        for (number, piece) in key[1..].iter_mut().zip(&facts.pieces[..count]) {
            *number = reference.pieces[*piece as usize].number;
        }
        let seen = facts.pieces;
        let effect = steps.effects.len() as u32;
        steps.effects.push((entries.len() as u32) << 1 | moved as u32);
        for entry in entries {
            let state = &packed[entry.start as usize..entry.end as usize];
            let mut at = 0;
            let same_shape = take_number(state, &mut at) == plan.shape;
            let header = steps.effects.len();
            steps.effects.push(0);
            for (piece, known) in reference.pieces.iter().enumerate().take_while(|_| same_shape) {
                let number = take_number(state, &mut at);
                if number != known.number {
                    // A process changes nothing that it does not look at.
                    assert!(seen[..count].contains(&(piece as u16)), "a footprint is too small");
                    steps.effects[header] += 1;
                    steps.effects.extend([piece as u32, number]);
                }
            }
            if !same_shape {
                steps.effects.truncate(effect as usize);
                memory.views[number] = NEVER;
                return;
            }
        }
        steps.table[place_of(&key, count)] = Line { key, effect };
        if steps.effects.len() > MOST_EFFECTS - MOST_AT_ONCE {
            steps.forget();
        }
    }
}

impl View {
    fn new(pieces: &[usize]) -> Option<View> {
        let mut view = View { pieces: [0; MOST_PIECES], count: pieces.len() as u32, lookups: 0, found: 0 };
        if pieces.len() > MOST_PIECES {
            return None;
        }
        for (place, piece) in view.pieces.iter_mut().zip(pieces) {
            *place = u16::try_from(*piece).ok()?;
        }
        Some(view)
    }
}
