//! A property that is more than safety: property → automaton → product → check → lasso → run → report.

use crate::check::InternalError;
use crate::engine::ReadyModel;
use crate::load::Loaded;
use crate::options::{Engine, Observer, Options};
use crate::prepare::{InStore, Job, PropertyRuns, Subject, prepare};
use crate::properties::Property;
use crate::reading::{self, add_propositions, automaton_run};
use crate::report::{
    self, Counterexample, Cut, FoundViolation, LassoLengths, Report, RunEnding, Seconds, ShownStates,
};
use crate::trace::{Shown, cut_to, lasso_counterexample};
use crate::trace_assertion::check_trace;
use lariat_engine::{Interpreter, SuccessorFunction, Violation, ViolationKind};
use lariat_model::ir::{Language, Model};
use lariat_search::emptiness::{Lasso, Product, RecordedProduct, Search, Stopped, judge_lasso};
use lariat_search::product::{FiniteRuns, Follow, LostRun, ModelProduct};
use lariat_search::{Counts, Limits, Progress, Refuted, replay_lasso};
use lariat_store::{ExactStore, StateStore};
use lariat_verdict::{
    AnyRun, CheckOptions, Found, FoundBy, Guarantee, RunLength, Spent, Verdict, describe_stop, find,
    limits_after, limits_on_showing, room_for_run, shortened,
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
    let job = Job::begin(loaded, options, observer.interrupt);
    let check_options = CheckOptions {
        algorithm: options.algorithm,
        degeneralise: options.degeneralise,
        order: options.order,
    };
    let limits = job.limits();
    let subject = |job: &Job| Subject::runs(job, property, check_options, limits);
    let report = prepare(&job, subject, |prepared| {
        let engine = &prepared.engine;
        let prepared_in = job.start.elapsed();
        let check = LivenessCheck {
            engine,
            runs: prepared.beside,
            property,
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
        let (outcome, profile) = prepared.search(InProduct { check: &check, progress: observer.progress });
        let LivenessOutcome { verdict, stopped, violations, counts, lasso, run_length, checked } = outcome?;
        let spent = Spent { states: counts.stored, time: job.start.elapsed() };
        let no_run = match &verdict {
            Verdict::Holds(_) | Verdict::Violated if violations.is_empty() => check.has_no_run(spent),
            _ => false,
        };
        let searched = job.start.elapsed();
        let compile = match options.engine {
            // It was compiled before the search, with the automaton.
            Engine::Compiled => prepared_in,
            _ => prepared_in + engine.compile_time(),
        };
        let PropertyRuns { chosen, facts, .. } = prepared.beside;
        Ok(Report {
            no_run,
            stopped,
            violations,
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
            simplified: prepared.simplified,
            ..Report::of(loaded, described(property), verdict)
        })
    });
    job.report(described(property), report)
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
struct TimedFind {
    found: Found,
    checked: Option<Duration>,
}

/// What came of a check.
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

/// A check that runs in the product of the model and the automaton.
struct InProduct<'a, 'm, 'p> {
    check: &'a LivenessCheck<'a, 'm>,
    progress: Option<&'p mut dyn FnMut(&Progress)>,
}

impl InStore for InProduct<'_, '_, '_> {
    type Done = Result<LivenessOutcome, InternalError>;

    fn run<M: SuccessorFunction, S: StateStore>(self, model: &M, store: S) -> Self::Done {
        self.check.run(model, store, self.progress)
    }
}

impl LivenessCheck<'_, '_> {
    /// Looks for a run in the product of the model and the automaton, and judges what is found.
    fn run<M: SuccessorFunction, S: StateStore>(
        &self,
        model: &M,
        store: S,
        progress: Option<&mut dyn FnMut(&Progress)>,
    ) -> Result<LivenessOutcome, InternalError> {
        let LivenessCheck { engine, property, check_options, limits, timeout, .. } = *self;
        let automaton = &self.runs.automaton;
        // Experiments are about products as the papers have them.
        let follow = match self.shown {
            Shown::UntilDecided if !self.verdict_only => Follow::UntilDecided,
            _ => Follow::WholeRuns,
        };
        let mut product = ModelProduct::new(model, automaton, store, self.finite_runs).following(follow);
        let TimedFind { found: Found { outcome, mut counts }, checked } = if self.precompute {
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
                engine.interpret_more();
                lengths =
                    Some(LassoLengths { prefix: lasso.prefix.len() as u64, cycle: lasso.cycle.len() as u64 });
                let violation = Violation { kind: ViolationKind::AcceptingRun, message: property.name() };
                let counterexample = if self.verdict_only {
                    // Where there is no time to ask, the search has said it.
                    let _ = self.judge(&mut product, &lasso)?;
                    None
                } else {
                    let found_by = FoundBy { power: self.runs.chosen.power, transitions: counts.transitions };
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
        }
        let further = run.prefix.further() + run.cycle.further();
        let mut example = lasso_counterexample(interpreter, &run, self.shown, self.states);
        // Of a run that is cut, nobody knows all that the property sees.
        if further == 0 && room.stopped().is_none() {
            let texts = interpreter.model().propositions.iter().map(|known| known.text.as_str());
            add_propositions(&mut example, &run, &reading::names(self.property, texts));
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
        let mut product = ModelProduct::new(self.engine, &automaton, ExactStore::new(), self.finite_runs);
        any.is_missing(&mut product, limits_after(spent, self.limits))
            && product.lost_run().is_none()
            && !product.was_cut()
    }

    /// Looks for a run on the fly.
    fn find<P: Product>(&self, product: &mut P, progress: Option<&mut dyn FnMut(&Progress)>) -> TimedFind {
        let start = Instant::now();
        let found = find(product, self.runs.chosen, self.limits, progress);
        TimedFind { found, checked: Some(start.elapsed()) }
    }

    /// Computes the whole product, then looks for a run in it.
    fn precompute_and_find<P: Product>(
        &self,
        product: &mut P,
        progress: Option<&mut dyn FnMut(&Progress)>,
    ) -> TimedFind {
        let mut recorded = RecordedProduct::new(product);
        let mut search = Search::new(&mut recorded, self.limits, progress.map(|progress| progress as _));
        match RecordedProduct::complete(&mut search) {
            Ok(()) => self.find(&mut recorded, None),
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
