//! How remembered steps are found again: what is done for every state, and so the part that must be quick.
//!
//! From a state to the next one few places change ([`super::reference`]). A process that looks at none of
//! them does what it did in the state before: what was found for it there is *kept*, and found without a look
//! at the tables. A search may have several states in flight, by turns; then what is kept is kept for each
//! lane, because states that are taken in one lane are alike.
//!
//! There is one function for each stride ([`super::reference::STRIDES`]), in which everything is inlined, so
//! that the words of a state are in registers.

use super::effects::{ENDS, repeat};
use super::reference::{EVERYTHING, NO_PLACE, Reference};
use super::remembered::{Lesson, Missing, ProcessMemory, Recalled, RememberedSteps, ShapeMemory, View};
use super::{Numbering, Packing};
use crate::successors::Successors;

/// What a process did when it was looked up last. It does so again as long as no place has changed that it
/// looks at.
#[derive(Clone, Copy, Debug)]
pub struct Kept {
    /// The bits of these places; or [`NO_PLACE`], which always counts as changed.
    pub places: u64,
    /// The bits of the places that it changes.
    pub changes: u64,
    /// Where its effect begins.
    pub effect: u32,
    /// How many successors it has.
    pub count: u32,
    view: u32,
    /// How many states had been taken in this lane when it was looked up.
    since: u32,
}

/// Of a process that is not looked up: it may look at everything, and change everything.
const NOTHING_KEPT: Kept =
    Kept { places: NO_PLACE, changes: EVERYTHING, effect: 0, count: 0, view: 0, since: 0 };

/// What is known about the last state of a shape that was taken in a lane.
#[derive(Debug)]
pub struct LaneMemory {
    /// By process: what was found last.
    pub kept: Box<[Kept]>,
    /// Of these, as bits, those that have successors, and those that can do something (which may lead
    /// nowhere).
    pub leading: u64,
    pub moving: u64,
    /// And those that end: [`super::departures`].
    pub ending: u64,
    /// Places that have changed since; and [`NO_PLACE`].
    changed: u64,
    /// Which of the beginnings of [`Numbering`] was the last with this shape and these steps.
    begun: u64,
    /// How many states were taken in this lane.
    states: u32,
}

/// Processes have a bit each.
pub const MOST_PROCESSES: usize = u64::BITS as usize;

impl LaneMemory {
    pub fn new(processes: usize) -> LaneMemory {
        let kept = vec![NOTHING_KEPT; processes].into_boxed_slice();
        LaneMemory { kept, leading: 0, moving: 0, ending: 0, changed: EVERYTHING, begun: 0, states: 0 }
    }

    /// Begins with another state, of which these places differ from the one before.
    #[inline(always)]
    fn begin(&mut self, before: u64, begun: u64, changed: u64) {
        // What others have begun meanwhile, these steps have not seen.
        self.changed |= if before == self.begun { changed | NO_PLACE } else { EVERYTHING };
        self.begun = begun;
        self.states = self.states.wrapping_add(1);
    }

    pub fn forget(&mut self) {
        self.kept.fill(NOTHING_KEPT);
        (self.leading, self.moving, self.ending) = (0, 0, 0);
    }
}

/// The bytes of a view in a state.
#[inline(always)]
pub fn key<const N: usize>(words: &[u64; N], mask: &[u64; N]) -> [u64; N] {
    let mut key = *words;
    key.iter_mut().zip(mask).for_each(|(word, mask)| *word &= mask);
    key
}

/// Where they lie in the table.
#[inline(always)]
pub fn place_of<const N: usize>(key: &[u64; N], view: u32, table_bits: u32) -> usize {
    let mut hash = (view as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    for [one, other] in key.as_chunks::<2>().0 {
        let product = (one ^ hash) as u128 * (other ^ 0xd6e8_feb8_6659_fd93) as u128;
        hash = product as u64 ^ (product >> 64) as u64;
    }
    let line = hash.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - table_bits);
    line as usize * (N + 1)
}

/// The tables in which steps are looked up.
struct Tables<'s> {
    views: &'s mut [View],
    masks: &'s [u64],
    table: &'s [u64],
    table_bits: u32,
    effects: &'s [u64],
}

