//! How the exact store inserts the successors of a state: in blocks of up to 32, and three passes over each
//! block.
//!
//! 1. Hash every state, and prefetch the line of the table where it belongs.
//! 2. Look into that line. If an entry has the tag of the state's hash, prefetch the bytes of the state that
//!    the entry stands for: it is probably the same.
//! 3. Compare these bytes, and add the state if it is new.
//!
//! So the processor waits for memory twice per block, not twice per state. What a pass found out is kept in
//! an array on the stack for the next one. Room for a whole block is made before the first pass, so the table
//! never grows between two passes.
//!
//! A search that has something else to do between the passes lets them be done one by one (`announced.rs`).
//!
//! These passes handle only what is simple and frequent. Three cases are left to [`publish`], which starts
//! again from the state's home line: another state with the same tag; a state that is new and occurs twice in
//! the batch; a line that another state of the batch has filled meanwhile.
//!
//! Most states have two to four successors, so what is done per block costs as much as what is done per
//! state. That is why there is one function with local values only: where the table and the chunks begin is
//! loaded once per block.

use crate::announced::{Announced, AnnouncedState, MOST};
use crate::bytes::is_same;
use crate::exact::{Answer, Newcomer};
use crate::hash::StateHash;
use crate::memory::{Block, ExclusiveLine, ExclusiveSlots, SlotAccess, Slots};
use crate::publish::{Published, id_of, number_of, publish};
use crate::table::{ExclusiveTable, Table, vacant};
use crate::{Batch, Inserted};

/// States in a block: no processor waits for more places at a time.
pub(crate) const BLOCK: usize = MOST;

/// What the first pass knows of a state.
#[derive(Clone, Copy)]
struct Hashed<'t> {
    hash: u32,
    /// The line where the search for it begins.
    home: &'t ExclusiveLine,
}

/// What the second pass knows of a state.
#[derive(Clone, Copy)]
struct Probed<'t, 's> {
    hash: u32,
    /// What is in the first entry with that hash's tag, if there is one.
    number: u32,
    /// The bytes of the state with that number, which is probably the same.
    likely: Option<&'s [u8]>,
    /// The line in which the search ended: the tag is nowhere before it, and no line before it has room.
    end: &'t ExclusiveLine,
}

/// The first pass over states that will be inserted soon.
#[inline(always)]
pub(crate) fn announce(
    table: ExclusiveTable,
    epoch: u64,
    hash: &impl StateHash,
    batch: impl Batch,
    announced: &mut Announced,
) {
    announced.announce(epoch, batch.entries(), |entry| {
        debug_assert_eq!(hash.sum(batch.state(entry)), batch.sum(entry), "another sum for a state");
        let hash = hash.finish(batch.sum(entry));
        let line = table.prefetch_home(hash) as u32;
        AnnouncedState { hash, line, number: 0, vacant: None }
    });
}

/// The second pass over these.
#[inline(always)]
pub(crate) fn probe_announced(table: ExclusiveTable, slots: &ExclusiveSlots, announced: &mut Announced) {
    announced.probe(|state| {
        let (number, line) = table.find_from(state.hash, state.line as usize);
        (state.number, state.line) = (number, line as u32);
        slots.listed.likely(number);
    });
}

/// The third pass over these: inserts them as [`insert_block`] does. `None` if the other passes were not
/// done, or are out of date.
#[inline(always)]
pub(crate) fn insert_announced(
    table: &mut Table,
    slots: &mut Slots,
    batch: impl Batch,
    (announced, epoch): (&Announced, u64),
    found: &mut [impl Answer],
) -> Option<u64> {
    let announced = announced.probed(epoch, batch.entries().len())?;
    let (table, slots) = (table.exclusive(), slots.exclusive());
    let mut added = 0;
    for ((entry, announced), found) in batch.entries().iter().zip(announced).zip(found) {
        let state = batch.state(entry);
        let AnnouncedState { hash, line, number, .. } = *announced;
        *found = match slots.listed.of_number(number) {
            Some(likely) if is_same(likely, state) => Answer::of(Inserted::Known(id_of(number))),
            likely => {
                let probed = Probed { hash, number, likely, end: table.line(line as usize) };
                let inserted = add(table, &slots, state, &probed);
                added += u64::from(bool::of(inserted));
                Answer::of(inserted)
            }
        };
    }
    Some(added)
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
    let (mut hashed, mut probed) = (Block::<_, BLOCK>::new(), Block::<_, BLOCK>::new());
    let hashed = hashed.map(batch.entries(), |entry| {
        debug_assert_eq!(
            hash.sum(batch.state(entry)),
            batch.sum(entry),
            "another sum for {:?}",
            batch.state(entry)
        );
        let hash = hash.finish(batch.sum(entry));
        Hashed { hash, home: table.home_line(hash) }
    });
    let probed = probed.map(hashed, |&Hashed { hash, home }| {
        let (number, end) = table.find(hash, home);
        Probed { hash, number, likely: listed.likely(number), end }
    });
    let mut added = 0;
    for ((entry, probed), found) in batch.entries().iter().zip(probed).zip(found) {
        let state = batch.state(entry);
        *found = if let Some(likely) = probed.likely
            && is_same(likely, state)
        {
            Answer::of(Inserted::Known(id_of(probed.number)))
        } else {
            let inserted = add(table, &slots, state, probed);
            added += u64::from(bool::of(inserted));
            Answer::of(inserted)
        };
    }
    added
}

/// Adds a state that is probably new.
#[inline(always)]
fn add(table: ExclusiveTable, slots: &ExclusiveSlots, state: &[u8], probed: &Probed) -> Inserted {
    let Probed { hash, likely, end, .. } = *probed;
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
