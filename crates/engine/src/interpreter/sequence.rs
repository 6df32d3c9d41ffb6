//! Indivisible sequences: from a state in which a process keeps control to the states in which none does.
//!
//! The intermediate states form a small graph, which is searched depth-first; each of them is expanded
//! once. What leads out of the graph is a successor. A run may also stay inside: where the graph has a
//! cycle, the sequence can go on for ever, and nobody else ever moves again. That is a run like any other
//! ([`Divergence`]). Whether there is a cycle is looked at only where a state was met again
//! (`divergence.rs`).
//!
//! The steps on the way are a tree, the *trail*: a sequence of n steps that can be left everywhere has n
//! successors, and the steps to all of them, written out, would be n² / 2.
//!
//! Where participants are asked for, a node of this graph is an intermediate state together with those who
//! have taken part on the way there. It is expanded once; but the same state with others is another node.

use super::Interpreter;
use super::divergence::{Entrance, Graph, Link, TooMany, find_divergences, has_cycle};
use super::memory::Frames;
use crate::patience::Patience;
use crate::process_set::ProcessSet;
use crate::successors::{Entry, Step, Successors};
use hashbrown::HashTable;
use rustc_hash::FxHashMap;
use std::hash::BuildHasher;

/// Buffers kept from state to state.
#[derive(Default)]
pub struct Work {
    pub(super) frames: Frames,
    pub(super) working: Vec<u8>,
    /// The successors in the form in which they are stored.
    packed: Vec<u8>,
    /// A state in the middle of a handshake.
    pub(super) midway: Vec<u8>,
    /// The intermediate states of the sequences under way, and which have been expanded.
    arena: Vec<u8>,
    seen: Vec<Item>,
    index: HashTable<u32>,
    /// How each intermediate state was reached: the steps, and the one before.
    trail: Vec<TrailNode>,
    stack: Vec<Item>,
    /// Those who have taken part on the way to some intermediate state.
    sets: Sets,
    /// The intermediate states to which a first step leads.
    entrances: Vec<Entrance>,
    /// From which intermediate state to which.
    links: Vec<Link>,
    /// The intermediate states from which a step leads out.
    exits: Vec<u32>,
    inner: Option<Box<Successors>>,
}

#[derive(Clone, Copy)]
struct TrailNode {
    parent: u32,
    step: Step,
}

/// No state of the trail, or none of the graph: the state from which the sequence begins is before both.
const ROOT: u32 = u32::MAX;

/// A state in the arena.
#[derive(Clone, Copy)]
struct Item {
    start: usize,
    end: usize,
    held: Option<u16>,
    /// Those who have taken part, by their number in [`Sets`]; 0 if nobody asks.
    set: u32,
    trail: u32,
    /// The intermediate state from which it was reached, by its place in `seen`.
    from: u32,
    /// Of all that makes two of them equal; 0 as long as nobody has asked.
    hash: u64,
}

/// Sets of processes, by number.
#[derive(Default)]
struct Sets {
    list: Vec<ProcessSet>,
    numbers: FxHashMap<ProcessSet, u32>,
}

impl Sets {
    fn clear(&mut self) {
        self.list.clear();
        self.numbers.clear();
    }

    fn number_of(&mut self, set: ProcessSet) -> u32 {
        *self.numbers.entry(set).or_insert_with(|| {
            self.list.push(set);
            self.list.len() as u32 - 1
        })
    }

    /// The number of a set with some more processes.
    fn with(&mut self, number: u32, more: ProcessSet) -> u32 {
        self.number_of(self.list[number as usize].union(more))
    }
}

/// Intermediate states between two looks at the limits.
const BETWEEN_LOOKS: usize = 1 << 12;

/// A trail of so many steps is not kept for the next sequence.
const LONG_TRAIL: usize = 1 << 20;

/// Up to so many intermediate states a plain comparison with each is faster than a table.
const FEW: usize = 12;

