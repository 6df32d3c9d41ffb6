//! What a transition may touch in any state at all: a bound on its footprints, from the model alone.
//!
//! A [`super::Footprint`] has bytes of one state. A bound has *abstract places*, which mean something without
//! a state: bytes of the globals, bytes of the moving process's variables, processes of a type, channels as
//! far as it is known which, and the list of processes itself. It is made for each transition of each
//! location, and has the same three parts as a footprint. Every footprint is inside the bounds of the
//! transitions of its location; bounds also exist where footprints do not.
//!
//! What each transition has in its bound, beside what its own action says:
//!
//! - its process's location is read and written always, and is not listed;
//! - a `provided` clause is read by the guard;
//! - `else` waits for all transitions before it, and who stands behind the escapes of an `unless` for these:
//!   so it reads their guards;
//! - a send that may be a rendezvous reads and writes all processes that may receive from the channel, and
//!   whatever these receives read and write;
//! - an indivisible sequence belongs to its first transition, also what another process does in it that has
//!   got control by a rendezvous; guards in the middle are read by the effect;
//! - `run`, the end of a process, `_nr_pr` and remote references touch the list of processes;
//! - where there are priorities, every guard depends on everything, and where there are committed locations,
//!   on the locations of all processes;
//! - `timeout`, `enabled` and `_last` depend on everything (that a step is the last one is not listed).

use super::{Phase, Settled};
use crate::constants::Constants;
use crate::simplify::accesses::{Part, each_part, expressions_in};
use crate::writes::reach_of;
use lariat_model::ir::*;
use rustc_hash::FxHashSet;
use std::ops::Range;

/// Something that may be read or written, without a state.
#[derive(Clone, Debug, PartialEq)]
pub enum AbstractPlace {
    /// Bytes of the globals.
    Global(Range<usize>),
    /// Bytes of the moving process's variables, from their start.
    Own(Range<usize>),
    /// All processes of a type, with location and variables; `None` for every type.
    Process(Option<ProcessTypeId>),
    /// A part of some channels.
    Channel(Channels, ChannelPart),
    /// Which processes and channels exist.
    ProcessList,
    /// Anything.
    Everything,
}

/// Which channels may be meant.
#[derive(Clone, Debug, PartialEq)]
pub enum Channels {
    /// The one with this number.
    Numbered(i32),
    /// Those that processes of a type create with themselves, and hold in settled variables at these bytes.
    SettledIn(ProcessTypeId, Range<usize>),
    /// Any channel.
    Any,
}

/// What of a channel is touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChannelPart {
    /// The end to which messages are sent: the room behind the last message.
    Back,
    /// The end from which they are received: the first message, if there is one.
    Front,
    /// How many messages there are (`len`, `full`, `empty`, …).
    Count,
    /// All messages: they are looked through, or put in order.
    All,
}

/// What a transition may touch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bound {
    /// What decides whether it is possible.
    pub guard_reads: Vec<AbstractPlace>,
    /// What decides what it does.
    pub effect_reads: Vec<AbstractPlace>,
    /// What it may change.
    pub writes: Vec<AbstractPlace>,
}

/// The bounds of all transitions of a model.
#[derive(Clone, Debug, Default)]
pub struct Bounds {
    /// By process type, location and transition.
    types: Vec<Vec<Vec<Bound>>>,
}

impl Bounds {
    /// Those of a model.
    pub fn of(model: &Model, constants: &Constants, settled: &Settled) -> Bounds {
        let is_channel = |init: &&Initialisation| matches!(init.value, InitialValue::NewChannel(_));
        let global_channels = model.initialise.iter().filter(is_channel).count() as i32;
        let facts = Facts { model, constants, settled, global_channels };
        let of_location = |ty: usize, location: usize| {
            let transitions = &model.process_types[ty].locations[location].transitions;
            (0..transitions.len()).map(|i| facts.bound(ty, location as Location, i)).collect()
        };
        let of_type = |ty: usize| {
            (0..model.process_types[ty].locations.len()).map(|location| of_location(ty, location)).collect()
        };
        Bounds { types: (0..model.process_types.len()).map(of_type).collect() }
    }

    /// What one transition of a location may touch.
    pub fn of_transition(&self, ty: ProcessTypeId, location: Location, transition: usize) -> &Bound {
        &self.types[ty.0 as usize][location as usize][transition]
    }

