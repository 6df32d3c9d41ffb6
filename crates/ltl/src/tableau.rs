//! From a formula to a generalised Büchi automaton, in Couvreur's style.
//!
//! A state is a formula that the rest of the word must satisfy. Its edges come from expanding it one position: `a U b` holds
//! now if b holds, or if a holds and `a U b` holds next, with the *promise* that b comes some day. The expansion is one Boolean
//! function (Couvreur 1999, Duret-Lutz 2014) of
//!
//! - the propositions, which make the label;
//! - one variable for each formula that must hold next;
//! - one variable for each promise: the edge postpones it.
//!
//! For each letter the function of the other variables has one smallest sum of products, because these variables occur only
//! positively; each product is an edge. An acceptance set holds the edges that do not postpone a promise: who postpones it
//! for ever is not accepted.
//!
//! States whose expansions are equal are one state: so `F b & G F b` and `G F b` are. It would be tempting to rewrite targets with
//! all laws of [`crate::rewrite`] before they become states. No word would be lost, but words could be won: `F (b & X F c)` implies
//! `F c`, yet a run that forgets the promise of `F c` beside it whenever it renews the other never has to keep either.
//!
//! [`Branching::Late`] puts the alternatives for one letter with the same promises into one state, a disjunction: fewer choices,
//! sometimes fewer states, sometimes more.

use crate::automaton::{Automaton, Edge, State};
use crate::bdd::{Bdd, Bdds, Variable};
use crate::formula::{Formula, Formulas, Node};
use crate::marks::Marks;
use crate::stop::{Stop, bytes_of_edges};
use rustc_hash::FxHashMap;

/// What becomes of several ways on for the same letter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Branching {
    /// One edge for each alternative.
    Early,
    /// Alternatives that agree in their letters and promises are one edge to a disjunction.
    Late,
}

/// What a variable behind the propositions stands for.
#[derive(Clone, Copy)]
enum Meaning {
    Next(Formula),
    Promise,
}

struct Tableau<'a> {
    formulas: &'a mut Formulas,
    bdds: &'a mut Bdds,
    propositions: Variable,
    meanings: Vec<Meaning>,
    next_variables: FxHashMap<Formula, Variable>,
    promise_variables: FxHashMap<Formula, Variable>,
    expansions: FxHashMap<Formula, Bdd>,
}

/// Beyond so many edges the translation gives up.
const MAX_EDGES: usize = 1 << 17;
/// Beyond so many groups of letters in one state, or ways on for one letter, too.
const MAX_ALTERNATIVES: usize = 1 << 12;

/// An automaton for the formula; `None` if it would have too many states or edges, more promises than there can be marks, or if
/// the work was stopped.
pub fn translate(
    formulas: &mut Formulas,
    bdds: &mut Bdds,
    formula: Formula,
    branching: Branching,
    max_states: usize,
    stop: Stop,
) -> Option<Automaton> {
    let formula = formulas.negation_normal_form(formula);
    let propositions = formulas.propositions().len() as Variable;
    let names = formulas.propositions().to_vec();
    let mut tableau = Tableau {
        formulas,
        bdds,
        propositions,
        meanings: Vec::new(),
        next_variables: FxHashMap::default(),
        promise_variables: FxHashMap::default(),
        expansions: FxHashMap::default(),
    };
    tableau.automaton(formula, names, branching, max_states, stop)
}

/// An edge before the acceptance sets have their numbers.
struct Draft {
    label: Bdd,
    promises: Vec<Variable>,
    to: State,
}

