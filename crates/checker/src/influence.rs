//! Which steps of a run have to do with what is wrong: a causal slice, and an approximation.
//!
//! The run is walked through backwards, with a set of what is watched: at first what the property reads (or
//! the failed assertion, or those who wait at the end). A step that changes something watched has influence;
//! then what it reads is watched too, and so is the control of its process: of the process's earlier steps
//! those count that chose a way or waited for something, though not those that only went on. What a step
//! overwrites without reading it is not watched before it. A cycle is walked through until nothing new is
//! watched at its start.
//!
//! What changes is taken from the run, what is read and written from the statements, array by array and,
//! where a channel came as a parameter, all channels. (A value that is overwritten with an equal one counts
//! as written: that is how updates get lost.) It is an approximation in both directions:
//! that nothing else happened in between (atomic sequences, priorities, who is fast) has influence too, and
//! is not seen; and a value may be read and not matter.

use crate::report::{Counterexample, RunEnding, TraceStep};
use lariat_engine::{Interpreter, ViolationKind};
use lariat_model::ir::{
    Action, Base, Expr, InitialValue, Initialisation, Language, Model, Node, Place, ProcessType, Receive,
    ReceiveArgument, Type, Variable,
};
use std::collections::BTreeSet;

/// What is wrong with a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Criterion {
    /// What the propositions of the property read, in every state.
    Propositions,
    /// Its last step.
    LastStep,
    /// That some processes wait at its end.
    Waiting,
    /// It cannot be said.
    Unknown,
}

impl Criterion {
    /// Of a violation that a finite run shows.
    pub fn of(violation: ViolationKind) -> Criterion {
        match violation {
            ViolationKind::Assertion | ViolationKind::RuntimeError => Criterion::LastStep,
            ViolationKind::InvalidEndState => Criterion::Waiting,
            _ => Criterion::Unknown,
        }
    }
}

/// What expressions look at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reads {
    /// Variables as the run names them, without indices and fields: `x`, `P(1):y`.
    variables: BTreeSet<String>,
    /// The messages of channels, by the variable that each was declared for.
    channels: BTreeSet<String>,
    any_channel: bool,
    /// Where the processes of a type are.
    places_of: BTreeSet<String>,
    /// Where any process is.
    all_places: bool,
    /// All there is.
    everything: bool,
}

impl Reads {
    /// Whether a variable or channel, as the run names it, is among them.
    pub fn names(&self, item: &str) -> bool {
        if self.everything {
            return true;
        }
        // `queue 3 (P(1):reply[1])`
        if let Some((_, channel)) = item.split_once(" (").filter(|_| item.starts_with("queue ")) {
            let channel = channel.strip_suffix(')').unwrap_or(channel);
            return self.any_channel || self.channels.contains(base(channel));
        }
        self.variables.contains(base(item)) || self.channels.contains(base(item))
    }
}

/// `a` of `a[2].f`.
fn base(item: &str) -> &str {
    item.split(['[', '.']).next().unwrap_or(item)
}

/// From where an expression is seen.
#[derive(Clone, Copy)]
struct View<'a> {
    interpreter: &'a Interpreter<'a>,
    process: Option<(&'a ProcessType, u16)>,
}

