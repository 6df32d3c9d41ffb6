//! The words of the printed form that the printer and the parser must agree on.

use crate::ir::*;

/// The first line.
pub const HEADER: &str = "lariat-ir 1";

pub const BINARY: [(&str, BinaryOperator); 18] = [
    ("+", BinaryOperator::Add),
    ("-", BinaryOperator::Subtract),
    ("*", BinaryOperator::Multiply),
    ("/", BinaryOperator::Divide),
    ("%", BinaryOperator::Remainder),
    ("&", BinaryOperator::BitAnd),
    ("|", BinaryOperator::BitOr),
    ("^", BinaryOperator::BitXor),
    ("<<", BinaryOperator::ShiftLeft),
    (">>", BinaryOperator::ShiftRight),
    ("<", BinaryOperator::Less),
    ("<=", BinaryOperator::LessEqual),
    (">", BinaryOperator::Greater),
    (">=", BinaryOperator::GreaterEqual),
    ("==", BinaryOperator::Equal),
    ("!=", BinaryOperator::NotEqual),
    ("&&", BinaryOperator::And),
    ("||", BinaryOperator::Or),
];

pub const UNARY: [(&str, UnaryOperator); 3] =
    [("!", UnaryOperator::Not), ("~", UnaryOperator::Complement), ("-", UnaryOperator::Negate)];

pub const TESTS: [(&str, ChannelTest); 4] = [
    ("full", ChannelTest::Full),
    ("not_full", ChannelTest::NotFull),
    ("empty", ChannelTest::Empty),
    ("not_empty", ChannelTest::NotEmpty),
];

/// All but [`ShownAs::Symbol`], which is shown as the symbol list: `s0`.
pub const SHOWN: [(&str, ShownAs); 8] = [
    ("bit", ShownAs::Bit),
    ("bool", ShownAs::Bool),
    ("byte", ShownAs::Byte),
    ("pid", ShownAs::Pid),
    ("short", ShownAs::Short),
    ("int", ShownAs::Int),
    ("unsigned", ShownAs::Unsigned),
    ("channel", ShownAs::Channel),
];

/// The language of most models is not mentioned.
pub const LANGUAGES: [(&str, Language); 2] = [("promela", Language::Promela), ("dve", Language::Dve)];

pub const CLAIMS: [(&str, ClaimKind); 3] =
    [("never", ClaimKind::Never), ("trace", ClaimKind::Trace), ("notrace", ClaimKind::NoTrace)];

/// The conversions that carry nothing; [`FormatPiece::Symbol`] is `%e`, or `%e0` with its list.
pub const CONVERSIONS: [(&str, FormatPiece); 5] = [
    ("d", FormatPiece::Decimal),
    ("c", FormatPiece::Character),
    ("o", FormatPiece::Octal),
    ("u", FormatPiece::Unsigned),
    ("x", FormatPiece::Hexadecimal),
];

/// Whether `a o b o c` may be written for `(a o b) o c`.
pub fn chains(operator: BinaryOperator) -> bool {
    use BinaryOperator::*;
    matches!(operator, Add | Subtract | Multiply | BitAnd | BitOr | BitXor | And | Or)
}

/// The word that a table has for a value.
pub fn word<T: PartialEq>(table: &[(&'static str, T)], value: &T) -> &'static str {
    table.iter().find(|(_, v)| v == value).map_or("?", |(word, _)| word)
}

/// The value that a table has for a word.
pub fn value<T: Clone>(table: &[(&'static str, T)], word: &str) -> Option<T> {
    table.iter().find(|(w, _)| *w == word).map(|(_, value)| value.clone())
}

/// The number in a reference: `numbered("g14", "g")` is 14.
pub fn numbered(word: &str, prefix: &str) -> Option<u32> {
    let digits = word.strip_prefix(prefix)?;
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    digits.parse().ok()
}

/// Characters that are written as escapes: they would end the line, or not be seen, or disturb what stands
/// around them.
pub fn needs_escape(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}
