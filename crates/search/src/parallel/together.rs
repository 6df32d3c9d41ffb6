//! The part of a long search that has no fixed order, by several workers: [`crate::look_ahead`] in each of
//! them, with one store and one pool of work.
//!
//! How workers share the store is a [`Sharing`]. Here is the one for a store that takes insertions by several
//! threads at a time ([`AtOnce`]); the other is [`super::turns`].
//!
//! Each worker has a stack and four lanes of its own. Whoever inserts a state as new expands it, or hands
//! it over: so every state is expanded once, and what is counted is what one worker would count. The store
//! decides who was first, and workers hear of each other only if somebody has nothing to do (`gang.rs`), or
//! if the store must grow (`handle.rs`).
//!
//! *Processes that sleep* (`engine/src/packing/commuting.rs`) are left out here too. Which ones sleep in a
//! state depends on the state from which it was inserted as new, and goes with it where it is handed over.
//! The proof there needs that every state that is met gets expanded, and that p, from which x was inserted,
//! was expanded before x: both are true of states that are expanded at the same time by several workers, if
//! "before" means that p's successors had been computed when x's were begun. (The induction is over the
//! moments at which expansions begin, of which there are finitely many.) Nothing else about the order is
//! used.
//!
//! *Looking at limits* is the first worker's business, which is the thread that has called: it adds up what
//! all of them have. It looks between states, as with one thread, and while it waits for work. If it must
//! stop, all stop; what waits is gathered, so that there can be a checkpoint, and workers begin again from
//! there.
//!
//! *A last look.* If all is done, nothing waits, and as many states were expanded as are stored. It is asked
//! in every search: a piece of work that was lost, or done twice, ends it with an error, and with no
//! verdict.
//!
//! *A violation* that needs a path ends the search, and it begins again, in order, with one worker
//! (`depth_first.rs`). If all violations are asked for, the search goes on to its end, and then one worker
//! looks for the paths. If only the kinds of violations are listed, they are sorted. If there are more than
//! are told apart, one worker does it all again, because it depends on the order which of them are.

use super::gang::{Alarm, Gang, Next};
use super::handle::{CommonStore, is_consequence};
use crate::bookkeeping::ThreadWork;
use crate::checkpoint::{Saved, Writer};
use crate::events::{Listener, NoListener};
use crate::hidden_values::visible_of;
use crate::limits::{BETWEEN_LOOKS, Limits, StopReason, WORK_PER_STATE};
use crate::look_ahead::{Again, Lane, OutOfOrder, Waiting, WaitingState, all_reached, land, probe_before};
use crate::watch::{Counted, Held, Noted, Outcome, Question, Watch, Writing, add_reached};
use lariat_engine::{LANES, SuccessorFunction, Successors, Workers};
use lariat_store::{SharedStore, StateStore, VisitedSet};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{Builder, scope};
use std::time::{Duration, Instant};

/// Several workers go on.
pub(crate) struct Together<H> {
    /// So many, at least one.
    pub threads: usize,
    /// How they share the store.
    pub sharing: H,
}

/// How workers share a store of some kind.
pub(crate) trait Sharing<S> {
    /// The store, in their midst.
    type Place<'s>: Place
    where
        S: 's;

    /// The workers have the store from now on. It should not take more than so many bytes, if there is a
    /// limit.
    fn share<'s>(&self, store: &'s mut S, max_bytes: Option<u64>) -> Self::Place<'s>;
}

/// A store in the midst of workers.
pub(crate) trait Place: Sync {
    /// What one worker does, as [`crate::look_ahead`].
    fn work<M: SuccessorFunction>(&self, phase: &Phase, me: usize, model: &M, look: impl Look) -> Part;

    /// Adds what has come of it up to now, when no worker has it any more.
    fn add_to(&self, work: &mut ThreadWork);
}

/// A look at the limits, between two states.
pub(crate) trait Look {
    /// It is told how much was done, or that nothing is to be done at the moment; whether all must stop.
    fn look(&mut self, store: &impl VisitedSet, worked: Option<i64>) -> bool;
}

/// Nobody but the first worker looks.
struct NoLook;

