//! Statements as traces show them, in Spin's manner: every operation in parentheses, symbols by name, records
//! written out field by field. And looking through syntax trees.

use super::*;

impl Lowering<'_> {
    pub(super) fn statement_text(&self, kind: &ast::StatementKind) -> String {
        match kind {
            ast::StatementKind::Assign(target, value) => self.assignment_text(target, value),
            ast::StatementKind::Increment(target) => {
                let name = self.reference_text(target);
                format!("{name} = ({name}+1)")
            }
            ast::StatementKind::Decrement(target) => {
                let name = self.reference_text(target);
                format!("{name} = ({name}-1)")
            }
            ast::StatementKind::Condition(expr) => format!("({})", self.expr_text(expr)),
            ast::StatementKind::Else => "else".into(),
            ast::StatementKind::Send { channel, sorted, arguments } => {
                let operator = if *sorted { "!!" } else { "!" };
                format!("{}{operator}{}", self.reference_text(channel), self.arguments_text(arguments))
            }
            ast::StatementKind::Receive { channel, random, copy, arguments } => {
                let operator = if *random { "??" } else { "?" };
                let (open, close) = if *copy { ("<", ">") } else { ("", "") };
                let channel = self.reference_text(channel);
                format!("{channel}{operator}{open}{}{close}", self.receive_arguments_text(arguments))
            }
            ast::StatementKind::Assert(expr) => format!("assert({})", self.expr_text(expr)),
            ast::StatementKind::Print { format, arguments } => {
                let mut text = format!("printf('{format}'");
                for argument in arguments {
                    text.push(',');
                    text.push_str(&self.expr_text(argument));
                }
                text.push(')');
                text
            }
            ast::StatementKind::PrintMtype(expr) => format!("printm({})", self.expr_text(expr)),
            ast::StatementKind::SetPriority(pid, priority) => {
                format!("set_priority({}, {})", self.expr_text(pid), self.expr_text(priority))
            }
            ast::StatementKind::Goto(label) => format!("goto {}", label.text),
            ast::StatementKind::Break => "break".into(),
            ast::StatementKind::If(_) => "IF".into(),
            ast::StatementKind::Do(_)
            | ast::StatementKind::For { .. }
            | ast::StatementKind::Select { .. } => "DO".into(),
            ast::StatementKind::Atomic(_) => "ATOMIC".into(),
            ast::StatementKind::DStep(body) => format!("D_STEP{}", self.line(body.span).line),
            ast::StatementKind::Block(_) => "sub-sequence".into(),
            ast::StatementKind::Unless(..) => "unless".into(),
            ast::StatementKind::Broken => String::new(),
        }
    }

    pub(super) fn assignment_text(&self, target: &ast::VarRef, value: &ast::Expr) -> String {
        format!("{} = {}", self.reference_text(target), self.expr_text(value))
    }

    pub(super) fn reference_text(&self, reference: &ast::VarRef) -> String {
        let variable = self.find_variable(&reference.name.text).map(|d| &d.variable);
        let mut ty = variable.map(|v| v.ty.clone());
        let mut text = part_text(self, reference, variable.is_some_and(|v| v.length.is_some()));
        let mut next = &reference.field;
        while let Some(field) = next {
            let found = match &ty {
                Some(Type::Record(id)) => {
                    self.model.record_types[id.0 as usize].fields.iter().find(|f| f.name == field.name.text)
                }
                _ => None,
            };
            text.push('.');
            text.push_str(&part_text(self, field, found.is_some_and(|f| f.length.is_some())));
            ty = found.map(|f| f.ty.clone());
            next = &field.field;
        }
        text
    }

    /// All scalars of a record, each with its path.
    fn record_texts(&self, path: &str, id: RecordTypeId, texts: &mut Vec<String>) {
        for field in &self.model.record_types[id.0 as usize].fields {
            for element in 0..field.length.unwrap_or(1) {
                let name = match field.length {
                    Some(_) => format!("{path}.{}[{element}]", field.name),
                    None => format!("{path}.{}", field.name),
                };
                match field.ty {
                    Type::Scalar { .. } => texts.push(name),
                    Type::Record(inner) => self.record_texts(&name, inner, texts),
                }
            }
        }
    }

    fn value_texts(&self, reference: &ast::VarRef, texts: &mut Vec<String>) {
        match self.type_of(reference) {
            Some(Type::Record(id)) => self.record_texts(&self.reference_text(reference), id, texts),
            _ => texts.push(self.reference_text(reference)),
        }
    }

    fn arguments_text(&self, arguments: &[ast::Expr]) -> String {
        let mut texts = Vec::new();
        for argument in arguments {
            match &argument.kind {
                ast::ExprKind::Variable(reference) => self.value_texts(reference, &mut texts),
                _ => texts.push(self.expr_text(argument)),
            }
        }
        texts.join(",")
    }

    fn receive_arguments_text(&self, arguments: &[ast::ReceiveArgument]) -> String {
        let mut texts = Vec::new();
        for argument in arguments {
            match argument {
                ast::ReceiveArgument::Variable(reference) => self.value_texts(reference, &mut texts),
                ast::ReceiveArgument::Eval(expr) => texts.push(format!("eval({})", self.expr_text(expr))),
                ast::ReceiveArgument::Constant(value, _) => texts.push(value.to_string()),
            }
        }
        texts.join(",")
    }

    pub(super) fn expr_text(&self, expr: &ast::Expr) -> String {
        match &expr.kind {
            ast::ExprKind::Number(value) => value.to_string(),
            ast::ExprKind::Variable(reference) => self.reference_text(reference),
            ast::ExprKind::Unary(operator, operand) => {
                let sign = match operator {
                    ast::UnaryOperator::Not => "!",
                    ast::UnaryOperator::Complement => "~",
                    ast::UnaryOperator::Negate => "-",
                };
                format!("{sign}({})", self.expr_text(operand))
            }
            ast::ExprKind::Binary(operator, left, right) => {
                format!("({}{}{})", self.expr_text(left), operator_text(*operator), self.expr_text(right))
            }
            ast::ExprKind::Conditional(condition, yes, no) => format!(
                "( ({}) -> ({}) : ({}) )",
                self.expr_text(condition),
                self.expr_text(yes),
                self.expr_text(no)
            ),
            ast::ExprKind::Run { process, arguments, .. } => {
                format!("run {}({})", process.text, self.arguments_text(arguments))
            }
            ast::ExprKind::Len(channel) => format!("len({})", self.reference_text(channel)),
            ast::ExprKind::Test(test, channel) => {
                let name = match test {
                    ast::ChannelTest::Full => "full",
                    ast::ChannelTest::NotFull => "nfull",
                    ast::ChannelTest::Empty => "empty",
                    ast::ChannelTest::NotEmpty => "nempty",
                };
                format!("{name}({})", self.reference_text(channel))
            }
            ast::ExprKind::Poll { channel, random, arguments } => {
                let operator = if *random { "??" } else { "?" };
                let channel = self.reference_text(channel);
                format!("{channel}{operator}[{}]", self.receive_arguments_text(arguments))
            }
            ast::ExprKind::Enabled(pid) => format!("enabled({})", self.expr_text(pid)),
            ast::ExprKind::GetPriority(pid) => format!("get_priority({})", self.expr_text(pid)),
            ast::ExprKind::PcValue(pid) => format!("pc_value({})", self.expr_text(pid)),
            ast::ExprKind::Timeout => "timeout".into(),
            ast::ExprKind::NonProgress => "np_".into(),
            ast::ExprKind::RemoteLabel { process, pid, label } => {
                format!("({}._p=={})", self.remote_text(process, pid.as_deref()), label.text)
            }
            ast::ExprKind::RemoteVariable { process, pid, variable } => {
                format!("{}.{}", self.remote_text(process, pid.as_deref()), self.reference_text(variable))
            }
            ast::ExprKind::Broken => String::new(),
        }
    }

    fn remote_text(&self, process: &ast::Name, pid: Option<&ast::Expr>) -> String {
        match pid {
            Some(pid) => format!("{}[{}]", process.text, self.expr_text(pid)),
            None => process.text.clone(),
        }
    }
}

