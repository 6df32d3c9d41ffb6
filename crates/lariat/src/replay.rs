//! From a lasso of the product, or a way to a state, to a run of the model: the model is asked again, state
//! by state.
//!
//! The numbers of [`ExploredModel`] are what the model said once. Here it must say the same again, and name
//! the action of each step. What is true in each state is evaluated anew too; whether that word satisfies the
//! formula is for the evaluator to say.

use crate::explored::{ExploredModel, ModelState};
use crate::product::TypedProduct;
use crate::unit::UnitSet;
use crate::{Error, Model};
use lariat_ltl::{Letter, Word};
use lariat_search::emptiness::{Lasso, MarkSet, Product, ProductStep, Stopped, is_accepting_lasso};
use lariat_search::{Limits, Lookout, MemoryUse, WORK_PER_ARC, WORK_PER_STATE};
use std::collections::{HashMap, VecDeque};

/// A run that the model has confirmed.
pub(crate) struct Replayed<A> {
    /// Prefix and cycle; of a run that ends, the last step has no action.
    pub steps: Vec<ReplayedStep<A>>,
    /// The step with which the cycle begins; the last one, if the run ends.
    pub cycle_start: usize,
}

/// A state, and how the run leaves it.
pub(crate) struct ReplayedStep<A> {
    pub state: ModelState,
    /// What is true in the state.
    pub letter: Letter,
    /// `None` if nothing can happen in the state, which repeats, or if it does not matter what happens then.
    pub action: Option<A>,
}

impl<A> Replayed<A> {
    /// The word that the run spells.
    pub fn word(&self) -> Word {
        let mut letters: Vec<Letter> = self.steps.iter().map(|step| step.letter.clone()).collect();
        let cycle = letters.split_off(self.cycle_start);
        Word { prefix: letters, cycle }
    }
}

/// A run as numbers.
pub(crate) struct NumberedRun {
    /// Prefix and cycle.
    pub states: Vec<ModelState>,
    /// Who takes part in the steps that leave these states, as far as it matters.
    pub taking_part: Vec<Option<UnitSet>>,
    /// The place to which the run returns at its end. `None` if it does not matter how the run goes on: it is
    /// settled by then.
    pub cycle_start: Option<usize>,
}

impl NumberedRun {
    /// The model's part of a lasso, if the product confirms that it is an accepting run.
    pub fn along<M: Model, K: MarkSet>(
        product: &mut TypedProduct<M, K>,
        lasso: &Lasso,
    ) -> Result<NumberedRun, Error> {
        let mut any_product: &mut dyn Product<Marks = K> = product;
        is_accepting_lasso(&mut any_product, lasso).map_err(Error::Internal)?;
        let steps: Vec<&ProductStep> = lasso.prefix.iter().chain(&lasso.cycle).collect();
        let (length, cycle_start) = match steps.iter().position(|step| product.is_settled(step.state)) {
            // The state before is the last that was read.
            Some(settled) => (settled.max(1), None),
            None => (steps.len(), Some(lasso.prefix.len())),
        };
        let steps = &steps[..length];
        Ok(NumberedRun {
            states: steps.iter().map(|step| product.model_state(step.state)).collect(),
            taking_part: steps.iter().map(|step| product.taking_part(step)).collect(),
            cycle_start,
        })
    }
}

/// Executes a run with the model, if there is time.
pub(crate) fn replay<M: Model>(
    explored: &mut ExploredModel<M>,
    run: &NumberedRun,
    lookout: &mut Lookout,
) -> Result<Result<Replayed<M::Action>, Stopped>, Error> {
    let NumberedRun { states, taking_part, cycle_start } = run;
    explored.ask_again_about_start()?;
    let mut steps = Vec::with_capacity(states.len());
    let mut out = Vec::new();
    for (k, &state) in states.iter().enumerate() {
        if lookout.is_due(WORK_PER_STATE)
            && let Some(reason) = lookout.look(MemoryUse::default())
        {
            return Ok(Err(Stopped(reason)));
        }
        explored.expand(state);
        let letter = explored.ask_again_about(state, &mut out)?;
        let Some(&next) = states.get(k + 1).or(cycle_start.and_then(|start| states.get(start))) else {
            steps.push(ReplayedStep { state, letter, action: None });
            break;
        };
        let take_part = |action: &M::Action| {
            let noted = explored.units().zip(taking_part[k]);
            noted.is_none_or(|(units, noted)| units.known(explored.model, action) == Some(noted))
        };
        let taken = out.iter().position(|(action, to)| to == explored.state(next) && take_part(action));
        if taken.is_none() && !(out.is_empty() && next == state) {
            return Err(Error::Internal("a state of the run is no successor of the one before".to_string()));
        }
        let action = taken.map(|taken| out.swap_remove(taken).0);
        steps.push(ReplayedStep { state, letter, action });
    }
    let cycle_start = cycle_start.unwrap_or(states.len().saturating_sub(1));
    Ok(Ok(Replayed { steps, cycle_start }))
}

/// A shortest way from an initial state to one for which `is_goal` is true, by a breadth-first search that
/// gives up after so many states, or at a limit.
pub(crate) fn shortest_run_to<M: Model>(
    explored: &mut ExploredModel<M>,
    max_states: usize,
    limits: Limits,
    is_goal: impl Fn(&ExploredModel<M>, ModelState) -> bool,
) -> Option<NumberedRun> {
    let mut lookout = Lookout::new(limits);
    let most_explored = limits.max_states.unwrap_or(u64::MAX).max(explored.len() as u64);
    let mut came_from: HashMap<ModelState, Option<ModelState>> =
        explored.initial().iter().map(|&state| (state, None)).collect();
    let mut waiting: VecDeque<ModelState> = explored.initial().iter().copied().collect();
    while let Some(state) = waiting.pop_front() {
        explored.expand(state);
        if is_goal(explored, state) {
            let mut states = vec![state];
            while let Some(Some(before)) = states.last().and_then(|state| came_from.get(state)) {
                states.push(*before);
            }
            states.reverse();
            let taking_part = vec![None; states.len()];
            return Some(NumberedRun { states, taking_part, cycle_start: None });
        }
        let successors = explored.successors(state);
        for &to in successors {
            came_from.entry(ModelState(to)).or_insert_with(|| {
                waiting.push_back(ModelState(to));
                Some(state)
            });
        }
        let work = WORK_PER_STATE + successors.len() as i64 * WORK_PER_ARC;
        let (states, beside) = explored.bytes();
        let own = (came_from.capacity() * size_of::<[ModelState; 3]>()) as u64;
        let held = MemoryUse { stored: states + beside, upcoming: 0, own };
        if came_from.len() > max_states
            || explored.len() as u64 > most_explored
            || lookout.is_due(work) && lookout.look(held).is_some()
        {
            return None;
        }
    }
    None
}
