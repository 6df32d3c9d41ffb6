//! The protocols under `loom` and `shuttle`.
//!
//! Each sees what the other does not. `loom` knows all values that a load may see, and notices a slot that
//! one thread reads and another writes without an order between them; but it leaves out interleavings (of a
//! load by one thread, and a load and a replacement by another). `shuttle` goes through the interleavings,
//! all of them where they are few, as if memory had one order.

use super::*;
use std::collections::HashMap;
use std::sync::Arc;

const SLOTS: u32 = 4;

/// One of the two.
trait Runtime: Send + Sync + 'static {
    type Word: Word + Send + Sync;
    type Line: LineOfEntries + Send + Sync;
    type Slot: Send + Sync;

    fn word(value: u64) -> Self::Word;
    fn line() -> Self::Line;
    fn slot() -> Self::Slot;
    fn read(slot: &Self::Slot) -> u64;
    fn write(slot: &Self::Slot, value: u64);

    /// Starts a thread, and gives what waits for its answer.
    fn spawn(work: impl FnOnce() -> Answers + Send + 'static) -> impl FnOnce() -> Answers;
}

type Answers = Vec<(u64, Published)>;

macro_rules! word {
    ($word:ty) => {
        impl Word for $word {
            fn load(&self) -> u64 {
                <$word>::load(self, LOAD)
            }

            fn store(&self, new: u64) {
                <$word>::store(self, new, STORE);
            }

            fn replace(&self, old: u64, new: u64) -> Result<(), u64> {
                self.compare_exchange(old, new, REPLACE, LOAD).map(|_| ())
            }
        }
    };
}

word!(loom::sync::atomic::AtomicU64);
word!(shuttle::sync::atomic::AtomicU64);

/// A line of two entries.
struct TwoEntries<N, T> {
    numbers: [N; 2],
    tags: [T; 2],
}

macro_rules! line {
    ($number:ty, $tag:ty) => {
        impl LineOfEntries for TwoEntries<$number, $tag> {
            const ENTRIES: usize = 2;

            fn number(&self, at: usize) -> u32 {
                self.numbers[at].load(LOAD)
            }

            fn claim(&self, at: usize, number: u32) -> Result<(), u32> {
                self.numbers[at].compare_exchange(0, number, REPLACE, LOAD).map(|_| ())
            }

            fn tag(&self, at: usize) -> u16 {
                self.tags[at].load(Ordering::Relaxed)
            }

            fn set_hash(&self, at: usize, hash: u32) {
                self.tags[at].store(tag_of(hash), Ordering::Relaxed);
            }
        }
    };
}

line!(loom::sync::atomic::AtomicU32, loom::sync::atomic::AtomicU16);
line!(shuttle::sync::atomic::AtomicU32, shuttle::sync::atomic::AtomicU16);

struct Loom;

/// A place that loom watches.
struct Watched(loom::cell::UnsafeCell<u64>);

// SAFETY: loom fails a test in which a place is touched by two threads without an order between them.
#[allow(unsafe_code)]
unsafe impl Sync for Watched {}

impl Runtime for Loom {
    type Word = loom::sync::atomic::AtomicU64;
    type Line = TwoEntries<loom::sync::atomic::AtomicU32, loom::sync::atomic::AtomicU16>;
    type Slot = Watched;

    fn word(value: u64) -> Self::Word {
        Self::Word::new(value)
    }

    fn line() -> Self::Line {
        TwoEntries { numbers: [(); 2].map(|_| Default::default()), tags: [(); 2].map(|_| Default::default()) }
    }

    fn slot() -> Watched {
        Watched(loom::cell::UnsafeCell::new(0))
    }

    #[allow(unsafe_code)]
    fn read(slot: &Watched) -> u64 {
        // SAFETY: see above.
        slot.0.with(|slot| unsafe { *slot })
    }

    #[allow(unsafe_code)]
    fn write(slot: &Watched, value: u64) {
        // SAFETY: see above.
        slot.0.with_mut(|slot| unsafe { *slot = value });
    }

    fn spawn(work: impl FnOnce() -> Answers + Send + 'static) -> impl FnOnce() -> Answers {
        let thread = loom::thread::spawn(work);
        || thread.join().unwrap()
    }
}

struct Shuttle;

impl Runtime for Shuttle {
    type Word = shuttle::sync::atomic::AtomicU64;
    type Line = TwoEntries<shuttle::sync::atomic::AtomicU32, shuttle::sync::atomic::AtomicU16>;
    type Slot = AtomicU64;

    fn word(value: u64) -> Self::Word {
        Self::Word::new(value)
    }

    fn line() -> Self::Line {
        TwoEntries { numbers: [(); 2].map(|_| Default::default()), tags: [(); 2].map(|_| Default::default()) }
    }

