//! What a model consists of: processes, variables, channels, and how its initial state lies in memory.

use crate::trace::file;
use lariat_engine::describe::ChannelPlace;
use lariat_engine::interpreter::Interpreter;
use lariat_engine::{Layout, SuccessorFunction};
use lariat_model::ir::{ClaimKind, Model, ShownAs, Type, Variable};
use serde::Serialize;

/// What a model consists of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Info {
    /// Its name: the file.
    pub model: String,
    /// Global variables.
    pub globals: Vec<VariableInfo>,
    /// Types of processes.
    pub processes: Vec<ProcessInfo>,
    /// Channels that exist at the start.
    pub channels: Vec<ChannelInfo>,
    /// Names of the never claims.
    pub claims: Vec<String>,
    /// Formulas that the model states.
    pub formulas: Vec<FormulaInfo>,
    /// The parts of the initial state, in order; empty if there is none.
    pub layout: Vec<Part>,
    /// Bytes of the initial state, if there is one.
    pub initial_state_bytes: Option<usize>,
    /// Bytes of the initial state as it is stored, with only the bits that count.
    pub packed_state_bytes: Option<usize>,
}

/// A variable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct VariableInfo {
    /// As the model names it.
    pub name: String,
    /// `byte`, `mtype:colour`, `unsigned:3`, or a record's name.
    #[serde(rename = "type")]
    pub ty: String,
    /// How many elements, if it is an array.
    pub length: Option<u32>,
    /// Where it lies, in bytes from the start of the globals or of the process.
    pub offset: u32,
    /// Bytes of the whole variable.
    pub size: u32,
    /// Not compared: two states that differ only here are one.
    pub hidden: bool,
}

/// A type of processes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ProcessInfo {
    /// As the model names it.
    pub name: String,
    /// The file in which it stands.
    pub file: String,
    /// The line in which it begins.
    pub line: u32,
    /// How many exist at the start.
    pub instances: usize,
    /// How many of the variables are parameters.
    pub parameters: usize,
    /// Its local variables, parameters first.
    pub variables: Vec<VariableInfo>,
    /// Points at which a process of this type can be.
    pub locations: usize,
    /// Steps between them.
    pub transitions: usize,
    /// Bytes of a process in a state, and how many of them are its header.
    pub frame_size: usize,
    /// Bytes of the header.
    pub header_size: usize,
}

/// A channel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ChannelInfo {
    /// As the model names it.
    pub name: String,
    /// How many messages fit in; 0 for a rendezvous.
    pub capacity: u32,
    /// The types of the fields of a message.
    pub fields: Vec<String>,
    /// Bytes of the channel in a state.
    pub frame_size: usize,
    /// Bytes of a message.
    pub message_size: usize,
}

/// A formula that the model states.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FormulaInfo {
    /// Its name.
    pub name: String,
    /// Its text.
    pub formula: String,
}

/// A stretch of the initial state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Part {
    /// Where it begins, in bytes.
    pub offset: usize,
    /// Its bytes.
    pub size: usize,
    /// What lies there.
    pub what: String,
}

/// What there is to say about a model without running it.
pub fn info(model: &Model) -> Info {
    let layout = Layout::new(model);
    let interpreter = Interpreter::new(model);
    let packed = interpreter.initial_state().ok();
    let initial = packed.as_ref().map(|packed| {
        let mut working = Vec::new();
        interpreter.working_state(packed, &mut working);
        working
    });
    Info {
        model: model.name.clone(),
        globals: model.globals.iter().map(|variable| variable_info(model, variable)).collect(),
        processes: processes(model, &layout),
        channels: channels(model, &layout),
        claims: model.claims.iter().map(|claim| claim_kind(claim.kind, &claim.automaton.name)).collect(),
        formulas: formulas(model),
        layout: initial.as_ref().map_or(Vec::new(), |state| parts(model, &layout, state)),
        initial_state_bytes: initial.map(|state| state.len()),
        packed_state_bytes: packed
            .and_then(|_| interpreter.vector_bits())
            .map(|bits| (bits / 8.0).ceil() as usize),
    }
}

fn formulas(model: &Model) -> Vec<FormulaInfo> {
    let one = |f: &lariat_model::ir::Formula| FormulaInfo { name: f.name.clone(), formula: f.text.clone() };
    model.formulas.iter().map(one).collect()
}

