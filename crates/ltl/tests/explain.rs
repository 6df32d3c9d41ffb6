//! Sentences that say why: golden texts for each kind of property, and, for random formulas and words, every
//! claim of the sentence as it is read, looked up by the evaluator; and whether the claims imply the verdict.

use expect_test::{Expect, expect};
use lariat_ltl::evaluate::{evaluate, evaluate_at_all};
use lariat_ltl::explain::{Claim, Kind, Loop, MOST_CLAIMS, Places, Reasons, When, explain};
use lariat_ltl::parse::{Dialect, parse_text};
use lariat_ltl::print::{Style, print};
use lariat_ltl::{Formula, Formulas, Letter, Word};
use lariat_source::FileId;

/// A word from one string of `0` and `1` for each of `a`, `b`, `c`; `|` stands before the cycle.
fn word(rows: &[&str]) -> Word {
    let cycle = rows[0].find('|').expect("a cycle");
    let row = |row: &&str| -> Vec<bool> { row.chars().filter(|c| *c != '|').map(|c| c == '1').collect() };
    let rows: Vec<Vec<bool>> = rows.iter().map(row).collect();
    let letter = |i: usize| Letter(rows.iter().map(|row| row[i]).collect());
    let letters: Vec<Letter> = (0..rows[0].len()).map(letter).collect();
    let (prefix, cycle) = letters.split_at(cycle);
    Word { prefix: prefix.to_vec(), cycle: cycle.to_vec() }
}

fn named(formulas: &mut Formulas) {
    for name in ["a", "b", "c"] {
        formulas.proposition(name);
    }
}

fn read(formulas: &mut Formulas, text: &str) -> Formula {
    let tree = parse_text(text, FileId(0), 0, Dialect::Spot).tree.expect("a formula");
    tree.to_formula(formulas)
}

/// The position i is read after step i, and the cycle leads back with one step more.
fn steps(word: &Word) -> (Vec<u64>, Loop) {
    let steps: Vec<u64> = (0..word.len() as u64).collect();
    (steps, Loop::Steps(word.prefix.len() as u64 + 1, word.len() as u64))
}

fn told(formulas: &Formulas, formula: Formula, word: &Word) -> String {
    let explanation = explain(formulas, formula, word, Reasons::Any).expect("there is always a reason");
    let (steps, end) = steps(word);
    let name = |formula| print(formulas, formula, Style::Spot);
    explanation.sentence(word, &Places { steps: &steps, end }, name)
}

fn judged(text: &str, rows: &[&str], kind: Kind, expected: Expect) {
    let mut formulas = Formulas::new();
    named(&mut formulas);
    let formula = read(&mut formulas, text);
    let word = word(rows);
    assert!(!evaluate(&formulas, formula, &word), "{text} holds");
    assert_eq!(Kind::of(&formulas, formula), kind, "{text}");
    expected.assert_eq(&told(&formulas, formula, &word));
}

#[test]
fn every_kind_of_property() {
    judged("G !a", &["0010|0"], Kind::Absence, expect!["`a` is true at step 2"]);
    judged(
        "F a",
        &["00|00"],
        Kind::Existence,
        expect!["`a` is false from the start on, and the cycle of steps 3 to 4 repeats for ever"],
    );
    judged("G a", &["1101|1"], Kind::Universality, expect!["`a` is false at step 2"]);
    judged("G (a | b)", &["1101|1", "0000|0"], Kind::Universality, expect!["`a | b` is false at step 2"]);
    judged(
        "G (a -> F b)",
        &["00100|000", "01000|000"],
        Kind::Response,
        expect![
            "`a` is true at step 2; `b` is false from there on, and the cycle of steps 6 to 8 repeats for ever"
        ],
    );
    judged(
        "G (a -> F b)",
        &["0101|0010", "0100|0000"],
        Kind::Response,
        expect![
            "`a` is true at step 3; `b` is false from there on, and the cycle of steps 5 to 8 repeats for ever"
        ],
    );
    judged(
        "!b W a",
        &["0000|1", "0001|0"],
        Kind::Precedence,
        expect!["`b` is true at step 3; `a` is false from the start to step 3"],
    );
    judged(
        "a R !b",
        &["0000|1", "0001|0"],
        Kind::Precedence,
        expect!["`b` is true at step 3; `a` is false from the start to step 2"],
    );
    judged(
        "F G a",
        &["11|1101"],
        Kind::Persistence,
        expect!["`a` is false again and again, at step 4, and the cycle of steps 3 to 6 repeats for ever"],
    );
    judged(
        "F G a",
        &["11|01"],
        Kind::Persistence,
        expect!["`a` is false again and again, at step 4, and the cycle of steps 3 to 4 repeats for ever"],
    );
    judged(
        "G F a",
        &["0110|00"],
        Kind::Recurrence,
        expect!["`a` is false from step 3 on, and the cycle of steps 5 to 6 repeats for ever"],
    );
    judged(
        "a U b",
        &["1111|1", "0000|0"],
        Kind::Until,
        expect!["`b` is false from the start on, and the cycle of step 5 repeats for ever"],
    );
    judged(
        "a U b",
        &["1101|1", "0001|0"],
        Kind::Until,
        expect!["`a` is false at step 2; `b` is false from the start to step 2"],
    );
}

