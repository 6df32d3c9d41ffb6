//! Which processes are followed, by the numbers of pieces.
//!
//! Which sets of processes are candidates ([`lariat_engine::reduction`]) depends on little of a state: on
//! where each process is, on the few of its variables that say what it touches, and on how many messages some
//! channels have. All of this lies in a few pieces. So what a process does next is kept under the number of
//! the piece that says it, and how many messages a channel has under the number of its piece: in most states
//! nothing is unpacked in order to choose.

use crate::reduced::MachineView;
use lariat_engine::Packer;
use lariat_engine::reduction::{Choice, MOST_PROCESSES, Reducer, Reduction, StateView};
use std::ops::Range;

/// Of higher numbers nothing is kept.
const MOST_NUMBERS: usize = 1 << 16;

/// What is kept, by shape.
#[derive(Default)]
pub struct CandidateCache {
    shapes: Vec<Option<ShapeCache>>,
    /// How often the reducer, whose numbers are kept here, has forgotten everything.
    age: u32,
}

/// What is kept of states of a shape.
struct ShapeCache {
    processes: Box<[ByNumber<Process>]>,
    channels: Box<[ChannelCache]>,
}

struct ChannelCache {
    /// How many messages it has; `None` if it has none ever.
    lengths: Option<ByNumber<u32>>,
    capacity: usize,
}

/// What is kept of a process.
#[derive(Clone, Copy)]
struct Process {
    /// The steps that it does next; the same if it never ends, because a younger process never does.
    steps: [u32; 2],
    may_end: bool,
}

/// Something that the number of a piece tells.
struct ByNumber<T> {
    /// `None` if it takes more than one piece to tell.
    piece: Option<usize>,
    known: Vec<Option<T>>,
}

impl<T: Copy> ByNumber<T> {
    fn new(pieces: &[usize]) -> ByNumber<T> {
        ByNumber { piece: <[usize; 1]>::try_from(pieces).ok().map(|[piece]| piece), known: Vec::new() }
    }

    #[inline]
    fn get(&self, number: impl Fn(usize) -> u32) -> Option<T> {
        *self.known.get(number(self.piece?) as usize)?
    }

    fn learn(&mut self, number: impl Fn(usize) -> u32, value: T) {
        let Some(piece) = self.piece else { return };
        let number = number(piece) as usize;
        if number < MOST_NUMBERS {
            if self.known.len() <= number {
                self.known.resize(number + 1, None);
            }
            self.known[number] = Some(value);
        }
    }
}

impl CandidateCache {
    /// The candidates of a stored state, if all is known that says them.
    #[inline]
    pub fn of<'r>(
        &mut self,
        packer: &mut Packer,
        reducer: &'r mut Reducer,
        reduction: &Reduction,
        state: &[u8],
    ) -> Option<&'r [Choice]> {
        if reducer.forget_if_too_much() != self.age {
            return None;
        }
        let mut rows = [0u32; MOST_PROCESSES];
        let count = packer.numbers_in(state, |numbers| {
            let ShapeCache { processes, channels } = self.shapes.get(numbers.shape() as usize)?.as_ref()?;
            if !(2..=MOST_PROCESSES).contains(&processes.len()) {
                return Some(0);
            }
            let mut stays = false;
            for (pid, process) in processes.iter().enumerate().rev() {
                let Process { steps, may_end } = process.get(|piece| numbers.of(piece))?;
                let steps = steps[usize::from(stays)];
                stays |= !may_end;
                let mut is_known = true;
                rows[pid] = reducer.row(reduction, steps, pid + 1 == processes.len(), |number| {
                    let channel = channels.get(usize::try_from(number).ok()?.checked_sub(1)?)?;
                    let length = match &channel.lengths {
                        None => 0,
                        Some(lengths) => lengths.get(|piece| numbers.of(piece)).unwrap_or_else(|| {
                            is_known = false;
                            0
                        }),
                    };
                    Some((length as usize, channel.capacity))
                });
                if !is_known {
                    return None;
                }
            }
            Some(processes.len())
        })?;
        match count {
            0 => Some(&[]),
            count => Some(reducer.candidates_of(reduction, &rows[..count])),
        }
    }

    /// Keeps what a state tells. The view is of the same state.
    pub fn learn(
        &mut self,
        packer: &mut Packer,
        reducer: &mut Reducer,
        reduction: &Reduction,
        view: &MachineView,
        state: &[u8],
    ) {
        let age = reducer.forget_if_too_much();
        if age != self.age {
            *self = CandidateCache { age, ..CandidateCache::default() };
        }
        packer.numbers_in(state, |numbers| {
            let shape = numbers.shape() as usize;
            if self.shapes.len() <= shape {
                self.shapes.resize_with(shape + 1, || None);
            }
            let cache = self.shapes[shape].get_or_insert_with(|| ShapeCache {
                processes: (0..view.process_count())
                    .map(|pid| ByNumber::new(&numbers.pieces_in(&view.bytes_of_process(reduction, pid))))
                    .collect(),
                channels: (0..view.channel_count())
                    .map(|channel| {
                        let (bytes, capacity) = view.bytes_of_channel(channel);
                        let by_number = |bytes: Range<usize>| ByNumber::new(&numbers.pieces_in(&[bytes]));
                        ChannelCache { lengths: bytes.map(by_number), capacity }
                    })
                    .collect(),
            });
            for (pid, process) in cache.processes.iter_mut().enumerate().take(MOST_PROCESSES) {
                let (ty, location) = view.process(pid);
                let may_end = reduction.may_end(ty, location);
                let steps = [false, true].map(|stays| reducer.next_steps(reduction, view, pid, stays));
                process.learn(|piece| numbers.of(piece), Process { steps, may_end });
            }
            for (channel, cache) in cache.channels.iter_mut().enumerate() {
                if let (Some(lengths), Some((length, _))) =
                    (&mut cache.lengths, view.channel(channel as i32 + 1))
                {
                    lengths.learn(|piece| numbers.of(piece), length as u32);
                }
            }
        });
    }
}
