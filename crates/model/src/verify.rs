//! Whether a model's form is in order: every number refers to something, every scalar lies inside its
//! section.
//!
//! The interpreter trusts the form; it indexes and slices without asking. So a model is verified after it has
//! been lowered (a message then means that the lowering is wrong) and after it has been read as text (the
//! text is wrong). What only a state can tell (channel numbers, array indices, process numbers) is the
//! interpreter's to check.
//!
//! Messages name places and expressions as [`crate::text`] prints them.

use crate::ir::*;

/// No list is longer.
pub const MAX_LIST: usize = 65_535;

/// No section of a state (globals, a process's variables, a channel) is larger.
pub const MAX_SECTION: u64 = 1 << 24;

/// What is wrong with a model's form; nothing if it is in order.
pub fn verify(model: &Model) -> Vec<String> {
    let mut verifier = Verifier { model, place: String::new(), messages: Vec::new() };
    verifier.model();
    verifier.messages
}

struct Verifier<'m> {
    model: &'m Model,
    /// Where we are, for messages.
    place: String,
    messages: Vec<String>,
}

/// What an expression or action may refer to.
#[derive(Clone, Copy)]
struct Context<'m> {
    /// `None` in the initial values of globals.
    process: Option<&'m ProcessType>,
    /// Inside the `then` of a run.
    run_result: bool,
}

impl<'m> Verifier<'m> {
    fn complain(&mut self, message: impl AsRef<str>) {
        let place = if self.place.is_empty() { "model" } else { &self.place };
        self.messages.push(format!("{place}: {}", message.as_ref()));
    }

    fn demand(&mut self, holds: bool, message: impl FnOnce() -> String) {
        if !holds {
            self.complain(message());
        }
    }

    /// Checks something inside the current place.
    fn within(&mut self, place: impl AsRef<str>, check: impl FnOnce(&mut Self)) {
        let length = self.place.len();
        if length > 0 {
            self.place.push_str(", ");
        }
        self.place.push_str(place.as_ref());
        check(self);
        self.place.truncate(length);
    }

    fn list<T>(&mut self, list: &[T], what: &str) {
        self.demand(list.len() <= MAX_LIST, || format!("{} {what} are more than {MAX_LIST}", list.len()));
    }

    fn model(&mut self) {
        let model = self.model;
        self.list(&model.files, "files");
        self.list(&model.symbol_lists, "symbol lists");
        self.list(&model.record_types, "record types");
        self.list(&model.globals, "globals");
        self.list(&model.channel_types, "channel types");
        self.list(&model.process_types, "process types");
        self.list(&model.initialise, "initialisations");
        self.list(&model.start, "processes at the start");
        self.list(&model.claims, "claims");
        self.list(&model.formulas, "formulas");
        self.list(&model.propositions, "propositions");
        let types = model.process_types.len() + model.channel_types.len();
        self.demand(types <= MAX_LIST + 1, || {
            format!("{types} process and channel types are more than a tag can tell")
        });
        for (i, list) in model.symbol_lists.iter().enumerate() {
            self.within(format!("symbols s{i}"), |v| v.list(&list.symbols, "symbols"));
        }
        self.records();
        self.within("globals", |v| {
            v.section(model.globals_size as u64);
            v.section(model.hidden_size as u64);
            let (shown, all) =
                (model.globals_size as u64, model.globals_size as u64 + model.hidden_size as u64);
            for variable in &model.globals {
                v.variable(variable, if variable.hidden { shown..all } else { 0..shown });
            }
            v.initialisations(&model.initialise, Context { process: None, run_result: false });
        });
        for (i, channel) in model.channel_types.iter().enumerate() {
            self.within(format!("channel c{i} {:?}", channel.name), |v| v.channel_type(channel));
        }
        for (i, process) in model.process_types.iter().enumerate() {
            self.within(format!("process p{i} {:?}", process.name), |v| v.process_type(process));
        }
        for start in &model.start {
            self.within("start", |v| v.process_reference(start.process));
        }
        for claim in &model.claims {
            self.within(format!("claim {:?}", claim.automaton.name), |v| v.process_type(&claim.automaton));
        }
        for formula in &model.formulas {
            self.within(format!("formula {:?}", formula.name), |v| v.source_line(formula.line));
        }
        for proposition in &model.propositions {
            self.within(format!("proposition {:?}", proposition.text), |v| {
                v.expr(&proposition.value, Context { process: None, run_result: false });
            });
        }
    }

