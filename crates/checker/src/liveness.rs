//! The street for a property that is more than safety: property → automaton → product → check → lasso → run → report.

use crate::check::{InternalError, describe_stop};
use crate::claim::{ClaimAutomaton, automaton_of};
use crate::load::Loaded;
use crate::memory;
use crate::options::{Observer, Options, SearchOrder};
use crate::properties::{self, Property};
use crate::report::{self, FoundViolation, Guarantee, Report, Seconds, Verdict};
use crate::trace::lasso_counterexample;
use crate::trace_assertion::check_trace;
use lariat_ltl::emptiness::accepts;
use lariat_ltl::evaluate::evaluate;
use lariat_ltl::reduce::degeneralise::{degeneralise, make_one_set};
use lariat_ltl::strength::{Strength, strength};
use lariat_ltl::translate::{Failure, Form, translate};
use lariat_ltl::{Automaton, Bdds, Formula, Formulas, Placement, Word};
use lariat_model::ir::{Model, Proposition};
use lariat_model::{Interpreter, Violation, ViolationKind};
use lariat_search::emptiness::{
    Check, Needs, Product, Search, Stopped, is_accepting_lasso, shorten, shortest_lasso,
};
use lariat_search::product::{FiniteRuns, LostRun, ModelProduct, PropertyAutomaton};
use lariat_search::{Counts, Limits, Refuted, Stacks, replay_lasso};
use lariat_store::ExactStore;
use std::time::Instant;

/// Which check is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Algorithm {
    /// What suits the automaton, by the advice of the papers.
    #[default]
    Auto,
    Named(Check),
}

/// What a run must be like to be found: the automaton that accepts it, over conditions of the model.
struct Sought {
    automaton: Automaton,
    bdds: Bdds,
    propositions: Vec<Proposition>,
    /// The formula, in tables in which the propositions have the same numbers; none if the property is an automaton.
    formula: Option<(Formulas, Formula)>,
}

/// States that are looked at to make a lasso shorter.
const MAX_SHORTENED: usize = 100_000;

