//! Expressions, by precedence, and variable references.
//!
//! Spin's grammar keeps the channel tests `full`, `empty`, … out of most expressions, so that they are not
//! negated (its partial order reduction needs that). Here they are operands like any other.
//!
//! The height of the tree is limited as well as the nesting of the text, because a long chain of operators
//! makes a tall tree without nesting, and whoever walks the tree does so recursively.

use lariat_source::Diagnostic;

use super::cursor::{Failed, Parse, Parser};
use crate::ast::{BinaryOperator, ChannelTest, Expr, ExprKind, Name, UnaryOperator, VarRef};
use crate::token::Kind;

/// The tallest expression tree.
const MAX_HEIGHT: u32 = 2000;

/// A binary operator and how tightly it binds.
fn binary_operator(kind: Kind) -> Option<(BinaryOperator, u8)> {
    use BinaryOperator::*;
    let found = match kind {
        Kind::OrOr => (Or, 1),
        Kind::AndAnd => (And, 2),
        Kind::Bar => (BitOr, 3),
        Kind::Caret => (BitXor, 4),
        Kind::Ampersand => (BitAnd, 5),
        Kind::Equal => (Equal, 6),
        Kind::NotEqual => (NotEqual, 6),
        Kind::Less => (Less, 7),
        Kind::LessEqual => (LessEqual, 7),
        Kind::Greater => (Greater, 7),
        Kind::GreaterEqual => (GreaterEqual, 7),
        Kind::ShiftLeft => (ShiftLeft, 8),
        Kind::ShiftRight => (ShiftRight, 8),
        Kind::Plus => (Add, 9),
        Kind::Minus => (Subtract, 9),
        Kind::Star => (Multiply, 10),
        Kind::Slash => (Divide, 10),
        Kind::Percent => (Remainder, 10),
        _ => return None,
    };
    Some(found)
}

fn channel_test(kind: Kind) -> Option<ChannelTest> {
    match kind {
        Kind::Full => Some(ChannelTest::Full),
        Kind::NotFull => Some(ChannelTest::NotFull),
        Kind::Empty => Some(ChannelTest::Empty),
        Kind::NotEmpty => Some(ChannelTest::NotEmpty),
        _ => None,
    }
}

impl Parser {
    /// An expression and nothing after it.
    pub fn whole_expression(&mut self) -> Parse<Expr> {
        let expression = self.expression()?;
        if self.peek() != Kind::End {
            return Err(self.unexpected("the end of the expression"));
        }
        Ok(expression)
    }

    pub fn expression(&mut self) -> Parse<Expr> {
        self.binary(1)
    }

    /// Operators that bind at least as tightly as `level`.
    fn binary(&mut self, level: u8) -> Parse<Expr> {
        let mut left = self.deeper(Parser::unary)?;
        while let Some((operator, tightness)) = binary_operator(self.peek()).filter(|(_, t)| *t >= level) {
            let left_height = self.height;
            self.bump();
            let right = self.deeper(|p| p.binary(tightness + 1))?;
            self.height = self.height.max(left_height);
            self.grow()?;
            let span = left.span.to(right.span);
            left = Expr { kind: ExprKind::Binary(operator, Box::new(left), Box::new(right)), span };
        }
        Ok(left)
    }

    /// Adds a level to the tree.
    fn grow(&mut self) -> Parse<()> {
        self.height += 1;
        if self.height > MAX_HEIGHT {
            let error = Diagnostic::error("this expression is too large", self.last_span)
                .expected(format!("more than {MAX_HEIGHT} operators deep"))
                .hint("split it with parentheses: `(a || b) || (c || d)`");
            return Err(self.fail(error));
        }
        Ok(())
    }

    fn unary(&mut self) -> Parse<Expr> {
        let operator = match self.peek() {
            Kind::Bang => UnaryOperator::Not,
            Kind::Tilde => UnaryOperator::Complement,
            Kind::Minus => UnaryOperator::Negate,
            _ => return self.operand(),
        };
        let start = self.bump();
        let operand = self.deeper(Parser::unary)?;
        self.grow()?;
        let span = start.to(operand.span);
        Ok(Expr { kind: ExprKind::Unary(operator, Box::new(operand)), span })
    }

