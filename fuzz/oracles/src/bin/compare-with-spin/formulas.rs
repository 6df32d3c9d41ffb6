//! The verdict on a random formula about a random model.
//!
//! Lariat goes first: what is too large for it is not given to Spin, and neither is a model in which runs are
//! lost. A model that it refuses is given to Spin all the same.

use crate::{Arguments, Comparison, Outcome};
use lariat_generators::property::{Comparable, ModelWithFormula, shrink};
use lariat_oracles::mark;
use lariat_oracles::properties::{Said, ask_lariat, ask_spin, disagreement};
use std::path::Path;
use std::time::Duration;

pub const HEADER: &str = "seed,mark,verdict,formula\n";

pub fn compare(seed: u64, arguments: &Arguments, directory: &Path) -> Comparison {
    let limit = Duration::from_secs(arguments.seconds);
    let most_states = arguments.most_states as u64;
    let pair = ModelWithFormula::generate(seed, Comparable::WithSpin);
    let text = pair.to_string();
    let lariat = ask_lariat(&text, most_states);
    let spin = match &lariat {
        Said::Unknown(reason) => Said::Unknown(reason.clone()),
        _ => ask_spin(&text, directory, limit),
    };
    let difference = disagreement(&spin, &lariat);
    let outcome = match (&spin, &lariat) {
        (Said::Refused(reason), _) => Outcome::Refused(reason.clone()),
        (Said::Unknown(reason), _) | (_, Said::Unknown(reason) | Said::Refused(reason)) => {
            Outcome::Unknown(reason.clone())
        }
        (Said::Holds | Said::Violated, Said::Holds | Said::Violated) => {
            let verdict = spin.word().unwrap_or_default();
            let line = format!("{seed},{:08x},{verdict},{}\n", mark(&text), pair.formula_text());
            Outcome::Answered { in_full: spin == Said::Violated, line }
        }
    };
    let smallest = (arguments.shrink && difference.is_some()).then(|| {
        let limit = Duration::from_secs(5);
        let smallest = shrink(pair, &mut |candidate| {
            let text = candidate.to_string();
            let lariat = ask_lariat(&text, most_states);
            !matches!(lariat, Said::Unknown(_))
                && disagreement(&ask_spin(&text, directory, limit), &lariat).is_some()
        });
        smallest.to_string()
    });
    Comparison { outcome, difference, smallest }
}
