//! A formula translated piece by piece, so that what its simple parts say cuts down what the others
//! multiply.
//!
//! Specifications are often long conjunctions: some parts say, step by step, which letters may follow which
//! (`G !(a & b)`, `G (a -> X b)`), and a few say what is wanted. Translated at once, the demands of the few
//! multiply over letters that the many exclude only a step or two later, and all that dies again only when
//! the automaton is finished. So:
//!
//! - *A conjunction.* Its safety parts together are translated first, and reduced: what has no future is
//!   gone, and what is left is a constraint, an automaton without acceptance. The others are then put beside
//!   it one after the other ([`crate::tableau::intersection`]), which takes apart only what the automaton so
//!   far admits, and each result is reduced before the next one comes.
//! - *A disjunction* is the dual. Let ¬S be its guarantee parts: bad prefixes, found by waiting. A word that
//!   has none satisfies S, so `¬S | a | b` is `¬S | (S & a) | (S & b)`, in which the constraint is at work
//!   in
//!   every alternative. What one alternative says is denied to the next ones in the same way, as long as the
//!   constraint stays small. The alternatives share no state, apart from the initial one.
//!
//! A part is a safety part if it has only operators that wait for nothing (`G`, `W`, `R`, `X`), a guarantee
//! part if it has only such that do not last (`F`, `U`, `M`, `X`).
//!
//! The result is larger than that of the other translations where constraints do not help, and the parts
//! share much. It is therefore the way for formulas that are too large for those, and only if few of
//! their parts are no constraint.

use crate::automaton::{Automaton, Edge, State};
use crate::bdd::Bdds;
use crate::formula::{Formula, Formulas, Node};
use crate::limits::{Excess, Limits};
use crate::marks::Marks;
use crate::reduce;
use crate::tableau::{Branching, intersection};
use rustc_hash::FxHashSet;

/// An automaton for the formula, which is reduced already.
pub fn translate(
    formulas: &mut Formulas,
    bdds: &mut Bdds,
    formula: Formula,
    limits: Limits,
) -> Result<Automaton, Excess> {
    let formula = formulas.negation_normal_form(formula);
    let mut pieces = Pieces { formulas, bdds, limits };
    match pieces.formulas.node(formula).clone() {
        Node::And(parts) => pieces.conjunction(&parts),
        Node::Or(parts) => pieces.disjunction(&parts),
        _ => pieces.conjunction(&[formula]),
    }
}

/// With more parts that are no constraint, each for itself is too little.
const MOST_PARTS: usize = 16;
/// Constraints of alternatives are not made larger than this.
const MOST_CONSTRAINT_STATES: usize = 64;

struct Pieces<'a> {
    formulas: &'a mut Formulas,
    bdds: &'a mut Bdds,
    limits: Limits<'a>,
}

