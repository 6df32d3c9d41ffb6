//! What a search sees of a model: a [`SuccessorFunction`], and the buffer it fills.
//!
//! A buffer may ask who takes part in steps ([`Successors::asking_for_participants`]): fairness, reduction
//! and explanations need to know it. A process *takes part* in a step if it executes a statement in it: in a
//! handshake the sender and the receiver, in an indivisible sequence everybody who executes something between
//! the two states, and whoever ends. Who is created does not. Where a step of one process puts another one at
//! a location (`MoveProcess`: a rendezvous of DVE is one step of the sender), that one takes part.
//!
//! A process is *enabled* in a state if it takes part in a step that leaves the state. Steps that lead into a
//! sequence that never ends, or into an error, leave it too. Of a step that breaks off with an error, those
//! count who execute the statements up to and with the guilty one. An error in a `provided` clause, or of an
//! assertion about a location, is nobody's step.
//!
//! For a search, two arcs with the same target are the same arc; for fairness they are not, if others take
//! part. So where participants are asked for, the intermediate states of a sequence are told apart by those
//! who have taken part so far, and a state may be a successor more often than otherwise. Equal ways stay one.

use crate::interpreter::Valuation;
use crate::packing::commuting::Commuting;
use crate::process_set::ProcessSet;
use crate::reduction::Choice;
use crate::units::UnitTable;
use lariat_model::ir::Location;
use std::borrow::Cow;

/// A search may take states by turns in so many lanes ([`Successors::for_lane`]).
pub const LANES: usize = 4;

/// What a model does from a state. States are strings of bytes that only their maker can read; equal strings
/// are equal states. The order of successors is fixed.
pub trait SuccessorFunction {
    /// The initial state; or what went wrong while it was made.
    fn initial_state(&self) -> Result<Vec<u8>, Violation>;

    /// Fills `out` with the successors of `state`, and with the errors that its steps run into; and with
    /// those who take part, if it asks for them.
    fn successors(&self, state: &[u8], out: &mut Successors);

    /// The same, but the successors by some processes (a bit for each) may be left out and only counted:
    /// [`Successors::left_out`]. Only searches may use it that expand every state they meet, and that do not
    /// depend on their order. Where participants are asked for, nothing is left out.
    fn awake_successors(&self, state: &[u8], _sleeping: u32, out: &mut Successors) {
        self.successors(state, out);
    }

    /// Makes ready to judge the conditions that properties are about in a state.
    fn look_at(&self, _state: &[u8], _moment: Moment, _valuation: &mut Valuation) {}

    /// Judges one of these conditions in the state that was looked at last. An error if it has no value
    /// there.
    fn is_true(&self, _proposition: usize, _valuation: &mut Valuation) -> Result<bool, Violation> {
        Ok(false)
    }

    /// The values of all these conditions in a state in which something can happen, a bit for each, if they
    /// are known without asking for one after the other.
    fn known_truths(&self, _state: &[u8]) -> Option<u64> {
        None
    }

    /// How many bytes at the end of every state are memory only: they are handed on from state to state, but
    /// two states that differ only there are the same. (What a search does then depends on the way it came
    /// first.)
    fn memory_size(&self) -> usize {
        0
    }

    /// Whether it is right that nothing happens any more in this state (which has no successor).
    fn may_end(&self, state: &[u8]) -> bool;

    /// What is wrong about it that nothing happens any more in this state, if anything is.
    fn wrong_end(&self, state: &[u8]) -> Option<Violation> {
        (!self.may_end(state)).then(Violation::invalid_end_state)
    }

    /// Bytes that it keeps of its own: tables that grow with what it has seen.
    fn own_bytes(&self) -> u64 {
        0
    }

    /// How many bits the types of everything in a state need, on the mean of the states that it was asked
    /// about; `None` if there is no telling.
    fn vector_bits(&self) -> Option<f64> {
        None
    }

    /// Whether some condition may have another value where the last state of a run repeats than in that state
    /// itself. `false` is certain.
    fn tells_repetition(&self) -> bool {
        false
    }

    /// Whether a run may stay inside an indivisible sequence for ever ([`Successors::divergences`]). `false`
    /// is certain.
    fn may_diverge(&self) -> bool {
        false
    }