fn claim_kind(kind: ClaimKind, name: &str) -> String {
    let kind = match kind {
        ClaimKind::Never => "never",
        ClaimKind::Trace => "trace",
        ClaimKind::NoTrace => "notrace",
    };
    if name.is_empty() || name == kind { kind.to_string() } else { format!("{kind} {name}") }
}

fn variable_info(model: &Model, variable: &Variable) -> VariableInfo {
    VariableInfo {
        name: variable.name.clone(),
        ty: match &variable.ty {
            Type::Scalar { shown, storage } => scalar(model, *shown, storage),
            Type::Record(record) => model.record_types[record.0 as usize].name.clone(),
        },
        length: variable.length,
        offset: variable.offset,
        size: variable.element_size * variable.length.unwrap_or(1),
        hidden: variable.hidden,
    }
}

fn scalar(model: &Model, shown: ShownAs, storage: &lariat_model::ir::Storage) -> String {
    match shown {
        ShownAs::Bit => "bit".to_string(),
        ShownAs::Bool => "bool".to_string(),
        ShownAs::Byte => "byte".to_string(),
        ShownAs::Pid => "pid".to_string(),
        ShownAs::Short => "short".to_string(),
        ShownAs::Int => "int".to_string(),
        ShownAs::Channel => "chan".to_string(),
        ShownAs::Unsigned => match storage {
            lariat_model::ir::Storage::Unsigned(bits) => format!("unsigned:{bits}"),
            _ => "unsigned".to_string(),
        },
        ShownAs::Symbol(list) => match model.symbol_lists.get(list as usize) {
            Some(list) if !list.name.is_empty() => format!("mtype:{}", list.name),
            _ => "mtype".to_string(),
        },
    }
}

fn processes(model: &Model, layout: &Layout) -> Vec<ProcessInfo> {
    let one = |(i, process): (usize, &lariat_model::ir::ProcessType)| ProcessInfo {
        name: process.name.clone(),
        file: file(model, process.line),
        line: process.line.line,
        instances: model.start.iter().filter(|start| start.process.0 as usize == i).count(),
        parameters: process.parameters as usize,
        variables: process.variables.iter().map(|variable| variable_info(model, variable)).collect(),
        locations: process.locations.len().saturating_sub(1),
        transitions: process.locations.iter().map(|location| location.transitions.len()).sum(),
        frame_size: layout.processes[i].frame_size,
        header_size: layout.processes[i].header_size,
    };
    model.process_types.iter().enumerate().map(one).collect()
}

fn channels(model: &Model, layout: &Layout) -> Vec<ChannelInfo> {
    let one = |(channel, layout): (&lariat_model::ir::ChannelType, &lariat_engine::layout::ChannelLayout)| {
        ChannelInfo {
            name: channel.name.clone(),
            capacity: channel.capacity,
            fields: channel.fields.iter().map(|field| scalar(model, field.shown, &field.storage)).collect(),
            frame_size: layout.frame_size,
            message_size: layout.message_size,
        }
    };
    model.channel_types.iter().zip(&layout.channels).map(one).collect()
}

/// The initial state from front to back.
fn parts(model: &Model, layout: &Layout, state: &[u8]) -> Vec<Part> {
    let mut parts = Vec::new();
    for variable in model.globals.iter().filter(|variable| !variable.hidden) {
        let size = (variable.element_size * variable.length.unwrap_or(1)) as usize;
        parts.push(Part { offset: variable.offset as usize, size, what: variable.name.clone() });
    }
    parts.sort_by_key(|part| part.offset);
    let mut at = layout.globals_size;
    if layout.hidden_size > 0 {
        parts.push(Part { offset: at, size: layout.hidden_size, what: "hidden".to_string() });
        at += layout.hidden_size;
    }
    if layout.last_offset.is_some() {
        parts.push(Part { offset: at, size: 1, what: "_last".to_string() });
        at += 1;
    }
    let (mut pid, mut channel) = (0, ChannelPlace::default());
    while at < state.len() {
        let tag = state[at..at + layout.tag_size].iter().rev().fold(0, |tag, byte| tag << 8 | *byte as usize);
        let (size, what) = match layout.processes.get(tag) {
            Some(process) => {
                channel.begin(tag, pid);
                pid += 1;
                (process.frame_size, format!("process {} ({})", pid - 1, model.process_types[tag].name))
            }
            None => {
                let ty = tag - layout.processes.len();
                channel.advance();
                (
                    layout.channels[ty].frame_size,
                    format!("channel {} ({})", channel.number, channel.name(model, ty)),
                )
            }
        };
        parts.push(Part { offset: at, size, what });
        at += size;
    }
    parts
}
