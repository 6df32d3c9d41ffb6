//! The events of a search, replayed: what they add up to, and whether they are in order.

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
}

impl Replayed {
    /// Every state is met once, and before the search looks at its arcs; states leave the path in reverse
    /// order.
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
