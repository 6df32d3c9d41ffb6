//! Exact as long as there is memory, then the tree: a store that changes without losing a state or a number.
//!
//! The exact store is faster, the tree store takes half the bytes. Whoever has a budget begins with the
//! first; when it takes a third of the budget (or would, when it grows), all states go over into a tree. (Not
//! more, because what a search keeps beside its states may take as much.) All
//! numbers stay what they are, so that side tables and stacks of a search stay valid. What the search
//! reports, but for bytes and a remark ([`VisitedSet::changed_at`]), is the same as in either store.
//!
//! *Memory while it changes.* First the table of the exact store is given back, which takes more than the
//! roots of the tree will; then states go over in the order of their numbers, and their slabs are given back
//! one by one; then the index is made. So at no time is there more than before.

use crate::exact::ExactStore;
use crate::tree::TreeStore;
use crate::{Announced, Batch, Inserted, StateId, StateStore, VisitedSet};

/// A store that is exact, or a tree, or one after the other.
#[derive(Debug)]
pub struct AutoStore {
    kept: Kept,
    /// How it begins when it is cleared, and when it changes.
    rule: Rule,
    /// With so many states it looks whether it is time to change.
    look_at: u64,
    /// With so many states it has changed.
    changed_at: Option<u64>,
}

#[derive(Debug)]
enum Kept {
    Exact(Box<ExactStore>),
    Tree(Box<TreeStore>),
}

#[derive(Clone, Copy, Debug)]
enum Rule {
    /// Exact, where there are so many bytes.
    Exact(Option<u64>),
    Tree,
    /// Exact up to so many bytes.
    ExactUpTo(u64),
}

/// It looks so often: after so many states, fewer than an exact store of megabytes takes between its word
/// that it will grow and its growing.
const BETWEEN_LOOKS: u64 = 1 << 10;

/// The same of both.
macro_rules! either {
    ($auto:expr, $store:ident => $work:expr) => {
        match $auto {
            Kept::Exact($store) => $work,
            Kept::Tree($store) => $work,
        }
    };
}

impl AutoStore {
    /// Exact for ever.
    pub fn exact() -> AutoStore {
        AutoStore::exact_within(None)
    }

    /// The same, where there are so many bytes for everything ([`ExactStore::within`]).
    pub fn exact_within(budget: Option<u64>) -> AutoStore {
        AutoStore::with_rule(Rule::Exact(budget))
    }

    /// A tree from the beginning.
    pub fn tree() -> AutoStore {
        AutoStore::with_rule(Rule::Tree)
    }

    /// Exact as long as it takes no more than a third of a budget, then a tree.
    pub fn within(budget: u64) -> AutoStore {
        AutoStore::with_rule(Rule::ExactUpTo(budget / 3))
    }

    fn with_rule(rule: Rule) -> AutoStore {
        let (kept, look_at) = AutoStore::beginning(rule);
        AutoStore { kept, rule, look_at, changed_at: None }
    }

    fn beginning(rule: Rule) -> (Kept, u64) {
        match rule {
            Rule::Exact(budget) => (Kept::Exact(Box::new(ExactStore::within(budget))), u64::MAX),
            Rule::Tree => (Kept::Tree(Box::default()), u64::MAX),
            Rule::ExactUpTo(most) => (Kept::Exact(Box::new(ExactStore::within(Some(most)))), 0),
        }
    }

    /// Whether it is a tree now.
    pub fn is_tree(&self) -> bool {
        matches!(self.kept, Kept::Tree(_))
    }

    #[inline(always)]
    fn look(&mut self) {
        if let Kept::Exact(store) = &self.kept
            && store.len() >= self.look_at
        {
            self.change_in_time();
        }
    }

