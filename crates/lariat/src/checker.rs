//! Questions about a model in Rust, from the text of a formula to a report: question → automaton → product →
//! check → lasso → run → report (`search.rs` from the product on).

use crate::ahead::{Ahead, Together, together};
use crate::explored::{ExploredModel, Meaning};
use crate::footprint::Things;
use crate::question::{Kind, Question};
use crate::reduction::Reduction;
use crate::search::PreparedSearch;
use crate::unit::UnitTable;
use crate::{Counts, Error, Fairness, Model, ModelReport};
use lariat_search::Limits;
use lariat_search::emptiness::{ALGORITHMS, Check};
use lariat_search::product::{self, PropertyAutomaton};
use lariat_source::most_similar;
use lariat_verdict::{
    Algorithm, CheckOptions, Goal, Guarantee, NoGoal, RunsThatCount, SearchOrder, Verdict, describe_stop,
};
use std::time::{Duration, Instant};

/// What becomes of a run that ends in a state without successors.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum FiniteRuns {
    /// It repeats this state for ever.
    #[default]
    Stutter,
    /// It does not count.
    Ignore,
}

impl From<FiniteRuns> for product::FiniteRuns {
    fn from(finite_runs: FiniteRuns) -> product::FiniteRuns {
        match finite_runs {
            FiniteRuns::Stutter => product::FiniteRuns::Stutter,
            FiniteRuns::Ignore => product::FiniteRuns::Ignore,
        }
    }
}

/// The names of the algorithms that [`Checker::algorithm`] knows.
pub fn algorithms() -> impl Iterator<Item = &'static str> {
    ALGORITHMS.iter().map(|description| description.name)
}

/// Whether every run of the model satisfies a formula of linear temporal logic.
///
/// The formula is read as Spot reads it: `G` (always), `F` (some time), `X` (next), `U` (until), `W`, `R`,
/// `M`, `!`, `&`, `|`, `->`, `<->`, `xor`, over the names of [`Model::propositions`] and `deadlock`. A run
/// that ends goes on repeating its last state. There is no limit: [`Checker`] has some, and other questions.
///
/// ```
/// # use lariat::{Model, Propositions};
/// # struct Counter;
/// # impl Model for Counter {
/// #     type State = u8;
/// #     type Action = &'static str;
/// #     fn initial_states(&self) -> Vec<u8> { vec![0] }
/// #     fn successors(&self, n: &u8, out: &mut Vec<(&'static str, u8)>) {
/// #         out.push(("count", (n + 1) % 5));
/// #     }
/// #     fn propositions(&self, named: &mut Propositions<u8>) { named.add("zero", |n| *n == 0); }
/// # }
/// let report = lariat::check(&Counter, "G F zero")?;
/// assert!(report.holds());
///
/// let error = lariat::check(&Counter, "G F zerro").unwrap_err().to_string();
/// assert!(error.contains("did you mean `zero`?"));
/// # Ok::<(), lariat::Error>(())
/// ```
pub fn check<M: Model>(model: &M, formula: &str) -> Result<ModelReport<M>, Error> {
    Checker::new(model).check(formula)
}

/// Questions about a model, and how they are to be answered.
///
/// ```
/// # use lariat::{Model, Propositions};
/// # struct Counter;
/// # impl Model for Counter {
/// #     type State = u8;
/// #     type Action = &'static str;
/// #     fn initial_states(&self) -> Vec<u8> { vec![0] }
/// #     fn successors(&self, n: &u8, out: &mut Vec<(&'static str, u8)>) {
/// #         out.push(("count", (n + 1) % 5));
/// #     }
/// #     fn propositions(&self, named: &mut Propositions<u8>) {
/// #         named.add("zero", |n| *n == 0);
/// #         named.add("small", |n| *n < 5);
/// #     }
/// # }
/// use lariat::Checker;
/// use std::time::Duration;
///
/// let checker = Checker::new(&Counter).max_states(1_000_000).timeout(Duration::from_secs(60));
/// checker.check("G F zero")?.assert_holds();
/// checker.exists("X !zero")?.assert_holds();
/// checker.invariant("small")?.assert_holds();
/// checker.no_deadlock()?.assert_holds();
/// # Ok::<(), lariat::Error>(())
/// ```
pub struct Checker<'m, M> {
    model: &'m M,
    /// As it was asked for.
    algorithm: Option<String>,
    degeneralise: bool,
    order: SearchOrder,
    finite_runs: FiniteRuns,
    fairness: Option<Fairness>,
    max_states: Option<u64>,
    max_depth: Option<u64>,
    timeout: Option<Duration>,
    reduces: bool,
    /// How many threads there are beside this one, and how they are put to work.
    others: Option<(usize, Together<M>)>,
}

