//! Tiny models, written as text, and what becomes of them.

// Each test uses some of it.
#![allow(dead_code)]

use lariat_engine::{Interpreter, Step, SuccessorFunction, Successors, ViolationKind};
use lariat_model::ir::Model;
use lariat_model::text::parse;
use lariat_model::verify::verify;

/// The model of a text without its first lines, and without statement 0 and location 0 of the processes.
#[track_caller]
pub fn model(text: &str) -> Model {
    let mut full = "lariat-ir 1\nmodel \"m\"\n".to_string();
    for line in text.lines() {
        let is_first = |rest: &str| !rest.starts_with(|c: char| c.is_ascii_digit());
        if line.trim_start().strip_prefix("location 1").is_some_and(is_first) {
            full.push_str("statement 0 \"\"\nlocation 0\n");
        }
        full.push_str(line);
        full.push('\n');
    }
    let model = parse(&full).unwrap_or_else(|error| panic!("{error}\n{full}"));
    assert_eq!(verify(&model), Vec::<String>::new());
    model
}

/// What can happen in one state.
pub struct Outcome {
    pub states: Vec<Vec<u8>>,
    pub steps: Vec<Vec<Step>>,
    pub violations: Vec<(ViolationKind, String, Vec<Step>)>,
}

impl Outcome {
    /// Per successor, the numbers of the processes that moved.
    pub fn movers(&self) -> Vec<Vec<u16>> {
        self.steps.iter().map(|steps| steps.iter().map(|step| step.pid).collect()).collect()
    }

    /// Per successor, the indices of the transitions taken.
    pub fn transitions(&self) -> Vec<Vec<u32>> {
        self.steps.iter().map(|steps| steps.iter().map(|step| step.transition).collect()).collect()
    }

    pub fn messages(&self) -> Vec<&str> {
        self.violations.iter().map(|(_, message, _)| message.as_str()).collect()
    }
}

pub fn initial(interpreter: &Interpreter) -> Vec<u8> {
    interpreter.initial_state().unwrap_or_else(|violation| panic!("{violation:?}"))
}

pub fn outcome(interpreter: &Interpreter, state: &[u8]) -> Outcome {
    let mut out = Successors::new();
    interpreter.successors(state, &mut out);
    for i in 0..out.len() {
        assert_eq!(out.held(i), None, "a state within a sequence came out");
    }
    Outcome {
        states: (0..out.len()).map(|i| out.state(i).to_vec()).collect(),
        steps: (0..out.len()).map(|i| out.steps(i).into_owned()).collect(),
        violations: out.violations().map(|(v, steps)| (v.kind, v.message.clone(), steps.to_vec())).collect(),
    }
}

/// The state's variables and channels: `x=1 P(0):y=2 queue 1 (q)=[3]`.
pub fn show(interpreter: &Interpreter, state: &[u8]) -> String {
    let items = interpreter.describe(&interpreter.micro_from(state));
    let items: Vec<String> = items.into_iter().map(|item| format!("{}={}", item.name, item.value)).collect();
    items.join(" ")
}

/// All successors, shown.
pub fn shown(interpreter: &Interpreter, state: &[u8]) -> Vec<String> {
    outcome(interpreter, state).states.iter().map(|state| show(interpreter, state)).collect()
}

/// The one successor of a state that has exactly one, and no error.
#[track_caller]
pub fn only(interpreter: &Interpreter, state: &[u8]) -> Vec<u8> {
    let mut outcome = outcome(interpreter, state);
    assert_eq!(outcome.messages(), Vec::<&str>::new());
    assert_eq!(outcome.states.len(), 1, "not one successor of {}", show(interpreter, state));
    outcome.states.remove(0)
}

/// The errors in the initial state's steps.
pub fn errors(text: &str) -> Vec<(ViolationKind, String)> {
    let model = model(text);
    let interpreter = Interpreter::new(&model);
    let outcome = outcome(&interpreter, &initial(&interpreter));
    outcome.violations.into_iter().map(|(kind, message, _)| (kind, message)).collect()
}
