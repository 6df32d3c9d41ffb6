//! Control flow: from nested statements to a numbered automaton.
//!
//! Which control points a process has decides how many states a model has, so here we follow Spin's
//! construction to the letter, by its observable results: every statement is an *element* with a number, in
//! the order in which a parser would finish them; jumps, `break` and the ends of selections are elements too,
//! skipped over where that does not change who has control; a block, an atomic sequence, a selection or a
//! repetition is itself a point at which a process can rest, with the transitions of what can come first in
//! it.
//!
//! The work goes in three rounds, as there:
//! 1. *Elements* ([`Flow`] is filled while statements are lowered): linked lists of elements, with
//!    sub-sequences.
//! 2. *Links*: each element gets its transition and target ([`links`]), jumps followed.
//! 3. *Pulling* ([`pull`]): points with choices get the transitions of their options, nested choices
//!    flattened; escapes of `unless` are put in front.

mod label_effects;
mod links;
mod pull;
mod spin_numbers;

use lariat_model::ir::{Action, Location, SourceLine};
use lariat_source::{Diagnostic, Span};
use std::cell::Cell;
use std::rc::Rc;

pub use spin_numbers::AutomatonNumbers;

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
    /// Inside a `d_step`: the outermost.
    pub d_step: Option<SequenceId>,
    /// The innermost `d_step` around it, a place in [`Flow::indivisible`].
    within: Option<usize>,
    /// Taken out of the sequence (a redundant `skip`), or not worth a report when it is never reached.
    unreported: bool,
    /// Its number among those of all process types and claims.
    id: u32,
    /// A remote reference names a label at it.
    is_referred_to: bool,
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
    /// The next element's number in the whole model, which all flows count together.
    next_id: Rc<Cell<u32>>,
    /// Of every `d_step`, the one around it.
    indivisible: Vec<Option<usize>>,
    /// The innermost `d_step` that is open.
    within: Option<usize>,
    pub diagnostics: Vec<Diagnostic>,
}

impl Flow {
    pub fn new(next_id: Rc<Cell<u32>>) -> Flow {
        Flow { next_number: 1, next_id, ..Flow::default() }
    }

    /// From here on the numbers of elements in the whole model cannot be known.
    pub fn forget_ids(next_id: &Cell<u32>) {
        next_id.set(spin_numbers::NO_ID);
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
            self.add(Prepared::Simple {
                node: Node::Skip,
                line: SourceLine::default(),
                text: "(1)".into(),
                span,
            });
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

    /// What is added from here on stands inside a `d_step`.
    pub fn open_d_step(&mut self) {
        self.indivisible.push(self.within);
        self.within = Some(self.indivisible.len() - 1);
    }

    pub fn close_d_step(&mut self) {
        self.within = self.within.and_then(|d_step| self.indivisible[d_step]);
    }

    fn new_element(&mut self, node: Node, line: SourceLine, text: String, span: Span) -> ElementId {
        let number = self.next_number;
        self.next_number += 1;
        let id = self.next_id.get();
        self.next_id.set(id.saturating_add(1));
        self.elements.push(Element {
            number,
            id,
            is_referred_to: false,
            node,
            next: None,
            options: Vec::new(),
            escapes: Vec::new(),
            atomic: false,
            atomic_end: false,
            d_step: None,
            within: self.within,
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
            let places: Vec<Span> = elses
                .iter()
                .filter_map(|s| self.sequence(*s).first)
                .map(|e| self.elements[e.0].span)
                .collect();
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

    /// The sequence is atomic.
    pub fn make_atomic(&mut self, sequence: SequenceId) {
        self.mark_sequence(sequence, None);
    }

    /// The sequence is the body of a `d_step`.
    pub fn make_d_step(&mut self, sequence: SequenceId) {
        self.mark_sequence(sequence, Some(sequence));
    }

    fn mark_sequence(&mut self, sequence: SequenceId, d_step: Option<SequenceId>) {
        let Sequence { first: Some(first), last: Some(last), .. } = *self.sequence(sequence) else { return };
        self.mark_atomic(first, last, d_step);
        match self.elements[last.0].node.clone() {
            Node::Block(inner) | Node::Atomic(inner) => self.mark_sequence(inner, d_step),
            Node::Unless => {
                let main = self.elements[last.0].options[0];
                self.mark_sequence(main, d_step);
            }
            _ => {
                self.elements[last.0].atomic = false;
                self.elements[last.0].atomic_end = true;
            }
        }
    }

    fn mark_atomic(&mut self, first: ElementId, last: ElementId, d_step: Option<SequenceId>) {
        let mut element = Some(first);
        while let Some(e) = element {
            self.elements[e.0].atomic = true;
            self.elements[e.0].d_step = d_step.or(self.elements[e.0].d_step);
            let inner = match self.elements[e.0].node {
                Node::Atomic(inner) | Node::Block(inner) => Some(inner),
                Node::DStep(inner) if d_step.is_some() => Some(inner),
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

    /// A remote reference names this label: a jump at its place becomes a skip before the jump, so that there
    /// is a control point to be at. Returns whether the label exists.
    pub fn keep_label(&mut self, name: &str) -> bool {
        let wanted = LabelName::User(name.to_string());
        let Some(target) = self.labels.iter().rev().find(|l| l.name == wanted).map(|l| l.element) else {
            return false;
        };
        self.elements[target.0].is_referred_to = true;
        if let node @ (Node::Goto(..) | Node::BreakOut(_)) = self.elements[target.0].node.clone() {
            let old = self.elements[target.0].clone();
            let jump = self.new_element(node, old.line, old.text, old.span);
            let (atomic, atomic_end, d_step) = (old.atomic, old.atomic_end, old.d_step);
            let element = &mut self.elements[jump.0];
            (element.next, element.atomic) = (old.next, atomic);
            (element.atomic_end, element.d_step) = (atomic_end, d_step);
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
}

fn is_marked(name: &LabelName) -> bool {
    match name {
        LabelName::User(name) => ["accept", "end", "progress"].iter().any(|p| name.starts_with(p)),
        LabelName::Break(_) => false,
    }
}
