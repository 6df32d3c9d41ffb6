//! The intermediate form: processes as automata over bytes.
//!
//! A [`Model`] is a set of process types, each a small automaton whose transitions carry one [`Action`];
//! channel types; global variables; and what exists at the start. Names and types are resolved: a variable is
//! an offset and a [`Storage`], an array element an offset and a stride, a record a longer offset. What is
//! left of the source language is what people want to see: names, places, and the text of each statement.
//!
//! A state is a string of bytes (see `layout.rs` in the crate `engine`): the globals, then one *frame* per
//! process and per channel in the order of their creation. Processes die in reverse order of creation, so the
//! frames are a stack.
//!
//! The meaning of all this is the interpreter's; its printed form ([`crate::text`]) reads back.

use std::ops::Range;

/// More processes than this at a time are a run-time error, as in Spin.
pub const MAX_PROCESSES: usize = 255;

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

/// A whole model: what a front end makes of its text, and all that the interpreter reads.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Model {
    /// The file's name, for reports.
    pub name: String,
    /// The language it was written in.
    pub language: Language,
    /// Names of the source files that [`SourceLine`]s refer to.
    pub files: Vec<String>,
    /// The enumerations; [`ShownAs::Symbol`] and [`FormatPiece::Symbol`] give a place in this list.
    pub symbol_lists: Vec<SymbolList>,
    /// The records (`typedef`). None contains itself.
    pub record_types: Vec<RecordType>,
    /// The global variables, hidden ones among them.
    pub globals: Vec<Variable>,
    /// Bytes of all globals that are part of the state.
    pub globals_size: u32,
    /// Bytes of hidden globals: they follow the others in memory, but two states that differ only in them are
    /// the same.
    pub hidden_size: u32,
    /// What channels can be like: one for each initialiser `[n] of { … }`.
    pub channel_types: Vec<ChannelType>,
    /// What processes can be like, `init` among them. Claims are not here.
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
    /// What the interpreter has to keep beside variables, channels and locations.
    pub features: Features,
}

/// Whose words reports use, and whose conventions hold where those of languages differ. What a model does,
/// does not depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Language {
    /// A variable of a process is `P(0):x`. Runs that end repeat their last state for ever.
    #[default]
    Promela,
    /// A variable of a process is `P->x`: there is one process of each type. Runs that end are no runs.
    Dve,
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
    /// The names; the `i`th, counted from 0, has the value `i + 1`.
    pub symbols: Vec<String>,
}

/// How many bits, signed or not, a value keeps when it is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Storage {
    /// 1 to 32 bits; higher ones are dropped.
    Unsigned(u8),
    /// 16 bits with a sign (`short`); higher ones are dropped.
    Signed16,
    /// 32 bits with a sign (`int`): every value stays as it is.
    Signed32,
}

impl Storage {
    /// 8 bits without a sign (`byte`).
    pub const BYTE: Storage = Storage::Unsigned(8);

    /// Bytes that a stored value takes: 1, 2 or 4.
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
    /// `bit`: 0 or 1.
    Bit,
    /// `bool`: `false` for 0, else `true`.
    Bool,
    /// `byte`: a number.
    Byte,
    /// `pid`: the number of a process.
    Pid,
    /// `short`: a number.
    Short,
    /// `int`: a number.
    Int,
    /// `unsigned`: a number; its [`Storage`] says of how many bits.
    Unsigned,
    /// A name from [`Model::symbol_lists`].
    Symbol(u16),
    /// A channel's number.
    Channel,
}

/// What one element of a variable is.
#[derive(Clone, Debug, PartialEq)]
pub enum Type {
    /// A single value.
    Scalar {
        /// How people see the value.
        shown: ShownAs,
        /// How many bits of it are kept.
        storage: Storage,
    },
    /// The fields of a record, each at its offset.
    Record(RecordTypeId),
}

/// A variable, or a field of a record.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// As it is declared. Locals in blocks side by side may share a name.
    pub name: String,
    /// The type of one element, if it is an array.
    pub ty: Type,
    /// Number of elements, if it is an array.
    pub length: Option<u32>,
    /// First byte, from the start of the globals, of the process's variables, or of the record.
    pub offset: u32,
    /// Bytes of one element.
    pub element_size: u32,
    /// Lies among the hidden globals (`hidden`); false for locals and fields.
    pub hidden: bool,
    /// Where it is declared.
    pub line: SourceLine,
}

/// A record (`typedef`): variables that lie together.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordType {
    /// As it is declared.
    pub name: String,
    /// Their offsets count from the start of the record.
    pub fields: Vec<Variable>,
    /// Bytes of one record.
    pub size: u32,
}

