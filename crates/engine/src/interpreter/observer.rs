//! `trace` and `notrace` assertions: an automaton that watches sends and receives.
//!
//! While an assertion is checked, its location is part of the state, behind the globals; a model that nobody
//! observes pays nothing. Every send and every receive that is executed, also inside of indivisible programs,
//! is shown to the observer. It watches the channels that it names: sends, if some event of the assertion is
//! a send to that channel, receives likewise. A watched event must fit one transition of its location, which
//! it then takes.
//!
//! - A *trace* is broken by an event that fits none (behind the closing brace, none does), and by a run that
//!   ends where the trace may not: while processes wait at their ends, neither at the closing brace nor at an
//!   `end` label. Where no process is left, nothing more is asked; where one is stuck, that is an invalid end
//!   state and not the trace's matter.
//! - A *notrace* is broken when its closing brace is reached. The first event that does not fit saves the run
//!   for good.
//! - An event that fits two transitions breaks both: an assertion must be deterministic.
//!
//! These rules are those of Spin's verifier, found out by measurement, and so are the states that come of it.
//! After a breach the step is taken and the observer stays. A handshake is two events, the send first. A
//! message that stays in its channel (`c?<x>`) is no event.
//!
//! Spin is not followed in four points, all of them errors there. A rendezvous send that nobody receives is
//! no event. What counts is the message that is sent or taken, also by sorted sends and random receives (Spin
//! looks at the last and at the oldest one of the channel). A constant expression in an event is compared. A
//! run that ends in the middle of a `notrace` has not broken it.

use super::evaluate::Scene;
use super::memory::{Frames, read, write};
use super::{Interpreter, Outcome};
use crate::describe::{global_channel, shown};
use crate::layout::Layout;
use crate::successors::{Violation, ViolationKind};
use lariat_model::ir::*;

/// An assertion that watches, made ready.
#[derive(Clone)]
pub(super) struct Observer<'m> {
    claim: &'m Claim,
    /// The channels whose sends, and those whose receives, it watches.
    sends: Vec<&'m Expr>,
    receives: Vec<&'m Expr>,
    /// The closing brace.
    closing: Location,
}

/// A send or receive that has just been executed.
pub(super) struct Event<'a> {
    pub usage: ChannelUse,
    /// The channel's number and type.
    pub channel: i32,
    pub ty: u16,
    pub message: &'a [i32],
}

impl<'m> Observer<'m> {
    /// The observer of a claim; or why it cannot be one.
    pub fn new(claim: &'m Claim) -> Result<Observer<'m>, String> {
        if claim.kind == ClaimKind::Never {
            return Err("a never claim watches states, not events".to_string());
        }
        let automaton = &claim.automaton;
        if automaton.variables_size > 0 {
            return Err("the assertion has variables of its own".to_string());
        }
        let ends = |location: &LocationInfo| location.transitions.iter().any(|t| t.action == Action::End);
        let Some(closing) = automaton.locations.iter().position(ends) else {
            return Err("the assertion has no closing brace".to_string());
        };
        let mut observer =
            Observer { claim, sends: Vec::new(), receives: Vec::new(), closing: closing as Location };
        for transition in automaton.locations.iter().flat_map(|location| &location.transitions) {
            let (list, channel) = match &transition.action {
                Action::Send { channel, .. } => (&mut observer.sends, channel),
                Action::Receive(receive) => (&mut observer.receives, &receive.channel),
                _ => continue,
            };
            if !list.contains(&channel) {
                list.push(channel);
            }
        }
        match observer.other_than_events() {
            Some(text) => Err(format!("`{text}` is not an event: expected only sends and receives")),
            None => Ok(observer),
        }
    }

    /// The text of a statement that can be reached and is no event.
    fn other_than_events(&self) -> Option<&str> {
        let automaton = &self.claim.automaton;
        let mut reached = vec![false; automaton.locations.len()];
        let mut todo = vec![automaton.start];
        while let Some(location) = todo.pop() {
            if std::mem::replace(&mut reached[location as usize], true) {
                continue;
            }
            for transition in &automaton.locations[location as usize].transitions {
                match &transition.action {
                    Action::Send { sorted: false, .. }
                    | Action::Receive(Receive { random: false, copy: false, .. }) => {}
                    Action::End => continue,
                    _ => return Some(&automaton.statements[transition.statement as usize].text),
                }
                todo.push(transition.target);
            }
        }
        None
    }

    pub fn start(&self) -> Location {
        self.claim.automaton.start
    }

    fn transitions(&self, location: Location) -> &'m [Transition] {
        self.claim.automaton.locations.get(location as usize).map_or(&[], |info| &info.transitions)
    }
}

