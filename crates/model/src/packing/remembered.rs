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
//!
//! From a state to the next one few pieces change ([`super::reference`]). A process that looks at none of them does what it did in the state before: what was
//! found for it there is *kept*, and found without a look at the tables.

use super::effects::{add_effect, repeat};
use super::pieces::mixed;
use super::reference::{EVERYTHING, MOST_FOLLOWED, Reference};
use super::{Numbering, Packing};
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
    /// What steps do, one behind the other ([`super::effects`]).
    effects: Vec<u32>,
    /// By process: what was found last.
    kept: Vec<Kept>,
    /// Pieces that have changed since; and [`NOTHING_KEPT`].
    changed: u64,
    /// Which of the beginnings of [`Numbering`] was the last of these steps.
    begun: u64,
}

/// What a process did when it was looked up last. It does so again as long as no piece has changed that it looks at.
#[derive(Clone, Copy, Debug)]
pub struct Kept {
    /// These pieces; or [`NOTHING_KEPT`].
    pieces: u64,
    /// Where its effect begins.
    pub effect: u32,
    view: u32,
    /// How often it was used again.
    again: u32,
}

/// A bit that stands for no piece, and always counts as changed.
const NOTHING_KEPT: u64 = 1 << MOST_FOLLOWED;

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
    /// These pieces, and the one that the view was found by: a bit for each.
    all: u64,
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
            kept: Vec::new(),
            changed: EVERYTHING,
            begun: 0,
        }
    }
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
        self.kept.iter_mut().for_each(|kept| kept.pieces = NOTHING_KEPT);
    }
}

/// Keeps what is remembered of a process in the state of the reference; or says what is missing.
#[inline(never)]
fn look_up(
    kept: &mut Kept,
    memory: &ProcessMemory,
    views: &mut [View],
    table: &[Line],
    reference: &Reference,
) -> Result<(), Lesson> {
    if let Some(facts) = views.get_mut((kept.view as usize).wrapping_sub(1)) {
        facts.lookups += kept.again;
        facts.found += kept.again;
    }
    (kept.pieces, kept.again) = (NOTHING_KEPT, 0);
    let number = reference.pieces.get(memory.piece as usize).map_or(0, |piece| piece.number);
    let view = match memory.views.get(number as usize) {
        Some(&NEVER) => return Err(Lesson::Nothing),
        Some(&view) if view != 0 => view,
        _ => return Err(if (number as usize) < MOST_NUMBERS { Lesson::View } else { Lesson::Nothing }),
    };
    let facts = &mut views[view as usize - 1];
    facts.lookups += 1;
    let line = &table[facts.place(view, reference)];
    let same = line.key[1..].iter().zip(facts.numbers(reference)).all(|(known, number)| *known == number);
    if line.key[0] != view || !same {
        return Err(Lesson::Step);
    }
    facts.found += 1;
    *kept = Kept { pieces: facts.all, effect: line.effect, view, again: 0 };
    Ok(())
}

impl Packing {
    /// Begins with a packed state: the number of its shape, and how many processes it has.
    pub fn begin(&self, stored: &[u8], steps: &mut RememberedSteps) -> (u32, usize) {
        let mut numbering = self.numbering.borrow_mut();
        self.parse(&mut numbering, stored);
        let changed = numbering.reference.take_changes();
        // What others have begun meanwhile, these steps have not seen.
        steps.changed |= if numbering.begun == steps.begun { changed | NOTHING_KEPT } else { EVERYTHING };
        numbering.begun += 1;
        steps.begun = numbering.begun;
        let Some(plan) = numbering.reference.plan.as_deref() else { return (0, 0) };
        let (shape, processes) = (plan.shape as usize, plan.processes.len());
        if steps.table.is_empty() {
            let empty = Line { key: [0; MOST_PIECES + 1], effect: 0 };
            steps.table = vec![empty; 1 << TABLE_BITS].into_boxed_slice();
        }
        if steps.shapes.get(shape).is_none_or(|shape| shape.is_none()) {
            self.learn_shape(&numbering, steps);
        }
        if steps.kept.len() < processes {
            let nothing = Kept { pieces: NOTHING_KEPT, effect: 0, view: 0, again: 0 };
            steps.kept.resize(processes, nothing);
        }
        (shape as u32, processes)
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
        let RememberedSteps { shapes, views, table, effects, kept, changed, .. } = steps;
        let Some(Some(memories)) = shapes.get(plan.shape as usize) else {
            return match below {
                0 => Recalled::Everything,
                _ => Recalled::Not(Missing { pid: below - 1, lesson: Lesson::Nothing }),
            };
        };
        let (kept, memories) = (&mut kept[..below], &memories[..below]);
        let missing = (0..below).rev().find_map(|pid| {
            if kept[pid].pieces & *changed == 0 {
                kept[pid].again += 1;
                return None;
            }
            let lesson = look_up(&mut kept[pid], &memories[pid], views, table, reference).err()?;
            Some(Missing { pid, lesson })
        });
        let known = missing.map_or(0, |missing| missing.pid + 1);
        *moved |= repeat(effects, &kept[known..], reference, out, entries);
        if let Some(missing) = missing {
            return Recalled::Not(missing);
        }
        // Only here: where a state is given up in the middle, some processes have not looked at what has changed.
        *changed = NOTHING_KEPT;
        Recalled::Everything
    }

