//! A store that several workers share, as each of them sees it: a [`StateStore`] of its own.
//!
//! A store takes insertions by several threads at a time, but grows only while nobody else looks at it. So
//! every worker holds the store for reading ([`RwLock`]) as long as it works, which costs nothing from state
//! to state. When the table is nearly full, all of them notice it after their next insertion
//! ([`SharedStore::wants_room`]): each lets go of the store, and the first asks to have it alone, and lets it
//! grow. The others wait for that one, not for the store: whoever is back at work would keep it from them
//! until it must grow again. Then they see that there is room, and go on. There is room for a while after
//! the first has noticed (one state for each nine that are there), so nobody need hurry. The store grows with
//! the help of as many threads as there are processors for ([`SharedStore::make_room_by`]): threads of its
//! own, for the few milliseconds, because those who wait are asleep at a lock, wherever they are.
//!
//! What a worker must do: hold nothing that it has borrowed from the store while it inserts (the compiler
//! sees to it, as insertions take `&mut self`), and let go of the store before it goes to sleep
//! ([`Handle::let_go`]), or the others would wait for it.
//!
//! If the store may not become larger, it does not grow, and says so ([`CommonStore::is_refused`]): the
//! workers should stop before what is left is used up. If they do not, it grows after all.
//!
//! Rejected: a meeting of all workers at a barrier, which is the same with more code; a table that grows
//! piece by piece while others insert: every lookup would have to know how far it is.

use crate::bookkeeping::ThreadWork;
use lariat_store::{Announced, Batch, Inserted, NoRoom, Pen, SharedStore, StateId, StateStore, VisitedSet};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, RwLock, RwLockReadGuard};
use std::time::{Duration, Instant};

/// A store for several workers.
pub struct CommonStore<'s, S> {
    store: RwLock<&'s mut S>,
    /// Of those who want it to grow, one at a time.
    growing: Mutex<()>,
    /// How many have had it.
    workers: AtomicUsize,
    /// It should not take more bytes than that.
    max_bytes: u64,
    is_refused: AtomicBool,
    /// How often it has grown.
    growths: AtomicU64,
    /// How long workers have waited for that, all together, in nanoseconds.
    growing_time: AtomicU64,
    /// How many insertions had to look again.
    again: AtomicU64,
}

/// What a worker is ended with that finds the store in pieces, because another has failed while it grew.
pub(super) struct StoreLost;

impl<'s, S: SharedStore> CommonStore<'s, S> {
    /// Nobody else has the store from now on. `max_bytes`: it should not take more, if there is a limit.
    pub fn new(store: &'s mut S, max_bytes: Option<u64>) -> CommonStore<'s, S> {
        CommonStore {
            store: RwLock::new(store),
            growing: Mutex::new(()),
            workers: AtomicUsize::new(0),
            max_bytes: max_bytes.unwrap_or(u64::MAX),
            is_refused: AtomicBool::new(false),
            growths: AtomicU64::new(0),
            growing_time: AtomicU64::new(0),
            again: AtomicU64::new(0),
        }
    }

    /// The store as one worker sees it; workers are numbered from 0 on.
    pub fn handle(&self, worker: usize) -> Handle<'_, 's, S> {
        self.workers.fetch_max(worker + 1, Ordering::Relaxed);
        Handle { common: self, store: Some(self.look()), pen: Pen::of_thread(worker) }
    }

    /// It should have grown, and would have become too large.
    pub fn is_refused(&self) -> bool {
        self.is_refused.load(Ordering::Relaxed)
    }

    /// How often it has grown.
    pub fn growths(&self) -> u64 {
        self.growths.load(Ordering::Relaxed)
    }

    /// Adds what has come of it up to now, when no worker has it any more.
    pub(crate) fn add_to(&self, work: &mut ThreadWork) {
        work.growths += self.growths();
        work.growing += Duration::from_nanos(self.growing_time.load(Ordering::Relaxed));
        work.again += self.again.load(Ordering::Relaxed);
    }

    /// How many threads let the store grow: those who wait have nothing else to do.
    fn helpers(&self) -> usize {
        let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
        self.workers.load(Ordering::Relaxed).min(cores)
    }

    fn look(&self) -> RwLockReadGuard<'_, &'s mut S> {
        // Without a word: the one who has failed has said what is wrong.
        self.store.read().unwrap_or_else(|_| std::panic::resume_unwind(Box::new(StoreLost)))
    }

    /// Lets the store grow if it is time, or if somebody has `failed` to insert a state since it had grown so
    /// often. Nobody of this thread may hold it.
    #[cold]
    fn make_room(&self, failed: Option<u64>) {
        let _growing = self.growing.lock().unwrap_or_else(|_| std::panic::resume_unwind(Box::new(StoreLost)));
        let must_grow = failed == Some(self.growths());
        if !must_grow && !self.look().wants_room() {
            return;
        }
        let mut store = self.store.write().unwrap_or_else(|_| std::panic::resume_unwind(Box::new(StoreLost)));
        let bytes = store.states_bytes() + store.auxiliary_bytes() + store.upcoming_bytes();
        if bytes > self.max_bytes {
            self.is_refused.store(true, Ordering::Relaxed);
            if !must_grow {
                return;
            }
        }
        store.make_room_by(self.helpers());
        self.growths.fetch_add(1, Ordering::Relaxed);
    }
}

/// Whether what a thread has panicked with says only that another has.
pub(crate) fn is_consequence(panic: &(dyn std::any::Any + Send)) -> bool {
    panic.is::<StoreLost>()
}

/// The store of several workers, as one of them sees it. It stays with the thread that has made it.
pub struct Handle<'c, 's, S: SharedStore> {
    common: &'c CommonStore<'s, S>,
    /// `None` while it has let go of it.
    store: Option<RwLockReadGuard<'c, &'s mut S>>,
    pen: Pen,
}

impl<'s, S: SharedStore> Handle<'_, 's, S> {
    #[inline]
    fn store(&self) -> &S {
        self.store.as_ref().expect("a worker that has let go of the store does not use it")
    }

