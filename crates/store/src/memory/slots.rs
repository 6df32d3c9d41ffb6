//! Where the bytes of states lie: slots, in chunks, in slabs.
//!
//! A *chunk* is room for up to 1024 states of one length; a state's number is its chunk's number and its
//! slot. So neither lengths nor offsets are kept per state, and the bytes of a state are found with one look
//! into the list of chunks, which is small. A model has few state lengths (they differ only where processes
//! and channels come and go), so few chunks are partly empty, and the first ones of a length are small, so
//! that a length of its own costs little. Chunks are cut from *slabs* of up to 64 MiB that are never moved or
//! copied. They start at a boundary of 64 bytes, so that a state of 64 bytes is one cache line.
//!
//! Threads take slots by counting ([`take`]), without a lock, and many at a time ([`Strips`]). Only who finds
//! a chunk full takes the lock, and begins a new one. Whatever its length, a state may lie in any chunk of
//! that length: so threads that insert at the same time fill chunks of their own ([`Share`]), and do not wait
//! for each other's counters. (Long states are rare, and have one chunk for all.)
//!
//! Who may touch which bytes: a slot's bytes are written by the thread that took the slot, before anyone else
//! knows its number, and never again. They are read by those who know the number. A number is known to the
//! thread that took it, and to others by an entry of the table (or by another message between threads) that
//! was written after the bytes.

use super::huge_pages::{ask_for_huge_pages, put_together};
use super::{map, prefetch};
use crate::StateId;
use crate::bytes::{copy, is_same};
use crate::directory::Directory;
use crate::publish::{Exclusive, Filling, Shared, Sharing, give_back, take};
use memmap2::MmapRaw;
use std::collections::VecDeque;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use strips::Mark;

mod strips;

pub(crate) use strips::Strips;

const SLOT_BITS: u32 = 10;
const SLOTS: u32 = 1 << SLOT_BITS;
/// The first chunk of a length has so many, each later one eight times as many as the one before, up to
/// [`SLOTS`].
const FIRST_SLOTS: u32 = 16;
/// No chunk is longer, unless a single state is: long states get fewer slots.
const MAX_CHUNK_BYTES: usize = 1 << 20;
const MAX_SLAB_BYTES: usize = 64 << 20;
const FIRST_SLAB_BYTES: usize = 1 << 20;
const ALIGNMENT: usize = 64;
/// One number less than 32 bits have: those in the table are one higher.
const MAX_CHUNKS: u32 = (1 << (32 - SLOT_BITS)) - 1;
/// Lengths whose fillings lie together.
const LENGTH_GROUP: usize = 256;
/// There is room for so many more chunks in the list of the first ones, at the least.
const SPARE_CHUNKS: usize = 1 << 10;
/// So many threads fill chunks of their own; of more, some share.
const SHARES: usize = 16;

/// Which chunks a thread fills. Several threads may have the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Share(usize);

impl Share {
    pub fn of_thread(number: usize) -> Share {
        Share(number % SHARES)
    }
}

/// Room for some states of one length. Written once, `base` last; without a base there is no chunk.
#[derive(Debug, Default)]
struct Chunk {
    base: AtomicPtr<u8>,
    state_size: AtomicU32,
    slots: AtomicU32,
}

impl Chunk {
    fn copy(&self) -> Chunk {
        Chunk {
            base: AtomicPtr::new(self.base.load(Ordering::Acquire)),
            state_size: AtomicU32::new(self.state_size.load(Ordering::Relaxed)),
            slots: AtomicU32::new(self.slots()),
        }
    }

    /// There are so many slots from now on.
    fn begin(&self, base: *mut u8, state_size: usize, slots: usize) {
        self.state_size.store(state_size as u32, Ordering::Relaxed);
        self.slots.store(slots as u32, Ordering::Relaxed);
        self.base.store(base, Ordering::Release);
    }

    #[inline]
    fn slots(&self) -> u32 {
        self.slots.load(Ordering::Relaxed)
    }

