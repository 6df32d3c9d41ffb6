//! The evaluator against the definitions, written down a second time, and against laws.

use lariat_ltl::evaluate::{evaluate, evaluate_at_all};
use lariat_ltl::formula::Node;
use lariat_ltl::parse::{Dialect, parse_text};
use lariat_ltl::{Formula, Formulas, Letter, Word};
use lariat_source::FileId;

/// A word from one string of `0` and `1` for each of `a`, `b`, `c`; `|` stands before the cycle.
fn word(rows: &[&str]) -> Word {
    let prefix_length = rows[0].find('|').expect("a cycle");
    let rows: Vec<Vec<bool>> = rows
        .iter()
        .map(|row| {
            assert_eq!(row.find('|'), Some(prefix_length));
            row.chars().filter(|c| *c != '|').map(|c| c == '1').collect()
        })
        .collect();
    let letter = |i: usize| Letter(rows.iter().map(|row| row[i]).collect());
    let letters: Vec<Letter> = (0..rows[0].len()).map(letter).collect();
    let (prefix, cycle) = letters.split_at(prefix_length);
    Word { prefix: prefix.to_vec(), cycle: cycle.to_vec() }
}

fn named(formulas: &mut Formulas) {
    for name in ["a", "b", "c"] {
        formulas.proposition(name);
    }
}

#[test]
fn every_operator_by_hand() {
    // One value for each position, the cycle behind `|`.
    let table: &[(&str, &[&str], &str)] = &[
        ("true", &["0|0"], "1|1"),
        ("false", &["1|1"], "0|0"),
        ("a", &["01|10"], "01|10"),
        ("!a", &["01|10"], "10|01"),
        ("a & b", &["00|11", "01|01"], "00|01"),
        ("a | b", &["00|11", "01|01"], "01|11"),
        ("a -> b", &["00|11", "01|01"], "11|01"),
        ("a <-> b", &["00|11", "01|01"], "10|01"),
        ("a xor b", &["00|11", "01|01"], "01|10"),
        ("X a", &["01|10"], "11|01"),
        ("X a", &["01|1"], "11|1"),
        ("F a", &["0100|00"], "1100|00"),
        ("F a", &["0000|01"], "1111|11"),
        ("G a", &["0111|11"], "0111|11"),
        ("G a", &["1111|10"], "0000|00"),
        ("G F a", &["000|010"], "111|111"),
        ("F G a", &["011|110"], "000|000"),
        ("F G a", &["010|11"], "111|11"),
        // b at the end of a's; a's for ever; b at once; broken.
        ("a U b", &["111|00", "000|10"], "111|10"),
        ("a U b", &["111|11", "000|00"], "000|00"),
        ("a U b", &["000|00", "100|00"], "100|00"),
        ("a U b", &["101|10", "000|10"], "001|10"),
        // Around the end of the cycle.
        ("a U b", &["1|0111", "0|1000"], "1|1111"),
        ("a U b", &["1|0101", "0|1000"], "1|1001"),
        ("a W b", &["111|11", "000|00"], "111|11"),
        ("a W b", &["111|10", "000|00"], "000|00"),
        ("a W b", &["111|00", "000|10"], "111|10"),
        ("a R b", &["000|00", "111|11"], "111|11"),
        ("a R b", &["010|00", "110|00"], "110|00"),
        ("a R b", &["001|00", "110|00"], "000|00"),
        ("a R b", &["0|100", "1|110"], "1|100"),
        ("a R b", &["0|100", "1|111"], "1|111"),
        ("a M b", &["000|00", "111|11"], "000|00"),
        ("a M b", &["010|00", "110|00"], "110|00"),
        ("a M b", &["0|100", "1|111"], "1|111"),
        ("a U (b & X c)", &["110|0", "001|0", "000|1"], "111|0"),
    ];
    for (text, rows, expected) in table {
        let mut formulas = Formulas::new();
        named(&mut formulas);
        let tree = parse_text(text, FileId(0), 0, Dialect::Spot).tree.expect("a formula");
        let formula = tree.to_formula(&mut formulas);
        let expected: Vec<bool> = expected.chars().filter(|c| *c != '|').map(|c| c == '1').collect();
        let word = word(rows);
        assert_eq!(evaluate_at_all(&formulas, formula, &word), expected, "{text} on {rows:?}");
        assert_eq!(evaluate(&formulas, formula, &word), expected[0]);
    }
}

// ---- the definitions, on an unrolled word ----

