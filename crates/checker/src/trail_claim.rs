//! How a `never` claim of the model moves along a run, for trails.
//!
//! A search works with an automaton that was made of the claim ([`crate::claim`]), and a trail wants the
//! claim's own statements. So they are looked for once more, along the run that is known: a small graph,
//! whose nodes are the places of the run at which a claim reads, each with a location of the claim. A path
//! to the end of the claim (or to an assertion of its own that fails) shows what must not happen; so does a
//! cycle through a location that is marked as accepting. Such a cycle may need several rounds of the run's.
//!
//! A claim reads the initial state first, and then each state in which no indivisible sequence is under way.
//! In a run that has ended it goes on reading the last state.

use crate::report::{Counterexample, RunEnding, TraceStep};
use crate::simulation::Simulation;
use lariat_engine::{Interpreter, Moment, SuccessorFunction, Valuation};
use lariat_model::ir::{Action, Location, Model, ProcessType, Proposition};
use std::collections::{HashMap, VecDeque};

/// What happens in a run, one thing after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunEvent {
    /// The claim executes this statement of its own.
    ClaimMoves(u32),
    /// A step of the run, counted from 0 over prefix and cycle.
    Step(usize),
    /// What follows is repeated for ever.
    CycleStarts,
}

/// The events of a run without a claim.
pub fn without_claim(example: &Counterexample) -> Vec<RunEvent> {
    let is_real = |step: &&TraceStep| !step.stutters;
    let prefix = example.prefix.iter().filter(is_real).count();
    let cycle = example.cycle.iter().filter(is_real).count();
    let mut events: Vec<RunEvent> = (0..prefix).map(RunEvent::Step).collect();
    if matches!(example.ending, RunEnding::Repeats | RunEnding::Diverges | RunEnding::Stops) {
        events.push(RunEvent::CycleStarts);
    }
    events.extend((prefix..prefix + cycle).map(RunEvent::Step));
    events
}

/// The events of a run beside a claim; `None` where none is found that shows what must not happen, or where
/// the claim looks at a run within an indivisible sequence.
pub fn with_claim(example: &Counterexample, model: &Model, claim: &ProcessType) -> Option<Vec<RunEvent>> {
    let conditions = conditions(claim);
    let propositions = conditions.iter().map(|(_, proposition)| proposition.clone()).collect();
    let watched = Model { propositions, ..model.clone() };
    let interpreter = Interpreter::new(&watched);
    let word = Word::of(example, &interpreter)?;
    let mut search = Search { claim, conditions: HashMap::new(), word: &word, interpreter: &interpreter };
    for (number, ((location, transition), _)) in conditions.into_iter().enumerate() {
        search.conditions.insert((location, transition), number);
    }
    search.events()
}

/// The conditions that a claim waits for, with the transition that does.
fn conditions(claim: &ProcessType) -> Vec<((Location, usize), Proposition)> {
    let mut found = Vec::new();
    for (location, info) in claim.locations.iter().enumerate() {
        for (i, transition) in info.transitions.iter().enumerate() {
            if let Action::Guard(value) | Action::Assert(value) = &transition.action {
                let text = claim.statements[transition.statement as usize].text.clone();
                found.push(((location as Location, i), Proposition { text, value: value.clone() }));
            }
        }
    }
    found
}

/// A state in which the claim reads.
struct Letter {
    stored: Vec<u8>,
    moment: Moment,
    /// The steps between this state and the next one.
    steps: std::ops::Range<usize>,
    /// The letter that comes next; `None` if nothing does.
    next: Option<usize>,
    /// The run is decided before this letter, and nobody reads it.
    is_end: bool,
}

/// What the claim reads: a run, letter by letter.
struct Word(Vec<Letter>);

