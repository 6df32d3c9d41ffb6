//! A property that several threads check, or one thread out of order.
//!
//! One thread begins, in order, as if there were nothing else: most searches end there, and a model that is
//! large has been compiled by then. If the product has more states than that, all threads explore it from
//! the beginning, over one store, and say whether there is a run to be found: with `csd` where the automaton
//! is weak or terminal, as most are; with `cascc` where it is strong, or not all runs count, if some states
//! of the automaton lie on no accepting cycle; with `ufscc` or `cndfs` if they were asked for. If there is
//! none, that is the answer, and the counts are those that one thread would have: each state and its arcs
//! once. If there is one, one thread looks for it, in order, so that what is shown does not depend on the
//! threads. It does so as well if anything else comes up that would have to be told: a run that is lost in a
//! run-time error, a limit on states or memory. So with n threads a violation takes at most the time of one
//! thread and that of a search by all.
//!
//! How deep a search by threads goes depends on them. So the depth, and the size of the stacks, are those of
//! the part in order.
//!
//! Measured on 31 formulas that hold in models of BEEM (weak and terminal automata): two threads together
//! take 1.03 to 1.4 times the processor time of one (`sd` or `reach`), and 0.7 to 1.15 times the memory.
//! Where the automaton is strong, `cndfs` by two gave 0.9 to 1.9 times the speed of `ascc`, `ufscc` 0.4 to
//! 1.6. (`cascc`, on two formulas of the kind `([] <> p) -> ([] <> q)`: 1.5.)
//!
//! *One thread* goes the same way where the automaton has states that lie on no accepting cycle and can stay
//! as they are: out of order it is quicker (`simple_dfs_any_order`, `components_any_order`), and if there is
//! a run to be found, it is looked for again, in order.
//!
//! What cannot be shared, or must be in order, is left to the usual check ([`LivenessCheck::why_alone`]).

use super::{LivenessCheck, LivenessOutcome, TimedFind};
use crate::check::InternalError;
use lariat_engine::Workers;
use lariat_ltl::Marks;
use lariat_search::emptiness::{
    FoundTogether, MarkSet, Needs, Search, Stopped, ThreadedCheck, WideMarks, components_any_order,
    simple_dfs_any_order,
};
use lariat_search::product::{CommonProduct, Flaws, ModelProduct, PropertyAutomaton};
use lariat_search::{Counts, Progress, Stacks, StopReason};
use lariat_store::{ExactStore, StateStore, VisitedSet};
use lariat_verdict::{Found, find};
use std::borrow::Cow;
use std::time::Instant;

/// So many states are one thread's. They are explored again by all, so that a product that is a little larger
/// takes longer than with one thread: by some ten milliseconds.
const ALONE: u64 = 1 << 14;

/// The same observer, for one search after the other.
fn again<'p>(progress: &'p mut Option<&mut dyn FnMut(&Progress)>) -> Option<&'p mut dyn FnMut(&Progress)> {
    progress.as_mut().map(|progress| &mut **progress as &mut dyn FnMut(&Progress))
}

impl LivenessCheck<'_, '_> {
    /// As [`LivenessCheck::run`], by as many threads as were asked for.
    pub(super) fn run_together<M: Workers, S: StateStore>(
        &self,
        model: &M,
        store: S,
        mut progress: Option<&mut dyn FnMut(&Progress)>,
    ) -> Result<LivenessOutcome, InternalError> {
        let Some(check) = self.runs.chosen.together.filter(|&check| self.why_alone(check, model).is_none())
        else {
            return self.run(model, store, find, progress);
        };
        let alone = self.threads.in_order.unwrap_or(ALONE);
        let mut in_order = Counts::default();
        if self.limits.max_states.is_none_or(|most| most > alone) {
            if alone > 0 {
                let first = LivenessCheck { at_first: Some(alone), ..*self };
                let outcome = first.run(model, store, find, again(&mut progress))?;
                if !outcome.is_begun_only {
                    return Ok(outcome);
                }
                in_order = outcome.counts;
            }
            if let Some(mut outcome) = self.is_empty_for_all(check, model, again(&mut progress))? {
                let counts = &mut outcome.counts;
                let bytes = counts.stacks.bytes;
                (counts.depth, counts.stacks) = (in_order.depth, Stacks { bytes, ..in_order.stacks });
                return Ok(outcome);
            }
        }
        self.run(model, ExactStore::within(self.limits.max_memory), find, again(&mut progress))
    }

    /// Whether one thread does it: nobody has asked for several, nor for a check that several can carry out.
    fn is_for_one(&self) -> bool {
        !self.threads.are_wished() && !self.runs.chosen.is_as_asked()
    }

