//! The state space of a model, for other tools.
//!
//! Two forms: Aldebaran's (`.aut`), which CADP, mCRL2 and LTSmin read, and Graphviz (`.dot`, `.gv`), for
//! people. States are numbered from 0, the initial one, level by level; transitions come in the order of the
//! states that they leave, and of these in the order of the model. A transition is labelled with the
//! statements that it executes: one, two for a handshake, more through an indivisible sequence. A step that
//! runs into an error leads nowhere, and is no transition.
//!
//! The states are explored once more, by the interpreter, which alone tells the statements; how many there
//! are is known from before, because the first line of an `.aut` file says it. If the second exploration
//! counts otherwise, that is an error of ours.

use crate::check::InternalError;
use crate::load::Loaded;
use crate::options::{Engine, Observer, Options};
use crate::prepare::{Job, NotPrepared, Subject, prepare};
use crate::trace::final_state;
use lariat_engine::{Interpreter, Step, SuccessorFunction, Successors};
use lariat_search::{Counts, Lookout, MemoryUse, WORK_PER_ARC, WORK_PER_STATE};
use lariat_store::{ExactStore, Inserted, StateStore, VisitedSet};
use lariat_verdict::counted;
use std::io::{self, Write};
use std::path::Path;

/// How a state space is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportForm {
    /// `.aut`
    Aldebaran,
    /// `.dot`, `.gv`
    Graphviz,
}

/// Graphviz lays out no more than this in a time that anybody would wait for.
const MOST_DRAWN_STATES: u64 = 2_000;
const MOST_DRAWN_TRANSITIONS: u64 = 10_000;

impl ExportForm {
    /// The form that the name of a file asks for.
    pub fn of(path: &Path) -> Option<ExportForm> {
        match path.extension()?.to_str()? {
            "aut" => Some(ExportForm::Aldebaran),
            "dot" | "gv" => Some(ExportForm::Graphviz),
            _ => None,
        }
    }

    /// Why so much cannot be written in this form, if it cannot.
    pub fn is_too_small_for(self, states: u64, transitions: u64) -> Option<String> {
        let is_small = states <= MOST_DRAWN_STATES && transitions <= MOST_DRAWN_TRANSITIONS;
        (self == ExportForm::Graphviz && !is_small).then(|| {
            format!(
                "Graphviz draws at most {} and {}, and there are {} and {}; a file `.aut` has no such limit",
                counted(MOST_DRAWN_STATES, "state"),
                counted(MOST_DRAWN_TRANSITIONS, "transition"),
                counted(states, "state"),
                counted(transitions, "transition")
            )
        })
    }
}

/// Why a state space was not written.
#[derive(Debug)]
pub enum NotExported {
    /// It cannot be done.
    Refused(String),
    /// A limit was hit.
    Stopped(String),
    /// What it is written to does not take it.
    Output(io::Error),
    /// An error of ours.
    Internal(InternalError),
}

/// Why the states of a model cannot be written, whatever they are.
pub fn refused(loaded: &Loaded) -> Option<&'static str> {
    (loaded.model.hidden_size > 0)
        .then_some("the model has hidden variables, so what a state leads to depends on the way to it")
}

/// Writes the state space of a model that has been explored with the same options, and had so many states and
/// transitions.
pub fn export_states(
    loaded: &Loaded,
    options: &Options,
    observer: Observer,
    form: ExportForm,
    explored: &Counts,
    out: &mut dyn Write,
) -> Result<(), NotExported> {
    let options =
        Options { engine: Engine::Interpreted, profile: false, checkpoint: None, ..options.clone() };
    let job = Job::begin(loaded, &options, observer.interrupt);
    let subject = |job: &Job| match refused(job.loaded) {
        Some(reason) => Err(NotPrepared::refused(reason.to_string())),
        None => Ok(Subject::states(&job.loaded.model)),
    };
    let written = prepare(&job, subject, |prepared| {
        let writing = Writing {
            interpreter: prepared.engine.interpreter(),
            form,
            out,
            lookout: Lookout::new(job.limits()),
        };
        let (states, transitions) = (explored.stored, explored.transitions);
        Ok(match writing.write(&prepared.engine, (states, transitions)) {
            Ok(found) if found == (states, transitions) => Ok(()),
            Ok((now, arcs)) => {
                let reason = format!(
                    "the second exploration has {now} states and {arcs} transitions, the first {states} and {transitions}"
                );
                let message = "the state space".to_string();
                Err(NotExported::Internal(InternalError::Refuted { message, reason }))
            }
            Err(Failure::Stopped(reason)) => Err(NotExported::Stopped(job.describe(reason))),
            Err(Failure::Output(error)) => Err(NotExported::Output(error)),
        })
    });
    match written {
        Ok(result) => result,
        Err(NotPrepared::Refused { reason, .. }) => Err(NotExported::Refused(reason)),
        Err(NotPrepared::Stopped(reason)) => Err(NotExported::Stopped(reason)),
        Err(NotPrepared::Internal(error)) => Err(NotExported::Internal(error)),
    }
}