impl View<'_> {
    fn model(&self) -> &Model {
        self.interpreter.model()
    }

    fn global(&self, offset: u32) -> Option<String> {
        self.model().globals.iter().find(|variable| covers(variable, offset)).map(|v| v.name.clone())
    }

    fn local(&self, offset: u32) -> Option<String> {
        let (process, pid) = self.process?;
        let variable = process.variables.iter().find(|variable| covers(variable, offset))?;
        Some(self.interpreter.variable_prefix(process, pid as usize) + &variable.name)
    }

    fn place(&self, place: &Place) -> Option<String> {
        match place.base {
            Base::Global => self.global(place.offset),
            Base::Local => self.local(place.offset),
            _ => None,
        }
    }

    fn indices(&self, place: &Place, out: &mut Reads) {
        place.indices.iter().for_each(|index| self.expression(&index.value, out));
    }

    fn expression(&self, expression: &Expr, out: &mut Reads) {
        match expression {
            Expr::Constant(_) | Expr::Pid | Expr::RunResult | Expr::Priority => {}
            Expr::Global { offset, .. } => out.variables.extend(self.global(*offset)),
            Expr::Local { offset, .. } => out.variables.extend(self.local(*offset)),
            Expr::Load(place) => {
                self.indices(place, out);
                match &place.base {
                    Base::Remote { process, pid } => {
                        let process = &self.model().process_types[process.0 as usize];
                        let variable =
                            process.variables.iter().find(|variable| covers(variable, place.offset));
                        pid.iter().for_each(|pid| self.expression(pid, out));
                        for number in 0..=lariat_model::ir::MAX_PROCESSES {
                            let prefix = self.interpreter.variable_prefix(process, number);
                            out.variables.extend(variable.map(|variable| prefix + &variable.name));
                        }
                    }
                    _ => out.variables.extend(self.place(place)),
                }
            }
            Expr::Unary(_, value) => self.expression(value, out),
            Expr::Binary(_, sides) => {
                self.expression(&sides.0, out);
                self.expression(&sides.1, out);
            }
            Expr::Conditional(parts) => {
                [&parts.0, &parts.1, &parts.2].into_iter().for_each(|part| self.expression(part, out));
            }
            Expr::Len(channel) | Expr::Test(_, channel) => self.channel(channel, out),
            Expr::Poll(receive) => self.receive(receive, out),
            Expr::LocationOf(_) | Expr::NonProgress | Expr::Acceptance => out.all_places = true,
            Expr::RemoteLabel { process, pid, .. } => {
                pid.iter().for_each(|pid| self.expression(pid, out));
                out.places_of.insert(self.model().process_types[process.0 as usize].name.clone());
            }
            Expr::ProcessCount | Expr::Last | Expr::Enabled(_) | Expr::GetPriority(_) | Expr::Timeout => {
                out.everything = true;
            }
        }
    }

    /// The messages of the channel that an expression gives.
    fn channel(&self, channel: &Expr, out: &mut Reads) {
        self.expression(channel, out);
        let makes = |list: &[Initialisation], base: &Base, offset: u32| {
            list.iter().any(|first| {
                matches!(first.value, InitialValue::NewChannel(_))
                    && first.place.base == *base
                    && first.place.offset == offset
            })
        };
        let known = match (channel, self.process) {
            (Expr::Global { offset, .. }, _) if makes(&self.model().initialise, &Base::Global, *offset) => {
                self.global(*offset)
            }
            (Expr::Local { offset, .. }, Some((process, _)))
                if makes(&process.initialise, &Base::Local, *offset) =>
            {
                self.local(*offset)
            }
            (Expr::Load(place), _) if place.base == Base::Global => self.global(place.offset),
            _ => None,
        };
        match known {
            Some(name) => {
                out.channels.insert(name);
            }
            None => out.any_channel = true,
        }
    }

    fn receive(&self, receive: &Receive, out: &mut Reads) {
        self.channel(&receive.channel, out);
        for argument in &receive.arguments {
            match argument {
                ReceiveArgument::Store(place) => self.indices(place, out),
                ReceiveArgument::Match(value) => self.expression(value, out),
                ReceiveArgument::Drop => {}
            }
        }
    }

    fn action(&self, action: &Action, out: &mut Reads) {
        match action {
            Action::Skip | Action::Else | Action::MoveProcess { .. } | Action::End => {}
            Action::Guard(value) | Action::Assert(value) => self.expression(value, out),
            Action::Assign(place, value) => {
                self.indices(place, out);
                self.expression(value, out);
            }
            Action::AssignAll(all) => all.iter().for_each(|(place, value)| {
                self.indices(place, out);
                self.expression(value, out);
            }),
            Action::Send { channel, arguments, .. } => {
                self.channel(channel, out);
                arguments.iter().for_each(|value| self.expression(value, out));
            }
            Action::Receive(receive) => self.receive(receive, out),
            Action::Run { arguments, then, .. } => {
                arguments.iter().for_each(|value| self.expression(value, out));
                then.iter().for_each(|then| self.expression(&then.1, out));
            }
            // What is printed changes nothing.
            Action::Print { .. } => {}
            Action::SetPriority(process, value) => {
                self.expression(process, out);
                self.expression(value, out);
            }
            Action::Program(program) => {
                program.guards.iter().for_each(|guard| self.action(guard, out));
                for node in &program.nodes {
                    match node {
                        Node::Do { action, .. } => self.action(action, out),
                        Node::Choose { options, .. } => {
                            let guards = options.iter().filter_map(|option| option.guard.as_ref());
                            guards.for_each(|guard| self.action(guard, out));
                        }
                        Node::Jump(_) => {}
                    }
                }
            }
        }
    }
}

