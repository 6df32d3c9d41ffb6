//! The text of formulas: who reads what how, and printing.
//!
//! The tables for Spin record experiments with Spin 6.5.2. For an `ltl` block, `spin -a` prints the formula
//! with all its brackets; for `spin -f`, the claim for a text was compared with the claims for its
//! bracketings.

use lariat_ltl::evaluate::evaluate;
use lariat_ltl::parse::{
    Dialect, MAX_NESTING, TreeKind, canonical_text, disagreements, parse, parse_part, parse_text,
};
use lariat_ltl::print::{Style, print};
use lariat_ltl::{Formula, Formulas, Letter, Word};
use lariat_source::{FileId, SourceMap, Span};

fn reading(text: &str, dialect: Dialect) -> String {
    let parsed = parse_text(text, FileId(0), 0, dialect);
    match parsed.tree {
        Some(tree) => tree.bracketed(),
        None => parsed.diagnostics.last().map_or("?".to_string(), |error| error.message.clone()),
    }
}

fn check_readings(dialect: Dialect, table: &[(&str, &str)]) {
    for (text, expected) in table {
        assert_eq!(&reading(text, dialect), expected, "{dialect:?} reading {text}");
    }
}

fn formula_of(formulas: &mut Formulas, text: &str, dialect: Dialect) -> Formula {
    let parsed = parse_text(text, FileId(0), 0, dialect);
    let Some(tree) = parsed.tree else { panic!("{dialect:?} cannot read {text}: {:?}", parsed.diagnostics) };
    tree.to_formula(formulas)
}

// ---- readings ----

#[test]
fn spot_precedence() {
    check_readings(
        Dialect::Spot,
        &[
            ("a U b U c", "a U (b U c)"),
            ("a R b R c", "a R (b R c)"),
            ("a U b R c W d M e", "a U (b R (c W (d M e)))"),
            ("a -> b -> c", "a -> (b -> c)"),
            ("a <-> b <-> c", "a <-> (b <-> c)"),
            ("a <-> b -> c", "a <-> (b -> c)"),
            ("a -> b <-> c", "a -> (b <-> c)"),
            ("a | b & c", "a | (b & c)"),
            ("a & b | c", "(a & b) | c"),
            ("a xor b | c", "a xor (b | c)"),
            ("a ^ b -> c", "(a xor b) -> c"),
            ("a ^ b ^ c", "(a xor b) xor c"),
            ("a U b & c", "(a U b) & c"),
            ("a & b U c", "a & (b U c)"),
            ("a | b U c", "a | (b U c)"),
            ("!a U b", "!a U b"),
            ("!(a U b)", "!(a U b)"),
            ("Fa U b", "(F a) U b"),
            ("Fa & b", "(F a) & b"),
            ("G a -> b", "(G a) -> b"),
            ("X!a", "X !a"),
            ("!Xa", "!(X a)"),
            ("a & b & c | d | e", "(a & b & c) | d | e"),
            ("(a & b) & c", "(a & b) & c"),
        ],
    );
}

#[test]
fn spot_juxtaposition() {
    check_readings(
        Dialect::Spot,
        &[
            ("Fa", "F a"),
            ("GFa", "G (F a)"),
            ("Xp0", "X p0"),
            ("G!a", "G !a"),
            ("FGp1", "F (G p1)"),
            ("XXa", "X (X a)"),
            ("XXXXp12 U Fq", "(X (X (X (X p12)))) U (F q)"),
            ("GF(a|b)", "G (F (a | b))"),
            ("GF a", "G (F a)"),
            ("FG\"x\"", "F (G x)"),
            ("Gtrue", "G 1"),
            ("aUb", "aUb"),
            ("a=b", "expected an operator, found `=`"),
            // As in Spot: a letter before a digit belongs to the name.
            ("X0", "\"X0\""),
            ("GX0", "G \"X0\""),
            // Not as in Spot: longer names stay whole.
            ("Grant", "\"Grant\""),
            ("[] (Grant -> <> Fork1)", "G (\"Grant\" -> (F \"Fork1\"))"),
            ("Foo & F_x", "\"Foo\" & \"F_x\""),
            ("x == Fa", "\"x == Fa\""),
            ("P[Xa]@Fa", "\"P[Xa]@Fa\""),
        ],
    );
    let warned = |text: &str| parse_text(text, FileId(0), 0, Dialect::Spot).diagnostics.len();
    assert_eq!(warned("Grant & Foo & Grant"), 2);
    assert_eq!(warned("X0 & Fa & GFp0 & aFb & \"Grant\""), 0);
}

