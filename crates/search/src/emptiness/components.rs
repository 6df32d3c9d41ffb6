//! The strongly connected components of a whole product, without storing an arc.
//!
//! Schwoon and Esparza 2005, §4.4: Couvreur's algorithm without the test for acceptance lists the components.
//! Their version looks at each component a second time to remove it; here the stack of active states of
//! Gaiser and Schwoon 2009 does that, so `post` is called once per state. A component is shown when it is
//! complete, so before all components that lead to it.
//!
//! Here as well: the structural effects that Gaiser and Schwoon (§5) hold responsible for the differences
//! between the checks, counted for a product with one set on states.
//!
//! - *Accepting trivial components*: `se`, `hpy` and `c99` look at them twice.
//! - *Components without accepting states that no accepting state leads to*: only `c99` looks at them twice.
//! - *An accepting cycle that only a nested search finds*: `se` had to begin one.
//!
//! Cost: per state one bit and one number, as with `ascc`; the structural effects need two numbers, and
//! `post` up to four times per state.

use super::checks::Check;
use super::numbering::{Current, Roots};
use super::side_tables::Numbers;
use super::{DepthFirstPath, MarkSet, Product, Search, Stopped};
use crate::events::{Event, Listener, told};
use lariat_ltl::Marks;
use lariat_store::{StateBits, StateId};
use std::collections::BTreeMap;

/// A strongly connected component.
#[derive(Clone, Copy, Debug)]
pub struct Component<'a, K = Marks> {
    /// In the order in which the search met them.
    pub states: &'a [StateId],
    /// There is an arc inside.
    pub cyclic: bool,
    /// Of the arcs inside.
    pub marks: K,
}

/// Shows every component that the initial states lead to.
pub fn for_each_component<P: Product, L: Listener>(
    search: &mut Search<P, L>,
    mut each: impl FnMut(Component<P::Marks>),
) -> Result<(), Stopped> {
    let (mut roots, mut active, mut path) = (Roots::default(), Current::default(), DepthFirstPath::new());
    for initial in search.initial_states() {
        let mut next = Some((initial, P::Marks::NONE));
        loop {
            match next {
                Some((t, marks)) if active.numbering.is_new(t) => {
                    let number = active.enter(t);
                    roots.push(t, number, marks);
                    search.tell(Event::Numbered { state: t, number });
                    search.tell(Event::Root(t));
                    search.visit(t);
                    search.count_active(active.len());
                    search.count_roots(roots.len());
                    path.push(search, t, (), 0, active.bytes() + roots.bytes())?;
                }
                // An initial state met before is no arc.
                Some((t, marks)) if !path.is_empty() && active.numbering.is_current(t) => {
                    if let Some(root) = roots.merge(active.numbering.number(t), marks) {
                        search.tell(Event::Merged { root: root.state, marks: told(root.marks) });
                    }
                }
                _ => {}
            }
            next = path.explore(search).map(|arc| (arc.to, arc.marks));
            if next.is_none() {
                let Some(frame) = path.pop(search) else { break };
                if let Some(root) = roots.pop_if(frame.state) {
                    let states = active.component(frame.state);
                    each(Component { states, cyclic: root.cyclic, marks: root.marks });
                    active.close(frame.state, |s| search.tell(Event::Removed(s)));
                }
            }
        }
    }
    search.exhausted()
}

/// The components of a product in numbers.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ComponentCounts {
    /// How many there are.
    pub components: u64,
    /// States in all of them.
    pub states: u64,
    /// States in the largest.
    pub largest: u64,
    /// One state without an arc to itself.
    pub trivial: u64,
    /// One state with an arc to itself.
    pub self_loops: u64,
    /// With a cycle that meets every set.
    pub accepting: u64,
    /// How many components have so many states.
    pub sizes: BTreeMap<u64, u64>,
}

/// Counts the components that the initial states lead to.
pub fn count_components<P: Product, L: Listener>(
    search: &mut Search<P, L>,
) -> Result<ComponentCounts, Stopped> {
    let all = search.all_marks();
    let mut counts = ComponentCounts::default();
    for_each_component(search, |component| {
        let size = component.states.len() as u64;
        counts.components += 1;
        counts.states += size;
        counts.largest = counts.largest.max(size);
        counts.trivial += u64::from(!component.cyclic);
        counts.self_loops += u64::from(component.cyclic && size == 1);
        counts.accepting += u64::from(component.cyclic && all.is_subset(component.marks));
        *counts.sizes.entry(size).or_default() += 1;
    })?;
    Ok(counts)
}

/// How often the things happen that make one check look at more than another; the module says which.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct StructuralEffects {
    /// Components of one accepting state that has no arc to itself.
    pub accepting_trivial: u64,
    /// Components without an accepting state, to which no accepting state leads.
    pub not_preceded_by_accepting: u64,
    /// Of those, the ones with an arc inside.
    pub not_preceded_by_accepting_cyclic: u64,
    /// `se` found an accepting cycle, and by its nested search.
    pub found_only_nested: bool,
}

/// For one set on states.
pub fn structural_effects<P: Product, L: Listener>(
    search: &mut Search<P, L>,
) -> Result<StructuralEffects, Stopped> {
    let mut effects = StructuralEffects::default();
    let mut members = Vec::new();
    // Per component: where its members end, and whether it has an arc inside.
    let mut ends = Vec::new();
    for_each_component(search, |component| {
        members.extend_from_slice(component.states);
        ends.push((members.len(), component.cyclic));
    })?;
    let mut component_of = Numbers::default();
    let mut accepts = vec![false; ends.len()];
    let mut first = 0;
    for (k, &(end, cyclic)) in ends.iter().enumerate() {
        for &state in &members[first..end] {
            component_of.set(state, k as u32);
            accepts[k] |= search.is_accepting(state);
        }
        effects.accepting_trivial += u64::from(accepts[k] && !cyclic);
        first = end;
    }
    let mut preceded = accepts.clone();
    let mut seen = StateBits::new();
    let mut waiting: Vec<StateId> =
        members.iter().copied().filter(|&state| search.is_accepting(state) && seen.set(state)).collect();
    let mut arcs = Vec::new();
    while let Some(state) = waiting.pop() {
        preceded[component_of.get(state) as usize] = true;
        arcs.clear();
        search.post(state, &mut arcs, 0, component_of.bytes() + seen.bytes())?;
        waiting.extend(arcs.iter().map(|arc| arc.to).filter(|&to| seen.set(to)));
    }
    for (&(_, cyclic), &preceded) in ends.iter().zip(&preceded) {
        effects.not_preceded_by_accepting += u64::from(!preceded);
        effects.not_preceded_by_accepting_cyclic += u64::from(!preceded && cyclic);
    }
    effects.found_only_nested = search.uncounted(|search| {
        search.note_found_nested(false);
        Check::NestedDfsColours.run(search).map(|lasso| lasso.is_some() && search.counts().found_nested)
    })?;
    Ok(effects)
}
