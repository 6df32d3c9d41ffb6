//! The bookkeeping that all searches share: what they count, where they must stop, what they say about
//! themselves now and then, and to whom they tell what they do.
//!
//! A search calls [`Bookkeeping::expanded`] for every state whose successors it has computed. Then it asks
//! whether there are too many states, and whether a look at the limits is due: two comparisons. A look is due
//! when enough work has been done (`limits.rs`); it looks at the clock, the interrupt flag and the memory,
//! and tells the progress ([`Bookkeeping::look`]). `watch.rs` adds what a search for violations needs,
//! `emptiness/search.rs` what an emptiness check needs.

use crate::checkpoint::Checkpoints;
use crate::events::{Event, Listener};
use crate::limits::{Limits, Lookout, MemoryUse, StopReason};
use std::time::{Duration, Instant};

/// What a search counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// States in the store.
    pub stored: u64,
    /// States whose successors were computed.
    pub visited: u64,
    /// Successors computed, known ones too; again and again, if a check asks for them more than once.
    pub transitions: u64,
    /// Calls of the successor function.
    pub post_calls: u64,
    /// Of an emptiness check: arcs that the outer depth-first search has taken. Checks that follow the same
    /// order and stop after the same number of them stop at the same arc.
    pub explored: u64,
    /// Transitions on the longest path looked at (depth-first), or to the farthest state (breadth-first). Of
    /// an emptiness check: states on the longest path, nested ones together.
    pub depth: u64,
    /// The search has given up its order: the depth, and the sizes of stacks, are those of the part in order,
    /// and may be greater.
    pub order_given_up: bool,
    /// States from which nothing happens although some process is not at its end.
    pub deadlocks: u64,
    /// Assertions that failed.
    pub assertion_violations: u64,
    /// Run-time errors.
    pub runtime_errors: u64,
    /// States from which a process comes into an atomic sequence that nothing leads out of.
    pub endless_sequences: u64,
    /// States from which a process may stay in an atomic sequence for ever, those included.
    pub divergences: u64,
    /// The accepting cycle was found by a nested search, not by the outer one.
    pub found_nested: bool,
    /// The stacks, or queues, when they were largest.
    pub stacks: Stacks,
    /// Bytes of the states.
    pub states_bytes: u64,
    /// Bytes of everything else.
    pub auxiliary_bytes: u64,
    /// Of these, the store's own: tables, directories, room that is not used yet.
    pub table_bytes: u64,
    /// Of these, the model's: pieces of states, remembered steps. (The rest are [`Stacks::bytes`].)
    pub model_bytes: u64,
    /// How full the table is, in thousandths, where that means something.
    pub load: Option<u16>,
    /// How many states there were when the store became one of another kind, if it did.
    pub store_changed_at: Option<u64>,
    /// What all states would take, packed to the bits that their types need, if the model can tell.
    pub vector_bytes: Option<u64>,
}

/// The greatest sizes that the stacks (or queues) of a search had.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stacks {
    /// States on the path (depth-first) or on a level (breadth-first).
    pub states: u64,
    /// Successors waiting to be taken.
    pub pending: u64,
    /// Roots of components that are not complete, where a check keeps them.
    pub roots: u64,
    /// States of components that are not complete, where a check keeps them.
    pub active: u64,
    /// Bytes of all of them, and of the tables that the search keeps beside the store.
    pub bytes: u64,
}

impl Counts {
    /// Adds what another worker of the same search has counted.
    pub(crate) fn add(&mut self, more: &Counts) {
        self.visited += more.visited;
        self.transitions += more.transitions;
        self.post_calls += more.post_calls;
        self.deadlocks += more.deadlocks;
        self.assertion_violations += more.assertion_violations;
        self.runtime_errors += more.runtime_errors;
        self.endless_sequences += more.endless_sequences;
        self.divergences += more.divergences;
    }
}

/// How several threads have worked together: what they have waited for, and how often they had to do with
/// each other. It is different from run to run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ThreadWork {
    /// How many there were.
    pub threads: usize,
    /// How long they have waited for work, all together.
    pub idle: Duration,
    /// How long they have waited for the store to grow, or let it grow, all together.
    pub growing: Duration,
    /// How often the store has grown while there were several.
    pub growths: u64,
    /// How often work was handed over.
    pub handed_over: u64,
    /// How many insertions had to look again, mostly because another thread was quicker.
    pub again: u64,
}

impl Stacks {
    /// Notes the present sizes of the path (or level), and of what waits.
    #[inline]
    pub(crate) fn note(&mut self, states: u64, pending: u64) {
        self.states = self.states.max(states);
        self.pending = self.pending.max(pending);
    }
}

/// What a running search says about itself now and then.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// States in the store.
    pub stored: u64,
    /// Successors computed.
    pub transitions: u64,
    /// Transitions on the present path, or to the present level.
    pub depth: u64,
    /// States that were met and are still to be expanded, some of them perhaps more than once.
    pub waiting: u64,
    /// Bytes of everything that grows.
    pub bytes: u64,
    /// Since the start of the search.
    pub elapsed: Duration,
    /// How many threads there are, and how many of them have work at the moment.
    pub busy: (usize, usize),
}

/// Whoever is told about the progress, about once a second.
pub type ProgressObserver<'a> = Option<&'a mut dyn FnMut(&Progress)>;

