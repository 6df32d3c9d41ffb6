//! Fairness in models in Rust: verdicts against the definition, on random graphs whose arcs name who takes
//! part; many units; units that are met late; and what reports say.

mod typed_support;

use expect_test::expect;
use lariat::{
    Checker, Ending, Error, Fairness, FiniteRuns, Model, ModelReport, Propositions, Run, Unit, Verdict,
    algorithms,
};
use lariat_ltl::evaluate::evaluate;
use lariat_ltl::{Letter, Word};
use std::cell::Cell;
use std::time::Duration;
use typed_support::{Fair, Graph, Random, random_formula, read, some_fair_run_satisfies};

const KINDS: [Fairness; 3] = [Fairness::Weak, Fairness::Strong, Fairness::Unconditional];

/// A graph whose arcs name those who take part, as bits.
#[derive(Clone, Debug)]
struct UnitGraph {
    graph: Graph,
    /// For each arc.
    units: Vec<Vec<u32>>,
    /// So many units there are.
    count: u32,
    is_listed: bool,
}

#[derive(Clone, Copy, PartialEq, Debug)]
struct Step {
    from: usize,
    units: u32,
}

impl Model for UnitGraph {
    type State = usize;
    type Action = Step;

    fn initial_states(&self) -> Vec<usize> {
        self.graph.initial.clone()
    }

    fn successors(&self, &from: &usize, out: &mut Vec<(Step, usize)>) {
        let arcs = self.units[from].iter().zip(&self.graph.arcs[from]);
        out.extend(arcs.map(|(&units, &to)| (Step { from, units }, to)));
    }

    fn propositions<'m>(&'m self, named: &mut Propositions<'m, usize>) {
        self.graph.propositions(named);
    }

    fn units_of(&self, step: &Step, out: &mut Vec<Unit>) {
        out.extend((0..self.count).rev().filter(|k| step.units >> k & 1 == 1).map(Unit::from));
    }

    fn all_units(&self) -> Option<Vec<Unit>> {
        self.is_listed.then(|| (0..self.count).map(Unit::from).collect())
    }
}

/// Most states have ways on, so that there is something to choose.
fn random_unit_graph(random: &mut Random) -> UnitGraph {
    let n = 1 + random.below(5);
    let bits = |random: &mut Random| (0..n).map(|_| random.below(2) == 0).collect();
    let (a, b) = (bits(random), bits(random));
    let arcs = |random: &mut Random| match random.below(12) {
        0 => Vec::new(),
        _ => (0..1 + random.below(4)).map(|_| random.below(n)).collect(),
    };
    let arcs = (0..n).map(|_| arcs(random)).collect();
    let graph = Graph { initial: vec![0, random.below(n)], arcs, a, b };
    let count = 1 + random.below(4) as u32;
    let mut units = |_: &usize| match random.below(8) {
        0 => 0,
        1 | 2 => random.below(1 << count) as u32,
        _ => 1 << random.below(count as usize),
    };
    let units = graph.arcs.iter().map(|arcs| arcs.iter().map(&mut units).collect()).collect();
    UnitGraph { graph, units, count, is_listed: random.below(2) == 0 }
}

/// Any formula, or one of those that fairness is mostly asked for.
fn random_question(random: &mut Random, round: usize) -> String {
    match random.below(8) {
        0 => "G F a".to_string(),
        1 => "F (a & b)".to_string(),
        2 => "G (a -> F b)".to_string(),
        3 => "G F (a & !b) | F G b".to_string(),
        4 => "G F a -> G F b".to_string(),
        _ => random_formula(random, 1 + round % 3),
    }
}

