//! Statements: into actions and control flow.

use super::*;
use crate::flow::SequenceId;

impl Lowering<'_> {
    pub(super) fn flow(&mut self) -> &mut Flow {
        &mut self.process.as_mut().expect("statements stand in a process").flow
    }

    pub(super) fn enter_scope(&mut self) {
        let process = self.process.as_mut().expect("a process is open");
        let number = process.scope_counts.last_mut().map_or(0, |n| {
            *n += 1;
            *n
        });
        process.scope_path.push(number);
        process.scope_counts.push(0);
        process.scopes.push(HashMap::new());
    }

    pub(super) fn leave_scope(&mut self) {
        let process = self.process.as_mut().expect("a process is open");
        process.scope_path.pop();
        process.scope_counts.pop();
        process.scopes.pop();
    }

    fn in_trace(&self) -> bool {
        self.process.as_ref().is_some_and(|process| process.in_trace)
    }

    fn not_at_start(&mut self) {
        if let Some(process) = &mut self.process {
            process.at_start = false;
        }
    }

    /// The steps of a sequence, into the one that is open.
    pub(super) fn steps(&mut self, sequence: &ast::Sequence) {
        for step in &sequence.steps {
            match step {
                ast::Step::Declaration(declaration) => self.local_declaration(declaration),
                ast::Step::ExclusiveUse { reads, channels, .. } => {
                    let usage = if *reads { ChannelUse::Receive } else { ChannelUse::Send };
                    for channel in channels {
                        let channel = self.channel(channel);
                        if let Some(process) = &mut self.process {
                            process.exclusive.push(Exclusive { usage, channel });
                        }
                    }
                }
                ast::Step::Statement(statement) => {
                    let prepared = self.prepare(statement);
                    self.flow().add(prepared);
                    self.not_at_start();
                }
            }
        }
    }

    /// A block with a scope of its own, as a sequence.
    fn block(&mut self, sequence: &ast::Sequence) -> SequenceId {
        self.not_at_start();
        self.flow().open_sequence();
        self.enter_scope();
        self.steps(sequence);
        self.leave_scope();
        self.flow().close_sequence(sequence.span)
    }

    /// An option of a selection: no braces, no scope of its own.
    fn option(&mut self, sequence: &ast::Sequence) -> SequenceId {
        self.not_at_start();
        self.flow().open_sequence();
        self.steps(sequence);
        let id = self.flow().close_sequence(sequence.span);
        if self.process.as_ref().is_some_and(|p| p.id.is_some()) {
            self.flow().drop_redundant_skips(id);
        }
        id
    }

    pub(super) fn add_simple(&mut self, node: Node, text: String, span: Span) {
        let line = self.line(span);
        self.flow().add(Prepared::Simple { node, line, text, span });
    }

    fn simple(&mut self, node: Node, text: String, span: Span) -> Prepared {
        Prepared::Simple { node, line: self.line(span), text, span }
    }

    /// Lowers what is inside a statement; its own element comes when it is added.
    fn prepare(&mut self, statement: &ast::Statement) -> Prepared {
        let mut prepared = match &statement.kind {
            ast::StatementKind::Unless(main, escape) => return self.unless(statement, main, escape),
            kind => {
                let span = self.behind_labels(&statement.labels, statement.span);
                self.prepare_kind(kind, span)
            }
        };
        let scope = self.process.as_ref().map_or(Vec::new(), |p| p.scope_path.clone());
        for label in statement.labels.iter().rev() {
            prepared = Prepared::Labelled {
                label: label.text.clone(),
                scope: scope.clone(),
                label_span: label.span,
                inner: Box::new(prepared),
            };
        }
        prepared
    }

    /// A statement's place without its labels.
    fn behind_labels(&self, labels: &[ast::Name], span: Span) -> Span {
        let Some(label) = labels.last().filter(|l| l.span.file == span.file && l.span.end <= span.end) else {
            return span;
        };
        let rest = Span { start: label.span.end, ..span };
        let text = self.sources.text(rest);
        let mut skipped = text.find(':').map_or(0, |i| i + 1);
        loop {
            let left = &text[skipped..];
            let blank = left.len() - left.trim_start().len();
            let comment = match left.trim_start() {
                c if c.starts_with("/*") => c.find("*/").map_or(c.len(), |i| i + 2),
                c if c.starts_with("//") => c.find('\n').unwrap_or(c.len()),
                _ => 0,
            };
            skipped += blank + comment;
            if comment == 0 {
                break;
            }
        }
        if skipped >= text.len() { span } else { Span { start: rest.start + skipped as u32, ..span } }
    }

    fn prepare_kind(&mut self, kind: &ast::StatementKind, span: Span) -> Prepared {
        let text = self.statement_text(kind);
        match kind {
            ast::StatementKind::Assign(target, value) => {
                let action = self.assign_action(target, value);
                self.simple(Node::Basic(action), text, span)
            }
            ast::StatementKind::Increment(target) | ast::StatementKind::Decrement(target) => {
                if let Some(Type::Scalar { shown: ShownAs::Channel, .. }) = self.type_of(target)
                    && !self.diagnostics.iter().any(|d| d.is_error() && d.span() == target.span)
                {
                    self.error(
                        Diagnostic::error(
                            format!("`{}` is a channel: no arithmetic", target.name.text),
                            span,
                        )
                        .expected("expected a number"),
                    );
                }
                let operator = if matches!(kind, ast::StatementKind::Increment(_)) {
                    BinaryOperator::Add
                } else {
                    BinaryOperator::Subtract
                };
                let action = match self.target(target) {
                    Some(place) => {
                        let old = super::expressions::load_place(place.clone());
                        let value = ir::Expr::Binary(operator, Box::new((old, ir::Expr::Constant(1))));
                        Action::Assign(place, value)
                    }
                    None => Action::Skip,
                };
                self.simple(Node::Basic(action), text, span)
            }
            ast::StatementKind::Condition(expr) => self.condition(expr, text, span),
            ast::StatementKind::Else => self.simple(Node::Else, text, span),
            ast::StatementKind::Send { channel, sorted, arguments } => {
                for argument in arguments {
                    if self.contains_run(argument) {
                        self.error(Diagnostic::error("`run` cannot be used in a message", argument.span));
                    }
                }
                let channel_expr = self.channel(channel);
                let lowered =
                    if self.in_trace() { self.event_arguments(arguments) } else { self.arguments(arguments) };
                self.check_arity(channel, lowered.len(), "send", span);
                let action = Action::Send { channel: channel_expr, sorted: *sorted, arguments: lowered };
                self.simple(Node::Basic(action), text, span)
            }
            ast::StatementKind::Receive { channel, random, copy, arguments } => {
                self.check_repeated_variables(arguments);
                let channel_expr = self.channel(channel);
                let lowered = self.receive_arguments(arguments);
                if self.in_trace() {
                    self.warn_of_variables(arguments, &lowered);
                }
                self.check_arity(channel, lowered.len(), "receive", span);
                let action = Action::Receive(Receive {
                    channel: channel_expr,
                    random: *random,
                    copy: *copy,
                    arguments: lowered,
                });
                self.simple(Node::Basic(action), text, span)
            }
            ast::StatementKind::Assert(expr) => {
                let action = Action::Assert(self.expr(expr));
                self.simple(Node::Basic(action), text, span)
            }
            ast::StatementKind::Print { format, arguments } => {
                let action = self.print(format, arguments, span);
                self.simple(Node::Basic(action), text, span)
            }
            ast::StatementKind::PrintMtype(expr) => {
                let list = match &expr.kind {
                    ast::ExprKind::Variable(reference) => self.symbol_list_of(reference),
                    _ => None,
                };
                let arguments = vec![self.expr(expr)];
                let action = Action::Print { format: vec![FormatPiece::Symbol(list)], arguments };
                self.simple(Node::Basic(action), text, span)
            }
            ast::StatementKind::SetPriority(pid, priority) => {
                let action = Action::SetPriority(self.expr(pid), self.expr(priority));
                self.simple(Node::Basic(action), text, span)
            }
            ast::StatementKind::Goto(label) => {
                let scope = self.process.as_ref().map_or(Vec::new(), |p| p.scope_path.clone());
                self.simple(Node::Goto(label.text.clone(), scope), text, label.span)
            }
            ast::StatementKind::Break => match self.flow().current_loop() {
                Some(exit) => self.simple(Node::BreakOut(exit), text, span),
                None => {
                    self.error(
                        Diagnostic::error("`break` outside of a loop", span)
                            .expected("expected only inside do … od"),
                    );
                    self.simple(Node::Skip, text, span)
                }
            },
            ast::StatementKind::If(options) => {
                self.warn_of_guards(options);
                let options = options.iter().map(|o| self.option(o)).collect();
                Prepared::If { options, line: self.line(span), span }
            }
            ast::StatementKind::Do(options) => {
                self.warn_of_guards(options);
                let exit = self.flow().open_loop();
                let options = options.iter().map(|o| self.option(o)).collect();
                Prepared::Do { options, exit, line: self.line(span), span }
            }
            ast::StatementKind::Atomic(body) => {
                let sequence = self.block(body);
                self.flow().make_atomic(sequence);
                self.simple(Node::Atomic(sequence), text, span)
            }
            ast::StatementKind::DStep(body) => {
                let nested = self.process.as_mut().map(|p| std::mem::replace(&mut p.in_d_step, true));
                self.flow().open_d_step();
                let sequence = self.block(body);
                self.flow().close_d_step();
                if let Some(process) = &mut self.process {
                    process.in_d_step = nested.unwrap_or(false);
                }
                self.flow().make_d_step(sequence);
                self.simple(Node::DStep(sequence), text, span)
            }
            ast::StatementKind::Block(body) => {
                let sequence = self.block(body);
                self.simple(Node::Block(sequence), text, span)
            }
            ast::StatementKind::For { variable, range, body } => self.for_loop(variable, range, body, span),
            ast::StatementKind::Select { variable, low, high } => self.select(variable, low, high, span),
            ast::StatementKind::Unless(..) | ast::StatementKind::Broken => {
                self.simple(Node::Skip, "(1)".into(), span)
            }
        }
    }

    /// An expression as a statement. `run P()` is one.
    fn condition(&mut self, expr: &ast::Expr, text: String, span: Span) -> Prepared {
        if let ast::ExprKind::Run { process, arguments, priority } = &expr.kind {
            let action = self.run(process, arguments, priority.as_deref(), None, span);
            return self.simple(Node::Basic(action), text, span);
        }
        let is_skip = match &expr.kind {
            ast::ExprKind::Number(value) => *value == 1,
            ast::ExprKind::Variable(r) => self.constants.get(&r.name.text).is_some_and(|(_, v)| *v == 1),
            _ => false,
        };
        let guard = self.expr(expr);
        let node = if is_skip { Node::Skip } else { Node::Basic(Action::Guard(guard)) };
        self.simple(node, text, span)
    }

    fn run(
        &mut self,
        process: &ast::Name,
        arguments: &[ast::Expr],
        priority: Option<&ast::Expr>,
        then: Option<(Place, ir::Expr)>,
        span: Span,
    ) -> Action {
        if self.process.as_ref().is_some_and(|p| p.in_d_step) {
            self.error(
                Diagnostic::error("`run` cannot be used inside d_step", span).hint("use atomic instead"),
            );
        }
        let lowered = self.arguments(arguments);
        let Some(header) = self.headers.get(&process.text) else {
            self.unknown_process(process);
            return Action::Skip;
        };
        let (id, defined) = (header.id, header.span);
        let arity = self.scalar_parameters(header);
        if arity != lowered.len() && !self.unread.contains(&process.text) {
            let plural = |n: usize| format!("{n} argument{}", if n == 1 { "" } else { "s" });
            self.error(
                Diagnostic::error(format!("`{}` is run with {}", process.text, plural(lowered.len())), span)
                    .expected(format!("expected {}", plural(arity)))
                    .also(defined, "defined here"),
            );
        }
        let priority = self.constant_priority(priority);
        Action::Run { process: id, arguments: lowered, priority, then: then.map(Box::new) }
    }

    /// How many arguments a process takes: a record stands for all of its scalars.
    fn scalar_parameters(&self, header: &ProcessHeader) -> usize {
        let scalars = |record: &Option<String>| match record.as_ref().and_then(|name| self.records.get(name))
        {
            Some(id) => {
                let mut places = Vec::new();
                self.record_places(&ir::Base::Local, 0, &[], *id, &mut places);
                places.len()
            }
            None => 1,
        };
        header.parameters.iter().map(scalars).sum()
    }

    fn assign_action(&mut self, target: &ast::VarRef, value: &ast::Expr) -> Action {
        let place = self.target(target);
        if let Some(run) = only_run(value) {
            let ast::ExprKind::Run { process, arguments, priority } = &run.kind else { return Action::Skip };
            let Some(place) = place else { return Action::Skip };
            let around = self.around_run(value);
            return self.run(process, arguments, priority.as_deref(), Some((place, around)), value.span);
        }
        let value = self.expr(value);
        match place {
            Some(place) => Action::Assign(place, value),
            None => Action::Skip,
        }
    }

    /// The expression around a `run`, over its result.
    fn around_run(&mut self, expr: &ast::Expr) -> ir::Expr {
        match &expr.kind {
            ast::ExprKind::Run { .. } => ir::Expr::RunResult,
            ast::ExprKind::Binary(_, left, right) => {
                let placeholder = ast::Expr { kind: ast::ExprKind::Number(0), span: expr.span };
                let mut outer = expr.clone();
                let run_left = self.contains_run(left);
                if let ast::ExprKind::Binary(_, l, r) = &mut outer.kind {
                    **(if run_left { l } else { r }) =
                        ast::Expr { kind: ast::ExprKind::PcValue(Box::new(placeholder)), span: expr.span };
                }
                let inner = self.around_run(if run_left { left } else { right });
                match self.expr(&outer) {
                    ir::Expr::Binary(operator, mut operands) => {
                        *(if run_left { &mut operands.0 } else { &mut operands.1 }) = inner;
                        ir::Expr::Binary(operator, operands)
                    }
                    other => other,
                }
            }
            _ => {
                self.error(Diagnostic::error("`run` cannot be used inside this expression", expr.span));
                ir::Expr::RunResult
            }
        }
    }

    /// Adds an assignment to the current sequence.
    pub(super) fn assignment(&mut self, target: &ast::VarRef, value: &ast::Expr, span: Span) {
        let text = self.assignment_text(target, value);
        let action = self.assign_action(target, value);
        self.add_simple(Node::Basic(action), text, span);
    }

    fn check_repeated_variables(&mut self, arguments: &[ast::ReceiveArgument]) {
        let mut seen: Vec<&ast::VarRef> = Vec::new();
        let mut repeated = None;
        for argument in arguments {
            if let ast::ReceiveArgument::Variable(r) = argument
                && r.index.is_none()
                && r.field.is_none()
                && r.name.text != "_"
                && !self.constants.contains_key(&r.name.text)
                && self.find_variable(&r.name.text).is_some_and(|d| d.variable.length.is_none())
            {
                if let Some(first) = seen.iter().find(|first| first.name.text == r.name.text) {
                    repeated = Some((first.span, r));
                }
                seen.push(r);
            }
        }
        if let Some((first, reference)) = repeated {
            self.error(
                Diagnostic::error(
                    format!("`{}` receives two fields of one message", reference.name.text),
                    reference.span,
                )
                .expected("second use")
                .also(first, "first use")
                .hint("use another variable, or `_` to drop the field"),
            );
        }
    }

    pub(super) fn symbol_list_of(&mut self, reference: &ast::VarRef) -> Option<u16> {
        if let Some((list, _)) = self.constants.get(&reference.name.text) {
            return Some(*list);
        }
        match self.type_of(reference) {
            Some(Type::Scalar { shown: ShownAs::Symbol(list), .. }) => Some(list),
            _ => None,
        }
    }

    fn print(&mut self, format: &str, arguments: &[ast::Expr], span: Span) -> Action {
        let mut pieces = Vec::new();
        let mut literal = String::new();
        let mut given = arguments.iter();
        let mut wanted = 0;
        let mut chars = format.chars();
        while let Some(c) = chars.next() {
            match c {
                '\\' => match chars.next() {
                    Some('n') => literal.push('\n'),
                    Some('t') => literal.push('\t'),
                    Some('r') => literal.push('\r'),
                    Some(other) => literal.push(other),
                    None => literal.push('\\'),
                },
                '%' => {
                    let mut directive = chars.next();
                    while directive.is_some_and(|c| c.is_ascii_digit() || "-+ .l".contains(c)) {
                        directive = chars.next();
                    }
                    if directive == Some('%') {
                        literal.push('%');
                        continue;
                    }
                    wanted += 1;
                    let argument = given.next();
                    let piece = match directive {
                        Some('d' | 'i') => FormatPiece::Decimal,
                        Some('u') => FormatPiece::Unsigned,
                        Some('c') => FormatPiece::Character,
                        Some('o') => FormatPiece::Octal,
                        Some('x' | 'X') => FormatPiece::Hexadecimal,
                        Some('e') => FormatPiece::Symbol(match argument.map(|a| &a.kind) {
                            Some(ast::ExprKind::Variable(r)) => self.symbol_list_of(r),
                            _ => None,
                        }),
                        _ => FormatPiece::Decimal,
                    };
                    if !literal.is_empty() {
                        pieces.push(FormatPiece::Text(std::mem::take(&mut literal)));
                    }
                    pieces.push(piece);
                }
                c => literal.push(c),
            }
        }
        if !literal.is_empty() {
            pieces.push(FormatPiece::Text(literal));
        }
        if wanted != arguments.len() {
            self.error(
                Diagnostic::warning(format!("printf of {wanted} values is given {}", arguments.len()), span)
                    .expected("the format and the arguments do not fit"),
            );
        }
        let arguments = arguments.iter().map(|a| self.expr(a)).collect();
        Action::Print { format: pieces, arguments }
    }

    /// `main unless escape`. A plain statement on either side becomes a sequence of one; that of the escape
    /// is made first.
    fn unless(
        &mut self,
        statement: &ast::Statement,
        main: &ast::Statement,
        escape: &ast::Statement,
    ) -> Prepared {
        let prepared_main = self.prepare_kind(&main.kind, main.span);
        // The escape of a loop stands outside of it.
        let outside = match &prepared_main {
            Prepared::Do { .. } => self.flow().close_loop(),
            _ => None,
        };
        let escape_sequence = match (&escape.kind, &escape.labels[..]) {
            (ast::StatementKind::Block(body), []) => self.block(body),
            _ => {
                let prepared = self.prepare(escape);
                self.sequence_of(prepared, escape.span)
            }
        };
        if let Some(exit) = outside {
            self.flow().reopen_loop(exit);
        }
        let (line, span) = (self.line(statement.span), statement.span);
        let mut labels: Vec<&ast::Name> = main.labels.iter().chain(&statement.labels).collect();
        labels.dedup_by_key(|l| l.span);
        let result = match prepared_main {
            Prepared::Simple { node: Node::Block(body), .. } if labels.is_empty() => {
                Prepared::Unless { main: body, escape: escape_sequence, line, span }
            }
            // A label is lifted to a sequence around the whole.
            Prepared::Simple { node: Node::Block(body) | Node::Atomic(body), .. } if !labels.is_empty() => {
                let unless = Prepared::Unless { main: body, escape: escape_sequence, line, span };
                let around = self.sequence_of(unless, span);
                let (node, text) = match main.kind {
                    ast::StatementKind::Atomic(_) => (Node::Atomic(around), "ATOMIC"),
                    _ => (Node::Block(around), "sub-sequence"),
                };
                self.simple(node, text.into(), span)
            }
            other => {
                let main = self.sequence_of(other, main.span);
                Prepared::Unless { main, escape: escape_sequence, line, span }
            }
        };
        let scope = self.process.as_ref().map_or(Vec::new(), |p| p.scope_path.clone());
        labels.iter().rev().fold(result, |inner, label| Prepared::Labelled {
            label: label.text.clone(),
            scope: scope.clone(),
            label_span: label.span,
            inner: Box::new(inner),
        })
    }

    fn sequence_of(&mut self, statement: Prepared, span: Span) -> SequenceId {
        self.flow().open_sequence();
        self.flow().add(statement);
        self.flow().close_sequence(span)
    }

    /// `for (x : a .. b) { … }` is `x = a; do :: x <= b -> …; x++ :: else -> break od`.
    fn for_loop(
        &mut self,
        variable: &ast::VarRef,
        range: &ast::ForRange,
        body: &ast::Sequence,
        span: Span,
    ) -> Prepared {
        let exit = self.flow().open_loop();
        let number = |value: i32| ast::Expr { kind: ast::ExprKind::Number(value), span };
        let (counter, low, high, operator) = match range {
            ast::ForRange::Between(low, high) => {
                self.check_loop_variable(variable);
                (variable.clone(), low.clone(), high.clone(), ast::BinaryOperator::LessEqual)
            }
            ast::ForRange::In(over) if self.is_record(variable) => {
                return self.for_in_channel(variable, over, body, exit, span);
            }
            ast::ForRange::In(over) => {
                self.check_loop_variable(variable);
                let length = self.find_variable(&over.name.text).and_then(|d| d.variable.length);
                if length.is_none() {
                    match self.find_variable(&over.name.text) {
                        None => self.unknown_name(&over.name),
                        Some(_) => self.error(
                            Diagnostic::error(format!("`{}` is not an array", over.name.text), over.span)
                                .expected("expected an array, or a channel of records"),
                        ),
                    }
                }
                let last = length.unwrap_or(1) as i32 - 1;
                (variable.clone(), number(0), number(last), ast::BinaryOperator::LessEqual)
            }
        };
        self.assignment(&counter, &low, span);
        self.not_at_start();
        self.flow().open_sequence();
        self.loop_condition(&counter, operator, &high, span);
        self.loop_rest(&counter, body, exit, true, span)
    }

    fn loop_condition(
        &mut self,
        counter: &ast::VarRef,
        operator: ast::BinaryOperator,
        high: &ast::Expr,
        span: Span,
    ) {
        let left = ast::Expr { kind: ast::ExprKind::Variable(counter.clone()), span };
        let kind = ast::ExprKind::Binary(operator, Box::new(left), Box::new(high.clone()));
        let condition = ast::Expr { kind, span };
        let text = self.statement_text(&ast::StatementKind::Condition(condition.clone()));
        let guard = self.expr(&condition);
        self.add_simple(Node::Basic(Action::Guard(guard)), text, span);
    }

    /// The body of a loop, the increment, and the way out.
    fn loop_rest(
        &mut self,
        counter: &ast::VarRef,
        body: &ast::Sequence,
        exit: crate::flow::BreakId,
        with_else: bool,
        span: Span,
    ) -> Prepared {
        self.enter_scope();
        self.steps(body);
        self.leave_scope();
        let increment = self.prepare_kind(&ast::StatementKind::Increment(counter.clone()), span);
        self.flow().add(increment);
        let round = self.flow().close_sequence(span);
        self.flow().open_sequence();
        if with_else {
            self.add_simple(Node::Else, "else".into(), span);
        }
        self.add_simple(Node::BreakOut(exit), "break".into(), span);
        let out = self.flow().close_sequence(span);
        Prepared::Do { options: vec![out, round], exit, line: self.line(span), span }
    }

    fn check_loop_variable(&mut self, variable: &ast::VarRef) {
        let bad = match self.find_variable(&variable.name.text) {
            None => return, // reported when it is used
            Some(declared) => {
                declared.variable.length.is_some()
                    || variable.index.is_some()
                    || variable.field.is_some()
                    || !matches!(&declared.variable.ty, Type::Scalar { shown, .. } if *shown != ShownAs::Channel)
            }
        };
        if bad {
            self.error(
                Diagnostic::error(format!("`{}` cannot count a loop", variable.name.text), variable.span)
                    .expected("expected a plain variable of a number type"),
            );
        }
    }

    /// `for (x in c) { … }`: the messages of a channel, each taken from the front and put back at the end.
    fn for_in_channel(
        &mut self,
        variable: &ast::VarRef,
        channel: &ast::VarRef,
        body: &ast::Sequence,
        exit: crate::flow::BreakId,
        span: Span,
    ) -> Prepared {
        let found = self.find_variable(&channel.name.text);
        let (declared, length) = (found.and_then(|d| d.channel), found.and_then(|d| d.variable.length));
        // Of an array of channels the first, as in Spin.
        let mut channel = channel.clone();
        if length.is_some() && channel.index.is_none() {
            channel.index = Some(super::declarations::first_index(channel.span));
        }
        let capacity = declared.map_or(0, |id| self.model.channel_types[id.0 as usize].capacity);
        if capacity == 0 {
            self.error(
                Diagnostic::error(format!("cannot go through `{}`", channel.name.text), channel.span)
                    .expected("expected a buffered channel of records, declared with its capacity"),
            );
        }
        let scope: Vec<String> =
            self.process.as_ref().map_or(Vec::new(), |p| p.scope_path.iter().map(u32::to_string).collect());
        let name = ast::Name { text: format!("_f0r_t3mp{}", scope.join("_")), span };
        let ty = if capacity > 255 { ast::TypeName::Short } else { ast::TypeName::Byte };
        let declaration =
            ast::Declaration { visibility: ast::Visibility::Plain, ty, variables: Vec::new(), span };
        let declarator =
            ast::Declarator { name: name.clone(), width: None, length: None, initialiser: None, span };
        if self.find_variable(&name.text).is_none() {
            self.declare_local(&declaration, &declarator);
        }
        let counter = ast::VarRef { name, index: None, field: None, span };
        let zero = ast::Expr { kind: ast::ExprKind::Number(0), span };
        self.assignment(&counter, &zero, span);
        self.not_at_start();
        self.flow().open_sequence();
        let len = ast::Expr { kind: ast::ExprKind::Len(channel.clone()), span };
        self.loop_condition(&counter, ast::BinaryOperator::Less, &len, span);
        let receive = ast::StatementKind::Receive {
            channel: channel.clone(),
            random: false,
            copy: false,
            arguments: vec![ast::ReceiveArgument::Variable(variable.clone())],
        };
        let whole = ast::Expr { kind: ast::ExprKind::Variable(variable.clone()), span };
        let send =
            ast::StatementKind::Send { channel: channel.clone(), sorted: false, arguments: vec![whole] };
        for kind in [receive, send] {
            let prepared = self.prepare_kind(&kind, span);
            self.flow().add(prepared);
        }
        self.loop_rest(&counter, body, exit, true, span)
    }

    /// `select (x : a .. b)` is `x = a; do :: x < b -> x++ :: break od`.
    fn select(&mut self, variable: &ast::VarRef, low: &ast::Expr, high: &ast::Expr, span: Span) -> Prepared {
        self.check_loop_variable(variable);
        self.assignment(variable, low, span);
        self.not_at_start();
        self.flow().open_sequence();
        self.loop_condition(variable, ast::BinaryOperator::Less, high, span);
        let exit = self.flow().open_loop();
        self.loop_rest(variable, &ast::Sequence::default(), exit, false, span)
    }
}

/// The `run` inside an expression, if there is one.
fn only_run(expr: &ast::Expr) -> Option<&ast::Expr> {
    match &expr.kind {
        ast::ExprKind::Run { .. } => Some(expr),
        ast::ExprKind::Binary(_, left, right) => only_run(left).or_else(|| only_run(right)),
        ast::ExprKind::Unary(_, operand) => only_run(operand),
        _ => None,
    }
}
