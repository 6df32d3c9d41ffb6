//! What is odd in front of an option: it is taken as it is written, but few people mean it.
//!
//! Spin calls `unless` on a guard and `else` beside a channel operation errors, and goes on all the same.
//! An assignment is a statement like any other, and can always be executed; where another option asks for a
//! condition, `==` was meant more often than not.

use super::*;

impl Lowering<'_> {
    /// Looks at the first statements of a selection's options.
    pub(super) fn warn_of_guards(&mut self, options: &[ast::Sequence]) {
        if self.text_is_broken {
            return;
        }
        let guards: Vec<(&ast::Statement, Option<&ast::Statement>)> =
            options.iter().filter_map(guard).collect();
        let is_else = |statement: &&ast::Statement| matches!(statement.kind, ast::StatementKind::Else);
        let otherwise = guards.iter().map(|(first, _)| *first).find(is_else);
        let mut never_taken = false;
        for (first, second) in &guards {
            match &first.kind {
                ast::StatementKind::Unless(..) => self.error(
                    Diagnostic::warning("`unless` on the guard of an option", first.span)
                        .expected("where the escape can be executed, it alone chooses the option")
                        .hint("put `unless` behind the whole: `if … fi unless { … }`; Spin reports an error here"),
                ),
                ast::StatementKind::Assign(target, value) => {
                    let others = guards.iter().map(|(other, _)| *other);
                    let compared = others.clone().any(|other| asks_about(other, &target.name.text));
                    let beside_else = otherwise.is_some() && !std::mem::replace(&mut never_taken, true);
                    if beside_else || compared && self.arrow_between(first, *second) {
                        self.warn_of_assignment(first, target, value, otherwise);
                    }
                }
                _ => {}
            }
            if let Some(otherwise) = otherwise
                && uses_channel(first)
            {
                self.error(
                    Diagnostic::warning("`else` beside a channel operation", otherwise.span)
                        .expected("taken whenever the operation cannot be done at that moment")
                        .also(first.span, "this operation")
                        .hint("leave `else` out to wait for it; Spin calls this dubious"),
                );
                return; // once is enough
            }
        }
    }

    fn warn_of_assignment(
        &mut self,
        guard: &ast::Statement,
        target: &ast::VarRef,
        value: &ast::Expr,
        otherwise: Option<&ast::Statement>,
    ) {
        let mut warning = Diagnostic::warning("an assignment as the guard of an option", guard.span)
            .expected("can always be executed")
            .hint(format!(
                "to compare, write `{} == {}`",
                self.reference_text(target),
                self.expr_text(value)
            ));
        if let Some(otherwise) = otherwise {
            warning = warning.also(otherwise.span, "so this is never taken");
        }
        self.error(warning);
    }

    /// Whether `->` stands between two statements, which says that the first is thought of as a guard.
    fn arrow_between(&self, first: &ast::Statement, second: Option<&ast::Statement>) -> bool {
        let Some(second) = second else { return false };
        let (before, after) = (first.span, second.span);
        before.file == after.file
            && before.end <= after.start
            && self.sources.text(Span { start: before.end, end: after.start, ..before }).contains("->")
    }
}

/// The first statement of an option, and the one behind it.
fn guard(option: &ast::Sequence) -> Option<(&ast::Statement, Option<&ast::Statement>)> {
    let mut statements = option.steps.iter().map(|step| match step {
        ast::Step::Statement(statement) => Some(statement),
        _ => None,
    });
    Some((statements.next()??, statements.next().flatten()))
}

/// Whether a condition reads a variable.
fn asks_about(guard: &ast::Statement, variable: &str) -> bool {
    let ast::StatementKind::Condition(condition) = &guard.kind else { return false };
    text::any_subexpression(
        condition,
        &mut |e| matches!(&e.kind, ast::ExprKind::Variable(reference) if reference.name.text == variable),
    )
}

/// A send or receive, or a question whether a channel is full or empty. Questions after messages and
/// lengths are conditions like others.
fn uses_channel(guard: &ast::Statement) -> bool {
    let tests =
        |e: &ast::Expr| text::any_subexpression(e, &mut |e| matches!(e.kind, ast::ExprKind::Test(..)));
    match &guard.kind {
        ast::StatementKind::Send { .. } | ast::StatementKind::Receive { .. } => true,
        ast::StatementKind::Condition(e) | ast::StatementKind::Assign(_, e) => tests(e),
        _ => false,
    }
}