    fn records(&mut self) {
        let records = &self.model.record_types;
        for (i, record) in records.iter().enumerate() {
            self.within(format!("record r{i} {:?}", record.name), |v| {
                v.list(&record.fields, "fields");
                v.section(record.size as u64);
                for field in &record.fields {
                    v.variable(field, 0..record.size as u64);
                }
            });
        }
        // A record is finite if those in it are; what is left contains itself.
        let mut finite = vec![false; records.len()];
        loop {
            let before = finite.iter().filter(|f| **f).count();
            for (i, record) in records.iter().enumerate() {
                finite[i] = finite[i]
                    || record.fields.iter().all(|field| match field.ty {
                        Type::Record(inner) => finite.get(inner.0 as usize).copied().unwrap_or(true),
                        Type::Scalar { .. } => true,
                    });
            }
            if finite.iter().filter(|f| **f).count() == before {
                break;
            }
        }
        for i in (0..records.len()).filter(|i| !finite[*i]) {
            self.within(format!("record r{i} {:?}", records[i].name), |v| v.complain("contains itself"));
        }
    }

    fn section(&mut self, size: u64) {
        self.demand(size <= MAX_SECTION, || format!("{size} bytes are more than {MAX_SECTION}"));
    }

    fn source_line(&mut self, line: SourceLine) {
        let files = self.model.files.len();
        self.demand(line == SourceLine::default() || (line.file as usize) < files, || {
            format!("line {}:{} is in a file that does not exist", line.file, line.line)
        });
    }

    fn storage(&mut self, storage: Storage) {
        if let Storage::Unsigned(bits) = storage {
            self.demand((1..=32).contains(&bits), || {
                format!("a storage of {bits} bits: 1 to 32 are possible")
            });
        }
    }

    fn shown(&mut self, shown: ShownAs) {
        if let ShownAs::Symbol(list) = shown {
            self.symbol_list(list);
        }
    }

    fn symbol_list(&mut self, list: u16) {
        let exists = (list as usize) < self.model.symbol_lists.len();
        self.demand(exists, || format!("symbol list s{list} does not exist"));
    }

    fn process_reference(&mut self, process: ProcessTypeId) {
        let exists = (process.0 as usize) < self.model.process_types.len();
        self.demand(exists, || format!("process type p{} does not exist", process.0));
    }

    /// A variable that must lie in this range of bytes.
    fn variable(&mut self, variable: &Variable, range: std::ops::Range<u64>) {
        self.within(format!("variable {:?}", variable.name), |v| {
            v.source_line(variable.line);
            let smallest = match variable.ty {
                Type::Scalar { shown, storage } => {
                    v.shown(shown);
                    v.storage(storage);
                    storage.size()
                }
                Type::Record(record) => match v.model.record_types.get(record.0 as usize) {
                    Some(record) => record.size.max(1),
                    None => return v.complain(format!("record type r{} does not exist", record.0)),
                },
            };
            let element = variable.element_size;
            v.demand(element >= smallest, || {
                format!("elements of {element} bytes: the type needs {smallest}")
            });
            v.demand(variable.length != Some(0), || "an array without elements".to_string());
            let start = variable.offset as u64;
            let end = start + element as u64 * variable.length.unwrap_or(1) as u64;
            v.demand(range.start <= start && end <= range.end, || {
                format!("lies at bytes {start}..{end}, not inside {}..{}", range.start, range.end)
            });
        });
    }

    fn channel_type(&mut self, channel: &ChannelType) {
        self.list(&channel.fields, "fields");
        let mut message = 0;
        for field in &channel.fields {
            self.shown(field.shown);
            self.storage(field.storage);
            message += field.storage.size() as u64;
        }
        self.section(channel.capacity as u64 * message.max(1));
    }

