//! Reading a model: the language is chosen by the file's name.

use lariat_model::ir::Model;
use lariat_promela::{ReadOptions, read_model};
use lariat_source::{Diagnostic, Severity, SourceMap};
use std::path::Path;
use std::time::{Duration, Instant};

/// A model that can be checked, and what there was to say about it.
#[derive(Debug)]
pub struct Loaded {
    pub model: Model,
    /// The file, as the user named it.
    pub path: String,
    pub warnings: Vec<Diagnostic>,
    pub sources: SourceMap,
    /// How long it took.
    pub time: Duration,
}

#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    #[error("cannot read {path}: {error}")]
    Unreadable { path: String, error: std::io::Error },
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

/// Reads a model: Promela, or the intermediate form if the file's name ends in `.lir`.
pub fn load(path: &Path, options: &ReadOptions) -> Result<Loaded, LoadError> {
    let start = Instant::now();
    let name = path.display().to_string();
    let unreadable = |error| LoadError::Unreadable { path: name.clone(), error };
    let mut sources = SourceMap::new();
    let (model, warnings) = if path.extension().is_some_and(|extension| extension == "lir") {
        let text = std::fs::read_to_string(path).map_err(unreadable)?;
        (parse_text(&name, &text)?, Vec::new())
    } else {
        match read_model(path, options, &mut sources).map_err(unreadable)? {
            (Some(model), warnings) => (model, warnings),
            (None, diagnostics) => {
                return Err(LoadError::Diagnostics { diagnostics, sources: Box::new(sources) });
            }
        }
    };
    Ok(Loaded { model, path: name, warnings, sources, time: start.elapsed() })
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
