//! Why there is no verdict on a model written in Rust.

use std::fmt;

/// Why there is no verdict: a mistake in the question or in the model, never a property of the model. Both
/// `Display` and `Debug` write it for people, so that `unwrap` in a test shows the formula with a mark under
/// the mistake.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The formula cannot be read, or mentions a proposition that the model does not have. The text shows the
    /// place.
    Formula(String),
    /// A proposition has the name of another, or of one that every model has.
    ProposedTwice(String),
    /// There is no such algorithm.
    UnknownAlgorithm {
        /// As it was asked for.
        name: String,
        /// What it could have been.
        hint: String,
    },
    /// The model starts nowhere. It has no runs, so every formula would hold.
    NoInitialState,
    /// An action names a unit that [`Model::all_units`](crate::Model::all_units) does not list.
    UnlistedUnit(String),
    /// The model gave different answers for the same state.
    NotAFunction(String),
    /// What [`Model::footprints`](crate::Model::footprints) says is not true: the state, and the steps that
    /// show it.
    NotIndependent(String),
    /// An error of Lariat itself.
    Internal(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Formula(message) => f.write_str(message),
            Error::ProposedTwice(name) => write!(f, "there is more than one proposition `{name}`"),
            Error::UnknownAlgorithm { name, hint } => write!(f, "there is no algorithm `{name}`: {hint}"),
            Error::NoInitialState => {
                f.write_str("the model has no initial state, so it has no runs, and every formula would hold")
            }
            Error::UnlistedUnit(unit) => {
                write!(f, "an action names the unit `{unit}`, and `all_units` does not list it")
            }
            Error::NotAFunction(what) => {
                write!(
                    f,
                    "the model is not a function: {what}; the same state must give the same answer, always"
                )
            }
            Error::NotIndependent(what) => write!(f, "the footprints of the model are wrong: {what}"),
            Error::Internal(reason) => write!(f, "internal error: {reason}"),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {}
