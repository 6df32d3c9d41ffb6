//! What happens in a step, in a sentence or two.
//!
//! A sentence is made from the scene before the step and from its events. It says what the check sees and
//! what it makes of it, in the words of the pseudo-code beside it; states are called by their names.

use crate::graph::shown_marks;
use crate::recording::{Answer, Recording};
use crate::scene::Scene;
use lariat_search::emptiness::{Check, Colour, Lasso};
use lariat_search::{Event, WaitingLine};
use lariat_store::StateId;

/// What happens in a step.
pub fn said(scene: &Scene, step: &[Event]) -> String {
    let name = |state: StateId| scene.graph().name(state);
    let expanded = step.iter().find_map(|event| match *event {
        Event::Expanded { state, arcs } => Some((state, arcs)),
        _ => None,
    });
    let entered = step.iter().any(|event| matches!(event, Event::Met(_) | Event::Entered(_)));
    match (step[0], expanded) {
        (Event::Begun, _) => began(scene),
        (_, Some((state, arcs))) if entered => visit(scene, step, state, Some(arcs)),
        // Its arcs are not needed: it decides.
        (Event::Met(state), None) => visit(scene, step, state, None),
        (_, Some((state, arcs))) => looked_again(scene, state, arcs),
        (Event::Arc { from, to }, _) => arc(scene, step, from, to),
        (Event::Nested(seed), _) => nested(scene, seed),
        (Event::NestedOver, _) => nested_over(scene),
        (Event::Left(state), _) => left(scene, step, state),
        (Event::Lowlink { state, lowlink }, _) => match scene.note_of(state).lowlink {
            Some(before) if before > lowlink => {
                format!("The lowlink of {} falls from {before} to {lowlink}.", name(state))
            }
            _ => format!("The lowlink of {} stays {lowlink}.", name(state)),
        },
        (Event::Merged { root, marks }, _) => merged(scene, root, marks),
        (Event::Removed(_), _) => removed(scene, step),
        (Event::Coloured { state, colour }, _) => format!("State {} becomes {}.", name(state), word(colour)),
        (event, _) => format!("{event:?}"),
    }
}

fn began(scene: &Scene) -> String {
    let states: Vec<String> =
        scene.graph().initial().iter().map(|&state| scene.graph().name(state)).collect();
    match states.as_slice() {
        [] => "There is no initial state.".to_string(),
        [one] => format!("The search begins in state {one}."),
        many => format!("The search may begin in states {}.", many.join(", ")),
    }
}

fn arcs_leave(arcs: u32) -> String {
    match arcs {
        0 => "no arc leaves it".to_string(),
        1 => "one arc leaves it".to_string(),
        _ => format!("{arcs} arcs leave it"),
    }
}

/// A state is visited, by either search.
fn visit(scene: &Scene, step: &[Event], state: StateId, arcs: Option<u32>) -> String {
    let name = scene.graph().name(state);
    let leave = arcs.map_or_else(|| "its arcs are not needed".to_string(), arcs_leave);
    let accepts =
        if scene.graph().sets == 1 && scene.graph().is_accepting(state) { ", and accepts" } else { "" };
    if scene.seed.is_some() {
        let level = step.iter().find_map(|event| match event {
            Event::Levelled { level, .. } => Some(*level),
            _ => None,
        });
        return match (scene.check(), level) {
            (Check::Streett, _) => format!("The refinement comes to state {name}; {leave}."),
            (_, Some(level)) => format!("The pair ({name}, {level}) becomes red; {leave}."),
            _ if scene.seed == Some(state) && scene.nested.is_empty() => match scene.check() {
                Check::NestedDfs | Check::NestedDfsStack => {
                    format!("The red search is in its seed, {name}, which becomes red; {leave}.")
                }
                _ => format!("The red search is in its seed, {name}; {leave}."),
            },
            _ => format!("State {name} becomes red; {leave}."),
        };
    }
    for event in step {
        match *event {
            Event::Levelled { level, .. } => {
                return format!("The pair ({name}, {level}) is new: it becomes blue; {leave}.");
            }
            Event::Coloured { colour, .. } => {
                return format!("State {name} is new{accepts}: it becomes {}; {leave}.", word(colour));
            }
            Event::Numbered { number, .. } => {
                let root = if step.contains(&Event::Root(state)) { ", and is a root" } else { "" };
                return format!("State {name} is new{accepts}: it gets the number {number}{root}; {leave}.");
            }
            _ => {}
        }
    }
    match scene.check() {
        Check::Reachability if scene.queue.first() == Some(&state) => {
            format!("State {name} is taken from the queue{accepts}; {leave}.")
        }
        Check::Reachability => format!("State {name} is taken from the stack{accepts}; {leave}."),
        _ => format!("State {name} is new{accepts}: it is visited; {leave}."),
    }
}

