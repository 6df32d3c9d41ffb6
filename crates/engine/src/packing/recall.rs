//! How remembered steps are found again. This runs for every state, so it is the part that must be quick.
//!
//! Between one state and the next, few places change ([`super::last_state`]). A process whose footprint
//! contains none of them does what it did in the state before, so what was found for it there is *kept* and
//! need not be looked up. A search may take states in several lanes by turns; states that follow each other
//! in one lane are alike, so everything that is kept is kept for each lane.
//!
//! Lookups do not depend on each other, so the processor is at the next one while a line of the table is on
//! its way, if it has not too many instructions before it. So a lookup has one way that is straight, and
//! leaves everything else to [`miss`]: numbers that are none have no record, and of three sets of processes
//! that should know of it, two are left for later, because they are almost always as the first one says. (To
//! locate all processes first and prefetch their lines took 230 instructions for each instead of 160, and
//! 0.95 to 1.05 times as long on seven public models.)
//!
//! There is one copy of these functions for each length of states ([`super::last_state::STRIDES`]), with
//! everything inlined, so that the words of a state stay in registers. Lines of the table and records of
//! masks are arrays of a fixed length there, so that one comparison tells whether there is such a one.

use super::commuting::Touched;
use super::effects::repeat;
use super::last_state::{EVERYTHING, LastState, NO_PLACE};
use super::remembered::{
    FACTS, Lesson, Missing, Outline, ProcessMemory, Recalled, RememberedSteps, ShapeMemory, Tables,
    record_words,
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
    /// Its mask, as in the table, and in the lower half what is told of its effect. Above both, how many
    /// states had been taken in this lane when it was looked up: as many bits of it as there is room for.
    found: u64,
}

/// The first of these bits.
const SINCE: u32 = 49;
/// There are fewer masks than this.
pub const MOST_MASKS: usize = 1 << (SINCE - 32);

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

    fn footprint(&self) -> usize {
        (self.found >> 32) as usize % MOST_MASKS
    }
}

/// Of a process that is not looked up.
const NOTHING_KEPT: Kept = Kept { places: NO_PLACE, found: 0 };

/// What is known about the last state of a shape that was taken in a lane.
#[derive(Debug)]
pub struct LaneMemory {
    /// By process: what was found last.
    pub kept: Box<[Kept]>,
    /// The cells that it touches.
    pub touched: Box<[Touched]>,
    /// Of these, as bits, who does what.
    pub bits: ProcessBits,
    /// Places that have changed since; and [`NO_PLACE`].
    changed: u64,
    /// Which of the beginnings that [`Packer`] counts was the latest with this shape and these steps.
    begun: u64,
    /// How many states were taken in this lane, as in [`Kept`].
    states: u64,
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
    /// Those of processes that move if they have successors, and do not end.
    #[inline(always)]
    fn plain(leading: u64) -> ProcessBits {
        ProcessBits { leading, moving: leading, ending: 0 }
    }

    /// Those of any processes.
    #[inline(never)]
    fn of(kept: &[Kept], mut processes: u64) -> ProcessBits {
        let mut bits = ProcessBits::default();
        while processes != 0 {
            let pid = processes.trailing_zeros();
            processes &= processes - 1;
            let outline = kept[pid as usize].outline();
            bits.leading |= (outline.leads() as u64) << pid;
            bits.moving |= (outline.moves() as u64) << pid;
            bits.ending |= (outline.ends() as u64) << pid;
        }
        bits
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
        let touched = vec![Touched::EVERYTHING; processes].into_boxed_slice();
        LaneMemory { kept, touched, bits: ProcessBits::default(), changed: EVERYTHING, begun: 0, states: 0 }
    }

    /// Begins with another state, of which these places differ from the one before.
    #[inline(always)]
    fn begin(&mut self, before: u64, begun: u64, changed: u64) {
        // If the last state was begun with other remembered steps, it is not known here what has changed.
        self.changed |= if before == self.begun { changed | NO_PLACE } else { EVERYTHING };
        self.begun = begun;
        self.states = self.states.wrapping_add(1 << SINCE);
    }

