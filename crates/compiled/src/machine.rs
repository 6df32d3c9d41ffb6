//! What compiled code and its caller share: one block of memory at known offsets, and the functions that code
//! calls for what is rare.
//!
//! Code reads a working state, writes successors behind one another into a buffer, and notes where each lies.
//! It never allocates and never reports anything: when there is no room, or when something goes wrong (an
//! assertion fails, an index is out of range), it sets [`Machine::status`] and returns. The caller makes room
//! and begins again, or leaves the whole state to the interpreter, which knows how to report. So code may
//! give up anywhere, and what it has written by then does not matter.
//!
//! # Safety
//!
//! What the functions of this file are given, code is given too: a [`Machine`] that its caller has aimed at a
//! working state, whose pointers, places and counts are valid until code returns; `base` is that state or
//! [`Machine::midway`], and a `pid` that is not checked is that of a process in it. Nobody else uses the
//! machine meanwhile.

use crate::code::{Code, Mode};
use crate::facts::Facts;
use crate::frames::ShapeFrames;
use crate::receivers::{LAST_BIT, Receivers};
use lariat_engine::Entry;
use lariat_engine::interpreter::MAX_CHANNELS;
use lariat_engine::interpreter::engine::{Attempted, ProcessView};
use lariat_engine::{Interpreter, Successors};
use lariat_model::ir::{ChannelUse, Expr};
use std::sync::Arc;

/// Everything is as it should be.
pub const FINE: u32 = 0;
/// The interpreter must do this state.
pub const GIVEN_UP: u32 = 1;
/// There was no room for a successor.
pub const NO_ROOM: u32 = 2;

/// Messages of rendezvous channels may have so many fields; longer ones are left to the interpreter.
pub const MESSAGE_FIELDS: usize = 64;

/// States may be read and written so many bytes behind their end.
pub const SLACK: usize = lariat_engine::SLACK;

/// Where a frame starts, which type it has, and, of a channel, which layout.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct FramePlace {
    pub start: u32,
    pub ty: u16,
    pub group: u16,
}

/// Of one use of channels, by number: the process that has promised to be the only one.
pub type OwnersRow = [u16; MAX_CHANNELS + 1];

/// Nobody has promised it.
pub const NO_OWNER: u16 = u16::MAX;

/// The row of [`Machine::owners`].
pub fn row_of(usage: ChannelUse) -> usize {
    match usage {
        ChannelUse::Receive => 0,
        ChannelUse::Send => 1,
    }
}

#[repr(C)]
pub struct Machine {
    /// The working state that code reads.
    pub state: *const u8,
    pub length: u64,
    pub processes: *const FramePlace,
    pub channels: *const FramePlace,
    pub process_count: u32,
    pub channel_count: u32,
    /// Where the next successor goes, and how far it may reach.
    pub out: *mut u8,
    pub out_end: *mut u8,
    /// Where the buffer starts: entries count from there.
    pub out_start: *mut u8,
    pub entry: *mut Entry,
    pub entry_end: *mut Entry,
    /// A byte per location, set when a process is seen there.
    pub reached: *mut u8,
    /// The state in the middle of a rendezvous.
    pub midway: *mut u8,
    pub status: u32,
    pub timeout: u32,
    /// Between the parts of a location with many transitions: whether one was executed, and by which escape.
    pub moved: u32,
    pub escape: u32,
    /// Some process is at a committed location.
    pub committed: u32,
    pub handshake_channel: i32,
    pub message_length: u32,
    pub message: [i32; MESSAGE_FIELDS],
    /// [`Machine::receivers`] are those of the state.
    pub knows_receivers: u32,
    pub receivers: Receivers,
    /// Who takes part is asked for.
    pub asks_for_participants: u32,
    /// A process keeps control in one of the successors.
    pub holds: u32,
    /// Those who take part beside the process that moves, each with the successor (or the place of the one
    /// that comes next) to which that leads; if they are asked for.
    pub partners: Vec<(*const Entry, u16)>,
    /// Who has promised something about a channel, by use ([`row_of`]) and by its number, if the promises are
    /// known; and which of these are set.
    pub owners: [OwnersRow; 2],
    owned: Vec<(u8, u8)>,
    /// Promises must be looked after, and are known.
    pub has_owners: bool,
    /// The shape of the state and its frames, if they are those that are known for all states of that shape.
    pub frames: Option<(u32, *const ShapeFrames)>,
    /// For what the interpreter tries: room that is used again.
    tried: Option<Box<Successors>>,
    /// For the functions that code calls.
    pub context: *const Context<'static>,
}

