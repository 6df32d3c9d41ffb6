//! Compiled models: the intermediate form as machine code.
//!
//! [`CompiledModel`] is a [`SuccessorFunction`] like the [`Interpreter`], and gives the same successors in
//! the same order, many times faster. The interpreter is the meaning; this is how to be quick about it.
//! Whatever goes wrong in a state (an assertion fails, an index is out of range) is left to the interpreter,
//! which computes that state again and reports it; so are, statement by statement, the few things that are
//! not worth code of their own (`run`, sorted sends, random receives, priorities).
//!
//! The parts: `facts` what is known before the run, `code` the translation with cranelift, `machine` what
//! code and caller share, `receivers` who is asked when somebody sends over a rendezvous channel, `executed`
//! the way of a state through it, `in_place` indivisible sequences on that way, `recalled` the way past it,
//! `frames` where processes lie, `trial` where steps come from, `proposition_cache` values of propositions,
//! `audit` a second look by the interpreter now and then, `footprint_audit` one at what steps look at. Most
//! of the time not even code runs: what a process does in a place where it has been before is remembered
//! ([`RememberedSteps`]), and code is for what is new.
//! Successors are states only: steps, for people, come from the interpreter when a run is replayed.
//!
//! A [`CompiledModel`] is for one worker. Workers of one search share code and facts, which never change, and
//! the numbers of pieces; the machine, buffers, remembered steps and caches each has for itself.

#![allow(unsafe_code)]

mod audit;
mod candidates;
mod code;
mod executed;
mod facts;
mod footprint_audit;
mod frames;
mod in_place;
mod machine;
mod proposition_cache;
mod recalled;
mod receivers;
mod reduced;
mod trial;

use audit::Audit;
use candidates::CandidateCache;
use code::{Code, Subject, compile};
pub use code::{NotCompiled, When};
use facts::Facts;
use footprint_audit::FootprintAudit;
use frames::{KnownFrames, find_frames, take_in};
use in_place::{Finished, InPlace};
use lariat_engine::interpreter::finish_sequences;
use lariat_engine::{
    Capacity, Entry, Interpreter, Moment, ProcessSet, RememberedSteps, SuccessorFunction, Successors,
    Valuation, Violation,
};
use machine::{Context, FINE, FramePlace, Machine, NO_ROOM, SLACK};
use proposition_cache::{Looked, PropositionCache};
use std::cell::RefCell;
use std::sync::Arc;
use std::time::Duration;
pub use trial::StepSource;
use trial::Trial;

/// A model, ready to run as machine code, for one worker. [`CompiledModel::another_worker`] gives one for
/// another thread.
pub struct CompiledModel<'m> {
    /// What code calls back into; its address is in the machine.
    context: Box<Context<'m>>,
    scratch: RefCell<Scratch>,
}

/// What one worker keeps from state to state.
struct Scratch {
    trial: Trial,
    /// So many states in a row will come from this source, and neither a trial nor an audit comes between.
    undisturbed: u32,
    settled_source: StepSource,
    machine: Machine,
    /// The state of which there is a copy, as it is stored: the one that was unpacked last, but for those of
    /// which code takes all steps where the packer keeps them.
    stored: Vec<u8>,
    state: Vec<u8>,
    /// Its shape: states of one shape have the same frames.
    shape: Option<u32>,
    midway: Vec<u8>,
    processes: Vec<FramePlace>,
    channels: Vec<FramePlace>,
    frames: KnownFrames,
    reached: Vec<u8>,
    inner: Inner,
    propositions: PropositionCache,
    /// The state that was looked at last, if the machine is not aimed at it.
    looked_at: Vec<u8>,
    is_aimed: bool,
    /// The interpreter judges the state that was looked at last.
    is_left_to_interpreter: bool,
    steps: RememberedSteps,
    /// What one process does, as working states and packed.
    one: Successors,
    packed: Vec<u8>,
    /// The bytes that it changes.
    changed: Vec<usize>,
    audit: Audit,
    footprints: FootprintAudit,
    candidates: CandidateCache,
}

impl Scratch {
    /// Whether this is the state that was unpacked last. (A state may have no bytes at all.)
    fn has_unpacked(&self, state: &[u8]) -> bool {
        self.shape.is_some() && self.stored == state
    }
}

