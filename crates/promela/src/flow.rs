//! Control flow: from nested statements to a numbered automaton.
//!
//! Which control points a process has decides how many states a model has, so here we follow Spin's construction to
//! the letter, by its observable results: every statement is an *element* with a number, in the order in which a parser
//! would finish them; jumps, `break` and the ends of selections are elements too, skipped over where that does not change
//! who has control; a block, an atomic sequence, a selection or a repetition is itself a point at which a process can
//! rest, with the transitions of what can come first in it.
//!
//! The work goes in three rounds, as there:
//! 1. *Elements* ([`Flow`] is filled while statements are lowered): linked lists of elements, with sub-sequences.
//! 2. *Links*: each element gets its transition and target ([`Flow::finish`]), jumps followed.
//! 3. *Pulling*: points with choices get the transitions of their options, nested choices flattened; escapes of `unless`
//!    are put in front.

use lariat_model::ir::{Action, Label, Location, LocationInfo, SourceLine, Statement, Transition};
use lariat_source::{Diagnostic, Span};

#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, PartialOrd, Ord)]
pub struct ElementId(usize);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SequenceId(usize);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BreakId(usize);

/// The block a label or a jump stands in: the numbers of the blocks around it, outermost first.
pub type ScopePath = Vec<u32>;

#[derive(Clone, Debug)]
pub enum Node {
    /// A statement with an effect or a condition of its own.
    Basic(Action),
    Skip,
    Else,
    Goto(String, ScopePath),
    BreakOut(BreakId),
    /// Where the options of a selection meet.
    Meet,
    /// Where one arrives after a `break`.
    AfterLoop,
    If,
    Do,
    Unless,
    Atomic(SequenceId),
    Block(SequenceId),
    DStep(SequenceId),
    End,
}

#[derive(Clone, Debug)]
pub struct Element {
    number: u32,
    pub node: Node,
    pub next: Option<ElementId>,
    pub options: Vec<SequenceId>,
    escapes: Vec<SequenceId>,
    /// Inside an atomic sequence, and not its last step.
    atomic: bool,
    /// The last step of an atomic sequence.
    atomic_end: bool,
    /// Inside a `d_step`.
    pub in_d_step: bool,
    /// Taken out of the sequence (a redundant `skip`), or not worth a report when it is never reached.
    unreported: bool,
    pub line: SourceLine,
    pub text: String,
    pub span: Span,
}

#[derive(Clone, Debug, Default)]
struct Sequence {
    first: Option<ElementId>,
    last: Option<ElementId>,
    /// The last element before anything was appended to link it to what follows.
    extent: Option<ElementId>,
}

#[derive(Clone, Debug)]
struct LabelEntry {
    name: LabelName,
    scope: ScopePath,
    element: ElementId,
    span: Span,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum LabelName {
    User(String),
    Break(BreakId),
}

/// A statement whose parts are in place, before it gets an element of its own.
pub enum Prepared {
    Simple { node: Node, line: SourceLine, text: String, span: Span },
    If { options: Vec<SequenceId>, line: SourceLine, span: Span },
    Do { options: Vec<SequenceId>, exit: BreakId, line: SourceLine, span: Span },
    Unless { main: SequenceId, escape: SequenceId, line: SourceLine, span: Span },
    Labelled { label: String, scope: ScopePath, label_span: Span, inner: Box<Prepared> },
}

/// The control flow of one process type, under construction.
#[derive(Default)]
pub struct Flow {
    pub elements: Vec<Element>,
    sequences: Vec<Sequence>,
    open: Vec<SequenceId>,
    labels: Vec<LabelEntry>,
    breaks: Vec<BreakId>,
    break_count: usize,
    next_number: u32,
    pub diagnostics: Vec<Diagnostic>,
}

impl Flow {
    pub fn new() -> Flow {
        Flow { next_number: 1, ..Flow::default() }
    }

    pub fn element(&self, id: ElementId) -> &Element {
        &self.elements[id.0]
    }

    pub fn number_of(&self, id: ElementId) -> u32 {
        self.elements[id.0].number
    }

    fn sequence(&self, id: SequenceId) -> &Sequence {
        &self.sequences[id.0]
    }

    pub fn first_of(&self, id: SequenceId) -> Option<ElementId> {
        self.sequences[id.0].first
    }

