//! The part of a model that has been met so far, as numbers.
//!
//! A state is kept once and has a number from then on ([`IndexSet`]). It is expanded at most once: the
//! numbers of its successors stay in one long array, and what is true in it in a row of bits. So an algorithm
//! that looks at a state twice, and an automaton with ten states, cost the model nothing. The price is four
//! bytes for each transition. If fairness is asked for, who takes part is noted beside: four bytes more.
//!
//! A function that is asked once cannot contradict itself. So when a search has seen everything, some states
//! are expanded again, for comparison ([`ExploredModel::ask_again`]).

use crate::ahead::{Ahead, Measure};
use crate::independence::IndependenceCheck;
use crate::model::Condition;
use crate::reduction::Reduction;
use crate::unit::{UnitSet, UnitTable};
use crate::{Error, Model};
use indexmap::IndexSet;
use lariat_ltl::Letter;
use lariat_search::{Lookout, MemoryUse, WORK_PER_STATE};
use rustc_hash::FxBuildHasher;

/// The number of a state of the model.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct ModelState(pub u32);

/// What a proposition of a formula stands for.
pub(crate) enum Meaning<'m, S> {
    /// One that the model names.
    Named(Condition<'m, S>),
    /// The state has no successor.
    Deadlock,
}

/// The propositions of a formula, by their numbers in it.
pub(crate) struct FormulaPropositions<'m, S> {
    pub names: Vec<String>,
    pub meanings: Vec<Meaning<'m, S>>,
}

impl<S> FormulaPropositions<'_, S> {
    /// What is true in a state.
    pub fn letter(&self, state: &S, stuck: bool) -> Letter {
        let is_true = |meaning: &Meaning<S>| match meaning {
            Meaning::Named(condition) => condition(state),
            Meaning::Deadlock => stuck,
        };
        Letter(self.meanings.iter().map(is_true).collect())
    }
}

/// The successors of a state: a stretch of [`ExploredModel::targets`].
#[derive(Clone, Copy)]
struct Expansion {
    start: usize,
    length: u32,
}

/// Not expanded yet.
const UNKNOWN: Expansion = Expansion { start: usize::MAX, length: 0 };

/// How many states are expanded again when everything has been seen.
const ASKED_AGAIN: usize = 1000;

pub(crate) struct ExploredModel<'m, M: Model> {
    pub model: &'m M,
    pub propositions: FormulaPropositions<'m, M::State>,
    states: IndexSet<M::State, FxBuildHasher>,
    initial: Vec<ModelState>,
    /// Per state.
    expansions: Vec<Expansion>,
    targets: Vec<u32>,
    /// If it matters who takes part.
    units: Option<UnitTable>,
    /// Per target, if it matters.
    taking_part: Vec<UnitSet>,
    /// Per state, one bit for each proposition.
    letters: Vec<u64>,
    buffer: Vec<(M::Action, M::State)>,
    /// There were no numbers left.
    full: bool,
    /// If not all steps are followed.
    reduction: Option<Reduction>,
    /// States of which some steps were left out.
    reduced: u64,
    /// Others who compute successors, and whether the model takes so long that they should.
    ahead: Option<&'m dyn Ahead<M>>,
    measure: Measure,
}

