//! Depth-first search, without recursion.
//!
//! The successors of a state are computed once, all together, and put into the store at once, so that each of
//! them is hashed and looked up once. What waits on the stack are their numbers, four bytes each, not their
//! bytes. A mark per state says whether it has been *expanded*; a successor that was new when it was
//! generated may have been expanded, from deeper in the search, by the time it is taken, and is then skipped.
//! So states are expanded exactly in the order of the textbook's (and Spin's) depth-first search.
//!
//! Cost: 8 bytes per state on the path, 4 per waiting successor, one bit per state. Rejected: keeping the
//! successors' bytes on the stack and storing them when they are taken: a second lookup for each, and a stack
//! of gigabytes on deep models; computing the next successor when it is needed: the interpreter, which costs
//! most, would work twice.
//!
//! After [`IN_ORDER`] states the search gives up this order, if nothing depends on it, for one in which
//! memory is hardly waited for ([`crate::look_ahead`]). If it finds a violation there, it begins again, in
//! order to the end: so what it shows is what the textbook's search finds first. The same states and
//! transitions are counted; the depth is that of the part in order. What comes after that part can be done by
//! several threads ([`crate::parallel`]).
//!
//! If all violations are asked for, and some are found out of order, it goes on to the end, and then begins
//! again, in order, until it has met all of them: for the paths. So that takes at most twice the time, and
//! mostly little more than once.
//!
//! A limit on the depth leaves states in the store that are not expanded. When such a state is met again on a
//! shorter path, it is expanded then. All the same the verdict can only be `unknown` if no violation is
//! found.

use crate::bookkeeping::ProgressObserver;
use crate::checkpoint::{Reader, Saved, Unreadable, Writer};
use crate::events::{Event, Listener, NoListener};
use crate::hidden_values::HiddenValues;
use crate::limits::{Limits, StopReason};
use crate::look_ahead::{Again, Alone, OutOfOrder, Waiting};
use crate::parallel::together::{AtOnce, Sharing, Together};
use crate::parallel::turns::InTurns;
use crate::watch::{Found, Noted, Outcome, Question, Watch, Writing, by_kind};
use lariat_engine::{SuccessorFunction, Successors, Workers};
use lariat_store::{SharedStore, StateBits, StateId, StateStore};

/// A state on the path from the initial state to where the search is.
struct Frame {
    state: StateId,
    /// How many of its successors wait, on top of those of the frames below.
    pending: u32,
}

/// So many states are searched in order.
pub const IN_ORDER: u64 = 1 << 16;

/// Searches from the initial state.
pub fn depth_first<M: SuccessorFunction, S: StateStore>(
    model: &M,
    store: &mut S,
    question: Question,
    limits: Limits,
    progress: ProgressObserver,
) -> Outcome {
    depth_first_with(model, store, question, limits, progress, IN_ORDER, NoListener)
}

/// The same, with at least so many states in order.
pub fn depth_first_in_order<M: SuccessorFunction, S: StateStore>(
    model: &M,
    store: &mut S,
    question: Question,
    limits: Limits,
    progress: ProgressObserver,
    in_order: u64,
) -> Outcome {
    depth_first_with(model, store, question, limits, progress, in_order, NoListener)
}

/// The same, with at least so many states in order, and then by several threads.
pub fn depth_first_together<M: Workers, S: SharedStore>(
    model: &M,
    store: &mut S,
    question: Question,
    limits: Limits,
    progress: ProgressObserver,
    in_order: u64,
    threads: usize,
) -> Outcome {
    search_sharing(AtOnce, model, store, question, limits, progress, in_order, threads)
}

/// The same in a store that only one thread can change at a time.
pub fn depth_first_in_turns<M: Workers, S: StateStore + Send>(
    model: &M,
    store: &mut S,
    question: Question,
    limits: Limits,
    progress: ProgressObserver,
    in_order: u64,
    threads: usize,
) -> Outcome {
    search_sharing(InTurns, model, store, question, limits, progress, in_order, threads)
}

#[allow(clippy::too_many_arguments)]
fn search_sharing<M: Workers, S: StateStore, H: Sharing<S>>(
    sharing: H,
    model: &M,
    store: &mut S,
    question: Question,
    limits: Limits,
    progress: ProgressObserver,
    in_order: u64,
    threads: usize,
) -> Outcome {
    // Threads take addresses that nobody counts. Where a search stops that has a limit on states or on the
    // depth depends on the order; also if it goes on from where that was given up.
    let is_bounded = limits.max_depth.is_some() || limits.max_states.is_some();
    if threads <= 1 || limits.process.max_addresses.is_some() || is_bounded {
        return depth_first_in_order(model, store, question, limits, progress, in_order);
    }
    search_by(&Together { threads, sharing }, model, store, question, limits, progress, in_order, NoListener)
}

