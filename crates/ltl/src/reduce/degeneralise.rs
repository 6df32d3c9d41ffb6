//! From many acceptance sets on edges to one on states.
//!
//! The classic counter: a state is copied for each *level*, the number of sets met since the last time all
//! had been met; the copies at the highest level accept. What makes the result small is where the levels go:
//!
//! - they exist only inside components that need them; a component with k sets of its own has k + 1 levels at
//!   most, a weak one has none;
//! - an edge may pass several levels at once, and counts the marks that every edge leaving its target will
//!   meet anyway;
//! - of the copies of a component only one strongly connected part is kept from which no other can be
//!   reached: it contains a copy of every state, and each copy of a state accepts the same words. Whoever
//!   enters the component enters there;
//! - the order in which the sets are waited for is a parameter; the caller tries several.

use super::prune::{Needs, needs};
use crate::automaton::{Automaton, Edge, Placement, State};
use crate::bdd::Bdds;
use crate::marks::Marks;
use crate::scc::{Components, Structure};

/// What each state of a component becomes.
enum Copies {
    /// One copy, accepting or not.
    One { accepting: bool },
    /// Copies with levels; `number` by place of the state in the component, then level.
    Levels { order: Vec<u32>, number: Vec<Vec<Option<State>>> },
}

/// An automaton with one acceptance set, on states. Sets are waited for in the order of their place in
/// `order`.
pub fn degeneralise(bdds: &mut Bdds, automaton: &Automaton, order: &[u32]) -> Automaton {
    let structure = Structure::of(automaton);
    let place = places(automaton, &structure);
    let mut members: Vec<Vec<State>> = vec![Vec::new(); structure.components.count as usize];
    for state in 0..automaton.states() as State {
        members[structure.components.of[state as usize] as usize].push(state);
    }
    let mut count: State = 0;
    let copies: Vec<Copies> = (0..structure.components.count)
        .map(|component| {
            let inside = &members[component as usize];
            match needs(automaton, &structure, component) {
                Needs::Sets(sets) => {
                    let order: Vec<u32> = order.iter().copied().filter(|set| sets.contains(set)).collect();
                    let number = levels(automaton, &structure, &place, inside, &order, &mut count);
                    Copies::Levels { order, number }
                }
                other => Copies::One { accepting: matches!(other, Needs::Everything) },
            }
        })
        .collect();
    // States with one copy are numbered after all that have levels.
    let mut single = vec![State::MAX; automaton.states()];
    for state in 0..automaton.states() as State {
        if let Copies::One { .. } = copies[structure.components.of[state as usize] as usize] {
            single[state as usize] = count;
            count += 1;
        }
    }
    let entry = |state: State| match &copies[structure.components.of[state as usize] as usize] {
        Copies::One { .. } => single[state as usize],
        Copies::Levels { number, .. } => {
            let copy = number[place[state as usize]].iter().flatten().next();
            *copy.expect("every state of the component has a copy")
        }
    };
    let mut result = Automaton {
        name: automaton.name.clone(),
        sets: 1,
        placement: Placement::States,
        initial: automaton.initial.iter().map(|&state| entry(state)).collect(),
        edges: vec![Vec::new(); count as usize],
        propositions: automaton.propositions.clone(),
    };
    for state in 0..automaton.states() as State {
        let component = structure.components.of[state as usize];
        let mut add = |from: State, accepting: bool, to_inside: &dyn Fn(&Edge) -> State| {
            for edge in automaton.leaving(state) {
                let to =
                    if structure.components.same(state, edge.to) { to_inside(edge) } else { entry(edge.to) };
                let marks = if accepting { Marks::one(0) } else { Marks::NONE };
                result.edges[from as usize].push(Edge { label: edge.label, marks, to });
            }
        };
        match &copies[component as usize] {
            Copies::One { accepting } => {
                add(single[state as usize], *accepting, &|edge| single[edge.to as usize]);
            }
            Copies::Levels { order, number } => {
                for (level, copy) in number[place[state as usize]].iter().enumerate() {
                    let Some(from) = *copy else { continue };
                    add(from, level == order.len(), &|edge| {
                        let level = advance(order, level, credited(automaton, &structure, edge));
                        number[place[edge.to as usize]][level].expect("the part is closed")
                    });
                }
            }
        }
    }
    super::prune(bdds, &mut result);
    make_one_set(&mut result);
    result
}

/// An automaton with state acceptance and no set, or one, gets exactly one.
pub fn make_one_set(automaton: &mut Automaton) {
    debug_assert!(automaton.sets <= 1 && automaton.placement == Placement::States);
    if automaton.sets == 0 {
        automaton.sets = 1;
        automaton.edges.iter_mut().flatten().for_each(|edge| edge.marks = Marks::one(0));
    }
}

/// For each state its place among the states of its component.
fn places(automaton: &Automaton, structure: &Structure) -> Vec<usize> {
    let mut next = vec![0; structure.components.count as usize];
    (0..automaton.states())
        .map(|state| {
            let next = &mut next[structure.components.of[state] as usize];
            *next += 1;
            *next - 1
        })
        .collect()
}

/// The marks that an edge inside a component meets, with those that every way on from its target inside will
/// meet.
fn credited(automaton: &Automaton, structure: &Structure, edge: &Edge) -> Marks {
    let onward = automaton.leaving(edge.to).iter().filter(|next| structure.components.same(edge.to, next.to));
    edge.marks | onward.fold(automaton.all_marks(), |common, next| common & next.marks)
}

/// The level after an edge with these marks. At the highest level the count starts again.
fn advance(order: &[u32], level: usize, marks: Marks) -> usize {
    let from = if level == order.len() { 0 } else { level };
    from + order[from..].iter().take_while(|&&set| marks.contains(set)).count()
}

/// Numbers for the copies that are kept: one closed part of the component with its levels.
fn levels(
    automaton: &Automaton,
    structure: &Structure,
    place: &[usize],
    members: &[State],
    order: &[u32],
    count: &mut State,
) -> Vec<Vec<Option<State>>> {
    let height = order.len() + 1;
    let node = |state: State, level: usize| (place[state as usize] * height + level) as State;
    let successors: Vec<Vec<State>> = members
        .iter()
        .flat_map(|&state| (0..height).map(move |level| (state, level)))
        .map(|(state, level)| {
            let inside =
                automaton.leaving(state).iter().filter(|edge| structure.components.same(state, edge.to));
            inside
                .map(|edge| node(edge.to, advance(order, level, credited(automaton, structure, edge))))
                .collect()
        })
        .collect();
    let nodes = successors.len();
    let parts =
        Components::compute(nodes, 0..nodes as State, |node, k| successors[node as usize].get(k).copied());
    let mut size = vec![0usize; parts.count as usize];
    let mut closed = vec![true; parts.count as usize];
    for (node, targets) in successors.iter().enumerate() {
        size[parts.of[node] as usize] += 1;
        closed[parts.of[node] as usize] &= targets.iter().all(|&to| parts.of[to as usize] == parts.of[node]);
    }
    let kept = (0..parts.count).filter(|&part| closed[part as usize]).min_by_key(|&part| size[part as usize]);
    let kept = kept.expect("a finite graph has a closed component");
    let mut number = vec![vec![None; height]; members.len()];
    for node in 0..nodes {
        if parts.of[node] == kept {
            number[node / height][node % height] = Some(*count);
            *count += 1;
        }
    }
    number
}
