//! Expressions and variable references.

use super::*;
use lariat_source::most_similar;

/// What a reference comes to: one scalar, or a whole record.
pub(super) enum Referred {
    Scalar(Place, ShownAs),
    Record { base: ir::Base, offset: u32, indices: Vec<Index>, id: RecordTypeId },
    Broken,
}

impl Lowering<'_> {
    /// The value of a constant expression.
    pub(super) fn constant(&mut self, expr: &ast::Expr, what: &str) -> Option<i32> {
        let lowered = self.expr(expr);
        match lowered {
            ir::Expr::Constant(value) => Some(value),
            _ => {
                if !matches!(expr.kind, ast::ExprKind::Broken) {
                    self.error(
                        Diagnostic::error(format!("{what} must be a constant"), expr.span)
                            .expected("this can change while the model runs")
                            .hint("use a number or a #define"),
                    );
                }
                None
            }
        }
    }

    pub(super) fn expr(&mut self, expr: &ast::Expr) -> ir::Expr {
        match &expr.kind {
            ast::ExprKind::Number(value) => ir::Expr::Constant(*value),
            ast::ExprKind::Variable(reference) => self.load(reference),
            ast::ExprKind::Unary(operator, operand) => {
                if *operator == UnaryOperator::Not && self.contains_test(operand) {
                    let hint = match &operand.kind {
                        ast::ExprKind::Test(test, channel) => {
                            format!("write `{}({})`", opposite(*test), channel.name.text)
                        }
                        _ => {
                            "use the opposite ones: nfull for full, nempty for empty, and turned round".into()
                        }
                    };
                    let message = "`full`, `nfull`, `empty` and `nempty` cannot be negated";
                    self.error(Diagnostic::error(message, expr.span).hint(hint));
                }
                fold_unary(*operator, self.expr(operand))
            }
            ast::ExprKind::Binary(operator, left, right) => {
                let (a, b) = (self.expr(left), self.expr(right));
                fold_binary(*operator, a, b)
            }
            ast::ExprKind::Conditional(condition, yes, no) => {
                ir::Expr::Conditional(Box::new((self.expr(condition), self.expr(yes), self.expr(no))))
            }
            ast::ExprKind::Run { .. } => {
                self.error(
                    Diagnostic::error("`run` cannot be used inside this expression", expr.span)
                        .hint("write `run P()` as a statement of its own, or `x = run P()`"),
                );
                ir::Expr::Constant(0)
            }
            ast::ExprKind::Len(channel) => ir::Expr::Len(Box::new(self.channel(channel))),
            ast::ExprKind::Test(test, channel) => ir::Expr::Test(*test, Box::new(self.channel(channel))),
            ast::ExprKind::Poll { channel, random, arguments } => {
                let channel_expr = self.channel(channel);
                let arguments = self.receive_arguments(arguments);
                self.check_arity(channel, arguments.len(), "receive", expr.span);
                // A random poll without values to match is a plain one.
                let random = *random && arguments.iter().any(|a| matches!(a, ReceiveArgument::Match(_)));
                ir::Expr::Poll(Box::new(Receive { channel: channel_expr, random, copy: true, arguments }))
            }
            ast::ExprKind::Enabled(pid) => {
                self.enabled_at.get_or_insert(expr.span);
                ir::Expr::Enabled(Box::new(self.expr(pid)))
            }
            ast::ExprKind::GetPriority(pid) => ir::Expr::GetPriority(Box::new(self.expr(pid))),
            ast::ExprKind::PcValue(pid) => ir::Expr::LocationOf(Box::new(self.expr(pid))),
            ast::ExprKind::Timeout => {
                self.model.features.timeout = true;
                ir::Expr::Timeout
            }
            ast::ExprKind::NonProgress => ir::Expr::NonProgress,
            ast::ExprKind::RemoteLabel { process, pid, label } => {
                self.remote_label(process, pid.as_deref(), label)
            }
            ast::ExprKind::RemoteVariable { process, pid, variable } => {
                self.remote_variable(process, pid.as_deref(), variable)
            }
            ast::ExprKind::Broken => ir::Expr::Constant(0),
        }
    }

    fn load(&mut self, reference: &ast::VarRef) -> ir::Expr {
        if reference.index.is_none() && reference.field.is_none() {
            match reference.name.text.as_str() {
                "_pid" => return ir::Expr::Pid,
                "_nr_pr" => return ir::Expr::ProcessCount,
                "_last" => {
                    self.model.features.last = true;
                    return ir::Expr::Last;
                }
                "_priority" => return ir::Expr::Priority,
                "_" => {
                    self.error(
                        Diagnostic::error("`_` cannot be read", reference.span)
                            .expected("it is write-only: what is stored there is lost"),
                    );
                    return ir::Expr::Constant(0);
                }
                name => {
                    if let Some((_, value)) = self.constants.get(name) {
                        return ir::Expr::Constant(*value);
                    }
                }
            }
        }
        match self.refer(reference) {
            Referred::Scalar(place, _) => load_place(place),
            Referred::Record { .. } => {
                self.error(
                    Diagnostic::error(format!("`{}` is a whole record", reference.name.text), reference.span)
                        .expected("expected one of its fields"),
                );
                ir::Expr::Constant(0)
            }
            Referred::Broken => ir::Expr::Constant(0),
        }
    }

    /// The channel that a reference names.
    pub(super) fn channel(&mut self, reference: &ast::VarRef) -> ir::Expr {
        if self.constants.contains_key(&reference.name.text) {
            self.error(Diagnostic::error(
                format!("`{}` is an mtype constant, not a channel", reference.name.text),
                reference.span,
            ));
            return ir::Expr::Constant(0);
        }
        match self.refer(reference) {
            Referred::Scalar(place, shown) => {
                if matches!(
                    shown,
                    ShownAs::Short | ShownAs::Int | ShownAs::Bit | ShownAs::Bool | ShownAs::Symbol(_)
                ) {
                    self.error(
                        Diagnostic::error(
                            format!("`{}` is not a channel", reference.name.text),
                            reference.span,
                        )
                        .expected("expected a chan"),
                    );
                }
                load_place(place)
            }
            Referred::Record { .. } => {
                self.error(
                    Diagnostic::error(
                        format!("`{}` is a record, not a channel", reference.name.text),
                        reference.span,
                    )
                    .expected("expected a chan"),
                );
                ir::Expr::Constant(0)
            }
            Referred::Broken => ir::Expr::Constant(0),
        }
    }

    /// Where a reference leads.
    pub(super) fn refer(&mut self, reference: &ast::VarRef) -> Referred {
        let Some(declared) = self.find_variable(&reference.name.text) else {
            self.unknown_name(&reference.name);
            // Its parts may hold errors of their own.
            self.check_parts(reference);
            return Referred::Broken;
        };
        let variable = declared.variable.clone();
        let base = match declared.base {
            DeclaredIn::Globals => ir::Base::Global,
            DeclaredIn::Process => ir::Base::Local,
        };
        self.refer_from(base, 0, Vec::new(), &variable, reference)
    }

    fn refer_from(
        &mut self,
        base: ir::Base,
        start: u32,
        mut indices: Vec<Index>,
        variable: &Variable,
        reference: &ast::VarRef,
    ) -> Referred {
        let mut offset = start + variable.offset;
        match (&reference.index, variable.length) {
            (Some(index), Some(length)) => match self.expr(index) {
                ir::Expr::Constant(i) if (0..length as i64).contains(&(i as i64)) => {
                    offset += i as u32 * variable.element_size;
                }
                value => {
                    if let ir::Expr::Constant(i) = value {
                        self.error(
                            Diagnostic::warning(format!("index {i} is out of range"), index.span).expected(
                                format!(
                                    "`{}` has {length} element{}, counted from 0",
                                    variable.name,
                                    if length == 1 { "" } else { "s" }
                                ),
                            ),
                        );
                    }
                    indices.push(Index { value, length, stride: variable.element_size });
                }
            },
            (Some(index), None) => {
                let value = self.expr(index);
                if value != ir::Expr::Constant(0) {
                    self.error(
                        Diagnostic::error(format!("`{}` is not an array", variable.name), reference.span)
                            .expected("it is used with an index here"),
                    );
                }
            }
            (None, Some(_)) => {
                let name = &variable.name;
                self.error(
                    Diagnostic::error(format!("`{name}` is an array"), reference.name.span)
                        .expected("expected an index behind it")
                        .hint(format!("write `{name}[i]`, or `{name}[0]` for the first element")),
                );
            }
            (None, None) => {}
        }
        match (&variable.ty, &reference.field) {
            (Type::Scalar { shown, storage }, None) => {
                Referred::Scalar(Place { base, offset, storage: *storage, indices }, *shown)
            }
            (Type::Scalar { .. }, Some(field)) => {
                self.error(
                    Diagnostic::error(format!("`{}` is not a record", variable.name), field.span)
                        .expected(format!("it has no field `{}`", field.name.text)),
                );
                Referred::Broken
            }
            (Type::Record(id), None) => Referred::Record { base, offset, indices, id: *id },
            (Type::Record(id), Some(field)) => {
                let record = self.model.record_types[id.0 as usize].clone();
                match record.fields.iter().find(|f| f.name == field.name.text) {
                    Some(found) => self.refer_from(base, offset, indices, found, field),
                    None => {
                        let mut message = Diagnostic::error(
                            format!("`{}` has no field `{}`", record.name, field.name.text),
                            field.name.span,
                        )
                        .expected("unknown field");
                        let known = record.fields.iter().map(|f| f.name.as_str());
                        if let Some(similar) = most_similar(&field.name.text, known) {
                            message = message.hint(format!("did you mean `{similar}`?"));
                        }
                        self.error(message);
                        Referred::Broken
                    }
                }
            }
        }
    }

    fn check_parts(&mut self, reference: &ast::VarRef) {
        if let Some(index) = &reference.index {
            self.expr(index);
        }
    }

    pub(super) fn unknown_name(&mut self, name: &ast::Name) {
        if self.unread.contains(&name.text) {
            return;
        }
        let owner = self.process.as_ref().map_or(String::new(), |p| p.name.clone());
        if !self.unknown_reported.insert((owner, name.text.clone())) {
            return; // once per process is enough
        }
        let mut message = Diagnostic::error(format!("unknown name `{}`", name.text), name.span);
        message = if self.headers.contains_key(&name.text) {
            message
                .expected("this is a proctype; expected a variable")
                .hint(format!("to start a process, write `run {}()`", name.text))
        } else {
            message.expected("not declared before this place")
        };
        let mut known: Vec<&str> = self.globals.keys().map(String::as_str).collect();
        known.extend(self.constants.keys().map(String::as_str));
        if let Some(process) = &self.process {
            known.extend(process.scopes.iter().flat_map(|s| s.keys()).map(String::as_str));
        }
        known.extend(["_pid", "_nr_pr", "_last", "timeout", "else", "skip", "break", "true", "false"]);
        known.sort();
        if message.hint.is_none()
            && let Some(similar) = most_similar(&name.text, known.into_iter())
        {
            message = message.hint(format!("did you mean `{similar}`?"));
        }
        self.error(message);
    }

    /// A place to be written.
    pub(super) fn target(&mut self, reference: &ast::VarRef) -> Option<Place> {
        let plain = reference.index.is_none() && reference.field.is_none();
        let name = reference.name.text.as_str();
        if plain && name == "_" {
            return Some(Place {
                base: ir::Base::Nowhere,
                offset: 0,
                storage: Storage::BYTE,
                indices: Vec::new(),
            });
        }
        if plain && name == "_priority" {
            return Some(Place {
                base: ir::Base::Priority,
                offset: 0,
                storage: Storage::BYTE,
                indices: Vec::new(),
            });
        }
        if matches!(name, "_pid" | "_nr_pr" | "_last") {
            self.error(
                Diagnostic::error(format!("`{name}` cannot be assigned to"), reference.span)
                    .expected("read-only"),
            );
            return None;
        }
        if self.constants.contains_key(name) {
            self.error(
                Diagnostic::error(format!("`{name}` is an mtype constant"), reference.span)
                    .expected("a constant cannot be assigned to"),
            );
            return None;
        }
        match self.refer(reference) {
            Referred::Scalar(place, _) => Some(place),
            Referred::Record { .. } => {
                self.error(
                    Diagnostic::error(format!("`{}` is a whole record", reference.name.text), reference.span)
                        .expected("expected one of its fields")
                        .hint("assign field by field, or send the record through a channel"),
                );
                None
            }
            Referred::Broken => None,
        }
    }

    /// The arguments of a send or a run: a record stands for all of its scalars.
    pub(super) fn arguments(&mut self, arguments: &[ast::Expr]) -> Vec<ir::Expr> {
        let mut list = Vec::new();
        for argument in arguments {
            if let ast::ExprKind::Variable(reference) = &argument.kind
                && self.is_record(reference)
            {
                let Referred::Record { base, offset, indices, id } = self.refer(reference) else { continue };
                let mut places = Vec::new();
                self.record_places(&base, offset, &indices, id, &mut places);
                list.extend(places.into_iter().map(load_place));
            } else {
                list.push(self.expr(argument));
            }
        }
        list
    }

    /// The arguments of a receive.
    pub(super) fn receive_arguments(&mut self, arguments: &[ast::ReceiveArgument]) -> Vec<ReceiveArgument> {
        let mut list = Vec::new();
        for argument in arguments {
            match argument {
                ast::ReceiveArgument::Constant(value, _) => {
                    list.push(ReceiveArgument::Match(ir::Expr::Constant(*value)));
                }
                ast::ReceiveArgument::Eval(expr) => {
                    let value = self.expr(expr);
                    list.push(ReceiveArgument::Match(value));
                }
                ast::ReceiveArgument::Variable(reference) => {
                    let plain = reference.index.is_none() && reference.field.is_none();
                    if plain && reference.name.text == "_" {
                        list.push(ReceiveArgument::Drop);
                    } else if let (true, Some((_, value))) = (plain, self.constants.get(&reference.name.text))
                    {
                        list.push(ReceiveArgument::Match(ir::Expr::Constant(*value)));
                    } else if self.is_record(reference) {
                        let Referred::Record { base, offset, indices, id } = self.refer(reference) else {
                            continue;
                        };
                        let mut places = Vec::new();
                        self.record_places(&base, offset, &indices, id, &mut places);
                        list.extend(places.into_iter().map(ReceiveArgument::Store));
                    } else {
                        match self.target(reference) {
                            Some(place) => list.push(ReceiveArgument::Store(place)),
                            None => list.push(ReceiveArgument::Drop),
                        }
                    }
                }
            }
        }
        list
    }

    pub(super) fn record_places(
        &self,
        base: &ir::Base,
        offset: u32,
        indices: &[Index],
        id: RecordTypeId,
        places: &mut Vec<Place>,
    ) {
        for field in &self.model.record_types[id.0 as usize].fields {
            for element in 0..field.length.unwrap_or(1) {
                let at = offset + field.offset + element * field.element_size;
                match field.ty {
                    Type::Scalar { storage, .. } => {
                        places.push(Place {
                            base: base.clone(),
                            offset: at,
                            storage,
                            indices: indices.to_vec(),
                        });
                    }
                    Type::Record(inner) => self.record_places(base, at, indices, inner, places),
                }
            }
        }
    }

    /// The type at the end of a reference, if all names are known.
    pub(super) fn type_of(&self, reference: &ast::VarRef) -> Option<Type> {
        let mut ty = self.find_variable(&reference.name.text)?.variable.ty.clone();
        let mut next = &reference.field;
        while let Some(field) = next {
            let Type::Record(id) = ty else { return None };
            let record = &self.model.record_types[id.0 as usize];
            ty = record.fields.iter().find(|f| f.name == field.name.text)?.ty.clone();
            next = &field.field;
        }
        Some(ty)
    }

    pub(super) fn is_record(&self, reference: &ast::VarRef) -> bool {
        matches!(self.type_of(reference), Some(Type::Record(_)))
    }

    /// A warning if a message has more or fewer fields than the channel is declared with.
    pub(super) fn check_arity(&mut self, channel: &ast::VarRef, given: usize, what: &str, span: Span) {
        if what == "send" {
            self.sends.push((given, span));
        }
        if channel.field.is_some() {
            return;
        }
        let Some(id) = self.find_variable(&channel.name.text).and_then(|d| d.channel) else { return };
        let expected = self.model.channel_types[id.0 as usize].fields.len();
        if given == expected {
            return;
        }
        let declared = self.find_variable(&channel.name.text).map(|d| d.span).unwrap_or_default();
        let fields = |n: usize| format!("{n} field{}", if n == 1 { "" } else { "s" });
        let message = format!("{what} of {} on `{}`", fields(given), channel.name.text);
        self.error(
            Diagnostic::warning(message, span)
                .expected(format!("messages of `{}` have {}", channel.name.text, fields(expected)))
                .also(declared, "declared here")
                .hint("this is a run-time error when it is executed"),
        );
    }

    fn remote_label(&mut self, process: &ast::Name, pid: Option<&ast::Expr>, label: &ast::Name) -> ir::Expr {
        let pid = pid.map(|e| Box::new(self.expr(e)));
        let Some(header) = self.headers.get(&process.text) else {
            self.unknown_process(process);
            return ir::Expr::Constant(0);
        };
        let id = header.id;
        let own = self.process.as_ref().is_some_and(|p| p.id == Some(id));
        let flow = match self.flows_by_name.get(&process.text) {
            Some(i) => Some(&mut self.waiting[*i].0),
            None if own => self.process.as_mut().map(|p| &mut p.flow),
            None => None,
        };
        let defined = flow.is_some();
        let mut similar = None;
        let location = flow.and_then(|flow| {
            similar = most_similar(&label.text, flow.label_names()).map(str::to_string);
            flow.keep_label(&label.text);
            flow.label_location(&label.text)
        });
        match location {
            Some(location) => ir::Expr::RemoteLabel { process: id, pid, location },
            None => {
                let hint = match similar {
                    Some(similar) => format!("did you mean `{similar}`?"),
                    None if defined => "the labels of a process are those in its own body".to_string(),
                    None => format!("`{}` must be defined before it is referred to", process.text),
                };
                self.error(
                    Diagnostic::error(
                        format!("proctype `{}` has no label `{}`", process.text, label.text),
                        label.span,
                    )
                    .expected("unknown label")
                    .hint(hint),
                );
                ir::Expr::Constant(0)
            }
        }
    }

    pub(super) fn unknown_process(&mut self, process: &ast::Name) {
        if self.unread.contains(&process.text) {
            return;
        }
        let mut message = Diagnostic::error(format!("unknown proctype `{}`", process.text), process.span)
            .expected("not defined anywhere");
        let known = self.headers.keys().map(String::as_str);
        if let Some(similar) = most_similar(&process.text, known) {
            message = message.hint(format!("did you mean `{similar}`?"));
        }
        self.error(message);
    }

    fn remote_variable(
        &mut self,
        process: &ast::Name,
        pid: Option<&ast::Expr>,
        variable: &ast::VarRef,
    ) -> ir::Expr {
        let pid = pid.map(|e| Box::new(self.expr(e)));
        let Some(header) = self.headers.get(&process.text) else {
            self.unknown_process(process);
            return ir::Expr::Constant(0);
        };
        let id = header.id;
        let own = self.process.as_ref().filter(|p| p.id == Some(id)).map(|p| &p.variables);
        let variables = self.lowered.get(&process.text).map(|p| &p.variables).or(own);
        let found = variables
            .and_then(|v| v.iter().find(|d| d.variable.name == variable.name.text))
            .map(|d| d.variable.clone());
        let Some(found) = found else {
            self.error(
                Diagnostic::error(
                    format!("proctype `{}` has no variable `{}`", process.text, variable.name.text),
                    variable.name.span,
                )
                .expected("unknown variable"),
            );
            return ir::Expr::Constant(0);
        };
        match self.refer_from(ir::Base::Remote { process: id, pid }, 0, Vec::new(), &found, variable) {
            Referred::Scalar(place, _) => ir::Expr::Load(Box::new(place)),
            Referred::Record { .. } => {
                self.error(Diagnostic::error(format!("`{}` is a whole record", found.name), variable.span));
                ir::Expr::Constant(0)
            }
            Referred::Broken => ir::Expr::Constant(0),
        }
    }

    pub(super) fn contains_run(&self, expr: &ast::Expr) -> bool {
        super::text::any_subexpression(expr, &mut |e| matches!(e.kind, ast::ExprKind::Run { .. }))
    }

    fn contains_test(&self, expr: &ast::Expr) -> bool {
        super::text::any_subexpression(expr, &mut |e| matches!(e.kind, ast::ExprKind::Test(..)))
    }
}