    /// Appends the processes that live in a state: number and type. Who has come to its end does not live any
    /// more, though it may not be gone.
    fn living(&self, _state: &[u8], _out: &mut Vec<(u16, u16)>) {}

    /// Tells the tables without which stored states mean nothing, and whatever else must be the same where a
    /// search goes on in another process, as numbers; nothing, if there is nothing of that kind.
    fn tell_tables(&self, _each: &mut dyn FnMut(u64)) {}

    /// The search begins again from the initial state: what was counted of states so far does not count.
    fn begins_again(&self) {}

    /// What was counted of states so far is all that counts: those that follow were seen before.
    fn is_counted(&self) {}

    /// Adds, per process type, the locations at which a process has been seen, if the function notes them
    /// itself and not in the buffer.
    fn add_reached(&self, _reached: &mut Vec<Vec<bool>>) {}
}

/// A model on which several threads can work: each asks a worker of its own, and all mean the same states by
/// the same bytes.
pub trait Workers: SuccessorFunction {
    /// What another thread asks.
    type Worker: SuccessorFunction + Send;

    /// Another worker. It gives the same successors of a state as this one.
    fn another_worker(&self) -> Self::Worker;

    /// A worker is not needed any more: what it has counted counts here.
    fn take_back(&self, _worker: Self::Worker) {}
}

/// What happens in a state while a property looks at it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Moment {
    /// Something can happen.
    #[default]
    Moving,
    /// Nothing can happen. The state is read for the first time.
    Stuck,
    /// Nothing can happen, and the state repeats for ever: it was read before.
    Stopped,
    /// An indivisible sequence is never left. The state is the one in which it began, and repeats for ever;
    /// the processes that have moved in the sequence are at no location of their own any more.
    Diverging(ProcessSet),
}

/// What kind of thing has gone wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViolationKind {
    /// An assertion failed.
    Assertion,
    /// Nothing can happen any more, and some process is not where it may end.
    InvalidEndState,
    /// An index out of range, a division by zero, a broken promise about a channel (`xr`, `xs`), …
    RuntimeError,
    /// A process comes into an indivisible sequence that goes on for ever, and nothing leads out of it.
    EndlessSequence,
    /// A run that goes on for ever violates a property.
    AcceptingRun,
    /// A send or receive breaks the `trace` or `notrace` assertion that watches.
    EventTrace,
    /// A run ends in the middle of the `trace` assertion that watches.
    UnfinishedTrace,
    /// No violation: a limit was reached in the middle of a step ([`crate::Patience`]). Nobody outside meets
    /// it: [`Successors::was_cut`].
    CutShort,
}

impl ViolationKind {
    /// It is a state's that has no successor; no step runs into it.
    pub fn is_of_end(self) -> bool {
        matches!(self, ViolationKind::InvalidEndState | ViolationKind::UnfinishedTrace)
    }

    /// It is what an assertion that watches complains about.
    pub fn is_of_observer(self) -> bool {
        matches!(self, ViolationKind::EventTrace | ViolationKind::UnfinishedTrace)
    }
}

/// Something that must not happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// What kind of thing has gone wrong.
    pub kind: ViolationKind,
    /// What people read. Searches take violations with the same kind and message for the same one.
    pub message: String,
}

impl Violation {
    /// The violation of a state in which nothing can happen although some process is not where it may end.
    pub fn invalid_end_state() -> Violation {
        Violation { kind: ViolationKind::InvalidEndState, message: "invalid end state".to_string() }
    }

    /// The violation of a state from which a process comes into an indivisible sequence that never ends.
    pub fn endless_sequence() -> Violation {
        let message = "an atomic sequence goes on for ever, and nothing leads out of it".to_string();
        Violation { kind: ViolationKind::EndlessSequence, message }
    }
}

/// One executed statement: which process, from where, which transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The number of the process.
    pub pid: u16,
    /// Index into [`lariat_model::ir::Model::process_types`].
    pub process_type: u16,
    /// Where the process was.
    pub location: Location,
    /// Index into the location's transitions.
    pub transition: u32,
}

