//! Is there a word that one automaton accepts, or two both accept?
//!
//! The product is built whole and its components are looked at: these are property automata, a few dozen
//! states each. (The on-the-fly checks over models are elsewhere.) The answer comes as a word u·v^ω when it
//! is asked for. Also here: whether an automaton accepts a given word of that form.

use crate::automaton::{Automaton, State};
use crate::bdd::{Bdd, Bdds};
use crate::marks::Marks;
use crate::scc::Components;
use crate::stop::Stop;
use crate::word::{Letter, Word};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// An edge of a product: marks of the one side and of the other.
#[derive(Clone, Copy)]
pub(crate) struct PairEdge {
    pub to: State,
    pub label: Bdd,
    pub marks: (Marks, Marks),
}

/// A graph with two lots of acceptance marks, all of which an accepting run must meet.
pub(crate) struct Graph {
    pub edges: Vec<Vec<PairEdge>>,
    pub initial: Vec<State>,
    pub all: (Marks, Marks),
}

/// Pairs of edges between two looks at whether to stop, about.
const PAIRS_BETWEEN_LOOKS: usize = 1 << 13;

impl Graph {
    /// The states that are reached when both read the same letters. `None` if more pairs of edges than
    /// `budget` would have to be looked at, of which it is lowered by their number, or if the work was
    /// stopped.
    fn product(
        bdds: &mut Bdds,
        a: &Automaton,
        b: &Automaton,
        budget: &mut usize,
        stop: Stop,
    ) -> Option<Graph> {
        debug_assert_eq!(a.propositions, b.propositions);
        let mut number: FxHashMap<(State, State), State> = FxHashMap::default();
        let mut pairs: Vec<(State, State)> = Vec::new();
        let mut visit = |pair, pairs: &mut Vec<(State, State)>| {
            *number.entry(pair).or_insert_with(|| {
                pairs.push(pair);
                pairs.len() as State - 1
            })
        };
        let mut initial = Vec::new();
        for &p in &a.initial {
            for &q in &b.initial {
                initial.push(visit((p, q), &mut pairs));
            }
        }
        let mut edges: Vec<Vec<PairEdge>> = Vec::new();
        let mut count = 0;
        let mut since_look = PAIRS_BETWEEN_LOOKS;
        while edges.len() < pairs.len() {
            let (p, q) = pairs[edges.len()];
            let mut leaving = Vec::new();
            *budget = budget.checked_sub(a.leaving(p).len() * b.leaving(q).len() + 1)?;
            for one in a.leaving(p) {
                since_look += b.leaving(q).len() + 1;
                if since_look > PAIRS_BETWEEN_LOOKS {
                    since_look = 0;
                    if stop.now(bdds, (count + leaving.len()) * size_of::<PairEdge>()) {
                        return None;
                    }
                }
                for two in b.leaving(q) {
                    let label = bdds.and(one.label, two.label);
                    if !label.is_false() {
                        let to = visit((one.to, two.to), &mut pairs);
                        leaving.push(PairEdge { to, label, marks: (one.marks, two.marks) });
                    }
                }
            }
            count += leaving.len() + 1;
            edges.push(leaving);
        }
        Some(Graph { edges, initial, all: (a.all_marks(), b.all_marks()) })
    }

    /// The components, and the first that has all marks on its edges inside.
    pub fn accepting_component(&self) -> Option<(Components, u32)> {
        let components = Components::compute(self.edges.len(), self.initial.iter().copied(), |state, k| {
            self.edges[state as usize].get(k).map(|edge| edge.to)
        });
        let mut seen = vec![(false, Marks::NONE, Marks::NONE); components.count as usize];
        for (state, edges) in self.edges.iter().enumerate() {
            for edge in edges {
                let component = components.of[state];
                if component != Components::UNREACHED && component == components.of[edge.to as usize] {
                    let (cyclic, one, two) = &mut seen[component as usize];
                    *cyclic = true;
                    *one |= edge.marks.0;
                    *two |= edge.marks.1;
                }
            }
        }
        let found = seen.iter().position(|&(cyclic, one, two)| cyclic && (one, two) == self.all)?;
        Some((components, found as u32))
    }

    /// The shortest path from one of the sources, over at least one edge, to an edge that `goal` wants as the
    /// last one. Only edges that `may_use` admits.
    fn path(
        &self,
        sources: &[State],
        may_use: impl Fn(State, &PairEdge) -> bool,
        goal: impl Fn(State, &PairEdge) -> bool,
    ) -> Option<Vec<PairEdge>> {
        let mut came_from: Vec<Option<(State, PairEdge)>> = vec![None; self.edges.len()];
        let mut seen = vec![false; self.edges.len()];
        let mut queue: VecDeque<State> = VecDeque::new();
        for &source in sources {
            if !std::mem::replace(&mut seen[source as usize], true) {
                queue.push_back(source);
            }
        }
        while let Some(state) = queue.pop_front() {
            for edge in &self.edges[state as usize] {
                if !may_use(state, edge) {
                    continue;
                }
                if goal(state, edge) {
                    let mut path = vec![*edge];
                    let mut at = state;
                    while let Some((from, edge)) = came_from[at as usize] {
                        path.push(edge);
                        at = from;
                    }
                    path.reverse();
                    return Some(path);
                }
                if !std::mem::replace(&mut seen[edge.to as usize], true) {
                    came_from[edge.to as usize] = Some((state, *edge));
                    queue.push_back(edge.to);
                }
            }
        }
        None
    }

