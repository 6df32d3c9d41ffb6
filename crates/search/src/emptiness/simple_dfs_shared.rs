//! `csd`: simple depth-first searches of several workers that share what they have left, for weak products.
//!
//! In a weak product an accepting cycle consists of accepting states. So the states that do not accept need
//! only be met, once and in any order (`any_order_shared.rs`). Among the accepting states, where any cycle
//! will do, each worker carries out the search of `sd` with a path of its own (*cyan*), and a state that a
//! worker has left is *blue* for all: nobody goes there again. This is the outer search of `cndfs`
//! (Evangelista, Laarman, Petrucci and van de Pol 2012), and for weak products it is enough.
//!
//! **Why it is right.** (There is one order of all events: every access is sequentially consistent.)
//! 1. A cycle that is reported is one: the path of a worker consists of accepting states, and leads from the
//!    state at the other end of the last arc to where the worker is.
//! 2. A worker leaves an accepting state, and makes it blue, when each of its accepting successors is blue:
//!    it has looked at all of them, entered those that were not, and would have reported one that was cyan.
//!    A state that another has made blue meanwhile is left as it is. So an arc from one accepting state to
//!    another leads to a state that became blue *earlier*: if all accepting states are blue in the end, there
//!    is no cycle among them.
//! 3. They are. A state that is *seen* and accepts is on the path of whoever has seen it first, who does not
//!    end before it is blue. One that does not accept is in the hands of one worker, or in the pool, until it
//!    is expanded. The gang ends when nobody has work, so that every state that was seen is blue or expanded
//!    then, and so are its successors.
//!
//! Nobody waits for anybody, so nobody waits for ever.
//!
//! Two workers in the same part of the graph would do everything twice. So a worker first takes the arcs to
//! accepting states that nobody has seen; when it is back, most of the others are blue. Only then it follows
//! another worker into a state that is not. Who has no work follows another from where its search began.
//!
//! Terminal products are weak: as long as no accepting state is met, all work is shared, and each state is
//! expanded once.
//!
//! Cost: one call of `post` for each state that does not accept; for one that does, one of each worker at the
//! worst. Per state that accepts four bits for all (two are used) and one for each worker; 4 bytes for each
//! arc of a path.

use super::any_order_shared::{OwnLine, SharedLine};
use super::shared_tables::SharedColour;
use super::workers::{Fault, Pace, Quit, SharedCheck, Worker};
use super::{Arc, End, MarkSet, Product};
use crate::parallel::gang::Next;
use lariat_store::{StateBits, StateId};
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

/// What the workers share.
pub struct SharedSimpleDfs<H> {
    /// States that do not accept; and of all, who is seen and blue.
    line: SharedLine<H>,
    /// Per worker: the state from which it searches for a cycle, or [`NONE`].
    roots: Vec<AtomicU64>,
}

const NONE: u64 = u64::MAX;

impl<H: Pace> SharedSimpleDfs<H> {
    pub fn new(workers: usize) -> SharedSimpleDfs<H> {
        SharedSimpleDfs {
            line: SharedLine::new(workers),
            roots: (0..workers).map(|_| AtomicU64::new(NONE)).collect(),
        }
    }
}

/// An accepting state on the path, and how many arcs it has. Those to accepting states that were not blue
/// begin at `first`; `next` is to be looked at.
struct Frame {
    state: StateId,
    arcs: u32,
    first: usize,
    next: usize,
}

/// What a worker has for itself.
struct Own<K> {
    line: OwnLine,
    /// The states on the path.
    cyan: StateBits,
    frames: Vec<Frame>,
    targets: Vec<StateId>,
    /// The arcs of the state that was expanded last, and what is known of their ends.
    arcs: Vec<Arc<K>>,
    ends: Vec<End>,
}

impl<K: MarkSet> Own<K> {
    /// What it holds beside the line.
    fn bytes(&self) -> u64 {
        let lists =
            self.frames.capacity() * size_of::<Frame>() + self.targets.capacity() * size_of::<StateId>();
        self.cyan.bytes() + lists as u64
    }

    fn leave(&mut self) {
        if let Some(frame) = self.frames.pop() {
            self.cyan.unset(frame.state);
            self.targets.truncate(frame.first);
        }
    }
}

