//! Values and places, as one process sees them.
//!
//! A transition of a rendezvous is executed by the sender, but half of its text is the receiver's. So there
//! are two questions: whose names does the text use, and whose step is it? A variable of the process that
//! moves is local; all others are looked up by number.

use super::declarations::{Entity, Slot, SlotValue, storage};
use super::{Lowered, Lowering};
use crate::ast::{BinaryOperator, Expr, ExprKind, Name, Reference, UnaryOperator};
use lariat_model::ir;
use lariat_source::Diagnostic;

/// Who looks at a state.
#[derive(Clone, Copy)]
pub(super) struct View {
    /// The process whose text it is, as a place in [`Lowering::processes`].
    pub text: Option<usize>,
    /// The process that moves.
    pub moves: Option<usize>,
    /// There is no state yet: it is an initial value.
    pub initial: bool,
}

impl View {
    /// Nobody moves, and no process's names are known.
    pub const OUTSIDE: View = View { text: None, moves: None, initial: false };
}

impl<'a> Lowering<'a> {
    /// What a process sees while it moves.
    pub(super) fn view_of(&self, process: usize) -> View {
        View { text: Some(process), moves: Some(process), initial: false }
    }

    pub(super) fn value(&mut self, text: &Expr, view: View) -> Lowered<ir::Expr> {
        match &text.kind {
            ExprKind::Number(value) => Ok(ir::Expr::Constant(*value)),
            ExprKind::Variable(reference) => {
                let (slot, owner) = self.variable_named(&reference.name, view)?;
                self.load(slot, owner, reference, view)
            }
            ExprKind::Foreign(process, reference) => {
                let index = self.process_named(process, view)?;
                let name = &reference.name;
                let Some(slot) = self.processes[index].locals.get(name.text.as_str()).copied() else {
                    let known: Vec<&str> = self.processes[index].locals.keys().copied().collect();
                    let what = format!("variable in process `{}` called", process.text);
                    return self.unknown(&what, name, &known);
                };
                self.load(slot, Some(index), reference, view)
            }
            ExprKind::InState(process, state) => {
                let index = self.process_named(process, view)?;
                let location = self.state(index, state)?;
                let number = self.processes[index].pid.unwrap_or(0);
                Ok(ir::Expr::RemoteLabel {
                    process: ir::ProcessTypeId(number),
                    pid: Some(Box::new(ir::Expr::Constant(number as i32))),
                    location,
                })
            }
            ExprKind::Unary(operator, operand) => {
                let operator = match operator {
                    UnaryOperator::Not => ir::UnaryOperator::Not,
                    UnaryOperator::Complement => ir::UnaryOperator::Complement,
                    UnaryOperator::Negate => ir::UnaryOperator::Negate,
                };
                Ok(match self.value(operand, view)? {
                    ir::Expr::Constant(value) => ir::Expr::Constant(operator.apply(value)),
                    operand => ir::Expr::Unary(operator, Box::new(operand)),
                })
            }
            ExprKind::Binary(operator, operands) => {
                // Both sides, so that errors in both are seen.
                let left = self.value(&operands.0, view);
                let right = self.value(&operands.1, view);
                Ok(binary(*operator, left?, right?))
            }
            ExprKind::Broken => Err(super::Failed),
        }
    }

    /// A variable or an element that is written.
    pub(super) fn place(&mut self, text: &Expr, view: View) -> Lowered<ir::Place> {
        let ExprKind::Variable(reference) = &text.kind else { return Err(super::Failed) };
        let (slot, owner) = self.variable_named(&reference.name, view)?;
        if slot.constant {
            let message = format!("`{}` is a constant", reference.name.text);
            let message = Diagnostic::error(message, reference.name.span);
            return self.fail(message.expected("it cannot be assigned").also(slot.span, "declared here"));
        }
        let offset = match slot.value {
            SlotValue::At(offset) => offset,
            SlotValue::Known(_) | SlotValue::Broken => return Err(super::Failed),
        };
        self.place_of(slot, offset, owner, reference, view)
    }

