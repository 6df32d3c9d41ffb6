//! States that do exactly the same.
//!
//! Moore's partition refinement: states stay in one class as long as their edges have the same marks and lead, for the same
//! letters, to the same classes. Weaker than simulation, but its cost grows with the number of edges and not with its square: it
//! makes large automata small enough for the rest.

use crate::automaton::{Automaton, Edge, State};
use crate::bdd::{Bdd, Bdds};
use crate::marks::Marks;
use rustc_hash::FxHashMap;

/// The coarsest such partition that refines `start`: a class for each state, numbered by first occurrence.
pub fn classes(bdds: &mut Bdds, edges: &[Vec<Edge>], start: Vec<u32>) -> Vec<u32> {
    type Signature = Vec<(u32, Marks, Bdd)>;
    let mut class = start;
    let mut count = 0;
    loop {
        let mut known: FxHashMap<(u32, Signature), u32> = FxHashMap::default();
        let mut refined = Vec::with_capacity(class.len());
        for (state, leaving) in edges.iter().enumerate() {
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
            return class;
        }
        count = known.len();
    }
}

/// Merges states that do exactly the same.
pub fn merge_equal(bdds: &mut Bdds, automaton: &mut Automaton) {
    let class = classes(bdds, &automaton.edges, vec![0; automaton.states()]);
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