impl Word {
    fn of(example: &Counterexample, interpreter: &Interpreter) -> Option<Word> {
        let is_real = |step: &&TraceStep| !step.stutters;
        let prefix = example.prefix.iter().filter(is_real).count();
        let steps: Vec<&TraceStep> = example.prefix.iter().chain(&example.cycle).filter(is_real).collect();
        let mut simulation = Simulation::new(interpreter).ok()?;
        let mut letters: Vec<Letter> = Vec::new();
        let mut done = 0;
        let mut back_to = None;
        loop {
            if done == prefix {
                back_to = Some(letters.len());
            }
            let from = done;
            let stored = simulation.stored();
            while let Some(next) = steps.get(done) {
                let mut choices = simulation.choices();
                let taken = choices.iter().position(|choice| {
                    let length = choice.steps.len();
                    steps.get(done..done + length).is_some_and(|recorded| {
                        choice.steps.iter().zip(recorded).all(|(step, recorded)| {
                            (step.pid, step.location, step.transition)
                                == (recorded.pid, recorded.location, recorded.transition)
                        })
                    })
                });
                debug_assert!(taken.is_some(), "step {} cannot be executed", next.number);
                let choice = choices.swap_remove(taken?);
                done += choice.steps.len();
                let ended = simulation.take(choice, crate::ShownStates::Changes).ended;
                let interrupted = || {
                    let follows = steps.get(done).map(|step| step.pid);
                    simulation.holder().is_some() && follows.is_some() && follows != simulation.holder()
                };
                if ended || simulation.holder().is_none() || interrupted() {
                    break;
                }
            }
            let is_last = done == steps.len();
            letters.push(Letter {
                stored,
                moment: Moment::Moving,
                steps: from..done,
                next: Some(letters.len() + 1),
                is_end: false,
            });
            if is_last {
                break;
            }
        }
        let last = letters.len() - 1;
        match example.ending {
            RunEnding::Repeats => letters[last].next = Some(back_to?),
            RunEnding::Diverges | RunEnding::Cut => return None,
            RunEnding::Ends | RunEnding::Decided | RunEnding::Stops => {
                if !letters[last].steps.is_empty() {
                    let (stored, moment) = (simulation.stored(), Moment::Moving);
                    letters.push(Letter { stored, moment, steps: done..done, next: None, is_end: false });
                }
                let last = letters.len() - 1;
                letters[last].next = None;
                if example.ending == RunEnding::Decided {
                    letters[last].next = Some(last + 1);
                    let (stored, moment) = (letters[last].stored.clone(), Moment::Moving);
                    letters.push(Letter { stored, moment, steps: done..done, next: None, is_end: true });
                }
                if example.ending == RunEnding::Stops {
                    letters[last].moment = Moment::Stuck;
                    let stored = letters[last].stored.clone();
                    letters[last].next = Some(last + 1);
                    let next = Some(last + 1);
                    letters.push(Letter {
                        stored,
                        moment: Moment::Stopped,
                        steps: done..done,
                        next,
                        is_end: false,
                    });
                }
            }
        }
        Some(Word(letters))
    }
}

/// A letter that is about to be read, and where the claim is.
type Node = (usize, Location);

/// How a node was come to: from where, and by which statements of the claim.
type Parents = HashMap<Node, (Node, Vec<u32>)>;

struct Search<'s> {
    claim: &'s ProcessType,
    /// The number of the proposition of a transition.
    conditions: HashMap<(Location, usize), usize>,
    word: &'s Word,
    interpreter: &'s Interpreter<'s>,
}

/// What the claim can do with a letter.
struct ClaimStep {
    statements: Vec<u32>,
    /// `None`: it has seen what must not happen.
    to: Option<Location>,
}

