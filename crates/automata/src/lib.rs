//! Formulas and automata, without any model: what the commands `translate`, `automaton`, `empty` and
//! `algorithms` do.
//!
//! - [`translation`]: the text of a formula to its automaton.
//! - [`files`]: automata from files, HOA or never claims; simplified, given one acceptance set.
//! - [`assumptions`]: those of its words that keep what is assumed.
//! - [`emptiness`]: does an automaton accept a word?
//! - [`given`]: the automaton as checks are given it, for those who run them themselves.
//! - [`statistics`]: an automaton in numbers.
//! - [`work`]: limits of work on formulas and automata.
//! - [`render`]: how all of that looks, as text and as JSON.

#![warn(missing_docs)]
#![forbid(unsafe_code)]

pub mod assumptions;
pub mod emptiness;
pub mod files;
pub mod given;
pub mod render;
pub mod statistics;
pub mod translation;
pub mod work;
