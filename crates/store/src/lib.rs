//! Where visited states live.
//!
//! There are two levels of what such a place can do. A [`VisitedSet`] answers one question: was this state
//! visited before? That is all that a store can offer which forgets what it has seen of a state. A
//! [`StateStore`] keeps the states themselves: it numbers them, so that a search keeps the four bytes of a
//! [`StateId`] wherever it would have kept the state, reads them back, and goes through all of them. What a
//! search knows about a state beyond that (expanded? on the stack? parent?) lives in side tables indexed by
//! the number ([`StateBits`]), so that a store serves every algorithm.
//!
//! Stores differ in what they offer, what they cost and what they promise; [`STORES`] is the one list of
//! them.

#![warn(missing_docs)]

mod announced;
mod auto;
mod batch;
mod bitstate;
mod bytes;
mod compact;
mod directory;
mod exact;
mod fingerprint;
mod hash;
mod lossy;
#[allow(unsafe_code)]
mod memory;
mod publish;
mod shared_batch;
mod state_bits;
mod stores;
mod table;
mod transient;
mod tree;

pub use announced::Announced;
pub use auto::AutoStore;
pub use bitstate::BitstateStore;
pub use compact::{CompactStore, HASH_BITS};
pub use exact::ExactStore;
pub use hash::{StateHash, WeightedSums};
pub use lossy::{LossyKind, LossySet};
pub use memory::OutOfMemory;
pub use shared_batch::Pen;
pub use state_bits::StateBits;
pub use stores::{Offer, Promise, STORES, StoreDescription, StoreKind};
pub use transient::TransientStore;
pub use tree::TreeStore;

use std::ops::Range;

/// The number of a stored state: small, without order, with few holes, so that it can index side tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StateId(pub u32);

impl StateId {
    /// The number as a place in a side table.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What [`StateStore::insert`] found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inserted {
    /// The state was not there; this is its number from now on.
    New(StateId),
    /// The state was there under this number.
    Known(StateId),
}

impl Inserted {
    /// The state's number, whether it is new or not.
    pub fn id(self) -> StateId {
        match self {
            Inserted::New(id) | Inserted::Known(id) => id,
        }
    }
}

/// Why a state could not be inserted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoRoom {
    /// The table is nearly full: [`SharedStore::make_room`] helps.
    Table,
    /// There are no numbers left: nothing helps.
    Numbers,
}

/// States that are to be inserted together, and their sums: those that the store's hash has for them
/// ([`WeightedSums`], unless a store was made with another).
pub trait Batch: Copy {
    /// What there is for each state.
    type Entry;

    /// One for each state.
    fn entries(&self) -> &[Self::Entry];

    /// Some of the states.
    fn part(self, range: Range<usize>) -> Self;

    /// The bytes of a state.
    fn state<'s>(&'s self, entry: &'s Self::Entry) -> &'s [u8];

    /// The sum of a state.
    fn sum(&self, entry: &Self::Entry) -> u64;
}

/// States, each with its sum.
impl<S: AsRef<[u8]>> Batch for &[(S, u64)] {
    type Entry = (S, u64);

    fn entries(&self) -> &[(S, u64)] {
        self
    }

    fn part(self, range: Range<usize>) -> Self {
        &self[range]
    }

    #[inline]
    fn state<'s>(&'s self, (state, _): &'s (S, u64)) -> &'s [u8] {
        state.as_ref()
    }

    #[inline]
    fn sum(&self, (_, sum): &(S, u64)) -> u64 {
        *sum
    }
}

/// A set of states that were visited.
///
/// It may be wrong in one direction: a store that keeps less than the whole state may take a new state for
/// one that was visited. It never takes a state for new twice, so a search that expands new states only comes
/// to an end. [`StoreDescription::promise`] says whether it is ever wrong.
///
/// *Waiting for memory only once.* A visit reads places that are hardly ever in a cache. So a search tells of
/// the successors of a state all together ([`VisitedSet::visit_all`]), and the store asks for what it will
/// read of each before it reads anything. A search that has something else to do meanwhile says in advance
/// what it is going to visit ([`VisitedSet::prefetch_all`]).
pub trait VisitedSet {
    /// Visits a state. Whether it is new.
    fn visit(&mut self, state: &[u8]) -> bool;

