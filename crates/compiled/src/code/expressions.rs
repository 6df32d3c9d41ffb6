//! Values and places.
//!
//! A value is 32 bits wide, as in the interpreter. Where the interpreter would report an error, code gives up
//! ([`Translator::give_up_if`]). The right side of `&&` and `||` is evaluated beforehand where that can do no
//! harm, which saves a branch.

use super::transitions::{Scene, Translator, offset};
use crate::machine::{FramePlace, Machine, VALUE_FAILS};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value, types};
use lariat_model::ir::*;
use std::mem::offset_of;

/// Memory that may be read and written at any address.
pub fn unaligned() -> MemFlagsData {
    MemFlagsData::new().with_notrap()
}

/// Where a scalar lies: an address and a distance.
#[derive(Clone, Copy)]
pub struct Address {
    pub pointer: Value,
    pub distance: i32,
}

/// What became of a place.
pub enum Located {
    Here(Address),
    /// At this address, unless the condition is false: then nowhere.
    If(Value, Address),
    Nowhere,
}

impl Translator<'_, '_> {
    pub fn constant(&mut self, value: i32) -> Value {
        self.b.ins().iconst(types::I32, value as i64)
    }

    /// A value that is known before the run.
    pub fn known(&self, expr: &Expr) -> Option<i32> {
        self.subject.facts.constants.value(expr)
    }

    /// A condition: nonzero or zero, of any width.
    pub fn condition(&mut self, expr: &Expr, scene: &Scene) -> Value {
        if let Some(value) = self.known(expr) {
            return self.b.ins().iconst(types::I8, (value != 0) as i64);
        }
        match expr {
            Expr::Unary(UnaryOperator::Not, operand) => {
                let value = self.condition(operand, scene);
                self.b.ins().icmp_imm_s(IntCC::Equal, value, 0)
            }
            Expr::Binary(operator, operands) => {
                let (left, right) = (&operands.0, &operands.1);
                if let Some(comparison) = comparison(*operator) {
                    let a = self.value(left, scene);
                    if let Some(b) = self.known(right) {
                        return self.b.ins().icmp_imm_s(comparison, a, b as i64);
                    }
                    let b = self.value(right, scene);
                    return self.b.ins().icmp(comparison, a, b);
                }
                let is_and = *operator == BinaryOperator::And;
                if !is_and && *operator != BinaryOperator::Or {
                    return self.value(expr, scene);
                }
                let a = self.truth(left, scene);
                if self.is_harmless(right) {
                    let b = self.truth(right, scene);
                    return if is_and { self.b.ins().band(a, b) } else { self.b.ins().bor(a, b) };
                }
                let (evaluate, done) = (self.b.create_block(), self.b.create_block());
                let result = self.b.append_block_param(done, types::I8);
                match is_and {
                    true => self.b.ins().brif(a, evaluate, &[], done, &[a.into()]),
                    false => self.b.ins().brif(a, done, &[a.into()], evaluate, &[]),
                };
                self.b.switch_to_block(evaluate);
                let b = self.truth(right, scene);
                self.b.ins().jump(done, &[b.into()]);
                self.b.switch_to_block(done);
                result
            }
            _ => self.value(expr, scene),
        }
    }

    /// A condition as 0 or 1, 8 bits wide.
    fn truth(&mut self, expr: &Expr, scene: &Scene) -> Value {
        let value = self.condition(expr, scene);
        let is_truth = match expr {
            Expr::Unary(UnaryOperator::Not, _) => true,
            Expr::Binary(operator, _) => {
                comparison(*operator).is_some()
                    || matches!(operator, BinaryOperator::And | BinaryOperator::Or)
            }
            _ => self.known(expr).is_some(),
        };
        if is_truth { value } else { self.b.ins().icmp_imm_s(IntCC::NotEqual, value, 0) }
    }