/// The arcs of a state are computed, and nobody goes there.
fn looked_again(scene: &Scene, state: StateId, arcs: u32) -> String {
    let name = scene.graph().name(state);
    match (scene.check(), scene.seed) {
        (Check::NestedDfsBlack, None) => {
            format!("All is done from {name}: its successors are looked at once more. Are all black?")
        }
        (Check::NaiveLasso, Some(seed)) if seed == state => {
            format!("What does {name} reach? {}.", capital(&arcs_leave(arcs)))
        }
        (Check::NaiveLasso, Some(seed)) => {
            format!("{} reaches {name}; {}.", scene.graph().name(seed), arcs_leave(arcs))
        }
        (Check::LabelPropagation, _) => format!("The labels go on from {name}; {}.", arcs_leave(arcs)),
        (Check::RootsAndRemoval, _) => {
            format!("The arcs of {name} are computed once more, to remove what they lead to.")
        }
        _ => format!("The arcs of {name} are computed once more; {}.", arcs_leave(arcs)),
    }
}

fn arc(scene: &Scene, step: &[Event], from: StateId, to: StateId) -> String {
    let graph = scene.graph();
    let (s, t) = (graph.name(from), graph.name(to));
    let note = scene.note_of(to);
    let is_nested = scene.seed.is_some();
    let what = match scene.check() {
        Check::NestedDfsColours | Check::NestedDfsAllRed | Check::NestedDfsBlack | Check::SimpleDfs => {
            coloured_arc(scene, from, to, note.colour.unwrap_or(Colour::White))
        }
        Check::NestedDfs if is_nested => match (note.is_red, scene.seed == Some(to)) {
            (false, _) => format!("{t} is not red: the red search goes there"),
            (true, true) => format!("{t} is the seed"),
            (true, false) => format!("{t} is red already"),
        },
        Check::NestedDfsStack if is_nested => match (scene.is_on_path(to), note.is_red) {
            (true, _) => format!("{t} is on the blue path, which leads to the seed"),
            (false, false) => format!("{t} is not red: the red search goes there"),
            (false, true) => format!("{t} is red already"),
        },
        Check::NestedDfs | Check::NestedDfsStack => match note.is_blue {
            false => format!("{t} is white: the blue search goes there"),
            true => format!("{t} is blue already"),
        },
        Check::NestedDfsLevels => {
            let (path, colour) = if is_nested { (&scene.nested, "red") } else { (&scene.path, "blue") };
            let level = path.last().and_then(|&(_, level)| level).unwrap_or(0);
            format!("the {colour} search looks at it from level {level}")
        }
        Check::Tarjan
        | Check::TarjanGoal
        | Check::RootsAndRemoval
        | Check::RootsAndActive
        | Check::Streett => match (note.number, note.is_current) {
            (None, _) => format!("{t} has no number: the search goes there"),
            (Some(_), true) if step.len() > 1 => format!("{t} is current, and no longer is: it is removed"),
            (Some(_), true) if is_nested => format!("{t} is current"),
            (Some(number), true) => format!("{t} is current, with the number {number}: that closes a cycle"),
            (Some(_), false) => format!("the component of {t} is complete"),
        },
        Check::LabelPropagation if is_nested => match step.last() {
            Some(&Event::Labelled { label, .. }) => {
                format!("the label of {t} grows to {}", shown_marks(label))
            }
            _ if !note.met => format!("{t} was not visited yet, and gets no label"),
            _ => format!("{t} knows all that already"),
        },
        Check::NaiveLasso | Check::LabelPropagation => match note.met {
            false => format!("{t} is new: the search goes there"),
            true => format!("{t} was visited before"),
        },
        Check::Reachability => match step.last() {
            Some(Event::Waits { line: WaitingLine::Queue, .. }) => {
                format!("{t} is new: it waits in the queue")
            }
            Some(Event::Waits { .. }) => format!("{t} is new: it waits on the stack"),
            _ => format!("{t} was reached before"),
        },
    };
    format!("Arc {s} → {t}: {what}.")
}

