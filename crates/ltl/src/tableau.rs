//! From a formula to a generalised Büchi automaton, in Couvreur's style.
//!
//! A state is a formula that the rest of the word must satisfy. Its edges come from expanding it one
//! position: `a U b` holds now if b holds, or if a holds and `a U b` holds next, with the *promise* that b
//! comes some day. The expansion is one Boolean function (Couvreur 1999, Duret-Lutz 2014) of
//!
//! - the propositions, which make the label;
//! - one variable for each formula that must hold next;
//! - one variable for each promise: the edge postpones it.
//!
//! For each letter the function of the other variables has one smallest sum of products, because these
//! variables occur only positively; each product is an edge. An acceptance set holds the edges that do not
//! postpone a promise: who postpones it for ever is not accepted.
//!
//! States whose expansions are equal are one state: so `F b & G F b` and `G F b` are. It would be tempting to
//! rewrite targets with all laws of [`crate::rewrite`] before they become states. No word would be lost, but
//! words could be won: `F (b & X F c)` implies `F c`, yet a run that forgets the promise of `F c` beside it
//! whenever it renews the other never has to keep either.
//!
//! Beside the formula there may be another automaton, whose words alone are wanted ([`intersection`]). A
//! state is then a pair, and its expansion is cut to the letters that the other automaton admits there
//! before it is taken apart: what contradicts them never becomes an edge, and demands that differ for other
//! letters only are one state. ([`crate::piecewise`] is what this is for.)
//!
//! [`Branching::Late`] puts the alternatives for one letter with the same promises into one state, a
//! disjunction: fewer choices, sometimes fewer states, sometimes more.

use crate::automaton::{Automaton, Edge, State};
use crate::bdd::{Bdd, Bdds, Variable};
use crate::emptiness::everything;
use crate::formula::{Formula, Formulas, Node};
use crate::limits::{Excess, Limits};
use crate::marks::Marks;
use crate::scc::Components;
use crate::stop::bytes_of_edges;
use rustc_hash::FxHashMap;

/// What becomes of several ways on for the same letter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Branching {
    /// One edge for each alternative.
    Early,
    /// Alternatives that agree in their letters and promises are one edge to a disjunction.
    Late,
}

/// Results of operations between two looks at whether to stop.
const RESULTS_BETWEEN_LOOKS: usize = 1 << 16;

/// What a variable behind the propositions stands for.
#[derive(Clone, Copy)]
enum Meaning {
    Next(Formula),
    Promise,
}

struct Tableau<'a> {
    formulas: &'a mut Formulas,
    bdds: &'a mut Bdds,
    limits: Limits<'a>,
    propositions: Variable,
    meanings: Vec<Meaning>,
    next_variables: FxHashMap<Formula, Variable>,
    promise_variables: FxHashMap<Formula, Variable>,
    /// By the formula, and the letters that count.
    expansions: FxHashMap<(Formula, Bdd), Bdd>,
    /// What is left of a formula under an invariant.
    under: FxHashMap<(Formula, Bdd), Formula>,
    boolean: FxHashMap<Formula, bool>,
    stopped: bool,
}

/// An automaton for the formula.
pub fn translate(
    formulas: &mut Formulas,
    bdds: &mut Bdds,
    formula: Formula,
    branching: Branching,
    limits: Limits,
) -> Result<Automaton, Excess> {
    let everything = everything(formulas.propositions().to_vec());
    intersection(formulas, bdds, &everything, formula, branching, limits)
}

/// An automaton for the words that satisfy the formula and that the other automaton accepts.
pub fn intersection(
    formulas: &mut Formulas,
    bdds: &mut Bdds,
    other: &Automaton,
    formula: Formula,
    branching: Branching,
    limits: Limits,
) -> Result<Automaton, Excess> {
    let formula = formulas.negation_normal_form(formula);
    debug_assert_eq!(formulas.propositions(), other.propositions);
    let tableau = Tableau {
        propositions: formulas.propositions().len() as Variable,
        formulas,
        bdds,
        limits,
        meanings: Vec::new(),
        next_variables: FxHashMap::default(),
        promise_variables: FxHashMap::default(),
        expansions: FxHashMap::default(),
        under: FxHashMap::default(),
        boolean: FxHashMap::default(),
        stopped: false,
    };
    tableau.automaton(formula, other, branching)
}

