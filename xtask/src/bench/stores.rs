//! `cargo xtask bench stores`: bytes a state and speed of all stores, beside the ways in which Spin's pan
//! keeps states, on the whole state spaces of the corpus's `speed.csv` and of `bench/engine.toml` that have a
//! million states and more.
//!
//! | ours | pan |
//! | --- | --- |
//! | `--store exact`, `tree`, `compact`, `bitstate` | as it comes, `-DCOLLAPSE`, `-DHC4`, `-DBITSTATE` with `-k3` |
//!
//! *Bytes a state* are those of everything beside the stack. Of ours, what the report counts: states, table,
//! what the model keeps; less what the search keeps for itself. Of pan, its total less what it says its stack
//! takes; its table (`-w`) has room for twice the states. The tables of both bitstates have 16 to 32 bits for
//! each state, the same number in both. Times are user times of the whole process, so that reading and
//! compiling the model is counted for ours and not for pan.
//!
//! *Coverage*: seven models of a million states and more, for which the table of `bitstate` is far too small.
//! Both get a table of the same size; what counts is how many states were seen, and how fast.
//!
//! *What is missed*: the first ten models of `speed.csv` in `bitstate`, with 4, 8 and 16 bits of
//! the table for each of their states; the share of states that was missed beside the one that the report
//! predicts. Which models and tables was settled before anything was measured.
//!
//! Every run is written down as it comes, in `bench/runs/stores/raw.csv`; a run that stands there is not done
//! again, unless `--anew` is given. So a campaign can be stopped and taken up again.

use super::engine::{public, suite};
use crate::measure::{Measured, measure_any};
use crate::pan::{Pan, Recipe};
use crate::record::{Machine, geometric_mean};
use crate::workspace::{Workspace, shown};
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use suite::Case;

const PLACE: &str = "bench/runs/stores";
const HEADING: &str = "case,way,user_s,system_s,peak_kib,states,transitions,bytes,depth\n";
const OURS: [&str; 4] = ["exact", "tree", "compact", "bitstate"];
const THEIRS: [(&str, &str); 4] =
    [("pan", ""), ("pan -DCOLLAPSE", "-DCOLLAPSE"), ("pan -DHC4", "-DHC4"), ("pan -DBITSTATE", "-DBITSTATE")];
const GCC: &str = "-O3 -march=native -w -DNOREDUCE -DSAFETY -DNOCLAIM -DMEMLIM=12288 -DVECTORSZ=4096";
/// Models for which a table of so many bytes (as a power of two) is small: one or two bits for each state.
/// The first is there because pan was quicker on it once.
const COVERAGE: [(&str, u32); 7] = [
    ("lamport/lamport.5", 18),
    ("lamport/lamport.6", 21),
    ("needham/needham.4", 21),
    ("sorter/sorter.4", 21),
    ("at/at.4", 20),
    ("fischer/fischer.6", 21),
    ("protocols/protocols.5", 21),
];
/// Cases with fewer states are left out: there fixed costs are most of what is measured.
const FEWEST_STATES: u64 = 1_000_000;
/// `--quick` leaves out cases with more.
const QUICK_STATES: u64 = 1_300_000;
/// Bits for each state that a table of bitstates has at least, where it is not to be too small.
const TABLE_BITS: u64 = 16;

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Part {
    /// Bytes a state and speed of all stores
    Sizes,
    /// Tables that are too small
    Coverage,
    /// What `bitstate` misses, and what it predicts
    Missed,
}

#[derive(clap::Args)]
pub struct Arguments {
    /// Only cases whose name contains this
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// Only cases with at most this many states
    #[arg(long, value_name = "STATES", default_value_t = u64::MAX)]
    limit: u64,
    /// How often each program runs; the best run counts
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    repeat: u32,
    /// Only the stores of ours, without pan
    #[arg(long)]
    ours: bool,
    /// Forget the runs that were written down
    #[arg(long)]
    anew: bool,
    /// Only this part (may be given several times)
    #[arg(long, value_enum)]
    part: Vec<Part>,
    /// Only the smaller cases: a look at everything in some minutes
    #[arg(long)]
    quick: bool,
}

impl Arguments {
    fn has(&self, part: Part) -> bool {
        self.part.is_empty() || self.part.contains(&part)
    }

