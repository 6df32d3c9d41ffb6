//! Promela's tokens and its keywords.
//!
//! Names of types, proctypes, inlines and mtype constants are all plain names here; Spin's lexer tells them
//! apart, the parser does it here. `skip`, `true` and `false` are numbers, as in Spin. `timeout` may end a
//! statement at a line break because Spin's lexer puts parentheses around it.

use std::rc::Rc;

use lariat_source::Span;

/// The types that are keywords.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BaseType {
    Bit,
    Bool,
    Byte,
    Pid,
    Short,
    Int,
    Unsigned,
    Mtype,
    Chan,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Name,
    /// A number, a character constant, or one of `skip`, `true`, `false`.
    Number(i32),
    Text,
    Type(BaseType),

    Active,
    Assert,
    Atomic,
    Break,
    DProctype,
    DStep,
    Do,
    Else,
    Empty,
    Enabled,
    Eval,
    Fi,
    For,
    Full,
    GetPriority,
    Goto,
    Hidden,
    If,
    Init,
    Inline,
    Len,
    Local,
    Ltl,
    NonProgress,
    Never,
    NotEmpty,
    NotFull,
    NoTrace,
    Od,
    Of,
    PcValue,
    Printf,
    Printm,
    Priority,
    Proctype,
    Provided,
    Return,
    Run,
    Select,
    SetPriority,
    Show,
    Timeout,
    Trace,
    Typedef,
    Unless,
    Xr,
    Xs,

    OpenParen,
    CloseParen,
    OpenBrace,
    CloseBrace,
    OpenBracket,
    CloseBracket,
    Comma,
    Semicolon,
    Arrow,
    Colon,
    ColonColon,
    Dot,
    DotDot,
    At,
    Assign,
    Plus,
    Minus,
    Star,
    Slash,
    Percent,
    PlusPlus,
    MinusMinus,
    Ampersand,
    AndAnd,
    Bar,
    OrOr,
    Caret,
    Tilde,
    Bang,
    BangBang,
    Question,
    QuestionQuestion,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
    ShiftLeft,
    ShiftRight,

    /// `c_code { … }` and its relatives; the error has been reported.
    EmbeddedC,
    /// Characters that make no token; the error has been reported.
    Invalid,
    End,
}

impl Kind {
    /// Words that start a unit and cannot stand inside one: where they appear inside, a `}` is missing.
    pub fn starts_unit(self) -> bool {
        use Kind::*;
        matches!(
            self,
            Active | Proctype | DProctype | Init | Never | Trace | NoTrace | Ltl | Inline | Typedef
        )
    }

    pub fn is_separator(self) -> bool {
        matches!(self, Kind::Semicolon | Kind::Arrow)
    }

    /// After these a line break separates statements.
    pub fn may_end_statement(self) -> bool {
        use Kind::*;
        matches!(
            self,
            CloseBrace
                | CloseParen
                | CloseBracket
                | Od
                | Fi
                | Else
                | Break
                | Name
                | Number(_)
                | PlusPlus
                | MinusMinus
                | Timeout
                | EmbeddedC
                | Invalid
        )
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub kind: Kind,
    /// As written; of a text without its quotes.
    pub text: Rc<str>,
    pub span: Span,
    pub newline_before: bool,
    pub space_before: bool,
}

impl Token {
    /// How messages name the token.
    pub fn describe(&self) -> String {
        match self.kind {
            Kind::End => "the end of the text".to_string(),
            Kind::Text => "a string".to_string(),
            Kind::EmbeddedC => "embedded C".to_string(),
            _ => format!("`{}`", self.text),
        }
    }