/// Whether the run is one of the graph and fair, by the definition; and what its word says of the formula, if
/// its end is known.
fn judge(model: &UnitGraph, run: &Run<UnitGraph>, fairness: Fairness, text: &str) -> Option<bool> {
    let graph = &model.graph;
    assert!(graph.initial.contains(&run.initial));
    let mut at = run.initial;
    for step in run.prefix.iter().chain(&run.cycle) {
        let Step { from, units } = step.action;
        assert_eq!(from, at);
        let is_it = |k: &usize| graph.arcs[at][*k] == step.state && model.units[at][*k] == units;
        assert!((0..graph.arcs[at].len()).any(|k| is_it(&k)));
        at = step.state;
    }
    let mut states: Vec<usize> = run.states().copied().collect();
    let cycle = match run.ending {
        Ending::Repeats => {
            assert_eq!(states.pop(), states.get(run.prefix.len()).copied());
            states.split_off(run.prefix.len())
        }
        Ending::Stops => {
            assert!(graph.arcs[at].is_empty());
            vec![at]
        }
        _ => return None,
    };
    assert!(run.units.len() <= model.count as usize);
    for unit in 0..model.count {
        let count = |masks: &mut dyn Iterator<Item = u32>| masks.filter(|mask| mask >> unit & 1 == 1).count();
        let takes_part = count(&mut run.cycle.iter().map(|step| step.action.units));
        let enabled_in =
            count(&mut cycle.iter().map(|&state| model.units[state].iter().fold(0, |a, b| a | b)));
        let fair = match fairness {
            Fairness::Weak => takes_part > 0 || enabled_in < cycle.len(),
            Fairness::Strong => takes_part > 0 || enabled_in == 0,
            Fairness::Unconditional => takes_part > 0,
        };
        assert!(fair, "{run} is unfair to {unit}");
        match run.units.iter().find(|facts| facts.unit == Unit::from(unit)) {
            Some(facts) if run.ending == Ending::Repeats => {
                assert_eq!((facts.takes_part, facts.enabled_in), (takes_part as u64, enabled_in as u64));
                assert_eq!(facts.states, cycle.len() as u64);
            }
            Some(facts) => assert_eq!((facts.takes_part, facts.enabled_in), (0, 0)),
            None => assert!(takes_part == 0 && enabled_in == 0 && !model.is_listed),
        }
    }
    let (formulas, formula) = read(text);
    let is_true = |name: &str, state: usize| match name {
        "a" => graph.a[state],
        "b" => graph.b[state],
        _ => graph.arcs[state].is_empty(),
    };
    let letter =
        |&state: &usize| Letter(formulas.propositions().iter().map(|name| is_true(name, state)).collect());
    let prefix = states.iter().take(run.prefix.len()).map(letter).collect();
    Some(evaluate(&formulas, formula, &Word { prefix, cycle: cycle.iter().map(letter).collect() }))
}

/// What the comparisons were about.
#[derive(Default, Debug)]
struct Tally {
    violated: usize,
    holds: usize,
    /// Fairness makes a difference.
    only_fair: usize,
    no_run: usize,
    refused: usize,
}

#[test]
fn verdicts_by_the_definition_on_random_graphs() {
    let mut random = Random(21);
    let mut tallies = [Tally::default(), Tally::default(), Tally::default()];
    let names: Vec<&str> = algorithms().collect();
    for round in 0..2000 {
        let mut model = random_unit_graph(&mut random);
        let text = random_question(&mut random, round);
        // Each algorithm has its turn; only one of them knows strong fairness.
        let turn = [round, round + 5, round + 10].map(|k| names[k % names.len()]);
        let finite_runs = [FiniteRuns::Stutter, FiniteRuns::Ignore][random.below(4) / 3];
        for (fairness, tally) in KINDS.into_iter().zip(&mut tallies) {
            model.is_listed |= fairness == Fairness::Unconditional;
            let context = format!("{text} {fairness:?} {finite_runs:?} {model:?}");
            let fair = |text: &str, fairness: Option<Fairness>| {
                let fair = Fair { units: &model.units, count: model.count, fairness };
                some_fair_run_satisfies(&model.graph, text, finite_runs, fair)
            };
            let negated = format!("!({text})");
            let violated = fair(&negated, Some(fairness));
            let has_run = violated || fair("true", Some(fairness));
            *(if violated { &mut tally.violated } else { &mut tally.holds }) += 1;
            tally.only_fair += usize::from(!violated && has_run && fair(&negated, None));
            tally.no_run += usize::from(!has_run);
            let fewer = if fairness == Fairness::Strong { &turn[..1] } else { &turn };
            for name in fewer.iter().copied().chain(["auto"]) {
                let mut checker =
                    Checker::new(&model).finite_runs(finite_runs).fairness(fairness).algorithm(name);
                checker = if random.below(4) == 0 { checker.degeneralise() } else { checker };
                checker = if random.below(4) == 0 { checker.shortest() } else { checker };
                let report = checker.check(&text).unwrap_or_else(|error| panic!("{error} {name} {context}"));
                assert_eq!(report.fairness, Some(fairness));
                if let Verdict::Refused(_) = report.verdict {
                    let usable = match fairness {
                        Fairness::Strong => ["streett", "auto"].contains(&name),
                        _ => !["sd", "reach"].contains(&name),
                    };
                    assert!(!usable, "{name} {context}");
                    tally.refused += 1;
                    continue;
                }
                assert_eq!(report.verdict == Verdict::Violated, violated, "{name} {context}");
                assert_eq!(report.holds(), !violated, "{name} {context}");
                assert_eq!(report.run.is_some(), violated, "{name} {context}");
                assert_eq!(report.no_run, !has_run, "{name} {context}");
                let Some(run) = &report.run else { continue };
                let says = judge(&model, run, fairness, &text);
                let may_settle = finite_runs == FiniteRuns::Stutter && fairness != Fairness::Unconditional;
                assert!(says == Some(false) || says.is_none() && may_settle, "{name} {context} {run}");
            }
            if round % 2 == 0 {
                continue;
            }
            let checker = Checker::new(&model).finite_runs(finite_runs).fairness(fairness);
            assert_eq!(checker.exists(&text).unwrap().holds(), fair(&text, Some(fairness)), "{context}");
        }
    }
    println!("{tallies:?}");
    for Tally { violated, holds, only_fair, .. } in &tallies {
        assert!(*violated > 300 && *holds > 300 && *only_fair > 80, "{tallies:?}");
    }
}

