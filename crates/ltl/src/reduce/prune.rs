//! What no accepting run needs: states, edges, marks, whole acceptance sets.
//!
//! Which marks an edge carries matters only inside components that can accept. There:
//! - if every cycle of the component is accepting, all its edges get all marks (the component is weak and now
//!   looks it);
//! - a set whose edges include all edges of another set of the same component asks for nothing and goes. Each
//!   component keeps its own number of sets, renumbered from 0; the automaton has as many as its most
//!   demanding component, and the others carry the marks that they lack on every edge.
//!
//! Everywhere else edges lose their marks. If then no cycle is left that is not accepting, there is no need
//! for sets at all.

use crate::automaton::{Automaton, Placement, State};
use crate::bdd::Bdds;
use crate::marks::Marks;
use crate::scc::Structure;
use crate::strength::all_cycles_accept;

/// Removes what no accepting run needs. States keep their order, but for those that go.
pub fn prune(bdds: &mut Bdds, automaton: &mut Automaton) {
    automaton.tidy(bdds);
    keep_useful(automaton);
    simplify_marks(automaton);
    automaton.tidy(bdds);
}

/// Keeps the states that lie on an accepting run.
pub fn keep_useful(automaton: &mut Automaton) {
    let structure = Structure::of(automaton);
    let useful = structure.useful(automaton);
    let mut kept = automaton.reachable();
    kept.retain(|&state| useful[state as usize]);
    kept.sort_unstable();
    automaton.restrict_to(&kept);
}

/// What a component keeps of the acceptance sets.
pub(super) enum Needs {
    /// No run stays here for ever and is accepting.
    Nothing,
    /// Every run that stays here for ever is accepting.
    Everything,
    /// The sets that matter, by their old numbers.
    Sets(Vec<u32>),
}

fn simplify_marks(automaton: &mut Automaton) {
    let structure = Structure::of(automaton);
    let count = structure.components.count;
    let needs: Vec<Needs> = (0..count).map(|component| needs(automaton, &structure, component)).collect();
    let most = needs.iter().map(|needs| if let Needs::Sets(sets) = needs { sets.len() } else { 0 }).max();
    let rejecting_cycle = (0..count as usize)
        .any(|component| matches!(needs[component], Needs::Nothing) && structure.info[component].cyclic);
    let sets = most.unwrap_or(0).max(rejecting_cycle as usize) as u32;
    let all = Marks::all(sets);
    for state in 0..automaton.states() as State {
        let component = structure.components.of[state as usize];
        let renumber = |marks: Marks, inside: bool| match &needs[component as usize] {
            Needs::Sets(kept) if inside => {
                let lacking = all - Marks::all(kept.len() as u32);
                (0..)
                    .zip(kept)
                    .filter(|&(_, &old)| marks.contains(old))
                    .map(|(new, _)| new)
                    .collect::<Marks>()
                    | lacking
            }
            Needs::Everything if inside => all,
            _ => Marks::NONE,
        };
        let on_state = automaton.placement == Placement::States;
        for edge in &mut automaton.edges[state as usize] {
            edge.marks = renumber(edge.marks, on_state || structure.components.same(state, edge.to));
        }
    }
    automaton.sets = sets;
}

pub(super) fn needs(automaton: &Automaton, structure: &Structure, component: u32) -> Needs {
    if !structure.is_accepting(component) {
        return Needs::Nothing;
    }
    if all_cycles_accept(automaton, structure, component) {
        return Needs::Everything;
    }
    let mut combinations: Vec<Marks> = Vec::new();
    for state in 0..automaton.states() as State {
        if structure.components.of[state as usize] == component {
            for edge in automaton.leaving(state) {
                if structure.components.same(state, edge.to) && !combinations.contains(&edge.marks) {
                    combinations.push(edge.marks);
                }
            }
        }
    }
    // Set i asks for nothing beside set j if every edge in j is in i.
    let includes = |i: u32, j: u32| combinations.iter().all(|marks| !marks.contains(j) || marks.contains(i));
    let mut kept: Vec<u32> = (0..automaton.sets).collect();
    for i in (0..automaton.sets).rev() {
        if kept.iter().any(|&j| j != i && includes(i, j)) {
            kept.retain(|&set| set != i);
        }
    }
    Needs::Sets(kept)
}
