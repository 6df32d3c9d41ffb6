//! States: what must not happen in any of them, and how many there are.

use crate::engine::ReadyModel;
use crate::influence::{self, Criterion};
use crate::load::Loaded;
use crate::lossy::{Coverage, is_full, is_repeated, or_when_full, refused, store_changed};
use crate::not_checked::not_checked;
use crate::options::{Observer, Options, Task};
use crate::prepare::{
    InStore, Job, NotPrepared, Prepared, Subject, prepare, search_states, search_states_in_turns,
    search_states_together,
};
use crate::profile::SearchProfile;
use crate::report::{Counterexample, FoundViolation, Property, Reduced, Report, Shortened};
use crate::trace::{counterexample, cut_to, place};
use crate::unreached::unreached;
use crate::why;
use lariat_engine::{SuccessorFunction, ViolationKind, Workers};
use lariat_model::ir::Model;
use lariat_search::{
    Counts, Found, Limits, Outcome, Progress, Question, Refuted, Run, SearchKind, depth_first_on_set,
    nearest, replay,
};
use lariat_store::{AutoStore, ExactStore, LossyKind, LossySet, SharedStore, StateStore};
use lariat_verdict::{Guarantee, RunLength, SearchOrder, Verdict, room_for_run};

/// Something that must not happen in the checker itself.
#[derive(Debug, thiserror::Error)]
pub enum InternalError {
    /// A violation that cannot be executed again.
    #[error("the search found '{message}', but the interpreter does not confirm it: {reason}")]
    Refuted {
        /// What the search found.
        message: String,
        /// Where the execution comes out differently.
        reason: String,
    },
    /// The engine that was asked for is not to be had on this machine.
    #[error("the model cannot be compiled here: {0}; use --engine interpreted")]
    NotCompiled(String),
}

/// Searches the states of a model for what must not happen in any of them, or counts them: makes the model
/// ready to run, searches, and replays what the search found. For what must not happen in a whole run there
/// is [`check_property`](crate::check_property).
pub fn check_states(
    loaded: &Loaded,
    task: Task,
    options: &Options,
    observer: Observer,
) -> Result<Report, InternalError> {
    or_when_full(options, observer, |options, observer| states_in_store(loaded, task, options, observer))
}

fn states_in_store(
    loaded: &Loaded,
    task: Task,
    options: &Options,
    observer: Observer,
) -> Result<Report, InternalError> {
    let job = Job::begin(loaded, options, observer.interrupt);
    let question = match task {
        Task::Explore => Question::Everything,
        Task::Safety if options.keep_going => Question::AllViolations,
        Task::Safety => Question::FirstViolation,
    };
    let subject = |job: &Job| match refused(options) {
        Some(reason) => Err(NotPrepared::refused(reason)),
        None => Ok(Subject::states(&job.loaded.model)),
    };
    let report = prepare(&job, subject, |prepared| {
        let Searched { outcome, violations, algorithm, stopped, profile, coverage } =
            search(&job, &prepared, question, |_| true, observer.progress)?;
        let searched = job.start.elapsed();
        let missed = coverage.as_ref().map(|coverage| coverage.describe(&options.store));
        let verdict = verdict(task, &loaded.model, &outcome, stopped.clone().or(missed));
        let run_length = shortest_by_order(options, &violations);
        Ok(Report {
            run_length,
            not_checked: (task == Task::Safety).then(|| not_checked(&loaded.model)),
            remarks: remarks(&outcome, options.keep_going && is_reduced(&prepared)),
            is_full: is_full(outcome.stopped),
            stopped,
            violations,
            algorithm,
            store: options.store.name(),
            coverage,
            engine: prepared.engine.name(),
            reduction: prepared.reduced(),
            simplified: prepared.simplified,
            counts: outcome.counts,
            threads: Some(outcome.work).filter(|work| work.threads > 1),
            seconds: job.seconds(searched, prepared.engine.compile_time()),
            profile,
            unreached: (task == Task::Explore).then(|| unreached(&loaded.model, &outcome.reached)),
            ..Report::of(loaded, property(task), verdict)
        })
    });
    job.report(property(task), report)
}

/// Whether of some state only some processes were followed.
fn is_reduced<B>(prepared: &Prepared<B>) -> bool {
    matches!(prepared.reduced(), Some(Reduced::States { reduced: 1.., .. }))
}

/// What the verdict on states does not say. `some_of_each`: all violations were asked for, of a reduced
/// model.
fn remarks(outcome: &Outcome, some_of_each: bool) -> Vec<String> {
    let mut remarks: Vec<String> = store_changed(&outcome.counts).into_iter().collect();
    if some_of_each && !outcome.found.is_empty() {
        remarks.push(
            "reduction shows one violation for each kind that it keeps apart; `--no-reduce` shows all of them"
                .to_string(),
        );
    }
    // Of a sequence that was not followed to its end nobody knows whether it can be left.
    if outcome.stopped.is_none() && outcome.counts.divergences > outcome.counts.endless_sequences {
        remarks.push(
            "an atomic sequence can be left, but may also go on for ever: formulas take that into account, \
             safety does not"
                .to_string(),
        );
    }
    remarks
}

