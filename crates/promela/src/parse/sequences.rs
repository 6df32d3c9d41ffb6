//! What contains statements: blocks, `if`, `do`, `for`.
//!
//! Between statements a separator (`;` or `->`) must stand, or be implied by a line break. After a `}` and
//! after `else` Spin puts one where it is missing; and a line break between two complete statements always
//! does here.

use lariat_source::{Diagnostic, Span};

use super::cursor::{Opener, Parse, Parser};
use crate::ast::{ForRange, Sequence, Statement, StatementKind, Step};
use crate::token::{BaseType, Kind};

impl Parser {
    /// `{ step; … }`, or a report of the missing `{`.
    pub fn block(&mut self) -> Parse<Sequence> {
        if self.token().kind != Kind::OpenBrace {
            return Err(self.unexpected("`{`"));
        }
        let open = self.bump();
        self.openers.push(Opener::Brace);
        let mut steps = Vec::new();
        let close = loop {
            steps.append(&mut self.steps());
            let token = self.token().clone();
            match token.kind {
                Kind::CloseBrace => break self.bump(),
                Kind::ColonColon | Kind::Fi | Kind::Od if !self.belongs_outside(token.kind) => {
                    let opener = if token.kind == Kind::Od { "`do`" } else { "`if`" };
                    let message = match token.kind {
                        Kind::ColonColon => "`::` outside of `if` and `do`".to_string(),
                        _ => format!("`{}` without {opener}", token.text),
                    };
                    self.report(Diagnostic::error(message, token.span));
                    self.bump();
                }
                _ => {
                    let error = self.error_here("`}`").also(open, "to close this `{`");
                    self.report(error);
                    self.unit_is_broken |= !matches!(token.kind, Kind::ColonColon | Kind::Fi | Kind::Od);
                    break self.last_span;
                }
            }
        };
        self.openers.pop();
        let span = open.to(close);
        if steps.is_empty() {
            self.report(
                Diagnostic::error("nothing stands between these braces", span)
                    .hint("write `skip` for doing nothing"),
            );
        }
        Ok(Sequence { steps, span })
    }

    /// Whether an `if` or `do` around the innermost block can own this `::`, `fi` or `od`.
    fn belongs_outside(&self, kind: Kind) -> bool {
        let around = self.openers.iter().rev().skip(1);
        match kind {
            Kind::Fi => around.clone().any(|opener| *opener == Opener::If),
            Kind::Od => around.clone().any(|opener| *opener == Opener::Do),
            _ => around.clone().any(|opener| *opener != Opener::Brace),
        }
    }

    fn at_sequence_end(&self) -> bool {
        let kind = self.token().kind;
        matches!(kind, Kind::CloseBrace | Kind::ColonColon | Kind::Fi | Kind::Od | Kind::End)
            || kind.starts_unit()
    }

    /// Steps up to something that can only end a sequence.
    fn steps(&mut self) -> Vec<Step> {
        let mut steps = Vec::new();
        loop {
            while self.peek().is_separator() {
                self.advance();
            }
            if self.at_sequence_end() {
                return steps;
            }
            self.mend_step();
            let start = self.position;
            let span = self.token().span;
            let declares = self.declaration_follows(self.token().kind) || self.kind_after(1) == Kind::Name;
            let step = self.in_statement(Parser::step);
            let broken = step.is_err();
            match step {
                Ok(step) => steps.push(step),
                Err(_) => {
                    self.recover(start);
                    if declares {
                        self.note_unread(start);
                    }
                    let span = span.to(self.last_span);
                    steps.push(Step::Statement(Statement {
                        labels: self.labels_from(start),
                        kind: StatementKind::Broken,
                        span,
                    }));
                }
            }
            steps.append(&mut self.pending);
            if !broken && !self.separated() {
                self.missing_separator();
            }
        }
    }

    fn recover(&mut self, start: usize) {
        self.in_message = false;
        if self.position == start && !self.at_sequence_end() {
            self.bump();
        }
        self.skip_statement(start);
    }

    fn separated(&self) -> bool {
        self.peek().is_separator()
            || self.at_sequence_end()
            || self.token().newline_before
            || matches!(self.last, Kind::CloseBrace | Kind::Else)
    }