/// A state in the middle of an indivisible sequence, and its frames.
#[derive(Default)]
struct Inner {
    in_place: InPlace,
    state: Vec<u8>,
    processes: Vec<FramePlace>,
    channels: Vec<FramePlace>,
}

const FIRST_BYTES: usize = 1 << 12;
const FIRST_ENTRIES: usize = 64;
/// No more room is made for sequences than some of these bytes: longer ones have memory that is counted.
const MOST_ROOM: usize = 1 << 20;

impl<'m> CompiledModel<'m> {
    /// Compiles the model of an interpreter. The model stays where it is, because code points into it.
    pub fn new(interpreter: Interpreter<'m>) -> Result<CompiledModel<'m>, NotCompiled> {
        CompiledModel::with_listing(interpreter, false)
    }

    /// The same; when the locations of processes are compiled, the caller says. Unless `stop`, which is asked
    /// again and again, says that it takes too long.
    pub fn unless(
        interpreter: Interpreter<'m>,
        when: When,
        stop: &dyn Fn() -> bool,
    ) -> Result<CompiledModel<'m>, NotCompiled> {
        CompiledModel::build(interpreter, when, false, stop)
    }

    /// The same, and keeps what was translated in readable form.
    pub fn with_listing(
        interpreter: Interpreter<'m>,
        listing: bool,
    ) -> Result<CompiledModel<'m>, NotCompiled> {
        CompiledModel::build(interpreter, When::Beforehand, listing, &|| false)
    }

    fn build(
        interpreter: Interpreter<'m>,
        when: When,
        listing: bool,
        stop: &dyn Fn() -> bool,
    ) -> Result<CompiledModel<'m>, NotCompiled> {
        let facts = Facts::of(&interpreter);
        let code = compile(&Subject::of(&interpreter, &facts), when, listing, stop)?;
        Ok(CompiledModel::on_code(interpreter, Arc::new(facts), Arc::new(code)))
    }

    /// A worker that runs this code.
    fn on_code(interpreter: Interpreter<'m>, facts: Arc<Facts>, code: Arc<Code>) -> CompiledModel<'m> {
        let layout = interpreter.layout();
        // Where something else than pieces of states decides what happens, nothing is remembered.
        let can_recall = !interpreter.is_observed()
            && facts.promises.allow_recall()
            && !layout.priorities
            && !facts.has_committed
            && layout.last_offset.is_none()
            && layout.hidden_size == 0
            && !(interpreter.is_reduced() && interpreter.has_assertions());
        let propositions = PropositionCache::new(interpreter.model(), layout);
        let context = Box::new(Context { interpreter, facts, code });
        let scratch = Scratch {
            trial: Trial::new(can_recall),
            undisturbed: 0,
            settled_source: StepSource::Execute,
            machine: Machine::new(&context),
            stored: Vec::new(),
            state: Vec::new(),
            shape: None,
            midway: Vec::new(),
            processes: Vec::new(),
            channels: Vec::new(),
            frames: KnownFrames::default(),
            reached: vec![0; context.facts.locations()],
            inner: Inner::default(),
            propositions,
            looked_at: Vec::new(),
            is_aimed: true,
            is_left_to_interpreter: false,
            steps: RememberedSteps::default(),
            one: Successors::new(),
            packed: Vec::new(),
            changed: Vec::new(),
            audit: Audit::new(),
            footprints: FootprintAudit::default(),
            candidates: CandidateCache::default(),
        };
        CompiledModel { context, scratch: RefCell::new(scratch) }
    }

    /// Another worker of the same search, which may run on another thread. Both run the same code and read
    /// what the other has stored; the new one remembers the steps that this one does, and then each has its
    /// own.
    pub fn another_worker(&self) -> CompiledModel<'m> {
        let Context { interpreter, facts, code } = &*self.context;
        let mut another = CompiledModel::on_code(interpreter.clone(), facts.clone(), code.clone());
        let (known, copy) = (self.scratch.borrow(), another.scratch.get_mut());
        copy.trial = known.trial.for_another();
        if copy.trial.recalls() {
            copy.steps = known.steps.copy();
        }
        drop(known);
        another
    }

    /// The same model, which takes steps from one source only.
    pub fn only_by(mut self, source: StepSource) -> CompiledModel<'m> {
        let scratch = self.scratch.get_mut();
        scratch.trial.settle(source);
        scratch.undisturbed = 0;
        self
    }

    /// The same model, which remembers no more than this. For tests.
    pub fn with_capacity(mut self, capacity: Capacity) -> CompiledModel<'m> {
        self.scratch.get_mut().steps = RememberedSteps::new(capacity);
        self
    }

    pub fn interpreter(&self) -> &Interpreter<'m> {
        &self.context.interpreter
    }

    /// How long the compiler has taken since the model runs, of all workers.
    pub fn compile_time(&self) -> Duration {
        self.context.code.compile_time()
    }

    /// What was translated, in readable form, if it was kept.
    pub fn listing(&self) -> Option<&str> {
        self.context.code.listing.as_deref()
    }
}

