//! From what is sought to a lasso: the part of the street that needs no model, only a product.
//!
//! 1. [`Sought`]: the automaton of the runs that are looked for, and the formula it was made from.
//! 2. [`Sought::choose`]: the check, by what was asked for and by the strength of the automaton; the
//!    automaton gets the form that it needs.
//! 3. [`find`]: the check runs. [`shortened`]: the lasso that it has found is made shorter.
//! 4. [`Sought::judge`]: whether the word that the run spells is one that was sought, by the definition of
//!    the logic.
//!
//! Between 3 and 4 somebody must execute the run, who knows the model: `lasso_run.rs` in `search` for models
//! in files, `typed/replay.rs` for models in Rust.

use crate::check::describe_stop;
use crate::options::SearchOrder;
use crate::report::{AutomatonFacts, RunLength};
use lariat_ltl::emptiness::accepts;
use lariat_ltl::evaluate::evaluate;
use lariat_ltl::reduce::degeneralise::{degeneralise, make_one_set};
use lariat_ltl::reduce::simplify_until;
use lariat_ltl::stop::Stop;
use lariat_ltl::strength::{Strength, strength};
use lariat_ltl::translate::{Failure, Form, translate};
use lariat_ltl::{Automaton, Bdds, Formula, Formulas, Placement, Word};
use lariat_search::emptiness::{
    Check, Lasso, Length, Needs, Product, Search, Stopped, shorten, shortest_lasso,
};
use lariat_search::{Counts, Limits, Lookout, MemoryUse, Progress, StopReason, WORK_PER_STATE};
use std::cell::{Cell, RefCell};
use std::time::Duration;

/// Which check is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Algorithm {
    /// What suits the automaton, by the advice of the papers.
    #[default]
    Auto,
    /// This one, or none: if it cannot do it, the verdict is [`Verdict::Refused`](crate::Verdict::Refused).
    Named(Check),
}

/// How a run is to be looked for.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct How {
    pub algorithm: Algorithm,
    /// Every check gets an automaton with one acceptance set.
    pub degeneralise: bool,
    /// Breadth-first means a lasso of minimal length, where it can be had.
    pub order: SearchOrder,
}

impl How {
    fn wants_one_set(self) -> bool {
        self.degeneralise
            || matches!(self.algorithm, Algorithm::Named(check) if check.description().needs != Needs::AnySets)
    }
}

/// What a run must be like to be found: the automaton that accepts it.
pub(crate) struct Sought {
    pub automaton: Automaton,
    pub bdds: Bdds,
    /// The formula, in tables in which the propositions have the same numbers; none if the property is an
    /// automaton.
    pub formula: Option<(Formulas, Formula)>,
}

/// Why nothing can be looked for.
pub(crate) enum NotSought {
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
pub(crate) struct Chosen {
    pub check: Check,
    pub why: &'static str,
    /// How strong the automaton is.
    pub power: Strength,
}

impl Chosen {
    pub fn name(self) -> &'static str {
        self.check.description().name
    }

    /// As reports say it.
    pub fn reason(self) -> String {
        format!("{}: {}", self.name(), self.why)
    }
}

/// States that are looked at to make a lasso shorter.
pub(crate) const MAX_SHORTENED: usize = 100_000;

impl Sought {
    /// The runs that satisfy a formula.
    pub fn by_formula(
        mut formulas: Formulas,
        formula: Formula,
        how: How,
        limits: Limits,
    ) -> Result<Sought, NotSought> {
        let asked = Asked::new(limits);
        let ask = |bytes| asked.must_stop(bytes);
        let mut bdds = Bdds::new();
        let form = if how.wants_one_set() { Form::Buchi } else { Form::Generalised };
        let options = lariat_ltl::translate::Options { form, stop: Stop::when(&ask), ..Default::default() };
        let translation =
            translate(&mut formulas, &mut bdds, formula, &options).map_err(|failure| match failure {
                Failure::Contradiction => NotSought::Internal(failure.to_string()),
                Failure::Stopped => NotSought::Stopped(asked.reason()),
                Failure::TooLarge { .. } => NotSought::GivenUp(failure.to_string()),
                _ => NotSought::Refused(failure.to_string()),
            })?;
        Ok(Sought { automaton: translation.automaton, bdds, formula: Some((formulas, formula)) })
    }

