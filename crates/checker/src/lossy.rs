//! Searches in stores that keep less than a state: what is refused, what is said of what was seen, and what
//! may have been missed.
//!
//! A lossy store never takes a state for new twice, and what a search stands on is exact, so a violation that
//! is found is one. Where none is found the verdict is `unknown`, with what is known: how many states were
//! seen, and which share of all is expected to have been missed ([`Coverage`]). A search can be repeated with
//! other hash functions, which confuse other states; then what counts is what all passes have missed.
//!
//! *The expected share.* The store says how many new states it is expected to have taken for visited ones,
//! when they were looked up. That is a lower bound: what can be reached only through such a state is missed
//! too. How much that is, the search for violations tries out on the states that it sees
//! (`search/src/omissions.rs`). Of products, and where that was given up, a state is taken to be missed
//! if it is confused itself, with probability c, or if all its predecessors are missed; with d transitions a
//! state on average, and the number of further predecessors distributed as by chance (Poisson), the share p
//! is the least solution of p = c + (1 − c) · p · e^−(d−1)(1−p). Where ways part and meet again that is too
//! low.

use crate::check::InternalError;
use crate::options::{Observer, Options};
use crate::report::Report;
use lariat_engine::Capacity;
use lariat_search::{Counts, StopReason};
use lariat_store::{AutoStore, LossyKind, StoreKind};
use lariat_verdict::{SearchOrder, Verdict, counted};
use serde::Serialize;
use std::time::Duration;

/// Where visited states are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoreOptions {
    /// Which store.
    pub kind: StoreKind,
    /// Bits that a state sets in the table of `bitstate`.
    pub bits_per_state: u32,
    /// Bytes of that table.
    pub table_bytes: u64,
    /// The store in which the search begins again, if there is no memory left.
    pub when_full: Option<StoreKind>,
    /// A lossy search is repeated until it has been done so often, each time with another hash function.
    pub passes: u32,
}

impl Default for StoreOptions {
    fn default() -> StoreOptions {
        StoreOptions {
            kind: StoreKind::default(),
            bits_per_state: 3,
            table_bytes: DEFAULT_TABLE,
            when_full: None,
            passes: 1,
        }
    }
}

/// What is said of a store that became another one. After how many states stands beside the memory: like
/// that, it may differ from run to run.
pub(crate) fn store_changed(counts: &Counts) -> Option<String> {
    counts.store_changed_at?;
    Some("the store changed from `exact` to `tree`, because memory got short".to_string())
}

/// Bytes of the table of `bitstate`, if nobody says otherwise.
pub const DEFAULT_TABLE: u64 = 256 << 20;

impl StoreOptions {
    /// The store, if it is a lossy one.
    pub fn lossy(&self) -> Option<LossyKind> {
        match self.kind {
            StoreKind::Exact | StoreKind::Tree | StoreKind::Auto => None,
            StoreKind::Lossy(kind) => Some(kind),
        }
    }

    /// An empty store that numbers its states, where there is so much memory; exact instead of a lossy one.
    pub(crate) fn numbered(&self, max_memory: Option<u64>) -> AutoStore {
        match self.kind {
            StoreKind::Tree => AutoStore::tree(),
            StoreKind::Auto => AutoStore::within(max_memory.unwrap_or(u64::MAX)),
            StoreKind::Exact | StoreKind::Lossy(_) => AutoStore::exact_within(max_memory),
        }
    }

    /// How much is remembered of steps: beside a small store, little.
    pub(crate) fn remembered(&self) -> Capacity {
        match self.kind {
            StoreKind::Tree | StoreKind::Lossy(LossyKind::Compact) => Capacity::THRIFTY,
            StoreKind::Exact | StoreKind::Auto | StoreKind::Lossy(LossyKind::Bitstate) => Capacity::STANDARD,
        }
    }

    /// As options and reports name it.
    pub fn name(&self) -> &'static str {
        self.kind.description().name
    }
}

/// Checks something; if there is no memory left, and a store is named for that case, checks it again in that
/// one, in the time that is left, and says so. To begin again costs what was done so far, but then nothing is
/// left over of the store that was full; and what a lossy search sees is the same as if it had begun so.
pub(crate) fn or_when_full(
    options: &Options,
    mut observer: Observer,
    check: impl Fn(&Options, Observer) -> Result<Report, InternalError>,
) -> Result<Report, InternalError> {
    let progress = observer.progress.as_mut().map(|progress| &mut **progress as _);
    let report = check(options, Observer { progress, interrupt: observer.interrupt })?;
    let is_open = matches!(report.verdict, Verdict::Unknown(_));
    let Some(kind) = options.store.when_full.filter(|_| report.is_full && is_open) else { return Ok(report) };
    let (before, after) = (options.store.name(), kind.description().name);
    let spent = Duration::from_secs_f64((report.seconds.total - report.seconds.front_end).max(0.0));
    let again = Options {
        store: StoreOptions { kind, when_full: None, ..options.store },
        timeout: options.timeout.map(|timeout| timeout.saturating_sub(spent)),
        ..options.clone()
    };
    let mut second = check(&again, observer)?;
    if let Verdict::Refused(reason) = &second.verdict {
        let remark = format!("the search did not begin again in `{after}`: {reason}");
        return Ok(Report { remarks: [report.remarks, vec![remark]].concat(), ..report });
    }
    let states = counted(report.counts.stored, "state");
    second.remarks.push(format!(
        "with `{before}` the memory was full after {states}: the search began again with `{after}`"
    ));
    Ok(second)
}

