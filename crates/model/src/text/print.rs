//! Printing a model, line by line.

use super::print_expression::*;
use super::words::*;
use crate::ir::*;
use std::fmt::Write;
use std::ops::Range;

/// A comment stands at this column or further right.
const COMMENT_COLUMN: usize = 60;

/// The printed form of a model; see [`crate::text`].
pub fn print(model: &Model) -> String {
    let mut printer = Printer { out: String::new(), line_start: 0, indent: 0 };
    printer.model(model);
    printer.out
}

struct Printer {
    out: String,
    line_start: usize,
    indent: usize,
}

impl Printer {
    fn begin(&mut self, word: &str) {
        self.line_start = self.out.len();
        self.out.extend(std::iter::repeat_n("  ", self.indent));
        self.out.push_str(word);
    }

    fn end(&mut self) {
        self.out.push('\n');
    }

    /// Ends the line with the text of a statement.
    fn end_with_statement(&mut self, process: &ProcessType, statement: u32) {
        let text = process.statements.get(statement as usize).map_or("", |s| s.text.as_str());
        if !text.is_empty() {
            let width = self.out[self.line_start..].chars().count();
            self.out.extend(std::iter::repeat_n(' ', COMMENT_COLUMN.saturating_sub(width).max(2)));
            self.out.push_str("; ");
            text.chars().for_each(|c| push_character(&mut self.out, c));
        }
        self.end();
    }

    fn add(&mut self, arguments: std::fmt::Arguments) {
        let _ = self.out.write_fmt(arguments);
    }

    fn string(&mut self, text: &str) {
        self.out.push(' ');
        push_string(&mut self.out, text);
    }

    fn flag(&mut self, set: bool, word: &str) {
        if set {
            self.out.push(' ');
            self.out.push_str(word);
        }
    }

    fn source_line(&mut self, line: SourceLine) {
        if line != SourceLine::default() {
            self.add(format_args!(" line {}:{}", line.file, line.line));
        }
    }

    fn model(&mut self, model: &Model) {
        self.begin(HEADER);
        self.end();
        self.begin("model");
        self.string(&model.name);
        if model.language != Language::default() {
            self.add(format_args!(" language {}", word(&LANGUAGES, &model.language)));
        }
        self.end();
        if model.features != Features::default() {
            self.begin("features");
            self.flag(model.features.timeout, "timeout");
            self.flag(model.features.priorities, "priorities");
            self.flag(model.features.last, "last");
            self.end();
        }
        for (i, file) in model.files.iter().enumerate() {
            self.begin("file");
            self.add(format_args!(" {i}"));
            self.string(file);
            self.end();
        }
        for (i, list) in model.symbol_lists.iter().enumerate() {
            self.begin("symbols");
            self.add(format_args!(" s{i}"));
            self.string(&list.name);
            list.symbols.iter().for_each(|symbol| self.string(symbol));
            self.end();
        }
        for (i, record) in model.record_types.iter().enumerate() {
            self.begin("record");
            self.add(format_args!(" r{i}"));
            self.string(&record.name);
            self.add(format_args!(" size {}", record.size));
            self.end();
            self.indented(|printer| printer.variables(&record.fields, "+"));
        }
        self.begin("globals");
        self.add(format_args!(" size {} hidden {}", model.globals_size, model.hidden_size));
        self.end();
        self.indented(|printer| {
            printer.variables(&model.globals, "g");
            printer.initialisations(&model.initialise);
        });
        for (i, channel) in model.channel_types.iter().enumerate() {
            self.channel_type(i, channel);
        }
        for (i, process) in model.process_types.iter().enumerate() {
            self.begin("process");
            self.add(format_args!(" p{i}"));
            self.process_type(process);
        }
        for start in &model.start {
            self.begin("start");
            self.add(format_args!(" p{} priority {}", start.process.0, start.priority));
            self.end();
        }
        for claim in &model.claims {
            self.begin("claim");
            self.flag(true, word(&CLAIMS, &claim.kind));
            self.process_type(&claim.automaton);
        }
        for formula in &model.formulas {
            self.begin("formula");
            self.string(&formula.name);
            self.string(&formula.text);
            self.source_line(formula.line);
            self.end();
        }
        for proposition in &model.propositions {
            self.begin("proposition");
            self.string(&proposition.text);
            self.add(format_args!(" "));
            push_expression(&mut self.out, &proposition.value);
            self.end();
        }
    }

