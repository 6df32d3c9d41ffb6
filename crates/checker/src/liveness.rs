//! A property that is more than safety: property → automaton → product → check → lasso → run → report.

mod together;

use crate::check::InternalError;
use crate::engine::ReadyModel;
use crate::fairness::{self, unit_facts};
use crate::influence::{self, Criterion};
use crate::load::Loaded;
use crate::lossy::{Coverage, StoreOptions, is_full, is_repeated, or_when_full, refused, store_changed};
use crate::options::{Engine, Observer, Options, Threads};
use crate::prepare::{InStore, Job, NotPrepared, PropertyRuns, Subject, prepare};
use crate::properties::Property;
use crate::reading::{self, add_propositions, automaton_run};
use crate::report::{
    self, Counterexample, Cut, FairnessFacts, FoundViolation, LassoLengths, Report, RunEnding, Seconds,
    ShownStates,
};
use crate::trace::{Shown, cut_to, lasso_counterexample};
use crate::trace_assertion::check_trace;
use crate::why;
use lariat_engine::lifetimes::has_one_shape;
use lariat_engine::units::{MAX_UNITS, UnitRules, UnitTable};
use lariat_engine::{Interpreter, SuccessorFunction, Violation, ViolationKind, Workers};
use lariat_ltl::Marks;
use lariat_ltl::parse::Tree;
use lariat_model::ir::{Language, Model};
use lariat_search::emptiness::{
    Check, Lasso, MarkSet, Needs, Product, RecordedProduct, Search, Stopped, WideMarks, in_larger_product,
    judge_lasso,
};
use lariat_search::fairness::Fairness;
use lariat_search::product::{FiniteRuns, Follow, LostRun, ModelProduct, PropertyAutomaton};
use lariat_search::{
    Checkpoints, Counts, Ending, Limits, Progress, Refuted, Stacks, StopReason, replay_lasso,
};
use lariat_store::{
    AutoStore, ExactStore, LossyKind, LossySet, SharedStore, StateStore, TransientStore, VisitedSet,
};
use lariat_verdict::{
    AnyRun, CheckOptions, ChosenCheck, Found, FoundBy, Goal, Guarantee, RunLength, RunsThatCount,
    SearchOrder, Spent, Verdict, Width, describe_stop, find, limits_after, limits_on_showing, room_for_run,
};
use std::time::{Duration, Instant};

/// Checks one property of a model.
pub fn check_property(
    loaded: &Loaded,
    property: &Property,
    options: &Options,
    observer: Observer,
) -> Result<Report, InternalError> {
    or_when_full(options, observer, |options, observer| {
        property_in_store(loaded, property, options, observer)
    })
}

