//! One model, one formula, every emptiness check: the same verdict.
//!
//! [`compare`] asks in two ways. Through the front door: `check_property` with each check, with any number of
//! acceptance sets where the check takes them and with one; each lasso passes the three judges there. And
//! below it: all checks on one and the same product, where what they count can be compared too
//! ([`super::relations`]).
//!
//! Automata that accept the same words may see different parts of a model. So where a run is lost (a run-time
//! error, or a proposition without a value) one may say `holds` and the other `unknown`; but who finds a
//! violation is right.

use super::relations::{self, Counted, Facts};
use super::{Said, formula, read, said};
use lariat_checker::properties::{Property, proposition};
use lariat_checker::{Algorithm, Loaded, Observer, Options};
use lariat_compiled::{CompiledModel, StepSource};
use lariat_engine::{Interpreter, SuccessorFunction};
use lariat_generators::property::{FORMULA, ModelWithFormula};
use lariat_ltl::reduce::degeneralise::make_one_set;
use lariat_ltl::strength::{Strength, strength};
use lariat_ltl::translate::{Form, translate};
use lariat_ltl::{Automaton, Bdds, Formulas, Marks, Placement};
use lariat_model::ir::{Model, Proposition};
use lariat_search::emptiness::{
    ALGORITHMS, Check, Needs, Search, Stopped, ThreadedCheck, components_any_order, is_accepting_lasso,
    simple_dfs_any_order,
};
use lariat_search::fairness::RunRules;
use lariat_search::product::{CommonProduct, FiniteRuns, Flaws, Follow, ModelProduct, PropertyAutomaton};
use lariat_search::{Counts, Limits};
use lariat_store::{ExactStore, VisitedSet};

/// The name of the negated formula in the text of [`with_negation`].
const NEGATION: &str = "negated";

/// States of the product up to which a check with quadratic time is run.
const SMALL: u64 = 1000;

/// What was compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Compared {
    pub violated: bool,
    /// Of the automaton that is looked for, with one set.
    pub strength: Strength,
    /// How many acceptance sets there are if there may be several.
    pub sets: u32,
    /// Of the product with one set.
    pub states: u64,
    /// There, a nested search was needed: the outer one of `se` did not see the cycle.
    pub nested: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    Same(Compared),
    /// Nothing to compare: the model is too large, or refused, or runs are lost in it.
    Skipped(String),
    /// Two answers differ, or an answer is wrong in itself.
    Differs(String),
}

/// The text of a pair with the negated formula beside the formula.
pub fn with_negation(pair: &ModelWithFormula) -> String {
    format!("{pair}ltl {NEGATION} {{ ! {} }}\n", pair.formula_text())
}

/// Compares all checks on a text of [`with_negation`].
pub fn compare(text: &str, most_states: u64) -> Outcome {
    let loaded = match read(text) {
        Ok(loaded) => loaded,
        Err(message) => return Outcome::Skipped(message),
    };
    let (Some(property), Some(negation)) = (formula(&loaded, FORMULA), formula(&loaded, NEGATION)) else {
        return Outcome::Differs("a formula is lost".to_string());
    };
    let compared = || -> Result<Compared, Outcome> {
        let first = ask(&loaded, property, most_states, Algorithm::Auto, false)?;
        if let Said::Unknown(reason) | Said::Refused(reason) = first {
            return Err(Outcome::Skipped(reason));
        }
        same_for_all_checks(&loaded, property, most_states, &first)?;
        negation_is_the_opposite(&loaded, negation, most_states, &first)?;
        let mut products = Vec::new();
        for form in [Form::Generalised, Form::Buchi] {
            let (facts, counted) = on_one_product(&loaded, property, form, most_states)?;
            if facts.found != (first == Said::Violated) {
                return Err(Outcome::Differs(format!("{form:?}: {first:?} with `auto`, not below it")));
            }
            relations::hold(&facts, &counted)
                .map_err(|why| Outcome::Differs(format!("{form:?}, {facts:?}: {why}")))?;
            let nested =
                counted.iter().any(|se| se.check == Check::NestedDfsColours && se.counts.found_nested);
            products.push((facts, nested));
        }
        let [(generalised, _), (one_set, nested)] = products[..] else {
            return Err(Outcome::Differs(String::new()));
        };
        Ok(Compared {
            violated: one_set.found,
            strength: one_set.strength,
            sets: generalised.sets,
            states: one_set.states,
            nested,
        })
    };
    match compared() {
        Ok(compared) => Outcome::Same(compared),
        Err(outcome) => outcome,
    }
}

