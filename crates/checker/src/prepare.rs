//! One preparation for all checks: from a model and what is asked about it to the engine, the automaton, the
//! store and the search.
//!
//! 1. [`Job`]: one question about a model, since when it is worked on, and within which limits.
//! 2. [`Subject`]: the model as the question sees it (the propositions of other properties are taken out),
//!    and what it runs beside: nothing, or an automaton.
//! 3. [`prepare`]: the model is simplified as far as the question allows, and gets an engine.
//! 4. [`Prepared::search`]: there is a store; with `--profile-search`, model and store get clocks.
//!    [`search_states`]: the search for violations in states is chosen. The check for runs was chosen with
//!    the automaton ([`Goal::choose`]).
//!
//! Whatever is done in a store that numbers states is generic ([`InStore`]). Searches in a lossy one are
//! called by those who show what they find: `check.rs` and `liveness.rs`, with what they share in `lossy.rs`.

use crate::assumptions::Assumed;
use crate::check::InternalError;
use crate::claim::{ClaimAutomaton, automaton_of};
use crate::engine::ReadyModel;
use crate::liveness::finite_runs;
use crate::load::Loaded;
use crate::lossy::{StoreOptions, refused_among_some};
use crate::options::Options;
use crate::profile::{Clocks, SearchProfile, TimedModel, TimedStore};
use crate::properties::{self, Property};
use crate::report::{self, Reduced, Report, Seconds};
use crate::simplification::{Simplified, counts_steps, simplified};
use lariat_automata::assumptions::both;
use lariat_engine::reduction::{NOT_OF_USE, NotReduced, Reduction, Size, loosened};
use lariat_engine::{Closing, Interpreter, SuccessorFunction, Workers};
use lariat_ltl::parse::Tree;
use lariat_ltl::strength::Strength;
use lariat_ltl::{Automaton, Bdds, Formula, Formulas};
use lariat_model::ir::{Model, Proposition};
use lariat_search::fairness::{Fairness, RunRules};
use lariat_search::product::{FiniteRuns, PropertyAutomaton};
use lariat_search::{
    Checkpoints, IN_ORDER, Limits, MemoryUse, Outcome, Progress, Question, SearchKind, StopReason,
    Unreadable, breadth_first_together, depth_first_in_order, depth_first_in_turns, depth_first_together,
};
use lariat_store::{AutoStore, ExactStore, SharedStore, StateStore, StoreKind};
use lariat_verdict::{
    AutomatonFacts, CheckOptions, ChosenCheck, Goal, NoGoal, RunsThatCount, SearchOrder, Verdict,
    describe_stop,
};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// One question about a model.
pub(crate) struct Job<'a> {
    pub loaded: &'a Loaded,
    pub options: &'a Options,
    pub start: Instant,
    interrupt: Option<&'a AtomicBool>,
}

impl<'a> Job<'a> {
    /// From now on its time runs.
    pub fn begin(loaded: &'a Loaded, options: &'a Options, interrupt: Option<&'a AtomicBool>) -> Job<'a> {
        Job { loaded, options, start: Instant::now(), interrupt }
    }

    /// Where a search that begins now stops.
    pub fn limits(&self) -> Limits<'a> {
        self.options.limits(self.start, self.interrupt)
    }