    /// The value of an expression, 32 bits wide.
    pub fn value(&mut self, expr: &Expr, scene: &Scene) -> Value {
        if let Some(value) = self.known(expr) {
            return self.constant(value);
        }
        match expr {
            Expr::Constant(value) => self.constant(*value),
            Expr::Global { offset: at, storage } => {
                self.load(Address { pointer: scene.base, distance: offset(*at) }, *storage)
            }
            Expr::Local { offset: at, storage } => {
                self.load(Address { pointer: scene.variables, distance: offset(*at) }, *storage)
            }
            Expr::Load(place) => match self.locate(place, scene) {
                Located::Here(address) => self.load(address, place.storage),
                Located::If(exists, address) => {
                    let (load, done) = (self.b.create_block(), self.b.create_block());
                    let result = self.b.append_block_param(done, types::I32);
                    let nothing = self.constant(0);
                    self.b.ins().brif(exists, load, &[], done, &[nothing.into()]);
                    self.b.switch_to_block(load);
                    let value = self.load(address, place.storage);
                    self.b.ins().jump(done, &[value.into()]);
                    self.b.switch_to_block(done);
                    result
                }
                Located::Nowhere => self.constant(0),
            },
            Expr::Unary(UnaryOperator::Not, _) => {
                let truth = self.truth(expr, scene);
                self.b.ins().uextend(types::I32, truth)
            }
            Expr::Unary(operator, operand) => {
                let value = self.value(operand, scene);
                match operator {
                    UnaryOperator::Complement => self.b.ins().bnot(value),
                    _ => self.b.ins().ineg(value),
                }
            }
            Expr::Binary(operator, operands) => self.binary(expr, *operator, &operands.0, &operands.1, scene),
            Expr::Conditional(parts) => self.conditional(&parts.0, &parts.1, &parts.2, scene),
            Expr::Pid => self.b.ins().ireduce(types::I32, scene.pid),
            Expr::ProcessCount => self.machine_word(offset_of!(Machine, process_count)),
            Expr::Last => match self.subject.layout.last_offset {
                Some(last) => {
                    self.load(Address { pointer: scene.base, distance: last as i32 }, Storage::BYTE)
                }
                None => self.constant(0),
            },
            Expr::Timeout => self.machine_word(offset_of!(Machine, timeout)),
            Expr::Len(channel) => self.channel_length(channel, scene),
            Expr::Test(test, channel) => self.channel_test(*test, channel, scene),
            Expr::RemoteLabel { pid: Some(pid), location, .. } if self.permanent(pid).is_some() => {
                let at = self.permanent_location(pid, scene);
                let same = self.b.ins().icmp_imm_s(IntCC::Equal, at, *location as i64);
                self.b.ins().uextend(types::I32, same)
            }
            Expr::RemoteLabel { process, pid, location } => {
                let pid = self.remote_pid(*process, pid.as_deref(), scene);
                let at = self.location_of(pid, scene);
                let same = self.b.ins().icmp_imm_s(IntCC::Equal, at, *location as i64);
                self.b.ins().uextend(types::I32, same)
            }
            Expr::LocationOf(pid) => {
                let pid = self.value(pid, scene);
                self.location_of(pid, scene)
            }
            Expr::Acceptance => self.labelled(0, scene),
            Expr::NonProgress => {
                let labelled = self.labelled(1, scene);
                self.b.ins().bxor_imm_s(labelled, 1)
            }
            Expr::Poll(_) | Expr::Enabled(_) | Expr::GetPriority(_) | Expr::Priority | Expr::RunResult => {
                self.value_by_interpreter(expr, scene)
            }
        }
    }

    /// Where the process with this number lies for ever, if that is known.
    fn permanent(&self, pid: &Expr) -> Option<FramePlace> {
        self.subject.facts.permanent_process(self.known(pid)?)
    }

