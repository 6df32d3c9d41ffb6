//! From a path of states to a run: steps that have been executed, one by one, in the interpreter.
//!
//! A search finds a violation as a path of states. [`replay`] computes the successors along the path again,
//! which gives the steps of each transition, then executes these steps singly, as a simulation would, and
//! compares every state that it comes through with the path, and the violation at the end with the one that
//! was found. Only a run that passes is shown. One that does not is an error of the checker, and says so.

use crate::stages::{Room, Stages};
use crate::watch::Found;
use lariat_engine::interpreter::{MicroState, MicroStep};
use lariat_engine::{Interpreter, Step, SuccessorFunction, Successors, ViolationKind};
use lariat_store::StateStore;

/// What happens in a run, piece by piece: one step, or the two of a handshake.
#[derive(Clone, Debug)]
pub struct Stage {
    /// The step, or the two of a handshake, the send first.
    pub steps: Vec<Step>,
    /// The state in which it happens.
    pub before: MicroState,
    /// `None` if the step ran into an error that leaves no state.
    pub after: Option<MicroState>,
    /// The last stage of a transition: the state after it is one that the search stored.
    pub ends_transition: bool,
}

/// A replayed run from the initial state.
#[derive(Clone, Debug)]
pub struct Run {
    /// `None` if there is no initial state.
    pub initial: Option<MicroState>,
    /// What happens, from the initial state to the violation.
    pub stages: Stages,
    /// The last of these stages, from this one on, repeat for ever: an indivisible sequence never ends.
    pub cycle_start: Option<usize>,
}

/// A run that the interpreter does not confirm: what the search found is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refuted(pub String);

fn refuted<T>(what: impl Into<String>) -> Result<T, Refuted> {
    Err(Refuted(what.into()))
}

/// Replays what a search found, within the limits of the room that there is: if that says that it was
/// stopped, the run is the beginning of the one that was found.
pub fn replay(
    interpreter: &Interpreter,
    store: &impl StateStore,
    found: &Found,
    room: &mut Room,
) -> Result<Run, Refuted> {
    let Some(path) = &found.path else { return refuted("no path was kept") };
    let Some(&first) = path.first() else {
        return match interpreter.initial_state() {
            Err(violation) if violation == found.violation => {
                Ok(Run { initial: None, stages: Stages::default(), cycle_start: None })
            }
            _ => refuted("there is an initial state"),
        };
    };
    // What the store holds of a state, without the memory that is handed on.
    let visible = |state: &[u8]| state.len() - interpreter.memory_size();
    let mut next = Vec::new();
    store.read(first, &mut next);
    let mut state = match interpreter.initial_state() {
        Ok(initial) if initial[..visible(&initial)] == next => initial,
        _ => return refuted("the path does not start at the initial state"),
    };
    let mut run =
        Run { initial: Some(interpreter.micro_from(&state)), stages: Stages::default(), cycle_start: None };
    let limited = interpreter.clone().with_patience(room.patience());
    let mut stages = Vec::new();
    let mut out = Successors::new();
    for (number, &id) in path.iter().enumerate().skip(1) {
        if !room.goes_on(0) {
            return Ok(run);
        }
        store.read(id, &mut next);
        let same = |i: usize, out: &Successors| out.state(i)[..visible(out.state(i))] == next;
        let Some(i) = find_successor(&limited, &state, same, &mut out) else {
            if out.was_cut() {
                room.cut();
                return Ok(run);
            }
            return refuted(format!("state {number} of the path is no successor of the one before"));
        };
        let steps = out.steps(i).into_owned();
        execute(interpreter, &state, &steps, &mut stages)?;
        state = out.state(i).to_vec();
        let reached = stages.last().and_then(|stage| stage.after.as_ref());
        if reached.map(|state| interpreter.stored(state)).as_ref() != Some(&state) {
            return refuted(format!("the steps of transition {number} lead to another state"));
        }
        run.stages.append(&mut stages, room);
    }
    if found.violation.kind.is_of_end() {
        interpreter.successors(&state, &mut out);
        if out.something_happens() || interpreter.wrong_end(&state).as_ref() != Some(&found.violation) {
            return refuted("it is right that nothing happens in the last state");
        }
    } else if found.violation.kind == ViolationKind::EndlessSequence {
        limited.successors(&state, &mut out);
        if out.was_cut() {
            room.cut();
            return Ok(run);
        }
        if !out.violations().any(|(violation, steps)| *violation == found.violation && steps == found.steps) {
            return refuted("the sequence can be left");
        }
        let round = execute_round(interpreter, &state, &found.steps, &mut stages)?;
        run.cycle_start = Some(run.stages.len() + round);
        run.stages.append(&mut stages, room);
    } else {
        execute_into_violation(interpreter, &state, found, &mut stages)?;
        run.stages.append(&mut stages, room);
    }
    Ok(run)
}

