//! Whether there is a run at all. Where runs that end do not count, a model all of whose runs end satisfies
//! every formula, and its contrary.
//!
//! That some run goes on for ever is mostly found out at once: a depth-first search meets a cycle early.
//! That none does takes all of the model's states, so the question gives up where it would take longer than
//! the check before it. Then nothing is known, and nothing is said.

use crate::find::{Found, Width};
use crate::goal::{CheckOptions, Goal};
use lariat_ltl::{Formula, Formulas, Marks};
use lariat_search::Limits;
use lariat_search::emptiness::Product;
use lariat_search::product::PropertyAutomaton;
use std::time::{Duration, Instant};

/// So much is always tried.
const FREE_STATES: u64 = 10_000;
const FREE_TIME: Duration = Duration::from_secs(1);

/// What a check took.
pub struct Spent {
    /// So many.
    pub states: u64,
    /// So long.
    pub time: Duration,
}

/// Limits for the question, after a check that took so much.
pub fn limits_after<'a>(spent: &Spent, limits: Limits<'a>) -> Limits<'a> {
    let states = spent.states.max(FREE_STATES);
    let own = Instant::now().checked_add(spent.time.max(FREE_TIME));
    Limits {
        max_states: Some(limits.max_states.map_or(states, |limit| limit.min(states))),
        deadline: limits.deadline.into_iter().chain(own).min(),
        ..limits
    }
}

/// The automaton that accepts every run, and how to look for one.
pub struct AnyRun {
    /// It accepts every run.
    pub automaton: PropertyAutomaton,
    goal: Goal,
}

impl AnyRun {
    /// `None` would be an error of ours; nothing is said then.
    pub fn new() -> Option<AnyRun> {
        let goal =
            Goal::by_formula(Formulas::new(), Formula::TRUE, CheckOptions::default(), Limits::default())
                .ok()?;
        let automaton = PropertyAutomaton::new(&goal.automaton, &goal.bdds, |variable| variable);
        Some(AnyRun { automaton, goal })
    }

    /// Whether the product with this automaton has no run, as far as that is known.
    pub fn is_missing(&mut self, product: &mut dyn Product<Marks = Marks>, limits: Limits) -> bool {
        let Ok(chosen) = self.goal.choose(CheckOptions::default(), limits) else { return false };
        let Found { outcome, .. } = Marks::find(product, chosen, limits, None);
        matches!(outcome, Ok(None))
    }
}
