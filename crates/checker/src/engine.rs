//! Which engine runs a model: the interpreter, machine code, or first one and then the other.
//!
//! Both engines give the same states in the same order, byte for byte. So a search need not decide
//! beforehand: [`Engine::Auto`] interprets the first few thousand states, and compiles the model when it
//! turns out to have more. Small models are checked before a compiler would be done; of large ones nobody
//! notices the beginning.

use crate::check::InternalError;
use crate::options::Engine;
use lariat_compiled::{CompiledModel, StepSource};
use lariat_engine::reduction::Reduction;
use lariat_engine::{Interpreter, Moment, Patience, SuccessorFunction, Successors, Valuation, Violation};
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

/// So many more when a run that was found is made shorter and judged.
const INTERPRETED_AFTERWARDS: u64 = 20_000;

/// The work of one function that is compiled, as lookouts count.
const WORK_PER_FUNCTION: i64 = 1 << 12;

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
    /// How many states were expanded, and of how many of them only some processes were followed; where the
    /// model is reduced.
    expanded: Cell<u64>,
    reduced: Cell<u64>,
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
            expanded: Cell::default(),
            reduced: Cell::default(),
            limits,
        };
        if engine == Engine::Compiled {
            ready.compile()?;
        }
        Ok(ready)
    }

    pub fn interpreter(&self) -> &Interpreter<'m> {
        &self.interpreter
    }

    /// Of how many of the states that were expanded, and of how many in all, only some processes were
    /// followed; where the model is reduced.
    pub fn reduced(&self) -> Option<(u64, u64)> {
        self.limited.reduction().map(|_| (self.reduced.get(), self.expanded.get()))
    }

    /// The model, expanded without counting, and reduced if it is.
    fn expand(&self, state: &[u8], sleeping: u32, out: &mut Successors) {
        match self.compiled.get() {
            Some(compiled) => compiled.awake_successors(state, sleeping, out),
            None => self.interpret(state, out),
        }
    }

    #[cold]
    #[inline(never)]
    fn count_reduced(&self, out: &Successors) {
        self.expanded.set(self.expanded.get() + 1);
        self.reduced.set(self.reduced.get() + u64::from(out.is_reduced()));
    }

    /// More states may be interpreted, if the model has not been compiled yet: what follows a search is
    /// short.
    pub fn interpret_more(&self) {
        self.interpreted_left.set(self.interpreted_left.get().saturating_add(INTERPRETED_AFTERWARDS));
    }

    /// The engine that has run the model in the end.
    pub fn name(&self) -> &'static str {
        if self.compiled.get().is_some() { "compiled" } else { "interpreted" }
    }

    /// How long the compiler has taken.
    pub fn compile_time(&self) -> Duration {
        self.compile_time.get()
    }

    /// If a limit is hit meanwhile, the model is interpreted: the search will notice it at once.
    #[cold]
    fn compile(&self) -> Result<(), String> {
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
        let compiled = match CompiledModel::unless(self.limited.clone(), &stop) {
            Err(_) if is_stopped.get() => {
                self.interpreted_left.set(u64::MAX);
                return Ok(());
            }
            result => result.map_err(|reason| reason.0)?,
        };
        let compiled = if self.no_recall { compiled.only_by(StepSource::Execute) } else { compiled };
        self.compile_time.set(start.elapsed());
        let _ = self.compiled.set(Box::new(compiled));
        Ok(())
    }

    #[cold]
    fn interpret(&self, state: &[u8], out: &mut Successors) {
        match self.interpreted_left.get() {
            // If it cannot be compiled, it is interpreted to the end.
            0 if self.compile().is_err() => self.interpreted_left.set(u64::MAX),
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
        self.awake_successors(state, 0, out);
    }

    #[inline]
    fn awake_successors(&self, state: &[u8], sleeping: u32, out: &mut Successors) {
        if self.limited.reduction().is_none() {
            return self.expand(state, sleeping, out);
        }
        // Which process sleeps depends on the way: what is followed must not.
        self.expand(state, 0, out);
        self.count_reduced(out);
    }

    fn look_at(&self, state: &[u8], moment: Moment, valuation: &mut Valuation) {
        match self.compiled.get() {
            Some(compiled) => compiled.look_at(state, moment, valuation),
            None => self.limited.look_at(state, moment, valuation),
        }
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

    fn add_reached(&self, reached: &mut Vec<Vec<bool>>) {
        if let Some(compiled) = self.compiled.get() {
            compiled.add_reached(reached);
        }
    }
}
