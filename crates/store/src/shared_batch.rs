//! How the exact store inserts the successors of a state while other threads do the same: the three passes of
//! `batch.rs`, with what may change between them in mind.
//!
//! 1. Hash every state, and prefetch the line of the table where it belongs.
//! 2. Look into that line, and those behind it as long as they are full. If an entry has the tag of the
//!    state's hash, prefetch the bytes of the state that it stands for. If no entry has it, note the first
//!    that is empty.
//! 3. Compare these bytes; or write the state into a slot, and claim the empty entry.
//!
//! What the second pass has seen may be out of date in the third. It does not matter: what is published never
//! changes, so a state that was found is there; and an entry that was empty is claimed in one step, which
//! fails if it is not empty any more. Then, and whenever something is unclear (another state with the same
//! tag, an entry that has its number but not yet its tag), [`publish`] starts again from the home line.
//!
//! Why a claim that succeeds is right: [`publish`] would have come to the same entry. All entries before it
//! had a number when they were looked at, and a tag other than 0, which is final, and not the tag of this
//! state. So none of them is this state, and none will be.
//!
//! All of this holds as well if there is more time between the passes (`announced.rs`), as long as the table
//! does not grow.
//!
//! *What threads wait for.* Each fills chunks of its own, of which it takes many slots at a time
//! (`memory/slots/strips.rs`), and tells how many states it has added not after every state but after
//! [`UNTOLD`] ([`Pen`]). What is left are the lines of the table that two threads want at the same moment,
//! which is rare in a large one.

use crate::announced::{Announced, AnnouncedState};
use crate::bytes::is_same;
use crate::exact::Newcomer;
use crate::hash::StateHash;
use crate::memory::{Block, Share, SharedSlots, Slots, Strips};
use crate::publish::{LineOfEntries, Lines, Published, id_of, number_of, publish};
use crate::table::{Probe, Table};
use crate::{Batch, Inserted, NoRoom};

/// States in a block, as in `batch.rs`.
const BLOCK: usize = 32;
/// So many new states of a thread are not yet counted in the store, at the most, beside those of one batch.
const UNTOLD: u64 = 64;
/// In a table with fewer entries every state counts at once.
const SMALL: u64 = 1 << 17;

/// What one of several threads keeps for itself while it inserts: whose chunks it fills, the slots that it
/// has taken in advance, and how many states it has added that the store has not counted yet.
#[derive(Debug, Default)]
pub struct Pen {
    pub(crate) share: Share,
    pub(crate) strips: Strips,
    pub(crate) untold: u64,
    again: u64,
}

impl Pen {
    /// For one of several threads, which are numbered from 0 on.
    pub fn of_thread(number: usize) -> Pen {
        Pen { share: Share::of_thread(number), ..Pen::default() }
    }

    /// How many states were looked for from their home line on, since this was asked for last: because an
    /// entry was taken by another thread meanwhile, or something was unclear.
    pub fn take_again(&mut self) -> u64 {
        std::mem::take(&mut self.again)
    }

    /// Whether it is time to tell the store how many states were added.
    #[inline]
    pub(crate) fn must_tell(&self, table: &Table) -> bool {
        self.untold >= UNTOLD || self.untold > 0 && table.entries() < SMALL
    }
}

/// Inserts states as long as there is room, and appends what was found of each. `is_refused`: there is none.
/// How many were new is added up in the pen.
pub(crate) fn insert_shared(
    table: &Table,
    slots: &Slots,
    hash: &impl StateHash,
    batch: impl Batch,
    pen: &mut Pen,
    is_refused: bool,
    found: &mut Vec<Inserted>,
) -> Result<(), NoRoom> {
    let all = batch.entries().len();
    if all <= BLOCK {
        return insert_block(table, slots, hash, batch, pen, is_refused, found);
    }
    (0..all).step_by(BLOCK).try_for_each(|first| {
        let block = batch.part(first..all.min(first + BLOCK));
        insert_block(table, slots, hash, block, pen, is_refused, found)
    })
}

/// The same for at most [`BLOCK`] states.
#[inline(always)]
fn insert_block(
    table: &Table,
    slots: &Slots,
    hash: &impl StateHash,
    block: impl Batch,
    pen: &mut Pen,
    is_refused: bool,
    found: &mut Vec<Inserted>,
) -> Result<(), NoRoom> {
    let (mut first, mut second) = (Block::<_, BLOCK>::new(), Block::<_, BLOCK>::new());
    let states = first.map(block.entries(), |entry| first_pass(table, hash, &block, entry));
    let states = second.map(states, |state| second_pass(table, slots, state));
    insert_shared_announced(table, slots, block, states, pen, is_refused, found)
}

