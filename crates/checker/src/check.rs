//! The whole street, from a model to a report.

use crate::engine::ReadyModel;
use crate::load::Loaded;
use crate::not_checked::not_checked;
use crate::options::{Observer, Options, Task};
use crate::profile::{Clocks, SearchProfile, TimedModel, TimedStore};
use crate::report::{Counterexample, FoundViolation, Property, Report, Seconds, Shortened};
use crate::simplification::simplified;
use crate::trace::{counterexample, cut_to, place};
use crate::unreached::unreached;
use lariat_engine::{Interpreter, SuccessorFunction, ViolationKind};
use lariat_model::ir::Model;
use lariat_search::{
    Counts, Found, Held, Limits, Outcome, Question, Refuted, Run, breadth_first, depth_first, nearest, replay,
};
use lariat_store::{ExactStore, StateStore};
use lariat_verdict::{Guarantee, RunLength, SearchOrder, Verdict, describe_stop, room_for_run};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

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
    let start = Instant::now();
    if let Some(reason) = no_room_to_begin(options, &observer, start) {
        return Ok(not_begun(loaded, property(task), reason, start));
    }
    let bare = Model { propositions: Vec::new(), claims: Vec::new(), ..loaded.model.clone() };
    let (model, simplified) = simplified(bare, None, options);
    let ready = ready(Interpreter::new(&model), options, start, observer.interrupt)?;

    let question = match task {
        Task::Explore => Question::Everything,
        Task::Safety if options.keep_going => Question::AllViolations,
        Task::Safety => Question::FirstViolation,
    };
    let Searched { outcome, violations, algorithm, stopped, profile } =
        search(&ready, question, |_| true, options, observer, start)?;
    let searched = start.elapsed();
    let verdict = verdict(task, &loaded.model, &outcome, stopped.clone());
    let run_length = shortest_by_order(options, &violations);
    Ok(Report {
        run_length,
        not_checked: (task == Task::Safety).then(|| not_checked(&loaded.model)),
        remarks: remarks(&outcome),
        stopped,
        violations,
        algorithm,
        engine: ready.engine(),
        simplified,
        counts: outcome.counts,
        seconds: seconds(loaded, start, searched, ready.compile_time()),
        profile,
        unreached: (task == Task::Explore).then(|| unreached(&loaded.model, &outcome.reached)),
        ..Report::of(loaded, property(task), verdict)
    })
}

/// What the verdict on states does not say.
fn remarks(outcome: &Outcome) -> Vec<String> {
    let mut remarks = Vec::new();
    if outcome.counts.divergences > outcome.counts.endless_sequences {
        remarks.push(
            "an atomic sequence can be left, but may also go on for ever: formulas take that into account, \
             safety does not"
                .to_string(),
        );
    }
    remarks
}

/// Why there is no point in beginning: the time is up already, somebody has interrupted, or the system gives
/// too little memory.
pub(crate) fn no_room_to_begin(options: &Options, observer: &Observer, start: Instant) -> Option<String> {
    let reason = options.limits(start, observer.interrupt).look(Held::default())?;
    Some(describe_stop(reason, options.timeout))
}

/// The report on a check that a limit ended before its search began.
pub(crate) fn not_begun(loaded: &Loaded, property: Property, reason: String, start: Instant) -> Report {
    let report = Report::of(loaded, property, Verdict::Unknown(reason.clone()));
    let total = (loaded.time + start.elapsed()).as_secs_f64();
    Report { stopped: Some(reason), seconds: Seconds { total, ..report.seconds }, ..report }
}

/// Makes a model ready to run.
pub(crate) fn ready<'m>(
    interpreter: Interpreter<'m>,
    options: &Options,
    start: Instant,
    interrupt: Option<&'m AtomicBool>,
) -> Result<ReadyModel<'m>, InternalError> {
    let patience = options.patience(start, interrupt);
    let limits = options.limits(start, interrupt);
    ReadyModel::new(interpreter, options.engine, patience, limits).map_err(InternalError::NotCompiled)
}

