//! How bits move between working states and stored ones, by the word.
//!
//! Processors gather the bits of a word under a mask, and scatter them under another, by one instruction each
//! ([`super::bits`]). So what is worked out once for each plan is not where bytes lie, but masks.
//!
//! Pieces that are their own numbers are moved without looking at them: all bits of theirs that lie in one
//! word of the working state and in one word of the stored one, in the same order, are a [`Span`]. To move
//! bits is the same as to move the difference from a known state, so a span takes no more than an exclusive
//! or.
//!
//! Successors are compared with the state before them by halves of words, as most of these are the same
//! ([`super::near`]): so all that follows from four bytes stands together, as a [`Half`].
//!
//! The other pieces are [`Numbered`]: bits in at most two words of the working state, whose number has its
//! bytes in one word of the stored state or in several. The lower bytes of a number have lower places, so two
//! words are two masks; there are no more than two, unless the stored state is long.

use super::places::{NoPlace, Places};
use super::plan::{OWN_NUMBER, Piece};

/// Bits that keep their order: where they are in a word of the working state (and where that word lies), and
/// in a word of the stored one.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    pub word: u32,
    pub offset: u32,
    pub mask: u64,
    pub stored_word: u32,
    pub stored_mask: u64,
}

/// Four bytes of a working state, and what follows from them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Half {
    pub offset: u32,
    /// Bits that never change.
    pub fixed: u32,
    /// The numbered pieces that have bits there, of the first 64.
    pub numbered: u64,
    /// Bits of pieces that are their own numbers, and where they are in a word of the stored state.
    pub moved: HalfSpan,
    /// There are others, which go to other words or in another order: so many of [`Halves::further`], from
    /// this one on.
    pub first_further: u32,
    pub further: u32,
}

/// Bits of a half that keep their order in a word of the stored state.
#[derive(Clone, Copy, Debug, Default)]
pub struct HalfSpan {
    pub mask: u32,
    pub stored_word: u32,
    pub stored_mask: u64,
}

/// A working state as halves of words, in blocks that are compared at once. The last block ends where the
/// state ends, so it may overlap the one before; but every byte belongs to one half only, in the first block
/// that has it.
#[derive(Debug, Default)]
pub struct Halves {
    pub all: Box<[Half]>,
    /// Those to which something belongs, as bits, 64 at a time.
    pub owned: Box<[u64]>,
    /// How many blocks there are before the last one.
    pub blocks_before: usize,
    pub further: Box<[HalfSpan]>,
}

/// How many bytes a block has, in states of so many bytes, which are at least eight.
pub const fn block_size(length: usize) -> usize {
    match length {
        0..16 => 8,
        16..32 => 16,
        _ => 32,
    }
}

/// A piece that is numbered by a table.
#[derive(Clone, Copy, Debug)]
pub struct Numbered {
    /// Which of all pieces it is.
    pub index: u32,
    /// The bytes of the working state in which it has bits, of the first 64, as bits.
    pub bytes: u64,
    /// Where its number has bytes in a stored state, of the first 64 places, as bits.
    pub places: u64,
    pub piece: Piece,
    place: NumberPlace,
}

/// Where a number lies in a stored state.
#[derive(Clone, Copy, Debug)]
struct NumberPlace {
    words: [u32; 2],
    masks: [u64; 2],
    /// Where the bits of the second word go.
    shift: u32,
    /// Bits of a number that have no place.
    beyond: u64,
    /// It has bytes in further words.
    is_long: bool,
}

/// The highest bit of a mask that is not 0.
fn highest(mask: u64) -> u32 {
    63 - mask.leading_zeros()
}

/// A bit in a set of the first 64; none behind.
fn bit(place: u32) -> u64 {
    1u64.checked_shl(place).unwrap_or(0)
}

impl Span {
    /// What moves all pieces that are their own numbers.
    pub fn all(pieces: &[Piece], places: &Places) -> Box<[Span]> {
        let mut spans: Vec<Span> = Vec::new();
        for (i, piece) in pieces.iter().enumerate().filter(|(_, piece)| piece.kind == OWN_NUMBER) {
            let place = places.lowest(i);
            for (part, shift) in [(0, 0), (1, piece.shift)] {
                let (word, offset, mask) = (piece.words[part], piece.offsets[part], piece.masks[part]);
                if mask == 0 {
                    continue;
                }
                let stored_word = (place / 8) as u32;
                let stored_mask = super::bits::low(mask.count_ones()) << (place % 8 * 8 + shift as usize);
                // In the stored state it lies behind all others, as pieces come in the order of their places.
                let joins = |span: &&mut Span| {
                    (span.word, span.stored_word) == (word, stored_word)
                        && highest(span.mask) < mask.trailing_zeros()
                };
                match spans.iter_mut().find(joins) {
                    Some(span) => {
                        span.mask |= mask;
                        span.stored_mask |= stored_mask;
                    }
                    None => spans.push(Span { word, offset, mask, stored_word, stored_mask }),
                }
            }
        }
        spans.into()
    }
}

