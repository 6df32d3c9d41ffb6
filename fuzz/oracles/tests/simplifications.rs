//! Simplified models get the verdicts that they had before: random models with random formulas, our own
//! models, all regressions.

use lariat_generators::property::{Comparable, ModelWithFormula};
use lariat_oracles::properties::read;
use lariat_oracles::simplifications::{Compared, compare};

const PAIRS: u64 = 400;

/// Larger models are left out.
const MOST_STATES: u64 = 3000;

fn pairs() -> u64 {
    std::env::var("PAIRS").ok().and_then(|pairs| pairs.parse().ok()).unwrap_or(PAIRS)
}

#[test]
fn random_models_keep_their_verdicts() {
    let (mut same, mut wrong) = (Vec::new(), Vec::new());
    for seed in 0..pairs() {
        let text = ModelWithFormula::generate(seed, Comparable::AmongOurselves).to_string();
        let Ok(loaded) = read(&text) else { continue };
        // What depends on hidden variables depends on the order of the search.
        if loaded.model.hidden_size > 0 {
            continue;
        }
        match compare(&loaded, MOST_STATES) {
            Ok(compared) => same.extend(compared),
            Err(why) => wrong.push(format!("seed {seed}: {why}")),
        }
    }
    assert!(wrong.is_empty(), "{} pairs:\n{}", wrong.len(), wrong.join("\n"));
    let count = |is: &dyn Fn(&Compared) -> bool| same.iter().filter(|compared| is(compared)).count() as u64;
    let sum = |of: &dyn Fn(&Compared) -> usize| same.iter().map(of).sum::<usize>() as u64;
    let mix = [
        count(&|_| true),
        sum(&|compared| compared.verdicts),
        sum(&|compared| compared.violated),
        count(&|compared| compared.simplified[0] < compared.states),
        count(&|compared| compared.simplified[1] < compared.states),
        count(&|compared| compared.simplified[2] < compared.simplified[0].min(compared.simplified[1])),
    ];
    println!("{mix:?}");
    // All, verdicts, violated; and where each choice makes a difference.
    assert!(mix[0] >= pairs() / 3 && mix.iter().all(|&count| count >= pairs() / 20), "{mix:?}");
}