/// The same, with somebody who is told what the search does.
pub fn depth_first_with<M: SuccessorFunction, S: StateStore>(
    model: &M,
    store: &mut S,
    question: Question,
    limits: Limits,
    progress: ProgressObserver,
    in_order: u64,
    listener: impl Listener,
) -> Outcome {
    search_by(&Alone, model, store, question, limits, progress, in_order, listener)
}

/// The same, with a way to go on when the order is given up.
#[allow(clippy::too_many_arguments)]
fn search_by<M: SuccessorFunction, S: StateStore>(
    way: &impl OutOfOrder<M, S>,
    model: &M,
    store: &mut S,
    question: Question,
    limits: Limits,
    mut progress: ProgressObserver,
    in_order: u64,
    mut listener: impl Listener,
) -> Outcome {
    // Where it ends, or what it finds, would depend on the order.
    let order_matters = limits.max_depth.is_some() || limits.max_states.is_some() || model.memory_size() > 0;
    let in_order = if order_matters { u64::MAX } else { in_order };
    let watch = Watch::new(question, limits, progress.as_mut().map(|p| &mut **p as _), &mut listener);
    let mut found = search(way, model, store, watch, in_order, Writing::InOrder);
    if let Err(Again::Alone) = found {
        store.clear();
        model.begins_again();
        let watch = Watch::new(question, limits, progress.as_mut().map(|p| &mut **p as _), &mut listener);
        found = search(&Alone, model, store, watch, in_order, Writing::InOrder);
    }
    if let Ok(outcome) = found {
        let has_all_paths = outcome.found.iter().all(|found| found.path.is_some());
        if question != Question::AllViolations || has_all_paths {
            return outcome;
        }
        match outcome.stopped {
            // There is time, but no room: then as far as one comes in order. Unless the search can go on from
            // where it is.
            Some(StopReason::Memory(_) | StopReason::StoreFull) if limits.checkpoint.is_none() => {}
            Some(_) => return outcome,
            None => {
                // What is to be written down was written; and a checkpoint of this search would not have the
                // counts of that one.
                let limits = Limits { checkpoint: None, ..limits };
                let watch = Watch::new(question, limits, progress.map(|p| p as _), &mut listener);
                return with_paths(outcome, model, store, watch);
            }
        }
    }
    store.clear();
    model.begins_again();
    let watch = Watch::new(question, limits, progress.map(|p| p as _), &mut listener);
    all_in_order(model, store, watch, Writing::InOrderAgain)
}

fn all_in_order<M: SuccessorFunction, S: StateStore, L: Listener>(
    model: &M,
    store: &mut S,
    watch: Watch<L>,
    writing: Writing,
) -> Outcome {
    search(&Alone, model, store, watch, u64::MAX, writing).unwrap_or_else(|_| unreachable!("all in order"))
}

/// All violations are known, but not the paths to them: a search in order finds these, and stops when it has
/// met all of them. What it counts does not count.
fn with_paths<M: SuccessorFunction, S: StateStore, L: Listener>(
    known: Outcome,
    model: &M,
    store: &mut S,
    mut watch: Watch<L>,
) -> Outcome {
    store.clear();
    model.is_counted();
    watch.seek_so_many(known.found.len());
    let Outcome { found, stopped, .. } = all_in_order(model, store, watch, Writing::InOrderAgain);
    let (mut shown, mut left) = (found, known.found);
    for found in &mut shown {
        let place = left.iter().position(|known| known.violation == found.violation);
        let place = place.expect("a violation that a search of all states has not met");
        found.count = left.swap_remove(place).count;
    }
    assert!(left.is_empty() || stopped.is_some(), "violations that a search in order does not meet");
    // If a limit was hit, some are without a path; in which order these were met is an accident.
    left.sort_by(|a, b| by_kind(&a.violation, &b.violation));
    shown.extend(left.into_iter().map(|found| Found { path: None, ..found }));
    Outcome { found: shown, stopped, ..known }
}

/// Where a search in order is.
struct Place {
    frames: Vec<Frame>,
    pending: Vec<StateId>,
    hidden: HiddenValues,
    expanded: StateBits,
}

impl Saved for Place {
    fn save(&self, out: &mut Writer) {
        out.number(self.frames.len() as u64);
        for frame in &self.frames {
            out.number(u64::from(frame.state.0));
            out.number(u64::from(frame.pending));
        }
        self.pending.save(out);
        self.hidden.save(out);
        self.expanded.save(out);
    }

    fn load(&mut self, from: &mut Reader) -> Result<(), Unreadable> {
        for _ in 0..from.number()? {
            self.frames.push(Frame { state: StateId(from.small()?), pending: from.small()? });
        }
        self.pending.load(from)?;
        self.hidden.load(from)?;
        self.expanded.load(from)
    }
}

