//! Which name is expanded when, and with what.
//!
//! The tokens to come lie on a stack of *contexts*: the replacement of a macro is pushed, read, and popped
//! again at its end. A macro is disabled as long as its replacement is on the stack; its name met there is
//! *painted* and stays a plain name for good. That is how C forbids recursion. Arguments are expanded on
//! their own, behind a *barrier* that neither reading nor looking ahead crosses.
//!
//! A replaced token's span is the place of the (outermost) use, and its expansion leads to the token in the
//! definition.

use std::rc::Rc;

use lariat_source::{Diagnostic, Expansion, ExpansionId, Span};

use super::Preprocessor;
use super::macros::{Argument, Macro, Replacement, substitute};
use super::scan::{Piece, PieceKind};

/// How deeply macro calls may stand in the arguments of macro calls.
const MAX_DEPTH: u32 = 100;

/// How many tokens macros may produce in all; a few nested macros could otherwise produce more than memory
/// holds.
const MAX_TOKENS: usize = 2_000_000;

/// How many nested uses an expansion remembers.
const MAX_CHAIN: u32 = 6;

pub(super) struct Context {
    tokens: std::vec::IntoIter<Piece>,
    /// The macro that is disabled while this context is read.
    of: Option<Rc<str>>,
    barrier: bool,
}

