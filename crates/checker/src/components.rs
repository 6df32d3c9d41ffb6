//! The strongly connected components of a model's state space.
//!
//! Schwoon and Esparza 2005, §4.4: the search for accepting cycles, without a look at acceptance, lists the
//! components, and stores no transition. The model runs beside an automaton with one state that admits
//! everything, so the states are the model's own; if the model has accept labels, the automaton marks what
//! happens there. Runs that end are left as they are: nothing is repeated, so a state where nothing can
//! happen is a component without a cycle.

use crate::check::InternalError;
use crate::liveness::describe_lost;
use crate::load::Loaded;
use crate::memory;
use crate::options::{Observer, Options};
use crate::prepare::{InStore, Job, NotPrepared, Subject, prepare};
use crate::properties::{Property, stated_by_labels};
use crate::report::{Reduced, Seconds};
use lariat_engine::SuccessorFunction;
use lariat_engine::units::MAX_UNITS;
use lariat_ltl::emptiness::everything;
use lariat_ltl::{Automaton, Bdds, Edge, Marks, Placement};
use lariat_model::ir::{Expr, Proposition};
pub use lariat_search::emptiness::components::ComponentCounts;
use lariat_search::emptiness::components::count_components;
use lariat_search::emptiness::{MarkSet, Product, Search, Stopped, WideMarks};
use lariat_search::fairness::{Fairness, RunRules};
use lariat_search::product::{FiniteRuns, Follow, LostRun, ModelProduct, PropertyAutomaton};
use lariat_search::{Counts, Progress};
use lariat_store::StateStore;
use std::time::Duration;

/// What is known about the components of a model's state space.
#[derive(Clone, Debug)]
pub struct ComponentsReport {
    /// The file, as the user named it.
    pub model: String,
    /// The components; or why not all are known.
    pub result: Result<ComponentCounts, String>,
    /// The model has accept labels, and a component accepts if a cycle in it passes one.
    pub labelled: bool,
    /// A component accepts only if a cycle in it is fair to every process.
    pub fairness: Option<Fairness>,
    /// What came of reduction, if that was asked for: the components are those of the reduced model.
    pub reduction: Option<Reduced>,
    /// States in the store.
    pub stored: u64,
    /// What the search counted.
    pub counts: Counts,
    /// Bytes of the states.
    pub states_bytes: u64,
    /// Bytes of everything else.
    pub auxiliary_bytes: u64,
    /// The most memory that the process ever had, where the system says so.
    pub peak_rss_bytes: Option<u64>,
    /// How long it took.
    pub seconds: Seconds,
}

/// Components of similar size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SizeClass {
    /// The sizes, both included: from a power of ten to before the next.
    pub from: u64,
    /// The largest size.
    pub to: u64,
    /// How many components have one of these sizes.
    pub components: u64,
    /// In all of them.
    pub states: u64,
}

/// The sizes by powers of ten; classes without a component are left out.
pub fn size_classes(counts: &ComponentCounts) -> Vec<SizeClass> {
    let mut classes: Vec<SizeClass> = Vec::new();
    for (&size, &components) in &counts.sizes {
        let from = 10u64.pow(size.max(1).ilog10());
        let to = from.saturating_mul(10).saturating_sub(1);
        if classes.last().is_none_or(|class| class.from != from) {
            classes.push(SizeClass { from, to, components: 0, states: 0 });
        }
        let class = classes.last_mut().expect("there is one now");
        class.components += components;
        class.states += components * size;
    }
    classes
}

/// Finds the components of the whole state space.
pub fn components(
    loaded: &Loaded,
    options: &Options,
    observer: Observer,
) -> Result<ComponentsReport, InternalError> {
    let job = Job::begin(loaded, options, observer.interrupt);
    let labelled =
        stated_by_labels(&loaded.model).iter().any(|property| matches!(property, Property::Acceptance));
    let subject = |job: &Job| {
        let accept = Proposition { text: "accept_".to_string(), value: Expr::Acceptance };
        let mut bdds = Bdds::new();
        let watcher = if labelled { marks_accept_labels(&mut bdds) } else { everything(Vec::new()) };
        let fairness = job.options.fairness.map(|_| "fairness looks at every process");
        Ok(Subject::watched(&job.loaded.model, vec![accept], &watcher, &bdds).not_reduced(fairness))
    };
    let report = prepare(&job, subject, |prepared| {
        let prepared_in = job.start.elapsed();
        let work = ComponentSearch { job: &job, automaton: prepared.beside, progress: observer.progress };
        let (found, _) = prepared.search(work);
        let searched = job.start.elapsed();
        Ok(ComponentsReport {
            labelled,
            reduction: prepared.reduced(),
            seconds: job.seconds(searched, prepared_in),
            peak_rss_bytes: memory::peak_rss(),
            ..found
        })
    });
    match report {
        Ok(report) => Ok(report),
        Err(NotPrepared::Refused { reason, .. } | NotPrepared::Stopped(reason)) => {
            let report = ComponentsReport::new(&job, Err(reason));
            Ok(ComponentsReport { labelled, ..report })
        }
        Err(NotPrepared::Internal(error)) => Err(error),
    }
}

