//! Pieces of states, numbered: for each kind of piece a table of the values that were seen, in the order in
//! which they were.
//!
//! The lists of values are shared ([`super::shared`]). A worker has a copy of each, as far as it knows it,
//! and a hash table to find a value's number. Whatever is missing there is looked for in the shared list, and
//! added if nobody has seen it yet.
//!
//! Where one process does all the work, nearly every state brings a new value of its piece. To number it
//! would be to look up every state twice, once as a piece and once as a state, in two tables of the same
//! size. So such a list is *closed* ([`super::shared::Closing`]): it gets no more values, and from then on a
//! value that is not in it stands for itself, as the number that lies so far behind the last one of the list
//! as the value is large. Every value has one number, before and after, so nothing that is stored changes.
//! The list stays so short that it lies in the processor's cache. A worker that knows that a list is closed
//! has all of it: otherwise a value that is in the list would get a second number.

use super::shared::{SharedTables, Values};
use hashbrown::HashTable;
use std::sync::Arc;

/// Values of one kind.
#[derive(Debug, Default)]
struct Table {
    values: Vec<u64>,
    numbers: HashTable<u32>,
    /// There are no others in the list, and there never will be.
    is_closed: bool,
}

/// A piece that was looked up not long ago.
#[derive(Clone, Copy, Debug)]
struct Recent {
    value: u64,
    kind: u32,
    number: u32,
}

const RECENT_BITS: u32 = 12;
const NO_KIND: u32 = u32::MAX;

/// All tables.
#[derive(Debug)]
pub struct Pieces {
    shared: Arc<SharedTables>,
    tables: Vec<Table>,
    recent: Box<[Recent; 1 << RECENT_BITS]>,
}

#[inline]
fn hash(value: u64, kind: u32) -> u64 {
    let product = (value ^ ((kind as u64) << 40)) as u128 * 0x9e37_79b9_7f4a_7c15_u128;
    (product as u64 ^ (product >> 64) as u64).wrapping_mul(0xd6e8_feb8_6659_fd93)
}

/// Where a value is among those that were looked up not long ago. Small neighbouring values are neighbours
/// there, and those of different kinds lie far from each other: so that few lines of the cache have them.
#[inline(always)]
fn recent_place(value: u64, kind: u32) -> usize {
    const MASK: u64 = (1 << RECENT_BITS) - 1;
    let higher = (value >> RECENT_BITS).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - RECENT_BITS);
    let of_kind = kind.wrapping_mul(0x9e37_79b9) >> (32 - RECENT_BITS);
    ((value ^ higher).wrapping_add(of_kind.into()) & MASK) as usize
}

impl Pieces {
    pub fn new(shared: Arc<SharedTables>) -> Pieces {
        let nothing = Recent { value: 0, kind: NO_KIND, number: 0 };
        let recent = Box::new([nothing; 1 << RECENT_BITS]);
        Pieces { shared, tables: Vec::new(), recent }
    }

    /// The number of a value.
    #[inline(always)]
    pub fn number(&mut self, kind: u32, value: u64) -> u64 {
        let recent = &self.recent[recent_place(value, kind)];
        // (Also if the list has been closed since: a value keeps its number.)
        if recent.value == value && recent.kind == kind {
            return u64::from(recent.number);
        }
        self.look_up(kind, value)
    }

    #[inline(never)]
    fn look_up(&mut self, kind: u32, value: u64) -> u64 {
        let hash = hash(value, kind);
        if let Some(table) = self.tables.get(kind as usize)
            && table.is_closed
        {
            return table.number(value, hash).map_or_else(|| table.number_behind(value), u64::from);
        }
        let known = self.tables.get(kind as usize).and_then(|table| table.number(value, hash));
        let Some(number) = known.or_else(|| self.learn_number(kind, value, hash)) else {
            return self.tables[kind as usize].number_behind(value);
        };
        self.recent[recent_place(value, kind)] = Recent { value, kind, number };
        u64::from(number)
    }

    /// The value with a number.
    #[inline]
    pub fn value(&mut self, kind: u32, number: u64) -> u64 {
        match self.tables.get(kind as usize).and_then(|table| table.value(number)) {
            Some(value) => value,
            None => self.learn_value(kind, number),
        }
    }

    /// The number of a value that this worker does not know; `None` if it is not in the list, which is
    /// closed.
    #[cold]
    #[inline(never)]
    fn learn_number(&mut self, kind: u32, value: u64, hash: u64) -> Option<u32> {
        let table = table_of(&mut self.tables, kind);
        let mut tables = self.shared.lock();
        table.copy_from(&tables.values[kind as usize], kind);
        let known = table.number(value, hash);
        if known.is_some() || table.is_closed {
            return known;
        }
        tables.add_value(kind, value);
        let number = table.add(value, kind, hash);
        table.is_closed = tables.values[kind as usize].is_closed;
        Some(number)
    }

    /// The value of a number that another worker has given out.
    #[cold]
    #[inline(never)]
    fn learn_value(&mut self, kind: u32, number: u64) -> u64 {
        let table = table_of(&mut self.tables, kind);
        table.copy_from(&self.shared.lock().values[kind as usize], kind);
        table.value(number).expect("a state of another search")
    }

    pub fn bytes(&self) -> u64 {
        let of = |table: &Table| table.values.capacity() * 8 + table.numbers.allocation_size();
        (self.tables.iter().map(of).sum::<usize>() + size_of_val(&self.recent[..])) as u64
    }
}

