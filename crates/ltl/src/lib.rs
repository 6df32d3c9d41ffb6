//! Linear temporal logic and Büchi automata, without any model.
//!
//! ```text
//! text ─parse─▶ Tree ─▶ Formula ─rewrite─▶ Formula ─translate─▶ Automaton ─reduce─▶ Automaton ─▶ HOA │ never │ dot │ text
//! ```
//!
//! - [`parse`]: the dialects that people write, with places for messages; propositions are pieces of text,
//!   what they mean is someone else's business.
//! - [`formula`], [`rewrite`]: formulas, each stored once, and laws that make them simpler.
//! - [`tableau`], [`alternating`]: two translations that share nothing but the formulas and the automata.
//! - [`reduce`]: smaller automata with the same language.
//! - [`evaluate`]: what a formula says about a word u·v^ω, by its definition: the judge of everything else.
//! - [`explain`]: why a word satisfies a formula or does not, in claims that the evaluator confirms;
//!   [`explain_automaton`]: by which moves an automaton accepts it.
//! - [`hoa`], [`mod@never`]: automata as text, both ways.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod alternating;
pub mod automaton;
pub mod bdd;
pub mod complement;
pub mod dot;
pub mod emptiness;
pub mod evaluate;
pub mod explain;
pub mod explain_automaton;
pub mod formula;
pub mod hoa;
pub mod limits;
pub mod marks;
pub mod never;
pub mod parse;
pub mod piecewise;
pub mod print;
pub mod reduce;
pub mod rewrite;
pub mod scc;
pub mod stop;
pub mod strength;
pub mod stutter;
pub mod tableau;
pub mod text;
pub mod translate;
pub mod word;

pub use automaton::{Automaton, Edge, Placement, State};
pub use bdd::{Bdd, Bdds};
pub use formula::{Formula, Formulas};
pub use marks::Marks;
pub use word::{Letter, Word};