impl Look for NoLook {
    #[inline(always)]
    fn look(&mut self, _store: &impl VisitedSet, _worked: Option<i64>) -> bool {
        false
    }
}

/// The first worker looks on behalf of all.
struct LookForAll<'a, 'w, L> {
    watch: &'a mut Watch<'w, L>,
    phase: &'a Phase<'a>,
    /// What had been counted before.
    transitions: u64,
}

impl<L: Listener> Look for LookForAll<'_, '_, L> {
    #[inline]
    fn look(&mut self, store: &impl VisitedSet, worked: Option<i64>) -> bool {
        let LookForAll { watch, phase, transitions } = self;
        match worked {
            Some(work) => watch.note_work(work),
            None => watch.look_at_once(),
        }
        watch.is_look_due() && {
            let figures = phase.figures;
            let sum = |of: fn(&Figures) -> &AtomicU64| -> u64 {
                figures.iter().map(|figures| of(figures).load(Ordering::Relaxed)).sum()
            };
            watch.counts().transitions = *transitions + sum(|figures| &figures.transitions);
            watch.waiting = sum(|figures| &figures.waiting);
            watch.busy = (figures.len(), figures.len() - phase.gang.idle().min(figures.len()));
            let model_bytes = sum(|figures| &figures.model_bytes);
            watch.look_at(store, Held { model_bytes, own_bytes: sum(|figures| &figures.own_bytes) })
        }
    }
}

/// What a worker tells the first one, now and then. Only that worker writes it.
#[derive(Default)]
#[repr(align(128))]
pub(super) struct Figures {
    transitions: AtomicU64,
    waiting: AtomicU64,
    /// Bytes of its model, and of what it holds itself.
    model_bytes: AtomicU64,
    own_bytes: AtomicU64,
}

impl Figures {
    /// What it has done, and what waits.
    #[inline]
    pub fn tell(&self, transitions: u64, waiting: &Waiting) {
        self.waiting.store(waiting.0.len() as u64, Ordering::Relaxed);
        self.transitions.store(transitions, Ordering::Relaxed);
    }

    /// What it holds.
    pub fn tell_bytes(&self, model: &impl SuccessorFunction, waiting: &Waiting) {
        self.model_bytes.store(model.own_bytes(), Ordering::Relaxed);
        self.own_bytes.store(waiting.bytes(), Ordering::Relaxed);
    }
}

/// So many states are expanded between two words about bytes.
pub(super) const BETWEEN_WORDS: u64 = 1 << 10;

/// Why a worker has stopped before the work was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Halt {
    /// The store may not grow.
    Refused,
    /// A step was cut short.
    CutShort,
    /// There are more kinds of violations than are told apart.
    TooManyKinds,
    /// There is a violation to which there should be a path.
    Violated,
}

/// What all workers of one phase share, beside the store.
pub(crate) struct Phase<'c> {
    pub(super) gang: &'c Gang<WaitingState>,
    pub(super) figures: &'c [Figures],
    pub(super) question: Question,
    /// What is in flight at the end must land, because it is written down.
    pub(super) lands_at_end: bool,
}

/// What has come of a worker.
pub(crate) struct Part {
    pub(super) counted: Counted,
    pub(super) reached: Vec<Vec<bool>>,
    pub(super) waiting: Vec<WaitingState>,
    pub(super) halt: Option<Halt>,
    pub(super) idle: Duration,
}

