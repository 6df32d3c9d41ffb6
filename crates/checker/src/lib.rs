//! Lariat, the library: does every run of a system do what a formula says?
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
//! deadlocks, whether some run satisfies a formula) and the choice of the algorithm. `examples/` has two
//! protocols at length.
//!
//! # Models in files
//!
//! ```no_run
//! let options = lariat::Options::default();
//! let loaded = lariat::load("model.pml".as_ref(), &options.read)?;
//! let report = lariat::check_states(&loaded, lariat::Task::Safety, &options, lariat::Observer::default())?;
//! print!("{}", lariat::render::text::report(&report));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`load`] reads a model in Promela or DVE, [`check_states`] and [`check_property`] walk the whole street
//! from there to a [`Report`], [`render`] shows it. Beside the street stand [`Simulation`] (one run, step by
//! step), [`info`] (what a model consists of) and [`dot`] (its automata). Formulas need no model to become
//! automata: [`translation`]; nor do automata in files: [`automata`].

#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod accepting_run;
pub mod automata;
mod check;
mod claim;
pub mod components;
pub mod dot;
pub mod emptiness;
mod engine;
pub mod info;
mod liveness;
mod load;
pub mod memory;
mod no_run;
mod not_checked;
mod options;
mod profile;
pub mod properties;
mod reading;
pub mod render;
mod report;
mod simplification;
mod simulation;
pub mod statistics;
pub mod structure;
mod text_file;
mod trace;
mod trace_assertion;
pub mod translation;
pub mod typed;
mod unreached;
pub mod work;

pub use accepting_run::Algorithm;
pub use check::{InternalError, check_states};
pub use engine::machine_code;
pub use lariat_engine::interpreter::MicroState;
pub use lariat_engine::simplify::{Simplifications, simplify};
pub use lariat_engine::{Interpreter, Step, Violation, ViolationKind};
pub use lariat_ltl as ltl;
pub use lariat_model::ir;
pub use lariat_model::ir::Language;
pub use lariat_model::text::print as intermediate_form;
pub use lariat_promela::{ReadLimits, ReadOptions as PreprocessorOptions};
pub use lariat_search::emptiness::{ALGORITHMS, Check, CheckDescription, Needs};
pub use lariat_search::product::FiniteRuns;
pub use lariat_search::{Counts, Progress, SEARCHES, Stacks};
pub use lariat_source::{Diagnostic, FileId, Severity, SourceMap, Span, escaped, escaped_line};
pub use lariat_store::{OutOfMemory, STORES};
pub use liveness::check_property;
pub use load::{LoadError, Loaded, STANDARD_INPUT, load, load_text, load_with};
pub use options::{Engine, Observer, Options, ReadOptions, SearchOrder, Task};
pub use profile::SearchProfile;
pub use report::{
    AutomatonFacts, AutomatonMove, AutomatonRun, Change, Counterexample, Cut, FinalProcess, FinalState,
    FoundViolation, Guarantee, LassoLengths, Place, Property, PropositionFacts, Report, RunLength, Seconds,
    Shortened, ShownStates, TraceStep, Unreached, UnreachedStatement, Verdict,
};
pub use simplification::Simplified;
pub use simulation::{Choice, GuideStep, Moment, Random, Simulation, Taken};
pub use text_file::read_text_file;
pub use typed::{Checker, Ending, Error, Model, ModelReport, Propositions, Run, RunStep, check};

/// The code in the documents is compiled and run with that in the sources.
#[cfg(doctest)]
mod documents {
    #[doc = include_str!("../../../README.md")]
    struct Readme;
    #[doc = include_str!("../../../docs/rust.md")]
    struct Manual;
}
