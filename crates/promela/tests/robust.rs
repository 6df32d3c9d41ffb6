//! Whatever the text, reading it ends, without a panic, and all messages can be shown.
//!
//! The models of this project, and those of the corpus if it is there (`LARIAT_CORPUS`, or `shared/corpus`
//! beside the project), must read without an error; then they are cut, spliced and garbled at random. The
//! randomness is seeded, so that a failure can be repeated.

use crate::garbled::{Random, corpus_models, own_models, readable_texts, spliced};
use lariat_promela::{ReadOptions, parse_file, parse_text};
use lariat_source::SourceMap;

#[test]
fn models_read_without_errors() {
    for path in own_models().into_iter().chain(corpus_models()) {
        let mut sources = SourceMap::new();
        let (program, diagnostics) = parse_file(&path, &ReadOptions::default(), &mut sources).unwrap();
        let errors: String =
            diagnostics.iter().filter(|d| d.is_error()).map(|d| d.render(&sources)).collect();
        assert!(errors.is_empty(), "{}:\n{errors}", path.display());
        assert!(!program.units.is_empty(), "{}", path.display());
    }
}

#[test]
fn garbled_models_are_survived() {
    let mut texts = readable_texts(own_models().into_iter().chain(corpus_models()));
    texts.push("inline f(a) { a = 1 } init { int x; f(x); if :: x -> skip :: else fi }".to_string());
    let cases = std::env::var("LARIAT_FUZZ_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(4000);
    let mut random = Random::new(1);
    for _ in 0..cases {
        let text = spliced(&texts[random.below(texts.len())], &mut random);
        let mut sources = SourceMap::new();
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let (_, diagnostics) = parse_text("garbled.pml", &text, &ReadOptions::default(), &mut sources);
            for diagnostic in diagnostics.iter().take(20) {
                diagnostic.render(&sources);
            }
        }));
        assert!(result.is_ok(), "this text made the reader panic:\n{text}");
    }
}

#[test]
fn deep_nesting_is_an_error() {
    const DEEP: usize = 5000;
    let nested = |open: &str, inside: &str, close: &str| {
        format!("init {{ {}{inside}{} }}", open.repeat(DEEP), close.repeat(DEEP))
    };
    let texts = [
        nested("(", "1", ")"),
        nested("{", "skip", "}"),
        nested("if :: ", "skip", " fi"),
        nested("do :: atomic {", "skip", "} od"),
        nested("for (i : 1 .. 2) {", "skip", "}"),
        nested("! ", "x", ""),
        nested("x = - ~ ", "x", ""),
        nested("1 + ", "x", ""),
        nested("a[", "x", "]"),
        nested("a.", "x", ""),
        nested("(1 -> ", "x", " : 1)"),
        nested("enabled(", "x", ")"),
        nested("run P(", "x", ")"),
        nested("x unless {", "x", "}"),
        format!("init {{ c?{}x{} }}", "a(".repeat(DEEP), ")".repeat(DEEP)),
        format!("#if {}1{}\n#endif", "(".repeat(DEEP), ")".repeat(DEEP)),
        format!("#define f(x) x\ninit {{ {}1{} }}", "f(".repeat(DEEP), ")".repeat(DEEP)),
    ];
    for text in texts {
        let mut sources = SourceMap::new();
        let (_, diagnostics) = parse_text("deep.pml", &text, &ReadOptions::default(), &mut sources);
        assert!(diagnostics.iter().any(|d| d.is_error()), "{:.60}", text);
        assert!(diagnostics.len() < 10, "{:.60}: {} messages", text, diagnostics.len());
    }
}

#[test]
fn runaway_inlines_are_stopped() {
    let mut text = String::from("inline f0() { skip }\n");
    for i in 0..40 {
        text += &format!("inline f{}() {{ f{i}(); f{i}() }}\n", i + 1);
    }
    text += "init { f40() }";
    let mut sources = SourceMap::new();
    let (_, diagnostics) = parse_text("inlines.pml", &text, &ReadOptions::default(), &mut sources);
    assert_eq!(diagnostics.len(), 1);
}