/// An edge before the acceptance sets have their numbers.
struct Draft {
    label: Bdd,
    /// Of the other automaton's edge.
    marks: Marks,
    promises: Vec<Variable>,
    to: State,
}

/// States as they are found: a state of the other automaton, and the function for what the formula demands
/// beside it, cut to the letters that the other automaton admits there.
struct Found<'a> {
    other: &'a Automaton,
    /// For each state of the other automaton, the letters that it admits.
    admitted: Vec<Bdd>,
    /// And those that it or a state behind it admits: no other will ever be read.
    ahead: Vec<Bdd>,
    states: Vec<(State, Bdd)>,
    number: FxHashMap<(State, Bdd), State>,
}

impl<'a> Found<'a> {
    fn new(bdds: &mut Bdds, other: &'a Automaton) -> Found<'a> {
        let admitted =
            |edges: &Vec<Edge>| edges.iter().fold(Bdd::FALSE, |all, edge| bdds.or(all, edge.label));
        let admitted: Vec<Bdd> = other.edges.iter().map(admitted).collect();
        let mut ahead = admitted.clone();
        let components = Components::of_automaton(other);
        let mut order: Vec<usize> = (0..other.states()).collect();
        order.sort_by_key(|&state| components.of[state]);
        // Components behind come first. Inside of one, once round collects and once more hands out.
        for group in order.chunk_by(|&a, &b| components.of[a] == components.of[b]) {
            let mut all = Bdd::FALSE;
            for &state in group {
                all = bdds.or(all, ahead[state]);
                for edge in &other.edges[state] {
                    all = bdds.or(all, ahead[edge.to as usize]);
                }
            }
            for &state in group {
                ahead[state] = all;
            }
        }
        Found { other, admitted, ahead, states: Vec::new(), number: FxHashMap::default() }
    }

    /// The number of a state; `None` if no letter leads on.
    fn number(&mut self, beside: State, expansion: Bdd) -> Option<State> {
        let states = &mut self.states;
        (!expansion.is_false()).then(|| {
            *self.number.entry((beside, expansion)).or_insert_with(|| {
                states.push((beside, expansion));
                states.len() as State - 1
            })
        })
    }
}

impl Tableau<'_> {
    fn automaton(
        mut self,
        formula: Formula,
        other: &Automaton,
        branching: Branching,
    ) -> Result<Automaton, Excess> {
        let mut found = Found::new(self.bdds, other);
        let mut initial: Vec<State> = Vec::new();
        for &state in &other.initial {
            let formula = self.under(formula, found.ahead[state as usize]);
            let expansion = self.expand(formula, found.admitted[state as usize]);
            initial.extend(found.number(state, expansion));
        }
        if self.is_over() {
            return Err(Excess::Work);
        }
        if initial.is_empty() {
            return Ok(Automaton::empty(other.propositions.clone()));
        }
        let mut drafts: Vec<Vec<Draft>> = Vec::new();
        let mut promised: Vec<Variable> = Vec::new();
        let mut count = 0;
        while drafts.len() < found.states.len() {
            let (beside, expansion) = found.states[drafts.len()];
            let mut edges = Vec::new();
            for edge in found.other.leaving(beside) {
                let under_label = self.bdds.and(expansion, edge.label);
                for (label, rest) in self.letters(under_label).ok_or(Excess::Work)? {
                    self.stopped |= self.limits.stop.now(self.bdds, bytes_of_edges(count));
                    if self.is_over() {
                        return Err(Excess::Work);
                    }
                    for (target, promises) in self.alternatives(rest, branching).ok_or(Excess::Work)? {
                        let target = self.under(target, found.ahead[edge.to as usize]);
                        let expansion = self.expand(target, found.admitted[edge.to as usize]);
                        let Some(to) = found.number(edge.to, expansion) else { continue };
                        promised.extend(&promises);
                        edges.push(Draft { label, marks: edge.marks, promises, to });
                    }
                }
            }
            count += edges.len();
            drafts.push(edges);
            let too_large = found.states.len() > self.limits.states || count > self.limits.edges;
            if too_large || self.is_over() {
                return Err(Excess::Work);
            }
        }
        promised.sort_unstable();
        promised.dedup();
        if promised.len() + other.sets as usize > Marks::LIMIT as usize {
            return Err(Excess::Sets);
        }
        // The sets of the other automaton come first.
        let sets = other.sets + promised.len() as u32;
        let kept = |draft: &Draft, set: u32| match set.checked_sub(other.sets) {
            None => draft.marks.contains(set),
            Some(promise) => !draft.promises.contains(&promised[promise as usize]),
        };
        let finish = |draft: Draft| {
            let marks = (0..sets).filter(|&set| kept(&draft, set)).collect();
            Edge { label: draft.label, marks, to: draft.to }
        };
        let mut automaton = Automaton {
            sets,
            initial,
            edges: drafts.into_iter().map(|edges| edges.into_iter().map(finish).collect()).collect(),
            ..Automaton::empty(other.propositions.clone())
        };
        automaton.tidy(self.bdds);
        Ok(automaton)
    }

