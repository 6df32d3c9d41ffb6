//! Whatever the text, reading it ends, without a panic, and all messages can be shown.
//!
//! The models of this project, and those of the corpus if it is there (`LARIAT_CORPUS`, or `shared/corpus` beside the
//! project), must read without an error; then they are cut, spliced and garbled at random. The randomness is seeded, so
//! that a failure can be repeated.

use std::path::{Path, PathBuf};

use lariat_promela::{ReadOptions, parse_file, parse_text};
use lariat_source::SourceMap;

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn corpus() -> PathBuf {
    std::env::var_os("LARIAT_CORPUS").map_or_else(|| workspace().join("../shared/corpus"), PathBuf::from)
}

fn files_with_extension(directory: &Path, extension: &str) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(directory) else { return Vec::new() };
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == extension));
    files.sort();
    files
}

fn own_models() -> Vec<PathBuf> {
    files_with_extension(&workspace().join("models"), "pml")
}

/// The models that Spin accepts, by the corpus' own list; empty if there is no corpus.
fn corpus_models() -> Vec<PathBuf> {
    let promela = corpus().join("promela");
    let list = std::fs::read_to_string(promela.join("truth.csv")).unwrap_or_default();
    let mut models: Vec<PathBuf> = list
        .lines()
        .skip(1)
        .filter_map(|line| line.split(',').next())
        .map(|name| promela.join(name))
        .collect();
    if let Ok(entries) = std::fs::read_dir(corpus().join("beem")) {
        for directory in entries.flatten() {
            models.extend(files_with_extension(&directory.path(), "pm"));
        }
    }
    models
}

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

/// A small generator (xorshift), so that the test needs nothing else.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }
}

const SNIPPETS: &[&str] = &[
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "if",
    "fi",
    "do",
    "od",
    "::",
    ";",
    "->",
    "else",
    "unless",
    "atomic {",
    "proctype P(",
    "init",
    "inline f(a) {",
    "f(x)",
    "return",
    "#define f(x) x f(x)\n",
    "#if",
    "#endif\n",
    "#else\n",
    "\n#include \"x\"\n",
    "\"",
    "'",
    "/*",
    "*/",
    "//",
    "\\\n",
    "\n",
    "c_code {",
    "ltl {",
    "typedef T {",
    "mtype = {",
    "chan c = [1] of {",
    "run P(",
    "c?",
    "c!",
    "?[",
    "!!",
    "..",
    "=",
    "==",
    "-",
    "!",
    "0..N",
    "99999999999",
    "select (i : 1 .. 40)",
    "for (i in",
    "L:",
    "\u{e9}",
    "\u{0}",
    "\\",
    "#",
    "##",
    "@",
    "$",
];

fn mutated(text: &str, random: &mut Random) -> String {
    let mut bytes = text.as_bytes().to_vec();
    if bytes.is_empty() {
        return String::new();
    }
    for _ in 0..1 + random.below(4) {
        let at = random.below(bytes.len());
        match random.below(6) {
            0 => bytes.truncate(at),
            1 => {
                let end = (at + random.below(60)).min(bytes.len());
                bytes.drain(at..end);
            }
            2 => {
                let from = random.below(bytes.len());
                let copied = bytes[from..(from + random.below(80)).min(bytes.len())].to_vec();
                bytes.splice(at..at, copied);
            }
            3 => bytes[at] = random.next() as u8,
            _ => {
                let snippet = SNIPPETS[random.below(SNIPPETS.len())];
                bytes.splice(at..at, snippet.bytes());
            }
        }
        if bytes.is_empty() {
            break;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn garbled_models_are_survived() {
    let mut texts = Vec::new();
    for path in own_models().into_iter().chain(corpus_models()) {
        if let Ok(bytes) = std::fs::read(&path)
            && bytes.len() < 20_000
        {
            texts.push(String::from_utf8_lossy(&bytes).into_owned());
        }
    }
    texts.push("inline f(a) { a = 1 } init { int x; f(x); if :: x -> skip :: else fi }".to_string());
    let cases = std::env::var("LARIAT_FUZZ_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(4000);
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    for _ in 0..cases {
        let text = mutated(&texts[random.below(texts.len())], &mut random);
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
