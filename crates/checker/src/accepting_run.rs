//! From what is sought to a lasso: the part of the street that needs no model, only a product.
//!
//! 1. [`Sought`]: the automaton of the runs that are looked for, and the formula it was made from.
//! 2. [`Sought::choose`]: the check, by what was asked for and by the strength of the automaton; the automaton gets the form that it needs.
//! 3. [`find`]: the check runs. [`shortened`]: the lasso that it has found is made shorter.
//! 4. [`Sought::judge`]: whether the word that the run spells is one that was sought, by the definition of the logic.
//!
//! Between 3 and 4 somebody must execute the run, who knows the model: `lasso_run.rs` in `search` for models in files, `typed/replay.rs` for
//! models in Rust.

use crate::options::SearchOrder;
use crate::report::AutomatonFacts;
use lariat_ltl::emptiness::accepts;
use lariat_ltl::evaluate::evaluate;
use lariat_ltl::reduce::degeneralise::{degeneralise, make_one_set};
use lariat_ltl::strength::{Strength, strength};
use lariat_ltl::translate::{Failure, Form, translate};
use lariat_ltl::{Automaton, Bdds, Formula, Formulas, Placement, Word};
use lariat_search::emptiness::{Check, Lasso, Needs, Product, Search, Stopped, shorten, shortest_lasso};
use lariat_search::{Counts, Limits, Progress, Stacks};

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
    /// Breadth-first means a lasso of minimal length, where there is one set.
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
    /// The formula, in tables in which the propositions have the same numbers; none if the property is an automaton.
    pub formula: Option<(Formulas, Formula)>,
}

/// Why nothing can be looked for.
pub(crate) enum NotSought {
    /// It would take too much, or the check cannot do it.
    Refused(String),
    /// An error of ours.
    Internal(String),
}

/// A check, and why it is this one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chosen {
    pub check: Check,
    pub why: &'static str,
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
    pub fn by_formula(mut formulas: Formulas, formula: Formula, how: How) -> Result<Sought, NotSought> {
        let mut bdds = Bdds::new();
        let form = if how.wants_one_set() { Form::Buchi } else { Form::Generalised };
        let options = lariat_ltl::translate::Options { form, ..Default::default() };
        let translation =
            translate(&mut formulas, &mut bdds, formula, &options).map_err(|failure| match failure {
                Failure::Contradiction => NotSought::Internal(failure.to_string()),
                _ => NotSought::Refused(failure.to_string()),
            })?;
        Ok(Sought { automaton: translation.automaton, bdds, formula: Some((formulas, formula)) })
    }

    /// The runs that an automaton accepts.
    pub fn by_automaton(mut automaton: Automaton, mut bdds: Bdds) -> Sought {
        lariat_ltl::reduce::simplify(&mut bdds, &mut automaton);
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

    /// Chooses the check, and gives the automaton the form that it needs. `Err` if the check that was asked for cannot do it: its name, and why.
    pub fn choose(&mut self, how: How) -> Result<Chosen, (&'static str, String)> {
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
            self.make_buchi();
        }
        Ok(Chosen { check, why })
    }

    /// One set, on states.
    fn make_buchi(&mut self) {
        if self.automaton.placement == Placement::States && self.automaton.sets == 1 {
            return;
        }
        let order: Vec<u32> = (0..self.automaton.sets).collect();
        let mut one = degeneralise(&mut self.bdds, &self.automaton, &order);
        lariat_ltl::reduce::simplify(&mut self.bdds, &mut one);
        make_one_set(&mut one);
        self.automaton = one;
    }

    /// Whether the word that a run spells is one that was sought: by the definition of the logic, or by the automaton of the claim.
    pub fn judge(&self, word: &Word) -> Result<(), String> {
        match &self.formula {
            Some((formulas, formula)) if evaluate(formulas, *formula, word) => Ok(()),
            Some(_) => Err("the run that was found satisfies the formula".to_string()),
            None if accepts(&self.bdds, &self.automaton, word) => Ok(()),
            None => Err("the claim does not accept the run that was found".to_string()),
        }
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
    let found = search.counts;
    let counts = Counts {
        stored: product.stored(),
        visited: found.visited,
        transitions: found.transitions,
        post_calls: found.post_calls,
        depth: found.depth,
        found_nested: found.found_nested,
        stacks: Stacks {
            states: found.depth,
            pending: found.pending,
            roots: found.roots,
            active: found.active,
            bytes: found.own_bytes,
        },
        states_bytes: product.state_bytes(),
        auxiliary_bytes: product.auxiliary_bytes() + found.own_bytes,
        ..Counts::default()
    };
    Found { outcome, counts }
}

/// A lasso that is shorter, or at least no longer. A limit that is hit only now does not take the answer back.
pub(crate) fn shortened<P: Product>(product: &mut P, lasso: Lasso, how: How, limits: Limits) -> Lasso {
    let mut search = Search::new(product, limits, None);
    let shorter = match how.order {
        SearchOrder::BreadthFirst if search.sets() <= 1 => shortest_lasso(&mut search),
        _ => shorten(&mut search, &lasso, MAX_SHORTENED).map(Some),
    };
    shorter.ok().flatten().unwrap_or(lasso)
}
