//! Graphs with sets and pairs of marks: what `streett` says, against the definition; and the same sets in
//! words, in wide marks, and with a counter.
//!
//! The judge knows no components: a set of arcs is the set of arcs of a cycle if it is connected both ways,
//! and all sets of arcs of a small graph are tried.

mod emptiness_support;

use emptiness_support::Random;
use lariat_ltl::Marks;
use lariat_search::Limits;
use lariat_search::emptiness::{
    ALGORITHMS, Arc, Check, CountedProduct, Lasso, MarkSet, Needs, Pair, Product, Search, WideMarks,
    is_accepting_lasso, shorten, shortest_lasso,
};
use lariat_store::StateId;

/// A graph whose marks stand at these places of `K`.
#[derive(Clone, Debug)]
struct Graph<K> {
    sets: u32,
    pairs: Vec<Pair>,
    arcs: Vec<Vec<Arc<K>>>,
}

impl<K: MarkSet> Product for Graph<K> {
    type Marks = K;

    fn sets(&self) -> u32 {
        self.sets
    }

    fn pairs(&self) -> &[Pair] {
        &self.pairs
    }

    fn initial_states(&mut self, out: &mut Vec<StateId>) {
        out.push(StateId(0));
    }

    fn post(&mut self, state: StateId, out: &mut Vec<Arc<K>>) {
        out.extend_from_slice(&self.arcs[state.index()]);
    }

    fn is_accepting(&self, _: StateId) -> bool {
        false
    }

    fn stored(&self) -> u64 {
        self.arcs.len() as u64
    }
}

/// States, sets, pairs, arcs: few enough that all sets of arcs can be tried.
fn random_graph(random: &mut Random, sets: u32, pairs: u32) -> Graph<Marks> {
    let states = 2 + random.below(4);
    let mut arcs = vec![Vec::new(); states];
    let marks = sets + 2 * pairs;
    for _ in 0..2 + random.below(8) {
        let (from, to) = (random.below(states), StateId(random.below(states) as u32));
        let mut met = Marks::NONE;
        (0..marks).filter(|_| random.below(3) == 0).for_each(|mark| met |= Marks::one(mark));
        arcs[from].push(Arc { to, marks: met });
    }
    let pair = |k: u32| {
        let (first, second) = (sets + 2 * k, sets + 2 * k + 1);
        Pair { first, second: (random.below(4) > 0).then_some(second) }
    };
    Graph { sets, pairs: (0..pairs).map(pair).collect(), arcs }
}

/// By definition: some set of arcs that can be gone round together is reachable, and accepted.
fn is_accepting(graph: &Graph<Marks>) -> bool {
    let mut list: Vec<(usize, usize, Marks)> = Vec::new();
    for (from, leaving) in graph.arcs.iter().enumerate() {
        list.extend(leaving.iter().map(|arc| (from, arc.to.index(), arc.marks)));
    }
    let reach = |among: &[(usize, usize, Marks)], start: usize| {
        let mut reached = vec![false; graph.arcs.len()];
        reached[start] = true;
        for _ in 0..graph.arcs.len() {
            for &(from, to, _) in among {
                reached[to] |= reached[from];
            }
        }
        reached
    };
    let from_start = reach(&list, 0);
    (1u32..1 << list.len()).any(|chosen| {
        let cycle: Vec<_> = (0..list.len()).filter(|k| chosen >> k & 1 == 1).map(|k| list[k]).collect();
        let met = cycle.iter().fold(Marks::NONE, |met, arc| met | arc.2);
        let is_round = || {
            cycle.iter().all(|arc| {
                let reached = reach(&cycle, arc.1);
                cycle.iter().all(|other| reached[other.0])
            })
        };
        Marks::all(graph.sets).is_subset(met)
            && graph.pairs.iter().all(|pair| {
                !met.contains(pair.first) || pair.second.is_some_and(|second| met.contains(second))
            })
            && from_start[cycle[0].0]
            && is_round()
    })
}

