//! Results as JSON, one object on one line each. The schema is in `docs/json.md`; a change to it changes
//! `schema`.

use crate::dependencies::Dependencies;
use crate::info::Info;
use crate::lossy::Coverage;
use crate::profile::SearchProfile;
use crate::render::text;
use crate::report::{
    Counterexample, FairnessFacts, FinalState, FoundViolation, LassoLengths, Place, Property, Reduced,
    Report, Seconds, TraceStep, Unreached,
};
use crate::simulation::GuideStep;
use lariat_engine::{Violation, ViolationKind};
use lariat_search::ThreadWork;
use lariat_verdict::Verdict;
use serde::Serialize;
use serde_json::Value;

/// The schema of a report.
pub const REPORT_SCHEMA: &str = "lariat-report/1";
/// The schema of a simulation.
pub const SIMULATION_SCHEMA: &str = "lariat-simulation/1";
/// The schema of what a model consists of.
pub const INFO_SCHEMA: &str = "lariat-info/1";

#[derive(Serialize)]
struct ReportView<'r> {
    schema: &'static str,
    model: &'r str,
    property: &'r Property,
    verdict: &'static str,
    reason: Option<&'r str>,
    guarantee: Option<&'static str>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    no_run: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    vacuous: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    fairness: Option<FairnessFacts>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    assumptions: &'r [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    not_checked: Option<&'r [String]>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    remarks: &'r [String],
    violation: Option<ViolationView<'r>>,
    algorithm: &'static str,
    store: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    coverage: Option<&'r Coverage>,
    engine: &'static str,
    reduction: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reduced: Option<ReducedView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    simplified: Option<SimplifiedView<'r>>,
    states: StatesView,
    transitions: u64,
    post_calls: u64,
    depth: u64,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    order_given_up: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    store_changed_at: Option<u64>,
    stacks: StacksView,
    #[serde(skip_serializing_if = "Option::is_none")]
    automaton: Option<AutomatonView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lasso: Option<LassoView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    run_length: Option<RunLengthView<'r>>,
    memory: MemoryView,
    seconds: Seconds,
    #[serde(skip_serializing_if = "Option::is_none")]
    threads: Option<ThreadsView>,
    profile: Option<SearchProfile>,
    violations: Vec<FoundView<'r>>,
    #[serde(flatten)]
    census: Option<CensusView<'r>>,
    counterexample: Option<&'r Counterexample>,
}

/// How several threads have worked together, times in seconds.
#[derive(Serialize)]
struct ThreadsView {
    threads: usize,
    idle: f64,
    growing: f64,
    growths: u64,
    handed_over: u64,
    again: u64,
}

fn threads_view(work: ThreadWork) -> ThreadsView {
    let ThreadWork { threads, idle, growing, growths, handed_over, again } = work;
    let (idle, growing) = (idle.as_secs_f64(), growing.as_secs_f64());
    ThreadsView { threads, idle, growing, growths, handed_over, again }
}

/// Of how many of the states that were expanded only some processes were followed; or why of none.
#[derive(Default, Serialize)]
pub(super) struct ReducedView {
    states: Option<u64>,
    expanded: Option<u64>,
    steps_left_out: Option<f64>,
    reason: Option<&'static str>,
}

/// Whether the model was reduced, and how.
pub(super) fn reduction_name(reduction: Option<Reduced>) -> &'static str {
    match reduction {
        Some(Reduced::States { .. }) => "stubborn-sets",
        Some(Reduced::Not(_)) | None => "none",
    }
}

/// What came of reduction.
pub(super) fn reduced_view(reduction: Reduced) -> ReducedView {
    match reduction {
        Reduced::Not(reason) => ReducedView { reason: Some(reason), ..ReducedView::default() },
        Reduced::States { reduced, expanded, left_out } => ReducedView {
            states: Some(reduced),
            expanded: Some(expanded),
            steps_left_out: Some((left_out * 1e4).round() / 1e4),
            ..ReducedView::default()
        },
    }
}

/// What was not asked for is null.
#[derive(Serialize)]
struct SimplifiedView<'r> {
    reset_dead_variables: Option<usize>,
    merge_statements: Option<usize>,
    not_merged: Option<&'r str>,
}

#[derive(Serialize)]
struct ViolationView<'r> {
    kind: &'static str,
    message: String,
    file: Option<&'r str>,
    line: Option<u32>,
}

#[derive(Serialize)]
struct StatesView {
    stored: u64,
    visited: u64,
}

/// Beside which the model ran.
#[derive(Serialize)]
struct AutomatonView {
    states: usize,
    edges: usize,
    sets: u32,
    strength: String,
}

/// The run as the check found it.
#[derive(Serialize)]
struct LassoView {
    #[serde(flatten)]
    lengths: LassoLengths,
    found_nested: bool,
}

