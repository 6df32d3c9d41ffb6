//! What the steps of a process from one location touch: sets of cells.
//!
//! A step is what a process does from a location up to where it gives control away, as for footprints. Its
//! touch has four sets, which differ in what they disturb:
//!
//! - what is *read*: any change to it may change what the step does, or whether it is possible;
//! - what is *written*;
//! - what is *added to*: two that add to the same cell do not disturb each other, only who reads it is
//!   disturbed (the number of messages in a channel);
//! - what is *enabled*: others may wait for it, and it can only end their waiting.
//!
//! A cell that is enabled is read by guards only, and only where the guard decides whether the *first* action
//! of a step is possible: such a step was not possible before, and stays what it is. Whoever asks in another
//! way (`else`, an escape, an action in the middle of an indivisible sequence, which stops there or goes on)
//! reads a cell that is written whenever the answer changes.
//!
//! What the guard of an indivisible program assures need not be asked again (`assured.rs`).
//!
//! *Known values* keep touches small: constant globals, the number of the process, and variables of its own
//! that stay as they are ([`Class`], [`super::variables`]).
//!
//! `timeout` has no cell. A reduced set has a step that stays possible whatever the other processes do, so
//! as long as none of its steps is taken `timeout` is false. Transitions that wait for it are left out.

use super::assured::actions_of;
use super::cells::{CellSet, SIDES, Side};
use super::facts::{Facts, conjuncts, is_met, met_by, target_from, waits_for_timeout};
use crate::simplify::accesses::{Part, each_part, expressions_in};
use crate::writes::reach_of;
use lariat_model::ir::*;
use rustc_hash::FxHashSet;
use std::ops::Range;

/// What is known of a process beside its type.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Class {
    /// Its type.
    pub ty: usize,
    /// Its number, if that is known.
    pub pid: Option<u16>,
    /// The values of some of its variables, by offset: of those that nobody writes from where it is on, or,
    /// for what it does next, before that is over.
    pub known: Vec<(u32, Storage, i32)>,
    /// How many messages channels keep that processes have created: by their numbers.
    pub capacities: Vec<(i32, u32)>,
    /// It never ends, because a younger process never does.
    pub stays: bool,
}

/// A reason to look at a cell that may not hold in a state: then the cell is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exemption {
    /// The number of the channel that it is about, if it is about one.
    pub channel: i32,
    /// What must be wrong.
    pub reason: Reason,
    /// What is read only if so.
    pub cell: usize,
}

/// What may be wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// It is full.
    NoRoom,
    /// It is empty.
    NoMessage,
    /// It does not exist.
    NoChannel,
    /// Nothing: the process is not the youngest, so it cannot end.
    NotYoungest,
}

/// What steps touch.
#[derive(Clone, Debug, Default)]
pub struct Touch {
    /// What is read.
    pub reads: CellSet,
    /// What is written.
    pub writes: CellSet,
    /// What is added to.
    pub adds: CellSet,
    /// What others may wait for.
    pub enables: CellSet,
    /// It depends on everything.
    pub reads_all: bool,
    /// It may change anything.
    pub writes_all: bool,
    /// Reads that may not count.
    pub exemptions: Vec<Exemption>,
    /// Types of which processes are created.
    pub creates: Vec<usize>,
    /// Other processes may move in these steps, or move this one in theirs.
    pub meets: bool,
    /// Other processes than before may be at locations that count as progress.
    pub changes_progress: bool,
    /// The same for accepting locations.
    pub changes_acceptance: bool,
    /// Where the process may be within a step, before it gives control away.
    pub within: Vec<Location>,
}

impl Touch {
    /// All that may be changed, in whatever way.
    pub fn changes(&self) -> CellSet {
        let mut all = self.writes.clone();
        all.add(&self.adds);
        all.add(&self.enables);
        all
    }
}

impl Facts<'_> {
    /// The touch of a process's steps from a location.
    pub fn touch(&self, class: &Class, location: Location) -> Touch {
        let met = Vec::new();
        let mut collector =
            Collector { facts: self, class, touch: Touch::default(), firm: CellSet::default(), met };
        collector.location(location);
        let Collector { mut touch, firm, .. } = collector;
        touch.exemptions.retain(|exemption| !firm.contains(exemption.cell));
        touch
    }

    /// The touch of conditions that are seen from outside.
    pub fn touch_of_conditions<'e>(&self, conditions: impl Iterator<Item = &'e Expr>) -> Touch {
        let class = Class::default();
        let met = Vec::new();
        let mut collector =
            Collector { facts: self, class: &class, touch: Touch::default(), firm: CellSet::default(), met };
        for condition in conditions {
            each_part(condition, &mut |part| match part {
                Part::Expr(Expr::NonProgress) => collector.touch.changes_progress = true,
                Part::Expr(Expr::Acceptance) => collector.touch.changes_acceptance = true,
                _ => collector.part(part),
            });
        }
        collector.touch
    }
}

