//! Random models, asked of Spin and of Lariat.
//!
//! `compare-with-spin --seed 1 --count 5000 [--jobs 2] [--shrink]` prints every disagreement, with the seed
//! that makes it again and, with `--shrink`, the smallest model that still shows it. `--record FILE` writes
//! the answers that both gave, one line a model: the ordinary tests read them where there is no Spin. What is
//! compared is the state space and safety (`models`) or, with `--ltl`, the verdict on a random formula about
//! the model (`formulas`).

#![forbid(unsafe_code)]

mod formulas;
mod models;

use clap::Parser;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

#[derive(Parser)]
struct Arguments {
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[arg(long, default_value_t = 100)]
    count: u64,
    #[arg(long, default_value_t = 2)]
    jobs: u64,
    /// Seconds for each run of Spin.
    #[arg(long, default_value_t = 10)]
    seconds: u64,
    /// Larger models are not compared; with `--ltl`, larger products.
    #[arg(long, default_value_t = 2_000_000)]
    most_states: usize,
    /// Compare the verdicts on formulas.
    #[arg(long)]
    ltl: bool,
    #[arg(long)]
    shrink: bool,
    /// Say also which models could not be compared, and why.
    #[arg(long)]
    verbose: bool,
    #[arg(long)]
    record: Option<PathBuf>,
}

/// What became of one seed.
struct Comparison {
    outcome: Outcome,
    /// How the answers differ.
    difference: Option<String>,
    /// The smallest text on which they do, if it was sought.
    smallest: Option<String>,
}

enum Outcome {
    /// Both have answered. `in_full`: on everything that can be compared; `line`: as it is recorded.
    Answered {
        in_full: bool,
        line: String,
    },
    /// By Spin.
    Refused(String),
    Unknown(String),
}

#[derive(Default)]
struct Tally {
    compared: u64,
    in_full: u64,
    refused: u64,
    unknown: u64,
    disagreements: u64,
    recorded: Vec<(u64, String)>,
}

fn main() {
    let arguments = Arguments::parse();
    let next = AtomicU64::new(arguments.seed);
    let end = arguments.seed + arguments.count;
    let tally = Mutex::new(Tally::default());
    std::thread::scope(|scope| {
        for job in 0..arguments.jobs {
            let (next, tally, arguments) = (&next, &tally, &arguments);
            scope.spawn(move || {
                let directory =
                    std::env::temp_dir().join(format!("lariat-spin-{}-{job}", std::process::id()));
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= end {
                        break;
                    }
                    let compare = if arguments.ltl { formulas::compare } else { models::compare };
                    let comparison = compare(seed, arguments, &directory);
                    take_note(seed, comparison, arguments, &mut tally.lock().expect("no job panics"));
                }
                let _ = std::fs::remove_dir_all(&directory);
            });
        }
    });
    let mut tally = tally.into_inner().expect("no job panics");
    let in_full = if arguments.ltl { "violated" } else { "with transitions" };
    println!(
        "{} models compared ({} {in_full}), {} refused by Spin, {} without an answer, {} disagree",
        tally.compared, tally.in_full, tally.refused, tally.unknown, tally.disagreements
    );
    if let Some(path) = &arguments.record {
        tally.recorded.sort();
        let mut text = String::from(if arguments.ltl { formulas::HEADER } else { models::HEADER });
        for (_, line) in &tally.recorded {
            text.push_str(line);
        }
        if let Err(error) = std::fs::write(path, text) {
            eprintln!("{}: {error}", path.display());
            std::process::exit(2);
        }
    }
    std::process::exit((tally.disagreements > 0) as i32);
}

fn take_note(seed: u64, comparison: Comparison, arguments: &Arguments, tally: &mut Tally) {
    let not_compared = |reason: &str| {
        if arguments.verbose {
            println!("seed {seed}: not compared: {reason}");
        }
    };
    match comparison.outcome {
        Outcome::Answered { in_full, line } => {
            tally.compared += 1;
            tally.in_full += in_full as u64;
            if comparison.difference.is_none() {
                tally.recorded.push((seed, line));
            }
        }
        Outcome::Refused(reason) => {
            tally.refused += 1;
            not_compared(&reason);
        }
        Outcome::Unknown(reason) => {
            tally.unknown += 1;
            not_compared(&reason);
        }
    }
    if let Some(difference) = comparison.difference {
        tally.disagreements += 1;
        println!("seed {seed}: {difference}");
    }
    if let Some(text) = comparison.smallest {
        println!("smallest:\n{text}");
    }
}
