//! Weak fairness to processes: Lariat's verdicts beside those of Spin's verifier with `-f`.
//!
//! `compare-fairness-with-spin --kind contention --seed 1 --count 1000` compares random models in which
//! processes get in each other's way, `--kind formulas` random models with random formulas, and a list of
//! files the properties that they state: formulas, never claims, labels of acceptance and of progress. Every
//! difference is printed with what the definition says (`fair_runs`, on models that are small enough), with
//! what the two say without fairness, and with the marks of its cause that can be seen (`causes`); the tally
//! at the end counts differences by these. `--shrink` looks for the smallest model that shows the same
//! difference. What came of it stands in `bench/runs/fairness-beside-spin/README.md`.

#![forbid(unsafe_code)]

mod causes;
mod files;
mod judge;

use clap::{Parser, ValueEnum};
use lariat_generators::contention::{self, ContentionModel};
use lariat_generators::property::{self, Comparable, ModelWithFormula};
use lariat_oracles::properties::{Said, Verifier, ask_verifier, disagreement};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

#[derive(Parser)]
struct Arguments {
    #[arg(long, value_enum, default_value_t = Kind::Contention)]
    kind: Kind,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[arg(long, default_value_t = 100)]
    count: u64,
    #[arg(long, default_value_t = 2)]
    jobs: u64,
    /// Seconds for each run of Spin.
    #[arg(long, default_value_t = 10)]
    seconds: u64,
    /// Larger products are not compared.
    #[arg(long, default_value_t = 1_000_000)]
    most_states: u64,
    #[arg(long)]
    shrink: bool,
    /// Compare the properties that these models state.
    files: Vec<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Kind {
    Contention,
    Formulas,
}

/// Processes that Spin can be fair to: 8 * 3 / 2 - 2.
const COMPILED_WITH: [&str; 1] = ["-DNFAIR=3"];
const FAIRLY: Verifier = Verifier { compiled_with: &COMPILED_WITH, options: &["-a", "-f"] };
const ANYHOW: Verifier = Verifier { compiled_with: &COMPILED_WITH, options: &["-a"] };

/// What became of one property.
enum Outcome {
    Same(Said),
    NotCompared,
    Differs(Difference),
}

struct Difference {
    /// Which model and property.
    about: String,
    /// What is counted.
    class: String,
    text: String,
}

#[derive(Default)]
struct Tally {
    holds: u64,
    violated: u64,
    not_compared: u64,
    classes: BTreeMap<String, Vec<String>>,
}

impl Tally {
    fn add(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Same(Said::Holds) => self.holds += 1,
            Outcome::Same(_) => self.violated += 1,
            Outcome::NotCompared => self.not_compared += 1,
            Outcome::Differs(difference) => {
                println!("{}: {}\n{}", difference.about, difference.class, difference.text);
                self.classes.entry(difference.class).or_default().push(difference.about);
            }
        }
    }
}

fn main() {
    let arguments = Arguments::parse();
    let next = AtomicU64::new(0);
    let count = if arguments.files.is_empty() { arguments.count } else { arguments.files.len() as u64 };
    let tally = Mutex::new(Tally::default());
    std::thread::scope(|scope| {
        for job in 0..arguments.jobs {
            let (next, tally, arguments) = (&next, &tally, &arguments);
            scope.spawn(move || {
                let directory =
                    std::env::temp_dir().join(format!("lariat-fairness-{}-{job}", std::process::id()));
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= count {
                        break;
                    }
                    let outcomes = match arguments.files.get(number as usize) {
                        Some(file) => files::compare(file, arguments, &directory),
                        None => vec![random_model(arguments.seed + number, arguments, &directory)],
                    };
                    let mut tally = tally.lock().expect("no job panics");
                    outcomes.into_iter().for_each(|outcome| tally.add(outcome));
                }
                let _ = std::fs::remove_dir_all(&directory);
            });
        }
    });
    let tally = tally.into_inner().expect("no job panics");
    let differences: usize = tally.classes.values().map(Vec::len).sum();
    println!(
        "\n{} compared: {} hold, {} are violated for both, {differences} differ; {} not compared",
        tally.holds + tally.violated + differences as u64,
        tally.holds,
        tally.violated,
        tally.not_compared
    );
    for (class, members) in &tally.classes {
        println!("{:5}  {class}: {}", members.len(), members[..members.len().min(6)].join(", "));
    }
}

