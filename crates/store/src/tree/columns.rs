//! Columns: what states have in a few neighbouring bytes, and the numbers of these values.
//!
//! A column covers up to seven bytes from a place on. The bytes of a state that lie there are one *value*, a
//! word: the bytes, and in the uppermost byte how many of them the state has, as a state may end there. The
//! values of a column are numbered in the order in which they appear.

use super::roots::BLOCK;
use crate::memory::prefetch;

/// A column covers at most so many bytes.
pub(super) const MOST_BYTES: usize = 7;

const FIRST_TABLE: usize = 16;
const LATELY: usize = 512;
/// A table of so many places takes 128 KiB, and does not stay near the processor:
const LARGE_TABLE: usize = 1 << 15;
/// so that what values are looked up in is asked for so many values in advance.
const AHEAD: usize = 8;

/// So many of the lowest bytes.
#[inline(always)]
pub(super) fn mask(bytes: usize) -> u64 {
    (1 << (8 * bytes)) - 1
}

/// What a state has from one place up to another one, of at most [`MOST_BYTES`].
#[inline(always)]
pub(super) fn value_at(state: &[u8], start: usize, end: usize) -> u64 {
    let length = state.len();
    let Some(bytes) = end.min(length).checked_sub(start) else { return 0 };
    let word = if let Some(word) = state.get(start..start + 8) {
        word.first_chunk().map_or(0, |word| u64::from_le_bytes(*word))
    } else if let Some(last) = state.last_chunk::<8>() {
        // The last eight bytes begin before it: what is too much is shifted out.
        u64::from_le_bytes(*last).wrapping_shr((8 * (start + 8 - length)) as u32)
    } else {
        state[start..].iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte))
    };
    word & mask(bytes) | (bytes as u64) << 56
}

/// How many bytes of a state a value is.
#[inline(always)]
pub(super) fn bytes_of(value: u64) -> usize {
    (value >> 56) as usize
}

/// Which bytes a column covers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    start: u32,
    end: u32,
    /// All bits of these bytes.
    mask: u64,
    /// What is in the uppermost byte of a value if the state has all of them.
    tag: u64,
    /// Bytes times this are where they lie among the first eight of a state, and in what is above;
    low: u64,
    /// and times this, where they lie among the next eight.
    high: u64,
}

impl Cut {
    /// The columns between these places.
    pub fn all(places: &[usize]) -> Vec<Cut> {
        let cut = |place: &[usize]| {
            let (start, end) = (place[0], place[1]);
            let bytes = end - start;
            let at_byte =
                |byte: Option<usize>| byte.filter(|&byte| byte < 8).map_or(0, |byte| 1 << (8 * byte));
            Cut {
                start: start as u32,
                end: end as u32,
                mask: mask(bytes),
                tag: (bytes as u64) << 56,
                low: at_byte(Some(start)),
                high: at_byte(start.checked_sub(8)),
            }
        };
        places.windows(2).map(cut).collect()
    }

    #[inline(always)]
    pub fn end(self) -> usize {
        self.end as usize
    }

    pub fn range(self) -> (usize, usize) {
        (self.start as usize, self.end())
    }
}

/// States up to this length are taken as one number.
pub(super) const SHORT: usize = 16;

/// The bytes of a short state that is put together from its values, and how many there are.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Assembled {
    low: u64,
    high: u64,
    length: u64,
}

impl Assembled {
    /// Adds what a state has in a column. (By multiplications: to shift a number of 128 bits takes longer.)
    #[inline(always)]
    pub fn add(&mut self, value: u64, cut: &Cut) {
        let bytes = value & mask(MOST_BYTES);
        let both = u128::from(bytes) * u128::from(cut.low);
        self.low |= both as u64;
        self.high |= (both >> 64) as u64 | bytes.wrapping_mul(cut.high);
        self.length += value >> 56;
    }

