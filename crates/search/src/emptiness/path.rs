//! The stack of a depth-first search: the states on the path, and the arcs that each has not taken yet.
//!
//! The arcs that leave a state are computed once, when it is pushed, and wait on a stack of their own below
//! those of deeper states. So `post` is called once for a visit, and the recursion of the papers is a loop
//! over [`DepthFirstPath::explore`]. What a procedure of a paper keeps in local variables is the note `T` of
//! a frame.
//!
//! The path is also the counterexample: every frame knows which arc it took last, so the frames are the steps
//! of a run. Where a nested search found the cycle, the frames of the outer search come first (they end in
//! the seed), then those of the nested one (they begin with the seed).
//!
//! Cost: 16 bytes and the note per state on the path, 16 per arc that leaves one of them.

use super::{Arc, Lasso, MarkSet, Product, ProductStep, Search, Stopped};
use crate::events::{Event, Listener};
use lariat_ltl::Marks;
use lariat_store::StateId;

/// A state on the path.
#[derive(Clone, Copy, Debug)]
pub struct Frame<T> {
    /// The state itself.
    pub state: StateId,
    /// What the check has noted with it.
    pub note: T,
    /// How many of its arcs have been taken.
    taken: u32,
    /// Its arcs begin here.
    first: usize,
}

impl<T> Frame<T> {
    /// A state that has taken so many of its arcs, which begin there.
    pub(super) fn new(state: StateId, note: T, taken: u32, first: usize) -> Frame<T> {
        Frame { state, note, taken, first }
    }

    /// How many of its arcs have been taken, and where they begin.
    pub(super) fn arcs(&self) -> (u32, usize) {
        (self.taken, self.first)
    }
}

/// The path of a depth-first search, with a note of type `T` for each state on it.
#[derive(Clone, Debug)]
pub struct DepthFirstPath<T = (), K = Marks> {
    frames: Vec<Frame<T>>,
    arcs: Vec<Arc<K>>,
}

impl<T, K> Default for DepthFirstPath<T, K> {
    fn default() -> Self {
        DepthFirstPath { frames: Vec::new(), arcs: Vec::new() }
    }
}

impl<T: Copy, K: MarkSet> DepthFirstPath<T, K> {
    /// A path without states.
    pub fn new() -> DepthFirstPath<T, K> {
        DepthFirstPath::default()
    }

    /// The states on the path, and the arcs of all of them.
    pub(super) fn parts(&self) -> (&[Frame<T>], &Vec<Arc<K>>) {
        (&self.frames, &self.arcs)
    }

    /// A path of these states and arcs.
    pub(super) fn of_parts(frames: Vec<Frame<T>>, arcs: Vec<Arc<K>>) -> DepthFirstPath<T, K> {
        DepthFirstPath { frames, arcs }
    }

    /// How many states are on the path.
    pub fn len(&self) -> usize {
        self.frames.len()
    }

    /// Whether no state is on the path: the search is done, or has not begun.
    pub fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    /// The state where the search is.
    pub fn top(&self) -> Option<StateId> {
        self.frames.last().map(|frame| frame.state)
    }

    /// What is noted with the state where the search is.
    pub fn note(&self) -> Option<T> {
        self.frames.last().map(|frame| frame.note)
    }

    /// The same, to be changed.
    pub fn note_mut(&mut self) -> Option<&mut T> {
        self.frames.last_mut().map(|frame| &mut frame.note)
    }

    /// Goes to a state: computes its arcs. `below` is the number of states on other paths, `other_bytes` what
    /// else the check holds.
    #[inline]
    pub fn push<P: Product<Marks = K>, L: Listener>(
        &mut self,
        search: &mut Search<P, L>,
        state: StateId,
        note: T,
        below: usize,
        other_bytes: u64,
    ) -> Result<(), Stopped> {
        // Whatever comes of this state, that one will be needed when it is done.
        if let Some(frame) = self.frames.last()
            && let Some(next) = self.arcs.get(frame.first + frame.taken as usize)
        {
            search.prefetch(next.to);
        }
        self.frames.push(Frame { state, note, taken: 0, first: self.arcs.len() });
        search.tell(Event::Entered(state));
        let (depth, bytes) = (below + self.frames.len(), self.bytes() + other_bytes);
        search.post(state, &mut self.arcs, depth, bytes)
    }

