//! Pieces of states, numbered: for each kind of piece a table of the values that were seen, in the order in
//! which they were.

use hashbrown::HashTable;

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
    tables: Vec<Table>,
    recent: Box<[Recent]>,
}

#[inline]
fn hash(value: u64, kind: u32) -> u64 {
    let product = (value ^ ((kind as u64) << 40)) as u128 * 0x9e37_79b9_7f4a_7c15_u128;
    (product as u64 ^ (product >> 64) as u64).wrapping_mul(0xd6e8_feb8_6659_fd93)
}

impl Pieces {
    pub fn new() -> Pieces {
        let nothing = Recent { value: 0, kind: NO_KIND, number: 0 };
        Pieces { tables: Vec::new(), recent: vec![nothing; 1 << RECENT_BITS].into_boxed_slice() }
    }

    /// A table for a new kind.
    pub fn add_kind(&mut self) -> u32 {
        self.tables.push(Table::default());
        self.tables.len() as u32 - 1
    }

    /// The number of a value.
    #[inline]
    pub fn number(&mut self, kind: u32, value: u64) -> u32 {
        let hash = hash(value, kind);
        let recent = &mut self.recent[(hash >> (64 - RECENT_BITS)) as usize];
        if recent.value == value && recent.kind == kind {
            return recent.number;
        }
        let number = self.tables[kind as usize].number(value, kind, hash);
        *recent = Recent { value, kind, number };
        number
    }

    /// The value with a number.
    #[inline]
    pub fn value(&self, kind: u32, number: u32) -> u64 {
        self.tables[kind as usize].values[number as usize]
    }

    pub fn bytes(&self) -> u64 {
        let of = |table: &Table| table.values.capacity() * 8 + table.numbers.allocation_size();
        (self.tables.iter().map(of).sum::<usize>() + size_of_val(&self.recent[..])) as u64
    }
}

impl Table {
    fn number(&mut self, value: u64, kind: u32, hash_of_value: u64) -> u32 {
        let Table { values, numbers } = self;
        if let Some(number) = numbers.find(hash_of_value, |number| values[*number as usize] == value) {
            return *number;
        }
        let number = u32::try_from(values.len()).expect("fewer pieces than states");
        values.push(value);
        numbers.insert_unique(hash_of_value, number, |number| hash(values[*number as usize], kind));
        number
    }
}
