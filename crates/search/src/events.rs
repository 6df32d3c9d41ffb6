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
//! `Entered` and `Left` come in pairs, as brackets do: between them the state is on the path of the search.
//! Where there is no path (breadth-first search, several states in flight), the brackets hold one state at a
//! time. A search that ends early leaves brackets open.

use crate::emptiness::Colour;
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
