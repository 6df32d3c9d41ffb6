//! The exact store: every state, byte for byte, for one thread or several.
//!
//! It has two halves. The bytes of states lie in *slots*, states of one length together, so that neither a
//! length nor an offset is kept per state (`memory/slots.rs`). The *table* (`table.rs`) is a hash table of
//! the numbers of slots; with each number it has the part of the state's hash that its place does not tell.
//! So the table can grow while hardly a state is looked at, and a lookup compares bytes only where 16 bits of
//! the hash are equal. (In a table of 50 million states, one lookup in a hundred compares bytes in vain.)
//!
//! *Threads.* A state is written into a slot first, and then published by filling an empty entry of the table
//! (`publish.rs`). What is published never moves or changes, except when the table grows. That needs the
//! store exclusively, and happens only in [`SharedStore::make_room`] and in insertions by a thread that has
//! the store for itself. These take `&mut self`, so the compiler sees to it. Who has the store exclusively
//! publishes with plain stores, without atomic instructions.
//!
//! *Cost per state:* its bytes, and 6.4 bytes at a load between 63 % and 84 %, which is 7.6 to 10.1 (with
//! fewer than 1.1 million states up to 30.4, which is 8 MiB at the most, or 15.2 if memory is short); and a
//! little for chunks that are not full. Growing asks for a third of the table (a small one becomes four times
//! as long), and no second one.
//!
//! *Time* is spent waiting for memory, and as much in getting there and back: see `batch.rs`. Measured with
//! an earlier form, 10 million states of 24 bytes, seven of ten insertions known, batches of four: 118 ns an
//! insertion; 138 ns without asking for the bytes in advance, 145 ns without prefetch instructions. A load of
//! at most 75 %, and xxh3 in place of our hash, made no difference that could be told from noise.
//!
//! Rejected: an offset per state (8 bytes more), a length before each state (numbers with large holes, or a
//! second lookup), a table of full hashes (8 bytes more).

use crate::announced::{Announced, SMALL_TABLE};
use crate::batch::{BLOCK, announce, insert, insert_block, insert_from_home, probe_announced};
use crate::bytes::is_same;
use crate::hash::{StateHash, WeightedSums};
use crate::memory::{Share, SharedSlots, SlotAccess, Slots, Taken};
use crate::publish::{Candidate, Published, publish};
use crate::shared_batch::{
    Pen, announce_shared, insert_from_home as insert_shared_from_home, insert_shared,
    insert_shared_announced, probe_shared,
};
use crate::state_bits::StateBits;
use crate::table::Table;
use crate::tree::TreeStore;
use crate::{Batch, Inserted, NoRoom, SharedStore, StateId, StateStore, VisitedSet};
use std::sync::atomic::{AtomicU64, Ordering};

/// A store that keeps every byte of every state. States may differ in length; there are numbers for about 2³²
/// states of up to a kilobyte, and for fewer longer ones.
#[derive(Debug)]
pub struct ExactStore<H = WeightedSums> {
    hash: H,
    table: Table,
    slots: Slots,
    len: AtomicU64,
    /// How often the lines of the table have become others.
    epoch: u64,
    /// In a table of so many bytes nothing is found out of states that are announced.
    small_table: u64,
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

    /// The same, where there are so many bytes for everything. If these are few, its table grows by small
    /// steps early.
    pub fn within(budget: Option<u64>) -> ExactStore {
        let table = Table::within(budget.unwrap_or(u64::MAX));
        ExactStore::of(WeightedSums, table)
    }
}

impl<H: StateHash> ExactStore<H> {
    /// A store that hashes its states in another way.
    pub fn with_hash(hash: H) -> ExactStore<H> {
        ExactStore::of(hash, Table::within(u64::MAX))
    }

    fn of(hash: H, table: Table) -> ExactStore<H> {
        let (slots, len) = (Slots::new(), AtomicU64::new(0));
        ExactStore { hash, table, slots, len, epoch: 0, small_table: SMALL_TABLE }
    }

    /// The same, which looks for states that are announced however small it is. For tests.
    pub fn probing_always(self) -> ExactStore<H> {
        ExactStore { small_table: 0, ..self }
    }

    /// The bytes of a state.
    #[inline]
    pub fn get(&self, id: StateId) -> &[u8] {
        self.slots.get(id)
    }

    /// Sees to it that the table is comfortable with so many more states.
    #[inline]
    fn make_room_for(&mut self, more: usize) {
        while *self.len.get_mut() + more as u64 > self.table.comfortable() {
            self.grow();
        }
    }

    /// All states in a tree, with the same numbers. Takes no more memory at any time than there is now.
    pub(crate) fn into_tree(self) -> TreeStore<H> {
        let ExactStore { hash, table, slots, .. } = self;
        let mut ids = StateBits::new();
        table.ids().for_each(|id| _ = ids.set(id));
        drop(table);
        TreeStore::from_slots(hash, &ids, slots)
    }

