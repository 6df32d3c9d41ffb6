//! Send and receive.
//!
//! `c!m(a, b)` is `c!m, a, b`, and likewise for receiving, where parentheses may also stand around all
//! arguments or around the last ones. A name among the arguments of a receive may turn out to be an mtype
//! constant; here it is a variable.

use lariat_source::Diagnostic;

use super::cursor::{Parse, Parser};
use crate::ast::{Expr, ReceiveArgument, StatementKind, VarRef};
use crate::token::Kind;

impl Parser {
    /// Whether the first argument of a send is being read, after which `(` may follow.
    pub fn sends_message(&self) -> bool {
        self.in_message && self.parentheses == 0
    }

    /// `channel ! …`, at the operator.
    pub fn send(&mut self, channel: VarRef) -> Parse<StatementKind> {
        let sorted = self.peek() == Kind::BangBang;
        self.bump();
        self.in_message = true;
        let first = self.expression();
        self.in_message = false;
        let mut arguments: Vec<Expr> = vec![first?];
        if self.peek() == Kind::OpenParen {
            let open = self.open_parenthesis("")?;
            arguments.extend(self.expression_list()?);
            self.close_parenthesis(open)?;
        } else if self.accept(Kind::Comma) {
            arguments.extend(self.expression_list()?);
        }
        Ok(StatementKind::Send { channel, sorted, arguments })
    }

    /// `channel ? …`, at the operator; not followed by `[`.
    pub fn receive(&mut self, channel: VarRef) -> Parse<StatementKind> {
        if channel.name.text == "STDIN" {
            let error = Diagnostic::error("reading from STDIN is not supported", channel.span)
                .hint("give the values in the model itself, for instance with `select`");
            self.report(error);
        }
        let random = self.peek() == Kind::QuestionQuestion;
        self.bump();
        let copy = self.peek() == Kind::Less;
        if copy {
            let open = self.bump();
            let arguments = self.receive_arguments()?;
            if self.peek() != Kind::Greater {
                let error = self.error_here("`>`").also(open, "to close this `<`");
                return Err(self.fail(error));
            }
            self.bump();
            return Ok(StatementKind::Receive { channel, random, copy, arguments });
        }
        let arguments = self.receive_arguments()?;
        Ok(StatementKind::Receive { channel, random, copy, arguments })
    }

    pub fn receive_arguments(&mut self) -> Parse<Vec<ReceiveArgument>> {
        let mut arguments = Vec::new();
        self.receive_arguments_into(&mut arguments)?;
        Ok(arguments)
    }

    fn receive_arguments_into(&mut self, arguments: &mut Vec<ReceiveArgument>) -> Parse<()> {
        loop {
            if self.peek() == Kind::OpenParen {
                return self.parenthesised_arguments(arguments);
            }
            arguments.push(self.receive_argument()?);
            if self.peek() == Kind::OpenParen {
                return self.parenthesised_arguments(arguments);
            }
            if !self.accept(Kind::Comma) {
                return Ok(());
            }
        }
    }

    fn parenthesised_arguments(&mut self, arguments: &mut Vec<ReceiveArgument>) -> Parse<()> {
        let open = self.open_parenthesis("")?;
        self.deeper(|p| p.receive_arguments_into(arguments))?;
        self.close_parenthesis(open)?;
        Ok(())
    }

    fn receive_argument(&mut self) -> Parse<ReceiveArgument> {
        match self.peek() {
            Kind::Eval => {
                self.bump();
                let open = self.open_parenthesis("`eval`")?;
                let value = self.expression()?;
                self.close_parenthesis(open)?;
                Ok(ReceiveArgument::Eval(value))
            }
            Kind::Number(value) => Ok(ReceiveArgument::Constant(value, self.bump())),
            Kind::Minus => {
                let start = self.bump();
                match self.peek() {
                    Kind::Number(value) => {
                        let span = start.to(self.bump());
                        Ok(ReceiveArgument::Constant(value.wrapping_neg(), span))
                    }
                    _ => Err(self.unexpected("a number after `-`")),
                }
            }
            Kind::Name => Ok(ReceiveArgument::Variable(self.variable()?)),
            _ => {
                let error = self
                    .error_here("a variable, a constant or `eval(…)` to receive")
                    .hint("to match a value that is computed, write `eval(expression)`");
                Err(self.fail(error))
            }
        }
    }
}
