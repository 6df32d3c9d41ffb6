//! Which simplifications a property allows, and the model after them.
//!
//! What a property does not look at may be simplified away, so each check simplifies the model for itself:
//! the propositions and claims of other properties are taken out first. Merged statements are fewer steps:
//! whoever counts steps would notice.

use crate::options::Options;
use crate::properties::Property;
use lariat_engine::simplify::{Effect, Simplifications, simplify};
use lariat_ltl::Formulas;
use lariat_ltl::stutter::has_next;
use lariat_model::ir::Model;

/// What was done to a model before it was run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Simplified {
    /// Locations at which dead variables are reset; `None` if that was not asked for.
    pub resets: Option<usize>,
    /// Statements that are merged with the one before; `None` if that was not asked for.
    pub merged: Option<usize>,
    /// Why none was merged although that was asked for.
    pub not_merged: Option<String>,
}

/// The model as one check sees it, simplified as the options say. `counts_steps` says why its statements must
/// not be merged, if so. Also what was done to it, if something was asked for.
pub(crate) fn simplified(
    mut model: Model,
    counts_steps: Option<&'static str>,
    options: &Options,
) -> (Model, Option<Simplified>) {
    let wanted = options.simplify;
    let allowed =
        Simplifications { merge_statements: wanted.merge_statements && counts_steps.is_none(), ..wanted };
    let Effect { resets, merged, not_merged } = simplify(&mut model, allowed);
    let done = (!wanted.is_none()).then(|| Simplified {
        resets: wanted.reset_dead_variables.then_some(resets),
        merged: wanted.merge_statements.then_some(merged),
        not_merged: counts_steps.filter(|_| wanted.merge_statements).or(not_merged).map(str::to_string),
    });
    (model, done)
}

/// Why a property may tell runs apart that differ only in the number of steps, if it may.
pub(crate) fn counts_steps(property: &Property) -> Option<&'static str> {
    match property {
        Property::Never { .. } | Property::Claim(_) => Some("a claim may count steps"),
        Property::Trace { .. } => None,
        _ => {
            let mut formulas = Formulas::new();
            let goal = property.goal(&mut formulas)?;
            has_next(&formulas, goal).then_some("the formula has `X`")
        }
    }
}
