//! How remembered steps are found again. This runs for every state, so it is the part that must be quick.
//!
//! Between one state and the next, few places change ([`super::last_state`]). A process whose footprint
//! contains none of them does what it did in the state before, so what was found for it there is *kept* and
//! need not be looked up. A search may take states in several lanes by turns; states that follow each other
//! in one lane are alike, so everything that is kept is kept for each lane.
//!
//! Lookups do not depend on each other, so the processor is at the next one while a line of the table is on
//! its way, if it has not too many instructions before it. So a lookup has one way that is straight, and
//! leaves everything else to [`miss`]: numbers that are none have no mask, and what three sets of processes
//! should know of it is one word. (To locate all processes first and prefetch their lines took 230
//! instructions for each instead of 160, and 0.95 to 1.05 times as long on seven public models.)
//!
//! There is one copy of these functions for each length of states ([`super::last_state::STRIDES`]), with
//! everything inlined, so that the words of a state stay in registers.

use super::effects::repeat;
use super::last_state::{EVERYTHING, LastState, NO_PLACE};
use super::remembered::{
    FootprintMask, Lesson, Missing, Outline, ProcessMemory, Recalled, RememberedSteps, ShapeMemory,
    mask_words,
};
use super::{Numbers, Packer};
use crate::reduction::Choice;
use crate::successors::Successors;

/// What a process did when it was looked up last. It does the same as long as no place in its footprint
/// changes.
#[derive(Clone, Copy, Debug)]
pub struct Kept {
    /// The bits of the places in its footprint; or [`NO_PLACE`], which always counts as changed.
    pub places: u64,
    /// The cells that it looks at, and those that it changes ([`super::plan::Plan::cells_in`]).
    pub reads: u64,
    /// See there.
    pub changes: u64,
    /// Its mask, counted from one, as in the table; and in the lower half what is told of its effect.
    found: u64,
    /// How many states had been taken in this lane when it was looked up.
    since: u32,
}

impl Kept {
    /// Where its effect begins.
    #[inline(always)]
    pub fn effect(&self) -> u32 {
        self.outline().effect()
    }

    /// How many successors it has.
    #[inline(always)]
    pub fn count(&self) -> u32 {
        self.outline().count()
    }

    #[inline(always)]
    fn outline(&self) -> Outline {
        Outline(self.found as u32)
    }

    fn footprint(&self) -> u32 {
        (self.found >> 32) as u32
    }
}

/// Of a process that is not looked up: it may look at everything, and change everything.
const NOTHING_KEPT: Kept =
    Kept { places: NO_PLACE, reads: EVERYTHING, changes: EVERYTHING, found: 0, since: 0 };

/// What is known about the last state of a shape that was taken in a lane.
#[derive(Debug)]
pub struct LaneMemory {
    /// By process: what was found last.
    pub kept: Box<[Kept]>,
    /// Of these, as bits, who does what.
    pub bits: ProcessBits,
    /// Places that have changed since; and [`NO_PLACE`].
    changed: u64,
    /// Which of the beginnings that [`Packer`] counts was the latest with this shape and these steps.
    begun: u64,
    /// How many states were taken in this lane.
    states: u32,
}

/// Sets of processes, with a bit for each.
#[derive(Clone, Copy, Debug, Default)]
pub struct ProcessBits {
    /// Those that have successors, and those that can do something (which may lead nowhere).
    pub leading: u64,
    pub moving: u64,
    /// And those that end: [`super::process_end`].
    pub ending: u64,
}

impl ProcessBits {
    /// What is told of the effect of a process.
    #[inline(always)]
    fn note(&mut self, pid: u32, outline: Outline) {
        self.leading |= (outline.leads() as u64) << pid;
        self.moving |= (outline.moves() as u64) << pid;
        self.ending |= (outline.ends() as u64) << pid;
    }

    /// For these processes, what was found anew counts.
    #[inline(always)]
    fn replace(&mut self, processes: u64, by: ProcessBits) {
        self.leading = self.leading & !processes | by.leading;
        self.moving = self.moving & !processes | by.moving;
        self.ending = self.ending & !processes | by.ending;
    }
}

