//! One line on the error output that says how far something is, about once a second.

use lariat_checker::{Progress, bytes_shown, render};
use lariat_source::escaped_line;
use render::text::grouped;
use std::io::{IsTerminal, Write};
use std::time::Duration;

pub struct ProgressLine {
    shown: bool,
    terminal: bool,
    /// Length of the line that stands there now.
    length: usize,
    /// What is being done, where several things are.
    phase: String,
    /// The most memory that may be taken.
    budget: Option<u64>,
    /// When it was said last how far it is, and how many states there were.
    last: (Duration, u64),
}

impl ProgressLine {
    /// Shown on a terminal, or when it is asked for.
    pub fn new(asked_for: bool) -> ProgressLine {
        let terminal = std::io::stderr().is_terminal();
        ProgressLine {
            shown: terminal || asked_for,
            terminal,
            length: 0,
            phase: String::new(),
            budget: None,
            last: (Duration::ZERO, 0),
        }
    }

    /// Memory is shown beside this limit.
    pub fn within(mut self, budget: Option<u64>) -> ProgressLine {
        self.budget = budget;
        self
    }

    /// Each line begins with what is being done.
    pub fn during(mut self, phase: String) -> ProgressLine {
        self.phase = phase;
        self
    }

    pub fn show(&mut self, progress: &Progress) {
        let text = self.line(progress);
        self.last = (progress.elapsed, progress.stored);
        self.say(text);
    }

    fn line(&self, progress: &Progress) -> String {
        let phase = if self.phase.is_empty() { String::new() } else { format!("{}: ", self.phase) };
        let memory = match self.budget {
            Some(budget) => format!("{} of {}", bytes_shown(progress.bytes), bytes_shown(budget)),
            None => bytes_shown(progress.bytes),
        };
        // Since the line before; since the start, if there is none, or if the search has begun again.
        let (then, before) = self.last;
        let (seconds, states) =
            match (progress.elapsed.checked_sub(then), progress.stored.checked_sub(before)) {
                (Some(time), Some(states)) => (time.as_secs_f64(), states),
                _ => (progress.elapsed.as_secs_f64(), progress.stored),
            };
        let rate = (states as f64 / seconds.max(1e-9)).round() as u64;
        let threads = match progress.busy {
            (..=1, _) => String::new(),
            (threads, busy) => format!(", {busy} of {threads} threads busy"),
        };
        format!(
            "{phase}{:.0} s: {} ({} waiting), {}, depth {}, {memory}, {} a second{threads}",
            progress.elapsed.as_secs_f64(),
            counted(progress.stored, "state"),
            grouped(progress.waiting),
            counted(progress.transitions, "transition"),
            grouped(progress.depth),
            counted(rate, "state")
        )
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

/// `1 state`, `8,843,939 states`
fn counted(count: u64, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{} {what}{plural}", grouped(count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_for_people() {
        let progress = Progress {
            stored: 8_843_939,
            transitions: 33_239_786,
            depth: 29_615,
            waiting: 41_003,
            bytes: 312 << 20,
            elapsed: Duration::from_secs(4),
            busy: (1, 1),
        };
        let mut line = ProgressLine::new(false).within(Some(1 << 30));
        assert_eq!(
            line.line(&progress),
            "4 s: 8,843,939 states (41,003 waiting), 33,239,786 transitions, depth 29,615, \
             312.0 MiB of 1.0 GiB, 2,210,985 states a second"
        );
        line.show(&progress);
        let later = Progress { stored: 8_843_940, elapsed: Duration::from_secs(5), ..progress };
        let text = line.during("2 of 3, ltl p".to_string()).line(&later);
        assert!(text.starts_with("2 of 3, ltl p: 5 s: ") && text.ends_with(", 1 state a second"), "{text}");
    }

    /// The time and the number of states begin anew.
    #[test]
    fn a_search_that_begins_again() {
        let mut line = ProgressLine::new(false);
        line.last = (Duration::from_secs(9), 1_000_000);
        let progress = Progress {
            stored: 2_000,
            transitions: 1,
            depth: 0,
            waiting: 0,
            bytes: 0,
            elapsed: Duration::from_secs(2),
            busy: (4, 3),
        };
        let text = line.line(&progress);
        assert!(text.ends_with(", 1,000 states a second, 3 of 4 threads busy"), "{text}");
    }
}
