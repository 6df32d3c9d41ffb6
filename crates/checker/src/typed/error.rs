//! Why there is no verdict on a model written in Rust.

use std::fmt;

/// Why there is no verdict: a mistake in the question or in the model, never a property of the model. Both
/// `Display` and `Debug` write it for people, so that `unwrap` in a test shows the formula with a mark under
/// the mistake.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The formula cannot be read, or mentions a proposition that the model does not have. The text shows the
    /// place.
    #[error("{0}")]
    Formula(String),
    /// A proposition has the name of another, or of one that every model has.
    #[error("there is more than one proposition `{0}`")]
    ProposedTwice(String),
    /// There is no such algorithm.
    #[error("there is no algorithm `{name}`: {hint}")]
    UnknownAlgorithm {
        /// As it was asked for.
        name: String,
        /// What it could have been.
        hint: String,
    },
    /// The model starts nowhere. It has no runs, so every formula would hold.
    #[error("the model has no initial state, so it has no runs, and every formula would hold")]
    NoInitialState,
    /// The model gave different answers for the same state.
    #[error("the model is not a function: {0}; the same state must give the same answer, always")]
    NotAFunction(String),
    /// An error of Lariat itself.
    #[error("internal error: {0}")]
    Internal(String),
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}