/// A successor of the kind that is wanted, by its number in the buffer: one to which a single step leads, or
/// else one behind an indivisible sequence.
pub(crate) fn find_successor(
    interpreter: &Interpreter,
    state: &[u8],
    is_wanted: impl Fn(usize, &Successors) -> bool,
    out: &mut Successors,
) -> Option<usize> {
    let find = |out: &Successors| (0..out.len()).find(|&i| is_wanted(i, out));
    interpreter.direct_successors(state, out);
    find(out).or_else(|| {
        interpreter.successors(state, out);
        find(out)
    })
}

/// Executes steps that stay inside an indivisible sequence and come back to a state that they have come
/// through. The stage at which they have been in that state before.
pub(crate) fn execute_round(
    interpreter: &Interpreter,
    from: &[u8],
    steps: &[Step],
    stages: &mut Vec<Stage>,
) -> Result<usize, Refuted> {
    let first = stages.len();
    execute(interpreter, from, steps, stages)?;
    let is_inside = |state: Option<&MicroState>| state.is_some_and(|state| state.held.is_some());
    if !stages[first..].iter().all(|stage| is_inside(stage.after.as_ref())) {
        return refuted("the steps lead out of the indivisible sequence");
    }
    stages.iter_mut().skip(first).for_each(|stage| stage.ends_transition = false);
    let end = stages.last().and_then(|stage| stage.after.clone());
    match (first + 1..stages.len()).find(|&k| Some(&stages[k].before) == end.as_ref()) {
        Some(k) => Ok(k),
        None => refuted("the steps do not come back to a state that they have come through"),
    }
}

/// Executes the steps of one transition.
pub(crate) fn execute(
    interpreter: &Interpreter,
    from: &[u8],
    steps: &[Step],
    stages: &mut Vec<Stage>,
) -> Result<(), Refuted> {
    let mut before = interpreter.micro_from(from);
    let Some(replayed) = interpreter.replay(&before, steps) else {
        return refuted("the steps cannot be executed one by one");
    };
    let count = replayed.len();
    for (i, MicroStep { steps, next }) in replayed.into_iter().enumerate() {
        let after = next.clone();
        stages.push(Stage { steps, before, after: Some(next), ends_transition: i + 1 == count });
        before = after;
    }
    Ok(())
}

/// Executes the steps that run into the violation, and looks whether they do.
fn execute_into_violation(
    interpreter: &Interpreter,
    from: &[u8],
    found: &Found,
    stages: &mut Vec<Stage>,
) -> Result<(), Refuted> {
    let mut out = Successors::new();
    let mut state = interpreter.micro_from(from);
    let mut rest = &found.steps[..];
    loop {
        let possible = interpreter.micro_successors(&state, &mut out);
        let fails = out.violations().any(|(violation, steps)| *violation == found.violation && steps == rest);
        let taken = possible.into_iter().find(|micro| rest.starts_with(&micro.steps));
        if fails {
            if !rest.is_empty() {
                let after = taken.filter(|micro| micro.steps == rest).map(|micro| micro.next);
                stages.push(Stage { steps: rest.to_vec(), before: state, after, ends_transition: true });
            }
            return Ok(());
        }
        let Some(taken) = taken else {
            return refuted(format!("nothing runs into '{}' any more", found.violation.message));
        };
        rest = &rest[taken.steps.len()..];
        let before = std::mem::replace(&mut state, taken.next.clone());
        stages.push(Stage { steps: taken.steps, before, after: Some(taken.next), ends_transition: false });
    }
}