    fn slot() -> AtomicU64 {
        AtomicU64::new(0)
    }

    fn read(slot: &AtomicU64) -> u64 {
        slot.load(Ordering::Relaxed)
    }

    fn write(slot: &AtomicU64, value: u64) {
        slot.store(value, Ordering::Relaxed);
    }

    fn spawn(work: impl FnOnce() -> Answers + Send + 'static) -> impl FnOnce() -> Answers {
        let thread = shuttle::thread::spawn(work);
        || thread.join().unwrap()
    }
}

type Hash = fn(u64) -> u32;

/// All hashes are equal, or none; or the tag is what an entry has that was just claimed.
const HASHES: [Hash; 3] = [|_| 5, |state| state as u32, |_| 0];

/// A store of numbers, small enough to try everything.
struct Tiny<R: Runtime> {
    lines: Vec<R::Line>,
    hash: Hash,
    filling: R::Word,
    slots: Vec<R::Slot>,
    unused: AtomicU64,
}

impl<R: Runtime> Tiny<R> {
    fn new(lines: usize, hash: Hash) -> Tiny<R> {
        Tiny {
            lines: (0..lines).map(|_| R::line()).collect(),
            hash,
            filling: R::word(Filling { chunk: 0, next: 0 }.word()),
            slots: (0..SLOTS).map(|_| R::slot()).collect(),
            unused: AtomicU64::new(0),
        }
    }

    fn insert(&self, state: u64) -> Published {
        // All homes are equal: the worst that can happen.
        publish(self, 0, (self.hash)(state), &Number { store: self, state })
    }

    fn insert_all(&self, states: &[u64]) -> Answers {
        states.iter().map(|&state| (state, self.insert(state))).collect()
    }
}

impl<R: Runtime> Lines for Tiny<R> {
    type Line = R::Line;

    fn count(&self) -> usize {
        self.lines.len()
    }

    fn line(&self, at: usize) -> &R::Line {
        &self.lines[at]
    }
}

struct Number<'a, R: Runtime> {
    store: &'a Tiny<R>,
    state: u64,
}

impl<R: Runtime> Candidate for Number<'_, R> {
    type Slot = Filling;

    fn is(&self, id: StateId) -> bool {
        R::read(&self.store.slots[id.index()]) == self.state
    }

    fn write(&self) -> Option<Filling> {
        let taken = take::<Shared, _>(&self.store.filling, |_| SLOTS).ok()?;
        R::write(&self.store.slots[taken.next as usize], self.state);
        Some(taken)
    }

    fn number(&self, slot: &Filling) -> StateId {
        StateId(slot.next)
    }

    fn give_back(&self, slot: Filling) {
        if !give_back(&self.store.filling, slot, 1) {
            self.store.unused.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// What each thread inserts.
type Threads = &'static [&'static [u64]];

/// Threads insert what they are given; then everybody must have got the same number for the same state, and
/// no number for two.
fn race<R: Runtime>(lines: usize, hash: Hash, threads: Threads) {
    let store = Arc::new(Tiny::<R>::new(lines, hash));
    let others: Vec<_> = threads[1..]
        .iter()
        .map(|states| {
            let store = store.clone();
            R::spawn(move || store.insert_all(states))
        })
        .collect();
    let mut answers = store.insert_all(threads[0]);
    others.into_iter().for_each(|wait| answers.extend(wait()));

    let mut numbers = HashMap::new();
    let mut new = 0;
    for (state, published) in answers {
        let id = match published {
            Published::New(id) => {
                new += 1;
                id
            }
            Published::Known(id) => id,
            other => panic!("{state}: {other:?}"),
        };
        assert_eq!(*numbers.entry(state).or_insert(id), id, "one state, two numbers");
        assert_eq!(R::read(&store.slots[id.index()]), state);
    }
    assert_eq!(new, numbers.len(), "each state is new once");
    let entries = store.lines.iter().flat_map(|line| (0..2).map(|at| (line.number(at), line.tag(at))));
    let taken: Vec<_> = entries.filter(|(number, _)| *number != 0).collect();
    assert_eq!(taken.len(), new, "each state is in the table once");
    for (number, tag) in taken {
        assert_eq!(tag, tag_of(hash(R::read(&store.slots[id_of(number).index()]))), "with its tag");
    }
    let taken = Filling::from_word(store.filling.load()).unwrap().next as usize;
    let unused = store.unused.load(Ordering::Relaxed) as usize;
    assert_eq!(taken, new + unused, "slots are used or counted");
}

const TWO_THREADS: [(usize, Threads); 4] = [
    (1, &[&[7], &[7]]),
    (1, &[&[7], &[8]]),
    // An entry is filled behind one that was still empty when it was looked at.
    (2, &[&[7], &[7, 8]]),
    (2, &[&[7, 8], &[8, 7]]),
];

const MORE: [(usize, Threads); 4] = [
    (2, &[&[7, 8, 9], &[9, 8]]),
    (1, &[&[7], &[7], &[7]]),
    (1, &[&[7], &[8], &[7]]),
    (2, &[&[7], &[8], &[9]]),
];

#[test]
fn orders_of_memory() {
    for hash in HASHES {
        for (lines, threads) in TWO_THREADS {
            loom::model::Builder::new().check(move || race::<Loom>(lines, hash, threads));
        }
        for (lines, threads) in MORE {
            let mut model = loom::model::Builder::new();
            model.preemption_bound = Some(2);
            model.check(move || race::<Loom>(lines, hash, threads));
        }
    }
}

#[test]
fn interleavings() {
    for hash in HASHES {
        for (lines, threads) in TWO_THREADS {
            shuttle::check_dfs(move || race::<Shuttle>(lines, hash, threads), Some(20_000));
        }
        for (lines, threads) in TWO_THREADS.into_iter().chain(MORE) {
            shuttle::check_random(move || race::<Shuttle>(lines, hash, threads), 5_000);
            shuttle::check_pct(move || race::<Shuttle>(lines, hash, threads), 2_000, 3);
        }
    }
}

#[test]
fn a_full_table_refuses_and_gives_the_slot_back() {
    let alone = || {
        let store = Tiny::<Shuttle>::new(1, HASHES[0]);
        assert_eq!(store.insert(1), Published::New(StateId(0)));
        assert_eq!(store.insert(2), Published::New(StateId(1)));
        assert_eq!(store.insert(3), Published::NoEntry);
        assert_eq!(store.insert(2), Published::Known(StateId(1)));
        assert_eq!(Filling::from_word(Word::load(&store.filling)), Some(Filling { chunk: 0, next: 2 }));
    };
    shuttle::check_random(alone, 1);
}

/// What each thread does, again and again: it takes so many slots, writes to so many of them, and gives back
/// the others.
type Takers = &'static [&'static [(u32, u32)]];

