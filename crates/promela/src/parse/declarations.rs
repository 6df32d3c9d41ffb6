//! Variables, parameters, and their types.
//!
//! Spin wants a constant expression or one name as the length of an array; here any expression is read, and
//! whether it is constant is found out later. The same holds for the values of an array's list and for
//! widths.

use lariat_source::{Diagnostic, Span};

use super::cursor::{Parse, Parser};
use crate::ast::{Declaration, Declarator, Initialiser, Name, Step, TypeName, Visibility};
use crate::token::{BaseType, Kind};

impl Parser {
    /// Whether a declaration starts with the next token, whose kind is `kind`.
    pub fn declaration_follows(&self, kind: Kind) -> bool {
        match kind {
            Kind::Hidden | Kind::Show | Kind::Local | Kind::Type(_) => true,
            Kind::Name => self.types.contains(&self.token().text),
            _ => false,
        }
    }

    /// `vis type a, b[3] = 1, …`, without a separator at its end.
    pub fn declaration(&mut self) -> Parse<Declaration> {
        let start = self.token().span;
        let visibility = match self.peek() {
            Kind::Hidden => Visibility::Hidden,
            Kind::Show => Visibility::Show,
            Kind::Local => Visibility::Local,
            _ => Visibility::Plain,
        };
        if visibility != Visibility::Plain {
            self.bump();
        }
        let (ty, _) = self.type_name()?;
        let mut variables = Vec::new();
        loop {
            variables.push(self.declarator(&ty)?);
            if !self.accept(Kind::Comma) {
                break;
            }
        }
        Ok(Declaration { visibility, ty, variables, span: start.to(self.last_span) })
    }

    fn type_name(&mut self) -> Parse<(TypeName, Span)> {
        self.mend_type();
        let token = self.token().clone();
        let base = match self.peek() {
            Kind::Type(base) => base,
            Kind::Name if self.types.contains(&token.text) => {
                let span = self.bump();
                return Ok((TypeName::User(Name { text: token.text.to_string(), span }), span));
            }
            Kind::Name => {
                let error = self.unknown_type();
                return Err(self.fail(error));
            }
            _ => return Err(self.unexpected("a type")),
        };
        let mut span = self.bump();
        let ty = match base {
            BaseType::Bit => TypeName::Bit,
            BaseType::Bool => TypeName::Bool,
            BaseType::Byte => TypeName::Byte,
            BaseType::Pid => TypeName::Pid,
            BaseType::Short => TypeName::Short,
            BaseType::Int => TypeName::Int,
            BaseType::Unsigned => TypeName::Unsigned,
            BaseType::Chan => TypeName::Chan,
            BaseType::Mtype => {
                let mut subtype = None;
                if self.accept(Kind::Colon) {
                    let name = self.name("the name of the mtype")?;
                    span = span.to(name.span);
                    subtype = Some(name);
                }
                TypeName::Mtype(subtype)
            }
        };
        Ok((ty, span))
    }

    fn declarator(&mut self, ty: &TypeName) -> Parse<Declarator> {
        if matches!(self.peek(), Kind::Type(_)) && self.last == Kind::Comma {
            let error = self
                .error_here("a variable's name")
                .hint("after `,` another variable of the same type follows; a new type comes after `;`");
            return Err(self.fail(error));
        }
        let name = self.name("a variable's name")?;
        let mut width = None;
        let mut length = None;
        if self.peek() == Kind::Colon {
            let colon = self.bump();
            width = Some(self.expression()?);
            let width_span = colon.to(self.last_span);
            if *ty != TypeName::Unsigned {
                self.report(
                    Diagnostic::error(
                        format!("only an `unsigned` has a width, `{}` is none", name.text),
                        width_span,
                    )
                    .hint(format!("write `unsigned {} : 3` for three bits", name.text)),
                );
            }
        } else if self.peek() == Kind::OpenBracket {
            self.bump();
            length = Some(self.expression()?);
            self.arrays.insert(name.text.as_str().into());
            self.expect(Kind::CloseBracket, "`]` after the array's length")?;
        }
        let initialiser = if self.accept(Kind::Assign) { Some(self.initialiser()?) } else { None };
        let span = name.span.to(self.last_span);
        Ok(Declarator { name, width, length, initialiser, span })
    }

