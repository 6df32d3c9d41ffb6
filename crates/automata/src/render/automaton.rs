//! Automata and their statistics, as text and as JSON. The schemas are in `docs/json.md`.

use super::line;
use crate::statistics::Statistics;
use lariat_ltl::never::Unwritable;
use lariat_ltl::text::{Style, label_text};
use lariat_ltl::{Automaton, Bdds, Placement, dot, hoa, never, text};
use lariat_verdict::counted;
use serde::Serialize;

/// The schema of an automaton in JSON.
pub const AUTOMATON_SCHEMA: &str = "lariat-automaton/1";
/// The schema of statistics in JSON.
pub const STATISTICS_SCHEMA: &str = "lariat-statistics/1";

/// How an automaton is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AutomatonFormat {
    /// The Hanoi format.
    Hoa,
    /// One acceptance set on states is needed.
    Never,
    /// For Graphviz.
    Dot,
    /// For people.
    Text,
    /// For programs.
    Json,
}

/// Where an automaton comes from.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(untagged)]
pub enum Origin<'a> {
    /// It was made from a formula.
    Formula {
        /// As it was written.
        formula: &'a str,
        /// As it was understood.
        reading: &'a str,
        /// It was made from the negation.
        negated: bool,
        /// It was compared with the automaton of the negation.
        proved: bool,
        /// `None` for the command line.
        file: Option<&'a str>,
        /// The line of the file, if the formula stands in one.
        line: Option<u32>,
    },
    /// It was read.
    File {
        /// The file, as the user named it.
        file: &'a str,
    },
}

/// The automaton in a format, with further properties for the formats that have a place for them.
pub fn automaton(
    automaton: &Automaton,
    bdds: &mut Bdds,
    format: AutomatonFormat,
    properties: &[&str],
    origin: Origin,
) -> Result<String, Unwritable> {
    match format {
        AutomatonFormat::Hoa => Ok(hoa::write_with(automaton, bdds, properties)),
        AutomatonFormat::Never => never::write(automaton, bdds),
        AutomatonFormat::Dot => Ok(dot::write(automaton, bdds)),
        AutomatonFormat::Text => Ok(text::write(automaton, bdds)),
        AutomatonFormat::Json => Ok(json(automaton, bdds, origin)),
    }
}

#[derive(Serialize)]
struct AutomatonView<'a> {
    schema: &'static str,
    #[serde(flatten)]
    origin: Origin<'a>,
    name: Option<&'a str>,
    propositions: &'a [String],
    sets: u32,
    acceptance: &'static str,
    initial: &'a [u32],
    states: usize,
    edges: Vec<EdgeView>,
}

#[derive(Serialize)]
struct EdgeView {
    from: usize,
    to: u32,
    label: String,
    marks: Vec<u32>,
}

fn json(automaton: &Automaton, bdds: &mut Bdds, origin: Origin) -> String {
    let mut edges = Vec::new();
    for (from, leaving) in automaton.edges.iter().enumerate() {
        for edge in leaving {
            let label = label_text(bdds, edge.label, &automaton.propositions, Style::Text);
            edges.push(EdgeView { from, to: edge.to, label, marks: edge.marks.iter().collect() });
        }
    }
    line(&AutomatonView {
        schema: AUTOMATON_SCHEMA,
        origin,
        name: automaton.name.as_deref(),
        propositions: &automaton.propositions,
        sets: automaton.sets,
        acceptance: placement(automaton.placement),
        initial: &automaton.initial,
        states: automaton.states(),
        edges,
    })
}

fn placement(placement: Placement) -> &'static str {
    match placement {
        Placement::States => "states",
        Placement::Edges => "edges",
    }
}

#[derive(Serialize)]
struct StatisticsView<'a> {
    schema: &'static str,
    #[serde(flatten)]
    origin: Origin<'a>,
    name: Option<&'a str>,
    states: usize,
    edges: usize,
    sets: u32,
    acceptance: &'static str,
    deterministic: bool,
    complete: bool,
    strength: String,
    components: Vec<ComponentView>,
    stutter_invariant: Option<bool>,
    seconds: f64,
}

#[derive(Serialize)]
struct ComponentView {
    states: u32,
    accepting: bool,
    strength: Option<String>,
}

/// Statistics as an object on a line of its own.
pub fn statistics_json(statistics: &Statistics, name: Option<&str>, origin: Origin) -> String {
    let numbers = &statistics.numbers;
    let components = statistics.components.iter().map(|component| ComponentView {
        states: component.states,
        accepting: component.strength.is_some(),
        strength: component.strength.map(|strength| strength.to_string()),
    });
    line(&StatisticsView {
        schema: STATISTICS_SCHEMA,
        origin,
        name,
        states: numbers.states,
        edges: numbers.edges,
        sets: numbers.sets,
        acceptance: placement(numbers.placement),
        deterministic: numbers.deterministic,
        complete: numbers.complete,
        strength: numbers.strength.to_string(),
        components: components.collect(),
        stutter_invariant: statistics.stutter_invariant,
        seconds: statistics.seconds,
    })
}

/// A table of statistics that is written row by row, so that a long list can be watched.
pub struct Table {
    /// What the rows are about.
    subject: &'static str,
    rows: u64,
    states: usize,
    edges: usize,
    seconds: f64,
}

impl Table {
    /// A table without rows; `subject` is what the rows are about.
    pub fn new(subject: &'static str) -> Table {
        Table { subject, rows: 0, states: 0, edges: 0, seconds: 0.0 }
    }

    /// The next row, under the head of the table if it is the first.
    pub fn row(&mut self, statistics: &Statistics, about: &str) -> String {
        let numbers = &statistics.numbers;
        let yes = |yes: bool| if yes { "yes" } else { "no" };
        let head = [
            "states",
            "edges",
            "sets",
            "deterministic",
            "strength",
            "stutter-invariant",
            "seconds",
            self.subject,
        ];
        let mut text = if self.rows == 0 { cells(head) } else { String::new() };
        self.rows += 1;
        self.states += numbers.states;
        self.edges += numbers.edges;
        self.seconds += statistics.seconds;
        text.push_str(&cells([
            &numbers.states.to_string(),
            &numbers.edges.to_string(),
            &numbers.sets.to_string(),
            yes(numbers.deterministic),
            &numbers.strength.to_string(),
            statistics.stutter_invariant.map_or("unknown", yes),
            &format!("{:.3}", statistics.seconds),
            &about.replace(char::is_control, " "),
        ]));
        text
    }

    /// The last row, if it says something new.
    pub fn total(&self) -> Option<String> {
        let total =
            format!("total of {}", counted(self.rows, self.subject).replace("automatons", "automata"));
        let (states, edges) = (self.states.to_string(), self.edges.to_string());
        let seconds = format!("{:.3}", self.seconds);
        (self.rows > 1).then(|| cells([&states, &edges, "", "", "", "", &seconds, &total]))
    }
}

fn cells([states, edges, sets, deterministic, strength, stutter, seconds, about]: [&str; 8]) -> String {
    format!(
        "{states:>6}  {edges:>6}  {sets:>4}  {deterministic:<13}  {strength:<8}  {stutter:<17}  {seconds:>7}  {about}\n"
    )
}
