//! Generalised Büchi automata.
//!
//! One form for all: acceptance marks on edges, any number of sets. A run is accepting if it takes edges of
//! every set infinitely often; with no set at all every infinite run is accepting. An automaton with
//! acceptance on states is one in which all edges that leave a state carry the same marks, and
//! [`Automaton::placement`] says that this is meant (it then is printed so). Labels are functions in a
//! [`Bdds`] that is handed along; variable `i` stands for `propositions[i]`. An edge whose label is false
//! does not exist: [`Automaton::tidy`] removes it.
//!
//! A letter (an assignment to the propositions) that no edge of a state admits ends the run there: automata
//! need not be complete.

use crate::bdd::{Bdd, Bdds};
use crate::marks::Marks;

/// The number of a state.
pub type State = u32;

/// An edge, found in the list of the state that it leaves.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Edge {
    /// The letters that it admits.
    pub label: Bdd,
    /// The acceptance sets that it belongs to.
    pub marks: Marks,
    /// The state that it leads to.
    pub to: State,
}

/// Where the acceptance marks are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Placement {
    /// Each edge has its own.
    #[default]
    Edges,
    /// All edges that leave a state have the same marks: those of the state.
    States,
}

/// A generalised Büchi automaton. Its labels belong to the [`Bdds`] with which it was made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Automaton {
    /// What it stands for: the formula, or the name in a file.
    pub name: Option<String>,
    /// The texts of the propositions: variable `i` of the labels stands for the `i`th.
    pub propositions: Vec<String>,
    /// How many acceptance sets there are.
    pub sets: u32,
    /// Whether acceptance is meant to be on states or on edges.
    pub placement: Placement,
    /// Where runs may start; never empty.
    pub initial: Vec<State>,
    /// The edges that leave each state.
    pub edges: Vec<Vec<Edge>>,
}

impl Automaton {
    /// One initial state, no edge: the empty language.
    pub fn empty(propositions: Vec<String>) -> Automaton {
        Automaton { propositions, initial: vec![0], edges: vec![Vec::new()], ..Automaton::default() }
    }

    /// The number of states, reachable or not.
    pub fn states(&self) -> usize {
        self.edges.len()
    }

    /// The number of edges: one for each source, target, and set of marks, once [`Automaton::tidy`] has
    /// joined them.
    pub fn edge_count(&self) -> usize {
        self.edges.iter().map(Vec::len).sum()
    }

    /// Adds a state without edges, which is not initial; returns its number.
    pub fn add_state(&mut self) -> State {
        self.edges.push(Vec::new());
        self.edges.len() as State - 1
    }

    /// The edges that leave a state.
    pub fn leaving(&self, state: State) -> &[Edge] {
        &self.edges[state as usize]
    }

    /// The marks that an accepting run must meet infinitely often: those of all sets.
    pub fn all_marks(&self) -> Marks {
        Marks::all(self.sets)
    }

    /// The marks of a state, where acceptance is on states: those of its edges; none if it has no edge.
    pub fn state_marks(&self, state: State) -> Marks {
        debug_assert_eq!(self.placement, Placement::States);
        self.leaving(state).first().map_or(Marks::NONE, |edge| edge.marks)
    }

    /// Do all edges of each state carry the same marks?
    pub fn has_state_acceptance(&self) -> bool {
        self.edges.iter().all(|edges| edges.windows(2).all(|pair| pair[0].marks == pair[1].marks))
    }

    /// Joins edges that differ only in their label, drops those with a false one, and puts them into a fixed
    /// order.
    pub fn tidy(&mut self, bdds: &mut Bdds) {
        for edges in &mut self.edges {
            edges.retain(|edge| !edge.label.is_false());
            edges.sort_by_key(|edge| (edge.to, edge.marks));
            edges.dedup_by(|next, kept| {
                let same = next.to == kept.to && next.marks == kept.marks;
                if same {
                    kept.label = bdds.or(kept.label, next.label);
                }
                same
            });
        }
    }

    /// Does every state have at most one edge for each letter, and is there one initial state?
    pub fn is_deterministic(&self, bdds: &mut Bdds) -> bool {
        self.initial.len() == 1
            && self.edges.iter().all(|edges| {
                let mut taken = Bdd::FALSE;
                edges.iter().all(|edge| {
                    let fresh = !bdds.intersects(taken, edge.label);
                    taken = bdds.or(taken, edge.label);
                    fresh
                })
            })
    }

    /// Does every state have an edge for each letter?
    pub fn is_complete(&self, bdds: &mut Bdds) -> bool {
        self.edges.iter().all(|edges| {
            let mut taken = Bdd::FALSE;
            for edge in edges {
                taken = bdds.or(taken, edge.label);
            }
            taken.is_true()
        })
    }

    /// Keeps only these states, and numbers them in this order. Edges into others disappear. If no initial
    /// state is kept, what is left is the empty language.
    pub fn restrict_to(&mut self, kept: &[State]) {
        let mut number = vec![State::MAX; self.states()];
        for (new, &old) in kept.iter().enumerate() {
            number[old as usize] = new as State;
        }
        let mut edges: Vec<Vec<Edge>> = Vec::with_capacity(kept.len());
        for &old in kept {
            let mut leaving = std::mem::take(&mut self.edges[old as usize]);
            leaving.retain(|edge| number[edge.to as usize] != State::MAX);
            for edge in &mut leaving {
                edge.to = number[edge.to as usize];
            }
            edges.push(leaving);
        }
        self.edges = edges;
        self.initial.retain(|&state| number[state as usize] != State::MAX);
        for state in &mut self.initial {
            *state = number[*state as usize];
        }
        if self.initial.is_empty() {
            *self = Automaton {
                name: self.name.take(),
                sets: self.sets,
                placement: self.placement,
                ..Automaton::empty(std::mem::take(&mut self.propositions))
            };
        }
    }

    /// The states that runs can reach, in breadth-first order.
    pub fn reachable(&self) -> Vec<State> {
        let mut seen = vec![false; self.states()];
        let mut order: Vec<State> = Vec::new();
        for &state in &self.initial {
            if !std::mem::replace(&mut seen[state as usize], true) {
                order.push(state);
            }
        }
        let mut next = 0;
        while next < order.len() {
            for edge in &self.edges[order[next] as usize] {
                if !std::mem::replace(&mut seen[edge.to as usize], true) {
                    order.push(edge.to);
                }
            }
            next += 1;
        }
        order
    }
}
