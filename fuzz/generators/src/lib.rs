//! Random Promela models for differential testing, and a shrinker for those that fail.
//!
//! `generate` turns a seed into a small model, dense in language features and in their interactions, that a
//! correct Promela front end accepts and that can be explored completely in a moment. Its text comes from
//! `Display`. What another model checker says about the text is compared with what ours says; when they
//! differ, `shrink` takes the model apart for as long as the difference stays.
//!
//! - `model` is the structure of a model, `print` its text;
//! - `options` are the sizes and switches, and the draw of the features that one model uses;
//! - `generate` builds models, split by topic;
//! - `shrink` makes them small; `random` is the source of all choices;
//! - `dve` draws models in DVE;
//! - `formula` draws formulas alone, `property` formulas about a model.

#![forbid(unsafe_code)]

pub mod contention;
pub mod crowd;
pub mod dve;
pub mod endless;
pub mod formula;
pub mod generate;
pub mod interleaving;
pub mod model;
pub mod options;
mod print;
pub mod property;
pub mod random;
pub mod shrink;
mod visit;

pub use crowd::generate_crowd;
pub use dve::generate_dve;
pub use generate::generate;
pub use model::PromelaModel;
pub use options::{Features, GeneratorOptions};
pub use shrink::shrink;