    fn load(
        &mut self,
        slot: Slot,
        owner: Option<usize>,
        reference: &Reference,
        view: View,
    ) -> Lowered<ir::Expr> {
        let offset = match slot.value {
            SlotValue::Known(value) => {
                return match &reference.index {
                    None => Ok(ir::Expr::Constant(value)),
                    Some(_) => self.not_an_array(reference),
                };
            }
            SlotValue::At(offset) => offset,
            SlotValue::Broken => return Err(super::Failed),
        };
        let place = self.place_of(slot, offset, owner, reference, view)?;
        let storage = place.storage;
        Ok(match place.base {
            ir::Base::Global if place.indices.is_empty() => {
                ir::Expr::Global { offset: place.offset, storage }
            }
            ir::Base::Local if place.indices.is_empty() => ir::Expr::Local { offset: place.offset, storage },
            _ => ir::Expr::Load(Box::new(place)),
        })
    }

    fn not_an_array<T>(&mut self, reference: &Reference) -> Lowered<T> {
        let message = format!("`{}` is not an array", reference.name.text);
        self.fail(Diagnostic::error(message, reference.name.span).expected("it has no elements"))
    }

    fn place_of(
        &mut self,
        slot: Slot,
        offset: u32,
        owner: Option<usize>,
        reference: &Reference,
        view: View,
    ) -> Lowered<ir::Place> {
        let storage = storage(slot.ty);
        let base = match owner {
            None => ir::Base::Global,
            Some(owner) if view.moves == Some(owner) => ir::Base::Local,
            Some(owner) => {
                let number = self.processes[owner].pid.unwrap_or(0);
                let pid = Some(Box::new(ir::Expr::Constant(number as i32)));
                ir::Base::Remote { process: ir::ProcessTypeId(number), pid }
            }
        };
        let mut place = ir::Place { base, offset, storage, indices: Vec::new() };
        match (&reference.index, slot.length) {
            (None, None) => {}
            (Some(index), Some(length)) => {
                let value = self.value(index, view)?;
                match value {
                    ir::Expr::Constant(value) if value < 0 || value as u32 >= length => {
                        let message = format!("`{}` has no element {value}", reference.name.text);
                        let message = Diagnostic::warning(message, index.span)
                            .expected("a run-time error, where it is used")
                            .hint(format!("elements are numbered 0 to {}", length - 1));
                        self.messages.push(message);
                        let value = ir::Expr::Constant(value);
                        place.indices.push(ir::Index { value, length, stride: storage.size() });
                    }
                    ir::Expr::Constant(value) => place.offset += value as u32 * storage.size(),
                    value => place.indices.push(ir::Index { value, length, stride: storage.size() }),
                }
            }
            // DiVinE takes the first element, and some models rely on it.
            (None, Some(_)) => {
                if self.warned_of.insert(slot.span.start) {
                    let message = format!("`{}` is an array", reference.name.text);
                    let message = Diagnostic::warning(message, reference.name.span)
                        .expected("taken as its first element")
                        .also(slot.span, "declared here")
                        .hint(format!("write `{}[0]`", reference.name.text));
                    self.messages.push(message);
                }
            }
            (Some(_), None) => return self.not_an_array(reference),
        }
        Ok(place)
    }

