//! From characters to tokens.
//!
//! The tokens of all dialects together: which word is an operator depends on where it stands and is left to
//! the grammar (`next` may be a variable, `F` may be one in Spin). Operators that are spelled with signs are
//! always what they are.

use lariat_source::{Diagnostic, FileId, Span};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Word,
    Number,
    /// `'c'`.
    Character,
    /// `"text"`.
    Quoted,

    Always,
    Eventually,
    Next,
    Not,
    Tilde,
    AndAnd,
    Ampersand,
    OrOr,
    Bar,
    Caret,
    Xor,
    Implies,
    Equivalent,

    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    ShiftLeft,
    ShiftRight,
    Plus,
    Minus,
    Star,
    Slash,
    Percent,

    OpenParen,
    CloseParen,
    OpenBracket,
    CloseBracket,
    Comma,
    Dot,
    At,
    Colon,
    Question,
    QuestionQuestion,
    /// `=`: never right, but a frequent mistake.
    Assign,
    End,
}

/// Longer spellings before their beginnings.
const SIGNS: &[(&str, Kind)] = &[
    ("<->", Kind::Equivalent),
    ("<=>", Kind::Equivalent),
    ("->", Kind::Implies),
    ("=>", Kind::Implies),
    ("[]", Kind::Always),
    ("<>", Kind::Eventually),
    ("&&", Kind::AndAnd),
    ("||", Kind::OrOr),
    ("/\\", Kind::AndAnd),
    ("\\/", Kind::OrOr),
    ("==", Kind::Equal),
    ("!=", Kind::NotEqual),
    ("<<", Kind::ShiftLeft),
    (">>", Kind::ShiftRight),
    ("<=", Kind::LessEqual),
    (">=", Kind::GreaterEqual),
    ("??", Kind::QuestionQuestion),
    ("(", Kind::OpenParen),
    (")", Kind::CloseParen),
    ("[", Kind::OpenBracket),
    ("]", Kind::CloseBracket),
    ("!", Kind::Not),
    ("~", Kind::Tilde),
    ("&", Kind::Ampersand),
    ("|", Kind::Bar),
    ("^", Kind::Caret),
    ("<", Kind::Less),
    (">", Kind::Greater),
    ("+", Kind::Plus),
    ("-", Kind::Minus),
    ("*", Kind::Star),
    ("/", Kind::Slash),
    ("%", Kind::Percent),
    (",", Kind::Comma),
    (".", Kind::Dot),
    ("@", Kind::At),
    (":", Kind::Colon),
    ("?", Kind::Question),
    ("=", Kind::Assign),
    ("∧", Kind::AndAnd),
    ("∨", Kind::OrOr),
    ("¬", Kind::Not),
    ("→", Kind::Implies),
    ("⇒", Kind::Implies),
    ("⟶", Kind::Implies),
    ("↔", Kind::Equivalent),
    ("⇔", Kind::Equivalent),
    ("⟷", Kind::Equivalent),
    ("⊕", Kind::Xor),
    ("□", Kind::Always),
    ("⬜", Kind::Always),
    ("◻", Kind::Always),
    ("◇", Kind::Eventually),
    ("⋄", Kind::Eventually),
    ("♢", Kind::Eventually),
    ("○", Kind::Next),
    ("◯", Kind::Next),
];

#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub kind: Kind,
    /// Bytes of the text that is being read.
    pub start: usize,
    pub end: usize,
    pub space_before: bool,
}

/// Where the text that is being read stands.
#[derive(Clone, Copy)]
pub(super) struct Origin {
    pub file: FileId,
    pub offset: u32,
}

impl Origin {
    pub fn span(self, start: usize, end: usize) -> Span {
        Span::new(self.file, self.offset + start as u32, self.offset + end as u32)
    }
}

pub(super) fn is_word_start(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_'
}