/// Reads a place in the shortest form.
pub(super) fn load_place(place: Place) -> ir::Expr {
    match place.base {
        ir::Base::Global if place.indices.is_empty() => {
            ir::Expr::Global { offset: place.offset, storage: place.storage }
        }
        ir::Base::Local if place.indices.is_empty() => {
            ir::Expr::Local { offset: place.offset, storage: place.storage }
        }
        _ => ir::Expr::Load(Box::new(place)),
    }
}

/// The word for the opposite of a test.
fn opposite(test: ast::ChannelTest) -> &'static str {
    match test {
        ast::ChannelTest::Full => "nfull",
        ast::ChannelTest::NotFull => "full",
        ast::ChannelTest::Empty => "nempty",
        ast::ChannelTest::NotEmpty => "empty",
    }
}

fn fold_unary(operator: UnaryOperator, operand: ir::Expr) -> ir::Expr {
    match (operator, &operand) {
        (UnaryOperator::Negate, ir::Expr::Constant(v)) => ir::Expr::Constant(v.wrapping_neg()),
        (UnaryOperator::Complement, ir::Expr::Constant(v)) => ir::Expr::Constant(!v),
        (UnaryOperator::Not, ir::Expr::Constant(v)) => ir::Expr::Constant((*v == 0) as i32),
        _ => ir::Expr::Unary(operator, Box::new(operand)),
    }
}

