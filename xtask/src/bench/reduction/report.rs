//! The report: demands, a table for each way to ask, the time a state takes, and what has to be explained.
//!
//! Shares are compared model by model and by their geometric mean. Pan leaves *less* where its share is
//! smaller than ours by more than [`MARGIN`]; each such model is named, with what `bench/reduction.toml` says
//! about it.

use super::counts::{Count, MEASURABLE, Program, Table};
use super::suite::{Asks, Question};
use crate::record::geometric_mean;
use crate::workspace::Workspace;
use anyhow::{Context, Result};
use serde::Deserialize;
use std::fmt::Write;
use std::fs;

/// A share that is smaller by less is the same.
const MARGIN: f64 = 0.01;
/// Seconds a state with reduction, as a multiple of those without.
const MOST_A_STATE: f64 = 1.5;
/// Seconds in all where nothing is reduced, as a multiple of those without reduction.
const MOST_IN_ALL: f64 = 1.05;
/// A larger share is nothing reduced.
const NOTHING: f64 = 0.999;

/// The four counts of a table: without reduction and with.
#[derive(Clone, Copy, Default, Debug)]
struct Four {
    lariat: [Option<Count>; 2],
    pan: [Option<Count>; 2],
}

impl Four {
    fn pair(&self, program: Program) -> Option<[Count; 2]> {
        let [full, reduced] = if program == Program::Lariat { self.lariat } else { self.pan };
        Some([full?, reduced?])
    }
}

/// All counts of a question.
pub struct Row {
    name: String,
    model: String,
    is_formula: bool,
    plain: Four,
    simplified: Four,
}

/// A question that is not compared.
pub struct Left {
    pub name: String,
    pub reason: String,
}

/// Why pan leaves less.
#[derive(Deserialize)]
pub struct Explained {
    models: Vec<String>,
    why: String,
}

pub fn explained(workspace: &Workspace) -> Result<Vec<Explained>> {
    #[derive(Deserialize)]
    struct File {
        #[serde(default)]
        explained: Vec<Explained>,
    }
    let path = "bench/reduction.toml";
    let text = fs::read_to_string(workspace.path(path)).context(path)?;
    let File { explained } = toml::from_str(&text).context(path)?;
    Ok(explained)
}

impl Row {
    pub fn new(question: &Question) -> Self {
        let (plain, simplified) = (Four::default(), Four::default());
        let is_formula = question.asks != Asks::States;
        Row { name: question.name(), model: question.model().to_string(), is_formula, plain, simplified }
    }

    fn table(&self, table: Table) -> &Four {
        match table {
            Table::Plain => &self.plain,
            Table::Simplified => &self.simplified,
        }
    }

    /// What is left of the states of the model as it is written: by reduction, and in the second table by
    /// merging and resetting as well.
    fn share(&self, table: Table, program: Program) -> Option<f64> {
        let [full, _] = self.plain.pair(program)?;
        let [_, reduced] = self.table(table).pair(program)?;
        Some(reduced.states as f64 / full.states as f64)
    }

    /// Ours and pan's.
    fn shares(&self, table: Table) -> Option<(f64, f64)> {
        Some((self.share(table, Program::Lariat)?, self.share(table, Program::Pan)?))
    }

    pub fn set(&mut self, table: Table, program: Program, reduces: bool, count: Count) {
        let four = if table == Table::Plain { &mut self.plain } else { &mut self.simplified };
        let pair = if program == Program::Lariat { &mut four.lariat } else { &mut four.pan };
        pair[usize::from(reduces)] = Some(count);
    }

    /// The plain state space is the same for both; with a formula it depends on the automaton.
    pub fn disagreement(&self, table: Table) -> Option<String> {
        let (ours, theirs) = (self.plain.lariat[0]?.states, self.plain.pan[0]?.states);
        let differ = table == Table::Plain && !self.is_formula && ours != theirs;
        differ.then(|| format!("without reduction lariat stores {ours} states, pan {theirs}"))
    }

    pub fn summary(&self) -> String {
        let shown = |table| match self.shares(table) {
            Some((ours, theirs)) => format!("{ours:.4} (pan {theirs:.4})"),
            None => "–".to_string(),
        };
        format!("left: {}; with merging {}", shown(Table::Plain), shown(Table::Simplified))
    }

    /// Pan's share is smaller, in one of the tables.
    fn pan_leaves_less(&self) -> bool {
        let less = |(ours, theirs): (f64, f64)| theirs < ours * (1.0 - MARGIN);
        Table::ALL.into_iter().filter_map(|table| self.shares(table)).any(less)
    }

