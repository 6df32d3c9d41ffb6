//! What a formula says about a word u·v^ω, by the definition of each operator.
//!
//! The word has as many different suffixes as it has positions in u and v, so a formula is a row of truth
//! values, one for each position; the rows of the subformulas are filled in the order of their numbers,
//! operands before operators. Nothing of the rest of the crate takes part: no normal form, no rewriting, no
//! automaton. That makes this the judge of all of them.
//!
//! `a U b` is the least solution of `z = b | (a & X z)`, likewise `F` and `M`; `a R b` is the greatest of
//! `z = b & (a | X z)`, likewise `G` and `W`. A sweep from the last position to the first computes z from its
//! successor. The last position's successor is the first of v, not yet known: the first sweep takes false
//! there (true for the greatest). Two sweeps are enough. After the first, z at the start of v says: "b is
//! reached, by way of a's, before v ends" (for the greatest: "not yet refuted before v ends"). The second
//! sweep goes on with that, so every position looks ahead for one whole v at least, which is all that will
//! ever come: what does not happen within a whole v never happens.

use rustc_hash::FxHashSet;

use crate::formula::{Formula, Formulas, Node};
use crate::word::Word;

/// Does the word satisfy the formula?
pub fn evaluate(formulas: &Formulas, formula: Formula, word: &Word) -> bool {
    evaluate_at_all(formulas, formula, word)[0]
}

/// Whether the suffix from each position on satisfies the formula.
pub fn evaluate_at_all(formulas: &Formulas, formula: Formula, word: &Word) -> Vec<bool> {
    evaluate_parts(formulas, formula, word).pop().map(|(_, row)| row).unwrap_or_default()
}

/// The formula and all inside it, operands before operators, each with whether the suffix from each position
/// on satisfies it.
pub fn evaluate_parts(formulas: &Formulas, formula: Formula, word: &Word) -> Vec<(Formula, Vec<bool>)> {
    assert!(!word.cycle.is_empty(), "an infinite word needs a cycle");
    let order = subformulas(formulas, formula);
    let mut rows: Vec<Vec<bool>> = Vec::with_capacity(order.len());
    for &part in &order {
        let row = {
            // Operands have smaller numbers, so their rows are there.
            let of = |operand: &Formula| match order.binary_search(operand) {
                Ok(at) => &rows[at],
                Err(_) => unreachable!("an operand is a subformula"),
            };
            row(formulas.node(part), word, of)
        };
        rows.push(row);
    }
    order.into_iter().zip(rows).collect()
}

/// The formula and all inside it, operands before operators.
fn subformulas(formulas: &Formulas, formula: Formula) -> Vec<Formula> {
    let mut seen = FxHashSet::default();
    let mut order = Vec::new();
    let mut work = vec![formula];
    while let Some(part) = work.pop() {
        if seen.insert(part) {
            order.push(part);
            formulas.node(part).each_child(|child| {
                assert!(child < part, "formulas are numbered after their operands");
                work.push(child);
            });
        }
    }
    order.sort_unstable();
    order
}

fn row<'a>(node: &Node, word: &Word, of: impl Fn(&Formula) -> &'a Vec<bool>) -> Vec<bool> {
    let positions = 0..word.len();
    match node {
        Node::False => vec![false; word.len()],
        Node::True => vec![true; word.len()],
        Node::Proposition(number) => positions.map(|i| word.letter(i).get(*number)).collect(),
        Node::Not(a) => of(a).iter().map(|a| !a).collect(),
        Node::And(all) => {
            let all: Vec<&Vec<bool>> = all.iter().map(of).collect();
            positions.map(|i| all.iter().all(|row| row[i])).collect()
        }
        Node::Or(all) => {
            let all: Vec<&Vec<bool>> = all.iter().map(of).collect();
            positions.map(|i| all.iter().any(|row| row[i])).collect()
        }
        Node::Equivalent(a, b) => {
            let (a, b) = (of(a), of(b));
            positions.map(|i| a[i] == b[i]).collect()
        }
        Node::Next(a) => {
            let a = of(a);
            positions.map(|i| a[word.after(i)]).collect()
        }
        Node::Finally(a) => {
            let a = of(a);
            swept(word, false, |i, later| a[i] || later)
        }
        Node::Globally(a) => {
            let a = of(a);
            swept(word, true, |i, later| a[i] && later)
        }
        Node::Until(a, b) => {
            let (a, b) = (of(a), of(b));
            swept(word, false, |i, later| b[i] || a[i] && later)
        }
        Node::WeakUntil(a, b) => {
            let (a, b) = (of(a), of(b));
            swept(word, true, |i, later| b[i] || a[i] && later)
        }
        Node::Release(a, b) => {
            let (a, b) = (of(a), of(b));
            swept(word, true, |i, later| b[i] && (a[i] || later))
        }
        Node::StrongRelease(a, b) => {
            let (a, b) = (of(a), of(b));
            swept(word, false, |i, later| b[i] && (a[i] || later))
        }
    }
}

/// The least (`start` false) or greatest (`start` true) solution of z(i) = step(i, z(after i)).
fn swept(word: &Word, start: bool, step: impl Fn(usize, bool) -> bool) -> Vec<bool> {
    let mut row = vec![start; word.len()];
    for _ in 0..2 {
        for i in (0..word.len()).rev() {
            row[i] = step(i, row[word.after(i)]);
        }
    }
    row
}
