//! `cargo xtask bench`: our speed as a multiple of a peer's, measured in one run on the same models.
//!
//! `interpreter` compares `lariat explore` with Spin's pan on those of our models that are large enough to
//! measure and small enough to wait for. Both must find the same number of states, else nothing is compared.
//! The two take turns, so that whatever else the machine does hits both, and the best of several runs counts:
//! noise only ever adds time. Processor time is compared, not the time on the wall, for the same reason.
//!
//! The ratio is pan's time divided by ours: 2 means twice as fast as pan. The exit code says whether every
//! ratio reaches [`REQUIRED`]. It is not part of the tests, because machines are noisy.
//!
//! `engine` compares compiled models with pan in every respect; see [`engine`].
//!
//! `fairness` asks what fairness costs, and compares it with Spin's; see [`fairness`].
//!
//! `reduction` asks how many states partial-order reduction leaves, and Spin's beside it; see [`reduction`].
//!
//! `simplifications` asks no peer, but what options are good for; see [`simplifications`].
//!
//! `stores` compares what states cost in our stores and in pan's; see [`stores`].
//!
//! `translations` compares `lariat translate` with `spin -f`; see [`translations`].

mod engine;
mod fairness;
mod reduction;
mod simplifications;
mod stores;
mod translations;

use crate::measure::{Measured, measure};
use crate::pan::Pan;
use crate::record::{self, Machine};
use crate::workspace::{Workspace, output_of, shown};
use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// At least this much of pan's speed.
pub const REQUIRED: f64 = 0.4;

const STATES: std::ops::RangeInclusive<u64> = 400_000..=9_000_000;

#[derive(clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    suite: Suite,
}

#[derive(clap::Subcommand)]
enum Suite {
    /// The interpreter against Spin's pan (needs spin and gcc)
    Interpreter {
        /// How often each program runs; the best run counts
        #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
        runs: u32,
        /// Only models whose name contains this; the result is shown, but not kept
        #[arg(long, value_name = "TEXT")]
        only: Option<String>,
    },
    /// Compiled models against Spin's pan: speed, memory, formulas, text to verdict (needs spin and gcc)
    Engine(engine::Arguments),
    /// What fairness costs, and Spin's beside it (needs spin and gcc)
    Fairness(fairness::Arguments),
    /// What partial-order reduction leaves of the states, and Spin's beside it (needs spin and gcc)
    Reduction(reduction::Arguments),
    /// What simplifying models saves: states and seconds, without and with each simplification
    Simplifications(simplifications::Arguments),
    /// Bytes a state and speed of all stores, and Spin's beside them (needs spin and gcc)
    Stores(stores::Arguments),
    /// Formulas into automata, against `spin -f` (needs spin)
    Translations(translations::Arguments),
}

#[derive(Deserialize)]
struct Expected {
    states: u64,
}

struct Model {
    name: String,
    file: String,
    states: u64,
}

/// One run of one program.
pub struct Run {
    pub number: u32,
    pub program: Program,
    pub measured: Measured,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Program {
    Pan,
    Lariat,
}

impl Program {
    pub fn name(self) -> &'static str {
        match self {
            Program::Pan => "pan",
            Program::Lariat => "lariat",
        }
    }
}

/// All runs on one model.
pub struct Comparison {
    pub model: String,
    pub states: u64,
    pub runs: Vec<Run>,
    pub commands: Vec<String>,
}

impl Comparison {
    /// The smallest value of a figure over the runs of a program.
    pub fn best(&self, program: Program, figure: impl Fn(&Measured) -> f64) -> f64 {
        let runs = self.runs.iter().filter(|run| run.program == program);
        runs.map(|run| figure(&run.measured)).fold(f64::INFINITY, f64::min)
    }

    pub fn ratio(&self, figure: impl Fn(&Measured) -> f64) -> f64 {
        self.best(Program::Pan, &figure) / self.best(Program::Lariat, &figure)
    }

    pub fn fast_enough(&self) -> bool {
        self.ratio(Measured::processor_seconds) >= REQUIRED
    }
}

pub fn run(workspace: &Workspace, arguments: &Arguments) -> Result<bool> {
    match &arguments.suite {
        Suite::Interpreter { runs, only } => interpreter(workspace, *runs, only.as_deref()),
        Suite::Engine(arguments) => engine::run(workspace, arguments),
        Suite::Fairness(arguments) => fairness::run(workspace, arguments),
        Suite::Reduction(arguments) => reduction::run(workspace, arguments),
        Suite::Simplifications(arguments) => simplifications::run(workspace, arguments),
        Suite::Stores(arguments) => stores::run(workspace, arguments),
        Suite::Translations(arguments) => translations::run(workspace, arguments),
    }
}