/// Processes have a bit each.
pub const MOST_PROCESSES: usize = u64::BITS as usize;

impl LaneMemory {
    pub fn new(processes: usize) -> LaneMemory {
        let kept = vec![NOTHING_KEPT; processes].into_boxed_slice();
        LaneMemory { kept, bits: ProcessBits::default(), changed: EVERYTHING, begun: 0, states: 0 }
    }

    /// Begins with another state, of which these places differ from the one before.
    #[inline(always)]
    fn begin(&mut self, before: u64, begun: u64, changed: u64) {
        // If the last state was begun with other remembered steps, it is not known here what has changed.
        self.changed |= if before == self.begun { changed | NO_PLACE } else { EVERYTHING };
        self.begun = begun;
        self.states = self.states.wrapping_add(1);
    }

    pub fn forget(&mut self) {
        self.kept.fill(NOTHING_KEPT);
        self.bits = ProcessBits::default();
    }
}

/// The bytes of a state under a footprint mask.
#[inline(always)]
pub fn key<const N: usize>(words: &[u64; N], mask: &[u64; N]) -> [u64; N] {
    let mut key = *words;
    key.iter_mut().zip(mask).for_each(|(word, mask)| *word &= mask);
    key
}

/// Words of a line of the table, for keys of so many: the key, two words, and nothing where lines would lie
/// across the boundaries of the cache's.
pub const fn line_words(key: usize) -> usize {
    match key {
        ..=2 => 4,
        3..=6 => 8,
        _ => key + 2,
    }
}

/// Where they lie in the table.
#[inline(always)]
pub fn place_of<const N: usize>(key: &[u64; N], footprint: u32, table_bits: u32) -> usize {
    let mut hash = (footprint as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    for [one, other] in key.as_chunks::<2>().0 {
        let product = (one ^ hash) as u128 * (other ^ 0xd6e8_feb8_6659_fd93) as u128;
        hash = product as u64 ^ (product >> 64) as u64;
    }
    let line = hash.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - table_bits);
    line as usize * line_words(N)
}

/// The tables in which steps are looked up.
struct Tables<'s> {
    footprints: &'s mut [FootprintMask],
    masks: &'s [u64],
    table: &'s [u64],
    table_bits: u32,
    effects: &'s [u64],
}

/// What is remembered of a process in a state. `None` if nothing is: [`miss`] says what is missing.
#[inline(always)]
fn find<const N: usize>(
    memory: &ProcessMemory,
    states: u32,
    tables: &mut Tables,
    words: &[u64; N],
) -> Option<Kept> {
    let footprint = memory.footprint_of(words);
    let mask = (footprint as usize).wrapping_sub(1);
    // There is no mask for those numbers that are none.
    let record = tables.masks.get(mask.wrapping_mul(mask_words(N))..)?.get(..mask_words(N))?;
    let (mask_words, facts) = record.split_first_chunk::<N>()?;
    let key = key(words, mask_words);
    let line = tables.table.get(place_of(&key, footprint, tables.table_bits)..)?.get(..N + 2)?;
    let (known, rest) = line.split_first_chunk::<N>()?;
    if *known != key || (rest[0] >> 32) as u32 != footprint {
        return None;
    }
    let counts = tables.footprints.get_mut(mask)?;
    counts.found = counts.found.saturating_add(1);
    Some(Kept { places: facts[0], reads: facts[1], changes: rest[1], found: rest[0], since: states })
}

/// Nothing is remembered of a process in a state, and so nothing kept: what is missing. `counts`: it will be
/// executed, and counts when it is judged whether looking is of use.
#[cold]
#[inline(never)]
fn miss<const N: usize>(
    memory: &ProcessMemory,
    kept: &mut Kept,
    states: u32,
    tables: &mut Tables,
    words: &[u64; N],
    counts: bool,
) -> Lesson {
    // It was of use for as long as it was kept.
    if let Some(facts) = tables.footprints.get_mut((kept.footprint() as usize).wrapping_sub(1)) {
        facts.found = facts.found.saturating_add(states.wrapping_sub(kept.since));
    }
    *kept = NOTHING_KEPT;
    match memory.lesson(words) {
        Ok(footprint) => {
            let facts = &mut tables.footprints[footprint as usize - 1];
            facts.missed = facts.missed.saturating_add(u32::from(counts));
            Lesson::Step
        }
        Err(lesson) => lesson,
    }
}

