//! Audits: now and then a state is expanded a second time, by the interpreter, and both must agree.
//!
//! What is remembered of a step is right only if its footprint is ([`lariat_engine::footprint`]), and whoever
//! forgets a read there would get wrong successors without noticing. Tests look for that beforehand; audits
//! look for it in every search, whatever the model is. A difference ends the program: better no verdict than
//! a wrong one.
//!
//! At first, one expansion in [`FIRST_INTERVAL`] is audited: that is when most steps are learnt. Later
//! intervals follow from the time that audits have taken, so that they cost less than one part in [`SHARE`]
//! of the search and of the compilation before it. Which states are audited depends on the clock; what is
//! found does not.
//!
//! Where processes are asleep, their successors are only counted. For an audit the state is expanded as a
//! whole, and once more with these processes asleep: then only the numbers are compared.

use super::{CompiledModel, Scratch};
use lariat_engine::{SuccessorFunction, Successors};
use std::time::{Duration, Instant};

/// Expansions from one audit to the next, at least (and at first) and at most.
const FIRST_INTERVAL: u32 = 1 << 4;
const LAST_INTERVAL: u32 = 1 << 20;
/// Audits take at most this part of the time.
const SHARE: u32 = 150;
/// To be compiled takes a model about so long.
const COMPILATION: Duration = Duration::from_millis(150);

/// When to look, and what the looking has cost.
pub struct Audit {
    /// Expansions up to the next audit.
    left: u32,
    interval: u32,
    begun: Option<Instant>,
    taken: Duration,
    expected: Successors,
}

impl Audit {
    pub fn new() -> Audit {
        Audit {
            left: FIRST_INTERVAL,
            interval: FIRST_INTERVAL,
            begun: None,
            taken: Duration::ZERO,
            expected: Successors::new(),
        }
    }

    /// Whether the next expansion is to be audited.
    #[inline]
    pub fn is_due(&mut self) -> bool {
        self.left -= 1;
        self.left == 0
    }

    /// So many expansions come before the next audit.
    pub fn before_next(&self) -> u32 {
        self.left - 1
    }

    /// So many of these are not asked about.
    pub fn skip(&mut self, expansions: u32) {
        self.left -= expansions;
    }

    /// Not now, but after some more expansions.
    fn postpone(&mut self) {
        self.left = self.interval.max(256);
    }

    /// An audit has taken so long: when is the next one?
    fn plan_next(&mut self, took: Duration, elapsed: Duration) {
        self.taken += took;
        let is_costly = self.taken * SHARE > elapsed + COMPILATION;
        let interval = if is_costly { self.interval * 2 } else { self.interval / 2 };
        self.interval = interval.clamp(FIRST_INTERVAL, LAST_INTERVAL);
        self.left = self.interval;
    }
}

impl CompiledModel<'_> {
    /// Successors that the interpreter has computed as well.
    #[cold]
    #[inline(never)]
    pub(super) fn audited_successors(
        &self,
        scratch: &mut Scratch,
        state: &[u8],
        sleeping: u32,
        out: &mut Successors,
    ) {
        if scratch.trial.is_measuring() {
            // It would count for the way that is measured now.
            scratch.audit.postpone();
            return self.expand(scratch, state, sleeping, out);
        }
        let begun = Instant::now();
        let start = *scratch.audit.begun.get_or_insert(begun);
        self.expand(scratch, state, 0, out);
        let mut expected = std::mem::take(&mut scratch.audit.expected);
        expected.clear_and_ask(out.asks_for_participants());
        let counts = self.context.interpreter.packer().counts();
        counts.uncounted(|| self.context.interpreter.successors(state, &mut expected));
        // A limit may be reached in one of the two only.
        if !out.was_cut() && !expected.was_cut() {
            compare(state, &mut expected, out);
        }
        if sleeping != 0 {
            let count = out.len() as u64;
            counts.uncounted(|| self.expand(scratch, state, sleeping, out));
            let is_whole = out.was_cut() || out.len() as u64 + out.left_out() == count;
            assert!(is_whole, "successors by processes that are asleep are lost in state {state:?}");
        }
        scratch.audit.expected = expected;
        scratch.audit.plan_next(begun.elapsed(), start.elapsed());
    }
}

/// Both engines must give the same successors, in the same order.
fn compare(state: &[u8], expected: &mut Successors, found: &mut Successors) {
    let at = |what: &str| format!("the engines disagree about {what} in state {state:?}");
    assert!(found.len() == expected.len(), "{}", at("the number of successors"));
    for i in 0..found.len() {
        assert!(found.state(i) == expected.state(i), "{}", at(&format!("successor {i}")));
        assert!(found.sum(i) == expected.sum(i), "{}", at(&format!("the sum of successor {i}")));
    }
    if found.asks_for_participants() {
        assert!(found.enabled() == expected.enabled(), "{}", at("who is enabled"));
        let differ = (0..found.len()).any(|i| found.participants(i) != expected.participants(i));
        assert!(!differ, "{}", at("who takes part"));
    }
    assert!(found.something_happens() == expected.something_happens(), "{}", at("whether it is stuck"));
    assert!(found.has_violations() == expected.has_violations(), "{}", at("what goes wrong"));
    assert!(found.diverges() == expected.diverges(), "{}", at("endless sequences"));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many audits there are where an expansion takes a microsecond, and an audit so many; and the time
    /// that they take.
    fn audits(microseconds: u64, expansions: u64) -> (u64, Duration) {
        let mut audit = Audit::new();
        let mut elapsed = Duration::ZERO;
        let mut audits = 0;
        for _ in 0..expansions {
            elapsed += Duration::from_micros(1);
            if audit.is_due() {
                let took = Duration::from_micros(microseconds);
                elapsed += took;
                audit.plan_next(took, elapsed);
                audits += 1;
            }
        }
        (audits, audit.taken)
    }

    #[test]
    fn audits_are_dense_at_first_and_cost_little_later() {
        assert_eq!(audits(10, 100 * FIRST_INTERVAL as u64).0, 100);
        for microseconds in [1, 10, 100, 1000] {
            let (audits, taken) = audits(microseconds, 20_000_000);
            assert!(taken < Duration::from_millis(200), "{taken:?} with {microseconds}");
            assert!(audits > 60_000 / microseconds, "{audits} with {microseconds}");
        }
    }
}
