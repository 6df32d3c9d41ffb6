//! From the preprocessor's tokens to Promela's.
//!
//! Spin's lexer reads the characters that gcc printed, so tokens that stand together without white space can
//! become one (`!` `!` is `!!`, `?` `?` is `??`, `:` `:` is `::`) and one token of C can become several
//! (`0..N` is `0`, `..`, `N`; `+=` is `+`, `=`). How that lexer looks ahead makes `-->` an arrow too, and
//! lets it pass over a `*/` that closes no comment. It also drops a separator before any `}`. Numbers are
//! decimal, whatever they start with. A character constant is the character after the quote; of the escapes
//! only `\n`, `\r`, `\t` and `\f` mean something else than their letter.
//!
//! Two things are taken out here so that the parser need not know of them: embedded C, whose text follows
//! other rules, becomes one token; and characters that make no token become one `Invalid` token a run. Both
//! have been reported then.

use std::rc::Rc;

use lariat_source::{Diagnostic, Span};

use crate::preprocess::{Macros, PieceKind, Preprocessed};
use crate::token::{Kind, OPERATORS, Token, keyword};

/// The tokens of a text, with an `End` at their end.
pub(crate) fn lex(pieces: &[Preprocessed], macros: &Macros, diagnostics: &mut Vec<Diagnostic>) -> Vec<Token> {
    let atoms = without_embedded_c(split(pieces), diagnostics);
    let atoms = without_comment_ends(atoms, diagnostics);
    let mut tokens = Vec::with_capacity(atoms.len() + 1);
    let mut previous_invalid = false;
    let mut i = 0;
    while i < atoms.len() {
        let (token, used) = next_token(&atoms[i..], diagnostics);
        i += used;
        match token {
            Some(token) => {
                previous_invalid = token.kind == Kind::Invalid;
                if token.kind == Kind::CloseBrace {
                    while tokens.last().is_some_and(|last: &Token| last.kind.is_separator()) {
                        tokens.pop();
                    }
                }
                tokens.push(token);
            }
            None if previous_invalid => {}
            None => {
                let junk: Vec<&Atom> = atoms[i - used..].iter().take_while(|atom| is_junk(atom)).collect();
                let last_line =
                    junk.iter().position(|atom| atom.newline_before && !std::ptr::eq(*atom, junk[0]));
                let run = &junk[..last_line.unwrap_or(junk.len()).max(1)];
                diagnostics.push(junk_error(run));
                previous_invalid = true;
                tokens.push(run[0].token(Kind::Invalid));
                i = i - used + run.len();
                // A quote that is never closed makes the rest of its line meaningless.
                if matches!(&*run[0].text, "\"" | "'") {
                    i += atoms[i..].iter().take_while(|atom| !atom.newline_before).count();
                }
            }
        }
    }
    warn_of_hidden_macros(pieces, macros, diagnostics);
    let end = pieces.last().map_or_else(Span::default, |last| {
        let span = last.piece.span;
        Span { start: span.end, ..span }
    });
    tokens.push(Token {
        kind: Kind::End,
        text: "".into(),
        span: end,
        newline_before: true,
        space_before: true,
    });
    tokens
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum AtomKind {
    Word,
    Digits,
    Character,
    Text,
    /// An operator of C that is also one of Promela, or a part of one.
    Operator,
    Junk,
    Invalid,
    EmbeddedC,
}

/// The smallest parts: what no rule of Promela would cut further.
#[derive(Clone)]
struct Atom {
    kind: AtomKind,
    text: Rc<str>,
    span: Span,
    newline_before: bool,
    space_before: bool,
}

impl Atom {
    fn token(&self, kind: Kind) -> Token {
        Token {
            kind,
            text: self.text.clone(),
            span: self.span,
            newline_before: self.newline_before,
            space_before: self.space_before,
        }
    }
}

fn is_junk(atom: &Atom) -> bool {
    atom.kind == AtomKind::Junk
}

fn split(pieces: &[Preprocessed]) -> Vec<Atom> {
    let mut atoms = Vec::with_capacity(pieces.len());
    for Preprocessed { piece, newline_before } in pieces {
        let whole = Atom {
            kind: AtomKind::Junk,
            text: piece.text.clone(),
            span: piece.span,
            newline_before: *newline_before,
            space_before: piece.space_before || *newline_before,
        };
        match piece.kind {
            PieceKind::Identifier => atoms.push(Atom { kind: AtomKind::Word, ..whole }),
            PieceKind::Character => atoms.push(Atom { kind: AtomKind::Character, ..whole }),
            PieceKind::Text => atoms.push(Atom { kind: AtomKind::Text, ..whole }),
            PieceKind::Number if piece.text.bytes().all(|b| b.is_ascii_digit()) => {
                atoms.push(Atom { kind: AtomKind::Digits, ..whole });
            }
            PieceKind::Number => split_number(&whole, &mut atoms),
            PieceKind::Punctuator => split_operator(&whole, &mut atoms),
            PieceKind::Other => atoms.push(whole),
            PieceKind::Invalid => atoms.push(Atom { kind: AtomKind::Invalid, ..whole }),
        }
    }
    atoms
}

/// Pushes the part `range` of `whole`.
fn push_part(whole: &Atom, range: std::ops::Range<usize>, kind: AtomKind, atoms: &mut Vec<Atom>) {
    let mut span = whole.span;
    // The parts lie where the text says only if the token stands there as written (no splice, no macro).
    let as_written = (span.end - span.start) as usize == whole.text.len();
    if as_written && span.expansion == Default::default() {
        span = Span { start: span.start + range.start as u32, end: span.start + range.end as u32, ..span };
    }
    atoms.push(Atom {
        kind,
        text: whole.text[range.clone()].into(),
        span,
        newline_before: whole.newline_before && range.start == 0,
        space_before: whole.space_before && range.start == 0,
    });
}

/// A number of C, like `0..N` or `1e+5`, is digits, names and operators in Promela.
fn split_number(whole: &Atom, atoms: &mut Vec<Atom>) {
    let bytes = whole.text.as_bytes();
    let mut start = 0;
    while start < bytes.len() {
        let (kind, belongs): (_, fn(u8) -> bool) = match bytes[start] {
            b'0'..=b'9' => (AtomKind::Digits, |b| b.is_ascii_digit()),
            b'.' | b'+' | b'-' => (AtomKind::Operator, |_| false),
            _ => (AtomKind::Word, |b| b.is_ascii_alphanumeric() || b == b'_'),
        };
        let mut end = start + 1;
        while end < bytes.len() && belongs(bytes[end]) {
            end += 1;
        }
        push_part(whole, start..end, kind, atoms);
        start = end;
    }
}

/// An operator of C that Promela does not have is cut at the longest one it has.
fn split_operator(whole: &Atom, atoms: &mut Vec<Atom>) {
    let mut start = 0;
    while start < whole.text.len() {
        let rest = &whole.text[start..];
        match OPERATORS.iter().find(|(text, _)| rest.starts_with(text)) {
            Some((text, _)) => {
                push_part(whole, start..start + text.len(), AtomKind::Operator, atoms);
                start += text.len();
            }
            None => {
                let length = rest.chars().next().map_or(1, char::len_utf8);
                push_part(whole, start..start + length, AtomKind::Junk, atoms);
                start += length;
            }
        }
    }
}

/// The token that starts here, and of how many atoms it is made; no token for junk.
fn next_token(atoms: &[Atom], diagnostics: &mut Vec<Diagnostic>) -> (Option<Token>, usize) {
    let atom = &atoms[0];
    let token = match atom.kind {
        AtomKind::Word => atom.token(keyword(&atom.text).unwrap_or(Kind::Name)),
        AtomKind::Digits => atom.token(Kind::Number(number(atom, diagnostics))),
        AtomKind::Character => match character(&atom.text) {
            Some(value) => atom.token(Kind::Number(value)),
            None => {
                diagnostics.push(
                    Diagnostic::error(format!("{} is not one character", atom.text), atom.span)
                        .hint("a character constant is a single ASCII character between single quotes"),
                );
                atom.token(Kind::Invalid)
            }
        },
        AtomKind::Text => {
            let inside = atom.text.strip_prefix('"').and_then(|t| t.strip_suffix('"')).unwrap_or(&atom.text);
            Token { text: inside.into(), ..atom.token(Kind::Text) }
        }
        AtomKind::Operator => return operator(atoms),
        AtomKind::Junk => return (None, 1),
        AtomKind::Invalid => atom.token(Kind::Invalid),
        AtomKind::EmbeddedC => atom.token(Kind::EmbeddedC),
    };
    (Some(token), 1)
}

/// Operators that two atoms make when no white space is between them.
const JOINED: &[(&str, &str, Kind)] = &[
    ("!", "!", Kind::BangBang),
    ("?", "?", Kind::QuestionQuestion),
    (":", ":", Kind::ColonColon),
    (".", ".", Kind::DotDot),
    ("--", ">", Kind::Arrow),
    ("!", "!=", Kind::NotEqual),
    ("<=", "<", Kind::ShiftLeft),
    (">=", ">", Kind::ShiftRight),
];

fn operator(atoms: &[Atom]) -> (Option<Token>, usize) {
    let first = &atoms[0];
    if let Some(second) =
        atoms.get(1).filter(|second| second.kind == AtomKind::Operator && !second.space_before)
        && let Some((_, _, kind)) = JOINED.iter().find(|(a, b, _)| *a == &*first.text && *b == &*second.text)
    {
        let text = format!("{}{}", first.text, second.text).into();
        let token = Token { text, span: first.span.to(second.span), ..first.token(*kind) };
        return (Some(token), 2);
    }
    let kind = OPERATORS.iter().find(|(text, _)| *text == &*first.text).map(|(_, kind)| *kind);
    (kind.map(|kind| first.token(kind)), 1)
}

/// Takes out each `*/` that closes no comment.
fn without_comment_ends(atoms: Vec<Atom>, diagnostics: &mut Vec<Diagnostic>) -> Vec<Atom> {
    let is_end = |pair: &[Atom]| &*pair[0].text == "*" && &*pair[1].text == "/" && !pair[1].space_before;
    if !atoms.windows(2).any(is_end) {
        return atoms;
    }
    let mut out: Vec<Atom> = Vec::with_capacity(atoms.len());
    let mut newline_before = false;
    let mut i = 0;
    while i < atoms.len() {
        if atoms.get(i..i + 2).is_some_and(is_end) {
            let span = atoms[i].span.to(atoms[i + 1].span);
            diagnostics.push(
                Diagnostic::warning("this `*/` closes no comment", span)
                    .expected("ignored")
                    .hint("comments do not nest: the first `*/` ends them"),
            );
            newline_before |= atoms[i].newline_before;
            i += 2;
            continue;
        }
        let mut atom = atoms[i].clone();
        atom.newline_before |= newline_before;
        atom.space_before |= newline_before;
        newline_before = false;
        out.push(atom);
        i += 1;
    }
    out
}

/// Spin reads a `long` and keeps its lower 32 bits.
fn number(atom: &Atom, diagnostics: &mut Vec<Diagnostic>) -> i32 {
    let value = atom.text.parse::<i64>().unwrap_or(i64::MAX);
    let kept = value as i32;
    if i64::from(kept) != value {
        diagnostics.push(
            Diagnostic::warning(format!("the number {} does not fit", atom.text), atom.span)
                .expected(format!("taken as {kept}"))
                .hint("numbers go from -2147483648 to 2147483647"),
        );
    }
    kept
}

fn character(text: &str) -> Option<i32> {
    let inside = text.strip_prefix('\'')?.strip_suffix('\'')?;
    let mut chars = inside.chars();
    let value = match (chars.next()?, chars.next(), chars.next()) {
        ('\\', Some(escaped), None) => match escaped {
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'f' => '\u{c}',
            other => other,
        },
        (c, None, None) => c,
        _ => return None,
    };
    value.is_ascii().then_some(value as i32)
}

fn junk_error(run: &[&Atom]) -> Diagnostic {
    let span = run[0].span.to(run[run.len() - 1].span);
    let text: String = run.iter().map(|atom| &*atom.text).collect();
    match &*run[0].text {
        "\"" => Diagnostic::error("this string does not end on its line", span).hint("close it with `\"`"),
        "'" => Diagnostic::error("this character constant does not end on its line", span)
            .hint("a character constant is a single character between single quotes"),
        _ => {
            let plural = if text.chars().count() == 1 { "" } else { "s" };
            let text: String = text.chars().take(20).collect();
            Diagnostic::error(format!("unexpected character{plural} `{}`", text.escape_debug()), span)
        }
    }
}

/// Replaces embedded C by one atom each and reports it.
fn without_embedded_c(atoms: Vec<Atom>, diagnostics: &mut Vec<Diagnostic>) -> Vec<Atom> {
    let is_c = |atom: &Atom| atom.kind == AtomKind::Word && keyword(&atom.text) == Some(Kind::EmbeddedC);
    if !atoms.iter().any(is_c) {
        return atoms;
    }
    let mut out = Vec::with_capacity(atoms.len());
    let mut i = 0;
    while i < atoms.len() {
        let atom = &atoms[i];
        i += 1;
        if !is_c(atom) {
            out.push(atom.clone());
            continue;
        }
        diagnostics.push(
            Diagnostic::error(format!("embedded C is not supported: `{}`", atom.text), atom.span)
                .hint("state what the C code does in Promela itself"),
        );
        out.push(Atom { kind: AtomKind::EmbeddedC, ..atom.clone() });
        if matches!(&*atom.text, "c_state" | "c_track") {
            i += atoms[i..].iter().take_while(|atom| atom.kind == AtomKind::Text).count();
        } else {
            i += bracketed(&atoms[i..], "[", "]");
            i += bracketed(&atoms[i..], "{", "}");
        }
    }
    out
}

/// How many atoms the bracketed text at the start has; 0 if there is none or it does not end.
fn bracketed(atoms: &[Atom], open: &str, close: &str) -> usize {
    if atoms.first().is_none_or(|atom| &*atom.text != open) {
        return 0;
    }
    let mut nesting = 0;
    for (i, atom) in atoms.iter().enumerate() {
        if &*atom.text == open {
            nesting += 1;
        } else if &*atom.text == close {
            nesting -= 1;
            if nesting == 0 {
                return i + 1;
            }
        }
    }
    0
}

/// `0..N` hides `N` from the preprocessor. Spin then knows no `N`; say why.
fn warn_of_hidden_macros(pieces: &[Preprocessed], macros: &Macros, diagnostics: &mut Vec<Diagnostic>) {
    for Preprocessed { piece, .. } in pieces {
        if piece.kind != PieceKind::Number || !piece.text.contains("..") {
            continue;
        }
        if let Some(name) = piece.text.split("..").find(|part| macros.is_defined(part)) {
            diagnostics.push(
                Diagnostic::warning(format!("the macro `{name}` is not expanded here"), piece.span)
                    .expected("the preprocessor reads this as one number")
                    .hint(format!("put a space before `{name}`")),
            );
        }
    }
}