fn property_in_store(
    loaded: &Loaded,
    property: &Property,
    options: &Options,
    observer: Observer,
) -> Result<Report, InternalError> {
    if let Property::Trace { claim, .. } = property {
        return check_trace(loaded, property, *claim, options, observer);
    }
    let job = Job::begin(loaded, options, observer.interrupt);
    let mut check_options = CheckOptions {
        algorithm: options.algorithm,
        degeneralise: options.degeneralise,
        order: options.order,
        on_set: options.store.lossy().is_some(),
        ..CheckOptions::default()
    };
    let limits = job.limits();
    let subject = |job: &Job| match refused(options) {
        Some(reason) => Err(NotPrepared::refused(reason)),
        None => Subject::runs(job, property, &mut check_options, options.fairness, limits),
    };
    let report = prepare(&job, subject, |prepared| {
        let engine = &prepared.engine;
        let prepared_in = job.start.elapsed();
        let check = LivenessCheck {
            engine,
            runs: prepared.beside,
            property,
            order: options.order,
            store: options.store,
            limits,
            checkpoints: job.checkpoints(),
            threads: match options.in_order {
                true => Threads { in_order: Some(u64::MAX), ..options.threads },
                false => options.threads,
            },
            at_first: None,
            timeout: options.timeout,
            finite_runs: finite_runs(&loaded.model, property, options),
            precompute: options.precompute,
            verdict_only: options.verdict_only,
            units: &options.units,
            shown: if options.whole_run { Shown::Whole } else { Shown::UntilDecided },
            states: options.states,
            show_automaton: options.show_automaton,
            show_truth: options.show_truth,
        };
        let mut coverage = None;
        let (outcome, profile) = match options.store.lossy() {
            Some(kind) => {
                let seen = coverage.insert(Coverage::default());
                (check.run_on_sets(kind, &options.store, seen, observer.progress), None)
            }
            None => prepared.search(InProduct { check: &check, progress: observer.progress }),
        };
        let LivenessOutcome {
            verdict,
            stopped,
            is_full,
            mut violations,
            counts,
            lasso,
            run_length,
            checked,
            ..
        } = outcome?;
        // A search that has ended before its time has seen less than that.
        let coverage = coverage.filter(|_| stopped.is_none() && violations.is_empty());
        let spent = Spent { states: counts.stored, time: job.start.elapsed() };
        let no_run = match &verdict {
            Verdict::Holds(_) | Verdict::Violated if violations.is_empty() => check.has_no_run(&spent),
            _ => false,
        };
        let vacuous = match &verdict {
            Verdict::Holds(_) | Verdict::Violated if violations.is_empty() => check.is_vacuous(),
            _ => false,
        };
        let mut remarks: Vec<String> = store_changed(&counts).into_iter().collect();
        if prepared.beside.fairness_is_idle {
            remarks.push("fairness changes nothing here: a finite run decides, and every finite run can go on in a fair way".to_string());
        }
        if options.why_fair && prepared.beside.fairness.is_some() {
            remarks.push(check.why_fair(&job, property)?);
        }
        if options.fairness.is_none() && verdict == Verdict::Violated && !options.verdict_only {
            remarks.extend(check.hint(&job, property, &violations, spent)?);
        }
        if prepared.beside.fairness.is_none() {
            // Nobody has asked.
            let examples = violations.iter_mut().filter_map(|found| found.counterexample.as_mut());
            examples.for_each(|example| example.fairness = None);
        }
        let searched = job.start.elapsed();
        let compile = match options.engine {
            // It was compiled before the search, with the automaton.
            Engine::Compiled => prepared_in,
            _ => prepared_in + engine.compile_time(),
        };
        let PropertyRuns { chosen, facts, fairness, .. } = prepared.beside;
        Ok(Report {
            no_run,
            vacuous,
            remarks,
            fairness: fairness.map(|fairness| FairnessFacts::of(fairness, &options.units)),
            assumptions: loaded.assumptions.iter().map(Tree::bracketed).collect(),
            stopped,
            is_full,
            violations,
            store: options.store.name(),
            coverage,
            algorithm: chosen.name(),
            algorithm_reason: Some(chosen.reason()),
            engine: engine.name(),
            counts,
            seconds: Seconds {
                check: checked.map(|time| time.as_secs_f64()),
                ..job.seconds(searched, compile)
            },
            automaton: Some(*facts),
            lasso,
            run_length,
            working_state_bytes: working_state_bytes(engine.interpreter()),
            profile,
            reduction: prepared.reduced(),
            simplified: prepared.simplified,
            ..Report::of(loaded, described(property), verdict)
        })
    });
    job.report(described(property), report)
}

/// A lasso of a reduced model as one of the whole model, which is what the engine runs from now on: it is
/// made short among all runs. If there is no time for that, nothing changes.
fn among_all<P: Product>(engine: &ReadyModel, product: &mut P, lasso: Lasso, limits: Limits) -> Lasso {
    if engine.reduced().is_none() {
        return lasso;
    }
    match in_larger_product(product, &lasso, limits, || engine.follow_all(true)) {
        Some(lasso) => lasso,
        None => {
            engine.follow_all(false);
            lasso
        }
    }
}

/// The length of the initial state as the interpreter works on it.
fn working_state_bytes(interpreter: &Interpreter) -> Option<u64> {
    let packed = interpreter.initial_state().ok()?;
    let mut working = Vec::new();
    interpreter.working_state(&packed, &mut working);
    Some(working.len() as u64)
}

