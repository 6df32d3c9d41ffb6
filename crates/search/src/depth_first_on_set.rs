//! Depth-first search that asks its store only one thing: was this state visited before?
//!
//! So it runs on a mere [`VisitedSet`], which may keep less than a state and take a new state for a visited
//! one. Then it misses what lies behind, but it comes to an end, and every violation that it meets is one:
//! what is on the stack is there byte for byte, the states of the path and the successors that wait.
//!
//! A state is marked when it is generated, and comes onto the stack once, if it is new then. So each
//! successor is looked up once, and each state waits once; the order is not quite that of the textbook, in
//! which a state that waits may be reached from deeper in the search.
//!
//! *States in flight.* As in [`crate::look_ahead`] four lanes take turns, each with a state whose successors
//! are computed and announced to the set, but not visited yet; so memory is hardly waited for. Unlike there,
//! the way to a state is known all the time: a search that began again, to find it in order, might confuse
//! other states, and miss the violation. All states lie on one stack, in the order in which they were found,
//! each with its *parent*, from which it was found. A state is *done* when its successors were visited and
//! all states found from it are done; done states are taken from the top of the stack. (One that is done
//! below another stays until that one goes. With one state in flight there is none.)
//!
//! The way to a violation is put into an exact store of its own ([`Outcome::paths`]), so that it can be
//! replayed like any other. A limit on the depth leaves out what lies beyond it, also what could be reached
//! on a shorter way.
//!
//! What was missed is estimated on the way ([`crate::omissions`]).
//!
//! Cost: the bytes of the states on the path and of those that wait, and 36 for each.

use crate::bookkeeping::ProgressObserver;
use crate::events::NoListener;
use crate::hidden_values::visible_of;
use crate::limits::Limits;
use crate::omissions::Omissions;
use crate::watch::{Noted, Outcome, Question, Watch, add_reached};
use lariat_engine::{LANES, SuccessorFunction, Successors};
use lariat_store::{ExactStore, StateId, StateStore, VisitedSet};

/// The place of a state on the stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place(usize);

/// A state on the stack.
struct Node {
    /// Where its bytes end.
    end: usize,
    /// From which it was found; the initial state from itself.
    parent: u32,
    /// How many of those found from it are not done; and one more until its successors were visited.
    left: u32,
    depth: u32,
    /// What the set has found out of it.
    print: u64,
}

/// All states that were found and are not done.
#[derive(Default)]
struct Stack {
    bytes: Vec<u8>,
    nodes: Vec<Node>,
    /// Those that wait to be expanded.
    waiting: Vec<u32>,
}

impl Stack {
    /// Adds a state that waits.
    fn push(&mut self, state: &[u8], print: u64, parent: Option<Place>) {
        // There is no memory for as many states as there are numbers.
        let at = self.nodes.len() as u32;
        let (parent, depth) = match parent {
            Some(Place(parent)) => {
                self.nodes[parent].left += 1;
                (parent as u32, self.nodes[parent].depth + 1)
            }
            None => (at, 0),
        };
        self.bytes.extend_from_slice(state);
        self.nodes.push(Node { end: self.bytes.len(), parent, left: 1, depth, print });
        self.waiting.push(at);
    }

    /// The one that was found last of those that wait.
    fn next(&mut self) -> Option<Place> {
        self.waiting.pop().map(|at| Place(at as usize))
    }

    fn start(&self, Place(at): Place) -> usize {
        at.checked_sub(1).map_or(0, |before| self.nodes[before].end)
    }

    fn state(&self, place: Place) -> &[u8] {
        &self.bytes[self.start(place)..self.nodes[place.0].end]
    }

    fn depth(&self, Place(at): Place) -> u64 {
        u64::from(self.nodes[at].depth)
    }

    /// The way to a state, itself included.
    fn path(&self, place: Place) -> Vec<Place> {
        let mut path = vec![place];
        let mut at = place.0;
        while self.nodes[at].parent as usize != at {
            at = self.nodes[at].parent as usize;
            path.push(Place(at));
        }
        path.reverse();
        path
    }

    /// The successors of a state were visited, or one that was found from it is done.
    fn tick_off(&mut self, Place(mut at): Place) {
        loop {
            let Node { parent, left, .. } = &mut self.nodes[at];
            *left -= 1;
            if *left > 0 || *parent as usize == at {
                break;
            }
            at = *parent as usize;
        }
        while self.nodes.last().is_some_and(|node| node.left == 0) {
            let last = Place(self.nodes.len() - 1);
            self.bytes.truncate(self.start(last));
            self.nodes.pop();
        }
    }

    fn allocated_bytes(&self) -> u64 {
        (self.bytes.capacity()
            + self.nodes.capacity() * size_of::<Node>()
            + self.waiting.capacity() * size_of::<u32>()) as u64
    }
}

/// A state in flight.
struct Lane {
    place: Option<Place>,
    /// Its successors, which are not visited yet.
    out: Successors,
    /// What the set has found out of these.
    announced: Vec<u64>,
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
    let mut stack = Stack::default();
    let mut paths = ExactStore::new();
    let mut lanes: [Lane; LANES] = std::array::from_fn(|lane| Lane {
        place: None,
        out: Successors::for_lane(lane).without_sleepers(),
        announced: Vec::new(),
    });
    let (mut turn, mut room) = (0, Vec::new());
    let mut play = Play { omissions: Omissions::new(), again: Vec::new(), out: Successors::new() };
    let hidden_size = model.memory_size();

