//! The very weak alternating co-Büchi automaton of a formula.
//!
//! Its states are the temporal subformulas f. After a letter of one of its labels, f is replaced by the
//! conjunction that goes with the label; a run is a tree, or a graph of which each level is a set of states.
//! Very weak: from f only f itself and proper subformulas of f are reached, so a branch that does not end
//! stays in one state for ever. It must not do so in a state that promises something to come: `U`, `F`, `M`.
//! (`X` never stays.)
//!
//! | f | next step Δ(f) |
//! | --- | --- |
//! | Boolean b | b, then nothing |
//! | `a & b`, `a \| b` | Δ(a) ⊗ Δ(b), Δ(a) ∪ Δ(b) |
//! | `X a` | any letter, then the disjunctive normal form of a |
//! | `a U b`, `a W b` | Δ(b) ∪ (Δ(a) ⊗ f) |
//! | `a R b`, `a M b` | Δ(b) ⊗ (Δ(a) ∪ f) |
//! | `F a`, `G a` | Δ(a) ∪ f, Δ(a) ⊗ f |
//!
//! A formula that no finite prefix makes true or false ("suspendable") is the same as the next step's: inside
//! another formula Δ(f) is then just f. Which those are is read off the formula with the classes of Etessami
//! and Holzmann, "Optimizing Büchi automata" (CONCUR 2000): `G a` of an eventual a, `F a` of a universal one.
//!
//! A formula's number is larger than those of the formulas inside, so one pass over the numbers replaces
//! recursion.

use super::choices::{Choices, Conjunction, StateSet};
use crate::bdd::{Bdd, Bdds};
use crate::formula::{Formula, Formulas, Node};
use crate::limits::Excess;
use crate::marks::Marks;

pub struct VeryWeak {
    /// How many states there are.
    pub states: usize,
    /// For each state, its steps.
    pub steps: Vec<Choices<Conjunction>>,
    /// For each state that promises something, the number of its acceptance set.
    pub sets: Vec<Option<u32>>,
    /// How many acceptance sets there are.
    pub set_count: u32,
    /// The alternatives to start with.
    pub initial: Choices<StateSet>,
    /// For each state, all that are reached from it, and itself.
    pub closure: Vec<StateSet>,
}

/// What is known of a subformula.
#[derive(Clone, Default)]
struct Known {
    reached: bool,
    /// Its steps are asked for.
    wants_steps: bool,
    /// Its disjunctive normal form is asked for.
    wants_alternatives: bool,
    /// Its function, if nothing temporal is inside.
    function: Option<Bdd>,
    /// True of a word if it is of a suffix.
    eventual: bool,
    /// True of all suffixes if it is of the word.
    universal: bool,
    state: Option<usize>,
    steps: Option<Choices<Conjunction>>,
    alternatives: Option<Choices<StateSet>>,
}

impl Known {
    fn suspendable(&self) -> bool {
        self.state.is_some() && self.eventual && self.universal
    }
}

impl VeryWeak {
    /// Of a formula in negation normal form.
    pub fn new(formulas: &Formulas, formula: Formula, bdds: &mut Bdds) -> Result<VeryWeak, Excess> {
        let mut builder = Builder::classify(formulas, formula, bdds);
        builder.ask(formula);
        builder.number_states();
        for &subformula in &builder.order.clone() {
            builder.expand(subformula, bdds).ok_or(Excess::Work)?;
        }
        builder.finish(formula).ok_or(Excess::Sets)
    }

    /// The states that promise something, each with its acceptance set.
    pub fn promises(&self) -> impl Iterator<Item = (usize, u32)> {
        self.sets.iter().enumerate().filter_map(|(state, set)| Some((state, (*set)?)))
    }
}

struct Builder<'a> {
    formulas: &'a Formulas,
    /// All subformulas, inner ones first.
    order: Vec<Formula>,
    /// By the formula's number.
    known: Vec<Known>,
    /// The formula of each state.
    states: Vec<Formula>,
}

