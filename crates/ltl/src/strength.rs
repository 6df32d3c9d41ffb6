//! How strong an automaton's acceptance has to be.
//!
//! - *weak*: in every component all cycles are accepting or none is. Then a single depth-first search is
//!   enough.
//! - *terminal*: weak, and a run that has entered an accepting component can be continued for every word:
//!   each accepting component is complete (an edge for every letter inside it). Then reachability is enough.
//! - *strong*: anything else.
//!
//! So the automaton of `G p` is weak, not terminal: its only state is accepting, but reaching it decides
//! nothing.

use crate::automaton::{Automaton, State};
use crate::bdd::{Bdd, Bdds};
use crate::marks::Marks;
use crate::scc::{Components, Structure};
use std::fmt;

/// What it takes to find an accepting run, the easiest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub enum Strength {
    /// A state that is reached decides: every continuation is accepted.
    Terminal,
    /// A cycle decides: all cycles of a component accept, or none does.
    Weak,
    /// The marks on the cycle have to be looked at.
    Strong,
}

impl fmt::Display for Strength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Strength::Terminal => "terminal",
            Strength::Weak => "weak",
            Strength::Strong => "strong",
        })
    }
}

/// Is there a cycle inside the component, in the part of it that has no edge with this mark?
fn avoids(automaton: &Automaton, components: &Components, component: u32, mark: u32) -> bool {
    let states = automaton.states();
    let inner = Components::compute(
        states,
        (0..states as State).filter(|&s| components.of[s as usize] == component),
        |state, k| {
            // Edges that may not be used lead back to where they start and are not looked at below.
            automaton.leaving(state).get(k).map(|edge| {
                let usable = components.of[edge.to as usize] == component && !edge.marks.contains(mark);
                if usable { edge.to } else { state }
            })
        },
    );
    (0..states as State).any(|state| {
        components.of[state as usize] == component
            && automaton.leaving(state).iter().any(|edge| {
                components.of[edge.to as usize] == component
                    && !edge.marks.contains(mark)
                    && inner.same(state, edge.to)
            })
    })
}

/// Whether an accepting component has only accepting cycles.
pub fn all_cycles_accept(automaton: &Automaton, structure: &Structure, component: u32) -> bool {
    let every = structure.info[component as usize].every;
    (automaton.all_marks() - every)
        .iter()
        .all(|mark| !avoids(automaton, &structure.components, component, mark))
}

/// The strength of one accepting component.
pub fn of_component(
    bdds: &mut Bdds,
    automaton: &Automaton,
    structure: &Structure,
    component: u32,
) -> Strength {
    if !all_cycles_accept(automaton, structure, component) {
        return Strength::Strong;
    }
    for state in 0..automaton.states() as State {
        if structure.components.of[state as usize] == component {
            let mut admitted = Bdd::FALSE;
            for edge in automaton.leaving(state) {
                if structure.components.of[edge.to as usize] == component {
                    admitted = bdds.or(admitted, edge.label);
                }
            }
            if !admitted.is_true() {
                return Strength::Weak;
            }
        }
    }
    Strength::Terminal
}

/// The strength of the whole: that of its strongest accepting component. An automaton without one is
/// terminal.
pub fn strength(bdds: &mut Bdds, automaton: &Automaton) -> Strength {
    let structure = Structure::of(automaton);
    let accepting: Vec<u32> =
        (0..structure.components.count).filter(|&c| structure.is_accepting(c)).collect();
    accepting
        .into_iter()
        .map(|c| of_component(bdds, automaton, &structure, c))
        .max()
        .unwrap_or(Strength::Terminal)
}

/// Is every component's marking all or nothing? (Weakness as one can see it, without looking for cycles.)
pub fn is_marked_weak(automaton: &Automaton) -> bool {
    let structure = Structure::of(automaton);
    structure.info.iter().all(|info| {
        !info.cyclic || info.some == info.every && [Marks::NONE, automaton.all_marks()].contains(&info.some)
    })
}