    fn initialiser(&mut self) -> Parse<Initialiser> {
        let start = self.token().span;
        match self.peek() {
            Kind::OpenBracket => {
                self.bump();
                let capacity = self.expression()?;
                self.expect(Kind::CloseBracket, "`]` after the channel's capacity")?;
                self.expect(Kind::Of, "`of` and the types of the channel's messages")?;
                let open = self.expect(Kind::OpenBrace, "`{` and the types of the channel's messages")?;
                let mut fields = vec![self.message_field()?];
                while self.accept(Kind::Comma) {
                    fields.push(self.message_field()?);
                }
                let close = self.close_list(open, "`,` or `}` after a message's type")?;
                Ok(Initialiser::Channel { capacity, fields, span: start.to(close) })
            }
            Kind::OpenBrace => {
                let open = self.bump();
                let mut values = vec![self.expression()?];
                while self.accept(Kind::Comma) {
                    values.push(self.expression()?);
                }
                let close = self.close_list(open, "`,` or `}` after a value")?;
                Ok(Initialiser::List(values, start.to(close)))
            }
            _ => {
                let value = self.expression()?;
                if self.peek() == Kind::Of {
                    let error = Diagnostic::error("the capacity of a channel stands in brackets", value.span);
                    return Err(self.fail(error.hint("write `chan c = [1] of { byte }`")));
                }
                Ok(Initialiser::Value(value))
            }
        }
    }

    /// The `}` of a list; a line break before it does not matter.
    fn close_list(&mut self, open: Span, expected: &str) -> Parse<Span> {
        if self.token().kind == Kind::CloseBrace {
            return Ok(self.bump());
        }
        let error = self.error_here(expected).also(open, "in the list that starts here");
        Err(self.fail(error))
    }

    fn message_field(&mut self) -> Parse<(TypeName, Span)> {
        let (ty, span) = self.type_name()?;
        if ty == TypeName::Unsigned {
            self.report(
                Diagnostic::error("`unsigned` cannot be the type of a message's field", span)
                    .hint("use `byte`, `short` or `int`"),
            );
        }
        Ok((ty, span))
    }

    /// A proctype's parameters, after `(` up to and including `)`.
    pub fn parameters(&mut self, open: Span) -> Parse<Vec<Declaration>> {
        let mut parameters = Vec::new();
        loop {
            while self.accept(Kind::Semicolon) {}
            if self.peek() == Kind::CloseParen {
                break;
            }
            if self.kind_after(1) == Kind::Name {
                self.mend_type();
            }
            let kind = self.peek();
            if !self.declaration_follows(kind) {
                let error = if kind == Kind::Name && self.kind_after(1) == Kind::Name {
                    self.unknown_type()
                } else {
                    self.error_here("a parameter's type or `)`")
                };
                return Err(self.fail(error));
            }
            parameters.push(self.declaration()?);
            if !matches!(self.peek(), Kind::Semicolon | Kind::CloseParen) {
                let error = self
                    .error_here("`;` or `)` after a parameter")
                    .also(open, "in the list that starts here");
                return Err(self.fail(error));
            }
        }
        self.close_parenthesis(open)?;
        Ok(parameters)
    }

    /// `xr c, d` and `xs c`.
    pub fn exclusive_use(&mut self) -> Parse<Step> {
        let reads = self.peek() == Kind::Xr;
        let start = self.bump();
        let mut channels = vec![self.variable()?];
        while self.accept(Kind::Comma) {
            channels.push(self.variable()?);
        }
        Ok(Step::ExclusiveUse { reads, channels, span: start.to(self.last_span) })
    }
}
