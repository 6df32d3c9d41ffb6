//! Searches through the states of a model.
//!
//! A search sees a [`lariat_engine::SuccessorFunction`] and a [`lariat_store::StateStore`] and nothing of any
//! language. It is asked a [`Question`] within [`Limits`], and answers with an [`Outcome`]: what it found,
//! what it counted, and whether it saw everything. What it found is a path of states; `run` turns it into
//! steps that have been replayed in the interpreter, one by one, before anybody sees them.
//!
//! The parts: `depth_first` and `breadth_first`, each one algorithm; `watch` what both share: counters,
//! limits, violations met; `run` from paths to replayed runs.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod breadth_first;
mod depth_first;
pub mod emptiness;
mod lasso_run;
mod limits;
mod look_ahead;
mod memory;
pub mod product;
mod run;
mod stages;
mod watch;

pub use breadth_first::{breadth_first, nearest};
pub use depth_first::{depth_first, depth_first_in_order};
pub use lasso_run::{Ending, LassoRun, replay_lasso};
pub use limits::{Held, Limits, Lookout, ProcessMemory, StopReason, WORK_PER_ARC, WORK_PER_STATE};
pub use run::{Refuted, Run, Stage, replay};
pub use stages::{Room, Stages};
pub use watch::{Counts, Found, Outcome, Path, Progress, Question, Stacks};

/// A line of [`SEARCHES`].
#[derive(Clone, Copy, Debug)]
pub struct SearchDescription {
    /// As options and reports name it.
    pub name: &'static str,
    /// What it does, in a few words.
    pub what: &'static str,
}

/// All searches for violations in states.
pub const SEARCHES: &[SearchDescription] = &[
    SearchDescription { name: "dfs", what: "depth-first search: little memory, in Spin's order" },
    SearchDescription {
        name: "bfs",
        what: "breadth-first search: the violation found first is one of the nearest",
    },
];
