//! `cascc`: the components of the states that may lie on an accepting cycle, by one worker at a time, and
//! all others by all workers, for any number of sets.
//!
//! What `ascc` does is hard to divide. But an accepting cycle lies where the automaton is in a component with
//! an accepting cycle of its own, and all other states need only be met (`any_order_shared.rs`): of
//! `(G F p) -> (G F q)`, negated, that is the whole model once, and the states without q a second time. So
//! workers expand those states together; where they come to an accepting state that nobody has seen, it is a
//! *root*, and whoever has roots hands them to the one who searches, or becomes that one. There is one
//! search, with the numbers and the stacks of `ascc`, and who has it does not matter.
//!
//! **Why it is right.** (There is one order of all events.)
//! 1. Every accepting state that can be reached is entered by the search. The first arc that leads there is
//!    that of a state which does not accept: then it is a root; or of one in the search, which goes there.
//! 2. No root is forgotten. A worker puts its roots down before it looks whether somebody searches. Who
//!    searches goes on until no root is left, says that it does not search any more, and looks once more. So
//!    whoever sees that somebody searches has put its roots down before that one's last look.
//! 3. From a root the search comes back when all components that it has met are complete, so that it may
//!    begin at the next one as `ascc` does at the next initial state.
//!
//! Nobody waits for the search: who has no other work sleeps until there is some, or until all is done.
//!
//! Where all states of the automaton may lie on accepting cycles, or nobody knows which ones do
//! ([`Product::accepts_by_component`]), there is nothing to be divided: this is `ascc` then, by one worker.
//!
//! Cost: one call of `post` per state; of accepting states a bit and a number, and what `ascc` has on its
//! stacks.

use super::any_order_shared::{OwnLine, SharedLine};
use super::numbering::{Current, Roots};
use super::workers::{Fault, Pace, Quit, SharedCheck, Worker};
use super::{Arc, End, MarkSet, Product};
use crate::parallel::gang::Next;
use lariat_store::StateId;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed, Ordering::SeqCst};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What the workers share.
pub struct SharedRootsAndActive<K, H> {
    line: SharedLine<H>,
    /// Accepting states from which nobody has searched yet.
    roots: Mutex<Vec<StateId>>,
    is_searched: AtomicBool,
    /// For the one who searches.
    search: Mutex<RootsAndActive<K>>,
    /// How many bytes that takes.
    search_bytes: AtomicU64,
}

/// An accepting state on the path. Its arcs to others begin at `first`; `next` is to be looked at.
struct Frame {
    state: StateId,
    first: usize,
    next: usize,
}

/// The search of `ascc` (`roots_and_active.rs`).
struct RootsAndActive<K> {
    roots: Roots<K>,
    active: Current,
    frames: Vec<Frame>,
    arcs: Vec<Arc<K>>,
    /// What is known of the ends of the arcs that were computed last.
    ends: Vec<End>,
}

impl<K: MarkSet> RootsAndActive<K> {
    fn bytes(&self) -> u64 {
        let lists = self.frames.capacity() * size_of::<Frame>() + self.arcs.capacity() * size_of::<Arc<K>>();
        self.roots.bytes() + self.active.bytes() + lists as u64
    }
}

/// Nobody leaves behind a lock what others could not go on with: if somebody fails, all end.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<K: MarkSet, H: Pace> SharedRootsAndActive<K, H> {
    pub fn new(workers: usize) -> SharedRootsAndActive<K, H> {
        let search = RootsAndActive {
            roots: Roots::default(),
            active: Current::default(),
            frames: Vec::new(),
            arcs: Vec::new(),
            ends: Vec::new(),
        };
        SharedRootsAndActive {
            line: SharedLine::new(workers),
            roots: Mutex::new(Vec::new()),
            is_searched: AtomicBool::new(false),
            search: Mutex::new(search),
            search_bytes: AtomicU64::new(0),
        }
    }

    /// What all share, in bytes.
    fn bytes(&self) -> u64 {
        self.line.colours.bytes() + self.search_bytes.load(Relaxed)
    }
}

impl<K: MarkSet, H: Pace> SharedCheck<K> for SharedRootsAndActive<K, H> {
    fn work<P: Product<Marks = K>>(&self, worker: &mut Worker<P>) -> Result<(), Quit> {
        let mut own = OwnLine::new();
        let accepts =
            |worker: &Worker<P>, state| !worker.accepts_by_component() || worker.is_accepting(state);
        let initial = self.line.begin(worker, &mut own, accepts);
        own.roots.extend(initial.into_iter().map(|state| (state, UNKNOWN)));
        self.see_to_roots(worker, &mut own)?;
        let mut waits = false;
        loop {
            while own.has_work() {
                self.line.turn(worker, &mut own, (0, self.bytes()))?;
                self.see_to_roots(worker, &mut own)?;
            }
            H::step();
            match self.line.gang.ask(&mut waits, H::PATIENCE) {
                Next::Work(bundle) => own.take_over(bundle),
                Next::Over => return Ok(()),
                Next::NothingYet => worker.rest()?,
            }
        }
    }
}