impl Pieces<'_> {
    fn conjunction(&mut self, parts: &[Formula]) -> Result<Automaton, Excess> {
        let (safety, others) = self.split(parts, is_safety_operator)?;
        let constraint = self.formulas.and(safety);
        let mut automaton = self.everything();
        for part in [constraint].into_iter().chain(others) {
            automaton = self.beside(&automaton, part)?;
        }
        Ok(automaton)
    }

    fn disjunction(&mut self, parts: &[Formula]) -> Result<Automaton, Excess> {
        let (guarantee, others) = self.split(parts, is_guarantee_operator)?;
        let guarantee = self.formulas.or(guarantee);
        let constraint = self.formulas.not(guarantee);
        let everything = self.everything();
        let mut constraint = self.beside(&everything, constraint)?;
        let mut alternatives = vec![self.beside(&everything, guarantee)?];
        let mut grows = true;
        for part in others {
            alternatives.push(self.beside(&constraint, part)?);
            // Words of this alternative need no other: the next ones are about the rest, as long as that is
            // simple.
            if grows {
                let rest = self.formulas.not(part);
                let rest = self.beside(&constraint, rest);
                grows = rest.as_ref().is_ok_and(|rest| rest.states() <= MOST_CONSTRAINT_STATES);
                constraint = rest.ok().filter(|_| grows).unwrap_or(constraint);
            }
        }
        let mut automaton = union(alternatives);
        reduce::simplify_within(self.bdds, &mut automaton, self.limits.operations, self.limits.stop);
        Ok(automaton)
    }

    fn everything(&self) -> Automaton {
        crate::emptiness::everything(self.formulas.propositions().to_vec())
    }

    /// The parts whose operators are all such ones, and the others, small ones first. An error if there are
    /// too many others.
    fn split(
        &self,
        parts: &[Formula],
        wanted: fn(&Node) -> bool,
    ) -> Result<(Vec<Formula>, Vec<Formula>), Excess> {
        let subformulas: Vec<Vec<Formula>> = parts.iter().map(|&part| self.subformulas(part)).collect();
        let is_wanted = |inside: &[Formula]| inside.iter().all(|&one| wanted(self.formulas.node(one)));
        let mut sorted: Vec<(&Formula, &Vec<Formula>)> = parts.iter().zip(&subformulas).collect();
        sorted.sort_by_key(|(_, inside)| inside.len());
        let (these, others): (Vec<_>, Vec<_>) = sorted.into_iter().partition(|(_, inside)| is_wanted(inside));
        let formulas = |parts: Vec<(&Formula, _)>| parts.into_iter().map(|(&part, _)| part).collect();
        match others.len() <= MOST_PARTS {
            true => Ok((formulas(these), formulas(others))),
            false => Err(Excess::Work),
        }
    }

    fn subformulas(&self, formula: Formula) -> Vec<Formula> {
        let mut seen = FxHashSet::default();
        let mut found = Vec::new();
        let mut work = vec![formula];
        while let Some(formula) = work.pop() {
            if seen.insert(formula) {
                found.push(formula);
                self.formulas.node(formula).each_child(|child| work.push(child));
            }
        }
        found
    }

    /// The words of the automaton that satisfy the part as well: the smaller result of both ways to branch,
    /// reduced.
    fn beside(&mut self, automaton: &Automaton, part: Formula) -> Result<Automaton, Excess> {
        let Limits { operations, stop, .. } = self.limits;
        let mut best: Result<Automaton, Excess> = Err(Excess::Sets);
        for branching in [Branching::Late, Branching::Early] {
            let (formulas, limits) = (&mut *self.formulas, self.limits);
            let work = |bdds: &mut Bdds| intersection(formulas, bdds, automaton, part, branching, limits);
            match self.bdds.within(operations, work).unwrap_or(Err(Excess::Work)) {
                Ok(mut found) => {
                    reduce::simplify_within(self.bdds, &mut found, operations, stop);
                    let size = |automaton: &Automaton| (automaton.states(), automaton.edge_count());
                    if best.as_ref().is_ok_and(|best| size(best) <= size(&found)) {
                        continue;
                    }
                    best = Ok(found);
                }
                Err(excess) => best = best.map_err(|before| before.max(excess)),
            }
        }
        best
    }
}

/// What a formula in negation normal form may consist of if no infinite waiting is to be ruled out.
fn is_safety_operator(node: &Node) -> bool {
    !matches!(node, Node::Finally(_) | Node::Until(..) | Node::StrongRelease(..))
}

/// What it may consist of if a prefix is to decide.
fn is_guarantee_operator(node: &Node) -> bool {
    !matches!(node, Node::Globally(_) | Node::WeakUntil(..) | Node::Release(..))
}

/// An automaton that accepts what any of these accepts. It has one initial state.
fn union(automata: Vec<Automaton>) -> Automaton {
    let sets = automata.iter().map(|automaton| automaton.sets).max().expect("there is one at least");
    let mut result = Automaton { sets, ..Automaton::empty(automata[0].propositions.clone()) };
    for automaton in automata {
        // Sets that the automaton does not have are met by all its edges.
        let lacking = Marks::all(sets) - automaton.all_marks();
        let offset = result.states() as State;
        let moved = |edge: &Edge| Edge { marks: edge.marks | lacking, to: edge.to + offset, ..*edge };
        for &state in &automaton.initial {
            result.edges[0].extend(automaton.leaving(state).iter().map(moved));
        }
        result.edges.extend(automaton.edges.iter().map(|edges| edges.iter().map(moved).collect()));
    }
    result
}
