//! The parser's hold on its tokens: what comes next, where separators are implied, what to do after an error.
//!
//! Spin makes most semicolons optional in its lexer: at a line break outside parentheses, after a token that
//! may end a statement, it inserts one. That is done here in `peek`, because a line break thereby also ends
//! an expression (`x = a`, line break, `- b` are two statements). Spin's further rules (a semicolon after `}`
//! and after `else`, none before `}`) are left to the place where sequences are read, where they amount to:
//! the separator may be missing.
//!
//! An error is reported where it is found and travels up as `Failed` to the statement or unit, which skips to
//! a place where reading can go on. So a statement has at most one error.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use lariat_source::{Diagnostic, Span};

use super::inlines::{Inline, InlineCall};
use crate::ast::{Name, Step};
use crate::token::{BaseType, Kind, Token};

/// An error has been reported; what was being read cannot be had.
#[derive(Debug)]
pub(super) struct Failed;

pub(super) type Parse<T> = Result<T, Failed>;

/// How deeply statements, expressions and inline calls may be nested, together. An expression counts 1 (a
/// pair of parentheses 2), a statement more, as it takes more of the stack.
const MAX_DEPTH: u32 = 600;

/// What a statement counts.
const STATEMENT_DEPTH: u32 = 6;

/// A construct that waits for its end.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Opener {
    Brace,
    If,
    Do,
}

pub(super) struct Parser {
    tokens: Vec<Token>,
    pub position: usize,
    /// The last token taken (`Semicolon` after an implied one).
    pub last: Kind,
    pub last_span: Span,
    /// Open parentheses: inside, line breaks separate nothing.
    pub parentheses: u32,
    /// Inside a body or a typedef, where line breaks may separate.
    pub in_sequence: bool,
    pub diagnostics: Vec<Diagnostic>,
    depth: u32,
    /// The height of the expression tree read last.
    pub height: u32,

    pub types: HashSet<Rc<str>>,
    pub processes: HashSet<Rc<str>>,
    /// Names that have been declared as arrays, somewhere.
    pub arrays: HashSet<Rc<str>>,
    pub inlines: HashMap<Rc<str>, Rc<Inline>>,
    /// The inline calls being read, innermost last.
    pub inline_calls: Vec<InlineCall>,
    /// How many tokens inline calls have produced.
    pub inlined_tokens: usize,

    pub openers: Vec<Opener>,
    /// Loops around the current statement.
    pub loops: u32,
    /// Inside the first argument of a send, after which `(` may follow.
    pub in_message: bool,
    /// Steps to follow the statement that is being read.
    pub pending: Vec<Step>,
    /// An error has been reported after which nothing in the unit can be judged (a brace is missing).
    pub unit_is_broken: bool,
    pub unnamed_formulas: u32,
    /// Names in declarations that could not be read.
    pub unread: HashSet<String>,
}

/// A place to come back to.
pub(super) struct Mark {
    position: usize,
    last: Kind,
    last_span: Span,
    parentheses: u32,
    diagnostics: usize,
}

impl Parser {
    /// `tokens` end with an `End`.
    pub fn new(tokens: Vec<Token>, diagnostics: Vec<Diagnostic>) -> Parser {
        Parser {
            tokens,
            position: 0,
            last: Kind::Semicolon,
            last_span: Span::default(),
            parentheses: 0,
            in_sequence: false,
            diagnostics,
            depth: 0,
            height: 0,
            types: HashSet::new(),
            processes: HashSet::new(),
            arrays: HashSet::new(),
            inlines: HashMap::new(),
            inline_calls: Vec::new(),
            inlined_tokens: 0,
            openers: Vec::new(),
            loops: 0,
            in_message: false,
            pending: Vec::new(),
            unit_is_broken: false,
            unnamed_formulas: 0,
            unread: HashSet::new(),
        }
    }

    // ---- tokens ----

    /// The next token of the text, past any implied separator.
    pub fn token(&self) -> &Token {
        self.token_after(0)
    }

    /// The token `distance` after the next one; at the end, the `End`.
    pub fn token_after(&self, distance: usize) -> &Token {
        &self.tokens[(self.position + distance).min(self.tokens.len() - 1)]
    }