/// What the channels that one initialiser makes have in common.
#[derive(Clone, Debug, PartialEq)]
pub struct ChannelType {
    /// The variable that the channel was declared for.
    pub name: String,
    /// 0 for rendezvous.
    pub capacity: u32,
    /// The fields of a message. A record gives one for each of its scalars.
    pub fields: Vec<Field>,
}

/// A field of a message.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Field {
    /// How people see its values.
    pub shown: ShownAs,
    /// How many bits of a value the channel keeps.
    pub storage: Storage,
}

/// A line of a source file, for messages and reports. The default is no line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct SourceLine {
    /// Index into [`Model::files`].
    pub file: u16,
    /// From 1; 0 if there is none.
    pub line: u32,
}

/// The automaton of a process type (`proctype`, `init`) or of a claim.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct ProcessType {
    /// As it is declared; `init` is called `:init:`.
    pub name: String,
    /// Where it is declared.
    pub line: SourceLine,
    /// Two executable transitions in one state are an error (`D_proctype`).
    pub deterministic: bool,
    /// A process may move only while this holds.
    pub provided: Option<Expr>,
    /// Channels that no other process may use.
    pub exclusive: Vec<Exclusive>,
    /// The first `parameters` variables are set by the creator.
    pub variables: Vec<Variable>,
    /// How many of the variables are parameters.
    pub parameters: u32,
    /// Bytes of all variables.
    pub variables_size: u32,
    /// Run when a process is created, after the parameters are set.
    pub initialise: Vec<Initialisation>,
    /// Where a new process starts.
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
    /// What the others must not do.
    pub usage: ChannelUse,
    /// The channel's number, seen from the process that promises.
    pub channel: Expr,
}

/// What can be done to a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChannelUse {
    /// A message is taken out.
    Receive,
    /// A message is put in.
    Send,
}

/// A control point: how a process can go on from there, and what it means to be there.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct LocationInfo {
    /// Tried in this order.
    pub transitions: Vec<Transition>,
    /// A process may end here.
    pub end: bool,
    /// Counts as progress (a label that begins with `progress`): a cycle through it is no non-progress cycle.
    pub progress: bool,
    /// Accepting (a label that begins with `accept`): a run that comes here for ever is what acceptance looks
    /// for.
    pub accept: bool,
    /// While some process is at such a location, only processes at such locations move on their own (DVE's
    /// `commit`).
    pub committed: bool,
    /// What must hold in every state in which a process is here; a violation where it does not (DVE's
    /// `assert`).
    pub assertions: Vec<StateAssertion>,
    /// Bytes of the process's variables that nobody reads any more before they are written again: a process
    /// that arrives here forgets them, they become 0. Empty unless somebody found that out
    /// (`simplify` in the crate `engine`).
    pub dead: Vec<Range<u32>>,
    /// Of the statement that stands here.
    pub line: SourceLine,
}

/// What must hold while a process is at a location.
#[derive(Clone, Debug, PartialEq)]
pub struct StateAssertion {
    /// It holds where this is not zero.
    pub value: Expr,
    /// Index into [`ProcessType::statements`]: what people see of it.
    pub statement: u32,
}

/// A name of a location.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    /// As it is written.
    pub name: String,
    /// The location that it names.
    pub location: Location,
}

/// A statement as people see it. What it does is said by the transitions that execute it.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Statement {
    /// Where it stands.
    pub line: SourceLine,
    /// As it is shown: `x = (x+1)`.
    pub text: String,
    /// Whether it is worth reporting when it is never reached (jumps are not).
    pub reported: bool,
}

/// A way on from a location.
#[derive(Clone, Debug, PartialEq)]
pub struct Transition {
    /// When it can be taken, and what then happens.
    pub action: Action,
    /// 0: stays, or there is no process any more.
    pub target: Location,
    /// The process keeps control after this step: no other moves, and the state between is not stored.
    pub keeps_control: bool,
    /// Transitions that escape from a sequence (`unless`) bear the number of their escape and stand first;
    /// once one of them has been executed, only those of the same escape are.
    pub escape: u32,
    /// Index into [`ProcessType::statements`].
    pub statement: u32,
}

