//! Searches that leave out what commutes, against searches that follow everything: the same states,
//! transitions, violations and locations.

use lariat_compiled::{CompiledModel, StepSource};
use lariat_engine::{Capacity, Closing, Interpreter, SuccessorFunction};
use lariat_generators::{GeneratorOptions, generate, generate_dve};
use lariat_model::ir::Model;
use lariat_promela::{ReadOptions, read_model, read_text};
use lariat_search::{Limits, Outcome, Question, depth_first_in_order};
use lariat_source::SourceMap;
use lariat_store::ExactStore;
use std::path::Path;

fn search(model: &impl SuccessorFunction, max_states: Option<u64>, in_order: u64) -> Outcome {
    let limits = Limits { max_states, ..Limits::default() };
    depth_first_in_order(model, &mut ExactStore::new(), Question::Everything, limits, None, in_order)
}

/// What does not depend on the order.
fn seen(outcome: &Outcome) -> String {
    let counts = &outcome.counts;
    let numbers = [counts.stored, counts.visited, counts.transitions, counts.deadlocks];
    let errors = [counts.assertion_violations, counts.runtime_errors];
    format!("{numbers:?} {errors:?} {:?} {:?}", outcome.stopped, outcome.reached)
}

/// Compares searches that give up the order sooner or later with the interpreter's in order. The number of
/// states; `None` if there are too many.
fn compare(model: &Model, most: u64) -> Option<u64> {
    let interpreter = Interpreter::new(model);
    let expected = search(&interpreter, Some(most), u64::MAX);
    if expected.stopped.is_some() {
        return None;
    }
    // What is remembered decides what is asleep: so both where little is forgotten, and where much is.
    let thrifty = Capacity { a_state: Some(0.002), ..Capacity::STANDARD };
    let standard = [0, 5, 300].map(|in_order| (in_order, Capacity::STANDARD));
    for (in_order, capacity) in standard.into_iter().chain([(40, Capacity::TINY), (7, thrifty)]) {
        let compiled = CompiledModel::new(interpreter.clone()).unwrap_or_else(|why| panic!("{}", why.0));
        let found = search(&compiled.only_by(StepSource::Recall).with_capacity(capacity), None, in_order);
        // With hidden variables, it matters.
        let gives_up = found.counts.stored > in_order && interpreter.memory_size() == 0;
        assert_eq!(found.counts.order_given_up, gives_up);
        assert_eq!(seen(&found), seen(&expected), "after {in_order} states in order");
    }
    // Nearly all values stand for themselves.
    let closed = Interpreter::new(model);
    closed.packer().close_lists(Closing::After(4));
    assert_eq!(seen(&search(&closed, None, u64::MAX)), seen(&expected), "closed lists, interpreted");
    for source in [StepSource::Recall, StepSource::Execute] {
        let closed = Interpreter::new(model);
        closed.packer().close_lists(Closing::After(4));
        let compiled = CompiledModel::new(closed).unwrap_or_else(|why| panic!("{}", why.0));
        let found = search(&compiled.only_by(source), None, 40);
        assert_eq!(seen(&found), seen(&expected), "closed lists, {source:?}");
    }
    Some(expected.counts.stored)
}

#[test]
fn our_models() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let mut compared = 0;
    for path in paths {
        let mut sources = SourceMap::new();
        let (model, _) = match path.extension().and_then(|extension| extension.to_str()) {
            Some("pml") => read_model(&path, &ReadOptions::default(), &mut sources).unwrap(),
            Some("dve") => lariat_dve::read_file(&path, &mut sources).unwrap(),
            _ => continue,
        };
        println!("{}", path.display());
        compared += model.and_then(|model| compare(&model, 60_000)).is_some() as u32;
    }
    assert!(compared > 15, "only {compared}");
}

#[test]
fn random_models() {
    let mut states = 0;
    for seed in 0..400 {
        let text = generate(seed, &GeneratorOptions::default()).to_string();
        let (model, _) = read_text("random.pml", &text, &ReadOptions::default(), &mut SourceMap::new());
        println!("seed {seed}\n{text}");
        states += model.and_then(|model| compare(&model, 5_000)).unwrap_or_default();
    }
    assert!(states > 50_000, "only {states}");
}

#[test]
fn random_dve_models() {
    let mut states = 0;
    for seed in 0..400 {
        let text = generate_dve(seed);
        let (model, _) = lariat_dve::read_text("random.dve", &text, &mut SourceMap::new());
        println!("seed {seed}\n{text}");
        states += model.and_then(|model| compare(&model, 5_000)).unwrap_or_default();
    }
    assert!(states > 5_000, "only {states}");
}
