//! From a lasso of the product to a run of the model that the interpreter has executed.
//!
//! A check finds a lasso as states of the product. Here the model's part of it is executed again, step by
//! step, and every state is compared; where the run has ended and its last state repeats, or where the
//! product stands still because nothing that comes can change the verdict, nothing is executed. Where the
//! run stays inside an indivisible sequence, the steps round its loop are executed. On the way the
//! propositions are judged, which gives the word that the run spells: whether it satisfies the formula is
//! then for the evaluator to say, which knows neither product nor automaton.

use crate::emptiness::{Lasso, MarkSet, ProductStep};
use crate::product::{ModelProduct, Repeats};
use crate::run::{Refuted, Stage, execute, execute_round, find_successor};
use crate::stages::{Room, Stages};
use lariat_engine::interpreter::MicroState;
use lariat_engine::{Interpreter, Moment, ProcessSet, SuccessorFunction, Successors, Valuation};
use lariat_ltl::{Letter, Word};
use lariat_store::StateStore;

/// How a run goes on behind what was executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The cycle is repeated for ever.
    Repeats,
    /// The same, inside an indivisible sequence: nobody else ever moves again.
    Diverges,
    /// Nothing can happen: the last state repeats.
    Stops,
    /// It does not matter: the verdict is certain.
    Decided,
}

/// An infinite run that has been executed: the prefix once, the cycle for ever.
#[derive(Clone, Debug)]
pub struct LassoRun {
    /// Where the run starts.
    pub initial: MicroState,
    /// What happens once, before the cycle.
    pub prefix: Stages,
    /// Empty where the run has ended or is not followed any more.
    pub cycle: Stages,
    /// How it goes on.
    pub ending: Ending,
    /// After so many stages of prefix and cycle, it is certain that the run is accepted, whatever comes then.
    pub decided: Option<usize>,
    /// What is true in each state, by the propositions of the model.
    pub word: Word,
}

/// Executes the model's part of a lasso, within the limits of the room that there is: if that says that it
/// was stopped, the run
/// is the beginning of the one that was found, and the word is not that of a run.
pub fn replay_lasso<M: SuccessorFunction, S: StateStore, K: MarkSet>(
    interpreter: &Interpreter,
    product: &mut ModelProduct<M, S, K>,
    lasso: &Lasso,
    room: &mut Room,
) -> Result<LassoRun, Refuted> {
    let Ok(initial) = interpreter.initial_state() else { return refuted("there is no initial state") };
    let mut run = LassoRun {
        initial: interpreter.micro_from(&initial),
        prefix: Stages::default(),
        cycle: Stages::default(),
        ending: Ending::Repeats,
        decided: None,
        word: Word { prefix: Vec::new(), cycle: Vec::new() },
    };
    let Some(entry) = lasso.cycle.first() else { return refuted("there is no cycle") };
    let first = lasso.prefix.first().unwrap_or(entry);
    if product.model_state(first.state) != initial {
        return refuted("the lasso does not start at the initial state");
    }
    let mut replayer = Replayer {
        interpreter,
        limited: interpreter.clone().with_patience(room.patience()),
        state: initial,
        diverging: None,
        stands_still: product.stands_still(),
        is_stuck: false,
        repeats: false,
        is_cut: false,
        out: match product.units() {
            Some(units) => Successors::new().asking_for_units(units.clone()),
            None if product.rules().fairness.is_some() => Successors::new().asking_for_participants(),
            None => Successors::new(),
        },
        valuation: Valuation::default(),
    };
    let nodes: Vec<ProductStep> = lasso.prefix.iter().chain(&lasso.cycle).copied().collect();
    let letter_bytes = 2 * size_of::<Letter>() + interpreter.model().propositions.len();
    let stages = &mut run.prefix;
    let mut of_step = Vec::new();
    let mut cycle_start = None;
    for (k, &node_step) in nodes.iter().enumerate() {
        let node = node_step.state;
        if !room.goes_on(letter_bytes) {
            return Ok(run);
        }
        let in_cycle = k >= lasso.prefix.len();
        if in_cycle && cycle_start.is_none() {
            cycle_start = Some(stages.len());
        }
        let next = nodes.get(k + 1).map_or(entry.state, |step| step.state);
        let decides = product.is_decided(next);
        // If the last state was read again before, what decides is that the run does not go on.
        if decides && run.decided.is_none() && !replayer.repeats {
            run.decided = Some(stages.len());
        }
        let step = Step {
            here: product.model_state(node),
            next: product.model_state(next),
            was: product.repeats(node),
            is: product.repeats(next),
            away: match product.repeats(next) {
                Repeats::Diverging(number) => product.processes_away(number),
                _ => ProcessSet::default(),
            },
            is_decided: decides,
            take_part: product.participants(node_step),
        };
        let letter = replayer.step(&step, stages.len(), &mut of_step)?;
        if replayer.is_cut {
            room.cut();
            return Ok(run);
        }
        stages.append(&mut of_step, room);
        if in_cycle { &mut run.word.cycle } else { &mut run.word.prefix }.push(letter);
    }
    if let Some(Diverging { round_start, number, .. }) = replayer.diverging {
        if product.repeats(entry.state) != Repeats::Diverging(number) {
            return refuted("the cycle leads out of an indivisible sequence that never ends");
        }
        // However long the lasso goes round in the product, the model goes round its loop.
        run.cycle = run.prefix.split_off(round_start);
        run.ending = Ending::Diverges;
    } else {
        run.cycle = run.prefix.split_off(cycle_start.unwrap_or(run.prefix.len()));
        run.ending = match run.decided {
            _ if !run.cycle.is_empty() => Ending::Repeats,
            Some(_) if replayer.stands_still || !replayer.is_stuck => Ending::Decided,
            _ => Ending::Stops,
        };
    }
    Ok(run)
}