/// Whether the run that is shown is a shortest one.
#[derive(Serialize)]
struct RunLengthView<'r> {
    kind: &'static str,
    reason: Option<&'r str>,
}

#[derive(Serialize)]
struct StacksView {
    states: u64,
    pending: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    roots: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    active: Option<u64>,
    bytes: u64,
}

#[derive(Serialize)]
struct MemoryView {
    states_bytes: u64,
    auxiliary_bytes: u64,
    table_bytes: u64,
    model_bytes: u64,
    search_bytes: u64,
    bytes_per_state: Option<f64>,
    table_load: Option<f64>,
    /// What the states would take, packed to the bits that their types need.
    vector_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    working_state_bytes: Option<u64>,
    peak_rss_bytes: Option<u64>,
}

#[derive(Serialize)]
struct FoundView<'r> {
    #[serde(flatten)]
    violation: ViolationView<'r>,
    count: u64,
    /// Not of the first, which stands in the report itself.
    counterexample: Option<&'r Counterexample>,
}

/// What `explore` adds.
#[derive(Serialize)]
struct CensusView<'r> {
    deadlocks: u64,
    assertion_violations: u64,
    runtime_errors: u64,
    #[serde(skip_serializing_if = "is_zero")]
    endless_sequences: u64,
    unreached: &'r [Unreached],
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// A report, on one line.
pub fn report(report: &Report) -> String {
    let counts = &report.counts;
    let first = report.violations.first().filter(|_| report.verdict == Verdict::Violated);
    // What is asked for exists: nothing is violated, but there is a run to show.
    let witness = report.violations.first().filter(|_| report.property.kind == "exists");
    line(&ReportView {
        schema: REPORT_SCHEMA,
        model: &report.model,
        property: &report.property,
        verdict: report.verdict.name(),
        reason: match &report.verdict {
            Verdict::Unknown(reason) | Verdict::Refused(reason) => Some(reason),
            _ => report.stopped.as_deref(),
        },
        guarantee: match &report.verdict {
            Verdict::Holds(guarantee) => Some(guarantee.name()),
            _ => None,
        },
        no_run: report.no_run,
        vacuous: report.vacuous,
        fairness: report.fairness,
        assumptions: &report.assumptions,
        not_checked: report.not_checked.as_deref(),
        remarks: &report.remarks,
        violation: first.map(|found| found_violation(report, found)),
        algorithm: report.algorithm,
        store: report.store,
        coverage: report.coverage.as_ref(),
        engine: report.engine,
        reduction: reduction_name(report.reduction),
        reduced: report.reduction.map(reduced_view),
        simplified: report.simplified.as_ref().map(|simplified| SimplifiedView {
            reset_dead_variables: simplified.resets,
            merge_statements: simplified.merged,
            not_merged: simplified.not_merged.as_deref(),
        }),
        states: StatesView { stored: counts.stored, visited: counts.visited },
        transitions: counts.transitions,
        post_calls: counts.post_calls,
        depth: counts.depth,
        order_given_up: counts.order_given_up,
        store_changed_at: counts.store_changed_at,
        stacks: StacksView {
            states: counts.stacks.states,
            pending: counts.stacks.pending,
            roots: report.automaton.map(|_| counts.stacks.roots),
            active: report.automaton.map(|_| counts.stacks.active),
            bytes: counts.stacks.bytes,
        },
        automaton: report.automaton.map(|automaton| AutomatonView {
            states: automaton.states,
            edges: automaton.edges,
            sets: automaton.sets,
            strength: automaton.strength.to_string(),
        }),
        lasso: report.lasso.map(|lengths| LassoView { lengths, found_nested: counts.found_nested }),
        run_length: report
            .run_length
            .as_ref()
            .map(|length| RunLengthView { kind: length.name(), reason: length.reason() }),
        memory: MemoryView {
            states_bytes: counts.states_bytes,
            auxiliary_bytes: counts.auxiliary_bytes,
            table_bytes: counts.table_bytes,
            model_bytes: counts.model_bytes,
            search_bytes: counts.stacks.bytes,
            bytes_per_state: text::bytes_per_state(counts),
            table_load: counts.load.map(|load| f64::from(load) / 1000.0),
            vector_bytes: counts.vector_bytes,
            working_state_bytes: report.working_state_bytes,
            peak_rss_bytes: report.peak_rss_bytes,
        },
        seconds: report.seconds,
        threads: report.threads.map(threads_view),
        profile: report.profile,
        violations: found(report),
        census: report.unreached.as_ref().map(|unreached| CensusView {
            deadlocks: counts.deadlocks,
            assertion_violations: counts.assertion_violations,
            runtime_errors: counts.runtime_errors,
            endless_sequences: counts.endless_sequences,
            unreached,
        }),
        counterexample: first.or(witness).and_then(|found| found.counterexample.as_ref()),
    })
}

