//! The part `formulas`: formulas that hold in large models of others, by `pan -a` and by Lariat, with one
//! thread and with two.
//!
//! The formulas are in `bench/formulas.toml`, in Promela's words; the models lie in the corpus beside the
//! repository. A model gets its formula as an `ltl` block at its end, so that both programs read the same
//! file. Speed beside pan is by user time and one thread; two threads beside one are compared by elapsed
//! time, which means something only on a machine that has nothing else to do, and by what they hold.

use super::compare::{self, Best, Row};
use super::ours::{self, Question};
use super::suite::Case;
use super::tables::mean;
use super::{Arguments, Bench};
use crate::record::Machine;
use crate::workspace::shown;
use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use std::fmt::Write;
use std::fs;
use std::path::Path;

const LIST: &str = "bench/formulas.toml";
/// So many times the speed of `pan -a` on the mean.
const DEMAND: f64 = 3.5;
/// So many times the speed of one thread, for two, on the mean.
const DEMAND_OF_TWO: f64 = 1.6;
/// And not slower on any; where one thread does it all (a strong automaton), times differ by so much.
const LEAST_OF_TWO: f64 = 0.95;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    formula: Vec<Formula>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Formula {
    /// Relative to the root.
    model: String,
    name: String,
    formula: String,
}

/// A case, and how long two threads took.
struct Measured {
    row: Row,
    two: Best,
}

impl Measured {
    /// How many times the speed of one thread.
    fn of_two(&self) -> f64 {
        self.row.lariat.wall / self.two.wall
    }

    /// How many times the memory of one thread.
    fn memory_of_two(&self) -> f64 {
        self.two.peak_mib / self.row.lariat.peak_mib
    }
}

/// Measures all of them; whether what is demanded is so.
pub fn run(bench: &mut Bench, arguments: &Arguments) -> Result<bool> {
    let text = fs::read_to_string(bench.workspace.path(LIST)).context(LIST)?;
    let list: List = toml::from_str(&text).context(LIST)?;
    let cases: Result<Vec<Case>> = list.formula.iter().map(|formula| case(bench, formula)).collect();
    let mut cases = cases?;
    cases.retain(|case| arguments.only.as_ref().is_none_or(|text| case.name().contains(text)));
    ensure!(!cases.is_empty(), "no case of that name");
    let load = Machine::load();
    let rows = bench.each("formulas", &cases, |bench, case| {
        let row = compare::search(bench, "formulas", case, None)?;
        let two = two_threads(bench, case, &row)?;
        Ok(Measured { row, two })
    });
    let text = heading(bench, &Machine::describe(load)?) + &table(&rows);
    print!("{text}");
    if arguments.only.is_none() {
        let (raw, commands) = (std::mem::take(&mut bench.raw), std::mem::take(&mut bench.commands));
        let files =
            [("formulas.md", &text), ("formulas-raw.csv", &raw), ("formulas-commands.txt", &commands)];
        bench.keep("engine-public", &files.map(|(name, text)| (name, text.as_str())))?;
    }
    Ok(bench.refused.is_empty() && is_met(&rows))
}

/// The model with the formula at its end, as a file.
fn case(bench: &Bench, formula: &Formula) -> Result<Case> {
    let Formula { model, name, formula } = formula;
    let text = fs::read_to_string(bench.workspace.path(model)).with_context(|| model.clone())?;
    let stem = Path::new(model).file_stem().unwrap_or_default().to_string_lossy();
    let directory = bench.place.join("formulas");
    fs::create_dir_all(&directory)?;
    let path = directory.join(format!("{stem}.{name}.pml"));
    fs::write(&path, format!("{text}\nltl {name} {{ {formula} }}\n"))?;
    let model = path.strip_prefix(&bench.workspace.root).unwrap_or(&path).to_string_lossy().into_owned();
    Ok(Case { model, macros: Vec::new(), property: Some(name.clone()), class: String::new(), states: None })
}

