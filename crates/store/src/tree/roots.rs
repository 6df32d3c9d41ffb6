//! Roots: of every state, the numbers of its values, column by column, in as few bits as they need.
//!
//! Roots lie one behind the other in the order of their numbers, in blocks of 1024. The states of the last
//! block are *open*, and lie elsewhere (`open.rs`). When it is full it is *sealed*: each number of a column
//! gets as many bits as the greatest number of that column needs by then. So nothing is reserved for numbers
//! to come, and what is sealed never changes. Blocks are cut from slabs of up to 8 MiB, which do not move
//! either.

use super::columns::Column;
use crate::memory::{Words, prefetch};

const BLOCK_BITS: u32 = 10;
/// Roots of a block.
pub(super) const BLOCK: usize = 1 << BLOCK_BITS;
const FIRST_SLAB_WORDS: usize = 1 << 13;
const MOST_SLAB_WORDS: usize = 1 << 20;
/// So many numbers of a root are read at once.
pub(super) const FEW_COLUMNS: usize = 8;
pub(super) const MOST_SLAB_BYTES: u64 = 8 * MOST_SLAB_WORDS as u64;

/// Where in a root the number of a column lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Field {
    shift: u32,
    /// All bits that a number may have.
    mask: u32,
}

impl Field {
    /// The number that lies there, in a root of at most 64 bits.
    #[inline(always)]
    pub fn number(self, root: u64) -> u32 {
        root.wrapping_shr(self.shift) as u32 & self.mask
    }
}

/// How the roots of a block are packed. Columns that are not there had no bytes of any state.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Layout {
    fields: Vec<Field>,
    /// Of a root.
    bits: usize,
}

impl Layout {
    fn of(columns: &[Column]) -> Layout {
        let mut bits = 0;
        let field = |column: &Column| {
            let width = column.width();
            let field = Field { shift: bits, mask: ((1u64 << width) - 1) as u32 };
            bits += width;
            field
        };
        let fields = columns.iter().map(field).collect();
        Layout { fields, bits: bits as usize }
    }

    /// Of a block; two more, so that every number can be read as part of two words.
    fn block_words(&self) -> usize {
        (self.bits * BLOCK).div_ceil(64) + 2
    }
}

#[derive(Clone, Copy, Debug)]
struct Block {
    slab: u32,
    /// The first word.
    start: u32,
    layout: u32,
    /// Of a root.
    bits: u32,
}

/// A root that is in one word, though it may lie in two.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word<'r> {
    words: &'r [u64; 2],
    /// Among the bits of the block.
    place: u32,
    layout: u32,
}

impl Word<'_> {
    /// Its numbers, and bits of the next root above them.
    #[inline(always)]
    pub fn root(self) -> u64 {
        let shift = self.place % 64;
        self.words[0] >> shift | self.words[1] << 1 << (63 - shift)
    }
}

#[derive(Debug)]
pub(super) struct Roots {
    sealed: Vec<Block>,
    layouts: Vec<Layout>,
    slabs: Vec<Words>,
    /// Words of the last slab that blocks have.
    last_slab_used: usize,
    /// Words of all blocks.
    used: usize,
}

/// Sixty-four bits from a place on.
#[inline(always)]
fn bits_at(words: &[u64], place: usize) -> u64 {
    let (word, shift) = (place / 64, place % 64);
    words[word] >> shift | words[word + 1] << 1 << (63 - shift)
}

impl Roots {
    pub fn new() -> Roots {
        Roots { sealed: Vec::new(), layouts: Vec::new(), slabs: Vec::new(), last_slab_used: 0, used: 0 }
    }

    pub fn count(&self) -> usize {
        self.sealed.len() * BLOCK
    }