/// Everybody can always move, except the last, who can do so only when the first has moved.
struct Crowd {
    size: usize,
}

impl Model for Crowd {
    type State = usize;
    type Action = usize;

    fn initial_states(&self) -> Vec<usize> {
        vec![1]
    }

    fn successors(&self, last_moved: &usize, out: &mut Vec<(usize, usize)>) {
        let able = |mover: &usize| *mover != self.size - 1 || *last_moved == 0;
        out.extend((0..self.size).filter(able).map(|mover| (mover, mover)));
    }

    fn propositions<'m>(&'m self, named: &mut Propositions<'m, usize>) {
        named.add("seventh", |mover| *mover == 7);
        named.add("last", |mover| *mover == self.size - 1);
    }

    fn units_of(&self, mover: &usize, out: &mut Vec<Unit>) {
        out.push(Unit::from(*mover));
    }

    fn all_units(&self) -> Option<Vec<Unit>> {
        self.size.is_multiple_of(2).then(|| (0..self.size).map(Unit::from).collect())
    }
}

#[test]
fn more_units_than_bits() {
    let crowd = Crowd { size: 76 };
    let fair = |fairness| Checker::new(&crowd).fairness(fairness);
    Checker::new(&crowd).check("G F seventh").unwrap().assert_violated();
    for name in algorithms().filter(|name| !["sd", "reach"].contains(name)) {
        fair(Fairness::Weak).algorithm(name).check("G F seventh").unwrap().assert_holds();
    }
    for crowd in [&crowd, &Crowd { size: 77 }] {
        let checker = Checker::new(crowd).fairness(Fairness::Weak);
        let run = checker.check("F last").unwrap().assert_violated().run.unwrap();
        assert_eq!(run.units.len(), crowd.size);
        for facts in &run.units {
            let is_last = facts.unit == Unit::from(crowd.size - 1);
            assert_eq!(facts.takes_part == 0, is_last, "{facts}");
            assert_eq!((facts.states, facts.enabled_in < facts.states), (run.cycle.len() as u64, is_last));
        }
        let strong = Checker::new(crowd).fairness(Fairness::Strong);
        strong.check("G F last & G F seventh").unwrap().assert_holds();
        strong.check("G !last").unwrap().assert_violated();
    }
    fair(Fairness::Unconditional).check("G F last & G F seventh").unwrap().assert_holds();
    fair(Fairness::Unconditional).exists("G F last & F G !seventh").unwrap().assert_violated();
    fair(Fairness::Unconditional).exists("G F last & G F !seventh").unwrap().assert_holds();
}

#[test]
fn too_many_units() {
    for crowd in [Crowd { size: 300 }, Crowd { size: 301 }] {
        let checker = |fairness| Checker::new(&crowd).fairness(fairness);
        let mut fairness = vec![Fairness::Weak, Fairness::Strong];
        fairness.extend(crowd.all_units().map(|_| Fairness::Unconditional));
        for fairness in fairness {
            let report = checker(fairness).check("G F seventh").unwrap();
            let Verdict::Unknown(reason) = &report.verdict else { panic!("{report}") };
            assert!(reason.starts_with("there are more than 256 units"), "{reason}");
        }
        checker(Fairness::Weak).check("G seventh").unwrap().assert_violated();
    }
}

/// A ring in which each step is taken by somebody else. At the start somebody may pause.
struct Ring {
    size: usize,
}

impl Model for Ring {
    type State = usize;
    type Action = String;

    fn initial_states(&self) -> Vec<usize> {
        vec![0]
    }