    fn operand(&mut self) -> Parse<Expr> {
        self.height = 1;
        let start = self.token().span;
        let kind = match self.peek() {
            Kind::OpenParen => return self.parenthesised(),
            Kind::Number(value) => {
                self.bump();
                ExprKind::Number(value)
            }
            Kind::Timeout => {
                self.bump();
                ExprKind::Timeout
            }
            Kind::NonProgress => {
                self.bump();
                ExprKind::NonProgress
            }
            Kind::EmbeddedC => {
                self.bump();
                ExprKind::Broken
            }
            Kind::Run => self.run()?,
            Kind::Len => {
                self.bump();
                ExprKind::Len(self.channel_argument("`len`")?)
            }
            Kind::Enabled => ExprKind::Enabled(self.function_argument("`enabled`")?),
            Kind::PcValue => ExprKind::PcValue(self.function_argument("`pc_value`")?),
            Kind::GetPriority => ExprKind::GetPriority(self.function_argument("`get_priority`")?),
            kind if channel_test(kind).is_some() => {
                let word = format!("`{}`", self.token().text);
                self.bump();
                let channel = self.channel_argument(&word)?;
                ExprKind::Test(channel_test(kind).unwrap_or(ChannelTest::Full), channel)
            }
            Kind::Name => self.name_operand()?,
            _ => return Err(self.not_an_operand()),
        };
        Ok(Expr { kind, span: start.to(self.last_span) })
    }

    fn not_an_operand(&mut self) -> Failed {
        let error = self.error_here("an expression");
        let token = self.token();
        let error = match token.kind {
            kind if binary_operator(kind).is_some()
                && token.newline_before
                && self.last == Kind::Semicolon =>
            {
                error.hint("the line break before it ends the statement; break the line after the operator")
            }
            Kind::Assign if self.last == Kind::Assign => error.hint("`==` is written without a space"),
            Kind::Else => error.hint("`else` is a statement of its own: `:: else -> …`"),
            _ => self.with_operator_hint(error),
        };
        self.fail(error)
    }

    /// `( e )` or `( c -> a : b )`. The parentheses belong to the span.
    fn parenthesised(&mut self) -> Parse<Expr> {
        let open = self.open_parenthesis("")?;
        let first = self.deeper(Parser::expression)?;
        if self.peek() == Kind::Arrow {
            let mut height = self.height;
            self.bump();
            let yes = self.deeper(Parser::expression)?;
            height = height.max(self.height);
            if self.peek() != Kind::Colon {
                let error =
                    self.error_here("`:`").hint("a conditional expression is written `(condition -> a : b)`");
                return Err(self.fail(error));
            }
            self.bump();
            let no = self.deeper(Parser::expression)?;
            self.height = height.max(self.height);
            self.grow()?;
            let span = open.to(self.close_parenthesis(open)?);
            let kind = ExprKind::Conditional(Box::new(first), Box::new(yes), Box::new(no));
            return Ok(Expr { kind, span });
        }
        let span = open.to(self.close_parenthesis(open)?);
        Ok(Expr { span, ..first })
    }

    fn run(&mut self) -> Parse<ExprKind> {
        self.bump();
        let process = self.name("a proctype's name after `run`")?;
        let open = self.open_parenthesis("the proctype's name")?;
        let arguments =
            if self.peek() == Kind::CloseParen { Vec::new() } else { self.deeper(Parser::expression_list)? };
        self.close_parenthesis(open)?;
        let priority = self.priority()?.map(Box::new);
        self.grow()?;
        Ok(ExprKind::Run { process, arguments, priority })
    }

    /// `a, b, …`: at least one.
    pub fn expression_list(&mut self) -> Parse<Vec<Expr>> {
        let mut list = vec![self.expression()?];
        let mut height = self.height;
        while self.accept(Kind::Comma) {
            list.push(self.expression()?);
            height = height.max(self.height);
        }
        self.height = height;
        Ok(list)
    }

    /// `priority n`, if it is there.
    pub fn priority(&mut self) -> Parse<Option<Expr>> {
        if self.peek() != Kind::Priority {
            return Ok(None);
        }
        self.bump();
        match self.peek() {
            Kind::Number(value) => {
                let span = self.bump();
                Ok(Some(Expr { kind: ExprKind::Number(value), span }))
            }
            _ => Err(self.unexpected("a number after `priority`")),
        }
    }

    /// `word ( e )`.
    fn function_argument(&mut self, word: &str) -> Parse<Box<Expr>> {
        self.bump();
        let open = self.open_parenthesis(word)?;
        let argument = self.deeper(Parser::expression)?;
        self.close_parenthesis(open)?;
        self.grow()?;
        Ok(Box::new(argument))
    }