    #[cold]
    fn grow(&mut self) {
        self.epoch += 1;
        let ExactStore { hash, table, slots, .. } = self;
        table.grow(|id| hash.hash(slots.get(id)));
    }

    /// Inserts states, and writes what was found of each into `room`.
    #[inline(always)]
    fn insert_into<'r, A: Answer>(&mut self, batch: impl Batch, room: &'r mut Vec<A>) -> &'r [A] {
        let all = batch.entries().len();
        if room.len() < all {
            room.resize(all, A::of(Inserted::Known(StateId(0))));
        }
        let found = &mut room[..all];
        if all <= BLOCK {
            self.insert_block(batch, found);
        } else {
            self.insert_blocks(batch, found);
        }
        found
    }

    #[cold]
    fn insert_blocks(&mut self, batch: impl Batch, found: &mut [impl Answer]) {
        for (first, found) in (0..batch.entries().len()).step_by(BLOCK).zip(found.chunks_mut(BLOCK)) {
            self.insert_block(batch.part(first..first + found.len()), found);
        }
    }

    /// A call, so that it has the registers for itself.
    #[inline(never)]
    fn insert_block(&mut self, batch: impl Batch, found: &mut [impl Answer]) {
        self.make_room_for(found.len());
        let probes = !self.is_small();
        let ExactStore { hash, table, slots, len, .. } = self;
        *len.get_mut() += insert_block(table, slots, hash, batch, probes, found);
    }

    #[inline(never)]
    fn probe(&mut self, announced: &mut Announced) {
        probe_announced(self.table.exclusive(), self.slots.exclusive(), announced);
    }

    /// The same for states that were announced.
    #[inline(never)]
    fn insert_known<'r>(
        &mut self,
        batch: impl Batch,
        announced: &Announced,
        room: &'r mut Vec<Inserted>,
    ) -> &'r [Inserted] {
        let all = batch.entries().len();
        self.make_room_for(all);
        let Some(states) = announced.probed(self.epoch, all) else {
            // There are too many, or the table has grown.
            return self.insert_into(batch, room);
        };
        if room.len() < all {
            room.resize(all, Inserted::Known(StateId(0)));
        }
        let found = &mut room[..all];
        let ExactStore { table, slots, len, .. } = self;
        *len.get_mut() += insert(table.exclusive(), slots.exclusive(), batch, states, found);
        found
    }

    /// Whether most of the table is in a cache.
    #[inline]
    fn is_small(&self) -> bool {
        self.table.bytes() <= self.small_table
    }

    /// The states that a thread has added count.
    fn tell(&self, pen: &mut Pen) {
        self.len.fetch_add(std::mem::take(&mut pen.untold), Ordering::Relaxed);
    }

    /// Whether the table takes no more states.
    #[inline]
    fn is_crowded(&self) -> bool {
        self.len.load(Ordering::Relaxed) >= self.table.limit()
    }
}

/// A state, and where it goes.
pub(crate) struct Newcomer<'a, A> {
    pub bytes: &'a [u8],
    pub slots: &'a A,
    /// Whether the table takes no more states.
    pub is_refused: bool,
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
        self.slots.give_back(slot);
    }
}

/// What somebody wants to know of an insertion.
pub(crate) trait Answer: Copy {
    fn of(inserted: Inserted) -> Self;
}

impl Answer for Inserted {
    #[inline(always)]
    fn of(inserted: Inserted) -> Inserted {
        inserted
    }
}

/// Whether the state is new.
impl Answer for bool {
    #[inline(always)]
    fn of(inserted: Inserted) -> bool {
        matches!(inserted, Inserted::New(_))
    }
}

impl<H: StateHash> VisitedSet for ExactStore<H> {
    fn visit(&mut self, state: &[u8]) -> bool {
        bool::of(self.insert(state))
    }

    fn visit_all<'r>(&mut self, batch: impl Batch, room: &'r mut Vec<bool>) -> &'r [bool] {
        self.insert_into(batch, room)
    }

    fn contains(&self, state: &[u8]) -> bool {
        let hash = self.hash.hash(state);
        let slots = SharedSlots { slots: &self.slots, share: Share::default() };
        let newcomer = Newcomer { bytes: state, slots: &slots, is_refused: true };
        matches!(publish(&self.table, self.table.home(hash), hash, &newcomer), Published::Known(_))
    }

    #[inline]
    fn prefetch_all(&mut self, batch: impl Batch) {
        let table = self.table.exclusive();
        for entry in batch.entries() {
            let _ = table.prefetch_home(self.hash.finish(batch.sum(entry)));
        }
    }

    fn clear(&mut self) {
        (self.table, self.slots) = (self.table.anew(), Slots::new());
        *self.len.get_mut() = 0;
        self.epoch += 1;
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

    fn load(&self) -> Option<u16> {
        Some((self.len() * 1000 / self.table.entries()) as u16)
    }

    fn upcoming_bytes(&self) -> u64 {
        if self.len() * 100 < self.table.comfortable() * 97 { 0 } else { self.table.growth_bytes() }
    }
}