/// Room for a state of this length in the middle of a rendezvous.
fn make_room_midway(midway: &mut Vec<u8>, length: usize) {
    if midway.len() < length + SLACK {
        midway.resize(2 * length + SLACK, 0);
    }
}

impl Machine {
    /// Points the machine at a state.
    #[inline]
    fn aim(&mut self, state: &[u8], processes: &[FramePlace], channels: &[FramePlace]) {
        self.frames = None;
        self.state = state.as_ptr();
        self.length = state.len() as u64;
        self.processes = processes.as_ptr();
        self.channels = channels.as_ptr();
        self.process_count = processes.len() as u32;
        self.channel_count = channels.len() as u32;
        self.find_owners(state, processes);
    }

    /// Points the machine at the buffers that successors go to: whatever is there (of an attempt for which
    /// there was no room) is written over. Where the first entry will be.
    #[inline(always)]
    fn open(&mut self, out: &mut Successors) -> *const Entry {
        let bytes = out.bytes_mut();
        bytes.clear();
        bytes.reserve(FIRST_BYTES.max(2 * SLACK));
        self.out_start = bytes.as_mut_ptr();
        self.out = self.out_start;
        // SAFETY: the end of the allocation, less what may be written behind the end of a state.
        self.out_end = unsafe { self.out_start.add(bytes.capacity() - SLACK) };
        let entries = out.entries_mut();
        entries.clear();
        entries.reserve(FIRST_ENTRIES);
        self.entry = entries.as_mut_ptr();
        // SAFETY: the end of the allocation.
        self.entry_end = unsafe { self.entry.add(entries.capacity()) };
        (self.status, self.holds) = (FINE, 0);
        self.knows_receivers = 0;
        self.asks_for_participants = out.asks_for_participants() as u32;
        self.partners.clear();
        self.entry
    }

    /// Code has done its work: what it has written are successors.
    #[inline(always)]
    fn close(&self, out: &mut Successors) {
        // SAFETY: code has written so much, and no more than there is room for.
        unsafe {
            let length = self.out.offset_from(self.out_start) as usize;
            out.bytes_mut().set_len(length);
            let count = self.entry.offset_from(out.entries_mut().as_ptr()) as usize;
            out.entries_mut().set_len(count);
        }
    }

    /// There was no room: makes more.
    #[cold]
    fn make_room(out: &mut Successors) {
        let (room, count) = (out.bytes_mut().capacity() * 2, out.entries_mut().capacity() * 2);
        out.bytes_mut().reserve(room);
        out.entries_mut().reserve(count);
    }
}

/// Who moves.
#[derive(Clone, Copy)]
enum Movers {
    All,
    One(usize),
    /// Some processes, as bits.
    Some(u64),
    /// The process that keeps control, in the middle of an indivisible sequence.
    Held(u16),
}

/// Something went wrong: the interpreter must do this state.
struct GivenUp;