    /// Whether bytes and speed of this case are measured.
    fn wants(&self, case: &Case) -> bool {
        let most = if self.quick { self.limit.min(QUICK_STATES) } else { self.limit };
        case.states.is_some_and(|states| (FEWEST_STATES..=most).contains(&states))
    }
}

/// A run, as it stands in the table.
#[derive(Clone, Debug, PartialEq)]
struct Row {
    case: String,
    way: String,
    user: f64,
    system: f64,
    peak_kib: u64,
    states: u64,
    transitions: u64,
    /// Beside the stack.
    bytes: u64,
    depth: u64,
}

impl Row {
    fn line(&self) -> String {
        let Row { case, way, user, system, peak_kib, states, transitions, bytes, depth } = self;
        format!("{case},{way},{user:.3},{system:.3},{peak_kib},{states},{transitions},{bytes},{depth}\n")
    }

    fn read(line: &str) -> Option<Row> {
        let [case, way, user, system, peak_kib, states, transitions, bytes, depth] =
            line.split(',').collect::<Vec<_>>().try_into().ok()?;
        Some(Row {
            case: case.to_string(),
            way: way.to_string(),
            user: user.parse().ok()?,
            system: system.parse().ok()?,
            peak_kib: peak_kib.parse().ok()?,
            states: states.parse().ok()?,
            transitions: transitions.parse().ok()?,
            bytes: bytes.parse().ok()?,
            depth: depth.parse().ok()?,
        })
    }

    fn a_state(&self) -> f64 {
        self.bytes as f64 / self.states.max(1) as f64
    }
}

struct Campaign<'a> {
    workspace: &'a Workspace,
    lariat: PathBuf,
    place: PathBuf,
    arguments: &'a Arguments,
    rows: Vec<Row>,
    refused: Vec<String>,
}

pub fn run(workspace: &Workspace, arguments: &Arguments) -> Result<bool> {
    let is_predicted = if arguments.has(Part::Missed) { missed(workspace)? } else { true };
    if arguments.part == [Part::Missed] {
        return Ok(is_predicted);
    }
    super::need_programs(&[("spin", "-V"), ("gcc", "--version")])?;
    let mut cases = public::speed_cases(workspace)?;
    cases.extend(suite::Suite::read(workspace)?.safety);
    cases.retain(|case| arguments.only.as_ref().is_none_or(|text| case.name().contains(text)));
    ensure!(!cases.is_empty(), "no case of that name");
    let lariat = workspace.build_lariat()?;
    let place = lariat.ancestors().nth(2).context("the target directory")?.join("bench").join("stores");
    let raw = workspace.path(format!("{PLACE}/raw.csv"));
    let known = if arguments.anew { String::new() } else { fs::read_to_string(&raw).unwrap_or_default() };
    let rows = known.lines().filter_map(Row::read).collect();
    fs::create_dir_all(workspace.path(PLACE))?;
    let load = Machine::load();
    let mut campaign = Campaign { workspace, lariat, place, arguments, rows, refused: Vec::new() };
    campaign.write_down()?;
    for case in cases.iter().filter(|case| arguments.has(Part::Sizes) && arguments.wants(case)) {
        eprintln!("{}", case.name());
        if let Err(error) = campaign.measure(case) {
            eprintln!("  {error:#}");
            campaign.refused.push(format!("{}: {error:#}", case.name()));
        }
    }
    for (name, bits) in COVERAGE {
        if arguments.has(Part::Coverage)
            && !arguments.quick
            && let Some(case) = cases.iter().find(|case| case.name() == name)
            && let Err(error) = campaign.cover(case, bits)
        {
            eprintln!("  {error:#}");
            campaign.refused.push(format!("coverage, {name}: {error:#}"));
        }
    }
    let (text, is_met) = report(&campaign.rows, &campaign.refused, &Machine::describe(load)?.text_as_list());
    print!("{text}");
    fs::write(workspace.path(format!("{PLACE}/report.md")), &text)?;
    Ok(is_met && is_predicted && campaign.refused.is_empty())
}