    fn indented(&mut self, print: impl FnOnce(&mut Printer)) {
        self.indent += 1;
        print(self);
        self.indent -= 1;
    }

    fn variables(&mut self, variables: &[Variable], section: &str) {
        for variable in variables {
            self.begin("var");
            self.string(&variable.name);
            if let Some(length) = variable.length {
                self.add(format_args!("[{length}]"));
            }
            self.out.push(' ');
            match variable.ty {
                Type::Scalar { shown, storage } => {
                    push_shown(&mut self.out, shown);
                    self.add(format_args!(" {section}{}.", variable.offset));
                    push_storage(&mut self.out, storage);
                    if variable.element_size != storage.size() {
                        self.add(format_args!(" element {}", variable.element_size));
                    }
                }
                Type::Record(record) => {
                    let Variable { offset, element_size, .. } = variable;
                    self.add(format_args!("r{} {section}{offset} element {element_size}", record.0));
                }
            }
            self.flag(variable.hidden, "hidden");
            self.source_line(variable.line);
            self.end();
        }
    }

    fn initialisations(&mut self, list: &[Initialisation]) {
        for initialisation in list {
            self.begin("init ");
            push_place(&mut self.out, &initialisation.place);
            self.out.push_str(" = ");
            match &initialisation.value {
                InitialValue::Expr(expr) => push_expression(&mut self.out, expr),
                InitialValue::NewChannel(ty) => self.add(format_args!("new c{}", ty.0)),
            }
            self.end();
        }
    }

    fn channel_type(&mut self, number: usize, channel: &ChannelType) {
        self.begin("channel");
        self.add(format_args!(" c{number}"));
        self.string(&channel.name);
        self.add(format_args!(" capacity {}:", channel.capacity));
        for (i, field) in channel.fields.iter().enumerate() {
            self.out.push_str(if i > 0 { ", " } else { " " });
            push_shown(&mut self.out, field.shown);
            self.out.push('.');
            push_storage(&mut self.out, field.storage);
        }
        self.end();
    }

    fn process_type(&mut self, process: &ProcessType) {
        self.string(&process.name);
        let ProcessType { start, variables_size, parameters, .. } = process;
        self.add(format_args!(" start {start} size {variables_size} parameters {parameters}"));
        self.flag(process.deterministic, "deterministic");
        self.source_line(process.line);
        self.end();
        self.indented(|printer| {
            if let Some(provided) = &process.provided {
                printer.begin("provided ");
                push_expression(&mut printer.out, provided);
                printer.end();
            }
            for exclusive in &process.exclusive {
                printer.begin(match exclusive.usage {
                    ChannelUse::Receive => "exclusive receive ",
                    ChannelUse::Send => "exclusive send ",
                });
                push_expression(&mut printer.out, &exclusive.channel);
                printer.end();
            }
            printer.variables(&process.variables, "l");
            printer.initialisations(&process.initialise);
            for (i, statement) in process.statements.iter().enumerate() {
                printer.begin("statement");
                printer.add(format_args!(" {i}"));
                printer.string(&statement.text);
                printer.flag(statement.reported, "reported");
                printer.source_line(statement.line);
                printer.end();
            }
            for label in &process.labels {
                printer.begin("label");
                printer.string(&label.name);
                printer.add(format_args!(" {}", label.location));
                printer.end();
            }
            for (i, location) in process.locations.iter().enumerate() {
                printer.location(i, location, process);
            }
        });
    }

    fn location(&mut self, number: usize, location: &LocationInfo, process: &ProcessType) {
        self.begin("location");
        self.add(format_args!(" {number}"));
        self.flag(location.end, "end");
        self.flag(location.progress, "progress");
        self.flag(location.accept, "accept");
        self.flag(location.committed, "committed");
        for Range { start, end } in &location.dead {
            self.add(format_args!(" dead {start}-{end}"));
        }
        self.source_line(location.line);
        self.end();
        self.indented(|printer| {
            for assertion in &location.assertions {
                printer.begin("assertion");
                printer.add(format_args!(" #{} ", assertion.statement));
                push_expression(&mut printer.out, &assertion.value);
                printer.end_with_statement(process, assertion.statement);
            }
            for transition in &location.transitions {
                printer.begin("->");
                printer.add(format_args!(" {} #{}", transition.target, transition.statement));
                printer.flag(transition.keeps_control, "keeps_control");
                if transition.escape != 0 {
                    printer.add(format_args!(" escape {}", transition.escape));
                }
                printer.action(&transition.action, transition.statement, process);
            }
        });
    }