#[test]
fn ltl_block_precedence() {
    check_readings(
        Dialect::SpinInline,
        &[
            ("[] p U q", "(G p) U q"),
            ("p U [] q", "p U (G q)"),
            ("[] p && q", "(G p) & q"),
            ("[] p || q", "(G p) | q"),
            ("[] p -> q", "(G p) -> q"),
            ("<> [] p U q", "(F (G p)) U q"),
            ("X p U q", "(X p) U q"),
            ("!p U q", "!p U q"),
            ("! [] p U q", "(!(G p)) U q"),
            ("[] ! a U b", "(G !a) U b"),
            ("X [] a U b", "(X (G a)) U b"),
            ("a U b U c", "(a U b) U c"),
            ("a U b V c", "(a U b) R c"),
            ("a U b W c", "(a U b) W c"),
            ("a W b U c", "(a W b) U c"),
            ("a W b W c", "(a W b) W c"),
            ("a V b V c", "(a R b) R c"),
            ("a -> b -> c", "(a -> b) -> c"),
            ("a <-> b <-> c", "(a <-> b) <-> c"),
            ("a -> b <-> c", "(a -> b) <-> c"),
            ("a -> b <-> c -> d", "((a -> b) <-> c) -> d"),
            ("a && b || c", "(a & b) | c"),
            ("a || b && c", "a | (b & c)"),
            ("[] (a || b && c)", "G (a | (b & c))"),
            ("a && b U c", "a & (b U c)"),
            ("a U b && c", "(a U b) & c"),
            ("a -> b || c", "a -> (b | c)"),
            ("a || b -> c", "(a | b) -> c"),
            ("a && b -> c || d", "(a & b) -> (c | d)"),
            ("a U [] b U c", "(a U (G b)) U c"),
            ("a U ! b U c", "(a U !b) U c"),
            ("a U X b U c", "(a U (X b)) U c"),
            ("a && [] b U c && d", "a & ((G b) U c) & d"),
            ("a U b && c U d || a", "((a U b) & (c U d)) | a"),
            ("a && b && c || d && a", "(a & b & c) | (d & a)"),
            ("! a && b", "!a & b"),
            ("![] a && b", "(!(G a)) & b"),
            ("!a -> !b && !c", "!a -> (!b & !c)"),
            ("! ! a", "!!a"),
            ("always a until b", "(G a) U b"),
            ("eventually a", "F a"),
            ("a stronguntil b", "a U b"),
            ("a weakuntil b", "a W b"),
            ("a release b", "a R b"),
            ("next a", "X a"),
            ("a implies b equivalent c", "(a -> b) <-> c"),
        ],
    );
}