    // ---- round 1: elements ---------------------------------------------------------------------------------------

    pub fn open_sequence(&mut self) {
        self.sequences.push(Sequence::default());
        self.open.push(SequenceId(self.sequences.len() - 1));
    }

    /// Ends the current sequence. An empty one is an error; it then holds a skip.
    pub fn close_sequence(&mut self, span: Span) -> SequenceId {
        let id = *self.open.last().expect("a sequence is open");
        if self.sequence(id).first.is_none() {
            self.diagnostics.push(
                Diagnostic::error("a sequence of statements is empty", span)
                    .expected("expected at least one statement")
                    .hint("write `skip` if nothing is to be done"),
            );
            self.add(Prepared::Simple { node: Node::Skip, line: SourceLine::default(), text: "(1)".into(), span });
        }
        self.open.pop();
        self.sequences[id.0].extent = self.sequences[id.0].last;
        id
    }

    pub fn open_loop(&mut self) -> BreakId {
        let id = BreakId(self.break_count);
        self.break_count += 1;
        self.breaks.push(id);
        id
    }

    pub fn current_loop(&self) -> Option<BreakId> {
        self.breaks.last().copied()
    }

    /// Takes the innermost loop away while the escape of an `unless` around it is read.
    pub fn close_loop(&mut self) -> Option<BreakId> {
        self.breaks.pop()
    }

    pub fn reopen_loop(&mut self, id: BreakId) {
        self.breaks.push(id);
    }

    fn new_element(&mut self, node: Node, line: SourceLine, text: String, span: Span) -> ElementId {
        let number = self.next_number;
        self.next_number += 1;
        self.elements.push(Element {
            number,
            node,
            next: None,
            options: Vec::new(),
            escapes: Vec::new(),
            atomic: false,
            atomic_end: false,
            in_d_step: false,
            unreported: false,
            line,
            text,
            span,
        });
        ElementId(self.elements.len() - 1)
    }

    fn append(&mut self, element: ElementId, sequence: SequenceId) {
        if matches!(self.elements[element.0].node, Node::Goto(..) | Node::BreakOut(_))
            && self.labels.iter().any(|l| l.element == element && is_marked(&l.name))
        {
            // A mark on a jump would be lost with the jump: it moves to a skip in front.
            let (line, span) = (self.elements[element.0].line, self.elements[element.0].span);
            let skip = self.new_element(Node::Skip, line, "(1)".into(), span);
            if let Some(label) = self.labels.iter_mut().rev().find(|l| l.element == element) {
                label.element = skip;
            }
            self.append(skip, sequence);
        }
        let sequence = &mut self.sequences[sequence.0];
        match sequence.last {
            None => sequence.first = Some(element),
            Some(last) => self.elements[last.0].next = Some(element),
        }
        sequence.last = Some(element);
    }

    fn current(&self) -> SequenceId {
        *self.open.last().expect("a sequence is open")
    }

    /// Makes the element of a statement and appends it to the current sequence.
    pub fn add(&mut self, statement: Prepared) -> ElementId {
        let element = self.place(statement);
        let appended_already = matches!(self.elements[element.0].node, Node::If | Node::Do | Node::Unless);
        if !appended_already {
            let current = self.current();
            self.append(element, current);
        }
        element
    }

    fn place(&mut self, statement: Prepared) -> ElementId {
        match statement {
            Prepared::Labelled { label, scope, label_span, inner } => {
                let element = self.place(*inner);
                self.set_label(LabelName::User(label), scope, label_span, element);
                element
            }
            Prepared::Simple { node, line, text, span } => self.new_element(node, line, text, span),
            Prepared::If { options, line, span } => self.selection(options, None, line, span),
            Prepared::Do { options, exit, line, span } => self.selection(options, Some(exit), line, span),
            Prepared::Unless { main, escape, line, span } => self.unless(main, escape, line, span),
        }
    }

    fn set_label(&mut self, name: LabelName, scope: ScopePath, span: Span, element: ElementId) {
        if let LabelName::User(text) = &name
            && let Some(other) = self.labels.iter().find(|l| l.name == name && l.scope == scope)
        {
            self.diagnostics.push(
                Diagnostic::error(format!("the label `{text}` is defined twice"), span)
                    .expected("second definition")
                    .also(other.span, "first definition"),
            );
            return;
        }
        self.labels.push(LabelEntry { name, scope, element, span });
    }