/// The first pass over states that will be inserted soon.
#[inline(always)]
pub(crate) fn announce_shared(
    table: &Table,
    epoch: u64,
    hash: &impl StateHash,
    batch: impl Batch,
    announced: &mut Announced,
) {
    announced.announce(epoch, batch.entries(), |entry| first_pass(table, hash, &batch, entry));
}

#[inline(always)]
fn first_pass<B: Batch>(table: &Table, hash: &impl StateHash, batch: &B, entry: &B::Entry) -> AnnouncedState {
    debug_assert_eq!(hash.sum(batch.state(entry)), batch.sum(entry), "another sum for a state");
    let hash = hash.finish(batch.sum(entry));
    let line = table.prefetch_home(hash) as u32;
    AnnouncedState { hash, line, number: 0, vacant: None }
}

/// The second pass over these.
#[inline(always)]
pub(crate) fn probe_shared(table: &Table, slots: &Slots, announced: &mut Announced) {
    announced.probe(|state| *state = second_pass(table, slots, state));
}

#[inline(always)]
fn second_pass(table: &Table, slots: &Slots, state: &AnnouncedState) -> AnnouncedState {
    match table.probe(state.hash, state.line as usize) {
        Probe::Likely(number) => {
            slots.fetch_state(id_of(number));
            AnnouncedState { number, ..*state }
        }
        Probe::Vacant { line, entry } => {
            AnnouncedState { line: line as u32, vacant: Some(entry as u8), ..*state }
        }
        Probe::Unclear => *state,
    }
}

/// The third pass over these, as [`insert_shared`].
#[inline(always)]
pub(crate) fn insert_shared_announced(
    table: &Table,
    slots: &Slots,
    batch: impl Batch,
    announced: &[AnnouncedState],
    pen: &mut Pen,
    is_refused: bool,
    found: &mut Vec<Inserted>,
) -> Result<(), NoRoom> {
    found.reserve(announced.len());
    for (entry, announced) in batch.entries().iter().zip(announced) {
        let state = batch.state(entry);
        let AnnouncedState { hash, line, number, vacant } = *announced;
        let probe = match vacant {
            _ if number != 0 => Probe::Likely(number),
            Some(entry) => Probe::Vacant { line: line as usize, entry: entry as usize },
            // The second pass was left out, or it was in vain.
            None => table.probe(hash, line as usize),
        };
        let inserted = match probe {
            Probe::Likely(number) if is_same(slots.get(id_of(number)), state) => {
                Some(Inserted::Known(id_of(number)))
            }
            Probe::Vacant { line, entry } if !is_refused => {
                claim(table, slots, state, pen, hash, (line, entry))?
            }
            _ => None,
        };
        let inserted = match inserted {
            Some(inserted) => inserted,
            None => look_again(table, slots, state, hash, is_refused, pen)?,
        };
        found.push(inserted);
    }
    Ok(())
}

/// Writes a state, and claims an entry for it; `None` if that is not empty any more.
#[inline(never)]
fn claim(
    table: &Table,
    slots: &Slots,
    state: &[u8],
    pen: &mut Pen,
    hash: u32,
    (line, entry): (usize, usize),
) -> Result<Option<Inserted>, NoRoom> {
    let id = pen.strips.write(slots, pen.share, state).ok_or(NoRoom::Numbers)?;
    let line = table.line(line);
    if line.claim(entry, number_of(id)).is_ok() {
        line.set_hash(entry, hash);
        pen.untold += 1;
        return Ok(Some(Inserted::New(id)));
    }
    pen.strips.take_back(state.len());
    Ok(None)
}

/// Inserts a state of which the passes have found nothing that can be relied on.
#[cold]
fn look_again(
    table: &Table,
    slots: &Slots,
    state: &[u8],
    hash: u32,
    is_refused: bool,
    pen: &mut Pen,
) -> Result<Inserted, NoRoom> {
    pen.again += 1;
    let slots = SharedSlots { slots, share: pen.share };
    let inserted = insert_from_home(table, &slots, state, hash, is_refused)?;
    pen.untold += u64::from(matches!(inserted, Inserted::New(_)));
    Ok(inserted)
}

/// Inserts a state about which only its hash is known.
#[cold]
pub(crate) fn insert_from_home(
    table: &Table,
    slots: &SharedSlots,
    state: &[u8],
    hash: u32,
    is_refused: bool,
) -> Result<Inserted, NoRoom> {
    let newcomer = Newcomer { bytes: state, slots, is_refused };
    match publish(table, table.home(hash), hash, &newcomer) {
        Published::New(id) => Ok(Inserted::New(id)),
        Published::Known(id) => Ok(Inserted::Known(id)),
        Published::NoSlot if !is_refused => Err(NoRoom::Numbers),
        Published::NoSlot | Published::NoEntry => Err(NoRoom::Table),
    }
}
