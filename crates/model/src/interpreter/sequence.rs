//! Indivisible sequences: from a state in which a process keeps control to the states in which none does.

use super::Interpreter;
use super::memory::Frames;
use crate::successors::{Entry, Step, Successors};
use hashbrown::HashTable;
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
    inner: Option<Box<Successors>>,
}

#[derive(Clone, Copy)]
struct TrailNode {
    parent: u32,
    step: Step,
}

const ROOT: u32 = u32::MAX;

/// A state in the arena.
#[derive(Clone, Copy)]
struct Item {
    start: usize,
    end: usize,
    held: Option<u16>,
    trail: u32,
}

/// The intermediate states of one indivisible sequence may take so much memory; a sequence that needs more (one that
/// counts up without end, say) is cut.
pub const MAX_SEQUENCE_BYTES: usize = 256 << 20;

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

    fn steps(&self, mut node: u32, steps: &mut Vec<Step>) {
        let first = steps.len();
        while node != ROOT {
            steps.push(self.trail[node as usize].step);
            node = self.trail[node as usize].parent;
        }
        steps[first..].reverse();
    }

    fn bytes_used(&self) -> usize {
        self.arena.len()
            + self.seen.len() * (size_of::<Item>() + 8)
            + self.trail.len() * size_of::<TrailNode>()
            + self.stack.len() * size_of::<Item>()
    }

    fn bytes(&self, item: Item) -> &[u8] {
        &self.arena[item.start..item.end]
    }

    /// Notes an intermediate state; false if it is known already.
    fn is_new(&mut self, item: Item) -> bool {
        let equal =
            |work: &Work, other: Item| other.held == item.held && work.bytes(other) == work.bytes(item);
        if self.seen.len() < FEW {
            if self.seen.iter().any(|other| equal(self, *other)) {
                return false;
            }
        } else {
            let hasher = rustc_hash::FxBuildHasher;
            let hash_of = |work: &Work, item: Item| hasher.hash_one((item.held, work.bytes(item)));
            let mut index = std::mem::take(&mut self.index);
            if index.is_empty() {
                for i in 0..self.seen.len() {
                    let hash = hash_of(self, self.seen[i]);
                    index.insert_unique(hash, i as u32, |i| hash_of(self, self.seen[*i as usize]));
                }
            }
            let hash = hash_of(self, item);
            let known = index.find(hash, |i| equal(self, self.seen[*i as usize])).is_some();
            if !known {
                let next = self.seen.len() as u32;
                index.insert_unique(hash, next, |i| hash_of(self, self.seen[*i as usize]));
            }
            self.index = index;
            if known {
                return false;
            }
        }
        self.seen.push(item);
        true
    }
}

/// Replaces the successors in which a process keeps control by what they lead to, in depth-first order. Each
/// intermediate state is expanded once, by `moves`: it is given a working state and the process that holds control, fills the buffer,
/// and says whether something moved.
pub fn finish_sequences(
    out: &mut Successors,
    mut moves: impl FnMut(&[u8], Option<u16>, &mut Successors) -> bool,
) {
    let mut work = std::mem::take(&mut out.work);
    let mut inner = work.inner.take().unwrap_or_default();
    work.arena.clear();
    work.seen.clear();
    work.index.clear();
    work.trail.clear();
    work.stack.clear();
    work.arena.extend_from_slice(&out.bytes);
    for entry in out.entries.iter().rev() {
        let steps = &out.steps[entry.steps_start as usize..entry.steps_end as usize];
        let trail = work.push_trail(ROOT, steps);
        let (start, end) = (entry.start as usize, entry.end as usize);
        work.stack.push(Item { start, end, held: entry.held_by(), trail });
    }
    out.entries.clear();
    out.bytes.clear();
    std::mem::swap(&mut inner.reached, &mut out.reached);
    while let Some(item) = work.stack.pop() {
        if item.held.is_none() {
            emit(&work, item, out);
            continue;
        }
        if !work.is_new(item) {
            continue;
        }
        if work.bytes_used() > MAX_SEQUENCE_BYTES {
            out.cut = true;
            break;
        }
        inner.clear();
        let moved = moves(work.bytes(item), item.held, &mut inner);
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
            continue;
        }
        for entry in inner.entries.iter().rev() {
            let start = work.arena.len();
            work.arena.extend_from_slice(&inner.bytes[entry.start as usize..entry.end as usize]);
            let steps = &inner.steps[entry.steps_start as usize..entry.steps_end as usize];
            let trail = work.push_trail(item.trail, steps);
            let end = work.arena.len();
            work.stack.push(Item { start, end, held: entry.held_by(), trail });
        }
    }
    if out.cut {
        // Do not keep what a normal sequence never needs.
        (work.arena, work.seen, work.trail, work.stack) = Default::default();
        work.index = HashTable::new();
    }
    std::mem::swap(&mut inner.reached, &mut out.reached);
    work.inner = Some(inner);
    out.work = work;
}

impl Interpreter<'_> {
    pub(super) fn finish_own_sequences(&self, out: &mut Successors) {
        let mut frames = std::mem::take(&mut out.work.frames);
        finish_sequences(out, |bytes, held, out| {
            frames.find(bytes, &self.layout);
            self.moves(bytes, &frames, held, out)
        });
        out.work.frames = frames;
    }

    /// Turns all successors from working states into stored ones.
    pub fn store_successors(&self, out: &mut Successors) {
        let mut packed = std::mem::take(&mut out.work.packed);
        self.packing.pack_all(&out.bytes, &mut out.entries, &mut packed);
        out.work.packed = std::mem::replace(&mut out.bytes, packed);
    }
}

fn emit(work: &Work, item: Item, out: &mut Successors) {
    let start = out.bytes.len() as u32;
    out.bytes.extend_from_slice(work.bytes(item));
    let end = out.bytes.len() as u32;
    let steps_start = out.steps.len() as u32;
    work.steps(item.trail, &mut out.steps);
    let steps_end = out.steps.len() as u32;
    out.entries.push(Entry { start, end, steps_start, steps_end, held: Entry::NOBODY, needless: 0, sum: 0 });
}