/// Nothing is known of a state but that it accepts.
const UNKNOWN: End = End { accepts: true, is_new: None, sleeping: 0 };

impl<K: MarkSet, H: Pace> SharedRootsAndActive<K, H> {
    /// Hands the roots of a worker to the one who searches; or searches, from all that there are.
    #[inline]
    fn see_to_roots<P: Product<Marks = K>>(
        &self,
        worker: &mut Worker<P>,
        own: &mut OwnLine,
    ) -> Result<(), Quit> {
        if own.roots.is_empty() {
            return Ok(());
        }
        let mut roots = std::mem::take(&mut own.roots);
        roots.retain(|&(root, end)| self.line.is_first(root, end));
        if !roots.is_empty() {
            H::step();
            locked(&self.roots).extend(roots.iter().map(|&(root, _)| root));
            self.search(worker, own)?;
        }
        roots.clear();
        own.roots = roots;
        Ok(())
    }

    /// Unless somebody else does.
    fn search<P: Product<Marks = K>>(&self, worker: &mut Worker<P>, own: &mut OwnLine) -> Result<(), Quit> {
        loop {
            H::step();
            if self.is_searched.swap(true, SeqCst) {
                return Ok(());
            }
            let mut search = locked(&self.search);
            while let Some(root) = self.next_root() {
                if search.active.numbering.is_new(root) {
                    self.search_from(worker, own, &mut search, root)?;
                }
            }
            drop(search);
            H::step();
            self.is_searched.store(false, SeqCst);
            H::step();
            if H::FAULT == Fault::NoLastLook || locked(&self.roots).is_empty() {
                return Ok(());
            }
        }
    }

    fn next_root(&self) -> Option<StateId> {
        H::step();
        locked(&self.roots).pop()
    }

    fn search_from<P: Product<Marks = K>>(
        &self,
        worker: &mut Worker<P>,
        own: &mut OwnLine,
        search: &mut RootsAndActive<K>,
        root: StateId,
    ) -> Result<(), Quit> {
        let all = worker.all_marks();
        self.enter(worker, own, search, root, K::NONE)?;
        while let Some(frame) = search.frames.last_mut() {
            let Some(&arc) = search.arcs.get(frame.next) else {
                let Frame { state, first, .. } = *frame;
                search.frames.pop();
                search.arcs.truncate(first);
                if search.roots.pop_if(state).is_some() && H::FAULT != Fault::NeverClosed {
                    search.active.close(state, |_| ());
                }
                continue;
            };
            frame.next += 1;
            let RootsAndActive { roots, active: Current { numbering, .. }, .. } = &mut *search;
            if numbering.is_new(arc.to) {
                self.enter(worker, own, search, arc.to, arc.marks)?;
            } else if numbering.is_current(arc.to)
                && let Some(root) = roots.merge(numbering.number(arc.to), arc.marks)
                && all.is_subset(root.marks)
            {
                return Err(Quit::Found);
            }
        }
        Ok(())
    }

    /// An accepting state, which is new.
    fn enter<P: Product<Marks = K>>(
        &self,
        worker: &mut Worker<P>,
        own: &mut OwnLine,
        search: &mut RootsAndActive<K>,
        state: StateId,
        incoming: K,
    ) -> Result<(), Quit> {
        let number = search.active.enter(state);
        search.roots.push(state, number, incoming);
        let first = search.arcs.len();
        search.ends.clear();
        let depth = search.frames.len() + 1;
        self.search_bytes.store(search.bytes(), Relaxed);
        let RootsAndActive { arcs, ends, frames, .. } = search;
        worker.post_with_ends(state, arcs, ends, depth, own.bytes(), self.bytes())?;
        worker.count_state();
        worker.count_arcs((arcs.len() - first) as u64);
        let (mut kept, all_accept) = (first, !worker.accepts_by_component());
        for (k, &end) in (first..).zip(ends.iter()) {
            let arc = arcs[k];
            if end.accepts || all_accept {
                arcs[kept] = arc;
                kept += 1;
            } else {
                self.line.add(&mut own.waiting, arc.to, end);
            }
        }
        arcs.truncate(kept);
        self.line.share(own);
        frames.push(Frame { state, first, next: first });
        Ok(())
    }
}
