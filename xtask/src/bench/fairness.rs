//! `cargo xtask bench fairness`: what fairness costs, and how fast Lariat is beside Spin's verifier with
//! `-f`.
//!
//! All formulas hold, so that the whole product is seen (`bench/fairness.toml`). Three questions, each with a
//! demand:
//!
//! - weak fairness over none, where the formula holds anyhow: states visited, and time. Beside it `pan -a -f`
//!   over `pan -a`, which copies states, for few processes;
//! - strong fairness over weak fairness, where weak fairness suffices: time;
//! - `lariat check --fair weak` against `pan -a -f`, from four processes on: time.
//!
//! Times are user times of the whole process, the best of several runs; where either is under [`MEASURABLE`],
//! no ratio is taken. A run of pan that takes long is not repeated.

use crate::measure::measure;
use crate::pan::{Pan, Recipe};
use crate::record::{Machine, geometric_mean};
use crate::workspace::{Workspace, shown};
use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const MEASURABLE: f64 = 0.05;
/// Who is slower is measured once.
const LONG: f64 = 8.0;
/// Processes for which pan's two searches are compared, and from which on ours is compared with pan's.
const FEW: u32 = 5;
const MANY: u32 = 4;
const PLACE: &str = "bench/runs/fairness";

const MOST_STATES: f64 = 1.3;
const MOST_TIME: f64 = 1.5;
const MOST_TIME_STRONG: f64 = 2.0;
const LEAST_SPEED: f64 = 5.0;

#[derive(clap::Args)]
pub struct Arguments {
    /// How often each command runs; the best run counts
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// Only models whose name contains this; the result is shown, but not kept
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
}

#[derive(Deserialize)]
struct Suite {
    case: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    model: String,
    #[serde(default)]
    macros: Vec<String>,
    processes: u32,
    holds: Holds,
    property: Option<String>,
    formula: Option<String>,
}

#[derive(Deserialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Holds {
    Always,
    Weakly,
}

/// The best run of one command.
#[derive(Clone, Copy)]
struct Taken {
    visited: u64,
    seconds: f64,
}

struct Row {
    name: String,
    processes: u32,
    none: Option<Taken>,
    weak: Taken,
    strong: Taken,
    pan: Option<Taken>,
    pan_fair: Option<Taken>,
}

impl Case {
    fn name(&self) -> String {
        let stem = Path::new(&self.model).file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let property = self.property.as_deref().unwrap_or(ADDED);
        [&[stem][..], &self.macros, &[property.to_string()]].concat().join(" ")
    }
}

/// The name of a formula that is written behind a model.
const ADDED: &str = "bench";

pub fn run(workspace: &Workspace, arguments: &Arguments) -> Result<bool> {
    super::need_programs(&[("spin", "-V"), ("gcc", "--version")])?;
    let lariat = workspace.build_lariat()?;
    let before = Machine::load();
    let mut commands = Vec::new();
    let mut rows = Vec::new();
    for case in cases(workspace)? {
        let name = case.name();
        if arguments.only.as_ref().is_some_and(|text| !name.contains(text.as_str())) {
            continue;
        }
        eprintln!("{name}");
        commands.push(format!("\n# {name}"));
        let directory = workspace.path("target/bench/fairness").join(name.replace([' ', '='], "-"));
        rows.push(measure_case(workspace, &lariat, &case, directory, arguments.runs, &mut commands)?);
    }
    let (report, met) = report(&rows, arguments.runs);
    print!("{report}");
    if arguments.only.is_none() {
        fs::create_dir_all(workspace.path(PLACE))?;
        let machine = Machine::describe(before)?.text_as_list();
        let text = format!("# Fairness\n\n`cargo xtask bench fairness`\n\n{machine}\n{report}");
        let commands = format!("cargo xtask bench fairness\n\n# which runs these\n{}\n", commands.join("\n"));
        fs::write(workspace.path(PLACE).join("report.md"), text).context(PLACE)?;
        fs::write(workspace.path(PLACE).join("commands.txt"), commands).context(PLACE)?;
        eprintln!("kept in {PLACE}");
    }
    Ok(met)
}

fn cases(workspace: &Workspace) -> Result<Vec<Case>> {
    let text = fs::read_to_string(workspace.path("bench/fairness.toml")).context("bench/fairness.toml")?;
    let Suite { case } = toml::from_str(&text).context("bench/fairness.toml")?;
    Ok(case)
}

