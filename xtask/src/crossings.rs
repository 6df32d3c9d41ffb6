//! `cargo xtask crossings`: the known answers under every combination of options that must not change them.
//!
//! The suites of the conformance runner are run again and again, each time with other options: every store
//! with both engines, several threads from the first state on, and every algorithm with `tree`, `compact` and
//! `bitstate` and both engines. What counts are wrong answers: none may be there. A case that comes to a
//! limit, or that a lossy store leaves unknown, is no wrong answer; where an algorithm does not apply to a
//! case, or may not use a store, that is counted by itself. Only small models, unless all are asked for.
//!
//! The table is kept in `bench/runs/crossings`.

use crate::workspace::{Workspace, output_of};
use anyhow::{Context, Result, ensure};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::available_parallelism;

const RUNNER: &str = "../shared/conformance/run";
const WAIVERS: &str = "tests/conformance-waivers.csv";
const REPORT: &str = "bench/runs/crossings/report.md";
const SUITES: [&str; 5] = ["promela", "ltl-models", "beem", "beem-ltl", "beem-reach"];
const FORMULAS: [&str; 2] = ["ltl-models", "beem-ltl"];
const STATUSES: [&str; 5] = ["ok", "LIMIT", "n/a", "waived", "FAIL"];
const STORES: [&str; 5] = ["exact", "tree", "auto", "compact", "bitstate"];
const ENGINES: [&str; 2] = ["compiled", "interpreted"];

#[derive(clap::Args)]
pub struct Arguments {
    /// All models, not only small ones
    #[arg(long)]
    all: bool,
    /// Only combinations whose options contain this
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    only: Option<String>,
    /// Cases to run at the same time; one for each processor if not given
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
}

/// Options, and the suites to which they apply.
struct Crossing {
    options: String,
    suites: &'static [&'static str],
}

/// How the cases of a suite ended: how many in each way.
type Endings = BTreeMap<String, usize>;

pub fn run(workspace: &Workspace, arguments: &Arguments) -> Result<bool> {
    ensure!(workspace.path(RUNNER).exists(), "the conformance runner is not there ({RUNNER})");
    let lariat = workspace.build_lariat()?;
    let algorithms = algorithms(&output_of(Command::new(&lariat).arg("algorithms"))?);
    ensure!(!algorithms.is_empty(), "`lariat algorithms` names none");
    let wanted = |crossing: &Crossing| match &arguments.only {
        Some(text) => crossing.options.contains(text),
        None => true,
    };
    let crossings: Vec<Crossing> = crossings(&algorithms).into_iter().filter(wanted).collect();
    ensure!(!crossings.is_empty(), "no combination has these options");
    let jobs = arguments.jobs.unwrap_or_else(|| available_parallelism().map_or(1, |n| n.get()));

    let version = output_of(Command::new(&lariat).arg("--version"))?;
    let date = output_of(Command::new("date").arg("+%F"))?;
    let place = workspace.path(REPORT);
    fs::create_dir_all(place.parent().context("a directory")?)?;
    let mut rows = Vec::new();
    for (i, crossing) in crossings.iter().enumerate() {
        eprintln!("{} of {}: {}", i + 1, crossings.len(), crossing.options);
        for suite in crossing.suites {
            let endings = ask_runner(workspace, &lariat, suite, &crossing.options, jobs, arguments.all)?;
            let wrong = endings.get("FAIL").copied().unwrap_or_default();
            if wrong > 0 {
                println!("{suite} {}: {wrong} wrong", crossing.options);
            }
            rows.push((crossing.options.clone(), *suite, endings));
        }
        // It takes long: what is done is written down.
        if arguments.only.is_none() {
            let (done, all) = (i + 1, crossings.len());
            fs::write(&place, report(&rows, arguments.all, &date, &version, (done, all)))?;
        }
    }
    let wrong: usize = rows.iter().filter_map(|(_, _, endings)| endings.get("FAIL")).sum();
    let answers: usize = rows.iter().flat_map(|(_, _, endings)| endings.values()).sum();
    println!("{} combinations, {answers} answers, {wrong} wrong", crossings.len());
    Ok(wrong == 0)
}

/// The names in the table that `lariat algorithms` prints: those at the beginning of a line, up to the empty
/// one.
fn algorithms(table: &str) -> Vec<String> {
    let lines = table.lines().skip(1).take_while(|line| !line.is_empty());
    lines
        .filter(|line| !line.starts_with(' '))
        .filter_map(|line| line.split(' ').next())
        .map(String::from)
        .collect()
}