/// So many models, with so many bits of the table for each of their states.
const MISSED_MODELS: usize = 10;
const MISSED_BITS: [u64; 3] = [4, 8, 16];
/// With fewer states that are missed, chance decides.
const FEWEST_MISSED: f64 = 20.0;

/// Whether what is missed and what is predicted differ by a factor of two at the most, wherever there is
/// enough of it.
fn missed(workspace: &Workspace) -> Result<bool> {
    let lariat = workspace.build_lariat()?;
    let load = Machine::load();
    let (mut lines, mut usable, mut agree) = (String::new(), 0, 0);
    for case in public::speed_cases(workspace)?.iter().take(MISSED_MODELS) {
        let states = case.states.context("the number of states is known")?;
        for bits in MISSED_BITS {
            let mut command = Command::new(&lariat);
            command.args(["explore", &case.model, "--store", "bitstate", "--format", "json", "--table-size"]);
            command.arg((states * bits / 8).to_string());
            let measured = measure_any(command.current_dir(&workspace.root))?;
            let line = measured.output.lines().next().unwrap_or_default();
            let report: Value = serde_json::from_str(line).with_context(|| measured.errors.clone())?;
            let seen = report["states"]["stored"].as_u64().context("no number of states")?;
            let predicted = report["coverage"]["missed_share"].as_f64().context("no prediction")?;
            let share = 1.0 - seen as f64 / states as f64;
            let is_usable = predicted.max(share) * states as f64 >= FEWEST_MISSED;
            let agrees = share <= 2.0 * predicted && predicted <= 2.0 * share;
            usable += usize::from(is_usable);
            agree += usize::from(is_usable && agrees);
            let word = if !is_usable {
                "too few"
            } else if agrees {
                "yes"
            } else {
                "no"
            };
            let name = case.name();
            let _ = writeln!(lines, "| {name} | {bits} | {states} | {share:.6} | {predicted:.6} | {word} |");
            eprint!("{}", lines.lines().last().map_or(String::new(), |line| format!("{line}\n")));
        }
    }
    let text = format!(
        "# What `bitstate` misses\n\n{}\nThe share of states that was missed, beside the one predicted in the same \
         run. `bench/README.md` says what is measured. Within a factor of two: {agree} of {usable} runs in which at \
         least {FEWEST_MISSED} states are missed.\n\n| model | bits a state | states | missed | predicted | within a \
         factor of two |\n| --- | --: | --: | --: | --: | :-: |\n{lines}",
        Machine::describe(load)?.text_as_list()
    );
    print!("{text}");
    fs::create_dir_all(workspace.path(PLACE))?;
    fs::write(workspace.path(format!("{PLACE}/missed.md")), &text)?;
    Ok(agree == usable)
}

