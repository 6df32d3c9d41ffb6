//! Which processes are followed, by the numbers of pieces.
//!
//! Which sets of processes are candidates ([`lariat_engine::reduction`]) depends on little of a state: on
//! where each process is, on the few of its variables that say what it touches, and on how many messages some
//! channels have. All of this lies in a few pieces. So what a process does next is kept under the numbers of
//! the pieces that say it, and how many messages a channel has under the number of its piece: in most states
//! nothing is unpacked in order to choose. What is missing for a state is learnt when it is asked for, and
//! only that: models in which processes come and go have many shapes, and of most of them few states.
//!
//! From one state to the next few places change ([`Since`]). The row of a process (what it does next, and
//! for what it waits) stays as it was unless one of the places has changed that it was found by. So rows are
//! kept for each lane in which a search takes states.

use crate::reduced::MachineView;
use lariat_engine::reduction::{Choice, MOST_PROCESSES, Reducer, Reduction, StateView};
use lariat_engine::{Chooser, LANES, Numbers, Since};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// Of higher numbers, and of more combinations of numbers, nothing is kept.
const MOST_NUMBERS: usize = 1 << 16;

/// What depends on more pieces is not kept.
const MOST_PIECES: usize = 6;

/// What is kept, by shape.
#[derive(Default)]
pub struct CandidateCache {
    shapes: Vec<Option<ShapeCache>>,
    /// How often the reducer, whose numbers are kept here, has forgotten everything.
    age: u32,
}

/// What is kept of states of a shape.
struct ShapeCache {
    /// Of the states when this was made ([`Numbers::extent`]): with another, pieces have other places.
    extent: (usize, usize),
    processes: Box<[ByNumbers<Process>]>,
    channels: Box<[ChannelCache]>,
    lanes: [LaneRows; LANES],
}

/// The rows of the last state of a shape that was taken in a lane.
struct LaneRows {
    /// Which of all beginnings that was; 0 if not all rows are known.
    begun: u64,
    /// By process.
    rows: Box<[u32]>,
    found: Box<[Found]>,
}

/// How the row of a process was found.
#[derive(Clone, Copy)]
struct Found {
    /// By these places, as bits.
    places: u64,
    stays: bool,
    may_end: bool,
}

struct ChannelCache {
    /// How many messages it has; `None` if it has none ever.
    lengths: Option<ByNumbers<u32>>,
    capacity: usize,
}

/// What is kept of a process.
#[derive(Clone, Copy)]
struct Process {
    /// The steps that it does next; the same if it never ends, because a younger process never does. Where
    /// that was not asked for yet, [`UNKNOWN`].
    steps: [u32; 2],
    may_end: bool,
}

/// Steps that are not known.
const UNKNOWN: u32 = u32::MAX;

/// Something that the numbers of some pieces tell.
struct ByNumbers<T> {
    pieces: Box<[usize]>,
    /// The places of these, as bits.
    places: u64,
    /// By the number, if there is one piece.
    by_one: Vec<Option<T>>,
    /// By the numbers, if there are more, but not too many.
    by_more: FxHashMap<[u64; MOST_PIECES], T>,
}

impl<T: Copy> ByNumbers<T> {
    fn new(numbers: &Numbers, ranges: &[Range<usize>]) -> ByNumbers<T> {
        let pieces = numbers.pieces_in(ranges);
        let places = pieces.iter().fold(0, |places, &piece| places | numbers.places_of(piece));
        ByNumbers { pieces, places, by_one: Vec::new(), by_more: FxHashMap::default() }
    }

    #[inline]
    fn get(&self, numbers: &Numbers) -> Option<T> {
        match *self.pieces {
            [piece] => *self.by_one.get(numbers.of(piece) as usize)?,
            _ => self.by_more.get(&self.key(numbers)?).copied(),
        }
    }

    fn key(&self, numbers: &Numbers) -> Option<[u64; MOST_PIECES]> {
        let mut key = [0; MOST_PIECES];
        let places = key.get_mut(..self.pieces.len())?;
        places.iter_mut().zip(&self.pieces).for_each(|(place, &piece)| *place = numbers.of(piece));
        Some(key)
    }

    fn learn(&mut self, numbers: &Numbers, value: T) {
        if let [piece] = *self.pieces {
            let number = numbers.of(piece) as usize;
            if number < MOST_NUMBERS {
                if self.by_one.len() <= number {
                    self.by_one.resize(number + 1, None);
                }
                self.by_one[number] = Some(value);
            }
        } else if let Some(key) = self.key(numbers)
            && self.by_more.len() < MOST_NUMBERS
        {
            self.by_more.insert(key, value);
        }
    }
}

impl ShapeCache {
    fn new(numbers: &Numbers, reduction: &Reduction, view: &MachineView) -> ShapeCache {
        let process = |pid| ByNumbers::new(numbers, &view.bytes_of_process(reduction, pid));
        let channel = |channel| {
            let (bytes, capacity) = view.bytes_of_channel(channel);
            ChannelCache { lengths: bytes.map(|bytes| ByNumbers::new(numbers, &[bytes])), capacity }
        };
        let count = view.process_count();
        let nothing = Found { places: Since::EVERYTHING, stays: false, may_end: true };
        ShapeCache {
            extent: numbers.extent(),
            processes: (0..count).map(process).collect(),
            channels: (0..view.channel_count()).map(channel).collect(),
            lanes: std::array::from_fn(|_| LaneRows {
                begun: 0,
                rows: vec![0; count].into(),
                found: vec![nothing; count].into(),
            }),
        }
    }
}

