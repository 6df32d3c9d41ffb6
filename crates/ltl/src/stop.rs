//! How long work is ended from outside.
//!
//! Whoever asks for a translation or a reduction may have a deadline, a budget of memory, somebody at the
//! keyboard. The work does not know about such things: it asks, every few microseconds to milliseconds,
//! whether it is to stop, and says how many bytes it holds. Work that may leave out steps (a reduction) then
//! returns what it has, which is as good an automaton as the one before; work whose result is all or nothing
//! returns nothing.
//!
//! The limits that belong to a formula are others (states, edges, operations on labels): these do not depend
//! on the machine, and are always kept.

use crate::automaton::{Automaton, Edge};
use crate::bdd::Bdds;
use std::fmt;

/// Says whether work is to stop. The default never does.
///
/// The function is given the bytes that the work holds. Once it has said yes, it must go on to say so: the
/// reason, which it alone knows, is best kept beside it.
///
/// ```
/// use lariat_ltl::stop::Stop;
/// use std::cell::Cell;
/// use std::time::{Duration, Instant};
///
/// let deadline = Instant::now() + Duration::from_secs(10);
/// let reason = Cell::new(None);
/// let ask = |bytes: usize| {
///     if reason.get().is_none() && bytes > 100_000_000 {
///         reason.set(Some("memory"));
///     }
///     if reason.get().is_none() && Instant::now() > deadline {
///         reason.set(Some("time"));
///     }
///     reason.get().is_some()
/// };
/// let options = lariat_ltl::translate::Options { stop: Stop::when(&ask), ..Default::default() };
/// # let _ = options;
/// ```
#[derive(Clone, Copy, Default)]
pub struct Stop<'a>(Option<&'a dyn Fn(usize) -> bool>);

impl<'a> Stop<'a> {
    /// Nobody stops the work.
    pub const NEVER: Stop<'static> = Stop(None);

    /// Asks this function.
    pub fn when(ask: &'a dyn Fn(usize) -> bool) -> Stop<'a> {
        Stop(Some(ask))
    }

    /// Is the work to stop, which holds these functions, and so many bytes beside them?
    pub fn now(self, bdds: &Bdds, beside: usize) -> bool {
        self.0.is_some_and(|ask| ask(bdds.bytes() + beside))
    }
}

impl fmt::Debug for Stop<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Stop::when(…)" } else { "Stop::NEVER" })
    }
}

/// The bytes of so many edges, with their share of the lists that they are in.
pub(crate) fn bytes_of_edges(edges: usize) -> usize {
    2 * edges * size_of::<Edge>()
}

/// The bytes of an automaton.
pub(crate) fn bytes_of(automaton: &Automaton) -> usize {
    bytes_of_edges(automaton.edge_count()) + automaton.states() * size_of::<Vec<Edge>>()
}