    /// Whether it is this state, which is short. (If it is longer than that, then some of its bytes are
    /// missing, but not its length.)
    #[inline(always)]
    pub fn is(&self, state: &Sliced) -> bool {
        let (low, high) = (state.word as u64, (state.word >> 64) as u64);
        (self.low ^ low) | (self.high ^ high) | (self.length ^ state.state.len() as u64) == 0
    }

    /// Its bytes, and zeros behind them.
    #[inline(always)]
    pub fn bytes(&self) -> ([u8; SHORT], usize) {
        ((u128::from(self.low) | u128::from(self.high) << 64).to_le_bytes(), self.length as usize)
    }
}

/// A state whose values are asked for.
#[derive(Clone, Copy)]
pub(super) struct Sliced<'s> {
    state: &'s [u8],
    /// All of its bytes, if it is short. (Not a copy in memory: a processor that loads what it has just
    /// stored in other pieces waits until it is written.)
    word: u128,
}

impl<'s> Sliced<'s> {
    #[inline(always)]
    pub fn new(state: &'s [u8]) -> Sliced<'s> {
        let length = state.len();
        let word = if length > SHORT {
            0
        } else if let (Some(first), Some(last)) = (state.first_chunk(), state.last_chunk()) {
            let (first, last) = (u64::from_le_bytes(*first), u64::from_le_bytes(*last));
            u128::from(first) | u128::from(last.unbounded_shr(8 * (SHORT - length) as u32)) << 64
        } else if let (Some(first), Some(last)) = (state.first_chunk(), state.last_chunk()) {
            let (first, last) = (u32::from_le_bytes(*first), u32::from_le_bytes(*last));
            u128::from(u64::from(first) | u64::from(last) << (8 * (length - 4)))
        } else {
            state.iter().rev().fold(0, |word, &byte| word << 8 | u128::from(byte))
        };
        Sliced { state, word }
    }

    #[inline(always)]
    pub fn length(&self) -> usize {
        self.state.len()
    }

    #[inline(always)]
    pub fn state(&self) -> &'s [u8] {
        self.state
    }

    /// All of its bytes, and zeros above them, if it is short.
    #[inline(always)]
    pub fn word(&self) -> u128 {
        self.word
    }

    /// What it has in a column.
    #[inline(always)]
    pub fn value(&self, cut: Cut) -> u64 {
        let (start, length) = (cut.start as usize, self.state.len());
        if length > SHORT {
            return value_at(self.state, start, cut.end());
        }
        let word = (self.word >> (8 * start % 128)) as u64 & cut.mask;
        if length >= cut.end() {
            word | cut.tag
        } else {
            let bytes = length.saturating_sub(start) as u64;
            if bytes == 0 { 0 } else { word | bytes << 56 }
        }
    }
}