    pub fn forget(&mut self) {
        self.kept.fill(NOTHING_KEPT);
        self.touched.fill(Touched::EVERYTHING);
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

/// What the hash of a key begins with: different for each mask.
pub fn seed_of(footprint: u32) -> u64 {
    (footprint as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// A hash, of which any bits tell a line of the table.
#[inline(always)]
pub fn hash_of<const N: usize>(key: &[u64; N], seed: u64) -> u64 {
    let mut hash = seed;
    for [one, other] in key.as_chunks::<2>().0 {
        let product = (one ^ hash) as u128 * (other ^ 0xd6e8_feb8_6659_fd93) as u128;
        hash = product as u64 ^ (product >> 64) as u64;
    }
    hash
}

/// Where steps of states of so many words are looked up.
struct Lookup<'s, const N: usize, const LINE: usize, const RECORD: usize> {
    records: &'s mut [[u64; RECORD]],
    /// A power of two.
    lines: &'s [[u64; LINE]],
    /// The state.
    bytes: [[u8; 8]; N],
    /// How many states have been taken, as in [`Kept`].
    states: u64,
}

impl<'s, const N: usize, const LINE: usize, const RECORD: usize> Lookup<'s, N, LINE, RECORD> {
    /// `None` if there is no table for such states.
    #[inline(always)]
    fn new(tables: &'s mut Tables, last: &LastState, states: u64) -> Option<Lookup<'s, N, LINE, RECORD>> {
        const { assert!(LINE == line_words(N) && RECORD == record_words(N)) };
        let bytes = last.words.first_chunk::<N>()?.map(u64::to_le_bytes);
        let lines = tables.table.lines().as_chunks::<LINE>().0.get(..1 << tables.table_bits)?;
        let records = tables.records.as_chunks_mut::<RECORD>().0;
        Some(Lookup { records, lines, bytes, states })
    }

    /// What is remembered of a process. `None` if nothing is: [`miss`] says what is missing.
    #[inline(always)]
    fn find(&mut self, process: &ProcessMemory) -> Option<(Kept, Touched)> {
        let footprint = process.footprint_of(&self.bytes)?;
        // There is no record for those numbers that are none.
        let record = self.records.get_mut(footprint as usize)?;
        let (mask, facts) = record.split_first_chunk_mut::<N>()?;
        let facts = facts.first_chunk_mut::<FACTS>()?;
        let [places, reads, seed, counts] = facts;
        let key = key(&self.bytes.map(u64::from_le_bytes), mask);
        let line = self.lines.get(hash_of(&key, *seed) as usize & (self.lines.len() - 1))?;
        let (known, rest) = line.split_first_chunk::<N>()?;
        if *known != key || (rest[0] >> 32) as u32 != footprint {
            return None;
        }
        *counts = counts.wrapping_add(1);
        let kept = Kept { places: *places, found: rest[0] | self.states };
        Some((kept, Touched { reads: *reads, changes: rest[1] }))
    }
}

/// Nothing is remembered of a process in a state, and so nothing kept: what is missing. `counts`: it will be
/// executed, and counts when it is judged whether looking is of use.
#[cold]
#[inline(never)]
fn miss<const N: usize>(
    memory: &ProcessMemory,
    (kept, touched): (&mut Kept, &mut Touched),
    states: u64,
    tables: &mut Tables,
    last: &LastState,
    counts: bool,
) -> Lesson {
    let Some(words) = last.words.first_chunk::<N>() else { return Lesson::Nothing };
    // It was of use for as long as it was kept.
    if kept.footprint() != 0 {
        let states = (states >> SINCE).wrapping_sub(kept.found >> SINCE);
        tables.count::<N>(kept.footprint(), states % (1 << (u64::BITS - SINCE)), 0);
    }
    (*kept, *touched) = (NOTHING_KEPT, Touched::EVERYTHING);
    match memory.lesson(&words.map(u64::to_le_bytes)) {
        Ok(footprint) => {
            tables.count::<N>(footprint as usize, 0, counts as u64);
            Lesson::Step
        }
        Err(lesson) => lesson,
    }
}

/// Bits below a number, which is at most 64.
#[inline(always)]
fn bits_below(number: usize) -> u64 {
    if number < 64 { (1u64 << number) - 1 } else { u64::MAX }
}

/// Of sets of processes, how many at the beginning are not good, because nobody in them moves, or somebody
/// who must not: as far as it is remembered what they do. Whoever has been looked up is added to `current`.
#[inline(always)]
fn count_bad<const N: usize, const LINE: usize, const RECORD: usize>(
    memory: &mut ShapeMemory,
    tables: &mut Tables,
    last: &LastState,
    choices: &[Choice],
    lane: usize,
    current: &mut u64,
) -> usize {
    let ShapeMemory { processes, lanes, .. } = memory;
    let lane = &mut lanes[lane];
    for (i, choice) in choices.iter().enumerate() {
        let mut rest = choice.processes & !*current;
        while rest != 0 {
            let pid = rest.trailing_zeros();
            rest &= rest - 1;
            let (kept, process) = (&mut lane.kept[pid as usize], &processes[pid as usize]);
            let touched = &mut lane.touched[pid as usize];
            if kept.places & lane.changed != 0 {
                let lookup = Lookup::<N, LINE, RECORD>::new(tables, last, lane.states);
                let found = lookup.and_then(|mut lookup| lookup.find(process));
                match found {
                    Some(found) => (*kept, *touched) = found,
                    None => _ = miss::<N>(process, (kept, touched), lane.states, tables, last, false),
                }
                lane.bits.replace(1 << pid, ProcessBits::of(&lane.kept, 1 << pid));
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
fn recall_in<const N: usize, const LINE: usize, const RECORD: usize>(
    memory: &mut ShapeMemory,
    tables: &mut Tables,
    below: usize,
    current: u64,
    last: &LastState,
    lane: usize,
    out: &mut Successors,
) -> Option<Missing> {
    let ShapeMemory { processes, ends, lanes, .. } = memory;
    let lane = &mut lanes[lane];
    let Some(mut lookup) = Lookup::<N, LINE, RECORD>::new(tables, last, lane.states) else {
        return below.checked_sub(1).map(Missing::not_to_be_learnt);
    };
    let (kept, touched, changed) = (&mut lane.kept[..], &mut lane.touched[..], lane.changed);
    let (processes, touched) = (&processes[..kept.len()], &mut touched[..kept.len()]);
    // Without a branch for each, as nobody can foresee which these are.
    let is_stale = |kept: &Kept| (kept.places & changed != 0) as u64;
    let stale = kept[..below].iter().rev().fold(0u64, |all, kept| all << 1 | is_stale(kept)) & !current;
    let unasked = stale & !out.followed;
    if unasked != 0 {
        forget_unasked(kept, touched, unasked);
    }
    let mut waiting = stale & !unasked;
    let (mut leading, mut outlines, mut unknown) = (0, 0, None);
    while waiting != 0 {
        let pid = waiting.ilog2();
        waiting &= !(1 << pid);
        let (kept, touched) = (&mut kept[pid as usize], &mut touched[pid as usize]);
        let Some((found, cells)) = lookup.find(&processes[pid as usize]) else {
            unknown = Some(pid as usize);
            break;
        };
        leading |= (found.outline().leads() as u64) << pid;
        outlines |= found.outline().0;
        (*kept, *touched) = (found, cells);
    }
    let mut recalled = bits_below(below) & out.followed;
    let mut missing = None;
    if let Some(pid) = unknown {
        recalled &= u64::MAX << pid << 1;
        let nothing = (&mut kept[pid], &mut touched[pid]);
        let lesson = miss::<N>(&processes[pid], nothing, lane.states, tables, last, true);
        missing = Some(Missing::new(pid, lesson));
    }
    let mut bits = ProcessBits::plain(leading);
    if Outline(outlines).is_odd() {
        bits = ProcessBits::of(kept, stale & !waiting);
    }
    lane.bits.replace(stale & !waiting, bits);
    if missing.is_none() {
        // Not before all are done: if a state is given up in the middle, some processes have not been looked
        // up since these places changed.
        lane.changed = NO_PLACE;
    }
    repeat::<N>(tables, lane, ends, recalled, last, out);
    missing
}

/// Nobody asks what these do.
#[inline(never)]
fn forget_unasked(kept: &mut [Kept], touched: &mut [Touched], mut processes: u64) {
    while processes != 0 {
        let pid = processes.trailing_zeros() as usize;
        (kept[pid], touched[pid]) = (NOTHING_KEPT, Touched::EVERYTHING);
        processes &= processes - 1;
    }
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
    let lane = out.lane;
    let RememberedSteps { shapes, tables, stride, .. } = steps;
    // While processes are executed, states may become longer: then the others are executed too.
    match shapes.get_mut(shape) {
        Some(Some(memory)) if *stride == last.words.len() => match *stride {
            2 => recall_in::<2, 4, 8>(memory, tables, below, 0, last, lane, out),
            4 => recall_in::<4, 8, 8>(memory, tables, below, 0, last, lane, out),
            6 => recall_in::<6, 8, 10>(memory, tables, below, 0, last, lane, out),
            8 => recall_in::<8, 10, 12>(memory, tables, below, 0, last, lane, out),
            16 => recall_in::<16, 18, 20>(memory, tables, below, 0, last, lane, out),
            _ => recall_in::<32, 34, 36>(memory, tables, below, 0, last, lane, out),
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
    #[inline(always)]
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
            2 => self.begin_near_by::<2, 4, 8>(packed, chooser, steps, out),
            4 => self.begin_near_by::<4, 8, 8>(packed, chooser, steps, out),
            6 => self.begin_near_by::<6, 8, 10>(packed, chooser, steps, out),
            8 => self.begin_near_by::<8, 10, 12>(packed, chooser, steps, out),
            16 => self.begin_near_by::<16, 18, 20>(packed, chooser, steps, out),
            32 => self.begin_near_by::<32, 34, 36>(packed, chooser, steps, out),
            _ => None,
        }
    }

    #[inline(never)]
    fn begin_near_by<const N: usize, const LINE: usize, const RECORD: usize>(
        &mut self,
        packed: &[u8],
        chooser: &mut impl Chooser,
        steps: &mut RememberedSteps,
        out: &mut Successors,
    ) -> Option<Option<Begun>> {
        let Packer { last_states, lane, begun, counts, significant, .. } = self;
        let last = &mut last_states[*lane].current;
        let lane = out.lane;
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
        let since = Since { lane, begun: *begun, before, changed };
        if steps.stride == N
            && let Some(Some(memory)) = steps.shapes.get_mut(shape as usize)
            && memory.width == width
        {
            memory.lanes[lane].begin(before, *begun, changed);
            let tables = &mut steps.tables;
            let Some(choices) = chooser.choices(Numbers(last), since) else { return Some(None) };
            let mut current = 0;
            let bad = match choices {
                [] => 0,
                choices => count_bad::<N, LINE, RECORD>(memory, tables, last, choices, lane, &mut current),
            };
            out.follow_first_of(&choices[bad..]);
            let missing = recall_in::<N, LINE, RECORD>(memory, tables, processes, current, last, lane, out);
            return Some(Some(Begun { shape, bad: bad as u32, recalled: Recalled::of(missing) }));
        }
        steps.make_ready(significant.tag_size, last);
        if let Some(Some(memory)) = steps.shapes.get_mut(shape as usize) {
            memory.lanes[lane].begin(before, *begun, changed);
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
