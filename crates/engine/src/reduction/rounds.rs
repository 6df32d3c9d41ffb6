//! Which sticky locations are needed: a look at the reduced model itself.
//!
//! Sticky locations meet every cycle in the control flow, but many of these are no cycles of the model:
//! messages are used up, counters count. So small models are explored before the search: first with no sticky
//! location at all. If the states of which only some processes are followed form no cycle among themselves,
//! then every cycle of the reduced model has a state that is expanded fully, and that is all that is needed.
//! If they do, the sticky locations of one process type that moves in the cycle count, and the next round
//! begins; at the latest when all of them count, there is no such cycle. A model that is too large for this
//! keeps all of its sticky locations. Each round looks for cycles early, so most of them are short.
//!
//! The same look tells whether reduction is of any use. Of the first states of which only some processes are
//! followed, all successors are computed: if hardly one is missing among the states that were met otherwise,
//! the search would only take longer, and the model is not reduced. The same is asked some hundred steps away
//! from the initial state, because models do not begin as they go on.
//!
//! The rounds are the same whatever is searched for in the end, and how: what is followed of a state still
//! depends on the model and the state alone.

use super::{NotReduced, Reduction};
use crate::interpreter::Interpreter;
use crate::patience::Patience;
use crate::successors::{SuccessorFunction, Successors};
use rustc_hash::FxHashMap;

/// So many states are looked at, in all rounds together.
const MOST_STATES: usize = 20_000;

/// A round looks for cycles when it has seen so many states, and whenever it has seen four times as many.
const FIRST_LOOK: usize = 256;

/// So many states are a sample that tells whether reduction is of use; of the first part of them it is asked
/// what was left out.
const SAMPLE: usize = 2_000;
const FIRST_PART: usize = 4;

/// If of so many states everything is followed, that is a sample already.
const SMALL_SAMPLE: usize = 500;

/// A round is given up when it waits to expand more states than one in so many of those that it may still
/// look at: then there are more to come than it can see.
const HOPELESS: usize = 12;

/// The second sample begins so many steps away from the initial state.
const WALK: usize = 300;

/// Of the states that were left out, one in so many must not have been met otherwise.
const WORTHWHILE: usize = 20;

/// So many successors cost as much as a state, and so many steps of the sequences that lead to them.
const BRANCHES: usize = 4;
const STEPS: usize = 16;

/// An arc between two states of which only some processes are followed.
struct Arc {
    from: u32,
    to: u32,
}

/// What a round has seen so far: the first states of the reduced model, level by level.
#[derive(Default)]
struct Round {
    known: FxHashMap<Box<[u8]>, u32>,
    /// By number; those that are expanded come first.
    states: Vec<Box<[u8]>>,
    /// By state that is expanded: the types of the processes that are followed; of states that are expanded
    /// fully none.
    followed: Vec<Vec<u16>>,
    /// How many of these are not expanded fully.
    reduced: usize,
    /// What all of this has cost, as states count.
    cost: usize,
    /// Arcs that leave states of which only some processes are followed.
    arcs: Vec<Arc>,
}

/// What a round comes to.
enum Seen {
    /// All states, so many. Those of which only some processes are followed form no cycle.
    All(usize),
    /// They form cycles. How often each process type moves on them.
    Cycles(Vec<u32>),
    /// There are too many states, or too little time.
    TooMany,
    /// It is of no use to follow only some processes.
    Nothing(Size),
}

