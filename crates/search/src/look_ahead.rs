//! Depth-first search with four states in flight: the part of a long search that has no fixed order.
//!
//! To insert the successors of a state, the store reads places in memory that are hardly ever in a cache. If
//! a search waits for each of them, it waits a third of its time. So there are four *lanes*, each with one
//! state whose successors are computed but not inserted yet: they are *in flight*. The store has been asked
//! to prefetch the places it will read for them. The lanes take turns. When it is a lane's turn, its
//! successors are inserted (their places have arrived by now), those that are new are pushed onto the stack,
//! the next state is popped, its successors are computed in that lane, and announced to the store. An exact
//! store reads two places for each successor, and knows the second from the first: so two turns later it is
//! asked to look at the first one ([`StateStore::probe_announced`]), and two turns after that it reads both.
//!
//! ```text
//! lane 1:  pop a, successors, announce ┐                                                  ┌ insert a's, pop e, …
//! lane 2:                              └ pop b, … ┐                                       │
//! lane 3:                                         └ pop c, …, probe a ┐                   │
//! lane 4:                                                             └ pop d, …, probe b ┘
//! ```
//!
//! *What is different from the textbook's order.* Successors come onto the stack three states late. And a
//! state comes onto the stack once, when it is new, not again when it is met from deeper in the search. So
//! there is no mark for states that were expanded, and the stack does not show the path to a state. The
//! search still goes deep first, and few states wait.
//!
//! *What is the same:* the numbers of states and transitions, and whether there is a violation. So where the
//! model knows that two steps commute, it may leave out one of the two ways to a state
//! ([`SuccessorFunction::awake_successors`]). Which violation comes first, and the path to it, do depend on
//! the order: [`super::depth_first`] searches again, in order, if this search meets a violation that needs a
//! path, at once or (if all violations are asked for) at the end. The depth of this part is not told either:
//! it depends on what is left out, and so on what the model had time to learn.
//!
//! Measured: three states in flight, with one turn before the second place is asked for, are 3 to 8 % slower
//! on models of more than six million states, and as fast on those of one or two; five or six, with two or
//! three turns, are not quicker. Rejected: breadth-first search with sixteen states in flight (as fast, but
//! four bytes per state for the number of its predecessor).

use crate::checkpoint::{Reader, Renumbered, Saved, Unreadable, Writer};
use crate::events::{Event, Listener};
use crate::hidden_values::visible_of;
use crate::watch::{Noted, Outcome, Question, Watch, Writing, add_reached};
use lariat_engine::{LANES, SuccessorFunction, Successors};
use lariat_store::{Announced, Inserted, StateBits, StateId, StateStore};

/// The stack: states that wait to be expanded.
#[derive(Default)]
pub(crate) struct Waiting(pub Vec<WaitingState>);

#[derive(Clone, Copy)]
pub(crate) struct WaitingState {
    pub id: StateId,
    /// Processes, as bits, that need not be followed from there.
    pub sleeping: u32,
}

/// How a search goes on that has given up its order.
pub(crate) trait OutOfOrder<M, S> {
    /// Goes on with a search that has expanded some states and stored all successors of these: those that it
    /// has not expanded wait.
    fn go_on<L: Listener>(
        &self,
        model: &M,
        store: &mut S,
        watch: Watch<L>,
        waiting: Waiting,
        seen_before: &Successors,
    ) -> Result<Outcome, Again>;
}

/// How the search must begin again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Again {
    /// There is a violation to which there should be a path: all in order.
    InOrder,
    /// What is found depends on the order after all: by one worker.
    Alone,
}

/// One worker goes on.
pub(crate) struct Alone;

impl<M: SuccessorFunction, S: StateStore> OutOfOrder<M, S> for Alone {
    fn go_on<L: Listener>(
        &self,
        model: &M,
        store: &mut S,
        watch: Watch<L>,
        waiting: Waiting,
        seen_before: &Successors,
    ) -> Result<Outcome, Again> {
        look_ahead(model, store, watch, waiting, seen_before).ok_or(Again::InOrder)
    }
}

