//! Runs for people: names, places, values.

use crate::report::{
    Change, Counterexample, Cut, FinalProcess, FinalState, Place, RunEnding, ShownStates, TraceStep,
};
use lariat_engine::describe::Item;
use lariat_engine::interpreter::MicroState;
use lariat_engine::{Interpreter, Step};
use lariat_model::ir::{Language, Model, ProcessType, SourceLine};
use lariat_search::{Ending, LassoRun, Room, Run, Stage};
use lariat_verdict::describe_stop;
use std::collections::HashSet;
use std::time::Duration;

/// A replayed run with everything that is worth showing of it.
pub fn counterexample(interpreter: &Interpreter, run: &Run, states: ShownStates) -> Counterexample {
    let mut prefix = Vec::new();
    for stage in &run.stages {
        push_steps(interpreter, stage, states, &mut prefix);
    }
    let last = run.stages.end().or(run.initial.as_ref());
    let mut cycle = Vec::new();
    let mut ending = RunEnding::Ends;
    if let Some(start) = run.cycle_start {
        let before = run.stages.iter().take(start).map(|stage| stage.steps.len()).sum();
        cycle = prefix.split_off(before);
        ending = RunEnding::Diverges;
    }
    let last = last.map(|state| final_state(interpreter, state));
    let start = run.initial.as_ref().map(|state| final_state(interpreter, state));
    let initial = start.clone().filter(|_| states == ShownStates::Whole);
    Counterexample { initial, start, prefix, cycle, ending, last, ..Counterexample::default() }
}

/// How much of an infinite run is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// As much as decides.
    UntilDecided,
    /// All of it.
    Whole,
}

/// An infinite run with everything that is worth showing of it.
pub fn lasso_counterexample(
    interpreter: &Interpreter,
    run: &LassoRun,
    shown: Shown,
    states: ShownStates,
) -> Counterexample {
    let stages = || run.prefix.iter().chain(&run.cycle);
    let count = |stages: usize| run.prefix.iter().chain(&run.cycle).take(stages).map(|s| s.steps.len()).sum();
    let decided: Option<usize> = run.decided.map(count);
    let is_cut = decided.is_some() && shown == Shown::UntilDecided;
    let shown_stages = if is_cut { run.decided.unwrap_or(0) } else { run.prefix.len() + run.cycle.len() };
    let mut steps = Vec::new();
    for stage in stages().take(shown_stages) {
        push_steps(interpreter, stage, states, &mut steps);
    }
    let last = match shown_stages < run.prefix.len() + run.cycle.len() {
        true => stages().take(shown_stages).last().and_then(|stage| stage.after.as_ref()),
        false => run.cycle.last_state().or(run.prefix.last_state()),
    };
    let last = last.unwrap_or(&run.initial);
    let ending = match run.ending {
        _ if is_cut => RunEnding::Decided,
        Ending::Decided => RunEnding::Decided,
        Ending::Repeats => RunEnding::Repeats,
        Ending::Diverges => RunEnding::Diverges,
        Ending::Stops => RunEnding::Stops,
    };
    let mut cycle = match ending {
        RunEnding::Decided => Vec::new(),
        _ => steps.split_off(count(run.prefix.len())),
    };
    if ending == RunEnding::Stops {
        let whole = (states == ShownStates::Whole).then(|| final_state(interpreter, last));
        cycle.push(no_step(steps.len() as u64 + 1, "(nothing happens any more)", whole));
    }
    if steps.is_empty() && cycle.is_empty() {
        steps.push(no_step(0, "(the initial state)", None));
    }
    let decided_after = decided.map(|steps| steps as u64);
    let start = Some(final_state(interpreter, &run.initial));
    let initial = start.clone().filter(|_| states == ShownStates::Whole);
    let last = Some(final_state(interpreter, last));
    Counterexample {
        initial,
        start,
        prefix: steps,
        cycle,
        ending,
        decided_after,
        last,
        ..Counterexample::default()
    }
}

/// The same run, of which so many stages were executed and not kept: says what is missing, if something is.
pub fn cut_to(
    example: Counterexample,
    further: usize,
    room: &Room,
    timeout: Option<Duration>,
) -> Counterexample {
    let replayed = room.stopped().is_none();
    if further == 0 && replayed {
        return example;
    }
    let reason = describe_stop(room.why_not_kept(), timeout);
    let cut = Cut { not_shown: further as u64, replayed, reason };
    Counterexample { ending: RunEnding::Cut, cut: Some(cut), ..example }
}

/// A line among the steps that is none.
fn no_step(number: u64, says: &str, after: Option<FinalState>) -> TraceStep {
    TraceStep {
        number,
        pid: 0,
        process: "-".to_string(),
        priority: 0,
        file: String::new(),
        line: 0,
        statement: says.to_string(),
        state: 0,
        location: 0,
        transition: 0,
        changes: Vec::new(),
        printed: None,
        becomes_true: Vec::new(),
        becomes_false: Vec::new(),
        without_influence: false,
        appears: Vec::new(),
        disappears: Vec::new(),
        stutters: true,
        after,
    }
}

