//! What another engine borrows from the interpreter.
//!
//! An engine that executes models in another way (compiled to machine code, say) need not do everything
//! itself. What is rare it leaves to the interpreter, piece by piece: a whole state in which an error
//! happens, one transition, one expression, an indivisible sequence. So the meaning stays in one place.

use super::evaluate::{Handshake, Scene};
use super::memory::Frames;
use super::{Attempt, Interpreter, step_of};
use crate::successors::Successors;
use lariat_model::ir::{Expr, Transition};

/// A working state, seen by one of its processes.
pub struct ProcessView<'a> {
    /// The working state.
    pub bytes: &'a [u8],
    /// Whose view it is.
    pub pid: usize,
    /// Nothing else can move.
    pub timeout: bool,
    /// A transition of the process has been executed in this state.
    pub moved: bool,
    /// In the middle of a rendezvous: the number of the channel, and the message.
    pub handshake: Option<(i32, Vec<i32>)>,
}

/// An error: the whole state must be left to [`crate::SuccessorFunction::successors`] of the interpreter.
#[derive(Debug)]
pub struct Fails;

/// How an attempt to execute a transition ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attempted {
    /// It cannot be executed now.
    Blocked,
    /// A rendezvous send without a receiver: as if it had not been tried.
    NobodyReceives,
    /// It was executed, in one way or several.
    Moved,
}

impl Interpreter<'_> {
    fn with_scene<T>(&self, view: &ProcessView, look: impl FnOnce(&Scene) -> T) -> T {
        let mut frames = self.frames.take();
        frames.find(view.bytes, &self.layout);
        let result = self.with_frames(view, &frames, look);
        self.frames.replace(frames);
        result
    }

    fn with_frames<T>(&self, view: &ProcessView, frames: &Frames, look: impl FnOnce(&Scene) -> T) -> T {
        let handshake = view
            .handshake
            .as_ref()
            .map(|(channel, message)| Handshake { channel: *channel, message: message.clone() });
        if frames.processes.is_empty() {
            let outside = Scene {
                bytes: view.bytes,
                frames,
                pid: 0,
                ty: 0,
                locals: 0,
                location: 0,
                timeout: view.timeout,
                moved: false,
                handshake: None,
                run_result: 0,
                questions: 0,
                outside: Some(&crate::Moment::Moving),
            };
            return look(&outside);
        }
        let mut scene =
            self.scene(view.pid.min(frames.processes.len() - 1), view.bytes, frames, view.timeout);
        scene.moved = view.moved;
        scene.handshake = handshake.as_ref();
        look(&scene)
    }

    /// The value of an expression.
    pub fn value_of(&self, expr: &Expr, view: &ProcessView) -> Result<i32, Fails> {
        self.with_scene(view, |scene| self.evaluate(expr, scene).map_err(|_| Fails))
    }

    /// Whether the process may move at all.
    pub fn process_may_move(&self, view: &ProcessView) -> Result<bool, Fails> {
        self.with_scene(view, |scene| self.may_move(scene).map_err(|_| Fails))
    }

    /// Tries one transition of the process, the `index`th of its location. What it leads to (working states)
    /// is added to `out`.
    pub fn attempt_transition(
        &self,
        index: usize,
        view: &ProcessView,
        out: &mut Successors,
    ) -> Result<Attempted, Fails> {
        self.with_scene(view, |scene| {
            let transition: &Transition = self.transitions(scene).get(index).ok_or(Fails)?;
            let before = out.violations.len();
            let step = step_of(scene, index);
            let attempt = match scene.handshake {
                Some(_) => self.receive_handshake(transition, &[step], None, scene, out).map(|received| {
                    match received {
                        true => Attempt::Moved,
                        false => Attempt::Blocked,
                    }
                }),
                None => self.attempt(transition, step, scene, out),
            };
            match attempt {
                Ok(_) if out.violations.len() > before => Err(Fails),
                Ok(Attempt::Blocked) => Ok(Attempted::Blocked),
                Ok(Attempt::NobodyReceives) => Ok(Attempted::NobodyReceives),
                Ok(Attempt::Moved) => Ok(Attempted::Moved),
                Err(_) => Err(Fails),
            }
        })
    }

    /// Whether the `index`th transition of the process, which is about to be executed, breaks a promise about
    /// channels.
    pub fn breaks_promise(&self, index: usize, view: &ProcessView) -> Result<bool, Fails> {
        self.with_scene(view, |scene| {
            let transition = self.transitions(scene).get(index).ok_or(Fails)?;
            let mut out = Successors::new();
            self.check_exclusive(&transition.action, &[], scene, &mut out);
            Ok(out.has_violations())
        })
    }

    /// Whether an assertion watches.
    pub fn is_observed(&self) -> bool {
        self.observer.is_some()
    }

    /// Whether some process has promised something about channels.
    pub fn has_promises(&self) -> bool {
        self.has_exclusive
    }
}