/// The arc, for a check with colours.
fn coloured_arc(scene: &Scene, from: StateId, to: StateId, colour: Colour) -> String {
    let graph = scene.graph();
    let (s, t) = (graph.name(from), graph.name(to));
    if scene.seed.is_some() {
        return match colour {
            Colour::Cyan => format!("{t} is cyan: the blue path leads from it to the seed"),
            Colour::Blue => format!("{t} is blue: it becomes red, and the red search goes there"),
            other => format!("{t} is {}: nothing to do", word(other)),
        };
    }
    let by_source = scene.check() != Check::NestedDfsBlack && graph.is_accepting(from);
    match colour {
        Colour::White => format!("{t} is white: the search goes there"),
        Colour::Cyan if graph.is_accepting(to) => format!("{t} is cyan, and accepts"),
        Colour::Cyan if by_source => format!("{t} is cyan, and {s} accepts"),
        Colour::Cyan => format!("{t} is cyan: a cycle, but neither end accepts"),
        other => format!("{t} is {}: nothing to do", word(other)),
    }
}

fn nested(scene: &Scene, seed: StateId) -> String {
    let name = scene.graph().name(seed);
    match scene.check() {
        Check::NaiveLasso => {
            format!("An arc with the first mark leaves {name}: what does it reach, and what leads back?")
        }
        Check::LabelPropagation => {
            let label = scene.note_of(seed).label.map_or_else(
                || "its marks".to_string(),
                |label| format!("its label {} and its marks", shown_marks(label)),
            );
            format!("All is done from {name}: {label} are carried to all that it reaches.")
        }
        Check::RootsAndRemoval => {
            format!(
                "{name} is a root, and all is done from it: its component is complete, and a second search removes it."
            )
        }
        Check::Streett => format!(
            "The component of {name} is complete and meets all sets, but not all pairs: it is refined."
        ),
        Check::NestedDfsLevels => {
            format!(
                "All is done from {name} on the last level, and an arc leads to level 0: the red search starts behind it."
            )
        }
        _ => format!("All is done from {name}, and it accepts: the red search starts."),
    }
}

fn nested_over(scene: &Scene) -> String {
    let name = scene.seed.map_or_else(String::new, |seed| scene.graph().name(seed));
    match scene.check() {
        Check::NaiveLasso => format!("No accepting cycle goes through {name}."),
        Check::LabelPropagation => {
            format!("The labels have been carried as far as they go. Has {name} all sets now?")
        }
        Check::RootsAndRemoval => format!("The component of {name} is removed."),
        Check::Streett => format!("No part of the component of {name} is fair."),
        _ => format!(
            "The red search found no way back to {name} or to the blue path: {name} is on no accepting cycle."
        ),
    }
}

