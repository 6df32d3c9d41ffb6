//! Notes per state that several workers share.
//!
//! A table grows in blocks, and a block stays where it is: who has a reference to an entry keeps it while
//! others make new blocks. A block is made by whoever needs it first and published once ([`OnceLock`]); after
//! that an entry costs two loads to find. Blocks are small, so that what is not used yet is little; the lists
//! of blocks double, so that there are few of them. A fresh entry is the default, which is zero everywhere
//! here.
//!
//! [`SharedColours`] are bits on top of that. All accesses are sequentially consistent: the proofs of the
//! checks know one order of all events, and on the processors at hand a load costs the same, while a write
//! that changes a bit has to be a locked instruction in any case.

use lariat_store::StateId;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::SeqCst};

/// Entries of a block, as a power of two.
const BLOCK: u32 = 12;
/// List `k` has 2^k blocks: so many lists are enough for all numbers of 32 bits.
const LISTS: usize = (32 - BLOCK + 1) as usize;

type Block<T> = OnceLock<Box<[T]>>;

/// An entry for every number of 32 bits, made when it is asked for.
pub struct SharedTable<T> {
    lists: [OnceLock<Box<[Block<T>]>>; LISTS],
    /// How many blocks there are.
    blocks: AtomicU32,
}

impl<T: Default> SharedTable<T> {
    pub fn new() -> SharedTable<T> {
        SharedTable { lists: std::array::from_fn(|_| OnceLock::new()), blocks: AtomicU32::new(0) }
    }

    #[inline]
    pub fn get(&self, index: u32) -> &T {
        let block = (index >> BLOCK) + 1;
        let list = block.ilog2();
        let blocks =
            self.lists[list as usize].get_or_init(|| (0..1u32 << list).map(|_| Block::new()).collect());
        let entries = blocks[(block - (1 << list)) as usize].get_or_init(|| {
            self.blocks.fetch_add(1, SeqCst);
            (0..1u32 << BLOCK).map(|_| T::default()).collect()
        });
        &entries[(index & ((1 << BLOCK) - 1)) as usize]
    }

    pub fn bytes(&self) -> u64 {
        u64::from(self.blocks.load(SeqCst)) * ((size_of::<T>() as u64) << BLOCK)
    }
}

/// A colour that a state has or has not, and never loses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum SharedColour {
    /// Somebody has looked at it.
    Seen,
    Blue,
    Red,
}

/// Four bits per state, one of them to spare: a state does not lie across two words.
const WIDTH: u32 = 4;
const PER_WORD: u32 = u64::BITS / WIDTH;

pub struct SharedColours(SharedTable<AtomicU64>);

impl SharedColours {
    pub fn new() -> SharedColours {
        SharedColours(SharedTable::new())
    }

    #[inline]
    fn place(&self, state: StateId, colour: SharedColour) -> (&AtomicU64, u64) {
        let bit = state.0 % PER_WORD * WIDTH + colour as u32;
        (self.0.get(state.0 / PER_WORD), 1 << bit)
    }

    #[inline]
    pub fn has(&self, state: StateId, colour: SharedColour) -> bool {
        let (word, bit) = self.place(state, colour);
        word.load(SeqCst) & bit != 0
    }

    /// Whether nobody has set it before.
    #[inline]
    pub fn set(&self, state: StateId, colour: SharedColour) -> bool {
        let (word, bit) = self.place(state, colour);
        word.load(SeqCst) & bit == 0 && word.fetch_or(bit, SeqCst) & bit == 0
    }

    pub fn bytes(&self) -> u64 {
        self.0.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_all_numbers() {
        let table: SharedTable<AtomicU32> = SharedTable::new();
        let numbers = [0, 1, 4095, 4096, 4097, 12_287, 12_288, 1 << 20, u32::MAX - 1, u32::MAX];
        for (value, &number) in numbers.iter().enumerate() {
            assert_eq!(table.get(number).load(SeqCst), 0);
            table.get(number).store(value as u32 + 1, SeqCst);
        }
        for (value, &number) in numbers.iter().enumerate() {
            assert_eq!(table.get(number).load(SeqCst), value as u32 + 1);
        }
        assert_eq!(table.bytes(), 6 * 4096 * 4);
    }

    #[test]
    fn colours_do_not_touch_their_neighbours() {
        let colours = SharedColours::new();
        assert!(
            colours.set(StateId(17), SharedColour::Blue) && !colours.set(StateId(17), SharedColour::Blue)
        );
        let of = |state| {
            [SharedColour::Seen, SharedColour::Blue, SharedColour::Red]
                .map(|c| colours.has(StateId(state), c))
        };
        assert_eq!((of(16), of(17), of(18)), ([false; 3], [false, true, false], [false; 3]));
    }

    #[test]
    fn each_entry_is_won_by_one_thread() {
        let colours = SharedColours::new();
        let won = |_| (0..100_000).filter(|&k| colours.set(StateId(k), SharedColour::Seen)).count();
        let total: usize = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|k| scope.spawn(move || won(k))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).sum()
        });
        assert_eq!(total, 100_000);
    }
}
