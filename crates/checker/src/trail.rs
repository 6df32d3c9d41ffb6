//! Trails: runs as Spin writes them to `.trail` files.
//!
//! A trail is text, one line `depth:process:statement` for each step. Statements have one number in the
//! whole model (`promela/src/flow/spin_numbers.rs` counts them); a handshake is two lines, the send first; a
//! `d_step` is one line; a process that ends takes a step. Depths that are negative say something of the
//! run:
//!
//! - `-2:n:-2`: a claim runs beside the model, the `n`th of Spin's process types. It is then process 0, the
//!   others have a number more than else, and the claim moves before each step of theirs.
//! - `-4:-4:-4`: a line may stand for several statements, which were merged.
//! - `-1:-1:-1`: what follows is repeated for ever.
//!
//! What [`write()`] writes has a line for every statement, so nothing is merged, and Spin replays it with
//! `spin -t -p` whatever options its own verifier would have had. If the property was a `never` claim of the
//! model, the claim's moves are there, too (`trail_claim.rs` finds them). Which claim Spin makes of a formula
//! only Spin knows, who is asked (`spin_claim.rs`). Where it cannot be, the moves are left out, and Spin
//! replays the model alone, to the same states.
//!
//! [`TrailGuide`] follows a trail, Spin's or ours. Moves of claims are left out: what a claim reads has no
//! influence on the model. Where statements were merged, the rest of each series is executed at once. Spin
//! decides from the text what it merges, and a case may be judged otherwise here; so a process that has not
//! yet come to the statement of its next line goes on to it, as long as it has no choice.

use crate::report::{Counterexample, RunEnding, TraceStep};
use crate::simulation::{Choice, Simulation};
use crate::trail_claim::{RunEvent, with_claim, without_claim};
use lariat_model::ir::{Action, Model, ProcessType};
use lariat_promela::{NumberedAutomaton, SpinNumbers};
use std::collections::HashMap;
use std::fmt::Write;

/// A trail, line by line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trail {
    /// The claim that runs beside the model.
    pub claim: Option<u32>,
    /// A line may stand for several statements.
    pub merged: bool,
    /// The steps, of claims too.
    pub steps: Vec<TrailStep>,
    /// How many of the steps come before what is repeated.
    pub cycle: Option<usize>,
}

/// A line of a trail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrailStep {
    /// The line of the file, from 1.
    pub line: usize,
    /// What Spin calls the depth.
    pub depth: i64,
    /// The number of the process, as the file has it.
    pub process: u32,
    /// The number of the statement.
    pub statement: u32,
}

impl Trail {
    /// Reads a trail; what is wrong with it, otherwise. A run without steps has none.
    pub fn read(text: &str) -> Result<Trail, String> {
        let mut trail = Trail::default();
        for (i, line) in text.lines().enumerate() {
            let line = line.trim();
            let number = i + 1;
            if line.is_empty() {
                continue;
            }
            let wrong = || {
                format!(
                    "line {number} is `{}`, but a line of a trail is `depth:process:statement`",
                    shortened(line)
                )
            };
            let fields: Vec<i64> = line.split(':').map_while(|field| field.trim().parse().ok()).collect();
            let [depth, process, statement] = fields[..] else { return Err(wrong()) };
            if line.split(':').count() != 3 {
                return Err(wrong());
            }
            match depth {
                -1 if trail.cycle.is_some() => {
                    return Err(format!("line {number} starts a cycle, and there is one already"));
                }
                -1 => trail.cycle = Some(trail.steps.len()),
                -2 => trail.claim = Some(u32::try_from(process).map_err(|_| wrong())?),
                -4 => trail.merged = true,
                -8..=-5 => {
                    let says =
                        "the search that wrote it had permuted the processes, or it is a trail of a swarm";
                    return Err(format!("line {number}: {says}; write it without these options"));
                }
                0.. => {
                    let process = u32::try_from(process).map_err(|_| wrong())?;
                    let statement = u32::try_from(statement).map_err(|_| wrong())?;
                    trail.steps.push(TrailStep { line: number, depth, process, statement });
                }
                _ => return Err(wrong()),
            }
        }
        Ok(trail)
    }
}

fn shortened(line: &str) -> String {
    match line.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_string(),
    }
}