impl<K: MarkSet, H: Pace> SharedCheck<K> for SharedSimpleDfs<H> {
    fn work<P: Product<Marks = K>>(&self, worker: &mut Worker<P>) -> Result<(), Quit> {
        let mut own = Own::<K> {
            line: OwnLine::new(),
            cyan: StateBits::new(),
            frames: Vec::new(),
            targets: Vec::new(),
            arcs: Vec::new(),
            ends: Vec::new(),
        };
        let initial = self.line.begin(worker, &mut own.line, |worker, state| worker.is_accepting(state));
        for initial in initial {
            self.search_from(worker, &mut own, initial)?;
        }
        let mut waits = false;
        loop {
            while own.line.has_work() {
                let beside = own.bytes();
                self.line.turn(worker, &mut own.line, (beside, self.line.colours.bytes()))?;
                while let Some((root, _)) = own.line.roots.pop() {
                    // Whoever has seen it makes it blue.
                    if H::FAULT != Fault::RootsForgotten && !self.line.has(root, SharedColour::Seen) {
                        self.search_from(worker, &mut own, root)?;
                    }
                }
            }
            H::step();
            match self.line.gang.ask(&mut waits, H::PATIENCE) {
                Next::Work(bundle) => own.line.take_over(bundle),
                Next::Over => return Ok(()),
                Next::NothingYet => {
                    worker.rest()?;
                    let others = self.roots.iter().cycle().skip(worker.number + 1).take(self.roots.len());
                    let mut begun = others.map(|root| root.load(SeqCst)).filter(|&root| root != NONE);
                    if let Some(root) = begun.next() {
                        self.line.gang.stop_waiting(&mut waits);
                        self.search_from(worker, &mut own, StateId(root as u32))?;
                    }
                }
            }
        }
    }
}

impl<H: Pace> SharedSimpleDfs<H> {
    fn post<P: Product>(
        &self,
        worker: &mut Worker<P>,
        own: &mut Own<P::Marks>,
        state: StateId,
    ) -> Result<(), Quit> {
        own.arcs.clear();
        own.ends.clear();
        let (depth, bytes) = (own.frames.len() + 1, own.bytes() + own.line.bytes());
        worker.post_with_ends(state, &mut own.arcs, &mut own.ends, depth, bytes, self.line.colours.bytes())
    }

    /// Searches for a cycle of accepting states, until the first of them is blue.
    fn search_from<P: Product>(
        &self,
        worker: &mut Worker<P>,
        own: &mut Own<P::Marks>,
        root: StateId,
    ) -> Result<(), Quit> {
        if self.line.has(root, SharedColour::Blue) {
            return Ok(());
        }
        let mine = &self.roots[worker.number];
        mine.store(u64::from(root.0), SeqCst);
        self.enter(worker, own, root)?;
        while let Some(frame) = own.frames.last_mut() {
            match self.next(frame, &mut own.targets) {
                Some(t) => self.enter(worker, own, t)?,
                None => {
                    if self.line.set(frame.state, SharedColour::Blue) {
                        worker.count_state();
                        worker.count_arcs(u64::from(frame.arcs));
                    }
                    own.leave();
                }
            }
        }
        mine.store(NONE, SeqCst);
        Ok(())
    }

    /// Where to go from the state on top; `None` if all its accepting successors are blue, or it is.
    fn next(&self, frame: &mut Frame, targets: &mut Vec<StateId>) -> Option<StateId> {
        let left = if H::FAULT == Fault::SeenIsLeft { SharedColour::Seen } else { SharedColour::Blue };
        if self.line.has(frame.state, left) {
            return None;
        }
        while let Some(&t) = targets.get(frame.next) {
            frame.next += 1;
            if !self.line.has(t, SharedColour::Seen) {
                return Some(t);
            }
        }
        while targets.len() > frame.first {
            let t = targets.pop()?;
            if !self.line.has(t, SharedColour::Blue) && H::FAULT != Fault::SeenIsEnough {
                return Some(t);
            }
        }
        None
    }

    /// An accepting state.
    fn enter<P: Product>(
        &self,
        worker: &mut Worker<P>,
        own: &mut Own<P::Marks>,
        state: StateId,
    ) -> Result<(), Quit> {
        own.cyan.set(state);
        self.line.set(state, SharedColour::Seen);
        self.post(worker, own, state)?;
        let first = own.targets.len();
        for (arc, &end) in own.arcs.iter().zip(&own.ends) {
            if !end.accepts {
                self.line.add(&mut own.line.waiting, arc.to, end);
            } else if own.cyan.is_set(arc.to) {
                return Err(Quit::Found);
            } else if !self.line.has(arc.to, SharedColour::Blue) {
                own.targets.push(arc.to);
            }
        }
        worker.shuffle(&mut own.targets[first..]);
        self.line.share(&mut own.line);
        own.frames.push(Frame { state, arcs: own.arcs.len() as u32, first, next: first });
        if H::FAULT == Fault::BlueAtOnce {
            self.line.set(state, SharedColour::Blue);
        }
        Ok(())
    }
}
