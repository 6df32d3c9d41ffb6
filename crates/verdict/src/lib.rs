//! From what is asked to what is answered, as far as no model is needed, only a product: what checks of
//! models in files, of models in Rust and of automata alone have in common.
//!
//! 1. [`Goal`]: the automaton of the runs that are looked for, and the formula it was made from.
//! 2. [`Goal::choose`]: the check, by what was asked for and by the strength of the automaton; the automaton
//!    gets the form that it needs.
//! 3. [`find`]: the check runs. [`Width::shortened`]: the lasso that it has found is made shorter.
//! 4. [`Goal::judge`]: whether the word that the run spells is one that was looked for, by the definition of
//!    the logic.
//!
//! Between 3 and 4 somebody must execute the run, who knows the model: `lasso_run.rs` in `search` for models
//! in files, `replay.rs` in `lariat` for models in Rust.
//!
//! Beside them: [`Verdict`], and why it may be given; the limits on showing what was found (`limits`);
//! whether there is any run at all (`no_run`); words for all that (`words`).

#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod find;
mod goal;
mod limits;
mod no_run;
mod verdict;
mod words;

pub use find::{Found, FoundBy, MAX_SHORTENED, Width, find};
pub use goal::{AS_ASKED, Algorithm, CheckOptions, ChosenCheck, Goal, NoGoal, RunsThatCount, advised};
pub use limits::{limits_on_showing, room_for_run};
pub use no_run::{AnyRun, Spent, limits_after};
pub use verdict::{AutomatonFacts, Guarantee, RunLength, SearchOrder, Verdict};
pub use words::{NO_RUN, bytes_shown, counted, describe_stop};