/// What a search for violations found, replayed.
pub(crate) struct Searched {
    pub outcome: Outcome,
    pub violations: Vec<FoundViolation>,
    pub algorithm: &'static str,
    /// The limit that was hit.
    pub stopped: Option<String>,
    pub profile: Option<SearchProfile>,
    /// What a lossy store has seen.
    pub coverage: Option<Coverage>,
}

/// Searches the states of a model for violations, and replays those of the kinds that count.
pub(crate) fn search(
    job: &Job,
    prepared: &Prepared<()>,
    question: Question,
    counts: fn(ViolationKind) -> bool,
    progress: Option<&mut dyn FnMut(&Progress)>,
) -> Result<Searched, InternalError> {
    let shown = ShownViolations { job, engine: &prepared.engine, question, counts };
    if let Some(kind) = job.options.store.lossy() {
        return search_on_sets(shown, kind, progress);
    }
    let work = StateSearch { shown, progress };
    let (searched, profile) = prepared.search(work);
    Ok(Searched { profile, ..searched? })
}

struct StateSearch<'a, 'm, 'p> {
    shown: ShownViolations<'a, 'm>,
    progress: Option<&'p mut dyn FnMut(&Progress)>,
}

/// What is asked of states, and which violations are shown.
#[derive(Clone, Copy)]
struct ShownViolations<'a, 'm> {
    job: &'a Job<'a>,
    engine: &'a ReadyModel<'m>,
    question: Question,
    counts: fn(ViolationKind) -> bool,
}

impl InStore for StateSearch<'_, '_, '_> {
    type Done = Result<Searched, InternalError>;

    fn run<M: SuccessorFunction, S: StateStore>(self, model: &M, mut store: S) -> Self::Done {
        let StateSearch { shown, progress } = self;
        let ShownViolations { job, question, .. } = shown;
        let limits = job.limits_of_search();
        let (algorithm, outcome) = search_states(job.options, model, &mut store, question, limits, progress);
        shown.replayed(outcome, algorithm, &store)
    }

    fn run_together<M: Workers, S: SharedStore>(self, model: &M, mut store: S) -> Self::Done {
        let StateSearch { shown, progress } = self;
        let ShownViolations { job, question, .. } = shown;
        let limits = job.limits_of_search();
        let (algorithm, outcome) =
            search_states_together(job.options, model, &mut store, question, limits, progress);
        shown.replayed(outcome, algorithm, &store)
    }

    fn run_in_turns<M: Workers>(self, model: &M, mut store: AutoStore) -> Self::Done {
        let StateSearch { shown, progress } = self;
        let ShownViolations { job, question, .. } = shown;
        let limits = job.limits_of_search();
        let (algorithm, outcome) =
            search_states_in_turns(job.options, model, &mut store, question, limits, progress);
        shown.replayed(outcome, algorithm, &store)
    }
}

/// The same in a lossy store, again and again with other hash functions, if that was asked for, until a
/// violation is found. Of several passes that found none, the one counts that has seen most.
fn search_on_sets(
    shown: ShownViolations,
    kind: LossyKind,
    mut progress: Option<&mut dyn FnMut(&Progress)>,
) -> Result<Searched, InternalError> {
    let ShownViolations { job, engine, question, counts } = shown;
    let store = &job.options.store;
    let (mut coverage, mut best): (_, Option<Outcome>) = (Coverage::default(), None);
    for pass in 0.. {
        let again = progress.as_mut().map(|progress| &mut **progress as &mut dyn FnMut(&Progress));
        let mut set = LossySet::new(kind, u64::from(pass), store.table_bytes, store.bits_per_state);
        let outcome = depth_first_on_set(engine, &mut set, question, job.limits(), again);
        coverage.add(&outcome.counts, outcome.expected_missed, outcome.missed_share);
        let is_answered = question != Question::Everything
            && outcome.found.iter().any(|found| counts(found.violation.kind));
        let is_repeated = !is_answered && is_repeated(outcome.stopped, pass, store);
        let is_last = is_answered || outcome.stopped.is_some();
        if is_last || best.as_ref().is_none_or(|best| best.counts.stored < outcome.counts.stored) {
            best = Some(outcome);
        }
        if !is_repeated {
            break;
        }
    }
    let mut outcome = best.expect("there is a first pass");
    let paths = outcome.paths.take().unwrap_or_default();
    let name = SearchKind::DepthFirstOnSet.description().name;
    let searched = shown.replayed(outcome, name, &paths)?;
    // A search that has ended before its time has seen less than that, and nobody knows how much.
    let is_complete =
        searched.stopped.is_none() && (searched.violations.is_empty() || !question.stops_at_first());
    Ok(Searched { coverage: is_complete.then_some(coverage), ..searched })
}

