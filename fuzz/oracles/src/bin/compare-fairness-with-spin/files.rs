//! The properties that a file states: formulas, never claims, labels of acceptance and of progress.

use crate::judge::{Judged, by_definition};
use crate::{Arguments, COMPILED_WITH, Outcome, differs};
use lariat_checker::properties::Property;
use lariat_oracles::properties::{Verifier, ask_verifier_of_file, disagreement};
use std::path::Path;
use std::time::Duration;

pub fn compare(file: &Path, arguments: &Arguments, directory: &Path) -> Vec<Outcome> {
    let limit = Duration::from_secs(arguments.seconds);
    let (Ok(whole), Ok(text)) = (file.canonicalize(), std::fs::read_to_string(file)) else {
        return vec![Outcome::NotCompared];
    };
    let Ok(loaded) = lariat_checker::load(file, &Default::default()) else {
        return vec![Outcome::NotCompared];
    };
    let is_compared =
        |property: &&Property| ["ltl", "never", "acceptance", "non-progress"].contains(&property.kind());
    let mut outcomes = Vec::new();
    for property in loaded.stated.iter().filter(is_compared) {
        let ours = Judged::of(&loaded, property, arguments.most_states);
        let name = property.name();
        let about = format!("{} {name}", file.display());
        let by_name = ["-a", "-N", &name, "-f"];
        let (flags, options): (&[&str], &[&str]) = match property.kind() {
            "ltl" => (&[], &by_name),
            "never" => (&[], &["-a", "-f"]),
            "acceptance" => (&["-DNOCLAIM"], &["-a", "-f"]),
            _ => (&["-DNOCLAIM", "-DNP"], &["-l", "-f"]),
        };
        let compiled_with = [&COMPILED_WITH[..], flags].concat();
        let ask = |options: &[&str]| {
            let _ = std::fs::remove_dir_all(directory);
            let verifier = Verifier { compiled_with: &compiled_with, options };
            match std::fs::create_dir_all(directory) {
                Ok(()) => ask_verifier_of_file(&whole.to_string_lossy(), &verifier, directory, limit),
                Err(error) => lariat_oracles::properties::Said::Unknown(error.to_string()),
            }
        };
        if ours.fairly.word().is_none() {
            println!("{about}: not compared: {:?}", ours.fairly);
            outcomes.push(Outcome::NotCompared);
            continue;
        }
        let theirs = ask(options);
        let outcome = match (disagreement(&theirs, &ours.fairly), theirs.word()) {
            (None, Some(_)) => Outcome::Same(theirs),
            (None, None) => {
                println!("{about}: not compared: {theirs:?}");
                Outcome::NotCompared
            }
            (Some(_), _) => {
                let anyhow = ask(&options[..options.len() - 1]);
                differs(about, &text, &ours, by_definition(&loaded, property), (&theirs, &anyhow))
            }
        };
        outcomes.push(outcome);
    }
    outcomes
}
