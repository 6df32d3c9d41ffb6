//! The Hanoi Omega-Automata format, version 1 (Babiak et al. 2015): reading and writing.
//!
//! ```text
//! HOA: v1 States: 2 Start: 0 AP: 1 "a" Acceptance: 1 Inf(0)
//! --BODY-- State: 0 [t] 0 [0] 1 State: 1 {0} [t] 1 --END--
//! ```
//!
//! A file is a stream of automata; each is read or refused on its own. What the `Acceptance:` formula says
//! counts, whatever `acc-name:` calls it; `accept` turns it into generalised Büchi acceptance where that is
//! possible without changing the states. Universal branching is removed (`alternating`) where the condition
//! is such a one without further ado. The small additions of version 1.1 that tools write are understood
//! (dots in the names of headers, negated properties).
//!
//! Where the standard leaves room: a header that starts with a capital letter and is not known is an error,
//! for it may change the meaning; a state that is mentioned but not described has no edges (a warning); a
//! state with neither label nor edges has no edges, rather than too few; a wrong `acc-name:`, or a wrong
//! `deterministic` or `complete` among the properties, is a warning.
//!
//! What is written is canonical: read and written again it gives the same bytes.

mod accept;
mod alternating;
mod condition;
mod lex;
mod read;
mod write;

pub use read::read;
pub use write::{write, write_with};

/// Files with more states are refused.
pub const MOST_STATES: u32 = 1_000_000;

/// Files with more propositions are refused: the depth of decision diagrams, and of the recursion over them,
/// is their number.
pub const MOST_PROPOSITIONS: u32 = 512;

/// A state without labels has an edge for every letter: with more propositions than this, that is refused.
const MOST_IMPLICIT_PROPOSITIONS: usize = 20;

/// How deep parentheses may be nested.
const DEEPEST_NESTING: u32 = 200;