fn found(report: &Report) -> Vec<FoundView<'_>> {
    let mut views = Vec::new();
    for (i, found) in report.violations.iter().enumerate() {
        let counterexample = found.counterexample.as_ref().filter(|_| i > 0);
        let violation = found_violation(report, found);
        views.push(FoundView { violation, count: found.count, counterexample });
    }
    views
}

/// What a run violates is said with the property; all else says it itself.
fn found_violation<'r>(report: &Report, found: &'r FoundViolation) -> ViolationView<'r> {
    let view = violation(&found.violation, found.place.as_ref());
    match found.violation.kind {
        ViolationKind::AcceptingRun => ViolationView { message: text::shown_by_run(report), ..view },
        _ => view,
    }
}

fn violation<'r>(violation: &Violation, place: Option<&'r Place>) -> ViolationView<'r> {
    let kind = match violation.kind {
        ViolationKind::Assertion => "assertion",
        ViolationKind::InvalidEndState => "invalid-end-state",
        ViolationKind::RuntimeError => "runtime-error",
        ViolationKind::EndlessSequence => "endless-sequence",
        ViolationKind::AcceptingRun => "accepting-run",
        ViolationKind::EventTrace => "event-trace",
        ViolationKind::UnfinishedTrace => "unfinished-trace",
        ViolationKind::CutShort => "cut-short",
    };
    ViolationView {
        kind,
        message: text::violation(violation),
        file: place.map(|place| place.file.as_str()),
        line: place.map(|place| place.line),
    }
}

/// An object on a line of its own.
pub(super) fn line(value: &impl Serialize) -> String {
    let mut text = serde_json::to_string(value).expect("only strings are keys, so it can be written");
    text.push('\n');
    text
}

#[derive(Serialize)]
struct SimulationView<'r> {
    schema: &'static str,
    model: &'r str,
    seed: Option<u64>,
    stopped: &'r str,
    violation: Option<ViolationView<'r>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    initial: Option<&'r FinalState>,
    steps: &'r [TraceStep],
    #[serde(rename = "final")]
    last: Option<&'r FinalState>,
}

/// A simulation that has come to its end.
pub struct Simulated<'r> {
    /// The file, as the user named it.
    pub model: &'r str,
    /// Of the random choices.
    pub seed: Option<u64>,
    /// Why it ended.
    pub stopped: &'r str,
    /// What it ran into, and where.
    pub violation: Option<(&'r Violation, Option<&'r Place>)>,
    /// Where everything stood at the start, if whole states are shown.
    pub initial: Option<&'r FinalState>,
    /// What happened.
    pub steps: &'r [TraceStep],
    /// Where everything stands; `None` if there is no initial state.
    pub last: Option<&'r FinalState>,
}

/// A finished simulation.
pub fn simulation(simulated: &Simulated) -> String {
    let &Simulated { model, seed, stopped, violation: found, initial, steps, last } = simulated;
    let violation = found.map(|(found, place)| violation(found, place));
    line(&SimulationView { schema: SIMULATION_SCHEMA, model, seed, stopped, violation, initial, steps, last })
}

#[derive(Serialize)]
struct InfoView<'r> {
    schema: &'static str,
    #[serde(flatten)]
    info: &'r Info,
}

/// What a model consists of, on one line.
pub fn info(info: &Info) -> String {
    line(&InfoView { schema: INFO_SCHEMA, info })
}

/// Which steps of a model depend on each other, on one line.
pub fn dependencies(dependencies: &Dependencies) -> String {
    line(dependencies)
}

/// The steps of the first counterexample (or of the simulation) in a file of JSON lines.
pub fn read_guide(text: &str) -> Result<Vec<GuideStep>, String> {
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let value: Value =
            serde_json::from_str(line).map_err(|error| format!("line {}: {error}", number + 1))?;
        let example = &value["counterexample"];
        let lists = if value["steps"].is_array() {
            vec![&value["steps"]]
        } else if example.is_object() {
            vec![&example["prefix"], &example["cycle"]]
        } else {
            continue;
        };
        let steps = lists.into_iter().flat_map(|list| list.as_array().into_iter().flatten());
        // Lines that are no steps have no process.
        let steps = steps.filter(|step| step["process"] != "-");
        let guide: Option<Vec<GuideStep>> = steps.map(guide_step).collect();
        return guide.ok_or_else(|| {
            format!("line {}: a step lacks one of 'pid', 'location', 'transition', 'statement'", number + 1)
        });
    }
    Err("there is no counterexample in it".to_string())
}

fn guide_step(step: &Value) -> Option<GuideStep> {
    let field = |name: &str| step[name].as_u64().and_then(|value| u32::try_from(value).ok());
    Some(GuideStep {
        pid: u16::try_from(field("pid")?).ok()?,
        location: field("location")?,
        transition: field("transition")?,
        statement: step["statement"].as_str()?.to_string(),
    })
}