/// The same reduction, with as few sticky locations as are needed, if the model is small enough to see. An
/// error if it is of no use. The interpreter is not reduced itself. Also what is known now of the size of the
/// model.
pub fn loosened<'m>(
    mut reduction: Reduction<'m>,
    interpreter: &Interpreter<'m>,
    patience: Patience,
) -> (Result<Reduction<'m>, NotReduced>, Size) {
    let types = reduction.model().process_types.len();
    reduction.loose = reduction.sticky.iter().map(|locations| locations.contains(&true)).collect();
    let mut left = MOST_STATES;
    while reduction.loose.contains(&true) {
        let seen;
        (reduction, seen) = in_reduced(reduction, interpreter, |reduced| {
            let initial = reduced.initial_state().ok().map(Round::beginning_at);
            let seen = initial.and_then(|mut round| round.explore(reduced, interpreter, &mut left, patience));
            seen.filter(|_| !patience.is_over()).unwrap_or(Seen::TooMany)
        });
        match seen {
            Seen::All(states) => return (Ok(reduction), Size::Seen(states)),
            Seen::Nothing(size) => return (Err(NOT_OF_USE), size),
            Seen::TooMany => reduction.loose = vec![false; types],
            Seen::Cycles(moves) => {
                let loose = (0..types).filter(|&ty| reduction.loose[ty] && moves[ty] > 0);
                match loose.max_by_key(|&ty| (moves[ty], std::cmp::Reverse(ty))) {
                    Some(ty) => reduction.loose[ty] = false,
                    // The oldest process that moves on a cycle is of such a type. If that were not so, all
                    // count.
                    None => reduction.loose = vec![false; types],
                }
            }
        }
    }
    let mut size = Size::Small;
    let (reduction, is_of_use) = in_reduced(reduction, interpreter, |reduced| {
        let mut is_of_use = |start| {
            let (is_of_use, around) = sample(reduced, interpreter, start, patience);
            size = size.max(around);
            is_of_use.unwrap_or(true)
        };
        reduced.initial_state().map_or(true, &mut is_of_use) || deeper(reduced).is_none_or(is_of_use)
    });
    (if is_of_use { Ok(reduction) } else { Err(NOT_OF_USE) }, size)
}

/// What a look at a model tells of its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Size {
    /// All that is left of it was seen, so many states.
    Seen(usize),
    /// All that there is may have been seen.
    Small,
    /// More than a sample.
    Large,
}

/// Why a model is not reduced that could be.
pub const NOT_OF_USE: NotReduced = NotReduced("wherever it was tried, nothing was gained");

/// Does something with the interpreter, reduced.
fn in_reduced<'m, T>(
    reduction: Reduction<'m>,
    interpreter: &Interpreter<'m>,
    work: impl FnOnce(&Interpreter<'m>) -> T,
) -> (Reduction<'m>, T) {
    let reduced = interpreter.clone().with_reduction(reduction);
    let result = work(&reduced);
    match reduced.into_reduction() {
        Some(reduction) => (reduction, result),
        None => unreachable!("an interpreter that was not handed on"),
    }
}

/// Whether reduction is of use among the states from one on; unknown, if there is no time. And whether there
/// are more of them than were looked at.
fn sample(
    reduced: &Interpreter,
    full: &Interpreter,
    start: Vec<u8>,
    patience: Patience,
) -> (Option<bool>, Size) {
    let mut round = Round::beginning_at(start);
    let mut out = Successors::new();
    while round.followed.len() < round.states.len() && !round.is_sample() {
        if round.expand_next(reduced, &mut out, patience).is_none() {
            return (None, Size::Large);
        }
    }
    let is_of_use = (!patience.is_over()).then(|| round.is_of_use(reduced, full));
    (is_of_use, if round.followed.len() < SAMPLE { Size::Small } else { Size::Large })
}

/// A state that is far from the initial one: where a model begins it is not like later.
fn deeper(reduced: &Interpreter) -> Option<Vec<u8>> {
    let mut state = reduced.initial_state().ok()?;
    let mut out = Successors::new();
    for step in 0..WALK {
        reduced.successors(&state, &mut out);
        if out.is_empty() {
            break;
        }
        let next = out.state(step * 7 % out.len());
        state.clear();
        state.extend_from_slice(next);
    }
    Some(state)
}

impl Round {
    fn beginning_at(state: Vec<u8>) -> Round {
        let state: Box<[u8]> = state.into();
        let known = std::iter::once((state.clone(), 0)).collect();
        Round { known, states: vec![state], ..Round::default() }
    }

    /// Explores the reduced model, unless there are too many states.
    fn explore(
        &mut self,
        reduced: &Interpreter,
        full: &Interpreter,
        left: &mut usize,
        patience: Patience,
    ) -> Option<Seen> {
        let types = full.model().process_types.len();
        let mut out = Successors::new();
        let (mut next_look, mut is_sampled) = (FIRST_LOOK, false);
        while self.followed.len() < self.states.len() {
            let cost = self.cost;
            self.expand_next(reduced, &mut out, patience)?;
            *left = left.checked_sub(self.cost - cost)?;
            if (self.states.len() - self.followed.len()) * HOPELESS > *left {
                return None;
            }
            if !is_sampled && self.is_sample() {
                is_sampled = true;
                let of_use = |start| sample(reduced, full, start, patience).0;
                if !self.is_of_use(reduced, full) && deeper(reduced).and_then(of_use) == Some(false) {
                    // With sticky locations it would be of less use still.
                    return Some(Seen::Nothing(Size::Large));
                }
            }
            if self.followed.len() == next_look {
                next_look *= 4;
                if let Some(moves) = self.moves_on_cycles(types) {
                    return Some(Seen::Cycles(moves));
                }
            }
        }
        Some(match self.moves_on_cycles(types) {
            _ if self.reduced == 0 => Seen::Nothing(Size::Small),
            Some(moves) => Seen::Cycles(moves),
            None => Seen::All(self.states.len()),
        })
    }