    /// The next arc of the state where the search is; `None` if all are taken.
    pub fn next_arc<P: Product<Marks = K>, L: Listener>(
        &mut self,
        search: &mut Search<P, L>,
    ) -> Option<Arc<K>> {
        let frame = self.frames.last_mut()?;
        let arc = *self.arcs.get(frame.first + frame.taken as usize)?;
        frame.taken += 1;
        search.tell(Event::Arc { from: frame.state, to: arc.to });
        Some(arc)
    }

    /// The same for the outer search of a check, whose arcs are counted.
    pub fn explore<P: Product<Marks = K>, L: Listener>(
        &mut self,
        search: &mut Search<P, L>,
    ) -> Option<Arc<K>> {
        let arc = self.next_arc(search)?;
        search.count_explored(1);
        Some(arc)
    }

    /// Takes arcs of the state where the search is, which are counted, up to one of which something must be
    /// done: that one; `None` if there is none.
    #[inline(always)]
    pub fn explore_until<P: Product<Marks = K>, L: Listener>(
        &mut self,
        search: &mut Search<P, L>,
        mut is_wanted: impl FnMut(&Search<P, L>, StateId, Arc<K>) -> bool,
    ) -> Option<Arc<K>> {
        let frame = self.frames.last_mut()?;
        let waiting = self.arcs.get(frame.first + frame.taken as usize..)?;
        for (k, arc) in waiting.iter().enumerate() {
            search.tell(Event::Arc { from: frame.state, to: arc.to });
            if is_wanted(search, frame.state, *arc) {
                frame.taken += k as u32 + 1;
                search.count_explored(k as u64 + 1);
                return Some(*arc);
            }
        }
        frame.taken += waiting.len() as u32;
        search.count_explored(waiting.len() as u64);
        None
    }

    /// The arc that the state where the search is has taken last.
    pub fn last_arc(&self) -> Option<Arc<K>> {
        let frame = self.frames.last()?;
        frame.taken.checked_sub(1).and_then(|k| self.arcs.get(frame.first + k as usize)).copied()
    }

    /// All arcs that leave the state where the search is.
    pub fn arcs_of_top(&self) -> &[Arc<K>] {
        self.frames.last().map_or(&[], |frame| &self.arcs[frame.first..])
    }

    /// Goes back: the state that is left.
    #[inline]
    pub fn pop<P: Product<Marks = K>, L: Listener>(&mut self, search: &mut Search<P, L>) -> Option<Frame<T>> {
        let frame = self.frames.pop()?;
        self.arcs.truncate(frame.first);
        search.tell(Event::Left(frame.state));
        Some(frame)
    }

    /// The steps of the path, each with the arc taken last: the way to the target of the last of these arcs.
    /// Frames that have taken no arc yet must not be among those that are used.
    pub fn steps(&self) -> impl Iterator<Item = ProductStep> {
        self.frames.iter().map(|frame| ProductStep { state: frame.state, arc: frame.taken.saturating_sub(1) })
    }

    /// The steps that lead to the state where the search is.
    pub fn way_to_top(&self) -> Vec<ProductStep> {
        self.steps().take(self.frames.len().saturating_sub(1)).collect()
    }

    /// How many states of the path lie below this one, which is on it.
    pub fn height_of(&self, state: StateId) -> usize {
        self.frames.iter().rposition(|frame| frame.state == state).expect("the state is on the path")
    }

    /// The steps that lead to a state of the path.
    pub fn way_to(&self, state: StateId) -> Vec<ProductStep> {
        self.steps().take(self.height_of(state)).collect()
    }

    /// The arc taken last leads to this state of the path: the lasso that it closes.
    pub fn lasso_closed_at(&self, state: StateId) -> Lasso {
        let height = self.height_of(state);
        Lasso { prefix: self.steps().take(height).collect(), cycle: self.steps().skip(height).collect() }
    }

    /// A nested search began at the state where this search is, and its last arc leads to a state of this
    /// path: the lasso that it closes.
    pub fn lasso_closed_by<U: Copy>(&self, nested: &DepthFirstPath<U, K>, state: StateId) -> Lasso {
        let (height, mut prefix) = (self.height_of(state), self.way_to_top());
        let cycle = prefix.split_off(height).into_iter().chain(nested.steps()).collect();
        Lasso { prefix, cycle }
    }

    /// Bytes that the path takes.
    #[inline]
    pub fn bytes(&self) -> u64 {
        (self.frames.capacity() * size_of::<Frame<T>>() + self.arcs.capacity() * size_of::<Arc<K>>()) as u64
    }
}
