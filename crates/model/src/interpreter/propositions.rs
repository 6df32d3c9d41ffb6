//! The conditions that properties are about, judged from outside.
//!
//! A proposition is an expression that no process asks: it sees the globals, the channels, and other processes by remote
//! references. A property reads them in states that a search stores, not in the middle of indivisible sequences.

use super::evaluate::Scene;
use super::memory::Frames;
use super::{Interpreter, Violation};

/// The truth values of a model's propositions in one state: a buffer to be used again and again.
#[derive(Default)]
pub struct Valuation {
    /// In the order of [`crate::ir::Model::propositions`].
    pub values: Vec<bool>,
    working: Vec<u8>,
    frames: Frames,
}

impl Interpreter<'_> {
    /// Judges all propositions in a state. `stuck` says that nothing can happen there (`timeout`).
    pub(super) fn judge_propositions(
        &self,
        state: &[u8],
        stuck: bool,
        valuation: &mut Valuation,
    ) -> Result<(), Violation> {
        let Valuation { values, working, frames } = valuation;
        values.clear();
        if self.model.propositions.is_empty() {
            return Ok(());
        }
        self.working_state(state, working);
        frames.find(working, &self.layout);
        let scene = Scene {
            bytes: working,
            frames,
            pid: 0,
            ty: 0,
            locals: 0,
            location: 0,
            timeout: stuck,
            moved: false,
            handshake: None,
            run_result: 0,
            questions: 0,
        };
        for proposition in &self.model.propositions {
            let value = self.evaluate(&proposition.value, &scene).map_err(|violation| *violation)?;
            values.push(value != 0);
        }
        Ok(())
    }
}
