//! Universal branching, removed on reading.
//!
//! The target of an edge may be a conjunction of states: the rest of the word must be accepted from all of
//! them. A run then is a tree, and all its branches must meet every acceptance set infinitely often. Miyano
//! and Hayashi 1984: follow all branches at once, as a set of states, together with those of them that still
//! owe an edge of one acceptance set; when nobody owes any more, the turn is the next set's, and all owe
//! again. When the turn has gone round, the run has made progress: one Büchi set.
//!
//! The number of states can grow exponentially, so there is a limit.

use crate::automaton::{Automaton, Edge, Placement, State};
use crate::bdd::{Bdd, Bdds};
use crate::marks::Marks;
use crate::text::{and_within_limits, or_within_limits};
use rustc_hash::FxHashMap;

const MOST_STATES: usize = 10_000;
const MOST_EDGES: usize = 200_000;

/// Conjunctions of states, each with a number that no state has.
#[derive(Default)]
pub(super) struct Conjunctions {
    members: Vec<Vec<State>>,
    numbers: FxHashMap<Vec<State>, State>,
}

const FIRST: State = 1 << 31;

impl Conjunctions {
    /// The number of a conjunction; that of its state if there is only one.
    pub fn number(&mut self, mut states: Vec<State>) -> State {
        states.sort_unstable();
        states.dedup();
        if let [only] = states[..] {
            return only;
        }
        let next = FIRST + self.members.len() as State;
        *self.numbers.entry(states).or_insert_with_key(|states| {
            self.members.push(states.clone());
            next
        })
    }

    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// The states that a number stands for.
    pub fn states(&self, number: State) -> Vec<State> {
        match number.checked_sub(FIRST) {
            None => vec![number],
            Some(index) => self.members[index as usize].clone(),
        }
    }
}

/// All branches at once.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Front {
    states: Vec<State>,
    /// Those that still owe an edge of the set whose turn it is.
    owing: Vec<State>,
    turn: u32,
}

/// The automaton without conjunctions; its initial states and the targets of its edges may be numbers of
/// them. `None` if it would be too large.
pub(super) fn without_conjunctions(
    automaton: &Automaton,
    conjunctions: &Conjunctions,
    bdds: &mut Bdds,
) -> Option<Automaton> {
    if automaton.initial.len() > MOST_STATES {
        return None;
    }
    let sets = automaton.sets;
    let mut result = Automaton {
        name: automaton.name.clone(),
        propositions: automaton.propositions.clone(),
        sets: sets.min(1),
        placement: Placement::Edges,
        ..Automaton::default()
    };
    let mut numbers: FxHashMap<Front, State> = FxHashMap::default();
    let mut fronts: Vec<Front> = Vec::new();
    let mut number_of = |front: Front, fronts: &mut Vec<Front>| {
        *numbers.entry(front).or_insert_with_key(|front| {
            fronts.push(front.clone());
            fronts.len() as State - 1
        })
    };
    for &initial in &automaton.initial {
        let states = conjunctions.states(initial);
        let owing = if sets == 0 { Vec::new() } else { states.clone() };
        let number = number_of(Front { states, owing, turn: 0 }, &mut fronts);
        if !result.initial.contains(&number) {
            result.initial.push(number);
        }
    }
    let mut edge_count = 0;
    while result.edges.len() < fronts.len() {
        let front = fronts[result.edges.len()].clone();
        let mut leaving = Vec::new();
        for (states, owing, label) in steps(automaton, conjunctions, &front, bdds)? {
            let mut to = Front { states, owing, turn: front.turn };
            let mut marks = Marks::NONE;
            if sets > 0 && to.owing.is_empty() {
                to.turn = (to.turn + 1) % sets;
                to.owing = to.states.clone();
                marks = if to.turn == 0 { Marks::one(0) } else { Marks::NONE };
            }
            leaving.push(Edge { label, marks, to: number_of(to, &mut fronts) });
        }
        edge_count += leaving.len();
        if fronts.len() > MOST_STATES || edge_count > MOST_EDGES {
            return None;
        }
        result.edges.push(leaving);
    }
    Some(result)
}

/// The targets of several branches, who of them owes, and the letters that lead there.
type Step = (Vec<State>, Vec<State>, Bdd);

/// One edge for each branch, all of them open to the same letters: where that leads, and who owes then.
fn steps(
    automaton: &Automaton,
    conjunctions: &Conjunctions,
    front: &Front,
    bdds: &mut Bdds,
) -> Option<Vec<Step>> {
    let mut partial: Vec<Step> = vec![(Vec::new(), Vec::new(), Bdd::TRUE)];
    for &state in &front.states {
        let owes = front.owing.binary_search(&state).is_ok();
        let mut index: FxHashMap<(Vec<State>, Vec<State>), usize> = FxHashMap::default();
        let mut longer: Vec<Step> = Vec::new();
        for (states, owing, label) in &partial {
            for edge in automaton.leaving(state) {
                let label = and_within_limits(bdds, *label, edge.label)?;
                if label.is_false() {
                    continue;
                }
                let targets = conjunctions.states(edge.to);
                let owing = match owes && !edge.marks.contains(front.turn) {
                    true => union(owing, &targets),
                    false => owing.clone(),
                };
                let key = (union(states, &targets), owing);
                let at = *index.entry(key.clone()).or_insert(longer.len());
                match longer.get_mut(at) {
                    Some((_, _, known)) => *known = or_within_limits(bdds, *known, label)?,
                    None => longer.push((key.0, key.1, label)),
                }
                if longer.len() > MOST_EDGES / 10 {
                    return None;
                }
            }
        }
        partial = longer;
    }
    Some(partial)
}

fn union(one: &[State], two: &[State]) -> Vec<State> {
    let mut both = [one, two].concat();
    both.sort_unstable();
    both.dedup();
    both
}