impl Tableau<'_> {
    fn automaton(
        &mut self,
        formula: Formula,
        names: Vec<String>,
        branching: Branching,
        max_states: usize,
        stop: Stop,
    ) -> Option<Automaton> {
        let mut automaton = Automaton::empty(names);
        // States with the same expansion are one.
        let mut number: FxHashMap<Bdd, State> = FxHashMap::default();
        let mut expansions = vec![self.expand(formula)];
        number.insert(expansions[0], 0);
        let mut drafts: Vec<Vec<Draft>> = Vec::new();
        let mut promised: Vec<Variable> = Vec::new();
        let mut count = 0;
        while drafts.len() < expansions.len() {
            let mut edges = Vec::new();
            for (label, rest) in self.letters(expansions[drafts.len()])? {
                for (target, promises) in self.alternatives(rest, branching)? {
                    let expansion = self.expand(target);
                    if expansion.is_false() {
                        continue;
                    }
                    let to = *number.entry(expansion).or_insert_with(|| {
                        expansions.push(expansion);
                        expansions.len() as State - 1
                    });
                    promised.extend(&promises);
                    edges.push(Draft { label, promises, to });
                }
            }
            count += edges.len();
            drafts.push(edges);
            let too_large = expansions.len() > max_states || count > MAX_EDGES;
            if too_large || self.bdds.is_exhausted() || stop.now(self.bdds, bytes_of_edges(count)) {
                return None;
            }
        }
        promised.sort_unstable();
        promised.dedup();
        if promised.len() > Marks::LIMIT as usize {
            return None;
        }
        automaton.sets = promised.len() as u32;
        let all = automaton.all_marks();
        automaton.edges = drafts
            .into_iter()
            .map(|edges| {
                let finish = |draft: Draft| {
                    let postponed: Marks = (0..)
                        .zip(&promised)
                        .filter(|(_, p)| draft.promises.contains(p))
                        .map(|(set, _)| set)
                        .collect();
                    Edge { label: draft.label, marks: all - postponed, to: draft.to }
                };
                edges.into_iter().map(finish).collect()
            })
            .collect();
        automaton.tidy(self.bdds);
        Some(automaton)
    }

    /// The function for what the formula means now.
    fn expand(&mut self, formula: Formula) -> Bdd {
        if let Some(&known) = self.expansions.get(&formula) {
            return known;
        }
        let result = match self.formulas.node(formula).clone() {
            Node::False => Bdd::FALSE,
            Node::True => Bdd::TRUE,
            Node::Proposition(number) => self.bdds.variable(number),
            Node::Not(a) => {
                let inner = self.expand(a);
                debug_assert!(matches!(self.formulas.node(a), Node::Proposition(_)), "negation normal form");
                self.bdds.not(inner)
            }
            Node::And(all) => {
                let mut result = Bdd::TRUE;
                for &part in &all {
                    let part = self.expand(part);
                    result = self.bdds.and(result, part);
                }
                result
            }
            Node::Or(all) => {
                let mut result = Bdd::FALSE;
                for &part in &all {
                    let part = self.expand(part);
                    result = self.bdds.or(result, part);
                }
                result
            }
            Node::Equivalent(..) => unreachable!("negation normal form"),
            Node::Next(a) => self.next(a),
            Node::Finally(b) => self.eventually(Formula::TRUE, b, formula),
            Node::Until(a, b) => self.eventually(a, b, formula),
            Node::Globally(b) => {
                let (now, next) = (self.expand(b), self.next(formula));
                self.bdds.and(now, next)
            }
            Node::WeakUntil(a, b) => {
                let (done, go_on) = (self.expand(b), self.expand(a));
                let next = self.next(formula);
                let later = self.bdds.and(go_on, next);
                self.bdds.or(done, later)
            }
            Node::Release(a, b) => {
                let (done, now) = (self.expand(a), self.expand(b));
                let next = self.next(formula);
                let either = self.bdds.or(done, next);
                self.bdds.and(now, either)
            }
            Node::StrongRelease(a, b) => {
                let (done, now) = (self.expand(a), self.expand(b));
                let next = self.next(formula);
                let promise = self.promise(a);
                let later = self.bdds.and(next, promise);
                let either = self.bdds.or(done, later);
                self.bdds.and(now, either)
            }
        };
        self.expansions.insert(formula, result);
        result
    }

    fn eventually(&mut self, a: Formula, b: Formula, formula: Formula) -> Bdd {
        let (done, go_on) = (self.expand(b), self.expand(a));
        let next = self.next(formula);
        let promise = self.promise(b);
        let later = self.bdds.and(go_on, next);
        let later = self.bdds.and(later, promise);
        self.bdds.or(done, later)
    }

    /// That all these hold next: a conjunction is taken apart.
    fn next(&mut self, formula: Formula) -> Bdd {
        match self.formulas.node(formula).clone() {
            Node::False => Bdd::FALSE,
            Node::True => Bdd::TRUE,
            Node::And(all) => {
                let mut result = Bdd::TRUE;
                for &part in &all {
                    let part = self.next(part);
                    result = self.bdds.and(result, part);
                }
                result
            }
            Node::Or(all) => {
                let mut result = Bdd::FALSE;
                for &part in &all {
                    let part = self.next(part);
                    result = self.bdds.or(result, part);
                }
                result
            }
            _ => {
                let (propositions, meanings) = (self.propositions, &mut self.meanings);
                let variable = *self.next_variables.entry(formula).or_insert_with(|| {
                    meanings.push(Meaning::Next(formula));
                    propositions + meanings.len() as Variable - 1
                });
                self.bdds.variable(variable)
            }
        }
    }

    fn promise(&mut self, formula: Formula) -> Bdd {
        let (propositions, meanings) = (self.propositions, &mut self.meanings);
        let variable = *self.promise_variables.entry(formula).or_insert_with(|| {
            meanings.push(Meaning::Promise);
            propositions + meanings.len() as Variable - 1
        });
        self.bdds.variable(variable)
    }

    /// The letters, grouped by what they leave of the function. `None` if there are too many groups.
    fn letters(&mut self, function: Bdd) -> Option<Vec<(Bdd, Bdd)>> {
        self.letters_below(function, &mut FxHashMap::default())
    }

    fn letters_below(
        &mut self,
        function: Bdd,
        known: &mut FxHashMap<Bdd, Vec<(Bdd, Bdd)>>,
    ) -> Option<Vec<(Bdd, Bdd)>> {
        if let Some(groups) = known.get(&function) {
            return Some(groups.clone());
        }
        let groups = match self.bdds.split(function) {
            _ if function.is_false() => Vec::new(),
            Some((variable, low, high)) if variable < self.propositions => {
                let mut groups: Vec<(Bdd, Bdd)> = Vec::new();
                let mut place: FxHashMap<Bdd, usize> = FxHashMap::default();
                for (value, branch) in [(false, low), (true, high)] {
                    let literal = self.bdds.literal(variable, value);
                    for (label, rest) in self.letters_below(branch, known)? {
                        let label = self.bdds.and(label, literal);
                        match place.get(&rest) {
                            Some(&at) => groups[at].0 = self.bdds.or(groups[at].0, label),
                            None => {
                                place.insert(rest, groups.len());
                                groups.push((label, rest));
                            }
                        }
                    }
                }
                groups
            }
            _ => vec![(Bdd::TRUE, function)],
        };
        if groups.len() > MAX_ALTERNATIVES {
            return None;
        }
        known.insert(function, groups.clone());
        Some(groups)
    }

    /// The ways to make a function of next formulas and promises true: what must hold next, and what is postponed. `None` if
    /// there are too many.
    fn alternatives(&mut self, function: Bdd, branching: Branching) -> Option<Vec<(Formula, Vec<Variable>)>> {
        let mut alternatives: Vec<(Formula, Vec<Variable>)> = Vec::new();
        for cube in self.bdds.cover_within(function, MAX_ALTERNATIVES)? {
            let mut next = Vec::new();
            let mut promises = Vec::new();
            for (variable, positive) in cube {
                debug_assert!(positive, "next formulas and promises occur only positively");
                match self.meanings[(variable - self.propositions) as usize] {
                    Meaning::Next(formula) => next.push(formula),
                    Meaning::Promise => promises.push(variable),
                }
            }
            let target = self.formulas.and(next);
            let same = alternatives.iter_mut().find(|(_, other)| *other == promises);
            match same {
                Some((joined, _)) if branching == Branching::Late => {
                    *joined = self.formulas.or2(*joined, target)
                }
                _ => alternatives.push((target, promises)),
            }
        }
        Some(alternatives)
    }
}
