//! How results look: text for people, JSON for programs.

pub mod automaton;
pub mod json;
pub mod text;
