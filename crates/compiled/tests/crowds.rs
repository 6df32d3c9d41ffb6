//! Many processes that touch the same arrays, meet and come and go ([`lariat_generators::crowd`]): searches
//! by what is remembered, by code, with what commutes left out, against the interpreter's in order.

mod common;

use common::{search, seen};
use lariat_compiled::{CompiledModel, StepSource};
use lariat_engine::{Capacity, Interpreter};
use lariat_generators::generate_crowd;
use lariat_model::ir::Model;
use lariat_promela::{ReadOptions, read_text};
use lariat_source::SourceMap;

/// The number of states; `None` if there are too many.
fn compare(model: &Model, most: u64) -> Option<u64> {
    let interpreter = Interpreter::new(model);
    let expected = search(&interpreter, Some(most), u64::MAX);
    if expected.stopped.is_some() {
        return None;
    }
    let ways = [
        (StepSource::Recall, Capacity::STANDARD, 0),
        (StepSource::Recall, Capacity::TINY, 30),
        (StepSource::Recall, Capacity::STANDARD, u64::MAX),
        (StepSource::Execute, Capacity::STANDARD, u64::MAX),
    ];
    for (source, capacity, in_order) in ways {
        let compiled = CompiledModel::new(interpreter.clone()).unwrap_or_else(|why| panic!("{}", why.0));
        let found = search(&compiled.only_by(source).with_capacity(capacity), None, in_order);
        assert_eq!(seen(&found), seen(&expected), "{source:?}, {in_order} states in order");
    }
    Some(expected.counts.stored)
}

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

#[test]
fn random_crowds() {
    let first = number("LARIAT_TEST_SEED", 0);
    let (mut states, mut compared, mut refused) = (0, 0, 0);
    for seed in first..first + 250 * number("LARIAT_TEST_FACTOR", 1) {
        let text = generate_crowd(seed);
        println!("seed {seed}\n{text}");
        let (model, _) = read_text("crowd.pml", &text, &ReadOptions::default(), &mut SourceMap::new());
        refused += model.is_none() as u64;
        let found = model.and_then(|model| compare(&model, 4_000));
        compared += found.is_some() as u64;
        states += found.unwrap_or_default();
    }
    println!("{compared} models, {states} states, {refused} refused");
    assert!(states > 20_000, "only {states} of {compared}");
}