fn table_of(tables: &mut Vec<Table>, kind: u32) -> &mut Table {
    if tables.len() <= kind as usize {
        tables.resize_with(kind as usize + 1, Table::default);
    }
    &mut tables[kind as usize]
}

impl Table {
    #[inline]
    fn number(&self, value: u64, hash_of_value: u64) -> Option<u32> {
        let Table { values, numbers, .. } = self;
        numbers.find(hash_of_value, |number| values[*number as usize] == value).copied()
    }

    /// The value with a number, if this worker knows it.
    #[inline]
    fn value(&self, number: u64) -> Option<u64> {
        let Table { values, is_closed, .. } = self;
        match values.get(number as usize) {
            Some(value) => Some(*value),
            None => is_closed.then(|| number - values.len() as u64),
        }
    }

    /// The number of a value that is not in the list, which is closed. Values have at most 63 bits
    /// ([`super::plan::PIECE_BITS`]), so there is one for each.
    #[inline]
    fn number_behind(&self, value: u64) -> u64 {
        debug_assert!(self.is_closed && value >> 63 == 0);
        self.values.len() as u64 + value
    }

    fn add(&mut self, value: u64, kind: u32, hash_of_value: u64) -> u32 {
        let Table { values, numbers, .. } = self;
        let number = u32::try_from(values.len()).expect("fewer pieces than states");
        values.push(value);
        numbers.insert_unique(hash_of_value, number, |number| hash(values[*number as usize], kind));
        number
    }

    /// Copies what it does not have yet.
    fn copy_from(&mut self, all: &Values, kind: u32) {
        for &value in &all.list[self.values.len()..] {
            self.add(value, kind, hash(value, kind));
        }
        self.is_closed = all.is_closed;
    }
}

#[cfg(test)]
mod tests {
    use super::super::shared::Closing;
    use super::*;

    /// What one worker numbers, another one reads; and both have one number for a value that both meet.
    #[test]
    fn two_workers_agree() {
        let shared = Arc::<SharedTables>::default();
        shared.lock().values.resize_with(3, Values::default);
        let [mut one, mut other] = [0, 1].map(|_| Pieces::new(shared.clone()));
        let mut seed = 1u64;
        for _ in 0..10_000 {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let (kind, value) = ((seed >> 33) as u32 % 3, seed >> 52);
            let (writer, reader) =
                if seed >> 40 & 1 == 0 { (&mut one, &mut other) } else { (&mut other, &mut one) };
            let number = writer.number(kind, value);
            assert_eq!(writer.value(kind, number), value);
            if seed >> 41 & 3 == 0 {
                assert_eq!(reader.value(kind, number), value);
                assert_eq!(reader.number(kind, value), number);
            }
        }
        let tables = shared.lock();
        let lengths = tables.values.iter().map(|values| {
            let distinct: std::collections::HashSet<u64> = values.list.iter().copied().collect();
            assert_eq!(distinct.len(), values.list.len(), "one value, two numbers");
            values.list.len()
        });
        assert!(lengths.sum::<usize>() > 6_000);
    }

    /// Values that differ only in their upper half, or by their kind, and so many that they have the same
    /// places among those that were looked up not long ago.
    #[test]
    fn values_that_differ_in_few_bits() {
        let shared = Arc::<SharedTables>::default();
        shared.lock().values.resize_with(2, Values::default);
        let mut pieces = Pieces::new(shared);
        let mut numbers = std::collections::HashMap::new();
        for turn in 0..2 {
            for i in 0..40_000u64 {
                for (kind, value) in [(0, i << 32), (0, i << 32 | 7), (1, i << 40 | 7), (0, i), (1, i)] {
                    let number = pieces.number(kind, value);
                    assert_eq!(*numbers.entry((kind, value)).or_insert(number), number, "turn {turn}");
                    assert_eq!(pieces.value(kind, number), value);
                }
            }
        }
    }

    /// The same where lists are closed early: values of any size, in the list and behind it, by workers one
    /// of which notices it later than the other.
    #[test]
    fn closed_lists() {
        let shared = Arc::<SharedTables>::default();
        shared.close(Closing::After(100));
        shared.lock().values.resize_with(2, Values::default);
        let [mut one, mut other] = [0, 1].map(|_| Pieces::new(shared.clone()));
        let mut numbers = std::collections::HashMap::new();
        let mut seed = 1u64;
        for i in 0..20_000 {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            // Small ones, which would be numbers of the list, and large ones.
            let shift = [1, 30, 54][(seed >> 20) as usize % 3];
            let (kind, value) = ((seed >> 33) as u32 % 2, seed.rotate_left(20) >> 1 >> (shift - 1));
            let (writer, reader) = match seed >> 40 & 7 {
                0 => (&mut other, &mut one),
                _ => (&mut one, &mut other),
            };
            let number = writer.number(kind, value);
            assert_eq!(writer.value(kind, number), value);
            assert_eq!(*numbers.entry((kind, value)).or_insert(number), number, "one value, two numbers");
            if i % 16 == 0 {
                assert_eq!((reader.value(kind, number), reader.number(kind, value)), (value, number));
            }
        }
        assert!(shared.lock().values.iter().all(|values| values.is_closed && values.list.len() == 100));
        let distinct: std::collections::HashSet<(u32, u64)> =
            numbers.iter().map(|((kind, _), number)| (*kind, *number)).collect();
        assert_eq!(distinct.len(), numbers.len(), "two values, one number");
    }
}
