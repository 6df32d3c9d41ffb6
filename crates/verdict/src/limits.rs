//! How much may be spent on a run that has been found: replaying it, and showing it.

use lariat_search::{Limits, Room};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// So long a run may be replayed and shown after an interrupt.
const AFTER_INTERRUPT: Duration = Duration::from_secs(1);

/// A run that was found may take so much memory in any case.
const ROOM_FOR_A_RUN: u64 = 16 << 20;

/// The limits on replaying a run that a search has found within these limits. A search that took all its
/// time would leave none; so for this there is a quarter more. After an interrupt there is a second. Of the
/// time that is left, replay takes less than half: to show what was replayed takes as long again. How many
/// states are stored does not matter: their successors may be new, but they are few.
pub fn limits_on_showing<'a>(limits: Limits<'a>, timeout: Option<Duration>) -> Limits<'a> {
    let now = Instant::now();
    let limits = Limits { max_states: None, ..limits };
    if limits.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
        return Limits { deadline: Some(now + AFTER_INTERRUPT), interrupt: None, ..limits };
    }
    let more = timeout.unwrap_or_default() / 4;
    let left = limits.deadline.map(|deadline| deadline.saturating_duration_since(now) + more);
    Limits { deadline: left.map(|left| now + left.mul_f64(0.4)), ..limits }
}

/// Room for such a run, where so many bytes are taken.
pub fn room_for_run<'a>(limits: Limits<'a>, timeout: Option<Duration>, taken: u64) -> Room<'a> {
    let bytes = match limits.max_memory {
        Some(max) => max.saturating_sub(taken).max(max / 8).max(ROOM_FOR_A_RUN),
        None => u64::MAX,
    };
    Room::new(bytes, limits_on_showing(limits, timeout))
}
