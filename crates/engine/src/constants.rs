//! What is known of values before a model runs.
//!
//! A global that no statement writes has the value of the initial state for ever; channels that the globals
//! hold are mostly such constants. What is computed from them alone is known, too. Where that would be an
//! error (a division by zero, an index out of range), nothing is known: the error happens when the model
//! runs, if it gets there.

use crate::interpreter::Interpreter;
use crate::successors::SuccessorFunction;
use crate::writes::each_written_by;
use lariat_model::ir::*;
use rustc_hash::FxHashMap;

/// The globals that never change.
#[derive(Clone, Debug, Default)]
pub struct Constants {
    /// The constant scalars by their offsets among the globals.
    scalars: FxHashMap<u32, (Storage, i32)>,
}

impl Constants {
    /// Those of the model that the interpreter executes.
    pub fn of(interpreter: &Interpreter) -> Constants {
        let mut constants = Constants::default();
        let Ok(initial) = interpreter.initial_state() else { return constants };
        let mut working = Vec::new();
        interpreter.working_state(&initial, &mut working);
        let mut written = vec![false; interpreter.layout().frames_start];
        mark_written(interpreter.model(), &mut written);
        for global in &interpreter.model().globals {
            constants.learn(global, global.offset, &written, &working, interpreter.model());
        }
        constants
    }

    fn learn(&mut self, variable: &Variable, offset: u32, written: &[bool], working: &[u8], model: &Model) {
        for element in 0..variable.length.unwrap_or(1) {
            let at = offset + element * variable.element_size;
            match &variable.ty {
                Type::Scalar { storage, .. } => {
                    let bytes = at as usize..(at + storage.size()) as usize;
                    if !written[bytes].iter().any(|written| *written) {
                        let value = crate::interpreter::scalar_at(working, at as usize, *storage);
                        self.scalars.insert(at, (*storage, value));
                    }
                }
                Type::Record(record) => {
                    for field in &model.record_types[record.0 as usize].fields {
                        self.learn(field, at + field.offset, written, working, model);
                    }
                }
            }
        }
    }

    /// The value of a global that never changes.
    pub fn scalar(&self, offset: u32, storage: Storage) -> Option<i32> {
        let (same, value) = self.scalars.get(&offset)?;
        (*same == storage).then_some(*value)
    }

    /// The value of an expression, if it is known.
    pub fn value(&self, expr: &Expr) -> Option<i32> {
        match expr {
            Expr::Constant(value) => Some(*value),
            Expr::Global { offset, storage } => self.scalar(*offset, *storage),
            Expr::Load(place) => {
                let Base::Global = place.base else { return None };
                let mut at = place.offset;
                for index in &place.indices {
                    let value = self.value(&index.value)?;
                    at += u32::try_from(value).ok().filter(|value| *value < index.length)? * index.stride;
                }
                self.scalar(at, place.storage)
            }
            Expr::Unary(operator, operand) => Some(operator.apply(self.value(operand)?)),
            Expr::Binary(operator, operands) => {
                let left = self.value(&operands.0)?;
                operator.decided_by(left).or_else(|| operator.apply(left, self.value(&operands.1)?))
            }
            Expr::Conditional(parts) => {
                let condition = self.value(&parts.0)?;
                self.value(if condition != 0 { &parts.1 } else { &parts.2 })
            }
            _ => None,
        }
    }
}

/// Marks the bytes of globals that some statement may write.
fn mark_written(model: &Model, written: &mut [bool]) {
    let mut mark = |place: &Place| {
        if let Base::Global = place.base {
            let reach: u32 = place.indices.iter().map(|index| (index.length - 1) * index.stride).sum();
            let end = ((place.offset + reach + place.storage.size()) as usize).min(written.len());
            written[place.offset as usize..end].fill(true);
        }
    };
    for process in &model.process_types {
        each_written_by(process, &mut mark);
    }
}
