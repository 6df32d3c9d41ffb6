//! `cargo xtask crossings`: the known answers under every combination of options that must not change them.
//!
//! The suites of the conformance runner are run again and again, each time with other options: every store
//! with both engines, several threads from the first state on, every algorithm with `tree` and, where it may
//! use them, `compact` and `bitstate`, and both engines. What counts are wrong answers: none may be there. A
//! case that comes to a limit, or that a lossy store leaves unknown, is no wrong answer; where an algorithm
//! does not apply to a case, that is counted by itself. Only small models, unless all are asked for.
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
    let stores = stores(&output_of(Command::new(&lariat).args(["stores", "--format", "json"]))?)?;
    let wanted = |crossing: &Crossing| match &arguments.only {
        Some(text) => crossing.options.contains(text),
        None => true,
    };
    let crossings: Vec<Crossing> = crossings(&stores).into_iter().filter(wanted).collect();
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

/// A store, as `lariat stores` describes it.
#[derive(serde::Deserialize)]
struct Store {
    name: String,
    /// The algorithms that may use it.
    algorithms: Vec<String>,
}

fn stores(lines: &str) -> Result<Vec<Store>> {
    lines.lines().map(|line| serde_json::from_str(line).context("what `lariat stores` prints")).collect()
}

fn crossings(stores: &[Store]) -> Vec<Crossing> {
    let mut all = Vec::new();
    let mut add = |options: String, suites| all.push(Crossing { options, suites });
    for Store { name, .. } in stores {
        ENGINES.iter().for_each(|engine| add(format!("--store {name} --engine {engine}"), &SUITES[..]));
    }
    for threads in [2, 4] {
        let together = format!("--threads {threads} --threads-after 0");
        for store in ["exact", "tree"] {
            add(format!("{together} --store {store}"), &SUITES[..]);
        }
        for algorithm in ["cndfs", "ufscc"] {
            add(format!("{together} --algorithm {algorithm}"), &FORMULAS[..]);
        }
    }
    // `exact` is what the tests and the suites have anyway, and `auto` is that or `tree`.
    for Store { name, algorithms } in stores.iter().filter(|store| !["exact", "auto"].contains(&&*store.name))
    {
        for algorithm in algorithms {
            for engine in ENGINES {
                add(format!("--algorithm {algorithm} --store {name} --engine {engine}"), &FORMULAS[..]);
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
         no wrong answer; `n/a`: the algorithm does not apply.\n\n\
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
    fn endings_are_counted() {
        let text =
            "case,status,why\na b,ok,\na c,LIMIT,\"so, so\"\na d,ok,\na e,FAIL,holds, known violated\n";
        let found = endings(text);
        assert_eq!((found["ok"], found["LIMIT"], found["FAIL"]), (2, 1, 1));
    }

    #[test]
    fn every_store_meets_every_algorithm() {
        let lines = r#"{"schema":"lariat-store/1","name":"exact","algorithms":["se","ascc"]}
{"schema":"lariat-store/1","name":"tree","algorithms":["se","ascc"]}
{"schema":"lariat-store/1","name":"compact","algorithms":["se"]}"#;
        let all = crossings(&stores(lines).unwrap());
        assert_eq!(all.len(), 3 * 2 + 2 * 4 + 2 * 2 + 2);
    }
}