fn part_text(lowering: &Lowering, part: &ast::VarRef, is_array: bool) -> String {
    match &part.index {
        Some(index) => format!("{}[{}]", part.name.text, lowering.expr_text(index)),
        None if is_array => format!("{}[0]", part.name.text),
        None => part.name.text.clone(),
    }
}

fn operator_text(operator: ast::BinaryOperator) -> &'static str {
    match operator {
        ast::BinaryOperator::Add => "+",
        ast::BinaryOperator::Subtract => "-",
        ast::BinaryOperator::Multiply => "*",
        ast::BinaryOperator::Divide => "/",
        ast::BinaryOperator::Remainder => "%",
        ast::BinaryOperator::BitAnd => "&",
        ast::BinaryOperator::BitOr => "|",
        ast::BinaryOperator::BitXor => "^",
        ast::BinaryOperator::ShiftLeft => "<<",
        ast::BinaryOperator::ShiftRight => ">>",
        ast::BinaryOperator::Less => "<",
        ast::BinaryOperator::LessEqual => "<=",
        ast::BinaryOperator::Greater => ">",
        ast::BinaryOperator::GreaterEqual => ">=",
        ast::BinaryOperator::Equal => "==",
        ast::BinaryOperator::NotEqual => "!=",
        ast::BinaryOperator::And => "&&",
        ast::BinaryOperator::Or => "||",
    }
}