impl Work {
    fn push_trail(&mut self, mut parent: u32, steps: &[Step]) -> u32 {
        for step in steps {
            self.trail.push(TrailNode { parent, step: *step });
            parent = self.trail.len() as u32 - 1;
        }
        parent
    }

    fn steps(&self, node: u32, steps: &mut Vec<Step>) {
        self.steps_between(ROOT, node, steps);
    }

    /// All statements on the trail.
    pub(crate) fn all_steps(&self) -> impl Iterator<Item = &Step> {
        self.trail.iter().map(|node| &node.step)
    }

    /// The steps up to a node of the trail.
    pub(crate) fn steps_to(&self, node: u32) -> Vec<Step> {
        let mut steps = Vec::new();
        self.steps(node, &mut steps);
        steps
    }

    fn bytes_used(&self) -> usize {
        self.arena.len()
            + self.seen.len() * (size_of::<Item>() + 8)
            + self.trail.len() * size_of::<TrailNode>()
            + self.stack.len() * size_of::<Item>()
            + self.links.len() * size_of::<Link>()
            + self.sets.list.len() * 4 * size_of::<ProcessSet>()
    }

    /// Whether the system gives the memory for what comes out of one intermediate state.
    fn has_room_for(&mut self, inner: &Successors) -> bool {
        fn has_room<T>(list: &mut Vec<T>, more: usize) -> bool {
            list.capacity() - list.len() >= more || list.try_reserve(more).is_ok()
        }
        let count = inner.entries.len() + 1;
        let hash_of = |i: &u32| self.seen[*i as usize].hash;
        self.index.try_reserve(1, hash_of).is_ok()
            && has_room(&mut self.arena, inner.bytes.len())
            && has_room(&mut self.trail, inner.steps.len())
            && has_room(&mut self.seen, 1)
            && has_room(&mut self.stack, count)
            && has_room(&mut self.links, 1)
            && has_room(&mut self.exits, count)
    }

    fn bytes(&self, item: Item) -> &[u8] {
        &self.arena[item.start..item.end]
    }

    /// The steps from one node of the trail to a later one.
    fn steps_between(&self, from: u32, to: u32, steps: &mut Vec<Step>) {
        let first = steps.len();
        let mut node = to;
        while node != from && node != ROOT {
            steps.push(self.trail[node as usize].step);
            node = self.trail[node as usize].parent;
        }
        steps[first..].reverse();
    }

    /// The processes that move between them.
    fn movers_between(&self, from: u32, to: u32) -> ProcessSet {
        let mut movers = ProcessSet::default();
        let mut node = to;
        while node != from && node != ROOT {
            movers.insert(self.trail[node as usize].step.pid);
            node = self.trail[node as usize].parent;
        }
        movers
    }

    /// Notes an intermediate state, and how it was reached. Its place if it is new.
    fn enter(&mut self, mut item: Item) -> Option<u32> {
        item.hash = hash_of(&self.arena, item);
        let (place, is_new) = match self.place_of(item) {
            Some(known) => (known, false),
            None => {
                self.seen.push(item);
                (self.seen.len() as u32 - 1, true)
            }
        };
        match item.from {
            ROOT => self.entrances.push(Entrance { place, trail: item.trail }),
            from => self.links.push(Link { from, to: place, trail: item.trail }),
        }
        is_new.then_some(place)
    }

    /// Where an intermediate state is among those that are known; it is put into the table if it is not.
    fn place_of(&mut self, item: Item) -> Option<u32> {
        let equal = |work: &Work, other: Item| {
            // What differs mostly has another hash.
            other.hash == item.hash
                && (other.held, other.set) == (item.held, item.set)
                && work.bytes(other) == work.bytes(item)
        };
        if self.seen.len() < FEW {
            self.seen.iter().position(|other| equal(self, *other)).map(|place| place as u32)
        } else {
            let mut index = std::mem::take(&mut self.index);
            if index.is_empty() {
                for i in 0..self.seen.len() {
                    index.insert_unique(self.seen[i].hash, i as u32, |i| self.seen[*i as usize].hash);
                }
            }
            let hash = item.hash;
            let known = index.find(hash, |i| equal(self, self.seen[*i as usize])).copied();
            if known.is_none() {
                let next = self.seen.len() as u32;
                // The new state itself is not among the known ones yet.
                index.insert_unique(hash, next, |i| match self.seen.get(*i as usize) {
                    Some(known) => known.hash,
                    None => hash,
                });
            }
            self.index = index;
            known
        }
    }
}

