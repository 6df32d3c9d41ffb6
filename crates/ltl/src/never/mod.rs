//! Never claims: Büchi automata as Promela writes them.
//!
//! ```text
//! never { /* F a */
//! T0_init:
//!     if
//!     :: (true) -> goto T0_init
//!     :: (a) -> goto accept_all
//!     fi;
//! accept_all:
//!     skip
//! }
//! ```
//!
//! A claim moves once for each state of the model, the initial one included: a condition is a step that reads
//! a letter, a control point is a state, one with a label that starts with `accept` is accepting. A claim
//! that ends has found what it was looking for, whatever follows: its end is an accepting state that is never
//! left. In the same way an assertion that fails ends the search; `spin -f` writes its claims so. Written are
//! claims of selections and jumps alone; read are those of Spin, LTL2BA, LTL3BA and Spot, and what people
//! write by hand, as far as it changes nothing in the model.
//!
//! What makes a step follows Spin 6.5.2, by measurement: `goto`, `break` and the end of a selection are no
//! steps, except as the first statement of an option, or where an accepting label stands before them; an
//! option that starts with a selection is replaced by that selection's options; `else` is for when none of
//! all the options at its control point is open.

mod condition;
mod lex;
mod read;
mod write;

pub use read::read;
pub use write::{Unwritable, write};

/// How deep parentheses, negations and blocks may be nested.
const DEEPEST_NESTING: u32 = 100;

/// Claims with more propositions are refused: the depth of decision diagrams, and of the recursion over them,
/// is their number.
const MOST_PROPOSITIONS: usize = 512;
