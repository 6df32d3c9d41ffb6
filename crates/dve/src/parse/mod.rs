//! From tokens to a tree. Parsing never stops at the first error: what cannot be read is reported and
//! skipped, up to the next place where something new begins (a `;`, a `}`, a keyword).
//!
//! `declarations` has variables, channels and the system line, `processes` processes, `expressions`
//! expressions.

mod declarations;
mod expressions;
mod processes;

use crate::ast;
use crate::lex::{KEYWORDS, Kind, Token, lex};
use lariat_source::{DerivedText, Diagnostic, FileId, SourceMap, Span, most_similar};

pub use expressions::MAX_HEIGHT;

/// An error has been reported.
pub(crate) struct Failed;

type Parsed<T> = Result<T, Failed>;

/// Parses a whole text; `name` stands for the file in messages.
pub fn parse_text(name: &str, text: &str, sources: &mut SourceMap) -> (ast::Model, Vec<Diagnostic>) {
    let file = sources.add(name, name, text.to_string());
    let mut parser = Parser::new(text, file);
    let model = parser.model();
    (model, parser.messages)
}

/// Parses a single expression, a proposition say.
pub fn parse_expression(
    title: &str,
    text: DerivedText,
    sources: &mut SourceMap,
) -> (ast::Expr, Vec<Diagnostic>) {
    let file = sources.add_derived(title, text);
    let text = sources.file(file).text.clone();
    let mut parser = Parser::new(&text, file);
    parser.colons = true;
    let expression = match parser.expression() {
        Ok(expression) => {
            if parser.peek() != Kind::End {
                parser.unexpected("expected an operator, or the end");
            }
            expression
        }
        Err(Failed) => parser.broken(),
    };
    (expression, parser.messages)
}

pub(crate) struct Parser<'t> {
    text: &'t str,
    tokens: Vec<Token>,
    at: usize,
    /// `P:x` is read as `P->x`, as formulas write it.
    colons: bool,
    /// How deeply expressions are nested here.
    depth: u32,
    messages: Vec<Diagnostic>,
}

impl<'t> Parser<'t> {
    fn new(text: &'t str, file: FileId) -> Parser<'t> {
        let mut messages = Vec::new();
        let tokens = lex(text, file, &mut messages);
        Parser { text, tokens, at: 0, colons: false, depth: 0, messages }
    }

    fn peek(&self) -> Kind {
        self.tokens[self.at].kind
    }

    fn span(&self) -> Span {
        self.tokens[self.at].span
    }

    /// Of the token before.
    fn span_before(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].span
    }

    fn text_at(&self, at: usize) -> &'t str {
        let span = self.tokens[at.min(self.tokens.len() - 1)].span;
        &self.text[span.start as usize..span.end as usize]
    }

    /// The next token, if it is a word; else nothing.
    fn word(&self) -> &'t str {
        if self.peek() == Kind::Word { self.text_at(self.at) } else { "" }
    }

    fn advance(&mut self) -> Span {
        let span = self.span();
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
        span
    }

    fn is_sign(&self, sign: &str) -> bool {
        matches!(self.peek(), Kind::Sign(next) if next == sign)
    }

    fn accept_sign(&mut self, sign: &str) -> bool {
        let found = self.is_sign(sign);
        if found {
            self.advance();
        }
        found
    }

    fn accept_word(&mut self, word: &str) -> bool {
        let found = self.word() == word;
        if found {
            self.advance();
        }
        found
    }

    fn sign(&mut self, sign: &str) -> Parsed<Span> {
        if self.is_sign(sign) { Ok(self.advance()) } else { self.fail(&format!("expected `{sign}`")) }
    }

    /// Reports what stands here, and what was expected instead.
    fn unexpected(&mut self, expected: &str) {
        let (message, span) = match self.peek() {
            Kind::End => ("the text ends too early".to_string(), self.span()),
            _ => (format!("unexpected `{}`", self.text_at(self.at)), self.span()),
        };
        self.messages.push(Diagnostic::error(message, span).expected(expected));
    }

    fn fail<T>(&mut self, expected: &str) -> Parsed<T> {
        self.unexpected(expected);
        Err(Failed)
    }

    fn name(&mut self, what: &str) -> Parsed<ast::Name> {
        let word = self.word();
        if word.is_empty() {
            return self.fail(&format!("expected {what}"));
        }
        if KEYWORDS.contains(&word) {
            let message = Diagnostic::error(format!("`{word}` is a keyword"), self.span());
            self.messages.push(message.expected(format!("expected {what}")).hint("choose another name"));
            return Err(Failed);
        }
        let span = self.advance();
        Ok(ast::Name { text: word.to_string(), span })
    }

    /// `a, b, c;`
    fn names(&mut self, what: &str) -> Parsed<Vec<ast::Name>> {
        let mut names = vec![self.name(what)?];
        while self.accept_sign(",") {
            names.push(self.name(what)?);
        }
        self.semicolon("`,` or `;`")?;
        Ok(names)
    }

    fn semicolon(&mut self, expected: &str) -> Parsed<()> {
        if self.accept_sign(";") { Ok(()) } else { self.fail(&format!("expected {expected}")) }
    }

    /// Says which keyword a word may be meant for.
    fn misspelt(&mut self, keywords: &[&'static str], expected: &str) {
        let word = self.word();
        let similar = most_similar(word, keywords.iter().copied()).filter(|_| !word.is_empty());
        self.unexpected(expected);
        if let (Some(keyword), Some(message)) = (similar, self.messages.last_mut()) {
            message.hint = Some(format!("did you mean `{keyword}`?"));
        }
    }

    /// The whole text.
    fn model(&mut self) -> ast::Model {
        let mut model = ast::Model::default();
        while self.peek() != Kind::End {
            let start = self.at;
            let read = match self.word() {
                "const" | "byte" | "int" => self.variables().map(|list| model.variables.extend(list)),
                "channel" => self.channels().map(|list| model.channels.extend(list)),
                "process" => self.process().map(|process| model.processes.push(process)),
                "system" => self.system().map(|system| model.system = Some(system)),
                _ => {
                    let words = ["const", "byte", "int", "channel", "process", "system"];
                    self.misspelt(&words, "expected a declaration, a process, or `system`");
                    Err(Failed)
                }
            };
            if read.is_err() {
                self.skip_to_declaration(start);
            }
        }
        model
    }

    /// To the next keyword that begins something at the top, behind what began at `start`.
    fn skip_to_declaration(&mut self, start: usize) {
        if self.at == start {
            self.advance();
        }
        let mut depth = 0;
        while self.peek() != Kind::End {
            match self.peek() {
                Kind::Sign("{") => depth += 1,
                Kind::Sign("}") => depth -= 1,
                Kind::Word if matches!(self.word(), "process" | "system") => return,
                Kind::Word if depth <= 0 && matches!(self.word(), "const" | "byte" | "int" | "channel") => {
                    return;
                }
                _ => {}
            }
            self.advance();
        }
    }

    fn broken(&self) -> ast::Expr {
        ast::Expr { kind: ast::ExprKind::Broken, span: self.span(), height: 1 }
    }
}
