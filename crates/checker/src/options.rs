//! What a run is asked to do. Every option is a value here; nothing is decided elsewhere.

use crate::load::LanguageDescription;
use crate::lossy::StoreOptions;
use crate::report::ShownStates;
use lariat_engine::simplify::Simplifications;
use lariat_engine::units::UnitRules;
use lariat_engine::{MAX_SEQUENCE_BYTES, Patience};
use lariat_search::fairness::Fairness;
use lariat_search::product::FiniteRuns;
use lariat_search::{Checkpoints, Limits, ProcessMemory, Progress};
use lariat_store::StoreKind;
use lariat_verdict::{Algorithm, SearchOrder};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// What to find out about a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// No assertion fails, no run-time error happens, no process gets stuck.
    Safety,
    /// The whole state space, whatever happens in it.
    Explore,
}

/// What executes a model. All give the same verdicts, counts and counterexamples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Engine {
    /// The interpreter at first, machine code once the model turns out to have more than a few thousand
    /// states.
    #[default]
    Auto,
    /// Machine code from the start.
    Compiled,
    /// The interpreter only.
    Interpreted,
}

/// How a model is read.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// `None`: the file's name says it. `.dve` is DVE, `.lir` the intermediate form, everything else Promela.
    pub language: Option<&'static LanguageDescription>,
    /// For Promela, which alone has a preprocessor.
    pub preprocessor: lariat_promela::ReadOptions,
}

/// How a model is read and checked.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// For the front end.
    pub read: ReadOptions,
    /// In which order states are visited.
    pub order: SearchOrder,
    /// Where visited states are kept.
    pub store: StoreOptions,
    /// What executes the model.
    pub engine: Engine,
    /// Machine code executes every step: what a process did before is not remembered.
    pub no_recall: bool,
    /// Every value of a piece of states is numbered, also where most states have a new one.
    pub number_all: bool,
    /// A search for violations keeps the textbook's depth-first order all the time.
    pub in_order: bool,
    /// How many threads search.
    pub threads: Threads,
    /// Of each state only those processes are followed that must be, where the question allows that.
    pub reduce: bool,
    /// How the model is simplified before it runs.
    pub simplify: Simplifications,
    /// Find out where the time of the search goes; it takes longer then.
    pub profile: bool,
    /// For properties beyond safety.
    pub algorithm: Algorithm,
    /// Every algorithm gets an automaton with one acceptance set.
    pub degeneralise: bool,
    /// The whole product is computed before the check sees it: an experiment.
    pub precompute: bool,
    /// The accepting run that a check finds is judged by the product, measured and dropped: not made shorter,
    /// not replayed, not shown.
    pub verdict_only: bool,
    /// An infinite run is shown with its cycle, also where it is certain long before that it violates the
    /// property.
    pub whole_run: bool,
    /// A run that violates safety is shown as the search came upon it: no shorter one is looked for.
    pub as_found: bool,
    /// Infinite runs show how the property's automaton moves.
    pub show_automaton: bool,
    /// Infinite runs say which parts of the formula are true where: a page shows it.
    pub show_truth: bool,
    /// What counterexamples show of their states.
    pub states: ShownStates,
    /// What becomes of runs that end. `None`: what the model's language says.
    pub finite_runs: Option<FiniteRuns>,
    /// What runs owe to every unit; those that do not pay it do not count.
    pub fairness: Option<Fairness>,
    /// Who these units are.
    pub units: UnitRules,
    /// Say why a run that would be found without fairness does not count.
    pub why_fair: bool,
    /// Look for further violations after the first.
    pub keep_going: bool,
    /// Longer paths are cut; the verdict is then unknown, at best.
    pub max_depth: Option<u64>,
    /// More states are not stored; the verdict is then unknown.
    pub max_states: Option<u64>,
    /// In bytes.
    pub max_memory: Option<u64>,
    /// For everything after the front end.
    pub timeout: Option<Duration>,
    /// Where the search writes down how far it is, and from where it goes on.
    pub checkpoint: Option<Arc<Checkpoints>>,
}

impl Options {
    /// Where a search that began at `start` stops.
    pub(crate) fn limits<'a>(&self, start: Instant, interrupt: Option<&'a AtomicBool>) -> Limits<'a> {
        Limits {
            max_depth: self.max_depth,
            max_states: self.max_states,
            max_memory: self.max_memory,
            deadline: self.timeout.and_then(|timeout| start.checked_add(timeout)),
            interrupt,
            process: ProcessMemory::now(),
            checkpoint: None,
        }
    }
}

impl Options {
    /// What a step of the model may take in a search that began at `start`.
    pub(crate) fn patience<'a>(&self, start: Instant, interrupt: Option<&'a AtomicBool>) -> Patience<'a> {
        // The table of a lossy store may take most of it.
        let part = if self.store.lossy().is_some() { 4 } else { 2 };
        let share = self.max_memory.map_or(MAX_SEQUENCE_BYTES, |max| (max / part) as usize);
        Patience {
            deadline: self.timeout.and_then(|timeout| start.checked_add(timeout)),
            interrupt,
            max_bytes: share.min(MAX_SEQUENCE_BYTES),
        }
    }
}

impl Options {
    /// The option that makes one thread search although several were asked for, if there is one: of searches
    /// for violations of safety and of the whole state space.
    pub fn forces_one_thread(&self) -> Option<&'static str> {
        // Level by level, several threads stop where one would.
        let stops_by_order = self.order == SearchOrder::DepthFirst;
        let reasons = [
            (self.max_depth.is_some() && stops_by_order, "--max-depth"),
            (self.max_states.is_some() && stops_by_order, "--max-states"),
            (self.in_order && stops_by_order, "--in-order"),
            (self.profile, "--profile-search"),
            (self.store.lossy().is_some(), "--store"),
            (self.store.kind != StoreKind::Exact && self.order == SearchOrder::BreadthFirst, "--store"),
        ];
        reasons.into_iter().find_map(|(holds, option)| holds.then_some(option))
    }
}

/// How many threads search, where a search takes several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Threads {
    /// `None`: as many as the process may use processors.
    pub wished: Option<NonZeroUsize>,
    /// So many states are searched in order, by one thread, before there are several; `None`: as many as is
    /// usual.
    pub in_order: Option<u64>,
}

impl Threads {
    /// At least one.
    pub fn count(self) -> usize {
        // The limits of a container count.
        let processors = || std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        self.wished.map_or_else(processors, NonZeroUsize::get)
    }

    /// Whether somebody has asked for several.
    pub fn are_wished(self) -> bool {
        self.wished.is_some_and(|threads| threads.get() > 1)
    }
}

/// Who watches a run: may be told about its progress, and may stop it.
#[derive(Default)]
pub struct Observer<'a> {
    /// Called about once a second.
    pub progress: Option<&'a mut dyn FnMut(&Progress)>,
    /// Set it, and the search stops with the verdict `unknown`.
    pub interrupt: Option<&'a AtomicBool>,
}
