//! Model and formula made smaller together.
//!
//! The formula first, since a smaller one needs less of the model; then the model; and again, until neither
//! changes. A model that has lost what a proposition is about is refused by whoever reads it, and so is not
//! kept by the predicate.

use super::ModelWithFormula;
use crate::{formula, shrink as shrink_model};

/// The smallest pair found for which the predicate still holds; the pair itself if it holds for none.
pub fn shrink(
    mut pair: ModelWithFormula,
    still_fails: &mut dyn FnMut(&ModelWithFormula) -> bool,
) -> ModelWithFormula {
    loop {
        let before = pair.clone();
        let with_formula =
            |formula: &formula::FormulaTree| ModelWithFormula { formula: formula.clone(), ..before.clone() };
        let smaller =
            formula::shrink(before.formula.clone(), &mut |candidate| still_fails(&with_formula(candidate)));
        pair.formula = smaller;
        let with_model =
            |model: &crate::PromelaModel| ModelWithFormula { model: model.clone(), ..pair.clone() };
        let smaller = shrink_model(pair.model.clone(), &mut |candidate| still_fails(&with_model(candidate)));
        pair.model = smaller;
        if pair == before {
            return pair;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Comparable;
    use super::*;

    #[test]
    fn both_sides_shrink() {
        let wanted = |pair: &ModelWithFormula| {
            let text = pair.to_string();
            text.contains("[] ") && text.contains("g0")
        };
        let pairs = (0..100).map(|seed| ModelWithFormula::generate(seed, Comparable::WithSpin));
        for pair in pairs.filter(wanted).take(3) {
            let small = shrink(pair, &mut |candidate| wanted(candidate));
            assert!(small.formula.size() <= 2, "{small}");
            assert!(small.to_string().lines().count() <= 12, "{small}");
        }
    }
}
