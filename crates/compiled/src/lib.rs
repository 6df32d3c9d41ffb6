//! Compiled models: the intermediate form as machine code.
//!
//! [`CompiledModel`] is a [`SuccessorFunction`] like the [`Interpreter`], and gives the same successors in the same order, many times faster.
//! The interpreter is the meaning; this is how to be quick about it. Whatever goes wrong in a state (an assertion fails, an index is out
//! of range) is left to the interpreter, which computes that state again and reports it; so are, statement by statement, the few things
//! that are not worth code of their own (`run`, sorted sends, random receives, priorities).
//!
//! The parts: `facts` what is known before the run, `code` the translation with cranelift, `machine` what code and caller share.
//! Successors are states only: steps, for people, come from the interpreter when a run is replayed.

mod code;
mod facts;
mod machine;

pub use code::NotCompiled;
use code::{Code, Subject, compile};
use facts::Facts;
use lariat_model::interpreter::finish_sequences;
use lariat_model::{Entry, Interpreter, SuccessorFunction, Successors, Valuation, Violation};
use machine::{Context, FINE, FramePlace, Machine, NO_ROOM, SLACK};
use std::cell::RefCell;

/// A model, ready to run as machine code.
pub struct CompiledModel<'m> {
    /// What code calls back into; its address is in the machine.
    context: Box<Context<'m>>,
    code: Code,
    scratch: RefCell<Scratch>,
}

/// What is kept from state to state.
struct Scratch {
    machine: Machine,
    /// The state that the machine was aimed at last, as it is stored.
    stored: Vec<u8>,
    state: Vec<u8>,
    midway: Vec<u8>,
    processes: Vec<FramePlace>,
    channels: Vec<FramePlace>,
    reached: Vec<u8>,
    /// Of intermediate states.
    inner_state: Vec<u8>,
    inner_processes: Vec<FramePlace>,
    inner_channels: Vec<FramePlace>,
}

const FIRST_BYTES: usize = 1 << 12;
const FIRST_ENTRIES: usize = 64;

impl<'m> CompiledModel<'m> {
    /// Compiles the model of an interpreter. The model stays where it is, because code points into it.
    pub fn new(interpreter: Interpreter<'m>) -> Result<CompiledModel<'m>, NotCompiled> {
        CompiledModel::with_listing(interpreter, false)
    }

    /// The same, and keeps what was translated in readable form.
    pub fn with_listing(
        interpreter: Interpreter<'m>,
        listing: bool,
    ) -> Result<CompiledModel<'m>, NotCompiled> {
        let facts = Facts::of(&interpreter);
        let subject = Subject {
            model: interpreter.model(),
            layout: interpreter.layout(),
            facts: &facts,
            has_promises: interpreter.has_promises(),
            observed: interpreter.is_observed(),
        };
        let code = compile(subject, listing)?;
        let locations = facts.locations();
        let context = Box::new(Context { interpreter, facts, receive: code.receive.clone() });
        let machine = Machine {
            state: std::ptr::null(),
            length: 0,
            processes: std::ptr::null(),
            channels: std::ptr::null(),
            process_count: 0,
            channel_count: 0,
            out: std::ptr::null_mut(),
            out_end: std::ptr::null_mut(),
            out_start: std::ptr::null_mut(),
            entry: std::ptr::null_mut(),
            entry_end: std::ptr::null_mut(),
            reached: std::ptr::null_mut(),
            midway: std::ptr::null_mut(),
            status: FINE,
            timeout: 0,
            moved: 0,
            escape: 0,
            committed: 0,
            handshake_channel: 0,
            message_length: 0,
            message: [0; machine::MESSAGE_FIELDS],
            context: (&raw const *context).cast(),
        };
        let scratch = Scratch {
            machine,
            stored: Vec::new(),
            state: Vec::new(),
            midway: Vec::new(),
            processes: Vec::new(),
            channels: Vec::new(),
            reached: vec![0; locations],
            inner_state: Vec::new(),
            inner_processes: Vec::new(),
            inner_channels: Vec::new(),
        };
        Ok(CompiledModel { context, code, scratch: RefCell::new(scratch) })
    }

    pub fn interpreter(&self) -> &Interpreter<'m> {
        &self.context.interpreter
    }

    /// What was translated, in readable form, if it was kept.
    pub fn listing(&self) -> Option<&str> {
        self.code.listing.as_deref()
    }
}