    pub fn kind_after(&self, distance: usize) -> Kind {
        self.token_after(distance).kind
    }

    pub fn separator_is_implied(&self) -> bool {
        let token = self.token();
        token.newline_before
            && self.in_sequence
            && self.parentheses == 0
            && self.last.may_end_statement()
            && token.kind != Kind::End
            && !(self.last == Kind::CloseBrace && token.kind == Kind::Unless)
            && !(self.last == Kind::Name && self.last_is_special_name())
    }

    /// A type's, proctype's or inline's name does not end a statement.
    fn last_is_special_name(&self) -> bool {
        let Some(last) = self.position.checked_sub(1).and_then(|at| self.tokens.get(at)) else {
            return false;
        };
        self.types.contains(&last.text)
            || self.processes.contains(&last.text)
            || self.inlines.contains_key(&last.text)
    }

    /// What comes next: a token, or `Semicolon` for an implied separator.
    pub fn peek(&self) -> Kind {
        if self.separator_is_implied() { Kind::Semicolon } else { self.token().kind }
    }

    /// Takes the next token, or the implied separator before it.
    pub fn advance(&mut self) {
        if self.separator_is_implied() {
            self.last = Kind::Semicolon;
            return;
        }
        let token = self.token();
        (self.last, self.last_span) = (token.kind, token.span);
        if self.position + 1 < self.tokens.len() {
            self.position += 1;
        }
    }

    /// Takes the next token of the text and returns its span.
    pub fn bump(&mut self) -> Span {
        let span = self.token().span;
        if self.separator_is_implied() {
            self.advance();
        }
        self.advance();
        span
    }

    /// Reads the next token of the text as another.
    pub fn replace_token(&mut self, kind: Kind, text: &str) {
        let at = self.position;
        (self.tokens[at].kind, self.tokens[at].text) = (kind, text.into());
    }

    pub fn accept(&mut self, kind: Kind) -> bool {
        let found = self.peek() == kind;
        if found {
            self.advance();
        }
        found
    }

    /// Takes the token `kind` or reports that it is missing; `what` says what for.
    pub fn expect(&mut self, kind: Kind, what: &str) -> Parse<Span> {
        if self.peek() == kind { Ok(self.bump()) } else { Err(self.unexpected(what)) }
    }

    pub fn open_parenthesis(&mut self, after: &str) -> Parse<Span> {
        let span = self.expect(Kind::OpenParen, &format!("`(` after {after}"))?;
        self.parentheses += 1;
        Ok(span)
    }

    pub fn close_parenthesis(&mut self, open: Span) -> Parse<Span> {
        if self.peek() != Kind::CloseParen {
            let error = self.error_here("`)`").also(open, "to close this `(`");
            let error = self.with_operator_hint(error);
            return Err(self.fail(error));
        }
        self.parentheses = self.parentheses.saturating_sub(1);
        Ok(self.bump())
    }

    /// A name; `what` says of what.
    pub fn name(&mut self, what: &str) -> Parse<Name> {
        if self.peek() == Kind::Name {
            let text = self.token().text.to_string();
            let span = self.bump();
            return Ok(Name { text, span });
        }
        let mut error = self.error_here(what);
        let token = self.token();
        if token.is_keyword() && !self.separator_is_implied() {
            error = error.hint(format!("`{}` is a keyword and cannot be a name", token.text));
        }
        Err(self.fail(error))
    }

    // ---- going back ----

    pub fn mark(&self) -> Mark {
        Mark {
            position: self.position,
            last: self.last,
            last_span: self.last_span,
            parentheses: self.parentheses,
            diagnostics: self.diagnostics.len(),
        }
    }

    pub fn reset(&mut self, mark: Mark) {
        self.position = mark.position;
        self.last = mark.last;
        self.last_span = mark.last_span;
        self.parentheses = mark.parentheses;
        self.diagnostics.truncate(mark.diagnostics);
    }