/// Searches from the initial state, or from a checkpoint, the first states in order, and then in another way.
/// An error if it must begin again, because of what was found afterwards.
fn search<M: SuccessorFunction, S: StateStore, L: Listener>(
    way: &impl OutOfOrder<M, S>,
    model: &M,
    store: &mut S,
    mut watch: Watch<L>,
    mut in_order: u64,
    mut writing: Writing,
) -> Result<Outcome, Again> {
    let mut place = Place {
        frames: Vec::new(),
        pending: Vec::new(),
        hidden: HiddenValues::of(model),
        expanded: StateBits::new(),
    };
    let mut out = Successors::new();
    let mut buffer = Vec::new();
    let mut room = Vec::new();

    let goes_on = watch.goes_on(store);
    let begins = goes_on.is_none();
    if let Some(goes_on) = goes_on {
        let loaded = goes_on.and_then(|(from, numbers, mut reader)| {
            writing = from;
            if writing != Writing::LookAhead {
                numbers.must_be_same()?;
                place.load(&mut reader)?;
                reader.finish()?;
                return Ok(None);
            }
            let mut waiting = Waiting::default();
            waiting.load(&mut reader)?;
            waiting.renumber(&numbers)?;
            reader.finish().map(|()| Some(waiting))
        });
        match loaded {
            Ok(Some(waiting)) => return way.go_on(model, store, watch, waiting, &out),
            Ok(None) if writing == Writing::InOrderAgain => in_order = u64::MAX,
            Ok(None) => {}
            Err(error) => {
                watch.cannot_go_on(error);
                return Ok(watch.finish(model, store, 0, Vec::new()));
            }
        }
    }
    let Place { mut frames, mut pending, mut hidden, mut expanded } = place;
    match model.initial_state() {
        _ if !begins => {}
        Ok(initial) => {
            let id = store.insert(hidden.visible(&initial)).id();
            watch.tell(Event::Met(id));
            pending.push(id);
            hidden.push(&initial);
            // Stands below the path: its one successor is the initial state.
            frames.push(Frame { state: id, pending: 1 });
        }
        Err(violation) => watch.no_initial_state(violation),
    }
    while let Some(top) = frames.last_mut() {
        if top.pending == 0 {
            let left = top.state;
            frames.pop();
            if !frames.is_empty() {
                watch.tell(Event::Left(left));
            }
            continue;
        }
        top.pending -= 1;
        let id = pending.pop().expect("every pending successor of a frame is on the stack");
        let depth = frames.len() as u64 - 1;
        if expanded.is_set(id) || watch.cuts_at(depth) {
            hidden.pop();
            continue;
        }
        expanded.set(id);
        // Whatever comes of this state, that one will be needed when it is done.
        if let Some(&next) = pending.last() {
            store.prefetch(next);
        }
        let state = hidden.complete(pending.len(), store, id, &mut buffer);
        hidden.pop();
        model.successors(state, &mut out);
        frames.push(Frame { state: id, pending: 0 });
        watch.tell(Event::Entered(id));
        watch.tell(Event::Expanded { state: id, arcs: out.len() as u32 });
        if watch.expanded(model, state, &out) == Noted::NewViolation {
            watch.keep(|| frames[1..].iter().map(|frame| frame.state).collect());
            if watch.is_answered() {
                break;
            }
        }
        let waiting = pending.len();
        let found = store.insert_all(hidden.visible_of(&out), &mut room);
        watch.tell_arcs(id, found);
        for (i, successor) in found.iter().enumerate().rev() {
            if !expanded.is_set(successor.id()) {
                pending.push(successor.id());
                hidden.push_of(&out, i);
            }
        }
        frames.last_mut().expect("just pushed").pending = (pending.len() - waiting) as u32;
        watch.counts().stacks.note(depth + 1, pending.len() as u64);
        watch.waiting = pending.len() as u64;
        let own_bytes = || own_bytes(&frames, &pending, &hidden, &expanded);
        if watch.must_stop(model, store, own_bytes, depth) {
            let place = Place { frames, pending, hidden, expanded };
            let reached = out.reached().to_vec();
            let saved = |out: &mut Writer| place.save(out);
            let goes_on = watch.goes_on_after(writing, model, store, reached, saved);
            Place { frames, pending, hidden, expanded } = place;
            if !goes_on {
                break;
            }
        }
        if store.len() > in_order {
            frames[1..].iter().rev().for_each(|frame| watch.tell(Event::Left(frame.state)));
            let waiting = Waiting::new(&pending, expanded);
            drop((frames, pending));
            return way.go_on(model, store, watch, waiting, &out);
        }
    }
    let own_bytes = own_bytes(&frames, &pending, &hidden, &expanded);
    let reached = out.reached().to_vec();
    Ok(watch.finish(model, store, own_bytes, reached))
}

fn own_bytes(
    frames: &Vec<Frame>,
    pending: &Vec<StateId>,
    hidden: &HiddenValues,
    expanded: &StateBits,
) -> u64 {
    (frames.capacity() * size_of::<Frame>() + pending.capacity() * size_of::<StateId>()) as u64
        + hidden.capacity() as u64
        + expanded.bytes()
}
