//! Cells: what statements of two processes can both touch, as numbers.
//!
//! Whether two steps depend on each other is asked for every pair of processes in every state, so what a step
//! touches is a set of bits. A *cell* is one bit: a byte of the globals, a side of a channel, a place where a
//! process may be expected by others, the list of processes. What only its own process ever looks at has no
//! cell.
//!
//! Channels have several sides, because a send and a receive hardly disturb each other:
//!
//! | cell | sends | receives | asks how many there are |
//! | --- | --- | --- | --- |
//! | front: the oldest message | | reads and writes it | |
//! | back: the room behind the youngest | reads and writes it | | |
//! | count: how many messages there are | adds to it | adds to it | reads it |
//! | filled: there is a message | enables it | reads it, unless there is one | |
//! | drained: there is room | reads it, unless there is some | enables it | |
//! | meeting: both ends of a rendezvous | reads and writes it | reads and writes it | |
//! | ready: somebody stands at an end of a rendezvous | | | reads it |
//! | promised to send: somebody has promised to be the only one who does | reads it | | |
//! | promised to receive: the same | | reads it | |
//!
//! The list of processes has three, because the ends of processes hardly disturb each other either: only the
//! youngest process can end, so of two ends one comes first whoever looks.
//!
//! | cell | creates a process | ends | counts or names processes |
//! | --- | --- | --- | --- |
//! | created | reads and writes it | reads it | reads it |
//! | ended | reads it | adds to it | reads it |
//! | youngest: there is another one | | enables it; reads it, unless it is the youngest | |
//!
//! Very many globals share cells: a cell is then a stretch of bytes.

use crate::interpreter::MAX_CHANNELS;
use crate::simplify::accesses::{Part, each_action, each_part, expressions_in};
use lariat_model::ir::*;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// Some cells.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct CellSet(Vec<u64>);

impl CellSet {
    /// Whether a cell is in it.
    pub fn contains(&self, cell: usize) -> bool {
        self.0.get(cell / 64).is_some_and(|word| word >> (cell % 64) & 1 != 0)
    }

    /// Adds a cell.
    pub fn insert(&mut self, cell: usize) {
        if self.0.len() <= cell / 64 {
            self.0.resize(cell / 64 + 1, 0);
        }
        self.0[cell / 64] |= 1 << (cell % 64);
    }

    /// Takes a cell out.
    pub fn remove(&mut self, cell: usize) {
        if let Some(word) = self.0.get_mut(cell / 64) {
            *word &= !(1 << (cell % 64));
        }
    }

    /// Adds all cells of another set. Whether there was a new one.
    pub fn add(&mut self, other: &CellSet) -> bool {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        let mut is_new = false;
        for (word, more) in self.0.iter_mut().zip(&other.0) {
            is_new |= *more & !*word != 0;
            *word |= more;
        }
        is_new
    }

    /// Whether the two have a cell in common.
    pub fn meets(&self, other: &CellSet) -> bool {
        self.0.iter().zip(&other.0).any(|(one, other)| one & other != 0)
    }

    /// The cells that both have.
    pub fn common(&self, other: &CellSet) -> impl Iterator<Item = usize> {
        self.0.iter().zip(&other.0).enumerate().flat_map(|(k, (one, other))| {
            let word = one & other;
            (0..64).filter(move |bit| word >> bit & 1 != 0).map(move |bit| 64 * k + bit)
        })
    }

    /// Its cells.
    pub fn iter(&self) -> impl Iterator<Item = usize> {
        self.common(self)
    }
}

/// A side of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The oldest message.
    Front,
    /// The room behind the youngest message.
    Back,
    /// How many messages there are.
    Count,
    /// There is a message.
    Filled,
    /// There is room.
    Drained,
    /// Both ends of a rendezvous.
    Meeting,
    /// Somebody stands at an end of a rendezvous.
    Ready,
    /// Somebody has promised that nobody else sends (`xs`).
    PromisedToSend,
    /// Somebody has promised that nobody else receives (`xr`).
    PromisedToReceive,
}

impl Side {
    /// The promise to be the only one who does this.
    pub fn promised(usage: ChannelUse) -> Side {
        match usage {
            ChannelUse::Send => Side::PromisedToSend,
            ChannelUse::Receive => Side::PromisedToReceive,
        }
    }
}

pub const SIDES: [Side; 9] = [
    Side::Front,
    Side::Back,
    Side::Count,
    Side::Filled,
    Side::Drained,
    Side::Meeting,
    Side::Ready,
    Side::PromisedToSend,
    Side::PromisedToReceive,
];

