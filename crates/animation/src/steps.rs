//! From events to steps: what a spectator sees at once.
//!
//! Events are finer than steps. That a state gets a colour, is met, comes onto the path, and that its arcs
//! are computed, is one step; so is that it leaves the path and changes its colour, or that all states of a
//! component are removed. Whatever a check decides is a step of its own. Each step has a [`Kind`], the lines
//! of the pseudo-code that run, and a sentence.

use crate::graph::Graph;
use crate::pseudocode::{Moment, lines};
use crate::recording::{Answer, Recording};
use crate::scene::Scene;
use crate::sentences::{said, said_at_the_end};
use lariat_search::Event;
use lariat_store::StateId;
use std::ops::Range;

/// What kind of thing happens in a step.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub enum Kind {
    /// The search begins.
    Start,
    /// The outer search visits a state.
    Visit,
    /// An arc is looked at.
    Arc,
    /// The arcs of a state are computed once more.
    SecondLook,
    /// A nested search begins.
    Nested,
    /// The nested search goes to a state.
    NestedVisit,
    /// The nested search is over.
    NestedOver,
    /// A lowlink is computed.
    Lowlink,
    /// Components become one.
    Merge,
    /// States are taken off: their component is complete.
    Complete,
    /// A label grows.
    Label,
    /// A state is taken off a path.
    Leave,
    /// An accepting run is found.
    Found,
    /// Everything has been seen.
    Over,
    /// A limit was hit, or not all is shown.
    Cut,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 15] = [
        Kind::Start,
        Kind::Visit,
        Kind::Arc,
        Kind::SecondLook,
        Kind::Nested,
        Kind::NestedVisit,
        Kind::NestedOver,
        Kind::Lowlink,
        Kind::Merge,
        Kind::Complete,
        Kind::Label,
        Kind::Leave,
        Kind::Found,
        Kind::Over,
        Kind::Cut,
    ];

    /// As people choose it.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Start => "the start",
            Kind::Visit => "a state is visited",
            Kind::Arc => "an arc is looked at",
            Kind::SecondLook => "a second look at successors",
            Kind::Nested => "a nested search begins",
            Kind::NestedVisit => "the nested search visits a state",
            Kind::NestedOver => "a nested search is over",
            Kind::Lowlink => "a lowlink is computed",
            Kind::Merge => "components become one",
            Kind::Complete => "a component is complete",
            Kind::Label => "a label grows",
            Kind::Leave => "a state is left",
            Kind::Found => "an accepting run is found",
            Kind::Over => "the end",
            Kind::Cut => "the rest is not shown",
        }
    }
}

/// What a spectator sees at once.
#[derive(Clone, Debug)]
pub struct Step {
    /// Its events among those of the recording. The last step has none.
    pub events: Range<usize>,
    /// What kind of thing happens.
    pub kind: Kind,
    /// The lines of the pseudo-code that run, from 0 on.
    pub lines: Vec<usize>,
    /// What happens.
    pub sentence: String,
}

/// A recording on a graph, step by step.
#[derive(Clone, Debug)]
pub struct Animation<'g> {
    /// What is drawn.
    pub graph: &'g Graph,
    /// What the check did.
    pub recording: Recording,
    /// The steps; there is at least one, the last.
    pub steps: Vec<Step>,
}

