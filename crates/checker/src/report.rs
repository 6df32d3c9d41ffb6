//! The result of a run, as values. How it looks is the renderers' business; what they pass on unchanged can
//! be serialised.

use crate::fairness::{self, UnitFacts};
use crate::load::Loaded;
use crate::lossy::Coverage;
use crate::memory;
use crate::profile::SearchProfile;
use crate::simplification::Simplified;
use lariat_engine::Violation;
use lariat_engine::units::UnitRules;
use lariat_search::fairness::Fairness;
use lariat_search::{Counts, ThreadWork};
use lariat_verdict::{AutomatonFacts, RunLength, Verdict};
use serde::Serialize;

/// What was checked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Property {
    /// What kind of property it is, as JSON names it.
    pub kind: &'static str,
    /// As the model names it; of a property without a name, its kind.
    pub name: String,
    /// With all brackets, if it is a formula.
    pub formula: Option<String>,
}

/// How long everything took, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Seconds {
    /// From the text to the model.
    pub front_end: f64,
    /// Making the model ready to run.
    pub compile: f64,
    /// The search itself, and the replay of what it found.
    pub search: f64,
    /// Of the search, the emptiness check alone: without the replay, without the computation of the product
    /// if that came first. `None` where there is no such check.
    pub check: Option<f64>,
    /// All of it.
    pub total: f64,
}

/// What came of partial-order reduction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reduced {
    /// It was done: of so many of the states that were expanded, only some processes were followed.
    States {
        /// States of which only some processes were followed.
        reduced: u64,
        /// All that were expanded, as often as they were.
        expanded: u64,
        /// The share of all steps that were left out, estimated on a sample.
        left_out: f64,
    },
    /// It was not, and this is why.
    Not(&'static str),
}

/// The numbers of transitions in a run that goes on for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct LassoLengths {
    /// Before the cycle.
    pub prefix: u64,
    /// Of the cycle.
    pub cycle: u64,
}

/// The result of a run.
#[derive(Clone, Debug)]
pub struct Report {
    /// The file, as the user named it.
    pub model: String,
    /// What was checked.
    pub property: Property,
    /// The answer.
    pub verdict: Verdict,
    /// It is known that no run of the model goes on for ever, and those that end do not count: the verdict is
    /// about nothing.
    pub no_run: bool,
    /// It is known that no run satisfies what is assumed of runs: the verdict is about nothing.
    pub vacuous: bool,
    /// Which runs counted, if not all.
    pub fairness: Option<FairnessFacts>,
    /// What was assumed of runs, with all brackets.
    pub assumptions: Vec<String>,
    /// What the model states about itself and the verdict says nothing about; `None` if nothing was to be
    /// judged.
    pub not_checked: Option<Vec<String>>,
    /// What a reader of the verdict should know beside it.
    pub remarks: Vec<String>,
    /// The limit that was hit, if one was, whatever the verdict.
    pub stopped: Option<String>,
    /// That limit was one on memory.
    pub is_full: bool,
    /// Distinct violations, first found first.
    pub violations: Vec<FoundViolation>,
    /// The name of the search.
    pub algorithm: &'static str,
    /// Why this one; `None` where there is no choice.
    pub algorithm_reason: Option<String>,
    /// Where the states were kept: one of [`STORES`](lariat_store::STORES).
    pub store: &'static str,
    /// What a lossy store has seen.
    pub coverage: Option<Coverage>,
    /// What executed the model.
    pub engine: &'static str,
    /// Whether of each state only some processes were followed; `None` if that was not asked for.
    pub reduction: Option<Reduced>,
    /// What was done to the model before, if something was asked for.
    pub simplified: Option<Simplified>,
    /// What the search counted.
    pub counts: Counts,
    /// The most memory that the process ever had, where the system says so.
    pub peak_rss_bytes: Option<u64>,
    /// How long it took.
    pub seconds: Seconds,
    /// How several threads have worked together, if there were several.
    pub threads: Option<ThreadWork>,
    /// The automaton that the model ran beside; `None` where there was none.
    pub automaton: Option<AutomatonFacts>,
    /// How long the accepting run is that the check found, before it was made shorter.
    pub lasso: Option<LassoLengths>,
    /// Whether the run that is shown is a shortest one; `None` if there is none, or if that was not asked
    /// for.
    pub run_length: Option<RunLength>,
    /// The length of the initial state as the model works on it, in bytes; `None` where nobody asked.
    pub working_state_bytes: Option<u64>,
    /// Where the time of the search went, if that was asked for.
    pub profile: Option<SearchProfile>,
    /// Statements that no process reached; only when the whole state space was asked for.
    pub unreached: Option<Vec<Unreached>>,
}

impl Report {
    /// No verdict, because a limit was hit before the model had been read.
    pub fn unread(path: String, reason: String) -> Report {
        let property = Property { kind: "none", name: "none".to_string(), formula: None };
        Report {
            stopped: Some(reason.clone()),
            ..Report::about(path, property, Verdict::Unknown(reason), 0.0)
        }
    }