    /// Where the state in a slot lies, and how long it is; `None` if there is no such slot.
    #[inline]
    fn place(&self, slot: u32) -> Option<(*mut u8, usize)> {
        let base = self.base.load(Ordering::Acquire);
        if base.is_null() || slot >= self.slots() {
            return None;
        }
        let size = self.state_size.load(Ordering::Relaxed) as usize;
        Some((base.wrapping_add(slot as usize * size), size))
    }
}

#[inline]
fn prefetch_state(start: *const u8, size: usize) {
    prefetch(start);
    // The processor sees for itself how a long state goes on.
    prefetch(start.wrapping_add(size.min(ALIGNMENT + 1)).wrapping_sub(1));
}

#[cold]
fn no_such_state(id: StateId) -> ! {
    panic!("no state has the number {}", id.0)
}

/// For each of some lengths, a [`Filling`].
#[derive(Debug)]
struct LengthGroup([AtomicU64; LENGTH_GROUP]);

impl LengthGroup {
    fn new() -> Box<LengthGroup> {
        Box::new(LengthGroup([const { AtomicU64::new(0) }; LENGTH_GROUP]))
    }
}

/// What only one thread at a time may change.
#[derive(Debug, Default)]
struct Reserve {
    slabs: Vec<MmapRaw>,
    /// Bytes of the last slab that are given to chunks.
    last_slab_used: usize,
    /// Of these, those of which the pages were put together.
    last_slab_settled: usize,
}

/// A slot that the thread has taken, with a state in it, of which nobody else knows.
#[derive(Debug)]
pub(crate) struct Taken(Filling);

impl Taken {
    #[inline]
    pub fn id(&self) -> StateId {
        StateId(self.0.chunk << SLOT_BITS | self.0.next)
    }
}

#[derive(Debug)]
pub(crate) struct Slots {
    chunks: Directory<Chunk>,
    /// The first chunks once more, and room for some that are not there yet: made when somebody last had the
    /// slots alone. One look is enough to find one.
    first_chunks: Vec<Chunk>,
    /// The first lengths, which are those of nearly all states.
    short: Box<LengthGroup>,
    /// The same for further threads.
    further: [OnceLock<Box<LengthGroup>>; SHARES - 1],
    /// All others, if there are any.
    long: OnceLock<Directory<OnceLock<Box<LengthGroup>>>>,
    reserve: Mutex<Reserve>,
    chunk_count: AtomicU32,
    /// Lengths that have a chunk.
    length_count: AtomicU32,
    max_chunks: u32,
    /// These slots, and no others.
    mark: Arc<Mark>,
    reserved_bytes: AtomicU64,
    /// Of the slots that were taken in chunks that are no longer filled.
    closed_bytes: AtomicU64,
    /// Of slots that were taken and could not be given back.
    unused_bytes: AtomicU64,
}

impl Slots {
    pub fn new() -> Slots {
        Slots::with_max_chunks(MAX_CHUNKS)
    }

    pub fn with_max_chunks(max_chunks: u32) -> Slots {
        Slots {
            chunks: Directory::new(),
            first_chunks: Vec::new(),
            short: LengthGroup::new(),
            further: [const { OnceLock::new() }; SHARES - 1],
            long: OnceLock::new(),
            reserve: Mutex::default(),
            chunk_count: AtomicU32::new(0),
            length_count: AtomicU32::new(0),
            max_chunks: max_chunks.min(MAX_CHUNKS),
            mark: Arc::default(),
            reserved_bytes: AtomicU64::new(0),
            closed_bytes: AtomicU64::new(0),
            unused_bytes: AtomicU64::new(0),
        }
    }

    #[inline]
    fn chunk(&self, number: u32) -> Option<&Chunk> {
        match self.first_chunks.get(number as usize) {
            None => self.later_chunk(number),
            first => first,
        }
    }

    #[cold]
    fn later_chunk(&self, number: u32) -> Option<&Chunk> {
        self.chunks.get(number)
    }