    /// What each transition of a location may touch.
    pub fn of_location(&self, ty: ProcessTypeId, location: Location) -> &[Bound] {
        &self.types[ty.0 as usize][location as usize]
    }
}

/// What is known of the model.
#[derive(Clone, Copy)]
struct Facts<'a> {
    model: &'a Model,
    constants: &'a Constants,
    settled: &'a Settled,
    /// The globals have channels with numbers from 1 up to this.
    global_channels: i32,
}

/// Whose statements are looked at: a process type, and whether it is another process than the moving one.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Who {
    ty: usize,
    is_other: bool,
}

/// The bound of one transition, as far as it is found.
struct Collector<'a> {
    facts: Facts<'a>,
    bound: Bound,
    /// Where indivisible sequences go on.
    waiting: Vec<(Who, Location)>,
}

impl<'a> Facts<'a> {
    fn bound(self, ty: usize, location: Location, number: usize) -> Bound {
        let mut collector = Collector { facts: self, bound: Bound::default(), waiting: Vec::new() };
        let who = Who { ty, is_other: false };
        let process = &self.model.process_types[ty];
        let info = &process.locations[location as usize];
        let transition = &info.transitions[number];
        collector.transition(who, location, transition, Phase::Guard);
        if self.model.features.priorities {
            collector.reads(AbstractPlace::Everything, Phase::Guard);
        }
        let is_committed = |process: &ProcessType| process.locations.iter().any(|info| info.committed);
        if self.model.process_types.iter().any(is_committed) {
            collector.reads(AbstractPlace::Process(None), Phase::Guard);
        }
        let is_else = matches!(transition.action, Action::Else);
        for before in &info.transitions[..number] {
            let escapes = before.escape > 0 && before.escape != transition.escape;
            if is_else || escapes {
                collector.guard_of(who, &before.action, Phase::Guard);
            } else if process.deterministic {
                // That both are possible is an error.
                collector.guard_of(who, &before.action, Phase::Effect);
            }
        }
        for assertion in &info.assertions {
            collector.expr(who, &assertion.value, Phase::Effect);
        }
        collector.rest_of_sequences();
        collector.bound
    }

    /// The channels that an expression may name.
    fn channels(self, ty: usize, expr: &Expr) -> Vec<Channels> {
        if let Some(number) = self.constants.value(expr) {
            return vec![Channels::Numbered(number)];
        }
        let settled = |bytes: Range<usize>| {
            let is_settled =
                self.settled.of_type(ty).get(bytes.clone()).is_some_and(|all| !all.contains(&false));
            vec![if is_settled {
                Channels::SettledIn(ProcessTypeId(ty as u16), bytes)
            } else {
                Channels::Any
            }]
        };
        match expr {
            Expr::Local { offset, storage } => settled(*offset as usize..(*offset + storage.size()) as usize),
            Expr::Load(place) => match place.base {
                Base::Local => settled(reach_of(place)),
                Base::Global => self.elements(place).unwrap_or_else(|| vec![Channels::Any]),
                _ => vec![Channels::Any],
            },
            Expr::Conditional(parts) => {
                let mut channels = self.channels(ty, &parts.1);
                channels.extend(self.channels(ty, &parts.2));
                channels
            }
            _ => vec![Channels::Any],
        }
    }

    /// The elements of a global array, if none of them ever changes.
    fn elements(self, place: &Place) -> Option<Vec<Channels>> {
        let [index] = place.indices.as_slice() else { return None };
        let element = |i: u32| self.constants.scalar(place.offset + i * index.stride, place.storage);
        (0..index.length).map(|i| element(i).map(Channels::Numbered)).collect()
    }

    /// Whether these may be the same channel.
    fn may_be_same(self, one: &Channels, other: &Channels) -> bool {
        match (one, other) {
            (Channels::Any, _) | (_, Channels::Any) => true,
            (Channels::Numbered(one), Channels::Numbered(other)) => one == other,
            (Channels::SettledIn(..), Channels::Numbered(number))
            | (Channels::Numbered(number), Channels::SettledIn(..)) => *number > self.global_channels,
            (Channels::SettledIn(one, bytes), Channels::SettledIn(other, others)) => {
                one == other && bytes.start < others.end && others.start < bytes.end
            }
        }
    }

