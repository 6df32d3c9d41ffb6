//! How the exact store inserts the successors of a state: block by block, in three passes over each block.
//!
//! The first pass hashes every state, and asks for its place in the table. The second looks at that place,
//! and asks for the bytes of the state that it probably is. The third compares, and adds what is new. So
//! memory is waited for twice in a block, not twice for each state. What a pass knows goes to the next one on
//! the stack.
//!
//! A state has two or four successors: what is done for a block counts as much as what is done for a state.
//! So there is one function, and all that its loops need are local values: where the table and the chunks
//! begin is not asked again for every state. Room for a whole block is made before the first pass, so that
//! the table never grows between two of them.
//!
//! Of states with the tag of another one only the first is looked at here; whatever is less simple than that
//! (two states in a batch that are the same and new; a line that another state of the batch has filled;
//! different states with one tag) is left to [`publish`], which starts again.

use crate::bytes::is_same;
use crate::exact::{Answer, Newcomer};
use crate::hash::StateHash;
use crate::memory::{Block, ExclusiveLine, ExclusiveSlots, SlotAccess, Slots};
use crate::publish::{Published, id_of, number_of, publish};
use crate::table::{ExclusiveTable, Table, vacant};
use crate::{Batch, Inserted};

/// No processor waits for more places at a time.
pub(crate) const BLOCK: usize = 32;

/// A state of which the hash is known.
#[derive(Clone, Copy)]
struct Hashed<'t> {
    hash: u32,
    /// Where it lies if it is there, or a little before.
    home: &'t ExclusiveLine,
}

/// A state whose place in the table was looked at.
#[derive(Clone, Copy)]
struct Candidate<'t, 's> {
    hash: u32,
    /// What is in the first entry with that hash's tag, if there is one.
    number: u32,
    /// The state with that number, which is probably the same.
    likely: Option<&'s [u8]>,
    /// The line in which the search ended: the tag is nowhere before it, and no line before it has room.
    end: &'t ExclusiveLine,
}

/// Inserts the states of a batch, for which there is room, and tells what was found of each. Gives the number
/// of those that are new.
#[inline(always)]
pub(crate) fn insert_block(
    table: &mut Table,
    slots: &mut Slots,
    hash: &impl StateHash,
    batch: impl Batch,
    found: &mut [impl Answer],
) -> u64 {
    let (table, slots) = (table.exclusive(), slots.exclusive());
    let listed = slots.listed;
    let (mut hashed, mut candidate) = (Block::<_, BLOCK>::new(), Block::<_, BLOCK>::new());
    let hashed = hashed.map(batch.entries(), |entry| {
        debug_assert_eq!(
            hash.sum(batch.state(entry)),
            batch.sum(entry),
            "another sum for {:?}",
            batch.state(entry)
        );
        let hash = hash.finish(batch.sum(entry));
        Hashed { hash, home: table.seek(hash) }
    });
    let candidate = candidate.map(hashed, |&Hashed { hash, home }| {
        let (number, end) = table.find(hash, home);
        Candidate { hash, number, likely: listed.likely(number), end }
    });
    let mut added = 0;
    for ((entry, candidate), found) in batch.entries().iter().zip(candidate).zip(found) {
        let state = batch.state(entry);
        *found = if let Some(likely) = candidate.likely
            && is_same(likely, state)
        {
            Answer::of(Inserted::Known(id_of(candidate.number)))
        } else {
            let inserted = add(table, &slots, state, candidate);
            added += u64::from(bool::of(inserted));
            Answer::of(inserted)
        };
    }
    added
}

/// Adds a state that is probably new.
#[inline(always)]
fn add(table: ExclusiveTable, slots: &ExclusiveSlots, state: &[u8], candidate: &Candidate) -> Inserted {
    let Candidate { hash, likely, end, .. } = *candidate;
    if likely.is_none()
        && let Some(entry) = vacant(end, hash)
        && let Some(slot) = slots.write(state)
    {
        end.set(entry, number_of(slot.id()), hash);
        return Inserted::New(slot.id());
    }
    insert_from_home(table, slots, state, hash)
}

/// Inserts a state about which only its hash is known. There must be room for it.
#[cold]
pub(crate) fn insert_from_home(
    table: ExclusiveTable,
    slots: &ExclusiveSlots,
    state: &[u8],
    hash: u32,
) -> Inserted {
    let newcomer = Newcomer { bytes: state, slots, is_refused: false };
    match publish(&table, table.home(hash), hash, &newcomer) {
        Published::New(id) => Inserted::New(id),
        Published::Known(id) => Inserted::Known(id),
        Published::NoSlot | Published::NoEntry => panic!("all state numbers are used up"),
    }
}
