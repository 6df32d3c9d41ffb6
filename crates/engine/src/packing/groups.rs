//! Which globals belong together: those that the same process types touch.
//!
//! A process that looks at one variable of a piece looks at the whole piece. Where each process has variables
//! of its own among the globals (`t[0]` is the clock of the first process, `t[1]` that of the second), pieces
//! that are cut without regard to that make all of them look at each other: what they do is hardly ever
//! remembered, and never commutes. So the globals are cut into *groups* first, and these into pieces. Two
//! neighbouring bytes are of one group if the same process types read or write them. An element of an array
//! is touched alone where its index is a constant; any other index stands for the whole array. What nobody
//! writes (channels, mostly) joins its neighbours: footprints leave it out.
//!
//! A group of its own costs up to a byte a state more than a part of a common piece does (8 to 11 bytes on
//! the timed mutual exclusion `at` of the BEEM collection, 11.5 to 16 on `fischer`, both of which then take
//! two thirds to three quarters of the time); groups of few bits share a byte. Very many groups are not made.
//! What is found here decides about time and memory, not about what is right: any cut will do.

use crate::simplify::accesses::{Access, Part, each_access, each_action, each_part};
use lariat_model::ir::{Base, Expr, Model, Place};
use std::ops::Range;

/// More groups than this are not made.
const MOST_GROUPS: usize = 24;

/// The bytes that a place among the globals may be. Constant indices are known.
fn bytes_of(place: &Place) -> Option<Range<usize>> {
    if place.base != Base::Global {
        return None;
    }
    let (mut start, mut further) = (place.offset, 0);
    for index in &place.indices {
        match index.value {
            Expr::Constant(element) if (0..index.length as i32).contains(&element) => {
                start += element as u32 * index.stride;
            }
            _ => further += index.length.saturating_sub(1) * index.stride,
        }
    }
    Some(start as usize..(start + further + place.storage.size()) as usize)
}

/// For each byte before the frames: the process types that touch it, as bits; 0 if none writes it. Types
/// share a bit if there are more than 64.
fn touched(model: &Model, length: usize) -> Vec<u64> {
    let (mut sets, mut written) = (vec![0; length], vec![false; length]);
    for (number, process) in model.process_types.iter().enumerate() {
        let mut mark = |bytes: Range<usize>| {
            let end = bytes.end.min(length);
            sets[bytes.start.min(end)..end].iter_mut().for_each(|set| *set |= 1 << (number % 64));
        };
        let mut read = |expr: &Expr| {
            each_part(expr, &mut |part| match part {
                Part::Expr(Expr::Global { offset, storage }) => {
                    mark(*offset as usize..(*offset + storage.size()) as usize);
                }
                Part::Place(place) => bytes_of(place).into_iter().for_each(&mut mark),
                _ => {}
            });
        };
        process.provided.iter().for_each(&mut read);
        each_action(process, &mut |action| {
            each_access(action, &mut |access| match access {
                Access::Reads(expr) => read(expr),
                Access::Writes(place) => place.indices.iter().for_each(|index| read(&index.value)),
            });
        });
        each_action(process, &mut |action| {
            each_access(action, &mut |access| {
                if let Access::Writes(place) = access
                    && let Some(bytes) = bytes_of(place)
                {
                    let end = bytes.end.min(length);
                    written[bytes.start.min(end)..end].fill(true);
                    mark(bytes);
                }
            });
        });
    }
    sets.iter_mut().zip(written).filter(|(_, written)| !written).for_each(|(set, _)| *set = 0);
    sets
}

/// Groups of the bytes before the frames, one behind the other. `significant` are the masks of these bytes.
pub fn groups(model: &Model, significant: &[u8]) -> Vec<Range<usize>> {
    let sets = touched(model, significant.len());
    let mut groups: Vec<Range<usize>> = Vec::new();
    // What nobody writes never changes, and may lie anywhere.
    let mut before = 0;
    for at in (0..significant.len()).filter(|at| significant[*at] != 0) {
        match groups.last_mut() {
            Some(group) if before == 0 || sets[at] == 0 || before == sets[at] => group.end = at + 1,
            _ => groups.push(at..at + 1),
        }
        before = if sets[at] == 0 { before } else { sets[at] };
    }
    if groups.len() > MOST_GROUPS {
        groups = std::iter::once(0..significant.len()).collect();
    }
    groups
}

#[cfg(test)]
mod tests {
    use crate::packing::Packer;
    use crate::packing::plan::OWN_NUMBER;
    use crate::{Interpreter, SuccessorFunction};
    use lariat_model::ir::Model;

