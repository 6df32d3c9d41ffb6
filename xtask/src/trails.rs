//! `cargo xtask compare-trails`: trails that Lariat writes, replayed by Spin, and the other way round.
//!
//! The models and their properties come from the tables of known answers beside this repository (`truth.csv`
//! for safety, `ltl_truth.csv` for formulas and claims): those that are violated, in state spaces that are
//! small enough. Cycles without progress have no table; the models with progress labels are tried. For each,
//! Spin's verifier writes a trail as it does by default, with statements merged and reduced, and Lariat
//! writes one of the same property. Each is followed by both programs, and the states at the end are
//! compared: what every variable and channel holds, and where each process is.

use crate::workspace::{Workspace, output_of};
use anyhow::{Context, Result, bail, ensure};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

#[derive(clap::Args)]
pub struct Arguments {
    /// Where the models and the tables are
    #[arg(long, value_name = "DIR", default_value = "../shared/corpus/promela")]
    models: PathBuf,
    /// Only models with at most so many states
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    most_states: u64,
    /// Stop after so many of each kind: safety, formulas and claims, progress
    #[arg(long, value_name = "N", default_value_t = 20)]
    count: usize,
    /// Only models whose name contains this
    #[arg(long, value_name = "TEXT", default_value = "")]
    only: String,
}

/// What is violated.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Safety,
    Claim(String),
    Progress,
}

/// Where everything stands, as far as both programs say it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct End {
    /// Variables of blocks side by side may share a name.
    values: BTreeMap<String, BTreeSet<String>>,
    /// Of each process its name and what Spin calls its state.
    processes: BTreeMap<u32, (String, u32)>,
}

pub fn run(workspace: &Workspace, arguments: &Arguments) -> Result<bool> {
    let lariat = workspace.build_lariat()?;
    let models = fs::canonicalize(workspace.path(&arguments.models)).context("the models are not there")?;
    let work = workspace.path("target/compare-trails");
    let mut well = true;
    for (title, cases) in cases(&models, arguments)? {
        let (mut tried, mut ours, mut theirs) = (0, 0, 0);
        for (file, kind) in cases {
            if tried == arguments.count {
                break;
            }
            let directory = work.join(format!("{tried}-{title}"));
            let _ = fs::remove_dir_all(&directory);
            fs::create_dir_all(&directory)?;
            let case = Case { lariat: &lariat, directory, model: models.join(&file), kind };
            match case.compare() {
                Ok(None) => {}
                Ok(Some([our, their])) => {
                    tried += 1;
                    ours += usize::from(our.is_empty());
                    theirs += usize::from(their.is_empty());
                    for (whose, found) in [("Lariat's", our), ("Spin's", their)] {
                        for difference in found {
                            well = false;
                            println!("{file} ({:?}), {whose} trail: {difference}", case.kind);
                        }
                    }
                }
                Err(error) => println!("{file} ({:?}): left out: {error:#}", case.kind),
            }
        }
        println!(
            "{title}: of {tried} trails each, {ours} of Lariat's and {theirs} of Spin's end in the same state"
        );
    }
    Ok(well)
}

type Cases = Vec<(String, Kind)>;

fn cases(models: &Path, arguments: &Arguments) -> Result<Vec<(&'static str, Cases)>> {
    let table = |name: &str| -> Result<Vec<Vec<String>>> {
        let text = fs::read_to_string(models.join(name)).with_context(|| name.to_string())?;
        Ok(text.lines().skip(1).map(|line| line.split(',').map(String::from).collect()).collect())
    };
    let wanted = |file: &str, states: &str| {
        let states: u64 = states.parse().unwrap_or(u64::MAX);
        states <= arguments.most_states && file.contains(&arguments.only)
    };
    let (mut safety, mut claims, mut progress) = (Vec::new(), Vec::new(), BTreeSet::new());
    for row in table("truth.csv")? {
        let [file, states, _, _, verdict, ..] = &row[..] else { continue };
        if !wanted(file, states) {
            continue;
        }
        if verdict == "violated" {
            safety.push((file.clone(), Kind::Safety));
        }
        let text = fs::read(models.join(file)).unwrap_or_default();
        if String::from_utf8_lossy(&text).contains("progress") {
            progress.insert(file.clone());
        }
    }
    for row in table("ltl_truth.csv")? {
        let [file, property, verdict, states, ..] = &row[..] else { continue };
        if verdict == "violated" && wanted(file, states) {
            claims.push((file.clone(), Kind::Claim(property.clone())));
        }
    }
    let progress = progress.into_iter().map(|file| (file, Kind::Progress)).collect();
    Ok(vec![("safety", safety), ("claims", claims), ("progress", progress)])
}

