//! `gv`: the algorithm of Geldenhuys and Valmari: Tarjan's, which stops as soon as it has explored an
//! accepting cycle.
//!
//! Schwoon and Esparza 2005, Fig. 7. The deepest accepting state on the path is the *goal*. Every current
//! state that is not younger than the goal leads to it; so a state behind the goal whose lowlink is not
//! greater than the goal's number closes a cycle through the goal. No check that follows the same order
//! explores less.
//!
//! The test of the goal belongs inside `if t.current` (the indentation of the figure is lost in our copy):
//! outside it an arc to a complete component raises a false alarm, because the lowlink of an accepting state
//! is its own number to begin with. It works for one set only.
//!
//! The papers give no construction for the lasso: the path leads to the goal, and [`cycle_through`] finds the
//! shortest way from the goal back to it among the current states.
//!
//! Cost: one call of `post` per state; per state one bit and two numbers; the stack of current states may
//! hold all of them.

use super::component::cycle_through;
use super::numbering::Current;
use super::resumed::resumed;
use super::side_tables::Numbers;
use super::{DepthFirstPath, Lasso, MarkSet, Product, Search, Stopped};
use crate::checkpoint::{Reader, Saved, Unreadable, Writer};
use crate::events::{Event, Listener};
use lariat_store::StateId;

pub fn tarjan_goal<P: Product, L: Listener>(search: &mut Search<P, L>) -> Result<Option<Lasso>, Stopped> {
    let mut check = TarjanGoal::default();
    resumed(search, &mut check, |check, search| check.run(search))
}

/// The deepest accepting state on the path.
type Goal = Option<StateId>;

#[derive(Default)]
struct TarjanGoal<K> {
    current: Current,
    lowlink: Numbers,
    path: DepthFirstPath<Goal, K>,
}

impl<K: MarkSet> TarjanGoal<K> {
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
            let reached = if let Some(arc) = self.path.explore(search) {
                if self.current.numbering.is_new(arc.to) {
                    self.enter(search, arc.to)?;
                    None
                } else {
                    self.goal_reached(search, arc.to)
                }
            } else {
                if self.lowlink.get(s) == self.current.numbering.number(s) {
                    self.current.close(s, |s| search.tell(Event::Removed(s)));
                }
                self.path.pop(search);
                self.goal_reached(search, s)
            };
            if let Some(goal) = reached {
                return self.lasso(search, goal);
            }
        }
        Ok(None)
    }

    /// Lines 15 to 18, for the state s where the search is and its successor t.
    fn goal_reached<P: Product<Marks = K>, L: Listener>(
        &mut self,
        search: &mut Search<P, L>,
        t: StateId,
    ) -> Goal {
        let s = self.path.top()?;
        if !self.current.numbering.is_current(t) {
            return None;
        }
        let lowlink = self.lowlink.get(s).min(self.lowlink.get(t));
        self.lowlink.set(s, lowlink);
        search.tell(Event::Lowlink { state: s, lowlink });
        let goal = self.path.note()??;
        (lowlink <= self.current.numbering.number(goal)).then_some(goal)
    }

    fn enter<P: Product<Marks = K>, L: Listener>(
        &mut self,
        search: &mut Search<P, L>,
        s: StateId,
    ) -> Result<(), Stopped> {
        let goal = if search.is_accepting(s) { Some(s) } else { self.path.note().flatten() };
        let number = self.current.enter(s);
        self.lowlink.set(s, number);
        search.tell(Event::Numbered { state: s, number });
        search.tell(Event::Lowlink { state: s, lowlink: number });
        search.visit(s);
        search.count_active(self.current.len());
        let bytes = self.current.bytes() + self.lowlink.bytes();
        self.path.push(search, s, goal, 0, bytes)
    }

    fn lasso<P: Product<Marks = K>, L: Listener>(
        &self,
        search: &mut Search<P, L>,
        goal: StateId,
    ) -> Result<Option<Lasso>, Stopped> {
        let inside = |s| self.current.numbering.is_current(s);
        let cycle = cycle_through(search, goal, inside, MarkSet::NONE, MarkSet::NONE)?;
        Ok(cycle.map(|cycle| Lasso { prefix: self.path.way_to(goal), cycle }))
    }
}

impl<K: MarkSet> Saved for TarjanGoal<K> {
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
