//! From text to tokens, each with its place.

use super::TextError;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind<'t> {
    Word(&'t str),
    Number(u64),
    Text(String),
    Symbol(&'static str),
    /// The end of a line that has something on it.
    LineEnd,
    TextEnd,
}

impl std::fmt::Display for Kind<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Kind::Word(word) => write!(f, "`{word}`"),
            Kind::Number(number) => write!(f, "{number}"),
            Kind::Text(text) => write!(f, "the string {text:?}"),
            Kind::Symbol(symbol) => write!(f, "`{symbol}`"),
            Kind::LineEnd => write!(f, "the end of the line"),
            Kind::TextEnd => write!(f, "the end of the text"),
        }
    }
}

#[derive(Clone, Debug)]
pub struct Token<'t> {
    pub kind: Kind<'t>,
    pub line: u32,
    pub column: u32,
}

/// Longer ones first.
const SYMBOLS: [&str; 34] = [
    "->", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+", "-", "*", "/", "%", "&", "|", "^", "<", ">",
    "!", "~", "(", ")", "[", "]", "{", "}", ",", ":", ".", "#", "@", "?", "=",
];

/// The tokens of a text; the last one is [`Kind::TextEnd`].
pub fn tokens(text: &str) -> Result<Vec<Token<'_>>, TextError> {
    let mut tokens = Vec::new();
    let mut line = 0u32;
    for content in text.split('\n') {
        line = line.saturating_add(1);
        let before = tokens.len();
        let mut scanner = Scanner { rest: content, line, column: 1 };
        while let Some(token) = scanner.next()? {
            tokens.push(token);
        }
        if tokens.len() > before {
            tokens.push(Token { kind: Kind::LineEnd, line, column: scanner.column });
        }
    }
    tokens.push(Token { kind: Kind::TextEnd, line, column: 1 });
    Ok(tokens)
}

/// What is left of a line.
struct Scanner<'t> {
    rest: &'t str,
    line: u32,
    column: u32,
}

impl<'t> Scanner<'t> {
    fn error<T>(&self, message: impl Into<String>) -> Result<T, TextError> {
        Err(TextError { line: self.line, column: self.column, message: message.into() })
    }

    /// Takes so many bytes, which end at a character's end.
    fn take(&mut self, bytes: usize) -> &'t str {
        let (taken, rest) = self.rest.split_at(bytes);
        self.rest = rest;
        self.column = self.column.saturating_add(taken.chars().count() as u32);
        taken
    }

    fn take_while(&mut self, belongs: impl Fn(char) -> bool) -> &'t str {
        self.take(self.rest.find(|c| !belongs(c)).unwrap_or(self.rest.len()))
    }

    fn next(&mut self) -> Result<Option<Token<'t>>, TextError> {
        self.take_while(|c| matches!(c, ' ' | '\t' | '\r'));
        let (line, column) = (self.line, self.column);
        let Some(first) = self.rest.chars().next() else { return Ok(None) };
        let kind = match first {
            ';' => return Ok(None),
            '"' => Kind::Text(self.string()?),
            '0'..='9' => {
                let digits = self.take_while(|c| c.is_ascii_digit());
                match digits.parse() {
                    Ok(number) => Kind::Number(number),
                    Err(_) => return self.error(format!("the number {digits} is too large")),
                }
            }
            'a'..='z' | 'A'..='Z' | '_' => {
                Kind::Word(self.take_while(|c| c.is_ascii_alphanumeric() || c == '_'))
            }
            _ => match SYMBOLS.iter().find(|symbol| self.rest.starts_with(**symbol)) {
                Some(symbol) => {
                    self.take(symbol.len());
                    Kind::Symbol(symbol)
                }
                None => return self.error(format!("unexpected character {first:?}")),
            },
        };
        Ok(Some(Token { kind, line, column }))
    }

    fn string(&mut self) -> Result<String, TextError> {
        self.take(1);
        let mut text = String::new();
        loop {
            text.push_str(self.take_while(|c| c != '"' && c != '\\'));
            match self.rest.chars().next() {
                Some('"') => {
                    self.take(1);
                    return Ok(text);
                }
                Some(_) => text.push(self.escape()?),
                None => return self.error("expected `\"`: the string does not end on its line"),
            }
        }
    }

    fn escape(&mut self) -> Result<char, TextError> {
        const EXPECTED: &str = "expected one of the escapes \\\" \\\\ \\n \\t \\r \\u{…}";
        let plain = match self.rest.as_bytes().get(1) {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'n') => '\n',
            Some(b't') => '\t',
            Some(b'r') => '\r',
            _ => {
                let digits = self
                    .rest
                    .strip_prefix("\\u{")
                    .and_then(|rest| rest.split_once('}'))
                    .map(|(digits, _)| digits);
                let code = digits
                    .filter(|digits| {
                        (1..=6).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_hexdigit())
                    })
                    .and_then(|digits| u32::from_str_radix(digits, 16).ok())
                    .and_then(char::from_u32);
                let (Some(digits), Some(code)) = (digits, code) else { return self.error(EXPECTED) };
                self.take(digits.len() + 4);
                return Ok(code);
            }
        };
        self.take(2);
        Ok(plain)
    }
}
