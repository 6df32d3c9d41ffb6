//! Reading a model: the language is chosen by the file's name.

use crate::automata::read_automata;
use crate::properties::{AddedProperty, ClaimFile, Property, read_formula, stated_by_labels};
use crate::text_file::read_text_file;
use lariat_ltl::Bdds;
use lariat_ltl::parse::Dialect;
use lariat_model::ir::Model;
use lariat_promela::{ParsedModel, ReadOptions};
use lariat_source::{Diagnostic, Severity, SourceMap, Span};
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A model that can be checked, and what there was to say about it.
#[derive(Debug)]
pub struct Loaded {
    pub model: Model,
    /// The file, as the user named it; [`STANDARD_INPUT`] if it is none.
    pub path: String,
    pub warnings: Vec<Diagnostic>,
    pub sources: SourceMap,
    /// What the model states, then what was added. A formula that cannot be read is not among them; a message says why.
    pub properties: Vec<Property>,
    /// How long it took.
    pub time: Duration,
}

#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    #[error("cannot read {path}: {error}")]
    Unreadable { path: String, error: std::io::Error },
    #[error("{path} is not a text file")]
    NotText { path: String },
    /// An external preprocessor cannot be run, or failed.
    #[error("{0}")]
    Preprocessor(String),
    /// The model has errors; the diagnostics hold warnings too.
    #[error("the model has errors")]
    Diagnostics { diagnostics: Vec<Diagnostic>, sources: Box<SourceMap> },
    /// The text of an intermediate form (`.lir`) has an error.
    #[error("{path}: {message}")]
    Text { path: String, message: String },
}

impl LoadError {
    /// How many errors it stands for.
    pub fn errors(&self) -> usize {
        match self {
            LoadError::Diagnostics { diagnostics, .. } => {
                diagnostics.iter().filter(|d| d.severity == Severity::Error).count()
            }
            _ => 1,
        }
    }
}

/// The name of a model that is read from the standard input.
pub const STANDARD_INPUT: &str = "<stdin>";

/// As much text as places can be told apart in.
const MAX_TEXT: u64 = u32::MAX as u64 / 4;

/// Reads a model: Promela, or the intermediate form if the file's name ends in `.lir`. `-` is Promela on the standard input.
pub fn load(path: &Path, options: &ReadOptions) -> Result<Loaded, LoadError> {
    load_with(path, options, &[])
}

/// The same, with properties that the model does not state itself.
pub fn load_with(path: &Path, options: &ReadOptions, added: &[AddedProperty]) -> Result<Loaded, LoadError> {
    let start = Instant::now();
    let is_input = path.as_os_str() == "-";
    let name = if is_input { STANDARD_INPUT.to_string() } else { path.display().to_string() };
    let unreadable = |error| LoadError::Unreadable { path: name.clone(), error };
    let mut sources = SourceMap::new();
    if path.extension().is_some_and(|extension| extension == "lir") {
        let bytes = std::fs::read(path).map_err(unreadable)?;
        refuse_binary(&name, &bytes)?;
        let text = String::from_utf8(bytes).map_err(|_| LoadError::NotText { path: name.clone() })?;
        let model = parse_text(&name, &text)?;
        let properties = stated_by_labels(&model);
        let warnings = Vec::new();
        return Ok(Loaded { model, path: name, warnings, sources, properties, time: start.elapsed() });
    }
    let parsed = if is_input {
        let text = standard_input(options)?;
        ParsedModel::of_text(&name, &text, options, &mut sources)
    } else {
        // A pipe can be read only once.
        if path.is_file() {
            refuse_binary(&name, &std::fs::read(path).map_err(unreadable)?)?;
        }
        ParsedModel::of_file(path, options, &mut sources).map_err(|error| {
            match options.external_preprocessor {
                // The file itself was read above.
                Some(_) if path.is_file() => {
                    LoadError::Preprocessor(error.to_string().trim_end_matches([' ', ':']).to_string())
                }
                _ => unreadable(error),
            }
        })?
    };
    let mut messages = Vec::new();
    let mut properties = formulas(&parsed, added, &mut sources, &mut messages);
    properties.extend(claims(added, &mut sources, &mut messages)?);
    let mut propositions: Vec<String> = properties.iter().flat_map(Property::propositions).collect();
    propositions.sort_unstable();
    propositions.dedup();
    let (model, diagnostics) = parsed.finish(&propositions, &mut sources);
    messages.extend(diagnostics);
    let errors = messages.iter().any(Diagnostic::is_error);
    match model.filter(|_| !errors) {
        Some(model) => {
            properties.extend(stated_by_labels(&model));
            let time = start.elapsed();
            Ok(Loaded { model, path: name, warnings: messages, sources, properties, time })
        }
        None => Err(LoadError::Diagnostics { diagnostics: messages, sources: Box::new(sources) }),
    }
}

