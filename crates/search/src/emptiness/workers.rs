//! Several workers in one product: who they are, when they end, what they have counted together.
//!
//! Each worker has a product of its own, over one store ([`Workplace`]): the same states have the same
//! numbers for all, and arcs and their marks are a function of the state. The first worker is the thread that
//! asks; the others are threads that live as long as the call. What a check shares is its own business
//! ([`SharedCheck`]); here is the rest. A worker counts and stops as any search does ([`Search`]). The first
//! one that finds an accepting cycle, or hits a limit, ends the work of all ([`Team::is_over`] is asked with
//! every state).
//!
//! What is found first depends on the threads, so nobody learns more than that there is a cycle. Whoever
//! wants to see it asks a check for one thread, which finds the same one each time. If there is none, every
//! reachable state has been seen, and each was counted by exactly one worker, with its arcs: so these counts
//! do not depend on how many workers there were. Depths do, and are not told.
//!
//! Workers take arcs in orders of their own, each from a seed, so that they do not follow each other; the
//! first keeps the order of the product.
//!
//! [`Pace`] is for tests: they take turns at every step that others could see, and plant faults.

use super::{Arc, End, MarkSet, Product, Search, Stopped};
use crate::bookkeeping::{Counts, ProgressObserver};
use crate::limits::{Limits, StopReason};
use lariat_store::StateId;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed, Ordering::SeqCst};
use std::time::Duration;

/// What happens between two accesses to what is shared.
pub trait Pace: 'static {
    /// What is wrong with the check.
    const FAULT: Fault = Fault::None;

    /// How long a worker without work sleeps before it looks what others do.
    const PATIENCE: Duration = Duration::from_micros(200);

    /// Before an access.
    #[inline(always)]
    fn step() {}

    /// Somebody must do something first. `round` counts how often that was so.
    fn wait(round: &mut u32);
}

/// What tests change in the checks, to see that they notice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    None,
    // cndfs
    NoWaitForOthers,
    RedAtOnce,
    NoNestedSearch,
    AnyCyanReported,
    // csd
    BlueAtOnce,
    SeenIsEnough,
    SeenIsLeft,
    WorkIsLost,
    RootsForgotten,
    // cascc
    NoLastLook,
    NeverClosed,
    // ufscc
    ListsNotJoined,
    ParentLast,
    DeadTooEarly,
    MarksNotHandedOver,
    MarksOfKnownArcsLost,
    IncomingCountsAtOnce,
    SelfLoopNotSeen,
    SingleStatesAccept,
    DoneAtOnce,
    AnythingIsSkipped,
}

/// At full speed: what must be waited for takes a few instructions, unless the thread that does it sleeps.
pub struct FullSpeed;

impl Pace for FullSpeed {
    fn wait(round: &mut u32) {
        *round += 1;
        match *round < 64 {
            true => std::hint::spin_loop(),
            false => std::thread::yield_now(),
        }
    }
}

/// Why a worker leaves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Quit {
    /// It has found an accepting cycle.
    Found,
    /// A limit was hit.
    Stopped(StopReason),
    /// Another worker has left.
    Over,
}

impl From<Stopped> for Quit {
    fn from(stopped: Stopped) -> Quit {
        Quit::Stopped(stopped.0)
    }
}

/// What the workers know of each other.
pub struct Team {
    over: AtomicBool,
    /// What each holds, in bytes, as it has said last.
    held: Vec<AtomicU64>,
}

impl Team {
    pub fn new(workers: usize) -> Team {
        Team { over: AtomicBool::new(false), held: (0..workers).map(|_| AtomicU64::new(0)).collect() }
    }

    /// Whether somebody has left before everything was seen.
    #[inline]
    pub fn is_over(&self) -> bool {
        self.over.load(Relaxed)
    }
}

/// Ends the work of all when a worker is left by a panic.
struct Leaving<'a>(&'a Team);

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.over.store(true, SeqCst);
        }
    }
}

/// A check that several workers carry out.
pub trait SharedCheck<K: MarkSet>: Sync {
    /// What one of them does. It returns when it has nothing to do any more and nobody has found anything.
    fn work<P: Product<Marks = K>>(&self, worker: &mut Worker<P>) -> Result<(), Quit>;
}

/// One of them.
pub struct Worker<'a, P> {
    /// From 0.
    pub number: usize,
    search: Search<'a, P>,
    team: &'a Team,
    random: u64,
    visited: u64,
    transitions: u64,
    /// Bytes that others hold, as they have said.
    others: u64,
    posts: u32,
}

/// Calls of `post` until a worker says again what it holds.
const POSTS_BETWEEN_WORDS: u32 = 64;

impl<'a, P: Product> Worker<'a, P> {
    fn new(number: usize, search: Search<'a, P>, team: &'a Team) -> Worker<'a, P> {
        let random = (number as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        Worker { number, search, team, random, visited: 0, transitions: 0, others: 0, posts: 0 }
    }

