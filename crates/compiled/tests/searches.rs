//! Searches that leave out what commutes, against searches that follow everything: the same states,
//! transitions, violations and locations.

mod common;

use common::{search, seen};
use lariat_compiled::{CompiledModel, StepSource};
use lariat_engine::{Capacity, Closing, Interpreter, SuccessorFunction};
use lariat_generators::{GeneratorOptions, generate, generate_dve};
use lariat_model::ir::Model;
use lariat_promela::{ReadOptions, read_model, read_text};
use lariat_source::SourceMap;
use std::path::Path;

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

fn read(text: &str) -> Model {
    let (model, messages) = read_text("text.pml", text, &ReadOptions::default(), &mut SourceMap::new());
    model.unwrap_or_else(|| panic!("{messages:?}\n{text}"))
}

/// Who is asleep is told by 32 bits, and a set of processes has 64. Processes whose numbers differ by 32 or
/// 64 do something, and those before wait for it; what is not done in one order is not done at all.
#[test]
fn more_processes_than_bits() {
    for count in [32, 33, 35, 36, 63, 64, 65, 66, 67] {
        let some = if count > 64 { 2 } else { 3 };
        let model = read(&format!(
            "byte a[4]; active [{count}] proctype P() {{ byte k; _pid % 32 < {some}; if :: _pid >= 32 -> \
             a[_pid & 3] = 1; k = 1 :: else -> a[(_pid + {some}) % {some}] > 0 -> k = 1; a[3] = a[3] + 1 fi }}"
        ));
        assert!(compare(&model, 30_000).is_some(), "{count} processes");
        let model = read(&format!(
            "byte a[4]; active [{count}] proctype P() {{ byte k; if :: _pid == 2 -> a[1] == 1; k = 1 \
             :: _pid == 33 -> a[1] = 1 :: _pid == 34 -> a[2] = 1 :: _pid == 65 -> a[3] = 1 fi }}"
        ));
        assert!(compare(&model, 30_000).is_some(), "{count} processes");
    }
}

/// Who touches what is told by 64 bits: where there are more pieces, some have one bit together.
#[test]
fn more_pieces_than_bits() {
    for (length, pieces) in [(3, "few"), (14, "bytes of globals"), (60, "about"), (70, "many")] {
        let last = length - 1;
        let model = read(&format!(
            "int a[{length}]; chan r = [0] of {{ byte }}; byte x; \
             proctype Q(byte i) {{ int k = i; if :: a[{last}] = a[{last}] + i; a[0] = a[{last}] \
             :: r!i; k = a[0] :: i > 5 -> a[k % {length}] = k * k :: r?x; a[{last} - 1] = k + x fi; a[{last} - (i & 1)] != 3 -> k = k * 70000 }} \
             init {{ run Q(1); run Q(2); run Q(3) }}"
        ));
        assert!(compare(&model, 30_000).is_some_and(|states| states > 100), "{pieces}");
    }
}
