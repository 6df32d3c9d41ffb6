//! Steps that are remembered: what a process did before in the same place, it does again.
//!
//! A process at a location looks at few pieces of a state: its own, and those of the globals and channels in its footprint
//! ([`crate::footprint`]). With the same numbers for these pieces it does the same, whatever the rest of the state is ([`super::effects`]). So
//! what it does is kept, by the bytes that it follows from. A search
//! meets the same bytes again and again, in different company; for most processes in most states nothing is unpacked, executed or packed.
//!
//! ```text
//! shape, process, number of its location's piece  →  its view: which bytes it looks at, as a mask (or: unknown, do not remember)
//! view, these bytes                               →  effect
//! ```
//!
//! The second table is a cache of fixed size: what is new takes the place of what was there. A process that
//! finds too little there is no longer looked up.
//!
//! From a state to the next one few places change ([`super::reference`]). A process that looks at none of them does what it did in the state before: what was
//! found for it there is *kept*, and found without a look at the tables.

use super::effects::{add_effect, repeat};
use super::reference::{EVERYTHING, NO_PLACE, Reference};
use super::{Numbering, Packing};
use crate::successors::Entry;
use std::ops::Range;

/// Lines of the table, as powers of two: it grows with what is learnt, because a small one stays in the cache.
const FIRST_TABLE_BITS: u32 = 10;
const LAST_TABLE_BITS: u32 = 16;
/// Words of all effects together. If there are more, everything is forgotten.
const MOST_EFFECTS: usize = 1 << 19;
/// So much room is left: what one process does is hardly ever longer.
const MOST_AT_ONCE: usize = 1 << 12;
/// Shapes and numbers beyond these are not remembered.
const MOST_SHAPES: usize = 1 << 12;
const MOST_NUMBERS: usize = 1 << 16;
/// A view is not used by more: then everything is learnt again.
const MOST_VIEWS: usize = 1 << 16;
/// After so many lookups by a view, one in [`WORTHWHILE`] must have been found.
const TRIAL: u32 = 1 << 12;
const WORTHWHILE: u32 = 3;

/// What is remembered.
#[derive(Debug)]
pub struct RememberedSteps {
    shapes: Vec<Option<ShapeMemory>>,
    views: Vec<View>,
    /// The bytes that each view is of, one mask behind the other.
    masks: Vec<u64>,
    /// Lines: the bytes of a view, and a word with the view and one in its upper half and the place of the effect in the lower.
    table: Vec<u64>,
    table_bits: u32,
    /// How often something was learnt since the table has its size.
    learnt: u32,
    /// Words of a mask.
    stride: usize,
    /// What steps do, one behind the other ([`super::effects`]).
    effects: Vec<u64>,
}

/// What a process did when it was looked up last. It does so again as long as no place has changed that it looks at.
#[derive(Clone, Copy, Debug)]
pub struct Kept {
    /// The bits of these places; or [`NO_PLACE`], which always counts as changed.
    places: u64,
    /// Where its effect begins.
    pub effect: u32,
    view: u32,
    /// How often it was used again.
    again: u32,
}

const NOTHING_KEPT: Kept = Kept { places: NO_PLACE, effect: 0, view: 0, again: 0 };

/// What is known about a shape.
#[derive(Debug)]
struct ShapeMemory {
    /// Bytes of its states when this was learnt. With more places, views would have to be wider.
    width: usize,
    processes: Box<[ProcessMemory]>,
    /// By process: what was found last.
    kept: Box<[Kept]>,
    /// Places that have changed since; and [`NO_PLACE`].
    changed: u64,
    /// Which of the beginnings of [`Numbering`] was the last with this shape and these steps.
    begun: u64,
}

/// What is known about a process of a shape.
#[derive(Debug, Default)]
struct ProcessMemory {
    /// The piece with its location, and where the bytes of its number lie: at most two, the second one at 0 if there is only one.
    piece: usize,
    places: [u32; 2],
    /// By that number: 0 if nothing is known, [`NEVER`], or a view and one.
    views: Vec<u32>,
    /// All of these views.
    own_views: Vec<u32>,
}

const NEVER: u32 = u32::MAX;

/// What is known about a view.
#[derive(Clone, Debug)]
struct View {
    /// Bits of the places of the view, and of the piece that it was found by.
    places: u64,
    lookups: u32,
    found: u32,
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
    /// Which bytes the process looks at, or what it does.
    Step,
}

impl Default for RememberedSteps {
    fn default() -> Self {
        RememberedSteps {
            shapes: Vec::new(),
            views: Vec::new(),
            masks: Vec::new(),
            // Made when something is to be remembered.
            table: Vec::new(),
            table_bits: FIRST_TABLE_BITS,
            learnt: 0,
            stride: 0,
            effects: Vec::new(),
        }
    }
}