    /// Visits states, one after the other. Of each, whether it is new. `room` is where the answer is written:
    /// to be used again and again.
    fn visit_all<'r>(&mut self, batch: impl Batch, room: &'r mut Vec<bool>) -> &'r [bool] {
        room.clear();
        room.extend(batch.entries().iter().map(|entry| self.visit(batch.state(entry))));
        room
    }

    /// Whether a state was visited, or is taken for one that was.
    fn contains(&self, state: &[u8]) -> bool;

    /// Begins to look for states that will be visited soon: asks for the places where the store will have to
    /// look.
    fn prefetch_all(&mut self, _batch: impl Batch) {}

    /// The same, and keeps what it has found out of each state, so that it need not be found out again
    /// ([`VisitedSet::visit_announced`]).
    #[inline]
    fn announce(&mut self, batch: impl Batch, _announced: &mut Vec<u64>) {
        self.prefetch_all(batch);
    }

    /// Visits states that were announced, one after the other. The places in the batch of those that are new,
    /// in order: they are few, and who goes through them need not guess at each state whether it is one.
    /// `room` is where they are written: to be used again and again.
    #[inline]
    fn visit_announced<'r>(
        &mut self,
        batch: impl Batch,
        _announced: &[u64],
        room: &'r mut Vec<u32>,
    ) -> &'r [u32] {
        room.clear();
        for (at, entry) in batch.entries().iter().enumerate() {
            if self.visit(batch.state(entry)) {
                room.push(at as u32);
            }
        }
        room
    }

    /// Forgets all states.
    fn clear(&mut self);

    /// How many states were new.
    fn len(&self) -> u64;

    /// Whether no state has been visited yet.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many states are expected to have been taken for visited when they were new.
    fn expected_missed(&self) -> f64 {
        0.0
    }

    /// How probable it is, at present, that a new state is taken for visited.
    fn confusion(&self) -> f64 {
        0.0
    }

    /// Whether a search should stop because there is hardly any room for further states, and nothing helps.
    fn is_full(&self) -> bool {
        false
    }

    /// Bytes of the states themselves, or of what is kept of them.
    fn states_bytes(&self) -> u64;

    /// Bytes of everything else that the store keeps: tables, directories, room reserved and not yet used.
    fn auxiliary_bytes(&self) -> u64;

    /// How full the table is, in thousandths, where that means something.
    fn load(&self) -> Option<u16> {
        None
    }

    /// How many states there were when the store became one of another kind, if it did.
    fn changed_at(&self) -> Option<u64> {
        None
    }

    /// What the store is about to ask for to make room, if it will want room soon, else 0.
    fn upcoming_bytes(&self) -> u64 {
        0
    }
}

/// A set of states that keeps and numbers its members.
///
/// A search with a single thread has the store for itself, and calls [`StateStore::insert_all`]. Several
/// threads need a [`SharedStore`].
pub trait StateStore: VisitedSet {
    /// Whether states are there that others have inserted.
    const IS_SHARED: bool = false;

    /// Inserts a state if it is not there yet. Must not be called again and again when the store [is
    /// full](VisitedSet::is_full): it panics when there are no numbers left.
    fn insert(&mut self, state: &[u8]) -> Inserted;

