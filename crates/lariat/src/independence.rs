//! Whether the footprints of a model are true, by samples.
//!
//! In states that a search has met, and on walks through the model as it is, without reduction, this is
//! looked at:
//!
//! - two steps of which one may be followed without the other lead to the same state in both orders, so that
//!   neither makes the other impossible;
//! - no step changes what a process can do next that may be followed without it;
//! - no step makes a process do later what it was not to do from then on;
//! - a step changes no proposition that looks at nothing the step was to write.
//!
//! Steps are told apart by the process that takes them and by how actions are shown. A model in which all of
//! this is true in every state is reduced correctly. What is looked at are some states only: a mistake may
//! stay hidden in a large model. In one of less than a thousand states every state that was met is looked at.

use crate::explored::{FormulaPropositions, Meaning};
use crate::footprint::{Footprint, Things};
use crate::reduction::closure;
use crate::{Error, Model};
use lariat_search::{Lookout, MemoryUse, WORK_PER_STATE};

/// Steps of a walk that begins in a state that was met, and in an initial state.
const SHORT_WALK: usize = 3;
const LONG_WALK: usize = 30;
/// Walks that begin in initial states.
const LONG_WALKS: usize = 12;

/// What a model says of a state.
struct Said<M: Model> {
    /// Each with the process that takes it and the name of what it does.
    steps: Vec<(usize, String, M::State)>,
    footprints: Vec<Footprint>,
}

impl<M: Model> Said<M> {
    fn of(model: &M, state: &M::State) -> Said<M> {
        let (mut steps, mut footprints) = (Vec::new(), Vec::new());
        model.successors(state, &mut steps);
        model.footprints(state, &mut footprints);
        let shown =
            |(action, to): (M::Action, M::State)| (model.process_of(&action), model.show_action(&action), to);
        Said { steps: steps.into_iter().map(shown).collect(), footprints }
    }

    /// What a process can do, in order.
    fn actions_of(&self, process: usize) -> Vec<&str> {
        let own = self.steps.iter().filter(|(owner, ..)| *owner == process);
        let mut actions: Vec<&str> = own.map(|(_, action, _)| action.as_str()).collect();
        actions.sort_unstable();
        actions
    }

    /// Where a process comes by an action.
    fn after<'s>(&'s self, process: usize, action: &'s str) -> impl Iterator<Item = &'s M::State> {
        let is_it = move |step: &&(usize, String, M::State)| step.0 == process && step.1 == action;
        self.steps.iter().filter(is_it).map(|(.., to)| to)
    }
}

/// Looks at states, and at others on walks from there, as long as there is time.
pub(crate) struct IndependenceCheck<'a, 'm, M: Model> {
    pub model: &'m M,
    pub propositions: &'a FormulaPropositions<'m, M::State>,
    /// By proposition of the formula: what it looks at.
    pub looks_at: Vec<Things>,
    /// Where the choices of walks come from.
    pub random: u64,
}

impl<'a, 'm, M: Model> IndependenceCheck<'a, 'm, M> {
    pub fn new(model: &'m M, propositions: &'a FormulaPropositions<'m, M::State>) -> Self {
        let looks_at =
            |name: &String| model.proposition_reads(name).unwrap_or_default().into_iter().collect();
        let looks_at = propositions.names.iter().map(looks_at).collect();
        IndependenceCheck { model, propositions, looks_at, random: 0x9e37_79b9_7f4a_7c15 }
    }

