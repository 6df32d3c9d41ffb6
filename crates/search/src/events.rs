//! What a search does, step by step, for those who listen.
//!
//! Every search has a [`Listener`] as a type parameter. Normally that is [`NoListener`], whose function is
//! empty, so that the compiler leaves the calls out: a search that nobody listens to pays nothing. A list of
//! events is a listener too.
//!
//! Events name states by their numbers. What they add up to is what the search counts:
//!
//! | events | count |
//! | --- | --- |
//! | `Met` | states in the store; of an emptiness check, the states that it has visited |
//! | `Expanded` | calls of the successor function |
//! | the arcs of all `Expanded` | transitions, but for those that a search may leave out |
//!
//! | `Numbered`, less those `Removed` | states whose component is not complete; its maximum is counted |
//! | `Root`, less those that `Merged` and `Removed` take off | size of the stack of roots; its maximum is counted |
//!
//! `Entered` and `Left` come in pairs, as brackets do: between them the state is on the path of the search.
//! Where there is no path (breadth-first search, several states in flight), the brackets hold one state at a
//! time. A search that ends early leaves brackets open. `Nested` and `NestedOver` are brackets too: what is
//! entered between them is on a path of its own, that of the nested search.
//!
//! Beside the path, checks keep notes about states: colours, numbers, lowlinks, roots, labels. Every change
//! of a note is an event, but for the refinement of `streett`, of which the path is told. Marks are told as
//! those of an automaton, so of the first 64 acceptance sets. On a mere set (`Check::run_on_set`) states have
//! no numbers that last, and only paths are told.

use crate::emptiness::{Colour, MarkSet};
use lariat_ltl::Marks;
use lariat_store::StateId;

/// Something that a search does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The search begins. It may begin again from the start: then what was heard before is void.
    Begun,
    /// A state is met for the first time.
    Met(StateId),
    /// A state comes onto the path.
    Entered(StateId),
    /// The arcs that leave a state were computed. A check may compute them more than once.
    Expanded {
        /// The state.
        state: StateId,
        /// How many there are.
        arcs: u32,
    },
    /// The search looks where an arc leads.
    Arc {
        /// The state that it leaves.
        from: StateId,
        /// The state that it leads to.
        to: StateId,
    },
    /// A nested search gives a state a colour.
    Coloured {
        /// The state.
        state: StateId,
        /// The colour that it has from now on.
        colour: Colour,
    },
    /// A state is taken off the path.
    Left(StateId),
    /// A nested search begins: from this state, or to the bottom of its component, as the check has it.
    Nested(StateId),
    /// The nested search is over, and has not found a cycle.
    NestedOver,
    /// A check over pairs of a state and a level gives such a pair a colour.
    Levelled {
        /// The state.
        state: StateId,
        /// Its level: how many of the acceptance sets have been met, in their order.
        level: u32,
        /// The colour that the pair has from now on.
        colour: Colour,
    },
    /// A state gets its number; from now on it is current: its component is not complete.
    Numbered {
        /// The state.
        state: StateId,
        /// From 1 on.
        number: u32,
    },
    /// The lowlink of a state gets a value.
    Lowlink {
        /// The state.
        state: StateId,
        /// A number of a current state.
        lowlink: u32,
    },
    /// A state is put on the stack of roots: it is a component of its own so far.
    Root(StateId),
    /// The roots above this one are taken off: with it they are one component, which has an arc inside.
    Merged {
        /// The root that is left.
        root: StateId,
        /// Of the arcs inside that have been explored.
        marks: Marks,
    },
    /// The component of a state is complete: it is no longer current.
    Removed(StateId),
    /// The label of a state grows.
    Labelled {
        /// The state.
        state: StateId,
        /// Acceptance sets known to be met on some way to it.
        label: Marks,
    },
    /// A state has been reached, and waits to be looked at.
    Waits {
        /// The state.
        state: StateId,
        /// Where it waits.
        line: WaitingLine,
    },
}

/// Where states wait that have been reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitingLine {
    /// First come, first served: breadth-first search.
    Queue,
    /// Last come, first served: depth-first search.
    Stack,
}

/// As events tell marks.
#[inline(always)]
pub(crate) fn told<K: MarkSet>(marks: K) -> Marks {
    Marks(marks.word(0))
}

/// Somebody who is told what a search does.
pub trait Listener {
    /// Something has just happened.
    fn hear(&mut self, event: Event);
}

/// Nobody listens.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoListener;

impl Listener for NoListener {
    #[inline(always)]
    fn hear(&mut self, _event: Event) {}
}

/// The events, one after the other.
impl Listener for Vec<Event> {
    fn hear(&mut self, event: Event) {
        self.push(event);
    }
}

impl<L: Listener> Listener for &mut L {
    #[inline(always)]
    fn hear(&mut self, event: Event) {
        (**self).hear(event);
    }
}
