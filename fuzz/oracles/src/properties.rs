//! Formulas about models: Spin's verdict, Lariat's, and whether they differ.
//!
//! Both get the same text, a model with one `ltl` block. Spin's verifier is compiled without reduction and
//! searches for acceptance cycles; its depth bound must not be met, or its answer says nothing. A claim of a
//! safety formula fails by an assertion of its own, or at its end; the models have no assertions, so every
//! assertion is one of those. [`checks`] compares all emptiness checks on one pair, which needs no Spin.

pub mod checks;
pub mod relations;

use crate::{errors, run, was_cut};
use lariat_checker::properties::Property;
use lariat_checker::{Loaded, Observer, Options, Report};
use lariat_generators::property::FORMULA;
use std::path::Path;
use std::time::Duration;

/// What somebody says about a formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    Holds,
    Violated,
    /// The model or the formula is not accepted.
    Refused(String),
    /// No verdict within the limits, or none that can be compared.
    Unknown(String),
}

impl Said {
    /// As it is recorded; nothing if there is no verdict.
    pub fn word(&self) -> Option<&'static str> {
        match self {
            Said::Holds => Some("holds"),
            Said::Violated => Some("violated"),
            Said::Refused(_) | Said::Unknown(_) => None,
        }
    }
}

/// Asks Spin about the formula of a model.
pub fn ask_spin(text: &str, directory: &Path, limit: Duration) -> Said {
    ask_verifier(text, &Verifier { compiled_with: &[], options: &["-a"] }, directory, limit)
}

/// What Spin's verifier is compiled with, and what it is told to look for.
pub struct Verifier<'a> {
    pub compiled_with: &'a [&'a str],
    pub options: &'a [&'a str],
}

/// Asks a verifier that Spin makes of a text.
pub fn ask_verifier(text: &str, verifier: &Verifier, directory: &Path, limit: Duration) -> Said {
    let _ = std::fs::remove_dir_all(directory);
    let written =
        std::fs::create_dir_all(directory).and_then(|()| std::fs::write(directory.join("m.pml"), text));
    match written {
        Ok(()) => ask_verifier_of_file("m.pml", verifier, directory, limit),
        Err(_) => Said::Unknown("no directory to work in".to_string()),
    }
}

/// The same of a file, as seen from the directory to work in.
pub fn ask_verifier_of_file(file: &str, verifier: &Verifier, directory: &Path, limit: Duration) -> Said {
    let unknown = |reason: &str| Said::Unknown(reason.to_string());
    let first_line = |said: &str| said.lines().next().unwrap_or("").to_string();
    let Some((_, said)) = run("spin", &["-o1", "-o2", "-o3", "-a", file], directory, limit) else {
        return unknown("spin does not run, or takes too long");
    };
    if !directory.join("pan.c").exists() {
        let about = said.lines().find(|line| !line.starts_with("ltl ")).unwrap_or("");
        return Said::Refused(about.to_string());
    }
    let mut flags = vec!["-w", "-DNOREDUCE", "-DMEMLIM=1500", "-DVECTORSZ=4096", "-o", "pan"];
    flags.extend(verifier.compiled_with);
    flags.push("pan.c");
    match run("tcc", &flags, directory, limit * 6) {
        Some((true, _)) => {}
        Some((false, said)) => return Said::Refused(format!("tcc: {}", first_line(&said))),
        None => return unknown("tcc does not run, or takes too long"),
    }
    let mut options = vec!["-n", "-m100000", "-w20"];
    options.extend(verifier.options);
    let Some((ended, said)) = run("./pan", &options, directory, limit) else {
        return unknown("the search takes too long");
    };
    match errors(&said) {
        None => {
            let about = said.lines().find(|line| !line.starts_with("pan: ltl formula "));
            Said::Unknown(about.unwrap_or("").to_string())
        }
        Some(0) if !ended || was_cut(&said) => unknown("the search was cut"),
        Some(0) => Said::Holds,
        Some(_) => {
            let error = said.lines().find_map(|line| line.strip_prefix("pan:1: ")).unwrap_or("");
            let of_the_claim = [
                "acceptance cycle",
                "non-progress cycle",
                "end state in claim reached",
                "assertion violated",
            ];
            match of_the_claim.iter().any(|kind| error.starts_with(kind)) {
                true => Said::Violated,
                false => Said::Unknown(format!("another error first: {error}")),
            }
        }
    }
}

/// Reads a text with an `ltl` block of the name [`FORMULA`]. `Err` holds the first message.
pub fn read(text: &str) -> Result<Loaded, String> {
    lariat_checker::load_text("m.pml", text, &Default::default(), &[]).map_err(|error| match error {
        lariat_checker::LoadError::Diagnostics { diagnostics, .. } => {
            let first = diagnostics.into_iter().find(|message| message.is_error());
            first.map_or(String::new(), |message| message.message)
        }
        other => other.to_string(),
    })
}

/// The formula of this name that a model states.
pub fn formula<'a>(loaded: &'a Loaded, name: &str) -> Option<&'a Property> {
    loaded.stated.iter().find(|property| property.kind() == "ltl" && property.name() == name)
}

/// Lariat's verdict with everything left to it. An error of its own is a verdict that nobody shares.
pub fn ask_lariat(text: &str, most_states: u64) -> Said {
    let loaded = match read(text) {
        Ok(loaded) => loaded,
        Err(message) => return Said::Refused(message),
    };
    let Some(property) = formula(&loaded, FORMULA) else {
        return Said::Refused("there is no formula".to_string());
    };
    let options = Options { max_states: Some(most_states), ..Options::default() };
    match lariat_checker::check_property(&loaded, property, &options, Observer::default()) {
        Ok(report) => said(&report),
        Err(error) => Said::Refused(error.to_string()),
    }
}

fn said(report: &Report) -> Said {
    match &report.verdict {
        lariat_checker::Verdict::Holds(_) => Said::Holds,
        lariat_checker::Verdict::Violated => Said::Violated,
        lariat_checker::Verdict::Unknown(reason) => Said::Unknown(reason.clone()),
        lariat_checker::Verdict::Refused(reason) => Said::Refused(reason.clone()),
    }
}

/// How the two differ; `None` if they do not, or if one has no verdict. What Spin accepts, Lariat must not
/// refuse.
pub fn disagreement(spin: &Said, lariat: &Said) -> Option<String> {
    match (spin.word(), lariat) {
        (Some(_), Said::Refused(reason)) => Some(format!("Lariat refuses: {reason}")),
        (Some(theirs), ours) => {
            let ours = ours.word()?;
            (theirs != ours).then(|| format!("{theirs} in Spin, {ours} in Lariat"))
        }
        (None, _) => None,
    }
}
