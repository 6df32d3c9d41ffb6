//! The preprocessor's output as text: tokens as spaced, line breaks where the parser sees them.

use super::*;

fn run(text: &str) -> (String, Vec<String>) {
    run_with(text, &ReadOptions::default())
}

fn run_with(text: &str, options: &ReadOptions) -> (String, Vec<String>) {
    let mut sources = SourceMap::new();
    let file = sources.add("m.pml", "m.pml", text.to_string());
    let mut diagnostics = Vec::new();
    let macros = initial_macros(options, &mut sources, &mut diagnostics);
    let (tokens, _) = preprocess(file, options, macros, &mut sources, &mut diagnostics);
    let mut out = String::new();
    for (i, Preprocessed { piece, newline_before }) in tokens.iter().enumerate() {
        match (i, newline_before, piece.space_before) {
            (0, _, _) => {}
            (_, true, _) => out.push('\n'),
            (_, _, true) => out.push(' '),
            _ => {}
        }
        out.push_str(&piece.text);
    }
    (out, diagnostics.into_iter().map(|diagnostic| diagnostic.message).collect())
}

#[track_caller]
fn check(text: &str, expected: &str) {
    let (out, messages) = run(text);
    assert_eq!(out, expected);
    assert!(messages.is_empty(), "{messages:?}");
}

#[track_caller]
fn check_error(text: &str, expected: &str) {
    let (_, messages) = run(text);
    assert!(messages.iter().any(|message| message.contains(expected)), "{messages:?}");
}

#[test]
fn object_like_macros() {
    check("#define N 3\nint a[N];", "int a[3];");
    check("#define N M + 1\n#define M 2\nx = N", "x = 2 + 1");
    check("#define EMPTY\na EMPTY b", "a b");
    check("#define N 1\n#undef N\nN", "N");
    check("#define s \"N\"\n#define N 1\ns N 'N'", "\"N\" 1 'N'");
}

#[test]
fn function_like_macros() {
    check("#define max(a,b) (a > b -> a : b)\nx = max(y, (1, 2))", "x = (y > (1, 2) -> y : (1, 2))");
    check("#define f(x) [x]\nf (1) f\n(2) f", "[1] [2]\nf");
    check("#define f() z\nf() f( )", "z z");
    check("#define f(x) <x>\nf()", "<>");
    check("#define f (x)\nf", "(x)");
}

#[test]
fn arguments_span_lines_as_white_space() {
    check("#define f(a,b) a+b\nf(1,\n  2)\nx", "1+2\nx");
    // gcc breaks the line after such a call.
    check("#define f(a,b) (a+b)\nx = f(1,\n  2) + 3", "x = (1+2)\n+ 3");
    check("#define f(a,b) (a+b)\nx = f(1,\n  2)+ 3", "x = (1+2)\n+ 3");
}

#[test]
fn arguments_are_expanded_first() {
    check("#define N 3\n#define f(x) x+x\nf(N)", "3+3");
    check("#define f(x) x+x\nf(f(1))", "1+1+1+1");
}

#[test]
fn recursion_is_painted() {
    check("#define x x + 1\nx", "x + 1");
    check("#define a b\n#define b a\na b", "a b");
    check("#define f(x) x f\nf(1)(2)", "1 f(2)");
    // The standard's own example.
    check(
        "#define x 3\n#define f(a) f(x * (a))\n#undef x\n#define x 2\n#define g f\n#define z z[0]\n#define h g(~\n\
         #define m(a) a(w)\n#define w 0,1\n#define t(a) a\n\
         f(y+1) + f(f(z)) % t(t(g)(0) + t)(1);",
        "f(2 * (y+1)) + f(2 * (f(2 * (z[0])))) % f(2 * (0)) + t(1);",
    );
}

#[test]
fn stringify_and_paste() {
    check("#define s(x) #x\ns( a  +b \"q\\n\" )", "\"a +b \\\"q\\\\n\\\"\"");
    check("#define N 1\n#define s(x) #x\n#define t(x) s(x)\ns(N) t(N)", "\"N\" \"1\"");
    check("#define p(a,b) a##b\np(x,1) p(,y) p(x,) p(1,2) p(-,>)", "x1 y x 12 ->");
    check("#define N 1\n#define p(a) a##N N##a\np(N)", "NN NN");
    check("#define p(a,b,c) a##b##c\np(,,z) p(x,,z)", "z xz");
    check_error("#define p(a,b) a##b\np(x,+)", "do not make one token");
    check_error("#define p ## x\n", "`##` cannot stand");
}

#[test]
fn variadic_macros() {
    check("#define p(f, ...) printf(f, __VA_ARGS__)\np(\"x\", 1, 2)", "printf(\"x\", 1, 2)");
    check(
        "#define p(f, ...) printf(f, ## __VA_ARGS__)\np(\"x\") p(\"x\", 1)",
        "printf(\"x\") printf(\"x\", 1)",
    );
    check("#define p(rest...) [rest]\np(1, 2)", "[1, 2]");
}

