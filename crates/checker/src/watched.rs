//! The search for a run of a model, recorded to be watched.
//!
//! The product is that of the papers: nothing is reduced or simplified away, and it goes on where the
//! automaton would accept whatever comes. Two checks run on one product, one after the other: states keep
//! their numbers, so both see the same graph. The product has the form that the more demanding of them needs.

use crate::check::InternalError;
use crate::liveness::{describe_lost, finite_runs};
use crate::load::Loaded;
use crate::options::{Observer, Options};
use crate::prepare::{InStore, Job, NotPrepared, PropertyRuns, Subject, prepare};
use crate::properties::Property;
use crate::trace::final_state;
use lariat_animation::{About, Graph, Recording, record};
use lariat_engine::{Interpreter, SuccessorFunction};
use lariat_search::emptiness::Check;
use lariat_search::product::{FiniteRuns, Follow, ModelProduct, PropertyAutomaton, Repeats};
use lariat_store::{StateId, StateStore};
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
    /// Why the product may be incomplete, so that a search without a result shows nothing.
    pub incomplete: Option<String>,
}

/// Records how these checks look for a run that violates a property; `Err` inside if they cannot, and why.
pub fn watched(
    loaded: &Loaded,
    property: &Property,
    algorithm: Algorithm,
    with: Option<Check>,
    options: &Options,
    observer: Observer,
) -> Result<Result<Watched, String>, InternalError> {
    let job = Job::begin(loaded, options, observer.interrupt);
    let limits = job.limits();
    let runs = |job: &Job, algorithm| {
        let mut check = CheckOptions { algorithm, ..CheckOptions::default() };
        Subject::runs(job, property, &mut check, None, limits)
    };
    let named = |job: &Job| -> Result<(Vec<Check>, Subject<PropertyRuns>), NotPrepared> {
        let first = match algorithm {
            Algorithm::Named(check) => check,
            Algorithm::Auto => runs(job, algorithm)?.beside().chosen.check,
        };
        let checks: Vec<Check> = [Some(first), with].into_iter().flatten().collect();
        let demanding = checks.iter().copied().max_by_key(|check| check.description().needs);
        Ok((checks, runs(job, Algorithm::Named(demanding.unwrap_or(first)))?))
    };
    let (checks, subject) = match named(&job) {
        Ok(named) => named,
        Err(NotPrepared::Refused { reason, .. } | NotPrepared::Stopped(reason)) => return Ok(Err(reason)),
        Err(NotPrepared::Internal(error)) => return Err(error),
    };
    let result = prepare(
        &job,
        |_| Ok(subject),
        |prepared| {
            let PropertyRuns { automaton, .. } = prepared.beside;
            let finite_runs = finite_runs(&loaded.model, property, options);
            let interpreter = prepared.engine.interpreter();
            let work = RecordedSearch { interpreter, automaton, finite_runs, limits, checks: &checks };
            let found = prepared.search(work).0;
            found.map_err(|reason| InternalError::Refuted { message: property.name(), reason })
        },
    );
    match result {
        Ok(watched) => Ok(Ok(watched)),
        Err(NotPrepared::Refused { reason, .. } | NotPrepared::Stopped(reason)) => Ok(Err(reason)),
        Err(NotPrepared::Internal(error)) => Err(error),
    }
}

struct RecordedSearch<'a, 'm> {
    interpreter: &'a Interpreter<'m>,
    automaton: &'a PropertyAutomaton,
    finite_runs: FiniteRuns,
    limits: Limits<'a>,
    checks: &'a [Check],
}

impl InStore for RecordedSearch<'_, '_> {
    type Done = Result<Watched, String>;

    fn run<M: SuccessorFunction, S: StateStore>(self, model: &M, store: S) -> Self::Done {
        let RecordedSearch { interpreter, automaton, finite_runs, limits, checks } = self;
        let mut product: ModelProduct<M, S> =
            ModelProduct::new(model, automaton, store, finite_runs).following(Follow::WholeRuns);
        let recordings = checks
            .iter()
            .map(|&check| record(&mut product, check, limits))
            .collect::<Result<Vec<Recording>, String>>()?;
        let seen: Vec<&Recording> = recordings.iter().collect();
        // Stores number states with gaps; people count.
        let mut count = 0u32..;
        let graph = Graph::of(&mut product, &seen, |product, state| About {
            name: count.next().unwrap_or_default().to_string(),
            text: described(interpreter, product, state),
        });
        let incomplete = match product.lost_run() {
            Some(lost) => Some(describe_lost(lost)),
            None if product.was_cut() => Some("an indivisible sequence has too many states".to_string()),
            None => None,
        };
        Ok(Watched { graph, recordings, incomplete })
    }
}

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