enum Failure {
    Stopped(lariat_search::StopReason),
    Output(io::Error),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure::Output(error)
    }
}

struct Writing<'a, 'm> {
    interpreter: &'a Interpreter<'m>,
    form: ExportForm,
    out: &'a mut dyn Write,
    lookout: Lookout<'a>,
}

impl Writing<'_, '_> {
    /// Explores level by level, and writes what it meets. How many states and transitions there were.
    fn write(mut self, model: &impl SuccessorFunction, announced: (u64, u64)) -> Result<(u64, u64), Failure> {
        match self.form {
            ExportForm::Aldebaran => writeln!(self.out, "des (0, {}, {})", announced.1, announced.0)?,
            ExportForm::Graphviz => {
                let name = quoted(&self.interpreter.model().name);
                writeln!(self.out, "digraph {name} {{\n  node [shape=circle, fontsize=10];")?;
                writeln!(self.out, "  edge [fontsize=10];\n  start [shape=point];\n  start -> 0;")?;
            }
        }
        let mut store = ExactStore::new();
        // By the number that the store has given, the number in the file; and the other way round.
        let mut numbers: Vec<u32> = Vec::new();
        let mut order = Vec::new();
        let mut transitions = 0;
        let mut successors = Successors::new();
        let mut insert = |store: &mut ExactStore, order: &mut Vec<_>, state: &[u8]| {
            let inserted = store.insert(state);
            let id = inserted.id();
            if let Inserted::New(_) = inserted {
                numbers.resize(numbers.len().max(id.index() + 1), u32::MAX);
                numbers[id.index()] = order.len() as u32;
                order.push(id);
            }
            numbers[id.index()]
        };
        if let Ok(initial) = model.initial_state() {
            insert(&mut store, &mut order, &initial);
        }
        let mut at = 0;
        while let Some(&id) = order.get(at) {
            let state = store.get(id).to_vec();
            model.successors(&state, &mut successors);
            self.write_state(at, model, &state, &successors)?;
            for i in 0..successors.len() {
                let to = insert(&mut store, &mut order, successors.state(i));
                self.write_transition(at, to, &successors.steps(i))?;
            }
            transitions += successors.len() as u64;
            at += 1;
            let work = WORK_PER_STATE + successors.len() as i64 * WORK_PER_ARC;
            if self.lookout.is_due(work) {
                let own = (order.capacity() * size_of::<u32>() * 2) as u64 + model.own_bytes();
                let stored = store.states_bytes() + store.auxiliary_bytes();
                let held = MemoryUse { stored, own, upcoming: store.upcoming_bytes() };
                if let Some(reason) = self.lookout.look(held) {
                    return Err(Failure::Stopped(reason));
                }
            }
        }
        if self.form == ExportForm::Graphviz {
            writeln!(self.out, "}}")?;
        }
        Ok((order.len() as u64, transitions))
    }

    fn write_state(
        &mut self,
        number: usize,
        model: &impl SuccessorFunction,
        state: &[u8],
        successors: &Successors,
    ) -> io::Result<()> {
        if self.form == ExportForm::Aldebaran {
            return Ok(());
        }
        let shown = final_state(self.interpreter, &self.interpreter.micro_from(state));
        let mut facts: Vec<String> =
            shown.globals.iter().map(|item| format!("{} = {}", item.name, item.value)).collect();
        for process in shown.processes.iter().rev() {
            let place = match &process.state {
                Some(name) => format!("at {name}"),
                None => format!("in line {}", process.line),
            };
            facts.push(format!("{}({}) {place}", process.process, process.pid));
            let variables = process.variables.iter().map(|item| format!("  {} = {}", item.name, item.value));
            facts.extend(variables);
        }
        let look = match successors.something_happens() {
            true => "",
            false if model.may_end(state) => ", shape=doublecircle",
            false => ", shape=doublecircle, style=filled, fillcolor=\"#f4b6b6\"",
        };
        writeln!(self.out, "  {number} [tooltip={}{look}];", quoted(&facts.join("\n")))
    }

    fn write_transition(&mut self, from: usize, to: u32, steps: &[Step]) -> io::Result<()> {
        let processes = &self.interpreter.model().process_types;
        let mut label = String::new();
        for step in steps {
            let process = &processes[step.process_type as usize];
            let statement = &process.statements[self.interpreter.transition(*step).statement as usize];
            if !label.is_empty() {
                label.push_str("; ");
            }
            label.push_str(&format!("{}({}): {}", process.name, step.pid, statement.text));
        }
        match self.form {
            ExportForm::Aldebaran => writeln!(self.out, "({from}, {}, {to})", quoted(&in_one_line(&label))),
            ExportForm::Graphviz => writeln!(self.out, "  {from} -> {to} [label={}];", quoted(&label)),
        }
    }
}

/// What a form that is read line by line takes.
fn in_one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}
