//! Expressions: what they are worth in a state, for the process that asks.

use super::memory::{Frames, read};
use super::{Interpreter, Outcome, fault};
use crate::successors::Moment;
use lariat_model::ir::*;

/// A rendezvous half done: the sender has moved, the message waits for its receiver.
#[derive(Debug)]
pub struct Handshake {
    /// The channel's number.
    pub channel: i32,
    pub message: Vec<i32>,
}

/// `enabled` may ask a process that asks another one; deeper than this it is a circle.
const MOST_QUESTIONS: u8 = 16;

/// Everything an expression may depend on.
#[derive(Clone, Copy)]
pub struct Scene<'a> {
    pub bytes: &'a [u8],
    pub frames: &'a Frames,
    /// The process that asks, and its type.
    pub pid: usize,
    pub ty: u16,
    /// Where its variables start.
    pub locals: usize,
    pub location: Location,
    /// Nothing else can move (`timeout`).
    pub timeout: bool,
    /// A transition of the moving process has been executed in this state (`else`).
    pub moved: bool,
    pub handshake: Option<&'a Handshake>,
    pub run_result: i32,
    /// How many processes have asked about each other on the way here (`enabled`).
    pub questions: u8,
    /// It is no process that asks, but a property, at this moment.
    pub outside: Option<&'a Moment>,
}

impl Scene<'_> {
    /// Whether a process has left the place where it was, for an indivisible sequence that goes on for ever.
    fn is_away(&self, pid: usize) -> bool {
        matches!(self.outside, Some(Moment::Diverging(movers)) if movers.contains(pid as u16))
    }
}

