//! What a model states about itself and a verdict says nothing about: nobody should think that it was
//! checked.

use lariat_model::ir::{Claim, ClaimKind, Language, LocationInfo, Model};

/// What a check for safety leaves out, in the order of the kinds: `ltl p`, `never claim`, `accept labels`.
pub fn not_checked(model: &Model) -> Vec<String> {
    let mut list: Vec<String> =
        model.formulas.iter().map(|formula| format!("ltl {}", formula.name)).collect();
    match model.language {
        Language::Promela => list.extend(model.claims.iter().map(claim)),
        Language::Dve => {
            list.extend(model.claims.iter().map(|claim| format!("property {}", claim.automaton.name)))
        }
    }
    let some = |labelled: fn(&LocationInfo) -> bool| {
        model.process_types.iter().flat_map(|process| &process.locations).any(labelled)
    };
    if some(|location| location.accept) {
        list.push("accept labels".to_string());
    }
    if some(|location| location.progress) {
        list.push("progress labels".to_string());
    }
    list
}

fn claim(claim: &Claim) -> String {
    match claim.kind {
        ClaimKind::Never => {
            let name = &claim.automaton.name;
            // A claim without a name has got one with a number.
            let number = name.strip_prefix("never_").unwrap_or(name);
            if number.bytes().all(|byte| byte.is_ascii_digit()) {
                "never claim".to_string()
            } else {
                format!("never claim {name}")
            }
        }
        ClaimKind::Trace => "trace assertion".to_string(),
        ClaimKind::NoTrace => "notrace assertion".to_string(),
    }
}
