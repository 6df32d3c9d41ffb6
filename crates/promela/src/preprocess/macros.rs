//! Macros: their definitions, their table, and what one use is replaced with.
//!
//! This file knows nothing of files and directives: given a macro and its arguments (as written, and
//! expanded), it builds the replacement, with `#` and `##` carried out. Which name is expanded when is
//! decided in `expand`.

use std::collections::HashMap;
use std::rc::Rc;

use lariat_source::Span;

use super::scan::{Piece, PieceKind, scan_single};

/// What a macro is replaced with.
#[derive(Clone, Debug)]
pub(super) enum Replacement {
    Body(Vec<Piece>),
    /// `__LINE__`: the line of the use.
    Line,
    /// `__FILE__`: the file of the use.
    File,
    /// `__COUNTER__`: 0, 1, 2, …
    Counter,
}

#[derive(Clone, Debug)]
pub(super) struct Macro {
    pub name: Rc<str>,
    /// `None` for `#define N 3`; `Some` for `#define f(x) …`.
    pub parameters: Option<Vec<Rc<str>>>,
    /// The last parameter takes all further arguments (`...`).
    pub variadic: bool,
    pub replacement: Replacement,
    /// The name in the definition.
    pub span: Span,
}

impl Macro {
    pub fn is_function_like(&self) -> bool {
        self.parameters.is_some()
    }

    fn parameter(&self, piece: &Piece) -> Option<usize> {
        if !piece.is_identifier() {
            return None;
        }
        self.parameters.as_ref()?.iter().position(|name| *name == piece.text)
    }

    /// Whether two definitions mean the same, so that a second one needs no warning.
    pub fn same_as(&self, other: &Macro) -> bool {
        let same_body = match (&self.replacement, &other.replacement) {
            (Replacement::Body(a), Replacement::Body(b)) => {
                a.len() == b.len()
                    && a.iter().zip(b).enumerate().all(|(i, (x, y))| {
                        x.text == y.text && x.kind == y.kind && (i == 0 || x.space_before == y.space_before)
                    })
            }
            _ => false,
        };
        same_body && self.parameters == other.parameters && self.variadic == other.variadic
    }

    /// Whether this many arguments fit. One empty argument may also be none.
    pub fn accepts(&self, arguments: &[Vec<Piece>]) -> bool {
        let wanted = self.parameters.as_ref().map_or(0, Vec::len);
        let given =
            if wanted == 0 && arguments.len() == 1 && arguments[0].is_empty() { 0 } else { arguments.len() };
        given == wanted || (self.variadic && given + 1 == wanted)
    }
}

/// The macros defined at some point of the text. Opaque to other crates: it can be kept to read more text
/// under the same definitions.
#[derive(Clone, Debug, Default)]
pub struct Macros {
    table: HashMap<Rc<str>, Rc<Macro>>,
}

impl Macros {
    pub(super) fn get(&self, name: &str) -> Option<&Rc<Macro>> {
        self.table.get(name)
    }

    pub(crate) fn is_defined(&self, name: &str) -> bool {
        self.table.contains_key(name)
    }

    /// Returns the definition that this one replaces.
    pub(super) fn define(&mut self, definition: Macro) -> Option<Rc<Macro>> {
        self.table.insert(definition.name.clone(), Rc::new(definition))
    }

    pub(super) fn undefine(&mut self, name: &str) {
        self.table.remove(name);
    }
}

/// An argument of a macro call, as written and with its own macros expanded (`#` and `##` see the former).
pub(super) struct Argument {
    pub written: Vec<Piece>,
    pub expanded: Vec<Piece>,
}

/// Two tokens that `##` cannot join.
pub(super) struct BadPaste {
    pub left: Piece,
    pub right: Piece,
}

/// The replacement of one use: the macro's body with parameters, `#` and `##` carried out. Spans are still
/// those of the body and of the arguments.
pub(super) fn substitute(
    definition: &Macro,
    body: &[Piece],
    arguments: &[Argument],
    bad_pastes: &mut Vec<BadPaste>,
) -> Vec<Piece> {
    let mut out: Vec<Piece> = Vec::new();
    // Whether the left operand of a coming `##` is empty (then `out` ends with something that is not it).
    let mut left_is_empty = true;
    let mut pasting = false;
    let mut i = 0;
    while i < body.len() {
        let piece = &body[i];
        if piece.is("##") && i > 0 && i + 1 < body.len() {
            pasting = true;
            i += 1;
            continue;
        }
        let joined_to_next = body.get(i + 1).is_some_and(|next| next.is("##")) && i + 2 < body.len();
        let stringified = if definition.is_function_like() && piece.is("#") {
            body.get(i + 1).and_then(|next| definition.parameter(next))
        } else {
            None
        };
        let mut replacement = if let Some(parameter) = stringified {
            i += 1;
            vec![stringify(piece, arguments.get(parameter).map_or(&[], |a| &a.written))]
        } else if let Some(parameter) = definition.parameter(piece) {
            let argument = arguments.get(parameter);
            let is_rest = definition.variadic
                && definition.parameters.as_ref().is_some_and(|p| parameter + 1 == p.len());
            if pasting && is_rest && out.last().is_some_and(|p| p.is(",")) && !left_is_empty {
                // GNU: `, ## rest` drops the comma when there is no rest, and otherwise joins nothing.
                pasting = false;
                match argument {
                    Some(argument) if !argument.written.is_empty() => {}
                    _ => {
                        out.pop();
                    }
                }
            }
            let tokens = match argument {
                None => &[][..],
                Some(argument) if pasting || joined_to_next => &argument.written,
                Some(argument) => &argument.expanded,
            };
            let mut tokens = tokens.to_vec();
            if let Some(first) = tokens.first_mut() {
                first.space_before = piece.space_before;
            }
            tokens
        } else {
            vec![piece.clone()]
        };

        let is_empty = replacement.is_empty();
        if pasting && !is_empty && !left_is_empty {
            let right = replacement.remove(0);
            if let Some(left) = out.pop() {
                paste(left, right, &mut out, bad_pastes);
            }
        }
        left_is_empty = is_empty && (left_is_empty || !pasting);
        pasting = false;
        out.append(&mut replacement);
        i += 1;
    }
    out
}

fn paste(left: Piece, right: Piece, out: &mut Vec<Piece>, bad_pastes: &mut Vec<BadPaste>) {
    let text = format!("{}{}", left.text, right.text);
    match scan_single(&text) {
        Some(kind) => out.push(Piece { kind, text: text.into(), painted: false, ..left }),
        None => {
            bad_pastes.push(BadPaste { left: left.clone(), right: right.clone() });
            out.push(left);
            out.push(right);
        }
    }
}

/// `#parameter`: the argument's text as a string.
fn stringify(operator: &Piece, argument: &[Piece]) -> Piece {
    let mut text = String::from("\"");
    for (i, piece) in argument.iter().enumerate() {
        if i > 0 && piece.space_before {
            text.push(' ');
        }
        let is_literal = matches!(piece.kind, PieceKind::Text | PieceKind::Character);
        for c in piece.text.chars() {
            if is_literal && matches!(c, '"' | '\\') {
                text.push('\\');
            }
            text.push(c);
        }
    }
    text.push('"');
    Piece { kind: PieceKind::Text, text: text.into(), ..operator.clone() }
}