/// How an action is asked whether it is possible.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Asked {
    /// It begins a step: if it is not possible, nothing happens.
    First,
    /// What happens depends on the answer, whatever it is.
    Exactly,
}

/// The touch of steps, as far as it is found.
struct Collector<'a, 'm> {
    facts: &'a Facts<'m>,
    class: &'a Class,
    touch: Touch,
    /// What is read without an exemption.
    firm: CellSet,
    /// Of the present transition: the processes that it waits for.
    met: Vec<(u16, Location)>,
}

impl Collector<'_, '_> {
    fn reads(&mut self, cell: usize) {
        self.touch.reads.insert(cell);
        self.firm.insert(cell);
    }

    /// Which processes there are.
    fn reads_processes(&mut self) {
        self.reads(self.facts.cells.created());
        self.reads(self.facts.cells.ended());
    }

    fn reads_channel(&mut self, group: usize, side: Side) {
        self.reads(self.facts.cells.channel(group, side));
    }

    fn writes(&mut self, cell: usize) {
        self.touch.writes.insert(cell);
    }

    fn writes_channel(&mut self, group: usize, side: Side) {
        self.writes(self.facts.cells.channel(group, side));
    }

    /// The first step from a location, and all that follows in indivisible sequences.
    fn location(&mut self, first: Location) {
        let model = self.facts.model;
        let process = &model.process_types[self.class.ty];
        self.is_expected_at(first);
        let mut waiting = Vec::new();
        self.may_move(process);
        let transitions = &process.locations[first as usize].transitions;
        let has_escapes = transitions.iter().any(|transition| transition.escape > 0);
        for (i, transition) in process.locations[first as usize].transitions.iter().enumerate() {
            if waits_for_timeout(&transition.action) {
                continue;
            }
            let is_else = matches!(transition.action, Action::Else);
            let earlier = if is_else || has_escapes { i } else { 0 };
            for before in &process.locations[first as usize].transitions[..earlier] {
                if is_else || before.escape > 0 && before.escape != transition.escape {
                    self.guard(&before.action, Asked::Exactly);
                }
            }
            self.transition(first, transition, Asked::First, &mut waiting);
        }
        let mut seen = FxHashSet::default();
        while let Some(location) = waiting.pop() {
            if !seen.insert(location) {
                continue;
            }
            self.touch.within.push(location);
            self.may_move(process);
            for transition in &process.locations[location as usize].transitions {
                self.transition(location, transition, Asked::Exactly, &mut waiting);
            }
        }
    }

    /// What decides whether a process may move at all.
    fn may_move(&mut self, process: &ProcessType) {
        if let Some(provided) = &process.provided {
            self.expr(provided);
        }
        if self.facts.has_committed {
            self.reads(self.facts.cells.committed());
        }
    }

    /// Others may wait for the process here.
    fn is_expected_at(&mut self, location: Location) {
        let cells = &self.facts.cells;
        let expected: Vec<usize> = match self.class.pid {
            Some(pid) => cells.expected(pid, location).into_iter().collect(),
            None => cells.expected_anybody(location).collect(),
        };
        for cell in expected {
            self.reads(cell);
            self.writes(cell);
            self.touch.meets = true;
        }
    }

    fn transition(
        &mut self,
        location: Location,
        transition: &Transition,
        asked: Asked,
        waiting: &mut Vec<Location>,
    ) {
        if self.class.stays && matches!(transition.action, Action::End) {
            return;
        }
        self.met = met_by(&transition.action);
        self.guard(&transition.action, asked);
        self.effect(&transition.action);
        self.met.clear();
        let target = target_from(location, transition);
        let ty = self.class.ty;
        self.passes(ty, location);
        if !matches!(transition.action, Action::End) {
            self.passes(ty, target);
        }
        let process = &self.facts.model.process_types[ty];
        let [from, to] = [location, target].map(|location| &process.locations[location as usize]);
        self.touch.changes_progress |= from.progress != to.progress;
        self.touch.changes_acceptance |= from.accept != to.accept;
        if matches!(transition.action, Action::End) {
            self.touch.changes_progress |= from.progress;
            self.touch.changes_acceptance |= from.accept;
        }
        if let Some(pid) = self.class.pid {
            self.no_longer_expected(pid, location);
            self.enables_expected(pid, target);
        } else {
            let cells = &self.facts.cells;
            let left: Vec<usize> = cells.expected_anybody(location).collect();
            let reached: Vec<usize> = cells.expected_anybody(target).collect();
            left.into_iter().for_each(|cell| self.writes(cell));
            reached.into_iter().for_each(|cell| self.touch.enables.insert(cell));
        }
        for dead in &to.dead {
            self.local_written(dead.start as usize..dead.end as usize);
        }
        if transition.keeps_control {
            waiting.push(target);
        }
    }

