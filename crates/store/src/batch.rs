//! How the exact store inserts the successors of a state: in three passes, of which the last two go block by block.
//!
//! The first pass hashes every state, and asks for its place in the table ([`seek`]). The second looks at that place, and asks for the bytes of the state
//! that it probably is ([`approach`]). The third compares, and adds what is new ([`settle`]). So memory is waited for twice in a block, not
//! twice for each state. What a pass knows goes to the next one on the stack.
//!
//! Each pass is a function that is never inlined: the loops are so short that it counts whether all they need is in registers. Room for
//! a whole batch is made before the second pass. If the table has grown since the first one, that is done again.
//!
//! Of a state that has the hash of another one only that one is looked at here; whatever is less simple than that (two
//! states in a batch that are the same and new; a line that another state of the batch has filled; different states with one hash) is left to
//! [`publish`], which starts again.

use crate::bytes::is_same;
use crate::exact::Newcomer;
use crate::hash::StateHash;
use crate::memory::{Block, SlotAccess, Slots, SlotsAlone};
use crate::publish::{Alone, Entry, Published, publish};
use crate::table::Table;
use crate::{Batch, Inserted};

/// No processor waits for more places at a time.
pub(crate) const BLOCK: usize = 32;

/// A state of which the hash is known.
#[derive(Clone, Copy, Debug)]
struct Sought {
    hash: u32,
    /// Where it lies if it is there, or a little behind.
    home: u32,
}

/// States that were sought.
#[derive(Debug, Default)]
pub struct SoughtStates {
    list: Vec<Sought>,
    /// Lines of the table then. With others, everything lies elsewhere.
    lines: usize,
}

impl SoughtStates {
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }
}

/// A state whose place in the table was looked at.
#[derive(Clone, Copy)]
struct Approached<'s> {
    /// The state that has the hash, and is therefore probably the same.
    likely: Option<&'s [u8]>,
    /// The entry of that state; if there is none, only the hash counts.
    number: u32,
    hash: u32,
    /// The line in which that one is; or where the hash would be, as it is nowhere before.
    at: u32,
}

/// Asks for the places of all states of a batch.
#[inline(never)]
pub(crate) fn seek<B: Batch + ?Sized>(
    table: &Table,
    hash: &impl StateHash,
    batch: &B,
    sought: &mut SoughtStates,
) {
    sought.lines = table.lines();
    sought.list.clear();
    debug_assert!(batch.states(0).map(|state| hash.sum(state)).eq(batch.sums()), "another sum for a state");
    sought.list.extend(batch.sums().map(|sum| {
        let hash = hash.finish(sum);
        let home = table.home(hash);
        table.fetch(home);
        Sought { hash, home: home as u32 }
    }));
}

/// Inserts the states of a batch, for which there is room, and adds to `found` what was found of each. Gives the number of those that are new.
#[inline]
pub(crate) fn insert_sought<B: Batch + ?Sized>(
    table: &mut Table,
    slots: &mut Slots,
    hash: &impl StateHash,
    batch: &B,
    sought: &mut SoughtStates,
    found: &mut Vec<Inserted>,
) -> u64 {
    if sought.lines != table.lines() {
        seek(table, hash, batch, sought);
    }
    let slots = slots.alone();
    let mut approached = Block::new();
    let mut added = 0;
    let mut start = 0;
    for block in sought.list.chunks(BLOCK) {
        approach(table, slots.slots(), block, &mut approached);
        added += settle(table, &slots, batch.states(start), approached.as_slice(), found);
        start += block.len();
    }
    added
}

#[inline(never)]
fn approach<'s>(
    table: &mut Table,
    slots: &'s Slots,
    sought: &[Sought],
    approached: &mut Block<Approached<'s>, BLOCK>,
) {
    approached.fill(sought.iter().map(|&Sought { hash, home }| {
        let (entry, at) = table.find(home as usize, hash);
        Approached { likely: slots.approach(entry), number: entry.0 as u32, hash, at: at as u32 }
    }));
}

#[inline(never)]
fn settle<'b>(
    table: &mut Table,
    slots: &SlotsAlone,
    states: impl Iterator<Item = &'b [u8]>,
    approached: &[Approached],
    found: &mut Vec<Inserted>,
) -> u64 {
    let mut added = 0;
    found.extend(approached.iter().zip(states).map(|(approached, state)| {
        if let Some(likely) = approached.likely
            && is_same(likely, state)
        {
            return Inserted::Known(Entry(approached.number as u64).id());
        }
        let inserted = add(table, slots, state, approached);
        added += matches!(inserted, Inserted::New(_)) as u64;
        inserted
    }));
    added
}

/// Adds a state that is probably new.
#[inline(never)]
fn add(table: &mut Table, slots: &SlotsAlone, state: &[u8], approached: &Approached) -> Inserted {
    let Approached { likely, hash, at, .. } = *approached;
    // The hash is nowhere before that line, and lines that are full stay as they are.
    if likely.is_none()
        && let Some(word) = table.vacant(at as usize, hash)
        && let Some(slot) = slots.write(state)
    {
        *word = Entry::new(hash, slot.id()).0;
        return Inserted::New(slot.id());
    }
    insert_from_home(table, slots, state, hash)
}

/// Inserts a state about which only its hash is known. There must be room for it.
#[cold]
pub(crate) fn insert_from_home(table: &mut Table, slots: &SlotsAlone, state: &[u8], hash: u32) -> Inserted {
    let newcomer = Newcomer { bytes: state, slots, is_refused: false };
    match publish::<Alone, _, _>(table, table.home(hash), hash, &newcomer) {
        Published::New(id) => Inserted::New(id),
        Published::Known(id) => Inserted::Known(id),
        Published::NoSlot | Published::NoWord => panic!("all state numbers are used up"),
    }
}
