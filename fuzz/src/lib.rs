//! What the fuzz targets share: running a model for a bounded number of steps.

use lariat_model::ir::Model;
use lariat_engine::{Interpreter, SuccessorFunction, Successors};
use std::collections::HashSet;
use std::time::{Duration, Instant};

/// Computes up to `states` states of a well-formed model. Stops early after a moment, so that the fuzzer sees
/// many inputs; but one state may take as long as it takes, and the fuzzer complains if it is too long.
pub fn explore(model: &Model, states: usize) {
    let start = Instant::now();
    let interpreter = Interpreter::new(model);
    let Ok(initial) = interpreter.initial_state() else { return };
    let mut seen = HashSet::from([initial.clone()]);
    let mut waiting = vec![initial];
    let mut successors = Successors::new();
    while let Some(state) = waiting.pop() {
        interpreter.successors(&state, &mut successors);
        if successors.is_empty() {
            interpreter.may_end(&state);
        }
        for i in 0..successors.len() {
            if seen.insert(successors.state(i).to_vec()) {
                waiting.push(successors.state(i).to_vec());
            }
        }
        if seen.len() > states || start.elapsed() > Duration::from_millis(20) {
            break;
        }
    }
}