fn fold_binary(operator: BinaryOperator, a: ir::Expr, b: ir::Expr) -> ir::Expr {
    if let (ir::Expr::Constant(x), ir::Expr::Constant(y)) = (&a, &b) {
        let (x, y) = (*x, *y);
        let value = match operator {
            BinaryOperator::Add => Some(x.wrapping_add(y)),
            BinaryOperator::Subtract => Some(x.wrapping_sub(y)),
            BinaryOperator::Multiply => Some(x.wrapping_mul(y)),
            BinaryOperator::Divide if y != 0 => Some(x.wrapping_div(y)),
            BinaryOperator::Remainder if y != 0 => Some(x.wrapping_rem(y)),
            BinaryOperator::BitAnd => Some(x & y),
            BinaryOperator::BitOr => Some(x | y),
            BinaryOperator::BitXor => Some(x ^ y),
            BinaryOperator::ShiftLeft => Some(x.wrapping_shl(y as u32)),
            BinaryOperator::ShiftRight => Some(x.wrapping_shr(y as u32)),
            BinaryOperator::Less => Some((x < y) as i32),
            BinaryOperator::LessEqual => Some((x <= y) as i32),
            BinaryOperator::Greater => Some((x > y) as i32),
            BinaryOperator::GreaterEqual => Some((x >= y) as i32),
            BinaryOperator::Equal => Some((x == y) as i32),
            BinaryOperator::NotEqual => Some((x != y) as i32),
            BinaryOperator::And => Some((x != 0 && y != 0) as i32),
            BinaryOperator::Or => Some((x != 0 || y != 0) as i32),
            BinaryOperator::Divide | BinaryOperator::Remainder => None,
        };
        if let Some(value) = value {
            return ir::Expr::Constant(value);
        }
    }
    ir::Expr::Binary(operator, Box::new((a, b)))
}
