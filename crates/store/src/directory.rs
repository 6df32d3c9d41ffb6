//! A list that only gets longer, and never moves: readers need no lock.
//!
//! It comes in parts of one length, each made when it is first needed. So what a reader holds stays where it
//! is while another thread makes the list longer, and the place of an entry is two shifts away from its
//! number. Parts are listed in wings, of which only the first is there from the beginning: of the list of
//! chunks it is enough for half a billion states.
//!
//! Every look at a state goes through here: with parts that double in length, which would take 20 KiB less, a
//! search executes some 2 % more instructions.

use std::sync::OnceLock;

const PART: usize = 1 << 10;
const WING_PARTS: usize = 1 << 9;
const WING: usize = PART * WING_PARTS;
const FAR_WINGS: usize = 31;

type Wing<T> = [OnceLock<Box<[T; PART]>>; WING_PARTS];

/// A list of up to 2²⁴ entries.
#[derive(Debug)]
pub(crate) struct Directory<T> {
    near: Box<Wing<T>>,
    far: [OnceLock<Box<Wing<T>>>; FAR_WINGS],
}

fn new_wing<T>() -> Box<Wing<T>> {
    Box::new([const { OnceLock::new() }; WING_PARTS])
}

impl<T: Default> Directory<T> {
    pub fn new() -> Directory<T> {
        Directory { near: new_wing(), far: [const { OnceLock::new() }; FAR_WINGS] }
    }

    /// `None` where nobody has asked for an entry nearby yet.
    #[inline]
    pub fn get(&self, at: u32) -> Option<&T> {
        let at = at as usize;
        let wing = if at < WING { &self.near } else { self.far_wing(at)?.get()? };
        wing[at / PART % WING_PARTS].get().map(|entries| &entries[at % PART])
    }

    #[cold]
    fn far_wing(&self, at: usize) -> Option<&OnceLock<Box<Wing<T>>>> {
        self.far.get(at / WING - 1)
    }

    /// The entry, with its default value if it is new; `None` if there are too many.
    pub fn get_or_make(&self, at: u32) -> Option<&T> {
        let at = at as usize;
        let wing = if at < WING { &self.near } else { self.far_wing(at)?.get_or_init(new_wing) };
        let part = &wing[at / PART % WING_PARTS];
        Some(&part.get_or_init(|| Box::new(std::array::from_fn(|_| T::default())))[at % PART])
    }

    /// The wings that are there, with the number of their first entry.
    fn wings(&self) -> impl Iterator<Item = (u64, &Wing<T>)> {
        let far = self.far.iter().map(|wing| wing.get().map(|wing| &**wing));
        let wings = std::iter::once(Some(&*self.near)).chain(far);
        (0..).step_by(WING).zip(wings).filter_map(|(first, wing)| Some((first, wing?)))
    }

    /// All entries that are there, with their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (u64, &T)> {
        let parts = self.wings().flat_map(|(first, wing)| (first..).step_by(PART).zip(wing));
        let parts = parts.filter_map(|(first, part)| Some((first, part.get()?)));
        parts.flat_map(|(first, part)| (first..).zip(part.iter()))
    }

    pub fn bytes(&self) -> u64 {
        let wing_bytes = |wing: &Wing<T>| {
            size_of_val(wing) + wing.iter().filter_map(|part| part.get()).count() * size_of::<[T; PART]>()
        };
        self.wings().map(|(_, wing)| wing_bytes(wing) as u64).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_has_its_own_place() {
        let list: Directory<OnceLock<u32>> = Directory::new();
        let wing = WING as u32;
        let places = [0, 1, 1023, 1024, 5000, wing - 1, wing, wing + 1024, 2 * wing + 7, (1 << 24) - 1];
        for at in places {
            assert!(list.get_or_make(at).unwrap().set(at).is_ok());
        }
        for at in places {
            assert_eq!(list.get(at).unwrap().get(), Some(&at));
        }
        assert!(list.get_or_make(1 << 24).is_none() && list.get_or_make(u32::MAX).is_none());
        let found: Vec<u32> = list.iter().filter_map(|(_, entry)| entry.get().copied()).collect();
        assert_eq!(found, places);
        for (number, entry) in list.iter() {
            assert!(std::ptr::eq(entry, list.get(number as u32).unwrap()));
        }
    }

    #[test]
    fn entries_are_there_when_they_were_made() {
        let list: Directory<u64> = Directory::new();
        let empty = list.bytes();
        assert!(list.get(0).is_none() && list.iter().next().is_none() && list.get(u32::MAX).is_none());
        for first in [3 * PART as u32, (2 * WING + 5 * PART) as u32] {
            list.get_or_make(first + 100);
            assert!(list.get(first - 1).is_none() && list.get(first + PART as u32).is_none());
            assert!(list.get(first).is_some() && list.get(first + PART as u32 - 1).is_some());
        }
        let parts = 2 * size_of::<[u64; PART]>() as u64;
        assert_eq!((list.iter().count(), list.bytes()), (2 * PART, 2 * empty + parts));
    }
}
