//! The DVE front end: text to the intermediate form.
//!
//! DVE is the language of DiVinE and of the BEEM benchmarks. [`ParsedModel`] is the whole way, in two steps:
//! parse (which gives a tree and messages, always), then lower the tree, together with propositions of
//! properties, to a [`lariat_model::ir::Model`].
//!
//! A model is a fixed set of processes, each an automaton. A transition waits for a guard, may synchronise
//! over a channel, and then executes its effects, all in one step. Two processes that meet at a rendezvous
//! are known before the run, so every pair of a send and a receive becomes one transition of the sender
//! (`lower/transitions.rs`).

#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod ast;
mod lex;
mod lower;
mod parse;
mod read;

pub use lower::PROPERTY_ONLY_WATCHES;
pub use parse::{MAX_HEIGHT, parse_expression, parse_text};
pub use read::{ParsedModel, PropositionText, read_file, read_text};
