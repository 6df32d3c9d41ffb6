//! Cuts a file into preprocessing tokens.
//!
//! The tokens are C's, not Promela's, because what a macro is and where it is replaced is decided before
//! Promela's lexer runs: `0..N` is *one* number token for C (so an `N` in it is never replaced), `+=` is one
//! operator. The Promela lexer takes them apart again. Line splices (a backslash at the end of a line)
//! disappear, comments count as white space, and instead of newline tokens each token knows whether it is the
//! first of its line: that is all a directive, a macro call over several lines, or an implied semicolon has
//! to know.

use std::rc::Rc;

use lariat_source::{Diagnostic, FileId, Span};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PieceKind {
    Identifier,
    /// A preprocessing number: digits, letters, dots.
    Number,
    /// `'…'` with its quotes.
    Character,
    /// `"…"` with its quotes.
    Text,
    Punctuator,
    /// A character that belongs to no token, a quote that is never closed.
    Other,
    /// Stands for something that could not be expanded; the error has been reported.
    Invalid,
}

/// A preprocessing token.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    pub kind: PieceKind,
    pub text: Rc<str>,
    pub span: Span,
    /// First token of its (logical) line.
    pub line_start: bool,
    /// White space or a comment stands before it.
    pub space_before: bool,
    /// A macro's own name inside its expansion: never expanded again.
    pub painted: bool,
}

impl Piece {
    pub fn is(&self, text: &str) -> bool {
        self.kind == PieceKind::Punctuator && &*self.text == text
    }

    pub fn is_identifier(&self) -> bool {
        self.kind == PieceKind::Identifier
    }

    /// The `#` that starts a directive.
    pub fn starts_directive(&self) -> bool {
        self.line_start && self.is("#")
    }
}

/// Longest first.
const PUNCTUATORS: &[&str] = &[
    "...", "<<=", ">>=", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "*=", "/=", "%=",
    "+=", "-=", "&=", "|=", "^=", "##",
];

const SINGLE_PUNCTUATORS: &str = "[](){}.&*+-~!/%<>^|?:;=,#@";

/// Cuts `text` into tokens. The only error at this level is a comment that never ends.
pub(crate) fn scan(file: FileId, text: &str, diagnostics: &mut Vec<Diagnostic>) -> Vec<Piece> {
    let mut scanner = Scanner { text, position: 0, file, unfinished: None };
    let mut pieces = Vec::new();
    if text.starts_with('\u{feff}') {
        scanner.position = '\u{feff}'.len_utf8();
    }
    let mut line_start = true;
    let mut space_before = false;
    while let Some(c) = scanner.peek() {
        match c {
            '\n' => {
                scanner.next();
                line_start = true;
            }
            ' ' | '\t' | '\r' | '\u{b}' | '\u{c}' => {
                scanner.next();
                space_before = true;
            }
            '/' if scanner.skip_comment(diagnostics) => {
                space_before = true;
                pieces.extend(scanner.unfinished.take());
            }
            _ => {
                let mut piece = scanner.piece();
                piece.line_start = line_start;
                piece.space_before = space_before || line_start;
                pieces.push(piece);
                line_start = false;
                space_before = false;
            }
        }
    }
    pieces
}

/// The one token that `text` is, if it is exactly one (for `##`).
pub(crate) fn scan_single(text: &str) -> Option<PieceKind> {
    let mut scanner = Scanner { text, position: 0, file: FileId::default(), unfinished: None };
    if text.starts_with("//") || text.starts_with("/*") {
        return None;
    }
    scanner.peek()?;
    let piece = scanner.piece();
    (scanner.position == text.len() && piece.kind != PieceKind::Other).then_some(piece.kind)
}

#[derive(Clone)]
struct Scanner<'a> {
    text: &'a str,
    position: usize,
    file: FileId,
    /// Stands for a comment that never ends, and for what it hides.
    unfinished: Option<Piece>,
}

