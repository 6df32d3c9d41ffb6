//! The goal of a search: the automaton of the runs that are looked for. From a formula or an automaton to
//! the check that suits it.

use crate::verdict::{AutomatonFacts, SearchOrder};
use lariat_ltl::complement::complement;
use lariat_ltl::emptiness::accepts;
use lariat_ltl::evaluate::evaluate;
use lariat_ltl::reduce::degeneralise::{degeneralise, make_one_set};
use lariat_ltl::reduce::simplify_until;
use lariat_ltl::stop::Stop;
use lariat_ltl::strength::{Strength, strength};
use lariat_ltl::stutter::{has_next, is_invariant};
use lariat_ltl::translate::{Failure, Form, Translation, translate};
use lariat_ltl::{Automaton, Bdds, Formula, Formulas, Placement, Word};
use lariat_search::emptiness::{ALGORITHMS, Check, Needs, Offer, ThreadedCheck};
use lariat_search::{Limits, Lookout, MemoryUse, StopReason, WORK_PER_STATE};
use std::cell::{Cell, RefCell};

/// Why it is the check that was named.
pub const AS_ASKED: &str = "as asked";

/// Which check is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Algorithm {
    /// What suits the automaton, by the advice of the papers.
    #[default]
    Auto,
    /// This one, or none: if it cannot do it, the verdict is [`Verdict::Refused`](crate::Verdict::Refused).
    Named(Check),
    /// This one, which takes several threads; a run is then shown by the check that goes with it.
    Threaded(ThreadedCheck),
}

impl Algorithm {
    /// The check for one thread that was named; that goes with the one that was named.
    pub fn named(self) -> Option<Check> {
        match self {
            Algorithm::Auto => None,
            Algorithm::Named(check) => Some(check),
            Algorithm::Threaded(check) => Some(check.description().shows),
        }
    }

    /// The check for several threads that was named.
    pub fn together(self) -> Option<ThreadedCheck> {
        match self {
            Algorithm::Threaded(check) => Some(check),
            Algorithm::Auto | Algorithm::Named(_) => None,
        }
    }
}

/// How a run is to be looked for: which check, on what automaton, in which order.
#[derive(Clone, Copy, Debug, Default)]
pub struct CheckOptions {
    /// Which check.
    pub algorithm: Algorithm,
    /// Every check gets an automaton with one acceptance set.
    pub degeneralise: bool,
    /// Breadth-first means a lasso of minimal length, where it can be had.
    pub order: SearchOrder,
    /// Which runs count.
    pub runs: RunsThatCount,
    /// Visited states are kept in a mere set, without numbers.
    pub on_set: bool,
}

/// Which runs count, as far as checks must know it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum RunsThatCount {
    /// All of them.
    #[default]
    All,
    /// Those that meet sets of marks beside the automaton's: weak fairness, say.
    BySets,
    /// Those that satisfy pairs of marks too: strong fairness, say.
    ByPairs,
}

impl CheckOptions {
    fn wants_one_set(self) -> bool {
        let named = self.algorithm.named();
        self.degeneralise
            || self.on_set
            || self.runs == RunsThatCount::All
                && named.is_some_and(|check| check.description().needs != Needs::AnySets)
    }
}

/// What a run must be like to be found: the automaton that accepts it.
pub struct Goal {
    /// It accepts the runs that are looked for.
    pub automaton: Automaton,
    /// The labels of the automaton.
    pub bdds: Bdds,
    /// The formula, in tables in which the propositions have the same numbers; none if the property is an
    /// automaton.
    pub formula: Option<(Formulas, Formula)>,
    /// It accepts all other runs, if such an automaton was made on the way.
    complement: Option<Automaton>,
}

/// Why there is no goal: nothing can be looked for.
pub enum NoGoal {
    /// It cannot be done.
    Refused(String),
    /// It would take too much.
    GivenUp(String),
    /// A limit was hit.
    Stopped(StopReason),
    /// An error of ours.
    Internal(String),
}

/// A check, and why it is this one.
#[derive(Clone, Copy, Debug)]
pub struct ChosenCheck {
    /// Which check.
    pub check: Check,
    /// By several threads, this one says first whether there is anything to be found.
    pub together: Option<ThreadedCheck>,
    /// Why.
    pub why: &'static str,
    /// How strong the automaton is.
    pub power: Strength,
}

