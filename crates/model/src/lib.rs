//! The waist of Lariat: what every language is lowered to, and what every search sees.
//!
//! Above it stand the front ends (Promela, later others), which produce an [`ir::Model`]; below it the
//! searches, which know nothing but a [`SuccessorFunction`]. In between, the [`Interpreter`] gives the
//! intermediate form its meaning.

#![warn(missing_docs)]

pub mod constants;
pub mod describe;
pub mod footprint;
pub mod interpreter;
pub mod ir;
pub mod layout;
mod lifetimes;
mod packing;
mod patience;
mod process_set;
pub mod simplify;
mod successors;
pub mod text;
pub mod verify;
pub mod writes;

pub use interpreter::{Interpreter, Valuation};
pub use layout::Layout;
pub use packing::{Missing, Packing, Recalled, RememberedSteps};
pub use patience::{MAX_SEQUENCE_BYTES, Patience};
pub use process_set::ProcessSet;
pub use successors::{
    Divergence, Entry, HANDS, Moment, Step, SuccessorFunction, Successors, Violation, ViolationKind,
};