impl Waiting {
    /// Those that wait on the stack of a search in order, each once: where it lies highest.
    pub fn new(pending: &[StateId], mut expanded: StateBits) -> Waiting {
        let unexpanded = pending.iter().rev().filter(|id| expanded.set(**id));
        let mut waiting: Vec<_> = unexpanded.map(|&id| WaitingState { id, sleeping: 0 }).collect();
        waiting.reverse();
        Waiting(waiting)
    }

    /// Takes all of them, as bundles for so many workers.
    pub fn deal(&mut self, workers: usize) -> Vec<Vec<WaitingState>> {
        let all = std::mem::take(&mut self.0);
        let dealt = |worker| all.iter().skip(worker).step_by(workers).copied().collect::<Vec<_>>();
        (0..workers).map(dealt).filter(|bundle| !bundle.is_empty()).collect()
    }

    pub fn add(&mut self, mut more: Vec<WaitingState>) {
        self.0.append(&mut more);
    }

    /// The same with the numbers that states have now.
    pub fn renumber(&mut self, numbers: &Renumbered) -> Result<(), Unreadable> {
        self.0.iter_mut().try_for_each(|state| numbers.of(state.id).map(|id| state.id = id))
    }

    pub fn bytes(&self) -> u64 {
        (self.0.capacity() * size_of::<WaitingState>()) as u64
    }
}

impl Saved for Waiting {
    fn save(&self, out: &mut Writer) {
        out.number(self.0.len() as u64);
        for state in &self.0 {
            out.number(u64::from(state.id.0));
            out.number(u64::from(state.sleeping));
        }
    }

    fn load(&mut self, from: &mut Reader) -> Result<(), Unreadable> {
        for _ in 0..from.number()? {
            self.0.push(WaitingState { id: StateId(from.small()?), sleeping: from.small()? });
        }
        Ok(())
    }
}

/// Room for one state in flight.
pub(crate) struct Lane {
    /// The state, if there is one.
    pub state: StateId,
    /// Its successors, which are not in the store yet.
    pub out: Successors,
    /// What the store has found out of these.
    pub announced: Announced,
    pub in_flight: bool,
}

impl Lane {
    pub fn new(out: Successors) -> Lane {
        Lane { state: StateId(0), out, announced: Announced::default(), in_flight: false }
    }
}

/// Goes on with a search that has expanded some states and stored all successors of these: those that it has
/// not expanded wait. `None` if there is a violation to which there should be a path; or if all violations
/// are asked for, and there are too many.
fn look_ahead<M: SuccessorFunction, S: StateStore, L: Listener>(
    model: &M,
    store: &mut S,
    mut watch: Watch<L>,
    mut waiting: Waiting,
    seen_before: &Successors,
) -> Option<Outcome> {
    let mut lanes: [Lane; LANES] = std::array::from_fn(|lane| Lane::new(Successors::for_lane(lane)));
    let mut turn = 0;
    watch.counts().order_given_up = true;
    let mut room = Vec::new();
    let mut buffer = Vec::new();
    loop {
        let place = turn;
        let lane = &mut lanes[place];
        turn = if turn + 1 < LANES { turn + 1 } else { 0 };
        // The successors of the state that is in this lane.
        if lane.in_flight {
            lane.in_flight = false;
            land(lane, store, &mut watch, &mut waiting, &mut room);
            watch.waiting = waiting.0.len() as u64;
            let depth = watch.counts().depth;
            if watch.must_stop(model, store, || waiting.bytes(), depth) {
                // What is in flight is counted, so it lands before it is written down.
                let landing = lanes.iter_mut().filter(|lane| lane.in_flight && watch.writes_checkpoints());
                for lane in landing.collect::<Vec<_>>() {
                    lane.in_flight = false;
                    land(lane, store, &mut watch, &mut waiting, &mut room);
                }
                let reached = all_reached(seen_before, &lanes);
                let saved = |out: &mut Writer| waiting.save(out);
                if !watch.goes_on_after(Writing::LookAhead, model, store, reached, saved) {
                    break;
                }
            }
        }
        let lane = &mut lanes[place];
        // The next state, mostly one of these.
        let Some(WaitingState { id, sleeping }) = waiting.0.pop() else {
            if lanes.iter().any(|lane| lane.in_flight) {
                continue;
            }
            break;
        };
        if let Some(next) = waiting.0.last() {
            store.prefetch(next.id);
        }
        let state = store.bytes_of(id, &mut buffer);
        model.awake_successors(state, sleeping, &mut lane.out);
        watch.tell(Event::Entered(id));
        watch.tell(Event::Expanded { state: id, arcs: lane.out.len() as u32 });
        let noted = watch.expanded(model, state, &lane.out);
        watch.tell(Event::Left(id));
        if noted == Noted::NewViolation && watch.question().stops_at_first() {
            return None;
        }
        store.announce_all(visible_of(&lane.out, 0), &mut lane.announced);
        (lane.state, lane.in_flight) = (id, true);
        probe_before(place, &mut lanes, store);
    }
    if watch.question() == Question::AllViolations && watch.has_more() && watch.stopped.is_none() {
        return None;
    }
    let reached = all_reached(seen_before, &lanes);
    Some(watch.finish(model, store, waiting.bytes(), reached))
}