impl Halves {
    /// To which half a byte belongs, in a state of so many bytes; and where that one begins.
    fn half_of(byte: usize, length: usize) -> (usize, usize) {
        let size = block_size(length);
        let block = byte / size;
        let start = (block * size).min(length - size);
        let half = (byte - start) / 4;
        (block * size / 4 + half, start + 4 * half)
    }

    /// The halves of a state of so many bytes, at least eight. `fixed` tells which bits of a byte never
    /// change.
    pub fn of(length: usize, pieces: &[Piece], places: &Places, fixed: impl Fn(usize) -> u8) -> Halves {
        let size = block_size(length);
        let mut all = vec![Half::default(); length.div_ceil(size) * size / 4];
        let mut owned = vec![0; all.len().div_ceil(64)];
        let mut spans: Vec<Vec<HalfSpan>> = vec![Vec::new(); all.len()];
        for byte in 0..length {
            let (half, offset) = Halves::half_of(byte, length);
            owned[half / 64] |= 1 << (half % 64);
            all[half].offset = offset as u32;
            all[half].fixed |= u32::from(fixed(byte)) << (8 * (byte - offset));
        }
        let mut position = 0;
        for (i, piece) in pieces.iter().enumerate() {
            let place = places.lowest(i);
            for (part, shift) in [(0, 0), (1, piece.shift)] {
                for in_word in (0..8).filter(|byte| piece.masks[part] >> (8 * byte) & 0xff != 0) {
                    let bits = piece.masks[part] & 0xff << (8 * in_word);
                    let byte = piece.offsets[part] as usize + in_word;
                    let (half, offset) = Halves::half_of(byte, length);
                    if piece.kind != OWN_NUMBER {
                        all[half].numbered |= 1u64.checked_shl(position).unwrap_or(0);
                        continue;
                    }
                    let number = super::bits::gather(bits, piece.masks[part]) << shift;
                    let span = HalfSpan {
                        mask: (bits >> (8 * in_word) << (8 * (byte - offset))) as u32,
                        stored_word: (place / 8) as u32,
                        stored_mask: number << (place % 8 * 8),
                    };
                    HalfSpan::join(&mut spans[half], span);
                }
            }
            position += (piece.kind != OWN_NUMBER) as u32;
        }
        let mut further = Vec::new();
        for (half, spans) in all.iter_mut().zip(spans) {
            let Some((first, others)) = spans.split_first() else { continue };
            half.moved = *first;
            (half.first_further, half.further) = (further.len() as u32, others.len() as u32);
            further.extend_from_slice(others);
        }
        let blocks_before = length.div_ceil(size) - 1;
        Halves { all: all.into(), owned: owned.into(), blocks_before, further: further.into() }
    }
}

impl HalfSpan {
    /// Adds bits to one of some spans in which they keep their order, or as another one.
    fn join(spans: &mut Vec<HalfSpan>, added: HalfSpan) {
        let joins = |span: &&mut HalfSpan| {
            span.stored_word == added.stored_word
                && highest(span.mask.into()) < added.mask.trailing_zeros()
                && highest(span.stored_mask) < added.stored_mask.trailing_zeros()
        };
        match spans.iter_mut().find(joins) {
            Some(span) => {
                span.mask |= added.mask;
                span.stored_mask |= added.stored_mask;
            }
            None => spans.push(added),
        }
    }
}

impl Numbered {
    /// All pieces that a table numbers.
    pub fn all(pieces: &[Piece], places: &Places) -> Box<[Numbered]> {
        let numbered = pieces.iter().enumerate().filter(|(_, piece)| piece.kind != OWN_NUMBER);
        numbered
            .map(|(i, piece)| Numbered {
                index: i as u32,
                bytes: Numbered::bytes_of(piece),
                places: places.of_piece(i).fold(0, |all, at| all | bit(at as u32)),
                piece: *piece,
                place: NumberPlace::of(i, places),
            })
            .collect()
    }