/// How long each part took. `compile` is what preparations took before or within the search.
pub(crate) fn seconds(loaded: &Loaded, start: Instant, searched: Duration, compile: Duration) -> Seconds {
    Seconds {
        front_end: loaded.time.as_secs_f64(),
        compile: compile.as_secs_f64(),
        search: searched.saturating_sub(compile).as_secs_f64(),
        check: None,
        total: (loaded.time + start.elapsed()).as_secs_f64(),
    }
}

/// What a search for violations found, replayed.
pub(crate) struct Searched {
    pub outcome: Outcome,
    pub violations: Vec<FoundViolation>,
    pub algorithm: &'static str,
    /// The limit that was hit.
    pub stopped: Option<String>,
    pub profile: Option<SearchProfile>,
}

/// Searches the states of a model for violations, and replays those of the kinds that count.
pub(crate) fn search(
    model: &ReadyModel,
    question: Question,
    counts: impl Fn(ViolationKind) -> bool,
    options: &Options,
    observer: Observer,
    start: Instant,
) -> Result<Searched, InternalError> {
    let store = ExactStore::new();
    if !options.profile {
        return search_in(model, store, model, question, counts, options, observer, start);
    }
    let clocks = Clocks::default();
    let timed = TimedModel { model, clocks: &clocks };
    let store = TimedStore { store, clocks: &clocks };
    let begin = Instant::now();
    let mut searched = search_in(&timed, store, model, question, counts, options, observer, start)?;
    searched.profile = Some(clocks.profile(begin.elapsed()));
    Ok(searched)
}

#[allow(clippy::too_many_arguments)]
fn search_in<M: SuccessorFunction, S: StateStore>(
    model: &M,
    mut store: S,
    ready: &ReadyModel,
    question: Question,
    counts: impl Fn(ViolationKind) -> bool,
    options: &Options,
    observer: Observer,
    start: Instant,
) -> Result<Searched, InternalError> {
    let interpreter = ready.interpreter();
    let limits = options.limits(start, observer.interrupt);
    let (algorithm, outcome) = match options.order {
        SearchOrder::DepthFirst => {
            ("dfs", depth_first(model, &mut store, question, limits, observer.progress))
        }
        SearchOrder::BreadthFirst => {
            ("bfs", breadth_first(model, &mut store, question, limits, observer.progress))
        }
    };

    let taken = outcome.counts.states_bytes + outcome.counts.auxiliary_bytes;
    let mut room = room_for_run(limits, options.timeout, taken);
    let mut violations = Vec::new();
    for found in outcome.found.iter().filter(|found| counts(found.violation.kind)) {
        let shorter = match (question, options.order) {
            _ if options.as_found => None,
            (Question::FirstViolation | Question::FirstBreach, SearchOrder::DepthFirst) => {
                shorter_way(ready, found, &outcome.counts, limits)
            }
            _ => None,
        };
        let run = match (&shorter, &found.path) {
            (Some((found, store)), _) => Some(replay(interpreter, store, found, &mut room)),
            (None, Some(_)) => Some(replay(interpreter, &store, found, &mut room)),
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
            let example = counterexample(interpreter, &run, options.states);
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
    let stopped = outcome.stopped.map(|reason| describe_stop(reason, options.timeout));
    Ok(Searched { outcome, violations, algorithm, stopped, profile: None })
}

/// A shortest way to a violation that a depth-first search has come upon, where that is cheap:
/// breadth-first, among few more states than were visited already. The bound is a number of states, so that
/// the same input gives the same run.
fn shorter_way(
    ready: &ReadyModel,
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
    ready.be_patient();
    let mut store = ExactStore::new();
    let shorter = nearest(ready, &mut store, &found.violation, limits)?;
    (transitions(&shorter) < length).then_some((shorter, store))
}

/// A shorter way is looked for among so many times the states that were visited,
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