    /// The same for the search that the question is about, of which there may be checkpoints.
    pub fn limits_of_search(&self) -> Limits<'a> {
        Limits { checkpoint: self.checkpoints(), ..self.limits() }
    }

    /// Where that search writes down how far it is.
    pub fn checkpoints(&self) -> Option<&'a Checkpoints> {
        self.options.checkpoint.as_deref()
    }

    /// A limit that was hit, in words.
    pub fn describe(&self, reason: StopReason) -> String {
        describe_stop(reason, self.options.timeout)
    }

    /// How long each part took. `compile` is what preparations took before or within the search.
    pub fn seconds(&self, searched: Duration, compile: Duration) -> Seconds {
        Seconds {
            front_end: self.loaded.time.as_secs_f64(),
            compile: compile.as_secs_f64(),
            search: searched.saturating_sub(compile).as_secs_f64(),
            check: None,
            total: (self.loaded.time + self.start.elapsed()).as_secs_f64(),
        }
    }

    /// A report also where nothing was searched.
    pub fn report(
        &self,
        property: report::Property,
        result: Result<Report, NotPrepared>,
    ) -> Result<Report, InternalError> {
        let (verdict, stopped, algorithm) = match result {
            Ok(report) => return Ok(report),
            Err(NotPrepared::Refused { algorithm, reason }) => (Verdict::Refused(reason), None, algorithm),
            Err(NotPrepared::Stopped(reason)) => (Verdict::Unknown(reason.clone()), Some(reason), "none"),
            Err(NotPrepared::Internal(error)) => return Err(error),
        };
        let report = Report::of(self.loaded, property, verdict);
        let total = (self.loaded.time + self.start.elapsed()).as_secs_f64();
        Ok(Report { stopped, algorithm, seconds: Seconds { total, ..report.seconds }, ..report })
    }
}

/// Why nothing is searched.
pub(crate) enum NotPrepared {
    /// It cannot be done, by the algorithm with this name.
    Refused { algorithm: &'static str, reason: String },
    /// A limit was hit, or it would take too much.
    Stopped(String),
    /// An error of ours, or of the machine.
    Internal(InternalError),
}

impl From<InternalError> for NotPrepared {
    fn from(error: InternalError) -> NotPrepared {
        NotPrepared::Internal(error)
    }
}

impl NotPrepared {
    /// No algorithm can do it.
    pub fn refused(reason: String) -> NotPrepared {
        NotPrepared::Refused { algorithm: "none", reason }
    }
}

/// What a search is about: the model as a question sees it, and what runs beside it.
pub(crate) struct Subject<B> {
    model: Model,
    /// Why the model's statements must not be merged, if so.
    counts_steps: Option<&'static str>,
    /// Why of each state all processes must be followed, if so.
    not_reduced: Option<&'static str>,
    /// The assertion about events that watches, a place among the model's claims.
    observer: Option<usize>,
    beside: B,
}

impl Subject<()> {
    /// The states themselves.
    pub fn states(model: &Model) -> Subject<()> {
        let model = Model { propositions: Vec::new(), claims: Vec::new(), ..model.clone() };
        Subject { model, counts_steps: None, not_reduced: None, observer: None, beside: () }
    }

    /// The states, and an assertion about events that watches.
    pub fn events(model: &Model, property: &Property, claim: usize) -> Subject<()> {
        let model = Model { propositions: Vec::new(), ..model.clone() };
        let counts_steps = counts_steps(property);
        Subject { model, counts_steps, not_reduced: None, observer: Some(claim), beside: () }
    }
}

impl Subject<PropertyAutomaton> {
    /// The model beside an automaton that watches these propositions.
    pub fn watched(
        model: &Model,
        propositions: Vec<Proposition>,
        watcher: &Automaton,
        bdds: &Bdds,
    ) -> Subject<PropertyAutomaton> {
        let model = Model { propositions, ..model.clone() };
        let beside = PropertyAutomaton::new(watcher, bdds, |variable| variable);
        Subject { model, counts_steps: None, not_reduced: None, observer: None, beside }
    }
}

impl<B> Subject<B> {
    /// The same, of which all processes are followed for this reason, if there is one.
    pub fn not_reduced(self, reason: Option<&'static str>) -> Subject<B> {
        Subject { not_reduced: self.not_reduced.or(reason), ..self }
    }