#[test]
fn everything_else_has_the_general_form() {
    judged(
        "G (a -> X b)",
        &["00|01", "00|00"],
        Kind::General,
        expect!["`a` is true at step 3; `b` is false at step 2 of a later round"],
    );
    judged(
        "(G F a) -> (G F b)",
        &["00|01", "11|00"],
        Kind::General,
        expect![
            "`b` is false from step 2 on; `a` is true again and again, at step 3, and the cycle of steps 3 to 4 repeats for ever"
        ],
    );
    judged(
        "a & X (b | X c)",
        &["10|0", "00|1", "00|0"],
        Kind::General,
        expect!["`b` is false at step 1; `c` is false at step 2"],
    );
    judged(
        "(a U b) | (b U a) | (b U c) | G (a U (b & X c)) | (c U (a & b))",
        &["00|0", "00|0", "00|0"],
        Kind::General,
        expect!["`(a U b) | (b U a) | (b U c) | G(a U (b & Xc)) | (c U (a & b))` is false at the start"],
    );
}

struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % limit
    }

    fn word(&mut self, longest: usize) -> Word {
        let (prefix, cycle) = (self.below(longest + 1), 1 + self.below(longest));
        let mut letters =
            |count| (0..count).map(|_| Letter((0..3).map(|_| self.below(2) == 0).collect())).collect();
        Word { prefix: letters(prefix), cycle: letters(cycle) }
    }

    fn formula(&mut self, formulas: &mut Formulas, depth: u32) -> Formula {
        if depth == 0 || self.below(8) == 0 {
            return formulas.proposition(["a", "b", "c"][self.below(3)]);
        }
        let a = self.formula(formulas, depth - 1);
        let b = self.formula(formulas, depth - 1);
        match self.below(12) {
            0 => formulas.not(a),
            1 => formulas.next(a),
            2 => formulas.finally(a),
            3 => formulas.globally(a),
            4 => formulas.and2(a, b),
            5 => formulas.or2(a, b),
            6 => formulas.implies(a, b),
            7 => formulas.equivalent(a, b),
            8 => formulas.until(a, b),
            9 => formulas.release(a, b),
            10 => formulas.weak_until(a, b),
            _ => formulas.strong_release(a, b),
        }
    }
}

/// The claims of a sentence, as somebody reads it who has only the sentence.
fn claims_of(sentence: &str, formulas: &mut Formulas, word: &Word) -> Vec<Claim> {
    let mut rest = sentence;
    let mut claims: Vec<Claim> = Vec::new();
    while let Some(start) = rest.strip_prefix('`') {
        let (formula, after) = start.split_once("` is ").expect("a formula");
        let formula = read(formulas, formula);
        let (value, after) = after.split_once(' ').expect("a value");
        let end = after.find("; `").or(after.find(", and the cycle")).unwrap_or(after.len());
        let at = |text: &str| -> usize {
            let (text, later) = match text.strip_suffix(" of a later round") {
                Some(text) => (text, true),
                None => (text, false),
            };
            let number = match text {
                "the start" => 0,
                _ => text
                    .strip_prefix("step ")
                    .and_then(|n| n.parse().ok())
                    .unwrap_or_else(|| panic!("{text}")),
            };
            if later { number + word.cycle.len() } else { number }
        };
        let before =
            claims.last().and_then(|claim| if let When::At(at) = claim.when { Some(at) } else { None });
        let when = &after[..end];
        let when = if let Some(step) = when.strip_prefix("again and again, at ") {
            assert!(sentence.contains(", and the cycle of step"), "{sentence}");
            When::Again(at(step))
        } else if when == "there too" {
            When::At(before.expect("a place before"))
        } else if when == "from there on" {
            When::From(before.expect("a place before"))
        } else if let Some(from) = when.strip_prefix("from ").and_then(|when| when.strip_suffix(" on")) {
            When::From(at(from))
        } else if let Some(between) = when.strip_prefix("from ") {
            let (from, to) = between.split_once(" to ").expect("an end");
            When::Between(at(from), at(to))
        } else {
            When::At(at(when.strip_prefix("at ").expect("a time")))
        };
        claims.push(Claim { formula, holds: value == "true", when });
        rest = after[end..].strip_prefix("; ").unwrap_or("");
    }
    claims
}

