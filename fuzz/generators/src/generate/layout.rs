//! The separators of a finished model.
//!
//! A semicolon, an arrow and the end of a line mean the same in most places, and a front end must know where.
//! Arrows go mostly after the first statement of an option or an atomic part, ends of lines almost anywhere.

use super::Generator;
use crate::model::*;

impl Generator<'_> {
    pub(crate) fn lay_out(&mut self, model: &mut PromelaModel) {
        let newlines = if self.profile.implied_semicolons { *self.random.pick(&[20, 50, 90]) } else { 0 };
        for inline in &mut model.inlines {
            self.lay_out_sequence(&mut inline.body, newlines);
        }
        for process in &mut model.processes {
            self.lay_out_sequence(&mut process.body, newlines);
        }
    }

    fn lay_out_sequence(&mut self, sequence: &mut Sequence, newlines: u32) {
        for (position, step) in sequence.iter_mut().enumerate() {
            let arrow = match &step.statement {
                Statement::Declare(_) => 0,
                Statement::Else => 70,
                Statement::Guard(_) | Statement::Receive(_) | Statement::Send(_) if position == 0 => 70,
                _ => 4,
            };
            step.separator = if self.profile.arrows && self.random.chance(arrow) {
                Separator::Arrow
            } else if !needs_separator(&step.statement) && self.random.chance(newlines) {
                Separator::Newline
            } else {
                Separator::Semicolon
            };
            self.lay_out_statement(&mut step.statement, newlines);
        }
    }

    fn lay_out_statement(&mut self, statement: &mut Statement, newlines: u32) {
        match statement {
            Statement::Labelled(_, inner) => self.lay_out_statement(inner, newlines),
            Statement::If(options) | Statement::Do(options) => {
                options.iter_mut().for_each(|option| self.lay_out_sequence(option, newlines));
            }
            Statement::Atomic(body)
            | Statement::DStep(body)
            | Statement::Block(body)
            | Statement::ForRange { body, .. }
            | Statement::ForArray { body, .. } => self.lay_out_sequence(body, newlines),
            Statement::Unless(body, escape) => {
                self.lay_out_sequence(body, newlines);
                self.lay_out_sequence(escape, newlines);
            }
            _ => {}
        }
    }
}

/// Whether the end of the line after it does not separate it: after `else` and after `>`.
fn needs_separator(statement: &Statement) -> bool {
    match statement {
        Statement::Else => true,
        Statement::Receive(receive) => receive.copy,
        Statement::Labelled(_, inner) => needs_separator(inner),
        _ => false,
    }
}
