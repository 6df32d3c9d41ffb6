//! Fair runs, and runs that keep assumptions: verdicts against the definition, on explicit graphs of random
//! models.

use lariat_checker::fairness::unit_rules;
use lariat_checker::properties::{AddedProperty, Property, proposition};
use lariat_checker::{
    Algorithm, Engine, Fairness, FiniteRuns, LANGUAGES, Loaded, Observer, Options, ReadOptions,
    Simplifications, UnitKind, UnitRules, Verdict, load_text,
};
use lariat_engine::Interpreter;
use lariat_generators::contention::{self, ContentionModel};
use lariat_generators::generate_dve;
use lariat_generators::property::{Comparable, FORMULA, ModelWithFormula, shrink};
use lariat_generators::random::Random;
use lariat_ltl::Formulas;
use lariat_model::ir::{Model, Proposition};
use lariat_oracles::fair_runs::{fair_graph, has_fair_run};
use lariat_oracles::properties::{Said, formula};
use lariat_search::emptiness::{ALGORITHMS, Check, Needs};

const MOST_STATES: usize = 120;

#[derive(Default, Debug)]
struct Mix {
    models: u64,
    compared: u64,
    holds: u64,
    violated: u64,
    unknown: u64,
    /// Fairness makes a difference.
    differs: u64,
    /// Strong fairness and weak fairness differ.
    strong_differs: u64,
    vacuous: u64,
}

fn load(text: &str, assumptions: &[String]) -> Option<Loaded> {
    let mut added: Vec<AddedProperty> = assumptions.iter().cloned().map(AddedProperty::Assumption).collect();
    let mut options = ReadOptions::default();
    // A DVE model has its formula in the first line.
    if let Some((formula, _)) = text.strip_prefix("// ").and_then(|text| text.split_once('\n')) {
        options.language = LANGUAGES.iter().find(|language| language.name == "dve");
        added.push(AddedProperty::Ltl(formula.to_string()));
    }
    load_text("m", text, &options, &added).ok()
}

/// The formula of a model.
fn formula_of(loaded: &Loaded) -> Option<&Property> {
    formula(loaded, FORMULA).or(loaded.added.first())
}

/// The model with the propositions of the goal and the assumptions.
fn with_propositions(loaded: &Loaded, formulas: &Formulas) -> Option<Model> {
    let named = formulas.propositions().iter();
    let propositions: Option<Vec<Proposition>> = named
        .map(|text| Some(Proposition { text: text.clone(), value: proposition(&loaded.model, text)? }))
        .collect();
    Some(Model { propositions: propositions?, ..loaded.model.clone() })
}

fn ask(loaded: &Loaded, property: &Property, options: &Options) -> (Said, bool) {
    match lariat_checker::check_property(loaded, property, options, Observer::default()) {
        Ok(report) => {
            let said = match &report.verdict {
                Verdict::Holds(_) => Said::Holds,
                Verdict::Violated => Said::Violated,
                Verdict::Unknown(reason) => Said::Unknown(reason.clone()),
                Verdict::Refused(reason) => Said::Refused(reason.clone()),
            };
            (said, report.vacuous)
        }
        Err(error) => (Said::Refused(format!("internal error: {error}")), false),
    }
}

/// Some rules: mostly every process, or every statement; or some of either.
fn rules(random: &mut Random, model: &Model) -> UnitRules {
    let kind = if random.chance(30) { UnitKind::Statement } else { UnitKind::Process };
    let name = |random: &mut Random| {
        let process = random.pick(&model.process_types);
        let pid = if random.chance(40) { format!("[{}]", random.below(3)) } else { String::new() };
        let label = match process.labels.is_empty() || random.chance(60) {
            true => String::new(),
            false => format!("@{}", random.pick(&process.labels).name),
        };
        format!("{}{pid}{label}", process.name)
    };
    let names = |random: &mut Random| -> Vec<String> {
        let count = if random.chance(70) { 0 } else { 1 + random.below(2) };
        (0..count).map(|_| name(random)).collect()
    };
    let (fair_to, unfair_to) = (names(random), names(random));
    unit_rules(model, kind, &fair_to, &unfair_to).expect("the names are the model's")
}

const KINDS: [Fairness; 3] = [Fairness::Weak, Fairness::Strong, Fairness::Unconditional];

