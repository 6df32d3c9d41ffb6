//! Cycles among the intermediate states of an indivisible sequence: runs that never leave it.
//!
//! A depth-first search over the links that were recorded. Every component with a cycle has a link back to
//! a state on the path, so each is found, although not each of its cycles: outside, one cannot be told from
//! another. What can be told is which process holds control, and whether the sequence can still be left; so
//! there is at most one answer for each of these.

use crate::ir::{Action, ProcessType};

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
    pub links: &'g [Link],
    /// States from which a step leads out, or into an error.
    pub exits: &'g [u32],
}

/// A cycle: the state at which it is entered, and the links around it.
#[derive(Debug, PartialEq, Eq)]
pub struct Cycle {
    pub entry: u32,
    pub cycle: Vec<u32>,
    /// Nothing leads out, from any state of it.
    pub is_trap: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    Unseen,
    OnPath,
    Done,
}

/// One cycle for each holder of control, and for each of these one that can be left and one that cannot, as
/// far as there are such.
pub fn find_divergences(graph: &Graph, holder: impl Fn(u32) -> Option<u16>) -> Vec<Cycle> {
    let leaving = Adjacency::of(graph.states, graph.links.iter().map(|link| link.from));
    let can_leave = states_that_can_leave(graph);
    let mut found: Vec<Cycle> = Vec::new();
    let mut marks = vec![Mark::Unseen; graph.states];
    // A state on the path, how many of its links were taken, and the link by which it was reached.
    let mut path: Vec<(u32, usize, u32)> = Vec::new();
    for root in 0..graph.states as u32 {
        if marks[root as usize] != Mark::Unseen {
            continue;
        }
        marks[root as usize] = Mark::OnPath;
        path.push((root, 0, u32::MAX));
        while let Some((state, taken, _)) = path.last_mut() {
            let Some(&link) = leaving.of_state(*state).get(*taken) else {
                marks[*state as usize] = Mark::Done;
                path.pop();
                continue;
            };
            *taken += 1;
            let to = graph.links[link as usize].to;
            match marks[to as usize] {
                Mark::Done => {}
                Mark::Unseen => {
                    marks[to as usize] = Mark::OnPath;
                    path.push((to, 0, link));
                }
                Mark::OnPath => {
                    let is_trap = !can_leave[to as usize];
                    let same = |known: &Cycle| holder(known.entry) == holder(to) && known.is_trap == is_trap;
                    if !found.iter().any(same) {
                        let start = path.iter().position(|(state, ..)| *state == to).unwrap_or(0);
                        let mut cycle: Vec<u32> = path[start + 1..].iter().map(|(_, _, by)| *by).collect();
                        cycle.push(link);
                        found.push(Cycle { entry: to, cycle, is_trap });
                    }
                }
            }
        }
    }
    found
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
    let graph = Graph { states: process.locations.len(), links: &links, exits: &[] };
    !find_divergences(&graph, |_| None).is_empty()
}
