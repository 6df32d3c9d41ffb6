//! Models in Rust: verdicts against an oracle, runs that are runs and violate the formula, limits, and what
//! is said about mistakes.

mod reduced;
mod typed_support;

use expect_test::expect;
use lariat::{Checker, Ending, Error, FiniteRuns, Model, Propositions, Run, Verdict, algorithms, check};
use lariat_ltl::evaluate::evaluate;
use lariat_ltl::{Letter, Word};
use std::cell::RefCell;
use std::collections::HashSet;
use std::time::Duration;
use typed_support::{Graph, Random, random_formula, random_graph, reached, read, some_run_satisfies};

/// Whether the run is one of the graph, step by step, and what its word says of the formula.
fn judge(graph: &Graph, run: &Run<Graph>, text: &str) -> bool {
    assert!(graph.initial.contains(&run.initial));
    let mut at = run.initial;
    for step in run.prefix.iter().chain(&run.cycle) {
        assert_eq!(step.action, (at, step.state));
        assert!(graph.arcs[at].contains(&step.state));
        at = step.state;
    }
    let mut states: Vec<usize> = run.states().copied().collect();
    let cycle = match run.ending {
        Ending::Repeats => {
            // The last state is the one in which the cycle begins.
            let entry = states.pop();
            let cycle = states.split_off(run.prefix.len());
            assert_eq!(entry, cycle.first().copied());
            cycle
        }
        Ending::Stops => {
            assert!(run.cycle.is_empty() && graph.arcs[at].is_empty());
            vec![at]
        }
        Ending::Settled => {
            assert!(run.cycle.is_empty());
            // Any way on will do: always the first arc, until a state comes again.
            let before = states.len() - 1;
            let mut cycle = states.split_off(before);
            loop {
                let next = graph.arcs[*cycle.last().unwrap()].first().copied();
                let next = next.unwrap_or(*cycle.last().unwrap());
                if let Some(start) = cycle.iter().position(|&state| state == next) {
                    states.extend(cycle.drain(..start));
                    break cycle;
                }
                cycle.push(next);
            }
        }
        other => panic!("{other:?}"),
    };
    let (formulas, formula) = read(text);
    let is_true = |name: &str, state: usize| match name {
        "a" => graph.a[state],
        "b" => graph.b[state],
        _ => graph.arcs[state].is_empty(),
    };
    for (step, holding) in std::iter::once((run.initial, &run.initially_holding))
        .chain(run.prefix.iter().chain(&run.cycle).map(|step| (step.state, &step.holding)))
    {
        let expected: Vec<&String> =
            formulas.propositions().iter().filter(|name| is_true(name, step)).collect();
        assert_eq!(holding.iter().collect::<Vec<_>>(), expected);
    }
    let letter =
        |&state: &usize| Letter(formulas.propositions().iter().map(|name| is_true(name, state)).collect());
    let word =
        Word { prefix: states.iter().map(letter).collect(), cycle: cycle.iter().map(letter).collect() };
    evaluate(&formulas, formula, &word)
}

#[test]
fn verdicts_and_runs_on_random_graphs() {
    let mut random = Random(11);
    let mut counts = [0; 2];
    for round in 0..4000 {
        let graph = random_graph(&mut random);
        let text = random_formula(&mut random, 1 + round % 3);
        for finite_runs in [FiniteRuns::Stutter, FiniteRuns::Ignore] {
            let context = format!("{text} {finite_runs:?} {graph:?}");
            let checker = Checker::new(&graph).finite_runs(finite_runs);
            let violated = some_run_satisfies(&graph, &format!("!({text})"), finite_runs);
            let report = checker.check(&text).unwrap();
            assert_eq!(report.holds(), !violated, "{context}");
            assert_eq!(report.verdict == Verdict::Violated, violated, "{context}");
            assert_eq!(report.run.is_some(), violated, "{context}");
            if let Some(run) = &report.run {
                assert!(!judge(&graph, run, &text), "{context}");
            }
            let exists = some_run_satisfies(&graph, &text, finite_runs);
            let report = checker.exists(&text).unwrap();
            assert_eq!(report.holds(), exists, "{context}");
            assert!(report.run.is_none_or(|run| judge(&graph, &run, &text)), "{context}");
            counts[usize::from(violated)] += 1;
        }
    }
    assert!(counts.iter().all(|&count| count > 2000), "{counts:?}");
}

