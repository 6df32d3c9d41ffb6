//! Writing to the two outputs. A reader that has gone away (`lariat … | head`) is no error.

use std::io::{ErrorKind, Write};

/// Whether somebody still reads the standard output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader {
    Listens,
    IsGone,
}

/// Writes a result to the standard output.
pub fn print(text: &str) -> anyhow::Result<Reader> {
    let mut output = std::io::stdout().lock();
    match output.write_all(text.as_bytes()).and_then(|()| output.flush()) {
        Ok(()) => Ok(Reader::Listens),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(Reader::IsGone),
        Err(error) => Err(anyhow::Error::new(error).context("cannot write the result")),
    }
}

/// Writes a line to the error output.
pub fn complain(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}