impl<'a> Builder<'a> {
    fn classify(formulas: &'a Formulas, formula: Formula, bdds: &mut Bdds) -> Builder<'a> {
        let mut known = vec![Known::default(); formula.index() + 1];
        let mut order = Vec::new();
        let mut work = vec![formula];
        while let Some(formula) = work.pop() {
            if !std::mem::replace(&mut known[formula.index()].reached, true) {
                order.push(formula);
                formulas.node(formula).each_child(|child| work.push(child));
            }
        }
        order.sort_unstable();
        for &formula in &order {
            let function = function_of(formulas, formula, &known, bdds);
            let (eventual, universal) = classes_of(formulas, formula, &known);
            let this = &mut known[formula.index()];
            (this.function, this.eventual, this.universal) = (function, eventual, universal);
        }
        Builder { formulas, order, known, states: Vec::new() }
    }

    fn known(&self, formula: Formula) -> &Known {
        &self.known[formula.index()]
    }

    /// Marks what the construction will need: steps of all states, alternatives of the whole and below `X`.
    fn ask(&mut self, formula: Formula) {
        self.known[formula.index()].wants_alternatives = true;
        for &formula in self.order.iter().rev() {
            let Known { wants_steps, wants_alternatives, function, .. } = self.known[formula.index()];
            if function.is_some() || !(wants_steps || wants_alternatives) {
                continue;
            }
            let known = &mut self.known;
            match self.formulas.node(formula) {
                Node::And(all) | Node::Or(all) => {
                    for child in all {
                        known[child.index()].wants_steps |= wants_steps;
                        known[child.index()].wants_alternatives |= wants_alternatives;
                    }
                }
                Node::Next(body) => known[body.index()].wants_alternatives = true,
                temporal => temporal.each_child(|child| known[child.index()].wants_steps = true),
            }
        }
    }

    fn number_states(&mut self) {
        for &formula in &self.order {
            let this = &mut self.known[formula.index()];
            let temporal =
                this.function.is_none() && !matches!(self.formulas.node(formula), Node::And(_) | Node::Or(_));
            if temporal && (this.wants_steps || this.wants_alternatives) {
                this.state = Some(self.states.len());
                self.states.push(formula);
            }
        }
    }

    fn nothing(&self) -> StateSet {
        StateSet::empty(self.states.len())
    }

    /// Any letter, then this state.
    fn stay(&self, state: usize) -> Choices<Conjunction> {
        Choices::one(Bdd::TRUE, Conjunction::of_states(StateSet::one(self.states.len(), state)))
    }

    /// Δ of a formula inside another one.
    fn steps_inside(&self, formula: Formula) -> Choices<Conjunction> {
        let known = self.known(formula);
        match (known.function, known.state, &known.steps) {
            (Some(function), ..) => Choices::one(function, Conjunction::of_states(self.nothing())),
            (_, Some(state), _) if known.suspendable() => self.stay(state),
            (_, _, Some(steps)) => steps.clone(),
            _ => unreachable!("steps that were not asked for"),
        }
    }

    fn alternatives_of(&self, formula: Formula) -> Choices<StateSet> {
        let known = self.known(formula);
        match (known.function, known.state, &known.alternatives) {
            (Some(function), ..) => Choices::one(function, self.nothing()),
            (_, Some(state), _) => Choices::one(Bdd::TRUE, StateSet::one(self.states.len(), state)),
            (_, _, Some(alternatives)) => alternatives.clone(),
            _ => unreachable!("alternatives that were not asked for"),
        }
    }

    /// Computes what was asked for.
    fn expand(&mut self, formula: Formula, bdds: &mut Bdds) -> Option<()> {
        let known = self.known(formula);
        if known.function.is_some() || !(known.wants_steps || known.wants_alternatives) {
            return Some(());
        }
        let steps = match known.state {
            Some(state) => Some(self.steps_of_state(formula, state, bdds)?),
            None if known.wants_steps => {
                Some(self.boolean(formula, |this, child| this.steps_inside(child), bdds)?)
            }
            None => None,
        };
        let known = self.known(formula);
        let alternatives = match known.wants_alternatives && known.state.is_none() {
            true => Some(self.boolean(formula, |this, child| this.alternatives_of(child), bdds)?),
            false => None,
        };
        let this = &mut self.known[formula.index()];
        (this.steps, this.alternatives) = (steps, alternatives);
        Some(())
    }

    /// Conjunctions and disjunctions, of whatever is known of the operands.
    fn boolean<D: super::choices::Demand>(
        &self,
        formula: Formula,
        of: impl Fn(&Self, Formula) -> Choices<D>,
        bdds: &mut Bdds,
    ) -> Option<Choices<D>> {
        let (all, conjunction) = match self.formulas.node(formula) {
            Node::And(all) => (all, true),
            Node::Or(all) => (all, false),
            _ => unreachable!("neither Boolean nor temporal"),
        };
        let mut result = of(self, all[0]);
        for &operand in &all[1..] {
            let operand = of(self, operand);
            result = if conjunction { result.and(&operand, bdds)? } else { result.or(operand, bdds)? };
            result = result.simplified(bdds);
        }
        Some(result)
    }

    fn steps_of_state(
        &self,
        formula: Formula,
        state: usize,
        bdds: &mut Bdds,
    ) -> Option<Choices<Conjunction>> {
        let again = self.stay(state);
        let steps = match *self.formulas.node(formula) {
            Node::Next(a) => {
                let after = |(now, states): &(Bdd, StateSet)| {
                    (Bdd::TRUE, Conjunction { now: *now, states: states.clone() })
                };
                Choices::collect(self.alternatives_of(a).iter().map(after), bdds)
            }
            Node::Finally(a) => self.steps_inside(a).or(again, bdds),
            Node::Globally(a) => self.steps_inside(a).and(&again, bdds),
            Node::Until(a, b) | Node::WeakUntil(a, b) => {
                let not_yet = self.steps_inside(a).and(&again, bdds)?;
                self.steps_inside(b).or(not_yet, bdds)
            }
            Node::Release(a, b) | Node::StrongRelease(a, b) => {
                let released_or_not = self.steps_inside(a).or(again, bdds)?;
                self.steps_inside(b).and(&released_or_not, bdds)
            }
            _ => unreachable!("not temporal"),
        };
        Some(steps?.simplified(bdds))
    }

    /// `None` if there are too many promises.
    fn finish(mut self, formula: Formula) -> Option<VeryWeak> {
        let count = self.states.len();
        let initial = self.alternatives_of(formula);
        let mut steps = Vec::with_capacity(count);
        let mut sets = Vec::with_capacity(count);
        let mut set_count = 0;
        let mut closure: Vec<StateSet> = Vec::with_capacity(count);
        for (state, &formula) in self.states.iter().enumerate() {
            let node = self.formulas.node(formula);
            let promise = matches!(node, Node::Until(..) | Node::Finally(_) | Node::StrongRelease(..));
            if promise && set_count == Marks::LIMIT {
                return None;
            }
            sets.push(promise.then_some(set_count));
            set_count += promise as u32;
            let its_steps = match self.known[formula.index()].steps.take() {
                Some(its_steps) => its_steps,
                None => unreachable!("a state without steps"),
            };
            let mut reached = StateSet::one(count, state);
            for (_, conjunction) in its_steps.iter() {
                for next in conjunction.states.minus(&reached).iter() {
                    debug_assert!(next < state, "very weak");
                    reached = reached.union(&closure[next]);
                }
            }
            closure.push(reached);
            steps.push(its_steps);
        }
        Some(VeryWeak { states: count, steps, sets, set_count, initial, closure })
    }
}

fn function_of(formulas: &Formulas, formula: Formula, known: &[Known], bdds: &mut Bdds) -> Option<Bdd> {
    let of = |child: Formula| known[child.index()].function;
    match formulas.node(formula) {
        Node::False => Some(Bdd::FALSE),
        Node::True => Some(Bdd::TRUE),
        Node::Proposition(number) => Some(bdds.variable(*number)),
        Node::Not(a) => of(*a).map(|function| bdds.not(function)),
        Node::And(all) => all.iter().try_fold(Bdd::TRUE, |product, &a| Some(bdds.and(product, of(a)?))),
        Node::Or(all) => all.iter().try_fold(Bdd::FALSE, |sum, &a| Some(bdds.or(sum, of(a)?))),
        _ => None,
    }
}

/// Whether the formula is eventual, and universal.
fn classes_of(formulas: &Formulas, formula: Formula, known: &[Known]) -> (bool, bool) {
    let of = |child: Formula| {
        let child = &known[child.index()];
        (child.eventual, child.universal)
    };
    match *formulas.node(formula) {
        Node::False | Node::True => (true, true),
        Node::Proposition(_) | Node::Not(_) | Node::Equivalent(..) => (false, false),
        Node::And(ref all) | Node::Or(ref all) => {
            all.iter().map(|&a| of(a)).fold((true, true), |all, one| (all.0 && one.0, all.1 && one.1))
        }
        Node::Next(a) => of(a),
        Node::Finally(a) => (true, of(a).1),
        Node::Globally(a) => (of(a).0, true),
        Node::Until(_, b) | Node::Release(_, b) => of(b),
        Node::WeakUntil(a, b) => (of(a).0 && of(b).0, of(b).1),
        Node::StrongRelease(a, b) => (of(b).0, of(a).1 && of(b).1),
    }
}
