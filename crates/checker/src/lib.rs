//! Models in files: from a text in Promela or DVE to a report.
//!
//! ```no_run
//! let options = lariat_checker::Options::default();
//! let loaded = lariat_checker::load("model.pml".as_ref(), &options.read)?;
//! let observer = lariat_checker::Observer::default();
//! let report = lariat_checker::check_states(&loaded, lariat_checker::Task::Safety, &options, observer)?;
//! print!("{}", lariat_checker::render::text::report(&report));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`load`] reads a model in Promela or DVE, [`check_states`] and [`check_property`] go from it to a
//! [`Report`], [`render`] shows it. Beside them stand [`Simulation`] (one run, step by step),
//! [`info`] (what a model consists of) and [`dot`] (its automata). What needs no model is `lariat-automata`.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod assumptions;
mod check;
pub mod checkpoint;
mod claim;
pub mod components;
pub mod dependencies;
pub mod dot;
mod engine;
pub mod export;
pub mod fairness;
mod front_end;
mod influence;
pub mod info;
mod liveness;
mod load;
mod lossy;
pub mod memory;
mod not_checked;
mod options;
mod prepare;
mod profile;
pub mod properties;
mod reading;
pub mod render;
mod report;
mod simplification;
mod simulation;
pub mod spin_claim;
pub mod structure;
mod trace;
mod trace_assertion;
pub mod trail;
mod trail_claim;
mod unreached;
pub mod watched;
mod why;

pub use check::{InternalError, check_states};
pub use engine::machine_code;
pub use lariat_engine::simplify::{Simplifications, simplify};
pub use lariat_engine::units::{UnitKind, UnitRules};
pub use lariat_engine::{Interpreter, Violation, ViolationKind};
pub use lariat_model::ir::Language;
pub use lariat_model::text::print as intermediate_form;
pub use lariat_promela::SpinNumbers;
pub use lariat_promela::{ReadLimits, ReadOptions as PreprocessorOptions};
pub use lariat_search::emptiness::{
    ALGORITHMS, Check, CheckDescription, THREADED, ThreadedCheck, ThreadedDescription,
};
pub use lariat_search::fairness::Fairness;
pub use lariat_search::product::FiniteRuns;
pub use lariat_search::{Checkpoints, Progress, Unreadable};
pub use lariat_store::{OutOfMemory, Promise, STORES, StoreKind};
pub use lariat_verdict::{
    Algorithm, AutomatonFacts, Guarantee, RunLength, SearchOrder, Verdict, bytes_shown, counted,
};
pub use liveness::check_property;
pub use load::{LANGUAGES, LanguageDescription, LoadError, Loaded, load, load_text, load_with};
pub use lossy::{Coverage, DEFAULT_TABLE, Pass, StoreOptions};
pub use options::{Engine, Observer, Options, ReadOptions, Task, Threads};
pub use profile::SearchProfile;
pub use report::{
    AutomatonMove, AutomatonRun, Change, Counterexample, Cut, FairnessFacts, FinalProcess, FinalState,
    FoundViolation, LassoLengths, Place, Property, PropositionFacts, Reduced, Report, RunEnding, Seconds,
    Shortened, ShownStates, TraceStep, Truth, Unreached, UnreachedStatement, Why,
};
pub use simplification::Simplified;
pub use simulation::{Choice, GuideStep, Moment, Random, Simulation, Taken};
