//! Strongly connected components, by Tarjan's algorithm, without recursion.
//!
//! Components are numbered so that edges lead from higher numbers to lower ones (or stay inside): component 0
//! is a sink.

use crate::automaton::{Automaton, State};
use crate::marks::Marks;

/// A partition of the states `0..n` of a graph into strongly connected components.
#[derive(Clone, Debug)]
pub struct Components {
    /// The component of each state; [`Components::UNREACHED`] if no root leads there.
    pub of: Vec<u32>,
    /// How many there are; their numbers are below it.
    pub count: u32,
}

impl Components {
    /// The component of states that no root leads to.
    pub const UNREACHED: u32 = u32::MAX;

    /// `successor(state, k)` is the target of the state's k-th edge, if it has so many.
    pub fn compute(
        states: usize,
        roots: impl IntoIterator<Item = State>,
        successor: impl Fn(State, usize) -> Option<State>,
    ) -> Components {
        const NEW: u32 = u32::MAX;
        let mut component = vec![Components::UNREACHED; states];
        let mut count = 0;
        // Tarjan's numbers; `low` is the smallest number known to be reachable inside the component.
        let mut number = vec![NEW; states];
        let mut low = vec![0; states];
        let mut next_number = 0;
        let mut open: Vec<State> = Vec::new();
        let mut path: Vec<(State, usize)> = Vec::new();
        for root in roots {
            if number[root as usize] != NEW {
                continue;
            }
            path.push((root, 0));
            while let Some(&mut (state, ref mut k)) = path.last_mut() {
                let at = state as usize;
                if *k == 0 && number[at] == NEW {
                    (number[at], low[at]) = (next_number, next_number);
                    next_number += 1;
                    open.push(state);
                }
                if let Some(to) = successor(state, *k) {
                    *k += 1;
                    if number[to as usize] == NEW {
                        path.push((to, 0));
                    } else if component[to as usize] == Components::UNREACHED {
                        low[at] = low[at].min(number[to as usize]);
                    }
                    continue;
                }
                path.pop();
                if let Some(&(parent, _)) = path.last() {
                    low[parent as usize] = low[parent as usize].min(low[at]);
                }
                if low[at] == number[at] {
                    loop {
                        let member = open.pop().expect("the root of the component is open");
                        component[member as usize] = count;
                        if member == state {
                            break;
                        }
                    }
                    count += 1;
                }
            }
        }
        Components { of: component, count }
    }

    /// Of all states, reachable or not.
    pub fn of_automaton(automaton: &Automaton) -> Components {
        let all = automaton.initial.iter().copied().chain(0..automaton.states() as State);
        Components::compute(automaton.states(), all, |state, k| {
            automaton.leaving(state).get(k).map(|edge| edge.to)
        })
    }

    /// Whether both states lie in the same component.
    pub fn same(&self, a: State, b: State) -> bool {
        self.of[a as usize] == self.of[b as usize]
    }
}

/// What a component of an automaton is like.
#[derive(Clone, Copy, Debug, Default)]
pub struct Component {
    /// How many states it has.
    pub states: u32,
    /// There is an edge inside.
    pub cyclic: bool,
    /// Every mark that some edge inside carries.
    pub some: Marks,
    /// Every mark that all edges inside carry.
    pub every: Marks,
}

/// The components of an automaton, each with what it is like.
pub struct Structure {
    /// The partition itself.
    pub components: Components,
    /// What each component is like, by its number.
    pub info: Vec<Component>,
    all: Marks,
}

impl Structure {
    /// Computes the components of all states, reachable or not.
    pub fn of(automaton: &Automaton) -> Structure {
        let components = Components::of_automaton(automaton);
        let fresh = Component { every: automaton.all_marks(), ..Component::default() };
        let mut info = vec![fresh; components.count as usize];
        for state in 0..automaton.states() as State {
            let component = &mut info[components.of[state as usize] as usize];
            component.states += 1;
            for edge in automaton.leaving(state) {
                if components.same(state, edge.to) {
                    component.cyclic = true;
                    component.some |= edge.marks;
                    component.every = component.every & edge.marks;
                }
            }
        }
        Structure { components, info, all: automaton.all_marks() }
    }

    /// Can a run stay in the component and be accepting?
    pub fn is_accepting(&self, component: u32) -> bool {
        let info = &self.info[component as usize];
        info.cyclic && info.some == self.all
    }

    /// For each state, whether an accepting run starts there.
    pub fn useful(&self, automaton: &Automaton) -> Vec<bool> {
        // Components in ascending order: successors first.
        let mut useful: Vec<bool> = (0..self.components.count).map(|c| self.is_accepting(c)).collect();
        let mut members: Vec<State> = (0..automaton.states() as State).collect();
        members.sort_by_key(|&state| self.components.of[state as usize]);
        for state in members {
            let component = self.components.of[state as usize] as usize;
            if automaton.leaving(state).iter().any(|e| useful[self.components.of[e.to as usize] as usize]) {
                useful[component] = true;
            }
        }
        (0..automaton.states()).map(|state| useful[self.components.of[state] as usize]).collect()
    }
}
