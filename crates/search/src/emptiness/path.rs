//! The stack of a depth-first search: the states on the path, and the arcs that each has not taken yet.
//!
//! The arcs that leave a state are computed once, when it is pushed, and wait on a stack of their own below those of deeper
//! states. So `post` is called once for a visit, and the recursion of the papers is a loop over [`DepthFirstPath::next_arc`].

use super::{Arc, Product, ProductStep, Search, Stopped};
use lariat_store::StateId;

/// A state on the path.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    pub state: StateId,
    /// Its arcs begin here.
    first: u32,
    /// How many of them have been taken.
    taken: u32,
}

#[derive(Clone, Debug, Default)]
pub struct DepthFirstPath {
    frames: Vec<Frame>,
    arcs: Vec<Arc>,
}

impl DepthFirstPath {
    pub fn new() -> DepthFirstPath {
        DepthFirstPath::default()
    }

    pub fn len(&self) -> usize {
        self.frames.len()
    }

    pub fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    /// The state where the search is.
    pub fn top(&self) -> Option<StateId> {
        self.frames.last().map(|frame| frame.state)
    }

    pub fn states(&self) -> impl DoubleEndedIterator<Item = StateId> + ExactSizeIterator {
        self.frames.iter().map(|frame| frame.state)
    }

    /// Goes to a state: computes its arcs. `below` is the number of states on other stacks, `other_bytes` what else the
    /// check holds.
    pub fn push<P: Product>(
        &mut self,
        search: &mut Search<P>,
        state: StateId,
        below: usize,
        other_bytes: impl Fn() -> u64,
    ) -> Result<(), Stopped> {
        let first = self.arcs.len() as u32;
        let (frames, arcs) = (&mut self.frames, &mut self.arcs);
        frames.push(Frame { state, first, taken: 0 });
        let bytes = (frames.capacity() * size_of::<Frame>() + arcs.capacity() * size_of::<Arc>()) as u64;
        search.post(state, arcs, below + frames.len(), || bytes + other_bytes())
    }

    /// The next arc of the state where the search is; `None` if all are taken.
    pub fn next_arc(&mut self) -> Option<Arc> {
        let frame = self.frames.last_mut()?;
        let arc = *self.arcs.get((frame.first + frame.taken) as usize)?;
        frame.taken += 1;
        Some(arc)
    }

    /// The arc of the state at this height that was taken last.
    pub fn last_arc(&self, height: usize) -> Arc {
        let frame = self.frames[height];
        self.arcs[(frame.first + frame.taken - 1) as usize]
    }

    /// All arcs that leave the state where the search is.
    pub fn arcs_of_top(&self) -> &[Arc] {
        self.frames.last().map_or(&[], |frame| &self.arcs[frame.first as usize..])
    }

    /// Goes back: the state that is left.
    pub fn pop(&mut self) -> Option<StateId> {
        let frame = self.frames.pop()?;
        self.arcs.truncate(frame.first as usize);
        Some(frame.state)
    }

    pub fn clear(&mut self) {
        self.frames.clear();
        self.arcs.clear();
    }

    /// The steps of the path from a height on, each with the arc taken last: the way to the target of the last of these arcs.
    pub fn steps(&self, from: usize) -> impl Iterator<Item = ProductStep> {
        self.frames[from..].iter().map(|frame| ProductStep { state: frame.state, arc: frame.taken - 1 })
    }

    /// The height of a state on the path.
    pub fn height_of(&self, state: StateId) -> Option<usize> {
        self.frames.iter().rposition(|frame| frame.state == state)
    }

    pub fn bytes(&self) -> u64 {
        (self.frames.capacity() * size_of::<Frame>() + self.arcs.capacity() * size_of::<Arc>()) as u64
    }
}
