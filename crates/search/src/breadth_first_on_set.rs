//! Breadth-first search that asks its store only one thing: was this state visited before?
//!
//! The two levels of the search hold the bytes of states, one behind the other, not their numbers. So it runs
//! on a mere [`VisitedSet`], which may forget what it has seen of a state, and even take a new state for a
//! visited one. Then it misses what lies behind, but it comes to an end, and every violation that it meets is
//! one.
//!
//! On an exact store it sees what [`breadth_first`](crate::breadth_first()) sees, in the same order, with the
//! same counts. What it cannot tell is the path to a violation: nobody knows the predecessor of a state.
//!
//! Cost: the bytes of the states on two levels, and eight bytes for each; nothing per state beside the store.

use crate::bookkeeping::ProgressObserver;
use crate::breadth_first::nearest_first;
use crate::events::NoListener;
use crate::hidden_values::visible_of;
use crate::limits::Limits;
use crate::watch::{Outcome, Question, Watch};
use lariat_engine::{SuccessorFunction, Successors};
use lariat_store::VisitedSet;

/// States, one behind the other.
#[derive(Default)]
struct Level {
    bytes: Vec<u8>,
    /// Where each ends.
    ends: Vec<usize>,
}

impl Level {
    fn push(&mut self, state: &[u8]) {
        self.bytes.extend_from_slice(state);
        self.ends.push(self.bytes.len());
    }

    fn len(&self) -> usize {
        self.ends.len()
    }

    fn state(&self, at: usize) -> &[u8] {
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[start..self.ends[at]]
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }

    fn allocated_bytes(&self) -> u64 {
        (self.bytes.capacity() + self.ends.capacity() * size_of::<usize>()) as u64
    }
}

/// Searches from the initial state. Violations are found without a path.
pub fn breadth_first_on_set<M: SuccessorFunction, S: VisitedSet>(
    model: &M,
    visited: &mut S,
    question: Question,
    limits: Limits,
    progress: ProgressObserver,
) -> Outcome {
    let mut watch = Watch::new(question, limits, progress.map(|p| p as _), NoListener);
    let (mut level, mut next) = (Level::default(), Level::default());
    let mut out = Successors::new();
    let mut room = Vec::new();
    let hidden_size = model.memory_size();

    match model.initial_state() {
        Ok(initial) => {
            visited.visit(&initial[..initial.len() - hidden_size]);
            level.push(&initial);
        }
        Err(violation) => watch.no_initial_state(violation),
    }
    let mut depth = 0;
    'levels: while level.len() > 0 {
        watch.counts().stacks.note(level.len() as u64, 0);
        if watch.cuts_at(depth) {
            break;
        }
        for at in 0..level.len() {
            let state = level.state(at);
            model.successors(state, &mut out);
            watch.expanded(model, state, &out);
            if !watch.is_answered() {
                let is_new = visited.visit_all(visible_of(&out, hidden_size), &mut room);
                for (i, _) in is_new.iter().enumerate().filter(|(_, is_new)| **is_new) {
                    next.push(out.state(i));
                }
            } else if watch.found.last().is_some_and(|found| found.violation.kind.is_of_end()) {
                break;
            }
            watch.counts().stacks.note(0, next.len() as u64);
            watch.waiting = (level.len() - at - 1 + next.len()) as u64;
            let own_bytes = || level.allocated_bytes() + next.allocated_bytes();
            if watch.must_stop(model, visited, own_bytes, depth) {
                break 'levels;
            }
        }
        if watch.is_answered() {
            break;
        }
        std::mem::swap(&mut level, &mut next);
        next.clear();
        depth += 1;
    }
    if watch.is_answered() {
        nearest_first(&mut watch);
    }
    let reached = out.reached().to_vec();
    watch.finish(model, visited, level.allocated_bytes() + next.allocated_bytes(), reached)
}