impl ShownViolations<'_, '_> {
    /// Replays what a search found whose paths are in this store.
    fn replayed(
        self,
        outcome: Outcome,
        algorithm: &'static str,
        store: &impl StateStore,
    ) -> Result<Searched, InternalError> {
        let ShownViolations { job, engine, question, counts } = self;
        let (interpreter, options, limits) = (engine.interpreter(), job.options, job.limits());
        let taken = outcome.counts.states_bytes + outcome.counts.auxiliary_bytes;
        let mut room = room_for_run(limits, options.timeout, taken);
        let mut violations = Vec::new();
        for found in outcome.found.iter().filter(|found| counts(found.violation.kind)) {
            let shorter = match (question, options.order) {
                _ if options.as_found => None,
                (Question::FirstViolation | Question::FirstBreach, SearchOrder::DepthFirst) => {
                    shorter_path(engine, found, &outcome.counts, limits)
                }
                _ => None,
            };
            let run = match (&shorter, &found.path) {
                (Some((found, store)), _) => Some(replay(interpreter, store, found, &mut room)),
                (None, Some(_)) => Some(replay(interpreter, store, found, &mut room)),
                (None, None) => None,
            };
            let run = run.transpose().map_err(|Refuted(reason)| InternalError::Refuted {
                message: found.violation.message.clone(),
                reason,
            })?;
            let shortened = shorter
                .as_ref()
                .map(|(shorter, _)| Shortened { from: transitions(found), to: transitions(shorter) });
            let shown = |run: Run| {
                let mut example = counterexample(interpreter, &run, options.states);
                if run.stages.further() == 0 && room.stopped().is_none() {
                    example.why = why::of_violation(interpreter, found.violation.kind, &example);
                    influence::mark(interpreter, &mut example, Criterion::of(found.violation.kind));
                }
                let example = cut_to(example, run.stages.further(), &room, options.timeout);
                Counterexample { shortened, ..example }
            };
            let counterexample = run.map(shown);
            let found = shorter.as_ref().map_or(found, |(found, _)| found);
            violations.push(FoundViolation {
                violation: found.violation.clone(),
                place: found.steps.last().and_then(|step| place(interpreter, *step)),
                count: found.count,
                counterexample,
            });
        }
        let stopped = outcome.stopped.map(|reason| job.describe(reason));
        Ok(Searched { outcome, violations, algorithm, stopped, profile: None, coverage: None })
    }
}

/// A shortest path to a violation that a depth-first search has come upon, where that is cheap:
/// breadth-first, among few more states than were visited already. The bound is a number of states, so that
/// the same input gives the same run.
fn shorter_path(
    engine: &ReadyModel,
    found: &Found,
    counts: &Counts,
    limits: Limits,
) -> Option<(Found, ExactStore)> {
    let length = transitions(found);
    if length <= 1 {
        return None;
    }
    let most = (counts.visited.saturating_mul(SHORTER_WITHIN)).clamp(SHORTER_AMONG.0, SHORTER_AMONG.1);
    let held = counts.states_bytes + counts.auxiliary_bytes;
    let limits = Limits {
        max_depth: None,
        max_states: Some(limits.max_states.map_or(most, |max| max.min(most))),
        max_memory: limits.max_memory.map(|max| max.saturating_sub(held)),
        ..limits
    };
    engine.interpret_more();
    let mut store = ExactStore::new();
    engine.follow_all(true);
    // Of a reduced model a shortest path need not be one of the model.
    let shorter = nearest(engine, &mut store, &found.violation, limits);
    engine.follow_all(false);
    let shorter = shorter?;
    (transitions(&shorter) < length).then_some((shorter, store))
}

/// A shorter path is looked for among so many times the states that were visited,
const SHORTER_WITHIN: u64 = 4;
/// but at least, and at most, among so many.
const SHORTER_AMONG: (u64, u64) = (10_000, 100_000);

/// Transitions on the way to a violation, with the one that runs into it.
fn transitions(found: &Found) -> u64 {
    let states = found.path.as_ref().map_or(0, Vec::len) as u64;
    states.saturating_sub(1) + u64::from(!found.steps.is_empty())
}

/// What a breadth-first search finds first is nearest.
pub(crate) fn shortest_by_order(options: &Options, violations: &[FoundViolation]) -> Option<RunLength> {
    let is_shown = violations.first().is_some_and(|found| found.counterexample.is_some());
    (is_shown && options.order == SearchOrder::BreadthFirst).then_some(RunLength::Shortest)
}

fn property(task: Task) -> Property {
    let name = match task {
        Task::Safety => "safety",
        Task::Explore => "explore",
    };
    Property { kind: name, name: name.to_string(), formula: None }
}

fn verdict(task: Task, model: &Model, outcome: &Outcome, stopped: Option<String>) -> Verdict {
    match stopped {
        _ if task == Task::Safety && !outcome.found.is_empty() => Verdict::Violated,
        Some(reason) => Verdict::Unknown(reason),
        None if model.hidden_size > 0 => Verdict::Holds(Guarantee::ExhaustiveButHidden),
        None => Verdict::Holds(Guarantee::Exhaustive),
    }
}
