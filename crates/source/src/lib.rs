//! Text, places in text, and messages about them.
//!
//! Every front end reads its text through a [`SourceMap`], gives each token a [`Span`], and speaks to people
//! only through [`Diagnostic`]s. A span says where the *user* would look: for a token that a macro produced,
//! it is the place of the macro's use (as the C preprocessor reports lines), and [`Span::expansion`] leads on
//! to the place in the macro's definition. Text that is put together from pieces ([`DerivedText`]) is parsed
//! like a file of its own; messages lead back to where the pieces stand.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod derived;
mod diagnostic;
mod escape;
mod names;
mod render;
mod source_map;
mod text_file;

pub use derived::DerivedText;
pub use diagnostic::{Diagnostic, Label, Severity};
pub use escape::{escaped, escaped_line};
pub use names::most_similar;
pub use source_map::{Expansion, ExpansionId, FileId, Place, SourceFile, SourceMap, Span};
pub use text_file::{STANDARD_INPUT, TextFileError, read_text_file};
