//! Footprints: which bytes of a state the next step of one process looks at or changes.
//!
//! A process at a location does the same in all states that agree on its footprint. So what it does there can be
//! remembered (`packing/remembered.rs`). A footprint may be too large, but never too small: whatever the statements at the location may read or
//! write, in whatever order, is in it, with everything up to where the process gives control away. What cannot be told before the run
//! has no footprint: rendezvous (it depends on who could receive), the birth and death of processes, most questions about other processes.
//!
//! Indices of arrays and numbers of channels are computed where they follow from the process's own variables, which are always part of the
//! footprint, and from globals that nothing writes. That is not possible within a sequence of statements: there the variables may
//! have changed. Then an index stands for the whole array.

use crate::interpreter::scalar_at;
use crate::ir::*;
use std::ops::Range;

/// Bytes of a state, from its start.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Footprint {
    /// They may overlap. The process's own frame is not among them.
    pub ranges: Vec<Range<usize>>,
}

/// A state, as far as footprints need it.
pub struct Ground<'a> {
    /// The working state.
    pub bytes: &'a [u8],
    /// Where the process's variables begin.
    pub variables: usize,
    /// Whether the values of its variables count: whoever asks has looked at all of them.
    pub own_known: bool,
    /// The number of the process.
    pub pid: usize,
    /// How many processes there are.
    pub process_count: usize,
    /// Where the frame of another process lies.
    pub processes: &'a dyn Fn(usize) -> Option<Range<usize>>,
    /// By number, less one: where each channel's frame lies, and its capacity.
    pub channels: &'a dyn Fn(i32) -> Option<(Range<usize>, u32)>,
    /// The value of a global that nothing writes, by offset.
    pub constant: &'a dyn Fn(u32, Storage) -> Option<i32>,
}

/// It cannot be told.
struct Unknown;

struct Walker<'a, 'm> {
    process: &'m ProcessType,
    ground: &'a Ground<'a>,
    found: Footprint,
    /// The process's variables still have the values that they have in the state.
    fresh: bool,
    /// Locations in the middle of an indivisible sequence that were looked at.
    seen: Vec<bool>,
}

type Walked<T = ()> = Result<T, Unknown>;

/// The footprint of a process at a location. `None` if there is none, or if it cannot be told.
pub fn footprint(process: &ProcessType, location: Location, ground: &Ground) -> Option<Footprint> {
    let seen = vec![false; process.locations.len()];
    let mut walker = Walker { process, ground, found: Footprint::default(), fresh: ground.own_known, seen };
    if let Some(provided) = &process.provided {
        walker.expr(provided).ok()?;
    }
    walker.location(location).ok()?;
    Some(walker.found)
}

impl Walker<'_, '_> {
    fn location(&mut self, first: Location) -> Walked {
        let mut waiting = vec![first];
        while let Some(location) = waiting.pop() {
            let info = self.process.locations.get(location as usize).ok_or(Unknown)?;
            info.assertions.iter().try_for_each(|assertion| self.expr(&assertion.value).map(drop))?;
            for transition in &info.transitions {
                self.action(&transition.action)?;
                let target = transition.target as usize;
                if transition.keeps_control && target != 0 && !std::mem::replace(&mut self.seen[target], true)
                {
                    waiting.push(transition.target);
                }
            }
            // From here on, variables may have changed.
            self.fresh = false;
        }
        Ok(())
    }

    fn action(&mut self, action: &Action) -> Walked {
        match action {
            Action::Skip | Action::Else => Ok(()),
            Action::Guard(expr) | Action::Assert(expr) => self.expr(expr).map(drop),
            Action::Assign(place, expr) => {
                self.expr(expr)?;
                self.place(place).map(drop)
            }
            Action::AssignAll(list) => list.iter().try_for_each(|(place, expr)| {
                self.expr(expr)?;
                // An index may use what was stored before it.
                let fresh = std::mem::replace(&mut self.fresh, false);
                self.place(place)?;
                self.fresh = fresh;
                Ok(())
            }),
            Action::MoveProcess { pid, .. } => self.process(Some(*pid as i32)),
            Action::Print { arguments, .. } => {
                arguments.iter().try_for_each(|expr| self.expr(expr).map(drop))
            }
            Action::Send { channel, arguments, .. } => {
                arguments.iter().try_for_each(|expr| self.expr(expr).map(drop))?;
                match self.channel(channel)? {
                    0 => Err(Unknown),
                    _ => Ok(()),
                }
            }
            Action::Receive(receive) => self.receive(receive),
            Action::End if self.ground.pid + 1 < self.ground.process_count => Ok(()),
            Action::Run { .. } | Action::SetPriority(..) | Action::End => Err(Unknown),
            Action::Program(program) => {
                let fresh = std::mem::replace(&mut self.fresh, false);
                program.guards.iter().try_for_each(|guard| self.action(guard))?;
                for node in &program.nodes {
                    match node {
                        Node::Do { action, .. } => self.action(action)?,
                        Node::Choose { options, .. } => {
                            let mut guards = options.iter().filter_map(|option| option.guard.as_ref());
                            guards.try_for_each(|guard| self.action(guard))?;
                        }
                        Node::Jump(_) => {}
                    }
                }
                self.fresh = fresh;
                Ok(())
            }
        }
    }

