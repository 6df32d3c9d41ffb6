//! The street for a property that is more than safety: property → automaton → product → check → lasso → run →
//! report.

use crate::check::{InternalError, no_room_to_begin, not_begun, ready, seconds};
use crate::claim::{ClaimAutomaton, automaton_of};
use crate::engine::ReadyModel;
use crate::load::Loaded;
use crate::options::{Engine, Observer, Options};
use crate::profile::{Clocks, TimedModel, TimedStore};
use crate::properties::{self, Property};
use crate::reading::{self, automaton_run, tell_propositions};
use crate::report::{
    self, Counterexample, Cut, FoundViolation, LassoLengths, Report, RunEnding, Seconds, ShownStates,
};
use crate::simplification::{counts_steps, simplified};
use crate::trace::{Shown, cut_to, lasso_counterexample};
use crate::trace_assertion::check_trace;
use lariat_engine::{Interpreter, SuccessorFunction, Violation, ViolationKind};
use lariat_ltl::Formulas;
use lariat_model::ir::{Language, Model, Proposition};
use lariat_search::emptiness::{Lasso, Product, RecordedProduct, Search, Stopped, judge_lasso};
use lariat_search::product::{FiniteRuns, Follow, LostRun, ModelProduct, PropertyAutomaton};
use lariat_search::{Counts, Limits, Progress, Refuted, StopReason, replay_lasso};
use lariat_store::{ExactStore, StateStore};
use lariat_verdict::{
    AnyRun, CheckOptions, ChosenCheck, Found, FoundBy, Goal, Guarantee, NoGoal, RunLength, Spent, Verdict,
    describe_stop, find, limits_after, limits_on_showing, room_for_run, shortened,
};
use std::time::{Duration, Instant};

/// Checks one property of a model.
pub fn check_property(
    loaded: &Loaded,
    property: &Property,
    options: &Options,
    observer: Observer,
) -> Result<Report, InternalError> {
    if let Property::Trace { claim, .. } = property {
        return check_trace(loaded, property, *claim, options, observer);
    }
    let start = Instant::now();
    if let Some(reason) = no_room_to_begin(options, &observer, start) {
        return Ok(not_begun(loaded, described(property), reason, start));
    }
    let check_options = CheckOptions {
        algorithm: options.algorithm,
        degeneralise: options.degeneralise,
        order: options.order,
    };
    let limits = options.limits(start, observer.interrupt);
    let (mut goal, propositions) = match goal_of(&loaded.model, property, check_options, limits)? {
        Ok(found) => found,
        Err(NoSearch::Refused(reason)) => return Ok(refused(loaded, property, "none", reason, start)),
        Err(NoSearch::GivenUp(reason)) => return Ok(not_begun(loaded, described(property), reason, start)),
        Err(NoSearch::Stopped(reason)) => {
            let reason = describe_stop(reason, options.timeout);
            return Ok(not_begun(loaded, described(property), reason, start));
        }
    };
    let chosen = match goal.choose(check_options, limits) {
        Ok(chosen) => chosen,
        Err((name, reason)) => return Ok(refused(loaded, property, name, reason, start)),
    };

    let facts = goal.facts();
    let model = Model { propositions, ..loaded.model.clone() };
    let (model, simplified) = simplified(model, counts_steps(property), options);
    let ready = ready(Interpreter::new(&model), options, start, observer.interrupt)?;
    let automaton = PropertyAutomaton::new(&goal.automaton, &goal.bdds, |variable| variable);
    let prepared = start.elapsed();
    let check = LivenessCheck {
        ready: &ready,
        automaton: &automaton,
        goal: &goal,
        property,
        chosen,
        check_options,
        limits,
        timeout: options.timeout,
        finite_runs: finite_runs(&loaded.model, property, options),
        precompute: options.precompute,
        verdict_only: options.verdict_only,
        shown: if options.whole_run { Shown::Whole } else { Shown::UntilDecided },
        states: options.states,
        show_automaton: options.show_automaton,
    };
    let mut profile = None;
    let LivenessOutcome { verdict, stopped, violations, counts, lasso, run_length, checked } =
        if options.profile {
            let clocks = Clocks::default();
            let timed = TimedModel { model: &ready, clocks: &clocks };
            let store = TimedStore { store: ExactStore::new(), clocks: &clocks };
            let begin = Instant::now();
            let outcome = check.run(&timed, store, observer.progress)?;
            profile = Some(clocks.profile(begin.elapsed()));
            outcome
        } else {
            check.run(&ready, ExactStore::new(), observer.progress)?
        };
    let spent = Spent { states: counts.stored, time: start.elapsed() };
    let no_run = match &verdict {
        Verdict::Holds(_) | Verdict::Violated if violations.is_empty() => check.has_no_run(spent),
        _ => false,
    };
    let searched = start.elapsed();
    let compile = match options.engine {
        // It was compiled before the search, with the automaton.
        Engine::Compiled => prepared,
        _ => prepared + ready.compile_time(),
    };
    Ok(Report {
        no_run,
        stopped,
        violations,
        algorithm: chosen.name(),
        algorithm_reason: Some(chosen.reason()),
        engine: ready.engine(),
        simplified,
        counts,
        seconds: Seconds {
            check: checked.map(|time| time.as_secs_f64()),
            ..seconds(loaded, start, searched, compile)
        },
        automaton: Some(facts),
        lasso,
        run_length,
        working_state_bytes: working_state_bytes(ready.interpreter()),
        profile,
        ..Report::of(loaded, described(property), verdict)
    })
}

