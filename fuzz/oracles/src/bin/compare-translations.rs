//! Random formulas, taken through both translations and all that follows.
//!
//! `compare-translations --seed 1 --count 100000 --size 20 [--jobs 2] [--shrink]` prints every complaint,
//! with the seed that makes it again and, with `--shrink`, the smallest formula that still causes it; at the
//! end one line for each check. `--formula TEXT` judges that formula (in Spot's syntax, over a, b, c, d)
//! instead, once for each seed.

#![forbid(unsafe_code)]

use clap::Parser;
use lariat_generators::formula::{FormulaTree, generate, shrink};
use lariat_oracles::formulas::{Check, Complaint, Limits, Tally, Verdict, judge, parse_tree};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

#[derive(Parser)]
struct Arguments {
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[arg(long, default_value_t = 1000)]
    count: u64,
    /// The largest formula: the number of its operators and operands.
    #[arg(long, default_value_t = 20)]
    size: usize,
    #[arg(long, default_value_t = 2)]
    jobs: u64,
    #[arg(long)]
    shrink: bool,
    /// Stop after so many complaints.
    #[arg(long, default_value_t = 20)]
    most_complaints: usize,
    /// Judge this formula, with each seed.
    #[arg(long, value_parser = parse_tree)]
    formula: Option<FormulaTree>,
    /// Say also which formulas were too large.
    #[arg(long)]
    verbose: bool,
}

/// How many slow formulas are named.
const SLOWEST: usize = 5;

#[derive(Default)]
struct Total {
    tally: Tally,
    formulas: u64,
    too_large: Vec<(&'static str, u64)>,
    complaints: Vec<(u64, Check)>,
    slowest: Vec<(Duration, u64)>,
}

fn main() {
    let arguments = Arguments::parse();
    // Panics are caught and counted; their messages would only be in the way.
    std::panic::set_hook(Box::new(|_| {}));
    let start = Instant::now();
    let next = AtomicU64::new(arguments.seed);
    let end = arguments.seed.saturating_add(arguments.count);
    let total = Mutex::new(Total::default());
    std::thread::scope(|scope| {
        for _ in 0..arguments.jobs.max(1) {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= end {
                        break;
                    }
                    if one(seed, &arguments, &total, start) >= arguments.most_complaints {
                        next.store(end, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    let total = total.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    summary(&total, start.elapsed());
    std::process::exit(!total.complaints.is_empty() as i32);
}

/// Judges one formula; the number of complaints so far.
fn one(seed: u64, arguments: &Arguments, total: &Mutex<Total>, start: Instant) -> usize {
    let tree = arguments.formula.clone().unwrap_or_else(|| generate(seed, arguments.size));
    let mut tally = Tally::default();
    let before = Instant::now();
    let verdict = judge(&tree, seed, &Limits::default(), &mut tally);
    let taken = before.elapsed();
    let text = match &verdict {
        Verdict::Wrong(complaint) => Some(report(seed, &tree, complaint, arguments.shrink)),
        _ => None,
    };
    let mut total = total.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    total.tally.add(&tally);
    total.formulas += 1;
    total.slowest.push((taken, seed));
    total.slowest.sort_by(|a, b| b.cmp(a));
    total.slowest.truncate(SLOWEST);
    match verdict {
        Verdict::Well => {}
        Verdict::TooLarge(what) => {
            match total.too_large.iter_mut().find(|(known, _)| *known == what) {
                Some((_, count)) => *count += 1,
                None => total.too_large.push((what, 1)),
            }
            if arguments.verbose {
                println!("seed {seed}: {what} is too large: {tree}");
            }
        }
        Verdict::Wrong(complaint) => total.complaints.push((seed, complaint.check)),
    }
    if let Some(text) = text {
        println!("{text}");
    }
    if total.formulas.is_multiple_of(1000) {
        let rate = total.formulas as f64 / start.elapsed().as_secs_f64();
        eprintln!("{} formulas, {} complaints, {rate:.0} a second", total.formulas, total.complaints.len());
    }
    total.complaints.len()
}

fn report(seed: u64, tree: &FormulaTree, complaint: &Complaint, shrinks: bool) -> String {
    let mut text = format!("seed {seed}: {complaint}\n  formula: {tree}");
    if shrinks {
        let again =
            |candidate: &FormulaTree| match judge(candidate, seed, &Limits::default(), &mut Tally::default())
            {
                Verdict::Wrong(other) if other.is_like(complaint) => Some(other),
                _ => None,
            };
        let smallest = shrink(tree.clone(), &mut |candidate| again(candidate).is_some());
        text += &format!("\n  shrunk: {smallest}");
        if let Some(complaint) = again(&smallest) {
            text += &format!("\n  {complaint}");
        }
    }
    text
}

fn summary(total: &Total, taken: Duration) {
    for check in Check::ALL {
        let complaints = total.complaints.iter().filter(|(_, of)| *of == check).count();
        println!("{check:<12}{:>12} comparisons, {complaints} complaints", total.tally.count(check));
    }
    let skipped: u64 = total.too_large.iter().map(|(_, count)| count).sum();
    let percent = 100.0 * skipped as f64 / total.formulas.max(1) as f64;
    println!(
        "{} formulas in {:.1} s, {skipped} too large in part ({percent:.2} %)",
        total.formulas,
        taken.as_secs_f64()
    );
    let mut too_large = total.too_large.clone();
    too_large.sort();
    for (what, count) in too_large {
        println!("  too large: {what}: {count}");
    }
    for (taken, seed) in &total.slowest {
        println!("  slow: seed {seed}: {:.0} ms", taken.as_secs_f64() * 1000.0);
    }
}
