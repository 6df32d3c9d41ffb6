//! The form of a checkpoint file: numbers and bytes, in blocks, each with a sum.
//!
//! ```text
//! "LariatCP" │ version │ block │ block │ … │ empty block
//! block: length (4 bytes) │ bytes │ sum (8 bytes)
//! ```
//!
//! Numbers with a fixed length are little-endian. The sum is one over the number of the block, its length and
//! its bytes: each word is added by an operation that can be undone, so two blocks that differ in one word
//! never have the same sum, and others hardly ever. The empty block says that nothing is missing, and nothing
//! may follow. Inside of the blocks a number is written seven bits to a byte, the lowest first; the highest
//! bit says that there is more.

use std::fmt;
use std::io::{self, Read, Write};

const MAGIC: &[u8; 8] = b"LariatCP";
/// Of what is in a file: it goes up when anything is written otherwise.
const VERSION: u32 = 3;
/// A block is not longer, when it is written.
const BLOCK: usize = 1 << 18;
/// A block that says that it is longer is none of ours: one entry may go beyond.
const LONGEST_BLOCK: usize = 1 << 28;

/// Whether a file begins as checkpoints do, of whatever version.
pub fn is_checkpoint(mut file: impl Read) -> std::io::Result<bool> {
    let mut magic = Vec::new();
    file.by_ref().take(MAGIC.len() as u64).read_to_end(&mut magic)?;
    Ok(magic == MAGIC)
}

/// Why a file cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable(pub String);

impl Unreadable {
    /// Something is not as it was written.
    pub fn damaged() -> Unreadable {
        Unreadable("it is damaged".to_string())
    }
}

impl fmt::Display for Unreadable {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl std::error::Error for Unreadable {}

fn sum(number: u64, block: &[u8]) -> u64 {
    let add = |sum: u64, word: u64| (sum ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    let mut sum = add(add(0x5851_f42d_4c95_7f2d, number), block.len() as u64);
    let (words, rest) = block.as_chunks::<8>();
    for word in words {
        sum = add(sum, u64::from_le_bytes(*word));
    }
    rest.iter().fold(sum, |sum, byte| add(sum, u64::from(*byte)))
}

/// Writes numbers and bytes. An error is kept until the end.
pub struct Writer<'a> {
    out: &'a mut dyn Write,
    block: Vec<u8>,
    blocks: u64,
    result: io::Result<()>,
}

impl<'a> Writer<'a> {
    /// With what stands before everything else.
    pub(super) fn begin(out: &'a mut dyn Write, header: &[u8]) -> Writer<'a> {
        let result = out.write_all(MAGIC).and_then(|()| out.write_all(&VERSION.to_le_bytes()));
        let mut writer = Writer { out, block: Vec::with_capacity(BLOCK + 4096), blocks: 0, result };
        writer.text(header);
        writer
    }

    /// A number.
    #[inline]
    pub fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.block.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.block.push(number as u8);
        if self.block.len() >= BLOCK {
            self.end_block();
        }
    }

    /// Yes or no.
    pub fn flag(&mut self, flag: bool) {
        self.number(u64::from(flag));
    }

    /// Bytes whose number is known to the reader.
    #[inline]
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.block.extend_from_slice(bytes);
        if self.block.len() >= BLOCK {
            self.end_block();
        }
    }

    /// Bytes, and how many.
    pub fn text(&mut self, text: &[u8]) {
        self.number(text.len() as u64);
        for part in text.chunks(BLOCK) {
            self.bytes(part);
        }
    }

    #[cold]
    fn end_block(&mut self) {
        let block = std::mem::take(&mut self.block);
        if self.result.is_ok() {
            self.result = self.write_block(&block);
        }
        self.block = block;
        self.block.clear();
    }

    fn write_block(&mut self, block: &[u8]) -> io::Result<()> {
        let length = u32::try_from(block.len()).map_err(io::Error::other)?;
        self.out.write_all(&length.to_le_bytes())?;
        self.out.write_all(block)?;
        self.out.write_all(&sum(self.blocks, block).to_le_bytes())?;
        self.blocks += 1;
        Ok(())
    }

    /// The end of the file.
    pub(super) fn finish(mut self) -> io::Result<()> {
        if !self.block.is_empty() {
            self.end_block();
        }
        self.end_block();
        self.result
    }
}

/// Reads what a [`Writer`] has written.
pub struct Reader {
    input: Box<dyn Read + Send>,
    block: Vec<u8>,
    at: usize,
    blocks: u64,
}

impl fmt::Debug for Reader {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        write!(out, "Reader in block {}", self.blocks)
    }
}

impl Reader {
    /// Reads what stands before the first block.
    pub(super) fn begin(input: Box<dyn Read + Send>) -> Result<Reader, Unreadable> {
        let mut reader = Reader { input, block: Vec::new(), at: 0, blocks: 0 };
        let no_checkpoint = |_| Unreadable("it is no checkpoint".to_string());
        let magic: [u8; 8] = reader.fixed().map_err(no_checkpoint)?;
        if magic != *MAGIC {
            return Err(Unreadable("it is no checkpoint".to_string()));
        }
        let version = u32::from_le_bytes(reader.fixed()?);
        if version != VERSION {
            return Err(Unreadable(format!(
                "it is a checkpoint of form {version}, and this program knows form {VERSION}"
            )));
        }
        Ok(reader)
    }

