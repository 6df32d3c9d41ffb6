//! Depth-first search that asks its store only one thing: was this state visited before?
//!
//! So it runs on a mere [`VisitedSet`], which may keep less than a state and take a new state for a visited
//! one. Then it misses what lies behind, but it comes to an end, and every violation that it meets is one:
//! what is on the stack is there byte for byte, the states of the path and the successors that wait.
//!
//! A state is marked when it is generated, and comes onto the stack once, if it is new then. So each
//! successor is looked up once, and each state waits once; the order is not quite that of the textbook, in
//! which a state that waits may be reached from deeper in the search. The path to a violation consists of the
//! states from which the search descended. It is put into an exact store of its own ([`Outcome::paths`]), so
//! that it can be replayed like any other.
//!
//! A limit on the depth leaves out what lies beyond it, also what could be reached on a shorter way.
//!
//! Cost: the bytes of the states on the path and of those that wait, and twelve for each.

use crate::bookkeeping::ProgressObserver;
use crate::events::NoListener;
use crate::hidden_values::visible_of;
use crate::limits::Limits;
use crate::watch::{Noted, Outcome, Question, Watch};
use lariat_engine::{SuccessorFunction, Successors};
use lariat_store::{ExactStore, StateId, StateStore, VisitedSet};

/// States, one behind the other.
#[derive(Default)]
struct Stack {
    bytes: Vec<u8>,
    /// Where each ends.
    ends: Vec<usize>,
}

impl Stack {
    fn push(&mut self, state: &[u8]) {
        self.bytes.extend_from_slice(state);
        self.ends.push(self.bytes.len());
    }

    fn len(&self) -> usize {
        self.ends.len()
    }

    fn start(&self, at: usize) -> usize {
        at.checked_sub(1).map_or(0, |before| self.ends[before])
    }

    fn state(&self, at: usize) -> &[u8] {
        &self.bytes[self.start(at)..self.ends[at]]
    }

    fn pop(&mut self) {
        let last = self.len() - 1;
        self.bytes.truncate(self.start(last));
        self.ends.pop();
    }

    /// Moves the last state to the end of another stack.
    fn pop_to(&mut self, other: &mut Stack) {
        other.push(self.state(self.len() - 1));
        self.pop();
    }

    fn allocated_bytes(&self) -> u64 {
        (self.bytes.capacity() + self.ends.capacity() * size_of::<usize>()) as u64
    }
}

/// Searches from the initial state.
pub fn depth_first_on_set<M: SuccessorFunction, S: VisitedSet>(
    model: &M,
    visited: &mut S,
    question: Question,
    limits: Limits,
    progress: ProgressObserver,
) -> Outcome {
    let mut watch = Watch::new(question, limits, progress.map(|p| p as _), NoListener);
    // The path, the states that wait, and of each state on the path how many of them are its successors.
    let (mut path, mut waiting, mut pending) = (Stack::default(), Stack::default(), Vec::<u32>::new());
    let mut paths = ExactStore::new();
    let mut out = Successors::new();
    let mut room = Vec::new();
    let hidden_size = model.memory_size();

    match model.initial_state() {
        Ok(initial) => {
            visited.visit(&initial[..initial.len() - hidden_size]);
            waiting.push(&initial);
            // Stands below the path: its one successor is the initial state.
            pending.push(1);
        }
        Err(violation) => watch.no_initial_state(violation),
    }
    while let Some(left) = pending.last_mut() {
        if *left == 0 {
            pending.pop();
            if path.len() > 0 {
                path.pop();
            }
            continue;
        }
        *left -= 1;
        let depth = path.len() as u64;
        if watch.cuts_at(depth) {
            waiting.pop();
            continue;
        }
        waiting.pop_to(&mut path);
        let state = path.state(path.len() - 1);
        model.successors(state, &mut out);
        if watch.expanded(model, state, &out) == Noted::NewViolation {
            let ids: Vec<StateId> = (0..path.len())
                .map(|at| path.state(at))
                .map(|state| paths.insert(&state[..state.len() - hidden_size]).id())
                .collect();
            watch.keep(|| ids.clone());
            if watch.is_answered() {
                break;
            }
        }
        let before = waiting.len();
        let is_new = visited.visit_all(visible_of(&out, hidden_size), &mut room);
        for (i, _) in is_new.iter().enumerate().rev().filter(|(_, is_new)| **is_new) {
            waiting.push(out.state(i));
        }
        pending.push((waiting.len() - before) as u32);
        watch.counts().stacks.note(depth + 1, waiting.len() as u64);
        watch.waiting = waiting.len() as u64;
        let own_bytes = || own_bytes(&path, &waiting, &pending, &paths);
        if watch.must_stop(model, visited, own_bytes, depth) {
            break;
        }
    }
    let reached = out.reached().to_vec();
    let own_bytes = own_bytes(&path, &waiting, &pending, &paths);
    let outcome = watch.finish(model, visited, own_bytes, reached);
    Outcome { paths: Some(paths), ..outcome }
}

fn own_bytes(path: &Stack, waiting: &Stack, pending: &Vec<u32>, paths: &ExactStore) -> u64 {
    path.allocated_bytes()
        + waiting.allocated_bytes()
        + (pending.capacity() * size_of::<u32>()) as u64
        + if paths.is_empty() { 0 } else { paths.states_bytes() + paths.auxiliary_bytes() }
}
