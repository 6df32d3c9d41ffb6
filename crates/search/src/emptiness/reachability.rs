//! `reach`: is an accepting state reachable? For terminal products only.
//!
//! Schwoon and Esparza 2005, §5.1, after Černá and Pelánek. The search is breadth-first, so that the way to the accepting state is a shortest one, and so that it is found even where paths
//! are endless (a counter that only grows). From there a cycle through accepting states is looked for, which completes the lasso.
//!
//! What must hold: the product is weak, no arc leads from an accepting state to one that does not accept, and every accepting state can go on for ever (no run ends there).
//! Then the first accepting state is the end of the search. If the last condition fails, the search for the cycle finds none, and the check goes on: it is still right, because states from
//! which that search came back empty-handed are on no accepting cycle and are never tried again. If one of the others fails, it may miss accepting cycles (what it finds is one, always).
//!
//! Cost: one call of `post` per state; one bit per state, and 12 bytes for the way back. The search for the cycle is not counted; it has two bits for the states it enters.

use super::side_tables::{Colour, Colours};
use super::{Arc, DepthFirstPath, Lasso, Product, ProductStep, Search, Stopped};
use lariat_store::{StateBits, StateId};

/// A state that was reached, and from where: the place of its predecessor in the queue, and the arc.
struct Reached {
    state: StateId,
    from: u32,
    arc: u32,
}

const NOWHERE: u32 = u32::MAX;

pub fn reachability<P: Product>(search: &mut Search<P>) -> Result<Option<Lasso>, Stopped> {
    let mut visited = StateBits::new();
    let mut ahead = Colours::four();
    // All states in the order in which they were reached; those before `next` have been expanded.
    let mut queue: Vec<Reached> = Vec::new();
    for state in search.initial_states() {
        if visited.set(state) {
            queue.push(Reached { state, from: NOWHERE, arc: 0 });
        }
    }
    let mut next = 0;
    let mut depth = 1;
    let mut end_of_level = queue.len();
    let mut arcs: Vec<Arc> = Vec::new();
    while next < queue.len() {
        if next == end_of_level {
            (depth, end_of_level) = (depth + 1, queue.len());
        }
        let state = queue[next].state;
        search.count_visit();
        if search.is_accepting(state)
            && let Some(rest) = search.uncounted(|search| lasso_ahead(search, &mut ahead, state))?
        {
            let mut prefix = way_to(&queue, next);
            prefix.extend(rest.prefix);
            return Ok(Some(Lasso { prefix, cycle: rest.cycle }));
        }
        arcs.clear();
        let bytes = visited.bytes() + ahead.bytes() + (queue.capacity() * size_of::<Reached>()) as u64;
        search.post(state, &mut arcs, depth, bytes)?;
        for (k, arc) in arcs.iter().enumerate() {
            if visited.set(arc.to) {
                queue.push(Reached { state: arc.to, from: next as u32, arc: k as u32 });
            }
        }
        next += 1;
    }
    Ok(None)
}

/// The steps from an initial state to the state at a place in the queue.
fn way_to(queue: &[Reached], place: usize) -> Vec<ProductStep> {
    let mut steps = Vec::new();
    let mut at = &queue[place];
    while at.from != NOWHERE {
        let from = &queue[at.from as usize];
        steps.push(ProductStep { state: from.state, arc: at.arc });
        at = from;
    }
    steps.reverse();
    steps
}

/// A lasso of accepting states from this one on. `ahead` remembers states from which there is none.
fn lasso_ahead<P: Product>(
    search: &mut Search<P>,
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
        next = path.next_arc().map(|arc| arc.to);
        if next.is_none() {
            let Some(frame) = path.pop() else { return Ok(None) };
            ahead.set(frame.state, Colour::Blue);
        }
    }
}
