//! A store for the states that a search has in its hands at the moment, byte for byte: those on its stack,
//! and the successors that wait there. A search that keeps visited states in a lossy store needs one beside,
//! because what it stands on must be exact.
//!
//! Every insertion counts as one *use* of a state, whether it was there or not. Whoever has done with it
//! gives it back ([`TransientStore::give_back`]); with the last use the state is forgotten, and its number is
//! given to another. So the store is as large as the stack of the search was at its deepest. Whoever gives
//! nothing back has an exact store, if a slow one.
//!
//! Bytes are kept in a list per number, which is used again; so nothing is allocated once the stack has been
//! as deep before. The table of hashes is the standard library's.

use crate::hash::{StateHash, WeightedSums};
use crate::{Batch, Inserted, StateId, StateStore, VisitedSet};
use std::cell::Cell;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

#[derive(Debug, Default)]
struct Slot {
    bytes: Vec<u8>,
    uses: Cell<u32>,
    /// The next state with the same sum; those that are free are linked too.
    next: u32,
}

const NONE: u32 = u32::MAX;

/// A store of states in use.
#[derive(Debug)]
pub struct TransientStore {
    slots: Vec<Slot>,
    /// For each sum, the first state that has it.
    first: HashMap<u64, u32, BuildHasherDefault<Mixer>>,
    free: u32,
    len: u64,
    state_bytes: u64,
    capacity_bytes: u64,
}

/// Sums are hashes already, but for their lower bits.
#[derive(Debug, Default)]
struct Mixer(u64);

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {
        unreachable!("only numbers are hashed");
    }

    fn write_u64(&mut self, sum: u64) {
        let product = u128::from(sum ^ 0x9e37_79b9_7f4a_7c15) * 0xd6e8_feb8_6659_fd93;
        self.0 = product as u64 ^ (product >> 64) as u64;
    }
}

impl Default for TransientStore {
    fn default() -> TransientStore {
        TransientStore::new()
    }
}

impl TransientStore {
    /// An empty store.
    pub fn new() -> TransientStore {
        TransientStore {
            slots: Vec::new(),
            first: HashMap::default(),
            free: NONE,
            len: 0,
            state_bytes: 0,
            capacity_bytes: 0,
        }
    }

    /// The bytes of a state that is in use.
    #[inline]
    pub fn get(&self, id: StateId) -> &[u8] {
        &self.slots[id.index()].bytes
    }

    fn find(&self, state: &[u8], sum: u64) -> Option<u32> {
        let mut at = *self.first.get(&sum)?;
        while at != NONE {
            let slot = &self.slots[at as usize];
            if slot.bytes == state {
                return Some(at);
            }
            at = slot.next;
        }
        None
    }

    fn insert_with(&mut self, state: &[u8], sum: u64) -> Inserted {
        if let Some(at) = self.find(state, sum) {
            self.use_again(StateId(at));
            return Inserted::Known(StateId(at));
        }
        let at = match self.free {
            NONE => {
                assert!(self.slots.len() < NONE as usize, "all state numbers are used up");
                self.slots.push(Slot::default());
                self.slots.len() as u32 - 1
            }
            free => {
                self.free = self.slots[free as usize].next;
                free
            }
        };
        let head = self.first.entry(sum).or_insert(NONE);
        let slot = &mut self.slots[at as usize];
        let before = slot.bytes.capacity();
        slot.bytes.clear();
        slot.bytes.extend_from_slice(state);
        self.capacity_bytes += (slot.bytes.capacity() - before) as u64;
        slot.uses.set(1);
        slot.next = *head;
        *head = at;
        self.len += 1;
        self.state_bytes += state.len() as u64;
        Inserted::New(StateId(at))
    }

    /// One use of a state less; with the last one it is forgotten. Whether it is.
    pub fn give_back(&mut self, id: StateId) -> bool {
        let slot = &mut self.slots[id.index()];
        assert!(slot.uses.get() > 0, "a state was given back more often than it was inserted");
        slot.uses.set(slot.uses.get() - 1);
        if slot.uses.get() > 0 {
            return false;
        }
        let (sum, next) = (WeightedSums.sum(&slot.bytes), slot.next);
        self.state_bytes -= slot.bytes.len() as u64;
        self.len -= 1;
        let head = self.first.get_mut(&sum).expect("a state that is there has a sum that is there");
        if *head == id.0 {
            match next {
                NONE => _ = self.first.remove(&sum),
                next => *head = next,
            }
        } else {
            let mut at = *head;
            while self.slots[at as usize].next != id.0 {
                at = self.slots[at as usize].next;
            }
            self.slots[at as usize].next = next;
        }
        self.slots[id.index()].next = self.free;
        self.free = id.0;
        true
    }
}

impl VisitedSet for TransientStore {
    fn visit(&mut self, state: &[u8]) -> bool {
        matches!(self.insert(state), Inserted::New(_))
    }

    fn contains(&self, state: &[u8]) -> bool {
        self.find(state, WeightedSums.sum(state)).is_some()
    }

    fn clear(&mut self) {
        *self = TransientStore::new();
    }

    fn len(&self) -> u64 {
        self.len
    }

    fn is_full(&self) -> bool {
        self.slots.len() as u64 > u64::from(NONE) - (1 << 20)
    }

    fn states_bytes(&self) -> u64 {
        self.state_bytes
    }

    fn auxiliary_bytes(&self) -> u64 {
        let table = self.first.capacity() * (size_of::<(u64, u32)>() + 1);
        (self.slots.capacity() * size_of::<Slot>() + table) as u64 + self.capacity_bytes - self.state_bytes
    }
}

impl StateStore for TransientStore {
    fn insert(&mut self, state: &[u8]) -> Inserted {
        self.insert_with(state, WeightedSums.sum(state))
    }

    fn insert_all<'r>(&mut self, batch: impl Batch, room: &'r mut Vec<Inserted>) -> &'r [Inserted] {
        room.clear();
        for entry in batch.entries() {
            room.push(self.insert_with(batch.state(entry), batch.sum(entry)));
        }
        room
    }

    fn read(&self, id: StateId, buffer: &mut Vec<u8>) {
        buffer.clear();
        buffer.extend_from_slice(self.get(id));
    }

    fn use_again(&self, id: StateId) {
        let uses = &self.slots[id.index()].uses;
        uses.set(uses.get() + 1);
    }

    #[inline]
    fn bytes_of<'s>(&'s self, id: StateId, _buffer: &'s mut Vec<u8>) -> &'s [u8] {
        self.get(id)
    }

    fn for_each_state(&self, mut each: impl FnMut(StateId, &[u8])) {
        for (id, slot) in self.slots.iter().enumerate().filter(|(_, slot)| slot.uses.get() > 0) {
            each(StateId(id as u32), &slot.bytes);
        }
    }
}