    fn fixed<const N: usize>(&mut self) -> Result<[u8; N], Unreadable> {
        let mut bytes = [0; N];
        self.input.read_exact(&mut bytes).map_err(cut_off)?;
        Ok(bytes)
    }

    /// Whether there is another block.
    fn next_block(&mut self) -> Result<bool, Unreadable> {
        let length = u32::from_le_bytes(self.fixed()?) as usize;
        if length > LONGEST_BLOCK {
            return Err(Unreadable::damaged());
        }
        self.block.clear();
        self.at = 0;
        // As much as there is, not as much as the length says.
        let taken = self.input.by_ref().take(length as u64).read_to_end(&mut self.block).map_err(cut_off)?;
        if taken != length {
            return Err(Unreadable("its end is missing".to_string()));
        }
        if u64::from_le_bytes(self.fixed()?) != sum(self.blocks, &self.block) {
            return Err(Unreadable::damaged());
        }
        self.blocks += 1;
        Ok(length > 0)
    }

    /// Reads all that is left, and throws it away.
    pub(super) fn read_to_end(mut self) -> Result<(), Unreadable> {
        while self.next_block()? {}
        let mut more = [0];
        match self.input.read(&mut more) {
            Ok(0) => Ok(()),
            Ok(_) => Err(Unreadable("something follows its end".to_string())),
            Err(error) => Err(cut_off(error)),
        }
    }

    #[inline]
    fn byte(&mut self) -> Result<u8, Unreadable> {
        while self.at >= self.block.len() {
            if !self.next_block()? {
                return Err(Unreadable::damaged());
            }
        }
        self.at += 1;
        Ok(self.block[self.at - 1])
    }

    /// A number.
    #[inline]
    pub fn number(&mut self) -> Result<u64, Unreadable> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(Unreadable::damaged())
    }

    /// A number of 32 bits.
    pub fn small(&mut self) -> Result<u32, Unreadable> {
        u32::try_from(self.number()?).map_err(|_| Unreadable::damaged())
    }

    /// Yes or no.
    pub fn flag(&mut self) -> Result<bool, Unreadable> {
        Ok(self.number()? != 0)
    }

    /// So many bytes.
    #[inline]
    pub fn bytes(&mut self, into: &mut [u8]) -> Result<(), Unreadable> {
        for byte in into {
            *byte = self.byte()?;
        }
        Ok(())
    }

    /// Bytes, as many as stands before them.
    pub fn text(&mut self) -> Result<Vec<u8>, Unreadable> {
        let length = self.number()?;
        (0..length).map(|_| self.byte()).collect()
    }

    /// Everything must have been read by now.
    pub fn finish(mut self) -> Result<(), Unreadable> {
        match self.at < self.block.len() || self.next_block()? {
            true => Err(Unreadable::damaged()),
            false => Ok(()),
        }
    }
}

fn cut_off(error: io::Error) -> Unreadable {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => Unreadable("its end is missing".to_string()),
        _ => Unreadable(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Result<(), Unreadable> {
        Reader::begin(Box::new(io::Cursor::new(bytes.to_vec())))?.read_to_end()
    }

    #[test]
    fn numbers_come_back_and_no_bit_can_be_changed() {
        let numbers = [0, 1, 127, 128, 300, 1 << 35, u64::MAX, 5];
        let mut file = Vec::new();
        let mut writer = Writer::begin(&mut file, b"header");
        numbers.iter().for_each(|number| writer.number(*number));
        writer.bytes(&[7; 20]);
        writer.finish().unwrap();
        let mut reader = Reader::begin(Box::new(io::Cursor::new(file.clone()))).unwrap();
        assert_eq!(reader.text().unwrap(), b"header");
        assert!(numbers.iter().all(|number| reader.number() == Ok(*number)));
        let mut bytes = [0; 20];
        reader.bytes(&mut bytes).unwrap();
        assert_eq!(bytes, [7; 20]);
        reader.finish().unwrap();
        read(&file).unwrap();
        for bit in 0..file.len() * 8 {
            let mut other = file.clone();
            other[bit / 8] ^= 1 << (bit % 8);
            assert!(read(&other).is_err(), "bit {bit}");
        }
        for length in 0..file.len() {
            assert!(read(&file[..length]).is_err(), "{length}");
        }
        assert!(read(&[&file[..], &[0]].concat()).is_err());
    }

    #[test]
    fn blocks_cannot_change_places() {
        let mut file = Vec::new();
        let mut writer = Writer::begin(&mut file, b"");
        (0..3 * BLOCK).for_each(|k| writer.bytes(&[(k / BLOCK) as u8]));
        writer.finish().unwrap();
        read(&file).unwrap();
        let (first, rest) = file.split_at(12);
        let (one, rest) = rest.split_at(BLOCK + 12);
        let (two, rest) = rest.split_at(BLOCK + 12);
        assert!(read(&[first, one, two, rest].concat()).is_ok());
        assert!(read(&[first, two, one, rest].concat()).is_err());
        assert!(read(&[first, one, rest].concat()).is_err());
    }
}
