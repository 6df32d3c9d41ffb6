//! Graphs for the tests of the emptiness checks: all small ones, and random ones from a seed.
#![allow(dead_code)]

use lariat_ltl::Marks;
use lariat_search::emptiness::{
    ALGORITHMS, Arc, Check, ExplicitProduct, Lasso, Needs, Search, is_accepting_lasso,
};
use lariat_search::{Counts, Limits};
use lariat_store::StateId;

/// Arcs as (target, marks).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    pub sets: u32,
    pub initial: Vec<usize>,
    pub arcs: Vec<Vec<(usize, u64)>>,
    /// Acceptance is on states: what each accepts.
    pub states: Option<Vec<u64>>,
}

impl Graph {
    pub fn all(&self) -> u64 {
        (1 << self.sets) - 1
    }

    pub fn with_marked_states(
        sets: u32,
        initial: Vec<usize>,
        targets: Vec<Vec<usize>>,
        states: Vec<u64>,
    ) -> Graph {
        let arcs = targets
            .iter()
            .zip(&states)
            .map(|(targets, &marks)| targets.iter().map(|&to| (to, marks)).collect())
            .collect();
        Graph { sets, initial, arcs, states: Some(states) }
    }

    pub fn product(&self) -> ExplicitProduct {
        let initial = self.initial.iter().map(|&s| StateId(s as u32)).collect();
        if let Some(states) = &self.states {
            let targets: Vec<Vec<StateId>> = self
                .arcs
                .iter()
                .map(|arcs| arcs.iter().map(|&(to, _)| StateId(to as u32)).collect())
                .collect();
            let marks: Vec<Marks> = states.iter().map(|&marks| Marks(marks)).collect();
            return ExplicitProduct::with_marked_states(self.sets, initial, &targets, &marks);
        }
        let arc = |&(to, marks): &(usize, u64)| Arc { to: StateId(to as u32), marks: Marks(marks) };
        ExplicitProduct::new(
            self.sets,
            initial,
            self.arcs.iter().map(|arcs| arcs.iter().map(arc).collect()).collect(),
        )
    }

    pub fn accepts(&self, state: usize) -> bool {
        self.sets == 0 || self.states.as_ref().is_some_and(|states| states[state] == self.all())
    }

    pub fn is_one_set(&self) -> bool {
        self.sets <= 1 && self.states.is_some()
    }

    /// Which states each state reaches over at least one arc. At most 64 states.
    pub fn reach(&self) -> Vec<u64> {
        let mut reach: Vec<u64> =
            self.arcs.iter().map(|arcs| arcs.iter().fold(0, |set, &(to, _)| set | 1 << to)).collect();
        for k in 0..reach.len() {
            for s in 0..reach.len() {
                if reach[s] >> k & 1 == 1 {
                    reach[s] |= reach[k];
                }
            }
        }
        reach
    }

    pub fn reachable(&self) -> u64 {
        let reach = self.reach();
        self.initial.iter().fold(0, |set, &s| set | 1 << s | reach[s])
    }

    /// What the graph is good for, beyond one set.
    pub fn strength(&self) -> Needs {
        if !self.is_one_set() {
            return Needs::AnySets;
        }
        let (reach, reachable) = (self.reach(), self.reachable());
        let states = || (0..self.arcs.len()).filter(|s| reachable >> s & 1 == 1);
        let same = |s: usize, t: usize| reach[s] >> t & 1 == 1 && reach[t] >> s & 1 == 1;
        if states().any(|s| states().any(|t| same(s, t) && self.accepts(s) != self.accepts(t))) {
            return Needs::OneSet;
        }
        let closed = |s: usize| !self.accepts(s) || self.arcs[s].iter().all(|&(to, _)| self.accepts(to));
        if states().all(closed) { Needs::Terminal } else { Needs::Weak }
    }

    /// The answer, by closure: some component meets every set.
    pub fn has_accepting_cycle(&self) -> bool {
        self.on_accepting_cycles() & self.reachable() != 0
    }