/// What a transition waits for and does.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Always executable, no effect.
    Skip,
    /// Executable when nothing before it in the list was.
    Else,
    /// Executable while the value is not zero.
    Guard(Expr),
    /// Stores a value, cut to what the place keeps. Always executable.
    Assign(Place, Expr),
    /// Computes all values, then stores them in their order. Always executable.
    AssignAll(Vec<(Place, Expr)>),
    /// Puts another process at a location. Always executable; nothing happens if there is no such process, or
    /// one of another type.
    MoveProcess {
        /// Its type.
        process: ProcessTypeId,
        /// Its number.
        pid: u16,
        /// A location of that type.
        location: Location,
    },
    /// Sends a message. Executable while the channel is not full; for rendezvous, if a process can receive
    /// the message at once.
    Send {
        /// The channel's number.
        channel: Expr,
        /// The message goes before the first greater one (`!!`), not behind all. Fields are compared in
        /// order.
        sorted: bool,
        /// One for each field; any other number of them is a run-time error.
        arguments: Vec<Expr>,
    },
    /// Receives a message. Executable if there is one that fits.
    Receive(Receive),
    /// Creates a process. With `then`, assigns an expression over [`Expr::RunResult`].
    Run {
        /// What kind of process is created.
        process: ProcessTypeId,
        /// The values of the parameters, one for each scalar of a record.
        arguments: Vec<Expr>,
        /// From 1 to 255; of use with [`Features::priorities`] only.
        priority: u8,
        /// What is assigned, and where, once the process exists.
        then: Option<Box<(Place, Expr)>>,
    },
    /// A violation if the value is zero; the step is taken all the same. Always executable.
    Assert(Expr),
    /// Prints when the run is shown to people; changes nothing. Always executable.
    Print {
        /// Each piece but plain text takes the next argument.
        format: Vec<FormatPiece>,
        /// Those that are missing count as 0.
        arguments: Vec<Expr>,
    },
    /// Gives the process with the first value as its number the second value as its priority, which must be
    /// from 1 to 255. Always executable; nothing happens if there is no such process.
    SetPriority(Expr, Expr),
    /// The process ends; executable for the youngest only. Takes the channels created after it along.
    End,
    /// One indivisible, deterministic program.
    Program(Box<Program>),
}

impl Action {
    /// Shows the action, and if it is a program, those that it consists of.
    pub fn each_within<'a>(&'a self, each: &mut dyn FnMut(&'a Action)) {
        each(self);
        let Action::Program(program) = self else { return };
        for node in &program.nodes {
            match node {
                Node::Do { action, .. } => action.each_within(each),
                Node::Choose { options, .. } => {
                    let guards = options.iter().filter_map(|option| option.guard.as_ref());
                    guards.for_each(|guard| guard.each_within(each));
                }
                Node::Jump(_) => {}
            }
        }
    }
}

/// Which message is received, and what becomes of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Receive {
    /// The channel's number.
    pub channel: Expr,
    /// The first message that fits, not only the oldest.
    pub random: bool,
    /// The message stays.
    pub copy: bool,
    /// One for each field; any other number of them is a run-time error.
    pub arguments: Vec<ReceiveArgument>,
}

/// What is done with a field of a message.
#[derive(Clone, Debug, PartialEq)]
pub enum ReceiveArgument {
    /// Stores it. Fields are stored in order: an index in a place may use what was stored before.
    Store(Place),
    /// Receives only if the field has this value.
    Match(Expr),
    /// Forgets it (`_`).
    Drop,
}

/// A piece of what [`Action::Print`] prints.
#[derive(Clone, Debug, PartialEq)]
pub enum FormatPiece {
    /// Printed as it is.
    Text(String),
    /// `%d`, `%i`: a number with its sign.
    Decimal,
    /// `%c`: the character with this number; `?` if there is none.
    Character,
    /// `%e`: the name of a symbol. The list to look in, if the argument's type says so.
    Symbol(Option<u16>),
    /// `%o`: the 32 bits in base 8.
    Octal,
    /// `%u`: the 32 bits as a number without a sign.
    Unsigned,
    /// `%x`: the 32 bits in base 16.
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

/// A place in a [`Program`].
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    /// Executes an action; it is an error if it blocks.
    Do {
        /// What is executed.
        action: Action,
        /// Where it goes on.
        next: Next,
        /// Index into [`ProcessType::statements`], for messages.
        statement: u32,
    },
    /// Takes the first option whose action is executable; it is an error if there is none.
    Choose {
        /// Tried in this order.
        options: Vec<ProgramOption>,
        /// Index into [`ProcessType::statements`], for messages.
        statement: u32,
    },
    /// Goes on elsewhere, without a step.
    Jump(Next),
}

/// A way on from [`Node::Choose`].
#[derive(Clone, Debug, PartialEq)]
pub struct ProgramOption {
    /// `None`: enters without a test.
    pub guard: Option<Action>,
    /// Where it goes on, once the guard has been executed.
    pub next: Next,
}

