//! Reading a file that is text and no model: formulas, automata.

use crate::{FileId, SourceMap};
use std::fmt;
use std::io::Read;
use std::path::Path;

/// The name of a text that is read from the standard input.
pub const STANDARD_INPUT: &str = "<stdin>";

/// As much text as places can be told apart in.
const MAX_TEXT: u64 = u32::MAX as u64 / 4;

/// Why a file is not among the sources.
#[derive(Debug)]
pub enum TextFileError {
    /// It cannot be read.
    Unreadable {
        /// As the user named it.
        path: String,
        /// What the system says.
        error: std::io::Error,
    },
    /// It is not text.
    NotText {
        /// As the user named it.
        path: String,
    },
}

impl fmt::Display for TextFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TextFileError::Unreadable { path, error } => write!(f, "cannot read {path}: {error}"),
            TextFileError::NotText { path } => write!(f, "{path} is not a text file"),
        }
    }
}

impl std::error::Error for TextFileError {}

/// Adds a file to the sources, `-` being the standard input. Bytes that are no UTF-8 are replaced, so that a
/// message can point at them; a file with NUL bytes is no text.
pub fn read_text_file(path: &Path, sources: &mut SourceMap) -> Result<FileId, TextFileError> {
    let is_input = path.as_os_str() == "-";
    let name = if is_input { STANDARD_INPUT.to_string() } else { path.display().to_string() };
    let unreadable = |error| TextFileError::Unreadable { path: name.clone(), error };
    let input: Box<dyn Read> = if is_input {
        Box::new(std::io::stdin().lock())
    } else {
        Box::new(std::fs::File::open(path).map_err(unreadable)?)
    };
    let mut bytes = Vec::new();
    input.take(MAX_TEXT + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > MAX_TEXT {
        return Err(unreadable(std::io::Error::other("there is too much of it")));
    }
    if bytes.contains(&0) {
        return Err(TextFileError::NotText { path: name });
    }
    let text = String::from_utf8_lossy(&bytes);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text).to_string();
    Ok(sources.add(name, path, text))
}
