//! Depth-first search with two states in hand.
//!
//! The successors of a state are looked for in the store, and what is there is hardly ever in a cache: the processor waits for memory a
//! third of the time. So there are always two states whose successors are on their way into the store. While memory is asked for those of the one, those of the
//! other are inserted, the next state is taken from the stack, and its successors are computed; when it is the first one's turn, what was asked for has come.
//!
//! ```text
//! take a ─ successors of a ─ ask ┐             ┌ insert those of a ─ take c ─ successors of c ─ ask ┐
//!                                └ take b ─ successors of b ─ ask ┐                                 └ insert those of b ─ …
//! ```
//!
//! What a state's search finds comes onto the stack one state late. So the order is not quite that of the textbook, and the stack does not show the path to a state. All the same it goes
//! deep first, with as few states waiting; each has its distance from the initial state, on the way on which it was found, beside it. The numbers of states and transitions do not depend on the order, nor does
//! it whether there is a violation. What is violated first does, and how it is reached nobody knows here: [`super::depth_first`] sees to that.
//!
//! Rejected: breadth-first search with the successors of sixteen states at a time on their way (as fast, but every state needs the number of the one it came from, four bytes).

use crate::memory::visible_of;
use crate::watch::{Outcome, Question, Seen, Watch};
use lariat_model::{SuccessorFunction, Successors};
use lariat_store::{StateBits, StateId, StateStore};

/// States that wait to be expanded, each with its depth.
pub(crate) struct Waiting(Vec<(StateId, u32)>);

impl Waiting {
    /// Those of a path: for each state on it, how many of the ones that wait were found from there.
    pub fn new(counts: impl Iterator<Item = usize>, states: &[StateId]) -> Waiting {
        let depths = counts.enumerate().flat_map(|(depth, count)| std::iter::repeat_n(depth as u32, count));
        Waiting(states.iter().copied().zip(depths).collect())
    }

    fn bytes(&self) -> u64 {
        (self.0.capacity() * size_of::<(StateId, u32)>()) as u64
    }
}

/// A state whose successors are on their way into the store.
struct Departed {
    out: Successors,
    depth: u32,
    is_on_its_way: bool,
}

/// Goes on with a search that has expanded some states, and stored all successors of these. `None` if there is a violation to which there should be a path.
pub(crate) fn look_ahead<M: SuccessorFunction, S: StateStore>(
    model: &M,
    store: &mut S,
    mut watch: Watch,
    mut waiting: Waiting,
    mut expanded: StateBits,
    out: Successors,
) -> Option<Outcome> {
    let departed = |out| Departed { out, depth: 0, is_on_its_way: false };
    let mut hands = [departed(out), departed(Successors::new())];
    let mut turn = false;
    let mut room = Vec::new();
    let mut buffer = Vec::new();
    loop {
        let [left, right] = &mut hands;
        let (one, other) = if turn { (right, left) } else { (left, right) };
        turn = !turn;
        let next = take(&mut waiting, &expanded);
        if let Some((id, depth)) = next {
            expanded.set(id);
            if let Some(&(next, _)) = waiting.0.last() {
                store.expect(next);
            }
            let state = store.bytes_of(id, &mut buffer);
            model.successors(state, &mut one.out);
            let seen = watch.expanded(model, state, &one.out);
            if seen == Seen::New && watch.question() != Question::Everything {
                return None;
            }
            watch.counts.depth = watch.counts.depth.max(depth as u64);
            store.expect_all(visible_of(&one.out, 0));
            (one.depth, one.is_on_its_way) = (depth, true);
        }
        // Those of the state before.
        if other.is_on_its_way {
            other.is_on_its_way = false;
            let found = store.insert_all(visible_of(&other.out, 0), &mut room);
            for successor in found.iter().rev() {
                if !expanded.is_set(successor.id()) {
                    waiting.0.push((successor.id(), other.depth + 1));
                }
            }
            watch.counts.stacks.pending = watch.counts.stacks.pending.max(waiting.0.len() as u64);
            let own_bytes = || waiting.bytes() + expanded.bytes();
            if watch.must_stop(model, store, own_bytes, other.depth as u64) {
                break;
            }
        } else if next.is_none() {
            break;
        }
    }
    let [left, right] = hands;
    let mut reached = left.out.reached().to_vec();
    for (number, more) in right.out.reached().iter().enumerate() {
        if reached.len() <= number {
            reached.push(more.clone());
        }
        reached[number].resize(more.len(), false);
        reached[number].iter_mut().zip(more).for_each(|(all, more)| *all |= more);
    }
    model.add_reached(&mut reached);
    Some(watch.finish(model, store, waiting.bytes() + expanded.bytes(), reached))
}

/// The next state that was not expanded.
#[inline]
fn take(waiting: &mut Waiting, expanded: &StateBits) -> Option<(StateId, u32)> {
    loop {
        let next = waiting.0.pop()?;
        if !expanded.is_set(next.0) {
            return Some(next);
        }
    }
}