fn left(scene: &Scene, step: &[Event], state: StateId) -> String {
    let name = scene.graph().name(state);
    let to = match step.last() {
        Some(Event::Coloured { colour, .. }) => Some(*colour),
        _ => None,
    };
    let searched = scene.searched() == Some(state);
    match (scene.seed.is_some(), to) {
        (true, _) if scene.check() == Check::Streett => format!("The refinement goes back from {name}."),
        (true, _) => format!("The red search goes back from {name}."),
        (false, None) => format!("The search goes back from {name}."),
        (false, Some(colour)) if searched => {
            format!("The search goes back from {name}, which becomes {}.", word(colour))
        }
        (false, Some(Colour::Red)) => {
            format!("All successors of {name} are red: it becomes red, without a red search.")
        }
        (false, Some(Colour::Black)) => format!("All successors of {name} are black: it becomes black."),
        (false, Some(colour)) => format!("The search goes back from {name}, which becomes {}.", word(colour)),
    }
}

fn merged(scene: &Scene, root: StateId, marks: lariat_ltl::Marks) -> String {
    let graph = scene.graph();
    let name = graph.name(root);
    let place = scene.roots.iter().position(|&(one, _)| one == root).unwrap_or(0);
    let above = scene.roots[place..].iter().skip(1).map(|&(one, _)| graph.name(one)).collect::<Vec<_>>();
    let sets = match graph.sets {
        0 => String::new(),
        _ => format!("; the arcs inside meet {}", shown_marks(marks)),
    };
    match above.as_slice() {
        [] => format!("The arc is inside the component of {name}{sets}."),
        [one] => format!("The root {one} is popped: the component of {name} takes it in{sets}."),
        many => {
            format!("The roots {} are popped: the component of {name} takes them in{sets}.", many.join(", "))
        }
    }
}

fn removed(scene: &Scene, step: &[Event]) -> String {
    let names: Vec<String> = step
        .iter()
        .rev()
        .filter_map(|event| match *event {
            Event::Removed(state) => Some(scene.graph().name(state)),
            _ => None,
        })
        .collect();
    match (names.as_slice(), scene.seed.is_some()) {
        ([one], true) => format!("{one} is no longer current."),
        ([one], false) => format!(
            "{one} is a root, and all is done from it: {one} alone is a component, which is complete."
        ),
        (many, _) => format!(
            "{} is a root, and all is done from it: the component {} is complete.",
            many[0],
            many.join(", ")
        ),
    }
}

/// How it ends.
pub fn said_at_the_end(scene: &Scene, recording: &Recording) -> String {
    let not_kept = match recording.not_kept {
        0 => String::new(),
        more => format!("{more} further events are not shown. "),
    };
    let result = match &recording.answer {
        Answer::NotEmpty(lasso) => format!("There is an accepting run: {}.", shown_lasso(scene, lasso)),
        Answer::Empty => "Everything has been seen: there is no accepting run.".to_string(),
        Answer::Unknown(_) => "A limit was hit: nothing is known.".to_string(),
    };
    not_kept + &result
}

/// More states of a run are not named.
const MOST_NAMED: usize = 24;

fn shown_lasso(scene: &Scene, lasso: &Lasso) -> String {
    let names = |steps: &[lariat_search::emptiness::ProductStep]| {
        let named: Vec<String> =
            steps.iter().take(MOST_NAMED).map(|step| scene.graph().name(step.state)).collect();
        let more = if steps.len() > MOST_NAMED { " …" } else { "" };
        named.join(" ") + more
    };
    match lasso.prefix.is_empty() {
        true => format!("{} again and again", names(&lasso.cycle)),
        false => format!("{}, then {} again and again", names(&lasso.prefix), names(&lasso.cycle)),
    }
}

fn word(colour: Colour) -> &'static str {
    match colour {
        Colour::White => "white",
        Colour::Cyan => "cyan",
        Colour::Blue => "blue",
        Colour::Red => "red",
        Colour::Black => "black",
    }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
