//! The printed form of a model: what `lariat info --ir` shows, and what reads back.
//!
//! One line per thing: a variable, a statement, a location, a transition. The printed form is complete, so
//! `parse(&print(&model))` is `model` again, and printing that gives the same text. Indentation, blank lines
//! and what follows a `;` mean nothing to the parser; the order of the lines does.
//!
//! ```text
//! lariat-ir 1
//! model "peterson.pml"
//! features timeout last                             what Features says; no line if nothing
//! file 0 "peterson.pml"
//! symbols s0 "" "red" "green"                       its name, then the constants
//! record r0 "Pair" size 2
//!   var "a" byte +0.u8
//! globals size 5 hidden 0
//!   var "turn" byte g0.u8 line 0:3                  shown as, where, how it is stored; declared in file 0, line 3
//!   var "flag"[2] bool g1.u1 line 0:4
//!   var "pair" r0 g3 element 2
//!   init g0.u8 = 1
//!   init g4.u8 = new c0
//! channel c0 "q" capacity 3: byte.u8, s0.u8
//! process p0 "P" start 1 size 1 parameters 0 deterministic line 0:6
//!   provided g0.u8 != 0
//!   statement 0 ""
//!   statement 1 "flag[_pid] = 1" reported line 0:8
//!   label "again" 1
//!   location 0
//!   location 1 end progress accept dead 0-1 line 0:8      whoever comes here forgets bytes 0 to 1 (not including) of its variables
//!     -> 2 #1 keeps_control escape 1 set g1[pid of 2 by 1].u1 = 1    ; flag[_pid] = 1
//! start p0 priority 1
//! claim never "no_deadlock" start 1 size 0 parameters 0
//!   …
//! formula "p" "[] (turn < 2)" line 0:20
//! ```
//!
//! Places: `g4.u8` is the scalar of 8 unsigned bits at byte 4 of the globals, `l0.i16` one of the moving
//! process's, `p1(E).l0.u8` one of the process with number E and type `p1` (`p1.l0.u8`: of the first one of
//! that type), `priority.0.u8` the moving process's priority, `nowhere.0.u8` none. `[E of 5 by 2]` before the
//! storage is an index into an array of 5 elements, each 2 bytes long. `p1(E)@7` asks whether that process is
//! at location 7. `load` marks the rare general access to what is a plain global or local.
//!
//! Behind the model's name `language dve` may stand. A location may be `committed`, and have lines
//! `assertion #1 E` before its transitions.
//!
//! Expressions have no precedence: different operators need parentheses. `a + b + c` stands for
//! `(a + b) + c`. A conditional is `(c ? a : b)`.
//!
//! Actions: `skip`, `else`, `when E`, `set P = E`, `set_all P = E, …`, `move p1 3 to 7`,
//! `send [sorted] CHANNEL: E, …`, `receive [random] [copy] CHANNEL: store P, match E, drop, …`,
//! `run p1(E, …) priority 1 [then P = E]`, `assert E`, `print "text" %d …: E, …`, `set_priority E, E`, `end`,
//! and
//!
//! ```text
//! program {
//!   guard when g0.u8 == 1
//!   node 0 do -> 1 #4 set g0.u8 = 0
//!   node 1 choose #5
//!     option -> 2 when g1.u8 == 0
//!     option -> exit
//!   node 2 jump -> exit
//! }
//! ```

mod lex;
mod parse;
mod parse_action;
mod parse_expression;
mod print;
mod print_expression;
mod words;

pub use parse::parse;
pub use print::print;

/// Nested parentheses, indices and programs deeper than this are refused: they are read by recursion.
pub const MAX_NESTING: u32 = 250;

/// Expressions may be higher than that if they lean to the left (`a + b + c + …`), but not higher than this.
pub const MAX_HEIGHT: u32 = 4000;

/// Why a text is not the printed form of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextError {
    /// From 1.
    pub line: u32,
    /// In characters, from 1.
    pub column: u32,
    /// What is wrong there.
    pub message: String,
}

impl std::fmt::Display for TextError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for TextError {}
