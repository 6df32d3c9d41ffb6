//! Dead variables: where the value of a local variable does not matter any more.
//!
//! A variable is *live* at a location if some way on from there reads it before it is written. The usual
//! analysis, backwards over the automaton of a process type until nothing changes:
//!
//! ```text
//! live(location) = union over its transitions of  reads + (live(target) - overwrites)
//! ```
//!
//! What is not live is dead, and becomes 0 when a process arrives
//! ([`LocationInfo::dead`](lariat_model::ir::LocationInfo::dead)). The nodes of a program are points of the
//! automaton like locations, but nothing is reset there. What is seen from outside is live everywhere. A
//! process that has nothing left to do but to end reads nothing: all its private variables are dead.
//!
//! To overwrite is to write a scalar whose place is fixed; of an array element it is not known which one it
//! is. Variables are cut into *pieces* at all bytes where an access begins or ends, so that each access is a
//! set of pieces.

use super::accesses::{Access, each_access, each_action, each_local, expressions_in, stretch};
use super::watched::Watched;
use lariat_model::ir::*;
use std::ops::Range;

/// A table of more bits than this is not worth it.
const MOST_BITS: usize = 1 << 28;

/// Longer stretches would take longer to clear than they are worth.
const LONGEST: u32 = 1024;

/// Notes at each location what is dead there. At how many locations there is something to reset.
pub fn reset(model: &mut Model, watched: &Watched) -> usize {
    let mut resets = 0;
    for (process, watched) in model.process_types.iter_mut().zip(&watched.variables) {
        let Some(flow) = Flow::of(process, watched) else { continue };
        let live = flow.live_points();
        for location in 1..process.locations.len() {
            let dead = flow.dead_at(location, &live, process);
            resets += !dead.is_empty() as usize;
            process.locations[location].dead = dead;
        }
    }
    resets
}

/// A set of pieces.
type Pieces = Vec<u64>;

/// A way from one point to another.
struct Way {
    from: usize,
    to: usize,
    reads: Pieces,
    /// Written on this way, whatever happens.
    overwrites: Pieces,
    /// Written on this way, perhaps.
    writes: Pieces,
}

/// The automaton of a process type, as far as its variables are concerned. The first points are the
/// locations.
struct Flow {
    /// Where each piece begins, in order; the last entry is the end.
    cuts: Vec<u32>,
    always_live: Pieces,
    ways: Vec<Way>,
    /// By point: the ways that lead there.
    coming: Vec<Vec<usize>>,
}

impl Flow {
    /// `None` if there is nothing to reset, or too much to compute.
    fn of(process: &ProcessType, watched: &[Range<u32>]) -> Option<Flow> {
        let cuts = cuts(process, watched);
        let nodes: usize = programs(process).map(|program| program.nodes.len()).sum();
        let points = process.locations.len() + nodes;
        let ways: usize = process.locations.iter().map(|location| location.transitions.len()).sum();
        if cuts.len() < 2 || (points + 3 * (ways + 2 * nodes)) * cuts.len() > MOST_BITS {
            return None;
        }
        let mut flow =
            Flow { cuts, always_live: Pieces::new(), ways: Vec::new(), coming: vec![Vec::new(); points] };
        flow.always_live = flow.nothing();
        for stretch in watched {
            let mut live = std::mem::take(&mut flow.always_live);
            flow.add(stretch, &mut live);
            flow.always_live = live;
        }
        let mut first_node = process.locations.len();
        for (from, location) in process.locations.iter().enumerate() {
            for transition in &location.transitions {
                // Without a target the process stays.
                let target = if transition.target == 0 { from } else { transition.target as usize };
                if transition.action == Action::End {
                    continue;
                }
                match &transition.action {
                    Action::Program(program) => {
                        flow.push(from, first_node, Some(&transition.action));
                        flow.program(program, first_node, target);
                        first_node += program.nodes.len();
                    }
                    action => flow.push(from, target, Some(action)),
                }
            }
        }
        Some(flow)
    }

    fn program(&mut self, program: &Program, first_node: usize, target: usize) {
        let point = |next: Next| match next {
            Next::Node(node) => first_node + node as usize,
            Next::Exit => target,
        };
        for (number, node) in program.nodes.iter().enumerate() {
            let from = first_node + number;
            match node {
                Node::Do { action, next, .. } => self.push(from, point(*next), Some(action)),
                Node::Choose { options, .. } => {
                    for option in options {
                        self.push(from, point(option.next), option.guard.as_ref());
                    }
                }
                Node::Jump(next) => self.push(from, point(*next), None),
            }
        }
    }

