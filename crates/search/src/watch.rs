//! What every search shares: what it is asked, where it must stop, what it counts, and what it finds.
//!
//! A search calls [`Watch::expanded`] once per state, with the successors just computed, and
//! [`Watch::must_stop`] before it goes on. Time, memory and the interrupt flag are looked at now and then
//! (`limits.rs`).

use crate::limits::{Held, Limits, Lookout, StopReason, WORK_PER_STATE};
use lariat_engine::{Step, SuccessorFunction, Successors, Violation, ViolationKind};
use lariat_store::{StateId, StateStore};
use std::time::{Duration, Instant};

/// What a search is to find out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// Is there a violation? Stops at the first.
    FirstViolation,
    /// Does a run break the assertion that watches? Stops at the first that does; other violations are only
    /// noted.
    FirstBreach,
    /// Which violations are there? Stops at none.
    AllViolations,
    /// How many states, transitions and violations are there? Stops at none, and keeps no paths.
    Everything,
}

/// What a search counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// States in the store.
    pub stored: u64,
    /// States whose successors were computed.
    pub visited: u64,
    /// Successors computed, known ones too.
    pub transitions: u64,
    /// Calls of the successor function.
    pub post_calls: u64,
    /// Transitions on the longest path looked at (depth-first), or to the farthest state (breadth-first).
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
    /// Bytes of all of them.
    pub bytes: u64,
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
}

/// States from the initial one on.
pub type Path = Vec<StateId>;

/// A kind of violation that the search met, with the first path to it.
#[derive(Clone, Debug)]
pub struct Found {
    /// What is violated.
    pub violation: Violation,
    /// How often it was met.
    pub count: u64,
    /// To the state in which, or from which, it happens; empty if there is no initial state. `None` if the
    /// question does not ask for it.
    pub path: Option<Path>,
    /// From the last state of the path on: the steps that run into the violation; empty if it is one of an
    /// end.
    pub steps: Vec<Step>,
}

/// The answer of a search.
#[derive(Debug)]
pub struct Outcome {
    /// What was counted up to the end of the search.
    pub counts: Counts,
    /// Distinct violations, in the order in which they were met.
    pub found: Vec<Found>,
    /// Why not everything was seen; `None` if it was, or if the search stopped because it had its answer.
    pub stopped: Option<StopReason>,
    /// Per process type, the locations that were reached.
    pub reached: Vec<Vec<bool>>,
}

/// So many distinct violations are told apart, and get a path each; later ones are only counted.
const MAX_FOUND: usize = 100;

pub(crate) struct Watch<'a> {
    question: Question,
    /// The one violation that counts, if others do not.
    sought: Option<&'a Violation>,
    lookout: Lookout<'a>,
    progress: Option<&'a mut dyn FnMut(&Progress)>,
    start: Instant,
    last_progress: Instant,
    /// It is time for a look at the limits.
    look_is_due: bool,
    /// As the limits have it; they are asked for every state.
    max_states: u64,
    pub counts: Counts,
    /// States that wait, for those who are told about the progress.
    pub waiting: u64,
    pub found: Vec<Found>,
    /// One of them is a breach of the assertion that watches.
    breached: bool,
    pub stopped: Option<StopReason>,
}

/// What [`Watch::expanded`] saw in a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seen {
    Nothing,
    /// A violation that no path is kept of yet: the search tells the path to [`Watch::keep`].
    New,
}