    /// Where a state lies, and how long it is. The number must be one that was taken.
    #[inline]
    fn place(&self, id: StateId) -> (*mut u8, usize) {
        let chunk = self.chunk(id.0 >> SLOT_BITS);
        chunk.and_then(|chunk| chunk.place(id.0 & (SLOTS - 1))).unwrap_or_else(|| no_such_state(id))
    }

    /// The bytes of a state. The number must be known from an insertion into this store.
    #[inline]
    pub fn get(&self, id: StateId) -> &[u8] {
        let (start, size) = self.place(id);
        // SAFETY: the slot lies within its chunk, the chunk within a slab that lives as long as `self`. Its
        // bytes were written before the number became known, and will not be written again.
        unsafe { std::slice::from_raw_parts(start, size) }
    }

    /// Begins to load the bytes of a state.
    #[inline]
    pub fn fetch_state(&self, StateId(id): StateId) {
        let Some(chunk) = self.chunk(id >> SLOT_BITS) else { return };
        let size = chunk.state_size.load(Ordering::Relaxed) as usize;
        let base = chunk.base.load(Ordering::Relaxed);
        prefetch_state(base.wrapping_add((id & (SLOTS - 1)) as usize * size), size);
    }

    /// Writes a state into a slot of its own; `None` if there are no numbers left.
    #[inline]
    pub fn write(&self, share: Share, state: &[u8]) -> Option<Taken> {
        // SAFETY: `Shared` is what several threads need.
        unsafe { self.write_as::<Shared>(share, state) }
    }

