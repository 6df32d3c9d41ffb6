//! Directives and macros: the input is made of lines, of which every other one is a directive, so that few
//! inputs are wasted on plain text. What comes out is parsed, but not lowered.

#![no_main]

use lariat_promela::{ReadOptions, parse_text};
use lariat_source::SourceMap;
use libfuzzer_sys::fuzz_target;

const DIRECTIVES: &[&str] = &[
    "define ",
    "undef ",
    "if ",
    "ifdef ",
    "ifndef ",
    "elif ",
    "else ",
    "endif ",
    "line ",
    "define F(a,b) ",
    "error ",
    "",
];

fuzz_target!(|text: &str| {
    let mut model = String::new();
    for line in text.lines() {
        let mut chars = line.chars();
        match chars.next() {
            Some(first) if (first as usize).is_multiple_of(2) => {
                model.push('#');
                model.push_str(DIRECTIVES[(first as usize / 2) % DIRECTIVES.len()]);
                model.push_str(chars.as_str());
            }
            _ => model.push_str(chars.as_str()),
        }
        model.push('\n');
    }
    let mut sources = SourceMap::new();
    let (_, diagnostics) = parse_text("fuzz.pml", &model, &ReadOptions::default(), &mut sources);
    for diagnostic in diagnostics.iter().take(10) {
        diagnostic.render(&sources);
    }
});
