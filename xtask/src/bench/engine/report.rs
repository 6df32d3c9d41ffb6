//! The demands, the tables, and what could not be compared, as Markdown.

use super::Bench;
use super::compare::{Floor, Row};
use super::instructions::Instructions;
use super::verdicts::Verdict;
use crate::record::{Machine, geometric_mean};
use std::fmt::Write;

const SEARCH: f64 = 3.0;
const SEARCH_WORST: f64 = 1.0;
const HOLDS: f64 = 3.0;
const SMALL: f64 = 10.0;
const BESIDE_THE_VECTOR: f64 = 16.0;
const MEMORY: f64 = 3.0;
/// Vectors of pan that are longer than this count for the memory.
const LONG_VECTOR: u64 = 64;

const NO_FLOOR: Floor = Floor { new: f64::NAN, all: f64::NAN };

pub struct Report {
    pub search: Vec<Row>,
    pub holds: Vec<Row>,
    pub fails: Vec<Row>,
    pub small: Vec<Verdict>,
    pub defaults: Vec<Verdict>,
    pub instructions: Vec<Instructions>,
}

/// A figure that is demanded, and what it is.
struct Demand {
    text: String,
    figure: f64,
    met: bool,
}

fn at_least(text: impl Into<String>, figure: f64, limit: f64) -> Demand {
    Demand { text: format!("{}, at least {limit}", text.into()), figure, met: figure >= limit }
}

fn at_most(text: impl Into<String>, figure: f64, limit: f64) -> Demand {
    Demand { text: format!("{}, at most {limit}", text.into()), figure, met: figure <= limit }
}

/// The case with the smallest value of a figure.
fn least<T>(rows: &[T], figure: impl Fn(&T) -> f64) -> Option<(&T, f64)> {
    rows.iter().map(|row| (row, figure(row))).min_by(|a, b| a.1.total_cmp(&b.1))
}

fn mean<T>(rows: &[T], figure: impl Fn(&T) -> f64) -> f64 {
    geometric_mean(rows.iter().map(figure))
}

impl Row {
    fn packed(&self) -> f64 {
        self.ours.states_bytes as f64 / self.ours.counts.states as f64
    }

    fn beside(&self) -> f64 {
        self.ours.auxiliary_bytes as f64 / self.ours.counts.states as f64
    }

    fn stacks(&self) -> f64 {
        self.ours.stacks_bytes as f64 / self.ours.counts.states as f64
    }

    fn memory_ratio(&self) -> f64 {
        self.pan.peak_mib / self.lariat.peak_mib
    }

    /// Lariat's states visited, as a multiple of pan's.
    fn visited_ratio(&self) -> f64 {
        self.ours.counts.visited as f64 / self.theirs.visited as f64
    }
}

impl Report {
    fn demands(&self) -> Vec<Demand> {
        let mut demands = Vec::new();
        if let Some((worst, ratio)) = least(&self.search, Row::ratio) {
            demands.push(at_least(
                "search alone, times pan's speed, mean",
                mean(&self.search, Row::ratio),
                SEARCH,
            ));
            demands.push(at_least(format!("the worst of them ({})", worst.name), ratio, SEARCH_WORST));
        }
        if let Some((worst, ratio)) = least(&self.small, Verdict::ratio) {
            demands.push(at_least(
                format!("small models, text to verdict, the worst ({})", worst.name),
                ratio,
                SMALL,
            ));
        }
        if !self.holds.is_empty() {
            demands.push(at_least(
                "formulas that hold, times the speed of pan -a, mean",
                mean(&self.holds, Row::ratio),
                HOLDS,
            ));
        }
        if !self.fails.is_empty() {
            let figure = mean(&self.fails, Row::visited_ratio);
            demands.push(at_most(
                "formulas that fail, states visited as a multiple of pan -a, mean",
                figure,
                1.0,
            ));
        }
        if let Some((worst, bytes)) = least(&self.search, |row| -row.beside()) {
            let text = format!("bytes a state beside the packed vector, the most ({})", worst.name);
            demands.push(at_most(text, -bytes, BESIDE_THE_VECTOR));
        }
        let long: Vec<&Row> =
            self.search.iter().filter(|row| row.theirs.vector_bytes > LONG_VECTOR).collect();
        if let Some((worst, ratio)) = least(&long, |row| row.memory_ratio()) {
            let text = format!(
                "vectors over {LONG_VECTOR} bytes, pan's memory as a multiple, the least ({})",
                worst.name
            );
            demands.push(at_least(text, ratio, MEMORY));
        }
        demands
    }