    fn receive(&mut self, receive: &Receive) -> Walked {
        // Alone, a process never receives from a rendezvous channel; but what it might store belongs to the footprint all the same.
        self.channel(&receive.channel)?;
        let fresh = self.fresh;
        for argument in &receive.arguments {
            match argument {
                ReceiveArgument::Match(expr) => drop(self.expr(expr)?),
                ReceiveArgument::Store(place) => {
                    self.place(place)?;
                    // An index may use what was stored before it.
                    self.fresh = false;
                }
                ReceiveArgument::Drop => {}
            }
        }
        self.fresh = fresh;
        Ok(())
    }

    /// A channel, which must be known. Its capacity.
    fn channel(&mut self, channel: &Expr) -> Walked<u32> {
        let number = self.expr(channel)?.ok_or(Unknown)?;
        let (range, capacity) = (self.ground.channels)(number).ok_or(Unknown)?;
        self.found.ranges.push(range);
        Ok(capacity)
    }

    /// Another process, whose number must be known: all of it.
    fn process(&mut self, pid: Option<i32>) -> Walked {
        let pid = pid.and_then(|pid| usize::try_from(pid).ok()).ok_or(Unknown)?;
        // That there is none is a matter of the shape.
        self.found.ranges.extend((self.ground.processes)(pid));
        Ok(())
    }

    /// A place that is read or written: its value, if that is known.
    fn place(&mut self, place: &Place) -> Walked<Option<i32>> {
        let mut start = place.offset as usize;
        let mut reach = 0;
        for index in &place.indices {
            match self.expr(&index.value)? {
                Some(value) if (0..index.length as i32).contains(&value) => {
                    start += value as usize * index.stride as usize
                }
                _ => reach += (index.length.saturating_sub(1) * index.stride) as usize,
            }
        }
        match &place.base {
            Base::Global => {
                let constant =
                    (reach == 0).then(|| (self.ground.constant)(start as u32, place.storage)).flatten();
                if constant.is_none() {
                    self.found.ranges.push(start..start + reach + place.storage.size() as usize);
                }
                Ok(constant)
            }
            Base::Local if reach == 0 => Ok(self.local(start, place.storage)),
            Base::Local | Base::Nowhere => Ok(None),
            Base::Remote { pid, .. } => {
                let pid = self.expr(pid.as_deref().ok_or(Unknown)?)?;
                self.process(pid)?;
                Ok(None)
            }
            Base::Priority => Err(Unknown),
        }
    }

    fn local(&self, offset: usize, storage: Storage) -> Option<i32> {
        self.fresh.then(|| scalar_at(self.ground.bytes, self.ground.variables + offset, storage))
    }

    /// An expression that is evaluated, or may be: its value, if that is known.
    fn expr(&mut self, expr: &Expr) -> Walked<Option<i32>> {
        Ok(match expr {
            Expr::Constant(value) => Some(*value),
            Expr::Global { offset, storage } => {
                let constant = (self.ground.constant)(*offset, *storage);
                if constant.is_none() {
                    let start = *offset as usize;
                    self.found.ranges.push(start..start + storage.size() as usize);
                }
                constant
            }
            Expr::Local { offset, storage } => self.local(*offset as usize, *storage),
            Expr::Load(place) => self.place(place)?,
            Expr::Unary(operator, value) => self.expr(value)?.map(|value| operator.apply(value)),
            Expr::Binary(operator, sides) => {
                let (left, right) = (self.expr(&sides.0)?, self.expr(&sides.1)?);
                match left {
                    Some(left) => operator.decided_by(left).or_else(|| operator.apply(left, right?)),
                    None => None,
                }
            }
            Expr::Conditional(parts) => {
                let condition = self.expr(&parts.0)?;
                let (yes, no) = (self.expr(&parts.1)?, self.expr(&parts.2)?);
                match condition {
                    Some(0) => no,
                    Some(_) => yes,
                    None => None,
                }
            }
            Expr::Pid => Some(self.ground.pid as i32),
            // The shape of the state says how many there are.
            Expr::ProcessCount => None,
            Expr::Len(channel) | Expr::Test(_, channel) => {
                self.channel(channel)?;
                None
            }
            Expr::Poll(receive) => {
                self.receive(receive)?;
                None
            }
            Expr::LocationOf(pid) | Expr::RemoteLabel { pid: Some(pid), .. } => {
                let pid = self.expr(pid)?;
                self.process(pid)?;
                None
            }
            Expr::Last
            | Expr::Priority
            | Expr::Enabled(_)
            | Expr::GetPriority(_)
            | Expr::RemoteLabel { pid: None, .. }
            | Expr::Timeout
            | Expr::NonProgress
            | Expr::Acceptance
            | Expr::RunResult => return Err(Unknown),
        })
    }
}