    fn no_longer_expected(&mut self, pid: u16, location: Location) {
        if let Some(cell) = self.facts.cells.expected(pid, location) {
            self.writes(cell);
        }
    }

    fn enables_expected(&mut self, pid: u16, location: Location) {
        if let Some(cell) = self.facts.cells.expected(pid, location) {
            self.touch.enables.insert(cell);
        }
    }

    /// What others can see of it that a process of a type leaves a location, or comes there.
    fn passes(&mut self, ty: usize, location: Location) {
        if let Some(cell) = self.facts.cells.label(location) {
            self.writes(cell);
        }
        let info = &self.facts.model.process_types[ty].locations[location as usize];
        if info.committed {
            self.writes(self.facts.cells.committed());
        }
        for transition in &info.transitions {
            let mut meets = |action: &Action| {
                let channel = match action {
                    Action::Send { channel, .. } => channel,
                    Action::Receive(receive) => &receive.channel,
                    _ => return,
                };
                // The values of another process are not known here.
                let class = Class { ty, ..Class::default() };
                let class = if ty == self.class.ty { self.class } else { &class };
                for group in self.facts.channels(class, channel).0 {
                    if self.facts.capacity(class, group).is_none_or(|capacity| capacity == 0) {
                        let cell = self.facts.cells.channel(group, Side::Ready);
                        self.touch.adds.insert(cell);
                    }
                }
            };
            match &transition.action {
                Action::Program(program) => program.guards.iter().for_each(&mut meets),
                action => meets(action),
            }
        }
    }

    /// What decides whether an action is possible.
    fn guard(&mut self, action: &Action, asked: Asked) {
        match action {
            // It is false as long as anything is possible.
            Action::Guard(_) if waits_for_timeout(action) => {}
            Action::Guard(expr) if asked == Asked::First => self.conditions(expr),
            Action::Guard(expr) => self.expr(expr),
            Action::Send { channel, arguments, .. } => {
                self.expr(channel);
                let (groups, number) = self.facts.channels(self.class, channel);
                for group in groups {
                    self.channel_guard(group, number, ChannelUse::Send, asked, true);
                }
                arguments.iter().for_each(|argument| self.expr(argument));
            }
            Action::Receive(receive) => {
                self.expr(&receive.channel);
                let (groups, number) = self.facts.channels(self.class, &receive.channel);
                for group in groups {
                    self.channel_guard(group, number, ChannelUse::Receive, asked, !receive.random);
                }
                for argument in &receive.arguments {
                    if let ReceiveArgument::Match(expr) = argument {
                        self.expr(expr);
                    }
                }
            }
            Action::End => {
                self.reads(self.facts.cells.created());
                match asked {
                    Asked::First => self.exempt(0, Reason::NotYoungest, self.facts.cells.youngest()),
                    Asked::Exactly => self.reads(self.facts.cells.ended()),
                }
            }
            Action::Program(program) => {
                program.guards.iter().for_each(|guard| self.guard(guard, asked));
            }
            _ => {}
        }
    }

    /// Conditions that must all hold for the first action of a step.
    fn conditions(&mut self, expr: &Expr) {
        let mut list = Vec::new();
        conjuncts(expr, &mut |conjunct| list.push(conjunct.clone()));
        for conjunct in &list {
            match conjunct {
                Expr::RemoteLabel { pid: Some(pid), location, .. } if matches!(**pid, Expr::Constant(_)) => {
                    let Expr::Constant(number) = **pid else { continue };
                    self.reads_processes();
                    let cell = u16::try_from(number).ok();
                    if let Some(cell) = cell.and_then(|pid| self.facts.cells.expected(pid, *location)) {
                        self.reads(cell);
                    }
                }
                Expr::Test(test, channel) => {
                    let usage = match test {
                        ChannelTest::NotFull => ChannelUse::Send,
                        ChannelTest::NotEmpty => ChannelUse::Receive,
                        ChannelTest::Full | ChannelTest::Empty => {
                            self.expr(conjunct);
                            continue;
                        }
                    };
                    self.expr(channel);
                    let (groups, number) = self.facts.channels(self.class, channel);
                    for group in groups {
                        self.channel_guard(group, number, usage, Asked::First, true);
                    }
                }
                _ => self.expr(conjunct),
            }
        }
    }