/// Channels with one number; the last also stands for all with higher numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Group {
    /// How many messages they keep: known of a channel of the globals, and 0 or 1 where all channels that
    /// processes create keep none, or all keep some.
    pub capacity: Option<u32>,
}

/// What a cell is, for people.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Bytes of the globals.
    Global(Range<usize>),
    /// A side of the channel with this number, less one.
    Channel(usize, Side),
    /// Processes, and their channels, that are created.
    Created,
    /// Processes, and their channels, that are no more.
    Ended,
    /// Which process is the youngest.
    Youngest,
    /// Which processes are at committed locations.
    Committed,
    /// Who is at a location with this number.
    Label(Location),
    /// That the process with this number is at this location.
    Expected(u16, Location),
    /// Variables of processes of this type that others look at.
    Variables(usize),
}

/// More cells than this are not given to globals.
const MOST_GLOBALS: usize = 1024;

/// So many channels that processes create are told apart.
const MOST_CREATED: usize = 40;

/// Which number each cell has.
#[derive(Clone, Debug, Default)]
pub struct CellMap {
    globals: usize,
    /// Bytes of globals to a cell.
    stretch: usize,
    global_cells: usize,
    /// By number, less one.
    pub groups: Vec<Group>,
    /// Channels with numbers up to this are those of the globals.
    pub global_channels: i32,
    labels: FxHashMap<Location, usize>,
    expected: FxHashMap<(u16, Location), usize>,
    types: usize,
    first_label: usize,
}

impl CellMap {
    /// The cells of a model.
    pub fn new(model: &Model) -> CellMap {
        // Hidden variables have none: a model in which somebody reads one is not reduced.
        let globals = model.globals_size as usize;
        let stretch = globals.div_ceil(MOST_GLOBALS).max(1);
        let mut map =
            CellMap { globals, stretch, global_cells: globals.div_ceil(stretch), ..CellMap::default() };
        map.types = model.process_types.len();
        let capacity = |init: &Initialisation| match init.value {
            InitialValue::NewChannel(ty) => Some(model.channel_types[ty.0 as usize].capacity),
            InitialValue::Expr(_) => None,
        };
        let of_globals = model.initialise.iter().filter_map(capacity);
        map.groups.extend(of_globals.map(|capacity| Group { capacity: Some(capacity) }));
        map.global_channels = map.groups.len() as i32;
        let created = model.process_types.iter().flat_map(|process| &process.initialise);
        let created: Vec<u32> = created.filter_map(capacity).collect();
        if let Some(&first) = created.first() {
            let same = created.iter().all(|capacity| (*capacity == 0) == (first == 0));
            let group = Group { capacity: same.then_some(first.min(1)) };
            let count = (map.groups.len() + MOST_CREATED).min(MAX_CHANNELS);
            map.groups.resize(count.max(map.groups.len() + 1), group);
        }
        map.first_label = map.global_cells + map.groups.len() * SIDES.len() + 4 + map.types;
        map.find_labels(model);
        map
    }

    /// Gives cells to the locations at which somebody is expected.
    fn find_labels(&mut self, model: &Model) {
        let mut found = Vec::new();
        let mut look = |expr: &Expr| {
            each_part(expr, &mut |part| {
                if let Part::Expr(Expr::RemoteLabel { pid, location, .. }) = part {
                    let pid = match pid.as_deref() {
                        Some(Expr::Constant(pid)) => u16::try_from(*pid).ok(),
                        _ => None,
                    };
                    found.push((pid, *location));
                }
            });
        };
        for process in &model.process_types {
            process.provided.iter().for_each(&mut look);
            let assertions = process.locations.iter().flat_map(|location| &location.assertions);
            assertions.for_each(|assertion| look(&assertion.value));
            each_action(process, &mut |action| each_expression(action, &mut look));
        }
        model.propositions.iter().for_each(|proposition| look(&proposition.value));
        for (pid, location) in found {
            let next = self.first_label + self.labels.len() + self.expected.len();
            self.labels.entry(location).or_insert(next);
            if let Some(pid) = pid {
                let next = self.first_label + self.labels.len() + self.expected.len();
                self.expected.entry((pid, location)).or_insert(next);
            }
        }
    }

    /// Those of some bytes of the globals.
    pub fn globals(&self, bytes: Range<usize>) -> Range<usize> {
        let end = bytes.end.min(self.globals);
        bytes.start.min(end) / self.stretch..end.div_ceil(self.stretch)
    }