fn random_model(seed: u64, arguments: &Arguments, directory: &Path) -> Outcome {
    let about = format!("seed {seed}");
    match arguments.kind {
        Kind::Contention => {
            let model = ContentionModel::generate(seed);
            let outcome = compare_text(&model.to_string(), about, arguments, directory);
            shrunk(outcome, arguments, |class| {
                let mut same =
                    |smaller: &ContentionModel| same_class(&smaller.to_string(), class, arguments, directory);
                contention::shrink(model, &mut same).to_string()
            })
        }
        Kind::Formulas => {
            let pair = ModelWithFormula::generate(seed, Comparable::WithSpin);
            let outcome = compare_text(&pair.to_string(), about, arguments, directory);
            shrunk(outcome, arguments, |class| {
                let mut same = |smaller: &ModelWithFormula| {
                    same_class(&smaller.to_string(), class, arguments, directory)
                };
                property::shrink(pair, &mut same).to_string()
            })
        }
    }
}

fn shrunk(outcome: Outcome, arguments: &Arguments, smallest: impl FnOnce(&str) -> String) -> Outcome {
    match outcome {
        Outcome::Differs(mut difference) if arguments.shrink => {
            let text = smallest(&difference.class);
            difference.text = format!("{}smallest:\n{text}", difference.text);
            Outcome::Differs(difference)
        }
        outcome => outcome,
    }
}

fn same_class(text: &str, class: &str, arguments: &Arguments, directory: &Path) -> bool {
    let outcome = compare_text(text, String::new(), arguments, directory);
    matches!(outcome, Outcome::Differs(difference) if difference.class == class)
}

/// While a formula is checked, Spin counts its claim as a process. What models ask for is whether there are
/// four.
fn for_spin(text: &str) -> String {
    text.replace("_nr_pr < 4", "_nr_pr < 5")
}

/// Compares the formula of a model.
fn compare_text(text: &str, about: String, arguments: &Arguments, directory: &Path) -> Outcome {
    let limit = Duration::from_secs(arguments.seconds);
    let Some(ours) = judge::Judged::of_text(text, arguments.most_states) else { return Outcome::NotCompared };
    if ours.fairly.word().is_none() {
        return Outcome::NotCompared;
    }
    let for_spin = &for_spin(text);
    let theirs = ask_verifier(for_spin, &FAIRLY, directory, limit);
    if disagreement(&theirs, &ours.fairly).is_none() {
        return if theirs.word().is_some() { Outcome::Same(theirs) } else { Outcome::NotCompared };
    }
    let anyhow = ask_verifier(for_spin, &ANYHOW, directory, limit);
    differs(about, text, &ours, judge::by_definition_of_text(text), (&theirs, &anyhow))
}

/// Describes a difference: Spin's verdicts are those with fairness and without.
fn differs(
    about: String,
    text: &str,
    ours: &judge::Judged,
    by_definition: Option<bool>,
    (theirs, anyhow): (&Said, &Said),
) -> Outcome {
    let definition = match by_definition {
        Some(true) => "violated by definition",
        Some(false) => "holds by definition",
        None => "too large for the definition",
    };
    let without = match disagreement(anyhow, &ours.anyhow) {
        Some(_) => "also without fairness",
        None => "the same without fairness",
    };
    let word = |said: &Said| said.word().unwrap_or("unknown");
    let class = format!(
        "{} in Spin, {} in Lariat, {definition}, {without}; {}",
        word(theirs),
        word(&ours.fairly),
        causes::of(text, ours).join(", ")
    );
    Outcome::Differs(Difference { about, class, text: ours.run.clone() })
}
