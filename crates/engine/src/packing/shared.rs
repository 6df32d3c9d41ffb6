//! What all workers of one search share: the tables from which the numbers in stored states come.
//!
//! A worker must be able to read what another one has stored. So shapes, kinds of pieces, values of pieces
//! and the places of higher bytes are numbered once for all of them, here, in the order in which they were
//! first met by anybody. These tables only grow, and what is in them never changes.
//!
//! Nobody looks something up here while states are packed and unpacked. Every worker has a *copy* of the
//! beginning of each table, as far as it has needed it, with an index of its own ([`super::pieces`],
//! [`super::shapes`]). Only if something is missing there it takes the lock, copies what others have added,
//! and adds what is missing even then. The same happens when it reads a number that lies behind the end of
//! its copy. New values are rare (thousands, where states are millions), so there is hardly ever a worker at
//! the lock, and a search with one worker pays for an uncontended lock once for each new value.
//!
//! A list of values may be *closed* ([`Closing`]): it gets no more of them, and a value that is not in it
//! stands for itself ([`super::pieces`]).
//!
//! Remembered steps are not shared: they are a cache, and each worker has one of its own
//! ([`super::remembered`]).
//!
//! Rejected: tables in which all workers look things up (an atomic operation or a lock for every piece of
//! every state, and a cache line that travels); numbers that each worker gives out for itself from a range of
//! its own (one value would have several numbers, so equal states would be stored several times).

use super::places::Higher;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The frames of a shape, by their tags.
pub type Tags = Arc<[u16]>;
/// What a kind of pieces is part of: a frame with this tag, or what lies before the frames; and the how
/// manyeth part of it.
pub type Origin = (Option<u16>, u32);

/// When no more values of a kind are numbered.
///
/// Numbers make states short where few values come again and again. Where there is a value for every other
/// state, a number saves some bytes in the state, and its value takes three times as many in the list; and
/// to look it up takes as long as to look up the state. Which of the two it will be, the first thousands of
/// states tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Closing {
    /// Where the values are at least a half of the states, when there are 4096 of them; and whenever they
    /// are twice as many, if they are at least a quarter.
    #[default]
    ByShare,
    /// Never: every value is numbered.
    Never,
    /// When there are so many values. For tests.
    After(usize),
}

/// With so many values it is first asked whether more are to be numbered.
const FIRST_ASKED: usize = 1 << 12;

impl Closing {
    /// Whether a list with so many values is closed, when so many states have been taken.
    fn is_due(self, values: usize, states: impl FnOnce() -> u64) -> bool {
        match self {
            Closing::ByShare if values >= FIRST_ASKED && values.is_power_of_two() => {
                let share = if values == FIRST_ASKED { 2 } else { 4 };
                values as u64 * share >= states()
            }
            Closing::ByShare | Closing::Never => false,
            Closing::After(most) => values >= most,
        }
    }
}

/// The tables of one search, for any number of workers.
#[derive(Debug, Default)]
pub struct SharedTables(Mutex<Tables>);

/// What is numbered: everything by its place in a list.
#[derive(Debug, Default)]
pub struct Tables {
    pub shapes: Vec<SharedShape>,
    /// The kinds of pieces, and the values that were seen of each.
    pub kinds: Vec<Origin>,
    pub values: Vec<Values>,
    /// When these are closed.
    closing: Closing,
    /// Of every worker that there is or was.
    counts: Vec<Arc<Counts>>,
}

/// Values of one kind, in the order in which they were seen.
#[derive(Debug, Default)]
pub struct Values {
    pub list: Vec<u64>,
    /// There will be no others.
    pub is_closed: bool,
}

impl Values {
    /// Whether another list is the beginning of this one: a closed one only of itself.
    fn begins_with(&self, known: &Values) -> bool {
        self.list.starts_with(&known.list)
            && (!known.is_closed || self.is_closed && self.list.len() == known.list.len())
    }
}

