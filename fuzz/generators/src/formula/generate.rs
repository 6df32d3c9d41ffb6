//! Drawing formulas.
//!
//! The size is drawn first, evenly from 1 to the largest wanted, and the tree has exactly that size. Which
//! operators it has is a matter of its [`Profile`]: formulas in which all operators are equally likely are
//! seldom deep in any one way, and errors hide where many of a kind meet. So some formulas nest `U` and `R`,
//! some are made of `GF` and `FG`, some of `X`, and some hold small temporal formulas together by
//! propositional logic.

use super::{Binary, FormulaTree, Unary};
use crate::random::Random;

/// What a formula is mostly made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Profile {
    Balanced,
    /// `U`, `R`, `W`, `M` inside each other.
    Nested,
    /// `F`, `G`, and both together.
    Fair,
    /// `X`.
    Stepwise,
    /// Propositional operators, few temporal ones.
    Propositional,
}

/// One operator, or two that often come together.
#[derive(Clone, Copy)]
enum Draw {
    Unary(Unary),
    /// The first outside.
    Pair(Unary, Unary),
    Binary(Binary),
}

impl Profile {
    pub const ALL: [Profile; 5] =
        [Profile::Balanced, Profile::Nested, Profile::Fair, Profile::Stepwise, Profile::Propositional];

    fn weights(self) -> Vec<(u32, Draw)> {
        let [not, next, finally, globally, infinitely_often, almost_always] = match self {
            Profile::Balanced => [2, 2, 2, 2, 1, 1],
            Profile::Nested => [1, 1, 1, 1, 0, 0],
            Profile::Fair => [1, 0, 4, 4, 5, 5],
            Profile::Stepwise => [1, 8, 2, 2, 1, 1],
            Profile::Propositional => [3, 1, 2, 2, 1, 1],
        };
        let [and, or, implies, equivalent, xor] = match self {
            Profile::Balanced => [2, 2, 1, 1, 1],
            Profile::Nested => [1, 1, 0, 0, 0],
            Profile::Fair => [4, 4, 2, 1, 1],
            Profile::Stepwise => [2, 2, 1, 1, 0],
            Profile::Propositional => [5, 5, 3, 2, 2],
        };
        let [until, release, weak_until, strong_release] = match self {
            Profile::Balanced => [2, 2, 2, 2],
            Profile::Nested => [4, 4, 4, 4],
            Profile::Fair => [1, 1, 0, 0],
            Profile::Stepwise => [2, 1, 1, 1],
            Profile::Propositional => [1, 1, 1, 1],
        };
        vec![
            (not, Draw::Unary(Unary::Not)),
            (next, Draw::Unary(Unary::Next)),
            (finally, Draw::Unary(Unary::Finally)),
            (globally, Draw::Unary(Unary::Globally)),
            (infinitely_often, Draw::Pair(Unary::Globally, Unary::Finally)),
            (almost_always, Draw::Pair(Unary::Finally, Unary::Globally)),
            (and, Draw::Binary(Binary::And)),
            (or, Draw::Binary(Binary::Or)),
            (implies, Draw::Binary(Binary::Implies)),
            (equivalent, Draw::Binary(Binary::Equivalent)),
            (xor, Draw::Binary(Binary::Xor)),
            (until, Draw::Binary(Binary::Until)),
            (release, Draw::Binary(Binary::Release)),
            (weak_until, Draw::Binary(Binary::WeakUntil)),
            (strong_release, Draw::Binary(Binary::StrongRelease)),
        ]
    }
}

impl Draw {
    /// The smallest formula that it makes.
    fn least(self) -> usize {
        match self {
            Draw::Unary(_) => 2,
            Draw::Pair(..) | Draw::Binary(_) => 3,
        }
    }
}

/// A formula of any size up to `largest`, which depends on the seed and on `largest` alone.
pub fn generate(seed: u64, largest: usize) -> FormulaTree {
    let mut random = Random::new(seed);
    let size = 1 + random.below(largest.max(1));
    generate_sized(&mut random, size)
}

/// A formula of exactly this size.
pub fn generate_sized(random: &mut Random, size: usize) -> FormulaTree {
    let profile = *random.pick(&Profile::ALL);
    let propositions = 1 + random.below(FormulaTree::NAMES.len());
    let weights = profile.weights();
    draw(random, &weights, propositions, size)
}

fn draw(random: &mut Random, weights: &[(u32, Draw)], propositions: usize, size: usize) -> FormulaTree {
    if size <= 1 {
        return if random.chance(4) {
            FormulaTree::Constant(random.chance(50))
        } else {
            FormulaTree::Proposition(random.below(propositions))
        };
    }
    let fitting: Vec<(u32, Draw)> =
        weights.iter().copied().filter(|(weight, draw)| *weight > 0 && draw.least() <= size).collect();
    let operator = if fitting.is_empty() { Draw::Unary(Unary::Next) } else { random.weighted(&fitting) };
    match operator {
        Draw::Unary(operator) => FormulaTree::unary(operator, draw(random, weights, propositions, size - 1)),
        Draw::Pair(outer, inner) => {
            let operand = draw(random, weights, propositions, size - 2);
            FormulaTree::unary(outer, FormulaTree::unary(inner, operand))
        }
        Draw::Binary(operator) => {
            let left = 1 + random.below(size - 2);
            let left_operand = draw(random, weights, propositions, left);
            let right_operand = draw(random, weights, propositions, size - 1 - left);
            FormulaTree::binary(operator, left_operand, right_operand)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn a_seed_says_all() {
        for seed in 0..200 {
            assert_eq!(generate(seed, 20), generate(seed, 20));
        }
        assert_ne!(generate(1, 20), generate(2, 20));
    }

    #[test]
    fn every_size_and_every_operator_comes_up() {
        let mut sizes = HashSet::new();
        let (mut unary, mut binary, mut leaves) = (HashSet::new(), HashSet::new(), HashSet::new());
        for seed in 0..2000 {
            let tree = generate(seed, 20);
            sizes.insert(tree.size());
            for part in tree.subformulas() {
                match part {
                    FormulaTree::Unary(operator, _) => _ = unary.insert(*operator),
                    FormulaTree::Binary(operator, ..) => _ = binary.insert(*operator),
                    leaf => _ = leaves.insert(leaf.clone()),
                }
            }
        }
        assert_eq!(sizes, (1..=20).collect());
        assert_eq!(unary, Unary::ALL.into_iter().collect());
        assert_eq!(binary, Binary::ALL.into_iter().collect());
        assert_eq!(leaves.len(), 2 + FormulaTree::NAMES.len());
    }

    #[test]
    fn sizes_are_exact() {
        let mut random = Random::new(3);
        for size in 1..60 {
            assert_eq!(generate_sized(&mut random, size).size(), size);
        }
    }
}