fn hash_of(arena: &[u8], item: Item) -> u64 {
    rustc_hash::FxBuildHasher.hash_one((item.held, item.set, &arena[item.start..item.end]))
}

/// Replaces the successors in which a process keeps control by what they lead to, in depth-first order, and
/// notes where a run may stay in the middle for ever. Each intermediate state is expanded once, by `moves`:
/// it is given a working state and the process that holds control, fills the buffer (which asks for
/// participants if `out` does), and says whether something moved.
pub fn finish_sequences(
    out: &mut Successors,
    patience: Patience,
    mut moves: impl FnMut(&[u8], Option<u16>, &mut Successors) -> bool,
) {
    let mut work = std::mem::take(&mut out.work);
    let mut inner = work.inner.take().unwrap_or_default();
    work.arena.clear();
    work.seen.clear();
    work.index.clear();
    match work.trail.capacity() > LONG_TRAIL {
        true => work.trail = Vec::new(),
        false => work.trail.clear(),
    }
    work.stack.clear();
    work.entrances.clear();
    work.links.clear();
    work.exits.clear();
    let asks = out.asks_for_participants;
    inner.asks_for_participants = asks;
    inner.units = out.units.take();
    if asks {
        work.sets.clear();
    }
    work.arena.extend_from_slice(&out.bytes);
    for (i, entry) in out.entries.iter().enumerate().rev() {
        let set = if asks { work.sets.number_of(out.participants[i]) } else { 0 };
        let steps = &out.steps[entry.steps_start as usize..entry.steps_end as usize];
        let trail = work.push_trail(ROOT, steps);
        let (start, end) = (entry.start as usize, entry.end as usize);
        work.stack.push(Item { start, end, held: entry.held_by(), set, trail, from: ROOT, hash: 0 });
    }
    out.entries.clear();
    out.participants.clear();
    out.bytes.clear();
    std::mem::swap(&mut inner.reached, &mut out.reached);
    let mut met_again = false;
    while let Some(item) = work.stack.pop() {
        if item.held.is_none() {
            emit(&work, item, out);
            if item.from != ROOT {
                work.exits.push(item.from);
            }
            continue;
        }
        let Some(place) = work.enter(item) else {
            met_again = true;
            continue;
        };
        let look = work.seen.len().is_multiple_of(BETWEEN_LOOKS) && patience.is_over();
        // Lists that grow have up to as much again.
        if look || 2 * (work.bytes_used() + out.bytes_used()) > patience.max_bytes {
            out.cut = true;
            break;
        }
        inner.clear();
        let moved = moves(work.bytes(item), item.held, &mut inner);
        out.cut |= inner.cut;
        if !work.has_room_for(&inner) {
            out.cut = true;
            break;
        }
        if !inner.violations.is_empty() {
            work.exits.push(place);
        }
        for found in inner.violations.drain(..) {
            let start = out.steps.len() as u32;
            work.steps(item.trail, &mut out.steps);
            out.steps.extend_from_slice(&inner.steps[found.steps_start as usize..found.steps_end as usize]);
            let end = out.steps.len() as u32;
            out.violations.push(crate::successors::FoundViolation {
                steps_start: start,
                steps_end: end,
                ..found
            });
        }
        if !moved {
            emit(&work, Item { held: None, ..item }, out);
            work.exits.push(place);
            continue;
        }
        for (i, entry) in inner.entries.iter().enumerate().rev() {
            let set = if asks { work.sets.with(item.set, inner.participants[i]) } else { 0 };
            let start = work.arena.len();
            work.arena.extend_from_slice(&inner.bytes[entry.start as usize..entry.end as usize]);
            let steps = &inner.steps[entry.steps_start as usize..entry.steps_end as usize];
            let trail = work.push_trail(item.trail, steps);
            let end = work.arena.len();
            work.stack.push(Item { start, end, held: entry.held_by(), set, trail, from: place, hash: 0 });
        }
    }
    if asks {
        out.in_sequences = work.sets.list.iter().copied().fold(ProcessSet::default(), ProcessSet::union);
    }
    if met_again {
        note_divergences(&work, patience, out);
    }
    if out.cut {
        // Do not keep what a normal sequence never needs. The trail is needed for what was found.
        (work.arena, work.seen, work.stack, work.links) = Default::default();
        work.index = HashTable::new();
        work.sets = Sets::default();
    }
    std::mem::swap(&mut inner.reached, &mut out.reached);
    out.units = inner.units.take();
    work.inner = Some(inner);
    out.work = work;
}

