//! `reach`: is an accepting state reachable? For terminal products only.
//!
//! Schwoon and Esparza 2005, §5.1, after Černá and Pelánek. A depth-first search to the first accepting state; from there
//! a cycle through accepting states is looked for, which completes the lasso.
//!
//! What must hold for the first accepting state to be the end of the search: no arc leads from an accepting state to one
//! that does not accept, and every accepting state can go on for ever (no run ends there). If a run can end there, or can
//! leave, the search for the cycle may come back empty-handed; then the check goes on, and never tries again what that
//! search has seen. So on every weak product the answer is right, only later; on others it finds only cycles all of whose
//! states accept. What it finds is an accepting lasso, always.
//!
//! Cost: one call of `post` per state; one bit per state. The search for the cycle is not counted; it has two bits for
//! the states it enters, and enters each once.

use super::side_tables::{Colour, Colours};
use super::{DepthFirstPath, Lasso, Product, Search, Stopped};
use lariat_store::{StateBits, StateId};

pub fn reachability<P: Product>(search: &mut Search<P>) -> Result<Option<Lasso>, Stopped> {
    let mut visited = StateBits::new();
    let mut ahead = Colours::four();
    let mut path = DepthFirstPath::new();
    for initial in search.initial_states() {
        let mut next = Some(initial);
        loop {
            if let Some(state) = next
                && visited.set(state)
            {
                search.count_visit();
                if search.is_accepting(state)
                    && let Some(rest) = search.uncounted(|search| lasso_ahead(search, &mut ahead, state))?
                {
                    let prefix = path.steps().chain(rest.prefix).collect();
                    return Ok(Some(Lasso { prefix, cycle: rest.cycle }));
                }
                path.push(search, state, (), 0, visited.bytes() + ahead.bytes())?;
            }
            next = path.explore(search).map(|arc| arc.to);
            if next.is_none() && path.pop().is_none() {
                break;
            }
        }
    }
    Ok(None)
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