    /// Whether a message can be sent, or received. `first`: any message, or the oldest one, will do.
    fn channel_guard(
        &mut self,
        group: usize,
        number: Option<i32>,
        usage: ChannelUse,
        asked: Asked,
        in_order: bool,
    ) {
        let cells = &self.facts.cells;
        let capacity = self.facts.capacity(self.class, group);
        if group >= cells.global_channels as usize {
            // If there is no such channel, that is an error.
            match number {
                Some(channel) if asked == Asked::First => {
                    self.exempt(channel, Reason::NoChannel, cells.created());
                    self.exempt(channel, Reason::NoChannel, cells.ended());
                }
                _ => self.reads_processes(),
            }
        }
        if self.facts.has_promises {
            let cell = cells.channel(group, Side::promised(usage));
            self.touch.reads.insert(cell);
            self.firm.insert(cell);
        }
        if capacity.is_none_or(|capacity| capacity == 0) {
            self.touch.meets = true;
            self.reads_channel(group, Side::Meeting);
            self.writes_channel(group, Side::Meeting);
            if asked == Asked::Exactly {
                self.reads_channel(group, Side::Ready);
            }
        }
        if capacity == Some(0) {
            return;
        }
        let (end, waits_for) = match usage {
            ChannelUse::Send => (Side::Back, Side::Drained),
            ChannelUse::Receive => (Side::Front, Side::Filled),
        };
        self.reads_channel(group, end);
        if asked == Asked::Exactly {
            self.reads_channel(group, Side::Count);
            return;
        }
        let cell = self.facts.cells.channel(group, waits_for);
        let reason = match usage {
            ChannelUse::Send => Reason::NoRoom,
            ChannelUse::Receive => Reason::NoMessage,
        };
        match number {
            Some(channel) if in_order && capacity.is_some() => self.exempt(channel, reason, cell),
            _ => self.reads(cell),
        }
    }

    /// Reads a cell if something is wrong with a channel.
    fn exempt(&mut self, channel: i32, reason: Reason, cell: usize) {
        self.touch.reads.insert(cell);
        let exemption = Exemption { channel, reason, cell };
        if !self.touch.exemptions.contains(&exemption) {
            self.touch.exemptions.push(exemption);
        }
    }

    /// What an action does.
    fn effect(&mut self, action: &Action) {
        match action {
            Action::Skip | Action::Else | Action::Guard(_) => {}
            Action::Assign(place, expr) => {
                self.expr(expr);
                self.written(place);
            }
            Action::AssignAll(list) => {
                for (place, expr) in list {
                    self.expr(expr);
                    self.written(place);
                }
            }
            Action::Assert(expr) => self.expr(expr),
            Action::Print { arguments, .. } => arguments.iter().for_each(|argument| self.expr(argument)),
            Action::MoveProcess { process, pid, location } => self.move_process(*process, *pid, *location),
            Action::Send { channel, sorted, arguments } => {
                arguments.iter().for_each(|argument| self.expr(argument));
                for group in self.facts.channels(self.class, channel).0 {
                    self.exchanged(group, ChannelUse::Send, *sorted);
                }
            }
            Action::Receive(receive) => {
                if !receive.copy {
                    for group in self.facts.channels(self.class, &receive.channel).0 {
                        self.exchanged(group, ChannelUse::Receive, false);
                    }
                }
                for argument in &receive.arguments {
                    if let ReceiveArgument::Store(place) = argument {
                        self.written(place);
                    }
                }
            }
            Action::Run { process, arguments, then, .. } => {
                arguments.iter().for_each(|argument| self.expr(argument));
                self.reads_processes();
                self.writes(self.facts.cells.created());
                let new = process.0 as usize;
                let mut seen = Collector {
                    facts: self.facts,
                    class: &Class { ty: new, ..Class::default() },
                    touch: std::mem::take(&mut self.touch),
                    firm: std::mem::take(&mut self.firm),
                    met: Vec::new(),
                };
                for init in &self.facts.model.process_types[new].initialise {
                    expressions_in(&init.place).for_each(|expr| seen.expr(expr));
                    if let InitialValue::Expr(expr) = &init.value {
                        seen.expr(expr);
                    }
                }
                seen.promises();
                // A new process is somewhere.
                seen.passes(new, self.facts.model.process_types[new].start);
                let start = self.facts.model.process_types[new].start;
                let expected: Vec<usize> = self.facts.cells.expected_anybody(start).collect();
                expected.into_iter().for_each(|cell| seen.touch.enables.insert(cell));
                let info = &self.facts.model.process_types[new].locations[start as usize];
                seen.touch.changes_progress |= info.progress;
                seen.touch.changes_acceptance |= info.accept;
                if self.facts.read_by_others[new].contains(&true) {
                    seen.writes(self.facts.cells.variables(new));
                }
                (self.touch, self.firm) = (seen.touch, seen.firm);
                if !self.touch.creates.contains(&new) {
                    self.touch.creates.push(new);
                }
                if let Some(then) = then {
                    self.expr(&then.1);
                    self.written(&then.0);
                }
            }
            Action::SetPriority(..) => {
                self.touch.reads_all = true;
                self.touch.writes_all = true;
            }
            Action::End => {
                self.promises();
                self.touch.adds.insert(self.facts.cells.ended());
                self.touch.enables.insert(self.facts.cells.youngest());
                self.local_written(0..self.facts.model.process_types[self.class.ty].variables_size as usize);
                self.channels_end();
            }
            Action::Program(program) => self.program(program),
        }
    }

