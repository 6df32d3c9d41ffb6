//! What text becomes which tree.

use crate::common::{expr, parse, write_program};
use lariat_promela::{Macros, ReadOptions, parse_expression, parse_file, parse_text};
use lariat_source::SourceMap;

#[track_caller]
fn check(text: &str, expected: &str) {
    let (program, diagnostics, sources) = parse(text);
    let messages: String = diagnostics.iter().map(|d| d.render(&sources)).collect();
    assert!(diagnostics.is_empty(), "{messages}");
    assert_eq!(write_program(&program), expected);
}

/// The statements of a body.
#[track_caller]
fn check_body(text: &str, expected: &str) {
    check(&format!("init {{ {text} }}"), &format!("init {{ {expected} }}"));
}

#[test]
fn expressions_by_precedence() {
    check_body("x = 1 + 2 * 3 - 4 / 5 % 6", "x = ((1 + (2 * 3)) - ((4 / 5) % 6))");
    check_body(
        "a || b && c | d ^ e & f == g < h << i + j",
        "(a || (b && (c | (d ^ (e & (f == (g < (h << (i + j)))))))))",
    );
    check_body("a - b - c; a == b != c", "((a - b) - c); ((a == b) != c)");
    check_body(
        "!a == b; -a * b; ~a & b; !(a == b); - - a; ! !a",
        "(!a == b); (-a * b); (~a & b); !(a == b); --a; !!a",
    );
    check_body(
        "x = (a -> b : c); x = (a > 1 -> (b -> 1 : 2) : -c)",
        "x = (a -> b : c); x = ((a > 1) -> (b -> 1 : 2) : -c)",
    );
    check_body("a >= b && c <= d >> 1", "((a >= b) && (c <= (d >> 1)))");
}

#[test]
fn operands() {
    check_body("skip; true; false; 'a'; '\\n'; '\\\\'; '\\0'; 007", "1; 1; 0; 97; 10; 92; 48; 7");
    check_body(
        "timeout; np_; enabled(p); pc_value(p); get_priority(p)",
        "timeout; np_; enabled(p); pc_value(p); get_priority(p)",
    );
    check_body(
        "len(c) > 1; full(c); nfull(c[1]); empty(s.c); !nempty(c)",
        "(len(c) > 1); full(c); nfull(c[1]); empty(s.c); !nempty(c)",
    );
    check_body("c?[x,_,1]; c??[eval(y)] && z; !c?[m(x)]", "c?[x,_,1]; (c??[eval(y)] && z); !c?[m,x]");
    check_body("a[i].b.c[j + 1].d = a[a[1]]", "a[i].b.c[(j + 1)].d = a[a[1]]");
    check_body(
        "run P(); run P(1, x) priority 3; p = run P(1)",
        "run P(); run P(1, x) priority 3; p = run P(1)",
    );
}

#[test]
fn references_to_other_processes() {
    check(
        "proctype P() { L: skip } never { do :: P[1]@L :: P@L && P:x == 1 :: P[i + 1]:x[2] > P:s.f od }",
        "proctype P() { L: 1 }\nnever { do :: P[1]@L :: (P@L && (P:x == 1)) :: (P[(i + 1)]:x[2] > P:s.f) od }",
    );
    check("never { do :: Q[1]@L :: Q@L od }", "never { do :: Q[1]@L :: Q@L od }");
    check("proctype P() { x = (c -> P[0]:a : b) }", "proctype P() { x = (c -> P[0]:a : b) }");
}

