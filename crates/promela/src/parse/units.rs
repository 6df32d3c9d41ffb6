//! What stands outermost in a model: proctypes, `init`, claims, formulas, types, global variables.
//!
//! Separators between units are optional and may be repeated. The name of a typedef is a type from its end
//! on, that of a proctype is a process from its head on; Spin's lexer decides by these lists how a name
//! reads, and so do the other files here. A formula is kept as text: it has a grammar of its own, and Spin
//! too puts it aside until the end.

use lariat_source::{DerivedText, Diagnostic};

use super::cursor::{Opener, Parse, Parser};
use crate::ast::{Active, Claim, Init, LtlBlock, Proctype, Program, Sequence, Trace, Typedef, Unit};
use crate::token::{BaseType, Kind, Token};

impl Parser {
    pub fn program(&mut self) -> Program {
        let mut program = Program::default();
        loop {
            while self.peek().is_separator() {
                self.advance();
            }
            if self.token().kind == Kind::End {
                program.unread = std::mem::take(&mut self.unread);
                program.is_broken = self.diagnostics.iter().any(Diagnostic::is_error);
                return program;
            }
            let start = self.position;
            self.start_unit();
            let unit = self.unit();
            match unit {
                _ if self.unit_is_broken => self.skip_to_unit(),
                Ok(_) => {}
                Err(_) => self.skip_unit(start),
            }
            if unit.is_err() {
                self.note_unread(start);
            }
            program.units.extend(unit.ok().flatten());
        }
    }

    fn start_unit(&mut self) {
        self.in_sequence = false;
        self.unit_is_broken = false;
        self.parentheses = 0;
        self.loops = 0;
        self.openers.clear();
        self.pending.clear();
    }

    fn unit(&mut self) -> Parse<Option<Unit>> {
        self.mend_unit();
        let unit = match self.peek() {
            Kind::Active | Kind::Proctype | Kind::DProctype => Unit::Proctype(self.proctype()?),
            Kind::Init => Unit::Init(self.init()?),
            Kind::Never => Unit::Never(self.never()?),
            Kind::Trace | Kind::NoTrace => Unit::Trace(self.trace()?),
            Kind::Ltl => Unit::Ltl(self.ltl()?),
            Kind::Typedef => Unit::Typedef(self.typedef()?),
            Kind::Inline => {
                self.inline_definition()?;
                return Ok(None);
            }
            Kind::Type(BaseType::Mtype) if self.mtype_names_follow(0) => self.mtype_names()?,
            Kind::Hidden | Kind::Show | Kind::Local
                if self.kind_after(1) == Kind::Type(BaseType::Mtype) && self.mtype_names_follow(1) =>
            {
                let word = self.token().clone();
                self.report(
                    Diagnostic::error(format!("`{}` does not apply to mtype names", word.text), word.span)
                        .hint("leave it out"),
                );
                self.bump();
                self.mtype_names()?
            }
            kind if self.declaration_follows(kind) => Unit::Variables(self.declaration()?),
            Kind::EmbeddedC => {
                self.bump();
                return Ok(None);
            }
            kind => {
                let error = self.not_a_unit(kind);
                return Err(self.fail(error));
            }
        };
        Ok(Some(unit))
    }

    fn not_a_unit(&self, kind: Kind) -> Diagnostic {
        let token = self.token();
        if kind == Kind::CloseBrace {
            return Diagnostic::error("unexpected `}`", token.span).expected("no `{` is open here");
        }
        if kind == Kind::Name && matches!(self.kind_after(1), Kind::Name) {
            return self.unknown_type();
        }
        let error = self.error_here("a declaration, a proctype, or another unit");
        match kind {
            Kind::Name | Kind::If | Kind::Do | Kind::Atomic | Kind::Run | Kind::Printf | Kind::Goto => {
                error.hint("statements stand inside a proctype, `init` or a claim")
            }
            _ => error,
        }
    }

    // ---- processes ----