    /// The channels that the process has created are no more.
    fn channels_end(&mut self) {
        for init in &self.facts.model.process_types[self.class.ty].initialise {
            if !matches!(init.value, InitialValue::NewChannel(_)) {
                continue;
            }
            let variable = Expr::Local { offset: init.place.offset, storage: init.place.storage };
            let is_scalar = init.place.base == Base::Local && init.place.indices.is_empty();
            // Only a variable that holds its channel for ever says which one it was.
            let bytes = reach_of(&init.place);
            let marks = self.facts.settled.of_type(self.class.ty).get(bytes);
            let is_settled = is_scalar && marks.is_some_and(|marks| !marks.contains(&false));
            let ended = match self.facts.channels(self.class, &variable) {
                (ended, Some(_)) if is_settled => ended,
                _ => (self.facts.cells.global_channels as usize..self.facts.cells.groups.len()).collect(),
            };
            for group in ended {
                for side in SIDES {
                    self.writes_channel(group, side);
                }
            }
        }
    }

    /// A process comes or goes, and with it its promises.
    fn promises(&mut self) {
        for exclusive in &self.facts.model.process_types[self.class.ty].exclusive {
            for group in self.facts.channels(self.class, &exclusive.channel).0 {
                self.writes_channel(group, Side::promised(exclusive.usage));
            }
        }
    }

    /// What is written into a channel, or taken out of it.
    fn exchanged(&mut self, group: usize, usage: ChannelUse, sorted: bool) {
        let cells = &self.facts.cells;
        if self.facts.capacity(self.class, group) == Some(0) {
            return;
        }
        let (end, enabled) = match usage {
            ChannelUse::Send => (Side::Back, Side::Filled),
            ChannelUse::Receive => (Side::Front, Side::Drained),
        };
        self.touch.adds.insert(cells.channel(group, Side::Count));
        self.touch.enables.insert(cells.channel(group, enabled));
        self.writes_channel(group, end);
        if sorted {
            self.reads_channel(group, Side::Front);
            self.writes_channel(group, Side::Front);
        }
    }

    /// One indivisible program. What it asks in the middle decides what it does.
    fn program(&mut self, program: &Program) {
        let assured = self.facts.assured_in(self.class, program);
        for (place, action) in actions_of(program) {
            let exchange = self.facts.exchange(self.class, action);
            if assured.is_some() && exchange.map(|exchange| (place, exchange)) == assured {
                super::cells::each_expression(action, &mut |expr| self.expr(expr));
            } else {
                self.guard(action, Asked::Exactly);
            }
            self.effect(action);
        }
    }