#[test]
fn all_algorithms_agree_on_random_graphs() {
    let mut random = Random(12);
    let mut refused = 0;
    for round in 0..400 {
        let graph = random_graph(&mut random);
        let text = random_formula(&mut random, 1 + round % 3);
        let violated = some_run_satisfies(&graph, &format!("!({text})"), FiniteRuns::Stutter);
        for checker in [Checker::new(&graph), Checker::new(&graph).degeneralise().shortest()] {
            let reports = checker.compare(&text).unwrap();
            assert_eq!(reports.len(), algorithms().count());
            for report in reports {
                match report.verdict {
                    Verdict::Holds(_) => assert!(!violated, "{} {text} {graph:?}", report.algorithm),
                    Verdict::Violated => {
                        assert!(violated, "{} {text} {graph:?}", report.algorithm);
                        assert!(!judge(&graph, &report.run.unwrap(), &text));
                    }
                    Verdict::Refused(_) => {
                        assert!(["sd", "reach"].contains(&report.algorithm));
                        refused += 1;
                    }
                    Verdict::Unknown(reason) => panic!("{reason}"),
                }
            }
        }
    }
    assert!(refused > 100);
}

#[test]
fn invariants_and_deadlocks_on_random_graphs() {
    let mut random = Random(13);
    let mut violated = [0; 2];
    for _ in 0..3000 {
        let graph = random_graph(&mut random);
        let n = graph.arcs.len();
        let start: Vec<Vec<bool>> = graph.initial.iter().map(|&s| reached(&graph.arcs, s)).collect();
        let is_reachable = |k: usize| graph.initial.contains(&k) || start.iter().any(|from| from[k]);
        type Bad = fn(&Graph, usize) -> bool;
        let bad: [Bad; 2] = [|g, k| g.a[k] && !g.b[k], |g, k| g.arcs[k].is_empty()];
        for (which, is_bad) in bad.into_iter().enumerate() {
            // What becomes of finite runs does not matter.
            let checker = Checker::new(&graph).finite_runs(FiniteRuns::Ignore);
            let report = match which {
                0 => checker.invariant("a -> b").unwrap(),
                _ => checker.no_deadlock().unwrap(),
            };
            let expected = (0..n).any(|k| is_reachable(k) && is_bad(&graph, k));
            assert_eq!(report.verdict == Verdict::Violated, expected, "{graph:?}");
            assert_eq!(report.holds(), !expected, "{graph:?}");
            let Some(run) = report.run else { continue };
            violated[which] += 1;
            let states: Vec<usize> = run.states().copied().collect();
            let bad_places: Vec<usize> = (0..states.len()).filter(|&k| is_bad(&graph, states[k])).collect();
            assert_eq!(bad_places, [states.len() - 1], "only the last state is bad");
            assert!(run.cycle.is_empty());
            assert_eq!(run.ending, [Ending::Settled, Ending::Stops][which]);
            // Shorter than any other way there.
            let mut level: Vec<usize> = graph.initial.clone();
            let mut distance = 0;
            while !level.iter().any(|&k| is_bad(&graph, k)) {
                level = level.iter().flat_map(|&k| graph.arcs[k].iter().copied()).collect();
                level.sort_unstable();
                level.dedup();
                distance += 1;
            }
            assert_eq!(run.prefix.len(), distance, "{graph:?} {run}");
        }
    }
    assert!(violated.iter().all(|&count| count > 500), "{violated:?}");
}

/// Counts for ever, or up to a limit.
struct Counter {
    limit: Option<u64>,
}

impl Model for Counter {
    type State = u64;
    type Action = &'static str;

    fn initial_states(&self) -> Vec<u64> {
        vec![0]
    }

    fn successors(&self, n: &u64, out: &mut Vec<(&'static str, u64)>) {
        if self.limit.is_none_or(|limit| *n < limit) {
            out.push(("count", n + 1));
        }
    }

    fn propositions<'m>(&'m self, named: &mut Propositions<'m, u64>) {
        named.add("zero", |n| *n == 0);
        named.add("many", |n| *n >= 100_000);
        named.add("at the limit", |n| self.limit == Some(*n));
    }
}

