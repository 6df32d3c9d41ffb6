//! The events of a search, replayed: what they add up to, and whether they are in order.

use lariat_ltl::Marks;
use lariat_search::{Counts, Event};
use lariat_store::StateId;
use std::collections::{BTreeMap, BTreeSet};

/// What a listener knows after the last event.
#[derive(Default)]
pub struct Replayed {
    pub met: Vec<StateId>,
    pub expanded: Vec<StateId>,
    /// How often a state was expanded that had not been met.
    pub expanded_unmet: u64,
    pub transitions: u64,
    /// The arcs that were looked at, by the state that they leave, in order.
    pub arcs: BTreeMap<StateId, Vec<StateId>>,
    pub arcs_looked_at: u64,
    /// The last colour of each state, as a number.
    pub colours: BTreeMap<StateId, u8>,
    /// What is on the path at the end.
    pub path: Vec<StateId>,
    /// The length of the longest path.
    pub longest: u64,
    /// How often the search has begun.
    pub begun: u32,
    /// The seed of the nested search that is going on.
    pub nested: Option<StateId>,
    /// How many nested searches there were.
    pub nested_searches: u64,
    /// The numbers of all states that have one.
    pub numbers: BTreeMap<StateId, u32>,
    pub lowlinks: BTreeMap<StateId, u32>,
    /// The states whose component is not complete.
    pub current: BTreeSet<StateId>,
    /// How many there were at the most.
    pub most_current: u64,
    /// The stack of roots.
    pub roots: Vec<StateId>,
    /// How many there were at the most.
    pub most_roots: u64,
    pub labels: BTreeMap<StateId, Marks>,
    /// Pairs of a state and a level, with their colours: blue, red.
    pub levels: BTreeSet<(StateId, u32, u8)>,
    /// States that wait.
    pub waiting: BTreeSet<StateId>,
}

impl Replayed {
    /// Every state is met once, and before the search looks at its arcs; states leave the path in reverse
    /// order. Numbers are given in their order, lowlinks and labels change in one direction only, and who is
    /// removed was current.
    pub fn of(events: &[Event]) -> Replayed {
        let mut now = Replayed::default();
        let mut known = BTreeSet::new();
        for event in events {
            match *event {
                Event::Begun => {
                    (now, known) = (Replayed { begun: now.begun + 1, ..Replayed::default() }, BTreeSet::new())
                }
                Event::Met(state) => {
                    assert!(known.insert(state), "{state:?} is met twice");
                    now.waiting.remove(&state);
                    now.met.push(state);
                }
                Event::Entered(state) => {
                    now.path.push(state);
                    now.longest = now.longest.max(now.path.len() as u64);
                }
                Event::Expanded { state, arcs } => {
                    now.expanded_unmet += u64::from(!known.contains(&state));
                    now.expanded.push(state);
                    now.transitions += u64::from(arcs);
                }
                Event::Arc { from, to } => {
                    assert!(known.contains(&from), "{from:?} was not met");
                    now.arcs.entry(from).or_default().push(to);
                    now.arcs_looked_at += 1;
                }
                Event::Coloured { state, colour } => _ = now.colours.insert(state, colour as u8),
                Event::Left(state) => assert_eq!(now.path.pop(), Some(state), "not the top of the path"),
                Event::Nested(seed) => {
                    assert_eq!(now.nested.replace(seed), None, "a nested search within a nested search");
                    now.nested_searches += 1;
                }
                Event::NestedOver => assert!(now.nested.take().is_some(), "no nested search is over"),
                Event::Levelled { state, level, colour } => {
                    assert!(now.levels.insert((state, level, colour as u8)), "{state:?} gets a colour twice");
                }
                Event::Numbered { state, number } => {
                    assert_eq!(
                        (number as usize, now.numbers.insert(state, number)),
                        (now.numbers.len(), None)
                    );
                    now.current.insert(state);
                    now.most_current = now.most_current.max(now.current.len() as u64);
                }
                Event::Lowlink { state, lowlink } => {
                    let before = now.lowlinks.insert(state, lowlink);
                    assert!(before.is_none_or(|before| lowlink <= before), "a lowlink grows");
                    assert!(lowlink <= now.numbers[&state] && now.current.contains(&state));
                }
                Event::Root(state) => {
                    assert!(now.current.contains(&state));
                    now.roots.push(state);
                    now.most_roots = now.most_roots.max(now.roots.len() as u64);
                }
                Event::Merged { root, .. } => {
                    let place = now.roots.iter().position(|&one| one == root);
                    now.roots.truncate(place.expect("what is left is a root") + 1);
                }
                Event::Removed(state) => {
                    assert!(now.current.remove(&state), "{state:?} is removed and was not current");
                    now.roots.retain(|&root| root != state);
                }
                Event::Labelled { state, label } => {
                    let before = now.labels.insert(state, label).unwrap_or(Marks::NONE);
                    assert!(before != label && before.is_subset(label), "the label does not grow");
                }
                Event::Waits { state, .. } => {
                    assert!(!known.contains(&state) && now.waiting.insert(state), "{state:?} waits twice");
                }
            }
        }
        now
    }

    /// The events add up to what the search has counted.
    pub fn agrees_with(&self, counts: &Counts) {
        assert_eq!((self.begun > 0, self.expanded.len() as u64), (true, counts.post_calls));
        assert_eq!(self.transitions, counts.transitions);
    }
}