    /// Reads `tokens` (which end with an `End`) in place of the rest of the text.
    pub fn reading<T>(&mut self, tokens: Vec<Token>, read: impl FnOnce(&mut Self) -> T) -> T {
        let outer_tokens = std::mem::replace(&mut self.tokens, tokens);
        let outer_position = std::mem::replace(&mut self.position, 0);
        let outer_parentheses = std::mem::replace(&mut self.parentheses, 0);
        self.last = Kind::Semicolon;
        let result = read(self);
        self.tokens = outer_tokens;
        self.position = outer_position;
        self.parentheses = outer_parentheses;
        result
    }

    /// The tokens from `start` to the current position.
    pub fn tokens_since(&self, start: usize) -> &[Token] {
        &self.tokens[start..self.position]
    }

    // ---- nesting ----

    /// Runs `read` one level deeper, or reports that the text is nested too deeply.
    pub fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        self.deeper_by(1, read)
    }

    pub fn in_statement<T>(&mut self, read: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        self.deeper_by(STATEMENT_DEPTH, read)
    }

    fn deeper_by<T>(&mut self, levels: u32, read: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.depth + levels > MAX_DEPTH {
            let span = self.token().span;
            let failed = self.fail(Diagnostic::error("this is nested too deeply", span));
            // What is skipped now cannot be told apart; errors after it would be guesses.
            self.unit_is_broken = true;
            return Err(failed);
        }
        self.depth += levels;
        let result = read(self);
        self.depth -= levels;
        result
    }

    // ---- errors ----

    pub fn fail(&mut self, error: Diagnostic) -> Failed {
        self.report(error);
        Failed
    }

    /// Reports an error, unless it is about something that has been reported already.
    pub fn report(&mut self, error: Diagnostic) {
        let token = self.token();
        let token_is_reported =
            token.kind == Kind::Invalid || (token.kind == Kind::End && self.is_cut_short());
        let about_token = token_is_reported && token.span == error.span();
        let same_place =
            self.diagnostics.last().is_some_and(|last| last.is_error() && last.span() == error.span());
        if !self.unit_is_broken && !about_token && !same_place {
            self.diagnostics.push(error);
        }
    }

    /// Whether an error ate the end of the text (a macro call that does not end).
    fn is_cut_short(&self) -> bool {
        self.tokens.len() > 1 && self.tokens[self.tokens.len() - 2].kind == Kind::Invalid
    }

    /// Reports that something else should come next.
    pub fn unexpected(&mut self, expected: &str) -> Failed {
        let error = self.error_here(expected);
        let error = self.with_operator_hint(error);
        self.fail(error)
    }

    /// "expected …, found …" at the next token.
    pub fn error_here(&self, expected: &str) -> Diagnostic {
        let token = self.token();
        if self.separator_is_implied() {
            let end = Span { start: self.last_span.end, ..self.last_span };
            return Diagnostic::error(format!("expected {expected}, found the end of the line"), end)
                .hint("a line break ends the statement here; break the line after an operator or within parentheses");
        }
        Diagnostic::error(format!("expected {expected}, found {}", token.describe()), token.span)
    }

    /// Guesses what an operator of another language was meant to be.
    pub fn with_operator_hint(&self, error: Diagnostic) -> Diagnostic {
        if error.hint.is_some() {
            return error;
        }
        let token = self.token();
        let next = self.token_after(1);
        let hint = match (token.kind, &*token.text) {
            (Kind::Assign, _) if next.kind == Kind::Greater && !next.space_before => {
                "`>=` is written with `>` first"
            }
            (Kind::Assign, _) if matches!(self.last, Kind::Plus | Kind::Minus | Kind::Star | Kind::Slash) => {
                "there is no such assignment; write `x = x + y`"
            }
            (Kind::Assign, _) if self.last == Kind::Colon && !token.space_before => "`:=` is written `=`",
            (Kind::Assign, _) if self.parentheses > 0 => {
                "`==` compares; `=` assigns, which only a statement of its own can do"
            }
            (Kind::Assign, _) => "`==` compares; `=` assigns, and only to a variable",
            (Kind::Name, "and") => "the operator is written `&&`",
            (Kind::Name, "or") => "the operator is written `||`",
            (Kind::Name, "mod") => "the operator is written `%`",
            (Kind::Name, text) if self.last == Kind::Number(0) && text.starts_with(['x', 'X']) => {
                "numbers are decimal; there are no hexadecimal ones"
            }
            (Kind::Question, _) => "a conditional expression is written `(condition -> a : b)`",
            (Kind::BangBang, _) => "`!!` is the sorted send; negate twice with `! !x`",
            (Kind::Arrow, _) if self.parentheses == 0 => {
                "a conditional expression stands in parentheses: `(c -> a : b)`"
            }
            _ => return error,
        };
        error.hint(hint)
    }

    // ---- recovery ----

    /// After an error: skips to the end of the statement that started at `start`.
    pub fn skip_statement(&mut self, start: usize) {
        let mut parentheses = std::mem::take(&mut self.parentheses);
        let mut nesting = 0u32;
        loop {
            let token = self.token();
            let moved = self.position > start;
            match token.kind {
                Kind::End => break,
                kind if kind.starts_unit() => break,
                _ if moved && nesting == 0 && parentheses == 0 && token.newline_before => break,
                Kind::Semicolon if nesting == 0 => break,
                Kind::Arrow if nesting == 0 && parentheses == 0 => break,
                Kind::ColonColon if nesting == 0 => break,
                Kind::CloseBrace | Kind::Fi | Kind::Od if nesting == 0 => break,
                Kind::OpenBrace | Kind::If | Kind::Do => nesting += 1,
                Kind::CloseBrace | Kind::Fi | Kind::Od => nesting -= 1,
                Kind::OpenParen => parentheses += 1,
                Kind::CloseParen => parentheses = parentheses.saturating_sub(1),
                _ => {}
            }
            self.bump();
            // A block that was skipped whole ends the statement, unless `unless` goes on.
            if nesting == 0
                && matches!(self.last, Kind::CloseBrace | Kind::Fi | Kind::Od)
                && self.token().kind != Kind::Unless
            {
                break;
            }
        }
        self.parentheses = 0;
        // Whatever follows is a new statement.
        self.last = Kind::CloseBrace;
    }

    /// After an error in a proctype's parameters, which start at `start`: skips to behind their `)`, if it is
    /// there.
    pub fn skip_parameters(&mut self, start: usize) -> bool {
        let mut nesting = 1u32;
        loop {
            let kind = self.token().kind;
            match kind {
                Kind::OpenParen => nesting += 1,
                Kind::CloseParen => nesting -= 1,
                Kind::OpenBrace | Kind::CloseBrace | Kind::End => return false,
                kind if kind.starts_unit() => return false,
                _ => {}
            }
            self.bump();
            if nesting == 0 {
                break;
            }
        }
        self.parentheses = 0;
        self.note_unread(start);
        true
    }

    /// Notes the names since `start`, which are in a declaration that could not be read; those in a body are
    /// not noted.
    pub fn note_unread(&mut self, start: usize) {
        let in_list = self.tokens[start].kind == Kind::Type(BaseType::Mtype);
        let skipped = self.tokens[start..self.position].iter();
        let head = skipped.take_while(|token| in_list || token.kind != Kind::OpenBrace);
        self.unread.extend(head.filter(|token| token.kind == Kind::Name).map(|token| token.text.to_string()));
    }

    /// After an error that hides where the unit ends: skips to a word that can only start a unit.
    pub fn skip_to_unit(&mut self) {
        while self.token().kind != Kind::End && !self.token().kind.starts_unit() {
            self.bump();
        }
    }

    /// After an error: skips to what looks like the start of a unit.
    pub fn skip_unit(&mut self, start: usize) {
        self.parentheses = 0;
        self.in_sequence = false;
        let mut nesting = 0u32;
        loop {
            let token = self.token();
            let moved = self.position > start;
            match token.kind {
                Kind::End => break,
                kind if moved && kind.starts_unit() => break,
                Kind::Type(_) | Kind::Hidden | Kind::Show | Kind::Local
                    if moved && nesting == 0 && token.newline_before =>
                {
                    break;
                }
                Kind::Semicolon if nesting == 0 => break,
                Kind::OpenBrace => nesting += 1,
                Kind::CloseBrace => nesting = nesting.saturating_sub(1),
                _ => {}
            }
            self.bump();
        }
    }
}
