//! Steps: a guard, a synchronisation and effects become one action.
//!
//! A transition without a synchronisation is a program: its guard is judged in the state before, its effects
//! run in their order. On a channel that keeps messages the guard also asks whether there is room or a
//! message, and the exchange comes first.
//!
//! A rendezvous takes two processes. Both are known before the run, so for every send and every receive on
//! the same channel in another process there is one transition, of the sender. It waits for both guards and
//! for the receiver to be there; then the values go over, all computed in the state before; then come the
//! sender's effects, then the receiver's; then both are where they go to. If one of the two leaves a
//! committed state and the other does not, they never meet: there is no such transition.

use super::declarations::{Entity, storage};
use super::expressions::{View, and};
use super::{Lowered, Lowering};
use crate::ast::{self, Direction, Sync, Transition};
use lariat_model::ir;
use lariat_source::Diagnostic;

impl<'a> Lowering<'a> {
    pub(super) fn transitions(&mut self, index: usize, process: &mut ir::ProcessType) {
        let text: &'a ast::Process = self.processes[index].text;
        for transition in &text.transitions {
            let _ = self.transition(index, transition, process);
        }
    }

    fn transition(
        &mut self,
        index: usize,
        transition: &'a Transition,
        process: &mut ir::ProcessType,
    ) -> Lowered<()> {
        let view = self.view_of(index);
        let source = self.state(index, &transition.source);
        let target = self.state(index, &transition.target);
        let guard = transition.guard.as_ref().map(|guard| self.value(guard, view)).transpose();
        let effects = self.effects(transition, view);
        let sync = transition.sync.as_ref().map(|sync| self.exchange(sync, view)).transpose();
        let (source, target, guard, effects, sync) = (source?, target?, guard?, effects?, sync?);
        let number = match sync {
            None => None,
            Some((channel, _)) => match self.channels[channel].number {
                Some(number) => Some(ir::Expr::Constant(number)),
                None => {
                    if transition.sync.as_ref().is_some_and(|sync| sync.direction == Direction::Send) {
                        self.meetings(index, transition, channel, process)?;
                    }
                    return Ok(());
                }
            },
        };
        let statement = self.statement(process, self.transition_text(transition), transition.span);
        let mut steps = Vec::new();
        let mut room = None;
        if let (Some((_, exchanged)), Some(number)) = (sync, number) {
            let (test, action) = match exchanged {
                Exchanged::Sent(arguments) => (
                    ir::ChannelTest::NotFull,
                    ir::Action::Send { channel: number.clone(), sorted: false, arguments },
                ),
                Exchanged::Received(places) => {
                    let arguments = places.into_iter().map(ir::ReceiveArgument::Store).collect();
                    let receive =
                        ir::Receive { channel: number.clone(), random: false, copy: false, arguments };
                    (ir::ChannelTest::NotEmpty, ir::Action::Receive(receive))
                }
            };
            room = Some(ir::Expr::Test(test, Box::new(number)));
            steps.push(action);
        }
        steps.extend(effects);
        process.locations[source as usize].transitions.push(ir::Transition {
            action: action(guard, room, steps, statement),
            target,
            keeps_control: false,
            escape: 0,
            statement,
        });
        Ok(())
    }

    /// The assignments of a transition.
    fn effects(&mut self, transition: &Transition, view: View) -> Lowered<Vec<ir::Action>> {
        let mut actions = Vec::new();
        let mut failed = false;
        for effect in &transition.effects {
            let (place, value) = (self.place(&effect.place, view), self.value(&effect.value, view));
            match (place, value) {
                (Ok(place), Ok(value)) => actions.push(ir::Action::Assign(place, value)),
                _ => failed = true,
            }
        }
        if failed { Err(super::Failed) } else { Ok(actions) }
    }

