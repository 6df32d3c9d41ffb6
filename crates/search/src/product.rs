//! Model × property automaton, on the fly.
//!
//! A state of the product is a state of the model and one of the automaton. The automaton reads the state
//! that the model is in, then the model moves: so it sees every state of the run, the initial one first, as
//! Spin's claims do. From (s, q) an arc leads to (s′, q′) for every edge q → q′ whose label admits what is
//! true in s, and every successor s′ of s; edges come first in the order, as the claim moves first in Spin,
//! and of these the ones that lead on.
//!
//! A run that ends is continued by repeating its last state for ever ([`FiniteRuns::Stutter`], Promela's
//! rule), or is no run at all ([`FiniteRuns::Ignore`]). Where a step of the model ends in a run-time error,
//! or a proposition has no value, a run is lost ([`LostRun`]): what is found elsewhere is right all the same,
//! but that nothing is found proves nothing.
//!
//! Some states of the automaton accept whatever comes ([`PropertyAutomaton::accepts_everything`]). An edge
//! into one of them *decides*: what was read so far is enough, and how the run goes on does not matter, nor
//! whether a run-time error prevents it. So the product stands still there: the arc leads to the same state
//! of the model, from which one arc leads back to itself, with all marks. Two things keep it from standing
//! still: finite runs that are no runs (then one must be found that goes on), and the wish to see the whole
//! run ([`Follow::WholeRuns`]). In both cases it stands still only where a run-time error lies ahead.
//!
//! A run that stays inside an indivisible sequence for ever ([`Successors::divergences`]) is a run, whether
//! finite runs are or not. What the automaton sees of it is the state in which the sequence began, again
//! and again, with the process at no location: nobody sees the states in the middle. Such a state of the
//! product is *diverging*, and leads to diverging ones only.
//!
//! In the store a state of the product is the number of the automaton's state, in as few bytes as hold it,
//! behind the model's bytes; where sequences may go on for ever, the process that diverges is part of that
//! number ([`Repeats`]). All of these: what a model only remembers ([`SuccessorFunction::memory_size`]) is
//! compared here, or a cycle might not close.

mod automaton;
mod common;
mod lanes;
mod plain;
mod saved;
mod short;
mod targets;

pub use automaton::{PropertyAutomaton, PropertyEdge};
pub use common::{CommonProduct, Flaws};

use crate::checkpoint::{Reader, Unreadable, Writer};
use crate::emptiness::{Arc, End, MarkSet, Pair, Passing, Product, ProductStep};
use crate::fairness::{Fairness, RunMarks, RunRules};
use lanes::Lanes;
use lariat_engine::units::UnitTable;
use lariat_engine::{
    Entry, Moment, ProcessSet, SuccessorFunction, Successors, Valuation, Violation, ViolationKind,
};
use lariat_ltl::Marks;
use lariat_store::{Inserted, StateBits, StateHash, StateId, StateStore, TransientStore, WeightedSums};
use plain::Begun;
use short::ShortTargets;
use targets::{Ends, Sizes, Targets};

/// What becomes of runs that end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FiniteRuns {
    /// The last state is repeated for ever.
    Stutter,
    /// They are no runs.
    Ignore,
}

/// How far runs are followed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Follow {
    /// Until it is decided that they are accepted, if runs that end are runs too.
    UntilDecided,
    /// For ever.
    WholeRuns,
    /// States are followed, not runs: the product has an arc for each transition of the model, and no other.
    States,
}

/// Why the product does not know how a run goes on.
#[derive(Clone, Debug)]
pub enum LostRun {
    /// There is no initial state.
    Start(Violation),
    /// A step ends in a run-time error.
    Step(Violation),
    /// A proposition has no value in a state.
    Proposition(Violation),
}

