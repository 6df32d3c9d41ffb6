//! Footprints: which bytes of a state the next step of one process reads, and which it writes.
//!
//! A step is what a process does from a location up to where it gives control away. Its footprint has three
//! lists of bytes:
//!
//! - *guard reads* decide which transitions the process can take from the location;
//! - *effect reads* decide what these transitions do, with all that follows in an indivisible sequence;
//! - *writes* are what may be changed.
//!
//! The process's own frame is always read and may always be written, so it is not listed. Two states of one
//! shape that agree on the own frame and on all that is read have the same steps of this process, and these
//! write the same values in both. So a step can be remembered by what it reads and writes
//! (`packing/remembered.rs`).
//!
//! A footprint may be too large, but never too small: whatever the statements may read or write, in whatever
//! order, is in it. Some steps have none, because the shape of the state changes or because they ask about
//! all processes: `run`, priorities, `enabled`, `_last`.
//!
//! *Known values* keep footprints small: an array element with a known index is one element, an unknown index
//! is the whole array. Known are the process's own variables (if [`Ground::own_known`]), globals that nothing
//! writes, settled variables, and what follows from the shape. Inside a sequence of statements, a variable
//! that some statement of the sequence may write is not known. Statements that known values make impossible
//! are left out, with all that would follow them.
//!
//! `expressions` has what is evaluated, `handshake` who may take part in a rendezvous, `settled` which
//! variables the shape decides, and `bound` what a transition may touch in any state at all.

mod bound;
mod expressions;
mod handshake;
mod settled;

use crate::writes::{each_written, reach_of};
pub use bound::{AbstractPlace, Bound, Bounds, ChannelPart, Channels};
use lariat_model::ir::*;
pub(crate) use settled::mark;
pub use settled::{Settled, may_receive};
use std::ops::Range;

/// What a step reads and writes: bytes of a state, from its start. Ranges may overlap. The process's own
/// frame need not be among them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Footprint {
    /// What decides which transitions are possible.
    pub guard_reads: Vec<Range<usize>>,
    /// What decides what they do.
    pub effect_reads: Vec<Range<usize>>,
    /// What they may change.
    pub writes: Vec<Range<usize>>,
}

impl Footprint {
    /// All that is read or written.
    pub fn ranges(&self) -> impl Iterator<Item = &Range<usize>> {
        self.guard_reads.iter().chain(&self.effect_reads).chain(&self.writes)
    }
}

/// What a read decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Which transitions are possible.
    Guard,
    /// What they do; or it is in the middle of a sequence that has begun.
    Effect,
}

/// Where a process lies in a state.
#[derive(Clone, Debug, PartialEq)]
pub struct ProcessPlace {
    /// Its type.
    pub ty: usize,
    /// All of it.
    pub frame: Range<usize>,
    /// Where its variables begin.
    pub variables: usize,
}

/// A state, as far as footprints need it: one in which something can happen.
pub struct Ground<'a> {
    /// The model.
    pub model: &'a Model,
    /// Variables that the shape decides.
    pub settled: &'a Settled,
    /// The working state.
    pub bytes: &'a [u8],
    /// Whether the values of its variables count: whoever asks has looked at all of them.
    pub own_known: bool,
    /// The number of the process.
    pub pid: usize,
    /// How many processes there are.
    pub process_count: usize,
    /// By number: where each process lies.
    pub processes: &'a dyn Fn(usize) -> Option<ProcessPlace>,
    /// By number: where each channel's frame lies, and its capacity. The first is 1, and none is missing in
    /// between.
    pub channels: &'a dyn Fn(i32) -> Option<(Range<usize>, u32)>,
    /// The value of a global that nothing writes, by offset.
    pub constant: &'a dyn Fn(u32, Storage) -> Option<i32>,
}

/// It cannot be told.
struct Unknown;

type Walked<T = ()> = Result<T, Unknown>;

/// One process, and what its statements look at.
struct Walker<'a> {
    ground: &'a Ground<'a>,
    process: &'a ProcessType,
    /// Its type.
    ty: usize,
    pid: usize,
    /// Where its variables begin.
    variables: usize,
    /// Which bytes of its variables have values that are known: those that they have in the state.
    known: Vec<bool>,
    /// It is the receiver of a rendezvous.
    receives: bool,
    /// Its statements are within a program.
    in_program: bool,
    /// What is decided by reads at present.
    phase: Phase,
    found: Footprint,
}

/// The footprint of a process at a location. `None` if there is none, or if it cannot be told.
pub fn footprint(location: Location, ground: &Ground) -> Option<Footprint> {
    let mut walker = Walker::of(ground.pid, ground)?;
    if ground.own_known {
        walker.known.fill(true);
    }
    walker.steps_from(location).ok()?;
    Some(walker.found)
}

/// Where a transition leads. Without a target, the process stays.
fn target_from(location: Location, transition: &Transition) -> Location {
    if transition.target == 0 { location } else { transition.target }
}

