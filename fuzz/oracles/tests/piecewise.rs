//! Translation piece by piece, on formulas that are made of pieces: conjunctions of invariants, of steps
//! that must follow each other, and of whatever a random formula asks for; and the negations of such, which
//! are disjunctions. Judged on all short words by the definition of the logic, and by products with other
//! translations.

use lariat_generators::formula::{FormulaTree, generate_sized};
use lariat_generators::random::Random;
use lariat_ltl::emptiness::{accepts, intersect_within};
use lariat_ltl::evaluate::evaluate;
use lariat_ltl::limits::Limits;
use lariat_ltl::parse::{Dialect, parse};
use lariat_ltl::stop::Stop;
use lariat_ltl::tableau::{self, Branching};
use lariat_ltl::{Bdds, Formula, Formulas, Letter, Word, piecewise};
use lariat_source::SourceMap;

fn read(formulas: &mut Formulas, text: &str) -> Formula {
    let mut sources = SourceMap::new();
    let file = sources.add("formula", "formula", text.to_string());
    let tree = parse(&sources, file, Dialect::Spot).tree.unwrap_or_else(|| panic!("{text}"));
    tree.to_formula(formulas)
}

/// A conjunction of two to six parts over three propositions.
fn specification(random: &mut Random) -> String {
    let names = &FormulaTree::NAMES[..3];
    let literal = |random: &mut Random| {
        let name = *random.pick(names);
        if random.chance(50) { name.to_string() } else { format!("!{name}") }
    };
    let count = random.between(2, 6);
    let mut part = |_| {
        let [a, b, c] = [0; 3].map(|_| literal(random));
        match random.below(14) {
            0 => format!("G({a} | {b})"),
            1 => format!("G({a} -> X {b})"),
            2 => format!("G({a} -> X({b} | X {c}))"),
            3 => format!("X({a} | {b})"),
            4 => format!("({a} U ({b} & X {c}))"),
            5 => format!("({a} W G {b})"),
            size => format!("({})", generate_sized(random, size).renamed(&|number| number % names.len())),
        }
    };
    (0..count).map(&mut part).collect::<Vec<_>>().join(" & ")
}

/// All words over three propositions with a prefix of up to one letter and a cycle of one or two.
fn short_words() -> Vec<Word> {
    let letter = |code: usize| Letter((0..3).map(|bit| code >> bit & 1 == 1).collect());
    let mut words = Vec::new();
    for first in 0..8 {
        words.push(Word { prefix: vec![], cycle: vec![letter(first)] });
        for second in 0..8 {
            words.push(Word { prefix: vec![letter(first)], cycle: vec![letter(second)] });
            words.push(Word { prefix: vec![], cycle: vec![letter(first), letter(second)] });
            for third in 0..8 {
                let cycle = vec![letter(second), letter(third)];
                words.push(Word { prefix: vec![letter(first)], cycle });
            }
        }
    }
    words
}

#[test]
fn pieces_come_to_the_whole() {
    let words = short_words();
    let (mut judged, mut satisfied) = (0, 0);
    for seed in 0..1500 {
        let mut random = Random::new(seed);
        let text = specification(&mut random);
        let mut formulas = Formulas::new();
        for name in &FormulaTree::NAMES[..3] {
            formulas.proposition(name);
        }
        let formula = read(&mut formulas, &text);
        let negation = formulas.not(formula);
        let mut bdds = Bdds::new();
        let limits = Limits::for_states(2_000, Stop::NEVER);
        for (side, other) in [(formula, negation), (negation, formula)] {
            let Ok(pieces) = piecewise::translate(&mut formulas, &mut bdds, side, limits) else { continue };
            for word in &words {
                let holds = evaluate(&formulas, side, word);
                assert_eq!(accepts(&bdds, &pieces, word), holds, "seed {seed}: {text}, {word:?}");
                satisfied += holds as usize;
            }
            let other = tableau::translate(&mut formulas, &mut bdds, other, Branching::Early, limits);
            if let Ok(other) = other {
                let mut pairs = 1_000_000;
                let common = intersect_within(&mut bdds, &pieces, &other, &mut pairs, Stop::NEVER);
                assert_ne!(common, Some(true), "seed {seed}: {text}");
                judged += common.is_some() as usize;
            }
        }
    }
    assert!(judged > 2_500, "only {judged}");
    assert!(satisfied > 100_000, "only {satisfied}");
}