/// A successor: bytes `start..end` of the buffer.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Entry {
    /// First byte of the state.
    pub start: u32,
    /// Behind its last byte.
    pub end: u32,
    /// The steps that lead here: the first of them. Behind an indivisible sequence, the node of its trail
    /// where they end: written out for each successor, they would take the square of its length.
    pub steps_start: u32,
    /// Behind the last of the steps; `u32::MAX` behind a sequence.
    pub steps_end: u32,
    /// The process that keeps control: the state is one within an indivisible sequence. [`Entry::NOBODY`] in
    /// all that [`SuccessorFunction::successors`] returns.
    pub held: u32,
    /// If the step that leads here was recalled: the number of its process, counted from one; else 0.
    pub recalled_of: u32,
    /// What the store's hash follows from: the sum of the state, as [`lariat_store::WeightedSums`] has it,
    /// without the part that is memory only. 0 as long as it is not worked out.
    pub sum: u64,
}

impl Entry {
    /// No process keeps control.
    pub const NOBODY: u32 = u32::MAX;
    /// The steps are those on the trail of a sequence.
    pub(crate) const ON_TRAIL: u32 = u32::MAX;

    pub(crate) fn holder(held: Option<u16>) -> u32 {
        held.map_or(Entry::NOBODY, u32::from)
    }

    pub(crate) fn held_by(self) -> Option<u16> {
        (self.held != Entry::NOBODY).then_some(self.held as u16)
    }
}

/// An error that a step ran into, and the steps up to and with it.
#[derive(Clone, Debug)]
pub struct FoundViolation {
    pub violation: Violation,
    pub steps_start: u32,
    pub steps_end: u32,
}

/// A run that stays inside an indivisible sequence for ever.
#[derive(Clone, Copy, Debug)]
pub struct Divergence<'s> {
    /// The processes that move, on the way to the cycle or round it.
    pub movers: ProcessSet,
    /// The steps from the state to the cycle.
    pub stem: &'s [Step],
    /// The steps round the cycle.
    pub cycle: &'s [Step],
}

/// The same, by its places in the list of steps: where the stem begins, where the cycle begins, where it
/// ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DivergenceAt {
    movers: ProcessSet,
    steps: [u32; 3],
}

/// The successors of one state: a buffer to be used again and again.
pub struct Successors {
    pub(crate) bytes: Vec<u8>,
    pub(crate) entries: Vec<Entry>,
    pub(crate) steps: Vec<Step>,
    pub(crate) violations: Vec<FoundViolation>,
    pub(crate) divergences: Vec<DivergenceAt>,
    /// Who takes part is asked for.
    pub(crate) asks_for_participants: bool,
    /// For each successor, who takes part; empty unless that is asked for.
    pub(crate) participants: Vec<ProcessSet>,
    /// Those who take part are these units, not processes.
    pub(crate) units: Option<Box<UnitTable>>,
    /// Those who take part somewhere in indivisible sequences, whether or not these lead anywhere; the same.
    pub(crate) in_sequences: ProcessSet,
    /// In which lane the search has taken the state.
    pub(crate) lane: usize,
    /// The search wants to know processes that are asleep.
    pub(crate) asks_for_sleepers: bool,
    /// Processes, as bits, whose successors may be left out.
    pub(crate) sleeping: u32,
    /// Who is asleep in the successors.
    pub(crate) commuting: Commuting,
    /// Successors that are not here because they are met on another way.
    pub(crate) left_out: u64,
    /// Something could happen, even if it led nowhere.
    pub(crate) moved: bool,
    /// Processes, as bits, that are to be followed; those from the 65th on always are.
    pub(crate) followed: u64,
    /// Those of them that must not move, if not everything is followed.
    pub(crate) must_not_move: u64,
    /// Of those that were recalled or executed for themselves, who has moved, as bits.
    pub(crate) movers: u64,
    /// Only some processes were followed ([`crate::reduction`]).
    pub(crate) reduced: bool,
    /// Not all successors are here: a limit was reached in the middle of a step.
    pub(crate) cut: bool,
    /// Per process type, the locations at which a process has been seen.
    pub(crate) reached: Vec<Vec<bool>>,
    pub(crate) work: crate::interpreter::Work,
}

