//! Round 2: each element gets its transition and the point it leads to.
//!
//! Jumps and meeting points are followed to where control comes to rest. Inside an atomic sequence they are
//! followed only as far as the sequence goes: a jump that leaves it is a step of its own, and that step gives
//! control away.

use super::pull::FinishedFlow;
use super::{ElementId, Flow, LabelEntry, LabelName, Node, Sequence, SequenceId};
use lariat_model::ir::{Action, Location, Transition};
use lariat_source::Diagnostic;

/// A transition on its way into the automaton, with the points at which its escapes start.
#[derive(Clone)]
pub(super) struct Draft {
    pub transition: Transition,
    pub escapes: Vec<Location>,
}

#[derive(Clone)]
pub(super) enum Link {
    Step(Draft),
    Choice(Vec<Location>),
}

pub(super) struct Links {
    pub points: Vec<Vec<Link>>,
    done: Vec<bool>,
}

impl Links {
    fn point(&mut self, number: u32) -> &mut Vec<Link> {
        let number = number as usize;
        if number >= self.points.len() {
            self.points.resize(number + 1, Vec::new());
        }
        &mut self.points[number]
    }
}

impl Flow {
    /// Ties the ends of inner sequences to what follows their blocks.
    fn tie_loose_ends(&mut self) {
        for i in (0..self.elements.len()).rev() {
            let (Node::Atomic(inner) | Node::Block(inner) | Node::DStep(inner)) = self.elements[i].node
            else {
                continue;
            };
            let mut follow = self.elements[i].next;
            if follow.is_none() {
                continue;
            }
            while let Some(f) = follow
                && matches!(self.elements[f.0].node, Node::Meet)
            {
                follow = self.elements[f.0].next;
            }
            if let Some(last) = self.sequence(inner).last
                && self.elements[last.0].next.is_none()
            {
                self.elements[last.0].next = follow;
            }
        }
    }

    /// Where a jump leads: the label in the same block, else in the nearest block around, else anywhere in
    /// the process.
    pub fn jump_target(&self, element: ElementId) -> Option<ElementId> {
        match &self.elements[element.0].node {
            Node::BreakOut(id) => {
                self.labels.iter().find(|l| l.name == LabelName::Break(*id)).map(|l| l.element)
            }
            Node::Goto(name, scope) => {
                let wanted = LabelName::User(name.clone());
                let mut around: Option<&LabelEntry> = None;
                let mut anywhere = None;
                for label in self.labels.iter().rev().filter(|l| l.name == wanted) {
                    if label.scope == *scope {
                        return Some(label.element);
                    }
                    if scope.starts_with(&label.scope) {
                        if around.is_none_or(|a| label.scope.len() > a.scope.len()) {
                            around = Some(label);
                        }
                    } else if anywhere.is_none() {
                        anywhere = Some(label);
                    }
                }
                around.or(anywhere).map(|l| l.element)
            }
            _ => None,
        }
    }

    /// Follows jumps and meeting points to where control comes to rest. Out of an atomic sequence it rests at
    /// the jump itself, whose step gives control away.
    pub(super) fn resting_point(&mut self, from: ElementId, atomic: bool) -> ElementId {
        let mut element = from;
        for _ in 0..=self.elements.len() {
            let next = match &self.elements[element.0].node {
                Node::Goto(..) | Node::BreakOut(_) => self.jump_target(element),
                Node::Meet | Node::AfterLoop => self.elements[element.0].next,
                Node::Unless => {
                    let main = self.elements[element.0].options[0];
                    self.sequence(main).first.map(|first| self.resting_point(first, atomic))
                }
                _ => return element,
            };
            let Some(next) = next else { return element };
            if atomic && !self.elements[next.0].atomic {
                return element;
            }
            element = next;
        }
        let span = self.elements[from.0].span;
        if !self.diagnostics.iter().any(|d| d.span() == span) {
            self.diagnostics.push(
                Diagnostic::error("these jumps lead in a circle without any statement", span)
                    .expected("no step is ever taken from here"),
            );
        }
        from
    }

    /// Where an option starts.
    fn start_point(&self, first: ElementId) -> ElementId {
        let mut element = first;
        loop {
            let next = match self.elements[element.0].node {
                Node::Meet => self.elements[element.0].next,
                Node::Unless => self.sequence(self.elements[element.0].options[0]).first,
                _ => None,
            };
            match next {
                Some(next) if next != first => element = next,
                _ => return element,
            }
        }
    }

