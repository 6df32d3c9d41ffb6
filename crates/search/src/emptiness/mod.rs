//! Is there an accepting run? The emptiness checks of the papers, over anything that can be explored.
//!
//! A check sees a [`Product`]: numbered states, the arcs that leave a state, and acceptance marks on the
//! arcs. It looks for a [`Lasso`]: a way from an initial state to a cycle that meets every acceptance set.
//! There may be no set at all; then every cycle will do. Each check is one file, close to the pseudo-code of
//! its paper; [`ALGORITHMS`] lists them with what they need. What they share is here too: the bookkeeping
//! ([`Search`]), the stack of a depth-first search ([`DepthFirstPath`]), notes per state (`side_tables`),
//! numbers and stacks of components (`numbering`), the nested search with colours (`coloured`), and the
//! search for a lasso inside a component ([`component`]). Beside the checks: a judge of lassos
//! ([`is_accepting_lasso`]), shorter lassos (`shorten`), the components of a whole product ([`components`]),
//! and a product that remembers its arcs ([`RecordedProduct`]).
//!
//! A check for one set reads acceptance from the states ([`Product::is_accepting`]); its product has one set,
//! and all arcs that leave a state agree in it. A check for any number of sets reads the marks of the arcs.

mod any_order;
mod any_order_shared;
mod checks;
mod coloured;
pub mod component;
pub mod components;
mod components_any_order;
mod components_shared;
mod counted;
mod explicit;
mod judge;
mod label_propagation;
mod marks;
mod naive_lasso;
mod nested_dfs;
mod nested_dfs_all_red;
mod nested_dfs_black;
mod nested_dfs_colours;
mod nested_dfs_levels;
mod nested_dfs_shared;
mod nested_dfs_stack;
mod numbering;
mod on_set;
mod path;
mod reachability;
mod recorded;
mod resumed;
mod roots_and_active;
mod roots_and_removal;
mod search;
pub(crate) mod shared_tables;
mod shorten;
mod side_tables;
mod simple_dfs;
mod simple_dfs_any_order;
mod simple_dfs_shared;
mod streett;
mod tarjan;
mod tarjan_goal;
mod threaded;
mod union_find;
mod union_find_components;
mod workers;

pub use checks::{ALGORITHMS, Check, CheckDescription, Needs, PerState};
pub use components_any_order::components_any_order;
pub use counted::CountedProduct;
pub use explicit::ExplicitProduct;
pub use judge::{in_larger_product, is_accepting_lasso, judge_lasso};
pub use lariat_store::Offer;
pub use marks::{MarkSet, WideMarks};
pub use on_set::Passing;
pub use path::{DepthFirstPath, Frame};
pub use recorded::{PartSeen, RecordedProduct};
pub use search::{Search, Stopped};
pub use shorten::{Length, MOST_LOOKS_AT_AN_ARC, shorten, shortest_lasso};
pub use side_tables::Colour;
pub use simple_dfs_any_order::simple_dfs_any_order;
pub use threaded::{THREADED, ThreadedCheck, ThreadedDescription};
pub use workers::{FoundTogether, Workplace};

use crate::checkpoint::{Reader, Unreadable, Writer};
use lariat_ltl::Marks;
use lariat_store::StateId;

/// An arc that leaves a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arc<K = Marks> {
    /// The state that it leads to.
    pub to: StateId,
    /// The acceptance sets it belongs to.
    pub marks: K,
}

/// What is known of the state that an arc leads to when the arc is computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct End {
    /// Whether it accepts ([`Product::is_accepting`]).
    pub accepts: bool,
    /// Whether this arc, of all arcs that any worker has computed, is the first that leads there, and it is
    /// no initial state; `None` if the product cannot tell.
    pub is_new: Option<bool>,
    /// If it is new: processes, as bits, that sleep there ([`Product::announce`]).
    pub sleeping: u32,
}

/// A cycle that meets the first mark must meet the second, if there is one; or not meet the first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pair {
    /// For fairness: somebody is enabled.
    pub first: u32,
    /// For fairness: the same takes part.
    pub second: Option<u32>,
}

impl Pair {
    /// Whether a cycle with these marks satisfies it.
    pub fn is_satisfied<K: MarkSet>(self, marks: K) -> bool {
        !marks.contains(self.first) || self.second.is_some_and(|second| marks.contains(second))
    }
}

/// A graph with acceptance marks that is explored on the fly.
pub trait Product {
    /// Sets of acceptance sets: as many as there may be.
    type Marks: MarkSet;

    /// How many acceptance sets there are.
    fn sets(&self) -> u32;

    /// What a cycle must satisfy beside: pairs of marks behind those of the sets. Only [`Check::Streett`]
    /// looks at them.
    fn pairs(&self) -> &[Pair] {
        &[]
    }

    /// Appends the initial states, in a fixed order.
    fn initial_states(&mut self, out: &mut Vec<StateId>);

    /// Appends the arcs that leave a state, in a fixed order.
    fn post(&mut self, state: StateId, out: &mut Vec<Arc<Self::Marks>>);

    /// The same; and of each arc, what is known of the state that it leads to.
    fn post_with_ends(&mut self, state: StateId, out: &mut Vec<Arc<Self::Marks>>, ends: &mut Vec<End>) {
        let before = out.len();
        self.post(state, out);
        let end = |arc: &Arc<_>| End { accepts: self.is_accepting(arc.to), is_new: None, sleeping: 0 };
        ends.extend(out[before..].iter().map(end));
    }

