//! Single steps, for simulation and for showing a run to people.

use super::memory::Frames;
use super::{Interpreter, Scene};
use crate::describe::shown;
use crate::successors::{Step, SuccessorFunction, Successors, Violation};
use lariat_model::ir::*;

/// A state with its hidden globals, and who has control: what one micro step leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MicroState {
    bytes: Vec<u8>,
    /// The process that alone may go on, as long as it can: the state is one within an indivisible sequence.
    pub held: Option<u16>,
}

impl MicroState {
    /// The bytes of the working state, for [`crate::describe`].
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// One thing that can happen: one step, or the two of a handshake.
#[derive(Clone, Debug)]
pub struct MicroStep {
    /// One, or for a handshake the send and the receive.
    pub steps: Vec<Step>,
    /// The state after them.
    pub next: MicroState,
}

impl Interpreter<'_> {
    /// The initial state; or what went wrong while it was made.
    pub fn micro_initial(&self) -> Result<MicroState, Violation> {
        let bytes = self.initial_working_state().map_err(|violation| *violation)?;
        Ok(MicroState { bytes, held: None })
    }

    /// A state that a search stored (with the bytes that it does not compare). No process has control in it.
    pub fn micro_from(&self, stored: &[u8]) -> MicroState {
        let mut bytes = Vec::new();
        self.working_state(stored, &mut bytes);
        MicroState { bytes, held: None }
    }

    /// Everything that can happen next. If a process has control but cannot go on, it loses it.
    pub fn micro_successors(&self, state: &MicroState, out: &mut Successors) -> Vec<MicroStep> {
        out.clear();
        let frames = Frames::of(&state.bytes, &self.layout);
        let moved = self.moves(&state.bytes, &frames, state.held, out);
        if !moved && state.held.is_some() {
            out.clear();
            self.moves(&state.bytes, &frames, None, out);
        }
        (0..out.len())
            .map(|i| MicroStep {
                steps: out.steps(i).into_owned(),
                next: MicroState { bytes: out.state(i).to_vec(), held: out.held(i) },
            })
            .collect()
    }

    /// Executes the given steps one by one; what each of them leads to. `None` if they cannot be executed.
    pub fn replay(&self, from: &MicroState, steps: &[Step]) -> Option<Vec<MicroStep>> {
        let mut out = Successors::new();
        let mut result: Vec<MicroStep> = Vec::new();
        let mut state = from.clone();
        let mut rest = steps;
        while !rest.is_empty() {
            let mut next = self.micro_successors(&state, &mut out);
            let taken = next.iter().position(|micro| rest.starts_with(&micro.steps))?;
            let taken = next.swap_remove(taken);
            rest = &rest[taken.steps.len()..];
            state = taken.next.clone();
            result.push(taken);
        }
        Some(result)
    }

    /// Whether nothing can happen and that is right.
    pub fn micro_may_end(&self, state: &MicroState) -> bool {
        self.may_end(&self.stored(state))
    }

    /// The state as a search stores it.
    pub fn stored(&self, state: &MicroState) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(state.bytes.len());
        self.stored_from_working(&state.bytes, &mut bytes);
        bytes
    }

    /// What a step prints when it is executed in this state.
    pub fn printed(&self, before: &MicroState, step: Step) -> Option<String> {
        let frames = Frames::of(&before.bytes, &self.layout);
        let scene = self.scene(step.pid as usize, &before.bytes, &frames, false);
        let transition = self.transition(step);
        let mut text = String::new();
        match &transition.action {
            Action::Program(program) => {
                let mut after = before.bytes.clone();
                // What was printed before an error counts, too.
                let _ = self.run_program(program, &scene, &mut after, 0, &mut |action, scene| {
                    self.print_action(action, scene, &mut text);
                });
            }
            action => self.print_action(action, &scene, &mut text),
        }
        (!text.is_empty()).then_some(text)
    }

    fn print_action(&self, action: &Action, scene: &Scene, text: &mut String) {
        if let Action::Print { format, arguments } = action {
            let mut values = arguments.iter().map(|a| self.evaluate(a, scene).unwrap_or(0));
            for piece in format {
                match piece {
                    FormatPiece::Text(literal) => text.push_str(literal),
                    FormatPiece::Decimal => text.push_str(&values.next().unwrap_or(0).to_string()),
                    FormatPiece::Unsigned => text.push_str(&(values.next().unwrap_or(0) as u32).to_string()),
                    FormatPiece::Octal => text.push_str(&format!("{:o}", values.next().unwrap_or(0))),
                    FormatPiece::Hexadecimal => text.push_str(&format!("{:x}", values.next().unwrap_or(0))),
                    FormatPiece::Character => {
                        let value = values.next().unwrap_or(0);
                        text.push(char::from_u32(value as u32).unwrap_or('?'));
                    }
                    FormatPiece::Symbol(list) => {
                        let value = values.next().unwrap_or(0);
                        text.push_str(&crate::describe::symbol(self.model, *list, value));
                    }
                }
            }
        }
    }

    /// The successors that one step leads to, or the two of a handshake: without those behind indivisible
    /// sequences, which may take long. Everything else that the buffer tells is about these steps, too.
    pub fn direct_successors(&self, state: &[u8], out: &mut Successors) {
        out.clear();
        let mut frames = std::mem::take(&mut out.work.frames);
        let mut working = std::mem::take(&mut out.work.working);
        self.working_state(state, &mut working);
        frames.find(&working, &self.layout);
        out.moved = self.moves(&working, &frames, None, out);
        (out.work.working, out.work.frames) = (working, frames);
        if out.asks_for_participants {
            let mut direct = out.entries.iter().map(|entry| entry.held_by().is_none());
            out.participants.retain(|_| direct.next().unwrap_or(false));
        }
        out.entries.retain(|entry| entry.held_by().is_none());
        self.store_successors(out);
    }

    /// The transition that a step takes. Panics if the step is none of this model's.
    pub fn transition(&self, step: Step) -> &Transition {
        let process = &self.model.process_types[step.process_type as usize];
        &process.locations[step.location as usize].transitions[step.transition as usize]
    }

    /// What a send step sends: the number of the channel, and the values, constants by their names.
    pub fn sent(&self, before: &MicroState, step: Step) -> Option<(i32, Vec<String>)> {
        let Action::Send { channel, arguments, .. } = &self.transition(step).action else { return None };
        let frames = Frames::of(&before.bytes, &self.layout);
        let scene = self.scene(step.pid as usize, &before.bytes, &frames, false);
        let number = self.evaluate(channel, &scene).ok()?;
        let frame = self.channel_by_number(number, &scene).ok()?;
        let message = self.message_to_send(frame, arguments, &scene).ok()?;
        let fields = &self.model().channel_types[frame.ty as usize].fields;
        let text = |(k, value): (usize, &i32)| match fields.get(k).map(|field| field.shown) {
            Some(symbol @ ShownAs::Symbol(_)) => shown(self.model(), symbol, *value),
            _ => value.to_string(),
        };
        Some((number, message.iter().enumerate().map(text).collect()))
    }
}
