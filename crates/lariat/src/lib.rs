//! Lariat for models in Rust: does every run of a system do what a formula says?
//!
//! A system can be written in Rust: implement [`Model`], then [`check`] a formula of linear temporal logic.
//! Here an arbiter serves two clients, and always prefers the first. No state is wrong, but the second client
//! may wait for ever:
//!
//! ```
//! use lariat::{Model, Propositions};
//!
//! #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
//! enum Client { Idle, Waiting, Served }
//! use Client::*;
//!
//! struct Arbiter;
//!
//! impl Model for Arbiter {
//!     type State = [Client; 2];
//!     type Action = String;
//!
//!     fn initial_states(&self) -> Vec<[Client; 2]> {
//!         vec![[Idle, Idle]]
//!     }
//!
//!     fn successors(&self, clients: &[Client; 2], out: &mut Vec<(String, [Client; 2])>) {
//!         for k in 0..2 {
//!             let mut next = *clients;
//!             next[k] = match clients[k] {
//!                 Idle => Waiting,
//!                 Waiting if clients.contains(&Served) || (k == 1 && clients[0] == Waiting) => continue,
//!                 Waiting => Served,
//!                 Served => Idle,
//!             };
//!             out.push((format!("client {k}: {:?}", next[k]), next));
//!         }
//!     }
//!
//!     fn propositions(&self, named: &mut Propositions<[Client; 2]>) {
//!         named.add("both", |clients| *clients == [Served, Served]);
//!         named.add("request", |clients| clients[1] == Waiting);
//!         named.add("grant", |clients| clients[1] == Served);
//!     }
//! }
//!
//! lariat::check(&Arbiter, "G !both")?.assert_holds();
//! let report = lariat::check(&Arbiter, "G (request -> F grant)")?.assert_violated();
//! println!("{report}");
//! # let text = report.to_string();
//! # assert!(text.starts_with("violated: a run does not satisfy G (request -> (F grant))"), "{text}");
//! # assert!(text.contains("the cycle begins") && !text.contains("true: grant"), "{text}");
//! # Ok::<(), lariat::Error>(())
//! ```
//!
//! The report shows the run: what happens first, and what then happens again and again without a grant. In
//! tests, `assert_holds` panics with that report. [`Checker`] has limits, other questions (invariants,
//! deadlocks, whether some run satisfies a formula), fairness and the choice of the algorithm. `examples/`
//! has two protocols at length.
//!
//! This crate is small: it has none of the languages that the program `lariat` reads, and no compiler. To
//! check models in files from Rust there is `lariat-checker`.
//!
//! # How it works
//!
//! ```text
//! Model ─▶ ExploredModel ─▶ TypedProduct ◀──▶ emptiness check ──▶ Lasso
//!                                                                  │
//!                        ModelReport ◀─evaluate─ Run ◀─replay with Model
//! ```
//!
//! - `explored`: the states met so far, numbered, with their successors as numbers. Each state is expanded
//!   once, whatever the algorithm: your functions are usually the slow part.
//! - `footprint`, `reduction`, `independence`: which steps need not be followed, if the model says who reads
//!   and writes what; and whether that is true.
//! - `product`: these numbers × the property automaton.
//! - `search`: from the product to the run.
//! - `unit`, `unit_marks`: who takes part in actions, and fairness to them as marks on the product's arcs.
//! - `replay`: from a lasso of numbers to a [`Run`] of your types, by asking the model again.
//! - `unit_facts`: whether such a run is fair, by asking the model again.
//! - `changes`: what is different between two states, from how they print themselves.
//!
//! What happens between product and lasso is shared with models in files (`lariat-verdict`).

#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod ahead;
mod changes;
mod checker;
mod error;
mod explored;
mod footprint;
mod independence;
mod model;
mod product;
mod question;
mod reduction;
mod replay;
mod report;
mod run;
mod search;
mod unit;
mod unit_facts;
mod unit_marks;

pub use checker::{Checker, FiniteRuns, algorithms, check};
pub use error::Error;
pub use footprint::Footprint;
pub use lariat_search::fairness::Fairness;
pub use lariat_verdict::{Guarantee, RunLength, Verdict};
pub use model::{Model, Propositions};
pub use report::{Counts, ModelReport};
pub use run::{Ending, Run, RunStep};
pub use unit::Unit;
pub use unit_facts::UnitFacts;

/// The code in the documents is compiled and run with that in the sources.
#[cfg(doctest)]
mod documents {
    #[doc = include_str!("../../../README.md")]
    struct Readme;
    #[doc = include_str!("../../../docs/rust.md")]
    struct Manual;
}