    fn successors(&self, place: &usize, out: &mut Vec<(String, usize)>) {
        if *place == 0 {
            out.push(("pause".to_string(), 0));
        }
        out.push((format!("step {place}"), (place + 1) % self.size));
    }

    fn propositions<'m>(&'m self, named: &mut Propositions<'m, usize>) {
        named.add("start", |place| *place == 0);
        named.add("opposite", |place| *place == self.size / 2);
    }
}

#[test]
fn units_that_are_met_late() {
    for size in [40, 100, 200] {
        let ring = Ring { size };
        Checker::new(&ring).check("G F opposite").unwrap().assert_violated();
        for name in algorithms().filter(|name| !["sd", "reach"].contains(name)) {
            let weak = Checker::new(&ring).fairness(Fairness::Weak).algorithm(name);
            let report = weak.check("G F opposite").unwrap().assert_holds();
            assert_eq!(report.model_states, size as u64);
        }
        let strong = Checker::new(&ring).fairness(Fairness::Strong).shortest();
        strong.check("G F opposite").unwrap().assert_holds();
        let report = strong.check("F G !opposite").unwrap().assert_violated();
        let run = report.run.unwrap();
        // Who pauses is enabled again and again.
        assert_eq!((run.prefix.len(), run.cycle.len()), (0, size + 1), "{run}");
        assert!(report.run_length.is_some());
        assert_eq!(run.units.len(), size + 1);
        assert!(run.units.iter().all(|facts| facts.takes_part == 1));
    }
}

/// Two who shake hands, and one who knocks.
struct Hands;

#[derive(Clone, Copy, PartialEq, Debug)]
enum Deed {
    Shake,
    Wave,
    Knock,
}

impl Model for Hands {
    type State = u8;
    type Action = Deed;

    fn initial_states(&self) -> Vec<u8> {
        vec![0]
    }

    fn successors(&self, state: &u8, out: &mut Vec<(Deed, u8)>) {
        match state {
            0 => out.extend([(Deed::Knock, 1), (Deed::Shake, 2), (Deed::Wave, 2)]),
            1 => out.push((Deed::Knock, 0)),
            _ => out.push((Deed::Knock, 0)),
        }
    }

    fn propositions(&self, named: &mut Propositions<u8>) {
        named.add("met", |state| *state == 2);
    }

    fn units_of(&self, deed: &Deed, out: &mut Vec<Unit>) {
        match deed {
            Deed::Shake => out.extend([Unit::from("left"), Unit::from("right"), Unit::from("left")]),
            Deed::Wave => out.push(Unit::from("left")),
            Deed::Knock => out.push(Unit::from("guest")),
        }
    }
}

fn without_time<M: Model>(mut report: ModelReport<M>) -> String {
    report.elapsed = Duration::ZERO;
    report.to_string()
}