impl<'m, M: Model> Checker<'m, M> {
    /// Asks about this model, without limits.
    pub fn new(model: &'m M) -> Checker<'m, M> {
        Checker {
            model,
            algorithm: None,
            degeneralise: false,
            order: SearchOrder::DepthFirst,
            finite_runs: FiniteRuns::Stutter,
            fairness: None,
            max_states: None,
            max_depth: None,
            timeout: None,
            reduces: true,
            others: None,
        }
    }

    /// So many threads; one is the default, and 0 counts as 1. Verdicts, counts and runs are the same for any
    /// number.
    ///
    /// One of them searches; the others compute [`Model::successors`] ahead of it, if that takes some
    /// microseconds. If it does not, they have nothing to do: then handing states over would take longer.
    /// They hold copies of states that the search will come to.
    ///
    /// ```
    /// # use lariat::{Model, Propositions};
    /// # struct Counter;
    /// # impl Model for Counter {
    /// #     type State = u8;
    /// #     type Action = &'static str;
    /// #     fn initial_states(&self) -> Vec<u8> { vec![0] }
    /// #     fn successors(&self, n: &u8, out: &mut Vec<(&'static str, u8)>) {
    /// #         out.push(("count", (n + 1) % 5));
    /// #     }
    /// #     fn propositions(&self, named: &mut Propositions<u8>) { named.add("zero", |n| *n == 0); }
    /// # }
    /// use lariat::Checker;
    ///
    /// Checker::new(&Counter).threads(2).check("G F zero")?.assert_holds();
    /// # Ok::<(), lariat::Error>(())
    /// ```
    pub fn threads(mut self, threads: usize) -> Self
    where
        M: Sync,
        M::State: Send,
        M::Action: Send,
    {
        self.others = (threads > 1).then_some((threads - 1, together::<M>));
        self
    }

    /// Follows every step of the model, also where its [footprints](Model::footprints) say that fewer are
    /// enough.
    pub fn no_reduction(mut self) -> Self {
        self.reduces = false;
        self
    }

    /// The algorithm, by its name in [`algorithms`]; `auto`, which is the default, takes
    /// what suits the formula. One that cannot do
    /// it gives [`Verdict::Refused`].
    pub fn algorithm(mut self, name: impl Into<String>) -> Self {
        self.algorithm = Some(name.into());
        self
    }

    /// Gives every algorithm an automaton with one acceptance set, also those that could do with several.
    pub fn degeneralise(mut self) -> Self {
        self.degeneralise = true;
        self
    }

    /// Looks for a counterexample of minimal length: a run of the product of model and automaton, prefix and
    /// cycle together, that no other has fewer transitions than. To find it takes at most about ten times as
    /// long
    /// as to explore the product that far, and less than the limits allow; [`ModelReport::run_length`] says
    /// whether it was found. Without it counterexamples are short, but perhaps not the shortest.
    pub fn shortest(mut self) -> Self {
        self.order = SearchOrder::BreadthFirst;
        self
    }

    /// What becomes of a run that ends in a state without successors: it repeats this state for ever
    /// ([`FiniteRuns::Stutter`], the default), or
    /// it does not count ([`FiniteRuns::Ignore`]). Invariants and deadlocks are about all reachable states,
    /// whatever is said here.
    pub fn finite_runs(mut self, finite_runs: FiniteRuns) -> Self {
        self.finite_runs = finite_runs;
        self
    }

    /// Only fair runs count: [`Checker::check`] is about all of them, [`Checker::exists`] finds one of them.
    /// Invariants and deadlocks are about all reachable states, whatever is said here.
    ///
    /// Fairness is owed to units, which take part in actions ([`Model::units_of`]): every kind of action is
    /// one, unless the model says otherwise. A unit is *enabled* in a state if it takes part in some step
    /// that leaves it. A run is fair if this is true of every unit:
    ///
    /// - [`Fairness::Weak`]: it takes part again and again, or is again and again not enabled;
    /// - [`Fairness::Strong`]: it takes part again and again, or is not enabled any more from some time on;
    /// - [`Fairness::Unconditional`]: it takes part again and again. For this the model must list its units
    ///   ([`Model::all_units`]).
    ///
    /// Where a run has ended, nobody is enabled. There may be 256 units. Some algorithms cannot do it: only
    /// `streett` can do strong fairness. [`Run::units`](crate::Run::units) says why a run is fair.
    ///
    /// ```
    /// use lariat::{Checker, Fairness, Model, Propositions};
    ///
    /// /// Somebody waits at a door, which is opened and closed again and again.
    /// struct Door;
    ///
    /// #[derive(Debug)]
    /// enum Action { Open, Close, Enter }
    ///
    /// impl Model for Door {
    ///     /// Whether the door is open, and whether he is in.
    ///     type State = (bool, bool);
    ///     type Action = Action;
    ///
    ///     fn initial_states(&self) -> Vec<(bool, bool)> {
    ///         vec![(false, false)]
    ///     }
    ///
    ///     fn successors(&self, &(open, inside): &(bool, bool), out: &mut Vec<(Action, (bool, bool))>) {
    ///         out.push((if open { Action::Close } else { Action::Open }, (!open, inside)));
    ///         if open && !inside {
    ///             out.push((Action::Enter, (open, true)));
    ///         }
    ///     }
    ///
    ///     fn propositions(&self, named: &mut Propositions<(bool, bool)>) {
    ///         named.add("open", |state| state.0);
    ///         named.add("inside", |state| state.1);
    ///     }
    /// }
    ///
    /// let weak = Checker::new(&Door).fairness(Fairness::Weak);
    /// weak.check("F open")?.assert_holds();
    /// // He may be too slow every time: again and again he cannot enter.
    /// let report = weak.check("F inside")?.assert_violated();
    /// assert!(report.to_string().contains("fair to Enter: not enabled in 1 of 2 states of the cycle"));
    /// // But he does not fail for ever.
    /// Checker::new(&Door).fairness(Fairness::Strong).check("F inside")?.assert_holds();
    /// # Ok::<(), lariat::Error>(())
    /// ```
    pub fn fairness(mut self, fairness: Fairness) -> Self {
        self.fairness = Some(fairness);
        self
    }

    /// More states of the product of model and automaton give [`Verdict::Unknown`].
    pub fn max_states(mut self, states: u64) -> Self {
        self.max_states = Some(states);
        self
    }

    /// A longer path gives [`Verdict::Unknown`].
    pub fn max_depth(mut self, transitions: u64) -> Self {
        self.max_depth = Some(transitions);
        self
    }

    /// A longer search gives [`Verdict::Unknown`]. A run that was found is not made shorter after that time,
    /// and after a quarter more it is not shown. The clock is looked at every few
    /// milliseconds, but not while a function of the model is running.
    pub fn timeout(mut self, time: Duration) -> Self {
        self.timeout = Some(time);
        self
    }

    /// Whether every run satisfies a formula; see [`check`].
    pub fn check(&self, formula: &str) -> Result<ModelReport<M>, Error> {
        self.answer(Kind::Ltl, formula)
    }

    /// Whether some run satisfies a formula. If so, [`ModelReport::run`] is one.
    pub fn exists(&self, formula: &str) -> Result<ModelReport<M>, Error> {
        self.answer(Kind::Exists, formula)
    }

    /// Whether every reachable state satisfies a condition: a proposition, or several with `!`, `&`, `|`,
    /// `->`, `<->`, `xor`. A state that does
    /// not is the last of [`ModelReport::run`], which is a shortest way to one, unless very many states are
    /// as near, or the model is [reduced](Model::footprints).
    pub fn invariant(&self, condition: &str) -> Result<ModelReport<M>, Error> {
        self.answer(Kind::Invariant, condition)
    }

    /// Whether every reachable state has a successor. One that has none is the last of [`ModelReport::run`].
    pub fn no_deadlock(&self) -> Result<ModelReport<M>, Error> {
        self.answer(Kind::NoDeadlock, "")
    }

    /// Asks every algorithm whether every run satisfies a formula: one report for each of
    /// [`algorithms`]. If two of them
    /// contradict each other, that is an [`Error::Internal`].
    pub fn compare(&self, formula: &str) -> Result<Vec<ModelReport<M>>, Error> {
        let mut reports: Vec<ModelReport<M>> = Vec::new();
        for description in ALGORITHMS {
            let options = self.options(Algorithm::Named(description.check));
            let report = self.answer_with(Kind::Ltl, formula, options)?;
            let says = |report: &ModelReport<M>| report.holds() || report.verdict == Verdict::Violated;
            let other = reports.iter().find(|other| says(other) && other.holds() != report.holds());
            if let Some(other) = other.filter(|_| says(&report)) {
                let (one, two) = (other.algorithm, report.algorithm);
                return Err(Error::Internal(format!("`{one}` and `{two}` disagree about {formula}")));
            }
            reports.push(report);
        }
        Ok(reports)
    }

    /// How steps are left out; `None` if that is not asked for, or why it cannot be done.
    fn reduction(
        &self,
        goal: &mut Goal,
        explored: &ExploredModel<M>,
        options: CheckOptions,
        limits: Limits,
    ) -> Result<Option<Reduction>, &'static str> {
        let mut footprints = Vec::new();
        let starts = explored.initial().iter().map(|&start| explored.state(start));
        starts.for_each(|state| self.model.footprints(state, &mut footprints));
        if footprints.is_empty() || !self.reduces {
            return Ok(None);
        }
        let propositions = &explored.propositions;
        if options.runs != RunsThatCount::All {
            return Err("fairness looks at every process");
        }
        if options.order == SearchOrder::BreadthFirst {
            return Err("a shortest run of a reduced model need not be a shortest one");
        }
        let is_named = |meaning: &Meaning<M::State>| matches!(meaning, Meaning::Named(_));
        if propositions.meanings.iter().any(is_named) && !propositions.meanings.iter().all(is_named) {
            return Err(
                "any step may be the last, and the formula mentions `deadlock` beside other propositions",
            );
        }
        let mut observed = Things::default();
        for (name, meaning) in propositions.names.iter().zip(&propositions.meanings) {
            if is_named(meaning) {
                let reads = self.model.proposition_reads(name);
                let reads = reads.ok_or("it is not known what a proposition of the formula looks at")?;
                reads.into_iter().for_each(|thing| observed.add(thing));
            }
        }
        if !goal.is_stutter_invariant(limits) {
            return Err("the formula tells stuttering apart");
        }
        Ok(Some(Reduction::new(observed)))
    }