/// Time between two words about the progress.
const BETWEEN_REPORTS: Duration = Duration::from_secs(1);

/// Where a search is at a moment: gathered only when there is a look at the limits.
pub(crate) struct Situation {
    /// States in the store.
    pub stored: u64,
    /// As in [`Progress`].
    pub depth: u64,
    /// As in [`Progress`].
    pub waiting: u64,
    /// As in [`Progress`].
    pub busy: (usize, usize),
    /// What the search holds, without what is held beside it.
    pub memory: MemoryUse,
    /// The store has hardly any numbers left.
    pub is_full: bool,
    /// A step of the model was cut short.
    pub is_cut: bool,
}

/// One for each search.
pub(crate) struct Bookkeeping<'a, L> {
    lookout: Lookout<'a>,
    /// As the limits have it; it is compared for every state.
    max_states: u64,
    progress: ProgressObserver<'a>,
    start: Instant,
    last_report: Instant,
    listener: L,
    /// Bytes that somebody holds while the search runs on their behalf.
    pub held_beside: u64,
    /// What is done at the moment is neither counted nor told.
    pub is_uncounted: bool,
    /// What is done at the moment cannot be left for a checkpoint.
    pub is_whole: bool,
    pub counts: Counts,
}

impl<'a, L: Listener> Bookkeeping<'a, L> {
    /// The clock that progress shows starts now.
    pub fn new(limits: Limits<'a>, progress: ProgressObserver<'a>, mut listener: L) -> Bookkeeping<'a, L> {
        let start = Instant::now();
        listener.hear(Event::Begun);
        Bookkeeping {
            lookout: Lookout::new(limits),
            max_states: limits.max_states.unwrap_or(u64::MAX),
            progress,
            start,
            last_report: start,
            listener,
            held_beside: 0,
            is_uncounted: false,
            is_whole: false,
            counts: Counts::default(),
        }
    }

    /// Tells those who listen.
    #[inline(always)]
    pub fn tell(&mut self, event: Event) {
        if !self.is_uncounted {
            self.listener.hear(event);
        }
    }

    /// A state was expanded, which gave so many successors and was so much work.
    #[inline]
    pub fn expanded(&mut self, successors: u64, work: i64) {
        self.counts.post_calls += 1;
        self.counts.transitions += successors;
        self.lookout.note(work);
    }

    /// Something else was done that takes time.
    #[inline]
    pub fn note_work(&mut self, work: i64) {
        self.lookout.note(work);
    }

    /// A look at the limits is due at once.
    pub fn look_at_once(&mut self) {
        self.lookout.hurry();
    }

    /// Notes what the search itself holds at present, in bytes.
    #[inline]
    pub fn note_bytes(&mut self, bytes: u64) {
        self.counts.stacks.bytes = self.counts.stacks.bytes.max(bytes);
    }

    /// Why a path of so many transitions is too long, if it is.
    #[inline]
    pub fn too_deep(&self, transitions: u64) -> Option<StopReason> {
        let max = self.lookout.limits().max_depth?;
        (transitions > max).then_some(StopReason::Depth(max))
    }

    /// Why so many states in the store are too many, if they are.
    #[inline]
    pub fn too_many(&self, stored: u64) -> Option<StopReason> {
        (stored > self.max_states).then_some(StopReason::States(self.max_states))
    }

    /// Whether enough was done for a look at the limits.
    #[inline]
    pub fn is_look_due(&self) -> bool {
        self.lookout.is_look_due()
    }

    /// Looks at the limits. Why the search must stop, if it must; else the progress is told, if it is time.
    #[cold]
    pub fn look(&mut self, now: Situation) -> Option<StopReason> {
        let memory = MemoryUse { own: now.memory.own + self.held_beside, ..now.memory };
        // If a step was cut short, it was for the clock or the flag, or for the memory that it would have
        // taken itself.
        let reason = match self.lookout.look(memory) {
            reason @ Some(StopReason::Interrupted | StopReason::Timeout) => reason,
            _ if now.is_cut => Some(StopReason::Sequence),
            None if now.is_full => Some(StopReason::StoreFull),
            reason => reason,
        };
        if reason.is_none() {
            self.report_progress(&now, memory.bytes());
            if self.checkpoints().is_some_and(Checkpoints::is_due) && !self.is_uncounted && !self.is_whole {
                return Some(StopReason::Checkpoint);
            }
        }
        reason
    }

    /// Where the search stops.
    pub fn limits(&self) -> &Limits<'a> {
        self.lookout.limits()
    }

    /// Where the search writes down how far it is, if that is wished.
    pub fn checkpoints(&self) -> Option<&'a Checkpoints> {
        self.lookout.limits().checkpoint
    }

    fn report_progress(&mut self, now: &Situation, bytes: u64) {
        let moment = Instant::now();
        let Some(progress) = self.progress.as_mut() else { return };
        if moment - self.last_report >= BETWEEN_REPORTS {
            self.last_report = moment;
            let Situation { stored, depth, waiting, busy, .. } = *now;
            let (transitions, elapsed) = (self.counts.transitions, moment - self.start);
            progress(&Progress { stored, transitions, depth, waiting, bytes, elapsed, busy });
        }
    }
}