impl Search<'_> {
    fn events(&self) -> Option<Vec<RunEvent>> {
        let start = (0, self.claim.start);
        let mut parents = Parents::new();
        let reached = match self.explore(start, &mut parents, None) {
            Ok(reached) => reached,
            Err((node, last)) => {
                let mut events = self.path(start, node, &parents);
                events.extend(last.into_iter().map(RunEvent::ClaimMoves));
                return Some(events);
            }
        };
        let accepting = |node: &&Node| self.claim.locations[node.1 as usize].accept;
        for &node in reached.iter().filter(accepting) {
            if self.word.0[node.0].is_end {
                return Some(self.path(start, node, &parents));
            }
            let mut back = Parents::new();
            let Ok(_) = self.explore(node, &mut back, Some(node)) else { continue };
            if !back.contains_key(&node) {
                continue;
            }
            let mut events = self.path(start, node, &parents);
            events.push(RunEvent::CycleStarts);
            events.extend(self.path(node, node, &back));
            return Some(events);
        }
        None
    }

    /// All nodes that can be come to, in the order in which they are found; `Err` where the claim has seen
    /// what must not happen, with its last statements. If `until` is come to, the search is over.
    fn explore(
        &self,
        start: Node,
        parents: &mut Parents,
        until: Option<Node>,
    ) -> Result<Vec<Node>, (Node, Vec<u32>)> {
        let mut order = vec![start];
        let mut seen: std::collections::HashSet<Node> = [start].into();
        let mut queue = VecDeque::from([start]);
        while let Some(node) = queue.pop_front() {
            let letter = &self.word.0[node.0];
            if letter.is_end {
                continue;
            }
            let mut steps = Vec::new();
            let mut valuation = Valuation::default();
            self.interpreter.look_at(&letter.stored, letter.moment, &mut valuation);
            self.steps(node.1, &mut valuation, &mut Vec::new(), &mut Vec::new(), &mut steps);
            for ClaimStep { statements, to } in steps {
                let Some(to) = to else { return Err((node, statements)) };
                let Some(next) = letter.next else { continue };
                let next = (next, to);
                if Some(next) == until {
                    parents.insert(next, (node, statements));
                    return Ok(order);
                }
                if seen.insert(next) {
                    parents.insert(next, (node, statements));
                    order.push(next);
                    queue.push_back(next);
                }
            }
        }
        Ok(order)
    }

    /// What happens on the way from one node to another, which may be the same.
    fn path(&self, from: Node, to: Node, parents: &Parents) -> Vec<RunEvent> {
        let mut backwards = Vec::new();
        let mut node = to;
        while let Some((parent, statements)) = parents.get(&node) {
            let steps = self.word.0[parent.0].steps.clone();
            backwards.extend(steps.rev().map(RunEvent::Step));
            backwards.extend(statements.iter().rev().map(|statement| RunEvent::ClaimMoves(*statement)));
            node = *parent;
            if node == from {
                break;
            }
        }
        backwards.reverse();
        backwards
    }

    /// Everything that the claim can do from a location; a series within `atomic` is one thing.
    fn steps(
        &self,
        location: Location,
        valuation: &mut Valuation,
        on_the_way: &mut Vec<Location>,
        statements: &mut Vec<u32>,
        steps: &mut Vec<ClaimStep>,
    ) {
        if on_the_way.contains(&location) {
            return;
        }
        on_the_way.push(location);
        let mut moved = false;
        let ends = |location: Location| {
            let info = self.claim.locations.get(location as usize);
            location == 0
                || info.is_some_and(|info| info.transitions.iter().any(|t| matches!(t.action, Action::End)))
        };
        for (i, transition) in self.claim.locations[location as usize].transitions.iter().enumerate() {
            let condition = self.conditions.get(&(location, i)).copied();
            let mut holds = || match condition {
                Some(condition) => self.interpreter.is_true(condition, valuation).unwrap_or(false),
                None => true,
            };
            let (executable, fails) = match &transition.action {
                Action::Else => (!moved, false),
                Action::Guard(_) => (holds(), false),
                Action::Assert(_) => (true, !holds()),
                Action::Skip | Action::Print { .. } => (true, false),
                _ => (false, false),
            };
            if !executable {
                continue;
            }
            moved = true;
            statements.push(transition.statement);
            let target = if transition.target == 0 { location } else { transition.target };
            if fails || ends(target) {
                steps.push(ClaimStep { statements: statements.clone(), to: None });
            } else if transition.keeps_control {
                self.steps(target, valuation, on_the_way, statements, steps);
            } else {
                steps.push(ClaimStep { statements: statements.clone(), to: Some(target) });
            }
            statements.pop();
        }
        on_the_way.pop();
    }
}
