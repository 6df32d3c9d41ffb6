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
//! *What threads wait for.* Each fills chunks of its own (`memory/slots.rs`), and tells how many states it
//! has added not after every state but after [`UNTOLD`] ([`Pen`]). What is left are the lines of the table
//! that two threads want at the same moment, which is rare in a large one.

use crate::announced::{Announced, AnnouncedState};
use crate::bytes::is_same;
use crate::exact::Newcomer;
use crate::hash::StateHash;
use crate::memory::{Block, Share, SharedSlots, SlotAccess, Slots};
use crate::publish::{LineOfEntries, Lines, Published, id_of, number_of, publish};
use crate::table::{Probe, Table};
use crate::{Batch, Inserted, NoRoom};

/// States in a block, as in `batch.rs`.
const BLOCK: usize = 32;
/// So many new states of a thread are not yet counted in the store, at the most, beside those of one batch.
const UNTOLD: u64 = 64;
/// In a table with fewer entries every state counts at once.
const SMALL: u64 = 1 << 17;

/// What one of several threads keeps for itself while it inserts: whose chunks it fills, and how many states
/// it has added that the store has not counted yet.
#[derive(Debug, Default)]
pub struct Pen {
    pub(crate) share: Share,
    pub(crate) untold: u64,
    again: u64,
}

impl Pen {
    /// For one of several threads, which are numbered from 0 on.
    pub fn of_thread(number: usize) -> Pen {
        Pen { share: Share::of_thread(number), untold: 0, again: 0 }
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

/// What the second pass knows of a state.
#[derive(Clone, Copy)]
struct Probed<'s> {
    hash: u32,
    probe: Probe,
    /// The bytes of the state that is probably the same.
    likely: Option<&'s [u8]>,
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
    let slots = SharedSlots { slots, share: pen.share };
    let all = batch.entries().len();
    found.reserve(all);
    if all <= BLOCK {
        return insert_block(table, &slots, hash, batch, pen, is_refused, found);
    }
    (0..all).step_by(BLOCK).try_for_each(|first| {
        let block = batch.part(first..all.min(first + BLOCK));
        insert_block(table, &slots, hash, block, pen, is_refused, found)
    })
}

/// The same for at most [`BLOCK`] states.
#[inline(always)]
fn insert_block(
    table: &Table,
    slots: &SharedSlots,
    hash: &impl StateHash,
    block: impl Batch,
    pen: &mut Pen,
    is_refused: bool,
    found: &mut Vec<Inserted>,
) -> Result<(), NoRoom> {
    let (mut hashes, mut probes) = (Block::<_, BLOCK>::new(), Block::<_, BLOCK>::new());
    let hashes = hashes.map(block.entries(), |entry| {
        debug_assert_eq!(hash.sum(block.state(entry)), block.sum(entry), "another sum for a state");
        let hash = hash.finish(block.sum(entry));
        table.prefetch_home(hash);
        hash
    });
    let probes = probes.map(hashes, |&hash| {
        let probe = table.probe(hash);
        let likely = match probe {
            Probe::Likely(number) => Some(slots.slots.likely(id_of(number))),
            Probe::Vacant { .. } | Probe::Unclear => None,
        };
        Probed { hash, probe, likely }
    });
    for (entry, probed) in block.entries().iter().zip(probes) {
        found.push(insert_probed(table, slots, block.state(entry), probed, pen, is_refused)?);
    }
    Ok(())
}

/// The third pass over a state.
#[inline(always)]
fn insert_probed(
    table: &Table,
    slots: &SharedSlots,
    state: &[u8],
    probed: &Probed,
    pen: &mut Pen,
    is_refused: bool,
) -> Result<Inserted, NoRoom> {
    let inserted = match probed.probe {
        Probe::Likely(number) if probed.likely.is_some_and(|likely| is_same(likely, state)) => {
            Some(Inserted::Known(id_of(number)))
        }
        Probe::Vacant { line, entry } if !is_refused => claim(table, slots, state, probed.hash, line, entry)?,
        _ => None,
    };
    let inserted = match inserted {
        Some(inserted) => inserted,
        None => {
            pen.again += 1;
            insert_from_home(table, slots, state, probed.hash, is_refused)?
        }
    };
    pen.untold += u64::from(matches!(inserted, Inserted::New(_)));
    Ok(inserted)
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
    announced.announce(epoch, batch.entries(), |entry| {
        debug_assert_eq!(hash.sum(batch.state(entry)), batch.sum(entry), "another sum for a state");
        let hash = hash.finish(batch.sum(entry));
        table.prefetch_home(hash);
        AnnouncedState { hash, line: 0, number: 0, vacant: None }
    });
}

/// The second pass over these.
#[inline(always)]
pub(crate) fn probe_shared(table: &Table, slots: &Slots, announced: &mut Announced) {
    announced.probe(|state| match table.probe(state.hash) {
        Probe::Likely(number) => {
            slots.likely(id_of(number));
            state.number = number;
        }
        Probe::Vacant { line, entry } => (state.line, state.vacant) = (line as u32, Some(entry as u8)),
        Probe::Unclear => {}
    });
}

/// The third pass over these, as [`insert_shared`].
pub(crate) fn insert_shared_announced(
    table: &Table,
    slots: &Slots,
    batch: impl Batch,
    announced: &[AnnouncedState],
    pen: &mut Pen,
    is_refused: bool,
    found: &mut Vec<Inserted>,
) -> Result<(), NoRoom> {
    let slots = SharedSlots { slots, share: pen.share };
    found.reserve(batch.entries().len());
    for (entry, &AnnouncedState { hash, line, number, vacant }) in batch.entries().iter().zip(announced) {
        let (probe, likely) = match vacant {
            _ if number != 0 => (Probe::Likely(number), Some(slots.slots.get(id_of(number)))),
            Some(entry) => (Probe::Vacant { line: line as usize, entry: entry as usize }, None),
            // The second pass was left out, or it was in vain.
            None => match table.probe(hash) {
                Probe::Likely(number) => (Probe::Likely(number), Some(slots.slots.get(id_of(number)))),
                probe => (probe, None),
            },
        };
        let probed = Probed { hash, probe, likely };
        found.push(insert_probed(table, &slots, batch.state(entry), &probed, pen, is_refused)?);
    }
    Ok(())
}

/// Writes a state, and claims an entry for it; `None` if that is not empty any more.
#[inline(always)]
fn claim(
    table: &Table,
    slots: &SharedSlots,
    state: &[u8],
    hash: u32,
    line: usize,
    entry: usize,
) -> Result<Option<Inserted>, NoRoom> {
    let slot = slots.write(state).ok_or(NoRoom::Numbers)?;
    let line = table.line(line);
    if line.claim(entry, number_of(slot.id())).is_ok() {
        line.set_hash(entry, hash);
        return Ok(Some(Inserted::New(slot.id())));
    }
    slots.give_back(slot);
    Ok(None)
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
