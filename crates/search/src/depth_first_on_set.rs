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
//! all states found from it are done. What is found from a state lies above it; so whatever lies above all
//! states that wait and all that are in flight is done, and is taken from the stack when the next state takes
//! off. (One that is done below another stays until that one goes. With one state in flight there is none.)
//!
//! The way to a violation is put into an exact store of its own ([`Outcome::paths`]), so that it can be
//! replayed like any other. A limit on the depth leaves out what lies beyond it, also what could be reached
//! on a shorter way.
//!
//! What was missed is estimated on the way ([`crate::omissions`]).
//!
//! *Sleepers* (`engine/src/packing/commuting.rs`) are followed here. What a process does may be left out in a
//! state only if it is certain that the state is expanded from which it is met on the other way; and a set
//! that may be wrong makes that certain only of a state that was new this very moment. Tried out on seven
//! models: with that restriction 0 to 11 % of the transitions are left out, the same states are seen, and no
//! time is won; without it up to 27 %, states are lost, and one of the models is faster.
//!
//! Cost: the bytes of the states on the path and of those that wait, and 28 for each.

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
    /// What the set has found out of it.
    print: u64,
    /// From which it was found; the initial state from itself.
    parent: u32,
    depth: u32,
}

/// All states that were found and are not done.
#[derive(Default)]
struct Stack {
    bytes: Vec<u8>,
    nodes: Vec<Node>,
    /// Those that wait to be expanded, from the bottom to the top.
    waiting: Vec<u32>,
    /// Those in flight, by lane; nothing lies below the initial state, so it stands for none.
    in_flight: [u32; LANES],
}

/// Most states are not longer: so many bytes are copied without a look at how many they are.
const SHORT: usize = 32;

impl Stack {
    /// With the initial state, which waits.
    fn new(initial: &[u8]) -> Stack {
        let mut stack = Stack::default();
        stack.bytes.extend_from_slice(initial);
        stack.add(0, 0, 0);
        stack
    }

    /// The last bytes are a state, which waits.
    #[inline]
    fn add(&mut self, print: u64, parent: u32, depth: u32) {
        // There is no memory for as many states as there are numbers.
        let at = self.nodes.len() as u32;
        self.nodes.push(Node { end: self.bytes.len(), print, parent, depth });
        self.waiting.push(at);
    }

    /// Adds a state that was found from another one, and waits. It comes first of the bytes that are given.
    #[inline]
    fn push(&mut self, bytes: &[u8], length: usize, print: u64, Place(parent): Place) {
        match bytes.first_chunk::<SHORT>() {
            Some(first) if length <= SHORT => {
                let end = self.bytes.len() + length;
                self.bytes.extend_from_slice(first);
                self.bytes.truncate(end);
            }
            _ => self.bytes.extend_from_slice(&bytes[..length]),
        }
        self.add(print, parent as u32, self.nodes[parent].depth + 1);
    }

    /// The one that was found last of those that wait: it is in flight, in a lane. Whatever lies above all
    /// that wait or are in flight is done.
    #[inline]
    fn take_off(&mut self, lane: usize) -> Option<Place> {
        let at = self.waiting.pop()?;
        self.in_flight[lane] = at;
        let last = self.in_flight.into_iter().max().unwrap_or(at) as usize;
        if last + 1 < self.nodes.len() {
            self.nodes.truncate(last + 1);
            self.bytes.truncate(self.nodes[last].end);
        }
        Some(Place(at as usize))
    }

    /// The successors of the state in a lane were visited, or nobody asks for them.
    #[inline]
    fn land(&mut self, lane: usize) {
        self.in_flight[lane] = 0;
    }

    #[inline]
    fn start(&self, Place(at): Place) -> usize {
        at.checked_sub(1).map_or(0, |before| self.nodes[before].end)
    }

    #[inline]
    fn state(&self, place: Place) -> &[u8] {
        &self.bytes[self.start(place)..self.nodes[place.0].end]
    }

    #[inline]
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
    let mut play = Play::new();
    let hidden_size = model.memory_size();

