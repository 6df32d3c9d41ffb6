//! The search of `ascc` for one thread, where only states that may lie on an accepting cycle are taken in
//! order (`any_order.rs`).
//!
//! An accepting cycle lies in one component of the product, in which the automaton is in one component of
//! its own, with an accepting cycle. So a strong automaton has parts that need no order too: that of
//! `(G F p) -> (G F q)`, negated, waits in a state that does not accept, where it sees all of the model,
//! until it decides that q is over.
//!
//! Among the others this is `ascc`, from each root. An arc out of the accepting states leaves its component:
//! the automaton does not come back. `components_shared.rs` is the same for several threads.
//!
//! Cost: beside that of taking the others in any order, a bit and a number per state.

use super::any_order::{InOrder, Line, any_order};
use super::roots_and_active::RootsAndActive;
use super::{MarkSet, Product, Search, Stopped};
use crate::events::Listener;
use lariat_store::StateId;

/// Whether there is an accepting cycle. Of a product that does not tell which states may lie on one
/// ([`Product::accepts_by_component`]) all states are taken in order.
pub fn components_any_order<P: Product, L: Listener>(search: &mut Search<P, L>) -> Result<bool, Stopped> {
    any_order(search, &mut RootsAndActive::<P::Marks>::default())
}

impl<P: Product<Marks = K>, K: MarkSet> InOrder<P> for RootsAndActive<K> {
    fn accepts<L: Listener>(search: &Search<P, L>, state: StateId) -> bool {
        search.may_accept(state)
    }

    fn is_new(&self, state: StateId) -> bool {
        self.active.numbering.is_new(state)
    }

    fn search_from<L: Listener>(
        &mut self,
        search: &mut Search<P, L>,
        root: StateId,
        line: &mut Line,
    ) -> Result<bool, Stopped> {
        self.enter(search, root, K::NONE)?;
        let leaves = |search: &Search<P, L>, to: StateId| {
            let leaves = !search.may_accept(to);
            if leaves {
                line.add(to, 0);
            }
            leaves
        };
        Ok(self.dfs(search, leaves)?.is_some())
    }

    fn bytes(&self) -> u64 {
        self.own_bytes()
    }
}
