//! The search for a run of a model, recorded to be watched.
//!
//! The product is that of the papers: nothing is reduced or simplified away, and it goes on where the
//! automaton would accept whatever comes. Two checks run on one product, one after the other: states keep
//! their numbers, so both see the same graph. The product has the form that the more demanding of them needs.
//!
//! Where not all runs count, fairness and assumptions are acceptance sets behind those of the automaton (or
//! pairs of marks, of which only `streett` knows), and the marks are shown. A check that knows one set gets
//! the product with a counter.

use crate::check::InternalError;
use crate::liveness::{describe_lost, finite_runs};
use crate::load::Loaded;
use crate::options::{Observer, Options};
use crate::prepare::{InStore, Job, NotPrepared, PropertyRuns, Subject, prepare};
use crate::properties::Property;
use crate::trace::final_state;
use lariat_animation::{About, Answer, Graph, Recording, record};
use lariat_engine::units::{MAX_UNITS, UnitRules, UnitTable};
use lariat_engine::{Interpreter, SuccessorFunction};
use lariat_ltl::Marks;
use lariat_search::emptiness::{Check, CountedProduct, Needs, Product};
use lariat_search::fairness::{Assumption, Fairness};
use lariat_search::product::{FiniteRuns, Follow, ModelProduct, Repeats};
use lariat_store::{ExactStore, StateId, StateStore};
use lariat_verdict::{Algorithm, CheckOptions};

// For those who watch an automaton alone.
pub use lariat_search::Limits;
pub use lariat_search::emptiness::ExplicitProduct;
pub use lariat_verdict::describe_stop;

/// What one or two checks did on the product of a model and a property.
#[derive(Clone, Debug)]
pub struct Watched {
    /// What they have seen.
    pub graph: Graph,
    /// What they did.
    pub recordings: Vec<Recording>,
    /// Which marks stand for what, where not all runs count; empty where they do.
    pub marks: String,
    /// Why the product may be incomplete, so that a search without a result shows nothing.
    pub incomplete: Option<String>,
}

/// Why there is nothing to watch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotWatched {
    /// The check cannot do it.
    Refused(String),
    /// A limit came before the search could begin.
    Stopped(String),
}

/// Records how these checks look for a run that violates a property; `Err` inside if they cannot.
pub fn watched(
    loaded: &Loaded,
    property: &Property,
    algorithm: Algorithm,
    with: Option<Check>,
    options: &Options,
    observer: Observer,
) -> Result<Result<Watched, NotWatched>, InternalError> {
    let job = Job::begin(loaded, options, observer.interrupt);
    let limits = job.limits();
    let runs = |job: &Job, algorithm| {
        let mut check = CheckOptions { algorithm, ..CheckOptions::default() };
        Subject::runs(job, property, &mut check, options.fairness, limits)
    };
    let named = |job: &Job| -> Result<(Vec<Check>, Subject<PropertyRuns>), NotPrepared> {
        let first = match algorithm.named() {
            Some(check) => check,
            None => runs(job, algorithm)?.beside().chosen.check,
        };
        let checks: Vec<Check> = [Some(first), with].into_iter().flatten().collect();
        // Each of them must be able to do it.
        checks.iter().try_for_each(|check| runs(job, Algorithm::Named(*check)).map(drop))?;
        let demanding = checks.iter().copied().max_by_key(|check| check.description().needs);
        Ok((checks, runs(job, Algorithm::Named(demanding.unwrap_or(first)))?))
    };
    let (checks, subject) = match named(&job) {
        Ok(named) => named,
        Err(NotPrepared::Refused { reason, .. }) => return Ok(Err(NotWatched::Refused(reason))),
        Err(NotPrepared::Stopped(reason)) => return Ok(Err(NotWatched::Stopped(reason))),
        Err(NotPrepared::Internal(error)) => return Err(error),
    };
    let result = prepare(
        &job,
        |_| Ok(subject),
        |prepared| {
            let runs = prepared.beside;
            let finite_runs = finite_runs(&loaded.model, property, options);
            let interpreter = prepared.engine.interpreter();
            let units = &options.units;
            let work = RecordedSearch { interpreter, runs, units, finite_runs, limits, checks: &checks };
            let found = prepared.search(work).0;
            found.map_err(|reason| InternalError::Refuted { message: property.name(), reason })
        },
    );
    match result {
        Ok(watched) => Ok(watched.map_err(NotWatched::Refused)),
        Err(NotPrepared::Refused { reason, .. }) => Ok(Err(NotWatched::Refused(reason))),
        Err(NotPrepared::Stopped(reason)) => Ok(Err(NotWatched::Stopped(reason))),
        Err(NotPrepared::Internal(error)) => Err(error),
    }
}