#[test]
fn ltl_block_expressions() {
    check_readings(
        Dialect::SpinInline,
        &[
            ("x == 1 U y == 2", "\"x == 1\" U \"y == 2\""),
            ("x + 1 == 2 U b", "\"x + 1 == 2\" U b"),
            ("x << 1 == 2 U y >= 1", "\"x << 1 == 2\" U \"y >= 1\""),
            ("a U b == c", "a U \"b == c\""),
            ("a == b == c", "\"a == b == c\""),
            ("!x == 1", "\"!x == 1\""),
            ("!(x) == 1", "\"!(x) == 1\""),
            ("!(x == 1)", "!\"x == 1\""),
            ("! x == 1 U b", "\"!x == 1\" U b"),
            ("a == ! b", "\"a == !b\""),
            ("(a && b) == c", "\"(a && b) == c\""),
            ("!(a && b) == c", "\"!(a && b) == c\""),
            ("((a) == (b))", "\"(a) == (b)\""),
            ("-x == 1", "\"-x == 1\""),
            ("a & b", "\"a & b\""),
            ("[] (a & b)", "G \"a & b\""),
            ("a | b U c", "\"a | b\" U c"),
            ("x ^ 1 U a", "\"x ^ 1\" U a"),
            ("! a & b", "\"!a & b\""),
            ("x & 3 == 1", "\"x & 3 == 1\""),
            ("(x & 3) == 1", "\"(x & 3) == 1\""),
            ("x == 1 | y == 2 U a", "\"x == 1 | y == 2\" U a"),
            ("[]a && b & c", "(G a) & \"b & c\""),
            ("(x + 1) % 2 == 0", "\"(x + 1) % 2 == 0\""),
            ("len(ch) > 0 U a", "\"len(ch) > 0\" U a"),
            ("ch??[1] U a", "\"ch??[1]\" U a"),
            ("P[0]@L && P@L", "\"P[0]@L\" & \"P@L\""),
            ("P[0]:x == 1", "\"P[0]:x == 1\""),
            ("arr[x+1] && t.f == 1", "\"arr[x + 1]\" & \"t.f == 1\""),
            ("np_ || timeout || enabled(0)", "np_ | timeout | \"enabled(0)\""),
            ("_last == 1", "\"_last == 1\""),
            ("x == 'c'", "\"x == 'c'\""),
            ("true U a", "1 U a"),
            ("0 V a", "0 R a"),
            // Spin prints `(335==c)`, a number of its own.
            ("(a U b) == c", "`==` stands between values, and this is a formula"),
            ("[]a & b", "`&` stands between values, and this is a formula"),
            // Spin prints `(333==1)`.
            ("[] x == 1", "G \"x == 1\""),
            // No names in Spin's formulas but `U`, `V`, `W` and `X` are taken.
            ("[] (F -> G)", "G (\"F\" -> \"G\")"),
            ("R U M", "\"R\" U \"M\""),
            ("F a", "F a"),
            ("GFa", "\"GFa\""),
            ("a U W", "expected a formula, found `W`"),
        ],
    );
}

#[test]
fn spin_f_precedence() {
    check_readings(
        Dialect::SpinF,
        &[
            ("a || b && c", "(a | b) & c"),
            ("a && b || c", "(a & b) | c"),
            ("a || b && <> c", "(a | b) & (F c)"),
            ("(a || b && <> c)", "(a | b) & (F c)"),
            ("a && (<>b || c && d)", "a & (((F b) | c) & d)"),
            ("a -> b -> c", "(a -> b) -> c"),
            ("a -> b || c", "(a -> b) | c"),
            ("a -> b && c", "(a -> b) & c"),
            ("a || b -> c", "(a | b) -> c"),
            ("a <-> b && c", "(a <-> b) & c"),
            ("a && b <-> c", "(a & b) <-> c"),
            ("a <-> b -> c", "(a <-> b) -> c"),
            ("(a || b && c -> d)", "((a | b) & c) -> d"),
            ("a U b U c", "(a U b) U c"),
            ("a U b V c", "(a U b) R c"),
            ("a V b U c", "(a R b) U c"),
            ("a U b && c", "(a U b) & c"),
            ("a && b U c", "a & (b U c)"),
            ("[] a U b", "(G a) U b"),
            ("<> a && b", "(F a) & b"),
            ("[] a -> <> b", "(G a) -> (F b)"),
            ("a U [] b U c", "(a U (G b)) U c"),
            ("a -> b U c -> d", "(a -> (b U c)) -> d"),
            ("a || b U c && d", "(a | (b U c)) & d"),
            ("(a || (b U c) && d)", "(a | (b U c)) & d"),
            ("! <> a U b", "(!(F a)) U b"),
            ("not a until b", "!a U b"),
            // A bracketed part of states only is copied into the claim: the levels of C.
            ("(a || b && c)", "a | (b & c)"),
            ("[](a || b && c)", "G (a | (b & c))"),
            ("(a || b && c) U d", "(a | (b & c)) U d"),
            ("(a || b && x == 1)", "a | (b & \"x == 1\")"),
            ("(a == 1) || b && c", "(\"a == 1\" | b) & c"),
            ("a /\\ b \\/ c", "(a & b) | c"),
            ("a \\/ b /\\ c", "(a | b) & c"),
        ],
    );
}