fn refuted<T>(what: &str) -> Result<T, Refuted> {
    Err(Refuted(what.to_string()))
}

/// An arc of the product, as it concerns the model.
struct Step {
    here: Vec<u8>,
    next: Vec<u8>,
    /// Whether the former state repeats, and the latter.
    was: Repeats,
    is: Repeats,
    /// The processes that move for ever in an indivisible sequence, in the latter.
    away: ProcessSet,
    /// Behind it, whatever comes is accepted.
    is_decided: bool,
    /// Who takes part, if that is of interest: a state may have several ways to another.
    take_part: Option<ProcessSet>,
}

/// The run has come into an indivisible sequence that is never left.
#[derive(Clone, Copy)]
struct Diverging {
    /// The stage at which its loop begins.
    round_start: usize,
    /// The processes that move, and the number that the product has for them.
    movers: ProcessSet,
    number: u16,
}

struct Replayer<'i, 'm> {
    interpreter: &'i Interpreter<'m>,
    /// It has limits within a step.
    limited: Interpreter<'i>,
    state: Vec<u8>,
    diverging: Option<Diverging>,
    /// The product stands still where it is decided.
    stands_still: bool,
    /// Nothing could happen in the last state.
    is_stuck: bool,
    /// The last state has been read, and is read again for ever.
    repeats: bool,
    /// A limit within a step was reached: how the run goes on is not known here.
    is_cut: bool,
    out: Successors,
    valuation: Valuation,
}

impl Replayer<'_, '_> {
    /// Goes from the state where the run is, after so many stages, to the next one; what is true in the
    /// former.
    fn step(&mut self, step: &Step, before: usize, stages: &mut Vec<Stage>) -> Result<Letter, Refuted> {
        let Step { here, next, .. } = step;
        if *here != self.state {
            return refuted("a state of the lasso is not the one that the run has reached");
        }
        // Whether something can happen does not depend on what comes behind indivisible sequences.
        self.limited.direct_successors(here, &mut self.out);
        self.is_stuck = !self.out.something_happens();
        let moment = match (step.was, self.diverging) {
            (Repeats::Diverging(was), Some(Diverging { movers, number, .. })) if was == number => {
                Moment::Diverging(movers)
            }
            (Repeats::Stopped, None) if self.is_stuck => Moment::Stopped,
            (Repeats::Not, None) if self.is_stuck => Moment::Stuck,
            (Repeats::Not, None) => Moment::Moving,
            _ => return refuted("a state of the lasso repeats, and the run goes on, or the other way round"),
        };
        self.interpreter.look_at(here, moment, &mut self.valuation);
        // A proposition that has no value here does not matter here, or the product had not come so far.
        let propositions = 0..self.interpreter.model().propositions.len();
        let values = propositions.map(|k| self.interpreter.is_true(k, &mut self.valuation).unwrap_or(false));
        let letter = Letter(values.collect());
        match (step.was, step.is) {
            (Repeats::Not, Repeats::Not) => self.go_on(step, stages)?,
            (Repeats::Not, Repeats::Diverging(number)) if here == next => {
                self.limited.successors(here, &mut self.out);
                let Some(found) = self.out.divergences().find(|found| found.movers == step.away) else {
                    if self.out.was_cut() {
                        self.is_cut = true;
                        return Ok(letter);
                    }
                    return refuted("no indivisible sequence goes on for ever");
                };
                let steps = [found.stem, found.cycle].concat();
                let round = execute_round(self.interpreter, here, &steps, stages)?;
                let movers = found.movers;
                self.diverging = Some(Diverging { round_start: before + round, movers, number });
            }
            (Repeats::Not, Repeats::Stopped) if here == next && self.is_stuck => {}
            (before, after) if before == after && here == next => {}
            _ => return refuted("a run goes on from a state that it never leaves"),
        }
        self.repeats |= self.diverging.is_some() || self.is_stuck && here == next;
        self.state.clone_from(next);
        Ok(letter)
    }

    /// Executes a step of the model, or lets the state repeat.
    fn go_on(&mut self, step: &Step, stages: &mut Vec<Stage>) -> Result<(), Refuted> {
        let Step { here, next, .. } = step;
        let found = match step.is_decided && self.stands_still {
            true => None,
            false => {
                let wanted = |i: usize, out: &Successors| {
                    out.state(i) == next && step.take_part.is_none_or(|set| out.participants(i) == set)
                };
                find_successor(&self.limited, here, wanted, &mut self.out)
            }
        };
        let Some(i) = found else {
            self.is_cut = self.out.was_cut();
            return match here == next && (self.is_stuck || step.is_decided) || self.is_cut {
                true => Ok(()),
                false => refuted("a state of the lasso is no successor of the one before"),
            };
        };
        execute(self.interpreter, here, &self.out.steps(i), stages)?;
        let reached = stages.last().and_then(|stage| stage.after.as_ref());
        if reached.map(|state| self.interpreter.stored(state)).as_ref() != Some(next) {
            return refuted("the steps of a transition lead to another state");
        }
        Ok(())
    }
}
