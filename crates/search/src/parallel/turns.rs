//! A store that workers use in turns, for those that only one thread can change at a time.
//!
//! In a tree one insertion changes the dictionaries of several columns, the list of roots and the index, and
//! moves entries there. So only one worker has such a store at a time. If it had it for every state, workers
//! would do nothing but wait for each other: that took more than twice as long as one worker alone. So a
//! *turn* is long. A worker takes some states with it ([`TURN`]), as bytes, and computes their successors
//! without the store. In its next turn all of these are inserted, those that are new are pushed onto its
//! stack, and it takes the next states from there. While one worker has its turn, the others compute.
//!
//! How much there is to gain depends on how long turns are beside what is done between them: where the store
//! takes half of the time, two workers are at best twice as fast as one, and more are not faster. What a
//! worker takes is less alike than what one worker alone would expand one after the other, so that there is
//! more to look up. Measured with a tree and two threads: 1.2 times the speed of one on peterson.4 and at.3.
//!
//! What workers take with them lies higher on their stacks than what they hand over, so the order is nearly
//! that of [`crate::look_ahead`]. Why processes may sleep here too, and what else is true of workers, is said
//! in [`super::together`].

use super::gang::{Alarm, Next};
use super::handle::StoreLost;
use super::together::{BETWEEN_WORDS, Halt, Look, Part, Phase, Place, Sharing};
use crate::bookkeeping::ThreadWork;
use crate::events::NoListener;
use crate::hidden_values::visible_of;
use crate::limits::{BETWEEN_LOOKS, Limits, StopReason, WORK_PER_STATE};
use crate::look_ahead::{Lane, Waiting, WaitingState, all_reached, land};
use crate::watch::{Noted, Watch};
use lariat_engine::{LANES, SuccessorFunction, Successors};
use lariat_store::StateStore;
use std::sync::{Mutex, MutexGuard, TryLockError};
use std::time::{Duration, Instant};

/// So many states are taken in a turn, at the most.
const TURN: usize = 128;
/// Who waits for a turn looks so often before it sleeps.
const LOOKS: u32 = 1 << 10;
/// In a turn the store is asked to prefetch what it needs for a state this many states before.
const AHEAD: usize = 2;

/// Workers insert in turns.
pub(crate) struct InTurns;

/// The store, which one worker has at a time. Who comes next is left to chance: whoever has just had a turn
/// has something to compute. (With turns in the order in which they were asked for, and workers that wait
/// awake for theirs, all wait for one who is not running, where there are more workers than processors: four
/// on two busy ones took fifteen times as long.)
pub(crate) struct TurnStore<'s, S>(Mutex<&'s mut S>);

impl<S: StateStore + Send> Sharing<S> for InTurns {
    type Place<'s>
        = TurnStore<'s, S>
    where
        S: 's;

    /// What the store takes is looked at by the first worker, as with one: it grows in the middle of a turn.
    fn share<'s>(&self, store: &'s mut S, _max_bytes: Option<u64>) -> TurnStore<'s, S> {
        TurnStore(Mutex::new(store))
    }
}

impl<'s, S> TurnStore<'s, S> {
    /// Waits for a turn: awake for about as long as one takes, and then asleep.
    fn turn(&self) -> MutexGuard<'_, &'s mut S> {
        for _ in 0..LOOKS {
            match self.0.try_lock() {
                Ok(turn) => return turn,
                Err(TryLockError::WouldBlock) => std::hint::spin_loop(),
                Err(TryLockError::Poisoned(_)) => break,
            }
        }
        // Without a word: the one who has failed has said what is wrong.
        self.0.lock().unwrap_or_else(|_| std::panic::resume_unwind(Box::new(StoreLost)))
    }
}

/// A state that a worker has taken with it.
struct Taken {
    state: Vec<u8>,
    sleeping: u32,
    lane: Lane,
}

