//! Models as Promela text.
//!
//! One statement a line, indented by nesting. Expressions are printed with as few parentheses as the
//! precedence of the operators allows, because a front end must get the precedence right; a guard that starts
//! with a sign is bracketed, so that no line looks like the continuation of the one before. Separators are
//! printed as the model says: a semicolon, an arrow, or nothing but the end of the line.

use crate::model::*;
use std::fmt::{self, Display, Formatter, Write};

impl Display for PromelaModel {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "/* seed {} */", self.seed)?;
        for definition in &self.macros {
            write!(f, "#define {}", definition.name)?;
            if !definition.parameters.is_empty() {
                write!(f, "({})", definition.parameters.join(", "))?;
            }
            match &definition.body {
                Expression::Number(number) if *number >= 0 => writeln!(f, " {number}")?,
                body => writeln!(f, " ({body})")?,
            }
        }
        for declaration in &self.mtypes {
            f.write_str("mtype")?;
            if let Some(subtype) = &declaration.subtype {
                write!(f, ":{subtype}")?;
            }
            writeln!(f, " = {{ {} }};", declaration.names.join(", "))?;
        }
        for record in &self.records {
            writeln!(f, "typedef {} {{", record.name)?;
            for field in &record.fields {
                writeln!(f, "  {field};")?;
            }
            writeln!(f, "}}")?;
        }
        for global in &self.globals {
            writeln!(f, "{global};")?;
        }
        for inline in &self.inlines {
            writeln!(f, "\ninline {}({}) {{", inline.name, inline.parameters.join(", "))?;
            write_sequence(f, &inline.body, 1)?;
            writeln!(f, "}}")?;
        }
        self.processes.iter().try_for_each(|process| write_process(f, process))
    }
}

fn write_process(f: &mut Formatter<'_>, process: &Process) -> fmt::Result {
    writeln!(f)?;
    match process.active {
        Some(1) => f.write_str("active ")?,
        Some(count) => write!(f, "active [{count}] ")?,
        None => {}
    }
    match process.kind {
        ProcessKind::Init => f.write_str("init")?,
        ProcessKind::Proctype => write!(f, "proctype {}(", process.name)?,
        ProcessKind::Deterministic => write!(f, "D_proctype {}(", process.name)?,
    }
    if process.kind != ProcessKind::Init {
        for (position, parameter) in process.parameters.iter().enumerate() {
            write!(f, "{}{parameter}", if position == 0 { "" } else { "; " })?;
        }
        f.write_char(')')?;
    }
    if let Some(priority) = process.priority {
        write!(f, " priority {priority}")?;
    }
    if let Some(condition) = &process.provided {
        write!(f, " provided ({condition})")?;
    }
    writeln!(f, " {{")?;
    write_sequence(f, &process.body, 1)?;
    writeln!(f, "}}")
}

impl Display for TypeName {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            TypeName::Bit => f.write_str("bit"),
            TypeName::Bool => f.write_str("bool"),
            TypeName::Byte => f.write_str("byte"),
            TypeName::Short => f.write_str("short"),
            TypeName::Int => f.write_str("int"),
            TypeName::Unsigned(_) => f.write_str("unsigned"),
            TypeName::Pid => f.write_str("pid"),
            TypeName::Mtype(None) => f.write_str("mtype"),
            TypeName::Mtype(Some(subtype)) => write!(f, "mtype:{subtype}"),
            TypeName::Chan => f.write_str("chan"),
            TypeName::Record(name) => f.write_str(name),
        }
    }
}

impl Display for Declaration {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let Some(prefix) = self.prefix {
            write!(f, "{prefix} ")?;
        }
        write!(f, "{} {}", self.type_name, self.name)?;
        if let TypeName::Unsigned(width) = self.type_name {
            write!(f, " : {width}")?;
        }
        if let Some(length) = self.length {
            write!(f, "[{length}]")?;
        }
        match &self.initial {
            Initial::Nothing => Ok(()),
            Initial::Value(value) => write!(f, " = {value}"),
            Initial::List(values) => {
                f.write_str(" = { ")?;
                write_list(f, values)?;
                f.write_str(" }")
            }
            Initial::Channel { capacity, fields } => {
                write!(f, " = [{capacity}] of {{ ")?;
                write_list(f, fields)?;
                f.write_str(" }")
            }
        }
    }
}

