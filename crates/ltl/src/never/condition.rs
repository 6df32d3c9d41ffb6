//! Conditions: Promela's expressions, of which only `&&`, `||`, `!`, constants and parentheses are taken
//! apart. What else stands between them is a proposition, named by its text in one fixed spelling (`x == 1`,
//! `len(q) > 0`, `P[1]@label`).

use super::DEEPEST_NESTING;
use super::lex::{Kind, Token};
use crate::parse::canonical_text;
use lariat_source::{Diagnostic, FileId, Span};
use std::ops::Range;

/// What a condition is made of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Condition {
    Constant(bool),
    Proposition(String),
    Not(Box<Condition>),
    All(Vec<Condition>),
    Any(Vec<Condition>),
}

/// An expression: its Boolean structure, with propositions still as tokens, and all its tokens.
struct Parsed {
    value: Value,
    tokens: Range<usize>,
}

enum Value {
    Constant(bool),
    Tokens(Range<usize>),
    Not(Box<Value>),
    All(Vec<Value>),
    Any(Vec<Value>),
}

pub(super) type Reading<T> = Result<T, Box<Diagnostic>>;

/// The tokens and how far they have been read.
pub(super) struct Cursor<'a> {
    pub tokens: Vec<Token<'a>>,
    pub at: usize,
    file: FileId,
    /// For each token, whether it has been read as an operator between two operands.
    between: Vec<bool>,
}

/// Words that start statements or end them, and so no condition.
const RESERVED: &[&str] = &[
    "active",
    "assert",
    "atomic",
    "bit",
    "bool",
    "break",
    "byte",
    "c_code",
    "c_decl",
    "c_expr",
    "c_state",
    "c_track",
    "chan",
    "d_step",
    "do",
    "else",
    "fi",
    "for",
    "goto",
    "hidden",
    "if",
    "init",
    "inline",
    "int",
    "local",
    "ltl",
    "mtype",
    "never",
    "notrace",
    "od",
    "of",
    "pid",
    "printf",
    "printm",
    "priority",
    "proctype",
    "provided",
    "return",
    "run",
    "select",
    "set_priority",
    "short",
    "show",
    "trace",
    "typedef",
    "unless",
    "unsigned",
    "xr",
    "xs",
];

/// How strongly an operator binds its operands.
fn strength(operator: &str) -> Option<u8> {
    Some(match operator {
        "||" => 1,
        "&&" => 2,
        "|" => 3,
        "^" => 4,
        "&" => 5,
        "==" | "!=" => 6,
        "<" | ">" | "<=" | ">=" => 7,
        "<<" | ">>" => 8,
        "+" | "-" => 9,
        "*" | "/" | "%" => 10,
        _ => return None,
    })
}

impl<'a> Cursor<'a> {
    pub fn new(tokens: Vec<Token<'a>>, file: FileId) -> Cursor<'a> {
        let between = vec![false; tokens.len()];
        Cursor { tokens, at: 0, file, between }
    }

    pub fn token(&self) -> &Token<'a> {
        &self.tokens[self.at]
    }

