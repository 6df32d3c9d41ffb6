//! The portable form of a state: what a file or another machine understands.
//!
//! Stored states are made of numbers that depend on the order in which a search met things, so they mean
//! nothing without its tables. The portable form follows from the state and the model alone: equal states of
//! equal models have equal portable forms, whoever found them, and when.
//!
//! ```text
//! number of frames │ tag of each frame │ significant bits │ hidden bytes
//! ```
//!
//! - The *number of frames* and the *tags* (which process or channel type; processes first, in the order of
//!   the model) are written seven bits to a byte, the lowest first; the highest bit says that there is more.
//!   No number is longer than it must be.
//! - The *significant bits* are those of the bytes before the frames (globals, without hidden ones), then
//!   those of each frame in its order, as [`SignificantBits`] marks them: one behind the other, the lowest
//!   bit of the lowest byte first. Numbers in a working state are little-endian, so the bits of each come
//!   with the lowest first. The last byte is filled with zeros.
//! - The *hidden bytes* are as many as the model has, and stand as they are in the working state. They are no
//!   part of what makes two states equal, so they are no part of the hash.
//!
//! The hash is 64-bit FNV-1a of all bytes before the hidden ones, its bits mixed by the finaliser of
//! SplitMix64 so that all of them can be used (to choose a machine, say). Neither the form nor the hash may
//! change: files live longer than programs. Tests pin both down.
//!
//! What is read may come from anywhere. So [`Packer::from_portable`] refuses bytes that no state of the model
//! can have: frames of unknown types, locations and channel lengths out of range, bytes too few or too many.
//! Whether the state can be reached, it cannot tell.

use super::Packer;
use super::places::Heads;
use super::plan::SignificantBits;

/// Why bytes are not the portable form of any state of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotPortable {
    /// There are too few bytes, or too many.
    Length,
    /// A number is too large, or written with more bytes than it needs.
    Number,
    /// The model has no frame with such a tag, or no state with these frames.
    Frames,
    /// Behind the last significant bit there is something else than zeros.
    Filling,
    /// A process is at a location that its type does not have, or a channel holds more than it can.
    Header,
}

/// The hash of a portable state without its hidden bytes.
pub fn portable_hash(visible: &[u8]) -> u64 {
    let fnv = |hash: u64, byte: &u8| (hash ^ *byte as u64).wrapping_mul(0x0000_0100_0000_01b3);
    let hash = visible.iter().fold(0xcbf2_9ce4_8422_2325, fnv);
    let hash = (hash ^ hash >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let hash = (hash ^ hash >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ hash >> 31
}

fn push_number(out: &mut Vec<u8>, mut number: usize) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Takes a number of at most three bytes: no state has more frames, and no model more types.
fn take_number(bytes: &mut &[u8]) -> Result<usize, NotPortable> {
    let mut number = 0;
    for i in 0..3 {
        let (&byte, rest) = bytes.split_first().ok_or(NotPortable::Length)?;
        *bytes = rest;
        number |= (byte as usize & 0x7f) << (7 * i);
        if byte < 0x80 {
            return if byte == 0 && i > 0 { Err(NotPortable::Number) } else { Ok(number) };
        }
    }
    Err(NotPortable::Number)
}

/// Bits that are written one behind the other, the lowest first.
struct BitWriter<'a> {
    out: &'a mut Vec<u8>,
    /// Bits of the last byte that are used.
    used: u32,
}

impl BitWriter<'_> {
    fn push(&mut self, byte: u8, mask: u8) {
        for bit in (0..8).filter(|bit| mask >> bit & 1 == 1) {
            if self.used.is_multiple_of(8) {
                self.out.push(0);
            }
            if let Some(last) = self.out.last_mut() {
                *last |= (byte >> bit & 1) << (self.used % 8);
            }
            self.used += 1;
        }
    }
}

/// The same bits, read again.
struct BitReader<'a> {
    bytes: &'a [u8],
    used: usize,
}

impl<'a> BitReader<'a> {
    fn take(&mut self, mask: u8) -> Result<u8, NotPortable> {
        let mut byte = 0;
        for bit in (0..8).filter(|bit| mask >> bit & 1 == 1) {
            let source = self.bytes.get(self.used / 8).ok_or(NotPortable::Length)?;
            byte |= (source >> (self.used % 8) & 1) << bit;
            self.used += 1;
        }
        Ok(byte)
    }

    /// What follows the last byte of which a bit was taken.
    fn finish(self) -> Result<&'a [u8], NotPortable> {
        let (bits, rest) = self.bytes.split_at(self.used.div_ceil(8));
        let filling = bits.last().map_or(0, |last| (*last as u32) >> ((self.used + 7) % 8 + 1));
        if filling == 0 { Ok(rest) } else { Err(NotPortable::Filling) }
    }
}

impl Packer {
    /// How many bytes at the end of every portable state are hidden.
    pub fn hidden_size(&self) -> usize {
        self.hidden_size
    }

