//! Any text, read as Promela: messages that can be shown, or a well-formed model whose first states can be
//! computed.

#![no_main]

use lariat_fuzz::explore;
use lariat_promela::{ReadOptions, read_text};
use lariat_source::SourceMap;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let mut sources = SourceMap::new();
    let (model, diagnostics) = read_text("fuzz.pml", text, &ReadOptions::default(), &mut sources);
    for diagnostic in diagnostics.iter().take(10) {
        diagnostic.render(&sources);
    }
    assert_eq!(model.is_none(), diagnostics.iter().any(|d| d.is_error()), "a model, or an error");
    if let Some(model) = model {
        let complaints = lariat_model::verify::verify(&model);
        assert!(complaints.is_empty(), "malformed: {complaints:?}");
        explore(&model, 100);
    }
});
