//! What the papers say about one check compared with another, on all small graphs and on random ones.
//!
//! "The same exploration" is: the same number of states visited and of arcs taken by the outer search. All
//! follow the same order, so it is the same states, and the same arc is the last.

mod emptiness_support;

use emptiness_support::{
    Answer, Graph, Random, agree, applicable, graphs_with_marked_states, random_graph,
    sparse_graph_with_two_sets,
};
use lariat_search::emptiness::{ALGORITHMS, Arc, Check, ExplicitProduct, Needs, Product, Search};
use lariat_search::{Counts, Limits};
use lariat_store::StateId;

/// The counts of a check among the answers.
struct Compared<'a>(&'a Graph, Vec<(Check, Answer)>);

impl Compared<'_> {
    fn counts(&self, name: &str) -> Counts {
        let check = Check::by_name(name).unwrap();
        let found = self.1.iter().find(|(other, _)| *other == check);
        found.unwrap_or_else(|| panic!("{name} was not run on {:?}", self.0)).1.counts
    }

    fn exploration(&self, name: &str) -> (u64, u64) {
        let counts = self.counts(name);
        (counts.visited, counts.explored)
    }
}

/// Products with one set on states: all with up to three states, and random ones.
fn for_each_one_set_product(mut each: impl FnMut(&Compared)) {
    let small = (1..=3).flat_map(|n| graphs_with_marked_states(n, &[0]));
    let several = graphs_with_marked_states(3, &[1, 0]);
    let mut random = Random(77);
    let random = (0..12_000).map(move |_| random_graph(&mut random, 40));
    for graph in small.chain(several).chain(random).filter(Graph::is_one_set) {
        let answers = agree(&graph);
        each(&Compared(&graph, answers));
    }
}

#[test]
fn checks_by_components_with_early_detection_explore_the_same() {
    for_each_one_set_product(|compared| {
        let least = compared.exploration("gv");
        assert_eq!(compared.exploration("ascc"), least, "{:?}", compared.0);
        assert_eq!(compared.exploration("c99"), least, "{:?}", compared.0);
        assert_eq!(compared.counts("ascc").stacks.roots, compared.counts("c99").stacks.roots);
        assert_eq!(compared.counts("ascc").stacks.active, compared.counts("gv").stacks.active);
        assert_eq!(compared.counts("ascc").depth, compared.counts("gv").depth);
    });
    // With several sets too, without gv.
    let mut random = Random(78);
    for _ in 0..5000 {
        let graph = random_graph(&mut random, 40);
        let compared = Compared(&graph, agree(&graph));
        assert_eq!(compared.exploration("ascc"), compared.exploration("c99"), "{graph:?}");
    }
}

#[test]
fn no_check_for_one_set_explores_less_than_gv() {
    let mut less_by_reach = 0;
    for_each_one_set_product(|compared| {
        let least = compared.counts("gv");
        for (check, answer) in &compared.1 {
            let (name, counts) = (check.description().name, answer.counts);
            if *check == Check::Reachability {
                // It does not look behind an accepting state.
                less_by_reach += u32::from(counts.transitions < least.transitions);
                continue;
            }
            // `lasso` counts the arcs of its inner searches as transitions only.
            assert!(counts.transitions >= least.transitions, "{name} {:?}", compared.0);
            if *check != Check::NaiveLasso {
                assert!(counts.explored >= least.explored, "{name} {:?}", compared.0);
                assert!(counts.visited >= least.visited, "{name} {:?}", compared.0);
            }
        }
    });
    assert!(less_by_reach > 0);
}

#[test]
fn post_is_called_as_often_as_the_papers_say() {
    for_each_one_set_product(|compared| {
        for name in ["gv", "ascc", "tarjan"] {
            let counts = compared.counts(name);
            assert_eq!(counts.post_calls, counts.visited, "{name} {:?}", compared.0);
        }
        // Without an accepting cycle c99 looks at everything twice, gmz at least twice.
        let empty = compared.1[0].1.lasso.is_none();
        if empty {
            let counts = compared.counts("c99");
            assert_eq!(counts.post_calls, 2 * counts.visited);
            assert_eq!(counts.transitions, 2 * compared.counts("gv").transitions);
            assert!(compared.counts("gmz").transitions >= counts.transitions);
            assert!(compared.counts("hpy").transitions <= counts.transitions);
            assert_eq!(compared.counts("hpy").transitions, compared.counts("cvwy").transitions);
            assert_eq!(compared.counts("hpy").transitions, compared.counts("se").transitions);
        }
    });
}

