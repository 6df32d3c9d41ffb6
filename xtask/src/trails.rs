//! `cargo xtask compare-trails`: trails that Lariat writes, replayed by Spin, and the other way round.
//!
//! The models and their properties come from the tables of known answers beside this repository (`truth.csv`
//! for safety, `ltl_truth.csv` for formulas and claims): those that are violated, in state spaces that are
//! small enough. Cycles without progress have no table; the models with progress labels are tried. For each,
//! Spin's verifier writes a trail as it does by default, with statements merged and reduced, and Lariat
//! writes one of the same property. Each is followed by both programs, and the states at the end are
//! compared: what every variable and channel holds, and where each process is.
//!
//! Three habits of Spin's replay are known, and are no differences ([`Facts`]). It takes jumps at once, where
//! here a process that may not go on rests at the jump. It looks up the name of a constant in the first
//! `mtype`, whichever it is of. And where it cannot find the claim of a trail (that of cycles without
//! progress), it lets `run` give numbers that are one too high, not those of its own list of processes.
//!
//! Spin's replay does not look whether the claim may move as a trail says. `pan -r` does: so our trails
//! of formulas and claims are followed by a verifier, too.

use crate::workspace::{Workspace, output_of};
use anyhow::{Context, Result, bail, ensure};
use std::collections::{BTreeMap, BTreeSet, HashMap};
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
        let facts = Facts::of(&output_of(
            Command::new(self.lariat).args(["info", "--ir", &name]).current_dir(&self.directory),
        )?);
        let mut ours = self.both(&name, "ours.trail", &facts)?;
        let theirs = self.both(&name, &theirs, &facts)?;
        // Accept labels of processes need no claim.
        if matches!(&self.kind, Kind::Claim(claim) if claim != "acceptance") {
            ours.extend(self.refused_by_verifier(&name)?);
        }
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

    /// Lets a verifier that merges nothing follow our trail, with the claim; what it does not follow.
    fn refused_by_verifier(&self, name: &str) -> Result<Option<String>> {
        let here = self.directory.join("claim");
        fs::create_dir_all(&here)?;
        let model = self.directory.join(name);
        output_of(Command::new("spin").args(["-o1", "-o2", "-o3", "-a"]).arg(&model).current_dir(&here))?;
        // What a model promises of its channels is not what is asked here.
        let gcc = ["-O1", "-w", "-DXUSAFE", "-o", "pan", "pan.c"];
        output_of(Command::new("gcc").args(gcc).current_dir(&here))?;
        fs::copy(self.directory.join("ours.trail"), here.join("pan.trail"))?;
        let trail = fs::read_to_string(self.directory.join("ours.trail"))?;
        let last = trail.lines().rev().find_map(|line| line.split(':').next()?.parse::<i64>().ok());
        let mut follow = Command::new("./pan");
        if let Kind::Claim(claim) = &self.kind
            && claim != "never"
        {
            follow.args(["-N", claim]);
        }
        let said = follow.args(["-r", "pan.trail"]).current_dir(&here).output()?;
        let said = String::from_utf8_lossy(&said.stdout).into_owned();
        let end = format!("trail ends after {} steps", last.unwrap_or(0));
        Ok(if !trail.starts_with("-2:") {
            Some("the claim does not move".to_string())
        } else if said.contains("Recovered at state") || !said.contains(&end) {
            Some(format!("`pan -r` does not follow it to the end ({end}); see {}", here.display()))
        } else {
            None
        })
    }

    /// Follows a trail with both programs; what is different at the end.
    fn both(&self, name: &str, trail: &str, facts: &Facts) -> Result<Vec<String>> {
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
        let claim_is_lost = theirs.contains("spin: couldn't find claim");
        let (ours, theirs) = (end(&ours, "stopped after")?, end(&theirs, "spin: trail ends after")?);
        Ok(differences(&ours, &theirs, facts, claim_is_lost))
    }
}

/// What the intermediate form of a model says of what Spin's replay shows otherwise.
#[derive(Default)]
struct Facts {
    /// Places at which there is nothing but a jump, by the name of the process type, and where it leads to.
    jumps: HashMap<(String, u32), u32>,
    /// The numbers of a constant's name; several lists may have it.
    symbols: HashMap<String, BTreeSet<usize>>,
    /// Variables that get the number of a new process.
    numbers: BTreeSet<String>,
}

