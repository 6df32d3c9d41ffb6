//! Labels, and the statements that contain no others.
//!
//! A statement that starts with a name can be an assignment, a send or receive, an inline call or a
//! condition; the variable is read first and the token after it decides. A label that no statement follows
//! (before `}` or a separator) stands on a `skip`, as in Spin. `break` outside of a loop is an error; `else`
//! outside of `if` and `do` only a warning, because Spin takes it.

use lariat_source::{Diagnostic, Span, most_similar};

use super::cursor::{Opener, Parse, Parser};
use crate::ast::{Expr, ExprKind, Name, Statement, StatementKind, Step};
use crate::token::{Kind, Token};

impl Parser {
    /// A statement with its labels.
    pub fn statement(&mut self) -> Parse<Statement> {
        let start = self.token().span;
        let labels = self.labels();
        let after_label = !labels.is_empty();
        let kind = if after_label && self.label_stands_alone() {
            skip(start.to(self.last_span))
        } else {
            self.statement_kind()?
        };
        Ok(Statement { labels, kind, span: start.to(self.last_span) })
    }

    fn labels(&mut self) -> Vec<Name> {
        let mut labels = Vec::new();
        while self.peek() == Kind::Name && self.kind_after(1) == Kind::Colon {
            let token = self.token();
            if self.processes.contains(&token.text) {
                break; // `P:x` refers to a variable of the process P
            }
            labels.push(Name { text: token.text.to_string(), span: token.span });
            self.bump();
            self.bump();
        }
        labels
    }

    /// The labels of a statement that started there and could not be read: others may jump to them.
    pub fn labels_from(&self, start: usize) -> Vec<Name> {
        let is_label = |pair: &&[Token]| pair[0].kind == Kind::Name && pair[1].kind == Kind::Colon;
        let pairs = self.tokens_since(start).chunks_exact(2).take_while(is_label);
        pairs.map(|pair| Name { text: pair[0].text.to_string(), span: pair[0].span }).collect()
    }

    /// After a label: whether no statement follows. A declaration is an error, but can be read all the same.
    fn label_stands_alone(&mut self) -> bool {
        let kind = self.peek();
        if self.declaration_follows(kind) || matches!(kind, Kind::Xr | Kind::Xs) {
            let (label, declaration) = (self.last_span, self.token().span);
            self.report(
                Diagnostic::error("a label cannot stand before a declaration", declaration)
                    .also(label, "after this label")
                    .hint("put the declaration first, or `skip;` between them"),
            );
            let step = match kind {
                Kind::Xr | Kind::Xs => self.exclusive_use(),
                _ => self.declaration().map(Step::Declaration),
            };
            match step {
                Ok(step) => self.pending.push(step),
                Err(_) => self.skip_statement(self.position),
            }
            return true;
        }
        kind.is_separator()
            || matches!(
                kind,
                Kind::CloseBrace | Kind::ColonColon | Kind::Fi | Kind::Od | Kind::End | Kind::Unless
            )
            || kind.starts_unit()
    }

    fn statement_kind(&mut self) -> Parse<StatementKind> {
        match self.peek() {
            Kind::If => self.if_statement(),
            Kind::Do => self.do_statement(),
            Kind::For => self.for_statement(),
            Kind::Select => self.select(),
            Kind::OpenBrace => Ok(StatementKind::Block(self.block()?)),
            Kind::Atomic => {
                self.bump();
                Ok(StatementKind::Atomic(self.block()?))
            }
            Kind::DStep => {
                self.bump();
                Ok(StatementKind::DStep(self.block()?))
            }
            Kind::Break => {
                let span = self.bump();
                if self.loops == 0 {
                    let error = Diagnostic::error("`break` outside of a loop", span);
                    self.report(error.hint("`break` leaves the innermost `do` or `for`"));
                }
                Ok(StatementKind::Break)
            }
            Kind::Goto => {
                self.bump();
                Ok(StatementKind::Goto(self.name("a label after `goto`")?))
            }
            Kind::Else => {
                let span = self.bump();
                if self.openers.iter().all(|opener| *opener == Opener::Brace) {
                    let warning = Diagnostic::warning("`else` outside of `if` and `do`", span);
                    self.report(
                        warning.hint("`else` is the option to take when no other can be: `:: else -> …`"),
                    );
                }
                Ok(StatementKind::Else)
            }
            Kind::Printf => self.print(),
            Kind::Printm => self.print_mtype(),
            Kind::Assert => {
                self.bump();
                Ok(StatementKind::Assert(self.expression()?))
            }
            Kind::SetPriority => {
                self.bump();
                let open = self.open_parenthesis("`set_priority`")?;
                let process = self.expression()?;
                self.expect(Kind::Comma, "`,` and the priority")?;
                let priority = self.expression()?;
                self.close_parenthesis(open)?;
                Ok(StatementKind::SetPriority(process, priority))
            }
            Kind::Return => self.return_statement(),
            Kind::EmbeddedC if &*self.token().text != "c_expr" => {
                self.bump();
                Ok(StatementKind::Broken)
            }
            Kind::Name => self.name_statement(),
            Kind::Unless => {
                let error = self.error_here("a statement").hint("`unless` stands between two statements");
                Err(self.fail(error))
            }
            Kind::Active | Kind::Of | Kind::Provided | Kind::Priority | Kind::Eval => {
                Err(self.unexpected("a statement"))
            }
            _ => Ok(StatementKind::Condition(self.expression()?)),
        }
    }

