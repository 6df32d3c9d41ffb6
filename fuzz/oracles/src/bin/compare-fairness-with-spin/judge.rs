//! Lariat's verdicts on one property, with weak fairness and without, and what the definition says.

use lariat_checker::properties::{Property, proposition};
use lariat_checker::render::layouts::Layout;
use lariat_checker::{
    Counterexample, Fairness, FiniteRuns, Loaded, Observer, Options, Report, UnitRules, Verdict,
};
use lariat_engine::Interpreter;
use lariat_generators::property::FORMULA;
use lariat_ltl::Formulas;
use lariat_model::ir::{Model, Proposition};
use lariat_oracles::fair_runs::{fair_graph, has_fair_run};
use lariat_oracles::properties::{Said, formula, read};

/// Larger graphs are not judged by the definition.
const MOST_STATES: usize = 1500;

pub struct Judged {
    pub fairly: Said,
    pub anyhow: Said,
    /// The run that violates it, replayed and judged fair, if Lariat has one.
    pub counterexample: Option<Counterexample>,
    /// The same as text.
    pub run: String,
}

impl Judged {
    /// The formula that a text states; nothing if the model is refused.
    pub fn of_text(text: &str, most_states: u64) -> Option<Judged> {
        let loaded = read(text).ok()?;
        let property = formula(&loaded, FORMULA)?;
        Some(Judged::of(&loaded, property, most_states))
    }

    pub fn of(loaded: &Loaded, property: &Property, most_states: u64) -> Judged {
        let options = Options { max_states: Some(most_states), ..Options::default() };
        let fair = Options { fairness: Some(Fairness::Weak), ..options.clone() };
        let (anyhow, _) = ask(loaded, property, &options);
        let (fairly, report) = ask(loaded, property, &fair);
        let run = report
            .as_ref()
            .and_then(|report| lariat_checker::render::text::run(report, &Layout::default()))
            .unwrap_or_default();
        let counterexample = report.and_then(|report| report.violations.into_iter().next()?.counterexample);
        Judged { fairly, anyhow, counterexample, run }
    }
}

fn ask(loaded: &Loaded, property: &Property, options: &Options) -> (Said, Option<Report>) {
    match lariat_checker::check_property(loaded, property, options, Observer::default()) {
        Ok(report) => {
            let said = match &report.verdict {
                Verdict::Holds(_) => Said::Holds,
                Verdict::Violated => Said::Violated,
                Verdict::Unknown(reason) => Said::Unknown(reason.clone()),
                Verdict::Refused(reason) => Said::Refused(reason.clone()),
            };
            (said, Some(report))
        }
        Err(error) => (Said::Refused(format!("internal error: {error}")), None),
    }
}

/// Whether a weakly fair run violates the formula that a text states; `None` if that is not known.
pub fn by_definition_of_text(text: &str) -> Option<bool> {
    let loaded = read(text).ok()?;
    by_definition(&loaded, formula(&loaded, FORMULA)?)
}

/// The same of a property.
pub fn by_definition(loaded: &Loaded, property: &Property) -> Option<bool> {
    let mut formulas = Formulas::new();
    let goal = property.goal(&mut formulas)?;
    let named = formulas.propositions().iter();
    let propositions: Option<Vec<Proposition>> = named
        .map(|text| Some(Proposition { text: text.clone(), value: proposition(&loaded.model, text)? }))
        .collect();
    let model = Model { propositions: propositions?, ..loaded.model.clone() };
    let interpreter = Interpreter::new(&model);
    let graph = fair_graph(&interpreter, &UnitRules::default(), FiniteRuns::Stutter, MOST_STATES)?;
    Some(has_fair_run(&graph, &mut formulas, goal, Some(Fairness::Weak)))
}