    pub fn all_marks(&self) -> P::Marks {
        self.search.all_marks()
    }

    pub fn is_accepting(&self, state: StateId) -> bool {
        self.search.is_accepting(state)
    }

    /// As [`Product::accepts_by_component`].
    pub fn accepts_by_component(&self) -> bool {
        self.search.accepts_by_component()
    }

    /// In an order of the worker's own.
    pub fn initial_states(&mut self) -> Vec<StateId> {
        let mut states = self.search.initial_states();
        self.shuffle(&mut states);
        states
    }

    /// Appends the arcs that leave a state, in an order of the worker's own. `own` and `shared` are what the
    /// check holds, in bytes.
    pub fn post(
        &mut self,
        state: StateId,
        out: &mut Vec<Arc<P::Marks>>,
        depth: usize,
        own: u64,
        shared: u64,
    ) -> Result<(), Quit> {
        let held = self.before_post(own)?;
        let before = out.len();
        self.search.post(state, out, depth, held + own + shared)?;
        self.shuffle(&mut out[before..]);
        Ok(())
    }

    /// The same in the order of the product; and of each arc, what is known of the state that it leads to.
    pub fn post_with_ends(
        &mut self,
        state: StateId,
        out: &mut Vec<Arc<P::Marks>>,
        ends: &mut Vec<End>,
        depth: usize,
        own: u64,
        shared: u64,
    ) -> Result<(), Quit> {
        let held = self.before_post(own)?;
        Ok(self.search.post_with_ends(state, out, ends, depth, held + own + shared)?)
    }

    /// Begins to load a state that will be announced soon.
    #[inline]
    pub fn prefetch(&self, state: StateId) {
        self.search.prefetch(state);
    }

    /// Begins to compute the arcs of a state ([`Product::announce`]).
    #[inline]
    pub fn announce(&mut self, lane: usize, state: StateId, sleeping: u32) {
        self.search.announce(lane, state, sleeping);
    }

    /// Tells where the arcs lead that leave a state which was announced, as far as it matters
    /// ([`Product::land`]). The number of all of them.
    #[inline]
    pub fn land(
        &mut self,
        announced: (usize, StateId),
        own: u64,
        shared: u64,
        each: impl FnMut(StateId, End),
    ) -> Result<u64, Quit> {
        let held = self.before_post(own)?;
        Ok(self.search.land(announced, 1, held + own + shared, each)?)
    }

    /// Says now and then what it holds, and hears what others hold.
    #[inline]
    fn before_post(&mut self, own: u64) -> Result<u64, Quit> {
        self.go_on()?;
        if self.posts.is_multiple_of(POSTS_BETWEEN_WORDS) {
            let held = &self.team.held;
            held[self.number].store(own, Relaxed);
            self.others = held.iter().map(|bytes| bytes.load(Relaxed)).sum::<u64>().saturating_sub(own);
        }
        self.posts = self.posts.wrapping_add(1);
        Ok(self.others)
    }

    /// Others must do something before this worker can go on.
    pub fn rest(&mut self) -> Result<(), Quit> {
        self.search.product().rest();
        self.go_on()
    }

    /// Unless the work of all is over.
    #[inline]
    fn go_on(&self) -> Result<(), Quit> {
        if self.team.is_over() { Err(Quit::Over) } else { Ok(()) }
    }

    /// This worker has seen a state first.
    pub fn count_state(&mut self) {
        self.visited += 1;
    }

    /// This worker counts the arcs of a state.
    pub fn count_arcs(&mut self, arcs: u64) {
        self.transitions += arcs;
    }

    /// Puts a list into an order of the worker's own.
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        if self.number == 0 {
            return;
        }
        for end in (2..=list.len()).rev() {
            // xorshift64*: good enough to go different ways.
            self.random ^= self.random >> 12;
            self.random ^= self.random << 25;
            self.random ^= self.random >> 27;
            let number = self.random.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 32;
            list.swap(end - 1, (number as usize * end) >> 32);
        }
    }
}

/// What workers have found out together.
#[derive(Clone, Copy, Debug)]
pub struct FoundTogether {
    /// Whether there is an accepting cycle.
    pub outcome: Result<bool, Stopped>,
    /// If there is none: what was counted, each state and its arcs once.
    pub counts: Counts,
}

/// What becomes of one worker.
pub struct WorkerReport {
    left: Result<(), Quit>,
    counts: Counts,
}