impl<M: Workers, S: StateStore, H: Sharing<S>> OutOfOrder<M, S> for Together<H> {
    fn go_on<L: Listener>(
        &self,
        model: &M,
        store: &mut S,
        mut watch: Watch<L>,
        mut waiting: Waiting,
        seen_before: &Successors,
    ) -> Result<Outcome, Again> {
        watch.counts().order_given_up = true;
        let mut reached = seen_before.reached().to_vec();
        loop {
            let (halt, bytes) = phase(self, model, store, &mut watch, &mut waiting, &mut reached);
            match halt {
                Some(Halt::Violated) => return Err(Again::InOrder),
                // If they get a path each, a worker alone would not know which ones either.
                Some(Halt::TooManyKinds) if watch.question() == Question::AllViolations => {
                    return Err(Again::InOrder);
                }
                Some(Halt::TooManyKinds) => return Err(Again::Alone),
                Some(Halt::CutShort) => watch.cut_short(),
                Some(Halt::Refused) => watch.refused_memory(),
                None => {}
            }
            let is_done = watch.stopped.is_none();
            if is_done {
                // Whatever goes wrong between workers, no verdict is built on it.
                let expanded = watch.counts().visited;
                assert!(
                    waiting.0.is_empty() && expanded == store.len(),
                    "{} states are stored, {expanded} were expanded, and {} wait: they must be the same, and 0",
                    store.len(),
                    waiting.0.len()
                );
            }
            let saved = |out: &mut Writer| waiting.save(out);
            if is_done || !watch.goes_on_after(Writing::LookAhead, model, store, reached.clone(), saved) {
                return Ok(watch.finish(model, store, bytes, reached));
            }
        }
    }
}

/// Works until everything is done, or all must stop: then what waits is gathered. Why somebody has stopped,
/// if not because of a limit that the watch knows of, and the bytes that workers held beside store and model.
fn phase<M: Workers, S: StateStore, H: Sharing<S>, L: Listener>(
    way: &Together<H>,
    model: &M,
    store: &mut S,
    watch: &mut Watch<L>,
    waiting: &mut Waiting,
    reached: &mut Vec<Vec<bool>>,
) -> (Option<Halt>, u64) {
    let (threads, before) = (way.threads, *watch.counts());
    let gang = Gang::new(threads, waiting.deal(threads));
    let figures: Vec<Figures> = (0..threads).map(|_| Figures::default()).collect();
    let place = way.sharing.share(store, watch.limits().max_memory);
    let phase = Phase {
        gang: &gang,
        figures: &figures,
        question: watch.question(),
        lands_at_end: watch.writes_checkpoints(),
    };
    let (phase, place) = (&phase, &place);
    let mut parts = Vec::new();
    let mut panics: Vec<Box<dyn Any + Send>> = Vec::new();
    scope(|scope| {
        let mut others = Vec::new();
        for me in 1..threads {
            let worker = model.another_worker();
            let work = move || {
                let part = place.work(phase, me, &worker, NoLook);
                (part, worker)
            };
            match Builder::new().name(format!("worker {me}")).spawn_scoped(scope, work) {
                Ok(thread) => others.push(thread),
                // The system has no room for another thread: the work is done without it.
                Err(_) => phase.gang.leave(),
            }
        }
        let look = LookForAll { watch: &mut *watch, phase, transitions: before.transitions };
        match catch_unwind(AssertUnwindSafe(|| place.work(phase, 0, model, look))) {
            Ok(part) => parts.push(part),
            Err(panic) => panics.push(panic),
        }
        for thread in others {
            match thread.join() {
                Ok((part, worker)) => {
                    model.take_back(worker);
                    parts.push(part);
                }
                Err(panic) => panics.push(panic),
            }
        }
    });
    // The one who has failed first says why, not those who could not go on without it.
    panics.sort_by_key(|panic| is_consequence(panic.as_ref()));
    if let Some(panic) = panics.into_iter().next() {
        resume_unwind(panic);
    }
    let bytes_of = |figures: &Figures| figures.own_bytes.load(Ordering::Relaxed);
    let mut bytes: u64 = figures.iter().map(bytes_of).sum();
    // Of the models, the first is counted where the others are not.
    bytes += figures[1..].iter().map(|figures| figures.model_bytes.load(Ordering::Relaxed)).sum::<u64>();
    watch.counts().transitions = before.transitions;
    let mut halt = None;
    for part in parts {
        halt = halt.max(part.halt);
        add_reached(reached, &part.reached);
        waiting.add(part.waiting);
        watch.absorb(part.counted);
        watch.work.idle += part.idle;
    }
    watch.work.threads = watch.work.threads.max(threads);
    watch.work.handed_over += gang.handed_over();
    place.add_to(&mut watch.work);
    if watch.has_more() && watch.stopped.is_none() {
        halt = halt.max(Some(Halt::TooManyKinds));
    }
    gang.left().into_iter().for_each(|bundle| waiting.add(bundle));
    (halt, bytes)
}