    fn process_type(&mut self, process: &'m ProcessType) {
        self.source_line(process.line);
        self.section(process.variables_size as u64);
        self.list(&process.variables, "variables");
        self.list(&process.initialise, "initialisations");
        self.list(&process.statements, "statements");
        self.list(&process.labels, "labels");
        self.list(&process.locations, "locations");
        let (parameters, variables) = (process.parameters as usize, process.variables.len());
        self.demand(parameters <= variables, || {
            format!("{parameters} parameters, but {variables} variables")
        });
        for variable in &process.variables {
            self.variable(variable, 0..process.variables_size as u64);
        }
        let context = Context { process: Some(process), run_result: false };
        if let Some(provided) = &process.provided {
            self.within("provided", |v| v.expr(provided, context));
        }
        for exclusive in &process.exclusive {
            self.within("exclusive", |v| v.expr(&exclusive.channel, context));
        }
        self.initialisations(&process.initialise, context);
        let empty_first = process.statements.first() == Some(&Statement::default());
        self.demand(empty_first, || "statement 0 is not there or not empty".to_string());
        for (i, statement) in process.statements.iter().enumerate() {
            self.within(format!("statement {i}"), |v| v.source_line(statement.line));
        }
        let empty_first = process.locations.first() == Some(&LocationInfo::default());
        self.demand(empty_first, || "location 0 is not there or not empty".to_string());
        let a_location = |location: Location| (1..process.locations.len()).contains(&(location as usize));
        self.demand(a_location(process.start), || {
            format!("starts at location {}, which is none", process.start)
        });
        for Label { name, location } in &process.labels {
            self.demand(a_location(*location), || {
                format!("label {name:?} is at location {location}, which is none")
            });
        }
        for (i, location) in process.locations.iter().enumerate() {
            self.within(format!("location {i}"), |v| {
                v.source_line(location.line);
                v.list(&location.dead, "dead stretches");
                for dead in &location.dead {
                    v.demand(dead.start < dead.end && dead.end <= process.variables_size, || {
                        let size = process.variables_size;
                        format!("dead bytes {}..{} of the {size} of the process", dead.start, dead.end)
                    });
                }
                v.list(&location.transitions, "transitions");
                v.list(&location.assertions, "assertions");
                for assertion in &location.assertions {
                    v.expr(&assertion.value, context);
                    v.statement(assertion.statement, context);
                }
                for (i, transition) in location.transitions.iter().enumerate() {
                    v.within(format!("transition {i}"), |v| v.transition(transition, process, context));
                }
            });
        }
    }

    fn transition(&mut self, transition: &'m Transition, process: &ProcessType, context: Context<'m>) {
        let target = transition.target;
        let exists = (target as usize) < process.locations.len();
        self.demand(exists, || format!("leads to location {target}, which does not exist"));
        self.statement(transition.statement, context);
        let ends = transition.action == Action::End;
        self.demand(!(ends && transition.keeps_control), || {
            "a process that ends cannot keep control".to_string()
        });
        self.action(&transition.action, context);
    }

    fn statement(&mut self, statement: u32, context: Context<'m>) {
        let exists = context.process.is_none_or(|p| (statement as usize) < p.statements.len());
        self.demand(exists, || format!("statement #{statement} does not exist"));
    }

    fn initialisations(&mut self, list: &'m [Initialisation], context: Context<'m>) {
        for (i, initialisation) in list.iter().enumerate() {
            self.within(format!("initialisation {i}"), |v| {
                v.place(&initialisation.place, context);
                match &initialisation.value {
                    InitialValue::Expr(expr) => v.expr(expr, context),
                    InitialValue::NewChannel(ty) => {
                        let exists = (ty.0 as usize) < v.model.channel_types.len();
                        v.demand(exists, || format!("channel type c{} does not exist", ty.0));
                    }
                }
            });
        }
    }

