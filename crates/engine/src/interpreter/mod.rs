//! The interpreter: the meaning of the intermediate form.
//!
//! One *micro step* executes one statement of one process (two of two processes when they shake hands).
//! From a state in which no process holds control, every process is tried, the youngest first, its
//! transitions in their order. A transition that keeps control leads to a state *within* an indivisible
//! sequence: only that process goes on from there, and such states are neither stored nor counted. When it
//! cannot go on, it loses control, and the state counts as any other. So one successor of a state may be
//! many micro steps away ([`Interpreter::successors`]); intermediate states are expanded once each. A loop
//! inside an indivisible sequence is a run that never comes back from there.
//!
//! The rules (what blocks during a handshake, when `else` and `timeout` hold, how escapes take precedence,
//! what a process takes along when it dies) are those of Spin's verifier, found out by measurement; the tests
//! compare.
//!
//! The parts: `memory` bytes and frames, `evaluate` expressions, `channels`, `execute` actions, `exclusive`
//! promises about channels, `sequence` indivisible sequences, `divergence` those that go on for ever,
//! `reduced` states of which only some processes are followed, `observer` assertions about events, `replay`
//! single steps for people, `engine` what other engines borrow.

mod channels;
mod divergence;
pub mod engine;
mod evaluate;
mod exclusive;
mod execute;
mod memory;
mod observer;
mod propositions;
mod reduced;
mod replay;
mod sequence;

use crate::layout::Layout;
use crate::packing::Packer;
use crate::patience::Patience;
use crate::process_set::ProcessSet;
use crate::reduction::{Reducer, Reduction};
use crate::simplify::accesses::{Part, each_part};
use crate::successors::{
    Entry, FoundViolation, Moment, Step, SuccessorFunction, Successors, Violation, ViolationKind,
    participants_in,
};
use evaluate::{Handshake, Scene};
use lariat_model::ir::*;
use memory::{Frame, Frames, push_tag, read, write};
use observer::{Event, Observer};
use std::cell::{Cell, RefCell, RefMut};
use std::sync::Arc;

pub use propositions::Valuation;
pub use replay::{MicroState, MicroStep};
pub(crate) use sequence::Work;
pub use sequence::finish_sequences;

/// A value, or the run-time error that prevented it.
type Outcome<T> = Result<T, Box<Violation>>;

fn fault(message: impl Into<String>) -> Box<Violation> {
    Box::new(Violation { kind: ViolationKind::RuntimeError, message: message.into() })
}

/// More channels than this at a time are a run-time error, as in Spin.
pub const MAX_CHANNELS: usize = 255;

/// Executes a model, for one worker. A clone is another worker of the same search: both read what the other
/// has stored, and may be on two threads.
#[derive(Clone)]
pub struct Interpreter<'m> {
    model: &'m Model,
    layout: Layout,
    /// Some process type has promised something about channels (`xr`, `xs`).
    has_exclusive: bool,
    /// Some location is committed.
    has_committed: bool,
    /// Some location has an assertion.
    has_assertions: bool,
    /// The assertion that watches.
    observer: Option<Observer<'m>>,
    /// Some process can go round a loop without giving up control.
    may_diverge: bool,
    patience: Patience<'m>,
    packer: RefCell<Packer>,
    /// Room for the frames of a state that another engine asks about.
    frames: RefCell<Frames>,
    /// The frames of a state in which a process is created.
    newborn: RefCell<Frames>,
    /// Only some processes of a state are followed.
    reduction: Option<Arc<Reduction<'m>>>,
    /// All processes are followed nevertheless, for a while.
    follows_all: Cell<bool>,
    reducer: RefCell<Reducer>,
}

