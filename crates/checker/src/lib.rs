//! Lariat, the library: a model in, a report out.
//!
//! ```no_run
//! let options = lariat::Options::default();
//! let loaded = lariat::load("model.pml".as_ref(), &options.read)?;
//! let report = lariat::check_states(&loaded, lariat::Task::Safety, &options, lariat::Observer::default())?;
//! print!("{}", lariat::render::text::report(&report));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`load`] reads a model, [`check_states`] walks the whole street from there to a [`Report`], [`render`] shows it. Beside the
//! street stand [`Simulation`] (one run, step by step), [`info`] (what a model consists of) and [`dot`] (its automata).
//! Formulas need no model to become automata: [`translation`]; nor do automata in files: [`automata`].

mod accepting_run;
pub mod automata;
mod check;
mod claim;
pub mod components;
pub mod dot;
pub mod emptiness;
pub mod info;
mod liveness;
mod load;
pub mod memory;
mod not_checked;
mod options;
pub mod properties;
pub mod render;
mod report;
mod simulation;
pub mod statistics;
mod text_file;
mod trace;
mod trace_assertion;
pub mod translation;
mod unreached;

pub use accepting_run::Algorithm;
pub use check::{InternalError, check_states};
pub use lariat_ltl as ltl;
pub use lariat_model::interpreter::MicroState;
pub use lariat_model::text::print as intermediate_form;
pub use lariat_model::{Interpreter, Step, Violation, ViolationKind, ir};
pub use lariat_promela::ReadOptions;
pub use lariat_search::emptiness::{CHECKS, Check};
pub use lariat_search::{ALGORITHMS, Counts, Progress, Stacks};
pub use lariat_source::{Diagnostic, FileId, Severity, SourceMap, Span};
pub use lariat_store::STORES;
pub use liveness::check_property;
pub use load::{LoadError, Loaded, STANDARD_INPUT, load, load_with};
pub use options::{Observer, Options, SearchOrder, Task};
pub use report::{
    Change, Counterexample, FinalProcess, FinalState, FoundViolation, Guarantee, Place, Property, Report,
    Seconds, TraceStep, Unreached, UnreachedStatement, Verdict,
};
pub use simulation::{Choice, GuideStep, Random, Simulation, Taken};
pub use text_file::read_text_file;