impl ChosenCheck {
    /// Its name: of that for several threads only if it was asked for, because what is found does not depend
    /// on how many there are.
    pub fn name(self) -> &'static str {
        match self.together {
            Some(check) if self.is_as_asked() => check.description().name,
            _ => self.check.description().name,
        }
    }

    /// Whether it was named.
    pub fn is_as_asked(self) -> bool {
        self.why == AS_ASKED
    }

    /// As reports say it.
    pub fn reason(self) -> String {
        format!("{}: {}", self.name(), self.why)
    }
}

impl Goal {
    /// The runs that satisfy a formula.
    pub fn by_formula(
        mut formulas: Formulas,
        formula: Formula,
        options: CheckOptions,
        limits: Limits,
    ) -> Result<Goal, NoGoal> {
        let asked = LimitedWork::new(limits);
        let ask = |bytes| asked.must_stop(bytes);
        let mut bdds = Bdds::new();
        let form = if options.wants_one_set() { Form::Buchi } else { Form::Generalised };
        let options = lariat_ltl::translate::Options { form, stop: Stop::when(&ask), ..Default::default() };
        let translation =
            translate(&mut formulas, &mut bdds, formula, &options).map_err(|failure| match failure {
                Failure::Contradiction => NoGoal::Internal(failure.to_string()),
                Failure::Stopped => NoGoal::Stopped(asked.reason()),
                Failure::TooLarge { .. } => NoGoal::GivenUp(failure.to_string()),
                _ => NoGoal::Refused(failure.to_string()),
            })?;
        let Translation { automaton, complement, .. } = translation;
        Ok(Goal { automaton, bdds, formula: Some((formulas, formula)), complement })
    }

    /// The runs that an automaton accepts.
    pub fn by_automaton(mut automaton: Automaton, mut bdds: Bdds, limits: Limits) -> Goal {
        let asked = LimitedWork::new(limits);
        let ask = |bytes| asked.must_stop(bytes);
        simplify_until(&mut bdds, &mut automaton, Stop::when(&ask));
        Goal { automaton, bdds, formula: None, complement: None }
    }

    /// Whether it is certain that runs which differ only in how often each state is repeated are not told
    /// apart. Formulas without `X` never do; of others, and of automata, the language is asked.
    pub fn is_stutter_invariant(&mut self, limits: Limits) -> bool {
        if let Some((formulas, formula)) = &self.formula
            && !has_next(formulas, *formula)
        {
            return true;
        }
        let asked = LimitedWork::new(limits);
        let ask = |bytes| asked.must_stop(bytes);
        if self.formula.is_none() && self.complement.is_none() {
            self.complement = complement(&mut self.bdds, &self.automaton, Stop::when(&ask));
        }
        let Some(complement) = &self.complement else { return false };
        is_invariant(&mut self.bdds, &self.automaton, complement, Stop::when(&ask)) == Some(true)
    }

    /// The automaton in numbers.
    pub fn facts(&mut self) -> AutomatonFacts {
        AutomatonFacts {
            states: self.automaton.states(),
            edges: self.automaton.edge_count(),
            sets: self.automaton.sets,
            strength: strength(&mut self.bdds, &self.automaton),
        }
    }

    /// Chooses the check, and gives the automaton the form that it needs. `Err` if the check that was asked
    /// for cannot do it: its name, and why.
    pub fn choose(
        &mut self,
        options: CheckOptions,
        limits: Limits,
    ) -> Result<ChosenCheck, (&'static str, String)> {
        let power = strength(&mut self.bdds, &self.automaton);
        let (check, why) = match (options.algorithm.named(), options.runs) {
            (Some(check), _) => (check, AS_ASKED),
            (None, RunsThatCount::All) if options.on_set => advised_on_set(power),
            (None, RunsThatCount::All) => advised(power),
            (None, RunsThatCount::BySets) => {
                (Check::RootsAndActive, "not all runs count; it takes any number of acceptance sets")
            }
            (None, RunsThatCount::ByPairs) => {
                (Check::Streett, "not all runs count; it knows pairs of acceptance sets")
            }
        };
        let description = check.description();
        let together = match (options.algorithm, check) {
            (Algorithm::Auto, _) if options.on_set => None,
            (Algorithm::Auto, Check::SimpleDfs | Check::Reachability) => Some(ThreadedCheck::SimpleDfs),
            (Algorithm::Auto, Check::RootsAndActive) => Some(ThreadedCheck::RootsAndActive),
            (algorithm, _) => algorithm.together(),
        };
        let name = ChosenCheck { check, together, why, power }.name();
        if options.on_set && (description.store != Offer::Visited || together.is_some()) {
            let others: Vec<String> = ALGORITHMS
                .iter()
                .filter(|row| row.store == Offer::Visited)
                .map(|row| format!("`{}`", row.name))
                .collect();
            let reason = format!(
                "`{name}` notes numbers of states, and a lossy store has none; those that do with marks are {}",
                others.join(", ")
            );
            return Err((name, reason));
        }
        match (options.runs, description.needs) {
            (RunsThatCount::ByPairs, _) if check != Check::Streett => {
                let reason = format!(
                    "`{name}` knows no pairs of acceptance sets, which strong fairness and assumptions like `F G p` are; `streett` does"
                );
                return Err((name, reason));
            }
            (RunsThatCount::BySets, Needs::Weak | Needs::Terminal) => {
                let reason = format!(
                    "`{name}` looks at the automaton alone, and where not all runs count, that is not enough; `ascc` takes any number of acceptance sets"
                );
                return Err((name, reason));
            }
            _ => {}
        }
        let too_strong = match description.needs {
            Needs::Weak if power > Strength::Weak => Some("weak"),
            Needs::Terminal if power > Strength::Terminal => Some("terminal"),
            _ => None,
        };
        if let Some(needed) = too_strong {
            let reason = format!("`{name}` needs a {needed} automaton, and that of this property is {power}");
            return Err((name, reason));
        }
        let one_set = description.needs != Needs::AnySets && options.runs == RunsThatCount::All;
        if one_set || options.degeneralise {
            self.make_buchi(limits);
        }
        Ok(ChosenCheck { check, together, why, power })
    }

