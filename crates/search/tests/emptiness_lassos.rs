//! The judge, shorter and shortest lassos, and the components of a product.

mod emptiness_support;

use emptiness_support::{
    Answer, Graph, Random, applicable, graphs_with_marked_states, random_graph, sparse_graph_with_one_set,
    sparse_graph_with_two_sets,
};
use lariat_search::emptiness::components::{
    ComponentCounts, StructuralEffects, count_components, for_each_component, structural_effects,
};
use lariat_search::emptiness::{
    Check, ExplicitProduct, Lasso, Length, ProductStep, Search, is_accepting_lasso, shorten, shortest_lasso,
};
use lariat_search::{Limits, StopReason};
use lariat_store::StateId;
use std::collections::BTreeSet;

fn step(state: u32, arc: u32) -> ProductStep {
    ProductStep { state: StateId(state), arc }
}

#[test]
fn the_judge_sees_every_mistake() {
    // 0 → 1; 1 → 2 (set 0), 1 → 1; 2 → 1 (set 1), 2 → 2 (set 1). State 2 is not initial.
    let arcs = vec![vec![(1, 0)], vec![(2, 1), (1, 0)], vec![(1, 2), (2, 2)]];
    let graph = Graph { sets: 2, initial: vec![0, 1], arcs, states: None };
    let mut product = graph.product();
    let mut judge = |prefix: &[(u32, u32)], cycle: &[(u32, u32)]| {
        let steps = |steps: &[(u32, u32)]| steps.iter().map(|&(state, arc)| step(state, arc)).collect();
        is_accepting_lasso(&mut product, &Lasso { prefix: steps(prefix), cycle: steps(cycle) })
    };
    assert_eq!(judge(&[(0, 0)], &[(1, 0), (2, 0)]), Ok(()));
    assert_eq!(judge(&[], &[(1, 0), (2, 0)]), Ok(()));
    assert_eq!(judge(&[(0, 0), (1, 0)], &[(2, 0), (1, 1), (1, 0), (2, 1)]), Ok(()));
    type Steps<'a> = &'a [(u32, u32)];
    let wrong: [(Steps, Steps, &str); 9] = [
        (&[(0, 0)], &[], "the cycle is empty"),
        (&[], &[(2, 0), (1, 0)], "state 2 is not initial"),
        (&[(2, 0)], &[(1, 0), (2, 0)], "state 2 is not initial"),
        (&[(0, 0)], &[(2, 0), (1, 0)], "the run is in state 1, the next step begins in state 2"),
        (&[(0, 1)], &[(1, 0), (2, 0)], "state 0 has 1 arcs, none with number 1"),
        (&[(0, 0)], &[(1, 0)], "the cycle begins in state 1 and ends in state 2"),
        (&[(0, 0)], &[(1, 1)], "the cycle does not meet set 0"),
        (&[(0, 0), (1, 0)], &[(2, 1)], "the cycle does not meet set 0"),
        (&[(0, 0)], &[(1, 0), (1, 0), (2, 0)], "the run is in state 2, the next step begins in state 1"),
    ];
    for (prefix, cycle, reason) in wrong {
        assert_eq!(judge(prefix, cycle), Err(reason.to_string()));
    }
}

fn search<R>(product: &mut ExplicitProduct, work: impl FnOnce(&mut Search<ExplicitProduct>) -> R) -> R {
    work(&mut Search::new(product, Limits::default(), None))
}

fn graphs() -> impl Iterator<Item = Graph> {
    let mut random = Random(11);
    let sampled = (0..3000).flat_map(move |_| {
        let big = [random_graph(&mut random, 40), random_graph(&mut random, 12)];
        let small = [sparse_graph_with_one_set(4, &mut random), sparse_graph_with_two_sets(5, &mut random)];
        big.into_iter().chain(small)
    });
    graphs_with_marked_states(3, &[0]).chain(sampled)
}