    /// Seconds a state with reduction, over those without.
    fn seconds_a_state(&self) -> Option<f64> {
        let [full, reduced] = self.plain.pair(Program::Lariat)?;
        let can_be_measured = full.search_seconds >= MEASURABLE && reduced.search_seconds >= MEASURABLE;
        let per_state = |count: Count| count.search_seconds / count.states as f64;
        can_be_measured.then(|| per_state(reduced) / per_state(full))
    }

    /// Seconds in all, over those without reduction, where that does not help.
    fn seconds_for_nothing(&self) -> Option<f64> {
        let [full, reduced] = self.plain.pair(Program::Lariat)?;
        let counts = self.share(Table::Plain, Program::Lariat)? > NOTHING && full.seconds >= MEASURABLE;
        counts.then(|| reduced.seconds / full.seconds)
    }
}

/// The whole report, and whether every demand is met.
pub fn report(rows: &[Row], left: &[Left], explained: &[Explained], is_whole: bool) -> (String, bool) {
    let mut text = String::from(
        "A share is what is left of the states of the model as it is written (with a formula, of its product). In the second table that is \
         the work of merging, resetting and reduction together: what merging has done, reduction cannot do again, so that a share of \
         the merged model would say little. Means are geometric.\n",
    );
    let mut all_met = true;
    demands(&mut text, rows, explained, &mut all_met);
    for table in Table::ALL {
        shares(&mut text, rows, table);
    }
    times(&mut text, rows);
    explanations(&mut text, rows, explained, is_whole);
    if !left.is_empty() {
        text.push_str("\n## Left out\n\n");
        for Left { name, reason } in left {
            let _ = writeln!(text, "- {name}: {reason}");
        }
    }
    (text, all_met)
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let values: Vec<f64> = values.collect();
    (!values.is_empty()).then(|| geometric_mean(values.into_iter()))
}

/// The means of the shares of both programs.
fn means<'r>(rows: impl Iterator<Item = &'r Row> + Clone, table: Table) -> Option<(f64, f64)> {
    let shares = rows.filter_map(|row| row.shares(table));
    Some((mean(shares.clone().map(|(ours, _)| ours))?, mean(shares.map(|(_, theirs)| theirs))?))
}

fn title(table: Table) -> &'static str {
    match table {
        Table::Plain => "Models as they are written (`spin -o1 -o2 -o3`)",
        Table::Simplified => "Spin as it comes (ours with `--merge-statements --reset-dead-variables`)",
    }
}

fn demands(text: &mut String, rows: &[Row], explained: &[Explained], all_met: &mut bool) {
    text.push_str(
        "\n## Demands\n\n| demand | ours | at most | cases | met |\n| --- | --: | --: | --: | :-: |\n",
    );
    let mut demand = |what: &str, value: Option<f64>, most: f64, cases: usize| {
        let Some(value) = value else { return };
        let met = value <= most;
        *all_met &= met;
        let word = if met { "yes" } else { "**no**" };
        let _ = writeln!(text, "| {what} | {value:.3} | {most:.3} | {cases} | {word} |");
    };
    for table in Table::ALL {
        if let Some((ours, theirs)) = means(rows.iter(), table) {
            let what = format!("mean share, {}", title(table));
            demand(&what, Some(ours), theirs, rows.len());
        }
    }
    let a_state = || rows.iter().filter_map(Row::seconds_a_state);
    demand(
        "mean time a state, over that without reduction",
        mean(a_state()),
        MOST_A_STATE,
        a_state().count(),
    );
    let in_all = || rows.iter().filter_map(Row::seconds_for_nothing);
    demand("mean time where nothing is reduced", mean(in_all()), MOST_IN_ALL, in_all().count());
    let less = || rows.iter().filter(|row| row.pan_leaves_less());
    let unexplained = less().filter(|row| why(row, explained).is_none()).count();
    demand("cases in which pan leaves less, unexplained", Some(unexplained as f64), 0.0, less().count());
}

