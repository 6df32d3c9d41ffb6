//! A formula as it was written.
//!
//! Conjunctions and disjunctions that stand side by side are one node with many operands, so that a long
//! chain makes no tall tree; the height of a tree is limited by the parser, which is why walking it may
//! recurse.

use lariat_source::Span;

use super::Dialect;
use super::names::quoted_unless_plain;
use crate::formula::{Formula, Formulas};

/// A part of a formula that says something about a single state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposition {
    /// Its tokens, with single spaces around binary operators and none elsewhere; of a quoted one that is no
    /// expression, what is between the quotes.
    pub text: String,
    /// Where it stands, with the quotes and brackets around it, if there are any.
    pub span: Span,
}

/// An operator before one formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOperator {
    /// `!`
    Not,
    /// `X`: in the next state.
    Next,
    /// `F`: in some state from here on.
    Finally,
    /// `G`: in every state from here on.
    Globally,
}

/// An operator between two formulas; [`crate::formula`] says what the temporal ones mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOperator {
    /// `->`
    Implies,
    /// `<->`
    Equivalent,
    /// `xor`: one of both, not both.
    Xor,
    /// `U`
    Until,
    /// `R`
    Release,
    /// `W`
    WeakUntil,
    /// `M`
    StrongRelease,
}

/// The outermost operator, with what stands directly inside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TreeKind {
    /// `true` or `false`.
    Constant(bool),
    /// Something about a single state.
    Proposition(Proposition),
    /// An operator and its operand.
    Unary(UnaryOperator, Box<Tree>),
    /// An operator between its left and its right operand.
    Binary(BinaryOperator, Box<Tree>, Box<Tree>),
    /// Two or more.
    And(Vec<Tree>),
    /// Two or more.
    Or(Vec<Tree>),
}

/// A formula as it was written, or a part of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    /// What it is.
    pub kind: TreeKind,
    /// With the brackets around it, if there are any.
    pub span: Span,
}

impl UnaryOperator {
    /// As [`Tree::bracketed`] writes it.
    pub fn spelling(self) -> &'static str {
        match self {
            UnaryOperator::Not => "!",
            UnaryOperator::Next => "X",
            UnaryOperator::Finally => "F",
            UnaryOperator::Globally => "G",
        }
    }
}

impl BinaryOperator {
    /// As [`Tree::bracketed`] writes it.
    pub fn spelling(self) -> &'static str {
        match self {
            BinaryOperator::Implies => "->",
            BinaryOperator::Equivalent => "<->",
            BinaryOperator::Xor => "xor",
            BinaryOperator::Until => "U",
            BinaryOperator::Release => "R",
            BinaryOperator::WeakUntil => "W",
            BinaryOperator::StrongRelease => "M",
        }
    }

    /// Whether it speaks of more than one state.
    pub fn is_temporal(self) -> bool {
        !matches!(self, BinaryOperator::Implies | BinaryOperator::Equivalent | BinaryOperator::Xor)
    }
}

impl Tree {
    /// The formula that is meant. Propositions are the same if their texts are.
    pub fn to_formula(&self, formulas: &mut Formulas) -> Formula {
        match &self.kind {
            TreeKind::Constant(value) => formulas.constant(*value),
            TreeKind::Proposition(proposition) => formulas.proposition(&proposition.text),
            TreeKind::Unary(operator, operand) => {
                let operand = operand.to_formula(formulas);
                match operator {
                    UnaryOperator::Not => formulas.not(operand),
                    UnaryOperator::Next => formulas.next(operand),
                    UnaryOperator::Finally => formulas.finally(operand),
                    UnaryOperator::Globally => formulas.globally(operand),
                }
            }
            TreeKind::Binary(operator, left, right) => {
                let left = left.to_formula(formulas);
                let right = right.to_formula(formulas);
                match operator {
                    BinaryOperator::Implies => formulas.implies(left, right),
                    BinaryOperator::Equivalent => formulas.equivalent(left, right),
                    BinaryOperator::Xor => {
                        let same = formulas.equivalent(left, right);
                        formulas.not(same)
                    }
                    BinaryOperator::Until => formulas.until(left, right),
                    BinaryOperator::Release => formulas.release(left, right),
                    BinaryOperator::WeakUntil => formulas.weak_until(left, right),
                    BinaryOperator::StrongRelease => formulas.strong_release(left, right),
                }
            }
            TreeKind::And(operands) => {
                let operands = operands_of(operands, formulas);
                formulas.and(operands)
            }
            TreeKind::Or(operands) => {
                let operands = operands_of(operands, formulas);
                formulas.or(operands)
            }
        }
    }

    /// The formula with all brackets, as it was understood: `G (a -> (F b))`. In the [`Dialect::Spot`] this
    /// is read as the same formula again.
    pub fn bracketed(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }

    fn write(&self, out: &mut String) {
        match &self.kind {
            TreeKind::Constant(value) => out.push(if *value { '1' } else { '0' }),
            TreeKind::Proposition(proposition) => {
                out.push_str(&quoted_unless_plain(&proposition.text, Dialect::Spot));
            }
            TreeKind::Unary(operator, operand) => {
                out.push_str(operator.spelling());
                if *operator != UnaryOperator::Not {
                    out.push(' ');
                }
                operand.write_operand(out);
            }
            TreeKind::Binary(operator, left, right) => {
                left.write_operand(out);
                out.push(' ');
                out.push_str(operator.spelling());
                out.push(' ');
                right.write_operand(out);
            }
            TreeKind::And(operands) => write_all(operands, " & ", out),
            TreeKind::Or(operands) => write_all(operands, " | ", out),
        }
    }

    fn write_operand(&self, out: &mut String) {
        let atom = match &self.kind {
            TreeKind::Constant(_) | TreeKind::Proposition(_) => true,
            TreeKind::Unary(operator, operand) => *operator == UnaryOperator::Not && operand.is_atom(),
            _ => false,
        };
        if atom {
            self.write(out);
        } else {
            out.push('(');
            self.write(out);
            out.push(')');
        }
    }

    fn is_atom(&self) -> bool {
        matches!(self.kind, TreeKind::Constant(_) | TreeKind::Proposition(_))
    }

    /// The formulas directly inside, from left to right.
    pub fn children(&self) -> Vec<&Tree> {
        match &self.kind {
            TreeKind::Constant(_) | TreeKind::Proposition(_) => Vec::new(),
            TreeKind::Unary(_, operand) => vec![operand],
            TreeKind::Binary(_, left, right) => vec![left, right],
            TreeKind::And(operands) | TreeKind::Or(operands) => operands.iter().collect(),
        }
    }

    /// All propositions, from left to right, as often as they occur.
    pub fn propositions(&self) -> Vec<&Proposition> {
        let mut found = Vec::new();
        let mut work = vec![self];
        while let Some(tree) = work.pop() {
            if let TreeKind::Proposition(proposition) = &tree.kind {
                found.push(proposition);
            }
            work.extend(tree.children().into_iter().rev());
        }
        found
    }
}

fn operands_of(operands: &[Tree], formulas: &mut Formulas) -> Vec<Formula> {
    operands.iter().map(|operand| operand.to_formula(formulas)).collect()
}

fn write_all(operands: &[Tree], between: &str, out: &mut String) {
    for (nth, operand) in operands.iter().enumerate() {
        if nth > 0 {
            out.push_str(between);
        }
        operand.write_operand(out);
    }
}
