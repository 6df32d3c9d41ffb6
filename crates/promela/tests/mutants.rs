//! Whatever a model does, reading, lowering and running it ends, without a panic; and what the lowering makes
//! is always well-formed.
//!
//! Models are mutated token by token ([`mutated`]), so that many still read. Those that do are
//! verified, printed and read back, and their first states are computed. Each case runs in a thread of its
//! own, named after the seed and the number of the case, with a usual stack: a stack that overflows names the
//! case, and a case that takes too long is reported with its text.

use crate::garbled::{Random, corpus_models, mutated, own_models, readable_texts, test_models};
use lariat_engine::{Interpreter, Patience, SuccessorFunction, Successors};
use lariat_model::{ir::Model, text, verify::verify};
use lariat_promela::{ReadOptions, read_text};
use lariat_source::SourceMap;
use std::collections::HashSet;
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

const STATES: usize = 2_000;

/// After so long no further state is looked at, and a sequence that is still followed is given up.
const ENOUGH: Duration = Duration::from_millis(500);

/// So long nothing may take.
const TOO_LONG: Duration = Duration::from_secs(120);

#[test]
fn mutants_are_survived() {
    let tally = run_mutants(1, 1500, Duration::from_secs(15));
    assert!(tally.lowered * 8 > tally.cases, "{tally:?}: the mutants hardly ever read");
}

/// `LARIAT_MUTANTS` says how many, `LARIAT_SEED` which.
#[test]
#[ignore = "takes as long as it is told to"]
fn many_mutants_are_survived() {
    let number =
        |name: &str, otherwise| std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(otherwise);
    let tally = run_mutants(
        number("LARIAT_SEED", 2),
        number("LARIAT_MUTANTS", 100_000),
        Duration::from_secs(1 << 20),
    );
    println!("{tally:?}");
}

/// What became of the mutants.
#[derive(Clone, Copy, Debug, Default)]
#[allow(dead_code)] // to be printed
struct Tally {
    cases: u64,
    lowered: u64,
    states: usize,
}

fn run_mutants(seed: u64, cases: u64, enough: Duration) -> Tally {
    let paths = own_models().into_iter().chain(test_models()).chain(corpus_models());
    let texts = Arc::new(readable_texts(paths));
    assert!(!texts.is_empty());
    let start = Instant::now();
    let mut tally = Tally::default();
    for case in 0..cases {
        if start.elapsed() > enough {
            break;
        }
        let (texts, (send, receive)) = (texts.clone(), mpsc::channel());
        let mutant = {
            let mut random = Random::new(seed.wrapping_mul(1 << 32).wrapping_add(case));
            let (model, other) = (random.below(texts.len()), random.below(texts.len()));
            mutated(&texts[model], &texts[other], &mut random)
        };
        let text = mutant.clone();
        let thread = std::thread::Builder::new()
            .name(format!("case {case} of seed {seed}"))
            .spawn(move || send.send(run(&text)))
            .unwrap();
        match receive.recv_timeout(TOO_LONG) {
            Ok(Some(states)) => {
                tally.lowered += 1;
                tally.states += states;
            }
            Ok(None) => {}
            Err(mpsc::RecvTimeoutError::Timeout) => {
                panic!("case {case} of seed {seed} does not end:\n{mutant}")
            }
            Err(mpsc::RecvTimeoutError::Disconnected) => {
                panic!("case {case} of seed {seed} panics:\n{mutant}")
            }
        }
        thread.join().unwrap().unwrap();
        tally.cases += 1;
    }
    tally
}

/// Reads and runs a model; the number of states seen, if it reads.
fn run(text: &str) -> Option<usize> {
    let mut sources = SourceMap::new();
    let (model, diagnostics) = read_text("mutant.pml", text, &ReadOptions::default(), &mut sources);
    for diagnostic in diagnostics.iter().take(20) {
        diagnostic.render(&sources);
    }
    assert_eq!(model.is_none(), diagnostics.iter().any(|d| d.is_error()), "a model, or an error");
    let model = model?;
    let complaints = verify(&model);
    assert!(complaints.is_empty(), "lowered to something malformed: {complaints:?}");
    let printed = text::print(&model);
    let again = text::parse(&printed).unwrap_or_else(|e| panic!("{e}\n{printed}"));
    assert_eq!(text::print(&again), printed, "printed and read back it is another");
    Some(explore(&model))
}

fn explore(model: &Model) -> usize {
    let start = Instant::now();
    // A d_step of four thousand million steps is a model like any other.
    let patience = Patience { deadline: Some(start + ENOUGH), ..Patience::default() };
    let interpreter = Interpreter::new(model).with_patience(patience);
    let Ok(initial) = interpreter.initial_state() else { return 0 };
    let mut seen = HashSet::from([initial.clone()]);
    let mut waiting = vec![initial];
    let mut successors = Successors::new();
    while let Some(state) = waiting.pop() {
        if seen.len() > STATES || start.elapsed() > ENOUGH {
            break;
        }
        interpreter.successors(&state, &mut successors);
        if successors.is_empty() {
            interpreter.may_end(&state);
        }
        for i in 0..successors.len() {
            if seen.insert(successors.state(i).to_vec()) {
                waiting.push(successors.state(i).to_vec());
            }
        }
    }
    seen.len()
}
