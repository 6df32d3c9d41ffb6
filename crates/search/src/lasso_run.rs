//! From a lasso of the product to a run of the model that the interpreter has executed.
//!
//! A check finds a lasso as states of the product. Here the model's part of it is executed again, step by step, and every state is
//! compared; where the run has ended and its last state repeats, nothing is executed. On the way the propositions are judged, which gives
//! the word that the run spells: whether it satisfies the formula is then for the evaluator to say, which knows neither product nor
//! automaton.

use crate::emptiness::{Lasso, ProductStep};
use crate::product::ModelProduct;
use crate::run::{Refuted, Stage, execute};
use lariat_ltl::{Letter, Word};
use lariat_model::interpreter::MicroState;
use lariat_model::{Interpreter, SuccessorFunction, Successors, Valuation};
use lariat_store::StateStore;

/// An infinite run that has been executed: the prefix once, the cycle for ever.
#[derive(Clone, Debug)]
pub struct LassoRun {
    /// Where the run starts.
    pub initial: MicroState,
    /// What happens once, before the cycle.
    pub prefix: Vec<Stage>,
    /// Empty if the run has ended before the cycle, and its last state repeats.
    pub cycle: Vec<Stage>,
    /// What is true in each state, by the propositions of the model.
    pub word: Word,
}

/// Executes the model's part of a lasso.
pub fn replay_lasso<M: SuccessorFunction, S: StateStore>(
    interpreter: &Interpreter,
    product: &mut ModelProduct<M, S>,
    lasso: &Lasso,
) -> Result<LassoRun, Refuted> {
    let refuted = |what: &str| Err(Refuted(what.to_string()));
    let Ok(initial) = interpreter.initial_state() else { return refuted("there is no initial state") };
    let first = lasso.prefix.first().or(lasso.cycle.first());
    let Some(first) = first else { return refuted("the lasso is empty") };
    if product.model_state(first.state) != initial {
        return refuted("the lasso does not start at the initial state");
    }
    let mut replayer = Replayer {
        interpreter,
        state: initial.clone(),
        out: Successors::new(),
        valuation: Valuation::default(),
    };
    let mut run = LassoRun {
        initial: interpreter.micro_from(&initial),
        prefix: Vec::new(),
        cycle: Vec::new(),
        word: Word { prefix: Vec::new(), cycle: Vec::new() },
    };
    let start_of_cycle = lasso.cycle.first().copied();
    let following = |steps: &[ProductStep], k: usize, after: Option<ProductStep>| {
        steps.get(k + 1).copied().or(after).map(|step| step.state)
    };
    for (k, step) in lasso.prefix.iter().enumerate() {
        let Some(next) = following(&lasso.prefix, k, start_of_cycle) else {
            return refuted("there is no cycle");
        };
        let next = product.model_state(next);
        let letter = replayer.step(product.model_state(step.state), &next, &mut run.prefix)?;
        run.word.prefix.push(letter);
    }
    for (k, step) in lasso.cycle.iter().enumerate() {
        let Some(next) = following(&lasso.cycle, k, start_of_cycle) else {
            return refuted("there is no cycle");
        };
        let next = product.model_state(next);
        let letter = replayer.step(product.model_state(step.state), &next, &mut run.cycle)?;
        run.word.cycle.push(letter);
    }
    Ok(run)
}

struct Replayer<'i, 'm> {
    interpreter: &'i Interpreter<'m>,
    state: Vec<u8>,
    out: Successors,
    valuation: Valuation,
}

impl Replayer<'_, '_> {
    /// Goes from the state where the run is to the next one; what is true in the former.
    fn step(&mut self, here: Vec<u8>, next: &[u8], stages: &mut Vec<Stage>) -> Result<Letter, Refuted> {
        if here != self.state {
            return Err(Refuted("a state of the lasso is not the one that the run has reached".to_string()));
        }
        self.interpreter.successors(&here, &mut self.out);
        let stuck = !self.out.something_happens();
        self.interpreter.look_at(&here, stuck, &mut self.valuation);
        // A proposition that has no value here does not matter here, or the product had not come so far.
        let propositions = 0..self.interpreter.model().propositions.len();
        let values = propositions.map(|k| self.interpreter.is_true(k, &mut self.valuation).unwrap_or(false));
        let letter = Letter(values.collect());
        match (0..self.out.len()).find(|&i| self.out.state(i) == next) {
            Some(i) => {
                let steps = self.out.steps(i).to_vec();
                execute(self.interpreter, &here, &steps, stages)?;
                let reached = stages.last().and_then(|stage| stage.after.as_ref());
                if reached.map(|state| self.interpreter.stored(state)).as_deref() != Some(next) {
                    return Err(Refuted("the steps of a transition lead to another state".to_string()));
                }
            }
            None if stuck && here == next => {}
            None => {
                return Err(Refuted("a state of the lasso is no successor of the one before".to_string()));
            }
        }
        self.state = next.to_vec();
        Ok(letter)
    }
}