fn ask(
    loaded: &Loaded,
    property: &Property,
    most_states: u64,
    algorithm: Algorithm,
    degeneralise: bool,
) -> Result<Said, Outcome> {
    let options = Options { algorithm, degeneralise, max_states: Some(most_states), ..Options::default() };
    match lariat_checker::check_property(loaded, property, &options, Observer::default()) {
        Ok(report) if report.stopped.is_some() => Err(Outcome::Skipped(report.stopped.unwrap_or_default())),
        Ok(report) => Ok(said(&report)),
        Err(error) => Err(Outcome::Differs(format!("{algorithm:?}: {error}"))),
    }
}

fn same_for_all_checks(
    loaded: &Loaded,
    property: &Property,
    most_states: u64,
    first: &Said,
) -> Result<(), Outcome> {
    for description in ALGORITHMS {
        let forms: &[bool] = if description.needs == Needs::AnySets { &[false, true] } else { &[true] };
        for &degeneralise in forms {
            let most_states = if description.posts.is_none() { SMALL } else { most_states };
            let algorithm = Algorithm::Named(description.check);
            let says = match ask(loaded, property, most_states, algorithm, degeneralise) {
                Err(Outcome::Skipped(_)) => continue,
                other => other?,
            };
            let agrees = match &says {
                Said::Refused(_) => description.needs >= Needs::Weak,
                Said::Unknown(_) => *first == Said::Holds,
                verdict => verdict == first,
            };
            if !agrees {
                let name = description.name;
                return Err(Outcome::Differs(format!(
                    "{name}, degeneralise {degeneralise}: {says:?}, but {first:?} with `auto`"
                )));
            }
        }
    }
    Ok(())
}

/// Some run satisfies the negated formula exactly if the formula is violated.
fn negation_is_the_opposite(
    loaded: &Loaded,
    negation: &Property,
    most_states: u64,
    first: &Said,
) -> Result<(), Outcome> {
    let Property::Ltl { tree, .. } = negation else { return Ok(()) };
    let exists = Property::Exists { tree: tree.clone() };
    match (ask(loaded, &exists, most_states, Algorithm::Auto, false)?, first) {
        (Said::Holds, Said::Violated) | (Said::Violated, Said::Holds) | (Said::Unknown(_), Said::Holds) => {
            Ok(())
        }
        (says, _) => {
            Err(Outcome::Differs(format!("exists, of the negation: {says:?}, but the formula: {first:?}")))
        }
    }
}

/// Runs every check on one and the same product, and judges the lassos.
fn on_one_product(
    loaded: &Loaded,
    property: &Property,
    form: Form,
    most_states: u64,
) -> Result<(Facts, Vec<Counted>), Outcome> {
    let (automaton, mut bdds, propositions) = sought(&loaded.model, property, form)?;
    let power = strength(&mut bdds, &automaton);
    let one_set = automaton.sets <= 1 && automaton.placement == Placement::States;
    let model = Model { propositions, ..loaded.model.clone() };
    let interpreter = Interpreter::new(&model);
    let compiled = PropertyAutomaton::new(&automaton, &bdds, |variable| variable);
    let mut product = ModelProduct::new(&interpreter, &compiled, ExactStore::new(), FiniteRuns::Stutter);
    let mut counted: Vec<Counted> = Vec::new();
    let mut states = u64::MAX;
    // The one that sees everything goes first: it says how large the product is.
    let mut order: Vec<Check> = ALGORITHMS.iter().map(|description| description.check).collect();
    order.sort_by_key(|check| *check != Check::Tarjan);
    for check in order {
        let description = check.description();
        let applies = match description.needs {
            Needs::AnySets => true,
            Needs::OneSet => one_set,
            Needs::Weak => one_set && power <= Strength::Weak,
            Needs::Terminal => one_set && power <= Strength::Terminal,
        };
        if !applies || description.posts.is_none() && states > SMALL {
            continue;
        }
        let limits = Limits { max_states: Some(most_states), ..Limits::default() };
        let mut search = Search::new(&mut product, limits, None);
        let found = check.run(&mut search);
        let counts = search.counts();
        let lasso = found.map_err(|stopped| Outcome::Skipped(format!("{stopped:?}")))?;
        if let Some(lasso) = &lasso {
            is_accepting_lasso(&mut product, lasso)
                .map_err(|why| Outcome::Differs(format!("{}: {why}", description.name)))?;
        }
        if check == Check::Tarjan {
            states = counts.visited;
        }
        if counted.first().is_some_and(|first: &Counted| first.found != lasso.is_some()) {
            return Err(Outcome::Differs(format!(
                "{form:?}: a lasso: {} by tarjan, {} by {}",
                lasso.is_none(),
                lasso.is_some(),
                description.name
            )));
        }
        counted.push(Counted { check, found: lasso.is_some(), counts });
    }
    let found = counted.iter().any(|counted| counted.found);
    if let Some(whole) = counted.iter().find(|counted| counted.check == Check::Tarjan) {
        let whole = Whole { has_cycle: whole.found, counts: whole.counts, flaws: None };
        let is_weak = power <= Strength::Weak && one_set;
        for check in [ThreadedCheck::SimpleDfs, ThreadedCheck::RootsAndActive] {
            if is_weak || check != ThreadedCheck::SimpleDfs {
                in_any_order(&interpreter, &compiled, FiniteRuns::Stutter, check, &whole)
                    .map_err(|why| Outcome::Differs(format!("{form:?}, {check:?}, in any order: {why}")))?;
            }
        }
    }
    Ok((Facts { one_set, strength: power, sets: automaton.sets, found, states }, counted))
}

