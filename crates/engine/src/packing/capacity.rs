//! How much is remembered of steps before something is forgotten.
//!
//! Ordinary models hardly reach these limits, and then only after a while. Tests make them tiny, so that all
//! of them are reached in a small model. Beside a store that takes few bytes for a state, the memory of steps
//! would be a quarter of everything: there it may take only so much for each state that was taken.

/// The limits of [`super::RememberedSteps`].
#[derive(Clone, Copy, Debug)]
pub struct Capacity {
    /// Lines of the table, as powers of two, at first and at most: it grows with what is learnt, because a
    /// small one stays in the processor's cache.
    pub table_bits: (u32, u32),
    /// Words of all effects together, without those of the last step. If there are more, all are forgotten.
    pub effects: usize,
    /// Shapes beyond these are not remembered.
    pub shapes: usize,
    /// If there are more footprint masks, everything is learnt again.
    pub masks: usize,
    /// After so many lookups by one of them, a third must have been found.
    pub trial: u32,
    /// Bytes of the table for each state that was taken, and half as many of effects: they do not become
    /// longer than that.
    pub a_state: Option<f64>,
}

impl Capacity {
    /// For real searches.
    pub const STANDARD: Capacity = Capacity {
        table_bits: (10, 16),
        effects: (1 << 19) - (1 << 12),
        shapes: 1 << 12,
        masks: 1 << 16,
        trial: 1 << 12,
        a_state: None,
    };

    /// For real searches whose store takes few bytes for a state: what is remembered takes few, too.
    pub const THRIFTY: Capacity = Capacity { a_state: Some(1.0), ..Capacity::STANDARD };

    /// For tests: everything is soon full.
    pub const TINY: Capacity =
        Capacity { table_bits: (2, 4), effects: 200, shapes: 3, masks: 12, trial: 64, a_state: None };

    /// Bytes that the table and the effects may take each, when so many states were taken.
    pub(super) fn budgets(&self, states: u64) -> (u64, u64) {
        let Some(a_state) = self.a_state else { return (u64::MAX, u64::MAX) };
        let table = (states.max(FIRST_STATES) as f64 * a_state) as u64;
        (table, table / 2)
    }
}

/// As if so many states were taken already: what takes little in all may be remembered from the beginning.
const FIRST_STATES: u64 = 1 << 20;