    /// What runs beside the model.
    pub fn beside(&self) -> &B {
        &self.beside
    }
}

/// The runs that are looked for, and the check that looks for them.
pub(crate) struct PropertyRuns {
    pub goal: Goal,
    pub chosen: ChosenCheck,
    pub facts: AutomatonFacts,
    pub automaton: PropertyAutomaton,
    /// What a run owes to every unit, if anything.
    pub fairness: Option<Fairness>,
    /// What is assumed of runs.
    pub assumed: Assumed,
    /// Fairness was asked for, and changes nothing: a finite run decides.
    pub fairness_is_idle: bool,
}

impl PropertyRuns {
    /// Which runs count, where there may be so many units.
    pub fn rules(&self, units: u32) -> RunRules {
        RunRules {
            fairness: self.fairness.map(|fairness| (fairness, units)),
            assumptions: self.assumed.marks(),
        }
    }
}

impl Subject<PropertyRuns> {
    /// The model beside the automaton of the runs that violate a property, or show it.
    pub fn runs(
        job: &Job,
        property: &Property,
        check: &mut CheckOptions,
        fairness: Option<Fairness>,
        limits: Limits,
    ) -> Result<Subject<PropertyRuns>, NotPrepared> {
        let model = &job.loaded.model;
        let assumptions = &job.loaded.assumptions;
        let is_finite = finite_runs(model, property, job.options) == FiniteRuns::Stutter;
        check.runs = match fairness {
            Some(Fairness::Strong) => RunsThatCount::ByPairs,
            Some(_) => RunsThatCount::BySets,
            None => RunsThatCount::All,
        };
        let (mut goal, propositions, assumed) =
            goal(model, property, assumptions, *check, limits).map_err(|none| match none {
                NoGoal::Refused(reason) => NotPrepared::refused(reason),
                NoGoal::GivenUp(reason) => NotPrepared::Stopped(reason),
                NoGoal::Stopped(reason) => NotPrepared::Stopped(job.describe(reason)),
                NoGoal::Internal(reason) => {
                    InternalError::Refuted { message: property.name(), reason }.into()
                }
            })?;
        let rules = RunRules { fairness: None, assumptions: assumed.marks() };
        check.runs = match (check.runs, &rules.assumptions) {
            (RunsThatCount::ByPairs, _) => RunsThatCount::ByPairs,
            _ if rules.have_pairs() => RunsThatCount::ByPairs,
            (RunsThatCount::All, None) => RunsThatCount::All,
            _ => RunsThatCount::BySets,
        };
        // What a finite run decides, fairness does not change: every run can go on in a fair way.
        let decides = matches!(fairness, Some(Fairness::Weak | Fairness::Strong))
            && is_finite
            && assumed.is_nothing()
            && goal.facts().strength == Strength::Terminal;
        let fairness = fairness.filter(|_| !decides);
        if check.runs != RunsThatCount::All
            && !decides
            && let Some(reason) = refused_among_some(job.options)
        {
            return Err(NotPrepared::refused(reason));
        }
        if job.options.precompute && check.runs != RunsThatCount::All && !decides {
            let reason = "`--precompute` is an experiment with products in which all runs count".to_string();
            return Err(NotPrepared::refused(reason));
        }
        if decides {
            check.runs = RunsThatCount::All;
        }
        let chosen = goal
            .choose(*check, limits)
            .map_err(|(algorithm, reason)| NotPrepared::Refused { algorithm, reason })?;
        if job.checkpoints().is_some()
            && let Some(reason) = crate::checkpoint::refused_by(chosen.check)
        {
            return Err(NotPrepared::Refused { algorithm: chosen.name(), reason });
        }
        let facts = goal.facts();
        let automaton = PropertyAutomaton::new(&goal.automaton, &goal.bdds, |variable| variable);
        let tells_steps = counts_steps(property).or_else(|| assumed.counts_steps());
        let not_reduced = match fairness {
            _ if !job.options.reduce => None,
            Some(_) => Some("fairness looks at every process"),
            None => assumed.counts_steps().or_else(|| match goal.is_stutter_invariant(limits) {
                true => None,
                false => tells_steps.or(Some("the formula tells stuttering apart")),
            }),
        };
        Ok(Subject {
            model: Model { propositions, ..model.clone() },
            not_reduced,
            counts_steps: match fairness.is_some() && job.options.units.has_statements() {
                true => Some("fairness is about statements"),
                false => tells_steps,
            },
            observer: None,
            beside: PropertyRuns {
                goal,
                chosen,
                facts,
                automaton,
                fairness,
                assumed,
                fairness_is_idle: decides,
            },
        })
    }
}

/// The runs that are looked for, the conditions that the propositions stand for, and what is assumed.
fn goal(
    model: &Model,
    property: &Property,
    assumptions: &[Tree],
    check: CheckOptions,
    limits: Limits,
) -> Result<(Goal, Vec<Proposition>, Assumed), NoGoal> {
    let mut formulas = Formulas::new();
    if let Some(formula) = property.goal(&mut formulas) {
        let mut assumed = Assumed::new(assumptions, formulas);
        let propositions = lowered(model, assumed.formulas.propositions())?;
        let formula = assumed.with_rest(formula);
        return Ok((
            Goal::by_formula(assumed.formulas.clone(), formula, check, limits)?,
            propositions,
            assumed,
        ));
    }
    let (mut automaton, mut bdds, mut propositions) = match property {
        Property::Never { claim, .. } => {
            let claim = automaton_of(&model.claims[*claim].automaton).map_err(NoGoal::Refused)?;
            let ClaimAutomaton { automaton, bdds, propositions, .. } = claim;
            (automaton, bdds, propositions)
        }
        Property::Claim(claim) => {
            let propositions = lowered(model, &claim.automaton.propositions)?;
            (claim.automaton.clone(), claim.bdds.clone(), propositions)
        }
        _ => return Err(NoGoal::Internal("a property without a formula".to_string())),
    };
    if assumptions.is_empty() {
        let assumed = Assumed::new(assumptions, formulas);
        return Ok((Goal::by_automaton(automaton, bdds, limits), propositions, assumed));
    }
    // Texts of a claim's propositions need not be different; numbers are.
    let own = propositions.len();
    for number in 0..own {
        formulas.proposition(&format!("claim {number}"));
    }
    let mut assumed = Assumed::new(assumptions, formulas);
    propositions.extend(lowered(model, &assumed.formulas.propositions()[own..])?);
    automaton.propositions = propositions.iter().map(|proposition| proposition.text.clone()).collect();
    if !assumed.rest.is_empty() {
        let rest = assumed.with_rest(Formula::TRUE);
        let satisfied = Goal::by_formula(assumed.formulas.clone(), rest, check, limits)?;
        automaton = both(&mut bdds, &automaton, &satisfied.automaton, &satisfied.bdds).ok_or_else(|| {
            NoGoal::GivenUp("the claim and the assumptions have too many acceptance sets".to_string())
        })?;
    }
    Ok((Goal::by_automaton(automaton, bdds, limits), propositions, assumed))
}

/// The conditions that these propositions stand for.
fn lowered(model: &Model, texts: &[String]) -> Result<Vec<Proposition>, NoGoal> {
    let lower = |text: &String| match properties::proposition(model, text) {
        Some(value) => Ok(Proposition { text: text.clone(), value }),
        None => Err(NoGoal::Internal(format!("the proposition `{text}` was not lowered"))),
    };
    texts.iter().map(lower).collect()
}

/// A model that is ready to be searched, and what runs beside it.
pub(crate) struct Prepared<'a, B> {
    pub engine: ReadyModel<'a>,
    pub beside: &'a B,
    /// What was done to the model, if something was asked for.
    pub simplified: Option<Simplified>,
    /// Why of each state all processes are followed, if that was not asked for.
    not_reduced: Option<&'static str>,
    with_profile: bool,
    /// Where states are kept, if it is a store that numbers them; and how much memory there is.
    store: (StoreOptions, Option<u64>),
}

