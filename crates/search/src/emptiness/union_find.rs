//! Sets of states that workers unite at the same time, each with a cyclic list of what is still to be done.
//!
//! Bloemen, Laarman and van de Pol 2016, §4. A set is a tree of parents; its *root* has the word that speaks
//! for the whole set: which workers have claimed a state of it, and whether it is *dead*. All states of a set
//! are on one cyclic list. A state is *busy* until some worker has explored all its arcs, then *done*, for
//! ever. Whoever looks for something to do walks along the list ([`UnionFind::pick`]); when it has nothing
//! but done states, the set is complete and dies.
//!
//! **Words.** Three numbers of 32 bits per state: the parent, the next on the list (both one more than the
//! number of a state, 0 meaning none, or itself), and bits: workers, the state of the root, the state on the
//! list. A state that nobody has met is all zeros: a root, claimed by nobody, busy, alone on its list.
//!
//! **Who may write what.** A parent is set once for a root, by the worker that has *taken* it (below), and
//! later only replaced by an ancestor. The next of a busy state is written only by whoever has it *locked*.
//! The next of a done state may be written by anybody, and only to skip done states: so
//!
//! > between a state and its next, in the order in which the lists were put together, all are done.
//!
//! A state that is done is never locked, so nothing is put in behind it, and what is skipped stays skipped; a
//! write that comes late skips less, not something else. A state that is its own next and done is therefore
//! the proof that all are done. The list and the set are the same whenever nothing on the list is locked.
//!
//! To come to that proof, workers skip one done state after the other; and a state is skipped only if one of
//! its neighbours has a greater number. (The paper does without that. But then three workers on a ring of
//! three can each skip the next at the same time, which turns the ring round, and do so for ever, as long as
//! they keep step.) So the greatest of a list that is done is never skipped, everybody comes to it again and
//! again, and each time it skips one more, until it is its own next. A write that comes late sets it back,
//! but the least of what it is and what somebody is about to make of it only grows.
//!
//! **Uniting.** The root with the smaller number is taken (from then on it is claimed by nobody, and united
//! by nobody else), a busy state of each list is locked, first of the taken set, then of the other, the taken
//! root gets its parent, the nexts of the two states are exchanged, which makes one cycle of two, and the
//! workers of the taken root go to the root above. Only then the locks go.
//!
//! The locks come before the parent: until the lists are one, each has a state that is not done, so the set
//! does not seem complete when one of them is. The parent comes before the lists: where a list leads from
//! one set into another, they are one set. (In the other order a worker that walks past, or that unites the
//! second set with a third, comes to states that are in no set of its own yet, and then looks for the root
//! of their set on its stack in vain.) The parent comes before the workers: else one of them would be told
//! that it has a state in a set in which it has none. Between these two steps a worker may be told that a
//! state is new to it although it has claimed the set before: it pushes a state too many, which changes
//! nothing (`union_find_components.rs`).
//!
//! Who waits for a lock in the list of a root waits for somebody who has taken that root or one above it, or
//! who waits for nothing. Roots only get greater on the way, so nobody waits in a circle.
//!
//! Each of the two lists has a state that is not done: see the invariants in `union_find_components.rs`.
//!
//! Cost: twelve bytes per state. There are at most [`MOST_WORKERS`] workers.

use super::shared_tables::SharedTable;
use super::workers::{Fault, Pace};
use lariat_store::StateId;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

/// As many as there are bits for.
pub const MOST_WORKERS: usize = 28;

const WORKERS: u32 = (1 << MOST_WORKERS) - 1;
/// The root is being united with another, or is none any more.
const TAKEN: u32 = 1 << 28;
/// The set is complete.
const DEAD: u32 = 1 << 29;
/// On the list: the next is being exchanged.
const LOCKED: u32 = 1 << 30;
/// On the list: nothing is left to do.
const DONE: u32 = 1 << 31;

#[derive(Default)]
struct Node {
    parent: AtomicU32,
    next: AtomicU32,
    word: AtomicU32,
}