/// The store, and successors on their way into it, all together, so that it can begin to look for each before
/// it must know about the first.
struct Numbering<'a, S: StateStore, K> {
    property: &'a PropertyAutomaton,
    store: S,
    sizes: Sizes,
    /// The states whose part of the automaton accepts.
    accepting: StateBits,
    targets: Targets<K>,
    /// Those of a state from which all is plain.
    short: ShortTargets<K>,
    /// For what the store finds.
    room: Vec<Inserted>,
    /// In a store that others use too: what is known of the end of each arc that was computed last.
    ends: Vec<End>,
}

/// The product of a model and a property automaton. It owns the store, which numbers the states of the
/// product.
pub struct ModelProduct<'a, M, S: StateStore, K = Marks> {
    model: &'a M,
    numbering: Numbering<'a, S, K>,
    /// States in flight.
    lanes: Lanes<K>,
    /// Which runs count.
    marks: RunMarks,
    finite_runs: FiniteRuns,
    follow: Follow,
    /// Every run counts, and no state has memory: arcs may be plain.
    may_be_plain: bool,
    /// Where it is decided, the product stands still ([`ModelProduct::stands_still`]).
    decides_early: bool,
    /// The last state of a run that repeats is told from the same state before.
    tells_repetition: bool,
    out: Successors,
    valuation: Valuation,
    /// For a state that must be copied out of the store.
    buffer: Vec<u8>,
    /// Sets of processes that are inside an indivisible sequence for ever, by number
    /// ([`Repeats::Diverging`]).
    away: Vec<Away>,
    /// The first run that was lost.
    lost: Option<LostRun>,
    /// An indivisible sequence went through too many states.
    cut: bool,
    /// There are more units than there is room for.
    too_few_units: bool,
    /// For the processes that live, and for the conditions of assumptions.
    living: Vec<(u16, u16)>,
    holds: Vec<bool>,
    /// Of each arc of the state that was asked about last, who takes part, if somebody wants to know.
    noted: Option<Vec<ProcessSet>>,
}

impl<'a, M: SuccessorFunction, S: StateStore> ModelProduct<'a, M, S> {
    /// A product of which no state has been computed yet, in which every run counts. The store must be empty.
    pub fn new(
        model: &'a M,
        property: &'a PropertyAutomaton,
        store: S,
        finite_runs: FiniteRuns,
    ) -> ModelProduct<'a, M, S> {
        ModelProduct::with_rules(model, property, store, finite_runs, RunRules::default(), None)
    }
}

