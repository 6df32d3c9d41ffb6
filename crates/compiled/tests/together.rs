//! Searches by several threads see what one thread sees, with both engines: states, transitions, violations,
//! locations that were reached, and the runs that are shown: out of order, all violations, level by level.

use lariat_compiled::CompiledModel;
use lariat_engine::reduction::{Reduction, loosened};
use lariat_engine::{
    Interpreter, Patience, SuccessorFunction, Successors, Violation, ViolationKind, Workers,
};
use lariat_generators::{GeneratorOptions, generate, generate_dve};
use lariat_model::ir::Model;
use lariat_promela::{ReadOptions, read_model, read_text};
use lariat_search::{
    Limits, Outcome, Question, Room, StopReason, breadth_first, breadth_first_together, depth_first_in_order,
    depth_first_in_turns, depth_first_together, replay,
};
use lariat_source::SourceMap;
use lariat_store::{ExactStore, StateStore, TreeStore};
use std::cell::Cell;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// A model whose workers lose the processor now and then, in the middle of their work.
struct Yielding<'s, M> {
    model: M,
    seed: Cell<u64>,
    /// How many states were expanded by others than the first worker.
    by_others: &'s AtomicU64,
    is_first: bool,
    is_reduced: bool,
}

impl<'s, M> Yielding<'s, M> {
    fn new(model: M, seed: u64, by_others: &'s AtomicU64, follow: Follow) -> Yielding<'s, M> {
        let is_reduced = follow == Follow::Some;
        Yielding { model, seed: Cell::new(seed), by_others, is_first: true, is_reduced }
    }

    fn random(&self) -> u64 {
        let seed = self.seed.get().wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        self.seed.set(seed);
        seed >> 33
    }

    fn yield_now_and_then(&self) {
        match self.random() % 64 {
            0 => std::thread::sleep(Duration::from_micros(self.random() % 30)),
            1..10 => std::thread::yield_now(),
            _ => {}
        }
    }
}

impl<M: SuccessorFunction> SuccessorFunction for Yielding<'_, M> {
    fn initial_state(&self) -> Result<Vec<u8>, Violation> {
        self.model.initial_state()
    }

    /// Others than the first worker use it level by level.
    fn successors(&self, state: &[u8], out: &mut Successors) {
        if !self.is_first {
            self.by_others.fetch_add(1, Ordering::Relaxed);
            self.yield_now_and_then();
        }
        self.model.successors(state, out);
    }

    fn awake_successors(&self, state: &[u8], sleeping: u32, out: &mut Successors) {
        if !self.is_first {
            self.by_others.fetch_add(1, Ordering::Relaxed);
        }
        self.yield_now_and_then();
        let sleeping = if self.is_reduced { 0 } else { sleeping };
        self.model.awake_successors(state, sleeping, out);
        self.yield_now_and_then();
    }

    fn memory_size(&self) -> usize {
        self.model.memory_size()
    }

    fn may_end(&self, state: &[u8]) -> bool {
        self.model.may_end(state)
    }

    fn wrong_end(&self, state: &[u8]) -> Option<Violation> {
        self.model.wrong_end(state)
    }

    fn add_reached(&self, reached: &mut Vec<Vec<bool>>) {
        self.model.add_reached(reached);
    }
}

impl<'s, M: Workers> Workers for Yielding<'s, M> {
    type Worker = Yielding<'s, M::Worker>;

    fn another_worker(&self) -> Self::Worker {
        Yielding {
            model: self.model.another_worker(),
            seed: Cell::new(self.random()),
            by_others: self.by_others,
            is_first: false,
            is_reduced: self.is_reduced,
        }
    }
}

/// States of a path, in the portable form.
type States = Vec<Vec<u8>>;

/// What must not depend on the number of threads.
#[derive(Debug, PartialEq)]
struct Seen {
    counts: [u64; 9],
    violations: Vec<(ViolationKind, String, u64, Option<States>)>,
    reached: Vec<Vec<bool>>,
    stopped: Option<StopReason>,
}

fn seen(outcome: &Outcome, store: &impl StateStore, interpreter: &Interpreter, question: Question) -> Seen {
    // Whoever looks for the paths to all violations stops when it has them.
    assert!(outcome.counts.stored == store.len() || question == Question::AllViolations);
    seen_in(outcome, store, interpreter, question)
}

