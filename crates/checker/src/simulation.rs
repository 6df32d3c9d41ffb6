//! One run, step by step: somebody outside chooses among what can happen.
//!
//! A choice is one statement, or the two of a handshake. While a process is within an indivisible sequence,
//! only its own statements can be chosen, unless it cannot go on.

use crate::report::{FinalState, ShownStates, TraceStep};
use crate::trace::{final_state, positions, push_steps, trace_step};
use crate::trail::may_be_merged;
use lariat_engine::interpreter::MicroState;
use lariat_engine::{Interpreter, Step, Successors, Violation, ViolationKind};
use lariat_model::ir::{Action, Expr};
use lariat_search::Stage;

/// Something that can happen next.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The statement, or both of a handshake.
    pub steps: Vec<Step>,
    /// `None` if it runs into an error that leaves no state.
    next: Option<MicroState>,
    /// What it runs into.
    pub violation: Option<Violation>,
}

/// What happened.
#[derive(Clone, Debug)]
pub struct Taken {
    /// What was executed.
    pub steps: Vec<TraceStep>,
    /// What it ran into.
    pub violation: Option<Violation>,
    /// The run cannot go on: an error left no state.
    pub ended: bool,
}

/// A point of a run.
#[derive(Clone, Debug)]
pub struct Moment {
    state: MicroState,
    number: u64,
}

/// A run that is being made.
pub struct Simulation<'m> {
    interpreter: &'m Interpreter<'m>,
    state: MicroState,
    out: Successors,
    /// Steps executed so far.
    number: u64,
}

