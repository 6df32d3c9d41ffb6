//! Figure 4 of Gaiser and Schwoon 2009: what each algorithm takes, summed over all cases, as per cent of what
//! `hpy` takes.
//!
//! Only cases that all six algorithms have finished are summed: a run that was cut short would count for less
//! than it is. (The page computes the same again for the cases that its filters leave; its test compares the
//! two.)

use crate::comparison::{CaseResult, Comparison};
use crate::record::RunRecord;
use serde::Serialize;

/// The algorithms of the figure, in its order, with its per cents of run time.
pub const FIGURE_4: [(&str, f64); 6] =
    [("ascc", 67.0), ("gv", 69.2), ("and", 69.7), ("se", 96.3), ("hpy", 100.0), ("c99", 128.3)];

/// The figure, measured.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figure4 {
    /// Cases that all six finished.
    pub cases: usize,
    /// One for each algorithm, in the paper's order.
    pub rows: Vec<Figure4Row>,
}

/// What an algorithm takes, as per cent of `hpy`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figure4Row {
    /// Its name.
    pub algorithm: &'static str,
    /// Time of the check.
    pub seconds: f64,
    /// Transitions generated.
    pub transitions: f64,
    /// Calls of the successor function.
    pub post_calls: f64,
    /// Time, in the paper.
    pub paper_seconds: f64,
}

/// `None` if one of the six did not take part, or no case was finished by all.
pub fn figure_4(comparison: &Comparison) -> Option<Figure4> {
    let places: Vec<usize> = FIGURE_4
        .iter()
        .map(|(name, _)| {
            comparison.configurations.iter().position(|configuration| configuration.name == *name)
        })
        .collect::<Option<_>>()?;
    let mut sums = [[0.0; 3]; FIGURE_4.len()];
    let mut cases = 0;
    // Where two runs contradict each other, one of them is wrong, and nobody knows what its figures mean.
    let is_summed = |case: &CaseResult| case.counts && case.verdict.is_some();
    for (number, _) in comparison.cases.iter().enumerate().filter(|(_, case)| is_summed(case)) {
        let finished = |&place: &usize| comparison.run(number, place).filter(|run| run.is_finished());
        let Some(runs) = places.iter().map(finished).collect::<Option<Vec<&RunRecord>>>() else { continue };
        cases += 1;
        for (sum, run) in sums.iter_mut().zip(runs) {
            sum[0] += run.seconds.unwrap_or(0.0);
            sum[1] += run.transitions.unwrap_or(0) as f64;
            sum[2] += run.post_calls.unwrap_or(0) as f64;
        }
    }
    let hpy = sums[FIGURE_4.iter().position(|(name, _)| *name == "hpy")?];
    let percent = |sum: f64, whole: f64| if whole > 0.0 { 100.0 * sum / whole } else { 100.0 };
    let row = |((name, paper), sum): (&(&'static str, f64), &[f64; 3])| Figure4Row {
        algorithm: name,
        seconds: percent(sum[0], hpy[0]),
        transitions: percent(sum[1], hpy[1]),
        post_calls: percent(sum[2], hpy[2]),
        paper_seconds: *paper,
    };
    (cases > 0).then(|| Figure4 { cases, rows: FIGURE_4.iter().zip(&sums).map(row).collect() })
}
