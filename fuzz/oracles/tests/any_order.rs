//! Products of models in which most steps commute, with random automata, weak and strong: states that lie on
//! no accepting cycle are taken in any order, with what commutes left out; against a search of the whole
//! product.
//!
//! Formulas about random models hardly ever meet a step that is left out where an edge of the automaton
//! leads on. Here there are processes that have little to do with each other, propositions about all of them,
//! and automata whose states stay as they are always, sometimes, or unless it is decided.

use lariat_engine::Interpreter;
use lariat_generators::random::Random;
use lariat_ltl::{Automaton, Bdd, Bdds, Edge, Marks, Placement};
use lariat_oracles::properties::checks::{Whole, in_any_order};
use lariat_oracles::properties::read;
use lariat_search::Limits;
use lariat_search::emptiness::{Check, Search, ThreadedCheck};
use lariat_search::product::{FiniteRuns, ModelProduct, PropertyAutomaton};
use lariat_store::ExactStore;

/// Counters that go round, or end; now and then one waits for another, or writes what is common.
fn model(random: &mut Random) -> (String, Vec<String>) {
    let processes = 2 + random.below(3);
    let all_end = random.below(3) == 0;
    let mut text = "byte common;\n".to_string();
    let mut conditions = Vec::new();
    for k in 0..processes {
        let most = 1 + random.below(3);
        text.push_str(&format!("byte x{k};\n"));
        conditions.push(format!("x{k} == {}", random.below(most + 1)));
        if random.below(2) == 0 {
            conditions.push(format!("x{k} != x{}", random.below(processes)));
        }
        let other = random.below(processes);
        let waits = match random.below(4) {
            0 => format!(" && x{other} != {}", random.below(3)),
            _ => String::new(),
        };
        let writes = match random.below(4) {
            0 => format!("d_step {{ x{k}++; common = x{k} }}"),
            1 => format!("atomic {{ x{k}++; assert(x{k} < 2) }}"),
            2 if random.below(4) == 0 => format!("common = 2 / (x{other} + 1 - x{k}); x{k}++"),
            _ => format!("x{k}++"),
        };
        let last = match random.below(3) {
            _ if all_end => "break".to_string(),
            0 => "break".to_string(),
            _ => format!("x{k} = 0"),
        };
        text.push_str(&format!(
            "active proctype P{k}() {{ do :: x{k} < {most}{waits} -> {writes} :: x{k} == {most} -> {last} od }}\n"
        ));
    }
    conditions.push(format!("common == {}", 1 + random.below(2)));
    // Variables must be declared before they are used.
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_by_key(|line| line.starts_with("active"));
    (lines.join("\n") + "\n", conditions)
}

fn label(bdds: &mut Bdds, random: &mut Random, conditions: usize) -> Bdd {
    let first = bdds.variable(random.below(conditions) as u32);
    let second = bdds.variable(random.below(conditions) as u32);
    match random.below(6) {
        0 => Bdd::TRUE,
        1 => bdds.not(first),
        2 => bdds.or(first, second),
        3 => bdds.and(first, second),
        _ => first,
    }
}

/// A weak automaton, and then edges back, with marks of some sets on any edges.
fn strong_automaton(bdds: &mut Bdds, random: &mut Random, conditions: usize) -> Automaton {
    let weak = weak_automaton(bdds, random, conditions);
    let (sets, states) = (random.below(3) as u32, weak.edges.len());
    let mut edges = weak.edges;
    for _ in 0..random.below(4) {
        let (from, to) = (random.below(states), random.below(states));
        let label = label(bdds, random, conditions);
        edges[from].push(Edge { label, marks: Marks::NONE, to: to as u32 });
    }
    for edge in edges.iter_mut().flatten() {
        edge.marks = Marks::NONE;
        (0..sets).filter(|_| random.below(3) == 0).for_each(|set| edge.marks |= Marks::one(set));
    }
    Automaton { sets, placement: Placement::Edges, edges, ..weak }
}

