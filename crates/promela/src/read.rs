//! The whole front end: from a file to the intermediate form.
//!
//! In two steps, because properties are about a model: [`ParsedModel`] has the text of the formulas that the
//! model states, whoever reads formulas gives back the propositions in them (and in others), and these are
//! lowered together with the model.

use crate::lower::{SpinNumbers, lower};
use crate::parse::{parse_expression, parse_file_keeping_macros, parse_text_keeping_macros};
use crate::{Macros, ReadOptions, ast};
use lariat_model::ir::Model;
use lariat_source::{DerivedText, Diagnostic, Severity, SourceMap, Span};
use std::io;
use std::path::Path;

/// A model that has been parsed, and not yet lowered.
pub struct ParsedModel {
    name: String,
    program: ast::Program,
    macros: Macros,
    diagnostics: Vec<Diagnostic>,
}

/// A proposition of a property, and where it stands if it stands somewhere.
#[derive(Clone, Debug)]
pub struct PropositionText {
    /// Spaced in any way.
    pub text: String,
    pub origin: Option<Span>,
}

/// A formula that a model states about itself.
#[derive(Clone, Copy, Debug)]
pub struct FormulaText<'a> {
    pub name: &'a str,
    /// After macros have been expanded.
    pub text: &'a DerivedText,
    /// The whole block.
    pub span: Span,
}

impl ParsedModel {
    /// Reads and parses a file. An `Err` means that the text could not be had at all.
    pub fn of_file(path: &Path, options: &ReadOptions, sources: &mut SourceMap) -> io::Result<ParsedModel> {
        let (program, macros, diagnostics) = parse_file_keeping_macros(path, options, sources)?;
        Ok(ParsedModel { name: path.to_string_lossy().into_owned(), program, macros, diagnostics })
    }

    /// Parses a text that is at hand; `name` stands for the file in messages.
    pub fn of_text(name: &str, text: &str, options: &ReadOptions, sources: &mut SourceMap) -> ParsedModel {
        let (program, macros, diagnostics) = parse_text_keeping_macros(name, text, options, sources);
        ParsedModel { name: name.to_string(), program, macros, diagnostics }
    }

    /// The formulas that the model states, in the order of the text.
    pub fn formulas(&self) -> impl Iterator<Item = FormulaText<'_>> {
        self.program.units.iter().filter_map(|unit| match unit {
            ast::Unit::Ltl(block) => {
                Some(FormulaText { name: &block.name, text: &block.formula, span: block.span })
            }
            _ => None,
        })
    }

    /// Lowers the model together with propositions. `None` if there are errors among the messages.
    pub fn finish(
        self,
        propositions: &[PropositionText],
        sources: &mut SourceMap,
    ) -> (Option<Model>, Vec<Diagnostic>) {
        let (lowered, diagnostics) = self.finish_numbered(propositions, sources);
        (lowered.map(|(model, _)| model), diagnostics)
    }

    /// The same, with what Spin's trails call the statements.
    pub fn finish_numbered(
        mut self,
        propositions: &[PropositionText],
        sources: &mut SourceMap,
    ) -> (Option<(Model, SpinNumbers)>, Vec<Diagnostic>) {
        let mut expressions = Vec::new();
        for PropositionText { text, origin } in propositions {
            let derived = match origin {
                Some(origin) => DerivedText::respaced(text, sources.text(*origin), *origin),
                None => DerivedText::from(text.clone()),
            };
            let (expression, diagnostics) =
                parse_expression("<proposition>", derived, &self.macros, &self.program, sources);
            self.diagnostics.extend(diagnostics);
            expressions.push((text.clone(), expression));
        }
        finish(&self.program, &expressions, self.diagnostics, &self.name, sources)
    }
}

/// Reads a model. `None` if there are errors among the messages; warnings may come with a model.
pub fn read_model(
    path: &Path,
    options: &ReadOptions,
    sources: &mut SourceMap,
) -> io::Result<(Option<Model>, Vec<Diagnostic>)> {
    Ok(ParsedModel::of_file(path, options, sources)?.finish(&[], sources))
}

/// Reads a model from text; `name` stands for the file in messages.
pub fn read_text(
    name: &str,
    text: &str,
    options: &ReadOptions,
    sources: &mut SourceMap,
) -> (Option<Model>, Vec<Diagnostic>) {
    ParsedModel::of_text(name, text, options, sources).finish(&[], sources)
}

/// Checks and lowers what was parsed. What has been found wrong in the text itself is not judged again; and
/// names that were only not understood are not reported as missing ([`ast::Program::unread`]).
fn finish(
    program: &ast::Program,
    propositions: &[(String, ast::Expr)],
    mut diagnostics: Vec<Diagnostic>,
    name: &str,
    sources: &SourceMap,
) -> (Option<(Model, SpinNumbers)>, Vec<Diagnostic>) {
    let broken = diagnostics.iter().any(|d| d.severity == Severity::Error);
    let (model, mut more) = lower(program, propositions, name, sources);
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
