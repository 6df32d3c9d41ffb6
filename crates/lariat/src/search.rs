//! The search for a run in the product of a model in Rust and an automaton: product → check → lasso → run.
//!
//! Under fairness there is room for so many units at first; if more are met and no run is found, there is a
//! second search with more room, and so on. What has been explored of the model stays, so its functions are
//! asked once.

use crate::explored::ExploredModel;
use crate::product::TypedProduct;
use crate::question::Kind;
use crate::replay::{NumberedRun, Replayed, replay, shortest_run_to};
use crate::unit::UnitTable;
use crate::unit_facts::unit_facts;
use crate::unit_marks::{MOST_UNITS, Owed};
use crate::{Counts, Ending, Error, Fairness, Model, ModelReport, Run, UnitFacts};
use lariat_ltl::evaluate::evaluate;
use lariat_ltl::{Formula, Formulas, Marks, Word};
use lariat_search::emptiness::{Check, Lasso, MarkSet, Needs, Stopped, WideMarks};
use lariat_search::product::{FiniteRuns, PropertyAutomaton};
use lariat_search::{Limits, Lookout};
use lariat_verdict::{
    AnyRun, CheckOptions, ChosenCheck, Found, FoundBy, Goal, Guarantee, MAX_SHORTENED, RunLength,
    SearchOrder, Spent, Verdict, Width, describe_stop, find, limits_after, limits_on_showing,
};
use std::time::{Duration, Instant};

/// Everything but the model.
pub(crate) struct PreparedSearch<'a> {
    pub kind: Kind,
    pub goal: Goal,
    /// Of the goal.
    pub automaton: PropertyAutomaton,
    /// What must be true in every state, if that is the question.
    pub condition: Option<Formula>,
    pub options: CheckOptions,
    pub chosen: ChosenCheck,
    pub finite_runs: FiniteRuns,
    pub fairness: Option<Fairness>,
    pub limits: Limits<'a>,
    pub timeout: Option<Duration>,
    pub start: Instant,
}

/// Whether there is a run that was looked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RunFound {
    Yes,
    No,
}

