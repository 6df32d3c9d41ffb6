//! Every emptiness check on every small graph, and on random ones: the same verdict, and lassos that are
//! accepting runs.

mod emptiness_on_set;
mod emptiness_support;
mod events_support;

use emptiness_support::{
    Graph, Random, agree, count_with_marked_arcs, graph_with_marked_arcs, graph_with_one_set,
    graphs_with_marked_states, random_graph, sparse_graph_with_one_set, sparse_graph_with_two_sets,
};
use events_support::Replayed;
use lariat_search::emptiness::{
    ALGORITHMS, Arc, Check, Colour, ExplicitProduct, Needs, Product, Search, is_accepting_lasso,
};
use lariat_search::{Event, Limits};
use lariat_store::{Offer, StateId};

const INITIAL: [&[usize]; 6] = [&[0], &[0, 1], &[2, 0], &[1, 2, 0], &[0, 0], &[]];

#[test]
fn every_check_is_listed_once() {
    assert_eq!(ALGORITHMS.len(), 15);
    let names: Vec<&str> = ALGORITHMS.iter().map(|description| description.name).collect();
    let expected = [
        "lasso", "cvwy", "cvwy-gen", "hpy", "gmz", "se", "and", "sd", "reach", "tarjan", "gv", "c99", "ascc",
        "tau", "streett",
    ];
    assert_eq!(names, expected);
    for description in ALGORITHMS {
        assert_eq!(description.check.description().name, description.name);
        assert_eq!(Check::by_name(description.name), Some(description.check));
        let does_with_marks = ["cvwy", "hpy", "se", "and", "sd"].contains(&description.name);
        assert_eq!(description.store == Offer::Visited, does_with_marks, "{}", description.name);
        assert!(!does_with_marks || description.numbers == 0, "{}", description.name);
    }
    assert_eq!(Check::by_name("spin"), None);
}

#[test]
fn all_graphs_up_to_three_states_with_marks_on_states() {
    let mut graphs = 0u32;
    let mut strengths = [0u32; 4];
    for n in 1..=3 {
        for initial in INITIAL.iter().filter(|initial| initial.iter().all(|&s| s < n)) {
            for graph in graphs_with_marked_states(n, initial) {
                strengths[graph.strength() as usize] += 1;
                agree(&graph);
                graphs += 1;
            }
        }
    }
    // 512 (1 + 8 + 64) graphs with three states, six choices of initial states; 16 (1 + 4 + 16), four; 2 (1 +
    // 2 + 4), three.
    assert_eq!(graphs, 224_256 + 1_344 + 42);
    assert!(strengths.iter().all(|&count| count > 1000), "{strengths:?}");
}

#[test]
fn all_graphs_up_to_two_states_with_marks_on_arcs() {
    for (n, sets) in [(1, 0), (1, 1), (1, 2), (2, 0), (2, 1), (2, 2), (2, 3), (3, 0), (3, 1)] {
        for number in 0..count_with_marked_arcs(n, sets) {
            for initial in [&[0][..], &[n - 1, 0]] {
                agree(&graph_with_marked_arcs(n, sets, number, initial));
            }
        }
    }
}

#[test]
fn parallel_arcs_with_different_marks() {
    // Between two states, in this order: nothing, one arc, two arcs.
    let choices: [&[u64]; 8] = [&[], &[0], &[1], &[2], &[3], &[0, 3], &[1, 2], &[2, 1]];
    for number in 0..8usize.pow(4) {
        let between =
            |s: usize, t: usize| choices[number >> (3 * (2 * s + t)) & 7].iter().map(move |&m| (t, m));
        let arcs = (0..2).map(|s| between(s, 0).chain(between(s, 1)).collect()).collect();
        agree(&Graph { sets: 2, initial: vec![0], arcs, states: None });
    }
}

#[test]
fn a_sample_of_graphs_with_three_states_with_marks_on_arcs() {
    let mut random = Random(3);
    for k in 0..300_000usize {
        let number = random.next() % count_with_marked_arcs(3, 2);
        agree(&graph_with_marked_arcs(3, 2, number, INITIAL[if k % 4 == 0 { 1 + k / 4 % 4 } else { 0 }]));
    }
}

#[test]
fn a_sample_of_graphs_with_four_states() {
    let mut random = Random(4);
    for _ in 0..50_000 {
        agree(&sparse_graph_with_one_set(4, &mut random));
        agree(&sparse_graph_with_two_sets(4, &mut random));
        agree(&graph_with_one_set(4, random.next() % (1 << 20)));
    }
}

#[test]
#[ignore = "a minute"]
fn all_graphs_with_four_states_with_one_set() {
    (0..1 << 20).for_each(|number| {
        agree(&graph_with_one_set(4, number));
    });
}

#[test]
#[ignore = "a minute"]
fn all_graphs_with_three_states_with_marks_on_arcs() {
    for number in 0..count_with_marked_arcs(3, 2) {
        agree(&graph_with_marked_arcs(3, 2, number, &[0]));
    }
}

fn random_graphs(seed: u64, count: usize) {
    let mut random = Random(seed);
    let (mut found, mut strengths) = (0, [0; 4]);
    for k in 0..count {
        let graph = random_graph(&mut random, if k % 3 == 0 { 10 } else { 60 });
        strengths[graph.strength() as usize] += 1;
        found += usize::from(agree(&graph)[0].1.lasso.is_some());
    }
    assert!(found > count / 4 && found < count * 3 / 4, "{found} of {count}");
    assert!(strengths.iter().all(|&of_this| of_this > count / 100), "{strengths:?}");
}