    /// Walks that begin in the initial states and in these.
    pub fn run<'s>(
        &mut self,
        met: impl Iterator<Item = &'s M::State>,
        lookout: &mut Lookout,
    ) -> Result<(), Error>
    where
        M::State: 's,
    {
        let initial = self.model.initial_states();
        for walk in 0..LONG_WALKS {
            if let Some(start) = initial.get(walk % initial.len().max(1)) {
                self.walk(start, LONG_WALK, lookout)?;
            }
        }
        for state in met {
            self.walk(state, SHORT_WALK, lookout)?;
        }
        Ok(())
    }

    fn walk(&mut self, start: &M::State, length: usize, lookout: &mut Lookout) -> Result<(), Error> {
        let mut state = start.clone();
        for _ in 0..=length {
            if lookout.is_due(WORK_PER_STATE) && lookout.look(MemoryUse::default()).is_some() {
                return Ok(());
            }
            let said = Said::of(self.model, &state);
            self.look_at(&state, &said)?;
            if said.steps.is_empty() {
                return Ok(());
            }
            let place = self.random(said.steps.len());
            state = said.steps.into_iter().nth(place).map_or(state, |(.., to)| to);
        }
        Ok(())
    }

    fn random(&mut self, below: usize) -> usize {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random % below as u64) as usize
    }

    fn look_at(&self, state: &M::State, said: &Said<M>) -> Result<(), Error> {
        let processes = said.footprints.len();
        if let Some((owner, action, _)) = said.steps.iter().find(|(owner, ..)| *owner >= processes) {
            return wrong(format!(
                "in {state:?} `{action}` is a step of process {owner}, and `footprints` has {processes}"
            ));
        }
        // By process: with whom it must be followed.
        let together: Vec<Vec<bool>> = (0..processes).map(|first| closure(&said.footprints, first)).collect();
        let after: Vec<Said<M>> = said.steps.iter().map(|(.., to)| Said::of(self.model, to)).collect();
        for (step, after) in said.steps.iter().zip(&after) {
            self.look_at_promises(state, said, &together, step, after)?;
            self.look_at_propositions(state, said, step)?;
        }
        for (one, (first, a, _)) in said.steps.iter().enumerate() {
            for (two, (second, b, _)) in said.steps.iter().enumerate().skip(one + 1) {
                if together[*first][*second] && together[*second][*first] {
                    continue;
                }
                let mut ends = after[one].after(*second, b);
                if !ends.any(|end| after[two].after(*first, a).any(|other| other == end)) {
                    return wrong(format!(
                        "in {state:?} `{a}` of process {first} and `{b}` of process {second} are independent by \
                         their footprints, and do not lead to the same state in both orders"
                    ));
                }
            }
        }
        Ok(())
    }

    /// Whether what was said of later is still true after a step, and what others do next is the same.
    fn look_at_promises(
        &self,
        state: &M::State,
        said: &Said<M>,
        together: &[Vec<bool>],
        (owner, action, to): &(usize, String, M::State),
        after: &Said<M>,
    ) -> Result<(), Error> {
        if after.footprints.len() < said.footprints.len() {
            return wrong(format!(
                "`footprints` has {} processes for {state:?}, and {} for {to:?}, which follows: who has come to \
                 an end keeps its place, with an empty footprint",
                said.footprints.len(),
                after.footprints.len()
            ));
        }
        let own = &said.footprints[*owner];
        for (process, then) in after.footprints.iter().enumerate() {
            // Who is created does what its creator was to do.
            let before = said.footprints.get(process).unwrap_or(own);
            let sets = [
                (&then.later_reads, &before.later_reads, "read"),
                (&then.later_writes, &before.later_writes, "write"),
            ];
            for (then, before, what) in sets {
                if let Some(thing) = then.missing_in(before) {
                    return wrong(format!(
                        "in {state:?} process {process} was not to {what} thing {thing} later, and after \
                         `{action}` of process {owner} it is"
                    ));
                }
            }
            if together.get(process).is_none_or(|with| with[*owner]) {
                continue;
            }
            let (can, could) = (after.actions_of(process), said.actions_of(process));
            if can != could {
                let changed = can.iter().find(|action| !could.contains(action));
                let changed = changed.or(could.iter().find(|action| !can.contains(action))).unwrap_or(&"");
                let now = if can.contains(changed) { "possible" } else { "impossible" };
                return wrong(format!(
                    "in {state:?} `{action}` of process {owner} makes `{changed}` of process {process} {now}, \
                     which may be followed without it by their footprints"
                ));
            }
            let is_same = then.next_reads == before.next_reads && then.next_writes == before.next_writes;
            if !is_same {
                return wrong(format!(
                    "in {state:?} `{action}` of process {owner} changes what process {process} touches next, \
                     which may be followed without it by their footprints"
                ));
            }
        }
        Ok(())
    }

    fn look_at_propositions(
        &self,
        state: &M::State,
        said: &Said<M>,
        (owner, action, to): &(usize, String, M::State),
    ) -> Result<(), Error> {
        let written = &said.footprints[*owner].next_writes;
        for (k, meaning) in self.propositions.meanings.iter().enumerate() {
            let Meaning::Named(holds) = meaning else { continue };
            if !written.meets(&self.looks_at[k]) && holds(state) != holds(to) {
                let name = &self.propositions.names[k];
                return wrong(format!(
                    "in {state:?} `{action}` of process {owner} changes the proposition `{name}`, and writes \
                     nothing that it looks at (`Model::proposition_reads`)"
                ));
            }
        }
        Ok(())
    }
}

fn wrong(what: String) -> Result<(), Error> {
    Err(Error::NotIndependent(what))
}