    /// Why the usual check must do it, if it must.
    pub(super) fn why_alone<M: Workers>(&self, check: ThreadedCheck, model: &M) -> Option<&'static str> {
        let rules = self.runs.rules(1);
        let waits = self.automaton_for(check).waits();
        if self.is_for_one() && !(waits && rules.allow_all()) {
            Some("nobody has asked for others, and nothing would be quicker out of order")
        } else if check == ThreadedCheck::RootsAndActive && !waits && !self.runs.chosen.is_as_asked() {
            Some("all must be in order")
        } else if self.is_for_one() && self.limits.max_states.is_some() {
            Some("where a limit on states stops a search depends on the order")
        } else if self.checkpoints.is_some() {
            Some("there are checkpoints")
        } else if self.precompute {
            Some("the product is computed before")
        } else if self.limits.max_depth.is_some() {
            Some("how deep a path is depends on the threads")
        } else if self.limits.process.max_addresses.is_some() {
            Some("addresses are limited, and threads take some")
        } else if model.may_diverge() {
            Some("a process may stay in an indivisible sequence for ever")
        } else if rules.have_pairs() {
            Some("there are pairs of acceptance sets")
        } else if rules.allow_all() {
            None
        } else if check.description().needs != Needs::AnySets {
            Some("there are several acceptance sets")
        } else if !self.units.is_every_process() {
            Some("fairness is to others than processes")
        } else {
            None
        }
    }

    /// How many threads carry out a check. Where one of them has a part that cannot be divided, others would
    /// take the processor away from it if there were more of them than processors.
    fn workers(&self, check: ThreadedCheck) -> usize {
        let processors = std::thread::available_parallelism().map_or(1, |count| count.get());
        match check {
            ThreadedCheck::RootsAndActive => self.threads.count().min(processors.max(2)),
            _ => self.threads.count(),
        }
    }

    /// The automaton, with what the check wants to know of its states.
    fn automaton_for(&self, check: ThreadedCheck) -> Cow<'_, PropertyAutomaton> {
        match check.knows_components() {
            true => Cow::Owned(self.runs.automaton.by_components()),
            false => Cow::Borrowed(&self.runs.automaton),
        }
    }

    /// The answer of all threads, if it is one that need not be shown.
    fn is_empty_for_all<M: Workers>(
        &self,
        check: ThreadedCheck,
        model: &M,
        progress: Option<&mut dyn FnMut(&Progress)>,
    ) -> Result<Option<LivenessOutcome>, InternalError> {
        let start = Instant::now();
        let automaton = &self.runs.automaton;
        let units = if self.runs.rules(0).allow_all() { 0 } else { self.first_units() };
        let marks = automaton.sets() + self.runs.rules(units).marks();
        if marks > WideMarks::LIMIT {
            return Ok(None);
        }
        let (found, flaws) = if marks <= Marks::LIMIT {
            self.ask_all::<M, Marks>(check, model, units, progress)
        } else {
            self.ask_all::<M, WideMarks>(check, model, units, progress)
        };
        let outcome = match found.outcome {
            Ok(false) if flaws.iter().all(|flaws| *flaws == Flaws::default()) => Ok(None),
            Err(stopped @ Stopped(StopReason::Timeout | StopReason::Interrupted)) => Err(stopped),
            _ => return Ok(None),
        };
        let found = Found { outcome, counts: found.counts };
        // It has met nothing that would have to be told.
        let mut product = ModelProduct::new(model, automaton, ExactStore::new(), self.finite_runs);
        let found = TimedFind { found, checked: Some(start.elapsed()) };
        self.conclude(model, &mut product, found).map(Some)
    }

    fn ask_all<M: Workers, K: MarkSet>(
        &self,
        check: ThreadedCheck,
        model: &M,
        units: u32,
        progress: Option<&mut dyn FnMut(&Progress)>,
    ) -> (FoundTogether, Vec<Flaws>) {
        let mut store = ExactStore::within(self.limits.max_memory);
        let rules = self.runs.rules(units);
        let automaton = &*self.automaton_for(check);
        if self.is_for_one() {
            let product =
                ModelProduct::<_, _, K>::with_rules(model, automaton, store, self.finite_runs, rules, None);
            let mut product = product.following(self.follow());
            let mut search = Search::new(&mut product, self.limits, progress.map(|progress| progress as _));
            let outcome = match check.knows_components() {
                true => components_any_order(&mut search),
                false => simple_dfs_any_order(&mut search),
            };
            let counts = Counts { order_given_up: true, ..search.counts() };
            return (FoundTogether { outcome, counts }, vec![product.flaws()]);
        }
        let place = CommonProduct::<M::Worker, ExactStore, K>::new(
            automaton,
            &mut store,
            self.finite_runs,
            self.follow(),
            rules,
        );
        let tools = (0..self.workers(check)).map(|_| model.another_worker()).collect();
        let (mut found, flaws) =
            check.run(&place, tools, self.limits, progress.map(|progress| progress as _));
        // The last states of a worker count when it has left.
        drop(place);
        (found.counts.stored, found.counts.states_bytes) = (store.len(), store.states_bytes());
        // Whatever goes wrong between workers, no verdict is built on it.
        let (stored, visited) = (found.counts.stored, found.counts.visited);
        let is_whole = found.outcome != Ok(false) || visited == stored;
        assert!(is_whole, "{stored} states are stored, and {visited} were visited: they must be the same");
        (found, flaws)
    }
}