fn crossings(algorithms: &[String]) -> Vec<Crossing> {
    let mut all = Vec::new();
    for store in STORES {
        for engine in ENGINES {
            all.push(Crossing { options: format!("--store {store} --engine {engine}"), suites: &SUITES });
        }
    }
    for threads in [2, 4] {
        for store in ["exact", "tree"] {
            let options = format!("--threads {threads} --threads-after 0 --store {store}");
            all.push(Crossing { options, suites: &SUITES });
        }
    }
    // `exact` is what the tests and the suites have anyway, and `auto` is that or `tree`.
    for algorithm in algorithms {
        for store in ["tree", "compact", "bitstate"] {
            for engine in ENGINES {
                let options = format!("--algorithm {algorithm} --store {store} --engine {engine}");
                all.push(Crossing { options, suites: &FORMULAS });
            }
        }
    }
    all
}

fn ask_runner(
    workspace: &Workspace,
    lariat: &Path,
    suite: &str,
    options: &str,
    jobs: usize,
    all: bool,
) -> Result<Endings> {
    let listed = std::env::temp_dir().join(format!("lariat-crossings-{}.csv", std::process::id()));
    let mut command = Command::new(workspace.path(RUNNER));
    command.arg(suite).arg("--lariat").arg(lariat).args(["--waivers", WAIVERS]);
    command.args(["--jobs", &jobs.to_string(), "--timeout", "60", "--out"]).arg(&listed);
    command.arg(format!("--args={options}"));
    if !all {
        command.arg("--quick");
    }
    // What it says of single cases stands in the list; its exit code counts limits too.
    let status = command.current_dir(&workspace.root).stdout(Stdio::null()).status();
    status.context("the conformance runner cannot be started")?;
    let text = fs::read_to_string(&listed).context("the conformance runner has not listed its cases")?;
    let _ = fs::remove_file(&listed);
    let endings = endings(&text);
    for line in text.lines().filter(|line| status_of(line) == Some("FAIL")) {
        println!("{line}");
    }
    ensure!(!endings.is_empty(), "no case in {suite}");
    let unknown = endings.keys().find(|status| !STATUSES.contains(&status.as_str()));
    ensure!(unknown.is_none(), "the conformance runner says {unknown:?} of a case");
    Ok(endings)
}

/// The status of a case: what stands behind its name. There is a comma in neither.
fn status_of(line: &str) -> Option<&str> {
    line.split(',').nth(1)
}

fn endings(text: &str) -> Endings {
    let mut endings = Endings::new();
    for status in text.lines().skip(1).filter_map(status_of) {
        *endings.entry(status.to_string()).or_default() += 1;
    }
    endings
}

fn report(
    rows: &[(String, &str, Endings)],
    all: bool,
    date: &str,
    version: &str,
    (done, of): (usize, usize),
) -> String {
    let models = if all { "all models" } else { "models of fewer than 20,000 states" };
    let mut text = format!(
        "# Known answers under all combinations of options\n\n\
         `cargo xtask crossings{}`, {date}, {version}; {models}; {done} of {of} combinations. A case that is left unknown (a lossy store, a limit) is \
         no wrong answer; `n/a`: the algorithm does not apply, or may not use the store.\n\n\
         | options | suite | right | unknown | n/a | waived | wrong |\n| --- | --- | --: | --: | --: | --: | --: |\n",
        if all { " --all" } else { "" },
    );
    for (options, suite, endings) in rows {
        let count = |status: &str| endings.get(status).copied().unwrap_or_default();
        let _ = writeln!(
            text,
            "| `{options}` | {suite} | {} | {} | {} | {} | {} |",
            count("ok"),
            count("LIMIT"),
            count("n/a"),
            count("waived"),
            count("FAIL"),
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_at_the_beginning_of_lines() {
        let table = "name  needs\nlasso any\n      from every state\nse    one\n\nneeds: any number\n";
        assert_eq!(algorithms(table), ["lasso", "se"]);
    }

    #[test]
    fn endings_are_counted() {
        let text =
            "case,status,why\na b,ok,\na c,LIMIT,\"so, so\"\na d,ok,\na e,FAIL,holds, known violated\n";
        let found = endings(text);
        assert_eq!((found["ok"], found["LIMIT"], found["FAIL"]), (2, 1, 1));
    }

    #[test]
    fn every_store_meets_every_algorithm() {
        let all = crossings(&["se".to_string(), "ascc".to_string()]);
        assert_eq!(all.len(), 10 + 4 + 2 * 6);
    }
}
