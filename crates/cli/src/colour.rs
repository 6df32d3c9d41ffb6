//! Colour for a dialogue on a terminal. There is none where the output is no terminal, where `NO_COLOR` is
//! set to anything, or where the terminal calls itself dumb.

use lariat_source::escaped;
use std::io::IsTerminal;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colours {
    None,
    Ansi,
}

impl Colours {
    /// Those of the standard output.
    pub fn of_output() -> Colours {
        Colours::on(std::io::stdout().is_terminal())
    }

    /// Those of the error output.
    pub fn of_errors() -> Colours {
        Colours::on(std::io::stderr().is_terminal())
    }

    fn on(terminal: bool) -> Colours {
        let unwanted = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        if terminal && !unwanted && !dumb { Colours::Ansi } else { Colours::None }
    }

    fn paint(self, code: &str, text: &str) -> String {
        match self {
            Colours::Ansi if !text.is_empty() => format!("\x1b[{code}m{}\x1b[0m", escaped(text)),
            _ => escaped(text).into_owned(),
        }
    }

    /// What has no colour.
    pub fn plain(self, text: &str) -> String {
        escaped(text).into_owned()
    }

    /// What the eye should find first.
    pub fn strong(self, text: &str) -> String {
        self.paint("1", text)
    }

    /// What can be typed.
    pub fn number(self, text: &str) -> String {
        self.paint("36", text)
    }

    /// The lines of a report: steps that are marked as having no influence are grey instead.
    pub fn idle_steps(self, text: &str) -> String {
        let mut painted = String::new();
        for line in text.split_inclusive('\n') {
            let (inside, end) = line.strip_suffix('\n').map_or((line, ""), |line| (line, "\n"));
            // `  2:…\t~` of steps; `     2~ …` of the other layouts.
            let number = inside.trim_start_matches(['┌', '│', '└', '▶', '─', ' ']);
            let digits = number.trim_start_matches(|c: char| c.is_ascii_digit());
            let in_layout = digits.len() < number.len() && digits.starts_with("~ ");
            painted += &match inside.strip_suffix("\t~") {
                Some(step) => self.paint("2", step),
                None if in_layout => self.paint("2", &inside.replacen('~', " ", 1)),
                None => self.plain(&inside.replace("(steps marked ~ have", "(grey steps have")),
            };
            painted += end;
        }
        painted
    }

    /// The lines of steps and states: statements stand out, and so does what changes.
    pub fn steps(self, text: &str) -> String {
        if self == Colours::None {
            return self.plain(text);
        }
        text.split_inclusive('\n').map(|line| self.line(line)).collect()
    }

    fn line(self, line: &str) -> String {
        let (text, end) = line.strip_suffix('\n').map_or((line, ""), |text| (text, "\n"));
        if let Some(change) = text.strip_prefix("\t\t") {
            return format!("\t\t{}{end}", self.paint("32", change));
        }
        match text.split_once("\t[").and_then(|(place, rest)| Some((place, rest.strip_suffix(']')?))) {
            Some((place, statement)) => {
                format!("{}\t[{}]{end}", self.plain(place), self.strong(statement))
            }
            None => self.plain(line),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_and_changes_stand_out() {
        let text = "  1:\tproc  0 (P:1) p.pml:1 (state 1)\t[a[1] = 2]\n\t\ta[1] = 2\nend";
        assert_eq!(Colours::None.steps(text), text);
        let expected = "  1:\tproc  0 (P:1) p.pml:1 (state 1)\t[\x1b[1ma[1] = 2\x1b[0m]\n\
                        \t\t\x1b[32ma[1] = 2\x1b[0m\nend";
        assert_eq!(Colours::Ansi.steps(text), expected);
    }
}