impl Preprocessor<'_> {
    /// The next token with macros expanded; `None` at the end of the text (or at a barrier).
    pub(super) fn next_expanded(&mut self) -> Option<Piece> {
        loop {
            let mut piece = self.next_unexpanded()?;
            if !piece.is_identifier() || piece.painted {
                return Some(piece);
            }
            let Some(definition) = self.macros.get(&piece.text).cloned() else { return Some(piece) };
            if self.disabled.contains(&definition.name) {
                piece.painted = true;
                return Some(piece);
            }
            if self.expansion_stopped || (definition.is_function_like() && !self.parenthesis_follows()) {
                return Some(piece);
            }
            if let Some(invalid) = self.expand(&definition, piece) {
                return Some(invalid);
            }
        }
    }

    /// Expands a list of tokens on its own (an argument, a directive's line).
    pub(super) fn expand_list(&mut self, pieces: Vec<Piece>) -> Vec<Piece> {
        if self.depth >= MAX_DEPTH {
            let span = pieces.first().map_or_else(Span::default, |piece| piece.span);
            self.stop_expansion(Diagnostic::error("macro calls are nested too deeply here", span));
            return pieces;
        }
        self.depth += 1;
        self.contexts.push(Context { tokens: pieces.into_iter(), of: None, barrier: true });
        let mut out = Vec::new();
        while let Some(piece) = self.next_expanded() {
            out.push(piece);
        }
        self.contexts.pop();
        self.depth -= 1;
        out
    }

    fn stop_expansion(&mut self, message: Diagnostic) {
        if !self.expansion_stopped {
            self.expansion_stopped = true;
            self.diagnostics.push(message);
        }
    }

    fn next_unexpanded(&mut self) -> Option<Piece> {
        while let Some(context) = self.contexts.last_mut() {
            if let Some(piece) = context.tokens.next() {
                return Some(piece);
            }
            if context.barrier {
                return None;
            }
            if let Some(Context { of: Some(name), .. }) = self.contexts.pop() {
                self.disabled.remove(&name);
            }
        }
        self.next_from_file()
    }

    fn parenthesis_follows(&self) -> bool {
        for context in self.contexts.iter().rev() {
            if let Some(piece) = context.tokens.as_slice().first() {
                return piece.is("(");
            }
            if context.barrier {
                return false;
            }
        }
        self.peek_in_file().is_some_and(|piece| piece.is("("))
    }

    /// Pushes the replacement of `name`. Returns a token in its stead if that cannot be done.
    fn expand(&mut self, definition: &Rc<Macro>, name: Piece) -> Option<Piece> {
        let body = match &definition.replacement {
            Replacement::Body(body) => body,
            Replacement::Line => {
                let line = self.sources.line(name.span);
                return Some(Piece { kind: PieceKind::Number, text: line.to_string().into(), ..name });
            }
            Replacement::File => {
                let text = format!("{:?}", self.sources.file(name.span.file).name);
                return Some(Piece { kind: PieceKind::Text, text: text.into(), ..name });
            }
            Replacement::Counter => {
                self.counter += 1;
                return Some(Piece {
                    kind: PieceKind::Number,
                    text: (self.counter - 1).to_string().into(),
                    ..name
                });
            }
        };
        let arguments = if definition.is_function_like() {
            let written = match self.collect_arguments(definition, &name) {
                Ok(written) => written,
                Err(invalid) => return Some(invalid),
            };
            written
                .into_iter()
                .map(|written| Argument { expanded: self.expand_list(written.clone()), written })
                .collect()
        } else {
            Vec::new()
        };

        let mut bad_pastes = Vec::new();
        let mut replacement = substitute(definition, body, &arguments, &mut bad_pastes);
        for bad in bad_pastes {
            let message = format!("`{}` and `{}` do not make one token", bad.left.text, bad.right.text);
            let error = Diagnostic::error(message, name.span)
                .expected(format!("in this use of the macro `{}`", definition.name))
                .also(bad.right.span, "to be joined by `##`");
            self.diagnostics.push(error);
        }

        self.produced += replacement.len();
        if self.produced > MAX_TOKENS {
            let message = format!("the macros produce more than {MAX_TOKENS} tokens");
            self.stop_expansion(Diagnostic::error(message, name.span).expected("given up here"));
            return Some(Piece { kind: PieceKind::Invalid, ..name });
        }
        for piece in &mut replacement {
            piece.span = self.span_of_use(name.span, &definition.name, piece.span, 0);
            piece.line_start = false;
        }
        if let Some(first) = replacement.first_mut() {
            first.space_before = name.space_before;
        }
        self.disabled.insert(definition.name.clone());
        let of = Some(definition.name.clone());
        self.contexts.push(Context { tokens: replacement.into_iter(), of, barrier: false });
        None
    }

    /// The span of a token that the macro `name`, used at `used`, has from `definition`.
    fn span_of_use(&mut self, used: Span, name: &Rc<str>, definition: Span, depth: u32) -> Span {
        if depth == MAX_CHAIN {
            return used;
        }
        let expansion = match self.sources.expansion(used.expansion) {
            None => self.expansion_id(name, definition),
            Some(outer) => {
                // The use itself came out of a macro: its place in that macro leads on to this one.
                let outer_name: Rc<str> = outer.macro_name.as_str().into();
                let inner = self.span_of_use(outer.definition, name, definition, depth + 1);
                self.expansion_id(&outer_name, inner)
            }
        };
        Span { expansion, ..used }
    }

    fn expansion_id(&mut self, name: &Rc<str>, definition: Span) -> ExpansionId {
        let key = (name.clone(), definition);
        if let Some(&id) = self.expansion_ids.get(&key) {
            return id;
        }
        let id = self.sources.add_expansion(Expansion { macro_name: name.to_string(), definition });
        self.expansion_ids.insert(key, id);
        id
    }

    /// Reads `( … , … )`. On an error, returns a token to stand for the call.
    fn collect_arguments(&mut self, definition: &Macro, name: &Piece) -> Result<Vec<Vec<Piece>>, Piece> {
        let invalid = Piece { kind: PieceKind::Invalid, ..name.clone() };
        let wanted = definition.parameters.as_ref().map_or(0, Vec::len);
        self.collecting += 1;
        let open = self.next_unexpanded();
        let mut arguments = vec![Vec::new()];
        let mut nesting = 0;
        let closed = loop {
            let Some(mut piece) = self.next_unexpanded() else { break false };
            if piece.is_identifier() && self.disabled.contains(&piece.text) {
                piece.painted = true;
            }
            if nesting == 0 && piece.is(")") {
                break true;
            }
            let in_rest = definition.variadic && arguments.len() == wanted;
            if nesting == 0 && piece.is(",") && !in_rest {
                arguments.push(Vec::new());
                continue;
            }
            if piece.is("(") {
                nesting += 1;
            } else if piece.is(")") {
                nesting -= 1;
            }
            piece.line_start = false;
            if let Some(argument) = arguments.last_mut() {
                argument.push(piece);
            }
        };
        self.collecting -= 1;

        if !closed {
            let place = open.map_or(name.span, |piece| piece.span);
            self.diagnostics.push(
                Diagnostic::error(
                    format!("the arguments of the macro `{}` do not end", definition.name),
                    name.span,
                )
                .expected("in this use")
                .also(place, "no `)` for this `(`")
                .also(definition.span, "the macro is defined here"),
            );
            return Err(invalid);
        }
        if !definition.accepts(&arguments) {
            let given = arguments.len();
            let at_least = if definition.variadic { "at least " } else { "" };
            let wanted = if definition.variadic { wanted - 1 } else { wanted };
            let plural = if wanted == 1 { "" } else { "s" };
            let message = format!(
                "the macro `{}` takes {at_least}{wanted} argument{plural}, not {given}",
                definition.name
            );
            self.diagnostics.push(
                Diagnostic::error(message, name.span).also(definition.span, "the macro is defined here"),
            );
            return Err(invalid);
        }
        Ok(arguments)
    }
}
