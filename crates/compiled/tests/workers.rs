//! Several workers of one search, each on a thread of its own, with one store: together they find what one
//! worker finds, and each reads what the others have stored.

use lariat_compiled::{CompiledModel, StepSource, When};
use lariat_engine::{Interpreter, SuccessorFunction, Successors, portable_hash};
use lariat_generators::{GeneratorOptions, generate, generate_dve};
use lariat_model::ir::Model;
use lariat_promela::{ReadOptions, read_model, read_text};
use lariat_source::SourceMap;
use lariat_store::{ExactStore, Inserted, NoRoom, SharedStore, StateId, StateStore, VisitedSet};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Barrier, Mutex, RwLock};

type Worker<'m> = Box<dyn SuccessorFunction + Send + 'm>;

/// What does not depend on who did what.
#[derive(Debug, Default, PartialEq, Eq)]
struct Found {
    /// In the portable form.
    states: BTreeSet<Vec<u8>>,
    transitions: u64,
    violations: u64,
}

/// What one worker does alone; `None` if there are too many states, or if states have a memory: then it
/// depends on the order which of them are met.
fn alone(model: &Model, most: usize) -> Option<Found> {
    let interpreter = Interpreter::new(model);
    if interpreter.memory_size() > 0 {
        return None;
    }
    let mut store = ExactStore::new();
    let mut open: Vec<StateId> = Vec::new();
    let mut found = Found::default();
    let (mut state, mut out) = (interpreter.initial_state().ok()?, Successors::new());
    open.push(store.insert(&state).id());
    while let Some(id) = open.pop() {
        store.read(id, &mut state);
        let mut portable = Vec::new();
        interpreter.packer().to_portable(&state, &mut portable);
        assert!(found.states.insert(portable), "one portable form for two states");
        interpreter.successors(&state, &mut out);
        if out.was_cut() || store.len() > most as u64 {
            return None;
        }
        found.transitions += out.len() as u64;
        found.violations += out.violations().count() as u64;
        for i in 0..out.len() {
            if let Inserted::New(id) = store.insert(out.state(i)) {
                open.push(id);
            }
        }
    }
    Some(found)
}

/// States that wait to be expanded: for each worker those that it must expand, and who has found them.
struct Open {
    by_worker: Vec<Mutex<Vec<(StateId, usize)>>>,
    /// States that are found and not expanded yet.
    left: AtomicU64,
}

impl Open {
    /// Deals out a state: the hash says to whom, so most states go to another worker than the finder.
    fn add(&self, state: &[u8], id: StateId, finder: usize) {
        let worker = portable_hash(state) as usize % self.by_worker.len();
        self.left.fetch_add(1, Ordering::AcqRel);
        self.by_worker[worker].lock().unwrap().push((id, finder));
    }
}

/// Inserts a state; room is made while nobody else has the store.
fn insert(store: &RwLock<ExactStore>, state: &[u8]) -> Inserted {
    loop {
        match store.read().unwrap().try_insert(state) {
            Ok(inserted) => return inserted,
            Err(reason) => assert_eq!(reason, NoRoom::Table),
        }
        let mut store = store.write().unwrap();
        if store.wants_room() {
            store.make_room();
        }
    }
}

