//! Simplifications of a model before it runs: from the intermediate form to the intermediate form.
//!
//! Each takes a whole model and leaves one that [`lariat_model::verify`] accepts, with the same locations,
//! the same transitions and the same statements: a run of the simplified model, step by step, is a run of the
//! model as it was written. So counterexamples need no translation, and a report about unreached statements
//! stays as it is.
//!
//! - *constant folding*: what is known before the run is computed before the run. It changes no state and no
//!   step, and is always done.
//! - [`dead variables`](Simplifications::reset_dead_variables): a variable that nobody reads any more before
//!   it is written again becomes 0. States that differed only there are one. The steps are the same, so every
//!   property keeps its verdict.
//! - [`merged statements`](Simplifications::merge_statements): a process that comes to statements that
//!   concern nobody else executes them at once. There are fewer steps, so a property that counts steps (the
//!   `X` of a formula) may see a difference; whoever checks one must not merge.
//!
//! The last two change the number of states, so both are off where numbers are compared.

pub(crate) mod accesses;
mod dead_variables;
mod fold;
mod merge;
mod watched;

use lariat_model::ir::{Language, Model};
use watched::Watched;

/// Which of the simplifications that change the number of states are wanted. The default is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Simplifications {
    /// Variables become 0 where their values do not matter any more.
    pub reset_dead_variables: bool,
    /// Statements that concern their process alone are executed in one step with the one before.
    pub merge_statements: bool,
}

impl Simplifications {
    /// Whether nothing is to be done.
    pub fn is_none(self) -> bool {
        self == Simplifications::default()
    }
}

/// What has been done to a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effect {
    /// Locations at which some variable is reset.
    pub resets: usize,
    /// Transitions after which the process goes on at once, and did not before.
    pub merged: usize,
    /// Why nothing was merged although that was asked for.
    pub not_merged: Option<&'static str>,
}

/// Simplifies a model. What its propositions and claims see stays as it is; those that are not looked at
/// should be taken out before.
pub fn simplify(model: &mut Model, wanted: Simplifications) -> Effect {
    let mut effect = Effect::default();
    fold::fold(model);
    if wanted.is_none() {
        return effect;
    }
    // There one process moves another, and states are judged where processes are: no process can be looked at
    // alone.
    if model.language == Language::Dve {
        effect.not_merged = wanted.merge_statements.then_some("the model is in DVE");
        return effect;
    }
    let watched = Watched::in_model(model);
    if wanted.merge_statements {
        match merge::obstacle(model, &watched) {
            Some(reason) => effect.not_merged = Some(reason),
            None => effect.merged = merge::merge(model, &watched),
        }
    }
    if wanted.reset_dead_variables {
        effect.resets = dead_variables::reset(model, &watched);
    }
    effect
}