impl PreparedSearch<'_> {
    /// Looks for a run, judges it, and reports.
    pub fn run<M: Model>(
        &self,
        mut explored: ExploredModel<M>,
        report: &mut ModelReport<M>,
    ) -> Result<(), Error> {
        let Some(fairness) = self.fairness else {
            let mut product = TypedProduct::<M>::new(explored, &self.automaton, self.finite_runs, None);
            let found = find(&mut product, self.chosen, self.limits, None);
            return self.conclude(product, found, None, report).map(drop);
        };
        if fairness == Fairness::Unconditional && units_met(&explored) > MOST_UNITS {
            report.verdict = Verdict::Unknown(too_many_units());
            return Ok(());
        }
        let mut owed = Owed { fairness, room: self.first_room(&mut explored) };
        loop {
            let longer = report.run.take().zip(report.run_length.take());
            let again = if self.automaton.sets() + owed.rules().marks() <= Marks::LIMIT {
                self.run_fairly::<M, Marks>(explored, owed, report)?
            } else {
                self.run_fairly::<M, WideMarks>(explored, owed, report)?
            };
            if let (Verdict::Unknown(_), Some((run, length))) = (&report.verdict, longer) {
                // A limit that is hit only now does not take the answer back.
                report.verdict = self.verdict(RunFound::Yes);
                (report.run, report.run_length) = (Some(run), Some(length));
            }
            let Some(before) = again else { return Ok(()) };
            explored = before;
            owed.room = (2 * owed.room).max(units_met(&explored)).min(MOST_UNITS);
        }
    }

    /// Among fair runs, with room for so many units. `Some` if there must be more.
    fn run_fairly<'m, M: Model, K: Width>(
        &self,
        explored: ExploredModel<'m, M>,
        owed: Owed,
        report: &mut ModelReport<M>,
    ) -> Result<Option<ExploredModel<'m, M>>, Error> {
        let mut product = TypedProduct::<M, K>::new(explored, &self.automaton, self.finite_runs, Some(owed));
        let found = K::find_among_some(&mut product, self.chosen, self.limits, None);
        self.conclude(product, found, Some(owed), report)
    }

    /// For how many units there is room at first: all of them, if the model lists them; as many as cost
    /// nothing; few, where each costs copies of states.
    fn first_room<M: Model>(&self, explored: &mut ExploredModel<M>) -> u32 {
        if explored.units().is_some_and(UnitTable::is_listed) {
            return units_met(explored).min(MOST_UNITS);
        }
        let costly = matches!(self.chosen.check, Check::NestedDfsLevels | Check::LabelPropagation)
            || self.chosen.check.description().needs != Needs::AnySets;
        if costly {
            explored.initial().to_vec().into_iter().for_each(|state| explored.expand(state));
            return units_met(explored).clamp(1, MOST_UNITS);
        }
        let each = if self.fairness == Some(Fairness::Strong) { 2 } else { 1 };
        (Marks::LIMIT.saturating_sub(self.automaton.sets()) / each).max(1)
    }

    /// What follows from what was found, or not. `Some` if there must be room for more units.
    fn conclude<'m, M: Model, K: Width>(
        &self,
        mut product: TypedProduct<'_, 'm, M, K>,
        Found { outcome, counts }: Found,
        owed: Option<Owed>,
        report: &mut ModelReport<M>,
    ) -> Result<Option<ExploredModel<'m, M>>, Error> {
        (report.counts, report.model_states) = (Counts::of(&counts), product.explored.len() as u64);
        report.reduced_states = product.explored.reduced();
        refuse_unlisted(&product.explored)?;
        let may_have_more = owed.is_some_and(|owed| owed.room < MOST_UNITS);
        match outcome {
            Err(Stopped(reason)) => report.verdict = Verdict::Unknown(describe_stop(reason, self.timeout)),
            Ok(None) if product.has_too_few_units() => {
                report.verdict = Verdict::Unknown(too_many_units());
                return Ok(may_have_more.then_some(product.explored));
            }
            Ok(None) => {
                product.explored.ask_again(&mut self.showing())?;
                product.explored.check_independence(&mut self.showing())?;
                report.verdict = self.verdict(RunFound::No);
                report.no_run = self.has_no_run(product.explored, owed, report.counts.stored);
            }
            Ok(Some(lasso)) => {
                let numbered = self.numbered(&mut product, lasso, report)?;
                refuse_unlisted(&product.explored)?;
                report.verdict = self.verdict(RunFound::Yes);
                // There may be a shorter run among those that were left out.
                let left_out = product.has_too_few_units() && report.run_length == Some(RunLength::Shortest);
                if left_out {
                    report.run_length = Some(RunLength::Short(too_many_units()));
                }
                match self.shown(&mut product.explored, &numbered)? {
                    Ok(run) => report.run = Some(run),
                    Err(Stopped(reason)) => {
                        report.run_length = None;
                        let reason = describe_stop(reason, self.timeout);
                        report.warnings.push(format!("warning: the run is not shown: {reason}"));
                    }
                }
                let again = left_out && may_have_more && report.run.is_some();
                return Ok(again.then_some(product.explored));
            }
        }
        Ok(None)
    }

    fn verdict(&self, found: RunFound) -> Verdict {
        match (self.kind == Kind::Exists, found) {
            (true, RunFound::No) | (false, RunFound::Yes) => Verdict::Violated,
            (true, RunFound::Yes) | (false, RunFound::No) => Verdict::Holds(Guarantee::Exhaustive),
        }
    }

    fn showing(&self) -> Lookout<'_> {
        Lookout::new(limits_on_showing(self.limits, self.timeout))
    }

    /// The run to be shown, as numbers: a shorter one than was found, if possible.
    fn numbered<M: Model, K: Width>(
        &self,
        product: &mut TypedProduct<M, K>,
        lasso: Lasso,
        report: &mut ModelReport<M>,
    ) -> Result<NumberedRun, Error> {
        let failure = self.condition.and_then(|condition| self.shortest_failure(product, condition));
        if let Some(failure) = failure {
            let wants_shortest = self.options.order == SearchOrder::BreadthFirst;
            report.run_length = wants_shortest.then_some(RunLength::Shortest);
            return Ok(failure);
        }
        let found_by = FoundBy { power: self.chosen.power, transitions: report.counts.transitions };
        let (lasso, length) =
            K::shortened(product, lasso, self.options.order, self.limits, self.timeout, found_by);
        report.run_length = length;
        NumberedRun::along(product, &lasso)
    }

    /// The shortest way to a state in which the condition is false; `None` if that would take too long, or go
    /// beyond a limit.
    fn shortest_failure<M: Model, K: MarkSet>(
        &self,
        product: &mut TypedProduct<M, K>,
        condition: Formula,
    ) -> Option<NumberedRun> {
        let (formulas, _) = self.goal.formula.as_ref()?;
        let most = if self.options.order == SearchOrder::BreadthFirst { usize::MAX } else { MAX_SHORTENED };
        let fails = |explored: &ExploredModel<M>, state| {
            let word = Word { prefix: Vec::new(), cycle: vec![explored.letter(state)] };
            !evaluate(formulas, condition, &word)
        };
        shortest_run_to(&mut product.explored, most, self.limits, fails)
    }

    /// Executes a run with the model and judges it, if there is time: what its word says, and whether it is
    /// fair.
    fn shown<M: Model>(
        &self,
        explored: &mut ExploredModel<M>,
        numbered: &NumberedRun,
    ) -> Result<Result<Run<M>, Stopped>, Error> {
        let lookout = &mut self.showing();
        let replayed = match replay(explored, numbered, lookout)? {
            Ok(replayed) => replayed,
            Err(stopped) => return Ok(Err(stopped)),
        };
        self.goal.judge(&replayed.word()).map_err(Error::Internal)?;
        let mut units = Vec::new();
        if let (Some(fairness), Some(_)) = (self.fairness, numbered.cycle_start) {
            units = match facts(explored, &replayed, lookout) {
                Ok(facts) => facts,
                Err(stopped) => return Ok(Err(stopped)),
            };
            if let Some(unfair) = units.iter().find(|unit| !unit.is_fair(fairness)) {
                return Err(Error::Internal(format!("the run that was found is not fair to {unfair}")));
            }
        }
        let is_stuck = numbered.cycle_start.is_some() || self.kind == Kind::NoDeadlock;
        let end = if is_stuck { Ending::Stops } else { Ending::Settled };
        Ok(Ok(Run::new(explored, replayed, end, units)))
    }

    /// Whether it is known that there is no run that counts.
    fn has_no_run<M: Model>(&self, explored: ExploredModel<M>, owed: Option<Owed>, stored: u64) -> bool {
        let limits = limits_after(&Spent { states: stored, time: self.start.elapsed() }, self.limits);
        let Some(owed) = owed else {
            return self.finite_runs == FiniteRuns::Ignore && has_no_run_at_all(explored, limits);
        };
        if owed.rules().allow_every_beginning(self.finite_runs) {
            return false;
        }
        let is_listed = explored.units().is_some_and(UnitTable::is_listed);
        let owed = if is_listed { owed } else { Owed { room: MOST_UNITS, ..owed } };
        let options = CheckOptions { runs: self.options.runs, ..CheckOptions::default() };
        let Ok(mut any) = Goal::by_formula(Formulas::new(), Formula::TRUE, options, limits) else {
            return false;
        };
        let Ok(chosen) = any.choose(options, limits) else { return false };
        let automaton = PropertyAutomaton::new(&any.automaton, &any.bdds, |variable| variable);
        let mut product =
            TypedProduct::<M, WideMarks>::new(explored, &automaton, self.finite_runs, Some(owed));
        let found = WideMarks::find_among_some(&mut product, chosen, limits, None);
        matches!(found.outcome, Ok(None)) && !product.has_too_few_units()
    }
}

