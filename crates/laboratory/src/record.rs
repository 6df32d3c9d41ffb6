//! What one run says, read from the JSON that `lariat check` writes. A run without a report has a record too:
//! why there is none.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a run said. Numbers are missing where it wrote no report.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// `holds`, `violated`, `unknown` (a limit), `refused` (the algorithm does not suit the automaton), or
    /// `error`.
    pub verdict: String,
    /// Why it is neither of the first two.
    pub reason: Option<String>,
    /// States that the check has looked at.
    pub visited: Option<u64>,
    /// States in the store.
    pub stored: Option<u64>,
    /// Transitions generated, each as often as it was.
    pub transitions: Option<u64>,
    /// Calls of the successor function.
    pub post_calls: Option<u64>,
    /// States on the longest path.
    pub depth: Option<u64>,
    /// The greatest size of the stack of roots.
    pub roots: Option<u64>,
    /// The greatest size of the stack of states whose component is not complete.
    pub active: Option<u64>,
    /// The cycle was found by the nested search.
    pub found_nested: Option<bool>,
    /// Transitions before the cycle, as it was found.
    pub prefix: Option<u64>,
    /// Transitions of the cycle.
    pub cycle: Option<u64>,
    /// The check alone.
    pub seconds: Option<f64>,
    /// Everything, from the text of the model on.
    pub total_seconds: Option<f64>,
    /// The states as they are stored.
    pub descriptor_bytes: Option<u64>,
    /// What the check notes beside: marks, numbers, stacks.
    pub auxiliary_bytes: Option<u64>,
    /// What the states would take, each packed by itself to the bits that its types need.
    pub vector_bytes: Option<u64>,
    /// The most memory that the process had.
    pub peak_rss_bytes: Option<u64>,
    /// The automaton that the model ran beside.
    pub automaton: Option<AutomatonRecord>,
    /// The initial state as the model works on it.
    pub state_bytes: Option<u64>,
    /// Whether the model was reduced: `stubborn-sets` or `none`.
    pub reduction: Option<String>,
    /// Why it was not, if it was to be.
    pub not_reduced: Option<String>,
}

/// An automaton in numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AutomatonRecord {
    /// How many states it has.
    pub states: u64,
    /// How many edges it has.
    pub edges: u64,
    /// How many acceptance sets there are.
    pub sets: u64,
    /// `terminal`, `weak` or `strong`.
    pub strength: String,
}

impl RunRecord {
    /// A run without a report.
    pub fn error(reason: String) -> RunRecord {
        RunRecord { verdict: "error".to_string(), reason: Some(reason), ..RunRecord::default() }
    }

    /// From a report of `lariat check`. `None` if it is none.
    pub fn read(report: &Value) -> Option<RunRecord> {
        let number = |path: &str| report.pointer(path).and_then(Value::as_u64);
        let seconds = |path: &str| report.pointer(path).and_then(Value::as_f64);
        let text = |path: &str| report.pointer(path).and_then(Value::as_str).map(str::to_string);
        let automaton = report.get("automaton").and_then(|automaton| {
            let number = |name: &str| automaton.get(name).and_then(Value::as_u64);
            Some(AutomatonRecord {
                states: number("states")?,
                edges: number("edges")?,
                sets: number("sets")?,
                strength: automaton.get("strength")?.as_str()?.to_string(),
            })
        });
        Some(RunRecord {
            verdict: text("/verdict")?,
            reason: text("/reason"),
            visited: number("/states/visited"),
            stored: number("/states/stored"),
            transitions: number("/transitions"),
            post_calls: number("/post_calls"),
            depth: number("/depth"),
            roots: number("/stacks/roots"),
            active: number("/stacks/active"),
            found_nested: report.pointer("/lasso/found_nested").and_then(Value::as_bool),
            prefix: number("/lasso/prefix"),
            cycle: number("/lasso/cycle"),
            seconds: seconds("/seconds/check"),
            total_seconds: seconds("/seconds/total"),
            descriptor_bytes: number("/memory/states_bytes"),
            auxiliary_bytes: number("/stacks/bytes"),
            vector_bytes: number("/memory/vector_bytes"),
            peak_rss_bytes: number("/memory/peak_rss_bytes"),
            automaton,
            state_bytes: number("/memory/working_state_bytes"),
            reduction: text("/reduction"),
            not_reduced: text("/reduced/reason"),
        })
    }

    /// There is an answer.
    pub fn is_finished(&self) -> bool {
        self.verdict == "holds" || self.verdict == "violated"
    }
}

/// How the part of a product that `ascc` explores is built, from the JSON that `lariat scc` writes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaseStructure {
    /// States of the part.
    pub states: u64,
    /// Its strongly connected components.
    pub components: u64,
    /// Components of one accepting state without a cycle.
    pub accepting_trivial: u64,
    /// Components without an accepting state, to which no accepting state leads.
    pub not_preceded_by_accepting: u64,
    /// Of those, the ones with a cycle.
    pub not_preceded_by_accepting_cyclic: u64,
}

impl CaseStructure {
    /// `None` if it is no such report, or one without an answer.
    pub fn read(report: &Value) -> Option<CaseStructure> {
        let number = |path: &str| report.pointer(path).and_then(Value::as_u64);
        Some(CaseStructure {
            states: number("/states")?,
            components: number("/components/count")?,
            accepting_trivial: number("/effects/accepting_trivial")?,
            not_preceded_by_accepting: number("/effects/not_preceded_by_accepting")?,
            not_preceded_by_accepting_cyclic: number("/effects/not_preceded_by_accepting_cyclic")?,
        })
    }
}