#[test]
fn shortened_lassos_are_accepting_and_not_longer() {
    let (mut shortened, mut lassos) = (0, 0);
    for graph in graphs() {
        let mut product = graph.product();
        for check in applicable(graph.strength()) {
            let Some(lasso) = Answer::of(check, &mut product).lasso else { continue };
            let shorter = search(&mut product, |search| shorten(search, &lasso, usize::MAX)).unwrap();
            assert_eq!(is_accepting_lasso(&mut product, &shorter), Ok(()));
            assert!(shorter.prefix.len() <= lasso.prefix.len() && shorter.cycle.len() <= lasso.cycle.len());
            let limited = search(&mut product, |search| shorten(search, &lasso, 2)).unwrap();
            assert_eq!(is_accepting_lasso(&mut product, &limited), Ok(()));
            assert!(limited.prefix.len() <= lasso.prefix.len() && limited.cycle.len() <= lasso.cycle.len());
            lassos += 1;
            shortened += u32::from(shorter != lasso);
        }
    }
    assert!(shortened > lassos / 20, "{shortened} of {lassos}");
}

/// All lassos, shorter ones first: from every state, which states with which marks are so many steps away.
fn shortest_by_brute_force(graph: &Graph) -> Option<usize> {
    let all = graph.all();
    let n = graph.arcs.len();
    let mut distance = vec![usize::MAX; n];
    let mut level: BTreeSet<usize> = graph.initial.iter().copied().collect();
    for steps in 0..=n {
        level.iter().for_each(|&s| distance[s] = distance[s].min(steps));
        level = level.iter().flat_map(|&s| graph.arcs[s].iter().map(|arc| arc.0)).collect();
    }
    let around = |entry: usize| {
        let mut level = BTreeSet::from([(entry, 0u64)]);
        let mut before = BTreeSet::new();
        for steps in 1.. {
            let step = |&(s, met): &(usize, u64)| {
                graph.arcs[s].iter().map(move |&(t, marks)| (t, met | marks)).collect::<Vec<_>>()
            };
            level = level.iter().flat_map(step).filter(|node| before.insert(*node)).collect();
            if level.contains(&(entry, all)) {
                return Some(steps);
            }
            if level.is_empty() {
                return None;
            }
        }
        None
    };
    let reachable = (0..n).filter(|&s| distance[s] < usize::MAX);
    reachable.filter_map(|entry| Some(distance[entry] + around(entry)?)).min()
}

#[test]
fn the_shortest_lasso_is_shortest() {
    let (mut found, mut several_sets) = (0, 0);
    for graph in graphs() {
        let mut product = graph.product();
        let known = Answer::of(Check::RootsAndActive, &mut product).lasso;
        let shortest = shortest_by_brute_force(&graph);
        assert_eq!(known.is_some(), shortest.is_some(), "{graph:?}");
        let Some(known) = known else { continue };
        let (lasso, length) = search(&mut product, |search| shortest_lasso(search, &known, u64::MAX));
        assert_eq!(is_accepting_lasso(&mut product, &lasso), Ok(()), "{graph:?}");
        assert_eq!(length, Length::Shortest);
        assert_eq!(Some(lasso.prefix.len() + lasso.cycle.len()), shortest, "{graph:?} {lasso:?}");
        found += 1;
        several_sets += u32::from(graph.sets > 1);
    }
    assert!(found > 5000 && several_sets > 1000, "{found}, {several_sets}");
}

#[test]
fn what_stands_still_ends_the_search_for_the_shortest() {
    // 0 → 1 → 2 → …, all without marks, and from 5 to a state that stands still.
    let n = 100_000;
    let mut arcs: Vec<Vec<(usize, u64)>> = (1..n).map(|s| vec![(s, 0)]).collect();
    arcs.push(vec![(n - 1, 3)]);
    arcs[5].push((n, 3));
    arcs.push(vec![(n, 3)]);
    let graph = Graph { sets: 2, initial: vec![0], arcs, states: None };
    let mut product = graph.product();
    let known = Answer::of(Check::RootsAndActive, &mut product).lasso.unwrap();
    let limits = Limits::default();
    let mut within = Search::new(&mut product, limits, None);
    let (lasso, length) = shortest_lasso(&mut within, &known, u64::MAX);
    assert_eq!((lasso.prefix.len(), lasso.cycle.len(), length), (6, 1, Length::Shortest));
}

#[test]
fn a_limit_ends_the_search_for_the_shortest() {
    let n = 10_000;
    let mut arcs: Vec<Vec<(usize, u64)>> = (0..n).map(|s| vec![((s + 1) % n, 0)]).collect();
    arcs[0][0].1 = 1;
    let graph = Graph { sets: 1, initial: vec![0], arcs, states: None };
    let mut product = graph.product();
    let known = Answer::of(Check::RootsAndActive, &mut product).lasso.unwrap();
    let limits = Limits { deadline: Some(std::time::Instant::now()), ..Limits::default() };
    let mut within = Search::new(&mut product, limits, None);
    let (lasso, length) = shortest_lasso(&mut within, &known, u64::MAX);
    assert_eq!((lasso, length), (known.clone(), Length::Stopped(StopReason::Timeout)));
    // Or an amount of work.
    let (lasso, length) = search(&mut product, |search| shortest_lasso(search, &known, 100));
    assert_eq!((lasso, length), (known, Length::Short));
}

