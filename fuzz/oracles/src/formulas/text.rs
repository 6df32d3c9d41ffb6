//! Formulas and words as text, and back: the tree that was drawn, with and without the parser in between.

use super::{Check, Checked, wrong};
use lariat_generators::formula::{Binary, FormulaTree, Unary};
use lariat_ltl::parse::{BinaryOperator, Dialect, Tree, TreeKind, UnaryOperator, parse_text};
use lariat_ltl::{Formula, Formulas, Letter, Word};
use lariat_source::FileId;

/// Reads a formula; a message is a complaint.
pub(super) fn read_formula(
    formulas: &mut Formulas,
    text: &str,
    dialect: Dialect,
    subject: &str,
) -> Checked<Formula> {
    let parsed = parse_text(text, FileId::default(), 0, dialect);
    let message = parsed.diagnostics.iter().find(|message| message.is_error()).cloned();
    match (parsed.tree, message) {
        (Some(tree), None) => Ok(tree.to_formula(formulas)),
        (_, message) => {
            let message = message.map_or("no tree".to_string(), |message| message.message);
            wrong(Check::Text, format!("{subject}, as {dialect:?}"), format!("{text}: {message}"))
        }
    }
}

/// Reads a formula of a complaint again: Spot's syntax, the propositions of [`FormulaTree::NAMES`].
pub fn parse_tree(text: &str) -> Result<FormulaTree, String> {
    let parsed = parse_text(text, FileId::default(), 0, Dialect::Spot);
    let message =
        || parsed.diagnostics.first().map_or("no formula".to_string(), |message| message.message.clone());
    tree_of(parsed.tree.as_ref().ok_or_else(message)?)
}

fn tree_of(tree: &Tree) -> Result<FormulaTree, String> {
    let joined = |operator, operands: &[Tree]| -> Result<FormulaTree, String> {
        let mut operands = operands.iter().map(tree_of);
        let first = operands.next().unwrap_or_else(|| Err("an operator without operands".to_string()))?;
        operands.try_fold(first, |left, right| Ok(FormulaTree::binary(operator, left, right?)))
    };
    Ok(match &tree.kind {
        TreeKind::Constant(value) => FormulaTree::Constant(*value),
        TreeKind::Proposition(proposition) => {
            let number = FormulaTree::NAMES.iter().position(|name| *name == proposition.text);
            FormulaTree::Proposition(
                number.ok_or_else(|| format!("`{}` is not a, b, c, d", proposition.text))?,
            )
        }
        TreeKind::Unary(operator, operand) => {
            let operator = match operator {
                UnaryOperator::Not => Unary::Not,
                UnaryOperator::Next => Unary::Next,
                UnaryOperator::Finally => Unary::Finally,
                UnaryOperator::Globally => Unary::Globally,
            };
            FormulaTree::unary(operator, tree_of(operand)?)
        }
        TreeKind::Binary(operator, left, right) => {
            let operator = match operator {
                BinaryOperator::Implies => Binary::Implies,
                BinaryOperator::Equivalent => Binary::Equivalent,
                BinaryOperator::Xor => Binary::Xor,
                BinaryOperator::Until => Binary::Until,
                BinaryOperator::Release => Binary::Release,
                BinaryOperator::WeakUntil => Binary::WeakUntil,
                BinaryOperator::StrongRelease => Binary::StrongRelease,
            };
            FormulaTree::binary(operator, tree_of(left)?, tree_of(right)?)
        }
        TreeKind::And(operands) => joined(Binary::And, operands)?,
        TreeKind::Or(operands) => joined(Binary::Or, operands)?,
    })
}

/// The formula, without its text.
pub(super) fn built(formulas: &mut Formulas, tree: &FormulaTree) -> Formula {
    match tree {
        FormulaTree::Constant(value) => formulas.constant(*value),
        FormulaTree::Proposition(number) => formulas.proposition(FormulaTree::NAMES[*number]),
        FormulaTree::Unary(operator, operand) => {
            let operand = built(formulas, operand);
            match operator {
                Unary::Not => formulas.not(operand),
                Unary::Next => formulas.next(operand),
                Unary::Finally => formulas.finally(operand),
                Unary::Globally => formulas.globally(operand),
            }
        }
        FormulaTree::Binary(operator, left, right) => {
            let left = built(formulas, left);
            let right = built(formulas, right);
            match operator {
                Binary::And => formulas.and2(left, right),
                Binary::Or => formulas.or2(left, right),
                Binary::Implies => formulas.implies(left, right),
                Binary::Equivalent => formulas.equivalent(left, right),
                Binary::Xor => {
                    let same = formulas.equivalent(left, right);
                    formulas.not(same)
                }
                Binary::Until => formulas.until(left, right),
                Binary::Release => formulas.release(left, right),
                Binary::WeakUntil => formulas.weak_until(left, right),
                Binary::StrongRelease => formulas.strong_release(left, right),
            }
        }
    }
}

/// A word as text: the propositions that are true, position by position, the cycle in parentheses.
pub(super) fn shown(word: &Word, propositions: &[String]) -> String {
    let letter = |letter: &Letter| {
        let is_true = |(number, _): &(usize, &String)| letter.get(*number as u32);
        let names: Vec<&str> =
            propositions.iter().enumerate().filter(is_true).map(|(_, name)| name.as_str()).collect();
        format!("{{{}}}", names.join(","))
    };
    let letters = |letters: &[Letter]| letters.iter().map(letter).collect::<Vec<_>>().join(" ");
    format!("{} ({})^ω", letters(&word.prefix), letters(&word.cycle)).trim_start().to_string()
}
