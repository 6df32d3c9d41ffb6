//! Actions: when they are executable, and what they do.

use super::evaluate::Scene;
use super::memory::{Frame, Frames, write};
use super::observer::Event;
use super::{Interpreter, Outcome, fault};
use crate::successors::{Violation, ViolationKind};
use lariat_model::ir::MAX_PROCESSES;
use lariat_model::ir::*;

/// Operations of one indivisible program between two looks at the limits.
const BETWEEN_LOOKS: u64 = 1 << 16;
/// The first state that is kept, to see whether a program comes to it again, is the one after so many
/// operations.
const FIRST_KEPT: u64 = 64;

impl Interpreter<'_> {
    /// Whether an action can be executed now. For a receive, the slot of the message that it takes.
    #[inline]
    pub(super) fn executable(&self, action: &Action, scene: &Scene) -> Outcome<Option<u32>> {
        if scene.handshake.is_some() {
            return self.executable_in_handshake(action, scene);
        }
        let yes = match action {
            Action::Guard(expr) => self.evaluate(expr, scene)? != 0,
            Action::Else => !scene.moved,
            Action::Send { channel, .. } => {
                let channel = self.channel(channel, scene)?;
                !self.is_full(channel, scene)
            }
            Action::Receive(receive) => {
                let channel = self.channel(&receive.channel, scene)?;
                if self.is_rendezvous(channel, scene) {
                    if receive.copy {
                        return Err(fault("a rendezvous channel cannot be polled: it never holds a message"));
                    }
                    return Ok(None);
                }
                return self.matching_slot(receive, channel, scene);
            }
            Action::End => scene.pid + 1 == scene.frames.processes.len(),
            Action::Program(program) => {
                if program.guards.is_empty() {
                    return Ok(Some(0));
                }
                for guard in &program.guards {
                    if self.executable(guard, scene)?.is_some() {
                        return Ok(Some(0));
                    }
                }
                false
            }
            Action::Skip
            | Action::Assign(..)
            | Action::AssignAll(_)
            | Action::MoveProcess { .. }
            | Action::Run { .. }
            | Action::Assert(_)
            | Action::Print { .. }
            | Action::SetPriority(..) => true,
        };
        Ok(yes.then_some(0))
    }

    /// During a handshake only a receive from that channel is.
    fn executable_in_handshake(&self, action: &Action, scene: &Scene) -> Outcome<Option<u32>> {
        let Some(handshake) = scene.handshake else { return Ok(None) };
        match action {
            Action::Receive(receive) => {
                let number = self.evaluate(&receive.channel, scene)?;
                if number != handshake.channel || receive.copy {
                    return Ok(None);
                }
                let channel = self.channel_by_number(number, scene)?;
                let fits = self.fits(receive, channel, scene, |field| handshake.message[field])?;
                Ok(fits.then_some(0))
            }
            Action::Program(program) => {
                for guard in &program.guards {
                    if self.executable(guard, scene)?.is_some() {
                        return Ok(Some(0));
                    }
                }
                Ok(None)
            }
            _ => Ok(None),
        }
    }

    /// Executes an action that is executable on the state that lies in `bytes` from `start` on; `scene` shows
    /// the state before. Returns an error that does not prevent the step (a failed assertion).
    pub(super) fn execute(
        &self,
        action: &Action,
        slot: u32,
        scene: &Scene,
        bytes: &mut Vec<u8>,
        start: usize,
    ) -> Outcome<Option<Box<Violation>>> {
        match action {
            Action::Skip | Action::Else | Action::Guard(_) => {}
            Action::Assign(place, expr) => {
                let value = self.evaluate(expr, scene)?;
                if let Some(offset) = self.locate(place, scene)? {
                    write(&mut bytes[start..], offset, place.storage, value);
                }
            }
            Action::AssignAll(list) => {
                let values =
                    list.iter().map(|(_, expr)| self.evaluate(expr, scene)).collect::<Outcome<Vec<_>>>()?;
                for ((place, _), value) in list.iter().zip(values) {
                    let now = Scene { bytes: &bytes[start..], ..*scene };
                    if let Some(offset) = self.locate(place, &now)? {
                        write(&mut bytes[start..], offset, place.storage, value);
                    }
                }
            }
            Action::MoveProcess { process, pid, location } => {
                match scene.frames.processes.get(*pid as usize) {
                    Some(frame) if frame.ty == process.0 => {
                        self.set_location(*frame, *location, &mut bytes[start..]);
                    }
                    _ => {}
                }
            }
            Action::Send { channel, sorted, arguments } => {
                let number = self.evaluate(channel, scene)?;
                let channel = self.channel_by_number(number, scene)?;
                let message = self.message_to_send(channel, arguments, scene)?;
                self.enqueue(channel, &message, *sorted, &mut bytes[start..]);
                let event =
                    Event { usage: ChannelUse::Send, channel: number, ty: channel.ty, message: &message };
                return self.observe(&event, scene, &mut bytes[start..]);
            }
            Action::Receive(receive) => return self.receive(receive, slot as usize, scene, bytes, start),
            Action::Run { process, arguments, priority, then } => {
                let arguments =
                    arguments.iter().map(|a| self.evaluate(a, scene)).collect::<Outcome<Vec<_>>>()?;
                if scene.frames.processes.len() >= MAX_PROCESSES {
                    return Err(fault(format!("too many processes: {MAX_PROCESSES} exist already")));
                }
                let known = (bytes.len() - start == scene.bytes.len()).then_some(scene.frames);
                let pid = self.create_process(*process, &arguments, *priority, known, bytes, start)?;
                if let Some(then) = then {
                    let scene = Scene { run_result: pid as i32, ..*scene };
                    let value = self.evaluate(&then.1, &scene)?;
                    if let Some(offset) = self.locate(&then.0, &scene)? {
                        write(&mut bytes[start..], offset, then.0.storage, value);
                    }
                }
            }
            Action::Assert(expr) => {
                if self.evaluate(expr, scene)? == 0 && self.observer.is_none() {
                    let message = self.assertion_text(scene, expr);
                    return Ok(Some(Box::new(Violation { kind: ViolationKind::Assertion, message })));
                }
            }
            Action::Print { .. } => {}
            Action::SetPriority(pid, priority) => {
                let (pid, priority) = (self.evaluate(pid, scene)?, self.evaluate(priority, scene)?);
                if !(1..=255).contains(&priority) {
                    return Err(fault(format!("priority {priority} is out of range (1 to 255)")));
                }
                if self.layout.priorities
                    && let Some(frame) =
                        usize::try_from(pid).ok().and_then(|pid| scene.frames.processes.get(pid))
                {
                    let header = self.layout.processes[frame.ty as usize].header_size;
                    bytes[start + frame.start as usize + header - 1] = priority as u8;
                }
            }
            Action::End => {
                let frame = scene.frames.processes[scene.pid];
                bytes.truncate(start + frame.start as usize);
            }
            Action::Program(program) => {
                return self.run_program(program, scene, bytes, start, &mut |_, _| {});
            }
        }
        Ok(None)
    }

    /// The text of the assertion that stands at the scene's location.
    fn assertion_text(&self, scene: &Scene, expr: &Expr) -> String {
        let process = &self.model.process_types[scene.ty as usize];
        let is_this = |action: &Action| matches!(action, Action::Assert(e) if std::ptr::eq(e, expr));
        let statement = self.transitions(scene).iter().find_map(|transition| match &transition.action {
            Action::Program(program) => program.nodes.iter().find_map(|node| match node {
                Node::Do { action, statement, .. } if is_this(action) => Some(*statement),
                Node::Choose { options, statement } => {
                    options.iter().filter_map(|o| o.guard.as_ref()).any(is_this).then_some(*statement)
                }
                _ => None,
            }),
            action => is_this(action).then_some(transition.statement),
        });
        match statement.and_then(|s| process.statements.get(s as usize)) {
            Some(statement) => statement.text.clone(),
            None => "assert".to_string(),
        }
    }

    /// The values to send, as the channel keeps them.
    pub(super) fn message_to_send(
        &self,
        channel: Frame,
        arguments: &[Expr],
        scene: &Scene,
    ) -> Outcome<Vec<i32>> {
        let fields = &self.model.channel_types[channel.ty as usize].fields;
        if fields.len() != arguments.len() {
            return Err(self.wrong_arity("send", channel, arguments.len()));
        }
        let rendezvous = self.is_rendezvous(channel, scene);
        arguments
            .iter()
            .zip(fields)
            .map(|(argument, field)| {
                let value = self.evaluate(argument, scene)?;
                Ok(if rendezvous { field.storage.truncate(value) } else { value })
            })
            .collect()
    }

    /// Stores the fields of a message one after the other (an index may use a field stored before it), then
    /// takes the message out. Returns what the observer complains about.
    fn receive(
        &self,
        receive: &Receive,
        slot: usize,
        scene: &Scene,
        bytes: &mut [u8],
        start: usize,
    ) -> Outcome<Option<Box<Violation>>> {
        let number = self.evaluate(&receive.channel, scene)?;
        let channel = self.channel_by_number(number, scene)?;
        let fields = self.model.channel_types[channel.ty as usize].fields.len();
        if receive.arguments.len() != fields {
            return Err(self.wrong_arity("receive", channel, receive.arguments.len()));
        }
        let mut message = Vec::new();
        match scene.handshake {
            Some(handshake) => message.extend_from_slice(&handshake.message),
            None => self.message(channel, slot, scene.bytes, &mut message),
        }
        for (argument, &value) in receive.arguments.iter().zip(&message) {
            if let ReceiveArgument::Store(place) = argument {
                let now = Scene { bytes: &bytes[start..], ..*scene };
                if let Some(offset) = self.locate(place, &now)? {
                    write(&mut bytes[start..], offset, place.storage, value);
                }
            }
        }
        if receive.copy {
            return Ok(None);
        }
        if scene.handshake.is_none() {
            self.dequeue(channel, slot, &mut bytes[start..]);
        }
        let event = Event { usage: ChannelUse::Receive, channel: number, ty: channel.ty, message: &message };
        self.observe(&event, scene, &mut bytes[start..])
    }

    /// Runs an indivisible program to its end on the state in `bytes`; `watch` sees each action before it is
    /// executed.
    ///
    /// A program is deterministic. So it never ends if it comes to the same node in the same state again, and
    /// only then (there are finitely many states). Brent's way to see it: one state is kept and compared with
    /// all that follow, and replaced after twice as many operations as the last time.
    pub(super) fn run_program(
        &self,
        program: &Program,
        scene: &Scene,
        bytes: &mut Vec<u8>,
        start: usize,
        watch: &mut dyn FnMut(&Action, &Scene),
    ) -> Outcome<Option<Box<Violation>>> {
        let mut complaint = None;
        let mut next = Next::Node(0);
        let mut handshake = scene.handshake;
        let frames: &Frames = scene.frames;
        let mut old = Vec::new();
        let mut kept: Option<(u32, bool, Vec<u8>)> = None;
        let mut keep_at = FIRST_KEPT;
        for operation in 1u64.. {
            let Next::Node(node) = next else { return Ok(complaint) };
            old.clear();
            old.extend_from_slice(&bytes[start..]);
            let is_first_half = handshake.is_some();
            if kept.as_ref().is_some_and(|kept| kept.0 == node && kept.1 == is_first_half && kept.2 == old) {
                return Err(fault("a d_step never ends: it comes to the same state again"));
            }
            if operation == keep_at {
                keep_at *= 2;
                kept = Some((node, is_first_half, old.clone()));
            }
            if operation.is_multiple_of(BETWEEN_LOOKS) && self.patience.is_over() {
                let message = "a limit was reached inside a d_step".to_string();
                return Err(Box::new(Violation { kind: ViolationKind::CutShort, message }));
            }
            let now = Scene { bytes: &old, frames, handshake, moved: false, ..*scene };
            let (action, slot, after) = match &program.nodes[node as usize] {
                Node::Jump(after) => {
                    next = *after;
                    continue;
                }
                Node::Do { action, next, statement } => match self.executable(action, &now)? {
                    Some(slot) => (action, slot, *next),
                    None => return Err(self.blocked(scene, *statement)),
                },
                Node::Choose { options, statement } => {
                    let mut chosen = None;
                    for option in options {
                        match &option.guard {
                            None => chosen = Some((&Action::Skip, 0, option.next)),
                            Some(guard) => {
                                if let Some(slot) = self.executable(guard, &now)? {
                                    chosen = Some((guard, slot, option.next));
                                }
                            }
                        }
                        if chosen.is_some() {
                            break;
                        }
                    }
                    match chosen {
                        Some(chosen) => chosen,
                        None => return Err(self.blocked(scene, *statement)),
                    }
                }
            };
            if let Action::Send { channel, .. } = action
                && self.is_rendezvous(self.channel(channel, &now)?, &now)
            {
                return Err(fault("rendezvous send inside a d_step"));
            }
            watch(action, &now);
            complaint = complaint.or(self.execute(action, slot, &now, bytes, start)?);
            if matches!(action, Action::Receive(_)) {
                handshake = None;
            }
            next = after;
        }
        unreachable!("a program ends, or comes to the same state again")
    }

    fn blocked(&self, scene: &Scene, statement: u32) -> Box<Violation> {
        let process = &self.model.process_types[scene.ty as usize];
        let text = process.statements.get(statement as usize).map_or("", |s| s.text.as_str());
        fault(format!("a statement inside a d_step blocks: {text}"))
    }
}