/// What the functions that code calls need to know.
pub struct Context<'m> {
    pub interpreter: Interpreter<'m>,
    pub facts: Arc<Facts>,
    pub code: Arc<Code>,
}

// SAFETY: all pointers of a machine are to what belongs to the worker that runs it and moves with it. Most
// are set before code runs, and not used later. Those that stay (the context, and with `frames` the frames of
// a shape, the state in the middle of a rendezvous and the locations that were reached) lie in boxes and
// lists, so their addresses stay; and all that can be sent to another thread itself (which, of the context,
// `Context: Send` says).
unsafe impl Send for Machine where Context<'static>: Send {}

/// The code of one location: `(machine, number of the process, where its frame starts)`; whether something
/// moved.
pub type LocationCode = unsafe extern "C" fn(*mut Machine, u64, u64) -> u64;
/// The code of a proposition: 0, 1, or 2 if it has no value.
pub type PropositionCode = unsafe extern "C" fn(*mut Machine) -> u64;

pub const VALUE_FAILS: i64 = i64::MIN;

/// What an attempt by the interpreter came to, as code sees it.
pub const BLOCKED: u32 = 0;
pub const MOVED: u32 = 1;
pub const NOBODY_RECEIVES: u32 = 2;

impl Machine {
    /// A machine that is aimed at nothing yet.
    pub fn new(context: &Context) -> Machine {
        Machine {
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
            message: [0; MESSAGE_FIELDS],
            knows_receivers: 0,
            receivers: Receivers::NOBODY,
            asks_for_participants: 0,
            holds: 0,
            partners: Vec::new(),
            owners: [[NO_OWNER; MAX_CHANNELS + 1]; 2],
            owned: Vec::new(),
            has_owners: context.facts.promises.need_checks() && context.facts.promises.are_known(),
            frames: None,
            tried: None,
            context: (&raw const *context).cast(),
        }
    }

    /// Notes who has promised what, in a state and its frames. If several have promised the same, the first
    /// counts.
    #[inline]
    pub fn find_owners(&mut self, state: &[u8], processes: &[FramePlace]) {
        if self.has_owners {
            self.find_all_owners(state, processes);
        }
    }

    fn find_all_owners(&mut self, state: &[u8], processes: &[FramePlace]) {
        // SAFETY: the context lives as long as the machine.
        let context = unsafe { &*self.context };
        let promises = &context.facts.promises;
        let Machine { owners, owned, .. } = self;
        for (row, channel) in owned.drain(..) {
            owners[row as usize][channel as usize] = NO_OWNER;
        }
        let layout = context.interpreter.layout();
        for (pid, frame) in processes.iter().enumerate().rev() {
            let ty = frame.ty as usize;
            let variables = frame.start as usize + layout.processes[ty].header_size;
            promises.each(ty, state, variables, |usage, channel| {
                // Other numbers are those of no channel.
                if let 1..=255 = channel {
                    owners[row_of(usage)][channel as usize] = pid as u16;
                    owned.push((row_of(usage) as u8, channel as u8));
                }
            });
        }
    }