impl<'a, M: SuccessorFunction, S: StateStore, K: MarkSet> ModelProduct<'a, M, S, K> {
    /// The same, in which only some runs count. If the units are not simply the processes, there is a table
    /// of them.
    pub fn with_rules(
        model: &'a M,
        property: &'a PropertyAutomaton,
        store: S,
        finite_runs: FiniteRuns,
        rules: RunRules,
        units: Option<UnitTable>,
    ) -> ModelProduct<'a, M, S, K> {
        assert!(property.sets() + rules.marks() <= K::LIMIT, "there are not so many marks");
        let last_way = match (model.may_diverge(), model.tells_repetition()) {
            (true, _) => Repeats::Diverging(MOST_AWAY as u16 - 1),
            (false, true) => Repeats::Stopped,
            (false, false) => Repeats::Not,
        };
        let ways = last_way.to_number() as usize + 1;
        let property_bytes = match property.states() * ways {
            0..=1 => 0,
            2..=0x100 => 1,
            0x101..=0x1_0000 => 2,
            _ => 4,
        };
        let may_be_plain = rules.allow_all() && model.memory_size() == 0;
        let product = ModelProduct {
            model,
            may_be_plain,
            decides_early: false,
            numbering: Numbering {
                property,
                store,
                sizes: Sizes { memory: model.memory_size(), property: property_bytes },
                accepting: StateBits::new(),
                targets: Targets { bytes: Vec::new(), list: Vec::new() },
                short: ShortTargets::new(property_bytes),
                room: Vec::new(),
                ends: Vec::new(),
            },
            lanes: Lanes::new(property_bytes),
            out: match (units, rules.fairness) {
                (_, None) => Successors::new(),
                (None, Some(_)) => Successors::new().asking_for_participants(),
                (Some(units), Some(_)) => Successors::new().asking_for_units(units),
            },
            marks: RunMarks::new(rules, property.sets()),
            tells_repetition: model.tells_repetition(),
            finite_runs,
            follow: Follow::UntilDecided,
            valuation: Valuation::default(),
            buffer: Vec::new(),
            away: Vec::new(),
            lost: None,
            cut: false,
            too_few_units: false,
            living: Vec::new(),
            holds: Vec::new(),
            noted: None,
        };
        product.following(Follow::UntilDecided)
    }

    /// Whether units were met for which there is no room: what was found, or not, means nothing then.
    pub fn has_too_few_units(&self) -> bool {
        self.too_few_units
    }

    /// The units, if they are not simply the processes.
    pub fn units(&self) -> Option<&UnitTable> {
        self.out.units()
    }

    /// Which runs count.
    pub fn rules(&self) -> &RunRules {
        &self.marks.rules
    }

    /// Who takes part in a step of a run, if that is of interest.
    pub fn participants(&mut self, step: ProductStep) -> Option<ProcessSet> {
        self.marks.rules.fairness?;
        self.noted = Some(Vec::new());
        self.post(step.state, &mut Vec::new());
        self.noted.take().and_then(|noted| noted.get(step.arc as usize).copied())
    }

    /// The same product, which follows runs as far as that.
    pub fn following(self, follow: Follow) -> ModelProduct<'a, M, S, K> {
        let product = ModelProduct { follow, ..self };
        ModelProduct { decides_early: product.stands_still(), ..product }
    }

    /// Whether a run is not followed any more where it is decided.
    pub fn stands_still(&self) -> bool {
        self.follow == Follow::UntilDecided
            && self.finite_runs == FiniteRuns::Stutter
            && self.marks.rules.allow_every_beginning(self.finite_runs)
    }

    /// Whether every run that comes to this state is accepted, by what was read before it.
    pub fn is_decided(&self, id: StateId) -> bool {
        self.numbering.property.accepts_everything(self.property_state(id))
    }

    /// The first run that was lost, if one was. The search has gone on without it.
    pub fn lost_run(&self) -> Option<&LostRun> {
        self.lost.as_ref()
    }

    /// Whether successors are missing because an indivisible sequence went through too many states.
    pub fn was_cut(&self) -> bool {
        self.cut
    }

    /// The model's part of a state.
    pub fn model_state(&self, id: StateId) -> Vec<u8> {
        let mut state = Vec::new();
        self.numbering.store.read(id, &mut state);
        state.truncate(state.len() - self.numbering.sizes.property);
        state
    }

    /// The automaton's part of a state.
    pub fn property_state(&self, id: StateId) -> u32 {
        self.reading(id).state
    }

    /// Whether, and why, the model's part of the state repeats for ever.
    pub fn repeats(&self, id: StateId) -> Repeats {
        self.reading(id).repeats
    }

    /// The processes that move in an indivisible sequence that is never left, by the number of the set.
    pub fn processes_away(&self, number: u16) -> ProcessSet {
        self.away[number as usize].movers
    }

    fn reading(&self, id: StateId) -> Reading {
        let mut buffer = Vec::new();
        let state = self.numbering.store.bytes_of(id, &mut buffer);
        let number = number(&state[state.len() - self.numbering.sizes.property..]);
        Reading::from_number(number, self.numbering.property.states())
    }
}