    match model.initial_state() {
        Ok(initial) => {
            visited.visit(&initial[..initial.len() - hidden_size]);
            stack = Stack::new(&initial);
        }
        Err(violation) => watch.no_initial_state(violation),
    }
    loop {
        let number = turn;
        let lane = &mut lanes[number];
        turn = if turn + 1 < LANES { turn + 1 } else { 0 };
        // The successors of the state that is in this lane.
        if let Some(place) = lane.place.take() {
            let depth = stack.depth(place);
            let successors = visible_of(&lane.out, hidden_size);
            let new = visited.visit_announced(successors, &lane.announced, &mut room);
            let (bytes, entries) = lane.out.parts();
            for &i in new.iter().rev() {
                let (entry, print) = (&entries[i as usize], lane.announced.get(i as usize));
                let (start, length) = (entry.start as usize, (entry.end - entry.start) as usize);
                stack.push(&bytes[start..], length, print.copied().unwrap_or(0), place);
            }
            if !lane.announced.is_empty() && !play.omissions.is_over() {
                play.go_on(model, visited, number, lane, stack.nodes[place.0].print, new);
            }
            stack.land(number);
            watch.counts().stacks.note(depth + 1, stack.waiting.len() as u64);
            watch.waiting = stack.waiting.len() as u64;
            if watch.must_stop(model, visited, || own_bytes(&stack, &paths, &play.omissions), depth) {
                break;
            }
        }
        let Some(place) = stack.take_off(number) else {
            if lanes.iter().any(|lane| lane.place.is_some()) {
                continue;
            }
            break;
        };
        if watch.cuts_at(stack.depth(place)) {
            stack.land(number);
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
    /// States that it comes to only now, one behind the other, and where each of them begins.
    again: Vec<u8>,
    starts: Vec<usize>,
    /// The one that is expanded again.
    state: Vec<u8>,
    /// For each lane: what is expanded again is mostly like the state there.
    outs: [Successors; LANES],
    announced: Vec<u64>,
}

impl Play {
    fn new() -> Play {
        Play {
            omissions: Omissions::new(),
            again: Vec::new(),
            starts: Vec::new(),
            state: Vec::new(),
            outs: std::array::from_fn(|lane| Successors::for_lane(lane).without_sleepers()),
            announced: Vec::new(),
        }
    }

    /// The successors of a state in a lane were visited.
    #[inline]
    fn go_on<M: SuccessorFunction, S: VisitedSet>(
        &mut self,
        model: &M,
        visited: &mut S,
        number: usize,
        lane: &Lane,
        print: u64,
        new: &[u32],
    ) {
        let from_without = self.omissions.is_without(print);
        if !from_without {
            self.come_to(&lane.announced, &lane.out);
        }
        for &i in new {
            self.omissions.note_new(lane.announced[i as usize], from_without, || visited.confusion());
        }
        if !self.starts.is_empty() {
            self.expand_again(model, visited, number);
        }
    }

    /// It comes to these states, from one that is not without.
    #[inline]
    fn come_to(&mut self, announced: &[u64], out: &Successors) {
        for (i, &print) in announced.iter().enumerate() {
            if self.omissions.comes_to(print) {
                self.starts.push(self.again.len());
                self.again.extend_from_slice(out.state(i));
            }
        }
    }

    #[inline(never)]
    fn expand_again<M: SuccessorFunction, S: VisitedSet>(
        &mut self,
        model: &M,
        visited: &mut S,
        number: usize,
    ) {
        let (hidden_size, mut out) = (model.memory_size(), std::mem::take(&mut self.outs[number]));
        let mut announced = std::mem::take(&mut self.announced);
        while let Some(start) = self.starts.pop() {
            self.state.clear();
            self.state.extend(self.again.drain(start..));
            model.successors(&self.state, &mut out);
            visited.announce(visible_of(&out, hidden_size), &mut announced);
            self.come_to(&announced, &out);
            self.omissions.note_waiting(self.again.len());
            if self.omissions.is_over() {
                self.starts.clear();
                self.again = Vec::new();
            }
        }
        (self.outs[number], self.announced) = (out, announced);
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
        let mut longest = 0;
        for _ in 0..200 {
            // A state is the way to it, a byte for each step.
            let mut stack = Stack::new(&[]);
            let mut lanes: [Option<Place>; LANES] = [None; LANES];
            let mut found = 1;
            loop {
                let lane = random(LANES as u64) as usize;
                if let Some(place) = lanes[lane].take() {
                    let state = stack.state(place).to_vec();
                    longest = longest.max(state.len());
                    let way: Vec<usize> = stack.path(place).iter().map(|&at| stack.state(at).len()).collect();
                    assert_eq!(way, (0..=state.len()).collect::<Vec<_>>());
                    assert!(stack.path(place).iter().all(|&at| state.starts_with(stack.state(at))));
                    assert_eq!(stack.depth(place), state.len() as u64);
                    for child in 0..random(4) as u8 {
                        if found < 300 {
                            found += 1;
                            let mut bytes = [&state[..], &[child]].concat();
                            // What comes behind it belongs to others.
                            bytes.resize(bytes.len() + random(40) as usize, 77);
                            stack.push(&bytes, state.len() + 1, 0, place);
                        }
                    }
                    stack.land(lane);
                }
                lanes[lane] = stack.take_off(lane);
                if lanes.iter().all(Option::is_none) {
                    break;
                }
                // The top is not done.
                let top = stack.nodes.len() as u32 - 1;
                let is_kept = stack.waiting.last() == Some(&top) || stack.in_flight.contains(&top);
                assert!(is_kept || lanes[lane].is_none());
            }
            assert!(stack.waiting.is_empty());
        }
        assert!(longest > SHORT);
    }
}