#[test]
fn statements() {
    check_body("x = 1; x++; x--; a[1]++", "x = 1; x++; x--; a[1]++");
    check_body("assert(x == 1); assert x", "assert (x == 1); assert x");
    check_body(
        "printf(\"a\\n\"); printf(\"%d %e\", x, y + 1); printm(m)",
        "printf(\"a\\n\"); printf(\"%d %e\", x, (y + 1)); printm(m)",
    );
    check_body("set_priority(_pid, 2); goto L; L: skip", "set_priority(_pid, 2); goto L; L: 1");
    check_body(
        "atomic { x = 1; skip }; d_step { skip } { skip } skip",
        "atomic { x = 1; 1 }; d_step { 1 }; { 1 }; 1",
    );
    check_body("if :: x -> y = 1 :: else fi", "if :: x; y = 1 :: else fi");
    check_body("do :: x; break :: else -> skip; od;", "do :: x; break :: else; 1 od");
    check_body(
        "x = 1 unless y = 2; L: { skip } unless { M: skip }",
        "(x = 1 unless y = 2); (L: { 1 } unless { M: 1 })",
    );
    check_body("A: B: x = 1; C: ; D:", "A: B: x = 1; C: 1; D: 1");
    check_body("for (i : 1 .. n + 1) { break }", "for (i : 1 .. (n + 1)) { break }");
    check_body("for (i in a) { skip } for (m in s.c) { skip }", "for (i in a) { 1 }; for (m in s.c) { 1 }");
    check_body("for (i : 0..3)\n{ int in; in = 1 }", "for (i : 0 .. 3) { int in; in = 1 }");
    check_body("xr c, d[1]; xs e; skip", "xr c, d[1]; xs e; 1");
    check_body("x -> y -> z", "x; y; z");
}

#[test]
fn messages() {
    check_body("c!1; c!!x,y; c!m(a, b + 1); c[1]!(x); s.c!-1", "c!1; c!!x,y; c!m,a,(b + 1); c[1]!x; s.c!-1");
    check_body("c!x+1(2); c!(1),2", "c!(x + 1),2; c!1,2");
    check_body(
        "c?x; c??x,_; c?m(a, b); c?eval(x + 1),-1,2; c?(a,b); c?a,(b,c)",
        "c?x; c??x,_; c?m,a,b; c?eval((x + 1)),-1,2; c?a,b; c?a,b,c",
    );
    check_body("c?<x,y>; c??<m(x)>; c ?< x >", "c?<x,y>; c??<m,x>; c?<x>");
    check_body("c!true; c?false; c?s.f[1]", "c!1; c?0; c?s.f[1]");
}

#[test]
fn declarations() {
    check(
        "bit a; bool b; byte c = 1, d[3]; pid e; short f; int g = x + 1; unsigned h : 3 = 2; chan i;",
        "bit a\nbool b\nbyte c = 1, d[3]\npid e\nshort f\nint g = (x + 1)\nunsigned h : 3 = 2\nchan i",
    );
    check(
        "chan c = [0] of { byte }; chan d[2] = [N + 1] of { mtype:m, chan, bool }, e; int f[2] = { 1, 2 }",
        "chan c = [0] of {byte}\nchan d[2] = [(N + 1)] of {mtype:m, chan, bool}, e\nint f[2] = {1, 2}",
    );
    check("mtype = { a b, c, }; mtype:s = {d}; mtype { e }", "mtype = {a, b, c}\nmtype:s = {d}\nmtype = {e}");
    check("mtype x = a; mtype:s y, z[2]", "mtype x = a\nmtype:s y, z[2]");
    check("hidden int a; show byte b; local chan c", "hidden int a\nshow byte b\nlocal chan c");
    check(
        "typedef T { byte a; int b[2]\n bool c = 1\n }; typedef U { T t; };\nU u[2]; init { T\n t; t.a = 1 }",
        "typedef T {byte a; int b[2]; bool c = 1}\ntypedef U {T t}\nU u[2]\ninit { T t; t.a = 1 }",
    );
}

#[test]
fn units() {
    check(
        "active proctype A() { skip } active [2 + 1] proctype B(byte a, b; chan c) priority 2 provided (x > 0) { skip }",
        "active proctype A() { 1 }\nactive [(2 + 1)] proctype B(byte a, b; chan c) priority 2 provided (x > 0) { 1 }",
    );
    check(
        "D_proctype A() { skip }; init priority 3 { skip };",
        "D_proctype A() { 1 }\ninit priority 3 { 1 }",
    );
    check("never { skip } never n { skip }", "never { 1 }\nnever n { 1 }");
    check("trace { c!1 } notrace { c?1 }", "trace { c!1 }\nnotrace { c?1 }");
}

