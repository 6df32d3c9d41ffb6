//! Labels that cannot take effect, and those that can only sometimes.
//!
//! `accept`, `progress` and `end` say something about a place, and are seen where a state is stored while a
//! process is there. No state is stored in the middle of an atomic sequence, unless the process has to wait
//! there. And the first statement of an option has no place of its own: a process is at the choice, and
//! what the label says is handed on to where the statement leads. So a label may be seen nowhere. Spin
//! calls such labels "invisible" or "placed incorrectly", or says nothing.

use super::pull::FinishedFlow;
use lariat_model::ir::Location;
use lariat_source::{Diagnostic, Span};

/// A label of the text, and the number of the statement that it stands at.
pub(super) struct PlacedLabel {
    pub name: String,
    pub span: Span,
    pub location: Location,
}

/// How processes come to a location.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Entered {
    Never,
    /// Only in the middle of an atomic sequence.
    InsideAtomic,
    Freely,
}

/// Warnings about labels of a process.
pub(super) fn warnings(labels: &[PlacedLabel], flow: &FinishedFlow) -> Vec<Diagnostic> {
    let kinds = ["accept", "progress", "end"];
    let is_marked = |label: &&PlacedLabel| kinds.iter().any(|kind| label.name.starts_with(kind));
    if !labels.iter().any(|label| is_marked(&label)) {
        return Vec::new();
    }
    let entered = entered(flow);
    let mut found = Vec::new();
    for label in labels.iter().filter(is_marked) {
        // Where the label is seen: at its place, or where the statement leads if that was pulled to a choice.
        let mut places = vec![label.location];
        for (at, location) in flow.locations.iter().enumerate() {
            let steps = location.transitions.iter().filter(|step| step.statement == label.location);
            places.extend(steps.filter(|_| at as Location != label.location).map(|step| step.target));
        }
        let best = places.iter().map(|&place| entered[place as usize]).max();
        let name = &label.name;
        match best.unwrap_or(Entered::Never) {
            Entered::Freely => {}
            Entered::Never => found.push(
                Diagnostic::warning(format!("the label `{name}` has no effect"), label.span)
                    .expected("no process is ever seen at this place")
                    .hint("put it at a statement outside of `atomic` and `d_step` that is not the first of an option"),
            ),
            Entered::InsideAtomic if name.starts_with("end") => {}
            Entered::InsideAtomic => found.push(
                Diagnostic::warning(
                    format!("the label `{name}` counts only where the process has to wait there"),
                    label.span,
                )
                .expected("inside an atomic sequence, whose states nobody sees")
                .hint("put it before or after the sequence"),
            ),
        }
    }
    found
}

fn entered(flow: &FinishedFlow) -> Vec<Entered> {
    let mut entered = vec![Entered::Never; flow.locations.len()];
    entered[flow.start as usize] = Entered::Freely;
    let mut work = vec![flow.start];
    while let Some(at) = work.pop() {
        for step in &flow.locations[at as usize].transitions {
            let how = if step.keeps_control { Entered::InsideAtomic } else { Entered::Freely };
            let known = &mut entered[step.target as usize];
            let is_new = *known == Entered::Never;
            *known = how.max(*known);
            if is_new {
                work.push(step.target);
            }
        }
    }
    entered
}
