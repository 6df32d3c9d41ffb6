//! The inside of `trace` and `notrace`: events and nothing else.
//!
//! An event is a plain send or receive. Around events stand selections, loops and jumps, but every option
//! starts with an event, so that the assertion always waits for one. A field is a constant, which must be
//! sent or received, or `_`. Spin lets a variable stand there as well, and then looks at no value: so do we,
//! with a warning.

use super::*;

impl Lowering<'_> {
    /// Complains about everything in an assertion that is no event. The statements are lowered all the same.
    pub(super) fn check_events(&mut self, trace: &ast::Trace) {
        let mut todo = vec![&trace.body];
        while let Some(sequence) = todo.pop() {
            for step in &sequence.steps {
                match step {
                    ast::Step::Declaration(_) => {} // no claim has variables of its own
                    ast::Step::ExclusiveUse { span, .. } => self.not_an_event(*span),
                    ast::Step::Statement(statement) => {
                        self.check_event(trace, statement);
                        match &statement.kind {
                            ast::StatementKind::If(options) | ast::StatementKind::Do(options) => {
                                options.iter().for_each(|option| self.check_option(option));
                                todo.extend(options);
                            }
                            ast::StatementKind::Block(body) => todo.push(body),
                            _ => {}
                        }
                    }
                }
            }
        }
    }

    fn check_event(&mut self, trace: &ast::Trace, statement: &ast::Statement) {
        if let Some(label) =
            statement.labels.iter().find(|label| trace.negated && label.text.starts_with("end"))
        {
            self.error(
                Diagnostic::warning("an `end` label has no effect in a notrace assertion", label.span)
                    .expected("only the closing brace counts, as in Spin's verifier"),
            );
        }
        match &statement.kind {
            ast::StatementKind::Send { sorted: true, .. }
            | ast::StatementKind::Receive { random: true, .. } => {
                self.error(
                    Diagnostic::error("not an event", statement.span)
                        .expected("expected a plain send or receive")
                        .hint("`!` and `?` stand for every kind of send and receive here"),
                );
            }
            ast::StatementKind::Send { .. }
            | ast::StatementKind::Receive { copy: false, .. }
            | ast::StatementKind::Goto(_)
            | ast::StatementKind::Break
            | ast::StatementKind::If(_)
            | ast::StatementKind::Do(_)
            | ast::StatementKind::Block(_)
            | ast::StatementKind::Broken => {}
            _ => self.not_an_event(statement.span),
        }
    }

    fn not_an_event(&mut self, span: Span) {
        self.error(
            Diagnostic::error("not an event", span)
                .expected("a trace assertion consists of sends and receives"),
        );
    }

    fn check_option(&mut self, option: &ast::Sequence) {
        let first = option.steps.iter().find_map(|step| match step {
            ast::Step::Statement(statement) => Some(statement),
            _ => None,
        });
        if let Some(ast::Statement {
            kind: ast::StatementKind::Goto(_) | ast::StatementKind::Break,
            span,
            ..
        }) = first
        {
            self.error(
                Diagnostic::error("an option of a trace assertion starts with an event", *span)
                    .expected("expected a send or receive")
                    .hint("put the events that follow the loop into it, each followed by `break`"),
            );
        }
    }

    /// The fields of a send in an assertion: what lies nowhere may have any value.
    pub(super) fn event_arguments(&mut self, arguments: &[ast::Expr]) -> Vec<ir::Expr> {
        let any = || {
            let storage = Storage::Signed32;
            ir::Expr::Load(Box::new(Place { base: Base::Nowhere, offset: 0, storage, indices: Vec::new() }))
        };
        let mut lowered = Vec::new();
        for argument in arguments {
            if matches!(&argument.kind, ast::ExprKind::Variable(r) if r.name.text == "_") {
                lowered.push(any());
                continue;
            }
            let values = self.arguments(std::slice::from_ref(argument));
            let is_constant = |value: &ir::Expr| matches!(value, ir::Expr::Constant(_));
            if !values.iter().all(is_constant) {
                self.matches_any_value(argument.span);
            }
            lowered.extend(values.into_iter().map(|value| if is_constant(&value) { value } else { any() }));
        }
        lowered
    }

    /// The fields of a receive in an assertion: a variable receives nothing.
    pub(super) fn warn_of_variables(
        &mut self,
        arguments: &[ast::ReceiveArgument],
        lowered: &[ReceiveArgument],
    ) {
        if !lowered.iter().any(|argument| matches!(argument, ReceiveArgument::Store(_))) {
            return;
        }
        for argument in arguments {
            if let ast::ReceiveArgument::Variable(r) = argument
                && r.name.text != "_"
                && !self.constants.contains_key(&r.name.text)
            {
                self.matches_any_value(r.span);
            }
        }
    }

    fn matches_any_value(&mut self, span: Span) {
        self.error(
            Diagnostic::warning("a variable in an event is not compared", span)
                .expected("this matches any value, as in Spin")
                .hint("write `_` to say so"),
        );
    }

    /// A model has at most one assertion about events, as in Spin.
    pub(super) fn check_second_trace(&mut self, span: Span) {
        match self.trace_at {
            Some(first) => self.error(
                Diagnostic::error("a second trace assertion", span)
                    .expected("a model has at most one `trace` or `notrace`")
                    .also(first, "the first"),
            ),
            None => self.trace_at = Some(span),
        }
    }
}
