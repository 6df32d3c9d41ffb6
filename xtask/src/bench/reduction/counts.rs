//! One count: the states that one program stores for one question, with reduction or without.
//!
//! Neither program may take more than [`SECONDS`] or [`GIGABYTES`]. Pan's stack is as deep as it must be,
//! found by trying; its times are not compared, so that small models are compiled by `tcc` where it is
//! installed, which takes a hundredth of the time of `gcc`. Lariat runs with both engines as it chooses. Its
//! time is the user time of the process less what reading and compiling the model took.
//!
//! Every count is a line of JSON in `target/bench/reduction/counts.jsonl`, under a fingerprint of all that it
//! depends on, from which a run can be resumed.

use super::suite::{Asks, Question};
use crate::measure::{Measured, measure_any};
use crate::pan::{self, Pan, Recipe};
use crate::workspace::{Workspace, output_of};
use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::HashMap;
use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

const SECONDS: u64 = 60;
const GIGABYTES: u64 = 4;
const PLACE: &str = "target/bench/reduction";
/// Models with more states are compiled by an optimising compiler.
const SMALL: u64 = 200_000;
/// A shorter time is noise.
pub const MEASURABLE: f64 = 0.05;
/// A longer one is not measured twice.
const LONG: f64 = 8.0;
const DEPTHS: [u64; 3] = [100_000, 1_000_000, 10_000_000];

/// What is done to the model before it is reduced.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Table {
    /// Nothing.
    Plain,
    /// Statements are merged, dead variables reset: what Spin does as it comes.
    Simplified,
}

impl Table {
    pub const ALL: [Table; 2] = [Table::Plain, Table::Simplified];

    fn options(self, program: Program) -> &'static str {
        match (self, program) {
            (Table::Plain, Program::Pan) => "-o1 -o2 -o3",
            (Table::Simplified, Program::Lariat) => "--merge-statements --reset-dead-variables",
            (Table::Simplified, Program::Pan) | (Table::Plain, Program::Lariat) => "",
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Program {
    Lariat,
    Pan,
}

impl Program {
    pub const ALL: [Program; 2] = [Program::Lariat, Program::Pan];

    pub fn name(self) -> &'static str {
        match self {
            Program::Lariat => "lariat",
            Program::Pan => "pan",
        }
    }
}

/// The states that are stored; and how long the search took, and the whole process, in user time.
#[derive(Clone, Copy, Serialize, Deserialize, Debug, PartialEq)]
pub struct Count {
    pub states: u64,
    pub search_seconds: f64,
    pub seconds: f64,
}

#[derive(Serialize, Deserialize)]
struct Line {
    fingerprint: u64,
    /// For whoever reads the file.
    what: String,
    outcome: Result<Count, String>,
}

/// Counts, and those that are known from an earlier run.
pub struct Counts<'w> {
    workspace: &'w Workspace,
    lariat: PathBuf,
    /// Of the program: what it counts may change with it.
    lariat_fingerprint: u64,
    known: HashMap<u64, Result<Count, String>>,
    file: File,
    has_tcc: bool,
    repeat: u32,
    /// How many were known.
    pub reused: usize,
}

impl<'w> Counts<'w> {
    pub fn new(workspace: &'w Workspace, lariat: PathBuf, resume: bool, repeat: u32) -> Result<Self> {
        let directory = workspace.path(PLACE);
        fs::create_dir_all(&directory)?;
        let path = directory.join("counts.jsonl");
        let earlier = if resume { fs::read_to_string(&path).unwrap_or_default() } else { String::new() };
        // The last line of an interrupted run may be half a line.
        let lines = earlier.lines().filter_map(|line| serde_json::from_str::<Line>(line).ok());
        let known: HashMap<_, _> = lines.map(|line| (line.fingerprint, line.outcome)).collect();
        let mut file =
            File::options().create(true).append(resume).write(true).truncate(!resume).open(&path)?;
        if !earlier.is_empty() && !earlier.ends_with('\n') {
            writeln!(file)?;
        }
        let lariat_fingerprint = fingerprint(&fs::read(&lariat)?);
        let has_tcc = output_of(Command::new("tcc").arg("-v")).is_ok();
        Ok(Counts { workspace, lariat, lariat_fingerprint, known, file, has_tcc, repeat, reused: 0 })
    }

