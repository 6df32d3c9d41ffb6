//! What is known of a model before it runs.
//!
//! - *Constant globals*: no statement writes them, so they have the value of the initial state for ever.
//!   Channels that the globals hold are mostly such constants, and so is the place of such a channel in the
//!   state: it was created before every process.
//! - *Settled variables*: they hold a channel that the shape of the state names.
//! - *Promises* about channels: mostly a table says who has promised what.
//! - *Groups of channel types*: every declaration has a type of its own, but code depends only on the layout.
//!   Types with the same layout are one group.
//! - *Places of processes*: if no process is ever created or ends, each of them lies where it lies in the
//!   initial state.
//! - *Receivers*: from which rendezvous channels processes may receive, by location (`receivers`).
//! - *Numbers of locations*: all locations of all process types in one row, to index tables.

use crate::machine::FramePlace;
use crate::receivers::{self, ChannelBits};
use lariat_engine::constants::Constants;
use lariat_engine::footprint::Settled;
use lariat_engine::promises::Promises;
use lariat_engine::{Interpreter, SuccessorFunction};
use lariat_model::ir::*;

/// The layout that some channel types share.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    pub capacity: usize,
    pub length: Storage,
    /// From the frame's start to the first slot.
    pub header_size: usize,
    pub fields: Vec<(usize, Storage)>,
    pub message_size: usize,
}

/// How long the frame with a certain tag is, and what it is.
#[derive(Clone, Copy, Debug)]
pub struct TagInfo {
    pub size: u32,
    pub is_process: bool,
    pub ty: u16,
    pub group: u16,
}

#[derive(Debug)]
pub struct Facts {
    pub constants: Constants,
    pub settled: Settled,
    pub promises: Promises,
    /// Number of a channel, less one: where it is, if it is there for ever.
    permanent_channels: Vec<FramePlace>,
    /// By number: where each process is, if that never changes.
    permanent_processes: Vec<FramePlace>,
    pub groups: Vec<Group>,
    pub tags: Vec<TagInfo>,
    pub tag_size: usize,
    pub frames_start: usize,
    first_location: Vec<usize>,
    location_sizes: Vec<u32>,
    pub accepting: Vec<bool>,
    /// Locations where a process may be when nothing happens any more.
    pub ends: Vec<bool>,
    pub progress: Vec<bool>,
    pub committed: Vec<bool>,
    pub has_committed: bool,
    /// By number of location: how many transitions lead there that keep control.
    pub held_arrivals: Vec<u32>,
    /// By number of location: from which rendezvous channels a process there may receive.
    pub receives: Vec<ChannelBits>,
}

impl Facts {
    pub fn of(interpreter: &Interpreter) -> Facts {
        let (model, layout) = (interpreter.model(), interpreter.layout());
        let mut groups: Vec<Group> = Vec::new();
        let mut tags: Vec<TagInfo> = Vec::new();
        for (ty, process) in layout.processes.iter().enumerate() {
            tags.push(TagInfo { size: process.frame_size as u32, is_process: true, ty: ty as u16, group: 0 });
        }
        for (ty, channel) in layout.channels.iter().enumerate() {
            let fields = &model.channel_types[ty].fields;
            let group = Group {
                capacity: channel.capacity,
                length: channel.length,
                header_size: channel.header_size,
                fields: channel.field_offsets.iter().copied().zip(fields.iter().map(|f| f.storage)).collect(),
                message_size: channel.message_size,
            };
            let number = groups.iter().position(|known| *known == group).unwrap_or_else(|| {
                groups.push(group);
                groups.len() - 1
            });
            tags.push(TagInfo {
                size: channel.frame_size as u32,
                is_process: false,
                ty: ty as u16,
                group: number as u16,
            });
        }
        let mut first_location = Vec::new();
        let (mut accepting, mut progress, mut committed) = (Vec::new(), Vec::new(), Vec::new());
        let mut ends = Vec::new();
        let mut held_arrivals = Vec::new();
        for process in &model.process_types {
            let first = accepting.len();
            first_location.push(first);
            accepting.extend(process.locations.iter().map(|location| location.accept));
            ends.extend(process.locations.iter().map(|location| location.end));
            progress.extend(process.locations.iter().map(|location| location.progress));
            committed.extend(process.locations.iter().map(|location| location.committed));
            held_arrivals.resize(accepting.len(), 0);
            for transition in process.locations.iter().flat_map(|location| &location.transitions) {
                if transition.keeps_control && transition.target != 0 {
                    held_arrivals[first + transition.target as usize] += 1;
                }
            }
        }
        let (constants, settled) = (Constants::of(interpreter), Settled::of(model));
        let types = model.process_types.iter();
        let receives = types
            .flat_map(|process| receivers::of_locations(process, &constants, layout.priorities))
            .collect();
        let mut facts = Facts {
            promises: Promises::of(model, &constants, &settled),
            constants,
            settled,
            permanent_channels: Vec::new(),
            permanent_processes: Vec::new(),
            groups,
            tags,
            tag_size: layout.tag_size,
            frames_start: layout.frames_start,
            first_location,
            location_sizes: layout.processes.iter().map(|process| process.location.size()).collect(),
            accepting,
            ends,
            progress,
            has_committed: committed.contains(&true),
            committed,
            held_arrivals,
            receives,
        };
        if let Ok(initial) = interpreter.initial_state() {
            facts.learn_from(&initial, interpreter);
        }
        facts
    }