/// Bits from one number up to another, which is at most 64.
#[inline(always)]
fn bits(from: usize, below: usize) -> u64 {
    let low = |count: usize| if count < 64 { (1u64 << count) - 1 } else { u64::MAX };
    low(below) & !low(from)
}

/// Of sets of processes, how many at the beginning are not good, because nobody in them moves, or somebody
/// who must not: as far as it is remembered what they do. Whoever has been looked up is added to `current`.
#[inline(always)]
fn count_bad<const N: usize>(
    memory: &mut ShapeMemory,
    tables: &mut Tables,
    last: &LastState,
    choices: &[Choice],
    lane: usize,
    current: &mut u64,
) -> usize {
    let ShapeMemory { processes, lanes, .. } = memory;
    let lane = &mut lanes[lane];
    let Some(words) = last.words.first_chunk::<N>() else { return 0 };
    let states = lane.states;
    for (i, choice) in choices.iter().enumerate() {
        let mut rest = choice.processes & !*current;
        while rest != 0 {
            let pid = rest.trailing_zeros();
            rest &= rest - 1;
            let (kept, process) = (&mut lane.kept[pid as usize], &processes[pid as usize]);
            if kept.places & lane.changed != 0 {
                let mut bits = ProcessBits::default();
                let found = find(process, states, tables, words);
                match found {
                    Some(found) => {
                        bits.note(pid, found.outline());
                        *kept = found;
                    }
                    None => _ = miss(process, kept, states, tables, words, false),
                }
                lane.bits.replace(1 << pid, bits);
                if found.is_none() {
                    return i;
                }
            }
            *current |= 1 << pid;
        }
        if choice.is_good(lane.bits.moving) {
            return i;
        }
    }
    choices.len()
}

/// Keeps what processes do, from `below` - 1 down to the first that must be executed, and adds their
/// successors. What is kept of the `current` ones is up to date.
#[inline(always)]
fn recall_in<const N: usize>(
    memory: &mut ShapeMemory,
    tables: &mut Tables,
    below: usize,
    current: u64,
    last: &LastState,
    out: &mut Successors,
) -> Option<Missing> {
    let ShapeMemory { processes, ends, lanes, .. } = memory;
    let lane = &mut lanes[out.lane];
    let Some(words) = last.words.first_chunk::<N>() else {
        return below.checked_sub(1).map(Missing::not_to_be_learnt);
    };
    let mut missing = None;
    let LaneMemory { kept, bits: known_bits, changed, states, .. } = &mut *lane;
    // Without a branch for each, as nobody can foresee which these are.
    let is_stale = |pid: usize, kept: &Kept| ((kept.places & *changed != 0) as u64) << pid;
    let stale = kept[..below].iter().enumerate().fold(0, |all, (pid, kept)| all | is_stale(pid, kept));
    let stale = stale & !current;
    let mut waiting = stale;
    let mut found_bits = ProcessBits::default();
    while let Some(pid) = waiting.checked_ilog2() {
        waiting ^= 1 << pid;
        let (Some(kept), Some(process)) = (kept.get_mut(pid as usize), processes.get(pid as usize)) else {
            break;
        };
        if out.followed >> pid & 1 == 0 {
            // Nobody asks what it does.
            *kept = NOTHING_KEPT;
        } else if let Some(found) = find(process, *states, tables, words) {
            found_bits.note(pid, found.outline());
            *kept = found;
        } else {
            let lesson = miss(process, kept, *states, tables, words, true);
            missing = Some(Missing::new(pid as usize, lesson));
            break;
        }
    }
    known_bits.replace(stale & !waiting, found_bits);
    if missing.is_none() {
        // Not before all are done: if a state is given up in the middle, some processes have not been looked
        // up since these places changed.
        lane.changed = NO_PLACE;
    }
    let known = missing.map_or(0, |missing| missing.pid() + 1);
    repeat::<N>(tables.effects, lane, ends, bits(known, below) & out.followed, last, out);
    missing
}