impl Interpreter<'_> {
    pub(super) fn evaluate(&self, expr: &Expr, scene: &Scene) -> Outcome<i32> {
        Ok(match expr {
            Expr::Constant(value) => *value,
            Expr::Global { offset, storage } => read(scene.bytes, *offset as usize, *storage),
            Expr::Local { offset, storage } => read(scene.bytes, scene.locals + *offset as usize, *storage),
            Expr::Load(place) => match self.locate(place, scene)? {
                Some(offset) => read(scene.bytes, offset, place.storage),
                None => 0,
            },
            Expr::Unary(operator, operand) => operator.apply(self.operand(operand, scene)?),
            Expr::Binary(operator, operands) => self.binary(*operator, &operands.0, &operands.1, scene)?,
            Expr::Conditional(parts) => {
                let chosen = if self.evaluate(&parts.0, scene)? != 0 { &parts.1 } else { &parts.2 };
                self.evaluate(chosen, scene)?
            }
            Expr::Pid => scene.pid as i32,
            Expr::ProcessCount => scene.frames.processes.len() as i32,
            Expr::Last => self.layout.last_offset.map_or(0, |offset| scene.bytes[offset] as i32),
            Expr::Priority => self.priority_of(scene.pid, scene),
            Expr::Len(channel) => {
                let channel = self.channel(channel, scene)?;
                self.length(channel, scene) as i32
            }
            Expr::Test(test, channel) => {
                let channel = self.channel(channel, scene)?;
                let length = self.length(channel, scene);
                (match test {
                    ChannelTest::Empty => length == 0,
                    ChannelTest::NotEmpty => length > 0,
                    ChannelTest::Full => self.is_full(channel, scene),
                    ChannelTest::NotFull => !self.is_full(channel, scene),
                }) as i32
            }
            Expr::Poll(receive) => {
                let channel = self.channel(&receive.channel, scene)?;
                if self.is_rendezvous(channel, scene) {
                    return Err(fault("a rendezvous channel cannot be polled: it never holds a message"));
                }
                self.matching_slot(receive, channel, scene)?.is_some() as i32
            }
            Expr::Enabled(pid) => {
                let pid = self.evaluate(pid, scene)?;
                if pid == scene.pid as i32 && scene.outside.is_none() {
                    return Err(fault("enabled(_pid): a process cannot ask this about itself"));
                }
                if scene.questions >= MOST_QUESTIONS {
                    return Err(fault("processes ask in a circle whether the other is enabled()"));
                }
                self.is_enabled(pid, &Scene { questions: scene.questions + 1, ..*scene })? as i32
            }
            Expr::GetPriority(pid) => {
                let pid = self.evaluate(pid, scene)?;
                if pid < 0 || pid as usize >= scene.frames.processes.len() {
                    0
                } else {
                    self.priority_of(pid as usize, scene)
                }
            }
            Expr::LocationOf(pid) => {
                let pid = self.evaluate(pid, scene)?;
                self.location_of(pid, scene) as i32
            }
            Expr::RemoteLabel { process, pid, location } => {
                let pid = self.remote_pid(*process, pid.as_deref(), scene)?;
                (self.location_of(pid, scene) == *location) as i32
            }
            Expr::Timeout => scene.timeout as i32,
            // Where the last state of a run repeats, nobody waits for progress.
            Expr::NonProgress => {
                (scene.outside != Some(&Moment::Stopped)
                    && !self.some_process_is_at(scene, |location| location.progress)) as i32
            }
            Expr::Acceptance => self.some_process_is_at(scene, |location| location.accept) as i32,
            Expr::RunResult => scene.run_result,
        })
    }

    /// The value of an operand: mostly a constant or a plain variable, which needs no call.
    #[inline(always)]
    fn operand(&self, expr: &Expr, scene: &Scene) -> Outcome<i32> {
        match expr {
            Expr::Constant(value) => Ok(*value),
            Expr::Global { offset, storage } => Ok(read(scene.bytes, *offset as usize, *storage)),
            Expr::Local { offset, storage } => {
                Ok(read(scene.bytes, scene.locals + *offset as usize, *storage))
            }
            _ => self.evaluate(expr, scene),
        }
    }

    #[inline]
    fn binary(&self, operator: BinaryOperator, left: &Expr, right: &Expr, scene: &Scene) -> Outcome<i32> {
        let a = self.operand(left, scene)?;
        if let Some(value) = operator.decided_by(a) {
            return Ok(value);
        }
        let b = self.operand(right, scene)?;
        operator.apply(a, b).ok_or_else(|| {
            fault(match operator {
                BinaryOperator::Remainder => "remainder of a division by zero",
                _ => "division by zero",
            })
        })
    }

    /// The byte where a place lies; `None` for nowhere.
    pub(super) fn locate(&self, place: &Place, scene: &Scene) -> Outcome<Option<usize>> {
        let base = match &place.base {
            Base::Global => 0,
            Base::Local => scene.locals,
            Base::Remote { process, pid } => {
                let pid = self.remote_pid(*process, pid.as_deref(), scene)?;
                match self.process(pid, scene) {
                    Some(frame) if frame.ty == process.0 => {
                        frame.start as usize + self.layout.processes[frame.ty as usize].header_size
                    }
                    _ => return Ok(None),
                }
            }
            Base::Priority => {
                let frame = scene.frames.processes[scene.pid];
                let header = self.layout.processes[frame.ty as usize].header_size;
                return Ok(self.layout.priorities.then(|| frame.start as usize + header - 1));
            }
            Base::Nowhere => return Ok(None),
        };
        let mut offset = base + place.offset as usize;
        for index in &place.indices {
            let value = self.evaluate(&index.value, scene)?;
            if value < 0 || value as u32 >= index.length {
                return Err(fault(format!(
                    "array index {value} is out of range: the array has {} element{}",
                    index.length,
                    if index.length == 1 { "" } else { "s" }
                )));
            }
            offset += value as usize * index.stride as usize;
        }
        Ok(Some(offset))
    }

    fn process(&self, pid: i32, scene: &Scene) -> Option<super::memory::Frame> {
        usize::try_from(pid).ok().and_then(|pid| scene.frames.processes.get(pid).copied())
    }

    fn remote_pid(&self, process: ProcessTypeId, pid: Option<&Expr>, scene: &Scene) -> Outcome<i32> {
        match pid {
            Some(pid) => self.evaluate(pid, scene),
            None => {
                Ok(scene.frames.processes.iter().position(|f| f.ty == process.0).map_or(-1, |p| p as i32))
            }
        }
    }

    /// 0 if there is no such process.
    pub(super) fn location_of(&self, pid: i32, scene: &Scene) -> Location {
        match self.process(pid, scene) {
            Some(frame) if !scene.is_away(pid as usize) => self.location_at(frame, scene.bytes),
            _ => 0,
        }
    }

    pub(super) fn priority_of(&self, pid: usize, scene: &Scene) -> i32 {
        if !self.layout.priorities {
            return 1;
        }
        let frame = scene.frames.processes[pid];
        let header = self.layout.processes[frame.ty as usize].header_size;
        scene.bytes[frame.start as usize + header - 1] as i32
    }

    fn some_process_is_at(&self, scene: &Scene, wanted: fn(&LocationInfo) -> bool) -> bool {
        scene.frames.processes.iter().enumerate().any(|(pid, frame)| {
            if scene.is_away(pid) {
                return false;
            }
            let location = self.location_at(*frame, scene.bytes) as usize;
            self.model.process_types[frame.ty as usize].locations.get(location).is_some_and(wanted)
        })
    }
}
