//! How the product of a model and a property is built: its components, and what makes one emptiness check
//! slower on it than another.
//!
//! Gaiser and Schwoon 2009 (§5) explain the differences that they measured by three structural effects. They
//! are counted here on the part of the product that `ascc` explores until it stops: all of it if there is no
//! accepting cycle, and otherwise what every check must see before the cycle can be known. The automaton has
//! one set, on states, as in the paper.

use crate::check::{InternalError, ready};
use crate::liveness::{NoSearch, describe_lost, finite_runs, goal_of};
use crate::load::Loaded;
use crate::options::{Observer, Options};
use crate::properties::Property;
use lariat_engine::Interpreter;
use lariat_model::ir::Model;
use lariat_search::emptiness::components::{
    ComponentCounts, StructuralEffects, count_components, structural_effects,
};
use lariat_search::emptiness::{Check, RecordedProduct, Search, Stopped};
use lariat_search::product::{Follow, LostRun, ModelProduct, PropertyAutomaton};
use lariat_store::ExactStore;
use lariat_verdict::{Algorithm, AutomatonFacts, CheckOptions, describe_stop};
use std::time::{Duration, Instant};

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
    let start = Instant::now();
    let report = |automaton, result| StructureReport {
        model: loaded.path.clone(),
        property: property.name(),
        automaton,
        result,
        time: start.elapsed(),
    };
    let check_options = CheckOptions {
        algorithm: Algorithm::Named(Check::RootsAndActive),
        degeneralise: true,
        order: options.order,
    };
    let limits = options.limits(start, observer.interrupt);
    let (mut goal, propositions) = match goal_of(&loaded.model, property, check_options, limits)? {
        Ok(found) => found,
        Err(NoSearch::Refused(reason) | NoSearch::GivenUp(reason)) => return Ok(report(None, Err(reason))),
        Err(NoSearch::Stopped(reason)) => {
            return Ok(report(None, Err(describe_stop(reason, options.timeout))));
        }
    };
    if let Err((_, reason)) = goal.choose(check_options, limits) {
        return Ok(report(None, Err(reason)));
    }
    let facts = Some(goal.facts());
    let model = Model { propositions, ..loaded.model.clone() };
    let ready = ready(Interpreter::new(&model), options, start, observer.interrupt)?;
    let automaton = PropertyAutomaton::new(&goal.automaton, &goal.bdds, |variable| variable);
    let finite_runs = finite_runs(&loaded.model, property, options);
    let mut product =
        ModelProduct::new(&ready, &automaton, ExactStore::new(), finite_runs).following(Follow::WholeRuns);

    let mut recorded = RecordedProduct::new(&mut product);
    let mut search = Search::new(&mut recorded, limits, observer.progress.map(|progress| progress as _));
    let looked = Check::RootsAndActive.run(&mut search).and_then(|lasso| {
        let mut part = recorded.part_seen();
        let components = count_components(&mut Search::new(&mut part, limits, None))?;
        let effects = structural_effects(&mut Search::new(&mut part, limits, None))?;
        Ok(Structure { accepting_cycle: lasso.is_some(), components, effects })
    });
    let result = match looked {
        Err(Stopped(reason)) => Err(describe_stop(reason, options.timeout)),
        Ok(_) if product.was_cut() => Err(describe_stop(limits.why_cut(), options.timeout)),
        Ok(found) => match product.lost_run() {
            Some(lost @ LostRun::Start(_)) => Err(describe_lost(lost)),
            _ => Ok(found),
        },
    };
    Ok(report(facts, result))
}