impl Campaign<'_> {
    fn write_down(&self) -> Result<()> {
        let text: String = self.rows.iter().map(Row::line).collect();
        Ok(fs::write(self.workspace.path(format!("{PLACE}/raw.csv")), HEADING.to_string() + &text)?)
    }

    fn runs(&self, case: &Case, way: &str) -> u32 {
        let name = case.name().replace(',', " ");
        self.rows.iter().filter(|row| row.case == name && row.way == way).count() as u32
    }

    fn note(&mut self, row: Row) -> Result<()> {
        eprintln!(
            "  {:16} user {:7.2}  {:6.2} bytes a state  {} states",
            row.way,
            row.user,
            row.a_state(),
            row.states
        );
        self.rows.push(row);
        self.write_down()
    }

    /// All ways that are missing, in turns.
    fn measure(&mut self, case: &Case) -> Result<()> {
        let mut depth = None;
        let mut pans: Vec<(String, Pan)> = Vec::new();
        for round in 0..self.arguments.repeat {
            for store in OURS {
                if self.runs(case, store) <= round {
                    let table = (table_of(case.states.unwrap_or(0)) / 8).to_string();
                    let more = if store == "bitstate" { &["--table-size", &table][..] } else { &[] };
                    let row = self.ours(case, store, store, more)?;
                    self.note(row)?;
                }
            }
            for (way, flag) in THEIRS {
                if self.arguments.ours || self.runs(case, way) > round {
                    continue;
                }
                if !pans.iter().any(|(name, _)| name == way) {
                    let pan = self.pan(case, flag, &mut depth)?;
                    pans.push((way.to_string(), pan));
                }
                let pan = pans.iter().find(|(name, _)| name == way).map(|(_, pan)| pan);
                let mut command = pan.context("it was made")?.command();
                if flag == "-DBITSTATE" {
                    // What comes later counts.
                    command.arg(format!("-w{}", table_of(case.states.unwrap_or(0)).ilog2()));
                }
                let row = theirs(case, way, &command)?;
                self.note(row)?;
            }
        }
        let states = case.states.unwrap_or(0);
        let name = case.name().replace(',', " ");
        for row in self.rows.iter().filter(|row| row.case == name) {
            let is_exact = ["exact", "tree", "pan", "pan -DCOLLAPSE"].contains(&&*row.way);
            ensure!(
                !is_exact || row.states == states,
                "{}: {} states, expected {states}",
                row.way,
                row.states
            );
        }
        Ok(())
    }

    /// Both in tables of the same size, which is too small.
    fn cover(&mut self, case: &Case, bits: u32) -> Result<()> {
        let bytes = 1u64 << bits;
        for round in 0..self.arguments.repeat {
            if self.runs(case, "small bitstate") <= round {
                let table = bytes.to_string();
                let row = self.ours(case, "small bitstate", "bitstate", &["--table-size", &table]);
                self.note(row?)?;
            }
            if !self.arguments.ours && self.runs(case, "small pan") <= round {
                let mut depth = None;
                let pan = self.pan(case, "-DBITSTATE", &mut depth)?;
                let mut command = pan.command();
                command.arg(format!("-w{}", bits + 3));
                let row = theirs(case, "small pan", &command)?;
                self.note(row)?;
            }
        }
        Ok(())
    }

    fn pan(&self, case: &Case, flag: &str, depth: &mut Option<u64>) -> Result<Pan> {
        let directory = self.place.join(case.name().replace([' ', '/', '='], "_")).join(format!("pan{flag}"));
        let k = if flag == "-DBITSTATE" { " -k3" } else { "" };
        let recipe = Recipe::of("-o1 -o2 -o3", &format!("{GCC} {flag}"), &format!("-n -A -E -c0{k}"));
        let mut pan = Pan::make(&recipe, &self.workspace.path(&case.model), &case.macros, directory)?;
        let states = case.states.context("the number of states is known")?;
        let known = depth.or_else(|| {
            let name = case.name().replace(',', " ");
            self.rows.iter().find(|row| row.case == name && row.way == "pan").map(|row| row.depth)
        });
        match known {
            Some(depth) => pan.set_size(states, depth + 1000),
            None => {
                pan.fit(Some(states))?;
                *depth = Some(pan.run()?.1.depth);
            }
        }
        Ok(pan)
    }

    fn ours(&self, case: &Case, way: &str, store: &str, more: &[&str]) -> Result<Row> {
        let mut command = Command::new(&self.lariat);
        command
            .args(["explore", &case.model, "--store", store, "--threads", "1", "--format", "json"])
            .args(more);
        for definition in &case.macros {
            command.args(["-D", definition]);
        }
        let measured = measure_any(command.current_dir(&self.workspace.root))?;
        let line = measured.output.lines().next().unwrap_or_default();
        let report: Value = serde_json::from_str(line).with_context(|| measured.errors.clone())?;
        // A lossy store never says that something holds; a limit says that it is one.
        let reason = report["reason"].as_str().unwrap_or_default();
        ensure!(!reason.contains("limit"), "{}: {reason}", shown(&command));
        let number = |value: &Value| value.as_u64().with_context(|| format!("a number is missing: {line}"));
        let memory = &report["memory"];
        let all = number(&memory["states_bytes"])? + number(&memory["auxiliary_bytes"])?;
        Ok(Row {
            bytes: all - number(&memory["search_bytes"])?,
            states: number(&report["states"]["stored"])?,
            transitions: number(&report["transitions"])?,
            depth: number(&report["depth"])?,
            ..measured_row(case, way, &measured)
        })
    }
}

/// Bits of a table for so many states, of both bitstates: pan's is a power of two.
fn table_of(states: u64) -> u64 {
    (states * TABLE_BITS).next_power_of_two()
}