/// Whether memory is what a search stopped for.
pub(crate) fn is_full(stopped: Option<StopReason>) -> bool {
    matches!(stopped, Some(StopReason::Memory(_) | StopReason::Addresses(_) | StopReason::StoreFull))
}

/// Why a search in this store cannot do what is asked, if so; nor one of which there are checkpoints.
pub(crate) fn refused(options: &Options) -> Option<String> {
    if let Some(reason) = crate::checkpoint::refused(options) {
        return Some(reason);
    }
    options.store.lossy()?;
    let name = options.store.name();
    let reason = if options.order == SearchOrder::BreadthFirst {
        format!(
            "`--shortest` needs the way back to every state, and `{name}` keeps no states; without it, a run \
             that is found is made shorter where that is cheap"
        )
    } else if options.precompute {
        format!("`--precompute` numbers the states of the whole product, and `{name}` keeps no states")
    } else if options.profile {
        format!("`--profile-search` knows searches that number states, and `{name}` keeps no states")
    } else {
        return None;
    };
    Some(reason)
}

/// The same where not all runs count.
pub(crate) fn refused_among_some(options: &Options) -> Option<String> {
    options.store.lossy()?;
    Some(format!(
        "fairness and assumptions need a check that takes several acceptance sets, which keeps a number for \
         every state; `{}` has none",
        options.store.name()
    ))
}

/// One search in a lossy store.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Pass {
    /// States that were seen.
    pub states: u64,
    /// Of all states, the share that is expected to have been missed.
    pub missed_share: f64,
}

/// What searches in a lossy store have seen.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Coverage {
    /// One for each hash function.
    pub passes: Vec<Pass>,
    /// The share that is expected to have been missed by all of them.
    pub missed_share: f64,
}

impl Default for Coverage {
    fn default() -> Coverage {
        Coverage { passes: Vec::new(), missed_share: 1.0 }
    }
}

impl Coverage {
    /// Another search, in which so many states are expected to have been taken for visited when they were
    /// new; and which share is missed, if that was tried out.
    pub(crate) fn add(&mut self, counts: &Counts, expected_missed: f64, tried_out: Option<f64>) {
        let estimated = || missed_share(counts.stored, counts.transitions, expected_missed);
        let missed_share = tried_out.unwrap_or_else(estimated);
        self.passes.push(Pass { states: counts.stored, missed_share });
        self.missed_share *= missed_share;
    }

    /// What is known where no violation was found.
    pub(crate) fn describe(&self, store: &StoreOptions) -> String {
        let name = store.name();
        let most = self.passes.iter().map(|pass| pass.states).max().unwrap_or(0);
        let share = share_shown(self.missed_share);
        match self.passes.len() {
            1 => format!(
                "`{name}` may take new states for visited ones (states seen: {most}; share of all states that it \
                 is expected to have missed: {share})"
            ),
            passes => format!(
                "`{name}` may take new states for visited ones (states seen: up to {most} in each of {passes} \
                 passes; share of all states that all of them are expected to have missed: {share})"
            ),
        }
    }
}

/// `0.031 %`, or `1.1e-10`.
pub(crate) fn share_shown(share: f64) -> String {
    if share == 0.0 {
        "0".to_string()
    } else if share >= 0.0001 {
        format!("{:.2} %", 100.0 * share)
    } else {
        format!("{share:.1e}")
    }
}

/// The share of all states that is expected to be missed, if so many are confused.
fn missed_share(states: u64, transitions: u64, confused: f64) -> f64 {
    let confused = confused / (states as f64 + confused).max(1.0);
    let degree = (transitions as f64 / states.max(1) as f64).max(1.0);
    let mut share = confused;
    for _ in 0..200 {
        share = confused + (1.0 - confused) * share * (-(degree - 1.0) * (1.0 - share)).exp();
    }
    share.clamp(confused, 1.0)
}

/// A limit means that more was missed than anybody can say.
pub(crate) fn is_repeated(stopped: Option<StopReason>, pass: u32, store: &StoreOptions) -> bool {
    stopped.is_none() && pass + 1 < store.passes.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares() {
        assert_eq!(missed_share(1000, 3000, 0.0), 0.0);
        // Where every state has one predecessor, nearly all are lost with the first.
        assert!(missed_share(1000, 1000, 10.0) > 0.5);
        let share = missed_share(1000, 3000, 10.0);
        assert!((0.0099..0.013).contains(&share), "{share}");
        assert!(missed_share(1, 0, f64::MAX) <= 1.0);
        let mut coverage = Coverage::default();
        let counts = Counts { stored: 1000, transitions: 3000, ..Counts::default() };
        coverage.add(&counts, 10.0, None);
        coverage.add(&counts, 10.0, None);
        assert!((coverage.missed_share - share * share).abs() < 1e-12);
        coverage.add(&counts, 10.0, Some(0.5));
        assert!((coverage.missed_share - share * share / 2.0).abs() < 1e-12);
        assert_eq!(share_shown(0.00031), "0.03 %");
        assert_eq!(share_shown(1.1e-10), "1.1e-10");
    }
}
