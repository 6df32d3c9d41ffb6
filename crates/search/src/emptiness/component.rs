//! The lasso inside a component.
//!
//! A check that finds out that a component accepts knows the component, not yet the run. From a state of it a
//! breadth-first search, which does not leave the component, goes to the nearest arc with a mark that is still missing,
//! from there to the next, and back to where it began ([`cycle_through`]). Each piece is shortest; the whole need not be.
//! What it costs is not counted: the papers do not count it either.
//!
//! A check that knows only a state of the component asks for the component first ([`component_of`]): what the state
//! reaches, and of that what leads back. Leaving this out would be a trap: the nearest arc with a missing mark may lie
//! where no way leads back.

use super::{Product, ProductStep, Search, Stopped};
use lariat_ltl::Marks;
use lariat_store::StateId;
use std::collections::{HashMap, HashSet, VecDeque};

/// A cycle from `start` back to it, inside the component, that meets all of these marks. `None` if there is none (then the
/// check that asks is wrong).
pub fn cycle_through<P: Product>(
    search: &mut Search<P>,
    start: StateId,
    inside: impl Fn(StateId) -> bool,
    marks: Marks,
) -> Result<Option<Vec<ProductStep>>, Stopped> {
    search.uncounted(|search| {
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
    })
}

/// The shortest way from a state, over at least one arc, that ends with an arc that is wanted; with all the marks it
/// meets and the state it ends in.
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
        let bytes = came_by.capacity() * size_of::<(StateId, ProductStep, Marks)>() + queue.capacity() * 4;
        search.post(state, &mut arcs, 0, bytes as u64)?;
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
            came_by.entry(arc.to).or_insert_with(|| {
                queue.push_back(arc.to);
                Some((step, arc.marks))
            });
        }
    }
    Ok(None)
}

/// A component, found from one of its states.
#[derive(Clone, Debug, Default)]
pub struct FoundComponent {
    /// All its states.
    pub states: HashSet<StateId>,
    /// There is an arc inside.
    pub cyclic: bool,
    /// Of the arcs inside.
    pub marks: Marks,
}

/// The component of a state in the part of the product that these states make up; `None` if the state reaches more than so many of
/// them. A check that has not seen the whole product names what it has seen: the rest may have no end.
pub fn component_of<P: Product>(
    search: &mut Search<P>,
    start: StateId,
    among: impl Fn(StateId) -> bool,
    max_states: usize,
) -> Result<Option<FoundComponent>, Stopped> {
    let mut incoming: HashMap<StateId, Vec<(StateId, Marks)>> = HashMap::from([(start, Vec::new())]);
    let mut arcs = Vec::new();
    let mut waiting = vec![start];
    let mut arcs_kept = 0;
    while let Some(state) = waiting.pop() {
        arcs.clear();
        let bytes = incoming.capacity() * size_of::<(StateId, Vec<StateId>)>()
            + arcs_kept * size_of::<(StateId, Marks)>()
            + waiting.capacity() * 4;
        search.post(state, &mut arcs, 0, bytes as u64)?;
        arcs_kept += arcs.len();
        for arc in arcs.iter().filter(|arc| among(arc.to)) {
            let entry = incoming.entry(arc.to).or_insert_with(|| {
                waiting.push(arc.to);
                Vec::new()
            });
            entry.push((state, arc.marks));
        }
        if incoming.len() > max_states {
            return Ok(None);
        }
    }
    let mut found = FoundComponent { states: HashSet::from([start]), ..FoundComponent::default() };
    waiting.push(start);
    while let Some(state) = waiting.pop() {
        for &(from, marks) in incoming.get(&state).into_iter().flatten() {
            found.cyclic = true;
            found.marks |= marks;
            if found.states.insert(from) {
                waiting.push(from);
            }
        }
    }
    Ok(Some(found))
}