/// Whether a claim is so, by the evaluator.
fn is_so(claim: &Claim, formulas: &Formulas, word: &Word) -> bool {
    let row = evaluate_at_all(formulas, claim.formula, word);
    let at = |position: usize| row[word.fold(position)] == claim.holds;
    match claim.when {
        When::At(position) => at(position),
        When::Between(from, to) => {
            // Of two numbers of steps in the cycle, the second may be smaller by a round.
            let to = if to < from { to + word.cycle.len() } else { to };
            (from..=to).all(at)
        }
        When::From(from) => (from..from.max(word.prefix.len()) + word.cycle.len()).all(at),
        // The last step of the cycle leads to its first position.
        When::Again(position) => {
            let position = if position == word.len() { word.prefix.len() } else { position };
            position >= word.prefix.len() && at(position)
        }
    }
}

#[test]
fn what_sentences_claim_is_so() {
    let mut random = Random(7);
    let (mut general, mut infinite, mut several) = (0, 0, 0);
    for round in 0..20_000 {
        let mut formulas = Formulas::new();
        named(&mut formulas);
        let formula = random.formula(&mut formulas, 1 + round % 4);
        let word = random.word(5);
        if formula == Formula::TRUE || formula == Formula::FALSE {
            continue;
        }
        let sentence = told(&formulas, formula, &word);
        let claims = claims_of(&sentence, &mut formulas, &word);
        assert!((1..=MOST_CLAIMS).contains(&claims.len()), "{sentence}");
        for claim in &claims {
            assert!(is_so(claim, &formulas, &word), "{sentence}: {claim:?} on {word:?}");
        }
        general += usize::from(claims.iter().any(|claim| claim.formula == formula));
        infinite += usize::from(sentence.contains("for ever"));
        several += usize::from(claims.len() > 1);
    }
    assert!(general < 6_000 && infinite > 2_000 && several > 3_000, "{general} {infinite} {several}");
}

/// Whatever else is true on a word: if the claims are, the formula has the value that they explain.
#[test]
fn claims_are_reasons() {
    let mut random = Random(11);
    let mut tried = 0;
    for round in 0..3_000 {
        let mut formulas = Formulas::new();
        named(&mut formulas);
        let formula = random.formula(&mut formulas, 1 + round % 3);
        let example = random.word(2);
        let Some(explanation) = explain(&formulas, formula, &example, Reasons::Any) else { continue };
        let value = evaluate(&formulas, formula, &example);
        for _ in 0..60 {
            let letter = |random: &mut Random| Letter((0..3).map(|_| random.below(2) == 0).collect());
            let mut other = example.clone();
            for place in other.prefix.iter_mut().chain(&mut other.cycle) {
                if random.below(3) == 0 {
                    *place = letter(&mut random);
                }
            }
            if explanation.claims.iter().all(|claim| is_so(claim, &formulas, &other)) {
                tried += 1;
                assert_eq!(
                    evaluate(&formulas, formula, &other),
                    value,
                    "{} because of {:?} on {example:?}, and not on {other:?}",
                    print(&formulas, formula, Style::Spot),
                    explanation.claims
                );
            }
        }
    }
    assert!(tried > 30_000, "{tried}");
}

/// What a beginning decides has a finite reason, which says nothing about what follows.
#[test]
fn finite_reasons_are_finite() {
    let mut random = Random(13);
    let mut found = 0;
    for round in 0..3_000 {
        let mut formulas = Formulas::new();
        named(&mut formulas);
        let formula = random.formula(&mut formulas, 1 + round % 3);
        let word = random.word(4);
        let Some(explanation) = explain(&formulas, formula, &word, Reasons::Finite) else { continue };
        found += 1;
        let value = evaluate(&formulas, formula, &word);
        let last = explanation.claims.iter().map(|claim| match claim.when {
            When::At(at) | When::Between(_, at) | When::From(at) | When::Again(at) => at,
        });
        let last = last.max().unwrap_or(0);
        assert!(explanation.claims.iter().all(Claim::is_finite));
        let temporal = |claim: &Claim| !lariat_ltl::explain::is_state(&formulas, claim.formula);
        if explanation.claims.iter().any(temporal) {
            continue;
        }
        let prefix = (0..=last).map(|at| word.letter(word.fold(at)).clone()).collect::<Vec<_>>();
        let other = Word { prefix, cycle: random.word(4).cycle };
        assert_eq!(evaluate(&formulas, formula, &other), value);
    }
    assert!(found > 1_000, "{found}");
}
