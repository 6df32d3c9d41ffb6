//! Formulas as text that others read.
//!
//! An operand that is itself an operator between others stands in brackets, whatever binds tighter: no reader
//! need know a precedence. What is printed is read as the same formula again in the dialect of the style
//! ([`Style::Spot`] in [`Dialect::Spot`], [`Style::Spin`] in both of Spin's), with one exception: `spin -f`
//! knows neither `W` nor `M`, so for Spin they are spelled out, by a law that repeats the smaller operand.

use std::borrow::Cow;

use lariat_source::FileId;

use crate::formula::{Formula, Formulas, Node, Proposition};
use crate::parse::names::{is_plain, quoted, quoted_unless_plain};
use crate::parse::{Dialect, TreeKind, parse_text};

/// Whose spelling is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// `G(a | Fb)`; propositions that are no plain names in double quotes.
    Spot,
    /// `[](a || <>b)`; propositions that are no plain names in brackets, or in double quotes if they are no
    /// expressions.
    Spin,
}

/// What remains to be written.
enum Piece<'a> {
    Text(&'static str),
    Proposition(Cow<'a, str>),
    /// An operand.
    Operand(Formula),
    /// An operand that is an operator between others gets its brackets elsewhere.
    Bare(Formula),
}

/// The formula as text, in the spelling of the style.
pub fn print(formulas: &Formulas, formula: Formula, style: Style) -> String {
    let mut out = String::new();
    let mut work = vec![Piece::Bare(formula)];
    while let Some(piece) = work.pop() {
        match piece {
            Piece::Text(text) => out.push_str(text),
            Piece::Proposition(text) => {
                // `Fa` is read as `F a`, `Fab` is not.
                let after_letter = out.ends_with(|c: char| c.is_ascii_alphabetic());
                let short = text.len() == 1 || text.bytes().skip(1).all(|b| b.is_ascii_digit());
                let joins =
                    text.starts_with(|c: char| c.is_ascii_lowercase()) && short && style == Style::Spot;
                let symbol = text.starts_with(['(', '"']);
                if after_letter && !joins && !symbol {
                    out.push(' ');
                }
                out.push_str(&text);
            }
            Piece::Operand(operand) if is_between(formulas.node(operand)) => {
                out.push('(');
                work.push(Piece::Text(")"));
                work.push(Piece::Bare(operand));
            }
            Piece::Operand(formula) | Piece::Bare(formula) => {
                let start = work.len();
                expand(formulas, formula, style, &mut work);
                work[start..].reverse();
            }
        }
    }
    out
}

/// Is it an operator with operands on both sides?
fn is_between(node: &Node) -> bool {
    match node {
        Node::False | Node::True | Node::Proposition(_) => false,
        Node::Not(_) | Node::Next(_) | Node::Finally(_) | Node::Globally(_) => false,
        Node::And(_) | Node::Or(_) | Node::Equivalent(..) => true,
        Node::Until(..) | Node::Release(..) | Node::WeakUntil(..) | Node::StrongRelease(..) => true,
    }
}

/// The pieces of a formula, from left to right.
fn expand<'a>(formulas: &'a Formulas, formula: Formula, style: Style, out: &mut Vec<Piece<'a>>) {
    let spin = style == Style::Spin;
    let either = |spin_text, spot_text| Piece::Text(if spin { spin_text } else { spot_text });
    let node = formulas.node(formula);
    match node {
        Node::False => out.push(either("false", "0")),
        Node::True => out.push(either("true", "1")),
        Node::Proposition(number) => out.push(Piece::Proposition(spelled(formulas, *number, style))),
        Node::Not(a) => out.extend([Piece::Text("!"), Piece::Operand(*a)]),
        Node::Next(a) => out.extend([either("X ", "X"), Piece::Operand(*a)]),
        Node::Finally(a) => out.extend([either("<>", "F"), Piece::Operand(*a)]),
        Node::Globally(a) => out.extend([either("[]", "G"), Piece::Operand(*a)]),
        Node::And(all) | Node::Or(all) => {
            let and = matches!(node, Node::And(_));
            for (nth, operand) in all.iter().enumerate() {
                if nth > 0 {
                    out.push(if and { either(" && ", " & ") } else { either(" || ", " | ") });
                }
                out.push(Piece::Operand(*operand));
            }
        }
        Node::Equivalent(a, b) => {
            out.extend([Piece::Operand(*a), Piece::Text(" <-> "), Piece::Operand(*b)]);
        }
        Node::Until(a, b) => out.extend([Piece::Operand(*a), Piece::Text(" U "), Piece::Operand(*b)]),
        Node::Release(a, b) => out.extend([Piece::Operand(*a), either(" V ", " R "), Piece::Operand(*b)]),
        Node::WeakUntil(a, b) if !spin => {
            out.extend([Piece::Operand(*a), Piece::Text(" W "), Piece::Operand(*b)]);
        }
        Node::StrongRelease(a, b) if !spin => {
            out.extend([Piece::Operand(*a), Piece::Text(" M "), Piece::Operand(*b)]);
        }
        Node::WeakUntil(a, b) => {
            let (a, b) = (*a, *b);
            if formulas.size(b) <= formulas.size(a) {
                out.extend([Piece::Operand(b), Piece::Text(" V (")]);
                out.extend([Piece::Operand(a), Piece::Text(" || "), Piece::Operand(b), Piece::Text(")")]);
            } else {
                out.extend([Piece::Text("[]"), Piece::Operand(a), Piece::Text(" || (")]);
                out.extend([Piece::Operand(a), Piece::Text(" U "), Piece::Operand(b), Piece::Text(")")]);
            }
        }
        Node::StrongRelease(a, b) => {
            let (a, b) = (*a, *b);
            if formulas.size(b) <= formulas.size(a) {
                out.extend([Piece::Operand(b), Piece::Text(" U (")]);
                out.extend([Piece::Operand(a), Piece::Text(" && "), Piece::Operand(b), Piece::Text(")")]);
            } else {
                out.extend([Piece::Text("<>"), Piece::Operand(a), Piece::Text(" && (")]);
                out.extend([Piece::Operand(a), Piece::Text(" V "), Piece::Operand(b), Piece::Text(")")]);
            }
        }
    }
}

fn spelled(formulas: &Formulas, number: Proposition, style: Style) -> Cow<'_, str> {
    let text = formulas.propositions()[number as usize].as_str();
    match style {
        Style::Spot => quoted_unless_plain(text, Dialect::Spot),
        Style::Spin if is_plain(text, Dialect::SpinF) => Cow::Borrowed(text),
        Style::Spin => {
            let bracketed = format!("({text})");
            let reads_back = |dialect| {
                let tree = parse_text(&bracketed, FileId::default(), 0, dialect).tree;
                tree.is_some_and(|tree| matches!(tree.kind, TreeKind::Proposition(read) if read.text == text))
            };
            let safe = reads_back(Dialect::SpinInline) && reads_back(Dialect::SpinF);
            Cow::Owned(if safe { bracketed } else { quoted(text) })
        }
    }
}