struct RecordedSearch<'a, 'm> {
    interpreter: &'a Interpreter<'m>,
    runs: &'a PropertyRuns,
    units: &'a UnitRules,
    finite_runs: FiniteRuns,
    limits: Limits<'a>,
    checks: &'a [Check],
}

impl InStore for RecordedSearch<'_, '_> {
    /// `Err` outside is an error of ours; inside, it says why there is nothing to watch.
    type Done = Result<Result<Watched, String>, String>;

    fn run<M: SuccessorFunction, S: StateStore>(self, model: &M, store: S) -> Self::Done {
        let automaton = &self.runs.automaton;
        if self.runs.rules(0).allow_all() {
            let mut product: ModelProduct<M, S> =
                ModelProduct::new(model, automaton, store, self.finite_runs).following(Follow::WholeRuns);
            return self.record(&mut product).map(Ok);
        }
        let mut units = self.interpreter.model().start.len().clamp(1, MAX_UNITS) as u32;
        loop {
            let rules = self.runs.rules(units);
            let marks = automaton.sets() + rules.marks();
            if marks > Marks::LIMIT {
                let most = Marks::LIMIT;
                let reason = format!("it takes {marks} acceptance sets, and at most {most} can be watched");
                return Ok(Err(reason));
            }
            let table = UnitTable::new(self.units.clone(), self.interpreter.model());
            let table = (!self.units.is_every_process()).then_some(table);
            let mut product: ModelProduct<M, ExactStore> =
                ModelProduct::with_rules(model, automaton, ExactStore::new(), self.finite_runs, rules, table)
                    .following(Follow::WholeRuns);
            let watched = self.record(&mut product)?;
            let stopped =
                watched.recordings.iter().any(|recording| matches!(recording.answer, Answer::Unknown(_)));
            if !product.has_too_few_units() || stopped {
                return Ok(Ok(Watched { marks: self.marks(units), ..watched }));
            }
            if units >= MAX_UNITS as u32 {
                return Ok(Err(format!("there are more than {MAX_UNITS} units to be treated fairly")));
            }
            units = (2 * units).min(MAX_UNITS as u32);
        }
    }
}

impl RecordedSearch<'_, '_> {
    /// One of the checks knows one set only, and there may be more.
    fn is_counted(&self) -> bool {
        let knows_one = |check: &Check| check.description().needs != Needs::AnySets;
        !self.runs.rules(0).allow_all() && self.checks.iter().any(knows_one)
    }

    /// Runs the checks on a product, with a counter if they need one.
    fn record<M: SuccessorFunction, S: StateStore>(
        &self,
        product: &mut ModelProduct<M, S>,
    ) -> Result<Watched, String> {
        let (graph, recordings) = match self.is_counted() {
            true => {
                let mut counted = CountedProduct::new(product);
                self.record_on(&mut counted, |counted, state| {
                    let (state, level) = counted.parts(state);
                    let text = described(self.interpreter, counted.product(), state);
                    format!("{text}\nacceptance sets met, in order: {level}")
                })?
            }
            false => self.record_on(product, |product, state| described(self.interpreter, product, state))?,
        };
        let incomplete = match product.lost_run() {
            Some(lost) => Some(describe_lost(lost)),
            None if product.was_cut() => Some("an indivisible sequence has too many states".to_string()),
            None => None,
        };
        Ok(Watched { graph, recordings, marks: String::new(), incomplete })
    }