/// Whether some part of an expression satisfies the test.
pub(super) fn any_subexpression(expr: &ast::Expr, test: &mut dyn FnMut(&ast::Expr) -> bool) -> bool {
    if test(expr) {
        return true;
    }
    let in_reference = |r: &ast::VarRef, test: &mut dyn FnMut(&ast::Expr) -> bool| {
        let mut part = Some(r);
        while let Some(r) = part {
            if let Some(index) = &r.index
                && any_subexpression(index, test)
            {
                return true;
            }
            part = r.field.as_deref();
        }
        false
    };
    match &expr.kind {
        ast::ExprKind::Unary(_, a)
        | ast::ExprKind::Enabled(a)
        | ast::ExprKind::GetPriority(a)
        | ast::ExprKind::PcValue(a) => any_subexpression(a, test),
        ast::ExprKind::Binary(_, a, b) => any_subexpression(a, test) || any_subexpression(b, test),
        ast::ExprKind::Conditional(a, b, c) => {
            any_subexpression(a, test) || any_subexpression(b, test) || any_subexpression(c, test)
        }
        ast::ExprKind::Run { arguments, .. } => arguments.iter().any(|a| any_subexpression(a, test)),
        ast::ExprKind::Variable(r) | ast::ExprKind::Len(r) | ast::ExprKind::Test(_, r) => {
            in_reference(r, test)
        }
        ast::ExprKind::RemoteLabel { pid: Some(pid), .. }
        | ast::ExprKind::RemoteVariable { pid: Some(pid), .. } => any_subexpression(pid, test),
        ast::ExprKind::Poll { channel, .. } => in_reference(channel, test),
        _ => false,
    }
}

/// Where priorities are first mentioned.
pub(super) fn priority_in_expression(expr: &ast::Expr) -> Option<Span> {
    let mut found = None;
    any_subexpression(expr, &mut |e| {
        let mentioned = match &e.kind {
            ast::ExprKind::GetPriority(_) => true,
            ast::ExprKind::Run { priority, .. } => priority.is_some(),
            ast::ExprKind::Variable(r) => r.name.text == "_priority",
            _ => false,
        };
        found = mentioned.then_some(e.span);
        mentioned
    });
    found
}

fn priority_in_reference(reference: &ast::VarRef) -> Option<Span> {
    (reference.name.text == "_priority").then_some(reference.span)
}

pub(super) fn priority_in(sequence: &ast::Sequence) -> Option<Span> {
    sequence.steps.iter().find_map(|step| match step {
        ast::Step::Declaration(declaration) => {
            declaration.variables.iter().find_map(|v| match &v.initialiser {
                Some(ast::Initialiser::Value(e)) => priority_in_expression(e),
                _ => None,
            })
        }
        ast::Step::ExclusiveUse { .. } => None,
        ast::Step::Statement(statement) => priority_in_statement(statement),
    })
}

fn priority_in_statement(statement: &ast::Statement) -> Option<Span> {
    match &statement.kind {
        ast::StatementKind::SetPriority(..) => Some(statement.span),
        ast::StatementKind::Assign(r, e) => priority_in_reference(r).or_else(|| priority_in_expression(e)),
        ast::StatementKind::Condition(e)
        | ast::StatementKind::Assert(e)
        | ast::StatementKind::PrintMtype(e) => priority_in_expression(e),
        ast::StatementKind::Increment(r) | ast::StatementKind::Decrement(r) => priority_in_reference(r),
        ast::StatementKind::Send { arguments, .. } | ast::StatementKind::Print { arguments, .. } => {
            arguments.iter().find_map(priority_in_expression)
        }
        ast::StatementKind::Receive { arguments, .. } => arguments.iter().find_map(|a| match a {
            ast::ReceiveArgument::Eval(e) => priority_in_expression(e),
            ast::ReceiveArgument::Variable(r) => priority_in_reference(r),
            ast::ReceiveArgument::Constant(..) => None,
        }),
        ast::StatementKind::If(options) | ast::StatementKind::Do(options) => {
            options.iter().find_map(priority_in)
        }
        ast::StatementKind::Atomic(body)
        | ast::StatementKind::DStep(body)
        | ast::StatementKind::Block(body) => priority_in(body),
        ast::StatementKind::For { range, body, .. } => {
            let in_range = match range {
                ast::ForRange::Between(a, b) => {
                    priority_in_expression(a).or_else(|| priority_in_expression(b))
                }
                ast::ForRange::In(_) => None,
            };
            in_range.or_else(|| priority_in(body))
        }
        ast::StatementKind::Select { low, high, .. } => {
            priority_in_expression(low).or_else(|| priority_in_expression(high))
        }
        ast::StatementKind::Unless(a, b) => priority_in_statement(a).or_else(|| priority_in_statement(b)),
        _ => None,
    }
}