fn measure_case(
    workspace: &Workspace,
    lariat: &Path,
    case: &Case,
    directory: PathBuf,
    runs: u32,
    commands: &mut Vec<String>,
) -> Result<Row> {
    fs::create_dir_all(&directory)?;
    let mut text = fs::read_to_string(workspace.path(&case.model)).with_context(|| case.model.clone())?;
    if let Some(formula) = &case.formula {
        let _ = writeln!(text, "\nltl {ADDED} {{ {formula} }}");
    }
    let model = directory.join("model.pml");
    fs::write(&model, text)?;
    let property = case.property.as_deref().unwrap_or(ADDED);

    let mut ours = |fairness: &str| -> Result<Taken> {
        let mut command = Command::new(lariat);
        command.args(["check", "model.pml", "--threads", "1", "--format", "json"]);
        command.args(["--property", property, "--fair", fairness]);
        command.args(case.macros.iter().map(|definition| format!("-D{definition}")));
        commands.push(shown(command.current_dir(&directory)));
        best(runs, || {
            let measured = measure(&command)?;
            let visited = visited_of_report(&measured.output)?;
            Ok(Taken { visited, seconds: measured.user_seconds })
        })
    };
    let none = if case.holds == Holds::Always { Some(ours("none")?) } else { None };
    let (weak, strong) = (ours("weak")?, ours("strong")?);

    let mut theirs = |options: &str| -> Result<Taken> {
        // (8 * NFAIR) / 2 - 2 processes at most, of which the claim is one.
        let fair = (case.processes + 2) / 4 + 1;
        let flags = format!("-O2 -w -DNOREDUCE -DMEMLIM=8192 -DVECTORSZ=8192 -DNFAIR={}", fair.max(2));
        let recipe = Recipe::of("-o1 -o2 -o3", &flags, &format!("-n {options} -N {property}"));
        let place = directory.join(format!("pan{}", options.replace(' ', "")));
        let mut pan = Pan::make(&recipe, &model, &case.macros, place)?;
        pan.fit(None)?;
        commands.extend(pan.commands());
        best(runs, || {
            let (measured, explored) = pan.run()?;
            ensure!(explored.errors == 0, "{}: pan finds an error", case.name());
            Ok(Taken { visited: explored.visited, seconds: measured.user_seconds })
        })
    };
    let both = case.holds == Holds::Always && case.processes <= FEW;
    let pan = if both { Some(theirs("-a")?) } else { None };
    let pan_fair = if both || case.processes >= MANY { Some(theirs("-a -f")?) } else { None };
    Ok(Row { name: case.name(), processes: case.processes, none, weak, strong, pan, pan_fair })
}

fn best(runs: u32, mut once: impl FnMut() -> Result<Taken>) -> Result<Taken> {
    let mut best = once()?;
    for _ in 1..runs {
        if best.seconds > LONG {
            break;
        }
        let next = once()?;
        ensure!(next.visited == best.visited, "the same command visits different states");
        best.seconds = best.seconds.min(next.seconds);
    }
    eprintln!("  {:9} states visited, {:.2} s", best.visited, best.seconds);
    Ok(best)
}

fn visited_of_report(text: &str) -> Result<u64> {
    let report: serde_json::Value = serde_json::from_str(text).context("the report of lariat")?;
    ensure!(report["verdict"] == "holds", "lariat says {}", report["verdict"]);
    let states = &report["states"];
    states["visited"].as_u64().or(states["stored"].as_u64()).context("lariat does not count states")
}

/// How much longer one takes than the other, if both can be measured.
fn times(more: Taken, less: Taken) -> Option<f64> {
    (more.seconds >= MEASURABLE && less.seconds >= MEASURABLE).then(|| more.seconds / less.seconds)
}

fn states(more: Taken, less: Taken) -> f64 {
    more.visited as f64 / less.visited as f64
}

