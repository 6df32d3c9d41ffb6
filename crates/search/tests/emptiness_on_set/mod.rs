//! Nested searches on mere sets of visited states: on an exact set they do what they do with numbers; on sets
//! that mix states up they miss some, and raise no false alarm.

use crate::emptiness_support::{Answer, Graph, Random, applicable, graphs_with_marked_states};
use lariat_search::Limits;
use lariat_search::emptiness::{
    Arc, ExplicitProduct, Lasso, Passing, Product, ProductStep, Search, is_accepting_lasso,
};
use lariat_store::{Offer, StateId, StateStore, TransientStore, VisitedSet};
use std::collections::HashSet;

/// A graph that holds the states in use only, under numbers that are given again and again.
struct PassingGraph<'g> {
    graph: &'g mut ExplicitProduct,
    in_use: TransientStore,
    accepting: Vec<bool>,
}

impl PassingGraph<'_> {
    fn place(&self, number: StateId) -> StateId {
        StateId(u32::from_le_bytes(self.in_use.get(number).try_into().expect("four bytes")))
    }

    fn number(&mut self, place: StateId) -> StateId {
        let number = self.in_use.insert(&place.0.to_le_bytes()).id();
        self.accepting.resize(self.accepting.len().max(number.index() + 1), false);
        self.accepting[number.index()] = self.graph.is_accepting(place);
        number
    }

    fn in_graph(&self, lasso: &Lasso) -> Lasso {
        let steps = |steps: &[ProductStep]| {
            steps.iter().map(|step| ProductStep { state: self.place(step.state), ..*step }).collect()
        };
        Lasso { prefix: steps(&lasso.prefix), cycle: steps(&lasso.cycle) }
    }
}

impl Product for PassingGraph<'_> {
    type Marks = lariat_ltl::Marks;

    fn sets(&self) -> u32 {
        self.graph.sets()
    }

    fn initial_states(&mut self, out: &mut Vec<StateId>) {
        let mut places = Vec::new();
        self.graph.initial_states(&mut places);
        out.extend(places.into_iter().map(|place| self.number(place)));
    }

    fn post(&mut self, state: StateId, out: &mut Vec<Arc>) {
        let mut arcs = Vec::new();
        self.graph.post(self.place(state), &mut arcs);
        out.extend(arcs.into_iter().map(|arc| Arc { to: self.number(arc.to), ..arc }));
    }

    fn is_accepting(&self, state: StateId) -> bool {
        self.accepting[state.index()]
    }

    fn stored(&self) -> u64 {
        self.in_use.len()
    }
}

impl Passing for PassingGraph<'_> {
    fn bytes_of(&self, state: StateId) -> &[u8] {
        self.in_use.get(state)
    }

    fn give_back(&mut self, state: StateId) {
        self.in_use.give_back(state);
    }
}

/// A set that keeps a number below some limit for each state.
struct Mixing {
    limit: u32,
    kept: HashSet<u32>,
}

impl Mixing {
    fn kept_of(&self, state: &[u8]) -> u32 {
        state.iter().fold(7u32, |sum, &byte| sum.wrapping_mul(257) ^ u32::from(byte)) % self.limit
    }
}

impl VisitedSet for Mixing {
    fn visit(&mut self, state: &[u8]) -> bool {
        self.kept.insert(self.kept_of(state))
    }

    fn contains(&self, state: &[u8]) -> bool {
        self.kept.contains(&self.kept_of(state))
    }

    fn clear(&mut self) {
        self.kept.clear();
    }

    fn len(&self) -> u64 {
        self.kept.len() as u64
    }

    fn states_bytes(&self) -> u64 {
        4 * self.len()
    }

    fn auxiliary_bytes(&self) -> u64 {
        0
    }
}

/// How often lossy sets found what there is, and how often they missed it.
fn compare(graph: &Graph, limits: &[u32]) -> [u32; 2] {
    let (expected, mut product, mut outcomes) = (graph.has_accepting_cycle(), graph.product(), [0, 0]);
    for check in applicable(graph.strength()).filter(|check| check.description().store == Offer::Visited) {
        let name = check.description().name;
        let numbered = Answer::of(check, &mut product);
        for &limit in limits {
            let mut passing =
                PassingGraph { graph: &mut product, in_use: TransientStore::new(), accepting: Vec::new() };
            let mut set = Mixing { limit, kept: HashSet::new() };
            let mut search = Search::new(&mut passing, Limits::default(), None);
            let lasso = check.run_on_set(&mut search, &mut set).expect("it runs on a set");
            let (lasso, counts) = (lasso.expect("there are no limits"), search.counts());
            let lasso = match lasso {
                Some(lasso) => Some(passing.in_graph(&lasso)),
                None => {
                    let initial: HashSet<_> = graph.initial.iter().collect();
                    assert_eq!(
                        passing.stored(),
                        initial.len() as u64,
                        "{name}: all but these are given back"
                    );
                    None
                }
            };
            if let Some(lasso) = &lasso
                && let Err(reason) = is_accepting_lasso(&mut product, lasso)
            {
                panic!("{name} on {graph:?}, {limit}: {lasso:?}: {reason}");
            }
            assert!(expected || lasso.is_none());
            if limit == u32::MAX {
                assert_eq!(lasso, numbered.lasso, "{name} on {graph:?}");
                let essence =
                    |counts: lariat_search::Counts| (counts.visited, counts.post_calls, counts.transitions);
                assert_eq!(essence(counts), essence(numbered.counts), "{name} on {graph:?}");
                assert_eq!(counts.stored, counts.visited);
            } else if expected {
                outcomes[usize::from(lasso.is_some())] += 1;
            }
        }
    }
    outcomes
}

#[test]
fn all_graphs_up_to_three_states_on_sets() {
    for n in 1..=3 {
        for initial in [&[0][..], &[n - 1, 0], &[0, 0]] {
            for graph in graphs_with_marked_states(n, initial) {
                compare(&graph, &[u32::MAX, 3]);
            }
        }
    }
}

#[test]
fn random_graphs_on_sets() {
    let (mut random, mut outcomes) = (Random(29), [0, 0]);
    for _ in 0..2_000 {
        let graph = random_one_set(&mut random);
        let [missed, found] = compare(&graph, &[u32::MAX, 1, 10, 40, 200]);
        outcomes = [outcomes[0] + missed, outcomes[1] + found];
    }
    assert!(outcomes.iter().all(|&count| count > 500), "missed and found: {outcomes:?}");
}

/// Up to forty states with about two arcs each, some of them accepting.
fn random_one_set(random: &mut Random) -> Graph {
    let n = 2 + random.below(39);
    let arcs: Vec<Vec<usize>> =
        (0..n).map(|_| (0..random.below(4)).map(|_| random.below(n)).collect()).collect();
    let one_in = 2 + random.below(8);
    let states = (0..n).map(|_| u64::from(random.below(one_in) == 0)).collect();
    Graph::with_marked_states(1, vec![0, random.below(n)], arcs, states)
}