    match model.initial_state() {
        Ok(initial) => {
            visited.visit(&initial[..initial.len() - hidden_size]);
            stack.push(&initial, 0, None);
        }
        Err(violation) => watch.no_initial_state(violation),
    }
    loop {
        let lane = &mut lanes[turn];
        turn = if turn + 1 < LANES { turn + 1 } else { 0 };
        // The successors of the state that is in this lane.
        if let Some(place) = lane.place.take() {
            let depth = stack.depth(place);
            let successors = visible_of(&lane.out, hidden_size);
            let is_new = visited.visit_announced(successors, &lane.announced, &mut room);
            for (i, _) in is_new.iter().enumerate().rev().filter(|(_, is_new)| **is_new) {
                stack.push(lane.out.state(i), lane.announced.get(i).copied().unwrap_or(0), Some(place));
            }
            if !lane.announced.is_empty() && !play.omissions.is_over() {
                play.go_on(model, visited, lane, stack.nodes[place.0].print, &room);
            }
            stack.tick_off(place);
            watch.counts().stacks.note(depth + 1, stack.waiting.len() as u64);
            watch.waiting = stack.waiting.len() as u64;
            if watch.must_stop(model, visited, || own_bytes(&stack, &paths, &play.omissions), depth) {
                break;
            }
        }
        let Some(place) = stack.next() else {
            if lanes.iter().any(|lane| lane.place.is_some()) {
                continue;
            }
            break;
        };
        if watch.cuts_at(stack.depth(place)) {
            stack.tick_off(place);
            continue;
        }
        let state = stack.state(place);
        model.successors(state, &mut lane.out);
        if watch.expanded(model, state, &lane.out) == Noted::NewViolation {
            let path = stack.path(place).into_iter().map(|at| stack.state(at));
            let ids: Vec<StateId> =
                path.map(|state| paths.insert(&state[..state.len() - hidden_size]).id()).collect();
            watch.keep(|| ids.clone());
            if watch.is_answered() {
                break;
            }
        }
        visited.announce(visible_of(&lane.out, hidden_size), &mut lane.announced);
        lane.place = Some(place);
    }
    let mut reached = Vec::new();
    lanes.iter().for_each(|lane| add_reached(&mut reached, lane.out.reached()));
    let own_bytes = own_bytes(&stack, &paths, &play.omissions);
    let outcome = watch.finish(model, visited, own_bytes, reached);
    let missed_share = play.omissions.missed_share(visited.len(), visited.expected_missed());
    Outcome { paths: Some(paths), missed_share, ..outcome }
}

/// An imagined search that omits states ([`crate::omissions`]).
struct Play {
    omissions: Omissions,
    /// States that it comes to only now.
    again: Vec<Vec<u8>>,
    out: Successors,
}

impl Play {
    /// The successors of a state were visited.
    fn go_on<M: SuccessorFunction, S: VisitedSet>(
        &mut self,
        model: &M,
        visited: &mut S,
        lane: &Lane,
        print: u64,
        is_new: &[bool],
    ) {
        let from_without = self.omissions.is_without(print);
        for (i, (&print, is_new)) in lane.announced.iter().zip(is_new).enumerate() {
            if *is_new {
                self.omissions.note_new(print, from_without, || visited.confusion());
            } else if !from_without && self.omissions.comes_to(print) {
                self.again.push(lane.out.state(i).to_vec());
            }
        }
        if self.again.is_empty() {
            return;
        }
        let (hidden_size, mut announced) = (model.memory_size(), Vec::new());
        while let Some(state) = self.again.pop() {
            model.successors(&state, &mut self.out);
            visited.announce(visible_of(&self.out, hidden_size), &mut announced);
            for (i, &print) in announced.iter().enumerate() {
                if self.omissions.comes_to(print) {
                    self.again.push(self.out.state(i).to_vec());
                }
            }
            self.omissions.note_waiting(self.again.len() * state.len());
        }
    }
}

fn own_bytes(stack: &Stack, paths: &ExactStore, omissions: &Omissions) -> u64 {
    stack.allocated_bytes()
        + omissions.bytes()
        + if paths.is_empty() { 0 } else { paths.states_bytes() + paths.auxiliary_bytes() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against a plain tree: what is not done is there, with the way to it, and in the end nothing is left.
    #[test]
    fn nothing_goes_before_it_is_done() {
        let mut seed = 5u64;
        let mut random = |below: u64| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) % below
        };
        for _ in 0..200 {
            // A state is the way to it, a byte for each step.
            let mut stack = Stack::default();
            stack.push(&[], 0, None);
            let mut in_flight: Vec<Place> = Vec::new();
            let mut found = 1;
            loop {
                if in_flight.len() < 3
                    && let Some(place) = stack.next()
                {
                    in_flight.push(place);
                }
                if in_flight.is_empty() {
                    break;
                }
                let place = in_flight.remove(random(in_flight.len() as u64) as usize);
                let state = stack.state(place).to_vec();
                let way: Vec<usize> = stack.path(place).iter().map(|&at| stack.state(at).len()).collect();
                assert_eq!(way, (0..=state.len()).collect::<Vec<_>>());
                assert!(stack.path(place).iter().all(|&at| state.starts_with(stack.state(at))));
                assert_eq!(stack.depth(place), state.len() as u64);
                for child in 0..random(4) as u8 {
                    if found < 300 {
                        found += 1;
                        stack.push(&[&state[..], &[child]].concat(), 0, Some(place));
                    }
                }
                stack.tick_off(place);
            }
            assert!(stack.nodes.is_empty() && stack.bytes.is_empty());
        }
    }
}
