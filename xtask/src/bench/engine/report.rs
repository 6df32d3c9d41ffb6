//! The report, as Markdown: the demands and whether they are met, what could not be compared, and the tables.

use super::Bench;
use super::compare::Row;
use super::instructions::Instructions;
use super::tables::{formulas_table, instructions_table, mean, memory_table, search_table, verdicts_table};
use super::verdicts::Verdict;
use crate::record::Machine;
use std::fmt::Write;

const SEARCH: f64 = 3.0;
const SEARCH_WORST: f64 = 1.0;
const HOLDS: f64 = 3.0;
const SMALL: f64 = 10.0;
const BESIDE_THE_VECTOR: f64 = 16.0;
const MEMORY: f64 = 3.0;
/// Vectors of pan that are longer than this count for the memory.
const LONG_VECTOR: u64 = 64;

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::engine::tables::tests::row;

    fn report(search: Vec<Row>, fails: Vec<Row>) -> Report {
        Report {
            search,
            holds: Vec::new(),
            fails,
            small: Vec::new(),
            defaults: Vec::new(),
            instructions: Vec::new(),
        }
    }

    #[test]
    fn demands_are_judged_by_the_mean_and_by_the_worst() {
        assert!(report(vec![row(8.0, 1.0, 100), row(4.0, 1.0, 100)], Vec::new()).demands_met());
        // The mean is 4, but one case is slower than pan.
        let slow = report(vec![row(32.0, 1.0, 100), row(0.5, 1.0, 100)], Vec::new());
        let met: Vec<bool> = slow.demands().iter().map(|demand| demand.met).collect();
        assert_eq!(met, [true, false, true, false]);
        assert_eq!(slow.demands()[0].figure.round(), 4.0);
        assert!(slow.demands()[1].text.contains("m0.5"));
    }

    #[test]
    fn visited_states_are_judged_by_the_mean() {
        assert!(report(Vec::new(), vec![row(1.0, 1.0, 50), row(1.0, 1.0, 150)]).demands_met());
        assert!(!report(Vec::new(), vec![row(1.0, 1.0, 90), row(1.0, 1.0, 150)]).demands_met());
    }
}
