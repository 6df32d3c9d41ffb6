//! The arcs of states that do not accept, with several states in flight: as [`crate::look_ahead`] does it
//! for states of the model alone.
//!
//! Who explores states in any order can begin with some more before the arcs of the first are needed: the
//! store is told of the ends of a state's arcs when they are computed, looks for them while others are
//! computed, and inserts them some turns later. Only what is plain ([`super::plain`]) and short
//! ([`super::short`]) is done here. Anything else is left until its turn comes, to [`ModelProduct::post`].
//! Where that happens often, nothing is begun here any more, because much of it would be done twice.
//!
//! *Processes that sleep* (`engine/src/packing/commuting.rs`). Let the automaton's state q have an edge to
//! itself that admits everything, as in the automata of `<> p` or `<> (p && [] r)`. Then the states (s, q)
//! of the product with the arcs along that edge are the state space of the model, from wherever q was
//! entered; and which states are met does not change if steps are left out that commute, by the proof there:
//! it needs that each state that is met is expanded, in any order, and that who sleeps in a state was found
//! out in the state from which it was inserted. So
//! - what sleeps is handed on along such an edge only, and whoever enters q otherwise has nobody asleep;
//! - where another edge is taken from (s, q), nothing is left out, because the ends of its arcs are met on
//!   no other way.
//!
//! It is enough that the edge admits whatever no edge into a state admits that accepts everything, as in
//! the automaton of `<> p` that moves on as soon as p is true: where the edge to itself is missing, it is
//! decided then that there is a violation, and no state is missed that matters. Only if the product stands
//! still there, however: else the run may come to an end that does not count.
//!
//! What is left out is counted, along the one edge that is taken.

use super::automaton::Stays;
use super::short::ShortTargets;
use super::{Arc, ModelProduct, Numbering, PropertyAutomaton, PropertyEdge, number};
use crate::emptiness::{End, MarkSet, land_at_once};
use crate::look_ahead::PROBED_AFTER;
use lariat_engine::{LANES, Moment, SuccessorFunction, Successors, Violation};
use lariat_store::{Announced, Inserted, StateId, StateStore};

/// Room for one state in flight.
pub(super) struct Lane<K> {
    out: Successors,
    /// Its arcs, on their way into the store.
    short: ShortTargets<K>,
    announced: Announced,
    /// The automaton's state, if who sleeps is handed on along its edge to itself.
    idle: Option<u32>,
    in_flight: bool,
}

/// Of so many states that were begun, at most half may be left to others.
const JUDGED_AFTER: u32 = 1 << 10;

/// The edges that are taken, as bits; none if that cannot be said.
#[inline(never)]
fn asked(
    property: &PropertyAutomaton,
    edges: &[PropertyEdge],
    mut is_true: impl FnMut(usize) -> Result<bool, Violation>,
) -> Option<u64> {
    let mut taken = 0;
    for (k, edge) in edges.iter().enumerate() {
        let is_taken = property.admits(edge.label, &mut is_true).ok()?;
        taken |= u64::from(is_taken).checked_shl(k as u32).filter(|_| k < 64)?;
    }
    Some(taken)
}

/// Lanes, and whether they are worth while.
pub(super) struct Lanes<K> {
    list: Box<[Lane<K>; LANES]>,
    /// For a state that is left to others.
    room: (Vec<Arc<K>>, Vec<End>),
    begun: u32,
    left: u32,
}

impl<K: MarkSet> Lanes<K> {
    /// For automata whose states take so many bytes.
    pub fn new(property: usize) -> Lanes<K> {
        let lane = |lane| Lane {
            out: Successors::for_lane(lane),
            short: ShortTargets::new(property),
            announced: Announced::default(),
            idle: None,
            in_flight: false,
        };
        let list = Box::new(std::array::from_fn(lane));
        Lanes { list, room: (Vec::new(), Vec::new()), begun: 0, left: 0 }
    }
}

