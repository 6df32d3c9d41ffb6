//! How much is remembered of steps before something is forgotten.
//!
//! Ordinary models hardly reach these limits, and then only after a while. Tests make them tiny, so that all
//! of them are reached in a small model.

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
}

impl Capacity {
    /// For real searches.
    pub const STANDARD: Capacity = Capacity {
        table_bits: (10, 16),
        effects: (1 << 19) - (1 << 12),
        shapes: 1 << 12,
        masks: 1 << 16,
        trial: 1 << 12,
    };

    /// For tests: everything is soon full.
    pub const TINY: Capacity = Capacity { table_bits: (2, 4), effects: 200, shapes: 3, masks: 12, trial: 64 };
}
