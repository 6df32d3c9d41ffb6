//! The text of a suite: its keys, as TOML has them, and what is said where a key or a value is not one of
//! them.
//!
//! Values that are looked at later keep their place, so that a message can point at them. `docs/compare.md`
//! has a table of all keys, which a test compares with this file.

use lariat_checker::FiniteRuns;
use lariat_source::most_similar;
use lariat_source::{Diagnostic, FileId, Span};
use serde::Deserialize;
use std::ops::Range;
use std::path::PathBuf;
use toml::Spanned;

use super::{AutomatonForm, EngineChoice, FairnessChoice, ProductForm};

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SuiteText {
    pub title: String,
    pub limits: LimitsText,
    pub qualify: Option<QualifyText>,
    pub runs: Vec<RunsText>,
    #[serde(default)]
    pub models: Vec<Spanned<ModelText>>,
    #[serde(default)]
    pub tables: Vec<TableText>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LimitsText {
    pub seconds: Spanned<f64>,
    pub memory: Spanned<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QualifyText {
    pub algorithm: Spanned<String>,
    pub seconds: Spanned<f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunsText {
    pub algorithms: Spanned<Algorithms>,
    pub except: Option<Spanned<Vec<Spanned<String>>>>,
    pub automata: Option<Spanned<Vec<AutomatonForm>>>,
    pub engines: Option<Spanned<Vec<EngineChoice>>>,
    pub products: Option<Spanned<Vec<ProductForm>>>,
    pub fairness: Option<Spanned<Vec<FairnessChoice>>>,
    pub threads: Option<Spanned<Vec<Spanned<usize>>>>,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a list of names, or \"all\"")]
pub enum Algorithms {
    All(String),
    Named(Vec<String>),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ModelText {
    pub file: Spanned<PathBuf>,
    #[serde(default)]
    pub defines: Vec<Spanned<String>>,
    pub finite_runs: Option<Rule>,
    #[serde(default)]
    pub properties: Vec<Spanned<String>>,
    #[serde(default)]
    pub formulas: Vec<FormulaText>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FormulaText {
    pub name: Option<String>,
    pub ltl: Spanned<String>,
    pub expect: Option<Expected>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct TableText {
    pub file: Spanned<PathBuf>,
    pub models: PathBuf,
    pub model: Spanned<String>,
    pub ltl: Spanned<String>,
    pub name: Option<Spanned<String>>,
    pub expect: Option<Spanned<String>>,
    pub finite_runs: Option<Rule>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    Ignore,
    Stutter,
}

impl From<Rule> for FiniteRuns {
    fn from(rule: Rule) -> FiniteRuns {
        match rule {
            Rule::Ignore => FiniteRuns::Ignore,
            Rule::Stutter => FiniteRuns::Stutter,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Expected {
    Holds,
    Violated,
}

impl Expected {
    /// As suites and tables write them.
    pub const NAMES: [(&'static str, Expected); 2] =
        [("holds", Expected::Holds), ("violated", Expected::Violated)];
}

/// A place in a file.
pub fn span(file: FileId, range: Range<usize>) -> Span {
    let short = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
    Span::new(file, short(range.start), short(range.end))
}

/// Reads the text. There is one message: a text that is no suite says nothing that could be read on from.
pub fn read(file: FileId, text: &str) -> Result<SuiteText, Diagnostic> {
    toml::from_str(text).map_err(|error| {
        // What has no place is about the whole text. Where a block is meant, its first line is enough.
        let range = error.span().unwrap_or(0..text.len());
        let first = text.get(range.clone()).and_then(|part| part.lines().next()).map_or(0, str::len);
        complaint(error.message(), span(file, range.start..range.start + first))
    })
}

/// The parser's message with a word that was meant, perhaps: ``unknown field `modle`, expected one of
/// `model`, …``.
fn complaint(message: &str, span: Span) -> Diagnostic {
    let words: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    match words.as_slice() {
        [unknown, known @ ..] if message.starts_with("unknown field") => {
            let diagnostic = Diagnostic::error(format!("there is no key `{unknown}` here"), span);
            with_hint(diagnostic, unknown, known, "the keys are")
        }
        [unknown, known @ ..] if message.starts_with("unknown variant") => with_hint(
            Diagnostic::error(format!("`{unknown}` is none of the values"), span),
            unknown,
            known,
            "there are",
        ),
        [key] if message.starts_with("missing field") => {
            Diagnostic::error(format!("the key `{key}` is missing"), span)
                .hint("docs/compare.md has a table of all keys, and which of them must be there")
        }
        _ => Diagnostic::error(message, span),
    }
}

/// Names what is known, and before it what was meant.
pub fn with_hint(diagnostic: Diagnostic, unknown: &str, known: &[&str], what: &str) -> Diagnostic {
    let names = known.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    match most_similar(unknown, known.iter().copied()) {
        _ if known.is_empty() => diagnostic,
        Some(similar) => diagnostic.hint(format!(
            "did you mean `{similar}`? {}{} {names}",
            what[..1].to_uppercase(),
            &what[1..]
        )),
        None => diagnostic.hint(format!("{what} {names}")),
    }
}
