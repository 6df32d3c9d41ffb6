//! Which sticky locations are needed: a look at the reduced model itself.
//!
//! Sticky locations meet every cycle in the control flow, but many of these are no cycles of the model:
//! messages are used up, counters count. So small models are explored before the search: first with no sticky
//! location at all. If the states of which only some processes are followed form no cycle among themselves,
//! then every cycle of the reduced model has a state that is expanded fully, and that is all that is needed.
//! If they do, the sticky locations of one process type that moves in the cycle count, and the next round
//! begins; at the latest when all of them count, there is no such cycle. A model that is too large for this
//! keeps all of its sticky locations.
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

/// States between two looks at the limits.
const BETWEEN_LOOKS: usize = 256;

/// An arc between two states of which only some processes are followed.
struct Arc {
    from: u32,
    to: u32,
}

/// What a round has seen.
struct Round {
    /// By state: the types of the processes that are followed; of states that are expanded fully none.
    followed: Vec<Vec<u16>>,
    arcs: Vec<Arc>,
}

/// The same reduction, with as few sticky locations as are needed, if the model is small enough to see. An
/// error if of all the states that were seen everything must be followed. The interpreter is not reduced
/// itself.
pub fn loosened<'m>(
    mut reduction: Reduction<'m>,
    interpreter: &Interpreter<'m>,
    patience: Patience,
) -> Result<Reduction<'m>, NotReduced> {
    let types = reduction.model().process_types.len();
    reduction.loose = vec![true; types];
    let mut left = MOST_STATES;
    let mut is_of_use = false;
    loop {
        let reduced = interpreter.clone().with_reduction(reduction);
        let round = explore(&reduced, &mut left, &mut is_of_use, patience);
        if !is_of_use && !patience.is_over() {
            return Err(NotReduced("wherever it was tried, all processes had to be followed"));
        }
        // Nobody else has it.
        reduction = match reduced.into_reduction() {
            Some(reduction) => reduction,
            None => unreachable!("an interpreter that was not handed on"),
        };
        let Some(round) = round else {
            reduction.loose = vec![false; types];
            return Ok(reduction);
        };
        let Some(moves) = round.moves_on_cycles(types) else { return Ok(reduction) };
        let loose = (0..types).filter(|&ty| reduction.loose[ty] && moves[ty] > 0);
        match loose.max_by_key(|&ty| (moves[ty], std::cmp::Reverse(ty))) {
            Some(ty) => reduction.loose[ty] = false,
            // The oldest process that moves on a cycle is of such a type. If that were not so, all count.
            None => {
                reduction.loose = vec![false; types];
                return Ok(reduction);
            }
        }
    }
}

/// Explores the reduced model, unless there are too many states.
fn explore(
    reduced: &Interpreter,
    left: &mut usize,
    is_of_use: &mut bool,
    patience: Patience,
) -> Option<Round> {
    let initial = reduced.initial_state().ok()?;
    let mut known: FxHashMap<Vec<u8>, u32> = FxHashMap::default();
    known.insert(initial.clone(), 0);
    let mut states = vec![initial];
    let mut round = Round { followed: Vec::new(), arcs: Vec::new() };
    let mut all: Vec<(u32, u32)> = Vec::new();
    let mut out = Successors::new();
    let mut place = 0;
    while place < states.len() {
        *left = left.checked_sub(1)?;
        if place.is_multiple_of(BETWEEN_LOOKS) && patience.is_over() {
            return None;
        }
        let state = std::mem::take(&mut states[place]);
        reduced.successors(&state, &mut out);
        if out.was_cut() {
            return None;
        }
        let mut followed = Vec::new();
        *is_of_use |= out.is_reduced();
        if out.is_reduced() {
            for step in out.all_steps() {
                if !followed.contains(&step.process_type) {
                    followed.push(step.process_type);
                }
            }
        }
        for i in 0..out.len() {
            let count = states.len() as u32;
            let number = *known.entry(out.state(i).to_vec()).or_insert(count);
            if number == count {
                states.push(out.state(i).to_vec());
            }
            if out.is_reduced() {
                all.push((place as u32, number));
            }
        }
        round.followed.push(followed);
        place += 1;
    }
    let is_reduced = |state: u32| !round.followed[state as usize].is_empty();
    round.arcs =
        all.into_iter().filter(|(_, to)| is_reduced(*to)).map(|(from, to)| Arc { from, to }).collect();
    Some(round)
}

impl Round {
    /// How often each process type moves on cycles of states of which only some processes are followed, if
    /// there are such cycles: in what is left of the graph when all that comes before or after every cycle is
    /// taken away.
    fn moves_on_cycles(&self, types: usize) -> Option<Vec<u32>> {
        let count = self.followed.len();
        let on_cycles = |forward: bool| {
            let ends = |arc: &Arc| match forward {
                true => (arc.from, arc.to),
                false => (arc.to, arc.from),
            };
            let mut leaving = vec![0u32; count];
            let mut arriving: Vec<Vec<u32>> = vec![Vec::new(); count];
            for arc in &self.arcs {
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