impl<H: StateHash> StateStore for ExactStore<H> {
    fn insert(&mut self, state: &[u8]) -> Inserted {
        self.make_room_for(1);
        let hash = self.hash.hash(state);
        let inserted = insert_from_home(self.table.exclusive(), self.slots.exclusive(), state, hash);
        *self.len.get_mut() += u64::from(bool::of(inserted));
        inserted
    }

    #[inline(always)]
    fn insert_all<'r>(&mut self, batch: impl Batch, room: &'r mut Vec<Inserted>) -> &'r [Inserted] {
        self.insert_into(batch, room)
    }

    #[inline]
    fn announce_all(&mut self, batch: impl Batch, announced: &mut Announced) {
        let is_small = self.is_small();
        announce(self.table.exclusive(), self.epoch, &self.hash, batch, announced);
        if is_small {
            announced.need_no_probe();
        }
    }

    #[inline]
    fn probe_announced(&mut self, announced: &mut Announced) {
        if announced.awaits_probe(self.epoch) {
            self.probe(announced);
        }
    }

    #[inline(always)]
    fn insert_announced<'r>(
        &mut self,
        batch: impl Batch,
        announced: &Announced,
        room: &'r mut Vec<Inserted>,
    ) -> &'r [Inserted] {
        self.insert_known(batch, announced, room)
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
    fn prefetch(&self, id: StateId) {
        self.slots.fetch_state(id);
    }

    fn for_each_state(&self, mut each: impl FnMut(StateId, &[u8])) {
        self.table.ids().for_each(|id| each(id, self.get(id)));
    }
}

impl<H: StateHash + Send + Sync> SharedStore for ExactStore<H> {
    #[inline]
    fn try_insert(&self, state: &[u8]) -> Result<Inserted, NoRoom> {
        let slots = SharedSlots { slots: &self.slots, share: Share::default() };
        let is_refused = self.is_crowded();
        let inserted =
            insert_shared_from_home(&self.table, &slots, state, self.hash.hash(state), is_refused)?;
        self.len.fetch_add(u64::from(bool::of(inserted)), Ordering::Relaxed);
        Ok(inserted)
    }

    fn try_insert_all(
        &self,
        batch: impl Batch,
        pen: &mut Pen,
        found: &mut Vec<Inserted>,
    ) -> Result<(), NoRoom> {
        let is_refused = self.is_crowded();
        let done = insert_shared(&self.table, &self.slots, &self.hash, batch, pen, is_refused, found);
        if done.is_err() || pen.must_tell(&self.table) {
            self.tell(pen);
        }
        done
    }

    #[inline]
    fn announce_shared(&self, batch: impl Batch, announced: &mut Announced) {
        announce_shared(&self.table, self.epoch, &self.hash, batch, announced);
        if self.is_small() {
            announced.need_no_probe();
        }
    }

    #[inline]
    fn probe_shared(&self, announced: &mut Announced) {
        if announced.awaits_probe(self.epoch) {
            probe_shared(&self.table, &self.slots, announced);
        }
    }

    fn try_insert_announced(
        &self,
        batch: impl Batch,
        announced: &Announced,
        pen: &mut Pen,
        found: &mut Vec<Inserted>,
    ) -> Result<(), NoRoom> {
        let Some(announced) = announced.probed(self.epoch, batch.entries().len()) else {
            return self.try_insert_all(batch, pen, found);
        };
        let is_refused = self.is_crowded();
        let done =
            insert_shared_announced(&self.table, &self.slots, batch, announced, pen, is_refused, found);
        if done.is_err() || pen.must_tell(&self.table) {
            self.tell(pen);
        }
        done
    }

    fn count(&self, pen: &mut Pen) {
        self.tell(pen);
        pen.strips.give_back(&self.slots, pen.share);
    }

    #[inline]
    fn prefetch_shared(&self, batch: impl Batch) {
        for entry in batch.entries() {
            self.table.prefetch_home(self.hash.finish(batch.sum(entry)));
        }
    }

    #[inline]
    fn wants_room(&self) -> bool {
        self.len.load(Ordering::Relaxed) >= self.table.comfortable()
    }

    fn make_room(&mut self) {
        self.make_room_by(1);
    }

    fn make_room_by(&mut self, threads: usize) {
        self.epoch += 1;
        let ExactStore { hash, table, slots, .. } = self;
        slots.list_chunks_to_come();
        let (hash, slots) = (&*hash, &*slots);
        table.grow_by(threads, |id| hash.hash(slots.get(id)));
    }
}