    /// For the one thread that has them.
    #[inline]
    pub fn exclusive(&mut self) -> ExclusiveSlots<'_> {
        self.list_new_chunks();
        ExclusiveSlots { slots: self, not_send: PhantomData }
    }

    /// Chunks that several threads have begun become as quick to find as others.
    #[inline]
    pub fn list_new_chunks(&mut self) {
        if self.first_chunks.len() < *self.chunk_count.get_mut() as usize {
            self.list_chunks(SPARE_CHUNKS);
        }
    }

    /// The same, and half as many that may be begun soon.
    pub fn list_chunks_to_come(&mut self) {
        let count = *self.chunk_count.get_mut() as usize;
        if self.first_chunks.len() < count + (count / 2).max(SPARE_CHUNKS / 2) {
            self.list_chunks(count.max(SPARE_CHUNKS));
        }
    }

    #[cold]
    fn list_chunks(&mut self, spare: usize) {
        let (listed, count) = (self.first_chunks.len(), *self.chunk_count.get_mut());
        let missing = listed as u32..count;
        self.first_chunks.extend(missing.map_while(|number| self.chunks.get(number)).map(Chunk::copy));
        let spare = spare.min((self.max_chunks - count) as usize);
        self.first_chunks.resize_with(count as usize + spare, Chunk::default);
    }

    /// # Safety
    /// With [`Exclusive`], no other thread may write at the same time.
    #[inline(always)]
    unsafe fn write_as<S: Sharing>(&self, share: Share, state: &[u8]) -> Option<Taken> {
        let filling = self.filling(share, state.len())?;
        let mut chunk = None;
        let taken = loop {
            let slots = |number| {
                chunk = self.chunk(number);
                chunk.map_or(0, Chunk::slots)
            };
            match take::<S, _>(filling, slots) {
                Ok(taken) => break Taken(taken),
                Err(seen) => self.add_chunk(state.len(), filling, seen)?,
            }
        };
        // The chunk that `take` has asked about last is the one it has taken a slot of.
        let place = chunk.and_then(|chunk| chunk.place(taken.0.next));
        let (start, size) = place.unwrap_or_else(|| no_such_state(taken.id()));
        // SAFETY: the slot lies within its chunk, the chunk within a slab that lives as long as `self`, whose
        // bytes were 0 at first. `take` gives a slot to one thread only, so that nobody else writes there,
        // and nobody reads, as the number is not known yet. If another thread had it before, then it gave it
        // back after its last write.
        let slot = unsafe { std::slice::from_raw_parts_mut(start, size) };
        copy(state, slot);
        Some(taken)
    }

    /// Tells of states, in the order of their numbers, and gives back the memory of those that were told of.
    /// The numbers must be known from insertions into this store.
    pub fn drain(mut self, ids: impl Iterator<Item = StateId>, mut each: impl FnMut(StateId, &[u8])) {
        let reserve = self.reserve.get_mut().unwrap_or_else(PoisonError::into_inner);
        let mut slabs = VecDeque::from(std::mem::take(&mut reserve.slabs));
        for id in ids {
            let (start, size) = self.place(id);
            let has_it = |slab: &MmapRaw| {
                slab.as_ptr() as usize <= start as usize
                    && start as usize + size <= slab.as_ptr() as usize + slab.len()
            };
            // Chunks were cut in the order of their numbers: slabs before that of this state are done with.
            while slabs.front().is_some_and(|slab| !has_it(slab)) {
                slabs.pop_front();
            }
            if slabs.is_empty() {
                no_such_state(id);
            }
            // SAFETY: the slot lies within the first of the slabs that are left, and was written before its
            // number became known.
            each(id, unsafe { std::slice::from_raw_parts(start, size) });
        }
    }

    /// A slot that turned out not to be needed.
    #[cold]
    pub fn give_back(&self, share: Share, taken: Taken) {
        let size = self.place(taken.id()).1;
        if let Some(filling) = self.filling(share, size)
            && !give_back(filling, taken.0, 1)
        {
            self.unused_bytes.fetch_add(size as u64, Ordering::Relaxed);
        }
    }

    /// `None` for lengths that no number of 32 bits can express.
    #[inline]
    fn filling(&self, Share(share): Share, size: usize) -> Option<&AtomicU64> {
        let short = match share.checked_sub(1) {
            None => &self.short,
            Some(further) => self.further[further].get_or_init(LengthGroup::new),
        };
        match short.0.get(size) {
            None => self.long_filling(size),
            short => short,
        }
    }

    #[inline(never)]
    fn long_filling(&self, size: usize) -> Option<&AtomicU64> {
        let size = u32::try_from(size).ok()? as usize;
        let group = self.long.get_or_init(Directory::new).get_or_make((size / LENGTH_GROUP) as u32)?;
        Some(&group.get_or_init(LengthGroup::new).0[size % LENGTH_GROUP])
    }

    /// The fillings of lengths, in groups, with the number of each group.
    fn length_groups(&self) -> impl Iterator<Item = (u64, &LengthGroup)> {
        let long = self.long.get().into_iter().flat_map(Directory::iter);
        let long = long.filter_map(|(number, group)| Some((number, &**group.get()?)));
        let further = self.further.iter().filter_map(|group| Some((0, &**group.get()?)));
        std::iter::once((0, &*self.short)).chain(further).chain(long)
    }

    /// Begins a new chunk, unless another thread has done so since the full one was `seen`.
    #[cold]
    fn add_chunk(&self, state_size: usize, filling: &AtomicU64, seen: Option<Filling>) -> Option<()> {
        let mut reserve = self.reserve.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Filling::from_word(filling.load(Ordering::Acquire));
        if now.map(|now| now.chunk) != seen.map(|seen| seen.chunk) {
            return Some(());
        }
        let number = self.chunk_count.load(Ordering::Relaxed);
        if number >= self.max_chunks {
            return None;
        }
        let chunk = self.chunks.get_or_make(number)?;
        let previous = now.and_then(|now| self.chunks.get(now.chunk)).map(Chunk::slots);
        let slots = previous.map_or(FIRST_SLOTS, |slots| slots.saturating_mul(8)).min(SLOTS);
        let slots = (MAX_CHUNK_BYTES / state_size.max(1)).clamp(1, slots as usize);
        let bytes = (slots * state_size).next_multiple_of(ALIGNMENT).max(ALIGNMENT);
        let base = reserve.cut(bytes);
        self.reserved_bytes.fetch_add(bytes as u64, Ordering::Relaxed);
        if previous.is_none() {
            self.length_count.fetch_add(1, Ordering::Relaxed);
        }
        let listed = self.first_chunks.get(number as usize);
        [Some(chunk), listed].into_iter().flatten().for_each(|chunk| chunk.begin(base, state_size, slots));
        self.chunk_count.store(number + 1, Ordering::Relaxed);
        // A slot of the full chunk may have been given back just now; then it is not among those that count.
        let closed = filling.swap(Filling { chunk: number, next: 0 }.word(), Ordering::AcqRel);
        let closed = Filling::from_word(closed).map_or(0, |closed| closed.next as u64);
        self.closed_bytes.fetch_add(closed * state_size as u64, Ordering::Relaxed);
        Some(())
    }

    /// Whether numbers are so few that a search should stop: every length may have to begin a chunk of its
    /// own, and some time may pass before the search looks again.
    pub fn is_full(&self) -> bool {
        let spare = self.length_count.load(Ordering::Relaxed) as u64 + 1 + self.max_chunks as u64 / 64;
        self.chunk_count.load(Ordering::Relaxed) as u64 + spare >= self.max_chunks as u64
    }

    /// Bytes of chunks, with states in them or not.
    pub fn reserved_bytes(&self) -> u64 {
        self.reserved_bytes.load(Ordering::Relaxed)
    }

    /// Bytes of the states, counted from the slots that are taken; exact while no thread is about to insert
    /// one.
    pub fn states_bytes(&self) -> u64 {
        let mut bytes = self.closed_bytes.load(Ordering::Relaxed);
        for (group, lengths) in self.length_groups() {
            for (length, filling) in (group * LENGTH_GROUP as u64..).zip(&lengths.0) {
                let next =
                    Filling::from_word(filling.load(Ordering::Relaxed)).map_or(0, |filling| filling.next);
                bytes += next as u64 * length;
            }
        }
        bytes.saturating_sub(self.unused_bytes.load(Ordering::Relaxed))
    }

    pub fn directory_bytes(&self) -> u64 {
        let groups = self.length_groups().count() * size_of::<LengthGroup>()
            + self.first_chunks.capacity() * size_of::<Chunk>();
        self.chunks.bytes() + self.long.get().map_or(0, Directory::bytes) + groups as u64
    }
}

