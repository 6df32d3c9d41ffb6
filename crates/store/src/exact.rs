//! The exact store: every state, byte for byte.
//!
//! States of one length lie together in *chunks* of up to 1024 slots, and a state's number is its chunk's number and
//! its slot: so neither lengths nor offsets are kept per state, and the bytes of a state are found with one look into
//! the chunk directory, which is small enough to stay in the cache. A model has few state lengths (they differ only
//! where processes and channels come and go), so few chunks are partly empty, and the first ones of a length are small, so
//! that a length of its own costs little. Chunks are cut from slabs of up to 64 MiB
//! that are never moved or copied; what is reserved and never written costs address space, not memory.
//!
//! The table is open addressing with linear probing over words of 64 bits: 32 bits of hash and the 32-bit number. The hash
//! bits do two jobs. Scaled to the table's size they say where the search for the state starts, so the table can grow by
//! half, and in one sequential pass, without looking at any state. Compared as a whole they tell nearly all
//! different states apart, so the bytes are looked at only when they are equal.
//!
//! Cost per state: its bytes, and 8 bytes at a load between 1/2 and 3/4: 11 to 16. Rejected: an offset per state (8 bytes
//! more), a length before each state (numbers with large holes, or a second lookup), a table of full hashes (8 bytes more).

use crate::region::Region;
use crate::{Inserted, Prepared, StateId, StateStore};
use xxhash_rust::xxh3::xxh3_64;

const SLOT_BITS: u32 = 10;
const SLOTS: u32 = 1 << SLOT_BITS;
/// The first chunk of a length has so many, each later one eight times as many as the one before, up to [`SLOTS`].
const FIRST_SLOTS: u32 = 16;
/// No chunk is longer, unless a single state is: long states get fewer slots.
const MAX_CHUNK_BYTES: usize = 1 << 20;
const MAX_SLAB_BYTES: usize = 64 << 20;
const FIRST_SLAB_BYTES: usize = 1 << 20;
const FIRST_TABLE: usize = 1 << 10;

/// Room for [`Chunk::slots`] states of one length.
#[derive(Clone, Copy, Debug)]
struct Chunk {
    slab: u32,
    start: u32,
    state_size: u32,
    slots: u32,
}

/// Where the next state of a length goes.
#[derive(Clone, Copy, Debug)]
struct Filling {
    chunk: u32,
    /// `u32::MAX` as long as there is no chunk.
    next_slot: u32,
}

const NO_CHUNK: Filling = Filling { chunk: u32::MAX, next_slot: u32::MAX };

/// One word of the table: hash in the upper half, number plus one in the lower; 0 is empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry(u64);

impl Entry {
    const EMPTY: Entry = Entry(0);

    fn new(hash: u32, id: StateId) -> Entry {
        Entry((hash as u64) << 32 | (id.0 + 1) as u64)
    }

    #[inline]
    fn hash(self) -> u32 {
        (self.0 >> 32) as u32
    }

    #[inline]
    fn id(self) -> StateId {
        StateId(self.0 as u32 - 1)
    }
}

/// Entries in a region.
#[derive(Debug)]
struct Table {
    words: Region,
    len: usize,
}

impl Table {
    fn new(len: usize) -> Table {
        Table { words: Region::new(len * size_of::<Entry>()), len }
    }

    /// Where the search for a hash starts: the hash as a fraction of the table.
    #[inline]
    fn home(&self, hash: u32) -> usize {
        ((hash as u64 * self.len as u64) >> 32) as usize
    }

    #[inline]
    fn after(&self, at: usize) -> usize {
        if at + 1 == self.len { 0 } else { at + 1 }
    }

    #[inline]
    fn entry(&self, at: usize) -> Entry {
        Entry(self.words.word(at))
    }

    #[inline]
    fn set(&mut self, at: usize, entry: Entry) {
        self.words.set_word(at, entry.0);
    }

    /// How many states it may hold before it has to grow.
    fn capacity(&self) -> u64 {
        self.len as u64 / 4 * 3
    }

    fn next_len(&self) -> usize {
        if self.len < 1 << 20 { self.len * 4 } else { self.len / 2 * 3 }
    }

    fn grown(&self) -> Table {
        let mut table = Table::new(self.next_len());
        for entry in (0..self.len).map(|at| self.entry(at)).filter(|entry| *entry != Entry::EMPTY) {
            let mut at = table.home(entry.hash());
            while table.entry(at) != Entry::EMPTY {
                at = table.after(at);
            }
            table.set(at, entry);
        }
        table
    }
}

/// A store that keeps every byte of every state. States may differ in length; there are numbers for about 2³² states of up to
/// a kilobyte, and for fewer longer ones.
#[derive(Debug)]
pub struct ExactStore {
    slabs: Vec<Region>,
    /// Bytes of the last slab that are given to chunks.
    last_slab_used: usize,
    chunks: Vec<Chunk>,
    /// Indexed by the length of a state.
    filling: Vec<Filling>,
    table: Table,
    len: u64,
    states_bytes: u64,
    reserved_bytes: u64,
}

impl Default for ExactStore {
    fn default() -> Self {
        ExactStore::new()
    }
}