/// The same question with two threads: the same answer, or it is not compared.
fn two_threads(bench: &mut Bench, case: &Case, row: &Row) -> Result<Best> {
    let mut command = ours::command_for_threads(bench, case, Question::Check, 2);
    command.arg("--no-reduce");
    let _ = writeln!(bench.commands, "{}", shown(&command));
    let mut best = Best::NONE;
    for number in 1..=bench.repeat {
        let (measured, found) = ours::run(&command)?;
        bench.note(("formulas", case, number), "two", &measured, found.counts);
        let (one, two) = (row.ours.counts, found.counts);
        ensure!(
            found.holds && (one.states, one.transitions) == (two.states, two.transitions),
            "two threads count {} states and {} transitions, one counts {} and {}",
            two.states,
            two.transitions,
            one.states,
            one.transitions
        );
        best.take(&measured);
    }
    Ok(best)
}

fn is_met(rows: &[Measured]) -> bool {
    mean(rows, |case| case.row.ratio()) >= DEMAND
        && mean(rows, Measured::of_two) >= DEMAND_OF_TWO
        && rows.iter().all(|case| case.of_two() >= LEAST_OF_TWO)
}

fn heading(bench: &Bench, machine: &Machine) -> String {
    let mut text = format!(
        "# Formulas that hold in public models\n\n{}\nBest of {}. Beside `pan -a`: user seconds of the whole process, one thread. Two threads \
         beside one: elapsed seconds. Means are geometric. `bench/README.md` says what is measured.\n",
        machine.text_as_list(),
        bench.repeat
    );
    if !bench.refused.is_empty() {
        let _ = writeln!(text, "\nNot compared:\n\n- {}", bench.refused.join("\n- "));
    }
    text
}

fn table(rows: &[Measured]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let mut text = format!(
        "\nDemanded: {DEMAND} times `pan -a` on the mean; two threads {DEMAND_OF_TWO} times as fast as one on the mean, and slower on none. {}\n\n\
         | formula | algorithm | states, pan | states, lariat | pan | lariat | ratio | one thread | two | ratio | memory of two |\n\
         | --- | --- | --: | --: | --: | --: | --: | --: | --: | --: | --: |\n",
        if is_met(rows) { "Met." } else { "**Not met.**" }
    );
    for case in rows {
        let Measured { row, two } = case;
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} |",
            row.name,
            row.ours.algorithm,
            row.theirs.states,
            row.ours.counts.states,
            row.pan.user,
            row.lariat.user,
            row.ratio(),
            row.lariat.wall,
            two.wall,
            case.of_two(),
            case.memory_of_two(),
        );
    }
    let _ = writeln!(
        text,
        "| mean | | | | | | {:.2} | | | {:.2} | {:.2} |",
        mean(rows, |case| case.row.ratio()),
        mean(rows, Measured::of_two),
        mean(rows, Measured::memory_of_two),
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::engine::tables::tests::row;
    use crate::workspace::Workspace;

    #[test]
    fn there_are_twelve_formulas_with_names_of_their_own() {
        let text = fs::read_to_string(Workspace::here().path(LIST)).unwrap();
        let list: List = toml::from_str(&text).unwrap();
        let mut names: Vec<(&str, &str)> =
            list.formula.iter().map(|case| (case.model.as_str(), case.name.as_str())).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), 12);
    }

    #[test]
    fn demands_are_judged() {
        let case = |pan: f64, two: f64| {
            let mut row = row(pan, 1.0, 100);
            row.lariat.wall = 1.0;
            Measured { row, two: Best { wall: two, ..Best::NONE } }
        };
        assert!(is_met(&[case(4.0, 0.5), case(4.0, 0.6)]));
        assert!(!is_met(&[case(4.0, 0.5), case(3.0, 0.6)]));
        assert!(!is_met(&[case(4.0, 0.7)]));
        assert!(!is_met(&[case(4.0, 0.3), case(4.0, 1.1)]));
        let text = table(&[case(4.0, 0.5)]);
        assert!(text.contains("Met.") && text.contains("| 4.00 |") && text.contains("| 2.00 |"), "{text}");
    }
}
