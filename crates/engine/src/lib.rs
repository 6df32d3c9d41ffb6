//! What runs a model: the interpreter, and what makes successors quick to have and states short to store.
//!
//! A search sees nothing of a model but a [`SuccessorFunction`]. The [`Interpreter`] is the one that gives
//! the intermediate form its meaning; the crate `compiled` has another, which is compared with it. Both share
//! the [`layout`] of states in memory, their packed form ([`Packer`]), what a step looks at ([`footprint`]),
//! and the steps that are remembered ([`RememberedSteps`]). Models are made simpler before they run by
//! [`simplify`].

#![warn(missing_docs)]

pub mod constants;
pub mod describe;
pub mod footprint;
pub mod interpreter;
pub mod layout;
pub mod lifetimes;
#[allow(unsafe_code)]
mod packing;
mod patience;
mod process_set;
pub mod promises;
pub mod reduction;
pub mod simplify;
mod successors;
pub mod units;
pub mod writes;

pub use interpreter::{Interpreter, Valuation};
pub use layout::Layout;
pub use packing::{
    Begun, Capacity, Chooser, Closing, FollowAll, Missing, NotPortable, Numbers, Packer, Recalled,
    RememberedSteps, SLACK, Since, portable_hash,
};
pub use patience::{MAX_SEQUENCE_BYTES, Patience};
pub use process_set::ProcessSet;
pub use successors::{
    Divergence, Entry, LANES, Moment, Step, SuccessorFunction, Successors, Violation, ViolationKind, Workers,
};