impl ExactStore {
    /// An empty store, which takes 8 KiB.
    pub fn new() -> ExactStore {
        ExactStore {
            slabs: Vec::new(),
            last_slab_used: 0,
            chunks: Vec::new(),
            filling: Vec::new(),
            table: Table::new(FIRST_TABLE),
            len: 0,
            states_bytes: 0,
            reserved_bytes: 0,
        }
    }

    /// The bytes of a state.
    #[inline]
    pub fn get(&self, id: StateId) -> &[u8] {
        let chunk = &self.chunks[(id.0 >> SLOT_BITS) as usize];
        let start = chunk.start as usize + ((id.0 & (SLOTS - 1)) * chunk.state_size) as usize;
        &self.slabs[chunk.slab as usize].bytes()[start..start + chunk.state_size as usize]
    }

    /// Puts the bytes into a slot and returns its number.
    fn append(&mut self, state: &[u8]) -> StateId {
        let size = state.len();
        if size >= self.filling.len() {
            self.filling.resize(size + 1, NO_CHUNK);
        }
        let filling = self.filling[size];
        let filling = match self.chunks.get(filling.chunk as usize) {
            Some(chunk) if filling.next_slot < chunk.slots => filling,
            previous => {
                let slots = previous.map_or(FIRST_SLOTS, |chunk| chunk.slots * 8);
                self.add_chunk(size, slots)
            }
        };
        self.filling[size] = Filling { chunk: filling.chunk, next_slot: filling.next_slot + 1 };
        let chunk = self.chunks[filling.chunk as usize];
        let start = chunk.start as usize + filling.next_slot as usize * size;
        self.slabs[chunk.slab as usize].bytes_mut()[start..start + size].copy_from_slice(state);
        self.states_bytes += size as u64;
        StateId(filling.chunk << SLOT_BITS | filling.next_slot)
    }

    #[cold]
    fn add_chunk(&mut self, state_size: usize, slots: u32) -> Filling {
        assert!((self.chunks.len() as u64) < Self::MAX_CHUNKS, "all state numbers are used up");
        let slots = (MAX_CHUNK_BYTES / state_size.max(1)).clamp(1, slots.min(SLOTS) as usize);
        let bytes = slots * state_size;
        let room = self.slabs.last().map_or(0, |slab| slab.len() - self.last_slab_used);
        if self.slabs.is_empty() || room < bytes {
            let doubled = self.slabs.last().map_or(FIRST_SLAB_BYTES, |slab| slab.len() * 2);
            let slab_bytes = doubled.min(MAX_SLAB_BYTES).max(bytes);
            self.slabs.push(Region::new(slab_bytes));
            self.last_slab_used = 0;
        }
        let chunk = Chunk {
            slab: self.slabs.len() as u32 - 1,
            start: self.last_slab_used as u32,
            state_size: state_size as u32,
            slots: slots as u32,
        };
        self.last_slab_used += bytes;
        self.reserved_bytes += bytes as u64;
        self.chunks.push(chunk);
        Filling { chunk: self.chunks.len() as u32 - 1, next_slot: 0 }
    }

    /// One number less than the table's words can hold: theirs are one higher.
    const MAX_CHUNKS: u64 = (1 << (32 - SLOT_BITS)) - 1;
}

impl StateStore for ExactStore {
    #[inline]
    fn prepare(&self, state: &[u8]) -> Prepared {
        let hash = xxh3_64(state) >> 32;
        Prepared { hash, first: self.table.entry(self.table.home(hash as u32)).0 }
    }

    fn insert_prepared(&mut self, state: &[u8], prepared: Prepared) -> Inserted {
        let hash = prepared.hash as u32;
        // Entries never change nor go away, so this answer stays right whatever was inserted since.
        let first = Entry(prepared.first);
        if first != Entry::EMPTY && first.hash() == hash && self.get(first.id()) == state {
            return Inserted::Known(first.id());
        }
        let mut at = self.table.home(hash);
        loop {
            let entry = self.table.entry(at);
            if entry == Entry::EMPTY {
                break;
            }
            if entry.hash() == hash && self.get(entry.id()) == state {
                return Inserted::Known(entry.id());
            }
            at = self.table.after(at);
        }
        let id = self.append(state);
        self.table.set(at, Entry::new(hash, id));
        self.len += 1;
        if self.len >= self.table.capacity() {
            self.table = self.table.grown();
        }
        Inserted::New(id)
    }

    fn read(&self, id: StateId, buffer: &mut Vec<u8>) {
        buffer.clear();
        buffer.extend_from_slice(self.get(id));
    }

    fn len(&self) -> u64 {
        self.len
    }

    fn is_full(&self) -> bool {
        // Every length may have to begin a chunk of its own.
        self.chunks.len() as u64 + 1 + self.filling.len() as u64 >= Self::MAX_CHUNKS
    }

    fn states_bytes(&self) -> u64 {
        self.states_bytes
    }

    fn auxiliary_bytes(&self) -> u64 {
        let directory =
            self.chunks.capacity() * size_of::<Chunk>() + self.filling.capacity() * size_of::<Filling>();
        let table = self.table.len * size_of::<Entry>();
        let slack = self.reserved_bytes - self.states_bytes;
        (directory + table) as u64 + slack
    }

    fn upcoming_bytes(&self) -> u64 {
        if self.len * 100 < self.table.capacity() * 97 {
            return 0;
        }
        (self.table.next_len() * size_of::<Entry>()) as u64
    }
}
