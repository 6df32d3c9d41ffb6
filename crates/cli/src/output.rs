//! Writing to the two outputs. A reader that has gone away (`lariat … | head`) is no error.
//!
//! This is the place where everything passes that a model's author, a file's name or a formula brings
//! along. No control character in it reaches a terminal: see [`lariat_source::escaped`], which leaves JSON
//! what it is.

use lariat_checker::counted;
use lariat_source::{Diagnostic, SourceMap, escaped};
use std::io::{ErrorKind, IsTerminal, Write};

/// Whether somebody still reads the standard output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader {
    Listens,
    IsGone,
}

/// Writes a result to the standard output.
pub fn print(text: &str) -> anyhow::Result<Reader> {
    write(&escaped(text))
}

/// Writes what other programs read to the standard output: as it is, if that is no terminal.
pub fn print_data(text: &str) -> anyhow::Result<Reader> {
    if std::io::stdout().is_terminal() { print(text) } else { write(text) }
}

fn write(text: &str) -> anyhow::Result<Reader> {
    let mut output = std::io::stdout().lock();
    match output.write_all(text.as_bytes()).and_then(|()| output.flush()) {
        Ok(()) => Ok(Reader::Listens),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(Reader::IsGone),
        Err(error) => Err(anyhow::Error::new(error).context("cannot write the result")),
    }
}

/// Writes text in colour to the standard output: [`Colours`](crate::colour::Colours) has escaped what is
/// not colour.
pub fn print_painted(text: &str) -> anyhow::Result<Reader> {
    write(text)
}

/// Writes a line in colour to the error output.
pub fn complain_painted(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// Writes a line to the error output.
pub fn complain(text: &str) {
    let _ = writeln!(std::io::stderr(), "{}", escaped(text));
}

/// So many errors are shown, and so many warnings.
const MOST_SHOWN: u64 = 20;

/// What was said on the error output about texts that were read one after the other.
#[derive(Debug, Default)]
pub struct Complaints {
    errors: u64,
    warnings: u64,
}

impl Complaints {
    pub fn show(&mut self, diagnostics: &[Diagnostic], sources: &SourceMap) {
        for diagnostic in diagnostics {
            let count = if diagnostic.is_error() { &mut self.errors } else { &mut self.warnings };
            *count += 1;
            if *count <= MOST_SHOWN {
                complain(diagnostic.render(sources).trim_end());
                complain("");
            }
        }
    }

    /// An error that has no place in a text.
    pub fn error(&mut self, message: &str) {
        self.errors += 1;
        if self.errors <= MOST_SHOWN {
            complain(&format!("error: {message}"));
        }
    }

    /// A warning that has no place in a text.
    pub fn warning(&mut self, message: &str) {
        self.warnings += 1;
        if self.warnings <= MOST_SHOWN {
            complain(&format!("warning: {message}"));
        }
    }

    /// Says how many there were, if there is something to say.
    pub fn finish(&self) {
        for (count, what) in [(self.errors, "more error"), (self.warnings, "more warning")] {
            if count > MOST_SHOWN {
                complain(&format!("… and {}", counted(count - MOST_SHOWN, what)));
            }
        }
        if self.errors > 0 {
            complain(&counted(self.errors, "error"));
        }
    }

    pub fn errors(&self) -> u64 {
        self.errors
    }
}