struct Case<'l> {
    lariat: &'l Path,
    directory: PathBuf,
    model: PathBuf,
    kind: Kind,
}

impl Case<'_> {
    /// The differences on our trail and on Spin's; `None` if one of the two programs finds no violation.
    fn compare(&self) -> Result<Option<[Vec<String>; 2]>> {
        let name = self.model.file_name().context("a name")?.to_string_lossy().into_owned();
        crate::pan::copy_with_includes(&self.model, &self.directory)?;
        let _ = fs::remove_file(self.directory.join("ours.trail"));
        let mut check = Command::new(self.lariat);
        check.args(["check", &name, "--trail", "ours.trail", "--timeout", "20", "--no-reduce"]);
        match &self.kind {
            Kind::Safety => check.arg("--safety"),
            Kind::Claim(property) => check.args(["--property", property]),
            Kind::Progress => check.args(["--property", "non-progress"]),
        };
        let output = check.current_dir(&self.directory).output()?;
        if output.status.code() != Some(1) {
            return Ok(None);
        }
        ensure!(self.directory.join("ours.trail").exists(), "Lariat wrote no trail");
        let Some(theirs) = self.verifier(&name)? else { return Ok(None) };
        let ours = self.both(&name, "ours.trail")?;
        let theirs = self.both(&name, &theirs)?;
        Ok(Some([ours, theirs]))
    }

    /// Lets Spin's verifier write a trail; `None` if it finds nothing.
    fn verifier(&self, name: &str) -> Result<Option<String>> {
        let (compile, run): (&[&str], Vec<&str>) = match &self.kind {
            Kind::Safety => (&["-DSAFETY", "-DNOCLAIM"], vec![]),
            Kind::Claim(claim) if claim == "never" => (&[], vec!["-a"]),
            Kind::Claim(claim) => (&[], vec!["-a", "-N", claim]),
            Kind::Progress => (&["-DNP", "-DNOCLAIM"], vec!["-l"]),
        };
        let here = |program: &str| {
            let mut command = Command::new(program);
            command.current_dir(&self.directory);
            command
        };
        output_of(here("spin").args(["-a", name]))?;
        output_of(here("gcc").args(["-O1", "-w", "-DMEMLIM=4096", "-o", "pan", "pan.c"]).args(compile))?;
        here("./pan").args(run).args(["-m1000000", "-Q1"]).output()?;
        let trail = format!("{name}.trail");
        Ok(self.directory.join(&trail).exists().then_some(trail))
    }

    /// Follows a trail with both programs; what is different at the end.
    fn both(&self, name: &str, trail: &str) -> Result<Vec<String>> {
        let mut spin = Command::new("spin");
        let spin = spin.args(["-t", "-p", "-g", "-l", "-k", trail, name]).current_dir(&self.directory);
        let theirs = String::from_utf8_lossy(&spin.output()?.stdout).into_owned();
        let mut lariat = Command::new(self.lariat);
        lariat.args(["simulate", name, "--trail", trail]).current_dir(&self.directory);
        let output = lariat.output()?;
        let ours = String::from_utf8_lossy(&output.stdout).into_owned();
        if output.status.code() == Some(3) {
            return Ok(vec![String::from_utf8_lossy(&output.stderr).trim().to_string()]);
        }
        for lost in ["no matching stmnt", "stop error", "invalid statement", "transition failed"] {
            if theirs.contains(lost) {
                return Ok(vec![format!("Spin says `{lost}`")]);
            }
        }
        Ok(differences(&end(&ours, "stopped after")?, &end(&theirs, "spin: trail ends after")?))
    }
}

