//! The intermediate form: processes as automata over bytes.
//!
//! A [`Model`] is a set of process types, each a small automaton whose transitions carry one [`Action`]; channel types;
//! global variables; and what exists at the start. Names and types are resolved: a variable is an offset and a
//! [`Storage`], an array element an offset and a stride, a record a longer offset. What is left of the source language is
//! what people want to see: names, places, and the text of each statement.
//!
//! A state is a string of bytes (see [`crate::layout`]): the globals, then one *frame* per process and per channel in
//! the order of their creation. Processes die in reverse order of creation, so the frames are a stack.
//!
//! The meaning of all this is the interpreter's; its printed form ([`crate::text`]) reads back.

/// Index into [`Model::process_types`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProcessTypeId(pub u16);

/// Index into [`Model::channel_types`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ChannelTypeId(pub u16);

/// Index into [`Model::record_types`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RecordTypeId(pub u16);

/// A control point of a process type; 0 is none. Promela's are numbered as Spin numbers them.
pub type Location = u32;

#[derive(Clone, Debug, PartialEq, Default)]
pub struct Model {
    /// The file's name, for reports.
    pub name: String,
    /// Names of the source files that [`SourceLine`]s refer to.
    pub files: Vec<String>,
    pub symbol_lists: Vec<SymbolList>,
    pub record_types: Vec<RecordType>,
    pub globals: Vec<Variable>,
    /// Bytes of all globals that are part of the state.
    pub globals_size: u32,
    /// Bytes of hidden globals: they follow the others in memory, but two states that differ only in them are the same.
    pub hidden_size: u32,
    pub channel_types: Vec<ChannelType>,
    pub process_types: Vec<ProcessType>,
    /// Initial values and channels of the globals, in order.
    pub initialise: Vec<Initialisation>,
    /// The processes that exist at the start, in order.
    pub start: Vec<Start>,
    /// `never` claims and `trace`/`notrace` automata.
    pub claims: Vec<Claim>,
    /// Formulas that the model states about itself, as text.
    pub formulas: Vec<Formula>,
    /// The conditions that properties are about, whoever states them.
    pub propositions: Vec<Proposition>,
    pub features: Features,
}

/// What the model uses; each costs the interpreter something that others need not pay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Features {
    /// Some guard depends on `timeout`.
    pub timeout: bool,
    /// Processes have priorities.
    pub priorities: bool,
    /// The process that moved last is part of the state.
    pub last: bool,
}

/// The named constants of one enumeration (`mtype`); the first has the value 1.
#[derive(Clone, Debug, PartialEq)]
pub struct SymbolList {
    /// Empty for the unnamed one.
    pub name: String,
    pub symbols: Vec<String>,
}

/// How many bits, signed or not, a value keeps when it is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Storage {
    /// 1 to 32 bits; higher ones are dropped.
    Unsigned(u8),
    Signed16,
    Signed32,
}

impl Storage {
    pub const BYTE: Storage = Storage::Unsigned(8);

    pub fn size(self) -> u32 {
        match self {
            Storage::Unsigned(bits) if bits <= 8 => 1,
            Storage::Unsigned(bits) if bits <= 16 => 2,
            Storage::Unsigned(_) => 4,
            Storage::Signed16 => 2,
            Storage::Signed32 => 4,
        }
    }

    /// What remains of a value when it is stored.
    pub fn truncate(self, value: i32) -> i32 {
        match self {
            Storage::Unsigned(32) | Storage::Signed32 => value,
            Storage::Unsigned(bits) => value & ((1i64 << bits) - 1) as i32,
            Storage::Signed16 => value as i16 as i32,
        }
    }
}

/// How a value is shown to people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShownAs {
    Bit,
    Bool,
    Byte,
    Pid,
    Short,
    Int,
    Unsigned,
    /// A name from [`Model::symbol_lists`].
    Symbol(u16),
    /// A channel's number.
    Channel,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Type {
    Scalar { shown: ShownAs, storage: Storage },
    Record(RecordTypeId),
}

/// A variable, or a field of a record.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    pub name: String,
    pub ty: Type,
    /// Number of elements, if it is an array.
    pub length: Option<u32>,
    /// First byte, from the start of the globals, of the process's variables, or of the record.
    pub offset: u32,
    /// Bytes of one element.
    pub element_size: u32,
    pub hidden: bool,
    pub line: SourceLine,
}