fn shares(text: &mut String, rows: &[Row], table: Table) {
    let _ = write!(
        text,
        "\n## {}\n\n\
         | question | lariat, all | reduced | share | pan, all | reduced | share | ours / pan's |\n\
         | --- | --: | --: | --: | --: | --: | --: | --: |\n",
        title(table)
    );
    for row in rows {
        let Some((ours, theirs)) = row.shares(table) else { continue };
        // In the second table: all, after merging, and after reduction as well.
        let counts = |program| {
            let states =
                |pair: Option<[Count; 2]>| pair.map(|pair| pair.map(|count| count.states.to_string()));
            let plain = states(row.plain.pair(program)).unwrap_or_default();
            let [all, reduced] = states(row.table(table).pair(program)).unwrap_or_default();
            let all = if table == Table::Plain { all } else { format!("{} → {all}", plain[0]) };
            format!("{all} | {reduced}")
        };
        let _ = writeln!(
            text,
            "| {} | {} | {ours:.4} | {} | {theirs:.4} | {:.2} |",
            row.name,
            counts(Program::Lariat),
            counts(Program::Pan),
            ours / theirs
        );
    }
    type Kind = (&'static str, fn(&&Row) -> bool);
    let kinds: [Kind; 5] = [
        ("state spaces", |row| !row.is_formula),
        ("formulas", |row| row.is_formula),
        ("our models", |row| row.model.starts_with("models/")),
        ("public models", |row| !row.model.starts_with("models/")),
        ("all", |_| true),
    ];
    for (name, is_of_kind) in kinds {
        if let Some((ours, theirs)) = means(rows.iter().filter(is_of_kind), table) {
            let count = rows.iter().filter(is_of_kind).count();
            let ratio = ours / theirs;
            let _ =
                writeln!(text, "| mean, {name} ({count}) | | | {ours:.4} | | | {theirs:.4} | {ratio:.2} |");
        }
    }
}

fn times(text: &mut String, rows: &[Row]) {
    let _ = write!(
        text,
        "\n## Time\n\n\
         User seconds of Lariat, on models as they are written: of the search, and of the whole process. *A state* says how much \
         longer a state takes with reduction, where both searches take at least {MEASURABLE} s; *in all* how much longer it \
         takes in all where nothing is reduced.\n\n\
         | question | search, all | reduced | a state | process, all | reduced | in all |\n\
         | --- | --: | --: | --: | --: | --: | --: |\n"
    );
    let ratio = |value: Option<f64>| value.map_or("–".to_string(), |value| format!("{value:.2}"));
    for row in rows {
        let Some([full, reduced]) = row.plain.pair(Program::Lariat) else { continue };
        let (a_state, in_all) = (row.seconds_a_state(), row.seconds_for_nothing());
        if a_state.is_some() || in_all.is_some() {
            let _ = writeln!(
                text,
                "| {} | {:.2} | {:.2} | {} | {:.2} | {:.2} | {} |",
                row.name,
                full.search_seconds,
                reduced.search_seconds,
                ratio(a_state),
                full.seconds,
                reduced.seconds,
                ratio(in_all)
            );
        }
    }
    let a_state = mean(rows.iter().filter_map(Row::seconds_a_state));
    let in_all = mean(rows.iter().filter_map(Row::seconds_for_nothing));
    let _ = writeln!(text, "| mean | | | {} | | | {} |", ratio(a_state), ratio(in_all));
}

fn why<'e>(row: &Row, explained: &'e [Explained]) -> Option<&'e str> {
    explained.iter().find(|entry| entry.models.contains(&row.model)).map(|entry| entry.why.as_str())
}

fn explanations(text: &mut String, rows: &[Row], explained: &[Explained], is_whole: bool) {
    let less: Vec<&Row> = rows.iter().filter(|row| row.pan_leaves_less()).collect();
    let _ = writeln!(
        text,
        "\n## Where pan leaves less\n\nBy more than {:.0} %, in either table.\n",
        MARGIN * 100.0
    );
    for row in &less {
        let why = why(row, explained).unwrap_or("**not explained**");
        let _ = writeln!(text, "- {}: {}. {why}", row.name, row.summary());
    }
    // Only a run of all models knows which explanations are not needed any more.
    let needed = |model: &&String| less.iter().any(|row| row.model == **model);
    let explained = explained.iter().flat_map(|entry| &entry.models);
    let idle: Vec<&String> = explained.filter(|model| !needed(model)).collect();
    if is_whole && !idle.is_empty() {
        text.push_str("\nExplained in `bench/reduction.toml`, but not seen in this run:\n\n");
        for model in idle {
            let _ = writeln!(text, "- {model}");
        }
    }
}