impl CompiledModel<'_> {
    /// All micro steps from the state that the machine is aimed at, as [`Interpreter`] does them. Whether
    /// something moved.
    fn moves(
        &self,
        machine: &mut Machine,
        processes: &[FramePlace],
        held: Option<u16>,
        out: &mut Successors,
    ) -> Result<bool, GivenUp> {
        let movers = held.map_or(Movers::All, Movers::Held);
        let timeouts = self.context.interpreter.model().features.timeout && held.is_none();
        machine.timeout = 0;
        let moved = self.moves_of(machine, processes, movers, out)?;
        if moved || !timeouts {
            return Ok(moved);
        }
        machine.timeout = 1;
        self.moves_of(machine, processes, movers, out)
    }

    fn moves_of(
        &self,
        machine: &mut Machine,
        processes: &[FramePlace],
        movers: Movers,
        out: &mut Successors,
    ) -> Result<bool, GivenUp> {
        Ok(self.movers_of(machine, processes, movers, out)? != 0)
    }

    /// The same; of those with numbers below 64, as bits, who has moved. Whoever has a higher number counts
    /// as the last of them.
    fn movers_of(
        &self,
        machine: &mut Machine,
        processes: &[FramePlace],
        movers: Movers,
        out: &mut Successors,
    ) -> Result<u64, GivenUp> {
        let facts = &self.context.facts;
        loop {
            let first = machine.open(out);
            let asks = out.asks_for_participants();
            if asks {
                out.participants_mut().clear();
            }
            let mut moved = 0u64;
            if !matches!(movers, Movers::Held(_)) {
                machine.committed = self.is_committed(machine, processes) as u32;
            }
            let (code, range) = match movers {
                Movers::All | Movers::Some(_) => (&self.context.code.locations, 0..processes.len()),
                Movers::One(pid) => (&self.context.code.locations, pid..pid + 1),
                Movers::Held(pid) => (&self.context.code.held, pid as usize..pid as usize + 1),
            };
            for (pid, frame) in range.clone().zip(&processes[range]).rev() {
                if matches!(movers, Movers::Some(set) if set >> pid & 1 == 0) {
                    continue;
                }
                // SAFETY: the frame lies in the state, and a process is at a location of its type.
                let location = unsafe { facts.location_at(machine.state, *frame) };
                if let Some(code) = code.get(facts.location_index(frame.ty as usize, location)) {
                    // SAFETY: the machine is aimed at this state, and code stays within the buffers.
                    let has_moved = unsafe { code(machine, pid as u64, frame.start as u64) } != 0;
                    moved |= u64::from(has_moved) << pid.min(63);
                }
                if machine.status != FINE {
                    break;
                }
                if asks {
                    // SAFETY: code writes entries one behind the other, from the first on.
                    let count = unsafe { machine.entry.offset_from(first) } as usize;
                    out.participants_mut().resize(count, ProcessSet::of(pid as u16));
                }
            }
            if machine.status == NO_ROOM {
                Machine::make_room(out);
                continue;
            }
            if machine.status != FINE {
                return Err(GivenUp);
            }
            machine.close(out);
            for (entry, pid) in machine.partners.drain(..) {
                // SAFETY: it is one of these.
                let place = unsafe { entry.offset_from(first) } as usize;
                out.participants_mut()[place].insert(pid);
            }
            return Ok(moved);
        }
    }

    /// Whether some process is at a committed location.
    fn is_committed(&self, machine: &Machine, processes: &[FramePlace]) -> bool {
        let facts = &self.context.facts;
        facts.has_committed
            && processes.iter().any(|frame| {
                // SAFETY: the frame lies in the state.
                let location = unsafe { facts.location_at(machine.state, *frame) };
                facts.committed[facts.location_index(frame.ty as usize, location)]
            })
    }

    /// Makes ready to judge conditions in a state.
    fn aim_at(&self, scratch: &mut Scratch, state: &[u8], stuck: bool) {
        let is_unpacked = scratch.has_unpacked(state);
        let Scratch { machine, stored, state: copy, shape, processes, channels, .. } = scratch;
        if !is_unpacked {
            stored.clear();
            stored.extend_from_slice(state);
            *shape = Some(self.context.interpreter.working_state(state, copy));
            copy.reserve(SLACK);
            find_frames(copy, &self.context.facts, processes, channels);
        }
        machine.aim(copy, processes, channels);
        machine.timeout = stuck as u32;
    }

    /// Points the machine at a state.
    fn unpack(&self, scratch: &mut Scratch, state: &[u8]) {
        let Scratch {
            machine, stored, state: copy, shape, midway, processes, channels, frames, reached, ..
        } = scratch;
        let facts = &self.context.facts;
        stored.clear();
        stored.extend_from_slice(state);
        let shape_now = self.context.interpreter.working_state(state, copy);
        copy.reserve(SLACK);
        if *shape != Some(shape_now) {
            frames.find(shape_now, copy, facts, processes, channels);
            *shape = Some(shape_now);
        }
        make_room_midway(midway, copy.len());
        machine.midway = midway.as_mut_ptr();
        machine.reached = reached.as_mut_ptr();
        machine.aim(copy, processes, channels);
    }

    /// Successors as they are stored, by code alone.
    fn working_successors(
        &self,
        scratch: &mut Scratch,
        state: &[u8],
        out: &mut Successors,
    ) -> Result<(), GivenUp> {
        self.context.interpreter.packer().take_lane(out);
        self.unpack(scratch, state);
        self.unpacked_successors(scratch, out)
    }

    /// Successors of the state at which the machine is pointed, as they are stored.
    fn unpacked_successors(&self, scratch: &mut Scratch, out: &mut Successors) -> Result<(), GivenUp> {
        let Scratch { machine, midway, processes, inner, .. } = scratch;
        let moved = self.moves(machine, processes, None, out)?;
        out.set_moved(moved);
        self.finish(machine, midway, inner, None, out)?;
        self.context.interpreter.store_successors(out);
        Ok(())
    }

    /// Follows indivisible sequences to their ends. With a process, only that one may go on in the middle of
    /// them: who has got control from another process may have got it from several, in the same state, and
    /// goes on once, which cannot be seen from one of them. Not inlined: most states have none.
    #[inline(never)]
    fn finish(
        &self,
        machine: &mut Machine,
        midway: &mut Vec<u8>,
        inner: &mut Inner,
        only: Option<usize>,
        out: &mut Successors,
    ) -> Result<(), GivenUp> {
        if out.entries_mut().iter().all(|entry| entry.held == Entry::NOBODY) {
            return Ok(());
        }
        let Context { facts, code, .. } = &*self.context;
        let first_steps =
            cfg!(debug_assertions).then(|| (out.bytes_mut().clone(), out.entries_mut().clone()));
        let finished = inner.in_place.finish(machine, (facts, code), only, out);
        match (finished, first_steps) {
            (Finished::Not | Finished::NoRoom, _) => {}
            (Finished::Done, None) => return Ok(()),
            (Finished::GivenUp, None) => return Err(GivenUp),
            (_, Some(first_steps)) => {
                // Both ways lead to the same.
                let found: Vec<Vec<u8>> = (0..out.len()).map(|i| out.state(i).to_vec()).collect();
                // (What room there is stays.)
                out.bytes_mut().clear();
                out.bytes_mut().extend_from_slice(&first_steps.0);
                out.entries_mut().clear();
                out.entries_mut().extend_from_slice(&first_steps.1);
                let done = self.finish_in_general(machine, midway, inner, only, out);
                assert_eq!(done.is_ok(), finished == Finished::Done, "a sequence has ended in one way");
                let states = || (0..out.len()).map(|i| out.state(i));
                assert!(done.is_err() || states().eq(&found), "a sequence leads elsewhere in place");
                return done;
            }
        }
        if finished == Finished::NoRoom && out.bytes_mut().capacity() < MOST_ROOM {
            // For the next state.
            Machine::make_room(out);
        }
        self.finish_in_general(machine, midway, inner, only, out)
    }

    /// The same of sequences that are long, or where something is not usual.
    fn finish_in_general(
        &self,
        machine: &mut Machine,
        midway: &mut Vec<u8>,
        inner: &mut Inner,
        only: Option<usize>,
        out: &mut Successors,
    ) -> Result<(), GivenUp> {
        let Inner { state, processes, channels, .. } = inner;
        let mut given_up = false;
        finish_sequences(out, self.context.interpreter.patience(), |bytes, held, out| {
            given_up |= only.is_some_and(|pid| held != Some(pid as u16));
            if !given_up {
                take_in(bytes, &self.context.facts, state, processes, channels);
                make_room_midway(midway, bytes.len());
                machine.midway = midway.as_mut_ptr();
                machine.aim(state, processes, channels);
                match self.moves(machine, processes, held, out) {
                    Ok(moved) => return moved,
                    Err(GivenUp) => given_up = true,
                }
            }
            out.clear();
            true
        });
        // Steps, which tell how a sequence goes on for ever, are the interpreter's.
        if given_up || out.was_cut() || out.diverges() { Err(GivenUp) } else { Ok(()) }
    }

    /// Successors in the way whose turn it is. Those by some processes may be left out.
    fn expand(&self, scratch: &mut Scratch, state: &[u8], sleeping: u32, out: &mut Successors) {
        out.clear_for(sleeping);
        let reduction = self.context.interpreter.reduction();
        let source = scratch.trial.next_source();
        if scratch.trial.has_just_lost() {
            scratch.steps.forget();
        }
        let mut done = Err(GivenUp);
        if source == StepSource::Recall {
            done = match reduction {
                Some(reduction) => self.reduced_recall(reduction, scratch, state, out),
                None => self.recalled_successors(scratch, state, out),
            };
            if done.is_err() {
                scratch.trial.misses += 1;
                out.clear();
            }
        }
        if done.is_err() {
            self.expand_by_code(scratch, state, out);
        }
    }

    /// Successors by code alone; where it gives up, by the interpreter.
    #[inline(never)]
    fn expand_by_code(&self, scratch: &mut Scratch, state: &[u8], out: &mut Successors) {
        let done = match self.context.interpreter.reduction() {
            None if !out.asks_for_participants() => self.executed_successors(scratch, state, out),
            None => self.working_successors(scratch, state, out),
            Some(reduction) => self.reduced_successors(reduction, scratch, state, out),
        };
        if done.is_err() {
            self.context.interpreter.successors(state, out);
        }
    }

    /// Where there is more to be thought of than recalling.
    #[inline(never)]
    fn attentive_successors(&self, scratch: &mut Scratch, state: &[u8], sleeping: u32, out: &mut Successors) {
        if out.units().is_some() {
            // Machine code does not tell which statements it has executed.
            return self.context.interpreter.successors(state, out);
        }
        if scratch.audit.is_due() {
            self.audited_successors(scratch, state, sleeping, out);
        } else {
            self.expand(scratch, state, sleeping, out);
        }
        if self.context.interpreter.reduction().is_none() {
            let Scratch { trial, audit, undisturbed, settled_source, .. } = scratch;
            (*settled_source, *undisturbed) = trial.take_settled(audit.before_next());
            audit.skip(*undisturbed);
        }
    }
}