impl RememberedSteps {
    /// Bytes of it all.
    pub fn bytes(&self) -> u64 {
        let memories = self.shapes.iter().flatten().flat_map(|shape| &shape.processes);
        let numbers: usize = memories.map(|memory| memory.views.capacity()).sum();
        let words = self.table.capacity() + self.masks.capacity() + self.effects.capacity();
        (words * 8 + numbers * 4 + self.views.capacity() * size_of::<View>()) as u64
    }

    /// Forgets what processes do, but not what they look at.
    fn forget_effects(&mut self) {
        self.effects.clear();
        self.table.fill(0);
        self.shapes.iter_mut().flatten().for_each(|shape| shape.kept.fill(NOTHING_KEPT));
    }

    /// Forgets everything. States have so many words from now on.
    fn begin_anew(&mut self, stride: usize) {
        *self = RememberedSteps { stride, ..RememberedSteps::default() };
        self.table = vec![0; (stride + 1) << self.table_bits];
    }

    /// A table four times as long, with what is in this one.
    #[cold]
    fn grow<const N: usize>(&mut self) {
        self.table_bits += 2;
        self.learnt = 0;
        let old = std::mem::replace(&mut self.table, vec![0; (N + 1) << self.table_bits]);
        for line in old.chunks_exact(N + 1).filter(|line| line[N] != 0) {
            if let Some(key) = line.first_chunk::<N>() {
                let place = place_of(key, (line[N] >> 32) as u32, self.table_bits);
                self.table[place..place + N + 1].copy_from_slice(line);
            }
        }
    }
}

/// The bytes of a view in a state.
#[inline(always)]
fn key<const N: usize>(words: &[u64; N], mask: &[u64; N]) -> [u64; N] {
    let mut key = *words;
    key.iter_mut().zip(mask).for_each(|(word, mask)| *word &= mask);
    key
}

/// Where they lie in the table.
#[inline(always)]
fn place_of<const N: usize>(key: &[u64; N], view: u32, table_bits: u32) -> usize {
    let mut hash = (view as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    for [one, other] in key.as_chunks::<2>().0 {
        let product = (one ^ hash) as u128 * (other ^ 0xd6e8_feb8_6659_fd93) as u128;
        hash = product as u64 ^ (product >> 64) as u64;
    }
    let line = hash.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - table_bits);
    line as usize * (N + 1)
}

/// Keeps what is remembered of a process in the state of the reference; or says what is missing.
#[inline(always)]
fn look_up<const N: usize>(
    kept: &mut Kept,
    memory: &ProcessMemory,
    views: &mut [View],
    masks: &[u64],
    (table, table_bits): (&[u64], u32),
    words: &[u64; N],
) -> Result<(), Lesson> {
    if let Some(facts) = views.get_mut((kept.view as usize).wrapping_sub(1)) {
        facts.lookups += kept.again;
        facts.found += kept.again;
    }
    *kept = NOTHING_KEPT;
    let number = memory.number(words);
    let view = match memory.views.get(number) {
        Some(&NEVER) => return Err(Lesson::Nothing),
        Some(&view) if view != 0 => view,
        _ => return Err(if number < MOST_NUMBERS { Lesson::Step } else { Lesson::Nothing }),
    };
    let facts = &mut views[view as usize - 1];
    facts.lookups += 1;
    let Some(mask) = masks[(view as usize - 1) * N..].first_chunk() else { return Err(Lesson::Nothing) };
    let key = key(words, mask);
    let line = place_of(&key, view, table_bits);
    let Some((known, last)) = table[line..line + N + 1].split_first_chunk::<N>() else {
        return Err(Lesson::Nothing);
    };
    if *known != key || (last[0] >> 32) as u32 != view {
        return Err(Lesson::Step);
    }
    facts.found += 1;
    *kept = Kept { places: facts.places, effect: last[0] as u32, view, again: 0 };
    Ok(())
}

