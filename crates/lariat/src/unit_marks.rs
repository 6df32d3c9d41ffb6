//! Fairness to units as acceptance marks on the arcs of the product. `fairness.rs` in `search` has the idea
//! and the papers; here units are those that actions name.
//!
//! - weak: a set for each unit, with the arcs on which it takes part, and those that leave a state in which
//!   it is not enabled;
//! - unconditional: a set for each, with the arcs on which it takes part;
//! - strong: a [`Pair`] for each: arcs that leave a state in which it is enabled, arcs on which it takes
//!   part.
//!
//! A unit is enabled in a state if it takes part in a step that leaves it. Where the last state of a run
//! repeats, nobody is enabled, and nobody takes part.
//!
//! How many sets there are must be known before the search, and who takes part is met on the way. So there is
//! *room* for so many units, and a state in which somebody else is enabled has no arcs but those that settle
//! the matter. A run that is found beside such states counts: to those who are not enabled it is fair. If
//! none is found, nothing is known, and more room is needed. (What is listed by the model has room from the
//! start; unconditional fairness needs that, since it is owed to those as well who are never met.)

use crate::unit::{UnitNumber, UnitSet, UnitTable};
use lariat_search::emptiness::{MarkSet, Pair};
use lariat_search::fairness::{Fairness, RunRules};

/// There is room for so many units at the most.
pub(crate) const MOST_UNITS: u32 = 256;

/// What a run owes to units, and for how many there is room.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Owed {
    pub fairness: Fairness,
    pub room: u32,
}

impl Owed {
    /// The same as the rules of `search`.
    pub fn rules(self) -> RunRules {
        RunRules { fairness: Some((self.fairness, self.room)), assumptions: None }
    }
}

/// The marks of a set of units.
#[derive(Clone, Copy)]
struct SetMarks<K> {
    /// On an arc on which they take part.
    take_part: K,
    /// On an arc that leaves a state in which they are enabled. With strong fairness these are marks of their
    /// own, otherwise the same.
    enabled: K,
}

pub(crate) struct UnitMarks<K> {
    owed: Owed,
    /// The acceptance sets, with those of the automaton.
    sets: u32,
    pairs: Vec<Pair>,
    /// The sets of all units for which there is room, if units have sets.
    everybody: K,
    /// By the number of a set of units; `None` if there is no room for one of them.
    of_sets: Vec<Option<SetMarks<K>>>,
    automaton_sets: u32,
}

impl<K: MarkSet> UnitMarks<K> {
    pub fn new(owed: Owed, automaton_sets: u32) -> UnitMarks<K> {
        let Owed { fairness, room } = owed;
        let (mut everybody, mut pairs, mut sets) = (K::NONE, Vec::new(), automaton_sets);
        if fairness == Fairness::Strong {
            let pair = |k| Pair { first: automaton_sets + k, second: Some(automaton_sets + room + k) };
            pairs = (0..room).map(pair).collect();
        } else {
            sets += room;
            everybody.add_numbers(automaton_sets, sets);
        }
        UnitMarks { owed, sets, pairs, everybody, of_sets: Vec::new(), automaton_sets }
    }

    pub fn sets(&self) -> u32 {
        self.sets
    }

    pub fn pairs(&self) -> &[Pair] {
        &self.pairs
    }

    fn of_set(&self, units: &[UnitNumber]) -> Option<SetMarks<K>> {
        let room = self.owed.room;
        if units.iter().any(|unit| unit.0 >= room) {
            return None;
        }
        let marks = |first: u32| units.iter().fold(K::NONE, |marks, unit| marks | K::one(first + unit.0));
        let enabled = marks(self.automaton_sets);
        let take_part = match self.owed.fairness {
            Fairness::Strong => marks(self.automaton_sets + room),
            Fairness::Weak | Fairness::Unconditional => enabled,
        };
        Some(SetMarks { take_part, enabled })
    }

    /// Replaces `marks` by those of the steps that leave a state, by who takes part in each. `None` if there
    /// is no room for somebody.
    pub fn of_steps(&mut self, table: &UnitTable, steps: &[UnitSet], marks: &mut Vec<K>) -> Option<()> {
        for units in table.sets_from(self.of_sets.len()) {
            let of_set = self.of_set(units);
            self.of_sets.push(of_set);
        }
        marks.clear();
        let mut enabled = K::NONE;
        for step in steps {
            let of_set = self.of_sets[step.0 as usize]?;
            enabled |= of_set.enabled;
            marks.push(of_set.take_part);
        }
        for marks in marks {
            let take_part = *marks;
            *marks = match self.owed.fairness {
                Fairness::Weak => self.everybody - (enabled - take_part),
                Fairness::Strong => enabled | take_part,
                Fairness::Unconditional => take_part,
            };
        }
        Some(())
    }

    /// Where the last state of a run repeats.
    pub fn of_standstill(&self) -> K {
        match self.owed.fairness {
            Fairness::Weak => self.everybody,
            Fairness::Strong | Fairness::Unconditional => K::NONE,
        }
    }
}