impl<M: SuccessorFunction, S: StateStore, K: MarkSet> ModelProduct<'_, M, S, K> {
    /// Appends the arcs that leave any state. What is begun need not be done again.
    #[inline(never)]
    fn post_any(&mut self, id: StateId, arcs: &mut Vec<Arc<K>>, begun: Begun) {
        // Where not every beginning counts, nothing is decided before the end.
        let may_stay = self.marks.rules.allow_every_beginning(self.finite_runs);
        let stands_still = may_stay && self.stands_still();
        self.numbering.ends.clear();
        let ModelProduct {
            model, numbering, marks, out, valuation, buffer, away, living, holds, lost, ..
        } = self;
        let (noted, too_few_units) = (&mut self.noted, &mut self.too_few_units);
        let (model, property) = (*model, numbering.property);
        let state = numbering.store.bytes_of(id, buffer);
        let (model_state, reading) = state.split_at(state.len() - numbering.sizes.property);
        let reading = Reading::from_number(number(reading), property.states());
        let settled = property.accepts_everything(reading.state) && self.follow != Follow::States;
        let settled = settled && may_stay;
        let stay = Arc { to: id, marks: K::all(marks.sets) };
        if settled && stands_still {
            numbering.store.use_again(id);
            arcs.push(stay);
            numbering.ends.push(End {
                accepts: property.accepting[reading.state as usize],
                is_new: Some(false),
                sleeping: 0,
            });
            noted.iter_mut().for_each(|noted| noted.push(ProcessSet::default()));
            return;
        }
        if begun == Begun::Nothing {
            out.clear();
        }
        let mut error = None;
        let moment = match reading.repeats {
            Repeats::Stopped => Moment::Stopped,
            Repeats::Diverging(number) => Moment::Diverging(away[number as usize].movers),
            Repeats::Not => {
                if begun == Begun::Nothing {
                    model.successors(model_state, out);
                }
                if out.has_violations() {
                    let mut violations = out.violations().map(|(violation, _)| violation);
                    error =
                        violations.find(|violation| violation.kind == ViolationKind::RuntimeError).cloned();
                }
                if out.something_happens() { Moment::Moving } else { Moment::Stuck }
            }
        };
        let breaks_off = error.is_some() && self.follow != Follow::States;
        if settled && breaks_off {
            numbering.store.use_again(id);
            arcs.push(stay);
            numbering.ends.push(End {
                accepts: property.accepting[reading.state as usize],
                is_new: Some(false),
                sleeping: 0,
            });
            noted.iter_mut().for_each(|noted| noted.push(ProcessSet::default()));
        }
        model.look_at(model_state, moment, valuation);
        // What the state gives to every arc that leaves it, and what each unit is owed there.
        let mut of_state = K::NONE;
        if let Some(assumptions) = &marks.rules.assumptions {
            holds.clear();
            for edge in assumptions.conditions.leaving(0) {
                match assumptions.conditions.admits(edge.label, |k| model.is_true(k, valuation)) {
                    Ok(holds_here) => holds.push(holds_here),
                    Err(violation) => {
                        // Nobody can say whether a run that comes here keeps the assumption.
                        lost.get_or_insert(LostRun::Proposition(violation));
                        return;
                    }
                }
            }
            of_state = marks.of_conditions(property.sets, holds);
        }
        let mut owed = ProcessSet::default();
        match marks.rules.fairness {
            None => {}
            Some((Fairness::Unconditional, _)) => {
                living.clear();
                model.living(model_state, living);
                for &(pid, process_type) in living.iter() {
                    match out.units_mut() {
                        None => owed.insert(pid),
                        Some(units) => units.add_all_of(pid, process_type, &mut owed),
                    }
                }
            }
            Some(_) if moment == Moment::Moving => owed = out.enabled(),
            Some(_) => {}
        }
        if marks.rules.fairness.is_some() {
            let has_more = out.units().is_some_and(UnitTable::is_full);
            *too_few_units |= has_more || owed.end() > marks.units();
        }
        let repeats = match moment {
            Moment::Moving => None,
            Moment::Stuck if self.finite_runs == FiniteRuns::Ignore => None,
            Moment::Stuck if self.tells_repetition => Some(Repeats::Stopped),
            Moment::Stuck | Moment::Stopped | Moment::Diverging(_) => Some(reading.repeats),
        };
        let diverges = out.diverges() && self.follow != Follow::States;
        // There would be no room for its number.
        assert!(!diverges || model.may_diverge(), "a sequence goes on for ever that could not");
        let may_decide = !settled && (stands_still || breaks_off && may_stay);
        let (mut goes_on, mut is_copied) = (false, false);
        for edge in &property.edges[reading.state as usize] {
            match property.admits(edge.label, |k| model.is_true(k, valuation)) {
                Ok(true) => {}
                Ok(false) => continue,
                Err(violation) => {
                    lost.get_or_insert(LostRun::Proposition(violation));
                    continue;
                }
            }
            let next = Reading { state: edge.to, repeats: Repeats::Not };
            let decides = may_decide && property.settled[edge.to as usize];
            let of_edge = K::narrow(edge.marks) | of_state;
            if (decides || diverges || repeats.is_some()) && !is_copied {
                // An arc leads to the same state of the model.
                numbering.store.read(id, buffer);
                buffer.truncate(buffer.len() - numbering.sizes.property);
                is_copied = true;
            }
            if decides || repeats.is_some() {
                let same = Reading { repeats: repeats.unwrap_or(reading.repeats), ..next };
                let take_part = match reading.repeats {
                    Repeats::Diverging(number) => away[number as usize].for_ever,
                    _ => ProcessSet::default(),
                };
                let marks = of_edge | marks.of_units(owed, take_part);
                numbering.add(same, marks, (buffer, numbering.sum_of(buffer)), arcs);
                noted.iter_mut().for_each(|noted| noted.push(take_part));
            }
            if decides && stands_still {
                continue;
            }
            goes_on = true;
            if marks.rules.fairness.is_some() {
                for i in 0..out.len() {
                    let take_part = out.participants(i);
                    let of_arc = of_edge | marks.of_units(owed, take_part);
                    noted.iter_mut().for_each(|noted| noted.push(take_part));
                    numbering.add(next, of_arc, (out.state(i), out.sum(i)), arcs);
                }
            } else {
                numbering.add_all(next.state, of_edge, out.parts(), arcs);
            }
            if diverges {
                for divergence in out.divergences() {
                    let mut processes = Away { movers: divergence.movers, for_ever: ProcessSet::default() };
                    if matches!(marks.rules.fairness, Some((Fairness::Unconditional, _))) {
                        // Others may move for ever in another sequence with the same movers, which is not
                        // listed.
                        self.cut = true;
                        processes.for_ever = match out.units() {
                            None => divergence.cycle.iter().map(|step| step.pid).collect(),
                            Some(_) => ProcessSet::default(),
                        };
                    }
                    let Some(number) = number_of(processes, away) else {
                        self.cut = true;
                        continue;
                    };
                    let diverging = Reading { repeats: Repeats::Diverging(number), ..next };
                    numbering.add(diverging, of_edge, (buffer, numbering.sum_of(buffer)), arcs);
                    noted.iter_mut().for_each(|noted| noted.push(ProcessSet::default()));
                }
            }
        }
        if goes_on {
            // Had the automaton not gone on, what is missing could not be accepted.
            self.cut |= out.was_cut();
            if let Some(violation) = error {
                lost.get_or_insert(LostRun::Step(violation));
            }
        }
        numbering.insert_batch(arcs);
    }
}

