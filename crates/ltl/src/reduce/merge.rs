//! Merging whatever may be merged, with the complement as the judge.
//!
//! To merge two states is to let the one do what the other can: every run survives, so the language can only
//! grow. It has not grown if the result shares no word with an automaton for the complement. Translations
//! have that automaton at hand, for the negated formula is as easy to translate; so all pairs are tried, and
//! what no simulation relation can see is found by the definition itself. The same holds for a mark put on an
//! edge, and for an acceptance set struck out.
//!
//! A word that has once shown that a merge is wrong often shows it for others: such words are kept and tried
//! first.

use crate::automaton::{Automaton, Edge, Placement, State};
use crate::bdd::Bdds;
use crate::emptiness;
use crate::marks::Marks;
use crate::stop::{Stop, bytes_of};
use crate::strength::strength;
use crate::word::Word;

/// Judges whether a language has grown.
pub struct Judge<'a> {
    complement: &'a Automaton,
    /// Words that must not be accepted, the most useful first.
    witnesses: Vec<Word>,
    budget: &'a mut usize,
    stop: Stop<'a>,
}

const WITNESSES: usize = 16;

impl<'a> Judge<'a> {
    /// A judge that gives up, and allows nothing more, when it has looked at so many edges, or when it is
    /// stopped.
    pub fn new(complement: &'a Automaton, budget: &'a mut usize, stop: Stop<'a>) -> Judge<'a> {
        Judge { complement, witnesses: Vec::new(), budget, stop }
    }

    fn spend(&mut self, effort: usize) -> bool {
        *self.budget = self.budget.saturating_sub(effort);
        *self.budget > 0
    }

    /// Does the automaton accept no word of the complement?
    pub fn allows(&mut self, bdds: &mut Bdds, automaton: &Automaton) -> bool {
        let edges = automaton.edge_count();
        if !self.spend(edges) {
            return false;
        }
        for k in 0..self.witnesses.len() {
            if !self.spend(edges * self.witnesses[k].len()) {
                return false;
            }
            if emptiness::accepts(bdds, automaton, &self.witnesses[k]) {
                self.witnesses[..=k].rotate_right(1);
                return false;
            }
        }
        match emptiness::common_word_within(bdds, automaton, self.complement, self.budget, self.stop) {
            None => {
                *self.budget = 0;
                false
            }
            Some(None) => true,
            Some(Some(word)) => {
                self.witnesses.insert(0, word);
                self.witnesses.truncate(WITNESSES);
                false
            }
        }
    }
}

/// The automaton with state `gone` made part of state `kept`. State numbers do not change; `gone` is left
/// without edges.
pub fn merged(bdds: &mut Bdds, automaton: &Automaton, kept: State, gone: State) -> Automaton {
    let mut result = automaton.clone();
    let moved = std::mem::take(&mut result.edges[gone as usize]);
    result.edges[kept as usize].extend(moved);
    if result.placement == Placement::States {
        let marks = result.edges[kept as usize].iter().fold(Marks::NONE, |marks, edge| marks | edge.marks);
        for edge in &mut result.edges[kept as usize] {
            edge.marks = marks;
        }
    }
    let redirect = |state: &mut State| {
        if *state == gone {
            *state = kept;
        }
    };
    result.edges.iter_mut().flatten().for_each(|edge: &mut Edge| redirect(&mut edge.to));
    result.initial.iter_mut().for_each(redirect);
    result.initial.sort_unstable();
    result.initial.dedup();
    result.tidy(bdds);
    result
}

/// Which pairs are tried first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// From the initial state on.
    Ascending,
    /// From the states that were found last.
    Descending,
}

/// Merges pairs of states as long as the judge allows one. An automaton that is weak or terminal stays so.
pub fn merge_states(bdds: &mut Bdds, automaton: &mut Automaton, judge: &mut Judge, order: Order) -> bool {
    let strongest = strength(bdds, automaton);
    let mut changed = false;
    'next: loop {
        let states = automaton.states() as State;
        let mut pairs: Vec<(State, State)> =
            (0..states).flat_map(|kept| (kept + 1..states).map(move |gone| (kept, gone))).collect();
        if order == Order::Descending {
            pairs.reverse();
        }
        for (kept, gone) in pairs {
            if *judge.budget == 0 || judge.stop.now(bdds, bytes_of(automaton)) {
                return changed;
            }
            let mut candidate = merged(bdds, automaton, kept, gone);
            if judge.allows(bdds, &candidate) && strength(bdds, &candidate) <= strongest {
                let mut states = candidate.reachable();
                states.sort_unstable();
                candidate.restrict_to(&states);
                *automaton = candidate;
                changed = true;
                continue 'next;
            }
        }
        return changed;
    }
}
