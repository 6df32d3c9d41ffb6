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
                let joins = |span: &&mut Span| {
                    (span.word, span.stored_word) == (word, stored_word)
                        && highest(span.mask) < mask.trailing_zeros()
                        && highest(span.stored_mask) < stored_mask.trailing_zeros()
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

    /// What of its value changes with some bits of the working state.
    #[inline(always)]
    pub fn change(&self, differences: &[u64], gather: impl Fn(u64, u64) -> u64) -> u64 {
        let Piece { words, masks, shift, .. } = &self.piece;
        let first = gather(differences[words[0] as usize], masks[0]);
        let second = gather(differences[words[1] as usize], masks[1]);
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