    /// The function for what the formula means now, where only these letters count.
    ///
    /// They are taken out of every part before parts are put together: a sum of many parts that exclude each
    /// other is small only where they do.
    fn expand(&mut self, formula: Formula, letters: Bdd) -> Bdd {
        if let Some(&known) = self.expansions.get(&(formula, letters)) {
            return known;
        }
        self.stopped |= self.limits.stop.now(self.bdds, 0);
        if self.is_over() {
            return Bdd::FALSE;
        }
        let result = match self.formulas.node(formula).clone() {
            Node::False => Bdd::FALSE,
            Node::True => letters,
            Node::Proposition(number) => {
                let proposition = self.bdds.variable(number);
                self.and(letters, proposition)
            }
            Node::Not(a) => {
                let inner = self.expand(a, letters);
                debug_assert!(matches!(self.formulas.node(a), Node::Proposition(_)), "negation normal form");
                self.sliced(|bdds| bdds.minus(letters, inner))
            }
            Node::And(all) => {
                let mut result = letters;
                for &part in &all {
                    let part = self.expand(part, letters);
                    result = self.and(result, part);
                }
                result
            }
            Node::Or(all) => {
                let mut result = Bdd::FALSE;
                for &part in &all {
                    let part = self.expand(part, letters);
                    result = self.or(result, part);
                }
                result
            }
            Node::Equivalent(..) => unreachable!("negation normal form"),
            Node::Next(a) => {
                let next = self.next(a);
                self.and(letters, next)
            }
            Node::Finally(b) => self.eventually(Formula::TRUE, b, formula, letters),
            Node::Until(a, b) => self.eventually(a, b, formula, letters),
            Node::Globally(b) => {
                let (now, next) = (self.expand(b, letters), self.next(formula));
                self.and(now, next)
            }
            Node::WeakUntil(a, b) => {
                let (done, go_on) = (self.expand(b, letters), self.expand(a, letters));
                let next = self.next(formula);
                let later = self.and(go_on, next);
                self.or(done, later)
            }
            Node::Release(a, b) => {
                let (done, now) = (self.expand(a, letters), self.expand(b, letters));
                let next = self.next(formula);
                let either = self.or(done, next);
                self.and(now, either)
            }
            Node::StrongRelease(a, b) => {
                let (done, now) = (self.expand(a, letters), self.expand(b, letters));
                let next = self.next(formula);
                let promise = self.promise(a);
                let later = self.and(next, promise);
                let either = self.or(done, later);
                self.and(now, either)
            }
        };
        if !self.is_over() {
            self.expansions.insert((formula, letters), result);
        }
        result
    }

    fn and(&mut self, a: Bdd, b: Bdd) -> Bdd {
        self.sliced(|bdds| bdds.and(a, b))
    }

    fn or(&mut self, a: Bdd, b: Bdd) -> Bdd {
        self.sliced(|bdds| bdds.or(a, b))
    }

    /// An operation that may take long. What has been computed is remembered, so it can be begun again where
    /// it was broken off to ask whether to stop.
    fn sliced(&mut self, operation: impl Fn(&mut Bdds) -> Bdd) -> Bdd {
        while !self.is_over() {
            if let Some(result) = self.bdds.within(RESULTS_BETWEEN_LOOKS, &operation) {
                return result;
            }
            if self.bdds.budget() == 0 {
                // Now without a slice of its own: the whole budget is used up.
                return operation(self.bdds);
            }
            self.stopped |= self.limits.stop.now(self.bdds, 0);
        }
        Bdd::FALSE
    }