/// Takes slots in advance. Those that were written to, as states with their own numbers.
fn take_in_advance<R: Runtime>(store: &Tiny<R>, me: u64, script: &[(u32, u32)]) -> Answers {
    let mut written = Vec::new();
    for &(most, needed) in script {
        let Ok((first, count)) = take_some::<Shared, _>(&store.filling, most, |_| SLOTS) else { continue };
        assert!(0 < count && count <= most && first.next + count <= SLOTS);
        let used = needed.min(count);
        for slot in first.next..first.next + used {
            let value = me << 32 | u64::from(slot + 1);
            R::write(&store.slots[slot as usize], value);
            written.push((value, Published::New(StateId(slot))));
        }
        let (rest, left) = (Filling { next: first.next + used, ..first }, count - used);
        if left > 0 && !give_back(&store.filling, rest, left) {
            store.unused.fetch_add(left.into(), Ordering::Relaxed);
        }
    }
    written
}

/// Each slot is written to by one thread only, and all that were taken are used or counted.
fn race_for_slots<R: Runtime>(threads: Takers) {
    let store = Arc::new(Tiny::<R>::new(1, HASHES[0]));
    let others: Vec<_> = (1..threads.len())
        .map(|me| {
            let store = store.clone();
            R::spawn(move || take_in_advance(&store, me as u64, threads[me]))
        })
        .collect();
    let mut written = take_in_advance(&store, 0, threads[0]);
    others.into_iter().for_each(|wait| written.extend(wait()));
    for (value, slot) in &written {
        let Published::New(slot) = slot else { panic!("{slot:?}") };
        assert_eq!(R::read(&store.slots[slot.index()]), *value, "written to by two threads");
    }
    let taken = Filling::from_word(store.filling.load()).unwrap().next as usize;
    let unused = store.unused.load(Ordering::Relaxed) as usize;
    assert_eq!(taken, written.len() + unused, "slots are used or counted");
}

const TAKERS: [Takers; 4] = [
    &[&[(2, 2)], &[(2, 2)]],
    // One gives back while the other takes, and takes what was given back.
    &[&[(3, 1), (1, 1)], &[(2, 1)]],
    &[&[(2, 0), (2, 1)], &[(2, 1), (1, 1)]],
    // There are fewer than are asked for.
    &[&[(3, 2)], &[(3, 3)], &[(1, 0)]],
];

#[test]
fn slots_that_are_taken_in_advance() {
    for threads in TAKERS {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(3);
        model.check(move || race_for_slots::<Loom>(threads));
        shuttle::check_dfs(move || race_for_slots::<Shuttle>(threads), Some(20_000));
        shuttle::check_random(move || race_for_slots::<Shuttle>(threads), 2_000);
    }
}
