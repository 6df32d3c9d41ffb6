//! Laws that make formulas simpler before they are translated.
//!
//! Smaller formulas, and formulas that have fewer different temporal subformulas, give smaller automata.
//! [`Rewriter::simplify`] takes a formula to negation normal form and applies, from the inside out and until
//! nothing changes:
//!
//! - factoring, always towards fewer temporal operators: `F a | F b = F (a | b)`, `X a & X b = X (a & b)`,
//!   `(a U b) & (c U b) = (a & c) U b`, `(a U b) | G a = a W b`, `b | X F b = F b`, … (`laws`);
//! - *pure eventualities and universalities* (Etessami and Holzmann 2000): a formula that stays true when
//!   letters are put in front of the word, or when letters are taken from its front, does not care about many
//!   operators around it: `F e = e`, `a U e = e`, `G (a | F G b) = G a | F G b`, …
//!   ([`Rewriter::is_eventual`], [`Rewriter::is_universal`]);
//! - *syntactic implication* (Somenzi and Bloem 2000): where one formula is seen to imply another, a
//!   conjunct, disjunct or operand disappears (`implication`).
//!
//! Every result is cached by formula. A law changes a formula only into one that is not larger, apart from
//! those that split off a formula that then loses its operator, so the rewriting ends; a counter of rounds
//! guards it all the same.

mod implication;
mod laws;

use crate::bdd::{Bdd, Bdds};
use crate::formula::{Formula, Formulas, Node};
use rustc_hash::FxHashMap;

/// Facts about formulas that hold whatever the word.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Kind {
    /// No temporal operator inside.
    pub boolean: bool,
    /// If it holds for a word, then for every word that ends in it.
    pub eventual: bool,
    /// If it holds for a word, then for every end of it.
    pub universal: bool,
}

/// Rewrites formulas; keeps what it has found out about them.
pub struct Rewriter {
    kinds: Vec<Option<Kind>>,
    simplified: FxHashMap<Formula, Formula>,
    implications: FxHashMap<(Formula, Formula), bool>,
    negations: FxHashMap<Formula, Formula>,
    /// Boolean formulas as functions, for implications between them.
    bdds: Bdds,
    functions: FxHashMap<Formula, Option<Bdd>>,
}

impl Default for Rewriter {
    fn default() -> Rewriter {
        Rewriter::new()
    }
}

/// Operations that a Boolean formula may take.
const MAX_RESULTS: usize = 1 << 16;

/// Rounds of simplification before a formula is taken as it is.
const ROUNDS: usize = 64;

impl Rewriter {
    /// A rewriter that knows nothing yet. Use it with the formulas of one [`Formulas`] only.
    pub fn new() -> Rewriter {
        Rewriter {
            kinds: Vec::new(),
            simplified: FxHashMap::default(),
            implications: FxHashMap::default(),
            negations: FxHashMap::default(),
            bdds: Bdds::new(),
            functions: FxHashMap::default(),
        }
    }

    /// An equivalent formula in negation normal form that is hopefully simpler.
    pub fn simplify(&mut self, formulas: &mut Formulas, formula: Formula) -> Formula {
        let mut formula = formulas.negation_normal_form(formula);
        for _ in 0..ROUNDS {
            let next = self.simplify_inside_out(formulas, formula);
            if next == formula {
                break;
            }
            formula = next;
        }
        formula
    }

    fn simplify_inside_out(&mut self, formulas: &mut Formulas, formula: Formula) -> Formula {
        if let Some(&known) = self.simplified.get(&formula) {
            return known;
        }
        let inside =
            formulas.map_children(formula, |formulas, child| self.simplify_inside_out(formulas, child));
        let mut result = inside;
        for _ in 0..ROUNDS {
            let next = self.apply_laws(formulas, result);
            if next == result {
                break;
            }
            // What the law has put together may itself have simpler parts.
            result = formulas.map_children(next, |formulas, child| self.simplify_inside_out(formulas, child));
        }
        self.simplified.insert(formula, result);
        self.simplified.insert(result, result);
        result
    }

    /// The simplified negation.
    pub(crate) fn negation(&mut self, formulas: &mut Formulas, formula: Formula) -> Formula {
        if let Some(&known) = self.negations.get(&formula) {
            return known;
        }
        let negated = formulas.not(formula);
        let result = formulas.negation_normal_form(negated);
        self.negations.insert(formula, result);
        result
    }