fn seen_in(
    outcome: &Outcome,
    store: &impl StateStore,
    interpreter: &Interpreter,
    question: Question,
) -> Seen {
    let counts = &outcome.counts;
    // States as all understand them: the numbers in them depend on who was first.
    let portable = |id: &_| {
        let (mut state, mut portable) = (Vec::new(), Vec::new());
        store.read(*id, &mut state);
        interpreter.packer().to_portable(&state, &mut portable);
        portable
    };
    let violations = outcome.found.iter().map(|found| {
        if found.path.is_some() {
            assert!(replay(interpreter, store, found, &mut Room::endless()).is_ok());
        }
        let path = found.path.as_ref().map(|path| path.iter().map(portable).collect());
        (found.violation.kind, found.violation.message.clone(), found.count, path)
    });
    Seen {
        violations: violations.collect(),
        counts: [
            counts.stored,
            counts.visited,
            counts.transitions,
            counts.post_calls,
            counts.deadlocks,
            counts.assertion_violations,
            counts.runtime_errors,
            counts.endless_sequences,
            counts.divergences,
        ],
        // Of a search that begins again, a model may tell what it has reached before; and of a level that is
        // done again up to a limit, what lies behind it.
        reached: match question {
            Question::Everything if counts.stored > 0 && outcome.stopped.is_none() => outcome.reached.clone(),
            _ => Vec::new(),
        },
        stopped: outcome.stopped,
    }
}

/// So many threads.
const THREADS: [usize; 3] = [2, 3, 8];

/// Which processes of a state are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Follow {
    All,
    /// Those that must be; but which process sleeps must not depend on the way then, so none does.
    Some,
}

fn interpreter_of(model: &Model, follow: Follow) -> Option<Interpreter<'_>> {
    let interpreter = Interpreter::new(model);
    if follow == Follow::All {
        return Some(interpreter);
    }
    let reduction = Reduction::new(&interpreter).ok()?;
    let (reduction, _) = loosened(reduction, &interpreter, Patience::default());
    Some(interpreter.with_reduction(reduction.ok()?))
}

/// Compares searches of all kinds. How many states there are; `None` if there are too many for this test.
fn compare(model: &Model, most: u64, seed: u64, by_others: &AtomicU64) -> Option<u64> {
    let first = Interpreter::new(model);
    let few = Limits { max_states: Some(most), ..Limits::default() };
    let all = depth_first_in_order(&first, &mut ExactStore::new(), Question::Everything, few, None, 0);
    if all.stopped.is_some() {
        return None;
    }
    for follow in [Follow::All, Follow::Some] {
        if interpreter_of(model, follow).is_none() {
            continue;
        }
        let fresh = || interpreter_of(model, follow).expect("as before");
        compare_levels(model, follow, &all, seed, by_others);
        for question in [Question::Everything, Question::FirstViolation, Question::AllViolations] {
            for in_order in [0, 40] {
                let mut store = ExactStore::new();
                let interpreter = fresh();
                let limits = Limits::default();
                // All violations are those that the textbook's search finds, with its paths.
                let expected_order = if question == Question::AllViolations { u64::MAX } else { in_order };
                let outcome =
                    depth_first_in_order(&interpreter, &mut store, question, limits, None, expected_order);
                let expected = seen(&outcome, &store, &interpreter, question);
                for threads in THREADS {
                    let seed = seed ^ threads as u64 ^ in_order << 8;
                    let what = format!("{threads} threads, {question:?}, {follow:?}, {in_order}, {seed}");
                    let mut store = ExactStore::new();
                    let interpreter = fresh();
                    let yielding = Yielding::new(interpreter.clone(), seed, by_others, follow);
                    let outcome = depth_first_together(
                        &yielding, &mut store, question, limits, None, in_order, threads,
                    );
                    let found = seen(&outcome, &store, &interpreter, question);
                    assert_eq!(found, expected, "interpreted, {what}");

                    if threads == THREADS[seed as usize % THREADS.len()] {
                        let mut tree = TreeStore::new();
                        let interpreter = fresh();
                        let yielding = Yielding::new(interpreter.clone(), seed, by_others, follow);
                        let outcome = depth_first_in_turns(
                            &yielding, &mut tree, question, limits, None, in_order, threads,
                        );
                        assert_eq!(
                            seen(&outcome, &tree, &interpreter, question),
                            expected,
                            "in turns, {what}"
                        );
                    }

                    let compiled = CompiledModel::new(fresh()).unwrap_or_else(|why| panic!("{}", why.0));
                    let interpreter = compiled.interpreter().clone();
                    let mut store = ExactStore::new();
                    let yielding = Yielding::new(compiled, seed, by_others, follow);
                    let outcome = depth_first_together(
                        &yielding, &mut store, question, limits, None, in_order, threads,
                    );
                    let found = seen(&outcome, &store, &interpreter, question);
                    assert_eq!(found, expected, "compiled, {what}");
                }
            }
        }
    }
    Some(all.counts.stored)
}

