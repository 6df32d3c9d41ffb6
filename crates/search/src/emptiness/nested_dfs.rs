//! `cvwy`: the nested depth-first search of Courcoubetis, Vardi, Wolper and Yannakakis.
//!
//! Schwoon and Esparza 2005, Fig. 1; the slides of 2025. The outer search colours states blue. When it goes
//! back from an accepting state, the *seed*, a nested search looks for a way from the seed to itself and
//! colours states red. Red states stay red: because seeds are treated in the order in which the outer search
//! leaves them, what an earlier nested search has seen leads to no later seed that is on a cycle.
//!
//! The nested search may wander into states that the outer one has not seen (over a state on the outer path;
//! then it will find its cycle); they count as visited.
//!
//! The lasso is on the two stacks: the outer path leads to the seed, the nested path from the seed back to
//! it.
//!
//! Cost: two calls of `post` per state at the most; two bits per state.

use super::resumed::resumed;
use super::{Colour, DepthFirstPath, Lasso, MarkSet, Product, Search, Stopped};
use crate::checkpoint::{Reader, Saved, Unreadable, Writer};
use crate::events::{Event, Listener};
use lariat_store::{StateBits, StateId};

pub fn nested_dfs<P: Product, L: Listener>(search: &mut Search<P, L>) -> Result<Option<Lasso>, Stopped> {
    let mut check = NestedDfs::default();
    resumed(search, &mut check, |check, search| check.run(search))
}

#[derive(Default)]
struct NestedDfs<K> {
    is_blue: StateBits,
    is_red: StateBits,
    blue: DepthFirstPath<(), K>,
    red: DepthFirstPath<(), K>,
}

impl<K: MarkSet> NestedDfs<K> {
    /// Goes on where it was left, then from the initial states that it has not seen.
    fn run<P: Product<Marks = K>, L: Listener>(
        &mut self,
        search: &mut Search<P, L>,
    ) -> Result<Option<Lasso>, Stopped> {
        if let Some(lasso) = self.dfs_blue(search)? {
            return Ok(Some(lasso));
        }
        for initial in search.initial_states() {
            if !self.is_blue.is_set(initial) {
                self.enter_blue(search, initial)?;
                if let Some(lasso) = self.dfs_blue(search)? {
                    return Ok(Some(lasso));
                }
            }
        }
        Ok(None)
    }

    fn dfs_blue<P: Product<Marks = K>, L: Listener>(
        &mut self,
        search: &mut Search<P, L>,
    ) -> Result<Option<Lasso>, Stopped> {
        while let Some(s) = self.blue.top() {
            if let Some(arc) = self.blue.explore(search) {
                if !self.is_blue.is_set(arc.to) {
                    self.enter_blue(search, arc.to)?;
                }
                continue;
            }
            if search.is_accepting(s)
                && let Some(lasso) = self.dfs_red(search, s)?
            {
                return Ok(Some(lasso));
            }
            self.blue.pop(search);
        }
        Ok(None)
    }

    fn dfs_red<P: Product<Marks = K>, L: Listener>(
        &mut self,
        search: &mut Search<P, L>,
        seed: StateId,
    ) -> Result<Option<Lasso>, Stopped> {
        if self.red.is_empty() {
            search.tell(Event::Nested(seed));
            self.enter_red(search, seed)?;
        }
        while !self.red.is_empty() {
            let Some(arc) = self.red.next_arc(search) else {
                self.red.pop(search);
                continue;
            };
            if !self.is_red.is_set(arc.to) {
                self.enter_red(search, arc.to)?;
            } else if arc.to == seed {
                search.note_found_nested(true);
                return Ok(Some(self.blue.lasso_closed_by(&self.red, seed)));
            }
        }
        search.tell(Event::NestedOver);
        Ok(None)
    }

    fn enter_blue<P: Product<Marks = K>, L: Listener>(
        &mut self,
        search: &mut Search<P, L>,
        s: StateId,
    ) -> Result<(), Stopped> {
        self.is_blue.set(s);
        search.tell_colour(s, Colour::Blue);
        search.visit(s);
        let bytes = self.is_blue.bytes() + self.is_red.bytes() + self.red.bytes();
        self.blue.push(search, s, (), 0, bytes)
    }

    fn enter_red<P: Product<Marks = K>, L: Listener>(
        &mut self,
        search: &mut Search<P, L>,
        s: StateId,
    ) -> Result<(), Stopped> {
        self.is_red.set(s);
        search.tell_colour(s, Colour::Red);
        if !self.is_blue.is_set(s) {
            search.visit(s);
        }
        let bytes = self.is_blue.bytes() + self.is_red.bytes() + self.blue.bytes();
        self.red.push(search, s, (), self.blue.len(), bytes)
    }
}

impl<K: MarkSet> Saved for NestedDfs<K> {
    fn save(&self, out: &mut Writer) {
        self.is_blue.save(out);
        self.is_red.save(out);
        self.blue.save(out);
        self.red.save(out);
    }

    fn load(&mut self, from: &mut Reader) -> Result<(), Unreadable> {
        self.is_blue.load(from)?;
        self.is_red.load(from)?;
        self.blue.load(from)?;
        self.red.load(from)?;
        Ok(())
    }
}