#[test]
fn spellings() {
    let all: &[(&[&str], &str)] = &[
        (&["G a", "[] a", "[ ] a", "[]a", "always a", "□a", "⬜ a"], "G a"),
        (&["F a", "<> a", "<>a", "eventually a", "◇a", "⋄a", "♢a"], "F a"),
        (&["X a", "next a", "○a", "◯ a"], "X a"),
        (&["!a", "¬a", "not a", "! a", "not(a)"], "!a"),
        (&["a && b", "a /\\ b", "a∧b", "a and b"], "a & b"),
        (&["a || b", "a \\/ b", "a∨b", "a or b"], "a | b"),
        (&["a -> b", "a => b", "a→b", "a⇒b", "a ⟶ b", "a implies b"], "a -> b"),
        (&["a <-> b", "a <=> b", "a↔b", "a⇔b", "a equivalent b"], "a <-> b"),
        (&["a xor b", "a ⊕ b"], "a xor b"),
        (&["a U b", "a until b", "a stronguntil b"], "a U b"),
        (&["a R b", "a V b", "a release b"], "a R b"),
        (&["a W b", "a weakuntil b"], "a W b"),
        (&["a M b", "a strongrelease b"], "a M b"),
        (&["1", "true", "TRUE"], "1"),
        (&["0", "false", "FALSE"], "0"),
    ];
    for dialect in Dialect::ALL {
        for (texts, expected) in all {
            for text in *texts {
                assert_eq!(&reading(text, dialect), expected, "{dialect:?} reading {text}");
            }
        }
    }
    check_readings(
        Dialect::Spot,
        &[("a & b", "a & b"), ("a | b", "a | b"), ("~a", "!a"), ("a ^ b", "a xor b")],
    );
}

#[test]
fn words_are_operators_only_where_one_can_stand() {
    for dialect in Dialect::ALL {
        check_readings(
            dialect,
            &[
                ("next", "\"next\""),
                ("next -> a", "\"next\" -> a"),
                ("next == 1 U until", "\"next == 1\" U \"until\""),
                ("always U a", "\"always\" U a"),
                ("next next", "X \"next\""),
                ("and && or", "\"and\" & \"or\""),
            ],
        );
    }
}

#[test]
fn propositions() {
    let texts = [
        ("x==3", "x == 3"),
        ("len(q)>0", "len(q) > 0"),
        ("P[ 0 ]@ label", "P[0]@label"),
        ("P[i]:x", "P[i]:x"),
        ("q?[msg, 1]", "q?[msg,1]"),
        ("q ?? [ msg ]", "q??[msg]"),
        ("nfull( q )", "nfull(q)"),
        ("nfull (q)", "nfull(q)"),
        ("np_", "np_"),
        ("_last==1", "_last == 1"),
        ("a[i].b[2]", "a[i].b[2]"),
        ("(x+1)%2==0", "(x + 1) % 2 == 0"),
        ("called_at( 0,N+1 )", "called_at(0,N + 1)"),
        ("P_0.CS", "P_0.CS"),
        ("x<-1", "x < -1"),
        ("- -x == - 1", "- -x == -1"),
        ("( ( x>=y ) )", "x >= y"),
        ("a[b && !c] == (d || e)", "a[b && !c] == (d || e)"),
        ("\"x  ==1\"", "x == 1"),
        ("\"P_0->x == 1\"", "P_0->x == 1"),
        ("\" any (text \"", "any (text"),
        ("\"say \\\"hi\\\" \\\\\"", "say \"hi\" \\"),
        ("\"a and b\"", "a && b"),
        ("\"Fa\"", "Fa"),
        ("\"U\"", "U"),
        ("\"true\"", "true"),
    ];
    for dialect in Dialect::ALL {
        for (text, expected) in texts {
            let parsed = parse_text(text, FileId(0), 0, dialect);
            let Some(TreeKind::Proposition(proposition)) = parsed.tree.map(|tree| tree.kind) else {
                panic!("{dialect:?} does not read {text} as a proposition: {:?}", parsed.diagnostics);
            };
            assert_eq!(proposition.text, expected, "{dialect:?}");
            assert_eq!(canonical_text(&proposition.text), proposition.text);
        }
    }
}