fn measured_row(case: &Case, way: &str, measured: &Measured) -> Row {
    Row {
        case: case.name().replace(',', " "),
        way: way.to_string(),
        user: measured.user_seconds,
        system: measured.system_seconds,
        peak_kib: measured.peak_kib,
        states: 0,
        transitions: 0,
        bytes: 0,
        depth: 0,
    }
}

fn theirs(case: &Case, way: &str, command: &Command) -> Result<Row> {
    let measured = measure_any(command)?;
    let explored = crate::pan::read_report(&measured.output).with_context(|| shown(command))?;
    Ok(Row {
        bytes: bytes_beside_the_stack(&measured.output).context("pan does not say what it takes")?,
        states: explored.states,
        transitions: explored.transitions,
        depth: explored.depth,
        ..measured_row(case, way, &measured)
    })
}

/// Pan prints mebibytes, with three digits behind the point.
fn bytes_beside_the_stack(report: &str) -> Option<u64> {
    let of = |words: &str| {
        let line = report.lines().find(|line| line.contains(words))?;
        line.split_whitespace().next()?.parse::<f64>().ok()
    };
    let mebibytes = of("total actual memory usage")? - of("memory used for DFS stack").unwrap_or(0.0);
    Some((mebibytes.max(0.0) * 1024.0 * 1024.0) as u64)
}

/// The best of the runs of a case.
fn best<'r>(rows: &'r [Row], case: &str, way: &str) -> Option<&'r Row> {
    let found = rows.iter().filter(|row| row.case == case && row.way == way);
    found.min_by(|a, b| a.user.total_cmp(&b.user))
}

/// The case with the greatest figure.
fn worst<'c>(cases: &[&'c str], figure: impl Fn(&str) -> Option<f64>) -> Option<(f64, &'c str)> {
    let figures = cases.iter().filter_map(|case| Some((figure(case)?, *case)));
    figures.max_by(|a, b| a.0.total_cmp(&b.0))
}

/// The text, and whether all demands are met that there are figures for.
fn report(rows: &[Row], refused: &[String], machine: &str) -> (String, bool) {
    let mut cases: Vec<&str> = Vec::new();
    for row in rows {
        if !cases.contains(&&*row.case) {
            cases.push(&row.case);
        }
    }
    let large: Vec<&str> = cases
        .iter()
        .copied()
        .filter(|case| best(rows, case, "exact").is_some_and(|row| row.states >= 1_000_000))
        .collect();
    let ratio = |case: &str, a: &str, b: &str, of: fn(&Row) -> f64| {
        Some(of(best(rows, case, a)?) / of(best(rows, case, b)?))
    };
    let mut text = format!(
        "# Stores\n\n{machine}\nBest of the runs, user seconds. `bench/README.md` says what is measured.\n\n"
    );
    let mut is_met = true;
    text.push_str("| demand | worst | case | met |\n| --- | --: | --- | :-: |\n");
    let demands = [
        (
            "tree, bytes a state from a million states on: at most 12",
            12.0,
            worst(&large, |case| Some(best(rows, case, "tree")?.a_state())),
        ),
        (
            "tree, time as a multiple of exact's: at most 1.25",
            1.25,
            worst(&large, |case| ratio(case, "tree", "exact", |row| row.user)),
        ),
        (
            "tree, bytes as a part of pan's: at most 1/7",
            1.0 / 7.0,
            worst(&large, |case| ratio(case, "tree", "pan", Row::a_state)),
        ),
        (
            "tree, bytes as a part of COLLAPSE's: at most 1/3",
            1.0 / 3.0,
            worst(&large, |case| ratio(case, "tree", "pan -DCOLLAPSE", Row::a_state)),
        ),
        (
            "compact, bytes a state from a million states on: at most 8",
            8.0,
            worst(&large, |case| Some(best(rows, case, "compact")?.a_state())),
        ),
        (
            "small bitstate, pan's states as a multiple of ours: at most 1",
            1.0,
            worst(&cases, |case| ratio(case, "small pan", "small bitstate", |row| row.states as f64)),
        ),
        (
            "small bitstate, time a state as a part of pan's: at most 1/2",
            0.5,
            worst(&cases, |case| {
                ratio(case, "small bitstate", "small pan", |row| row.user / row.states as f64)
            }),
        ),
    ];
    for (demand, bound, figure) in demands {
        let Some((figure, case)) = figure else { continue };
        is_met &= figure <= bound;
        let _ = writeln!(
            text,
            "| {demand} | {figure:.3} | {case} | {} |",
            if figure <= bound { "yes" } else { "no" }
        );
    }
    if !refused.is_empty() {
        let _ = writeln!(text, "\nNot compared:\n\n- {}", refused.join("\n- "));
    }
    let ways: Vec<&str> = OURS.into_iter().chain(THEIRS.map(|(way, _)| way)).collect();
    table(&mut text, "Bytes a state, beside the stack", &cases, &ways, |case, way| {
        Some(best(rows, case, way)?.a_state())
    });
    table(&mut text, "User seconds", &cases, &ways, |case, way| Some(best(rows, case, way)?.user));
    table(
        &mut text,
        "Tables that are too small: states",
        &cases,
        &["small bitstate", "small pan"],
        |case, way| Some(best(rows, case, way)?.states as f64),
    );
    table(
        &mut text,
        "Tables that are too small: user seconds",
        &cases,
        &["small bitstate", "small pan"],
        |case, way| Some(best(rows, case, way)?.user),
    );
    (text, is_met)
}

