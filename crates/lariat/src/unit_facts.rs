//! A judge of fair runs that is not the search: what the cycle of a run owes to each unit, and gives it.
//!
//! The model is asked again what can happen in each state of the cycle, and who takes part. The marks of the
//! product have no part in it, nor have the numbers of units. A run that these facts call unfair is an error
//! of ours.

use crate::{Fairness, Model, Unit};
use indexmap::{IndexMap, IndexSet};
use lariat_search::emptiness::Stopped;
use lariat_search::{Lookout, MemoryUse, WORK_PER_ARC, WORK_PER_STATE};
use lariat_verdict::counted;
use rustc_hash::FxBuildHasher;
use std::fmt;

/// What the cycle of a run owes to a unit, and gives it. `Display` says why the run is fair to the unit.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct UnitFacts {
    /// Whom it is about.
    pub unit: Unit,
    /// In so many steps of the cycle it takes part.
    pub takes_part: u64,
    /// In so many states of the cycle it is enabled: it takes part in some step that leaves the state.
    pub enabled_in: u64,
    /// So many states the cycle has. A run that stops repeats its last state.
    pub states: u64,
}

impl UnitFacts {
    /// Whether a run with this cycle is fair to the unit.
    pub fn is_fair(&self, fairness: Fairness) -> bool {
        self.takes_part > 0
            || match fairness {
                Fairness::Weak => self.enabled_in < self.states,
                Fairness::Strong => self.enabled_in == 0,
                Fairness::Unconditional => false,
            }
    }
}

impl fmt::Display for UnitFacts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let UnitFacts { unit, takes_part, enabled_in, states } = self;
        match (*takes_part, *enabled_in) {
            (0, 0) => write!(f, "{unit}: never enabled in the cycle"),
            (0, enabled) if enabled == *states => {
                let states = counted(*states, "state");
                write!(f, "{unit}: enabled all the time ({states} in the cycle), and never takes part")
            }
            (0, enabled) => {
                write!(f, "{unit}: not enabled in {} of {states} states of the cycle", states - enabled)
            }
            (1, _) => write!(f, "{unit}: takes part once in the cycle"),
            (count, _) => write!(f, "{unit}: takes part {count} times in the cycle"),
        }
    }
}

/// What a cycle owes to each unit, and gives it: its states, and how the run leaves each; `None` where
/// nothing can happen. Those that are known already come first.
pub(crate) fn unit_facts<'a, M: Model>(
    model: &M,
    known: impl Iterator<Item = &'a Unit>,
    cycle: &[(&M::State, Option<&M::Action>)],
    lookout: &mut Lookout,
) -> Result<Vec<UnitFacts>, Stopped> {
    let mut facts: IndexMap<Unit, (u64, u64), FxBuildHasher> =
        known.map(|unit| (unit.clone(), (0, 0))).collect();
    let (mut steps, mut named) = (Vec::new(), Vec::new());
    for (state, taken) in cycle {
        steps.clear();
        model.successors(state, &mut steps);
        if lookout.is_due(WORK_PER_STATE + steps.len() as i64 * WORK_PER_ARC)
            && let Some(reason) = lookout.look(MemoryUse::default())
        {
            return Err(Stopped(reason));
        }
        steps.iter().for_each(|(action, _)| model.units_of(action, &mut named));
        let enabled: IndexSet<Unit, FxBuildHasher> = named.drain(..).collect();
        taken.iter().for_each(|action| model.units_of(action, &mut named));
        let take_part: IndexSet<Unit, FxBuildHasher> = named.drain(..).collect();
        enabled.into_iter().for_each(|unit| facts.entry(unit).or_default().1 += 1);
        take_part.into_iter().for_each(|unit| facts.entry(unit).or_default().0 += 1);
    }
    let states = cycle.len() as u64;
    let of = |(unit, (takes_part, enabled_in))| UnitFacts { unit, takes_part, enabled_in, states };
    Ok(facts.into_iter().map(of).collect())
}