/// Compares searches level by level: also where they stop at a limit.
fn compare_levels(model: &Model, follow: Follow, all: &Outcome, seed: u64, by_others: &AtomicU64) {
    let fresh = || interpreter_of(model, follow).expect("as before");
    let some_states = Some(all.counts.stored * (seed % 8) / 8);
    let few_states = Limits { max_states: some_states, ..Limits::default() };
    let not_deep = Limits { max_depth: Some(3 + seed % 5), ..Limits::default() };
    for question in [Question::Everything, Question::FirstViolation, Question::AllViolations] {
        for (limits, which) in [(Limits::default(), 0), (few_states, 1), (not_deep, 2)] {
            let mut store = ExactStore::new();
            let interpreter = fresh();
            let outcome = breadth_first(&interpreter, &mut store, question, limits, None);
            let expected = (seen_in(&outcome, &store, &interpreter, question), by_level(&outcome));
            let threads = THREADS[(seed as usize + which) % THREADS.len()];
            for after in [0, 40] {
                let seed = seed ^ after << 8 ^ (which as u64) << 16;
                let what = format!("{threads} threads, {question:?}, {follow:?}, {which}, {after}, {seed}");
                let mut store = ExactStore::new();
                let interpreter = fresh();
                let yielding = Yielding::new(interpreter.clone(), seed, by_others, follow);
                let outcome =
                    breadth_first_together(&yielding, &mut store, question, limits, None, after, threads);
                let found = (seen_in(&outcome, &store, &interpreter, question), by_level(&outcome));
                assert_eq!(found, expected, "levels, interpreted, {what}");

                // To compile takes longer than to search.
                if (which, after) != (seed as usize % 3, 0) {
                    continue;
                }
                let compiled = CompiledModel::new(fresh()).unwrap_or_else(|why| panic!("{}", why.0));
                let interpreter = compiled.interpreter().clone();
                let mut store = ExactStore::new();
                let yielding = Yielding::new(compiled, seed, by_others, follow);
                let outcome =
                    breadth_first_together(&yielding, &mut store, question, limits, None, after, threads);
                let found = (seen_in(&outcome, &store, &interpreter, question), by_level(&outcome));
                assert_eq!(found, expected, "levels, compiled, {what}");
            }
        }
    }
}

/// How far a search level by level has come, and how large the levels were.
fn by_level(outcome: &Outcome) -> (u64, u64, u64) {
    (outcome.counts.depth, outcome.counts.stacks.states, outcome.counts.stacks.pending)
}

fn read(text: &str) -> Option<Model> {
    read_text("model.pml", text, &ReadOptions::default(), &mut SourceMap::new()).0
}

fn files(folder: &str) -> Vec<std::path::PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

/// Compares models in files up to a size.
fn compare_files(paths: Vec<std::path::PathBuf>, most: u64) -> (usize, u64, u64) {
    let by_others = AtomicU64::new(0);
    let (mut compared, mut states) = (0, 0);
    for (path, seed) in paths.iter().zip(0..) {
        let mut sources = SourceMap::new();
        let read = match path.extension().and_then(|extension| extension.to_str()) {
            Some("pml") => read_model(path, &ReadOptions::default(), &mut sources),
            Some("dve") => lariat_dve::read_file(path, &mut sources),
            _ => continue,
        };
        println!("{}", path.display());
        let Ok((Some(model), _)) = read else { continue };
        if let Some(found) = compare(&model, most, seed, &by_others) {
            compared += 1;
            states += found;
        }
    }
    (compared, states, by_others.into_inner())
}

/// How many times as much as usual is tested.
fn factor() -> u64 {
    std::env::var("LARIAT_TEST_FACTOR").ok().and_then(|text| text.parse().ok()).unwrap_or(1)
}

#[test]
fn our_models() {
    let (compared, states, by_others) = compare_files(files("models"), 3_000 * factor());
    assert!(compared > 8 && by_others > states, "{compared} models, {states} states, {by_others}");
}

#[test]
fn regressions() {
    let (compared, states, by_others) = compare_files(files("tests/regressions"), 500 * factor());
    assert!(compared > 100 && by_others > states, "{compared} models, {states} states, {by_others}");
}

#[test]
fn random_models() {
    let by_others = AtomicU64::new(0);
    let mut states = 0;
    for seed in 4000..4000 + 60 * factor() {
        let text = generate(seed, &GeneratorOptions::default()).to_string();
        println!("seed {seed}\n{text}");
        states += read(&text).and_then(|model| compare(&model, 800, seed, &by_others)).unwrap_or(0);
        let text = generate_dve(seed);
        println!("seed {seed}\n{text}");
        let (model, _) = lariat_dve::read_text("random.dve", &text, &mut SourceMap::new());
        states += model.and_then(|model| compare(&model, 800, seed, &by_others)).unwrap_or(0);
    }
    assert!(states > 3_000 && by_others.into_inner() > states, "{states} states");
}
