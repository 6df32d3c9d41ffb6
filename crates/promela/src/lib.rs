//! The Promela front end: text to the intermediate form.
//!
//! [`read_model`] is the whole way: preprocess and parse ([`parse_file`], which gives a tree and messages,
//! always), then lower the tree to a [`lariat_model::ir::Model`] if there were no errors. Everything Spin
//! 6.5.2 accepts is accepted, except embedded C and `STDIN`; control points are numbered as Spin numbers
//! them.

#![forbid(unsafe_code)]

pub mod ast;
mod flow;
mod lex;
mod lower;
mod parse;
mod preprocess;
mod read;
mod read_limits;
mod token;
mod visit;

pub use flow::AutomatonNumbers;
pub use lower::{NumberedAutomaton, SpinNumbers};
pub use parse::{ReadOptions, parse_expression, parse_file, parse_file_keeping_macros, parse_text};
pub use preprocess::Macros;
pub use read::{FormulaText, ParsedModel, PropositionText, read_model, read_text};
pub use read_limits::ReadLimits;