/// Every count.
pub fn raw(rows: &[Row]) -> String {
    let mut text = String::from("question,table,program,reduced,states,search_user_s,user_s\n");
    for row in rows {
        for (table, name) in [(Table::Plain, "plain"), (Table::Simplified, "simplified")] {
            for program in Program::ALL {
                let Some(pair) = row.table(table).pair(program) else { continue };
                for (count, reduces) in pair.into_iter().zip([false, true]) {
                    let Count { states, search_seconds, seconds } = count;
                    let _ = writeln!(
                        text,
                        "{},{name},{},{reduces},{states},{search_seconds:.3},{seconds:.3}",
                        row.name,
                        program.name()
                    );
                }
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(model: &str, ours: [u64; 2], theirs: [u64; 2]) -> Row {
        let question = Question { file: model.to_string(), asks: Asks::States, states: ours[0] };
        let mut row = Row::new(&question);
        for table in Table::ALL {
            for (reduces, at) in [(false, 0), (true, 1)] {
                let count = |states: u64, seconds| Count { states, search_seconds: seconds, seconds };
                row.set(table, Program::Lariat, reduces, count(ours[at], 1.0));
                row.set(table, Program::Pan, reduces, count(theirs[at], 2.0));
            }
        }
        row
    }

    fn explanation(model: &str) -> Explained {
        Explained { models: vec![model.to_string()], why: "Because.".to_string() }
    }

    #[test]
    fn the_smaller_mean_meets_the_demand() {
        let rows = [row("a", [100, 25], [100, 50]), row("b", [100, 100], [100, 100])];
        let (text, met) = report(&rows, &[], &[], true);
        assert!(text.contains("| a | 100 | 25 | 0.2500 | 100 | 50 | 0.5000 | 0.50 |"), "{text}");
        assert!(text.contains("| mean, all (2) | | | 0.5000 | | | 0.7071 | 0.71 |"), "{text}");
        // A quarter of the states in the same time: four times as long a state, twice in the mean.
        assert!(
            text.contains("| mean time a state, over that without reduction | 2.000 | 1.500 | 2 | **no** |"),
            "{text}"
        );
        assert!(text.contains("| mean time where nothing is reduced | 1.000 | 1.050 | 1 | yes |"), "{text}");
        assert!(!met);
    }

    #[test]
    fn merging_counts_against_the_model_as_it_is_written() {
        let mut row = row("a", [100, 50], [100, 50]);
        let count = |states| Count { states, search_seconds: 0.0, seconds: 0.0 };
        row.set(Table::Simplified, Program::Lariat, false, count(10));
        row.set(Table::Simplified, Program::Lariat, true, count(10));
        assert_eq!(row.shares(Table::Simplified), Some((0.1, 0.5)));
        assert_eq!(row.shares(Table::Plain), Some((0.5, 0.5)));
        let (text, _) = report(&[row], &[], &[], true);
        assert!(text.contains("| a | 100 → 10 | 10 | 0.1000 | 100 → 100 | 50 | 0.5000 | 0.20 |"), "{text}");
    }

    #[test]
    fn what_pan_reduces_more_is_explained_or_named() {
        let rows =
            [row("a", [100, 60], [100, 50]), row("b", [1000, 501], [1000, 500]), row("c", [9, 1], [9, 9])];
        let (text, met) = report(&rows, &[], &[], true);
        assert!(
            text.contains(
                "- a: left: 0.6000 (pan 0.5000); with merging 0.6000 (pan 0.5000). **not explained**"
            ),
            "{text}"
        );
        assert!(!text.contains("- b:"), "less than a hundredth is the same: {text}");
        assert!(
            text.contains("| cases in which pan leaves less, unexplained | 1.000 | 0.000 | 1 | **no** |"),
            "{text}"
        );
        assert!(!met);
        let (text, _) = report(&rows, &[], &[explanation("a"), explanation("z")], true);
        assert!(text.contains("(pan 0.5000). Because."), "{text}");
        assert!(text.contains("not seen in this run:\n\n- z\n"), "{text}");
        assert!(!report(&rows, &[], &[explanation("z")], false).0.contains("not seen"));
    }

    #[test]
    fn counts_that_differ_are_not_compared() {
        assert_eq!(row("a", [10, 5], [10, 4]).disagreement(Table::Plain), None);
        let row = row("a", [10, 5], [11, 4]);
        assert!(row.disagreement(Table::Plain).unwrap().contains("lariat stores 10 states, pan 11"));
        assert_eq!(row.disagreement(Table::Simplified), None);
    }

    #[test]
    fn explanations_are_read() {
        let mut seen = std::collections::BTreeSet::new();
        for entry in explained(&Workspace::here()).unwrap() {
            assert!(entry.why.trim_end().ends_with(['.', ')']) && !entry.models.is_empty(), "{}", entry.why);
            for model in entry.models {
                assert!(!model.contains(".."), "{model}");
                assert!(seen.insert(model.clone()), "{model} is explained twice");
            }
        }
    }
}