/// What is remembered of a process in a state, and the first word of its effect; or what is missing.
#[inline(always)]
fn find<const N: usize>(
    states: u32,
    memory: &ProcessMemory,
    tables: &mut Tables,
    words: &[u64; N],
) -> Result<(Kept, u64), Lesson> {
    let Tables { views, masks, table, table_bits, effects } = tables;
    let view = memory.view_of(words)?;
    let mask = masks[(view as usize - 1) * N..].first_chunk().ok_or(Lesson::Nothing)?;
    let key = key(words, mask);
    let line = place_of(&key, view, *table_bits);
    let (known, last) = table[line..line + N + 1].split_first_chunk::<N>().ok_or(Lesson::Nothing)?;
    let facts = &mut views[view as usize - 1];
    if *known != key || (last[0] >> 32) as u32 != view {
        facts.missed = facts.missed.saturating_add(1);
        return Err(Lesson::Step);
    }
    let effect = last[0] as u32;
    let [header, changes] = *effects[effect as usize..].first_chunk().ok_or(Lesson::Nothing)?;
    let count = (header >> 1) as u32;
    Ok((Kept { places: facts.places, changes, effect, count, view, since: states }, header))
}

/// Keeps what is remembered of a process in a state: the first word of its effect. Or nothing, and says what
/// is missing.
#[inline(always)]
fn look_up<const N: usize>(
    kept: &mut Kept,
    states: u32,
    memory: &ProcessMemory,
    tables: &mut Tables,
    words: &[u64; N],
) -> Result<u64, Lesson> {
    if let Some(facts) = tables.views.get_mut((kept.view as usize).wrapping_sub(1)) {
        facts.found = facts.found.saturating_add(states.wrapping_sub(kept.since));
    }
    match find(states, memory, tables, words) {
        Ok((found, header)) => {
            *kept = found;
            Ok(header)
        }
        Err(lesson) => {
            *kept = NOTHING_KEPT;
            Err(lesson)
        }
    }
}

/// Bits from one number up to another, which is at most 64.
#[inline(always)]
fn bits(from: usize, below: usize) -> u64 {
    let low = |count: usize| if count < 64 { (1u64 << count) - 1 } else { u64::MAX };
    low(below) & !low(from)
}

/// Keeps what processes do, from `below` - 1 down to the first that must be executed, and adds their
/// successors.
#[inline(always)]
fn recall_in<const N: usize>(
    memory: &mut ShapeMemory,
    tables: &mut Tables,
    below: usize,
    reference: &Reference,
    out: &mut Successors,
) -> Option<Missing> {
    let ShapeMemory { processes, departures, lanes, .. } = memory;
    let lane = &mut lanes[out.lane];
    let Some(words) = reference.words.first_chunk::<N>() else {
        return below.checked_sub(1).map(Missing::not_to_be_learnt);
    };
    let mut missing = None;
    for ((pid, kept), memory) in lane.kept[..below].iter_mut().enumerate().zip(&processes[..below]).rev() {
        if kept.places & lane.changed == 0 {
            continue;
        }
        let others = !(1u64 << pid);
        let found = look_up(kept, lane.states, memory, tables, words);
        let header = found.unwrap_or_default();
        lane.leading = lane.leading & others | ((kept.count > 0) as u64) << pid;
        lane.moving = lane.moving & others | (header & 1) << pid;
        lane.ending = lane.ending & others | ((header & ENDS != 0) as u64) << pid;
        if let Err(lesson) = found {
            missing = Some(Missing { pid, lesson });
            break;
        }
    }
    if missing.is_none() {
        // Only here: where a state is given up in the middle, some processes have not looked at what has
        // changed.
        lane.changed = NO_PLACE;
    }
    let known = missing.map_or(0, |missing| missing.pid + 1);
    repeat::<N>(tables.effects, lane, departures, bits(known, below), reference, out);
    missing
}

/// The same for a state of which less is known.
#[inline(never)]
fn recall_any(
    steps: &mut RememberedSteps,
    below: usize,
    reference: &Reference,
    out: &mut Successors,
) -> Option<Missing> {
    let shape = reference.plan.as_ref().map_or(0, |plan| plan.shape as usize);
    let RememberedSteps { shapes, views, masks, table, table_bits, effects, stride, .. } = steps;
    let tables = &mut Tables { views, masks, table, table_bits: *table_bits, effects };
    // While processes are executed, states may become longer: then the others are executed too.
    match shapes.get_mut(shape) {
        Some(Some(memory)) if *stride == reference.words.len() => match *stride {
            2 => recall_in::<2>(memory, tables, below, reference, out),
            4 => recall_in::<4>(memory, tables, below, reference, out),
            6 => recall_in::<6>(memory, tables, below, reference, out),
            8 => recall_in::<8>(memory, tables, below, reference, out),
            16 => recall_in::<16>(memory, tables, below, reference, out),
            _ => recall_in::<32>(memory, tables, below, reference, out),
        },
        _ => below.checked_sub(1).map(Missing::not_to_be_learnt),
    }
}