    fn learn_from(&mut self, initial: &[u8], interpreter: &Interpreter) {
        let mut working = Vec::new();
        interpreter.working_state(initial, &mut working);
        let processes_change = interpreter.model().process_types.iter().any(creates_or_ends);
        let mut at = self.frames_start;
        while at < working.len() {
            let tag = self.tag_at(&working, at);
            let info = self.tags[tag];
            if info.is_process && processes_change {
                break;
            }
            let place = FramePlace { start: at as u32, ty: info.ty, group: info.group };
            match info.is_process {
                true => self.permanent_processes.push(place),
                false => self.permanent_channels.push(place),
            }
            at += info.size as usize;
        }
    }

    /// Where a channel lies for ever.
    pub fn permanent_channel(&self, number: i32) -> Option<FramePlace> {
        usize::try_from(number.wrapping_sub(1))
            .ok()
            .and_then(|index| self.permanent_channels.get(index).copied())
    }

    /// Where a process lies for ever.
    pub fn permanent_process(&self, number: i32) -> Option<FramePlace> {
        usize::try_from(number).ok().and_then(|index| self.permanent_processes.get(index).copied())
    }

    pub fn location_index(&self, ty: usize, location: u32) -> usize {
        self.first_location[ty] + location as usize
    }

    /// How many bytes the location of a process of this type has.
    pub fn location_size(&self, ty: usize) -> u32 {
        self.location_sizes[ty]
    }

    pub fn locations(&self) -> usize {
        self.accepting.len()
    }

    #[inline]
    pub fn tag_at(&self, bytes: &[u8], at: usize) -> usize {
        if self.tag_size == 1 {
            bytes[at] as usize
        } else {
            u16::from_le_bytes([bytes[at], bytes[at + 1]]) as usize
        }
    }

    /// The location of a process.
    ///
    /// # Safety
    /// The frame lies in the state at `base`.
    #[inline]
    pub unsafe fn location_at(&self, base: *const u8, frame: FramePlace) -> u32 {
        unsafe {
            let at = base.add(frame.start as usize + self.tag_size);
            match self.location_sizes[frame.ty as usize] {
                1 => *at as u32,
                2 => at.cast::<u16>().read_unaligned() as u32,
                _ => at.cast::<u32>().read_unaligned(),
            }
        }
    }
}

/// Whether a process of this type may create another one, or come to its end.
fn creates_or_ends(process: &ProcessType) -> bool {
    let changes = |action: &Action| match action {
        Action::Run { .. } | Action::End => true,
        Action::Program(program) => program.nodes.iter().any(|node| match node {
            Node::Do { action, .. } => matches!(action, Action::Run { .. } | Action::Program(_)),
            Node::Choose { options, .. } => options
                .iter()
                .any(|option| matches!(option.guard, Some(Action::Run { .. } | Action::Program(_)))),
            Node::Jump(_) => false,
        }),
        _ => false,
    };
    process.locations.iter().flat_map(|location| &location.transitions).any(|t| changes(&t.action))
}
