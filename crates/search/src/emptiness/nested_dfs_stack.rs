//! `hpy`: the nested depth-first search of Holzmann, Peled and Yannakakis, which is Spin's.
//!
//! Schwoon and Esparza 2005, §3.1. As `cvwy`, but the nested search is content with any state on the path of
//! the outer one: from there the path leads to the seed. So it never goes on beyond such a state, and never
//! meets a state that the outer search has not seen.
//!
//! The lasso: the outer path up to that state; round the cycle along the rest of the outer path to the seed,
//! and along the nested path back.
//!
//! Cost: two calls of `post` per state at the most; three bits per state (blue, red, on the path).

use super::resumed::resumed;
use super::side_tables::SmallNumbers;
use super::{Colour, DepthFirstPath, Lasso, MarkSet, Product, Search, Stopped};
use crate::checkpoint::{Reader, Saved, Unreadable, Writer};
use crate::events::{Event, Listener};
use lariat_store::{StateBits, StateId};

pub fn nested_dfs_stack<P: Product, L: Listener>(
    search: &mut Search<P, L>,
) -> Result<Option<Lasso>, Stopped> {
    let mut check = NestedDfsStack {
        is_blue: StateBits::new(),
        is_red: StateBits::new(),
        on_stack: SmallNumbers::new(1),
        blue: DepthFirstPath::new(),
        red: DepthFirstPath::new(),
    };
    resumed(search, &mut check, |check, search| check.run(search))
}

struct NestedDfsStack<K> {
    is_blue: StateBits,
    is_red: StateBits,
    on_stack: SmallNumbers,
    blue: DepthFirstPath<(), K>,
    red: DepthFirstPath<(), K>,
}

impl<K: MarkSet> NestedDfsStack<K> {
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
            self.on_stack.set(s, 0);
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
            debug_assert!(self.is_blue.is_set(arc.to));
            if self.on_stack.get(arc.to) == 1 {
                search.note_found_nested(true);
                return Ok(Some(self.blue.lasso_closed_by(&self.red, arc.to)));
            }
            if !self.is_red.is_set(arc.to) {
                self.enter_red(search, arc.to)?;
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
        self.on_stack.set(s, 1);
        search.visit(s);
        let bytes = self.table_bytes() + self.red.bytes();
        self.blue.push(search, s, (), 0, bytes)
    }

    fn enter_red<P: Product<Marks = K>, L: Listener>(
        &mut self,
        search: &mut Search<P, L>,
        s: StateId,
    ) -> Result<(), Stopped> {
        self.is_red.set(s);
        search.tell_colour(s, Colour::Red);
        let bytes = self.table_bytes() + self.blue.bytes();
        self.red.push(search, s, (), self.blue.len(), bytes)
    }

    fn table_bytes(&self) -> u64 {
        self.is_blue.bytes() + self.is_red.bytes() + self.on_stack.bytes()
    }
}

impl<K: MarkSet> Saved for NestedDfsStack<K> {
    fn save(&self, out: &mut Writer) {
        self.is_blue.save(out);
        self.is_red.save(out);
        self.on_stack.save(out);
        self.blue.save(out);
        self.red.save(out);
    }

    fn load(&mut self, from: &mut Reader) -> Result<(), Unreadable> {
        self.is_blue.load(from)?;
        self.is_red.load(from)?;
        self.on_stack.load(from)?;
        self.blue.load(from)?;
        self.red.load(from)?;
        Ok(())
    }
}