    /// States of components that meet every set, as bits.
    pub fn on_accepting_cycles(&self) -> u64 {
        let reach = self.reach();
        let meets_all = |s: usize| {
            let inside = |t: usize| t == s || reach[s] >> t & 1 == 1 && reach[t] >> s & 1 == 1;
            let sources = (0..self.arcs.len()).filter(|&t| inside(t));
            let marks = sources.flat_map(|t| &self.arcs[t]).filter(|&&(to, _)| inside(to));
            reach[s] >> s & 1 == 1 && marks.fold(0, |all, &(_, marks)| all | marks) == self.all()
        };
        (0..self.arcs.len()).filter(|&s| meets_all(s)).fold(0, |set, s| set | 1 << s)
    }
}

pub struct Answer {
    pub lasso: Option<Lasso>,
    pub counts: Counts,
}

impl Answer {
    pub fn of(check: Check, product: &mut ExplicitProduct) -> Answer {
        let mut search = Search::new(product, Limits::default(), None);
        let lasso = check.run(&mut search).expect("there are no limits");
        Answer { lasso, counts: search.counts() }
    }
}

/// The checks that are good for a graph.
pub fn applicable(strength: Needs) -> impl Iterator<Item = Check> {
    ALGORITHMS
        .iter()
        .filter(move |description| description.needs <= strength)
        .map(|description| description.check)
}

/// Runs every check that applies: verdicts agree with `expected`, lassos are judged, bounds hold. The answers
/// in the order of [`ALGORITHMS`].
pub fn agree(graph: &Graph) -> Vec<(Check, Answer)> {
    let (expected, strength) = (graph.has_accepting_cycle(), graph.strength());
    let mut product = graph.product();
    let mut answers = Vec::new();
    for check in applicable(strength) {
        let name = check.description().name;
        let answer = Answer::of(check, &mut product);
        assert_eq!(answer.lasso.is_some(), expected, "{name} on {graph:?}");
        if let Some(lasso) = &answer.lasso
            && let Err(reason) = is_accepting_lasso(&mut product, lasso)
        {
            panic!("{name} on {graph:?}: {lasso:?}: {reason}");
        }
        let counts = answer.counts;
        if let Some(posts) = check.description().posts {
            let most = u64::from(posts.at(graph.sets)) * counts.visited;
            assert!(counts.post_calls <= most, "{name} on {graph:?}: {counts:?}");
        }
        let reachable = u64::from(graph.reachable().count_ones());
        assert!(counts.visited <= reachable, "{name} on {graph:?}: {counts:?}");
        assert!(expected || counts.visited == reachable, "{name} on {graph:?}: {counts:?}");
        assert!(
            counts.depth <= 2 * reachable * u64::from(graph.sets.max(1)),
            "{name} on {graph:?}: {counts:?}"
        );
        assert!(
            counts.stacks.roots <= counts.depth && counts.stacks.active <= counts.visited,
            "{name} on {graph:?}: {counts:?}"
        );
        answers.push((check, answer));
    }
    answers
}

/// splitmix64.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    }

    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }
}

/// All graphs with `n` states and marks on states: every set of arcs, every choice of 0, 1 and 2 sets, with
/// these initial states.
pub fn graphs_with_marked_states(n: usize, initial: &[usize]) -> impl Iterator<Item = Graph> {
    let initial = initial.to_vec();
    (0..1u64 << (n * n)).flat_map(move |arcs| {
        let targets: Vec<Vec<usize>> =
            (0..n).map(|s| (0..n).filter(|t| arcs >> (s * n + t) & 1 == 1).collect()).collect();
        let initial = initial.clone();
        (0..=2u32).flat_map(move |sets| {
            let (targets, initial) = (targets.clone(), initial.clone());
            (0..1u64 << (n as u32 * sets)).map(move |marks| {
                let of = |s: usize| marks >> (s as u32 * sets) & ((1 << sets) - 1);
                Graph::with_marked_states(sets, initial.clone(), targets.clone(), (0..n).map(of).collect())
            })
        })
    })
}

