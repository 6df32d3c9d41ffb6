//! Rewriting, translation and reduction on formulas chosen by hand. Random formulas are judged elsewhere
//! (`fuzz/oracles`).

use expect_test::{Expect, expect};
use lariat_ltl::emptiness::{accepts, intersect};
use lariat_ltl::evaluate::evaluate;
use lariat_ltl::parse::{Dialect, parse};
use lariat_ltl::print::{Style, print};
use lariat_ltl::rewrite::Rewriter;
use lariat_ltl::stop::Stop;
use lariat_ltl::strength::{Strength, strength};
use lariat_ltl::stutter;
use lariat_ltl::translate::{Failure, Form, Method, Options, Statistics, translate};
use lariat_ltl::{Bdds, Formula, Formulas, Letter, Placement, Word};
use lariat_source::SourceMap;
use std::cell::Cell;
use std::fmt::Write;
use std::time::{Duration, Instant};

fn read(formulas: &mut Formulas, text: &str) -> Formula {
    let mut sources = SourceMap::new();
    let file = sources.add("formula", "formula", text.to_string());
    let parsed = parse(&sources, file, Dialect::Spot);
    let tree = parsed.tree.unwrap_or_else(|| panic!("{text}: {:?}", parsed.diagnostics));
    tree.to_formula(formulas)
}

/// All words of a prefix up to 2 and a cycle up to 2 letters over two propositions.
fn all_small_words() -> Vec<Word> {
    let letters: Vec<Letter> = (0..4).map(|n| Letter(vec![n & 1 == 1, n & 2 == 2])).collect();
    let mut pieces: Vec<Vec<Letter>> = vec![Vec::new()];
    for one in &letters {
        pieces.push(vec![one.clone()]);
        pieces.extend(letters.iter().map(|two| vec![one.clone(), two.clone()]));
    }
    let mut words = Vec::new();
    for prefix in &pieces {
        for cycle in pieces.iter().filter(|cycle| !cycle.is_empty()) {
            words.push(Word { prefix: prefix.clone(), cycle: cycle.clone() });
        }
    }
    words
}

/// What the rewriting makes of each formula. That both are equivalent is tested on all small words.
#[test]
fn laws() {
    let table = [
        ("F a | F b", "F(a | b)"),
        ("G a & G b", "G(a & b)"),
        ("X a & X b", "X(a & b)"),
        ("FG a & FG b", "FG(a & b)"),
        ("GF a | GF b", "GF(a | b)"),
        ("(a U b) & (!a U b)", "b"),
        ("(a U b) | G a", "a W b"),
        ("(a W b) & F b", "a U b"),
        ("(a R b) & F a", "a M b"),
        ("b | X F b", "F b"),
        ("b & X G b", "G b"),
        ("b | (a & X(a U b))", "a U b"),
        ("b & (a | X(a R b))", "a R b"),
        ("a U F b", "F b"),
        ("a R G b", "G b"),
        ("F G F a", "G F a"),
        ("X G F a", "G F a"),
        ("G(a | G F b)", "G a | G F b"),
        ("F(a & G F b)", "F a & G F b"),
        ("G F (a & F b)", "GF a & GF b"),
        ("G F (a & G b)", "GF a & FG b"),
        ("G F (a | X b)", "GF(a | b)"),
        ("G F (a | (b & F a))", "GF a"),
        ("F G (a & X b)", "FG(a & b)"),
        ("G(a U b)", "G(a | b) & GF b"),
        ("G(a W b)", "G(a | b)"),
        ("G(a & (a R b))", "G(a & b)"),
        ("F(a M b)", "F(a & b)"),
        ("F(a | (b U a))", "F a"),
        ("a U (a | b)", "a | b"),
        ("(a | b) W b", "a W b"),
        ("a W (a & b)", "b R a"),
        ("a R (a | b)", "b W a"),
        ("!a U (b & !a)", "b M !a"),
        ("(X a) U (X b)", "X(a U b)"),
        ("G a & F(a & b)", "G a & F b"),
        ("G a & (b U !a)", "0"),
        ("a & (a | F b)", "a"),
        ("(a U b) & !b & G !b", "0"),
        ("(G a) U b", "F b & (b | G a)"),
        ("(F a) R b", "G b | (b & F a)"),
        ("a <-> a", "1"),
        ("(a U b) | !(a U b)", "1"),
    ];
    let words = all_small_words();
    for (before, after) in table {
        let mut formulas = Formulas::new();
        formulas.proposition("a");
        formulas.proposition("b");
        let (formula, expected) = (read(&mut formulas, before), read(&mut formulas, after));
        let mut rewriter = Rewriter::new();
        let result = rewriter.simplify(&mut formulas, formula);
        let expected_form = rewriter.simplify(&mut formulas, expected);
        let shown = print(&formulas, result, Style::Spot);
        assert_eq!(result, expected_form, "{before} became {shown}, not {after}");
        for word in &words {
            let value = evaluate(&formulas, formula, word);
            assert_eq!(value, evaluate(&formulas, result, word), "{before} and {shown} differ on {word:?}");
            assert_eq!(value, evaluate(&formulas, expected, word), "{before} and {after} differ on {word:?}");
        }
    }
}

