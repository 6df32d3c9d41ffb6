//! What steps do, as replacements of numbers: how effects are written down, and how they are repeated.
//!
//! Effects lie one behind the other in a list of words. Each has a header: the number of successors, twice, and one if something can
//! happen. Then each successor has one: the number of replacements, twice, and one if all numbers in them, old and new, have one byte, as most
//! have. A replacement is a piece and its number.

use super::reference::{KnownPiece, Reference};
use super::remembered::Kept;
use super::{SHORT, replace_number, take_number};
use crate::successors::Entry;
use lariat_store::{StateHash, WeightedSums};

/// Adds what a process has done from the reference: its successors, as they are stored. If one of them has another shape, nothing is added, and this is
/// false. `seen` are the pieces that the process looks at.
pub fn add_effect(
    effects: &mut Vec<u32>,
    reference: &Reference,
    seen: &[u16],
    packed: &[u8],
    entries: &[Entry],
    moved: bool,
) -> bool {
    let Some(plan) = reference.plan.as_deref() else { return false };
    let start = effects.len();
    effects.push((entries.len() as u32) << 1 | moved as u32);
    for entry in entries {
        let state = &packed[entry.start as usize..entry.end as usize];
        let mut at = 0;
        if take_number(state, &mut at) != plan.shape {
            effects.truncate(start);
            return false;
        }
        let header = effects.len();
        let mut all_short = true;
        effects.push(0);
        for (piece, known) in reference.pieces.iter().enumerate() {
            let number = take_number(state, &mut at);
            if number != known.number {
                // A process changes nothing that it does not look at.
                assert!(seen.contains(&(piece as u16)), "a footprint is too small");
                all_short &= (number | known.number) < 0x80;
                effects.extend([piece as u32, number]);
            }
        }
        effects[header] = (effects.len() - header - 1) as u32 | all_short as u32;
    }
    true
}

/// Adds the successors of the reference that processes are kept to have, from the last to the first. Whether something can happen.
///
/// It is not inlined, nor is what is seldom needed: so this loop has the registers for itself.
#[inline(never)]
pub fn repeat(
    effects: &[u32],
    processes: &[Kept],
    reference: &Reference,
    out: &mut Vec<u8>,
    entries: &mut Vec<Entry>,
) -> bool {
    let Reference { packed, packed_length, pieces, .. } = reference;
    let mut moved = 0;
    for kept in processes.iter().rev() {
        let Some((header, mut rest)) = effects[kept.effect as usize..].split_first() else { continue };
        moved |= header & 1;
        for _ in 0..header >> 1 {
            let Some((&header, after)) = rest.split_first() else { break };
            let Some((replacements, after)) = after.split_at_checked((header & !1) as usize) else { break };
            rest = after;
            let replacements = replacements.as_chunks().0;
            let start = out.len();
            match packed.first_chunk::<SHORT>() {
                Some(short) if *packed_length <= SHORT => {
                    out.extend_from_slice(short);
                    out.truncate(start + packed_length);
                }
                _ => out.extend_from_slice(&packed[..*packed_length]),
            }
            if header & 1 == 1 {
                let state = &mut out[start..];
                for [piece, number] in replacements {
                    state[pieces[*piece as usize].end as usize - 1] = *number as u8;
                }
            } else {
                replace_numbers(replacements, reference, start, out);
            }
            let sum = WeightedSums.sum(&out[start..]);
            let (start, end) = (start as u32, out.len() as u32);
            entries.push(Entry { start, end, steps_start: 0, steps_end: 0, held: Entry::NOBODY, sum });
        }
    }
    moved == 1
}

/// Replaces numbers in a copy of the reference that begins at `start`.
#[inline(never)]
fn replace_numbers(replacements: &[[u32; 2]], reference: &Reference, start: usize, out: &mut Vec<u8>) {
    let mut length = reference.packed_length;
    // A number has at most five bytes, and one at least.
    out.resize(start + length + 4 * replacements.len(), 0);
    let state = &mut out[start..];
    for &[piece, number] in replacements {
        let KnownPiece { number: old, end, .. } = reference.pieces[piece as usize];
        let end = end as usize + length - reference.packed_length;
        length = replace_number(state, length, end, old, number);
    }
    out.truncate(start + length);
}