impl<'m> Interpreter<'m> {
    /// An interpreter that executes the model under the eyes of one of its `trace` or `notrace` assertions, a
    /// place in [`Model::claims`]. It reports what that assertion and run-time errors have to say; failed
    /// assertions and invalid end states are not its matter. An error says why the claim cannot observe.
    pub fn observed(model: &'m Model, claim: usize) -> Result<Interpreter<'m>, String> {
        let claim = model.claims.get(claim).ok_or("there is no such claim")?;
        let observer = Observer::new(claim)?;
        let layout = Layout::observed(model, claim);
        Ok(Interpreter::with_layout(model, layout, Some(observer)))
    }

    fn observer_location(&self, bytes: &[u8]) -> Location {
        self.layout.observer.map_or(0, |place| read(bytes, place.offset, place.storage) as Location)
    }

    pub(super) fn set_observer_location(&self, location: Location, bytes: &mut [u8]) {
        if let Some(place) = self.layout.observer {
            write(bytes, place.offset, place.storage, location as i32);
        }
    }

    /// Shows an event to the observer, if there is one: its location in `bytes` moves on. `scene` shows the
    /// state before. Returns the breach, which does not prevent the step.
    #[inline]
    pub(super) fn observe(
        &self,
        event: &Event,
        scene: &Scene,
        bytes: &mut [u8],
    ) -> Outcome<Option<Box<Violation>>> {
        match &self.observer {
            Some(observer) => self.show_to(observer, event, scene, bytes),
            None => Ok(None),
        }
    }

    fn show_to(
        &self,
        observer: &Observer,
        event: &Event,
        scene: &Scene,
        bytes: &mut [u8],
    ) -> Outcome<Option<Box<Violation>>> {
        let scene = Scene {
            pid: 0,
            ty: 0,
            locals: 0,
            location: 0,
            handshake: None,
            outside: Some(&crate::Moment::Moving),
            ..*scene
        };
        let watched = match event.usage {
            ChannelUse::Send => &observer.sends,
            ChannelUse::Receive => &observer.receives,
        };
        let mut concerned = false;
        for channel in watched {
            concerned |= self.evaluate(channel, &scene)? == event.channel;
        }
        if !concerned {
            return Ok(None);
        }
        let location = self.observer_location(bytes);
        let mut fitting = Vec::new();
        for transition in observer.transitions(location) {
            if self.event_fits(transition, event, &scene)? {
                fitting.push(transition);
            }
        }
        let shown = || self.shown_event(event);
        let message = match (&fitting[..], observer.claim.kind) {
            ([one], kind) => {
                self.set_observer_location(one.target, bytes);
                if kind != ClaimKind::NoTrace || one.target != observer.closing {
                    return Ok(None);
                }
                format!("{} completes the sequence that must not happen", shown())
            }
            ([], ClaimKind::NoTrace) => {
                self.set_observer_location(observer.closing, bytes);
                return Ok(None);
            }
            ([], _) if location == observer.closing => {
                format!("{} is not allowed: the assertion has come to its end", shown())
            }
            ([], _) => {
                let expected = self.shown_transitions(observer, observer.transitions(location), " or ");
                format!("{} is not allowed: the assertion expects {expected}", shown())
            }
            (several, _) => {
                let both = self.shown_transitions(observer, several.iter().copied(), " and ");
                format!("the assertion is not deterministic: {} fits {both}", shown())
            }
        };
        Ok(Some(Box::new(Violation { kind: ViolationKind::EventTrace, message })))
    }

    /// Whether an event is what a transition of the assertion stands for. Fields that it does not name may
    /// have any value.
    fn event_fits(&self, transition: &Transition, event: &Event, scene: &Scene) -> Outcome<bool> {
        let fields = &self.model.channel_types[event.ty as usize].fields;
        let value = |i: usize| match (event.message.get(i), fields.get(i)) {
            (Some(value), Some(field)) => Some(field.storage.truncate(*value)),
            _ => None,
        };
        let mut wanted: Vec<Option<&Expr>> = Vec::new();
        let channel = match (&transition.action, event.usage) {
            (Action::Send { channel, arguments, .. }, ChannelUse::Send) => {
                wanted.extend(arguments.iter().map(|argument| (!is_any_value(argument)).then_some(argument)));
                channel
            }
            (Action::Receive(receive), ChannelUse::Receive) => {
                wanted.extend(receive.arguments.iter().map(|argument| match argument {
                    ReceiveArgument::Match(expr) => Some(expr),
                    ReceiveArgument::Store(_) | ReceiveArgument::Drop => None,
                }));
                &receive.channel
            }
            _ => return Ok(false),
        };
        if self.evaluate(channel, scene)? != event.channel {
            return Ok(false);
        }
        for (i, wanted) in wanted.into_iter().enumerate() {
            if let Some(expr) = wanted
                && Some(self.evaluate(expr, scene)?) != value(i)
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// What is wrong, by the observer, with a working state in which nothing happens any more.
    pub(super) fn unfinished(&self, observer: &Observer, bytes: &[u8], frames: &Frames) -> Option<Violation> {
        let location = self.observer_location(bytes);
        let may_end = observer.claim.automaton.locations.get(location as usize).is_some_and(|l| l.end);
        let is_asked = observer.claim.kind == ClaimKind::Trace && !frames.processes.is_empty();
        if may_end || !is_asked || !self.all_at_end(bytes, frames) {
            return None;
        }
        let expected = self.shown_transitions(observer, observer.transitions(location), " or ");
        let message = format!("the run ends while the assertion expects {expected}");
        Some(Violation { kind: ViolationKind::UnfinishedTrace, message })
    }

    /// `c!3,1`
    fn shown_event(&self, event: &Event) -> String {
        let channel = &self.model.channel_types[event.ty as usize];
        let values: Vec<String> = event
            .message
            .iter()
            .zip(&channel.fields)
            .map(|(value, field)| shown(self.model, field.shown, field.storage.truncate(*value)))
            .collect();
        let sign = match event.usage {
            ChannelUse::Send => '!',
            ChannelUse::Receive => '?',
        };
        let name = global_channel(self.model, event.channel, event.ty as usize);
        format!("{name}{sign}{}", values.join(","))
    }

    /// `c!3,1 (line 4) or c?_ (line 5)`
    fn shown_transitions<'t>(
        &self,
        observer: &Observer,
        transitions: impl IntoIterator<Item = &'t Transition>,
        between: &str,
    ) -> String {
        let shown = |transition: &Transition| {
            let statement = &observer.claim.automaton.statements[transition.statement as usize];
            format!("{} (line {})", statement.text, statement.line.line)
        };
        transitions.into_iter().map(shown).collect::<Vec<_>>().join(between)
    }
}

/// A field of an event that may have any value: written as a value that lies nowhere.
fn is_any_value(argument: &Expr) -> bool {
    matches!(argument, Expr::Load(place) if place.base == Base::Nowhere)
}