/// The same for a state of which less is known.
#[inline(never)]
fn recall_any(
    steps: &mut RememberedSteps,
    below: usize,
    last: &LastState,
    out: &mut Successors,
) -> Option<Missing> {
    let shape = last.plan.as_ref().map_or(0, |plan| plan.shape as usize);
    let RememberedSteps { shapes, footprints, masks, table, table_bits, effects, stride, .. } = steps;
    let table = table.lines();
    let tables = &mut Tables { footprints, masks, table, table_bits: *table_bits, effects };
    // While processes are executed, states may become longer: then the others are executed too.
    match shapes.get_mut(shape) {
        Some(Some(memory)) if *stride == last.words.len() => match *stride {
            2 => recall_in::<2>(memory, tables, below, 0, last, out),
            4 => recall_in::<4>(memory, tables, below, 0, last, out),
            6 => recall_in::<6>(memory, tables, below, 0, last, out),
            8 => recall_in::<8>(memory, tables, below, 0, last, out),
            16 => recall_in::<16>(memory, tables, below, 0, last, out),
            _ => recall_in::<32>(memory, tables, below, 0, last, out),
        },
        _ => below.checked_sub(1).map(Missing::not_to_be_learnt),
    }
}

/// Who says which sets of processes may be followed in a state.
pub trait Chooser {
    /// The sets, the best first; none, if everything is to be followed. `None` if that is not known.
    fn choices(&mut self, numbers: Numbers, since: Since) -> Option<&[Choice]>;
}

/// Everything is to be followed.
pub struct FollowAll;

impl Chooser for FollowAll {
    #[inline(always)]
    fn choices(&mut self, _: Numbers, _: Since) -> Option<&[Choice]> {
        Some(&[])
    }
}

impl Chooser for &[Choice] {
    #[inline]
    fn choices(&mut self, _: Numbers, _: Since) -> Option<&[Choice]> {
        Some(self)
    }
}

/// In what a state differs from the last one of its shape that was taken in its lane.
#[derive(Clone, Copy, Debug)]
pub struct Since {
    /// The lane.
    pub lane: usize,
    /// Which of all beginnings this one is, and which was the latest before with a state of this shape in
    /// this lane. From one beginning to the next, these places have changed; between others, more may have.
    pub begun: u64,
    /// See there.
    pub before: u64,
    /// Bits of places ([`Numbers::places_of`]). The highest is set only where everything may have changed.
    pub changed: u64,
}

impl Since {
    /// As places: all of them, and the bit that is none, which counts as changed only where everything does.
    pub const EVERYTHING: u64 = EVERYTHING;
    /// See there.
    pub const NO_PLACE: u64 = NO_PLACE;
    /// Everything may have changed.
    pub const UNKNOWN: Since = Since { lane: 0, begun: 0, before: 0, changed: EVERYTHING };
}

/// What comes of beginning with a state. There is one for every state: it is so short that it is given back
/// in registers.
pub struct Begun {
    /// The number of its shape.
    pub shape: u32,
    /// How many of the sets of processes are known to be bad. The next one is followed
    /// ([`Successors::chosen`]); if there is none, everything.
    pub bad: u32,
    /// How far recalling has come.
    pub recalled: Recalled,
}

impl Packer {
    /// Begins with a packed state. Then adds the successors that processes are known to have, as
    /// [`Packer::recall`] does: of the first of some sets of processes that is not known to be bad; of all
    /// processes, if there is none. `None` if the sets are not known.
    #[inline]
    pub fn begin(
        &mut self,
        stored: &[u8],
        chooser: &mut impl Chooser,
        steps: &mut RememberedSteps,
        out: &mut Successors,
    ) -> Option<Begun> {
        if out.asks_for_participants && !steps.know_participants() {
            steps.forget_and_know_participants();
        }
        let packed = &stored[..stored.len() - self.hidden_size];
        self.enter_lane(out.lane, steps.stride);
        match self.begin_near(packed, chooser, steps, out) {
            Some(begun) => begun,
            None => self.begin_elsewhere(packed, chooser, steps, out),
        }
    }

