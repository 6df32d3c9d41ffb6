//! Random graphs as models in Rust, random formulas, and an oracle that shares nothing with the searches.
//!
//! The oracle is the tableau of the textbooks, over states that guess: a node is a state of the graph with a
//! guess, for each temporal subformula, whether it is true from here on. Guesses must agree with the next
//! ones by the law of the operator (`F a = a | X F a`), and none may be put off for ever. A run that
//! satisfies the formula exists if and only if such nodes lead to a component that puts nothing off.
//!
//! Fairness is judged by its definition on the same nodes. Weak and unconditional: a component in which every
//! unit gets what it is owed. Strong: for every set of units that may be enabled no more, a component without
//! the states in which one of them is, in which all others take part.

#![allow(dead_code, reason = "each of the tests needs a part of it")]

use lariat::{Fairness, FiniteRuns, Model, Propositions};
use lariat_ltl::formula::Node;
use lariat_ltl::parse::{Dialect, parse};
use lariat_ltl::{Formula, Formulas};
use lariat_source::SourceMap;

/// Xorshift: enough for tests, the same everywhere.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
    }

    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }
}

/// A graph in which `a` and `b` are true in some states.
#[derive(Clone, Debug)]
pub struct Graph {
    pub initial: Vec<usize>,
    pub arcs: Vec<Vec<usize>>,
    pub a: Vec<bool>,
    pub b: Vec<bool>,
}

impl Model for Graph {
    type State = usize;
    type Action = (usize, usize);

    fn initial_states(&self) -> Vec<usize> {
        self.initial.clone()
    }

    fn successors(&self, state: &usize, out: &mut Vec<((usize, usize), usize)>) {
        out.extend(self.arcs[*state].iter().map(|&to| ((*state, to), to)));
    }

    fn propositions<'m>(&'m self, named: &mut Propositions<'m, usize>) {
        named.add("a", |&state| self.a[state]);
        named.add("b", |&state| self.b[state]);
    }
}

pub fn random_graph(random: &mut Random) -> Graph {
    let n = 1 + random.below(5);
    let initial = (0..1 + random.below(3)).map(|_| random.below(n)).collect();
    let arcs = (0..n).map(|_| (0..random.below(4)).map(|_| random.below(n)).collect()).collect();
    let mut bits = || (0..n).map(|_| random.below(2) == 0).collect();
    Graph { initial, arcs, a: bits(), b: bits() }
}

/// The text of a formula with at most so many temporal operators.
pub fn random_formula(random: &mut Random, temporal: usize) -> String {
    const ATOMS: [&str; 6] = ["a", "b", "!a", "!b", "deadlock", "true"];
    if random.below(5) == 0 || temporal == 0 && random.below(2) == 0 {
        return ATOMS[random.below(ATOMS.len())].to_string();
    }
    if temporal == 0 {
        let operator = ["&", "|", "->", "<->", "xor"][random.below(5)];
        let (left, right) = (random.below(4), random.below(4));
        return format!("({} {operator} {})", ATOMS[left], ATOMS[right]);
    }
    if random.below(2) == 0 {
        let operator = ["X", "F", "G", "!"][random.below(4)];
        let left = temporal - usize::from(operator != "!");
        return format!("{operator} ({})", random_formula(random, left));
    }
    let operator = ["U", "W", "R", "M", "&", "|", "->", "<->", "xor"][random.below(9)];
    let left = temporal - usize::from(operator.len() == 1 && operator.starts_with(char::is_alphabetic));
    let of_left = random.below(left + 1);
    let (one, two) = (random_formula(random, of_left), random_formula(random, left - of_left));
    format!("(({one}) {operator} ({two}))")
}

pub fn read(text: &str) -> (Formulas, Formula) {
    let mut sources = SourceMap::new();
    let file = sources.add("f", "", text.to_string());
    let tree = parse(&sources, file, Dialect::Spot).tree.unwrap_or_else(|| panic!("{text}"));
    let mut formulas = Formulas::new();
    let formula = tree.to_formula(&mut formulas);
    (formulas, formula)
}