    pub fn demands_met(&self) -> bool {
        self.demands().iter().all(|demand| demand.met)
    }

    pub fn text(&self, bench: &Bench, machine: &Machine) -> String {
        let mut text = format!(
            "# Lariat and Spin\n\n{}\nBest of {}, user seconds of the whole process. A ratio says how many times Lariat is faster, or smaller. \
             Means are geometric. `bench/README.md` says what is measured.\n\n## Demands\n\n| demand | figure | met |\n| --- | --: | :-: |\n",
            machine.text_as_list(),
            bench.repeat
        );
        for Demand { text: what, figure, met } in self.demands() {
            let _ = writeln!(text, "| {what} | {figure:.2} | {} |", if met { "yes" } else { "**no**" });
        }
        if !bench.refused.is_empty() {
            let _ = writeln!(text, "\nNot compared:\n\n- {}", bench.refused.join("\n- "));
        }
        if !self.search.is_empty() {
            search_table(&mut text, &self.search);
            memory_table(&mut text, &self.search);
        }
        if !self.holds.is_empty() {
            formulas_table(&mut text, "Formulas that hold", &self.holds);
        }
        if !self.fails.is_empty() {
            formulas_table(&mut text, "Formulas that fail", &self.fails);
        }
        if !self.small.is_empty() {
            verdicts_table(&mut text, "Small models, from text to verdict", &self.small);
        }
        if !self.defaults.is_empty() {
            verdicts_table(&mut text, "As people run them, from text to verdict (once)", &self.defaults);
        }
        if !self.instructions.is_empty() {
            instructions_table(&mut text, &self.instructions);
        }
        text
    }
}

fn search_table(text: &mut String, rows: &[Row]) {
    text.push_str(
        "\n## Search alone, safety\n\nThe numbers of states are the same on both sides. *Floor, new*: the store alone, every key once; *floor, all*: \
         with as many insertions as there are transitions.\n\n\
         | model | class | states | transitions | the same | pan | lariat | ratio | user + system | floor, new | lariat / floor | floor, all | lariat / floor | engine |\n\
         | --- | --- | --: | --: | :-: | --: | --: | --: | --: | --: | --: | --: | --: | --- |\n",
    );
    for row in rows {
        let Floor { new, all } = row.floor.unwrap_or(NO_FLOOR);
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {:.2} | {:.2} | {:.2} | {:.2} | {new:.2} | {:.2} | {all:.2} | {:.2} | {} |",
            row.name,
            row.class,
            row.ours.counts.states,
            row.ours.counts.transitions,
            if row.same_transitions() { "yes" } else { "no" },
            row.pan.user,
            row.lariat.user,
            row.ratio(),
            row.pan.processor / row.lariat.processor,
            row.lariat.user / new,
            row.lariat.user / all,
            row.ours.engine,
        );
    }
    let _ = writeln!(
        text,
        "| mean | | | | | | | {:.2} | {:.2} | | {:.2} | | {:.2} | |",
        mean(rows, Row::ratio),
        mean(rows, |row| row.pan.processor / row.lariat.processor),
        mean(rows, |row| row.lariat.user / row.floor.unwrap_or(NO_FLOOR).new),
        mean(rows, |row| row.lariat.user / row.floor.unwrap_or(NO_FLOOR).all),
    );
}