/// The formulas of the model and those that were added, as far as they can be read.
fn formulas(
    parsed: &ParsedModel,
    added: &[AddedProperty],
    sources: &mut SourceMap,
    messages: &mut Vec<Diagnostic>,
) -> Vec<Property> {
    let mut properties = Vec::new();
    for formula in parsed.formulas() {
        let title = format!("<ltl {}>", formula.name);
        let tree = read_formula(sources, &title, formula.text.trim(), Dialect::SpinInline, messages);
        properties.extend(tree.map(|tree| Property::Ltl { name: formula.name.to_string(), tree }));
    }
    for (k, property) in added.iter().enumerate() {
        match property {
            AddedProperty::Ltl(text) => {
                let tree = read_formula(sources, "<formula>", text, Dialect::Spot, messages);
                let name = if k == 0 { "formula".to_string() } else { format!("formula {}", k + 1) };
                properties.extend(tree.map(|tree| Property::Ltl { name, tree }));
            }
            AddedProperty::Exists(text) => {
                let tree = read_formula(sources, "<formula>", text, Dialect::Spot, messages);
                properties.extend(tree.map(|tree| Property::Exists { tree }));
            }
            AddedProperty::Claim(_) => {}
            AddedProperty::Invariant(text) => {
                properties.push(Property::Invariant { condition: lariat_ltl::parse::canonical_text(text) });
            }
        }
    }
    properties
}

/// The automata of claims that stand in files of their own.
fn claims(
    added: &[AddedProperty],
    sources: &mut SourceMap,
    messages: &mut Vec<Diagnostic>,
) -> Result<Vec<Property>, LoadError> {
    let mut properties = Vec::new();
    for property in added {
        let AddedProperty::Claim(path) = property else { continue };
        let file = read_text_file(path, sources)?;
        let mut bdds = Bdds::new();
        let (automata, diagnostics) = read_automata(sources, file, &mut bdds);
        messages.extend(diagnostics);
        if automata.len() > 1 {
            let place = Span::new(file, 0, 0);
            let message = "there is more than one automaton in this file";
            messages.push(Diagnostic::error(message, place).hint("a claim is one automaton"));
        }
        for automaton in automata {
            let path = path.display().to_string();
            properties.push(Property::Claim(Arc::new(ClaimFile { path, automaton, bdds: bdds.clone() })));
        }
    }
    Ok(properties)
}

fn standard_input(options: &ReadOptions) -> Result<String, LoadError> {
    let unreadable = |error| LoadError::Unreadable { path: STANDARD_INPUT.to_string(), error };
    if options.external_preprocessor.is_some() {
        let reason = "the standard input cannot be given to another preprocessor";
        return Err(LoadError::Preprocessor(reason.to_string()));
    }
    let mut bytes = Vec::new();
    std::io::stdin().lock().take(MAX_TEXT + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > MAX_TEXT {
        return Err(unreadable(std::io::Error::other("there is too much of it")));
    }
    refuse_binary(STANDARD_INPUT, &bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn refuse_binary(path: &str, bytes: &[u8]) -> Result<(), LoadError> {
    if bytes.contains(&0) { Err(LoadError::NotText { path: path.to_string() }) } else { Ok(()) }
}

/// The intermediate form, from its printed form. It may come from anywhere, so it is verified.
fn parse_text(path: &str, text: &str) -> Result<Model, LoadError> {
    let wrong = |message| LoadError::Text { path: path.to_string(), message };
    let model = lariat_model::text::parse(text).map_err(|error| wrong(error.to_string()))?;
    match lariat_model::verify::verify(&model).first() {
        Some(complaint) => Err(wrong(complaint.clone())),
        None => Ok(model),
    }
}