/// Checks one property of a model.
pub fn check_property(
    loaded: &Loaded,
    property: &Property,
    options: &Options,
    observer: Observer,
) -> Result<Report, InternalError> {
    if let Property::Trace { claim, .. } = property {
        return check_trace(loaded, property, *claim, options, observer);
    }
    let start = Instant::now();
    let mut sought = match sought(&loaded.model, property, options) {
        Ok(sought) => sought,
        Err(NotSought::Refused(reason)) => return Ok(refused(loaded, property, "none", reason, start)),
        Err(NotSought::Internal(reason)) => {
            return Err(InternalError::Refuted { message: property.name(), reason });
        }
    };
    let power = strength(&mut sought.bdds, &sought.automaton);
    let (check, why) = match options.algorithm {
        Algorithm::Auto => choose(power),
        Algorithm::Named(check) => (check, "as asked"),
    };
    let description = check.description();
    let needs = description.needs;
    let too_strong = match needs {
        Needs::Weak if power > Strength::Weak => Some("weak"),
        Needs::Terminal if power > Strength::Terminal => Some("terminal"),
        _ => None,
    };
    if let Some(needed) = too_strong {
        let reason = format!(
            "`{}` needs a {needed} automaton, and that of this property is {power}",
            description.name
        );
        return Ok(refused(loaded, property, description.name, reason, start));
    }
    if needs != Needs::AnySets || options.degeneralise {
        make_buchi(&mut sought);
    }

    let model = Model { propositions: sought.propositions.clone(), ..loaded.model.clone() };
    let interpreter = Interpreter::new(&model);
    let automaton = PropertyAutomaton::new(&sought.automaton, &sought.bdds, |variable| variable);
    let compiled = start.elapsed();
    let mut product = ModelProduct::new(&interpreter, &automaton, ExactStore::new(), FiniteRuns::Stutter);
    let limits = Limits {
        max_depth: options.max_depth,
        max_states: options.max_states,
        max_memory: options.max_memory,
        deadline: options.timeout.map(|timeout| start + timeout),
        interrupt: observer.interrupt,
    };
    let mut search = Search::new(&mut product, limits, observer.progress.map(|progress| progress as _));
    let mut outcome = check.run(&mut search);
    let found = search.counts;
    let stored = search.stored();
    if let Ok(Some(lasso)) = &outcome {
        let shorter = match options.order {
            SearchOrder::BreadthFirst if search.sets() <= 1 => search.uncounted(shortest_lasso),
            _ => search.uncounted(|search| shorten(search, lasso, MAX_SHORTENED)).map(Some),
        };
        // A limit that is hit only now does not take the answer back.
        if let Ok(Some(shorter)) = shorter {
            outcome = Ok(Some(shorter));
        }
    }

    let exists = matches!(property, Property::Exists { .. });
    let mut stopped = None;
    let mut violations = Vec::new();
    let verdict = match outcome {
        Err(Stopped(reason)) => {
            let reason = describe_stop(reason, options);
            stopped = Some(reason.clone());
            Verdict::Unknown(reason)
        }
        Ok(None) => match product.lost_run() {
            Some(lost) => Verdict::Unknown(describe_lost(lost)),
            None if product.was_cut() => {
                Verdict::Unknown("an atomic sequence does not seem to end".to_string())
            }
            None if exists => Verdict::Violated,
            None => Verdict::Holds(Guarantee::Exhaustive),
        },
        Ok(Some(lasso)) => {
            let wrong = |reason: String| InternalError::Refuted { message: property.name(), reason };
            is_accepting_lasso(&mut product, &lasso).map_err(wrong)?;
            let run =
                replay_lasso(&interpreter, &mut product, &lasso).map_err(|Refuted(reason)| wrong(reason))?;
            judge(&sought, &run.word).map_err(wrong)?;
            let violation = Violation { kind: ViolationKind::AcceptingRun, message: property.name() };
            let counterexample = Some(lasso_counterexample(&interpreter, &run));
            violations.push(FoundViolation { violation, place: None, count: 1, counterexample });
            if exists { Verdict::Holds(Guarantee::Exhaustive) } else { Verdict::Violated }
        }
    };
    let searched = start.elapsed();
    let counts = Counts {
        stored,
        visited: found.visited,
        transitions: found.transitions,
        post_calls: found.post_calls,
        depth: found.depth,
        stacks: Stacks { states: found.depth, pending: found.pending, bytes: found.own_bytes },
        states_bytes: product.state_bytes(),
        auxiliary_bytes: product.auxiliary_bytes() + found.own_bytes,
        ..Counts::default()
    };
    Ok(Report {
        model: loaded.path.clone(),
        property: described(property),
        verdict,
        not_checked: None,
        stopped,
        violations,
        algorithm: description.name,
        algorithm_reason: Some(format!("{}: {why}", description.name)),
        store: "exact",
        engine: "interpreted",
        reduction: "none",
        counts,
        peak_rss_bytes: memory::peak_rss(),
        seconds: Seconds {
            front_end: loaded.time.as_secs_f64(),
            compile: compiled.as_secs_f64(),
            search: (searched - compiled).as_secs_f64(),
            total: (loaded.time + start.elapsed()).as_secs_f64(),
        },
        unreached: None,
    })
}

/// Why nothing is proved although nothing was found.
pub(crate) fn describe_lost(lost: &LostRun) -> String {
    match lost {
        LostRun::Start(violation) => format!("there is no initial state: {}", violation.message),
        LostRun::Step(violation) => format!("a run-time error cuts runs short: {}", violation.message),
        LostRun::Proposition(violation) => {
            format!("a proposition has no value in some state: {}", violation.message)
        }
    }
}

