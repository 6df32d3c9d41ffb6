//! Partial-order reduction: reduced models against the models themselves, by the definition on explicit
//! graphs (states in which nothing happens, violations, words up to stuttering), and verdicts of all checks.

use lariat_checker::properties::{AddedProperty, Property, proposition};
use lariat_checker::{
    Algorithm, Engine, LANGUAGES, Loaded, Observer, Options, ReadOptions, Task, Verdict, load_text,
};
use lariat_engine::Interpreter;
use lariat_engine::reduction::Condition;
use lariat_generators::interleaving::{self, InterleavingModel};
use lariat_generators::property::{Comparable, FORMULA, ModelWithFormula, shrink};
use lariat_generators::random::Random;
use lariat_generators::{endless, generate_dve};
use lariat_ltl::Formulas;
use lariat_model::ir::{Model, Proposition};
use lariat_oracles::properties::formula;
use lariat_oracles::reduced_runs;
use lariat_search::emptiness::{ALGORITHMS, Check, Needs};

const MOST_STATES: usize = 4_000;

#[derive(Default, Debug)]
struct Mix {
    models: u64,
    /// Models that are smaller when they are reduced.
    smaller: u64,
    states: u64,
    reduced_states: u64,
    with_words: u64,
    verdicts: u64,
    violated: u64,
}

fn load(text: &str) -> Option<Loaded> {
    let mut added = Vec::new();
    let mut options = ReadOptions::default();
    // A DVE model has its formula in the first line.
    if let Some((formula, _)) = text.strip_prefix("// ").and_then(|text| text.split_once('\n')) {
        options.language = LANGUAGES.iter().find(|language| language.name == "dve");
        added.push(AddedProperty::Ltl(formula.to_string()));
    }
    load_text("m", text, &options, &added).ok()
}

fn formula_of(loaded: &Loaded) -> Option<&Property> {
    formula(loaded, FORMULA).or(loaded.added.first())
}

/// The model with these propositions.
fn with_propositions(loaded: &Loaded, texts: &[String]) -> Option<Model> {
    let propositions: Option<Vec<Proposition>> = texts
        .iter()
        .map(|text| Some(Proposition { text: text.clone(), value: proposition(&loaded.model, text)? }))
        .collect();
    Some(Model { propositions: propositions?, claims: Vec::new(), ..loaded.model.clone() })
}

/// Compares the graphs of one model; what is different, if something is.
fn compare_graphs(loaded: &Loaded, omitted: Option<Condition>, mix: &mut Mix) -> Result<(), String> {
    let mut formulas = Formulas::new();
    if let Some(property) = formula_of(loaded)
        && property.goal(&mut formulas).is_none()
    {
        return Ok(());
    }
    // Once for runs, and once for states: there nothing is to be seen.
    for texts in [formulas.propositions().to_vec(), Vec::new()] {
        let Some(model) = with_propositions(loaded, &texts) else { return Ok(()) };
        let interpreter = Interpreter::new(&model);
        let Some(result) = reduced_runs::compare(&interpreter, omitted, MOST_STATES) else { return Ok(()) };
        let sizes = result.map_err(|why| format!("{why} (propositions: {texts:?})"))?;
        mix.models += 1;
        mix.smaller += u64::from(sizes.reduced < sizes.full);
        mix.states += sizes.full as u64;
        mix.reduced_states += sizes.reduced as u64;
        mix.with_words += u64::from(sizes.with_words);
    }
    Ok(())
}

fn word(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Holds(_) => "holds".to_string(),
        Verdict::Violated => "violated".to_string(),
        // Of several errors that cut runs short, any may be met first.
        Verdict::Unknown(reason) => format!("unknown: {}", reason.split(": ").next().unwrap_or_default()),
        Verdict::Refused(reason) => format!("refused: {reason}"),
    }
}

/// Compares verdicts with reduction and without, of safety and of the formula, by some check and some engine.
fn compare_verdicts(loaded: &Loaded, seed: u64, mix: &mut Mix) -> Result<(), String> {
    let mut random = Random::new(seed ^ 0x5edc);
    let usable: Vec<Check> = ALGORITHMS
        .iter()
        .filter(|known| matches!(known.needs, Needs::AnySets | Needs::OneSet))
        .map(|known| known.check)
        .collect();
    let plain = Options { max_states: Some(100_000), engine: Engine::Interpreted, ..Options::default() };
    let engine = if random.chance(15) { Engine::Compiled } else { Engine::Interpreted };
    let algorithm = Algorithm::Named(*random.pick(&usable));
    let reduced = Options { reduce: true, engine, ..plain.clone() };
    let named = Options { algorithm, ..reduced.clone() };
    let mut same = |what: &str, expected: Verdict, found: Verdict| {
        mix.verdicts += 1;
        mix.violated += u64::from(expected == Verdict::Violated);
        // Some models and some checks stay within limits that others reach.
        let is_limited =
            |verdict: &Verdict| matches!(verdict, Verdict::Unknown(reason) if reason.contains("limit"));
        match is_limited(&expected) || is_limited(&found) || word(&expected) == word(&found) {
            true => Ok(()),
            false => Err(format!("{what}: {expected:?}, reduced {found:?} ({engine:?}, {algorithm:?})")),
        }
    };
    let safety = |options: &Options| {
        lariat_checker::check_states(loaded, Task::Safety, options, Observer::default())
            .map(|report| report.verdict)
            .map_err(|error| format!("internal error: {error}"))
    };
    same("safety", safety(&plain)?, safety(&reduced)?)?;
    if let Some(property) = formula_of(loaded) {
        let ask = |options: &Options| {
            lariat_checker::check_property(loaded, property, options, Observer::default())
                .map(|report| report.verdict)
                .map_err(|error| format!("internal error: {error}"))
        };
        let expected = ask(&plain)?;
        same("formula", expected.clone(), ask(&reduced)?)?;
        same("formula", expected, ask(&named)?)?;
    }
    Ok(())
}

