//! Where the bytes of numbers lie in a stored state.
//!
//! ```text
//! number of the shape │ lowest byte of piece 0 │ … │ lowest byte of the last piece │ higher bytes
//! ```
//!
//! States of one shape have every byte in the same place, so they can be compared, and changed, without
//! reading numbers. Higher bytes get their places one after the other, when a piece first has a number that
//! needs one. Zeros at the end are left out: so a state that was stored before a place was given out is
//! stored in the same way afterwards, and states pay for a second byte only from the first piece on that
//! needs it.
//!
//! The number of the shape is written seven bits to a byte, the lowest first; the highest bit says that there
//! is more. Where all states have one shape it is left out ([`Heads`]).

/// A higher byte: of which piece, and which of its number's bytes (1 to 7).
pub type Higher = (u32, u8);

/// How the numbers of shapes are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heads {
    /// At the beginning of every state.
    Written,
    /// Nowhere: there is only the first shape.
    LeftOut,
}

/// The places of a shape.
#[derive(Debug)]
pub struct Places {
    heads: Heads,
    /// Where the lowest bytes begin: behind the number of the shape.
    head: usize,
    /// The number of the shape, as the first word of stored states has it.
    pub head_word: u64,
    /// Bits of the first word that are the number of the shape.
    pub head_mask: u64,
    /// Where the lowest bytes end.
    pub narrow: usize,
    /// What lies behind.
    higher: Box<[Higher]>,
    /// For each piece, where the second byte of its number lies and so on; 0 if there is no place for it.
    by_piece: Box<[[u32; 7]]>,
}

/// A number has a byte for which there is no place yet.
#[derive(Debug)]
pub struct NoPlace(pub Higher);

impl Heads {
    /// Appends the number of a shape.
    pub fn push(self, out: &mut Vec<u8>, mut shape: u32) {
        if self == Heads::LeftOut {
            assert_eq!(shape, 0, "there is another shape");
            return;
        }
        while shape >= 0x80 {
            out.push(shape as u8 | 0x80);
            shape >>= 7;
        }
        out.push(shape as u8);
    }

    /// The number of the shape of a stored state.
    pub fn shape_of(self, stored: &[u8]) -> u32 {
        let mut number = 0;
        if self == Heads::LeftOut {
            return number;
        }
        for (i, &byte) in stored.iter().enumerate().take(5) {
            number |= ((byte & 0x7f) as u32) << (7 * i);
            if byte < 0x80 {
                break;
            }
        }
        number
    }
}

impl Places {
    pub fn new(heads: Heads, shape: u32, pieces: usize, higher: &[Higher]) -> Places {
        let mut number = Vec::new();
        heads.push(&mut number, shape);
        let narrow = number.len() + pieces;
        let mut by_piece = vec![[0; 7]; pieces].into_boxed_slice();
        for (place, &(piece, byte)) in (narrow..).zip(higher) {
            by_piece[piece as usize][byte as usize - 1] = place as u32;
        }
        let head_word = number.iter().rev().fold(0, |word, byte| word << 8 | *byte as u64);
        let (head, head_mask) = (number.len(), super::bits::low(8 * number.len() as u32));
        Places { heads, head, head_word, head_mask, narrow, higher: higher.into(), by_piece }
    }

    /// How the numbers of shapes are written.
    pub fn heads(&self) -> Heads {
        self.heads
    }

    /// No state of the shape is longer, as long as no further places are given out.
    pub fn width(&self) -> usize {
        self.narrow + self.higher.len()
    }

    pub fn has_higher(&self) -> bool {
        !self.higher.is_empty()
    }

    /// Where the lowest byte of a piece lies.
    #[inline]
    pub fn lowest(&self, piece: usize) -> usize {
        self.head + piece
    }

    /// All places of a piece, the lowest byte's first.
    pub fn of_piece(&self, piece: usize) -> impl Iterator<Item = usize> {
        let higher = self.by_piece[piece].into_iter().filter(|place| *place != 0);
        std::iter::once(self.lowest(piece)).chain(higher.map(|place| place as usize))
    }

    /// The piece that has a byte in a place, if there is one.
    #[inline]
    pub fn piece_at(&self, place: usize) -> Option<usize> {
        match place.checked_sub(self.narrow) {
            Some(above) => self.higher.get(above).map(|(piece, _)| *piece as usize),
            None => place.checked_sub(self.head),
        }
    }