    /// Inserts states, one after the other, and tells what was found of each. Like [`StateStore::insert`],
    /// but quicker. `room` is where the answer is written: to be used again and again.
    fn insert_all<'r>(&mut self, batch: impl Batch, room: &'r mut Vec<Inserted>) -> &'r [Inserted];

    /// Begins to look for states that will be inserted soon, and keeps what it finds out of them.
    #[inline]
    fn announce_all(&mut self, batch: impl Batch, _announced: &mut Announced) {
        self.prefetch_all(batch);
    }

    /// Goes on to look for states that were announced, when what it has asked for should have come.
    #[inline]
    fn probe_announced(&mut self, _announced: &mut Announced) {}

    /// As [`StateStore::insert_all`]. If these states were announced, it is quicker; others may have been
    /// inserted since, but the store must not have been cleared.
    #[inline]
    fn insert_announced<'r>(
        &mut self,
        batch: impl Batch,
        _announced: &Announced,
        room: &'r mut Vec<Inserted>,
    ) -> &'r [Inserted] {
        self.insert_all(batch, room)
    }

    /// Replaces the contents of `buffer` by the bytes of a state. The number must come from an insertion into
    /// this store; who has it from another thread must have got it by way of something that puts the threads
    /// in order, as a channel or a lock does.
    fn read(&self, id: StateId, buffer: &mut Vec<u8>);

    /// The bytes of a state where they lie, if the store has them as they are; else read into `buffer`.
    fn bytes_of<'s>(&'s self, id: StateId, buffer: &'s mut Vec<u8>) -> &'s [u8] {
        self.read(id, buffer);
        buffer
    }

    /// Whoever has the store waits for others, who may have it for themselves meanwhile.
    fn rest(&mut self) {}

    /// A state is told of once more without being inserted: for stores that count how often.
    fn use_again(&self, _id: StateId) {}

    /// Begins to load a state that will probably be read next.
    fn prefetch(&self, _id: StateId) {}

    /// Shows every state once, with its number, in no particular order: for whoever writes them down.
    fn for_each_state(&self, each: impl FnMut(StateId, &[u8]));
}

/// A store into which several threads may insert at a time: whatever takes `&self` may be called by all of
/// them.
///
/// [`SharedStore::try_insert`] never moves anything, so it can run out of room: when
/// [`SharedStore::wants_room`] says so, the threads should meet and one of them should call
/// [`SharedStore::make_room`]. From then on there is still room for a while (one state for each nine that are
/// there), and after that insertions are refused, but nothing is lost.
pub trait SharedStore: StateStore + Send + Sync {
    /// Inserts a state if it is not there yet, from one of several threads.
    fn try_insert(&self, state: &[u8]) -> Result<Inserted, NoRoom>;

    /// Inserts states, one after the other, and appends what was found of each, like
    /// [`SharedStore::try_insert`] but quicker. If there is no room, those that were told of are inserted,
    /// and the others are not. The states that a thread adds count ([`VisitedSet::len`]) a little later, or
    /// when it says so ([`SharedStore::count`]): so each thread has a pen of its own, for one store.
    fn try_insert_all(
        &self,
        batch: impl Batch,
        pen: &mut Pen,
        found: &mut Vec<Inserted>,
    ) -> Result<(), NoRoom>;

    /// From now on all states count that a thread has added.
    fn count(&self, pen: &mut Pen);

    /// As [`VisitedSet::prefetch_all`], from one of several threads.
    fn prefetch_shared(&self, batch: impl Batch);

    /// As [`StateStore::announce_all`], from one of several threads.
    fn announce_shared(&self, batch: impl Batch, _announced: &mut Announced) {
        self.prefetch_shared(batch);
    }

    /// As [`StateStore::probe_announced`], from one of several threads.
    fn probe_shared(&self, _announced: &mut Announced) {}

    /// As [`SharedStore::try_insert_all`]; quicker, if these states were announced.
    fn try_insert_announced(
        &self,
        batch: impl Batch,
        _announced: &Announced,
        pen: &mut Pen,
        found: &mut Vec<Inserted>,
    ) -> Result<(), NoRoom> {
        self.try_insert_all(batch, pen, found)
    }

    /// Whether it is time for [`SharedStore::make_room`].
    fn wants_room(&self) -> bool;

    /// Makes room for further states. All numbers stay what they are.
    fn make_room(&mut self);

    /// The same, with so many threads of which nobody knows, if that is quicker: those that will insert wait.
    fn make_room_by(&mut self, _threads: usize) {
        self.make_room();
    }
}