#[test]
fn random_graphs_with_up_to_sixty_states() {
    random_graphs(1, 20_000);
}

#[test]
#[ignore = "minutes"]
fn many_random_graphs_with_up_to_sixty_states() {
    random_graphs(2, 200_000);
}

#[test]
fn a_check_that_needs_more_than_the_graph_offers_is_not_run() {
    // 0 (accepting) → 1 → 0: not weak.
    let graph = Graph::with_marked_states(1, vec![0], vec![vec![1], vec![0]], vec![1, 0]);
    assert_eq!(graph.strength(), Needs::OneSet);
    assert!(agree(&graph).iter().all(|(check, _)| !matches!(check, Check::SimpleDfs | Check::Reachability)));
}

/// A product without sets whose states say that they do not accept: every cycle accepts all the same.
struct Unmarked(ExplicitProduct);

impl Product for Unmarked {
    type Marks = lariat_ltl::Marks;

    fn sets(&self) -> u32 {
        0
    }

    fn initial_states(&mut self, out: &mut Vec<StateId>) {
        self.0.initial_states(out);
    }

    fn post(&mut self, state: StateId, out: &mut Vec<Arc>) {
        self.0.post(state, out);
    }

    fn is_accepting(&self, _: StateId) -> bool {
        false
    }

    fn stored(&self) -> u64 {
        self.0.stored()
    }
}

#[test]
fn with_no_set_every_cycle_accepts() {
    for graph in graphs_with_marked_states(3, &[0]).filter(|graph| graph.sets == 0) {
        let mut product = Unmarked(graph.product());
        for description in ALGORITHMS {
            let lasso =
                description.check.run(&mut Search::new(&mut product, Limits::default(), None)).unwrap();
            assert_eq!(lasso.is_some(), graph.has_accepting_cycle(), "{} {graph:?}", description.name);
            assert!(lasso.is_none_or(|lasso| is_accepting_lasso(&mut product, &lasso).is_ok()));
        }
    }
}

/// What a listener hears of every check adds up to what the check has counted; the search for a lasso, which
/// is not counted, is not heard.
#[test]
fn what_a_check_tells_is_what_it_counts() {
    let mut random = Random(17);
    let mut found = [0; 2];
    for round in 0..2000 {
        let graph = match round % 2 {
            0 => sparse_graph_with_one_set(2 + round % 12, &mut random),
            _ => sparse_graph_with_two_sets(2 + round % 12, &mut random),
        };
        for check in emptiness_support::applicable(graph.strength()) {
            let name = check.description().name;
            let mut product = graph.product();
            let mut events: Vec<Event> = Vec::new();
            let mut search = Search::with_listener(&mut product, Limits::default(), None, &mut events);
            let lasso = check.run(&mut search).unwrap();
            let counts = search.counts();
            let heard = Replayed::of(&events);
            heard.agrees_with(&counts);
            assert_eq!(heard.met.len() as u64, counts.visited, "{name} {graph:?}");
            assert!(heard.arcs_looked_at >= counts.explored, "{name} {graph:?}");
            assert!(lasso.is_some() || heard.path.is_empty(), "{name}: what enters leaves");
            // It looks for a way back to each state, also through states that it comes to later.
            assert!(name == "lasso" || heard.expanded_unmet == 0, "{name} {graph:?}");
            assert!(lasso.is_some() || heard.nested.is_none(), "{name}: what begins is over");
            // As a stack of all states it is counted only where there is one.
            let has_stack = matches!(name, "tarjan" | "gv" | "ascc" | "streett");
            assert_eq!(
                if has_stack { heard.most_current } else { 0 },
                counts.stacks.active,
                "{name} {graph:?}"
            );
            assert_eq!(heard.most_roots, counts.stacks.roots, "{name} {graph:?}");
            let numbered = matches!(name, "tarjan" | "gv" | "c99" | "ascc" | "streett");
            assert_eq!(heard.numbers.len(), if numbered { heard.met.len() } else { 0 }, "{name} {graph:?}");
            assert!(
                lasso.is_some() || heard.current.is_empty() && heard.waiting.is_empty(),
                "{name} {graph:?}"
            );
            assert!(heard.nested.is_none() || !counts.found_nested || lasso.is_some(), "{name} {graph:?}");
            found[usize::from(lasso.is_some())] += 1;
            match name {
                // Every arc is explored once, and the path is the prefix, and what is left of the search.
                "ascc" => {
                    assert_eq!(heard.arcs_looked_at, counts.explored, "{graph:?}");
                    assert_eq!((heard.longest, heard.begun), (counts.stacks.states, 1), "{graph:?}");
                    if let Some(lasso) = lasso {
                        assert!(lasso.prefix.iter().zip(&heard.path).all(|(step, s)| step.state == *s));
                    }
                }
                // Every state that was met has a colour, red where a nested search was; the paths of both
                // searches are one stack.
                "cvwy" => {
                    assert!(heard.met.iter().all(|state| heard.colours.contains_key(state)), "{graph:?}");
                    assert_eq!(heard.longest, counts.depth, "{graph:?}");
                    if let Some(lasso) = lasso {
                        assert_eq!(heard.path.len(), lasso.prefix.len() + 1 + lasso.cycle.len());
                        let is_red = |state| heard.colours.get(state) == Some(&(Colour::Red as u8));
                        assert!(lasso.cycle.iter().all(|step| is_red(&step.state)), "{graph:?}");
                    }
                }
                _ => {}
            }
        }
    }
    assert!(found.iter().all(|&count| count > 1000), "{found:?}");
}
