//! `ufscc`: strongly connected components by several workers, with a union-find structure.
//!
//! Bloemen, Laarman and van de Pol 2016, Algorithm 3; acceptance sets as in Bloemen and van de Pol 2016
//! ("Multi-core SCC-based LTL model checking"). Every worker carries out a depth-first search for components
//! with a stack of roots, as `ascc` does, but what it learns goes to all: when it has closed a cycle, it
//! unites the sets of the states on it (`union_find.rs`), and a set that is complete is dead for everybody.
//! A worker in a set does not care who came there first: it picks any state of the set that is not done,
//! explores its arcs, and notes that it is done. So workers in one large component share its states.
//!
//! An arc v → t leads to a state that is *dead* (then it is left alone), *new* to the worker (then the worker
//! goes there) or *found*: the worker has claimed a state of its set before. Then a root on its stack is in
//! that set, the path leads from there to v, and the arc closes a cycle: all roots above are united with it.
//!
//! **Invariants.**
//! 1. States of one set are in one component of the graph. Only roots on a closed cycle are united.
//! 2. If a worker has claimed a state of a set that is not dead, a root on its stack is in that set. It
//!    pushes the state when it claims it; a root is popped when it has been united with the one below, or
//!    when its set is dead. So "found" finds a root, and the stack is never emptied.
//! 3. When a state is done, each of its successors is dead or in its set. The worker that *first* notes that
//!    v is done has seen of each arc v → t: t is dead; or t was found, and is united with v; or t was new,
//!    and the worker has come back from there, which it does when the set of t is dead. In the last case t is
//!    in another set, because in that of v there is a state that is not done: v itself.
//! 4. So when all states of a set are done, it is closed but for dead sets: it is a component, complete, and
//!    dies. When the worker comes back from all initial states, all that it has met is dead.
//! 5. While two roots r, r' that are neighbours on a stack are in different sets, neither list is all done:
//!    the state in the set of r from which the worker went to r' is not done, by 3, since its successor r' is
//!    neither dead (it is claimed by a worker that is still there) nor united with it. Of the topmost set the
//!    state is the one whose arc is explored. So there is always something to lock when sets are united.
//!
//! **Marks.** An arc is inside its component if its ends are united. By 3, of each such arc the worker that
//! first noted that its source is done has found the target, and it added the marks of the arc to those of
//! the set then: so when a set is complete, all its marks have been united. That is enough for the verdict.
//! Beside, a root has the marks of the arc that led to it, which are inside as soon as it is united with the
//! root below: so cycles are seen earlier. The marks of a set belong to its root; when that gets a parent,
//! whoever gave it takes them along. Whether all marks are there is asked whenever some were added, and only
//! then: so a single state accepts only if it has a loop, and with no acceptance set at all any closed cycle
//! does.
//!
//! Marks are in a table by root, behind locks, since there may be hundreds of bits. They go there only if the
//! worker does not know already that the set has them (each root on its stack notes what it knows): of one
//! acceptance set never, of many a few times for each component.
//!
//! Deviations from the paper: the state of a root and that of the list are bits of one word; a worker leaves
//! the arcs of a state when somebody else is done with it.
//!
//! Cost: one call of `post` per state if the workers go different ways; per state three numbers for all.

use super::union_find::{Claim, UnionFind};
use super::workers::{Fault, Pace, Quit, SharedCheck, Worker};
use super::{Arc, MarkSet, Product};
use lariat_store::StateId;
use rustc_hash::FxHashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What the workers share.
pub struct SharedComponents<K, H> {
    sets: UnionFind<H>,
    marks: RootMarks<K>,
}

impl<K: MarkSet, H: Pace> SharedComponents<K, H> {
    pub fn new() -> SharedComponents<K, H> {
        SharedComponents { sets: UnionFind::new(), marks: RootMarks::new() }
    }
}

