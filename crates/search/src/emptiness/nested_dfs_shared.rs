//! `cndfs`: nested depth-first search by several workers that share colours.
//!
//! Evangelista, Laarman, Petrucci and van de Pol 2012, Fig. 3. Every worker carries out a nested depth-first
//! search of its own, in an order of its own. *Cyan* (on the worker's path) and *pink* (seen by the nested
//! search that it is in) are its own; *blue* (left by the outer search) and *red* (left by a nested search)
//! are everybody's, and what one has coloured the others leave alone. That alone would be wrong: a nested
//! search relies on accepting states that it meets having had their own, and another worker may be in the
//! middle of it. So a worker waits, at the end of its nested search and before it makes anything red, until
//! all accepting states that it has come through are red, but for its own seed.
//!
//! **Why it is right.** (There is one order of all events: every access is sequentially consistent.)
//! 1. When a worker makes s blue, each successor of s is blue or cyan for this worker: it has looked at each
//!    and entered those that were neither, and what it enters is blue when it comes back. So from then on
//!    what s leads to is blue or on somebody's path.
//! 2. When a nested search *passes* its wait, each successor of its pink states is pink or red: it has
//!    entered those that were neither. Red states are pink states of searches that have passed. So whatever a
//!    pink state of a search that has passed leads to, is a pink state of a search that has passed.
//! 3. A cycle that is reported is one: the path leads from a cyan state to where the worker is, and the early
//!    test asks for an accepting end, a nested search has an accepting seed.
//! 4. No search passes that has an accepting state of a cycle among its pink states. Suppose that one does,
//!    and take the first one that passes. It has waited for all of them but its seed to be red, that is, pink
//!    for a search that has passed before; so the only one is its seed s. It has followed the cycle from s,
//!    without meeting a cyan state: so not back to s, and some state of the cycle was red when it was looked
//!    at. By 2 the rest of the cycle up to s is pink for searches that have passed before, s included: so
//!    this search was not the first.
//! 5. None is missed. If nobody reports a cycle and all return, then every reachable state is blue (1, with
//!    nothing on a path), and every accepting one was the seed of a search that has passed. So by 4 none of
//!    them is on a cycle.
//! 6. Nobody waits for ever. Suppose that a worker waits for t and nobody goes on. On the way from its seed
//!    to t, all of it pink, there is a state on the path of another worker q: t itself, if it is blue and its
//!    nested search is not over, or is cyan; or else the last state on the way that is blue or cyan for
//!    somebody, which is not blue, by 1. (If it were on the worker's own path, a cycle would have been
//!    reported.) So the seed leads to that of q, which waits too, and so on, in a circle in the end: a cycle
//!    through seeds. None of its states is red, by 2 and 4. So the nested search of each has gone round it
//!    and met its own seed, and has reported a cycle.
//!
//! 1 and 2 are assertions in debug builds, as are some invariants of the mechanised proof for an algorithm of
//! this family (Oortwijn, Huisman, Joosten and van de Pol 2020): only the seed is both cyan and pink, and no
//! other pink state that accepts is made red by this worker first.
//!
//! The early test in the outer search is sound by itself (3). That a state with red successors only becomes
//! red (`and`) is left out: with several workers "all successors are red" may become true for one that has
//! not waited.
//!
//! Cost: two calls of `post` per state and worker at the worst, about two in all if they go different ways.
//! Per state four bits for all and two for each worker.

use super::shared_tables::{SharedColour, SharedColours};
use super::workers::{Fault, Pace, Quit, SharedCheck, Worker};
use super::{Arc, MarkSet, Product};
use lariat_store::{StateBits, StateId};
use std::marker::PhantomData;

/// What the workers share.
pub struct SharedNestedDfs<H> {
    colours: SharedColours,
    pace: PhantomData<fn() -> H>,
}

impl<H: Pace> SharedNestedDfs<H> {
    pub fn new() -> SharedNestedDfs<H> {
        SharedNestedDfs { colours: SharedColours::new(), pace: PhantomData }
    }

    fn has(&self, state: StateId, colour: SharedColour) -> bool {
        H::step();
        self.colours.has(state, colour)
    }

    fn set(&self, state: StateId, colour: SharedColour) -> bool {
        H::step();
        self.colours.set(state, colour)
    }
}

impl<K: MarkSet, H: Pace> SharedCheck<K> for SharedNestedDfs<H> {
    fn work<P: Product<Marks = K>>(&self, worker: &mut Worker<P>) -> Result<(), Quit> {
        let mut own = Own::<K> {
            cyan: StateBits::new(),
            pink: StateBits::new(),
            pinks: Vec::new(),
            arcs: Vec::new(),
            frames: Vec::new(),
        };
        for initial in worker.initial_states() {
            if !self.has(initial, SharedColour::Blue) {
                self.dfs_blue(worker, &mut own, initial)?;
            }
        }
        Ok(())
    }
}

/// Where a search is: a state, its arcs (from `first` on, up to those of the next frame), and which is next.
struct Frame {
    state: StateId,
    first: usize,
    next: usize,
}

/// What a worker has for itself. The frames of a nested search are on top of those of the outer one.
struct Own<K> {
    cyan: StateBits,
    pink: StateBits,
    /// The pink states.
    pinks: Vec<StateId>,
    arcs: Vec<Arc<K>>,
    frames: Vec<Frame>,
}

