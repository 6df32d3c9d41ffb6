//! Any text, read as the intermediate form. What the verifier lets through prints, reads back as the same,
//! and can be run: it may come from anywhere, and the interpreter relies on the verifier.

#![no_main]

use lariat_fuzz::explore;
use lariat_model::{text, verify::verify};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &str| {
    let Ok(model) = text::parse(input) else { return };
    if !verify(&model).is_empty() {
        return;
    }
    let printed = text::print(&model);
    let again = text::parse(&printed).unwrap_or_else(|e| panic!("{e}\n{printed}"));
    assert_eq!(again, model, "printed and read back it is another");
    explore(&model, 100);
});