fn run<P: Product>(product: &mut P, check: Check) -> Option<Lasso> {
    check.run(&mut Search::new(product, Limits::default(), None)).unwrap()
}

/// The same graph, its marks moved up by so many places; those below are on every arc.
fn moved(graph: &Graph<Marks>, by: u32) -> Graph<WideMarks> {
    let wide = |marks: Marks| {
        let mut wide = WideMarks::all(by);
        marks.iter().for_each(|mark| wide |= WideMarks::one(by + mark));
        wide
    };
    let arcs = graph.arcs.iter();
    let arcs = arcs.map(|arcs| arcs.iter().map(|arc| Arc { to: arc.to, marks: wide(arc.marks) }).collect());
    let pair = |pair: &Pair| Pair { first: by + pair.first, second: pair.second.map(|second| by + second) };
    Graph { sets: by + graph.sets, pairs: graph.pairs.iter().map(pair).collect(), arcs: arcs.collect() }
}

#[test]
fn pairs_by_definition() {
    let mut random = Random(1987);
    let mut accepted = 0;
    for number in 0..4000 {
        let graph = random_graph(&mut random, number % 3, 1 + number % 4);
        let expected = is_accepting(&graph);
        accepted += u32::from(expected);
        let mut product = graph.clone();
        let found = run(&mut product, Check::Streett);
        assert_eq!(found.is_some(), expected, "{number}: {graph:?}");
        if let Some(lasso) = &found {
            assert_eq!(is_accepting_lasso(&mut product, lasso), Ok(()), "{number}: {graph:?}");
            let mut search = Search::new(&mut product, Limits::default(), None);
            let shorter = shorten(&mut search, lasso, 1000).unwrap();
            assert!(shorter.cycle.len() <= lasso.cycle.len() && shorter.prefix.len() <= lasso.prefix.len());
            assert_eq!(is_accepting_lasso(&mut product, &shorter), Ok(()), "{number}: {graph:?}");
        }
        let found = run(&mut moved(&graph, 70 + number % 300), Check::Streett);
        assert_eq!(found.is_some(), expected, "{number}: wide: {graph:?}");
    }
    assert!((500..3500).contains(&accepted), "{accepted}");
}

#[test]
fn many_sets_in_words_in_wide_marks_and_counted() {
    let mut random = Random(2003);
    for number in 0..1500 {
        let graph = random_graph(&mut random, 1 + number % 5, 0);
        let expected = is_accepting(&graph);
        for description in ALGORITHMS {
            let (check, name) = (description.check, description.name);
            match description.needs {
                Needs::AnySets => {
                    let found = run(&mut graph.clone(), check);
                    assert_eq!(found.is_some(), expected, "{name}, {number}: {graph:?}");
                    let mut wide = moved(&graph, 60 + number % 200);
                    let found = run(&mut wide, check);
                    assert_eq!(found.is_some(), expected, "{name}, wide, {number}: {graph:?}");
                    if let Some(lasso) = found {
                        assert_eq!(is_accepting_lasso(&mut wide, &lasso), Ok(()), "{name}, {number}");
                        let mut search = Search::new(&mut wide, Limits::default(), None);
                        let (lasso, _) = shortest_lasso(&mut search, &lasso, 1000);
                        assert_eq!(is_accepting_lasso(&mut wide, &lasso), Ok(()), "{name}, {number}");
                    }
                }
                Needs::OneSet => {
                    let mut product = graph.clone();
                    let mut counted = CountedProduct::new(&mut product);
                    let found = run(&mut counted, check).map(|lasso| counted.uncounted(&lasso));
                    assert_eq!(found.is_some(), expected, "{name}, {number}: {graph:?}");
                    if let Some(lasso) = found {
                        assert_eq!(is_accepting_lasso(&mut product, &lasso), Ok(()), "{name}, {number}");
                    }
                }
                _ => {}
            }
        }
    }
}