    /// The count, or why there is none.
    pub fn count(
        &mut self,
        question: &Question,
        program: Program,
        table: Table,
        reduces: bool,
    ) -> Result<Result<Count, String>> {
        let text = fs::read(self.workspace.path(&question.file)).with_context(|| question.file.clone())?;
        let what = format!("{} {} {table:?} {reduces}", question.name(), program.name());
        let depends_on = if program == Program::Lariat { self.lariat_fingerprint } else { 0 };
        let fingerprint = fingerprint(&(&what, text, depends_on));
        if let Some(outcome) = self.known.get(&fingerprint) {
            self.reused += 1;
            return Ok(outcome.clone());
        }
        let outcome = match program {
            Program::Lariat => self.ours(question, table, reduces)?,
            Program::Pan => self.theirs(question, table, reduces),
        };
        let line = Line { fingerprint, what, outcome: outcome.clone() };
        writeln!(self.file, "{}", serde_json::to_string(&line)?)?;
        Ok(outcome)
    }

    fn ours(&self, question: &Question, table: Table, reduces: bool) -> Result<Result<Count, String>> {
        let mut command = Command::new(&self.lariat);
        command.current_dir(&self.workspace.root);
        match &question.asks {
            Asks::States => command.args(["explore", &question.file, "--threads", "1"]),
            Asks::Property(name) => {
                command.args(["check", &question.file, "--property", name, "--threads", "1"])
            }
        };
        command.arg(if reduces { "--reduce" } else { "--no-reduce" });
        command.args(table.options(Program::Lariat).split_whitespace());
        let (seconds, memory) = (format!("{SECONDS}s"), format!("{GIGABYTES}G"));
        command.args(["--format", "json", "--timeout", &seconds, "--max-memory", &memory]);
        let mut best: Option<Count> = None;
        for _ in 0..self.repeat {
            let count = match our_count(&measure_any(&command)?) {
                Ok(count) => count,
                Err(reason) => return Ok(Err(reason)),
            };
            if best.is_some_and(|best| best.states != count.states) {
                bail!("{}: the same command counts different states", question.name());
            }
            let least = |one: f64, other: Option<f64>| other.map_or(one, |other| one.min(other));
            best = Some(Count {
                states: count.states,
                search_seconds: least(count.search_seconds, best.map(|best| best.search_seconds)),
                seconds: least(count.seconds, best.map(|best| best.seconds)),
            });
            if table != Table::Plain || !(MEASURABLE..LONG).contains(&count.seconds) {
                break;
            }
        }
        Ok(best.ok_or_else(|| "not run".to_string()))
    }

    /// Whatever goes wrong with Spin's programs is a reason to leave the question out, not to stop.
    fn theirs(&self, question: &Question, table: Table, reduces: bool) -> Result<Count, String> {
        let recipe = recipe(&question.asks, table, reduces);
        let directory = self.workspace.path(PLACE).join("pan");
        let _ = fs::remove_dir_all(&directory);
        let compiler = if self.has_tcc && question.states <= SMALL { "tcc" } else { "gcc" };
        let model = self.workspace.path(&question.file);
        let made = Pan::make_with(compiler, &recipe, &model, &[], directory.clone());
        let mut pan = made.map_err(|error| first_lines(&format!("{error:#}")))?;
        for depth in DEPTHS {
            pan.set_size(question.states, depth);
            let command = limited(&pan.command());
            let measured = measure_any(&command).map_err(|error| first_lines(&format!("{error:#}")))?;
            if measured.code == 124 {
                return Err(format!("more than {SECONDS} s"));
            }
            if pan::is_too_deep(&measured.output) {
                continue;
            }
            let explored = pan::read_report(&measured.output).map_err(|error| format!("{error:#}"))?;
            if question.asks != Asks::States && explored.errors > 0 {
                return Err("it finds an error, where the formula holds".to_string());
            }
            let seconds = measured.user_seconds;
            return Ok(Count { states: explored.states, search_seconds: seconds, seconds });
        }
        Err(format!("deeper than {}", DEPTHS[DEPTHS.len() - 1]))
    }
}

