//! The search of `sd` for one thread, where only accepting states are taken in order (`any_order.rs`).
//!
//! In a weak product an accepting cycle consists of accepting states, and any cycle of these will do. Among
//! them this is `sd`: a state is left, and becomes blue, when all its accepting successors are blue; a cyan
//! one closes a cycle. `simple_dfs_shared.rs` is the same for several threads.
//!
//! Cost: beside that of taking the others in any order, two bits per state.

use super::any_order::{InOrder, Line, any_order};
use super::coloured::Coloured;
use super::side_tables::{Colour, Colours};
use super::{MarkSet, Product, Search, Stopped};
use crate::events::Listener;
use lariat_store::StateId;

/// Whether there is an accepting cycle, provided that the product is weak.
pub fn simple_dfs_any_order<P: Product, L: Listener>(search: &mut Search<P, L>) -> Result<bool, Stopped> {
    any_order(search, &mut Coloured::<(), P::Marks>::new(Colours::four()))
}

impl<P: Product<Marks = K>, K: MarkSet> InOrder<P> for Coloured<(), K> {
    fn accepts<L: Listener>(search: &Search<P, L>, state: StateId) -> bool {
        search.is_accepting(state)
    }

    fn is_new(&self, state: StateId) -> bool {
        self.colour(state) == Colour::White
    }

    fn search_from<L: Listener>(
        &mut self,
        search: &mut Search<P, L>,
        root: StateId,
        line: &mut Line,
    ) -> Result<bool, Stopped> {
        self.enter_blue(search, root, ())?;
        while !self.blue.is_empty() {
            let Coloured { blue, colours, .. } = self;
            let arc = blue.explore_until(search, |search, _, arc| match colours.of(arc.to) {
                Colour::White if search.is_accepting(arc.to) => true,
                Colour::White => {
                    line.add(arc.to, 0);
                    false
                }
                Colour::Cyan => true,
                _ => false,
            });
            match arc {
                None => self.leave_blue(search, Colour::Blue),
                Some(arc) if self.colour(arc.to) == Colour::White => self.enter_blue(search, arc.to, ())?,
                Some(_) => return Ok(true),
            }
        }
        Ok(false)
    }

    fn bytes(&self) -> u64 {
        self.colours.bytes()
    }
}