/// Looks for cycles of intermediate states, and notes the steps that lead there and round.
fn note_divergences(work: &Work, patience: Patience, out: &mut Successors) {
    let graph =
        Graph { states: work.seen.len(), entrances: &work.entrances, links: &work.links, exits: &work.exits };
    if !has_cycle(&graph) {
        return;
    }
    // The steps of a link lie between two nodes of the trail.
    let begins_at = |link: &Link| work.seen[link.from as usize].trail;
    let entering = |entrance: &Entrance| work.movers_between(ROOT, entrance.trail);
    let moving = |link: &Link| work.movers_between(begins_at(link), link.trail);
    let is_complete = !out.cut;
    let found = match find_divergences(&graph, entering, moving, patience) {
        Ok(found) => found,
        Err(TooMany(found)) => {
            out.cut = true;
            found
        }
    };
    for run in found {
        let stem_start = out.steps.len() as u32;
        work.steps_between(ROOT, work.entrances[run.entrance].trail, &mut out.steps);
        for link in run.stem.iter().map(|&link| &work.links[link as usize]) {
            work.steps_between(begins_at(link), link.trail, &mut out.steps);
        }
        let cycle_start = out.steps.len() as u32;
        for link in run.cycle.iter().map(|&link| &work.links[link as usize]) {
            work.steps_between(begins_at(link), link.trail, &mut out.steps);
        }
        let cycle_end = out.steps.len() as u32;
        // What was not looked at may lead out.
        let is_trap = run.is_trap && is_complete;
        out.push_divergence(run.movers, is_trap, [stem_start, cycle_start, cycle_end]);
    }
}

impl Interpreter<'_> {
    pub(super) fn finish_own_sequences(&self, out: &mut Successors) {
        let mut frames = std::mem::take(&mut out.work.frames);
        finish_sequences(out, self.patience, |bytes, held, out| {
            frames.find(bytes, &self.layout);
            self.moves(bytes, &frames, held, out)
        });
        out.work.frames = frames;
    }

    /// Turns all successors from working states into stored ones.
    #[inline(always)]
    pub fn store_successors(&self, out: &mut Successors) {
        let Successors { bytes, entries, work, .. } = out;
        self.packer().pack_all(bytes, entries, &mut work.packed);
        std::mem::swap(bytes, &mut work.packed);
    }
}

fn emit(work: &Work, item: Item, out: &mut Successors) {
    let start = out.bytes.len() as u32;
    out.bytes.extend_from_slice(work.bytes(item));
    if out.asks_for_participants {
        out.participants.push(work.sets.list[item.set as usize]);
    }
    let end = out.bytes.len() as u32;
    let (steps_start, steps_end) = match item.trail {
        ROOT => (0, 0),
        node => (node, Entry::ON_TRAIL),
    };
    out.entries.push(Entry {
        start,
        end,
        steps_start,
        steps_end,
        held: Entry::NOBODY,
        recalled_of: 0,
        sum: 0,
    });
}