/// Compares one model with its formula; what is wrong, if something is.
fn compare(text: &str, conditions: &[String], seed: u64, mix: &mut Mix) -> Result<(), String> {
    let mut random = Random::new(seed ^ 0xfa1e);
    let Some(loaded) = load(text, &[]) else { return Ok(()) };
    let Some(property) = formula_of(&loaded) else { return Ok(()) };
    let mut formulas = Formulas::new();
    let Some(goal) = property.goal(&mut formulas) else { return Ok(()) };
    let Some(model) = with_propositions(&loaded, &formulas) else { return Ok(()) };
    let interpreter = Interpreter::new(&model);
    let finite_runs = if random.chance(80) { FiniteRuns::Stutter } else { FiniteRuns::Ignore };
    let mut has_model = false;
    for round in 0..2 {
        let units = if round == 0 { UnitRules::default() } else { rules(&mut random, &model) };
        let Some(graph) = fair_graph(&interpreter, &units, finite_runs, MOST_STATES) else { continue };
        has_model = true;
        let plain = has_fair_run(&graph, &mut formulas, goal, None);
        let mut found = Vec::new();
        for fairness in KINDS {
            let expected = has_fair_run(&graph, &mut formulas, goal, Some(fairness));
            found.push(expected);
            mix.compared += 1;
            mix.differs += u64::from(expected != plain);
            for options in ways(&mut random, fairness, &units, finite_runs) {
                let (said, _) = ask(&loaded, property, &options);
                let is_right = match &said {
                    Said::Holds => !expected,
                    Said::Violated => expected,
                    // Sets of movers do not tell who moves for ever.
                    Said::Unknown(_) => fairness == Fairness::Unconditional && graph.diverges,
                    Said::Refused(_) => false,
                };
                match said {
                    Said::Holds => mix.holds += 1,
                    Said::Violated => mix.violated += 1,
                    _ => mix.unknown += 1,
                }
                // A finite run decides, whether or not somebody could be treated fairly behind it.
                if !is_right {
                    let expected = if expected { "violated" } else { "holds" };
                    return Err(format!(
                        "{expected} by definition, {said:?}: {fairness:?}, {units:?}, {finite_runs:?}, {:?}, {:?}, {:?}",
                        options.algorithm, options.engine, options.simplify
                    ));
                }
            }
        }
        mix.strong_differs += u64::from(found[0] != found[1]);
    }
    mix.models += u64::from(has_model);
    compare_assumptions(text, conditions, finite_runs, &mut random, mix)
}

/// Some ways to ask: the check that is chosen, another one, the other engine, merged statements.
fn ways(random: &mut Random, fairness: Fairness, units: &UnitRules, finite_runs: FiniteRuns) -> Vec<Options> {
    let first = Options {
        fairness: Some(fairness),
        units: units.clone(),
        finite_runs: Some(finite_runs),
        max_states: Some(100_000),
        engine: Engine::Interpreted,
        ..Options::default()
    };
    let usable: Vec<Check> = ALGORITHMS
        .iter()
        .filter(|known| match fairness {
            Fairness::Strong => known.check == Check::Streett,
            _ => matches!(known.needs, Needs::AnySets | Needs::OneSet),
        })
        .map(|known| known.check)
        .collect();
    let named = Options { algorithm: Algorithm::Named(*random.pick(&usable)), ..first.clone() };
    let simplify =
        Simplifications { merge_statements: random.chance(50), reset_dead_variables: random.chance(50) };
    let compiled = random.chance(10);
    let engine = if compiled { Engine::Compiled } else { Engine::Interpreted };
    let other = Options { simplify, engine, ..first.clone() };
    vec![first, named, other]
}

/// Formulas that are assumed: of all forms.
fn assumption(conditions: &[String], random: &mut Random) -> String {
    let mut condition = || {
        let text = random.pick(conditions);
        if random.chance(40) { format!("!({text})") } else { format!("({text})") }
    };
    let (p, q) = (condition(), condition());
    match random.below(6) {
        0 => format!("G F {p}"),
        1 => format!("F G {p}"),
        2 => format!("(G F {p}) -> (G F {q})"),
        3 => format!("(G F ({p} && {q})) && F G {p}"),
        4 => format!("G ({p} -> F {q})"),
        _ => format!("F {p}"),
    }
}

fn compare_assumptions(
    text: &str,
    conditions: &[String],
    finite_runs: FiniteRuns,
    random: &mut Random,
    mix: &mut Mix,
) -> Result<(), String> {
    let assumptions: Vec<String> = (0..1 + random.below(2)).map(|_| assumption(conditions, random)).collect();
    let Some(loaded) = load(text, &assumptions) else { return Ok(()) };
    let Some(property) = formula_of(&loaded) else { return Ok(()) };
    let mut formulas = Formulas::new();
    let Some(goal) = property.goal(&mut formulas) else { return Ok(()) };
    let assumed: Vec<_> = loaded.assumptions.iter().map(|tree| tree.to_formula(&mut formulas)).collect();
    let assumed = formulas.and(assumed);
    let both = formulas.and2(goal, assumed);
    let Some(model) = with_propositions(&loaded, &formulas) else { return Ok(()) };
    let interpreter = Interpreter::new(&model);
    let units = UnitRules::default();
    let Some(graph) = fair_graph(&interpreter, &units, finite_runs, MOST_STATES) else { return Ok(()) };
    for fairness in [None, Some(Fairness::Weak), Some(Fairness::Strong)] {
        let expected = has_fair_run(&graph, &mut formulas, both, fairness);
        let is_vacuous = !has_fair_run(&graph, &mut formulas, assumed, fairness);
        mix.compared += 1;
        let options = Options {
            fairness,
            finite_runs: Some(finite_runs),
            engine: Engine::Interpreted,
            max_states: Some(100_000),
            ..Options::default()
        };
        let (said, vacuous) = ask(&loaded, property, &options);
        mix.vacuous += u64::from(vacuous);
        let expected = if expected { Said::Violated } else { Said::Holds };
        if said != expected || expected == Said::Holds && vacuous != is_vacuous {
            return Err(format!(
                "{expected:?} by definition (vacuous: {is_vacuous}), {said:?} (vacuous: {vacuous}), assuming {assumptions:?}, {fairness:?}, {finite_runs:?}"
            ));
        }
    }
    Ok(())
}

