//! The promises of the crate: determinism, text for every seed, and a shrinker that gets to the point.

use lariat_generators::model::{Expression, PromelaModel, Statement};
use lariat_generators::{Features, GeneratorOptions, generate, shrink};

#[test]
fn the_same_seed_gives_the_same_text() {
    let options = GeneratorOptions::default();
    for seed in 0..200 {
        let (first, second) = (generate(seed, &options), generate(seed, &options));
        assert_eq!(first, second);
        assert_eq!(first.to_string(), second.to_string());
    }
}

#[test]
fn every_seed_gives_a_model_with_a_process() {
    let options = GeneratorOptions::default();
    let mut texts = std::collections::HashSet::new();
    for seed in 0..1000 {
        let model = generate(seed, &options);
        assert!(model.processes.iter().all(|process| !process.body.is_empty()), "seed {seed}");
        let text = model.to_string();
        assert!(text.contains("proctype"), "seed {seed}");
        texts.insert(text);
    }
    assert_eq!(texts.len(), 1000);
}

#[test]
fn features_can_be_switched_off() {
    let options = GeneratorOptions { features: Features::none(), ..GeneratorOptions::default() };
    for seed in 0..300 {
        let text = generate(seed, &options).to_string();
        for word in
            ["atomic", "d_step", "chan ", "unless", "inline", "typedef", "mtype", "run ", "goto", "#define"]
        {
            assert!(!text.contains(word), "seed {seed} has {word}\n{text}");
        }
    }
}

#[test]
fn shrinking_leaves_what_a_text_predicate_needs() {
    let options = GeneratorOptions::default();
    let with_send = |model: &PromelaModel| {
        let text = model.to_string();
        let sends = text.lines().any(|line| line.contains('!') && !line.contains("!="));
        sends && text.contains("d_step")
    };
    let mut tried = 0;
    for model in (0..400).map(|seed| generate(seed, &options)).filter(with_send).take(5) {
        let small = shrink(model, &mut |candidate| with_send(candidate));
        assert!(with_send(&small));
        assert!(small.to_string().lines().count() <= 12, "{small}");
        tried += 1;
    }
    assert_eq!(tried, 5);
}

#[test]
fn shrinking_keeps_a_structural_property_and_little_else() {
    let options = GeneratorOptions::default();
    let asserts = |model: &PromelaModel| {
        let body = |process: &lariat_generators::model::Process| {
            process.body.iter().any(|step| matches!(&step.statement, Statement::Assert(_)))
        };
        model.processes.iter().any(body)
    };
    let model =
        (0..1000).map(|seed| generate(seed, &options)).find(asserts).expect("a model with an assertion");
    let small = shrink(model, &mut |candidate| asserts(candidate));
    assert_eq!(small.processes.len(), 1);
    assert_eq!(small.processes[0].body.len(), 1);
    assert_eq!(small.processes[0].body[0].statement, Statement::Assert(Expression::Number(0)));
    assert!(small.globals.is_empty() && small.inlines.is_empty() && small.macros.is_empty());
}

#[test]
fn shrinking_a_model_that_never_fails_changes_nothing() {
    let model = generate(11, &GeneratorOptions::default());
    assert_eq!(shrink(model.clone(), &mut |_| false), model);
}