/// Truth at position i, by recursion and quantifiers. Looking `horizon` positions ahead is enough for every
/// quantifier: prefix and cycle have all been seen by then.
fn holds(formulas: &Formulas, formula: Formula, word: &Word, i: usize) -> bool {
    let letter = |i: usize| match i.checked_sub(word.prefix.len()) {
        None => &word.prefix[i],
        Some(inside) => &word.cycle[inside % word.cycle.len()],
    };
    let horizon = i.max(word.prefix.len()) + word.cycle.len();
    let at = |formula: Formula, j: usize| holds(formulas, formula, word, j);
    match formulas.node(formula) {
        Node::False => false,
        Node::True => true,
        Node::Proposition(number) => letter(i).get(*number),
        Node::Not(a) => !at(*a, i),
        Node::And(all) => all.iter().all(|a| at(*a, i)),
        Node::Or(all) => all.iter().any(|a| at(*a, i)),
        Node::Equivalent(a, b) => at(*a, i) == at(*b, i),
        Node::Next(a) => at(*a, i + 1),
        Node::Finally(a) => (i..horizon).any(|j| at(*a, j)),
        Node::Globally(a) => (i..horizon).all(|j| at(*a, j)),
        Node::Until(a, b) => (i..horizon).any(|j| at(*b, j) && (i..j).all(|k| at(*a, k))),
        Node::WeakUntil(a, b) => {
            (i..horizon).any(|j| at(*b, j) && (i..j).all(|k| at(*a, k))) || (i..horizon).all(|j| at(*a, j))
        }
        // b wherever a was not seen before.
        Node::Release(a, b) => (i..horizon).all(|j| at(*b, j) || (i..j).any(|k| at(*a, k))),
        Node::StrongRelease(a, b) => {
            (i..horizon).any(|j| at(*a, j)) && (i..horizon).all(|j| at(*b, j) || (i..j).any(|k| at(*a, k)))
        }
    }
}

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() >> 11) as usize % limit
    }

    fn word(&mut self, longest: usize) -> Word {
        let prefix_length = self.below(longest + 1);
        let cycle_length = 1 + self.below(longest);
        let mut letters =
            |count| (0..count).map(|_| Letter((0..3).map(|_| self.below(2) == 0).collect())).collect();
        Word { prefix: letters(prefix_length), cycle: letters(cycle_length) }
    }

    fn formula(&mut self, formulas: &mut Formulas, depth: u32) -> Formula {
        if depth == 0 || self.below(8) == 0 {
            return match self.below(12) {
                0 => Formula::TRUE,
                1 => Formula::FALSE,
                n => formulas.proposition(["a", "b", "c"][n % 3]),
            };
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

#[test]
fn the_definitions_agree() {
    let mut random = Random(1);
    let mut formulas = Formulas::new();
    named(&mut formulas);
    let mut truths = 0;
    for round in 0..3000 {
        let depth = 1 + round % 3;
        let formula = random.formula(&mut formulas, depth);
        let word = random.word(4);
        let found = evaluate_at_all(&formulas, formula, &word);
        let expected: Vec<bool> = (0..word.len()).map(|i| holds(&formulas, formula, &word, i)).collect();
        assert_eq!(found, expected, "{:?} on {word:?}", formulas.node(formula));
        truths += usize::from(found[0]);
    }
    assert!((500..2500).contains(&truths), "the formulas say nothing: {truths}");
}

#[test]
fn laws() {
    let mut random = Random(2);
    let mut formulas = Formulas::new();
    named(&mut formulas);
    for _ in 0..1000 {
        let a = random.formula(&mut formulas, 3);
        let b = random.formula(&mut formulas, 3);
        let word = random.word(6);
        let f = &mut formulas;
        let (not_a, not_b) = (f.not(a), f.not(b));
        let a_or_b = f.or2(a, b);
        let a_and_b = f.and2(a, b);
        let mut laws: Vec<(&str, Formula, Formula)> = Vec::new();

        let until = f.until(a, b);
        let release = f.release(a, b);
        let weak = f.weak_until(a, b);
        let strong = f.strong_release(a, b);
        let finally = f.finally(a);
        let globally = f.globally(a);

        let left = f.not(until);
        laws.push(("!(a U b) = !a R !b", left, f.release(not_a, not_b)));
        let left = f.not(weak);
        laws.push(("!(a W b) = !a M !b", left, f.strong_release(not_a, not_b)));
        let left = f.not(finally);
        laws.push(("!F a = G !a", left, f.globally(not_a)));
        let left = f.next(not_a);
        let next = f.next(a);
        laws.push(("X !a = !X a", left, f.not(next)));

        for (name, whole) in [("a U b = b | a & X(a U b)", until), ("a W b = b | a & X(a W b)", weak)] {
            let later = f.next(whole);
            let goes_on = f.and2(a, later);
            laws.push((name, whole, f.or2(b, goes_on)));
        }
        for (name, whole) in [("a R b = b & (a | X(a R b))", release), ("a M b = b & (a | X(a M b))", strong)]
        {
            let later = f.next(whole);
            let goes_on = f.or2(a, later);
            laws.push((name, whole, f.and2(b, goes_on)));
        }
        let later = f.next(finally);
        laws.push(("F a = a | X F a", finally, f.or2(a, later)));
        let later = f.next(globally);
        laws.push(("G a = a & X G a", globally, f.and2(a, later)));

        laws.push(("a W b = G a | a U b", weak, f.or2(globally, until)));
        laws.push(("a W b = b R (a | b)", weak, f.release(b, a_or_b)));
        laws.push(("a M b = F a & a R b", strong, f.and2(finally, release)));
        laws.push(("a M b = b U (a & b)", strong, f.until(b, a_and_b)));
        laws.push(("a R b = b W (a & b)", release, f.weak_until(b, a_and_b)));
        let (later_a, later_b) = (f.next(a), f.next(b));
        let later = f.next(until);
        laws.push(("X(a U b) = X a U X b", later, f.until(later_a, later_b)));
        let xor = {
            let same = f.equivalent(a, b);
            f.not(same)
        };
        let (only_a, only_b) = (f.and2(a, not_b), f.and2(not_a, b));
        laws.push(("a xor b = a & !b | !a & b", xor, f.or2(only_a, only_b)));

        for (name, left, right) in laws {
            assert_eq!(
                evaluate_at_all(f, left, &word),
                evaluate_at_all(f, right, &word),
                "{name} with a = {:?}, b = {:?} on {word:?}",
                f.node(a),
                f.node(b)
            );
        }
        let normal = f.negation_normal_form(until);
        assert_eq!(evaluate(f, until, &word), evaluate(f, normal, &word));
    }
}

/// The same word, written otherwise.
#[test]
fn only_the_infinite_word_counts() {
    let mut random = Random(3);
    let mut formulas = Formulas::new();
    named(&mut formulas);
    for _ in 0..1000 {
        let formula = random.formula(&mut formulas, 4);
        let word = random.word(5);
        let value = evaluate(&formulas, formula, &word);
        let mut unrolled = word.clone();
        unrolled.prefix.extend(word.cycle.iter().cloned());
        assert_eq!(evaluate(&formulas, formula, &unrolled), value);
        let mut doubled = word.clone();
        doubled.cycle.extend(word.cycle.iter().cloned());
        assert_eq!(evaluate(&formulas, formula, &doubled), value);
        let mut rotated = word.clone();
        rotated.prefix.push(word.cycle[0].clone());
        rotated.cycle.rotate_left(1);
        assert_eq!(evaluate(&formulas, formula, &rotated), value);
    }
}

#[test]
fn long_words() {
    let mut random = Random(4);
    let mut formulas = Formulas::new();
    named(&mut formulas);
    let text = "G(a -> F b) & (a U (b W c)) | G F (a M b) & X (c R F G a)";
    let tree = parse_text(text, FileId(0), 0, Dialect::Spot).tree.expect("a formula");
    let formula = tree.to_formula(&mut formulas);
    let mut letters = |count| -> Vec<Letter> {
        (0..count).map(|_| Letter((0..3).map(|_| random.below(2) == 0).collect())).collect()
    };
    let word = Word { prefix: letters(50_000), cycle: letters(50_000) };
    assert_eq!(evaluate_at_all(&formulas, formula, &word).len(), 100_000);
}

#[test]
fn tall_formulas() {
    let mut formulas = Formulas::new();
    let a = formulas.proposition("a");
    let b = formulas.proposition("b");
    let mut formula = a;
    for _ in 0..100_000 {
        formula = formulas.next(formula);
    }
    let word = Word { prefix: vec![], cycle: vec![Letter(vec![true, false]), Letter(vec![false, true])] };
    assert!(evaluate(&formulas, formula, &word));
    formula = formulas.until(b, formula);
    assert!(evaluate(&formulas, formula, &word));
}