fn random_models(seeds: std::ops::Range<u64>) -> Mix {
    let mut mix = Mix::default();
    let failing = |pair: &ModelWithFormula, seed: u64, mix: &mut Mix| {
        let conditions: Vec<String> = pair.propositions.iter().map(ToString::to_string).collect();
        compare(&pair.to_string(), &conditions, seed, mix)
    };
    for seed in seeds {
        let pair = ModelWithFormula::generate(seed, Comparable::AmongOurselves);
        if let Err(why) = failing(&pair, seed, &mut mix) {
            let small = shrink(pair, &mut |candidate| failing(candidate, seed, &mut Mix::default()).is_err());
            let now = failing(&small, seed, &mut Mix::default());
            panic!("seed {seed}: {why}\nsmaller: {now:?}\n{small}");
        }
    }
    mix
}

fn contention_models(seeds: std::ops::Range<u64>) -> Mix {
    let mut mix = Mix::default();
    let conditions: Vec<String> = ["x == 0", "y == 1", "s > 0", "P0[0]@m0"].map(String::from).to_vec();
    for seed in seeds {
        let model = ContentionModel::generate(seed);
        if let Err(why) = compare(&model.to_string(), &conditions, seed, &mut mix) {
            let mut failing = |candidate: &ContentionModel| {
                compare(&candidate.to_string(), &conditions, seed, &mut Mix::default()).is_err()
            };
            let small = contention::shrink(model, &mut failing);
            let now = compare(&small.to_string(), &conditions, seed, &mut Mix::default());
            panic!("seed {seed}: {why}\nsmaller: {now:?}\n{small}");
        }
    }
    mix
}

fn dve_models(seeds: std::ops::Range<u64>) -> Mix {
    let mut mix = Mix::default();
    for seed in seeds {
        let text = generate_dve(seed);
        let mut random = Random::new(seed);
        let conditions: Vec<String> =
            ["x == 0", "x < 2", "P0.q0", "P1.q0", "P1.q1"].map(String::from).to_vec();
        let (p, q) = (random.pick(&conditions), random.pick(&conditions));
        let formula = match random.below(4) {
            0 => format!("G F {{{p}}}"),
            1 => format!("F G {{{p}}}"),
            2 => format!("G ({{{p}}} -> F {{{q}}})"),
            _ => format!("(G F {{{p}}}) -> (G F {{{q}}})"),
        };
        let text = format!("// {}\n{text}", formula.replace(['{', '}'], "\""));
        let conditions: Vec<String> = conditions.iter().map(|text| format!("\"{text}\"")).collect();
        if let Err(why) = compare(&text, &conditions, seed, &mut mix) {
            panic!("seed {seed}: {why}\n{text}");
        }
    }
    mix
}

#[test]
fn fair_runs_of_dve_models() {
    let mix = dve_models(0..400);
    println!("{mix:?}");
    assert!(mix.models > 40 && mix.holds > 100 && mix.violated > 100 && mix.differs > 10, "{mix:?}");
}

#[test]
fn fair_runs_of_random_models() {
    let mix = random_models(0..200);
    println!("{mix:?}");
    assert!(mix.models > 50 && mix.holds > 200 && mix.violated > 200 && mix.differs > 10, "{mix:?}");
}

#[test]
fn fair_runs_where_processes_contend() {
    let mix = contention_models(0..400);
    println!("{mix:?}");
    assert!(mix.models > 100 && mix.holds > 500 && mix.violated > 500 && mix.differs > 100, "{mix:?}");
    assert!(mix.strong_differs > 2 && mix.vacuous > 5 && mix.unknown * 20 < mix.compared, "{mix:?}");
}

#[test]
#[ignore = "long"]
fn many_fair_runs_of_random_models() {
    println!("{:?}", random_models(10_000..30_000));
}

#[test]
#[ignore = "long"]
fn many_fair_runs_where_processes_contend() {
    println!("{:?}", contention_models(10_000..30_000));
}

#[test]
#[ignore = "long"]
fn many_fair_runs_of_dve_models() {
    println!("{:?}", dve_models(10_000..30_000));
}
