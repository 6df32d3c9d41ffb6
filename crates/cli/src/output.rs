//! Writing to the two outputs. A reader that has gone away (`lariat … | head`) is no error. One that is slow
//! (a pager) is waited for, beyond any limit of time; a signal ends the waiting.
//!
//! This is the place where everything passes that a model's author, a file's name or a formula brings
//! along. No control character in it reaches a terminal: see [`lariat_source::escaped`], which leaves JSON
//! what it is.

use crate::check::interrupt_flag_in_use;
use lariat_checker::counted;
use lariat_source::{Diagnostic, SourceMap, escaped};
use std::io::{ErrorKind, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

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
    let mut patience = Patience::new(interrupt_flag_in_use());
    for piece in text.as_bytes().chunks(PIECE) {
        if !patience.outlasts(&output) {
            return Ok(Reader::IsGone);
        }
        match output.write_all(piece).and_then(|()| output.flush()) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(Reader::IsGone),
            Err(error) => return Err(anyhow::Error::new(error).context("cannot write the result")),
        }
    }
    Ok(Reader::Listens)
}

/// A pipe that can take something takes so many bytes at once, without letting anybody wait (`PIPE_BUF`).
const PIECE: usize = 4096;

/// How long somebody waits for the reader of the standard output.
struct Patience {
    /// Set by a signal; none, if one came before and ended something else: what that has left is written.
    interrupt: Option<&'static AtomicBool>,
    since: Option<Instant>,
}

impl Patience {
    /// So long the reader is waited for after a signal.
    const AFTER_SIGNAL: Duration = Duration::from_secs(1);

    fn new(interrupt: Option<&'static AtomicBool>) -> Patience {
        Patience { interrupt: interrupt.filter(|flag| !flag.load(Ordering::Relaxed)), since: None }
    }

    /// Waits until the output takes a piece; `false` if a signal has come meanwhile, and it still does not.
    #[cfg(unix)]
    fn outlasts(&mut self, output: &impl std::os::fd::AsFd) -> bool {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        const BETWEEN_LOOKS: Timespec = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };
        loop {
            let mut wanted = [PollFd::new(output, PollFlags::OUT)];
            match poll(&mut wanted, Some(&BETWEEN_LOOKS)) {
                Ok(0) | Err(rustix::io::Errno::INTR) => {}
                // If something is wrong with it, writing will tell.
                Ok(_) | Err(_) => return true,
            }
            if self.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
                let since = *self.since.get_or_insert_with(Instant::now);
                if since.elapsed() >= Patience::AFTER_SIGNAL {
                    return false;
                }
            }
        }
    }

    #[cfg(not(unix))]
    fn outlasts<T>(&mut self, _output: &T) -> bool {
        true
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
