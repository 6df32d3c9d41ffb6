//! Draws a [`Diagnostic`] the way compilers do: the message, the place, the line of text with a mark under
//! each label.
//!
//! ```text
//! error: expected `;` before `y`
//!  --> model.pml:3:9
//!   |
//! 3 |   x = 1 y = 2
//!   |         ^ a new statement starts here
//!   = hint: statements are separated by `;` or `->`
//! ```
//!
//! The first label is marked with `^`, the others with `-`. A label that spans lines is marked on its first
//! line only. Of a very long line only the part around the mark is shown, with `…` for the rest. When the
//! first place came out of a macro, notes lead on to the macro's definition. Drawing never fails: a span that
//! does not fit its file is drawn as well as it can be.

use std::borrow::Cow;
use std::fmt::Write;
use std::ops::Range;

use crate::escape::{escaped_line, is_obeyed};
use crate::{Diagnostic, Label, Severity, SourceFile, SourceMap, Span};

const TAB: &str = "    ";

/// Of a longer line, only this many columns are shown.
const MAX_COLUMNS: usize = 100;

/// Of a longer message (it may quote the text), only this many characters are shown.
const MAX_MESSAGE: usize = 500;

/// How many macro definitions to show for one place; deeper nestings are rarely of use.
const MAX_EXPANSIONS: usize = 4;

pub(crate) fn render(diagnostic: &Diagnostic, sources: &SourceMap) -> String {
    let mut out = String::new();
    let severity = match diagnostic.severity {
        Severity::Warning => "warning",
        Severity::Error => "error",
    };
    let _ = writeln!(out, "{severity}: {}", shortened(&escaped_line(&diagnostic.message)));

    let margin = margin_width(diagnostic, sources);
    draw_labels(&mut out, &diagnostic.labels, sources, margin);
    if let Some(hint) = &diagnostic.hint {
        let _ = writeln!(out, "{:margin$} = hint: {}", "", shortened(&escaped_line(hint)));
    }
    draw_expansions(&mut out, diagnostic.span(), sources, margin);
    out
}

/// The width of the largest line number that will be shown.
fn margin_width(diagnostic: &Diagnostic, sources: &SourceMap) -> usize {
    let labels = diagnostic.labels.iter().map(|label| label.span);
    let definitions = expansion_chain(diagnostic.span(), sources).into_iter().map(|(_, span)| span);
    let lines = labels.chain(definitions).filter_map(|span| file_of(span, sources).map(|f| line_in(f, span)));
    lines.max().unwrap_or(1).to_string().len()
}

fn file_of(span: Span, sources: &SourceMap) -> Option<&SourceFile> {
    sources.files().get(span.file.0 as usize)
}

fn line_in(file: &SourceFile, span: Span) -> u32 {
    file.line_of(span.start.min(file.text.len() as u32))
}

/// All labels, file by file, the first label's file first; within a file by line.
fn draw_labels(out: &mut String, labels: &[Label], sources: &SourceMap, margin: usize) {
    let mut files = Vec::new();
    for label in labels {
        if !files.contains(&label.span.file) {
            files.push(label.span.file);
        }
    }
    for (nth, file_id) in files.into_iter().enumerate() {
        let Some(file) = sources.files().get(file_id.0 as usize) else { continue };
        let mut here: Vec<(usize, &Label)> =
            labels.iter().enumerate().filter(|(_, label)| label.span.file == file_id).collect();
        let place = place_in(file, here[0].1.span);
        let arrow = if nth == 0 { "-->" } else { ":::" };
        let _ = writeln!(out, "{:margin$}{arrow} {}:{}:{}", "", escaped_line(&file.name), place.0, place.1);
        let _ = writeln!(out, "{:margin$} |", "");

        // Stable: on one line, the first label stays first.
        here.sort_by_key(|(_, label)| line_in(file, label.span));
        let mut shown: Option<(u32, Range<usize>)> = None;
        for (index, label) in here {
            let line = line_in(file, label.span);
            let columns = columns_of(file, label.span);
            let window = match shown.take() {
                Some((before, window)) if before == line && window.contains(&columns.start) => window,
                before => {
                    match before.map_or(line, |(before, _)| before) {
                        before if line == before + 2 => {
                            draw_line(out, file, before + 1, &window_at(file, before + 1, 0), margin);
                        }
                        before if line > before + 2 => {
                            let _ = writeln!(out, "...");
                        }
                        _ => {}
                    }
                    let window = window_at(file, line, columns.start);
                    draw_line(out, file, line, &window, margin);
                    window
                }
            };
            draw_mark(out, label, if index == 0 { '^' } else { '-' }, columns, &window, margin);
            shown = Some((line, window));
        }
    }
}