    /// Two statements without a separator, or one that goes on in a way no statement does.
    fn missing_separator(&mut self) {
        let token = self.token().clone();
        let starts_statement = matches!(
            token.kind,
            Kind::Name
                | Kind::Number(_)
                | Kind::OpenParen
                | Kind::If
                | Kind::Do
                | Kind::For
                | Kind::Atomic
                | Kind::DStep
                | Kind::OpenBrace
                | Kind::Printf
                | Kind::Printm
                | Kind::Assert
                | Kind::Goto
                | Kind::Break
                | Kind::Run
                | Kind::Select
                | Kind::Else
                | Kind::Timeout
                | Kind::Return
                | Kind::Type(_)
                | Kind::Hidden
                | Kind::Show
                | Kind::Local
        );
        let unexpected = Diagnostic::error(format!("unexpected {}", token.describe()), token.span);
        let mut error = self.with_operator_hint(unexpected);
        let guessed = error.hint.is_some();
        if starts_statement && !guessed {
            error.message = format!("expected `;` or `->` before {}", token.describe());
            error = error
                .expected("a new statement starts here")
                .hint("statements are separated by `;`, `->` or a line break");
        } else if !guessed {
            error = error.expected("expected `;` or `->` and another statement, or the end of the sequence");
        }
        self.report(error);
        if !starts_statement || guessed {
            let start = self.position;
            self.recover(start);
        }
    }

    fn step(&mut self) -> Parse<Step> {
        match self.peek() {
            Kind::Type(BaseType::Mtype) if matches!(self.kind_after(1), Kind::Assign | Kind::OpenBrace) => {
                let span = self.token().span;
                let error = Diagnostic::error("mtype names are declared outside of proctypes", span)
                    .hint("move `mtype = { … }` to the top of the model");
                Err(self.fail(error))
            }
            kind if self.declaration_follows(kind) => Ok(Step::Declaration(self.declaration()?)),
            Kind::Xr | Kind::Xs => self.exclusive_use(),
            _ => {
                let statement = self.statement()?;
                Ok(Step::Statement(self.with_unless(statement)?))
            }
        }
    }

    fn with_unless(&mut self, statement: Statement) -> Parse<Statement> {
        // Past a line break too, where Spin would have ended the statement.
        if self.token().kind != Kind::Unless {
            return Ok(statement);
        }
        self.bump();
        let escape = self.statement()?;
        let span = statement.span.to(escape.span);
        let kind = StatementKind::Unless(Box::new(statement), Box::new(escape));
        Ok(Statement { labels: Vec::new(), kind, span })
    }

    // ---- compound statements ----

    pub fn if_statement(&mut self) -> Parse<StatementKind> {
        let open = self.bump();
        if self.condition_and_block_follow(0) {
            return Ok(StatementKind::If(self.if_of_other_languages(open)));
        }
        Ok(StatementKind::If(self.options(open, Opener::If)))
    }

    /// Whether `(…) {` comes next, or `start` tokens later.
    fn condition_and_block_follow(&self, start: usize) -> bool {
        let mut nesting = 0u32;
        for distance in start.. {
            match self.kind_after(distance) {
                Kind::OpenParen => nesting += 1,
                _ if nesting == 0 => break,
                Kind::CloseParen if nesting == 1 => return self.kind_after(distance + 1) == Kind::OpenBrace,
                Kind::CloseParen => nesting -= 1,
                Kind::End | Kind::OpenBrace | Kind::Semicolon => break,
                _ => {}
            }
        }
        false
    }

    /// `if (condition) { … } else { … }`: an error, but what is inside the blocks can be read.
    fn if_of_other_languages(&mut self, open: Span) -> Vec<Sequence> {
        let error = self.error_here("`::`").also(open, "in this `if`");
        self.report(error.hint("write `if :: condition -> … :: else -> … fi`"));
        let mut blocks = Vec::new();
        loop {
            while self.token().kind != Kind::OpenBrace {
                self.bump();
            }
            blocks.extend(self.block().ok());
            let more = self.token().kind == Kind::Else
                && match self.kind_after(1) {
                    Kind::OpenBrace => true,
                    Kind::If => self.condition_and_block_follow(2),
                    _ => false,
                };
            if !more {
                break;
            }
            self.bump();
        }
        if self.token().kind == Kind::Fi && !self.openers.contains(&Opener::If) {
            self.bump();
        }
        blocks
    }

