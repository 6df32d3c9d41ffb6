//! The tokens of the format. Line breaks mean nothing, comments nest.
//!
//! What is no token (a stray character, a string without an end) becomes an `Invalid` token, which the parser
//! reports when it gets there: so it belongs to the automaton in which it stands.

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// A name with a colon right behind it; the token's text ends before the colon.
    Header,
    Identifier,
    Boolean(bool),
    Integer(u32),
    /// `@name`
    Alias,
    /// A string, with its quotes.
    Text,
    And,
    Or,
    Not,
    OpenParenthesis,
    CloseParenthesis,
    OpenBracket,
    CloseBracket,
    OpenBrace,
    CloseBrace,
    /// `--BODY--`
    Body,
    /// `--END--`
    Finish,
    /// `--ABORT--`
    Abort,
    Invalid(Problem),
    EndOfText,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Problem {
    Character,
    NumberTooLarge,
    LeadingZero,
    OpenText,
    OpenComment,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub kind: Kind,
    pub start: u32,
    pub end: u32,
}

fn is_name_part(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.')
}

/// All tokens, with an `EndOfText` at their end.
pub(super) fn lex(text: &str) -> Vec<Token> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        let while_in = |from: usize, belongs: fn(u8) -> bool| {
            from + rest[from..].iter().take_while(|&&b| belongs(b)).count()
        };
        let mut skipped = 0;
        let (kind, length) = match rest[0] {
            b' ' | b'\t' | b'\n' | b'\r' => {
                at += 1;
                continue;
            }
            b'/' if rest.starts_with(b"/*") => match comment_length(rest) {
                Some(length) => {
                    at += length;
                    continue;
                }
                None => {
                    tokens.push(token(Kind::Invalid(Problem::OpenComment), at, 2));
                    break;
                }
            },
            b'-' if rest.starts_with(b"--BODY--") => (Kind::Body, 8),
            b'-' if rest.starts_with(b"--END--") => (Kind::Finish, 7),
            b'-' if rest.starts_with(b"--ABORT--") => (Kind::Abort, 9),
            b'&' => (Kind::And, 1),
            b'|' => (Kind::Or, 1),
            b'!' => (Kind::Not, 1),
            b'(' => (Kind::OpenParenthesis, 1),
            b')' => (Kind::CloseParenthesis, 1),
            b'[' => (Kind::OpenBracket, 1),
            b']' => (Kind::CloseBracket, 1),
            b'{' => (Kind::OpenBrace, 1),
            b'}' => (Kind::CloseBrace, 1),
            b'"' => match text_length(rest) {
                Some(length) => (Kind::Text, length),
                None => {
                    tokens.push(token(Kind::Invalid(Problem::OpenText), at, 1));
                    break;
                }
            },
            b'0'..=b'9' => {
                let length = while_in(0, |b| b.is_ascii_digit());
                let kind = match text[at..at + length].parse::<u32>() {
                    _ if rest[0] == b'0' && length > 1 => Kind::Invalid(Problem::LeadingZero),
                    Ok(value) if value < 1 << 31 => Kind::Integer(value),
                    _ => Kind::Invalid(Problem::NumberTooLarge),
                };
                (kind, length)
            }
            b'@' => match while_in(1, is_name_part) {
                1 => (Kind::Invalid(Problem::Character), 1),
                length => (Kind::Alias, length),
            },
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                let length = while_in(0, is_name_part);
                let kind = match &rest[..length] {
                    _ if rest.get(length) == Some(&b':') => {
                        skipped = 1;
                        Kind::Header
                    }
                    b"t" => Kind::Boolean(true),
                    b"f" => Kind::Boolean(false),
                    _ => Kind::Identifier,
                };
                (kind, length)
            }
            _ => (Kind::Invalid(Problem::Character), text[at..].chars().next().map_or(1, char::len_utf8)),
        };
        tokens.push(token(kind, at, length));
        at += length + skipped;
    }
    tokens.push(token(Kind::EndOfText, text.len(), 0));
    tokens
}

fn token(kind: Kind, at: usize, length: usize) -> Token {
    Token { kind, start: at as u32, end: (at + length) as u32 }
}

/// The length of the comment that starts here, with all comments inside it.
fn comment_length(rest: &[u8]) -> Option<usize> {
    let mut depth = 0;
    let mut at = 0;
    while at < rest.len() {
        match &rest[at..] {
            [b'/', b'*', ..] => (depth, at) = (depth + 1, at + 2),
            [b'*', b'/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// The length of the string that starts here, with its quotes.
fn text_length(rest: &[u8]) -> Option<usize> {
    let mut at = 1;
    loop {
        match rest.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

/// What a string stands for.
pub(super) fn unquoted(quoted: &str) -> String {
    let inside = quoted.strip_prefix('"').and_then(|t| t.strip_suffix('"')).unwrap_or(quoted);
    let mut out = String::with_capacity(inside.len());
    let mut characters = inside.chars();
    while let Some(c) = characters.next() {
        out.push(match c {
            '\\' => match characters.next() {
                Some('n') => '\n',
                Some('t') => '\t',
                Some('r') => '\r',
                Some(other) => other,
                None => '\\',
            },
            c => c,
        });
    }
    out
}

/// A string that stands for the text.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<Kind> {
        let mut kinds: Vec<Kind> = lex(text).into_iter().map(|t| t.kind).collect();
        assert_eq!(kinds.pop(), Some(Kind::EndOfText));
        kinds
    }

    #[test]
    fn tokens() {
        use Kind::*;
        assert_eq!(
            kinds("t f tf t: foo--ABORT--"),
            [Boolean(true), Boolean(false), Identifier, Header, Identifier]
        );
        assert_eq!(kinds("0&!12|@a-b"), [Integer(0), And, Not, Integer(12), Or, Alias]);
        assert_eq!(kinds("0--BODY----END-- --ABORT--"), [Integer(0), Body, Finish, Abort]);
        assert_eq!(kinds("/* a /* b */ \" */\"x\\\"y\""), [Text]);
        assert_eq!(kinds("spot.highlight.edges: 1"), [Header, Integer(1)]);
    }

    #[test]
    fn what_is_no_token() {
        use Kind::Invalid;
        assert_eq!(kinds("007"), [Invalid(Problem::LeadingZero)]);
        assert_eq!(kinds("4000000000"), [Invalid(Problem::NumberTooLarge)]);
        assert_eq!(kinds("99999999999999999999"), [Invalid(Problem::NumberTooLarge)]);
        assert_eq!(kinds("ö @"), [Invalid(Problem::Character), Invalid(Problem::Character)]);
        assert_eq!(kinds("\"abc\\\""), [Invalid(Problem::OpenText)]);
        assert_eq!(kinds("\"abc\\"), [Invalid(Problem::OpenText)]);
        assert_eq!(kinds("/* /* */"), [Invalid(Problem::OpenComment)]);
    }

    #[test]
    fn strings() {
        assert_eq!(unquoted(r#""a \"b\" \\ c\n""#), "a \"b\" \\ c\n");
        for text in ["", "a", "\"", "\\", "a\\n\n\t\r", "é \\\""] {
            assert_eq!(unquoted(&quoted(text)), text);
        }
    }
}
