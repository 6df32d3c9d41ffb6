//! Processes that end: the one step that changes the shape of a state and is remembered all the same.
//!
//! Where processes come and go, a process is about to end in every other state. Its frame disappears, and the
//! state is the same otherwise. In the stored state the bytes of its pieces disappear, those of the other
//! pieces move to other places, and the number of the shape changes. Which byte moves where depends only on
//! the shape and on the process, not on the state: that is a [`ProcessEnd`], a list of moves. The remembered
//! step says *that* the process ends ([`super::effects::ENDS`]), this list says *how*.
//!
//! Frames are a stack. The process that ends has the last process frame, and what lies above it (channels of
//! its own) goes with it. So the frames that are left are those below, at the same offsets.
//!
//! A list of moves is made when a process is first seen to end, and stays right. It has a target for every
//! byte that the shape before has a place for. If that shape gets more places, everything about it is learnt
//! again. If the shape after gets more places, the bytes there would be zeros at the end of the state, which
//! are not stored.

use super::plan::{Piece, Plan};

/// How the stored states of a shape change when a certain process ends.
#[derive(Clone, Debug)]
pub struct ProcessEnd {
    /// Bytes of the states that come out, at most, and without any higher bytes.
    width: usize,
    narrow: usize,
    /// The number of their shape, as it is stored.
    head: Box<[u8]>,
    /// Where a byte goes, and where it comes from.
    moves: Box<[(u8, u8)]>,
}

/// The bytes of a working state in which a piece has bits, and which bits.
fn bytes_of(piece: &Piece) -> impl Iterator<Item = (usize, u8)> {
    let piece = *piece;
    let bytes = move |i: usize| {
        let mask = piece.masks[i].to_le_bytes();
        (0..8).map(move |k| (piece.offsets[i] as usize + k, mask[k])).filter(|(_, mask)| *mask != 0)
    };
    (0..2).flat_map(bytes)
}

/// Whether pieces of two shapes are bits of the same variables, numbered by the same table.
fn is_same(one: &Piece, other: &Piece) -> bool {
    one.kind == other.kind && bytes_of(one).eq(bytes_of(other))
}

/// For each piece of the shape `after`, the piece of the shape `before` that it is, if the frames of the
/// first are the lower frames of the second.
pub fn remaining_pieces(before: &Plan, after: &Plan) -> Option<Vec<usize>> {
    let remains = |piece: &Piece| bytes_of(piece).all(|(at, _)| at < after.length);
    let old: Vec<(usize, &Piece)> =
        before.pieces.iter().enumerate().filter(|(_, piece)| remains(piece)).collect();
    let fit = old.len() == after.pieces.len()
        && old.iter().zip(&after.pieces).all(|((_, one), other)| is_same(one, other));
    fit.then(|| old.into_iter().map(|(number, _)| number).collect())
}

/// How many pieces at the beginning are the same in two shapes.
pub fn pieces_in_common(one: &Plan, other: &Plan) -> usize {
    one.pieces.iter().zip(&other.pieces).take_while(|(one, other)| is_same(one, other)).count()
}

impl ProcessEnd {
    /// From one shape to another, in which these pieces are left. There must be a place for each of their
    /// bytes, and none beyond `most`.
    pub fn new(before: &Plan, after: &Plan, pieces: &[usize], most: usize) -> Option<ProcessEnd> {
        let mut head = Vec::new();
        after.places.heads().push(&mut head, after.shape);
        let mut moves = Vec::new();
        for (to, &from) in pieces.iter().enumerate() {
            let mut targets = after.places.of_piece(to);
            for source in before.places.of_piece(from) {
                moves.push((u8::try_from(targets.next()?).ok()?, u8::try_from(source).ok()?));
            }
        }
        let narrow = after.places.narrow;
        let width = moves.iter().map(|(to, _)| *to as usize + 1).max().unwrap_or(0).max(narrow);
        (width <= most).then(|| ProcessEnd { width, narrow, head: head.into(), moves: moves.into() })
    }

    /// The state without the process, and its length; zeros follow.
    #[inline(always)]
    pub fn of<const N: usize>(&self, words: &[u64; N]) -> ([[u8; 8]; N], usize) {
        let before = words.map(u64::to_le_bytes);
        let before = before.as_flattened();
        let mut after = [[0u8; 8]; N];
        let bytes = after.as_flattened_mut();
        bytes[..self.head.len()].copy_from_slice(&self.head);
        for &(to, from) in &self.moves {
            bytes[to as usize] = before[from as usize];
        }
        let zeros = bytes[self.narrow..self.width].iter().rev().take_while(|byte| **byte == 0).count();
        (after, self.width - zeros)
    }
}