/// Whether it is known that there is no run, because all of them end and those do not count.
fn has_no_run_at_all<M: Model>(explored: ExploredModel<M>, limits: Limits) -> bool {
    let Some(mut any) = AnyRun::new() else { return false };
    let automaton = any.automaton.clone();
    let mut product = TypedProduct::<M>::new(explored, &automaton, FiniteRuns::Ignore, None);
    any.is_missing(&mut product, limits)
}

/// What the cycle of a run owes to each unit.
fn facts<M: Model>(
    explored: &ExploredModel<M>,
    replayed: &Replayed<M::Action>,
    lookout: &mut Lookout,
) -> Result<Vec<UnitFacts>, Stopped> {
    let cycle: Vec<(&M::State, Option<&M::Action>)> = replayed.steps[replayed.cycle_start..]
        .iter()
        .map(|step| (explored.state(step.state), step.action.as_ref()))
        .collect();
    let known = explored.units().into_iter().flat_map(UnitTable::units);
    unit_facts(explored.model, known, &cycle, lookout)
}

fn units_met<M: Model>(explored: &ExploredModel<M>) -> u32 {
    explored.units().map_or(0, |units| units.len() as u32)
}

/// What an action names must be listed, if the model has a list.
fn refuse_unlisted<M: Model>(explored: &ExploredModel<M>) -> Result<(), Error> {
    match explored.units().and_then(UnitTable::unlisted) {
        Some(unit) => Err(Error::UnlistedUnit(unit.to_string())),
        None => Ok(()),
    }
}

fn too_many_units() -> String {
    format!(
        "there are more than {MOST_UNITS} units that would have to be treated fairly; `Model::units_of` says who they are"
    )
}