/// The row of a process, and how it was found; if all is known that says it.
#[inline]
fn find_row(
    (processes, channels): (&[ByNumbers<Process>], &[ChannelCache]),
    numbers: &Numbers,
    (reducer, reduction): (&mut Reducer, &Reduction),
    pid: usize,
    stays: bool,
) -> Option<(u32, Found)> {
    let process = &processes[pid];
    let Process { steps, may_end } = process.get(numbers)?;
    let steps = steps[usize::from(stays)];
    if steps == UNKNOWN {
        return None;
    }
    let mut places = process.places | Since::NO_PLACE;
    let mut is_known = true;
    let is_youngest = pid + 1 == processes.len();
    let row = reducer.row(reduction, steps, is_youngest, |number| {
        let channel = channels.get(usize::try_from(number).ok()?.checked_sub(1)?)?;
        let length = channel.lengths.as_ref().map_or(Some(0), |lengths| {
            places |= lengths.places;
            lengths.get(numbers)
        });
        is_known &= length.is_some();
        Some((length.unwrap_or_default() as usize, channel.capacity))
    });
    is_known.then_some((row, Found { places, stays, may_end }))
}

/// Says the candidates of states by what is kept.
pub struct KeptCandidates<'a, 'm> {
    pub cache: &'a mut CandidateCache,
    pub reducer: &'a mut Reducer,
    pub reduction: &'a Reduction<'m>,
}

impl Chooser for KeptCandidates<'_, '_> {
    #[inline]
    fn choices(&mut self, numbers: Numbers, since: Since) -> Option<&[Choice]> {
        let KeptCandidates { cache, reducer, reduction } = self;
        if reducer.forget_if_too_much() != cache.age {
            return None;
        }
        let shape = cache.shapes.get_mut(numbers.shape() as usize)?.as_mut()?;
        let ShapeCache { extent, processes, channels, lanes } = shape;
        if *extent != numbers.extent() {
            return None;
        }
        if !(2..=MOST_PROCESSES).contains(&processes.len()) {
            return Some(&[]);
        }
        let LaneRows { begun, rows, found } = &mut lanes[since.lane];
        // A beginning that is none has the number 0.
        let changed =
            if since.before != 0 && since.before == *begun { since.changed } else { Since::EVERYTHING };
        *begun = 0;
        let mut stays = false;
        for (pid, (row, found)) in rows.iter_mut().zip(&mut **found).enumerate().rev() {
            if found.places & changed != 0 || found.stays != stays {
                (*row, *found) = find_row((processes, channels), &numbers, (reducer, reduction), pid, stays)?;
            }
            stays |= !found.may_end;
        }
        *begun = since.begun;
        Some(reducer.candidates_of(reduction, rows))
    }
}

impl CandidateCache {
    /// The candidates of a state, if all is known that says them.
    pub fn known<'r>(
        &self,
        numbers: &Numbers,
        reducer: &'r mut Reducer,
        reduction: &Reduction,
    ) -> Option<&'r [Choice]> {
        if reducer.forget_if_too_much() != self.age {
            return None;
        }
        let ShapeCache { extent, processes, channels, .. } =
            self.shapes.get(numbers.shape() as usize)?.as_ref()?;
        if *extent != numbers.extent() {
            return None;
        }
        if !(2..=MOST_PROCESSES).contains(&processes.len()) {
            return Some(&[]);
        }
        let mut rows = [0u32; MOST_PROCESSES];
        let mut stays = false;
        for pid in (0..processes.len()).rev() {
            let (row, found) = find_row((processes, channels), numbers, (reducer, reduction), pid, stays)?;
            rows[pid] = row;
            stays |= !found.may_end;
        }
        Some(reducer.candidates_of(reduction, &rows[..processes.len()]))
    }

    /// Keeps what a state tells that is not known. The view is of the same state.
    pub fn learn(
        &mut self,
        numbers: &Numbers,
        reducer: &mut Reducer,
        reduction: &Reduction,
        view: &MachineView,
    ) {
        let age = reducer.forget_if_too_much();
        if age != self.age {
            *self = CandidateCache { age, ..CandidateCache::default() };
        }
        let shape = numbers.shape() as usize;
        if self.shapes.len() <= shape {
            self.shapes.resize_with(shape + 1, || None);
        }
        let cache = &mut self.shapes[shape];
        if cache.as_ref().is_some_and(|cache| cache.extent != numbers.extent()) {
            *cache = None;
        }
        let cache = cache.get_or_insert_with(|| ShapeCache::new(numbers, reduction, view));
        if cache.processes.len() > MOST_PROCESSES {
            return;
        }
        let mut stays = false;
        for (pid, process) in cache.processes.iter_mut().enumerate().rev() {
            let mut known = process.get(numbers).unwrap_or_else(|| {
                let (ty, location) = view.process(pid);
                Process { steps: [UNKNOWN; 2], may_end: reduction.may_end(ty, location) }
            });
            let steps = &mut known.steps[usize::from(stays)];
            if *steps == UNKNOWN {
                *steps = reducer.next_steps(reduction, view, pid, stays);
                process.learn(numbers, known);
            }
            stays |= !known.may_end;
        }
        for (channel, cache) in cache.channels.iter_mut().enumerate() {
            if let Some(lengths) = &mut cache.lengths
                && lengths.get(numbers).is_none()
                && let Some((length, _)) = view.channel(channel as i32 + 1)
            {
                lengths.learn(numbers, length as u32);
            }
        }
    }
}