    /// The location of a process that is there for ever.
    fn permanent_location(&mut self, pid: &Expr, scene: &Scene) -> Value {
        let Some(frame) = self.permanent(pid) else { return self.constant(0) };
        let storage = self.subject.layout.processes[frame.ty as usize].location;
        let distance = offset(frame.start + self.subject.layout.tag_size as u32);
        self.load(Address { pointer: scene.base, distance }, storage)
    }

    /// Where the variables of a process begin that is there for ever and has this type, from the start of the
    /// state.
    fn permanent_variables(&self, process: ProcessTypeId, pid: Option<&Expr>) -> Option<u32> {
        let frame = self.permanent(pid?)?;
        let header = self.subject.layout.processes[frame.ty as usize].header_size as u32;
        (frame.ty == process.0).then_some(frame.start + header)
    }

    fn labelled(&mut self, which: i32, scene: &Scene) -> Value {
        let which = self.constant(which);
        self.call(self.called.some_process_at, &[self.machine, scene.base, which])
    }

    fn location_of(&mut self, pid: Value, scene: &Scene) -> Value {
        self.call(self.called.location_of, &[self.machine, scene.base, pid])
    }

    fn remote_pid(&mut self, process: ProcessTypeId, pid: Option<&Expr>, scene: &Scene) -> Value {
        match pid {
            Some(pid) => self.value(pid, scene),
            None => {
                let ty = self.constant(process.0 as i32);
                self.call(self.called.first_of_type, &[self.machine, ty])
            }
        }
    }

    /// What is not compiled. The expression stays where it is as long as the code does.
    fn value_by_interpreter(&mut self, expr: &Expr, scene: &Scene) -> Value {
        let address = self.b.ins().iconst(types::I64, expr as *const Expr as i64);
        let moved = self.has_moved();
        let handshake = self.constant(scene.receiving as i32);
        let arguments = [self.machine, scene.base, address, scene.pid, moved, handshake];
        let value = self.call(self.called.expression, &arguments);
        let fails = self.b.ins().icmp_imm_s(IntCC::Equal, value, VALUE_FAILS);
        self.give_up_if(fails);
        self.b.ins().ireduce(types::I32, value)
    }

    fn conditional(&mut self, condition: &Expr, yes: &Expr, no: &Expr, scene: &Scene) -> Value {
        let condition = self.condition(condition, scene);
        if self.is_harmless(yes) && self.is_harmless(no) {
            let (yes, no) = (self.value(yes, scene), self.value(no, scene));
            return self.b.ins().select(condition, yes, no);
        }
        let (then, other, done) = (self.b.create_block(), self.b.create_block(), self.b.create_block());
        let result = self.b.append_block_param(done, types::I32);
        self.b.ins().brif(condition, then, &[], other, &[]);
        for (block, expr) in [(then, yes), (other, no)] {
            self.b.switch_to_block(block);
            let value = self.value(expr, scene);
            self.b.ins().jump(done, &[value.into()]);
        }
        self.b.switch_to_block(done);
        result
    }

    fn binary(
        &mut self,
        whole: &Expr,
        operator: BinaryOperator,
        left: &Expr,
        right: &Expr,
        scene: &Scene,
    ) -> Value {
        if comparison(operator).is_some() || matches!(operator, BinaryOperator::And | BinaryOperator::Or) {
            let truth = self.truth(whole, scene);
            return self.b.ins().uextend(types::I32, truth);
        }
        let a = self.value(left, scene);
        let known = self.known(right);
        let b = self.value(right, scene);
        match operator {
            BinaryOperator::Add => self.b.ins().iadd(a, b),
            BinaryOperator::Subtract => self.b.ins().isub(a, b),
            BinaryOperator::Multiply => self.b.ins().imul(a, b),
            BinaryOperator::BitAnd => self.b.ins().band(a, b),
            BinaryOperator::BitOr => self.b.ins().bor(a, b),
            BinaryOperator::BitXor => self.b.ins().bxor(a, b),
            BinaryOperator::ShiftLeft => self.b.ins().ishl(a, b),
            BinaryOperator::ShiftRight => self.b.ins().sshr(a, b),
            _ => self.quotient(operator == BinaryOperator::Divide, a, b, known),
        }
    }

