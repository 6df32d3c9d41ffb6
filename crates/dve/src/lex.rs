//! From characters to tokens. What stands between them (spaces, comments) is forgotten; what has no meaning
//! is reported, once for each run of such characters, and skipped.

use lariat_source::{Diagnostic, FileId, Span};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A name or a keyword.
    Word,
    Number,
    /// One of [`SIGNS`].
    Sign(&'static str),
    End,
}

#[derive(Clone, Copy, Debug)]
pub struct Token {
    pub kind: Kind,
    pub span: Span,
}

/// Longer ones first.
const SIGNS: [&str; 34] = [
    "->", "==", "!=", "<=", ">=", "<<", ">>", "&&", "||", "{", "}", "(", ")", "[", "]", ";", ",", ":", ".",
    "=", "<", ">", "+", "-", "*", "/", "%", "&", "|", "^", "~", "!", "?", "@",
];

/// Words that are no names.
pub const KEYWORDS: [&str; 23] = [
    "const", "byte", "int", "channel", "process", "state", "init", "accept", "commit", "assert", "trans",
    "guard", "sync", "effect", "system", "async", "property", "true", "false", "and", "or", "not", "imply",
];

/// The tokens of a text, with an `End` at their end.
pub fn lex(text: &str, file: FileId, messages: &mut Vec<Diagnostic>) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut at = 0;
    let span = |start: usize, end: usize| Span::new(file, start as u32, end as u32);
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let length_of = |belongs: fn(char) -> bool| rest.find(|c| !belongs(c)).unwrap_or(rest.len());
        if first.is_whitespace() {
            at += first.len_utf8();
        } else if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
        } else if let Some(inside) = rest.strip_prefix("/*") {
            match inside.find("*/") {
                Some(end) => at += end + 4,
                None => {
                    let message = Diagnostic::error("this comment is not closed", span(at, at + 2));
                    messages.push(message.expected("it begins here").hint("close it with `*/`"));
                    break;
                }
            }
        } else if first.is_ascii_alphabetic() || first == '_' {
            let length = length_of(|c| c.is_ascii_alphanumeric() || c == '_');
            tokens.push(Token { kind: Kind::Word, span: span(at, at + length) });
            at += length;
        } else if first.is_ascii_digit() {
            let length = length_of(|c| c.is_ascii_digit());
            tokens.push(Token { kind: Kind::Number, span: span(at, at + length) });
            at += length;
        } else if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            tokens.push(Token { kind: Kind::Sign(sign), span: span(at, at + sign.len()) });
            at += sign.len();
        } else {
            let known = |c: char| {
                c.is_whitespace()
                    || c.is_ascii_alphanumeric()
                    || c == '_'
                    || SIGNS.iter().any(|sign| sign.starts_with(c))
            };
            let length = rest.find(known).unwrap_or(rest.len());
            let shown = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.to_string() };
            let shown: String = rest[..length].chars().take(10).map(shown).collect();
            messages.push(
                Diagnostic::error(format!("`{shown}` has no meaning in DVE"), span(at, at + length))
                    .expected("remove it"),
            );
            at += length;
        }
    }
    tokens.push(Token { kind: Kind::End, span: span(text.len(), text.len()) });
    tokens
}
