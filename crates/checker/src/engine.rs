//! Which engine runs a model: the interpreter, machine code, or first one and then the other.
//!
//! Both engines give the same states in the same order, byte for byte. So a search need not decide
//! beforehand: [`Engine::Auto`] interprets the first few thousand states, and compiles the model when it
//! turns out to have more: first what is executed most, and never what is hardly executed. Small models are
//! checked before a compiler would be done; of large ones nobody notices the beginning.

use crate::check::InternalError;
use crate::options::Engine;
use crate::report::Reduced;
use lariat_compiled::{CompiledModel, StepSource, When};
use lariat_engine::reduction::Reduction;
use lariat_engine::{
    Capacity, Interpreter, Moment, Patience, SuccessorFunction, Successors, Valuation, Violation, Workers,
};
use lariat_model::ir::Model;
use lariat_search::{Limits, Lookout, MemoryUse};
use std::cell::{Cell, OnceCell, RefCell};
use std::time::{Duration, Instant};

/// The machine code that a model is compiled to, with a heading for each piece.
pub fn machine_code(model: &Model) -> Result<String, InternalError> {
    let compiled = CompiledModel::with_listing(Interpreter::new(model), true)
        .map_err(|reason| InternalError::NotCompiled(reason.0))?;
    Ok(compiled.listing().unwrap_or_default().to_string())
}

/// So many states are interpreted before the model is compiled.
const INTERPRETED_FIRST: u64 = 4_000;

/// Only so many of a model that is known to be large.
const INTERPRETED_OF_LARGE: u64 = 1_000;

/// So many more when a run that was found is made shorter and judged.
const INTERPRETED_AFTERWARDS: u64 = 20_000;

/// After so many executions a location is compiled.
const HOT: u32 = 64;

/// The work of one function that is compiled, as lookouts count.
const WORK_PER_FUNCTION: i64 = 1 << 12;

/// Of the states of which only some processes are followed, all steps of the first are counted, and later
/// those of one in so many.
const SAMPLED_FIRST: u64 = 64;
const SAMPLED: u64 = 1 << 10;

/// What reduction has come to.
#[derive(Default)]
struct Gain<'m> {
    /// States that were expanded, and those of them of which only some processes were followed.
    expanded: Cell<u64>,
    reduced: Cell<u64>,
    /// The steps of all of these, and of the latter.
    steps: Cell<u64>,
    kept: Cell<u64>,
    /// In a sample of the latter: the same, and how many there would have been.
    sampled_kept: Cell<u64>,
    sampled_all: Cell<u64>,
    /// The model without reduction.
    full: RefCell<Option<Interpreter<'m>>>,
    /// The search is over. What is looked at later, when a run is made short and judged, does not count.
    is_over: Cell<bool>,
}

/// Whether all steps are counted of some states.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sampling {
    Some,
    /// Of none: which ones that would be depends on an order that is an accident.
    None,
}

impl Gain<'_> {
    /// What reduction has come to in a state.
    fn count(&self, out: &Successors) {
        add(&self.expanded, 1);
        add(&self.steps, out.len() as u64);
        if out.is_reduced() {
            add(&self.kept, out.len() as u64);
            add(&self.reduced, 1);
        }
    }

    fn counts(&self) -> [&Cell<u64>; 6] {
        [&self.expanded, &self.reduced, &self.steps, &self.kept, &self.sampled_kept, &self.sampled_all]
    }

    /// The share of all steps that were left out, as the sample tells.
    fn left_out(&self) -> f64 {
        let [steps, kept, sampled_kept, sampled_all] =
            [&self.steps, &self.kept, &self.sampled_kept, &self.sampled_all].map(|count| count.get() as f64);
        let left_out = kept * (sampled_all / sampled_kept.max(1.0) - 1.0).max(0.0);
        left_out / (steps + left_out).max(1.0)
    }
}

fn add(count: &Cell<u64>, more: u64) {
    count.set(count.get() + more);
}

/// A model that is ready to run.
pub(crate) struct ReadyModel<'m> {
    /// It has limits within a step.
    limited: Interpreter<'m>,
    /// The same without them, for replay: what has been found can be executed.
    interpreter: Interpreter<'m>,
    compiled: OnceCell<Box<CompiledModel<'m>>>,
    /// States that are still to be interpreted before the model is compiled.
    interpreted_left: Cell<u64>,
    compile_time: Cell<Duration>,
    /// Machine code remembers nothing.
    no_recall: bool,
    /// And no more than this.
    capacity: Capacity,
    /// What reduction has come to, where the model is reduced.
    gain: Gain<'m>,
    /// Within which it is compiled.
    limits: Limits<'m>,
}

