//! Which runs count: fairness and assumptions, as marks on the arcs of a product.
//!
//! A run is *weakly fair* to a unit (a process, or a statement: `units.rs` in `engine`) if the unit takes
//! part again and again, or is not enabled again and again; *strongly fair* if it takes part again and again,
//! or is enabled only finitely often; *unconditionally fair* if it takes part again and again as
//! long as it lives. In the words of acceptance (Tauriainen 2003, §4.3; Schwoon and Esparza 2005, §5.2):
//!
//! - weak: a set for each unit, with the arcs on which it takes part, and those that leave a state in which
//!   it is not enabled;
//! - unconditional: a set for each, with the arcs on which it takes part, and those that leave a state in
//!   which it does not live;
//! - strong: a [`Pair`] for each: arcs that leave a state in which it is enabled, arcs on which it takes
//!   part.
//!
//! No state is copied. Units are numbers, and who takes the number of somebody who has ended is somebody
//! else; that makes no difference, since whoever ends on a cycle takes part in it. Where the last state of a
//! run repeats, nobody is enabled. A run that stays inside an indivisible sequence gives nobody else a turn,
//! and nobody is kept from one that he could take: it is weakly and strongly fair.
//!
//! An assumption `G F p` is a set, `F G p` and `G F p -> G F q` are pairs ([`Assumption`]).
//!
//! The marks have their numbers in this order: the sets of the automaton, of recurring assumptions, of units;
//! then the marks of pairs.

use crate::emptiness::{MarkSet, Pair};
use crate::product::{FiniteRuns, PropertyAutomaton};
use lariat_engine::ProcessSet;

/// What a run owes to every unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fairness {
    /// Who is enabled all the time takes part again and again.
    Weak,
    /// Who is enabled again and again takes part again and again.
    Strong,
    /// Everybody who lives takes part again and again.
    Unconditional,
}

/// What is assumed of runs, about conditions by number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Assumption {
    /// `G F p`.
    Recurs(u32),
    /// `F G !p`.
    Ends(u32),
    /// `G F p -> G F q`.
    Answers(u32, u32),
}

/// Assumptions, and how their conditions are judged.
#[derive(Clone, Debug)]
pub struct Assumptions {
    /// One state; the labels of its edges are the conditions, in their order.
    pub conditions: PropertyAutomaton,
    /// All of them are assumed.
    pub list: Vec<Assumption>,
}

/// Which runs count.
#[derive(Clone, Debug, Default)]
pub struct RunRules {
    /// What a run owes to every unit, if anything; and how many units there may be.
    pub fairness: Option<(Fairness, u32)>,
    /// What is assumed beside.
    pub assumptions: Option<Assumptions>,
}

impl RunRules {
    /// Whether every run counts.
    pub fn allow_all(&self) -> bool {
        self.fairness.is_none() && self.assumptions.is_none()
    }

    /// Whether every finite run can be continued to one that counts (unless it ends in an error). Weak and
    /// strong fairness allow it: one can always go on so that everybody gets a turn. That may lead to an end,
    /// though, so runs that end must count.
    pub fn allow_every_beginning(&self, finite_runs: FiniteRuns) -> bool {
        self.assumptions.is_none()
            && match self.fairness {
                None => true,
                Some((Fairness::Weak | Fairness::Strong, _)) => finite_runs == FiniteRuns::Stutter,
                Some((Fairness::Unconditional, _)) => false,
            }
    }

    fn assumed(&self) -> &[Assumption] {
        self.assumptions.as_ref().map_or(&[], |assumptions| &assumptions.list)
    }

    /// How many marks there are behind those of an automaton.
    pub fn marks(&self) -> u32 {
        let each = |assumption: &Assumption| match assumption {
            Assumption::Recurs(_) | Assumption::Ends(_) => 1,
            Assumption::Answers(..) => 2,
        };
        let assumed: u32 = self.assumed().iter().map(each).sum();
        assumed
            + match self.fairness {
                None => 0,
                Some((Fairness::Strong, units)) => 2 * units,
                Some((_, units)) => units,
            }
    }

    /// Whether there are pairs.
    pub fn have_pairs(&self) -> bool {
        matches!(self.fairness, Some((Fairness::Strong, units)) if units > 0)
            || self.assumed().iter().any(|assumption| !matches!(assumption, Assumption::Recurs(_)))
    }
}

/// The rules, with the numbers of their marks.
#[derive(Clone, Debug)]
pub(crate) struct RunMarks {
    pub rules: RunRules,
    /// The sets, with those of the automaton.
    pub sets: u32,
    pub pairs: Vec<Pair>,
    /// Where the sets of units begin, if they have some.
    unit_sets: u32,
    /// Where the first and the second marks of their pairs begin, if they have some.
    unit_pairs: (u32, u32),
}