    fn selection(
        &mut self,
        mut options: Vec<SequenceId>,
        exit: Option<BreakId>,
        line: SourceLine,
        span: Span,
    ) -> ElementId {
        let is_else = |flow: &Flow, s: SequenceId| {
            flow.sequence(s).first.is_some_and(|e| matches!(flow.elements[e.0].node, Node::Else))
        };
        let (node, text) = if exit.is_some() { (Node::Do, "DO") } else { (Node::If, "IF") };
        let head = self.new_element(node, line, text.into(), span);
        let meet = self.new_element(Node::Meet, line, ".(goto)".into(), span);
        // `else` is tried last.
        let elses: Vec<SequenceId> = options.iter().copied().filter(|s| is_else(self, *s)).collect();
        if elses.len() > 1 {
            let places: Vec<Span> =
                elses.iter().filter_map(|s| self.sequence(*s).first).map(|e| self.elements[e.0].span).collect();
            self.diagnostics.push(
                Diagnostic::error("a second `else` in the same selection", places[1])
                    .expected("this one can never be reached")
                    .also(places[0], "first `else`"),
            );
        }
        options.retain(|s| !elses.contains(s));
        options.extend(elses);
        for option in &options {
            self.append(meet, *option);
        }
        self.elements[head.0].options = options;
        let current = self.current();
        match exit {
            Some(exit) => {
                self.append(meet, current);
                let after = self.new_element(Node::AfterLoop, line, "break".into(), span);
                self.set_label(LabelName::Break(exit), Vec::new(), span, after);
                self.breaks.retain(|b| *b != exit);
                self.append(head, current);
                self.append(after, current);
            }
            None => {
                self.append(head, current);
                self.append(meet, current);
            }
        }
        head
    }

    fn unless(&mut self, main: SequenceId, escape: SequenceId, line: SourceLine, span: Span) -> ElementId {
        let head = self.new_element(Node::Unless, line, "unless".into(), span);
        let meet = self.new_element(Node::Meet, line, ".(goto)".into(), span);
        self.append(meet, main);
        self.append(meet, escape);
        self.elements[head.0].options = vec![main, escape];
        self.attach_escape(main, escape);
        let current = self.current();
        self.append(head, current);
        self.append(meet, current);
        head
    }

    /// Every element of a sequence can be left by the escape.
    fn attach_escape(&mut self, sequence: SequenceId, escape: SequenceId) {
        let Sequence { first, extent, .. } = *self.sequence(sequence);
        let mut element = first;
        while let Some(e) = element {
            self.attach_escape_to(e, escape);
            if Some(e) == extent {
                break;
            }
            element = self.elements[e.0].next;
        }
    }

    fn attach_escape_to(&mut self, element: ElementId, escape: SequenceId) {
        if self.elements[element.0].escapes.contains(&escape) {
            return;
        }
        for inner in self.elements[element.0].escapes.clone() {
            self.attach_escape(inner, escape);
        }
        self.elements[element.0].escapes.insert(0, escape);
        match self.elements[element.0].node.clone() {
            Node::Unless => {
                let main = self.elements[element.0].options[0];
                self.attach_escape(main, escape);
            }
            Node::If | Node::Do => {
                for option in self.elements[element.0].options.clone() {
                    self.attach_escape(option, escape);
                }
            }
            Node::DStep(body) => {
                if let Some(first) = self.sequence(body).first {
                    self.attach_escape_to(first, escape);
                }
            }
            Node::Atomic(body) | Node::Block(body) => self.attach_escape(body, escape),
            _ => {}
        }
    }

    /// Takes redundant skips out of an option: one after another, neither first nor last, without a label.
    pub fn drop_redundant_skips(&mut self, option: SequenceId) {
        let Sequence { first, last, extent } = *self.sequence(option);
        let mut run = 0;
        let mut previous = None;
        let mut element = first;
        while let Some(e) = element {
            let is_print = matches!(self.elements[e.0].node, Node::Basic(Action::Print { .. }));
            let is_skip = is_print || matches!(self.elements[e.0].node, Node::Skip);
            let mut removed = false;
            if is_skip && !self.labels.iter().any(|l| l.element == e) {
                run += 1;
                if run > 1 && !is_print && Some(e) != first && Some(e) != last && Some(e) != extent {
                    self.elements[e.0].unreported = true;
                    let next = self.elements[e.0].next;
                    if let Some(ElementId(previous)) = previous {
                        self.elements[previous].next = next;
                    }
                    removed = true;
                }
            } else {
                run = 0;
            }
            let next = self.elements[e.0].next;
            if !removed {
                previous = element;
            }
            element = next;
        }
    }

