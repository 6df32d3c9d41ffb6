//! `csd`: simple depth-first searches of several workers that share what they have left, for weak products.
//!
//! In a weak product an accepting cycle consists of accepting states. So the states that do not accept need
//! only be met, once and in any order: whoever is the first to see one expands it, and hands work over to
//! those who have none (`parallel/gang.rs`). Among the accepting states, where any cycle will do, each worker
//! carries out the search of `sd` with a path of its own (*cyan*), and a state that a worker has left is
//! *blue* for all: nobody goes there again. This is the outer search of `cndfs` (Evangelista, Laarman,
//! Petrucci and van de Pol 2012), and for weak products it is enough.
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
//! Whether a state that does not accept was seen before, the product mostly knows: a store says of one
//! insertion only that the state is new ([`End::is_new`]), and of none that an initial state is, because each
//! worker inserts those before anything else. Then nothing is noted of it here.
//!
//! Nobody waits for anybody, so nobody waits for ever.
//!
//! Two workers in the same part of the graph would do everything twice. So a worker first takes the arcs to
//! accepting states that nobody has seen; when it is back, most of the others are blue. Only then it follows
//! another worker into a state that is not. Who has no work follows another from where its search began.
//!
//! A state that does not accept is *announced* some turns before its arcs are asked for, so that the
//! product can look for their ends while others are computed; it may know processes that sleep in a state,
//! whose arcs need not be followed because each state that is met is expanded ([`Product::announce`]).
//!
//! Terminal products are weak: as long as no accepting state is met, all work is shared, and each state is
//! expanded once. The newest and the oldest of the states that wait take turns, as in `reach`: so nobody
//! gets lost for ever where paths are endless. A turn is long, because a model is quick where states that
//! follow each other are alike.
//!
//! Cost: one call of `post` for each state that does not accept; for one that does, one of each worker at the
//! worst. Per state that accepts four bits for all (two are used) and one for each worker; 4 bytes for each
//! arc of a path.

use super::shared_tables::{SharedColour, SharedColours};
use super::workers::{Fault, Pace, Quit, SharedCheck, Worker};
use super::{Arc, End, MarkSet, Product};
use crate::look_ahead::WaitingState;
use crate::parallel::gang::{Gang, Next};
use lariat_engine::LANES;
use lariat_store::{StateBits, StateId};
use std::collections::VecDeque;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

/// What the workers share.
pub struct SharedSimpleDfs<H> {
    /// Seen, and blue.
    colours: SharedColours,
    /// States that do not accept, seen and not expanded yet.
    gang: Gang<WaitingState>,
    /// Per worker: the state from which it searches for a cycle, or [`NONE`].
    roots: Vec<AtomicU64>,
    pace: PhantomData<fn() -> H>,
}

const NONE: u64 = u64::MAX;

/// So many states are taken in a turn.
const TURN: u64 = 1 << 9;

impl<H: Pace> SharedSimpleDfs<H> {
    pub fn new(workers: usize) -> SharedSimpleDfs<H> {
        SharedSimpleDfs {
            colours: SharedColours::new(),
            gang: Gang::new(workers, Vec::new()),
            roots: (0..workers).map(|_| AtomicU64::new(NONE)).collect(),
            pace: PhantomData,
        }
    }

    #[inline]
    fn has(&self, state: StateId, colour: SharedColour) -> bool {
        H::step();
        self.colours.has(state, colour)
    }

    #[inline]
    fn set(&self, state: StateId, colour: SharedColour) -> bool {
        H::step();
        self.colours.set(state, colour)
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
    /// States that do not accept, and that this worker has seen first.
    waiting: VecDeque<WaitingState>,
    /// Those of them that were announced, by lane; and the lane that is looked at next.
    in_flight: [Option<StateId>; LANES],
    lane: usize,
    /// How many of them it has taken.
    taken: u64,
    /// Accepting states to which an arc leads from the one that was expanded last.
    roots: Vec<StateId>,
    /// The states on the path.
    cyan: StateBits,
    frames: Vec<Frame>,
    targets: Vec<StateId>,
    /// The arcs of the state that was expanded last, and what is known of their ends.
    arcs: Vec<Arc<K>>,
    ends: Vec<End>,
}

impl<K: MarkSet> Own<K> {
    fn bytes(&self) -> u64 {
        let lists = self.frames.capacity() * size_of::<Frame>()
            + self.targets.capacity() * size_of::<StateId>()
            + self.waiting.capacity() * size_of::<WaitingState>();
        self.cyan.bytes() + lists as u64
    }

    fn next_waiting(&mut self) -> Option<WaitingState> {
        self.taken += 1;
        if (self.taken / TURN).is_multiple_of(2) { self.waiting.pop_front() } else { self.waiting.pop_back() }
    }

