//! All that a campaign has found out, as one value: what the tables, the JSON and the page are made from.

use crate::record::{AutomatonRecord, CaseStructure, RunRecord};
use crate::suite::{AutomatonForm, Case, CaseProperty, Configuration, FairnessChoice, Suite};
use lariat_checker::ALGORITHMS;
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::HashMap;

/// The schema of the JSON.
pub const COMPARISON_SCHEMA: &str = "lariat-comparison/1";

/// The results of a campaign.
pub struct Comparison {
    /// For the page.
    pub title: String,
    /// The suite, as the user named it.
    pub suite: String,
    /// Nothing was left out by an interruption.
    pub complete: bool,
    /// How cases were run.
    pub configurations: Vec<Configuration>,
    /// What was run.
    pub cases: Vec<CaseResult>,
    limits: Value,
    runs: HashMap<(usize, usize), RunRecord>,
}

/// What is known about a case.
#[derive(Clone, Debug, Serialize)]
pub struct CaseResult {
    /// For people.
    pub name: String,
    /// The file.
    pub model: String,
    /// Its name.
    pub property: String,
    /// As it was given; `None` if the model states it.
    pub formula: Option<String>,
    /// Of the command.
    pub arguments: String,
    /// `holds` or `violated`.
    pub expected: Option<&'static str>,
    /// What all runs that finished say; of those in which all runs of the model count, if there are some.
    pub verdict: Option<String>,
    /// No run contradicts another, or what is expected.
    pub agreed: bool,
    /// The suite's rule admits it.
    pub counts: bool,
    /// Of the automaton with one set: `terminal`, `weak` or `strong`.
    pub strength: Option<String>,
    /// With one set.
    pub automaton: Option<AutomatonRecord>,
    /// With any number of sets.
    pub generalised: Option<AutomatonRecord>,
    /// The initial state as the model works on it.
    pub state_bytes: Option<u64>,
    /// How the part of the product that must be explored is built.
    pub effects: Option<CaseStructure>,
}

impl Comparison {
    /// Puts together what is known.
    pub fn new(
        suite: &Suite,
        runs: HashMap<(usize, usize), RunRecord>,
        mut structures: HashMap<usize, CaseStructure>,
        complete: bool,
    ) -> Comparison {
        let qualify = suite.qualify.as_ref();
        let case = |(number, case): (usize, &Case)| {
            let of = |configuration: usize| runs.get(&(number, configuration));
            let counts =
                qualify.is_none_or(|rule| of(rule.configuration).is_some_and(RunRecord::is_finished));
            case_result(case, counts, structures.remove(&number), &suite.configurations, of)
        };
        Comparison {
            title: suite.title.clone(),
            suite: suite.name.clone(),
            complete,
            configurations: suite.configurations.clone(),
            cases: suite.cases.iter().enumerate().map(case).collect(),
            limits: json!({
                "seconds": suite.time.as_secs_f64(),
                "memory_bytes": suite.memory,
                "qualify": qualify.map(|rule| json!({
                    "algorithm": suite.configurations[rule.configuration].name,
                    "seconds": rule.time.as_secs_f64(),
                })),
            }),
            runs,
        }
    }

    /// Whether a text is a document that [`Comparison::json`] has made.
    pub fn is_ours(text: &str) -> bool {
        text.contains(&format!("\"schema\":\"{COMPARISON_SCHEMA}\""))
    }

    /// What the run of a case with a configuration said, if it took place.
    pub fn run(&self, case: usize, configuration: usize) -> Option<&RunRecord> {
        self.runs.get(&(case, configuration))
    }

    /// All runs, by case and configuration.
    pub fn runs(&self) -> impl Iterator<Item = (usize, usize, &RunRecord)> {
        let pairs = (0..self.cases.len())
            .flat_map(|case| (0..self.configurations.len()).map(move |configuration| (case, configuration)));
        pairs.filter_map(|(case, configuration)| Some((case, configuration, self.run(case, configuration)?)))
    }

    /// The whole as one document; `docs/json.md` describes it.
    pub fn json(&self) -> Value {
        let used =
            |name: &str| self.configurations.iter().any(|configuration| configuration.algorithm == name);
        let algorithm = |algorithm: &lariat_checker::CheckDescription| {
            json!({
                "name": algorithm.name,
                "title": algorithm.title,
                "paper": algorithm.paper,
                "needs": algorithm.needs.name(),
            })
        };
        let run = |(case, configuration, run): (usize, usize, &RunRecord)| {
            let mut value = serde_json::to_value(run).expect("only strings are keys");
            let fields = value.as_object_mut().expect("a record is an object");
            // They are facts about the case, and stand there.
            fields.remove("automaton");
            fields.remove("state_bytes");
            fields.insert("case".to_string(), case.into());
            fields.insert("configuration".to_string(), configuration.into());
            value
        };
        json!({
            "schema": COMPARISON_SCHEMA,
            "title": self.title,
            "suite": self.suite,
            "version": env!("CARGO_PKG_VERSION"),
            "complete": self.complete,
            "machine": {
                "processors": std::thread::available_parallelism().map_or(1, usize::from),
                "memory_bytes": lariat_checker::memory::total(),
            },
            "limits": self.limits,
            "algorithms": ALGORITHMS.iter().filter(|known| used(known.name)).map(algorithm).collect::<Vec<_>>(),
            "configurations": self.configurations,
            "cases": self.cases,
            "runs": self.runs().map(run).collect::<Vec<_>>(),
            "figure_4": crate::figures::figure_4(self),
        })
    }
}

fn case_result<'r>(
    case: &Case,
    counts: bool,
    effects: Option<CaseStructure>,
    configurations: &[Configuration],
    run: impl Fn(usize) -> Option<&'r RunRecord>,
) -> CaseResult {
    let runs =
        || configurations.iter().enumerate().filter_map(|(k, configuration)| Some((configuration, run(k)?)));
    let finished = || runs().filter(|(_, run)| run.is_finished());
    // Where other runs count, another verdict is no contradiction. The verdict of the case is the one about
    // all runs, if somebody has asked for that.
    let first_of = |fairness: FairnessChoice| {
        finished().find(|(one, _)| one.fairness == fairness).map(|(_, run)| run.verdict.clone())
    };
    let any = || finished().next().map(|(_, run)| run.verdict.clone());
    let first = first_of(FairnessChoice::None).or_else(any);
    let agree = finished().all(|(one, run)| Some(&run.verdict) == first_of(one.fairness).as_ref());
    let expected = case.expected.map(|holds| if holds { "holds" } else { "violated" });
    let as_expected = first.is_none() || expected.is_none() || first.as_deref() == expected;
    let automaton = |form: AutomatonForm| {
        let mut of_form = runs().filter(|(configuration, _)| configuration.automaton == form);
        of_form.find_map(|(_, run)| run.automaton.clone())
    };
    let one_set = automaton(AutomatonForm::Degeneralised);
    CaseResult {
        name: case.name.clone(),
        model: case.model.display().to_string(),
        property: case.property.name().to_string(),
        formula: match &case.property {
            CaseProperty::Ltl { formula, .. } => Some(formula.clone()),
            CaseProperty::Stated(_) => None,
        },
        arguments: case.typed_arguments(),
        expected,
        verdict: first.filter(|_| agree),
        agreed: agree && as_expected,
        counts,
        strength: one_set.as_ref().map(|automaton| automaton.strength.clone()),
        automaton: one_set,
        generalised: automaton(AutomatonForm::Generalised),
        state_bytes: runs().find_map(|(_, run)| run.state_bytes),
        effects,
    }
}