/// Keeps what processes do, from the last of them down to the first that must be executed, and adds their successors.
#[inline(always)]
fn recall_by<const N: usize>(
    steps: &mut RememberedSteps,
    below: usize,
    reference: &Reference,
    out: &mut Vec<u8>,
    entries: &mut Vec<Entry>,
    moved: &mut bool,
) -> Option<Missing> {
    let RememberedSteps { shapes, views, masks, table, table_bits, effects, .. } = steps;
    let table = (table.as_slice(), *table_bits);
    let shape = reference.plan.as_ref().map_or(0, |plan| plan.shape as usize);
    let nothing = |pid: usize| Missing { pid, lesson: Lesson::Nothing };
    let Some(Some(shape)) = shapes.get_mut(shape) else { return below.checked_sub(1).map(nothing) };
    let ShapeMemory { processes, kept, changed, .. } = shape;
    let Some(words) = reference.words.first_chunk::<N>() else { return below.checked_sub(1).map(nothing) };
    let (kept, memories) = (&mut kept[..below], &processes[..below]);
    let mut missing = None;
    for ((pid, kept), memory) in kept.iter_mut().enumerate().zip(memories).rev() {
        if kept.places & *changed == 0 {
            kept.again += 1;
        } else if let Err(lesson) = look_up(kept, memory, views, masks, table, words) {
            missing = Some(Missing { pid, lesson });
            break;
        }
    }
    if missing.is_none() {
        // Only here: where a state is given up in the middle, some processes have not looked at what has changed.
        *changed = NO_PLACE;
    }
    let known = missing.map_or(0, |missing| missing.pid + 1);
    *moved |= repeat::<N>(effects, &kept[known..], reference, out, entries);
    missing
}

/// What is known of the processes from `below` - 1 on down.
#[inline]
fn recall(
    steps: &mut RememberedSteps,
    below: usize,
    reference: &Reference,
    out: &mut Vec<u8>,
    entries: &mut Vec<Entry>,
    moved: &mut bool,
) -> Recalled {
    // While processes are executed, states may become longer: then the others are executed too.
    let stride = if steps.stride == reference.words.len() { steps.stride } else { 0 };
    let missing = match stride {
        2 => recall_by::<2>(steps, below, reference, out, entries, moved),
        4 => recall_by::<4>(steps, below, reference, out, entries, moved),
        6 => recall_by::<6>(steps, below, reference, out, entries, moved),
        8 => recall_by::<8>(steps, below, reference, out, entries, moved),
        16 => recall_by::<16>(steps, below, reference, out, entries, moved),
        32 => recall_by::<32>(steps, below, reference, out, entries, moved),
        _ => below.checked_sub(1).map(|pid| Missing { pid, lesson: Lesson::Nothing }),
    };
    if let Some(missing) = missing {
        return Recalled::Not(missing);
    }
    Recalled::Everything
}

impl ProcessMemory {
    /// The number by which its view is found.
    #[inline(always)]
    fn number<const N: usize>(&self, words: &[u64; N]) -> usize {
        let byte = |place: u32| words[place as usize / 8 % N] >> (place % 8 * 8) & 0xff;
        let [lowest, second] = self.places;
        let second = if second == 0 { 0 } else { byte(second) << 8 };
        (byte(lowest) | second) as usize
    }
}

impl Packing {
    /// Begins with a packed state: the number of its shape. Then adds the successors that processes are known to have, as [`Packing::recall`] does.
    pub fn begin(
        &self,
        stored: &[u8],
        steps: &mut RememberedSteps,
        out: &mut Vec<u8>,
        entries: &mut Vec<Entry>,
        moved: &mut bool,
    ) -> (u32, Recalled) {
        let mut numbering = self.numbering.borrow_mut();
        self.parse(&mut numbering, stored);
        let Numbering { references, begun, .. } = &mut *numbering;
        let reference = &mut references.current;
        let changed = reference.take_changes();
        *begun += 1;
        // What others have begun meanwhile, these steps have not seen.
        let before = std::mem::replace(&mut reference.begun, *begun);
        let Some(plan) = reference.plan.as_deref() else { return (0, Recalled::Everything) };
        let (shape, processes) = (plan.shape as usize, plan.processes.len());
        if steps.stride != reference.words.len() || steps.views.len() > MOST_VIEWS {
            steps.begin_anew(reference.words.len());
        }
        let width = plan.places.width();
        let memory = steps.shapes.get(shape).and_then(Option::as_ref);
        if memory.is_none_or(|memory| memory.width != width) {
            self.learn_shape(reference, steps);
        }
        if let Some(Some(shape)) = steps.shapes.get_mut(shape) {
            shape.changed |= if before == shape.begun { changed | NO_PLACE } else { EVERYTHING };
            shape.begun = *begun;
        }
        (shape as u32, recall(steps, processes, reference, out, entries, moved))
    }

    #[cold]
    fn learn_shape(&self, reference: &Reference, steps: &mut RememberedSteps) {
        let Some(plan) = &reference.plan else { return };
        let shape = plan.shape as usize;
        if shape >= MOST_SHAPES || plan.pieces.is_empty() || !reference.is_followed() {
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
            let mut places = plan.places.of_piece(piece).map(|place| place as u32);
            let places = [places.next().unwrap_or(0), places.next().unwrap_or(0)];
            ProcessMemory { piece, places, ..ProcessMemory::default() }
        };
        let processes: Box<[ProcessMemory]> = plan.processes.iter().map(memory).collect();
        let kept = vec![NOTHING_KEPT; processes.len()].into_boxed_slice();
        let width = plan.places.width();
        steps.shapes[shape] = Some(ShapeMemory { width, processes, kept, changed: EVERYTHING, begun: 0 });
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
        recall(steps, below, &self.numbering.borrow().references.current, out, entries, moved)
    }

