//! What statements read and write, one by one: the alphabet of all analyses here.
//!
//! A place with indices may be any element, so it stands for all bytes from the first to the last. Such a
//! stretch of bytes is the unit of thought: variables may be records, arrays, or overlap in a text that was
//! written by hand; bytes are always bytes.

use lariat_model::ir::*;
use std::ops::Range;

/// Something that an action does to the state.
pub enum Access<'a> {
    Reads(&'a Expr),
    Writes(&'a Place),
}

/// Shows what the action reads and writes. Of a program, only its guards: its nodes have actions of their
/// own.
pub fn each_access<'a>(action: &'a Action, each: &mut dyn FnMut(Access<'a>)) {
    match action {
        Action::Skip | Action::Else | Action::End | Action::MoveProcess { .. } => {}
        Action::Guard(expr) | Action::Assert(expr) => each(Access::Reads(expr)),
        Action::Assign(place, expr) => {
            each(Access::Reads(expr));
            each(Access::Writes(place));
        }
        Action::AssignAll(list) => {
            list.iter().for_each(|(_, expr)| each(Access::Reads(expr)));
            list.iter().for_each(|(place, _)| each(Access::Writes(place)));
        }
        Action::Send { channel, arguments, .. } => {
            each(Access::Reads(channel));
            arguments.iter().for_each(|argument| each(Access::Reads(argument)));
        }
        Action::Receive(receive) => each_access_of_receive(receive, each),
        Action::Run { arguments, then, .. } => {
            arguments.iter().for_each(|argument| each(Access::Reads(argument)));
            if let Some(then) = then {
                each(Access::Reads(&then.1));
                each(Access::Writes(&then.0));
            }
        }
        Action::Print { arguments, .. } => {
            arguments.iter().for_each(|argument| each(Access::Reads(argument)));
        }
        Action::SetPriority(pid, priority) => {
            each(Access::Reads(pid));
            each(Access::Reads(priority));
        }
        Action::Program(program) => program.guards.iter().for_each(|guard| match guard {
            // A guard is only asked whether it could be executed.
            Action::Receive(receive) => {
                each_access_of_receive(receive, &mut |access| {
                    if let Access::Reads(_) = access {
                        each(access);
                    }
                });
            }
            Action::Guard(_) | Action::Send { .. } => each_access(guard, each),
            _ => {}
        }),
    }
}

fn each_access_of_receive<'a>(receive: &'a Receive, each: &mut dyn FnMut(Access<'a>)) {
    each(Access::Reads(&receive.channel));
    for argument in &receive.arguments {
        match argument {
            ReceiveArgument::Store(place) => each(Access::Writes(place)),
            ReceiveArgument::Match(expr) => each(Access::Reads(expr)),
            ReceiveArgument::Drop => {}
        }
    }
}

/// Shows every action of the process type, those inside of programs too.
pub fn each_action<'a>(process: &'a ProcessType, each: &mut dyn FnMut(&'a Action)) {
    for transition in process.locations.iter().flat_map(|location| &location.transitions) {
        transition.action.each_within(each);
    }
}

/// Shows the expression and everything in it, places among it.
pub fn each_part<'a>(expr: &'a Expr, each: &mut dyn FnMut(Part<'a>)) {
    let mut rest = vec![expr];
    while let Some(expr) = rest.pop() {
        each(Part::Expr(expr));
        match expr {
            Expr::Load(place) => {
                each(Part::Place(place));
                rest.extend(expressions_in(place));
            }
            Expr::Unary(_, operand)
            | Expr::Len(operand)
            | Expr::Test(_, operand)
            | Expr::Enabled(operand)
            | Expr::GetPriority(operand)
            | Expr::LocationOf(operand) => rest.push(operand),
            Expr::Binary(_, operands) => rest.extend([&operands.0, &operands.1]),
            Expr::Conditional(parts) => rest.extend([&parts.0, &parts.1, &parts.2]),
            Expr::Poll(receive) => {
                rest.push(&receive.channel);
                for argument in &receive.arguments {
                    match argument {
                        ReceiveArgument::Store(place) => rest.extend(expressions_in(place)),
                        ReceiveArgument::Match(expr) => rest.push(expr),
                        ReceiveArgument::Drop => {}
                    }
                }
            }
            Expr::RemoteLabel { pid, .. } => rest.extend(pid.as_deref()),
            Expr::Constant(_)
            | Expr::Global { .. }
            | Expr::Local { .. }
            | Expr::Pid
            | Expr::ProcessCount
            | Expr::Last
            | Expr::Priority
            | Expr::Timeout
            | Expr::NonProgress
            | Expr::Acceptance
            | Expr::RunResult => {}
        }
    }
}

/// A part of an expression.
pub enum Part<'a> {
    Expr(&'a Expr),
    /// Where the expression before it is read from.
    Place(&'a Place),
}

/// The expressions that say where a place is.
pub fn expressions_in(place: &Place) -> impl Iterator<Item = &Expr> {
    let pid = match &place.base {
        Base::Remote { pid, .. } => pid.as_deref(),
        _ => None,
    };
    pid.into_iter().chain(place.indices.iter().map(|index| &index.value))
}

/// The bytes that a place may be.
pub fn stretch(place: &Place) -> Range<u32> {
    let reach: u32 = place.indices.iter().map(|index| (index.length - 1) * index.stride).sum();
    place.offset..place.offset + reach + place.storage.size()
}

/// Shows the stretches of the moving process's variables that the expression reads.
pub fn each_local(expr: &Expr, each: &mut dyn FnMut(Range<u32>)) {
    each_part(expr, &mut |part| match part {
        Part::Expr(Expr::Local { offset, storage }) => each(*offset..*offset + storage.size()),
        Part::Place(place) if place.base == Base::Local => each(stretch(place)),
        _ => {}
    });
}
