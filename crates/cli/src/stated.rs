//! Which property is meant by `--property NAME`.
//!
//! A model gives its formulas and claims names of its own, and some properties have names of ours: safety,
//! never, trace, acceptance, non-progress. Where both use a name the model's wins, and that is said; with a
//! colon before it (`:acceptance`) a name is always ours.

use crate::output::complain;
use lariat_checker::Language;
use lariat_checker::Loaded;
use lariat_checker::properties::Property;

/// A name of ours, as it is asked for wherever the model may use it too.
const OURS: char = ':';

/// The property that is asked for by this name, safety as `None`. `None`, when the user has been told that
/// there is none.
pub fn stated<'l>(loaded: &'l Loaded, name: &str) -> Option<Option<&'l Property>> {
    if let Some(ours) = name.strip_prefix(OURS) {
        return ours_called(loaded, ours).or_else(|| unknown(loaded, name));
    }
    if let Some(property) = named_by_model(loaded, name) {
        if matches!(name, "safety" | "acceptance" | "non-progress") {
            let what = match property {
                Property::Ltl { .. } => "formula",
                Property::Never { language: Language::Promela, .. } => "claim",
                _ => "property process",
            };
            let ours = if name == "safety" { "--safety".into() } else { format!("--property {OURS}{name}") };
            complain(&format!(
                "warning: `{name}` is the name of a {what} of the model here\n  = hint: for what is otherwise called `{name}`, write `{ours}`"
            ));
        }
        return Some(Some(property));
    }
    ours_called(loaded, name).or_else(|| unknown(loaded, name))
}

/// A formula, a never claim or a property process that has this name in the model.
fn named_by_model<'l>(loaded: &'l Loaded, name: &str) -> Option<&'l Property> {
    loaded.stated.iter().find(|property| match property {
        Property::Ltl { name: own, .. } => own == name,
        Property::Never { claim, .. } => loaded.model.claims[*claim].automaton.name == name,
        _ => false,
    })
}

fn ours_called<'l>(loaded: &'l Loaded, name: &str) -> Option<Option<&'l Property>> {
    let found = |is_meant: fn(&Property) -> bool| loaded.stated.iter().find(|property| is_meant(property));
    let (property, label) = match name {
        "safety" => return Some(None),
        // The only claim of a Promela model; of several, each has its own name.
        "never" => (
            found(
                |property| matches!(property, Property::Never { name, language: Language::Promela, .. } if name == "never"),
            ),
            None,
        ),
        // A model has only one of them.
        "trace" => (found(|property| matches!(property, Property::Trace { .. })), None),
        "notrace" => (found(|property| property.kind() == "notrace"), None),
        "acceptance" => (
            found(|property| matches!(property, Property::Acceptance)),
            Some((&Property::Acceptance, "accept")),
        ),
        "non-progress" => (
            found(|property| matches!(property, Property::NonProgress)),
            Some((&Property::NonProgress, "progress")),
        ),
        _ => return None,
    };
    match (property, label) {
        (Some(property), _) => Some(Some(property)),
        (None, Some((property, label))) => {
            complain(&format!("warning: the model has no {label} labels"));
            Some(Some(property))
        }
        (None, None) => None,
    }
}

fn unknown<'l>(loaded: &Loaded, name: &str) -> Option<Option<&'l Property>> {
    let names: Vec<String> = std::iter::once(None)
        .chain(loaded.stated.iter().map(Some))
        .map(|property| spelling(loaded, property))
        .collect();
    let list = names.join(", ");
    complain(&format!("error: the model states no property `{name}`\n  = hint: there is {list}"));
    None
}

/// What to write behind `--property` for a property that the model states, or, without one, for safety.
pub fn spelling(loaded: &Loaded, property: Option<&Property>) -> String {
    let (name, is_ours) = match property {
        None => ("safety".to_string(), true),
        Some(property @ Property::Ltl { .. }) => (property.name(), false),
        Some(Property::Never { name, claim, .. }) => {
            (name.clone(), *name != loaded.model.claims[*claim].automaton.name)
        }
        Some(property) => (property.name(), true),
    };
    if is_ours && named_by_model(loaded, &name).is_some() { format!("{OURS}{name}") } else { name }
}