/// Where a program goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Index into [`Program::nodes`].
    Node(u32),
    /// Nowhere: the program has been executed.
    Exit,
}

/// The first value of a scalar.
#[derive(Clone, Debug, PartialEq)]
pub struct Initialisation {
    /// In the globals, or among the variables of the process that is created.
    pub place: Place,
    /// What is put there.
    pub value: InitialValue,
}

/// A first value. Those before it in the list are there already.
#[derive(Clone, Debug, PartialEq)]
pub enum InitialValue {
    /// A value to be computed.
    Expr(Expr),
    /// A channel of this type is created; the value is its number.
    NewChannel(ChannelTypeId),
}

/// A process that exists at the start.
#[derive(Clone, Debug, PartialEq)]
pub struct Start {
    /// What kind of process it is. Its parameters, if it has any, are 0.
    pub process: ProcessTypeId,
    /// From 1 to 255; of use with [`Features::priorities`] only.
    pub priority: u8,
}

/// What a claim watches, and what it says about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClaimKind {
    /// `never`: it reads states; no run may be accepted.
    Never,
    /// `trace`: it reads sends and receives; they must happen as it says.
    Trace,
    /// `notrace`: it reads sends and receives; what it says must not happen to its end.
    NoTrace,
}

/// An automaton that watches the others. It has the form of a process, but is not among them.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// What it watches.
    pub kind: ClaimKind,
    /// Its name is the claim's: `never_0`, … if it has none of its own; always `:trace:` or `:notrace:` for
    /// the others.
    pub automaton: ProcessType,
}

/// A formula of linear temporal logic, not read yet (`ltl`).
#[derive(Clone, Debug, PartialEq)]
pub struct Formula {
    /// `ltl_0`, `ltl_1`, … if the model gives none.
    pub name: String,
    /// As it is written, with its macros expanded.
    pub text: String,
    /// Where it is stated.
    pub line: SourceLine,
}

/// A condition on a state, seen from outside: no process asks.
#[derive(Clone, Debug, PartialEq)]
pub struct Proposition {
    /// As the property writes it.
    pub text: String,
    /// It holds where this is not zero. Variables of processes are seen by [`Base::Remote`] only.
    pub value: Expr,
}

/// Where a scalar lies.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// From where the offset counts.
    pub base: Base,
    /// In bytes; what the indices add is not in it.
    pub offset: u32,
    /// How the scalar is stored there.
    pub storage: Storage,
    /// Array elements on the way, outermost first.
    pub indices: Vec<Index>,
}

/// A section of a state.
#[derive(Clone, Debug, PartialEq)]
pub enum Base {
    /// The globals, the hidden ones behind the others.
    Global,
    /// The moving process's variables.
    Local,
    /// Another process's variables: of the process with this number, or of the first one of the type.
    Remote {
        /// Its type. If there is no such process, or one of another type, 0 is read.
        process: ProcessTypeId,
        /// Its number; `None` for the first one of the type.
        pid: Option<Box<Expr>>,
    },
    /// The moving process's priority.
    Priority,
    /// Nowhere: what is written is lost.
    Nowhere,
}

/// The choice of an array element.
#[derive(Clone, Debug, PartialEq)]
pub struct Index {
    /// The number of the element, from 0.
    pub value: Expr,
    /// How many elements there are. A value beyond is a run-time error.
    pub length: u32,
    /// Bytes from one element to the next.
    pub stride: u32,
}

/// An operator before one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOperator {
    /// `!`: 1 for zero, 0 for everything else.
    Not,
    /// `~`: every bit is turned over.
    Complement,
    /// `-`: the same value with the other sign.
    Negate,
}

/// An operator between two values. Comparisons and logic give 1 or 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOperator {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`, towards zero. Division by zero is a run-time error.
    Divide,
    /// `%`, with the sign of the left side. Division by zero is a run-time error.
    Remainder,
    /// `&`, bit by bit.
    BitAnd,
    /// `|`, bit by bit.
    BitOr,
    /// `^`, bit by bit.
    BitXor,
    /// `<<`. Of the right side the last five bits count.
    ShiftLeft,
    /// `>>`, which keeps the sign. Of the right side the last five bits count.
    ShiftRight,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// The right side is not evaluated if the left side decides.
    And,
    /// The right side is not evaluated if the left side decides.
    Or,
}

