//! Searches, and what must be the same in all of them.

use lariat_engine::SuccessorFunction;
use lariat_search::{Limits, Outcome, Question, depth_first_in_order};
use lariat_store::ExactStore;

/// Searches everything; so many states in order, at most so many in all.
pub fn search(model: &impl SuccessorFunction, max_states: Option<u64>, in_order: u64) -> Outcome {
    let limits = Limits { max_states, ..Limits::default() };
    depth_first_in_order(model, &mut ExactStore::new(), Question::Everything, limits, None, in_order)
}

/// What does not depend on the order.
pub fn seen(outcome: &Outcome) -> String {
    let counts = &outcome.counts;
    let numbers = [counts.stored, counts.visited, counts.transitions, counts.deadlocks];
    let errors = [counts.assertion_violations, counts.runtime_errors];
    format!("{numbers:?} {errors:?} {:?} {:?}", outcome.stopped, outcome.reached)
}
