//! Constant folding: what is known before the run is computed before the run.
//!
//! Expressions that are known ([`Constants`]) become constants, array elements with known indices plain
//! variables, conditions that always hold `skip`. Nothing is removed: a statement that can never be executed
//! stays where it is, so that a report can say that it was never reached, and an error that can happen stays
//! an error. The states, their order and every run are the same.
//!
//! The compiled engine knows all this by itself, and the interpreter gains nothing that could be measured. It
//! is done for the simplifications that follow: they see more of what is private when an index, a divisor or
//! a channel is known.
//!
//! Promises about channels stay as they are, because the interpreter looks at their form; and so do claims,
//! which are translated elsewhere.

use crate::constants::Constants;
use crate::interpreter::Interpreter;
use lariat_model::ir::*;

/// Folds all that processes and propositions compute.
pub fn fold(model: &mut Model) {
    let folding = Folding { constants: Constants::of(&Interpreter::new(model)) };
    for process in &mut model.process_types {
        process.provided.iter_mut().for_each(|expr| folding.expr(expr));
        for assertion in process.locations.iter_mut().flat_map(|location| &mut location.assertions) {
            folding.expr(&mut assertion.value);
        }
        for transition in process.locations.iter_mut().flat_map(|location| &mut location.transitions) {
            folding.action(&mut transition.action);
        }
    }
    model.propositions.iter_mut().for_each(|proposition| folding.expr(&mut proposition.value));
}

struct Folding {
    constants: Constants,
}

impl Folding {
    fn action(&self, action: &mut Action) {
        match action {
            Action::Guard(expr) => {
                self.expr(expr);
                if matches!(expr, Expr::Constant(value) if *value != 0) {
                    *action = Action::Skip;
                }
            }
            Action::Assert(expr) => self.expr(expr),
            Action::Assign(place, expr) => {
                self.place(place);
                self.expr(expr);
            }
            Action::AssignAll(list) => list.iter_mut().for_each(|(place, expr)| {
                self.place(place);
                self.expr(expr);
            }),
            Action::Send { channel, arguments, .. } => {
                self.expr(channel);
                self.exprs(arguments);
            }
            Action::Receive(receive) => self.receive(receive),
            Action::Run { arguments, then, .. } => {
                self.exprs(arguments);
                if let Some(then) = then {
                    self.place(&mut then.0);
                    self.expr(&mut then.1);
                }
            }
            Action::Print { arguments, .. } => self.exprs(arguments),
            Action::SetPriority(pid, priority) => {
                self.expr(pid);
                self.expr(priority);
            }
            Action::Program(program) => self.program(program),
            Action::Skip | Action::Else | Action::End | Action::MoveProcess { .. } => {}
        }
    }

    fn program(&self, program: &mut Program) {
        program.guards.iter_mut().for_each(|guard| self.action(guard));
        for node in &mut program.nodes {
            match node {
                Node::Do { action, .. } => self.action(action),
                Node::Choose { options, .. } => {
                    options
                        .iter_mut()
                        .filter_map(|option| option.guard.as_mut())
                        .for_each(|guard| self.action(guard));
                }
                Node::Jump(_) => {}
            }
        }
    }

    fn receive(&self, receive: &mut Receive) {
        self.expr(&mut receive.channel);
        for argument in &mut receive.arguments {
            match argument {
                ReceiveArgument::Store(place) => self.place(place),
                ReceiveArgument::Match(expr) => self.expr(expr),
                ReceiveArgument::Drop => {}
            }
        }
    }

    fn exprs(&self, list: &mut [Expr]) {
        list.iter_mut().for_each(|expr| self.expr(expr));
    }

    fn expr(&self, expr: &mut Expr) {
        match expr {
            Expr::Load(place) => {
                self.place(place);
                let Place { offset, storage, .. } = **place;
                match place.base {
                    Base::Global if place.indices.is_empty() => *expr = Expr::Global { offset, storage },
                    Base::Local if place.indices.is_empty() => *expr = Expr::Local { offset, storage },
                    _ => {}
                }
            }
            Expr::Unary(_, operand)
            | Expr::Len(operand)
            | Expr::Test(_, operand)
            | Expr::Enabled(operand)
            | Expr::GetPriority(operand)
            | Expr::LocationOf(operand) => self.expr(operand),
            Expr::Binary(_, operands) => {
                self.expr(&mut operands.0);
                self.expr(&mut operands.1);
            }
            Expr::Conditional(parts) => {
                self.expr(&mut parts.0);
                self.expr(&mut parts.1);
                self.expr(&mut parts.2);
            }
            Expr::Poll(receive) => self.receive(receive),
            Expr::RemoteLabel { pid, .. } => pid.iter_mut().for_each(|pid| self.expr(pid)),
            _ => {}
        }
        // Its parts are folded, so this looks at them alone.
        if let Some(value) = self.constants.value(expr) {
            *expr = Expr::Constant(value);
        } else if let Expr::Conditional(parts) = expr
            && let Expr::Constant(condition) = parts.0
        {
            let (_, one, other) = std::mem::replace(&mut **parts, (Expr::Pid, Expr::Pid, Expr::Pid));
            *expr = if condition != 0 { one } else { other };
        }
    }

    /// Indices that are known, and in range, become part of the offset.
    fn place(&self, place: &mut Place) {
        if let Base::Remote { pid: Some(pid), .. } = &mut place.base {
            self.expr(pid);
        }
        place.indices.iter_mut().for_each(|index| self.expr(&mut index.value));
        place.indices.retain(|index| match index.value {
            Expr::Constant(value) if value >= 0 && (value as u32) < index.length => {
                place.offset += value as u32 * index.stride;
                false
            }
            _ => true,
        });
    }
}