    /// Division by -1 is a negation, because the processor would stumble over the smallest number.
    fn quotient(&mut self, divide: bool, a: Value, b: Value, known: Option<i32>) -> Value {
        if known.is_some_and(|b| b > 0) {
            return if divide { self.b.ins().sdiv(a, b) } else { self.b.ins().srem(a, b) };
        }
        let zero = self.b.ins().icmp_imm_s(IntCC::Equal, b, 0);
        self.give_up_if(zero);
        let minus_one = self.b.ins().icmp_imm_s(IntCC::Equal, b, -1);
        let one = self.constant(1);
        let divisor = self.b.ins().select(minus_one, one, b);
        if divide {
            let quotient = self.b.ins().sdiv(a, divisor);
            let negated = self.b.ins().ineg(a);
            self.b.ins().select(minus_one, negated, quotient)
        } else {
            // The remainder of a division by 1 is that of a division by -1.
            self.b.ins().srem(a, divisor)
        }
    }

    pub fn load(&mut self, address: Address, storage: Storage) -> Value {
        let Address { pointer, distance } = address;
        match storage {
            Storage::Unsigned(bits) if bits <= 8 => {
                self.b.ins().uload8(types::I32, unaligned(), pointer, distance)
            }
            Storage::Unsigned(bits) if bits <= 16 => {
                self.b.ins().uload16(types::I32, unaligned(), pointer, distance)
            }
            Storage::Signed16 => self.b.ins().sload16(types::I32, unaligned(), pointer, distance),
            Storage::Unsigned(_) | Storage::Signed32 => {
                self.b.ins().load(types::I32, unaligned(), pointer, distance)
            }
        }
    }

    pub fn store(&mut self, address: Address, storage: Storage, value: Value) {
        let Address { pointer, distance } = address;
        let value = self.truncate(storage, value);
        match storage.size() {
            1 => self.b.ins().istore8(unaligned(), value, pointer, distance),
            2 => self.b.ins().istore16(unaligned(), value, pointer, distance),
            _ => self.b.ins().store(unaligned(), value, pointer, distance),
        };
    }

    /// What remains of a value when it is stored; the bytes that are not written may be anything.
    fn truncate(&mut self, storage: Storage, value: Value) -> Value {
        match storage {
            Storage::Unsigned(bits) if !matches!(bits, 8 | 16 | 32) => {
                self.b.ins().band_imm_s(value, (1i64 << bits) - 1)
            }
            _ => value,
        }
    }

    /// What remains of a value when it is stored and read again.
    pub fn stored_value(&mut self, storage: Storage, value: Value) -> Value {
        match storage {
            Storage::Unsigned(32) | Storage::Signed32 => value,
            Storage::Unsigned(bits) => self.b.ins().band_imm_s(value, (1i64 << bits) - 1),
            Storage::Signed16 => {
                let short = self.b.ins().ireduce(types::I16, value);
                self.b.ins().sextend(types::I32, short)
            }
        }
    }

