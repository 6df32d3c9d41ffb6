//! A DVE model as it is written: names are not resolved, types not checked.
//!
//! Expressions are trees of limited height ([`crate::MAX_HEIGHT`]), so walking them may recurse.

use lariat_source::Span;

/// A name, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// As it is written.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

/// A whole text.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// Global variables and constants, in order.
    pub variables: Vec<Variable>,
    /// In order.
    pub channels: Vec<Channel>,
    /// In order, the property process among them.
    pub processes: Vec<Process>,
    /// The last line; `None` if it is missing.
    pub system: Option<System>,
}

/// How processes are put together.
#[derive(Clone, Debug)]
pub struct System {
    /// One process moves at a time, or all of them together.
    pub mode: Mode,
    /// The process that watches the others.
    pub property: Option<Name>,
    /// From `system` to its end.
    pub span: Span,
}

/// Whether processes move one at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// `async`: one moves, or two that synchronise.
    Async,
    /// `sync`: all move together.
    Sync,
}

/// The type of a value that is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// 8 bits without a sign.
    Byte,
    /// 16 bits with a sign.
    Int,
}

/// A variable, an array, or a constant.
#[derive(Clone, Debug)]
pub struct Variable {
    /// `const`: never assigned.
    pub constant: bool,
    /// Of the value, or of each element.
    pub ty: Type,
    /// As it is declared.
    pub name: Name,
    /// Number of elements, if it is an array.
    pub length: Option<Expr>,
    /// What it begins with; 0 if there is none.
    pub initial: Option<Initial>,
}

/// A first value.
#[derive(Clone, Debug)]
pub enum Initial {
    /// Of a single variable.
    One(Expr),
    /// Of the elements of an array, from the first on.
    List(Vec<Expr>, Span),
}

/// A channel.
#[derive(Clone, Debug)]
pub struct Channel {
    /// As it is declared.
    pub name: Name,
    /// The types of a message's values, if they are given.
    pub types: Option<Vec<Type>>,
    /// How many messages it keeps; `None` or 0 for rendezvous.
    pub capacity: Option<Expr>,
}

/// A process.
#[derive(Clone, Debug)]
pub struct Process {
    /// As it is declared.
    pub name: Name,
    /// Its own variables and constants, in order.
    pub variables: Vec<Variable>,
    /// In order.
    pub states: Vec<Name>,
    /// Where it begins; the last `init` counts.
    pub init: Option<Name>,
    /// Accepting states.
    pub accept: Vec<Name>,
    /// Committed states.
    pub commit: Vec<Name>,
    /// What must hold in its states.
    pub assertions: Vec<Assertion>,
    /// In order.
    pub transitions: Vec<Transition>,
}

/// `assert q: e`: wherever the process is in `q`, `e` holds.
#[derive(Clone, Debug)]
pub struct Assertion {
    /// A state of the process.
    pub state: Name,
    /// What must hold.
    pub condition: Expr,
    /// From the state to the end of the condition.
    pub span: Span,
}

/// A way from state to state.
#[derive(Clone, Debug)]
pub struct Transition {
    /// If it is left out, that of the transition before.
    pub source: Name,
    /// Where it leads.
    pub target: Name,
    /// It waits for this.
    pub guard: Option<Expr>,
    /// It waits for a partner, or for a message or room for one.
    pub sync: Option<Sync>,
    /// Executed in order.
    pub effects: Vec<Effect>,
    /// All of it.
    pub span: Span,
}

/// Which way values go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// `!`
    Send,
    /// `?`
    Receive,
}

/// `c!e`, `c?v`, `c!{e, f}`, `c?{v, w}`.
#[derive(Clone, Debug)]
pub struct Sync {
    /// The channel.
    pub channel: Name,
    /// Which way values go.
    pub direction: Direction,
    /// What is sent; or the variables that take what is received.
    pub values: Vec<Expr>,
    /// All of it.
    pub span: Span,
}

/// An assignment.
#[derive(Clone, Debug)]
pub struct Effect {
    /// The variable or element that is written.
    pub place: Expr,
    /// What is written.
    pub value: Expr,
}

/// An expression, and where it stands.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it stands.
    pub span: Span,
    /// Of the tree; a leaf has 1.
    pub height: u32,
}

/// What an expression is.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A number, `true` or `false`.
    Number(i32),
    /// `x`, `a[i]`.
    Variable(Reference),
    /// `P->x`, `P->a[i]`: the variable of another process.
    Foreign(Name, Reference),
    /// `P.q`: 1 while the process is in the state, else 0.
    InState(Name, Name),
    /// An operator before a value.
    Unary(UnaryOperator, Box<Expr>),
    /// An operator between two values.
    Binary(BinaryOperator, Box<(Expr, Expr)>),
    /// It could not be read; a message says why.
    Broken,
}

/// A variable or an element of an array.
#[derive(Clone, Debug)]
pub struct Reference {
    /// Of the variable.
    pub name: Name,
    /// Which element.
    pub index: Option<Box<Expr>>,
}

/// An operator before a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOperator {
    /// `not`, `!`
    Not,
    /// `~`
    Complement,
    /// `-`
    Negate,
}

/// An operator between two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum BinaryOperator {
    /// `imply`, `->` is another thing
    Imply,
    /// `or`, `||`
    Or,
    /// `and`, `&&`
    And,
    BitOr,
    BitXor,
    BitAnd,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    ShiftLeft,
    ShiftRight,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}