#[test]
fn places() {
    let mut sources = SourceMap::new();
    let file = sources.add("f.ltl", "f.ltl", "a\n[] (x == 1 -> GFb)\n".into());
    let span = Span::new(file, 2, 20);
    let tree = parse_part(&sources, span, Dialect::Spot).tree.expect("a formula");
    assert_eq!(tree.span, span);
    let found: Vec<(&str, &str)> = tree
        .propositions()
        .into_iter()
        .map(|proposition| (proposition.text.as_str(), sources.text(proposition.span)))
        .collect();
    assert_eq!(found, [("x == 1", "x == 1"), ("b", "b")]);
    let implication = tree.children()[0];
    assert_eq!(sources.text(implication.span), "(x == 1 -> GFb)");
    let always = implication.children()[1];
    assert_eq!(sources.text(always.span), "GFb");
    assert_eq!(sources.text(always.children()[0].span), "Fb");
}

#[test]
fn formula_sets_of_the_literature() {
    let texts = [
        "G(!a | b | G!b | (!c U b))",
        "!a W (!a & b)",
        "a U (b & X(c & F(d & XF(e & XF(f & XFg)))))",
        "G((!p1 & p2 & Fp1) -> (!p0 U p1))",
        "GF((a & X!a) | (!a & Xa) | (b & X!b) | (!b & Xb))",
        "(a U b) | Ga | (!c R !d)",
        "G(!a | (!b U (b U (!b & (c R !b)))))",
        "FG(Ga U X(Ga R b))",
        "Fa & G(Fb & FG(!b | c))",
        "!a R (!b R !c)",
        "FGa U (b | Gc)",
        "XF(a M Gb) & (Xp0 <-> XXp1)",
    ];
    for text in texts {
        let parsed = parse_text(text, FileId(0), 0, Dialect::Spot);
        assert!(parsed.tree.is_some() && parsed.diagnostics.is_empty(), "{text}: {:?}", parsed.diagnostics);
    }
}

// ---- limits ----

#[test]
fn nesting_is_limited() {
    let limit = MAX_NESTING as usize;
    let too_deep = [
        format!("{}a{}", "(".repeat(limit * 20), ")".repeat(limit * 20)),
        "(".repeat(limit * 20),
        format!("{}a", "!".repeat(limit * 20)),
        format!("{} a", "F".repeat(limit * 20)),
        format!("{}a", "<>".repeat(limit * 20)),
        format!("{}a", "- ".repeat(limit * 20)),
        format!("{}a", "a U ".repeat(limit * 20)),
        format!("{}a", "a -> ".repeat(limit * 20)),
        format!("{}a", "b[".repeat(limit * 20)),
        format!("{}a", "f(".repeat(limit * 20)),
        format!("{}a", "x == (".repeat(limit * 20)),
        format!("{}a", "(a && b || ".repeat(limit * 20)),
    ];
    for dialect in Dialect::ALL {
        for text in &too_deep {
            let parsed = parse_text(text, FileId(0), 0, dialect);
            let start: String = text.chars().take(20).collect();
            assert!(parsed.tree.is_none(), "{dialect:?} {start}");
            assert_eq!(
                parsed.diagnostics.last().map(|error| error.message.as_str()),
                Some("this formula is nested too deeply"),
                "{start}"
            );
        }
        // Brackets behind an operator count twice.
        let deep = [("(", ")", 1), ("!", "", 1), ("<>", "", 1), ("X ", "", 1), ("b[", "]", 1)];
        let twice = [("x == (", ")", 2), ("<>(", ")", 2), ("a U (", ")", 2)];
        for (open, close, levels) in deep.into_iter().chain(twice) {
            let count = (limit - 1) / levels;
            let text = format!("{}a{}", open.repeat(count), close.repeat(count));
            let parsed = parse_text(&text, FileId(0), 0, dialect);
            let tree = parsed.tree.unwrap_or_else(|| panic!("{open}: {:?}", parsed.diagnostics));
            let mut formulas = Formulas::new();
            let formula = tree.to_formula(&mut formulas);
            print(&formulas, formula, Style::Spot);
            assert!(!tree.bracketed().is_empty());
        }
    }
}