impl Tables {
    /// Numbers a value, of a kind that is not closed; which may close it.
    pub fn add_value(&mut self, kind: u32, value: u64) {
        let Tables { values, closing, counts, .. } = self;
        let Values { list, is_closed } = &mut values[kind as usize];
        assert!(!*is_closed, "a closed list gets no more values");
        list.push(value);
        let states = || counts.iter().map(|counts| counts.unpacked.load(Ordering::Relaxed)).sum();
        *is_closed = closing.is_due(list.len(), states);
    }
}

/// A shape: its frames, and the higher bytes that have a place in its states.
#[derive(Debug)]
pub struct SharedShape {
    pub tags: Tags,
    pub higher: Vec<Higher>,
}

/// What one worker has done. Only that worker writes it, so there are no additions to be lost.
#[derive(Debug, Default)]
pub struct Counts {
    /// States that were unpacked, and the significant bits in all of them.
    unpacked: AtomicU64,
    unpacked_bits: AtomicU64,
}

impl Counts {
    #[inline]
    pub fn count_unpacked(&self, bits: usize) {
        let add = |to: &AtomicU64, more| to.store(to.load(Ordering::Relaxed) + more, Ordering::Relaxed);
        add(&self.unpacked, 1);
        add(&self.unpacked_bits, bits as u64);
    }

    /// How many were unpacked.
    #[inline]
    pub fn unpacked(&self) -> u64 {
        self.unpacked.load(Ordering::Relaxed)
    }

    /// Does something that is not counted.
    pub fn uncounted<R>(&self, work: impl FnOnce() -> R) -> R {
        let all = [&self.unpacked, &self.unpacked_bits];
        let before = all.map(|count| count.load(Ordering::Relaxed));
        let result = work();
        all.iter().zip(before).for_each(|(count, before)| count.store(before, Ordering::Relaxed));
        result
    }
}

impl SharedTables {
    /// From now on lists are closed at this time. What is closed stays so.
    pub fn close(&self, closing: Closing) {
        self.lock().closing = closing;
    }

    /// Takes the tables for a while. If a worker has panicked meanwhile they are whole all the same, as
    /// everything is added to them in one step.
    pub fn lock(&self) -> MutexGuard<'_, Tables> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The counts of a new worker.
    pub fn add_worker(&self) -> Arc<Counts> {
        let counts = Arc::<Counts>::default();
        self.lock().counts.push(counts.clone());
        counts
    }

    /// How many bits are significant in a state, on the mean of those that were unpacked by all workers.
    pub fn mean_bits(&self) -> f64 {
        let [unpacked, bits] = self.counted();
        bits as f64 / unpacked.max(1) as f64
    }

    /// Tells all tables, as numbers.
    pub fn tell(&self, each: &mut dyn FnMut(u64)) {
        let unpacked = self.counted();
        let tables = self.lock();
        each(tables.kinds.len() as u64);
        for ((tag, part), values) in tables.kinds.iter().zip(&tables.values) {
            each(tag.map_or(0, |tag| u64::from(tag) + 1));
            each(u64::from(*part));
            each(u64::from(values.is_closed));
            each(values.list.len() as u64);
            values.list.iter().for_each(|value| each(*value));
        }
        each(tables.shapes.len() as u64);
        for shape in &tables.shapes {
            each(shape.tags.len() as u64);
            shape.tags.iter().for_each(|tag| each(u64::from(*tag)));
            each(shape.higher.len() as u64);
            shape.higher.iter().for_each(|(piece, byte)| {
                each(u64::from(*piece));
                each(u64::from(*byte));
            });
        }
        unpacked.into_iter().for_each(each);
    }

