//! A random model with a random formula about it.
//!
//! The formula is a [`FormulaTree`] whose propositions stand for conditions of the model: comparisons of its
//! variables, numbers of messages, places of its processes. `propositions` finds them, `shapes` draws the
//! temporal part, `walker` keeps models going that would come to rest, [`shrink`] makes both smaller
//! together. The text is the model with an `ltl` block behind it, in Spin's spelling and with all brackets.
//!
//! With [`Comparable::WithSpin`] the pair means the same in Spin and here. What is left out, and why:
//! `_nr_pr` (Spin counts the claim as a process), `_last` (the claim is a process that moves), hidden
//! variables (what Spin finds depends on the order of its search), assertions (they end Spin's search before
//! a cycle is found), accept and progress labels (Spin's search would take cycles through them for
//! violations), and the operator `X` (Debian's Spin is built without it).

mod propositions;
mod shapes;
mod shrink;
mod walker;

pub use shrink::shrink;

use crate::formula::{Binary, FormulaTree, Unary};
use crate::generate::generate as generate_model;
use crate::model::{Expression, PromelaModel};
use crate::options::{Features, GeneratorOptions};
use crate::random::Random;
use std::fmt;

/// Who is to be asked about a pair.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comparable {
    WithSpin,
    /// Our own checks only: everything goes.
    AmongOurselves,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelWithFormula {
    pub model: PromelaModel,
    pub formula: FormulaTree,
    /// What the formula's propositions stand for, by number.
    pub propositions: Vec<Expression>,
}

/// The name of the formula in the text.
pub const FORMULA: &str = "f";

/// Models that are tried until one is comparable.
const ATTEMPTS: u64 = 64;

impl ModelWithFormula {
    /// The pair of a seed.
    pub fn generate(seed: u64, comparable: Comparable) -> ModelWithFormula {
        let mut features = Features::all();
        if comparable == Comparable::WithSpin {
            features.hidden = false;
            features.assertions = false;
            features.special_labels = false;
            features.last = false;
            features.process_numbers = false;
        }
        // Another stream than the model's, which begins with the same numbers.
        let mut random = Random::new(seed ^ 0x6c74_6c00_0000_0000);
        let walks = random.chance(50);
        let most = if walks { 2 } else { 4 };
        let options = GeneratorOptions {
            features,
            statements: if walks { (2, 8) } else { (3, 16) },
            max_process_types: most,
            max_processes: most,
            ..GeneratorOptions::default()
        };
        let draw = |attempt: u64| generate_model(seed.wrapping_mul(ATTEMPTS).wrapping_add(attempt), &options);
        // `run` waits for a place, by `_nr_pr`, whatever the features are.
        let usable = |model: &PromelaModel| {
            comparable == Comparable::AmongOurselves || !model.to_string().contains("_nr_pr")
        };
        let found = (0..ATTEMPTS).map(draw).find(usable);
        let mut model = found.unwrap_or_else(|| {
            let features = Features { dynamic: false, ..options.features.clone() };
            generate_model(seed, &GeneratorOptions { features, ..options.clone() })
        });
        let wanted = 1 + random.below(FormulaTree::NAMES.len());
        let mut propositions = propositions::draw(&mut random, &model, wanted);
        if walks {
            let places = walker::add(&mut random, &mut model);
            propositions.splice(..propositions.len().min(places.len()), places);
        }
        let formula = shapes::draw(&mut random, propositions.len(), comparable);
        ModelWithFormula { model, formula, propositions }
    }

    /// The formula in Spin's spelling.
    pub fn formula_text(&self) -> String {
        let mut text = String::new();
        self.write(&self.formula, &mut text);
        text
    }

    fn write(&self, tree: &FormulaTree, out: &mut String) {
        // Spin has no spelling for two operators: they are said by others.
        let mut between = |left: &FormulaTree, operator: &str, right: &FormulaTree| {
            out.push('(');
            self.write(left, out);
            out.push_str(operator);
            self.write(right, out);
            out.push(')');
        };
        match tree {
            FormulaTree::Constant(value) => out.push_str(if *value { "true" } else { "false" }),
            FormulaTree::Proposition(number) => {
                out.push('(');
                out.push_str(&self.propositions[*number % self.propositions.len()].to_string());
                out.push(')');
            }
            FormulaTree::Unary(operator, operand) => {
                out.push_str(match operator {
                    Unary::Not => "(! ",
                    Unary::Next => "(X ",
                    Unary::Finally => "(<> ",
                    Unary::Globally => "([] ",
                });
                self.write(operand, out);
                out.push(')');
            }
            FormulaTree::Binary(Binary::StrongRelease, left, right) => {
                let both = FormulaTree::Binary(Binary::And, left.clone(), right.clone());
                between(right, " U ", &both);
            }
            FormulaTree::Binary(Binary::Xor, left, right) => {
                let other = FormulaTree::Unary(Unary::Not, right.clone());
                between(left, " <-> ", &other);
            }
            FormulaTree::Binary(operator, left, right) => {
                let spelling = match operator {
                    Binary::And => " && ",
                    Binary::Or => " || ",
                    Binary::Implies => " -> ",
                    Binary::Until => " U ",
                    Binary::Release => " V ",
                    Binary::WeakUntil => " W ",
                    Binary::Equivalent | Binary::Xor | Binary::StrongRelease => " <-> ",
                };
                between(left, spelling, right);
            }
        }
    }
}

impl fmt::Display for ModelWithFormula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\nltl {FORMULA} {{ {} }}\n", self.model, self.formula_text())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn a_seed_says_all() {
        for comparable in [Comparable::WithSpin, Comparable::AmongOurselves] {
            let texts = |seed| ModelWithFormula::generate(seed, comparable).to_string();
            assert!((0..100).all(|seed| texts(seed) == texts(seed)));
            assert_eq!((0..300).map(texts).collect::<HashSet<_>>().len(), 300);
        }
    }

    #[test]
    fn nothing_that_means_something_else_in_spin() {
        for seed in 0..1000 {
            let text = ModelWithFormula::generate(seed, Comparable::WithSpin).to_string();
            for word in ["_nr_pr", "_last", "hidden", "assert", "accept", "progress", "(X "] {
                assert!(!text.contains(word), "seed {seed} has {word}\n{text}");
            }
        }
    }

    #[test]
    fn operators_without_a_spelling_are_said_by_others() {
        let mut pair = ModelWithFormula::generate(1, Comparable::WithSpin);
        pair.propositions = vec![Expression::name("p"), Expression::name("q")];
        let mut text = |operator| {
            let (p, q) = (FormulaTree::Proposition(0), FormulaTree::Proposition(1));
            pair.formula = FormulaTree::binary(operator, p, q);
            pair.formula_text()
        };
        assert_eq!(text(Binary::StrongRelease), "((q) U ((p) && (q)))");
        assert_eq!(text(Binary::Xor), "((p) <-> (! (q)))");
        assert_eq!(text(Binary::Release), "((p) V (q))");
    }
}