/// The trail of a run; or why there is none. If it was a `never` claim that found it, `claim` is the claim's
/// place in [`Model::claims`].
pub fn write(
    example: &Counterexample,
    model: &Model,
    numbers: &SpinNumbers,
    claim: Option<usize>,
) -> Result<String, String> {
    if example.ending == RunEnding::Cut {
        return Err("the run is not known to its end".to_string());
    }
    let ids = ProcessIds::new(model, numbers);
    let mut text = String::new();
    let place = claim.and_then(|claim| {
        numbers.iter().position(|(automaton, _)| *automaton == NumberedAutomaton::Claim(claim))
    });
    let beside = place.zip(claim).and_then(|(place, claim)| {
        let events = with_claim(example, model, &model.claims[claim].automaton)?;
        Some((place, events))
    });
    let (claim, events) = match beside {
        Some((place, events)) => (Some(place), events),
        None => (None, without_claim(example)),
    };
    if let Some(place) = claim {
        let _ = writeln!(text, "-2:{place}:-2");
    }
    let steps: Vec<&TraceStep> =
        example.prefix.iter().chain(&example.cycle).filter(|step| !step.stutters).collect();
    let mut depth = 0;
    for event in events {
        let (process, id) = match (event, claim) {
            (RunEvent::CycleStarts, _) => {
                text.push_str("-1:-1:-1\n");
                continue;
            }
            (RunEvent::ClaimMoves(statement), Some(place)) => {
                (0, numbers[place].1.ids.get(statement as usize).copied().flatten())
            }
            (RunEvent::ClaimMoves(_), None) => continue,
            (RunEvent::Step(i), _) => {
                (u32::from(steps[i].pid) + u32::from(claim.is_some()), ids.id(steps[i]))
            }
        };
        let id = id.ok_or("the number of a statement depends on what Spin makes of a formula")?;
        depth += 1;
        let _ = writeln!(text, "{depth}:{process}:{id}");
    }
    Ok(text)
}

/// The numbers of the statements of processes, by the name of the type.
struct ProcessIds<'n>(HashMap<&'n str, &'n [Option<u32>]>);

impl<'n> ProcessIds<'n> {
    fn new(model: &'n Model, numbers: &'n SpinNumbers) -> ProcessIds<'n> {
        let named = numbers.iter().filter_map(|(automaton, numbers)| match automaton {
            NumberedAutomaton::Process(i) => Some((model.process_types[*i].name.as_str(), &numbers.ids[..])),
            NumberedAutomaton::Claim(_) => None,
        });
        ProcessIds(named.collect())
    }

    fn id(&self, step: &TraceStep) -> Option<u32> {
        self.0.get(step.process.as_str())?.get(step.state as usize).copied().flatten()
    }
}

/// Whose statement a number is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Known {
    automaton: NumberedAutomaton,
    statement: u32,
}

/// A trail on its way through a simulation.
pub struct TrailGuide<'m> {
    model: &'m Model,
    numbers: &'m SpinNumbers,
    known: HashMap<u32, Known>,
    trail: Trail,
    /// Lines that are done.
    followed: usize,
    /// A process that is in the middle of a series of merged statements, and the next of them.
    merging: Option<(u16, u32)>,
    /// Statements executed for the line that comes next, but not named by it.
    on_the_way: usize,
    /// What was passed, and not yet told.
    passed: Vec<PassedLine>,
    /// The choice that was found last is named by no line: it was merged with another.
    is_unnamed: bool,
    /// The claim, a place in [`Model::claims`], and where it is.
    claim: Option<(usize, u32)>,
}

/// A line of a trail that is no step of the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PassedLine {
    /// What follows is repeated.
    CycleStarts,
    /// A claim of the model moves.
    ClaimMoves {
        /// Where its statement stands.
        line: u32,
        /// Its statement.
        statement: String,
    },
}

/// What comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrailMove {
    /// The choice with this index.
    Take(usize),
    /// The trail is at its end.
    End,
}