/// Locks, so that workers seldom want the same.
const PARTS: usize = 64;

/// Marks of the sets that have some and not all, by their roots.
struct RootMarks<K> {
    parts: [Mutex<FxHashMap<StateId, K>>; PARTS],
}

impl<K: MarkSet> RootMarks<K> {
    fn new() -> RootMarks<K> {
        RootMarks { parts: std::array::from_fn(|_| Mutex::default()) }
    }

    fn part(&self, root: StateId) -> MutexGuard<'_, FxHashMap<StateId, K>> {
        self.parts[root.index() % PARTS].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds marks to the set of a state. What the set has then, or had when there was another root.
    fn add<H: Pace>(&self, sets: &UnionFind<H>, state: StateId, marks: K) -> K {
        loop {
            let root = sets.root(state);
            H::step();
            let mut part = self.part(root);
            // Whoever gives it a parent takes its marks after that, and waits for the lock.
            if sets.is_root(root) {
                let known = part.entry(root).or_default();
                *known |= marks;
                return *known;
            }
        }
    }

    /// The marks of a root that has got a parent. Nobody adds to them any more.
    fn take(&self, former: StateId) -> K {
        self.part(former).remove(&former).unwrap_or_default()
    }
}

impl<K: MarkSet, H: Pace> SharedCheck<K> for SharedComponents<K, H> {
    fn work<P: Product<Marks = K>>(&self, worker: &mut Worker<P>) -> Result<(), Quit> {
        let mut own =
            Own { all: worker.all_marks(), roots: Vec::new(), frames: Vec::new(), arcs: Vec::new() };
        for initial in worker.initial_states() {
            match self.sets.claim(initial, worker.number) {
                Claim::Dead => continue,
                claim @ (Claim::First | Claim::New) => {
                    self.enter(worker, &mut own, initial, K::NONE, claim)?
                }
                Claim::Found => {
                    debug_assert!(H::FAULT != Fault::None, "what it has claimed is dead when it comes back");
                    continue;
                }
            }
            self.explore(worker, &mut own)?;
            debug_assert!(H::FAULT != Fault::None || own.roots.is_empty());
        }
        Ok(())
    }
}

/// A state on the stack of roots.
struct Root<K> {
    state: StateId,
    /// The marks of the arc that led to it, from the set of the root below.
    incoming: K,
    /// Marks that its set has, as far as the worker knows.
    known: K,
}

/// A worker in a set. `next` is the next of the arcs of `state`, which are those from `first` on.
struct Frame {
    state: StateId,
    first: usize,
    next: usize,
    /// How many roots there were when it came.
    roots: usize,
}

/// What a worker has for itself.
struct Own<K> {
    all: K,
    roots: Vec<Root<K>>,
    frames: Vec<Frame>,
    arcs: Vec<Arc<K>>,
}

impl<K: MarkSet> Own<K> {
    fn bytes(&self) -> u64 {
        let bytes = self.roots.capacity() * size_of::<Root<K>>()
            + self.frames.capacity() * size_of::<Frame>()
            + self.arcs.capacity() * size_of::<Arc<K>>();
        bytes as u64
    }
}

impl<K: MarkSet, H: Pace> SharedComponents<K, H> {
    /// Goes to a state that is new to the worker.
    fn enter<P: Product<Marks = K>>(
        &self,
        worker: &mut Worker<P>,
        own: &mut Own<K>,
        state: StateId,
        incoming: K,
        claim: Claim,
    ) -> Result<(), Quit> {
        if claim == Claim::First {
            worker.count_state();
        }
        let (first, roots) = (own.arcs.len(), own.roots.len());
        own.roots.push(Root { state, incoming, known: K::NONE });
        if H::FAULT == Fault::SingleStatesAccept && own.all.is_subset(incoming) && own.all != K::NONE {
            return Err(Quit::Found);
        }
        own.frames.push(Frame { state, first, next: first, roots });
        self.pick(worker, own)
    }

