//! `reach`: is an accepting state reachable? For terminal products only.
//!
//! Schwoon and Esparza 2005, §5.1, after Černá and Pelánek. In which order states are visited does not matter
//! for the answer, but much for how soon it comes. So a breadth-first and a depth-first search take turns on
//! one set of visited states: the former does not get lost where paths are endless (a counter that only
//! grows), the latter reaches what lies deep. Every state is visited once, by one of them. From an accepting
//! state a cycle through accepting states is looked for, which completes the lasso. At first they take turns
//! after every state, so that what is near is found at once. Later a turn is longer, because a model is quick
//! where states that follow each other are alike (`engine/src/packing/recall.rs`).
//!
//! What must hold: the product is weak, no arc leads from an accepting state to one that does not accept, and
//! every accepting state can go on for ever (no run ends there). Then the first accepting state is the end of
//! the search. If the last condition fails, the search for the cycle finds none, and the check goes on: it is
//! still right, because states from which that search came back empty-handed are on no accepting cycle and
//! are never tried again. If one of the others fails, it may miss accepting cycles (what it finds is one,
//! always).
//!
//! Cost: one call of `post` per state; one bit per state, 16 bytes for the way back, 4 while it waits. The
//! search for the cycle is not counted; it has two bits for the states it enters.

use super::resumed::resumed;
use super::side_tables::{Colour, Colours};
use super::{Arc, DepthFirstPath, Lasso, Product, ProductStep, Search, Stopped};
use crate::checkpoint::{Reader, Saved, Unreadable, Writer, load_numbers, save_numbers};
use crate::events::{Event, Listener, WaitingLine};
use lariat_store::{StateBits, StateId};
use std::collections::VecDeque;

/// A state that was reached, and from where: the place of its predecessor, and the arc.
struct Reached {
    state: StateId,
    from: u32,
    arc: u32,
    /// States on the way, this one included.
    depth: u32,
}

const NOWHERE: u32 = u32::MAX;

/// With more states than these, a turn is longer: some so many new states.
const FEW: usize = 1 << 12;
const TURN: usize = 1 << 9;

pub fn reachability<P: Product, L: Listener>(search: &mut Search<P, L>) -> Result<Option<Lasso>, Stopped> {
    let mut check = Reachability {
        visited: StateBits::new(),
        ahead: Colours::four(),
        reached: Vec::new(),
        queue: VecDeque::new(),
        stack: Vec::new(),
        deep: false,
    };
    resumed(search, &mut check, Reachability::run)
}

struct Reachability {
    visited: StateBits,
    /// States from which no lasso of accepting states leads on.
    ahead: Colours,
    reached: Vec<Reached>,
    /// Places in `reached` of states that wait: for the breadth-first search, for the depth-first search.
    queue: VecDeque<u32>,
    stack: Vec<u32>,
    /// It is the turn of the depth-first search.
    deep: bool,
}