    #[cold]
    fn change_in_time(&mut self) {
        let Kept::Exact(store) = &mut self.kept else { return };
        self.look_at = store.len() + BETWEEN_LOOKS;
        if let Rule::ExactUpTo(most) = self.rule
            && store.states_bytes() + store.auxiliary_bytes() + store.upcoming_bytes() > most
        {
            self.changed_at = Some(store.len());
            self.kept = Kept::Tree(Box::new(std::mem::take(&mut **store).into_tree()));
            self.look_at = u64::MAX;
        }
    }
}

impl VisitedSet for AutoStore {
    fn visit(&mut self, state: &[u8]) -> bool {
        self.look();
        either!(&mut self.kept, store => store.visit(state))
    }

    fn visit_all<'r>(&mut self, batch: impl Batch, room: &'r mut Vec<bool>) -> &'r [bool] {
        self.look();
        either!(&mut self.kept, store => store.visit_all(batch, room))
    }

    fn contains(&self, state: &[u8]) -> bool {
        either!(&self.kept, store => store.contains(state))
    }

    #[inline]
    fn prefetch_all(&mut self, batch: impl Batch) {
        either!(&mut self.kept, store => store.prefetch_all(batch));
    }

    fn clear(&mut self) {
        *self = AutoStore::with_rule(self.rule);
    }

    #[inline]
    fn len(&self) -> u64 {
        either!(&self.kept, store => store.len())
    }

    fn is_full(&self) -> bool {
        either!(&self.kept, store => store.is_full())
    }

    fn states_bytes(&self) -> u64 {
        either!(&self.kept, store => store.states_bytes())
    }

    fn auxiliary_bytes(&self) -> u64 {
        either!(&self.kept, store => store.auxiliary_bytes())
    }

    fn load(&self) -> Option<u16> {
        either!(&self.kept, store => store.load())
    }

    fn changed_at(&self) -> Option<u64> {
        self.changed_at
    }

    fn upcoming_bytes(&self) -> u64 {
        match (&self.kept, self.rule) {
            // It will change before it asks for more than that.
            (Kept::Exact(store), Rule::ExactUpTo(most)) => {
                let held = store.states_bytes() + store.auxiliary_bytes();
                store.upcoming_bytes().min(most.saturating_sub(held))
            }
            (Kept::Exact(store), _) => store.upcoming_bytes(),
            (Kept::Tree(store), _) => store.upcoming_bytes(),
        }
    }
}

impl StateStore for AutoStore {
    fn insert(&mut self, state: &[u8]) -> Inserted {
        self.look();
        either!(&mut self.kept, store => store.insert(state))
    }

    #[inline]
    fn insert_all<'r>(&mut self, batch: impl Batch, room: &'r mut Vec<Inserted>) -> &'r [Inserted] {
        self.look();
        either!(&mut self.kept, store => store.insert_all(batch, room))
    }

    #[inline]
    fn announce_all(&mut self, batch: impl Batch, announced: &mut Announced) {
        either!(&mut self.kept, store => store.announce_all(batch, announced));
    }

    #[inline]
    fn probe_announced(&mut self, announced: &mut Announced) {
        either!(&mut self.kept, store => store.probe_announced(announced));
    }

    #[inline]
    fn insert_announced<'r>(
        &mut self,
        batch: impl Batch,
        announced: &Announced,
        room: &'r mut Vec<Inserted>,
    ) -> &'r [Inserted] {
        self.look();
        either!(&mut self.kept, store => store.insert_announced(batch, announced, room))
    }

    fn read(&self, id: StateId, buffer: &mut Vec<u8>) {
        either!(&self.kept, store => store.read(id, buffer));
    }

    #[inline]
    fn bytes_of<'s>(&'s self, id: StateId, buffer: &'s mut Vec<u8>) -> &'s [u8] {
        either!(&self.kept, store => store.bytes_of(id, buffer))
    }

    #[inline]
    fn prefetch(&self, id: StateId) {
        either!(&self.kept, store => store.prefetch(id));
    }

    fn for_each_state(&self, each: impl FnMut(StateId, &[u8])) {
        either!(&self.kept, store => store.for_each_state(each));
    }
}
