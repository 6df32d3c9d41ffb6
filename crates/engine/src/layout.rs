//! How a state lies in memory.
//!
//! ```text
//! globals │ last? │ observer? │ frame │ frame │ …     one frame per process and channel, in order of creation
//!
//! process frame:  tag │ location │ priority? │ parameters and variables
//! channel frame:  tag │ length │ slot │ slot │ …       (rendezvous: the tag alone)
//! ```
//!
//! A tag says which process or channel type a frame has, and so how long it is: the frames can be found from
//! the front without any directory. Nothing is aligned or padded; a state is as long as what exists in it.
//! Slots of a channel behind its length are zero, so equal states are equal strings.
//!
//! `observer` is the location of the assertion that watches the model while it is checked.
//!
//! Hidden globals stand at the very end of a state, where a search can leave them out of comparisons; while
//! the interpreter works on a state, they stand behind the other globals.

use lariat_model::ir::{ChannelType, Claim, Model, ProcessType, Storage};

/// Where everything lies in the states of a model.
#[derive(Clone, Debug)]
pub struct Layout {
    /// Bytes of globals in a stored state.
    pub globals_size: usize,
    /// Bytes of hidden globals.
    pub hidden_size: usize,
    /// Where the number of the last process stands, while the interpreter works.
    pub last_offset: Option<usize>,
    /// Where the location of the assertion that watches stands, while the interpreter works.
    pub observer: Option<ObserverPlace>,
    /// Where the first frame starts, while the interpreter works.
    pub frames_start: usize,
    /// 1 or 2.
    pub tag_size: usize,
    /// In the order of [`Model::process_types`]; the tag of a process is its place here.
    pub processes: Vec<ProcessLayout>,
    /// In the order of [`Model::channel_types`]; tags of channels follow those of processes.
    pub channels: Vec<ChannelLayout>,
    /// Whether every process has a byte for its priority, the last one of its header.
    pub priorities: bool,
}

/// Where the location of an assertion that watches is kept.
#[derive(Clone, Copy, Debug)]
pub struct ObserverPlace {
    /// First byte, from the start of the state.
    pub offset: usize,
    /// Wide enough for every location.
    pub storage: Storage,
}

/// Where everything lies in the frame of a process.
#[derive(Clone, Debug)]
pub struct ProcessLayout {
    /// Bytes of the location.
    pub location: Storage,
    /// From the frame's start to its variables.
    pub header_size: usize,
    /// Bytes of the whole frame.
    pub frame_size: usize,
}

/// Where everything lies in the frame of a channel.
#[derive(Clone, Debug)]
pub struct ChannelLayout {
    /// How many slots there are; 0 for rendezvous.
    pub capacity: usize,
    /// How the number of messages is stored, behind the tag. Rendezvous channels keep none.
    pub length: Storage,
    /// From the frame's start to its first slot.
    pub header_size: usize,
    /// First byte of each field, from the start of a slot.
    pub field_offsets: Vec<usize>,
    /// Bytes of a slot.
    pub message_size: usize,
    /// Bytes of the whole frame.
    pub frame_size: usize,
}

fn unsigned_for(largest: usize) -> Storage {
    match largest {
        0..=0xff => Storage::Unsigned(8),
        0x100..=0xffff => Storage::Unsigned(16),
        _ => Storage::Unsigned(32),
    }
}

impl Layout {
    /// The layout of a model that nobody observes.
    pub fn new(model: &Model) -> Layout {
        let tag_size = if model.process_types.len() + model.channel_types.len() <= 256 { 1 } else { 2 };
        let globals_size = model.globals_size as usize;
        let hidden_size = model.hidden_size as usize;
        let priorities = model.features.priorities;
        let last_size = model.features.last as usize;
        Layout {
            globals_size,
            hidden_size,
            last_offset: model.features.last.then_some(globals_size + hidden_size),
            observer: None,
            frames_start: globals_size + hidden_size + last_size,
            tag_size,
            processes: model
                .process_types
                .iter()
                .map(|p| ProcessLayout::new(p, tag_size, priorities))
                .collect(),
            channels: model.channel_types.iter().map(|c| ChannelLayout::new(c, tag_size)).collect(),
            priorities,
        }
    }

    /// The layout of a model that a claim watches.
    pub fn observed(model: &Model, claim: &Claim) -> Layout {
        let layout = Layout::new(model);
        let place = ObserverPlace {
            offset: layout.frames_start,
            storage: unsigned_for(claim.automaton.locations.len()),
        };
        let frames_start = place.offset + place.storage.size() as usize;
        Layout { observer: Some(place), frames_start, ..layout }
    }
}

impl ProcessLayout {
    fn new(process: &ProcessType, tag_size: usize, priorities: bool) -> ProcessLayout {
        let location = unsigned_for(process.locations.len());
        let header_size = tag_size + location.size() as usize + priorities as usize;
        ProcessLayout { location, header_size, frame_size: header_size + process.variables_size as usize }
    }
}

impl ChannelLayout {
    fn new(channel: &ChannelType, tag_size: usize) -> ChannelLayout {
        let capacity = channel.capacity as usize;
        let length = unsigned_for(capacity);
        let mut message_size = 0;
        let mut field_offsets = Vec::new();
        for field in &channel.fields {
            field_offsets.push(message_size);
            message_size += field.storage.size() as usize;
        }
        let header_size = tag_size + if capacity == 0 { 0 } else { length.size() as usize };
        ChannelLayout {
            capacity,
            length,
            header_size,
            field_offsets,
            message_size,
            frame_size: header_size + capacity * message_size,
        }
    }
}