    unsafe fn context(&self) -> &Context<'static> {
        unsafe { &*self.context }
    }

    unsafe fn bytes<'a>(&self, base: *const u8) -> &'a [u8] {
        unsafe { std::slice::from_raw_parts(base, self.length as usize) }
    }

    unsafe fn process(&self, pid: u32) -> FramePlace {
        unsafe { *self.processes.add(pid as usize) }
    }

    unsafe fn view<'a>(&self, base: *const u8, pid: u64, moved: u32, handshake: u32) -> ProcessView<'a> {
        let message = || self.message[..self.message_length as usize].to_vec();
        ProcessView {
            bytes: unsafe { self.bytes(base) },
            pid: pid as usize,
            timeout: self.timeout != 0,
            moved: moved != 0,
            handshake: (handshake != 0).then(|| (self.handshake_channel, message())),
        }
    }
}

/// The value of an expression that is not compiled.
pub unsafe extern "C" fn expression(
    machine: *mut Machine,
    base: *const u8,
    expr: *const Expr,
    pid: u64,
    moved: u32,
    handshake: u32,
) -> i64 {
    let machine = unsafe { &*machine };
    let view = unsafe { machine.view(base, pid, moved, handshake) };
    match unsafe { machine.context().interpreter.value_of(&*expr, &view) } {
        Ok(value) => value as i64,
        Err(_) => VALUE_FAILS,
    }
}

/// Where the variables of a process start, if it has this type; else -1.
pub unsafe extern "C" fn remote_variables(machine: *const Machine, ty: u32, pid: i32) -> i64 {
    let machine = unsafe { &*machine };
    if pid < 0 || pid as u32 >= machine.process_count {
        return -1;
    }
    let frame = unsafe { machine.process(pid as u32) };
    if frame.ty as u32 != ty {
        return -1;
    }
    frame.start as i64
        + unsafe { machine.context() }.interpreter.layout().processes[ty as usize].header_size as i64
}

/// The first process of a type, or -1.
pub unsafe extern "C" fn first_of_type(machine: *const Machine, ty: u32) -> i32 {
    let machine = unsafe { &*machine };
    (0..machine.process_count)
        .find(|&pid| unsafe { machine.process(pid) }.ty as u32 == ty)
        .map_or(-1, |pid| pid as i32)
}

/// The location of a process; 0 if there is no such process.
pub unsafe extern "C" fn location_of(machine: *const Machine, base: *const u8, pid: i32) -> u32 {
    let machine = unsafe { &*machine };
    if pid < 0 || pid as u32 >= machine.process_count {
        return 0;
    }
    let frame = unsafe { machine.process(pid as u32) };
    let context = unsafe { machine.context() };
    unsafe { context.facts.location_at(base, frame) }
}

/// Whether some process is at a location with an accept label (`which` 0) or a progress label (`which` 1).
pub unsafe extern "C" fn some_process_at(machine: *const Machine, base: *const u8, which: u32) -> u32 {
    let machine = unsafe { &*machine };
    let facts = &unsafe { machine.context() }.facts;
    let labelled = if which == 0 { &facts.accepting } else { &facts.progress };
    (0..machine.process_count).any(|pid| {
        let frame = unsafe { machine.process(pid) };
        let location = unsafe { facts.location_at(base, frame) };
        labelled[facts.location_index(frame.ty as usize, location)]
    }) as u32
}

/// Whether a process may move at all: 0, 1, or 2 if that has no value.
pub unsafe extern "C" fn may_move(machine: *const Machine, base: *const u8, pid: u64, handshake: u32) -> u32 {
    let machine = unsafe { &*machine };
    let view = unsafe { machine.view(base, pid, 0, handshake) };
    unsafe { machine.context() }.interpreter.process_may_move(&view).map_or(2, u32::from)
}

/// Whether a transition breaks a promise about channels; if in doubt, yes.
pub unsafe extern "C" fn breaks_promise(
    machine: *const Machine,
    base: *const u8,
    pid: u64,
    transition: u32,
    handshake: u32,
) -> u32 {
    let machine = unsafe { &*machine };
    let view = unsafe { machine.view(base, pid, 0, handshake) };
    unsafe { machine.context() }.interpreter.breaks_promise(transition as usize, &view).map_or(1, u32::from)
}