/// Line and column, both from 1; columns count characters.
fn place_in(file: &SourceFile, span: Span) -> (u32, usize) {
    let line = line_in(file, span);
    let start = file.line_range(line).start;
    let before = file.text.get(start..span.start as usize).unwrap_or("");
    (line, before.chars().count() + 1)
}

/// A line as it is shown.
fn shown_line(file: &SourceFile, line: u32) -> String {
    let mut text = shown_text(&file.text[file.line_range(line)]);
    text.truncate(text.trim_end().len());
    text
}

/// The columns of a line, from 0, that are shown if this one is to be seen. Open at the end if the line is
/// shown to its end.
fn window_at(file: &SourceFile, line: u32, column: usize) -> Range<usize> {
    let width = shown_line(file, line).chars().count();
    if width.max(column) <= MAX_COLUMNS {
        return 0..usize::MAX;
    }
    let start = column.saturating_sub(MAX_COLUMNS / 2).min(width.max(column + 1).saturating_sub(MAX_COLUMNS));
    let end = start + MAX_COLUMNS;
    start..if end < width { end } else { usize::MAX }
}

fn draw_line(out: &mut String, file: &SourceFile, line: u32, window: &Range<usize>, margin: usize) {
    let text = shown_line(file, line);
    let (left, right) = (window.start > 0, window.end < usize::MAX);
    let (left, right) = (if left { "…" } else { "" }, if right { "…" } else { "" });
    let part: String = text.chars().skip(window.start).take(window.len()).collect();
    let _ = writeln!(out, "{:>margin$} | {left}{part}{right}", line);
}

/// Text as it is shown: tabs have a fixed width, control characters are harmless.
fn shown_text(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\t' => shown.push_str(TAB),
            c if is_obeyed(c) => shown.push('\u{fffd}'),
            c => shown.push(c),
        }
    }
    shown
}

