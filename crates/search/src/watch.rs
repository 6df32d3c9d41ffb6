//! What every search for violations shares: what it is asked, and what it finds.
//!
//! A search calls [`Watch::expanded`] once per state, with the successors just computed, and
//! [`Watch::must_stop`] before it goes on. The first looks for violations: those that steps ran into, and a
//! state from which nothing happens although it should. Equal violations are counted together, and only the
//! first of each kind gets a path ([`Watch::keep`]). Counts and limits are those of all searches
//! (`bookkeeping.rs`).

use crate::bookkeeping::{Bookkeeping, Counts, ProgressObserver, Situation, ThreadWork};
use crate::checkpoint::{Reader, Renumbered, Saved, Unreadable, Writer, load_states, save_states};
use crate::events::{Event, Listener};
use crate::limits::{Limits, MemoryUse, StopReason, WORK_PER_STATE};
use lariat_engine::{Step, SuccessorFunction, Successors, Violation, ViolationKind};
use lariat_store::{ExactStore, Inserted, StateId, StateStore, VisitedSet};

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

impl Question {
    /// Whether one violation is an answer.
    pub fn stops_at_first(self) -> bool {
        matches!(self, Question::FirstViolation | Question::FirstBreach)
    }
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
    /// Distinct violations, in the order in which they were met; sorted, if that was no order.
    pub found: Vec<Found>,
    /// Why not everything was seen; `None` if it was, or if the search stopped because it had its answer.
    pub stopped: Option<StopReason>,
    /// Per process type, the locations that were reached.
    pub reached: Vec<Vec<bool>>,
    /// Where the states of the paths are, if the store of the search has none.
    pub paths: Option<ExactStore>,
    /// How many states the store is expected to have taken for visited when they were new.
    pub expected_missed: f64,
    /// Of all states, the share that is expected to have been missed, where the search has tried it out.
    pub missed_share: Option<f64>,
    /// How several threads have worked together; of one thread nothing is said.
    pub work: ThreadWork,
}

/// So many distinct violations are told apart, and get a path each; later ones are only counted.
const MAX_FOUND: usize = 100;

pub(crate) struct Watch<'a, L> {
    question: Question,
    /// The one violation that counts, if others do not.
    sought: Option<&'a Violation>,
    book: Bookkeeping<'a, L>,
    /// States that wait, for those who are told about the progress.
    pub waiting: u64,
    pub found: Vec<Found>,
    /// There are more than are told apart.
    has_more: bool,
    /// So many distinct violations are enough.
    enough: usize,
    /// One of them is a breach of the assertion that watches.
    breached: bool,
    pub stopped: Option<StopReason>,
    /// Paths were cut.
    cut_at: Option<StopReason>,
    /// Not all successors of the last state are known.
    is_cut_short: bool,
    /// Locations that were reached before the checkpoint from which the search went on.
    reached_before: Vec<Vec<bool>>,
    /// States in the store that the search has not met yet: workers have stored them whose work does not
    /// count.
    pub surplus: u64,
    /// How many threads there are, and how many of them have work at the moment.
    pub busy: (usize, usize),
    /// How they have worked together.
    pub work: ThreadWork,
}

/// What one of several workers has counted and found.
pub(crate) struct Counted {
    counts: Counts,
    found: Vec<Found>,
    has_more: bool,
    is_cut_short: bool,
}

/// Bytes that workers hold beside the store, all together.
#[derive(Clone, Copy)]
pub(crate) struct Held {
    pub model_bytes: u64,
    pub own_bytes: u64,
}

/// Which search has written a checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Writing {
    /// Depth-first, in order.
    InOrder,
    /// The same, after one out of order has found a violation.
    InOrderAgain,
    /// Depth-first, out of order.
    LookAhead,
    /// Breadth-first.
    Levels,
}

impl Writing {
    const ALL: [Writing; 4] = [Writing::InOrder, Writing::InOrderAgain, Writing::LookAhead, Writing::Levels];
}

/// The search that has written a checkpoint, what became of the numbers of states, and the rest of the file.
pub(crate) type GoesOn = (Writing, Renumbered, Reader);

/// What [`Watch::expanded`] has noted about a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Noted {
    /// No violation, or none that is not known.
    NothingNew,
    /// A violation that no path is kept of yet: the search tells the path to [`Watch::keep`].
    NewViolation,
}