/// The length of the initial state as the interpreter works on it.
fn working_state_bytes(interpreter: &Interpreter) -> Option<u64> {
    let packed = interpreter.initial_state().ok()?;
    let mut working = Vec::new();
    interpreter.working_state(&packed, &mut working);
    Some(working.len() as u64)
}

/// What a run is looked for with.
struct LivenessCheck<'a> {
    ready: &'a ReadyModel<'a>,
    automaton: &'a PropertyAutomaton,
    goal: &'a Goal,
    property: &'a Property,
    chosen: ChosenCheck,
    check_options: CheckOptions,
    limits: Limits<'a>,
    timeout: Option<Duration>,
    finite_runs: FiniteRuns,
    precompute: bool,
    verdict_only: bool,
    shown: Shown,
    states: ShownStates,
    show_automaton: bool,
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
struct Timed {
    found: Found,
    checked: Option<Duration>,
}

/// What came of it.
struct LivenessOutcome {
    verdict: Verdict,
    stopped: Option<String>,
    violations: Vec<FoundViolation>,
    counts: Counts,
    lasso: Option<LassoLengths>,
    run_length: Option<RunLength>,
    /// The time of the check; `None` if it did not begin.
    checked: Option<Duration>,
}

impl LivenessCheck<'_> {
    /// Looks for a run in the product of the model and the automaton, and judges what is found.
    fn run<M: SuccessorFunction, S: StateStore>(
        &self,
        model: &M,
        store: S,
        progress: Option<&mut dyn FnMut(&Progress)>,
    ) -> Result<LivenessOutcome, InternalError> {
        let LivenessCheck { ready, automaton, property, check_options, limits, timeout, .. } = *self;
        // Experiments are about products as the papers have them.
        let follow = match self.shown {
            Shown::UntilDecided if !self.verdict_only => Follow::UntilDecided,
            _ => Follow::WholeRuns,
        };
        let mut product = ModelProduct::new(model, automaton, store, self.finite_runs).following(follow);
        let Timed { found: Found { outcome, mut counts }, checked } = if self.precompute {
            self.precompute_and_find(&mut product, progress)
        } else {
            self.find(&mut product, progress)
        };
        let property_bits = f64::from(usize::BITS - automaton.states().saturating_sub(1).leading_zeros());
        counts.vector_bytes =
            model.vector_bits().map(|bits| ((bits + property_bits) / 8.0 * counts.stored as f64) as u64);

        let exists = matches!(property, Property::Exists { .. });
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
                ready.be_patient();
                lengths =
                    Some(LassoLengths { prefix: lasso.prefix.len() as u64, cycle: lasso.cycle.len() as u64 });
                let violation = Violation { kind: ViolationKind::AcceptingRun, message: property.name() };
                let counterexample = if self.verdict_only {
                    // Where there is no time to ask, the search has said it.
                    let _ = self.judge(&mut product, &lasso)?;
                    None
                } else {
                    let found_by = FoundBy { power: self.chosen.power, transitions: counts.transitions };
                    let (lasso, length) =
                        shortened(&mut product, lasso, check_options, limits, timeout, found_by);
                    run_length = length;
                    Some(self.replay(&mut product, &lasso)?)
                };
                violations.push(FoundViolation { violation, place: None, count: 1, counterexample });
                if exists { Verdict::Holds(Guarantee::Exhaustive) } else { Verdict::Violated }
            }
        };
        Ok(LivenessOutcome { verdict, stopped, violations, counts, lasso: lengths, run_length, checked })
    }

    /// Executes the run that was found, and judges it: three times, if there is time.
    fn replay<M: SuccessorFunction, S: StateStore>(
        &self,
        product: &mut ModelProduct<M, S>,
        lasso: &Lasso,
    ) -> Result<Counterexample, InternalError> {
        let LivenessCheck { ready, goal, limits, timeout, .. } = *self;
        let interpreter = ready.interpreter();
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
        }
        let further = run.prefix.further() + run.cycle.further();
        let mut example = lasso_counterexample(interpreter, &run, self.shown, self.states);
        // Of a run that is cut, nobody knows all that the property sees.
        if further == 0 && room.stopped().is_none() {
            let texts = interpreter.model().propositions.iter().map(|known| known.text.as_str());
            tell_propositions(&mut example, &run, &reading::names(self.property, texts));
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
        let mut search = Search::new(product, limits_on_showing(self.limits, self.timeout), None);
        match judge_lasso(&mut search, lasso) {
            Ok(Err(reason)) => Err(InternalError::Refuted { message: self.property.name(), reason }),
            Ok(Ok(())) => Ok(Ok(())),
            Err(stopped) => Ok(Err(stopped)),
        }
    }

    /// Whether it is known that there is no run, because all of them end and those do not count.
    fn has_no_run(&self, spent: Spent) -> bool {
        if self.finite_runs != FiniteRuns::Ignore || self.verdict_only {
            return false;
        }
        let Some(mut any) = AnyRun::new() else { return false };
        let automaton = any.automaton.clone();
        let mut product = ModelProduct::new(self.ready, &automaton, ExactStore::new(), self.finite_runs);
        any.is_missing(&mut product, limits_after(spent, self.limits))
            && product.lost_run().is_none()
            && !product.was_cut()
    }

    /// Looks for a run on the fly.
    fn find<P: Product>(&self, product: &mut P, progress: Option<&mut dyn FnMut(&Progress)>) -> Timed {
        let start = Instant::now();
        let found = find(product, self.chosen, self.limits, progress);
        Timed { found, checked: Some(start.elapsed()) }
    }

    /// Computes the whole product, then looks for a run in it.
    fn precompute_and_find<P: Product>(
        &self,
        product: &mut P,
        progress: Option<&mut dyn FnMut(&Progress)>,
    ) -> Timed {
        let mut recorded = RecordedProduct::new(product);
        let mut search = Search::new(&mut recorded, self.limits, progress.map(|progress| progress as _));
        match RecordedProduct::complete(&mut search) {
            Ok(()) => self.find(&mut recorded, None),
            Err(stopped) => {
                let counts = Counts { stored: recorded.stored(), ..Counts::default() };
                Timed { found: Found { outcome: Err(stopped), counts }, checked: None }
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

/// Why there is nothing to search for.
pub(crate) enum NoSearch {
    /// It cannot be done.
    Refused(String),
    /// It would take too much.
    GivenUp(String),
    /// A limit was hit.
    Stopped(StopReason),
}

/// The runs that are looked for, and the conditions that the propositions stand for; or why nothing can be
/// looked for.
#[allow(clippy::type_complexity)]
pub(crate) fn goal_of(
    model: &Model,
    property: &Property,
    check_options: CheckOptions,
    limits: Limits,
) -> Result<Result<(Goal, Vec<Proposition>), NoSearch>, InternalError> {
    match goal(model, property, check_options, limits) {
        Ok(found) => Ok(Ok(found)),
        Err(NoGoal::Refused(reason)) => Ok(Err(NoSearch::Refused(reason))),
        Err(NoGoal::GivenUp(reason)) => Ok(Err(NoSearch::GivenUp(reason))),
        Err(NoGoal::Stopped(reason)) => Ok(Err(NoSearch::Stopped(reason))),
        Err(NoGoal::Internal(reason)) => Err(InternalError::Refuted { message: property.name(), reason }),
    }
}

fn goal(
    model: &Model,
    property: &Property,
    check_options: CheckOptions,
    limits: Limits,
) -> Result<(Goal, Vec<Proposition>), NoGoal> {
    let mut formulas = Formulas::new();
    if let Some(formula) = property.goal(&mut formulas) {
        let propositions = lowered(model, formulas.propositions())?;
        return Ok((Goal::by_formula(formulas, formula, check_options, limits)?, propositions));
    }
    let (automaton, bdds, propositions) = match property {
        Property::Never { claim, .. } => {
            let claim = automaton_of(&model.claims[*claim].automaton).map_err(NoGoal::Refused)?;
            let ClaimAutomaton { automaton, bdds, propositions } = claim;
            (automaton, bdds, propositions)
        }
        Property::Claim(claim) => {
            let propositions = lowered(model, &claim.automaton.propositions)?;
            (claim.automaton.clone(), claim.bdds.clone(), propositions)
        }
        _ => return Err(NoGoal::Internal("a property without a formula".to_string())),
    };
    Ok((Goal::by_automaton(automaton, bdds, limits), propositions))
}

/// The conditions that these propositions stand for.
fn lowered(model: &Model, texts: &[String]) -> Result<Vec<Proposition>, NoGoal> {
    let lower = |text: &String| match properties::proposition(model, text) {
        Some(value) => Ok(Proposition { text: text.clone(), value }),
        None => Err(NoGoal::Internal(format!("the proposition `{text}` was not lowered"))),
    };
    texts.iter().map(lower).collect()
}

pub(crate) fn described(property: &Property) -> report::Property {
    report::Property { kind: property.kind(), name: property.name(), formula: property.reading() }
}

pub(crate) fn refused(
    loaded: &Loaded,
    property: &Property,
    algorithm: &'static str,
    reason: String,
    start: Instant,
) -> Report {
    let report = Report::of(loaded, described(property), Verdict::Refused(reason));
    let total = (loaded.time + start.elapsed()).as_secs_f64();
    Report { algorithm, seconds: Seconds { total, ..report.seconds }, ..report }
}
