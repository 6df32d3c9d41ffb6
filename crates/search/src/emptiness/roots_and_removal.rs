//! `c99`: Couvreur's algorithm, with a second search to remove a component.
//!
//! Schwoon and Esparza 2005, Fig. 5, with the sets of §5.2. As `ascc`, without the stack of current states:
//! when the search goes back from a root, a second search from there, over current states only, finds the
//! states of the component and takes their bit. It generates all their arcs again, which is why the algorithm
//! loses in Gaiser and Schwoon's measurements.
//!
//! The order of removal does not matter, so the second search keeps a list of states and not a path; it does
//! not add to the depth.
//!
//! For the lasso Schwoon and Esparza (§4.2) suggest to complete the cycle by a search for u from t, where (s,
//! t) is the arc that closed the cycle and u an accepting root (the text says it the other way round: the
//! path leads from u to t already). With several sets one such way is not enough, so the cycle is built by
//! [`cycle_through`], inside the component that was just merged.
//!
//! Cost: two calls of `post` per state at the most; per state one bit and one number.

use super::component::cycle_through;
use super::numbering::{Numbering, Roots};
use super::resumed::resumed;
use super::{Arc, DepthFirstPath, Lasso, MarkSet, Product, Search, Stopped};
use crate::checkpoint::{Reader, Saved, Unreadable, Writer};
use crate::events::{Event, Listener, told};
use lariat_store::StateId;

pub fn roots_and_removal<P: Product, L: Listener>(
    search: &mut Search<P, L>,
) -> Result<Option<Lasso>, Stopped> {
    let mut check = RootsAndRemoval::default();
    resumed(search, &mut check, |check, search| check.run(search))
}

#[derive(Default)]
struct RootsAndRemoval<K> {
    roots: Roots<K>,
    numbering: Numbering,
    path: DepthFirstPath<(), K>,
    /// Of the second search: states whose arcs are still to be looked at, and the arcs of one.
    to_remove: Vec<StateId>,
    arcs: Vec<Arc<K>>,
}

impl<K: MarkSet> RootsAndRemoval<K> {
    /// Goes on where it was left, then from the initial states that it has not seen.
    fn run<P: Product<Marks = K>, L: Listener>(
        &mut self,
        search: &mut Search<P, L>,
    ) -> Result<Option<Lasso>, Stopped> {
        if let Some(lasso) = self.dfs(search)? {
            return Ok(Some(lasso));
        }
        for initial in search.initial_states() {
            if self.numbering.is_new(initial) {
                self.enter(search, initial, MarkSet::NONE)?;
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
        let all = search.all_marks();
        while let Some(s) = self.path.top() {
            let Some(arc) = self.path.explore(search) else {
                if self.roots.pop_if(s).is_some() {
                    search.tell(Event::Nested(s));
                    self.numbering.remove(s);
                    search.tell(Event::Removed(s));
                    self.to_remove.push(s);
                }
                self.remove(search)?;
                self.path.pop(search);
                continue;
            };
            if self.numbering.is_new(arc.to) {
                self.enter(search, arc.to, arc.marks)?;
            } else if self.numbering.is_current(arc.to)
                && let Some(root) = self.roots.merge(self.numbering.number(arc.to), arc.marks)
            {
                let (root, marks) = (root.state, root.marks);
                search.tell(Event::Merged { root, marks: told(marks) });
                if all.is_subset(marks) {
                    return self.lasso(search, root);
                }
            }
        }
        Ok(None)
    }

    /// Removes the states that are listed, and all current ones that they lead to.
    fn remove<P: Product<Marks = K>, L: Listener>(
        &mut self,
        search: &mut Search<P, L>,
    ) -> Result<(), Stopped> {
        if self.to_remove.is_empty() {
            return Ok(());
        }
        while let Some(s) = self.to_remove.pop() {
            self.arcs.clear();
            let bytes = self.table_bytes() + self.path.bytes();
            let posted = search.post(s, &mut self.arcs, self.path.len(), bytes);
            for arc in &self.arcs {
                search.tell(Event::Arc { from: s, to: arc.to });
                if self.numbering.is_current(arc.to) {
                    self.numbering.remove(arc.to);
                    search.tell(Event::Removed(arc.to));
                    self.to_remove.push(arc.to);
                }
            }
            // The check is left when there is nothing of this state left to do.
            posted?;
        }
        search.tell(Event::NestedOver);
        Ok(())
    }

    fn enter<P: Product<Marks = K>, L: Listener>(
        &mut self,
        search: &mut Search<P, L>,
        s: StateId,
        incoming: K,
    ) -> Result<(), Stopped> {
        let number = self.numbering.enter(s);
        self.roots.push(s, number, incoming);
        search.tell(Event::Numbered { state: s, number });
        search.tell(Event::Root(s));
        search.visit(s);
        search.count_roots(self.roots.len());
        let bytes = self.table_bytes();
        self.path.push(search, s, (), 0, bytes)
    }

    fn table_bytes(&self) -> u64 {
        let lists =
            self.to_remove.capacity() * size_of::<StateId>() + self.arcs.capacity() * size_of::<Arc<K>>();
        self.numbering.bytes() + self.roots.bytes() + lists as u64
    }

    fn lasso<P: Product<Marks = K>, L: Listener>(
        &self,
        search: &mut Search<P, L>,
        root: StateId,
    ) -> Result<Option<Lasso>, Stopped> {
        let numbering = &self.numbering;
        let inside = |s| numbering.is_current(s) && numbering.number(s) >= numbering.number(root);
        let cycle = cycle_through(search, root, inside, search.all_marks(), MarkSet::NONE)?;
        Ok(cycle.map(|cycle| Lasso { prefix: self.path.way_to(root), cycle }))
    }
}

impl<K: MarkSet> Saved for RootsAndRemoval<K> {
    fn save(&self, out: &mut Writer) {
        self.roots.save(out);
        self.numbering.save(out);
        self.path.save(out);
        self.to_remove.save(out);
    }

    fn load(&mut self, from: &mut Reader) -> Result<(), Unreadable> {
        self.roots.load(from)?;
        self.numbering.load(from)?;
        self.path.load(from)?;
        self.to_remove.load(from)?;
        Ok(())
    }
}
