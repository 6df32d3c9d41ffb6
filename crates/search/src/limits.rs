//! Where a search stops without an answer, and how often it looks whether it must.
//!
//! Every loop that can take long has a [`Lookout`]. It tells the lookout what it does ([`Lookout::is_due`],
//! a subtraction), and when enough has been done, it looks at the clock, the flag and the memory
//! ([`Lookout::look`]). How much is enough depends on how long it took the last time: a successor function
//! that takes milliseconds is asked a few times between two looks, one that takes nanoseconds many thousand
//! times. So a look comes about every [`BETWEEN_LOOKS`], and costs nothing that could be measured.
//!
//! *Memory* is what the search says that it holds, and what its store is about to ask for: so it stops
//! before it has too much, and at the same state every time. What nobody counts (the slack of the
//! allocator, strings of a model in Rust) the system knows: if the process has grown by far more than the
//! limit, that ends the search too.
//!
//! *Addresses* (`ulimit -v`) are another matter: the system refuses what goes beyond, and an allocation that
//! is refused ends the program. So where they are limited, the search stops while everything that grows can
//! still grow once more.

use crate::checkpoint::Checkpoints;
use std::fs::read_to_string;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Where a search stops without an answer. The default has no limits.
#[derive(Clone, Copy, Default)]
pub struct Limits<'a> {
    /// Transitions on a path. A search for violations cuts a longer one and goes on elsewhere; an emptiness
    /// check stops.
    pub max_depth: Option<u64>,
    /// States in the store. A search that stores more stops.
    pub max_states: Option<u64>,
    /// Bytes of everything that grows: store, side tables, stacks.
    pub max_memory: Option<u64>,
    /// The moment at which a search stops.
    pub deadline: Option<Instant>,
    /// Set from outside, to stop.
    pub interrupt: Option<&'a AtomicBool>,
    /// What the system says about the memory of the process.
    pub process: ProcessMemory,
    /// Where the search writes down how far it is.
    pub checkpoint: Option<&'a Checkpoints>,
}

/// What the system says about the memory of the process; nothing, where it does not say, or nobody has
/// asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProcessMemory {
    /// What was in memory before the search, in bytes.
    pub resident_before: Option<u64>,
    /// As many bytes may be mapped.
    pub max_addresses: Option<u64>,
    /// Bytes of a page.
    page: u64,
}

impl ProcessMemory {
    /// Asks the system.
    pub fn now() -> ProcessMemory {
        let page = page_size();
        let resident_before = Pages::now(page).map(|pages| pages.resident);
        ProcessMemory { resident_before, max_addresses: max_addresses(), page }
    }

    /// By how many bytes the process has grown since: all that somebody holds who counts nothing himself.
    pub fn grown(self) -> MemoryUse {
        let now = self.resident_before.and_then(|before| Some((before, Pages::now(self.page)?.resident)));
        let stored = now.map_or(0, |(before, now)| now.saturating_sub(before));
        MemoryUse { stored, ..MemoryUse::default() }
    }
}

/// What the system has told the program when it began: pairs of numbers, of which one is the size of a page.
fn page_size() -> u64 {
    const IS_PAGE_SIZE: usize = 6;
    let told = std::fs::read("/proc/self/auxv").unwrap_or_default();
    let (numbers, _) = told.as_chunks::<{ size_of::<usize>() }>();
    let pair = numbers.chunks(2).find(|pair| usize::from_ne_bytes(pair[0]) == IS_PAGE_SIZE);
    pair.and_then(|pair| pair.get(1)).map_or(4096, |size| usize::from_ne_bytes(*size) as u64)
}