/// What a worker is told when it comes to a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Claim {
    /// Nobody has met it before.
    First,
    /// It is the worker's first of this set.
    New,
    /// The worker has claimed a state of this set before.
    Found,
    /// The set is complete.
    Dead,
}

pub struct UnionFind<H> {
    nodes: SharedTable<Node>,
    pace: PhantomData<fn() -> H>,
}

impl<H: Pace> UnionFind<H> {
    pub fn new() -> UnionFind<H> {
        UnionFind { nodes: SharedTable::new(), pace: PhantomData }
    }

    #[inline]
    fn node(&self, state: StateId) -> &Node {
        self.nodes.get(state.0)
    }

    pub fn bytes(&self) -> u64 {
        self.nodes.bytes()
    }

    #[inline]
    fn parent(&self, state: StateId) -> Option<StateId> {
        self.node(state).parent.load(SeqCst).checked_sub(1).map(StateId)
    }

    #[inline]
    fn next(&self, state: StateId) -> StateId {
        self.node(state).next.load(SeqCst).checked_sub(1).map_or(state, StateId)
    }

    fn set_next(&self, state: StateId, next: StateId) {
        self.node(state).next.store(next.0 + 1, SeqCst);
    }

    #[inline]
    fn word(&self, state: StateId) -> u32 {
        self.node(state).word.load(SeqCst)
    }

    /// Whether it speaks for its set.
    #[inline]
    pub fn is_root(&self, state: StateId) -> bool {
        self.parent(state).is_none()
    }

    /// The root of the set, as it was at some moment during the call.
    pub fn root(&self, mut state: StateId) -> StateId {
        H::step();
        while let Some(parent) = self.parent(state) {
            H::step();
            let Some(above) = self.parent(parent) else { return parent };
            // A parent may be replaced by any ancestor, also by one that others have passed meanwhile.
            self.node(state).parent.store(above.0 + 1, SeqCst);
            state = above;
        }
        state
    }

    /// Whether both are in one set. Once they are, they remain.
    pub fn are_united(&self, one: StateId, other: StateId) -> bool {
        loop {
            let (first, second) = (self.root(one), self.root(other));
            if first == second {
                return true;
            }
            // The first root was one all the time until here, and the second was another meanwhile.
            if self.is_root(first) {
                return false;
            }
        }
    }

    /// A worker comes to a state.
    pub fn claim(&self, state: StateId, worker: usize) -> Claim {
        let own = 1 << worker;
        let mut round = 0;
        loop {
            let root = self.root(state);
            H::step();
            let word = self.word(root);
            if word & DEAD != 0 {
                return Claim::Dead;
            }
            if word & TAKEN != 0 {
                // It will have a parent in a moment.
                if self.is_root(root) {
                    H::wait(&mut round);
                }
            } else if word & own != 0 {
                return Claim::Found;
            } else {
                H::step();
                let won = self.node(root).word.compare_exchange(word, word | own, SeqCst, SeqCst).is_ok();
                match (won, word & WORKERS == 0 && root == state) {
                    (true, true) => return Claim::First,
                    (true, false) => return Claim::New,
                    (false, _) => {}
                }
            }
        }
    }

    /// A state of the set that is not done. If there is none, the set is complete, and dead from now on.
    pub fn pick(&self, from: StateId) -> Option<StateId> {
        let mut state = from;
        loop {
            H::step();
            if self.word(state) & DONE == 0 {
                return Some(state);
            }
            let next = self.next(state);
            if next == state || H::FAULT == Fault::DeadTooEarly {
                self.die(state);
                return None;
            }
            H::step();
            if self.word(next) & DONE == 0 {
                return Some(next);
            }
            let after = self.next(next);
            if next.0 < state.0.max(after.0) || H::FAULT == Fault::AnythingIsSkipped {
                H::step();
                self.set_next(state, after);
                state = after;
            } else {
                state = next;
            }
        }
    }

