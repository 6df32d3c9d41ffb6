//! Runs that stay inside atomic sequences, and runs that break off: verdicts against a judge that takes
//! single steps.
//!
//! Faults put in by hand, and the seed that finds each first: divergences are not followed, 17; what was
//! decided before a run-time error is forgotten, 3; a run-time error is overlooked, 1; the last state of a
//! run is read as if it had not been read before, 19; a process that goes round for ever is still at its
//! label, 622. Where control is handed over: only the process that moves last is away from its label, 83.

use lariat_checker::properties::Property;
use lariat_checker::{Algorithm, Engine, Loaded, Observer, Options, Report, Task, Verdict};
use lariat_engine::ViolationKind;
use lariat_engine::simplify::Simplifications;
use lariat_generators::endless::{EndlessModel, FORMULA, generate, generate_handing_over, shrink};
use lariat_oracles::micro_runs::judge;
use lariat_oracles::properties::{Said, formula, read};
use lariat_search::emptiness::ALGORITHMS;
use lariat_search::product::FiniteRuns;

const MODELS: u64 = 500;
const MOST_STATES: usize = 60;

/// What there was to compare.
#[derive(Default, Debug)]
struct Mix {
    compared: u64,
    holds: u64,
    violated: u64,
    unknown: u64,
    diverging: u64,
    endless: u64,
    /// The judge knows that it is violated; the product cannot tell from one state of the automaton.
    less_known: u64,
}

fn said(report: &Report) -> Said {
    match &report.verdict {
        Verdict::Holds(_) => Said::Holds,
        Verdict::Violated => Said::Violated,
        Verdict::Unknown(_) => Said::Unknown(String::new()),
        Verdict::Refused(reason) => Said::Refused(reason.clone()),
    }
}

/// Compares one model; what is wrong, if something is.
fn compare(model: &EndlessModel, all_checks: bool, mix: &mut Mix) -> Result<(), String> {
    let text = model.to_string();
    let Ok(loaded) = read(&text) else { return Ok(()) };
    if formula(&loaded, FORMULA).is_none() {
        return Err("there is no formula".to_string());
    }
    // The formula, and what accept and progress labels say.
    for property in &loaded.stated {
        compare_property(&loaded, property, all_checks, mix)?;
    }
    Ok(())
}

fn compare_property(
    loaded: &Loaded,
    property: &Property,
    all_checks: bool,
    mix: &mut Mix,
) -> Result<(), String> {
    for finite_runs in [FiniteRuns::Stutter, FiniteRuns::Ignore] {
        let Some((expected, runs)) = judge(loaded, property, finite_runs, MOST_STATES) else {
            return Ok(());
        };
        mix.compared += 1;
        mix.diverging += runs.diverges as u64;
        mix.endless += runs.endless as u64;
        match expected {
            Said::Holds => mix.holds += 1,
            Said::Violated => mix.violated += 1,
            _ => mix.unknown += 1,
        }
        let mut ways = vec![
            Options::default(),
            Options { engine: Engine::Compiled, ..Options::default() },
            Options { whole_run: true, ..Options::default() },
            Options {
                simplify: Simplifications { reset_dead_variables: true, merge_statements: true },
                ..Options::default()
            },
        ];
        if all_checks {
            ways.extend(
                ALGORITHMS
                    .iter()
                    .map(|check| Options { algorithm: Algorithm::Named(check.check), ..Options::default() }),
            );
        }
        for way in ways {
            let options = Options { finite_runs: Some(finite_runs), ..way };
            let report = lariat_checker::check_property(loaded, property, &options, Observer::default())
                .map_err(|error| format!("{options:?}: {error}"))?;
            match (&expected, said(&report)) {
                (Said::Holds, Said::Holds) | (Said::Violated, Said::Violated) => {}
                (Said::Unknown(_), Said::Unknown(_)) => {}
                (Said::Violated, Said::Unknown(_)) => mix.less_known += 1,
                (_, Said::Refused(_)) => {}
                (expected, found) => {
                    return Err(format!("{found:?}, not {expected:?}, with {finite_runs:?} and {options:?}"));
                }
            }
        }
        compare_safety(loaded, runs.endless)?;
    }
    Ok(())
}

/// Whether a sequence that nothing leads out of is reported, by both engines.
fn compare_safety(loaded: &Loaded, endless: bool) -> Result<(), String> {
    for engine in [Engine::Interpreted, Engine::Compiled] {
        let options = Options { engine, keep_going: true, ..Options::default() };
        let report = lariat_checker::check_states(loaded, Task::Safety, &options, Observer::default())
            .map_err(|error| error.to_string())?;
        let found =
            report.violations.iter().any(|found| found.violation.kind == ViolationKind::EndlessSequence);
        if found != endless {
            return Err(format!("an endless sequence: {found}, not {endless}, with {engine:?}"));
        }
    }
    Ok(())
}

fn compare_seeds(generate: fn(u64) -> EndlessModel, seeds: std::ops::Range<u64>, all_checks: bool) -> Mix {
    let mut mix = Mix::default();
    for seed in seeds {
        let model = generate(seed);
        if let Err(why) = compare(&model, all_checks, &mut mix) {
            let small = shrink(model, &mut |model| compare(model, all_checks, &mut Mix::default()).is_err());
            let why_small = compare(&small, all_checks, &mut Mix::default());
            panic!("seed {seed}: {why}\n{small}\n{why_small:?}");
        }
    }
    mix
}

#[test]
fn verdicts_are_those_of_single_steps() {
    let mix = compare_seeds(generate, 0..MODELS, false);
    println!("{mix:?}");
    let parts = [mix.holds, mix.violated, mix.unknown, mix.diverging, mix.endless];
    assert!(parts.iter().all(|&part| part >= mix.compared / 50), "each kind is there: {mix:?}");
    assert_eq!(mix.less_known, 0, "{mix:?}");
}

#[test]
fn every_check_sees_them() {
    compare_seeds(generate, 700..850, true);
}

#[test]
fn control_goes_from_process_to_process() {
    let mix = compare_seeds(generate_handing_over, 0..MODELS, false);
    println!("{mix:?}");
    let parts = [mix.holds, mix.violated, mix.diverging, mix.endless];
    assert!(parts.iter().all(|&part| part >= mix.compared / 50), "each kind is there: {mix:?}");
    assert_eq!(mix.less_known, 0, "{mix:?}");
}
