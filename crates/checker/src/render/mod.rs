//! How results look: text for people, JSON for programs.

pub mod algorithms;
pub mod automaton;
pub mod components;
pub mod emptiness;
pub mod json;
pub mod text;