    fn die(&self, state: StateId) {
        let mut round = 0;
        loop {
            let root = self.root(state);
            H::step();
            let word = self.word(root);
            if word & DEAD != 0 {
                return;
            }
            if word & TAKEN != 0 {
                debug_assert!(
                    H::FAULT != Fault::None || !self.is_root(root),
                    "what is united is not complete"
                );
                H::wait(&mut round);
            } else if self.node(root).word.compare_exchange(word, word | DEAD, SeqCst, SeqCst).is_ok() {
                return;
            }
        }
    }

    /// All arcs of the state have been explored: by this worker first?
    pub fn set_done(&self, state: StateId) -> bool {
        let mut round = 0;
        loop {
            H::step();
            let word = self.word(state);
            if word & DONE != 0 {
                return false;
            }
            if word & LOCKED != 0 {
                H::wait(&mut round);
            } else if self.node(state).word.compare_exchange(word, word | DONE, SeqCst, SeqCst).is_ok() {
                return true;
            }
        }
    }

    /// Whether some worker has explored all arcs of the state.
    #[inline]
    pub fn is_done(&self, state: StateId) -> bool {
        self.word(state) & DONE != 0
    }

    /// Makes one set of two. If it was this call that did it, the root that is none any more.
    pub fn unite(&self, one: StateId, other: StateId) -> Option<StateId> {
        let (taken, root) = self.take(one, other)?;
        let (near, far) = (self.lock(taken), self.lock(root));
        H::step();
        if H::FAULT != Fault::ParentLast {
            self.node(taken).parent.store(root.0 + 1, SeqCst);
        }
        if H::FAULT != Fault::ListsNotJoined {
            let (next, beyond) = (self.next(near), self.next(far));
            H::step();
            self.set_next(near, beyond);
            H::step();
            self.set_next(far, next);
        }
        H::step();
        if H::FAULT == Fault::ParentLast {
            self.node(taken).parent.store(root.0 + 1, SeqCst);
        }
        self.hand_over_workers(taken, root);
        for locked in [near, far] {
            H::step();
            self.node(locked).word.fetch_and(!LOCKED, SeqCst);
        }
        Some(taken)
    }

    /// Takes the smaller of two roots; with the other, as it was. `None` if both are in one set.
    fn take(&self, one: StateId, other: StateId) -> Option<(StateId, StateId)> {
        let mut round = 0;
        loop {
            let (first, second) = (self.root(one), self.root(other));
            if first == second {
                return None;
            }
            let (smaller, greater) = if first.0 < second.0 { (first, second) } else { (second, first) };
            H::step();
            let word = self.word(smaller);
            if word & TAKEN == 0 {
                debug_assert!(
                    H::FAULT != Fault::None || word & DEAD == 0,
                    "what is complete is united with nothing"
                );
                if self.node(smaller).word.compare_exchange(word, word | TAKEN, SeqCst, SeqCst).is_ok() {
                    return Some((smaller, greater));
                }
            } else if self.is_root(smaller) {
                H::wait(&mut round);
            }
        }
    }

    /// Locks a state of the set that is not done.
    fn lock(&self, from: StateId) -> StateId {
        let mut state = from;
        let mut round = 0;
        loop {
            H::step();
            let word = self.word(state);
            if word & (DONE | LOCKED) == 0 {
                H::step();
                if self.node(state).word.compare_exchange(word, word | LOCKED, SeqCst, SeqCst).is_ok() {
                    return state;
                }
                continue;
            }
            if word & LOCKED != 0 {
                H::wait(&mut round);
            }
            let next = self.next(state);
            assert!(
                next != state || word & DONE == 0,
                "an error of ours: a component that is complete is united with another"
            );
            state = next;
        }
    }

    /// Whoever has claimed a state below has claimed one above. Nobody is waited for: the root above may have
    /// been taken by somebody who waits for us.
    fn hand_over_workers(&self, taken: StateId, root: StateId) {
        H::step();
        let workers = self.word(taken) & WORKERS;
        let mut root = root;
        loop {
            H::step();
            self.node(root).word.fetch_or(workers, SeqCst);
            H::step();
            // If it has a parent, those who gave it one may have looked at its workers before.
            match self.parent(root) {
                None => return,
                Some(above) => root = above,
            }
        }
    }
}