impl UnaryOperator {
    /// What it makes of a value.
    #[inline(always)]
    pub fn apply(self, value: i32) -> i32 {
        match self {
            UnaryOperator::Not => (value == 0) as i32,
            UnaryOperator::Complement => !value,
            UnaryOperator::Negate => value.wrapping_neg(),
        }
    }
}

impl BinaryOperator {
    /// The value that the left side alone decides, if it does.
    #[inline(always)]
    pub fn decided_by(self, left: i32) -> Option<i32> {
        match self {
            BinaryOperator::And if left == 0 => Some(0),
            BinaryOperator::Or if left != 0 => Some(1),
            _ => None,
        }
    }

    /// What it makes of two values, if the left one does not decide; `None` for a division by zero.
    #[inline(always)]
    pub fn apply(self, a: i32, b: i32) -> Option<i32> {
        Some(match self {
            BinaryOperator::Add => a.wrapping_add(b),
            BinaryOperator::Subtract => a.wrapping_sub(b),
            BinaryOperator::Multiply => a.wrapping_mul(b),
            BinaryOperator::Divide | BinaryOperator::Remainder if b == 0 => return None,
            BinaryOperator::Divide => a.wrapping_div(b),
            BinaryOperator::Remainder => a.wrapping_rem(b),
            BinaryOperator::BitAnd => a & b,
            BinaryOperator::BitOr => a | b,
            BinaryOperator::BitXor => a ^ b,
            BinaryOperator::ShiftLeft => a.wrapping_shl(b as u32),
            BinaryOperator::ShiftRight => a.wrapping_shr(b as u32),
            BinaryOperator::Less => (a < b) as i32,
            BinaryOperator::LessEqual => (a <= b) as i32,
            BinaryOperator::Greater => (a > b) as i32,
            BinaryOperator::GreaterEqual => (a >= b) as i32,
            BinaryOperator::Equal => (a == b) as i32,
            BinaryOperator::NotEqual => (a != b) as i32,
            BinaryOperator::And | BinaryOperator::Or => (b != 0) as i32,
        })
    }
}

/// A question about how many messages a channel holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChannelTest {
    /// `full`: no message can be added. Never true of rendezvous.
    Full,
    /// `nfull`: the contrary, so always true of rendezvous.
    NotFull,
    /// `empty`: there is no message. Always true of rendezvous.
    Empty,
    /// `nempty`: the contrary, so never true of rendezvous.
    NotEmpty,
}

/// Values are 32-bit signed integers; arithmetic wraps.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// This value.
    Constant(i32),
    /// A scalar at a fixed offset in the globals.
    Global {
        /// In bytes from the start of the globals.
        offset: u32,
        /// How it is stored there.
        storage: Storage,
    },
    /// A scalar at a fixed offset in the moving process's variables.
    Local {
        /// In bytes from the start of the variables.
        offset: u32,
        /// How it is stored there.
        storage: Storage,
    },
    /// Any other scalar.
    Load(Box<Place>),
    /// An operator before a value.
    Unary(UnaryOperator, Box<Expr>),
    /// An operator between two values.
    Binary(BinaryOperator, Box<(Expr, Expr)>),
    /// The condition, the value if it is not zero, the value if it is. Only one of the two is evaluated.
    Conditional(Box<(Expr, Expr, Expr)>),
    /// The number of the moving process.
    Pid,
    /// How many processes there are (`_nr_pr`).
    ProcessCount,
    /// The process that moved last.
    Last,
    /// The priority of the moving process (`_priority`); 1 without [`Features::priorities`].
    Priority,
    /// How many messages the channel with this number holds; 0 for rendezvous.
    Len(Box<Expr>),
    /// A question about the channel with this number.
    Test(ChannelTest, Box<Expr>),
    /// Whether a receive would find a message that fits (`c?[x]`). A run-time error for rendezvous.
    Poll(Box<Receive>),
    /// Whether the process with this number could move.
    Enabled(Box<Expr>),
    /// The priority of the process with this number; 0 if there is none.
    GetPriority(Box<Expr>),
    /// The location of the process with this number.
    LocationOf(Box<Expr>),
    /// Whether the process with this number (or the first one of the type) is at this location.
    RemoteLabel {
        /// Its type, which is not compared if the number is given.
        process: ProcessTypeId,
        /// Its number; `None` for the first one of the type.
        pid: Option<Box<Expr>>,
        /// A location of that type.
        location: Location,
    },
    /// Nothing else can happen (`timeout`).
    Timeout,
    /// No process is at a location that is marked as progress.
    NonProgress,
    /// Some process is at a location that is marked as accepting.
    Acceptance,
    /// Inside [`Action::Run`]: the number of the process just created.
    RunResult,
}