/// The check of one property: what it looks for and where, and what is shown of it.
struct LivenessCheck<'a, 'm> {
    engine: &'a ReadyModel<'m>,
    runs: &'a PropertyRuns,
    property: &'a Property,
    order: SearchOrder,
    /// Where the states of the product are kept.
    store: StoreOptions,
    limits: Limits<'a>,
    /// Where the check writes down how far it is.
    checkpoints: Option<&'a Checkpoints>,
    threads: Threads,
    /// So many states may be stored before others go on.
    at_first: Option<u64>,
    timeout: Option<Duration>,
    finite_runs: FiniteRuns,
    precompute: bool,
    verdict_only: bool,
    units: &'a UnitRules,
    shown: Shown,
    states: ShownStates,
    show_automaton: bool,
    show_truth: bool,
}

/// What becomes of runs that end. An invariant is about states, so no run is too short for it. DVE's property
/// process moves on alone where the others cannot, as in DiVinE: it reads the last state for ever.
pub(crate) fn finite_runs(model: &Model, property: &Property, options: &Options) -> FiniteRuns {
    match (property, options.finite_runs, model.language) {
        (Property::Invariant { .. }, _, _) => FiniteRuns::Stutter,
        (_, Some(chosen), _) => chosen,
        (_, None, Language::Promela) | (Property::Never { .. }, None, _) => FiniteRuns::Stutter,
        (_, None, Language::Dve) => FiniteRuns::Ignore,
    }
}

/// What a check found, and how long it took.
struct TimedFind {
    found: Found,
    checked: Option<Duration>,
}

/// What came of a check.
struct LivenessOutcome {
    verdict: Verdict,
    stopped: Option<String>,
    /// By a limit on memory.
    is_full: bool,
    /// There are more states than there may be at first.
    is_begun_only: bool,
    violations: Vec<FoundViolation>,
    counts: Counts,
    lasso: Option<LassoLengths>,
    run_length: Option<RunLength>,
    /// The time of the check; `None` if it did not begin.
    checked: Option<Duration>,
}

/// What a hint may take, even if the check took less.
const HINT_TIME: Duration = Duration::from_secs(2);
const HINT_STATES: u64 = 20_000;

impl LivenessOutcome {
    fn unknown(reason: String, counts: Counts) -> LivenessOutcome {
        LivenessOutcome {
            verdict: Verdict::Unknown(reason),
            stopped: None,
            is_full: false,
            is_begun_only: false,
            violations: Vec::new(),
            counts,
            lasso: None,
            run_length: None,
            checked: None,
        }
    }
}

/// A check that runs in the product of the model and the automaton.
struct InProduct<'a, 'm, 'p> {
    check: &'a LivenessCheck<'a, 'm>,
    progress: Option<&'p mut dyn FnMut(&Progress)>,
}

impl InStore for InProduct<'_, '_, '_> {
    type Done = Result<LivenessOutcome, InternalError>;

    fn run<M: SuccessorFunction, S: StateStore>(self, model: &M, store: S) -> Self::Done {
        self.check.run(model, store, find_in_any, self.progress)
    }

    fn run_together<M: Workers, S: SharedStore>(self, model: &M, store: S) -> Self::Done {
        self.check.run_together(model, store, self.progress)
    }
}

/// How a run is looked for in a product.
type Find<P> = fn(&mut P, ChosenCheck, Limits, Option<&mut dyn FnMut(&Progress)>) -> Found;

/// Looks for a run in whichever product it is.
fn find_in_any<P: Product<Marks: Width>>(
    product: &mut P,
    chosen: ChosenCheck,
    limits: Limits,
    progress: Option<&mut dyn FnMut(&Progress)>,
) -> Found {
    P::Marks::find(product, chosen, limits, progress)
}