/// Makes everything ready that a search needs, and lets it begin; unless there is no point in it: the time is
/// up already, somebody has interrupted, or the system gives too little memory.
pub(crate) fn prepare<'a, B, T>(
    job: &Job<'a>,
    subject: impl FnOnce(&Job<'a>) -> Result<Subject<B>, NotPrepared>,
    work: impl FnOnce(Prepared<B>) -> Result<T, InternalError>,
) -> Result<T, NotPrepared> {
    if let Some(reason) = job.limits().look(MemoryUse::default()) {
        return Err(NotPrepared::Stopped(job.describe(reason)));
    }
    let Subject { model, counts_steps, not_reduced, observer, beside } = subject(job)?;
    let options = job.options;
    let (model, simplified) = simplified(model, counts_steps, options);
    let interpreter = match observer {
        None => Interpreter::new(&model),
        Some(claim) => Interpreter::observed(&model, claim).map_err(NotPrepared::refused)?,
    };
    let patience = options.patience(job.start, job.interrupt);
    if options.number_all {
        interpreter.packer().close_lists(Closing::Never);
    }
    let resumed = take_over(job, &interpreter)?;
    let is_shortest = options.order == SearchOrder::BreadthFirst;
    let mut size = Size::Small;
    let reduction = match not_reduced {
        _ if !options.reduce => Err(None),
        Some(reason) => Err(Some(reason)),
        None if is_shortest => Err(Some("a shortest run of a reduced model need not be a shortest one")),
        None => Reduction::new(&interpreter)
            .and_then(|reduction| match resumed {
                None => {
                    let interpreter = interpreter.clone().with_patience(patience);
                    let (loosened, seen) = loosened(reduction, &interpreter, patience);
                    size = seen;
                    loosened
                }
                Some(Some(loose)) => reduction.with_loose(loose).ok_or(NOT_OF_USE),
                Some(None) => Err(NOT_OF_USE),
            })
            .map_err(|NotReduced(reason)| Some(reason)),
    };
    let (reduction, not_reduced) = match reduction {
        Ok(reduction) => (Some(reduction), None),
        Err(reason) => (None, reason),
    };
    let engine = ReadyModel::new(
        interpreter,
        reduction,
        options.engine,
        options.no_recall,
        options.store.remembered(),
        patience,
        job.limits(),
    )
    .map_err(InternalError::NotCompiled)?;
    match size {
        Size::Seen(states) => engine.interpret_at_least(states),
        Size::Small => {}
        Size::Large => engine.compile_soon(),
    }
    if let Some(checkpoints) = job.checkpoints() {
        let gain = checkpoints
            .read(|from| engine.gain_so_far(|| from.number().ok()).ok_or_else(Unreadable::damaged));
        gain.transpose().map_err(|error| cannot_go_on(job, &error))?;
    }
    let with_profile = options.profile;
    let store = (options.store, job.limits().max_memory);
    Ok(work(Prepared { engine, beside: &beside, simplified, not_reduced, with_profile, store })?)
}

