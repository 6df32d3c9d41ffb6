//! A walk over every statement and every expression of a model, outside in.
//!
//! The shrinker uses it for the edits that touch many places at once, such as the removal of a parameter
//! together with the argument of every call.

use crate::model::*;

/// What a walk calls; both default to nothing.
pub(crate) trait Visitor {
    fn statement(&mut self, _statement: &mut Statement) {}
    fn expression(&mut self, _expression: &mut Expression) {}
}

pub(crate) fn visit_model(model: &mut PromelaModel, visitor: &mut dyn Visitor) {
    for definition in &mut model.macros {
        visit_expression(&mut definition.body, visitor);
    }
    for global in &mut model.globals {
        visit_declaration(global, visitor);
    }
    for inline in &mut model.inlines {
        visit_sequence(&mut inline.body, visitor);
    }
    for process in &mut model.processes {
        if let Some(condition) = &mut process.provided {
            visit_expression(condition, visitor);
        }
        visit_sequence(&mut process.body, visitor);
    }
}

fn visit_declaration(declaration: &mut Declaration, visitor: &mut dyn Visitor) {
    match &mut declaration.initial {
        Initial::Value(value) => visit_expression(value, visitor),
        Initial::List(values) => values.iter_mut().for_each(|value| visit_expression(value, visitor)),
        Initial::Nothing | Initial::Channel { .. } => {}
    }
}

pub(crate) fn visit_sequence(sequence: &mut Sequence, visitor: &mut dyn Visitor) {
    for step in sequence {
        visit_statement(&mut step.statement, visitor);
    }
}

fn visit_reference(reference: &mut Reference, visitor: &mut dyn Visitor) {
    for (_, index) in &mut reference.parts {
        if let Some(index) = index {
            visit_expression(index, visitor);
        }
    }
}

fn visit_argument(argument: &mut ReceiveArgument, visitor: &mut dyn Visitor) {
    match argument {
        ReceiveArgument::Variable(reference) => visit_reference(reference, visitor),
        ReceiveArgument::Constant(value) | ReceiveArgument::Eval(value) => visit_expression(value, visitor),
        ReceiveArgument::Discard => {}
    }
}

fn visit_statement(statement: &mut Statement, visitor: &mut dyn Visitor) {
    visitor.statement(statement);
    match statement {
        Statement::Skip | Statement::Else | Statement::Break | Statement::Goto(_) => {}
        Statement::Labelled(_, inner) => visit_statement(inner, visitor),
        Statement::Declare(declaration) => visit_declaration(declaration, visitor),
        Statement::Assign(target, value) => {
            visit_reference(target, visitor);
            visit_expression(value, visitor);
        }
        Statement::Increment(target) | Statement::Decrement(target) => visit_reference(target, visitor),
        Statement::Guard(condition) | Statement::Assert(condition) => visit_expression(condition, visitor),
        Statement::Send(send) => {
            visit_reference(&mut send.channel, visitor);
            send.arguments.iter_mut().for_each(|argument| visit_expression(argument, visitor));
        }
        Statement::Receive(receive) => {
            visit_reference(&mut receive.channel, visitor);
            receive.arguments.iter_mut().for_each(|argument| visit_argument(argument, visitor));
        }
        Statement::If(options) | Statement::Do(options) => {
            options.iter_mut().for_each(|option| visit_sequence(option, visitor));
        }
        Statement::Atomic(body)
        | Statement::DStep(body)
        | Statement::Block(body)
        | Statement::ForArray { body, .. } => {
            visit_sequence(body, visitor);
        }
        Statement::Unless(body, escape) => {
            visit_sequence(body, visitor);
            visit_sequence(escape, visitor);
        }
        Statement::ForRange { low, high, body, .. } => {
            visit_expression(low, visitor);
            visit_expression(high, visitor);
            visit_sequence(body, visitor);
        }
        Statement::Select { variable, .. } => visit_reference(variable, visitor),
        Statement::Print { arguments, .. } | Statement::Call { arguments, .. } => {
            arguments.iter_mut().for_each(|argument| visit_expression(argument, visitor));
        }
        Statement::SetPriority(process, priority) => {
            visit_expression(process, visitor);
            visit_expression(priority, visitor);
        }
    }
}

fn visit_expression(expression: &mut Expression, visitor: &mut dyn Visitor) {
    visitor.expression(expression);
    match expression {
        Expression::Number(_)
        | Expression::Name(_)
        | Expression::RemoteLabel { .. }
        | Expression::RemoteVariable { .. } => {}
        Expression::Variable(reference) => visit_reference(reference, visitor),
        Expression::Unary(_, operand) => visit_expression(operand, visitor),
        Expression::Binary(_, left, right) => {
            visit_expression(left, visitor);
            visit_expression(right, visitor);
        }
        Expression::Conditional(condition, yes, no) => {
            visit_expression(condition, visitor);
            visit_expression(yes, visitor);
            visit_expression(no, visitor);
        }
        Expression::Apply(_, arguments) | Expression::Run { arguments, .. } => {
            arguments.iter_mut().for_each(|argument| visit_expression(argument, visitor));
        }
        Expression::Poll { channel, arguments, .. } => {
            visit_reference(channel, visitor);
            arguments.iter_mut().for_each(|argument| visit_argument(argument, visitor));
        }
    }
}