fn interpreter(workspace: &Workspace, runs: u32, only: Option<&str>) -> Result<bool> {
    need_programs(&[("spin", "-V"), ("gcc", "--version")])?;
    let mut models = models(workspace)?;
    models.retain(|model| only.is_none_or(|text| model.name.contains(text)));
    ensure!(!models.is_empty(), "no model of that name and size");
    let lariat = workspace.build_lariat()?;
    let target = lariat.ancestors().nth(2).context("the target directory")?;
    let before = Machine::load();
    let mut comparisons = Vec::new();
    for model in &models {
        eprintln!("{}: {} states", model.name, model.states);
        let directory = target.join("bench").join(&model.name);
        comparisons.push(compare(workspace, &lariat, model, directory, runs)?);
    }
    let table = record::table(&comparisons, runs);
    print!("{table}");
    if only.is_none() {
        let machine = Machine::describe(before)?;
        let place = record::keep(workspace, "interpreter", &table, &comparisons, &machine)?;
        eprintln!("kept in {place}");
    }
    Ok(comparisons.iter().all(Comparison::fast_enough))
}

fn compare(
    workspace: &Workspace,
    lariat: &Path,
    model: &Model,
    directory: PathBuf,
    runs: u32,
) -> Result<Comparison> {
    let pan = Pan::build(&workspace.path(&model.file), model.states, directory)?;
    let mut ours = Command::new(lariat);
    ours.args(["explore", &model.file, "--threads", "1", "--format", "json"]).current_dir(&workspace.root);

    let mut commands = pan.commands();
    commands.push(shown(&ours));
    let mut comparison =
        Comparison { model: model.name.clone(), states: model.states, runs: Vec::new(), commands };
    for number in 1..=runs {
        let (measured, explored) = pan.run()?;
        agree(model, Program::Pan, explored.states)?;
        comparison.add(number, Program::Pan, measured);
        let measured = measure(&ours)?;
        agree(model, Program::Lariat, states_of_report(&measured.output)?)?;
        comparison.add(number, Program::Lariat, measured);
    }
    Ok(comparison)
}

impl Comparison {
    fn add(&mut self, number: u32, program: Program, measured: Measured) {
        eprintln!(
            "  {number} {:6} user {:6.2}  system {:5.2}  {:5} MiB",
            program.name(),
            measured.user_seconds,
            measured.system_seconds,
            measured.peak_kib / 1024
        );
        self.runs.push(Run { number, program, measured });
    }
}

fn agree(model: &Model, program: Program, states: u64) -> Result<()> {
    if states != model.states {
        bail!("{}: {} finds {states} states, expected {}", model.file, program.name(), model.states);
    }
    Ok(())
}

fn states_of_report(text: &str) -> Result<u64> {
    let report: serde_json::Value = serde_json::from_str(text).context("the report of lariat")?;
    ensure!(report["verdict"] == "holds", "lariat did not explore everything: {}", report["reason"]);
    report["states"]["stored"].as_u64().context("lariat does not say how many states there are")
}

/// Our models of a suitable size, by name.
fn models(workspace: &Workspace) -> Result<Vec<Model>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(workspace.path("models"))? {
        let path = entry?.path();
        if path.extension().is_none_or(|extension| extension != "pml") {
            continue;
        }
        let model = model(workspace, &path.file_stem().unwrap_or_default().to_string_lossy())?;
        if STATES.contains(&model.states) {
            found.push(model);
        }
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(found)
}

/// One of our models, with the states that it is expected to have.
fn model(workspace: &Workspace, name: &str) -> Result<Model> {
    let expected = workspace.path(format!("models/{name}.expect.toml"));
    let text = fs::read_to_string(&expected).with_context(|| format!("{name}.expect.toml"))?;
    let Expected { states } = toml::from_str(&text).with_context(|| format!("{name}.expect.toml"))?;
    Ok(Model { file: format!("models/{name}.pml"), name: name.to_string(), states })
}

/// Each program, and the argument that makes it say its version.
fn need_programs(programs: &[(&str, &str)]) -> Result<()> {
    for (program, version) in programs {
        output_of(Command::new(program).arg(version))
            .with_context(|| format!("{program} is needed; on Debian: apt-get install {program}"))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_models_to_measure() {
        assert!(models(&Workspace::here()).unwrap().len() >= 5);
    }

    #[test]
    fn the_states_stand_in_the_report() {
        assert_eq!(states_of_report(r#"{"verdict":"holds","states":{"stored":12}}"#).unwrap(), 12);
        assert!(states_of_report(r#"{"verdict":"unknown","reason":"x","states":{"stored":12}}"#).is_err());
    }
}
