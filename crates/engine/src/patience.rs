//! How long a model may think about one state.
//!
//! A search looks at its limits between states. But one state may take long: an indivisible sequence goes
//! through as many intermediate states as it likes, a `d_step` through as many operations. So both look at
//! the limits themselves, now and then. Where a limit is reached in the middle, what lies behind it is
//! missing, and the buffer of successors says so ([`crate::Successors::was_cut`]).

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// The limits within one step of a model.
#[derive(Clone, Copy, Debug)]
pub struct Patience<'a> {
    /// The moment at which it is over.
    pub deadline: Option<Instant>,
    /// Set from outside, to stop.
    pub interrupt: Option<&'a AtomicBool>,
    /// The intermediate states of one indivisible sequence, and what it leads to, may take so many bytes.
    pub max_bytes: usize,
}

/// What the intermediate states of one indivisible sequence may take where nobody says otherwise; a
/// sequence that needs more (one that counts up without end, say) is cut.
pub const MAX_SEQUENCE_BYTES: usize = 512 << 20;

impl Default for Patience<'_> {
    fn default() -> Self {
        Patience { deadline: None, interrupt: None, max_bytes: MAX_SEQUENCE_BYTES }
    }
}

impl Patience<'_> {
    /// Whether there is no time left.
    pub fn is_over(&self) -> bool {
        self.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed))
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}