    fn record_on<P: Product<Marks = Marks>>(
        &self,
        product: &mut P,
        text: impl Fn(&P, StateId) -> String,
    ) -> Result<(Graph, Vec<Recording>), String> {
        let recordings = self
            .checks
            .iter()
            .map(|&check| record(product, check, self.limits))
            .collect::<Result<Vec<Recording>, String>>()?;
        let seen: Vec<&Recording> = recordings.iter().collect();
        // Stores number states with gaps; people count.
        let mut count = 0u32..;
        let graph = Graph::of(product, &seen, |product, state| About {
            name: count.next().unwrap_or_default().to_string(),
            text: text(product, state),
        });
        Ok((graph, recordings))
    }

    /// What the numbers of the marks mean: `0 is the automaton's, 1 P(0) moves or cannot`.
    fn marks(&self, units: u32) -> String {
        let model = self.interpreter.model();
        let who = |k: u32| match model.start.get(k as usize) {
            Some(start) if self.units.is_every_process() => {
                format!("{}({k})", model.process_types[start.process.0 as usize].name)
            }
            _ if self.units.is_every_process() => format!("process {k}"),
            _ => format!("unit {k}"),
        };
        let mut parts = vec!["the automaton's".to_string(); self.runs.automaton.sets() as usize];
        let rules = self.runs.rules(0);
        let all_assumed = rules.marks() as usize;
        let assumed = rules.assumptions.iter().flat_map(|assumptions| &assumptions.list);
        let recurring = assumed.filter(|one| matches!(one, Assumption::Recurs(_))).count();
        let assumption = |parts: &mut Vec<String>, count| {
            parts.extend(std::iter::repeat_n("an assumption's".to_string(), count));
        };
        assumption(&mut parts, recurring);
        let each = |parts: &mut Vec<String>, does: &str| {
            parts.extend((0..units).map(|k| format!("{} {does}", who(k))));
        };
        match self.runs.fairness {
            None | Some(Fairness::Strong) => {}
            Some(Fairness::Weak) => each(&mut parts, "moves or cannot"),
            Some(Fairness::Unconditional) => each(&mut parts, "moves or does not live"),
        }
        // Pairs come behind all sets.
        assumption(&mut parts, all_assumed - recurring);
        if self.runs.fairness == Some(Fairness::Strong) {
            each(&mut parts, "can move");
            each(&mut parts, "moves");
        }
        let more = parts.len().saturating_sub(MOST_MARKS);
        parts.truncate(MOST_MARKS);
        let named: Vec<String> =
            parts.iter().enumerate().map(|(k, part)| format!("{{{k}}} {part}")).collect();
        let others = if more == 0 { String::new() } else { format!(", and {more} more") };
        let order = if self.is_counted() { "; met in this order, and then again" } else { "" };
        format!("{}{others}{order}", named.join(", "))
    }
}

/// The meaning of so many marks is told.
const MOST_MARKS: usize = 12;

/// The variables, where the processes are, and the state of the automaton, line by line.
fn described<M: SuccessorFunction, S: StateStore>(
    interpreter: &Interpreter,
    product: &ModelProduct<M, S>,
    state: StateId,
) -> String {
    let here = final_state(interpreter, &interpreter.micro_from(&product.model_state(state)));
    let mut lines: Vec<String> = Vec::new();
    let variables = here.processes.iter().flat_map(|process| &process.variables);
    lines.extend(here.globals.iter().chain(variables).map(|item| format!("{} = {}", item.name, item.value)));
    for process in here.processes.iter().rev() {
        let place = match &process.state {
            Some(name) => name.clone(),
            None => format!("line {}", process.line),
        };
        lines.push(format!("{}({}) at {place}", process.process, process.pid));
    }
    if product.repeats(state) != Repeats::Not {
        lines.push("the run has ended, and its last state repeats".to_string());
    }
    lines.push(format!("automaton: state {}", product.property_state(state)));
    lines.join("\n")
}