/// Slots that nobody else has: made from an exclusive reference, and not to be given to another thread.
#[derive(Clone, Copy)]
pub(crate) struct ExclusiveSlots<'a> {
    slots: &'a Slots,
    not_send: PhantomData<*const ()>,
}

/// Of the chunks, only those are looked at that were there when the slots became somebody's own.
impl ExclusiveSlots<'_> {
    /// Begins to load the bytes of the state that a number in the table stands for. 0 is the number of an
    /// empty entry: which it is can hardly be foreseen, so there is no branch, and something is loaded for it
    /// too.
    #[inline]
    pub fn fetch(self, number: u32) {
        let id = number.saturating_sub(1);
        if let Some((start, size)) = self.place(id >> SLOT_BITS, id & (SLOTS - 1)) {
            prefetch_state(start, size);
        }
    }

    /// Whether it is the state that a number in the table stands for, which is not 0; false if its chunk is
    /// not listed.
    #[inline(always)]
    pub fn is(self, number: u32, state: &[u8]) -> bool {
        let id = number.wrapping_sub(1);
        let Some((start, size)) = self.place(id >> SLOT_BITS, id & (SLOTS - 1)) else { return false };
        // SAFETY: as in `Slots::get`.
        is_same(unsafe { std::slice::from_raw_parts(start, size) }, state)
    }

    /// Writes a state into a chunk that is listed; `None` if there is none for it, or it is full.
    #[inline(always)]
    pub fn write_listed(self, state: &[u8]) -> Option<Taken> {
        let filling = self.slots.short.0.get(state.len())?;
        let word = filling.load(Ordering::Relaxed);
        let now = Filling::from_word(word)?;
        let (start, size) = self.place(now.chunk, now.next)?;
        // The next slot is in the lower half.
        filling.store(word + 1, Ordering::Relaxed);
        // SAFETY: as in `write_as`, and nobody else takes slots.
        copy(state, unsafe { std::slice::from_raw_parts_mut(start, size) });
        Some(Taken(now))
    }

    /// As [`Chunk::place`]; but whatever is listed has a base.
    #[inline]
    fn place(self, chunk: u32, slot: u32) -> Option<(*mut u8, usize)> {
        let chunk = self.slots.first_chunks.get(chunk as usize)?;
        let size = chunk.state_size.load(Ordering::Relaxed) as usize;
        let start = chunk.base.load(Ordering::Relaxed).wrapping_add(slot as usize * size);
        (slot < chunk.slots()).then_some((start, size))
    }
}

