//! A family of formulas that are long because they say step by step what may happen: blocks of n letters,
//! each an `a` or a `b`, with a `c` before each; a `d`, and one more block; then `c` for ever. What is
//! asked for is short: a block before the `d` is the one behind it. An automaton must remember the block,
//! so it has more than 2^n states, but not many times as many. Translated at once, the demands multiply
//! over all letters that are excluded only in the next step.

use lariat_ltl::emptiness::accepts;
use lariat_ltl::evaluate::evaluate;
use lariat_ltl::parse::{Dialect, parse};
use lariat_ltl::translate::{Failure, Form, Options, Translation, translate};
use lariat_ltl::{Bdds, Formula, Formulas, Letter, Word};
use lariat_source::SourceMap;
use std::ops::RangeInclusive;

/// The member with blocks of n letters.
fn member(n: usize) -> String {
    let each = |between: &str, range: RangeInclusive<usize>, text: &dyn Fn(usize) -> String| {
        range.map(text).collect::<Vec<_>>().join(between)
    };
    let either = |i: usize| format!("(a{i} | b{i})");
    let steps =
        (1..n).map(|i| format!("({} -> X{})", either(i), either(i + 1))).collect::<Vec<_>>().join(" & ");
    let steps = if steps.is_empty() { "1".to_string() } else { steps };
    let returns = |letter: String| format!("({letter} & F(d & F{letter}))");
    let again =
        each(" | ", 1..=n, &|i| format!("{} | {}", returns(format!("a{i}")), returns(format!("b{i}"))));
    let any = each(" | ", 1..=n, &|i| format!("a{i} | b{i}"));
    let one = each(" & ", 1..=n, &|i| format!("(a{i} -> !b{i})"));
    let last = either(n);
    format!(
        "c & X(a1 | b1 | d) & G(c -> !d) & G({steps}) & G({last} -> X(c & X(a1 | b1 | d | Gc))) \
         & (!d U (d & X((a1 | b1) & {}Gc))) & F(c & X(!c & (({again}) U c))) & G((c | d) -> !({any})) & G({one})",
        "X".repeat(n)
    )
}

struct Member {
    formulas: Formulas,
    bdds: Bdds,
    formula: Formula,
}

impl Member {
    fn new(n: usize) -> Member {
        let mut sources = SourceMap::new();
        let file = sources.add("formula", "formula", member(n));
        let mut formulas = Formulas::new();
        let formula = parse(&sources, file, Dialect::Spot).tree.unwrap().to_formula(&mut formulas);
        Member { formulas, bdds: Bdds::new(), formula }
    }

    fn translate(&mut self, options: &Options) -> Result<Translation, Failure> {
        translate(&mut self.formulas, &mut self.bdds, self.formula, options)
    }

    fn negation(&mut self) -> Result<Translation, Failure> {
        let negation = self.formulas.not(self.formula);
        translate(&mut self.formulas, &mut self.bdds, negation, &Options::default())
    }

    /// The word of these blocks, the last one behind the `d`. The bits of a block say where it has a `b`.
    fn word(&self, n: usize, blocks: &[usize]) -> Word {
        let letter = |name: &str| Letter(self.formulas.propositions().iter().map(|p| p == name).collect());
        let mut prefix = Vec::new();
        for (nth, block) in blocks.iter().enumerate() {
            prefix.push(letter(if nth + 1 == blocks.len() { "d" } else { "c" }));
            for i in 1..=n {
                let which = if block >> (i - 1) & 1 == 1 { "b" } else { "a" };
                prefix.push(letter(&format!("{which}{i}")));
            }
            if nth + 2 == blocks.len() {
                prefix.push(letter("c"));
            }
        }
        Word { prefix, cycle: vec![letter("c")] }
    }
}

/// States and edges of the first members: as few as are known.
#[test]
fn sizes() {
    let known = [(9, 13), (24, 32), (57, 73), (130, 162), (291, 355), (644, 772)];
    for (n, size) in (1..).zip(known) {
        let mut member = Member::new(n);
        let found = member.translate(&Options::default()).unwrap_or_else(|failure| panic!("{n}: {failure}"));
        assert_eq!((found.automaton.states(), found.automaton.edge_count()), size, "{n}");
        assert_eq!(found.automaton.sets, 1);
        // The negation of larger ones does not fit into the usual limits.
        assert_eq!(found.proved, n <= 4, "{n}");
    }
}

/// What `check` translates when such a formula is the property.
#[test]
fn negations() {
    for (n, most) in [(1, 28), (2, 70), (3, 230), (4, 800)] {
        let found = Member::new(n).negation().unwrap_or_else(|failure| panic!("{n}: {failure}"));
        assert!(found.automaton.states() <= most, "{n}: {}", found.automaton.states());
        assert!(found.proved);
    }
}

/// The automata accept what the formulas say, with one set too.
#[test]
fn words() {
    for (n, form) in [(1, Form::Buchi), (2, Form::Generalised), (3, Form::Buchi), (4, Form::Generalised)] {
        let mut member = Member::new(n);
        let found = member.translate(&Options { form, ..Options::default() }).unwrap();
        let complement = found.complement.unwrap();
        let blocks = 1 << n;
        for case in 0..blocks * blocks {
            let (first, second, last) = (case % blocks, case * 7 % blocks, case / blocks);
            let word = member.word(n, &[first, second, last]);
            let wanted = first == last || second == last;
            assert_eq!(evaluate(&member.formulas, member.formula, &word), wanted, "{n}, {case}");
            assert_eq!(accepts(&member.bdds, &found.automaton, &word), wanted, "{n}, {case}");
            assert_eq!(accepts(&member.bdds, &complement, &word), !wanted, "{n}, {case}");
            // With one letter changed, by the definition.
            let mut changed = word;
            let place = case % changed.prefix.len();
            let proposition = case / 3 % changed.prefix[place].0.len();
            changed.prefix[place].0[proposition] ^= true;
            let wanted = evaluate(&member.formulas, member.formula, &changed);
            assert_eq!(accepts(&member.bdds, &found.automaton, &changed), wanted, "{n}, {case}");
            assert_eq!(accepts(&member.bdds, &complement, &changed), !wanted, "{n}, {case}");
        }
    }
}

/// Where the usual limits end, more states are what helps. (It takes a while: `cargo test -- --ignored`.)
#[test]
#[ignore = "takes a minute"]
fn more_states_help() {
    for (n, states) in [(7, 1413), (8, 3079)] {
        assert_eq!(Member::new(n).translate(&Options::default()).unwrap().automaton.states(), states);
    }
    assert_eq!(
        Member::new(9).translate(&Options::default()).unwrap_err(),
        Failure::TooLarge { max_states: 20_000 }
    );
    let more = Options { max_states: 40_000, ..Options::default() };
    assert_eq!(Member::new(9).translate(&more).unwrap().automaton.states(), 6664);
}
