//! `lasso`: from every candidate, a search of its own for the way back. The oracle of the tests.
//!
//! The naive solution of the slides: for each accepting state, is there a cycle around it? For any number of
//! sets: for each state that an arc with the first mark leaves (every accepting cycle goes through such an
//! arc; with no set at all, every state), which states does it reach, which of those lead back, and which
//! marks do the arcs between them carry? All marks, and an accepting cycle goes through it. It numbers
//! nothing, merges nothing and relies on no order, so it shares no mistake with the other checks.
//!
//! The candidates are met in the order of a depth-first search, whose path is the prefix of the lasso; the
//! cycle is built by [`cycle_through`] from what leads back.
//!
//! Cost: quadratic: a candidate may explore everything again. One bit per state, and a table of everything
//! that the candidate at hand reaches, with its arcs.

use super::component::{component_of, cycle_through};
use super::{DepthFirstPath, Lasso, MarkSet, Product, Search, Stopped};
use crate::events::{Event, Listener};
use lariat_store::StateBits;

pub fn naive_lasso<P: Product, L: Listener>(search: &mut Search<P, L>) -> Result<Option<Lasso>, Stopped> {
    let mut visited = StateBits::new();
    let mut path = DepthFirstPath::new();
    for initial in search.initial_states() {
        let mut next = Some(initial);
        loop {
            if let Some(state) = next
                && visited.set(state)
            {
                search.visit(state);
                path.push(search, state, (), 0, visited.bytes())?;
                let held = visited.bytes() + path.bytes();
                if let Some(lasso) = search.holding(held, |search| lasso_through_top(search, &path))? {
                    return Ok(Some(lasso));
                }
            }
            next = path.explore(search).map(|arc| arc.to);
            if next.is_none() && path.pop(search).is_none() {
                break;
            }
        }
    }
    Ok(None)
}

fn lasso_through_top<P: Product, L: Listener>(
    search: &mut Search<P, L>,
    path: &DepthFirstPath<(), P::Marks>,
) -> Result<Option<Lasso>, Stopped> {
    let all = search.all_marks();
    let Some(state) = path.top() else { return Ok(None) };
    if !all.is_empty() && !path.arcs_of_top().iter().any(|arc| arc.marks.contains(0)) {
        return Ok(None);
    }
    search.tell(Event::Nested(state));
    let component = component_of(search, state, |_| true, usize::MAX)?.unwrap_or_default();
    if !component.cyclic || !all.is_subset(component.marks) {
        search.tell(Event::NestedOver);
        return Ok(None);
    }
    let cycle = cycle_through(search, state, |state| component.states.contains(&state), all, MarkSet::NONE)?;
    Ok(cycle.map(|cycle| Lasso { prefix: path.way_to_top(), cycle }))
}