/// What each says of the state at the end. Spin leaves some variables out, and channels that are empty.
fn differences(ours: &End, theirs: &End) -> Vec<String> {
    let mut found = Vec::new();
    if ours.processes != theirs.processes {
        found.push(format!("processes: {:?} here, {:?} in Spin", ours.processes, theirs.processes));
    }
    for (name, value) in &theirs.values {
        // Spin takes a label that a property mentions for a variable, too.
        let Some(own) = ours.values.get(name) else { continue };
        // Of a constant (`mtype`) it often shows the number.
        let is_number = |value: &&String| value.parse::<i64>().is_ok();
        let symbols =
            own.iter().all(|value| !is_number(&value)) && value.iter().all(|value| is_number(&value));
        if own != value && !symbols {
            found.push(format!("{name} is {own:?} here, {value:?} in Spin"));
        }
    }
    found
}

/// Spin shows truth as a number.
fn plain(value: &str) -> &str {
    match value {
        "false" => "0",
        "true" => "1",
        value => value,
    }
}

/// Reads the state behind a line that begins so.
fn end(text: &str, begins: &str) -> Result<End> {
    let lines: Vec<&str> = text.lines().collect();
    let Some(start) = lines.iter().rposition(|line| line.starts_with(begins)) else {
        bail!("there is no state at the end:\n{}", lines[lines.len().saturating_sub(3)..].join("\n"));
    };
    let mut end = End::default();
    for line in &lines[start + 1..] {
        let words = line.trim();
        if let Some((name, value)) = words.split_once(" = ") {
            end.values.entry(name.to_string()).or_default().insert(plain(value).to_string());
        } else if words.starts_with("queue ") {
            let (name, value) = words.split_once("): ").unwrap_or((words, ""));
            let value = if value.trim() == "[]" { "" } else { value.trim() };
            let name = name.split_once(" (").map_or(name, |(_, name)| name).trim_end_matches("):");
            end.values.entry(format!("queue {name}")).or_default().insert(value.to_string());
        } else if let Some((_, rest)) = words.split_once("proc ") {
            let Some((pid, rest)) = rest.trim_start().split_once(' ') else { continue };
            // The claim has no number.
            let Ok(pid) = pid.parse() else { continue };
            let process = rest.trim_start_matches('(').rsplit_once(") ").map_or(rest, |(head, _)| head);
            let process = process.split(')').next().unwrap_or(process);
            let process = process.rsplit_once(':').map_or(process, |(process, _)| process);
            let state = rest.split_once("(state ").and_then(|(_, state)| state.split(')').next());
            let state = state.and_then(|state| state.parse().ok()).context("a state has a number")?;
            end.processes.insert(pid, (process.to_string(), state));
        }
    }
    Ok(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OURS: &str = "stopped after 2 steps: the trail ends here\n#processes: 1\n\t\tx = 4\n\t\tc = 1\n\t\tqueue 1 (c): []\n  2:\tproc  0 (P:1) a.pml:4 (state 11)\n\t\tP(0):l = 4\n";
    const THEIRS: &str = "spin: trail ends after 14 steps\n#processes: 1\n\t\tx = 4\n\t\tqueue 2 (c): \n 14:\tproc  0 (P:1) a.pml:4 (state 11) <valid end state>\n2 processes created\n";

    #[test]
    fn states_at_the_end_are_compared() {
        let (ours, theirs) = (end(OURS, "stopped").unwrap(), end(THEIRS, "spin: trail").unwrap());
        assert_eq!(ours.processes[&0], ("P".to_string(), 11));
        assert_eq!(differences(&ours, &theirs), Vec::<String>::new());
        let other =
            end(&THEIRS.replace("x = 4", "x = 5").replace("state 11", "state 12"), "spin: trail").unwrap();
        assert_eq!(differences(&ours, &other).len(), 2);
        assert!(end("nothing", "spin").is_err());
    }
}