/// Who takes part in steps: their processes, or the units of the table.
pub(crate) fn participants_in(units: &mut Option<Box<UnitTable>>, steps: &[Step]) -> ProcessSet {
    match units {
        None => steps.iter().map(|step| step.pid).collect(),
        Some(units) => {
            let mut set = ProcessSet::default();
            steps.iter().for_each(|step| units.add_step(step, &mut set));
            set
        }
    }
}

impl Default for Successors {
    fn default() -> Successors {
        Successors {
            bytes: Vec::new(),
            entries: Vec::new(),
            steps: Vec::new(),
            violations: Vec::new(),
            divergences: Vec::new(),
            asks_for_participants: false,
            participants: Vec::new(),
            units: None,
            in_sequences: ProcessSet::default(),
            lane: 0,
            asks_for_sleepers: false,
            sleeping: 0,
            commuting: Commuting::default(),
            left_out: 0,
            moved: false,
            followed: u64::MAX,
            must_not_move: 0,
            movers: 0,
            reduced: false,
            cut: false,
            reached: Vec::new(),
            work: crate::interpreter::Work::default(),
        }
    }
}

impl Successors {
    /// An empty buffer, for any model.
    pub fn new() -> Successors {
        Successors::default()
    }

    /// An empty buffer for a search that has several states in flight, and that can leave out processes that
    /// are asleep: states that are taken in one lane are mostly alike.
    pub fn for_lane(lane: usize) -> Successors {
        Successors { lane: lane % LANES, asks_for_sleepers: true, ..Successors::default() }
    }

    /// The same buffer, for a search that follows everybody.
    pub fn without_sleepers(self) -> Successors {
        Successors { asks_for_sleepers: false, ..self }
    }

    /// The same buffer, which asks who takes part: [`Successors::participants`], [`Successors::enabled`].
    pub fn asking_for_participants(self) -> Successors {
        Successors { asks_for_participants: true, ..self }
    }

    /// The same buffer, which asks for units in place of processes: they have their numbers from the table.
    pub fn asking_for_units(self, units: UnitTable) -> Successors {
        Successors { asks_for_participants: true, units: Some(Box::new(units)), ..self }
    }

    /// The units that it asks for, if these are not simply the processes.
    #[inline]
    pub fn units(&self) -> Option<&UnitTable> {
        self.units.as_deref()
    }

    /// The same, to be changed.
    pub fn units_mut(&mut self) -> Option<&mut UnitTable> {
        self.units.as_deref_mut()
    }

    /// Whether it asks who takes part.
    #[inline]
    pub fn asks_for_participants(&self) -> bool {
        self.asks_for_participants
    }

    /// The processes that take part in the step to the `i`th successor. Panics if nobody has asked.
    pub fn participants(&self, i: usize) -> ProcessSet {
        assert!(self.asks_for_participants, "nobody has asked for participants");
        assert_eq!(self.participants.len(), self.entries.len(), "each successor has its participants");
        self.participants[i]
    }

    /// The processes that are enabled in the state. Panics if nobody has asked for participants.
    pub fn enabled(&mut self) -> ProcessSet {
        assert!(self.asks_for_participants, "nobody has asked for participants");
        assert_eq!(self.participants.len(), self.entries.len(), "each successor has its participants");
        let mut guilty = ProcessSet::default();
        for found in &self.violations {
            let steps = &self.steps[found.steps_start as usize..found.steps_end as usize];
            guilty = guilty.union(participants_in(&mut self.units, steps));
        }
        self.participants.iter().copied().fold(self.in_sequences.union(guilty), ProcessSet::union)
    }

    /// Number of successors.
    #[inline]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is no successor. Something may have happened all the same:
    /// [`Successors::something_happens`].
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The `i`th successor state.
    #[inline]
    pub fn state(&self, i: usize) -> &[u8] {
        let entry = &self.entries[i];
        &self.bytes[entry.start as usize..entry.end as usize]
    }

    /// The sum of the `i`th successor state, from which its hash follows.
    #[inline]
    pub fn sum(&self, i: usize) -> u64 {
        self.entries[i].sum
    }

