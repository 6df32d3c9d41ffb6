//! How the product of a model and a property is built: its components, and what makes one emptiness check
//! slower on it than another.
//!
//! Gaiser and Schwoon 2009 (§5) explain the differences that they measured by three structural effects. They
//! are counted here on the part of the product that `ascc` explores until it stops: all of it if there is no
//! accepting cycle, and otherwise what every check must see before the cycle can be known. The automaton has
//! one set, on states, as in the paper.

use crate::check::InternalError;
use crate::liveness::{describe_lost, finite_runs};
use crate::load::Loaded;
use crate::options::{Observer, Options};
use crate::prepare::{InStore, Job, NotPrepared, PropertyRuns, Subject, prepare};
use crate::properties::Property;
use crate::report::Reduced;
use lariat_engine::SuccessorFunction;
use lariat_ltl::Marks;
use lariat_search::emptiness::components::{
    ComponentCounts, StructuralEffects, count_components, structural_effects,
};
use lariat_search::emptiness::{Check, Product, RecordedProduct, Search, Stopped};
use lariat_search::product::{FiniteRuns, Follow, LostRun, ModelProduct, PropertyAutomaton};
use lariat_search::{Limits, Progress};
use lariat_store::StateStore;
use lariat_verdict::{Algorithm, AutomatonFacts, CheckOptions};
use std::time::Duration;

/// What is known about the product of a model and a property.
#[derive(Clone, Debug)]
pub struct StructureReport {
    /// The file, as the user named it.
    pub model: String,
    /// The property's name.
    pub property: String,
    /// The automaton of the runs that violate it, with one set.
    pub automaton: Option<AutomatonFacts>,
    /// The part that was explored; or why not all of it is known.
    pub result: Result<Structure, String>,
    /// What came of reduction, if that was asked for: the product is that with the reduced model.
    pub reduction: Option<Reduced>,
    /// From the beginning to the end, without the front end.
    pub time: Duration,
}

/// How a product, or a part of it, is built.
#[derive(Clone, Debug)]
pub struct Structure {
    /// There is an accepting cycle; only what was explored until it was found is counted.
    pub accepting_cycle: bool,
    /// The strongly connected components.
    pub components: ComponentCounts,
    /// What makes checks look at things twice.
    pub effects: StructuralEffects,
}

/// Looks at the product of the model and a property.
pub fn structure(
    loaded: &Loaded,
    property: &Property,
    options: &Options,
    observer: Observer,
) -> Result<StructureReport, InternalError> {
    let job = Job::begin(loaded, options, observer.interrupt);
    let mut check_options = CheckOptions {
        algorithm: Algorithm::Named(Check::RootsAndActive),
        degeneralise: true,
        order: options.order,
        ..CheckOptions::default()
    };
    let limits = job.limits();
    let subject = |job: &Job| Subject::runs(job, property, &mut check_options, None, limits);
    let result = prepare(&job, subject, |prepared| {
        let PropertyRuns { automaton, facts, .. } = prepared.beside;
        let finite_runs = finite_runs(&loaded.model, property, options);
        let work = StructureSearch { job: &job, automaton, finite_runs, limits, progress: observer.progress };
        let (result, _) = prepared.search(work);
        Ok((Some(*facts), prepared.reduced(), result))
    });
    let (automaton, reduction, result) = match result {
        Ok(found) => found,
        Err(NotPrepared::Refused { reason, .. } | NotPrepared::Stopped(reason)) => (None, None, Err(reason)),
        Err(NotPrepared::Internal(error)) => return Err(error),
    };
    let (model, property) = (loaded.path.clone(), property.name());
    Ok(StructureReport { model, property, automaton, result, reduction, time: job.start.elapsed() })
}

/// What the structure is counted in.
struct StructureSearch<'a, 'p> {
    job: &'a Job<'a>,
    automaton: &'a PropertyAutomaton,
    finite_runs: FiniteRuns,
    limits: Limits<'a>,
    progress: Option<&'p mut dyn FnMut(&Progress)>,
}

impl InStore for StructureSearch<'_, '_> {
    type Done = Result<Structure, String>;

    fn run<M: SuccessorFunction, S: StateStore>(self, model: &M, store: S) -> Self::Done {
        let StructureSearch { job, automaton, finite_runs, limits, progress } = self;
        let mut product =
            ModelProduct::new(model, automaton, store, finite_runs).following(Follow::WholeRuns);
        let mut any_product: &mut dyn Product<Marks = Marks> = &mut product;
        let mut recorded = RecordedProduct::new(&mut any_product);
        let mut search = Search::new(&mut recorded, limits, progress.map(|progress| progress as _));
        let counted = Check::RootsAndActive.run(&mut search).and_then(|lasso| {
            let mut part = recorded.part_seen();
            let components = count_components(&mut Search::new(&mut part, limits, None))?;
            let effects = structural_effects(&mut Search::new(&mut part, limits, None))?;
            Ok(Structure { accepting_cycle: lasso.is_some(), components, effects })
        });
        match counted {
            Err(Stopped(reason)) => Err(job.describe(reason)),
            Ok(_) if product.was_cut() => Err(job.describe(limits.why_cut())),
            Ok(found) => match product.lost_run() {
                Some(lost @ LostRun::Start(_)) => Err(describe_lost(lost)),
                _ => Ok(found),
            },
        }
    }
}