impl RunMarks {
    pub fn new(rules: RunRules, automaton_sets: u32) -> RunMarks {
        let assumed = rules.assumed();
        let recurring = assumed.iter().filter(|one| matches!(one, Assumption::Recurs(_))).count() as u32;
        let (set_units, pair_units) = match rules.fairness {
            None => (0, 0),
            Some((Fairness::Strong, units)) => (0, units),
            Some((_, units)) => (units, 0),
        };
        let unit_sets = automaton_sets + recurring;
        let sets = unit_sets + set_units;
        let mut next = sets;
        let mut pairs = Vec::new();
        for assumption in assumed {
            match assumption {
                Assumption::Recurs(_) => {}
                Assumption::Ends(_) => {
                    pairs.push(Pair { first: next, second: None });
                    next += 1;
                }
                Assumption::Answers(..) => {
                    pairs.push(Pair { first: next, second: Some(next + 1) });
                    next += 2;
                }
            }
        }
        let unit_pairs = (next, next + pair_units);
        let of_unit = |k| Pair { first: unit_pairs.0 + k, second: Some(unit_pairs.1 + k) };
        pairs.extend((0..pair_units).map(of_unit));
        RunMarks { rules, sets, pairs, unit_sets, unit_pairs }
    }

    /// The marks of every arc that leaves a state in which these conditions hold.
    pub fn of_conditions<K: MarkSet>(&self, automaton_sets: u32, holds: &[bool]) -> K {
        let mut marks = K::NONE;
        let (mut set, mut pair) = (automaton_sets, self.sets);
        for assumption in self.rules.assumed() {
            let mut mark = |number: u32, condition: u32| {
                if holds[condition as usize] {
                    marks |= K::one(number);
                }
            };
            match *assumption {
                Assumption::Recurs(p) => {
                    mark(set, p);
                    set += 1;
                }
                Assumption::Ends(p) => {
                    mark(pair, p);
                    pair += 1;
                }
                Assumption::Answers(p, q) => {
                    mark(pair, p);
                    mark(pair + 1, q);
                    pair += 2;
                }
            }
        }
        marks
    }

    /// The marks of units on an arc. `owed` are those to whom something is owed in the state that it leaves:
    /// who is enabled, or (unconditional fairness) who lives.
    pub fn of_units<K: MarkSet>(&self, owed: ProcessSet, take_part: ProcessSet) -> K {
        let mut marks = K::NONE;
        match self.rules.fairness {
            None => {}
            Some((Fairness::Strong, units)) => {
                add_units(&mut marks, self.unit_pairs.0, units, owed, |word| word);
                add_units(&mut marks, self.unit_pairs.1, units, take_part, |word| word);
            }
            Some((_, units)) => {
                let kept_waiting = owed.minus(take_part);
                add_units(&mut marks, self.unit_sets, units, kept_waiting, |word| !word);
            }
        }
        marks
    }

    /// How many units there is room for.
    pub fn units(&self) -> u32 {
        self.rules.fairness.map_or(0, |(_, units)| units)
    }
}

fn add_units<K: MarkSet>(marks: &mut K, first: u32, units: u32, set: ProcessSet, of: impl Fn(u64) -> u64) {
    for (k, word) in set.words().into_iter().enumerate() {
        let before = 64 * k as u32;
        if before >= units {
            break;
        }
        let here = (units - before).min(64);
        marks.add_shifted(first + before, of(word) & (u64::MAX >> (64 - here)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emptiness::WideMarks;
    use lariat_ltl::Marks;

    #[test]
    fn marks_of_units() {
        let rules = |fairness| RunRules { fairness: Some(fairness), assumptions: None };
        let owed: ProcessSet = [0, 2].into_iter().collect();
        let weak = RunMarks::new(rules((Fairness::Weak, 4)), 2);
        assert_eq!((weak.sets, weak.pairs.len()), (6, 0));
        assert_eq!(weak.of_units::<Marks>(owed, ProcessSet::of(2)), Marks(0b1110 << 2));
        let strong = RunMarks::new(rules((Fairness::Strong, 4)), 2);
        assert_eq!((strong.sets, strong.pairs.len()), (2, 4));
        assert_eq!(strong.of_units::<Marks>(owed, ProcessSet::of(2)), Marks((0b0100 << 4 | 0b0101) << 2));
        let many = RunMarks::new(rules((Fairness::Weak, 200)), 1);
        let marks = many.of_units::<WideMarks>([3, 150].into_iter().collect(), ProcessSet::of(3));
        assert!((0..200).all(|unit| marks.contains(1 + unit) == (unit != 150)));
        assert!(!marks.contains(0) && !marks.contains(201));
    }
}