fn compare(text: &str, seed: u64, omitted: Option<Condition>, mix: &mut Mix) -> Result<(), String> {
    let Some(loaded) = load(text) else { return Ok(()) };
    compare_graphs(&loaded, omitted, mix)?;
    match omitted {
        None => compare_verdicts(&loaded, seed, mix),
        Some(_) => Ok(()),
    }
}

fn interleaving_models(seeds: std::ops::Range<u64>, generate: fn(u64) -> InterleavingModel) -> Mix {
    let mut mix = Mix::default();
    for seed in seeds {
        let model = generate(seed);
        if let Err(why) = compare(&model.to_string(), seed, None, &mut mix) {
            let mut failing = |candidate: &InterleavingModel| {
                compare(&candidate.to_string(), seed, None, &mut Mix::default()).is_err()
            };
            let small = interleaving::shrink(model, &mut failing);
            let now = compare(&small.to_string(), seed, None, &mut Mix::default());
            panic!("seed {seed}: {why}\nsmaller: {now:?}\n{small}");
        }
    }
    mix
}

fn random_models(seeds: std::ops::Range<u64>) -> Mix {
    let mut mix = Mix::default();
    for seed in seeds {
        let pair = ModelWithFormula::generate(seed, Comparable::AmongOurselves);
        if let Err(why) = compare(&pair.to_string(), seed, None, &mut mix) {
            let small = shrink(pair, &mut |candidate| {
                compare(&candidate.to_string(), seed, None, &mut Mix::default()).is_err()
            });
            let now = compare(&small.to_string(), seed, None, &mut Mix::default());
            panic!("seed {seed}: {why}\nsmaller: {now:?}\n{small}");
        }
    }
    mix
}

fn dve_text(seed: u64) -> String {
    let mut random = Random::new(seed);
    let conditions = ["x == 0", "x < 2", "P0.q0", "P1.q0", "P1.q1"];
    let (p, q) = (random.pick(&conditions), random.pick(&conditions));
    let formula = match random.below(4) {
        0 => format!("G F \"{p}\""),
        1 => format!("F G \"{p}\""),
        2 => format!("G (\"{p}\" -> F \"{q}\")"),
        _ => format!("(G F \"{p}\") -> (G F \"{q}\")"),
    };
    // Two more processes, which do something of their own, and meet.
    let more = "channel own;
process Y { byte l; state a, b, c; init a; trans a -> b { effect l = 1; }, b -> c { effect l = l + 1; },
  c -> a { sync own!l; effect l = 0; }; }
process Z { byte m; state a, b, c; init a; trans a -> b { sync own?m; }, b -> c { effect m = 1; }, c -> a {}; }
system async;";
    format!("// {formula}\n{}", generate_dve(seed).replace("system async;", more))
}

fn dve_models(seeds: std::ops::Range<u64>) -> Mix {
    let mut mix = Mix::default();
    for seed in seeds {
        let text = dve_text(seed);
        if let Err(why) = compare(&text, seed, None, &mut mix) {
            panic!("seed {seed}: {why}\n{text}");
        }
    }
    mix
}

fn endless_models(seeds: std::ops::Range<u64>) -> Mix {
    let mut mix = Mix::default();
    for seed in seeds {
        let model =
            if seed % 2 == 0 { endless::generate(seed) } else { endless::generate_handing_over(seed) };
        let text = model.to_string();
        if let Err(why) = compare(&text, seed, None, &mut mix) {
            panic!("seed {seed}: {why}\n{text}");
        }
    }
    mix
}

#[test]
fn reduced_models_in_which_little_is_shared() {
    let mix = interleaving_models(0..300, InterleavingModel::generate);
    println!("{mix:?}");
    assert!(mix.models > 200 && mix.smaller > 100 && mix.with_words > 100 && mix.violated > 50, "{mix:?}");
}