    pub fn locate(&mut self, place: &Place, scene: &Scene) -> Located {
        let mut skipped = 0;
        let (mut pointer, mut exists) = match &place.base {
            Base::Global => (scene.base, None),
            Base::Local => (scene.variables, None),
            Base::Remote { process, pid } if self.permanent_variables(*process, pid.as_deref()).is_some() => {
                skipped = self.permanent_variables(*process, pid.as_deref()).unwrap_or(0);
                (scene.base, None)
            }
            Base::Remote { process, pid } => {
                let pid = self.remote_pid(*process, pid.as_deref(), scene);
                let ty = self.constant(process.0 as i32);
                let start = self.call(self.called.remote_variables, &[self.machine, ty, pid]);
                let exists = self.b.ins().icmp_imm_s(IntCC::SignedGreaterThanOrEqual, start, 0);
                (self.b.ins().iadd(scene.base, start), Some(exists))
            }
            Base::Priority => {
                if !self.subject.layout.priorities {
                    return Located::Nowhere;
                }
                return Located::Here(Address { pointer: scene.variables, distance: -1 });
            }
            Base::Nowhere => return Located::Nowhere,
        };
        let mut distance = offset(skipped + place.offset);
        for index in &place.indices {
            match self.known(&index.value) {
                Some(value) if value >= 0 && (value as u32) < index.length => {
                    distance += offset(value as u32 * index.stride);
                }
                _ => {
                    let value = self.value(&index.value, scene);
                    let outside = self.b.ins().icmp_imm_u(
                        IntCC::UnsignedGreaterThanOrEqual,
                        value,
                        index.length as i64,
                    );
                    // The interpreter looks at the indices of a place only if there is a process to look
                    // into.
                    let outside = match exists {
                        Some(exists) => self.b.ins().band(outside, exists),
                        None => outside,
                    };
                    self.give_up_if(outside);
                    let wide = self.b.ins().uextend(types::I64, value);
                    let skipped = self.b.ins().imul_imm_s(wide, index.stride as i64);
                    pointer = self.b.ins().iadd(pointer, skipped);
                }
            }
        }
        let address = Address { pointer, distance };
        match exists.take() {
            Some(exists) => Located::If(exists, address),
            None => Located::Here(address),
        }
    }

    /// Whether an expression can be evaluated at any time: it is cheap and never fails.
    fn is_harmless(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Constant(_) | Expr::Global { .. } | Expr::Local { .. } => true,
            Expr::Pid | Expr::ProcessCount | Expr::Last | Expr::Timeout => true,
            Expr::Unary(_, operand) => self.is_harmless(operand),
            Expr::Binary(operator, operands) => {
                !matches!(operator, BinaryOperator::Divide | BinaryOperator::Remainder)
                    && self.is_harmless(&operands.0)
                    && self.is_harmless(&operands.1)
            }
            Expr::Conditional(parts) => {
                self.is_harmless(&parts.0) && self.is_harmless(&parts.1) && self.is_harmless(&parts.2)
            }
            Expr::Load(place) => {
                let is_there = match &place.base {
                    Base::Global | Base::Local => true,
                    Base::Remote { process, pid } => {
                        self.permanent_variables(*process, pid.as_deref()).is_some()
                    }
                    _ => false,
                };
                is_there && place.indices.is_empty()
            }
            Expr::RemoteLabel { pid: Some(pid), .. } => self.permanent(pid).is_some(),
            _ => false,
        }
    }

    /// Writes a value to a place.
    pub fn assign(&mut self, place: &Place, value: Value, scene: &Scene) {
        match self.locate(place, scene) {
            Located::Here(address) => self.store(address, place.storage, value),
            Located::If(exists, address) => {
                let (store, done) = (self.b.create_block(), self.b.create_block());
                self.b.ins().brif(exists, store, &[], done, &[]);
                self.b.switch_to_block(store);
                self.store(address, place.storage, value);
                self.b.ins().jump(done, &[]);
                self.b.switch_to_block(done);
            }
            Located::Nowhere => {}
        }
    }
}

fn comparison(operator: BinaryOperator) -> Option<IntCC> {
    Some(match operator {
        BinaryOperator::Less => IntCC::SignedLessThan,
        BinaryOperator::LessEqual => IntCC::SignedLessThanOrEqual,
        BinaryOperator::Greater => IntCC::SignedGreaterThan,
        BinaryOperator::GreaterEqual => IntCC::SignedGreaterThanOrEqual,
        BinaryOperator::Equal => IntCC::Equal,
        BinaryOperator::NotEqual => IntCC::NotEqual,
        _ => return None,
    })
}
