//! The value of an `#if` or `#elif` condition: C's integer constant expressions over 64-bit numbers.
//!
//! The tokens come in with `defined` resolved and macros expanded; identifiers that are left are 0, as in C.

use super::scan::{Piece, PieceKind};

/// What is wrong with a condition, and at which token (`None`: at its end).
pub(super) struct ConditionError<'a> {
    pub message: String,
    pub at: Option<&'a Piece>,
}

const MAX_DEPTH: u32 = 100;

#[derive(Clone, Copy)]
struct Value {
    bits: i64,
    unsigned: bool,
}

impl Value {
    fn signed(bits: i64) -> Value {
        Value { bits, unsigned: false }
    }

    fn truth(value: bool) -> Value {
        Value::signed(value.into())
    }

    fn is_true(self) -> bool {
        self.bits != 0
    }
}

pub(super) fn evaluate(pieces: &[Piece]) -> Result<bool, ConditionError<'_>> {
    let mut reader = Reader { pieces, position: 0, depth: 0, ignored: 0 };
    let value = reader.conditional()?;
    match reader.peek() {
        None => Ok(value.is_true()),
        Some(piece) => Err(ConditionError {
            message: format!("unexpected `{}` in a condition", piece.text),
            at: Some(piece),
        }),
    }
}

struct Reader<'a> {
    pieces: &'a [Piece],
    position: usize,
    depth: u32,
    /// Above zero in operands that do not count (`0 && x`): no error for a division by zero there.
    ignored: u32,
}

/// Binary operators by precedence, loosest first.
const LEVELS: &[&[&str]] = &[
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<", ">", "<=", ">="],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<&'a Piece> {
        self.pieces.get(self.position)
    }

    fn take(&mut self, text: &str) -> bool {
        let found = self.peek().is_some_and(|piece| piece.is(text));
        self.position += usize::from(found);
        found
    }

    fn error<T>(&self, message: impl Into<String>) -> Result<T, ConditionError<'a>> {
        Err(ConditionError { message: message.into(), at: self.peek() })
    }

    fn conditional(&mut self) -> Result<Value, ConditionError<'a>> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return self.error("this condition is nested too deeply");
        }
        let condition = self.binary(0)?;
        let result = if self.take("?") {
            let yes = self.counting(condition.is_true(), Reader::conditional)?;
            if !self.take(":") {
                return self.error("expected `:` in a condition with `?`");
            }
            let no = self.counting(!condition.is_true(), Reader::conditional)?;
            if condition.is_true() { yes } else { no }
        } else {
            condition
        };
        self.depth -= 1;
        Ok(result)
    }

    /// Reads an operand that counts only if `counts`.
    fn counting(
        &mut self,
        counts: bool,
        read: impl FnOnce(&mut Self) -> Result<Value, ConditionError<'a>>,
    ) -> Result<Value, ConditionError<'a>> {
        self.ignored += u32::from(!counts);
        let value = read(self);
        self.ignored -= u32::from(!counts);
        value
    }

    fn binary(&mut self, level: usize) -> Result<Value, ConditionError<'a>> {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1)?;
        while let Some(operator) = operators.iter().find(|operator| self.take(operator)) {
            left = match *operator {
                "||" => {
                    let right = self.counting(!left.is_true(), |r| r.binary(level + 1))?;
                    Value::truth(left.is_true() || right.is_true())
                }
                "&&" => {
                    let right = self.counting(left.is_true(), |r| r.binary(level + 1))?;
                    Value::truth(left.is_true() && right.is_true())
                }
                _ => {
                    let right = self.binary(level + 1)?;
                    self.apply(operator, left, right)?
                }
            };
        }
        Ok(left)
    }

    fn apply(&self, operator: &str, left: Value, right: Value) -> Result<Value, ConditionError<'a>> {
        let unsigned = left.unsigned || right.unsigned;
        let (a, b) = (left.bits, right.bits);
        let (ua, ub) = (a as u64, b as u64);
        let arithmetic = |bits| Ok(Value { bits, unsigned });
        if matches!(operator, "/" | "%") && b == 0 {
            return if self.ignored > 0 {
                Ok(Value::signed(0))
            } else {
                self.error("division by zero in a condition")
            };
        }
        let ordered =
            |signed: bool, of_unsigned: bool| Ok(Value::truth(if unsigned { of_unsigned } else { signed }));
        match operator {
            "|" => arithmetic(a | b),
            "^" => arithmetic(a ^ b),
            "&" => arithmetic(a & b),
            "==" => Ok(Value::truth(a == b)),
            "!=" => Ok(Value::truth(a != b)),
            "<" => ordered(a < b, ua < ub),
            ">" => ordered(a > b, ua > ub),
            "<=" => ordered(a <= b, ua <= ub),
            ">=" => ordered(a >= b, ua >= ub),
            "<<" => Ok(Value { bits: shift(left, b), ..left }),
            ">>" => Ok(Value { bits: shift(left, b.saturating_neg()), ..left }),
            "+" => arithmetic(a.wrapping_add(b)),
            "-" => arithmetic(a.wrapping_sub(b)),
            "*" => arithmetic(a.wrapping_mul(b)),
            "/" => arithmetic(if unsigned { (ua / ub) as i64 } else { a.wrapping_div(b) }),
            _ => arithmetic(if unsigned { (ua % ub) as i64 } else { a.wrapping_rem(b) }),
        }
    }

    fn unary(&mut self) -> Result<Value, ConditionError<'a>> {
        let mut operators = Vec::new();
        while let Some(operator) = ["!", "~", "-", "+"].into_iter().find(|operator| self.take(operator)) {
            operators.push(operator);
        }
        let mut value = self.primary()?;
        for operator in operators.into_iter().rev() {
            value = match operator {
                "!" => Value::truth(!value.is_true()),
                "~" => Value { bits: !value.bits, ..value },
                "-" => Value { bits: value.bits.wrapping_neg(), ..value },
                _ => value,
            };
        }
        Ok(value)
    }

    fn primary(&mut self) -> Result<Value, ConditionError<'a>> {
        let Some(piece) = self.peek() else { return self.error("the condition is not complete") };
        if self.take("(") {
            let value = self.conditional()?;
            if !self.take(")") {
                return self.error("expected `)` in a condition");
            }
            return Ok(value);
        }
        let value = match piece.kind {
            PieceKind::Identifier => Some(Value::signed(0)),
            PieceKind::Number => number(&piece.text),
            PieceKind::Character => character(&piece.text),
            _ => return self.error(format!("unexpected `{}` in a condition", piece.text)),
        };
        match value {
            Some(value) => {
                self.position += 1;
                Ok(value)
            }
            None => self.error(format!("`{}` is not an integer constant", piece.text)),
        }
    }
}