    /// A path into the component, then round it through every mark.
    fn accepting_word(&self, bdds: &Bdds, propositions: usize) -> Option<Word> {
        let (components, component) = self.accepting_component()?;
        let inside = |state: State| components.of[state as usize] == component;
        let mut prefix = Vec::new();
        let start = match self.initial.iter().find(|&&state| inside(state)) {
            Some(&state) => state,
            None => {
                prefix = self.path(&self.initial, |_, _| true, |_, edge| inside(edge.to))?;
                prefix.last()?.to
            }
        };
        let stay = |_: State, edge: &PairEdge| inside(edge.to);
        let mut cycle: Vec<PairEdge> = Vec::new();
        let mut missing = self.all;
        let mut at = start;
        loop {
            let wanted = |edge: &PairEdge| {
                !(edge.marks.0 & missing.0).is_empty() || !(edge.marks.1 & missing.1).is_empty()
            };
            let done = missing == (Marks::NONE, Marks::NONE);
            if done && at == start && !cycle.is_empty() {
                break;
            }
            let piece = match done {
                true => self.path(&[at], stay, |_, edge| edge.to == start)?,
                false => self.path(&[at], stay, |_, edge| inside(edge.to) && wanted(edge))?,
            };
            for edge in piece {
                missing = (missing.0 - edge.marks.0, missing.1 - edge.marks.1);
                at = edge.to;
                cycle.push(edge);
            }
        }
        let letter = |edge: &PairEdge| {
            let mut values = vec![false; propositions];
            for (variable, positive) in bdds.satisfying(edge.label).unwrap_or_default() {
                values[variable as usize] = positive;
            }
            Letter(values)
        };
        Some(Word { prefix: prefix.iter().map(letter).collect(), cycle: cycle.iter().map(letter).collect() })
    }
}

/// Is there a word that both accept?
pub fn intersect(bdds: &mut Bdds, a: &Automaton, b: &Automaton) -> bool {
    intersect_within(bdds, a, b, &mut usize::MAX.clone(), Stop::NEVER).expect("no limit is set")
}

/// Is there a word that both accept? `None` if the budget, in pairs of edges, does not suffice (what is
/// left stays in it), or if the work was stopped.
pub fn intersect_within(
    bdds: &mut Bdds,
    a: &Automaton,
    b: &Automaton,
    budget: &mut usize,
    stop: Stop,
) -> Option<bool> {
    Some(Graph::product(bdds, a, b, budget, stop)?.accepting_component().is_some())
}

/// A word that both accept, if there is one.
pub fn common_word(bdds: &mut Bdds, a: &Automaton, b: &Automaton) -> Option<Word> {
    common_word_within(bdds, a, b, &mut usize::MAX.clone(), Stop::NEVER).expect("no limit is set")
}

/// A word that both accept, if there is one. `None` if the budget, in pairs of edges, does not suffice, or
/// if the work was stopped.
pub fn common_word_within(
    bdds: &mut Bdds,
    a: &Automaton,
    b: &Automaton,
    budget: &mut usize,
    stop: Stop,
) -> Option<Option<Word>> {
    let graph = Graph::product(bdds, a, b, budget, stop)?;
    Some(graph.accepting_word(bdds, a.propositions.len()))
}

/// Does the automaton accept no word?
pub fn is_empty(automaton: &Automaton) -> bool {
    let structure = crate::scc::Structure::of(automaton);
    let useful = structure.useful(automaton);
    !automaton.initial.iter().any(|&state| useful[state as usize])
}

/// A word that the automaton accepts, if there is one.
pub fn some_word(bdds: &mut Bdds, automaton: &Automaton) -> Option<Word> {
    common_word(bdds, automaton, &everything(automaton.propositions.clone()))
}

/// The automaton that accepts every word.
pub fn everything(propositions: Vec<String>) -> Automaton {
    let mut automaton = Automaton::empty(propositions);
    automaton.edges[0].push(crate::Edge { label: Bdd::TRUE, marks: Marks::NONE, to: 0 });
    automaton
}

/// Does the automaton accept the word?
pub fn accepts(bdds: &Bdds, automaton: &Automaton, word: &Word) -> bool {
    const NEW: State = State::MAX;
    let mut number = vec![NEW; automaton.states() * word.len()];
    let mut reached: Vec<(State, usize)> = Vec::new();
    let mut visit = |state: State, position: usize, reached: &mut Vec<(State, usize)>| {
        let number = &mut number[state as usize * word.len() + position];
        if *number == NEW {
            *number = reached.len() as State;
            reached.push((state, position));
        }
        *number
    };
    let initial = automaton.initial.iter().map(|&state| visit(state, 0, &mut reached)).collect();
    let mut edges: Vec<Vec<PairEdge>> = Vec::new();
    while edges.len() < reached.len() {
        let (state, position) = reached[edges.len()];
        let letter = word.letter(position);
        let mut leaving = Vec::new();
        for edge in automaton.leaving(state) {
            if bdds.evaluate(edge.label, |variable| letter.get(variable)) {
                let to = visit(edge.to, word.after(position), &mut reached);
                leaving.push(PairEdge { to, label: edge.label, marks: (edge.marks, Marks::NONE) });
            }
        }
        edges.push(leaving);
    }
    let graph = Graph { edges, initial, all: (automaton.all_marks(), Marks::NONE) };
    graph.accepting_component().is_some()
}
