//! Partial-order reduction of models in Rust: of the processes of a state only some are followed, where the
//! model says who reads and writes what ([`Footprint`]).
//!
//! Which steps of a state are followed depends on the state alone, so the reduced model is a model, and every
//! algorithm sees the same one. It is the reduction of models in files (`reduction` in `lariat-engine`), with
//! footprints that somebody has written instead of some that were read off a program.
//!
//! **What is followed.** All steps of a set of processes. What the processes of the set do next does not
//! disturb what any process outside may do from now on, nor the other way round: so whatever happens outside,
//! the steps of the set stay what they are, possible or not, and it does not matter which comes first (a
//! stubborn set, or C1 of ample sets). Some step of the set is possible. Of all such sets that begin with a
//! process that can move, the one with the fewest steps is taken, the first of several.
//!
//! **When it is enough.** No followed step changes what a proposition of the formula looks at (C2): then the
//! runs that are left out differ by stuttering only from some that are followed, provided that nobody waits
//! for ever (C3). For this each followed step must make the sum of all positions greater. A cycle comes back
//! to the sum that it began with, so it has a state in which that is not so, and there everything is
//! followed. This is judged by what the positions are in the states themselves; no promise is needed. (Where
//! there are infinitely many states and no cycle, somebody may wait for ever; but then the search does not
//! come to an end either, and a run that it finds is one of the model.)
//!
//! The proposition `deadlock` becomes true by the last step of a run, whichever that is. Alone that does not
//! matter: all states before the end of a run can go on, in whatever order, and the last is the same. Beside
//! other propositions it does: the last step may be one that another proposition sees, or one that it does
//! not. So a formula with both is not reduced.
//!
//! Whether footprints are true is looked at by samples (`independence.rs`).

use crate::Model;
use crate::footprint::{Footprint, Things};
use std::cell::RefCell;

/// How steps are left out.
pub(crate) struct Reduction {
    /// What the propositions of the formula look at.
    pub observed: Things,
    /// Of the state, and of one that follows.
    buffers: RefCell<[Vec<Footprint>; 2]>,
}

impl Reduction {
    pub fn new(observed: Things) -> Reduction {
        Reduction { observed, buffers: RefCell::default() }
    }

    /// Leaves out what need not be followed. Whether something was.
    pub fn reduce<M: Model>(
        &self,
        model: &M,
        state: &M::State,
        steps: &mut Vec<(M::Action, M::State)>,
    ) -> bool {
        if steps.len() < 2 {
            return false;
        }
        let mut buffers = self.buffers.borrow_mut();
        let [footprints, after] = &mut *buffers;
        footprints.clear();
        model.footprints(state, footprints);
        let owners: Vec<usize> = steps.iter().map(|(action, _)| model.process_of(action)).collect();
        // Who has no footprint may do anything.
        if owners.iter().any(|&owner| owner >= footprints.len()) {
            return false;
        }
        let sum = position(footprints);
        let mut rises = |place: usize| {
            after.clear();
            model.footprints(&steps[place].1, after);
            position(after) > sum
        };
        let mut risen: Vec<Option<bool>> = vec![None; steps.len()];
        let mut tried = vec![false; footprints.len()];
        let mut best: Option<(usize, Vec<bool>)> = None;
        for &first in &owners {
            if std::mem::replace(&mut tried[first], true) {
                continue;
            }
            let set = closure(footprints, first);
            let followed = || (0..owners.len()).filter(|&place| set[owners[place]]);
            let count = followed().count();
            if count >= best.as_ref().map_or(steps.len(), |(least, _)| *least) {
                continue;
            }
            let is_seen = |place: usize| footprints[owners[place]].next_writes.meets(&self.observed);
            if followed().any(is_seen) {
                continue;
            }
            if followed().all(|place| *risen[place].get_or_insert_with(|| rises(place))) {
                best = Some((count, set));
            }
        }
        let Some((_, set)) = best else { return false };
        let mut place = 0;
        steps.retain(|_| {
            place += 1;
            set[owners[place - 1]]
        });
        true
    }
}

/// How far all processes have come together.
fn position(footprints: &[Footprint]) -> u128 {
    footprints.iter().map(|footprint| u128::from(footprint.position)).sum()
}

/// The least set of processes with this one that nobody outside disturbs.
pub(crate) fn closure(footprints: &[Footprint], first: usize) -> Vec<bool> {
    let mut set = vec![false; footprints.len()];
    set[first] = true;
    let mut work = vec![first];
    while let Some(process) = work.pop() {
        for (other, footprint) in footprints.iter().enumerate() {
            if !set[other] && footprints[process].disturbs(footprint) {
                set[other] = true;
                work.push(other);
            }
        }
    }
    set
}
