//! Writes a syntax tree as text, fully parenthesised, so that tests can say what they expect.

use lariat_promela::ast::*;
use lariat_promela::{ReadOptions, parse_text};
use lariat_source::{Diagnostic, SourceMap};

pub fn parse(text: &str) -> (Program, Vec<Diagnostic>, SourceMap) {
    let mut sources = SourceMap::new();
    let (program, diagnostics) = parse_text("m.pml", text, &ReadOptions::default(), &mut sources);
    (program, diagnostics, sources)
}

/// The messages as they are shown.
pub fn messages(text: &str) -> String {
    let (_, diagnostics, sources) = parse(text);
    diagnostics.iter().map(|diagnostic| diagnostic.render(&sources)).collect::<Vec<_>>().join("\n")
}

pub fn write_program(program: &Program) -> String {
    program.units.iter().map(unit).collect::<Vec<_>>().join("\n")
}

fn join<T>(items: &[T], separator: &str, write: impl Fn(&T) -> String) -> String {
    items.iter().map(write).collect::<Vec<_>>().join(separator)
}

fn unit(unit: &Unit) -> String {
    match unit {
        Unit::Variables(d) => declaration(d),
        Unit::MtypeNames { subtype, names, .. } => {
            let subtype = subtype.as_ref().map_or(String::new(), |name| format!(":{}", name.text));
            format!("mtype{subtype} = {{{}}}", join(names, ", ", |name| name.text.clone()))
        }
        Unit::Typedef(t) => format!("typedef {} {{{}}}", t.name.text, join(&t.fields, "; ", declaration)),
        Unit::Proctype(p) => {
            let active = match &p.active {
                None => String::new(),
                Some(Active { count: None, .. }) => "active ".into(),
                Some(Active { count: Some(count), .. }) => format!("active [{}] ", expr(count)),
            };
            let word = if p.deterministic { "D_proctype" } else { "proctype" };
            let priority = p.priority.as_ref().map_or(String::new(), |e| format!(" priority {}", expr(e)));
            let provided = p.provided.as_ref().map_or(String::new(), |e| format!(" provided {}", expr(e)));
            let parameters = join(&p.parameters, "; ", declaration);
            format!("{active}{word} {}({parameters}){priority}{provided} {}", p.name.text, block(&p.body))
        }
        Unit::Init(i) => {
            let priority = i.priority.as_ref().map_or(String::new(), |e| format!(" priority {}", expr(e)));
            format!("init{priority} {}", block(&i.body))
        }
        Unit::Never(c) => {
            let name = c.name.as_ref().map_or(String::new(), |name| format!(" {}", name.text));
            format!("never{name} {}", block(&c.body))
        }
        Unit::Trace(t) => format!("{} {}", if t.negated { "notrace" } else { "trace" }, block(&t.body)),
        Unit::Ltl(l) => format!("ltl {} {{{}}}", l.name, l.formula.text),
    }
}

fn type_name(ty: &TypeName) -> String {
    match ty {
        TypeName::Mtype(None) => "mtype".into(),
        TypeName::Mtype(Some(name)) => format!("mtype:{}", name.text),
        TypeName::User(name) => name.text.clone(),
        other => format!("{other:?}").to_lowercase(),
    }
}

fn declaration(d: &Declaration) -> String {
    let visibility = match d.visibility {
        Visibility::Plain => "",
        Visibility::Hidden => "hidden ",
        Visibility::Local => "local ",
        Visibility::Show => "show ",
    };
    format!("{visibility}{} {}", type_name(&d.ty), join(&d.variables, ", ", declarator))
}

fn declarator(d: &Declarator) -> String {
    let mut text = d.name.text.clone();
    if let Some(width) = &d.width {
        text += &format!(" : {}", expr(width));
    }
    if let Some(length) = &d.length {
        text += &format!("[{}]", expr(length));
    }
    match &d.initialiser {
        None => {}
        Some(Initialiser::Value(value)) => text += &format!(" = {}", expr(value)),
        Some(Initialiser::List(values, _)) => text += &format!(" = {{{}}}", join(values, ", ", expr)),
        Some(Initialiser::Channel { capacity, fields, .. }) => {
            let fields = join(fields, ", ", |(ty, _)| type_name(ty));
            text += &format!(" = [{}] of {{{fields}}}", expr(capacity));
        }
    }
    text
}

pub fn block(sequence: &Sequence) -> String {
    format!("{{ {} }}", steps(sequence))
}

pub fn steps(sequence: &Sequence) -> String {
    join(&sequence.steps, "; ", |step| match step {
        Step::Declaration(d) => declaration(d),
        Step::ExclusiveUse { reads, channels, .. } => {
            format!("{} {}", if *reads { "xr" } else { "xs" }, join(channels, ", ", variable))
        }
        Step::Statement(s) => statement(s),
    })
}

fn options(word: &str, end: &str, options: &[Sequence]) -> String {
    format!("{word} {}{end}", join(options, "", |option| format!(":: {} ", steps(option))))
}

