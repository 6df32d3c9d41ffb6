//! The list of the checks for several threads, and the way from a name to one of them.
//!
//! They say whether there is an accepting cycle, and do not show it: which one is found depends on the
//! threads. So a check for one thread is named beside each ([`ThreadedDescription::shows`]), which is asked
//! if there is one to be shown.

use super::components_shared::SharedRootsAndActive;
use super::nested_dfs_shared::SharedNestedDfs;
use super::simple_dfs_shared::SharedSimpleDfs;
use super::union_find::MOST_WORKERS;
use super::union_find_components::SharedComponents;
use super::workers::{FoundTogether, FullSpeed, Workplace, run_workers};
use super::{Check, Needs, PerState};
use crate::bookkeeping::ProgressObserver;
use crate::limits::Limits;

/// An emptiness check for several threads.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ThreadedCheck {
    /// `csd`: simple searches that share what they have left, for weak products.
    SimpleDfs,
    /// `cndfs`: nested searches that share colours.
    NestedDfs,
    /// `ufscc`: components, with a union-find structure.
    Components,
    /// `cascc`: components by one at a time, and by all together what lies on no accepting cycle.
    RootsAndActive,
}

/// A line of [`THREADED`].
#[derive(Clone, Copy, Debug)]
pub struct ThreadedDescription {
    /// The check.
    pub check: ThreadedCheck,
    /// As options and reports name it.
    pub name: &'static str,
    /// What it does, in a few words.
    pub title: &'static str,
    /// Who invented it, and where.
    pub paper: &'static str,
    /// What a product must be like for it.
    pub needs: Needs,
    /// The most calls of `post` for a state, of each worker.
    pub posts: PerState,
    /// Bits per state that all share.
    pub bits: u32,
    /// Bits per state of each worker.
    pub bits_per_worker: u32,
    /// Numbers of 32 bits per state that all share.
    pub numbers: u32,
    /// The most workers that there can be.
    pub most_workers: usize,
    /// The check for one thread that shows a cycle if there is one.
    pub shows: Check,
}

/// All checks for several threads.
pub const THREADED: &[ThreadedDescription] = &[
    ThreadedDescription {
        check: ThreadedCheck::SimpleDfs,
        name: "csd",
        title: "simple depth-first searches of several threads, for weak products",
        paper: "after Evangelista, Laarman, Petrucci and van de Pol 2012",
        needs: Needs::Weak,
        posts: PerState { fixed: 1, per_set: 0 },
        bits: 4,
        bits_per_worker: 1,
        numbers: 0,
        most_workers: 1 << 16,
        shows: Check::SimpleDfs,
    },
    ThreadedDescription {
        check: ThreadedCheck::NestedDfs,
        name: "cndfs",
        title: "nested depth-first searches of several threads that share colours",
        paper: "Evangelista, Laarman, Petrucci and van de Pol 2012, Fig. 3",
        needs: Needs::OneSet,
        posts: PerState { fixed: 2, per_set: 0 },
        bits: 4,
        bits_per_worker: 2,
        numbers: 0,
        most_workers: 1 << 16,
        shows: Check::NestedDfsAllRed,
    },
    ThreadedDescription {
        check: ThreadedCheck::Components,
        name: "ufscc",
        title: "components that several threads unite, with cyclic lists of what is to be done",
        paper: "Bloemen, Laarman and van de Pol 2016; Bloemen and van de Pol 2016",
        needs: Needs::AnySets,
        posts: PerState { fixed: 1, per_set: 0 },
        bits: 0,
        bits_per_worker: 0,
        numbers: 3,
        most_workers: MOST_WORKERS,
        shows: Check::RootsAndActive,
    },
    ThreadedDescription {
        check: ThreadedCheck::RootsAndActive,
        name: "cascc",
        title: "components by one thread at a time; what lies on no accepting cycle, by several threads",
        paper: "after Gaiser and Schwoon 2009, Fig. 2",
        needs: Needs::AnySets,
        posts: PerState { fixed: 1, per_set: 0 },
        bits: 5,
        bits_per_worker: 0,
        numbers: 1,
        most_workers: 1 << 16,
        shows: Check::RootsAndActive,
    },
];

impl ThreadedCheck {
    /// The check with this name in [`THREADED`].
    pub fn by_name(name: &str) -> Option<ThreadedCheck> {
        THREADED.iter().find(|row| row.name == name).map(|row| row.check)
    }

    /// Its line in [`THREADED`].
    pub fn description(self) -> &'static ThreadedDescription {
        THREADED.iter().find(|row| row.check == self).expect("every check is listed")
    }

    /// Whether it wants to be told of all states that may lie on an accepting cycle that they accept.
    pub fn knows_components(self) -> bool {
        self == ThreadedCheck::RootsAndActive
    }

    /// Whether there is an accepting cycle, provided that the product is what the check needs, and has no
    /// pairs; and what is left of the products of all workers. There is one for each of the tools; if there
    /// are more than the check can have, it has as many as it can.
    pub fn run<W: Workplace>(
        self,
        workplace: &W,
        mut tools: Vec<W::Tool>,
        limits: Limits,
        progress: ProgressObserver,
    ) -> (FoundTogether, Vec<W::Rest>) {
        tools.truncate(self.description().most_workers);
        match self {
            ThreadedCheck::SimpleDfs => {
                let check = SharedSimpleDfs::<FullSpeed>::new(tools.len());
                run_workers(&check, workplace, tools, limits, progress)
            }
            ThreadedCheck::NestedDfs => {
                let check = SharedNestedDfs::<FullSpeed>::new();
                run_workers(&check, workplace, tools, limits, progress)
            }
            ThreadedCheck::RootsAndActive => {
                let check = SharedRootsAndActive::<W::Marks, FullSpeed>::new(tools.len());
                run_workers(&check, workplace, tools, limits, progress)
            }
            ThreadedCheck::Components => {
                let check = SharedComponents::<W::Marks, FullSpeed>::new();
                run_workers(&check, workplace, tools, limits, progress)
            }
        }
    }
}
