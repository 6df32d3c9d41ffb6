//! From formulas to automata by way of very weak alternating automata.
//!
//! ```text
//! Formula ─negation normal form─▶ very weak alternating automaton ─sets of states─▶ generalised Büchi automaton
//! ```
//!
//! Gastin and Oddoux, "Fast LTL to Büchi automata translation" (CAV 2001), with ideas of Babiak, Křetínský,
//! Řehák and Strejček, "LTL to Büchi automata translation: fast and more deterministic" (TACAS 2012).
//! `very_weak` is the first half, `generalised` the second; `choices` has the disjunctions of guarded
//! conjunctions that both compute with.
//!
//! Where we deviate from the papers:
//!
//! - Labels are Boolean functions, not products of literals, and what a set of states demands of the next
//!   letter alone is one function beside the set: `X(p | q)` leads to one obligation, not to a choice of two.
//! - A choice that demands more than another one loses the letters that the other one admits, instead of
//!   being dropped only if all its letters are admitted. That is where the determinism comes from.
//! - A state whose demands another state of the same set makes anyway (`F a` beside `G F a`) is left out of
//!   the set; its acceptance set still sees it. Else `GF a1 & … & GF an` would go through 2^n sets that are
//!   merged in the end.
//! - Suspension only inside formulas: a formula whose truth no finite prefix changes (`GF a`, `FG a`) is put
//!   off to the next step when it comes up inside another one.
//!
//! The formula is brought to negation normal form, nothing else is rewritten: the translation is a check of
//! the other one ([`crate::tableau`]), and of the rewriting.

mod choices;
mod generalised;
mod very_weak;

use crate::automaton::Automaton;
use crate::bdd::Bdds;
use crate::formula::{Formula, Formulas};
use crate::limits::{Excess, Limits};
use very_weak::VeryWeak;

/// The automaton of the words that satisfy the formula; it has one initial state.
pub fn translate(
    formulas: &mut Formulas,
    formula: Formula,
    bdds: &mut Bdds,
    limits: Limits,
) -> Result<Automaton, Excess> {
    let formula = formulas.negation_normal_form(formula);
    let very_weak = VeryWeak::new(formulas, formula, bdds)?;
    let propositions = formulas.propositions().to_vec();
    generalised::build(&very_weak, propositions, bdds, limits).ok_or(Excess::Work)
}