impl<S: StateStore + Send> Place for TurnStore<'_, S> {
    fn add_to(&self, _work: &mut ThreadWork) {}

    fn work<M: SuccessorFunction>(&self, phase: &Phase, me: usize, model: &M, mut look: impl Look) -> Part {
        let Phase { gang, question, .. } = *phase;
        let _alarm = Alarm(gang);
        let figures = &phase.figures[me];
        let mut watch = Watch::new(question, Limits::default(), None, NoListener);
        let empty = |i| {
            let out = Successors::for_lane(i % LANES);
            let lane = Lane::new(out);
            Taken { state: Vec::new(), sleeping: 0, lane }
        };
        let mut taken: Vec<Taken> = (0..TURN).map(empty).collect();
        let (mut waiting, mut room, mut count) = (Waiting::default(), Vec::new(), 0);
        let (mut halt, mut idle, mut until_word) = (None, Duration::ZERO, 0u64);
        // Only the first has anything to look at while it waits.
        let patience = (me == 0).then_some(BETWEEN_LOOKS);
        'work: loop {
            // Without the store.
            for one in &mut taken[..count] {
                let Taken { state, sleeping, lane } = one;
                model.awake_successors(state, *sleeping, &mut lane.out);
                let noted = watch.expanded(model, state, &lane.out);
                lane.in_flight = true;
                if noted == Noted::NewViolation && question.stops_at_first() {
                    halt = Some(Halt::Violated);
                    break 'work;
                }
                if watch.stopped == Some(StopReason::Sequence) {
                    halt = Some(Halt::CutShort);
                    break 'work;
                }
            }
            // A turn.
            let begin = Instant::now();
            let mut store = self.turn();
            idle += begin.elapsed();
            for i in 0..count {
                if let Some(next) = taken[..count].get(i + AHEAD) {
                    store.prefetch_all(visible_of(&next.lane.out, 0));
                }
                land(&taken[i].lane, &mut **store, &mut watch, &mut waiting, &mut room);
                taken[i].lane.in_flight = false;
            }
            figures.tell(watch.counts().transitions, &waiting);
            if gang.is_stopped() {
                break;
            }
            if gang.is_hungry() {
                gang.share(&mut waiting.0);
            }
            let worked = (count > 0).then_some(WORK_PER_STATE * count as i64);
            count = 0;
            if look.look(&**store, worked) {
                gang.stop();
                break;
            }
            while count < TURN
                && let Some(WaitingState { id, sleeping }) = waiting.0.pop()
            {
                if let Some(next) = waiting.0.last() {
                    store.prefetch(next.id);
                }
                let one = &mut taken[count];
                store.read(id, &mut one.state);
                (one.lane.state, one.sleeping) = (id, sleeping);
                count += 1;
            }
            drop(store);
            if until_word == 0 {
                until_word = BETWEEN_WORDS;
                figures.tell_bytes(model, &waiting);
            }
            until_word = until_word.saturating_sub(count as u64);
            if count == 0 {
                let begin = Instant::now();
                let next = gang.next(patience);
                idle += begin.elapsed();
                match next {
                    Next::Work(bundle) => waiting = Waiting(bundle),
                    Next::Over => break,
                    Next::NothingYet => {}
                }
            }
        }
        if halt.is_some() {
            gang.stop();
            let mut store = self.turn();
            for one in &mut taken[..count] {
                if one.lane.in_flight {
                    land(&one.lane, &mut **store, &mut watch, &mut waiting, &mut room);
                } else {
                    waiting.0.push(WaitingState { id: one.lane.state, sleeping: one.sleeping });
                }
            }
        }
        figures.tell_bytes(model, &waiting);
        let lanes: Vec<Lane> = taken.into_iter().map(|one| one.lane).collect();
        let mut reached = all_reached(&Successors::new(), &lanes);
        model.add_reached(&mut reached);
        Part { counted: watch.into_counted(), reached, waiting: waiting.0, halt, idle }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind, panic_any};
    use std::thread::scope;

    fn shared(number: &mut u64) -> TurnStore<'_, u64> {
        TurnStore(Mutex::new(number))
    }

    #[test]
    fn one_at_a_time() {
        let mut number = 0;
        let store = &shared(&mut number);
        scope(|scope| {
            for _ in 0..5 {
                scope.spawn(|| (0..10_000).for_each(|_| **store.turn() += 1));
            }
        });
        assert_eq!(number, 50_000);
    }

    /// Whoever fails in its turn does not keep the others waiting.
    #[test]
    fn a_turn_that_fails() {
        let mut number = 0;
        let store = &shared(&mut number);
        let ends = scope(|scope| {
            let workers: Vec<_> = (0..4)
                .map(|worker| {
                    let work = move || {
                        for i in 0.. {
                            let mut number = store.turn();
                            **number += 1;
                            if worker == 2 && i == 100 {
                                panic_any("it fails");
                            }
                        }
                    };
                    scope.spawn(move || {
                        catch_unwind(AssertUnwindSafe(work)).expect_err("nobody ends otherwise")
                    })
                })
                .collect();
            workers.into_iter().map(|worker| worker.join().expect("caught")).collect::<Vec<_>>()
        });
        assert_eq!(
            ends.iter().map(|end| end.is::<StoreLost>()).collect::<Vec<_>>(),
            [true, true, false, true]
        );
    }
}