    /// What a plain name stands for, and whose variable it is.
    fn variable_named(&mut self, name: &Name, view: View) -> Lowered<(Slot, Option<usize>)> {
        if let Some(process) = view.text
            && let Some(slot) = self.processes[process].locals.get(name.text.as_str())
        {
            return Ok((*slot, Some(process)));
        }
        match self.globals.get(name.text.as_str()) {
            Some(Entity::Variable(slot)) => Ok((*slot, None)),
            Some(Entity::Broken(_)) => Err(super::Failed),
            Some(Entity::Channel(..)) => {
                let message = Diagnostic::error(format!("`{}` is a channel", name.text), name.span);
                self.fail(message.expected("expected a variable"))
            }
            Some(Entity::Process(..)) => {
                let message = Diagnostic::error(format!("`{}` is a process", name.text), name.span);
                let hint = format!("write `{0}.q` for its state q, `{0}->x` for its variable x", name.text);
                self.fail(message.expected("expected a variable").hint(hint))
            }
            None => {
                let mut known: Vec<&str> = self.globals.keys().copied().collect();
                if let Some(process) = view.text {
                    known.extend(self.processes[process].locals.keys());
                }
                known.sort_unstable();
                self.unknown("variable", name, &known)
            }
        }
    }

    /// A process that runs.
    fn process_named(&mut self, name: &Name, view: View) -> Lowered<usize> {
        if view.initial {
            let message = Diagnostic::error("an initial value cannot ask about processes", name.span);
            return self.fail(message.expected("they do not exist yet"));
        }
        match self.globals.get(name.text.as_str()) {
            Some(Entity::Process(index, _)) if self.processes[*index].pid.is_some() => Ok(*index),
            Some(Entity::Process(..)) => {
                let message = format!("`{}` is the property process", name.text);
                let message = Diagnostic::error(message, name.span);
                self.fail(message.expected("it watches, but nobody can see it"))
            }
            _ => {
                let known: Vec<&str> =
                    self.processes.iter().map(|process| process.name.text.as_str()).collect();
                self.unknown("process", name, &known)
            }
        }
    }
}

pub(super) fn and(left: Option<ir::Expr>, right: Option<ir::Expr>) -> Option<ir::Expr> {
    match (left, right) {
        (Some(left), Some(right)) => Some(binary(BinaryOperator::And, left, right)),
        (left, right) => left.or(right),
    }
}

/// An operator between two values, computed if both are known.
fn binary(operator: BinaryOperator, left: ir::Expr, right: ir::Expr) -> ir::Expr {
    use BinaryOperator::*;
    let (operator, left) = match operator {
        // `a imply b` is `(not a) or b`.
        Imply => {
            let left = match left {
                ir::Expr::Constant(value) => ir::Expr::Constant((value == 0) as i32),
                left => ir::Expr::Unary(ir::UnaryOperator::Not, Box::new(left)),
            };
            (ir::BinaryOperator::Or, left)
        }
        Or => (ir::BinaryOperator::Or, left),
        And => (ir::BinaryOperator::And, left),
        BitOr => (ir::BinaryOperator::BitOr, left),
        BitXor => (ir::BinaryOperator::BitXor, left),
        BitAnd => (ir::BinaryOperator::BitAnd, left),
        Equal => (ir::BinaryOperator::Equal, left),
        NotEqual => (ir::BinaryOperator::NotEqual, left),
        Less => (ir::BinaryOperator::Less, left),
        LessEqual => (ir::BinaryOperator::LessEqual, left),
        Greater => (ir::BinaryOperator::Greater, left),
        GreaterEqual => (ir::BinaryOperator::GreaterEqual, left),
        ShiftLeft => (ir::BinaryOperator::ShiftLeft, left),
        ShiftRight => (ir::BinaryOperator::ShiftRight, left),
        Add => (ir::BinaryOperator::Add, left),
        Subtract => (ir::BinaryOperator::Subtract, left),
        Multiply => (ir::BinaryOperator::Multiply, left),
        Divide => (ir::BinaryOperator::Divide, left),
        Remainder => (ir::BinaryOperator::Remainder, left),
    };
    if let (ir::Expr::Constant(a), ir::Expr::Constant(b)) = (&left, &right)
        && let Some(value) = operator.decided_by(*a).or_else(|| operator.apply(*a, *b))
    {
        return ir::Expr::Constant(value);
    }
    ir::Expr::Binary(operator, Box::new((left, right)))
}