#[derive(Clone, Debug, PartialEq)]
pub struct RecordType {
    pub name: String,
    pub fields: Vec<Variable>,
    pub size: u32,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ChannelType {
    /// The variable that the channel was declared for.
    pub name: String,
    /// 0 for rendezvous.
    pub capacity: u32,
    pub fields: Vec<Field>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Field {
    pub shown: ShownAs,
    pub storage: Storage,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct SourceLine {
    /// Index into [`Model::files`].
    pub file: u16,
    /// From 1; 0 if there is none.
    pub line: u32,
}

#[derive(Clone, Debug, PartialEq, Default)]
pub struct ProcessType {
    pub name: String,
    pub line: SourceLine,
    /// Two executable transitions in one state are an error (`D_proctype`).
    pub deterministic: bool,
    /// A process may move only while this holds.
    pub provided: Option<Expr>,
    /// Channels that no other process may use.
    pub exclusive: Vec<Exclusive>,
    /// The first `parameters` variables are set by the creator.
    pub variables: Vec<Variable>,
    pub parameters: u32,
    pub variables_size: u32,
    /// Run when a process is created, after the parameters are set.
    pub initialise: Vec<Initialisation>,
    pub start: Location,
    /// Indexed by [`Location`]; entry 0 is empty.
    pub locations: Vec<LocationInfo>,
    /// The statements, indexed by their number; a transition says which one it executes. Entry 0 is empty.
    pub statements: Vec<Statement>,
    /// Names of locations, for remote references and reports.
    pub labels: Vec<Label>,
}

/// A promise (`xr`, `xs`): no other process receives from, or sends to, this channel.
#[derive(Clone, Debug, PartialEq)]
pub struct Exclusive {
    pub usage: ChannelUse,
    pub channel: Expr,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChannelUse {
    Receive,
    Send,
}

#[derive(Clone, Debug, PartialEq, Default)]
pub struct LocationInfo {
    /// Tried in this order.
    pub transitions: Vec<Transition>,
    /// A process may end here.
    pub end: bool,
    pub progress: bool,
    pub accept: bool,
    pub line: SourceLine,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    pub name: String,
    pub location: Location,
}

#[derive(Clone, Debug, PartialEq, Default)]
pub struct Statement {
    pub line: SourceLine,
    /// As it is shown: `x = (x+1)`.
    pub text: String,
    /// Whether it is worth reporting when it is never reached (jumps are not).
    pub reported: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Transition {
    pub action: Action,
    /// 0: stays, or there is no process any more.
    pub target: Location,
    /// The process keeps control after this step: no other moves, and the state between is not stored.
    pub keeps_control: bool,
    /// Transitions that escape from a sequence (`unless`) bear the number of their escape and stand first; once one of
    /// them has been executed, only those of the same escape are.
    pub escape: u32,
    /// Index into [`ProcessType::statements`].
    pub statement: u32,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Always executable, no effect.
    Skip,
    /// Executable when nothing before it in the list was.
    Else,
    /// Executable while the value is not zero.
    Guard(Expr),
    Assign(Place, Expr),
    Send {
        channel: Expr,
        sorted: bool,
        arguments: Vec<Expr>,
    },
    Receive(Receive),
    /// Creates a process. With `then`, assigns an expression over [`Expr::RunResult`].
    Run {
        process: ProcessTypeId,
        arguments: Vec<Expr>,
        priority: u8,
        then: Option<Box<(Place, Expr)>>,
    },
    Assert(Expr),
    Print {
        format: Vec<FormatPiece>,
        arguments: Vec<Expr>,
    },
    SetPriority(Expr, Expr),
    /// The process ends; executable for the youngest only. Takes the channels created after it along.
    End,
    /// One indivisible, deterministic program.
    Program(Box<Program>),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Receive {
    pub channel: Expr,
    /// The first message that fits, not only the oldest.
    pub random: bool,
    /// The message stays.
    pub copy: bool,
    pub arguments: Vec<ReceiveArgument>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum ReceiveArgument {
    Store(Place),
    /// Receives only if the field has this value.
    Match(Expr),
    Drop,
}

#[derive(Clone, Debug, PartialEq)]
pub enum FormatPiece {
    Text(String),
    Decimal,
    Character,
    /// `%e`: the name of a symbol. The list to look in, if the argument's type says so.
    Symbol(Option<u16>),
    Octal,
    Unsigned,
    Hexadecimal,
}

/// The inside of a `d_step`: straight-line operations and choices; the first executable option is taken.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    /// Executable if one of these is; no alternatives: always executable.
    pub guards: Vec<Action>,
    /// Execution starts at node 0 and ends at [`Next::Exit`].
    pub nodes: Vec<Node>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    /// Executes an action; it is an error if it blocks.
    Do {
        action: Action,
        next: Next,
        statement: u32,
    },
    /// Takes the first option whose action is executable; it is an error if there is none.
    Choose {
        options: Vec<ProgramOption>,
        statement: u32,
    },
    Jump(Next),
}

#[derive(Clone, Debug, PartialEq)]
pub struct ProgramOption {
    /// `None`: enters without a test.
    pub guard: Option<Action>,
    pub next: Next,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    Node(u32),
    Exit,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Initialisation {
    pub place: Place,
    pub value: InitialValue,
}

#[derive(Clone, Debug, PartialEq)]
pub enum InitialValue {
    Expr(Expr),
    NewChannel(ChannelTypeId),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Start {
    pub process: ProcessTypeId,
    pub priority: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClaimKind {
    Never,
    Trace,
    NoTrace,
}

/// An automaton that watches the others. It has the form of a process, but is not among them.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    pub kind: ClaimKind,
    pub automaton: ProcessType,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Formula {
    pub name: String,
    pub text: String,
    pub line: SourceLine,
}

/// A condition on a state, seen from outside: no process asks.
#[derive(Clone, Debug, PartialEq)]
pub struct Proposition {
    /// As the property writes it.
    pub text: String,
    pub value: Expr,
}

/// Where a scalar lies.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    pub base: Base,
    pub offset: u32,
    pub storage: Storage,
    /// Array elements on the way, outermost first.
    pub indices: Vec<Index>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Base {
    Global,
    /// The moving process's variables.
    Local,
    /// Another process's variables: of the process with this number, or of the first one of the type.
    Remote {
        process: ProcessTypeId,
        pid: Option<Box<Expr>>,
    },
    /// The moving process's priority.
    Priority,
    /// Nowhere: what is written is lost.
    Nowhere,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Index {
    pub value: Expr,
    pub length: u32,
    pub stride: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOperator {
    Not,
    Complement,
    Negate,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOperator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    BitAnd,
    BitOr,
    BitXor,
    ShiftLeft,
    ShiftRight,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
    /// The right side is not evaluated if the left side decides.
    And,
    Or,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChannelTest {
    Full,
    NotFull,
    Empty,
    NotEmpty,
}

/// Values are 32-bit signed integers; arithmetic wraps.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    Constant(i32),
    /// A scalar at a fixed offset in the globals.
    Global {
        offset: u32,
        storage: Storage,
    },
    /// A scalar at a fixed offset in the moving process's variables.
    Local {
        offset: u32,
        storage: Storage,
    },
    /// Any other scalar.
    Load(Box<Place>),
    Unary(UnaryOperator, Box<Expr>),
    Binary(BinaryOperator, Box<(Expr, Expr)>),
    Conditional(Box<(Expr, Expr, Expr)>),
    /// The number of the moving process.
    Pid,
    ProcessCount,
    /// The process that moved last.
    Last,
    Priority,
    Len(Box<Expr>),
    Test(ChannelTest, Box<Expr>),
    Poll(Box<Receive>),
    /// Whether the process with this number could move.
    Enabled(Box<Expr>),
    GetPriority(Box<Expr>),
    /// The location of the process with this number.
    LocationOf(Box<Expr>),
    /// Whether the process with this number (or the first one of the type) is at this location.
    RemoteLabel {
        process: ProcessTypeId,
        pid: Option<Box<Expr>>,
        location: Location,
    },
    Timeout,
    /// No process is at a location that is marked as progress.
    NonProgress,
    /// Some process is at a location that is marked as accepting.
    Acceptance,
    /// Inside [`Action::Run`]: the number of the process just created.
    RunResult,
}