/// If the search goes on from a checkpoint: takes over the tables that are there. Then also whether the model
/// was reduced, and which of its process types are loose.
fn take_over(job: &Job, interpreter: &Interpreter) -> Result<Option<Option<Vec<bool>>>, NotPrepared> {
    let Some(checkpoints) = job.checkpoints() else { return Ok(None) };
    let taken = checkpoints.read(|from| {
        let tables = interpreter.packer().take_over_tables(&mut || from.number().ok());
        tables.ok_or_else(|| Unreadable("its tables are not those of the model".to_string()))?;
        if !from.flag()? {
            return Ok(None);
        }
        (0..from.number()?).map(|_| from.flag()).collect::<Result<Vec<bool>, Unreadable>>().map(Some)
    });
    taken.transpose().map_err(|error| cannot_go_on(job, &error))
}

/// There is something wrong with the checkpoint.
fn cannot_go_on(job: &Job, error: &Unreadable) -> NotPrepared {
    let path = job.checkpoints().map(|checkpoints| checkpoints.path().display().to_string());
    NotPrepared::refused(format!("the search cannot go on from {}: {error}", path.unwrap_or_default()))
}

/// What is done with a model and an empty store, whichever store it is.
pub(crate) trait InStore {
    /// What comes of it.
    type Done;

    fn run<M: SuccessorFunction, S: StateStore>(self, model: &M, store: S) -> Self::Done;

    /// The same in the usual store, for several threads if they are asked for; what makes it faster may be
    /// compiled for it alone.
    fn run_together<M: Workers, S: SharedStore>(self, model: &M, store: S) -> Self::Done
    where
        Self: Sized,
    {
        self.run(model, store)
    }

