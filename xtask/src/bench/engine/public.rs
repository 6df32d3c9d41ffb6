//! The parts `public` and `public-small`: models that nobody here wrote, from the corpus beside the
//! repository.
//!
//! `public` measures the models of `speed.csv`, which lists them with their states and a size, `large` or
//! `middle`; they are searched as in the part `search`. `public-small` takes those of `truth.csv` with fewer
//! than [`SMALL`] states from text to verdict, once each, because there are hundreds. Both are kept by
//! themselves, in `bench/runs/engine-public/`, and run only when they are asked for by name.

use super::compare::{self, Row};
use super::suite::Case;
use super::tables::{mean, memory_table, verdicts_table};
use super::verdicts;
use super::{Arguments, Bench, Counts};
use crate::record::Machine;
use crate::workspace::Workspace;
use anyhow::{Context, Result, bail, ensure};
use std::fmt::Write;
use std::fs;

const CORPUS: &str = "../shared/corpus";
const SMALL: u64 = 100_000;
const SIZES: [&str; 2] = ["large", "middle"];

/// Which of the two parts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Part {
    Searches,
    Small,
}

impl Part {
    pub fn of(name: &str) -> Option<Self> {
        match name {
            "public" => Some(Part::Searches),
            "public-small" => Some(Part::Small),
            _ => None,
        }
    }
}

/// Measures a part; whether everything could be compared.
pub fn run(bench: &mut Bench, part: Part, arguments: &Arguments) -> Result<bool> {
    let list = if part == Part::Searches { "speed.csv" } else { "promela/truth.csv" };
    let path = format!("{CORPUS}/{list}");
    let text = fs::read_to_string(bench.workspace.path(&path)).with_context(|| path.clone())?;
    let mut cases = if part == Part::Searches { speed(&text) } else { truth(&text) }.context(path)?;
    cases.retain(|case| arguments.only.as_ref().is_none_or(|text| case.name().contains(text)));
    ensure!(!cases.is_empty(), "no case of that name");
    let load = Machine::load();
    let mut text = String::new();
    if part == Part::Searches {
        let rows = bench.each("public", &cases, |bench, case| compare::search(bench, "public", case, None));
        searches(&mut text, &rows);
    } else {
        let rows = bench.each("public-small", &cases, verdicts::public);
        if !rows.is_empty() {
            verdicts_table(&mut text, "Public models, from text to verdict (once)", &rows);
        }
    }
    let text = heading(bench, &Machine::describe(load)?) + &text;
    print!("{text}");
    if arguments.only.is_none() {
        let name = if part == Part::Searches { "search" } else { "small" };
        let (raw, commands) = (std::mem::take(&mut bench.raw), std::mem::take(&mut bench.commands));
        bench.keep(
            "engine-public",
            &[
                (&format!("{name}.md"), &text),
                (&format!("{name}-raw.csv"), &raw),
                (&format!("{name}-commands.txt"), &commands),
            ],
        )?;
    }
    Ok(bench.refused.is_empty())
}

fn heading(bench: &Bench, machine: &Machine) -> String {
    let mut text = format!(
        "# Lariat and Spin on public models\n\n{}\nBest of {} for searches, user seconds of the whole process. A ratio says how many times Lariat \
         is faster, or smaller. Means are geometric. `bench/README.md` says what is measured.\n",
        machine.text_as_list(),
        bench.repeat
    );
    if !bench.refused.is_empty() {
        let _ = writeln!(text, "\nNot compared:\n\n- {}", bench.refused.join("\n- "));
    }
    text
}

/// A table for each size, and one of memory for all.
fn searches(text: &mut String, rows: &[Row]) {
    let of_size = |size: &str| rows.iter().filter(|row| row.class == size).collect::<Vec<_>>();
    text.push_str("\n| size | models | ratio, mean | least | most | stored and beside, bytes a state |\n");
    text.push_str("| --- | --: | --: | --: | --: | --: |\n");
    for size in SIZES {
        let rows = of_size(size);
        if rows.is_empty() {
            continue;
        }
        let ratios = || rows.iter().map(|row| row.ratio());
        let (least, most) = (ratios().fold(f64::INFINITY, f64::min), ratios().fold(0.0, f64::max));
        let bytes = |row: &&Row| {
            let Counts { states, .. } = row.ours.counts;
            (row.ours.states_bytes + row.ours.auxiliary_bytes) as f64 / states as f64
        };
        let _ = writeln!(
            text,
            "| {size} | {} | {:.2} | {least:.2} | {most:.2} | {:.1} |",
            rows.len(),
            mean(&rows, |row| row.ratio()),
            mean(&rows, bytes)
        );
    }
    for size in SIZES.into_iter().filter(|size| !of_size(size).is_empty()) {
        let _ = write!(
            text,
            "\n## Search alone, {size}\n\n\
             | model | states | transitions | the same | pan | lariat | ratio | user + system | engine |\n\
             | --- | --: | --: | :-: | --: | --: | --: | --: | --- |\n"
        );
        for row in of_size(size) {
            let _ = writeln!(
                text,
                "| {} | {} | {} | {} | {:.2} | {:.2} | {:.2} | {:.2} | {} |",
                row.name,
                row.ours.counts.states,
                row.ours.counts.transitions,
                if row.same_transitions() { "yes" } else { "no" },
                row.pan.user,
                row.lariat.user,
                row.ratio(),
                row.pan.processor / row.lariat.processor,
                row.ours.engine,
            );
        }
    }
    if !rows.is_empty() {
        memory_table(text, rows);
    }
}