fn write_list<T: Display>(f: &mut Formatter<'_>, items: &[T]) -> fmt::Result {
    for (position, item) in items.iter().enumerate() {
        write!(f, "{}{item}", if position == 0 { "" } else { ", " })?;
    }
    Ok(())
}

fn write_indent(f: &mut Formatter<'_>, depth: usize) -> fmt::Result {
    (0..depth).try_for_each(|_| f.write_str("  "))
}

fn write_sequence(f: &mut Formatter<'_>, sequence: &Sequence, depth: usize) -> fmt::Result {
    for (position, step) in sequence.iter().enumerate() {
        write_indent(f, depth)?;
        write_statement(f, &step.statement, depth)?;
        let text = match step.separator {
            _ if position + 1 == sequence.len() => "",
            Separator::Semicolon => ";",
            Separator::Arrow => " ->",
            Separator::Newline => "",
        };
        writeln!(f, "{text}")?;
    }
    Ok(())
}

fn write_braced(f: &mut Formatter<'_>, sequence: &Sequence, depth: usize) -> fmt::Result {
    writeln!(f, "{{")?;
    write_sequence(f, sequence, depth + 1)?;
    write_indent(f, depth)?;
    f.write_char('}')
}

fn write_options(
    f: &mut Formatter<'_>,
    words: (&str, &str),
    options: &[Sequence],
    depth: usize,
) -> fmt::Result {
    writeln!(f, "{}", words.0)?;
    for option in options {
        write_indent(f, depth)?;
        writeln!(f, "::")?;
        write_sequence(f, option, depth + 1)?;
    }
    write_indent(f, depth)?;
    f.write_str(words.1)
}

fn write_statement(f: &mut Formatter<'_>, statement: &Statement, depth: usize) -> fmt::Result {
    match statement {
        Statement::Skip => f.write_str("skip"),
        Statement::Else => f.write_str("else"),
        Statement::Break => f.write_str("break"),
        Statement::Goto(label) => write!(f, "goto {label}"),
        Statement::Labelled(label, inner) => {
            write!(f, "{label}: ")?;
            write_statement(f, inner, depth)
        }
        Statement::Declare(declaration) => write!(f, "{declaration}"),
        Statement::Assign(target, value) => write!(f, "{target} = {value}"),
        Statement::Increment(target) => write!(f, "{target}++"),
        Statement::Decrement(target) => write!(f, "{target}--"),
        Statement::Guard(condition) if starts_with_sign(condition) => write!(f, "({condition})"),
        Statement::Guard(condition) => write!(f, "{condition}"),
        Statement::Send(send) => write!(f, "{send}"),
        Statement::Receive(receive) => write!(f, "{receive}"),
        Statement::If(options) => write_options(f, ("if", "fi"), options, depth),
        Statement::Do(options) => write_options(f, ("do", "od"), options, depth),
        Statement::Atomic(body) => {
            f.write_str("atomic ")?;
            write_braced(f, body, depth)
        }
        Statement::DStep(body) => {
            f.write_str("d_step ")?;
            write_braced(f, body, depth)
        }
        Statement::Block(body) => write_braced(f, body, depth),
        Statement::Unless(body, escape) => {
            write_braced(f, body, depth)?;
            f.write_str(" unless ")?;
            write_braced(f, escape, depth)
        }
        Statement::ForRange { variable, low, high, body } => {
            write!(f, "for ({variable} : {low} .. {high}) ")?;
            write_braced(f, body, depth)
        }
        Statement::ForArray { variable, array, body } => {
            write!(f, "for ({variable} in {array}) ")?;
            write_braced(f, body, depth)
        }
        Statement::Select { variable, low, high } => write!(f, "select ({variable} : {low} .. {high})"),
        Statement::Assert(condition) => write!(f, "assert({condition})"),
        Statement::Print { text, arguments } => {
            write!(f, "printf(\"{text}\"")?;
            arguments.iter().try_for_each(|argument| write!(f, ", {argument}"))?;
            f.write_char(')')
        }
        Statement::Call { name, arguments } => {
            write!(f, "{name}(")?;
            write_list(f, arguments)?;
            f.write_char(')')
        }
        Statement::SetPriority(process, priority) => write!(f, "set_priority({process}, {priority})"),
    }
}