impl<'m> Simulation<'m> {
    /// Starts in the initial state, if there is one.
    pub fn new(interpreter: &'m Interpreter<'m>) -> Result<Simulation<'m>, Violation> {
        let state = interpreter.micro_initial()?;
        Ok(Simulation { interpreter, state, out: Successors::new(), number: 0 })
    }

    /// Everything that can happen next; nothing if the run is over.
    pub fn choices(&mut self) -> Vec<Choice> {
        if let Some(holder) = self.state.held {
            let choices = self.choices_from_here();
            let goes_on = |choice: &Choice| choice.steps.first().is_none_or(|step| step.pid == holder);
            if !choices.is_empty() && choices.iter().all(goes_on) {
                return choices;
            }
            // It cannot go on: the sequence is interrupted here.
            self.state.held = None;
        }
        self.choices_from_here()
    }

    fn choices_from_here(&mut self) -> Vec<Choice> {
        let possible = self.interpreter.micro_successors(&self.state, &mut self.out);
        let mut choices: Vec<Choice> = possible
            .into_iter()
            .map(|micro| Choice { steps: micro.steps, next: Some(micro.next), violation: None })
            .collect();
        for (violation, steps) in self.out.violations() {
            match choices.iter_mut().find(|choice| choice.steps == steps) {
                Some(choice) => choice.violation = Some(violation.clone()),
                None => {
                    let (steps, violation) = (steps.to_vec(), Some(violation.clone()));
                    choices.push(Choice { steps, next: None, violation });
                }
            }
        }
        choices
    }

    /// The choice as a step to show, before it is taken.
    pub fn preview(&self, choice: &Choice) -> Vec<TraceStep> {
        let shown = |step: &Step| trace_step(self.interpreter, &self.state, *step, 0, Vec::new(), None);
        choice.steps.iter().map(shown).collect()
    }

    /// Lets it happen.
    pub fn take(&mut self, choice: Choice, shown: ShownStates) -> Taken {
        let stage = Stage {
            steps: choice.steps,
            before: self.state.clone(),
            after: choice.next,
            ends_transition: false,
        };
        let mut steps = Vec::new();
        push_steps(self.interpreter, &stage, shown, &mut steps);
        for step in &mut steps {
            step.number += self.number;
        }
        self.number += steps.len() as u64;
        let ended = stage.after.is_none();
        if let Some(next) = stage.after {
            self.state = next;
        }
        Taken { steps, violation: choice.violation, ended }
    }

    /// What is wrong with a state in which nothing can happen.
    pub fn stuck(&self) -> Option<Violation> {
        (!self.interpreter.micro_may_end(&self.state)).then(|| Violation {
            kind: ViolationKind::InvalidEndState,
            message: "invalid end state".to_string(),
        })
    }

    /// Where the run is now, to come back to.
    pub fn moment(&self) -> Moment {
        Moment { state: self.state.clone(), number: self.number }
    }

    /// Goes back to where the run was.
    pub fn go_back(&mut self, moment: Moment) {
        self.state = moment.state;
        self.number = moment.number;
    }

    /// How many steps have been executed.
    pub fn steps_taken(&self) -> u64 {
        self.number
    }

    /// Where everything stands now.
    pub fn final_state(&self) -> FinalState {
        final_state(self.interpreter, &self.state)
    }

    /// The state as a search stores it.
    pub fn stored(&self) -> Vec<u8> {
        self.interpreter.stored(&self.state)
    }

    /// The process that alone may go on, as long as it can.
    pub fn holder(&self) -> Option<u16> {
        self.state.held
    }

    /// Where a process is, if there is one.
    pub fn location(&self, pid: u16) -> Option<u32> {
        positions(self.interpreter, &self.state).get(pid as usize).map(|position| position.location)
    }

    /// The type of a process, if there is one.
    pub fn process_type(&self, pid: u16) -> Option<usize> {
        positions(self.interpreter, &self.state).get(pid as usize).map(|position| position.process_type)
    }

    /// The number of a step's statement among those of its process type.
    pub fn statement(&self, step: Step) -> u32 {
        self.interpreter.transition(step).statement
    }

    /// What a handshake hands over: the channel and the values, with a tab between.
    pub fn sent(&self, choice: &Choice) -> Option<String> {
        let [send, _] = choice.steps[..] else { return None };
        let (channel, values) = self.interpreter.sent(&self.state, send)?;
        let queue = format!("queue {channel} ");
        let items = self.interpreter.describe(&self.state);
        let name = items.iter().map(|item| &item.name).find(|name| name.starts_with(&queue));
        Some(format!("{}\t{}", name.map_or(queue.trim_end(), |name| name), values.join(",")))
    }

    /// Whether a step waits until nothing else can happen.
    pub fn waits_for_timeout(&self, step: Step) -> bool {
        matches!(&self.interpreter.transition(step).action, Action::Guard(Expr::Timeout))
    }

    /// Whether it is all that its process could ever do where it is, and of the kinds that Spin merges.
    pub(crate) fn has_no_choice(&self, choice: &Choice) -> bool {
        let [step] = choice.steps[..] else { return false };
        let process = &self.interpreter.model().process_types[step.process_type as usize];
        let transitions = &process.locations[step.location as usize].transitions;
        transitions.len() == 1 && may_be_merged(&transitions[0].action)
    }

    /// Which choice comes next in a recorded run, and how many of its steps it is; `None` if none of them
    /// fits.
    pub fn guided(&self, choices: &[Choice], rest: &[GuideStep]) -> Option<(usize, usize)> {
        let fits = |choice: &Choice| {
            let recorded = rest.get(..choice.steps.len()).unwrap_or(&[]);
            !recorded.is_empty()
                && choice.steps.iter().zip(recorded).all(|(step, recorded)| {
                    (step.pid, step.location, step.transition)
                        == (recorded.pid, recorded.location, recorded.transition)
                })
                && self
                    .preview(choice)
                    .iter()
                    .map(|step| &step.statement)
                    .eq(recorded.iter().map(|r| &r.statement))
        };
        let found = choices.iter().position(fits)?;
        Some((found, choices[found].steps.len()))
    }
}

/// A step of a recorded run: what a simulation needs to follow it, and the statement, to see whether it is
/// the same model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuideStep {
    /// The number of the process.
    pub pid: u16,
    /// Where it is before the step.
    pub location: u32,
    /// Which of the location's transitions it takes.
    pub transition: u32,
    /// The text of the statement.
    pub statement: String,
}

/// A small generator of random numbers (splitmix64): the same numbers for a seed in every version.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The same seed gives the same numbers.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^= word >> 31;
        ((word as u128 * bound as u128) >> 64) as usize
    }
}
