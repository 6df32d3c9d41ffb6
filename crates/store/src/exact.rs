//! The exact store: every state, byte for byte, from one thread or several.
//!
//! It has two halves. The bytes of states lie in slots, states of one length together, so that neither a length nor an offset is
//! kept per state (`memory/slots.rs`). A table of words of 64 bits says which slots there are: 32 bits of hash and the 32-bit
//! number of the slot, in lines of eight words (`table.rs`). The hash bits do two jobs. Scaled to the table's size they say in which line the search
//! for the state starts, so the table can grow without looking at any state. Compared as a whole they tell nearly all
//! different states apart, so bytes are looked at only when they are equal. (The bits that choose the line are the same for all states in it: of
//! 50 million states, one lookup in a hundred compares bytes in vain.)
//!
//! *Threads.* A state is written into a slot first, and then published by replacing an empty word (`publish.rs`). Nothing that is published ever
//! moves or changes, except when the table grows; that needs the store for itself, and happens only in [`StateStore::make_room`] and
//! in [`StateStore::insert_prepared`]. These take `&mut self`, so the compiler sees to it. Who has the store for itself publishes with plain stores.
//!
//! *Cost per state:* its bytes, and 8 bytes at a load between 63 % and 84 %: 9.5 to 12.7, and a little for chunks that are not full. Growing
//! asks for a third of the table, and no second one.
//!
//! *Time* is spent waiting for memory, and as much in getting there and back. Lines are compared as a whole, and what was seen when a state was
//! approached is used when it is inserted, if nothing has been added there since: so most insertions look at each line once. (Some 3 % of the time of a search, against
//! two loops over the words.) Measured with an earlier form, 10 million states of 24 bytes, seven of ten insertions known, batches of four: 118 ns an insertion,
//! 138 ns without [`StateStore::approach`], 145 ns without prefetch instructions. A load of at most 75 % and xxh3 in place of our hash made no difference that could be told from noise.
//!
//! Rejected: an offset per state (8 bytes more), a length before each state (numbers with large holes, or a second lookup), a table
//! of full hashes (8 bytes more).

use crate::hash::{StateHash, WeightedSums};
use crate::memory::{LINE_WORDS, SlotAccess, Slots, Taken};
use crate::publish::{Alone, Candidate, Entry, Published, Shared, publish};
use crate::table::Table;
use crate::{Inserted, NoRoom, StateId, StateStore};
use std::hint::select_unpredictable;
use std::sync::atomic::{AtomicU64, Ordering};

/// A store that keeps every byte of every state. States may differ in length; there are numbers for about 2³² states of up to
/// a kilobyte, and for fewer longer ones.
#[derive(Debug)]
pub struct ExactStore<H = WeightedSums> {
    hash: H,
    table: Table,
    slots: Slots,
    len: AtomicU64,
}

impl Default for ExactStore {
    fn default() -> Self {
        ExactStore::new()
    }
}

impl ExactStore {
    /// An empty store, which takes 18 KiB.
    pub fn new() -> ExactStore {
        ExactStore::with_hash(WeightedSums)
    }
}

impl<H: StateHash> ExactStore<H> {
    /// A store that hashes its states in another way.
    pub fn with_hash(hash: H) -> ExactStore<H> {
        ExactStore { hash, table: Table::new(), slots: Slots::new(), len: AtomicU64::new(0) }
    }

    /// The bytes of a state.
    #[inline]
    pub fn get(&self, id: StateId) -> &[u8] {
        self.slots.get(id)
    }

    /// Inserts a state that is probably new.
    #[inline(never)]
    fn insert_unlikely(&mut self, state: &[u8], hash: u32, likely: u32, vacancy: Vacancy) -> Inserted {
        let Vacancy { at, taken, age } = vacancy;
        if likely == 0
            && age == self.table.age()
            && !self.wants_room()
            && let Some(word) = self.table.vacant(at as usize, taken as usize)
            && let Some(slot) = self.slots.alone().write(state)
        {
            // Nothing from home up to this line had the hash, this line was not full, and nothing was added to it since.
            *word = Entry::new(hash, slot.id()).0;
            *self.len.get_mut() += 1;
            return Inserted::New(slot.id());
        }
        self.insert_from_home(state, hash)
    }

    /// Inserts a state about which only its hash is known.
    #[cold]
    fn insert_from_home(&mut self, state: &[u8], hash: u32) -> Inserted {
        if self.wants_room() {
            self.make_room();
        }
        let newcomer = Newcomer { bytes: state, slots: self.slots.alone(), is_refused: false };
        match publish::<Alone, _, _>(&self.table, self.table.home(hash), hash, &newcomer) {
            Published::New(id) => {
                *self.len.get_mut() += 1;
                Inserted::New(id)
            }
            Published::Known(id) => Inserted::Known(id),
            Published::NoSlot | Published::NoWord => panic!("all state numbers are used up"),
        }
    }

    /// Whether the table takes no more states.
    #[inline]
    fn is_crowded(&self) -> bool {
        self.len.load(Ordering::Relaxed) >= self.table.limit()
    }
}

/// What is known about a state that will be inserted.
#[derive(Clone, Copy, Debug, Default)]
pub struct PreparedBytes {
    hash: u32,
    /// The lower half of the entry of a state that has the same hash, and is therefore probably the same; 0 if there is none.
    likely: u32,
    vacancy: Vacancy,
}

/// The first line from home on that is not full, how many of its words were taken, and how old the table was then: 0 if nobody has looked.
#[derive(Clone, Copy, Debug, Default)]
struct Vacancy {
    at: u32,
    taken: u16,
    age: u16,
}

impl PreparedBytes {
    #[inline]
    fn likely(self) -> Entry {
        Entry((self.hash as u64) << 32 | self.likely as u64)
    }
}