    fn bytes_of(piece: &Piece) -> u64 {
        let words = piece.offsets.into_iter().zip(piece.masks);
        let bytes =
            words.flat_map(|(offset, mask)| (0..8).map(move |byte| (offset + byte, mask >> (8 * byte))));
        let has_bits = bytes.filter(|(_, bits)| bits & 0xff != 0);
        has_bits.fold(0, |all, (byte, _)| all | bit(byte))
    }

    /// What of its value changes with some bits of the working state: those in the word that lies there.
    #[inline(always)]
    pub fn change(&self, difference_at: impl Fn(u32) -> u64, gather: impl Fn(u64, u64) -> u64) -> u64 {
        let Piece { offsets, masks, shift, .. } = &self.piece;
        let first = gather(difference_at(offsets[0]), masks[0]);
        // Most have one word.
        if masks[1] == 0 {
            return first;
        }
        first | gather(difference_at(offsets[1]), masks[1]) << shift
    }

    /// Its number in a stored state.
    #[inline(always)]
    pub fn read(&self, places: &Places, state: &[u64], gather: impl Fn(u64, u64) -> u64) -> u64 {
        let NumberPlace { words, masks, shift, is_long, .. } = &self.place;
        if *is_long {
            let byte = |place: usize| (state[place / 8] >> (place % 8 * 8)) as u8;
            return places.number(self.index as usize, byte);
        }
        let first = gather(state[words[0] as usize], masks[0]);
        if masks[1] == 0 {
            return first;
        }
        first | gather(state[words[1] as usize], masks[1]) << shift
    }

    /// Writes its number into a stored state.
    #[inline(always)]
    pub fn write(
        &self,
        places: &Places,
        state: &mut [u64],
        number: u64,
        scatter: impl Fn(u64, u64) -> u64,
    ) -> Result<(), NoPlace> {
        let NumberPlace { words, masks, shift, beyond, is_long } = &self.place;
        if *is_long || number & beyond != 0 {
            return places.write_into(state, self.index as usize, number);
        }
        let first = &mut state[words[0] as usize];
        *first = *first & !masks[0] | scatter(number, masks[0]);
        if masks[1] != 0 {
            let second = &mut state[words[1] as usize];
            *second = *second & !masks[1] | scatter(number >> shift, masks[1]);
        }
        Ok(())
    }
}

impl NumberPlace {
    fn of(piece: usize, places: &Places) -> NumberPlace {
        let first = (places.lowest(piece) / 8) as u32;
        let mut place =
            NumberPlace { words: [first; 2], masks: [0; 2], shift: 0, beyond: u64::MAX, is_long: false };
        for byte in places.of_piece(piece) {
            let (word, mask) = ((byte / 8) as u32, 0xff << (byte % 8 * 8));
            let NumberPlace { words, masks, .. } = &mut place;
            if word != words[0] && masks[1] == 0 {
                words[1] = word;
            }
            match words.iter().position(|known| *known == word) {
                Some(part) => masks[part] |= mask,
                None => place.is_long = true,
            }
            place.beyond <<= 8;
        }
        place.shift = place.masks[0].count_ones() % 64;
        place
    }
}

#[cfg(test)]
mod tests {
    use super::super::bits::{gather, scatter};
    use super::super::places::{Heads, Higher};
    use super::*;

    struct Random(u64);

    impl Random {
        fn below(&mut self, bound: u64) -> u64 {
            self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (self.0 ^ self.0 >> 29).rotate_left(32) % bound
        }
    }

    /// Pieces with random bits in one word or in two, in no order at all, a third of them numbered.
    fn random_pieces(random: &mut Random, words: u32) -> Vec<Piece> {
        let mut free = vec![u64::MAX; words as usize];
        let mut pieces = Vec::new();
        for _ in 0..random.below(40) {
            let is_own = random.below(3) > 0;
            let first = random.below(words.into()) as u32;
            let chosen = [first, (first + 1) % words];
            let mut masks = [0; 2];
            let mut bits = 1 + random.below(if is_own { 8 } else { 63 }) as u32;
            for (mask, word) in masks.iter_mut().zip(chosen).take(1 + random.below(2) as usize) {
                let free = &mut free[word as usize];
                while bits > 0 && *free != 0 && random.below(4) > 0 {
                    let bit = scatter(1 << random.below(free.count_ones().into()), *free);
                    (*mask, *free, bits) = (*mask | bit, *free & !bit, bits - 1);
                }
            }
            if masks[0] == 0 {
                continue;
            }
            let shift = masks[0].count_ones() % 64;
            let kind = if is_own { OWN_NUMBER } else { 0 };
            let (words, offsets) = (chosen, chosen.map(|word| word * 8));
            pieces.push(Piece { words, offsets, masks, shift, kind });
        }
        pieces
    }