    /// Whether one of these may be a rendezvous channel.
    fn may_meet(self, channels: &Channels) -> bool {
        let meets = |ty: &ChannelTypeId| self.model.channel_types[ty.0 as usize].capacity == 0;
        let created = |list: &'a [Initialisation]| {
            list.iter().filter_map(|init| match &init.value {
                InitialValue::NewChannel(ty) => Some((reach_of(&init.place), ty)),
                InitialValue::Expr(_) => None,
            })
        };
        match channels {
            Channels::Numbered(number) if (1..=self.global_channels).contains(number) => {
                created(&self.model.initialise).nth(*number as usize - 1).is_none_or(|(_, ty)| meets(ty))
            }
            Channels::SettledIn(ty, bytes) => created(&self.model.process_types[ty.0 as usize].initialise)
                .any(|(place, ty)| place.start < bytes.end && bytes.start < place.end && meets(ty)),
            Channels::Numbered(_) | Channels::Any => {
                self.model.channel_types.iter().any(|channel| channel.capacity == 0)
            }
        }
    }
}

fn add(list: &mut Vec<AbstractPlace>, place: AbstractPlace) {
    if !list.contains(&place) {
        list.push(place);
    }
}

impl<'a> Collector<'a> {
    fn reads(&mut self, place: AbstractPlace, phase: Phase) {
        match phase {
            Phase::Guard => add(&mut self.bound.guard_reads, place),
            Phase::Effect => add(&mut self.bound.effect_reads, place),
        }
    }

    fn writes(&mut self, place: AbstractPlace) {
        add(&mut self.bound.writes, place);
    }

    /// Variables of a process, as the moving one sees them.
    fn variables(who: Who, bytes: Range<usize>) -> AbstractPlace {
        if who.is_other { Self::all_of(who) } else { AbstractPlace::Own(bytes) }
    }

    fn all_of(who: Who) -> AbstractPlace {
        AbstractPlace::Process(Some(ProcessTypeId(who.ty as u16)))
    }

    /// What follows in indivisible sequences.
    fn rest_of_sequences(&mut self) {
        let mut seen = FxHashSet::default();
        while let Some((who, location)) = self.waiting.pop() {
            if !seen.insert((who, location)) {
                continue;
            }
            let info = &self.facts.model.process_types[who.ty].locations[location as usize];
            for assertion in &info.assertions {
                self.expr(who, &assertion.value, Phase::Effect);
            }
            for transition in &info.transitions {
                self.transition(who, location, transition, Phase::Effect);
            }
        }
    }

    /// A transition by itself. What its guard reads decides what the phase says.
    fn transition(&mut self, who: Who, location: Location, transition: &'a Transition, phase: Phase) {
        let process = &self.facts.model.process_types[who.ty];
        if let Some(provided) = &process.provided {
            self.expr(who, provided, phase);
        }
        self.guard_of(who, &transition.action, phase);
        self.effect_of(who, &transition.action);
        let target = if transition.target == 0 { location } else { transition.target };
        for dead in &process.locations[target as usize].dead {
            self.writes(Self::variables(who, dead.start as usize..dead.end as usize));
        }
        if transition.keeps_control {
            self.waiting.push((who, target));
        }
    }

    /// What decides whether an action is possible.
    fn guard_of(&mut self, who: Who, action: &'a Action, phase: Phase) {
        match action {
            Action::Guard(expr) => self.expr(who, expr, phase),
            Action::Send { channel, arguments, .. } => {
                self.expr(who, channel, phase);
                for channels in self.facts.channels(who.ty, channel) {
                    if self.facts.may_meet(&channels) {
                        arguments.iter().for_each(|argument| self.expr(who, argument, phase));
                        self.receivers(&channels, phase);
                    }
                    self.reads(AbstractPlace::Channel(channels, ChannelPart::Back), phase);
                }
            }
            Action::Receive(receive) => self.receive_guard(who, receive, phase),
            Action::End => self.reads(AbstractPlace::ProcessList, phase),
            Action::Program(program) => {
                program.guards.iter().for_each(|guard| self.guard_of(who, guard, phase));
            }
            _ => {}
        }
    }

    fn receive_guard(&mut self, who: Who, receive: &'a Receive, phase: Phase) {
        self.expr(who, &receive.channel, phase);
        let part = if receive.random { ChannelPart::All } else { ChannelPart::Front };
        for channels in self.facts.channels(who.ty, &receive.channel) {
            self.reads(AbstractPlace::Channel(channels, part), phase);
        }
        for argument in &receive.arguments {
            if let ReceiveArgument::Match(expr) = argument {
                self.expr(who, expr, phase);
            }
        }
    }

