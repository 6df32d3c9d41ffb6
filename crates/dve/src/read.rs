//! The whole front end: from a text to the intermediate form.
//!
//! In two steps, because properties are about a model: first it is parsed; then its tree is lowered together
//! with the propositions of whatever properties there are.

use crate::ast;
use crate::lower::lower;
use crate::parse::{parse_expression, parse_text};
use lariat_model::ir::Model;
use lariat_source::{DerivedText, Diagnostic, SourceMap, Span};
use std::io;
use std::path::Path;

/// A model that has been parsed, and not yet lowered.
pub struct ParsedModel {
    name: String,
    model: ast::Model,
    diagnostics: Vec<Diagnostic>,
}

/// A proposition of a property, and where it stands if it stands somewhere.
#[derive(Clone, Debug)]
pub struct PropositionText {
    /// Spaced in any way. `P:x` stands for `P->x`.
    pub text: String,
    /// Where it stands.
    pub origin: Option<Span>,
}

impl ParsedModel {
    /// Reads and parses a file. An `Err` means that the text could not be had at all.
    pub fn of_file(path: &Path, sources: &mut SourceMap) -> io::Result<ParsedModel> {
        let bytes = std::fs::read(path)?;
        Ok(ParsedModel::of_text(&path.to_string_lossy(), &String::from_utf8_lossy(&bytes), sources))
    }

    /// Parses a text that is at hand; `name` stands for the file in messages.
    pub fn of_text(name: &str, text: &str, sources: &mut SourceMap) -> ParsedModel {
        let (model, diagnostics) = parse_text(name, text, sources);
        ParsedModel { name: name.to_string(), model, diagnostics }
    }

    /// The names of the processes.
    pub fn process_names(&self) -> impl Iterator<Item = &str> {
        self.model.processes.iter().map(|process| process.name.text.as_str())
    }

    /// Lowers the model together with propositions. `None` if there are errors among the messages.
    pub fn finish(
        self,
        propositions: &[PropositionText],
        sources: &mut SourceMap,
    ) -> (Option<Model>, Vec<Diagnostic>) {
        let ParsedModel { name, model, mut diagnostics } = self;
        let mut expressions = Vec::new();
        for PropositionText { text, origin } in propositions {
            let derived = match origin {
                Some(origin) => DerivedText::respaced(text, sources.text(*origin), *origin),
                None => DerivedText::from(text.clone()),
            };
            let (expression, messages) = parse_expression("<proposition>", derived, sources);
            diagnostics.extend(messages);
            expressions.push((text.clone(), expression));
        }
        let broken = diagnostics.iter().any(Diagnostic::is_error);
        let (model, more) = lower(&model, &expressions, &name, sources);
        // After an error in the text, what seems to be missing may only not have been read.
        if !broken {
            diagnostics.extend(more);
        }
        diagnostics.sort_by_key(|message| (message.span().file.0, message.span().start));
        diagnostics.dedup();
        (model.filter(|_| !broken), diagnostics)
    }
}

/// Reads a model. `None` if there are errors among the messages; warnings may come with a model.
pub fn read_file(path: &Path, sources: &mut SourceMap) -> io::Result<(Option<Model>, Vec<Diagnostic>)> {
    Ok(ParsedModel::of_file(path, sources)?.finish(&[], sources))
}

/// Reads a model from text; `name` stands for the file in messages.
pub fn read_text(name: &str, text: &str, sources: &mut SourceMap) -> (Option<Model>, Vec<Diagnostic>) {
    ParsedModel::of_text(name, text, sources).finish(&[], sources)
}