/// How many graphs with `n` states there are with marks on arcs, at most one arc from a state to another.
pub fn count_with_marked_arcs(n: usize, sets: u32) -> u64 {
    ((1 << sets) + 1u64).pow((n * n) as u32)
}

/// One of them.
pub fn graph_with_marked_arcs(n: usize, sets: u32, mut number: u64, initial: &[usize]) -> Graph {
    let choices = (1 << sets) + 1u64;
    let mut arcs = vec![Vec::new(); n];
    for place in 0..n * n {
        let choice = number % choices;
        number /= choices;
        if choice > 0 {
            arcs[place / n].push((place % n, choice - 1));
        }
    }
    Graph { sets, initial: initial.to_vec(), arcs, states: None }
}

/// One of the graphs with `n` states, at most four, with one set on states: 2^(n² + n) of them.
pub fn graph_with_one_set(n: usize, number: u64) -> Graph {
    let targets = (0..n).map(|s| (0..n).filter(|t| number >> (s * n + t) & 1 == 1).collect()).collect();
    let accepting = (0..n).map(|s| number >> (n * n + s) & 1).collect();
    Graph::with_marked_states(1, vec![0], targets, accepting)
}

/// One of those with about two arcs per state, rather than every other arc.
pub fn sparse_graph_with_one_set(n: usize, random: &mut Random) -> Graph {
    let arcs = random.next() & (random.next() | random.next() & random.next());
    let accepting = random.next() & random.next();
    let below = |bits: u64, width: usize| bits & ((1 << width) - 1);
    graph_with_one_set(n, below(arcs, n * n) | below(accepting, n) << (n * n))
}

/// A graph with two sets on arcs, about one arc in three there, and one of those in three marked.
pub fn sparse_graph_with_two_sets(n: usize, random: &mut Random) -> Graph {
    let mut arcs = vec![Vec::new(); n];
    for place in 0..n * n {
        if random.below(3) == 0 {
            arcs[place / n].push((place % n, [0, 0, 0, 0, 1, 2][random.below(6)]));
        }
    }
    Graph { sets: 2, initial: vec![0], arcs, states: None }
}

/// A random graph; parallel arcs and self-loops happen.
pub fn random_graph(random: &mut Random, most_states: usize) -> Graph {
    let n = 1 + random.below(most_states);
    let sets = [0, 1, 1, 1, 1, 2, 2, 3, 4][random.below(9)];
    let on_states = random.below(3) > 0;
    // From trees with a few arcs more to dense graphs; marks from rare to frequent.
    let arcs_per_state = [1, 2, 3, 5][random.below(4)];
    let rarity = [1, 2, 5, 20, 60][random.below(5)];
    // Some graphs lead mainly forward: many components.
    let forward = random.below(3);
    let mark = |random: &mut Random| {
        (0..sets).fold(0u64, |marks, set| marks | u64::from(random.below(rarity) == 0) << set)
    };
    let target = |random: &mut Random, s: usize| match random.below(10) {
        0 if forward > 0 => random.below(n),
        1 if forward == 2 => s,
        _ if forward > 0 => s + random.below(n - s),
        _ => random.below(n),
    };
    let initial: Vec<usize> =
        (0..1 + random.below(3)).map(|k| if k == 0 { 0 } else { random.below(n) }).collect();
    let targets: Vec<Vec<usize>> = (0..n)
        .map(|s| {
            let arcs = random.below(2 * arcs_per_state + 1);
            (0..arcs).map(|_| target(random, s)).collect()
        })
        .collect();
    if on_states {
        let mut marks: Vec<u64> = (0..n).map(|_| mark(random)).collect();
        // Often weak: whole components by number of the state.
        if random.below(2) == 0 {
            let width = 1 + random.below(8);
            marks = (0..n).map(|s| marks[s / width * width]).collect();
        }
        return Graph::with_marked_states(sets, initial, targets, marks);
    }
    let arcs = targets.iter().map(|targets| targets.iter().map(|&to| (to, mark(random))).collect()).collect();
    Graph { sets, initial, arcs, states: None }
}