/// The papers' own advice.
pub(crate) fn choose(power: Strength) -> (Check, &'static str) {
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

enum NotSought {
    Refused(String),
    Internal(String),
}

fn sought(model: &Model, property: &Property, options: &Options) -> Result<Sought, NotSought> {
    let mut formulas = Formulas::new();
    let Some(formula) = property.sought(&mut formulas) else {
        let mut sought = match property {
            Property::Never { claim, .. } => {
                let claim = automaton_of(&model.claims[*claim].automaton).map_err(NotSought::Refused)?;
                let ClaimAutomaton { automaton, bdds, propositions } = claim;
                Sought { automaton, bdds, propositions, formula: None }
            }
            Property::Claim(claim) => {
                let (automaton, bdds) = (claim.automaton.clone(), claim.bdds.clone());
                let propositions = lowered(model, &automaton.propositions)?;
                Sought { automaton, bdds, propositions, formula: None }
            }
            _ => return Err(NotSought::Internal("a property without a formula".to_string())),
        };
        lariat_ltl::reduce::simplify(&mut sought.bdds, &mut sought.automaton);
        return Ok(sought);
    };
    let mut bdds = Bdds::new();
    let one_set = match options.algorithm {
        Algorithm::Named(check) => check.description().needs != Needs::AnySets,
        Algorithm::Auto => false,
    };
    let form = if one_set || options.degeneralise { Form::Buchi } else { Form::Generalised };
    let how = lariat_ltl::translate::Options { form, ..Default::default() };
    let translation =
        translate(&mut formulas, &mut bdds, formula, &how).map_err(|failure| match failure {
            Failure::Contradiction => NotSought::Internal(failure.to_string()),
            _ => NotSought::Refused(failure.to_string()),
        })?;
    let propositions = lowered(model, formulas.propositions())?;
    Ok(Sought { automaton: translation.automaton, bdds, propositions, formula: Some((formulas, formula)) })
}

/// The conditions that these propositions stand for.
fn lowered(model: &Model, texts: &[String]) -> Result<Vec<Proposition>, NotSought> {
    let lower = |text: &String| match properties::proposition(model, text) {
        Some(value) => Ok(Proposition { text: text.clone(), value }),
        None => Err(NotSought::Internal(format!("the proposition `{text}` was not lowered"))),
    };
    texts.iter().map(lower).collect()
}

/// One set, on states.
fn make_buchi(sought: &mut Sought) {
    if sought.automaton.placement == Placement::States && sought.automaton.sets == 1 {
        return;
    }
    let order: Vec<u32> = (0..sought.automaton.sets).collect();
    let mut one = degeneralise(&mut sought.bdds, &sought.automaton, &order);
    lariat_ltl::reduce::simplify(&mut sought.bdds, &mut one);
    make_one_set(&mut one);
    sought.automaton = one;
}

/// Whether the word that a run spells is one that was sought: by the definition of the logic, or by the automaton of the claim.
fn judge(sought: &Sought, word: &Word) -> Result<(), String> {
    match &sought.formula {
        Some((formulas, formula)) if evaluate(formulas, *formula, word) => Ok(()),
        Some(_) => Err("the run that was found satisfies the formula".to_string()),
        None if accepts(&sought.bdds, &sought.automaton, word) => Ok(()),
        None => Err("the claim does not accept the run that was found".to_string()),
    }
}

pub(crate) fn described(property: &Property) -> report::Property {
    report::Property { kind: property.kind(), name: property.name(), formula: property.reading() }
}

pub(crate) fn refused(
    loaded: &Loaded,
    property: &Property,
    algorithm: &'static str,
    reason: String,
    start: Instant,
) -> Report {
    Report {
        model: loaded.path.clone(),
        property: described(property),
        verdict: Verdict::Refused(reason),
        not_checked: None,
        stopped: None,
        violations: Vec::new(),
        algorithm,
        algorithm_reason: None,
        store: "exact",
        engine: "interpreted",
        reduction: "none",
        counts: Counts::default(),
        peak_rss_bytes: memory::peak_rss(),
        seconds: Seconds {
            front_end: loaded.time.as_secs_f64(),
            total: (loaded.time + start.elapsed()).as_secs_f64(),
            ..Seconds::default()
        },
        unreached: None,
    }
}
