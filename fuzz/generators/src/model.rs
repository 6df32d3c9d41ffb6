//! The structure of a random Promela model.
//!
//! This is not the tree of a front end: it holds exactly what the generator can produce, in a form that is
//! easy to print and easy to take apart again. Nothing here is checked; a tree that went through the shrinker
//! may well print as a model that Promela refuses, and the predicate of the shrinker is what rejects it.
//! Names are plain strings, and a sequence of statements carries the separator that follows each statement,
//! so that the layout of a failing model survives the shrinking.

/// A whole model, printed by its `Display`.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct PromelaModel {
    /// The seed it came from, printed as a comment.
    pub seed: u64,
    pub macros: Vec<Macro>,
    pub mtypes: Vec<MtypeDeclaration>,
    pub records: Vec<RecordType>,
    pub globals: Vec<Declaration>,
    pub inlines: Vec<Inline>,
    pub processes: Vec<Process>,
}

/// `#define name(parameters) body`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Macro {
    pub name: String,
    pub parameters: Vec<String>,
    pub body: Expression,
}

/// `mtype = { … }` or `mtype:subtype = { … }`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MtypeDeclaration {
    pub subtype: Option<String>,
    pub names: Vec<String>,
}

/// `typedef name { fields }`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordType {
    pub name: String,
    pub fields: Vec<Declaration>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypeName {
    Bit,
    Bool,
    Byte,
    Short,
    Int,
    Unsigned(u32),
    Pid,
    Mtype(Option<String>),
    Chan,
    Record(String),
}

impl TypeName {
    /// Whether its values are never negative.
    pub fn is_unsigned(&self) -> bool {
        !matches!(self, TypeName::Short | TypeName::Int)
    }

    /// Whether it can hold every value that a message field of the other type can. (A lone bit travels in a
    /// byte.)
    pub fn holds(&self, field: &TypeName) -> bool {
        let range = |name: &TypeName| match name {
            TypeName::Bit | TypeName::Bool => (0, 1),
            TypeName::Unsigned(bits) => (0, (1i64 << bits) - 1),
            TypeName::Short => (-(1 << 15), (1 << 15) - 1),
            TypeName::Int => (-(1i64 << 31), (1 << 31) - 1),
            _ => (0, 255),
        };
        let (low, high) = range(self);
        let (least, most) = range(field);
        low <= least && most.max(255) <= high
    }

    /// Whether arithmetic on it makes sense.
    pub fn is_number(&self) -> bool {
        !matches!(self, TypeName::Mtype(_) | TypeName::Chan | TypeName::Record(_))
    }
}

/// A variable, a parameter or a field of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declaration {
    /// `hidden`, `local` or `show`.
    pub prefix: Option<&'static str>,
    pub type_name: TypeName,
    pub name: String,
    pub length: Option<u32>,
    pub initial: Initial,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Initial {
    Nothing,
    Value(Expression),
    List(Vec<Expression>),
    Channel { capacity: u32, fields: Vec<TypeName> },
}

/// `inline name(parameters) { body }`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inline {
    pub name: String,
    pub parameters: Vec<String>,
    pub body: Sequence,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProcessKind {
    Init,
    Proctype,
    Deterministic,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    pub kind: ProcessKind,
    pub name: String,
    /// How many instances start with the model.
    pub active: Option<u32>,
    pub parameters: Vec<Declaration>,
    pub priority: Option<u32>,
    pub provided: Option<Expression>,
    pub body: Sequence,
}

pub type Sequence = Vec<Step>;

/// A statement and what separates it from the next one, if there is a next one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    pub statement: Statement,
    pub separator: Separator,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Separator {
    Semicolon,
    Arrow,
    Newline,
}

impl From<Statement> for Step {
    fn from(statement: Statement) -> Self {
        Step { statement, separator: Separator::Semicolon }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Statement {
    Skip,
    Else,
    Break,
    Goto(String),
    Labelled(String, Box<Statement>),
    Declare(Declaration),
    Assign(Reference, Expression),
    Increment(Reference),
    Decrement(Reference),
    /// An expression as a statement: it blocks while it is 0.
    Guard(Expression),
    Send(Send),
    Receive(Receive),
    If(Vec<Sequence>),
    Do(Vec<Sequence>),
    Atomic(Sequence),
    DStep(Sequence),
    Block(Sequence),
    Unless(Sequence, Sequence),
    ForRange {
        variable: String,
        low: Expression,
        high: Expression,
        body: Sequence,
    },
    ForArray {
        variable: String,
        array: String,
        body: Sequence,
    },
    Select {
        variable: Reference,
        low: i64,
        high: i64,
    },
    Assert(Expression),
    Print {
        text: String,
        arguments: Vec<Expression>,
    },
    Call {
        name: String,
        arguments: Vec<Expression>,
    },
    SetPriority(Expression, Expression),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Send {
    pub channel: Reference,
    /// `!!` instead of `!`.
    pub sorted: bool,
    /// `m(a, b)` instead of `m, a, b`.
    pub message_syntax: bool,
    pub arguments: Vec<Expression>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receive {
    pub channel: Reference,
    /// `??` instead of `?`.
    pub random: bool,
    /// `?<…>`: the message stays in the channel.
    pub copy: bool,
    pub message_syntax: bool,
    pub arguments: Vec<ReceiveArgument>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReceiveArgument {
    Variable(Reference),
    /// A number or a symbolic constant, matched.
    Constant(Expression),
    Eval(Expression),
    /// `_`
    Discard,
}

/// `name[index].name[index]…`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    pub parts: Vec<(String, Option<Box<Expression>>)>,
}

impl Reference {
    pub fn name(name: &str) -> Self {
        Reference { parts: vec![(name.to_string(), None)] }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expression {
    Number(i64),
    /// A symbolic constant, a predefined variable, a macro without parameters, or a formal parameter.
    Name(String),
    Variable(Reference),
    Unary(&'static str, Box<Expression>),
    Binary(&'static str, Box<Expression>, Box<Expression>),
    Conditional(Box<Expression>, Box<Expression>, Box<Expression>),
    /// `len(c)`, `enabled(p)`, or a macro with parameters.
    Apply(String, Vec<Expression>),
    /// `c?[…]` or `c??[…]`
    Poll {
        channel: Reference,
        random: bool,
        arguments: Vec<ReceiveArgument>,
    },
    Run {
        process: String,
        arguments: Vec<Expression>,
        priority: Option<u32>,
    },
    /// `process[pid]@label`
    RemoteLabel {
        process: String,
        pid: u32,
        label: String,
    },
    /// `process[pid]:variable`
    RemoteVariable {
        process: String,
        pid: u32,
        variable: String,
    },
}

impl Expression {
    pub fn name(name: impl Into<String>) -> Self {
        Expression::Name(name.into())
    }

    pub fn variable(name: &str) -> Self {
        Expression::Variable(Reference::name(name))
    }

    pub fn binary(operator: &'static str, left: Expression, right: Expression) -> Self {
        Expression::Binary(operator, Box::new(left), Box::new(right))
    }

    pub fn unary(operator: &'static str, operand: Expression) -> Self {
        Expression::Unary(operator, Box::new(operand))
    }

    /// Whether no variable occurs in it, as far as its shape tells.
    pub fn is_constant(&self) -> bool {
        match self {
            Expression::Number(_) => true,
            Expression::Unary(_, operand) => operand.is_constant(),
            Expression::Binary(_, left, right) => left.is_constant() && right.is_constant(),
            _ => false,
        }
    }
}