    pub(crate) fn kind(&mut self, formulas: &Formulas, formula: Formula) -> Kind {
        let at = formula.index();
        if at >= self.kinds.len() {
            self.kinds.resize(at + 1, None);
        }
        if let Some(kind) = self.kinds[at] {
            return kind;
        }
        let node = formulas.node(formula);
        let mut kind = Kind { boolean: true, eventual: true, universal: true };
        node.each_child(|child| {
            let inner = self.kind(formulas, child);
            kind.boolean &= inner.boolean;
            kind.eventual &= inner.eventual;
            kind.universal &= inner.universal;
        });
        match *node {
            Node::False | Node::True | Node::And(_) | Node::Or(_) => {}
            Node::Proposition(_) => (kind.eventual, kind.universal) = (false, false),
            Node::Not(a) => {
                let inner = self.kind(formulas, a);
                (kind.eventual, kind.universal) = (inner.universal, inner.eventual);
            }
            Node::Equivalent(..) => {
                // Equivalences are gone in negation normal form; both sides of both kinds is the safe case.
                let both = kind.eventual && kind.universal;
                (kind.eventual, kind.universal) = (both, both);
            }
            Node::Next(_) => kind.boolean = false,
            Node::Finally(_) => (kind.boolean, kind.eventual) = (false, true),
            Node::Globally(_) => (kind.boolean, kind.universal) = (false, true),
            Node::Until(_, b) | Node::Release(_, b) => {
                kind = Kind { boolean: false, ..self.kind(formulas, b) };
            }
            Node::WeakUntil(_, b) => {
                kind.boolean = false;
                kind.universal = self.kind(formulas, b).universal;
            }
            Node::StrongRelease(_, b) => {
                kind.boolean = false;
                kind.eventual = self.kind(formulas, b).eventual;
            }
        }
        self.kinds[at] = Some(kind);
        kind
    }

    /// Is it seen that whenever a word satisfies the formula, every word that ends in it does, too? A no is
    /// no proof.
    pub fn is_eventual(&mut self, formulas: &Formulas, formula: Formula) -> bool {
        self.kind(formulas, formula).eventual
    }

    /// Is it seen that whenever a word satisfies the formula, every end of it does, too? A no is no proof.
    pub fn is_universal(&mut self, formulas: &Formulas, formula: Formula) -> bool {
        self.kind(formulas, formula).universal
    }

    /// Both: it holds for a word if and only if it holds for every end of it.
    pub fn is_suspendable(&mut self, formulas: &Formulas, formula: Formula) -> bool {
        let kind = self.kind(formulas, formula);
        kind.eventual && kind.universal
    }

    /// A formula without temporal operators as a function of the propositions. `None` if the function is too
    /// large.
    pub(crate) fn function(&mut self, formulas: &Formulas, formula: Formula) -> Option<Bdd> {
        if let Some(&known) = self.functions.get(&formula) {
            return known;
        }
        let result = match formulas.node(formula) {
            Node::False => Some(Bdd::FALSE),
            Node::True => Some(Bdd::TRUE),
            Node::Proposition(number) => Some(self.bdds.variable(*number)),
            Node::Not(a) => {
                let inner = self.function(formulas, *a);
                inner.and_then(|inner| self.bdds.within(MAX_RESULTS, |bdds| bdds.not(inner)))
            }
            Node::And(all) => self.fold(formulas, all, Bdd::TRUE, Bdds::and),
            Node::Or(all) => self.fold(formulas, all, Bdd::FALSE, Bdds::or),
            other => unreachable!("a temporal operator in a Boolean formula: {other:?}"),
        };
        self.functions.insert(formula, result);
        result
    }

    fn fold(
        &mut self,
        formulas: &Formulas,
        all: &[Formula],
        neutral: Bdd,
        operation: fn(&mut Bdds, Bdd, Bdd) -> Bdd,
    ) -> Option<Bdd> {
        let parts: Vec<Bdd> = all.iter().map(|&part| self.function(formulas, part)).collect::<Option<_>>()?;
        self.bdds.within(MAX_RESULTS, |bdds| {
            parts.into_iter().fold(neutral, |sum, part| operation(bdds, sum, part))
        })
    }
}
