//! `ascc`: the amended algorithm of Couvreur, by Gaiser and Schwoon.
//!
//! Gaiser and Schwoon 2009, Fig. 2. *Roots* holds the first state of each component of what has been explored
//! so far, with what the arcs inside meet; *Active* the current states, in the order of their numbers. An arc
//! to a current state merges all components down to the one of that state; if the merged component meets
//! every set, an accepting cycle has just been closed. When the search goes back from a root, its component
//! is complete and taken off both stacks: no second look, no lowlinks.
//!
//! The merging is [`Roots::merge`]. Line 20 of the figure must read ≤: a self-loop on a root, or an arc to
//! one, ends at that root. Acceptance is on arcs: a root keeps the marks of the arc into it apart, which come
//! inside when it is merged with the root below. With no set at all every merge closes an accepting cycle.
//! The figure tests B = K after each root popped; once after the last is the same, since B only grows and the
//! arc explored is the same.
//!
//! The papers give no construction for the lasso: the path leads to the root of the component just merged,
//! and [`cycle_through`] finds the cycle inside.
//!
//! Cost: one call of `post` per state; per state one bit and one number; Active may hold all states.

use super::component::cycle_through;
use super::numbering::{Current, Roots};
use super::resumed::resumed;
use super::{DepthFirstPath, Lasso, MarkSet, Product, Search, Stopped};
use crate::checkpoint::{Reader, Saved, Unreadable, Writer};
use crate::events::{Event, Listener, told};
use lariat_store::StateId;

pub fn roots_and_active<P: Product, L: Listener>(
    search: &mut Search<P, L>,
) -> Result<Option<Lasso>, Stopped> {
    let mut check = RootsAndActive::default();
    resumed(search, &mut check, |check, search| check.run(search))
}

pub(super) struct RootsAndActive<K> {
    roots: Roots<K>,
    pub active: Current,
    path: DepthFirstPath<(), K>,
}

impl<K> Default for RootsAndActive<K> {
    fn default() -> RootsAndActive<K> {
        RootsAndActive {
            roots: Roots::default(),
            active: Current::default(),
            path: DepthFirstPath::default(),
        }
    }
}

impl<K: MarkSet> RootsAndActive<K> {
    /// Goes on where it was left, then from the initial states that it has not seen.
    fn run<P: Product<Marks = K>, L: Listener>(
        &mut self,
        search: &mut Search<P, L>,
    ) -> Result<Option<Lasso>, Stopped> {
        if let Some(root) = self.dfs(search, |_, _| false)? {
            return self.lasso(search, root);
        }
        for initial in search.initial_states() {
            if self.active.numbering.is_new(initial) {
                self.enter(search, initial, MarkSet::NONE)?;
                if let Some(root) = self.dfs(search, |_, _| false)? {
                    return self.lasso(search, root);
                }
            }
        }
        Ok(None)
    }

    /// From where the search is, but for arcs that leave what is to be searched: the root of a component that
    /// accepts.
    pub fn dfs<P: Product<Marks = K>, L: Listener>(
        &mut self,
        search: &mut Search<P, L>,
        mut leaves: impl FnMut(&Search<P, L>, StateId) -> bool,
    ) -> Result<Option<StateId>, Stopped> {
        let all = search.all_marks();
        while let Some(s) = self.path.top() {
            let arc = self.path.explore_until(search, |search, _, arc| !leaves(search, arc.to));
            let Some(arc) = arc else {
                if self.roots.pop_if(s).is_some() {
                    self.active.close(s, |s| search.tell(Event::Removed(s)));
                }
                self.path.pop(search);
                continue;
            };
            if self.active.numbering.is_new(arc.to) {
                self.enter(search, arc.to, arc.marks)?;
            } else if self.active.numbering.is_current(arc.to)
                && let Some(root) = self.roots.merge(self.active.numbering.number(arc.to), arc.marks)
            {
                let (root, marks) = (root.state, root.marks);
                search.tell(Event::Merged { root, marks: told(marks) });
                if all.is_subset(marks) {
                    return Ok(Some(root));
                }
            }
        }
        Ok(None)
    }

    /// Goes to a new state.
    pub fn enter<P: Product<Marks = K>, L: Listener>(
        &mut self,
        search: &mut Search<P, L>,
        s: StateId,
        incoming: K,
    ) -> Result<(), Stopped> {
        let number = self.active.enter(s);
        self.roots.push(s, number, incoming);
        search.tell(Event::Numbered { state: s, number });
        search.tell(Event::Root(s));
        search.visit(s);
        search.count_active(self.active.len());
        search.count_roots(self.roots.len());
        let bytes = self.own_bytes();
        self.path.push(search, s, (), 0, bytes)
    }

    /// What it notes, but for the path, in bytes.
    pub fn own_bytes(&self) -> u64 {
        self.active.bytes() + self.roots.bytes()
    }

    fn lasso<P: Product<Marks = K>, L: Listener>(
        &self,
        search: &mut Search<P, L>,
        root: StateId,
    ) -> Result<Option<Lasso>, Stopped> {
        let numbering = &self.active.numbering;
        let inside = |s| numbering.is_current(s) && numbering.number(s) >= numbering.number(root);
        let cycle = cycle_through(search, root, inside, search.all_marks(), MarkSet::NONE)?;
        Ok(cycle.map(|cycle| Lasso { prefix: self.path.way_to(root), cycle }))
    }
}

impl<K: MarkSet> Saved for RootsAndActive<K> {
    fn save(&self, out: &mut Writer) {
        self.roots.save(out);
        self.active.save(out);
        self.path.save(out);
    }

    fn load(&mut self, from: &mut Reader) -> Result<(), Unreadable> {
        self.roots.load(from)?;
        self.active.load(from)?;
        self.path.load(from)?;
        Ok(())
    }
}