impl Packing {
    /// Begins with a packed state: the number of its shape. Then adds the successors that processes are known
    /// to have, as [`Packing::recall`] does.
    #[inline]
    pub fn begin(&self, stored: &[u8], steps: &mut RememberedSteps, out: &mut Successors) -> (u32, Recalled) {
        if out.asks_for_participants && !steps.know_participants() {
            *steps = RememberedSteps::knowing_participants();
        }
        let numbering = &mut *self.numbering.borrow_mut();
        let packed = &stored[..stored.len() - self.hidden_size];
        numbering.enter_lane(out.lane, steps.stride);
        match self.begin_near(numbering, packed, steps, out) {
            Some(begun) => begun,
            None => self.begin_elsewhere(numbering, packed, steps, out),
        }
    }

    /// With a state that is not near the one before.
    #[inline(never)]
    fn begin_elsewhere(
        &self,
        numbering: &mut Numbering,
        packed: &[u8],
        steps: &mut RememberedSteps,
        out: &mut Successors,
    ) -> (u32, Recalled) {
        self.parse_another(numbering, packed);
        if let Some(begun) = self.begin_near(numbering, packed, steps, out) {
            return begun;
        }
        // It is too long.
        numbering.count_unpacked();
        let reference = numbering.reference();
        let Some(plan) = reference.plan.as_deref() else { return (0, Recalled::Everything) };
        (plan.shape, Recalled::of(recall_any(steps, plan.processes.len(), reference, out)))
    }

    /// With a state that is near the one before, if it is.
    #[inline(always)]
    fn begin_near(
        &self,
        numbering: &mut Numbering,
        packed: &[u8],
        steps: &mut RememberedSteps,
        out: &mut Successors,
    ) -> Option<(u32, Recalled)> {
        match numbering.reference().words.len() {
            2 => self.begin_near_by::<2>(numbering, packed, steps, out),
            4 => self.begin_near_by::<4>(numbering, packed, steps, out),
            6 => self.begin_near_by::<6>(numbering, packed, steps, out),
            8 => self.begin_near_by::<8>(numbering, packed, steps, out),
            16 => self.begin_near_by::<16>(numbering, packed, steps, out),
            32 => self.begin_near_by::<32>(numbering, packed, steps, out),
            _ => None,
        }
    }

    #[inline(never)]
    fn begin_near_by<const N: usize>(
        &self,
        numbering: &mut Numbering,
        packed: &[u8],
        steps: &mut RememberedSteps,
        out: &mut Successors,
    ) -> Option<(u32, Recalled)> {
        let Numbering { references, lane, begun, unpacked, unpacked_bits, .. } = numbering;
        let reference = &mut references[*lane].current;
        if !reference.move_near_by::<N>(packed) {
            return None;
        }
        *begun += 1;
        let before = std::mem::replace(&mut reference.begun, *begun);
        let changed = reference.take_changes();
        let plan = reference.plan.as_deref()?;
        *unpacked += 1;
        *unpacked_bits += plan.bits as u64;
        let (shape, processes) = (plan.shape, plan.processes.len());
        let width = plan.places.width();
        if steps.stride == N
            && let Some(Some(memory)) = steps.shapes.get_mut(shape as usize)
            && memory.width == width
        {
            memory.lanes[out.lane].begin(before, *begun, changed);
            let RememberedSteps { views, masks, table, table_bits, effects, .. } = steps;
            let tables = &mut Tables { views, masks, table, table_bits: *table_bits, effects };
            return Some((shape, Recalled::of(recall_in::<N>(memory, tables, processes, reference, out))));
        }
        self.make_ready(reference, steps);
        if let Some(Some(memory)) = steps.shapes.get_mut(shape as usize) {
            memory.lanes[out.lane].begin(before, *begun, changed);
        }
        Some((shape, Recalled::of(recall_any(steps, processes, reference, out))))
    }

    /// Adds the successors that processes are known to have, from process `below` - 1 down to the first that
    /// must be executed. They are written behind those that are there, as they are stored.
    pub fn recall(&self, steps: &mut RememberedSteps, below: usize, out: &mut Successors) -> Recalled {
        Recalled::of(recall_any(steps, below, self.numbering.borrow().reference(), out))
    }
}