    fn proctype(&mut self) -> Parse<Proctype> {
        let start = self.token().span;
        let active = if self.peek() == Kind::Active {
            let mut span = self.bump();
            let mut count = None;
            if self.peek() == Kind::OpenBracket {
                self.bump();
                count = Some(self.expression()?);
                span = span.to(self.expect(Kind::CloseBracket, "`]` after the number of processes")?);
            }
            Some(Active { count, span })
        } else {
            None
        };
        if active.is_some() && self.peek() == Kind::Name && self.kind_after(1) == Kind::Name {
            self.mend_keyword(&["proctype", "D_proctype"]);
        }
        let deterministic = match self.peek() {
            Kind::Proctype => false,
            Kind::DProctype => true,
            _ => return Err(self.unexpected("`proctype` after `active`")),
        };
        self.bump();
        let name = self.name("the proctype's name")?;
        self.processes.insert(name.text.as_str().into());
        let open = self.open_parenthesis("the proctype's name")?;
        let at = self.position;
        let parameters = match self.parameters(open) {
            Ok(parameters) => parameters,
            Err(failed) if !self.skip_parameters(at) => return Err(failed),
            Err(_) => {
                self.unread.insert(name.text.clone());
                Vec::new()
            }
        };
        let priority = self.priority()?;
        let provided = if self.peek() == Kind::Provided {
            self.bump();
            let open = self.open_parenthesis("`provided`")?;
            let condition = self.expression()?;
            self.close_parenthesis(open)?;
            Some(condition)
        } else {
            None
        };
        let span = start.to(self.last_span);
        let body = self.body("the proctype's body")?;
        Ok(Proctype { active, deterministic, name, parameters, priority, provided, body, span })
    }

    fn init(&mut self) -> Parse<Init> {
        let span = self.bump();
        let priority = self.priority()?;
        let body = self.body("the body of `init`")?;
        Ok(Init { priority, body, span })
    }

    fn never(&mut self) -> Parse<Claim> {
        let span = self.bump();
        let name = if self.peek() == Kind::Name { Some(self.name("the claim's name")?) } else { None };
        let body = self.body("the claim's body")?;
        Ok(Claim { name, body, span })
    }

    fn trace(&mut self) -> Parse<Trace> {
        let negated = self.peek() == Kind::NoTrace;
        let span = self.bump();
        let body = self.body("the body of the trace assertion")?;
        Ok(Trace { negated, body, span })
    }

    fn body(&mut self, what: &str) -> Parse<Sequence> {
        if self.peek() != Kind::OpenBrace {
            return Err(self.unexpected(&format!("`{{` and {what}")));
        }
        self.in_sequence = true;
        let body = self.block();
        self.in_sequence = false;
        body
    }

    // ---- types and names ----

    fn typedef(&mut self) -> Parse<Typedef> {
        let start = self.bump();
        let name = self.name("the type's name")?;
        let open = self.expect(Kind::OpenBrace, "`{` after the type's name")?;
        self.in_sequence = true;
        self.openers.push(Opener::Brace);
        let mut fields = Vec::new();
        let mut all_read = true;
        loop {
            while self.peek().is_separator() {
                self.advance();
            }
            if self.kind_after(1) == Kind::Name {
                self.mend_type();
            }
            let kind = self.peek();
            if kind == Kind::CloseBrace {
                break;
            }
            let at = self.position;
            if kind == Kind::End || kind.starts_unit() {
                let error = self.error_here("`}`").also(open, "to close this `{`");
                // The name is a type all the same; what uses it should not be reported.
                self.types.insert(name.text.as_str().into());
                return Err(self.fail(error));
            }
            let field = if self.declaration_follows(kind) {
                self.declaration()
            } else if kind == Kind::Name && self.kind_after(1) == Kind::Name {
                let error = self.unknown_type();
                Err(self.fail(error))
            } else {
                Err(self.unexpected("a field's type"))
            };
            match field {
                Ok(field) => {
                    fields.push(field);
                    if !matches!(self.peek(), Kind::Semicolon | Kind::CloseBrace) {
                        if !self.token().newline_before {
                            self.unexpected("`;` after a field");
                        }
                        if !self.declaration_follows(self.token().kind) {
                            self.skip_statement(self.position);
                        }
                    }
                }
                Err(_) => {
                    all_read = false;
                    self.skip_statement(at);
                }
            }
            if self.position == at {
                self.bump();
            }
        }
        let span = start.to(self.bump());
        self.in_sequence = false;
        if fields.is_empty() && all_read {
            let error = Diagnostic::error(format!("the type `{}` has no fields", name.text), open.to(span));
            self.report(error);
        }
        self.types.insert(name.text.as_str().into());
        Ok(Typedef { name, fields, span })
    }