    pub fn do_statement(&mut self) -> Parse<StatementKind> {
        let open = self.bump();
        self.loops += 1;
        let options = self.options(open, Opener::Do);
        self.loops -= 1;
        Ok(StatementKind::Do(options))
    }

    /// The options of an `if` or `do`, to its `fi` or `od`.
    fn options(&mut self, open: Span, opener: Opener) -> Vec<Sequence> {
        let (word, closing, closing_word) = match opener {
            Opener::Do => ("do", Kind::Od, "od"),
            _ => ("if", Kind::Fi, "fi"),
        };
        self.openers.push(opener);
        let mut options = Vec::new();
        loop {
            while self.peek().is_separator() {
                self.advance();
            }
            let token = self.token().clone();
            match token.kind {
                Kind::ColonColon => options.push(self.option()),
                kind if kind == closing => {
                    self.bump();
                    break;
                }
                Kind::CloseBrace | Kind::Fi | Kind::Od | Kind::End => {
                    let error = self
                        .error_here(&format!("`{closing_word}`"))
                        .also(open, format!("to close this `{word}`"));
                    self.report(error);
                    self.unit_is_broken |= token.kind == Kind::End;
                    let opener_around = self.openers.iter().rev().nth(1);
                    let closes_outer = match token.kind {
                        Kind::Fi => opener_around == Some(&Opener::If),
                        Kind::Od => opener_around == Some(&Opener::Do),
                        _ => true,
                    };
                    if !closes_outer {
                        self.bump();
                    }
                    break;
                }
                kind if kind.starts_unit() => {
                    let error = self
                        .error_here(&format!("`{closing_word}`"))
                        .also(open, format!("to close this `{word}`"));
                    self.report(error);
                    self.unit_is_broken = true;
                    break;
                }
                _ => {
                    let error = self
                        .error_here("`::`")
                        .also(open, format!("in this `{word}`"))
                        .hint(format!("every option of `{word}` starts with `::`"));
                    self.report(error);
                    let steps = self.steps();
                    options.push(Sequence { steps, span: token.span.to(self.last_span) });
                }
            }
        }
        self.openers.pop();
        if options.is_empty() {
            self.report(
                Diagnostic::error(format!("this `{word}` has no options"), open)
                    .hint("an option starts with `::`"),
            );
        }
        options
    }

    fn option(&mut self) -> Sequence {
        let start = self.bump();
        let steps = self.steps();
        if steps.is_empty() && self.token().kind != Kind::End {
            self.report(
                Diagnostic::error("this option is empty", start)
                    .expected("expected a statement after this")
                    .hint("write `skip` for doing nothing"),
            );
        }
        let span = match steps.last() {
            Some(step) => start.to(step_span(step)),
            None => start,
        };
        Sequence { steps, span }
    }

    /// `for (x : a .. b) { … }` and `for (x in a) { … }`.
    pub fn for_statement(&mut self) -> Parse<StatementKind> {
        self.bump();
        let open = self.open_parenthesis("`for`")?;
        let variable = self.variable()?;
        let range = if self.accept(Kind::Colon) {
            let low = self.expression()?;
            self.expect(Kind::DotDot, "`..` between the bounds")?;
            let high = self.expression()?;
            ForRange::Between(low, high)
        } else if self.peek() == Kind::Name && &*self.token().text == "in" {
            self.bump();
            ForRange::In(self.variable()?)
        } else {
            let error = self
                .error_here("`:` or `in` after the loop's variable")
                .hint("a loop is written `for (x : 1 .. 3) { … }` or `for (x in array) { … }`");
            return Err(self.fail(error));
        };
        self.close_parenthesis(open)?;
        self.accept(Kind::Semicolon);
        self.loops += 1;
        let body = self.block();
        self.loops -= 1;
        Ok(StatementKind::For { variable, range, body: body? })
    }
}

fn step_span(step: &Step) -> Span {
    match step {
        Step::Declaration(declaration) => declaration.span,
        Step::ExclusiveUse { span, .. } => *span,
        Step::Statement(statement) => statement.span,
    }
}