fn sizes(formulas: &[&str]) -> String {
    let mut table = String::new();
    for text in formulas {
        let mut shown = format!("{text:34}");
        for form in [Form::Generalised, Form::Buchi] {
            let mut table = Formulas::new();
            let mut bdds = Bdds::new();
            let formula = read(&mut table, text);
            let translation =
                translate(&mut table, &mut bdds, formula, &Options { form, ..Options::default() });
            let translation = translation.unwrap_or_else(|failure| panic!("{text}: {failure}"));
            assert!(translation.proved, "{text}");
            let stats = Statistics::of(&mut bdds, &translation.automaton);
            if form == Form::Buchi {
                assert_eq!((stats.sets, stats.placement), (1, Placement::States), "{text}");
                assert!(translation.automaton.has_state_acceptance(), "{text}");
            }
            let determinism = if stats.deterministic { "det" } else { "" };
            write!(
                shown,
                "|{:3} {:3} {:2} {:8} {determinism:3} ",
                stats.states,
                stats.edges,
                stats.sets,
                stats.strength.to_string()
            )
            .unwrap();
        }
        writeln!(table, "{}", shown.trim_end()).unwrap();
    }
    table
}

fn check(actual: &str, expected: Expect) {
    expected.assert_eq(actual);
}

/// States, edges, sets, strength; generalised, then with one set on states.
#[test]
fn sizes_of_well_known_formulas() {
    let actual = sizes(&[
        "1",
        "0",
        "a",
        "X a",
        "F a",
        "G a",
        "GF a",
        "FG a",
        "a U b",
        "a W b",
        "a R b",
        "a M b",
        "G(a -> F b)",
        "!G(a -> F b)",
        "GFa & GFb",
        "GFa & GFb & GFc",
        "GFa -> GFb",
        "!(GFa -> GFb)",
        "(GFa & GFb) -> GFc",
        "FGa & GFb",
        "G(a -> X b)",
        "G(a -> X X b)",
        "F(a & X b)",
        "GF(a & X b)",
        "FG(a | X b)",
        "a U (b U c)",
        "(a U b) U c",
        "!((a U b) U c)",
        "G(a -> (b U c))",
        "F a & F b",
        "F a & F b & F c",
        "G(a U (b | G c))",
        "X X X a",
        "(a <-> X b) U c",
    ]);
    check(
        &actual,
        expect![[r#"
            1                                 |  1   1  0 terminal det |  1   1  1 terminal det
            0                                 |  1   0  0 terminal det |  1   0  1 terminal det
            a                                 |  2   2  0 terminal det |  2   2  1 terminal det
            X a                               |  3   3  0 terminal det |  3   3  1 terminal det
            F a                               |  2   3  1 terminal det |  2   3  1 terminal det
            G a                               |  1   1  0 weak     det |  1   1  1 weak     det
            GF a                              |  1   2  1 strong   det |  2   4  1 strong   det
            FG a                              |  2   3  1 weak         |  2   3  1 weak
            a U b                             |  2   3  1 terminal det |  2   3  1 terminal det
            a W b                             |  2   3  0 weak     det |  2   3  1 weak     det
            a R b                             |  2   3  0 weak     det |  2   3  1 weak     det
            a M b                             |  2   3  1 terminal det |  2   3  1 terminal det
            G(a -> F b)                       |  2   4  1 strong   det |  2   4  1 strong   det
            !G(a -> F b)                      |  2   3  1 weak         |  2   3  1 weak
            GFa & GFb                         |  1   4  2 strong   det |  3   8  1 strong   det
            GFa & GFb & GFc                   |  1   8  3 strong   det |  4  13  1 strong   det
            GFa -> GFb                        |  2   4  1 strong       |  3   6  1 strong
            !(GFa -> GFb)                     |  2   4  1 strong       |  3   6  1 strong
            (GFa & GFb) -> GFc                |  3   6  1 strong       |  4   8  1 strong
            FGa & GFb                         |  2   4  1 strong       |  3   6  1 strong
            G(a -> X b)                       |  2   4  0 weak     det |  2   4  1 weak     det
            G(a -> X X b)                     |  4   8  0 weak     det |  4   8  1 weak     det
            F(a & X b)                        |  3   4  1 terminal     |  3   4  1 terminal
            GF(a & X b)                       |  2   4  1 strong       |  2   4  1 strong
            FG(a | X b)                       |  3   7  1 weak         |  3   7  1 weak
            a U (b U c)                       |  3   6  1 terminal det |  3   6  1 terminal det
            (a U b) U c                       |  4  10  1 terminal det |  4  10  1 terminal det
            !((a U b) U c)                    |  3   6  0 weak         |  3   6  1 weak
            G(a -> (b U c))                   |  2   4  1 strong   det |  2   4  1 strong   det
            F a & F b                         |  4   9  1 terminal det |  4   9  1 terminal det
            F a & F b & F c                   |  8  27  1 terminal det |  8  27  1 terminal det
            G(a U (b | G c))                  |  2   4  1 strong       |  3   7  1 strong
            X X X a                           |  5   5  0 terminal det |  5   5  1 terminal det
            (a <-> X b) U c                   |  4  10  1 terminal det |  4  10  1 terminal det
        "#]],
    );
}

#[test]
fn strengths() {
    let table = [
        ("F a", Strength::Terminal),
        ("a U b", Strength::Terminal),
        ("1", Strength::Terminal),
        ("0", Strength::Terminal),
        ("X a", Strength::Terminal),
        ("G a", Strength::Weak),
        ("a W b", Strength::Weak),
        ("FG a", Strength::Weak),
        ("F a & G b", Strength::Weak),
        ("GF a", Strength::Strong),
        ("G(a -> F b)", Strength::Strong),
        ("GF a & FG b", Strength::Strong),
    ];
    for (text, expected) in table {
        for form in [Form::Generalised, Form::Buchi] {
            let mut formulas = Formulas::new();
            let mut bdds = Bdds::new();
            let formula = read(&mut formulas, text);
            let result =
                translate(&mut formulas, &mut bdds, formula, &Options { form, ..Options::default() })
                    .unwrap();
            assert_eq!(strength(&mut bdds, &result.automaton), expected, "{text} {form:?}");
        }
    }
}

/// On the language: some formulas with `X` are invariant, too.
#[test]
fn stutter_invariance() {
    let table = [
        ("F a", true),
        ("a U b", true),
        ("X a", false),
        ("a & X a", false),
        ("X F a", false),
        ("F(a & X F b)", false),
        ("X G F a", true),
        ("G(a -> X a)", true),
        ("F(a & X(!a & F b))", true),
        ("F(a & X !a)", true),
        ("G(a -> X !a)", false),
        ("X a | !X a", true),
        ("GF(a & X !a)", true),
        ("GF(a & X a)", false),
    ];
    for (text, expected) in table {
        let mut formulas = Formulas::new();
        let mut bdds = Bdds::new();
        let formula = read(&mut formulas, text);
        let result = translate(&mut formulas, &mut bdds, formula, &Options::default()).unwrap();
        let complement = result.complement.expect("the negation is small");
        let invariant = stutter::is_invariant(&mut bdds, &result.automaton, &complement, Stop::NEVER);
        assert_eq!(invariant, Some(expected), "{text}");
    }
}

/// What is too large is refused, in little time; what is only long is not.
#[test]
fn limits() {
    let many = |operator: &str, item: &dyn Fn(usize) -> String, count: usize| {
        (0..count).map(item).collect::<Vec<_>>().join(operator)
    };
    let mut formulas = Formulas::new();
    let mut bdds = Bdds::new();
    let formula = read(&mut formulas, &many(" & ", &|n| format!("F p{n}"), 25));
    let failure = translate(&mut formulas, &mut bdds, formula, &Options::default()).unwrap_err();
    assert!(matches!(failure, Failure::TooLarge { .. }));

    // Too large for one step or another of the work; that each ends is what is tested.
    for text in [
        many(" xor ", &|n| format!("F p{n}"), 8),
        many(" & ", &|n| format!("GF p{n}"), 20),
        many(" <-> ", &|n| format!("p{n}"), 60),
        many(" & ", &|n| format!("p{n}"), 512),
        many(" | ", &|n| format!("G p{n}"), 512),
        many(" & ", &|n| format!("p{n}"), 3000),
        many(" U ", &|n| format!("p{n}"), 60),
    ] {
        let mut formulas = Formulas::new();
        let mut bdds = Bdds::new();
        let formula = read(&mut formulas, &text);
        let _ = translate(&mut formulas, &mut bdds, formula, &Options::default());
    }

    for text in [
        many(" & ", &|n| format!("GF p{n}"), 7),
        many(" | ", &|n| format!("FG p{n}"), 20),
        many(" U ", &|n| format!("p{n}"), 12),
    ] {
        let mut formulas = Formulas::new();
        let mut bdds = Bdds::new();
        let formula = read(&mut formulas, &text);
        translate(&mut formulas, &mut bdds, formula, &Options::default())
            .unwrap_or_else(|_| panic!("{text}"));
    }
}

/// Whenever the work is stopped, at its first question or a later one, it ends with the next, and says why.
#[test]
fn stopped_from_outside() {
    let texts = [
        "G(a -> F b)",
        "(GF a <-> GF b) U X c",
        "F(a & X b) | G(b W (c & X a))",
        "F p & F q & F r & F s & F t",
    ];
    for text in texts {
        for form in [Form::Generalised, Form::Buchi] {
            let run = |allowed: usize| {
                let asked = Cell::new(0);
                let stop = |bytes: usize| {
                    assert!(bytes > 0, "it holds something");
                    asked.set(asked.get() + 1);
                    asked.get() > allowed
                };
                let options = Options { form, stop: Stop::when(&stop), ..Options::default() };
                let mut formulas = Formulas::new();
                let formula = read(&mut formulas, text);
                let result = translate(&mut formulas, &mut Bdds::new(), formula, &options);
                (result.map(|found| found.automaton.states()), asked.get())
            };
            let (unstopped, questions) = run(usize::MAX);
            assert!(questions > 10, "{text}: {questions}");
            assert!(unstopped.is_ok());
            for allowed in (0..questions).step_by(1 + questions / 50) {
                let (result, asked) = run(allowed);
                assert_eq!(result, Err(Failure::Stopped), "{text}, after {allowed} of {questions}");
                // One more for each place that is on the way out, not for each place that there is.
                assert!(asked <= allowed + 200, "{text}: {asked} after {allowed} of {questions}");
            }
            assert_eq!(run(questions).0, unstopped);
        }
    }
}

/// The work asks often enough: the longest time between two questions is short, also where the whole takes
/// long.
#[test]
fn asked_often() {
    let texts = [
        (0..25).map(|n| format!("F p{n}")).collect::<Vec<_>>().join(" & "),
        (0..9).map(|n| format!("(p{n} U X q{n})")).collect::<Vec<_>>().join(" & "),
        (0..60).map(|n| format!("p{n}")).collect::<Vec<_>>().join(" U "),
        (0..8).map(|n| format!("F p{n}")).collect::<Vec<_>>().join(" xor "),
    ];
    for text in texts {
        let last = Cell::new(Instant::now());
        let longest = Cell::new(Duration::ZERO);
        let stop = |_| {
            let now = Instant::now();
            longest.set(longest.get().max(now - last.replace(now)));
            false
        };
        let mut formulas = Formulas::new();
        let formula = read(&mut formulas, &text);
        let options = Options { stop: Stop::when(&stop), ..Options::default() };
        let _ = translate(&mut formulas, &mut Bdds::new(), formula, &options);
        stop(0);
        // Ten times as much as is seen, since other tests run beside it.
        assert!(longest.get() < Duration::from_secs(5), "{text}: {:?} without a question", longest.get());
    }
}

/// Nesting as deep as the parser allows does not overflow a small stack.
#[test]
fn deep_nesting() {
    let texts = [
        format!("{}a", "X ".repeat(450)),
        format!("{}a{}", "(b U ".repeat(200), ")".repeat(200)),
        format!("{}a", "F G X ".repeat(150)),
    ];
    for text in texts {
        let mut formulas = Formulas::new();
        let mut bdds = Bdds::new();
        let formula = read(&mut formulas, &text);
        let _ = translate(&mut formulas, &mut bdds, formula, &Options::default());
    }
}

/// Each method alone gives the same language.
#[test]
fn methods_agree() {
    for text in ["G(a -> F b)", "a U (b R X a)", "(GF a) <-> (GF b)", "X(a W b) M (b xor X a)"] {
        let mut formulas = Formulas::new();
        let mut bdds = Bdds::new();
        let formula = read(&mut formulas, text);
        let negated = formulas.not(formula);
        for form in [Form::Generalised, Form::Buchi] {
            let mut translated = |formula, method| {
                translate(&mut formulas, &mut bdds, formula, &Options { form, method, ..Options::default() })
                    .unwrap()
                    .automaton
            };
            let methods = [Method::Best, Method::Tableau, Method::Alternating];
            let yes: Vec<_> = methods.iter().map(|&method| translated(formula, method)).collect();
            let no: Vec<_> = methods.iter().map(|&method| translated(negated, method)).collect();
            for one in &yes {
                for two in &no {
                    assert!(!intersect(&mut bdds, one, two), "{text}");
                }
            }
            for word in all_small_words() {
                let value = evaluate(&formulas, formula, &word);
                assert!(
                    yes.iter().all(|automaton| accepts(&bdds, automaton, &word) == value),
                    "{text} {word:?}"
                );
            }
        }
    }
}