impl Reachability {
    fn run<P: Product, L: Listener>(&mut self, search: &mut Search<P, L>) -> Result<Option<Lasso>, Stopped> {
        let Reachability { visited, ahead, reached, queue, stack, deep } = self;
        for state in search.initial_states() {
            if visited.set(state) {
                search.tell(Event::Waits { state, line: WaitingLine::Queue });
                queue.push_back(reached.len() as u32);
                reached.push(Reached { state, from: NOWHERE, arc: 0, depth: 1 });
            }
        }
        let mut arcs: Vec<Arc<P::Marks>> = Vec::new();
        loop {
            let next = match deep {
                true => stack.pop().or_else(|| queue.pop_front()),
                false => queue.pop_front().or_else(|| stack.pop()),
            };
            let Some(place) = next else { return Ok(None) };
            let Reached { state, depth, .. } = reached[place as usize];
            if let Some(&next) = if *deep { stack.last() } else { queue.front() } {
                search.prefetch(reached[next as usize].state);
            }
            search.visit(state);
            if search.is_accepting(state)
                && let Some(rest) = search.uncounted(|search| lasso_ahead(search, ahead, state))?
            {
                let mut prefix = way_to(reached, place);
                prefix.extend(rest.prefix);
                return Ok(Some(Lasso { prefix, cycle: rest.cycle }));
            }
            arcs.clear();
            let waiting = (queue.capacity() + stack.capacity()) * size_of::<u32>();
            let bytes = reached.capacity() * size_of::<Reached>() + waiting;
            let bytes = visited.bytes() + ahead.bytes() + bytes as u64;
            let posted = search.post(state, &mut arcs, depth as usize, bytes);
            let first = reached.len() as u32;
            for (k, arc) in arcs.iter().enumerate() {
                search.tell(Event::Arc { from: state, to: arc.to });
                if visited.set(arc.to) {
                    let line = if *deep { WaitingLine::Stack } else { WaitingLine::Queue };
                    search.tell(Event::Waits { state: arc.to, line });
                    reached.push(Reached { state: arc.to, from: place, arc: k as u32, depth: depth + 1 });
                }
            }
            let new = first..reached.len() as u32;
            match deep {
                true => stack.extend(new.rev()),
                false => queue.extend(new),
            }
            // While there are few states, after every one of them.
            *deep ^= reached.len() < FEW || reached.len() / TURN != first as usize / TURN;
            // The check is left when there is nothing of this state left to do.
            posted?;
        }
    }
}

impl Saved for Reachability {
    fn save(&self, out: &mut Writer) {
        self.visited.save(out);
        self.ahead.save(out);
        out.number(self.reached.len() as u64);
        for &Reached { state, from, arc, depth } in &self.reached {
            [state.0, from, arc, depth].into_iter().for_each(|number| out.number(u64::from(number)));
        }
        save_numbers(self.queue.iter().copied(), out);
        save_numbers(self.stack.iter().copied(), out);
        out.flag(self.deep);
    }

    fn load(&mut self, from: &mut Reader) -> Result<(), Unreadable> {
        self.visited.load(from)?;
        self.ahead.load(from)?;
        for _ in 0..from.number()? {
            let (state, came_from) = (StateId(from.small()?), from.small()?);
            let (arc, depth) = (from.small()?, from.small()?);
            self.reached.push(Reached { state, from: came_from, arc, depth });
        }
        self.queue = load_numbers(from)?.into();
        self.stack = load_numbers(from)?;
        self.deep = from.flag()?;
        Ok(())
    }
}

/// The steps from an initial state to the state at a place.
fn way_to(reached: &[Reached], place: u32) -> Vec<ProductStep> {
    let mut steps = Vec::new();
    let mut at = &reached[place as usize];
    while at.from != NOWHERE {
        let from = &reached[at.from as usize];
        steps.push(ProductStep { state: from.state, arc: at.arc });
        at = from;
    }
    steps.reverse();
    steps
}

/// A lasso of accepting states from this one on. `ahead` remembers states from which there is none.
fn lasso_ahead<P: Product, L: Listener>(
    search: &mut Search<P, L>,
    ahead: &mut Colours,
    start: StateId,
) -> Result<Option<Lasso>, Stopped> {
    let mut path = DepthFirstPath::new();
    let mut next = Some(start);
    loop {
        if let Some(state) = next
            && search.is_accepting(state)
        {
            match ahead.of(state) {
                Colour::Cyan => return Ok(Some(path.lasso_closed_at(state))),
                Colour::White => {
                    ahead.set(state, Colour::Cyan);
                    path.push(search, state, (), 0, ahead.bytes())?;
                }
                _ => {}
            }
        }
        next = path.next_arc(search).map(|arc| arc.to);
        if next.is_none() {
            let Some(frame) = path.pop(search) else { return Ok(None) };
            ahead.set(frame.state, Colour::Blue);
        }
    }
}