impl LivenessCheck<'_, '_> {
    /// Looks for a run in the product of the model and the automaton, and judges what is found.
    fn run<'p, M: SuccessorFunction, S: StateStore>(
        &'p self,
        model: &'p M,
        store: S,
        find: Find<ModelProduct<'p, M, S>>,
        mut progress: Option<&mut dyn FnMut(&Progress)>,
    ) -> Result<LivenessOutcome, InternalError> {
        let automaton = &self.runs.automaton;
        if self.runs.rules(0).allow_all() {
            let mut product =
                ModelProduct::new(model, automaton, store, self.finite_runs).following(self.follow());
            let found = if self.precompute {
                self.precompute_and_find(&mut product, progress)
            } else {
                self.timed(|limits| find(&mut product, self.runs.chosen, limits, progress))
            };
            return self.conclude(model, &mut product, found);
        }
        let resumed = self.checkpoints.and_then(Checkpoints::stage_to_read);
        let mut units = resumed.map_or_else(|| self.first_units(), |units| units as u32);
        loop {
            if let Some(checkpoints) = self.checkpoints {
                checkpoints.set_stage(u64::from(units));
            }
            let marks = automaton.sets() + self.runs.rules(units).marks();
            let again = progress.as_mut().map(|progress| &mut **progress as &mut dyn FnMut(&Progress));
            if marks > WideMarks::LIMIT {
                let reason = format!(
                    "it would take {marks} acceptance sets, and there are at most {}",
                    WideMarks::LIMIT
                );
                return Ok(LivenessOutcome::unknown(reason, Counts::default()));
            }
            let outcome = if marks <= Marks::LIMIT {
                self.run_among_some::<M, Marks>(model, units, again)
            } else {
                self.run_among_some::<M, WideMarks>(model, units, again)
            };
            match outcome? {
                Some(outcome) => return Ok(outcome),
                None => units = (2 * units).clamp(1, MAX_UNITS as u32),
            }
        }
    }

    /// The same where marks of visited states are kept in a lossy store, again and again with other hash
    /// functions, if that was asked for, until a run is found. That there is none is never certain then.
    fn run_on_sets(
        &self,
        kind: LossyKind,
        store: &StoreOptions,
        coverage: &mut Coverage,
        mut progress: Option<&mut dyn FnMut(&Progress)>,
    ) -> Result<LivenessOutcome, InternalError> {
        for pass in 0.. {
            let again = progress.as_mut().map(|progress| &mut **progress as &mut dyn FnMut(&Progress));
            let mut set = LossySet::new(kind, u64::from(pass), store.table_bytes, store.bits_per_state);
            let in_use = TransientStore::new();
            let mut product = ModelProduct::new(self.engine, &self.runs.automaton, in_use, self.finite_runs)
                .following(self.follow());
            let start = Instant::now();
            let mut search = Search::new(&mut product, self.limits, again.map(|progress| progress as _));
            let check = self.runs.chosen.check;
            let found =
                check.run_on_set(&mut search, &mut set).expect("a check that runs on a set was chosen");
            let counted = search.counts();
            let counts = Counts {
                states_bytes: set.states_bytes(),
                auxiliary_bytes: set.auxiliary_bytes() + counted.states_bytes + counted.auxiliary_bytes,
                table_bytes: set.auxiliary_bytes(),
                load: set.load(),
                // The states on the stack, and their table.
                stacks: Stacks {
                    bytes: counted.stacks.bytes + counted.states_bytes + counted.table_bytes,
                    ..counted.stacks
                },
                ..counted
            };
            coverage.add(&counts, set.expected_missed(), None);
            drop(set);
            let stopped = found.as_ref().err().map(|Stopped(reason)| *reason);
            if matches!(found, Ok(None)) && is_repeated(stopped, pass, store) {
                continue;
            }
            let found = TimedFind { found: Found { outcome: found, counts }, checked: Some(start.elapsed()) };
            let mut outcome = self.conclude(self.engine, &mut product, found)?;
            if outcome.violations.is_empty()
                && matches!(outcome.verdict, Verdict::Holds(_) | Verdict::Violated)
            {
                outcome.verdict = Verdict::Unknown(coverage.describe(store));
            }
            return Ok(outcome);
        }
        unreachable!("there is a last pass")
    }

    /// The same where not all runs count. `None` if there are more units than room for them.
    fn run_among_some<M: SuccessorFunction, K: Width>(
        &self,
        model: &M,
        units: u32,
        progress: Option<&mut dyn FnMut(&Progress)>,
    ) -> Result<Option<LivenessOutcome>, InternalError> {
        let mut product = self.product_among_some::<M, K>(model, &self.runs.automaton, units);
        let TimedFind { found, checked } =
            self.timed(|limits| K::find_among_some(&mut product, self.runs.chosen, limits, progress));
        // A limit that was hit is the reason, however many units there are.
        if product.has_too_few_units() && found.outcome.is_ok() {
            if units < MAX_UNITS as u32 {
                return Ok(None);
            }
            let reason = format!(
                "there are more than {MAX_UNITS} units that would have to be treated fairly; `--fair-to` names those that matter"
            );
            return Ok(Some(LivenessOutcome::unknown(reason, found.counts)));
        }
        self.conclude(model, &mut product, TimedFind { found, checked }).map(Some)
    }

    /// A product in which only some runs count.
    fn product_among_some<'p, M: SuccessorFunction, K: MarkSet>(
        &self,
        model: &'p M,
        automaton: &'p PropertyAutomaton,
        units: u32,
    ) -> ModelProduct<'p, M, AutoStore, K> {
        let table = UnitTable::new(self.units.clone(), self.engine.interpreter().model());
        let table = (!self.units.is_every_process()).then_some(table);
        let rules = self.runs.rules(units);
        let store = self.store.numbered(self.limits.max_memory);
        ModelProduct::with_rules(model, automaton, store, self.finite_runs, rules, table)
            .following(self.follow())
    }

    /// How far runs are followed. Experiments are about products as the papers have them.
    fn follow(&self) -> Follow {
        match self.shown {
            Shown::UntilDecided if !self.verdict_only => Follow::UntilDecided,
            _ => Follow::WholeRuns,
        }
    }

    /// How many units there is room for at first: all of them, if that is known; as many as cost nothing;
    /// few, where each costs copies of states.
    fn first_units(&self) -> u32 {
        let model = self.engine.interpreter().model();
        let at_start = model.start.len() as u32;
        if self.units.is_every_process() && has_one_shape(model) {
            return at_start;
        }
        let costly = matches!(self.runs.chosen.check, Check::NestedDfsLevels | Check::LabelPropagation)
            || self.runs.chosen.check.description().needs != Needs::AnySets;
        if costly {
            return at_start.clamp(1, MAX_UNITS as u32);
        }
        let others = self.runs.automaton.sets() + self.runs.rules(0).marks();
        let each = self.runs.rules(1).marks() - self.runs.rules(0).marks();
        (Marks::LIMIT.saturating_sub(others) / each.max(1)).clamp(1, MAX_UNITS as u32)
    }

    /// What follows from what was found, or not.
    fn conclude<M: SuccessorFunction, S: StateStore, K: Width>(
        &self,
        model: &M,
        product: &mut ModelProduct<M, S, K>,
        found: TimedFind,
    ) -> Result<LivenessOutcome, InternalError> {
        let LivenessCheck { engine, property, limits, timeout, .. } = *self;
        let automaton = &self.runs.automaton;
        let TimedFind { found: Found { outcome, mut counts }, checked } = found;
        let property_bits = f64::from(usize::BITS - automaton.states().saturating_sub(1).leading_zeros());
        counts.vector_bytes =
            model.vector_bits().map(|bits| ((bits + property_bits) / 8.0 * counts.stored as f64) as u64);

        let exists = matches!(property, Property::Exists { .. });
        let reason = outcome.as_ref().err().map(|Stopped(reason)| *reason);
        let is_begun_only = self.at_first.is_some_and(|most| reason == Some(StopReason::States(most)));
        let is_full = is_full(reason);
        let mut stopped = None;
        let mut violations = Vec::new();
        let (mut lengths, mut run_length) = (None, None);
        let verdict = match outcome {
            Err(Stopped(reason)) => {
                let reason = describe_stop(reason, timeout);
                stopped = Some(reason.clone());
                Verdict::Unknown(reason)
            }
            Ok(None) => match product.lost_run() {
                Some(lost) => Verdict::Unknown(describe_lost(lost)),
                None if product.was_cut() => Verdict::Unknown(describe_stop(limits.why_cut(), timeout)),
                None if exists => Verdict::Violated,
                None => Verdict::Holds(Guarantee::Exhaustive),
            },
            Ok(Some(lasso)) => {
                engine.interpret_more();
                lengths =
                    Some(LassoLengths { prefix: lasso.prefix.len() as u64, cycle: lasso.cycle.len() as u64 });
                let violation = Violation { kind: ViolationKind::AcceptingRun, message: property.name() };
                let counterexample = if self.verdict_only {
                    // Where there is no time to ask, the search has said it.
                    let _ = self.judge(product, &lasso)?;
                    None
                } else {
                    let found_by = FoundBy { power: self.runs.chosen.power, transitions: counts.transitions };
                    let mut any_product: &mut dyn Product<Marks = K> = product;
                    let lasso = among_all(engine, &mut any_product, lasso, limits);
                    let (lasso, length) =
                        K::shortened(any_product, lasso, self.order, limits, timeout, found_by);
                    run_length = length;
                    Some(self.replay(product, &lasso)?)
                };
                violations.push(FoundViolation { violation, place: None, count: 1, counterexample });
                if exists { Verdict::Holds(Guarantee::Exhaustive) } else { Verdict::Violated }
            }
        };
        engine.follow_all(false);
        Ok(LivenessOutcome {
            verdict,
            stopped,
            is_full,
            is_begun_only,
            violations,
            counts,
            lasso: lengths,
            run_length,
            checked,
        })
    }

    /// Executes the run that was found, and judges it: three times, if there is time; and whether it is fair.
    fn replay<M: SuccessorFunction, S: StateStore, K: MarkSet>(
        &self,
        product: &mut ModelProduct<M, S, K>,
        lasso: &Lasso,
    ) -> Result<Counterexample, InternalError> {
        let LivenessCheck { engine, limits, timeout, .. } = *self;
        let (interpreter, goal) = (engine.interpreter(), &self.runs.goal);
        let wrong = |reason: String| InternalError::Refuted { message: self.property.name(), reason };
        if let Err(Stopped(reason)) = self.judge(product, lasso)? {
            let cut = Cut { not_shown: 0, replayed: false, reason: describe_stop(reason, timeout) };
            let ending = RunEnding::Cut;
            return Ok(Counterexample { ending, cut: Some(cut), ..Counterexample::default() });
        }
        let taken = product.state_bytes() + product.auxiliary_bytes();
        let mut room = room_for_run(limits, timeout, taken);
        let run =
            replay_lasso(interpreter, product, lasso, &mut room).map_err(|Refuted(reason)| wrong(reason))?;
        if room.stopped().is_none() {
            goal.judge(&run.word).map_err(wrong)?;
            // Where it does not matter how the run goes on, nobody knows whether assumptions are kept.
            if run.ending != Ending::Decided {
                self.runs.assumed.judge(&run.word).map_err(wrong)?;
            }
        }
        let further = run.prefix.further() + run.cycle.further();
        let mut example = lasso_counterexample(interpreter, &run, self.shown, self.states);
        if room.stopped().is_none() {
            let limits = limits_on_showing(limits, timeout);
            example.fairness = unit_facts(interpreter, &run, self.units, limits);
        }
        if let (Some(fairness), Some(facts)) = (self.runs.fairness, &example.fairness)
            && let Some(unfair) = facts.iter().find(|unit| !unit.is_fair(fairness))
        {
            return Err(wrong(format!("it is not fair: {}", unfair.describe(fairness))));
        }
        // Of a run that is cut, nobody knows all that the property sees.
        if further == 0 && room.stopped().is_none() {
            let texts = interpreter.model().propositions.iter().map(|known| known.text.as_str());
            let names = reading::names(self.property, texts);
            add_propositions(&mut example, &run, &names);
            example.why = why::of_run(interpreter, self.property, &run, &example, &names);
            if self.show_truth {
                example.truth = why::truth(self.property, &run, &names);
            }
            influence::mark(interpreter, &mut example, Criterion::Propositions);
            if self.show_automaton {
                example.automaton = Some(automaton_run(product, lasso, &run, goal));
            }
        }
        Ok(cut_to(example, further, &room, timeout))
    }

    /// Whether the product confirms that a lasso is an accepting run, if there is time to ask it.
    fn judge<P: Product>(
        &self,
        product: &mut P,
        lasso: &Lasso,
    ) -> Result<Result<(), Stopped>, InternalError> {
        let mut product: &mut dyn Product<Marks = P::Marks> = product;
        let mut search = Search::new(&mut product, limits_on_showing(self.limits, self.timeout), None);
        match judge_lasso(&mut search, lasso) {
            Ok(Err(reason)) => Err(InternalError::Refuted { message: self.property.name(), reason }),
            Ok(Ok(())) => Ok(Ok(())),
            Err(stopped) => Ok(Err(stopped)),
        }
    }

    /// Whether it is known that there is no run, because all of them end and those do not count.
    fn has_no_run(&self, spent: &Spent) -> bool {
        if self.finite_runs != FiniteRuns::Ignore || self.verdict_only {
            return false;
        }
        let Some(mut any) = AnyRun::new() else { return false };
        let automaton = any.automaton.clone();
        let mut product = ModelProduct::new(self.engine, &automaton, ExactStore::new(), self.finite_runs);
        any.is_missing(&mut product, limits_after(spent, self.limits))
            && product.lost_run().is_none()
            && !product.was_cut()
    }

    /// Whether it is known that no run counts, so that the verdict is about nothing.
    fn is_vacuous(&self) -> bool {
        let rules = self.runs.rules(self.first_units());
        if rules.allow_every_beginning(self.finite_runs) && self.runs.assumed.is_nothing()
            || self.verdict_only
        {
            return false;
        }
        let formulas = &mut self.runs.assumed.formulas.clone();
        let rest = self.runs.assumed.rest.clone();
        let rest = formulas.and(rest);
        let options = CheckOptions { runs: self.runs_that_count(), ..CheckOptions::default() };
        let Ok(mut goal) = Goal::by_formula(formulas.clone(), rest, options, self.limits) else {
            return false;
        };
        let Ok(chosen) = goal.choose(options, self.limits) else { return false };
        let automaton = PropertyAutomaton::new(&goal.automaton, &goal.bdds, |variable| variable);
        let units = if rules.fairness.is_some() { self.first_units() } else { 0 };
        let marks = automaton.sets() + self.runs.rules(units).marks();
        if marks > WideMarks::LIMIT {
            false
        } else if marks <= Marks::LIMIT {
            self.has_no_run_that_counts::<Marks>(&automaton, chosen, units)
        } else {
            self.has_no_run_that_counts::<WideMarks>(&automaton, chosen, units)
        }
    }

    fn runs_that_count(&self) -> RunsThatCount {
        let rules = self.runs.rules(1);
        match (rules.allow_all(), rules.have_pairs()) {
            (true, _) => RunsThatCount::All,
            (false, false) => RunsThatCount::BySets,
            (false, true) => RunsThatCount::ByPairs,
        }
    }

    fn has_no_run_that_counts<K: Width>(
        &self,
        automaton: &PropertyAutomaton,
        chosen: ChosenCheck,
        units: u32,
    ) -> bool {
        let mut product = self.product_among_some::<_, K>(self.engine, automaton, units);
        let found = K::find_among_some(&mut product, chosen, self.limits, None);
        matches!(found.outcome, Ok(None))
            && !product.has_too_few_units()
            && product.lost_run().is_none()
            && !product.was_cut()
    }

    /// Which constraint rejects the run that would be found without fairness.
    fn why_fair(&self, job: &Job, property: &Property) -> Result<String, InternalError> {
        let Some(fairness) = self.runs.fairness else { return Ok(String::new()) };
        let Some(outcome) = self.under(job, property, None, self.limits)? else {
            return Ok("what would be found without fairness could not be looked for".to_string());
        };
        let kind = fairness::name(fairness);
        let example = outcome.violations.first().and_then(|found| found.counterexample.as_ref());
        let facts = example.and_then(|example| example.fairness.as_ref());
        Ok(match (outcome.verdict, facts) {
            (Verdict::Holds(_), _) => "without fairness the answer is the same".to_string(),
            (Verdict::Violated, Some(facts)) => {
                let unfair: Vec<String> = facts
                    .iter()
                    .filter(|unit| !unit.is_fair(fairness))
                    .map(|unit| unit.describe(fairness))
                    .collect();
                match unfair.is_empty() {
                    true => format!("the run that is found without fairness is fair ({kind})"),
                    false => format!(
                        "the run that is found without fairness does not count ({kind} fairness): {}",
                        unfair.join("; ")
                    ),
                }
            }
            (Verdict::Violated, None) => {
                "a run is found without fairness, of which no cycle is known".to_string()
            }
            (verdict, _) => format!("without fairness: {}", verdict.name()),
        })
    }

    /// Whether a property that fails would hold under weak or strong fairness, if the run that was found is
    /// unfair, and if that is found out in as much time as was needed to find the run.
    fn hint(
        &self,
        job: &Job,
        property: &Property,
        violations: &[FoundViolation],
        spent: Spent,
    ) -> Result<Option<String>, InternalError> {
        let example = violations.first().and_then(|found| found.counterexample.as_ref());
        let Some(facts) = example.and_then(|example| example.fairness.as_ref()) else { return Ok(None) };
        let deadline = Instant::now().checked_add(spent.time.max(HINT_TIME));
        let states = spent.states.max(HINT_STATES);
        let limits = Limits {
            max_states: Some(self.limits.max_states.map_or(states, |limit| limit.min(states))),
            deadline: self.limits.deadline.into_iter().chain(deadline).min(),
            ..self.limits
        };
        for fairness in [Fairness::Weak, Fairness::Strong] {
            let Some(unfair) = facts.iter().find(|unit| !unit.is_fair(fairness)) else { continue };
            let outcome = self.under(job, property, Some(fairness), limits)?;
            if let Some(LivenessOutcome { verdict: Verdict::Holds(_), .. }) = outcome {
                let (kind, why) = (fairness::name(fairness), unfair.describe(fairness));
                return Ok(Some(format!("it holds under {kind} fairness (`--fair {kind}`): {why}")));
            }
        }
        Ok(None)
    }

    /// The same check under another fairness. `None` if it cannot be made ready.
    fn under(
        &self,
        job: &Job,
        property: &Property,
        fairness: Option<Fairness>,
        limits: Limits,
    ) -> Result<Option<LivenessOutcome>, InternalError> {
        let mut check_options = CheckOptions::default();
        let Ok(subject) = Subject::runs(job, property, &mut check_options, fairness, limits) else {
            return Ok(None);
        };
        let verdict_only = fairness.is_some();
        let (order, precompute) = (SearchOrder::DepthFirst, false);
        let check = LivenessCheck {
            runs: subject.beside(),
            limits,
            order,
            precompute,
            verdict_only,
            checkpoints: None,
            at_first: None,
            ..*self
        };
        check.run(self.engine, ExactStore::new(), find, None).map(Some)
    }

    /// The limits of the search that the check is about.
    fn limits_of_search(&self) -> Limits<'_> {
        let max_states = self.at_first.or(self.limits.max_states);
        Limits { checkpoint: self.checkpoints, max_states, ..self.limits }
    }

    /// Looks for a run within the limits, and how long that takes.
    fn timed(&self, find: impl FnOnce(Limits) -> Found) -> TimedFind {
        let start = Instant::now();
        let found = find(self.limits_of_search());
        TimedFind { found, checked: Some(start.elapsed()) }
    }

    /// Computes the whole product, then looks for a run in it.
    fn precompute_and_find(
        &self,
        mut product: &mut dyn Product<Marks = Marks>,
        progress: Option<&mut dyn FnMut(&Progress)>,
    ) -> TimedFind {
        let mut recorded = RecordedProduct::new(&mut product);
        let mut search = Search::new(&mut recorded, self.limits, progress.map(|progress| progress as _));
        match RecordedProduct::complete(&mut search) {
            Ok(()) => self.timed(|limits| find(&mut recorded, self.runs.chosen, limits, None)),
            Err(stopped) => {
                let counts = Counts { stored: recorded.stored(), ..Counts::default() };
                TimedFind { found: Found { outcome: Err(stopped), counts }, checked: None }
            }
        }
    }
}

/// Why nothing is proved although nothing was found.
pub(crate) fn describe_lost(lost: &LostRun) -> String {
    match lost {
        LostRun::Start(violation) => format!("there is no initial state: {}", violation.message),
        LostRun::Step(violation) => format!("a run-time error cuts runs short: {}", violation.message),
        LostRun::Proposition(violation) => {
            format!("a proposition has no value in some state: {}", violation.message)
        }
    }
}

pub(crate) fn described(property: &Property) -> report::Property {
    report::Property { kind: property.kind(), name: property.name(), formula: property.reading() }
}