/// Edges lead from a state to itself and to later ones, so every component is one state: the automaton is
/// weak.
fn weak_automaton(bdds: &mut Bdds, random: &mut Random, conditions: usize) -> Automaton {
    let states = 1 + random.below(4);
    let accepting: Vec<bool> = (0..states).map(|state| random.below(3) < state).collect();
    let mut edges = vec![Vec::new(); states];
    for state in 0..states {
        let marks = if accepting[state] { Marks::all(1) } else { Marks::NONE };
        let mut add = |label, to: usize| edges[state].push(Edge { label, marks, to: to as u32 });
        let is_last = state + 1 == states;
        match random.below(4) {
            0 if !is_last => {
                // It stays unless another edge is taken.
                let leaves = label(bdds, random, conditions);
                add(leaves, state + 1 + random.below(states - state - 1));
                add(bdds.not(leaves), state);
                continue;
            }
            0 | 1 => add(Bdd::TRUE, state),
            2 => add(label(bdds, random, conditions), state),
            _ => {}
        }
        for _ in 0..random.below(3) {
            if !is_last {
                add(label(bdds, random, conditions), state + 1 + random.below(states - state - 1));
            }
        }
    }
    Automaton {
        sets: 1,
        placement: Placement::States,
        initial: vec![0],
        edges,
        ..Automaton::empty(Vec::new())
    }
}

/// Whether there is a cycle, and what a search of everything counts.
fn whole(product: &mut ModelProduct<Interpreter, ExactStore>) -> Whole {
    let mut search = Search::new(product, Limits::default(), None);
    let has_cycle = Check::Tarjan.run(&mut search).expect("there are no limits").is_some();
    let counts = search.counts();
    Whole { has_cycle, counts, flaws: Some(product.flaws()) }
}

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

#[test]
fn random_automata_beside_processes_that_commute() {
    let first = number("LARIAT_TEST_SEED", 0);
    let (mut cycles, mut lost) = ([[0; 2]; 2], 0);
    for seed in first..first + 120 * number("LARIAT_TEST_FACTOR", 1) {
        let random = &mut Random::new(seed);
        let (text, conditions) = model(random);
        // Conditions are read with the formula in which they stand.
        let formula: Vec<String> = conditions.iter().map(|condition| format!("<> ({condition})")).collect();
        let text = format!("{text}ltl all {{ {} }}\n", formula.join(" && "));
        let loaded = read(&text).unwrap_or_else(|why| panic!("seed {seed}: {why}\n{text}"));
        let (model, conditions) = (&loaded.model, loaded.model.propositions.len());
        assert!(conditions >= 2, "{text}");
        let interpreter = Interpreter::new(model);
        for turn in 0..10 {
            let mut bdds = Bdds::new();
            let is_weak = turn < 5;
            let automaton = match is_weak {
                true => weak_automaton(&mut bdds, random, conditions),
                false => strong_automaton(&mut bdds, random, conditions),
            };
            let ready = PropertyAutomaton::new(&automaton, &bdds, |variable| variable);
            for finite_runs in [FiniteRuns::Stutter, FiniteRuns::Ignore] {
                let mut product = ModelProduct::new(&interpreter, &ready, ExactStore::new(), finite_runs);
                let whole = whole(&mut product);
                cycles[usize::from(is_weak)][usize::from(whole.has_cycle)] += 1;
                lost += u64::from(whole.flaws.is_some_and(|flaws| flaws.lost_run));
                for check in [ThreadedCheck::SimpleDfs, ThreadedCheck::RootsAndActive] {
                    if !is_weak && check == ThreadedCheck::SimpleDfs {
                        continue;
                    }
                    if let Err(why) = in_any_order(&interpreter, &ready, finite_runs, check, &whole) {
                        panic!(
                            "seed {seed}, automaton {turn}, {finite_runs:?}, {check:?}: {why}\n{automaton:?}\n{text}"
                        );
                    }
                }
            }
        }
    }
    println!("strong, weak: {cycles:?} without and with a cycle, {lost} with runs that are lost");
    assert!(cycles.as_flattened().iter().all(|&count| count > 150) && lost > 10, "{cycles:?}, {lost}");
}
