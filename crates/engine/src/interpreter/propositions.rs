//! The conditions that properties are about, judged from outside.
//!
//! A proposition is an expression that no process asks: it sees the globals, the channels, and other
//! processes by remote references. A property reads them in states that a search stores, not in the middle of
//! indivisible sequences. Each is evaluated when it is asked for, and at most once in a state:
//! `x > 0 -> a[x - 1]` must not look at `a[-1]`.
//!
//! A run that stays inside an indivisible sequence for ever shows the state in which the sequence began,
//! for ever, but the processes that move in it are not where they were: they count as being at location 0,
//! where no process is otherwise and where no label stands.

use super::evaluate::Scene;
use super::memory::Frames;
use super::{Interpreter, Violation};
use crate::successors::Moment;

/// What is known of a model's propositions in one state: a buffer to be used again and again.
#[derive(Default)]
pub struct Valuation {
    /// In the order of [`lariat_model::ir::Model::propositions`].
    values: Vec<Option<bool>>,
    working: Vec<u8>,
    frames: Frames,
    moment: Moment,
}

impl Interpreter<'_> {
    pub(super) fn look_at_state(&self, state: &[u8], moment: Moment, valuation: &mut Valuation) {
        valuation.values.clear();
        valuation.values.resize(self.model.propositions.len(), None);
        self.working_state(state, &mut valuation.working);
        valuation.frames.find(&valuation.working, &self.layout);
        valuation.moment = moment;
    }

    pub(super) fn judge_proposition(
        &self,
        proposition: usize,
        valuation: &mut Valuation,
    ) -> Result<bool, Violation> {
        if let Some(value) = valuation.values[proposition] {
            return Ok(value);
        }
        let scene = Scene {
            bytes: &valuation.working,
            frames: &valuation.frames,
            pid: 0,
            ty: 0,
            locals: 0,
            location: 0,
            timeout: matches!(valuation.moment, Moment::Stuck | Moment::Stopped),
            moved: false,
            handshake: None,
            run_result: 0,
            questions: 0,
            outside: Some(&valuation.moment),
        };
        let expression = &self.model.propositions[proposition].value;
        let value = self.evaluate(expression, &scene).map_err(|violation| *violation)? != 0;
        valuation.values[proposition] = Some(value);
        Ok(value)
    }
}
