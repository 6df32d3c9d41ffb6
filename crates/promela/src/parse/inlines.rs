//! `inline`: definitions, calls, and `return`.
//!
//! An inline's body is kept as tokens and read again at each call, with the parameters' names replaced by the
//! arguments' tokens, whatever these are. (Spin does the same with characters.) The call is a block of its
//! own; its tokens keep their places in the definition, the arguments theirs in the call. A body that is
//! never called is never read.
//!
//! Spin refuses some calls because of how it substitutes (an argument that is the name of another parameter);
//! here all parameters are replaced at once, so these are fine.

use std::rc::Rc;

use lariat_source::{Diagnostic, Span};

use super::cursor::{Failed, Parse, Parser};
use crate::ast::{Expr, ExprKind, Sequence, StatementKind, VarRef};
use crate::token::{Kind, Token};

/// How many tokens all calls may produce: nested inlines could otherwise produce more than memory holds.
const MAX_TOKENS: usize = 2_000_000;

pub(super) struct Inline {
    name: Rc<str>,
    span: Span,
    parameters: Vec<Rc<str>>,
    /// From `{` to `}`.
    body: Vec<Token>,
}

/// A call that is being read.
pub(super) struct InlineCall {
    name: Rc<str>,
    /// What `return` assigns to.
    result: Option<VarRef>,
}

impl Parser {
    /// `inline f(a, b) { … }`.
    pub fn inline_definition(&mut self) -> Parse<()> {
        self.bump();
        let name = self.name("the inline's name")?;
        let open = self.open_parenthesis("the inline's name")?;
        let mut parameters: Vec<Rc<str>> = Vec::new();
        while self.peek() != Kind::CloseParen {
            if let Kind::Type(_) = self.peek() {
                let error =
                    self.error_here("a parameter's name").hint("parameters of an inline have no types");
                return Err(self.fail(error));
            }
            let parameter = self.name("a parameter's name or `)`")?;
            if parameters.iter().any(|known| **known == *parameter.text) {
                let message = format!("the parameter `{}` is there twice", parameter.text);
                self.report(Diagnostic::error(message, parameter.span));
            }
            parameters.push(parameter.text.as_str().into());
            if !self.accept(Kind::Comma) {
                break;
            }
        }
        self.close_parenthesis(open)?;

        if self.peek() != Kind::OpenBrace {
            return Err(self.unexpected("`{` and the inline's body"));
        }
        let open = self.token().span;
        let start = self.position;
        let mut nesting = 0u32;
        loop {
            match self.token().kind {
                Kind::OpenBrace => nesting += 1,
                Kind::CloseBrace => nesting -= 1,
                kind if kind == Kind::End || kind.starts_unit() => {
                    let error = self.error_here("`}`").also(open, "to close this `{`");
                    return Err(self.fail(error));
                }
                _ => {}
            }
            self.bump();
            if nesting == 0 {
                break;
            }
        }
        let body = self.tokens_since(start).to_vec();
        let text: Rc<str> = name.text.as_str().into();
        if let Some(earlier) = self.inlines.get(&text) {
            let error = Diagnostic::error(format!("the inline `{text}` is defined twice"), name.span)
                .also(earlier.span, "first defined here");
            self.report(error);
        }
        let inline = Inline { name: text.clone(), span: name.span, parameters, body };
        self.inlines.insert(text, Rc::new(inline));
        Ok(())
    }

    /// `f(a, b)`, or `result = f(a, b)`, at the inline's name.
    pub fn inline_call(&mut self, result: Option<VarRef>) -> Parse<StatementKind> {
        let name = self.token().clone();
        let Some(inline) = self.inlines.get(&name.text).cloned() else {
            return Err(self.unexpected("an inline's name"));
        };
        self.bump();
        let open = self.open_parenthesis("the inline's name")?;
        let arguments = self.inline_arguments(open)?;
        let call = name.span.to(self.last_span);

        if arguments.len() != inline.parameters.len() {
            let (wanted, given) = (inline.parameters.len(), arguments.len());
            let plural = if wanted == 1 { "" } else { "s" };
            let message = format!("the inline `{}` takes {wanted} argument{plural}, not {given}", name.text);
            return Err(self.fail(Diagnostic::error(message, call).also(inline.span, "defined here")));
        }
        if self.inline_calls.iter().any(|call| call.name == inline.name) {
            let error = Diagnostic::error(format!("cyclic inline: `{}` calls itself", name.text), call)
                .also(inline.span, "defined here")
                .hint("an inline is text that is copied; it cannot be recursive");
            return Err(self.fail(error));
        }
        let tokens = substituted(&inline, &arguments);
        self.inlined_tokens += tokens.len();
        if self.inlined_tokens > MAX_TOKENS {
            let message = format!("the inlines produce more than {MAX_TOKENS} tokens");
            let failed = self.fail(Diagnostic::error(message, call).expected("given up here"));
            self.unit_is_broken = true;
            return Err(failed);
        }

        let (last, last_span) = (self.last, self.last_span);
        self.inline_calls.push(InlineCall { name: inline.name.clone(), result });
        let block = self.reading(tokens, |p| p.deeper(|p| p.inline_body()));
        self.inline_calls.pop();
        (self.last, self.last_span) = (last, last_span);
        // Like a block, the call needs no separator after it.
        self.last = Kind::CloseBrace;
        Ok(StatementKind::Block(block?))
    }