    /// Takes up a state of the set that is not done; or goes back, if there is none.
    fn pick<P: Product<Marks = K>>(&self, worker: &mut Worker<P>, own: &mut Own<K>) -> Result<(), Quit> {
        let Some(frame) = own.frames.last_mut() else { return Ok(()) };
        let Some(state) = self.sets.pick(frame.state) else {
            own.roots.truncate(frame.roots);
            own.frames.pop();
            return Ok(());
        };
        frame.state = state;
        let (depth, bytes) = (own.frames.len(), own.bytes());
        let (before, at_once) = (own.arcs.len(), H::FAULT == Fault::DoneAtOnce && self.sets.set_done(state));
        worker.post(state, &mut own.arcs, depth, bytes, self.sets.bytes())?;
        if at_once {
            worker.count_arcs((own.arcs.len() - before) as u64);
        }
        Ok(())
    }

    fn explore<P: Product<Marks = K>>(&self, worker: &mut Worker<P>, own: &mut Own<K>) -> Result<(), Quit> {
        while let Some(frame) = own.frames.last_mut() {
            let (state, first) = (frame.state, frame.first);
            let arc = own.arcs.get(frame.next).copied();
            frame.next += 1;
            let left_alone = H::FAULT != Fault::DoneAtOnce && self.sets.is_done(state);
            let Some(Arc { to, marks }) = arc.filter(|_| !left_alone) else {
                // The arcs are all there, also where the rest of them is left alone.
                let arcs = own.arcs.len() - first;
                if self.sets.set_done(state) {
                    worker.count_arcs(arcs as u64);
                }
                own.arcs.truncate(first);
                frame.next = first;
                self.pick(worker, own)?;
                continue;
            };
            match self.sets.claim(to, worker.number) {
                Claim::Dead => {}
                claim @ (Claim::First | Claim::New) => self.enter(worker, own, to, marks, claim)?,
                Claim::Found if H::FAULT == Fault::SelfLoopNotSeen && to == state => {}
                Claim::Found => self.close_cycle(own, state, to, marks)?,
            }
        }
        Ok(())
    }

    /// An arc leads back to a set that the worker is in.
    fn close_cycle(&self, own: &mut Own<K>, from: StateId, to: StateId, marks: K) -> Result<(), Quit> {
        let mut met = if H::FAULT == Fault::MarksOfKnownArcsLost { K::NONE } else { marks };
        while !self.sets.are_united(from, to) {
            let popped = own.roots.pop().expect("an error of ours: a claimed state has no root");
            assert!(
                self.sets.are_united(from, popped.state),
                "an error of ours: a state is in no set of its worker"
            );
            let below = own.roots.last().expect("an error of ours: a claimed state has no root");
            met = met | popped.incoming | popped.known;
            if let Some(former) = self.sets.unite(popped.state, below.state) {
                self.carry(own.all, former)?;
            }
        }
        let top = own.roots.last_mut().expect("an error of ours: a claimed state has no root");
        if H::FAULT == Fault::IncomingCountsAtOnce {
            met |= top.incoming;
        }
        if !met.is_subset(top.known) {
            top.known |= met;
            // With all of them, it does not matter what others know.
            if !own.all.is_subset(top.known) {
                top.known |= self.marks.add(&self.sets, to, met);
            }
        }
        if own.all.is_subset(top.known) { Err(Quit::Found) } else { Ok(()) }
    }

    /// A root has got a parent: its marks go on to the root above.
    fn carry(&self, all: K, former: StateId) -> Result<(), Quit> {
        if H::FAULT == Fault::MarksNotHandedOver {
            return Ok(());
        }
        H::step();
        let marks = self.marks.take(former);
        if !marks.is_empty() && all.is_subset(self.marks.add(&self.sets, former, marks)) {
            return Err(Quit::Found);
        }
        Ok(())
    }
}