/// The variables that an action writes, also where the value stays the same: what is overwritten with an
/// equal value was lost all the same.
fn writes(view: View, action: &Action, out: &mut Vec<String>) {
    action.each_within(&mut |action| match action {
        Action::Assign(place, _) => out.extend(view.place(place)),
        Action::AssignAll(all) => out.extend(all.iter().filter_map(|(place, _)| view.place(place))),
        Action::Receive(receive) => {
            for argument in &receive.arguments {
                if let ReceiveArgument::Store(place) = argument {
                    out.extend(view.place(place));
                }
            }
        }
        Action::Run { then: Some(then), .. } => out.extend(view.place(&then.0)),
        _ => {}
    });
}

fn covers(variable: &Variable, offset: u32) -> bool {
    let size = variable.element_size * variable.length.unwrap_or(1);
    (variable.offset..variable.offset + size.max(1)).contains(&offset)
}

fn process_of<'a>(model: &'a Model, step: &TraceStep) -> Option<&'a ProcessType> {
    model.process_types.iter().find(|process| process.name == step.process).filter(|_| !step.stutters)
}

/// What the statement of a step reads, with what it waits for.
pub fn reads_of(interpreter: &Interpreter, step: &TraceStep, out: &mut Reads) {
    let Some(process) = process_of(interpreter.model(), step) else { return };
    let view = View { interpreter, process: Some((process, step.pid)) };
    process.provided.iter().for_each(|condition| view.expression(condition, out));
    let Some(location) = process.locations.get(step.location as usize) else { return };
    let Some(taken) = location.transitions.get(step.transition as usize) else { return };
    view.action(&taken.action, out);
    location.assertions.iter().for_each(|assertion| view.expression(&assertion.value, out));
    if taken.action == Action::Else {
        location.transitions.iter().for_each(|other| view.action(&other.action, out));
    }
}

/// What is watched, at some place of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Watched {
    reads: Reads,
    /// Processes that do something later that has influence.
    later: BTreeSet<(u16, String)>,
    /// The other half of a handshake that has influence.
    handshake: bool,
}

impl Watched {
    fn add(&mut self, other: &Watched) {
        let Reads { variables, channels, any_channel, places_of, all_places, everything } = &other.reads;
        self.reads.variables.extend(variables.iter().cloned());
        self.reads.channels.extend(channels.iter().cloned());
        self.reads.places_of.extend(places_of.iter().cloned());
        self.reads.any_channel |= any_channel;
        self.reads.all_places |= all_places;
        self.reads.everything |= everything;
        self.later.extend(other.later.iter().cloned());
    }
}

/// Marks the steps without influence. Where no step has any, or all have, no step is marked.
pub fn mark(interpreter: &Interpreter, example: &mut Counterexample, criterion: Criterion) {
    let model = interpreter.model();
    let mut always = Reads::default();
    let mut watched = Watched::default();
    match criterion {
        Criterion::Unknown => return,
        Criterion::Propositions => {
            let view = View { interpreter, process: None };
            model
                .propositions
                .iter()
                .for_each(|proposition| view.expression(&proposition.value, &mut always));
        }
        Criterion::LastStep => watched.handshake = true,
        Criterion::Waiting => {
            let waiting =
                example.last.iter().flat_map(|last| &last.processes).filter(|process| !process.may_end);
            for process in waiting {
                watched.later.insert((process.pid, process.process.clone()));
                let Some(ty) = model.process_types.iter().find(|ty| ty.name == process.process) else {
                    continue;
                };
                let view = View { interpreter, process: Some((ty, process.pid)) };
                ty.provided.iter().for_each(|condition| view.expression(condition, &mut watched.reads));
                let Some(location) = ty.locations.get(process.location as usize) else { continue };
                location.transitions.iter().for_each(|way| view.action(&way.action, &mut watched.reads));
            }
        }
    }
    if example.ending == RunEnding::Diverges || always.everything || watched.reads.everything {
        return;
    }
    let slicer = Slicer { interpreter, always };
    let mut cycle = vec![false; example.cycle.len()];
    loop {
        let mut at_start = watched.clone();
        slicer.walk(&example.cycle, &mut at_start, &mut cycle);
        let before = watched.clone();
        watched.add(&at_start);
        if watched == before {
            watched = at_start;
            break;
        }
    }
    let mut prefix = vec![false; example.prefix.len()];
    slicer.walk(&example.prefix, &mut watched, &mut prefix);
    if !prefix.iter().chain(&cycle).any(|counts| *counts) {
        return;
    }
    let steps = example.prefix.iter_mut().chain(&mut example.cycle);
    for (step, counts) in steps.zip(prefix.iter().chain(&cycle)) {
        step.without_influence = !counts && !step.stutters && step.number > 0;
        example.without_influence.extend(step.without_influence.then_some(step.number));
    }
}