    /// Jumps that leave an atomic sequence end it; jumps from one into another bridge them.
    fn patch_jumps(&mut self, sequence: SequenceId) {
        let Sequence { first, extent, .. } = *self.sequence(sequence);
        let mut element = first;
        while let Some(e) = element {
            if matches!(self.elements[e.0].node, Node::Goto(..) | Node::BreakOut(_)) {
                if let Some(target) = self.jump_target(e) {
                    let target_inside = self.elements[target.0].atomic || self.elements[target.0].atomic_end;
                    let jump = &mut self.elements[e.0];
                    if (jump.atomic || jump.atomic_end) && !target_inside {
                        (jump.atomic, jump.atomic_end) = (false, true);
                    }
                    if jump.atomic_end && target_inside {
                        (jump.atomic, jump.atomic_end) = (true, false);
                    }
                }
            } else {
                for option in self.elements[e.0].options.clone() {
                    self.patch_jumps(option);
                }
            }
            if Some(e) == extent {
                break;
            }
            element = self.elements[e.0].next;
        }
    }

    /// Builds the automaton. `program` makes the action of a `d_step`; `rendezvous` says whether the model
    /// has channels without capacity.
    pub fn finish(
        mut self,
        body: SequenceId,
        rendezvous: bool,
        program: &mut dyn FnMut(&mut Flow, ElementId) -> Action,
    ) -> FinishedFlow {
        self.report_unknown_labels();
        self.report_jumps_across_d_steps();
        self.tie_loose_ends();
        let numbers = self.spin_numbers(rendezvous);
        let first = self.sequence(body).first.expect("a body has an end");
        let start = {
            let atomic = self.elements[first.0].atomic;
            self.resting_point(first, atomic)
        };
        let mut links = Links {
            points: vec![Vec::new(); self.next_number as usize],
            done: vec![false; self.elements.len()],
        };
        self.link_sequence(body, &mut links, program);
        links.points.resize(self.next_number as usize, Vec::new());
        let end = self.sequence(body).last.map(|e| self.elements[e.0].number);
        FinishedFlow { numbers, ..self.pull(links, start, end) }
    }

    fn report_unknown_labels(&mut self) {
        for i in 0..self.elements.len() {
            if let Node::Goto(name, _) = &self.elements[i].node
                && self.jump_target(ElementId(i)).is_none()
            {
                let mut message = Diagnostic::error(
                    format!("there is no label `{name}` in this process"),
                    self.elements[i].span,
                )
                .expected("unknown label");
                if let Some(similar) = lariat_source::most_similar(name, self.label_names()) {
                    message = message.hint(format!("did you mean `{similar}`?"));
                }
                self.diagnostics.push(message);
            }
        }
    }

    /// A jump and its target must stand in the same `d_step`, or outside of all; a `break` is a jump. So it
    /// is in Spin.
    fn report_jumps_across_d_steps(&mut self) {
        for i in 0..self.elements.len() {
            let source = &self.elements[i];
            let Some(target) = self.jump_target(ElementId(i)) else { continue };
            let target = self.elements[target.0].within;
            if source.within == target {
                continue;
            }
            let is_break = matches!(source.node, Node::BreakOut(_));
            let message = if self.stands_inside(target, source.within) {
                Diagnostic::error("a jump into a d_step", source.span)
                    .expected("the label stands inside, where nobody can stop or start")
                    .hint("put the label before the `d_step`, or use `atomic` instead")
            } else {
                let outside = if is_break { "the loop" } else { "the label" };
                Diagnostic::error("a jump out of a d_step", source.span)
                    .expected(format!("{outside} stands outside"))
                    .hint("use `atomic` instead")
            };
            self.diagnostics.push(message);
        }
    }

    /// Whether a `d_step` stands inside another; `None` is outside of all.
    fn stands_inside(&self, mut inner: Option<usize>, outer: Option<usize>) -> bool {
        while let Some(d_step) = inner {
            inner = self.indivisible[d_step];
            if inner == outer {
                return true;
            }
        }
        false
    }