    fn action(&mut self, action: &'m Action, context: Context<'m>) {
        match action {
            Action::Skip | Action::Else | Action::End => {}
            Action::Guard(expr) | Action::Assert(expr) => self.expr(expr, context),
            Action::Assign(place, expr) => {
                self.place(place, context);
                self.expr(expr, context);
            }
            Action::AssignAll(list) => {
                self.list(list, "assignments");
                for (place, expr) in list {
                    self.place(place, context);
                    self.expr(expr, context);
                }
            }
            Action::MoveProcess { process, location, .. } => {
                match self.model.process_types.get(process.0 as usize) {
                    Some(ty) => {
                        let exists = (1..ty.locations.len()).contains(&(*location as usize));
                        self.demand(exists, || {
                            format!("location {location} of process type p{} does not exist", process.0)
                        });
                    }
                    None => self.process_reference(*process),
                }
            }
            Action::Send { channel, arguments, .. } => {
                self.expr(channel, context);
                self.exprs(arguments, context);
            }
            Action::Receive(receive) => self.receive(receive, context),
            Action::Run { process, arguments, then, .. } => {
                self.process_reference(*process);
                self.exprs(arguments, context);
                if let Some(then) = then {
                    let context = Context { run_result: true, ..context };
                    self.place(&then.0, context);
                    self.expr(&then.1, context);
                }
            }
            Action::Print { format, arguments } => {
                self.list(format, "pieces of a format");
                for piece in format {
                    if let FormatPiece::Symbol(Some(list)) = piece {
                        self.symbol_list(*list);
                    }
                }
                self.exprs(arguments, context);
            }
            Action::SetPriority(pid, priority) => {
                self.expr(pid, context);
                self.expr(priority, context);
            }
            Action::Program(program) => self.program(program, context),
        }
    }

    fn program(&mut self, program: &'m Program, context: Context<'m>) {
        self.list(&program.guards, "guards");
        self.list(&program.nodes, "nodes");
        self.demand(!program.nodes.is_empty(), || "a program without nodes".to_string());
        for guard in &program.guards {
            self.within("guard", |v| v.action_in_program(guard, true, context));
        }
        let nodes = program.nodes.len();
        for (i, node) in program.nodes.iter().enumerate() {
            self.within(format!("node {i}"), |v| match node {
                Node::Do { action, next, statement } => {
                    v.next(*next, nodes);
                    v.statement(*statement, context);
                    v.action_in_program(action, false, context);
                }
                Node::Choose { options, statement } => {
                    v.list(options, "options");
                    v.statement(*statement, context);
                    for option in options {
                        v.next(option.next, nodes);
                        if let Some(guard) = &option.guard {
                            v.action_in_program(guard, true, context);
                        }
                    }
                }
                Node::Jump(next) => v.next(*next, nodes),
            });
        }
    }

    fn next(&mut self, next: Next, nodes: usize) {
        if let Next::Node(node) = next {
            self.demand((node as usize) < nodes, || format!("leads to node {node}, which does not exist"));
        }
    }

    /// `else` may be one of several, but nothing ends in the middle of a program.
    fn action_in_program(&mut self, action: &'m Action, one_of_several: bool, context: Context<'m>) {
        match action {
            Action::Else if !one_of_several => self.complain("`else` inside a program, but not in a choice"),
            Action::End => self.complain("`end` inside a program"),
            action => self.action(action, context),
        }
    }

    fn receive(&mut self, receive: &'m Receive, context: Context<'m>) {
        self.expr(&receive.channel, context);
        self.list(&receive.arguments, "arguments");
        for argument in &receive.arguments {
            match argument {
                ReceiveArgument::Store(place) => self.place(place, context),
                ReceiveArgument::Match(expr) => self.expr(expr, context),
                ReceiveArgument::Drop => {}
            }
        }
    }