    /// Each of two processes has a clock and a flag among the globals; both have `s`. Nobody writes `k`.
    const TEXT: &str = r#"lariat-ir 1
model "m"
globals size 8 hidden 0
  var "t"[2] byte g0.u8
  var "s" byte g2.u8
  var "f"[2] byte g3.u8
  var "k" byte g5.u8
  var "w" short g6.i16
  init g5.u8 = 7
process p0 "P" start 1 size 1 parameters 0
  var "i" bit l0.u1
  statement 0 ""
  location 0
  location 1
    -> 2 #0 set g0[0 of 2 by 1].u8 = g0[0 of 2 by 1].u8 + 1
    -> 2 #0 set g2.u8 = 2
  location 2
    -> 1 #0 set g3[0 of 2 by 1].u8 = 5
    -> 1 #0 set l0.u1 = 1
    -> 1 #0 set g6.i16 = 300
process p1 "Q" start 1 size 1 parameters 0
  var "i" bit l0.u1
  statement 0 ""
  location 0
  location 1
    -> 2 #0 set g0[1 of 2 by 1].u8 = g0[1 of 2 by 1].u8 + g5.u8
    -> 2 #0 set g2.u8 = g3[1 of 2 by 1].u8 == 0
  location 2
    -> 1 #0 set g3[1 of 2 by 1].u8 = 3
    -> 1 #0 set g6.i16 = 5
start p0 priority 1
start p1 priority 1
"#;

    fn model() -> Model {
        lariat_model::text::parse(TEXT).unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn bits_follow_from_what_is_written() {
        let model = model();
        let packer = Packer::new(&model, Interpreter::new(&model).layout());
        let bits = &packer.significant;
        // A sum may be anything; 5, 2 and 3 have three, two and two bits; 300 is 0x12c.
        assert_eq!(bits.front, [0xff, 0xff, 3, 7, 3, 7, 0xff, 1]);
        assert_eq!(bits.declared, [0xff; 8]);
        assert_eq!(bits.front_groups, [0..1, 1..2, 2..3, 3..4, 4..6, 6..8]);
    }

    /// Whatever changes in a byte of the working state changes only its own cells of the stored one, and only
    /// the bits that follow from that byte. Those who touch different bytes touch different cells, where one
    /// piece does not number both.
    #[test]
    fn cells_tell_what_changes() {
        let model = model();
        let interpreter = Interpreter::new(&model);
        let initial = interpreter.initial_state().unwrap();
        let mut packer = interpreter.packer();
        let mut working = Vec::new();
        packer.unpack(&initial, &mut working);
        let packed = |packer: &mut Packer, working: &[u8]| {
            let (mut bytes, mut words) = (Vec::new(), [0; 4]);
            packer.pack(working, &mut bytes);
            crate::packing::last_state::load(&bytes, &mut words);
            words
        };
        let before = packed(&mut packer, &working);
        let plan = packer.shapes.plan(0);
        let masks = |at: usize| {
            let in_word = |i: usize, piece: &crate::packing::plan::Piece| {
                (piece.masks[i] >> ((at.wrapping_sub(piece.offsets[i] as usize) * 8) & 63)) as u8
            };
            let piece = plan.pieces_in(&(at..at + 1)).next()?;
            let piece = &plan.pieces[piece];
            let has = |i: usize| (piece.offsets[i] as usize..piece.offsets[i] as usize + 8).contains(&at);
            let bits = (0..2).filter(|i| has(*i)).fold(0, |bits, i| bits | in_word(i, piece));
            Some((bits, piece.kind == OWN_NUMBER))
        };
        let mut changed = 0;
        for at in 0..working.len() {
            let Some((bits, is_own)) = masks(at) else { continue };
            let cells = plan.cells_in(&(at..at + 1));
            for bit in (0..8).filter(|bit| bits >> bit & 1 != 0) {
                working[at] ^= 1 << bit;
                let after = packed(&mut packer, &working);
                working[at] ^= 1 << bit;
                let difference: Vec<u64> = before.iter().zip(after).map(|(one, other)| one ^ other).collect();
                assert_ne!(plan.cells_of(&difference), 0, "byte {at}");
                assert!(plan.are_cells_of(cells, &difference), "byte {at}");
                assert!(!is_own || plan.cells_of(&difference) == cells, "byte {at}");
                for piece in plan.pieces_in(&(at..at + 1)) {
                    let place = plan.places.lowest(piece);
                    let byte = (difference[place / 8] >> (place % 8 * 8)) as u8;
                    assert_eq!(byte & !plan.bits_in(piece, &(at..at + 1)), 0, "byte {at}");
                    changed += 1;
                }
            }
            let others = (0..working.len()).filter(|other| *other != at && masks(*other).is_some());
            for other in others {
                let shared = cells & plan.cells_in(&(other..other + 1)) != 0;
                let is_apart = is_own || at < packer.significant.front.len();
                assert!(!shared || !is_apart, "bytes {at} and {other}");
            }
        }
        assert!(changed > 30, "{changed}");
    }

    /// A bit that is not stored would be lost.
    #[test]
    #[should_panic(expected = "more bits than it can have")]
    fn no_bit_is_lost() {
        let model = model();
        let interpreter = Interpreter::new(&model);
        let initial = interpreter.initial_state().unwrap();
        let mut packer = interpreter.packer();
        let mut working = Vec::new();
        packer.unpack(&initial, &mut working);
        working[2] = 4;
        packer.pack(&working, &mut Vec::new());
    }
}