    fn link_sequence(
        &mut self,
        sequence: SequenceId,
        links: &mut Links,
        program: &mut dyn FnMut(&mut Flow, ElementId) -> Action,
    ) {
        let mut element = self.sequence(sequence).first;
        while let Some(e) = element {
            if !links.done[e.0] {
                links.done[e.0] = true;
                self.link_element(e, links, program);
            }
            if Some(e) == self.sequence(sequence).last {
                break;
            }
            element = self.elements[e.0].next;
        }
    }

    fn link_element(
        &mut self,
        e: ElementId,
        links: &mut Links,
        program: &mut dyn FnMut(&mut Flow, ElementId) -> Action,
    ) {
        match self.elements[e.0].node.clone() {
            Node::Unless => {
                let main = self.elements[e.0].options[0];
                self.link_sequence(main, links, program);
            }
            Node::If | Node::Do => {
                let options = self.elements[e.0].options.clone();
                let mut starts = Vec::new();
                for option in &options {
                    let Some(first) = self.sequence(*option).first else { continue };
                    self.elements[first.0].unreported = true;
                    let start = self.start_point(first);
                    if !self.is_never(start) {
                        starts.push(self.elements[start.0].number);
                    }
                }
                *links.point(self.elements[e.0].number) = vec![Link::Choice(starts)];
                for option in options {
                    self.link_sequence(option, links, program);
                }
            }
            Node::Atomic(body) | Node::Block(body) => {
                let start = self.enter_block(e, body);
                *links.point(self.elements[e.0].number) = vec![Link::Choice(vec![start])];
                self.link_sequence(body, links, program);
            }
            Node::DStep(body) => {
                self.enter_block(e, body);
                let target = match self.elements[e.0].next {
                    Some(next) => {
                        let atomic = self.elements[e.0].atomic;
                        let target = self.resting_point(next, atomic);
                        self.elements[target.0].number
                    }
                    None => 0,
                };
                let action = program(self, e);
                self.link_basic(e, action, target, links, program);
            }
            node => {
                let atomic = self.elements[e.0].atomic;
                let next = match node {
                    Node::Goto(..) | Node::BreakOut(_) => self.jump_target(e),
                    _ => self.elements[e.0].next,
                };
                let target = match next {
                    Some(next) => {
                        let target = self.resting_point(next, atomic);
                        self.elements[target.0].number
                    }
                    None => 0,
                };
                let action = match node {
                    Node::Basic(action) => action,
                    Node::Else => {
                        self.elements[e.0].unreported = true;
                        Action::Else
                    }
                    Node::End => Action::End,
                    _ => {
                        self.elements[e.0].unreported = true;
                        Action::Skip
                    }
                };
                self.link_basic(e, action, target, links, program);
            }
        }
    }

    /// Ties a block's end to what follows it; where it starts.
    fn enter_block(&mut self, block: ElementId, body: SequenceId) -> Location {
        self.patch_jumps(body);
        let first = self.sequence(body).first.expect("no empty sequence");
        self.elements[first.0].unreported = true;
        let start = self.start_point(first);
        if let Some(last) = self.sequence(body).last {
            self.elements[last.0].next = self.elements[block.0].next;
        }
        self.elements[start.0].number
    }

    /// An option that can never be taken: its guard is the constant 0.
    fn is_never(&self, element: ElementId) -> bool {
        let element = &self.elements[element.0];
        matches!(element.node, Node::Basic(Action::Guard(lariat_model::ir::Expr::Constant(0))))
            && element.escapes.is_empty()
    }

    fn link_basic(
        &mut self,
        e: ElementId,
        action: Action,
        target: Location,
        links: &mut Links,
        program: &mut dyn FnMut(&mut Flow, ElementId) -> Action,
    ) {
        let element = &self.elements[e.0];
        let (number, atomic, escapes) = (element.number, element.atomic, element.escapes.clone());
        let mut escape_starts = Vec::new();
        if !matches!(element.node, Node::Meet) {
            for escape in &escapes {
                if let Some(first) = self.sequence(*escape).first {
                    let start = self.resting_point(first, atomic);
                    // Spin counts the first statement of an escape as reached.
                    self.elements[start.0].unreported = true;
                    escape_starts.push(self.elements[start.0].number);
                }
            }
        }
        *links.point(number) = vec![Link::Step(Draft {
            transition: Transition { action, target, keeps_control: atomic, escape: 0, statement: number },
            escapes: escape_starts,
        })];
        if !matches!(self.elements[e.0].node, Node::Meet) {
            for escape in escapes {
                self.link_sequence(escape, links, program);
            }
        }
    }
}