impl<'g> Animation<'g> {
    /// Groups the events, and says what happens. The graph must have been made with this recording.
    pub fn new(graph: &'g Graph, recording: Recording) -> Animation<'g> {
        let events = &recording.events;
        let mut scene = Scene::new(graph, recording.check);
        let mut steps = Vec::new();
        let mut start = 0;
        while start < events.len() {
            let end = end_of_step(events, start);
            let sentence = said(&scene, &events[start..end]);
            let mut moments = Vec::new();
            let kind = kind(&scene, &events[start..end]);
            for &event in &events[start..end] {
                moments.extend(moment(&scene, event, &events[start..end]));
                scene.apply(event, &mut Vec::new());
            }
            steps.push(Step { events: start..end, kind, lines: lines(recording.check, &moments), sentence });
            start = end;
        }
        let (kind, moment) = match &recording.answer {
            _ if recording.not_kept > 0 => (Kind::Cut, None),
            Answer::NotEmpty(_) if scene.seed.is_some() => (Kind::Found, Some(Moment::NestedFound)),
            Answer::NotEmpty(_) => (Kind::Found, Some(Moment::Found)),
            Answer::Empty => (Kind::Over, Some(Moment::Over)),
            Answer::Unknown(_) => (Kind::Cut, None),
        };
        let moments: Vec<Moment> = moment.into_iter().collect();
        let (lines, sentence) = (lines(recording.check, &moments), said_at_the_end(&scene, &recording));
        steps.push(Step { events: events.len()..events.len(), kind, lines, sentence });
        Animation { graph, recording, steps }
    }

    /// Shows the scene after each step, with the states that may look otherwise than before.
    pub fn play(&self, mut each: impl FnMut(usize, &Step, &Scene, &[StateId])) {
        let mut scene = Scene::new(self.graph, self.recording.check);
        let mut touched = Vec::new();
        for (number, step) in self.steps.iter().enumerate() {
            touched.clear();
            scene.begin_step();
            for &event in &self.recording.events[step.events.clone()] {
                scene.apply(event, &mut touched);
            }
            if step.kind == Kind::Found
                && let Answer::NotEmpty(lasso) = &self.recording.answer
            {
                scene.find(lasso, &mut touched);
            }
            touched.sort_unstable();
            touched.dedup();
            each(number, step, &scene, &touched);
        }
    }
}

/// The state that a visit is about.
fn visited(event: Event) -> Option<StateId> {
    match event {
        Event::Met(state)
        | Event::Entered(state)
        | Event::Root(state)
        | Event::Expanded { state, .. }
        | Event::Coloured { state, .. }
        | Event::Levelled { state, .. }
        | Event::Numbered { state, .. }
        | Event::Lowlink { state, .. } => Some(state),
        _ => None,
    }
}

fn end_of_step(events: &[Event], start: usize) -> usize {
    let mut end = start + 1;
    while end < events.len() && joins(events[end - 1], events[end]) {
        end += 1;
    }
    end
}

/// Whether an event belongs to the same step as the one before it.
fn joins(before: Event, next: Event) -> bool {
    match (before, next) {
        (Event::Left(left), Event::Coloured { state, .. }) => left == state,
        (Event::Removed(_), Event::Removed(_)) => true,
        (Event::Arc { to, .. }, Event::Waits { state, .. } | Event::Labelled { state, .. }) => to == state,
        (Event::Arc { to, .. }, Event::Removed(state)) => to == state,
        // All initial states.
        (Event::Begun | Event::Waits { .. }, Event::Waits { .. }) => true,
        (Event::Expanded { .. }, _) => false,
        _ => visited(before).is_some() && visited(before) == visited(next),
    }
}

/// Whether these events are a visit, and not only a note that changes.
fn is_visit(events: &[Event]) -> bool {
    events.iter().any(|event| matches!(event, Event::Met(_) | Event::Entered(_)))
}

fn kind(scene: &Scene, events: &[Event]) -> Kind {
    let is_nested = scene.seed.is_some();
    match events[events.len() - 1] {
        Event::Begun => Kind::Start,
        _ if is_visit(events) && is_nested => Kind::NestedVisit,
        _ if is_visit(events) => Kind::Visit,
        Event::Expanded { .. } => Kind::SecondLook,
        Event::Waits { .. } if matches!(events[0], Event::Arc { .. }) => Kind::Arc,
        Event::Waits { .. } => Kind::Start,
        Event::Arc { .. } => Kind::Arc,
        Event::Nested(_) => Kind::Nested,
        Event::NestedOver => Kind::NestedOver,
        Event::Lowlink { .. } => Kind::Lowlink,
        Event::Root(_) | Event::Merged { .. } => Kind::Merge,
        Event::Removed(_) => Kind::Complete,
        Event::Labelled { .. } => Kind::Label,
        Event::Left(_) | Event::Coloured { .. } | Event::Levelled { .. } => Kind::Leave,
        Event::Met(_) | Event::Entered(_) | Event::Numbered { .. } => Kind::Visit,
    }
}

/// What an event of a step is in the pseudo-code.
fn moment(scene: &Scene, event: Event, step: &[Event]) -> Option<Moment> {
    use lariat_search::emptiness::Colour;
    let is_nested = scene.seed.is_some();
    let by = |outer, nested| Some(if is_nested { nested } else { outer });
    match event {
        Event::Begun => Some(Moment::Start),
        Event::Expanded { .. } if is_visit(step) => by(Moment::Expand, Moment::NestedExpand),
        Event::Expanded { .. } => by(Moment::SecondLook, Moment::NestedExpand),
        Event::Arc { .. } => by(Moment::Arc, Moment::NestedArc),
        Event::Nested(_) => Some(Moment::Nested),
        Event::NestedOver => Some(Moment::NestedOver),
        Event::Left(_) => by(Moment::Leave, Moment::NestedLeave),
        Event::Coloured { state, .. } if !is_visit(step) && scene.searched() == Some(state) => {
            Some(Moment::LeaveSearched)
        }
        Event::Coloured { colour, .. } if !is_visit(step) => match colour {
            Colour::Blue => Some(Moment::LeaveBlue),
            Colour::Red => Some(Moment::LeaveRed),
            Colour::Black => Some(Moment::LeaveBlack),
            Colour::White | Colour::Cyan => None,
        },
        Event::Lowlink { .. } if !is_visit(step) => Some(Moment::Lowlink),
        Event::Merged { .. } => Some(Moment::Merge),
        Event::Removed(_) => by(Moment::Complete, Moment::NestedRemove),
        Event::Labelled { .. } => Some(Moment::Label),
        Event::Waits { .. } => Some(if step[0] == Event::Begun { Moment::Start } else { Moment::Waits }),
        Event::Met(_)
        | Event::Entered(_)
        | Event::Coloured { .. }
        | Event::Levelled { .. }
        | Event::Numbered { .. }
        | Event::Lowlink { .. }
        | Event::Root(_) => by(Moment::Visit, Moment::NestedVisit),
    }
}