/// Whether some run of the graph satisfies the formula.
pub fn some_run_satisfies(graph: &Graph, text: &str, finite_runs: FiniteRuns) -> bool {
    let units: Vec<Vec<u32>> = graph.arcs.iter().map(|arcs| vec![0; arcs.len()]).collect();
    some_fair_run_satisfies(graph, text, finite_runs, Fair { units: &units, count: 0, fairness: None })
}

/// To whom runs must be fair.
#[derive(Clone, Copy)]
pub struct Fair<'a> {
    /// For each arc of the graph: who takes part, as bits.
    pub units: &'a [Vec<u32>],
    /// So many units there are.
    pub count: u32,
    /// In which way; not at all if there is none.
    pub fairness: Option<Fairness>,
}

/// Whether some run of the graph is fair and satisfies the formula.
pub fn some_fair_run_satisfies(graph: &Graph, text: &str, finite_runs: FiniteRuns, fair: Fair) -> bool {
    let (formulas, formula) = read(text);
    let mut parts = vec![formula];
    let mut k = 0;
    while k < parts.len() {
        formulas.node(parts[k]).each_child(|child| parts.push(child));
        k += 1;
    }
    parts.sort_unstable();
    parts.dedup();
    Oracle { graph, formulas: &formulas, parts, finite_runs, fair }.some_run_from(formula)
}

struct Oracle<'a> {
    graph: &'a Graph,
    formulas: &'a Formulas,
    /// All subformulas, operands first.
    parts: Vec<Formula>,
    finite_runs: FiniteRuns,
    fair: Fair<'a>,
}

/// A state of the graph, and which subformulas are true from here on.
struct Guess {
    state: usize,
    values: Vec<bool>,
}