impl<'m> ReadyModel<'m> {
    /// An error says why the model cannot be compiled although that was asked for.
    pub fn new(
        interpreter: Interpreter<'m>,
        reduction: Option<Reduction<'m>>,
        engine: Engine,
        no_recall: bool,
        capacity: Capacity,
        patience: Patience<'m>,
        limits: Limits<'m>,
    ) -> Result<ReadyModel<'m>, String> {
        let interpreted = match engine {
            Engine::Auto => INTERPRETED_FIRST,
            Engine::Compiled => 0,
            Engine::Interpreted => u64::MAX,
        };
        let limited = interpreter.clone().with_patience(patience);
        let ready = ReadyModel {
            limited: match reduction {
                Some(reduction) => limited.with_reduction(reduction),
                None => limited,
            },
            interpreter,
            compiled: OnceCell::new(),
            interpreted_left: Cell::new(interpreted),
            compile_time: Cell::default(),
            no_recall,
            capacity,
            gain: Gain::default(),
            limits,
        };
        if engine == Engine::Compiled {
            ready.compile(When::Beforehand)?;
        }
        Ok(ready)
    }

    /// What reduction had come to, where a search goes on.
    pub fn gain_so_far(&self, mut next: impl FnMut() -> Option<u64>) -> Option<()> {
        for count in self.gain.counts() {
            count.set(next()?);
        }
        Some(())
    }

    pub fn interpreter(&self) -> &Interpreter<'m> {
        &self.interpreter
    }

    /// What reduction has come to, where the model is reduced.
    pub fn reduced(&self) -> Option<Reduced> {
        self.limited.reduction().map(|_| Reduced::States {
            reduced: self.gain.reduced.get(),
            expanded: self.gain.expanded.get(),
            left_out: self.gain.left_out(),
        })
    }

    /// The model, expanded without counting, and reduced if it is.
    fn expand(&self, state: &[u8], sleeping: u32, out: &mut Successors) {
        match self.compiled.get() {
            Some(compiled) => compiled.awake_successors(state, sleeping, out),
            None => self.interpret(state, out),
        }
    }

    /// Counts what reduction has come to in a state.
    fn count_reduced(&self, state: &[u8], sampling: Sampling, out: &Successors) {
        if self.gain.is_over.get() {
            return;
        }
        let reduced = &self.gain.reduced;
        if out.is_reduced()
            && sampling == Sampling::Some
            && (reduced.get() < SAMPLED_FIRST || reduced.get().is_multiple_of(SAMPLED))
        {
            self.sample_steps(state, out);
        }
        self.gain.count(out);
    }

    /// Counts all steps of a state of which only some processes were followed.
    #[cold]
    #[inline(never)]
    fn sample_steps(&self, state: &[u8], out: &Successors) {
        let mut all = Successors::new();
        let full = self.gain.full.borrow_mut().take().unwrap_or_else(|| self.limited.clone().unreduced());
        full.successors(state, &mut all);
        if !all.was_cut() {
            add(&self.gain.sampled_kept, out.len() as u64);
            add(&self.gain.sampled_all, all.len() as u64);
        }
        *self.gain.full.borrow_mut() = Some(full);
    }

    /// From now on all processes of a state are followed, or only some again where that is enough. Runs are
    /// made short among all runs of the model.
    pub fn follow_all(&self, all: bool) {
        self.limited.follow_all(all);
        if let Some(compiled) = self.compiled.get() {
            compiled.interpreter().follow_all(all);
        }
    }

    /// The search is over. More states may be interpreted, if the model has not been compiled yet: what
    /// follows a search is short.
    pub fn interpret_more(&self) {
        self.gain.is_over.set(true);
        self.interpreted_left.set(self.interpreted_left.get().saturating_add(INTERPRETED_AFTERWARDS));
    }

    /// The model has many states: fewer of them are interpreted before it is compiled.
    pub fn compile_soon(&self) {
        if self.interpreted_left.get() == INTERPRETED_FIRST {
            self.interpreted_left.set(INTERPRETED_OF_LARGE);
        }
    }

    /// The model has just so many states, which were all interpreted once already: to do that again takes
    /// less time than a compiler. With an automaton beside it, a state may come twice.
    pub fn interpret_at_least(&self, states: usize) {
        if self.interpreted_left.get() == INTERPRETED_FIRST {
            self.interpreted_left.set(INTERPRETED_FIRST.max(2 * states as u64));
        }
    }

    /// The engine that has run the model in the end.
    pub fn name(&self) -> &'static str {
        if self.compiled.get().is_some() { "compiled" } else { "interpreted" }
    }

    /// How long the compiler has taken.
    pub fn compile_time(&self) -> Duration {
        let later = self.compiled.get().map_or(Duration::ZERO, |compiled| compiled.compile_time());
        self.compile_time.get() + later
    }

    /// If a limit is hit meanwhile, the model is interpreted: the search will notice it at once.
    #[cold]
    fn compile(&self, when: When) -> Result<(), String> {
        let start = Instant::now();
        let lookout = RefCell::new(Lookout::new(self.limits));
        let is_stopped = Cell::new(false);
        let stop = || {
            let mut lookout = lookout.borrow_mut();
            if lookout.is_due(WORK_PER_FUNCTION) && lookout.look(MemoryUse::default()).is_some() {
                is_stopped.set(true);
            }
            is_stopped.get()
        };
        let compiled = match CompiledModel::unless(self.limited.clone(), when, &stop) {
            Err(_) if is_stopped.get() => {
                self.interpreted_left.set(u64::MAX);
                return Ok(());
            }
            result => result.map_err(|reason| reason.0)?,
        };
        let compiled = compiled.with_capacity(self.capacity);
        let compiled = if self.no_recall { compiled.only_by(StepSource::Execute) } else { compiled };
        self.compile_time.set(start.elapsed());
        let _ = self.compiled.set(Box::new(compiled));
        Ok(())
    }

    #[cold]
    fn interpret(&self, state: &[u8], out: &mut Successors) {
        match self.interpreted_left.get() {
            // If it cannot be compiled, it is interpreted to the end.
            0 if self.compile(When::Hot(HOT)).is_err() => self.interpreted_left.set(u64::MAX),
            0 if self.compiled.get().is_some() => return self.expand(state, 0, out),
            0 => {}
            left => self.interpreted_left.set(left - 1),
        }
        self.limited.successors(state, out);
    }
}