fn memory_table(text: &mut String, rows: &[Row]) {
    text.push_str(
        "\n## Memory, safety\n\nBytes a state, and MiB resident at the most. *Beside* is all that Lariat keeps beside the packed vectors; stacks and marks are part of it.\n\n\
         | model | pan's vector | packed | beside | of which stacks, marks | pan, MiB | lariat, MiB | ratio |\n\
         | --- | --: | --: | --: | --: | --: | --: | --: |\n",
    );
    for row in rows {
        let _ = writeln!(
            text,
            "| {} | {} | {:.1} | {:.1} | {:.1} | {:.0} | {:.0} | {:.2} |",
            row.name,
            row.theirs.vector_bytes,
            row.packed(),
            row.beside(),
            row.stacks(),
            row.pan.peak_mib,
            row.lariat.peak_mib,
            row.memory_ratio(),
        );
    }
    let _ = writeln!(text, "| mean | | | | | | | {:.2} |", mean(rows, Row::memory_ratio));
}

fn formulas_table(text: &mut String, title: &str, rows: &[Row]) {
    let _ = write!(
        text,
        "\n## {title}\n\n\
         | model and formula | algorithm | pan, states | pan, visited | lariat, states | lariat, visited | visited, lariat / pan | pan | lariat | ratio |\n\
         | --- | --- | --: | --: | --: | --: | --: | --: | --: | --: |\n"
    );
    for row in rows {
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {:.2} | {:.2} | {:.2} | {:.2} |",
            row.name,
            row.ours.algorithm,
            row.theirs.states,
            row.theirs.visited,
            row.ours.counts.states,
            row.ours.counts.visited,
            row.visited_ratio(),
            row.pan.user,
            row.lariat.user,
            row.ratio(),
        );
    }
    let (visited, ratio) = (mean(rows, Row::visited_ratio), mean(rows, Row::ratio));
    let _ = writeln!(text, "| mean | | | | | | {visited:.2} | | | {ratio:.2} |");
}

fn verdicts_table(text: &mut String, title: &str, rows: &[Verdict]) {
    let _ = write!(
        text,
        "\n## {title}\n\n\
         | model | verdict | pan, states | lariat, states | spin | gcc | pan | all three | lariat | ratio | ratio on the wall |\n\
         | --- | --- | --: | --: | --: | --: | --: | --: | --: | --: | --: |\n"
    );
    let wall = |row: &Verdict| row.theirs_on_the_wall() / row.lariat.wall;
    for row in rows {
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {:.3} | {:.2} | {:.3} | {:.2} | {:.3} | {:.2} | {:.2} |",
            row.name,
            if row.holds { "holds" } else { "violated" },
            row.their_states,
            row.our_states,
            row.spin.user,
            row.gcc.user,
            row.pan.user,
            row.theirs(),
            row.lariat.user,
            row.ratio(),
            wall(row),
        );
    }
    let (user, wall) = (mean(rows, Verdict::ratio), mean(rows, wall));
    let _ = writeln!(text, "| mean | | | | | | | | | {user:.2} | {wall:.2} |");
}

fn instructions_table(text: &mut String, rows: &[Instructions]) {
    text.push_str(
        "\n## Instructions a transition\n\nCounted by callgrind, of the search alone.\n\n\
         | model | states | transitions | interpreted | compiled | ratio |\n| --- | --: | --: | --: | --: | --: |\n",
    );
    for row in rows {
        let a_transition = |count: u64| count as f64 / row.transitions as f64;
        let _ = writeln!(
            text,
            "| {} | {} | {} | {:.0} | {:.0} | {:.2} |",
            row.name,
            row.states,
            row.transitions,
            a_transition(row.interpreted),
            a_transition(row.compiled),
            row.interpreted as f64 / row.compiled as f64,
        );
    }
}