    /// What goes over a channel.
    fn exchange(&mut self, sync: &Sync, view: View) -> Lowered<(usize, Exchanged)> {
        let channel = match self.globals.get(sync.channel.text.as_str()) {
            Some(Entity::Channel(channel, _)) => *channel,
            Some(Entity::Broken(_)) => return Err(super::Failed),
            Some(_) => {
                let message =
                    Diagnostic::error(format!("`{}` is no channel", sync.channel.text), sync.channel.span);
                return self.fail(message);
            }
            None => {
                let names = self.globals.iter().filter(|(_, entity)| matches!(entity, Entity::Channel(..)));
                let known: Vec<&str> = names.map(|(name, _)| *name).collect();
                return self.unknown("channel", &sync.channel, &known);
            }
        };
        let count = sync.values.len();
        let known = &mut self.channels[channel];
        let (arity, first) = *known.arity.get_or_insert((count, sync.span));
        if arity != count {
            let message = format!("messages of `{}` have {}, not {count}", sync.channel.text, counted(arity));
            return self.fail(Diagnostic::error(message, sync.span).also(first, "as here"));
        }
        let exchanged = match sync.direction {
            Direction::Send => {
                let values =
                    sync.values.iter().map(|value| self.value(value, view)).collect::<Lowered<Vec<_>>>()?;
                Exchanged::Sent(values)
            }
            Direction::Receive => {
                let places =
                    sync.values.iter().map(|place| self.place(place, view)).collect::<Lowered<Vec<_>>>()?;
                Exchanged::Received(places)
            }
        };
        Ok((channel, exchanged))
    }

    /// One transition for each receive that a send can meet.
    fn meetings(
        &mut self,
        sender: usize,
        send: &'a Transition,
        channel: usize,
        process: &mut ir::ProcessType,
    ) -> Lowered<()> {
        for receiver in (0..self.processes.len()).filter(|receiver| *receiver != sender) {
            let Some(pid) = self.processes[receiver].pid else { continue };
            let text: &'a ast::Process = self.processes[receiver].text;
            for receive in &text.transitions {
                let Some(sync) = &receive.sync else { continue };
                let meets = sync.direction == Direction::Receive
                    && matches!(self.globals.get(sync.channel.text.as_str()), Some(Entity::Channel(c, _)) if *c == channel)
                    && self.leaves_committed(sender, send) == self.leaves_committed(receiver, receive);
                if meets {
                    self.meeting(sender, send, receiver, pid, receive, process)?;
                }
            }
        }
        Ok(())
    }

    fn leaves_committed(&self, process: usize, transition: &Transition) -> bool {
        self.processes[process].text.commit.iter().any(|state| state.text == transition.source.text)
    }

    fn meeting(
        &mut self,
        sender: usize,
        send: &Transition,
        receiver: usize,
        pid: u16,
        receive: &Transition,
        process: &mut ir::ProcessType,
    ) -> Lowered<()> {
        // Errors in the receiver's text are reported where it stands, not here again.
        let said = self.messages.len();
        let mine = self.view_of(sender);
        let theirs = View { text: Some(receiver), moves: Some(sender), initial: false };
        let lowered = self.both_halves(send, mine, receiver, receive, theirs);
        if lowered.is_err() {
            self.messages.truncate(said);
        }
        let Meeting { guard, transfer, effects, waits_at, goes_to } = lowered?;
        let number = ir::ProcessTypeId(pid);
        let is_there = ir::Expr::RemoteLabel {
            process: number,
            pid: Some(Box::new(ir::Expr::Constant(pid as i32))),
            location: waits_at,
        };
        let mut steps = Vec::new();
        match transfer.len() {
            0 => {}
            1 => steps.extend(transfer.into_iter().map(|(place, value)| ir::Action::Assign(place, value))),
            _ => steps.push(ir::Action::AssignAll(transfer)),
        }
        steps.extend(effects);
        // Also where it stays: so it is known to take part.
        steps.push(ir::Action::MoveProcess { process: number, pid, location: goes_to });
        let partner = self.processes[receiver].name.text.clone();
        let line = self.line(receive.span).line;
        let (mine, theirs) = (self.transition_text(send), self.transition_text(receive));
        let shown = format!("{mine} with {partner}:{line} {theirs}");
        let statement = self.statement(process, shown, send.span);
        let source = self.state(sender, &send.source)?;
        let target = self.state(sender, &send.target)?;
        process.locations[source as usize].transitions.push(ir::Transition {
            action: action(Some(is_there), guard, steps, statement),
            target,
            keeps_control: false,
            escape: 0,
            statement,
        });
        Ok(())
    }

