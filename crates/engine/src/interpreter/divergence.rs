//! Cycles among the intermediate states of an indivisible sequence: runs that never leave it.
//!
//! From outside, one such run cannot be told from another, but for the processes that move in it: these are
//! not where they were when the sequence began. So what is looked for is a cycle for each set of processes
//! that may have moved when a run has come there and gone round: a depth-first search over pairs of an
//! intermediate state and a set, from the entrances on. On a cycle the set stays the same, as it only grows.
//! Every component of this graph that has a cycle has a link back to a pair on the path, so none is missed.
//!
//! Mostly there is no cycle, which is found out beforehand, without sets; or one process moves, and there is
//! one set.

use crate::patience::Patience;
use crate::process_set::ProcessSet;
use lariat_model::ir::{Action, ProcessType};

/// A first step, from the state in which the sequence begins. `trail` ends with it.
#[derive(Clone, Copy, Debug)]
pub struct Entrance {
    pub place: u32,
    pub trail: u32,
}

/// A step from one intermediate state to another. `trail` ends with it.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    pub from: u32,
    pub to: u32,
    pub trail: u32,
}

/// The intermediate states of a sequence.
pub struct Graph<'g> {
    pub states: usize,
    pub entrances: &'g [Entrance],
    pub links: &'g [Link],
    /// States from which a step leads out, or into an error.
    pub exits: &'g [u32],
}

/// A run that goes on for ever: an entrance, links to a cycle, and links round it.
#[derive(Debug)]
pub struct EndlessRun {
    pub entrance: usize,
    pub stem: Vec<u32>,
    pub cycle: Vec<u32>,
    /// The processes that move.
    pub movers: ProcessSet,
    /// Nothing leads out, from any state of the cycle.
    pub is_trap: bool,
}

/// There are too many pairs of states and sets; what was found before.
pub struct TooMany(pub Vec<EndlessRun>);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    Unseen,
    OnPath,
    Done,
}

/// Whether there is a cycle at all.
pub fn has_cycle(graph: &Graph) -> bool {
    let leaving = Adjacency::of(graph.states, graph.links.iter().map(|link| link.from));
    let mut marks = vec![Mark::Unseen; graph.states];
    // A state on the path, and how many of its links were taken.
    let mut path: Vec<(u32, usize)> = Vec::new();
    for root in 0..graph.states as u32 {
        if marks[root as usize] != Mark::Unseen {
            continue;
        }
        marks[root as usize] = Mark::OnPath;
        path.push((root, 0));
        while let Some((state, taken)) = path.last_mut() {
            let Some(&link) = leaving.of_state(*state).get(*taken) else {
                marks[*state as usize] = Mark::Done;
                path.pop();
                continue;
            };
            *taken += 1;
            let to = graph.links[link as usize].to;
            match marks[to as usize] {
                Mark::Done => {}
                Mark::OnPath => return true,
                Mark::Unseen => {
                    marks[to as usize] = Mark::OnPath;
                    path.push((to, 0));
                }
            }
        }
    }
    false
}

/// So many sets of processes are told apart.
const MOST_SETS: usize = 256;

/// Pairs between two looks at the clock.
const BETWEEN_LOOKS: usize = 1 << 12;

/// A pair on the path.
struct OnPath {
    state: u32,
    /// The number of the set of processes that have moved.
    set: u32,
    /// How many of its links were taken.
    taken: u32,
    /// The link by which it was reached; [`NO_LINK`] for an entrance.
    by: u32,
}

const NO_LINK: u32 = u32::MAX;

/// The sets of processes that have moved, by number, and for each of them what is known of the pairs.
struct Pairs {
    sets: Vec<ProcessSet>,
    marks: Vec<Vec<Mark>>,
    states: usize,
    max_bytes: usize,
}

impl Pairs {
    /// The number of a set; `None` if there is no room for another one.
    fn number_of(&mut self, set: ProcessSet) -> Option<u32> {
        let known = self.sets.iter().position(|known| *known == set);
        let number = known.unwrap_or(self.sets.len());
        if known.is_none() {
            let is_small = number == 0 || (number + 1) * self.states <= self.max_bytes;
            let mut marks = Vec::new();
            if !is_small || number == MOST_SETS || marks.try_reserve_exact(self.states).is_err() {
                return None;
            }
            marks.resize(self.states, Mark::Unseen);
            self.sets.push(set);
            self.marks.push(marks);
        }
        Some(number as u32)
    }

    fn mark(&mut self, state: u32, set: u32) -> &mut Mark {
        &mut self.marks[set as usize][state as usize]
    }
}