    /// Whether the `mtype` at `distance` declares names rather than variables.
    fn mtype_names_follow(&self, distance: usize) -> bool {
        let after = |n: usize| self.kind_after(distance + n);
        match after(1) {
            Kind::Assign | Kind::OpenBrace => true,
            Kind::Colon => matches!(after(3), Kind::Assign),
            _ => false,
        }
    }

    fn mtype_names(&mut self) -> Parse<Unit> {
        let start = self.bump();
        let subtype = if self.accept(Kind::Colon) { Some(self.name("the name of the mtype")?) } else { None };
        self.accept(Kind::Assign);
        let open = self.expect(Kind::OpenBrace, "`{` and the names of the mtype")?;
        let mut names = Vec::new();
        loop {
            match self.peek() {
                Kind::CloseBrace => break,
                Kind::Comma if !names.is_empty() => {
                    self.bump();
                }
                Kind::Name => names.push(self.name("a name")?),
                _ => {
                    let error = match self.name("a name or `}`") {
                        Ok(_) => continue,
                        Err(failed) => failed,
                    };
                    if let Some(last) = self.diagnostics.last_mut() {
                        *last = last.clone().also(open, "in the list that starts here");
                    }
                    return Err(error);
                }
            }
        }
        let span = start.to(self.bump());
        if names.is_empty() {
            self.report(Diagnostic::error("this mtype has no names", span));
        }
        Ok(Unit::MtypeNames { subtype, names, span })
    }

    // ---- formulas ----

    fn ltl(&mut self) -> Parse<LtlBlock> {
        self.bump();
        let name = match self.peek() {
            Kind::Name => self.name("the formula's name")?.text,
            _ => {
                self.unnamed_formulas += 1;
                format!("ltl_{}", self.unnamed_formulas - 1)
            }
        };
        let open = self.expect(Kind::OpenBrace, "`{` and a formula")?;
        let start = self.position;
        let mut nesting = 0;
        loop {
            match self.token().kind {
                Kind::End => {
                    let error = self.error_here("`}`").also(open, "to close this `{`");
                    return Err(self.fail(error));
                }
                Kind::OpenBrace => nesting += 1,
                Kind::CloseBrace if nesting == 0 => break,
                Kind::CloseBrace => nesting -= 1,
                _ => {}
            }
            self.bump();
        }
        let formula = text_of(self.tokens_since(start));
        let close = self.bump();
        let mut span = open.to(close);
        if span.expansion == Default::default() && open.file == close.file && open.end <= close.start {
            (span.start, span.end) = (open.end, close.start);
        }
        Ok(LtlBlock { name, formula, span })
    }
}

/// The tokens' text, spaced as written, on one line.
fn text_of(tokens: &[Token]) -> DerivedText {
    let mut text = DerivedText::default();
    for token in tokens {
        if !text.text.is_empty() && (token.space_before || token.newline_before) {
            text.push_space();
        }
        match token.kind {
            Kind::Text => {
                text.push(&format!("\"{}\"", token.text), token.span);
            }
            _ => text.push(&token.text, token.span),
        }
    }
    text
}