impl Scanner<'_> {
    /// Skips line splices at the current position.
    fn skip_splices(&mut self) {
        let bytes = self.text.as_bytes();
        while bytes.get(self.position) == Some(&b'\\') {
            let mut end = self.position + 1;
            while matches!(bytes.get(end), Some(b' ' | b'\t' | b'\r')) {
                end += 1;
            }
            match bytes.get(end) {
                Some(b'\n') => self.position = end + 1,
                _ => return,
            }
        }
    }

    fn peek(&mut self) -> Option<char> {
        self.skip_splices();
        self.text[self.position..].chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.position += c.len_utf8();
        Some(c)
    }

    /// The character after the next one.
    fn peek_second(&self) -> Option<char> {
        let mut ahead = self.clone();
        ahead.next();
        ahead.peek()
    }

    fn skip_comment(&mut self, diagnostics: &mut Vec<Diagnostic>) -> bool {
        let start = self.position;
        match self.peek_second() {
            Some('/') => {
                while self.peek().is_some_and(|c| c != '\n') {
                    self.next();
                }
                true
            }
            Some('*') => {
                self.next();
                self.next();
                loop {
                    match self.next() {
                        Some('*') if self.peek() == Some('/') => {
                            self.next();
                            return true;
                        }
                        Some(_) => {}
                        None => break,
                    }
                }
                let span = Span::new(self.file, start as u32, start as u32 + 2);
                diagnostics.push(
                    Diagnostic::error("this comment never ends", span)
                        .expected("the comment starts here")
                        .hint("close it with `*/`"),
                );
                self.unfinished = Some(Piece {
                    kind: PieceKind::Invalid,
                    text: "/*".into(),
                    span,
                    line_start: false,
                    space_before: true,
                    painted: false,
                });
                true
            }
            _ => false,
        }
    }

    /// The token at the current position, which is not white space.
    fn piece(&mut self) -> Piece {
        self.skip_splices();
        let start = self.position;
        let mut text = String::new();
        let kind = self.piece_into(&mut text);
        Piece {
            kind,
            text: text.into(),
            span: Span::new(self.file, start as u32, self.position as u32),
            line_start: false,
            space_before: false,
            painted: false,
        }
    }

    fn piece_into(&mut self, text: &mut String) -> PieceKind {
        let Some(first) = self.next() else { return PieceKind::Other };
        text.push(first);
        match first {
            'a'..='z' | 'A'..='Z' | '_' => {
                self.take_while(text, |c| c.is_ascii_alphanumeric() || c == '_');
                PieceKind::Identifier
            }
            '0'..='9' => self.number_into(text),
            '.' if self.peek().is_some_and(|c| c.is_ascii_digit()) => self.number_into(text),
            '"' => self.quoted_into(text, '"', PieceKind::Text),
            '\'' => self.quoted_into(text, '\'', PieceKind::Character),
            _ => self.punctuator_into(text),
        }
    }

    fn take_while(&mut self, text: &mut String, wanted: impl Fn(char) -> bool) {
        while let Some(c) = self.peek().filter(|&c| wanted(c)) {
            text.push(c);
            self.next();
        }
    }

    fn number_into(&mut self, text: &mut String) -> PieceKind {
        while let Some(c) = self.peek() {
            let after_exponent = text.ends_with(['e', 'E', 'p', 'P']);
            if c.is_ascii_alphanumeric() || c == '_' || c == '.' || (after_exponent && matches!(c, '+' | '-'))
            {
                text.push(c);
                self.next();
            } else {
                break;
            }
        }
        PieceKind::Number
    }

    /// A literal up to its closing quote on the same line; without one, the lone quote.
    fn quoted_into(&mut self, text: &mut String, quote: char, kind: PieceKind) -> PieceKind {
        let before = self.position;
        while let Some(c) = self.next() {
            if c == '\n' {
                break;
            }
            text.push(c);
            if c == quote {
                return kind;
            }
            if c == '\\'
                && let Some(escaped) = self.peek().filter(|&e| e != '\n')
            {
                text.push(escaped);
                self.next();
            }
        }
        self.position = before;
        text.truncate(quote.len_utf8());
        PieceKind::Other
    }

    fn punctuator_into(&mut self, text: &mut String) -> PieceKind {
        // Grow while some punctuator starts with the text so far.
        while let Some(c) = self.peek() {
            let longer = format!("{text}{c}");
            // `...` has no two-character prefix that is a token, so look one further for it.
            let is_ellipsis = longer == ".." && self.peek_second() == Some('.');
            if is_ellipsis || PUNCTUATORS.contains(&longer.as_str()) {
                *text = longer;
                self.next();
            } else {
                break;
            }
        }
        let known = text.chars().count() > 1 || SINGLE_PUNCTUATORS.contains(text.as_str());
        if known { PieceKind::Punctuator } else { PieceKind::Other }
    }
}