#[test]
fn a_report_says_why_a_run_is_fair() {
    let report = Checker::new(&Hands).fairness(Fairness::Weak).check("F met").unwrap();
    expect![[r#"
        violated: a weakly fair run does not satisfy F met

          0. 0
          ----- the cycle begins -----
          1. Knock
               state = 1
          2. Knock
               state = 0
        the cycle is repeated for ever: 2 steps, after 0 steps
        fair to guest: takes part 2 times in the cycle
        fair to left: not enabled in 1 of 2 states of the cycle
        fair to right: not enabled in 1 of 2 states of the cycle

        3 states (3 with the automaton), 4 transitions, 0.000 s
        algorithm ascc: not all runs count; it takes any number of acceptance sets
    "#]]
    .assert_eq(&without_time(report));
    // Both ways to meet lead to one state, and only one of them is fair to the right.
    let strong = Checker::new(&Hands).fairness(Fairness::Strong);
    strong.check("G F met").unwrap().assert_holds();
    let report = strong.check("F G !met").unwrap().assert_violated();
    let run = report.run.as_ref().unwrap();
    assert!(run.cycle.iter().any(|step| step.action == Deed::Shake), "{run}");
    expect![[r#"
        violated: a strongly fair run does not satisfy F (G !met)

          0. 0
          ----- the cycle begins -----
          1. Knock
               state = 1
          2. Knock
               state = 0
          3. Shake
               state = 2
               true: met
          4. Knock
               state = 0
               true: nothing
        the cycle is repeated for ever: 4 steps, after 0 steps
        fair to guest: takes part 3 times in the cycle
        fair to left: takes part once in the cycle
        fair to right: takes part once in the cycle

        3 states (3 with the automaton), 5 transitions, 0.000 s
        algorithm streett: not all runs count; it knows pairs of acceptance sets
    "#]]
    .assert_eq(&without_time(report));
    let report = Checker::new(&Hands).fairness(Fairness::Unconditional).check("F met").unwrap();
    expect!["refused: whether every unconditionally fair run satisfies F met: unconditional fairness is owed to those as well who never take part in anything, so the model must list its units (`Model::all_units`)"].assert_eq(&report.first_line());
    let report = strong.algorithm("ascc").check("F met").unwrap();
    expect!["refused: whether every strongly fair run satisfies F met: `ascc` knows no pairs of acceptance sets, which strong fairness and assumptions like `F G p` are; `streett` does"].assert_eq(&report.first_line());
}

/// Counts up to a limit, and stops there.
struct Ends;

impl Model for Ends {
    type State = u8;
    type Action = &'static str;

    fn initial_states(&self) -> Vec<u8> {
        vec![0]
    }

    fn successors(&self, n: &u8, out: &mut Vec<(&'static str, u8)>) {
        if *n < 3 {
            out.extend([("count", n + 1), ("wait", *n)]);
        }
    }

    fn propositions(&self, named: &mut Propositions<u8>) {
        named.add("three", |n| *n == 3);
    }

    fn all_units(&self) -> Option<Vec<Unit>> {
        Some(vec![Unit::from("count"), Unit::from("wait")])
    }
}

#[test]
fn where_a_run_has_ended_nobody_is_enabled() {
    for fairness in [Fairness::Weak, Fairness::Strong] {
        let checker = Checker::new(&Ends).fairness(fairness);
        checker.check("F three").unwrap().assert_holds();
        let run = checker.check("F G !three").unwrap().assert_violated().run.unwrap();
        assert_eq!((run.prefix.len(), run.ending, run.units.len()), (3, Ending::Stops, 2));
        assert!(run.to_string().contains("fair to wait: never enabled in the cycle"), "{run}");
        // Every beginning can go on in a fair way, but not without an end.
        let run = checker.check("!three").unwrap().assert_holds().run;
        assert!(run.is_none());
        checker.check("X !three & X X !three & X X X !three").unwrap().assert_violated();
        let report = Checker::new(&Ends).fairness(fairness).finite_runs(FiniteRuns::Ignore);
        let report = report.check("false").unwrap().assert_holds();
        assert!(report.no_run && report.first_line().ends_with("(there is no such run)"), "{report}");
    }
    let report = Checker::new(&Ends).fairness(Fairness::Unconditional).check("false").unwrap().assert_holds();
    assert!(report.no_run, "{report}");
    // States are states, fair or not.
    for fairness in KINDS {
        let checker = Checker::new(&Ends).fairness(fairness).finite_runs(FiniteRuns::Ignore);
        let report = checker.invariant("!three").unwrap().assert_violated();
        assert_eq!(report.first_line(), "violated: a reachable state does not satisfy !three");
        checker.no_deadlock().unwrap().assert_violated();
    }
}

/// A model that breaks its promises about units on purpose.
struct Fickle {
    calls: Cell<u32>,
    list: Option<Vec<Unit>>,
}

impl Model for Fickle {
    type State = bool;
    type Action = &'static str;

    fn initial_states(&self) -> Vec<bool> {
        vec![false]
    }

    fn successors(&self, state: &bool, out: &mut Vec<(&'static str, bool)>) {
        out.push(("turn", !state));
    }

    fn propositions(&self, named: &mut Propositions<bool>) {
        named.add("on", |state| *state);
    }

    fn units_of(&self, _: &&'static str, out: &mut Vec<Unit>) {
        self.calls.set(self.calls.get() + 1);
        out.push(Unit::from(if self.list.is_some() { 0 } else { self.calls.get() }));
    }

    fn all_units(&self) -> Option<Vec<Unit>> {
        self.list.clone()
    }
}

#[test]
fn mistakes_about_units() {
    for formula in ["G F on", "F G on"] {
        let fickle = Fickle { calls: Cell::new(0), list: None };
        match Checker::new(&fickle).fairness(Fairness::Weak).check(formula) {
            Err(Error::NotAFunction(what)) => assert!(what.starts_with("`units_of` was asked"), "{what}"),
            other => panic!("{other:?}"),
        }
        let unlisted = Fickle { calls: Cell::new(0), list: Some(vec![Unit::from("nobody")]) };
        for fairness in KINDS {
            let error = Checker::new(&unlisted).fairness(fairness).check(formula).unwrap_err();
            assert_eq!(error.to_string(), "an action names the unit `0`, and `all_units` does not list it");
        }
        // Who does not ask for fairness need not care.
        assert!(Checker::new(&unlisted).check(formula).is_ok());
    }
}