#[test]
fn on_weak_products_a_simple_search_is_enough() {
    let (mut weak, mut found, mut and_idle) = (0, 0, 0);
    for_each_one_set_product(|compared| {
        if compared.0.strength() < Needs::Weak {
            return;
        }
        weak += 1;
        found += u32::from(compared.1[0].1.lasso.is_some());
        let least = compared.exploration("gv");
        for name in ["se", "and", "sd", "c99", "ascc"] {
            assert_eq!(compared.exploration(name), least, "{name} {:?}", compared.0);
        }
        let (sd, and) = (compared.counts("sd"), compared.counts("and"));
        for name in ["se", "and"] {
            assert!(!compared.counts(name).found_nested, "{name} {:?}", compared.0);
        }
        assert_eq!((sd.post_calls, sd.transitions), (sd.visited, compared.counts("gv").transitions));
        if and.post_calls == and.visited {
            and_idle += 1;
            assert_eq!(and.transitions, sd.transitions, "{:?}", compared.0);
        } else {
            assert!(and.post_calls > sd.post_calls && and.transitions >= sd.transitions);
        }
    });
    assert!(weak > 2000 && found > 500 && and_idle > weak / 2, "{weak} {found} {and_idle}");
}

#[test]
fn nested_searches_compared() {
    let (mut graphs, mut fewer_by_and, mut fewer_by_se) = (0u32, 0u32, 0u32);
    for_each_one_set_product(|compared| {
        graphs += 1;
        let (se, and, hpy) = (compared.counts("se"), compared.counts("and"), compared.counts("hpy"));
        // What `and` makes red earlier, a nested search of `se` enters in vain.
        assert!(and.transitions <= se.transitions, "{:?}", compared.0);
        assert_eq!((and.visited, and.explored), (se.visited, se.explored), "{:?}", compared.0);
        assert!(se.transitions <= hpy.transitions, "{:?}", compared.0);
        assert!(hpy.transitions <= compared.counts("cvwy").transitions, "{:?}", compared.0);
        assert!(se.transitions <= compared.counts("gmz").transitions, "{:?}", compared.0);
        fewer_by_and += u32::from(and.transitions < se.transitions);
        fewer_by_se += u32::from(se.transitions < hpy.transitions);
        // Only the nested search of hpy and cvwy reports anything.
        let found = compared.1[0].1.lasso.is_some();
        assert_eq!((hpy.found_nested, compared.counts("cvwy").found_nested), (found, found));
    });
    assert!(fewer_by_and > 100 && fewer_by_se > 100, "{graphs} {fewer_by_and} {fewer_by_se}");
}

/// Counts the calls of `post` for each state.
struct Counting {
    product: ExplicitProduct,
    posts: Vec<u32>,
}

impl Product for Counting {
    type Marks = lariat_ltl::Marks;

    fn sets(&self) -> u32 {
        self.product.sets()
    }

    fn initial_states(&mut self, out: &mut Vec<StateId>) {
        self.product.initial_states(out);
    }

    fn post(&mut self, state: StateId, out: &mut Vec<Arc>) {
        self.posts[state.index()] += 1;
        self.product.post(state, out);
    }

    fn is_accepting(&self, state: StateId) -> bool {
        self.product.is_accepting(state)
    }

    fn stored(&self) -> u64 {
        self.product.stored()
    }
}

/// The bounds of the table hold for every single state, and are met.
#[test]
fn the_bounds_on_post_hold_for_every_state_and_are_tight() {
    let mut random = Random(79);
    let mut most = vec![[0u32; 5]; ALGORITHMS.len()];
    let sampled = (0..20_000).map(|k| match k % 3 {
        0 => random_graph(&mut random, 25),
        1 => random_graph(&mut random, 8),
        _ => sparse_graph_with_two_sets(5, &mut random),
    });
    for graph in
        graphs_with_marked_states(3, &[0]).chain(sampled).filter(|graph| !graph.has_accepting_cycle())
    {
        for check in applicable(graph.strength()) {
            let description = check.description();
            // The searches of `lasso` have no bound, and the one of `reach` for a cycle is not counted.
            let Some(posts) = description.posts.filter(|_| check != Check::Reachability) else { continue };
            let mut counting = Counting { product: graph.product(), posts: vec![0; graph.arcs.len()] };
            assert_eq!(check.run(&mut Search::new(&mut counting, Limits::default(), None)), Ok(None));
            let here = counting.posts.iter().copied().max().unwrap_or(0);
            assert!(here <= posts.at(graph.sets), "{} {here} {graph:?}", description.name);
            let place = ALGORITHMS.iter().position(|other| other.check == check).unwrap();
            let known = &mut most[place][graph.sets as usize];
            *known = here.max(*known);
        }
    }
    // And they are tight: some state needs so many.
    for (description, most) in ALGORITHMS.iter().zip(&most) {
        let Some(posts) = description.posts.filter(|_| description.check != Check::Reachability) else {
            continue;
        };
        let sets = if description.needs == Needs::AnySets { 1..=4 } else { 1..=1 };
        for sets in sets {
            assert_eq!(most[sets as usize], posts.at(sets), "{} {sets}", description.name);
        }
    }
}