/// Shifts left; a negative distance shifts right.
fn shift(value: Value, distance: i64) -> i64 {
    let far = distance.unsigned_abs() >= 64;
    match (distance >= 0, value.unsigned) {
        (true, _) if far => 0,
        (true, _) => value.bits << distance,
        (false, true) if far => 0,
        (false, true) => ((value.bits as u64) >> distance.unsigned_abs()) as i64,
        (false, false) => value.bits >> distance.unsigned_abs().min(63),
    }
}

fn number(text: &str) -> Option<Value> {
    let lower = text.to_ascii_lowercase();
    let digits = lower.trim_end_matches(['u', 'l']);
    let suffix = &lower[digits.len()..];
    let (digits, radix) = match digits {
        d if d.starts_with("0x") => (&d[2..], 16),
        d if d.starts_with("0b") => (&d[2..], 2),
        d if d.len() > 1 && d.starts_with('0') => (&d[1..], 8),
        d => (d, 10),
    };
    let bits = u64::from_str_radix(digits, radix).ok()?;
    let unsigned = suffix.contains('u') || bits > i64::MAX as u64;
    Some(Value { bits: bits as i64, unsigned })
}

fn character(text: &str) -> Option<Value> {
    let inside = text.strip_prefix('\'')?.strip_suffix('\'')?;
    let mut chars = inside.chars();
    let code = match (chars.next()?, chars.next()) {
        ('\\', Some('n')) => 10,
        ('\\', Some('t')) => 9,
        ('\\', Some('r')) => 13,
        ('\\', Some('0')) => 0,
        ('\\', Some(c)) => c as i64,
        (c, None) => c as i64,
        _ => return None,
    };
    Some(Value::signed(code))
}
