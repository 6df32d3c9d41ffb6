//! How automata, and what is found out about them, look: text for people, JSON for programs.

pub mod algorithms;
pub mod automaton;
pub mod emptiness;

use serde::Serialize;

/// An object on a line of its own.
fn line(value: &impl Serialize) -> String {
    let mut text = serde_json::to_string(value).expect("only strings are keys, so it can be written");
    text.push('\n');
    text
}