/// A graph with one set on states, followed by a chain of 50 states that `to_chain` leads to.
fn with_chain(mut targets: Vec<Vec<usize>>, accepting: &[usize], to_chain: usize) -> Graph {
    let first = targets.len();
    targets[to_chain].push(first);
    targets.extend((first..first + 49).map(|s| vec![s + 1]));
    targets.push(Vec::new());
    let marks = (0..targets.len()).map(|s| u64::from(accepting.contains(&s))).collect();
    Graph::with_marked_states(1, vec![0], targets, marks)
}

/// The examples of Schwoon and Esparza 2005.
#[test]
fn the_figures_of_schwoon_and_esparza() {
    let compare = |graph: &Graph, names: &[&str]| {
        let compared = Compared(graph, agree(graph));
        names.iter().map(|name| compared.counts(name)).collect::<Vec<_>>()
    };
    let two =
        |accepting: &[u64]| Graph::with_marked_states(1, vec![0], vec![vec![1], vec![0]], accepting.to_vec());
    // Fig. 2 (a): the nested search from 1 is at its end in 0 already.
    let counts = compare(&two(&[0, 1]), &["cvwy", "hpy", "se"]);
    assert_eq!(counts.iter().map(|counts| counts.transitions).collect::<Vec<_>>(), [4, 3, 2]);
    // Fig. 2 (b): the arc back to 0, which accepts, is enough.
    let counts = compare(&two(&[1, 0]), &["cvwy", "hpy", "gmz", "se"]);
    assert_eq!(counts.iter().map(|counts| counts.transitions).collect::<Vec<_>>(), [4, 4, 2, 2]);
    assert_eq!(
        counts.iter().map(|counts| counts.found_nested).collect::<Vec<_>>(),
        [true, true, false, false]
    );
    // Fig. 4: a nested search is done before the chain begins; Tarjan's algorithm sees all of it.
    let graph = with_chain(vec![vec![1], vec![0]], &[1], 0);
    let counts = compare(&graph, &["cvwy", "hpy", "se", "gv", "tarjan"]);
    assert_eq!(counts.iter().map(|counts| counts.visited).collect::<Vec<_>>(), [2, 2, 2, 2, 52]);
    // Fig. 6: the way back from 1, which accepts, leads over others to 0, which does not, and the chain comes
    // after it.
    let graph = with_chain(vec![vec![1], vec![2], vec![3], vec![0]], &[1], 1);
    let counts = compare(&graph, &["gv", "c99", "ascc", "cvwy", "hpy", "gmz", "se", "and"]);
    let visited: Vec<_> = counts.iter().map(|counts| counts.visited).collect();
    assert_eq!(visited, [4, 4, 4, 54, 54, 54, 54, 54]);
}

/// The structural effects of Gaiser and Schwoon 2009, §5, one by one.
#[test]
fn the_effects_of_gaiser_and_schwoon() {
    let transitions = |graph: &Graph, name: &str| Compared(graph, agree(graph)).counts(name).transitions;
    // A chain of accepting trivial components: gv, sd and and look once; se, hpy and c99 twice.
    let everyone: Vec<usize> = (0..52).collect();
    let graph = with_chain(vec![vec![1], vec![]], &everyone, 1);
    for (name, times) in [("gv", 1), ("sd", 1), ("and", 1), ("ascc", 1), ("se", 2), ("hpy", 2), ("c99", 2)] {
        assert_eq!(transitions(&graph, name), times * 51, "{name}");
    }
    // Nobody accepts: only c99 looks twice (and gmz, always).
    let graph = with_chain(vec![vec![1], vec![]], &[], 1);
    for (name, times) in [("gv", 1), ("sd", 1), ("and", 1), ("se", 1), ("hpy", 1), ("c99", 2), ("gmz", 2)] {
        assert_eq!(transitions(&graph, name), times * 51, "{name}");
    }
    // An accepting cycle that the outer search sees, long before hpy begins its nested one.
    let graph = with_chain(vec![vec![1], vec![0]], &[0], 0);
    for (name, transitions_there) in [("gv", 3), ("se", 3), ("and", 3), ("hpy", 2 + 1 + 49 + 2 + 1)] {
        assert_eq!(transitions(&graph, name), transitions_there, "{name}");
    }
}
