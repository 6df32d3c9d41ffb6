//! Random models with random formulas: every emptiness check says the same, and counts what the papers say;
//! and all say what Spin said when it was asked (`compare-with-spin --ltl --record`).

use lariat_generators::property::{Comparable, ModelWithFormula};
use lariat_ltl::strength::Strength;
use lariat_oracles::mark;
use lariat_oracles::properties::ask_lariat;
use lariat_oracles::properties::checks::{Compared, Outcome, compare, with_negation};

const PAIRS: u64 = 300;

/// Larger products are left out.
const MOST_STATES: u64 = 2000;

/// Pairs in which the outer search of `se` does not see the cycle. They are rare (about one in a hundred),
/// and without them a nested search that finds nothing would go unnoticed. [`find_nested`] lists them anew
/// when the generators, the translation or the order of edges change.
const NESTED: [u64; 38] = [
    139, 353, 468, 721, 733, 745, 967, 995, 1153, 1222, 1276, 1353, 1396, 1470, 1493, 1661, 1875, 1942, 2012,
    2094, 2136, 2198, 2344, 2534, 2733, 2796, 2993, 3074, 3478, 3504, 3671, 3672, 3732, 3883, 4011, 4170,
    4399, 4478,
];

/// The comparisons of those pairs that can be compared, with their seeds. All checks must agree.
fn compared(seeds: impl Iterator<Item = u64>) -> Vec<(u64, Compared)> {
    let (mut same, mut wrong) = (Vec::new(), Vec::new());
    for seed in seeds {
        let pair = ModelWithFormula::generate(seed, Comparable::AmongOurselves);
        match compare(&with_negation(&pair), MOST_STATES) {
            Outcome::Same(compared) => same.push((seed, compared)),
            Outcome::Skipped(_) => {}
            Outcome::Differs(why) => wrong.push(format!("seed {seed}: {why}")),
        }
    }
    assert!(wrong.is_empty(), "{} pairs:\n{}", wrong.len(), wrong.join("\n"));
    same
}

#[test]
fn every_check_says_the_same_where_a_nested_search_is_needed() {
    let same = compared(NESTED.into_iter());
    let nested = same.iter().filter(|(_, compared)| compared.nested).count();
    assert_eq!(
        nested,
        NESTED.len(),
        "generators, automata or their order have changed: find the pairs again (`find_nested`)"
    );
}

#[test]
#[ignore = "only to list the pairs anew"]
fn find_nested() {
    let nested = compared(0..4500).into_iter().filter(|(_, compared)| compared.nested);
    println!("{:?}", nested.map(|(seed, _)| seed).collect::<Vec<_>>());
}

#[test]
fn every_check_says_the_same() {
    let same: Vec<Compared> = compared(0..PAIRS).into_iter().map(|(_, compared)| compared).collect();
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
    // All, violated, terminal, weak, strong, with several sets, not tiny: each kind is there.
    assert!(mix[0] >= 200 && mix.iter().all(|&count| count >= 15), "{mix:?}");
}

#[test]
fn lariat_says_what_spin_said() {
    let mut wrong = Vec::new();
    let rows: Vec<&str> = include_str!("../recorded-ltl.csv").lines().skip(1).collect();
    for row in &rows {
        // The formula is the last field; it may contain commas.
        let fields: Vec<&str> = row.splitn(4, ',').collect();
        let [seed, known_mark, verdict, formula] = fields[..] else { panic!("four fields: {row}") };
        let pair = ModelWithFormula::generate(seed.parse().expect("a seed"), Comparable::WithSpin);
        let text = pair.to_string();
        if format!("{:08x}", mark(&text)) != known_mark || pair.formula_text() != formula {
            wrong.push(format!("seed {seed}: the generator has changed: record the answers again"));
            continue;
        }
        let ours = ask_lariat(&text, 200_000);
        if ours.word() != Some(verdict) {
            wrong.push(format!("seed {seed}: {verdict} in Spin, {ours:?} in Lariat"));
        }
    }
    let violated = rows.iter().filter(|row| row.contains(",violated,")).count();
    assert!(rows.len() >= 400 && violated >= 100 && rows.len() - violated >= 100);
    assert!(wrong.is_empty(), "{} of {} pairs:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}