    /// One set, on states.
    fn make_buchi(&mut self, limits: Limits) {
        if self.automaton.placement == Placement::States && self.automaton.sets == 1 {
            return;
        }
        let order: Vec<u32> = (0..self.automaton.sets).collect();
        let mut one = degeneralise(&mut self.bdds, &self.automaton, &order);
        let asked = LimitedWork::new(limits);
        let ask = |bytes| asked.must_stop(bytes);
        simplify_until(&mut self.bdds, &mut one, Stop::when(&ask));
        make_one_set(&mut one);
        self.automaton = one;
    }

    /// Whether the word that a run spells is one of those: by the definition of the logic, or by the
    /// automaton of the claim.
    pub fn judge(&self, word: &Word) -> Result<(), String> {
        match &self.formula {
            Some((formulas, formula)) if evaluate(formulas, *formula, word) => Ok(()),
            Some(_) => Err("the run that was found satisfies the formula".to_string()),
            None if accepts(&self.bdds, &self.automaton, word) => Ok(()),
            None => Err("the claim does not accept the run that was found".to_string()),
        }
    }
}

/// The limits of a search, as work on formulas asks for them.
struct LimitedWork<'a> {
    lookout: RefCell<Lookout<'a>>,
    reason: Cell<Option<StopReason>>,
}

impl<'a> LimitedWork<'a> {
    fn new(limits: Limits<'a>) -> LimitedWork<'a> {
        LimitedWork { lookout: RefCell::new(Lookout::new(limits)), reason: Cell::new(None) }
    }

    /// Whether the work, which holds so many bytes, must stop.
    fn must_stop(&self, bytes: usize) -> bool {
        let mut lookout = self.lookout.borrow_mut();
        if self.reason.get().is_none() && lookout.is_due(WORK_PER_STATE) {
            self.reason.set(lookout.look(MemoryUse { own: bytes as u64, ..MemoryUse::default() }));
        }
        self.reason.get().is_some()
    }

    fn reason(&self) -> StopReason {
        self.reason.get().unwrap_or(StopReason::Interrupted)
    }
}

/// The same where visited states are kept in a set without numbers: Gaiser and Schwoon 2009, §5.
fn advised_on_set(power: Strength) -> (Check, &'static str) {
    match power {
        Strength::Terminal | Strength::Weak => (
            Check::SimpleDfs,
            "the automaton is weak, so one depth-first search decides, on a lossy store too",
        ),
        Strength::Strong => (
            Check::NestedDfsAllRed,
            "the automaton is strong; nested searches need marks only, which a lossy store can keep",
        ),
    }
}

/// The check that suits an automaton of this strength, and why: the papers' own advice.
pub fn advised(power: Strength) -> (Check, &'static str) {
    match power {
        Strength::Terminal => {
            (Check::Reachability, "the automaton is terminal, so reaching an accepting state decides")
        }
        Strength::Weak => (Check::SimpleDfs, "the automaton is weak, so one depth-first search decides"),
        Strength::Strong => {
            (Check::RootsAndActive, "the automaton is strong; components are found as soon as they accept")
        }
    }
}