impl<'m> TrailGuide<'m> {
    /// Nothing has been followed yet.
    pub fn new(trail: Trail, model: &'m Model, numbers: &'m SpinNumbers) -> TrailGuide<'m> {
        let mut known = HashMap::new();
        for (automaton, numbers) in numbers {
            for (statement, id) in numbers.ids.iter().enumerate() {
                if let Some(id) = id {
                    known.insert(*id, Known { automaton: *automaton, statement: statement as u32 });
                }
            }
        }
        let claim = trail.claim.and_then(|number| match numbers.get(number as usize)?.0 {
            NumberedAutomaton::Claim(claim) => Some((claim, model.claims[claim].automaton.start)),
            NumberedAutomaton::Process(_) => None,
        });
        TrailGuide {
            model,
            numbers,
            known,
            trail,
            followed: 0,
            merging: None,
            on_the_way: 0,
            passed: Vec::new(),
            is_unnamed: false,
            claim,
        }
    }

    /// Whether there is anything left of the trail.
    pub fn goes_on(&self) -> bool {
        self.merging.is_some() || self.trail.steps[self.followed..].iter().any(|step| !self.is_claim(step))
    }

    /// The next step is the first of those that are repeated.
    pub fn starts_cycle(&mut self) -> bool {
        let here = self.merging.is_none() && self.trail.cycle.is_some_and(|start| start <= self.followed);
        if here {
            self.trail.cycle = None;
        }
        here
    }

    /// The choice that was found last is named by no line: it was merged with another.
    pub fn is_unnamed(&self) -> bool {
        self.is_unnamed
    }

    /// The line that comes next, or the last one.
    pub fn depth(&self) -> i64 {
        let done = self.followed.saturating_sub(1);
        self.trail.steps.get(done).map_or(0, |step| step.depth)
    }

    /// What was passed on the way to the choice that was found last.
    pub fn passed(&mut self) -> Vec<PassedLine> {
        std::mem::take(&mut self.passed)
    }

    fn pass_start_of_cycle(&mut self) {
        if self.trail.cycle == Some(self.followed) {
            self.trail.cycle = None;
            self.passed.push(PassedLine::CycleStarts);
        }
    }

    /// Where the claim of the model is: its name, and a place in its automaton.
    pub fn claim(&self) -> Option<(&'m ProcessType, u32)> {
        self.claim.map(|(claim, location)| (&self.model.claims[claim].automaton, location))
    }

    fn claim_moves_by(&mut self, id: u32) {
        let (Some((claim, location)), Some(known)) = (&mut self.claim, self.known.get(&id)) else { return };
        if known.automaton != NumberedAutomaton::Claim(*claim) {
            return;
        }
        let automaton = &self.model.claims[*claim].automaton;
        let statement = &automaton.statements[known.statement as usize];
        let (line, statement) = (statement.line.line, statement.text.clone());
        self.passed.push(PassedLine::ClaimMoves { line, statement });
        let transitions = automaton.locations.iter().flat_map(|location| &location.transitions);
        let mut own = transitions.filter(|transition| transition.statement == known.statement);
        *location = own.next().map_or(*location, |transition| transition.target);
    }

    fn is_claim(&self, step: &TrailStep) -> bool {
        self.trail.claim.is_some() && step.process == 0
    }

    /// Which of the choices is the next step. `Err` says why none of them is.
    pub fn next(&mut self, simulation: &Simulation, choices: &[Choice]) -> Result<TrailMove, String> {
        loop {
            if let Some(found) = self.next_line(simulation, choices)? {
                return Ok(found);
            }
        }
    }

    /// The same; `None` if a line was passed that is no step here.
    fn next_line(
        &mut self,
        simulation: &Simulation,
        choices: &[Choice],
    ) -> Result<Option<TrailMove>, String> {
        while let Some((pid, statement)) = self.merging {
            let process_type = simulation.process_type(pid);
            let behind = process_type.and_then(|process_type| self.merged_with(process_type, statement));
            self.merging = behind.map(|next| (pid, next));
            // Where a jump is not a step of its own here, it is left out.
            let own = self.choices_of(pid, choices);
            let fits = |i: &usize| simulation.statement(choices[*i].steps[0]) == statement;
            if let Some(found) = own.into_iter().find(fits) {
                self.is_unnamed = true;
                return Ok(Some(TrailMove::Take(found)));
            }
        }
        self.pass_start_of_cycle();
        while let Some(&step) = self.trail.steps.get(self.followed).filter(|step| self.is_claim(step)) {
            self.followed += 1;
            self.claim_moves_by(step.statement);
            self.pass_start_of_cycle();
        }
        let Some(&step) = self.trail.steps.get(self.followed) else { return Ok(Some(TrailMove::End)) };
        let line = step.line;
        let shift = u32::from(self.trail.claim.is_some());
        let Some(&Known { automaton: NumberedAutomaton::Process(process_type), statement }) =
            self.known.get(&step.statement)
        else {
            let reason = match self.known.get(&step.statement) {
                None => "has no such statement",
                Some(_) => "has such a statement, but in a claim",
            };
            return Err(format!("line {line} names statement {}: the model {reason}", step.statement));
        };
        let name = &self.model.process_types[process_type].name;
        let shown = &self.model.process_types[process_type].statements[statement as usize];
        let pid = step.process - shift.min(step.process);
        let says = format!(
            "line {line} lets process {pid} execute `{}` of {name} (line {})",
            shown.text, shown.line.line
        );
        let number = u16::try_from(pid).ok();
        match number.and_then(|pid| simulation.process_type(pid)) {
            None => return Err(format!("{says}: there is no such process")),
            Some(other) if other != process_type => {
                let other = &self.model.process_types[other].name;
                return Err(format!("{says}: the process is one of {other}"));
            }
            Some(_) => {}
        }
        let pid = number.unwrap_or(0);
        let receiver = self.trail.steps.get(self.followed + 1);
        let fits = |choice: &Choice| match &choice.steps[..] {
            [only] => (only.pid, simulation.statement(*only)) == (pid, statement),
            [send, receive] => {
                let received =
                    receiver.and_then(|step| self.known.get(&step.statement).map(|known| (step, known)));
                (send.pid, simulation.statement(*send)) == (pid, statement)
                    && received.is_some_and(|(step, known)| {
                        u32::from(receive.pid) + shift == step.process
                            && known.statement == simulation.statement(*receive)
                            && known.automaton == NumberedAutomaton::Process(receive.process_type as usize)
                    })
            }
            _ => false,
        };
        if let Some(found) = choices.iter().position(fits) {
            let steps = &choices[found].steps;
            self.followed += steps.len();
            self.on_the_way = 0;
            self.is_unnamed = false;
            if self.trail.merged {
                // Of a handshake, the receiver may go on; the sender does not in models with handshakes.
                self.merging = steps.iter().rev().find_map(|step| {
                    let next = self.merged_with(step.process_type as usize, simulation.statement(*step));
                    next.map(|next| (step.pid, next))
                });
            }
            return Ok(Some(TrailMove::Take(found)));
        }
        if self.trail.merged && self.is_behind(process_type, statement, simulation.location(pid)) {
            self.followed += 1;
            return Ok(None);
        }
        // Who is in the middle of an indivisible sequence goes on first: Spin has merged the rest of it.
        let goes_on = simulation.holder().unwrap_or(pid);
        if let [only] = self.choices_of(goes_on, choices)[..]
            && self.trail.merged
            && self.on_the_way < self.model.process_types[process_type].locations.len()
            && simulation.has_no_choice(&choices[only])
        {
            self.on_the_way += 1;
            self.is_unnamed = true;
            return Ok(Some(TrailMove::Take(only)));
        }
        Err(format!("{says}: it cannot do that here"))
    }

    fn choices_of(&self, pid: u16, choices: &[Choice]) -> Vec<usize> {
        let is_own = |choice: &Choice| choice.steps.first().is_some_and(|step| step.pid == pid);
        (0..choices.len()).filter(|i| is_own(&choices[*i])).collect()
    }

    /// Whether the statement is a jump, and the process has taken it with the step before: while Spin
    /// merges, it lets a process rest at a jump where control would not rest otherwise.
    fn is_behind(&self, process_type: usize, statement: u32, location: Option<u32>) -> bool {
        let own = &self.model.process_types[process_type].locations[statement as usize].transitions;
        matches!(&own[..], [jump] if matches!(jump.action, Action::Skip)
            && jump.statement == statement
            && Some(jump.target) == location)
    }

    fn merged_with(&self, process_type: usize, statement: u32) -> Option<u32> {
        let own = |automaton: &NumberedAutomaton| *automaton == NumberedAutomaton::Process(process_type);
        let (_, numbers) = self.numbers.iter().find(|(automaton, _)| own(automaton))?;
        numbers.merged_with.get(statement as usize).copied().filter(|next| *next != 0)
    }
}

/// Whether an action can always be executed, and is of the kinds that Spin merges.
pub(crate) fn may_be_merged(action: &Action) -> bool {
    matches!(
        action,
        Action::Skip | Action::Assign(..) | Action::AssignAll(_) | Action::Print { .. } | Action::Assert(_)
    )
}