    /// What an action does; and in a program, whether what follows is possible.
    fn effect_of(&mut self, who: Who, action: &'a Action) {
        let effect = Phase::Effect;
        match action {
            Action::Skip | Action::Else | Action::Guard(_) => {}
            Action::Assign(place, expr) => {
                self.expr(who, expr, effect);
                self.written(who, place);
            }
            Action::AssignAll(list) => {
                for (place, expr) in list {
                    self.expr(who, expr, effect);
                    self.written(who, place);
                }
            }
            Action::Assert(expr) => self.expr(who, expr, effect),
            Action::Print { arguments, .. } => {
                arguments.iter().for_each(|argument| self.expr(who, argument, effect));
            }
            Action::MoveProcess { process, .. } => {
                self.reads(AbstractPlace::ProcessList, effect);
                self.writes(AbstractPlace::Process(Some(*process)));
                if process.0 as usize == who.ty {
                    // It may be itself, and go on elsewhere.
                    self.reads(AbstractPlace::Everything, effect);
                    self.writes(AbstractPlace::Everything);
                }
            }
            Action::Send { channel, sorted, arguments } => {
                arguments.iter().for_each(|argument| self.expr(who, argument, effect));
                let part = if *sorted { ChannelPart::All } else { ChannelPart::Back };
                for channels in self.facts.channels(who.ty, channel) {
                    self.reads(AbstractPlace::Channel(channels.clone(), part), effect);
                    self.writes(AbstractPlace::Channel(channels, part));
                }
            }
            Action::Receive(receive) => {
                let part = if receive.random { ChannelPart::All } else { ChannelPart::Front };
                for channels in self.facts.channels(who.ty, &receive.channel) {
                    self.reads(AbstractPlace::Channel(channels.clone(), part), effect);
                    if !receive.copy {
                        self.writes(AbstractPlace::Channel(channels, part));
                    }
                }
                for argument in &receive.arguments {
                    if let ReceiveArgument::Store(place) = argument {
                        self.written(who, place);
                    }
                }
            }
            Action::Run { process, arguments, then, .. } => {
                arguments.iter().for_each(|argument| self.expr(who, argument, effect));
                self.reads(AbstractPlace::ProcessList, effect);
                self.writes(AbstractPlace::ProcessList);
                let new = Who { ty: process.0 as usize, is_other: true };
                for init in &self.facts.model.process_types[new.ty].initialise {
                    self.written(new, &init.place);
                    if let InitialValue::Expr(expr) = &init.value {
                        self.expr(new, expr, effect);
                    }
                }
                if let Some(then) = then {
                    self.expr(who, &then.1, effect);
                    self.written(who, &then.0);
                }
            }
            Action::SetPriority(..) => {
                self.reads(AbstractPlace::Everything, effect);
                self.writes(AbstractPlace::Everything);
            }
            Action::End => {
                self.writes(AbstractPlace::ProcessList);
                let size = self.facts.model.process_types[who.ty].variables_size as usize;
                self.writes(Self::variables(who, 0..size));
            }
            Action::Program(program) => {
                for node in &program.nodes {
                    let (actions, options) = match node {
                        Node::Do { action, .. } => (Some(action), &[][..]),
                        Node::Choose { options, .. } => (None, options.as_slice()),
                        Node::Jump(_) => (None, &[][..]),
                    };
                    for action in actions.into_iter().chain(options.iter().filter_map(|o| o.guard.as_ref())) {
                        self.within_program(who, action);
                    }
                }
            }
        }
    }

    /// In a program nobody meets anybody: a rendezvous there is an error.
    fn within_program(&mut self, who: Who, action: &'a Action) {
        match action {
            Action::Send { channel, .. } => {
                self.expr(who, channel, Phase::Effect);
                for channels in self.facts.channels(who.ty, channel) {
                    self.reads(AbstractPlace::Channel(channels, ChannelPart::Back), Phase::Effect);
                }
            }
            _ => self.guard_of(who, action, Phase::Effect),
        }
        self.effect_of(who, action);
    }