/// Lets the interpreter try a transition.
pub unsafe extern "C" fn attempt(
    machine: *mut Machine,
    base: *const u8,
    pid: u64,
    transition: u32,
    moved: u32,
    handshake: u32,
) -> u32 {
    let machine = unsafe { &mut *machine };
    let view = unsafe { machine.view(base, pid, moved, handshake) };
    let mut out = machine.tried.take().unwrap_or_default();
    out.clear_and_ask(machine.asks_for_participants != 0);
    out.reached_mut().clear();
    let attempted =
        unsafe { machine.context() }.interpreter.attempt_transition(transition as usize, &view, &mut out);
    let result = match attempted {
        Ok(attempted) => unsafe { take_over(machine, attempted, &out) },
        Err(_) => {
            machine.status = GIVEN_UP;
            BLOCKED
        }
    };
    machine.tried = Some(out);
    result
}

/// Takes over what the interpreter has found, as if code had written it.
unsafe fn take_over(machine: &mut Machine, attempted: Attempted, out: &Successors) -> u32 {
    let asks = machine.asks_for_participants != 0;
    let facts = &unsafe { machine.context() }.facts;
    for (ty, seen) in out.reached().iter().enumerate() {
        for location in (0..).zip(seen).filter(|(_, seen)| **seen).map(|(location, _)| location) {
            // SAFETY: there is a byte for each location.
            unsafe { machine.reached.add(facts.location_index(ty, location)).write(1) };
        }
    }
    for i in 0..out.len() {
        let state = out.state(i);
        let room = machine.out_end as usize - machine.out as usize;
        if room < state.len() || machine.entry >= machine.entry_end {
            machine.status = NO_ROOM;
            return BLOCKED;
        }
        unsafe {
            std::ptr::copy_nonoverlapping(state.as_ptr(), machine.out, state.len());
            let start = machine.out.offset_from(machine.out_start) as u32;
            let end = start + state.len() as u32;
            let held = out.held(i).map_or(Entry::NOBODY, u32::from);
            machine.holds |= u32::from(held != Entry::NOBODY);
            machine.entry.write(Entry {
                start,
                end,
                steps_start: 0,
                steps_end: 0,
                held,
                recalled_of: 0,
                sum: 0,
            });
            if asks {
                let entry = machine.entry as *const Entry;
                machine.partners.extend(out.participants(i).iter().map(|pid| (entry, pid)));
            }
            machine.out = machine.out.add(state.len());
            machine.entry = machine.entry.add(1);
        }
    }
    match attempted {
        Attempted::Blocked => BLOCKED,
        Attempted::Moved => MOVED,
        Attempted::NobodyReceives => NOBODY_RECEIVES,
    }
}

/// Finds out who may receive in the state if somebody sends over a rendezvous channel.
pub unsafe extern "C" fn find_receivers(machine: *mut Machine) -> u32 {
    let machine = unsafe { &mut *machine };
    let facts = &unsafe { &*machine.context }.facts;
    let frames = unsafe { std::slice::from_raw_parts(machine.processes, machine.process_count as usize) };
    machine.receivers.find(frames.iter().map(|frame| {
        let location = unsafe { facts.location_at(machine.state, *frame) };
        facts.receives[facts.location_index(frame.ty as usize, location)]
    }));
    machine.knows_receivers = 1;
    0
}

/// A rendezvous: the sender has moved, in [`Machine::midway`]; those of `receivers`, other processes as bits,
/// may receive. The last bit stands for all that have none.
pub unsafe extern "C" fn shake_hands(machine: *mut Machine, sender: u64, receivers: u64) -> u32 {
    unsafe {
        let before = (*machine).entry;
        if receivers >> LAST_BIT != 0 {
            let without = (LAST_BIT..(*machine).process_count).rev();
            for pid in without.filter(|pid| *pid as u64 != sender) {
                if !ask_to_receive(machine, pid) {
                    return BLOCKED;
                }
            }
        }
        let mut rest = receivers & !(1 << LAST_BIT);
        while rest != 0 {
            let pid = rest.ilog2();
            rest &= !(1 << pid);
            if !ask_to_receive(machine, pid) {
                return BLOCKED;
            }
        }
        if (*machine).entry == before { NOBODY_RECEIVES } else { MOVED }
    }
}