/// Whether two states are the same. They are short, and mostly the same: a call of the library's comparison would take longer than
/// the comparison.
#[inline]
fn is_same(one: &[u8], other: &[u8]) -> bool {
    if one.len() != other.len() {
        return false;
    }
    match one.len() {
        0..4 => one.iter().zip(other).all(|(one, other)| one == other),
        4..8 => have_same_ends::<4>(one, other),
        8..=16 => have_same_ends::<8>(one, other),
        17..=32 => have_same_ends::<16>(one, other),
        33..=64 => have_same_ends::<32>(one, other),
        _ => one == other,
    }
}

/// Whether the first and the last bytes are the same: of up to twice as many bytes these are all, as they overlap.
#[inline(always)]
fn have_same_ends<const N: usize>(one: &[u8], other: &[u8]) -> bool {
    (one.first_chunk::<N>() == other.first_chunk()) & (one.last_chunk::<N>() == other.last_chunk())
}

/// A state, and where it goes.
struct Newcomer<'a, A> {
    bytes: &'a [u8],
    slots: A,
    /// Whether the table takes no more states.
    is_refused: bool,
}

impl<A: SlotAccess> Candidate for Newcomer<'_, A> {
    type Slot = Taken;

    #[inline]
    fn is(&self, id: StateId) -> bool {
        is_same(self.slots.slots().get(id), self.bytes)
    }

    #[inline]
    fn write(&self) -> Option<Taken> {
        if self.is_refused { None } else { self.slots.write(self.bytes) }
    }

    #[inline]
    fn number(&self, slot: &Taken) -> StateId {
        slot.id()
    }

    fn give_back(&self, slot: Taken) {
        self.slots.slots().give_back(slot);
    }
}

impl<H: StateHash> StateStore for ExactStore<H> {
    type Prepared = PreparedBytes;

    #[inline(always)]
    fn prepare(&mut self, state: &[u8]) -> PreparedBytes {
        self.prepare_summed(state, self.hash.sum(state))
    }

    #[inline(always)]
    fn prepare_summed(&mut self, state: &[u8], sum: u64) -> PreparedBytes {
        debug_assert_eq!(self.hash.sum(state), sum, "another sum for the state {state:?}");
        let hash = self.hash.finish(sum);
        self.table.fetch(self.table.home(hash));
        PreparedBytes { hash, ..PreparedBytes::default() }
    }

    #[inline]
    fn approach(&mut self, prepared: &mut [PreparedBytes]) {
        for prepared in prepared {
            let mut at = self.table.home(prepared.hash);
            let (empty, likely) = loop {
                let (same, empty, line) = self.table.look(at, prepared.hash);
                if same | empty != 0 {
                    // If none is the same, then one that is empty says so. Without a branch: no processor can foresee it.
                    let word = select_unpredictable(same != 0, same, empty).trailing_zeros() as usize;
                    break (empty, *line.0[word % LINE_WORDS].get_mut() as u32);
                }
                at = self.table.after(at);
            };
            let taken = empty.trailing_zeros() as u16;
            prepared.vacancy = Vacancy { at: at as u32, taken, age: self.table.age() };
            prepared.likely = likely;
            self.slots.fetch(prepared.likely());
        }
    }

    #[inline]
    fn try_insert(&self, state: &[u8]) -> Result<Inserted, NoRoom> {
        let hash = self.hash.hash(state);
        let is_refused = self.is_crowded();
        let newcomer = Newcomer { bytes: state, slots: &self.slots, is_refused };
        match publish::<Shared, _, _>(&self.table, self.table.home(hash), hash, &newcomer) {
            Published::New(id) => {
                self.len.fetch_add(1, Ordering::Relaxed);
                Ok(Inserted::New(id))
            }
            Published::Known(id) => Ok(Inserted::Known(id)),
            Published::NoSlot if !is_refused => Err(NoRoom::Numbers),
            Published::NoSlot | Published::NoWord => Err(NoRoom::Table),
        }
    }

    // Always: what is long is in `insert_unlikely`, and the compiler would rather call the rest, once for every transition.
    #[inline(always)]
    fn insert_prepared(&mut self, state: &[u8], prepared: PreparedBytes) -> Inserted {
        let likely = prepared.likely().id();
        if prepared.likely != 0 && is_same(self.get(likely), state) {
            return Inserted::Known(likely);
        }
        self.insert_unlikely(state, prepared.hash, prepared.likely, prepared.vacancy)
    }

    #[inline]
    fn wants_room(&self) -> bool {
        self.len.load(Ordering::Relaxed) >= self.table.comfortable()
    }

    #[cold]
    fn make_room(&mut self) {
        self.table.grow();
    }

    fn read(&self, id: StateId, buffer: &mut Vec<u8>) {
        buffer.clear();
        buffer.extend_from_slice(self.get(id));
    }

    #[inline]
    fn bytes_of<'s>(&'s self, id: StateId, _buffer: &'s mut Vec<u8>) -> &'s [u8] {
        self.get(id)
    }

    #[inline]
    fn expect(&self, id: StateId) {
        self.slots.fetch_state(id);
    }

    fn len(&self) -> u64 {
        self.len.load(Ordering::Relaxed)
    }

    fn is_full(&self) -> bool {
        self.slots.is_full()
    }

    fn states_bytes(&self) -> u64 {
        self.slots.states_bytes()
    }

    fn auxiliary_bytes(&self) -> u64 {
        let slack = self.slots.reserved_bytes().saturating_sub(self.slots.states_bytes());
        self.table.bytes() + self.slots.directory_bytes() + slack
    }

    fn upcoming_bytes(&self) -> u64 {
        if self.len() * 100 < self.table.comfortable() * 97 { 0 } else { self.table.growth_bytes() }
    }
}
