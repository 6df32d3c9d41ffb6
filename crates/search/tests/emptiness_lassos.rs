//! The judge, shorter and shortest lassos, and the components of a product.

mod emptiness_support;

use emptiness_support::{
    Answer, Graph, Random, applicable, graphs_with_marked_states, random_graph, sparse_graph_with_one_set,
    sparse_graph_with_two_sets,
};
use lariat_search::Limits;
use lariat_search::emptiness::components::{
    ComponentCounts, StructuralEffects, count_components, for_each_component, structural_effects,
};
use lariat_search::emptiness::{
    Check, ExplicitProduct, Lasso, ProductStep, Search, is_accepting_lasso, shorten, shortest_lasso,
};
use lariat_store::StateId;

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

/// By closure: distances between all states, then the best of all choices.
fn shortest_by_closure(graph: &Graph) -> Option<usize> {
    const FAR: usize = 1 << 40;
    let n = graph.arcs.len();
    let mut distance = vec![vec![FAR; n]; n];
    for (s, arcs) in graph.arcs.iter().enumerate() {
        arcs.iter().for_each(|&(t, _)| distance[s][t] = 1);
    }
    for k in 0..n {
        for s in 0..n {
            for t in 0..n {
                distance[s][t] = distance[s][t].min(distance[s][k] + distance[k][t]);
            }
        }
    }
    let from_initial = |x: usize| {
        graph.initial.iter().map(|&i| if i == x { 0 } else { distance[i][x] }).min().unwrap_or(FAR)
    };
    let around = |x: usize, a: usize| if x == a { distance[a][a] } else { distance[x][a] + distance[a][x] };
    let accepting = (0..n).filter(|&a| graph.accepts(a));
    let sums =
        accepting.flat_map(|a| (0..n).map(move |x| (x, a))).map(|(x, a)| from_initial(x) + around(x, a));
    sums.min().filter(|&sum| sum < FAR)
}

#[test]
fn the_shortest_lasso_is_shortest() {
    let mut found = 0;
    for graph in graphs().filter(Graph::is_one_set) {
        let mut product = graph.product();
        let lasso = search(&mut product, shortest_lasso).unwrap();
        let length = lasso.as_ref().map(|lasso| lasso.prefix.len() + lasso.cycle.len());
        assert_eq!(length, shortest_by_closure(&graph), "{graph:?} {lasso:?}");
        if let Some(lasso) = lasso {
            assert_eq!(is_accepting_lasso(&mut product, &lasso), Ok(()), "{graph:?}");
            found += 1;
        }
    }
    assert!(found > 500, "{found}");
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
            assert_eq!(search.counts.post_calls, search.counts.visited);
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
