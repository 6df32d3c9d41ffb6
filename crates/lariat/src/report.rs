//! What is found out about a model in Rust.

use crate::question::Kind;
use crate::{Fairness, Model, Run};
use lariat_verdict::{NO_RUN, RunLength, Verdict, counted};
use std::fmt;
use std::time::Duration;

/// What a search counted, in the product of model and automaton.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Counts {
    /// States that were stored.
    pub stored: u64,
    /// States that were visited.
    pub visited: u64,
    /// Transitions that were looked at.
    pub transitions: u64,
    /// How often the successors of a state were asked for.
    pub post_calls: u64,
    /// The longest path that was followed.
    pub depth: u64,
}

impl Counts {
    pub(crate) fn of(counts: &lariat_search::Counts) -> Counts {
        let &lariat_search::Counts { stored, visited, transitions, post_calls, depth, .. } = counts;
        Counts { stored, visited, transitions, post_calls, depth }
    }
}

/// The answer to one question about a model. `Display` shows it to people.
#[non_exhaustive]
pub struct ModelReport<M: Model> {
    pub(crate) kind: Kind,
    /// The formula, with all brackets, as it was understood.
    pub formula: String,
    /// Whether it holds. [`Verdict::Holds`] is said only if every state was looked at that matters.
    pub verdict: Verdict,
    /// What a run owes to every unit, if not all runs count
    /// ([`Checker::fairness`](crate::Checker::fairness)).
    pub fairness: Option<Fairness>,
    /// It is known that no run counts: none goes on for ever, and those that end do not count
    /// ([`FiniteRuns::Ignore`](crate::FiniteRuns::Ignore)), or none is fair. The verdict is about nothing.
    pub no_run: bool,
    /// The run that violates the property; for [`Checker::exists`](crate::Checker::exists) the run that shows
    /// it. `None` if there is none.
    pub run: Option<Run<M>>,
    /// Whether the run is a shortest one; `None` if there is none, or if that was not asked for.
    pub run_length: Option<RunLength>,
    /// The name of the algorithm: one of [`algorithms`](crate::algorithms), or `none` if none was run.
    pub algorithm: &'static str,
    /// Why it was chosen.
    pub algorithm_reason: Option<String>,
    /// Of the product of model and automaton.
    pub counts: Counts,
    /// How many states of the model itself were met.
    pub model_states: u64,
    /// Of how many states only some processes were followed, because the model says who reads and writes what
    /// ([`Model::footprints`]).
    pub reduced_states: u64,
    /// Why all processes were followed, although the model says so.
    pub not_reduced: Option<&'static str>,
    /// From the text of the formula to this report.
    pub elapsed: Duration,
    /// What there is to say about the text of the formula: if others would read it otherwise, for instance.
    pub warnings: Vec<String>,
}

impl<M: Model> ModelReport<M> {
    /// Whether the property was found to hold.
    pub fn holds(&self) -> bool {
        matches!(self.verdict, Verdict::Holds(_))
    }

    /// For tests: the same report, if the property holds.
    ///
    /// # Panics
    ///
    /// If it does not, or if that is not known. The message is the whole report, with the counterexample.
    #[track_caller]
    pub fn assert_holds(self) -> Self {
        assert!(self.holds(), "the property should hold\n{self}");
        self
    }

    /// For tests: the same report, if the property is violated.
    ///
    /// # Panics
    ///
    /// If it is not, or if that is not known. The message is the whole report.
    #[track_caller]
    pub fn assert_violated(self) -> Self {
        assert!(self.verdict == Verdict::Violated, "the property should be violated\n{self}");
        self
    }

    /// The verdict on one line.
    pub fn first_line(&self) -> String {
        let formula = &self.formula;
        let (a, fair) = match self.fairness {
            None => ("a", ""),
            Some(Fairness::Weak) => ("a", "weakly fair "),
            Some(Fairness::Strong) => ("a", "strongly fair "),
            Some(Fairness::Unconditional) => ("an", "unconditionally fair "),
        };
        let (good, bad) = match self.kind {
            Kind::Ltl => (
                format!("every {fair}run satisfies {formula}"),
                format!("{a} {fair}run does not satisfy {formula}"),
            ),
            Kind::Exists => {
                (format!("{a} {fair}run satisfies {formula}"), format!("no {fair}run satisfies {formula}"))
            }
            Kind::Invariant => (
                format!("every reachable state satisfies {formula}"),
                format!("a reachable state does not satisfy {formula}"),
            ),
            Kind::NoDeadlock => (
                "something can happen in every reachable state".to_string(),
                "nothing can happen in a reachable state".to_string(),
            ),
        };
        let remark = match (self.no_run, self.fairness) {
            (false, _) => "",
            (true, None) => NO_RUN,
            (true, Some(_)) => " (there is no such run)",
        };
        match &self.verdict {
            Verdict::Holds(_) => format!("holds: {good}{remark}"),
            Verdict::Violated => format!("violated: {bad}{remark}"),
            Verdict::Unknown(reason) => format!("unknown: whether {good}: {reason}"),
            Verdict::Refused(reason) => format!("refused: whether {good}: {reason}"),
        }
    }
}

impl<M: Model> fmt::Display for ModelReport<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.first_line())?;
        if let Some(run) = &self.run {
            write!(f, "\n{run}")?;
        }
        if let Some(length) = &self.run_length {
            writeln!(f, "this is {}", length.describe())?;
        }
        for warning in &self.warnings {
            write!(f, "\n{warning}")?;
        }
        let states = counted(self.model_states, "state");
        let product = format!("{} with the automaton", self.counts.stored);
        write!(f, "\n{states} ({product}), {}", counted(self.counts.transitions, "transition"))?;
        write!(f, ", {:.3} s", self.elapsed.as_secs_f64())?;
        if self.reduced_states > 0 {
            write!(
                f,
                "\nreduced: of {} only some processes were followed",
                counted(self.reduced_states, "state")
            )?;
        }
        if let Some(reason) = self.not_reduced {
            write!(f, "\nnot reduced, because {reason}")?;
        }
        match &self.algorithm_reason {
            Some(reason) => writeln!(f, "\nalgorithm {reason}"),
            None => writeln!(f),
        }
    }
}

impl<M: Model> fmt::Debug for ModelReport<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ModelReport")
            .field("formula", &self.formula)
            .field("verdict", &self.verdict)
            .field("run", &self.run)
            .field("algorithm", &self.algorithm)
            .field("counts", &self.counts)
            .finish_non_exhaustive()
    }
}