    /// A rendezvous of DVE puts the receiver somewhere.
    fn move_process(&mut self, process: ProcessTypeId, pid: u16, location: Location) {
        let from: Vec<Location> =
            self.met.iter().filter(|(met, _)| *met == pid).map(|(_, location)| *location).collect();
        let ty = process.0 as usize;
        self.reads_processes();
        self.touch.meets = true;
        if from.is_empty() {
            // It may be anywhere.
            self.touch.reads_all = true;
            self.touch.writes_all = true;
            return;
        }
        let locations = &self.facts.model.process_types[ty].locations;
        let to = &locations[location as usize];
        for from in from {
            self.no_longer_expected(pid, from);
            self.passes(ty, from);
            if let Some(info) = locations.get(from as usize) {
                self.touch.changes_progress |= info.progress != to.progress;
                self.touch.changes_acceptance |= info.accept != to.accept;
            }
        }
        self.enables_expected(pid, location);
        self.passes(ty, location);
    }

    /// A place that is written, and what says where it is.
    fn written(&mut self, place: &Place) {
        expressions_in(place).for_each(|expr| self.expr(expr));
        match &place.base {
            Base::Global => {
                let bytes = self.facts.bytes_of(self.class, place);
                self.facts.cells.globals(bytes).for_each(|cell| self.writes(cell));
            }
            Base::Local => self.local_written(self.facts.bytes_of(self.class, place)),
            Base::Remote { process, .. } => {
                self.reads_processes();
                self.writes(self.facts.cells.variables(process.0 as usize));
            }
            Base::Priority => {
                self.touch.reads_all = true;
                self.touch.writes_all = true;
            }
            Base::Nowhere => {}
        }
    }

    fn local_written(&mut self, bytes: Range<usize>) {
        let ty = self.class.ty;
        let any = |marks: &[bool]| marks.get(bytes.clone()).is_none_or(|marks| marks.contains(&true));
        if any(&self.facts.read_by_others[ty]) || any(&self.facts.written_by_others[ty]) {
            self.writes(self.facts.cells.variables(ty));
        }
    }

    fn local_read(&mut self, bytes: Range<usize>) {
        let ty = self.class.ty;
        if self.facts.written_by_others[ty].get(bytes).is_none_or(|marks| marks.contains(&true)) {
            self.reads(self.facts.cells.variables(ty));
        }
    }

    /// An expression whose value counts.
    fn expr(&mut self, expr: &Expr) {
        each_part(expr, &mut |part| self.part(part));
    }

    fn part(&mut self, part: Part) {
        let facts = self.facts;
        let cells = &facts.cells;
        match part {
            Part::Place(place) => match &place.base {
                Base::Global => {
                    // Constants have no cell worth reading, but nobody writes theirs either.
                    cells.globals(facts.bytes_of(self.class, place)).for_each(|cell| self.reads(cell));
                }
                Base::Local => self.local_read(facts.bytes_of(self.class, place)),
                Base::Remote { process, .. } => {
                    self.reads_processes();
                    if !is_met(place, &self.met) {
                        self.reads(cells.variables(process.0 as usize));
                    }
                }
                Base::Priority => self.touch.reads_all = true,
                Base::Nowhere => {}
            },
            Part::Expr(expr) => match expr {
                Expr::Global { offset, storage } => {
                    let start = *offset as usize;
                    let bytes = start..start + storage.size() as usize;
                    cells.globals(bytes).for_each(|cell| self.reads(cell));
                }
                Expr::Local { offset, storage } => {
                    let start = *offset as usize;
                    self.local_read(start..start + storage.size() as usize);
                }
                Expr::Len(channel) | Expr::Test(_, channel) => {
                    for group in facts.channels(self.class, channel).0 {
                        self.reads_channel(group, Side::Count);
                    }
                }
                Expr::Poll(receive) => {
                    for group in facts.channels(self.class, &receive.channel).0 {
                        self.reads_channel(group, Side::Count);
                        self.reads_channel(group, Side::Front);
                        if receive.random {
                            self.reads_channel(group, Side::Back);
                        }
                    }
                }
                Expr::ProcessCount | Expr::RunResult => self.reads_processes(),
                Expr::RemoteLabel { location, .. } => {
                    self.reads_processes();
                    if let Some(cell) = cells.label(*location) {
                        self.reads(cell);
                    }
                }
                Expr::Timeout
                | Expr::Last
                | Expr::Priority
                | Expr::Enabled(_)
                | Expr::GetPriority(_)
                | Expr::LocationOf(_)
                | Expr::NonProgress
                | Expr::Acceptance => self.touch.reads_all = true,
                Expr::Constant(_)
                | Expr::Load(_)
                | Expr::Unary(..)
                | Expr::Binary(..)
                | Expr::Conditional(_)
                | Expr::Pid => {}
            },
        }
    }
}
