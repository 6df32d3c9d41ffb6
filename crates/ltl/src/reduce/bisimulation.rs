//! States that do exactly the same.
//!
//! Moore's partition refinement: states stay in one class as long as their edges have the same marks and
//! lead, for the same letters, to the same classes. Weaker than simulation, but its cost grows with the
//! number of edges and not with its square: it makes large automata small enough for the rest.

use crate::automaton::{Automaton, Edge, Placement, State};
use crate::bdd::{Bdd, Bdds};
use crate::marks::Marks;
use crate::scc::Components;
use crate::stop::{Stop, bytes_of_edges};
use rustc_hash::FxHashMap;

/// States between two looks at whether to stop.
const STATES_BETWEEN_LOOKS: usize = 256;

/// The coarsest such partition that refines `start`: a class for each state, numbered by first occurrence.
/// `None` if the work was stopped.
fn classes(bdds: &mut Bdds, edges: &[Vec<Edge>], start: Vec<u32>, stop: Stop) -> Option<Vec<u32>> {
    type Signature = Vec<(u32, Marks, Bdd)>;
    let mut class = start;
    let mut count = 0;
    let bytes = bytes_of_edges(edges.iter().map(Vec::len).sum());
    loop {
        let mut known: FxHashMap<(u32, Signature), u32> = FxHashMap::default();
        let mut refined = Vec::with_capacity(class.len());
        for (state, leaving) in edges.iter().enumerate() {
            if state.is_multiple_of(STATES_BETWEEN_LOOKS) && stop.now(bdds, bytes) {
                return None;
            }
            let mut signature: Signature =
                leaving.iter().map(|edge| (class[edge.to as usize], edge.marks, edge.label)).collect();
            signature.sort_unstable();
            signature.dedup_by(|next, kept| {
                let same = (next.0, next.1) == (kept.0, kept.1);
                if same {
                    kept.2 = bdds.or(kept.2, next.2);
                }
                same
            });
            let fresh = known.len() as u32;
            refined.push(*known.entry((class[state], signature)).or_insert(fresh));
        }
        class = refined;
        if known.len() == count {
            return Some(class);
        }
        count = known.len();
    }
}

/// Merges states that do the same but for marks on edges that no run takes twice, which mean nothing: as if
/// these had all marks. (As if they had none is how [`super::prune()`] leaves them.) Says whether there were
/// any.
pub fn merge_equal_but_for_passing(bdds: &mut Bdds, automaton: &mut Automaton, stop: Stop) -> bool {
    let components = Components::of_automaton(automaton);
    let all = automaton.all_marks();
    let mut marked = automaton.clone();
    for (state, edges) in (0..).zip(&mut marked.edges) {
        let passing = |edge: &Edge| !components.same(state, edge.to);
        match automaton.placement {
            Placement::Edges => {
                edges.iter_mut().filter(|edge| passing(edge)).for_each(|edge| edge.marks = all)
            }
            // The marks are those of the state.
            Placement::States if edges.iter().all(passing) => {
                edges.iter_mut().for_each(|edge| edge.marks = all)
            }
            Placement::States => {}
        }
    }
    merge_equal(bdds, &mut marked, stop);
    let merged = marked.states() < automaton.states();
    if merged {
        super::prune(bdds, &mut marked);
        *automaton = marked;
    }
    merged
}

/// Merges states that do exactly the same; none if the work is stopped before it is known which.
pub fn merge_equal(bdds: &mut Bdds, automaton: &mut Automaton, stop: Stop) {
    let class = classes(bdds, &automaton.edges, vec![0; automaton.states()], stop);
    let Some(class) = class else { return };
    let count = class.iter().max().map_or(0, |&last| last as usize + 1);
    if count == automaton.states() {
        return;
    }
    // Classes are numbered by first occurrence, so the first member of each is met in ascending order.
    let mut first: Vec<State> = Vec::with_capacity(count);
    for (state, &class) in class.iter().enumerate() {
        if class as usize == first.len() {
            first.push(state as State);
        }
    }
    for edge in automaton.edges.iter_mut().flatten() {
        edge.to = first[class[edge.to as usize] as usize];
    }
    for state in &mut automaton.initial {
        *state = first[class[*state as usize] as usize];
    }
    automaton.initial.sort_unstable();
    automaton.initial.dedup();
    automaton.restrict_to(&first);
    automaton.tidy(bdds);
}
