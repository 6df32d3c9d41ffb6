//! The command that asks for one property alone, when several were asked for: as it was typed, so that it
//! can be pasted.

use lariat_checker::Loaded;
use lariat_checker::properties::{AddedProperty, Property};
use std::ffi::{OsStr, OsString};

/// Options that say what is to be checked, and take a value.
const CHOICES: [&str; 5] = ["--property", "--ltl", "--invariant", "--claim", "--exists"];

/// The options that choose this property alone, safety as `None`. `texts` are those that the command line
/// has added, in the order in which they were read.
pub fn chosen_by(property: Option<&Property>, loaded: &Loaded, texts: &[AddedProperty]) -> Vec<OsString> {
    let Some(property) = property else { return vec!["--safety".into()] };
    let Some(place) = loaded.added.iter().position(|one| std::ptr::eq(one, property)) else {
        // A formula may have a name of ours; ours then has a colon before it.
        let is_formula = |one: &Property| matches!(one, Property::Ltl { .. });
        let name = property.name();
        let taken = !is_formula(property)
            && loaded.stated.iter().any(|other| is_formula(other) && other.name() == name);
        let name = if taken { format!(":{name}") } else { name };
        return vec!["--property".into(), name.into()];
    };
    if let Property::Claim(claim) = property {
        // A file may hold several.
        return vec!["--claim".into(), claim.path.clone().into()];
    }
    // Formulas and conditions come before claims, and each is one property.
    match texts.get(place) {
        Some(AddedProperty::Ltl(text)) => vec!["--ltl".into(), text.into()],
        Some(AddedProperty::Invariant(text)) => vec!["--invariant".into(), text.into()],
        Some(AddedProperty::Exists(text)) => vec!["--exists".into(), text.into()],
        _ => Vec::new(),
    }
}

/// The command that was typed, with this choice instead of its own.
pub fn command(typed: &[OsString], choice: &[OsString]) -> String {
    let mut words: Vec<OsString> = Vec::new();
    let mut rest = typed.iter();
    while let Some(word) = rest.next() {
        let text = word.to_string_lossy();
        if text == "--" {
            words.push(word.clone());
            words.extend(rest.by_ref().cloned());
        } else if CHOICES.contains(&&*text) {
            rest.next();
        } else if text != "--safety" && !CHOICES.iter().any(|choice| is_given(&text, choice)) {
            words.push(word.clone());
        }
    }
    // Behind the word `check`.
    let at = words.iter().skip(1).position(|word| word == "check").map_or(words.len(), |place| place + 2);
    words.splice(at..at, choice.iter().cloned());
    words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

/// `--ltl=F x`
fn is_given(text: &str, option: &str) -> bool {
    text.strip_prefix(option).is_some_and(|value| value.starts_with('='))
}

/// A word as a shell reads it.
fn quoted(word: &OsStr) -> String {
    let text = word.to_string_lossy();
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-+=:,./@%".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.into_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &[&str]) -> Vec<OsString> {
        text.iter().map(OsString::from).collect()
    }

    #[test]
    fn one_choice_instead_of_others() {
        let typed = words(&[
            "lariat",
            "check",
            "a model.pml",
            "--ltl",
            "F x",
            "--safety",
            "--property=p",
            "-DN=3",
            "--timeout",
            "5",
        ]);
        let shown = command(&typed, &words(&["--ltl", "G (x' -> !y)"]));
        assert_eq!(shown, r"lariat check --ltl 'G (x'\'' -> !y)' 'a model.pml' -DN=3 --timeout 5");
        let typed = words(&["./lariat", "check", "--", "--safety"]);
        assert_eq!(command(&typed, &words(&["--safety"])), "./lariat check --safety -- --safety");
        assert_eq!(quoted(OsStr::new("")), "''");
    }
}
