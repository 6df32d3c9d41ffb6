//! A level of a breadth-first search, by several workers, with the outcome that one worker has.
//!
//! The states of a level are in a list, and workers take them from there in blocks, each the next one. What
//! one worker would do in between, several cannot do in order: they insert successors into the store as they
//! come. So three things are put in order afterwards.
//!
//! *Who is the parent, and what is the next level.* One worker would give a new state the parent that stands
//! first in the list; and it would put new states into the next list in the order of their parents, those of
//! one parent in the order of its successors. So whoever meets a state of the next level marks it with the
//! place of the parent, unless a place further to the front is there already ([`Parents::meet`]: one atomic
//! maximum, of the place counted from the end), and notes it among its *candidates* if that was its mark.
//! When the level is done, a candidate whose mark is still there is right, and all others are dropped. Blocks
//! are put together in the order of the list, and within a block everything is in order anyhow. So the next
//! level is the one that one worker would have, and nothing is sorted.
//!
//! *A limit.* Workers finish their blocks: what is expanded then is a beginning of the list. This is a place
//! where one worker could be as well, so it can be written down as a checkpoint, and the search goes on from
//! there with any number of workers.
//!
//! *A violation that is new, or too many states.* What is counted up to there, and which of several
//! violations comes first, depends on the order. So what the workers have counted of this level is dropped,
//! and one worker does the level again (`breadth_first.rs`). States that are in the store already count as
//! new when it comes to them: the marks say which these are. That takes the time of one level: not that of
//! the search.
//!
//! Cost: eight bytes for each state of the next level, until the level is done; a look at the mark for each
//! successor that is known. A level with few states is not worth waking somebody ([`LevelsTogether::after`]).
//!
//! Rejected: to find the distance of the nearest violation by all workers, and the violation by one from the
//! start: whoever asks for a shortest run mostly expects a violation, and would wait longer than with one
//! thread.

use super::handle::{CommonStore, Handle, is_consequence};
use crate::breadth_first::{Expanded, Levels, Parents, Place};
use crate::events::{Listener, NoListener};
use crate::hidden_values::visible_of;
use crate::limits::{Limits, StopReason, WORK_PER_STATE};
use crate::look_ahead::Lane;
use crate::watch::{Counted, Found, Held, Noted, Question, Watch, add_reached};
use lariat_engine::{LANES, SuccessorFunction, Successors, Workers};
use lariat_store::{Inserted, SharedStore, StateId, StateStore, VisitedSet};
use std::any::Any;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread::{Builder, scope};
use std::time::{Duration, Instant};

/// States of a block, at the most.
const BLOCK: usize = 64;
/// For each worker there are at least so many blocks in a level, if it has as many states.
const BLOCKS_EACH: usize = 8;

/// Several workers expand a level.
pub(crate) struct LevelsTogether<W> {
    /// So many, at least two.
    threads: usize,
    /// One worker is enough as long as there are not more states than that, and for levels that have less
    /// than one in [`SMALL_PART`] of them.
    after: u64,
    /// Beside the thread that calls; empty as long as they were not needed.
    others: Vec<Worker<W>>,
    first: Desk,
}

/// What part of the first states a level must have to be worth sharing.
const SMALL_PART: u64 = 64;

/// A worker for another thread.
struct Worker<W> {
    model: W,
    desk: Desk,
}

/// What a worker uses again and again.
struct Desk {
    lanes: [Lane; LANES],
    room: Vec<Inserted>,
    buffer: Vec<u8>,
}

impl Desk {
    fn new() -> Desk {
        let empty = |lane| Lane::new(Successors::for_lane(lane).without_sleepers());
        Desk { lanes: std::array::from_fn(empty), room: Vec::new(), buffer: Vec::new() }
    }

    fn add_reached(&self, reached: &mut Vec<Vec<bool>>) {
        self.lanes.iter().for_each(|lane| add_reached(reached, lane.out.reached()));
    }
}

/// Why workers stop before the level is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Halt {
    /// A limit that the watch knows of.
    Limit,
    /// The store may not grow.
    Refused,
    /// A step was cut short.
    CutShort,
    /// One worker must do the level again.
    OrderMatters,
}

/// A state that may belong to the next level, and the place of the parent.
#[derive(Clone, Copy)]
struct Candidate {
    state: StateId,
    parent: u32,
}

/// What has come of a worker.
struct Part {
    counted: Counted,
    found: Candidates,
    halt: Option<Halt>,
    /// The highest number of a state that was new.
    highest: Option<StateId>,
    ended: Instant,
}

