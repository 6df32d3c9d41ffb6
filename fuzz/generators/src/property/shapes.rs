//! The temporal part of a formula about a model.
//!
//! A formula drawn operator by operator is mostly violated at the first state, or holds everywhere. So most
//! are shapes that people write: each kind of strength that an automaton can have comes up, and several
//! acceptance sets. A part is a proposition, a small combination of them, or now and then a shape again. Some
//! are drawn operator by operator all the same.
//!
//! Of most violations a depth-first search sees the cycle as soon as it closes. That a nested search is
//! needed is rare: the accepting state must lie inside a cycle, away from the arc that closes it. So every
//! other formula says that certain things do not all happen for ever ([`unfair`]): a cycle that violates it
//! is long, and few of its states accept.

use super::Comparable;
use crate::formula::{Binary, FormulaTree, Unary, generate_sized};
use crate::random::Random;

/// The largest formula that is drawn operator by operator.
const LARGEST: usize = 9;

pub(super) fn draw(random: &mut Random, propositions: usize, comparable: Comparable) -> FormulaTree {
    let formula = match random.below(10) {
        0..=4 => unfair(random, propositions),
        5 | 6 => {
            let size = 2 + random.below(LARGEST - 1);
            let drawn = generate_sized(random, size).renamed(&|number| number % propositions);
            if random.chance(25) { not(drawn) } else { drawn }
        }
        _ if random.chance(25) => not(shape(random, propositions, 1)),
        _ => shape(random, propositions, 1),
    };
    match comparable {
        Comparable::WithSpin => without_next(&formula),
        Comparable::AmongOurselves if random.chance(10) => FormulaTree::unary(Unary::Next, formula),
        Comparable::AmongOurselves => formula,
    }
}

fn not(operand: FormulaTree) -> FormulaTree {
    FormulaTree::unary(Unary::Not, operand)
}

fn always(operand: FormulaTree) -> FormulaTree {
    FormulaTree::unary(Unary::Globally, operand)
}

fn eventually(operand: FormulaTree) -> FormulaTree {
    FormulaTree::unary(Unary::Finally, operand)
}

fn again(operand: FormulaTree) -> FormulaTree {
    always(eventually(operand))
}

use FormulaTree as Tree;

fn both(left: Tree, right: Tree) -> Tree {
    Tree::binary(Binary::And, left, right)
}

fn implies(left: Tree, right: Tree) -> Tree {
    Tree::binary(Binary::Implies, left, right)
}

/// Two to four things do not all happen again and again: conditions, or a condition and its opposite; now and
/// then, only if something else does.
fn unfair(random: &mut Random, propositions: usize) -> FormulaTree {
    let happens = |random: &mut Random| {
        let proposition = Tree::Proposition(random.below(propositions));
        again(if random.chance(35) { not(proposition) } else { proposition })
    };
    let first = Tree::Proposition(random.below(propositions));
    let mut all =
        both(again(first.clone()), if random.chance(60) { again(not(first)) } else { happens(random) });
    for _ in 0..random.below(3) {
        all = both(all, happens(random));
    }
    match random.below(4) {
        0 => implies(all, happens(random)),
        1 => implies(happens(random), not(all)),
        _ => not(all),
    }
}

fn shape(random: &mut Random, propositions: usize, depth: u32) -> FormulaTree {
    let p = |random: &mut Random| part(random, propositions, depth);
    let (a, b, c, d) = (p(random), p(random), p(random), p(random));
    match random.below(18) {
        0 => always(a),
        1 => eventually(a),
        2 => again(a),
        3 => eventually(always(a)),
        4 => always(implies(a, eventually(b))),
        5 => always(implies(a, Tree::binary(Binary::Until, b, c))),
        6 => always(implies(a, Tree::binary(Binary::WeakUntil, b, c))),
        7 => Tree::binary(Binary::Until, a, b),
        8 => Tree::binary(Binary::Release, a, b),
        9 => Tree::binary(Binary::WeakUntil, a, b),
        10 => eventually(both(a, eventually(b))),
        11 => implies(again(a), again(b)),
        12 => both(again(a), again(b)),
        13 => implies(both(again(a), again(b)), again(c)),
        14 => implies(both(again(a), again(b)), always(implies(c, eventually(d)))),
        15 => not(both(both(again(a), again(b)), again(c))),
        16 => implies(eventually(always(a)), again(b)),
        _ => Tree::binary(Binary::Until, a, always(b)),
    }
}

/// An operand of a shape.
fn part(random: &mut Random, propositions: usize, depth: u32) -> FormulaTree {
    let proposition = |random: &mut Random| Tree::Proposition(random.below(propositions));
    let first = proposition(random);
    match random.below(20) {
        0..=11 => first,
        12..=14 => not(first),
        15 => both(first, proposition(random)),
        16 => Tree::binary(Binary::Or, first, proposition(random)),
        17 => Tree::binary(Binary::Equivalent, first, proposition(random)),
        _ if depth > 0 => shape(random, propositions, depth - 1),
        _ => first,
    }
}

/// The same, with the operand in the place of each `X`.
fn without_next(tree: &FormulaTree) -> FormulaTree {
    match tree {
        Tree::Constant(_) | Tree::Proposition(_) => tree.clone(),
        Tree::Unary(Unary::Next, operand) => without_next(operand),
        Tree::Unary(operator, operand) => Tree::unary(*operator, without_next(operand)),
        Tree::Binary(operator, left, right) => {
            Tree::binary(*operator, without_next(left), without_next(right))
        }
    }
}
