//! `select (x : a .. b)`.
//!
//! Spin's lexer rewrites the simplest form to other statements before its parser sees it, which gives other
//! states than the general form: when the variable is a plain name of letters and digits, both bounds are
//! written as numbers, all on one line and not in an inline's body. Up to 33 values become an `if` with one
//! assignment each; more become a loop that counts up from the lower bound and may stop at any time. All else
//! is a `Select`.

use lariat_source::{Diagnostic, Span};

use super::cursor::{Parse, Parser};
use crate::ast::{BinaryOperator, Expr, ExprKind, Sequence, Statement, StatementKind, Step, VarRef};
use crate::token::Kind;

/// The largest `b - a` that becomes an `if`.
const MAX_OPTIONS: i64 = 32;

impl Parser {
    pub fn select(&mut self) -> Parse<StatementKind> {
        let is_simple = self.inline_calls.is_empty() && self.simple_select_follows();
        let start = self.bump();
        let open = self.open_parenthesis("`select`")?;
        let variable = self.variable()?;
        self.expect(Kind::Colon, "`:` and the bounds of `select`")?;
        let low = self.expression()?;
        self.expect(Kind::DotDot, "`..` between the bounds")?;
        let high = self.expression()?;
        let span = start.to(self.close_parenthesis(open)?);
        match (&low.kind, &high.kind) {
            (&ExprKind::Number(from), &ExprKind::Number(upto)) if is_simple => {
                self.written_out(variable, from, upto, low, high, span)
            }
            _ => Ok(StatementKind::Select { variable, low, high }),
        }
    }

    /// `select ( name : number .. number )` on one line.
    fn simple_select_follows(&self) -> bool {
        let kinds = [
            Kind::OpenParen,
            Kind::Name,
            Kind::Colon,
            Kind::Number(0),
            Kind::DotDot,
            Kind::Number(0),
            Kind::CloseParen,
        ];
        kinds.iter().enumerate().all(|(i, kind)| {
            let token = self.token_after(i + 1);
            let text = token.text.as_bytes();
            match kind {
                Kind::OpenParen | Kind::DotDot => token.kind == *kind,
                _ if token.newline_before => false,
                Kind::Name => token.kind == Kind::Name && text.iter().all(u8::is_ascii_alphanumeric),
                Kind::Number(_) => {
                    text.iter().all(u8::is_ascii_digit) && matches!(token.kind, Kind::Number(_))
                }
                _ => token.kind == *kind,
            }
        })
    }

    fn written_out(
        &mut self,
        variable: VarRef,
        from: i32,
        upto: i32,
        low: Expr,
        high: Expr,
        span: Span,
    ) -> Parse<StatementKind> {
        if from > upto {
            let error =
                Diagnostic::error(format!("the range {from} .. {upto} is empty"), low.span.to(high.span));
            return Err(self.fail(error));
        }
        let number = |value| Expr { kind: ExprKind::Number(value), span: low.span };
        let statement = |kind| Step::Statement(Statement { labels: Vec::new(), kind, span });
        let option = |steps| Sequence { steps, span };
        if i64::from(upto) - i64::from(from) <= MAX_OPTIONS {
            let assign = |value| statement(StatementKind::Assign(variable.clone(), number(value)));
            return Ok(StatementKind::If((from..=upto).map(|value| option(vec![assign(value)])).collect()));
        }
        let read = Expr { kind: ExprKind::Variable(variable.clone()), span: variable.span };
        let below = ExprKind::Binary(BinaryOperator::Less, Box::new(read), Box::new(high));
        let count = option(vec![
            statement(StatementKind::Condition(Expr { kind: below, span })),
            statement(StatementKind::Increment(variable.clone())),
        ]);
        let stop = option(vec![statement(StatementKind::Break)]);
        self.pending.push(statement(StatementKind::Do(vec![count, stop])));
        Ok(StatementKind::Assign(variable, low))
    }
}