fn shortened(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(MAX_MESSAGE) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

/// The columns, from 0, that a span takes on its first line; at least one.
fn columns_of(file: &SourceFile, span: Span) -> Range<usize> {
    let line = file.line_range(line_in(file, span));
    let start = (span.start as usize).clamp(line.start, line.end);
    let end = (span.end as usize).clamp(start, line.end);
    let width_of =
        |range: Range<usize>| file.text.get(range).map_or(0, |text| shown_text(text).chars().count());
    let column = width_of(line.start..start);
    column..column + width_of(start..end).max(1)
}

fn draw_mark(
    out: &mut String,
    label: &Label,
    mark: char,
    columns: Range<usize>,
    window: &Range<usize>,
    margin: usize,
) {
    // One column more for the `…` at the left.
    let indent = " ".repeat(columns.start - window.start + usize::from(window.start > 0));
    let marks = mark.to_string().repeat(columns.end.min(window.end) - columns.start);
    let text = escaped_line(&label.text);
    let text = shortened(&text);
    let gap = if text.is_empty() { "" } else { " " };
    let _ = writeln!(out, "{:margin$} | {indent}{marks}{gap}{text}", "");
}

/// The macros that a place came out of, outermost first, each with its place in the definition.
fn expansion_chain(span: Span, sources: &SourceMap) -> Vec<(&str, Span)> {
    let mut chain = Vec::new();
    let mut next = sources.expansion(span.expansion);
    while let Some(expansion) = next {
        if chain.len() == MAX_EXPANSIONS {
            break;
        }
        chain.push((expansion.macro_name.as_str(), expansion.definition));
        next = sources.expansion(expansion.definition.expansion);
    }
    chain
}

fn draw_expansions(out: &mut String, span: Span, sources: &SourceMap, margin: usize) {
    for (name, definition) in expansion_chain(span, sources) {
        let _ = writeln!(out, "{:margin$} = note: this comes out of the macro `{}`:", "", escaped_line(name));
        let label = Label { span: definition, text: String::new() };
        draw_labels(out, &[label], sources, margin);
    }
}

#[cfg(test)]
mod tests {
    use crate::{Diagnostic, Expansion, FileId, SourceMap, Span};

    fn span(file: FileId, start: u32, end: u32) -> Span {
        Span::new(file, start, end)
    }

    #[test]
    fn one_place_with_hint() {
        let mut sources = SourceMap::new();
        let file = sources.add("m.pml", "m.pml", "int x;\n\tx = = 1\n".into());
        let message = Diagnostic::error("expected an expression, found `=`", span(file, 12, 13))
            .expected("not the start of an expression")
            .hint("write one `=` to assign");
        assert_eq!(
            message.render(&sources),
            "\
error: expected an expression, found `=`
 --> m.pml:2:6
  |
2 |     x = = 1
  |         ^ not the start of an expression
  = hint: write one `=` to assign
"
        );
    }

    #[test]
    fn several_places_and_files() {
        let mut sources = SourceMap::new();
        let main = sources.add("m.pml", "m.pml", "if\n:: x\n\n\n\n}\n".into());
        let other = sources.add("n.pml", "n.pml", "byte x\n".into());
        let message = Diagnostic::error("missing `fi`", span(main, 11, 12))
            .expected("expected `fi` before this")
            .also(span(main, 0, 2), "this `if` is not closed")
            .also(span(other, 5, 6), "declared here");
        assert_eq!(
            message.render(&sources),
            "\
error: missing `fi`
 --> m.pml:6:1
  |
1 | if
  | -- this `if` is not closed
...
6 | }
  | ^ expected `fi` before this
 ::: n.pml:1:6
  |
1 | byte x
  |      - declared here
"
        );
    }

    #[test]
    fn macro_definition_is_shown() {
        let mut sources = SourceMap::new();
        let file = sources.add("m.pml", "m.pml", "#define M a + ;\nx = M\n".into());
        let definition = span(file, 14, 15);
        let expansion = sources.add_expansion(Expansion { macro_name: "M".into(), definition });
        let place = Span { expansion, ..span(file, 20, 21) };
        assert_eq!(
            Diagnostic::error("expected an expression, found `;`", place).render(&sources),
            "\
error: expected an expression, found `;`
 --> m.pml:2:5
  |
2 | x = M
  |     ^
  = note: this comes out of the macro `M`:
 --> m.pml:1:15
  |
1 | #define M a + ;
  |               ^
"
        );
    }

    #[test]
    fn long_lines_are_shown_in_part() {
        let mut sources = SourceMap::new();
        let file = sources.add("m.pml", "m.pml", format!("{}y{}z\n", "a".repeat(70_000), "b".repeat(70_000)));
        let text = Diagnostic::error("odd", span(file, 70_000, 70_001))
            .also(span(file, 69_990, 140_000), "long")
            .also(span(file, 140_001, 140_002), "far")
            .render(&sources);
        let expected = format!(
            "\
error: odd
 --> m.pml:1:70001
  |
1 | …{a}y{b}…
  | {indent} ^
  | {shorter} {long} long
1 | …{rest}z
  | {far} - far
",
            a = "a".repeat(50),
            b = "b".repeat(49),
            indent = " ".repeat(50),
            shorter = " ".repeat(40),
            long = "-".repeat(60),
            rest = "b".repeat(99),
            far = " ".repeat(99),
        );
        assert_eq!(text, expected);
        let long = "é".repeat(70_000);
        let message = Diagnostic::error(&long, span(file, 0, 1)).expected(&long).hint(&long);
        assert!(message.render(&sources).chars().count() < 2000);
    }

    #[test]
    fn places_that_do_not_fit_are_drawn_anyway() {
        let mut sources = SourceMap::new();
        let message = Diagnostic::warning("odd", span(FileId(3), 0, 1));
        assert_eq!(message.render(&sources), "warning: odd\n");
        let file = sources.add("m.pml", "m.pml", "é\n".into());
        for (start, end) in [(0, 99), (99, 100), (1, 1), (1, 2), (3, 3), (2, 0)] {
            assert!(Diagnostic::error("odd", span(file, start, end)).render(&sources).contains('^'));
        }
    }
}
