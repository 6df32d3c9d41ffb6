//! What messages say and look like.

use crate::common::{messages, parse, write_program};
use expect_test::{Expect, expect};

#[track_caller]
fn check(text: &str, expected: Expect) {
    expected.assert_eq(&messages(text));
}

#[test]
fn missing_fi() {
    check(
        "init {\n  if\n  :: x = 1\n  :: else\n}\n",
        expect![[r#"
        error: expected `fi`, found `}`
         --> m.pml:5:1
          |
        2 |   if
          |   -- to close this `if`
        ...
        5 | }
          | ^
    "#]],
    );
}

#[test]
fn missing_od_inside_if() {
    check(
        "init {\n  if\n  :: do :: x = 1\n  fi\n}\n",
        expect![[r#"
        error: expected `od`, found `fi`
         --> m.pml:4:3
          |
        3 |   :: do :: x = 1
          |      -- to close this `do`
        4 |   fi
          |   ^^
    "#]],
    );
}

#[test]
fn wrong_closer() {
    check(
        "init {\n  do\n  :: x = 1\n  fi;\n  y = = 2\n}\n",
        expect![[r#"
        error: expected `od`, found `fi`
         --> m.pml:4:3
          |
        2 |   do
          |   -- to close this `do`
        3 |   :: x = 1
        4 |   fi;
          |   ^^

        error: expected an expression, found `=`
         --> m.pml:5:7
          |
        5 |   y = = 2
          |       ^
          = hint: `==` is written without a space
    "#]],
    );
}

#[test]
fn missing_brace() {
    check(
        "proctype A() {\n  x = 1;\n  atomic { y = 2\n\nproctype B() { x = = 1 }\n",
        expect![[r#"
        error: expected `}`, found `proctype`
         --> m.pml:5:1
          |
        3 |   atomic { y = 2
          |          - to close this `{`
        4 | 
        5 | proctype B() { x = = 1 }
          | ^^^^^^^^

        error: expected an expression, found `=`
         --> m.pml:5:20
          |
        5 | proctype B() { x = = 1 }
          |                    ^
          = hint: `==` is written without a space
    "#]],
    );
}

#[test]
fn extra_brace() {
    check(
        "init { skip } }\nint x = ;\nbyte y\n",
        expect![[r#"
        error: unexpected `}`
         --> m.pml:1:15
          |
        1 | init { skip } }
          |               ^ no `{` is open here

        error: expected an expression, found `;`
         --> m.pml:2:9
          |
        2 | int x = ;
          |         ^
    "#]],
    );
}

#[test]
fn assignment_in_condition() {
    check(
        "init { if :: (x = 1) -> skip fi }",
        expect![[r#"
        error: expected `)`, found `=`
         --> m.pml:1:17
          |
        1 | init { if :: (x = 1) -> skip fi }
          |                 ^
          |              - to close this `(`
          = hint: `==` compares; `=` assigns, which only a statement of its own can do
    "#]],
    );
}

#[test]
fn operators_of_other_languages() {
    check(
        "init {\n x == 1 and y;\n (x or y);\n x += 1;\n not x;\n x = 0x1f;\n x = a ? b : c\n}",
        expect![[r#"
            error: unexpected `and`
             --> m.pml:2:9
              |
            2 |  x == 1 and y;
              |         ^^^
              = hint: the operator is written `&&`

            error: expected `)`, found `or`
             --> m.pml:3:5
              |
            3 |  (x or y);
              |     ^^
              |  - to close this `(`
              = hint: the operator is written `||`

            error: expected an expression, found `=`
             --> m.pml:4:5
              |
            4 |  x += 1;
              |     ^
              = hint: there is no such assignment; write `x = x + y`

            error: expected a statement, found `not`
             --> m.pml:5:2
              |
            5 |  not x;
              |  ^^^
              = hint: the operator is written `!`

            error: unexpected `x1f`
             --> m.pml:6:7
              |
            6 |  x = 0x1f;
              |       ^^^
              = hint: numbers are decimal; there are no hexadecimal ones

            error: unexpected `?`
             --> m.pml:7:8
              |
            7 |  x = a ? b : c
              |        ^
              = hint: a conditional expression is written `(condition -> a : b)`
        "#]],
    );
}

#[test]
fn missing_option() {
    check(
        "init { if x == 1 -> y = 2 :: else fi }",
        expect![[r#"
        error: expected `::`, found `x`
         --> m.pml:1:11
          |
        1 | init { if x == 1 -> y = 2 :: else fi }
          |           ^
          |        -- in this `if`
          = hint: every option of `if` starts with `::`
    "#]],
    );
}

#[test]
fn missing_separator() {
    check(
        "init { x = 1 y = 2; x = 3 ) ; z = 1 }",
        expect![[r#"
            error: expected `;` or `->` before `y`
             --> m.pml:1:14
              |
            1 | init { x = 1 y = 2; x = 3 ) ; z = 1 }
              |              ^ a new statement starts here
              = hint: statements are separated by `;`, `->` or a line break

            error: unexpected `)`
             --> m.pml:1:27
              |
            1 | init { x = 1 y = 2; x = 3 ) ; z = 1 }
              |                           ^ expected `;` or `->` and another statement, or the end of the sequence
        "#]],
    );
}

#[test]
fn line_break_in_expression() {
    check(
        "init {\n x = a\n + b\n y = 1\n}",
        expect![[r#"
        error: expected an expression, found `+`
         --> m.pml:3:2
          |
        3 |  + b
          |  ^
          = hint: the line break before it ends the statement; break the line after the operator
    "#]],
    );
}

#[test]
fn misplaced_words() {
    check(
        "init {\n break;\n else;\n :: x;\n fi;\n L: int y;\n unless z;\n return 3\n}",
        expect![[r#"
        error: `break` outside of a loop
         --> m.pml:2:2
          |
        2 |  break;
          |  ^^^^^
          = hint: `break` leaves the innermost `do` or `for`

        warning: `else` outside of `if` and `do`
         --> m.pml:3:2
          |
        3 |  else;
          |  ^^^^
          = hint: `else` is the option to take when no other can be: `:: else -> …`

        error: `::` outside of `if` and `do`
         --> m.pml:4:2
          |
        4 |  :: x;
          |  ^^

        error: `fi` without `if`
         --> m.pml:5:2
          |
        5 |  fi;
          |  ^^

        error: a label cannot stand before a declaration
         --> m.pml:6:5
          |
        6 |  L: int y;
          |     ^^^
          |   - after this label
          = hint: put the declaration first, or `skip;` between them

        error: expected a statement, found `unless`
         --> m.pml:7:2
          |
        7 |  unless z;
          |  ^^^^^^
          = hint: `unless` stands between two statements

        error: `return` outside of an inline
         --> m.pml:8:2
          |
        8 |  return 3
          |  ^^^^^^
          = hint: `return` gives a value to an inline that is called as `x = f(…)`
    "#]],
    );
}

#[test]
fn empty_things() {
    check(
        "proctype P() { }\ninit { if fi; do :: :: x od; atomic { } }\ntypedef T { }\nmtype = { }",
        expect![[r#"
        error: nothing stands between these braces
         --> m.pml:1:14
          |
        1 | proctype P() { }
          |              ^^^
          = hint: write `skip` for doing nothing

        error: this `if` has no options
         --> m.pml:2:8
          |
        2 | init { if fi; do :: :: x od; atomic { } }
          |        ^^
          = hint: an option starts with `::`

        error: this option is empty
         --> m.pml:2:18
          |
        2 | init { if fi; do :: :: x od; atomic { } }
          |                  ^^ expected a statement after this
          = hint: write `skip` for doing nothing

        error: nothing stands between these braces
         --> m.pml:2:37
          |
        2 | init { if fi; do :: :: x od; atomic { } }
          |                                     ^^^
          = hint: write `skip` for doing nothing

        error: the type `T` has no fields
         --> m.pml:3:1
          |
        3 | typedef T { }
          | ^^^^^^^^^^^^^

        error: this mtype has no names
         --> m.pml:4:1
          |
        4 | mtype = { }
          | ^^^^^^^^^^^
    "#]],
    );
}

#[test]
fn unknown_types_and_inlines() {
    check(
        "Foo x;\ninit { Bar y; f(1); while (x) { skip } P(2) }\nproctype Q(Baz a) { skip }",
        expect![[r#"
        error: unknown type `Foo`
         --> m.pml:1:1
          |
        1 | Foo x;
          | ^^^
          = hint: a type is declared with `typedef` before its first use

        error: unknown type `Bar`
         --> m.pml:2:8
          |
        2 | init { Bar y; f(1); while (x) { skip } P(2) }
          |        ^^^
          = hint: a type is declared with `typedef` before its first use

        error: unknown inline `f`
         --> m.pml:2:15
          |
        2 | init { Bar y; f(1); while (x) { skip } P(2) }
          |               ^
          = hint: an inline is defined before its first use

        error: there is no `while`
         --> m.pml:2:21
          |
        2 | init { Bar y; f(1); while (x) { skip } P(2) }
          |                     ^^^^^
          = hint: write `do :: condition -> … :: else -> break od`

        error: unknown inline `P`
         --> m.pml:2:40
          |
        2 | init { Bar y; f(1); while (x) { skip } P(2) }
          |                                        ^
          = hint: an inline is defined before its first use

        error: unknown type `Baz`
         --> m.pml:3:12
          |
        3 | proctype Q(Baz a) { skip }
          |            ^^^
          = hint: a type is declared with `typedef` before its first use
    "#]],
    );
}

#[test]
fn parameters_with_commas() {
    check(
        "proctype P(byte a, byte b) { skip }\ninline f(byte x) { skip }\n",
        expect![[r#"
        error: expected a variable's name, found `byte`
         --> m.pml:1:20
          |
        1 | proctype P(byte a, byte b) { skip }
          |                    ^^^^
          = hint: after `,` another variable of the same type follows; a new type comes after `;`

        error: expected a parameter's name, found `byte`
         --> m.pml:2:10
          |
        2 | inline f(byte x) { skip }
          |          ^^^^
          = hint: parameters of an inline have no types
    "#]],
    );
}

#[test]
fn keywords_as_names() {
    check(
        "int len;\nproctype run() { skip }\ninit { goto skip }",
        expect![[r#"
        error: expected a variable's name, found `len`
         --> m.pml:1:5
          |
        1 | int len;
          |     ^^^
          = hint: `len` is a keyword and cannot be a name

        error: expected the proctype's name, found `run`
         --> m.pml:2:10
          |
        2 | proctype run() { skip }
          |          ^^^
          = hint: `run` is a keyword and cannot be a name

        error: expected a label after `goto`, found `skip`
         --> m.pml:3:13
          |
        3 | init { goto skip }
          |             ^^^^
          = hint: `skip` is a keyword and cannot be a name
    "#]],
    );
}

#[test]
fn inline_errors() {
    check(
        "inline f(a) { a = }\ninline g() { h() }\ninline h() { g() }\n\
         init { f(x); f(y); f(); f(1, 2); f(1,); g(); x = g(); x = 1 + f(2) }\ninline f(b) { skip }",
        expect![[r#"
            error: expected an expression, found `}`
             --> m.pml:1:19
              |
            1 | inline f(a) { a = }
              |                   ^

            error: the inline `f` takes 1 argument, not 0
             --> m.pml:4:20
              |
            1 | inline f(a) { a = }
              |        - defined here
            ...
            4 | init { f(x); f(y); f(); f(1, 2); f(1,); g(); x = g(); x = 1 + f(2) }
              |                    ^^^

            error: the inline `f` takes 1 argument, not 2
             --> m.pml:4:25
              |
            1 | inline f(a) { a = }
              |        - defined here
            ...
            4 | init { f(x); f(y); f(); f(1, 2); f(1,); g(); x = g(); x = 1 + f(2) }
              |                         ^^^^^^^

            error: expected an argument, found `)`
             --> m.pml:4:38
              |
            4 | init { f(x); f(y); f(); f(1, 2); f(1,); g(); x = g(); x = 1 + f(2) }
              |                                      ^

            error: cyclic inline: `g` calls itself
             --> m.pml:3:14
              |
            2 | inline g() { h() }
              |        - defined here
            3 | inline h() { g() }
              |              ^^^
              = hint: an inline is text that is copied; it cannot be recursive

            error: the inline `f` cannot be used in an expression
             --> m.pml:4:63
              |
            4 | init { f(x); f(y); f(); f(1, 2); f(1,); g(); x = g(); x = 1 + f(2) }
              |                                                               ^
              = hint: call it as a statement of its own, or as `x = name(…)`

            error: the inline `f` is defined twice
             --> m.pml:5:8
              |
            1 | inline f(a) { a = }
              |        - first defined here
            ...
            5 | inline f(b) { skip }
              |        ^
        "#]],
    );
}

#[test]
fn embedded_c() {
    check(
        "c_decl {\n \\#include <stdio.h>\n}\nc_state \"int x\" \"Global\"\ninit { c_code [x > 0] { x = '}'; }; c_expr { now.x } -> y = 1 }",
        expect![[r#"
            error: embedded C is not supported: `c_decl`
             --> m.pml:1:1
              |
            1 | c_decl {
              | ^^^^^^
              = hint: state what the C code does in Promela itself

            error: embedded C is not supported: `c_state`
             --> m.pml:4:1
              |
            4 | c_state "int x" "Global"
              | ^^^^^^^
              = hint: state what the C code does in Promela itself

            error: embedded C is not supported: `c_code`
             --> m.pml:5:8
              |
            5 | init { c_code [x > 0] { x = '}'; }; c_expr { now.x } -> y = 1 }
              |        ^^^^^^
              = hint: state what the C code does in Promela itself

            error: embedded C is not supported: `c_expr`
             --> m.pml:5:37
              |
            5 | init { c_code [x > 0] { x = '}'; }; c_expr { now.x } -> y = 1 }
              |                                     ^^^^^^
              = hint: state what the C code does in Promela itself
        "#]],
    );
}

#[test]
fn junk_characters() {
    check(
        "init { x = 1 § § y; z = `; printf(\"abc);\n s = 'ab'; t = 'x; u = é\n}",
        expect![[r#"
        error: unexpected characters `§§`
         --> m.pml:1:14
          |
        1 | init { x = 1 § § y; z = `; printf("abc);
          |              ^^^

        error: unexpected character ```
         --> m.pml:1:25
          |
        1 | init { x = 1 § § y; z = `; printf("abc);
          |                         ^

        error: this string does not end on its line
         --> m.pml:1:35
          |
        1 | init { x = 1 § § y; z = `; printf("abc);
          |                                   ^
          = hint: close it with `"`

        error: 'ab' is not one character
         --> m.pml:2:6
          |
        2 |  s = 'ab'; t = 'x; u = é
          |      ^^^^
          = hint: a character constant is a single ASCII character between single quotes

        error: this character constant does not end on its line
         --> m.pml:2:16
          |
        2 |  s = 'ab'; t = 'x; u = é
          |                ^
          = hint: a character constant is a single character between single quotes
    "#]],
    );
}

#[test]
fn nested_comments() {
    check(
        "init { x = 1 /* a /* b */ */\n */ y = 2 }",
        expect![[r#"
        warning: this `*/` closes no comment
         --> m.pml:1:27
          |
        1 | init { x = 1 /* a /* b */ */
          |                           ^^ ignored
          = hint: comments do not nest: the first `*/` ends them

        warning: this `*/` closes no comment
         --> m.pml:2:2
          |
        2 |  */ y = 2 }
          |  ^^ ignored
          = hint: comments do not nest: the first `*/` ends them
    "#]],
    );
}

#[test]
fn numbers_that_do_not_fit() {
    check(
        "int x = 4294967295; int y = 99999999999999999999; int z = 2147483647",
        expect![[r#"
        warning: the number 4294967295 does not fit
         --> m.pml:1:9
          |
        1 | int x = 4294967295; int y = 99999999999999999999; int z = 2147483647
          |         ^^^^^^^^^^ taken as -1
          = hint: numbers go from -2147483648 to 2147483647

        warning: the number 99999999999999999999 does not fit
         --> m.pml:1:29
          |
        1 | int x = 4294967295; int y = 99999999999999999999; int z = 2147483647
          |                             ^^^^^^^^^^^^^^^^^^^^ taken as -1
          = hint: numbers go from -2147483648 to 2147483647
    "#]],
    );
}

#[test]
fn standard_input() {
    check(
        "chan STDIN; init { int c; STDIN?c }",
        expect![[r#"
        error: reading from STDIN is not supported
         --> m.pml:1:27
          |
        1 | chan STDIN; init { int c; STDIN?c }
          |                           ^^^^^
          = hint: give the values in the model itself, for instance with `select`
    "#]],
    );
}

#[test]
fn select_range() {
    check(
        "init { select (i : 3 .. 1) }",
        expect![[r#"
        error: the range 3 .. 1 is empty
         --> m.pml:1:20
          |
        1 | init { select (i : 3 .. 1) }
          |                    ^^^^^^
    "#]],
    );
}

#[test]
fn hidden_macro() {
    check(
        "#define N 3\ninit { for (i : 0..N) { skip } }",
        expect![[r#"
        warning: the macro `N` is not expanded here
         --> m.pml:2:17
          |
        2 | init { for (i : 0..N) { skip } }
          |                 ^^^^ the preprocessor reads this as one number
          = hint: put a space before `N`
    "#]],
    );
}

#[test]
fn errors_in_macros() {
    check(
        "#define INC(v) v = = 1\n#define TWICE INC(a); INC(b)\ninit { TWICE; INC(c) }",
        expect![[r#"
        error: expected an expression, found `=`
         --> m.pml:3:8
          |
        3 | init { TWICE; INC(c) }
          |        ^^^^^
          = hint: `==` is written without a space
          = note: this comes out of the macro `TWICE`:
         --> m.pml:2:15
          |
        2 | #define TWICE INC(a); INC(b)
          |               ^^^
          = note: this comes out of the macro `INC`:
         --> m.pml:1:20
          |
        1 | #define INC(v) v = = 1
          |                    ^

        error: expected an expression, found `=`
         --> m.pml:3:8
          |
        3 | init { TWICE; INC(c) }
          |        ^^^^^
          = hint: `==` is written without a space
          = note: this comes out of the macro `TWICE`:
         --> m.pml:2:23
          |
        2 | #define TWICE INC(a); INC(b)
          |                       ^^^
          = note: this comes out of the macro `INC`:
         --> m.pml:1:20
          |
        1 | #define INC(v) v = = 1
          |                    ^

        error: expected an expression, found `=`
         --> m.pml:3:15
          |
        3 | init { TWICE; INC(c) }
          |               ^^^
          = hint: `==` is written without a space
          = note: this comes out of the macro `INC`:
         --> m.pml:1:20
          |
        1 | #define INC(v) v = = 1
          |                    ^
    "#]],
    );
}

#[test]
fn macro_arguments() {
    check(
        "#define f(a, b) a\ninit { x = f(1); y = 2 }\ninit { f(1, 2 }",
        expect![[r#"
        error: the macro `f` takes 2 arguments, not 1
         --> m.pml:2:12
          |
        1 | #define f(a, b) a
          |         - the macro is defined here
        2 | init { x = f(1); y = 2 }
          |            ^

        error: the arguments of the macro `f` do not end
         --> m.pml:3:8
          |
        1 | #define f(a, b) a
          |         - the macro is defined here
        2 | init { x = f(1); y = 2 }
        3 | init { f(1, 2 }
          |        ^ in this use
          |         - no `)` for this `(`
    "#]],
    );
}

#[test]
fn unfinished_text() {
    for text in [
        "init {",
        "init { if ::",
        "init { x = (1 +",
        "proctype",
        "proctype P(",
        "mtype = {",
        "typedef T {",
        "ltl {",
        "inline f() {",
        "inline f(",
    ] {
        let (_, diagnostics, _) = parse(text);
        assert_eq!(diagnostics.len(), 1, "{text}: {}", messages(text));
    }
}

#[test]
fn reading_goes_on_after_errors() {
    let text = "int a = ;\nint b;\nproctype P() { x = ; y = 1; if :: (a -> z = 2 :: w! :: v = 3 fi; u = 4 }\ninit { t = 5 }";
    let (program, diagnostics, _) = parse(text);
    assert_eq!(diagnostics.len(), 4, "{}", messages(text));
    assert_eq!(
        write_program(&program),
        "int b\nproctype P() { <broken>; y = 1; if :: <broken> :: <broken> :: v = 3 fi; u = 4 }\ninit { t = 5 }"
    );
}
