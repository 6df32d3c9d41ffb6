//! Printing expressions, places and strings: what stands inside a line.

use super::words::*;
use crate::ir::*;
use std::fmt::Write;

pub fn push_string(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c => push_character(out, c),
        }
    }
    out.push('"');
}

/// A character as it may stand in a line.
pub fn push_character(out: &mut String, c: char) {
    match c {
        '\n' => out.push_str("\\n"),
        '\t' => out.push_str("\\t"),
        '\r' => out.push_str("\\r"),
        c if needs_escape(c) => {
            let _ = write!(out, "\\u{{{:x}}}", c as u32);
        }
        c => out.push(c),
    }
}

pub fn push_storage(out: &mut String, storage: Storage) {
    let _ = match storage {
        Storage::Unsigned(bits) => write!(out, "u{bits}"),
        Storage::Signed16 => write!(out, "i16"),
        Storage::Signed32 => write!(out, "i32"),
    };
}

pub fn push_shown(out: &mut String, shown: ShownAs) {
    match shown {
        ShownAs::Symbol(list) => {
            let _ = write!(out, "s{list}");
        }
        shown => out.push_str(word(&SHOWN, &shown)),
    }
}

pub fn push_place(out: &mut String, place: &Place) {
    let _ = match &place.base {
        Base::Global => write!(out, "g{}", place.offset),
        Base::Local => write!(out, "l{}", place.offset),
        Base::Remote { process, pid } => {
            push_process(out, *process, pid.as_deref());
            write!(out, ".l{}", place.offset)
        }
        Base::Priority => write!(out, "priority.{}", place.offset),
        Base::Nowhere => write!(out, "nowhere.{}", place.offset),
    };
    for index in &place.indices {
        out.push('[');
        push_expression(out, &index.value);
        let _ = write!(out, " of {} by {}]", index.length, index.stride);
    }
    out.push('.');
    push_storage(out, place.storage);
}

/// A process type, and which process of it: `p1(E)`, or `p1`.
fn push_process(out: &mut String, process: ProcessTypeId, pid: Option<&Expr>) {
    let _ = write!(out, "p{}", process.0);
    if let Some(pid) = pid {
        out.push('(');
        push_expression(out, pid);
        out.push(')');
    }
}

pub fn push_list(out: &mut String, list: &[Expr]) {
    for (i, expr) in list.iter().enumerate() {
        if i > 0 {
            out.push_str(", ");
        }
        push_expression(out, expr);
    }
}

/// What follows `receive`, or stands inside `poll(…)`.
pub fn push_receive(out: &mut String, receive: &Receive) {
    if receive.random {
        out.push_str("random ");
    }
    if receive.copy {
        out.push_str("copy ");
    }
    push_expression(out, &receive.channel);
    out.push(':');
    for (i, argument) in receive.arguments.iter().enumerate() {
        out.push_str(if i > 0 { ", " } else { " " });
        match argument {
            ReceiveArgument::Store(place) => {
                out.push_str("store ");
                push_place(out, place);
            }
            ReceiveArgument::Match(expr) => {
                out.push_str("match ");
                push_expression(out, expr);
            }
            ReceiveArgument::Drop => out.push_str("drop"),
        }
    }
}

/// An expression where anything may stand: the outermost operators have no parentheses.
pub fn push_expression(out: &mut String, expr: &Expr) {
    let Expr::Binary(operator, operands) = expr else { return push_operand(out, expr) };
    // The left spine may be long, so it is walked, not recursed into.
    let (mut first, mut rest) = (&operands.0, vec![&operands.1]);
    while let Expr::Binary(inner, operands) = first
        && inner == operator
        && chains(*operator)
    {
        rest.push(&operands.1);
        first = &operands.0;
    }
    push_operand(out, first);
    for operand in rest.into_iter().rev() {
        let _ = write!(out, " {} ", word(&BINARY, operator));
        push_operand(out, operand);
    }
}

fn push_call(out: &mut String, name: &str, argument: &Expr) {
    out.push_str(name);
    out.push('(');
    push_expression(out, argument);
    out.push(')');
}

fn push_scalar(out: &mut String, section: char, offset: u32, storage: Storage) {
    let _ = write!(out, "{section}{offset}.");
    push_storage(out, storage);
}

/// An expression that stands next to an operator.
fn push_operand(out: &mut String, expr: &Expr) {
    match expr {
        Expr::Constant(value) => {
            let _ = write!(out, "{value}");
        }
        Expr::Global { offset, storage } => push_scalar(out, 'g', *offset, *storage),
        Expr::Local { offset, storage } => push_scalar(out, 'l', *offset, *storage),
        Expr::Load(place) => {
            if place.indices.is_empty() && matches!(place.base, Base::Global | Base::Local) {
                out.push_str("load ");
            }
            push_place(out, place);
        }
        Expr::Unary(operator, operand) => {
            out.push_str(word(&UNARY, operator));
            match (operator, &**operand) {
                (UnaryOperator::Negate, Expr::Constant(value)) => {
                    let _ = write!(out, "({value})");
                }
                (_, operand) => push_operand(out, operand),
            }
        }
        Expr::Binary(..) => push_call(out, "", expr),
        Expr::Conditional(parts) => {
            out.push('(');
            push_expression(out, &parts.0);
            out.push_str(" ? ");
            push_expression(out, &parts.1);
            out.push_str(" : ");
            push_expression(out, &parts.2);
            out.push(')');
        }
        Expr::Pid => out.push_str("pid"),
        Expr::ProcessCount => out.push_str("process_count"),
        Expr::Last => out.push_str("last"),
        Expr::Priority => out.push_str("priority"),
        Expr::Len(channel) => push_call(out, "len", channel),
        Expr::Test(test, channel) => push_call(out, word(&TESTS, test), channel),
        Expr::Poll(receive) => {
            out.push_str("poll(");
            push_receive(out, receive);
            out.push(')');
        }
        Expr::Enabled(pid) => push_call(out, "enabled", pid),
        Expr::GetPriority(pid) => push_call(out, "priority_of", pid),
        Expr::LocationOf(pid) => push_call(out, "location_of", pid),
        Expr::RemoteLabel { process, pid, location } => {
            push_process(out, *process, pid.as_deref());
            let _ = write!(out, "@{location}");
        }
        Expr::Timeout => out.push_str("timeout"),
        Expr::NonProgress => out.push_str("non_progress"),
        Expr::Acceptance => out.push_str("acceptance"),
        Expr::RunResult => out.push_str("result"),
    }
}