/// A copy of a working state with room behind it, and its frames.
fn take_in(
    bytes: &[u8],
    facts: &Facts,
    state: &mut Vec<u8>,
    processes: &mut Vec<FramePlace>,
    channels: &mut Vec<FramePlace>,
) {
    state.clear();
    state.reserve(bytes.len() + SLACK);
    state.extend_from_slice(bytes);
    find_frames(bytes, facts, processes, channels);
}

fn find_frames(bytes: &[u8], facts: &Facts, processes: &mut Vec<FramePlace>, channels: &mut Vec<FramePlace>) {
    processes.clear();
    channels.clear();
    let mut at = facts.frames_start;
    while at < bytes.len() {
        let info = facts.tags[facts.tag_at(bytes, at)];
        let place = FramePlace { start: at as u32, ty: info.ty, group: info.group };
        if info.is_process {
            processes.push(place)
        } else {
            channels.push(place)
        }
        at += info.size as usize;
    }
}

impl Machine {
    /// Points the machine at a state, and at the buffers that successors go to.
    fn aim(&mut self, state: &[u8], processes: &[FramePlace], channels: &[FramePlace]) {
        self.state = state.as_ptr();
        self.length = state.len() as u64;
        self.processes = processes.as_ptr();
        self.channels = channels.as_ptr();
        self.process_count = processes.len() as u32;
        self.channel_count = channels.len() as u32;
    }
}

/// Something went wrong: the interpreter must do this state.
struct GivenUp;

impl CompiledModel<'_> {
    /// All micro steps from the state that the machine is aimed at, as [`Interpreter`] does them. Whether something moved.
    fn moves(
        &self,
        machine: &mut Machine,
        processes: &[FramePlace],
        held: Option<u16>,
        out: &mut Successors,
    ) -> Result<bool, GivenUp> {
        let timeouts = self.context.interpreter.model().features.timeout && held.is_none();
        machine.timeout = 0;
        let moved = self.moves_of(machine, processes, held, out)?;
        if moved || !timeouts {
            return Ok(moved);
        }
        machine.timeout = 1;
        self.moves_of(machine, processes, held, out)
    }

    fn moves_of(
        &self,
        machine: &mut Machine,
        processes: &[FramePlace],
        held: Option<u16>,
        out: &mut Successors,
    ) -> Result<bool, GivenUp> {
        let facts = &self.context.facts;
        loop {
            // Whatever is there (of an attempt for which there was no room) is written over.
            let bytes = out.bytes_mut();
            bytes.clear();
            bytes.reserve(FIRST_BYTES.max(2 * SLACK));
            machine.out_start = bytes.as_mut_ptr();
            machine.out = machine.out_start;
            // Safe: the end of the allocation, less what may be written behind the end of a state.
            machine.out_end = unsafe { machine.out_start.add(bytes.capacity() - SLACK) };
            let entries = out.entries_mut();
            entries.clear();
            entries.reserve(FIRST_ENTRIES);
            let first = entries.as_mut_ptr();
            machine.entry = first;
            // Safe: the end of the allocation.
            machine.entry_end = unsafe { first.add(entries.capacity()) };
            machine.status = FINE;
            let mut moved = 0;
            match held {
                None => {
                    machine.committed = self.is_committed(machine, processes) as u32;
                    for (pid, frame) in processes.iter().enumerate().rev() {
                        // Safe: the frame lies in the state, and a process is at a location of its type.
                        let location = unsafe { facts.location_at(machine.state, *frame) };
                        let index = facts.location_index(frame.ty as usize, location);
                        if let Some(code) = self.code.locations[index] {
                            // Safe: the machine is aimed at this state, and code stays within the buffers.
                            moved |= unsafe { code(machine, pid as u64, frame.start as u64) };
                        }
                        if machine.status != FINE {
                            break;
                        }
                    }
                }
                Some(pid) => {
                    let frame = processes[pid as usize];
                    // Safe: as above.
                    let location = unsafe { facts.location_at(machine.state, frame) };
                    let index = facts.location_index(frame.ty as usize, location);
                    if let Some(code) = self.code.held[index] {
                        moved |= unsafe { code(machine, pid as u64, frame.start as u64) };
                    }
                }
            }
            if machine.status == NO_ROOM {
                let (room, count) = (out.bytes_mut().capacity() * 2, out.entries_mut().capacity() * 2);
                out.bytes_mut().reserve(room);
                out.entries_mut().reserve(count);
                continue;
            }
            if machine.status != FINE {
                return Err(GivenUp);
            }
            // Safe: code has written so much, and no more than there is room for.
            unsafe {
                let length = machine.out.offset_from(machine.out_start) as usize;
                out.bytes_mut().set_len(length);
                let count = machine.entry.offset_from(first) as usize;
                out.entries_mut().set_len(count);
            }
            return Ok(moved != 0);
        }
    }

    /// Whether some process is at a committed location.
    fn is_committed(&self, machine: &Machine, processes: &[FramePlace]) -> bool {
        let facts = &self.context.facts;
        facts.has_committed
            && processes.iter().any(|frame| {
                // Safe: the frame lies in the state.
                let location = unsafe { facts.location_at(machine.state, *frame) };
                facts.committed[facts.location_index(frame.ty as usize, location)]
            })
    }

    /// Successors as working states.
    fn working_successors(&self, state: &[u8], out: &mut Successors) -> Result<(), GivenUp> {
        let mut scratch = self.scratch.borrow_mut();
        let Scratch {
            machine,
            stored,
            state: copy,
            midway,
            processes,
            channels,
            reached,
            inner_state,
            inner_processes,
            inner_channels,
        } = &mut *scratch;
        let facts = &self.context.facts;
        stored.clear();
        stored.extend_from_slice(state);
        self.context.interpreter.working_state(state, copy);
        copy.reserve(SLACK);
        find_frames(copy, facts, processes, channels);
        let length = copy.len();
        if midway.len() < length + SLACK {
            midway.resize(2 * length + SLACK, 0);
        }
        machine.midway = midway.as_mut_ptr();
        machine.reached = reached.as_mut_ptr();
        machine.aim(copy, processes, channels);
        let moved = self.moves(machine, processes, None, out)?;
        out.set_moved(moved);
        if out.entries_mut().iter().all(|entry| entry.held == Entry::NOBODY) {
            return Ok(());
        }
        let mut given_up = false;
        finish_sequences(out, |bytes, held, out| {
            if given_up {
                return true;
            }
            take_in(bytes, facts, inner_state, inner_processes, inner_channels);
            if midway.len() < bytes.len() + SLACK {
                midway.resize(2 * bytes.len() + SLACK, 0);
                machine.midway = midway.as_mut_ptr();
            }
            machine.aim(inner_state, inner_processes, inner_channels);
            match self.moves(machine, inner_processes, held, out) {
                Ok(moved) => moved,
                Err(GivenUp) => {
                    given_up = true;
                    out.clear();
                    true
                }
            }
        });
        if given_up || out.was_cut() { Err(GivenUp) } else { Ok(()) }
    }
}