/// The candidates of a worker.
#[derive(Default)]
struct Candidates {
    states: Vec<Candidate>,
    /// For each block that it took, in order: where it begins, and how many candidates there are up to its
    /// end.
    blocks: Vec<(usize, usize)>,
}

/// A part of the list that was expanded, and the length of a block.
struct Blocks {
    places: Range<usize>,
    length: usize,
}

/// What all workers share while they expand a level.
struct Level<'c, 's, S> {
    states: &'c [StateId],
    block: usize,
    /// Where the next block begins.
    next: AtomicUsize,
    common: &'c CommonStore<'s, S>,
    parents: &'c Parents,
    question: Question,
    /// Kinds of violations that are known.
    known: &'c [Found],
    max_states: u64,
    is_stopped: AtomicBool,
    /// For the one who looks at limits.
    transitions: AtomicU64,
    candidate_bytes: AtomicU64,
    /// How many have left.
    idle: AtomicUsize,
}

/// Stops the others if the worker that has it panics.
struct Alarm<'l>(&'l AtomicBool);

impl Drop for Alarm<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}

impl<W> LevelsTogether<W> {
    pub fn new(threads: usize, after: u64) -> LevelsTogether<W> {
        LevelsTogether { threads, after, others: Vec::new(), first: Desk::new() }
    }
}

impl<M: Workers, S: SharedStore> Levels<M, S> for LevelsTogether<M::Worker> {
    fn expand<L: Listener>(
        &mut self,
        model: &M,
        store: &mut S,
        watch: &mut Watch<L>,
        place: &mut Place,
    ) -> Expanded {
        let left = place.level.len() - place.expanded;
        let is_small = store.len() <= self.after || (left as u64) < self.after / SMALL_PART;
        if is_small || watch.surplus > 0 || !place.parents.has_marks_for(place.level.len()) {
            return Expanded::NotYet;
        }
        if self.others.is_empty() {
            let worker = |_| Worker { model: model.another_worker(), desk: Desk::new() };
            self.others = (1..self.threads).map(worker).collect();
        }
        let stored = store.len();
        let (parts, blocks) = self.expand_blocks(model, store, watch, place);
        for part in &parts {
            place.parents.note_highest(part.highest);
        }
        let mut halt = parts.iter().filter_map(|part| part.halt).max();
        if watch.has_too_many(store.len()) {
            halt = Some(Halt::OrderMatters);
        }
        match halt {
            Some(Halt::OrderMatters) => {
                watch.surplus = store.len() - stored;
                // Whatever limit was hit: one worker looks again.
                watch.look_again();
                return Expanded::NotYet;
            }
            Some(Halt::CutShort) => {
                parts.into_iter().for_each(|part| watch.absorb(part.counted));
                watch.cut_short();
                return Expanded::Stopped;
            }
            Some(Halt::Refused) => watch.refused_memory(),
            Some(Halt::Limit) | None => {}
        }
        let visited = watch.counts().visited;
        let mut found = Vec::new();
        for part in parts {
            watch.absorb(part.counted);
            found.push(part.found);
        }
        // Whatever goes wrong between workers, no verdict is built on it.
        let expanded = watch.counts().visited - visited;
        assert_eq!(expanded, blocks.places.len() as u64, "states of a level, and those that were expanded");
        place.expanded = blocks.places.end;
        let found = settled(found, &place.parents, &place.level);
        append_in_order(&mut place.next, &found, blocks);
        watch.counts().stacks.note(0, place.next.len() as u64);
        if halt.is_some() { Expanded::Stopped } else { Expanded::All }
    }

    fn add_reached(&self, reached: &mut Vec<Vec<bool>>) {
        self.first.add_reached(reached);
        for Worker { model, desk } in &self.others {
            desk.add_reached(reached);
            model.add_reached(reached);
        }
    }

    fn finish(&mut self, model: &M, reached: &mut Vec<Vec<bool>>) {
        Levels::<M, S>::add_reached(self, reached);
        self.others.drain(..).for_each(|worker| model.take_back(worker.model));
    }
}

