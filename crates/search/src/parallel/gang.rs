//! Workers that share work: how it is handed over, and how they know that all of it is done.
//!
//! Every worker has a stack of its own, which nobody else sees. Who has nothing left goes to the *pool* and
//! waits there, asleep; how many wait is written where all can see it ([`Gang::is_hungry`]: one load of a
//! number that hardly ever changes, which is all that a worker pays from state to state). Whoever sees that
//! somebody is hungry puts half of its own work into the pool as a *bundle*, the half that lies at the bottom
//! of its stack: what lies there is nearest to the initial state, and has most behind it.
//!
//! *The end.* The pool, with the number of those who wait, is behind a lock. A worker waits only if it has no
//! work of its own, and bundles are work that nobody has. So when all wait and there is no bundle, there is
//! no work, and none can come up. Whoever sees that, under the lock, tells all of them. `models/gang.pml` is
//! a model of this, with two properties: nobody ends while there is work, and all end.
//!
//! *Failing.* A worker that panics tells the others to stop ([`Alarm`]), and does not wait any more; they
//! find out between two states, or asleep.
//!
//! Rejected: queues from which others steal (crossbeam's): a fence for every state that is taken, for work
//! that changes hands a few times in a thousand states, and a second mechanism for the end; a bundle for
//! everybody who waits at once: the first ones take it apart again.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A stack this long or longer is shared.
const WORTH_SHARING: usize = 4;

/// Workers that share work of some kind.
pub struct Gang<T> {
    pool: Mutex<Pool<T>>,
    /// Of those who wait, so many will find no bundle.
    hungry: AtomicU32,
    is_stopped: AtomicBool,
    wake: Condvar,
    /// How often work was handed over.
    handed_over: AtomicU64,
}

struct Pool<T> {
    /// How many there are.
    workers: usize,
    bundles: Vec<Vec<T>>,
    waiting: usize,
    is_over: bool,
}

/// What a worker gets that has asked for work.
pub enum Next<T> {
    /// Here is some.
    Work(Vec<T>),
    /// There is none, and there will be none; or all were told to stop.
    Over,
    /// There was none for as long as the worker wanted to wait.
    NothingYet,
}

impl<T> Gang<T> {
    /// So many workers, none of whom has work yet but what is in the bundles.
    pub fn new(workers: usize, bundles: Vec<Vec<T>>) -> Gang<T> {
        Gang {
            pool: Mutex::new(Pool { workers, bundles, waiting: 0, is_over: false }),
            hungry: AtomicU32::new(0),
            is_stopped: AtomicBool::new(false),
            wake: Condvar::new(),
            handed_over: AtomicU64::new(0),
        }
    }

    fn pool(&self) -> MutexGuard<'_, Pool<T>> {
        // Whatever a worker does with the pool, it does in steps that leave it whole.
        self.pool.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell_hunger(&self, pool: &Pool<T>) {
        let hungry = pool.waiting.saturating_sub(pool.bundles.len());
        self.hungry.store(hungry as u32, Ordering::Relaxed);
    }

    /// Whether somebody waits for work.
    #[inline]
    pub fn is_hungry(&self) -> bool {
        self.hungry.load(Ordering::Relaxed) != 0
    }

    /// How many wait for work.
    pub fn idle(&self) -> usize {
        self.pool().waiting
    }

    /// How often work was handed over.
    pub fn handed_over(&self) -> u64 {
        self.handed_over.load(Ordering::Relaxed)
    }

    /// Gives half of a stack to those who wait, if it is long enough: the lower half.
    #[cold]
    pub fn share(&self, stack: &mut Vec<T>) {
        if stack.len() < WORTH_SHARING {
            return;
        }
        let upper = stack.split_off(stack.len() / 2);
        self.give(std::mem::replace(stack, upper));
    }

    /// Gives work to those who wait.
    #[cold]
    pub fn give(&self, bundle: Vec<T>) {
        let mut pool = self.pool();
        pool.bundles.push(bundle);
        self.tell_hunger(&pool);
        self.handed_over.fetch_add(1, Ordering::Relaxed);
        drop(pool);
        self.wake.notify_one();
    }

    /// Work for somebody who has none; waits until there is some, or until there can be none, or for so long.
    pub fn next(&self, patience: Option<Duration>) -> Next<T> {
        let mut waits = false;
        let next = self.wait(&mut waits, patience);
        self.stop_waiting(&mut waits);
        next
    }

    /// The same for somebody who has other things to look at, too: sleeps for so long at most, and then goes
    /// on waiting, until there is work or [`Gang::stop_waiting`] is called. `waits` is false at first.
    pub fn ask(&self, waits: &mut bool, patience: Duration) -> Next<T> {
        self.wait(waits, Some(patience))
    }