    /// The rest of a line, which is an action.
    fn action(&mut self, action: &Action, statement: u32, process: &ProcessType) {
        self.out.push(' ');
        let out = &mut self.out;
        match action {
            Action::Skip => out.push_str("skip"),
            Action::Else => out.push_str("else"),
            Action::Guard(expr) => {
                out.push_str("when ");
                push_expression(out, expr);
            }
            Action::Assign(place, expr) => {
                out.push_str("set ");
                push_place(out, place);
                out.push_str(" = ");
                push_expression(out, expr);
            }
            Action::AssignAll(list) => {
                out.push_str("set_all");
                for (i, (place, expr)) in list.iter().enumerate() {
                    out.push_str(if i > 0 { ", " } else { " " });
                    push_place(out, place);
                    out.push_str(" = ");
                    push_expression(out, expr);
                }
            }
            Action::MoveProcess { process, pid, location } => {
                let _ = write!(out, "move p{} {pid} to {location}", process.0);
            }
            Action::Send { channel, sorted, arguments } => {
                out.push_str(if *sorted { "send sorted " } else { "send " });
                push_expression(out, channel);
                out.push_str(if arguments.is_empty() { ":" } else { ": " });
                push_list(out, arguments);
            }
            Action::Receive(receive) => {
                out.push_str("receive ");
                push_receive(out, receive);
            }
            Action::Run { process, arguments, priority, then } => {
                let _ = write!(out, "run p{}(", process.0);
                push_list(out, arguments);
                let _ = write!(out, ") priority {priority}");
                if let Some(then) = then {
                    out.push_str(" then ");
                    push_place(out, &then.0);
                    out.push_str(" = ");
                    push_expression(out, &then.1);
                }
            }
            Action::Assert(expr) => {
                out.push_str("assert ");
                push_expression(out, expr);
            }
            Action::Print { format, arguments } => {
                out.push_str("print");
                format.iter().for_each(|piece| push_format_piece(out, piece));
                out.push_str(if arguments.is_empty() { ":" } else { ": " });
                push_list(out, arguments);
            }
            Action::SetPriority(pid, priority) => {
                out.push_str("set_priority ");
                push_expression(out, pid);
                out.push_str(", ");
                push_expression(out, priority);
            }
            Action::End => out.push_str("end"),
            Action::Program(program) => {
                out.push_str("program {");
                self.end_with_statement(process, statement);
                self.indented(|printer| printer.program(program, process));
                self.begin("}");
                return self.end();
            }
        }
        self.end_with_statement(process, statement);
    }

    fn program(&mut self, program: &Program, process: &ProcessType) {
        for guard in &program.guards {
            self.begin("guard");
            self.action(guard, 0, process);
        }
        for (i, node) in program.nodes.iter().enumerate() {
            self.begin("node");
            self.add(format_args!(" {i}"));
            match node {
                Node::Do { action, next, statement } => {
                    self.out.push_str(" do");
                    self.next(*next);
                    self.add(format_args!(" #{statement}"));
                    self.action(action, *statement, process);
                }
                Node::Choose { options, statement } => {
                    self.add(format_args!(" choose #{statement}"));
                    self.end_with_statement(process, *statement);
                    self.indented(|printer| printer.options(options, process));
                }
                Node::Jump(next) => {
                    self.out.push_str(" jump");
                    self.next(*next);
                    self.end();
                }
            }
        }
    }

    fn options(&mut self, options: &[ProgramOption], process: &ProcessType) {
        for option in options {
            self.begin("option");
            self.next(option.next);
            match &option.guard {
                Some(guard) => self.action(guard, 0, process),
                None => self.end(),
            }
        }
    }

    fn next(&mut self, next: Next) {
        match next {
            Next::Node(node) => self.add(format_args!(" -> {node}")),
            Next::Exit => self.out.push_str(" -> exit"),
        }
    }
}

fn push_format_piece(out: &mut String, piece: &FormatPiece) {
    out.push(' ');
    match piece {
        FormatPiece::Text(text) => push_string(out, text),
        FormatPiece::Symbol(None) => out.push_str("%e"),
        FormatPiece::Symbol(Some(list)) => {
            let _ = write!(out, "%e{list}");
        }
        piece => {
            out.push('%');
            out.push_str(word(&CONVERSIONS, piece));
        }
    }
}