/// What an insertion does with slots.
pub(crate) trait SlotAccess {
    fn slots(&self) -> &Slots;

    fn write(&self, state: &[u8]) -> Option<Taken>;

    fn give_back(&self, taken: Taken);
}

/// Slots for one of several threads.
pub(crate) struct SharedSlots<'a> {
    pub slots: &'a Slots,
    pub share: Share,
}

impl SlotAccess for SharedSlots<'_> {
    #[inline]
    fn slots(&self) -> &Slots {
        self.slots
    }

    #[inline]
    fn write(&self, state: &[u8]) -> Option<Taken> {
        self.slots.write(self.share, state)
    }

    fn give_back(&self, taken: Taken) {
        self.slots.give_back(self.share, taken);
    }
}

impl SlotAccess for ExclusiveSlots<'_> {
    #[inline]
    fn slots(&self) -> &Slots {
        self.slots
    }

    #[inline]
    fn write(&self, state: &[u8]) -> Option<Taken> {
        self.write_listed(state).or_else(|| self.write_elsewhere(state))
    }

    fn give_back(&self, taken: Taken) {
        self.slots.give_back(Share::default(), taken);
    }
}

impl ExclusiveSlots<'_> {
    #[cold]
    fn write_elsewhere(self, state: &[u8]) -> Option<Taken> {
        // SAFETY: as long as `self` is there, nobody else has the slots; and `self` and its copies stay with
        // one thread, as they are neither `Send` nor `Sync`.
        unsafe { self.slots.write_as::<Exclusive>(Share::default(), state) }
    }
}

impl Reserve {
    /// Cuts so many bytes, a multiple of [`ALIGNMENT`], from the last slab, or from a new one.
    fn cut(&mut self, bytes: usize) -> *mut u8 {
        let room = self.slabs.last().map_or(0, |slab| slab.len() - self.last_slab_used);
        if room < bytes {
            let doubled = self.slabs.last().map_or(FIRST_SLAB_BYTES, |slab| slab.len() * 2);
            let slab = map(doubled.min(MAX_SLAB_BYTES).max(bytes));
            // What is not used of its last huge page does not count beside a large one.
            if slab.len() >= MAX_SLAB_BYTES {
                ask_for_huge_pages(&slab, 0..slab.len());
            }
            if let Some(full) = self.slabs.last() {
                put_together(full, self.last_slab_settled..full.len());
            }
            self.slabs.push(slab);
            (self.last_slab_used, self.last_slab_settled) = (0, 0);
        }
        let start = self.last_slab_used;
        self.last_slab_used += bytes;
        if let Some(slab) = self.slabs.last().filter(|slab| slab.len() < MAX_SLAB_BYTES) {
            self.last_slab_settled = put_together(slab, self.last_slab_settled..start);
        }
        self.slabs.last().map_or(std::ptr::null_mut(), |slab| slab.as_mut_ptr().wrapping_add(start))
    }
}

#[cfg(test)]
mod tests;
