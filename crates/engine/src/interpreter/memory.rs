//! Reading and writing scalars in a state's bytes, and finding its frames.

use crate::layout::Layout;
use lariat_model::ir::Storage;

#[inline(always)]
pub fn read(bytes: &[u8], offset: usize, storage: Storage) -> i32 {
    match storage {
        Storage::Unsigned(bits) if bits <= 8 => bytes[offset] as i32,
        Storage::Unsigned(bits) if bits <= 16 => {
            u16::from_le_bytes([bytes[offset], bytes[offset + 1]]) as i32
        }
        Storage::Signed16 => i16::from_le_bytes([bytes[offset], bytes[offset + 1]]) as i32,
        Storage::Unsigned(_) | Storage::Signed32 => {
            let word = &bytes[offset..offset + 4];
            i32::from_le_bytes([word[0], word[1], word[2], word[3]])
        }
    }
}

#[inline(always)]
pub fn write(bytes: &mut [u8], offset: usize, storage: Storage, value: i32) {
    let value = storage.truncate(value).to_le_bytes();
    match storage.size() {
        1 => bytes[offset] = value[0],
        2 => bytes[offset..offset + 2].copy_from_slice(&value[..2]),
        _ => bytes[offset..offset + 4].copy_from_slice(&value),
    }
}

/// Where a frame starts, and which process or channel type it has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    pub start: u32,
    pub ty: u16,
}

/// The frames of one state: processes by number, channels by number less one.
#[derive(Debug, Default, PartialEq)]
pub struct Frames {
    pub processes: Vec<Frame>,
    pub channels: Vec<Frame>,
}

impl Clone for Frames {
    fn clone(&self) -> Frames {
        Frames { processes: self.processes.clone(), channels: self.channels.clone() }
    }

    /// Into the room that is there.
    fn clone_from(&mut self, other: &Frames) {
        self.processes.clone_from(&other.processes);
        self.channels.clone_from(&other.channels);
    }
}

impl Frames {
    /// The frames of a working state.
    pub fn of(bytes: &[u8], layout: &Layout) -> Frames {
        let mut frames = Frames::default();
        frames.find(bytes, layout);
        frames
    }

    /// Finds the frames of a working state.
    pub fn find(&mut self, bytes: &[u8], layout: &Layout) {
        self.processes.clear();
        self.channels.clear();
        each_frame(bytes, layout, |is_process, frame| {
            if is_process { self.processes.push(frame) } else { self.channels.push(frame) }
        });
    }
}

/// Tells of each frame of a working state whether it is that of a process.
#[inline(always)]
pub fn each_frame(bytes: &[u8], layout: &Layout, mut tell: impl FnMut(bool, Frame)) {
    let mut start = layout.frames_start;
    while start < bytes.len() {
        let tag = read_tag(bytes, start, layout);
        if tag < layout.processes.len() {
            tell(true, Frame { start: start as u32, ty: tag as u16 });
            start += layout.processes[tag].frame_size;
        } else {
            let ty = tag - layout.processes.len();
            tell(false, Frame { start: start as u32, ty: ty as u16 });
            start += layout.channels[ty].frame_size;
        }
    }
}

#[inline(always)]
pub fn read_tag(bytes: &[u8], start: usize, layout: &Layout) -> usize {
    if layout.tag_size == 1 {
        bytes[start] as usize
    } else {
        u16::from_le_bytes([bytes[start], bytes[start + 1]]) as usize
    }
}

pub fn push_tag(bytes: &mut Vec<u8>, tag: usize, layout: &Layout) {
    bytes.extend_from_slice(&(tag as u16).to_le_bytes()[..layout.tag_size]);
}
