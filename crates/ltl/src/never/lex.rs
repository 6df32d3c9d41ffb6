//! The tokens of a claim: those of Promela, without the preprocessor. Lines that start with `#` are passed
//! over: what they define keeps its name here.

use std::ops::Range;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Name,
    Number,
    /// A string, with its quotes.
    Text,
    Operator,
    /// A character that starts no token, or a comment or string without an end.
    Invalid,
    End,
}

#[derive(Clone, Debug)]
pub(super) struct Token<'a> {
    pub kind: Kind,
    pub text: &'a str,
    pub start: usize,
    pub newline_before: bool,
}

impl Token<'_> {
    pub fn end(&self) -> usize {
        self.start + self.text.len()
    }
}

/// Longer ones first.
const OPERATORS: &[&str] = &[
    "&&", "||", "->", "::", "==", "!=", "<=", ">=", "<<", ">>", "++", "--", "??", "!", "?", "=", "<", ">",
    "&", "|", "^", "~", "+", "-", "*", "/", "%", "(", ")", "[", "]", "{", "}", ";", ":", ",", ".", "@",
];

/// All tokens, with an `End` at their end, and where the comments are (without their marks).
pub(super) fn lex(text: &str) -> (Vec<Token<'_>>, Vec<Range<usize>>) {
    let bytes = text.as_bytes();
    let mut tokens: Vec<Token> = Vec::new();
    let mut comments = Vec::new();
    let mut newline_before = true;
    let mut at = 0;
    while at < bytes.len() {
        let rest = &text[at..];
        let line_length = || rest.find('\n').unwrap_or(rest.len());
        let length_while =
            |belongs: fn(u8) -> bool| rest.bytes().position(|b| !belongs(b)).unwrap_or(rest.len());
        let (kind, length) = match bytes[at] {
            b'\n' => {
                newline_before = true;
                at += 1;
                continue;
            }
            b if b.is_ascii_whitespace() => {
                at += 1;
                continue;
            }
            b'/' if rest.starts_with("//") => {
                let length = line_length();
                comments.push(at + 2..at + length);
                at += length;
                continue;
            }
            b'/' if rest.starts_with("/*") => match rest[2..].find("*/") {
                Some(length) => {
                    comments.push(at + 2..at + 2 + length);
                    newline_before |= rest[..length + 2].contains('\n');
                    at += length + 4;
                    continue;
                }
                None => (Kind::Invalid, rest.len()),
            },
            b'#' if newline_before => {
                at += directive_length(rest);
                continue;
            }
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                (Kind::Name, length_while(|b| b.is_ascii_alphanumeric() || b == b'_'))
            }
            b'0'..=b'9' => (Kind::Number, length_while(|b| b.is_ascii_digit())),
            b'"' => match rest[1..].find(['"', '\n']) {
                Some(length) if bytes[at + 1 + length] == b'"' => (Kind::Text, length + 2),
                Some(length) => (Kind::Invalid, length + 1),
                None => (Kind::Invalid, rest.len()),
            },
            b'\'' => match &bytes[at..] {
                [_, b' '..=b'~', b'\'', ..] => (Kind::Number, 3),
                [_, b'\\', b' '..=b'~', b'\'', ..] => (Kind::Number, 4),
                _ => (Kind::Invalid, 1),
            },
            _ => match OPERATORS.iter().find(|operator| rest.starts_with(**operator)) {
                Some(operator) => (Kind::Operator, operator.len()),
                None => (Kind::Invalid, rest.chars().next().map_or(1, char::len_utf8)),
            },
        };
        tokens.push(Token { kind, text: &rest[..length], start: at, newline_before });
        newline_before = false;
        at += length;
    }
    tokens.push(Token { kind: Kind::End, text: "", start: text.len(), newline_before: true });
    (tokens, comments)
}

/// A line, and the next one if it ends in a backslash.
fn directive_length(rest: &str) -> usize {
    let mut length = 0;
    for line in rest.split_inclusive('\n') {
        length += line.len();
        if !line.trim_end().ends_with('\\') {
            break;
        }
    }
    // The line break itself stays: what follows is on a new line.
    length - usize::from(rest[..length].ends_with('\n'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens() {
        let (tokens, comments) =
            lex("#define p \\\n (x==1)\nnever { /* c */ a&&!b // d\n 'x' \"q\" ?? \"open\n");
        let texts: Vec<&str> = tokens.iter().map(|token| token.text).collect();
        assert_eq!(texts, ["never", "{", "a", "&&", "!", "b", "'x'", "\"q\"", "??", "\"open", ""]);
        assert_eq!(tokens[9].kind, Kind::Invalid);
        assert_eq!(comments.len(), 2);
        let breaks: Vec<bool> = tokens.iter().map(|token| token.newline_before).collect();
        assert_eq!(breaks, [true, false, false, false, false, false, true, false, false, false, true]);
        for text in ["/* open", "\"", "'", "é", "#", "a#b"] {
            lex(text);
        }
    }
}