/// All workers insert at the same time.
pub(crate) struct AtOnce;

impl<S: SharedStore> Sharing<S> for AtOnce {
    type Place<'s>
        = CommonStore<'s, S>
    where
        S: 's;

    fn share<'s>(&self, store: &'s mut S, max_bytes: Option<u64>) -> CommonStore<'s, S> {
        CommonStore::new(store, max_bytes)
    }
}

impl<S: SharedStore> Place for CommonStore<'_, S> {
    fn add_to(&self, work: &mut ThreadWork) {
        CommonStore::add_to(self, work);
    }

    fn work<M: SuccessorFunction>(&self, phase: &Phase, me: usize, model: &M, mut look: impl Look) -> Part {
        let Phase { gang, question, .. } = *phase;
        let _alarm = Alarm(gang);
        let figures = &phase.figures[me];
        let mut store = self.handle(me);
        let mut watch = Watch::new(question, Limits::default(), None, NoListener);
        let empty = |lane| Lane::new(Successors::for_lane(lane));
        let mut lanes: [Lane; LANES] = std::array::from_fn(empty);
        let mut waiting = Waiting::default();
        let (mut turn, mut room, mut buffer) = (0, Vec::new(), Vec::new());
        let (mut halt, mut idle, mut until_word) = (None, Duration::ZERO, 0u64);
        // Only the first has anything to look at while it waits.
        let patience = (me == 0).then_some(BETWEEN_LOOKS);
        let mut stop = |reason: Option<Halt>| {
            halt = halt.max(reason);
            gang.stop();
        };
        loop {
            let place = turn;
            let lane = &mut lanes[place];
            turn = if turn + 1 < LANES { turn + 1 } else { 0 };
            if lane.in_flight {
                lane.in_flight = false;
                land(lane, &mut store, &mut watch, &mut waiting, &mut room);
                figures.tell(watch.counts().transitions, &waiting);
                if until_word == 0 {
                    until_word = BETWEEN_WORDS;
                    figures.tell_bytes(model, &waiting);
                }
                until_word -= 1;
                if gang.is_stopped() {
                    break;
                }
                if gang.is_hungry() {
                    gang.share(&mut waiting.0);
                }
                if self.is_refused() {
                    stop(Some(Halt::Refused));
                    break;
                }
                if look.look(&store, Some(WORK_PER_STATE)) {
                    stop(None);
                    break;
                }
            }
            let lane = &mut lanes[place];
            let Some(WaitingState { id, sleeping }) = waiting.0.pop() else {
                if lanes.iter().any(|lane| lane.in_flight) {
                    continue;
                }
                store.let_go();
                let begin = Instant::now();
                let next = gang.next(patience);
                idle += begin.elapsed();
                match next {
                    Next::Work(bundle) => waiting = Waiting(bundle),
                    Next::Over => break,
                    Next::NothingYet => {}
                }
                store.take_up();
                if waiting.0.is_empty() && look.look(&store, None) {
                    stop(None);
                    break;
                }
                continue;
            };
            if let Some(next) = waiting.0.last() {
                store.prefetch(next.id);
            }
            let state = store.bytes_of(id, &mut buffer);
            model.awake_successors(state, sleeping, &mut lane.out);
            if watch.expanded(model, state, &lane.out) == Noted::NewViolation && question.stops_at_first() {
                stop(Some(Halt::Violated));
                break;
            }
            if watch.stopped == Some(StopReason::Sequence) {
                stop(Some(Halt::CutShort));
                break;
            }
            store.announce_all(visible_of(&lane.out, 0), &mut lane.announced);
            (lane.state, lane.in_flight) = (id, true);
            probe_before(place, &mut lanes, &mut store);
        }
        if phase.lands_at_end {
            store.take_up();
            for lane in lanes.iter_mut().filter(|lane| lane.in_flight) {
                lane.in_flight = false;
                land(lane, &mut store, &mut watch, &mut waiting, &mut room);
            }
        }
        figures.tell_bytes(model, &waiting);
        let mut reached = all_reached(&Successors::new(), &lanes);
        model.add_reached(&mut reached);
        Part { counted: watch.into_counted(), reached, waiting: waiting.0, halt, idle }
    }
}