fn table(
    text: &mut String,
    title: &str,
    cases: &[&str],
    ways: &[&str],
    of: impl Fn(&str, &str) -> Option<f64>,
) {
    let cases: Vec<_> = cases.iter().filter(|case| ways.iter().any(|way| of(case, way).is_some())).collect();
    let _ = writeln!(
        text,
        "\n## {title}\n\n| model | {} |\n| --- |{}",
        ways.join(" | "),
        " --: |".repeat(ways.len())
    );
    for case in &cases {
        let figures =
            ways.iter().map(|way| of(case, way).map_or("–".to_string(), |figure| format!("{figure:.2}")));
        let _ = writeln!(text, "| {case} | {} |", figures.collect::<Vec<_>>().join(" | "));
    }
    let means = ways.iter().map(|way| {
        let figures: Vec<f64> = cases.iter().filter_map(|case| of(case, way)).collect();
        if figures.is_empty() {
            "–".to_string()
        } else {
            format!("{:.2}", geometric_mean(figures.into_iter()))
        }
    });
    let _ = writeln!(text, "| *geometric mean* | {} |", means.collect::<Vec<_>>().join(" | "));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(case: &str, way: &str, user: f64, bytes: u64) -> Row {
        Row {
            case: case.to_string(),
            way: way.to_string(),
            user,
            system: 0.5,
            peak_kib: 7,
            states: 2_000_000,
            transitions: 9,
            bytes,
            depth: 3,
        }
    }

    #[test]
    fn rows_read_back() {
        let row = row("a/b N=3", "pan -DHC4", 1.25, 99);
        assert_eq!(Row::read(row.line().trim_end()), Some(row));
        assert_eq!(Row::read(HEADING.trim_end()), None);
    }

    #[test]
    fn memory_of_pan_is_read() {
        let report = "   45.776\tequivalent memory usage for states\n    8.000\tmemory used for hash table (-w20)\n\
                      \x20   0.534\tmemory used for DFS stack (-m10000)\n   20.534\ttotal actual memory usage\n";
        assert_eq!(bytes_beside_the_stack(report), Some(20 << 20));
        assert_eq!(bytes_beside_the_stack("nothing"), None);
    }

    #[test]
    fn tables_have_room() {
        for states in [1, 1_000_000, 1 << 20, 14_348_906] {
            let bits = table_of(states);
            assert!(bits.is_power_of_two() && (16 * states..32 * states).contains(&bits), "{states}: {bits}");
        }
    }

    #[test]
    fn demands_can_fail() {
        let rows = |tree: u64| {
            vec![
                row("a", "exact", 1.0, 40_000_000),
                row("a", "tree", 1.2, tree),
                row("a", "pan", 3.0, 200_000_000),
            ]
        };
        let (text, is_met) = report(&rows(20_000_000), &[], "");
        assert!(is_met && text.contains("| a | 20.00 | 10.00 | – |"), "{text}");
        assert!(!report(&rows(30_000_000), &[], "").1);
    }
}