/// The steps of one stage; the last of them says what changed.
pub fn push_steps(interpreter: &Interpreter, stage: &Stage, shown: ShownStates, steps: &mut Vec<TraceStep>) {
    for (i, step) in stage.steps.iter().enumerate() {
        let changes = match &stage.after {
            Some(after) if i + 1 == stage.steps.len() => changes(interpreter.changes(&stage.before, after)),
            _ => Vec::new(),
        };
        let printed = interpreter.printed(&stage.before, *step);
        let number = steps.last().map_or(0, |step: &TraceStep| step.number) + 1;
        steps.push(trace_step(interpreter, &stage.before, *step, number, changes, printed));
    }
    if let (Some(last), Some(after)) = (steps.last_mut(), &stage.after) {
        births_and_deaths(interpreter, &stage.before, after, last);
    }
    if let (ShownStates::Whole, Some(last), Some(after)) = (shown, steps.last_mut(), &stage.after) {
        last.after = Some(final_state(interpreter, after));
    }
}

/// Says at a step which variables and channels begin to exist with it, and which cease.
fn births_and_deaths(
    interpreter: &Interpreter,
    before: &MicroState,
    after: &MicroState,
    step: &mut TraceStep,
) {
    let types = |state: &MicroState| -> Vec<usize> {
        positions(interpreter, state).iter().map(|position| position.process_type).collect()
    };
    if before.bytes().len() == after.bytes().len() && types(before) == types(after) {
        return;
    }
    let (old, new) = (interpreter.describe(before), interpreter.describe(after));
    let names = |items: &[Item]| items.iter().map(|item| item.name.clone()).collect::<HashSet<String>>();
    let (known, left) = (names(&old), names(&new));
    step.appears = changes(new.into_iter().filter(|item| !known.contains(&item.name)).collect());
    step.disappears = old.into_iter().map(|item| item.name).filter(|name| !left.contains(name)).collect();
}

pub fn trace_step(
    interpreter: &Interpreter,
    before: &MicroState,
    step: Step,
    number: u64,
    changes: Vec<Change>,
    printed: Option<String>,
) -> TraceStep {
    let model = interpreter.model();
    let process = &model.process_types[step.process_type as usize];
    let state = interpreter.transition(step).statement;
    let statement = &process.statements[state as usize];
    let priority =
        positions(interpreter, before).get(step.pid as usize).map_or(1, |position| position.priority);
    TraceStep {
        number,
        pid: step.pid,
        process: process.name.clone(),
        priority,
        file: file(model, statement.line),
        line: statement.line.line,
        statement: statement.text.clone(),
        state,
        location: step.location,
        transition: step.transition,
        changes,
        printed,
        becomes_true: Vec::new(),
        becomes_false: Vec::new(),
        without_influence: false,
        appears: Vec::new(),
        disappears: Vec::new(),
        stutters: false,
        after: None,
    }
}

/// Where the statement of a step stands.
pub fn place(interpreter: &Interpreter, step: Step) -> Option<Place> {
    let model = interpreter.model();
    let process = &model.process_types[step.process_type as usize];
    let line = process.statements[interpreter.transition(step).statement as usize].line;
    (line.line > 0).then(|| Place { file: file(model, line), line: line.line })
}

/// Where a process is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    pub process_type: usize,
    pub location: u32,
    pub priority: u8,
}

/// The processes of a state, by number.
pub fn positions(interpreter: &Interpreter, state: &MicroState) -> Vec<Position> {
    let layout = interpreter.layout();
    let bytes = state.bytes();
    let little_endian = |start: usize, size: usize| {
        bytes[start..start + size].iter().rev().fold(0u32, |value, byte| value << 8 | *byte as u32)
    };
    let mut positions = Vec::new();
    let mut start = layout.frames_start;
    while start < bytes.len() {
        let tag = little_endian(start, layout.tag_size) as usize;
        match layout.processes.get(tag) {
            Some(process) => {
                let location = little_endian(start + layout.tag_size, process.location.size() as usize);
                let priority = if layout.priorities { bytes[start + process.header_size - 1] } else { 1 };
                positions.push(Position { process_type: tag, location, priority });
                start += process.frame_size;
            }
            None => start += layout.channels[tag - layout.processes.len()].frame_size,
        }
    }
    positions
}

/// Where everything stands in a state.
pub fn final_state(interpreter: &Interpreter, state: &MicroState) -> FinalState {
    let model = interpreter.model();
    let mut globals = interpreter.describe(state);
    let mut processes = Vec::new();
    for (pid, position) in positions(interpreter, state).iter().enumerate() {
        let process = &model.process_types[position.process_type];
        let prefix = interpreter.variable_prefix(process, pid);
        let variables = globals.extract_if(.., |item| item.name.starts_with(&prefix)).collect();
        let location = process.locations.get(position.location as usize);
        let line = location.map_or(SourceLine::default(), |location| location.line);
        processes.push(FinalProcess {
            pid: pid as u16,
            process: process.name.clone(),
            priority: position.priority,
            file: file(model, line),
            line: line.line,
            location: position.location,
            state: state_name(model, process, position.location),
            may_end: location.is_some_and(|location| location.end),
            variables: changes(variables),
        });
    }
    processes.reverse();
    FinalState { globals: changes(globals), processes }
}

/// In DVE every location is a state with a name.
fn state_name(model: &Model, process: &ProcessType, location: u32) -> Option<String> {
    let named = process.labels.iter().find(|label| label.location == location);
    named.filter(|_| model.language == Language::Dve).map(|label| label.name.clone())
}

pub fn file(model: &Model, line: SourceLine) -> String {
    model.files.get(line.file as usize).unwrap_or(&model.name).clone()
}

pub fn changes(items: Vec<Item>) -> Vec<Change> {
    items.into_iter().map(|Item { name, value }| Change { name, value }).collect()
}
