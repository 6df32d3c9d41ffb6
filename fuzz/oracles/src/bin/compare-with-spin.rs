//! Random models, asked of Spin and of Lariat.
//!
//! `compare-with-spin --seed 1 --count 5000 [--jobs 2] [--shrink]` prints every disagreement, with the seed that makes
//! it again and, with `--shrink`, the smallest model that still shows it. `--record FILE` writes the answers that both
//! gave, one line a model: the ordinary tests read them where there is no Spin.

use clap::Parser;
use lariat_generators::{GeneratorOptions, PromelaModel, generate, shrink};
use lariat_oracles::{Asked, ask_lariat, ask_spin, disagreement, mark};
use std::fmt::Write;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

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
    /// Larger models are not compared.
    #[arg(long, default_value_t = 2_000_000)]
    most_states: usize,
    #[arg(long)]
    shrink: bool,
    /// Say also which models could not be compared, and why.
    #[arg(long)]
    verbose: bool,
    #[arg(long)]
    record: Option<PathBuf>,
}

#[derive(Default)]
struct Tally {
    compared: u64,
    with_transitions: u64,
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
                    compare(seed, arguments, &directory, tally);
                }
                let _ = std::fs::remove_dir_all(&directory);
            });
        }
    });
    let mut tally = tally.into_inner().expect("no job panics");
    println!(
        "{} models compared ({} with transitions), {} refused by Spin, {} without an answer, {} disagree",
        tally.compared, tally.with_transitions, tally.refused, tally.unknown, tally.disagreements
    );
    if let Some(path) = &arguments.record {
        tally.recorded.sort();
        let mut text = String::from("seed,mark,states,transitions,safety\n");
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

fn compare(seed: u64, arguments: &Arguments, directory: &std::path::Path, tally: &Mutex<Tally>) {
    let limit = Duration::from_secs(arguments.seconds);
    let model = generate(seed, &GeneratorOptions::default());
    let text = model.to_string();
    let spin = ask_spin(&text, directory, limit);
    let lariat = match &spin {
        Asked::Answer(answer) if answer.states as usize <= arguments.most_states => {
            ask_lariat(&text, 2 * arguments.most_states)
        }
        Asked::Answer(_) | Asked::Unknown(_) => Asked::Unknown("too large".into()),
        Asked::Refused(_) => ask_lariat(&text, 100_000),
    };
    // After a run-time error Spin goes on with nonsense: nothing to compare.
    let lariat = match lariat {
        Asked::Answer(answer) if answer.runtime_error.is_some() => {
            Asked::Unknown(answer.runtime_error.unwrap_or_default())
        }
        other => other,
    };
    let difference = disagreement(&spin, &lariat);
    {
        let mut tally = tally.lock().expect("no job panics");
        match (&spin, &lariat) {
            (Asked::Answer(answer), Asked::Answer(_)) => {
                tally.compared += 1;
                tally.with_transitions += !answer.atomic as u64;
                if difference.is_none() {
                    let mut line = format!("{seed},{:08x},{},", mark(&text), answer.states);
                    if !answer.atomic {
                        let _ = write!(line, "{}", answer.transitions);
                    }
                    let safety = match answer.violated {
                        Some(true) => "violated",
                        Some(false) => "holds",
                        None => "",
                    };
                    let _ = writeln!(line, ",{safety}");
                    tally.recorded.push((seed, line));
                }
            }
            (Asked::Refused(_), _) => tally.refused += 1,
            (Asked::Answer(_), Asked::Refused(_)) => {}
            (Asked::Unknown(reason), _) | (_, Asked::Unknown(reason)) => {
                tally.unknown += 1;
                if arguments.verbose {
                    println!("seed {seed}: not compared: {reason}");
                }
            }
        }
        tally.disagreements += difference.is_some() as u64;
    }
    if let Some(difference) = difference {
        println!("seed {seed}: {difference}");
        if arguments.shrink {
            let smallest = smallest(model, directory);
            let text = smallest.to_string();
            let now = disagreement(&ask_spin(&text, directory, limit), &ask_lariat(&text, 4_000_000));
            println!("smallest model ({}):\n{text}", now.unwrap_or_default());
        }
    }
}

/// The smallest model on which the two still disagree.
fn smallest(model: PromelaModel, directory: &std::path::Path) -> PromelaModel {
    let limit = Duration::from_secs(5);
    shrink(model, &mut |candidate| {
        let text = candidate.to_string();
        let lariat = ask_lariat(&text, 2_000_000);
        let comparable = match &lariat {
            Asked::Answer(answer) => answer.runtime_error.is_none(),
            Asked::Refused(_) => true,
            Asked::Unknown(_) => false,
        };
        comparable && disagreement(&ask_spin(&text, directory, limit), &lariat).is_some()
    })
}
