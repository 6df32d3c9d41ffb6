//! Models in files: from a text in Promela or DVE to a report.
//!
//! ```no_run
//! let options = lariat_checker::Options::default();
//! let loaded = lariat_checker::load("model.pml".as_ref(), &options.read)?;
//! let report = lariat_checker::check_states(&loaded, lariat_checker::Task::Safety, &options, lariat_checker::Observer::default())?;
//! print!("{}", lariat_checker::render::text::report(&report));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`load`] reads a model in Promela or DVE, [`check_states`] and [`check_property`] go all the way from there
//! to a [`Report`], [`render`] shows it. Beside the street stand [`Simulation`] (one run, step by
//! step), [`info`] (what a model consists of) and [`dot`] (its automata). Formulas need no model to become
//! automata: [`translation`]; nor do automata in files: [`automata`].

#![warn(missing_docs)]

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
mod unreached;
pub mod work;

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
pub use lariat_verdict::{
    Algorithm, AutomatonFacts, Guarantee, RunLength, SearchOrder, Verdict, bytes_shown, counted,
};
pub use liveness::check_property;
pub use load::{LoadError, Loaded, STANDARD_INPUT, load, load_text, load_with};
pub use options::{Engine, Observer, Options, ReadOptions, Task};
pub use profile::SearchProfile;
pub use report::{
    AutomatonMove, AutomatonRun, Change, Counterexample, Cut, FinalProcess, FinalState, FoundViolation,
    LassoLengths, Place, Property, PropositionFacts, Report, Seconds, Shortened, ShownStates, TraceStep,
    Unreached, UnreachedStatement,
};
pub use simplification::Simplified;
pub use simulation::{Choice, GuideStep, Moment, Random, Simulation, Taken};
pub use text_file::read_text_file;
