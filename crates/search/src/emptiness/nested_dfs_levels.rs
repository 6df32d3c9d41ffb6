//! `cvwy-gen`: the nested depth-first search for any number of sets, over pairs of a state and a level.
//!
//! Schwoon and Esparza 2005, §5.2, mention the method of Courcoubetis et al. with at worst 2n traversals;
//! there is no pseudo-code. At level k the search waits for mark k: an arc that carries it leads one level
//! up, any other arc stays on the level. From the last level the arc with the last mark leads back to level
//! 0; such arcs *accept*. A cycle of pairs with an accepting arc meets every mark; an accepting cycle of
//! states, run through often enough, is such a cycle of pairs.
//!
//! Acceptance is on arcs here, so the seed of a nested search is the source of accepting arcs: when the outer
//! search goes back from a pair on the last level, the nested search begins at the targets of its accepting
//! arcs (which are still at hand: no call of `post`) and looks for the pair itself. The argument of `cvwy`
//! holds word for word. With no set at all there is one level, and every arc accepts.
//!
//! The lasso is on the two stacks: outer path, accepting arc, nested path.
//!
//! Cost for n sets: 2n calls of `post` per state at the most; 2n bits per state.

use super::{Arc, Colour, DepthFirstPath, Lasso, MarkSet, Product, ProductStep, Search, Stopped};
use crate::events::{Event, Listener};
use lariat_store::{StateBits, StateId};

pub fn nested_dfs_levels<P: Product, L: Listener>(
    search: &mut Search<P, L>,
) -> Result<Option<Lasso>, Stopped> {
    let levels = search.sets().max(1) as usize;
    let mut check = NestedDfsLevels {
        sets: search.sets(),
        is_blue: vec![StateBits::new(); levels],
        is_red: vec![StateBits::new(); levels],
        blue: DepthFirstPath::new(),
        red: DepthFirstPath::new(),
    };
    for initial in search.initial_states() {
        if !check.is_blue[0].is_set(initial)
            && let Some(lasso) = check.dfs_blue(search, initial)?
        {
            return Ok(Some(lasso));
        }
    }
    Ok(None)
}

struct NestedDfsLevels<K> {
    sets: u32,
    /// Per level.
    is_blue: Vec<StateBits>,
    is_red: Vec<StateBits>,
    blue: DepthFirstPath<u32, K>,
    red: DepthFirstPath<u32, K>,
}

impl<K: MarkSet> NestedDfsLevels<K> {
    /// The level behind an arc, and whether the arc accepts.
    fn above(&self, level: u32, arc: Arc<K>) -> (u32, bool) {
        let last = self.is_blue.len() as u32 - 1;
        match self.sets == 0 || arc.marks.contains(level) {
            true if level == last => (0, true),
            true => (level + 1, false),
            false => (level, false),
        }
    }

    fn dfs_blue<P: Product<Marks = K>, L: Listener>(
        &mut self,
        search: &mut Search<P, L>,
        start: StateId,
    ) -> Result<Option<Lasso>, Stopped> {
        self.enter_blue(search, start, 0)?;
        while let Some(level) = self.blue.note() {
            if let Some(arc) = self.blue.explore(search) {
                let (above, _) = self.above(level, arc);
                if !self.is_blue[above as usize].is_set(arc.to) {
                    self.enter_blue(search, arc.to, above)?;
                }
                continue;
            }
            for k in 0..self.blue.arcs_of_top().len() {
                let arc = self.blue.arcs_of_top()[k];
                if let (above, true) = self.above(level, arc)
                    && let Some(lasso) = self.dfs_red(search, k as u32, arc.to, above)?
                {
                    return Ok(Some(lasso));
                }
            }
            self.blue.pop(search);
        }
        Ok(None)
    }

    /// From the target of accepting arc `k` of the pair that the outer search is about to leave.
    fn dfs_red<P: Product<Marks = K>, L: Listener>(
        &mut self,
        search: &mut Search<P, L>,
        k: u32,
        start: StateId,
        level: u32,
    ) -> Result<Option<Lasso>, Stopped> {
        let seed = self.blue.top().zip(self.blue.note());
        let mut next = Some((start, level));
        search.tell(Event::Nested(self.blue.top().unwrap_or(start)));
        loop {
            if next.is_some() && next == seed {
                search.note_found_nested(true);
                let first = seed.map(|(state, _)| ProductStep { state, arc: k });
                let cycle = first.into_iter().chain(self.red.steps()).collect();
                return Ok(Some(Lasso { prefix: self.blue.way_to_top(), cycle }));
            }
            if let Some((t, level)) = next
                && !self.is_red[level as usize].is_set(t)
            {
                self.enter_red(search, t, level)?;
            }
            let Some(level) = self.red.note() else {
                search.tell(Event::NestedOver);
                return Ok(None);
            };
            next = self.red.next_arc(search).map(|arc| (arc.to, self.above(level, arc).0));
            if next.is_none() {
                self.red.pop(search);
            }
        }
    }

    fn enter_blue<P: Product<Marks = K>, L: Listener>(
        &mut self,
        search: &mut Search<P, L>,
        s: StateId,
        level: u32,
    ) -> Result<(), Stopped> {
        self.visit(search, s);
        self.is_blue[level as usize].set(s);
        search.tell(Event::Levelled { state: s, level, colour: Colour::Blue });
        let bytes = self.table_bytes() + self.red.bytes();
        self.blue.push(search, s, level, 0, bytes)
    }

    fn enter_red<P: Product<Marks = K>, L: Listener>(
        &mut self,
        search: &mut Search<P, L>,
        s: StateId,
        level: u32,
    ) -> Result<(), Stopped> {
        self.visit(search, s);
        self.is_red[level as usize].set(s);
        search.tell(Event::Levelled { state: s, level, colour: Colour::Red });
        let bytes = self.table_bytes() + self.blue.bytes();
        self.red.push(search, s, level, self.blue.len(), bytes)
    }

    /// A state counts on the first of its levels.
    fn visit<P: Product<Marks = K>, L: Listener>(&self, search: &mut Search<P, L>, s: StateId) {
        if !self.is_blue.iter().chain(&self.is_red).any(|level| level.is_set(s)) {
            search.visit(s);
        }
    }

    fn table_bytes(&self) -> u64 {
        self.is_blue.iter().chain(&self.is_red).map(StateBits::bytes).sum()
    }
}
