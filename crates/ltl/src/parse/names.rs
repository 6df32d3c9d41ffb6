//! Words: which of them are operators, which stand for themselves, how a proposition is spelled.

use std::borrow::Cow;

use super::Dialect;
use super::lex::{Kind, Token, is_word_part, is_word_start};
use super::tree::BinaryOperator;

/// Words that are an operator between two operands. None of them is reserved: at the place of an operand they
/// are names, but for the single letters (see [`is_reserved`]).
pub(super) enum InfixWord {
    And,
    Or,
    Other(BinaryOperator),
}

pub(super) fn infix_word(word: &str) -> Option<InfixWord> {
    use BinaryOperator::*;
    let found = match word {
        "U" | "until" | "stronguntil" => InfixWord::Other(Until),
        "R" | "V" | "release" => InfixWord::Other(Release),
        "W" | "weakuntil" => InfixWord::Other(WeakUntil),
        "M" | "strongrelease" => InfixWord::Other(StrongRelease),
        "implies" => InfixWord::Other(Implies),
        "equivalent" => InfixWord::Other(Equivalent),
        "xor" => InfixWord::Other(Xor),
        "and" => InfixWord::And,
        "or" => InfixWord::Or,
        _ => return None,
    };
    Some(found)
}

/// Words that are an operator before an operand.
pub(super) fn prefix_word(word: &str) -> Option<Kind> {
    match word {
        "always" => Some(Kind::Always),
        "eventually" => Some(Kind::Eventually),
        "next" => Some(Kind::Next),
        "not" => Some(Kind::Not),
        _ => None,
    }
}

/// Which words of its own a dialect has; the others are understood too, but not by its owner.
pub(super) fn knows_word(dialect: Dialect, word: &str) -> bool {
    match dialect {
        Dialect::Spot => true,
        Dialect::SpinInline => matches!(
            word,
            "U" | "V"
                | "W"
                | "X"
                | "always"
                | "eventually"
                | "until"
                | "stronguntil"
                | "weakuntil"
                | "release"
                | "next"
                | "implies"
                | "equivalent"
        ),
        Dialect::SpinF => matches!(word, "U" | "V" | "X" | "always" | "eventually" | "until" | "not"),
    }
}

/// Single letters that are no names at the place of an operand.
pub(super) fn is_reserved(dialect: Dialect, word: &str) -> bool {
    match dialect {
        Dialect::Spot => matches!(word, "U" | "V" | "R" | "W" | "M"),
        Dialect::SpinInline | Dialect::SpinF => matches!(word, "U" | "V" | "W"),
    }
}

pub(super) fn constant(word: &str) -> Option<bool> {
    match word {
        "true" | "TRUE" => Some(true),
        "false" | "FALSE" => Some(false),
        _ => None,
    }
}

pub(super) fn is_operator_letter(c: char) -> bool {
    matches!(c, 'F' | 'G' | 'X')
}

/// The operator that a word starts with, if its first letter is one and the rest can do without it, as in
/// `GFa` and `Xp0`. This is Spot's habit, kept for rests that are short names, so that `Grant` stays whole; a
/// letter before a digit belongs to the name (`X0`), as in Spot. A word of such letters only (`GF`) needs an
/// operand behind it.
pub(super) fn splits(word: &str, operand_follows: bool) -> bool {
    let letters = word.find(|c| !is_operator_letter(c)).unwrap_or(word.len());
    match (letters, word.len() - letters) {
        (0, _) => false,
        (_, 0) => operand_follows,
        _ if is_short(&word[letters..]) || constant(&word[letters..]).is_some() => true,
        // `GX0` is `G X0`.
        _ => letters > 1 && is_digits(&word[letters..]),
    }
}

fn is_digits(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_digit())
}

/// A small letter, then digits.
fn is_short(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase()) && is_digits(&name[1..])
}

/// Whether Spot splits a word that [`splits`] keeps whole.
pub(super) fn is_split_by_spot(word: &str) -> bool {
    let mut characters = word.chars();
    characters.next().is_some_and(is_operator_letter)
        && characters.next().is_some_and(|c| !c.is_ascii_digit())
}

/// What is between the quotes, without the escapes.
pub(super) fn unquoted(token: &str) -> String {
    let inside = token.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(token);
    let mut out = String::with_capacity(inside.len());
    let mut escaped = false;
    for c in inside.chars() {
        escaped = !escaped && c == '\\';
        if !escaped {
            out.push(c);
        }
    }
    out
}

pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        if matches!(c, '"' | '\\') {
            out.push('\\');
        }
        out.push(c);
    }
    out.push('"');
    out
}

/// Is this a name that every reader of the dialect takes as one, wherever it stands?
pub(crate) fn is_plain(text: &str, dialect: Dialect) -> bool {
    let reserved =
        infix_word(text).is_some() || prefix_word(text).is_some() || constant(text).is_some() || text == "X";
    let mut characters = text.chars();
    let first_fits = characters.next().is_some_and(|first| match dialect {
        Dialect::Spot => is_word_start(first) && !is_operator_letter(first),
        Dialect::SpinInline => is_word_start(first) && !is_operator_letter(first),
        Dialect::SpinF => first.is_ascii_lowercase(),
    });
    first_fits && characters.all(is_word_part) && !reserved
}

pub(crate) fn quoted_unless_plain(text: &str, dialect: Dialect) -> Cow<'_, str> {
    if is_plain(text, dialect) { Cow::Borrowed(text) } else { Cow::Owned(quoted(text)) }
}

/// The text of an expression: single spaces around binary operators, none elsewhere, one spelling for each
/// operator.
pub(super) fn spell(tokens: &[Token], text: &str) -> String {
    let mut out = String::new();
    let mut value_before = false;
    let mut prefix_before = None;
    for token in tokens {
        let spelling = match token.kind {
            Kind::AndAnd => "&&",
            Kind::OrOr => "||",
            Kind::Not => "!",
            _ => &text[token.start..token.end],
        };
        let prefix =
            matches!(token.kind, Kind::Not | Kind::Tilde) || token.kind == Kind::Minus && !value_before;
        if is_binary(token.kind) && !prefix {
            out.push(' ');
            out.push_str(spelling);
            out.push(' ');
        } else {
            // `- -x` and `! !x` are not `--x` and `!!x`.
            if prefix && prefix_before == Some(token.kind) {
                out.push(' ');
            }
            out.push_str(spelling);
        }
        prefix_before = prefix.then_some(token.kind);
        value_before = matches!(
            token.kind,
            Kind::Word | Kind::Number | Kind::Character | Kind::CloseParen | Kind::CloseBracket
        );
    }
    out
}

fn is_binary(kind: Kind) -> bool {
    use Kind::*;
    matches!(
        kind,
        AndAnd
            | OrOr
            | Ampersand
            | Bar
            | Caret
            | Equal
            | NotEqual
            | Less
            | LessEqual
            | Greater
            | GreaterEqual
            | ShiftLeft
            | ShiftRight
            | Plus
            | Minus
            | Star
            | Slash
            | Percent
    )
}
