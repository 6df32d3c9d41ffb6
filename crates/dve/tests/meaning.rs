//! What lowered models do, against the plain interpreter of `reference`: the same states, the same steps, the
//! same errors, on our own models and on random ones.

mod reference;

use lariat_dve::ast;
use lariat_engine::{Interpreter, SuccessorFunction, Successors, ViolationKind};
use lariat_generators::generate_dve;
use lariat_model::ir::{Model, Storage};
use lariat_source::SourceMap;
use reference::{Described, Reference};
use std::collections::BTreeMap;
use std::path::Path;

const MOST_STATES: usize = 6_000;

/// What can happen in a state: where it leads, how many run-time errors, how many failed assertions.
type Graph = BTreeMap<Described, (Vec<Described>, usize, usize)>;

/// A state of the lowered model, as the reference describes states.
fn described(interpreter: &Interpreter, state: &[u8]) -> Described {
    let micro = interpreter.micro_from(state);
    let layout = interpreter.layout();
    let bytes = micro.bytes();
    let mut locations = Vec::new();
    let mut at = layout.frames_start;
    while at < bytes.len() {
        let tag = bytes[at] as usize;
        match layout.processes.get(tag) {
            Some(process) => {
                assert_eq!(process.location, Storage::Unsigned(8));
                // Locations are numbered from 1.
                locations.push(bytes[at + layout.tag_size] as usize - 1);
                at += process.frame_size;
            }
            None => at += layout.channels[tag - layout.processes.len()].frame_size,
        }
    }
    let items = interpreter.describe(&micro).into_iter().map(|item| (item.name, item.value)).collect();
    (locations, items)
}

fn lowered_graph(model: &Model) -> Graph {
    let interpreter = Interpreter::new(model);
    let mut out = Successors::new();
    let mut graph = Graph::new();
    let mut work = vec![interpreter.initial_state().expect("an initial state")];
    while let Some(state) = work.pop() {
        let key = described(&interpreter, &state);
        if graph.contains_key(&key) {
            continue;
        }
        interpreter.successors(&state, &mut out);
        let mut next = Vec::new();
        for i in 0..out.len() {
            work.push(out.state(i).to_vec());
            next.push(described(&interpreter, out.state(i)));
        }
        next.sort();
        let count = |kind| out.violations().filter(|(violation, _)| violation.kind == kind).count();
        graph.insert(key, (next, count(ViolationKind::RuntimeError), count(ViolationKind::Assertion)));
    }
    graph
}

/// Compares both; the number of states, or nothing if there are too many.
fn compare(name: &str, text: &str) -> Option<usize> {
    let mut sources = SourceMap::new();
    let (tree, messages): (ast::Model, _) = lariat_dve::parse_text(name, text, &mut sources);
    assert!(messages.is_empty(), "{name}: {messages:?}\n{text}");
    let reference = Reference::new(&tree);
    let plain = reference.explore(MOST_STATES)?;
    let describe = |state| reference.described(state);
    let expected: Graph = plain
        .iter()
        .map(|(state, (next, errors, failed))| {
            let mut next: Vec<Described> = next.iter().map(describe).collect();
            next.sort();
            (describe(state), (next, *errors, *failed))
        })
        .collect();
    let (model, messages) = lariat_dve::read_text(name, text, &mut SourceMap::new());
    let model = model.unwrap_or_else(|| panic!("{name}: {messages:?}\n{text}"));
    assert_eq!(lariat_model::verify::verify(&model), Vec::<String>::new(), "{name}");
    let found = lowered_graph(&model);
    for (state, steps) in &expected {
        assert_eq!(found.get(state), Some(steps), "{name}: in {state:?}\n{text}");
    }
    assert_eq!(found.len(), expected.len(), "{name}\n{text}");
    Some(expected.len())
}

#[test]
fn our_models() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let mut compared = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "dve") {
            let text = std::fs::read_to_string(&path).unwrap();
            let states = compare(&path.display().to_string(), &text).expect("few states");
            let expected = std::fs::read_to_string(path.with_extension("expect.toml")).unwrap();
            assert!(
                expected.contains(&format!("states = {states}\n")),
                "{}: {states} states",
                path.display()
            );
            compared += 1;
        }
    }
    assert!(compared >= 4, "{compared}");
}

fn random_models(seeds: std::ops::Range<u64>) -> usize {
    seeds.filter_map(|seed| compare(&format!("seed {seed}"), &generate_dve(seed))).count()
}

#[test]
fn some_random_models() {
    let compared = random_models(0..400);
    assert!(compared > 250, "only {compared} models have few states");
}

#[test]
#[ignore = "long"]
fn many_random_models() {
    random_models(1_000..20_000);
}
