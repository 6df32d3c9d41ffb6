//! Where processes and channels lie in a working state. States of one shape have the same frames, so what
//! there is to know of them is found once for each shape.

use crate::facts::Facts;
use crate::machine::{FramePlace, SLACK};

/// A copy of a working state with room behind it, and its frames.
pub fn take_in(
    bytes: &[u8],
    facts: &Facts,
    state: &mut Vec<u8>,
    processes: &mut Vec<FramePlace>,
    channels: &mut Vec<FramePlace>,
) {
    state.clear();
    state.reserve(bytes.len() + SLACK);
    state.extend_from_slice(bytes);
    find_frames(bytes, facts, processes, channels);
}

pub fn find_frames(
    bytes: &[u8],
    facts: &Facts,
    processes: &mut Vec<FramePlace>,
    channels: &mut Vec<FramePlace>,
) {
    processes.clear();
    channels.clear();
    let mut at = facts.frames_start;
    while at < bytes.len() {
        let info = facts.tags[facts.tag_at(bytes, at)];
        let place = FramePlace { start: at as u32, ty: info.ty, group: info.group };
        if info.is_process {
            processes.push(place)
        } else {
            channels.push(place)
        }
        at += info.size as usize;
    }
}

/// The frames of states, by the number of their shape: where processes come and go, a search changes between
/// shapes all the time.
#[derive(Default)]
pub struct KnownFrames {
    known: Vec<Option<Box<ShapeFrames>>>,
    /// Those of a shape with a high number.
    other: Option<Box<ShapeFrames>>,
}

/// The frames of a shape.
pub struct ShapeFrames {
    pub processes: Box<[FramePlace]>,
    pub channels: Box<[FramePlace]>,
    /// By process.
    pub locations: Box<[LocationPlace]>,
}

/// Where the frame of a process starts; where its location lies, of how many bytes; and which number the
/// first location of its type has ([`Facts::location_index`]).
#[derive(Clone, Copy)]
pub struct LocationPlace {
    pub start: u32,
    at: u32,
    size: u32,
    first: u32,
}

impl LocationPlace {
    /// The number of the location that the process is at.
    ///
    /// # Safety
    /// The state at `base` has the shape that this place was found for.
    #[inline(always)]
    pub unsafe fn index_in(&self, base: *const u8) -> usize {
        let location = unsafe {
            let at = base.add(self.at as usize);
            match self.size {
                1 => u32::from(*at),
                2 => u32::from(at.cast::<u16>().read_unaligned()),
                _ => at.cast::<u32>().read_unaligned(),
            }
        };
        self.first as usize + location as usize
    }
}

/// The frames of shapes with higher numbers are found anew.
const MOST_SHAPES: usize = 1 << 12;

impl KnownFrames {
    /// The frames of a state of this shape.
    #[inline]
    pub fn of(&mut self, shape: u32, bytes: &[u8], facts: &Facts) -> &ShapeFrames {
        let place = shape as usize;
        if place >= self.known.len() || self.known[place].is_none() {
            return self.learn(shape, bytes, facts);
        }
        self.known[place].as_ref().expect("it is known")
    }

    /// Whether the frames of a shape stay where they are once they are known.
    pub fn are_kept(shape: u32) -> bool {
        (shape as usize) < MOST_SHAPES
    }

    /// Copies of these.
    pub fn find(
        &mut self,
        shape: u32,
        bytes: &[u8],
        facts: &Facts,
        processes: &mut Vec<FramePlace>,
        channels: &mut Vec<FramePlace>,
    ) {
        let frames = self.of(shape, bytes, facts);
        processes.clear();
        processes.extend_from_slice(&frames.processes);
        channels.clear();
        channels.extend_from_slice(&frames.channels);
    }

    #[cold]
    fn learn(&mut self, shape: u32, bytes: &[u8], facts: &Facts) -> &ShapeFrames {
        let (mut processes, mut channels) = (Vec::new(), Vec::new());
        find_frames(bytes, facts, &mut processes, &mut channels);
        let location_of = |frame: &FramePlace| LocationPlace {
            start: frame.start,
            at: frame.start + facts.tag_size as u32,
            size: facts.location_size(frame.ty as usize),
            first: facts.location_index(frame.ty as usize, 0) as u32,
        };
        let locations = processes.iter().map(location_of).collect();
        let frames = ShapeFrames { processes: processes.into(), channels: channels.into(), locations };
        let kept = match shape as usize {
            place @ ..MOST_SHAPES => {
                self.known.resize_with(self.known.len().max(place + 1), || None);
                &mut self.known[place]
            }
            _ => &mut self.other,
        };
        kept.insert(Box::new(frames))
    }
}