impl<'a, L: Listener> Watch<'a, L> {
    pub fn new(
        question: Question,
        limits: Limits<'a>,
        progress: ProgressObserver<'a>,
        listener: L,
    ) -> Watch<'a, L> {
        Watch {
            question,
            sought: None,
            book: Bookkeeping::new(limits, progress, listener),
            waiting: 0,
            found: Vec::new(),
            has_more: false,
            enough: usize::MAX,
            breached: false,
            stopped: None,
            cut_at: None,
            is_cut_short: false,
            reached_before: Vec::new(),
            surplus: 0,
            busy: (1, 1),
            work: ThreadWork::default(),
        }
    }

    /// Where the search stops.
    pub fn limits(&self) -> &Limits<'a> {
        self.book.limits()
    }

    /// Something was done that takes time.
    #[inline]
    pub fn note_work(&mut self, work: i64) {
        self.book.note_work(work);
    }

    /// A look at the limits is due at once.
    pub fn look_at_once(&mut self) {
        self.book.look_at_once();
    }

    /// Whether it is time for a look at the limits.
    #[inline]
    pub fn is_look_due(&self) -> bool {
        self.book.is_look_due()
    }

    /// A step was cut short: why the search must stop.
    pub fn cut_short(&mut self) {
        self.is_cut_short = true;
        self.stopped = Some(self.book.limits().why_cut());
    }

    /// The store should have grown beyond the limit.
    pub fn refused_memory(&mut self) {
        self.stopped = self.book.limits().max_memory.map(StopReason::Memory).or(self.stopped);
    }

    /// What was counted and found, for one who adds it up.
    pub fn into_counted(self) -> Counted {
        let Watch { found, has_more, is_cut_short, .. } = self;
        Counted { counts: self.book.counts, found, has_more, is_cut_short }
    }

    /// Adds what another worker has counted and found.
    pub fn absorb(&mut self, part: Counted) {
        self.book.counts.add(&part.counts);
        self.is_cut_short |= part.is_cut_short;
        self.has_more |= part.has_more;
        for more in part.found {
            self.breached |= more.violation.kind.is_of_observer();
            match self.found.iter_mut().find(|found| found.violation == more.violation) {
                Some(found) => found.count += more.count,
                None => self.found.push(more),
            }
        }
        self.has_more |= self.found.len() > MAX_FOUND;
    }

    /// Whether there are more distinct violations than are told apart, so that it depends on the order which
    /// of them were found.
    pub fn has_more(&self) -> bool {
        self.has_more
    }

    /// So many distinct violations are all that there are.
    pub fn seek_so_many(&mut self, kinds: usize) {
        self.enough = kinds;
    }

    /// Whether so many states in the store are more than there may be.
    pub fn has_too_many(&self, stored: u64) -> bool {
        self.book.too_many(stored).is_some()
    }

    /// A limit that was hit does not count; a look is due at once.
    pub fn look_again(&mut self) {
        self.stopped = self.cut_at;
        self.book.look_at_once();
    }

    /// If the search goes on from a checkpoint: reads all that is not its own affair, with all states. What
    /// is left to read belongs to the search that is named.
    /// States may have got other numbers than they had.
    pub fn goes_on<S: StateStore>(&mut self, store: &mut S) -> Option<Result<GoesOn, Unreadable>> {
        let mut reader = self.book.checkpoints()?.take_reader()?;
        Some(self.load(store, &mut reader).map(|(writing, numbers)| (writing, numbers, reader)))
    }

    fn load<S: StateStore>(
        &mut self,
        store: &mut S,
        from: &mut Reader,
    ) -> Result<(Writing, Renumbered), Unreadable> {
        let writing = *Writing::ALL.get(from.number()? as usize).ok_or_else(Unreadable::damaged)?;
        self.book.counts.load(from)?;
        self.found.load(from)?;
        self.breached = from.flag()?;
        self.cut_at = from.flag()?.then(|| from.number()).transpose()?.map(StopReason::Depth);
        self.stopped = self.cut_at;
        self.reached_before.load(from)?;
        let numbers = load_states(store, from, |_, _| {})?;
        for path in self.found.iter_mut().filter_map(|found| found.path.as_mut()) {
            numbers.renumber(path)?;
        }
        // To be on the safe side: nobody knows any more whether there were more.
        self.has_more = self.found.len() >= MAX_FOUND;
        Ok((writing, numbers))
    }

    /// The checkpoint from which the search was to go on cannot be read.
    pub fn cannot_go_on(&mut self, Unreadable(reason): Unreadable) {
        self.stopped = Some(StopReason::Checkpoint);
        if let Some(checkpoints) = self.book.checkpoints() {
            checkpoints.note_problem(reason);
        }
    }

    /// Whether a checkpoint is written when the search must stop.
    pub fn writes_checkpoints(&self) -> bool {
        self.book.checkpoints().is_some()
    }

    /// The search must stop, or pause: writes a checkpoint, if that is wished. Whether it goes on then.
    #[cold]
    #[inline(never)]
    pub fn goes_on_after<M: SuccessorFunction, S: StateStore>(
        &mut self,
        writing: Writing,
        model: &M,
        store: &S,
        reached: Vec<Vec<bool>>,
        search: impl FnOnce(&mut Writer),
    ) -> bool {
        let Some(checkpoints) = self.book.checkpoints() else { return false };
        if self.is_cut_short {
            checkpoints.note_problem("the last step was cut short".to_string());
            return false;
        }
        if !self.is_answered() {
            let reached = self.all_reached(model, reached);
            checkpoints.write(store.len(), |out| {
                model.tell_tables(&mut |number| out.number(number));
                out.number(writing as u64);
                self.book.counts.save(out);
                self.found.save(out);
                out.flag(self.breached);
                out.flag(self.cut_at.is_some());
                if let Some(StopReason::Depth(depth)) = self.cut_at {
                    out.number(depth);
                }
                reached.save(out);
                save_states(store, out);
                search(out);
                Ok(())
            });
        }
        let pauses = self.stopped == Some(StopReason::Checkpoint);
        if pauses {
            self.stopped = self.cut_at;
        }
        pauses
    }

    /// Locations that were reached by this search, by what it went on from, and that the model has noted.
    fn all_reached(&self, model: &impl SuccessorFunction, mut reached: Vec<Vec<bool>>) -> Vec<Vec<bool>> {
        model.add_reached(&mut reached);
        add_reached(&mut reached, &self.reached_before);
        reached
    }

    /// Tells those who listen.
    #[inline(always)]
    pub fn tell(&mut self, event: Event) {
        self.book.tell(event);
    }

    /// Tells where the arcs lead that leave a state, and which of the states there are new.
    #[inline(always)]
    pub fn tell_arcs(&mut self, from: StateId, found: &[Inserted]) {
        for inserted in found {
            self.tell(Event::Arc { from, to: inserted.id() });
            if let Inserted::New(id) = *inserted {
                self.tell(Event::Met(id));
            }
        }
    }

    /// What has been counted so far.
    #[inline]
    pub fn counts(&mut self) -> &mut Counts {
        &mut self.book.counts
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
    #[inline(always)]
    pub fn expanded<M: SuccessorFunction>(&mut self, model: &M, state: &[u8], out: &Successors) -> Noted {
        self.book.counts.visited += 1;
        // What a state costs, and the bytes of its successors.
        let work = WORK_PER_STATE + (out.len() * state.len()) as i64;
        self.book.expanded(out.len() as u64 + out.left_out(), work);
        if out.was_cut() | out.diverges() | out.has_violations() | !out.something_happens() {
            return self.expanded_oddly(model, state, out);
        }
        Noted::NothingNew
    }

    /// There is more to be said of a state than how many successors it has.
    #[inline(never)]
    fn expanded_oddly<M: SuccessorFunction>(&mut self, model: &M, state: &[u8], out: &Successors) -> Noted {
        if out.was_cut() {
            self.stopped = Some(StopReason::Sequence);
            self.is_cut_short = true;
            // It need not go on until the next look at the clock.
            self.book.look_at_once();
        }
        if out.diverges() {
            self.book.counts.divergences += 1;
        }
        if out.has_violations() {
            return self.note_violations(out);
        }
        if !out.something_happens()
            && let Some(violation) = model.wrong_end(state)
        {
            return self.note(&violation, &[]);
        }
        Noted::NothingNew
    }

    #[cold]
    fn note_violations(&mut self, out: &Successors) -> Noted {
        let mut noted = Noted::NothingNew;
        for (violation, steps) in out.violations() {
            if self.note(violation, steps) == Noted::NewViolation {
                noted = Noted::NewViolation;
            }
        }
        noted
    }

    fn count(&mut self, kind: ViolationKind) {
        match kind {
            ViolationKind::Assertion => self.book.counts.assertion_violations += 1,
            ViolationKind::InvalidEndState => self.book.counts.deadlocks += 1,
            ViolationKind::RuntimeError => self.book.counts.runtime_errors += 1,
            ViolationKind::EndlessSequence => self.book.counts.endless_sequences += 1,
            ViolationKind::AcceptingRun
            | ViolationKind::EventTrace
            | ViolationKind::UnfinishedTrace
            | ViolationKind::CutShort => {}
        }
    }

    fn note(&mut self, violation: &Violation, steps: &[Step]) -> Noted {
        self.count(violation.kind);
        if self.sought.is_some_and(|sought| sought != violation) {
            return Noted::NothingNew;
        }
        if let Some(found) = self.found.iter_mut().find(|found| found.violation == *violation) {
            found.count += 1;
            return Noted::NothingNew;
        }
        let is_breach = violation.kind.is_of_observer();
        // However many others there are, the one that was asked for is kept.
        if self.found.len() >= MAX_FOUND && (self.breached || !is_breach) {
            self.has_more = true;
            return Noted::NothingNew;
        }
        self.breached |= is_breach;
        let found = Found { violation: violation.clone(), count: 1, path: None, steps: steps.to_vec() };
        self.found.push(found);
        Noted::NewViolation
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
            Question::AllViolations => self.found.len() >= self.enough,
            Question::Everything => false,
        }
    }

    /// Whether a state is too far from the initial state to be looked at.
    #[inline]
    pub fn cuts_at(&mut self, depth: u64) -> bool {
        if let Some(reason) = self.book.too_deep(depth) {
            self.stopped.get_or_insert(reason);
            self.cut_at = Some(reason);
            return true;
        }
        self.book.counts.depth = self.book.counts.depth.max(depth);
        false
    }

    /// Whether a limit was hit. `own_bytes` is what the search itself holds.
    #[inline]
    pub fn must_stop(
        &mut self,
        model: &impl SuccessorFunction,
        store: &impl VisitedSet,
        own_bytes: impl Fn() -> u64,
        depth: u64,
    ) -> bool {
        if let Some(reason) = self.book.too_many(store.len() - self.surplus) {
            self.stopped = Some(reason);
            return true;
        }
        self.book.is_look_due() && self.look(model, store, own_bytes(), depth)
    }

    #[cold]
    fn look(
        &mut self,
        model: &impl SuccessorFunction,
        store: &impl VisitedSet,
        own_bytes: u64,
        depth: u64,
    ) -> bool {
        self.look_with(store, Held { model_bytes: model.own_bytes(), own_bytes }, depth)
    }

    /// Looks at the limits on behalf of all workers. Whether one was hit.
    pub fn look_at(&mut self, store: &impl VisitedSet, held: Held) -> bool {
        let depth = self.book.counts.depth;
        self.look_with(store, held, depth)
    }

    fn look_with(&mut self, store: &impl VisitedSet, held: Held, depth: u64) -> bool {
        let Held { model_bytes, own_bytes } = held;
        self.book.note_bytes(own_bytes);
        let reason = self.book.look(Situation {
            stored: store.len() - self.surplus,
            depth,
            waiting: self.waiting,
            busy: self.busy,
            memory: MemoryUse {
                stored: model_bytes + store.states_bytes() + store.auxiliary_bytes(),
                upcoming: store.upcoming_bytes(),
                own: own_bytes,
            },
            is_full: store.is_full(),
            is_cut: self.stopped == Some(StopReason::Sequence),
        });
        if reason.is_some() {
            self.stopped = reason;
        }
        reason.is_some()
    }

    /// The end: what the search holds at the end, and which locations it reached.
    pub fn finish(
        mut self,
        model: &impl SuccessorFunction,
        store: &impl VisitedSet,
        own_bytes: u64,
        reached: Vec<Vec<bool>>,
    ) -> Outcome {
        let reached = self.all_reached(model, reached);
        self.book.note_bytes(own_bytes);
        if self.question == Question::Everything && self.book.counts.order_given_up {
            // In which order they were met is an accident.
            self.found.sort_by(|a, b| by_kind(&a.violation, &b.violation));
        }
        let counted = self.book.counts;
        let counts = Counts {
            stored: store.len() - self.surplus,
            vector_bytes: model.vector_bits().map(|bits| (bits / 8.0 * store.len() as f64) as u64),
            states_bytes: store.states_bytes(),
            auxiliary_bytes: store.auxiliary_bytes() + counted.stacks.bytes + model.own_bytes(),
            table_bytes: store.auxiliary_bytes(),
            model_bytes: model.own_bytes(),
            load: store.load(),
            store_changed_at: store.changed_at(),
            ..counted
        };
        let expected_missed = store.expected_missed();
        let Watch { found, stopped, work, .. } = self;
        Outcome { counts, found, stopped, reached, paths: None, expected_missed, missed_share: None, work }
    }
}

/// An order in which violations are listed that were met in none.
pub(crate) fn by_kind(a: &Violation, b: &Violation) -> std::cmp::Ordering {
    (a.kind as u8, &a.message).cmp(&(b.kind as u8, &b.message))
}

/// Adds locations that were reached, by process type.
pub(crate) fn add_reached(all: &mut Vec<Vec<bool>>, more: &[Vec<bool>]) {
    if all.len() < more.len() {
        all.resize(more.len(), Vec::new());
    }
    for (all, more) in all.iter_mut().zip(more) {
        all.resize(more.len().max(all.len()), false);
        all.iter_mut().zip(more).for_each(|(all, more)| *all |= more);
    }
}
