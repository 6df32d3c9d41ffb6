//! Messages for people: what is wrong, where, what was expected, what to do.

use crate::{SourceMap, Span};

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The text is accepted, but perhaps not what was meant.
    Warning,
    /// The text is not accepted.
    Error,
}

/// A place that belongs to a message, with a word about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// The word about it; may be empty.
    pub text: String,
}

/// One message. `message` says what is wrong, the first label where, `hint` what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong.
    pub message: String,
    /// Where; at least one.
    pub labels: Vec<Label>,
    /// What to do about it.
    pub hint: Option<String>,
}

impl Diagnostic {
    /// An error at a place.
    pub fn error(message: impl Into<String>, span: Span) -> Diagnostic {
        Diagnostic::new(Severity::Error, message, span)
    }

    /// A warning about a place.
    pub fn warning(message: impl Into<String>, span: Span) -> Diagnostic {
        Diagnostic::new(Severity::Warning, message, span)
    }

    fn new(severity: Severity, message: impl Into<String>, span: Span) -> Diagnostic {
        Diagnostic {
            severity,
            message: message.into(),
            labels: vec![Label { span, text: String::new() }],
            hint: None,
        }
    }

    /// Says a word about the first place (what was expected there).
    pub fn expected(mut self, text: impl Into<String>) -> Diagnostic {
        self.labels[0].text = text.into();
        self
    }

    /// Adds a further place.
    pub fn also(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.labels.push(Label { span, text: text.into() });
        self
    }

    /// Says what to do about it.
    pub fn hint(mut self, text: impl Into<String>) -> Diagnostic {
        self.hint = Some(text.into());
        self
    }

    /// The first place.
    pub fn span(&self) -> Span {
        self.labels[0].span
    }

    /// The message with the lines of text it speaks of and a caret under each place.
    pub fn render(&self, sources: &SourceMap) -> String {
        let mut shown = self.clone();
        for label in &mut shown.labels {
            label.span = sources.origin(label.span);
        }
        crate::render::render(&shown, sources)
    }

    /// Whether the text is not accepted.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}