    fn options(&self, algorithm: Algorithm) -> CheckOptions {
        CheckOptions {
            algorithm,
            degeneralise: self.degeneralise,
            order: self.order,
            ..CheckOptions::default()
        }
    }

    fn answer(&self, kind: Kind, text: &str) -> Result<ModelReport<M>, Error> {
        let algorithm = match self.algorithm.as_deref() {
            None | Some("auto") => Algorithm::Auto,
            Some(name) => Algorithm::Named(Check::by_name(name).ok_or_else(|| unknown_algorithm(name))?),
        };
        self.answer_with(kind, text, self.options(algorithm))
    }

    fn answer_with(&self, kind: Kind, text: &str, options: CheckOptions) -> Result<ModelReport<M>, Error> {
        let start = Instant::now();
        let Question { reading, formulas, goal, condition, propositions, warnings } =
            Question::new(self.model, kind, text)?;
        // A condition on states is asked of all states, also of those from which every run ends, or none that
        // is fair goes on.
        let (finite_runs, fairness) = match condition {
            Some(_) => (product::FiniteRuns::Stutter, None),
            None => (self.finite_runs.into(), self.fairness),
        };
        let runs = match fairness {
            None => RunsThatCount::All,
            Some(Fairness::Strong) => RunsThatCount::ByPairs,
            Some(Fairness::Weak | Fairness::Unconditional) => RunsThatCount::BySets,
        };
        let options = CheckOptions { runs, ..options };
        let mut report = ModelReport {
            kind,
            formula: reading,
            verdict: Verdict::Holds(Guarantee::Exhaustive),
            fairness,
            no_run: false,
            run: None,
            run_length: None,
            algorithm: "none",
            algorithm_reason: None,
            counts: Counts::default(),
            model_states: 0,
            reduced_states: 0,
            not_reduced: None,
            elapsed: Duration::ZERO,
            warnings,
        };
        let limits = Limits {
            max_depth: self.max_depth,
            max_states: self.max_states,
            deadline: self.timeout.and_then(|timeout| start.checked_add(timeout)),
            ..Limits::default()
        };
        let units = fairness.map(|_| UnitTable::of(self.model));
        if fairness == Some(Fairness::Unconditional) && !units.as_ref().is_some_and(UnitTable::is_listed) {
            let reason = "unconditional fairness is owed to those as well who never take part in anything, so the model must list its units (`Model::all_units`)";
            return Ok(refused(report, "none", reason.to_string(), start));
        }
        let mut goal = match Goal::by_formula(formulas, goal, options, limits) {
            Ok(goal) => goal,
            Err(NoGoal::Stopped(reason)) => {
                let verdict = Verdict::Unknown(describe_stop(reason, self.timeout));
                return Ok(ModelReport { verdict, elapsed: start.elapsed(), ..report });
            }
            Err(NoGoal::GivenUp(reason)) => {
                let verdict = Verdict::Unknown(reason);
                return Ok(ModelReport { verdict, elapsed: start.elapsed(), ..report });
            }
            Err(NoGoal::Refused(reason)) => return Ok(refused(report, "none", reason, start)),
            Err(NoGoal::Internal(reason)) => return Err(Error::Internal(reason)),
        };
        let chosen = match goal.choose(options, limits) {
            Ok(chosen) => chosen,
            Err((name, reason)) => return Ok(refused(report, name, reason, start)),
        };
        (report.algorithm, report.algorithm_reason) = (chosen.name(), Some(chosen.reason()));

        let search = |ahead: Option<&dyn Ahead<M>>| {
            let mut explored = ExploredModel::new(self.model, propositions, units, ahead);
            if explored.initial().is_empty() {
                return Err(Error::NoInitialState);
            }
            match self.reduction(&mut goal, &explored, options, limits) {
                Ok(Some(reduction)) => explored.leave_out(reduction),
                Ok(None) => {}
                Err(reason) => report.not_reduced = Some(reason),
            }
            let search = PreparedSearch {
                kind,
                automaton: PropertyAutomaton::new(&goal.automaton, &goal.bdds, |variable| variable),
                goal,
                condition,
                options,
                chosen,
                finite_runs,
                fairness,
                limits,
                timeout: self.timeout,
                start,
            };
            search.run(explored, &mut report)
        };
        self.with_others(search)?;
        report.elapsed = start.elapsed();
        Ok(report)
    }

    /// Searches with those who compute successors ahead, if there are any.
    fn with_others<R>(&self, search: impl FnOnce(Option<&dyn Ahead<M>>) -> R) -> R {
        let Some((others, together)) = self.others else { return search(None) };
        let (mut search, mut result) = (Some(search), None);
        together(self.model, others, &mut |ahead| {
            result = search.take().map(|search| search(Some(ahead)));
        });
        result.expect("it is called once")
    }
}

fn refused<M: Model>(
    report: ModelReport<M>,
    algorithm: &'static str,
    reason: String,
    start: Instant,
) -> ModelReport<M> {
    ModelReport { verdict: Verdict::Refused(reason), algorithm, elapsed: start.elapsed(), ..report }
}

fn unknown_algorithm(name: &str) -> Error {
    let names = || algorithms().chain(["auto"]);
    let hint = match most_similar(name, names()) {
        Some(similar) => format!("did you mean `{similar}`?"),
        None => format!("there are {}", names().collect::<Vec<_>>().join(", ")),
    };
    Error::UnknownAlgorithm { name: name.to_string(), hint }
}