#[test]
fn formulas_are_kept_as_text() {
    check(
        "#define p (x  > 1)\nltl { [](p -> <>q) } ltl f { a U\n b<->c } ltl { !P[1]@l }",
        "ltl ltl_0 {[]((x > 1) -> <>q)}\nltl f {a U b<->c}\nltl ltl_1 {!P[1]@l}",
    );
}

#[test]
fn line_breaks_separate() {
    check_body("x = 1\n y = 2\n", "x = 1; y = 2");
    check_body("x = 1\n - 2", "x = 1; -2");
    check_body("x = (1\n - 2)\n y", "x = (1 - 2); y");
    check_body("x = 1 -\n 2", "x = (1 - 2)");
    check_body("x\n -> y;\n ; z", "x; y; z");
    check_body("if\n :: x\n y++\n :: else\n z\n fi\n x", "if :: x; y++ :: else; z fi; x");
    check_body("do :: x -> break\n :: timeout\n od\n x", "do :: x; break :: timeout od; x");
    check_body("{ x }\n unless { y }", "({ x } unless { y })");
    check_body("x\n unless y", "(x unless y)");
    check_body("if :: else x = 1 fi; { y } z", "if :: else; x = 1 fi; { y }; z");
    check_body("L:\n x = 1\n int y\n y = 2", "L: x = 1; int y; y = 2");
    check_body("x = 1 /* a\n b */ - 2", "x = 1; -2");
    // Outside of bodies a line break is white space.
    check("int x = 1\n - 2", "int x = (1 - 2)");
}

#[test]
fn tokens_of_c_and_promela() {
    check_body("a!!b; a! !b; c??d", "a!!b; a!!b; c??d");
    check_body("x = a<-1; x=-1", "x = (a < -1); x = -1");
    check_body("x --> y; x-- -> z; x--; ->", "x; y; x--; z; x--");
    check(
        "typedef T { int x-> } chan c = [1] of { T; }; mtype = { a; }",
        "typedef T {int x}\nchan c = [1] of {T}\nmtype = {a}",
    );
    check("ltl p { [] x; }", "ltl p {[] x}");
}

#[test]
fn select_is_written_out() {
    check_body("select (i : 1 .. 3)", "if :: i = 1 :: i = 2 :: i = 3 fi");
    check_body("select (i : 0 .. 33); x", "i = 0; do :: (i < 33); i++ :: break od; x");
    check_body("L: select(i:5..5)", "L: if :: i = 5 fi");
    check_body("select (i_1 : 1 .. 3)", "select (i_1 : 1 .. 3)");
    check_body(
        "select (a[0] : 1 .. 3); select (i : 1 .. n); select (i : -1 .. 3)",
        "select (a[0] : 1 .. 3); select (i : 1 .. n); select (i : -1 .. 3)",
    );
    check_body("select (i\n : 1 .. 3)", "select (i : 1 .. 3)");
    check("#define N 2\ninit { select (i : 1 .. N) }", "init { if :: i = 1 :: i = 2 fi }");
    check("inline f(x) { select (x : 1 .. 2) } init { f(i) }", "init { { select (i : 1 .. 2) } }");
}

#[test]
fn inlines() {
    check(
        "inline f(a, b) { a = b + 1 }\ninit { f(x, 3); f(y[1], z * 2) }",
        "init { { x = (3 + 1) }; { y[1] = ((z * 2) + 1) } }",
    );
    check(
        "inline f() { skip }\ninline g(a) { f(); a++ }\ninit { g(x) g(y)\n g(z) }",
        "init { { { 1 }; x++ }; { { 1 }; y++ }; { { 1 }; z++ } }",
    );
    check("inline f(a) { return a + 1 }\ninit { x[1] = f(3) }", "init { { x[1] = (3 + 1) } }");
    check("inline f(a, b) { a = b }\ninline g(a, b) { f(b, a) }\ninit { g(x, y) }", "init { { { y = x } } }");
    check(
        "inline f(a) { printf(\"a %d\", a); L: goto a }\ninit { do :: f(M); break od }",
        "init { do :: { printf(\"a %d\", M); L: goto M }; break od }",
    );
    check("inline f(a) { break }\ninit { do :: f((1 -> 2 : 3)) od }", "init { do :: { break } od }");
    check("inline f(a, b) { skip }\ninit { f(a[1, 2], (b, c)) }", "init { { 1 } }");
}

