//! What the checker needs of a front end, and how each front end gives it.
//!
//! A language is a row of [`LANGUAGES`](crate::LANGUAGES) in `load.rs` and a front end here: a function that
//! parses, and what it returns, a [`ParsedModel`]. Nobody else knows which language it is. (Whose *words*
//! reports use is another matter: `ir::Language`, which the front end writes into the model.)

use crate::load::{LoadError, refuse_binary, unreadable};
use crate::options::ReadOptions;
use lariat_model::ir::Model;
use lariat_promela::{PropositionText, ReadLimits, SpinNumbers};
use lariat_source::{DerivedText, Diagnostic, SourceMap, Span};
use std::path::Path;

/// A model that has been parsed, and not yet lowered.
pub(crate) trait ParsedModel {
    /// The formulas that the model states, with their names, in the order of the text.
    fn formulas(&self) -> Vec<(String, DerivedText)>;

    /// The text of a formula as `ltl` reads it, where the language writes something otherwise.
    fn formula_text(&self, text: &str, _sources: &mut SourceMap) -> DerivedText {
        text.to_string().into()
    }

    /// Lowers the model together with propositions. `None` if there are errors among the messages. With what
    /// Spin's trails call the statements, where Spin knows the language.
    fn finish(
        self: Box<Self>,
        propositions: &[PropositionText],
        sources: &mut SourceMap,
    ) -> (Option<(Model, Option<SpinNumbers>)>, Vec<Diagnostic>);
}

/// Where the text of a model is.
#[derive(Clone, Copy)]
pub(crate) enum ModelText<'t> {
    File(&'t Path),
    Given(&'t str),
}

/// Parses a model; `name` is what messages call it.
pub(crate) type Parse =
    fn(&str, ModelText<'_>, &ReadOptions, &mut SourceMap) -> Result<Box<dyn ParsedModel>, LoadError>;

/// The front end for Promela.
pub(crate) fn promela(
    name: &str,
    text: ModelText,
    options: &ReadOptions,
    sources: &mut SourceMap,
) -> Result<Box<dyn ParsedModel>, LoadError> {
    let options = &options.preprocessor;
    let path = match text {
        ModelText::Given(text) => {
            return Ok(Box::new(lariat_promela::ParsedModel::of_text(name, text, options, sources)));
        }
        ModelText::File(path) => path,
    };
    // A pipe can be read only once.
    if path.is_file() {
        refuse_binary(name, &options.limits.read_file(path).map_err(|error| unreadable(name, error))?)?;
    }
    let parsed = lariat_promela::ParsedModel::of_file(path, options, sources);
    Ok(Box::new(parsed.map_err(|error| match options.external_preprocessor {
        // The file itself was read above.
        Some(_) if path.is_file() && !ReadLimits::is_limit(&error) => {
            LoadError::Preprocessor(error.to_string().trim_end_matches([' ', ':']).to_string())
        }
        _ => unreadable(name, error),
    })?))
}

impl ParsedModel for lariat_promela::ParsedModel {
    fn formulas(&self) -> Vec<(String, DerivedText)> {
        self.formulas().map(|formula| (formula.name.to_string(), formula.text.clone())).collect()
    }

    fn finish(
        self: Box<Self>,
        propositions: &[PropositionText],
        sources: &mut SourceMap,
    ) -> (Option<(Model, Option<SpinNumbers>)>, Vec<Diagnostic>) {
        let (lowered, diagnostics) = (*self).finish_numbered(propositions, sources);
        (lowered.map(|(model, numbers)| (model, Some(numbers))), diagnostics)
    }
}

/// The front end for DVE.
pub(crate) fn dve(
    name: &str,
    text: ModelText,
    options: &ReadOptions,
    sources: &mut SourceMap,
) -> Result<Box<dyn ParsedModel>, LoadError> {
    let options = &options.preprocessor;
    let read;
    let text = match text {
        ModelText::Given(text) => text,
        ModelText::File(path) => {
            let bytes = options.limits.read_file(path).map_err(|error| unreadable(name, error))?;
            refuse_binary(name, &bytes)?;
            read = String::from_utf8_lossy(&bytes).into_owned();
            &read
        }
    };
    let is_plain = options.defines.is_empty()
        && options.include_paths.is_empty()
        && options.external_preprocessor.is_none();
    if !is_plain {
        let reason = "DVE has no preprocessor: -D, -I and --cpp are for Promela";
        return Err(LoadError::Preprocessor(reason.to_string()));
    }
    Ok(Box::new(lariat_dve::ParsedModel::of_text(name, text, sources)))
}

impl ParsedModel for lariat_dve::ParsedModel {
    fn formulas(&self) -> Vec<(String, DerivedText)> {
        Vec::new()
    }

    /// `P->x` is a variable, if `P` is a process: formulas write `P:x`.
    fn formula_text(&self, text: &str, sources: &mut SourceMap) -> DerivedText {
        let file = sources.add("<formula>", "", text.to_string());
        let mut derived = DerivedText::default();
        let mut quoted = false;
        let mut at = 0;
        while at < text.len() {
            let rest = &text[at..];
            quoted ^= rest.starts_with('"');
            let before = derived.text.rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_').next();
            let is_arrow = !quoted
                && rest
                    .strip_prefix("->")
                    .is_some_and(|name| name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'))
                && self.process_names().any(|name| before == Some(name));
            let length = if is_arrow { 2 } else { rest.chars().next().map_or(1, char::len_utf8) };
            let shown = if is_arrow { ":" } else { &rest[..length] };
            derived.push(shown, Span::new(file, at as u32, (at + length) as u32));
            at += length;
        }
        derived
    }

    fn finish(
        self: Box<Self>,
        propositions: &[PropositionText],
        sources: &mut SourceMap,
    ) -> (Option<(Model, Option<SpinNumbers>)>, Vec<Diagnostic>) {
        let texts = propositions.iter().map(|proposition| lariat_dve::PropositionText {
            text: proposition.text.clone(),
            origin: proposition.origin,
        });
        let (model, diagnostics) = (*self).finish(&texts.collect::<Vec<_>>(), sources);
        (model.map(|model| (model, None)), diagnostics)
    }
}
