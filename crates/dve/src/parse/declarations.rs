//! Variables, channels, and how the processes are put together.

use super::{Failed, Parsed, Parser};
use crate::ast::{Channel, Initial, Mode, System, Type, Variable};
use lariat_source::Diagnostic;

impl Parser<'_> {
    fn ty(&mut self) -> Parsed<Type> {
        if self.accept_word("byte") {
            Ok(Type::Byte)
        } else if self.accept_word("int") {
            Ok(Type::Int)
        } else {
            self.fail("expected a type: `byte` or `int`")
        }
    }

    /// `const byte N = 3, M = 4;`, `int x, a[3] = {1, 2, 3};`
    pub(super) fn variables(&mut self) -> Parsed<Vec<Variable>> {
        let constant = self.accept_word("const");
        let ty = self.ty()?;
        let mut variables = Vec::new();
        loop {
            let name = self.name("the name of a variable")?;
            let length = if self.accept_sign("[") {
                let length = self.expression()?;
                self.sign("]")?;
                Some(length)
            } else {
                None
            };
            let initial = if self.accept_sign("=") { Some(self.initial()?) } else { None };
            variables.push(Variable { constant, ty, name, length, initial });
            if !self.accept_sign(",") {
                break;
            }
        }
        self.semicolon("`,`, `=` or `;`")?;
        Ok(variables)
    }

    fn initial(&mut self) -> Parsed<Initial> {
        if !self.is_sign("{") {
            return Ok(Initial::One(self.expression()?));
        }
        let open = self.advance();
        let mut list = vec![self.expression()?];
        while self.accept_sign(",") {
            list.push(self.expression()?);
        }
        let close = self.sign("}")?;
        Ok(Initial::List(list, open.to(close)))
    }

    /// `channel c, d;`, `channel {byte, int} e[4];`
    pub(super) fn channels(&mut self) -> Parsed<Vec<Channel>> {
        self.advance();
        let types = if self.accept_sign("{") {
            let mut types = vec![self.ty()?];
            while self.accept_sign(",") {
                types.push(self.ty()?);
            }
            self.sign("}")?;
            Some(types)
        } else {
            None
        };
        let mut channels = Vec::new();
        loop {
            let name = self.name("the name of a channel")?;
            let capacity = if self.accept_sign("[") {
                let capacity = self.expression()?;
                self.sign("]")?;
                Some(capacity)
            } else {
                None
            };
            channels.push(Channel { name, types: types.clone(), capacity });
            if !self.accept_sign(",") {
                break;
            }
        }
        self.semicolon("`,` or `;`")?;
        Ok(channels)
    }

    /// `system async;`, `system async property P;`
    pub(super) fn system(&mut self) -> Parsed<System> {
        let start = self.advance();
        let mode = if self.accept_word("async") {
            Mode::Async
        } else if self.accept_word("sync") {
            Mode::Sync
        } else {
            self.misspelt(&["async", "sync"], "expected `async`");
            return Err(Failed);
        };
        let property =
            if self.accept_word("property") { Some(self.name("the name of a process")?) } else { None };
        self.semicolon("`property` or `;`")?;
        let span = start.to(self.span_before());
        if self.peek() != crate::lex::Kind::End {
            let message = Diagnostic::error("there is text behind the `system` line", self.span());
            self.messages.push(message.expected("expected the end").also(span, "the model ends here"));
            self.at = self.tokens.len() - 1;
        }
        Ok(System { mode, property, span })
    }
}