#[test]
fn conditionals() {
    check("#ifdef N\na\n#else\nb\n#endif\nc", "b\nc");
    check("#define N\n#ifndef N\na\n#elif 1\nb\n#else\nc\n#endif", "b");
    check("#if 0\n#if 1\na\n#else\nb\n#endif\n#else\nc\n#endif", "c");
    check("#if 0\n'\n#nonsense\n#elif 0\n#elif 1\na\n#elif 1\nb\n#endif", "a");
    check("#define N 3\n#if defined(N) && N >= 3 && !defined M\na\n#endif", "a");
    check("#if (1 ? 2 : 0/0) == 2 && 'a' == 97 && 0x10 == 020 + 0\na\n#endif", "a");
    check("#if 0 && (1 / 0) || UNKNOWN || -1 > 0u\na\n#endif", "a");
    check("#if 1 << 3 == 8 && ~0 == -1 && 7 % 4 == 3 && (6 ^ 3) == 5\na\n#endif", "a");
    check_error("#if 1\n", "never closed");
    check_error("#endif\n", "without `#if`");
    check_error("#if 1 / 0\n#endif", "division by zero");
    check_error("#if (1\n#endif", "expected `)`");
    check_error("#if\n#endif", "without a condition");
    check_error("#if 1\n#else\n#else\n#endif", "after `#else`");
    check_error("#if 1.5\n#endif", "not an integer");
}

#[test]
fn splices_and_comments() {
    check("#define N 1 + \\\n  2\nN", "1 + 2");
    check("ab\\\ncd", "abcd");
    check("// x \\\n y\nz", "z");
    check("a /* b */ c // d\ne", "a c\ne");
    check("a/**/b", "a b");
    // As gcc prints it: white space that spans lines breaks the line.
    check("a /*\n*/ b", "a\nb");
    check("a \\\n b", "a\nb");
    check("a\\\n+b", "a+b");
    check_error("a /* b", "never ends");
}

#[test]
fn numbers_hide_names() {
    check("#define N 3\n0..N 0 .. N 0 ..N", "0..N 0 .. 3 0 ..3");
}

#[test]
fn predefined_and_command_line() {
    check(
        "linux unix __STDC__ __LINE__\n__LINE__ __FILE__ __COUNTER__ __COUNTER__",
        "1 1 1 1\n2 \"m.pml\" 0 1",
    );
    let defines = vec![
        ("A".to_string(), None),
        ("B".to_string(), Some("x y".to_string())),
        ("C".to_string(), Some(String::new())),
    ];
    let options = ReadOptions { defines, ..ReadOptions::default() };
    assert_eq!(run_with("A B C;", &options).0, "1 x y;");
}

#[test]
fn bad_directives() {
    check_error("#define\n", "needs a name");
    check_error("#define 3 4\n", "needs a name, found `3`");
    check_error("#define f(a\n", "do not end");
    check_error("#define f(a b) c\n", "expected `,` or `)`");
    check_error("#foo\n", "unknown preprocessor directive `#foo`");
    check_error("#define f(a) a\nf(1, 2)", "takes 1 argument, not 2");
    check_error("#define f(a) a\nf(1", "do not end");
    check_error("#error stop here\n", "#error: stop here");
    check_error("#include \"no/such/file\"\n", "cannot find the included file");
    check_error("#include\n", "needs a file name");
    check_error("#define N 1\n#define N 2\n", "defined again");
    check("#define N 1\n#define N 1\n#pragma x\n#ident \"y\"\n#line 3\n# 1 \"z\"\n#\nN", "1");
}

#[test]
fn spans_lead_to_use_and_definition() {
    let mut sources = SourceMap::new();
    let text = "#define A B + 1\n#define B q\n#define f(x) x\n  A; f(r)";
    let file = sources.add("m.pml", "m.pml", text.to_string());
    let (tokens, _) =
        preprocess(file, &ReadOptions::default(), Macros::default(), &mut sources, &mut Vec::new());
    let chain = |index: usize| {
        let span = tokens[index].piece.span;
        let mut places = vec![sources.text(span).to_string()];
        let mut next = sources.expansion(span.expansion);
        while let Some(expansion) = next {
            places.push(format!("{}: {}", expansion.macro_name, sources.text(expansion.definition)));
            next = sources.expansion(expansion.definition.expansion);
        }
        places
    };
    assert_eq!(chain(0), ["A", "A: B", "B: q"]);
    assert_eq!(chain(1), ["A", "A: +"]);
    assert_eq!(chain(3), [";"]);
    assert_eq!(chain(4), ["f", "f: r"]);
}

#[test]
fn runaway_macros_are_stopped() {
    let doubling: String = (0..40).map(|i| format!("#define m{} m{i} m{i}\n", i + 1)).collect();
    check_error(&format!("{doubling}m40"), "the macros produce more than");
    let nested = format!("#define f(x) x\n{}1{}", "f(".repeat(300), ")".repeat(300));
    check_error(&nested, "nested too deeply");
}