    /// Remembers what a process has done from the state with which [`Packing::begin`] began: its successors, as they are stored. `footprint`
    /// is asked for if it is not known what the process looks at; it is given whether the process's own variables all lie in one piece.
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
            let numbering = self.numbering.borrow();
            let reference = &numbering.references.current;
            match steps.stride {
                stride if stride != reference.words.len() => {}
                2 => learn::<2>(steps, reference, missing.pid, footprint, packed, entries, moved),
                4 => learn::<4>(steps, reference, missing.pid, footprint, packed, entries, moved),
                6 => learn::<6>(steps, reference, missing.pid, footprint, packed, entries, moved),
                8 => learn::<8>(steps, reference, missing.pid, footprint, packed, entries, moved),
                16 => learn::<16>(steps, reference, missing.pid, footprint, packed, entries, moved),
                32 => learn::<32>(steps, reference, missing.pid, footprint, packed, entries, moved),
                _ => {}
            }
        }
    }
}

fn learn<const N: usize>(
    steps: &mut RememberedSteps,
    reference: &Reference,
    pid: usize,
    footprint: impl FnOnce(bool) -> Option<Vec<Range<usize>>>,
    packed: &[u8],
    entries: &[Entry],
    moved: bool,
) {
    let (Some(plan), Some(words)) = (reference.plan.as_deref(), reference.words.first_chunk::<N>()) else {
        return;
    };
    let RememberedSteps { shapes, views, masks, table, table_bits, effects, .. } = steps;
    let Some(Some(shape)) = shapes.get_mut(plan.shape as usize) else { return };
    if shape.width != plan.places.width() {
        // A place was given out just now; the shape will be learnt again.
        return;
    }
    let memory = &mut shape.processes[pid];
    let number = memory.number(words);
    if plan.places.number(memory.piece, |place| reference.byte(place)) as usize != number {
        return;
    }
    if memory.views.len() <= number {
        memory.views.resize(number + 1, 0);
    }
    if memory.views[number] == 0 {
        let own: Vec<usize> = plan.pieces_in(&plan.processes[pid]).collect();
        memory.views[number] = footprint(own.len() == 1).map_or(NEVER, |ranges| {
            let others = ranges.iter().flat_map(|range| plan.pieces_in(range));
            let pieces = own.into_iter().chain(others).chain([memory.piece]);
            let mut mask = [0; N];
            let mut places = 0;
            for place in pieces.flat_map(|piece| plan.places.of_piece(piece)) {
                mask[place / 8] |= 0xff << (place % 8 * 8);
                places |= reference.bit(place);
            }
            let is_same = |view: &&u32| masks[(**view as usize - 1) * N..].starts_with(&mask);
            if let Some(view) = memory.own_views.iter().find(is_same) {
                return *view;
            }
            masks.extend(mask);
            views.push(View { places, lookups: 0, found: 0 });
            memory.own_views.push(views.len() as u32);
            views.len() as u32
        });
    }
    let view = memory.views[number];
    if view == NEVER {
        return;
    }
    let facts = &mut views[view as usize - 1];
    if facts.lookups >= TRIAL {
        if facts.found < facts.lookups / WORTHWHILE {
            memory.views[number] = NEVER;
            return;
        }
        (facts.lookups, facts.found) = (0, 0);
    }
    let Some(mask) = masks[(view as usize - 1) * N..].first_chunk() else { return };
    let key = key(words, mask);
    let line = place_of(&key, view, *table_bits);
    let effect = effects.len() as u64;
    if !add_effect(effects, reference, mask, packed, entries, moved) {
        memory.views[number] = NEVER;
        return;
    }
    let line = &mut table[line..line + N + 1];
    line[..N].copy_from_slice(&key);
    line[N] = (view as u64) << 32 | effect;
    steps.learnt += 1;
    if steps.learnt >> steps.table_bits > 0 && steps.table_bits < LAST_TABLE_BITS {
        steps.grow::<N>();
    }
    if steps.effects.len() > MOST_EFFECTS - MOST_AT_ONCE {
        steps.forget_effects();
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
            match packing.begin(state, steps, &mut bytes, &mut entries, &mut moved).1 {
                Recalled::Everything => {
                    Ok(bytes[entries[0].start as usize..entries[0].end as usize].to_vec())
                }
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
        steps.forget_effects();
        assert!(recalled(&second, &mut steps).is_err());
        learn(&second, &mut steps);
        assert_eq!(recalled(&second, &mut steps).as_ref(), Ok(&third));
    }
}
