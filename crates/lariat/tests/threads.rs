//! Several threads: the same reports as with one, however the threads take turns.

use lariat::{Checker, Error, Fairness, Model, ModelReport, Propositions};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread::{ThreadId, current};
use std::time::{Duration, Instant};

/// A graph whose successors take their time.
struct Slow {
    states: u64,
    seed: u64,
    takes: Duration,
    /// Where it panics.
    trap: Option<u64>,
    searcher: ThreadId,
    /// Calls by the thread that searches, and by others.
    calls: [AtomicU64; 2],
}

impl Slow {
    fn new(seed: u64) -> Slow {
        let calls = [AtomicU64::new(0), AtomicU64::new(0)];
        let takes = Duration::from_micros(10);
        Slow { states: 3000, seed, takes, trap: None, searcher: current().id(), calls }
    }

    fn number(&self, state: u64, what: u64) -> u64 {
        let mixed = (state ^ self.seed << 40 ^ what << 20).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (mixed ^ mixed >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 33
    }
}

impl Model for Slow {
    type State = u64;
    type Action = u64;

    fn initial_states(&self) -> Vec<u64> {
        vec![0, 1]
    }

    fn successors(&self, &state: &u64, out: &mut Vec<(u64, u64)>) {
        self.calls[usize::from(current().id() != self.searcher)].fetch_add(1, Relaxed);
        assert!(self.trap != Some(state), "the trap");
        let begin = Instant::now();
        while begin.elapsed() < self.takes {
            std::hint::spin_loop();
        }
        let steps = if self.number(state, 6).is_multiple_of(50) { 0 } else { 1 + self.number(state, 7) % 3 };
        for step in 0..steps {
            // Mostly forward, so that there are many components.
            let back = self.number(state, step + 20).is_multiple_of(16);
            let far = 1 + self.number(state, step) % 6;
            let to = if back { state.saturating_sub(far) } else { state + far };
            out.push((step, to.min(self.states - 1)));
        }
    }

    fn propositions<'m>(&'m self, named: &mut Propositions<'m, u64>) {
        named.add("seldom", |&state| self.number(state, 40).is_multiple_of(300));
        named.add("inside", |&state| state < self.states);
        named.add("often", |&state| !self.number(state, 41).is_multiple_of(3));
    }
}

/// All that a report says, but for the time.
fn told(report: Result<ModelReport<Slow>, Error>) -> String {
    let report = report.unwrap();
    let run = report.run.as_ref().map(|run| {
        let steps = run.prefix.iter().chain(&run.cycle).map(|step| (step.action, step.state));
        (run.prefix.len(), steps.collect::<Vec<_>>())
    });
    let counts = (report.counts, report.model_states, report.reduced_states);
    format!("{:?} {counts:?} {} {run:?}", report.verdict, report.algorithm)
}

fn answers(model: &Slow, threads: usize) -> Vec<String> {
    let checker = || Checker::new(model).threads(threads);
    vec![
        told(checker().check("G (seldom -> F often)")),
        told(checker().check("G F often")),
        told(checker().shortest().check("F G often")),
        told(checker().invariant("often | !seldom | often")),
        told(checker().invariant("inside")),
        told(checker().no_deadlock()),
        told(checker().exists("F (seldom & !often)")),
        told(checker().fairness(Fairness::Weak).check("G F often")),
        told(checker().max_states(500).check("G F often")),
    ]
}

#[test]
fn reports_do_not_depend_on_the_number_of_threads() {
    let mut helped = 0;
    for seed in 0..8 {
        let model = Slow::new(seed);
        let alone = answers(&model, 1);
        assert_eq!(model.calls[1].load(Relaxed), 0);
        for threads in [2, 3, 8] {
            let model = Slow::new(seed);
            assert_eq!(answers(&model, threads), alone, "{seed}, {threads} threads");
            helped += model.calls[1].load(Relaxed);
        }
    }
    assert!(helped > 1000, "{helped}");
}

/// What is over in no time is not handed over.
#[test]
fn quick_models_are_searched_by_one_thread() {
    let model = Slow { takes: Duration::ZERO, ..Slow::new(3) };
    Checker::new(&model).threads(4).invariant("inside").unwrap().assert_holds();
    let [own, others] = model.calls.each_ref().map(|calls| calls.load(Relaxed));
    assert!(own > 2000 && others == 0, "{own} {others}");
}

/// A model that panics does so in the thread that asks, if the search comes there; as with one thread.
#[test]
fn panics_are_the_searchers() {
    let mut trapped = 0;
    for trap in (300..340).chain([1_000_000]) {
        let asked = |threads: usize| {
            let model = Slow { trap: Some(trap), ..Slow::new(5) };
            let checker = Checker::new(&model).threads(threads);
            catch_unwind(AssertUnwindSafe(|| told(checker.invariant("inside"))))
                .map_err(|panic| *panic.downcast_ref::<&str>().unwrap())
        };
        let alone = asked(1);
        assert_eq!(asked(3), alone, "{trap}");
        trapped += usize::from(alone == Err("the trap"));
    }
    assert!((1..=40).contains(&trapped), "{trapped}");
}