    /// Does nothing that is computed mean anything any more?
    fn is_over(&self) -> bool {
        self.stopped || self.bdds.is_exhausted()
    }

    /// What is left of a formula where only letters of the invariant will be read: Boolean parts that it
    /// decides are constants.
    ///
    /// That changes the names of promises, and still no word is won. Along a run of the other automaton
    /// invariants get stronger until they stay the same, formulas get smaller until they stay the same, and
    /// from there on the run is one of a tableau that rewrites nothing.
    fn under(&mut self, formula: Formula, invariant: Bdd) -> Formula {
        if invariant.is_true() || matches!(self.formulas.node(formula), Node::False | Node::True) {
            return formula;
        }
        if let Some(&known) = self.under.get(&(formula, invariant)) {
            return known;
        }
        let mut inside = FxHashMap::default();
        let mut children = Vec::new();
        self.formulas.node(formula).each_child(|child| children.push(child));
        let result = if self.is_boolean(formula) {
            self.decided(formula, invariant)
        } else {
            for &child in &children {
                inside.insert(child, self.under(child, invariant));
            }
            let result = self.formulas.map_children(formula, |_, child| inside[&child]);
            // What is Boolean in a conjunction may be contradictory only as a whole.
            let node = self.formulas.node(result).clone();
            match node {
                Node::And(ref all) | Node::Or(ref all) => {
                    let conjunction = matches!(node, Node::And(_));
                    let boolean: Vec<Formula> =
                        all.iter().copied().filter(|&part| self.is_boolean(part)).collect();
                    let together = match conjunction {
                        true => self.formulas.and(boolean),
                        false => self.formulas.or(boolean),
                    };
                    let absorbing = self.formulas.constant(!conjunction);
                    match self.decided(together, invariant) == absorbing {
                        true => absorbing,
                        false => result,
                    }
                }
                _ => result,
            }
        };
        self.under.insert((formula, invariant), result);
        result
    }

    /// A Boolean formula, or a constant if the invariant decides it.
    fn decided(&mut self, formula: Formula, invariant: Bdd) -> Formula {
        let function = self.expand(formula, invariant);
        match function {
            Bdd::FALSE => Formula::FALSE,
            _ if function == invariant => Formula::TRUE,
            _ => formula,
        }
    }

    /// Has it no temporal operator?
    fn is_boolean(&mut self, formula: Formula) -> bool {
        if let Some(&known) = self.boolean.get(&formula) {
            return known;
        }
        let node = self.formulas.node(formula).clone();
        let mut boolean = matches!(
            node,
            Node::False | Node::True | Node::Proposition(_) | Node::Not(_) | Node::And(_) | Node::Or(_)
        );
        node.each_child(|child| boolean &= self.is_boolean(child));
        self.boolean.insert(formula, boolean);
        boolean
    }

    fn eventually(&mut self, a: Formula, b: Formula, formula: Formula, letters: Bdd) -> Bdd {
        let (done, go_on) = (self.expand(b, letters), self.expand(a, letters));
        let next = self.next(formula);
        let promise = self.promise(b);
        let later = self.and(go_on, next);
        let later = self.and(later, promise);
        self.or(done, later)
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
                    result = self.and(result, part);
                }
                result
            }
            Node::Or(all) => {
                let mut result = Bdd::FALSE;
                for &part in &all {
                    let part = self.next(part);
                    result = self.or(result, part);
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
        if groups.len() > self.limits.alternatives {
            return None;
        }
        known.insert(function, groups.clone());
        Some(groups)
    }

    /// The ways to make a function of next formulas and promises true: what must hold next, and what is
    /// postponed. `None` if there are too many.
    fn alternatives(&mut self, function: Bdd, branching: Branching) -> Option<Vec<(Formula, Vec<Variable>)>> {
        let mut alternatives: Vec<(Formula, Vec<Variable>)> = Vec::new();
        for cube in self.bdds.cover_within(function, self.limits.alternatives)? {
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
