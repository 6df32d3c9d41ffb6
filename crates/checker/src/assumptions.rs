//! What is assumed of runs, and how much of it needs no automaton.
//!
//! An assumption is a formula. It is taken apart into what must hold together; parts of the form `G F p`,
//! `F G p` and `G F p -> G F q`, where p and q say something about one state, become marks on the arcs of the
//! product (`fairness.rs` in `search`): they cost no state. The others stay formulas, and runs are looked for
//! that satisfy them beside what violates the property.
//!
//! Propositions have the numbers of the property's; those that only assumptions have come behind.

use lariat_ltl::evaluate::evaluate;
use lariat_ltl::formula::Node;
use lariat_ltl::parse::Tree;
use lariat_ltl::stutter::has_next;
use lariat_ltl::{Bdd, Bdds, Edge, Formula, Formulas, Marks, Placement, Word};
use lariat_search::fairness::{Assumption, Assumptions};
use lariat_search::product::PropertyAutomaton;

/// What is assumed, taken apart.
pub(crate) struct Assumed {
    /// The propositions of all assumptions have their numbers here.
    pub formulas: Formulas,
    /// Each as it was given.
    whole: Vec<Formula>,
    list: Vec<Assumption>,
    /// What the numbers in the list stand for.
    conditions: Vec<Formula>,
    /// The other parts, which need an automaton.
    pub rest: Vec<Formula>,
}

impl Assumed {
    /// In tables that have the propositions of the property already.
    pub fn new(trees: &[Tree], mut formulas: Formulas) -> Assumed {
        let whole: Vec<Formula> = trees.iter().map(|tree| tree.to_formula(&mut formulas)).collect();
        let (list, conditions, rest) = Default::default();
        let mut assumed = Assumed { formulas, whole: whole.clone(), list, conditions, rest };
        for formula in whole {
            let normal = assumed.formulas.negation_normal_form(formula);
            assumed.take_apart(normal);
        }
        assumed
    }

    fn take_apart(&mut self, formula: Formula) {
        match self.formulas.node(formula).clone() {
            Node::And(parts) => parts.iter().for_each(|&part| self.take_apart(part)),
            Node::Or(parts) if parts.len() == 2 => {
                // `F G !p | G F q` is `G F p -> G F q`.
                let ends = parts.iter().find_map(|&part| self.stays(part));
                let recurs = parts.iter().find_map(|&part| self.recurs(part));
                match (ends, recurs) {
                    (Some(stays), Some(recurs)) => {
                        let p = self.formulas.not(stays);
                        let p = self.formulas.negation_normal_form(p);
                        let (p, q) = (self.condition(p), self.condition(recurs));
                        self.list.push(Assumption::Answers(p, q));
                    }
                    _ => self.rest.push(formula),
                }
            }
            _ => match (self.recurs(formula), self.stays(formula)) {
                (Some(p), _) => {
                    let p = self.condition(p);
                    self.list.push(Assumption::Recurs(p));
                }
                (None, Some(stays)) => {
                    let p = self.formulas.not(stays);
                    let p = self.formulas.negation_normal_form(p);
                    let p = self.condition(p);
                    self.list.push(Assumption::Ends(p));
                }
                (None, None) => self.rest.push(formula),
            },
        }
    }

    /// p of `G F p`, if it says something about one state.
    fn recurs(&self, formula: Formula) -> Option<Formula> {
        let Node::Globally(inside) = self.formulas.node(formula) else { return None };
        let Node::Finally(p) = self.formulas.node(*inside) else { return None };
        self.is_about_a_state(*p).then_some(*p)
    }

    /// p of `F G p`, if it says something about one state.
    fn stays(&self, formula: Formula) -> Option<Formula> {
        let Node::Finally(inside) = self.formulas.node(formula) else { return None };
        let Node::Globally(p) = self.formulas.node(*inside) else { return None };
        self.is_about_a_state(*p).then_some(*p)
    }

    fn is_about_a_state(&self, formula: Formula) -> bool {
        match self.formulas.node(formula) {
            Node::False | Node::True | Node::Proposition(_) => true,
            Node::Not(a) => self.is_about_a_state(*a),
            Node::And(parts) | Node::Or(parts) => parts.iter().all(|&part| self.is_about_a_state(part)),
            Node::Equivalent(a, b) => self.is_about_a_state(*a) && self.is_about_a_state(*b),
            _ => false,
        }
    }

    fn condition(&mut self, formula: Formula) -> u32 {
        let known = self.conditions.iter().position(|&known| known == formula);
        known.unwrap_or_else(|| {
            self.conditions.push(formula);
            self.conditions.len() - 1
        }) as u32
    }

    /// A formula, and the parts that need an automaton.
    pub fn with_rest(&mut self, formula: Formula) -> Formula {
        let rest = self.rest.clone();
        self.formulas.and([formula].into_iter().chain(rest))
    }

    /// Whether nothing is assumed.
    pub fn is_nothing(&self) -> bool {
        self.whole.is_empty()
    }

    /// Why it may tell runs apart that differ only in the number of steps, if it may.
    pub fn counts_steps(&self) -> Option<&'static str> {
        let counts = self.whole.iter().any(|&formula| has_next(&self.formulas, formula));
        counts.then_some("an assumption has `X`")
    }

    /// What becomes marks.
    pub fn marks(&self) -> Option<Assumptions> {
        if self.list.is_empty() {
            return None;
        }
        let mut bdds = Bdds::new();
        let mut automaton = lariat_ltl::emptiness::everything(self.formulas.propositions().to_vec());
        automaton.placement = Placement::Edges;
        automaton.edges[0] = Vec::new();
        for &condition in &self.conditions {
            let label = self.label(&mut bdds, condition);
            automaton.edges[0].push(Edge { label, marks: Marks::NONE, to: 0 });
        }
        let conditions = PropertyAutomaton::new(&automaton, &bdds, |variable| variable);
        Some(Assumptions { conditions, list: self.list.clone() })
    }

    fn label(&self, bdds: &mut Bdds, formula: Formula) -> Bdd {
        match self.formulas.node(formula) {
            Node::True => Bdd::TRUE,
            Node::Proposition(number) => bdds.variable(*number),
            Node::Not(a) => {
                let a = self.label(bdds, *a);
                bdds.not(a)
            }
            Node::And(parts) => parts.iter().fold(Bdd::TRUE, |all, &part| {
                let part = self.label(bdds, part);
                bdds.and(all, part)
            }),
            Node::Or(parts) => parts.iter().fold(Bdd::FALSE, |some, &part| {
                let part = self.label(bdds, part);
                bdds.or(some, part)
            }),
            Node::Equivalent(a, b) => {
                let (a, b) = (self.label(bdds, *a), self.label(bdds, *b));
                let differ = (bdds.not(a), bdds.not(b));
                let (both, neither) = (bdds.and(a, b), bdds.and(differ.0, differ.1));
                bdds.or(both, neither)
            }
            _ => Bdd::FALSE,
        }
    }

    /// Whether a run satisfies every assumption, by the definition of the logic.
    pub fn judge(&self, word: &Word) -> Result<(), String> {
        match self.whole.iter().all(|&formula| evaluate(&self.formulas, formula, word)) {
            true => Ok(()),
            false => Err("the run that was found does not satisfy an assumption".to_string()),
        }
    }
}