    /// What all spans and all numbered pieces write, and what is read of it, against one piece after another.
    #[test]
    fn bits_come_to_their_places_and_back() {
        let mut random = Random(3);
        let (mut joined, mut long, mut further) = (0, 0, 0);
        for _ in 0..3000 {
            let pieces = random_pieces(&mut random, 3);
            let mut higher: Vec<Higher> = Vec::new();
            for (i, piece) in pieces.iter().enumerate().filter(|(_, piece)| piece.kind != OWN_NUMBER) {
                let bits: u32 = piece.masks.iter().map(|mask| mask.count_ones()).sum();
                (1..bits.div_ceil(8)).for_each(|byte| higher.push((i as u32, byte as u8)));
            }
            // Places are given out as they are needed, the lower ones of a piece first.
            for i in (1..higher.len()).rev() {
                higher.swap(i, random.below(i as u64 + 1) as usize);
            }
            higher.sort_by_key(|(_, byte)| *byte);
            let (heads, shape) = [(Heads::LeftOut, 0), (Heads::Written, 300)][random.below(2) as usize];
            let places = Places::new(heads, shape, pieces.len(), &higher);
            let (spans, numbered) = (Span::all(&pieces, &places), Numbered::all(&pieces, &places));
            let own = pieces.iter().filter(|piece| piece.kind == OWN_NUMBER);
            joined += own.count().saturating_sub(spans.len());
            long += numbered.iter().filter(|numbered| numbered.place.is_long).count();
            let working = [random.below(u64::MAX), random.below(u64::MAX), random.below(u64::MAX)];
            let value_of = |piece: &Piece| {
                let part = |i: usize| gather(working[piece.words[i] as usize], piece.masks[i]);
                part(0) | part(1) << piece.shift
            };
            let mut expected = vec![0; places.width().div_ceil(8) + 1];
            for (i, piece) in pieces.iter().enumerate() {
                assert!(places.write_into(&mut expected, i, value_of(piece)).is_ok());
            }
            let halves = Halves::of(24, &pieces, &places, |_| 0);
            let mut by_halves = vec![0; expected.len()];
            for half in &halves.all {
                let bits = working[half.offset as usize / 8] >> (half.offset % 8 * 8) & 0xffff_ffff;
                let further = &halves.further[half.first_further as usize..][..half.further as usize];
                for span in [half.moved].iter().chain(further) {
                    let moved = scatter(gather(bits, span.mask.into()), span.stored_mask);
                    by_halves[span.stored_word as usize] |= moved;
                }
            }
            further += halves.further.len();
            let mut state = vec![0; expected.len()];
            for span in &spans {
                let bits = gather(working[span.word as usize], span.mask);
                state[span.stored_word as usize] |= scatter(bits, span.stored_mask);
            }
            assert_eq!(by_halves, state);
            for numbered in &numbered {
                let value = numbered.change(|offset| working[offset as usize / 8], gather);
                assert_eq!(value, value_of(&numbered.piece));
                assert!(numbered.write(&places, &mut state, value, scatter).is_ok());
                assert_eq!(numbered.read(&places, &state, gather), value);
                let bits = 8 * places.of_piece(numbered.index as usize).count() as u32;
                if bits < 64 {
                    assert!(numbered.write(&places, &mut state.clone(), 1 << bits, scatter).is_err());
                }
            }
            assert_eq!(state, expected);
            let mut back = [0; 3];
            for span in &spans {
                let bits = gather(state[span.stored_word as usize], span.stored_mask);
                back[span.word as usize] |= scatter(bits, span.mask);
            }
            let own = pieces.iter().filter(|piece| piece.kind == OWN_NUMBER);
            let own = own.flat_map(|piece| piece.words.into_iter().zip(piece.masks));
            let mut kept = [0; 3];
            own.for_each(|(word, mask)| kept[word as usize] |= mask & working[word as usize]);
            assert_eq!(back, kept);
        }
        assert!(joined > 300 && long > 20 && further > 300, "{joined} {long} {further}");
    }
}