    /// Those who may receive from these channels when the moving process sends.
    fn receivers(&mut self, channels: &Channels, phase: Phase) {
        let facts = self.facts;
        for (ty, process) in facts.model.process_types.iter().enumerate() {
            let who = Who { ty, is_other: true };
            let may_receive = |receive: &Receive| {
                let theirs = facts.channels(ty, &receive.channel);
                theirs.iter().any(|theirs| facts.may_be_same(theirs, channels))
            };
            let may_begin = |action: &Action| match action {
                Action::Receive(receive) => may_receive(receive),
                Action::Program(program) => program
                    .guards
                    .iter()
                    .any(|guard| matches!(guard, Action::Receive(receive) if may_receive(receive))),
                _ => false,
            };
            for (location, info) in process.locations.iter().enumerate() {
                for transition in info.transitions.iter().filter(|transition| may_begin(&transition.action)) {
                    self.reads(Self::all_of(who), phase);
                    self.writes(Self::all_of(who));
                    self.transition(who, location as Location, transition, phase);
                }
            }
        }
    }

    /// A place that is written, and what says where it is.
    fn written(&mut self, who: Who, place: &'a Place) {
        expressions_in(place).for_each(|expr| self.expr(who, expr, Phase::Effect));
        match &place.base {
            Base::Global => self.writes(AbstractPlace::Global(reach_of(place))),
            Base::Local => self.writes(Self::variables(who, reach_of(place))),
            Base::Remote { process, .. } => {
                self.reads(AbstractPlace::ProcessList, Phase::Effect);
                self.writes(AbstractPlace::Process(Some(*process)));
            }
            Base::Priority => self.writes(AbstractPlace::Everything),
            Base::Nowhere => {}
        }
    }

    /// An expression that may be evaluated.
    fn expr(&mut self, who: Who, expr: &'a Expr, phase: Phase) {
        let facts = self.facts;
        each_part(expr, &mut |part| match part {
            Part::Place(place) => self.read(who, place, phase),
            Part::Expr(expr) => match expr {
                Expr::Global { offset, storage } => {
                    if facts.constants.scalar(*offset, *storage).is_none() {
                        let start = *offset as usize;
                        self.reads(AbstractPlace::Global(start..start + storage.size() as usize), phase);
                    }
                }
                Expr::Local { offset, storage } => {
                    let start = *offset as usize;
                    self.reads(Self::variables(who, start..start + storage.size() as usize), phase);
                }
                Expr::Len(channel) | Expr::Test(_, channel) => {
                    for channels in facts.channels(who.ty, channel) {
                        self.reads(AbstractPlace::Channel(channels, ChannelPart::Count), phase);
                    }
                }
                Expr::Poll(receive) => {
                    let part = if receive.random { ChannelPart::All } else { ChannelPart::Front };
                    for channels in facts.channels(who.ty, &receive.channel) {
                        self.reads(AbstractPlace::Channel(channels, part), phase);
                    }
                }
                Expr::ProcessCount | Expr::RunResult => self.reads(AbstractPlace::ProcessList, phase),
                Expr::LocationOf(_) | Expr::RemoteLabel { pid: Some(_), .. } => {
                    self.reads(AbstractPlace::ProcessList, phase);
                    self.reads(AbstractPlace::Process(None), phase);
                }
                Expr::RemoteLabel { process, pid: None, .. } => {
                    self.reads(AbstractPlace::ProcessList, phase);
                    self.reads(AbstractPlace::Process(Some(*process)), phase);
                }
                Expr::Timeout
                | Expr::Last
                | Expr::Priority
                | Expr::Enabled(_)
                | Expr::GetPriority(_)
                | Expr::NonProgress
                | Expr::Acceptance => self.reads(AbstractPlace::Everything, phase),
                Expr::Constant(_)
                | Expr::Load(_)
                | Expr::Unary(..)
                | Expr::Binary(..)
                | Expr::Conditional(_)
                | Expr::Pid => {}
            },
        });
    }

    /// A place that is read; each_part shows what says where it is.
    fn read(&mut self, who: Who, place: &Place, phase: Phase) {
        match &place.base {
            Base::Global => self.reads(AbstractPlace::Global(reach_of(place)), phase),
            Base::Local => self.reads(Self::variables(who, reach_of(place)), phase),
            Base::Remote { process, .. } => {
                self.reads(AbstractPlace::ProcessList, phase);
                self.reads(AbstractPlace::Process(Some(*process)), phase);
            }
            Base::Priority => self.reads(AbstractPlace::Everything, phase),
            Base::Nowhere => {}
        }
    }
}