/// What a search of a whole product has found.
#[derive(Clone, Copy, Debug)]
pub struct Whole {
    /// An accepting cycle.
    pub has_cycle: bool,
    /// What it has counted.
    pub counts: Counts,
    /// What it has met beside, if that is known.
    pub flaws: Option<Flaws>,
}

/// A product (for simple searches, a weak one), in which states that lie on no accepting cycle are taken in
/// any order, and steps that commute are left out: the same verdict, and if there is no cycle, the same
/// states, arcs and lost runs.
pub fn in_any_order(
    interpreter: &Interpreter,
    automaton: &PropertyAutomaton,
    finite_runs: FiniteRuns,
    check: ThreadedCheck,
    whole: &Whole,
) -> Result<(), String> {
    let Whole { has_cycle, flaws, .. } = *whole;
    let by_components = automaton.by_components();
    let automaton = if check.knows_components() { &by_components } else { automaton };
    let judge = |outcome: Result<bool, Stopped>, counts: Counts, met: &[Flaws], how: &str| {
        let seen = |counts: &Counts| (counts.stored, counts.visited, counts.transitions);
        let is_whole = seen(&counts) == seen(&whole.counts)
            && flaws.is_none_or(|flaws| flaws.lost_run == met.iter().any(|met| met.lost_run));
        let is_same = outcome == Ok(has_cycle) && (has_cycle || is_whole);
        let expected = (has_cycle, seen(&whole.counts), flaws);
        is_same
            .then_some(())
            .ok_or_else(|| format!("{how}: {outcome:?}, {:?}, not {expected:?}", seen(&counts)))
    };
    for source in [StepSource::Recall, StepSource::Execute] {
        let Ok(model) = CompiledModel::new(interpreter.clone()) else { return Ok(()) };
        let model = model.only_by(source);
        let mut product = ModelProduct::new(&model, automaton, ExactStore::new(), finite_runs);
        let mut search = Search::new(&mut product, Limits::default(), None);
        let outcome = match check.knows_components() {
            true => components_any_order(&mut search),
            false => simple_dfs_any_order(&mut search),
        };
        let counts = search.counts();
        judge(outcome, counts, &[product.flaws()], &format!("one thread, {source:?}"))?;
        if model.may_diverge() {
            continue;
        }
        for threads in [1, 3] {
            let mut store = ExactStore::new();
            let (follow, rules) = (Follow::UntilDecided, RunRules::default());
            let place = CommonProduct::<CompiledModel, ExactStore, Marks>::new(
                automaton,
                &mut store,
                finite_runs,
                follow,
                rules,
            );
            let tools = (0..threads).map(|_| model.another_worker()).collect();
            let (found, flaws) = check.run(&place, tools, Limits::default(), None);
            drop(place);
            let counts = Counts { stored: store.len(), ..found.counts };
            judge(found.outcome, counts, &flaws, &format!("{threads} threads, {source:?}"))?;
        }
    }
    Ok(())
}

type Sought = (Automaton, Bdds, Vec<Proposition>);

/// The automaton of the runs that violate a formula.
fn sought(model: &Model, property: &Property, form: Form) -> Result<Sought, Outcome> {
    let (mut formulas, mut bdds) = (Formulas::new(), Bdds::new());
    let lost = |what: &str| Outcome::Differs(format!("{what} is lost"));
    let formula = property.goal(&mut formulas).ok_or_else(|| lost("the formula"))?;
    let how = lariat_ltl::translate::Options { form, ..Default::default() };
    let translation = translate(&mut formulas, &mut bdds, formula, &how)
        .map_err(|failure| Outcome::Differs(failure.to_string()))?;
    let mut automaton = translation.automaton;
    if form == Form::Buchi {
        make_one_set(&mut automaton);
    }
    let lowered = |text: &String| {
        let value = proposition(model, text).ok_or_else(|| lost("a proposition"))?;
        Ok(Proposition { text: text.clone(), value })
    };
    let propositions: Result<Vec<Proposition>, Outcome> =
        formulas.propositions().iter().map(lowered).collect();
    Ok((automaton, bdds, propositions?))
}