fn recipe(asks: &Asks, table: Table, reduces: bool) -> Recipe {
    let mut compiling = format!("-O1 -w -DMEMLIM={} -DVECTORSZ=4096", GIGABYTES * 1024);
    if !reduces {
        compiling.push_str(" -DNOREDUCE");
    }
    let running = match asks {
        Asks::States => {
            compiling.push_str(" -DSAFETY -DNOCLAIM");
            "-n -A -E -c0".to_string()
        }
        Asks::Property(name) if name == "never" || name == "acceptance" => "-n -a".to_string(),
        Asks::Property(name) => format!("-n -a -N {name}"),
    };
    Recipe::of(table.options(Program::Pan), &compiling, &running)
}

/// The same command, for a limited time.
fn limited(command: &Command) -> Command {
    let mut limited = Command::new("timeout");
    limited.arg(SECONDS.to_string()).arg(command.get_program()).args(command.get_args());
    limited.current_dir(command.get_current_dir().unwrap_or(Path::new(".")));
    limited
}

/// What our report says; or why the search was not complete.
fn our_count(measured: &Measured) -> Result<Count, String> {
    let line = measured.output.lines().next().unwrap_or_default();
    let Ok(report) = serde_json::from_str::<Value>(line) else {
        return Err(first_lines(&format!("exit code {}: {}", measured.code, measured.errors)));
    };
    if report["verdict"] != "holds" {
        return Err(format!("verdict {}, reason {}", report["verdict"], report["reason"]));
    }
    let states = report["states"]["stored"].as_u64().ok_or("the report does not count states")?;
    let part = |name: &str| report["seconds"][name].as_f64().unwrap_or_default();
    let seconds = measured.user_seconds;
    let search_seconds = (seconds - part("front_end") - part("compile")).max(0.0);
    Ok(Count { states, search_seconds, seconds })
}

fn first_lines(text: &str) -> String {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).take(2).collect::<Vec<_>>().join(" ")
}

fn fingerprint(what: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    what.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pan_is_told_what_is_asked() {
        let full = recipe(&Asks::States, Table::Plain, false);
        assert_eq!(full.spin, ["-o1", "-o2", "-o3"]);
        assert!(full.gcc.contains(&"-DNOREDUCE".to_string()) && full.gcc.contains(&"-DSAFETY".to_string()));
        let formula = recipe(&Asks::Property("p".to_string()), Table::Simplified, true);
        assert!(formula.spin.is_empty() && formula.pan.ends_with(&["-N".to_string(), "p".to_string()]));
        assert!(!formula.gcc.iter().any(|flag| flag == "-DNOREDUCE" || flag == "-DSAFETY"));
        let claim = recipe(&Asks::Property("never".to_string()), Table::Plain, true);
        assert_eq!(claim.pan, ["-n", "-a"]);
    }

    #[test]
    fn an_incomplete_search_is_no_count() {
        let measured = |output: &str| Measured {
            user_seconds: 2.0,
            system_seconds: 0.0,
            wall_seconds: 2.0,
            peak_kib: 1,
            code: 0,
            output: output.to_string(),
            errors: "no model\n".to_string(),
        };
        let whole = r#"{"verdict":"holds","states":{"stored":7},"seconds":{"front_end":0.5,"compile":0.25}}"#;
        let count = our_count(&measured(whole)).unwrap();
        assert_eq!(count, Count { states: 7, search_seconds: 1.25, seconds: 2.0 });
        assert!(our_count(&measured(r#"{"verdict":"unknown","states":{"stored":7}}"#)).is_err());
        assert!(our_count(&measured("")).unwrap_err().contains("no model"));
    }

    #[test]
    fn a_slow_program_is_stopped() {
        let command = limited(Command::new("./pan").arg("-n").current_dir("/"));
        assert_eq!(crate::workspace::shown(&command), format!("timeout {SECONDS} ./pan -n"));
        assert_eq!(command.get_current_dir(), Some(Path::new("/")));
    }
}
