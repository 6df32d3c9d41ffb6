//! The lasso inside a component.
//!
//! A check that finds out that a component accepts knows the component, not yet the run. From a state of it a breadth-first search,
//! which does not leave the component, goes to the nearest arc with a mark that is still missing, from there to the next, and back to
//! where it began. Each piece is shortest; the whole need not be. What it costs is not counted: the papers do not count it either.

use super::{Product, ProductStep, Search, Stopped};
use lariat_ltl::Marks;
use lariat_store::StateId;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};

/// A cycle from `start` back to it, inside the component, that meets all of these marks. `None` if there is none (then the
/// check that asks is wrong).
pub fn cycle_through<P: Product>(
    search: &mut Search<P>,
    start: StateId,
    inside: impl Fn(StateId) -> bool,
    marks: Marks,
) -> Result<Option<Vec<ProductStep>>, Stopped> {
    let mut cycle: Vec<ProductStep> = Vec::new();
    let mut missing = marks;
    let mut at = start;
    while !missing.is_empty() || at != start || cycle.is_empty() {
        let wanted = |marks: Marks, to: StateId| match missing.is_empty() {
            true => to == start,
            false => !(marks & missing).is_empty(),
        };
        let Some((piece, met, end)) = shortest(search, at, &inside, wanted)? else { return Ok(None) };
        cycle.extend(piece);
        missing = missing - met;
        at = end;
    }
    Ok(Some(cycle))
}

/// The shortest way from a state, over at least one arc, that ends with an arc that is wanted; with all the marks it meets and the
/// state it ends in.
#[allow(clippy::type_complexity)]
fn shortest<P: Product>(
    search: &mut Search<P>,
    from: StateId,
    inside: &impl Fn(StateId) -> bool,
    wanted: impl Fn(Marks, StateId) -> bool,
) -> Result<Option<(Vec<ProductStep>, Marks, StateId)>, Stopped> {
    let mut came_by: HashMap<StateId, Option<(ProductStep, Marks)>> = HashMap::from([(from, None)]);
    let mut queue = VecDeque::from([from]);
    let mut arcs = Vec::new();
    while let Some(state) = queue.pop_front() {
        arcs.clear();
        search.post_uncounted(state, &mut arcs)?;
        for (k, arc) in arcs.iter().enumerate() {
            if !inside(arc.to) {
                continue;
            }
            let step = ProductStep { state, arc: k as u32 };
            if wanted(arc.marks, arc.to) {
                let (mut steps, mut met) = (vec![step], arc.marks);
                let mut at = state;
                while let Some(Some((step, marks))) = came_by.get(&at) {
                    steps.push(*step);
                    met |= *marks;
                    at = step.state;
                }
                steps.reverse();
                return Ok(Some((steps, met, arc.to)));
            }
            if let Entry::Vacant(place) = came_by.entry(arc.to) {
                place.insert(Some((step, arc.marks)));
                queue.push_back(arc.to);
            }
        }
    }
    Ok(None)
}