#[test]
fn a_limit_gives_unknown() {
    let endless = Counter { limit: None };
    let unknown = |report: lariat::ModelReport<Counter>| match report.verdict {
        Verdict::Unknown(reason) => reason,
        other => panic!("{other:?}"),
    };
    let few = Checker::new(&endless).max_states(1000);
    assert_eq!(unknown(few.check("G F zero").unwrap()), "the limit of 1000 states was reached");
    assert_eq!(unknown(few.exists("F many").unwrap()), "the limit of 1000 states was reached");
    assert_eq!(unknown(few.invariant("!many").unwrap()), "the limit of 1000 states was reached");
    assert_eq!(unknown(few.no_deadlock().unwrap()), "the limit of 1000 states was reached");
    let shallow = Checker::new(&endless).max_depth(50);
    assert_eq!(unknown(shallow.check("G F zero").unwrap()), "paths were cut at the depth limit of 50");
    let soon = Checker::new(&endless).timeout(Duration::from_millis(30));
    assert_eq!(unknown(soon.check("G F zero").unwrap()), "the time limit of 0.03 s was reached");
    // What is found before the limit is found, although no state comes again.
    let ending = |report: lariat::ModelReport<Counter>| {
        let run = report.run.unwrap();
        (run.prefix.len(), run.ending)
    };
    let many = Checker::new(&endless).max_states(200_000);
    assert_eq!(ending(few.check("X zero").unwrap().assert_violated()), (1, Ending::Settled));
    assert_eq!(ending(many.exists("F many").unwrap().assert_holds()), (100_000, Ending::Settled));
    assert_eq!(ending(many.invariant("!many").unwrap().assert_violated()), (100_000, Ending::Settled));
    for algorithm in algorithms() {
        let report = few_states(&endless).algorithm(algorithm).check("G F zero").unwrap();
        assert!(matches!(report.verdict, Verdict::Unknown(_) | Verdict::Refused(_)), "{report}");
    }
}

fn few_states(model: &Counter) -> Checker<'_, Counter> {
    Checker::new(model).max_states(500)
}

#[test]
fn a_long_run_is_no_problem() {
    let model = Counter { limit: Some(300_000) };
    let report = check(&model, "F G !\"at the limit\"").unwrap().assert_violated();
    let run = report.run.unwrap();
    assert_eq!((run.prefix.len(), run.cycle.len(), run.ending), (300_000, 0, Ending::Stops));
    let unfinished = Checker::new(&model).finite_runs(FiniteRuns::Ignore).check("false").unwrap();
    assert!(unfinished.holds(), "without infinite runs everything holds of them");
    assert_eq!(unfinished.model_states, 300_001);
}

#[test]
fn that_there_is_no_run_is_said() {
    let ends = Counter { limit: Some(3) };
    let checker = Checker::new(&ends).finite_runs(FiniteRuns::Ignore);
    for report in [
        checker.check("false").unwrap().assert_holds(),
        checker.check("G zero").unwrap().assert_holds(),
        checker.exists("zero").unwrap().assert_violated(),
    ] {
        assert!(report.no_run && report.first_line().contains("there is no run"), "{report}");
    }
    // Runs that end count, or conditions on states are asked for: there is something to speak about.
    for report in [
        Checker::new(&ends).check("F zero").unwrap(),
        checker.invariant("true").unwrap(),
        Checker::new(&ends).check("false").unwrap(),
    ] {
        assert!(!report.no_run && !report.to_string().contains("there is no run"), "{report}");
    }
    // It is not known of a model without end, and it is not looked for without end.
    let endless = Counter { limit: None };
    let report = Checker::new(&endless).finite_runs(FiniteRuns::Ignore).check("zero").unwrap();
    assert!(report.holds() && !report.no_run, "{report}");
}

