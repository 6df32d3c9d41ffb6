//! Several threads for a model in Rust: others compute successors ahead of the search.
//!
//! The search itself stays with one thread, in its order, and so does everything that it counts and shows:
//! that is how results do not depend on the number of threads. What takes the time of a model in Rust is
//! mostly [`Model::successors`], and that is a function of the state. So whenever the search meets a new
//! state, it puts it on a heap ([`Ahead::offer`]); other threads take the newest ones, which a depth-first
//! search wants next, and compute their successors; when the search comes to a state, it takes what is ready
//! ([`Ahead::take`]), waits for what is being computed, and computes itself what nobody has begun.
//!
//! To hand over a state costs a copy of it and two visits to a lock. So nothing is handed over until it is
//! known that the model takes longer than that ([`WORTHWHILE`]); a model that does not is searched by one
//! thread. What is ready and was not asked for yet is at most [`MOST_READY`] states' successors.
//!
//! If the model panics in another thread, that is forgotten: should the search come to the state, the model
//! panics again, there.
//!
//! Rejected: a search by all threads in whatever order, and a second one in order if there is something to
//! show. It would ask users' functions twice, and could share no more than this does where these are slow.

use crate::Model;
use rustc_hash::FxHashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Most calls of [`Model::successors`] must take as long as that.
const WORTHWHILE: Duration = Duration::from_micros(3);
/// So many calls are measured.
const MEASURED: u32 = 256;
/// Others do not run further ahead.
const MOST_READY: usize = 1 << 16;

/// What can happen in a state.
type Steps<M> = Vec<(<M as Model>::Action, <M as Model>::State)>;

/// Those who compute successors ahead, as the search sees them.
pub(crate) trait Ahead<M: Model> {
    /// The search has met a state, under this number.
    fn offer(&self, number: u32, state: &M::State);

    /// The search has come to a state. What can happen in it, if somebody has begun to compute it; nobody
    /// will from now on.
    fn take(&self, number: u32) -> Option<Steps<M>>;
}

/// Calls a function while so many threads more compute successors of a model.
pub(crate) type Together<M> = fn(&M, usize, &mut dyn FnMut(&dyn Ahead<M>));

/// See [`Together`].
pub(crate) fn together<M>(model: &M, others: usize, search: &mut dyn FnMut(&dyn Ahead<M>))
where
    M: Model + Sync,
    M::State: Send,
    M::Action: Send,
{
    let helpers = Helpers::<M> { heap: Mutex::new(Heap::default()), changed: Condvar::new() };
    let helpers = &helpers;
    std::thread::scope(|scope| {
        for _ in 0..others {
            scope.spawn(|| helpers.work(model));
        }
        let _end = End(helpers);
        search(helpers);
    });
}

/// What is to be computed, and what has been.
struct Heap<M: Model> {
    offered: FxHashMap<u32, Offered<M>>,
    /// Numbers of states, the newest last; some are not on offer any more.
    newest: Vec<u32>,
    ready: usize,
    is_over: bool,
}

enum Offered<M: Model> {
    State(M::State),
    /// Somebody computes it.
    Begun,
    Ready(Steps<M>),
}

impl<M: Model> Default for Heap<M> {
    fn default() -> Heap<M> {
        Heap { offered: FxHashMap::default(), newest: Vec::new(), ready: 0, is_over: false }
    }
}

struct Helpers<M: Model> {
    heap: Mutex<Heap<M>>,
    changed: Condvar,
}

/// The search is over, however it has ended.
struct End<'h, M: Model>(&'h Helpers<M>);

impl<M: Model> Drop for End<'_, M> {
    fn drop(&mut self) {
        self.0.heap().is_over = true;
        self.0.changed.notify_all();
    }
}

impl<M: Model> Helpers<M> {
    fn heap(&self) -> MutexGuard<'_, Heap<M>> {
        // Functions of the model are not called while it is locked, but for copies of states.
        self.heap.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'h>(&self, heap: MutexGuard<'h, Heap<M>>) -> MutexGuard<'h, Heap<M>> {
        self.changed.wait(heap).unwrap_or_else(PoisonError::into_inner)
    }

    /// What another thread does until the search is over.
    fn work(&self, model: &M) {
        let mut heap = self.heap();
        while !heap.is_over {
            let next = if heap.ready < MOST_READY { heap.newest.pop() } else { None };
            let Some(number) = next else {
                heap = self.wait(heap);
                continue;
            };
            let Some(offered) = heap.offered.get_mut(&number) else { continue };
            let Offered::State(state) = std::mem::replace(offered, Offered::Begun) else {
                unreachable!("a state is listed once");
            };
            drop(heap);
            let mut steps = Vec::new();
            let computed = catch_unwind(AssertUnwindSafe(|| model.successors(&state, &mut steps)));
            heap = self.heap();
            match computed {
                Ok(()) => {
                    heap.ready += 1;
                    heap.offered.insert(number, Offered::Ready(steps));
                }
                Err(_) => _ = heap.offered.remove(&number),
            }
            self.changed.notify_all();
        }
    }
}

impl<M: Model> Ahead<M> for Helpers<M> {
    fn offer(&self, number: u32, state: &M::State) {
        let state = state.clone();
        let mut heap = self.heap();
        heap.offered.insert(number, Offered::State(state));
        heap.newest.push(number);
        drop(heap);
        self.changed.notify_one();
    }

    fn take(&self, number: u32) -> Option<Steps<M>> {
        let mut heap = self.heap();
        loop {
            match heap.offered.get(&number) {
                None => return None,
                Some(Offered::Begun) => heap = self.wait(heap),
                Some(Offered::State(_) | Offered::Ready(_)) => break,
            }
        }
        match heap.offered.remove(&number) {
            Some(Offered::Ready(steps)) => {
                heap.ready -= 1;
                // Somebody may have waited for room.
                let had_no_room = heap.ready + 1 == MOST_READY;
                drop(heap);
                if had_no_room {
                    self.changed.notify_all();
                }
                Some(steps)
            }
            _ => None,
        }
    }
}

/// How long a model takes, and whether states should be handed over.
#[derive(Default)]
pub(crate) struct Measure {
    calls: u32,
    /// Calls that took long. Not the time of all: a thread may have to sleep during one of them.
    long: u32,
}

impl Measure {
    /// Measures one of the first calls.
    pub fn call<R>(&mut self, call: impl FnOnce() -> R) -> R {
        if self.calls == MEASURED {
            return call();
        }
        let begin = Instant::now();
        let result = call();
        self.long += u32::from(begin.elapsed() >= WORTHWHILE);
        self.calls += 1;
        result
    }

    /// Whether it takes long enough.
    pub fn is_worthwhile(&self) -> bool {
        self.calls == MEASURED && self.long > MEASURED / 2
    }
}