    /// The one of a side of a group of channels.
    pub fn channel(&self, group: usize, side: Side) -> usize {
        self.global_cells + group * SIDES.len() + side as usize
    }

    /// The one of processes that are created.
    pub fn created(&self) -> usize {
        self.global_cells + self.groups.len() * SIDES.len()
    }

    /// The one of processes that end.
    pub fn ended(&self) -> usize {
        self.created() + 1
    }

    /// The one of whoever is the youngest process, and so may end.
    pub fn youngest(&self) -> usize {
        self.created() + 2
    }

    /// The one of committed locations.
    pub fn committed(&self) -> usize {
        self.created() + 3
    }

    /// The one of the variables of a type that others look at.
    pub fn variables(&self, ty: usize) -> usize {
        self.created() + 4 + ty
    }

    /// The one of a location, if somebody asks who is there.
    pub fn label(&self, location: Location) -> Option<usize> {
        self.labels.get(&location).copied()
    }

    /// Whether somebody expects a process with a certain number at a location.
    pub fn expects_somebody(&self) -> bool {
        !self.expected.is_empty()
    }

    /// The one of a process that is expected at a location, if somebody does.
    pub fn expected(&self, pid: u16, location: Location) -> Option<usize> {
        self.expected.get(&(pid, location)).copied()
    }

    /// Those of some process that is expected at a location.
    pub fn expected_anybody(&self, location: Location) -> impl Iterator<Item = usize> {
        self.expected.iter().filter(move |((_, there), _)| *there == location).map(|(_, cell)| *cell)
    }

    /// What a cell is.
    pub fn cell(&self, number: usize) -> Cell {
        if number < self.global_cells {
            let start = number * self.stretch;
            return Cell::Global(start..(start + self.stretch).min(self.globals));
        }
        let rest = number - self.global_cells;
        if rest < self.groups.len() * SIDES.len() {
            return Cell::Channel(rest / SIDES.len(), SIDES[rest % SIDES.len()]);
        }
        match number - self.created() {
            0 => Cell::Created,
            1 => Cell::Ended,
            2 => Cell::Youngest,
            3 => Cell::Committed,
            ty if ty - 4 < self.types => Cell::Variables(ty - 4),
            _ => {
                let label = self.labels.iter().find(|(_, cell)| **cell == number);
                let expected = || self.expected.iter().find(|(_, cell)| **cell == number);
                match label {
                    Some((location, _)) => Cell::Label(*location),
                    None => expected().map_or(Cell::Created, |((pid, l), _)| Cell::Expected(*pid, *l)),
                }
            }
        }
    }
}

/// Shows every expression of an action, but not those of actions within it.
pub fn each_expression<'a>(action: &'a Action, each: &mut impl FnMut(&'a Expr)) {
    let receive = |receive: &'a Receive, each: &mut dyn FnMut(&'a Expr)| {
        each(&receive.channel);
        for argument in &receive.arguments {
            match argument {
                ReceiveArgument::Store(place) => expressions_in(place).for_each(&mut *each),
                ReceiveArgument::Match(expr) => each(expr),
                ReceiveArgument::Drop => {}
            }
        }
    };
    match action {
        Action::Skip | Action::Else | Action::End | Action::MoveProcess { .. } => {}
        Action::Guard(expr) | Action::Assert(expr) => each(expr),
        Action::Assign(place, expr) => {
            expressions_in(place).for_each(&mut *each);
            each(expr);
        }
        Action::AssignAll(list) => {
            for (place, expr) in list {
                expressions_in(place).for_each(&mut *each);
                each(expr);
            }
        }
        Action::Print { arguments, .. } => arguments.iter().for_each(each),
        Action::Send { channel, arguments, .. } => {
            each(channel);
            arguments.iter().for_each(each);
        }
        Action::Receive(received) => receive(received, each),
        Action::Run { arguments, then, .. } => {
            arguments.iter().for_each(&mut *each);
            if let Some(then) = then {
                expressions_in(&then.0).for_each(&mut *each);
                each(&then.1);
            }
        }
        Action::SetPriority(pid, priority) => {
            each(pid);
            each(priority);
        }
        Action::Program(program) => {
            for guard in &program.guards {
                match guard {
                    Action::Guard(expr) => each(expr),
                    Action::Send { channel, arguments, .. } => {
                        each(channel);
                        arguments.iter().for_each(&mut *each);
                    }
                    Action::Receive(received) => receive(received, each),
                    _ => {}
                }
            }
        }
    }
}