    /// Adds a block of roots: of each column, the numbers that they have there. `columns` are as they are
    /// with these.
    pub fn seal(&mut self, numbers: &[u32], columns: &[Column]) {
        let layout = Layout::of(columns);
        if self.layouts.last() != Some(&layout) {
            self.layouts.push(layout);
        }
        let layout = &self.layouts[self.layouts.len() - 1];
        let words = layout.block_words();
        if self.slabs.last().is_none_or(|slab| self.last_slab_used + words > slab.all().len()) {
            let doubled = self.slabs.last().map_or(FIRST_SLAB_WORDS, |slab| slab.all().len() * 2);
            self.slabs.push(Words::new(doubled.min(MOST_SLAB_WORDS).max(words)));
            self.last_slab_used = 0;
        }
        let slab = self.slabs.len() - 1;
        let start = self.last_slab_used;
        let packed = &mut self.slabs[slab].all_mut()[start..start + words];
        let mut put = |place: usize, bits: u64| {
            let (word, shift) = (place / 64, place % 64);
            packed[word] |= bits << shift;
            // What does not fit into that word, if anything.
            packed[word + 1] |= bits >> 1 >> (63 - shift);
        };
        let by_column = numbers.chunks_exact(BLOCK).zip(&layout.fields);
        if layout.bits <= 64 {
            let mut roots = [0; BLOCK];
            for (numbers, field) in by_column {
                let shift = field.shift % 64;
                roots.iter_mut().zip(numbers).for_each(|(root, &number)| *root |= u64::from(number) << shift);
            }
            roots.iter().enumerate().for_each(|(at, &root)| put(at * layout.bits, root));
        } else {
            for (numbers, field) in by_column {
                let places = (field.shift as usize..).step_by(layout.bits);
                places.zip(numbers).for_each(|(place, &number)| put(place, u64::from(number)));
            }
        }
        self.last_slab_used += words;
        self.used += words;
        let (bits, layout) = (layout.bits as u32, (self.layouts.len() - 1) as u32);
        self.sealed.push(Block { slab: slab as u32, start: start as u32, layout, bits });
    }

    /// The words of the block of a root, the place of the root in them, and its layout.
    #[inline(always)]
    fn place(&self, number: u32) -> (&[u64], usize, &Layout) {
        let block = &self.sealed[(number >> BLOCK_BITS) as usize];
        let layout = &self.layouts[block.layout as usize];
        let words = &self.slabs[block.slab as usize].all()[block.start as usize..];
        (words, number as usize % BLOCK * layout.bits, layout)
    }

    /// A root that is in one word, which begins to be loaded.
    #[inline(always)]
    pub fn word(&self, number: u32) -> Option<Word<'_>> {
        let block = &self.sealed[(number >> BLOCK_BITS) as usize];
        let place = number as usize % BLOCK * block.bits as usize;
        let first = block.start as usize + place / 64;
        let words = self.slabs[block.slab as usize].all().get(first..)?.first_chunk()?;
        prefetch(words);
        (block.bits <= 64).then_some(Word { words, place: place as u32, layout: block.layout })
    }

    /// Where each of the numbers lies in such a root: those that are missing have no bytes of the state.
    #[inline(always)]
    pub fn fields(&self, word: Word) -> &[Field] {
        &self.layouts[word.layout as usize].fields
    }

    /// The numbers of a root, column by column, and how many: columns that are missing at the end have no
    /// bytes of the state. `None` if there are too many.
    #[inline(always)]
    pub fn few_numbers(&self, number: u32, numbers: &mut [u32; FEW_COLUMNS]) -> Option<usize> {
        let (words, place, layout) = self.place(number);
        let fields = layout.fields.get(..layout.fields.len().min(FEW_COLUMNS))?;
        for (field, number) in fields.iter().zip(numbers) {
            *number = bits_at(words, place + field.shift as usize) as u32 & field.mask;
        }
        (fields.len() == layout.fields.len()).then_some(fields.len())
    }

    /// Whether something is true of all numbers of a root, of however many columns.
    pub fn all_numbers(&self, number: u32, is: &mut dyn FnMut(u32) -> bool) -> bool {
        let (words, place, layout) = self.place(number);
        let number_of = |field: &Field| bits_at(words, place + field.shift as usize) as u32 & field.mask;
        layout.fields.iter().all(|field| is(number_of(field)))
    }

    /// Begins to load a root.
    #[inline]
    pub fn prefetch(&self, number: u32) {
        if let Some(block) = self.sealed.get((number >> BLOCK_BITS) as usize) {
            let words = self.slabs[block.slab as usize].all().as_ptr();
            let word = block.start as usize + (number as usize % BLOCK) * block.bits as usize / 64;
            prefetch(words.wrapping_add(word));
        }
    }

    /// Gives back the memory of slabs that lie wholly before a root, which must not be asked for any more.
    pub fn forget_before(&mut self, number: u32) {
        let Some(block) = self.sealed.get((number >> BLOCK_BITS) as usize) else { return };
        if let Some(before) = (block.slab as usize).checked_sub(1)
            && self.slabs[before].all().len() > 1
        {
            self.slabs[before] = Words::new(1);
        }
    }

    pub fn bytes(&self) -> u64 {
        (self.used * 8) as u64
    }

    /// Bytes of everything else: what blocks and layouts are known by.
    pub fn auxiliary_bytes(&self) -> u64 {
        let lists = self.sealed.capacity() * size_of::<Block>() + self.slabs.capacity() * size_of::<Words>();
        let fields: usize = self.layouts.iter().map(|layout| layout.fields.len() * size_of::<Field>()).sum();
        (lists + fields) as u64
    }
}
