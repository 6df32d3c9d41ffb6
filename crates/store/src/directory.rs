//! A list that only gets longer, and never moves: readers need no lock.
//!
//! Its parts double in length, and each is made when it is first needed. So the place of an entry is a few shifts away from its
//! number, and what a reader holds stays where it is while another thread makes the list longer.

use std::sync::OnceLock;

const FIRST_BITS: u32 = 6;
/// Enough for every number of 32 bits.
const PARTS: usize = 33 - FIRST_BITS as usize;

#[derive(Debug)]
pub(crate) struct Directory<T> {
    parts: [OnceLock<Box<[T]>>; PARTS],
}

impl<T: Default> Directory<T> {
    pub fn new() -> Directory<T> {
        Directory { parts: [const { OnceLock::new() }; PARTS] }
    }

    /// The part of an entry, and its place there.
    #[inline]
    fn place(at: u32) -> (usize, usize) {
        let shifted = at as u64 + (1 << FIRST_BITS);
        let bits = shifted.ilog2();
        ((bits - FIRST_BITS) as usize, (shifted - (1 << bits)) as usize)
    }

    /// `None` where nobody has asked for an entry nearby yet.
    #[inline]
    pub fn get(&self, at: u32) -> Option<&T> {
        let (part, place) = Self::place(at);
        self.parts[part].get().map(|entries| &entries[place])
    }

    /// The entry, with its default value if it is new.
    #[inline]
    pub fn get_or_make(&self, at: u32) -> &T {
        let (part, place) = Self::place(at);
        let make = || (0..1u64 << (part as u32 + FIRST_BITS)).map(|_| T::default()).collect();
        &self.parts[part].get_or_init(make)[place]
    }

    /// All entries that are there, with their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (u64, &T)> {
        let first_of = |part: usize| (1u64 << (part as u32 + FIRST_BITS)) - (1 << FIRST_BITS);
        let parts = self.parts.iter().enumerate().filter_map(|(number, part)| Some((number, part.get()?)));
        parts.flat_map(move |(number, part)| (first_of(number)..).zip(part))
    }

    pub fn bytes(&self) -> u64 {
        self.parts.iter().filter_map(|part| part.get()).map(|part| size_of_val(&part[..]) as u64).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_has_its_own_place() {
        let mut expected = (0, 0);
        for at in 0..100_000u32 {
            assert_eq!(Directory::<u8>::place(at), expected);
            expected.1 += 1;
            if expected.1 == 1 << (expected.0 as u32 + FIRST_BITS) {
                expected = (expected.0 + 1, 0);
            }
        }
        assert!(Directory::<u8>::place(u32::MAX).0 < PARTS);
    }

    #[test]
    fn entries_are_there_when_they_were_made() {
        let list: Directory<u64> = Directory::new();
        assert!(list.get(0).is_none() && list.iter().next().is_none() && list.bytes() == 0);
        list.get_or_make(100);
        assert!(list.get(0).is_none() && list.get(64).is_some() && list.get(192).is_none());
        assert_eq!((list.iter().count(), list.bytes()), (128, 1024));
        for (number, entry) in list.iter() {
            assert!(std::ptr::eq(entry, list.get(number as u32).unwrap()));
        }
    }
}
