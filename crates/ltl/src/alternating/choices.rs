//! Disjunctions of guarded demands.
//!
//! A step of an automaton is a choice: read a letter that a label admits, and from then on satisfy a demand.
//! What the demand is differs (states to be in; those, and what the letter after must be; those, and the
//! marks collected), the calculation does not: [`Choices`] are joined, multiplied, and simplified with the
//! order of the demands alone.

use crate::bdd::{Bdd, Bdds};
use crate::marks::Marks;
use rustc_hash::FxHashMap;
use std::hash::Hash;

/// Disjunctive normal forms beyond this size are given up.
const MOST_CHOICES: usize = 1 << 12;

/// A set of states of the alternating automaton.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct StateSet(Box<[u64]>);

impl StateSet {
    /// The empty set, of as many states as there are in all.
    pub fn empty(states: usize) -> StateSet {
        StateSet(vec![0; states.div_ceil(64)].into_boxed_slice())
    }

    pub fn one(states: usize, state: usize) -> StateSet {
        let mut set = StateSet::empty(states);
        set.insert(state);
        set
    }

    pub fn insert(&mut self, state: usize) {
        self.0[state / 64] |= 1 << (state % 64);
    }

    pub fn contains(&self, state: usize) -> bool {
        self.0[state / 64] >> (state % 64) & 1 == 1
    }

    pub fn is_subset(&self, other: &StateSet) -> bool {
        self.0.iter().zip(&other.0).all(|(a, b)| a & !b == 0)
    }

    pub fn union(&self, other: &StateSet) -> StateSet {
        StateSet(self.0.iter().zip(&other.0).map(|(a, b)| a | b).collect())
    }

    pub fn minus(&self, other: &StateSet) -> StateSet {
        StateSet(self.0.iter().zip(&other.0).map(|(a, b)| a & !b).collect())
    }

    /// The states, ascending.
    pub fn iter(&self) -> impl Iterator<Item = usize> {
        self.0
            .iter()
            .enumerate()
            .flat_map(|(place, &word)| Marks(word).iter().map(move |bit| place * 64 + bit as usize))
    }
}

/// Something that may have to be satisfied.
pub trait Demand: Clone + Eq + Hash {
    /// Is it satisfied whenever the other one is, and no worse to have? A partial order.
    fn no_stronger(&self, other: &Self, bdds: &mut Bdds) -> bool;
    /// Both together; `None` if they contradict each other.
    fn and(&self, other: &Self, bdds: &mut Bdds) -> Option<Self>;
}

impl Demand for StateSet {
    fn no_stronger(&self, other: &StateSet, _: &mut Bdds) -> bool {
        self.is_subset(other)
    }

    fn and(&self, other: &StateSet, _: &mut Bdds) -> Option<StateSet> {
        Some(self.union(other))
    }
}

/// What the next letter must be, and the states to be in when it is read.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Conjunction {
    pub now: Bdd,
    pub states: StateSet,
}

impl Conjunction {
    pub fn of_states(states: StateSet) -> Conjunction {
        Conjunction { now: Bdd::TRUE, states }
    }
}

impl Demand for Conjunction {
    fn no_stronger(&self, other: &Conjunction, bdds: &mut Bdds) -> bool {
        self.states.is_subset(&other.states) && bdds.implies(other.now, self.now)
    }

    fn and(&self, other: &Conjunction, bdds: &mut Bdds) -> Option<Conjunction> {
        let now = bdds.and(self.now, other.now);
        (!now.is_false()).then(|| Conjunction { now, states: self.states.union(&other.states) })
    }
}

/// Where an edge of the generalised automaton leads, and the acceptance sets it belongs to.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Target {
    pub to: Conjunction,
    pub marks: Marks,
}

impl Demand for Target {
    fn no_stronger(&self, other: &Target, bdds: &mut Bdds) -> bool {
        other.marks.is_subset(self.marks) && self.to.no_stronger(&other.to, bdds)
    }

    fn and(&self, other: &Target, bdds: &mut Bdds) -> Option<Target> {
        let to = self.to.and(&other.to, bdds)?;
        Some(Target { to, marks: self.marks | other.marks })
    }
}

/// Any one of these: a letter that the label admits, then the demand. No label is false, no demand occurs
/// twice.
#[derive(Clone, Debug)]
pub struct Choices<D>(Vec<(Bdd, D)>);

impl<D: Demand> Choices<D> {
    pub fn one(label: Bdd, demand: D) -> Choices<D> {
        let choice = (!label.is_false()).then_some((label, demand));
        Choices(choice.into_iter().collect())
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn iter(&self) -> impl Iterator<Item = &(Bdd, D)> {
        self.0.iter()
    }

    /// Joins the labels of equal demands. `None` if too many remain.
    pub fn collect(choices: impl IntoIterator<Item = (Bdd, D)>, bdds: &mut Bdds) -> Option<Choices<D>> {
        let mut place: FxHashMap<D, usize> = FxHashMap::default();
        let mut joined: Vec<(Bdd, D)> = Vec::new();
        for (label, demand) in choices {
            if label.is_false() {
                continue;
            }
            match place.get(&demand) {
                Some(&known) => joined[known].0 = bdds.or(joined[known].0, label),
                None if joined.len() == MOST_CHOICES => return None,
                None => {
                    place.insert(demand.clone(), joined.len());
                    joined.push((label, demand));
                }
            }
        }
        (!bdds.is_exhausted()).then_some(Choices(joined))
    }

    pub fn or(self, other: Choices<D>, bdds: &mut Bdds) -> Option<Choices<D>> {
        Choices::collect(self.0.into_iter().chain(other.0), bdds)
    }

    /// One of these and one of those, in all combinations.
    pub fn and(&self, other: &Choices<D>, bdds: &mut Bdds) -> Option<Choices<D>> {
        let mut product = Vec::new();
        for (label, demand) in &self.0 {
            for (other_label, other_demand) in &other.0 {
                let label = bdds.and(*label, *other_label);
                if !label.is_false()
                    && let Some(demand) = demand.and(other_demand, bdds)
                {
                    product.push((label, demand));
                }
            }
            // Most combinations differ; what grows this far will not shrink.
            if product.len() > 4 * MOST_CHOICES || bdds.is_exhausted() {
                return None;
            }
        }
        Choices::collect(product, bdds)
    }

    /// Takes from every choice the letters that a choice with a weaker demand admits as well.
    pub fn simplified(self, bdds: &mut Bdds) -> Choices<D> {
        let mut kept = Vec::with_capacity(self.0.len());
        for (place, (label, demand)) in self.0.iter().enumerate() {
            let mut label = *label;
            for (other_place, (other_label, other)) in self.0.iter().enumerate() {
                if other_place != place && other.no_stronger(demand, bdds) {
                    debug_assert!(
                        bdds.is_exhausted() || !demand.no_stronger(other, bdds),
                        "equal demands are one choice"
                    );
                    label = bdds.minus(label, *other_label);
                    if label.is_false() {
                        break;
                    }
                }
            }
            if !label.is_false() {
                kept.push((label, demand.clone()));
            }
        }
        Choices(kept)
    }
}