    pub fn is_keyword(&self) -> bool {
        keyword(&self.text).is_some()
    }
}

/// `in` is not here: it is a keyword in the head of a `for` only.
pub(crate) fn keyword(text: &str) -> Option<Kind> {
    use BaseType::*;
    let kind = match text {
        "active" => Kind::Active,
        "assert" => Kind::Assert,
        "atomic" => Kind::Atomic,
        "bit" => Kind::Type(Bit),
        "bool" => Kind::Type(Bool),
        "break" => Kind::Break,
        "byte" => Kind::Type(Byte),
        "c_code" | "c_decl" | "c_expr" | "c_state" | "c_track" => Kind::EmbeddedC,
        "chan" => Kind::Type(Chan),
        "D_proctype" => Kind::DProctype,
        "d_step" => Kind::DStep,
        "do" => Kind::Do,
        "else" => Kind::Else,
        "empty" => Kind::Empty,
        "enabled" => Kind::Enabled,
        "eval" => Kind::Eval,
        "false" => Kind::Number(0),
        "fi" => Kind::Fi,
        "for" => Kind::For,
        "full" => Kind::Full,
        "get_priority" => Kind::GetPriority,
        "goto" => Kind::Goto,
        "hidden" => Kind::Hidden,
        "if" => Kind::If,
        "init" => Kind::Init,
        "inline" => Kind::Inline,
        "int" => Kind::Type(Int),
        "len" => Kind::Len,
        "local" => Kind::Local,
        "ltl" => Kind::Ltl,
        "mtype" => Kind::Type(Mtype),
        "nempty" => Kind::NotEmpty,
        "never" => Kind::Never,
        "nfull" => Kind::NotFull,
        "notrace" => Kind::NoTrace,
        "np_" => Kind::NonProgress,
        "od" => Kind::Od,
        "of" => Kind::Of,
        "pc_value" => Kind::PcValue,
        "pid" => Kind::Type(Pid),
        "printf" => Kind::Printf,
        "printm" => Kind::Printm,
        "priority" => Kind::Priority,
        "proctype" => Kind::Proctype,
        "provided" => Kind::Provided,
        "return" => Kind::Return,
        "run" => Kind::Run,
        "select" => Kind::Select,
        "set_priority" => Kind::SetPriority,
        "short" => Kind::Type(Short),
        "show" => Kind::Show,
        "skip" | "true" => Kind::Number(1),
        "timeout" => Kind::Timeout,
        "trace" => Kind::Trace,
        "typedef" => Kind::Typedef,
        "unless" => Kind::Unless,
        "unsigned" => Kind::Type(Unsigned),
        "xr" => Kind::Xr,
        "xs" => Kind::Xs,
        _ => return None,
    };
    Some(kind)
}

/// Operators and brackets, two characters before one.
pub(crate) const OPERATORS: &[(&str, Kind)] = &[
    ("::", Kind::ColonColon),
    ("->", Kind::Arrow),
    ("--", Kind::MinusMinus),
    ("++", Kind::PlusPlus),
    ("<<", Kind::ShiftLeft),
    ("<=", Kind::LessEqual),
    (">>", Kind::ShiftRight),
    (">=", Kind::GreaterEqual),
    ("==", Kind::Equal),
    ("!=", Kind::NotEqual),
    ("!!", Kind::BangBang),
    ("??", Kind::QuestionQuestion),
    ("&&", Kind::AndAnd),
    ("||", Kind::OrOr),
    ("..", Kind::DotDot),
    ("(", Kind::OpenParen),
    (")", Kind::CloseParen),
    ("{", Kind::OpenBrace),
    ("}", Kind::CloseBrace),
    ("[", Kind::OpenBracket),
    ("]", Kind::CloseBracket),
    (",", Kind::Comma),
    (";", Kind::Semicolon),
    (":", Kind::Colon),
    (".", Kind::Dot),
    ("@", Kind::At),
    ("=", Kind::Assign),
    ("+", Kind::Plus),
    ("-", Kind::Minus),
    ("*", Kind::Star),
    ("/", Kind::Slash),
    ("%", Kind::Percent),
    ("&", Kind::Ampersand),
    ("|", Kind::Bar),
    ("^", Kind::Caret),
    ("~", Kind::Tilde),
    ("!", Kind::Bang),
    ("?", Kind::Question),
    ("<", Kind::Less),
    (">", Kind::Greater),
];