    pub fn text(&self) -> &'a str {
        self.token().text
    }

    /// The text of the token after the current one.
    pub fn next_text(&self) -> &'a str {
        self.tokens.get(self.at + 1).map_or("", |token| token.text)
    }

    /// `P:x`, without spaces: the variable of a process, rather than a label and a statement.
    pub fn is_remote_reference(&self) -> bool {
        self.tokens.get(self.at..self.at + 3).is_some_and(|tokens| {
            tokens[2].kind == Kind::Name && tokens.windows(2).all(|pair| pair[0].end() == pair[1].start)
        })
    }

    pub fn advance(&mut self) {
        if self.token().kind != Kind::End {
            self.at += 1;
        }
    }

    /// Is this the current token (not in quotes)?
    pub fn is(&self, text: &str) -> bool {
        matches!(self.token().kind, Kind::Name | Kind::Operator) && self.text() == text
    }

    pub fn accept(&mut self, text: &str) -> bool {
        let found = self.is(text);
        if found {
            self.advance();
        }
        found
    }

    pub fn span(&self) -> Span {
        self.span_of(self.at..self.at + 1)
    }

    pub fn span_of(&self, tokens: Range<usize>) -> Span {
        let last = tokens.end.saturating_sub(1).max(tokens.start);
        Span::new(self.file, self.tokens[tokens.start].start as u32, self.tokens[last].end() as u32)
    }

    pub fn expect(&mut self, text: &str) -> Reading<()> {
        if self.accept(text) { Ok(()) } else { self.unexpected(&format!("`{text}`")) }
    }

    pub fn unexpected<T>(&self, expected: &str) -> Reading<T> {
        let found = self.text();
        let message = match self.token().kind {
            Kind::End => format!("expected {expected}, but the text ends here"),
            Kind::Invalid if found.starts_with("/*") => "this comment does not end".to_string(),
            Kind::Invalid if found.starts_with('"') => "this string does not end".to_string(),
            Kind::Invalid => format!("`{found}` means nothing here"),
            _ => format!("expected {expected}, found `{found}`"),
        };
        let mut span = self.span();
        if self.token().kind == Kind::Invalid {
            span.end = span.end.min(span.start + 2);
        }
        Err(Box::new(Diagnostic::error(message, span).expected(format!("expected {expected}"))))
    }

    pub fn check_depth(&self, depth: u32) -> Reading<()> {
        if depth < DEEPEST_NESTING {
            return Ok(());
        }
        let hint = format!("up to {DEEPEST_NESTING} levels are read");
        Err(Box::new(Diagnostic::error("this is nested too deep", self.span()).hint(hint)))
    }

    /// The longest condition that starts here.
    pub fn condition(&mut self) -> Reading<Condition> {
        let parsed = self.operands(1, 0)?;
        Ok(self.resolved(parsed.value))
    }

    fn resolved(&self, value: Value) -> Condition {
        let all = |parts: Vec<Value>| parts.into_iter().map(|part| self.resolved(part)).collect();
        match value {
            Value::Constant(value) => Condition::Constant(value),
            Value::Tokens(tokens) => Condition::Proposition(self.spelled(tokens)),
            Value::Not(inner) => Condition::Not(Box::new(self.resolved(*inner))),
            Value::All(parts) => Condition::All(all(parts)),
            Value::Any(parts) => Condition::Any(all(parts)),
        }
    }

    /// Tokens in the spelling that propositions have everywhere.
    fn spelled(&self, tokens: Range<usize>) -> String {
        if let [only] = &self.tokens[tokens.clone()]
            && only.kind == Kind::Text
        {
            return canonical_text(only.text.trim_matches('"'));
        }
        let mut text = String::new();
        for at in tokens {
            match self.tokens[at].text {
                "," => text.push_str(", "),
                operator if self.between[at] => text.extend([" ", operator, " "]),
                other => text.push_str(other),
            }
        }
        canonical_text(&text)
    }

    /// Operands with operators between that bind at least so strongly.
    fn operands(&mut self, least: u8, depth: u32) -> Reading<Parsed> {
        let mut left = self.operand(depth)?;
        while self.token().kind == Kind::Operator
            && let Some(strength) = strength(self.text()).filter(|&strength| strength >= least)
        {
            let operator = self.text();
            self.between[self.at] = true;
            self.advance();
            let right = self.operands(strength + 1, depth)?;
            let tokens = left.tokens.start..right.tokens.end;
            let value = match (operator, left.value) {
                // A chain stays flat, however long it is.
                ("&&", Value::All(mut parts)) => {
                    parts.push(right.value);
                    Value::All(parts)
                }
                ("||", Value::Any(mut parts)) => {
                    parts.push(right.value);
                    Value::Any(parts)
                }
                ("&&", left) => Value::All(vec![left, right.value]),
                ("||", left) => Value::Any(vec![left, right.value]),
                _ => Value::Tokens(tokens.clone()),
            };
            left = Parsed { value, tokens };
        }
        Ok(left)
    }

    fn operand(&mut self, depth: u32) -> Reading<Parsed> {
        self.check_depth(depth)?;
        let start = self.at;
        let kind = self.token().kind;
        let value = match self.text() {
            "!" if kind == Kind::Operator => {
                let mut negated = false;
                while self.accept("!") {
                    negated = !negated;
                }
                let inner = self.operand(depth + 1)?.value;
                match (negated, inner) {
                    (true, Value::Constant(value)) => Value::Constant(!value),
                    (true, inner) => Value::Not(Box::new(inner)),
                    (false, inner) => inner,
                }
            }
            "-" | "~" if kind == Kind::Operator => {
                self.advance();
                self.operand(depth + 1)?;
                Value::Tokens(start..self.at)
            }
            "(" if kind == Kind::Operator => self.parenthesis(depth)?,
            "true" | "skip" if kind == Kind::Name => {
                self.advance();
                Value::Constant(true)
            }
            "false" if kind == Kind::Name => {
                self.advance();
                Value::Constant(false)
            }
            word if kind == Kind::Name && !RESERVED.contains(&word) => {
                self.advance();
                self.suffixes(depth)?;
                Value::Tokens(start..self.at)
            }
            "run" if kind == Kind::Name => {
                return Err(Box::new(
                    Diagnostic::error("a claim may not start processes", self.span())
                        .expected("expected a condition"),
                ));
            }
            "c_expr" if kind == Kind::Name => {
                return Err(Box::new(Diagnostic::error(
                    "embedded C is not supported in claims",
                    self.span(),
                )));
            }
            number if kind == Kind::Number => {
                self.advance();
                Value::Constant(number.bytes().any(|b| b != b'0'))
            }
            _ if kind == Kind::Text => {
                self.advance();
                Value::Tokens(start..self.at)
            }
            _ => return self.unexpected("a condition"),
        };
        Ok(Parsed { value, tokens: start..self.at })
    }

    /// `(a)` or `(a -> b : c)`.
    fn parenthesis(&mut self, depth: u32) -> Reading<Value> {
        let open = self.at;
        self.advance();
        let inside = self.operands(1, depth + 1)?;
        if !self.is("->") {
            if !self.is(")") {
                return self.unexpected("`)` or an operator").map_err(|error| {
                    Box::new(error.also(self.span_of(open..open + 1), "to close this parenthesis"))
                });
            }
            self.advance();
            return Ok(inside.value);
        }
        self.between[self.at] = true;
        self.advance();
        self.operands(1, depth + 1)?;
        if self.is(":") {
            self.between[self.at] = true;
        }
        self.expect(":")?;
        self.operands(1, depth + 1)?;
        self.expect(")")?;
        Ok(Value::Tokens(open..self.at))
    }

    /// What may follow a name: an index, a field, arguments, a label or variable of a process, a question to
    /// a channel.
    fn suffixes(&mut self, depth: u32) -> Reading<()> {
        loop {
            let (before, here) = (&self.tokens[self.at - 1], self.token());
            let joined = before.end() == here.start && here.kind == Kind::Operator;
            match self.text() {
                "[" if here.kind == Kind::Operator => {
                    self.advance();
                    self.operands(1, depth + 1)?;
                    self.expect("]")?;
                }
                "(" if here.kind == Kind::Operator && !here.newline_before => {
                    self.advance();
                    self.arguments(")", depth)?;
                }
                "." | "@" => {
                    self.advance();
                    if self.token().kind != Kind::Name {
                        return self.unexpected("a name");
                    }
                    self.advance();
                }
                ":" if joined && self.tokens[self.at + 1].kind == Kind::Name => {
                    self.advance();
                    self.advance();
                }
                "?" | "??" if self.next_text() == "[" => {
                    self.advance();
                    self.advance();
                    self.arguments("]", depth)?;
                }
                _ => return Ok(()),
            }
        }
    }

    fn arguments(&mut self, close: &str, depth: u32) -> Reading<()> {
        while !self.accept(close) {
            self.operands(1, depth + 1)?;
            if !self.is(close) {
                self.expect(",")?;
            }
        }
        Ok(())
    }
}