impl SuccessorFunction for ReadyModel<'_> {
    fn initial_state(&self) -> Result<Vec<u8>, Violation> {
        self.limited.initial_state()
    }

    #[inline]
    fn successors(&self, state: &[u8], out: &mut Successors) {
        self.expand(state, 0, out);
        if self.limited.reduction().is_some() {
            self.count_reduced(state, Sampling::Some, out);
        }
    }

    #[inline]
    fn awake_successors(&self, state: &[u8], sleeping: u32, out: &mut Successors) {
        if self.limited.reduction().is_none() {
            return self.expand(state, sleeping, out);
        }
        // Which process sleeps depends on the way: what is followed must not.
        self.expand(state, 0, out);
        self.count_reduced(state, Sampling::None, out);
    }

    fn begins_again(&self) {
        self.gain.is_over.set(false);
        self.gain.counts().into_iter().for_each(|count| count.set(0));
    }

    fn is_counted(&self) {
        self.gain.is_over.set(true);
    }

    fn look_at(&self, state: &[u8], moment: Moment, valuation: &mut Valuation) {
        match self.compiled.get() {
            Some(compiled) => compiled.look_at(state, moment, valuation),
            None => self.limited.look_at(state, moment, valuation),
        }
    }

    #[inline]
    fn known_truths(&self, state: &[u8]) -> Option<u64> {
        self.compiled.get().and_then(|compiled| compiled.known_truths(state))
    }

    fn is_true(&self, proposition: usize, valuation: &mut Valuation) -> Result<bool, Violation> {
        match self.compiled.get() {
            Some(compiled) => compiled.is_true(proposition, valuation),
            None => self.limited.is_true(proposition, valuation),
        }
    }

    fn memory_size(&self) -> usize {
        self.limited.memory_size()
    }

    fn own_bytes(&self) -> u64 {
        self.compiled.get().map_or_else(|| self.limited.own_bytes(), |compiled| compiled.own_bytes())
    }

    fn vector_bits(&self) -> Option<f64> {
        self.limited.vector_bits()
    }

    fn may_diverge(&self) -> bool {
        self.limited.may_diverge()
    }

    fn tells_repetition(&self) -> bool {
        self.limited.tells_repetition()
    }

    fn living(&self, state: &[u8], out: &mut Vec<(u16, u16)>) {
        self.limited.living(state, out);
    }

    fn may_end(&self, state: &[u8]) -> bool {
        self.limited.may_end(state)
    }

    fn wrong_end(&self, state: &[u8]) -> Option<Violation> {
        self.limited.wrong_end(state)
    }

    /// The tables, how the model is reduced, and what that has come to.
    fn tell_tables(&self, each: &mut dyn FnMut(u64)) {
        self.limited.tell_tables(each);
        each(u64::from(self.limited.reduction().is_some()));
        if let Some(reduction) = self.limited.reduction() {
            each(reduction.loose().len() as u64);
            reduction.loose().iter().for_each(|loose| each(u64::from(*loose)));
        }
        self.gain.counts().into_iter().for_each(|count| each(count.get()));
    }

    fn add_reached(&self, reached: &mut Vec<Vec<bool>>) {
        if let Some(compiled) = self.compiled.get() {
            compiled.add_reached(reached);
        }
    }
}

