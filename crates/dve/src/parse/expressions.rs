//! Expressions, with the precedences of C: `imply` binds loosest, then `or`, `and`, `|`, `^`, `&`, `== !=`,
//! `< <= > >=`, `<< >>`, `+ -`, `* / %`, and tightest what stands before a value (`not`, `-`, `~`).
//! Everything groups to the left.
//!
//! Trees have a limited height, so that whoever walks them may recurse.

use super::{Failed, Parsed, Parser};
use crate::ast::{BinaryOperator, Expr, ExprKind, Reference, UnaryOperator};
use crate::lex::Kind;
use lariat_source::Diagnostic;

/// No expression is higher.
pub const MAX_HEIGHT: u32 = 400;

impl Parser<'_> {
    pub(super) fn expression(&mut self) -> Parsed<Expr> {
        self.binary(0)
    }

    fn operator(&self) -> Option<(BinaryOperator, u8)> {
        use BinaryOperator::*;
        Some(match self.peek() {
            Kind::Word => match self.word() {
                "imply" => (Imply, 1),
                "or" => (Or, 2),
                "and" => (And, 3),
                _ => return None,
            },
            Kind::Sign(sign) => match sign {
                "||" => (Or, 2),
                "&&" => (And, 3),
                "|" => (BitOr, 4),
                "^" => (BitXor, 5),
                "&" => (BitAnd, 6),
                "==" => (Equal, 7),
                "!=" => (NotEqual, 7),
                "<" => (Less, 8),
                "<=" => (LessEqual, 8),
                ">" => (Greater, 8),
                ">=" => (GreaterEqual, 8),
                "<<" => (ShiftLeft, 9),
                ">>" => (ShiftRight, 9),
                "+" => (Add, 10),
                "-" => (Subtract, 10),
                "*" => (Multiply, 11),
                "/" => (Divide, 11),
                "%" => (Remainder, 11),
                _ => return None,
            },
            _ => return None,
        })
    }

    /// An expression whose outermost operators have at least this level.
    fn binary(&mut self, least: u8) -> Parsed<Expr> {
        let mut left = self.unary()?;
        while let Some((operator, level)) = self.operator().filter(|(_, level)| *level >= least) {
            self.advance();
            let right = self.nested(|parser| parser.binary(level + 1))?;
            let span = left.span.to(right.span);
            let height = 1 + left.height.max(right.height);
            left = self.limited(Expr {
                kind: ExprKind::Binary(operator, Box::new((left, right))),
                span,
                height,
            })?;
        }
        Ok(left)
    }

    fn limited(&mut self, expression: Expr) -> Parsed<Expr> {
        if expression.height <= MAX_HEIGHT { Ok(expression) } else { self.fail_too_deep() }
    }

    fn fail_too_deep<T>(&mut self) -> Parsed<T> {
        let message = Diagnostic::error("this expression is nested too deeply", self.span());
        self.messages.push(
            message
                .expected(format!("more than {MAX_HEIGHT} levels"))
                .hint("put a part of it into a variable of its own"),
        );
        Err(Failed)
    }

    fn unary(&mut self) -> Parsed<Expr> {
        let operator = match self.peek() {
            Kind::Word if self.word() == "not" => UnaryOperator::Not,
            Kind::Sign("!") => UnaryOperator::Not,
            Kind::Sign("~") => UnaryOperator::Complement,
            Kind::Sign("-") => UnaryOperator::Negate,
            _ => return self.operand(),
        };
        let start = self.advance();
        let operand = self.nested(Self::unary)?;
        let (span, height) = (start.to(operand.span), operand.height + 1);
        self.limited(Expr { kind: ExprKind::Unary(operator, Box::new(operand)), span, height })
    }

    /// Counts a level of nesting.
    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_HEIGHT {
            return self.fail_too_deep();
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    fn operand(&mut self) -> Parsed<Expr> {
        let start = self.span();
        match self.peek() {
            Kind::Number => {
                let text = self.text_at(self.at);
                let Ok(value) = text.parse::<i32>() else {
                    let message = Diagnostic::error("this number is too large", start);
                    self.messages.push(message.expected("numbers go up to 2147483647"));
                    return Err(Failed);
                };
                self.advance();
                Ok(Expr { kind: ExprKind::Number(value), span: start, height: 1 })
            }
            Kind::Sign("(") => {
                self.advance();
                let mut inside = self.nested(Self::expression)?;
                if !self.is_sign(")") {
                    self.unexpected("expected an operator or `)`");
                    if let Some(message) = self.messages.pop() {
                        self.messages.push(message.also(start, "to close this"));
                    }
                    return Err(Failed);
                }
                inside.span = start.to(self.advance());
                Ok(inside)
            }
            Kind::Word if matches!(self.word(), "true" | "false") => {
                let value = (self.word() == "true") as i32;
                self.advance();
                Ok(Expr { kind: ExprKind::Number(value), span: start, height: 1 })
            }
            Kind::Word => self.named(),
            _ => self.fail("expected a value"),
        }
    }

    /// `x`, `a[i]`, `P.q`, `P->x`, `P->a[i]`.
    fn named(&mut self) -> Parsed<Expr> {
        let name = self.name("a value")?;
        let start = name.span;
        let (kind, height) = if self.accept_sign(".") {
            (ExprKind::InState(name, self.name("the name of a state")?), 1)
        } else if self.accept_sign("->") || self.colons && self.accept_sign(":") {
            let reference = self.reference()?;
            let height = 1 + reference.index.as_ref().map_or(0, |index| index.height);
            (ExprKind::Foreign(name, reference), height)
        } else {
            let index = self.index()?;
            let height = 1 + index.as_ref().map_or(0, |index| index.height);
            (ExprKind::Variable(Reference { name, index }), height)
        };
        let span = start.to(self.span_before());
        self.limited(Expr { kind, span, height })
    }

    pub(super) fn reference(&mut self) -> Parsed<Reference> {
        let name = self.name("the name of a variable")?;
        Ok(Reference { name, index: self.index()? })
    }

    fn index(&mut self) -> Parsed<Option<Box<Expr>>> {
        if !self.accept_sign("[") {
            return Ok(None);
        }
        let index = self.nested(Self::expression)?;
        self.sign("]")?;
        Ok(Some(Box::new(index)))
    }
}
