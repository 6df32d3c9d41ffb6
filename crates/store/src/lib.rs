//! Where visited states live.
//!
//! A store is a set of byte strings that numbers its members: a search asks whether a state is new, keeps the four
//! bytes of its [`StateId`] wherever it would have kept the state, and reads the bytes back when it needs them. What a
//! search knows about a state beyond that (expanded? on the stack? parent?) lives in side tables indexed by the number
//! ([`StateBits`]), so that a store serves every algorithm.
//!
//! Stores differ in what they cost and in what they promise; [`STORES`] is the one list of them.

#![warn(missing_docs)]

mod exact;
mod region;
mod state_bits;

pub use exact::ExactStore;
pub use state_bits::StateBits;

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

/// What a store worked out about a state before it is inserted. The memory that the insertion will need is then on its way:
/// a search prepares all successors of a state before it inserts the first, so that it waits for all of them at once.
#[derive(Clone, Copy, Debug, Default)]
pub struct Prepared {
    hash: u64,
    /// What stands where the state would be looked for.
    first: u64,
}

/// A set of states that numbers its members. A store for several threads implements it for a shared reference
/// (`impl StateStore for &SharedStore`), so `&mut self` is no obstacle.
pub trait StateStore {
    /// Hashes a state and begins to look for it.
    fn prepare(&self, state: &[u8]) -> Prepared;

    /// Inserts a state that was prepared, perhaps before others were inserted.
    fn insert_prepared(&mut self, state: &[u8], prepared: Prepared) -> Inserted;

    /// Inserts a state if it is not there yet: both steps at once.
    fn insert(&mut self, state: &[u8]) -> Inserted {
        let prepared = self.prepare(state);
        self.insert_prepared(state, prepared)
    }

    /// Replaces the contents of `buffer` by the bytes of a state.
    fn read(&self, id: StateId, buffer: &mut Vec<u8>);

    /// Number of states.
    fn len(&self) -> u64;

    /// Whether no state has been inserted yet.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether no further state fits in (there are no numbers left).
    fn is_full(&self) -> bool;

    /// Bytes of the states themselves.
    fn states_bytes(&self) -> u64;

    /// Bytes of everything else that the store keeps: tables, directories, room reserved and not yet used.
    fn auxiliary_bytes(&self) -> u64;

    /// What the store is about to ask for: the bytes of its next table if the present one is nearly full, else 0.
    fn upcoming_bytes(&self) -> u64;
}

/// What a store promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Promise {
    /// Every state is kept and told apart from every other.
    Exact,
}

/// A line of [`STORES`].
#[derive(Clone, Copy, Debug)]
pub struct StoreDescription {
    /// As options and reports name it.
    pub name: &'static str,
    /// What it promises.
    pub promise: Promise,
    /// What a state costs.
    pub cost: &'static str,
}

/// All stores.
pub const STORES: &[StoreDescription] = &[StoreDescription {
    name: "exact",
    promise: Promise::Exact,
    cost: "its bytes, and 11 to 16 for the table",
}];