impl<W: SuccessorFunction + Send> LevelsTogether<W> {
    /// What comes of each worker, and which blocks they took.
    fn expand_blocks<M: Workers<Worker = W>, S: SharedStore, L: Listener>(
        &mut self,
        model: &M,
        store: &mut S,
        watch: &mut Watch<L>,
        place: &Place,
    ) -> (Vec<Part>, Blocks) {
        let before = watch.counts().transitions;
        let own_bytes = place.own_bytes();
        let model_bytes =
            self.others.iter().map(|worker| worker.model.own_bytes()).sum::<u64>() + model.own_bytes();
        let common = CommonStore::new(store, watch.limits().max_memory);
        let left = place.level.len() - place.expanded;
        let level = Level {
            states: &place.level,
            block: (left / (self.threads * BLOCKS_EACH)).clamp(1, BLOCK),
            next: AtomicUsize::new(place.expanded),
            common: &common,
            parents: &place.parents,
            question: watch.question(),
            known: &watch.found.clone(),
            max_states: watch.limits().max_states.unwrap_or(u64::MAX),
            is_stopped: AtomicBool::new(false),
            transitions: AtomicU64::new(0),
            candidate_bytes: AtomicU64::new(0),
            idle: AtomicUsize::new(0),
        };
        let level = &level;
        let threads = self.threads;
        let mut parts = Vec::new();
        let mut panics: Vec<Box<dyn Any + Send>> = Vec::new();
        scope(|scope| {
            let mut threads_of_others = Vec::new();
            for (me, Worker { model, desk }) in (1..).zip(&mut self.others) {
                let (model, work) = (&mut *model, Builder::new().name(format!("worker {me}")));
                let expand = move || level.work(me, model, desk, |_, _| false);
                // If the system has no room for another thread, the work is done without it.
                threads_of_others.extend(work.spawn_scoped(scope, expand));
            }
            let look = |store: &Handle<S>, worked: i64| {
                watch.note_work(worked);
                watch.is_look_due() && {
                    watch.counts().transitions = before + level.transitions.load(Ordering::Relaxed);
                    let begun = level.next.load(Ordering::Relaxed).min(level.states.len());
                    watch.waiting = (level.states.len() - begun + place.next.len()) as u64;
                    watch.busy = (threads, threads - level.idle.load(Ordering::Relaxed).min(threads));
                    let own_bytes = own_bytes + level.candidate_bytes.load(Ordering::Relaxed);
                    watch.look_at(store, Held { model_bytes, own_bytes })
                }
            };
            match catch_unwind(AssertUnwindSafe(|| level.work(0, model, &mut self.first, look))) {
                Ok(part) => parts.push(part),
                Err(panic) => panics.push(panic),
            }
            for thread in threads_of_others {
                match thread.join() {
                    Ok(part) => parts.push(part),
                    Err(panic) => panics.push(panic),
                }
            }
        });
        // The one who has failed first says why, not those who could not go on without it.
        panics.sort_by_key(|panic| is_consequence(panic.as_ref()));
        if let Some(panic) = panics.into_iter().next() {
            resume_unwind(panic);
        }
        watch.counts().transitions = before;
        watch.busy.1 = 1;
        let now = Instant::now();
        watch.work.threads = threads;
        watch.work.idle += parts.iter().map(|part| now - part.ended).sum::<Duration>();
        common.add_to(&mut watch.work);
        let end = level.next.load(Ordering::Relaxed).min(level.states.len());
        (parts, Blocks { places: place.expanded..end, length: level.block })
    }
}