    /// Appends the portable form of a stored state.
    pub fn to_portable(&mut self, stored: &[u8], out: &mut Vec<u8>) {
        let (mut working, mut tags) = (Vec::new(), std::mem::take(&mut self.tags));
        self.unpack(stored, &mut working);
        self.tags_of(&working, &mut tags).expect("a state is made of whole frames");
        push_number(out, tags.len());
        tags.iter().for_each(|tag| push_number(out, *tag as usize));
        let SignificantBits { front, frames, .. } = &*self.significant;
        let masks = front.iter().chain(tags.iter().flat_map(|tag| &frames[*tag as usize]));
        let mut bits = BitWriter { out, used: 0 };
        working.iter().zip(masks).for_each(|(byte, mask)| bits.push(*byte, *mask));
        out.extend_from_slice(&working[self.globals_size..self.globals_size + self.hidden_size]);
        self.tags = tags;
    }

    /// Appends the stored form of a portable state, and nothing if it is none.
    pub fn from_portable(&mut self, portable: &[u8], stored: &mut Vec<u8>) -> Result<(), NotPortable> {
        let mut rest = portable;
        let count = take_number(&mut rest)?;
        let SignificantBits { front, frames, tag_size, heads, .. } = &*self.significant;
        let mut tags = Vec::new();
        for _ in 0..count {
            let tag = take_number(&mut rest)?;
            frames.get(tag).ok_or(NotPortable::Frames)?;
            tags.push(tag as u16);
        }
        if *heads == Heads::LeftOut && self.shapes.tags(0).is_some_and(|only| *only != tags[..]) {
            return Err(NotPortable::Frames);
        }
        let mut bits = BitReader { bytes: rest, used: 0 };
        let mut working = Vec::new();
        for mask in front {
            working.push(bits.take(*mask)?);
        }
        for &tag in &tags {
            let start = working.len();
            for (i, mask) in frames[tag as usize].iter().enumerate() {
                let tag = if i < *tag_size { tag.to_le_bytes()[i] } else { 0 };
                working.push(tag | bits.take(*mask)?);
            }
            if self.significant.header(tag, &working[start..])
                > self.significant.largest_headers[tag as usize]
            {
                return Err(NotPortable::Header);
            }
        }
        let hidden = bits.finish()?;
        if hidden.len() != self.hidden_size {
            return Err(NotPortable::Length);
        }
        working[self.globals_size..self.globals_size + self.hidden_size].copy_from_slice(hidden);
        self.pack(&working, stored);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The hash is part of a format: these values are for ever.
    #[test]
    fn hashes_never_change() {
        assert_eq!(portable_hash(b""), 0xf52a_15e9_a9b5_e89b);
        assert_eq!(portable_hash(b"a"), 0x02c0_bdbf_4814_20f8);
        assert_eq!(portable_hash(b"foobar"), 0x404d_a9e3_b740_78c2);
        assert_eq!(portable_hash(&[0; 32]), 0xd991_e919_0428_32c6);
    }

    #[test]
    fn numbers_have_one_form() {
        for number in (0..300).chain([0x3fff, 0x4000, 0xffff, 0x1f_ffff]) {
            let mut bytes = Vec::new();
            push_number(&mut bytes, number);
            let mut rest = &bytes[..];
            assert_eq!((take_number(&mut rest), rest), (Ok(number), &[][..]));
            assert_eq!(take_number(&mut &bytes[..bytes.len() - 1]), Err(NotPortable::Length));
        }
        assert_eq!(take_number(&mut &[0x80, 0][..]), Err(NotPortable::Number));
        assert_eq!(take_number(&mut &[0x80, 0x80, 0x80, 1][..]), Err(NotPortable::Number));
    }

    #[test]
    fn bits_come_back() {
        let masks = [0xff, 0, 1, 0x80, 0x3f, 0xff, 7];
        let bytes = [0xa5u8, 0xff, 0xff, 0x81, 0x2a, 0x11, 0xfe];
        for length in 0..=masks.len() {
            let mut out = vec![9];
            let mut writer = BitWriter { out: &mut out, used: 0 };
            bytes[..length].iter().zip(masks).for_each(|(byte, mask)| writer.push(*byte, mask));
            let used: u32 = masks[..length].iter().map(|mask| u8::count_ones(*mask)).sum();
            assert_eq!(out.len(), 1 + used.div_ceil(8) as usize);
            let mut reader = BitReader { bytes: &out[1..], used: 0 };
            let found: Vec<u8> = masks[..length].iter().map(|mask| reader.take(*mask).unwrap()).collect();
            assert!(found.iter().zip(bytes).zip(masks).all(|((found, byte), mask)| *found == byte & mask));
            assert_eq!(reader.finish(), Ok(&[][..]));
            if !used.is_multiple_of(8) {
                *out.last_mut().unwrap() |= 0x80;
                let mut reader = BitReader { bytes: &out[1..], used: 0 };
                assert!(masks[..length].iter().all(|mask| reader.take(*mask).is_ok()));
                assert_eq!(reader.finish(), Err(NotPortable::Filling));
            }
        }
    }
}