/// The whole report, and whether every demand is met by every model.
fn report(rows: &[Row], runs: u32) -> (String, bool) {
    let mut text = format!(
        "Best of {runs} (of one, where it took more than {LONG:.0} s); user seconds of the whole process. All formulas hold. \
         A ratio of times stands where both are at least {MEASURABLE} s.\n"
    );
    let ratio = |value: Option<f64>| value.map_or("–".to_string(), |value| format!("{value:.2}"));
    let taken = |taken: Option<Taken>| match taken {
        Some(Taken { visited, seconds }) => format!("{visited} | {seconds:.2}"),
        None => "– | –".to_string(),
    };

    text.push_str(
        "\n## Weak fairness over none\n\n\
         | model | processes | states, none | s | states, weak | s | states, ratio | time, ratio | pan -a | s | pan -a -f | s | states, ratio | time, ratio |\n\
         | --- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: |\n",
    );
    let (mut weak_states, mut weak_times, mut pan_states, mut pan_times) = (vec![], vec![], vec![], vec![]);
    for row in rows {
        let Some(none) = row.none else { continue };
        let pan = row.pan.zip(row.pan_fair);
        let theirs = (pan.map(|(pan, fair)| states(fair, pan)), pan.and_then(|(pan, fair)| times(fair, pan)));
        weak_states.push(states(row.weak, none));
        weak_times.extend(times(row.weak, none));
        pan_states.extend(theirs.0);
        pan_times.extend(theirs.1);
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {:.2} | {} | {} | {} | {} | {} |",
            row.name,
            row.processes,
            taken(Some(none)),
            taken(Some(row.weak)),
            states(row.weak, none),
            ratio(times(row.weak, none)),
            taken(row.pan),
            taken(row.pan.and(row.pan_fair)),
            ratio(theirs.0),
            ratio(theirs.1)
        );
    }
    let mean = |values: &[f64]| (!values.is_empty()).then(|| geometric_mean(values.iter().copied()));
    let _ = writeln!(
        text,
        "| geometric mean | | | | | | {} | {} | | | | | {} | {} |",
        ratio(mean(&weak_states)),
        ratio(mean(&weak_times)),
        ratio(mean(&pan_states)),
        ratio(mean(&pan_times))
    );

    text.push_str(
        "\n## Strong fairness over weak fairness\n\n\
         | model | processes | states, weak | s | states, strong | s | time, ratio |\n\
         | --- | --: | --: | --: | --: | --: | --: |\n",
    );
    let mut strong_times = vec![];
    for row in rows {
        strong_times.extend(times(row.strong, row.weak));
        let (weak, strong) = (taken(Some(row.weak)), taken(Some(row.strong)));
        let ratio = ratio(times(row.strong, row.weak));
        let _ = writeln!(text, "| {} | {} | {weak} | {strong} | {ratio} |", row.name, row.processes);
    }
    let _ = writeln!(text, "| geometric mean | | | | | | {} |", ratio(mean(&strong_times)));

    let _ = write!(
        text,
        "\n## `lariat check --fair weak` against `pan -a -f`, from {MANY} processes on\n\n\
         | model | processes | pan | s | lariat | s | pan's time over Lariat's |\n\
         | --- | --: | --: | --: | --: | --: | --: |\n"
    );
    let mut speeds = vec![];
    for row in rows.iter().filter(|row| row.processes >= MANY) {
        let Some(pan) = row.pan_fair else { continue };
        speeds.extend(times(pan, row.weak));
        let ratio = ratio(times(pan, row.weak));
        let (pan, weak) = (taken(Some(pan)), taken(Some(row.weak)));
        let _ = writeln!(text, "| {} | {} | {pan} | {weak} | {ratio} |", row.name, row.processes);
    }
    let _ = writeln!(text, "| geometric mean | | | | | | {} |", ratio(mean(&speeds)));

    text.push_str("\n## Demands\n\n| demand | geometric mean | worst | met by the mean | by all |\n| --- | --: | --: | :-: | :-: |\n");
    let mut all_met = true;
    let mut demand =
        |what: String, values: &[f64], is_met: &dyn Fn(f64) -> bool, worst: fn(f64, f64) -> f64| {
            let Some(mean) = mean(values) else { return };
            let worst = values.iter().copied().reduce(worst).unwrap_or(mean);
            let word = |value| if is_met(value) { "yes" } else { "**no**" };
            all_met &= is_met(worst);
            let _ = writeln!(text, "| {what} | {mean:.2} | {worst:.2} | {} | {} |", word(mean), word(worst));
        };
    demand(
        format!("weak over none: states, at most {MOST_STATES}"),
        &weak_states,
        &|value| value <= MOST_STATES,
        f64::max,
    );
    demand(
        format!("weak over none: time, at most {MOST_TIME}"),
        &weak_times,
        &|value| value <= MOST_TIME,
        f64::max,
    );
    demand(
        format!("strong over weak: time, at most {MOST_TIME_STRONG}"),
        &strong_times,
        &|value| value <= MOST_TIME_STRONG,
        f64::max,
    );
    demand(
        format!("pan's time over Lariat's, at least {LEAST_SPEED}"),
        &speeds,
        &|value| value >= LEAST_SPEED,
        f64::min,
    );
    (text, all_met)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn demands_are_judged_by_the_worst() {
        let one = |visited, seconds| Taken { visited, seconds };
        let row = |processes, weak: f64| Row {
            name: "m".to_string(),
            processes,
            none: Some(one(100, 1.0)),
            weak: one(110, weak),
            strong: one(110, 2.0 * weak),
            pan: Some(one(100, 1.0)),
            pan_fair: Some(one(500, 8.0)),
        };
        let (text, met) = report(&[row(2, 1.0), row(4, 1.0)], 3);
        assert!(
            text.contains(
                "| m | 2 | 100 | 1.00 | 110 | 1.00 | 1.10 | 1.00 | 100 | 1.00 | 500 | 8.00 | 5.00 | 8.00 |"
            ),
            "{text}"
        );
        assert!(
            text.contains("| pan's time over Lariat's, at least 5 | 8.00 | 8.00 | yes | yes |"),
            "{text}"
        );
        assert!(met);
        let (text, met) = report(&[row(4, 1.0), row(4, 2.0)], 3);
        assert!(
            text.contains("| weak over none: time, at most 1.5 | 1.41 | 2.00 | yes | **no** |"),
            "{text}"
        );
        assert!(!met);
    }

    #[test]
    fn the_models_are_there() {
        let workspace = Workspace::here();
        for case in cases(&workspace).unwrap() {
            assert!(workspace.path(&case.model).is_file(), "{}", case.model);
            assert!(case.property.is_some() != case.formula.is_some(), "{}", case.name());
        }
    }
}
