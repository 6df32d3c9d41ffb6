//! Searches through the states of a model.
//!
//! A search sees a [`lariat_engine::SuccessorFunction`] and a [`lariat_store::StateStore`] (or a mere
//! [`lariat_store::VisitedSet`]) and nothing of any language. It is asked a [`Question`] within [`Limits`],
//! and answers with an [`Outcome`]: what it found, what it counted, and whether it saw everything. What it
//! found is a path of states; `run` turns it into steps that have been replayed in the interpreter, one by
//! one, before anybody sees them.
//!
//! The parts: `depth_first` (with `look_ahead`, its part out of order), `breadth_first`, `depth_first_on_set`
//! and `breadth_first_on_set`, each one algorithm, and `searches`, the list of them; `watch`, what they
//! share: what is asked, and violations met; `bookkeeping`, what they share with the emptiness checks:
//! counters, limits, progress, events; `checkpoint`, how far a search is, in a file; `run`, from paths to
//! replayed runs.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

// Tests here and in `tests/` use the same graphs.
#[cfg(test)]
extern crate self as lariat_search;

mod bookkeeping;
mod breadth_first;
mod breadth_first_on_set;
mod checkpoint;
mod depth_first;
mod depth_first_on_set;
pub mod emptiness;
mod events;
pub mod fairness;
mod hidden_values;
mod lasso_run;
mod limits;
mod look_ahead;
mod omissions;
pub mod parallel;
pub mod product;
mod run;
mod searches;
mod stages;
mod watch;

pub use bookkeeping::{Counts, Progress, ProgressObserver, Stacks, ThreadWork};
pub use breadth_first::{breadth_first, breadth_first_together, breadth_first_with, nearest};
pub use breadth_first_on_set::breadth_first_on_set;
pub use checkpoint::{Checkpoints, Reader, Saved, Unreadable, Writer, open_checkpoint};
pub use depth_first::{
    IN_ORDER, depth_first, depth_first_in_order, depth_first_in_turns, depth_first_together, depth_first_with,
};
pub use depth_first_on_set::depth_first_on_set;
pub use events::{Event, Listener, NoListener, WaitingLine};
pub use lasso_run::{Ending, LassoRun, replay_lasso};
pub use limits::{Limits, Lookout, MemoryUse, ProcessMemory, StopReason, WORK_PER_ARC, WORK_PER_STATE};
pub use run::{Refuted, Run, Stage, replay};
pub use searches::{SEARCHES, SearchDescription, SearchKind};
pub use stages::{Room, Stages};
pub use watch::{Found, Outcome, Path, Question};