/// `ulimit -v`, in bytes.
fn max_addresses() -> Option<u64> {
    let limits = read_to_string("/proc/self/limits").ok()?;
    let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// What a process has mapped, and how much of that is in memory; in bytes.
struct Pages {
    mapped: u64,
    resident: u64,
}

impl Pages {
    fn now(page: u64) -> Option<Pages> {
        let text = read_to_string("/proc/self/statm").ok()?;
        let mut numbers = text.split_whitespace().map_while(|word| word.parse::<u64>().ok());
        Some(Pages { mapped: numbers.next()? * page, resident: numbers.next()? * page })
    }
}

/// Why a search did not see everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// A path was longer than so many transitions.
    Depth(u64),
    /// More than so many states were stored.
    States(u64),
    /// More than so many bytes were needed.
    Memory(u64),
    /// The system lets the process map no more than so many bytes.
    Addresses(u64),
    /// The store has no numbers left for states.
    StoreFull,
    /// The deadline has passed.
    Timeout,
    /// Somebody has set the flag.
    Interrupted,
    /// The intermediate states of an indivisible sequence take too much memory.
    Sequence,
    /// It is time for a checkpoint: whoever runs the search writes it, and lets it go on. Or the search was
    /// to go on from one that cannot be read.
    Checkpoint,
}

/// Memory of a search, in bytes.
#[derive(Clone, Copy, Debug, Default)]
pub struct MemoryUse {
    /// The store, or the product, with all that belongs to it.
    pub stored: u64,
    /// What it is about to ask for.
    pub upcoming: u64,
    /// Lists and tables of the search itself. Each of them may become twice as long at any time.
    pub own: u64,
}

impl MemoryUse {
    /// All that is there.
    pub fn bytes(self) -> u64 {
        self.stored + self.own
    }

    /// What may be asked for until the next look.
    fn may_grow_by(self) -> u64 {
        self.upcoming + self.own + (2 * self.stored).min(MOST_FOR_STATES)
    }
}

/// There is about one look in this time.
pub const BETWEEN_LOOKS: Duration = Duration::from_millis(5);
/// The work between two looks, at the most: so that memory does not grow by megabytes in between.
const MOST_WORK: i64 = 1 << 20;
/// At first: nobody knows yet how long it takes.
const FIRST_WORK: i64 = 1 << 10;
/// The work of one state, beside its successors.
pub const WORK_PER_STATE: i64 = 256;
/// The work of one arc.
pub const WORK_PER_ARC: i64 = 64;

/// What the process may grow by beyond the limit before the system's word counts: the program, tables that
/// nobody counts, the slack of the allocator.
const UNCOUNTED: u64 = 40 << 20;
/// The same, as a part of the limit.
const UNCOUNTED_PART: u64 = 7;
/// Where addresses are limited, so many are left free: for a piece of the store's table, and small things.
const FREE_ADDRESSES: u64 = 40 << 20;
/// A piece of memory for states is not longer than this, and not longer than twice what there is.
const MOST_FOR_STATES: u64 = 64 << 20;

/// Looks at the limits from time to time.
pub struct Lookout<'a> {
    limits: Limits<'a>,
    work_left: i64,
    /// The work that was there at the last look.
    work: i64,
    last_look: Instant,
}

impl<'a> Lookout<'a> {
    /// The first look is due at once.
    pub fn new(limits: Limits<'a>) -> Lookout<'a> {
        Lookout { limits, work_left: 0, work: FIRST_WORK, last_look: Instant::now() }
    }

    /// What it looks at.
    pub fn limits(&self) -> &Limits<'a> {
        &self.limits
    }

    /// Something has been done. Whether it is time for a look.
    #[inline]
    pub fn is_due(&mut self, work: i64) -> bool {
        self.note(work);
        self.is_look_due()
    }

    /// Something has been done.
    #[inline]
    pub(crate) fn note(&mut self, work: i64) {
        self.work_left -= work;
    }

    /// Whether it is time for a look.
    #[inline]
    pub(crate) fn is_look_due(&self) -> bool {
        self.work_left <= 0
    }

    /// The next look is due at once.
    #[inline]
    pub(crate) fn hurry(&mut self) {
        self.work_left = 0;
    }

    /// Looks. Why the search must stop, if it must.
    #[cold]
    pub fn look(&mut self, held: MemoryUse) -> Option<StopReason> {
        let now = Instant::now();
        self.adapt(now);
        match self.limits {
            Limits { interrupt: Some(flag), .. } if flag.load(Ordering::Relaxed) => {
                Some(StopReason::Interrupted)
            }
            Limits { deadline: Some(deadline), .. } if now >= deadline => Some(StopReason::Timeout),
            Limits { max_memory: Some(max), .. } if held.bytes() + held.upcoming > max => {
                Some(StopReason::Memory(max))
            }
            _ => self.limits.refused_by_system(held),
        }
    }