/// With more successors of a state, it is asked after each of them whether the batch is long.
const MOST_AT_ONCE: usize = 256;

/// So many sets of processes that are away are told apart.
const MOST_AWAY: usize = 255;

/// The processes of an indivisible sequence that is never left.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Away {
    /// Those who move in it.
    movers: ProcessSet,
    /// Those who do so again and again, if that matters.
    for_ever: ProcessSet,
}

/// The number of a set, which it gets when it is met first; `None` if there are too many.
fn number_of(processes: Away, away: &mut Vec<Away>) -> Option<u16> {
    let number = away.iter().position(|set| *set == processes).unwrap_or(away.len());
    if number == away.len() && number < MOST_AWAY {
        away.push(processes);
    }
    (number < MOST_AWAY).then_some(number as u16)
}

/// Why the model's part of a state of the product repeats for ever, as far as it must be known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Repeats {
    /// It does not, or nobody can tell.
    Not,
    /// Nothing can happen.
    Stopped,
    /// An indivisible sequence is never left: the number of the set of processes that move in it
    /// ([`ModelProduct::processes_away`]).
    Diverging(u16),
}

impl Repeats {
    #[inline]
    fn to_number(self) -> u32 {
        match self {
            Repeats::Not => 0,
            Repeats::Stopped => 1,
            Repeats::Diverging(away) => 2 + u32::from(away),
        }
    }