#[test]
fn long_texts_are_read_quickly() {
    let count = 20_000;
    let chains = [
        "a && ",
        "a || b && ",
        "x + ",
        "x == y && ",
        "x - 1 < y || ",
        "(a -> <>b) && ",
        "[](a || b) && ",
        "\"x\" || ",
    ];
    for dialect in Dialect::ALL {
        for link in chains {
            if dialect == Dialect::SpinF && link == "a || b && " {
                continue;
            }
            let text = format!("{}c", link.repeat(count));
            assert!(parse_text(&text, FileId(0), 0, dialect).tree.is_some(), "{dialect:?} {link}");
        }
    }
}

#[test]
fn quoted_text_of_any_depth_is_kept() {
    let deep = format!("{}x{}", "(".repeat(10_000), ")".repeat(10_000));
    assert_eq!(canonical_text(&deep), deep);
    assert_eq!(canonical_text("(x)"), "(x)");
}

#[test]
fn no_text_makes_trouble() {
    let mut random = Random(7);
    let pieces = [
        "a", "F", "G", "X", "U", "R", "W", "M", "V", "(", ")", "[", "]", "!", "&", "&&", "|", "||", "->",
        "<->", "^", "~", "-", "+", "==", "=", "<", ">", "<>", "[]", "\"", "\\", "'", ".", ",", "@", ":", "?",
        "1", "0", "3", " ", "é", "□", "next", "not", "until", "len", "x", "\t", "\0", "%", "Fa", "GFp0",
        "true",
    ];
    for _ in 0..20_000 {
        let length = random.below(12);
        let text: String = (0..length).map(|_| pieces[random.below(pieces.len())]).collect();
        let mut sources = SourceMap::new();
        let file = sources.add("formula", "formula", text.clone());
        for dialect in Dialect::ALL {
            let parsed = parse(&sources, file, dialect);
            let errors = parsed.diagnostics.iter().filter(|message| message.is_error()).count();
            assert_eq!(errors, usize::from(parsed.tree.is_none()), "{text}");
            for message in &parsed.diagnostics {
                let rendered = message.render(&sources);
                assert!(rendered.contains('^'), "{text}: {rendered}");
                assert!(message.labels.iter().all(|label| label.span.end as usize <= text.len()));
            }
            let _ = disagreements(&sources, file, dialect);
            if let Some(tree) = parsed.tree {
                let mut formulas = Formulas::new();
                let formula = tree.to_formula(&mut formulas);
                assert_eq!(formula_of(&mut formulas, &tree.bracketed(), Dialect::Spot), formula, "{text}");
                let printed = print(&formulas, formula, Style::Spot);
                assert_eq!(formula_of(&mut formulas, &printed, Dialect::Spot), formula, "{text}: {printed}");
            }
        }
    }
}

// ---- printing ----

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
}

const NAMES: [&str; 22] = [
    "a",
    "b",
    "p0",
    "grant",
    "Grant",
    "Fa",
    "GF",
    "X0",
    "F",
    "U",
    "R",
    "true",
    "1",
    "next",
    "and",
    "_last == 1",
    "(x + 1) % 2 == 0",
    "P[0]@label",
    "P_0->x",
    "a || b",
    "say \"hi\" \\",
    "~x",
];