/// One run for each set of processes that move, and for each of these one that can be left and one that
/// cannot, as far as there are such. `entering` and `moving` tell who moves, by entrance and by link.
pub fn find_divergences(
    graph: &Graph,
    mut entering: impl FnMut(&Entrance) -> ProcessSet,
    mut moving: impl FnMut(&Link) -> ProcessSet,
    patience: Patience,
) -> Result<Vec<EndlessRun>, TooMany> {
    let leaving = Adjacency::of(graph.states, graph.links.iter().map(|link| link.from));
    let can_leave = states_that_can_leave(graph);
    let (states, max_bytes) = (graph.states, patience.max_bytes / 4);
    let mut pairs = Pairs { sets: Vec::new(), marks: Vec::new(), states, max_bytes };
    let mut found: Vec<EndlessRun> = Vec::new();
    let mut path: Vec<OnPath> = Vec::new();
    let mut met = 0usize;
    for (entrance, start) in graph.entrances.iter().enumerate() {
        let Some(set) = pairs.number_of(entering(start)) else { return Err(TooMany(found)) };
        if *pairs.mark(start.place, set) != Mark::Unseen {
            continue;
        }
        *pairs.mark(start.place, set) = Mark::OnPath;
        path.push(OnPath { state: start.place, set, taken: 0, by: NO_LINK });
        while let Some(top) = path.last_mut() {
            let Some(&link) = leaving.of_state(top.state).get(top.taken as usize) else {
                *pairs.mark(top.state, top.set) = Mark::Done;
                path.pop();
                continue;
            };
            top.taken += 1;
            let state = graph.links[link as usize].to;
            let moved = pairs.sets[top.set as usize].union(moving(&graph.links[link as usize]));
            let Some(set) = pairs.number_of(moved) else { return Err(TooMany(found)) };
            match *pairs.mark(state, set) {
                Mark::Done => {}
                Mark::OnPath => {
                    let is_trap = !can_leave[state as usize];
                    let same = |known: &EndlessRun| known.movers == moved && known.is_trap == is_trap;
                    if !found.iter().any(same) {
                        let entry = path.iter().position(|pair| (pair.state, pair.set) == (state, set));
                        let entry = entry.expect("it is on the path");
                        let links = |part: &[OnPath]| part.iter().map(|pair| pair.by).collect();
                        let stem = links(&path[1..=entry]);
                        let mut cycle: Vec<u32> = links(&path[entry + 1..]);
                        cycle.push(link);
                        found.push(EndlessRun { entrance, stem, cycle, movers: moved, is_trap });
                    }
                }
                Mark::Unseen => {
                    met += 1;
                    let look = met.is_multiple_of(BETWEEN_LOOKS) && patience.is_over();
                    if look || path.len() == path.capacity() && path.try_reserve(1).is_err() {
                        return Err(TooMany(found));
                    }
                    *pairs.mark(state, set) = Mark::OnPath;
                    path.push(OnPath { state, set, taken: 0, by: link });
                }
            }
        }
    }
    Ok(found)
}

/// Backwards from the states with a step that leads out.
fn states_that_can_leave(graph: &Graph) -> Vec<bool> {
    let arriving = Adjacency::of(graph.states, graph.links.iter().map(|link| link.to));
    let mut can_leave = vec![false; graph.states];
    let mut work: Vec<u32> = Vec::new();
    for &exit in graph.exits {
        if !std::mem::replace(&mut can_leave[exit as usize], true) {
            work.push(exit);
        }
    }
    while let Some(state) = work.pop() {
        for &link in arriving.of_state(state) {
            let from = graph.links[link as usize].from;
            if !std::mem::replace(&mut can_leave[from as usize], true) {
                work.push(from);
            }
        }
    }
    can_leave
}

/// The links of each state, by their places.
struct Adjacency {
    starts: Vec<usize>,
    links: Vec<u32>,
}

impl Adjacency {
    fn of(states: usize, ends: impl Iterator<Item = u32> + Clone) -> Adjacency {
        let mut starts = vec![0; states + 1];
        for state in ends.clone() {
            starts[state as usize + 1] += 1;
        }
        for state in 0..states {
            starts[state + 1] += starts[state];
        }
        let mut next = starts.clone();
        let mut links = vec![0; starts[states]];
        for (link, state) in ends.enumerate() {
            links[next[state as usize]] = link as u32;
            next[state as usize] += 1;
        }
        Adjacency { starts, links }
    }

    fn of_state(&self, state: u32) -> &[u32] {
        &self.links[self.starts[state as usize]..self.starts[state as usize + 1]]
    }
}

/// Whether a process of this type might go round a loop without giving up control: all of its steps keep
/// control, or send (of a handshake, the receiver's step decides who has control then).
pub fn can_keep_control_for_ever(process: &ProcessType) -> bool {
    let mut links = Vec::new();
    for (from, location) in process.locations.iter().enumerate() {
        for transition in &location.transitions {
            if transition.keeps_control || matches!(transition.action, Action::Send { .. }) {
                let to = if transition.target == 0 { from as u32 } else { transition.target };
                links.push(Link { from: from as u32, to, trail: 0 });
            }
        }
    }
    has_cycle(&Graph { states: process.locations.len(), entrances: &[], links: &links, exits: &[] })
}