    /// The sequence is atomic (or, in a `d_step`, more than that).
    pub fn make_atomic(&mut self, sequence: SequenceId, d_step: bool) {
        let Sequence { first: Some(first), last: Some(last), .. } = *self.sequence(sequence) else { return };
        self.mark_atomic(first, last, d_step);
        match self.elements[last.0].node.clone() {
            Node::Block(inner) | Node::Atomic(inner) => self.make_atomic(inner, d_step),
            Node::Unless => {
                let main = self.elements[last.0].options[0];
                self.make_atomic(main, d_step);
            }
            _ => {
                self.elements[last.0].atomic = false;
                self.elements[last.0].atomic_end = true;
            }
        }
    }

    fn mark_atomic(&mut self, first: ElementId, last: ElementId, d_step: bool) {
        let mut element = Some(first);
        while let Some(e) = element {
            self.elements[e.0].atomic = true;
            self.elements[e.0].in_d_step |= d_step;
            let inner = match self.elements[e.0].node {
                Node::Atomic(inner) | Node::Block(inner) => Some(inner),
                Node::DStep(inner) if d_step => Some(inner),
                _ => None,
            };
            if let Some(inner) = inner {
                self.elements[e.0].node = Node::Block(inner);
                if let Sequence { first: Some(first), last: Some(last), .. } = *self.sequence(inner) {
                    self.mark_atomic(first, last, d_step);
                }
            }
            for option in self.elements[e.0].options.clone() {
                if let Sequence { first: Some(first), last: Some(last), .. } = *self.sequence(option) {
                    self.mark_atomic(first, last, d_step);
                }
            }
            if e == last {
                break;
            }
            element = self.elements[e.0].next;
        }
    }

    /// A remote reference names this label: a jump at its place becomes a skip before the jump, so that there is a
    /// control point to be at. Returns whether the label exists.
    pub fn keep_label(&mut self, name: &str) -> bool {
        let wanted = LabelName::User(name.to_string());
        let Some(target) = self.labels.iter().rev().find(|l| l.name == wanted).map(|l| l.element) else {
            return false;
        };
        if let node @ (Node::Goto(..) | Node::BreakOut(_)) = self.elements[target.0].node.clone() {
            let old = self.elements[target.0].clone();
            let jump = self.new_element(node, old.line, old.text, old.span);
            let (atomic, atomic_end, in_d_step) = (old.atomic, old.atomic_end, old.in_d_step);
            let element = &mut self.elements[jump.0];
            (element.next, element.atomic) = (old.next, atomic);
            (element.atomic_end, element.in_d_step) = (atomic_end, in_d_step);
            let skip = &mut self.elements[target.0];
            (skip.node, skip.text, skip.next) = (Node::Skip, "(1)".into(), Some(jump));
        }
        true
    }

    /// The location of a label, for remote references.
    pub fn label_location(&self, name: &str) -> Option<Location> {
        let wanted = LabelName::User(name.to_string());
        self.labels.iter().rev().find(|l| l.name == wanted).map(|l| self.elements[l.element.0].number)
    }

    /// The labels of the text.
    pub fn label_names(&self) -> impl Iterator<Item = &str> {
        self.labels.iter().filter_map(|l| match &l.name {
            LabelName::User(name) => Some(name.as_str()),
            LabelName::Break(_) => None,
        })
    }

    // ---- round 2: links ------------------------------------------------------------------------------------------