/// A worker for another thread.
pub(crate) struct ReadyWorker<'m> {
    engine: WorkerEngine<'m>,
    gain: Gain<'m>,
}

enum WorkerEngine<'m> {
    Compiled(Box<CompiledModel<'m>>),
    Interpreted(Box<Interpreter<'m>>),
}

impl<'m> Workers for ReadyModel<'m> {
    type Worker = ReadyWorker<'m>;

    /// It runs machine code if this one does now, and interprets to the end if not.
    fn another_worker(&self) -> ReadyWorker<'m> {
        let engine = match self.compiled.get() {
            Some(compiled) => WorkerEngine::Compiled(Box::new(compiled.another_worker())),
            None => WorkerEngine::Interpreted(Box::new(self.limited.clone())),
        };
        ReadyWorker { engine, gain: Gain::default() }
    }

    fn take_back(&self, worker: ReadyWorker<'m>) {
        for (count, more) in self.gain.counts().into_iter().zip(worker.gain.counts()) {
            add(count, more.get());
        }
    }
}

impl<'m> ReadyWorker<'m> {
    #[inline]
    fn interpreter(&self) -> &Interpreter<'m> {
        match &self.engine {
            WorkerEngine::Compiled(compiled) => compiled.interpreter(),
            WorkerEngine::Interpreted(interpreter) => interpreter,
        }
    }
}

/// The same of both engines.
macro_rules! by_engine {
    ($worker:expr, $model:ident => $work:expr) => {
        match &$worker.engine {
            WorkerEngine::Compiled($model) => $work,
            WorkerEngine::Interpreted($model) => $work,
        }
    };
}

impl SuccessorFunction for ReadyWorker<'_> {
    fn initial_state(&self) -> Result<Vec<u8>, Violation> {
        self.interpreter().initial_state()
    }

    #[inline]
    fn successors(&self, state: &[u8], out: &mut Successors) {
        self.awake_successors(state, 0, out);
    }

    #[inline]
    fn awake_successors(&self, state: &[u8], sleeping: u32, out: &mut Successors) {
        if self.interpreter().reduction().is_none() {
            return by_engine!(self, model => model.awake_successors(state, sleeping, out));
        }
        by_engine!(self, model => model.successors(state, out));
        self.gain.count(out);
    }

    fn look_at(&self, state: &[u8], moment: Moment, valuation: &mut Valuation) {
        by_engine!(self, model => model.look_at(state, moment, valuation));
    }

    #[inline]
    fn known_truths(&self, state: &[u8]) -> Option<u64> {
        by_engine!(self, model => model.known_truths(state))
    }

    fn is_true(&self, proposition: usize, valuation: &mut Valuation) -> Result<bool, Violation> {
        by_engine!(self, model => model.is_true(proposition, valuation))
    }

    fn memory_size(&self) -> usize {
        self.interpreter().memory_size()
    }

    fn own_bytes(&self) -> u64 {
        by_engine!(self, model => model.own_bytes())
    }

    fn vector_bits(&self) -> Option<f64> {
        self.interpreter().vector_bits()
    }

    fn may_diverge(&self) -> bool {
        self.interpreter().may_diverge()
    }

    fn tells_repetition(&self) -> bool {
        self.interpreter().tells_repetition()
    }

    fn living(&self, state: &[u8], out: &mut Vec<(u16, u16)>) {
        self.interpreter().living(state, out);
    }

    fn may_end(&self, state: &[u8]) -> bool {
        self.interpreter().may_end(state)
    }

    fn wrong_end(&self, state: &[u8]) -> Option<Violation> {
        self.interpreter().wrong_end(state)
    }

    fn add_reached(&self, reached: &mut Vec<Vec<bool>>) {
        by_engine!(self, model => model.add_reached(reached));
    }
}
