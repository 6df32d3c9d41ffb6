//! How the exact store inserts the successors of a state: in blocks of up to 32, and two or three passes over
//! each block.
//!
//! 1. Hash every state, and prefetch the line of the table where it belongs.
//! 2. In a large table: look into that line. If an entry has the tag of the state's hash, prefetch the bytes
//!    of the state that the entry stands for: it is probably the same.
//! 3. Compare these bytes; or, if no entry has the tag, add the state, which is new.
//!
//! So the processor waits for memory twice per block, not twice per state. In a table of up to
//! [`SMALL_TABLE`](crate::announced::SMALL_TABLE) bytes the second pass costs more than it saves: the third
//! one looks into the line, and the processor goes on to the next states while it waits for bytes. What a
//! pass found out is kept for the next one. Room for a whole block is made before the last pass, so the table
//! never grows within it.
//!
//! A search that has something else to do between the passes lets them be done one by one (`announced.rs`).
//!
//! The last pass looks into the line again, if nothing was found there before: so it does not matter what was
//! added meanwhile. It handles only what is simple and frequent. Two cases are left to [`publish`], which
//! starts again from the state's home line: another state with the same tag; a chunk of states that is not
//! listed, because it is full, or was begun in this block.
//!
//! Most states have two to four successors, so what is done per block costs as much as what is done per
//! state. That is why there is one function with local values only, and what is done for new states is
//! another.

use crate::announced::{Announced, AnnouncedState, MOST};
use crate::exact::{Answer, Newcomer};
use crate::hash::StateHash;
use crate::memory::{Block, ExclusiveLine, ExclusiveSlots, Slots};
use crate::publish::{Published, id_of, number_of, publish};
use crate::table::{ExclusiveTable, Table};
use crate::{Batch, Inserted, StateId};

/// States in a block: no processor waits for more places at a time.
pub(crate) const BLOCK: usize = MOST;

/// The first pass over states that will be inserted soon.
#[inline(always)]
pub(crate) fn announce(
    table: ExclusiveTable,
    epoch: u64,
    hash: &impl StateHash,
    batch: impl Batch,
    announced: &mut Announced,
) {
    announced.announce(epoch, batch.entries(), |entry| first_pass(table, hash, &batch, entry));
}

#[inline(always)]
fn first_pass<B: Batch>(
    table: ExclusiveTable,
    hash: &impl StateHash,
    batch: &B,
    entry: &B::Entry,
) -> AnnouncedState {
    debug_assert_eq!(hash.sum(batch.state(entry)), batch.sum(entry), "another sum for a state");
    let hash = hash.finish(batch.sum(entry));
    let line = table.prefetch_home(hash) as u32;
    AnnouncedState { hash, line, number: 0, vacant: None }
}

/// The second pass over these.
#[inline(always)]
pub(crate) fn probe_announced(table: ExclusiveTable, slots: ExclusiveSlots, announced: &mut Announced) {
    announced.probe(|state| *state = second_pass(table, slots, state));
}

#[inline(always)]
fn second_pass(table: ExclusiveTable, slots: ExclusiveSlots, state: &AnnouncedState) -> AnnouncedState {
    let (number, line) = table.find_from(state.hash, state.line as usize);
    slots.fetch(number);
    AnnouncedState { number, line: line as u32, ..*state }
}

/// Inserts the states of a batch, for which there is room, and tells what was found of each. Gives the number
/// of those that are new. `probes`: the table is so large that the second pass is worth while.
#[inline(always)]
pub(crate) fn insert_block(
    table: &mut Table,
    slots: &mut Slots,
    hash: &impl StateHash,
    batch: impl Batch,
    probes: bool,
    found: &mut [impl Answer],
) -> u64 {
    let (table, slots) = (table.exclusive(), slots.exclusive());
    let (mut first, mut second) = (Block::<_, BLOCK>::new(), Block::<_, BLOCK>::new());
    let mut states = first.map(batch.entries(), |entry| first_pass(table, hash, &batch, entry));
    if probes {
        states = second.map(states, |state| second_pass(table, slots, state));
    }
    insert(table, slots, batch, states, found)
}

/// The third pass over the states of a batch, for which there is room. Gives the number of those that are
/// new.
#[inline(always)]
pub(crate) fn insert(
    table: ExclusiveTable,
    slots: ExclusiveSlots,
    batch: impl Batch,
    states: &[AnnouncedState],
    found: &mut [impl Answer],
) -> u64 {
    let mut added = 0;
    for ((entry, announced), found) in batch.entries().iter().zip(states).zip(found) {
        let state = batch.state(entry);
        let AnnouncedState { hash, line, mut number, .. } = *announced;
        if number == 0 {
            let end;
            (number, end) = table.find(hash, line as usize);
            if number == 0
                && let Some(id) = add(slots, state, hash, end)
            {
                *found = Answer::of(Inserted::New(id));
                added += 1;
                continue;
            }
        }
        *found = if number != 0 && slots.is(number, state) {
            Answer::of(Inserted::Known(id_of(number)))
        } else {
            let inserted = insert_from_home(table, slots, state, hash);
            added += u64::from(bool::of(inserted));
            Answer::of(inserted)
        };
    }
    added
}

/// Adds a state that is new: its tag is nowhere from its home line on up to this one, which has room. `None`
/// if there is no room in the chunks that are listed. A call, so that what is done for all states has the
/// registers for itself.
#[inline(never)]
fn add(slots: ExclusiveSlots, state: &[u8], hash: u32, line: &ExclusiveLine) -> Option<StateId> {
    let entry = line.first_vacant();
    let id = slots.write_listed(state)?.id();
    line.set(entry, number_of(id), hash);
    Some(id)
}

/// Inserts a state about which only its hash is known. There must be room for it.
#[cold]
pub(crate) fn insert_from_home(
    table: ExclusiveTable,
    slots: ExclusiveSlots,
    state: &[u8],
    hash: u32,
) -> Inserted {
    let newcomer = Newcomer { bytes: state, slots: &slots, is_refused: false };
    match publish(&table, table.home(hash), hash, &newcomer) {
        Published::New(id) => Inserted::New(id),
        Published::Known(id) => Inserted::Known(id),
        Published::NoSlot | Published::NoEntry => panic!("all state numbers are used up"),
    }
}