fn random_formula(formulas: &mut Formulas, random: &mut Random, depth: u32, weak: bool) -> Formula {
    if depth == 0 || random.below(6) == 0 {
        return formulas.proposition(NAMES[random.below(NAMES.len())]);
    }
    let a = random_formula(formulas, random, depth - 1, weak);
    let b = random_formula(formulas, random, depth - 1, weak);
    match random.below(if weak { 12 } else { 10 }) {
        0 => formulas.not(a),
        1 => formulas.next(a),
        2 => formulas.finally(a),
        3 => formulas.globally(a),
        4 => formulas.and2(a, b),
        5 => formulas.or2(a, b),
        6 => formulas.equivalent(a, b),
        7 => formulas.until(a, b),
        8 => formulas.release(a, b),
        9 => formulas.implies(a, b),
        10 => formulas.weak_until(a, b),
        _ => formulas.strong_release(a, b),
    }
}

#[test]
fn what_is_printed_is_read_again() {
    let mut random = Random(11);
    let mut formulas = Formulas::new();
    for _ in 0..3000 {
        let formula = random_formula(&mut formulas, &mut random, 5, true);
        let text = print(&formulas, formula, Style::Spot);
        assert_eq!(formula_of(&mut formulas, &text, Dialect::Spot), formula, "{text}");
        let parsed = parse_text(&text, FileId(0), 0, Dialect::Spot);
        assert!(parsed.diagnostics.is_empty(), "{text}: {:?}", parsed.diagnostics);

        let formula = random_formula(&mut formulas, &mut random, 5, false);
        let text = print(&formulas, formula, Style::Spin);
        for dialect in [Dialect::SpinInline, Dialect::SpinF] {
            assert_eq!(formula_of(&mut formulas, &text, dialect), formula, "{text}");
        }
    }
}

#[test]
fn operators_that_spin_lacks_are_spelled_out() {
    let mut random = Random(13);
    let mut formulas = Formulas::new();
    for name in NAMES {
        formulas.proposition(name);
    }
    for _ in 0..1000 {
        let formula = random_formula(&mut formulas, &mut random, 4, true);
        let text = print(&formulas, formula, Style::Spin);
        let again = formula_of(&mut formulas, &text, Dialect::SpinF);
        assert_eq!(formula_of(&mut formulas, &text, Dialect::SpinInline), again, "{text}");
        for _ in 0..20 {
            let mut letters = |count: usize| -> Vec<Letter> {
                (0..count).map(|_| Letter((0..NAMES.len()).map(|_| random.below(2) == 0).collect())).collect()
            };
            let word = Word { prefix: letters(2), cycle: letters(3) };
            assert_eq!(evaluate(&formulas, formula, &word), evaluate(&formulas, again, &word), "{text}");
        }
    }
}

#[test]
fn printed_forms() {
    let table = [
        ("GFa", "GFa", "[]<>a"),
        ("G(a -> Fb)", "G(Fb | !a)", "[](<>b || !a)"),
        ("X X grant U !p0", "XX grant U !p0", "X X grant U !p0"),
        ("a U b U c", "a U (b U c)", "a U (b U c)"),
        ("a W b", "a W b", "b V (a || b)"),
        ("a M b", "a M b", "b U (a && b)"),
        ("a W (b & c)", "a W (b & c)", "[]a || (a U (b && c))"),
        ("a M (b & c)", "a M (b & c)", "<>a && (a V (b && c))"),
        ("a R b <-> c", "(a R b) <-> c", "(a V b) <-> c"),
        ("a xor b", "!(a <-> b)", "!(a <-> b)"),
        ("F x == 1", "F\"x == 1\"", "<>(x == 1)"),
        ("X \"Grant\"", "X\"Grant\"", "X (Grant)"),
        ("\"P_0->x\"", "\"P_0->x\"", "\"P_0->x\""),
        ("1", "1", "true"),
        ("0", "0", "false"),
    ];
    for (text, spot, spin) in table {
        let mut formulas = Formulas::new();
        let formula = formula_of(&mut formulas, text, Dialect::Spot);
        assert_eq!(print(&formulas, formula, Style::Spot), spot);
        assert_eq!(print(&formulas, formula, Style::Spin), spin);
    }
}