    /// What starts with a name: an assignment, a send or receive, an inline call, a condition.
    fn name_statement(&mut self) -> Parse<StatementKind> {
        let token = self.token().clone();
        if self.inlines.contains_key(&token.text) {
            return self.inline_call(None);
        }
        if self.processes.contains(&token.text) && matches!(self.kind_after(1), Kind::At | Kind::Colon) {
            return Ok(StatementKind::Condition(self.expression()?));
        }
        if self.kind_after(1) == Kind::Name && !self.token_after(1).newline_before {
            let error = match &*token.text {
                "not" => self.error_here("a statement").hint("the operator is written `!`"),
                _ => self.unknown_type(),
            };
            let error = self.operator_word_follows().unwrap_or(error);
            return Err(self.fail(error));
        }
        if self.kind_after(1) == Kind::OpenParen {
            return Err(self.unknown_inline());
        }
        let mark = self.mark();
        let variable = self.variable()?;
        match self.peek() {
            Kind::Assign => {
                self.bump();
                if self.peek() == Kind::Name
                    && self.inlines.contains_key(&self.token().text)
                    && self.kind_after(1) == Kind::OpenParen
                {
                    return self.inline_call(Some(variable));
                }
                Ok(StatementKind::Assign(variable, self.expression()?))
            }
            Kind::PlusPlus => {
                self.bump();
                Ok(StatementKind::Increment(variable))
            }
            Kind::MinusMinus => {
                self.bump();
                Ok(StatementKind::Decrement(variable))
            }
            Kind::Bang | Kind::BangBang => self.send(variable),
            Kind::Question | Kind::QuestionQuestion if self.kind_after(1) != Kind::OpenBracket => {
                self.receive(variable)
            }
            _ => {
                self.reset(mark);
                Ok(StatementKind::Condition(self.expression()?))
            }
        }
    }

    /// `x and y` as a condition.
    fn operator_word_follows(&self) -> Option<Diagnostic> {
        let word = self.token_after(1);
        let operator = match &*word.text {
            "and" => "&&",
            "or" => "||",
            "mod" => "%",
            _ => return None,
        };
        let message = format!("expected an operator, found `{}`", word.text);
        Some(Diagnostic::error(message, word.span).hint(format!("the operator is written `{operator}`")))
    }

    fn unknown_inline(&mut self) -> super::cursor::Failed {
        let token = self.token().clone();
        if self.arrays.contains(&token.text) {
            let error = self.not_callable();
            return self.fail(error);
        }
        let (message, hint) = match &*token.text {
            "while" => {
                ("there is no `while`".into(), "write `do :: condition -> … :: else -> break od`".into())
            }
            "switch" => ("there is no `switch`".into(), "write `if :: x == 1 -> … :: else -> … fi`".into()),
            text if self.processes.contains(text) => (
                format!("`{text}` is a proctype, not an inline"),
                format!("start a process with `run {text}(…)`"),
            ),
            text => {
                let known = self.inlines.keys().map(|name| &**name);
                let hint = match most_similar(text, known) {
                    Some(similar) => format!("did you mean `{similar}`?"),
                    None => "an inline is defined before its first use".to_string(),
                };
                (format!("unknown inline `{text}`"), hint)
            }
        };
        self.fail(Diagnostic::error(message, token.span).hint(hint))
    }

    fn print(&mut self) -> Parse<StatementKind> {
        self.bump();
        let open = self.open_parenthesis("`printf`")?;
        if self.peek() != Kind::Text {
            return Err(self.unexpected("a string to print"));
        }
        let format = self.token().text.to_string();
        self.bump();
        let arguments = if self.accept(Kind::Comma) { self.expression_list()? } else { Vec::new() };
        self.close_parenthesis(open)?;
        Ok(StatementKind::Print { format, arguments })
    }

    fn print_mtype(&mut self) -> Parse<StatementKind> {
        self.bump();
        let open = self.open_parenthesis("`printm`")?;
        let value = self.expression()?;
        self.close_parenthesis(open)?;
        Ok(StatementKind::PrintMtype(value))
    }
}

/// The condition that always holds.
fn skip(span: Span) -> StatementKind {
    StatementKind::Condition(Expr { kind: ExprKind::Number(1), span })
}