impl<'m, M: Model> ExploredModel<'m, M> {
    pub fn new(
        model: &'m M,
        propositions: FormulaPropositions<'m, M::State>,
        units: Option<UnitTable>,
        ahead: Option<&'m dyn Ahead<M>>,
    ) -> ExploredModel<'m, M> {
        let mut explored = ExploredModel {
            model,
            propositions,
            states: IndexSet::default(),
            initial: Vec::new(),
            expansions: Vec::new(),
            targets: Vec::new(),
            units,
            taking_part: Vec::new(),
            letters: Vec::new(),
            buffer: Vec::new(),
            full: false,
            reduction: None,
            reduced: 0,
            ahead,
            measure: Measure::default(),
        };
        for state in model.initial_states() {
            let number = explored.number(state);
            explored.initial.extend(number);
        }
        explored
    }

    pub fn initial(&self) -> &[ModelState] {
        &self.initial
    }

    pub fn state(&self, number: ModelState) -> &M::State {
        &self.states[number.0 as usize]
    }

    /// How many states have been met.
    pub fn len(&self) -> usize {
        self.states.len()
    }

    pub fn is_full(&self) -> bool {
        self.full
    }

    /// Of the states and what is noted about them; what they point to is not known.
    pub fn bytes(&self) -> (u64, u64) {
        // Beside a state stand its hash and its place in the table.
        let noted = 2 * size_of::<u64>() + size_of::<Expansion>();
        let steps = self.targets.capacity() + self.taking_part.capacity();
        let beside = self.states.capacity() * noted + steps * 4 + self.letters.capacity() * 8;
        ((self.states.len() * size_of::<M::State>()) as u64, beside as u64)
    }

    /// `None` if there are no numbers left.
    fn number(&mut self, state: M::State) -> Option<ModelState> {
        if self.states.len() >= u32::MAX as usize && !self.states.contains(&state) {
            self.full = true;
            return None;
        }
        let (number, is_new) = self.states.insert_full(state);
        if is_new {
            self.expansions.push(UNKNOWN);
            self.letters.resize(self.letters.len() + self.words_in_letter(), 0);
            if let Some(ahead) = self.ahead.filter(|_| self.measure.is_worthwhile()) {
                ahead.offer(number as u32, &self.states[number]);
            }
        }
        Some(ModelState(number as u32))
    }

    fn words_in_letter(&self) -> usize {
        self.propositions.meanings.len().div_ceil(64)
    }

    /// Makes the successors of a state known, and what is true in it.
    pub fn expand(&mut self, number: ModelState) {
        let place = number.0 as usize;
        if self.expansions[place].start != UNKNOWN.start {
            return;
        }
        let mut buffer = std::mem::take(&mut self.buffer);
        match self.ahead.and_then(|ahead| ahead.take(number.0)) {
            Some(computed) => buffer = computed,
            None => self.measure.call(|| self.model.successors(&self.states[place], &mut buffer)),
        }
        let start = self.targets.len();
        let stuck = buffer.is_empty();
        if let Some(reduction) = &self.reduction {
            self.reduced += u64::from(reduction.reduce(self.model, &self.states[place], &mut buffer));
        }
        for (action, state) in buffer.drain(..) {
            let Some(target) = self.number(state) else { continue };
            self.targets.push(target.0);
            let noted = self.units.as_mut().map(|units| units.note(self.model, &action));
            self.taking_part.extend(noted);
        }
        self.buffer = buffer;
        self.expansions[place] = Expansion { start, length: (self.targets.len() - start) as u32 };
        let first_word = place * self.words_in_letter();
        let letter = self.propositions.letter(&self.states[place], stuck);
        for (k, _) in letter.0.iter().enumerate().filter(|(_, is_true)| **is_true) {
            self.letters[first_word + k / 64] |= 1 << (k % 64);
        }
    }

    /// The successors of a state that has been expanded, in the model's order.
    pub fn successors(&self, number: ModelState) -> &[u32] {
        let Expansion { start, length } = self.expansions[number.0 as usize];
        self.targets.get(start..start.saturating_add(length as usize)).unwrap_or(&[])
    }

    /// The units, if it matters who takes part.
    pub fn units(&self) -> Option<&UnitTable> {
        self.units.as_ref()
    }

    /// Who takes part in the steps to the successors of a state that has been expanded, in the same order;
    /// none if it does not matter.
    pub fn taking_part(&self, number: ModelState) -> &[UnitSet] {
        let Expansion { start, length } = self.expansions[number.0 as usize];
        self.taking_part.get(start..start.saturating_add(length as usize)).unwrap_or(&[])
    }

    /// What is true in a state that has been expanded.
    pub fn letter(&self, number: ModelState) -> Letter {
        Letter((0..self.propositions.meanings.len()).map(|k| self.is_true(number, k)).collect())
    }

    /// Whether a proposition is true in a state that has been expanded.
    pub fn is_true(&self, number: ModelState, proposition: usize) -> bool {
        let word = number.0 as usize * self.words_in_letter() + proposition / 64;
        self.letters[word] >> (proposition % 64) & 1 == 1
    }

    /// Whether the model still says of this state what it said before; what is true there, and what can
    /// happen.
    pub fn ask_again_about(
        &self,
        number: ModelState,
        out: &mut Vec<(M::Action, M::State)>,
    ) -> Result<Letter, Error> {
        let state = self.state(number);
        out.clear();
        self.model.successors(state, out);
        let stuck = out.is_empty();
        if let Some(reduction) = &self.reduction {
            reduction.reduce(self.model, state, out);
        }
        let contradiction = |what: String| Err(Error::NotAFunction(what));
        let place = |(_, state): &(M::Action, M::State)| self.states.get_index_of(state);
        let mut now: Vec<Option<usize>> = out.iter().map(place).collect();
        let mut before: Vec<Option<usize>> =
            self.successors(number).iter().map(|&target| Some(target as usize)).collect();
        now.sort_unstable();
        before.sort_unstable();
        if now != before && !self.full {
            return contradiction(format!(
                "`{}` was asked twice about {state:?}, and the answers differ",
                if self.reduction.is_some() { "successors` or `footprints" } else { "successors" }
            ));
        }
        if let Some(units) = &self.units {
            let known = |step: &(M::Action, M::State)| (place(step), units.known(self.model, &step.0));
            let mut now: Vec<(Option<usize>, Option<UnitSet>)> = out.iter().map(known).collect();
            let noted = self.successors(number).iter().zip(self.taking_part(number));
            let mut before: Vec<(Option<usize>, Option<UnitSet>)> =
                noted.map(|(&target, &units)| (Some(target as usize), Some(units))).collect();
            now.sort_unstable();
            before.sort_unstable();
            if now != before && !self.full {
                return contradiction(format!(
                    "`units_of` was asked twice about what can happen in {state:?}, and the answers differ"
                ));
            }
        }
        let letter = self.propositions.letter(state, stuck);
        match (0..letter.0.len()).find(|&k| letter.0[k] != self.is_true(number, k)) {
            None => Ok(letter),
            Some(k) => {
                let name = &self.propositions.names[k];
                contradiction(format!("the proposition `{name}` was once true and once false in {state:?}"))
            }
        }
    }

    /// Asks the model again where it starts.
    pub fn ask_again_about_start(&self) -> Result<(), Error> {
        let again = self.model.initial_states();
        let same = |(number, state): (&ModelState, &M::State)| self.state(*number) == state;
        if again.len() == self.initial.len() && self.initial.iter().zip(&again).all(same) {
            return Ok(());
        }
        Err(Error::NotAFunction("`initial_states` was asked twice, and the answers differ".to_string()))
    }

    /// Asks the model again about its initial states, and about some of the states that were expanded, as
    /// long as there is time.
    pub fn ask_again(&self, lookout: &mut Lookout) -> Result<(), Error> {
        self.ask_again_about_start()?;
        let mut out = Vec::new();
        let stride = self.len().div_ceil(ASKED_AGAIN).max(1);
        for place in (0..self.len()).step_by(stride) {
            if lookout.is_due(WORK_PER_STATE) && lookout.look(MemoryUse::default()).is_some() {
                break;
            }
            if self.expansions[place].start != UNKNOWN.start {
                self.ask_again_about(ModelState(place as u32), &mut out)?;
            }
        }
        Ok(())
    }

    /// Leaves out steps from now on. To be said before a state is expanded.
    pub fn leave_out(&mut self, reduction: Reduction) {
        self.reduction = Some(reduction);
    }

    /// Of how many states some steps were left out.
    pub fn reduced(&self) -> u64 {
        self.reduced
    }

    /// Looks whether steps were left out with reason: in some of the states, as long as there is time.
    pub fn check_independence(&self, lookout: &mut Lookout) -> Result<(), Error> {
        if self.reduction.is_none() {
            return Ok(());
        }
        let stride = self.len().div_ceil(ASKED_AGAIN).max(1);
        let some = (0..self.len()).step_by(stride).map(|place| &self.states[place]);
        IndependenceCheck::new(self.model, &self.propositions).run(some, lookout)
    }
}