impl<'a> Watch<'a> {
    pub fn new(
        question: Question,
        limits: Limits<'a>,
        progress: Option<&'a mut dyn FnMut(&Progress)>,
    ) -> Watch<'a> {
        let start = Instant::now();
        Watch {
            question,
            sought: None,
            lookout: Lookout::new(limits),
            progress,
            start,
            last_progress: start,
            look_is_due: false,
            max_states: limits.max_states.unwrap_or(u64::MAX),
            counts: Counts::default(),
            waiting: 0,
            found: Vec::new(),
            breached: false,
            stopped: None,
        }
    }

    /// All other violations are passed over.
    pub fn seek_only(&mut self, sought: &'a Violation) {
        self.sought = Some(sought);
    }

    /// There is no initial state, for this reason.
    pub fn no_initial_state(&mut self, violation: Violation) {
        self.count(violation.kind);
        self.found.push(Found { violation, count: 1, path: Some(Vec::new()), steps: Vec::new() });
    }

    /// Notes that `state` was expanded: counts, and looks for violations.
    #[inline]
    pub fn expanded<M: SuccessorFunction>(&mut self, model: &M, state: &[u8], out: &Successors) -> Seen {
        self.counts.visited += 1;
        self.counts.transitions += out.len() as u64 + out.left_out();
        // What a state costs, and the bytes of its successors.
        self.look_is_due = self.lookout.is_due(WORK_PER_STATE + (out.len() * state.len()) as i64);
        if out.was_cut() {
            self.stopped = Some(StopReason::Sequence);
            // It need not go on until the next look at the clock.
            self.look_is_due = true;
        }
        if out.diverges() {
            self.counts.divergences += 1;
        }
        if out.has_violations() {
            return self.note_violations(out);
        }
        if !out.something_happens()
            && let Some(violation) = model.wrong_end(state)
        {
            return self.note(&violation, &[]);
        }
        Seen::Nothing
    }

    #[cold]
    fn note_violations(&mut self, out: &Successors) -> Seen {
        let mut seen = Seen::Nothing;
        for (violation, steps) in out.violations() {
            if self.note(violation, steps) == Seen::New {
                seen = Seen::New;
            }
        }
        seen
    }

    fn count(&mut self, kind: ViolationKind) {
        match kind {
            ViolationKind::Assertion => self.counts.assertion_violations += 1,
            ViolationKind::InvalidEndState => self.counts.deadlocks += 1,
            ViolationKind::RuntimeError => self.counts.runtime_errors += 1,
            ViolationKind::EndlessSequence => self.counts.endless_sequences += 1,
            ViolationKind::AcceptingRun
            | ViolationKind::EventTrace
            | ViolationKind::UnfinishedTrace
            | ViolationKind::CutShort => {}
        }
    }

    fn note(&mut self, violation: &Violation, steps: &[Step]) -> Seen {
        self.count(violation.kind);
        if self.sought.is_some_and(|sought| sought != violation) {
            return Seen::Nothing;
        }
        if let Some(found) = self.found.iter_mut().find(|found| found.violation == *violation) {
            found.count += 1;
            return Seen::Nothing;
        }
        let is_breach = violation.kind.is_of_observer();
        // However many others there are, the one that was asked for is kept.
        if self.found.len() >= MAX_FOUND && (self.breached || !is_breach) {
            return Seen::Nothing;
        }
        self.breached |= is_breach;
        let found = Found { violation: violation.clone(), count: 1, path: None, steps: steps.to_vec() };
        self.found.push(found);
        Seen::New
    }

    /// The path to the violations just seen.
    pub fn keep(&mut self, path: impl Fn() -> Path) {
        if self.question == Question::Everything {
            return;
        }
        for found in self.found.iter_mut().filter(|found| found.path.is_none()) {
            found.path = Some(path());
        }
    }

    pub fn question(&self) -> Question {
        self.question
    }

    /// Whether the search has its answer.
    #[inline]
    pub fn is_answered(&self) -> bool {
        match self.question {
            Question::FirstViolation => !self.found.is_empty(),
            Question::FirstBreach => self.breached,
            Question::AllViolations | Question::Everything => false,
        }
    }

    /// Whether a state is too far from the initial state to be looked at.
    #[inline]
    pub fn cuts_at(&mut self, depth: u64) -> bool {
        match self.lookout.limits().max_depth {
            Some(max) if depth > max => {
                self.stopped.get_or_insert(StopReason::Depth(max));
                true
            }
            _ => {
                self.counts.depth = self.counts.depth.max(depth);
                false
            }
        }
    }

    /// Whether a limit was hit. `own_bytes` is what the search itself holds.
    #[inline]
    pub fn must_stop(
        &mut self,
        model: &impl SuccessorFunction,
        store: &impl StateStore,
        own_bytes: impl Fn() -> u64,
        depth: u64,
    ) -> bool {
        if !self.look_is_due && store.len() <= self.max_states {
            return false;
        }
        self.check(model.own_bytes(), store, own_bytes(), depth)
    }

    #[cold]
    fn check(&mut self, model_bytes: u64, store: &impl StateStore, own_bytes: u64, depth: u64) -> bool {
        if store.len() > self.max_states {
            self.stopped = Some(StopReason::States(self.max_states));
            return true;
        }
        self.look_is_due = false;
        self.counts.stacks.bytes = self.counts.stacks.bytes.max(own_bytes);
        let stored = model_bytes + store.states_bytes() + store.auxiliary_bytes();
        let held = Held { stored, upcoming: store.upcoming_bytes(), own: own_bytes };
        // If a step was cut short, it was for the clock or the flag, or for the memory that it would have
        // taken itself.
        let cut = self.stopped.filter(|reason| *reason == StopReason::Sequence);
        let full = || store.is_full().then_some(StopReason::StoreFull);
        let reason = match (self.lookout.look(held), cut) {
            (Some(reason @ (StopReason::Interrupted | StopReason::Timeout)), _) => Some(reason),
            (_, Some(cut)) => Some(cut),
            (reason, None) => reason.or_else(full),
        };
        if reason.is_some() {
            self.stopped = reason;
            return true;
        }
        let now = Instant::now();
        if now - self.last_progress >= Duration::from_secs(1)
            && let Some(progress) = self.progress.as_mut()
        {
            self.last_progress = now;
            let (stored, transitions) = (store.len(), self.counts.transitions);
            let (waiting, bytes) = (self.waiting, held.bytes());
            progress(&Progress { stored, transitions, depth, waiting, bytes, elapsed: now - self.start });
        }
        false
    }

    /// The end: what the search holds at the end, and which locations it reached.
    pub fn finish(
        mut self,
        model: &impl SuccessorFunction,
        store: &impl StateStore,
        own_bytes: u64,
        reached: Vec<Vec<bool>>,
    ) -> Outcome {
        self.counts.stored = store.len();
        self.counts.post_calls = self.counts.visited;
        self.counts.vector_bytes = model.vector_bits().map(|bits| (bits / 8.0 * store.len() as f64) as u64);
        self.counts.states_bytes = store.states_bytes();
        self.counts.stacks.bytes = self.counts.stacks.bytes.max(own_bytes);
        self.counts.auxiliary_bytes = store.auxiliary_bytes() + self.counts.stacks.bytes + model.own_bytes();
        Outcome { counts: self.counts, found: self.found, stopped: self.stopped, reached }
    }
}