impl<M: SuccessorFunction, S: StateStore, K: MarkSet> ModelProduct<'_, M, S, K> {
    /// Begins with a state, in which these processes sleep.
    pub(super) fn begin_in_lane(&mut self, lane: usize, id: StateId, sleeping: u32) {
        if !self.may_be_plain || self.lanes.left > JUDGED_AFTER / 2 {
            return;
        }
        let is_begun = self.begin(lane % LANES, id, sleeping).is_some();
        let Lanes { list, begun, left, .. } = &mut self.lanes;
        *begun += 1;
        list[lane % LANES].in_flight = is_begun;
        if !is_begun {
            *left += 1;
        } else if *begun >= JUDGED_AFTER {
            (*begun, *left) = (0, 0);
        }
        let before = &mut list[(lane + LANES - PROBED_AFTER) % LANES];
        if before.in_flight {
            self.numbering.store.probe_announced(&mut before.announced);
        }
    }

    /// `None`: the state is left to others.
    #[inline(always)]
    fn begin(&mut self, lane: usize, id: StateId, sleeping: u32) -> Option<()> {
        let ModelProduct { model, numbering, valuation, buffer, lanes, .. } = self;
        let Numbering { property, store, sizes, .. } = numbering;
        let Lane { out, short, announced, idle, .. } = &mut lanes.list[lane];
        let state = store.bytes_of(id, buffer);
        let (model_state, reading) = state.split_at(state.len() - sizes.property);
        let reading = if let [byte] = reading { u32::from(*byte) } else { number(reading) };
        let edges = property.edges.get(reading as usize)?;
        if *property.settled.get(reading as usize)? {
            return None;
        }
        model.awake_successors(model_state, sleeping, out);
        let goes_on = out.something_happens() && !out.was_cut();
        if !goes_on || out.has_violations() || out.diverges() {
            return None;
        }
        let known = model.known_truths(model_state);
        let taken = match known.and_then(|values| property.taken(reading as usize, values)) {
            Some(taken) => taken,
            None => {
                model.look_at(model_state, Moment::Moving, valuation);
                asked(property, edges, |k| model.is_true(k, valuation))?
            }
        };
        let stays = match property.stays[reading as usize] {
            Stays::Always => true,
            Stays::UnlessSettled => self.decides_early,
            Stays::NotAlways => false,
        };
        *idle = stays.then_some(reading);
        if out.left_out() > 0 && !taken.is_power_of_two() {
            model.awake_successors(model_state, 0, out);
        }
        if !short.begin(out.parts().1) {
            return None;
        }
        let mut left = taken;
        while left != 0 {
            let edge = &edges[left.trailing_zeros() as usize];
            left &= left - 1;
            let decides = self.decides_early && property.settled[edge.to as usize];
            if decides || !short.add_all(edge.to, K::narrow(edge.marks), out.parts(), sizes.property) {
                return None;
            }
        }
        store.announce_all(short.ends(), announced);
        Some(())
    }

    /// Tells of the arcs of the state that is in this lane, but for those to states that do not accept and
    /// were known. The number of all arcs.
    #[inline(always)]
    pub(super) fn land_in_lane(
        &mut self,
        lane: usize,
        id: StateId,
        mut each: impl FnMut(StateId, End),
    ) -> u64 {
        let Lane { out, short, announced, idle, in_flight } = &mut self.lanes.list[lane % LANES];
        if !*in_flight {
            let mut room = std::mem::take(&mut self.lanes.room);
            let count = land_at_once(self, id, (&mut room.0, &mut room.1), each);
            self.lanes.room = room;
            return count;
        }
        *in_flight = false;
        let Numbering { property, store, room, accepting, .. } = &mut self.numbering;
        let mut found = store.insert_announced(short.ends(), announced, room);
        let count = out.left_out() + found.len() as u64;
        // The last first, for those who put them onto a stack.
        for run in short.runs.iter().rev() {
            let (rest, of_run) = found.split_at(found.len() - run.arcs);
            found = rest;
            let accepts = property.accepting[run.to as usize];
            let sleeps = *idle == Some(run.to);
            for (i, inserted) in of_run.iter().enumerate().rev() {
                let is_new = matches!(inserted, Inserted::New(_));
                if is_new && accepts && !S::IS_SHARED {
                    accepting.set(inserted.id());
                }
                if is_new || accepts {
                    let sleeping = if is_new && sleeps { out.sleeping_in(i) } else { 0 };
                    each(inserted.id(), End { accepts, is_new: Some(is_new), sleeping });
                }
            }
        }
        count
    }
}
