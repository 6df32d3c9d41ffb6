//! The list of stores, and the way from a name to a store.
//!
//! To add a store: a file for it, a variant of [`StoreKind`], a row of [`STORES`], and a line of
//! [`with_store!`](crate::with_store) that makes it. Whoever takes stores from this list then has it.

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
}

/// A store of the list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StoreKind {
    /// `exact`: every byte of every state.
    #[default]
    Exact,
}

/// A row of [`STORES`].
#[derive(Clone, Copy, Debug)]
pub struct StoreDescription {
    /// The store.
    pub store: StoreKind,
    /// As options and reports name it.
    pub name: &'static str,
    /// What it promises.
    pub promise: Promise,
    /// What a search can ask of it.
    pub offers: Offer,
    /// What a state costs.
    pub cost: &'static str,
}

/// All stores.
pub const STORES: &[StoreDescription] = &[StoreDescription {
    store: StoreKind::Exact,
    name: "exact",
    promise: Promise::Exact,
    offers: Offer::Numbers,
    cost: "its bytes, and 8 to 10 for the table",
}];

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

/// Makes the store of a [`StoreKind`], empty, and does something with it that is compiled for each of them:
/// `with_store!(kind, store => search(model, store))`. A macro, because closures cannot be generic.
#[macro_export]
macro_rules! with_store {
    ($kind:expr, $store:ident => $work:expr) => {
        match $kind {
            $crate::StoreKind::Exact => {
                let $store = $crate::ExactStore::new();
                $work
            }
        }
    };
}
