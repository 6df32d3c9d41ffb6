//! The product of a model and an automaton for several workers: each has a [`ModelProduct`] of its own, with
//! a model of its own, over one store.
//!
//! A state has the same bytes for all of them, so the same number; its arcs and their marks are a function of
//! the state. Two things are not, because a product numbers them as it meets them: sets of processes that are
//! inside an indivisible sequence for ever, and units of fairness that are more than processes. Where these
//! may occur ([`SuccessorFunction::may_diverge`], a [`lariat_engine::units::UnitTable`]), one worker explores
//! the product.

use super::{FiniteRuns, Follow, ModelProduct, PropertyAutomaton};
use crate::emptiness::{MarkSet, Workplace};
use crate::fairness::RunRules;
use crate::parallel::handle::{CommonStore, Handle};
use lariat_engine::SuccessorFunction;
use lariat_store::{SharedStore, StateStore};
use std::marker::PhantomData;

/// What the workers have in common.
pub struct CommonProduct<'a, 's, W, S, K> {
    property: &'a PropertyAutomaton,
    store: CommonStore<'s, S>,
    finite_runs: FiniteRuns,
    follow: Follow,
    rules: RunRules,
    kind: PhantomData<fn() -> (W, K)>,
}

impl<'a, 's, W, S: SharedStore, K> CommonProduct<'a, 's, W, S, K> {
    /// As [`ModelProduct::with_rules`], without units of its own. The store must be empty.
    pub fn new(
        property: &'a PropertyAutomaton,
        store: &'s mut S,
        finite_runs: FiniteRuns,
        follow: Follow,
        rules: RunRules,
    ) -> CommonProduct<'a, 's, W, S, K> {
        let store = CommonStore::new(store, None);
        CommonProduct { property, store, finite_runs, follow, rules, kind: PhantomData }
    }
}

/// What a worker has met that keeps the answer from being one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Flaws {
    /// [`ModelProduct::lost_run`].
    pub lost_run: bool,
    /// [`ModelProduct::was_cut`].
    pub was_cut: bool,
    /// [`ModelProduct::has_too_few_units`].
    pub too_few_units: bool,
}

impl<'s, W: SuccessorFunction + Send, S: SharedStore, K: MarkSet> Workplace
    for CommonProduct<'_, 's, W, S, K>
{
    type Marks = K;
    type Tool = W;
    type Product<'t>
        = ModelProduct<'t, W, Handle<'t, 's, S>, K>
    where
        Self: 't;
    type Rest = Flaws;

    fn product<'t>(&'t self, worker: usize, model: &'t W) -> Self::Product<'t> {
        debug_assert!(!model.may_diverge(), "numbers of processes that are away would differ");
        let (store, rules) = (self.store.handle(worker), self.rules.clone());
        ModelProduct::with_rules(model, self.property, store, self.finite_runs, rules, None)
            .following(self.follow)
    }

    fn rest<'t>(&'t self, product: Self::Product<'t>) -> Flaws {
        product.flaws()
    }
}

impl<M: SuccessorFunction, S: StateStore, K: MarkSet> ModelProduct<'_, M, S, K> {
    /// What it has met that keeps the answer from being one.
    pub fn flaws(&self) -> Flaws {
        Flaws {
            lost_run: self.lost_run().is_some(),
            was_cut: self.was_cut(),
            too_few_units: self.has_too_few_units(),
        }
    }
}
