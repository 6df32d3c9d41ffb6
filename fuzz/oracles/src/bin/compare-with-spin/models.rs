//! The state space of a random model, and whether it is safe.

use crate::{Arguments, Comparison, Outcome};
use lariat_generators::{GeneratorOptions, PromelaModel, generate, shrink};
use lariat_oracles::{Asked, ask_lariat, ask_spin, disagreement, mark};
use std::path::Path;
use std::time::Duration;

pub const HEADER: &str = "seed,mark,states,transitions,safety\n";

pub fn compare(seed: u64, arguments: &Arguments, directory: &Path) -> Comparison {
    let limit = Duration::from_secs(arguments.seconds);
    let model = generate(seed, &GeneratorOptions::default());
    let text = model.to_string();
    let spin = ask_spin(&text, directory, limit);
    let lariat = match &spin {
        Asked::Answer(answer) if answer.states as usize <= arguments.most_states => {
            ask_lariat(&text, 2 * arguments.most_states)
        }
        Asked::Answer(_) | Asked::Unknown(_) => Asked::Unknown("too large".into()),
        Asked::Refused(_) => ask_lariat(&text, 100_000),
    };
    // After a run-time error Spin goes on with nonsense: nothing to compare.
    let lariat = match lariat {
        Asked::Answer(answer) if answer.runtime_error.is_some() => {
            Asked::Unknown(answer.runtime_error.unwrap_or_default())
        }
        other => other,
    };
    let difference = disagreement(&spin, &lariat);
    let outcome = match (&spin, lariat) {
        (Asked::Answer(answer), Asked::Answer(_)) => {
            let transitions = if answer.atomic { String::new() } else { answer.transitions.to_string() };
            let safety = match answer.violated {
                Some(true) => "violated",
                Some(false) => "holds",
                None => "",
            };
            let line = format!("{seed},{:08x},{},{transitions},{safety}\n", mark(&text), answer.states);
            Outcome::Answered { in_full: !answer.atomic, line }
        }
        (Asked::Refused(reason), _) => Outcome::Refused(reason.clone()),
        (Asked::Unknown(reason), _) => Outcome::Unknown(reason.clone()),
        (_, Asked::Unknown(reason) | Asked::Refused(reason)) => Outcome::Unknown(reason),
    };
    let smallest = (arguments.shrink && difference.is_some()).then(|| {
        let text = smallest(model, directory).to_string();
        let now = disagreement(&ask_spin(&text, directory, limit), &ask_lariat(&text, 4_000_000));
        format!("({})\n{text}", now.unwrap_or_default())
    });
    Comparison { outcome, difference, smallest }
}

/// The smallest model on which the two still disagree.
fn smallest(model: PromelaModel, directory: &Path) -> PromelaModel {
    let limit = Duration::from_secs(5);
    shrink(model, &mut |candidate| {
        let text = candidate.to_string();
        let lariat = ask_lariat(&text, 2_000_000);
        let comparable = match &lariat {
            Asked::Answer(answer) => answer.runtime_error.is_none(),
            Asked::Refused(_) => true,
            Asked::Unknown(_) => false,
        };
        comparable && disagreement(&ask_spin(&text, directory, limit), &lariat).is_some()
    })
}