    /// With a state that is not near the one before.
    #[inline(never)]
    fn begin_elsewhere(
        &mut self,
        packed: &[u8],
        chooser: &mut impl Chooser,
        steps: &mut RememberedSteps,
        out: &mut Successors,
    ) -> Option<Begun> {
        self.parse_another(packed);
        if let Some(begun) = self.begin_near(packed, chooser, steps, out) {
            return begun;
        }
        // It is too long.
        self.count_unpacked();
        let last = self.last();
        let since = Since { lane: out.lane, ..Since::UNKNOWN };
        out.follow_first_of(chooser.choices(Numbers(last), since)?);
        let (shape, processes) =
            last.plan.as_deref().map_or((0, 0), |plan| (plan.shape, plan.processes.len()));
        let recalled = Recalled::of(recall_any(steps, processes, last, out));
        Some(Begun { shape, bad: 0, recalled })
    }

    /// With a state that is near the one before, if it is.
    #[inline(always)]
    fn begin_near(
        &mut self,
        packed: &[u8],
        chooser: &mut impl Chooser,
        steps: &mut RememberedSteps,
        out: &mut Successors,
    ) -> Option<Option<Begun>> {
        match self.last().words.len() {
            2 => self.begin_near_by::<2>(packed, chooser, steps, out),
            4 => self.begin_near_by::<4>(packed, chooser, steps, out),
            6 => self.begin_near_by::<6>(packed, chooser, steps, out),
            8 => self.begin_near_by::<8>(packed, chooser, steps, out),
            16 => self.begin_near_by::<16>(packed, chooser, steps, out),
            32 => self.begin_near_by::<32>(packed, chooser, steps, out),
            _ => None,
        }
    }

    #[inline(never)]
    fn begin_near_by<const N: usize>(
        &mut self,
        packed: &[u8],
        chooser: &mut impl Chooser,
        steps: &mut RememberedSteps,
        out: &mut Successors,
    ) -> Option<Option<Begun>> {
        let Packer { last_states, lane, begun, counts, significant, .. } = self;
        let last = &mut last_states[*lane].current;
        if !last.move_near_by::<N>(packed) {
            return None;
        }
        *begun += 1;
        let before = std::mem::replace(&mut last.begun, *begun);
        let changed = last.take_changes();
        let plan = last.plan.as_deref()?;
        counts.count_unpacked(plan.bits);
        let (shape, processes) = (plan.shape, plan.processes.len());
        let width = plan.places.width();
        let since = Since { lane: out.lane, begun: *begun, before, changed };
        if steps.stride == N
            && let Some(Some(memory)) = steps.shapes.get_mut(shape as usize)
            && memory.width == width
        {
            memory.lanes[out.lane].begin(before, *begun, changed);
            let RememberedSteps { footprints, masks, table, table_bits, effects, .. } = steps;
            let table = table.lines();
            let tables = &mut Tables { footprints, masks, table, table_bits: *table_bits, effects };
            let Some(choices) = chooser.choices(Numbers(last), since) else { return Some(None) };
            let mut current = 0;
            let bad = match choices {
                [] => 0,
                choices => count_bad::<N>(memory, tables, last, choices, out.lane, &mut current),
            };
            out.follow_first_of(&choices[bad..]);
            let recalled = Recalled::of(recall_in::<N>(memory, tables, processes, current, last, out));
            return Some(Some(Begun { shape, bad: bad as u32, recalled }));
        }
        steps.make_ready(significant.tag_size, last);
        if let Some(Some(memory)) = steps.shapes.get_mut(shape as usize) {
            memory.lanes[out.lane].begin(before, *begun, changed);
        }
        let Some(choices) = chooser.choices(Numbers(last), since) else { return Some(None) };
        out.follow_first_of(choices);
        let recalled = Recalled::of(recall_any(steps, processes, last, out));
        Some(Some(Begun { shape, bad: 0, recalled }))
    }

    /// Adds the successors that processes are known to have, from process `below` - 1 down to the first that
    /// must be executed. They are written behind those that are there, as they are stored.
    pub fn recall(&self, steps: &mut RememberedSteps, below: usize, out: &mut Successors) -> Recalled {
        Recalled::of(recall_any(steps, below, self.last(), out))
    }
}