impl<'m> Interpreter<'m> {
    /// An interpreter that nobody observes. It trusts the model's form: [`lariat_model::verify::verify`] it
    /// before.
    pub fn new(model: &'m Model) -> Interpreter<'m> {
        Interpreter::with_layout(model, Layout::new(model), None)
    }

    fn with_layout(model: &'m Model, layout: Layout, observer: Option<Observer<'m>>) -> Interpreter<'m> {
        let has_exclusive = model.process_types.iter().any(|p| !p.exclusive.is_empty());
        let some = |wanted: fn(&LocationInfo) -> bool| {
            model.process_types.iter().flat_map(|process| &process.locations).any(wanted)
        };
        let packer = RefCell::new(Packer::new(model, &layout));
        let interpreter = Interpreter {
            model,
            layout,
            has_exclusive,
            has_committed: some(|location| location.committed),
            has_assertions: some(|location| !location.assertions.is_empty()),
            observer,
            may_diverge: model.process_types.iter().any(divergence::can_keep_control_for_ever),
            patience: Patience::default(),
            packer,
            frames: RefCell::default(),
            newborn: RefCell::default(),
            reduction: None,
            follows_all: Cell::new(false),
            reducer: RefCell::default(),
        };
        if let Ok(initial) = interpreter.initial_working_state() {
            // The initial shape is the first.
            interpreter.packer().pack(&initial, &mut Vec::new());
        }
        interpreter
    }

    /// The same interpreter, which stops in the middle of a step when these limits are reached.
    pub fn with_patience(self, patience: Patience<'m>) -> Interpreter<'m> {
        Interpreter { patience, ..self }
    }

    /// The limits within one step.
    pub fn patience(&self) -> Patience<'m> {
        self.patience
    }

    /// Whether some location has an assertion: it is judged in every state in which a process is there.
    pub fn has_assertions(&self) -> bool {
        self.has_assertions
    }