pub(super) fn is_word_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// The tokens, with an `End` at their end.
pub(super) fn lex(text: &str, origin: Origin) -> Result<Vec<Token>, Diagnostic> {
    let mut tokens = Vec::new();
    let mut at = 0;
    let mut space_before = true;
    while let Some(first) = text[at..].chars().next() {
        if first.is_whitespace() {
            at += first.len_utf8();
            space_before = true;
            continue;
        }
        let (kind, length) = one(&text[at..], at, origin)?;
        tokens.push(Token { kind, start: at, end: at + length, space_before });
        at += length;
        space_before = false;
    }
    tokens.push(Token { kind: Kind::End, start: text.len(), end: text.len(), space_before: true });
    Ok(tokens)
}

/// The token that starts `rest`, and its length.
fn one(rest: &str, at: usize, origin: Origin) -> Result<(Kind, usize), Diagnostic> {
    let length_of = |belongs: fn(char) -> bool| rest.find(|c| !belongs(c)).unwrap_or(rest.len());
    let first = rest.chars().next().unwrap_or(' ');
    if is_word_start(first) {
        return Ok((Kind::Word, length_of(is_word_part)));
    }
    if first.is_ascii_digit() {
        return Ok((Kind::Number, length_of(|c| c.is_ascii_digit())));
    }
    if first == '"' {
        let Some(length) = quoted_length(rest) else {
            return Err(Diagnostic::error("this quote is not closed", origin.span(at, at + rest.len()))
                .expected("from here to the end")
                .hint("close it with `\"`; a quote inside is written `\\\"`"));
        };
        return Ok((Kind::Quoted, length));
    }
    if first == '\'' {
        let Some(length) = character_length(rest) else {
            return Err(Diagnostic::error("this is no character constant", origin.span(at, at + 1))
                .expected("a single quote")
                .hint("`'c'` is the number of a character; a proposition is quoted with `\"`"));
        };
        return Ok((Kind::Character, length));
    }
    if let Some(inside) = rest.strip_prefix('[') {
        let inside_trimmed = inside.trim_start();
        if inside_trimmed.starts_with(']') {
            return Ok((Kind::Always, 2 + inside.len() - inside_trimmed.len()));
        }
    }
    match SIGNS.iter().find(|(spelling, _)| rest.starts_with(spelling)) {
        Some((spelling, kind)) => Ok((*kind, spelling.len())),
        None => Err(unknown(first, origin.span(at, at + first.len_utf8()))),
    }
}

/// Up to and including the closing quote.
fn quoted_length(rest: &str) -> Option<usize> {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return Some(at + 1),
            _ => {}
        }
    }
    None
}

fn character_length(rest: &str) -> Option<usize> {
    let mut characters = rest.char_indices().skip(1);
    let (_, c) = characters.next()?;
    if c == '\\' {
        characters.next()?;
    } else if c == '\'' {
        return None;
    }
    let (at, close) = characters.next()?;
    (close == '\'').then_some(at + 1)
}

fn unknown(c: char, span: Span) -> Diagnostic {
    let (name, hint) = match c {
        '“' | '”' | '„' | '«' | '»' => (format!("`{c}`"), "write plain quotes: `\"`"),
        '≤' => (format!("`{c}`"), "write `<=`"),
        '≥' => (format!("`{c}`"), "write `>=`"),
        '≠' => (format!("`{c}`"), "write `!=`"),
        '{' | '}' => (format!("`{c}`"), "group with `(` and `)`"),
        ';' => (format!("`{c}`"), "a formula has no `;`; `&&` joins two of them"),
        '\\' => (format!("`{c}`"), "`/\\` means and, `\\/` means or"),
        c if c.is_ascii() && !c.is_control() => {
            (format!("`{c}`"), "put a proposition with such characters into double quotes")
        }
        c if c.is_control() => {
            (format!("the character U+{:04X}", c as u32), "there is an invisible character here; remove it")
        }
        c => (
            format!("`{c}` (U+{:04X})", c as u32),
            "put a proposition with such characters into double quotes",
        ),
    };
    Diagnostic::error(format!("{name} has no meaning in a formula"), span)
        .expected("expected an operator or a proposition")
        .hint(hint)
}