impl<K: MarkSet> Own<K> {
    fn bytes(&self) -> u64 {
        let stacks = self.arcs.capacity() * size_of::<Arc<K>>()
            + self.frames.capacity() * size_of::<Frame>()
            + self.pinks.capacity() * size_of::<StateId>();
        self.cyan.bytes() + self.pink.bytes() + stacks as u64
    }

    /// Computes the arcs of a state and goes there.
    fn push<P: Product<Marks = K>>(
        &mut self,
        worker: &mut Worker<P>,
        state: StateId,
        shared: u64,
    ) -> Result<usize, Quit> {
        let first = self.arcs.len();
        let (depth, bytes) = (self.frames.len() + 1, self.bytes());
        worker.post(state, &mut self.arcs, depth, bytes, shared)?;
        self.frames.push(Frame { state, first, next: first });
        Ok(self.arcs.len() - first)
    }

    /// The state on top, and the next of its arcs.
    fn next_arc(&mut self) -> Option<(StateId, Option<Arc<K>>)> {
        let frame = self.frames.last_mut()?;
        let arc = self.arcs.get(frame.next).copied();
        frame.next += 1;
        Some((frame.state, arc))
    }

    fn arcs_on_top(&self) -> &[Arc<K>] {
        &self.arcs[self.frames.last().map_or(0, |frame| frame.first)..]
    }

    fn pop(&mut self) {
        if let Some(frame) = self.frames.pop() {
            self.arcs.truncate(frame.first);
        }
    }
}

impl<H: Pace> SharedNestedDfs<H> {
    fn dfs_blue<P: Product>(
        &self,
        worker: &mut Worker<P>,
        own: &mut Own<P::Marks>,
        initial: StateId,
    ) -> Result<(), Quit> {
        self.enter_blue(worker, own, initial)?;
        while let Some((s, arc)) = own.next_arc() {
            if let Some(Arc { to: t, .. }) = arc {
                let cyan = own.cyan.is_set(t);
                let accepting = worker.is_accepting(s) || worker.is_accepting(t);
                if cyan && (accepting || H::FAULT == Fault::AnyCyanReported) {
                    return Err(Quit::Found);
                }
                if !cyan && !self.has(t, SharedColour::Blue) {
                    self.enter_blue(worker, own, t)?;
                }
                continue;
            }
            debug_assert!(
                own.arcs_on_top()
                    .iter()
                    .all(|arc| own.cyan.is_set(arc.to) || self.colours.has(arc.to, SharedColour::Blue)),
                "successors of a blue state are blue or cyan"
            );
            self.set(s, SharedColour::Blue);
            if worker.is_accepting(s) && H::FAULT != Fault::NoNestedSearch {
                self.dfs_red(worker, own, s)?;
            }
            own.cyan.unset(s);
            own.pop();
        }
        Ok(())
    }

    fn enter_blue<P: Product>(
        &self,
        worker: &mut Worker<P>,
        own: &mut Own<P::Marks>,
        s: StateId,
    ) -> Result<(), Quit> {
        own.cyan.set(s);
        let first = self.set(s, SharedColour::Seen);
        if first {
            worker.count_state();
        }
        let arcs = own.push(worker, s, self.colours.bytes())?;
        if first {
            worker.count_arcs(arcs as u64);
        }
        Ok(())
    }

    fn dfs_red<P: Product>(
        &self,
        worker: &mut Worker<P>,
        own: &mut Own<P::Marks>,
        seed: StateId,
    ) -> Result<(), Quit> {
        let outer = own.frames.len();
        self.enter_red(worker, own, seed)?;
        while own.frames.len() > outer {
            let Some((_, arc)) = own.next_arc() else { break };
            let Some(Arc { to: t, .. }) = arc else {
                debug_assert!(
                    own.arcs_on_top()
                        .iter()
                        .all(|arc| own.pink.is_set(arc.to) || self.colours.has(arc.to, SharedColour::Red)),
                    "successors of a pink state are pink or red"
                );
                own.pop();
                continue;
            };
            if own.cyan.is_set(t) {
                return Err(Quit::Found);
            }
            if !own.pink.is_set(t) && !self.has(t, SharedColour::Red) {
                self.enter_red(worker, own, t)?;
            }
        }
        if H::FAULT != Fault::NoWaitForOthers {
            self.wait_for_others(worker, own, seed)?;
        }
        while let Some(s) = own.pinks.pop() {
            own.pink.unset(s);
            let first = self.set(s, SharedColour::Red);
            debug_assert!(H::FAULT != Fault::None || !first || s == seed || !worker.is_accepting(s));
        }
        Ok(())
    }

    fn enter_red<P: Product>(
        &self,
        worker: &mut Worker<P>,
        own: &mut Own<P::Marks>,
        s: StateId,
    ) -> Result<(), Quit> {
        debug_assert!(own.pinks.is_empty() || !own.cyan.is_set(s), "only the seed is cyan and pink");
        own.pink.set(s);
        own.pinks.push(s);
        if H::FAULT == Fault::RedAtOnce {
            self.set(s, SharedColour::Red);
        }
        own.push(worker, s, self.colours.bytes())?;
        Ok(())
    }

    /// Until accepting states that are pink have had their own nested search.
    fn wait_for_others<P: Product>(
        &self,
        worker: &mut Worker<P>,
        own: &Own<P::Marks>,
        seed: StateId,
    ) -> Result<(), Quit> {
        let mut round = 0;
        for &s in own.pinks.iter().filter(|&&s| s != seed) {
            if worker.is_accepting(s) {
                while !self.has(s, SharedColour::Red) {
                    worker.rest()?;
                    H::wait(&mut round);
                }
            }
        }
        Ok(())
    }
}