    /// Whether enough is seen to tell whether reduction is of use.
    fn is_sample(&self) -> bool {
        let is_small_sample = self.reduced == 0 && self.followed.len() >= SMALL_SAMPLE;
        self.followed.len() >= SAMPLE || self.cost >= 2 * SAMPLE || is_small_sample
    }

    /// Whether states that are left out are not met otherwise.
    fn is_of_use(&self, reduced: &Interpreter, full: &Interpreter) -> bool {
        let mut out = Successors::new();
        let (mut left_out, mut lost) = (0, 0);
        let first = self.followed.len().div_ceil(FIRST_PART);
        for (state, followed) in self.states.iter().zip(&self.followed).take(first) {
            if !followed.is_empty() {
                reduced.successors(state, &mut out);
                let kept = out.len();
                full.successors(state, &mut out);
                left_out += out.len().saturating_sub(kept);
                lost += (0..out.len()).filter(|&i| !self.known.contains_key(out.state(i))).count();
            }
        }
        lost * WORTHWHILE > left_out
    }

    /// Expands the next state; unless the time is over.
    fn expand_next(&mut self, reduced: &Interpreter, out: &mut Successors, patience: Patience) -> Option<()> {
        let place = self.followed.len();
        if patience.is_over() {
            return None;
        }
        reduced.successors(&self.states[place], out);
        if out.was_cut() {
            return None;
        }
        self.cost += 1 + out.len() / BRANCHES + out.all_steps().count() / STEPS;
        let mut followed = Vec::new();
        if out.is_reduced() {
            for step in out.all_steps() {
                if !followed.contains(&step.process_type) {
                    followed.push(step.process_type);
                }
            }
        }
        for i in 0..out.len() {
            let count = self.states.len() as u32;
            let number = match self.known.get(out.state(i)) {
                Some(&number) => number,
                None => {
                    let state: Box<[u8]> = out.state(i).into();
                    self.known.insert(state.clone(), count);
                    self.states.push(state);
                    count
                }
            };
            if out.is_reduced() {
                self.arcs.push(Arc { from: place as u32, to: number });
            }
        }
        self.reduced += usize::from(!followed.is_empty());
        self.followed.push(followed);
        Some(())
    }

    /// How often each process type moves on cycles of states of which only some processes are followed, if
    /// there are such cycles: in what is left of the graph when all that comes before or after every cycle is
    /// taken away.
    fn moves_on_cycles(&self, types: usize) -> Option<Vec<u32>> {
        let count = self.followed.len();
        let is_reduced =
            |state: u32| self.followed.get(state as usize).is_some_and(|types| !types.is_empty());
        let on_cycles = |forward: bool| {
            let ends = |arc: &Arc| match forward {
                true => (arc.from, arc.to),
                false => (arc.to, arc.from),
            };
            let mut leaving = vec![0u32; count];
            let mut arriving: Vec<Vec<u32>> = vec![Vec::new(); count];
            for arc in self.arcs.iter().filter(|arc| is_reduced(arc.to)) {
                let (from, to) = ends(arc);
                leaving[from as usize] += 1;
                arriving[to as usize].push(from);
            }
            let mut waiting: Vec<u32> = (0..count as u32).filter(|&s| leaving[s as usize] == 0).collect();
            let mut is_left = vec![true; count];
            while let Some(state) = waiting.pop() {
                is_left[state as usize] = false;
                for &before in &arriving[state as usize] {
                    leaving[before as usize] -= 1;
                    if leaving[before as usize] == 0 {
                        waiting.push(before);
                    }
                }
            }
            is_left
        };
        // Between two cycles there may be states on none; they do no harm here.
        let (forward, backward) = (on_cycles(true), on_cycles(false));
        let mut moves = None;
        for state in (0..count).filter(|&state| forward[state] && backward[state]) {
            let moves = moves.get_or_insert_with(|| vec![0u32; types]);
            self.followed[state].iter().for_each(|&ty| moves[ty as usize] += 1);
        }
        moves
    }
}
