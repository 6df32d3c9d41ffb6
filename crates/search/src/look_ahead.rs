//! Depth-first search with three states in flight.
//!
//! The successors of a state are looked for in the store, and what is there is hardly ever in a cache: the
//! processor waits for memory a third of the time. So there are always three states whose successors are on
//! their way into the store, one in each lane. While memory is asked for those of two, those of the third are
//! inserted, the next state is taken from the stack into that lane, mostly one of these, and its successors
//! are computed; when it is the first one's turn, what was asked for has come.
//!
//! ```text
//! one lane:   take a ─ successors of a ─ ask ┐                                 ┌ insert those of a ─ take d ─ successors of d ─ ask ┐
//! the next:                                  └ take b ─ successors of b ─ ask ─ c ─┘                                                  └ insert those of b ─ …
//! ```
//!
//! What a state's search finds comes onto the stack two states late, and a state comes there once, when it is
//! new: not again when it is met from deeper in the search, as the textbook's order would have it. So no mark
//! is needed that says which states were expanded, and the stack does not show the path to a state. All the
//! same the search goes deep first, with fewer states waiting. The numbers of states and transitions do not
//! depend on the order, nor does it whether there is a violation; so where the model knows that two steps
//! commute, it may leave out one of the ways to a state ([`SuccessorFunction::awake_successors`]). What is
//! violated first does depend on it, and how it is reached nobody knows here: [`super::depth_first`] sees to
//! that. Nor is it told how deep this search goes: that would depend on what is left out, and so on what the
//! model had time to learn; what is told is the depth of the part in order.
//!
//! Rejected: two states in flight (three to five in a hundred slower), four, or eight (not quicker);
//! breadth-first search with the successors of sixteen states at a time on their way (as fast, but every
//! state needs the number of the one it came from, four bytes).

use crate::memory::visible_of;
use crate::watch::{Outcome, Question, Seen, Watch};
use lariat_engine::{LANES, SuccessorFunction, Successors};
use lariat_store::{Inserted, StateBits, StateId, StateStore};

/// States that wait to be expanded.
pub(crate) struct Waiting(Vec<Waits>);

/// One of them.
#[derive(Clone, Copy)]
struct Waits {
    id: StateId,
    /// Processes that need not be followed from there.
    sleeping: u32,
}

impl Waiting {
    /// Those that wait on the stack of a search in order, each once: where it lies highest.
    pub fn new(pending: &[StateId], mut expanded: StateBits) -> Waiting {
        let unexpanded = pending.iter().rev().filter(|id| expanded.set(**id));
        let mut waiting: Vec<_> = unexpanded.map(|&id| Waits { id, sleeping: 0 }).collect();
        waiting.reverse();
        Waiting(waiting)
    }

    fn bytes(&self) -> u64 {
        (self.0.capacity() * size_of::<Waits>()) as u64
    }
}

/// A state whose successors are on their way into the store.
struct Departed {
    out: Successors,
    is_on_its_way: bool,
}

/// Goes on with a search that has expanded some states and stored all successors of these: those that it has
/// not expanded wait. `None` if there is a violation to which there should be a path.
pub(crate) fn look_ahead<M: SuccessorFunction, S: StateStore>(
    model: &M,
    store: &mut S,
    mut watch: Watch,
    mut waiting: Waiting,
    seen_before: &Successors,
) -> Option<Outcome> {
    let departed = |lane| Departed { out: Successors::for_lane(lane), is_on_its_way: false };
    let mut lanes: [Departed; LANES] = std::array::from_fn(departed);
    let mut turn = 0;
    watch.counts.order_given_up = true;
    let mut room = Vec::new();
    let mut buffer = Vec::new();
    loop {
        let lane = &mut lanes[turn];
        turn = if turn + 1 < LANES { turn + 1 } else { 0 };
        // The successors of the state that is in this lane.
        if lane.is_on_its_way {
            lane.is_on_its_way = false;
            let found = store.insert_all(visible_of(&lane.out, 0), &mut room);
            for (successor, entry) in found.iter().zip(lane.out.parts().1).rev() {
                if let Inserted::New(id) = *successor {
                    waiting.0.push(Waits { id, sleeping: entry.sleeping });
                }
            }
            watch.waiting = waiting.0.len() as u64;
            if watch.must_stop(model, store, || waiting.bytes(), watch.counts.depth) {
                break;
            }
        }
        // The next state, mostly one of these.
        let Some(Waits { id, sleeping }) = waiting.0.pop() else {
            if lanes.iter().any(|lane| lane.is_on_its_way) {
                continue;
            }
            break;
        };
        if let Some(next) = waiting.0.last() {
            store.prefetch(next.id);
        }
        let state = store.bytes_of(id, &mut buffer);
        model.awake_successors(state, sleeping, &mut lane.out);
        let seen = watch.expanded(model, state, &lane.out);
        if seen == Seen::New && watch.question() != Question::Everything {
            return None;
        }
        store.prefetch_all(visible_of(&lane.out, 0));
        lane.is_on_its_way = true;
    }
    let mut reached = seen_before.reached().to_vec();
    lanes.iter().for_each(|lane| add_reached(&mut reached, lane.out.reached()));
    model.add_reached(&mut reached);
    Some(watch.finish(model, store, waiting.bytes(), reached))
}

/// Adds locations that were reached, by process type.
fn add_reached(all: &mut Vec<Vec<bool>>, more: &[Vec<bool>]) {
    if all.len() < more.len() {
        all.resize(more.len(), Vec::new());
    }
    for (all, more) in all.iter_mut().zip(more) {
        all.resize(more.len().max(all.len()), false);
        all.iter_mut().zip(more).for_each(|(all, more)| *all |= more);
    }
}