fn write_message<T: Display>(f: &mut Formatter<'_>, arguments: &[T], message_syntax: bool) -> fmt::Result {
    if message_syntax && arguments.len() > 1 {
        write!(f, "{}(", arguments[0])?;
        write_list(f, &arguments[1..])?;
        return f.write_char(')');
    }
    write_list(f, arguments)
}

impl Display for Send {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.channel, if self.sorted { "!!" } else { "!" })?;
        write_message(f, &self.arguments, self.message_syntax)
    }
}

impl Display for Receive {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.channel, if self.random { "??" } else { "?" })?;
        if self.copy {
            f.write_char('<')?;
        }
        write_message(f, &self.arguments, self.message_syntax)?;
        if self.copy {
            f.write_char('>')?;
        }
        Ok(())
    }
}

impl Display for ReceiveArgument {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            ReceiveArgument::Variable(reference) => write!(f, "{reference}"),
            ReceiveArgument::Constant(value) => write!(f, "{value}"),
            ReceiveArgument::Eval(value) => write!(f, "eval({value})"),
            ReceiveArgument::Discard => f.write_char('_'),
        }
    }
}

impl Display for Reference {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (position, (name, index)) in self.parts.iter().enumerate() {
            write!(f, "{}{name}", if position == 0 { "" } else { "." })?;
            if let Some(index) = index {
                write!(f, "[{index}]")?;
            }
        }
        Ok(())
    }
}

fn starts_with_sign(expression: &Expression) -> bool {
    match expression {
        Expression::Unary(..) => true,
        Expression::Number(number) => *number < 0,
        Expression::Binary(_, left, _) => starts_with_sign(left),
        _ => false,
    }
}

/// How tightly an operator binds; atoms bind most.
fn precedence(expression: &Expression) -> u32 {
    match expression {
        Expression::Binary(operator, ..) => match *operator {
            "||" => 1,
            "&&" => 2,
            "|" => 3,
            "^" => 4,
            "&" => 5,
            "==" | "!=" => 6,
            "<" | ">" | "<=" | ">=" => 7,
            "<<" | ">>" => 8,
            "+" | "-" => 9,
            _ => 10,
        },
        Expression::Unary(..) => 11,
        Expression::Number(number) if *number < 0 => 11,
        _ => 12,
    }
}

fn write_operand(f: &mut Formatter<'_>, operand: &Expression, least: u32) -> fmt::Result {
    if precedence(operand) < least { write!(f, "({operand})") } else { write!(f, "{operand}") }
}

impl Display for Expression {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Expression::Number(number) => write!(f, "{number}"),
            Expression::Name(name) => f.write_str(name),
            Expression::Variable(reference) => write!(f, "{reference}"),
            Expression::Unary(operator, operand) => {
                f.write_str(operator)?;
                write_operand(f, operand, 12)
            }
            Expression::Binary(operator, left, right) => {
                let level = precedence(self);
                write_operand(f, left, level)?;
                write!(f, " {operator} ")?;
                write_operand(f, right, level + 1)
            }
            Expression::Conditional(condition, yes, no) => write!(f, "({condition} -> {yes} : {no})"),
            Expression::Apply(name, arguments) => {
                write!(f, "{name}(")?;
                write_list(f, arguments)?;
                f.write_char(')')
            }
            Expression::Poll { channel, random, arguments } => {
                write!(f, "{channel}{}[", if *random { "??" } else { "?" })?;
                write_list(f, arguments)?;
                f.write_char(']')
            }
            Expression::Run { process, arguments, priority } => {
                write!(f, "run {process}(")?;
                write_list(f, arguments)?;
                f.write_char(')')?;
                priority.iter().try_for_each(|priority| write!(f, " priority {priority}"))
            }
            Expression::RemoteLabel { process, pid, label } => write!(f, "{process}[{pid}]@{label}"),
            Expression::RemoteVariable { process, pid, variable } => write!(f, "{process}[{pid}]:{variable}"),
        }
    }
}
