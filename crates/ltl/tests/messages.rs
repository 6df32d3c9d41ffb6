//! What is said of the text of formulas: errors, warnings, and where those who read it disagree.

use expect_test::{Expect, expect};
use lariat_ltl::parse::{Dialect, disagreements, disagreements_in, parse};
use lariat_source::{SourceMap, Span};
use std::fmt::Write;

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