    #[inline]
    fn from_number(number: u32) -> Repeats {
        match number {
            0 => Repeats::Not,
            1 => Repeats::Stopped,
            _ => Repeats::Diverging((number - 2) as u16),
        }
    }
}

/// Beside the model's state: where the automaton is, and whether the model's state repeats.
#[derive(Clone, Copy)]
struct Reading {
    state: u32,
    repeats: Repeats,
}

impl Reading {
    #[inline]
    fn from_number(number: u32, states: usize) -> Reading {
        let states = states as u32;
        if number < states {
            return Reading { state: number, repeats: Repeats::Not };
        }
        Reading { state: number % states, repeats: Repeats::from_number(number / states) }
    }

    #[inline]
    fn to_number(self, states: usize) -> u32 {
        self.state + self.repeats.to_number() * states as u32
    }
}

impl<S: StateStore, K: MarkSet> Numbering<'_, S, K> {
    /// The sum of a state of the model, as successors come with it.
    fn sum_of(&self, model_state: &[u8]) -> u64 {
        WeightedSums.sum(&model_state[..model_state.len() - self.sizes.memory])
    }

    /// Adds an arc to the batch, and empties the batch if it has become long.
    #[inline]
    fn add(
        &mut self,
        reading: Reading,
        marks: K,
        (model_state, model_sum): (&[u8], u64),
        arcs: &mut Vec<Arc<K>>,
    ) {
        let number = reading.to_number(self.property.states());
        if self.targets.add(number, reading.state, marks, (model_state, model_sum), self.sizes) {
            self.insert_batch(arcs);
        }
    }

    /// Adds an arc to each successor of the model, by one edge.
    #[inline]
    fn add_all(&mut self, state: u32, marks: K, (bytes, entries): (&[u8], &[Entry]), arcs: &mut Vec<Arc<K>>) {
        // With more, the batch is emptied in between; and what is memory is hashed here.
        if self.sizes.memory == 0 && entries.len() <= MOST_AT_ONCE {
            if self.targets.add_all(state, state, marks, (bytes, entries), self.sizes) {
                self.insert_batch(arcs);
            }
            return;
        }
        let reading = Reading { state, repeats: Repeats::Not };
        for entry in entries {
            let state = &bytes[entry.start as usize..entry.end as usize];
            self.add(reading, marks, (state, entry.sum), arcs);
        }
    }

    /// Puts the states of the batch into the store, and its arcs, in order, into `arcs`.
    fn insert_batch(&mut self, arcs: &mut Vec<Arc<K>>) {
        let Numbering { targets, room, .. } = self;
        let found = self.store.insert_all(Ends { bytes: &targets.bytes, list: &targets.list }, room);
        for (target, inserted) in targets.list.iter().zip(found) {
            if let Inserted::New(id) = *inserted
                && !S::IS_SHARED
            {
                match self.property.accepting[target.property_state as usize] {
                    true => _ = self.accepting.set(id),
                    // A store for states in use gives numbers again.
                    false => self.accepting.unset(id),
                }
            }
            arcs.push(Arc { to: inserted.id(), marks: target.marks });
            if S::IS_SHARED {
                let is_new = Some(matches!(inserted, Inserted::New(_)));
                let accepts = self.property.accepting[target.property_state as usize];
                self.ends.push(End { accepts, is_new, sleeping: 0 });
            }
        }
        targets.bytes.clear();
        targets.list.clear();
    }
}

#[inline]
fn number(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | byte as u32)
}

