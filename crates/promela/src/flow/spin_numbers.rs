//! What Spin's trails call the statements of a model.
//!
//! A line of a trail names a statement by one number for the whole model: elements are counted through, in
//! the order in which they are made, over all process types and claims. ([`super::Element::number`] starts
//! again in each of them.) Claims that Spin makes of `ltl` blocks come behind everything else, so that they
//! do not disturb.
//!
//! Where a trail says that statements were *merged*, a line stands for a statement together with those
//! behind it that nobody else can notice: assignments, jumps, prints and assertions about local variables,
//! or of any kind within an atomic sequence, one after the other without label, choice or escape. A
//! statement that may block can begin such a series if it is local as well. What is merged with what is
//! decided here by Spin's rules, as its verifier shows them: before jumps out of atomic sequences are looked
//! at, and with a notion of what is local ([`is_local`]) that is deliberately as rough as there: an index is
//! not looked at.

use super::{Element, ElementId, Flow, Node};
use lariat_model::ir::{Action, Base, Expr, Location, Place};

/// How Spin numbers the statements of one process type or claim.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AutomatonNumbers {
    /// Indexed by the statement; `None` where the number depends on what Spin makes of formulas.
    pub ids: Vec<Option<u32>>,
    /// Indexed by the statement: the one that Spin merges with it, which comes next; 0 if there is none.
    pub merged_with: Vec<Location>,
}

/// What a statement is to a series of merged ones.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// It ends what comes before it, and begins nothing.
    None,
    /// It may stand anywhere.
    Member,
    /// It may block: it can only be the first.
    First,
}

impl Flow {
    /// The numbers, before elements are linked.
    pub(super) fn spin_numbers(&mut self, rendezvous: bool) -> AutomatonNumbers {
        let count = self.next_number as usize;
        let said = self.diagnostics.len();
        let mut ids = vec![None; count];
        let mut parts = vec![Part::None; count];
        let mut targets = vec![0; count];
        for i in 0..self.elements.len() {
            let element = &self.elements[i];
            let number = element.number as usize;
            ids[number] = (element.id != NO_ID).then_some(element.id);
            parts[number] = self.part(element, rendezvous);
            let next = match element.node {
                Node::Goto(..) | Node::BreakOut(_) => self.jump_target(ElementId(i)),
                _ => element.next,
            };
            if let Some(next) = next.filter(|_| parts[number] != Part::None) {
                let target = self.resting_point(next, self.elements[i].atomic);
                targets[number] = self.elements[target.0].number;
            }
        }
        // Jumps in a circle are spoken of when elements are linked.
        self.diagnostics.truncate(said);
        let is_member = |location: Location| parts[location as usize] == Part::Member;
        let merged_with = targets.iter().map(|target| if is_member(*target) { *target } else { 0 }).collect();
        AutomatonNumbers { ids, merged_with }
    }

    fn part(&self, element: &Element, rendezvous: bool) -> Part {
        let is_indivisible = element.atomic || element.atomic_end;
        let is_labelled =
            self.labels.iter().any(|label| self.elements[label.element.0].number == element.number);
        if !element.escapes.is_empty() || element.d_step.is_some() {
            return Part::None;
        }
        match &element.node {
            Node::Goto(..) | Node::BreakOut(_) | Node::Meet | Node::AfterLoop if !is_labelled => Part::Member,
            Node::Skip if !element.is_referred_to => Part::First,
            Node::Basic(action) => {
                let may_merge = is_indivisible || is_local(action);
                match action {
                    Action::Skip | Action::Guard(_) | Action::Receive(_) if may_merge => {
                        if element.is_referred_to { Part::None } else { Part::First }
                    }
                    Action::Send { .. } if may_merge && !rendezvous && !element.is_referred_to => Part::First,
                    Action::Assign(..) | Action::AssignAll(_) | Action::Print { .. } | Action::Assert(_)
                        if may_merge && !is_labelled =>
                    {
                        Part::Member
                    }
                    Action::Run { then: Some(_), .. } if is_indivisible && !is_labelled => Part::Member,
                    _ => Part::None,
                }
            }
            _ => Part::None,
        }
    }
}

/// The number of an element that has none which could be known.
pub(super) const NO_ID: u32 = u32::MAX;

/// Nobody else can notice it, as Spin judges.
fn is_local(action: &Action) -> bool {
    match action {
        Action::Skip => true,
        Action::Guard(value) | Action::Assert(value) => is_local_value(value),
        Action::Assign(place, value) => is_local_place(place) && is_local_value(value),
        Action::AssignAll(all) => {
            all.iter().all(|(place, value)| is_local_place(place) && is_local_value(value))
        }
        Action::Print { arguments, .. } => arguments.iter().all(is_local_value),
        _ => false,
    }
}

fn is_local_place(place: &Place) -> bool {
    matches!(place.base, Base::Local | Base::Nowhere | Base::Priority)
}

fn is_local_value(value: &Expr) -> bool {
    match value {
        Expr::Constant(_) | Expr::Local { .. } | Expr::Pid | Expr::RunResult | Expr::Priority => true,
        Expr::Load(place) => is_local_place(place),
        Expr::Unary(_, inner) => is_local_value(inner),
        Expr::Binary(_, sides) => is_local_value(&sides.0) && is_local_value(&sides.1),
        Expr::Conditional(parts) => {
            is_local_value(&parts.0) && is_local_value(&parts.1) && is_local_value(&parts.2)
        }
        Expr::GetPriority(_) => true,
        // Channels count as shared. (Spin takes a promise, `xr` or `xs`, for an answer; whoever follows a
        // trail finds its way all the same.)
        _ => false,
    }
}