    /// Processes, as bits, that need not be followed from the `i`th successor: those that are asleep there
    /// (`packing/commuting.rs`). None unless the buffer was made by [`Successors::for_lane`].
    #[inline]
    pub fn sleeping_in(&self, i: usize) -> u32 {
        match self.entries[i].recalled_of.checked_sub(1) {
            Some(mover) => self.commuting.sleeping_after(mover as usize),
            None => 0,
        }
    }

    /// How many successors are left out ([`SuccessorFunction::awake_successors`]).
    #[inline]
    pub fn left_out(&self) -> u64 {
        self.left_out
    }

    /// The steps that lead to the `i`th successor: one, two for a handshake, more through an indivisible
    /// sequence.
    pub fn steps(&self, i: usize) -> Cow<'_, [Step]> {
        let &Entry { steps_start, steps_end, .. } = &self.entries[i];
        match steps_end {
            Entry::ON_TRAIL => Cow::Owned(self.work.steps_to(steps_start)),
            _ => Cow::Borrowed(&self.steps[steps_start as usize..steps_end as usize]),
        }
    }

    /// The process that keeps control in the `i`th successor (of [`crate::Interpreter::micro_successors`]).
    pub fn held(&self, i: usize) -> Option<u16> {
        self.entries[i].held_by()
    }

    /// What the steps from this state ran into, each with the steps up to and with the guilty one. No steps:
    /// the guilty expression is no statement (a `provided` clause, say).
    pub fn violations(&self) -> impl Iterator<Item = (&Violation, &[Step])> {
        self.violations
            .iter()
            .map(|v| (&v.violation, &self.steps[v.steps_start as usize..v.steps_end as usize]))
    }

    /// Whether some step ran into an error.
    #[inline]
    pub fn has_violations(&self) -> bool {
        !self.violations.is_empty()
    }

    /// The runs that never come back from an indivisible sequence that begins in this state: one for each
    /// set of processes that move.
    pub fn divergences(&self) -> impl Iterator<Item = Divergence<'_>> {
        self.divergences.iter().map(|&DivergenceAt { movers, steps: [stem, cycle, end] }| Divergence {
            movers,
            stem: &self.steps[stem as usize..cycle as usize],
            cycle: &self.steps[cycle as usize..end as usize],
        })
    }

    /// Whether a run may stay inside an indivisible sequence that begins in this state.
    #[inline]
    pub fn diverges(&self) -> bool {
        !self.divergences.is_empty()
    }

    /// Notes such a run. If nothing leads out of it, that is a violation, too.
    pub(crate) fn push_divergence(&mut self, movers: ProcessSet, is_trap: bool, steps: [u32; 3]) {
        if is_trap && !self.violations.iter().any(|v| v.violation.kind == ViolationKind::EndlessSequence) {
            let violation = Violation::endless_sequence();
            self.violations.push(FoundViolation { violation, steps_start: steps[0], steps_end: steps[2] });
        }
        if self.divergences.iter().all(|known| known.movers != movers) {
            self.divergences.push(DivergenceAt { movers, steps });
        }
    }

    /// Whether anything can happen in the state. It can without a successor: an indivisible sequence that
    /// goes in circles leads nowhere, and a step may end in an error.
    #[inline]
    pub fn something_happens(&self) -> bool {
        self.moved
    }

    /// Whether successors are missing because a limit was reached in the middle of a step
    /// ([`crate::Patience`]): an indivisible sequence has too many intermediate states, or there was no time
    /// left.
    #[inline]
    pub fn was_cut(&self) -> bool {
        self.cut
    }

    /// Per process type, the locations at which a process has been seen so far (not cleared between states).
    pub fn reached(&self) -> &[Vec<bool>] {
        &self.reached
    }

    /// The bytes of the successors, and where each of them lies.
    #[inline]
    pub fn parts(&self) -> (&[u8], &[Entry]) {
        (&self.bytes, &self.entries)
    }

    /// For engines: the bytes of the successors.
    #[inline]
    pub fn bytes_mut(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }

    /// For engines: where each successor lies.
    #[inline]
    pub fn entries_mut(&mut self) -> &mut Vec<Entry> {
        &mut self.entries
    }

    /// For engines: both, and who takes part.
    #[inline]
    pub fn parts_mut(&mut self) -> (&mut Vec<u8>, &mut Vec<Entry>, &mut Vec<ProcessSet>) {
        (&mut self.bytes, &mut self.entries, &mut self.participants)
    }

    /// For engines: makes room for the successors of another state, and asks for participants or does not.
    pub fn clear_and_ask(&mut self, asks: bool) {
        self.clear();
        self.asks_for_participants = asks;
    }

    /// For engines: who takes part, for each successor; if that is asked for.
    #[inline]
    pub fn participants_mut(&mut self) -> &mut Vec<ProcessSet> {
        debug_assert!(self.asks_for_participants);
        &mut self.participants
    }

    /// Whether only some processes were followed, because that is enough ([`crate::reduction`]).
    #[inline]
    pub fn is_reduced(&self) -> bool {
        self.reduced
    }

    /// All statements that were executed, in no order, some of them more than once; none where the engine
    /// does not tell them.
    pub fn all_steps(&self) -> impl Iterator<Item = &Step> {
        let has_trail = self.entries.iter().any(|entry| entry.steps_end == Entry::ON_TRAIL);
        self.steps.iter().chain(has_trail.then(|| self.work.all_steps()).into_iter().flatten())
    }

    /// Bytes of the successors, and of what is known of them.
    pub(crate) fn bytes_used(&self) -> usize {
        self.bytes.len()
            + size_of_val(&self.entries[..])
            + size_of_val(&self.steps[..])
            + size_of_val(&self.participants[..])
    }

    /// For engines: only the processes of the first of some sets are to be followed, if there is one.
    #[inline]
    pub(crate) fn follow_first_of(&mut self, choices: &[Choice]) {
        if let Some(choice) = choices.first() {
            self.followed = choice.processes;
            self.must_not_move = choice.must_not_move;
        }
    }

    /// For engines: the set of processes that are to be followed, if not everything is.
    #[inline]
    pub fn chosen(&self) -> Option<Choice> {
        let choice = Choice { processes: self.followed, must_not_move: self.must_not_move };
        (self.followed != u64::MAX).then_some(choice)
    }

    /// For engines: whether a process is to be followed.
    #[inline]
    pub fn follows(&self, pid: usize) -> bool {
        pid >= 64 || self.followed >> pid & 1 != 0
    }

    /// For engines: a process has moved.
    pub fn add_mover(&mut self, pid: usize) {
        self.movers |= 1u64.checked_shl(pid as u32).unwrap_or_default();
        self.moved = true;
    }

    /// For engines: of the processes that were recalled or executed one by one, those that have moved.
    #[inline]
    pub fn movers(&self) -> u64 {
        self.movers
    }

    /// For engines: nobody will be asleep.
    #[inline]
    pub fn ask_for_no_sleepers(&mut self) {
        self.asks_for_sleepers = false;
    }

    /// For engines: only some processes were followed.
    #[inline]
    pub fn set_reduced(&mut self) {
        self.reduced = true;
    }

    /// For engines: says whether anything can happen in the state.
    #[inline]
    pub fn set_moved(&mut self, moved: bool) {
        self.moved = moved;
    }

    /// For engines: makes room for the successors of another state, of which those by some processes may be
    /// left out.
    #[inline]
    pub fn clear_for(&mut self, sleeping: u32) {
        self.clear();
        self.sleeping = if self.asks_for_participants { 0 } else { sleeping };
    }

    /// For engines: notes the locations at which a process has been seen.
    pub fn reached_mut(&mut self) -> &mut Vec<Vec<bool>> {
        &mut self.reached
    }

    /// Makes room for the successors of another state.
    #[inline]
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.entries.clear();
        self.steps.clear();
        self.violations.clear();
        self.divergences.clear();
        if self.asks_for_participants {
            self.participants.clear();
            self.in_sequences = ProcessSet::default();
        }
        self.cut = false;
        self.left_out = 0;
        self.commuting.clear();
        self.sleeping = 0;
        self.moved = false;
        self.followed = u64::MAX;
        self.movers = 0;
        self.reduced = false;
    }
}