    /// Begins to compute the arcs of a state that does not accept, for one who takes such states in any
    /// order and will ask for them some turns later ([`Product::land`]). There are so many lanes as for
    /// models ([`lariat_engine::LANES`]), each with one state at a time. Of the arcs by processes that
    /// sleep there (bits), the product may only count those that lead to states which are met on another
    /// way if all states that are met are expanded.
    fn announce(&mut self, _lane: usize, _state: StateId, _sleeping: u32)
    where
        Self: Sized,
    {
    }

    /// Tells where the arcs lead that leave the state which was announced in this lane, the last first, and
    /// what is known of these ends; states that do not accept and are not new may be left out. The number of
    /// all arcs.
    fn land(&mut self, _lane: usize, state: StateId, each: impl FnMut(StateId, End)) -> u64
    where
        Self: Sized,
    {
        land_at_once(self, state, (&mut Vec::new(), &mut Vec::new()), each)
    }

    /// With one set on states: whether the arcs that leave the state are in it. Known before they are
    /// computed.
    fn is_accepting(&self, state: StateId) -> bool;

    /// Whether all states that may lie on an accepting cycle are told to accept, however many sets there are:
    /// the automaton is in a component that has one. For checks that take all others in any order; who does
    /// not say so has all states in order.
    fn accepts_by_component(&self) -> bool {
        false
    }

    /// How many states have a number.
    fn stored(&self) -> u64;

    /// Bytes that describe the states.
    fn state_bytes(&self) -> u64 {
        0
    }

    /// Bytes that the product needs beside.
    fn auxiliary_bytes(&self) -> u64 {
        0
    }

    /// Of these, those of the model.
    fn model_bytes(&self) -> u64 {
        0
    }

    /// How full the table of the states is, in thousandths, where that means something; and how many states
    /// there were when their store became one of another kind, if it did.
    fn load_and_change(&self) -> (Option<u16>, Option<u64>) {
        (None, None)
    }

    /// Bytes that it is about to ask for, beside those that it has.
    fn upcoming_bytes(&self) -> u64 {
        0
    }

    /// Whether it has run out of numbers for states.
    fn is_full(&self) -> bool {
        false
    }

    /// Begins to load a state whose arcs will probably be asked for soon.
    fn prefetch(&self, _state: StateId) {}

    /// Whoever explores it waits for others: what others may want for themselves is let go for a moment.
    fn rest(&mut self) {}

    /// Writes down all that it has met, for a checkpoint; or says why it cannot.
    fn save_all(&self, _out: &mut Writer) -> Result<(), &'static str> {
        Err("the product cannot be written")
    }

    /// Has met, from now on, what was written.
    fn load_all(&mut self, _from: &mut Reader) -> Result<(), Unreadable> {
        Err(Unreadable("the product cannot be read".to_string()))
    }
}

/// As [`Product::land`], of a state that was not announced, with room for its arcs.
#[inline(never)]
pub(crate) fn land_at_once<P: Product>(
    product: &mut P,
    state: StateId,
    (arcs, ends): (&mut Vec<Arc<P::Marks>>, &mut Vec<End>),
    mut each: impl FnMut(StateId, End),
) -> u64 {
    arcs.clear();
    ends.clear();
    product.post_with_ends(state, arcs, ends);
    arcs.iter().zip(&*ends).rev().for_each(|(arc, end)| each(arc.to, *end));
    arcs.len() as u64
}

/// So that checks can run on a product whose type they do not know.
impl<P: Product + ?Sized> Product for &mut P {
    type Marks = P::Marks;

    fn sets(&self) -> u32 {
        (**self).sets()
    }

    fn pairs(&self) -> &[Pair] {
        (**self).pairs()
    }

    fn initial_states(&mut self, out: &mut Vec<StateId>) {
        (**self).initial_states(out);
    }

    fn post(&mut self, state: StateId, out: &mut Vec<Arc<Self::Marks>>) {
        (**self).post(state, out);
    }

    fn post_with_ends(&mut self, state: StateId, out: &mut Vec<Arc<Self::Marks>>, ends: &mut Vec<End>) {
        (**self).post_with_ends(state, out, ends);
    }

    fn is_accepting(&self, state: StateId) -> bool {
        (**self).is_accepting(state)
    }

    fn accepts_by_component(&self) -> bool {
        (**self).accepts_by_component()
    }

    fn stored(&self) -> u64 {
        (**self).stored()
    }

    fn state_bytes(&self) -> u64 {
        (**self).state_bytes()
    }

    fn auxiliary_bytes(&self) -> u64 {
        (**self).auxiliary_bytes()
    }

    fn model_bytes(&self) -> u64 {
        (**self).model_bytes()
    }

    fn load_and_change(&self) -> (Option<u16>, Option<u64>) {
        (**self).load_and_change()
    }

    fn upcoming_bytes(&self) -> u64 {
        (**self).upcoming_bytes()
    }

    fn is_full(&self) -> bool {
        (**self).is_full()
    }

    fn prefetch(&self, state: StateId) {
        (**self).prefetch(state);
    }

    fn rest(&mut self) {
        (**self).rest();
    }

    fn save_all(&self, out: &mut Writer) -> Result<(), &'static str> {
        (**self).save_all(out)
    }

    fn load_all(&mut self, from: &mut Reader) -> Result<(), Unreadable> {
        (**self).load_all(from)
    }
}

/// One step of a run: a state, and which of the arcs that leave it is taken (its place in the order of
/// [`Product::post`]).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProductStep {
    /// Where the step begins.
    pub state: StateId,
    /// Which arc is taken, counted from 0.
    pub arc: u32,
}

/// A run: from an initial state along the prefix, then round the cycle for ever. The cycle is not empty; the
/// prefix may be.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Lasso {
    /// The way from an initial state to the first state of the cycle.
    pub prefix: Vec<ProductStep>,
    /// From its first state back to it.
    pub cycle: Vec<ProductStep>,
}
