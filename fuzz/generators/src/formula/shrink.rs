//! Shrinking: the smallest formula that still fails.
//!
//! A formula is replaced by one that comes from it by a single edit, as long as the predicate holds for that
//! one: first the whole by a part, then, at each place, a part by one of its operands, by a constant, by a
//! proposition, an operator by a plainer one, and at last one proposition by another everywhere. An edit
//! counts only if it lowers [`weight`], so this ends.

use super::{Binary, FormulaTree, Unary};

/// The smallest formula found for which the predicate still holds; the formula itself if it holds for none.
pub fn shrink(mut tree: FormulaTree, still_fails: &mut dyn FnMut(&FormulaTree) -> bool) -> FormulaTree {
    loop {
        let bound = weight(&tree);
        let better = |candidate: &FormulaTree| weight(candidate) < bound && still_fails(candidate);
        match edits(&tree).into_iter().find(better) {
            Some(smaller) => tree = smaller,
            None => return tree,
        }
    }
}

/// What shrinking lowers: the size, then how much the operators and operands say.
fn weight(tree: &FormulaTree) -> (usize, usize) {
    let parts = tree.subformulas();
    let says = |part: &&FormulaTree| match part {
        FormulaTree::Constant(value) => !value as usize,
        FormulaTree::Proposition(number) => 2 + number,
        FormulaTree::Unary(operator, _) => *operator as usize,
        FormulaTree::Binary(operator, ..) => *operator as usize,
    };
    (parts.len(), parts.iter().map(says).sum())
}

/// All formulas that one edit makes, those that change most first.
fn edits(tree: &FormulaTree) -> Vec<FormulaTree> {
    let mut found: Vec<FormulaTree> =
        tree.subformulas()[1..].iter().rev().map(|&part| part.clone()).collect();
    found.sort_by_key(FormulaTree::size);
    edits_inside(tree, &mut |edited| found.push(edited));
    for from in (1..FormulaTree::NAMES.len()).rev() {
        for to in 0..from {
            found.push(tree.renamed(&|number| if number == from { to } else { number }));
        }
    }
    found
}

fn edits_inside(tree: &FormulaTree, give: &mut dyn FnMut(FormulaTree)) {
    if !tree.operands().is_empty() {
        give(FormulaTree::Constant(true));
        give(FormulaTree::Constant(false));
        give(FormulaTree::Proposition(0));
    }
    match tree {
        FormulaTree::Constant(_) => give(FormulaTree::Constant(true)),
        FormulaTree::Proposition(number) => {
            give(FormulaTree::Constant(true));
            give(FormulaTree::Constant(false));
            (0..*number).for_each(|smaller| give(FormulaTree::Proposition(smaller)));
        }
        FormulaTree::Unary(operator, operand) => {
            give((**operand).clone());
            for plainer in Unary::ALL.into_iter().filter(|plainer| plainer < operator) {
                give(FormulaTree::Unary(plainer, operand.clone()));
            }
            edits_inside(operand, &mut |edited| give(FormulaTree::unary(*operator, edited)));
        }
        FormulaTree::Binary(operator, left, right) => {
            give((**left).clone());
            give((**right).clone());
            for unary in Unary::ALL {
                give(FormulaTree::Unary(unary, left.clone()));
                give(FormulaTree::Unary(unary, right.clone()));
            }
            for plainer in Binary::ALL.into_iter().filter(|plainer| plainer < operator) {
                give(FormulaTree::Binary(plainer, left.clone(), right.clone()));
            }
            edits_inside(left, &mut |edited| {
                give(FormulaTree::Binary(*operator, Box::new(edited), right.clone()));
            });
            edits_inside(right, &mut |edited| {
                give(FormulaTree::Binary(*operator, left.clone(), Box::new(edited)));
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formula::generate;

    /// A predicate that only looks for an operator leaves that operator over the plainest operands.
    #[test]
    fn leaves_what_the_predicate_is_about() {
        let has = |tree: &FormulaTree| {
            let is_it = |part: &&FormulaTree| matches!(part, FormulaTree::Binary(Binary::StrongRelease, ..));
            tree.subformulas().iter().any(is_it)
        };
        let mut shrunk = 0;
        for seed in 0..300 {
            let tree = generate(seed, 20);
            if has(&tree) {
                let smallest = shrink(tree, &mut |candidate| has(candidate));
                assert_eq!(smallest.to_string(), "(1 M 1)");
                shrunk += 1;
            }
        }
        assert!(shrunk > 20);
    }

    #[test]
    fn propositions_are_merged() {
        let is_wide = |tree: &FormulaTree| tree.size() >= 7;
        let a = |number| FormulaTree::Proposition(number);
        let pair = |left, right| FormulaTree::binary(Binary::Xor, left, right);
        let tree = pair(pair(a(3), a(2)), pair(a(1), a(3)));
        assert_eq!(shrink(tree, &mut |candidate| is_wide(candidate)).to_string(), "((1 & 1) & (1 & 1))");
    }
}
