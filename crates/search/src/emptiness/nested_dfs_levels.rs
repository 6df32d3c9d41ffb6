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

use super::resumed::resumed;
use super::{Arc, Colour, DepthFirstPath, Lasso, MarkSet, Product, ProductStep, Search, Stopped};
use crate::checkpoint::{Reader, Saved, Unreadable, Writer};
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
        seeded_by: 0,
    };
    resumed(search, &mut check, |check, search| check.run(search))
}

struct NestedDfsLevels<K> {
    sets: u32,
    /// Per level.
    is_blue: Vec<StateBits>,
    is_red: Vec<StateBits>,
    blue: DepthFirstPath<u32, K>,
    red: DepthFirstPath<u32, K>,
    /// The arc from which the nested search began, among those of the pair where the outer search is.
    seeded_by: u32,
}

impl<K: MarkSet> NestedDfsLevels<K> {
    /// Goes on where it was left, then from the initial states that it has not seen.
    fn run<P: Product<Marks = K>, L: Listener>(
        &mut self,
        search: &mut Search<P, L>,
    ) -> Result<Option<Lasso>, Stopped> {
        if let Some(lasso) = self.dfs_blue(search)? {
            return Ok(Some(lasso));
        }
        for initial in search.initial_states() {
            if !self.is_blue[0].is_set(initial) {
                self.enter_blue(search, initial, 0)?;
                if let Some(lasso) = self.dfs_blue(search)? {
                    return Ok(Some(lasso));
                }
            }
        }
        Ok(None)
    }

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
    ) -> Result<Option<Lasso>, Stopped> {
        while let Some(level) = self.blue.note() {
            if let Some(arc) = self.blue.explore(search) {
                let (above, _) = self.above(level, arc);
                if !self.is_blue[above as usize].is_set(arc.to) {
                    self.enter_blue(search, arc.to, above)?;
                }
                continue;
            }
            while let Some(&arc) = self.blue.arcs_of_top().get(self.seeded_by as usize) {
                if let (above, true) = self.above(level, arc)
                    && let Some(lasso) = self.dfs_red(search, self.seeded_by, arc.to, above)?
                {
                    return Ok(Some(lasso));
                }
                self.seeded_by += 1;
            }
            self.seeded_by = 0;
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
        let mut next = None;
        if self.red.is_empty() {
            next = Some((start, level));
            search.tell(Event::Nested(self.blue.top().unwrap_or(start)));
        }
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

impl<K: MarkSet> Saved for NestedDfsLevels<K> {
    fn save(&self, out: &mut Writer) {
        self.is_blue.iter().chain(&self.is_red).for_each(|level| level.save(out));
        out.number(u64::from(self.seeded_by));
        self.blue.save(out);
        self.red.save(out);
    }

    fn load(&mut self, from: &mut Reader) -> Result<(), Unreadable> {
        for level in self.is_blue.iter_mut().chain(&mut self.is_red) {
            level.load(from)?;
        }
        self.seeded_by = from.small()?;
        self.blue.load(from)?;
        self.red.load(from)?;
        Ok(())
    }
}