    /// A verdict on a model for which nothing was searched yet: nothing found, nothing counted, no time but
    /// that of the front end.
    pub(crate) fn of(loaded: &Loaded, property: Property, verdict: Verdict) -> Report {
        Report::about(loaded.path.clone(), property, verdict, loaded.time.as_secs_f64())
    }

    fn about(path: String, property: Property, verdict: Verdict, front_end: f64) -> Report {
        Report {
            model: path,
            property,
            verdict,
            no_run: false,
            vacuous: false,
            fairness: None,
            assumptions: Vec::new(),
            not_checked: None,
            remarks: Vec::new(),
            stopped: None,
            is_full: false,
            violations: Vec::new(),
            algorithm: "none",
            algorithm_reason: None,
            store: "exact",
            coverage: None,
            engine: "interpreted",
            reduction: None,
            simplified: None,
            counts: Counts::default(),
            peak_rss_bytes: memory::peak_rss(),
            seconds: Seconds { front_end, total: front_end, ..Seconds::default() },
            threads: None,
            automaton: None,
            lasso: None,
            run_length: None,
            working_state_bytes: None,
            profile: None,
            unreached: None,
        }
    }
}

/// Which runs counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct FairnessFacts {
    /// weak, strong, unconditional.
    pub kind: &'static str,
    /// What is treated fairly as a whole: processes, statements, or some of them.
    pub to: &'static str,
    /// For those who judge a run.
    #[serde(skip)]
    pub fairness: Fairness,
}

impl FairnessFacts {
    pub(crate) fn of(fairness: Fairness, units: &UnitRules) -> FairnessFacts {
        let some = !units.fair_to.is_empty() || !units.unfair_to.is_empty();
        let to = match (units.has_statements(), some) {
            (false, false) => "every process",
            (false, true) => "some processes",
            (true, false) => "every statement",
            (true, true) => "some statements",
        };
        FairnessFacts { kind: fairness::name(fairness), to, fairness }
    }
}

/// A violation that a search found.
#[derive(Clone, Debug)]
pub struct FoundViolation {
    /// What is violated.
    pub violation: Violation,
    /// The statement that runs into it; `None` for an invalid end state.
    pub place: Option<Place>,
    /// How often it was met.
    pub count: u64,
    /// How it comes about; not when the whole state space was asked for.
    pub counterexample: Option<Counterexample>,
}

/// A line of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// As the user would name it.
    pub file: String,
    /// From 1.
    pub line: u32,
}

/// What is shown of the states of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ShownStates {
    /// What each step changes.
    #[default]
    Changes,
    /// All of each state as well.
    Whole,
}

/// A run that the interpreter has replayed.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Counterexample {
    /// Where everything stands at the start, if whole states were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub initial: Option<FinalState>,
    /// Where everything stands at the start, for renderers that follow the values.
    #[serde(skip)]
    pub start: Option<FinalState>,
    /// Why the run violates what was checked (or shows what was asked for), in a sentence or two.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<Why>,
    /// The numbers of the steps that have no influence on it, as far as what statements read and write shows.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub without_influence: Vec<u64>,
    /// What the property makes of each state, if a page is to show it.
    #[serde(skip)]
    pub truth: Option<Truth>,
    /// The search had come upon a longer one; this is a shortest one to the same violation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shortened: Option<Shortened>,
    /// What happens once.
    pub prefix: Vec<TraceStep>,
    /// What repeats for ever after the prefix; empty for a finite run, and where how it goes on does not
    /// matter.
    pub cycle: Vec<TraceStep>,
    /// How it goes on behind these.
    pub ending: RunEnding,
    /// After so many steps the verdict is certain, whatever comes then.
    pub decided_after: Option<u64>,
    /// What is true at the start, and throughout the cycle; `None` where the property has no propositions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub propositions: Option<PropositionFacts>,
    /// What the cycle owes to each unit that is treated fairly, and gives it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fairness: Option<Vec<UnitFacts>>,
    /// How the property's automaton moves, if that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub automaton: Option<AutomatonRun>,
    /// Where everything stands at the end; `None` if an error left no state.
    #[serde(rename = "final")]
    pub last: Option<FinalState>,
    /// What is missing; `None` if this is the whole run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut: Option<Cut>,
}

/// Why a run violates what was checked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Why {
    /// Of which kind the property is, by its form.
    pub kind: &'static str,
    /// For people. Steps are named by their numbers; what is true at a step is true in the state behind it.
    pub text: String,
}

/// The truth of a property's formula, and of all inside it, along a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Truth {
    /// After which step each position is read, 0 for the start.
    pub steps: Vec<u64>,
    /// Each formula with its value at each position; propositions first, then what contains them.
    pub rows: Vec<(String, Vec<bool>)>,
}

/// The end of a run that is not shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Cut {
    /// Steps that were replayed, and are not shown.
    pub not_shown: u64,
    /// Whether the run was replayed to its end; if not, nobody but the search has seen the rest.
    pub replayed: bool,
    /// The limit that was hit.
    pub reason: String,
}