    fn place(&mut self, place: &'m Place, context: Context<'m>) {
        self.storage(place.storage);
        self.list(&place.indices, "indices");
        let mut last = place.offset as u64;
        for Index { value, length, stride } in &place.indices {
            self.expr(value, context);
            self.demand(*length > 0, || "an index into an array without elements".to_string());
            last = last.saturating_add((*length as u64).saturating_sub(1) * *stride as u64);
        }
        let size = match &place.base {
            Base::Global => self.globals(),
            Base::Local => return self.local(last, place.storage, context),
            Base::Remote { process, pid } => {
                if let Some(pid) = pid {
                    self.expr(pid, context);
                }
                match self.model.process_types.get(process.0 as usize) {
                    Some(ty) => ty.variables_size as u64,
                    None => return self.process_reference(*process),
                }
            }
            Base::Priority => {
                self.demand(context.process.is_some(), || {
                    "a priority, where there is no process".to_string()
                });
                let size = place.storage.size();
                return self.demand(size == 1, || format!("a priority of {size} bytes: it has one"));
            }
            Base::Nowhere => return,
        };
        self.scalar(
            last,
            place.storage,
            size,
            if place.base == Base::Global { "globals" } else { "the process" },
        );
    }

    fn globals(&self) -> u64 {
        self.model.globals_size as u64 + self.model.hidden_size as u64
    }

    fn local(&mut self, offset: u64, storage: Storage, context: Context<'m>) {
        match context.process {
            Some(process) => self.scalar(offset, storage, process.variables_size as u64, "the process"),
            None => self.complain("a local variable, where there is no process"),
        }
    }

    /// A scalar that must lie inside a section of this size.
    fn scalar(&mut self, offset: u64, storage: Storage, size: u64, section: &str) {
        self.storage(storage);
        let end = offset.saturating_add(storage.size() as u64);
        self.demand(end <= size, || format!("a scalar at bytes {offset}..{end} of the {size} of {section}"));
    }

    fn exprs(&mut self, list: &'m [Expr], context: Context<'m>) {
        self.list(list, "arguments");
        list.iter().for_each(|expr| self.expr(expr, context));
    }

    fn expr(&mut self, expr: &'m Expr, context: Context<'m>) {
        match expr {
            Expr::Constant(_) | Expr::Pid | Expr::ProcessCount | Expr::NonProgress | Expr::Acceptance => {}
            Expr::Timeout | Expr::Last => self.feature(expr, context),
            Expr::Priority => {
                self.demand(context.process.is_some(), || {
                    "a priority, where there is no process".to_string()
                });
            }
            Expr::RunResult => {
                self.demand(context.run_result, || "`result` outside a run".to_string());
            }
            Expr::Global { offset, storage } => {
                let size = self.globals();
                self.scalar(*offset as u64, *storage, size, "globals");
            }
            Expr::Local { offset, storage } => self.local(*offset as u64, *storage, context),
            Expr::Load(place) => self.place(place, context),
            Expr::Unary(_, operand)
            | Expr::Len(operand)
            | Expr::Test(_, operand)
            | Expr::Enabled(operand)
            | Expr::GetPriority(operand)
            | Expr::LocationOf(operand) => self.expr(operand, context),
            Expr::Binary(_, operands) => {
                self.expr(&operands.0, context);
                self.expr(&operands.1, context);
            }
            Expr::Conditional(parts) => {
                self.expr(&parts.0, context);
                self.expr(&parts.1, context);
                self.expr(&parts.2, context);
            }
            Expr::Poll(receive) => self.receive(receive, context),
            Expr::RemoteLabel { process, pid, location } => {
                if let Some(pid) = pid {
                    self.expr(pid, context);
                }
                match self.model.process_types.get(process.0 as usize) {
                    Some(ty) => self.demand((*location as usize) < ty.locations.len(), || {
                        format!("location {location} of process type p{} does not exist", process.0)
                    }),
                    None => self.process_reference(*process),
                }
            }
        }
    }

    /// What is used must be among the model's features, or it would never hold.
    fn feature(&mut self, expr: &Expr, context: Context<'m>) {
        let Features { timeout, last, .. } = self.model.features;
        let in_process =
            context.process.is_some_and(|p| self.model.process_types.iter().any(|q| std::ptr::eq(p, q)));
        let (known, name) = if *expr == Expr::Timeout { (timeout, "timeout") } else { (last, "last") };
        self.demand(known || !in_process, || format!("`{name}` is used, but not among the features"));
    }
}
