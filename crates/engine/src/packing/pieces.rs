//! Pieces of states, numbered: for each kind of piece a table of the values that were seen, in the order in
//! which they were.
//!
//! The lists of values are shared ([`super::shared`]). A worker has a copy of each, as far as it knows it,
//! and a hash table to find a value's number. Whatever is missing there is looked for in the shared list, and
//! added if nobody has seen it yet.

use super::shared::SharedTables;
use hashbrown::HashTable;
use std::sync::Arc;

/// Values of one kind.
#[derive(Debug, Default)]
struct Table {
    values: Vec<u64>,
    numbers: HashTable<u32>,
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
    recent: Box<[Recent]>,
}

#[inline]
fn hash(value: u64, kind: u32) -> u64 {
    let product = (value ^ ((kind as u64) << 40)) as u128 * 0x9e37_79b9_7f4a_7c15_u128;
    (product as u64 ^ (product >> 64) as u64).wrapping_mul(0xd6e8_feb8_6659_fd93)
}

impl Pieces {
    pub fn new(shared: Arc<SharedTables>) -> Pieces {
        let nothing = Recent { value: 0, kind: NO_KIND, number: 0 };
        let recent = vec![nothing; 1 << RECENT_BITS].into_boxed_slice();
        Pieces { shared, tables: Vec::new(), recent }
    }

    /// The number of a value.
    #[inline]
    pub fn number(&mut self, kind: u32, value: u64) -> u32 {
        let hash = hash(value, kind);
        let place = (hash >> (64 - RECENT_BITS)) as usize;
        let recent = &self.recent[place];
        if recent.value == value && recent.kind == kind {
            return recent.number;
        }
        let known = self.tables.get(kind as usize).and_then(|table| table.number(value, hash));
        let number = known.unwrap_or_else(|| self.learn_number(kind, value, hash));
        self.recent[place] = Recent { value, kind, number };
        number
    }

    /// The value with a number.
    #[inline]
    pub fn value(&mut self, kind: u32, number: u32) -> u64 {
        let known = self.tables.get(kind as usize).and_then(|table| table.values.get(number as usize));
        match known {
            Some(value) => *value,
            None => self.learn_value(kind, number),
        }
    }

    /// The number of a value that this worker does not know.
    #[cold]
    #[inline(never)]
    fn learn_number(&mut self, kind: u32, value: u64, hash: u64) -> u32 {
        let table = table_of(&mut self.tables, kind);
        let values = &mut self.shared.lock().values[kind as usize];
        table.copy_from(values, kind);
        table.number(value, hash).unwrap_or_else(|| {
            values.push(value);
            table.add(value, kind, hash)
        })
    }

    /// The value of a number that another worker has given out.
    #[cold]
    #[inline(never)]
    fn learn_value(&mut self, kind: u32, number: u32) -> u64 {
        let table = table_of(&mut self.tables, kind);
        table.copy_from(&self.shared.lock().values[kind as usize], kind);
        table.values[number as usize]
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
        let Table { values, numbers } = self;
        numbers.find(hash_of_value, |number| values[*number as usize] == value).copied()
    }

    fn add(&mut self, value: u64, kind: u32, hash_of_value: u64) -> u32 {
        let Table { values, numbers } = self;
        let number = u32::try_from(values.len()).expect("fewer pieces than states");
        values.push(value);
        numbers.insert_unique(hash_of_value, number, |number| hash(values[*number as usize], kind));
        number
    }

    /// Copies what it does not have yet.
    fn copy_from(&mut self, all: &[u64], kind: u32) {
        for &value in &all[self.values.len()..] {
            self.add(value, kind, hash(value, kind));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What one worker numbers, another one reads; and both have one number for a value that both meet.
    #[test]
    fn two_workers_agree() {
        let shared = Arc::<SharedTables>::default();
        shared.lock().values.resize_with(3, Vec::new);
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
            let distinct: std::collections::HashSet<u64> = values.iter().copied().collect();
            assert_eq!(distinct.len(), values.len(), "one value, two numbers");
            values.len()
        });
        assert!(lengths.sum::<usize>() > 6_000);
    }
}
