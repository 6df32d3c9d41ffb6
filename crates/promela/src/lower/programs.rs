//! The inside of a `d_step` as a little program.
//!
//! It runs to its end without a choice left open: of the options of a selection the first executable one is
//! taken, and a statement that blocks is an error. Only at its start may it block. What it starts with
//! decides when it is executable; in front of a selection, conditions and channel operations count, other
//! first statements do not (as in Spin: an option that starts with an assignment does not make the whole
//! executable, unless no option has a condition).

use crate::flow::{ElementId, Flow, Node, SequenceId};
use lariat_model::ir::{self, Action, Expr, Next, Program, ProgramOption};
use lariat_source::Diagnostic;
use std::collections::HashMap;

/// The action of a `d_step` element.
pub fn program(flow: &mut Flow, d_step: ElementId, problems: &mut Vec<Diagnostic>) -> Action {
    let Node::DStep(body) = flow.element(d_step).node else { return Action::Skip };
    let Some(first) = flow.first_of(body) else { return Action::Skip };
    let guards = guards_of(flow, first);
    let mut builder =
        Builder { flow, body, numbers: HashMap::new(), nodes: Vec::new(), todo: Vec::new(), problems };
    builder.next(Some(first));
    while let Some(element) = builder.todo.pop() {
        builder.build(element);
    }
    Action::Program(Box::new(Program { guards, nodes: builder.nodes }))
}

/// When the program can start. Empty: always.
fn guards_of(flow: &Flow, first: ElementId) -> Vec<Action> {
    let element = flow.element(first);
    match &element.node {
        Node::Block(body) => flow.first_of(*body).map_or(Vec::new(), |e| guards_of(flow, e)),
        Node::Unless => flow.first_of(element.options[0]).map_or(Vec::new(), |e| guards_of(flow, e)),
        Node::If => option_guards(flow, first),
        Node::Meet => match element.next {
            Some(next) if matches!(flow.element(next).node, Node::Do) => option_guards(flow, next),
            _ => Vec::new(),
        },
        Node::Else => vec![Action::Else],
        Node::Basic(action @ (Action::Guard(_) | Action::Send { .. } | Action::Receive(_))) => {
            vec![action.clone()]
        }
        _ => Vec::new(),
    }
}

fn option_guards(flow: &Flow, selection: ElementId) -> Vec<Action> {
    let mut guards = Vec::new();
    for option in &flow.element(selection).options {
        let Some(mut first) = flow.first_of(*option) else { continue };
        while let Node::Unless = flow.element(first).node {
            match flow.first_of(flow.element(first).options[0]) {
                Some(inner) => first = inner,
                None => break,
            }
        }
        let element = flow.element(first);
        match &element.node {
            Node::Block(body) => {
                if let Some(inner) = flow.first_of(*body) {
                    guards.extend(guards_of(flow, inner));
                }
            }
            Node::If => guards.extend(option_guards(flow, first)),
            Node::Meet => {
                if let Some(next) = element.next.filter(|n| matches!(flow.element(*n).node, Node::Do)) {
                    guards.extend(option_guards(flow, next));
                }
            }
            Node::Else | Node::Skip => guards.push(Action::Guard(Expr::Constant(1))),
            Node::Basic(action @ (Action::Guard(_) | Action::Send { .. } | Action::Receive(_))) => {
                guards.push(action.clone());
            }
            _ => {}
        }
    }
    guards
}

struct Builder<'a> {
    flow: &'a mut Flow,
    body: SequenceId,
    numbers: HashMap<ElementId, u32>,
    nodes: Vec<ir::Node>,
    todo: Vec<ElementId>,
    problems: &'a mut Vec<Diagnostic>,
}

impl Builder<'_> {
    /// The node of an element; outside of the `d_step`, the exit.
    fn next(&mut self, element: Option<ElementId>) -> Next {
        let inside = |e: &ElementId| self.flow.element(*e).d_step == Some(self.body);
        let Some(element) = element.filter(inside) else { return Next::Exit };
        if let Some(number) = self.numbers.get(&element) {
            return Next::Node(*number);
        }
        let number = self.nodes.len() as u32;
        self.numbers.insert(element, number);
        self.nodes.push(ir::Node::Jump(Next::Exit));
        self.todo.push(element);
        Next::Node(number)
    }

    fn build(&mut self, id: ElementId) {
        let element = self.flow.element(id).clone();
        let statement = self.flow.number_of(id);
        let node = match &element.node {
            Node::Basic(Action::Program(_)) | Node::DStep(_) | Node::Atomic(_) => {
                self.problems.push(Diagnostic::error("a d_step inside a d_step", element.span));
                ir::Node::Jump(Next::Exit)
            }
            Node::Basic(action) => {
                if matches!(action, Action::Run { .. }) {
                    self.problems.push(
                        Diagnostic::error("`run` cannot be used inside d_step", element.span)
                            .hint("use atomic instead"),
                    );
                }
                ir::Node::Do { action: action.clone(), next: self.next(element.next), statement }
            }
            Node::Skip | Node::Else | Node::Meet | Node::AfterLoop => ir::Node::Jump(self.next(element.next)),
            Node::Goto(..) | Node::BreakOut(_) => {
                let target = self.flow.jump_target(id);
                ir::Node::Jump(self.next(target))
            }
            Node::Block(body) => {
                let first = self.flow.first_of(*body);
                ir::Node::Jump(self.next(first))
            }
            Node::Unless => {
                let first = self.flow.first_of(element.options[0]);
                ir::Node::Jump(self.next(first))
            }
            Node::If | Node::Do => {
                let mut options = Vec::new();
                for option in &element.options {
                    let Some(first) = self.flow.first_of(*option) else { continue };
                    let start = self.flow.element(first).clone();
                    options.push(match start.node {
                        Node::Basic(action) => {
                            ProgramOption { guard: Some(action), next: self.next(start.next) }
                        }
                        _ => ProgramOption { guard: None, next: self.next(Some(first)) },
                    });
                }
                ir::Node::Choose { options, statement }
            }
            Node::End => ir::Node::Jump(Next::Exit),
        };
        let number = self.numbers[&id] as usize;
        self.nodes[number] = node;
    }
}