#[test]
fn components_by_closure() {
    for graph in graphs() {
        let mut product = graph.product();
        let (reach, reachable) = (graph.reach(), graph.reachable());
        let inside = |s: usize, t: usize| s == t || reach[s] >> t & 1 == 1 && reach[t] >> s & 1 == 1;
        let mut seen = 0u64;
        let mut counts = ComponentCounts::default();
        search(&mut product, |search| {
            for_each_component(search, |component| {
                let first = component.states[0].index();
                let members = component.states.iter().fold(0u64, |set, s| set | 1 << s.index());
                let expected =
                    (0..graph.arcs.len()).filter(|&t| inside(first, t)).fold(0, |set, t| set | 1 << t);
                assert_eq!(members, expected, "{graph:?}");
                assert_eq!(members & seen, 0);
                // What a component leads to was shown before.
                assert!(
                    component.states.iter().all(|s| reach[s.index()] & !members & !seen == 0),
                    "{graph:?}"
                );
                seen |= members;
                let arcs = component.states.iter().flat_map(|s| &graph.arcs[s.index()]);
                let arcs: Vec<_> = arcs.filter(|(t, _)| members >> t & 1 == 1).collect();
                assert_eq!(component.cyclic, !arcs.is_empty());
                assert_eq!(
                    component.marks.0,
                    arcs.iter().fold(0, |all, (_, marks)| all | marks),
                    "{graph:?}"
                );
                let size = component.states.len() as u64;
                counts.components += 1;
                counts.states += size;
                counts.largest = counts.largest.max(size);
                counts.trivial += u64::from(arcs.is_empty());
                counts.self_loops += u64::from(size == 1 && !arcs.is_empty());
                counts.accepting += u64::from(!arcs.is_empty() && component.marks.0 == graph.all());
                *counts.sizes.entry(size).or_default() += 1;
            })
            .unwrap();
            assert_eq!(search.counts().post_calls, search.counts().visited);
        });
        assert_eq!(seen, reachable);
        assert_eq!(counts.accepting > 0, graph.has_accepting_cycle());
        assert_eq!(search(&mut product, count_components), Ok(counts));
    }
}

#[test]
fn structural_effects_by_closure() {
    let mut totals = [0u64; 4];
    for graph in graphs().filter(Graph::is_one_set) {
        let mut product = graph.product();
        let effects = search(&mut product, structural_effects).unwrap();
        let (reach, reachable) = (graph.reach(), graph.reachable());
        let states = || (0..graph.arcs.len()).filter(|s| reachable >> s & 1 == 1);
        let cyclic = |s: usize| reach[s] >> s & 1 == 1;
        let accepting_trivial = states().filter(|&s| graph.accepts(s) && !cyclic(s)).count() as u64;
        let leads = |a: usize, s: usize| a == s || reach[a] >> s & 1 == 1;
        let alone = |s: usize| !states().any(|a| graph.accepts(a) && leads(a, s));
        // Counted at the state of the component with the smallest number.
        let first = |s: usize| !(0..s).any(|t| leads(s, t) && leads(t, s));
        let answer = Answer::of(Check::NestedDfsColours, &mut product);
        let expected = StructuralEffects {
            accepting_trivial,
            not_preceded_by_accepting: states().filter(|&s| alone(s) && first(s)).count() as u64,
            not_preceded_by_accepting_cyclic: states().filter(|&s| alone(s) && first(s) && cyclic(s)).count()
                as u64,
            found_only_nested: answer.lasso.is_some() && answer.counts.found_nested,
        };
        assert_eq!(effects, expected, "{graph:?}");
        totals[0] += effects.accepting_trivial;
        totals[1] += effects.not_preceded_by_accepting;
        totals[2] += effects.not_preceded_by_accepting_cyclic;
        totals[3] += u64::from(effects.found_only_nested);
    }
    assert!(totals.iter().all(|&total| total > 10), "{totals:?}");
}