/// How a run goes on behind what is shown of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RunEnding {
    /// It ends here, with an error, or because nothing can happen any more.
    #[default]
    Ends,
    /// The cycle is repeated for ever.
    Repeats,
    /// The cycle is repeated for ever, inside an atomic sequence: no other process ever moves again.
    Diverges,
    /// Nothing can happen any more: the last state repeats for ever.
    Stops,
    /// How it goes on does not matter.
    Decided,
    /// It is not shown to its end ([`Counterexample::cut`]).
    Cut,
}

/// The numbers of transitions of a run that was made shorter. An indivisible sequence is one transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Shortened {
    /// Of the run that the search came upon.
    pub from: u64,
    /// Of the run that is shown.
    pub to: u64,
}

/// Which propositions of a property are true where.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PropositionFacts {
    /// In the initial state.
    pub initially_true: Vec<String>,
    /// In the initial state.
    pub initially_false: Vec<String>,
    /// In every state of the cycle; empty where there is none.
    pub always_in_cycle: Vec<String>,
    /// In no state of the cycle; empty where there is none.
    pub never_in_cycle: Vec<String>,
}

/// How an automaton reads a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct AutomatonRun {
    /// The automaton of the runs that are looked for, as text.
    pub text: String,
    /// Moves that are made once.
    pub prefix: Vec<AutomatonMove>,
    /// Moves that are repeated for ever.
    pub cycle: Vec<AutomatonMove>,
}

/// A move of an automaton.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AutomatonMove {
    /// It reads the state after so many steps of the run.
    pub after: u64,
    /// Where the automaton is.
    pub from: u32,
    /// Where it goes.
    pub to: u32,
    /// Which states of the model let it.
    pub label: String,
    /// The acceptance sets that the move belongs to.
    pub marks: Vec<u32>,
    /// It belongs to all of them.
    pub accepting: bool,
}

/// One executed statement.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TraceStep {
    /// From 1.
    pub number: u64,
    /// The number of the process.
    pub pid: u16,
    /// The name of its type.
    pub process: String,
    /// Its priority.
    pub priority: u8,
    /// The file in which the statement stands.
    pub file: String,
    /// The line in which it stands.
    pub line: u32,
    /// Its text.
    pub statement: String,
    /// The number of the statement among those of its process type; Spin calls it a state.
    pub state: u32,
    /// Where the process was before the step.
    pub location: u32,
    /// Which of the location's transitions it took.
    pub transition: u32,
    /// What is different after the step. Of the two steps of a handshake, the second says it.
    pub changes: Vec<Change>,
    /// What it prints.
    pub printed: Option<String>,
    /// Propositions of the property that are true after the step, and were not before the transition it
    /// belongs to.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub becomes_true: Vec<String>,
    /// Those that are not any more.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub becomes_false: Vec<String>,
    /// It has no influence on what is wrong with the run, as far as what statements read and write shows: an
    /// approximation.
    #[serde(skip)]
    pub without_influence: bool,
    /// Variables and channels that exist since this step, for renderers that follow the values.
    #[serde(skip)]
    pub appears: Vec<Change>,
    /// The names of those that exist no more.
    #[serde(skip)]
    pub disappears: Vec<String>,
    /// No process moves: the run has ended, and its last state is repeated. The fields above say nothing
    /// then.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub stutters: bool,
    /// Where everything stands after the step, if whole states were asked for. Of the two steps of a
    /// handshake, the second says it; a step that runs into an error leaves no state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<FinalState>,
}

/// A variable or channel and its value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Change {
    /// As the model names it.
    pub name: String,
    /// As text.
    pub value: String,
}

/// Where everything stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FinalState {
    /// Globals and channels.
    #[serde(rename = "variables")]
    pub globals: Vec<Change>,
    /// The youngest first.
    pub processes: Vec<FinalProcess>,
}

/// Where a process stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FinalProcess {
    /// Its number.
    pub pid: u16,
    /// The name of its type.
    pub process: String,
    /// Its priority.
    pub priority: u8,
    /// The file of its next statement.
    pub file: String,
    /// The line of its next statement.
    pub line: u32,
    /// Where it is.
    pub location: u32,
    /// What DVE calls the state that it is in.
    pub state: Option<String>,
    /// It may stay where it is.
    pub may_end: bool,
    /// Its local variables.
    pub variables: Vec<Change>,
}

/// The statements of one process type that were never reached.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Unreached {
    /// `proctype P`, or `init`.
    pub process: String,
    /// One for each statement at such a location.
    pub statements: Vec<UnreachedStatement>,
    /// Number of locations that they stand at.
    pub count: usize,
    /// Number of locations of the process type.
    #[serde(rename = "of")]
    pub locations: usize,
}

/// A statement that was never reached.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UnreachedStatement {
    /// The file in which it stands.
    pub file: String,
    /// The line in which it stands.
    pub line: u32,
    /// The location before it.
    #[serde(rename = "state")]
    pub location: u32,
    /// Its text.
    pub statement: String,
}
