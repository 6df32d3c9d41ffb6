//! What there is to say about an automaton in numbers.

use lariat_ltl::scc::Structure;
use lariat_ltl::strength::{Strength, of_component};
use lariat_ltl::{Automaton, Bdds, translate};

/// What there is to say about an automaton in numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Statistics {
    /// States, edges, sets, and what kind of automaton it is.
    pub numbers: translate::Statistics,
    /// Edges lead from one to the same or to a later one.
    pub components: Vec<Component>,
    /// `None` if it was not found out.
    pub stutter_invariant: Option<bool>,
    /// How long it took to make the automaton.
    pub seconds: f64,
}

/// A strongly connected component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Component {
    /// How many.
    pub states: u32,
    /// If a run that stays in it can be accepting: how strong its acceptance is.
    pub strength: Option<Strength>,
}

impl Statistics {
    /// Counts; `seconds` is how long it took to make the automaton.
    pub fn of(bdds: &mut Bdds, automaton: &Automaton, seconds: f64) -> Statistics {
        let structure = Structure::of(automaton);
        let components = (0..structure.components.count).rev().map(|number| Component {
            states: structure.info[number as usize].states,
            strength: structure
                .is_accepting(number)
                .then(|| of_component(bdds, automaton, &structure, number)),
        });
        let components = components.collect();
        Statistics {
            numbers: translate::Statistics::of(bdds, automaton),
            components,
            stutter_invariant: None,
            seconds,
        }
    }
}
