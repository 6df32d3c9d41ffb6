//! From the text of a formula to its automaton, with everything that is to be said about the text.
//!
//! A formula is a stretch of a file in a [`SourceMap`]; one from the command line is a file of its own. Each
//! is translated with tables of its own, so that its automaton does not depend on what was translated before.

use crate::statistics::Statistics;
use crate::work::{Work, WorkLimits};
use lariat_ltl::never::Unwritable;
use lariat_ltl::parse::{Dialect, Tree, disagreements_in, parse_part};
use lariat_ltl::translate::{self, Failure, Form, Method, Translation, translate};
use lariat_ltl::{Bdds, Formulas, stutter};
use lariat_source::{Diagnostic, FileId, SourceMap, Span};
use std::time::Instant;

/// How a formula is translated.
#[derive(Clone, Copy, Debug)]
pub struct TranslationOptions {
    /// By whose rules the text is read.
    pub dialect: Dialect,
    /// Translate the formula's negation.
    pub negate: bool,
    /// What kind of automaton is wanted.
    pub form: Form,
    /// Which translation is used.
    pub method: Method,
    /// Give up if there would be more states; `None` for the translation's own limit.
    pub max_states: Option<usize>,
    /// How much one formula may take, with its statistics.
    pub limits: WorkLimits,
}

/// A formula and its automaton.
pub struct Translated {
    /// As it was written.
    pub text: String,
    /// As it was understood, with all brackets; negated, if that was asked for. It is the automaton's name.
    pub reading: String,
    /// The automaton is that of the negation.
    pub negated: bool,
    /// Where it stands.
    pub span: Span,
    /// The labels of the automaton.
    pub bdds: Bdds,
    /// The automaton, and what is known about it.
    pub translation: Translation,
    /// Of the translation alone.
    pub seconds: f64,
    /// There is an `X` in what was translated.
    has_next: bool,
    tree: Tree,
    work: Work,
}

/// Why there is no automaton.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotTranslated {
    /// There is an error among the messages.
    Refused,
    /// It would take too much; the error among the messages says so.
    TooLarge,
    /// What was found out about the formula and about its negation is contradictory: an error of ours.
    Contradiction,
    /// A limit came first, and which.
    Stopped(String),
}

/// Where the formulas of a file are: one a line, without empty lines and comments.
pub fn formulas_in(sources: &SourceMap, file: FileId) -> Vec<Span> {
    let source = sources.file(file);
    let formula = |line| {
        let range = source.line_range(line);
        let text = &source.text[range.clone()];
        let start = range.start + (text.len() - text.trim_start().len());
        let text = text.trim();
        let skipped = text.is_empty() || text.starts_with('#') || text.starts_with("//");
        (!skipped).then(|| Span::new(file, start as u32, (start + text.len()) as u32))
    };
    (1..=source.line_count()).filter_map(formula).collect()
}

/// The automaton of the formula that a span covers, and what there is to say about the formula.
pub fn translate_text(
    sources: &SourceMap,
    span: Span,
    options: &TranslationOptions,
) -> (Result<Translated, NotTranslated>, Vec<Diagnostic>) {
    let parsed = parse_part(sources, span, options.dialect);
    let mut messages = parsed.diagnostics;
    let Some(tree) = parsed.tree else { return (Err(NotTranslated::Refused), messages) };
    messages.extend(disagreements_in(sources, span, options.dialect));

    let mut formulas = Formulas::new();
    let mut bdds = Bdds::new();
    let mut reading = tree.bracketed();
    let start = Instant::now();
    let work = Work::begin(options.limits);
    let mut formula = tree.to_formula(&mut formulas);
    if options.negate {
        formula = formulas.not(formula);
        reading = format!("!({reading})");
    }
    let defaults = translate::Options::default();
    let result = work.run(|stop| {
        let wanted = translate::Options {
            form: options.form,
            method: options.method,
            max_states: options.max_states.unwrap_or(defaults.max_states),
            stop,
            ..defaults
        };
        translate(&mut formulas, &mut bdds, formula, &wanted)
    });
    let mut translation = match result {
        Ok(translation) => translation,
        Err(Failure::Contradiction) => return (Err(NotTranslated::Contradiction), messages),
        Err(failure @ Failure::Stopped) => {
            let reason = work.stopped().unwrap_or_else(|| failure.to_string());
            return (Err(NotTranslated::Stopped(reason)), messages);
        }
        Err(failure) => {
            let reason = match failure {
                Failure::TooLarge { .. } => NotTranslated::TooLarge,
                _ => NotTranslated::Refused,
            };
            let message = Diagnostic::error("this formula is too large to be translated", tree.span)
                .expected(failure.to_string());
            messages.push(match failure {
                Failure::TooLarge { .. } if options.method == Method::Alternating => {
                    message.hint("`--by best` has other ways to translate it")
                }
                Failure::TooLarge { .. } => {
                    message.hint("`--max-states` changes the limit on states, and all others with it")
                }
                _ => message,
            });
            return (Err(reason), messages);
        }
    };
    let seconds = start.elapsed().as_secs_f64();
    if !translation.proved {
        let message = "the automaton is not proved to be right: comparing it with the one for the negation would take \
                       too long";
        messages.push(Diagnostic::warning(message, tree.span));
    }
    translation.automaton.name = Some(reading.clone());
    let has_next = stutter::has_next(&formulas, translation.formula);
    let translated = Translated {
        text: sources.text(span).to_string(),
        reading,
        negated: options.negate,
        span,
        bdds,
        translation,
        seconds,
        has_next,
        tree,
        work,
    };
    (Ok(translated), messages)
}

impl Translated {
    /// The automaton in numbers.
    pub fn statistics(&mut self) -> Statistics {
        let Translation { automaton, complement, .. } = &self.translation;
        let stutter_invariant = match complement {
            _ if !self.has_next => Some(true),
            Some(complement) => {
                self.work.run(|stop| stutter::is_invariant(&mut self.bdds, automaton, complement, stop))
            }
            None => None,
        };
        Statistics { stutter_invariant, ..Statistics::of(&mut self.bdds, automaton, self.seconds) }
    }

    /// Properties that the HOA format has a name for and that one cannot see from the automaton.
    pub fn properties(&self) -> &'static [&'static str] {
        if self.has_next { &[] } else { &["stutter-invariant"] }
    }

    /// The message about an automaton that cannot be written as a claim, at the place in the formula that is
    /// to blame.
    pub fn unwritable(&self, reason: &Unwritable) -> Diagnostic {
        let message = "the automaton of this formula cannot be written as a never claim";
        match reason {
            Unwritable::Proposition(name) => {
                let found =
                    self.tree.propositions().into_iter().find(|proposition| proposition.text == *name);
                let span = found.map_or(self.span, |proposition| proposition.span);
                Diagnostic::error(message, span).expected("this proposition is not a Promela expression")
            }
            other => Diagnostic::error(message, self.span).expected(other.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_formula_a_line() {
        let mut sources = SourceMap::new();
        let text = "G a\r\n\n  # no formula\n// none either\n\t F b \nG (c\u{e9}";
        let file = sources.add("f.ltl", "f.ltl", text.to_string());
        let found = formulas_in(&sources, file);
        let texts: Vec<&str> = found.iter().map(|&span| sources.text(span)).collect();
        assert_eq!(texts, ["G a", "F b", "G (c\u{e9}"]);
        let empty = sources.add("e.ltl", "e.ltl", String::new());
        assert_eq!(formulas_in(&sources, empty), []);
    }
}