impl ComponentsReport {
    /// A report in which nothing is counted yet.
    fn new(job: &Job, result: Result<ComponentCounts, String>) -> ComponentsReport {
        ComponentsReport {
            model: job.loaded.path.clone(),
            result,
            labelled: false,
            fairness: job.options.fairness,
            reduction: None,
            stored: 0,
            counts: Counts::default(),
            states_bytes: 0,
            auxiliary_bytes: 0,
            peak_rss_bytes: memory::peak_rss(),
            seconds: job.seconds(job.start.elapsed(), Duration::ZERO),
        }
    }
}

/// The search that lists the components.
struct ComponentSearch<'a, 'p> {
    job: &'a Job<'a>,
    automaton: &'a PropertyAutomaton,
    progress: Option<&'p mut dyn FnMut(&Progress)>,
}

impl InStore for ComponentSearch<'_, '_> {
    type Done = ComponentsReport;

    fn run<M: SuccessorFunction, S: StateStore>(self, model: &M, store: S) -> ComponentsReport {
        if self.job.options.fairness.is_some() {
            return self.count_fair(model, store);
        }
        let product = ModelProduct::new(model, self.automaton, store, FiniteRuns::Ignore);
        self.count(product.following(Follow::States))
    }
}

impl ComponentSearch<'_, '_> {
    /// Every process has an acceptance set of its own.
    fn count_fair<M: SuccessorFunction, S: StateStore>(self, model: &M, store: S) -> ComponentsReport {
        let fairness = self.job.options.fairness.map(|fairness| (fairness, MAX_UNITS as u32));
        let rules = RunRules { fairness, assumptions: None };
        let product: ModelProduct<M, S, WideMarks> =
            ModelProduct::with_rules(model, self.automaton, store, FiniteRuns::Ignore, rules, None);
        self.count(product.following(Follow::States))
    }

    fn count<M: SuccessorFunction, S: StateStore, K: MarkSet>(
        self,
        mut product: ModelProduct<M, S, K>,
    ) -> ComponentsReport {
        let ComponentSearch { job, progress, .. } = self;
        let limits = job.limits();
        let mut any_product: &mut dyn Product<Marks = K> = &mut product;
        let mut search = Search::new(&mut any_product, limits, progress.map(|progress| progress as _));
        let outcome = count_components(&mut search);
        let counts = search.counts();
        let result = match outcome {
            Err(Stopped(reason)) => Err(job.describe(reason)),
            Ok(_) if product.was_cut() => Err(job.describe(limits.why_cut())),
            Ok(found) => match product.lost_run() {
                Some(lost @ LostRun::Start(_)) => Err(describe_lost(lost)),
                _ => Ok(found),
            },
        };
        ComponentsReport {
            stored: product.stored(),
            counts,
            states_bytes: product.state_bytes(),
            auxiliary_bytes: counts.auxiliary_bytes,
            ..ComponentsReport::new(job, result)
        }
    }
}

/// The automaton with one state that admits everything, and marks what happens at accept labels.
fn marks_accept_labels(bdds: &mut Bdds) -> Automaton {
    let mut automaton = everything(vec!["accept_".to_string()]);
    automaton.sets = 1;
    automaton.placement = Placement::Edges;
    let accept = bdds.variable(0);
    let other = bdds.not(accept);
    automaton.edges[0] = vec![
        Edge { label: accept, marks: Marks::one(0), to: 0 },
        Edge { label: other, marks: Marks::NONE, to: 0 },
    ];
    automaton
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_of_sizes() {
        let sizes = [(1, 5), (9, 1), (10, 2), (1000, 1)].into_iter().collect();
        let classes = size_classes(&ComponentCounts { sizes, ..ComponentCounts::default() });
        let class = |from, to, components, states| SizeClass { from, to, components, states };
        assert_eq!(classes, [class(1, 9, 6, 14), class(10, 99, 2, 20), class(1000, 9999, 1, 1000)]);
    }
}