impl Oracle<'_> {
    fn some_run_from(&self, formula: Formula) -> bool {
        let nodes = self.guesses();
        let arcs: Vec<Vec<usize>> = nodes
            .iter()
            .map(|one| (0..nodes.len()).filter(|&two| self.follows(one, &nodes[two])).collect())
            .collect();
        let starts = (0..nodes.len()).filter(|&k| {
            self.graph.initial.contains(&nodes[k].state) && self.value(&nodes[k].values, formula)
        });
        let mut reachable = vec![false; nodes.len()];
        for start in starts {
            reachable[start] = true;
            reached(&arcs, start).iter().zip(&mut reachable).for_each(|(there, known)| *known |= there);
        }
        let fair_to_all = (1 << self.fair.count) - 1;
        let disabled_for_ever = match self.fair.fairness {
            Some(Fairness::Strong) => 0..=fair_to_all,
            _ => 0..=0,
        };
        disabled_for_ever.into_iter().any(|disabled| {
            let is_left = |k: &usize| reachable[*k] && self.enabled(nodes[*k].state) & disabled == 0;
            let left: Vec<Vec<usize>> = (0..nodes.len())
                .map(|k| arcs[k].iter().copied().filter(|to| is_left(&k) && is_left(to)).collect())
                .collect();
            let inside: Vec<Vec<bool>> = (0..nodes.len()).map(|start| reached(&left, start)).collect();
            let is_good = |k: usize| {
                let component: Vec<usize> =
                    (0..nodes.len()).filter(|&o| inside[k][o] && inside[o][k]).collect();
                let fulfilled =
                    |part: &Formula| component.iter().any(|&o| self.not_put_off(&nodes[o].values, *part));
                !component.is_empty()
                    && self.parts.iter().all(fulfilled)
                    && fair_to_all & !self.satisfied(&nodes, &left, &component) & !disabled == 0
            };
            (0..nodes.len()).any(is_good)
        })
    }

    /// Those who are enabled in a state of the graph.
    fn enabled(&self, state: usize) -> u32 {
        self.fair.units[state].iter().fold(0, |all, units| all | units)
    }

    /// To whom a run through all of a component is fair, in whichever way it must be; for strong fairness
    /// only those who take part.
    fn satisfied(&self, nodes: &[Guess], arcs: &[Vec<usize>], component: &[usize]) -> u32 {
        let mut satisfied = if self.fair.fairness.is_none() { u32::MAX } else { 0 };
        for &from in component {
            let state = nodes[from].state;
            if self.fair.fairness == Some(Fairness::Weak) {
                satisfied |= !self.enabled(state);
            }
            for &to in arcs[from].iter().filter(|to| component.contains(to)) {
                let steps = self.graph.arcs[state].iter().zip(&self.fair.units[state]);
                let there = steps.filter(|(target, _)| **target == nodes[to].state);
                satisfied = there.fold(satisfied, |all, (_, units)| all | units);
            }
        }
        satisfied
    }

    fn value(&self, values: &[bool], part: Formula) -> bool {
        values[self.parts.binary_search(&part).unwrap()]
    }

    fn guesses(&self) -> Vec<Guess> {
        let is_temporal = |part: &&Formula| {
            !matches!(
                self.formulas.node(**part),
                Node::False
                    | Node::True
                    | Node::Proposition(_)
                    | Node::Not(_)
                    | Node::And(_)
                    | Node::Or(_)
                    | Node::Equivalent(..)
            )
        };
        let temporal: Vec<Formula> = self.parts.iter().filter(is_temporal).copied().collect();
        let mut guesses = Vec::new();
        for state in 0..self.graph.arcs.len() {
            for bits in 0..1u32 << temporal.len() {
                let mut values: Vec<bool> = Vec::new();
                for &part in &self.parts {
                    let of = |part: &Formula| values[self.parts.binary_search(part).unwrap()];
                    let value = match self.formulas.node(part) {
                        Node::False => false,
                        Node::True => true,
                        Node::Proposition(number) => {
                            match self.formulas.propositions()[*number as usize].as_str() {
                                "a" => self.graph.a[state],
                                "b" => self.graph.b[state],
                                _ => self.graph.arcs[state].is_empty(),
                            }
                        }
                        Node::Not(one) => !of(one),
                        Node::And(all) => all.iter().all(of),
                        Node::Or(all) => all.iter().any(of),
                        Node::Equivalent(one, two) => of(one) == of(two),
                        _ => bits >> temporal.iter().position(|&other| other == part).unwrap() & 1 == 1,
                    };
                    values.push(value);
                }
                guesses.push(Guess { state, values });
            }
        }
        guesses
    }

    /// The graph has the arc, and the laws of the operators hold between the guesses.
    fn follows(&self, now: &Guess, next: &Guess) -> bool {
        let out = &self.graph.arcs[now.state];
        let stutters = out.is_empty() && self.finite_runs == FiniteRuns::Stutter;
        if !(out.contains(&next.state) || stutters && now.state == next.state) {
            return false;
        }
        self.parts.iter().all(|&part| {
            let of = |part: &Formula| self.value(&now.values, *part);
            let later = self.value(&next.values, part);
            let right = match self.formulas.node(part) {
                Node::Next(one) => self.value(&next.values, *one),
                Node::Finally(one) => of(one) || later,
                Node::Globally(one) => of(one) && later,
                Node::Until(one, two) | Node::WeakUntil(one, two) => of(two) || of(one) && later,
                Node::Release(one, two) | Node::StrongRelease(one, two) => of(two) && (of(one) || later),
                _ => return true,
            };
            of(&part) == right
        })
    }

    /// What is promised happens here, or is not promised; what is denied likewise.
    fn not_put_off(&self, values: &[bool], part: Formula) -> bool {
        let of = |part: &Formula| self.value(values, *part);
        let promised = of(&part);
        match self.formulas.node(part) {
            Node::Finally(one) => !promised || of(one),
            Node::Until(_, two) => !promised || of(two),
            Node::StrongRelease(one, two) => !promised || of(one) && of(two),
            Node::Globally(one) => promised || !of(one),
            Node::WeakUntil(one, two) => promised || !of(one) && !of(two),
            Node::Release(_, two) => promised || !of(two),
            _ => true,
        }
    }
}

/// What can be reached over at least one arc.
pub fn reached(arcs: &[Vec<usize>], start: usize) -> Vec<bool> {
    let mut reached = vec![false; arcs.len()];
    let mut work = vec![start];
    while let Some(at) = work.pop() {
        for &to in &arcs[at] {
            if !std::mem::replace(&mut reached[to], true) {
                work.push(to);
            }
        }
    }
    reached
}