    fn inline_body(&mut self) -> Parse<Sequence> {
        let outer = std::mem::take(&mut self.pending);
        let in_message = std::mem::replace(&mut self.in_message, false);
        let block = self.block();
        self.pending = outer;
        self.in_message = in_message;
        block
    }

    /// The arguments' tokens, after `(` up to and including `)`.
    fn inline_arguments(&mut self, open: Span) -> Parse<Vec<Vec<Token>>> {
        let mut arguments: Vec<Vec<Token>> = vec![Vec::new()];
        let mut nesting = 0u32;
        loop {
            let token = self.token().clone();
            match token.kind {
                Kind::CloseParen if nesting == 0 => break,
                Kind::Comma if nesting == 0 => {
                    self.check_argument(arguments.last())?;
                    arguments.push(Vec::new());
                    self.bump();
                    continue;
                }
                Kind::OpenParen | Kind::OpenBracket => nesting += 1,
                Kind::CloseParen | Kind::CloseBracket => nesting = nesting.saturating_sub(1),
                Kind::End | Kind::OpenBrace | Kind::CloseBrace | Kind::Semicolon | Kind::ColonColon => {
                    return self.close_parenthesis(open).map(|_| arguments);
                }
                _ => {}
            }
            if let Some(argument) = arguments.last_mut() {
                argument.push(Token { newline_before: false, ..token });
            }
            self.bump();
        }
        if arguments.len() == 1 && arguments[0].is_empty() {
            arguments.clear();
        } else {
            self.check_argument(arguments.last())?;
        }
        self.close_parenthesis(open)?;
        Ok(arguments)
    }

    fn check_argument(&mut self, argument: Option<&Vec<Token>>) -> Parse<()> {
        if argument.is_some_and(Vec::is_empty) { Err(self.unexpected("an argument")) } else { Ok(()) }
    }

    /// `return e`: in a call `x = f(…)` it is `x = e`.
    pub fn return_statement(&mut self) -> Parse<StatementKind> {
        let span = self.bump();
        if self.inline_calls.is_empty() {
            let error = Diagnostic::error("`return` outside of an inline", span);
            return Err(
                self.fail(error.hint("`return` gives a value to an inline that is called as `x = f(…)`"))
            );
        }
        let value: Expr = self.expression()?;
        match self.inline_calls.last() {
            Some(InlineCall { result: Some(result), .. }) => Ok(StatementKind::Assign(result.clone(), value)),
            Some(InlineCall { name, .. }) => {
                let message = format!("`return` in `{name}`, whose value the call does not use");
                Err(self.return_error(message, span, &value))
            }
            None => Err(self.return_error("`return` outside of an inline".to_string(), span, &value)),
        }
    }

    fn return_error(&mut self, message: String, span: Span, value: &Expr) -> Failed {
        let hint = match value.kind {
            ExprKind::Broken => "`return` stands in an inline only",
            _ => "`return` gives a value to an inline that is called as `x = f(…)`",
        };
        self.fail(Diagnostic::error(message, span).hint(hint))
    }
}

/// The body with the parameters replaced, ready to be read.
fn substituted(inline: &Inline, arguments: &[Vec<Token>]) -> Vec<Token> {
    let mut tokens = Vec::with_capacity(inline.body.len() + 1);
    for token in &inline.body {
        let parameter = match token.kind {
            Kind::Name => inline.parameters.iter().position(|parameter| *parameter == token.text),
            _ => None,
        };
        let Some(argument) = parameter.map(|at| &arguments[at]) else {
            tokens.push(token.clone());
            continue;
        };
        let first = tokens.len();
        tokens.extend(argument.iter().cloned());
        if let Some(token_in_call) = tokens.get_mut(first) {
            token_in_call.newline_before = token.newline_before;
            token_in_call.space_before = token.space_before;
        }
    }
    let end = inline.body.last().map_or(inline.span, |token| Span { start: token.span.end, ..token.span });
    tokens.push(Token {
        kind: Kind::End,
        text: "".into(),
        span: end,
        newline_before: true,
        space_before: true,
    });
    tokens
}