/// All workers together. Also how many states were expanded by another worker than the one who found them.
fn together(workers: Vec<Worker>, reader: &Interpreter) -> (Found, u64) {
    let count = workers.len();
    let store = RwLock::new(ExactStore::new());
    let open = Open { by_worker: (0..count).map(|_| Mutex::default()).collect(), left: AtomicU64::new(0) };
    let initial = workers[0].initial_state().unwrap();
    let first = insert(&store, &initial).id();
    open.add(&initial, first, 0);
    let start = Barrier::new(count);
    let (store, open, start) = (&store, &open, &start);
    let work = |me: usize, worker: Worker| {
        let (mut state, mut out) = (Vec::new(), Successors::for_lane(0));
        let (mut transitions, mut violations, mut handed_over) = (0, 0, 0);
        let mut new = Vec::new();
        start.wait();
        while open.left.load(Ordering::Acquire) > 0 {
            let next = open.by_worker[me].lock().unwrap().pop();
            let Some((id, finder)) = next else {
                std::thread::yield_now();
                continue;
            };
            handed_over += (finder != me) as u64;
            store.read().unwrap().read(id, &mut state);
            worker.successors(&state, &mut out);
            transitions += out.len() as u64;
            violations += out.violations().count() as u64;
            for i in 0..out.len() {
                if let Inserted::New(id) = insert(store, out.state(i)) {
                    new.push(id);
                    open.add(out.state(i), id, me);
                }
            }
            open.left.fetch_sub(1, Ordering::AcqRel);
        }
        (new, transitions, violations, handed_over)
    };
    let parts: Vec<(Vec<StateId>, u64, u64, u64)> = std::thread::scope(|scope| {
        let start = |(me, worker)| scope.spawn(move || work(me, worker));
        let threads: Vec<_> = workers.into_iter().enumerate().map(start).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let store = store.read().unwrap();
    let mut found = Found::default();
    let mut state = Vec::new();
    for id in parts.iter().flat_map(|(new, ..)| new).chain([&first]) {
        store.read(*id, &mut state);
        let mut portable = Vec::new();
        reader.packer().to_portable(&state, &mut portable);
        assert!(found.states.insert(portable), "one state, stored twice");
    }
    assert_eq!(found.states.len() as u64, store.len());
    found.transitions = parts.iter().map(|(_, transitions, ..)| transitions).sum();
    found.violations = parts.iter().map(|(.., violations, _)| violations).sum();
    (found, parts.iter().map(|(.., handed_over)| handed_over).sum())
}

/// Lets a worker expand some states, so that it remembers steps when others begin with a copy of them.
fn warm_up(worker: &CompiledModel) {
    let (mut states, mut out) = (vec![worker.initial_state().unwrap()], Successors::for_lane(0));
    for at in 0..300 {
        let Some(state) = states.get(at) else { break };
        worker.successors(state, &mut out);
        states.extend((0..out.len()).map(|i| out.state(i).to_vec()));
    }
}

/// Compares workers of all kinds with one worker alone. How many states there are, and how many were handed
/// over from one worker to another; `None` if nothing can be compared.
fn compare(model: &Model, most: usize) -> Option<(usize, u64)> {
    let expected = alone(model, most)?;
    let mut handed_over = 0;
    let mut check = |workers: Vec<Worker>, reader: &Interpreter, who: &str| {
        let count = workers.len();
        let (found, more) = together(workers, reader);
        assert!(found == expected, "{count} {who}: {} states", found.states.len());
        handed_over += more;
    };
    let interpreter = Interpreter::new(model);
    for count in [2, 4] {
        let workers = (0..count).map(|_| Box::new(interpreter.clone()) as Worker).collect();
        check(workers, &interpreter, "interpreters");
    }
    for source in [Some(StepSource::Recall), Some(StepSource::Execute), None] {
        // Some locations become hot while several workers are there; whoever notices it compiles them.
        let when = if source == Some(StepSource::Recall) { When::Beforehand } else { When::Hot(5) };
        let compiled = CompiledModel::unless(Interpreter::new(model), when, &|| false);
        let compiled = compiled.unwrap_or_else(|why| panic!("{}", why.0));
        let compiled = source.into_iter().fold(compiled, |compiled, source| compiled.only_by(source));
        let mut workers: Vec<Worker> = vec![Box::new(compiled.another_worker())];
        warm_up(&compiled);
        workers.push(Box::new(compiled.another_worker()));
        if source.is_none() {
            // One that interprets what others have compiled.
            workers.push(Box::new(compiled.another_worker()));
            workers.push(Box::new(compiled.interpreter().clone()));
        }
        let reader = compiled.interpreter().clone();
        workers.push(Box::new(compiled));
        check(workers, &reader, &format!("compiled, {source:?}"));
    }
    Some((expected.states.len(), handed_over))
}

fn read(text: &str) -> Option<Model> {
    read_text("model.pml", text, &ReadOptions::default(), &mut SourceMap::new()).0
}

#[test]
fn our_models() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let (mut compared, mut all_handed_over) = (0, 0);
    for path in paths {
        let mut sources = SourceMap::new();
        let (model, _) = match path.extension().and_then(|extension| extension.to_str()) {
            Some("pml") => read_model(&path, &ReadOptions::default(), &mut sources).unwrap(),
            Some("dve") => lariat_dve::read_file(&path, &mut sources).unwrap(),
            _ => continue,
        };
        println!("{}", path.display());
        if let Some((_, handed_over)) = model.and_then(|model| compare(&model, 20_000)) {
            compared += 1;
            all_handed_over += handed_over;
        }
    }
    assert!(compared > 8 && all_handed_over > 10_000, "{compared} models, {all_handed_over} states");
}

#[test]
fn random_models() {
    let (mut states, mut all_handed_over) = (0, 0);
    for seed in 1000..1150 {
        let text = generate(seed, &GeneratorOptions::default()).to_string();
        println!("seed {seed}\n{text}");
        if let Some((found, handed_over)) = read(&text).and_then(|model| compare(&model, 2_000)) {
            states += found;
            all_handed_over += handed_over;
        }
    }
    assert!(
        states > 5_000 && all_handed_over > states as u64,
        "{states} states, {all_handed_over} handed over"
    );
}

#[test]
fn random_dve_models() {
    let mut states = 0;
    for seed in 1000..1100 {
        let text = generate_dve(seed);
        println!("seed {seed}\n{text}");
        let (model, _) = lariat_dve::read_text("random.dve", &text, &mut SourceMap::new());
        states += model.and_then(|model| compare(&model, 2_000)).map_or(0, |(found, _)| found);
    }
    assert!(states > 1_000, "only {states}");
}

/// New shapes, new values and new places for higher bytes turn up all the time, in all workers.
#[test]
fn processes_that_come_and_go_with_many_values() {
    let text = "byte n;
        proctype Child(short v) {
            short w = v; chan c = [1] of { short };
            c!w; if :: c?w -> w = w + n :: c?w -> w = 0 fi; n = 0 }
        active [1] proctype P() {
            short i;
            do :: i < 300 -> i++ :: _nr_pr == 1 && i % 10 == 0 -> atomic { n = 1; run Child(i) } od }";
    let model = read(text).unwrap();
    let (states, handed_over) = compare(&model, 100_000).unwrap();
    assert!(states > 10_000 && handed_over > 1_000, "{states} states, {handed_over} handed over");
}