    /// More work until the next look, or less, as the last one came too soon or too late.
    fn adapt(&mut self, now: Instant) {
        let took = now - self.last_look;
        let done = (self.work - self.work_left).max(1);
        self.last_look = now;
        self.work = if took < BETWEEN_LOOKS {
            (self.work * 2).min(MOST_WORK)
        } else {
            let fitting = done as f64 * BETWEEN_LOOKS.as_secs_f64() / took.as_secs_f64();
            (fitting as i64).clamp(1, MOST_WORK)
        };
        self.work_left = self.work;
    }
}

impl Limits<'_> {
    /// Looks once, on behalf of somebody who holds so much.
    pub fn look(&self, held: MemoryUse) -> Option<StopReason> {
        Lookout::new(*self).look(held)
    }

    /// Which limit was reached in the middle of a step ([`lariat_engine::Patience`]).
    pub fn why_cut(&self) -> StopReason {
        if self.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            StopReason::Interrupted
        } else if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            StopReason::Timeout
        } else {
            StopReason::Sequence
        }
    }

    fn refused_by_system(&self, held: MemoryUse) -> Option<StopReason> {
        let ProcessMemory { resident_before, max_addresses, page } = self.process;
        if max_addresses.is_none() && (resident_before.is_none() || self.max_memory.is_none()) {
            return None;
        }
        let Pages { mapped, resident } = Pages::now(page)?;
        if let Some(max) = max_addresses
            && mapped + held.may_grow_by() + FREE_ADDRESSES > max
        {
            return Some(StopReason::Addresses(max));
        }
        let (max, before) = (self.max_memory?, resident_before?);
        let grown = resident.saturating_sub(before);
        (grown > max + max / UNCOUNTED_PART + UNCOUNTED).then_some(StopReason::Memory(max))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread::sleep;

    /// How many pieces of work of this length are done until a limit of 100 milliseconds stops it, and how
    /// long that takes.
    fn until_stopped(work: i64, piece: impl Fn()) -> (u64, Duration) {
        let start = Instant::now();
        let deadline = Some(start + Duration::from_millis(100));
        let mut lookout = Lookout::new(Limits { deadline, ..Limits::default() });
        let mut pieces = 0;
        loop {
            piece();
            pieces += 1;
            if lookout.is_due(work) && lookout.look(MemoryUse::default()).is_some() {
                return (pieces, start.elapsed());
            }
        }
    }

    #[test]
    fn slow_work_is_interrupted_in_time() {
        let (pieces, _) = until_stopped(WORK_PER_STATE, || sleep(Duration::from_millis(2)));
        assert!(pieces < 100, "{pieces}");
    }

    #[test]
    fn quick_work_is_hardly_ever_interrupted() {
        let mut lookout = Lookout::new(Limits::default());
        let mut looks = 0;
        for _ in 0..1_000_000 {
            if lookout.is_due(WORK_PER_STATE) {
                looks += 1;
                assert_eq!(lookout.look(MemoryUse::default()), None);
            }
        }
        // Ten at the beginning; a machine that is busy may add some.
        assert!(looks < 2_000, "{looks}");
    }

    #[test]
    fn what_is_about_to_be_asked_for_counts() {
        let limits = Limits { max_memory: Some(100), ..Limits::default() };
        assert_eq!(limits.look(MemoryUse { stored: 60, own: 40, upcoming: 0 }), None);
        assert_eq!(
            limits.look(MemoryUse { stored: 60, own: 39, upcoming: 2 }),
            Some(StopReason::Memory(100))
        );
    }

    #[test]
    fn what_the_system_says_counts() {
        let process = ProcessMemory { max_addresses: Some(1 << 20), ..ProcessMemory::now() };
        let limits = Limits { process, ..Limits::default() };
        assert_eq!(limits.look(MemoryUse::default()), Some(StopReason::Addresses(1 << 20)));
        let process = ProcessMemory { max_addresses: Some(1 << 50), ..ProcessMemory::now() };
        assert_eq!(Limits { process, ..Limits::default() }.look(MemoryUse::default()), None);
    }
}