impl<'m> lariat_engine::Workers for CompiledModel<'m> {
    type Worker = CompiledModel<'m>;

    fn another_worker(&self) -> CompiledModel<'m> {
        CompiledModel::another_worker(self)
    }
}

impl SuccessorFunction for CompiledModel<'_> {
    fn initial_state(&self) -> Result<Vec<u8>, Violation> {
        self.context.interpreter.initial_state()
    }

    fn successors(&self, state: &[u8], out: &mut Successors) {
        self.awake_successors(state, 0, out);
    }

    fn awake_successors(&self, state: &[u8], sleeping: u32, out: &mut Successors) {
        let scratch = &mut *self.scratch.borrow_mut();
        if scratch.undisturbed == 0 || out.units().is_some() {
            return self.attentive_successors(scratch, state, sleeping, out);
        }
        scratch.undisturbed -= 1;
        out.clear_for(sleeping);
        if scratch.settled_source == StepSource::Recall {
            if self.recalled_successors(scratch, state, out).is_ok() {
                return;
            }
            scratch.trial.misses += 1;
            out.clear();
        }
        self.expand_by_code(scratch, state, out);
    }

    fn look_at(&self, state: &[u8], moment: Moment, valuation: &mut Valuation) {
        let mut scratch = self.scratch.borrow_mut();
        scratch.is_left_to_interpreter = matches!(moment, Moment::Stopped | Moment::Diverging(_));
        if scratch.is_left_to_interpreter {
            return self.context.interpreter.look_at(state, moment, valuation);
        }
        let stuck = moment == Moment::Stuck;
        let mut looked = Looked::Anew;
        if !stuck {
            looked = scratch.propositions.look_at(&mut self.context.interpreter.packer(), state);
            if looked == Looked::NewShape {
                self.aim_at(&mut scratch, state, stuck);
                let Scratch { propositions, processes, .. } = &mut *scratch;
                let mut packer = self.context.interpreter.packer();
                propositions.learn_shape(&mut packer, state, processes);
                looked = propositions.look_at(&mut packer, state);
            }
        }
        let Scratch { propositions, looked_at, is_aimed, .. } = &mut *scratch;
        *is_aimed = looked == Looked::Anew;
        if *is_aimed {
            propositions.forget_state();
            self.aim_at(&mut scratch, state, stuck);
        } else {
            looked_at.clear();
            looked_at.extend_from_slice(state);
        }
    }

    fn is_true(&self, proposition: usize, valuation: &mut Valuation) -> Result<bool, Violation> {
        let mut scratch = self.scratch.borrow_mut();
        if scratch.is_left_to_interpreter {
            return self.context.interpreter.is_true(proposition, valuation);
        }
        if let Some(value) = scratch.propositions.value(proposition) {
            return Ok(value);
        }
        if !scratch.is_aimed {
            scratch.is_aimed = true;
            let state = std::mem::take(&mut scratch.looked_at);
            self.aim_at(&mut scratch, &state, false);
            scratch.looked_at = state;
        }
        // Whoever asks in the next state like this one is told of all at once.
        let mut others =
            scratch.propositions.unknown() & !(1u64.checked_shl(proposition as u32).unwrap_or(0));
        while others != 0 {
            let other = others.trailing_zeros() as usize;
            others &= others - 1;
            scratch.machine.status = FINE;
            // SAFETY: the machine is aimed at the state that was looked at.
            let value = unsafe { (self.context.code.propositions[other])(&mut scratch.machine) };
            if matches!(value, 0 | 1) {
                scratch.propositions.learn(other, value == 1);
            }
        }
        scratch.machine.status = FINE;
        // SAFETY: the machine is aimed at the state that was looked at.
        let value = match unsafe { (self.context.code.propositions[proposition])(&mut scratch.machine) } {
            0 => false,
            1 => true,
            _ => {
                let mut valuation = Valuation::default();
                let moment = if scratch.machine.timeout != 0 { Moment::Stuck } else { Moment::Moving };
                self.context.interpreter.look_at(&scratch.stored, moment, &mut valuation);
                self.context.interpreter.is_true(proposition, &mut valuation)?
            }
        };
        scratch.propositions.learn(proposition, value);
        Ok(value)
    }

    #[inline]
    fn known_truths(&self, state: &[u8]) -> Option<u64> {
        self.scratch.borrow().propositions.all_in(&mut self.context.interpreter.packer(), state)
    }

    fn memory_size(&self) -> usize {
        self.context.interpreter.memory_size()
    }

    fn own_bytes(&self) -> u64 {
        let scratch = self.scratch.borrow();
        self.context.interpreter.own_bytes() + scratch.steps.bytes() + scratch.propositions.bytes()
    }

    fn vector_bits(&self) -> Option<f64> {
        self.context.interpreter.vector_bits()
    }

    fn may_diverge(&self) -> bool {
        self.context.interpreter.may_diverge()
    }

    fn tells_repetition(&self) -> bool {
        self.context.interpreter.tells_repetition()
    }

    fn living(&self, state: &[u8], out: &mut Vec<(u16, u16)>) {
        self.context.interpreter.living(state, out);
    }

    fn may_end(&self, state: &[u8]) -> bool {
        self.context.interpreter.may_end(state)
    }

    fn wrong_end(&self, state: &[u8]) -> Option<Violation> {
        let Context { interpreter, facts, .. } = &*self.context;
        let scratch = self.scratch.borrow();
        // Some are asked about just after they were unpacked.
        if interpreter.is_observed() || !scratch.has_unpacked(state) {
            drop(scratch);
            return interpreter.wrong_end(state);
        }
        let may_end = scratch.processes.iter().all(|frame| {
            // SAFETY: the frame lies in the state.
            let location = unsafe { facts.location_at(scratch.state.as_ptr(), *frame) };
            facts.ends[facts.location_index(frame.ty as usize, location)]
        });
        (!may_end).then(Violation::invalid_end_state)
    }

    fn add_reached(&self, reached: &mut Vec<Vec<bool>>) {
        let scratch = self.scratch.borrow();
        let process_types = &self.context.interpreter.model().process_types;
        reached.resize(process_types.len(), Vec::new());
        let mut rest = scratch.reached.as_slice();
        for (process, seen) in process_types.iter().zip(reached) {
            let (these, others) = rest.split_at(process.locations.len());
            seen.resize(these.len(), false);
            seen.iter_mut().zip(these).for_each(|(seen, here)| *seen |= *here != 0);
            rest = others;
        }
    }
}