#[test]
fn spans_of_inline_bodies_lie_in_the_definition() {
    let (program, _, sources) = parse("inline f(a) { a = 1 }\ninit { f(xyz) }");
    let lariat_promela::ast::Unit::Init(init) = &program.units[0] else { panic!() };
    let lariat_promela::ast::Step::Statement(call) = &init.body.steps[0] else { panic!() };
    assert_eq!(sources.text(call.span), "f(xyz)");
    let lariat_promela::ast::StatementKind::Block(body) = &call.kind else { panic!() };
    assert_eq!(sources.text(body.span), "{ a = 1 }");
    let lariat_promela::ast::Step::Statement(assignment) = &body.steps[0] else { panic!() };
    let lariat_promela::ast::StatementKind::Assign(target, value) = &assignment.kind else { panic!() };
    assert_eq!((sources.text(target.span), sources.text(value.span)), ("xyz", "1"));
}

#[test]
fn names_of_gcc_are_numbers() {
    check_body("x = linux + unix", "x = (1 + 1)");
}

#[test]
fn one_expression() {
    let mut sources = SourceMap::new();
    let (program, _) = parse_text("m.pml", "proctype P() { skip }", &ReadOptions::default(), &mut sources);
    let mut read = |text: &str| {
        parse_expression("<ltl>", text.to_string().into(), &Macros::default(), &program, &mut sources)
    };
    assert_eq!(expr(&read("x > 1 &&\n P[0]:y == 2").0), "((x > 1) && (P[0]:y == 2))");
    assert_eq!(read("x >").1.len(), 1);
    assert_eq!(read("x y").1.len(), 1);
    assert_eq!(read("").1.len(), 1);
}

#[test]
fn includes_and_external_preprocessor() {
    let directory = std::env::temp_dir().join(format!("lariat-parse-{}", std::process::id()));
    std::fs::create_dir_all(directory.join("inc")).unwrap();
    std::fs::write(directory.join("m.pml"), "#include \"a.h\"\n#include <b.h>\ninit { x = N }\n").unwrap();
    std::fs::write(directory.join("a.h"), "#pragma once\n#include \"a.h\"\nint x\n").unwrap();
    std::fs::write(directory.join("inc/b.h"), "#define N 7\nint y").unwrap();
    std::fs::write(directory.join("loop.pml"), "#include \"loop.pml\"\ninit { skip }\n").unwrap();

    let include_paths = vec![directory.join("inc")];
    let mut options = ReadOptions { include_paths, ..ReadOptions::default() };
    let mut sources = SourceMap::new();
    let (program, diagnostics) = parse_file(&directory.join("m.pml"), &options, &mut sources).unwrap();
    assert!(diagnostics.is_empty());
    assert_eq!(write_program(&program), "int x\nint y\ninit { x = 7 }");

    let (_, diagnostics) = parse_file(&directory.join("loop.pml"), &options, &mut sources).unwrap();
    assert_eq!(diagnostics.len(), 1);
    assert!(diagnostics[0].message.contains("circular include"));

    assert!(parse_file(&directory.join("none.pml"), &options, &mut sources).is_err());

    // `cat` ignores nothing, so give it no include directories: it is a preprocessor that does nothing.
    options = ReadOptions { external_preprocessor: Some("cat".into()), ..ReadOptions::default() };
    let printed = format!("# 3 {:?}\ninit {{ x = 7 ! }}\n", directory.join("m.pml"));
    std::fs::write(directory.join("m.i"), printed).unwrap();
    let (program, diagnostics) = parse_file(&directory.join("m.i"), &options, &mut sources).unwrap();
    assert_eq!(program.units.len(), 1);
    let shown = diagnostics[0].render(&sources);
    assert!(shown.contains("m.pml:3:"), "{shown}");

    options.external_preprocessor = Some("no-such-command -x".into());
    assert!(parse_file(&directory.join("m.i"), &options, &mut sources).is_err());
    options.external_preprocessor = Some("false".into());
    assert!(parse_file(&directory.join("m.i"), &options, &mut sources).is_err());
    std::fs::remove_dir_all(&directory).unwrap();
}
