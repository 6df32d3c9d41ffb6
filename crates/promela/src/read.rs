//! The whole front end: from a file to the intermediate form.

use crate::lower::lower;
use crate::{ReadOptions, ast, parse_file, parse_text};
use lariat_model::ir::Model;
use lariat_source::{Diagnostic, Severity, SourceMap};
use std::io;
use std::path::Path;

/// Reads a model. `None` if there are errors among the messages; warnings may come with a model.
pub fn read_model(
    path: &Path,
    options: &ReadOptions,
    sources: &mut SourceMap,
) -> io::Result<(Option<Model>, Vec<Diagnostic>)> {
    let (program, diagnostics) = parse_file(path, options, sources)?;
    Ok(finish(program, diagnostics, &path.to_string_lossy(), sources))
}

/// Reads a model from text; `name` stands for the file in messages.
pub fn read_text(
    name: &str,
    text: &str,
    options: &ReadOptions,
    sources: &mut SourceMap,
) -> (Option<Model>, Vec<Diagnostic>) {
    let (program, diagnostics) = parse_text(name, text, options, sources);
    finish(program, diagnostics, name, sources)
}

/// Checks and lowers what was parsed. After a syntax error, names may be missing that were only not understood: then
/// only those messages are added that do not follow from it.
fn finish(
    program: ast::Program,
    mut diagnostics: Vec<Diagnostic>,
    name: &str,
    sources: &SourceMap,
) -> (Option<Model>, Vec<Diagnostic>) {
    let broken = diagnostics.iter().any(|d| d.severity == Severity::Error);
    let (model, more) = lower(&program, name, sources);
    diagnostics.extend(more);
    diagnostics.sort_by_key(|d| (d.span().file.0, d.span().start));
    diagnostics.dedup();
    (if broken { None } else { model }, diagnostics)
}