    /// The same in a store that several threads can only use in turns.
    fn run_in_turns<M: Workers>(self, model: &M, store: AutoStore) -> Self::Done
    where
        Self: Sized,
    {
        self.run(model, store)
    }
}

impl<B> Prepared<'_, B> {
    /// What came of it that of each state only some processes were to be followed, if that was asked for.
    pub fn reduced(&self) -> Option<Reduced> {
        self.engine.reduced().or_else(|| self.not_reduced.map(Reduced::Not))
    }

    /// Searches the model in the store that numbers states; also where the time went, if that was asked for.
    pub fn search<W: InStore>(&self, work: W) -> (W::Done, Option<SearchProfile>) {
        let (options, max_memory) = self.store;
        // The usual case is compiled by itself.
        if options.kind == StoreKind::Exact && !self.with_profile {
            return (work.run_together(&self.engine, ExactStore::within(max_memory)), None);
        }
        let store = options.numbered(max_memory);
        if !self.with_profile {
            return (work.run_in_turns(&self.engine, store), None);
        }
        let clocks = Clocks::default();
        let model = TimedModel { model: &self.engine, clocks: &clocks };
        let store = TimedStore { store, clocks: &clocks };
        let begin = Instant::now();
        let done = work.run(&model, store);
        (done, Some(clocks.profile(begin.elapsed())))
    }
}

/// Searches states in the order that was asked for: the name of the search, and what it found.
pub(crate) fn search_states<M: SuccessorFunction, S: StateStore>(
    options: &Options,
    model: &M,
    store: &mut S,
    question: Question,
    limits: Limits,
    progress: Option<&mut dyn FnMut(&Progress)>,
) -> (&'static str, Outcome) {
    let search = match options.order {
        SearchOrder::DepthFirst => SearchKind::DepthFirst,
        SearchOrder::BreadthFirst => SearchKind::BreadthFirst,
    };
    let outcome = match (search, in_order(options)) {
        (SearchKind::DepthFirst, Some(in_order)) => {
            depth_first_in_order(model, store, question, limits, progress, in_order)
        }
        _ => search.run(model, store, question, limits, progress),
    };
    (search.description().name, outcome)
}

/// The same by several threads, where there are several and the order need not be kept.
pub(crate) fn search_states_together<M: Workers, S: SharedStore>(
    options: &Options,
    model: &M,
    store: &mut S,
    question: Question,
    limits: Limits,
    progress: Option<&mut dyn FnMut(&Progress)>,
) -> (&'static str, Outcome) {
    let threads = options.threads.count();
    let after = options.threads.in_order.unwrap_or(IN_ORDER);
    match options.order {
        SearchOrder::BreadthFirst => {
            let outcome = breadth_first_together(model, store, question, limits, progress, after, threads);
            (SearchKind::BreadthFirst.description().name, outcome)
        }
        SearchOrder::DepthFirst if !options.in_order => {
            let outcome = depth_first_together(model, store, question, limits, progress, after, threads);
            (SearchKind::DepthFirst.description().name, outcome)
        }
        SearchOrder::DepthFirst => search_states(options, model, store, question, limits, progress),
    }
}

/// The same in a store that several threads can only use in turns; level by level one thread searches.
pub(crate) fn search_states_in_turns<M: Workers, S: StateStore + Send>(
    options: &Options,
    model: &M,
    store: &mut S,
    question: Question,
    limits: Limits,
    progress: Option<&mut dyn FnMut(&Progress)>,
) -> (&'static str, Outcome) {
    if options.order != SearchOrder::DepthFirst || options.in_order {
        return search_states(options, model, store, question, limits, progress);
    }
    let threads = options.threads.count();
    let after = options.threads.in_order.unwrap_or(IN_ORDER);
    let outcome = depth_first_in_turns(model, store, question, limits, progress, after, threads);
    (SearchKind::DepthFirst.description().name, outcome)
}

/// How many states are searched in order, if that is said.
fn in_order(options: &Options) -> Option<u64> {
    if options.in_order { Some(u64::MAX) } else { options.threads.in_order }
}
