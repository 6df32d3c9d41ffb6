//! The syntax tree of Promela: what was written, before names are resolved.
//!
//! Macros and inlines are gone (an inline call is a block, its tokens' spans lead back to the call and the
//! definition); everything else stands as the text has it, in order. Nothing here is checked yet: a name may
//! be unknown, an mtype constant is a plain name.

pub use lariat_model::ir::{BinaryOperator, ChannelTest, UnaryOperator};
use lariat_source::{DerivedText, Span};
use std::collections::HashSet;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Name {
    pub text: String,
    pub span: Span,
}

/// A whole model: its units in the order of the text.
#[derive(Clone, Debug, Default)]
pub struct Program {
    pub units: Vec<Unit>,
    /// Names in declarations that could not be read: that they are unknown elsewhere is no news.
    pub unread: HashSet<String>,
    /// There are errors in the text.
    pub is_broken: bool,
}

#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant)] // a tree is built once and walked once
pub enum Unit {
    Variables(Declaration),
    /// `mtype = { a, b }` or `mtype:sub = { a, b }`; the names in the order of the text.
    MtypeNames {
        subtype: Option<Name>,
        names: Vec<Name>,
        span: Span,
    },
    Typedef(Typedef),
    Proctype(Proctype),
    Init(Init),
    /// `never name { … }`.
    Never(Claim),
    /// `trace { … }` and `notrace { … }`.
    Trace(Trace),
    Ltl(LtlBlock),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visibility {
    Plain,
    Hidden,
    Local,
    Show,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypeName {
    Bit,
    Bool,
    Byte,
    Pid,
    Short,
    Int,
    Unsigned,
    Mtype(Option<Name>),
    Chan,
    User(Name),
}

/// `vis type a, b[3] = 1, c = [2] of { byte }`.
#[derive(Clone, Debug)]
pub struct Declaration {
    pub visibility: Visibility,
    pub ty: TypeName,
    pub variables: Vec<Declarator>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Declarator {
    pub name: Name,
    /// `x : 3`, of `unsigned`.
    pub width: Option<Expr>,
    /// `x[N]`: a constant expression.
    pub length: Option<Expr>,
    pub initialiser: Option<Initialiser>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum Initialiser {
    Value(Expr),
    /// `{ 1, 2, 3 }`.
    List(Vec<Expr>, Span),
    /// `[capacity] of { types }`.
    Channel {
        capacity: Expr,
        fields: Vec<(TypeName, Span)>,
        span: Span,
    },
}

#[derive(Clone, Debug)]
pub struct Typedef {
    pub name: Name,
    pub fields: Vec<Declaration>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Proctype {
    /// `active` (one) or `active [n]`.
    pub active: Option<Active>,
    /// `D_proctype`.
    pub deterministic: bool,
    pub name: Name,
    pub parameters: Vec<Declaration>,
    pub priority: Option<Expr>,
    pub provided: Option<Expr>,
    pub body: Sequence,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Active {
    /// `None` for a bare `active`.
    pub count: Option<Expr>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Init {
    pub priority: Option<Expr>,
    pub body: Sequence,
    /// The keyword.
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Claim {
    pub name: Option<Name>,
    pub body: Sequence,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Trace {
    /// `notrace`.
    pub negated: bool,
    pub body: Sequence,
    pub span: Span,
}

/// The formula is kept as text (after macro expansion), to be read by whoever translates it.
#[derive(Clone, Debug)]
pub struct LtlBlock {
    /// Unnamed blocks are `ltl_0`, `ltl_1`, … in the order of the text, as in Spin.
    pub name: String,
    pub formula: DerivedText,
    /// The formula's place in the file, between the braces.
    pub span: Span,
}

/// `{ step; step; … }`.
#[derive(Clone, Debug, Default)]
pub struct Sequence {
    pub steps: Vec<Step>,
    /// From `{` to `}`; of an option, from `::` to its last statement.
    pub span: Span,
}

#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant)]
pub enum Step {
    Declaration(Declaration),
    /// `xr c` and `xs c`.
    ExclusiveUse {
        reads: bool,
        channels: Vec<VarRef>,
        span: Span,
    },
    Statement(Statement),
}

#[derive(Clone, Debug)]
pub struct Statement {
    /// `a: b: stmnt`, in the order of the text.
    pub labels: Vec<Name>,
    pub kind: StatementKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum StatementKind {
    Assign(VarRef, Expr),
    Increment(VarRef),
    Decrement(VarRef),
    /// An expression as a statement: blocks while it is zero. `skip` is the constant 1.
    Condition(Expr),
    Else,
    /// `c!a,b` or, `sorted`, `c!!a,b`.
    Send {
        channel: VarRef,
        sorted: bool,
        arguments: Vec<Expr>,
    },
    /// `c?x`, `c??x` (`random`), `c?<x>`, `c??<x>` (`copy`: the message stays).
    Receive {
        channel: VarRef,
        random: bool,
        copy: bool,
        arguments: Vec<ReceiveArgument>,
    },
    Assert(Expr),
    /// The format without its quotes, escapes as written.
    Print {
        format: String,
        arguments: Vec<Expr>,
    },
    PrintMtype(Expr),
    SetPriority(Expr, Expr),
    Goto(Name),
    Break,
    If(Vec<Sequence>),
    Do(Vec<Sequence>),
    Atomic(Sequence),
    DStep(Sequence),
    /// `{ … }`, and the body of an inline call.
    Block(Sequence),
    Unless(Box<Statement>, Box<Statement>),
    For {
        variable: VarRef,
        range: ForRange,
        body: Sequence,
    },
    /// `select (x : low .. high)` that is not written out as an `if` (see the parser).
    Select {
        variable: VarRef,
        low: Expr,
        high: Expr,
    },
    /// What could not be read; the error has been reported.
    Broken,
}

#[derive(Clone, Debug)]
pub enum ForRange {
    Between(Expr, Expr),
    /// `for (x in a)`, an array or a channel.
    In(VarRef),
}

/// `name[index].field…`.
#[derive(Clone, Debug)]
pub struct VarRef {
    pub name: Name,
    pub index: Option<Box<Expr>>,
    pub field: Option<Box<VarRef>>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum ReceiveArgument {
    /// A variable to set; `_` to drop the value; or, found out later, an mtype constant.
    Variable(VarRef),
    Eval(Expr),
    Constant(i32, Span),
}

#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum ExprKind {
    Number(i32),
    Variable(VarRef),
    Unary(UnaryOperator, Box<Expr>),
    Binary(BinaryOperator, Box<Expr>, Box<Expr>),
    /// `(c -> a : b)`.
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    Run {
        process: Name,
        arguments: Vec<Expr>,
        priority: Option<Box<Expr>>,
    },
    Len(VarRef),
    Test(ChannelTest, VarRef),
    /// `c?[…]` and `c??[…]`.
    Poll {
        channel: VarRef,
        random: bool,
        arguments: Vec<ReceiveArgument>,
    },
    Enabled(Box<Expr>),
    GetPriority(Box<Expr>),
    PcValue(Box<Expr>),
    Timeout,
    NonProgress,
    /// `P[i]@label`, `P@label`.
    RemoteLabel {
        process: Name,
        pid: Option<Box<Expr>>,
        label: Name,
    },
    /// `P[i]:x`, `P:x`.
    RemoteVariable {
        process: Name,
        pid: Option<Box<Expr>>,
        variable: VarRef,
    },
    /// What could not be read; the error has been reported.
    Broken,
}