    /// `( channel )`.
    fn channel_argument(&mut self, word: &str) -> Parse<VarRef> {
        let open = self.open_parenthesis(word)?;
        let channel = self.variable()?;
        self.close_parenthesis(open)?;
        Ok(channel)
    }

    /// What starts with a name: a variable, a poll, a reference into another process.
    fn name_operand(&mut self) -> Parse<ExprKind> {
        let token = self.token().clone();
        if self.processes.contains(&token.text) || self.kind_after(1) == Kind::At {
            return self.remote_reference();
        }
        if self.inlines.contains_key(&token.text) && self.kind_after(1) == Kind::OpenParen {
            let error = Diagnostic::error(
                format!("the inline `{}` cannot be used in an expression", token.text),
                token.span,
            )
            .hint("call it as a statement of its own, or as `x = name(…)`");
            return Err(self.fail(error));
        }
        let not_callable = (self.kind_after(1) == Kind::OpenParen).then(|| self.not_callable());
        let variable = self.variable()?;
        match self.peek() {
            Kind::Question | Kind::QuestionQuestion if self.kind_after(1) == Kind::OpenBracket => {
                let random = self.peek() == Kind::QuestionQuestion;
                self.bump();
                let open = self.bump();
                let arguments = self.receive_arguments()?;
                if self.peek() != Kind::CloseBracket {
                    let error = self.error_here("`]`").also(open, "to close this `[`");
                    return Err(self.fail(error));
                }
                self.bump();
                Ok(ExprKind::Poll { channel: variable, random, arguments })
            }
            Kind::At => self.remote_label_of(variable),
            Kind::OpenParen
                if variable.index.is_none() && variable.field.is_none() && !self.sends_message() =>
            {
                let name = &variable.name;
                let error = not_callable.unwrap_or_else(|| {
                    Diagnostic::error(format!("`{}` is not an inline", name.text), name.span)
                });
                Err(self.fail(error))
            }
            _ => Ok(ExprKind::Variable(variable)),
        }
    }

    /// `P[i]@label`, `P@label`, `P[i]:x`, `P:x`, of a known proctype.
    fn remote_reference(&mut self) -> Parse<ExprKind> {
        let process = self.name("a proctype's name")?;
        let mut pid = None;
        if self.peek() == Kind::OpenBracket {
            self.bump();
            pid = Some(Box::new(self.deeper(Parser::expression)?));
            self.expect(Kind::CloseBracket, "`]` after the process number")?;
            self.grow()?;
        }
        match self.peek() {
            Kind::At => {
                self.bump();
                let label = self.name("a label after `@`")?;
                Ok(ExprKind::RemoteLabel { process, pid, label })
            }
            Kind::Colon => {
                self.bump();
                let variable = self.variable()?;
                Ok(ExprKind::RemoteVariable { process, pid, variable })
            }
            _ => {
                // A variable may have a proctype's name.
                let field = self.field()?;
                let span = process.span.to(self.last_span);
                Ok(ExprKind::Variable(VarRef { name: process, index: pid, field, span }))
            }
        }
    }

    /// `P[i]@label` of a proctype that is declared later.
    fn remote_label_of(&mut self, variable: VarRef) -> Parse<ExprKind> {
        if variable.field.is_some() {
            return Err(self.unexpected("a proctype before `@`"));
        }
        self.bump();
        let label = self.name("a label after `@`")?;
        Ok(ExprKind::RemoteLabel { process: variable.name, pid: variable.index, label })
    }

    /// `name[index].field…`.
    pub fn variable(&mut self) -> Parse<VarRef> {
        self.deeper(Parser::variable_here)
    }

    fn variable_here(&mut self) -> Parse<VarRef> {
        let name: Name = self.name("a variable")?;
        self.height = 1;
        let mut index = None;
        if self.peek() == Kind::OpenBracket {
            self.bump();
            index = Some(Box::new(self.deeper(Parser::expression)?));
            self.expect(Kind::CloseBracket, "`]` after the index")?;
            self.grow()?;
        }
        let height = self.height;
        let field = self.field()?;
        self.height = self.height.max(height);
        let span = name.span.to(self.last_span);
        Ok(VarRef { name, index, field, span })
    }

    fn field(&mut self) -> Parse<Option<Box<VarRef>>> {
        if self.peek() != Kind::Dot {
            return Ok(None);
        }
        self.bump();
        let field = self.variable()?;
        self.grow()?;
        Ok(Some(Box::new(field)))
    }
}