fn statement(s: &Statement) -> String {
    let labels: String = s.labels.iter().map(|label| format!("{}: ", label.text)).collect();
    let text = match &s.kind {
        StatementKind::Assign(target, value) => format!("{} = {}", variable(target), expr(value)),
        StatementKind::Increment(target) => format!("{}++", variable(target)),
        StatementKind::Decrement(target) => format!("{}--", variable(target)),
        StatementKind::Condition(e) => expr(e),
        StatementKind::Else => "else".into(),
        StatementKind::Send { channel, sorted, arguments } => {
            format!("{}{}{}", variable(channel), if *sorted { "!!" } else { "!" }, join(arguments, ",", expr))
        }
        StatementKind::Receive { channel, random, copy, arguments } => {
            let arguments = join(arguments, ",", receive_argument);
            let arguments = if *copy { format!("<{arguments}>") } else { arguments };
            format!("{}{}{arguments}", variable(channel), if *random { "??" } else { "?" })
        }
        StatementKind::Assert(e) => format!("assert {}", expr(e)),
        StatementKind::Print { format, arguments } => {
            format!(
                "printf(\"{format}\"{})",
                arguments.iter().map(|e| format!(", {}", expr(e))).collect::<String>()
            )
        }
        StatementKind::PrintMtype(e) => format!("printm({})", expr(e)),
        StatementKind::SetPriority(a, b) => format!("set_priority({}, {})", expr(a), expr(b)),
        StatementKind::Goto(label) => format!("goto {}", label.text),
        StatementKind::Break => "break".into(),
        StatementKind::If(o) => options("if", "fi", o),
        StatementKind::Do(o) => options("do", "od", o),
        StatementKind::Atomic(b) => format!("atomic {}", block(b)),
        StatementKind::DStep(b) => format!("d_step {}", block(b)),
        StatementKind::Block(b) => block(b),
        StatementKind::Unless(a, b) => format!("({} unless {})", statement(a), statement(b)),
        StatementKind::For { variable: v, range, body } => {
            let range = match range {
                ForRange::Between(a, b) => format!(": {} .. {}", expr(a), expr(b)),
                ForRange::In(a) => format!("in {}", variable(a)),
            };
            format!("for ({} {range}) {}", variable(v), block(body))
        }
        StatementKind::Select { variable: v, low, high } => {
            format!("select ({} : {} .. {})", variable(v), expr(low), expr(high))
        }
        StatementKind::Broken => "<broken>".into(),
    };
    labels + &text
}

fn receive_argument(argument: &ReceiveArgument) -> String {
    match argument {
        ReceiveArgument::Variable(v) => variable(v),
        ReceiveArgument::Eval(e) => format!("eval({})", expr(e)),
        ReceiveArgument::Constant(value, _) => value.to_string(),
    }
}

pub fn variable(v: &VarRef) -> String {
    let index = v.index.as_ref().map_or(String::new(), |e| format!("[{}]", expr(e)));
    let field = v.field.as_ref().map_or(String::new(), |f| format!(".{}", variable(f)));
    format!("{}{index}{field}", v.name.text)
}

pub fn expr(e: &Expr) -> String {
    let process = |name: &Name, pid: &Option<Box<Expr>>| {
        format!("{}{}", name.text, pid.as_ref().map_or(String::new(), |pid| format!("[{}]", expr(pid))))
    };
    match &e.kind {
        ExprKind::Number(n) => n.to_string(),
        ExprKind::Variable(v) => variable(v),
        ExprKind::Unary(op, a) => {
            let op = match op {
                UnaryOperator::Not => "!",
                UnaryOperator::Complement => "~",
                UnaryOperator::Negate => "-",
            };
            format!("{op}{}", expr(a))
        }
        ExprKind::Binary(op, a, b) => {
            use BinaryOperator::*;
            let op = match op {
                Add => "+",
                Subtract => "-",
                Multiply => "*",
                Divide => "/",
                Remainder => "%",
                BitAnd => "&",
                BitOr => "|",
                BitXor => "^",
                ShiftLeft => "<<",
                ShiftRight => ">>",
                Less => "<",
                LessEqual => "<=",
                Greater => ">",
                GreaterEqual => ">=",
                Equal => "==",
                NotEqual => "!=",
                And => "&&",
                Or => "||",
            };
            format!("({} {op} {})", expr(a), expr(b))
        }
        ExprKind::Conditional(c, a, b) => format!("({} -> {} : {})", expr(c), expr(a), expr(b)),
        ExprKind::Run { process, arguments, priority } => {
            let priority = priority.as_ref().map_or(String::new(), |e| format!(" priority {}", expr(e)));
            format!("run {}({}){priority}", process.text, join(arguments, ", ", expr))
        }
        ExprKind::Len(c) => format!("len({})", variable(c)),
        ExprKind::Test(test, c) => {
            let word = match test {
                ChannelTest::Full => "full",
                ChannelTest::NotFull => "nfull",
                ChannelTest::Empty => "empty",
                ChannelTest::NotEmpty => "nempty",
            };
            format!("{word}({})", variable(c))
        }
        ExprKind::Poll { channel, random, arguments } => {
            let op = if *random { "??" } else { "?" };
            format!("{}{op}[{}]", variable(channel), join(arguments, ",", receive_argument))
        }
        ExprKind::Enabled(a) => format!("enabled({})", expr(a)),
        ExprKind::GetPriority(a) => format!("get_priority({})", expr(a)),
        ExprKind::PcValue(a) => format!("pc_value({})", expr(a)),
        ExprKind::Timeout => "timeout".into(),
        ExprKind::NonProgress => "np_".into(),
        ExprKind::RemoteLabel { process: p, pid, label } => format!("{}@{}", process(p, pid), label.text),
        ExprKind::RemoteVariable { process: p, pid, variable: v } => {
            format!("{}:{}", process(p, pid), variable(v))
        }
        ExprKind::Broken => "<broken>".into(),
    }
}
