//! The waist of Lariat: what a model is.
//!
//! Front ends (Promela, DVE) produce an [`ir::Model`]; [`verify`] says whether it makes sense, [`text`]
//! prints it in a form that reads back. What runs a model is the crate `engine`, which no front end needs.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod ir;
pub mod text;
pub mod verify;