impl<S: SharedStore> Level<'_, '_, S> {
    /// Expands blocks until there are none, or all must stop. `look` is told how much was done, and says
    /// whether a limit was hit.
    fn work<M: SuccessorFunction>(
        &self,
        me: usize,
        model: &M,
        desk: &mut Desk,
        mut look: impl FnMut(&Handle<S>, i64) -> bool,
    ) -> Part {
        let _alarm = Alarm(&self.is_stopped);
        let mut store = self.common.handle(me);
        let mut watch = Watch::new(self.question, Limits::default(), None, NoListener);
        watch.found = self.known.iter().map(|known| Found { count: 0, ..known.clone() }).collect();
        let (mut found, mut highest) = (Candidates::default(), None);
        let (mut transitions, mut bytes) = (0, 0);
        let mut halt = None;
        while !self.is_stopped.load(Ordering::Relaxed) {
            let begin = self.next.fetch_add(self.block, Ordering::Relaxed);
            if begin >= self.states.len() {
                break;
            }
            let end = (begin + self.block).min(self.states.len());
            for place in begin..end + LANES {
                // Successors come into the store in the order of the list, while those of the next states are
                // being computed.
                if let Some(landing) = place.checked_sub(LANES).filter(|landing| *landing >= begin) {
                    let lane = &desk.lanes[landing % LANES];
                    self.land(lane, landing, &mut store, &mut desk.room, &mut found.states, &mut highest);
                }
                if place >= end {
                    continue;
                }
                let lane = &mut desk.lanes[place % LANES];
                let state = store.bytes_of(self.states[place], &mut desk.buffer);
                if let Some(&next) = self.states.get(place + 1) {
                    store.prefetch(next);
                }
                model.successors(state, &mut lane.out);
                if watch.expanded(model, state, &lane.out) == Noted::NewViolation {
                    halt = halt.max(Some(Halt::OrderMatters));
                }
                if watch.stopped == Some(StopReason::Sequence) {
                    halt = halt.max(Some(Halt::CutShort));
                }
                store.prefetch_all(visible_of(&lane.out, 0));
            }
            found.blocks.push((begin, found.states.len()));
            let now = watch.counts().transitions;
            self.transitions.fetch_add(now - transitions, Ordering::Relaxed);
            transitions = now;
            let now = (found.states.capacity() * size_of::<Candidate>()) as u64;
            self.candidate_bytes.fetch_add(now - bytes, Ordering::Relaxed);
            bytes = now;
            if store.len() > self.max_states {
                halt = halt.max(Some(Halt::OrderMatters));
            }
            if self.common.is_refused() {
                halt = halt.max(Some(Halt::Refused));
            }
            if look(&store, (end - begin) as i64 * WORK_PER_STATE) {
                halt = halt.max(Some(Halt::Limit));
            }
            if halt.is_some() {
                self.is_stopped.store(true, Ordering::Relaxed);
            }
        }
        self.idle.fetch_add(1, Ordering::Relaxed);
        Part { counted: watch.into_counted(), found, halt, highest, ended: Instant::now() }
    }

    /// The successors of the state at a place of the list come into the store; those that may belong to the
    /// next level are candidates.
    #[inline]
    fn land(
        &self,
        lane: &Lane,
        place: usize,
        store: &mut Handle<S>,
        room: &mut Vec<Inserted>,
        candidates: &mut Vec<Candidate>,
        highest: &mut Option<StateId>,
    ) {
        for &inserted in store.insert_all(visible_of(&lane.out, 0), room) {
            if let Inserted::New(state) = inserted {
                *highest = (*highest).max(Some(state));
            }
            let (state, parent) = (inserted.id(), place as u32);
            if self.parents.meet(state, parent, self.states.len()) {
                candidates.push(Candidate { state, parent });
            }
        }
    }
}

/// Candidates that are right get their parents, and all others are dropped: by all workers, each its own.
fn settled(found: Vec<Candidates>, parents: &Parents, level: &[StateId]) -> Vec<Candidates> {
    let settle = |mut found: Candidates| {
        let Candidates { states, blocks } = &mut found;
        let (mut kept, mut from) = (0, 0);
        for (_, end) in blocks {
            for at in from..*end {
                let Candidate { state, parent } = states[at];
                if parents.settle(state, parent, level) {
                    states[kept] = states[at];
                    kept += 1;
                }
            }
            from = std::mem::replace(end, kept);
        }
        states.truncate(kept);
        found
    };
    let slots: Vec<Mutex<Option<Candidates>>> =
        found.into_iter().map(|found| Mutex::new(Some(found))).collect();
    let take = |slot: &Mutex<Option<Candidates>>| slot.lock().expect("nobody panics here").take();
    let mut done = Vec::new();
    scope(|scope| {
        let threads: Vec<_> = slots[1..]
            .iter()
            .filter_map(|slot| Builder::new().spawn_scoped(scope, || take(slot).map(settle)).ok())
            .collect();
        // The first are left to the thread that calls, and whatever there is no thread for.
        done.extend(take(&slots[0]).map(settle));
        for thread in threads {
            done.extend(thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        done.extend(slots.iter().filter_map(take).map(settle));
    });
    done
}

/// What the workers have found, in the order of the blocks.
fn append_in_order(next: &mut Vec<StateId>, found: &[Candidates], blocks: Blocks) {
    next.reserve(found.iter().map(|found| found.states.len()).sum());
    // Of each worker, which block comes next, and its first candidate.
    let mut cursors = vec![(0, 0); found.len()];
    for begin in blocks.places.step_by(blocks.length) {
        let of_block = found.iter().zip(&mut cursors).find_map(|(found, cursor)| {
            let end = found.blocks.get(cursor.0).filter(|block| block.0 == begin)?.1;
            let from = std::mem::replace(&mut cursor.1, end);
            cursor.0 += 1;
            Some(&found.states[from..end])
        });
        let of_block = of_block.expect("every block was taken by somebody");
        next.extend(of_block.iter().map(|candidate| candidate.state));
    }
}
