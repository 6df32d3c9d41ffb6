//! What a statement can refer to at some point of a model.
//!
//! A place is anything that holds one scalar: a variable, an element of an array, a field of a record,
//! however deep. It remembers the small range that assignments keep it in, and what it may be used for.
//! Channels are told apart by class, the shape of their messages and their capacity; a variable of type
//! `chan` belongs to a class as well, so that whatever it holds can be used without a look at its value.
//! Blocks truncate the scope again when they end.

use crate::model::{Expression, Reference, TypeName};

/// Names with the lengths of the arrays among them.
pub(crate) type Path = Vec<(String, Option<u32>)>;

#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub path: Path,
    pub type_name: TypeName,
    /// Assignments keep it below this.
    pub modulus: i64,
    pub writable: bool,
    pub readable: bool,
    /// Whether `place % length` is a safe index.
    pub indexable: bool,
    pub global: bool,
}

impl Place {
    pub fn is_number(&self) -> bool {
        self.type_name.is_number()
    }
}

#[derive(Clone, Debug)]
pub(crate) struct ChannelPlace {
    pub path: Path,
    pub class: usize,
    /// A variable that can be assigned, not a channel of its own.
    pub variable: bool,
    /// What it names never goes away, so it can be sent to anyone.
    pub lasting: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct RecordPlace {
    pub path: Path,
    pub record: String,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Scope {
    pub places: Vec<Place>,
    pub channels: Vec<ChannelPlace>,
    pub records: Vec<RecordPlace>,
    /// Arrays of numbers: name and length.
    pub arrays: Vec<(String, u32)>,
    /// Loop variables in use, each with its largest value inside of the loop.
    pub counters: Vec<(String, u32)>,
}

/// The sizes of a scope, to return to.
pub(crate) struct ScopeMark(usize, usize, usize, usize, usize);

impl Scope {
    pub fn mark(&self) -> ScopeMark {
        let Scope { places, channels, records, arrays, counters } = self;
        ScopeMark(places.len(), channels.len(), records.len(), arrays.len(), counters.len())
    }

    pub fn restore(&mut self, mark: ScopeMark) {
        self.places.truncate(mark.0);
        self.channels.truncate(mark.1);
        self.records.truncate(mark.2);
        self.arrays.truncate(mark.3);
        self.counters.truncate(mark.4);
    }
}

/// The shape of the messages of a channel, and how many it holds.
#[derive(Clone, Debug)]
pub(crate) struct ChannelClass {
    pub capacity: u32,
    pub fields: Vec<MessageField>,
}

impl ChannelClass {
    pub fn is_buffered(&self) -> bool {
        self.capacity > 0
    }

    pub fn field_types(&self) -> Vec<TypeName> {
        self.fields.iter().map(|field| field.type_name.clone()).collect()
    }
}

#[derive(Clone, Debug)]
pub(crate) struct MessageField {
    pub type_name: TypeName,
    /// The class of the channels that a field of type `chan` carries.
    pub class: Option<usize>,
}

/// What is known about a process type before its body exists.
#[derive(Clone, Debug)]
pub(crate) struct ProcessPlan {
    pub name: String,
    pub active: Option<u32>,
    pub parameters: Vec<PlannedParameter>,
    pub deterministic: bool,
    /// It never ends, so its number and its channels stay.
    pub immortal: bool,
    /// The number of its first instance, if it starts with the model.
    pub first_pid: u32,
    /// A label and a local byte that other processes refer to.
    pub observed: bool,
    pub budget: i64,
}

#[derive(Clone, Debug)]
pub(crate) struct PlannedParameter {
    pub name: String,
    pub type_name: TypeName,
    pub class: Option<usize>,
}

/// The label and the variable of a process that is observed.
pub(crate) const OBSERVED_LABEL: &str = "watched";
pub(crate) const OBSERVED_VARIABLE: &str = "seen";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InlineParameter {
    Value,
    Target,
}

#[derive(Clone, Debug)]
pub(crate) struct InlinePlan {
    pub name: String,
    pub parameters: Vec<InlineParameter>,
    pub deterministic: bool,
}

/// Where a statement stands, as far as that restricts what it may be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context {
    pub depth: usize,
    pub in_atomic: bool,
    /// Within `d_step` or a deterministic process: no choice, no blocking.
    pub deterministic: bool,
    /// A `break` would leave a loop of the same atomicity.
    pub in_loop: bool,
    /// Within the text of an `inline`.
    pub in_inline: bool,
    pub goto_allowed: bool,
    pub run_allowed: bool,
    /// A jump from elsewhere may land here.
    pub label_allowed: bool,
    /// The control can come back here any number of times.
    pub repeated: bool,
}

impl Context {
    /// The body of a process.
    pub fn body() -> Self {
        Context {
            depth: 0,
            in_atomic: false,
            deterministic: false,
            in_loop: false,
            in_inline: false,
            goto_allowed: true,
            run_allowed: true,
            label_allowed: true,
            repeated: false,
        }
    }

    pub fn deeper(self) -> Self {
        Context { depth: self.depth + 1, ..self }
    }
}

pub(crate) fn number(value: i64) -> Expression {
    Expression::Number(value)
}

/// A reference along a path, with the indices given by a function of the length.
pub(crate) fn refer(path: &Path, mut index: impl FnMut(u32) -> Expression) -> Reference {
    let parts =
        path.iter().map(|(name, length)| (name.clone(), length.map(|length| Box::new(index(length)))));
    Reference { parts: parts.collect() }
}
