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

/// Checks and lowers what was parsed. What has been found wrong in the text itself is not judged again; and names that
/// were only not understood are not reported as missing ([`ast::Program::unread`]).
fn finish(
    program: ast::Program,
    mut diagnostics: Vec<Diagnostic>,
    name: &str,
    sources: &SourceMap,
) -> (Option<Model>, Vec<Diagnostic>) {
    let broken = diagnostics.iter().any(|d| d.severity == Severity::Error);
    let (model, mut more) = lower(&program, name, sources);
    more.retain(|message| !diagnostics.iter().any(|earlier| earlier.is_error() && overlap(earlier, message)));
    diagnostics.extend(more);
    diagnostics.sort_by_key(|d| (d.span().file.0, d.span().start));
    diagnostics.dedup();
    (if broken { None } else { model }, diagnostics)
}

/// Whether two messages speak of the same piece of text.
fn overlap(a: &Diagnostic, b: &Diagnostic) -> bool {
    let (a, b) = (a.span(), b.span());
    a.file == b.file && a.start < b.end && b.start < a.end
}