    /// Ties the ends of inner sequences to what follows their blocks.
    fn tie_loose_ends(&mut self) {
        for i in (0..self.elements.len()).rev() {
            let (Node::Atomic(inner) | Node::Block(inner) | Node::DStep(inner)) = self.elements[i].node else { continue };
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

    /// Where a jump leads: the label in the same block, else in the nearest block around, else anywhere in the process.
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

    /// Follows jumps and meeting points to where control comes to rest. Out of an atomic sequence it rests at the jump
    /// itself, whose step gives control away.
    fn resting_point(&mut self, from: ElementId, atomic: bool) -> ElementId {
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

    /// Builds the automaton. `program` makes the action of a `d_step`.
    pub fn finish(
        mut self,
        body: SequenceId,
        program: &mut dyn FnMut(&mut Flow, ElementId) -> Action,
    ) -> FinishedFlow {
        self.report_unknown_labels();
        self.report_jumps_into_d_steps();
        self.tie_loose_ends();
        let first = self.sequence(body).first.expect("a body has an end");
        let start = {
            let atomic = self.elements[first.0].atomic;
            self.resting_point(first, atomic)
        };
        let mut links = Links { points: vec![Vec::new(); self.next_number as usize], done: vec![false; self.elements.len()] };
        self.link_sequence(body, &mut links, program);
        links.points.resize(self.next_number as usize, Vec::new());
        let end = self.sequence(body).last.map(|e| self.elements[e.0].number);
        self.pull(links, start, end)
    }

    fn report_unknown_labels(&mut self) {
        for i in 0..self.elements.len() {
            if let Node::Goto(name, _) = &self.elements[i].node
                && self.jump_target(ElementId(i)).is_none()
            {
                let mut message =
                    Diagnostic::error(format!("there is no label `{name}` in this process"), self.elements[i].span)
                        .expected("unknown label");
                if let Some(similar) = crate::names::most_similar(name, self.label_names()) {
                    message = message.hint(format!("did you mean `{similar}`?"));
                }
                self.diagnostics.push(message);
            }
        }
    }

    fn report_jumps_into_d_steps(&mut self) {
        for i in 0..self.elements.len() {
            if matches!(self.elements[i].node, Node::Goto(..))
                && !self.elements[i].in_d_step
                && let Some(target) = self.jump_target(ElementId(i))
                && self.elements[target.0].in_d_step
            {
                self.diagnostics.push(
                    Diagnostic::error("a jump into a d_step", self.elements[i].span)
                        .expected("the label stands inside, where nobody can stop or start")
                        .hint("put the label before the `d_step`, or use `atomic` instead"),
                );
            }
        }
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
        matches!(element.node, Node::Basic(Action::Guard(lariat_model::ir::Expr::Constant(0)))) && element.escapes.is_empty()
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

    // ---- round 3: pulling ----------------------------------------------------------------------------------------

    fn pull(self, links: Links, start: ElementId, end: Option<Location>) -> FinishedFlow {
        let count = self.next_number as usize;
        let mut marks = self.marks(count, end);
        let mut points = links.points;
        // Choices among choices are flattened.
        loop {
            let mut flattened = false;
            for i in 1..count {
                let Some(Link::Choice(starts)) = points[i].first() else { continue };
                let is_choice = |s: &Location| matches!(points[*s as usize].first(), Some(Link::Choice(_)));
                if !starts.iter().any(is_choice) {
                    continue;
                }
                let mut flat = Vec::new();
                for s in starts {
                    match points[*s as usize].first() {
                        Some(Link::Choice(inner)) if *s as usize != i => {
                            flat.extend(inner.iter().map(|t| (*t, *s)));
                            flattened = true;
                        }
                        Some(Link::Choice(_)) => {}
                        _ => flat.push((*s, *s)),
                    }
                }
                for (to, through) in &flat {
                    marks.inherit(*to, *through);
                }
                points[i] = vec![Link::Choice(flat.into_iter().map(|(to, _)| to).collect())];
            }
            if !flattened {
                break;
            }
        }
        // A point with choices gets the transitions of its options.
        for i in 1..count {
            let Some(Link::Choice(starts)) = points[i].first().cloned() else { continue };
            let mut pulled = Vec::new();
            for s in starts {
                for link in &points[s as usize] {
                    if let Link::Step(draft) = link {
                        marks.inherit(draft.transition.target, s);
                        pulled.push(Link::Step(draft.clone()));
                    }
                }
            }
            points[i] = pulled;
        }
        let mut steps: Vec<Vec<Draft>> = points
            .into_iter()
            .map(|links| links.into_iter().filter_map(|l| if let Link::Step(d) = l { Some(d) } else { None }).collect())
            .collect();
        self.prepend_escapes(&mut steps);
        for (i, drafts) in steps.iter().enumerate() {
            if let [only] = &drafts[..]
                && marks.end[i]
                && self.by_number(only.transition.statement).is_some_and(|e| matches!(e.node, Node::Meet))
            {
                marks.end[only.transition.target as usize] = true;
            }
        }
        self.assemble(steps, marks, start)
    }

    /// In front of each point's transitions stand those of its escapes.
    fn prepend_escapes(&self, steps: &mut [Vec<Draft>]) {
        let most = steps.iter().flatten().map(|d| d.escapes.len()).max().unwrap_or(0);
        if most == 0 {
            return;
        }
        for i in 1..steps.len() {
            let own = steps[i].clone();
            for draft in own {
                for k in (0..most).rev() {
                    let Some(&escape) = draft.escapes.get(k) else { continue };
                    for candidate in steps[escape as usize].clone() {
                        if steps[i].iter().any(|d| d.transition.statement == candidate.transition.statement) {
                            continue;
                        }
                        let mut copy = candidate;
                        copy.transition.escape = escape;
                        steps[i].insert(0, copy);
                    }
                }
            }
        }
    }

    fn by_number(&self, number: u32) -> Option<&Element> {
        self.elements.iter().find(|e| e.number == number)
    }

    fn marks(&self, count: usize, end: Option<Location>) -> Marks {
        let mut marks = Marks { end: vec![false; count], progress: vec![false; count], accept: vec![false; count] };
        for label in &self.labels {
            let LabelName::User(name) = &label.name else { continue };
            let at = self.elements[label.element.0].number as usize;
            marks.end[at] |= name.starts_with("end");
            marks.progress[at] |= name.starts_with("progress");
            marks.accept[at] |= name.starts_with("accept");
        }
        if let Some(end) = end {
            marks.end[end as usize] = true;
        }
        marks
    }

    fn assemble(self, steps: Vec<Vec<Draft>>, marks: Marks, start: ElementId) -> FinishedFlow {
        let mut statements = vec![Statement::default(); steps.len()];
        let mut lines = vec![SourceLine::default(); steps.len()];
        for element in &self.elements {
            let i = element.number as usize;
            lines[i] = element.line;
            statements[i] =
                Statement { line: element.line, text: element.text.clone(), reported: !element.unreported };
        }
        let locations = steps
            .into_iter()
            .enumerate()
            .map(|(i, drafts)| LocationInfo {
                transitions: drafts.into_iter().map(|d| d.transition).collect(),
                end: marks.end[i],
                progress: marks.progress[i],
                accept: marks.accept[i],
                line: lines[i],
            })
            .collect();
        let labels = self
            .labels
            .iter()
            .filter_map(|l| match &l.name {
                LabelName::User(name) => {
                    Some(Label { name: name.clone(), location: self.elements[l.element.0].number })
                }
                LabelName::Break(_) => None,
            })
            .collect();
        FinishedFlow {
            start: self.elements[start.0].number,
            locations,
            statements,
            labels,
            diagnostics: self.diagnostics,
        }
    }
}

fn is_marked(name: &LabelName) -> bool {
    match name {
        LabelName::User(name) => ["accept", "end", "progress"].iter().any(|p| name.starts_with(p)),
        LabelName::Break(_) => false,
    }
}

struct Marks {
    end: Vec<bool>,
    progress: Vec<bool>,
    accept: Vec<bool>,
}

impl Marks {
    /// What is said of a point that was passed through holds of where it leads.
    fn inherit(&mut self, to: Location, through: Location) {
        let (to, through) = (to as usize, through as usize);
        for marks in [&mut self.end, &mut self.progress, &mut self.accept] {
            marks[to] |= marks[through];
        }
    }
}

/// A transition on its way into the automaton, with the points at which its escapes start.
#[derive(Clone)]
struct Draft {
    transition: Transition,
    escapes: Vec<Location>,
}

#[derive(Clone)]
enum Link {
    Step(Draft),
    Choice(Vec<Location>),
}

struct Links {
    points: Vec<Vec<Link>>,
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

/// The automaton of one process type.
pub struct FinishedFlow {
    pub start: Location,
    pub locations: Vec<LocationInfo>,
    pub statements: Vec<Statement>,
    pub labels: Vec<Label>,
    pub diagnostics: Vec<Diagnostic>,
}