    /// What sender and receiver do together, as the sender sees it.
    fn both_halves(
        &mut self,
        send: &Transition,
        mine: View,
        receiver: usize,
        receive: &Transition,
        theirs: View,
    ) -> Lowered<Meeting> {
        let waits_at = self.state(receiver, &receive.source)?;
        let goes_to = self.state(receiver, &receive.target)?;
        let my_guard = send.guard.as_ref().map(|guard| self.value(guard, mine)).transpose()?;
        let their_guard = receive.guard.as_ref().map(|guard| self.value(guard, theirs)).transpose()?;
        let mut effects = self.effects(send, mine)?;
        effects.extend(self.effects(receive, theirs)?);
        let (Some(sent), Some(received)) = (&send.sync, &receive.sync) else { return Err(super::Failed) };
        let (channel, sent) = self.exchange(sent, mine)?;
        let (_, received) = self.exchange(received, theirs)?;
        let (Exchanged::Sent(values), Exchanged::Received(places)) = (sent, received) else {
            return Err(super::Failed);
        };
        let types = self.channels[channel].types.clone();
        let values = values.into_iter().enumerate().map(|(field, value)| match &types {
            Some(types) => truncated(storage(types[field]), value),
            None => value,
        });
        Ok(Meeting {
            guard: and(my_guard, their_guard),
            transfer: places.into_iter().zip(values).collect(),
            effects,
            waits_at,
            goes_to,
        })
    }
}

/// A rendezvous of two transitions.
struct Meeting {
    /// Of both.
    guard: Option<ir::Expr>,
    /// What goes over.
    transfer: Vec<(ir::Place, ir::Expr)>,
    /// The sender's, then the receiver's.
    effects: Vec<ir::Action>,
    /// Where the receiver is before.
    waits_at: ir::Location,
    goes_to: ir::Location,
}

enum Exchanged {
    Sent(Vec<ir::Expr>),
    Received(Vec<ir::Place>),
}

fn counted(arity: usize) -> String {
    match arity {
        0 => "no values".to_string(),
        1 => "1 value".to_string(),
        arity => format!("{arity} values"),
    }
}

/// What remains of a value when a channel with this type has carried it.
fn truncated(storage: ir::Storage, value: ir::Expr) -> ir::Expr {
    let with =
        |operator, value: ir::Expr, by| ir::Expr::Binary(operator, Box::new((value, ir::Expr::Constant(by))));
    match (storage, value) {
        (storage, ir::Expr::Constant(value)) => ir::Expr::Constant(storage.truncate(value)),
        (ir::Storage::Signed16, value) => {
            let high = with(ir::BinaryOperator::ShiftLeft, value, 16);
            with(ir::BinaryOperator::ShiftRight, high, 16)
        }
        (_, value) => with(ir::BinaryOperator::BitAnd, value, 255),
    }
}

/// Two conditions and what is done where both hold, as one action.
fn action(
    first: Option<ir::Expr>,
    second: Option<ir::Expr>,
    mut steps: Vec<ir::Action>,
    statement: u32,
) -> ir::Action {
    let guard = and(first, second).filter(|guard| !matches!(guard, ir::Expr::Constant(value) if *value != 0));
    match (guard, steps.len()) {
        (None, 0) => ir::Action::Skip,
        (Some(guard), 0) => ir::Action::Guard(guard),
        (None, 1) => steps.remove(0),
        (guard, count) => {
            let next = |node: usize| {
                if node + 1 == count { ir::Next::Exit } else { ir::Next::Node(node as u32 + 1) }
            };
            let node = |(number, action)| ir::Node::Do { action, next: next(number), statement };
            ir::Action::Program(Box::new(ir::Program {
                guards: guard.into_iter().map(ir::Action::Guard).collect(),
                nodes: steps.into_iter().enumerate().map(node).collect(),
            }))
        }
    }
}