impl Facts {
    fn of(text: &str) -> Facts {
        let mut facts = Facts::default();
        let (mut process, mut location, mut is_first) = (String::new(), None, true);
        let quoted = |line: &str| line.split('"').nth(1).map(str::to_string);
        for line in text.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            match words[..] {
                ["symbols", ..] => {
                    let names = line.split('"').skip(1).step_by(2);
                    for (number, name) in names.enumerate() {
                        facts.symbols.entry(name.to_string()).or_default().insert(number);
                    }
                }
                ["process", ..] => process = quoted(line).unwrap_or_default(),
                ["statement", ..] => {
                    let variable =
                        quoted(line).and_then(|text| Some(text.split_once(" = run ")?.0.to_string()));
                    facts.numbers.extend(variable);
                }
                ["location", number, ..] => (location, is_first) = (number.parse::<u32>().ok(), true),
                ["->", target, ..] => {
                    let text = line.split_once("; ").map_or("", |(_, text)| text);
                    let jumps = text == ".(goto)" || text == "break" || text.starts_with("goto ");
                    let (Some(from), Ok(target)) = (location, target.parse()) else { continue };
                    match jumps && words.contains(&"skip") && is_first {
                        true => facts.jumps.insert((process.clone(), from), target),
                        false => facts.jumps.remove(&(process.clone(), from)),
                    };
                    is_first = false;
                }
                _ => {}
            }
        }
        facts
    }

    /// Behind the jumps at which a process stands.
    fn behind_jumps(&self, (name, place): &(String, u32)) -> (String, u32) {
        let mut at = *place;
        for _ in 0..self.jumps.len() {
            let Some(target) = self.jumps.get(&(name.clone(), at)) else { break };
            at = *target;
        }
        (name.clone(), at)
    }

    fn is_same(&self, name: &str, own: &str, other: &str, claim_is_lost: bool) -> bool {
        let numbers = |symbol: &str| self.symbols.get(symbol).cloned().unwrap_or_default();
        let bare = name.rsplit(':').next().unwrap_or(name);
        let is_next = || own.parse::<i64>().is_ok_and(|own| other.parse() == Ok(own + 1));
        own == other
            || !numbers(own).is_disjoint(&numbers(other))
            || claim_is_lost && self.numbers.contains(bare) && is_next()
    }
}

/// What each says of the state at the end. Spin leaves some variables out, and channels that are empty.
fn differences(ours: &End, theirs: &End, facts: &Facts, claim_is_lost: bool) -> Vec<String> {
    let mut found = Vec::new();
    let places = |end: &End| -> Vec<(u32, (String, u32))> {
        end.processes.iter().map(|(pid, place)| (*pid, facts.behind_jumps(place))).collect()
    };
    if places(ours) != places(theirs) {
        found.push(format!("processes: {:?} here, {:?} in Spin", ours.processes, theirs.processes));
    }
    for (name, value) in &theirs.values {
        // Spin takes a label that a property mentions for a variable, too.
        let Some(own) = ours.values.get(name) else { continue };
        // Of a constant (`mtype`) it often shows the number.
        let is_number = |value: &&String| value.parse::<i64>().is_ok();
        let symbols =
            own.iter().all(|value| !is_number(&value)) && value.iter().all(|value| is_number(&value));
        let single = own.len() == 1 && value.len() == 1;
        let pair = own.first().zip(value.first()).filter(|_| single);
        let same =
            own == value || pair.is_some_and(|(own, other)| facts.is_same(name, own, other, claim_is_lost));
        if !same && !symbols {
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
        let facts = Facts::default();
        assert_eq!(differences(&ours, &theirs, &facts, false), Vec::<String>::new());
        let other =
            end(&THEIRS.replace("x = 4", "x = 5").replace("state 11", "state 12"), "spin: trail").unwrap();
        assert_eq!(differences(&ours, &other, &facts, false).len(), 2);
        assert!(end("nothing", "spin").is_err());
    }

    #[test]
    fn habits_of_spin_are_known() {
        let facts = Facts::of(
            "symbols s0 \"\" \"two\" \"one\"\nsymbols s1 \"\" \"pear\" \"apple\"\nprocess p0 \"P\" start 1\n  \
             statement 1 \"id = run Q()\" line 0:1\n  location 11 line 0:1\n    -> 12 #11 skip  ; .(goto)\n  \
             location 12 line 0:1\n    -> 13 #12 keeps_control skip  ; goto a\n  location 13 line 0:2\n    \
             -> 14 #13 skip  ; (1)\n  location 14 line 0:2\n    -> 15 #14 when 1  ; (1)\n    -> 16 #15 skip  ; break\n  location 15 line 0:2\n    -> 16 #15 skip  ; break\n    -> 14 #14 when 1  ; (1)\n",
        );
        let at = |place| facts.behind_jumps(&("P".to_string(), place)).1;
        assert_eq!([at(11), at(12), at(13), at(14), at(15)], [13, 13, 13, 14, 15]);
        assert!(facts.is_same("x", "apple", "one", false) && !facts.is_same("x", "apple", "two", false));
        assert!(facts.is_same("P(0):id", "4", "5", true) && !facts.is_same("P(0):id", "4", "5", false));
        assert!(!facts.is_same("x", "4", "5", true) && !facts.is_same("id", "5", "4", true));
    }
}
