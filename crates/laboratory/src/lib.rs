//! The laboratory: emptiness checks compared on many models, truly on the fly, as Gaiser and Schwoon (2009)
//! and Schwoon and Esparza (2005) did.
//!
//! A [`Suite`] says which cases (a model and a property each) are run with which configurations (an
//! algorithm, a form of the automaton, an engine). Every run is a process of its own,
//! `lariat check … --format json`: so limits on time and memory are its own, a run that goes wrong harms no
//! other, and what a result says can be had again by hand, with the command that stands beside it.
//!
//! ```text
//! suite.toml ─▶ Suite ─▶ Campaign ──▶ lariat check … ──▶ RunRecord ─▶ journal
//!                                                              │
//!                                                         Comparison ──▶ CSV │ JSON │ page
//! ```
//!
//! What is known is written to a journal run by run, so nothing is lost, and a campaign can go on where it
//! was interrupted. From the records one [`Comparison`] is made, and everything that people see is made from
//! that.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod campaign;
mod child;
mod comparison;
mod figures;
mod files;
mod fingerprint;
mod journal;
pub mod page;
mod record;
mod suite;
mod tables;

pub use campaign::{Begun, Campaign, CampaignError, Happened, Outcome};
pub use comparison::{CaseResult, Comparison};
pub use figures::{FIGURE_4, Figure4, Figure4Row, figure_4};
pub use files::WriteError;
pub use record::{AutomatonRecord, CaseStructure, RunRecord};
pub use suite::{
    AutomatonForm, BUILT_IN, BuiltIn, Case, CaseProperty, Complaints, Configuration, EngineChoice,
    FairnessChoice, ProductForm, Qualify, ReductionChoice, Suite, SuiteError,
};
pub use tables::{cases_csv, runs_csv};