    /// The runs that an automaton accepts.
    pub fn by_automaton(mut automaton: Automaton, mut bdds: Bdds, limits: Limits) -> Sought {
        let asked = Asked::new(limits);
        let ask = |bytes| asked.must_stop(bytes);
        simplify_until(&mut bdds, &mut automaton, Stop::when(&ask));
        Sought { automaton, bdds, formula: None }
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
    pub fn choose(&mut self, how: How, limits: Limits) -> Result<Chosen, (&'static str, String)> {
        let power = strength(&mut self.bdds, &self.automaton);
        let (check, why) = match how.algorithm {
            Algorithm::Auto => advised(power),
            Algorithm::Named(check) => (check, "as asked"),
        };
        let description = check.description();
        let too_strong = match description.needs {
            Needs::Weak if power > Strength::Weak => Some("weak"),
            Needs::Terminal if power > Strength::Terminal => Some("terminal"),
            _ => None,
        };
        if let Some(needed) = too_strong {
            let name = description.name;
            let reason = format!("`{name}` needs a {needed} automaton, and that of this property is {power}");
            return Err((name, reason));
        }
        if description.needs != Needs::AnySets || how.degeneralise {
            self.make_buchi(limits);
        }
        Ok(Chosen { check, why, power })
    }

    /// One set, on states.
    fn make_buchi(&mut self, limits: Limits) {
        if self.automaton.placement == Placement::States && self.automaton.sets == 1 {
            return;
        }
        let order: Vec<u32> = (0..self.automaton.sets).collect();
        let mut one = degeneralise(&mut self.bdds, &self.automaton, &order);
        let asked = Asked::new(limits);
        let ask = |bytes| asked.must_stop(bytes);
        simplify_until(&mut self.bdds, &mut one, Stop::when(&ask));
        make_one_set(&mut one);
        self.automaton = one;
    }

    /// Whether the word that a run spells is one that was sought: by the definition of the logic, or by the
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
struct Asked<'a> {
    lookout: RefCell<Lookout<'a>>,
    reason: Cell<Option<StopReason>>,
}

impl<'a> Asked<'a> {
    fn new(limits: Limits<'a>) -> Asked<'a> {
        Asked { lookout: RefCell::new(Lookout::new(limits)), reason: Cell::new(None) }
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

/// The papers' own advice.
pub(crate) fn advised(power: Strength) -> (Check, &'static str) {
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

/// What a check found in a product, and what it counted on the way.
pub(crate) struct Found {
    pub outcome: Result<Option<Lasso>, Stopped>,
    pub counts: Counts,
}

/// Runs a check on a product. Nobody has judged the lasso yet.
pub(crate) fn find<P: Product>(
    product: &mut P,
    chosen: Chosen,
    limits: Limits,
    progress: Option<&mut dyn FnMut(&Progress)>,
) -> Found {
    let mut search = Search::new(product, limits, progress.map(|progress| progress as _));
    let outcome = chosen.check.run(&mut search);
    Found { counts: search.counts(), outcome }
}

/// The search that found a lasso.
#[derive(Clone, Copy)]
pub(crate) struct Searched {
    /// How strong the automaton is.
    pub power: Strength,
    /// How many arcs it has looked at.
    pub transitions: u64,
}

/// To find a shortest lasso, so many times as many arcs may be recorded as were looked at to find one.
const MOST_TIMES: u64 = 10;
/// So many in any case.
const MOST_ARCS_OF_ANY: u64 = 4_000_000;

impl Searched {
    /// How many arcs may be recorded to find a shortest lasso. Where a finite part of a run decides, that is
    /// a breadth-first search, and may take what it takes.
    fn most_arcs(self) -> u64 {
        match self.power {
            Strength::Terminal => u64::MAX,
            Strength::Weak | Strength::Strong => (MOST_TIMES * self.transitions).max(MOST_ARCS_OF_ANY),
        }
    }
}

/// A lasso that is shorter, or at least no longer; and whether it is a shortest one, if that was asked for.
/// A limit that is hit only now does not take the answer back.
pub(crate) fn shortened<P: Product>(
    product: &mut P,
    lasso: Lasso,
    how: How,
    limits: Limits,
    timeout: Option<Duration>,
    searched: Searched,
) -> (Lasso, Option<RunLength>) {
    let mut search = Search::new(product, limits, None);
    if how.order == SearchOrder::DepthFirst {
        let shorter = shorten(&mut search, &lasso, MAX_SHORTENED);
        return (shorter.unwrap_or(lasso), None);
    }
    let (shorter, length) = shortest_lasso(&mut search, &lasso, searched.most_arcs());
    let length = match length {
        Length::Shortest => RunLength::Shortest,
        Length::Short => {
            RunLength::Short("to find it would take many times as long as the search".to_string())
        }
        Length::Stopped(reason) => RunLength::Short(describe_stop(reason, timeout)),
    };
    let shorter = match length {
        RunLength::Shortest => shorter,
        RunLength::Short(_) => shorten(&mut search, &shorter, MAX_SHORTENED).unwrap_or(shorter),
    };
    (shorter, Some(length))
}
