//! The lasso inside a component.
//!
//! A check that finds out that a component accepts knows the component, not yet the run. From a state of it a
//! breadth-first search, which does not leave the component, goes to the nearest arc with a mark that is
//! still missing, from there to the next, and back to where it began ([`cycle_through`]). Each piece is
//! shortest; the whole need not be. What it costs is not counted: the papers do not count it either.
//!
//! A check that knows only a state of the component asks for the component first ([`component_of`]): what the
//! state reaches, and of that what leads back. Leaving this out would be a trap: the nearest arc with a
//! missing mark may lie where no way leads back.

use super::{MarkSet, Product, ProductStep, Search, Stopped};
use crate::events::Listener;
use lariat_ltl::Marks;
use lariat_store::StateId;
use rustc_hash::FxHashMap;
use std::collections::{HashMap, HashSet, VecDeque};

/// A cycle from `start` back to it, inside the component, that meets all of the marks that are wanted, over
/// no arc with one that is avoided. `None` if there is none (then the check that asks is wrong).
pub fn cycle_through<P: Product, L: Listener>(
    search: &mut Search<P, L>,
    start: StateId,
    inside: impl Fn(StateId) -> bool,
    wanted: P::Marks,
    avoided: P::Marks,
) -> Result<Option<Vec<ProductStep>>, Stopped> {
    search.uncounted(|search| {
        let mut cycle: Vec<ProductStep> = Vec::new();
        let mut missing = wanted;
        let mut at = start;
        while !missing.is_empty() || at != start || cycle.is_empty() {
            let wanted = |marks: P::Marks, to: StateId| match missing.is_empty() {
                true => to == start,
                false => !(marks & missing).is_empty(),
            };
            let Some((piece, met, end)) = shortest(search, at, &inside, avoided, wanted)? else {
                return Ok(None);
            };
            cycle.extend(piece);
            missing = missing - met;
            at = end;
        }
        Ok(Some(cycle))
    })
}

/// A shortest way to a state inside the component; no step if it is where the way begins. `None` if there is
/// none.
pub fn way_inside<P: Product, L: Listener>(
    search: &mut Search<P, L>,
    start: StateId,
    inside: impl Fn(StateId) -> bool,
    end: StateId,
) -> Result<Option<Vec<ProductStep>>, Stopped> {
    if start == end {
        return Ok(Some(Vec::new()));
    }
    search.uncounted(|search| {
        let way = shortest(search, start, &inside, P::Marks::NONE, |_, to| to == end)?;
        Ok(way.map(|(steps, _, _)| steps))
    })
}

/// The shortest way from a state, over at least one arc and none with a mark that is avoided, that ends with
/// an arc that is wanted; with all the marks it meets and the state it ends in.
#[allow(clippy::type_complexity)]
fn shortest<P: Product, L: Listener>(
    search: &mut Search<P, L>,
    from: StateId,
    inside: &impl Fn(StateId) -> bool,
    avoided: P::Marks,
    wanted: impl Fn(P::Marks, StateId) -> bool,
) -> Result<Option<(Vec<ProductStep>, P::Marks, StateId)>, Stopped> {
    let mut came_by: HashMap<StateId, Option<(ProductStep, P::Marks)>> = HashMap::from([(from, None)]);
    let mut queue = VecDeque::from([from]);
    let mut arcs = Vec::new();
    while let Some(state) = queue.pop_front() {
        arcs.clear();
        // Of a table that grows there are two for a moment.
        let table = came_by.capacity() * size_of::<(StateId, Option<(ProductStep, P::Marks)>)>() * 3 / 2;
        let bytes = table + queue.capacity() * size_of::<StateId>();
        search.post(state, &mut arcs, 0, bytes as u64)?;
        for (k, arc) in arcs.iter().enumerate() {
            if !inside(arc.to) || !(arc.marks & avoided).is_empty() {
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
pub struct FoundComponent<K = Marks> {
    /// All its states.
    pub states: HashSet<StateId>,
    /// There is an arc inside.
    pub cyclic: bool,
    /// Of the arcs inside.
    pub marks: K,
}

/// The component of a state in the part of the product that these states make up; `None` if the state reaches
/// more than so many of them. A check that has not seen the whole product names what it has seen: the rest
/// may have no end.
pub fn component_of<P: Product, L: Listener>(
    search: &mut Search<P, L>,
    start: StateId,
    among: impl Fn(StateId) -> bool,
    max_states: usize,
) -> Result<Option<FoundComponent<P::Marks>>, Stopped> {
    let mut reached = Reached::<P::Marks>::default();
    reached.place(start);
    let mut arcs = Vec::new();
    let mut at = 0;
    while let Some(&state) = reached.states.get(at) {
        arcs.clear();
        search.post(state, &mut arcs, 0, reached.bytes())?;
        for arc in arcs.iter().filter(|arc| among(arc.to)) {
            let to = reached.place(arc.to);
            reached.arcs.push((at as u32, to, arc.marks));
        }
        if reached.states.len() > max_states {
            return Ok(None);
        }
        at += 1;
    }
    let (starts, order) = reached.by_target();
    let mut found = FoundComponent { states: HashSet::from([start]), ..FoundComponent::default() };
    let mut waiting = vec![0];
    while let Some(to) = waiting.pop() {
        for &k in &order[starts[to] as usize..starts[to + 1] as usize] {
            let (from, _, marks) = reached.arcs[k as usize];
            found.cyclic = true;
            found.marks |= marks;
            if found.states.insert(reached.states[from as usize]) {
                waiting.push(from as usize);
            }
        }
    }
    Ok(Some(found))
}

/// What a state reaches.
#[derive(Default)]
struct Reached<K> {
    states: Vec<StateId>,
    places: FxHashMap<StateId, u32>,
    /// Between places, with their marks.
    arcs: Vec<(u32, u32, K)>,
}

impl<K: MarkSet> Reached<K> {
    fn place(&mut self, state: StateId) -> u32 {
        let states = &mut self.states;
        *self.places.entry(state).or_insert_with(|| {
            states.push(state);
            states.len() as u32 - 1
        })
    }

    /// The arcs in the order of the places they lead to, and where those of each place begin.
    fn by_target(&self) -> (Vec<u32>, Vec<u32>) {
        let mut starts = vec![0u32; self.states.len() + 1];
        self.arcs.iter().for_each(|&(_, to, _)| starts[to as usize + 1] += 1);
        for place in 1..starts.len() {
            starts[place] += starts[place - 1];
        }
        let mut next = starts.clone();
        let mut order = vec![0; self.arcs.len()];
        for (k, &(_, to, _)) in self.arcs.iter().enumerate() {
            order[next[to as usize] as usize] = k as u32;
            next[to as usize] += 1;
        }
        (starts, order)
    }

    /// What it takes, with what will be needed to find the way back.
    fn bytes(&self) -> u64 {
        // Of a table that grows there are two for a moment.
        let table = self.places.capacity() * size_of::<(StateId, u32)>() * 3 / 2;
        let by_state = 3 * size_of::<u32>() + size_of::<StateId>();
        let by_arc = size_of::<(u32, u32, K)>() + size_of::<u32>();
        (table + self.states.capacity() * by_state + self.arcs.capacity() * by_arc) as u64
    }
}