    /// The worker is going to wait: others may have the store for themselves meanwhile.
    pub fn let_go(&mut self) {
        if let Some(store) = self.store.take() {
            store.count(&mut self.pen);
            self.common.again.fetch_add(self.pen.take_again(), Ordering::Relaxed);
        }
    }

    /// It has waited.
    pub fn take_up(&mut self) {
        if self.store.is_none() {
            self.store = Some(self.common.look());
        }
    }

    /// Between two states: lets the store grow if it is time.
    #[inline]
    pub fn pause_point(&mut self) {
        if self.store().wants_room() && !self.common.is_refused() {
            self.make_room(None);
        }
    }

    #[cold]
    fn make_room(&mut self, failed: Option<u64>) {
        let begin = Instant::now();
        self.let_go();
        self.common.make_room(failed);
        self.take_up();
        self.common.growing_time.fetch_add(begin.elapsed().as_nanos() as u64, Ordering::Relaxed);
    }

    /// Inserts states of which the first are inserted, and for the next there was no room.
    #[cold]
    fn insert_rest(&mut self, batch: impl Batch, mut no_room: NoRoom, room: &mut Vec<Inserted>) {
        loop {
            self.cope_with(no_room);
            let left = batch.part(room.len()..batch.entries().len());
            let store = self.store.as_ref().expect("it has been taken up again");
            match store.try_insert_all(left, &mut self.pen, room) {
                Ok(()) => break,
                Err(still) => no_room = still,
            }
        }
    }

    #[cold]
    fn cope_with(&mut self, no_room: NoRoom) {
        match no_room {
            NoRoom::Table => self.make_room(Some(self.common.growths())),
            NoRoom::Numbers => panic!("all state numbers are used up"),
        }
    }
}

impl<S: SharedStore> Drop for Handle<'_, '_, S> {
    fn drop(&mut self) {
        self.let_go();
    }
}

impl<S: SharedStore> VisitedSet for Handle<'_, '_, S> {
    fn visit(&mut self, state: &[u8]) -> bool {
        matches!(self.insert(state), Inserted::New(_))
    }

    fn contains(&self, state: &[u8]) -> bool {
        self.store().contains(state)
    }

    #[inline]
    fn prefetch_all(&mut self, batch: impl Batch) {
        self.store().prefetch_shared(batch);
    }

    fn clear(&mut self) {
        self.let_go();
        self.common.store.write().unwrap_or_else(|_| std::panic::resume_unwind(Box::new(StoreLost))).clear();
        self.take_up();
    }

    #[inline]
    fn len(&self) -> u64 {
        self.store().len()
    }

    fn is_full(&self) -> bool {
        self.store().is_full()
    }

    fn states_bytes(&self) -> u64 {
        self.store().states_bytes()
    }

    fn auxiliary_bytes(&self) -> u64 {
        self.store().auxiliary_bytes()
    }

    fn load(&self) -> Option<u16> {
        self.store().load()
    }

    fn upcoming_bytes(&self) -> u64 {
        self.store().upcoming_bytes()
    }
}

impl<S: SharedStore> StateStore for Handle<'_, '_, S> {
    const IS_SHARED: bool = true;

    fn insert(&mut self, state: &[u8]) -> Inserted {
        loop {
            match self.store().try_insert(state) {
                Ok(inserted) => return inserted,
                Err(no_room) => self.cope_with(no_room),
            }
        }
    }

    /// Also lets the store grow if it is time.
    #[inline]
    fn insert_all<'r>(&mut self, batch: impl Batch, room: &'r mut Vec<Inserted>) -> &'r [Inserted] {
        room.clear();
        let store = self.store.as_ref().expect("a worker that has let go of the store does not use it");
        if let Err(no_room) = store.try_insert_all(batch, &mut self.pen, room) {
            self.insert_rest(batch, no_room, room);
        }
        self.pause_point();
        room
    }

    #[inline]
    fn announce_all(&mut self, batch: impl Batch, announced: &mut Announced) {
        self.store().announce_shared(batch, announced);
    }

    #[inline]
    fn probe_announced(&mut self, announced: &mut Announced) {
        self.store().probe_shared(announced);
    }

    /// Also lets the store grow if it is time.
    #[inline]
    fn insert_announced<'r>(
        &mut self,
        batch: impl Batch,
        announced: &Announced,
        room: &'r mut Vec<Inserted>,
    ) -> &'r [Inserted] {
        room.clear();
        let store = self.store.as_ref().expect("a worker that has let go of the store does not use it");
        if let Err(no_room) = store.try_insert_announced(batch, announced, &mut self.pen, room) {
            self.insert_rest(batch, no_room, room);
        }
        self.pause_point();
        room
    }

    fn rest(&mut self) {
        self.let_go();
        self.take_up();
    }

    fn read(&self, id: StateId, buffer: &mut Vec<u8>) {
        self.store().read(id, buffer);
    }

    #[inline]
    fn bytes_of<'r>(&'r self, id: StateId, buffer: &'r mut Vec<u8>) -> &'r [u8] {
        self.store().bytes_of(id, buffer)
    }

    #[inline]
    fn prefetch(&self, id: StateId) {
        self.store().prefetch(id);
    }

    fn for_each_state(&self, each: impl FnMut(StateId, &[u8])) {
        self.store().for_each_state(each);
    }
}
