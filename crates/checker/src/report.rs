//! The result of a run, as values. How it looks is the renderers' business; what they pass on unchanged can be serialised.

use lariat_model::Violation;
use lariat_search::Counts;
use serde::Serialize;

/// Why a property may be said to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guarantee {
    /// Every reachable state was stored, compared byte for byte, and checked.
    Exhaustive,
    /// Every reachable state was stored and checked, but hidden variables were left out of the comparison: each state was
    /// explored with the values of the way on which it was reached first.
    ExhaustiveButHidden,
}

impl Guarantee {
    pub fn name(self) -> &'static str {
        match self {
            Guarantee::Exhaustive => "exhaustive",
            Guarantee::ExhaustiveButHidden => "exhaustive-but-hidden",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    Holds(Guarantee),
    /// The first of [`Report::violations`] shows it.
    Violated,
    /// No violation found, but not everything was seen: why.
    Unknown(String),
    /// The combination of options would not give a sound answer: why.
    Refused(String),
}

impl Verdict {
    pub fn name(&self) -> &'static str {
        match self {
            Verdict::Holds(_) => "holds",
            Verdict::Violated => "violated",
            Verdict::Unknown(_) => "unknown",
            Verdict::Refused(_) => "refused",
        }
    }
}

/// What was checked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Property {
    pub kind: &'static str,
    pub name: String,
    pub formula: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Seconds {
    pub front_end: f64,
    /// Making the model ready to run.
    pub compile: f64,
    /// The search itself, and the replay of what it found.
    pub search: f64,
    pub total: f64,
}

#[derive(Clone, Debug)]
pub struct Report {
    pub model: String,
    pub property: Property,
    pub verdict: Verdict,
    /// What the model states about itself and the verdict says nothing about; `None` if nothing was to be judged.
    pub not_checked: Option<Vec<String>>,
    /// The limit that was hit, if one was, whatever the verdict.
    pub stopped: Option<String>,
    /// Distinct violations, first found first.
    pub violations: Vec<FoundViolation>,
    pub algorithm: &'static str,
    /// Why this one; `None` where there is no choice.
    pub algorithm_reason: Option<String>,
    pub store: &'static str,
    pub engine: &'static str,
    pub reduction: &'static str,
    pub counts: Counts,
    pub peak_rss_bytes: Option<u64>,
    pub seconds: Seconds,
    /// Statements that no process reached; only when the whole state space was asked for.
    pub unreached: Option<Vec<Unreached>>,
}

#[derive(Clone, Debug)]
pub struct FoundViolation {
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
    pub file: String,
    pub line: u32,
}

/// A run that the interpreter has replayed.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Counterexample {
    pub prefix: Vec<TraceStep>,
    /// What repeats for ever after the prefix; empty for a finite run.
    pub cycle: Vec<TraceStep>,
    /// Where everything stands at the end; `None` if an error left no state.
    #[serde(rename = "final")]
    pub last: Option<FinalState>,
}

/// One executed statement.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TraceStep {
    /// From 1.
    pub number: u64,
    pub pid: u16,
    pub process: String,
    pub priority: u8,
    pub file: String,
    pub line: u32,
    pub statement: String,
    /// The number of the statement among those of its process type; Spin calls it a state.
    pub state: u32,
    /// Where the process was before the step.
    pub location: u32,
    /// Which of the location's transitions it took.
    pub transition: u32,
    /// What is different after the step. Of the two steps of a handshake, the second says it.
    pub changes: Vec<Change>,
    pub printed: Option<String>,
}

/// A variable or channel and its value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Change {
    pub name: String,
    pub value: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FinalState {
    /// Globals and channels.
    #[serde(rename = "variables")]
    pub globals: Vec<Change>,
    /// The youngest first.
    pub processes: Vec<FinalProcess>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FinalProcess {
    pub pid: u16,
    pub process: String,
    pub priority: u8,
    pub file: String,
    pub line: u32,
    pub location: u32,
    /// It may stay where it is.
    pub may_end: bool,
    pub variables: Vec<Change>,
}

/// The statements of one process type that were never reached.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Unreached {
    /// `proctype P`, or `init`.
    pub process: String,
    pub statements: Vec<UnreachedStatement>,
    /// Number of locations that they stand at.
    pub count: usize,
    /// Number of locations of the process type.
    #[serde(rename = "of")]
    pub locations: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UnreachedStatement {
    pub file: String,
    pub line: u32,
    #[serde(rename = "state")]
    pub location: u32,
    pub statement: String,
}