struct Slicer<'a> {
    interpreter: &'a Interpreter<'a>,
    /// Watched in every state.
    always: Reads,
}

impl Slicer<'_> {
    fn walk(&self, steps: &[TraceStep], watched: &mut Watched, counts: &mut [bool]) {
        let model = self.interpreter.model();
        for (k, step) in steps.iter().enumerate().rev() {
            let Some(process) = process_of(model, step) else { continue };
            let Some(location) = process.locations.get(step.location as usize) else { continue };
            let Some(taken) = location.transitions.get(step.transition as usize) else { continue };
            // Of a handshake the second step, the receive, says what changes.
            let sends = matches!(taken.action, Action::Send { .. });
            let meets = steps.get(k + 1).is_some_and(|next| next.pid != step.pid);
            let half = sends && step.changes.is_empty() && meets && model.language == Language::Promela;
            let waits = !matches!(
                taken.action,
                Action::Skip
                    | Action::Assign(..)
                    | Action::AssignAll(_)
                    | Action::Print { .. }
                    | Action::Assert(_)
                    | Action::Run { .. }
                    | Action::SetPriority(..)
                    | Action::MoveProcess { .. }
                    | Action::End
            );
            let controls = waits || location.transitions.len() > 1;
            let key = (step.pid, step.process.clone());
            let creates = match &taken.action {
                Action::Run { process, .. } => {
                    let name = &model.process_types[process.0 as usize].name;
                    watched.later.iter().any(|(_, later)| later == name)
                }
                _ => false,
            };
            let places = &self.always;
            let changes_place = places.all_places
                || places.places_of.contains(&step.process)
                || watched.reads.all_places
                || watched.reads.places_of.contains(&step.process);
            let view = View { interpreter: self.interpreter, process: Some((process, step.pid)) };
            let mut written = Vec::new();
            writes(view, &taken.action, &mut written);
            let changed = step.changes.iter().map(|change| &change.name);
            let has_influence = watched.handshake && (k + 1 == steps.len() || half)
                || changed.chain(&written).any(|name| self.always.names(name) || watched.reads.names(name))
                || changes_place
                || creates
                || controls && watched.later.contains(&key);
            if !has_influence {
                continue;
            }
            counts[k] = true;
            let handshake = matches!(&taken.action, Action::Receive(_))
                && k > 0
                && steps[k - 1].pid != step.pid
                && steps[k - 1].changes.is_empty();
            watched.handshake = handshake;
            watched.later.insert(key);
            // What is overwritten as a whole does not matter before.
            if let Action::Assign(place, _) = &taken.action
                && place.indices.is_empty()
            {
                let local = matches!(place.base, Base::Local);
                let among = if local { &process.variables } else { &model.globals };
                let scalar =
                    among.iter().find(|variable| covers(variable, place.offset)).is_some_and(|variable| {
                        variable.length.is_none() && matches!(variable.ty, Type::Scalar { .. })
                    });
                if let Some(name) = view.place(place).filter(|_| scalar) {
                    watched.reads.variables.remove(&name);
                }
            }
            reads_of(self.interpreter, step, &mut watched.reads);
        }
    }
}