    fn push(&mut self, from: usize, to: usize, action: Option<&Action>) {
        let mut way =
            Way { from, to, reads: self.nothing(), overwrites: self.nothing(), writes: self.nothing() };
        if let Some(action) = action {
            each_access(action, &mut |access| match access {
                Access::Reads(expr) => each_local(expr, &mut |stretch| self.add(&stretch, &mut way.reads)),
                Access::Writes(place) => {
                    for expr in expressions_in(place) {
                        each_local(expr, &mut |stretch| self.add(&stretch, &mut way.reads));
                    }
                    if place.base == Base::Local {
                        self.add(&stretch(place), &mut way.writes);
                        if place.indices.is_empty() {
                            self.add(&stretch(place), &mut way.overwrites);
                        }
                    }
                }
            });
        }
        self.coming[to].push(self.ways.len());
        self.ways.push(way);
    }

    fn nothing(&self) -> Pieces {
        vec![0; self.cuts.len().div_ceil(64)]
    }

    /// Adds the pieces of a stretch, whose ends are among the cuts.
    fn add(&self, stretch: &Range<u32>, pieces: &mut Pieces) {
        let first = self.cuts.partition_point(|cut| *cut < stretch.start);
        let end = self.cuts.partition_point(|cut| *cut < stretch.end);
        for piece in first..end {
            pieces[piece / 64] |= 1 << (piece % 64);
        }
    }

    /// What is live at each point.
    fn live_points(&self) -> Vec<Pieces> {
        let mut live = vec![self.always_live.clone(); self.coming.len()];
        // A point is looked at again when more is live where one of its ways leads.
        let mut waiting: Vec<usize> = (0..self.ways.len()).collect();
        while let Some(number) = waiting.pop() {
            let way = &self.ways[number];
            let mut grew = false;
            let after = live[way.to].iter().zip(&way.overwrites).zip(&way.reads);
            let before: Pieces =
                after.map(|((live, overwrites), reads)| reads | live & !overwrites).collect();
            for (known, more) in live[way.from].iter_mut().zip(before) {
                grew |= more & !*known != 0;
                *known |= more;
            }
            if grew {
                waiting.extend(&self.coming[way.from]);
            }
        }
        live
    }

    /// The stretches that are dead at a location and may be something else than 0 when a process arrives
    /// there: those that were live where it comes from, or are written on the way, or when the process
    /// begins.
    fn dead_at(&self, location: usize, live: &[Pieces], process: &ProcessType) -> Vec<Range<u32>> {
        let mut fresh = self.nothing();
        if process.start as usize == location {
            fresh.fill(u64::MAX);
        }
        for way in self.coming[location].iter().map(|way| &self.ways[*way]) {
            // What is dead inside of a program has not been reset there.
            let from_node = way.from >= process.locations.len();
            for word in 0..fresh.len() {
                fresh[word] |= if from_node { u64::MAX } else { live[way.from][word] | way.writes[word] };
            }
        }
        let mut dead: Vec<Range<u32>> = Vec::new();
        for (piece, ends) in self.cuts.windows(2).enumerate() {
            let is_in = |pieces: &Pieces| pieces[piece / 64] >> (piece % 64) & 1 == 1;
            if is_in(&live[location]) || !is_in(&fresh) || ends[1] - ends[0] > LONGEST {
                continue;
            }
            match dead.last_mut() {
                Some(last) if last.end == ends[0] => last.end = ends[1],
                _ => dead.push(ends[0]..ends[1]),
            }
        }
        dead
    }
}

fn programs(process: &ProcessType) -> impl Iterator<Item = &Program> {
    let transitions = process.locations.iter().flat_map(|location| &location.transitions);
    transitions.filter_map(|transition| match &transition.action {
        Action::Program(program) => Some(&**program),
        _ => None,
    })
}

/// Where accesses begin and end, and variables.
fn cuts(process: &ProcessType, watched: &[Range<u32>]) -> Vec<u32> {
    let mut cuts = vec![0, process.variables_size];
    let mut cut = |stretch: Range<u32>| cuts.extend([stretch.start, stretch.end]);
    watched.iter().cloned().for_each(&mut cut);
    each_action(process, &mut |action| {
        each_access(action, &mut |access| match access {
            Access::Reads(expr) => each_local(expr, &mut cut),
            Access::Writes(place) => {
                expressions_in(place).for_each(|expr| each_local(expr, &mut cut));
                if place.base == Base::Local {
                    cut(stretch(place));
                }
            }
        });
    });
    cuts.sort_unstable();
    cuts.dedup();
    cuts
}
