//! One line on the error output that says how far something is, about once a second.

use lariat::{Progress, escaped_line, memory, render};
use render::text::counted;
use std::io::{IsTerminal, Write};

pub struct ProgressLine {
    shown: bool,
    terminal: bool,
    /// Length of the line that stands there now.
    length: usize,
}

impl ProgressLine {
    /// Shown on a terminal, or when it is asked for.
    pub fn new(asked_for: bool) -> ProgressLine {
        let terminal = std::io::stderr().is_terminal();
        ProgressLine { shown: terminal || asked_for, terminal, length: 0 }
    }

    pub fn show(&mut self, progress: &Progress) {
        let seconds = progress.elapsed.as_secs_f64();
        self.say(format!(
            "{seconds:.0} s: {}, {}, depth {}, {}, {}",
            counted(progress.stored, "state"),
            counted(progress.transitions, "transition"),
            progress.depth,
            memory::shown(progress.bytes),
            render::text::rate(progress.stored, seconds)
        ));
    }

    /// Instead of what stands there.
    pub fn say(&mut self, text: String) {
        if !self.shown {
            return;
        }
        let text = escaped_line(&text);
        let mut error = std::io::stderr().lock();
        let _ = if self.terminal {
            write!(error, "\r{text:<width$}", width = self.length)
        } else {
            writeln!(error, "{text}")
        };
        let _ = error.flush();
        self.length = text.chars().count();
    }

    /// Takes the line off the terminal.
    pub fn clear(&mut self) {
        if self.terminal && self.length > 0 {
            let _ = write!(std::io::stderr(), "\r{:width$}\r", "", width = self.length);
            self.length = 0;
        }
    }
}