impl SuccessorFunction for CompiledModel<'_> {
    fn initial_state(&self) -> Result<Vec<u8>, Violation> {
        self.context.interpreter.initial_state()
    }

    fn successors(&self, state: &[u8], out: &mut Successors) {
        out.clear();
        match self.working_successors(state, out) {
            Ok(()) => self.context.interpreter.store_successors(out),
            Err(GivenUp) => self.context.interpreter.successors(state, out),
        }
    }

    fn look_at(&self, state: &[u8], stuck: bool, _valuation: &mut Valuation) {
        let mut scratch = self.scratch.borrow_mut();
        let Scratch { machine, stored, state: copy, processes, channels, .. } = &mut *scratch;
        if stored.as_slice() != state {
            stored.clear();
            stored.extend_from_slice(state);
            self.context.interpreter.working_state(state, copy);
            copy.reserve(SLACK);
            find_frames(copy, &self.context.facts, processes, channels);
        }
        machine.aim(copy, processes, channels);
        machine.timeout = stuck as u32;
    }

    fn is_true(&self, proposition: usize, _valuation: &mut Valuation) -> Result<bool, Violation> {
        let mut scratch = self.scratch.borrow_mut();
        scratch.machine.status = FINE;
        // Safe: the machine is aimed at the state that was looked at.
        match unsafe { (self.code.propositions[proposition])(&mut scratch.machine) } {
            0 => Ok(false),
            1 => Ok(true),
            _ => {
                let mut valuation = Valuation::default();
                let stuck = scratch.machine.timeout != 0;
                self.context.interpreter.look_at(&scratch.stored, stuck, &mut valuation);
                match self.context.interpreter.is_true(proposition, &mut valuation) {
                    Ok(value) => Ok(value),
                    Err(violation) => Err(violation),
                }
            }
        }
    }

    fn memory_size(&self) -> usize {
        self.context.interpreter.memory_size()
    }

    fn may_end(&self, state: &[u8]) -> bool {
        self.context.interpreter.may_end(state)
    }

    fn wrong_end(&self, state: &[u8]) -> Option<Violation> {
        self.context.interpreter.wrong_end(state)
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