/// The models of `speed.csv`.
pub fn speed_cases(workspace: &Workspace) -> Result<Vec<Case>> {
    let path = format!("{CORPUS}/speed.csv");
    let text = fs::read_to_string(workspace.path(&path)).with_context(|| path.clone())?;
    speed(&text).context(path)
}

/// `file,states,size`
fn speed(text: &str) -> Result<Vec<Case>> {
    let mut lines = text.lines();
    ensure!(lines.next() == Some("file,states,size"), "the columns are not `file,states,size`");
    lines
        .map(|line| match line.split(',').collect::<Vec<_>>().as_slice() {
            [file, states, size] if SIZES.contains(size) => {
                Ok(case(file, size, Some(states.parse().with_context(|| line.to_string())?)))
            }
            _ => bail!("a line that is not understood: {line}"),
        })
        .collect()
}

/// `file,states,transitions,atomic,safety,error`. Where safety is violated, both stop before they know all
/// states; where nobody knows whether it is, nothing is asked.
fn truth(text: &str) -> Result<Vec<Case>> {
    let mut lines = text.lines();
    let columns = lines.next().unwrap_or_default();
    ensure!(columns.starts_with("file,states,transitions,atomic,safety,"), "columns `{columns}`");
    let mut cases = Vec::new();
    for line in lines {
        let [file, states, _, _, safety, ..] = line.split(',').collect::<Vec<_>>()[..] else {
            bail!("a line that is not understood: {line}");
        };
        let states: Option<u64> = states.parse().ok();
        if states.is_some_and(|states| states < SMALL) && ["holds", "violated"].contains(&safety) {
            cases.push(case(&format!("promela/{file}"), "", states.filter(|_| safety == "holds")));
        }
    }
    Ok(cases)
}

fn case(file: &str, class: &str, states: Option<u64>) -> Case {
    let model = format!("{CORPUS}/{file}");
    Case { model, macros: Vec::new(), property: None, class: class.to_string(), states }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::engine::tables::tests::row;

    #[test]
    fn lists_are_read() {
        let cases =
            speed("file,states,size\npromela/a__b/c.pml,314956,middle\npromela/d/e.prom,5,large\n").unwrap();
        assert_eq!((cases.len(), cases[0].states, &*cases[1].class), (2, Some(314956), "large"));
        assert_eq!(cases[0].model, "../shared/corpus/promela/a__b/c.pml");
        assert_eq!(cases[0].name(), "a__b/c");
        assert!(speed("file,states\n").is_err());
        assert!(speed("file,states,size\na,1,huge\n").is_err());
        assert!(speed("file,states,size\na,many,large\n").is_err());
    }

    #[test]
    fn small_models_are_those_with_a_known_verdict() {
        let text = "file,states,transitions,atomic,safety,error\na/b.pml,7,9,0,holds,\nc.pml,8,9,0,violated,x\n\
                    d.pml,100000,9,0,holds,\ne.pml,,,,unknown,\n";
        let cases = truth(text).unwrap();
        let found: Vec<_> = cases.iter().map(|case| (case.name(), case.states)).collect();
        assert_eq!(found, [("a/b".to_string(), Some(7)), ("promela/c".to_string(), None)]);
        assert!(truth("file\n").is_err());
    }

    #[test]
    fn means_are_taken_by_size() {
        let rows = [("large", 8.0), ("large", 2.0), ("middle", 3.0)].map(|(size, pan)| {
            let mut row = row(pan, 1.0, 100);
            row.class = size.to_string();
            row
        });
        let mut text = String::new();
        searches(&mut text, &rows);
        let mut middle = String::new();
        searches(&mut middle, &rows[2..]);
        assert!(!middle.contains("large"), "{middle}");
        assert!(text.contains("| large | 2 | 4.00 | 2.00 | 8.00 | 35.0 |\n| middle | 1 | 3.00 |"), "{text}");
    }
}