/// Well-mixed bits of a value, the upper ones best.
#[inline(always)]
pub(super) fn mixed(value: u64) -> u64 {
    let product = u128::from(value ^ 0x2d35_8dcc_aa6c_78a5) * 0x8bb8_4b93_962e_acc9_u128;
    (product as u64 ^ (product >> 64) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// The values of a column, numbered.
#[derive(Debug)]
pub(super) struct Column {
    /// What it covers.
    pub cut: Cut,
    values: Vec<u64>,
    /// Where a value is found by its hash: its number plus one in the lower bits, above it as many bits of
    /// the hash as there is room for; 0 where there is none. At most four in five are taken.
    places: Vec<u32>,
    /// So many bits of a place are the number.
    number_bits: u32,
    /// Values that were asked for lately, and their numbers: the successors of a state share most values with
    /// it.
    lately: Box<[(u64, u32); LATELY]>,
}

/// With so many values, a table of so many places is made longer: by a half.
const MOST_TAKEN: usize = 4;
const OF_PLACES: usize = 5;
/// The list of values grows by such a part of it.
const VALUES_GROW: usize = 8;

impl Column {
    pub fn new(cut: Cut) -> Column {
        Column {
            cut,
            values: Vec::new(),
            places: vec![0; FIRST_TABLE],
            number_bits: number_bits(FIRST_TABLE),
            lately: Box::new([(u64::MAX, 0); LATELY]),
        }
    }

    /// The value with a number.
    #[inline]
    pub fn value(&self, number: u32) -> u64 {
        self.values[number as usize]
    }

    /// The place among those that were asked for lately.
    #[inline(always)]
    fn lately(value: u64) -> usize {
        (value.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - LATELY.ilog2())) as usize
    }

    /// Where the search for a hash begins.
    #[inline(always)]
    fn home(&self, hash: u64) -> usize {
        (((hash >> 32) * self.places.len() as u64) >> 32) as usize
    }

    /// What a place has above the number, if its value has this hash. (The lower half: the upper one tells
    /// the place.)
    #[inline(always)]
    fn tag(&self, hash: u64) -> u32 {
        (u64::from(hash as u32) >> self.number_bits << self.number_bits) as u32
    }

    /// The number of a value, or the place where it belongs.
    #[inline]
    fn look_up(&self, value: u64, hash: u64) -> Result<u32, usize> {
        let (mut place, tag) = (self.home(hash), self.tag(hash));
        loop {
            let there = self.places[place];
            if there == 0 {
                return Err(place);
            }
            // The number plus one, if nothing is different above it.
            let number = there ^ tag;
            if u64::from(number) >> self.number_bits == 0 && self.values[number as usize - 1] == value {
                return Ok(number - 1);
            }
            place += 1;
            if place == self.places.len() {
                place = 0;
            }
        }
    }

    /// Begins to load what a value is looked up in.
    #[inline]
    fn prefetch(&self, value: u64) {
        if self.lately[Column::lately(value)].0 != value {
            prefetch(self.places.as_ptr().wrapping_add(self.home(mixed(value))));
        }
    }

    /// The numbers of values, which are given to those that have none.
    pub fn number_all(&mut self, values: &[u64; BLOCK], numbers: &mut [u32; BLOCK]) {
        let is_large = self.places.len() >= LARGE_TABLE;
        for (at, (&value, number)) in values.iter().zip(numbers).enumerate() {
            if is_large && let Some(&later) = values.get(at + AHEAD) {
                self.prefetch(later);
            }
            let lately = self.lately[Column::lately(value)];
            *number = if lately.0 == value { lately.1 } else { self.number(value) };
        }
    }

    /// The number of a value, which it is given if it has none.
    #[inline(never)]
    fn number(&mut self, value: u64) -> u32 {
        let hash = mixed(value);
        let number = match self.look_up(value, hash) {
            Ok(number) => number,
            Err(place) => self.add(place, value, hash),
        };
        self.lately[Column::lately(value)] = (value, number);
        number
    }

    #[cold]
    fn add(&mut self, place: usize, value: u64, hash: u64) -> u32 {
        // A store has fewer states than there are numbers, and a state brings one value at most.
        let number = u32::try_from(self.values.len()).expect("there are fewer values than states");
        if self.values.len() == self.values.capacity() {
            self.values.reserve_exact(self.values.len() / VALUES_GROW + FIRST_TABLE);
        }
        self.values.push(value);
        self.places[place] = self.tag(hash) | (number + 1);
        if self.values.len() * OF_PLACES > self.places.len() * MOST_TAKEN {
            self.grow();
        }
        number
    }

    fn grow(&mut self) {
        let length = self.places.len() / 2 * 3;
        // The shorter table goes before the longer one comes.
        self.places = Vec::new();
        self.places = vec![0; length];
        self.number_bits = number_bits(length);
        for (number, &value) in (1..).zip(&self.values) {
            let hash = mixed(value);
            let mut place = self.home(hash);
            while self.places[place] != 0 {
                place = if place + 1 < length { place + 1 } else { 0 };
            }
            self.places[place] = self.tag(hash) | number;
        }
    }

    /// Bits of the greatest number.
    pub fn width(&self) -> u32 {
        width_of(self.values.len())
    }

    pub fn bytes(&self) -> u64 {
        (size_of::<Column>()
            + LATELY * size_of::<(u64, u32)>()
            + self.values.capacity() * 8
            + self.places.len() * 4) as u64
    }

    /// What it will ask for soon, to grow.
    pub fn upcoming_bytes(&self) -> u64 {
        let count = self.values.len() * 100;
        let is_list_full = count >= self.values.capacity() * 97;
        let values = if is_list_full { self.values.capacity() / VALUES_GROW + FIRST_TABLE } else { 0 };
        let is_table_full = count * OF_PLACES >= self.places.len() * MOST_TAKEN * 97;
        let places = if is_table_full { self.places.len() / 2 } else { 0 };
        (values * 8 + places * 4) as u64
    }
}

/// Bits of the numbers, counted from one, that a table of so many places may have.
fn number_bits(places: usize) -> u32 {
    u32::BITS.min(usize::BITS - places.leading_zeros())
}

/// Bits that the numbers of so many values need.
pub(super) fn width_of(values: usize) -> u32 {
    usize::BITS - values.saturating_sub(1).leading_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_their_bytes_and_their_length() {
        let state: Vec<u8> = (1..=30).collect();
        for length in 0..=30 {
            for start in 0..32 {
                for end in start..start + MOST_BYTES + 1 {
                    let state = &state[..length];
                    let part = &state[start.min(length)..end.min(length)];
                    let value = value_at(state, start, end);
                    assert_eq!(bytes_of(value), part.len());
                    assert_eq!(&value.to_le_bytes()[..part.len()], part);
                    assert_eq!(value & !mask(part.len()) & mask(7), 0);
                }
            }
        }
    }

    /// Both ways to take a value from a state.
    #[test]
    fn short_states_have_the_same_values() {
        let state: Vec<u8> = (1..=100).collect();
        for length in 0..=100 {
            let state = &state[..length];
            let sliced = Sliced::new(state);
            for start in 0..102 {
                for end in start..start + MOST_BYTES + 1 {
                    let cut = Cut::all(&[start, end])[0];
                    assert_eq!(sliced.value(cut), value_at(state, start, end), "{length}: {start} to {end}");
                }
            }
        }
    }

    /// A state that is put together is the state, and no other: not one that is longer by zeros, either.
    #[test]
    fn put_together() {
        let all: Vec<u8> =
            (0..24).map(|i: u8| if i % 3 == 2 { 0 } else { i.wrapping_mul(37).wrapping_add(200) }).collect();
        for places in [
            vec![0, 7, 14, 21, 24],
            vec![0, 1, 8, 9, 16, 23, 24],
            vec![0, 3, 10, 17, 24],
            vec![0, 5, 6, 13, 20, 24],
            (0..=24).collect(),
        ] {
            let cuts = Cut::all(&places);
            for length in 0..=all.len() {
                let state = &all[..length];
                let mut assembled = Assembled::default();
                let sliced = Sliced::new(state);
                cuts.iter().for_each(|cut| assembled.add(sliced.value(*cut), cut));
                for other_length in 0..=SHORT {
                    let other = &all[..other_length];
                    assert_eq!(assembled.is(&Sliced::new(other)), other == state, "{places:?} {length}");
                    for byte in 0..other_length {
                        let mut other = other.to_vec();
                        other[byte] ^= 0x80;
                        assert!(!assembled.is(&Sliced::new(&other)), "{places:?} {length} {byte}");
                    }
                }
                if length <= SHORT {
                    let (bytes, count) = assembled.bytes();
                    assert_eq!(&bytes[..count], state);
                }
            }
        }
    }

    #[test]
    fn widths() {
        assert_eq!([0, 1, 2, 3, 4, 5, 256, 257].map(width_of), [0, 0, 1, 2, 2, 3, 8, 9]);
    }

    #[test]
    fn numbers_count_up() {
        let mut column = Column::new(Cut::all(&[0, 7])[0]);
        for _ in 0..2 {
            for i in 0..100_000u32 {
                // In the upper bytes, so that values differ where a poor hash would not look.
                let value = u64::from(i) << 24 | 3;
                assert_eq!((column.number(value), column.value(i)), (i, value));
            }
        }
        assert_eq!(column.values.len(), 100_000);
    }
}