    /// The number of a piece in a state that is read by `byte`.
    #[inline(always)]
    pub fn number(&self, piece: usize, byte: impl Fn(usize) -> u8) -> u64 {
        let mut number = byte(self.lowest(piece)) as u64;
        // Lower ones have their places first.
        for (i, &place) in self.by_piece[piece].iter().enumerate().take_while(|(_, place)| **place != 0) {
            number |= (byte(place as usize) as u64) << (8 * i + 8);
        }
        number
    }

    /// Writes the number of a piece into a state that lies in words, as many as this shape's may have.
    #[inline(never)]
    pub fn write_into(&self, state: &mut [u64], piece: usize, number: u64) -> Result<(), NoPlace> {
        let mut put = |place: usize, byte: u8| {
            let (word, shift) = (&mut state[place / 8], place % 8 * 8);
            *word = *word & !(0xff << shift) | (byte as u64) << shift;
        };
        put(self.lowest(piece), number as u8);
        let higher = &self.by_piece[piece];
        if number > 0xff || higher[0] != 0 {
            for (i, &place) in higher.iter().enumerate() {
                let rest = number >> (8 * i + 8);
                match place {
                    0 if rest != 0 => return Err(NoPlace((piece as u32, i as u8 + 1))),
                    0 => break,
                    place => put(place as usize, rest as u8),
                }
            }
        }
        Ok(())
    }

    /// How long a state is without the zeros at its end.
    #[inline(always)]
    pub fn length(&self, state: &[u8]) -> usize {
        if self.has_higher() { self.length_of_wide(state) } else { self.narrow }
    }

    #[inline(never)]
    fn length_of_wide(&self, state: &[u8]) -> usize {
        let zeros = state[self.narrow..self.width()].iter().rev().take_while(|byte| **byte == 0).count();
        self.width() - zeros
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_all_sizes() {
        let shapes = [0, 127, 128, 20_000, u32::MAX].map(|shape| (Heads::Written, shape));
        for (heads, shape) in shapes.into_iter().chain([(Heads::LeftOut, 0)]) {
            let mut higher: Vec<Higher> = Vec::new();
            let mut known: Vec<(Vec<u64>, Vec<u8>)> = Vec::new();
            let mut seed = 1u64;
            for _ in 0..2000 {
                let numbers: Vec<u64> = (0..5)
                    .map(|_| {
                        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                        seed.rotate_left(32) >> [64 - 8, 64 - 9, 44, 35, 1, 63][(seed >> 20) as usize % 6]
                    })
                    .collect();
                let stored = loop {
                    let places = Places::new(heads, shape, numbers.len(), &higher);
                    let mut words = vec![0; places.width().div_ceil(8)];
                    words[0] = places.head_word;
                    let written = numbers
                        .iter()
                        .enumerate()
                        .try_for_each(|(i, n)| places.write_into(&mut words, i, *n));
                    match written {
                        Err(NoPlace(byte)) => higher.push(byte),
                        Ok(()) => {
                            let mut state: Vec<u8> =
                                words.iter().flat_map(|word| word.to_le_bytes()).collect();
                            state.truncate(places.length(&state));
                            break state;
                        }
                    }
                };
                assert_eq!(heads.shape_of(&stored), shape);
                known.push((numbers, stored));
            }
            // With the places that there are at the end, the states from the beginning are the same.
            let places = Places::new(heads, shape, 5, &higher);
            for (numbers, stored) in &known {
                let byte = |place: usize| stored.get(place).copied().unwrap_or(0);
                assert!(numbers.iter().enumerate().all(|(i, number)| places.number(i, byte) == *number));
                // Whatever was there before is written over.
                let mut words = [u64::MAX; 8];
                words[0] = words[0] & !places.head_mask | places.head_word;
                for (i, number) in numbers.iter().enumerate() {
                    assert!(places.write_into(&mut words, i, *number).is_ok());
                    assert!(places.of_piece(i).all(|place| places.piece_at(place) == Some(i)));
                }
                let written = words.map(u64::to_le_bytes);
                let state = &written.as_flattened()[..places.width()];
                assert_eq!(&state[..places.length(state)], stored);
            }
        }
    }
}
