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

/// A piece that is numbered by a table.
#[derive(Clone, Copy, Debug)]
pub struct Numbered {
    /// Which of all pieces it is.
    pub index: u32,
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
    /// Numbers of more bits have no place.
    bits: u32,
    /// It has bytes in further words.
    is_long: bool,
}

/// The highest bit of a mask that is not 0.
fn highest(mask: u64) -> u32 {
    63 - mask.leading_zeros()
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

impl Numbered {
    /// All pieces that a table numbers.
    pub fn all(pieces: &[Piece], places: &Places) -> Box<[Numbered]> {
        let numbered = pieces.iter().enumerate().filter(|(_, piece)| piece.kind != OWN_NUMBER);
        numbered
            .map(|(i, piece)| Numbered { index: i as u32, piece: *piece, place: NumberPlace::of(i, places) })
            .collect()
    }

    /// What of its value changes with some bits of the working state: those in the word that lies there.
    #[inline(always)]
    pub fn change(&self, difference_at: impl Fn(u32) -> u64, gather: impl Fn(u64, u64) -> u64) -> u64 {
        let Piece { offsets, masks, shift, .. } = &self.piece;
        let first = gather(difference_at(offsets[0]), masks[0]);
        let second = gather(difference_at(offsets[1]), masks[1]);
        first | second << shift
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
        let second = gather(state[words[1] as usize], masks[1]);
        first | second << shift
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
        let NumberPlace { words, masks, shift, bits, is_long } = &self.place;
        if *is_long || number.checked_shr(*bits).unwrap_or(0) != 0 {
            return places.write_into(state, self.index as usize, number);
        }
        for (word, mask, part) in [(words[0], masks[0], number), (words[1], masks[1], number >> shift)] {
            let word = &mut state[word as usize];
            *word = *word & !mask | scatter(part, mask);
        }
        Ok(())
    }
}

impl NumberPlace {
    fn of(piece: usize, places: &Places) -> NumberPlace {
        let first = (places.lowest(piece) / 8) as u32;
        let mut place = NumberPlace { words: [first; 2], masks: [0; 2], shift: 0, bits: 0, is_long: false };
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
            place.bits += 8;
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
        let (mut joined, mut long) = (0, 0);
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
            let mut state = vec![0; expected.len()];
            for span in &spans {
                let bits = gather(working[span.word as usize], span.mask);
                state[span.stored_word as usize] |= scatter(bits, span.stored_mask);
            }
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
        assert!(joined > 300 && long > 20, "{joined} {long}");
    }
}
