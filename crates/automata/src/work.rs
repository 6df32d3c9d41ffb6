//! Limits of work on formulas and automata alone, where no search looks at the clock.

use lariat_ltl::stop::Stop;
use lariat_search::StopReason;
use lariat_verdict::describe_stop;
use std::cell::Cell;
use std::time::{Duration, Instant};

/// How much the work on one formula or automaton may take. The default has no limits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WorkLimits {
    /// How long.
    pub timeout: Option<Duration>,
    /// How many bytes.
    pub max_memory: Option<u64>,
}

/// Work that has begun, perhaps of several steps.
pub struct Work {
    limits: WorkLimits,
    deadline: Option<Instant>,
    reason: Cell<Option<StopReason>>,
}

impl Work {
    /// From now on its time runs.
    pub fn begin(limits: WorkLimits) -> Work {
        let deadline = limits.timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        Work { limits, deadline, reason: Cell::new(None) }
    }

    /// Does it, and tells it when to stop.
    pub(crate) fn run<T>(&self, work: impl FnOnce(Stop) -> T) -> T {
        let ask = |bytes| self.must_stop(bytes);
        work(Stop::when(&ask))
    }

    fn must_stop(&self, bytes: usize) -> bool {
        if self.reason.get().is_none() {
            self.reason.set(match (self.limits.max_memory, self.deadline) {
                (Some(most), _) if bytes as u64 > most => Some(StopReason::Memory(most)),
                (_, Some(deadline)) if Instant::now() >= deadline => Some(StopReason::Timeout),
                _ => None,
            });
        }
        self.reason.get().is_some()
    }

    /// Why it was stopped, if it was.
    pub fn stopped(&self) -> Option<String> {
        self.reason.get().map(|reason| describe_stop(reason, self.limits.timeout))
    }
}