impl<M: SuccessorFunction, S: StateStore, K: MarkSet> Product for ModelProduct<'_, M, S, K> {
    type Marks = K;

    fn sets(&self) -> u32 {
        self.marks.sets
    }

    fn pairs(&self) -> &[Pair] {
        &self.marks.pairs
    }

    fn initial_states(&mut self, out: &mut Vec<StateId>) {
        match self.model.initial_state() {
            Ok(initial) => {
                let mut arcs = Vec::new();
                let initial = (initial.as_slice(), self.numbering.sum_of(&initial));
                for &state in &self.numbering.property.initial {
                    let reading = Reading { state, repeats: Repeats::Not };
                    self.numbering.add(reading, K::NONE, initial, &mut arcs);
                }
                self.numbering.insert_batch(&mut arcs);
                out.extend(arcs.iter().map(|arc| arc.to));
            }
            Err(violation) => {
                self.lost.get_or_insert(LostRun::Start(violation));
            }
        }
    }

    #[inline]
    fn post(&mut self, id: StateId, arcs: &mut Vec<Arc<K>>) {
        let begun = if self.may_be_plain { self.post_plain(id, arcs) } else { Begun::Nothing };
        if begun != Begun::All {
            self.post_any(id, arcs, begun);
        }
    }

    fn post_with_ends(&mut self, state: StateId, out: &mut Vec<Arc<K>>, ends: &mut Vec<End>) {
        let before = out.len();
        self.post(state, out);
        if S::IS_SHARED {
            // To look at each of the states would cost more than to compute it.
            ends.extend_from_slice(&self.numbering.ends);
        } else {
            let end = |arc: &Arc<K>| End { accepts: self.is_accepting(arc.to), is_new: None, sleeping: 0 };
            ends.extend(out[before..].iter().map(end));
        }
    }

    #[inline]
    fn announce(&mut self, lane: usize, state: StateId, sleeping: u32) {
        self.begin_in_lane(lane, state, sleeping);
    }

    #[inline]
    fn land(&mut self, lane: usize, state: StateId, each: impl FnMut(StateId, End)) -> u64 {
        self.land_in_lane(lane, state, each)
    }

    fn accepts_by_component(&self) -> bool {
        self.numbering.property.is_by_components()
    }

    fn is_accepting(&self, state: StateId) -> bool {
        if S::IS_SHARED {
            // Who has inserted it knows what is in its table; all others look at the state.
            return self.numbering.property.is_accepting(self.property_state(state));
        }
        self.numbering.accepting.is_set(state)
    }

    fn stored(&self) -> u64 {
        self.numbering.store.len()
    }

    fn state_bytes(&self) -> u64 {
        self.numbering.store.states_bytes()
    }

    fn auxiliary_bytes(&self) -> u64 {
        self.numbering.store.auxiliary_bytes() + self.numbering.accepting.bytes() + self.model.own_bytes()
    }

    fn model_bytes(&self) -> u64 {
        self.model.own_bytes()
    }

    fn load_and_change(&self) -> (Option<u16>, Option<u64>) {
        (self.numbering.store.load(), self.numbering.store.changed_at())
    }

    fn upcoming_bytes(&self) -> u64 {
        self.numbering.store.upcoming_bytes()
    }

    fn is_full(&self) -> bool {
        self.numbering.store.is_full()
    }

    #[inline]
    fn prefetch(&self, state: StateId) {
        self.numbering.store.prefetch(state);
    }

    fn rest(&mut self) {
        self.numbering.store.rest();
    }

    fn save_all(&self, out: &mut Writer) -> Result<(), &'static str> {
        self.save_parts(out)
    }

    fn load_all(&mut self, from: &mut Reader) -> Result<(), Unreadable> {
        self.load_parts(from)
    }
}

/// In a store for states in use.
impl<M: SuccessorFunction, K: MarkSet> Passing for ModelProduct<'_, M, TransientStore, K> {
    fn bytes_of(&self, state: StateId) -> &[u8] {
        self.numbering.store.get(state)
    }

    fn give_back(&mut self, state: StateId) {
        self.numbering.store.give_back(state);
    }
}