    /// Takes over tables that another search has told. What is here must be the beginning of what is there:
    /// then it is as if another worker had added the rest. `None` if it is not, and nothing has changed.
    pub fn take_over(&self, next: &mut dyn FnMut() -> Option<u64>) -> Option<()> {
        let (mut kinds, mut values, mut shapes) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..next()? {
            let tag = match next()? {
                0 => None,
                tag => Some(u16::try_from(tag - 1).ok()?),
            };
            kinds.push((tag, u32::try_from(next()?).ok()?));
            let is_closed = next()? != 0;
            let list: Option<Vec<u64>> = (0..next()?).map(|_| next()).collect();
            values.push(Values { list: list?, is_closed });
        }
        for _ in 0..next()? {
            let tags: Option<Tags> = (0..next()?).map(|_| u16::try_from(next()?).ok()).collect();
            let mut higher: Vec<Higher> = Vec::new();
            for _ in 0..next()? {
                higher.push((u32::try_from(next()?).ok()?, u8::try_from(next()?).ok()?));
            }
            shapes.push(SharedShape { tags: tags?, higher });
        }
        let counts = Counts { unpacked: AtomicU64::new(next()?), unpacked_bits: AtomicU64::new(next()?) };
        let mut tables = self.lock();
        let is_beginning = kinds.starts_with(&tables.kinds)
            && tables.values.iter().zip(&values).all(|(known, all)| all.begins_with(known))
            && tables.shapes.len() <= shapes.len()
            && tables
                .shapes
                .iter()
                .zip(&shapes)
                .all(|(known, all)| known.tags == all.tags && all.higher.starts_with(&known.higher));
        if !is_beginning {
            return None;
        }
        (tables.kinds, tables.values, tables.shapes) = (kinds, values, shapes);
        tables.counts.push(Arc::new(counts));
        Some(())
    }

    /// States that were unpacked by all workers, and the significant bits in them.
    fn counted(&self) -> [u64; 2] {
        let tables = self.lock();
        let sum = |of: fn(&Counts) -> &AtomicU64| -> u64 {
            tables.counts.iter().map(|counts| of(counts).load(Ordering::Relaxed)).sum()
        };
        [sum(|counts| &counts.unpacked), sum(|counts| &counts.unpacked_bits)]
    }

    /// Bytes of the values, which are nearly everything.
    pub fn bytes(&self) -> u64 {
        self.lock().values.iter().map(|values| values.list.capacity() as u64 * 8).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closed_by_their_share() {
        let is_due = |values: usize, states: u64| Closing::ByShare.is_due(values, || states);
        assert!(!is_due(FIRST_ASKED / 2, 1), "too few to tell");
        assert!(is_due(FIRST_ASKED, 2 * FIRST_ASKED as u64) && !is_due(FIRST_ASKED, 3 * FIRST_ASKED as u64));
        assert!(!is_due(FIRST_ASKED + 1, 1), "not asked now");
        assert!(is_due(1 << 14, 4 << 14) && !is_due(1 << 14, 5 << 14));
        assert!(!Closing::Never.is_due(1 << 20, || 1));
    }

    /// What is told is what is taken over, with what is closed; a list that is closed here must be the same
    /// there.
    #[test]
    fn closed_lists_are_told() {
        let tables = |values: &[u64], is_closed: bool| {
            let shared = SharedTables::default();
            shared.close(if is_closed { Closing::After(values.len()) } else { Closing::Never });
            shared.lock().kinds.push((None, 0));
            shared.lock().values.push(Values::default());
            values.iter().for_each(|value| shared.lock().add_value(0, *value));
            assert_eq!(shared.lock().values[0].is_closed, is_closed);
            shared
        };
        let told = |shared: &SharedTables| {
            let mut all = Vec::new();
            shared.tell(&mut |number| all.push(number));
            all
        };
        let closed = tables(&[7, 5, 9], true);
        let takes = |shared: &SharedTables, all: &[u64]| {
            let mut rest = all.iter().copied();
            shared.take_over(&mut || rest.next()).is_some()
        };
        for known in [&[][..], &[7], &[7, 5, 9]] {
            let shared = tables(known, false);
            assert!(takes(&shared, &told(&closed)));
            assert!(shared.lock().values[0].is_closed && shared.lock().values[0].list == [7, 5, 9]);
        }
        assert!(takes(&closed, &told(&closed)));
        assert!(!takes(&tables(&[7, 5], true), &told(&closed)), "it had been closed before");
        assert!(!takes(&closed, &told(&tables(&[7, 5, 9, 1], false))), "and then went on");
    }
}
