//! The list of stores, and the way from a name to a store.
//!
//! To add a store that numbers its states: a file for it, a variant of [`StoreKind`], a row of [`STORES`],
//! and a line of [`with_store!`](crate::with_store) that makes it. One that does not is a variant of
//! [`LossySet`](crate::LossySet). Whoever takes stores from this list then has it.

use crate::lossy::LossyKind;

/// What a store offers to a search; each includes the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Offer {
    /// It says whether a state was visited: a [`VisitedSet`](crate::VisitedSet).
    Visited,
    /// It also numbers the states, and reads them back: a [`StateStore`](crate::StateStore).
    Numbers,
}

/// What a store promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Promise {
    /// Every state is kept and told apart from every other.
    Exact,
    /// A new state may be taken for one that was visited: what lies behind it may be missed. No state is ever
    /// taken for new twice, and what a search finds is real.
    Lossy,
}

impl Promise {
    /// As JSON names it.
    pub fn name(self) -> &'static str {
        match self {
            Promise::Exact => "exact",
            Promise::Lossy => "lossy",
        }
    }
}

/// A store of the list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StoreKind {
    /// `exact`: every byte of every state.
    #[default]
    Exact,
    /// `tree`: every state, as numbers of the values of its columns.
    Tree,
    /// `auto`: exact, and a tree when memory gets short.
    Auto,
    /// `compact` or `bitstate`: less than the state.
    Lossy(LossyKind),
}

/// A row of [`STORES`].
#[derive(Clone, Copy, Debug)]
pub struct StoreDescription {
    /// The store.
    pub store: StoreKind,
    /// As options and reports name it.
    pub name: &'static str,
    /// What is kept of a state.
    pub keeps: &'static str,
    /// What it promises.
    pub promise: Promise,
    /// What a search can ask of it.
    pub offers: Offer,
    /// What a state costs.
    pub cost: &'static str,
}

/// All stores.
pub const STORES: &[StoreDescription] = &[
    StoreDescription {
        store: StoreKind::Exact,
        name: "exact",
        keeps: "every byte",
        promise: Promise::Exact,
        offers: Offer::Numbers,
        cost: "its bytes, and 8 to 10 for the table",
    },
    StoreDescription {
        store: StoreKind::Tree,
        name: "tree",
        keeps: "every byte, as numbers of what neighbouring bytes are",
        promise: Promise::Exact,
        offers: Offer::Numbers,
        cost: "5.1 to 5.8 bytes for the table (6.8 beyond 67 million states), and mostly 3 to 6 of its own",
    },
    StoreDescription {
        store: StoreKind::Auto,
        name: "auto",
        keeps: "every byte: `exact`, and `tree` when that takes a third of the memory",
        promise: Promise::Exact,
        offers: Offer::Numbers,
        cost: "that of the one or the other",
    },
    StoreDescription {
        store: StoreKind::Lossy(LossyKind::Compact),
        name: "compact",
        keeps: "a hash of 52 bits",
        promise: Promise::Lossy,
        offers: Offer::Visited,
        cost: "6.0 to 6.8 bytes beyond 700,000 states, 2 MiB in all at least",
    },
    StoreDescription {
        store: StoreKind::Lossy(LossyKind::Bitstate),
        name: "bitstate",
        keeps: "a few bits of one table",
        promise: Promise::Lossy,
        offers: Offer::Visited,
        cost: "a table of fixed size, whatever the number of states",
    },
];

impl StoreKind {
    /// The store with this name in [`STORES`].
    pub fn by_name(name: &str) -> Option<StoreKind> {
        STORES.iter().find(|row| row.name == name).map(|row| row.store)
    }

    /// Its row in [`STORES`].
    pub fn description(self) -> &'static StoreDescription {
        STORES.iter().find(|row| row.store == self).expect("every store is listed")
    }
}

/// Makes a store that numbers its states, empty, and does something with it that is compiled for each of
/// them: `with_store!(kind, store => search(model, store), lossy => ...)`. A macro, because closures cannot
/// be generic. What does not number its states is left to the second part, which is told which it is. `auto`
/// has a mebibyte.
#[macro_export]
macro_rules! with_store {
    ($kind:expr, $store:ident => $work:expr, $lossy:ident => $otherwise:expr) => {
        match $kind {
            $crate::StoreKind::Exact => {
                let $store = $crate::ExactStore::new();
                $work
            }
            $crate::StoreKind::Tree => {
                let $store = $crate::AutoStore::tree();
                $work
            }
            $crate::StoreKind::Auto => {
                let $store = $crate::AutoStore::within(1 << 20);
                $work
            }
            $crate::StoreKind::Lossy($lossy) => $otherwise,
        }
    };
}