#[test]
fn an_algorithm_that_cannot_do_it_refuses() {
    let model = Counter { limit: Some(3) };
    let report = Checker::new(&model).algorithm("reach").check("F G zero").unwrap();
    let Verdict::Refused(reason) = &report.verdict else { panic!("{report}") };
    assert!(reason.starts_with("`reach` needs a terminal automaton"), "{reason}");
    assert_eq!((report.algorithm, report.run.is_none()), ("reach", true));
    let error = Checker::new(&model).algorithm("taun").check("F G zero").unwrap_err();
    assert_eq!(error.to_string(), "there is no algorithm `taun`: did you mean `tau`?");
    let error = Checker::new(&model).algorithm("quick").check("F G zero").unwrap_err();
    assert!(error.to_string().contains("there are lasso, cvwy,"), "{error}");
    assert!(Checker::new(&model).algorithm("auto").check("F G zero").is_ok());
}

#[test]
fn mistakes_in_formulas_are_shown() {
    let model = Counter { limit: Some(3) };
    let said = |text: &str| match check(&model, text) {
        Err(Error::Formula(text)) => text,
        Err(other) => panic!("{other}"),
        Ok(report) => panic!("{report}"),
    };
    expect![[r#"
        error: the model has no proposition `zerro`
         --> <formula>:1:6
          |
        1 | G (F zerro -> nothing)
          |      ^^^^^
          = hint: did you mean `zero`? The model has `zero`, `many`, `at the limit`, `deadlock`
        error: the model has no proposition `nothing`
         --> <formula>:1:15
          |
        1 | G (F zerro -> nothing)
          |               ^^^^^^^
          = hint: the model has `zero`, `many`, `at the limit`, `deadlock`
    "#]]
    .assert_eq(&said("G (F zerro -> nothing)"));
    expect![[r#"
        error: expected an operator or `)`, found the end
         --> <formula>:1:18
          |
        1 | G (zero -> F many
          |                  ^
          |   - to close this `(`
          = hint: a `)` is missing
    "#]]
    .assert_eq(&said("G (zero -> F many"));
    expect![[r#"
        error: the formula is empty
         --> <formula>:1:1
          |
        1 | 
          | ^ expected a formula
          = hint: for example `[] (request -> <> answer)`
    "#]]
    .assert_eq(&said(""));
    let error = Checker::new(&model).invariant("zero | F many").unwrap_err();
    expect![[r#"
        error: an invariant is about one state, and this is about several
         --> <formula>:1:8
          |
        1 | zero | F many
          |        ^^^^^^
          = hint: `check` is for formulas with temporal operators
    "#]]
    .assert_eq(&error.to_string());
    // `unwrap` shows the same.
    assert_eq!(format!("{error:?}"), error.to_string());
}

#[test]
fn a_run_is_shown_to_people() {
    let model = Counter { limit: Some(2) };
    let mut report = check(&model, "F many & G (zero -> X \"at the limit\")").unwrap();
    report.elapsed = Duration::ZERO;
    expect![[r#"
        violated: a run does not satisfy (F many) & (G (zero -> (X "at the limit")))

          0. 0
               true: zero
          1. count
               state = 1
               true: nothing
          2. count
               state = 2
               true: at the limit
        nothing can happen any more, after 2 steps

        3 states (5 with the automaton), 5 transitions, 0.000 s
        algorithm sd: the automaton is weak, so one depth-first search decides
    "#]]
    .assert_eq(&report.to_string());
}

#[test]
#[should_panic(expected = "the property should hold\nviolated: a run does not satisfy F many")]
fn assert_holds_shows_the_report() {
    check(&Counter { limit: Some(2) }, "F many").unwrap().assert_holds();
}

#[test]
#[should_panic(expected = "the property should be violated\nholds: every run satisfies F zero")]
fn assert_violated_shows_the_report() {
    check(&Counter { limit: Some(2) }, "F zero").unwrap().assert_violated();
}

/// A model that breaks its promises on purpose.
#[derive(Default)]
struct Fickle {
    starts: Vec<u8>,
    /// What has been asked before.
    asked: RefCell<HashSet<(&'static str, u8)>>,
    /// The question that gets another answer when it is asked again.
    fickle: &'static str,
    same_names: bool,
    own_deadlock: bool,
}

impl Fickle {
    fn changes(&self, question: &'static str, state: u8) -> bool {
        !self.asked.borrow_mut().insert((question, state)) && self.fickle == question
    }
}

impl Model for Fickle {
    type State = u8;
    type Action = ();

    fn initial_states(&self) -> Vec<u8> {
        if self.changes("start", 0) { vec![7] } else { self.starts.clone() }
    }

    fn successors(&self, state: &u8, out: &mut Vec<((), u8)>) {
        let next = if self.changes("steps", *state) { 3 } else { 5 };
        out.push(((), (state + next) % 8));
    }

    fn propositions<'m>(&'m self, named: &mut Propositions<'m, u8>) {
        named.add("low", |state| self.changes("condition", *state) != (*state < 4));
        if self.same_names {
            named.add("low", |_| true);
        }
        if self.own_deadlock {
            named.add("deadlock", |_| true);
        }
    }
}

#[test]
fn a_model_that_is_no_function_is_found_out() {
    let fickle = || Fickle { starts: vec![0], ..Fickle::default() };
    let questions = [
        ("start", "`initial_states` was asked"),
        ("steps", "`successors` was asked"),
        ("condition", "the proposition `low` was"),
    ];
    for (question, expected) in questions {
        // Some hold, some are violated.
        for formula in ["low", "!low", "G F low", "F G low", "X X X X low"] {
            let model = Fickle { fickle: question, ..fickle() };
            match check(&model, formula) {
                Err(Error::NotAFunction(what)) => assert!(what.contains(expected), "{what}"),
                other => panic!("{question} {formula}: {other:?}"),
            }
        }
    }
    check(&fickle(), "G F low").unwrap().assert_holds();
}

#[test]
fn models_without_a_start_or_with_two_names_are_refused() {
    assert_eq!(check(&Fickle::default(), "true").unwrap_err(), Error::NoInitialState);
    let twice = Fickle { starts: vec![0], same_names: true, ..Fickle::default() };
    assert_eq!(check(&twice, "F low").unwrap_err(), Error::ProposedTwice("low".to_string()));
    let own = Fickle { starts: vec![0], own_deadlock: true, ..Fickle::default() };
    assert_eq!(check(&own, "F low").unwrap_err(), Error::ProposedTwice("deadlock".to_string()));
}

#[test]
fn the_same_question_has_the_same_answer() {
    let mut random = Random(14);
    for _ in 0..200 {
        let graph = random_graph(&mut random);
        let text = random_formula(&mut random, 2);
        let shown = || {
            let mut report = check(&graph, &text).unwrap();
            report.elapsed = Duration::ZERO;
            report.to_string()
        };
        assert_eq!(shown(), shown());
    }
}

/// Every state has many successors, and there is no end of them.
struct Tree {
    pause: std::time::Duration,
}

impl Model for Tree {
    type State = u64;
    type Action = u64;

    fn initial_states(&self) -> Vec<u64> {
        vec![1]
    }

    fn successors(&self, state: &u64, out: &mut Vec<(u64, u64)>) {
        std::thread::sleep(self.pause);
        out.extend((0..300).map(|k| (k, state.wrapping_mul(300).wrapping_add(k))));
    }

    fn propositions(&self, named: &mut Propositions<u64>) {
        named.add("small", |state| *state < 300_u64.pow(4));
        named.add("here", |_| true);
    }
}

/// A violation is found deep in the tree; a nearest one is behind millions of states. The limits hold for
/// that search too.
#[test]
fn limits_hold_when_a_violation_has_been_found() {
    let tree = Tree { pause: std::time::Duration::ZERO };
    let start = std::time::Instant::now();
    let checker = Checker::new(&tree).max_states(200_000).timeout(std::time::Duration::from_secs(2));
    let report = checker.invariant("small").unwrap().assert_violated();
    assert!(report.model_states <= 400_000, "{}", report.model_states);
    assert!(start.elapsed() < std::time::Duration::from_secs(30), "{:?}", start.elapsed());
}

/// The clock is looked at by time: sixteen thousand transitions of this model would take half a minute.
#[test]
fn slow_functions_are_not_asked_long_after_the_time_is_up() {
    let tree = Tree { pause: std::time::Duration::from_millis(500) };
    let start = std::time::Instant::now();
    let report = Checker::new(&tree).timeout(std::time::Duration::from_secs(1)).check("G F here").unwrap();
    assert!(matches!(report.verdict, Verdict::Unknown(_)), "{report}");
    assert!(start.elapsed() < std::time::Duration::from_secs(15), "{:?}", start.elapsed());
}