#[test]
fn reduced_random_models() {
    let mix = random_models(0..150);
    println!("{mix:?}");
    assert!(mix.models > 60 && mix.smaller > 12 && mix.with_words > 30, "{mix:?}");
    // Hidden variables that nobody reads, written in another order.
    random_models(14_861..14_862);
}

#[test]
fn reduced_models_of_dve() {
    let mix = dve_models(0..150);
    println!("{mix:?}");
    assert!(mix.models > 100 && mix.smaller > 10, "{mix:?}");
}

/// A sequence that comes to the same receive again: it needs two messages, though it begins with one.
const COMES_BACK: &str = "chan c = [2] of { byte };
byte k;
active proctype P() { byte n, x; c!1; d_step { L: c?x; n++; if :: n < 2 -> goto L :: else fi } }
active proctype R() { byte a; a = 1; k = 1; c!2; a = 3 }
active proctype S() { byte a; a = 1; k = 2; a = 3 }
";

#[test]
fn reduced_models_with_longer_sequences() {
    let mut mix = Mix::default();
    assert_eq!(compare(COMES_BACK, 0, None, &mut mix), Ok(()));
    assert!(mix.smaller > 0, "{mix:?}");
    let mix = interleaving_models(0..150, InterleavingModel::generate_with_sequences);
    println!("{mix:?}");
    assert!(mix.models > 100 && mix.smaller > 50 && mix.with_words > 50 && mix.violated > 25, "{mix:?}");
}

#[test]
fn reduced_models_with_endless_sequences() {
    let mix = endless_models(0..200);
    println!("{mix:?}");
    assert!(mix.models > 50, "{mix:?}");
}

fn differs_without(condition: Condition, seed: u64) -> bool {
    let text = InterleavingModel::generate(seed).to_string();
    compare(&text, seed, Some(condition), &mut Mix::default()).is_err()
}

/// Each condition is there for a reason: without it this model is reduced to something else.
/// [`find_needed`] lists the models anew when the generator changes.
#[test]
fn every_condition_is_needed() {
    for (condition, seed) in Condition::ALL.into_iter().zip(NEEDED) {
        assert!(differs_without(condition, seed), "nothing differs without {condition:?} in seed {seed}");
    }
    let texts = [(Condition::Staying, ENDS), (Condition::Youngest, ENDS), (Condition::Once, COMES_BACK)];
    for (condition, text) in texts {
        assert_eq!(compare(text, 0, None, &mut Mix::default()), Ok(()));
        let differs = compare(text, 0, Some(condition), &mut Mix::default()).is_err();
        assert!(differs, "nothing differs without {condition:?} in\n{text}");
    }
    let is_tested = |condition: &Condition| texts.iter().any(|(tested, _)| tested == condition);
    assert!(Condition::ALL[NEEDED.len()..].iter().all(is_tested));
}

/// For each condition, up to those about the ends of processes, a model that needs it.
const NEEDED: [u64; 8] = [6, 47, 1194, 130, 1352, 5, 43, 141];

/// When the last process has ended, so may the one before, and its channel is no more: then `x!1` is an
/// error.
const ENDS: &str = "chan shared = [1] of { chan };
active proctype User() { chan x; shared?x; x!1 }
active proctype Owner() { chan c = [1] of { byte }; shared!c }
active proctype Last() { byte i; do :: i < 3 -> i++ :: else -> break od }
";

#[test]
#[ignore = "only to list the models anew"]
fn find_needed() {
    for condition in &Condition::ALL[..NEEDED.len()] {
        let condition = *condition;
        let found = (0..10_000).find(|seed| differs_without(condition, *seed));
        println!("{condition:?} {found:?}");
    }
}

/// Seeds of a long test: those that are named in the environment (`SEEDS=50000..65000`), or these.
fn seeds(otherwise: std::ops::Range<u64>) -> std::ops::Range<u64> {
    let Ok(named) = std::env::var("SEEDS") else { return otherwise };
    let range = named.split_once("..").and_then(|(from, to)| Some(from.parse().ok()?..to.parse().ok()?));
    range.unwrap_or_else(|| panic!("SEEDS is not of the form 50000..65000: {named}"))
}

#[test]
#[ignore = "long"]
fn many_reduced_models_in_which_little_is_shared() {
    println!("{:?}", interleaving_models(seeds(10_000..45_000), InterleavingModel::generate));
}

#[test]
#[ignore = "long"]
fn many_reduced_models_with_longer_sequences() {
    let mix = interleaving_models(seeds(10_000..20_000), InterleavingModel::generate_with_sequences);
    println!("{mix:?}");
}

#[test]
#[ignore = "long"]
fn many_reduced_random_models() {
    println!("{:?}", random_models(seeds(10_000..25_000)));
}

#[test]
#[ignore = "long"]
fn many_reduced_models_of_dve() {
    println!("{:?}", dve_models(seeds(10_000..20_000)));
}

#[test]
#[ignore = "long"]
fn many_reduced_models_with_endless_sequences() {
    println!("{:?}", endless_models(seeds(10_000..20_000)));
}