    /// Remembers what a process has done from the state with which [`Packing::begin`] began: its successors, as they are stored. `footprint`
    /// is asked for if it is not known which pieces the process looks at; it is given whether the process's own variables all lie in one piece.
    #[inline]
    pub fn remember(
        &self,
        steps: &mut RememberedSteps,
        missing: Missing,
        footprint: impl FnOnce(bool) -> Option<Vec<Range<usize>>>,
        packed: &[u8],
        entries: &[Entry],
        moved: bool,
    ) {
        if missing.lesson != Lesson::Nothing {
            self.learn(steps, missing.pid, footprint, packed, entries, moved);
        }
    }

    fn learn(
        &self,
        steps: &mut RememberedSteps,
        pid: usize,
        footprint: impl FnOnce(bool) -> Option<Vec<Range<usize>>>,
        packed: &[u8],
        entries: &[Entry],
        moved: bool,
    ) {
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
                View::new(&pieces, memory.piece as usize)
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
        let place = facts.place(view, reference);
        let mut key = [0; MOST_PIECES + 1];
        key[0] = view;
        key[1..].iter_mut().zip(facts.numbers(reference)).for_each(|(place, number)| *place = number);
        let seen = &facts.pieces[..facts.count as usize];
        let effect = steps.effects.len() as u32;
        if !add_effect(&mut steps.effects, reference, seen, packed, entries, moved) {
            memory.views[number] = NEVER;
            return;
        }
        steps.table[place] = Line { key, effect };
        if steps.effects.len() > MOST_EFFECTS - MOST_AT_ONCE {
            steps.forget();
        }
    }
}

impl View {
    /// A view of some pieces, found by the number of a piece.
    fn new(pieces: &[usize], found_by: usize) -> Option<View> {
        if pieces.len() > MOST_PIECES {
            return None;
        }
        let bit = |piece: usize| if piece < MOST_FOLLOWED { 1 << piece } else { NOTHING_KEPT };
        let all = pieces.iter().fold(bit(found_by), |all, piece| all | bit(*piece));
        let mut view =
            View { pieces: [0; MOST_PIECES], count: pieces.len() as u32, all, lookups: 0, found: 0 };
        for (place, piece) in view.pieces.iter_mut().zip(pieces) {
            *place = u16::try_from(*piece).ok()?;
        }
        Some(view)
    }

    /// The numbers of its pieces.
    #[inline]
    fn numbers(&self, reference: &Reference) -> impl Iterator<Item = u32> {
        let pieces = &self.pieces[..self.count as usize];
        pieces.iter().map(|piece| reference.pieces[*piece as usize].number)
    }

    /// Where a step from the reference lies in the table. `view` is the number of this view and one.
    #[inline]
    fn place(&self, view: u32, reference: &Reference) -> usize {
        let hash = self.numbers(reference).fold(view as u64, |hash, number| mixed(hash ^ number as u64));
        (hash >> (64 - TABLE_BITS)) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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

    /// What is kept of a process is not used when the effects that it names are forgotten, nor when others have begun with other states meanwhile.
    #[test]
    fn what_is_kept_is_given_up_in_time() {
        let model = crate::text::parse(TEXT).unwrap_or_else(|error| panic!("{error}"));
        let interpreter = Interpreter::new(&model);
        let packing = interpreter.packing();
        let next = |state: &[u8]| {
            let mut out = Successors::new();
            interpreter.successors(state, &mut out);
            out
        };
        let recalled = |state: &[u8], steps: &mut RememberedSteps| {
            let (mut bytes, mut entries, mut moved) = (Vec::new(), Vec::new(), false);
            let (_, below) = packing.begin(state, steps);
            match packing.recall(steps, below, &mut bytes, &mut entries, &mut moved) {
                Recalled::Everything => Ok(bytes),
                Recalled::Not(missing) => Err(missing),
            }
        };
        let learn = |state: &[u8], steps: &mut RememberedSteps| {
            let missing = recalled(state, steps).unwrap_err();
            let mut out = next(state);
            let (bytes, entries) = out.parts_mut();
            packing.remember(steps, missing, |_| Some(std::iter::once(0..1).collect()), bytes, entries, true);
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
        steps.forget();
        assert!(recalled(&second, &mut steps).is_err());
        learn(&second, &mut steps);
        assert_eq!(recalled(&second, &mut steps).as_ref(), Ok(&third));
    }
}