/// The work of one worker, from beginning to end.
pub fn work_in_team<P: Product, C: SharedCheck<P::Marks>>(
    check: &C,
    number: usize,
    product: &mut P,
    team: &Team,
    limits: Limits,
    progress: ProgressObserver,
) -> WorkerReport {
    let _leaving = Leaving(team);
    debug_assert!(product.pairs().is_empty(), "they know no pairs");
    let search = Search::new(product, limits, progress.map(|progress| progress as _));
    let mut worker = Worker::new(number, search, team);
    let mut left = check.work(&mut worker);
    if left.is_ok() {
        left = worker.search.exhausted().map_err(Quit::from);
    }
    if left.is_err() {
        team.over.store(true, SeqCst);
    }
    let Worker { visited, transitions, search, .. } = worker;
    let own = search.counts().stacks.bytes;
    WorkerReport { left, counts: Counts { visited, transitions, ..search.counts() }.without_order(own) }
}

impl Counts {
    /// What does not depend on the order in which states were seen; and what was held beside.
    fn without_order(self, bytes: u64) -> Counts {
        let stacks = crate::bookkeeping::Stacks { bytes, ..Default::default() };
        Counts {
            stacks,
            post_calls: self.visited,
            explored: self.transitions,
            depth: 0,
            order_given_up: true,
            ..self
        }
    }
}

/// What the reports of all workers come to.
pub fn together(reports: &[WorkerReport]) -> FoundTogether {
    let found = reports.iter().any(|report| report.left == Err(Quit::Found));
    let stopped = reports.iter().find_map(|report| match report.left {
        Err(Quit::Stopped(reason)) => Some(Stopped(reason)),
        _ => None,
    });
    let mut counts = reports[0].counts;
    for report in &reports[1..] {
        counts.visited += report.counts.visited;
        counts.transitions += report.counts.transitions;
        counts.stored = counts.stored.max(report.counts.stored);
        counts.stacks.bytes = counts.stacks.bytes.max(report.counts.stacks.bytes);
        counts.states_bytes = counts.states_bytes.max(report.counts.states_bytes);
        counts.auxiliary_bytes = counts.auxiliary_bytes.max(report.counts.auxiliary_bytes);
        counts.table_bytes = counts.table_bytes.max(report.counts.table_bytes);
    }
    (counts.post_calls, counts.explored) = (counts.visited, counts.transitions);
    let outcome = match (found, stopped) {
        (true, _) => Ok(true),
        (false, Some(stopped)) => Err(stopped),
        (false, None) => Ok(false),
    };
    FoundTogether { outcome, counts }
}

/// Where workers come to their products, and what is to be known of these in the end.
pub trait Workplace: Sync {
    /// The acceptance sets of the products.
    type Marks: MarkSet;
    /// What a worker brings along, for its product.
    type Tool: Send;
    /// What a worker explores. It is made in the thread in which the worker lives, and stays there.
    type Product<'t>: Product<Marks = Self::Marks>
    where
        Self: 't;
    /// What is left of a product.
    type Rest: Send;

    /// The product of a worker, by number. All show the same states under the same numbers.
    fn product<'t>(&'t self, worker: usize, tool: &'t Self::Tool) -> Self::Product<'t>;

    /// The worker has done its work.
    fn rest<'t>(&'t self, product: Self::Product<'t>) -> Self::Rest;
}

/// Each worker has a copy.
impl<P: Product + Clone + Sync> Workplace for P {
    type Marks = P::Marks;
    type Tool = ();
    type Product<'t>
        = P
    where
        P: 't;
    type Rest = ();

    fn product<'t>(&'t self, _: usize, _: &'t ()) -> P {
        self.clone()
    }

    fn rest(&self, _: P) {}
}

/// A check with a worker for each of the tools, and what is left of their products. Of the limits,
/// checkpoints and the depth of paths mean nothing here.
pub fn run_workers<W: Workplace, C: SharedCheck<W::Marks>>(
    check: &C,
    workplace: &W,
    tools: Vec<W::Tool>,
    limits: Limits,
    progress: ProgressObserver,
) -> (FoundTogether, Vec<W::Rest>) {
    let Limits { max_states, max_memory, deadline, interrupt, process, .. } = limits;
    let limits = move || Limits { max_states, max_memory, deadline, interrupt, process, ..Limits::default() };
    let team = &Team::new(tools.len());
    let work = |number: usize, tool: W::Tool, progress: ProgressObserver| {
        let mut product = workplace.product(number, &tool);
        let report = work_in_team(check, number, &mut product, team, limits(), progress);
        (report, workplace.rest(product))
    };
    let work = &work;
    let done = std::thread::scope(|scope| {
        let mut tools = tools.into_iter();
        let first = tools.next().expect("somebody works");
        let threads: Vec<_> =
            tools.zip(1..).map(|(tool, number)| scope.spawn(move || work(number, tool, None))).collect();
        let mut done = vec![work(0, first, progress)];
        for thread in threads {
            done.push(thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        done
    });
    let (reports, rests): (Vec<WorkerReport>, Vec<W::Rest>) = done.into_iter().unzip();
    (together(&reports), rests)
}

#[cfg(test)]
mod tests;