/// What was announced so many turns ago should have come.
pub(crate) const PROBED_AFTER: usize = 2;

/// The store looks at what was announced [`PROBED_AFTER`] turns before that of this lane.
#[inline(always)]
pub(crate) fn probe_before(lane: usize, lanes: &mut [Lane; LANES], store: &mut impl StateStore) {
    let before = &mut lanes[(lane + LANES - PROBED_AFTER) % LANES];
    if before.in_flight {
        store.probe_announced(&mut before.announced);
    }
}

/// The successors of a state come into the store, and those that are new wait.
#[inline(always)]
pub(crate) fn land<S: StateStore, L: Listener>(
    lane: &Lane,
    store: &mut S,
    watch: &mut Watch<L>,
    waiting: &mut Waiting,
    room: &mut Vec<Inserted>,
) {
    let found = store.insert_announced(visible_of(&lane.out, 0), &lane.announced, room);
    watch.tell_arcs(lane.state, found);
    for (i, successor) in found.iter().enumerate().rev() {
        if let Inserted::New(id) = *successor {
            waiting.0.push(WaitingState { id, sleeping: lane.out.sleeping_in(i) });
        }
    }
}

/// Locations that were reached, by process type.
pub(crate) fn all_reached(seen_before: &Successors, lanes: &[Lane]) -> Vec<Vec<bool>> {
    let mut reached = seen_before.reached().to_vec();
    lanes.iter().for_each(|lane| add_reached(&mut reached, lane.out.reached()));
    reached
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_that_wait_keep_what_is_known_of_them_under_their_new_numbers() {
        let mut numbers = Renumbered::default();
        [(3, 0), (4, 1), (5, 9), (8, 2), (9, 3), (20, 4)]
            .into_iter()
            .for_each(|(old, new)| numbers.add(old, new));
        let waiting = |list: &[(u32, u32)]| {
            Waiting(list.iter().map(|&(id, sleeping)| WaitingState { id: StateId(id), sleeping }).collect())
        };
        let list =
            |waiting: &Waiting| waiting.0.iter().map(|one| (one.id.0, one.sleeping)).collect::<Vec<_>>();
        let mut all = waiting(&[(20, 7), (3, 0), (9, 1), (5, 2), (4, 3), (8, 6)]);
        assert_eq!(all.renumber(&numbers), Ok(()));
        assert_eq!(list(&all), [(4, 7), (0, 0), (3, 1), (9, 2), (1, 3), (2, 6)]);
        for unknown in [0, 2, 6, 7, 10, 19, 21, u32::MAX] {
            assert!(waiting(&[(3, 0), (unknown, 0)]).renumber(&numbers).is_err(), "{unknown}");
        }
    }
}