    fn has_work(&self) -> bool {
        !self.waiting.is_empty() || self.in_flight.iter().any(Option::is_some)
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
            waiting: VecDeque::new(),
            in_flight: [None; LANES],
            lane: 0,
            taken: 0,
            roots: Vec::new(),
            cyan: StateBits::new(),
            frames: Vec::new(),
            targets: Vec::new(),
            arcs: Vec::new(),
            ends: Vec::new(),
        };
        for initial in worker.initial_states() {
            if worker.is_accepting(initial) {
                self.search_from(worker, &mut own, initial)?;
            } else if self.set(initial, SharedColour::Seen) {
                own.waiting.push_back(WaitingState { id: initial, sleeping: 0 });
            }
        }
        let mut waits = false;
        loop {
            while own.has_work() {
                let lane = own.lane;
                own.lane = (lane + 1) % LANES;
                if let Some(state) = own.in_flight[lane].take() {
                    self.expand(worker, &mut own, lane, state)?;
                }
                if let Some(WaitingState { id, sleeping }) = own.next_waiting() {
                    if let Some(next) = own.waiting.back() {
                        worker.prefetch(next.id);
                    }
                    worker.announce(lane, id, sleeping);
                    own.in_flight[lane] = Some(id);
                }
            }
            H::step();
            match self.gang.ask(&mut waits, H::PATIENCE) {
                Next::Work(bundle) => own.waiting = bundle.into(),
                Next::Over => return Ok(()),
                Next::NothingYet => {
                    worker.rest()?;
                    let others = self.roots.iter().cycle().skip(worker.number + 1).take(self.roots.len());
                    let mut begun = others.map(|root| root.load(SeqCst)).filter(|&root| root != NONE);
                    if let Some(root) = begun.next() {
                        self.gang.stop_waiting(&mut waits);
                        self.search_from(worker, &mut own, StateId(root as u32))?;
                    }
                }
            }
        }
    }
}

impl<H: Pace> SharedSimpleDfs<H> {
    /// A state that does not accept, and was announced in this lane.
    fn expand<P: Product>(
        &self,
        worker: &mut Worker<P>,
        own: &mut Own<P::Marks>,
        lane: usize,
        state: StateId,
    ) -> Result<(), Quit> {
        let (bytes, shared) = (own.bytes(), self.colours.bytes());
        let arcs = worker.land((lane, state), bytes, shared, |id, end| {
            if end.accepts {
                own.roots.push(id);
            } else if self.is_first(id, end) && H::FAULT != Fault::WorkIsLost {
                own.waiting.push_back(WaitingState { id, sleeping: end.sleeping });
            }
        })?;
        worker.count_state();
        worker.count_arcs(arcs);
        self.share(own);
        while let Some(root) = own.roots.pop() {
            // Whoever has seen it makes it blue.
            if H::FAULT != Fault::RootsForgotten && !self.has(root, SharedColour::Seen) {
                self.search_from(worker, own, root)?;
            }
        }
        Ok(())
    }

    /// Whether nobody has seen a state before that does not accept.
    #[inline]
    fn is_first(&self, state: StateId, end: End) -> bool {
        end.is_new.unwrap_or_else(|| self.set(state, SharedColour::Seen))
    }

    fn post<P: Product>(
        &self,
        worker: &mut Worker<P>,
        own: &mut Own<P::Marks>,
        state: StateId,
    ) -> Result<(), Quit> {
        own.arcs.clear();
        own.ends.clear();
        let (depth, bytes) = (own.frames.len() + 1, own.bytes());
        worker.post_with_ends(state, &mut own.arcs, &mut own.ends, depth, bytes, self.colours.bytes())
    }

    /// Gives work to those who have none.
    #[inline]
    fn share<K>(&self, own: &mut Own<K>) {
        if self.gang.is_hungry() && own.waiting.len() > 1 {
            self.gang.give(own.waiting.drain(..own.waiting.len() / 2).collect());
        }
    }

    /// Searches for a cycle of accepting states, until the first of them is blue.
    fn search_from<P: Product>(
        &self,
        worker: &mut Worker<P>,
        own: &mut Own<P::Marks>,
        root: StateId,
    ) -> Result<(), Quit> {
        if self.has(root, SharedColour::Blue) {
            return Ok(());
        }
        let mine = &self.roots[worker.number];
        mine.store(u64::from(root.0), SeqCst);
        self.enter(worker, own, root)?;
        while let Some(frame) = own.frames.last_mut() {
            match self.next(frame, &mut own.targets) {
                Some(t) => self.enter(worker, own, t)?,
                None => {
                    if self.set(frame.state, SharedColour::Blue) {
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
        if self.has(frame.state, left) {
            return None;
        }
        while let Some(&t) = targets.get(frame.next) {
            frame.next += 1;
            if !self.has(t, SharedColour::Seen) {
                return Some(t);
            }
        }
        while targets.len() > frame.first {
            let t = targets.pop()?;
            if !self.has(t, SharedColour::Blue) && H::FAULT != Fault::SeenIsEnough {
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
        self.set(state, SharedColour::Seen);
        self.post(worker, own, state)?;
        let first = own.targets.len();
        for (arc, &end) in own.arcs.iter().zip(&own.ends) {
            if !end.accepts {
                if self.is_first(arc.to, end) {
                    own.waiting.push_back(WaitingState { id: arc.to, sleeping: end.sleeping });
                }
            } else if own.cyan.is_set(arc.to) {
                return Err(Quit::Found);
            } else if !self.has(arc.to, SharedColour::Blue) {
                own.targets.push(arc.to);
            }
        }
        worker.shuffle(&mut own.targets[first..]);
        self.share(own);
        own.frames.push(Frame { state, arcs: own.arcs.len() as u32, first, next: first });
        if H::FAULT == Fault::BlueAtOnce {
            self.set(state, SharedColour::Blue);
        }
        Ok(())
    }
}