impl<'a> Walker<'a> {
    /// A process of which only the shape is known.
    fn of(pid: usize, ground: &'a Ground<'a>) -> Option<Walker<'a>> {
        let ProcessPlace { ty, variables, .. } = (ground.processes)(pid)?;
        let process = ground.model.process_types.get(ty)?;
        let known = ground.settled.of_type(ty).to_vec();
        Some(Walker {
            ground,
            process,
            ty,
            pid,
            variables,
            known,
            receives: false,
            in_program: false,
            phase: Phase::Guard,
            found: Footprint::default(),
        })
    }

    fn reads(&mut self, bytes: Range<usize>) {
        match self.phase {
            Phase::Guard => self.found.guard_reads.push(bytes),
            Phase::Effect => self.found.effect_reads.push(bytes),
        }
    }

    fn writes(&mut self, bytes: Range<usize>) {
        self.found.writes.push(bytes);
    }

    /// Whatever is read meanwhile decides what a statement does, not whether it is possible.
    fn in_effect<T>(&mut self, walk: impl FnOnce(&mut Walker<'a>) -> T) -> T {
        let before = std::mem::replace(&mut self.phase, Phase::Effect);
        let result = walk(self);
        self.phase = before;
        result
    }

    fn exprs(&mut self, mut exprs: impl Iterator<Item = &'a Expr>) -> Walked {
        exprs.try_for_each(|expr| self.expr(expr).map(drop))
    }

    /// All steps from a location, up to where control is given away.
    fn steps_from(&mut self, first: Location) -> Walked {
        let mut waiting = self.location(first)?;
        if !waiting.is_empty() {
            self.forget_sequence(first)?;
        }
        self.phase = Phase::Effect;
        let mut seen = vec![false; self.process.locations.len()];
        while let Some(location) = waiting.pop() {
            if !std::mem::replace(seen.get_mut(location as usize).ok_or(Unknown)?, true) {
                waiting.extend(self.location(location)?);
            }
        }
        Ok(())
    }

    /// What the process may read or write in one step from a location. Where it may be then, still in
    /// control.
    fn location(&mut self, location: Location) -> Walked<Vec<Location>> {
        if let Some(provided) = &self.process.provided {
            self.expr(provided)?;
        }
        let info = self.process.locations.get(location as usize).ok_or(Unknown)?;
        self.in_effect(|walker| walker.exprs(info.assertions.iter().map(|assertion| &assertion.value)))?;
        let mut further = Vec::new();
        for transition in &info.transitions {
            if self.action(&transition.action)? && transition.keeps_control {
                further.push(target_from(location, transition));
            }
        }
        Ok(further)
    }

    /// Forgets all that the indivisible sequence from a location may write: in the middle of it, any of that
    /// may have happened.
    fn forget_sequence(&mut self, first: Location) -> Walked {
        let mut seen = vec![false; self.process.locations.len()];
        let mut waiting = vec![first];
        while let Some(location) = waiting.pop() {
            for transition in &self.process.locations.get(location as usize).ok_or(Unknown)?.transitions {
                let target = target_from(location, transition);
                if transition.keeps_control
                    && !std::mem::replace(seen.get_mut(target as usize).ok_or(Unknown)?, true)
                {
                    let dead = &self.process.locations[target as usize].dead;
                    dead.iter().for_each(|dead| self.forget(dead.start as usize..dead.end as usize));
                    waiting.push(target);
                }
                self.forget_written(&transition.action);
            }
        }
        Ok(())
    }

    /// These bytes of the process's variables are not known any more.
    fn forget(&mut self, bytes: Range<usize>) {
        mark(&mut self.known, bytes, false);
    }

    fn forget_place(&mut self, place: &Place) {
        match place.base {
            Base::Local => self.forget(reach_of(place)),
            // That may be the process itself.
            Base::Remote { .. } => self.known.fill(false),
            Base::Global | Base::Priority | Base::Nowhere => {}
        }
    }

    fn forget_written(&mut self, action: &Action) {
        each_written(action, &mut |place| self.forget_place(place));
    }

    /// What an action reads and writes. Whether it may be executable.
    fn action(&mut self, action: &'a Action) -> Walked<bool> {
        match action {
            Action::Skip | Action::Else => {}
            Action::Guard(expr) => return Ok(self.expr(expr)? != Some(0)),
            Action::Assert(expr) => self.in_effect(|walker| walker.expr(expr).map(drop))?,
            Action::Assign(place, expr) => self.in_effect(|walker| {
                walker.expr(expr)?;
                walker.written(place)
            })?,
            Action::AssignAll(list) => self.in_effect(|walker| {
                walker.exprs(list.iter().map(|(_, expr)| expr))?;
                walker.written_in_turn(list.iter().map(|(place, _)| place))
            })?,
            // It would go on elsewhere.
            Action::MoveProcess { pid, .. } if *pid as usize == self.pid => return Err(Unknown),
            Action::MoveProcess { pid, .. } => {
                let frames = self.frames(Some(*pid as i32));
                frames.into_iter().for_each(|frame| self.writes(frame));
            }
            Action::Print { arguments, .. } => self.in_effect(|walker| walker.exprs(arguments.iter()))?,
            Action::Send { channel, arguments, .. } => self.send(channel, arguments)?,
            Action::Receive(receive) => return self.receive(receive),
            Action::End if self.pid + 1 < self.ground.process_count => return Ok(false),
            // The last one takes its frame with it.
            Action::End => {}
            Action::Run { .. } | Action::SetPriority(..) => return Err(Unknown),
            Action::Program(program) => return self.program(program),
        }
        Ok(true)
    }

    fn send(&mut self, channel: &'a Expr, arguments: &'a [Expr]) -> Walked {
        let mut meets_others = false;
        for number in self.channels(channel)? {
            let capacity = self.channel(number, true);
            // Within a program, a rendezvous is an error.
            if capacity == Some(0) && !self.in_program {
                self.receivers(number)?;
                meets_others = true;
            }
        }
        if meets_others {
            // Whether somebody receives the message depends on what it says.
            self.exprs(arguments.iter())
        } else {
            self.in_effect(|walker| walker.exprs(arguments.iter()))
        }
    }

    /// Places that are written one after the other: an index may use what was written before.
    fn written_in_turn(&mut self, mut places: impl Iterator<Item = &'a Place> + Clone) -> Walked {
        let is_fixed = |place: &Place| {
            place.indices.is_empty() && matches!(place.base, Base::Local | Base::Global | Base::Nowhere)
        };
        if places.clone().all(is_fixed) {
            return places.try_for_each(|place| self.written(place));
        }
        let known = self.known.clone();
        for place in places {
            self.written(place)?;
            self.forget_place(place);
        }
        self.known = known;
        Ok(())
    }

    fn receive(&mut self, receive: &'a Receive) -> Walked<bool> {
        let mut may_receive = false;
        if self.receives && !self.in_program {
            // The message comes from the sender.
            may_receive = self.expr(&receive.channel)?.is_some()
                || self.values(&receive.channel)?.is_none_or(|numbers| !numbers.is_empty());
        } else {
            for number in self.channels(&receive.channel)? {
                // Alone, a process never receives from a rendezvous channel.
                let capacity = self.channel(number, !receive.copy);
                may_receive |= self.receives || capacity.is_some_and(|capacity| capacity > 0);
            }
        }
        if may_receive {
            self.exprs(receive.arguments.iter().filter_map(|argument| match argument {
                ReceiveArgument::Match(expr) => Some(expr),
                _ => None,
            }))?;
            let places = receive.arguments.iter().filter_map(|argument| match argument {
                ReceiveArgument::Store(place) => Some(place),
                _ => None,
            });
            self.in_effect(|walker| walker.written_in_turn(places))?;
        }
        Ok(may_receive)
    }

    fn program(&mut self, program: &'a Program) -> Walked<bool> {
        let outside = std::mem::replace(&mut self.in_program, true);
        let mut may_begin = program.guards.is_empty();
        for guard in &program.guards {
            may_begin |= self.action(guard)?;
        }
        if may_begin {
            let known = self.known.clone();
            self.in_effect(|walker| walker.nodes(&program.nodes))?;
            self.known = known;
        }
        self.in_program = outside;
        Ok(may_begin)
    }

    /// The nodes of a program that may be reached. At each node, what is known is what is known on all ways
    /// to it: a node is looked at again if a further way knows less.
    fn nodes(&mut self, nodes: &'a [Node]) -> Walked {
        let mut arrivals = Arrivals { known_at: vec![None; nodes.len()], waiting: Vec::new() };
        arrivals.arrive(Next::Node(0), &self.known);
        while let Some(number) = arrivals.waiting.pop() {
            let Some(known) = arrivals.known_at[number].clone() else { continue };
            self.known.clone_from(&known);
            match &nodes[number] {
                Node::Jump(next) => arrivals.arrive(*next, &self.known),
                Node::Do { action, next, .. } => {
                    if self.action(action)? {
                        self.forget_written(action);
                        arrivals.arrive(*next, &self.known);
                    }
                }
                Node::Choose { options, .. } => {
                    for option in options {
                        self.known.clone_from(&known);
                        if option.guard.as_ref().map_or(Ok(true), |guard| self.action(guard))? {
                            option.guard.iter().for_each(|guard| self.forget_written(guard));
                            arrivals.arrive(option.next, &self.known);
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

/// Where the walk through a program has come to.
struct Arrivals {
    /// Of each node that was reached: which bytes are known on all ways to it so far.
    known_at: Vec<Option<Vec<bool>>>,
    /// Nodes to be looked at.
    waiting: Vec<usize>,
}

impl Arrivals {
    /// A way leads to a node, and so much is known there.
    fn arrive(&mut self, next: Next, known: &[bool]) {
        let Next::Node(number) = next else { return };
        let Some(there) = self.known_at.get_mut(number as usize) else { return };
        let knows_less = match there {
            None => {
                *there = Some(known.to_vec());
                true
            }
            Some(there) => {
                let less = there.iter().zip(known).any(|(there, known)| *there && !known);
                there.iter_mut().zip(known).for_each(|(there, known)| *there &= known);
                less
            }
        };
        if knows_less {
            self.waiting.push(number as usize);
        }
    }
}