    /// Waits; after [`Next::NothingYet`] it still counts as one who does. Where all is over nobody counts.
    fn wait(&self, waits: &mut bool, patience: Option<Duration>) -> Next<T> {
        let mut pool = self.pool();
        if !std::mem::replace(waits, true) {
            pool.waiting += 1;
        }
        let mut has_slept = patience.is_some_and(|patience| patience.is_zero());
        loop {
            if self.is_stopped() || pool.is_over {
                *waits = false;
                return Next::Over;
            }
            if let Some(bundle) = pool.bundles.pop() {
                (pool.waiting, *waits) = (pool.waiting - 1, false);
                self.tell_hunger(&pool);
                return Next::Work(bundle);
            }
            if pool.waiting == pool.workers {
                (pool.is_over, *waits) = (true, false);
                drop(pool);
                self.wake.notify_all();
                return Next::Over;
            }
            self.tell_hunger(&pool);
            if has_slept {
                return Next::NothingYet;
            }
            pool = match patience {
                None => self.wake.wait(pool).unwrap_or_else(PoisonError::into_inner),
                Some(patience) => {
                    has_slept = true;
                    self.wake.wait_timeout(pool, patience).unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }

    /// Somebody who has asked for work has found some elsewhere, with one who does not wait.
    pub fn stop_waiting(&self, waits: &mut bool) {
        if std::mem::replace(waits, false) {
            let mut pool = self.pool();
            pool.waiting -= 1;
            self.tell_hunger(&pool);
        }
    }

    /// There is one worker less: it has not begun.
    pub fn leave(&self) {
        let mut pool = self.pool();
        pool.workers -= 1;
        drop(pool);
        // Perhaps all others wait.
        self.wake.notify_all();
    }

    /// All should stop, whatever work there is.
    pub fn stop(&self) {
        self.is_stopped.store(true, Ordering::Relaxed);
        // Who has just looked, under the lock, and is going to sleep, must be asleep before it is woken.
        drop(self.pool());
        self.wake.notify_all();
    }

    /// Whether all should stop.
    #[inline]
    pub fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Relaxed)
    }

    /// Whether the work is done.
    pub fn is_over(&self) -> bool {
        self.pool().is_over
    }

    /// What is left in the pool when all have stopped.
    pub fn left(self) -> Vec<Vec<T>> {
        self.pool.into_inner().unwrap_or_else(PoisonError::into_inner).bundles
    }
}

/// Stops the others if the worker that has it panics.
pub struct Alarm<'g, T>(pub &'g Gang<T>);

impl<T> Drop for Alarm<'_, T> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.stop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;

    /// Workers count down: each piece of work is a number, which makes two of a smaller number. Together they
    /// do all of it, each piece once, and end.
    #[test]
    fn all_work_is_done_once() {
        for workers in [1, 2, 3, 8] {
            for depth in [0, 1, 5, 13] {
                let gang = Gang::new(workers, vec![vec![depth]]);
                let (gang, start) = (&gang, &Barrier::new(workers));
                let work = || {
                    start.wait();
                    let (mut done, mut stack) = (0u64, Vec::new());
                    loop {
                        let Some(piece) = stack.pop() else {
                            match gang.next(Some(Duration::from_micros(50))) {
                                Next::Work(bundle) => stack = bundle,
                                Next::Over => return done,
                                Next::NothingYet => {}
                            }
                            continue;
                        };
                        done += 1;
                        if done % 8 == 0 {
                            std::thread::yield_now();
                        }
                        if piece > 0 {
                            stack.extend([piece - 1, piece - 1]);
                        }
                        if gang.is_hungry() {
                            gang.share(&mut stack);
                        }
                    }
                };
                let done: u64 = std::thread::scope(|scope| {
                    let threads: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
                    threads.into_iter().map(|thread| thread.join().expect("no panic")).sum()
                });
                assert_eq!(done, (2 << depth) - 1, "{workers} workers, {depth}");
                assert!(gang.is_over());
                assert!(workers == 1 || depth < 13 || gang.handed_over() > 0);
            }
        }
    }

    /// One who asks counts as one who waits until there is work, or until it says that it does not wait: then
    /// nobody else takes it for the end.
    #[test]
    fn who_has_found_work_elsewhere_stops_waiting() {
        let gang: Gang<u32> = Gang::new(2, Vec::new());
        let (mut waits, mut others) = (false, false);
        for _ in 0..3 {
            assert!(matches!(gang.ask(&mut waits, Duration::ZERO), Next::NothingYet));
            assert!(waits && gang.is_hungry() && gang.idle() == 1);
        }
        gang.stop_waiting(&mut waits);
        gang.stop_waiting(&mut waits);
        assert!(!waits && !gang.is_hungry() && gang.idle() == 0);
        assert!(matches!(gang.next(Some(Duration::ZERO)), Next::NothingYet));
        assert_eq!(gang.idle(), 0, "who has patience for a while only does not wait afterwards");
        assert!(matches!(gang.ask(&mut others, Duration::ZERO), Next::NothingYet));
        gang.give(vec![7]);
        assert!(!gang.is_hungry());
        assert!(matches!(gang.ask(&mut others, Duration::ZERO), Next::Work(work) if work == [7]));
        assert!(!others && gang.idle() == 0 && !gang.is_over());
        assert!(matches!(gang.ask(&mut others, Duration::ZERO), Next::NothingYet));
        assert!(matches!(gang.ask(&mut waits, Duration::ZERO), Next::Over));
        assert!(matches!(gang.ask(&mut others, Duration::ZERO), Next::Over) && gang.is_over());
    }

    #[test]
    fn nobody_waits_for_one_who_has_panicked() {
        let gang: Gang<u32> = Gang::new(3, vec![vec![1]]);
        let gang = &gang;
        // Whoever gets the work fails; all others wait, and would wait for ever.
        let work = || {
            let _alarm = Alarm(gang);
            if let Next::Work(_) = gang.next(None) {
                std::panic::resume_unwind(Box::new("as it should be"));
            }
        };
        let panics = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..3).map(|_| scope.spawn(work)).collect();
            threads.into_iter().filter_map(|thread| thread.join().err()).count()
        });
        assert_eq!(panics, 1);
    }
}
