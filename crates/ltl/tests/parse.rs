//! The text of formulas: who reads what how, messages, and printing.
//!
//! The tables for Spin record experiments with Spin 6.5.2. For an `ltl` block, `spin -a` prints the formula
//! with all its brackets; for `spin -f`, the claim for a text was compared with the claims for its
//! bracketings.

use std::fmt::Write;

use expect_test::{Expect, expect};
use lariat_ltl::evaluate::evaluate;
use lariat_ltl::parse::{
    Dialect, MAX_NESTING, TreeKind, canonical_text, disagreements, disagreements_in, parse, parse_part,
    parse_text,
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

// ---- messages ----

fn check_messages(dialect: Dialect, texts: &[&str], expected: Expect) {
    let mut out = String::new();
    for text in texts {
        let mut sources = SourceMap::new();
        let file = sources.add("formula", "formula", text.to_string());
        for message in parse(&sources, file, dialect).diagnostics {
            let _ = writeln!(out, "{}", message.render(&sources));
        }
    }
    expected.assert_eq(&out);
}

#[test]
fn errors() {
    check_messages(
        Dialect::Spot,
        &[
            "",
            "a b",
            "a = 1",
            "(a && b",
            "a && b)",
            "a &&",
            "&& a",
            "a U",
            "a < > b",
            "a <",
            "a <> b",
            "()",
            "\"abc",
            "\"\"",
            "a é b",
            "“a”",
            "x ≤ 1",
            "[a]",
            "G",
            "U & a",
            "(a U b) == c",
            "a[b U c]",
            "a[1",
            "(a -> b : c)",
            "q?x",
            "foo (a)",
            "a.",
            "P@1",
            "a; b",
            "'ab'",
            "- F a == 1",
        ],
        expect![[r#"
            error: the formula is empty
             --> formula:1:1
              |
            1 | 
              | ^ expected a formula
              = hint: for example `[] (request -> <> answer)`

            error: expected an operator, found `b`
             --> formula:1:3
              |
            1 | a b
              |   ^
              = hint: operators are `!` `&&` `||` `->` `<->` `[]` `<>` `X` `U` `R` `W` `M`

            error: expected an operator, found `=`
             --> formula:1:3
              |
            1 | a = 1
              |   ^
              = hint: `==` compares, `<->` says that two formulas are equivalent

            error: expected an operator or `)`, found the end
             --> formula:1:8
              |
            1 | (a && b
              |        ^
              | - to close this `(`
              = hint: a `)` is missing

            error: this `)` closes nothing
             --> formula:1:7
              |
            1 | a && b)
              |       ^ there is no `(` for it
              = hint: remove it, or add a `(` before it

            error: expected a formula, found the end
             --> formula:1:5
              |
            1 | a &&
              |     ^
              |   -- `&&` needs an operand behind it

            error: expected a formula, found `&&`
             --> formula:1:1
              |
            1 | && a
              | ^^
              = hint: this operator needs an operand before it

            error: expected a formula, found the end
             --> formula:1:4
              |
            1 | a U
              |    ^
              |   - `U` needs an operand behind it

            error: expected a formula, found `>`
             --> formula:1:5
              |
            1 | a < > b
              |     ^
              = hint: `<>` is written without a space

            error: expected a formula, found the end
             --> formula:1:4
              |
            1 | a <
              |    ^
              |   - `<` needs an operand behind it

            error: expected an operator, found `<>`
             --> formula:1:3
              |
            1 | a <> b
              |   ^^
              = hint: `<>` means eventually and stands before a formula; `!=` means different

            error: expected a formula, found `)`
             --> formula:1:2
              |
            1 | ()
              |  ^
              = hint: there is nothing between these brackets; next is written `X`

            error: this quote is not closed
             --> formula:1:1
              |
            1 | "abc
              | ^^^^ from here to the end
              = hint: close it with `"`; a quote inside is written `\"`

            error: this proposition is empty
             --> formula:1:1
              |
            1 | ""
              | ^^ nothing between the quotes

            error: `é` (U+00E9) has no meaning in a formula
             --> formula:1:3
              |
            1 | a é b
              |   ^ expected an operator or a proposition
              = hint: put a proposition with such characters into double quotes

            error: `“` has no meaning in a formula
             --> formula:1:1
              |
            1 | “a”
              | ^ expected an operator or a proposition
              = hint: write plain quotes: `"`

            error: `≤` has no meaning in a formula
             --> formula:1:3
              |
            1 | x ≤ 1
              |   ^ expected an operator or a proposition
              = hint: write `<=`

            error: expected a formula, found `[`
             --> formula:1:1
              |
            1 | [a]
              | ^
              = hint: always is written `[]`; formulas are grouped with `(` and `)`

            error: expected a formula, found the end
             --> formula:1:2
              |
            1 | G
              |  ^
              | - `G` needs an operand behind it

            error: expected a formula, found `U`
             --> formula:1:1
              |
            1 | U & a
              | ^ this is an operator with an operand on each side
              = hint: if `U` is the name of a proposition, put it into double quotes: `"U"`

            error: `==` stands between values, and this is a formula
             --> formula:1:1
              |
            1 | (a U b) == c
              | ^^^^^^^ a formula
              |         -- expected a value on both sides of this
              = hint: write `<->` to say that two formulas are equivalent

            error: there is a formula inside this expression
             --> formula:1:3
              |
            1 | a[b U c]
              |   ^^^^^ expected a value

            error: expected `]`, found the end
             --> formula:1:4
              |
            1 | a[1
              |    ^
              |  - to close this

            error: expected an operator or `)`, found `:`
             --> formula:1:9
              |
            1 | (a -> b : c)
              |         ^
              | - to close this `(`
              = hint: of a process, `P[i]:x` is a variable; put a conditional `(a -> b : c)` into double quotes

            error: expected an operator, found `?`
             --> formula:1:2
              |
            1 | q?x
              |  ^
              = hint: only a test can be a proposition: `q?[message]`, with brackets

            error: expected an operator, found `(`
             --> formula:1:5
              |
            1 | foo (a)
              |     ^
              = hint: of a function, the `(` follows the name without a space

            error: expected a field's name, found the end
             --> formula:1:3
              |
            1 | a.
              |   ^

            error: expected a label's name, found `1`
             --> formula:1:3
              |
            1 | P@1
              |   ^

            error: `;` has no meaning in a formula
             --> formula:1:2
              |
            1 | a; b
              |  ^ expected an operator or a proposition
              = hint: a formula has no `;`; `&&` joins two of them

            error: this is no character constant
             --> formula:1:1
              |
            1 | 'ab'
              | ^ a single quote
              = hint: `'c'` is the number of a character; a proposition is quoted with `"`

            error: `-` stands before a value, and this is a formula
             --> formula:1:3
              |
            1 | - F a == 1
              |   ^^^^^^^^ a formula
              = hint: a formula is negated with `!`

        "#]],
    );
}

#[test]
fn warnings() {
    check_messages(
        Dialect::Spot,
        &["!x == 1", "Grant -> b", "x & 3"],
        expect![[r#"
        warning: `!` binds tighter than `==`
         --> formula:1:1
          |
        1 | !x == 1
          | ^^ only this is negated, as in C
          = hint: to negate the whole, write `!(…)`

        warning: `Grant` is one proposition here, but Spot reads `G rant`
         --> formula:1:1
          |
        1 | Grant -> b
          | ^^^^^ starts with the operator `G`
          = hint: write `"Grant"` for the proposition, `G rant` for the operator

        warning: the number 3 is used as a formula
         --> formula:1:5
          |
        1 | x & 3
          |     ^ true unless it is 0
          = hint: to test the bits of a number, write `(x & 3) != 0`; the constants are `true` and `false`

    "#]],
    );
    check_messages(
        Dialect::SpinInline,
        &["[] x == 1", "~a", "~[]a", "<>a | b"],
        expect![[r#"
        warning: Spin reads this otherwise, and without meaning
         --> formula:1:4
          |
        1 | [] x == 1
          |    ^^^^^^ `[]` applies to all of this here
          | -- Spin applies this to the first operand only
          = hint: write brackets around the comparison

        warning: `~` flips the bits of a number in this dialect
         --> formula:1:1
          |
        1 | ~a
          | ^ true for every number but -1
          = hint: to negate, write `!`

        error: `~` stands before a value, and this is a formula
         --> formula:1:2
          |
        1 | ~[]a
          |  ^^^ a formula
          = hint: in this dialect `~` is an operator on numbers; write `!`

        error: `|` stands between values, and this is a formula
         --> formula:1:1
          |
        1 | <>a | b
          | ^^^ a formula
          |     - expected a value on both sides of this
          = hint: in this dialect `|` is an operator on numbers; write `||`

    "#]],
    );
}

fn check_disagreements(dialect: Dialect, texts: &[&str], expected: Expect) {
    let mut out = String::new();
    for text in texts {
        let mut sources = SourceMap::new();
        let file = sources.add("formula", "formula", text.to_string());
        for message in disagreements(&sources, file, dialect) {
            let _ = writeln!(out, "{}", message.render(&sources));
        }
    }
    expected.assert_eq(&out);
}

#[test]
fn disagreements_are_told() {
    check_disagreements(
        Dialect::Spot,
        &[
            "a U b U c",
            "[] (a -> <> (b && (a U b U c)))",
            "a || b && c",
            "a | b U c",
            "GFa",
            "~a",
            "x & 3",
            "(a -> b -> c) && (d || <>e && f)",
        ],
        expect![[r#"
            warning: this formula is read differently elsewhere
             --> formula:1:1
              |
            1 | a U b U c
              | ^^^^^^^^^ here: a U (b U c)
              | --------- by Spin, in an `ltl` block: (a U b) U c
              | --------- by `spin -f`: (a U b) U c
              = hint: write brackets

            warning: this formula is read differently elsewhere
             --> formula:1:19
              |
            1 | [] (a -> <> (b && (a U b U c)))
              |                   ^^^^^^^^^^^ here: a U (b U c)
              |                   ----------- by Spin, in an `ltl` block: (a U b) U c
              |                   ----------- by `spin -f`: (a U b) U c
              = hint: write brackets

            warning: this formula is read differently elsewhere
             --> formula:1:1
              |
            1 | a || b && c
              | ^^^^^^^^^^^ here: a | (b & c)
              | ----------- by `spin -f`: (a | b) & c
              = hint: write brackets

            warning: this formula is read differently elsewhere
             --> formula:1:1
              |
            1 | a | b U c
              | ^^^^^^^^^ here: a | (b U c)
              | --------- by Spin, in an `ltl` block: (a | b) U c
              = hint: write brackets

            warning: this formula is read differently elsewhere
             --> formula:1:1
              |
            1 | GFa
              | ^^^ here: G (F a)
              | --- by Spin, in an `ltl` block: "GFa"
              = hint: put a space between the operators and a name: `G F a`; or the name into double quotes

            warning: this formula is read differently elsewhere
             --> formula:1:1
              |
            1 | ~a
              | ^^ here: !a
              | -- by Spin, in an `ltl` block: "~a"
              = hint: negate with `!`

            warning: this formula is read differently elsewhere
             --> formula:1:1
              |
            1 | x & 3
              | ^^^^^ here: x & "3"
              | ----- by Spin, in an `ltl` block: "x & 3"
              = hint: write `&&` and `||` between formulas, and brackets around numbers with `&` and `|`

            warning: this formula is read differently elsewhere
             --> formula:1:1
              |
            1 | (a -> b -> c) && (d || <>e && f)
              | ^^^^^^^^^^^^^ here: a -> (b -> c)
              | ------------- by Spin, in an `ltl` block: (a -> b) -> c
              = hint: write brackets

            warning: this formula is read differently elsewhere
             --> formula:1:1
              |
            1 | (a -> b -> c) && (d || <>e && f)
              | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ here: (a -> (b -> c)) & (d | ((F e) & f))
              | -------------------------------- by `spin -f`: ((a -> b) -> c) & ((d | (F e)) & f)
              = hint: write brackets

        "#]],
    );
    check_disagreements(
        Dialect::SpinInline,
        &["a U b U c", "a W b W c", "a || b && c"],
        expect![[r#"
        warning: this formula is read differently elsewhere
         --> formula:1:1
          |
        1 | a U b U c
          | ^^^^^^^^^ here: (a U b) U c
          | --------- by Spot: a U (b U c)
          = hint: write brackets

        warning: this formula is read differently elsewhere
         --> formula:1:1
          |
        1 | a W b W c
          | ^^^^^^^^^ here: (a W b) W c
          | --------- by Spot: a W (b W c)
          = hint: write brackets

        warning: this formula is read differently elsewhere
         --> formula:1:1
          |
        1 | a || b && c
          | ^^^^^^^^^^^ here: a | (b & c)
          | ----------- by `spin -f`: (a | b) & c
          = hint: write brackets

    "#]],
    );
    check_disagreements(
        Dialect::SpinF,
        &["a || b && c"],
        expect![[r#"
        warning: this formula is read differently elsewhere
         --> formula:1:1
          |
        1 | a || b && c
          | ^^^^^^^^^^^ here: (a | b) & c
          | ----------- by Spot: a | (b & c)
          | ----------- by Spin, in an `ltl` block: a | (b & c)
          = hint: write brackets

    "#]],
    );
}

#[test]
fn no_disagreement_about() {
    let texts = [
        "[] (a -> <> b)",
        "a && b && c",
        "a || b || c",
        "[] (a & b)",
        "[] (a || b && c)",
        "(a U b) U c",
        "!a U b",
        // Not read by Spin at all.
        "a R b R c",
        "G a & F b U c",
        "a and b or c",
        "\"x\" U \"y\" U \"z\"",
        "a U b U",
        "",
    ];
    for dialect in Dialect::ALL {
        for text in texts {
            // In Spin's dialects, Spot is another reader of these.
            let only_in_spot = ["a R b R c", "\"x\" U \"y\" U \"z\"", "G a & F b U c"];
            if dialect != Dialect::Spot && only_in_spot.contains(&text) {
                continue;
            }
            let mut sources = SourceMap::new();
            let file = sources.add("formula", "formula", text.to_string());
            let found = disagreements(&sources, file, dialect);
            assert!(found.is_empty(), "{dialect:?} {text}: {found:?}");
            let span = Span::new(file, 0, text.len() as u32);
            assert!(disagreements_in(&sources, span, dialect).is_empty());
        }
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