/// Lets a process receive what has been sent, if it does. Whether all is well.
#[inline(always)]
unsafe fn ask_to_receive(machine: *mut Machine, pid: u32) -> bool {
    unsafe {
        let context = &*(*machine).context;
        let frame = (*machine).process(pid);
        let location = context.facts.location_at((*machine).midway, frame);
        let index = context.facts.location_index(frame.ty as usize, location);
        if let Some(code) = context.code.receive.get(index) {
            let mut received = (*machine).entry;
            code(machine, pid as u64, frame.start as u64);
            if (*machine).status != FINE {
                return false;
            }
            while (*machine).asks_for_participants != 0 && received < (*machine).entry {
                let partners = &mut (*machine).partners;
                partners.push((received, pid as u16));
                received = received.add(1);
            }
        }
        true
    }
}

/// A process is moved by another one, on the way to the successor that comes next. Only called where
/// participants are asked for.
pub unsafe extern "C" fn takes_part(machine: *mut Machine, pid: u32) -> u32 {
    let machine = unsafe { &mut *machine };
    machine.partners.push((machine.entry, pid as u16));
    0
}

/// Stands for the code of a location that has not been compiled, of a process that moves on its own.
pub unsafe extern "C" fn interpret_alone(machine: *mut Machine, pid: u64, start: u64) -> u64 {
    unsafe { interpret(machine, pid, start, Mode::Alone) }
}

/// The same in the middle of an indivisible sequence.
pub unsafe extern "C" fn interpret_held(machine: *mut Machine, pid: u64, start: u64) -> u64 {
    unsafe { interpret(machine, pid, start, Mode::Held) }
}

/// The same of a process to which a message has been sent over a rendezvous channel.
pub unsafe extern "C" fn interpret_receiving(machine: *mut Machine, pid: u64, start: u64) -> u64 {
    unsafe { interpret(machine, pid, start, Mode::Receiving) }
}

/// Lets the interpreter try the transitions of a process in their order, as the code of its location would do
/// it; unless that has been done so often that there is code now. Whether something moved.
#[cold]
unsafe fn interpret(machine: *mut Machine, pid: u64, start: u64, mode: Mode) -> u64 {
    let (context, base, frame) = unsafe {
        let base = if mode == Mode::Receiving { (*machine).midway.cast_const() } else { (*machine).state };
        (&*(*machine).context, base, (*machine).process(pid as u32))
    };
    let (facts, ty) = (&context.facts, frame.ty as usize);
    let location = unsafe { facts.location_at(base, frame) };
    if let Some(code) = context.code.count(ty, location, mode, context) {
        return unsafe { code(machine, pid, start) };
    }
    let index = facts.location_index(ty, location);
    let mark_reached = || unsafe { (*machine).reached.add(index).write(1) };
    if mode != Mode::Receiving {
        mark_reached();
    }
    let committed = unsafe { (*machine).committed != 0 };
    if mode == Mode::Alone && committed && !facts.committed[index] {
        return 0;
    }
    let handshake = u32::from(mode == Mode::Receiving);
    match unsafe { may_move(machine, base, pid, handshake) } {
        0 => return 0,
        1 => {}
        _ => {
            unsafe { (*machine).status = GIVEN_UP };
            return 0;
        }
    }
    if mode == Mode::Receiving {
        mark_reached();
    }
    let transitions = &context.interpreter.model().process_types[ty].locations[location as usize].transitions;
    let (mut moved, mut escape) = (0, 0);
    for (number, transition) in (0..).zip(transitions) {
        if escape != 0 && transition.escape != escape {
            break;
        }
        let attempted = unsafe { attempt(machine, base, pid, number, moved, handshake) };
        if unsafe { (*machine).status } != FINE {
            return 0;
        }
        match attempted {
            MOVED => (moved, escape) = (1, transition.escape),
            NOBODY_RECEIVES => escape = 0,
            _ => {}
        }
    }
    u64::from(moved)
}
