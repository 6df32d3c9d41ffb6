//! Writes random Promela models to files, or one to the standard output.
//!
//! `generate-promela --seed N [--count K] [--out DIR]`: with `--out`, the models of the seeds N to N+K-1 go
//! to `DIR/NNNNNN.pml`; without it they are printed. With `--crowds`, they are those of
//! [`lariat_generators::crowd`].

#![forbid(unsafe_code)]

use lariat_generators::{GeneratorOptions, generate, generate_crowd};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const USAGE: &str = "usage: generate-promela --seed N [--count K] [--out DIR] [--crowds]";

struct Arguments {
    seed: u64,
    count: u64,
    out: Option<PathBuf>,
    crowds: bool,
}

fn parse(mut words: impl Iterator<Item = String>) -> Result<Arguments, String> {
    let mut arguments = Arguments { seed: 0, count: 1, out: None, crowds: false };
    let mut seeded = false;
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("{word} needs a value"));
        let number = |text: String| text.parse().map_err(|_| format!("{text} is not a number"));
        match word.as_str() {
            "--seed" => {
                arguments.seed = number(value()?)?;
                seeded = true;
            }
            "--count" => arguments.count = number(value()?)?,
            "--crowds" => arguments.crowds = true,
            "--out" => arguments.out = Some(PathBuf::from(value()?)),
            _ => return Err(format!("unknown argument {word}")),
        }
    }
    if seeded { Ok(arguments) } else { Err("--seed is missing".to_string()) }
}

fn write(directory: &Path, seed: u64, text: &str) -> Result<(), String> {
    let path = directory.join(format!("{seed:06}.pml"));
    std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))
}

fn run() -> Result<(), String> {
    let arguments = parse(std::env::args().skip(1)).map_err(|message| format!("{message}\n{USAGE}"))?;
    if let Some(directory) = &arguments.out {
        std::fs::create_dir_all(directory).map_err(|error| format!("{}: {error}", directory.display()))?;
    }
    for seed in (0..arguments.count).map(|offset| arguments.seed.wrapping_add(offset)) {
        let text = match arguments.crowds {
            true => generate_crowd(seed),
            false => generate(seed, &GeneratorOptions::default()).to_string(),
        };
        match &arguments.out {
            Some(directory) => write(directory, seed, &text)?,
            None => print!("{text}"),
        }
    }
    Ok(())
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(3)
        }
    }
}
