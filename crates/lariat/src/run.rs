//! A run of a model in Rust, as values of its own types and as text.
//!
//! The text has the first state in full, then for each step the action, what it changes, and which
//! propositions of the formula are true afterwards, if that changes too. Under fairness it says at the end
//! why the run is fair to each unit.

use crate::changes::{changes, parts};
use crate::explored::ExploredModel;
use crate::replay::Replayed;
use crate::{Model, UnitFacts};
use lariat_ltl::Letter;
use lariat_verdict::counted;
use std::fmt::{self, Write};

/// How a run goes on after what is shown of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Ending {
    /// [`Run::cycle`] is repeated for ever.
    Repeats,
    /// Nothing can happen any more: the last state repeats for ever.
    Stops,
    /// In the last state it is settled; whatever comes after changes nothing.
    Settled,
}

/// A step of a [`Run`].
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct RunStep<S, A> {
    /// What happens.
    pub action: A,
    /// The state that it leads to.
    pub state: S,
    /// The propositions of the formula that are true there.
    pub holding: Vec<String>,
}

/// A run that violates a property, or shows that there is one: from [`Run::initial`] along [`Run::prefix`],
/// then round [`Run::cycle`] for ever. The model has confirmed every step.
///
/// The last step of the cycle leads to the state in which the cycle begins. A run that ends has no cycle;
/// [`Run::ending`] says why. `Display` shows it to people.
#[non_exhaustive]
pub struct Run<M: Model> {
    /// The state in which it starts.
    pub initial: M::State,
    /// The propositions of the formula that are true there.
    pub initially_holding: Vec<String>,
    /// What happens once.
    pub prefix: Vec<RunStep<M::State, M::Action>>,
    /// What happens again and again.
    pub cycle: Vec<RunStep<M::State, M::Action>>,
    /// How it goes on.
    pub ending: Ending,
    /// Why it is fair to each unit, if fairness was asked for
    /// ([`Checker::fairness`](crate::Checker::fairness)) and the run is not settled before.
    pub units: Vec<UnitFacts>,
    text: String,
}

impl<M: Model> Run<M> {
    /// `end` is what it means when the run has a last state.
    pub(crate) fn new(
        explored: &ExploredModel<M>,
        replayed: Replayed<M::Action>,
        end: Ending,
        units: Vec<UnitFacts>,
    ) -> Run<M> {
        let Replayed { steps, cycle_start } = replayed;
        let names = |letter: &Letter| {
            let names = explored.propositions.names.iter().zip(&letter.0);
            names.filter(|(_, is_true)| **is_true).map(|(name, _)| name.clone()).collect::<Vec<String>>()
        };
        let last = steps.iter().position(|step| step.action.is_none());
        let (length, ending) = last.map_or((steps.len(), Ending::Repeats), |place| (place, end));
        let visits: Vec<(M::State, Vec<String>)> = steps
            .iter()
            .map(|step| (explored.state(step.state).clone(), names(&step.letter)))
            .take(length + 1)
            .collect();
        let (initial, initially_holding) = visits[0].clone();
        let mut taken = Vec::new();
        for (k, action) in steps.into_iter().filter_map(|step| step.action).take(length).enumerate() {
            let (state, holding) = visits.get(k + 1).unwrap_or_else(|| &visits[cycle_start]).clone();
            taken.push(RunStep { action, state, holding });
        }
        let cycle = if ending == Ending::Repeats {
            taken.split_off(cycle_start.min(taken.len()))
        } else {
            Vec::new()
        };
        let (prefix, text) = (taken, String::new());
        let mut run = Run { initial, initially_holding, prefix, cycle, ending, units, text };
        run.text = run.drawn(explored.model);
        run
    }

    /// All states, in the order in which they are met; the state in which the cycle begins is there again at
    /// its end.
    pub fn states(&self) -> impl Iterator<Item = &M::State> {
        std::iter::once(&self.initial).chain(self.steps().map(|step| &step.state))
    }

    fn steps(&self) -> impl Iterator<Item = &RunStep<M::State, M::Action>> {
        self.prefix.iter().chain(&self.cycle)
    }

    fn drawn(&self, model: &M) -> String {
        let mut text = String::new();
        draw_state(&mut text, &self.initial);
        draw_holding(&mut text, &[], &self.initially_holding);
        let (mut before, mut held) = (format!("{:#?}", self.initial), &self.initially_holding);
        for (k, step) in self.steps().enumerate() {
            if k == self.prefix.len() {
                text.push_str("  ----- the cycle begins -----\n");
            }
            let _ = writeln!(text, "{:>3}. {}", k + 1, model.show_action(&step.action));
            let after = format!("{:#?}", step.state);
            for change in changes(&before, &after) {
                let _ = writeln!(text, "       {change}");
            }
            draw_holding(&mut text, held, &step.holding);
            (before, held) = (after, &step.holding);
        }
        let steps = |steps: &[RunStep<M::State, M::Action>]| counted(steps.len() as u64, "step");
        let _ = match self.ending {
            Ending::Repeats => {
                let (cycle, prefix) = (steps(&self.cycle), steps(&self.prefix));
                writeln!(text, "the cycle is repeated for ever: {cycle}, after {prefix}")
            }
            Ending::Stops => writeln!(text, "nothing can happen any more, after {}", steps(&self.prefix)),
            Ending::Settled => {
                writeln!(text, "it is settled after {}, whatever comes then", steps(&self.prefix))
            }
        };
        for facts in &self.units {
            let _ = writeln!(text, "fair to {facts}");
        }
        text
    }
}

/// Longer states are written on several lines.
const MOST_ON_ONE_LINE: usize = 100;

fn draw_state(text: &mut String, state: &impl fmt::Debug) {
    let short = format!("{state:?}");
    if short.chars().count() <= MOST_ON_ONE_LINE {
        let _ = writeln!(text, "  0. {short}");
        return;
    }
    text.push_str("  0.\n");
    for part in parts(&format!("{state:#?}")) {
        let _ = writeln!(text, "       {part}");
    }
}

/// Which propositions are true, if they are others than before.
fn draw_holding(text: &mut String, before: &[String], now: &[String]) {
    if before != now {
        let names = if now.is_empty() { "nothing".to_string() } else { now.join(", ") };
        let _ = writeln!(text, "       true: {names}");
    }
}

impl<M: Model> fmt::Display for Run<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl<M: Model> fmt::Debug for Run<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Run")
            .field("initial", &self.initial)
            .field("prefix", &self.prefix)
            .field("cycle", &self.cycle)
            .field("ending", &self.ending)
            .finish_non_exhaustive()
    }
}
