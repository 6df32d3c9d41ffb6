//! `tarjan`: strongly connected components, each judged when it is complete.
//!
//! Tarjan 1972, as described in Schwoon and Esparza 2005, §4, and on the slides. States are numbered as they
//! are met and wait on a stack until their component is complete, which is when the search goes back from the
//! root: the state whose lowlink is its own number. Then, not earlier, it turns out whether the component has
//! an arc inside and meets every set.
//!
//! The marks of the arcs inside are gathered along the path: an arc to a current state is inside; the arc to
//! a new state is inside if that state is still current when the search comes back from it, and then what was
//! gathered there is inside too. So they cost nothing per state.
//!
//! The papers give no construction for the lasso: the path leads to the root, and [`cycle_through`] finds the
//! cycle among the states of the component.
//!
//! Cost: one call of `post` per state; per state one bit and two numbers; the stack may hold all states.

use super::component::cycle_through;
use super::numbering::Current;
use super::resumed::{Note, load_marks, resumed, save_marks};
use super::side_tables::Numbers;
use super::{DepthFirstPath, Lasso, MarkSet, Product, Search, Stopped};
use crate::checkpoint::{Reader, Saved, Unreadable, Writer};
use crate::events::{Event, Listener};
use lariat_store::StateId;

pub fn tarjan<P: Product, L: Listener>(search: &mut Search<P, L>) -> Result<Option<Lasso>, Stopped> {
    let mut check = Tarjan::default();
    resumed(search, &mut check, |check, search| check.run(search))
}

/// What is known of the arcs inside the component, from a state on the path and from those behind it.
#[derive(Clone, Copy, Default)]
struct Inside<K> {
    cyclic: bool,
    marks: K,
}

#[derive(Default)]
struct Tarjan<K> {
    current: Current,
    lowlink: Numbers,
    path: DepthFirstPath<Inside<K>, K>,
}

impl<K: MarkSet> Tarjan<K> {
    /// Goes on where it was left, then from the initial states that it has not seen.
    fn run<P: Product<Marks = K>, L: Listener>(
        &mut self,
        search: &mut Search<P, L>,
    ) -> Result<Option<Lasso>, Stopped> {
        if let Some(lasso) = self.dfs(search)? {
            return Ok(Some(lasso));
        }
        for initial in search.initial_states() {
            if self.current.numbering.is_new(initial) {
                self.enter(search, initial)?;
                if let Some(lasso) = self.dfs(search)? {
                    return Ok(Some(lasso));
                }
            }
        }
        Ok(None)
    }

    fn dfs<P: Product<Marks = K>, L: Listener>(
        &mut self,
        search: &mut Search<P, L>,
    ) -> Result<Option<Lasso>, Stopped> {
        while let Some(s) = self.path.top() {
            if let Some(arc) = self.path.explore(search) {
                if self.current.numbering.is_new(arc.to) {
                    self.enter(search, arc.to)?;
                } else if self.current.numbering.is_current(arc.to) {
                    self.is_inside(search, s, arc.to, arc.marks);
                }
                continue;
            }
            let inside = self.path.note().unwrap_or_default();
            if self.lowlink.get(s) == self.current.numbering.number(s) {
                if inside.cyclic && search.all_marks().is_subset(inside.marks) {
                    return self.lasso(search, s);
                }
                self.current.close(s, |s| search.tell(Event::Removed(s)));
            }
            self.path.pop(search);
            if let Some(parent) = self.path.top()
                && let Some(arc) = self.path.last_arc()
                && self.current.numbering.is_current(s)
            {
                self.is_inside(search, parent, s, arc.marks | inside.marks);
            }
        }
        Ok(None)
    }

    /// An arc leads from s, where the search is, to t in the same component.
    fn is_inside<P: Product<Marks = K>, L: Listener>(
        &mut self,
        search: &mut Search<P, L>,
        s: StateId,
        t: StateId,
        marks: K,
    ) {
        let lowlink = self.lowlink.get(s).min(self.lowlink.get(t));
        self.lowlink.set(s, lowlink);
        search.tell(Event::Lowlink { state: s, lowlink });
        if let Some(inside) = self.path.note_mut() {
            inside.cyclic = true;
            inside.marks |= marks;
        }
    }

    fn enter<P: Product<Marks = K>, L: Listener>(
        &mut self,
        search: &mut Search<P, L>,
        s: StateId,
    ) -> Result<(), Stopped> {
        let number = self.current.enter(s);
        self.lowlink.set(s, number);
        search.tell(Event::Numbered { state: s, number });
        search.tell(Event::Lowlink { state: s, lowlink: number });
        search.visit(s);
        search.count_active(self.current.len());
        let bytes = self.current.bytes() + self.lowlink.bytes();
        self.path.push(search, s, Inside::default(), 0, bytes)
    }

    fn lasso<P: Product<Marks = K>, L: Listener>(
        &self,
        search: &mut Search<P, L>,
        root: StateId,
    ) -> Result<Option<Lasso>, Stopped> {
        let numbering = &self.current.numbering;
        let inside = |s| numbering.is_current(s) && numbering.number(s) >= numbering.number(root);
        let cycle = cycle_through(search, root, inside, search.all_marks(), MarkSet::NONE)?;
        Ok(cycle.map(|cycle| Lasso { prefix: self.path.way_to_top(), cycle }))
    }
}

impl<K: MarkSet> Saved for Tarjan<K> {
    fn save(&self, out: &mut Writer) {
        self.current.save(out);
        self.lowlink.save(out);
        self.path.save(out);
    }

    fn load(&mut self, from: &mut Reader) -> Result<(), Unreadable> {
        self.current.load(from)?;
        self.lowlink.load(from)?;
        self.path.load(from)?;
        Ok(())
    }
}

impl<K: MarkSet> Note for Inside<K> {
    fn save(self, out: &mut Writer) {
        out.flag(self.cyclic);
        save_marks(self.marks, out);
    }

    fn load(from: &mut Reader) -> Result<Inside<K>, Unreadable> {
        Ok(Inside { cyclic: from.flag()?, marks: load_marks(from)? })
    }
}