    /// The model that it executes.
    pub fn model(&self) -> &'m Model {
        self.model
    }

    /// How the states of the model lie in memory.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Globals and their channels, then the processes that exist at the start.
    fn initial_working_state(&self) -> Outcome<Vec<u8>> {
        let mut bytes = vec![0; self.layout.frames_start];
        if let Some(observer) = &self.observer {
            self.set_observer_location(observer.start(), &mut bytes);
        }
        self.initialise(&self.model.initialise, None, &mut Frames::default(), &mut bytes, 0)?;
        for start in &self.model.start {
            self.create_process(start.process, &[], start.priority, None, &mut bytes, 0)?;
        }
        Ok(bytes)
    }

    /// Appends the frame of a new process (and of the channels that its variables hold). Returns its number.
    /// The frames of the state so far may be known.
    fn create_process(
        &self,
        process: ProcessTypeId,
        arguments: &[i32],
        priority: u8,
        known: Option<&Frames>,
        bytes: &mut Vec<u8>,
        state_start: usize,
    ) -> Outcome<usize> {
        let frames = &mut *self.newborn.borrow_mut();
        match known {
            Some(known) => frames.clone_from(known),
            None => frames.find(&bytes[state_start..], &self.layout),
        }
        debug_assert_eq!(*frames, Frames::of(&bytes[state_start..], &self.layout));
        let pid = frames.processes.len();
        if pid >= MAX_PROCESSES {
            return Err(fault(format!("too many processes: {MAX_PROCESSES} exist already")));
        }
        let ty = &self.model.process_types[process.0 as usize];
        let layout = &self.layout.processes[process.0 as usize];
        let frame = bytes.len();
        frames.processes.push(Frame { start: (frame - state_start) as u32, ty: process.0 });
        push_tag(bytes, process.0 as usize, &self.layout);
        bytes.resize(frame + layout.frame_size, 0);
        write(bytes, frame + self.layout.tag_size, layout.location, ty.start as i32);
        if self.layout.priorities {
            bytes[frame + layout.header_size - 1] = priority;
        }
        let mut values = arguments.iter();
        for parameter in &ty.variables[..ty.parameters as usize] {
            self.set_parameter(parameter, parameter.offset, &mut values, frame + layout.header_size, bytes);
        }
        self.initialise(&ty.initialise, Some((pid, process.0, frame)), frames, bytes, state_start)?;
        self.forget_dead(process.0, ty.start, frame, bytes);
        Ok(pid)
    }

    /// Sets a parameter from the next argument; a record takes one argument for each of its scalars.
    fn set_parameter<'v>(
        &self,
        parameter: &Variable,
        offset: u32,
        values: &mut impl Iterator<Item = &'v i32>,
        locals: usize,
        bytes: &mut [u8],
    ) {
        match parameter.ty {
            Type::Scalar { storage, .. } => {
                write(bytes, locals + offset as usize, storage, values.next().copied().unwrap_or(0));
            }
            Type::Record(record) => {
                for field in &self.model.record_types[record.0 as usize].fields {
                    for element in 0..field.length.unwrap_or(1) {
                        let at = offset + field.offset + element * field.element_size;
                        self.set_parameter(field, at, values, locals, bytes);
                    }
                }
            }
        }
    }

    /// Runs initialisers, for the globals or for the process (number, type, frame) just created. All frames
    /// that there are, are known, and stay so.
    fn initialise(
        &self,
        list: &[Initialisation],
        owner: Option<(usize, u16, usize)>,
        frames: &mut Frames,
        bytes: &mut Vec<u8>,
        state_start: usize,
    ) -> Outcome<()> {
        for init in list {
            let (pid, ty, locals) = match owner {
                Some((pid, ty, frame)) => {
                    (pid, ty, frame - state_start + self.layout.processes[ty as usize].header_size)
                }
                None => (0, 0, 0),
            };
            let scene = Scene {
                bytes: &bytes[state_start..],
                frames,
                pid,
                ty,
                locals,
                location: 0,
                timeout: false,
                moved: false,
                handshake: None,
                run_result: 0,
                questions: 0,
                outside: None,
            };
            let offset = self.locate(&init.place, &scene)?;
            let value = match &init.value {
                InitialValue::Expr(expr) => self.evaluate(expr, &scene)?,
                InitialValue::NewChannel(ty) => {
                    let number = frames.channels.len() + 1;
                    if number > MAX_CHANNELS {
                        return Err(fault(format!("too many channels: {MAX_CHANNELS} exist already")));
                    }
                    let frame = bytes.len();
                    frames.channels.push(Frame { start: (frame - state_start) as u32, ty: ty.0 });
                    push_tag(bytes, self.layout.processes.len() + ty.0 as usize, &self.layout);
                    bytes.resize(frame + self.layout.channels[ty.0 as usize].frame_size, 0);
                    number as i32
                }
            };
            if let Some(offset) = offset {
                write(&mut bytes[state_start..], offset, init.place.storage, value);
            }
        }
        Ok(())
    }

    #[inline]
    fn location_at(&self, frame: Frame, bytes: &[u8]) -> Location {
        let layout = &self.layout.processes[frame.ty as usize];
        read(bytes, frame.start as usize + self.layout.tag_size, layout.location) as Location
    }

    fn set_location(&self, frame: Frame, location: Location, bytes: &mut [u8]) {
        let layout = &self.layout.processes[frame.ty as usize];
        write(bytes, frame.start as usize + self.layout.tag_size, layout.location, location as i32);
    }

    /// The process whose frame starts there has come to a location: what is dead there becomes 0.
    fn forget_dead(&self, ty: u16, location: Location, frame: usize, bytes: &mut [u8]) {
        let variables = frame + self.layout.processes[ty as usize].header_size;
        for dead in &self.model.process_types[ty as usize].locations[location as usize].dead {
            bytes[variables + dead.start as usize..variables + dead.end as usize].fill(0);
        }
    }

    /// From a stored state to a working one. States with the same number have the same frames.
    #[inline]
    pub fn working_state(&self, stored: &[u8], working: &mut Vec<u8>) -> u32 {
        self.packer().unpack(stored, working)
    }

    /// What packs and unpacks its states. Nothing else of the interpreter may be asked about states
    /// meanwhile.
    #[inline]
    pub fn packer(&self) -> RefMut<'_, Packer> {
        self.packer.borrow_mut()
    }

    /// From a working state to a stored one, which is appended.
    #[inline]
    pub fn stored_from_working(&self, working: &[u8], stored: &mut Vec<u8>) {
        self.packer().pack(working, stored);
    }

    /// The view that a process has of a state.
    #[inline]
    fn scene<'a>(&self, pid: usize, bytes: &'a [u8], frames: &'a Frames, timeout: bool) -> Scene<'a> {
        let frame = frames.processes[pid];
        Scene {
            bytes,
            frames,
            pid,
            ty: frame.ty,
            locals: frame.start as usize + self.layout.processes[frame.ty as usize].header_size,
            location: self.location_at(frame, bytes),
            timeout,
            moved: false,
            handshake: None,
            run_result: 0,
            questions: 0,
            outside: None,
        }
    }

    fn transitions(&self, scene: &Scene) -> &'m [Transition] {
        match self.model.process_types[scene.ty as usize].locations.get(scene.location as usize) {
            Some(location) => &location.transitions,
            None => &[],
        }
    }

    /// Whether the process may move at all: its `provided` clause holds and no process of higher priority
    /// could move.
    fn may_move(&self, scene: &Scene) -> Outcome<bool> {
        if !self.is_provided(scene)? {
            return Ok(false);
        }
        if !self.layout.priorities {
            return Ok(true);
        }
        let mine = self.priority_of(scene.pid, scene);
        for other in 0..scene.frames.processes.len() {
            if other != scene.pid && self.priority_of(other, scene) > mine {
                let their = self.scene(other, scene.bytes, scene.frames, scene.timeout);
                if self.is_provided(&their)? && self.is_enabled(other as i32, scene)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    #[inline]
    fn is_provided(&self, scene: &Scene) -> Outcome<bool> {
        match &self.model.process_types[scene.ty as usize].provided {
            Some(expr) => Ok(self.evaluate(expr, scene)? != 0),
            None => Ok(true),
        }
    }

    /// Whether some transition of a process is executable, judged from the scene of the one who asks: a
    /// rendezvous send counts as executable whether or not somebody receives.
    fn is_enabled(&self, pid: i32, asking: &Scene) -> Outcome<bool> {
        if pid < 0 || pid as usize >= asking.frames.processes.len() {
            return Ok(false);
        }
        let mut scene = self.scene(pid as usize, asking.bytes, asking.frames, asking.timeout);
        scene.moved = asking.moved;
        scene.handshake = asking.handshake;
        scene.questions = asking.questions;
        for transition in self.transitions(&scene) {
            if self.executable(&transition.action, &scene)?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether every process is where it may end.
    fn all_at_end(&self, bytes: &[u8], frames: &Frames) -> bool {
        frames.processes.iter().all(|frame| self.is_at_end(*frame, bytes))
    }

    fn is_at_end(&self, frame: Frame, bytes: &[u8]) -> bool {
        let location = self.location_at(frame, bytes) as usize;
        self.model.process_types[frame.ty as usize].locations.get(location).is_some_and(|l| l.end)
    }

    /// All micro steps from a working state: of the process that holds control, or of all, the youngest
    /// first. Returns whether something moved.
    fn moves(&self, bytes: &[u8], frames: &Frames, held: Option<u16>, out: &mut Successors) -> bool {
        if self.has_assertions && held.is_none() && self.observer.is_none() {
            self.check_locations(bytes, frames, out);
        }
        let moved = self.moves_of(bytes, frames, held, false, out);
        if moved || held.is_some() || !self.model.features.timeout {
            return moved;
        }
        self.moves_of(bytes, frames, held, true, out)
    }

    /// Judges what must hold where the processes are.
    fn check_locations(&self, bytes: &[u8], frames: &Frames, out: &mut Successors) {
        for pid in (0..frames.processes.len()).rev() {
            let scene = self.scene(pid, bytes, frames, false);
            let process = &self.model.process_types[scene.ty as usize];
            let assertions =
                process.locations.get(scene.location as usize).map_or(&[][..], |l| &l.assertions);
            for assertion in assertions {
                match self.evaluate(&assertion.value, &scene) {
                    Ok(0) => {
                        let message = process.statements[assertion.statement as usize].text.clone();
                        out.push_violation(Violation { kind: ViolationKind::Assertion, message }, &[]);
                    }
                    Ok(_) => {}
                    Err(violation) => out.push_violation(*violation, &[]),
                }
            }
        }
    }

    /// Whether some process is at a committed location.
    fn is_committed(&self, bytes: &[u8], frames: &Frames) -> bool {
        self.has_committed && frames.processes.iter().any(|frame| self.is_committed_at(*frame, bytes))
    }

    fn is_committed_at(&self, frame: Frame, bytes: &[u8]) -> bool {
        let location = self.location_at(frame, bytes) as usize;
        self.model.process_types[frame.ty as usize].locations.get(location).is_some_and(|l| l.committed)
    }

    fn moves_of(
        &self,
        bytes: &[u8],
        frames: &Frames,
        held: Option<u16>,
        timeout: bool,
        out: &mut Successors,
    ) -> bool {
        let mut anything = false;
        let (from, to) = match held {
            Some(pid) => (pid as usize, pid as usize + 1),
            None => (0, frames.processes.len()),
        };
        let committed = held.is_none() && self.is_committed(bytes, frames);
        for pid in (from..to).rev() {
            anything |= self.moves_of_process(pid, bytes, frames, committed, timeout, out);
        }
        anything
    }

    /// All micro steps of one process. Whether it has moved.
    fn moves_of_process(
        &self,
        pid: usize,
        bytes: &[u8],
        frames: &Frames,
        committed: bool,
        timeout: bool,
        out: &mut Successors,
    ) -> bool {
        let mut scene = self.scene(pid, bytes, frames, timeout);
        self.mark_reached(&scene, out);
        if committed && !self.is_committed_at(frames.processes[pid], bytes) {
            return false;
        }
        match self.may_move(&scene) {
            Ok(true) => {}
            Ok(false) => return false,
            Err(violation) => {
                out.push_violation(*violation, &[]);
                return true;
            }
        }
        let mut escape = 0;
        for (i, transition) in self.transitions(&scene).iter().enumerate() {
            if escape > 0 && transition.escape != escape {
                break;
            }
            let step = step_of(&scene, i);
            match self.attempt(transition, step, &scene, out) {
                Ok(Attempt::Blocked) => {}
                Ok(Attempt::NobodyReceives) => escape = 0,
                Ok(Attempt::Moved) => {
                    scene.moved = true;
                    escape = transition.escape;
                }
                Err(violation) => {
                    out.push_violation(*violation, &[step]);
                    scene.moved = true;
                    escape = transition.escape;
                }
            }
        }
        scene.moved
    }

    #[inline]
    fn mark_reached(&self, scene: &Scene, out: &mut Successors) {
        if out.reached.len() != self.model.process_types.len() {
            out.reached = self.model.process_types.iter().map(|p| vec![false; p.locations.len()]).collect();
        }
        out.reached[scene.ty as usize][scene.location as usize] = true;
    }

    /// Tries one transition; what it leads to goes into `out`.
    fn attempt(
        &self,
        transition: &Transition,
        step: Step,
        scene: &Scene,
        out: &mut Successors,
    ) -> Outcome<Attempt> {
        let Some(slot) = self.executable(&transition.action, scene)? else {
            return Ok(Attempt::Blocked);
        };
        if let Action::Send { channel, arguments, .. } = &transition.action {
            let frame = self.channel(channel, scene)?;
            if self.is_rendezvous(frame, scene) {
                return self.shake_hands(transition, channel, frame, arguments, step, scene, out);
            }
        }
        let start = out.bytes.len();
        out.bytes.extend_from_slice(scene.bytes);
        let (complaint, moved) = match self.execute_for(&transition.action, slot, scene, out, start) {
            Ok(done) => done,
            Err(violation) => {
                out.bytes.truncate(start);
                return Err(violation);
            }
        };
        self.finish_move(transition, scene, &mut out.bytes, start);
        if let Some(violation) = complaint {
            out.push_violation(*violation, &[step]);
        }
        self.check_determinism(transition, step, scene, out);
        self.check_exclusive(&transition.action, &[step], scene, out);
        out.push_entry(start, transition.keeps_control.then_some(scene.pid as u16), &[step], moved);
        Ok(Attempt::Moved)
    }

    /// Executes an action on the state that lies in the buffer from `start` on. Also tells which other
    /// processes it moves, if participants are asked for.
    fn execute_for(
        &self,
        action: &Action,
        slot: u32,
        scene: &Scene,
        out: &mut Successors,
        start: usize,
    ) -> Outcome<(Option<Box<Violation>>, ProcessSet)> {
        let mut moved = ProcessSet::default();
        let mut watch = |action: &Action, scene: &Scene| {
            if let Action::MoveProcess { process, pid, .. } = action
                && scene.frames.processes.get(*pid as usize).is_some_and(|frame| frame.ty == process.0)
            {
                moved.insert(*pid);
            }
        };
        let complaint = match action {
            Action::Program(program) if out.asks_for_participants => {
                self.run_program(program, scene, &mut out.bytes, start, &mut watch)
            }
            _ => {
                watch(action, scene);
                self.execute(action, slot, scene, &mut out.bytes, start)
            }
        };
        if let Some(units) = &mut out.units {
            let pids = std::mem::take(&mut moved);
            for pid in pids.iter() {
                units.add_process(pid, scene.frames.processes[pid as usize].ty, &mut moved);
            }
        }
        Ok((complaint?, moved))
    }

    /// The moving process goes to the transition's target.
    fn finish_move(&self, transition: &Transition, scene: &Scene, bytes: &mut [u8], start: usize) {
        if let Some(last) = self.layout.last_offset {
            bytes[start + last] = scene.pid as u8;
        }
        if transition.target != 0 && !matches!(transition.action, Action::End) {
            let frame = scene.frames.processes[scene.pid];
            self.set_location(frame, transition.target, &mut bytes[start..]);
            self.forget_dead(frame.ty, transition.target, start + frame.start as usize, bytes);
        }
    }

    fn check_determinism(&self, transition: &Transition, step: Step, scene: &Scene, out: &mut Successors) {
        let process = &self.model.process_types[scene.ty as usize];
        if process.deterministic && scene.moved && !matches!(transition.action, Action::Else) {
            let message = format!("non-determinism in D_proctype {}", process.name);
            out.push_violation(Violation { kind: ViolationKind::RuntimeError, message }, &[step]);
        }
    }

    /// A rendezvous: the sender moves, then every process that can receive the message does so, each in a
    /// successor of its own. The receiver's transition decides who has control afterwards.
    #[allow(clippy::too_many_arguments)]
    fn shake_hands(
        &self,
        transition: &Transition,
        channel: &Expr,
        frame: Frame,
        arguments: &[Expr],
        sent: Step,
        scene: &Scene,
        out: &mut Successors,
    ) -> Outcome<Attempt> {
        let handshake = Handshake {
            channel: self.evaluate(channel, scene)?,
            message: self.message_to_send(frame, arguments, scene)?,
        };
        let mut midway = std::mem::take(&mut out.work.midway);
        midway.clear();
        midway.extend_from_slice(scene.bytes);
        self.finish_move(transition, scene, &mut midway, 0);
        let event = Event {
            usage: ChannelUse::Send,
            channel: handshake.channel,
            ty: frame.ty,
            message: &handshake.message,
        };
        let breach = self.observe(&event, scene, &mut midway)?;
        let before = out.entries.len() + out.violations.len();
        for pid in (0..scene.frames.processes.len()).rev().filter(|pid| *pid != scene.pid) {
            let mut receiver = self.scene(pid, &midway, scene.frames, scene.timeout);
            receiver.handshake = Some(&handshake);
            match self.may_move(&receiver) {
                Ok(true) => {}
                Ok(false) => continue,
                Err(violation) => {
                    out.push_violation(*violation, &[sent]);
                    continue;
                }
            }
            self.mark_reached(&receiver, out);
            let mut escape = 0;
            for (i, transition) in self.transitions(&receiver).iter().enumerate() {
                if escape > 0 && transition.escape != escape {
                    break;
                }
                let received = step_of(&receiver, i);
                let steps = [sent, received];
                match self.receive_handshake(transition, &steps, breach.as_deref(), &receiver, out) {
                    Ok(true) => escape = transition.escape,
                    Ok(false) => {}
                    Err(violation) => out.push_violation(*violation, &steps),
                }
            }
        }
        out.work.midway = midway;
        if out.entries.len() + out.violations.len() == before {
            return Ok(Attempt::NobodyReceives);
        }
        self.check_determinism(transition, sent, scene, out);
        self.check_exclusive(&transition.action, &[sent], scene, out);
        Ok(Attempt::Moved)
    }

    /// The second half. `breach` is what the observer says about the first, if that happens at all.
    fn receive_handshake(
        &self,
        transition: &Transition,
        steps: &[Step],
        breach: Option<&Violation>,
        receiver: &Scene,
        out: &mut Successors,
    ) -> Outcome<bool> {
        let Some(slot) = self.executable(&transition.action, receiver)? else { return Ok(false) };
        if let Some(breach) = breach {
            out.push_violation(breach.clone(), steps);
        }
        let start = out.bytes.len();
        out.bytes.extend_from_slice(receiver.bytes);
        let moved = match self.execute_for(&transition.action, slot, receiver, out, start) {
            Ok((complaint, moved)) => {
                if let Some(violation) = complaint {
                    out.push_violation(*violation, steps);
                }
                moved
            }
            Err(violation) => {
                out.bytes.truncate(start);
                return Err(violation);
            }
        };
        self.finish_move(transition, receiver, &mut out.bytes, start);
        self.check_exclusive(&transition.action, steps, receiver, out);
        out.push_entry(start, transition.keeps_control.then_some(receiver.pid as u16), steps, moved);
        Ok(true)
    }
}

/// How an attempt to execute a transition ended.
enum Attempt {
    Blocked,
    /// A rendezvous send without a receiver: as if it had not been tried.
    NobodyReceives,
    Moved,
}

fn step_of(scene: &Scene, transition: usize) -> Step {
    Step {
        pid: scene.pid as u16,
        process_type: scene.ty,
        location: scene.location,
        transition: transition as u32,
    }
}

impl Successors {
    fn push_steps(&mut self, steps: &[Step]) -> (u32, u32) {
        let start = self.steps.len() as u32;
        self.steps.extend_from_slice(steps);
        (start, self.steps.len() as u32)
    }

    fn push_violation(&mut self, violation: Violation, steps: &[Step]) {
        if violation.kind == ViolationKind::CutShort {
            self.cut = true;
            return;
        }
        let (steps_start, steps_end) = self.push_steps(steps);
        self.violations.push(FoundViolation { violation, steps_start, steps_end });
    }

    /// The bytes from `start` to the end of the buffer are a new successor. The steps lead to it, which have
    /// moved other processes, too.
    fn push_entry(&mut self, start: usize, held: Option<u16>, steps: &[Step], moved: ProcessSet) {
        if self.asks_for_participants {
            let participants = participants_in(&mut self.units, steps);
            self.participants.push(participants.union(moved));
        }
        let (steps_start, steps_end) = self.push_steps(steps);
        let end = self.bytes.len() as u32;
        let held = Entry::holder(held);
        self.entries.push(Entry {
            start: start as u32,
            end,
            steps_start,
            steps_end,
            held,
            recalled_of: 0,
            sum: 0,
        });
    }
}

impl<'m> crate::Workers for Interpreter<'m> {
    type Worker = Interpreter<'m>;

    fn another_worker(&self) -> Interpreter<'m> {
        self.clone()
    }
}

impl SuccessorFunction for Interpreter<'_> {
    fn look_at(&self, state: &[u8], moment: Moment, valuation: &mut Valuation) {
        self.look_at_state(state, moment, valuation);
    }

    fn may_diverge(&self) -> bool {
        self.may_diverge
    }

    fn tells_repetition(&self) -> bool {
        let mut tells = false;
        for proposition in &self.model.propositions {
            each_part(&proposition.value, &mut |part| {
                tells |= matches!(part, Part::Expr(Expr::NonProgress));
            });
        }
        tells
    }

    fn is_true(&self, proposition: usize, valuation: &mut Valuation) -> Result<bool, Violation> {
        self.judge_proposition(proposition, valuation)
    }

    fn initial_state(&self) -> Result<Vec<u8>, Violation> {
        let working = self.initial_working_state().map_err(|violation| *violation)?;
        let mut state = Vec::with_capacity(working.len());
        self.stored_from_working(&working, &mut state);
        Ok(state)
    }

    fn memory_size(&self) -> usize {
        self.layout.hidden_size
    }

    fn own_bytes(&self) -> u64 {
        self.packer().bytes()
    }

    fn vector_bits(&self) -> Option<f64> {
        Some(self.packer().mean_bits())
    }

    fn tell_tables(&self, each: &mut dyn FnMut(u64)) {
        self.packer().tell_tables(each);
    }

    fn successors(&self, state: &[u8], out: &mut Successors) {
        out.clear();
        let mut frames = std::mem::take(&mut out.work.frames);
        let mut working = std::mem::take(&mut out.work.working);
        self.working_state(state, &mut working);
        frames.find(&working, &self.layout);
        if self.reduced_moves(&working, &frames, out) {
            out.work.working = working;
            out.work.frames = frames;
            return self.store_successors(out);
        }
        out.moved = self.moves(&working, &frames, None, out);
        out.work.working = working;
        out.work.frames = frames;
        if out.entries.iter().any(|entry| entry.held != Entry::NOBODY) {
            self.finish_own_sequences(out);
        }
        self.store_successors(out);
    }

    fn living(&self, state: &[u8], out: &mut Vec<(u16, u16)>) {
        let mut working = Vec::new();
        self.working_state(state, &mut working);
        let frames = Frames::of(&working, &self.layout);
        for (pid, frame) in frames.processes.iter().enumerate() {
            let location = self.location_at(*frame, &working);
            let process = &self.model.process_types[frame.ty as usize];
            let leaving = &process.locations[location as usize].transitions;
            if leaving.iter().any(|transition| !matches!(transition.action, Action::End)) {
                out.push((pid as u16, frame.ty));
            }
        }
    }

    fn may_end(&self, state: &[u8]) -> bool {
        let mut packer = self.packer();
        let (_, working) = packer.unpack_in_place(state);
        let mut may_end = true;
        memory::each_frame(working, &self.layout, |is_process, frame| {
            may_end &= !is_process || self.is_at_end(frame, working);
        });
        may_end
    }

    fn wrong_end(&self, state: &[u8]) -> Option<Violation> {
        let Some(observer) = &self.observer else {
            return (!self.may_end(state)).then(Violation::invalid_end_state);
        };
        let mut working = Vec::new();
        self.working_state(state, &mut working);
        let frames = Frames::of(&working, &self.layout);
        self.unfinished(observer, &working, &frames)
    }
}

/// The tag of the frame at `start`.
pub(crate) fn tag_at(bytes: &[u8], start: usize, layout: &Layout) -> usize {
    memory::read_tag(bytes, start, layout)
}

/// The scalar at an offset of a working state.
pub fn scalar_at(bytes: &[u8], offset: usize, storage: Storage) -> i32 {
    read(bytes, offset, storage)
}
